"""Strategies for logs of people who move, and the sources of cases made of them.

Places are on a line of 2, 4 or 8, which is halved again and again. A case shrinks to few people in
few slots, all of them at the first place.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import combinations_with_replacement, product
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from kproof.models.registry import Kind
from kproof.proptests.cases import LogCase
from kproof.proptests.contract import Source

PARAMETERS: Mapping[str, SearchStrategy[Any]] = {
    "k": st.sampled_from((2, 3, 2, 4, 1)),
    "age": st.integers(0, 2),
    "session": st.sampled_from((4, 2, 1)),
    "deadline": st.integers(0, 2),
    "widest": st.sampled_from((8, 4, 2, 1)),
    "seed": st.integers(0, 3),
}
"""What is asked of a method that has an argument for it; the widest cell is in places."""

_STEPS = st.integers(-1, 1)


@st.composite
def log_cases(
    draw: DrawFn,
    parameters: frozenset[str] = frozenset({"k"}),
    *,
    people: int = 8,
    slots: int = 4,
    bits: SearchStrategy[int] | None = None,
    reports: SearchStrategy[int] | None = None,
    steps: SearchStrategy[int] = _STEPS,
) -> LogCase:
    """Draw a log of people who move; each reports at least once.

    Args:
        parameters: Names of the parameters to draw values for; others than those of a log are left
            out.
        people, slots: How many, at most.
        bits: Of a place; 1 to 3 unless given.
        reports: Of a person in a slot; one unless given.
        steps: How far somebody goes from one report to the next, in places.
    """
    size = draw(st.integers(1, 3) if bits is None else bits)
    times = st.just(1) if reports is None else reports
    length = draw(st.integers(1, slots))
    paths = []
    for _ in range(draw(st.integers(1, people))):
        place = draw(st.integers(0, 2**size - 1))
        path = []
        for _ in range(length):
            codes = []
            for _ in range(draw(times)):
                codes.append(f"{place:0{size}b}")
                place = min(max(place + draw(steps), 0), 2**size - 1)
            path.append(" ".join(codes))
        # Who never reports is in no log: what was drawn of them is their only position.
        paths.append(tuple(path) if any(path) else (f"{place:0{size}b}", *path[1:]))
    values = {name: draw(value) for name, value in PARAMETERS.items() if name in parameters}
    return LogCase(tuple(paths), values)


@st.composite
def parties(draw: DrawFn, parameters: frozenset[str] = frozenset({"k"})) -> LogCase:
    """Draw a crowd of which about k walk apart in each slot, at either end of a line of four.

    In every slot it is others who do, so that groups part, meet and part in another way; each cell
    that is asked for has one end only.

    >>> from hypothesis import find
    >>> find(parties(), lambda case: len(set(case.paths)) > 3).paths  # doctest: +ELLIPSIS
    (('11', '00', '00', '00'), ('11', '00', '11', '00'), ('00', '00', '11', '00'), ...)
    """
    k = draw(st.sampled_from((2, 3)))
    people = draw(st.sampled_from((2 * k, 2 * k + 1, 9, 12)))
    together = ["00"] * people
    slots = []
    for _ in range(draw(st.integers(2, 3))):
        # One fewer than k is the remainder that a fault leaves alone, k are a party.
        apart = draw(st.sampled_from((k, k - 1, k + 1)))
        first = draw(st.integers(0, people - 1))
        away = {(first + place) % people for place in range(apart)}
        slots.append(["11" if person in away else "00" for person in range(people)])
        slots += [together] * draw(st.sampled_from((1, 1, 0)))
    values = {name: draw(value) for name, value in PARAMETERS.items() if name in parameters}
    party = {"k": k, "session": 6, "widest": draw(st.sampled_from((1, 2)))}
    values |= {name: value for name, value in party.items() if name in parameters}
    return LogCase(tuple(zip(*slots, strict=True)), values)


def _every_log(parameters: frozenset[str]) -> Iterable[LogCase]:
    """Run through up to four people in two slots and two places, in any order of the people."""
    defaults = {"k": 2, "age": 0, "session": 2, "deadline": 1, "widest": 2, "seed": 0}
    values = {name: value for name, value in defaults.items() if name in parameters}
    journeys = [path for path in product(("0", "1", ""), repeat=2) if any(path)]
    for people in range(1, 5):
        for paths in combinations_with_replacement(journeys, people):
            yield LogCase(paths, values)


_SOMETIMES = st.sampled_from((1, 0, 1))
_LOGS: Mapping[str, Mapping[str, Any]] = {
    "walks": {},
    "anywhere": {"steps": st.integers(-7, 7)},
    "unknown positions": {"reports": _SOMETIMES},
    "several positions in a slot": {"reports": st.sampled_from((1, 2, 3, 0))},
    "people who come and go": {"reports": st.sampled_from((0, 1, 0)), "slots": 6},
    "crowds at two places": {"bits": st.just(1), "people": 12, "steps": st.sampled_from((0, 0, 1))},
    "fewer than k": {"people": 2},
}

SOURCES: tuple[Source, ...] = (
    *(Source(name, Kind.LOG, partial(log_cases, **how)) for name, how in _LOGS.items()),
    Source("parties that part and meet again", Kind.LOG, parties),
    Source.finite("every log of four people, two slots and two places", Kind.LOG, _every_log),
)
"""The ways to draw logs."""
