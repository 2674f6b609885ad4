"""The conduct of anonymizers of whatever is no table: what they share, whatever they publish.

What they publish is judged in :mod:`~kproof.proptests.checks.places`,
:mod:`~kproof.proptests.checks.graphs` and :mod:`~kproof.proptests.checks.logs`.
"""

from collections import Counter
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from kproof.models.graphs.release import ClusterRelease, SupergraphRelease
from kproof.models.moving.release import CloakedLog
from kproof.models.places.heatmap.release import SectorRelease
from kproof.models.places.regions import RegionRelease
from kproof.models.registry import Kind
from kproof.proptests.cases import (
    Case,
    CityCase,
    GraphCase,
    LogCase,
    Publication,
    group_size,
    with_group_size,
)
from kproof.proptests.contract import (
    CONDUCT,
    Check,
    Declarations,
    NoPublication,
    Refusal,
    Severity,
    Trial,
)
from kproof.proptests.judgement import (
    UNPUBLISHED,
    UNREADABLE,
    Judgement,
    Kept,
    NotApplicable,
    Unjudged,
    Violation,
    keep_if_compared,
)
from kproof.proptests.supports import unclear

_check = Declarations(frozenset(Kind) - {Kind.TABLE}, Severity.CONDUCT)
ReleaseOf = TypeVar("ReleaseOf")


def release_or_none(trial: Trial) -> Any:
    """Return the release of a trial, or None if its subject did not publish."""
    outcome = trial.outcome
    return outcome.release if isinstance(outcome, Publication) else None


def release_of(kind: type[ReleaseOf], otherwise: str, trial: Trial) -> ReleaseOf:
    """Return the release of a trial; a check of another kind of release has nothing to judge."""
    release = release_or_none(trial)
    if not isinstance(release, kind):
        raise Unjudged(NotApplicable(otherwise) if otherwise and release else UNPUBLISHED)
    return release


def size_asked_for(trial: Trial) -> int:
    """Return the k of a trial's case; without one a check has nothing to judge."""
    k = group_size(trial.case)
    if k is None:
        raise Unjudged(NotApplicable("the case has no k"))
    return k


def parts_of(outcome: object) -> int:
    """Return how many regions, sectors, vertices, clusters or records an outcome publishes."""
    if not isinstance(outcome, Publication):
        return 0
    release = outcome.release
    if isinstance(release, RegionRelease):
        return int(np.count_nonzero(release.sizes))
    if isinstance(release, SectorRelease):
        return release.sectors
    if isinstance(release, SupergraphRelease):
        return len(release.vertices)
    if isinstance(release, CloakedLog):
        return len(np.unique(release.record))
    return release.count


def fingerprint(outcome: object) -> object:
    """Return what was published as plain values, equal if and only if the outcomes are."""
    if isinstance(outcome, Refusal):
        return str(outcome)
    if not isinstance(outcome, Publication):
        return repr(outcome)
    release = outcome.release
    parts = [
        (field.name, _plain(getattr(release, field.name)))
        for field in fields(release)
        # What was handed in is no answer, and attributes are compared as the labels that they
        # publish.
        if field.name not in ("city", "points", "graph", "attributes")
    ]
    if isinstance(release, ClusterRelease):
        parts.append(("labels", [release.labels(cluster) for cluster in range(release.count)]))
    return parts


def _plain(value: Any) -> object:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return sorted(value.items()) if isinstance(value, dict) else value


@_check("deterministic", "A(x) = A(x)", CONDUCT)
def deterministic(trial: Trial) -> Judgement:
    """The same case gives the same publication."""
    first, again = fingerprint(trial.outcome), fingerprint(trial.answer(trial.case))
    if first == again:
        return Kept() if trial.published else UNPUBLISHED
    if not (isinstance(first, list) and isinstance(again, list)):
        return Violation("the same case was published once and refused once", "two outcomes", "one")
    pairs = zip(first, again, strict=False)
    name = next((a[0] for a, b in pairs if a != b), "form")
    return Violation(f"two runs on the same case differ in their {name}", "two outcomes", "one")


@_check("input unchanged", "x after A(x) = x", CONDUCT)
def input_unchanged(trial: Trial) -> Judgement:
    """What the anonymizer is handed is afterwards what it was."""
    outcome = trial.outcome
    if isinstance(outcome, Publication) and outcome.changed:
        return Violation(f"the input is not what it was: {outcome.changed}", "changed", "unchanged")
    return Kept() if isinstance(outcome, Publication) else UNPUBLISHED


@_check("refuses clearly", "k > people => a documented error, nothing published", CONDUCT)
def refuses_clearly(trial: Trial) -> Judgement:
    """What cannot be served is refused with a documented error that says something."""
    # Here, and when nobody could be hidden among so many.
    k = group_size(trial.case)
    _, people = population(trial.case)
    answers = [(k, trial.outcome)]
    if k is not None and k <= people and _varies(trial):
        answers.append((people + 1, trial.answer(with_group_size(trial.case, people + 1))))
    compared = 0
    for size, outcome in answers:
        compared += isinstance(outcome, Refusal) or (size is not None and size > people)
        if not isinstance(outcome, Refusal):
            parts = parts_of(outcome)
            if size is not None and size > people and parts:
                sentence = f"{parts} parts are published of {people} people, k = {size}"
                return Violation(sentence, "a publication", "a refusal")
        elif (wrong := unclear(trial, outcome)) is not None:
            return wrong
    return keep_if_compared(compared, "nothing was refused, and nothing had to be")


