"""The rules for sums: where their conditions hold, adding up says the same; and normal forms."""

from fractions import Fraction
from itertools import product

import pytest
import sympy as sp
from cases import cases, error_line
from falsities import World

from kproof.errors import Undecided
from kproof.theory import recheck
from kproof.theory.derivations.checked import kinds_of, same
from kproof.theory.derivations.definedness import conditions
from kproof.theory.derivations.formulas import equal
from kproof.theory.derivations.sums import rule_conditions
from kproof.theory.derivations.trees import tree

PLACE, N, M = sp.symbols("i n m", integer=True)
X = sp.Symbol("x", real=True)
F, G = sp.Function("F"), sp.Function("G")
TERMS = [F(PLACE), X * PLACE**2, sp.binomial(PLACE + 5, 2), 1 / PLACE, X ** (PLACE**2)]


def total(term: sp.Expr, low: sp.Expr = M, high: sp.Expr = N) -> sp.Sum:
    return sp.Sum(term, (PLACE, low, high))


CASES = [
    *(("first", total(t), t.subs(PLACE, M) + total(t, M + 1), None) for t in TERMS),
    *(("last", total(t), t.subs(PLACE, N) + total(t, high=N - 1), None) for t in TERMS),
    *(("single", total(t), t.subs(PLACE, M), None) for t in TERMS),
    *(("empty", total(t), sp.Integer(0), None) for t in TERMS),
    *(("shift", total(t), total(t.subs(PLACE, PLACE - 2), M + 2, N + 2), None) for t in TERMS),
    *(
        (
            "telescope",
            total(t.subs(PLACE, PLACE + 1) - t),
            t.subs(PLACE, N + 1) - t.subs(PLACE, M),
            t,
        )
        for t in TERMS
    ),
    *(("linear", total(t) + X * total(G(PLACE)), total(t + X * G(PLACE)), None) for t in TERMS),
]


@pytest.mark.parametrize(("rule", "left", "right", "function"), CASES)
def test_where_its_conditions_hold_a_rule_says_what_adding_up_does(rule, left, right, function):
    """Every range from -3 to 3, the empty ones and one that ends too early among them."""
    claim = equal(left, right)
    wanted = [tree(one) for one in rule_conditions(rule, claim, function)]
    assert wanted == [tree(one) for one in recheck._by_rule(rule, claim, function)]
    # A sum has a value from its empty range on; earlier ends are the caller's to exclude.
    plain = [tree(M - N <= 1), *map(tree, conditions(claim))]
    lengths = set()
    for low, high, x in product(range(-3, 4), range(-3, 4), (2, -1)):
        at = {"m": Fraction(low), "n": Fraction(high), "x": Fraction(x), "i": Fraction(0)}
        world = World(at, nowhere=Fraction(7))
        if all(map(world.holds, [*plain, *wanted])):
            lengths.add(high - low + 1)
            assert world.holds(tree(claim)), (low, high)
    assert lengths >= {"single": {1}, "empty": {0}, "first": {1, 2}, "last": {1, 2}}.get(
        rule, {0, 1, 2}
    )
    assert (0 in lengths) == (rule not in ("first", "last", "single"))


@cases(
    ("first", total(F(PLACE)), F(M) + total(F(PLACE), M)),
    ("last", total(F(PLACE)), F(N) + total(F(PLACE))),
    ("single", total(F(PLACE)), F(N + 1)),
    ("empty", total(F(PLACE)), sp.Integer(1)),
    ("shift", total(F(PLACE)), total(F(PLACE - 2), M + 2, N + 1)),
    ("shift", total(F(PLACE)), total(F(PLACE + 2), M + 2, N + 2)),
    ("telescope", total(F(PLACE + 1) - F(PLACE)), F(N) - F(M)),
    ("telescope", total(F(PLACE + 2) - F(PLACE)), F(N + 1) - F(M)),
    ("linear", total(F(PLACE)) + total(G(PLACE), M, N + 1), total(F(PLACE) + G(PLACE))),
    ("linear", total(F(PLACE)), 2 * total(F(PLACE))),
    ("guess", total(F(PLACE)), F(N)),
)
def test_what_is_no_instance_of_a_rule_is_refused(rule, left, right):
    function = F(PLACE) if rule == "telescope" else None
    with pytest.raises(Undecided):
        rule_conditions(rule, equal(left, right), function)
    with pytest.raises(recheck._RejectedError):
        recheck._by_rule(rule, equal(left, right), function)


A, B = sp.symbols("a b", positive=True)
Y = sp.Symbol("y", real=True)
K = sp.Symbol("k", integer=True, nonnegative=True)
ALIKE = [
    ((X + Y) ** 2 / (X + Y), X + Y),
    (1 / X + 1 / Y, (X + Y) / (X * Y)),
    (sp.sqrt(A * B), sp.sqrt(A) * sp.sqrt(B)),
    (sp.sqrt(A + 1) ** 3, (A + 1) * sp.sqrt(A + 1)),
    (1 / (1 + sp.sqrt(A)), (1 - sp.sqrt(A)) / (1 - A)),
    (sp.log(A**X * B), X * sp.log(A) + sp.log(B)),
    (sp.exp(X * sp.log(A)), A**X),
    (X ** (K + 2), X**K * X**2),
    (sp.binomial(N, K + 1) * (K + 1), sp.binomial(N, K) * (N - K)),
    (sp.binomial(X, 2), X * (X - 1) / 2),
    (total((X + 1) ** 2 * F(PLACE)), total((X**2 + 2 * X + 1) * F(PLACE))),
    (total(F(PLACE)), sp.Sum(F(K), (K, M, N))),
    (sp.Max(X * Y + X, 1), sp.Max(1, X * (Y + 1))),
    (sp.Abs(X - Y), sp.Abs(Y - X)),
]
UNLIKE = [
    (total((-1) ** PLACE * sp.binomial(N, PLACE), 0), sp.Integer(0)),
    (total(X, 1), N * X),
    (total(F(PLACE), 1), total(F(PLACE), 1, N + 1)),
    (sp.sqrt(X**2), X),
    (sp.log(X**2), 2 * sp.log(X)),
    ((X**N) ** sp.Rational(1, 2), X ** (N / 2)),
    (sp.sqrt(X * Y), sp.sqrt(X) * sp.sqrt(Y)),
    (F(X) + F(Y), F(X + Y)),
    (sp.binomial(N, K), sp.binomial(N + 1, K)),
]


@pytest.mark.parametrize(
    ("one", "other", "answer"),
    [*((*pair, True) for pair in ALIKE), *((*pair, False) for pair in UNLIKE)],
)
def test_normal_forms_are_equal_or_not_in_both_normalisers(one, other, answer):
    assert same(tree(one), tree(other), kinds_of(one, other)) is answer
    assert recheck._alike(one, other) is answer


def test_a_division_by_what_is_plainly_0_is_refused():
    zero = ["^", ["+", "x", ["*", "-1", "x"]], "-1"]
    assert "a division by 0" in error_line(Undecided, same, zero, "x", kinds_of(X))
    with pytest.raises(recheck._RejectedError, match="a division by 0"):
        recheck._same(zero, "x", {"x": X})
