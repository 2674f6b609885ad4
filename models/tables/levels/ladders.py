"""The ladders that there are, by the word that asks for them; what a column needs by itself.

A ladder is asked for as ``KIND:STEP,STEP;NAME=VALUE``: ``date``, ``date:month,year``,
``datetime;zone=Europe/Berlin``, ``week``, ``weekday``, ``time:hour``, ``prefix:3,2``,
``beginning``, ``range:5,10;origin=2``, ``round:10,100``, ``order:low<medium<high``, ``flat``.

Telling dates and times from other values, also where they are written as text.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date, time

from kproof.errors import InvalidArgument, KProofError
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.tables.levels.base import Ladder
from kproof.models.tables.levels.calendars import CalendarLadder
from kproof.models.tables.levels.clock import ClockLadder
from kproof.models.tables.levels.codes import BeginningLadder, FlatLadder, OrderLadder, PrefixLadder
from kproof.models.tables.levels.moments import FORMATS, DateFormat, clock_of, moments, split_time
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


def _without_steps(kind: str, whole: Ladder) -> _Make:
    def make(steps: tuple[str, ...], _: Mapping[str, str]) -> Ladder:
        if steps:
            refused, admissible = f"{kind}:{','.join(steps)}", f"{kind} alone; it has no steps"
            raise InvalidArgument("ladder", refused, admissible)
        return whole

    return make


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
    "beginning": (_without_steps("beginning", BeginningLadder()), ()),
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
    "flat": (_without_steps("flat", FlatLadder()), ()),
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
    # A category may have a comma in it; and an empty text splits into one empty
    # step, not into none.
    parts = re.split("<" if kind.strip() == "order" else ",", steps) if steps.strip() else []
    return make(tuple(part.strip() for part in parts), options)


def own_ladder(column: Column) -> Ladder | None:
    """Return the ladder of a column that holds dates or times and has no hierarchy, if any.

    Dates of which most cannot be read in any format, such as days without a year, have none.
    """
    present = [value for value in column.values if value is not MISSING]
    # Which ladder it is shows in some of the values; the ladder then reads every one.
    # Spread over all values, which are sorted: the first thousand might be of one
    # year, or all be faults.
    some = present[:: len(present) // _SOME + 1]
    if column.numeric or not holds_dates(some):
        return None
    # Dates and times that a frame holds need no format.
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
    # Numbers of one length are codes as often as not, of which a prefix is shown.
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


_DAY = r"(?:[1-9]|0[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_NUMBERED = r"(?:0?[1-9]|1[0-2])"
_YEAR = r"(?:\d{4}|'?\d{2})"
_NAMED = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WEEKDAY = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:[ap]\.?m\.?)?\s*(?:z|utc|[+-]\d{2}:?\d{2})?"
_DATE = re.compile(
    rf"""(?:{_WEEKDAY}[\s,]+)?(?:
        \d{{4}}(?P<a>[-/.]){_NUMBERED}(?P=a){_DAY}            # 2020-04-26, 2020/4/26
      | {_DAY}(?P<b>[-/.])\s?{_NUMBERED}(?P=b)\s?{_YEAR}      # 26.04.2020, 26/4/20
      | {_NUMBERED}(?P<c>[-/.]){_DAY}(?P=c){_YEAR}            # 04/26/2020
      | {_DAY}[\s-]{_NAMED}(?:[\s,-]+{_YEAR})?                # 26 April 2020, 26-Apr-20, 26 April
      | {_NAMED}[\s-]{_DAY}(?:[\s,-]+{_YEAR})?                # April 26, 2020
      | \d{{4}}-W[0-5]\d(?:-[1-7])?                           # 2020-W17-7
      | \d{{8}}(?=T)                                          # 20200426T0815
    )(?:[T\s,]+(?:{_CLOCK}|\d{{4,6}}Z?))?
    | {_CLOCK}""",
    re.IGNORECASE | re.VERBOSE,
)


def is_date(value: object) -> bool:
    """Say whether a value is a date or a time, also one that is written as text.

    >>> [is_date(one) for one in ("2020-04-26", "Fri Apr 26 2020", "Apr 26, 2020", "08:15")]
    [True, True, True, True]
    >>> [is_date(one) for one in (date(2020, 4, 26), "4-26", "HIV", 20200426)]
    [True, False, False, False]
    """
    if isinstance(value, str):
        return _DATE.fullmatch(value.strip()) is not None
    return isinstance(value, (date, time))


def holds_dates(values: Iterable[object]) -> bool:
    """Say whether most of the values that are there are dates or times."""
    present = [value for value in values if value is not MISSING]
    return bool(present) and 2 * sum(map(is_date, present)) > len(present)
