"""Privacy loss as an object: two worlds, what is released in each, and what that gives away."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from kproof.errors import InvalidArgument
from kproof.notebooks import latex_lines, latex_words
from kproof.theory.exact.typed import Number, choice, integer, rational
from kproof.theory.laws.base import LatticeLaw, Law
from kproof.theory.laws.several_sums import Cell, SeveralSums
from kproof.theory.losses.accounting import import_losses
from kproof.theory.losses.answers import LossAnswers
from kproof.theory.losses.atoms import RationalAtoms
from kproof.theory.losses.pairs import LawPair, Pair, SampledPair, TablePair, pair_of_shift
from kproof.theory.losses.typed import (
    MOST_RELEASES,
    Randomness,
    World,
    probabilities,
    require_disjoint,
)
from kproof.theory.profiles.input import Direction

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution


@dataclass(frozen=True)
class PrivacyLoss(LossAnswers):
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

    @classmethod
    def from_law(
        cls, law: Law, *, shift: Number = 1, direction: Direction | str = Direction.BOTH
    ) -> PrivacyLoss:
        """Return the loss of a release F, of a lattice or normal law, that is F + s elsewhere.

        ``shift`` is s > 0; ``up`` is F against F + s, ``down`` the reverse; by default the larger.
        >>> from kproof.theory.laws import Binomial
        >>> print(PrivacyLoss.from_law(Binomial(100, "1/2")).delta("0.5"))
        0.0005698563
        """
        return cls.of(pair_of_shift(law, rational("shift", shift, above=0)), direction=direction)

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

        The probabilities of either world, exactly as typed, must sum to exactly 1; an outcome that
        is not named has probability 0.
        """
        ours, theirs = probabilities("first", first), probabilities("second", second)
        outcomes = tuple(ours | theirs)
        none = Fraction(0)
        masses = tuple((ours.get(key, none), theirs.get(key, none)) for key in outcomes)
        return cls.of(TablePair(outcomes, RationalAtoms(masses)), direction=direction)

    @classmethod
    def from_sums(
        cls, sums: SeveralSums, cell: Cell, *, shift: Number = 1, others_only: bool = False
    ) -> PrivacyLoss:
        """Return what several sums of the same records together tell about one of them.

        The sums share their randomness, so that their losses must not be composed; their joint
        law is worked out instead. ``cell``, one of ``sums.cells``, has the records that are in the
        same sums as the victim's; ``shift`` and ``others_only`` are as in
        :meth:`SeveralSums.tell <kproof.theory.laws.several_sums.SeveralSums.tell>`.
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
        view = sums.tell(cell, shift=shift, others_only=others_only)
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
        return cls.of(import_losses(distribution))

    def _repr_latex_(self) -> str:
        up, down = r"(P(O) - e^{\varepsilon} Q(O))", r"(Q(O) - e^{\varepsilon} P(O))"
        larger = rf"\max\{{{up}, {down}\}}"
        side = {Direction.UP: up, Direction.DOWN: down}.get(self.direction, larger)
        notes = [f"{self.count} releases" if self.count > 1 else "1 release", self.assumption]
        words = [f"& {latex_words(note)}" for note in notes if note]
        return latex_lines([rf"\delta(\varepsilon) &= \sup_O {side}", *words])

    def compose(self, other: PrivacyLoss, *, randomness: Randomness | str) -> PrivacyLoss:
        """Return the loss of these releases and others together, in the same directions.

        Both must be about the same two worlds, in the same order: if one sum rises with the
        victim's value and another falls, swap the laws of one. ``randomness`` is ``disjoint`` if,
        given the world, the randomness of one is independent of that of the other. Releases that
        depend on the same random records are ``shared``; their joint law is not known from the law
        of each, so that there is no answer here.
        """
        require_disjoint(randomness)
        if other.direction is not self.direction:
            need = f"{self.direction.value} as in this loss"
            raise InvalidArgument("direction of other", other.direction.value, need)
        counts = dict(self.releases)
        for pair, times in other.releases:
            counts[pair] = counts.get(pair, 0) + times
        return PrivacyLoss(tuple(counts.items()), self.direction)

    def power(self, times: Number, *, randomness: Randomness | str) -> PrivacyLoss:
        """Return the loss of 1 to 10**9 equal releases; ``randomness`` as in :meth:`compose`."""
        require_disjoint(randomness)
        count = integer("times", times, least=1, most=MOST_RELEASES)
        releases = tuple((pair, before * count) for pair, before in self.releases)
        return PrivacyLoss(releases, self.direction)

    def group(self, size: Number) -> PrivacyLoss:
        """Return the loss for ``size`` victims whose values shift every release alike.

        The law is shifted ``size`` times as far, which is exact. The general bound, ε times the
        size and δ times a power of e^ε, holds without the law and is far larger. Of a release that
        is not a law and its shift nothing tells what more victims change.
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
        """Return the loss if the victim's record takes part with probability ``rate`` only.

        Each record is sampled independently of the others; a victim who is not sampled leaves the
        world that does not have the record. ``victim`` is the world that has it: the first (a
        record is removed) or the second (one is added), as F + s after ``from_law``. With r the
        rate the pair becomes rP + (1-r)Q against Q, or P against rQ + (1-r)P. Releases are sampled
        before they are composed; an imported loss cannot be sampled.
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
            need = "one: sample each release before they are composed"
            raise InvalidArgument("releases", self.count, need)
        ((pair, _),) = self.releases
        sampled = SampledPair(pair, chance, world is World.SECOND)
        return PrivacyLoss(((sampled, 1),), self.direction)
