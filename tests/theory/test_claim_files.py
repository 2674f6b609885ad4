"""Claim files: what they name is there, and what means nothing is refused."""

from cases import cases, error_line

from kproof.errors import InvalidArgument
from kproof.report.ledgers import documents
from kproof.theory.claim_files import find_missing, read
from kproof.theory.ledger import Claim, Evidence, Ledger, Ruling
from kproof.theory.quoting import each, parse, quote
from kproof.theory.theorems.theta import theta, variance

USES = "use kproof.theory.theorems.theta: theta variance\n"
CALLS = "\n    >>> theta(4, '0.6') -> Fraction(3, 4)\n    >>> variance([1, 1]), 2 -> (1, 2)"


def test_every_function_that_evidence_names_is_there():
    assert [lost for document in documents() for lost in find_missing(document.ledger)] == []


def test_a_claim_is_what_it_says():
    text = f"{USES}X1 [(1), (2)] typo (2, 4): a: b > c\n    -- d, or\n    e.{CALLS}"
    shown = (
        Evidence(quote(theta)(4, "0.6"), "Fraction(3, 4)"),
        Evidence(each(quote(variance)([1, 1]), parse("2", {})), "(1, 2)"),
    )
    (claim,) = read(text).claims
    expected = Claim("X1", "(1), (2)", "a: b > c", Ruling.TYPO, shown, "d, or e.", (2, 4))
    assert claim.to_dict() == expected.to_dict()
    assert [one.example for one in claim.evidence] == [one.example for one in shown]


def test_a_name_that_no_module_has_is_missed():
    text = "use math: gcd lost\nX1 [1] proved: a -- b >>> gcd(lost(1), 2) -> 1"
    assert find_missing(read(text)) == ["math.lost"]


def test_rows_stand_for_themselves():
    row = "X1 [1] proved: a -- b"
    assert read(f"{row}\n{row.replace('X1', 'X2')}")["X2"].corrected == "b"
    assert "ids that occur once" in error_line(InvalidArgument, read, f"{row}\n{row}")


@cases(
    ("X1 [1] proved: a", "line 2: claim = "),
    ("X1 proved: a -- b", "line 2: claim = "),
    ("X1 [1] right: a -- b", "line 2: ruling = right"),
    ("X1 [1] proved (6): a -- b", "line 2: claim = "),
    ("X1 [1] proved: a -- b >>> theta(2, 1)", "line 2: claim = "),
    ("X1 [1] proved: a -- b >>> 2 -> 2", "line 2: call = 2"),
    ("X1 [1] proved: a -- b >>> lost(2) -> 2", "line 2: call = lost"),
    ("X1 [1] proved: a -- b >>> theta( -> 2", "line 2: call = theta("),
    ("X1 [1] proved: a -- b >>> theta(2,1) -> 2", "need theta(2, 1)"),
    ("X1 [1] proved: a -- b >>> [x for x in theta] -> 2", "line 2: call = "),
    ("X1 [1] proved: a -- b >>> theta(2, 1) -> 2", "claims: use = variance"),
)
def test_what_means_nothing_is_refused(text, complaint):
    assert complaint in error_line(InvalidArgument, read, USES + text)


def test_an_empty_text_claims_nothing():
    assert read("# Nothing yet.") == Ledger(())
