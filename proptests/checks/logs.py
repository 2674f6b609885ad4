"""Checks of cloaked logs: who may be behind a record, whatever was seen, and at every slot.

Positions are those of the case as it was drawn. The candidates of whole records are counted by the
judge of :mod:`kproof.models.moving`, which knows no rules; what fits known positions is counted
here once more, record by record.
"""

from collections import Counter
from itertools import combinations

import numpy as np

from kproof.models.attacks.intersection import Observer
from kproof.models.moving.labels import name
from kproof.models.moving.observers import Presence, intersect
from kproof.models.moving.release import CloakedLog
from kproof.models.registry import Kind, Promise
from kproof.proptests.cases import LogCase
from kproof.proptests.checks.releases import release_of, release_or_none, size_asked_for
from kproof.proptests.contract import Check, Declarations, Trial
from kproof.proptests.judgement import Judgement, Violation, keep_if_compared

_check = Declarations(frozenset({Kind.LOG}))
_MOVING = "the claims M1 to M3 of kproof.models.moving"
_NOBODY = "no record was published"

Record = tuple[tuple[int, int], ...]
"""The slots of a record, ascending, each with its label."""


def records_of(release: CloakedLog) -> list[Record]:
    """Return what is shown of each record, by its number.

    >>> label = np.array([2, 3, 0])
    >>> records_of(CloakedLog.of(np.array([7, 4, 7]), np.array([0, 0, 1]), label))
    [((0, 3),), ((0, 2), (1, 0))]
    """
    shown: dict[int, list[tuple[int, int]]] = {}
    rows = zip(release.record.tolist(), release.slot.tolist(), release.label.tolist(), strict=True)
    for number, slot, label in rows:
        shown.setdefault(number, []).append((slot, label))
    return [tuple(sorted(shown[number])) for number in sorted(shown)]


def presence_of(case: LogCase) -> Presence:
    """Return where everybody is in every slot of a case."""
    columns = [[row[0], row[1], int(row[2], 2)] for row in case.reports]
    # Of no reports, too, an array has to have three columns.
    slot, person, code = np.array(columns, dtype=np.int64).reshape(-1, 3).T
    size = {"last": case.slots - 1, "people": len(case.paths)}
    return Presence.of(slot, person, code, height=case.bits, age=case.age, **size)


@_check(
    "candidates",
    "|people in all cells of a record| >= k and |records equal to it| >= k",
    _MOVING,
    Promise.K_ANONYMITY,
    claim=(
        "Each record has k people who were in all its cells, and k records that are equal to it; "
        "so it has for any set of its slots."
    ),
)
def _candidates(trial: Trial) -> Judgement:
    release, k = release_of(CloakedLog, "", trial), size_asked_for(trial)
    presence = presence_of(trial.case)
    # In the order of Observer: who was in all cells, and then who also has the same record.
    fits, equal = (intersect(presence, release, observer=observer) for observer in Observer)
    for result, counted in ((fits, "people in all its cells"), (equal, "records equal to it")):
        if result.below(k):
            rows = np.flatnonzero(release.record == result.worst)
            inside = fits.example.tolist() if result is fits else ()
            cells = ", ".join(
                f"{name(int(release.label[row]))} in slot {release.slot[row]}" for row in rows
            )
            sentence = f"record {result.worst}, {cells}: {counted}: {result.least}, k = {k}"
            marked = tuple(inside), tuple(rows.tolist())
            return Violation(sentence, str(result.least), f">= {k}", *marked)
    copied = np.flatnonzero(equal.counts > fits.counts)
    if len(copied):
        # Copies of a record would count as people.
        rows = np.flatnonzero(release.record == equal.records[copied[0]])
        people, copies = int(fits.counts[copied[0]]), int(equal.counts[copied[0]])
        sentence = f"{copies} equal records fit {people} people: not every one is another person's"
        return Violation(
            sentence, f"{copies} records", f"<= {people}", output_rows=tuple(rows.tolist())
        )
    return keep_if_compared(fits.judged, _NOBODY)


@_check(
    "known positions",
    "|records that fit any positions of a person| = 0 or >= k",
    _MOVING,
    Promise.K_ANONYMITY,
)
def _check_positions(trial: Trial) -> Judgement:
    """Whatever positions of a person are known, no record fits them, or k do."""
    release, k = release_of(CloakedLog, "", trial), size_asked_for(trial)
    case: LogCase = trial.case
    shown = [dict(record) for record in records_of(release)]
    compared = 0
    for person in range(len(case.paths)):
        codes = case.codes_of(person)
        # All sets of slots. More slots fit fewer records, and 0 is in order: what fits some of the
        # slots may be fewer than k where what fits all of them is none.
        for size in range(1, len(codes) + 1):
            for slots in combinations(codes, size):
                fitting = sum(
                    # Whoever has no row in a slot may have been anywhere, as who is hidden.
                    all(_covers(record.get(slot, 0), codes[slot]) for slot in slots)
                    for record in shown
                )
                compared += fitting > 0
                if 0 < fitting < k:
                    where = ", ".join(f"at {codes[slot]} in slot {slot}" for slot in slots)
                    sentence = (
                        f"who knows that person {person} was {where} finds {fitting} of"
                        f" {len(shown)} records, k = {k}"
                    )
                    return Violation(sentence, str(fitting), f"0, or >= {k}", input_rows=(person,))
    return keep_if_compared(compared, "no position of anybody fits a record")


def _covers(label: int, code: str) -> bool:
    """Say whether a place is inside a cell; a hidden one excludes nobody."""
    return label == 0 or code.startswith(name(label)[1:])


@_check(
    "nothing taken back",
    "A(x until slot t) = rows of A(x) until slot t, for every t",
    _MOVING,
    Promise.NOTHING_TAKEN_BACK,
)
def _nothing_taken_back(trial: Trial) -> Judgement:
    """What is published of the first slots is the beginning of what is published of all."""
    release, case = release_of(CloakedLog, "", trial), trial.case
    # A log ends with its last report: nobody can know of slots after it.
    ends = sorted({slot for slot, _, _ in case.reports})[:-1]
    compared = 0
    for last in ends:
        earlier = release_or_none(trial.beside(case.until(last + 1)))
        if not isinstance(earlier, CloakedLog):
            continue
        compared += 1
        # Numbers of records are drawn: which record has which is not compared.
        was, now = (
            Counter(
                beginning
                for record in records_of(log)
                if (beginning := tuple(row for row in record if row[0] <= last))
            )
            for log in (earlier, release)
        )
        if was != now:
            gone, new = (
                " and ".join(map(_words, part)) or "nothing" for part in (was - now, now - was)
            )
            sentence = f"after slot {last} there is {gone}, later on in its place {new}"
            return Violation(sentence, "another beginning", "what was out")
    return keep_if_compared(compared, "nothing was published of a beginning")


def _words(record: Record) -> str:
    return "[" + ", ".join(f"{name(label)} in slot {slot}" for slot, label in record) + "]"


CHECKS: tuple[Check, ...] = tuple(_check.checks)
"""What is held to of cloaked logs."""
