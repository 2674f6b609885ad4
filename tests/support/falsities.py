"""False statements for every method of a step, each seen to be false where nothing here decides.

A step says that its claim holds wherever its hypotheses do, whatever a quotient by 0 and the like
may stand for. A draw is kept only if a point shows it false: by fractions where it can, with sixty
digits and again with four hundred where it cannot, and with some number for what is undefined. What
is drawn resembles what is true: laws without their conditions, ranges that may be empty, bounds at
their border, values outside a domain.
"""

import random
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

import mpmath as mp
import sympy as sp

from kproof.errors import KProofError
from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Step
from kproof.theory.derivations.formulas import at_most, both, equal, implies, less, substitute
from kproof.theory.derivations.trees import tree
from kproof.theory.theorems.symbolic import Phi

X, Y = sp.symbols("x y", real=True)
A, B = sp.symbols("a b", positive=True)
C = sp.Symbol("c", nonnegative=True)
N, M = sp.symbols("n m", integer=True)
K = sp.Symbol("k", integer=True, nonnegative=True)
J = sp.Symbol("j", integer=True, positive=True)
PLACE, P = sp.Symbol("i", integer=True), sp.Symbol("i'", integer=True, positive=True)
Z = sp.Symbol("z", real=True)
F, G = sp.Function("F"), sp.Function("G")
_SYMBOLS = (X, Y, A, B, C, N, M, K, J, Z, PLACE, P)
_VALUES = tuple(map(Fraction, ["-2", "-1", "-1/2", "0", "1/3", "1/2", "1", "2", "3", "4"]))
_TIGHT = mp.mpf(10) ** -30


@dataclass(frozen=True)
class Falsity:
    """Steps of which the last is false."""

    steps: tuple[Step, ...]
    """All of them; those before the last are true."""
    at: Mapping[sp.Symbol, Fraction]
    """Where the last is false."""

    @property
    def derivation(self) -> Derivation:
        return Derivation("falsity", "A falsity", self.steps, (self.steps[-1].id,))


# What a tree is worth at a point ------------------------------------------------------------------


class Unknown(Exception):
    """The digits do not tell."""


@dataclass
class World:
    """Values of symbols, meanings of functions, and a number for whatever is undefined."""

    values: dict[str, Any]
    nowhere: Fraction
    meanings: Mapping[str, tuple[list[str], Any]] = field(default_factory=dict)

    def value(self, node: Any) -> Any:
        if isinstance(node, str):
            if node in self.values:
                return self.values[node]
            return mp.pi() if node == "pi" else Fraction(node)
        name, parts = node[0], node[1:]
        if name == "sum":
            return self._sum(*parts)
        if name == "apply":
            return self._applied(parts[0], [self.value(one) for one in parts[1:]])
        terms = [self.value(one) for one in parts]
        result = terms[0]
        if name in _JOINS:
            if not all(isinstance(one, Fraction) for one in terms):
                terms = [real(one) for one in terms]
                result = terms[0]
            for one in terms[1:]:
                result = _JOINS[name](result, one)
            return result
        answer = _TABLE[name](*terms)
        return self.nowhere if answer is None else answer

    def _sum(self, term: Any, name: str, *ends: Any) -> Any:
        low, high = (self.value(one) for one in ends)
        if not all(isinstance(x, Fraction) and x.denominator == 1 for x in (low, high)):
            return self.nowhere
        if not -1 <= high - low <= 40:
            return self.nowhere
        inner = [
            World({**self.values, name: Fraction(i)}, self.nowhere, self.meanings).value(term)
            for i in range(int(low), int(high) + 1)
        ]
        exact = all(isinstance(one, Fraction) for one in inner)
        return sum(inner, Fraction(0)) if exact else mp.fsum(map(real, inner))

    def _applied(self, name: str, given: list[Any]) -> Any:
        if name in self.meanings:
            names, meaning = self.meanings[name]
            bound = dict(zip(names, given, strict=True))
            return World(bound, self.nowhere, self.meanings).value(meaning)
        if not all(isinstance(one, Fraction) for one in given):
            raise Unknown
        return Fraction(zlib.crc32(f"{name}{given}{self.nowhere}".encode()) % 7 - 3)

    def holds(self, node: Any) -> bool:
        name, parts = node[0], node[1:]
        if name == "not":
            return not self.holds(parts[0])
        if name == "implies":
            return not self.holds(parts[0]) or self.holds(parts[1])
        if name in ("and", "or"):
            return (all if name == "and" else any)(self.holds(one) for one in parts)
        left, right = (self.value(one) for one in parts)
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            gap = left - right
        else:
            gap = real(left) - real(right)
            # exp(exp(7)) is off by more than 1 in its sixtieth digit.
            scale = max(1, abs(real(left)), abs(real(right)))
            if abs(gap) < _TIGHT * scale or not mp.isfinite(gap):
                raise Unknown
        return bool({"=": gap == 0, "!=": gap != 0, "<=": gap <= 0, "<": gap < 0}[name])


