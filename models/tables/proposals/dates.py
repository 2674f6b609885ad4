"""Dates among texts: every strict format is tried on all distinct values, and none is preferred.

Of several formats that read every value all are returned, for a person to choose: a proposal asks
what 03/04/2020 is, it does not guess. The formats are those that a ladder reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from kproof.models.tables.levels.moments import FORMATS, DateFormat

_NAMED = re.compile(
    "jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|"
    "nov(ember)?|dec(ember)?",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?:(?<=\d)T|\s+|^)(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:[.,]\d+)?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?\s*(?P<zone>Z|UTC|[+-]\d{2}:?\d{2})?$",
    re.IGNORECASE,
)
_PERIODS: Mapping[str, str] = {
    "a year": r"(1[89]|20|21)\d\d",
    "a month": r"(1[89]|20|21)\d\d[-/](0[1-9]|1[0-2])|(0[1-9]|1[0-2])/(1[89]|20|21)\d\d",
    "a named month": r"[A-Za-z]{3,9}\.?[ -](1[89]|20|21)\d\d",
    "a quarter": r"(1[89]|20|21)\d\d[- ]?Q[1-4]|Q[1-4][- /]?(1[89]|20|21)\d\d",
    "a half year": r"(1[89]|20|21)\d\d[- ]?H[12]|H[12][- /]?(1[89]|20|21)\d\d",
    "a week": r"(1[89]|20|21)\d\d-?W[0-5]\d",
    "a range of years": r"(1[89]|20|21)\d\d\s?[-/–]\s?((1[89]|20|21)\d\d|\d\d)",
}

_MOST_OF_ALL = (9, 10)
"""Of the texts of a column so many are dates if it is one of dates."""


class Moment(StrEnum):
    """What a text about time stands for."""

    DATE = "date"
    TIME = "time"
    DATETIME = "date-time"
    PERIOD = "period"


@dataclass(frozen=True, slots=True)
class DateReading:
    """How the texts of a column are read as dates or times.

    Attributes
    ----------
    kind
        What they stand for.
    formats
        The formats of the date that read most of the texts; several if they cannot be told apart.
        Empty for times and periods.
    read
        How many of the texts are read.
    about
        What is to be told of them, such as their time zone.
    questions
        What somebody has to decide, a sentence each.
    """

    kind: Moment
    formats: tuple[str, ...] = ()
    read: int = 0
    about: str = ""
    questions: tuple[str, ...] = ()


def read_dates(texts: Sequence[str]) -> DateReading | None:
    """Read texts as dates, times, date-times or periods; None if most of them are none.

    Parameters
    ----------
    texts
        The distinct values of a column, none of which is missing.

    Examples
    --------
    >>> read_dates(["26/04/2020", "03/04/2020"]).formats
    ('%d/%m/%Y',)
    >>> read_dates(["03/04/2020", "05/06/2020"]).formats
    ('%d/%m/%Y', '%m/%d/%Y')
    >>> read_dates(["2020-Q1", "2020-Q2"]).about, read_dates(["flu", "HIV"])
    ('a quarter', None)
    """
    sample = texts[:: max(1, len(texts) // 50)]
    if 2 * sum(any(sign.isdigit() for sign in one) for one in sample) < len(sample):
        return None
    period = _period(sample) and _period(texts)
    if period:
        return DateReading(Moment.PERIOD, read=len(texts), about=period)
    # What reads less than half of a sample reads less than nine tenths of all.
    likely = _days_of(sample, FORMATS, least=(1, 2))
    return None if likely is None else _days_of(texts, likely.formats, least=_MOST_OF_ALL)


def _period(texts: Sequence[str]) -> str | None:
    for name, pattern in _PERIODS.items():
        shape = re.compile(pattern, re.IGNORECASE)
        if all(shape.fullmatch(one) for one in texts) and (
            name != "a named month" or all(_NAMED.match(one) for one in texts)
        ):
            return name
    return None


def _days_of(
    texts: Sequence[str], tried: Sequence[str], *, least: tuple[int, int]
) -> DateReading | None:
    """Read texts by those formats that read at least so many of them.

    A small ``least`` is for a sample: then all formats that read so many are returned.
    """
    share, whole = least
    clocks = [_CLOCK.search(one) for one in texts]
    clocked = sum(one is not None and int(one[1]) < 25 for one in clocks)
    days = [
        one if clock is None else one[: clock.start()].strip()
        for one, clock in zip(texts, clocks, strict=True)
    ]
    about = _zones(clocks, texts) if clocked else ("", ())
    if clocked == len(texts) and not any(days):
        return DateReading(Moment.TIME, read=len(texts), about=about[0], questions=about[1])
    times = dict.fromkeys(days)
    read = {
        one.pattern: {day: when for day in times if (when := one.read(day)) is not None}
        for one in map(DateFormat, tried)
    }
    most = max(map(len, read.values()), default=0)
    if not most or whole * most < share * len(times):
        return None
    if least != _MOST_OF_ALL:
        enough = [one for one, found in read.items() if whole * len(found) >= share * len(times)]
        return DateReading(Moment.DATE, tuple(enough))
    # One format reads what is there; a few cells that are no dates are faults of the table.
    best = {one: found for one, found in read.items() if len(found) == most}
    formats = tuple(_unlike(best))
    questions = [*about[1]]
    if len(formats) > 1:
        questions.append(_choice(best, formats))
    if any(DateFormat(one).short for one in formats):
        questions.append(
            f"{next(iter(times))} has a year of two digits: say the first year that is meant "
            '(ladder = "date;from=1930")'
        )
    wrong = [day for day in times if not any(day in found for found in best.values())]
    if wrong:
        questions.append(f"{wrong[0] or 'a time alone'} is no date in {formats[0]}")
    kind = Moment.DATETIME if 2 * clocked > len(texts) else Moment.DATE
    if 0 < clocked < len(texts):
        questions.append("some values have a time of day and some have none")
    return DateReading(kind, formats, most, about[0], tuple(questions))


def _unlike(best: Mapping[str, Mapping[str, date]]) -> Iterable[str]:
    """Yield the first of those formats that read every text alike."""
    seen: list[Mapping[str, date]] = []
    for one, found in best.items():
        if found not in seen:
            seen.append(found)
            yield one


def _choice(best: Mapping[str, Mapping[str, date]], formats: Sequence[str]) -> str:
    """Ask which format is meant, by a date that they read differently."""
    first, second = formats[:2]
    day = next(one for one in best[first] if best[first][one] != best[second].get(one))
    other = best[second].get(day)
    return f'{day} is {best[first][day]} (format = "{first}") or {other} (format = "{second}")'


def _zones(
    clocks: Sequence[re.Match[str] | None], texts: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    by_zone: dict[str, str] = {}
    for clock, one in zip(clocks, texts, strict=True):
        if clock is not None:
            written = (clock["zone"] or "").upper().replace(":", "")
            zone = {"Z": "UTC", "+0000": "UTC"}.get(written, written)
            by_zone.setdefault(zone, one)
    if len(by_zone) > 1:
        one, other = list(by_zone.values())[:2]
        return "several time zones", (
            f"{one} and {other} are in different time zones: say in which to tell them "
            '(ladder = "datetime;zone=Europe/Berlin")',
        )
    zone = next(iter(by_zone))
    return (f"time zone {zone}" if zone else "no time zone"), ()