@_check("publishes when it can", "people in reach >= k => published", CONDUCT)
def publishes_when_it_can(trial: Trial) -> Judgement:
    """What can be served is served."""
    case, outcome = trial.case, trial.outcome
    k = group_size(case)
    # k = 1 may be out of its range.
    if k is None or k < 2:
        return _NO_GROUP
    if isinstance(case, CityCase):
        return _serves_when_it_can(trial, case, k)
    # People who move have to be at one place together, and at first, so that none waits too long.
    people = _at_one_place(case) if isinstance(case, LogCase) else population(case)[0]
    if people < k:
        return NotApplicable("there are fewer people than k")
    # It has published, though nobody can read it: that is for "refuses clearly" to say.
    if isinstance(outcome, Refusal) and isinstance(outcome.error, NoPublication):
        return UNREADABLE
    if not parts_of(outcome):
        why = f": {outcome}" if isinstance(outcome, Refusal) else ""
        sentence = f"nothing is published though there are {people} people, k = {k}{why}"
        return Violation(sentence, "nothing", "a publication")
    return Kept()


def _at_one_place(case: LogCase) -> int:
    """Return the most people at one place in the first slot that anybody reports in."""
    first = min((slot for slot, _, _ in case.reports), default=0)
    entries = (path[first].split()[:1] for path in case.paths if case.slots)
    return max(Counter(code for entry in entries for code in entry).values(), default=0)


def _varies(trial: Trial) -> bool:
    return trial.subject.varies("k", "min_k")


_NO_GROUP = NotApplicable("the case has no k of 2 or more")


def _serves_when_it_can(trial: Trial, case: CityCase, k: int) -> Judgement:
    reach, outcome = case.city.reachable, trial.outcome
    if isinstance(outcome, Refusal):
        # A case is refused as a whole: one target out of reach is a reason to refuse it.
        fewest = min(int(reach[target]) for target in case.targets)
        if fewest < k:
            return NotApplicable("too few users are in reach of a target")
        sentence = (
            f"refused though {fewest} users can be reached from every target, k = {k}: {outcome}"
        )
        return Violation(sentence, "a refusal", "regions", input_rows=case.targets)
    release = release_or_none(trial)
    if not isinstance(release, RegionRelease):
        return NotApplicable("what was published is no regions")
    for request in np.flatnonzero(release.insufficient).tolist():
        target = int(release.targets[request])
        # What a method says beforehand that it needs is no reason to complain that it asks for it.
        if case.city.reachable_nodes[target] < int(str(release.parameters.get("least_nodes", 1))):
            continue
        enough = max(_largest_k_near(trial, case, target), k)
        if reach[target] >= enough:
            sentence = (
                f"node {target} is told that the {reach[target]} users in reach do not suffice,"
                f" k = {enough}"
            )
            return Violation(
                sentence, "insufficient", "a region", input_rows=(target,), output_rows=(request,)
            )
    return keep_if_compared(release.requests, "there are no requests")


def _largest_k_near(trial: Trial, case: CityCase, target: int) -> int:
    """Return the greatest k anywhere in the component of a node.

    Where everybody in a region shares it, it has to satisfy whoever asks for most.
    """
    of_node, _ = case.city.components
    near = np.flatnonzero(of_node == of_node[target]).tolist()
    release = release_or_none(trial.beside(replace(case, targets=tuple(near))))
    return int(release.k.max()) if isinstance(release, RegionRelease) else 0


@_check("monotone in k", "A(x, k + 1) published => A(x, k) published", CONDUCT)
def monotone(trial: Trial) -> Judgement:
    """Who is served for k + 1 is served for k."""
    k = group_size(trial.case)
    if k is None or k < 2:
        return _NO_GROUP
    if not _varies(trial):
        return NotApplicable("k is fixed")
    harder = parts_of(trial.answer(with_group_size(trial.case, k + 1)))
    now = parts_of(trial.outcome)
    # A smaller k may well give fewer sectors or clusters; it may not serve fewer requests.
    minimum = harder if isinstance(trial.case, CityCase) else min(harder, 1)
    if now < minimum:
        sentence = f"k = {k + 1} publishes {harder} parts and k = {k} publishes {now}"
        return Violation(sentence, f"{now} parts", f">= {minimum}")
    return keep_if_compared(minimum, "nothing was published for k + 1")


def population(case: Case) -> tuple[int, int]:
    """Return the least and the most number of people a case may be said to have.

    They differ only for points, which count users or locations.
    """
    if isinstance(case, CityCase):
        return sum(case.users), sum(case.users)
    if isinstance(case, GraphCase):
        return case.users, case.users
    if isinstance(case, LogCase):
        return case.people, case.people
    locations = len(case.positions)
    return (locations if case.users is None else len(set(case.users))), locations


CHECKS: tuple[Check, ...] = tuple(_check.checks)
"""What is held to of whatever is published of what is no table."""
