"""Reading dates strictly: every format against what wrote it, and nothing guessed."""

from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st

from kproof.errors import DataError, InvalidArgument
from kproof.models.tables.levels.moments import FORMATS, DateFormat, clock_of, moments, split_time

TOLD = [one for one in FORMATS if "%V" not in one and "%y" not in one and "%dst" not in one]
TOLD = [one for one in TOLD if not one.startswith(("%dnd", "%drd", "%dth"))]


def refusal(values: list[object], **more: object) -> str:
    return error_line(DataError, moments, values, "born", **more)


@pytest.mark.parametrize("pattern", TOLD)
def test_each_format_is_found_where_one_day_tells_it_from_the_others(pattern):
    days = [date(2020, 4, 26), date(1987, 11, 30), date(2000, 2, 29), date(1999, 1, 2)]
    read = moments([day.strftime(pattern) for day in days], "born")
    assert [when.date() for when in read.whens] == days
    assert not read.clocked
    assert read.note == f"written {DateFormat(pattern).in_words}"


@given(st.lists(st.dates(date(1000, 1, 1)), min_size=1, max_size=6), st.booleans())
def test_days_or_months_first_are_told_apart_or_asked_for(days, first):
    pattern, other = ("%d/%m/%Y", "%m/%d/%Y")[:: 1 if first else -1]
    written = [day.strftime(pattern).rjust(10, "0") for day in days]
    if any(day.day > 12 for day in days) or all(day.day == day.month for day in days):
        assert [when.date() for when in moments(written, "born").whens] == days
    else:
        said = refusal(list(written))
        culprit = next(one for one, day in zip(written, days, strict=True) if day.day != day.month)
        assert said.startswith(f"column born: {culprit} is ")
        ways = ('ladders={"born": "date;format=%d/%m/%Y"}', 'ladders={"born": "date;format=%m/')
        assert " or ".join(ways) in said
    for one in (pattern, other):
        if one == pattern or all(day.day <= 12 for day in days):
            whens = moments(written, "born", pattern=one).whens
            assert [f"{when:{one}}".rjust(10, "0") for when in whens] == written


def test_short_years_are_refused_until_somebody_says_when():
    assert refusal(["31/12/99", "27/04/20"]) == (
        "column born: 31/12/99 has a year of two digits; say the first year that is meant: "
        'ladders={"born": "date;format=%d/%m/%y;from=1930"}'
    )

    assert '{"born": "date;format=%d/%m/%y;from=1930"}' in refusal(["04/05/06"])
    assert "is 2006-05-04 or 2006-04-05; say which" in refusal(["04/05/06"])
    whens = moments(["26/04/29", "26/04/30"], "born", pattern="%d/%m/%y", since=1930).whens
    assert [when.year for when in whens] == [2029, 1930]
    assert "two digits" in refusal(["26/04/29"], pattern="%d/%m/%y")


def test_days_that_no_calendar_has():
    for day in ("29/02/2021", "31/04/2020", "29.02.1900"):
        said = refusal([day])
        assert said == (
            f"column born: {day} is no day of the calendar; correct it, or leave its row out"
        )
    assert refusal(["26/04/2020", "29/02/2021"]).startswith("column born: 29/02/2021 is no day of")
    assert moments(["29/02/2020"], "born").whens[0].date() == date(2020, 2, 29)
    # A day of the week that does not agree is a fault of the file, too.
    assert "is no day of the calendar" in refusal(["Fri Apr 26 2020"])
    assert moments(["Sun Apr 26 2020"], "born").whens[0].date() == date(2020, 4, 26)


def test_what_is_no_date_is_named():
    said = refusal(["2020-04-26", "unknown"])
    assert said == (
        'column born: unknown is no date as %Y-%m-%d; say missing=["unknown"] if it stands for '
        'nothing, or how it is written: ladders={"born": "date;format=…"}'
    )
    assert refusal(["2020-04-26", "26/04/2020"]).startswith("column born: 26/04/2020 is no date")
    for pattern in ("%d/%m", "%Q", "%d%d%Y", "day"):
        with pytest.raises(InvalidArgument, match="need day, month and year"):
            moments(["26/04"], "born", pattern=pattern)


@given(
    st.datetimes(datetime(1000, 1, 1)).map(lambda one: one.replace(fold=0)),
    st.sampled_from([" ", "T"]),
    st.integers(-14 * 60, 14 * 60),
)
def test_times_behind_dates_as_iso_writes_them(when, sign, offset):
    plain, zoned = when, when.replace(tzinfo=timezone(timedelta(minutes=offset)))
    for one in (plain, zoned):
        day, clock = split_time(one.isoformat(sep=sign))
        assert (day, clock) == (one.date().isoformat(), one.timetz())
        assert moments([one.isoformat(sep=sign)], "seen").whens == (plain,)
        assert moments([one], "seen").whens == (plain,)


@cases(
    ("2020-04-26 8:15 pm", time(20, 15)),
    ("26 April 2020", None),
    ("20200426T0815", time(8, 15)),
    ("2020-04-26T08:15:30.5Z", time(8, 15, 30, 500000, tzinfo=UTC)),
    ("2020-04-26 25:15", None),
    ("12:10 am", time(0, 10)),
    ("noon", None),
)
def test_clocks(written, clock):
    assert clock_of(written) == clock


def test_time_zones_are_not_mixed():
    mixed = ["2020-04-26T08:15+01:00", "2020-04-26T08:15+02:00"]
    assert refusal(list(mixed), kind="datetime") == (
        "column born: 2020-04-26T08:15+01:00 and 2020-04-26T08:15+02:00 are in different time "
        'zones; say in which to tell them: ladders={"born": "datetime;zone=Europe/Berlin"}'
    )
    assert "different time zones" in refusal(["2020-04-26T08:15", "2020-04-26T08:15Z"])
    read = moments(mixed, "born", zone="UTC")
    assert [when.hour for when in read.whens] == [7, 6]
    assert read.note == "written YYYY-MM-DD, in UTC"
    assert moments(mixed[:1], "born").note == "written YYYY-MM-DD, in UTC+01:00"
    summer = moments(["2020-07-01T00:30Z", "2020-06-30T12:00"], "born", zone="Europe/Berlin")
    assert [when.hour for when in summer.whens] == [2, 12]
    with pytest.raises(InvalidArgument, match="zone = Mars: need a time zone"):
        moments(mixed, "born", zone="Mars")


def test_formats_agree_with_the_library():
    for pattern in TOLD:
        for day in (date(2020, 4, 6), date(1987, 11, 30)):
            written = day.strftime(pattern)
            assert DateFormat(pattern).read(written) == datetime.strptime(written, pattern).date()
    assert DateFormat("%G-W%V-%u").read("2020-W17-7") == date(2020, 4, 26)
    # Without signs between them both digits are needed.
    assert DateFormat("%Y%m%d").read("2020111") is None
