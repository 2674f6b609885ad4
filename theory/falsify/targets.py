"""Defects of the printed theorems one at a time, each as a claim that can be searched alone.

A printed theorem has several defects, and its smallest witness shows only one of them. A target
isolates one defect: by a family in which the others do no harm, or by a bound in which all others
are mended. The functions below are the mended bounds; they return None where even the mended proof
claims nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb, exp
from types import MappingProxyType

from kproof.errors import InvalidArgument, one_of
from kproof.theory.falsify import joints
from kproof.theory.falsify.api import falsify
from kproof.theory.falsify.blocks import Lambda1
from kproof.theory.falsify.families import (
    COINS,
    WIDE,
    Counts,
    DependentRecords,
    Family,
    IndependentRecords,
)
from kproof.theory.falsify.gap import UserBound
from kproof.theory.falsify.joints import JointRecords, of_blocks
from kproof.theory.falsify.order import Atoms
from kproof.theory.falsify.search import Search
from kproof.theory.reading import Reading
from kproof.theory.theorems.approximation import fast_corrected_delta

_ONE = (Fraction(1),)
_SOME_EPSILON = 10**6
"""Larger than any epsilon that the truth can be in the boxes below, unless it is infinite."""


@dataclass(frozen=True)
class Defect:
    """One defect and where to look for it."""

    bound: int | UserBound
    """Number of a theorem, searched as printed, or a mended bound that keeps the one defect."""
    family: Family
    claims: str = "delta"
    under: str = "printed"
    events: str | None = None

    def search(self) -> Search:
        """Search for a witness from scratch."""
        return falsify(
            self.bound,
            reading="printed" if isinstance(self.bound, int) else None,
            family=self.family,
            claims=self.claims,
            under=self.under,
            events=self.events,
        )


def without_boundary_atom(n: int, p: Fraction, k: int, epsilon: Fraction) -> float | None:
    """Theorem 1.2 with sound tails, normalised; the atom at k is forgotten (Z6)."""
    lower, upper, released = _tails(n, p, k, epsilon)
    return max(lower, upper) / released


def without_normalising(n: int, p: Fraction, k: int, delta: Fraction) -> int | None:
    """Theorem 1.1's precondition with the right atoms, not divided by Pr[M >= k] (Z5)."""
    threshold = max(comb(n, k) * p**k * (1 - p) ** (n - k), p**n)
    return _SOME_EPSILON if delta >= threshold else None


def without_the_mean(n: int, p: Fraction, k: int, epsilon: Fraction) -> float | None:
    """Theorem 1.2 mended, but for the -np that the print leaves out of the last exponent (Z7)."""
    lower, _, released = _tails(n, p, k, epsilon)
    place = _ends(n, p, epsilon)[1]
    return max(lower / released, exp(-2 * place**2 / n) / released, *_atoms(n, p, k))


def at_any_epsilon(n: int, p: Fraction, k: int, epsilon: Fraction) -> float:
    """Theorem 1.2 mended, but for the smallest epsilon its proof needs (Z8)."""
    low, high = _ends(n, p, epsilon)
    released = _release_chance(n, p, k)
    tails = (exp(-2 * (n * p - place) ** 2 / n) / released for place in (low, high))
    return max(*tails, *_atoms(n, p, k))


def finite_from_printed_delta(n: int, p: Fraction, k: int, delta: Fraction) -> int | None:
    """Theorem 1.1's precondition alone: from this delta on, some finite epsilon exists (Z9)."""
    threshold = comb(n, k) * p**k * (1 - p) ** (n - k) + (1 - p) ** n
    return _SOME_EPSILON if delta >= threshold else None


def intervals_for_all(
    variance: Fraction, absolute_third: Fraction, s: Fraction, epsilon: Fraction
) -> float:
    """C3 with its doubled constant, which is for intervals, concluded for every event (Z25)."""
    delta = fast_corrected_delta(2, kappa=2)
    return delta(float(epsilon), float(s), float(variance), float(absolute_third))


def as_if_nothing_known(
    blocks: int, size: int, singles: int, known: int, record: Atoms, s: Fraction, epsilon: Fraction
) -> float | None:
    """C4 with moments that are not conditional on what is known of the other records (Z31).

    It claims something where the unknown records are independent of one another: one for each
    block of two, and singles.
    """
    if size != 2 or known != blocks:
        return None
    mean = sum(value * mass for value, mass in record)
    second, third, fourth = (
        float(sum(abs(value - mean) ** order * mass for value, mass in record))
        for order in (2, 3, 4)
    )
    n = blocks + singles
    delta = fast_corrected_delta(3, kappa=2)
    return delta(float(epsilon), float(s), n * second, n * third, n * fourth, 1)


def _ends(n: int, p: Fraction, epsilon: Fraction) -> tuple[float, float]:
    """Return the counts between which neighbouring masses have a ratio below e^epsilon."""
    e, yes, no = exp(epsilon), float(p), float(1 - p)
    return yes * (n + 1) / (e * no + yes), (e * n * yes - no) / (e * yes + no)


