"""A statement that a document numbers, such as a definition or a rule, and where it is here.

Documents without numbers name their parts; those stand in place of numbers.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NumberedStatement:
    """One statement of a document, by its number."""

    number: str
    says: str
    """As the document numbers it, and what it says."""
    rows: tuple[str, ...]
    """Rows of the ledger about it."""
    python: tuple[str, ...]
    """Names of what evaluates it."""
    steps: tuple[str, ...]
    """Derivations that derive it, or ``derivation/step``."""
    tests: tuple[str, ...]
    """Tests that hold it against something else, as ``file::function``."""


def numbered(
    number: str,
    says: str,
    *,
    rows: str = "",
    python: tuple[str, ...],
    steps: tuple[str, ...] = (),
    tests: tuple[str, ...],
) -> NumberedStatement:
    """Return a statement; its rows of the ledger are given as one text."""
    return NumberedStatement(number, says, tuple(rows.split()), python, steps, tests)
