"""A positive word that kproof prints, what was judged for it, and what turns it."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

WORDS = Path(__file__).parents[1] / "words"
Printed = Callable[[], str]

ADVERSARIES = {
    "judge": "the judge's: knows every published column of everybody that is not confidential,"
    " the source's order, the method and earlier releases; reads every cell",
    "reader": "knows everybody's quasi-identifiers and who is in the table; no other column, no"
    " other release, not the method",
    "method reader": "knows who is in which class, what is published of it, k, mu, the domain and "
    "Algorithm 1; takes every original for equally likely beforehand",
    "believer": "knows who is in which class and what is published of it; takes every original "
    "for equally likely, whatever the method",
    "moment": "knows where everybody is at one moment; sees the release of that moment alone",
    "nobody": "none: it is about the file, or the run, and nothing that somebody learns from it",
}
"""Whom a word is said of: what she knows and what not; in the rows, by name."""


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
    holds: Printed
    """Return what is printed where the word is due."""
    turns: Printed
    """Return what is printed for the mutant."""
    absent: str = ""
    """A text that is in the first output only; the word itself unless said otherwise."""
    adversary: str = ""
    """Whom the word is said of, where it is about a release: what she knows and what not."""


def either(
    printed: Callable[..., str], due: tuple[Any, ...], mutant: tuple[Any, ...]
) -> tuple[Printed, Printed]:
    """Return what is printed for the arguments that are due a word, and for those of the mutant."""
    return partial(printed, *due), partial(printed, *mutant)


def rows(area: str, **runs: tuple[Printed, Printed]) -> tuple[Positive, ...]:
    """Return the rows of ``tests/words/AREA.toml``, each with what is printed and the mutant's.

    A row that is ``like`` another one says only what is different of it.
    """
    texts = tomllib.loads((WORDS / f"{area}.toml").read_text(encoding="utf-8"))
    assert [*texts] == [*runs]
    found = []
    for name, (holds, turns) in runs.items():
        text = texts.get(texts[name].pop("like", None), {}) | texts[name]
        adversary = ADVERSARIES.get(text.get("adversary"), text.get("adversary", ""))
        text |= {"modules": tuple(text["modules"]), "adversary": adversary}
        found.append(Positive(holds=holds, turns=turns, **text))
    return tuple(found)
