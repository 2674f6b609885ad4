"""Under which conditions Theorems 2 to 5 may be used, and what is known of each.

A law of the records decides what they depend on; sums of moments decide what they contradict; the
rest is the caller's to answer for. A hypothesis that the input contradicts fails, whatever the
caller says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt

from flint import arb

from kproof.errors import InvalidArgument
from kproof.theory.exact.precision import use_bits
from kproof.theory.laws.base import LatticeLaw, Law, RecordsLaw
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.assumptions import Assumption
from kproof.theory.theorems.bounds import ALL, Events, Hypothesis, Status
from kproof.theory.theorems.dependency import graph_of_unknown
from kproof.theory.theorems.moments import SUM_BITS, Moments
from kproof.theory.theorems.record_moments import RecordMoments, Value
from kproof.theory.theorems.registry import RegisteredTheorem
from kproof.theory.theorems.symbolic import ball_of

_NAMES = {
    Assumption.INDEPENDENCE: "independent records",
    Assumption.DEPENDENCY_GRAPH: "dependency graph",
    Assumption.UNCORRELATED: "uncorrelated records",
    Assumption.CONDITIONAL_MOMENTS: "conditional moments",
    Assumption.LOG_CONCAVITY: "log-concave records",
}

_NOT_ADDED = "the variance of the sum is not the sum of the variances"


def _holds(assumption: Assumption, why: str) -> Hypothesis:
    return Hypothesis(_NAMES[assumption], Status.HOLDS, why)


def _fails(assumption: Assumption, why: str) -> Hypothesis:
    return Hypothesis(_NAMES[assumption], Status.FAILS, why)


def with_law_variance(moments: Moments, law: Law | None) -> Moments:
    """Return sums over the unknown records with what the law of their sum adds.

    A law with another variance than the moments say, or of other records, is refused.
    """
    if law is None:
        return moments
    with use_bits(SUM_BITS):
        spread = law.variance()
    if certainly_differ(moments.variance_of_sum, spread):
        raise InvalidArgument("law", law, "a law of the sum with the variance of the moments")
    joint = moments.joint
    if joint is None and isinstance(law, RecordsLaw):
        _require_same_records(law, moments)
        joint = law
    variance = moments.variance_of_sum
    return replace(moments, joint=joint, variance_of_sum=spread if variance is None else variance)


def _require_same_records(law: RecordsLaw, moments: Moments) -> None:
    """Refuse a law whose records cannot be those of the moments: it would vouch for others."""
    count = len(law.records)
    if count != moments.n:
        admissible = f"a law of {moments.n} records, as the moments are, not of {count}"
        raise InvalidArgument("law", law, admissible)
    true = Moments.from_law(law)
    for name in ("variance", "third", "fourth"):
        if certainly_differ(getattr(moments, name), getattr(true, name)):
            admissible = f"a law of records whose sum of {name} is that of the moments"
            raise InvalidArgument("law", law, admissible)


@dataclass(frozen=True)
class Situation:
    """What the hypotheses of a theorem are judged by."""

    theorem: RegisteredTheorem
    moments: Moments
    """Over the records that are random to the adversary."""
    adversary: Adversary
    largest: int
    """D, the largest neighbourhood; 1 if records are independent."""
    others_only: bool
    """The victim's record is fixed."""
    assumed: Collection[Assumption]

    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """Return what the theorem needs of the records, each with its status."""
        if not self.theorem.dependent:
            return (self._independence(),)
        possible = (self._graph(), self._no_correlation(), self._conditional())
        return tuple(hypothesis for hypothesis in possible if hypothesis)

    def _open_hypothesis(self, assumption: Assumption, detail: str) -> Hypothesis:
        """Return a hypothesis that the input leaves open."""
        status = Status.ASSUMED if assumption in self.assumed else Status.OWED
        return Hypothesis(_NAMES[assumption], status, detail, assumption=assumption)

    def _independence(self) -> Hypothesis:
        moments, law, independence = self.moments, self.moments.joint, Assumption.INDEPENDENCE
        if certainly_differ(moments.variance_of_sum, moments.variance):
            return _fails(independence, _NOT_ADDED)
        if law is not None and law.independent:
            return _holds(independence, f"so says {law.name}")
        if law is not None:
            return _fails(independence, f"the records of {law.name} are not")
        if moments.law is not None:
            detail = "they are independent draws from the column"
        else:
            detail = "they are independent of one another"
        if self.theorem.unknown_only:
            detail += ", the known ones included"
        return self._open_hypothesis(independence, detail)

    def _graph(self) -> Hypothesis:
        moments, law, graph = self.moments, self.moments.joint, Assumption.DEPENDENCY_GRAPH
        # A covariance is at most the mean of two variances, and a record has at most D neighbours,
        # itself included: the variance of the sum is at most D times the sum of the variances.
        if _exceeds(moments.variance_of_sum, moments.variance, self.largest):
            detail = f"Var of the sum > D * sum of Var with D = {self.largest}: no dependency graph"
            return _fails(graph, f"{detail} has so small a neighbourhood")
        if self.largest == 1 and certainly_differ(moments.variance_of_sum, moments.variance):
            return _fails(graph, f"D = 1 makes the records independent, and {_NOT_ADDED}")
        if law is not None:
            return self._graph_of(law)
        if self.largest >= moments.n:
            return _holds(graph, "every record may depend on every other")
        detail = "records without an edge between them are jointly independent"
        if self.adversary.lambda1 is not None:
            detail = "the records outside the dependent fraction lambda1 are independent"
        return self._open_hypothesis(graph, detail)

    def _graph_of(self, law: RecordsLaw) -> Hypothesis:
        """Decide a graph, or a size of neighbourhoods, by the law of the records."""
        name, graph = Assumption.DEPENDENCY_GRAPH, self.adversary.dependency
        if graph is None:
            smallest = law.neighbourhood
            if smallest <= self.largest:
                return _holds(name, f"{law.name} has one with D = {smallest}")
            detail = f"{law.name} shows none with D = {self.largest} but one with D = {smallest}"
            return _fails(name, detail)
        indexes = law.known | (self.adversary.known or frozenset())
        if law.admits(graph_of_unknown(graph, indexes)):
            return _holds(name, f"so says {law.name}")
        detail = f"{law.name} does not show that records without an edge are independent"
        return _fails(name, detail)

    def _no_correlation(self) -> Hypothesis | None:
        """Return the hypothesis by which a variance that is not given was put in, if it was."""
        moments = self.moments
        assumed = Assumption.UNCORRELATED in self.assumed
        if assumed and certainly_differ(moments.variance_of_sum, moments.variance):
            return _fails(Assumption.UNCORRELATED, _NOT_ADDED)
        if moments.variance_of_sum is not None or self.largest == 1:
            return None
        detail = "the variance of the sum is not given: it is taken as the sum of the variances"
        return self._open_hypothesis(Assumption.UNCORRELATED, detail)

    def _conditional(self) -> Hypothesis | None:
        conditional = Assumption.CONDITIONAL_MOMENTS
        # An empty set of records and a share of 0 are no knowledge.
        knowledge = self.adversary.known or self.adversary.lambda2
        if not (knowledge or self.others_only):
            return None
        if self.moments.joint is not None:
            return _holds(conditional, "those of the law given the values that it has")
        detail = "the moments are those given everything the adversary knows"
        return self._open_hypothesis(conditional, detail)

    def coverage(
        self, events: Events, judged: Collection[Hypothesis]
    ) -> tuple[Events, tuple[Hypothesis, ...]]:
        """Decide which events the corrected statement covers.

        Sums of independent log-concave records have half-lines as their worst events. Without
        independence nothing of the kind follows from what single records are like.
        """
        if self.theorem.dependent:
            if events.kappa is None:
                detail = "Stein's bound covers unions of intervals"
                return events, (Hypothesis("events", Status.FAILS, detail),)
            return events, ()
        if any(hypothesis.status is Status.FAILS for hypothesis in judged):
            return events, ()
        log_concavity = self._log_concavity()
        if log_concavity is not None:
            return (ALL if log_concavity.status is not Status.FAILS else events), (log_concavity,)
        if events.kappa is None:
            detail = "a Kolmogorov distance controls no event beyond unions of intervals"
            return events, (_fails(Assumption.LOG_CONCAVITY, detail),)
        return events, ()

    def _log_concavity(self) -> Hypothesis | None:
        """Say whether the records are log-concave, or None if nothing is known or asked."""
        log_concavity = Assumption.LOG_CONCAVITY
        reason = _log_concave_because(self.moments, self.adversary.s)
        if reason is not None:
            return _holds(log_concavity, reason)
        if log_concavity not in self.assumed:
            return None
        against = _not_log_concave_because(self.moments, self.adversary.s)
        if against is not None:
            return _fails(log_concavity, against)
        detail = "every record has a log-concave density, or log-concave masses on one lattice of"
        return self._open_hypothesis(log_concavity, f"{detail} which the shift is a multiple")


