"""Privacy loss as an object: two worlds, what is released in each, and what that gives away."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, overload

from flint import arb

from kproof.errors import InvalidArgument, Undecided
from kproof.notebooks import NotebookText, latex_lines, latex_words
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import START_BITS, ladder, working_bits
from kproof.theory.exact.typed import Number, as_arb, choice, integer, rational
from kproof.theory.laws.base import LatticeLaw, Law
from kproof.theory.laws.several_sums import Cell, SeveralSums
from kproof.theory.losses.accounting import Exported, exported, imported
from kproof.theory.losses.atoms import Atoms, RationalAtoms
from kproof.theory.losses.divergences import least_rho, log_moment, relative_entropy
from kproof.theory.losses.grid import POINTS, LossGrid
from kproof.theory.losses.pairs import (
    LawPair,
    LossesPair,
    NormalPair,
    Pair,
    SampledPair,
    TablePair,
    shifted,
)
from kproof.theory.losses.products import any_of
from kproof.theory.losses.routes import (
    ASSUMPTION,
    Releases,
    Route,
    deltas,
    grid_deltas,
    grid_inverses,
    grids_of,
    inverses,
    route_of,
)
from kproof.theory.losses.trade_off import TradeOff
from kproof.theory.profiles.input import Direction, Grid, each, is_grid
from kproof.theory.profiles.inverse import INFINITE, ZERO
from kproof.theory.profiles.side import Goal

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

SCHEMA = 1
MOST_RELEASES = 10**9
_MOST_BITS = 4096
_LEVELS = 64


class Randomness(StrEnum):
    """What two releases of the same people have in common."""

    DISJOINT = "disjoint"
    """Given the world, the randomness of one is independent of that of the other."""
    SHARED = "shared"
    """They depend on the same random records."""


class World(StrEnum):
    """One of the two worlds that must not be told apart."""

    FIRST = "first"
    SECOND = "second"


@dataclass(frozen=True)
class PrivacyLoss(NotebookText):
    """What some releases tell about which of two worlds is the true one.

    P is the law of all that is released in the first world, Q in the second. The loss keeps the
    pairs of laws that it is composed of; answers are worked out when they are asked for, so that
    errors do not add up along the way.

    Make one with :meth:`from_law`, :meth:`from_laws`, :meth:`from_tables`,
    :meth:`from_dp_accounting`, or with the functions of :mod:`kproof.theory.losses.adjacency`.

    >>> answer = PrivacyLoss.from_tables({"yes": "3/4", "no": "1/4"}, {"yes": "1/4", "no": "3/4"})
    >>> print(answer.epsilon(0), answer.delta(0))
    1.098612 0.5
    >>> hundred = answer.power(100, randomness="disjoint")
    >>> hundred.route, str(hundred.epsilon("1e-6"))
    (<Route.ENUMERATION: 'enumeration'>, '94.28987')
    >>> answer.power(100, randomness="shared")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: randomness = shared: need disjoint: the joint law of releases \
