"""Deciders: what is true is decided, and what is false, in every way we could think of, is not."""

import math
import re
from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from cases import cases

from kproof.errors import InvalidArgument
from kproof.theory.derivations.deciders import judge
from kproof.theory.derivations.derivation import Derivation, Printed, Step, StepStanding
from kproof.theory.derivations.evidence import judge_all
from kproof.theory.derivations.formulas import at_most, both, equal, less
from kproof.theory.derivations.methods import (
    Arithmetic,
    Assumed,
    Defined,
    Enclosed,
    Enumerated,
    Identity,
    Induction,
    Instance,
    Monotone,
    Summed,
)
from kproof.theory.derivations.proofs.catalogue import derivations
from kproof.theory.derivations.smtlib import FACTS, question
from kproof.theory.derivations.trees import tree
from kproof.theory.ledger import Ruling

X, Y = sp.symbols("x y", real=True)
POSITIVE = sp.Symbol("a", positive=True)
N = sp.Symbol("n", integer=True)
M = sp.Symbol("m", integer=True)
F, G, R = (sp.Function(name) for name in "FGr")


def step(claim, by, *, name="last", follows=(), given=(), printed=None):
    return Step(name, "", claim, by, "", follows, given, printed)


def identity(claim, **more):
    return step(claim, Identity(), **more)


def arithmetic(claim, **more):
    return step(claim, Arithmetic(), **more)


def defined(claim, **more):
    return step(claim, Defined(), **more)


def standing(*steps: Step) -> StepStanding:
    return judge(Derivation("d", "", steps, (steps[-1].id,)))[-1].standing


def recursion(base, m, further):
    """Return what defines a function by its value at 0 and by what holds of it further on."""
    return both(base, sp.Implies(less(0, m), further, evaluate=False))


def refuted(claim, by, printed, at, **more):
    """Return a step of which the paper prints something that is false at a point."""
    return step(claim, by, printed=Printed(printed, Ruling.REFUTED, at), **more)


COUNTS_UP = defined(recursion(equal(F(0), 0), M, equal(F(M), F(M - 1) + M)), name="sum")


@cases(
    [identity(equal(sp.exp(X) * sp.exp(Y), sp.exp(X + Y)))],
    [identity(equal(sp.binomial(N, X) * X, sp.binomial(N - 1, X - 1) * N), given=(less(0, N),))],
    [arithmetic(at_most(2 * X * Y, X**2 + Y**2))],
    [arithmetic(less(1, sp.exp(POSITIVE)))],
    [arithmetic(less(X / Y, 1), given=(less(0, Y), less(X, Y)))],
    [step(less(sp.exp(X), 1 + 2 * X), Enclosed({X: (Fraction(1, 10), Fraction(1))}))],
    [step(less(sp.exp(X), 2), Enclosed({X: (Fraction(0), Fraction(1))}), given=(less(2 * X, 1),))],
    [step(at_most(N, 2**N), Enumerated({N: tuple(map(Fraction, range(9)))}))],
    [
        step(
            at_most(sp.log(Y), sp.log(Y + 1)),
            Monotone(sp.log(POSITIVE), POSITIVE, Y, Y + 1),
            given=(less(0, Y),),
        )
    ],
    [COUNTS_UP, step(equal(F(M), M * (M + 1) / 2), Induction(M, sp.S.Zero), follows=("sum",))],
    [
        arithmetic(at_most(2 * X * Y, X**2 + Y**2), name="general"),
        step(at_most(2 * X, X**2 + 1), Instance("general", {Y: sp.S.One})),
    ],
    [
        arithmetic(at_most(M, M**2), name="point", given=(at_most(1, M),)),
        step(
            at_most(sp.Sum(M, (M, 1, N)), sp.Sum(M**2, (M, 1, N))),
            Summed("point"),
            given=(at_most(0, N),),
        ),
    ],
    ids=lambda steps: type(steps[-1].by).__name__,
)
def test_what_is_true_is_proved(steps):
    assert standing(*steps) is StepStanding.PROVED


GRID_ONLY = step(at_most(N, 3), Enumerated({N: (Fraction(1), Fraction(3))}), name="grid")
IN_BOX = step(less(X, 2), Enclosed({X: (Fraction(0), Fraction(1))}), name="box")
FROM_ZERO = step(
    equal(F(M), M * (M + 1) / 2), Induction(M, sp.S.Zero), name="all", follows=("sum",)
)


