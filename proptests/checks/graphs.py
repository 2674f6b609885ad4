"""Checks of published social graphs: repeated degrees, supergraphs and clusters.

Friendships are read from the case as it was drawn, and degrees and counts are worked out here
once more.
"""

from collections import Counter
from functools import partial

from kproof.models.graphs.release import ClusterRelease, SupergraphRelease
from kproof.models.registry import Kind, Promise
from kproof.proptests.cases import GraphCase
from kproof.proptests.checks.releases import release_of, size_asked_for
from kproof.proptests.contract import Check, Declarations, NoPublication, Refusal, Trial
from kproof.proptests.judgement import InDoubt, Judgement, Violation, keep_if_compared
from kproof.proptests.labels.labels import covers

_check = Declarations(frozenset({Kind.GRAPH}))
_LIU_TERZI = "Liu and Terzi, Towards Identity Anonymization on Graphs, SIGMOD 2008"
_CAMPAN_TRUTA = "Campan and Truta, Data and Structural k-Anonymity in Social Networks, PinKDD 2008"
_graph = partial(release_of, SupergraphRelease, "what was published is no graph")
_clusters = partial(release_of, ClusterRelease, "no clusters were published")


@_check("k-degree", "for every d: |{users with degree d}| is 0 or >= k", _LIU_TERZI, Promise.DEGREE)
def _k_degree(trial: Trial) -> Judgement:
    """Every degree that a user has is shared by at least k users."""
    release, k = _graph(trial), size_asked_for(trial)
    ends = Counter(end for edge in release.edges.tolist() for end in edge)
    # Vertices that are nobody's hide nobody.
    degree_of = {
        vertex: ends[vertex] for vertex, user in enumerate(release.vertices.tolist()) if user >= 0
    }
    for degree, count in sorted(Counter(degree_of.values()).items()):
        if count < k:
            alike = tuple(vertex for vertex, d in degree_of.items() if d == degree)
            sentence = f"degree {degree} occurs {_times(count)}, k = {k}"
            rows = tuple(release.vertices[list(alike)].tolist()), alike
            return Violation(sentence, str(count), f">= {k}", *rows)
    return keep_if_compared(len(degree_of), "no user is a vertex of the graph")


@_check.truth("supergraph", "E subset of E'", _LIU_TERZI, Promise.SUPERGRAPH)
def _supergraph(trial: Trial) -> Judgement:
    """Every user is one vertex, and every friendship is still there."""
    release = _graph(trial)
    case: GraphCase = trial.case
    user_of = release.vertices.tolist()
    vertices_of = Counter(user_of)
    for user in range(case.users):
        if (times := vertices_of[user]) != 1:
            return Violation(
                f"user {user} is published as {times} vertices", str(times), "1", input_rows=(user,)
            )
    # By users, as the vertices may be numbered in another order.
    published = {frozenset((user_of[u], user_of[v])) for u, v in release.edges.tolist()}
    for u, v in case.friendships:
        if frozenset((u, v)) not in published:
            sentence = f"the friendship of {u} and {v} is not in the published graph"
            rows = (u, v), (user_of.index(u), user_of.index(v))
            return Violation(sentence, "removed", "kept", *rows)
    return keep_if_compared(case.users, "there are no users")


@_check.truth("simple graph", "E' without loops or repeats", _LIU_TERZI)
def _simple(trial: Trial) -> Judgement:
    """No published edge is a loop or there twice."""
    release = _graph(trial)
    times = Counter(tuple(sorted(edge)) for edge in release.edges.tolist())
    for (u, v), count in sorted(times.items()):
        if u == v or count > 1:
            problem = f"joins {u} to itself" if u == v else f"is there {_times(count)}"
            times_found, ends = "a loop" if u == v else str(count), tuple({u: None, v: None})
            sentence = f"the edge {u}, {v} {problem}"
            return Violation(sentence, times_found, "a simple graph", output_rows=ends)
    return keep_if_compared(len(times), "no edge was published")


