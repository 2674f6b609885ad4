"""Dates among texts: every strict format is tried on all distinct values, and none is preferred.

Of several formats that read every value all are returned, for a person to choose: a proposal asks
what 03/04/2020 is, it does not guess. Nor does it take 29 February 2019 for a sign that a column
holds no dates: how values are written decides that, and somebody is asked about days that no
calendar has. The formats are those that a ladder reads.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from itertools import chain

from kproof.errors import show, spell
from kproof.models.tables.detection.headings import at_least
from kproof.models.tables.levels.moments import FORMATS, MONTH_NAMES, DateFormat, SeveralFormats

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

_WRITTEN = (9, 10)
"""Of the texts of a column of dates at least this share is written in one format."""

_REAL = (1, 2)
"""Of the texts that are written as dates at least this share are days of the calendar."""


class Moment(StrEnum):
    """What a text about time stands for."""

    DATE = "date"
    TIME = "time"
    DATETIME = "date-time"
    PERIOD = "period"


@dataclass(frozen=True, slots=True)
class DateReading:
    """How the texts of a column are read as dates or times."""

    kind: Moment
    """What they stand for."""
    formats: tuple[str, ...] = ()
    """The formats of the date that read most of the texts; several if they cannot be told apart.
    Empty for times and periods."""
    written: int = 0
    """How many of the texts are written so, be they days of the calendar or not."""
    about: str = ""
    """What is to be told of them, such as their time zone."""
    questions: tuple[str, ...] = ()
    """What somebody has to decide, a sentence each."""
    mixed: bool = False
    """Whether all of the formats are in use, and no text can be read in two ways."""


def read_dates(texts: Sequence[str]) -> DateReading | None:
    """Read texts as dates, times, date-times or periods; None if most of them are none.

    >>> read_dates(["26/04/2020", "03/04/2020"]).formats
    ('%d/%m/%Y',)
    >>> read_dates(["03/04/2020", "05/06/2020"]).formats
    ('%d/%m/%Y', '%m/%d/%Y')
    >>> read_dates(["2019-02-29", "2019-03-01"]).questions[0][:52]
    '2019-02-29 is no day of the calendar; correct it, le'
    >>> read_dates(["2020-Q1", "2020-Q2"]).about, read_dates(["flu", "HIV"])
    ('a quarter', None)
    """
    sample = texts[:: max(1, len(texts) // 50)]
    if 2 * sum(any(sign.isdigit() for sign in text) for text in sample) < len(sample):
        return None
    period = _period(sample) and _period(texts)
    if period:
        return DateReading(Moment.PERIOD, written=len(texts), about=period)
    days = dict.fromkeys(_apart(sample)[0])
    # Of a sample first, here and below: every format is tried on every text.
    if len(days) > 1 and _read_mixed(sample) and (mixed := _read_mixed(texts)):
        return mixed
    # What less than half of a sample looks like, less than nine tenths of all do.
    likely = [way for way in map(DateFormat, FORMATS) if 2 * sum(map(way.looks, days)) >= len(days)]
    reading = _read(texts, likely) if likely or not any(days) else None
    return reading or (_read_turned(texts) if _read_turned(sample) else None)


def _period(texts: Sequence[str]) -> str | None:
    for name, pattern in _PERIODS.items():
        shape = re.compile(pattern, re.IGNORECASE)
        if all(shape.fullmatch(text) for text in texts) and (
            name != "a named month" or all(MONTH_NAMES.match(text) for text in texts)
        ):
            return name
    return None


def _apart(texts: Sequence[str]) -> tuple[list[str], list[re.Match[str] | None]]:
    """Return the day, empty if there is none, and the time of day of each text."""
    clocks = [_CLOCK.search(text) for text in texts]
    days = [
        text if clock is None else text[: clock.start()].strip()
        for text, clock in zip(texts, clocks, strict=True)
    ]
    return days, clocks


def _read(texts: Sequence[str], tried: Sequence[DateFormat]) -> DateReading | None:
    """Read texts by the formats that read most of them, if they are dates or times at all."""
    day_of_text, clocks = _apart(texts)
    clocked = sum(clock is not None and int(clock[1]) < 25 for clock in clocks)
    about, zone_questions = _zones(clocks, texts) if clocked else ("", ())
    if clocked == len(texts) and not any(day_of_text):
        return DateReading(Moment.TIME, (), len(texts), about, zone_questions)
    days = dict.fromkeys(day_of_text)
    read: dict[str, dict[str, date]] = {}
    written: dict[str, int] = {}
    for form in tried:
        real = {day: when for day in days if (when := form.read(day)) is not None}
        shaped = len(real) + sum(form.looks(day) for day in days if day not in real)
        if at_least(_WRITTEN, shaped, len(days)) and at_least(_REAL, len(real), shaped):
            read[form.pattern], written[form.pattern] = real, shaped
    if not (largest := max(map(len, read.values()), default=0)):
        return None
    # One format reads what is there; a few cells that are no dates are faults of the table.
    best = {pattern: real for pattern, real in read.items() if len(real) == largest}
    formats = tuple(_unlike(best))
    questions = [*zone_questions]
    if len(formats) > 1:
        questions.append(_choice(best, formats))
    if any(DateFormat(pattern).short for pattern in formats):
        questions.append(
            f"{next(iter(days))} has a year of two digits: say the first year that is meant "
            '(ladder = "date;from=1930")'
        )
    wrong = [day for day in days if not any(day in real for real in best.values())]
    questions += _faults(wrong, [DateFormat(pattern) for pattern in formats])
    kind = Moment.DATETIME if 2 * clocked > len(texts) else Moment.DATE
    if 0 < clocked < len(texts):
        questions.append("some values have a time of day and some have none")
    return DateReading(kind, formats, written[formats[0]], about, tuple(questions))


def _read_mixed(texts: Sequence[str]) -> DateReading | None:
    """Read texts that are written in several formats: each of these is found by itself."""
    by_shape: dict[str, list[str]] = {}
    for text in texts:
        by_shape.setdefault(_shape(text), []).append(text)
    # What less than a fiftieth of them look like are faults of some cells, no way of writing.
    by_shape = {shape: some for shape, some in by_shape.items() if 50 * len(some) >= len(texts)}
    if not 1 < len(by_shape) <= 8:
        return None
    readings: dict[tuple[str, ...], DateReading] = {}
    for some in by_shape.values():
        reading = _read(some, list(map(DateFormat, FORMATS)))
        if reading is None or reading.kind not in (Moment.DATE, Moment.DATETIME):
            return None
        before = readings.get(reading.formats)
        written = reading.written + (0 if before is None else before.written)
        readings[reading.formats] = replace(reading, written=written)
    written = sum(reading.written for reading in readings.values())
    if len(readings) < 2 or not at_least(_WRITTEN, written, len(texts)):
        return None
    every = tuple(dict.fromkeys(pattern for formats in readings for pattern in formats))
    reader, several = SeveralFormats("|".join(every)), "dates are written in several formats"
    # As texts, of which date-time is the greater one: some of the values have a time of day.
    kind = max(reading.kind for reading in readings.values())
    every_question = [question for reading in readings.values() for question in reading.questions]
    questions = [question for question in every_question if "format =" not in question]
    for text in chain.from_iterable(by_shape.values()):
        ways = reader.ways(_apart([text])[0][0])
        if len(ways) > 1:
            clash = [part.pattern for part in reader.parts if part.read(text) in ways]
            settled = [part for part in every if part not in clash]
            lists = " or ".join(f"format = {json.dumps([*settled, part])}" for part in clash)
            questions.append(f"{several}, and {text} is {' or '.join(map(str, ways))}: say {lists}")
            return DateReading(kind, every, written, "", tuple(questions))
    questions.append(f"{several}: look whether format = {json.dumps(every)} reads all as meant")
    return DateReading(kind, every, written, "", tuple(questions), mixed=True)


def _read_turned(texts: Sequence[str]) -> DateReading | None:
    """Find dates of which some have the day first and some the month: nobody can tell which."""
    days = list(dict.fromkeys(_apart(texts)[0]))
    for patterns in (("%d/%m/%Y", "%m/%d/%Y"), ("%d-%m-%Y", "%m-%d-%Y")):
        either = SeveralFormats("|".join(patterns))
        ways = {day: either.ways(day) for day in days}
        read = sum(map(bool, ways.values()))
        ends = [
            next((d for d in days if part.read(d) and len(ways[d]) == 1), "")
            for part in either.parts
        ]
        if all(ends) and at_least(_WRITTEN, read, len(days)):
            question = (
                f"{ends[0]} has the day first and {ends[1]} the month: nobody can tell what "
                'others are: write them alike in the data, or say role = "drop"'
            )
            return DateReading(Moment.DATE, patterns, read, "", (question,))
    return None


def _shape(written: str) -> str:
    """Return how a text is written: digits as 9, four of them as a year, words as a."""
    day = _apart([written])[0][0]
    years = re.sub(r"\d{4}", "Y", re.sub(r"\d{8}", "Z", day))
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_Y]+|Y(?=[a-z])", "a", years))


def _faults(wrong: Sequence[str], formats: Sequence[DateFormat]) -> Iterable[str]:
    """Ask what is meant by days that no calendar has, and by what is written otherwise."""
    if impossible := [day for day in wrong if any(form.looks(day) for form in formats)]:
        fault, rows = "is no day of the calendar; correct it", "its row"
        if len(impossible) > 1:
            further = len(impossible) - 1
            more = "1 other value" if further == 1 else f"{further} other values"
            fault, rows = (f"and {more} are no days of the calendar; correct them", "their rows")
        say = spell("missing", impossible)
        yield f"{show(impossible[0])} {fault}, leave {rows} out, or say {say}"
    if unread := [day for day in wrong if day not in impossible]:
        say = f"; say {spell('missing', unread[:1])} if it stands for nothing" if unread[0] else ""
        about = show(unread[0]) if unread[0] else "a time alone"
        yield f"{about} is no date written {formats[0].in_words}{say}"


def _unlike(best: Mapping[str, Mapping[str, date]]) -> Iterable[str]:
    """Yield the first of those formats that read every text alike."""
    readings: list[Mapping[str, date]] = []
    for pattern, reading in best.items():
        if reading not in readings:
            readings.append(reading)
            yield pattern


def _choice(best: Mapping[str, Mapping[str, date]], formats: Sequence[str]) -> str:
    """Ask which format is meant, by a date that they read differently."""
    first, second = formats[:2]
    day = next(day for day in best[first] if best[first][day] != best[second].get(day))
    as_second = best[second].get(day)
    return f'{day} is {best[first][day]} (format = "{first}") or {as_second} (format = "{second}")'


def _zones(
    clocks: Sequence[re.Match[str] | None], texts: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    by_zone: dict[str, str] = {}
    for clock, text in zip(clocks, texts, strict=True):
        if clock is not None:
            written = (clock["zone"] or "").upper().replace(":", "")
            zone = {"Z": "UTC", "+0000": "UTC"}.get(written, written)
            by_zone.setdefault(zone, text)
    if len(by_zone) > 1:
        first, second = list(by_zone.values())[:2]
        return "several time zones", (
            f"{first} and {second} are in different time zones: say in which to tell them "
            '(ladder = "datetime;zone=Europe/Berlin")',
        )
    zone = next(iter(by_zone))
    return (f"time zone {zone}" if zone else "no time zone"), ()
