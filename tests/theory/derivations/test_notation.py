"""The notation of proofs: what it says is what is built, and what means nothing is refused."""

from fractions import Fraction

import pytest
import sympy as sp
from cases import cases, error_line

from kproof.errors import InvalidArgument
from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Printed, Step
from kproof.theory.derivations.formulas import (
    at_most,
    both,
    equal,
    implies,
    less,
    recursion,
    running_sum,
)
from kproof.theory.derivations.notation import HOME, proofs, read
from kproof.theory.derivations.proofs.catalogue import ORDER
from kproof.theory.ledger import Ruling

X, Y = sp.symbols("x y", real=True)
M = sp.Symbol("m", integer=True)
F, G = sp.Function("F"), sp.Function("G")
NAMES = """
symbols x y: real
symbols m: integer
functions F G
let small = 0 <= x <= 1; y < x
let square(z) = z^2
steps some
"""


def step(text: str) -> Step:
    (only,) = read(NAMES + text).collections["some"]
    return only


@cases(
    (
        "a: 0 <= x^2/2 by arithmetic -- Why.",
        Step("a", "", at_most(0, X**2 / 2), by.Arithmetic(), "Why."),
    ),
    (
        "a [(1), (2)]: x = square(y + 1)\n    by identity from b, c-d\n    given small; y = 0"
        "\n    -- By the way, given that.",
        Step(
            *("a", "(1), (2)", equal(X, (Y + 1) ** 2), by.Identity()),
            "By the way, given that.",
            ("b", "c-d"),
            (at_most(0, X), at_most(X, 1), less(Y, X), equal(Y, 0)),
        ),
    ),
    (
        'a: implies(x < y, x <= y < 0.5) by assumption "Someone from there, by post" -- S.',
        Step(
            *("a", "", implies(less(X, Y), both(at_most(X, Y), less(Y, sp.Rational(1, 2))))),
            *(by.Assumed("Someone from there, by post"), "S."),
        ),
    ),
    (
        "a: F(m) adds m^2 after m = -1 by definition -- S.",
        Step("a", "", running_sum(F(M), M, M**2, base=sp.S.NegativeOne), by.Defined(), "S."),
    ),
    (
        "a: F(m) adds m + 1 from m = 0 by definition -- S.",
        Step("a", "", running_sum(F(M), M, M + 1, first=sp.S.One), by.Defined(), "S."),
    ),
    (
        "a: F(m) starts Max(x, y) at m = 1, adds m by definition -- S.",
        Step(
            *("a", "", running_sum(F(M), M, M, first=sp.Max(X, Y), base=sp.S.One)),
            *(by.Defined(), "S."),
        ),
    ),
    (
        "a: F(m) starts G(0) at m = 0, then Min(F(m - 1), G(m)) by definition -- S.",
        Step(*("a", "", recursion(F(M), M, G(0), sp.Min(F(M - 1), G(M)))), *(by.Defined(), "S.")),
    ),
    (
        "a: 0 <= F(m) by induction on m from -1 -- S.",
        Step("a", "", at_most(0, F(M)), by.Induction(M, sp.S.NegativeOne), "S."),
    ),
    (
        "a: exp(x) <= exp(y) by slope of exp(m) in m between x and y given x <= y -- S.",
        Step(
            *("a", "", at_most(sp.exp(X), sp.exp(Y)), by.Monotone(sp.exp(M), M, X, Y), "S."),
            given=(at_most(X, Y),),
        ),
    ),
    (
        "a: x < 2 by enclosure of x in 1/2 .. 1 -- S.",
        Step(*("a", "", less(X, 2), by.Enclosed({X: (Fraction(1, 2), Fraction(1))}), "S.")),
    ),
    (
        "a: x = y by b at m = x + 1, y = 0 -- S.",
        Step("a", "", equal(X, Y), by.Instance("b", {M: X + 1, Y: sp.S.Zero}), "S."),
    ),
    (
        "a: x <= 1 by arithmetic -- S. printed typo: x < 1 at x = 1, y = -3/2 given nothing",
        Step(
            *("a", "", at_most(X, 1), by.Arithmetic(), "S."),
            printed=Printed(less(X, 1), Ruling.TYPO, {X: Fraction(1), Y: Fraction(-3, 2)}, ()),
        ),
    ),
)
def test_a_step_is_what_it_says(text, expected):
    assert step(text) == expected


def test_an_instance_takes_place_and_hypotheses_from_its_step():
    text = "a [(1)]: 0 < x by arithmetic given y <= x -- S.\n"
    text += "b: a at x = y, y = x -- The same.\nc []: a at x = 2 given nothing -- Two."
    first, second, third = read(NAMES + text).collections["some"]
    assert second == first.at({X: Y, Y: X}, "b", "The same.")
    assert third == first.at({X: sp.Integer(2)}, "c", "Two.", place="", given=())


def test_only_what_a_step_needs():
    text = "a: 0 <= x^2 by arithmetic -- S.\nb: a at x = 1 -- S.\nc: 0 <= 1 by arithmetic -- S.\n"
    text += "d: 0 <= 1 by arithmetic from b -- S.\nsteps few\ninclude some for d"
    assert [one.id for one in read(NAMES + text).collections["few"]] == ["a", "b", "d"]


def test_the_catalogue_names_what_the_files_have():
    found = [name for path in HOME.glob("*.proof") for name in proofs(path.stem).derivations]
    assert sorted(found) == sorted(ORDER)


@cases(
    ("a: 0 <= x", "line 8: paragraph"),
    ("a: 0 <= x by arithmetic", "line 8: paragraph"),
    ("a: 0 <= z by arithmetic -- S.", "line 8: name = z"),
    ("a: 0 <= x by magic -- S.", "line 8: method = magic"),
    ("a: 0 <= x by identity x -- S.", "line 8: method = "),
    ("a: 0 <= x by induction on m -- S.", "line 8: method"),
    ("a: 0 >= x by arithmetic -- S.", "line 8: formula = '0 >= x'"),
    ("a: 0 <= x[0] by arithmetic -- S.", "line 8: formula"),
    ("a: x <= 0.30000000000000000001 by arithmetic -- S.", "a decimal of 15 digits"),
    ("a: x <= 1e400 by arithmetic -- S.", "line 8: formula = 1e400"),
    ("a: 0 <= F.mro() by arithmetic -- S.", "line 8: formula"),
    ("a: 0 <= <= x by arithmetic -- S.", "line 8: formula"),
    ("a: 0 <= x by arithmetic given x <= z -- S.", "line 8: name = z"),
    ("a: b at x = 1 -- S.", "line 8: step = b"),
    ("include others", "line 8: include = others"),
    ("include nowhere: a", "line 8: proofs = nowhere"),
    ("steps some", "line 8: steps = some"),
    ("symbols z: intger", "line 8: symbols = intger"),
    ("symbols x: real", "line 8: name = x: need a name that is not taken"),
    ("let exp = 1", "line 8: name = exp: need a name that is not taken"),
    ("use counts: nothing", "line 8: name = nothing"),
    ("proof few: Few\nconcludes b\na: 0 <= x^2 by arithmetic -- S.", "conclusions = b"),
    ("a: 0 <= x^2 by arithmetic from b -- S.\nproof few: F\ninclude some", "a.follows = b"),
)
def test_what_means_nothing_is_refused(text, complaint):
    assert complaint in error_line(InvalidArgument, read, NAMES + text)


def test_steps_stand_in_a_collection():
    with pytest.raises(InvalidArgument, match="a collection"):
        read("symbols x: real\na: 0 <= x^2 by arithmetic -- S.")