def real(value: Any) -> Any:
    return mp.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        if abs(exponent) > 200 or (base == 0 and exponent < 0):
            return None
        return base ** int(exponent)
    if base == 0 and exponent > 0:
        return Fraction(0)
    return mp.power(real(base), real(exponent)) if base > 0 else None


def _comb(n: Any, k: Any) -> Any:
    whole = isinstance(n, Fraction) and n.denominator == k.denominator == 1
    return Fraction(comb(int(n), int(k)) if k >= 0 else 0) if whole and n >= 0 else None


_JOINS = {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "max": max, "min": min}
_TABLE = {
    "^": _power,
    "exp": lambda x: Fraction(1) if x == 0 else mp.exp(real(x)) if x < 500 else None,
    "log": lambda x: Fraction(0) if x == 1 else mp.log(real(x)) if x > 0 else None,
    "abs": abs,
    "floor": lambda x: Fraction(int(mp.floor(real(x)))),
    "ceiling": lambda x: Fraction(int(mp.ceil(real(x)))),
    "binomial": _comb,
    "Phi": lambda x: mp.ncdf(real(x)),
    "lambertw": lambda x: mp.lambertw(real(x)).real if x >= 0 else None,
}


def witness(
    step: Step,
    drawn: random.Random,
    *,
    box: Mapping[sp.Symbol, Sequence[Fraction]] | None = None,
    given: Sequence[sp.Basic] = (),
    defined: Sequence[Step] = (),
    tries: int = 40,
) -> dict[sp.Symbol, Fraction] | None:
    """Return a point at which a step is seen to be false, or None."""
    meanings = {
        str(one.claim.lhs.func): ([str(x) for x in one.claim.lhs.args], tree(one.claim.rhs))
        for one in defined
    }
    known, claim = [tree(one) for one in (*step.given, *given)], tree(step.claim)
    for turn in range(tries):
        point = {
            one: drawn.choice(box[one] if box and one in box else _of_kind(one)) for one in _SYMBOLS
        }
        world = World(
            {one.name: value for one, value in point.items()}, Fraction((0, 7)[turn % 2]), meanings
        )
        # What cancels is nothing but rounding at one precision, and never at both.
        if all(_fails(world, known, claim, digits) for digits in (60, 400)):
            return point
    return None


def _fails(world: World, known: Sequence[Any], claim: Any, digits: int) -> bool:
    """Return whether a claim is seen to fail where its hypotheses hold."""
    with mp.workdps(digits), suppress(Unknown, OverflowError, ZeroDivisionError):
        return all(map(world.holds, known)) and not world.holds(claim)
    return False


@cache
def _of_kind(symbol: sp.Symbol) -> Sequence[Fraction]:
    return [
        value
        for value in _VALUES
        if (not symbol.is_integer or value.denominator == 1)
        and (not symbol.is_nonnegative or value >= 0)
        and (not symbol.is_positive or value > 0)
    ]


