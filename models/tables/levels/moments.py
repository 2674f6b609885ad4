"""Reading dates and times strictly: every format is tried on every value, and nothing is guessed.

A format is taken only if it reads all values of a column and no other reads them otherwise. Days
that no calendar has, years of two digits and several time zones are told, not mended. A time of
day behind a date is found by itself; a format is about the date alone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import cache, cached_property
from zoneinfo import ZoneInfo

from kproof.errors import DataError, InvalidArgument, show, spell
from kproof.models.base.missing import text

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH_NAMES = re.compile(
    "jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|"
    "nov(ember)?|dec(ember)?",
    re.IGNORECASE,
)
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = re.compile(rf"({'|'.join(_DAYS)})[a-z]*\.?,?\s+", re.IGNORECASE)
_CLOCK = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<part>\d+))?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?\s*(?P<zone>Z|UTC|[+-]\d{2}:?\d{2})?"
)
_ALONE = re.compile(_CLOCK, re.IGNORECASE)
_BEHIND = re.compile(rf"(?<=\w)(?:T|,?\s+){_CLOCK}$", re.IGNORECASE)
# Without colons digits behind a space may be a year; behind a T they are a time.
_CLOSE = re.compile(rf"(?<=\d)T{_CLOCK.replace(':(', ':?(')}$", re.IGNORECASE)
_DIRECTIVES: Mapping[str, str] = {
    "Y": r"(?P<Y>\d{4})",
    "y": r"(?P<y>\d{2})",
    "m": r"(?P<m>0?[1-9]|1[0-2])",
    "d": r"(?P<d>0?[1-9]|[12]\d|3[01])",
    "b": r"(?P<b>[A-Za-z]{3,9})\.?",
    "B": r"(?P<b>[A-Za-z]{3,9})",
    "G": r"(?P<G>\d{4})",
    "V": r"(?P<V>[0-5]\d)",
    "u": r"(?P<u>[1-7])",
    "%": "%",
}
_IN_WORDS = ["YYYY", "YY", "MM", "DD", "MMM", "MMMM", "YYYY", "ww", "D", "%"]
_WORDED: Mapping[str, str] = dict(zip("YymdbBGVu%", _IN_WORDS, strict=True))
_WHOLE = ({"Y", "m", "d"}, {"y", "m", "d"}, {"Y", "b", "d"}, {"y", "b", "d"}, {"G", "V", "u"})

FORMATS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%G-W%V-%u"),
    *("%d.%m.%Y", "%d. %m. %Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"),
    *("%d %b %Y", "%d-%b-%Y", "%d. %b %Y", "%b %d, %Y", "%b %d %Y", "%b-%d-%Y"),
    *("%dst %b %Y", "%dnd %b %Y", "%drd %b %Y", "%dth %b %Y"),
    *("%d/%m/%y", "%m/%d/%y", "%y/%m/%d", "%d.%m.%y", "%d-%m-%y", "%m-%d-%y", "%y-%m-%d"),
    *("%d %b %y", "%d-%b-%y", "%b %d, %y"),
)
"""What is tried on a column of texts if no format is said; with dots the day is first."""


@dataclass(frozen=True)
class DateFormat:
    """How dates are written, in the signs of ``strptime``: ``%Y %y %m %d %b %B %G %V %u``.

    >>> DateFormat("%d/%m/%Y").read("26/4/2020"), DateFormat("%d/%m/%Y").read("4/26/2020")
    (datetime.date(2020, 4, 26), None)
    >>> DateFormat("%d/%m/%y", since=1930).read("26/4/29")
    datetime.date(2029, 4, 26)
    """

    pattern: str
    """Such as ``%d/%m/%Y``. Names of months are English."""
    since: int | None = None
    """The first year that two digits may mean, such as 1930 for 1930 to 2029."""

    @cached_property
    def shape(self) -> re.Pattern[str]:
        """What a date of this format looks like."""
        signs = re.findall("%(.)", self.pattern)
        readable = all(sign in _DIRECTIVES for sign in signs)
        parts = ["b" if sign == "B" else sign for sign in signs if sign != "%"]
        # Twice the same sign would be two groups of one name, which may also
        # contradict one another.
        if not readable or len(set(parts)) < len(parts) or set(parts) not in _WHOLE:
            raise InvalidArgument("format", self.pattern, "day, month and year, such as %d/%m/%Y")
        pieces = re.split("%(.)", self.pattern)
        shape = "".join(
            _DIRECTIVES[piece] if place % 2 else re.escape(piece)
            for place, piece in enumerate(pieces)
        )
        if "" in pieces[2:-1:2]:
            # With nothing between them day and month need both digits: 2020111 is two days.
            shape = shape.replace("0?[1-9]", "0[1-9]")
        return re.compile(shape, re.IGNORECASE)

    @property
    def short(self) -> bool:
        """Whether years have two digits."""
        return "%y" in self.pattern

    @property
    def in_words(self) -> str:
        """The format as people write it, such as ``DD/MM/YYYY``.

        >>> DateFormat("%d. %b %Y").in_words, DateFormat("%G-W%V-%u").in_words
        ('DD. MMM YYYY', 'YYYY-Www-D')
        """
        return re.sub("%(.)", lambda sign: _WORDED[sign[1]], self.pattern)

    def looks(self, written: str) -> bool:
        """Say whether a text has the shape of the format, be it a day of the calendar or not."""
        match = self.shape.fullmatch(written)
        name = None if match is None else match.groupdict().get("b")
        # The shape takes any three letters or more for a month: Flu-12-2020 has to be
        # told from Feb-12-2020.
        return match is not None and (name is None or MONTH_NAMES.fullmatch(name) is not None)

    def read(self, written: str) -> date | None:
        """Return the day that a text stands for; None if it is none, or of another format."""
        if (match := self.shape.fullmatch(written)) is None:
            return None
        parts = match.groupdict()
        try:
            if "G" in parts:
                return date.fromisocalendar(*(int(parts[sign]) for sign in "GVu"))
            month = int(parts["m"]) if "m" in parts else _month(parts["b"])
            year = int(parts.get("Y") or parts["y"])
            if "y" in parts:
                # Any century does, without a first year, that has every 29 February there is.
                since = 2000 if self.since is None else self.since
                # The one year in the hundred from `since` on that ends in these two digits.
                year = since + (year - since) % 100
            # Which days there are is left to the calendar: 29 February is one in leap years alone.
            return date(year, month, int(parts["d"]))
        except ValueError:
            return None


class SeveralFormats(DateFormat):
    """Formats of one column, with ``|`` between them: a text is read by those that fit it.

    >>> several = SeveralFormats("%d.%m.%Y|%Y-%m-%d")
    >>> several.read("2020-04-26") == several.read("26.4.2020"), several.in_words
    (True, 'DD.MM.YYYY or YYYY-MM-DD')
    """

    @cached_property
    def parts(self) -> tuple[DateFormat, ...]:
        """Each of them."""
        return tuple(DateFormat(pattern, self.since) for pattern in self.pattern.split("|"))

    @property
    def in_words(self) -> str:
        """The formats as people write them."""
        return " or ".join(part.in_words for part in self.parts)

    def ways(self, written: str) -> tuple[date, ...]:
        """Return the days that a text may stand for."""
        every = (part.read(written) for part in self.parts)
        # Two formats that read the same day are no doubt about it.
        return tuple(dict.fromkeys(day for day in every if day is not None))

    def looks(self, written: str) -> bool:
        """Say whether a text has the shape of one of the formats."""
        return any(part.looks(written) for part in self.parts)

    def read(self, written: str) -> date | None:
        """Return the day that a text stands for; None if it is none, or may be several."""
        days = self.ways(written)
        return days[0] if len(days) == 1 else None


@dataclass(frozen=True)
class Dating:
    """What the values of a column stand for."""

    whens: tuple[datetime, ...]
    """Shape (values,): the moment of each, all in one time zone or all in none; midnight where
    only a day is written."""
    clocked: bool
    """Whether any has a time of day."""
    note: str = ""
    """The format that was found, or what else was settled; empty for values that are dates."""


def moments(
    values: Sequence[object],
    column: str,
    *,
    pattern: str | None = None,
    since: int | None = None,
    zone: str | None = None,
    kind: str = "date",
) -> Dating:
    """Read the values of a column as days or as moments.

    Args:
        values: Dates, datetimes or texts; none is missing.
        column, kind: The column and the ladder that asks, for messages.
        pattern: The format of the dates; None tries all of :data:`FORMATS`.
        since: The first year that two digits may mean.
        zone: Name of the time zone in which moments are told, such as ``Europe/Berlin``; those
            without one are taken to be in it.

    Raises:
        DataError: If a value is no date, no day of the calendar, can be read in two ways or has a
            year of two digits; or time zones are mixed.

    >>> moments(["26/04/2020", "03/04/2020"], "born").note
    'written DD/MM/YYYY'
    >>> moments(["04/05/2020", "03/04/2020"], "born")
    Traceback (most recent call last):
    kproof.errors.DataError: column born: 04/05/2020 is 2020-05-04 or 2020-04-05; say which:
    ladders={"born": "date;format=%d/%m/%Y"} or ladders={"born": "date;format=%m/%d/%Y"}
    """
    days: list[str] = []
    clocks: list[time | None] = []
    for value in values:
        day, clock = split_time(text(value)) if not isinstance(value, date) else (str(value), None)
        if isinstance(value, datetime):
            day, clock = value.date().isoformat(), value.timetz()
        days.append(day)
        clocks.append(clock)
    # A datetime that a frame holds is written by nobody: its day needs no format.
    written = all(isinstance(value, str) for value in values)
    # Every format is tried on every day: once each, and in their order, so that messages
    # name the first.
    distinct = list(dict.fromkeys(days))
    context = _Context(column, kind)
    form = _format(distinct, context, pattern, since) if written else DateFormat("%Y-%m-%d")
    day_of = {day: _within_week(form, day) for day in distinct}
    instants = []
    for value, day, clock in zip(values, days, clocks, strict=True):
        if (read := day_of[day]) is None:
            raise DataError(f"column {show(column)}: {show(text(value))} is no date; need dates")
        instants.append(datetime.combine(read, clock or time()))
    note = f"written {form.in_words}" if written and pattern is None else ""
    # Midnight counts as no time of day: frames hold days as datetimes.
    clocked = any(clock is not None and clock.replace(tzinfo=None) != time() for clock in clocks)
    whens, zone_note = _in_one_zone(instants, values, context, zone)
    return Dating(whens, clocked, ", ".join(part for part in (note, zone_note) if part))


def clock_of(value: object) -> time | None:
    """Return the time of day of a value, with or without a date before it; None if it has none.

    >>> clock_of("8:15 pm"), clock_of("2023-01-02 13:45:10"), clock_of("noon")
    (datetime.time(20, 15), datetime.time(13, 45, 10), None)
    """
    if isinstance(value, datetime):
        return value.timetz()
    if isinstance(value, time):
        return value
    if not isinstance(value, str):
        return None
    alone = _ALONE.fullmatch(value.strip())
    return split_time(value.strip())[1] if alone is None else _clock(alone)


def split_time(written: str) -> tuple[str, time | None]:
    """Return the date and the time of day in a text, None if it has no time.

    >>> split_time("2020-04-26T08:15Z")
    ('2020-04-26', datetime.time(8, 15, tzinfo=datetime.timezone.utc))
    """
    match = _BEHIND.search(written) or _CLOSE.search(written)
    clock = None if match is None else _clock(match)
    if match is None or clock is None:
        return written, None
    return written[: match.start()], clock


@cache
def time_zone(name: str) -> tzinfo:
    """Return a time zone by its name."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise InvalidArgument("zone", name, "a time zone, such as Europe/Berlin or UTC") from None