def _log_concave_because(moments: Moments, s: Fraction) -> str | None:
    """Return why the sum of the records is log-concave if they are independent."""
    if moments.bernoulli and s.denominator == 1:
        return "0/1 records, whole shift"
    for law, reason in (
        (moments.joint, "the masses of the records, exactly"),
        (moments.law, "the masses of one record, exactly"),
    ):
        if law is not None and law.log_concave and _is_aligned(law, s):
            return reason
    return None


def _not_log_concave_because(moments: Moments, s: Fraction) -> str | None:
    """Return how the input contradicts log-concave records, None if it does not."""
    # With whole shifts 0/1 records are log-concave: who asks this knows that they are not.
    if moments.bernoulli:
        return "0/1 records: a shift that is not whole leaves their lattice"
    for law, owner in ((moments.joint, "the law's"), (moments.law, "the column's")):
        if law is not None:
            aligned = _is_aligned(law, s)
            return f"{owner} is not" if aligned else "the shift is no multiple of the lattice step"
    listed = moments.records
    laws = [listed] if isinstance(listed, RecordMoments) else set((listed or {}).values())
    for record in laws:
        gap = record.squared_gap
        steps = s**2 / (gap or 1)
        # The gap is known by its square alone: s is a multiple of it if the ratio of both squares
        # is the square of a whole number.
        if gap and (steps.denominator != 1 or isqrt(steps.numerator) ** 2 != steps.numerator):
            return "records of two values: the shift is no multiple of the gap between them"
    return None


def _is_aligned(law: LatticeLaw, s: Fraction) -> bool:
    return (s / law.step).denominator == 1


def certainly_differ(x: Value | None, y: Value | None) -> bool:
    """Say whether two values are known and certainly not equal."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x != y
    return _compare_balls(x, y, lambda a, b: not a.overlaps(b))


def _exceeds(x: Value | None, y: Value | None, times: int) -> bool:
    """Say whether x is certainly more than so many times y."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x > times * y
    return _compare_balls(x, y, lambda a, b: bool(a > times * b))


def _compare_balls(x: Value | None, y: Value | None, test: Callable[[arb, arb], bool]) -> bool:
    # Balls that overlap may be of one number: rounding alone must never make a hypothesis fail.
    if x is None or y is None:
        return False
    with use_bits(SUM_BITS):
        return test(ball_of(x), ball_of(y))