@_check("cluster size", "size of every cluster >= k", _CAMPAN_TRUTA, Promise.CLUSTER_SIZE)
def _cluster_size(trial: Trial) -> Judgement:
    """Every cluster has at least k users."""
    release, k = _clusters(trial), size_asked_for(trial)
    members = _members(release)
    # By their number and not by their members: a cluster that has nobody is published as well.
    for cluster in range(release.count):
        users = members.get(cluster, [])
        # Whoever is counted and not there hides nobody.
        size = min(len(users), int(release.sizes[cluster]))
        if size < k:
            sentence = f"cluster {cluster}: {size} users, k = {k}"
            return Violation(
                sentence, str(size), f">= {k}", input_rows=tuple(users), output_rows=(cluster,)
            )
    return keep_if_compared(release.count, "no cluster was published")


@_check.truth("every user in a cluster", "sum of sizes = users", _CAMPAN_TRUTA, Promise.PARTITION)
def _every_user(trial: Trial) -> Judgement:
    """Clusters partition the users."""
    error = trial.outcome.error if isinstance(trial.outcome, Refusal) else None
    if isinstance(error, NoPublication) and error.breaks is Promise.PARTITION:
        return Violation(str(error), "two clusters", "one")
    release = _clusters(trial)
    left_out = _members(release).get(-1, [])
    if left_out:
        sentence = f"user {left_out[0]} is in no cluster"
        return Violation(sentence, f"{len(left_out)} left out", "0", input_rows=tuple(left_out))
    return keep_if_compared(len(release.cluster_of), "there are no users")


@_check.truth(
    "cluster labels",
    "value of every user in the label of the cluster",
    _CAMPAN_TRUTA,
    Promise.TRUTHFUL,
)
def _cluster_labels(trial: Trial) -> Judgement:
    """What a cluster says of an attribute covers all of its users."""
    release = _clusters(trial)
    case: GraphCase = trial.case
    compared, doubt = 0, None
    for cluster, users in sorted(_members(release).items()):
        published = release.labels(cluster) if cluster >= 0 else {}
        for name, label in published.items():
            for user in users:
                compared += 1
                value = case.attributes[name][user]
                covered = covers(label, value)
                # It goes on, as what is false elsewhere is a finding whatever this label means.
                if covered is None:
                    doubt = doubt or InDoubt(f"label {label} of {name} cannot be read")
                elif not covered:
                    sentence = (
                        f"cluster {cluster} says {name} is {label}; that of user {user} is {value}"
                    )
                    return Violation(
                        sentence, label, str(value), input_rows=(user,), output_rows=(cluster,)
                    )
    return doubt or keep_if_compared(compared, "no attribute was published")


@_check.truth("cluster counts", "published counts = counts of E", _CAMPAN_TRUTA)
def _cluster_counts(trial: Trial) -> Judgement:
    """Users, and friendships inside and between clusters, are counted right."""
    release = _clusters(trial)
    case: GraphCase = trial.case
    for cluster, users in sorted(_members(release).items()):
        if cluster >= 0 and release.sizes[cluster] != len(users):
            sentence = f"cluster {cluster} says {release.sizes[cluster]} users and has {len(users)}"
            return Violation(
                sentence, str(release.sizes[cluster]), str(len(users)), tuple(users), (cluster,)
            )
    of_user = release.cluster_of.tolist()
    true = Counter(
        tuple(sorted((of_user[u], of_user[v])))
        for u, v in case.friendships
        if of_user[u] >= 0 and of_user[v] >= 0
    )
    stated = Counter({(c, c): inner for c, inner in enumerate(release.inner.tolist()) if inner})
    for (a, b), weight in zip(release.joined.tolist(), release.weights.tolist(), strict=True):
        stated[(a, b)] += weight
    for a, b in sorted(true.keys() | stated.keys()):
        published, actual = stated[(a, b)], true[(a, b)]
        if published != actual:
            location = f"inside cluster {a}" if a == b else f"between {a} and {b}"
            sentence = f"{published} friendships are published {location}, there are {actual}"
            return Violation(
                sentence, str(published), str(actual), output_rows=(a,) if a == b else (a, b)
            )
    return keep_if_compared(release.count, "no cluster was published")


def _members(release: ClusterRelease) -> dict[int, list[int]]:
    members: dict[int, list[int]] = {}
    for user, cluster in enumerate(release.cluster_of.tolist()):
        members.setdefault(cluster, []).append(user)
    return members


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


CHECKS: tuple[Check, ...] = tuple(_check.checks)
"""What published social graphs are held to."""