@dataclass(frozen=True)
class _Context:
    """The column that is read and the ladder that asks for it: what messages speak of."""

    column: str
    kind: str

    def about(self, value: object) -> str:
        return f"column {show(self.column)}: {show(text(value))}"

    def option(self, **settings: object) -> str:
        suffix = "".join(f";{name.strip('_')}={value}" for name, value in settings.items())
        return spell("ladders", {self.column: f"{self.kind}{suffix}"})


def _format(
    days: Sequence[str], context: _Context, pattern: str | None, since: int | None
) -> DateFormat:
    """Return the one format that reads all days."""
    if pattern is not None:
        several = SeveralFormats(pattern, since)
        for day in days:
            fitting = several.ways(day)
            if len(fitting) > 1:
                raise DataError(
                    f"{context.about(day)} is {' or '.join(map(str, fitting))} by the formats "
                    "that are said; leave out one of them"
                )
        _require_read(days, [several], context)
        _require_century(days, several, context)
        return several
    tried = [DateFormat(pattern, since) for pattern in FORMATS]
    forms = tried
    for day in days:
        # Not the first format that fits: all that read every day so far go on, and if two are
        # left they have to agree.
        before, forms = (forms, [form for form in forms if _within_week(form, day) is not None])
        if not forms:
            _require_read([day], before if len(before) < len(tried) else tried, context)
    first, *alternatives = forms
    for alternative in alternatives:
        for day in days:
            days_read = _within_week(first, day), _within_week(alternative, day)
            if days_read[0] != days_read[1]:
                since_too = {"from_": 1930} if first.short and since is None else {}
                options = (
                    context.option(format=form.pattern, **since_too)
                    for form in (first, alternative)
                )
                raise DataError(
                    f"{context.about(day)} is {' or '.join(map(str, days_read))}; say which: "
                    f"{' or '.join(options)}"
                )
    _require_century(days, first, context)
    return first


