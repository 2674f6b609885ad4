r"""An upper bound of δ(ε) for log-concave sums from moments of tilted records, at no cost in n.

Let S be a sum of independent log-concave records on one lattice of step h, of which the shift s is
a multiple, p its masses, λ = ε/s, and M = E exp(-λS). The tilted masses p_λ(x) = exp(-λx) p(x) / M
are those of the sum of the tilted records, and log-concave, too.

*Crossing.* p(x) >= e^ε p(x - s) if and only if p_λ(x) >= p_λ(x - s): the worst event x <= t
(log-concave sums) ends where the tilted masses begin to fall over a shift. With m the largest mode
of the tilted sum, t <= m + s - h.

*Tail.* Written with the tilted masses, whose differences up to t are not negative,

.. math:: \delta_\uparrow = M \sum_{x \le t} e^{\lambda x} (p_\lambda(x) - p_\lambda(x - s))
   \le M e^{\lambda t} \sum_{t - s < x \le t} p_\lambda(x).

The factor before the sum is Chernoff's bound of P(S <= t). The sum has s/h terms, each at most the
largest mass of p_λ.

*Largest mass.* A log-concave law on the integers with variance V has no mass above
4 / (3 + √(1 + 8V)). With the mode at 0, f its mass, a = P(X >= 0) and b = P(X <= 0), tail sums are
log-concave, so that P(X >= k) <= a (1 - f/a)^k and Σ_{x >= 0} x² p(x) <= a (a - f)(2a - f) / f²;
likewise for b. As a + b = 1 + f, V f² <= (1 - f)(2 - f). For 0/1 records it is at most
exp(-V) I_0(V): |1 - p + p exp(iθ)| <= exp(-p(1 - p)(1 - cos θ)), so that the integral of the
characteristic function's modulus over a turn is at most that of exp(-V(1 - cos θ)).

*Mode.* At most √3 standard deviations above the mean, for a unimodal density (Johnson and Rogers
1951, cited); the lattice law spread evenly over cells of width h has one, and all points of the
modal cell are modes of it. For 0/1 records at most one step above the mean (Darroch 1964, cited).

No Berry-Esseen bound is needed, and nothing is convolved.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import overload

from flint import arb

from kproof.errors import InvalidArgument
from kproof.theory.exact import Enclosure, Number, as_arb, rational
from kproof.theory.exact.precision import START_BITS, use_bits
from kproof.theory.laws import Binomial, FiniteLattice, LatticeLaw
from kproof.theory.laws.sums import SumOfTerms
from kproof.theory.profiles.input import Grid, each, is_grid

SOURCES = (
    "N. L. Johnson and C. A. Rogers, The moment problem for unimodal distributions, 1951",
    "J. N. Darroch, On the distribution of the number of successes in independent trials, 1964",
)
"""Where the bounds on the mode are from: cited, not derived here."""

_Term = tuple[FiniteLattice, int]


@overload
def exponential_delta(law: LatticeLaw, *, epsilon: Number, shift: Number = ...) -> Enclosure: ...
@overload
def exponential_delta(
    law: LatticeLaw, *, epsilon: Grid, shift: Number = ...
) -> tuple[Enclosure, ...]: ...


def exponential_delta(
    law: LatticeLaw, *, epsilon: Number | Grid, shift: Number = 1
) -> Enclosure | tuple[Enclosure, ...]:
    """Return an upper bound of δ(ε), in both directions, as an enclosure from 0.

    ``law`` is a log-concave record, or a sum of independent ones, on one lattice, ``shift`` a
    positive multiple of its step; ε is at least 0, exactly as typed, or a list, tuple or 1-D array.
    The proof stands at the head of this module; :data:`SOURCES` says what it cites.

    >>> from kproof.theory.laws import PoissonBinomial
    >>> from kproof.theory.profiles import exact
    >>> coins = PoissonBinomial(["1/2"] * 1000)
    >>> exact(coins, epsilon="0.2").upper < exponential_delta(coins, epsilon="0.2").upper < 0.001
    True
    """
    distance = rational("shift", shift, above=0)
    exponents = [rational("epsilon", value, least=0) for value in each("epsilon", epsilon)]
    terms = _terms(law)
    if not terms:
        answers = [Enclosure.exactly(1)] * len(exponents)
        return tuple(answers) if is_grid(epsilon) else answers[0]
    step = terms[0][0].step
    if (distance / step).denominator != 1:
        raise InvalidArgument("shift", distance, f"a multiple of the lattice's step {step}")
    mirrored = [
        (FiniteLattice({-value: mass for value, mass in record.atoms}), count)
        for record, count in terms
    ]
    answers = []
    with use_bits(4 * START_BITS):
        for exponent in exponents:
            ends = [_one_way(way, distance, exponent) for way in (terms, mirrored)]
            upper = Enclosure.from_arb(ends[0].max(ends[1]), low=0, high=1).upper
            answers.append(Enclosure(Decimal(0), upper))
    return tuple(answers) if is_grid(epsilon) else answers[0]


def _terms(law: LatticeLaw) -> list[_Term]:
    """Return the records that vary, each with how many have its law."""
    pairs: Sequence[tuple[LatticeLaw, int]]
    if isinstance(law, Binomial):
        pairs = ((FiniteLattice.bernoulli(law.p), law.n),)
    else:
        pairs = law.terms if isinstance(law, SumOfTerms) else ((law, 1),)
    terms = []
    for record, count in pairs:
        if not isinstance(record, FiniteLattice):
            raise InvalidArgument("law", record.name, "records with tables of probabilities")
        if not record.log_concave:
            raise InvalidArgument("law", record.name, "log-concave records")
        if record.points > 1:
            terms.append((record, count))
    if len({record.step for record, _ in terms}) > 1:
        raise InvalidArgument("law", law.name, "records on one lattice")
    return terms


def _one_way(terms: Sequence[_Term], shift: Fraction, epsilon: Fraction) -> arb:
    """Return the bound of P(S in O) - e^ε P(S + s in O) over all events."""
    step, tilt = terms[0][0].step, epsilon / shift
    log_moment = mean = variance = arb(0)
    for record, count in terms:
        weights = [
            (value, as_arb(mass) * as_arb(-tilt * value).exp()) for value, mass in record.atoms
        ]
        total = sum((weight for _, weight in weights), arb(0))
        first = sum((as_arb(value) * weight for value, weight in weights), arb(0)) / total
        second = sum((as_arb(value) ** 2 * weight for value, weight in weights), arb(0)) / total
        log_moment += count * total.log()
        mean += count * first
        variance += count * (second - first * first)
    # In steps of the lattice.
    # A difference of balls may reach below 0, where there is no root; a variance does not.
    spread = (variance / as_arb(step) ** 2).max(arb(0))
    largest = 4 / (3 + (1 + 8 * spread).sqrt())
    if all(record.points == 2 for record, _ in terms):
        above = arb(1)
        largest = largest.min((-spread).exp() * spread.bessel_i(0))
    else:
        above = (3 * (spread + arb(1) / 12)).sqrt() - arb(1) / 2
    # The mode lies on the lattice; that it may be rounded down is not used.
    end = mean + as_arb(step) * above + as_arb(shift - step)
    within = (as_arb(shift / step) * largest).min(arb(1))
    return ((log_moment + as_arb(tilt) * end).exp() * within).min(arb(1))