FALSE: dict[str, list[Step]] = {
    "false identity": [identity(equal(sp.sqrt(X**2), X))],
    "no equation": [identity(at_most(X, X))],
    "false arithmetic": [arithmetic(at_most(X * Y, X**2))],
    "division by what may be 0": [arithmetic(less(0, 1 / Y**2))],
    "root of what may be negative": [arithmetic(at_most(0, sp.sqrt(X)))],
    "false in a corner": [step(less(X, 1), Enclosed({X: (Fraction(0), Fraction(1))}))],
    "not everywhere defined": [
        step(less(-9, sp.log(X)), Enclosed({X: (Fraction(0), Fraction(1))}))
    ],
    "false at one point": [step(less(N, 4), Enumerated({N: tuple(map(Fraction, range(5)))}))],
    "no point at all": [step(less(N, 4), Enumerated({N: (Fraction(9),)}), given=(less(N, 0),))],
    "slope of both signs": [step(at_most(X**2, (X + 1) ** 2), Monotone(Y**2, Y, X, X + 1))],
    "points in the wrong order": [step(at_most(X + 1, X), Monotone(Y, Y, X + 1, X))],
    "the variable is an end": [
        step(sp.Ge(X**2, 0, evaluate=False), Monotone(X**2, X, X, sp.S.Zero))
    ],
    "a hypothesis narrows the range": [
        step(at_most(4, 1), Monotone(Y**2, Y, sp.Integer(-2), sp.S.One), given=(less(0, Y),))
    ],
    "a pole between the points": [
        step(at_most(1, -1), Monotone(-1 / Y, Y, sp.Integer(-1), sp.S.One))
    ],
    "the sign of the variable is not that of the range": [
        step(at_most(4, 1), Monotone(POSITIVE**2, POSITIVE, sp.Integer(-2), sp.S.One))
    ],
    "no base": [
        COUNTS_UP,
        step(equal(F(M), M * (M + 1) / 2 + 1), Induction(M, sp.S.Zero), follows=("sum",)),
    ],
    "no next": [COUNTS_UP, step(at_most(F(M), 10), Induction(M, sp.S.Zero), follows=("sum",))],
    "induction over reals": [step(at_most(0, X), Induction(X, sp.S.Zero))],
    "an instance below the base": [
        COUNTS_UP,
        FROM_ZERO,
        step(equal(F(-2), 1), Instance("all", {M: sp.Integer(-2)})),
    ],
    "an instance that is no integer": [
        COUNTS_UP,
        FROM_ZERO,
        step(
            equal(F(sp.Rational(1, 2)), sp.Rational(3, 8)), Instance("all", {M: sp.Rational(1, 2)})
        ),
    ],
    "an instance of another sign": [
        arithmetic(less(1, sp.exp(POSITIVE)), name="general"),
        step(less(1, sp.exp(X)), Instance("general", {POSITIVE: X})),
    ],
    "an instance outside the hypotheses": [
        arithmetic(less(1, X), name="general", given=(less(2, X),)),
        step(less(1, Y), Instance("general", {X: Y})),
    ],
    "part of a claim taken for the whole": [
        arithmetic(both(at_most(0, X**2), at_most(0, X**2 + 1)), name="general"),
        step(both(at_most(0, Y**2), at_most(0, Y)), Instance("general", {X: Y})),
    ],
    "beyond the grid": [GRID_ONLY, arithmetic(at_most(N, 3), follows=("grid",))],
    "beyond the box": [IN_BOX, arithmetic(less(X, 2), follows=("box",))],
    "summands that are larger somewhere": [
        arithmetic(at_most(M, M**2), name="point", given=(at_most(1, M),)),
        step(at_most(sp.Sum(M, (M, -1, N)), sp.Sum(M**2, (M, -1, N))), Summed("point")),
    ],
    "sums over different ranges": [
        arithmetic(at_most(M, M**2), name="point", given=(at_most(1, M),)),
        step(at_most(sp.Sum(M, (M, 1, N)), sp.Sum(M**2, (M, 2, N))), Summed("point")),
    ],
    "a name in use": [COUNTS_UP, defined(equal(F(M), M))],
    "a definition of itself": [defined(equal(G(M), G(M) + 1))],
    "a recursion that looks ahead": [defined(recursion(equal(G(0), 0), M, equal(G(M), G(M + 1))))],
    "a hidden argument": [defined(equal(G(M), M * X))],
    "a definition with hypotheses": [defined(equal(G(M), M), given=(less(0, M),))],
    "a definition that says more": [defined(both(equal(G(M), M), less(0, 1)))],
    "what follows from a failure": [
        arithmetic(less(X, 0), name="no"),
        arithmetic(less(X, 1), follows=("no",)),
    ],
    "a printed relation that holds": [
        refuted(at_most(0, X**2), Arithmetic(), at_most(0, X**4), {X: Fraction(1)})
    ],
    "a witness outside the hypotheses": [
        refuted(less(0, X), Arithmetic(), less(3, X), {X: Fraction(0)}, given=(less(1, X),))
    ],
}