# What looks true ----------------------------------------------------------------------------------


def slot(drawn: random.Random) -> sp.Expr:
    """Return a small term."""
    one, other = drawn.choices((X, Y, A, B, C, N, K, J), k=2)
    # Only the term that is drawn is built: SymPy takes longer over a table of them than the rest.
    return drawn.choice(
        [
            *(lambda: one, lambda: one, lambda: one, lambda: one + 1, lambda: one - 1),
            *(lambda: one - other, lambda: one * other, lambda: -one, lambda: one**2),
            *(lambda: one / 2, lambda: sp.Integer(drawn.randint(-1, 2)), lambda: one + other),
            *(lambda: 1 / one, lambda: sp.Abs(one), lambda: F(one)),
        ]
    )()


def whole(drawn: random.Random) -> sp.Expr:
    return drawn.choice([N, M, K, J]) + drawn.choice([0, 0, 0, -1, 1])


def law(drawn: random.Random) -> tuple[sp.Expr, sp.Expr]:
    """Return two sides that are equal where conditions hold that nobody states."""
    s, t, u = slot(drawn), slot(drawn), slot(drawn)
    n, k = whole(drawn), whole(drawn)
    half = sp.Rational(1, 2)
    i = drawn.choice([PLACE, P])
    low = sp.Integer(drawn.choice([0, 1]))
    choose = sp.binomial
    pairs = [
        lambda: ((s + t) ** 2, s**2 + 2 * s * t + t**2),
        lambda: (s / s * t, t),
        lambda: ((s**2 - t**2) / (s - t), s + t),
        lambda: (s / (s * (t - u)), 1 / (t - u)),
        lambda: (1 / s + 1 / t, (s + t) / (s * t)),
        lambda: (sp.sqrt(s**2), s),
        lambda: (sp.sqrt(s) ** 2, s),
        lambda: (sp.sqrt(s * t), sp.sqrt(s) * sp.sqrt(t)),
        lambda: (sp.sqrt(s / t), sp.sqrt(s) / sp.sqrt(t)),
        lambda: (sp.log(s * t), sp.log(s) + sp.log(t)),
        lambda: (sp.log(s / t), sp.log(s) - sp.log(t)),
        lambda: (sp.log(s**2), 2 * sp.log(s)),
        lambda: (sp.exp(sp.log(s)), s),
        lambda: (sp.exp(s + t), sp.exp(s) * sp.exp(t)),
        lambda: (sp.exp(s * sp.log(t)), t**s),
        lambda: (s ** (t + u), s**t * s**u),
        lambda: ((s * t) ** u, s**u * t**u),
        lambda: ((s**t) ** u, s ** (t * u)),
        lambda: ((s**n) ** half, s ** (n / 2)),
        lambda: (s**n * s**k, s ** (n + k)),
        lambda: (s**n * s ** (-n), sp.Integer(1)),
        lambda: (((-1) ** n) ** 2, (-1) ** (2 * n)),
        lambda: (sp.Abs(s * t), sp.Abs(s) * sp.Abs(t)),
        lambda: (sp.Abs(s), s),
        lambda: (sp.Max(s, t), (s + t + sp.Abs(s - t)) / 2),
        lambda: (sp.floor(s + 1), sp.floor(s) + 1),
        lambda: (sp.floor(s + t), sp.floor(s) + sp.floor(t)),
        lambda: (F(s) - F(t), F(s - t)),
        lambda: (Phi(s) + Phi(-s), sp.Integer(1)),
        lambda: (choose(n, k), choose(n, n - k)),
        lambda: (choose(n + 1, k), choose(n, k) + choose(n, k - 1)),
        lambda: (k * choose(n, k), n * choose(n - 1, k - 1)),
        lambda: (choose(n, k), n / k * choose(n - 1, k - 1)),
        lambda: (choose(n, k - 1), k / (n - k + 1) * choose(n, k)),
        lambda: (choose(n, 0), sp.Integer(1)),
        lambda: (choose(n, n + 1), sp.Integer(0)),
        lambda: (sp.Sum((-1) ** i * choose(n, i), (i, 0, n)), sp.Integer(0)),
        lambda: (sp.Sum(choose(n, i) * s**i, (i, 0, n)), (1 + s) ** n),
        lambda: (sp.Sum(i, (i, low, n)), n * (n + 1) / 2),
        lambda: (sp.Sum(s**i, (i, low, n)), (s**low - s ** (n + 1)) / (1 - s)),
        lambda: (sp.Sum(s, (i, n, k)), s * (k - n + 1)),
        lambda: (sp.Sum(F(i), (i, low, n)), F(n) + sp.Sum(F(i), (i, low, n - 1))),
        lambda: (sp.Sum(i / i, (i, low, n)), n - low + 1),
        lambda: (sp.Sum(F(i) * s, (i, k, n)), s * sp.Sum(F(i), (i, k, n + 1))),
        lambda: (sp.Sum(1 / i, (i, low, n)), sp.Sum(1 / i, (i, low, n)) * s / s),
        lambda: (sp.Sum((i**2 - i) / i, (i, low, n)), sp.Sum(i - 1, (i, low, n))),
        lambda: (
            sp.Sum(s + sp.Sum((i**2 - i) / i, (i, 0, 2)), (i, 1, n)),
            sp.Sum(s + sp.Sum(i - 1, (i, 0, 2)), (i, 1, n)),
        ),
    ]
    return drawn.choice(pairs)()


