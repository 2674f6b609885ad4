"""The privacy profile of the normal law, in closed form.

For F ~ N(μ, σ²) and a shift s the worst events are half-lines and both directions agree
(Balle and Wang, "Improving the Gaussian mechanism for differential privacy", ICML 2018, Theorem 8):
delta(ε) = Φ(m/2 - ε/m) - e^ε Φ(-m/2 - ε/m) with m = s/σ. The two terms agree to about
2 log2(ε/m) bits, which rising precision buys back; Arb's erfc keeps relative accuracy however far
out the tail is.
"""

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from kproof.theory.exact.typed import as_arb
from kproof.theory.profiles.side import ProfilePoint, Side


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


@dataclass(frozen=True, slots=True)
class GaussianSide(Side):
    """Either direction of the profile of a normal law, whose densities reach everywhere."""

    squared: Fraction
    """m² = s²/σ², which is rational when m need not be."""

    def _point(self, epsilon: arb) -> ProfilePoint:
        m = as_arb(self.squared).sqrt()
        shifted = normal_cdf(-m / 2 - epsilon / m)
        # The two terms cancel: rising precision makes up for it.
        return ProfilePoint(normal_cdf(m / 2 - epsilon / m) - epsilon.exp() * shifted, shifted)
