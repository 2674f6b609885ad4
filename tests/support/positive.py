"""A positive word that kproof prints, what was judged for it, and what turns it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Positive:
    """One row of ``docs/positive-words.md``.

    Attributes
    ----------
    word
        The word or phrase as printed, such as "holds".
    printed_by
        The commands, checks, certificates or pages that print it, as a reader would name them.
    modules
        The modules whose source spells it, such as ``kproof.models.base.verdict``.
    judged
        What exactly was judged whenever it is printed: one sentence.
    mutant
        What is different in the input or the mutant for which it turns: one phrase.
    holds
        Return what is printed where the word is due.
    turns
        Return what is printed for the mutant.
    absent
        A text that is in the first output only; the word itself unless said otherwise.
    """

    word: str
    printed_by: str
    modules: tuple[str, ...]
    judged: str
    mutant: str
    holds: Callable[[], str]
    turns: Callable[[], str]
    absent: str = ""
