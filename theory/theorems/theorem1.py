"""Theorem 1: no background information. F takes each of n tuples with probability p, at least k.

The adversary sees the count M ~ Bin(n, p) given M >= k against the same count shifted by one. The
paper bounds it by Hoeffding's inequality (it says Chernoff), with an unsound term for the
condition M >= k. The corrected statement is the exact profile, in closed form; a Hoeffding form
that is sound stands beside it.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from kproof.errors import InvalidArgument, Undecided
from kproof.theory.exact import Enclosure, Number, integer, rational
from kproof.theory.laws import TruncatedBinomial
from kproof.theory.laws.binomial import MOST_TRIALS
from kproof.theory.profiles import epsilon as exact_epsilon
from kproof.theory.profiles.binomial import others_exact
from kproof.theory.reading import Reading
from kproof.theory.theorems.bounds import ALL, Bound, Hypothesis, Status, exact_text, out_of_range
from kproof.theory.theorems.lemma1 import EPSILON
from kproof.theory.theorems.statements import Requirement, Statement, by_reading
from kproof.theory.theorems.symbolic import Between, NoValueError, Value

N = sp.Symbol("n", integer=True, positive=True)
P = sp.Symbol("p", positive=True)
K = sp.Symbol("k", integer=True, nonnegative=True)
DELTA = sp.Symbol(r"\delta", positive=True)
MU = sp.Symbol(r"\mu", nonnegative=True)
UP = sp.Symbol(r"m_\uparrow", integer=True)
DOWN = sp.Symbol(r"m_\downarrow", integer=True)
LOWER_END = sp.Symbol(r"x_\uparrow", positive=True)
UPPER_END = sp.Symbol(r"x_\downarrow", positive=True)
RELEASED = sp.Symbol("Z_0", positive=True)
OUT = sp.Symbol(r"Z_\mathrm{out}", positive=True)
IN = sp.Symbol(r"Z_\mathrm{in}", positive=True)
_Q = 1 - P
_E = sp.exp(EPSILON)
_HALF = sp.Rational(1, 2)
_FLOOR_TERM = sp.exp(-2 * (N * P - K + 1) ** 2 / N)
_LOW_RATIO = sp.log(((N + 1) / (N * P - MU) - 1) * P / _Q)
_HIGH_RATIO = sp.log(((N + 1) / (N - N * P - MU) - 1) * _Q / P)
_PRINTED_MU = sp.sqrt(-_HALF * N * sp.log(DELTA + _FLOOR_TERM))
# Likelihood ratios of neighbouring counts reach e^epsilon at these two counts, (10) and (12).
_LEFT = P * (N + 1) / (_E * _Q + P)
_RIGHT = (_E * N * P - _Q) / (_E * P + _Q)
_LEFT_TAIL = sp.exp(-2 * (N * P - _LEFT) ** 2 / N) - _FLOOR_TERM

_INSIDE = (
    Requirement("np - mu > k", N * P - MU, K, "epsilon", strict=True),
    Requirement("np + mu < n", N, N * P + MU, "epsilon", strict=True),
)
_PAPER_NEEDS = (
    Requirement("delta >= C(n,k) p^k q^(n-k) + q^n", DELTA, Between(K, K, N, P) + _Q**N, "epsilon"),
    *(replace(requirement, hidden=True) for requirement in _INSIDE),
    Requirement(
        "epsilon >= ln(1 + 1/(n min(p, 1-p)))",
        _E,
        1 + 1 / (N * sp.Min(P, _Q)),
        "delta",
        hidden=True,
    ),
)

STATEMENTS = by_reading(
    Statement(
        1,
        Reading.PRINTED,
        "Theorem 1, statements 1 and 2",
        {
            "epsilon": sp.Max(_LOW_RATIO, _HIGH_RATIO),
            "delta": sp.Max(_LEFT_TAIL, sp.exp(-2 * _RIGHT**2 / N)),
        },
        {MU: _PRINTED_MU},
        _PAPER_NEEDS,
        "The print has a multiplication sign between the two members of max; a comma is meant.",
    ),
    Statement(
        1,
        Reading.DERIVED,
        "Appendix A, (8) and the last display",
        {
            "epsilon": sp.Piecewise(
                (_LOW_RATIO, sp.StrictLessThan(P, _HALF - K / (2 * N))), (_HIGH_RATIO, True)
            ),
            "delta": sp.Max(_LEFT_TAIL, sp.exp(-2 * (_RIGHT - N * P) ** 2 / N)),
        },
        {MU: _PRINTED_MU},
        _PAPER_NEEDS,
        "(7) gives ln((delta + ...)/2); the factor 1/2 is lost in mu, here as in the paper.",
    ),
    Statement(
        1,
        Reading.CORRECTED,
        "C1: the exact profile of the count",
        {
            "delta": sp.Max(
                Between(K, UP, N, P) - _E * Between(K, UP - 1, N, P),
                Between(DOWN - 1, N, N, P) - _E * Between(DOWN, N, N, P),
            )
            / Between(K, N, N, P)
        },
        {
            UP: sp.Min(N, sp.Max(K, sp.floor(_LEFT))),
            # Written as n + 1 - q(n+1)/(q + e^epsilon p): the quotient of the docs cancels.
            DOWN: sp.Min(N + 1, sp.Max(K + 1, N + 2 + sp.floor(-_Q * (N + 1) / (_Q + _E * P)))),
        },
        remark="Every measurable event: the likelihood ratio of the shift is monotone.",
    ),
)

_SCALED = _E * OUT / IN

OTHERS = Statement(
    1,
    Reading.CORRECTED,
    "C1 for a fixed victim: the exact profile of the released count",
    {
        "delta": sp.Max(
            Between(K, UP, N, P) / OUT - _E * Between(K - 1, UP - 1, N, P) / IN,
            Between(DOWN - 1, N, N, P) / IN - _E * Between(DOWN, N, N, P) / OUT,
        )
    },
    {
        OUT: Between(K, N, N, P),
        IN: Between(K - 1, N, N, P),
        UP: sp.Min(N, sp.Max(K - 1, sp.floor(P * (N + 1) / (_SCALED * _Q + P)))),
        DOWN: sp.Min(
            N + 1, sp.Max(K, N + 2 + sp.floor(-_Q * OUT * (N + 1) / (_Q * OUT + _E * P * IN)))
        ),
    },
    remark="n counts the others. The released count, the victim's tuple included, is at least k: "
    "it is M given M >= k without the victim's tuple and M + 1 given M >= k - 1 with it.",
)
"""Both counts are truncated after the victim's tuple is in or out, so that each may be k."""

