"""Normal forms of terms: quotients of polynomials over the integers, in atoms that are opaque.

Two terms are alike if their difference is the quotient 0. FLINT multiplies, adds and cancels; what
it cancels is never 0 where both terms are defined, which the caller asks of the solver
(:mod:`~kproof.theory.derivations.definedness`). An atom is a symbol or a function of terms that are
normal themselves. Four laws relate atoms, each wherever its terms are defined:

- ``(a^(1/q))^q = a``, and ``a^(s+t) = a^s a^t``, ``(ab)^s = a^s b^s`` for factors that are not
  negative, or for whole ``s``;
- ``exp(s log a) = a^s``;
- ``log(ab) = log a + log b`` for factors that are not negative, ``log(a^s) = s log a``;
- ``binomial(n, k) = r(k) r(n - k) / r(n)`` with ``r(k) = 1/k!``, 0 for negative whole numbers, and
  ``r(k - 1) = k r(k)`` for every real k.

A sum is an atom: what moves it are the rules of :mod:`~kproof.theory.derivations.sums`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, lcm
from typing import Any

from flint import Ordering, fmpz, fmpz_mpoly_ctx

from kproof.errors import Undecided
from kproof.theory.derivations.signs import Kinds, whole
from kproof.theory.derivations.trees import NUMBER, Tree

MOST_ATOMS = 64
"""Different atoms of one comparison."""
MOST_DEGREE = 64
"""Largest whole power that is multiplied out, and the widest shift of a factorial."""
MOST_ROUNDS = 24
"""How often a comparison begins anew, with finer roots or later factorials."""
_RING = fmpz_mpoly_ctx.get([f"a{i}" for i in range(MOST_ATOMS)], Ordering.lex)


class _Finer(Exception):
    """A root or a factorial needs another atom: the comparison begins anew."""


@dataclass(frozen=True)
class Quotient:
    """A quotient of polynomials without a common factor; the sign is above."""

    top: Any
    bottom: Any

    @staticmethod
    def of(top: Any, bottom: Any) -> Quotient:
        """Return the quotient in its lowest terms.

        Raises Undecided if it is a division by 0.
        """
        if not bottom:
            raise Undecided("a division by 0")
        common = top.gcd(bottom)
        # Without a rule for the sign a quotient would have two forms.
        if bottom.leading_coefficient() < 0:
            common = -common
        return Quotient(_exactly(top, common), _exactly(bottom, common))

    @staticmethod
    def number(value: Fraction | int) -> Quotient:
        """Return a rational number."""
        value = Fraction(value)
        top, bottom = (_RING.constant(part) for part in (value.numerator, value.denominator))
        return Quotient(top, bottom)

    @property
    def key(self) -> str:
        """A text that equal quotients share."""
        return f"({self.top})/({self.bottom})"

    @property
    def value(self) -> Fraction | None:
        """The number that it is; None if atoms occur in it."""
        if not (self.top.is_constant() and self.bottom.is_constant()):
            return None
        bottom = int(self.bottom.leading_coefficient())
        return Fraction(int(self.top.leading_coefficient()) if self.top else 0, bottom)

    def __add__(self, other: Quotient) -> Quotient:
        top = self.top * other.bottom + other.top * self.bottom
        return Quotient.of(top, self.bottom * other.bottom)

    def __sub__(self, other: Quotient) -> Quotient:
        return self + Quotient.number(-1) * other

    def __mul__(self, other: Quotient) -> Quotient:
        return Quotient.of(self.top * other.top, self.bottom * other.bottom)

    def __pow__(self, times: int) -> Quotient:
        if abs(times) > MOST_DEGREE:
            raise Undecided(f"the power {times} is too large")
        ends = (self.top, self.bottom) if times >= 0 else (self.bottom, self.top)
        return Quotient.of(*(end ** abs(times) for end in ends))


def _exactly(polynomial: Any, factor: Any) -> Any:
    return divmod(polynomial, factor)[0]


_ONE = Quotient.number(1)


@dataclass(frozen=True)
class _Atom:
    """What a generator of the ring stands for."""

    place: int
    value: Quotient
    nonnegative: bool = False
    inner: Quotient | None = None
    """What a logarithm is of."""
    base: Quotient | None = None
    """Of a power; None is e."""
    exponent: Quotient | None = None
    """Of a power, and None of what is no power."""
    per: int = 1
    """It is a power to the ``1 / per``-th of its exponent."""

    @property
    def root(self) -> bool:
        """Whether its power ``per`` is its base."""
        return self.base is not None and self.exponent == _ONE


class Normaliser:
    """Compares terms whose symbols are of given kinds: ``("integer", "positive")`` and the like.

    >>> normaliser = Normaliser({"x": ["real"], "n": ["integer", "positive"]})
    >>> normaliser.alike(["^", ["+", "1", "x"], "2"], ["+", "1", ["*", "2", "x"], ["^", "x", "2"]])
    True
    >>> normaliser.alike(["sum", "x", "x", "1", "n"], ["sum", "n", "n", "1", "n"])
    True
    >>> normaliser.alike(["^", ["^", "x", "2"], "1/2"], "x")
    False
    """

    def __init__(self, kinds: Kinds) -> None:
        self._kinds = kinds
        self._atoms: dict[str, _Atom] = {}
        # These two only grow and keys of atoms stay: so beginning anew comes to an end.
        self._per: dict[str, int] = {}
        self._latest: dict[str, int] = {}

    def alike(self, lhs: Tree, rhs: Tree) -> bool:
        """Return whether two terms have one value wherever both are defined.

        Raises Undecided if a division by 0 occurs in one, or they are too large.
        """
        for _ in range(MOST_ROUNDS):
            try:
                return not self._reduce(self._term(lhs, ()) - self._term(rhs, ())).top
            except _Finer:
                continue
        raise Undecided("too many roots or factorials")

    def _term(self, node: Tree, bound: tuple[str, ...]) -> Quotient:
        return self._reduce(self._read(node, bound))

    def _read(self, node: Tree, bound: tuple[str, ...]) -> Quotient:
        if isinstance(node, str):
            return self._leaf(node, bound)
        name, parts = str(node[0]), node[1:]
        if name == "sum":
            term, variable, *ends = parts
            end_keys = [self._term(end, bound).key for end in ends]
            summand = self._term(term, (*bound, str(variable)))
            # The name of the variable is no part of it: the summand has its depth.
            return self._atom(f"sum {len(bound)} {summand.key} {end_keys}").value
        if name == "apply":
            name, parts = f"apply {parts[0]}", parts[1:]
        terms = [self._term(part, bound) for part in parts]
        match name:
            case "+":
                return sum(terms[1:], terms[0])
            case "*":
                result = terms[0]
                for factor in terms[1:]:
                    result = result * factor
                return result
            case "^":
                return self._power(*terms, is_whole=whole(parts[1], self._kinds))
            case "exp":
                return self._exponential(terms[0])
            case "log":
                return self._logarithm(terms[0])
            case "binomial":
                n, k = terms
                above = self._reciprocal(n)
                return self._reciprocal(k) * self._reciprocal(n - k) * above**-1
            case "max" | "min":
                # A set, sorted: max(a, b), max(b, a) and max(a, a, b) are one atom.
                keys = sorted({term.key for term in terms})
                return terms[0] if len(keys) == 1 else self._atom(f"{name} {keys}").value
            case "abs":
                if self._plainly_positive(terms[0].top, terms[0].bottom):
                    return terms[0]
                if terms[0].top.leading_coefficient() < 0:
                    terms = [Quotient.number(-1) * terms[0]]
        keys = [term.key for term in terms]
        return self._atom(f"{name} {keys}", nonnegative=name in ("abs", "Phi")).value

    def _leaf(self, text: str, bound: tuple[str, ...]) -> Quotient:
        if NUMBER.match(text):
            return Quotient.number(Fraction(text))
        if text in bound:
            # Of the sign of a summation variable nothing is used: its range may begin anywhere.
            depth = len(bound) - 1 - bound[::-1].index(text)
            return self._atom(f"bound {depth}").value
        signed = text == "pi" or len(self._kinds[text]) > 1
        return self._atom(f"symbol {text}", nonnegative=signed).value

    def _atom(self, key: str, **facts: Any) -> _Atom:
        if key not in self._atoms:
            place = len(self._atoms)
            if place == MOST_ATOMS:
                raise Undecided(f"more than {MOST_ATOMS} different terms")
            value = Quotient(_RING.gen(place), _RING.constant(1))
            self._atoms[key] = _Atom(place, value, **facts)
        return self._atoms[key]

    def _at(self, place: int) -> _Atom:
        return list(self._atoms.values())[place]

    # Powers ---------------------------------------------------------------------------------------

    def _power(self, base: Quotient, exponent: Quotient, *, is_whole: bool) -> Quotient:
        value = exponent.value
        if value is not None and value.denominator == 1:
            return base ** int(value)
        if not base.top:
            raise Undecided("a power of 0")
        result = _ONE
        for factor, times in self._factors(base, signed=is_whole):
            result *= self._raise_to(factor, exponent * Quotient.number(times), is_whole=is_whole)
        return result

    def _raise_to(
        self, base: Quotient | None, exponent: Quotient, *, is_whole: bool = False
    ) -> Quotient:
        """Return a power of what has no factors, or of e."""
        inner = self._power_atom(base)
        if inner is not None and inner.exponent is not None:
            power = exponent * inner.exponent * Quotient.number(Fraction(1, inner.per))
            return self._raise_to(inner.base, power)
        # A whole power says nothing of the sign of its base: where that may be negative, it is
        # another atom than the powers that such a base has not.
        signed = is_whole and base is not None and not self._plainly_positive(base.top, base.bottom)
        result = _ONE
        for coefficient, part in _parts(exponent):
            if part == _ONE and coefficient.denominator == 1 and base is not None:
                result *= base ** int(coefficient)
                continue
            key = f"power {signed} {base and base.key} {part.key}"
            per = self._per.setdefault(key, 1)
            if (coefficient * per).denominator > 1:
                self._per[key] = lcm(per, coefficient.denominator)
                raise _Finer
            facts = {"nonnegative": not signed, "base": base, "exponent": part, "per": per}
            atom = self._atom(f"{key} {per}", **facts)
            result *= atom.value ** int(coefficient * per)
        return result

    def _power_atom(self, value: Quotient | None) -> _Atom | None:
        """Return the atom that a value is, if it is a power of what is not negative."""
        for atom in self._atoms.values():
            if atom.value == value and atom.exponent is not None and atom.nonnegative:
                return atom
        return None

    def _exponential(self, exponent: Quotient) -> Quotient:
        result = _ONE
        for coefficient, part in _parts(exponent):
            term = part * Quotient.number(coefficient)
            atoms = map(self._at, _powers(part.top))
            logarithms = [(atom.value, atom.inner) for atom in atoms if atom.inner is not None]
            if logarithms:
                value, inner = logarithms[0]
                result *= self._power(inner, term * value**-1, is_whole=False)
            else:
                result *= self._raise_to(None, term)
        return result

    def _logarithm(self, inner: Quotient) -> Quotient:
        if not inner.top:
            raise Undecided("a logarithm of 0")
        result = Quotient.number(0)
        for factor, times in self._factors(inner, signed=False):
            power = self._power_atom(factor)
            if power is None or power.exponent is None:
                term = self._atom(f"log {factor.key}", inner=factor).value
            else:
                of_base = _ONE if power.base is None else self._logarithm(power.base)
                term = of_base * power.exponent * Quotient.number(Fraction(1, power.per))
            result += term * Quotient.number(times)
        return result

    def _factors(self, product: Quotient, *, signed: bool) -> Iterator[tuple[Quotient, int]]:
        """Yield factors with their exponents: none but the last is negative, unless all may be."""
        remainders = []
        for polynomial, sign in ((product.top, 1), (product.bottom, -1)):
            content = abs(int(polynomial.content()))
            # Prime by prime, or sqrt(8) and 2 sqrt(2) would be different terms.
            for prime, times in fmpz(content).factor():
                yield Quotient.number(int(prime)), sign * times
            remainder = _exactly(polynomial, _RING.constant(content))
            for place, times in _powers(remainder.term_content()).items():
                atom = self._at(place)
                if signed or atom.nonnegative:
                    yield atom.value, sign * times
                    remainder = _exactly(remainder, atom.value.top**times)
            if signed and remainder.leading_coefficient() < 0:
                yield Quotient.number(-1), sign
                remainder = -remainder
            remainders.append(remainder)
        if signed or self._plainly_positive(remainders[1]):
            parts = [
                (Quotient(polynomial, _RING.constant(1)), sign)
                for polynomial, sign in zip(remainders, (1, -1), strict=True)
            ]
        else:
            parts = [(Quotient(*remainders), 1)]
        yield from (part for part in parts if part[0] != _ONE)

    def _plainly_positive(self, *polynomials: Any) -> bool:
        """Return whether no term of them has a part that may be negative."""
        terms = (term for polynomial in polynomials for term in polynomial.terms())
        return all(
            coefficient > 0 and all(self._at(place).nonnegative for place in _places(powers))
            for powers, coefficient in terms
        )

    # Reduction ------------------------------------------------------------------------------------

    def _reduce(self, quotient: Quotient) -> Quotient:
        """Put in what powers of roots are, the outermost roots first."""
        # The base of a root has atoms made before it only, so that no root comes back once it is
        # put in.
        for atom in reversed(list(self._atoms.values())):
            if atom.root:
                below = _powers(quotient.bottom.term_content()).get(atom.place, 0)
                if below:
                    # Both sides are multiplied until the power below is a multiple of `per`: no
                    # root stays there.
                    factor = atom.value.top ** (-below % atom.per)
                    quotient = Quotient(quotient.top * factor, quotient.bottom * factor)
                ends = (quotient.top, quotient.bottom)
                if any(end and end.degrees()[atom.place] >= atom.per for end in ends):
                    quotient = (
                        self._expand_root(atom, quotient.top)
                        * self._expand_root(atom, quotient.bottom) ** -1
                    )
                    return self._reduce(quotient)
        return quotient

    def _expand_root(self, root: _Atom, polynomial: Any) -> Quotient:
        assert root.base is not None
        by_times: dict[int, dict[tuple[int, ...], Any]] = {}
        for powers, coefficient in polynomial.terms():
            times, remainder = divmod(int(powers[root.place]), root.per)
            monomial = (*powers[: root.place], remainder, *powers[root.place + 1 :])
            by_times.setdefault(times, {})[monomial] = coefficient
        result = Quotient.number(0)
        for times, terms in by_times.items():
            result += Quotient(_RING.from_dict(terms), _RING.constant(1)) * root.base**times
        return result

    def _reciprocal(self, value: Quotient) -> Quotient:
        """Return ``1 / value!``, which is 0 for negative whole numbers, by that of the latest."""
        # The whole number in the argument is taken off: 1/(k + 3)! and 1/k! are then one atom and
        # factors, whichever comes first.
        shift = 0
        if value.bottom == 1:
            zero = (0,) * MOST_ATOMS
            shift = int(value.top.to_dict().get(zero, 0))
        unshifted = value - Quotient.number(shift)
        if abs(shift) > MOST_DEGREE:
            raise Undecided(f"a factorial shifted by {shift}")
        if not unshifted.top:
            return Quotient.number(Fraction(1, factorial(shift)) if shift >= 0 else 0)
        latest = self._latest.setdefault(unshifted.key, shift)
        if shift > latest:
            self._latest[unshifted.key] = shift
            raise _Finer
        result = self._atom(f"reciprocal {unshifted.key} {latest}").value
        for step in range(shift + 1, latest + 1):
            result *= unshifted + Quotient.number(step)
        return result


def _places(powers: Sequence[int]) -> list[int]:
    return [place for place, times in enumerate(powers) if times]


def _powers(monomial: Any) -> dict[int, int]:
    """Return the exponent of each atom that occurs in a polynomial of one term."""
    ((powers, _),) = monomial.terms()
    return {place: int(powers[place]) for place in _places(powers)}


def _parts(quotient: Quotient) -> Iterator[tuple[Fraction, Quotient]]:
    """Yield the monomials of a numerator over the denominator, each with its coefficient."""
    content = int(quotient.bottom.content())
    bottom = _exactly(quotient.bottom, _RING.constant(content))
    for powers, coefficient in quotient.top.terms():
        monomial = _RING.from_dict({powers: 1})
        yield Fraction(int(coefficient), content), Quotient.of(monomial, bottom)
