"""The ladders that there are, by the word that asks for them; what a column needs by itself.

A ladder is asked for as ``KIND:STEP,STEP;NAME=VALUE``: ``date``, ``date:month,year``,
``datetime;zone=Europe/Berlin``, ``week``, ``weekday``, ``time:hour``, ``prefix:3,2``,
``beginning``, ``range:5,10;origin=2``, ``round:10,100``, ``order:low<medium<high``, ``flat``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from kproof.errors import InvalidArgument, KProofError
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.tables.levels.base import Ladder
from kproof.models.tables.levels.calendars import CalendarLadder
from kproof.models.tables.levels.clock import ClockLadder
from kproof.models.tables.levels.codes import BeginningLadder, FlatLadder, OrderLadder, PrefixLadder
from kproof.models.tables.levels.moments import FORMATS, DateFormat, clock_of, moments, split_time
from kproof.models.tables.levels.recognised import holds_dates
from kproof.models.tables.levels.widths import RangeLadder, RoundingLadder
from kproof.theory.exact.typed import integer, rational

MOST_VALUES = 50
"""Values up to which a column without levels is published in sets, however long: who knows the
column learns nothing from the length of a set. A column of more gets levels."""

_SOME = 1000
"""How many values say which ladder a column has by itself."""

_Make = Callable[[tuple[str, ...], Mapping[str, str]], Ladder]


def _calendar(kind: str) -> _Make:
    def make(steps: tuple[str, ...], options: Mapping[str, str]) -> Ladder:
        since = options.get("from")
        return CalendarLadder(
            kind,
            steps,
            format=options.get("format"),
            since=None if since is None else integer("from", since, least=1, most=9900),
            zone=options.get("zone"),
        )

    return make


def _flat(steps: tuple[str, ...], _: Mapping[str, str]) -> Ladder:
    if steps:
        raise InvalidArgument("ladder", f"flat:{','.join(steps)}", "flat alone; it has no steps")
    return FlatLadder()


KINDS: Mapping[str, tuple[_Make, tuple[str, ...]]] = {
    "date": (_calendar("date"), ("format", "from")),
    "datetime": (_calendar("datetime"), ("format", "from", "zone")),
    "week": (_calendar("week"), ("format", "from", "zone")),
    "weekday": (_calendar("weekday"), ("format", "from", "zone")),
    "time": (lambda steps, _: ClockLadder(steps) if steps else ClockLadder(), ()),
    "prefix": (
        lambda steps, options: PrefixLadder(
            tuple(integer("prefix", length, least=1) for length in steps),
            integer("width", options["width"], least=1, most=64) if "width" in options else None,
        ),
        ("width",),
    ),
    "beginning": (lambda _, __: BeginningLadder(), ()),
    "range": (
        lambda steps, options: RangeLadder(
            tuple(rational("range", width) for width in steps),
            rational("origin", options.get("origin", "0")),
        ),
        ("origin",),
    ),
    "round": (
        lambda steps, _: RoundingLadder(tuple(rational("round", width) for width in steps)),
        (),
    ),
    "order": (lambda steps, _: OrderLadder(steps), ()),
    "flat": (_flat, ()),
}
"""What makes a ladder of each kind, and the names that may stand behind it."""


def ladder(spec: str | Ladder) -> Ladder:
    """Return the ladder that a text asks for.

    >>> ladder("date:month,year").levels
    ('value', 'month', 'year', '*')
    >>> ladder("range:5,12")
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: ladder = range:5,12: need each width a multiple of the one
    before, unlike 12
    >>> ladder("calendar")
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: ladder = calendar: need date, datetime, week, weekday, time,
    prefix, beginning, range, round, order or flat
    """
    if isinstance(spec, Ladder):
        return spec
    if not isinstance(spec, str):
        raise InvalidArgument("ladder", spec, "a ladder, such as date or range:5,10")
    body, *settings = spec.split(";")
    kind, _, steps = body.partition(":")
    if kind.strip() not in KINDS:
        *kinds, last = KINDS
        raise InvalidArgument("ladder", spec, f"{', '.join(kinds)} or {last}")
    make, names = KINDS[kind.strip()]
    options: dict[str, str] = {}
    for setting in settings:
        name, sign, value = setting.partition("=")
        if not sign or name.strip() not in names or name.strip() in options:
            accepted = " or ".join(f";{setting}=…" for setting in names) or "nothing"
            raise InvalidArgument("ladder", spec, f"{accepted} behind {kind.strip()}, once")
        options[name.strip()] = value.strip()
    parts = re.split("<" if kind.strip() == "order" else ",", steps) if steps.strip() else []
    return make(tuple(part.strip() for part in parts), options)


def own_ladder(column: Column) -> Ladder | None:
    """Return the ladder of a column that holds dates or times and has no hierarchy, if any.

    Dates of which most cannot be read in any format, such as days without a year, have none.
    """
    present = [value for value in column.values if value is not MISSING]
    # Which ladder it is shows in some of the values; the ladder then reads every one.
    some = present[:: len(present) // _SOME + 1]
    if column.numeric or not holds_dates(some):
        return None
    if not all(isinstance(value, str) for value in some):
        clocked = moments(present, column.name, kind="datetime").clocked
        return CalendarLadder("datetime" if clocked else "date")
    parts = [split_time(text(value).strip()) for value in some]
    formats = [DateFormat(pattern) for pattern in FORMATS]
    dates = sum(any(form.looks(day) for form in formats) for day, _ in parts)
    if 2 * dates > len(some):
        clocks = any(clock is not None for _, clock in parts)
        return CalendarLadder("datetime" if clocks else "date")
    alone = sum(clock_of(value) is not None for value in some)
    return ClockLadder() if 2 * alone > len(some) else None


def helpful(column: Column) -> str:
    """Return the ladder that would give a column levels, as the command line has it.

    >>> import numpy as np
    >>> codes = Column("zip", np.zeros(1, dtype=np.int32), ("53703", "53715"), False)
    >>> helpful(codes)
    'prefix'
    >>> helpful(Column("city", np.zeros(1, dtype=np.int32), ("Bonn", "Ulm"), False))
    'flat'
    """
    present = [value for value in column.values if value is not MISSING]
    if holds_dates(present):
        return "date"
    written = [text(value) for value in present]
    numbers = all(re.fullmatch(r"-?\d+(\.\d+)?", cell) for cell in written)
    if numbers and len(set(map(len, written))) > 1:
        return "range:10,100"
    if sum(any(map(str.isdigit, cell)) for cell in written) * 2 > len(written):
        return "prefix"
    # An order of words is somebody's to give.
    return "flat"


def with_levels(column: Column, limit: int) -> Column:
    """Return a column that can be published in short labels."""
    if column.numeric or column.taxonomy is not None or len(column.values) <= limit:
        return column
    for rule in (own_ladder(column), ladder(helpful(column)), ladder("flat")):
        if rule is None:
            continue
        try:
            tree = rule.taxonomy(column.values, column.name)
            tree = tree.fitted(column.values, column=column.name)
        except KProofError:
            # A ladder that reads most values may stumble over one; the last reads anything.
            continue
        return replace(column, taxonomy=tree)
    return column