def bent(drawn: random.Random, side: sp.Expr) -> sp.Expr:
    """Return a side as it is, or with something changed."""
    symbols = sorted(side.free_symbols, key=str) or [X]
    one = drawn.choice(symbols)
    return drawn.choice(
        [
            lambda: side,
            lambda: side,
            lambda: side,
            lambda: side + drawn.choice([1, -1, slot(drawn)]),
            lambda: 2 * side,
            lambda: side.subs(one, one + drawn.choice([1, -1])),
        ]
    )()


def wrapped(drawn: random.Random, *sides: sp.Expr) -> list[sp.Expr]:
    """Return sides to which the same was done."""
    s = slot(drawn)
    done = drawn.choice(
        [
            *(lambda x: x, lambda x: x, lambda x: s * x, lambda x: x + sp.log(s), lambda x: F(x)),
            *(lambda x: sp.exp(x), lambda x: x / s, lambda x: sp.Max(x, s), lambda x: x**2),
        ]
    )
    return [done(one) for one in sides]


def hypotheses(drawn: random.Random) -> tuple[sp.Basic, ...]:
    pool = [lambda: less(0, X), lambda: less(X, Y), lambda: at_most(1, N), lambda: at_most(K, N)]
    pool += [lambda: sp.Ne(X, Y, evaluate=False), lambda: less(A, 1), lambda: at_most(0, N)]
    pool += [lambda: at_most(0, slot(drawn)), lambda: less(0, slot(drawn))]
    # Of what sums run over, too: inside a sum such a hypothesis says nothing.
    pool += [lambda: less(0, PLACE), lambda: sp.Ne(PLACE, 0, evaluate=False)]
    return tuple(build() for build in drawn.sample(pool, drawn.choice([0, 0, 1, 2])))


