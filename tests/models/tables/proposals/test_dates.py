"""Dates are read by one strict format, or somebody is asked."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.models.tables.levels.moments import FORMATS, DateFormat
from kproof.models.tables.proposals.dates import Moment, read_dates

DAYS = st.lists(st.dates(date(1900, 1, 1), date(2099, 12, 31)), min_size=1, max_size=20)


@settings(deadline=None)
@given(DAYS, st.sampled_from(FORMATS))
def test_the_format_that_wrote_them_is_among_those_that_read_them(
    days: list[date], pattern: str
) -> None:
    texts = list({day.strftime(pattern) for day in days})
    found = read_dates(texts)
    assert found is not None
    assert found.kind is Moment.DATE
    # Of formats that read all texts alike one is enough.
    meant = [DateFormat(pattern).read(text) for text in texts]
    assert meant in [[DateFormat(one).read(text) for text in texts] for one in found.formats]
    # More than one format is left only where a day reads as two: then somebody is asked.
    assert (len(found.formats) > 1) == any(
        " is " in one and " or " in one for one in found.questions
    )


@settings(deadline=None)
@given(DAYS)
def test_a_day_above_twelve_settles_the_order(days: list[date]) -> None:
    texts = list({f"{day:%d/%m/%Y}" for day in [*days, date(2020, 4, 26)]})
    found = read_dates(texts)
    assert found is not None
    assert found.formats == ("%d/%m/%Y",)
    assert not found.questions


@pytest.mark.parametrize(
    ("texts", "kind", "asks"),
    [
        (["03/04/2020"], Moment.DATE, "03/04/2020 is 2020-04-03 (format"),
        (["26.04.20"], Moment.DATE, "a year of two digits"),
        (
            ["2019-02-29", *(f"2019-01-{day:02}" for day in range(1, 30))],
            Moment.DATE,
            "2019-02-29 is",
        ),
        (["2020-01-01 08:00Z", "2020-01-01 08:00+02:00"], Moment.DATETIME, "different time zones"),
        (["2020-01-01 08:00", "2020-01-02"], Moment.DATE, "some have none"),
    ],
)
def test_what_nobody_can_tell_is_asked(texts: list[str], kind: Moment, asks: str) -> None:
    found = read_dates(texts)
    assert found is not None
    assert found.kind is kind
    assert any(asks in question for question in found.questions)


@pytest.mark.parametrize(
    ("texts", "kind", "about"),
    [
        (["08:15", "23:59"], Moment.TIME, "no time zone"),
        (["2020-01-01T08:00+02:00", "2020-01-02T08:00+02:00"], Moment.DATETIME, "time zone +0200"),
        (["1950", "2001"], Moment.PERIOD, "a year"),
        (["2020-04", "2020-12"], Moment.PERIOD, "a month"),
        (["2020-W01", "2020-W17"], Moment.PERIOD, "a week"),
        (["Apr 2020", "May 2021"], Moment.PERIOD, "a named month"),
    ],
)
def test_times_and_periods(texts: list[str], kind: Moment, about: str) -> None:
    found = read_dates(texts)
    assert found is not None
    assert (found.kind, found.about, found.questions) == (kind, about, ())


@pytest.mark.parametrize(
    "texts",
    [
        ["34", "45"],
        ["3.5", "4.7"],
        ["12345678", "87654321"],
        ["flu", "HIV 1"],
        ["1-2", "3-4"],
        ["26/04"],
    ],
)
def test_what_is_no_date(texts: list[str]) -> None:
    assert read_dates(texts) is None
