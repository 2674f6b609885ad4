"""Dates are read by one strict format, or somebody is asked."""

from datetime import date

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from kproof.errors import DataError
from kproof.models.tables.detection.dates import Moment, read_dates
from kproof.models.tables.levels.ladders import ladder
from kproof.models.tables.levels.moments import FORMATS, DateFormat

DAYS = st.lists(st.dates(date(1900, 1, 1), date(2099, 12, 31)), min_size=1, max_size=20)


@given(DAYS, st.sampled_from(FORMATS))
def test_the_format_that_wrote_them_is_among_those_that_read_them(days, pattern):
    texts = list({day.strftime(pattern) for day in days})
    reading = read_dates(texts)
    assert reading.kind is Moment.DATE
    # Of formats that read all texts alike one is enough.
    meant = [DateFormat(pattern).read(text) for text in texts]
    assert meant in [[DateFormat(one).read(text) for text in texts] for one in reading.formats]
    # More than one format is left only where a day reads as two: then somebody is asked.
    assert (len(reading.formats) > 1) == any(
        " is " in one and " or " in one for one in reading.questions
    )


@given(DAYS)
def test_a_day_above_twelve_settles_the_order(days):
    texts = list({f"{day:%d/%m/%Y}" for day in [*days, date(2020, 4, 26)]})
    reading = read_dates(texts)
    assert reading.formats == ("%d/%m/%Y",)
    assert not reading.questions


@cases(
    (["03/04/2020"], Moment.DATE, "03/04/2020 is 2020-04-03 (format"),
    (["26.04.20"], Moment.DATE, "a year of two digits"),
    (["2019-02-29", *(f"2019-01-{day:02}" for day in range(1, 30))], Moment.DATE, "2019-02-29 is"),
    (["2020-01-01 08:00Z", "2020-01-01 08:00+02:00"], Moment.DATETIME, "different time zones"),
    (["2020-01-01 08:00", "2020-01-02"], Moment.DATE, "some have none"),
)
def test_what_nobody_can_tell_is_asked(texts, kind, asks):
    reading = read_dates(texts)
    assert reading.kind is kind
    assert any(asks in question for question in reading.questions)


FAULTY = ["2019-02-29", "2019-04-31", "2019-06-31", "2019-09-31", "2019-02-30"]


@cases(
    (["29/02/2019", "26/04/2019"], "29/02/2019 is no day of the calendar; correct it"),
    (["2019-02-29 08:15", "2019-03-01 08:20"], "2019-02-29 is no day of the calendar"),
    (["31 Apr 2019", "1 May 2019"], "'31 Apr 2019' is no day of the calendar"),
    (["2019-W54-1", "2019-W01-1"], "2019-W54-1 is no day of the calendar"),
    (
        [*FAULTY[:2], "2019-01-01", "2020-02-29"],
        "2019-02-29 and 1 other value are no days of the calendar; correct them",
    ),
    (
        [*FAULTY, *(f"2019-01-{day:02}" for day in range(1, 6))],
        "2019-02-29 and 4 other values are no days of the calendar",
    ),
    (
        ["soon", *(f"2019-01-{day:02}" for day in range(1, 20))],
        'soon is no date written YYYY-MM-DD; say missing=["soon"] if it stands for nothing',
    ),
)
def test_days_of_no_calendar_do_not_hide_that_a_column_holds_dates(texts, asks):
    reading = read_dates(texts)
    assert any(one.startswith(asks) for one in reading.questions), reading.questions


def test_texts_that_are_seldom_days_are_no_dates():
    assert read_dates([*FAULTY, *(f"2019-01-0{day}" for day in range(1, 5))]) is None
    # No month is called so: nothing has the shape of a date.
    assert read_dates(["12 Box 2019", "3 Bag 2019", "4 Can 2019"]) is None


@given(st.sets(st.sampled_from(FAULTY), min_size=1), st.integers(1, 28), st.randoms())
def test_whatever_is_asked_a_ladder_refuses(faults, days, random):
    texts = [*faults, *(f"2020-02-{day:02}" for day in range(1, days + 1))]
    random.shuffle(texts)
    assert (read_dates(texts) is not None) == (days >= len(faults))
    with pytest.raises(DataError, match=r"column born: 2019-.* is no day of the calendar"):
        ladder("date").taxonomy(texts, "born")


@cases(
    (["08:15", "23:59"], Moment.TIME, "no time zone"),
    (["2020-01-01T08:00+02:00", "2020-01-02T08:00+02:00"], Moment.DATETIME, "time zone +0200"),
    (["1950", "2001"], Moment.PERIOD, "a year"),
    (["2020-04", "2020-12"], Moment.PERIOD, "a month"),
    (["2020-W01", "2020-W17"], Moment.PERIOD, "a week"),
    (["Apr 2020", "May 2021"], Moment.PERIOD, "a named month"),
)
def test_times_and_periods(texts, kind, about):
    reading = read_dates(texts)
    assert (reading.kind, reading.about, reading.questions) == (kind, about, ())


@cases(
    ["34", "45"],
    ["3.5", "4.7"],
    ["12345678", "87654321"],
    ["flu", "HIV 1"],
    ["1-2", "3-4"],
    ["26/04"],
)
def test_what_is_no_date(texts):
    assert read_dates(texts) is None


def test_several_formats_in_one_column():
    reading = read_dates(["26.04.2020", "2020-05-03", "1.2.2021"])
    assert (reading.formats, reading.mixed) == (("%d.%m.%Y", "%Y-%m-%d"), True)
    assert 'format = ["%d.%m.%Y", "%Y-%m-%d"]' in reading.questions[0]
    reading = read_dates(["03/04/2020", "2020-05-03", "1/2/2021"])
    assert not reading.mixed
    either = 'say format = ["%Y-%m-%d", "%d/%m/%Y"] or format = ["%Y-%m-%d", "%m/%d/%Y"]'
    assert either in reading.questions[0]
    reading = read_dates(["26/04/2020", "04/26/2020", "03/04/2020", "12/12/2020"])
    assert (reading.mixed, len(reading.formats)) == (False, 2)
    assert "26/04/2020 has the day first and 04/26/2020 the month" in reading.questions[0]
