"""The theorems that Rocq has checked, each beside what it is in the paper and in Python."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kproof.errors import InvalidArgument

ROCQ = Path(__file__).parents[1] / "rocq"
"""Where the proofs stand."""

SOURCES = tuple(ROCQ / f"{name}.v" for name in ("Laws", "Blocks", "LogConcave", "Counts", "Theta"))
"""The proofs; each file uses only those before it."""

_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class KernelStatement:
    """A theorem of ``theory/rocq``.

    Attributes
    ----------
    name, file
        Of the theorem, and of the file without ``.v``.
    says
        What it says, in a sentence.
    formula
        The same as LaTeX, as the documents print it.
    python
        Names of the functions that evaluate it.
    rows
        Ids of the ledger's rows whose evidence it is.
    derivations
        Names of the derivations, and so of the certificates, of the same statement.
    tests
        Files of tests that hold the functions against something else.
    """

    name: str
    file: str
    says: str
    formula: str
    python: tuple[str, ...]
    rows: tuple[str, ...]
    derivations: tuple[str, ...]
    tests: tuple[str, ...]

    @property
    def rocq(self) -> str:
        """What Rocq was asked to check, word for word."""
        return statement_of(self.name, self.file)


def statement_of(name: str, file: str) -> str:
    """Return the text of a theorem or definition of ``theory/rocq``, without its proof.

    Raises
    ------
    InvalidArgument
        If the file has none of that name.

    Examples
    --------
    >>> print(statement_of("nonneg", "Laws"))
    Definition nonneg f := forall i, 0 <= f`_i.
    """
    text = _text(file)
    kinds = "Theorem|Lemma|Corollary|Proposition|Definition|Fixpoint|Record|Inductive"
    found = re.search(
        rf"^(?:{kinds}) {re.escape(name)}\b.*?\.(?=\s*$)", text, flags=re.DOTALL | re.MULTILINE
    )
    if found is None:
        raise InvalidArgument("name", name, f"a theorem or definition of {file}.v")
    return found[0]


@cache
def _text(file: str) -> str:
    return _COMMENT.sub("", (ROCQ / f"{file}.v").read_text(encoding="utf-8"))


STATEMENTS: tuple[KernelStatement, ...] = ()
"""The listed theorems, by file."""