def _tails(n: int, p: Fraction, k: int, epsilon: Fraction) -> tuple[float, float, float]:
    """Return Hoeffding's bounds of both tails, 1 on the wrong side of the mean, and of Z below."""
    low, high = _ends(n, p, epsilon)
    below, above = (exp(-2 * max(0.0, gap) ** 2 / n) for gap in (n * p - low, high - n * p))
    return below, above, _release_chance(n, p, k)


def _release_chance(n: int, p: Fraction, k: int) -> float:
    # In fractions and rounded once: what rounding is left is within the slack of `gap.SLACK`.
    return float(sum(comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1)))


def _atoms(n: int, p: Fraction, k: int) -> tuple[float, float]:
    """Return the masses of the least and of the greatest count."""
    released = _release_chance(n, p, k)
    return float(comb(n, k) * p**k * (1 - p) ** (n - k)) / released, float(p**n) / released


def _translates(chance: Fraction, distances: tuple[Fraction, ...]) -> tuple[Atoms, ...]:
    """Return a coin moved down by each distance: raw moments change, privacy does not."""
    return tuple(((-distance, 1 - chance), (1 - distance, chance)) for distance in distances)


_DISTANCES = tuple(Fraction(i, 1000) for i in range(1, 201))

TARGETS: Mapping[str, Defect] = MappingProxyType(
    {
        "Z5": Defect(without_normalising, Counts(), claims="epsilon"),
        "Z6": Defect(without_boundary_atom, Counts()),
        "Z7": Defect(
            without_the_mean,
            Counts(
                sizes=(1, 2, 4, 8, 16, 32, 64, 128),
                chances=(Fraction(3, 4), Fraction(9, 10)),
                least=(1,),
                epsilons=(Fraction(1), Fraction(3, 2), Fraction(2)),
            ),
        ),
        "Z8": Defect(at_any_epsilon, Counts()),
        "Z9": Defect(finite_from_printed_delta, Counts(), claims="epsilon"),
        "Z22": Defect(
            2, IndependentRecords(records=(COINS[1], COINS[3]), shifts=_ONE), under="all"
        ),
        "Z25": Defect(intervals_for_all, IndependentRecords(records=(COINS[0], WIDE[0]))),
        "Z26": Defect(
            3,
            DependentRecords(
                blocks=(100, 400),
                sizes=(1,),
                singles=(0,),
                records=_translates(Fraction(1, 1000), _DISTANCES),
                alike=_ONE,
                lambda1=(Lambda1.NEIGHBOURHOOD,),
                shifts=(Fraction(1, 20),),
            ),
            under="all",
            events="intervals",
        ),
        "Z27": Defect(
            3,
            DependentRecords(
                blocks=(1,),
                sizes=(10, 30, 100, 300),
                singles=(1, 2, 5),
                records=COINS[:1],
                alike=_ONE,
                lambda1=(Lambda1.FRACTION,),
                shifts=_ONE,
            ),
        ),
        "Z31": Defect(
            as_if_nothing_known,
            DependentRecords(
                blocks=(1, 1_000, 4_000),
                sizes=(2,),
                singles=(0,),
                records=COINS[:1],
                alike=_ONE,
                lambda1=(Lambda1.NEIGHBOURHOOD,),
                shifts=_ONE,
                known=(1, 1_000, 4_000),
                epsilons=(Fraction(1, 10),),
            ),
            events="intervals",
        ),
        "B1-mean": Defect(joints.of_same_mean, JointRecords()),
        "B5b-pairs": Defect(joints.of_dependency_graph, JointRecords()),
    }
)
"""Defects that a number can refute, by the ids of the ledger; Z8 turns out to do no harm."""

STATEMENTS_ON_BLOCKS: Mapping[str, Defect] = MappingProxyType(
    {
        "B1": Defect(joints.of_independent, of_blocks(Reading.CORRECTED)),
        "B2": Defect(joints.of_least_mass, JointRecords()),
        "B5a": Defect(joints.of_group, JointRecords(sizes=(1, 2), values=(2, 3))),
        "B5b": Defect(
            joints.of_field, JointRecords(sizes=(2, 3), parts=(9,), epsilons=(Fraction(0),))
        ),
        "B6": Defect(joints.of_group, JointRecords(sizes=(2, 3), known=(True,))),
    }
)
"""The statements on blocks, each in a box of joint laws; B4 is B1 of fewer records."""


def search_target(name: str) -> Search:
    """Search for a witness of one defect.

    >>> print(search_target("Z9").witness)
    epsilon claimed 1000000 < exact Infinity at delta = 0.5
    >>> search_target("Z3")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: target = Z3: need one of Z5, Z6, Z7, Z8, Z9, Z22, Z25, Z26, \
Z27, Z31, B1-mean, B5b-pairs; did you mean Z31?
    """
    if name not in TARGETS:
        raise InvalidArgument("target", name, one_of(name, TARGETS))
    return TARGETS[name].search()
