"""Whether data can have the moments that the captions of Figures 2 to 5 give.

Each objection is an inequality that sums over n records obey, decided exactly. An objection means
that no such data exist; no objection does not yet mean that they do.

In every function ``name`` is the name of a panel, ``"2a"`` to ``"5c"``, ``n`` the number of
records, and ``x`` a point of the panel's axis. Another name or point raises
:class:`~kproof.errors.InvalidArgument`.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from math import ceil, isqrt

import sympy as sp

from kproof.errors import Infeasible, InvalidArgument
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.papers.figures import KNOWN_IN_5B, Abscissa, X, panel_setting
from kproof.theory.theorems.record_moments import require_feasible_sums
from kproof.theory.theorems.theorem3 import LAMBDA1

MOST_RECORDS = 10**15
"""Beyond this many records no least number is looked for."""


def objection(name: str, n: int, x: Number) -> str:
    """Return why no n records can have a caption's settings at a point, or an empty text.

    Besides the moments, ``lambda1 = max |N_i|`` must be large enough for the variance.

    >>> objection("3b", 20_000, "0.1")
    'lambda1 = 1/5: need max |N_i| >= 18'
    >>> objection("2a", 100, 1)
    ''
    """
    broken = moment_objection(name, n, x)
    lambda1 = panel_setting(name).fixed.get(LAMBDA1)
    if broken or lambda1 is None:
        return broken
    share = rational("x", x) if lambda1 == X else _fraction(lambda1)
    least_share = max(1, least_neighbourhood(name, n, x))
    return f"lambda1 = {share}: need max |N_i| >= {least_share}" if share < least_share else ""


def moment_objection(name: str, n: int, x: Number) -> str:
    """Return the inequality that a caption's sums break for n records, or an empty text.

    >>> moment_objection("4a", 10**6, "1/2").partition(": ")[2]
    'need sum sigma_i^3 <= (sum sigma_i^2)^(3/2)'
    """
    try:
        require_feasible_sums(ceil(_unknown(name, n, x)), sums_at(name, x))
    except Infeasible as failure:
        return str(failure)
    return ""


def sums_at(name: str, x: Number) -> dict[str, Fraction]:
    """Return a caption's sums at a point of its axis.

    >>> sums_at("4b", "1/2")
    {'variance': Fraction(5, 1)}
    """
    point = rational("x", x, above=0, most=panel_setting(name).upper)
    value = sp.Rational(point.numerator, point.denominator)
    totals = panel_setting(name).sums.items()
    return {part: _fraction(total.xreplace({X: value})) for part, total in totals}


def least_n(name: str, x: Number) -> int | None:
    """Return the least number of records without a moment objection, or None up to 10^15.

    More records never hurt: every inequality checked has n on its generous side only.

    >>> least_n("2b", 1), least_n("3a", 1), least_n("4a", "1/2")
    (1562500, 625, None)
    """
    if moment_objection(name, MOST_RECORDS, x):
        return None
    return bisect_left(
        range(MOST_RECORDS), True, lo=1, key=lambda n: not moment_objection(name, n, x)
    )


def least_neighbourhood(name: str, n: int, x: Number) -> int:
    """Return the least max ``|N_i|`` with which n records can have a caption's variance.

    The variance of a sum is at most ``max |N_i|`` times the sum of the variances, which is at most
    ``sqrt(n sum E D_i^4)``. Only the panels of Figs. 3 and 5 that show delta give the fourth
    moments.

    >>> least_neighbourhood("3a", 10_000, 1), least_neighbourhood("5a", 10_000, "0.2")
    (25, 3)
    >>> least_neighbourhood("2a", 10_000, 1)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: panel = 2a: need one of 3a, 3b, 5a, 5b
    """
    totals = sums_at(name, x)
    if "raw_fourth" not in totals:
        raise InvalidArgument("panel", name, "one of 3a, 3b, 5a, 5b")
    squared = totals["variance_of_sum"] ** 2 / (_unknown(name, n, x) * totals["raw_fourth"])
    root = isqrt(squared.numerator // squared.denominator)
    # Up: `isqrt` cuts off, and the size below the root would not do.
    return root if root**2 >= squared else root + 1


def excess(name: str) -> sp.Expr:
    """Return (sum sigma_i^3)^2 over (sum sigma_i^2)^3 in the panel's variable; at most 1 for data.

    >>> excess("4a")
    10/x
    """
    totals = panel_setting(name).sums
    return sp.cancel(totals["sigma_cubed"] ** 2 / totals["variance"] ** 3)


def _unknown(name: str, n: int, x: Number) -> Fraction:
    """Return how many records the adversary does not know; not rounded, as in the formulas."""
    share = Fraction(0)
    if panel_setting(name).axis is Abscissa.KNOWN:
        share = rational("x", x)
    elif panel_setting(name).theorem == 5:
        share = _fraction(KNOWN_IN_5B)
    return integer("n", n, least=1) * (1 - share)


def _fraction(value: sp.Rational) -> Fraction:
    return Fraction(int(value.p), int(value.q))