def inequality(drawn: random.Random) -> sp.Basic:
    """Return what is true at most up to its border, or within a domain."""
    s, t = slot(drawn), slot(drawn)
    left, right = drawn.choice(
        [
            lambda: (sp.Integer(0), s**2),
            lambda: (2 * s * t, s**2 + t**2),
            lambda: (1 + s, sp.exp(s)),
            lambda: (sp.log(s), s - 1),
            lambda: (sp.floor(s), s),
            lambda: (s, sp.floor(s) + 1),
            lambda: (s, sp.Abs(s)),
            lambda: (sp.Abs(s + t), sp.Abs(s) + sp.Abs(t)),
            lambda: (s, sp.Max(s, t)),
            lambda: (s, sp.sqrt(s**2)),
            lambda: (sp.Integer(0), sp.sqrt(s)),
            lambda: (s, s * s),
            lambda: (1 / (1 + s), 1 - s),
            lambda: (s / t, (s + 1) / (t + 1)),
            lambda: (sp.Integer(0), s / s),
            lambda: (sp.Integer(0), Phi(s)),
            lambda: (sp.Integer(0), s**t),
            lambda: (sp.Integer(0), sp.Sum(PLACE**2, (PLACE, 1, N))),
            lambda: law(drawn),
        ]
    )()
    return drawn.choice([less, at_most, at_most, equal])(left, bent(drawn, right))


# The methods --------------------------------------------------------------------------------------


def _last(claim: sp.Basic, method: by.Method, given: Sequence[sp.Basic] = (), *of: str) -> Step:
    return Step("last", "", claim, method, "", of, tuple(given))


def _identity(drawn: random.Random) -> tuple[list[Step], dict[str, Any]]:
    left, right = law(drawn)
    if drawn.random() < 0.2:
        # What may be negative is not its own size.
        right = slot(drawn) + slot(drawn)
        left = sp.Abs(right)
    left, right = wrapped(drawn, left, bent(drawn, right))
    steps, defined = [], []
    if drawn.random() < 0.3:
        # What is put in for a name may be undefined where the name is not.
        name = sp.Function("D")
        # Where its argument has a sign, the meaning has a value that it has not elsewhere.
        x = drawn.choice([X, X, A, C, K])
        meaning = drawn.choice([1 / x, sp.log(x), sp.sqrt(x), x**2, sp.binomial(x, 2), 1 / (x - 1)])
        s = slot(drawn)
        defined = [Step("named", "", equal(name(x), meaning), by.Defined(), "")]
        steps = list(defined)
        put = meaning.subs(x, s)
        pairs = [(left * name(s), right * put), (left / name(s), left / put)]
        pairs += [(name(s) * put**-1, sp.Integer(1)), (sp.exp(name(s)), sp.exp(put))]
        left, right = drawn.choice(pairs)
    given = hypotheses(drawn)
    if drawn.random() < 0.2:
        # What is equal in value may be of another form, to which other laws apply.
        one, other = drawn.choice([(sp.Integer(3), Y), (sp.Integer(-1), X), (N, Y), (K, X), (J, A)])
        given = (*given, equal(one, other))
        steps.append(Step("even", "", given[-1], by.Arithmetic(), "", (), given[-1:]))
        base = drawn.choice([X, Y, N, slot(drawn)])
        power = base**one + drawn.choice([K, C])
        pairs = [(sp.Abs(power), power), (sp.sqrt(power * A), sp.sqrt(power) * sp.sqrt(A))]
        pairs += [(left * base**one, right * base**other), (sp.sqrt(base ** (2 * one)), base**one)]
        left, right = drawn.choice(pairs)
    follows = [one.id for one in steps]
    last = _last(equal(left, right), by.Identity(), given, *follows)
    return [*steps, last], {"defined": defined}


def _arithmetic(drawn: random.Random) -> tuple[list[Step], dict[str, Any]]:
    claim = inequality(drawn)
    if drawn.random() < 0.2:
        claim = drawn.choice([both, lambda *x: sp.Or(*x, evaluate=False), implies])(
            claim, inequality(drawn)
        )
    return [_last(claim, by.Arithmetic(), hypotheses(drawn))], {}


def _ends(drawn: random.Random) -> tuple[Fraction, Fraction]:
    low, high = sorted(drawn.sample(_VALUES, 2))
    return low, high