that share random records is not known from the law of each; for sums of the same records, from_sums
    """

    releases: Releases
    """Different pairs of laws, and how often each is composed."""
    direction: Direction = Direction.BOTH
    """Which of δ(P, Q) and δ(Q, P) is asked for; by default the larger."""

    @classmethod
    def from_law(
        cls, law: Law, *, shift: Number = 1, direction: Direction | str = Direction.BOTH
    ) -> PrivacyLoss:
        """Return the loss of a release F that is F + s in the other world.

        Args:
            law: The law of F: a lattice law or a :class:`~kproof.theory.laws.Normal`.
            shift: s > 0.
            direction: ``up`` is F against F + s, ``down`` the reverse; by default the larger.

        Raises:
            InvalidArgument: If an argument is out of range, or the law is neither a lattice law nor
                normal.

        >>> from kproof.theory.laws import Binomial
        >>> print(PrivacyLoss.from_law(Binomial(100, "1/2")).delta("0.5"))
        0.0005698563
        """
        return cls.of(shifted(law, rational("shift", shift, above=0)), direction=direction)

    @classmethod
    def from_laws(
        cls, first: LatticeLaw, second: LatticeLaw, *, direction: Direction | str = Direction.BOTH
    ) -> PrivacyLoss:
        """Return the loss of a release with one lattice law or another.

        >>> from kproof.theory.laws import Binomial
        >>> print(PrivacyLoss.from_laws(Binomial(10, "1/2"), Binomial(10, "0.6")).epsilon(0))
        2.231436
        """
        for name, law in (("first", first), ("second", second)):
            if not isinstance(law, LatticeLaw):
                raise InvalidArgument(name, law, "a lattice law")
        return cls.of(LawPair(first, second, Fraction(0)), direction=direction)

    @classmethod
    def from_tables(
        cls,
        first: Mapping[Hashable, Number],
        second: Mapping[Hashable, Number],
        *,
        direction: Direction | str = Direction.BOTH,
    ) -> PrivacyLoss:
        """Return the loss of a release with finitely many outcomes, whatever they are.

        Args:
            first, second: The probability of each outcome in either world, exactly as typed; an
                outcome that is not named has probability 0.

        Raises:
            InvalidArgument: If a probability is outside [0, 1] or those of one world do not sum to
                exactly 1.

        >>> PrivacyLoss.from_tables({"a": 1}, {"a": "0.9"})
        Traceback (most recent call last):
            ...
        kproof.errors.InvalidArgument: sum of second = 9/10: need exactly 1
        """
        ours, theirs = _table("first", first), _table("second", second)
        outcomes = tuple(dict.fromkeys((*ours, *theirs)))
        none = Fraction(0)
        masses = RationalAtoms(
            tuple((ours.get(outcome, none), theirs.get(outcome, none)) for outcome in outcomes)
        )
        return cls.of(TablePair(outcomes, masses), direction=direction)

    @classmethod
    def from_sums(
        cls, sums: SeveralSums, cell: Cell, *, shift: Number = 1, others_only: bool = False
    ) -> PrivacyLoss:
        """Return what several sums of the same records together tell about one of them.

        The sums share their randomness, so that their losses must not be composed; their joint
        law is worked out instead.

        Args:
            sums: From :func:`~kproof.theory.laws.several_sums.several_sums`.
            cell: One of ``sums.cells``: the records that are in the same sums as the victim's.
            shift, others_only: As in
                :meth:`SeveralSums.told <kproof.theory.laws.several_sums.SeveralSums.told>`.

        Ten dice, and the first five of them: together they tell as much of the first die as the
        sum of five.

        >>> from kproof.theory.laws import FiniteLattice, iid
        >>> from kproof.theory.laws.several_sums import several_sums
        >>> die = FiniteLattice({face: "1/6" for face in range(1, 7)})
        >>> sums = several_sums(die, [range(10), range(5)], n=10)
        >>> print(PrivacyLoss.from_sums(sums, sums.cells[0]).delta("0.1"))
        0.06242662
        >>> print(PrivacyLoss.from_law(iid(die, 5)).delta("0.1"))
        0.06242662
        """
        view = sums.told(cell, shift=shift, others_only=others_only)
        if view.law is None:
            return cls.from_tables({"before": 1}, {"after": 1})
        return cls.from_law(view.law, shift=view.shift)

    @classmethod
    def of(cls, pair: Pair, *, direction: Direction | str = Direction.BOTH) -> PrivacyLoss:
        """Return the loss of one pair of laws."""
        releases = () if pair.equal else ((pair, 1),)
        return cls(releases, choice("direction", direction, Direction))

    @classmethod
    def from_dp_accounting(cls, distribution: PrivacyLossDistribution) -> PrivacyLoss:
        """Return the loss that a distribution of dp_accounting stands for, as it is.

        Its floats are taken for exact numbers; whether they dominate a mechanism is known to
        whoever made them. Its direction *add* becomes ``up`` and *remove* becomes ``down``.
        """
        return cls.of(imported(distribution))

    def _repr_latex_(self) -> str:
        sides = {
            Direction.UP: r"(P(O) - e^{\varepsilon} Q(O))",
            Direction.DOWN: r"(Q(O) - e^{\varepsilon} P(O))",
        }
        side = sides.get(self.direction, rf"\max\{{{', '.join(sides.values())}\}}")
        count = sum(times for _, times in self.releases)
        notes = [f"{count} releases" if count > 1 else "1 release", self.assumption]
        return latex_lines(
            [
                rf"\delta(\varepsilon) &= \sup_O {side}",
                *(f"& {latex_words(note)}" for note in notes if note),
            ]
        )

    @property
    def route(self) -> Route:
        """How answers are worked out."""
        return self._route

    @cached_property
    def _route(self) -> Route:
        return route_of(self.releases)

    @property
    def assumption(self) -> str:
        """What δ, ε and the trade-off curve assume of software that proves nothing; else empty."""
        return ASSUMPTION if self.route is Route.GRID else ""

    @property
    def count(self) -> int:
        """How many releases there are, those that lose nothing left out."""
        return sum(times for _, times in self.releases)

    @overload
    def delta(
        self, epsilon: Number, *, relative_width: Number = ..., points: int = ...
    ) -> Enclosure: ...
    @overload
    def delta(
        self, epsilon: Grid, *, relative_width: Number = ..., points: int = ...
    ) -> tuple[Enclosure, ...]: ...

    def delta(
        self, epsilon: Number | Grid, *, relative_width: Number = 1e-12, points: int = POINTS
    ) -> Enclosure | tuple[Enclosure, ...]:
        """Return the least δ that goes with ε, over all measurable events.

        Args:
            epsilon: At least 0, exactly as typed; or a list, tuple or 1-D array of such.
            relative_width: Largest width of an enclosure over its magnitude, from 1e-300 to below
                1, in closed form and by enumeration.
            points: Points of the loss grid, from 2**10 to 2**24; more of them make narrower
                enclosures.

        Returns:
            Within [0, 1]. On a grid they are as wide as the bounds on all errors ask.

        Raises:
            InvalidArgument: If an argument is out of range.
            TooLarge: If a law has more points than its budget.
        """
        exponents = [rational("epsilon", value, least=0) for value in each("epsilon", epsilon)]
        answers = self._deltas(exponents, _goal(relative_width), _points(points))
        return tuple(answers) if is_grid(epsilon) else answers[0]

    def _deltas(self, exponents: Sequence[Fraction], goal: Goal, points: int) -> list[Enclosure]:
        if not self.releases:
            return [ZERO] * len(exponents)
        if self.route is Route.GRID:
            return grid_deltas(self._grids(points), exponents)
        return deltas(self.releases, self.direction, exponents, goal)

    @overload
    def epsilon(
        self, delta: Number, *, relative_width: Number = ..., points: int = ...
    ) -> Enclosure: ...
    @overload
    def epsilon(
        self, delta: Grid, *, relative_width: Number = ..., points: int = ...
    ) -> tuple[Enclosure, ...]: ...

    def epsilon(
        self, delta: Number | Grid, *, relative_width: Number = 1e-12, points: int = POINTS
    ) -> Enclosure | tuple[Enclosure, ...]:
        """Return the least ε >= 0 that goes with δ, over all measurable events.

        Args:
            delta: From 0 to 1, exactly as typed; or several. For 0 the answer is the largest
                privacy loss, infinite where one world has an outcome that the other has not.
            relative_width, points: As in :meth:`delta`.

        Raises:
            InvalidArgument: If an argument is out of range.
            TooLarge: If a law has more points than its budget.
        """
        targets = [rational("delta", value, least=0, most=1) for value in each("delta", delta)]
        answers = self._epsilons(targets, _goal(relative_width), _points(points))
        return tuple(answers) if is_grid(delta) else answers[0]

    def _epsilons(self, targets: Sequence[Fraction], goal: Goal, points: int) -> list[Enclosure]:
        if not self.releases:
            return [ZERO] * len(targets)
        if self.route is Route.GRID:
            grids = self._grids(points)
            return grid_inverses(self.releases, self.direction, grids, targets, goal)
        return inverses(self.releases, self.direction, targets, goal)

    def _grids(self, points: int) -> list[LossGrid]:
        size = 1 << (points - 1).bit_length()
        if size not in self._grid_cache:
            self._grid_cache[size] = grids_of(self.releases, self.direction, size)
        return self._grid_cache[size]

    @cached_property
    def _grid_cache(self) -> dict[int, list[LossGrid]]:
        return {}

    def compose(self, other: PrivacyLoss, *, randomness: Randomness | str) -> PrivacyLoss:
        """Return the loss of these releases and others together.

        Both must be about the same two worlds, in the same order: if one sum rises with the
        victim's value and another falls, swap the laws of one.

        Args:
            other: The loss of the other releases.
            randomness: ``disjoint`` if, given the world, the randomness of one is independent of
                that of the other. Releases that depend on the same random records are ``shared``;
                their joint law is not known from the law of each, so that there is no answer here.

        Raises:
            InvalidArgument: If the randomness is shared, or the directions differ.
        """
        _disjoint(randomness)
        if other.direction is not self.direction:
            raise InvalidArgument(
                "direction of other",
                other.direction.value,
                f"{self.direction.value} as in this loss",
            )
        counts = dict(self.releases)
        for pair, times in other.releases:
            counts[pair] = counts.get(pair, 0) + times
        return PrivacyLoss(tuple(counts.items()), self.direction)

    def power(self, times: Number, *, randomness: Randomness | str) -> PrivacyLoss:
        """Return the loss of ``times`` equal releases; ``randomness`` as in :meth:`compose`.

        Raises:
            InvalidArgument: If the randomness is shared, or ``times`` is not a whole number from 1
                to 10**9.
        """
        _disjoint(randomness)
        count = integer("times", times, least=1, most=MOST_RELEASES)
        releases = tuple((pair, before * count) for pair, before in self.releases)
        return PrivacyLoss(releases, self.direction)

    def group(self, size: Number) -> PrivacyLoss:
        """Return the loss for ``size`` victims whose values shift every release alike.

        The law is shifted ``size`` times as far, which is exact. The general bound, ε times the
        size and δ times a power of e^ε, holds without the law and is far larger.

        Raises:
            InvalidArgument: If a release is not a law and its shift: then nothing tells what more
                victims change.

        >>> from kproof.theory.laws import Binomial
        >>> print(PrivacyLoss.from_law(Binomial(100, "1/2")).group(3).delta("0.5"))
        0.08503939
        """
        victims = integer("size", size, least=1, most=MOST_RELEASES)
        counts: dict[Pair, int] = {}
        for pair, times in self.releases:
            moved = pair.group(victims)
            counts[moved] = counts.get(moved, 0) + times
        return PrivacyLoss(tuple(counts.items()), self.direction)

    def mixture(self, rate: Number, *, victim: World | str) -> PrivacyLoss:
        """Return the loss if the victim's record takes part with some probability only.

        Each record is sampled independently of the others; a victim who is not sampled leaves the
        world that does not have the record. With r the rate and the victim in the first world, the
        pair becomes rP + (1-r)Q against Q; with the victim in the second, P against rQ + (1-r)P.

        Args:
            rate: From 0 to 1.
            victim: The world with the victim's record: ``first`` (a record is removed) or
                ``second`` (a record is added). After ``from_law`` the second world, F + s, has it.

        Raises:
            InvalidArgument: If an argument is out of range, or this is an imported loss, or a
                composition: each release is sampled before they are composed.

        >>> loss = PrivacyLoss.from_tables({0: "0.9", 1: "0.1"}, {0: "0.5", 1: "0.5"})
        >>> print(loss.delta(0), loss.mixture("0.1", victim="second").delta(0))
        0.4 0.04
        """
        chance = rational("rate", rate, least=0, most=1)
        world = choice("victim", victim, World)
        self._needs_laws("a mixture")
        if chance == 1 or not self.releases:
            return self
        if chance == 0:
            return PrivacyLoss((), self.direction)
        if self.count > 1:
            raise InvalidArgument(
                "releases", self.count, "one: sample each release before they are composed"
            )
        ((pair, _),) = self.releases
        sampled = SampledPair(pair, chance, world is World.SECOND)
        return PrivacyLoss(((sampled, 1),), self.direction)

    def trade_off(
        self,
        epsilons: Grid | None = None,
        *,
        tested: World | str = World.FIRST,
        points: int = POINTS,
    ) -> TradeOff:
        """Return the curve of the errors of the first and the second kind (f-DP).

        Args:
            epsilons: At which ε both directions are worked out, 0 in any case; the more the
                narrower. By default 65 between 0 and a number at which δ is near its limit.
            tested: The world that the test rejects or keeps, ``first`` or ``second``.
            points: As in :meth:`delta`.

        Raises:
            InvalidArgument: If this loss is about one direction only (the curve takes both), or an
                imported one.

        >>> from kproof.theory.laws import Normal
        >>> print(PrivacyLoss.from_law(Normal(0, 1)).trade_off().at("0.05"))
        [0.7404, 0.741]
        """
        self._needs_both("a trade-off curve")
        self._needs_laws("a trade-off curve")
        world = choice("tested", tested, World)
        points = _points(points)
        if epsilons is None:
            end = self._flat_from(points)
            levels = [end * Fraction(i, _LEVELS) for i in range(_LEVELS + 1)]
        else:
            levels = [rational("epsilons", value, least=0) for value in each("epsilons", epsilons)]
        levels = sorted({Fraction(0), *levels})
        ways = (
            (Direction.UP, Direction.DOWN)
            if world is World.FIRST
            else (Direction.DOWN, Direction.UP)
        )
        forward, backward = (replace(self, direction=way) for way in ways)
        curves = [way._deltas(levels, _goal("1e-20"), points) for way in (forward, backward)]
        limit = Fraction(backward.limit.lower)
        return TradeOff(tuple(levels), tuple(curves[0]), tuple(curves[1]), limit)

    @property
    def limit(self) -> Enclosure:
        """The limit of δ(ε) for large ε: what is seen in one world and never in the other."""
        with working_bits(START_BITS):
            balls = []
            for down in self.direction.pick(0, 1):
                sides = [(pair.sides(None)[down], times) for pair, times in self.releases]
                lower = any_of([(atoms.alone, times) for atoms, times in sides])
                upper = any_of([(atoms.alone + atoms.missing, times) for atoms, times in sides])
                balls.append(lower.union(upper))
            ball = balls[0] if len(balls) == 1 else balls[0].max(balls[1])
            return Enclosure.from_arb(ball, low=0, high=1)

    def _flat_from(self, points: int) -> Fraction:
        """Return a short number from which on δ is near its limit."""
        target = Fraction(self.limit.upper) + Fraction(1, 10**6)
        if target >= 1 or not self.releases:
            return Fraction(1)
        (flat,) = self._epsilons([target], _goal("1e-6"), points)
        end = flat.upper if flat.upper.is_finite() else flat.lower
        return Fraction(ceil(end * 1000) + 1, 1000)

    def _needs_both(self, purpose: str) -> None:
        if self.direction is not Direction.BOTH:
            raise InvalidArgument("direction", self.direction.value, f"both for {purpose}")

    def _needs_laws(self, purpose: str) -> None:
        """Refuse what cannot be said of floats that stand for a pair of laws unknown."""
        for pair, _ in self.releases:
            if isinstance(pair, LossesPair):
                raise InvalidArgument("release", pair.name, f"a pair of laws for {purpose}")

    def to_dp_accounting(self, *, interval: Number = "1e-4", points: int = POINTS) -> Exported:
        """Return a distribution of dp_accounting that dominates this loss, and its error.

        Losses are spread onto multiples of the interval such that no δ falls; what rounding and
        unlisted masses may hide is counted as an infinite loss. ``up`` becomes *add*, ``down``
        becomes *remove*. What dp_accounting does with the result is its own affair.

        Args:
            interval: The step of dp_accounting's grid, taken as the nearest float.
            points: As in :meth:`delta`; for compositions only.

        Raises:
            InvalidArgument: If dp_accounting is not installed
                (``pip install 'kproof[accounting]'``), this loss is about one direction only, or an
                argument is out of range.
        """
        self._needs_both("dp_accounting")
        step = float(rational("interval", interval, least=Fraction(1, 10**7), most=1))
        return exported(self._grids(_points(points)) if self.releases else [], step)

    def to_dict(self) -> dict[str, object]:
        """Return what this loss is made of, for a JSON document."""
        return {
            "schema": SCHEMA,
            "direction": self.direction.value,
            "route": self.route.value,
            "assumption": self.assumption,
            "releases": [{"laws": pair.name, "times": times} for pair, times in self.releases],
        }

    def renyi(self, alpha: Number, *, relative_width: Number = 1e-12) -> Enclosure:
        """Return the Rényi divergence of an order, the larger of the directions asked for.

        Args:
            alpha: At least 1; 1 is the relative entropy.
            relative_width: As in :meth:`delta`.

        Returns:
            Infinite where one world has an outcome that the other has not.

        Raises:
            InvalidArgument: If the order is below 1, or a release is a sampled normal law, whose
                divergence is not worked out here.

        >>> from kproof.theory.laws import Binomial
        >>> print(PrivacyLoss.from_laws(Binomial(10, "1/2"), Binomial(10, "0.6")).renyi(2))
        0.4082199
        >>> print(PrivacyLoss.from_law(Binomial(10, "1/2")).renyi(2))
        Infinity
        """
        self._needs_laws("a Rényi divergence")
        order = rational("alpha", alpha, least=1)

        def divergence(factors: Sequence[tuple[Atoms, int]]) -> arb:
            if order == 1:
                return relative_entropy(factors)
            exact = as_arb(order)
            return log_moment(factors, exact) / (exact - 1)

        return self._divergence(divergence, order / 2, _goal(relative_width))

    def zcdp(self, *, relative_width: Number = 1e-6) -> Enclosure:
        """Return the least ρ such that the Rényi divergence of every order α > 1 is at most ρα.

        Args:
            relative_width: As in :meth:`delta`; not far below 1e-9, since orders are searched.

        Returns:
            Infinite where one world has an outcome that the other has not; that is so for every sum
            of finitely many bounded records against its shift.

        Raises:
            InvalidArgument: If a release is a sampled normal law.

        >>> from kproof.theory.laws import Normal
        >>> print(PrivacyLoss.from_law(Normal(0, 4)).power(10, randomness="disjoint").zcdp())
        1.25
        """
        self._needs_laws("zCDP")
        goal = _goal(relative_width)
        return self._divergence(
            lambda factors: least_rho(factors, goal.relative_width / 4), Fraction(1, 2), goal
        )

    def _divergence(
        self, divergence: Callable[[Sequence[tuple[Atoms, int]]], arb], share: Fraction, goal: Goal
    ) -> Enclosure:
        """Return a divergence; for normal laws it is ``share`` times the squared distance."""
        normal = Fraction(0)
        discrete = []
        for pair, times in self.releases:
            if isinstance(pair, NormalPair):
                normal += pair.squared * times
            elif pair.discrete:
                discrete.append((pair, times))
            else:
                raise InvalidArgument(
                    "release", pair.name, "a law that is not a sampled normal law"
                )
        if not discrete:
            return Enclosure.exactly(normal * share)
        for bits in ladder(goal.bits(lost=40), _MOST_BITS):
            with working_bits(bits):
                listed = [(pair.sides(None), times) for pair, times in discrete]
                balls = []
                for down in self.direction.pick(0, 1):
                    factors = [(sides[down], times) for sides, times in listed]
                    if any(atoms.alone > 0 for atoms, _ in factors):
                        return INFINITE
                    open_ends = any(
                        not atoms.alone.is_zero() or not atoms.missing.is_zero()
                        for atoms, _ in factors
                    )
                    if not open_ends:
                        balls.append(divergence(factors) + as_arb(normal * share))
                if len(balls) == len(self.direction.pick(0, 1)):
                    ball = balls[0] if len(balls) == 1 else balls[0].max(balls[1])
                    if goal.met_by(ball):
                        return Enclosure.from_arb(ball, digits=goal.digits, low=0)
        raise Undecided(f"a divergence could not be enclosed at {_MOST_BITS} bits")


def _table(name: str, masses: Mapping[Hashable, Number]) -> dict[Hashable, Fraction]:
    """Return a table of probabilities, checked, without zeros."""
    table = {
        outcome: rational(f"{name}[{outcome!r}]", mass, least=0, most=1)
        for outcome, mass in masses.items()
    }
    total = sum(table.values(), start=Fraction(0))
    if total != 1:
        raise InvalidArgument(f"sum of {name}", total, "exactly 1")
    return {outcome: mass for outcome, mass in table.items() if mass}


def _disjoint(randomness: Randomness | str) -> None:
    """Refuse what nothing is known about."""
    if choice("randomness", randomness, Randomness) is Randomness.SHARED:
        raise InvalidArgument(
            "randomness",
            Randomness.SHARED.value,
            "disjoint: the joint law of releases that share random records is not known from the "
            "law of each; for sums of the same records, from_sums",
        )


def _points(points: int) -> int:
    return integer("points", points, least=1 << 10, most=1 << 24)


def _goal(relative_width: Number) -> Goal:
    finest = Fraction(1, 10**300)
    return Goal(float(rational("relative_width", relative_width, least=finest, below=1)))


__all__ = ["PrivacyLoss", "Randomness", "World"]
