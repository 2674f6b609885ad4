"""BE: with whom to cloak a user so that the bound of Theorems 2 to 5 is least.

The paper asks for no fewer than k - 1 others that minimise epsilon and delta both and does not
say what is random in a friendship; that is settled here. A user's record is 1 if a stranger drawn
at random is a friend: a coin with p = friends / (users - 1). The bound then depends on a set
through V = Σ p(1 - p) and A = Σ E|D - p|³ alone. More V and less A is better at every epsilon, so
that sets which no other beats in both form a front, on which the best set for any epsilon lies.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.models.base.arrays import Flags
from kproof.models.base.parameters import EPSILON
from kproof.models.base.verdict import SCHEMA
from kproof.models.graphs.baseline.front import CoinSet, Types, exact_front, hull_corners
from kproof.models.graphs.release import ClusterRelease, seal_clusters
from kproof.models.graphs.social import SocialGraph, cluster_size
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.laws.poisson_binomial import PoissonBinomial
from kproof.theory.profiles import exact
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.api import bound
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments

if TYPE_CHECKING:
    from kproof.theory.exact.enclosure import Enclosure
    from kproof.theory.theorems.bounds import Bound

EFFORT = 1_000_000
"""Choices that are looked at for the whole front, unless said otherwise."""


@dataclass(frozen=True)
class Setting:
    """What the adversary knows and where delta is compared."""

    epsilon: Fraction
    """At which delta is compared."""
    s: int
    """The shift, a whole number."""
    lambda1: Fraction | None
    """Share of users whose dependencies are known, or None: levels II and IV."""
    known: frozenset[int]
    """Users, as indexes, whose records are known: levels III and IV if there are any."""

    @classmethod
    def of(
        cls,
        graph: SocialGraph,
        *,
        epsilon: Number = 1,
        s: Number = 1,
        lambda1: Number | None = None,
        known: Iterable[object] = (),
    ) -> Setting:
        """Read and check typed values; known users by name."""
        share = None if lambda1 is None else rational("lambda1", lambda1, least=0, most=1)
        users = frozenset(map(graph.index, known))
        # Fast formulas raise e to it in floats, which run over at 709.8.
        return cls(EPSILON.but(most=700).read(epsilon), integer("s", s, least=1), share, users)

    def neighbourhood(self, size: int, known_members: int) -> int | None:
        """Return how many of a set may depend on one record; None if dependence is not known."""
        if self.lambda1 is None:
            return None
        return max(1, min(size - known_members, math.ceil(self.lambda1 * size)))

    def delta(
        self, variance: float, third: float, neighbourhood: int | None, one_law: bool
    ) -> float:
        """Return the corrected delta of Theorems 2 to 5 as it is before it is cut at 1.

        ``variance`` and ``third`` are V and A of the unknown records. If all of them have
        ``one_law``, a better constant is proved.
        """
        # Records that are certain hide nobody; the formula would divide by their variance.
        if not variance > 0:
            return math.inf
        from kproof.theory.theorems.approximation import fast_corrected_delta

        epsilon, shift = float(self.epsilon), float(self.s)
        if neighbourhood is None:
            return fast_corrected_delta(2, binomial=one_law)(epsilon, shift, variance, third)
        # E(D - p)^4 = v - 3 v^2 and E|D - p|^3 = v - 2 v^2 where v = p(1 - p).
        fourth = max(1.5 * third - 0.5 * variance, 0.0)
        # Intervals have two ends; the sum need not be log-concave.
        formula = fast_corrected_delta(3, kappa=2)
        return formula(epsilon, shift, variance, third, fourth, neighbourhood)


@dataclass(frozen=True, eq=False)
class BaselineSet:
    """With whom to cloak a user."""

    graph: SocialGraph
    """The users."""
    user: int
    """Index of the user."""
    members: tuple[int, ...]
    """Indexes of the set, ascending, the user included."""
    delta: float
    """The corrected delta at the setting's epsilon, before it is cut at 1: the scalar that is
    least. At 1 or more the theorem says nothing about any of these sets."""
    gap: float
    """No admissible set has a delta below ``delta - gap``; 0 if the search was exact."""
    front: tuple[CoinSet, ...] = field(repr=False)
    """Sets which no other beats in V and A both: all of them if the search was exact, else its
    corners, between which others may lie. In order of rising V."""
    setting: Setting
    """What the adversary knows."""

    @cached_property
    def bound(self) -> Bound:
        """The certified bound of the set, from :func:`kproof.theory.theorems.api.bound`."""
        return certify_bound(self.graph, self.members, self.setting, self.setting.known or None)

    @cached_property
    def profile(self) -> Enclosure:
        """The exact delta at that epsilon if records are independent of one another."""
        unknown = [user for user in self.members if user not in self.setting.known]
        law = PoissonBinomial(_coins(self.graph, unknown))
        return exact(law, shift=self.setting.s, epsilon=self.setting.epsilon)

    @property
    def _delta(self) -> float | None:
        """The corrected δ before it is cut at 1; None where it is infinite."""
        return None if math.isinf(self.delta) else self.delta

    @property
    def _gap(self) -> float | None:
        """No admissible set has a δ below ``delta - gap``; None where it is infinite."""
        return None if math.isinf(self.gap) else self.gap

    to_dict = JsonForm("size=len(members) delta=_delta gap=_gap front bound profile", schema=SCHEMA)


def certify_bound(
    graph: SocialGraph, members: Sequence[int], setting: Setting, known: Collection[int] | None
) -> Bound:
    """Return the certified bound of some users, of whom the records in ``known`` are known.

    None says that the adversary knows no records at all, which is another theorem.
    """
    places = [place for place, user in enumerate(members) if user in (known or ())]
    near, k = setting.neighbourhood(len(members), len(places)), len(members)
    known_places = None if known is None else places
    adversary = Adversary.of(s=setting.s, neighbourhood=near, known=known_places)
    moments = Moments.of_records([RecordMoments(p, p, p, p) for p in _coins(graph, members)])
    theorem, epsilon = adversary.theorem, setting.epsilon
    return bound(theorem, moments=moments, adversary=adversary, epsilon=epsilon, k=k)


def _coins(graph: SocialGraph, users: Iterable[int]) -> list[Fraction]:
    strangers = max(graph.users - 1, 1)
    return [Fraction(int(graph.degrees[user]), strangers) for user in users]


def baseline_set(
    graph: SocialGraph,
    user: object,
    *,
    k: int,
    most: int | None = None,
    epsilon: Number = 1,
    s: Number = 1,
    lambda1: Number | None = None,
    known: Iterable[object] = (),
    effort: int = EFFORT,
) -> BaselineSet:
    """Find with whom to cloak a user so that the bound of Theorems 2 to 5 is least.

    Both numbers cannot be least at once in general. A set has a delta for every epsilon; the set
    whose delta is least at one epsilon is chosen, and the front holds those that are best at
    others. The delta compared is the corrected one before it is cut at 1, since for small k it is 1
    for every set.

    Args:
        user: Name of the user to cloak, whose own record is not known.
        k: Least size of the set, the user included, from 2.
        most: Largest size; k unless given. The paper names none: more users never make the exact
            delta larger, so that without a limit everybody is the answer.
        epsilon: At which delta is compared, from 0 to 700.
        s: The shift, a whole number from 1.
        lambda1: Share of the set whose records may all depend on one another (levels II and IV).
            They are taken as uncorrelated, as :func:`kproof.theory.theorems.api.bound` does.
        known: Names of users whose records the adversary knows (levels III and IV).
        effort: Choices that are looked at for the whole front. If they do not suffice, the set is
            the best corner of the front's convex hull and ``gap`` says how much better another may
            be.

    >>> star = SocialGraph.from_edges([("hub", name) for name in "abcd"] + [("a", "b")])
    >>> cloak = baseline_set(star, "d", k=3)
    >>> [star.names[member] for member in cloak.members], cloak.gap
    (['a', 'b', 'd'], 0.0)
    """
    setting = Setting.of(graph, epsilon=epsilon, s=s, lambda1=lambda1, known=known)
    if (index := graph.index(user)) in setting.known:
        raise InvalidArgument("user", user, "a user whose record is not known to the adversary")
    smallest = cluster_size(graph, k)
    largest = smallest if most is None else integer("most", most, least=smallest, most=graph.users)
    free = np.ones(graph.users, dtype=np.bool_)
    free[index] = False
    return _search(graph, setting, index, free, range(smallest, largest + 1), effort)


def baseline(
    graph: SocialGraph,
    *,
    k: int,
    epsilon: Number = 1,
    s: Number = 1,
    lambda1: Number | None = None,
    known: Iterable[object] = (),
) -> ClusterRelease:
    """Publish clusters of at least k users, each the set of a user that :func:`baseline_set` finds.

    The paper finds a set for one user. Sets of different users overlap, and one that is found for
    nobody else gives its user away; so a user who is in a set already is in no other. The user
    whose own coin has the least variance is cloaked first, among k - 1 of those who are free; the
    last 2k - 1 users or fewer are one cluster. Known users are cloaked only among others, and
    attributes are not published.

    >>> path = SocialGraph.from_edges([(user, user + 1) for user in range(6)])
    >>> baseline(path, k=3).cluster_of.tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """
    setting = Setting.of(graph, epsilon=epsilon, s=s, lambda1=lambda1, known=known)
    size = cluster_size(graph, k)
    free = np.ones(graph.users, dtype=np.bool_)
    hidden = np.ones(graph.users, dtype=np.bool_)
    hidden[list(setting.known)] = False
    cluster_of = np.zeros(graph.users, dtype=np.int64)
    spread = graph.degrees * (graph.users - 1 - graph.degrees)
    cluster, unclustered = 0, graph.users
    for user in np.argsort(spread, kind="stable").tolist():
        if unclustered < 2 * size:
            break
        if free[user] and hidden[user]:
            free[user] = False
            # With no effort for a whole front: of every user's set the best corner will do.
            members = list(_search(graph, setting, user, free, range(size, size + 1), 0).members)
            free[members] = False
            cluster_of[members] = cluster
            cluster, unclustered = cluster + 1, unclustered - size
    cluster_of[free] = cluster
    parameters = {"k": size, "epsilon": str(setting.epsilon), "s": setting.s}
    parameters |= {} if setting.lambda1 is None else {"lambda1": str(setting.lambda1)}
    parameters |= {"known": len(setting.known)} if setting.known else {}
    return seal_clusters(graph, cluster_of, method="baseline", parameters=parameters)


def _search(
    graph: SocialGraph, setting: Setting, user: int, free: Flags, sizes: Iterable[int], effort: int
) -> BaselineSet:
    """Find the best set of a user among those who are free."""
    strangers = graph.users - 1
    hidden = free.copy()
    hidden[list(setting.known)] = False
    known_users = np.flatnonzero(free & ~hidden)
    kinds, counts = np.unique(graph.degrees[hidden], return_counts=True)
    own_degree = int(graph.degrees[user])
    variances = tuple(kind * (strangers - kind) for kind in kinds.tolist())
    own = own_degree * (strangers - own_degree)
    types = Types(variances, tuple(counts.tolist()), own, max(strangers, 1) ** 2)
    alike = kinds.tolist().index(own_degree) if own_degree in kinds else None
    floor = math.inf
    front: list[CoinSet] = []
    compared: list[tuple[float, CoinSet, int]] = []
    for size, silent in product(sizes, range(len(known_users) + 1)):
        partners = size - 1 - silent
        if not 0 <= partners <= sum(types.counts):
            continue
        largest = setting.neighbourhood(size, silent)
        every = exact_front(types, partners, most=effort)
        choices = hull_corners(types, partners) if every is None else every
        # Members whose records are known have no coin, and count all the same.
        front += [replace(choice, size=size) for choice in choices]
        # Between two corners a set has at most the variance of one and at least the other's third.
        for low, high in (
            zip(choices, choices[1:] or choices, strict=False) if every is None else ()
        ):
            floor = min(floor, setting.delta(high.variance, low.third, largest, one_law=False))
        # Coins of one law have a better constant, and may win though V and A are beaten.
        if alike is not None and types.counts[alike] >= partners:
            choices = (*choices, types.choice([(alike, partners)]))
        for choice in choices:
            one_law = all(kind == alike for kind, times in choice.chosen if times)
            value = setting.delta(choice.variance, choice.third, largest, one_law=one_law)
            compared.append((value, choice, silent))
    # There is one: the users who are free are enough for every size that was asked for.
    lowest, best, silent = min(compared, key=itemgetter(0))
    chosen = [user, *known_users[:silent].tolist()]
    for kind, times in best.chosen:
        chosen += np.flatnonzero(hidden & (graph.degrees == kinds[kind]))[:times].tolist()
    members, gap = tuple(sorted(chosen)), lowest - floor if floor < lowest else 0.0
    return BaselineSet(graph, user, members, lowest, gap, tuple(front), setting)
