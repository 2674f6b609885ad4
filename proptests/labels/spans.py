"""Stretches of time that labels name: hours, days, weeks, months, quarters, years, decades.

The forms are read by their first and their last moment, not by how a method makes them.
"""

import re
from datetime import date, datetime, timedelta

from kproof.proptests.labels.cells import point
from kproof.proptests.labels.vocabulary import Covering

_FORM = re.compile(
    r"(?P<year>\d{4})"
    r"(?:-(?P<month>\d{2})(?:-(?P<day>\d{2})(?:T(?P<hour>\d{2}))?)?|-Q(?P<quarter>[1-4])"
    r"|-W(?P<week>\d{2}|\*\*)|(?P<decade>(?<=0)s))?"
)
_RUN = re.compile(r"\[(\d{4})-(\d{4})\]")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_PARTS = {"Monday to Friday": _DAYS[:5], "Saturday and Sunday": _DAYS[5:]}


def span_of(label: str) -> tuple[datetime, datetime] | None:
    """Return the first moment of what a label names and the first one after it, or None.

    >>> [str(end) for end in span_of("2020-Q2")]
    ['2020-04-01 00:00:00', '2020-07-01 00:00:00']
    >>> [end.year for end in span_of("1980s")], span_of("2020-13")
    ([1980, 1990], None)
    """
    match, run = _FORM.fullmatch(label), _RUN.fullmatch(label)
    # Four digits compare as texts like the numbers they are. There is no year 0, and no moment
    # after the last year of a date.
    if run is not None and "0000" < run[1] <= run[2] < "9999":
        return datetime(int(run[1]), 1, 1), datetime(int(run[2]) + 1, 1, 1)
    if match is None:
        return None
    parts = {name: text for name, text in match.groupdict().items() if text is not None}
    year = int(parts["year"])
    try:
        if "week" in parts:
            return _weeks(year, parts["week"])
        if "day" in parts:
            first = datetime(
                year, int(parts["month"]), int(parts["day"]), int(parts.get("hour", 0))
            )
            return first, first + timedelta(hours=1 if "hour" in parts else 24)
        month, months = int(parts.get("month", 1)), 1 if "month" in parts else 12
        if "quarter" in parts:
            month, months = 3 * int(parts["quarter"]) - 2, 3
        if "decade" in parts:
            months = 120
        # Months count from 0 here, so that December carries into the next year.
        last = month - 1 + months
        return datetime(year, month, 1), datetime(year + last // 12, last % 12 + 1, 1)
    except (ValueError, OverflowError):
        return None


def stretch(label: str) -> Covering | None:
    """Return what a label of the calendar covers among dates; None if it is no such label.

    >>> spring = stretch("2020-Q2")
    >>> spring("2020-04-26"), spring(date(2020, 7, 1)), spring("April")
    (True, False, False)
    >>> stretch("Saturday and Sunday")("2020-04-26"), stretch("somewhen")
    (True, None)
    """
    days = (label,) if label in _DAYS else _PARTS.get(label)
    span = span_of(label)
    if days is None and span is None and label != "*":
        return None

    def covers(value: object) -> bool:
        place = point(value)
        if place is None or place[0] != "date":
            return False
        when: datetime = place[1]
        if days is not None:
            return _DAYS[when.weekday()] in days
        return span is None or span[0] <= when < span[1]

    return covers


def _weeks(year: int, week: str) -> tuple[datetime, datetime]:
    if week == "**":
        # The weeks of a year begin with the Monday of its first one, which may be in December.
        first, last = date.fromisocalendar(year, 1, 1), date.fromisocalendar(year + 1, 1, 1)
    else:
        first = date.fromisocalendar(year, int(week), 1)
        last = first + timedelta(days=7)
    midnight = datetime.min.time()
    return datetime.combine(first, midnight), datetime.combine(last, midnight)
