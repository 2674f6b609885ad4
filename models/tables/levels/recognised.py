"""Telling dates and times from other values, also where they are written as text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, time

from kproof.models.base.missing import MISSING

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