def _enclosed(drawn: random.Random) -> tuple[list[Step], dict[str, Any]]:
    claim = inequality(drawn)
    # A set of symbols has another order in every process.
    box = {one: _ends(drawn) for one in sorted(claim.free_symbols, key=str)}
    inside = {
        one: [low, high, (low + high) / 2, Fraction(0) if low <= 0 <= high else high]
        for one, (low, high) in box.items()
    }
    return [_last(claim, by.Enclosed(box))], {"box": inside}


def _enumerated(drawn: random.Random) -> tuple[list[Step], dict[str, Any]]:
    claim, given = inequality(drawn), hypotheses(drawn)
    free = {one for part in (claim, *given) for one in part.free_symbols}
    grid = {one: tuple(drawn.sample(_of_kind(one), 3)) for one in sorted(free, key=str)}
    return [_last(claim, by.Enumerated(grid), given)], {"box": grid}


def _monotone(drawn: random.Random) -> tuple[list[Step], dict[str, Any]]:
    z = drawn.choice([Z, Z, Z, J, A])
    s = drawn.choice([X, A, K, sp.Integer(2)])
    functions = [z**2, 1 / z, sp.log(z), sp.exp(-z), sp.sqrt(z), z**3 - z, sp.Abs(z), sp.floor(z)]
    functions += [F(z), z**s, s**z, 1 / (z - 1), Phi(z), z / s, sp.Max(z, s), sp.log(z**2), z**-2]
    functions += [
        s * z,
        Y * z,
        X * z**2,
        sp.Sum(z * PLACE, (PLACE, 0, N)),
        sp.binomial(z, 2),
        sp.log(z - s),
        s / (1 + z),
    ]
    function = drawn.choice(functions)
    low, high = drawn.choice(
        [
            *((X, Y), (-A, B), (X, X + 1), (A, A + B), (-X, X), (Y, sp.Integer(2))),
            *((1 / Y, 1 + 1 / Y), (sp.sqrt(X), sp.sqrt(X) + 1), (1 / s, B / s)),
        ]
    )
    ends = [function.subs(z, low), function.subs(z, high)]
    if drawn.random() < 0.5:
        ends.reverse()
    given = drawn.choice([(), (at_most(low, high),), (less(0, low), at_most(low, high))])
    return [_last(at_most(*ends), by.Monotone(function, z, low, high), given)], {}


def _induction(drawn: random.Random) -> tuple[list[Step], dict[str, Any]]:
    n = drawn.choice([N, K, J])
    base = drawn.choice([sp.Integer(drawn.randint(-1, 2)), sp.Integer(1), M, K, X])
    s = slot(drawn)
    claim = drawn.choice(
        [
            lambda: at_most(n**2, 2**n),
            lambda: at_most(n, drawn.randint(0, 5)),
            lambda: less(s, n),
            lambda: at_most(s**n, 1),
            lambda: at_most(base, n),
            lambda: less(base, n),
            lambda: at_most(1 + n * s, (1 + s) ** n),
            lambda: less(0, s**n),
            lambda: equal(F(n), 0),
            lambda: at_most(F(n), F(n + 1)),
            lambda: at_most(n / n, 1),
            lambda: less(sp.Sum(PLACE, (PLACE, 1, n)), n**2),
            lambda: equal(n * (n - 1) * (n - 2), 0),
            lambda: inequality(drawn),
        ]
    )()
    last = _last(claim, by.Induction(n, base), hypotheses(drawn))
    return [last], {"given": (at_most(base, n),)}


