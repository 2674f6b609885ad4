"""A bound of coins in one file; whoever calls :func:`register` has it in every command."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

import sympy as sp

from kproof.forms import JsonForm
from kproof.registry import Home
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.falsify.families import COINS, Family, IndependentRecords
from kproof.theory.falsify.order import Atoms
from kproof.theory.ledger import Claim, Ledger, Ruling, prints
from kproof.theory.quoting import quote
from kproof.theory.reading import Reading
from kproof.theory.theorems.assumptions import Assumption
from kproof.theory.theorems.bounds import SCHEMA, Hypothesis, ProvedBound, Status
from kproof.theory.theorems.comparison import ComparisonPoint
from kproof.theory.theorems.design import Design, DesignTarget, fewest
from kproof.theory.theorems.record_moments import RecordMoments
from kproof.theory.theorems.registry import BOUNDS, OwnBound, find_bound
from kproof.theory.theorems.unknown import records


@dataclass(frozen=True)
class ToyBound(ProvedBound):
    """What one fair coin among n coins hides."""

    theorem: ClassVar[str] = "toy"
    epsilon: Enclosure
    delta: Enclosure
    hypotheses: tuple[Hypothesis, ...]
    flags: tuple[str, ...] = ("one fair coin is counted",)
    says: str = "T: a sum of coins is at most as telling as one fair coin, if there is one."

    def along(self, epsilons: Sequence[Fraction]) -> Sequence[Enclosure]:
        """Return the same δ everywhere."""
        return [self.delta for _ in epsilons]

    to_dict = JsonForm(
        "theorem epsilon delta applies holds conditional_on=owed.name assumed=assumed.name",
        "reasons hypotheses",
        schema=SCHEMA,
    )


def toy_delta(n: int, p: Number) -> Fraction:
    """Return δ: with probability 1 - (1 - 2 min(p, 1 - p))^n a coin is fair, which hides half."""
    p = rational("p", p, above=0, below=1)
    return (1 + (1 - 2 * min(p, 1 - p)) ** n) / 2


def toy_bound(
    *,
    n: Number,
    p: Number,
    epsilon: Number | None = None,
    delta: Number | None = None,
    assume: Iterable[str | Assumption] = (),
) -> ToyBound:
    """Bound delta of a sum of coins by one fair coin.

    Args:
        n: Number of coins.
        p: Probability of a one.
        epsilon: A number, a,b,c or start:stop:count.
        delta: Bound epsilon at this delta instead.
    """
    least = toy_delta(integer("n", n, least=1), p)
    at, value = Enclosure.exactly(0), Enclosure.exactly(least)
    if epsilon is not None:
        at = Enclosure.exactly(rational("epsilon", epsilon, least=0))
    elif delta is not None and rational("delta", delta, above=0, below=1) < least:
        at = Enclosure(Decimal("Infinity"), Decimal("Infinity"))
    status = Status.ASSUMED if bool(BOUNDS["toy"].read_answers(assume)) else Status.OWED
    rests = Hypothesis("independent coins", status, "they are", assumption=Assumption.INDEPENDENCE)
    return ToyBound(at, value, (rests,))


def toy_claim(n: int, known: int, record: Atoms, s: Fraction) -> Fraction | None:
    """Return δ of coins whose shift is 1."""
    masses = dict(record)
    return toy_delta(n - known, masses[1]) if s == 1 and masses.keys() == {0, 1} else None


def too_small(n: int, known: int, record: Atoms, s: Fraction) -> Fraction | None:
    """Return half of it, which is a bound no more."""
    claimed = toy_claim(n, known, record, s)
    return claimed and claimed / 2


def toy_family(_reading: Reading) -> Family:
    """Return few coins."""
    return IndependentRecords(sizes=(1, 2, 3), records=COINS, shifts=(Fraction(1),))


def beside(question: ComparisonPoint) -> ToyBound | str:
    """Return the bound of 0/1 records."""
    record = question.sums.records
    if not (isinstance(record, RecordMoments) and record.is_bernoulli):
        return "no coins"
    count = records(question.sums, question.adversary)
    return toy_bound(n=count, p=record.mean, epsilon=question.epsilon, assume=question.assume)


def design(question: DesignTarget) -> Design:
    """Return the fewest coins."""
    p, assume = question.fixed["p"], question.fixed["assume"]
    return fewest(
        lambda m: toy_bound(n=m, p=p, epsilon=question.epsilon, assume=assume),
        question,
        1,
        "one more coin may be the fair one",
    )


def formula() -> sp.Expr:
    """Return a bound of δ for the calculator, by 1 - x <= e^-x."""
    n, p = sp.symbols("n p")
    return (1 + sp.exp(-2 * n * sp.Min(p, 1 - p))) / 2


LEDGER = Ledger(
    (
        Claim(
            "T1",
            "this test",
            "One fair coin hides half",
            Ruling.PROVED,
            (prints(quote(toy_delta)(1, "1/2"), "1/2"),),
            "It does.",
        ),
    )
)


def _here(name: str) -> Home:
    return Home(f"toy_bound:{name}")


def register() -> None:
    """Add it to the list of this process."""
    BOUNDS.register(
        OwnBound(
            name="toy",
            summary="a sum of coins, one of which may be fair",
            source="this test",
            called="toy bound",
            by="fair coins",
            assumptions=(Assumption.INDEPENDENCE,),
            bound=_here("toy_bound"),
            family=_here("toy_family"),
            claim=_here("toy_claim"),
            ledger=_here("LEDGER"),
            beside=_here("beside"),
            design=_here("design"),
            fixed=frozenset({"p"}),
            formula=_here("formula"),
        )
    )
    assert find_bound("toy").phrase == "toy"
