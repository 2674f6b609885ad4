"""Runs as frames that a page plays: each step with the places and the classes that it changes."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from kproof.petri.drawing import wording
from kproof.petri.net.firing import Firing, Trace
from kproof.petri.papers.classes import ByRecord
from kproof.petri.papers.head import decimal
from kproof.petri.papers.publisher import ATTACK, Publisher
from kproof.petri.papers.runs.account import ClassSeen, TableChange
from kproof.petri.papers.runs.publisher_runs import SampleRun

MOST_FRAMES = 400
"""Steps of a run that can be played; of a longer one the first."""
_LONGEST, _CLASSES = 400, 60


def script_data(publisher: Publisher | None, samples: tuple[SampleRun, ...]) -> Markup:
    """Return runs as JSON that can stand in an element of a page, whatever their words are.

    >>> script_data(None, ())
    Markup('[]')
    """
    frames = [
        frames_of_run(publisher, sample)
        for sample in samples
        if sample.course is not None or sample.account is not None
    ]
    # No text may end the element that it stands in, or begin a comment.
    text = json.dumps(frames, ensure_ascii=False).replace("<", "\\u003c").replace("&", "\\u0026")
    return Markup(text)


def frames_of_run(publisher: Publisher | None, sample: SampleRun) -> dict[str, Any]:
    """Return a run as frames: the first is whole, each other one has what changed.

    Places are there if the markings of the run are known, classes if it publishes a table.
    """
    changes = {change.number: change for change in sample.account.changes} if sample.account else {}
    if sample.course is None:
        numbers, firings = sorted(changes), {}
    else:
        numbers = list(range(1, len(sample.course.steps) + 1))
        firings = {n: firing for n, (firing, _) in enumerate(sample.course.steps, start=1)}
    class_of = _final_classes(publisher, sample)
    frames = [{"title": "before the first step", **_start(publisher, sample)}]
    for number in numbers[:MOST_FRAMES]:
        change = changes.get(number)
        frame: dict[str, Any] = {"title": f"step {number:,}: {_move(change, firings.get(number))}"}
        if sample.course is not None:
            frame["places"] = _token_changes(sample.course, number)
        if change is not None:
            frame["why"] = change.why
            frame["classes"] = dict(map(_class, filter(None, (change.received, change.gave))))
        elif firing := firings.get(number):
            frame |= _words(firing, class_of)
        frames.append(frame)
    return {
        "number": sample.number,
        "end": sample.end,
        "steps": sample.steps,
        "left_out": max(len(numbers) - MOST_FRAMES, 0),
        "frames": frames,
    }


def _start(publisher: Publisher | None, sample: SampleRun) -> dict[str, Any]:
    frame: dict[str, Any] = {}
    if sample.course is not None:
        marking = sample.course.start
        frame["places"] = {name: _tokens(marking[name]) for name, _ in marking}
    if publisher is not None:
        formed = publisher.formed.values
        shown = list(range(len(formed)))
        if sample.account is not None and len(formed) > _CLASSES:
            # Of a large table the classes that the run changes.
            shown = sorted({change.before.at for change in sample.account.classes})[:_CLASSES]
        frame["classes"] = dict(
            _class(ClassSeen.of(c, Counter(formed[c]), publisher.threshold)) for c in shown
        )
    return frame


def _class(class_seen: ClassSeen) -> tuple[str, list[object]]:
    """Return the number of a class, and its values, V beside θ, and whether it passes."""
    if class_seen.theta is None:
        return str(class_seen.at), [str(class_seen), "", True]
    sign = "≥" if class_seen.passes else "<"
    beside = f"V = {decimal(class_seen.variance)} {sign} θ = {decimal(class_seen.theta)}"
    return str(class_seen.at), [str(class_seen), beside, class_seen.passes]


def _token_changes(course: Trace, number: int) -> dict[str, str]:
    # Steps count from 1, and each carries the marking after it.
    before = course.start if number == 1 else course.steps[number - 2][1]
    after = course.steps[number - 1][1]
    names = {name for marking in (before, after) for name, _ in marking}
    changed = (name for name in sorted(names) if before[name] != after[name])
    return {name: _tokens(after[name]) for name in changed}


def _tokens(multiset: Any) -> str:
    return wording.shorten(wording.multiset(tuple(multiset.items())), _LONGEST)


def _move(change: TableChange | None, firing: Firing | None) -> str:
    if firing is not None:
        return firing.transition
    return "" if change is None else str(change.move)


def _words(firing: Firing, class_of: Callable[[int], int]) -> dict[str, Any]:
    """Return what a firing that changes no class is about; of an attack, whom it discloses."""
    binding = dict(firing.binding)
    values = ", ".join(
        f"{name} = {wording.shorten(wording.token_words(value), 60)}"
        for name, value in binding.items()
        if name != "ecs"
    )
    frame: dict[str, Any] = {"why": values}
    if firing.transition.startswith(ATTACK) and isinstance(binding.get("i"), int):
        victim: Any = binding["i"]
        attack = firing.transition.removeprefix(ATTACK)
        frame["disclosed"] = {str(class_of(victim)): f"{attack}: {binding.get('s', '')}"}
    return frame


def _final_classes(publisher: Publisher | None, sample: SampleRun) -> Callable[[int], int]:
    """Return the function that says in which class a victim is published."""
    if publisher is None or not isinstance(publisher.kind, ByRecord):
        return int
    places: Mapping[int, int] = {
        row: c for c, rows in enumerate(publisher.formed.rows) for row in rows
    }
    if sample.account is not None and sample.account.rows is not None:
        moved = {row.row: row.ended for row in sample.account.rows if row.row is not None}
        places = {**places, **moved}
    return lambda victim: places.get(victim, -1)
