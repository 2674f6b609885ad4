r"""Counts with two-sided geometric noise each: what all of them tell of somebody together.

One person moves up to *m* counts by one. Noise *z* has a probability in proportion to
:math:`e^{-r|z|}`, so that a count tells *r* for or against, and nothing between: it is a coin of
chance :math:`1/(1+e^{-r})`, and all of them are *m* such coins,

.. math:: \delta(\varepsilon) = \sum_{(2j-m)r > \varepsilon} \binom{m}{j}
          \bigl(p^j (1-p)^{m-j} - e^\varepsilon p^{m-j} (1-p)^j\bigr), \quad p = 1/(1+e^{-r}).

It is 0 from :math:`\varepsilon = mr` on. Counts are fixed without the data, and all are published,
also those of nobody.

Source: Ghosh, Roughgarden, Sundararajan, "Universally utility-maximizing privacy mechanisms", STOC
2009, for the noise; the sum is that of Kairouz, Oh, Viswanath, "The composition theorem for
differential privacy", ICML 2015, Section 3, with δ = 0.
"""

from __future__ import annotations

from flint import arb

from kproof.theory.exact import Enclosure, Number, as_arb, integer, rational, use_bits

MOST_COUNTS = 10_000
"""Most counts that one person moves."""
_BITS = 512


def noisy_counts_delta(*, rate: Number, counts: Number, epsilon: Number) -> Enclosure:
    """Return the δ of counts with noise, against everyone; the supremum, which is attained.

    Args:
        rate: r > 0.
        counts: How many counts one person moves by one at most, up to 10,000.
        epsilon: At least 0.

    >>> print(noisy_counts_delta(rate="1/20", counts=20, epsilon="1/2"))
    0.0009477987
    >>> print(noisy_counts_delta(rate="1/20", counts=20, epsilon=1))
    0
    """
    fall = rational("rate", rate, above=0)
    moved = integer("counts", counts, least=1, most=MOST_COUNTS)
    exponent = rational("epsilon", epsilon, least=0)
    with use_bits(_BITS):
        likely = 1 / (1 + (-as_arb(fall)).exp())
        unlikely, factor = 1 - likely, as_arb(exponent).exp()
        total, ways = arb(0), 1
        # From all coins alike downwards; ways are the binomial coefficients.
        for against in range(moved + 1):
            agree = moved - against
            # In rationals: where both are equal the term is 0, and no ball would ever say so.
            if (agree - against) * fall <= exponent:
                break
            total += ways * (
                likely**agree * unlikely**against - factor * likely**against * unlikely**agree
            )
            ways = ways * agree // (against + 1)
        return Enclosure.from_arb(total, low=0, high=1)
