"""A statement that a document numbers, such as a definition or a rule, and where it is here.

Documents without numbers name their parts; those stand in place of numbers.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NumberedStatement:
    """One statement of a document, by its number.

    Attributes
    ----------
    number, says
        As the document numbers it, and what it says.
    rows
        Rows of the ledger about it.
    python
        Names of what evaluates it.
    steps
        Derivations that derive it, or ``derivation/step``.
    tests
        Tests that hold it against something else, as ``file::function``.
    """

    number: str
    says: str
    rows: tuple[str, ...]
    python: tuple[str, ...]
    steps: tuple[str, ...]
    tests: tuple[str, ...]


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
