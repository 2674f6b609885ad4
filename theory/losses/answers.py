"""What a privacy loss answers: δ, ε, the trade-off curve, Rényi divergences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import TypedDict, Unpack, overload

from flint import arb

from kproof.errors import InvalidArgument
from kproof.notebooks import NotebookText
from kproof.theory.exact import Enclosure, Number, as_arb, choice, rational
from kproof.theory.losses import divergences, routes
from kproof.theory.losses.accounting import Exported, export_losses
from kproof.theory.losses.grid import POINTS, LossGrid
from kproof.theory.losses.pairs import LossesPair
from kproof.theory.losses.trade_off import TradeOff
from kproof.theory.losses.typed import World, read_points
from kproof.theory.profiles.input import Direction, Grid, each, is_grid
from kproof.theory.profiles.inverse import ZERO
from kproof.theory.profiles.side import Goal

SCHEMA = 1
_LEVELS = 64
_WIDE = 1e-3
"""Relative width of a δ on a grid from which a grid of its own may narrow it."""
_MOST_NARROWED = 2
_MOST_BITS = 1100
"""Of densities at least all but 2^-1100 is listed, as far as their cells reach."""


class _How(TypedDict, total=False):
    """How narrow answers are to be; see :meth:`LossAnswers.delta`."""

    relative_width: Number
    points: int


@dataclass(frozen=True)
class LossAnswers(NotebookText):
    """What releases tell, worked out when it is asked for.

    :class:`~kproof.theory.losses.loss.PrivacyLoss` makes and composes what is asked here.
    """

    releases: routes.Releases
    """Different pairs of laws, and how often each is composed."""
    direction: Direction = Direction.BOTH
    """Which of δ(P, Q) and δ(Q, P) is asked for; by default the larger."""

    @cached_property
    def route(self) -> routes.Route:
        """How answers are worked out."""
        return routes.route_of(self.releases)

    @property
    def assumption(self) -> str:
        """What δ, ε and the trade-off curve assume of software that proves nothing; else empty."""
        return routes.ASSUMPTION if self.route is routes.Route.GRID else ""

    @property
    def count(self) -> int:
        """How many releases there are, those that lose nothing left out."""
        return sum(times for _, times in self.releases)

    @overload
    def delta(self, epsilon: Number, **how: Unpack[_How]) -> Enclosure: ...
    @overload
    def delta(self, epsilon: Grid, **how: Unpack[_How]) -> tuple[Enclosure, ...]: ...
    def delta(
        self, epsilon: Number | Grid, *, relative_width: Number = 1e-12, points: int = POINTS
    ) -> Enclosure | tuple[Enclosure, ...]:
        """Return the least δ that goes with ε >= 0, over all measurable events; within [0, 1].

        ``epsilon`` is taken exactly as typed, or is a list, tuple or 1-D array. In closed form and
        by enumeration an enclosure is at most ``relative_width`` wide over its magnitude (1e-300 to
        below 1). On a loss grid it is as wide as the bounds on all errors ask; more ``points``
        (2**10 to 2**24) make it narrower. A law with more points than its budget is TooLarge.
        """
        exponents = [rational("epsilon", value, least=0) for value in each("epsilon", epsilon)]
        answers = self._deltas(exponents, Goal.of(relative_width), read_points(points))
        return tuple(answers) if is_grid(epsilon) else answers[0]

    def _deltas(self, exponents: Sequence[Fraction], goal: Goal, points: int) -> list[Enclosure]:
        if not self.releases:
            return [ZERO] * len(exponents)
        if self.route is routes.Route.GRID:
            answers = routes.grid_deltas(self._grids(points), exponents)
            for _ in range(_MOST_NARROWED):
                wide = [i for i, answer in enumerate(answers) if answer.relative_width > _WIDE]
                least = min((Fraction(answers[i].upper) for i in wide), default=Fraction(0))
                # Where all atoms are points the grid does not depend on δ: it would be the same one
                # again.
                if not least or all(pair.discrete for pair, _ in self.releases):
                    break
                grids = self._grids(points, self._bits(least))
                again = routes.grid_deltas(grids, [exponents[i] for i in wide])
                for i, answer in zip(wide, again, strict=True):
                    # Both enclose the same number.
                    lower = max(answer.lower, answers[i].lower)
                    answers[i] = Enclosure(lower, min(answer.upper, answers[i].upper))
            return answers
        return routes.deltas(self.releases, self.direction, exponents, goal)

    @overload
    def epsilon(self, delta: Number, **how: Unpack[_How]) -> Enclosure: ...
    @overload
    def epsilon(self, delta: Grid, **how: Unpack[_How]) -> tuple[Enclosure, ...]: ...
    def epsilon(
        self, delta: Number | Grid, *, relative_width: Number = 1e-12, points: int = POINTS
    ) -> Enclosure | tuple[Enclosure, ...]:
        """Return the least ε >= 0 that goes with δ, or several, over all measurable events.

        δ is from 0 to 1, exactly as typed. For 0 the answer is the largest privacy loss, infinite
        where one world has an outcome that the other has not. The rest is as in :meth:`delta`.
        """
        targets = [rational("delta", value, least=0, most=1) for value in each("delta", delta)]
        answers = self._epsilons(targets, Goal.of(relative_width), read_points(points))
        return tuple(answers) if is_grid(delta) else answers[0]

    def _epsilons(self, targets: Sequence[Fraction], goal: Goal, points: int) -> list[Enclosure]:
        if not self.releases:
            return [ZERO] * len(targets)
        if self.route is routes.Route.GRID:
            # A δ of 0 is answered without a grid, and no tail would be small enough for it.
            least = min((target for target in targets if target), default=Fraction(1))
            grids = self._grids(points, self._bits(least))
            return routes.grid_inverses(self.releases, self.direction, grids, targets, goal)
        return routes.inverses(self.releases, self.direction, targets, goal)

    def _bits(self, delta: Fraction) -> int:
        """Return -log2 of what each density may lack where a δ counts: a millionth of it in all."""
        lost = (self.count / delta).__ceil__().bit_length() + 20
        # In steps, so that one grid serves several δ.
        return min(_MOST_BITS, -(-lost // 16) * 16)

    def _grids(self, points: int, bits: int = _MOST_BITS) -> list[LossGrid]:
        size = 1 << (points - 1).bit_length()
        key = size, _MOST_BITS if all(pair.discrete for pair, _ in self.releases) else bits
        if key not in self._grid_cache:
            self._grid_cache[key] = routes.grids_of(self.releases, self.direction, *key)
        return self._grid_cache[key]

    @cached_property
    def _grid_cache(self) -> dict[tuple[int, int], list[LossGrid]]:
        return {}

    def trade_off(
        self,
        epsilons: Grid | None = None,
        *,
        tested: World | str = World.FIRST,
        points: int = POINTS,
    ) -> TradeOff:
        """Return the curve of the errors of the first and the second kind (f-DP).

        Both directions are worked out at each of the ``epsilons`` and at 0; the more the narrower,
        by default 65 up to a number at which δ is near its limit. ``tested`` is the world that the
        test rejects or keeps. A loss that is imported or about one direction only has no curve.
        >>> from kproof.theory.losses import PrivacyLoss
        >>> from kproof.theory.laws import Normal
        >>> print(PrivacyLoss.from_law(Normal(0, 1)).trade_off().at("0.05"))
        [0.7404, 0.741]
        """
        self._needs_both("a trade-off curve")
        self._needs_laws("a trade-off curve")
        ways = [Direction.UP, Direction.DOWN]
        if choice("tested", tested, World) is World.SECOND:
            ways.reverse()
        points = read_points(points)
        if epsilons is None:
            end = self._flat_from(points)
            levels = [end * Fraction(i, _LEVELS) for i in range(_LEVELS + 1)]
        else:
            levels = [rational("epsilons", value, least=0) for value in each("epsilons", epsilons)]
        # With 0, at which the two directions are one point of the curve.
        levels = sorted({Fraction(0), *levels})
        forward, backward = (replace(self, direction=way) for way in ways)
        curves = [way._deltas(levels, Goal.of("1e-20"), points) for way in (forward, backward)]
        limit = Fraction(backward.limit.lower)
        return TradeOff(tuple(levels), tuple(curves[0]), tuple(curves[1]), limit)

    @property
    def limit(self) -> Enclosure:
        """The limit of δ(ε) for large ε: what is seen in one world and never in the other."""
        return routes.limit_of(self.releases, self.direction)

    def _flat_from(self, points: int) -> Fraction:
        """Return a short number from which on δ is near its limit."""
        target = Fraction(self.limit.upper) + Fraction(1, 10**6)
        if target >= 1 or not self.releases:
            return Fraction(1)
        (flat,) = self._epsilons([target], Goal.of("1e-6"), points)
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

        Losses are spread onto multiples of the interval (taken as the nearest float) such that no δ
        falls; what rounding and unlisted masses may hide is counted as an infinite loss. ``up``
        becomes *add*, ``down`` becomes *remove*. What dp_accounting does with the result is its own
        affair; it comes with ``pip install 'kproof[accounting]'``. ``points`` are of compositions
        only, as in :meth:`delta`; a loss about one direction only cannot be exported.
        """
        self._needs_both("dp_accounting")
        step = float(rational("interval", interval, least=Fraction(1, 10**7), most=1))
        return export_losses(self._grids(read_points(points)) if self.releases else [], step)

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
        """Return the Rényi divergence of an order >= 1, the larger of the directions asked for.

        Order 1 is the relative entropy. It is infinite where one world has an outcome that the
        other has not, and is not worked out for sampled normal laws.
        >>> from kproof.theory.losses import PrivacyLoss
        >>> from kproof.theory.laws import Binomial
        >>> print(PrivacyLoss.from_laws(Binomial(10, "1/2"), Binomial(10, "0.6")).renyi(2))
        0.4082199
        >>> print(PrivacyLoss.from_law(Binomial(10, "1/2")).renyi(2))
        Infinity
        """
        self._needs_laws("a Rényi divergence")
        order = rational("alpha", alpha, least=1)

        def divergence(factors: divergences.Factors) -> arb:
            if order == 1:
                return divergences.relative_entropy(factors)
            exact = as_arb(order)
            return divergences.log_moment(factors, exact) / (exact - 1)

        goal = Goal.of(relative_width)
        return divergences.enclose(self.releases, self.direction, divergence, order / 2, goal)

    def zcdp(self, *, relative_width: Number = 1e-6) -> Enclosure:
        """Return the least ρ such that the Rényi divergence of every order α > 1 is at most ρα.

        Infinite where one world has an outcome that the other has not, so for every sum of finitely
        many bounded records against its shift. Not worked out for sampled normal laws. Orders are
        searched, so that ``relative_width`` is not to be far below 1e-9.
        >>> from kproof.theory.losses import PrivacyLoss
        >>> from kproof.theory.laws import Normal
        >>> print(PrivacyLoss.from_law(Normal(0, 4)).power(10, randomness="disjoint").zcdp())
        1.25
        """
        self._needs_laws("zCDP")
        goal = Goal.of(relative_width)
        half = Fraction(1, 2)

        def rho(factors: divergences.Factors) -> arb:
            return divergences.least_rho(factors, goal.relative_width / 4)

        return divergences.enclose(self.releases, self.direction, rho, half, goal)