def _require_century(days: Sequence[str], form: DateFormat, context: _Context) -> None:
    # A year of two digits is never taken for one of four by itself, however
    # plausible: 29 may be 1929.
    if form.short and form.since is None:
        raise DataError(
            f"{context.about(days[0])} has a year of two digits; say the first year that is meant: "
            f"{context.option(format=form.pattern, from_=1930)}"
        )


def _require_read(days: Iterable[str], formats: Sequence[DateFormat], context: _Context) -> None:
    """Say of the first day that no format reads what is wrong with it."""
    for day in days:
        if any(_within_week(form, day) is not None for form in formats):
            continue
        # Written like a date and yet no day: another format would not help, so none is asked for.
        if any(form.looks(_WEEKDAY.sub("", day, count=1)) for form in formats):
            raise DataError(
                f"{context.about(day)} is no day of the calendar; correct it, or leave its row out"
            )
        how = f" as {formats[0].pattern}" if len(formats) == 1 else ""
        raise DataError(
            f"{context.about(day)} is no date{how}; say {spell('missing', [day])} if it stands for "
            f"nothing, or how it is written: {context.option(format='…')}"
        )


def _within_week(form: DateFormat, day: str) -> date | None:
    """Return the day that a text stands for, if the day of the week before it agrees."""
    if (weekday := _WEEKDAY.match(day)) is None:
        return form.read(day)
    read = form.read(day[weekday.end() :])
    agrees = read is not None and _DAYS[read.weekday()] == weekday[1].lower()
    return read if agrees else None


