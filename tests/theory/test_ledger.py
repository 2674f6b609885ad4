"""The ledger as a container: rows by id, two papers in one, what readers see."""

from fractions import Fraction

import pytest

from kproof.errors import InvalidArgument
from kproof.theory.ledger import Claim, Evidence, Ledger, Ruling
from kproof.theory.quoting import evaluate, quote
from kproof.theory.theorems.theta import theta, variance

EVIDENCE = Evidence(quote(max)(quote(variance)([1, 1]), quote(theta)(2, 1)), "Fraction(1, 4)")
ROW = Claim("X1", "Section 1", "a | b", Ruling.TYPO, (EVIDENCE,), "a or b.")
OTHER = Claim("Y1", "Section 2", "c", Ruling.PROVED, (), "c.")


def test_names_that_are_built_in_are_not_imported():
    assert evaluate(EVIDENCE.quoted) == Fraction(1, 4)
    assert EVIDENCE.example.splitlines() == [
        ">>> from kproof.theory.theorems.theta import theta, variance",
        ">>> max(variance([1, 1]), theta(2, 1))",
        "Fraction(1, 4)",
    ]


def test_rows_by_id():
    both = Ledger((ROW,)) + Ledger((OTHER,))
    assert both["Y1"] is OTHER
    assert both.rulings == {Ruling.PROVED: 1, Ruling.TYPO: 1}
    with pytest.raises(InvalidArgument, match="id = Z1: need one of X1, Y1"):
        both["Z1"]
    with pytest.raises(InvalidArgument, match="claims = X1: need ids that occur once"):
        both + Ledger((ROW,))


def test_bars_do_not_break_the_table():
    last = Ledger((ROW,)).to_markdown().splitlines()[-1]
    assert last == (
        r"| X1 | Section 1 | a \| b | typo | a or b. "
        "| `max(variance([1, 1]), theta(2, 1))` → `Fraction(1, 4)` |"
    )