HOEFFDING = Statement(
    1,
    Reading.CORRECTED,
    "C1, closed form by Hoeffding's inequality",
    {
        "epsilon": sp.Max(0, _LOW_RATIO, _HIGH_RATIO),
        "delta": sp.Min(
            1,
            sp.exp(-2 * sp.Max(0, sp.Min(N * P - sp.Max(LOWER_END, K), UPPER_END - N * P)) ** 2 / N)
            / RELEASED,
        ),
    },
    {
        MU: sp.sqrt(_HALF * N * sp.log(1 / (DELTA * RELEASED))),
        LOWER_END: _LEFT,
        UPPER_END: _RIGHT,
        RELEASED: 1 - sp.exp(-2 * sp.Max(0, N * P - K + 1) ** 2 / N),
    },
    (Requirement("np - k + 1 > 0", N * P - K + 1, sp.Integer(0), strict=True), *_INSIDE),
    "Sound for every epsilon >= 0; Z_0 bounds Pr[M >= k] from below.",
)
"""The repaired form of the paper's own argument: larger than the exact value, no sums."""


def bound(
    *,
    n: Number,
    p: Number,
    k: Number,
    epsilon: Number | None = None,
    delta: Number | None = None,
    reading: Reading = Reading.CORRECTED,
    others_only: bool = False,
    closed_form: bool = False,
) -> Bound:
    """Evaluate Theorem 1: delta for a given epsilon, or epsilon for a given delta.

    Args:
        n: Number of tuples, 1 <= n <= 10**15.
        p: Probability that a tuple is taken, 0 < p < 1.
        k: Least number of tuples in a cloaked set, 1 <= k <= n.
        epsilon, delta: Exactly one; epsilon >= 0, 0 < delta < 1.
        reading: The reading.
        others_only: Only the n - 1 other tuples are random, the victim's is in or out, and the
            count of both is released if it is at least k; the paper does not say, and counts all n
            (the default).
        closed_form: With ``corrected``: the Hoeffding form in place of the exact profile.

    >>> print(bound(n=1000, p=0.3, k=10, epsilon=0.2))
    Theorem 1 (corrected): epsilon = 0.2, delta = 0.00005610312, events: all
    """
    count = integer("n", n, least=1, most=MOST_TRIALS)
    if others_only:
        count = integer("n - 1 (others only)", count - 1, least=1)
        if closed_form:
            raise InvalidArgument("closed_form", True, "it without others_only")
    size = integer("k", k, least=1, most=count)
    chance = rational("p", p, above=0, below=1)
    if (epsilon is None) == (delta is None):
        raise InvalidArgument("epsilon, delta", f"{epsilon}, {delta}", "exactly one of the two")
    values: dict[sp.Symbol, Value] = {N: Fraction(count), P: chance, K: Fraction(size)}
    parameters = {"n": str(count), "p": exact_text(chance), "k": str(size)}
    if others_only:
        parameters["others_only"] = "true"
    statement = STATEMENTS[reading]
    if reading is Reading.CORRECTED and (closed_form or others_only):
        statement = HOEFFDING if closed_form else OTHERS
    if epsilon is not None:
        typed = rational("epsilon", epsilon, least=0)
        values[EPSILON] = typed
        quantity = "delta"
    else:
        typed = rational("delta", delta, above=0, below=1)
        values[DELTA] = typed
        quantity = "epsilon"
    hypotheses = statement.check(quantity, values)
    flags = [statement.remark] if reading is not Reading.CORRECTED else []
    claim: Enclosure | None = None
    if quantity == "epsilon" and "epsilon" not in statement.formulas:
        # The inverse of the exact profile, for which there is no formula.
        if others_only:
            claim = others_exact(count, chance, size, delta=typed)
        else:
            claim = exact_epsilon(TruncatedBinomial(count, chance, size), delta=typed)
    else:
        try:
            claim = statement.enclose(quantity, values)
        except NoValueError as failure:
            hypotheses += (Hypothesis(f"{quantity} has a value", Status.FAILS, str(failure)),)
        except Undecided:
            if statement is not OTHERS:
                raise
            # A likelihood ratio equal to e^epsilon, possible at epsilon = 0: both of its cuts have
            # the same value, but no floor says which is which.
            claim = others_exact(count, chance, size, epsilon=typed)
    applies = all(h.status is not Status.FAILS for h in hypotheses)
    if reading is Reading.CORRECTED and not applies:
        # Without its hypotheses only what always holds is left: δ = 1, and no finite ε.
        claim = Enclosure.exactly(1) if quantity == "delta" else None
    if quantity == "delta" and claim is not None:
        flags += out_of_range(claim)
    pair = {
        quantity: claim,
        ("delta" if quantity == "epsilon" else "epsilon"): Enclosure.exactly(typed),
    }
    text = STATEMENTS[reading]
    ends = pair["epsilon"], pair["delta"]
    return Bound(1, reading, *ends, ALL, hypotheses, text, tuple(flags), parameters)
