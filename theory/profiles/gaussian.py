"""The privacy profile of the normal law, in closed form.

For F ~ N(μ, σ²) and a shift s the worst events are half-lines and both directions agree
(Balle and Wang, "Improving the Gaussian mechanism for differential privacy", ICML 2018, Theorem 8):
delta(ε) = Φ(m/2 - ε/m) - e^ε Φ(-m/2 - ε/m) with m = s/σ. The two terms agree to about
2 log2(ε/m) bits, which rising precision buys back; Arb's erfc keeps relative accuracy however far
out the tail is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from kproof.theory.exact.typed import as_arb
from kproof.theory.profiles.side import ProfilePoint


def normal_cdf(x: arb) -> arb:
    """Return Φ(x), with relative accuracy in both tails.

    >>> print(normal_cdf(arb(-40)).str(8, radius=False))
    3.6558935e-350
    """
    z = -x / arb(2).sqrt()
    # erfc of a wide ball loses all digits far out. It is taken at the midpoint instead, with the
    # bound |d ln erfc(z)/dz| <= z + sqrt(z² + 2) <= 2|z| + sqrt(2) (DLMF 7.8.2).
    spread = (2 * z.abs_upper() + arb(2).sqrt()) * z.rad()
    return z.mid().erfc() * spread.union(-spread).exp() / 2


def _terms(epsilon: arb, m: arb) -> tuple[arb, arb]:
    """Return Φ(m/2 - ε/m) - e^ε Φ(-m/2 - ε/m), whose terms cancel, and the second Φ."""
    shifted = normal_cdf(-m / 2 - epsilon / m)
    return normal_cdf(m / 2 - epsilon / m) - epsilon.exp() * shifted, shifted


@dataclass(frozen=True, slots=True)
class GaussianSide:
    """Either direction of the profile of a normal law."""

    squared: Fraction
    """m² = s²/σ², which is rational when m need not be."""

    def at(self, epsilons: Sequence[arb]) -> list[ProfilePoint]:
        """Return the profile at each ε."""
        m = as_arb(self.squared).sqrt()
        return [ProfilePoint(*_terms(epsilon, m)) for epsilon in epsilons]

    def limit(self) -> arb:
        """Return 0: the densities reach everywhere."""
        return arb(0)

    def knee(self) -> arb:
        """Return infinity: the profile never stops falling."""
        return arb.pos_inf()

    def exact_limit(self) -> Fraction:
        """Return 0."""
        return Fraction(0)

    def exact_start(self) -> None:
        """Return None: at ε = 0 the profile is an error function."""