def _in_one_zone(
    instants: Sequence[datetime], values: Sequence[object], context: _Context, zone: str | None
) -> tuple[tuple[datetime, ...], str]:
    if zone is not None:
        return tuple(
            _tell_in(time_zone(zone), instant, context.about(value))
            for instant, value in zip(instants, values, strict=True)
        ), f"in {zone}"
    by_offset: dict[timedelta | None, object] = {}
    for instant, value in zip(instants, values, strict=True):
        # By how far they are from UTC, not by name: Z and +00:00 are one zone. None
        # stands for no zone at all.
        by_offset.setdefault(instant.utcoffset(), value)
    if len(by_offset) > 1:
        first, second = list(by_offset.values())[:2]
        raise DataError(
            f"{context.about(first)} and {show(text(second))} are in different time zones; say in "
            f"which to tell them: {context.option(zone='Europe/Berlin')}"
        )
    offset = next(iter(by_offset))
    zone_note = "" if offset is None else f"in {timezone(offset)}"
    return tuple(instant.replace(tzinfo=None) for instant in instants), zone_note


def _tell_in(zone: tzinfo, when: datetime, about: str) -> datetime:
    """Return a moment as a zone tells it; without one of its own it is told there already."""
    try:
        return (when if when.tzinfo is None else when.astimezone(zone)).replace(tzinfo=None)
    except OverflowError:
        raise DataError(f"{about} is in no year of the calendar there") from None


def _clock(match: re.Match[str]) -> time | None:
    hour, minute = int(match["hour"]), int(match["minute"])
    # Python has microseconds: what is finer is cut off, and .5 is half a second and not five parts.
    second, part = int(match["second"] or 0), (match["part"] or "")[:6].ljust(6, "0")
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        # 12 am is midnight and 12 pm noon.
        hour = hour % 12 + 12 * (match["half"][0] in "pP")
    try:
        return time(hour, minute, second, int(part), tzinfo=_offset(match["zone"]))
    except ValueError:
        return None


def _offset(written: str | None) -> timezone | None:
    if not written:
        return None
    if written.upper() in ("Z", "UTC"):
        return UTC
    minutes = int(written[1:3]) * 60 + int(written[-2:])
    return timezone(timedelta(minutes=-minutes if written[0] == "-" else minutes))


def _month(name: str) -> int:
    if MONTH_NAMES.fullmatch(name) is None:
        raise ValueError(name)
    return _MONTHS.index(name[:3].lower()) + 1
