"""A positive word that kproof prints, what was judged for it, and what turns it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

JUDGED = (
    "the judge's: knows every published column of everybody that is not confidential, the source's "
    "order, the method and earlier releases; reads every cell"
)
READER = (
    "knows everybody's quasi-identifiers and who is in the table; no other column, no other "
    "release, not the method"
)
METHOD_READER = (
    "knows who is in which class, what is published of it, k, mu, the domain and Algorithm 1; "
    "takes every original for equally likely beforehand"
)
BELIEVER = (
    "knows who is in which class and what is published of it; takes every original for equally "
    "likely, whatever the method"
)
MOMENT = "knows where everybody is at one moment; sees the release of that moment alone"
NOBODY = "none: it is about the file, or the run, and nothing that somebody learns from it"


@dataclass(frozen=True, kw_only=True)
class Positive:
    """One row of ``docs/positive-words.md``."""

    word: str
    """The word or phrase as printed, such as "holds"."""
    printed_by: str
    """The commands, checks, certificates or pages that print it, as a reader would name them."""
    modules: tuple[str, ...]
    """The modules whose source spells it, such as ``kproof.models.base.verdict``."""
    judged: str
    """What exactly was judged whenever it is printed: one sentence."""
    mutant: str
    """What is different in the input or the mutant for which it turns: one phrase."""
    holds: Callable[[], str]
    """Return what is printed where the word is due."""
    turns: Callable[[], str]
    """Return what is printed for the mutant."""
    absent: str = ""
    """A text that is in the first output only; the word itself unless said otherwise."""
    adversary: str = ""
    """Whom the word is said of, where it is about a release: what she knows and what not."""


def either(
    printed: Callable[..., str], due: tuple[Any, ...], mutant: tuple[Any, ...]
) -> dict[str, Callable[[], str]]:
    """Return what is printed for the arguments that are due a word, and for those of the mutant."""
    return {"holds": partial(printed, *due), "turns": partial(printed, *mutant)}
