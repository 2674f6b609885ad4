"""MLE and BAS on published social graphs: known friendships against published ones.

The paper applies both attacks to friendships and does not say how; this mapping is our own. A
published graph is a row of places, one for each vertex or for each member of a cluster. Users in
``known`` have been found beforehand, and all their friends are known by name. Of a victim, the
adversary thus knows who among the known is a friend. A place shows for each of the known users
how likely its owner is a friend: not at all, for sure, or by the share of possible friendships
that there are between two clusters. Where the known user and the owner are both in ``linked``, the
true friendship is seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kproof.errors import TooLarge
from kproof.models.attacks.inference.base import (
    Background,
    Flags,
    Floats,
    Prior,
    Scoring,
    best,
    sanity_bound,
    shares,
)
from kproof.models.attacks.inference.fu import FU
from kproof.models.base.adjacency import Adjacency, adjacency, read_only
from kproof.models.base.arrays import Codes
from kproof.models.graphs.release import ClusterRelease, GraphRelease, SupergraphRelease

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class Places:
    """A release as the adversary goes through it."""

    release: GraphRelease
    """What was published."""
    owner: Codes = field(repr=False)
    """Shape (places,): true user of each place, -1 for nobody; decides only who is right."""
    classes: Codes = field(repr=False)
    """Shape (places,): those with one number cannot be told apart by what k-anonymity looks at:
    members of a cluster, vertices of one degree."""

    @classmethod
    def of(cls, release: GraphRelease) -> Places:
        """Return the places of a release.

        >>> from kproof.models.graphs.release import seal_clusters
        >>> from kproof.models.graphs.social import SocialGraph
        >>> path = SocialGraph.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
        >>> pairs = seal_clusters(path, [0, 0, 1, 1], method="by hand", parameters={"k": 2})
        >>> Places.of(pairs).classes.tolist()
        [0, 0, 1, 1]
        """
        if isinstance(release, SupergraphRelease):
            return cls(release, release.vertices, release.degrees)
        owners = np.flatnonzero(release.cluster_of >= 0)
        return cls(release, read_only(owners), read_only(release.cluster_of[owners]))

    @cached_property
    def of_user(self) -> Codes:
        """Shape (users,): the first place of each user, -1 for none."""
        first = np.full(self.release.graph.users, -1, dtype=np.int64)
        present = np.flatnonzero(self.owner >= 0)[::-1]
        # Backwards, since the last place that is written for a user stays.
        first[self.owner[present]] = present
        return read_only(first)

    def friendship_odds(self, known_users: Codes, candidates: Codes) -> Floats:
        """Return how likely known users are friends of places' owners, by the release alone.

        The shape is (known, places), values are from 0 to 1, and every known user has a place.
        """
        if isinstance(self.release, ClusterRelease):
            return self._densities[
                np.ix_(self.release.cluster_of[known_users], self.classes[candidates])
            ]
        friendships: Floats = _friendships(
            self._edges, self.of_user[known_users], candidates
        ).toarray()
        return friendships * self._true(self.release, known_users)

    @cached_property
    def _edges(self) -> Adjacency:
        """Edges of a published graph; loops and repetitions tell nothing."""
        assert isinstance(self.release, SupergraphRelease)
        return adjacency(len(self.owner), self.release.edges)

    def _true(self, release: SupergraphRelease, known_users: Codes) -> float:
        """Share of the edges at known users that are friendships, by their numbers of friends."""
        ends = int(self._edges.degrees[self.of_user[known_users]].sum())
        true = int(release.graph.degrees[known_users].sum())
        return min(1.0, true / ends) if ends else 1.0

    @cached_property
    def _densities(self) -> Floats:
        """Shape (clusters, clusters): friendships, as a share of the pairs there are."""
        release = self.release
        assert isinstance(release, ClusterRelease)
        sizes = release.sizes.astype(np.float64)
        pairs = np.outer(sizes, sizes)
        np.fill_diagonal(pairs, sizes * (sizes - 1) / 2)
        weights = np.zeros_like(pairs)
        low, high = release.joined.T
        weights[low, high] = weights[high, low] = release.weights
        np.fill_diagonal(weights, release.inner)
        # A cluster of one has no pair within it, and no friendship: 0 of 1.
        share: Floats = np.minimum(weights / np.maximum(pairs, 1), 1)
        return share


def identify(
    release: GraphRelease,
    background: Background,
    *,
    prior: Prior = Prior.CLASS,
    attacks: Iterable[Scoring] = tuple(Scoring),
) -> dict[Scoring, FU]:
    """Look for every user whose data are not known, and return how many each attack identifies.

    MLE takes the places x that maximise Π p(u, x) over the known friends u of the victim times Π (1
    - p(u, x)) over the known others, where p is what a place shows. A published edge shows p = 1 -
    a, with a the share of edges at known users that are no friendships, which the adversary sees.
    BAS counts the known users for whom p > 0 and friendship, or p = 0 and no friendship. Places of
    known users are nobody else's. Weights between clusters are taken as published; what known
    friendships leave of them is not deducted. A user who was left out of the release is a victim
    and never identified. Too many places to be compared with known users at once are a TooLarge.
    """
    places = Places.of(release)
    users, friends = release.graph.users, release.graph.friends
    known_users = np.flatnonzero(background.known & (places.of_user >= 0))
    victims = np.flatnonzero(~background.known)
    # A place that is nobody's has owner -1 and reads the last entry: it may be anybody's.
    free = np.flatnonzero(~np.append(background.known, False)[places.owner])
    placed = victims[places.of_user[victims] >= 0]
    tallies = {attack: np.zeros((2, users), dtype=np.int64) for attack in attacks}
    for candidates, batches in _batches(places, placed, free, prior):
        # Asked before anything is made: the matrices below are dense.
        if len(candidates) * len(known_users) > MOST:
            raise TooLarge(
                f"{len(candidates)} places to be compared with {len(known_users)} known users"
            )
        view = _View.of(_friendship_chances(places, candidates, known_users, background))
        for sought, groups in batches:
            bits = _friendships(friends, sought, known_users)
            own_place = places.owner[candidates] == sought[:, None]
            for attack, tally in tallies.items():
                score, excluded = view.score_places(attack, bits)
                for group in groups:
                    top = best(attack, score[group], excluded[group])
                    counts = (top & own_place[group]).sum(axis=1), top.sum(axis=1)
                    tally[:, sought[group[0]]] = counts
    return {
        attack: FU(
            attack=str(attack),
            parameters={**shares(background.adversary), "prior": str(prior)},
            victims=read_only(victims),
            right=read_only(tally[0, victims]),
            tied=read_only(tally[1, victims]),
            known=int(np.count_nonzero(background.known)),
            sanity=sanity_bound(release.parameters),
        )
        for attack, tally in tallies.items()
    }


MOST = 200_000_000
"""Most pairs of a place and a known user that are held at once."""

_TOGETHER = 512
"""Places, or victims, that are worked on at a time unless a class has more."""


@dataclass(frozen=True, eq=False)
class _View:
    """What some places show of the known, in the forms that both attacks multiply with."""

    never: Floats
    surely: Floats
    """Shape (known, places): 1 where a place shows no friend, or a friend for sure."""
    odds: Floats
    base: Floats
    """Logarithm of p / (1 - p), and the sum of log(1 - p) over the known, as far as finite."""

    @classmethod
    def of(cls, chance: Floats) -> _View:
        # The logarithms of 0 are put aside: what they rule out is counted, not added.
        never, surely = chance == 0, chance == 1
        yes, no = np.log(np.where(never, 1, chance)), np.log1p(-np.where(surely, 0, chance))
        return cls(never.astype(np.float64), surely.astype(np.float64), yes - no, no.sum(axis=0))

    def score_places(self, attack: Scoring, bits: csr_array) -> tuple[Floats, Flags]:
        """Return scores of places for each victim, and which are excluded."""
        missing = bits @ self.never
        if attack is Scoring.BAS:
            strangers = self.never.sum(axis=0) - missing
            # Friends who are shown as such, and strangers who are.
            agreements = np.diff(bits.indptr)[:, None] - missing + strangers
            return agreements, np.zeros(missing.shape, dtype=np.bool_)
        invented = self.surely.sum(axis=0) - bits @ self.surely
        # Over friends log p - log(1 - p), over all log(1 - p): one sparse product does it.
        return bits @ self.odds + self.base, missing + invented > 0


_Group: TypeAlias = tuple[slice, slice]
"""Victims of a batch, and the places where they may be."""


def _batches(
    places: Places, victims: Codes, free: Codes, prior: Prior
) -> Iterator[tuple[Codes, list[tuple[Codes, list[_Group]]]]]:
    """Yield places, and batches of victims who are somewhere among them."""
    if prior is Prior.ALL:
        everywhere = [(slice(None), slice(None))]
        parts = np.array_split(victims, -(-len(victims) // _TOGETHER) or 1)
        yield free, [(part, everywhere) for part in parts]
        return
    victims = victims[np.argsort(places.classes[places.of_user[victims]], kind="stable")]
    free = free[np.argsort(places.classes[free], kind="stable")]
    of_victim, of_place = places.classes[places.of_user[victims]], places.classes[free]
    kinds = np.unique(of_victim)
    spans = [
        np.searchsorted(values, kinds, side=side).tolist()
        for values in (of_victim, of_place)
        for side in ("left", "right")
    ]
    groups: list[_Group] = []
    start = stop = low = high = 0
    for first, last, begin, end in zip(*spans, strict=True):
        # A class stays whole, however large: its victims are compared with all its places.
        if groups and end - low > _TOGETHER:
            yield free[low:high], [(victims[start:stop], groups)]
            groups = []
        if not groups:
            start, low = first, begin
        stop, high = last, end
        groups.append((slice(first - start, last - start), slice(begin - low, end - low)))
    if groups:
        yield free[low:high], [(victims[start:stop], groups)]


def _friendship_chances(
    places: Places, candidates: Codes, known_users: Codes, background: Background
) -> Floats:
    """Return what places show of the known; the true friendships where both ends are linked."""
    likely = places.friendship_odds(known_users, candidates)
    rows = np.flatnonzero(background.linked[known_users])
    columns = np.flatnonzero(np.append(background.linked, False)[places.owner[candidates]])
    if len(rows) and len(columns):
        friends = places.release.graph.friends
        true = _friendships(friends, places.owner[candidates[columns]], known_users[rows])
        likely[np.ix_(rows, columns)] = true.toarray().T
    return likely


def _friendships(friends: Adjacency, nodes: Codes, targets: Codes) -> csr_array:
    """Return who of ``nodes`` is joined to whom of ``targets``, all different: ones in a matrix."""
    from scipy.sparse import csr_array

    # By lists of friends: a square of all users would not fit.
    column = np.full(friends.nodes, -1, dtype=np.int64)
    column[targets] = np.arange(len(targets))
    counts = friends.degrees[nodes]
    rows = np.repeat(np.arange(len(nodes)), counts)
    starts = np.repeat(friends.offsets[nodes] - np.cumsum(counts) + counts, counts)
    columns = column[friends.targets[starts + np.arange(len(rows))]]
    present = columns >= 0
    units = np.ones(int(present.sum()))
    return csr_array((units, (rows[present], columns[present])), shape=(len(nodes), len(targets)))
