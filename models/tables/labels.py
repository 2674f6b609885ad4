"""How much a label may tell: the most members of a set that a release may show.

A set generalizes only as long as it is short. A class of thirty that shows thirty dates of birth
has a label that hides who is who in it, and tells everything else. Such a column needs levels: a
hierarchy, or numbers that are published as ranges.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, time

import numpy as np

from kproof.errors import DataError, shown
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.tables.recoding import Recoded
from kproof.models.tables.table import Table

MOST_MEMBERS = 8
"""Most members of a set, a missing value included, unless a caller says otherwise."""

MOST_DATES = 3
"""Most dates or times in a set: each is nearly a person's own, and the next level is a year."""

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

    Examples
    --------
    >>> [is_date(one) for one in ("2020-04-26", "Fri Apr 26 2020", "Apr 26, 2020", "08:15")]
    [True, True, True, True]
    >>> [is_date(one) for one in (date(2020, 4, 26), "4-26", "HIV", 20200426)]
    [True, False, False, False]
    """
    if isinstance(value, str):
        return _DATE.fullmatch(value.strip()) is not None
    return isinstance(value, (date, time))


def holds_dates(column: Column) -> bool:
    """Say whether most of the different values of a column are dates or times."""
    there = [value for value in column.values if value is not MISSING]
    return bool(there) and 2 * sum(map(is_date, there)) > len(there)


def require_short_labels(table: Table, recoded: Iterable[Recoded]) -> None:
    """Refuse a release with a set that has more members than a label may show.

    Parameters
    ----------
    table
        Its ``most_members`` replaces both limits.
    recoded
        What each class publishes, by quasi-identifier.

    Raises
    ------
    DataError
        If a set is longer; names the column, and what it needs.
    """
    for one in recoded:
        if one.starts is None:
            continue
        dates = holds_dates(one.column)
        most = table.most_members
        if most is None:
            most = MOST_DATES if dates else MOST_MEMBERS
        lengths = np.diff(one.starts)
        longest = int(lengths.max(initial=0))
        if longest > most:
            raise DataError(
                f"column {shown(one.column.name)}: a class would show a set of {longest} "
                f"{'dates or times' if dates else 'values'} ({_some(one, int(lengths.argmax()))}), "
                f"at most {most}; give the column a hierarchy (--taxonomy) or numbers, which are "
                f"published as ranges, or allow more (--most-members {longest})"
            )


def _some(one: Recoded, index: int) -> str:
    """Return the first members of a class's set."""
    if one.starts is None or one.members is None:
        return ""
    codes: Sequence[int] = one.members[one.starts[index] : one.starts[index + 1]][:2].tolist()
    return ", ".join(shown(text(one.column.values[code]), 24) for code in codes) + ", …"