@pytest.mark.parametrize("why", FALSE)
def test_what_is_false_is_not(why):
    assert standing(*FALSE[why]) is StepStanding.FAILED


H = sp.Function("H")
FP = sp.Function("F", positive=True)
INDEX = sp.Symbol("i", integer=True)
MP = sp.Symbol("j", integer=True, positive=True)
UNSOUND: dict[str, list[Step]] = {
    "cancelled 0 (identity)": [
        defined(equal(H(X), 1 / X), name="h"),
        defined(equal(F(X), X * H(X)), name="f"),
        identity(equal(F(X), 1), follows=("f", "h")),
    ],
    "root of a negative number (identity)": [
        defined(equal(F(X), sp.sqrt(X)), name="f"),
        identity(equal(F(X) ** 2, X), follows=("f",)),
    ],
    "log of a negative": [
        defined(equal(F(X), sp.log(X)), name="f"),
        identity(equal(sp.exp(F(X)), X), follows=("f",)),
    ],
    "binomial of a negative": [identity(equal(sp.binomial(N, M), sp.binomial(N, N - M)))],
    "instance at a root": [
        arithmetic(at_most(0, X**2), name="g"),
        step(at_most(0, Y), Instance("g", {X: sp.sqrt(Y)})),
    ],
    "instance at INDEX": [
        arithmetic(at_most(0, X**2), name="g"),
        step(at_most(0, -1), Instance("g", {X: sp.I})),
    ],
    "instance cancels": [
        arithmetic(equal(Y / X, 0), name="g", given=(equal(Y, 0),)),
        step(equal(sp.S.One, 0), Instance("g", {Y: X}), given=(equal(X, 0),)),
    ],
    "capture instance": [
        identity(equal(sp.Sum(X, (INDEX, 1, 2)), 2 * X), name="g"),
        step(equal(sp.Sum(INDEX, (INDEX, 1, 2)), 2 * INDEX), Instance("g", {X: INDEX})),
    ],
    "capture definition": [
        defined(equal(F(X), sp.Sum(X, (INDEX, 1, 2))), name="f"),
        identity(equal(F(INDEX), 3), follows=("f",)),
    ],
    "bound hypothesis": [
        step(equal(F(INDEX), 0), Assumed("x"), name="g", given=(less(INDEX, 0),)),
        identity(
            equal(sp.Sum(F(INDEX), (INDEX, 1, 3)), 0), follows=("g",), given=(less(INDEX, 0),)
        ),
    ],
    "sum backwards": [
        arithmetic(at_most(M, M**2), name="g", given=(at_most(1, M),)),
        step(at_most(sp.Sum(M, (M, 1, N)), sp.Sum(M**2, (M, 1, N))), Summed("g")),
    ],
    "sum sign": [
        arithmetic(at_most(-MP, MP), name="g"),
        step(at_most(sp.Sum(-MP, (MP, -5, -1)), sp.Sum(MP, (MP, -5, -1))), Summed("g")),
    ],
    "sum given": [
        arithmetic(at_most(M**2, M), name="g", given=(at_most(0, M), at_most(M, 1))),
        step(
            at_most(sp.Sum(M**2, (M, 1, 5)), sp.Sum(M, (M, 1, 5))),
            Summed("g"),
            given=(at_most(M, 1),),
        ),
    ],
    "positive function": [identity(equal(sp.sqrt(FP(X) ** 2), FP(X)))],
    "induction sign": [
        defined(recursion(equal(F(0), 0), M, equal(F(M), F(M - 1) + sp.Max(0, 2 - M))), name="f"),
        step(at_most(0, M * (M - 1)), Induction(M, sp.S.Zero), name="gap"),
        step(at_most(0, MP * (MP - 1)), Instance("gap", {M: MP}), name="gapj"),
        step(
            recursion(equal(F(0), 0), MP, equal(F(MP), F(MP - 1) + sp.Max(0, 2 - MP))),
            Instance("f", {M: MP}),
            name="fj",
        ),
        step(equal(F(MP), 0), Induction(MP, sp.S.Zero), follows=("gapj", "fj")),
    ],
    "recursion base": [defined(recursion(equal(F(0), M), M, equal(F(M), F(M - 1))))],
    "printed sign": [
        refuted(less(0, POSITIVE), Arithmetic(), less(0, POSITIVE), {POSITIVE: Fraction(-1)})
    ],
    "printed kind": [
        refuted(less(N, N + 1), Arithmetic(), less((2 * N - 1) ** 2, 0), {N: Fraction(1, 2)})
    ],
    "printed beside assumed": [
        refuted(less(0, POSITIVE), Assumed("x"), less(0, POSITIVE), {POSITIVE: Fraction(1)})
    ],
    "definition diagonal": [defined(equal(F(X, X), X))],
    "definition inequality": [defined(recursion(equal(F(0), 0), M, less(F(M), F(M - 1))))],
    "enumerated kind": [step(less((2 * N - 1) ** 2, 1), Enumerated({N: (Fraction(1, 2),)}))],
    "reserved": [arithmetic(less(sp.Symbol("true", real=True), sp.Symbol("true", real=True) + 1))],
}