@cache
def _generals() -> list[tuple[sp.Basic, tuple[sp.Basic, ...]]]:
    i, choose = PLACE, sp.binomial
    return [
        (at_most(sp.log(A), A - 1), ()),
        (less(0, 1 / A), ()),
        (less(0, A**X), ()),
        (at_most(0, K), ()),
        (at_most(N, N**2), ()),
        (at_most(1, J), ()),
        (equal(X * (1 / X + Y), 1 + X * Y), (sp.Ne(X, 0, evaluate=False),)),
        (equal(sp.sqrt(C) ** 2 + Y, C + Y), ()),
        (less(X, Y**2), (less(X, 0),)),
        (less(0, sp.log(X)), (less(1, X),)),
        (equal(sp.Sum((-1) ** i * choose(N, i), (i, 0, N)), 0), (at_most(1, N),)),
        (at_most(1, sp.Sum(choose(N, i), (i, 0, N))), (at_most(0, N),)),
        (at_most(0, choose(N, K)), (at_most(0, N),)),
        (implies(less(0, X), less(0, 1 / X)), ()),
        (equal(sp.Sum(F(i), (i, N, N)), F(N)), ()),
        (at_most(N, sp.floor(Y)), (at_most(N, Y),)),
        (at_most(sp.Abs(X), Y), (at_most(X, Y), at_most(-X, Y))),
    ]


def _instance(drawn: random.Random) -> tuple[list[Step], dict[str, Any]]:
    claim, given = drawn.choice(_generals())
    general = Step("general", "", claim, by.Assumed("known"), "", (), given)
    free = sorted(claim.free_symbols, key=str)
    at = {
        one: drawn.choice(
            [slot(drawn), whole(drawn), sp.Integer(drawn.randint(-2, 2)), sp.S.Half, PLACE]
        )
        for one in drawn.sample(free, drawn.randint(1, len(free)))
    }
    claim = substitute(claim, at)
    if isinstance(claim, sp.core.relational.Relational) and drawn.random() < 0.3:
        left, right = claim.args
        claim = claim.func(left, bent(drawn, right), evaluate=False)
    kept = tuple(substitute(one, at) for one in given if drawn.random() < 0.4)
    return [general, _last(claim, by.Instance("general", at), (*kept, *hypotheses(drawn)))], {}


def _summed(drawn: random.Random) -> tuple[list[Step], dict[str, Any]]:
    i = drawn.choice([PLACE, P])
    left, right, given = drawn.choice(
        [
            (i, i**2, ()),
            (sp.Integer(0), i, (at_most(0, i),)),
            (sp.Integer(0), i, (at_most(1, i),)),
            (sp.Integer(0), F(i), (less(0, F(i)),)),
            (sp.Integer(1), i, (at_most(1, i),)),
            (1 / i, sp.Integer(1), (at_most(1, i),)),
            (sp.Integer(0), i, ()) if i is P else (-(i**2), sp.Integer(0), ()),
            (i, N, (at_most(i, N),)),
        ]
    )
    general = Step("general", "", at_most(left, right), by.Assumed("known"), "", (), given)
    low, high = (
        drawn.choice([N, K, N + 1, N - 1, M, X, sp.Integer(drawn.randint(-3, 3))]) for _ in "12"
    )
    sums = [sp.Sum(one, (i, low, high)) for one in (left, bent(drawn, right))]
    if drawn.random() < 0.2:
        sums[1] = sp.Sum(right, (i, low, high + 1))
    # Zero terms vanish as they are built.
    return [general, _last(at_most(*sums), by.Summed("general"), hypotheses(drawn))], {}


