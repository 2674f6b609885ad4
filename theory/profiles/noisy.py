r"""A sum with noise: what data and noise hide together, under a belief and against everyone.

What is published is S + Z, with Z whole and independent of all. Noise alone holds against everyone
(no draws: D_0), the data alone under the belief, and both together under the belief, never worse
than either:

.. math:: \delta(\varepsilon) \le \mathbb{E}\, H(\kappa^{*N} * Z \text{ shifted}, \kappa^{*N} * Z)

with draws from a least law κ as in :mod:`kproof.theory.profiles.least_law`; a uniform block is one.

Beyond the values of the draws, discrete Laplace noise falls by the same factor at each step, so
that both tails are closed sums and nothing is cut off. Discrete Gaussian noise is cut where its
tail is out of sight, and what is left out counts in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from flint import arb, arb_poly

from kproof.errors import InvalidArgument
from kproof.theory.exact import Enclosure, Number, as_arb, integer, rational, use_bits
from kproof.theory.laws import Binomial, iid
from kproof.theory.laws.windows import Window, within_budget
from kproof.theory.profiles.least_law import LeastLaw
from kproof.theory.profiles.two_cells import End, ends

_BITS = 320
_TAIL = 240
"""Bits of the mass that is left out of a law; a smaller δ is bounded from above only."""
_PARTS = 256
_MOST_NOISE = 1 << 16
"""Most values of Gaussian noise on either side."""


class NoiseKind(StrEnum):
    """What the probability of noise falls with."""

    LAPLACE = "laplace"
    """Pr[z] is proportional to e^(-rate |z|)."""
    GAUSSIAN = "gaussian"
    """Pr[z] is proportional to e^(-z²/(2 variance))."""


@dataclass(frozen=True)
class AddedNoise:
    """Noise on the whole numbers."""

    kind: NoiseKind
    parameter: Fraction
    """The rate, or the variance, above 0."""

    def __str__(self) -> str:
        """Return it with its parameter."""
        name = "rate" if self.kind is NoiseKind.LAPLACE else "variance"
        return f"discrete {self.kind.value.capitalize()} noise of {name} {self.parameter}"


def noisy_delta(
    noise: AddedNoise | None, draws: LeastLaw | None, *, epsilon: Number, shift: Number = 1
) -> Enclosure:
    """Return the δ of a sum, moved by a whole number above 0, that is published with noise.

    Without noise it is the profile of the draws alone, records with a least law on whole numbers;
    without draws, what holds against everyone.

    >>> from kproof.theory.laws import FiniteLattice
    >>> laplace = AddedNoise(NoiseKind.LAPLACE, Fraction(1))
    >>> coin = FiniteLattice({0: "1/2", 1: "1/2"})
    >>> coins = LeastLaw(coin, Fraction(3, 10), 100)
    >>> print(noisy_delta(laplace, coins, epsilon="1/2"), noisy_delta(laplace, None, epsilon="1/2"))
    0.01156154 0.2876491
    """
    exponent = rational("epsilon", epsilon, least=0)
    steps = integer("shift", shift, least=1)
    if noise is not None:
        rational("noise", noise.parameter, above=0)
    if draws is not None and (draws.law.step.denominator, draws.law.origin.denominator) != (1, 1):
        raise InvalidArgument("law", draws.law, "whole values, to which whole noise is added")
    with use_bits(_BITS):
        ratio = as_arb(exponent).exp()
        lower, upper = arb(0), arb(0)
        for number, until, since in _numbers(draws):
            value = _profile(noise, _sum(draws, number), steps, ratio)
            lower += until * value.lower()
            upper += since * value.upper()
        # The numbers of draws that were left out: at them δ is at most 1.
        upper += arb(2) ** -_TAIL
        return Enclosure.from_arb(lower.union(upper), low=0, high=1)


def _numbers(draws: LeastLaw | None) -> list[End]:
    """Return numbers of draws, with the weights of the sums below and above the mean."""
    if draws is None or not draws.share or not draws.records:
        return [End(0, arb(1), arb(1))]
    if draws.share == 1:
        return [End(draws.records, arb(1), arb(1))]
    window = Binomial(draws.records, draws.share).window(arb(2) ** -_TAIL)
    return list(ends(window.start, window.masses, _PARTS))


def _sum(draws: LeastLaw | None, number: int) -> Window:
    """Return the law of so many draws on whole numbers, from its least value on."""
    if draws is None or not number:
        return Window(0, [arb(1)], arb(0))
    law = iid(draws.law, number)
    window = law.window(arb(2) ** -_TAIL)
    step = int(law.step)
    masses = [arb(0)] * within_budget(step * (len(window.masses) - 1) + 1, law)
    masses[::step] = window.masses
    return Window(0, masses, window.dropped)


def _profile(noise: AddedNoise | None, sums: Window, shift: int, ratio: arb) -> arb:
    """Return the larger of both directions."""
    fall, masses, dropped = arb(0), sums.masses, sums.dropped
    if noise is not None and noise.kind is NoiseKind.LAPLACE:
        fall = (-as_arb(noise.parameter)).exp()
        masses = _with_laplace(masses, fall)
    elif noise is not None:
        listed, beyond = _gaussian(noise.parameter)
        masses = (arb_poly(masses) * arb_poly(listed)).coeffs()
        dropped += beyond
    # Mirrored, a move down is a move up: the tails fall alike on both sides.
    value = _one_way(masses, fall, shift, ratio).max(_one_way(masses[::-1], fall, shift, ratio))
    # What is left out may be missing in the second law, where it counts e^ε times, or in the first.
    return (value - ratio * dropped).union(value + dropped)


def _with_laplace(masses: Sequence[arb], fall: arb) -> list[arb]:
    """Return the law of the sum at the points of ``masses``; on both sides it falls by ``fall``."""
    # A mass at the point itself is in `rising`; `falling` has what lies strictly above, or the
    # point would count twice.
    rising, falling, run = [], [], arb(0)
    for mass in masses:
        run = run * fall + mass
        rising.append(run)
    run = arb(0)
    for mass in reversed(masses):
        falling.append(run)
        run = (run + mass) * fall
    peak = (1 - fall) / (1 + fall)
    return [peak * (up + down) for up, down in zip(rising, reversed(falling), strict=True)]


def _one_way(masses: Sequence[arb], fall: arb, shift: int, ratio: arb) -> arb:
    """Return what the law moved up by ``shift`` has beyond ``ratio`` times the law."""
    last, steps = len(masses) - 1, fall**shift

    def at(place: int) -> arb:
        if 0 <= place <= last:
            return masses[place]
        beyond = -place if place < 0 else place - last
        return masses[0 if place < 0 else last] * fall**beyond

    # Below all listed points the law is the larger one; above, both fall alike.
    total = sum(((at(y - shift) - ratio * at(y)).max(arb(0)) for y in range(last + shift)), arb(0))
    above = masses[last] / (1 - fall)
    return total + above * (1 - ratio * steps).max(arb(0))


def _gaussian(variance: Fraction) -> tuple[list[arb], arb]:
    """Return the masses of discrete Gaussian noise, and a bound on those left out."""
    halved, spare = 1 / (2 * as_arb(variance)), arb(2) ** -_TAIL
    weights = [arb(1)]
    while True:
        place = within_budget(len(weights), f"variance {variance}", budget=_MOST_NOISE)
        weight = (-halved * place * place).exp()
        # From here on each weight is at most this factor times the one before.
        beyond = weight / (1 - (-halved * (2 * place + 1)).exp())
        if beyond < spare:
            break
        weights.append(weight)
    listed = [*weights[:0:-1], *weights]
    total = sum(listed, arb(0))
    # Weights over all of them: those left out may be anything up to the bound.
    total = total.union(total + 2 * beyond)
    return [weight / total for weight in listed], (2 * beyond / total).upper()