@pytest.mark.parametrize("why", UNSOUND)
def test_what_holds_only_where_it_is_defined_is_not_proved_elsewhere(why):
    """Each of these would end in a falsehood: what SymPy cancels, a solver leaves open."""
    assert standing(*UNSOUND[why]) is StepStanding.FAILED


def test_assumptions_are_carried_along():
    taken = step(less(0, R(X)), Assumed("somebody 1900"), name="taken")
    middle = arithmetic(less(1, R(X) + 1), name="middle", follows=("taken",))
    last = arithmetic(less(2, R(X) + 2), follows=("middle",))
    found = judge(Derivation("d", "", (taken, middle, last), ("last",)))
    assert [one.standing for one in found] == [
        StepStanding.ASSUMED,
        *[StepStanding.CONDITIONAL] * 2,
    ]
    assert found[-1].rests_on == ("taken",)


def test_steps_follow_from_earlier_ones_only():
    later = arithmetic(less(0, 1), name="later")
    early = arithmetic(less(0, 1), name="early", follows=("later",))
    with pytest.raises(InvalidArgument, match=r"early\.follows = later: need ids of earlier steps"):
        Derivation("d", "", (early, later), ("early",))
    with pytest.raises(InvalidArgument, match="steps = later: need ids that occur once"):
        Derivation("d", "", (later, later), ("later",))


REAL = {
    "exp": mpmath.exp,
    "log": mpmath.log,
    "sqrt": mpmath.sqrt,
    "floor": mpmath.floor,
    "ceiling": mpmath.ceil,
    "Phi": mpmath.ncdf,
}


@pytest.mark.parametrize("name", sorted(REAL))
def test_facts_told_to_the_solver_are_true(name):
    """Each fact, read by an evaluator of its own, at many points of the real function."""
    for a in (-30, -3, -1.5, -1, -0.25, 0, 1e-3, 0.5, 1, 1.5, 2, 3, 40):
        if (name == "sqrt" and a < 0) or (name == "log" and a <= 0):
            continue
        with mpmath.workdps(500):
            values = {"t": REAL[name](mpmath.mpf(a)), "a": mpmath.mpf(a)}
            assert all(_lisp(fact.format(t="t", a="a"), values) for fact in FACTS[name])


def test_facts_of_pi_and_quotients():
    assert all(_lisp(fact.format(t="t"), {"t": mpmath.pi}) for fact in FACTS["pi"])
    for a, b in ((1, 3), (-2, 5), (7, 0)):
        values = {"a": Fraction(a), "b": Fraction(b), "t": Fraction(a, b) if b else Fraction(99)}
        assert all(_lisp(fact.format(t="t", a="a", b="b"), values) for fact in FACTS["quotient"])


def _lisp(text: str, values: dict[str, object]) -> object:
    """Evaluate one SMT-LIB term."""
    exact = Fraction if any(isinstance(one, Fraction) for one in values.values()) else mpmath.mpf
    tokens = re.findall(r"[()]|[^\s()]+", text)

    def read() -> object:
        token = tokens.pop(0)
        if token != "(":
            return values[token] if token in values else exact(token)
        operator = tokens.pop(0)
        found = []
        while tokens[0] != ")":
            found.append(read())
        tokens.pop(0)
        return OPERATIONS[operator](*found)

    return read()


OPERATIONS = {
    "+": lambda *a: sum(a[1:], a[0]),
    "-": lambda *a: -a[0] if len(a) == 1 else a[0] - a[1],
    "*": lambda *a: math.prod(a[1:], start=a[0]),
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: abs(a - b) < 1e-12,
    "=>": lambda a, b: (not a) or b,
    "not": lambda a: not a,
    "and": lambda *a: all(a),
}


def test_equal_terms_are_one_variable():
    text = question({"x": ["real"]}, [], tree(at_most(sp.exp(X) - 1, sp.exp(X) * sp.exp(2 * X))))
    # SymPy writes the product of exponentials as one, so that two terms are left.
    assert text.count("declare-const t!") == 2


@pytest.mark.parametrize("name", [one.name for one in derivations()])
def test_every_step_of_every_derivation_is_decided(name):
    assert not [
        (one.step.id, one.found) for one in judge_all(name) if one.standing is StepStanding.FAILED
    ]