def _sumrule(drawn: random.Random) -> tuple[list[Step], dict[str, Any]]:
    i = drawn.choice([PLACE, PLACE, P])
    low, high = (drawn.choice([N, K, J, M, N - 1, sp.Integer(drawn.randint(-1, 2))]) for _ in "12")
    s, function = slot(drawn), None
    term = drawn.choice([F(i), i, s * i, 1 / i, 1 / (i - 1), s**i, sp.binomial(N, i), sp.log(i)])
    left = sp.Sum(term, (i, low, high))
    rule = drawn.choice(
        ["first", "last", "single", "empty", "shift", "telescope", "linear", "none"]
    )
    match rule:
        case "first":
            right = term.subs(i, low) + sp.Sum(term, (i, low + 1, high))
        case "last":
            right = term.subs(i, high) + sp.Sum(term, (i, low, high - 1))
        case "single":
            right = term.subs(i, drawn.choice([low, high]))
        case "shift":
            c = drawn.choice([1, -1, N, sp.S.Half])
            ends = (low + c, high + drawn.choice([c, c, 1]))
            right = sp.Sum(term.subs(i, i - c), (i, *ends))
        case "telescope":
            function = drawn.choice([1 / i, i**2, F(i), sp.log(i), sp.Abs(i) / i])
            one = drawn.choice([1, 1, 2])
            left = sp.Sum(function.subs(i, i + one) - function, (i, low, high))
            right = function.subs(i, high + drawn.choice([1, 1, 0])) - function.subs(i, low)
        case "linear":
            left = 2 * left + s * sp.Sum(F(i), (i, low, high + drawn.choice([0, 0, 1])))
            right = sp.Sum(2 * term + s * F(i), (i, low, high))
        case _:
            right = sp.Integer(0)
    given = [
        *hypotheses(drawn),
        *drawn.choice([(), (), (at_most(low, high),), (equal(low, high),)]),
    ]
    return [_last(equal(left, bent(drawn, right)), by.SumRule(rule, function), given)], {}


def _defined(drawn: random.Random) -> tuple[list[Step], dict[str, Any]]:
    """Return a definition that no function satisfies, whatever is drawn."""
    name, c = sp.Function("D"), drawn.randint(1, 9)
    t = drawn.choice([X, A, K * X, X**2, F(X), sp.Integer(c), sp.exp(X)])
    claim = drawn.choice(
        [
            equal(name(X), t + Y),
            equal(name(X), c * Y * sp.Sum(PLACE, (PLACE, 1, J))),
            equal(name(X), name(X) + c),
            equal(name(X, X), Y + t),
            equal(name(X + 1), Y),
            equal(name(sp.Integer(c)), X),
            both(equal(name(0), X), implies(less(0, N), equal(name(N), N))),
            both(equal(name(0), 0), implies(at_most(0, N), equal(name(N), c))),
            both(equal(name(0), 0), implies(less(-c, N), equal(name(N), c))),
            both(equal(name(0), 0), implies(less(0, X), equal(name(X), Y))),
            both(equal(name(M), 0), implies(less(0, N), equal(name(N), c))),
            both(equal(name(0), 0), implies(less(0, N), equal(name(N), name(N) + c))),
            both(
                equal(name(PLACE, PLACE), 0),
                implies(
                    less(PLACE, N),
                    equal(
                        name(N, PLACE),
                        c + sp.Sum(sp.Abs(name(N - 1, PLACE)), (PLACE, N - 1 - c, N - 1 - c)),
                    ),
                ),
            ),
            both(equal(name(0), 0), implies(less(0, N), equal(name(N), t + Y))),
            equal(F(X), X),
            equal(F(X), t - t + 2),
            equal(X, c),
        ]
    )
    before = Step("before", "", equal(F(1), drawn.randint(3, 9)), by.Assumed("known"), "")
    given = drawn.choice([(), (less(0, X),)])
    return [before, _last(claim, by.Defined(), given)], {"point": {X: Fraction(1)}}


GENERATORS = {
    "identity": _identity,
    "arithmetic": _arithmetic,
    "enclosed": _enclosed,
    "enumerated": _enumerated,
    "monotone": _monotone,
    "induction": _induction,
    "instance": _instance,
    "summed": _summed,
    "sumrule": _sumrule,
    "defined": _defined,
}


def falsities(method: str, *, seed: int) -> Iterator[Falsity]:
    """Yield false steps of a method without end, the same ones for one seed."""
    drawn = random.Random(f"{method} {seed}")
    while True:
        try:
            steps, known = GENERATORS[method](drawn)
            for one in steps:
                for part in (one.claim, *one.given):
                    tree(part)
            point = known.pop("point", None) or witness(steps[-1], drawn, **known)
        except (KProofError, TypeError, ValueError, AttributeError, RecursionError):
            continue  # SymPy has no such term, or certificates have none.
        if point is not None:
            yield Falsity(tuple(steps), point)
