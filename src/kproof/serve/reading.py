"""Times and amounts as databases have them, and why a row cannot be read.

Each row is judged by itself, in expressions that raise nothing whatever stands in it: a conversion
sees what was held against its form before. So no row stops another from being read, and each that
is not read is counted under the first of its reasons. Forms that mean different things to different
people, such as 02/01/2023 and 12,50, are not guessed.
"""

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any

from kproof.datasets.tables import LOOK_MISSING, MISSING_CELLS
from kproof.errors import DataError

LONGEST_SECTION = 200
"""Signs of a section id."""
LARGEST_TOLL = 100_000_000
"""Of larger amounts few could be added up."""
FIRST_YEAR = 1900

NO_SECTION, LONG_SECTION = "no section", "section of more than 200 signs"
NO_TIME, BAD_TIME, FAR_TIME = "no time", "time in no known form", "time outside 1900 to 9999"
NO_TOLL, BAD_TOLL, FAR_TOLL = ("no toll", "toll in no known form", "toll not from 0 to 100000000")
BROKEN_LINE = "broken line of the file"

TIME_FORMS: Mapping[str, str] = {
    "time with the day or month first (02/01/2023)": r"^[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2,4}",
    "time as seconds since 1970": r"^[0-9]{9,11}([.][0-9]+)?$|^[0-9]{13}$|^[0-9]{16}$",
    "time with am or pm": r"[0-9] ?([aA]|[pP])[.]?[mM][.]?$",
    "time with the name of a month": r"^([0-9]{1,2}[- ])?[A-Za-z]{3}.*[0-9]{4}",
}
"""Common forms of times that are refused by name, and what they are known by."""

TOLL_FORMS: Mapping[str, str] = {
    "toll with a decimal comma (12,50)": r"^[0-9]{1,3}([.][0-9]{3})*,[0-9]{1,2}$|^[0-9]+,[0-9]+$",
    "toll in brackets": r"^[(][0-9.,]+[)]$",
}
"""Common forms of amounts that are refused by name; what has a sign of a currency lost it."""

REFUSED = (*TIME_FORMS, *TOLL_FORMS, BROKEN_LINE)

_NANOSECONDS = 9

# The pattern knows how long months are: where a database cannot try a cast, one 30 February would
# stop all rows.
_LEAP = r"([0-9]{2}(0[48]|[2468][048]|[13579][26])|([2468][048]|[3579][26])00)-02-29"
_DAY = (
    r"((19|[2-9][0-9])[0-9]{2}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])"
    rf"|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|{_LEAP})"
)
_CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?"
_OFFSET = r"( ?(UTC|Z|[+-](0[0-9]|1[0-4])(:?[0-5][0-9])?))?"

# In this order: months and days are padded once hyphens stand between them, and hours once the date
# before them has all of its ten signs.
_TIME_STEPS = (
    (r"^([0-9]{4})([0-9]{2})([0-9]{2})$", r"\1-\2-\3"),
    (r"^([0-9]{4})([0-9]{2})([0-9]{2})[T ]?([0-9]{2})([0-9]{2})$", r"\1-\2-\3 \4:\5"),
    (r"^([0-9]{4})([0-9]{2})([0-9]{2})[T ]?([0-9]{2})([0-9]{2})([0-9]{2})$", r"\1-\2-\3 \4:\5:\6"),
    # Without it the second of January at 8 would be the 28th.
    (r"日", " "),
    (r" +$", ""),
    (r"^([0-9]{4})[-/.年] ?([0-9]{1,2})[-/.月] ?([0-9]{1,2})", r"\1-\2-\3"),
    (r"[时点分]", ":"),
    (r"[:秒]$", ""),
    (r"^([0-9]{4})-([0-9])-", r"\1-0\2-"),
    (r"^([0-9]{4}-[0-9]{2})-([0-9])([T ]|$)", r"\1-0\2\3"),
    (r"^([0-9-]{10})(T| +)([0-9]):", r"\1 0\3:"),
    (r"^([0-9-]{10})(T| +)([0-9])", r"\1 \3"),
)
"""Forms whose order of year, month and day is plain, on their way to ``YYYY-MM-DD HH:MM:SS``."""

_CURRENCIES = "RMB|CNY|USD|EUR|GBP|JPY"
_TOLL_STEPS = (
    (rf"^({_CURRENCIES}|CN|US)? ?[¥￥$€£]? ?([0-9(.+-])", r"\2"),
    (rf" ?({_CURRENCIES}|[元圆円¥￥$€£])$", ""),
)
_GROUPS = r"^[+-]?[1-9][0-9]{{0,2}}({0}[0-9]{{3}})+([.][0-9]*)?$"
_THOUSANDS = "|".join(map(_GROUPS.format, (",", " ")))
"""What has thousands in it, all behind the same sign; 0,125 has none."""
_NUMBER = r"^[+-]?([0-9]{1,15}([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{1,2})?$"


def read_time(column: Any) -> tuple[Any, Any]:
    """Return the moment of each row, or null, and why there is none, or null.

    Args:
        column: An expression of Ibis: timestamps, days or texts.
    """
    import ibis

    reasons = [(column.isnull(), NO_TIME)]
    low, high = (ibis.literal(day).cast("timestamp") for day in (date(FIRST_YEAR, 1, 1), date.max))
    if column.type().is_string():
        text, refused = column.strip(), []
        for pattern, replacement in _TIME_STEPS:
            text = text.re_replace(pattern, replacement)
        # An offset is converted by DuckDB alone; others would drop it without a word.
        duckdb = column.get_backend().name == "duckdb"
        readable = text.re_search(rf"^{_DAY}( {_CLOCK}{_OFFSET if duckdb else ''})?$")
        text = ibis.ifelse(readable, text, ibis.null("string"))
        # Elsewhere a cast raises, and the pattern above alone makes sure that none does.
        moment = text.try_cast("timestamp") if duckdb else text.cast("timestamp")
        refused = [(column.strip().re_search(form), name) for name, form in TIME_FORMS.items()]
        reasons = [
            (column.isnull() | (column.strip() == ""), NO_TIME),
            *[(~readable & matches, name) for matches, name in refused],
            (moment.isnull(), BAD_TIME),
        ]
    else:
        # What no timestamp holds is set apart in its own type, before it is converted: one such day
        # would stop all rows. Nanoseconds hold fewer years than these; they fit everywhere.
        if getattr(column.type(), "scale", None) != _NANOSECONDS:
            within = _near(column, low.cast(column.type()), high.cast(column.type()))
            column = ibis.ifelse(within, column, ibis.null(column.type()))
        # The session's zone is that of the columns; what is left is what its clocks show.
        moment = column.cast("timestamp")
    near = _near(moment, low, high)
    reasons.append((~near, FAR_TIME))
    return ibis.ifelse(near, moment, ibis.null("timestamp")), _first(reasons)


def _near(moment: Any, low: Any, high: Any) -> Any:
    import ibis

    # Null compared is null, and so is its negation: such a row would be left out for no reason.
    return ibis.coalesce((moment >= low) & (moment < high), ibis.literal(False))


def read_toll(column: Any) -> tuple[Any, Any]:
    """Return the amount of each row in hundredths, or null, and why there is none, or null.

    Args:
        column: An expression of Ibis: numbers or texts.
    """
    import ibis

    reasons, amount = [(column.isnull(), NO_TOLL)], column
    if column.type().is_decimal() and column.get_backend().name == "duckdb":
        # Of a decimal with 30 digits behind the point the bounds are none.
        amount = column.cast("float64")
    if column.type().is_string():
        text = column.strip()
        for pattern, replacement in _TOLL_STEPS:
            text = text.re_replace(pattern, replacement)
        refused = [(text.re_search(form), name) for name, form in TOLL_FORMS.items()]
        grouped = text.re_search(_THOUSANDS)
        text = ibis.ifelse(grouped, text.re_replace("[, ]", ""), text)
        readable = text.re_search(_NUMBER)
        amount = ibis.ifelse(readable, text, ibis.null("string")).cast("float64")
        reasons = [
            (column.isnull() | (column.strip() == ""), NO_TOLL),
            *[(~grouped & matches, name) for matches, name in refused],
            (~readable, BAD_TOLL),
        ]
    # What is no number is not between any two.
    near = (amount >= 0) & (amount <= LARGEST_TOLL)
    reasons.append((~near, FAR_TOLL))
    paid = ibis.ifelse(near, amount, ibis.null(amount.type())).cast("float64")
    # Rounded, since a cast cuts off: 0.29 times 100 is less than 29 in floats.
    return (paid * 100).round().cast("int64"), _first(reasons)


def read_section(column: Any) -> tuple[Any, Any]:
    """Return the section of each row as text, and why there is none that can be used, or null."""
    section = column.cast("string")
    long = section.length() > LONGEST_SECTION
    return section, _first([(section.isnull(), NO_SECTION), (long, LONG_SECTION)])


_INVISIBLE = (
    r"[\p{Z}\p{Cc}\p{Cf}\x{034F}\x{115F}\x{1160}\x{17B4}\x{17B5}\x{180B}-\x{180D}\x{180F}\x{2800}"
    r"\x{FE00}-\x{FE0F}\x{E0100}-\x{E01EF}]+"
)
"""White space, signs of format, and letters and marks that are shown as nothing."""

PLATES = "NFKC, without blanks, in small letters"
"""How :func:`read_vehicles` spells: what was sealed under other spellings is not compared."""


def read_vehicles(names: Any) -> Any:
    """Return who is meant by each name, null for nobody: one spelling for each vehicle.

    Two spellings of one vehicle would be two people. To take two vehicles for one is the safe
    error: of them fewer than k are counted sooner. So signs that look alike in Unicode (full
    width), what is not seen, blanks and case make no difference. Words that stand for no value in
    so many files are nobody: each of them would be a person of its own.

    Args:
        names: A column of texts of PyArrow.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(names, pa.ChunkedArray):
        names = names.combine_chunks()
    # Distinct names: to normalize is slow, and vehicles come again.
    coded = names.dictionary_encode()
    shown = pc.utf8_lower(pc.utf8_normalize(coded.dictionary.cast(pa.string()), form="NFKC"))
    plain = pc.replace_substring_regex(shown, pattern=_INVISIBLE, replacement="")
    gaps = pa.array(sorted({*MISSING_CELLS, *LOOK_MISSING, ""}))
    # Both ways: `n. a.` is listed with its blank, and a name of unseen signs is empty without them.
    nobody = pc.or_(
        pc.is_in(pc.utf8_trim_whitespace(shown), value_set=gaps), pc.is_in(plain, value_set=gaps)
    )
    plates = pc.if_else(nobody, pa.scalar(None, pa.string()), plain)
    return plates.take(coded.indices)


def _first(reasons: list[tuple[Any, str]]) -> Any:
    import ibis

    return ibis.cases(*reasons, else_=ibis.null("string"))


def describe(unread: Mapping[str, int]) -> str:
    """Return how many rows cannot be read, and why, in a phrase.

    >>> describe({"no time": 2, "no toll": 1})
    '3 rows are not read (no time: 2; no toll: 1)'
    """
    reasons = "; ".join(f"{reason}: {number}" for reason, number in sorted(unread.items()))
    return f"{sum(unread.values())} rows are not read ({reasons})"


_FEW, _FEWEST = Fraction(1, 100), 9


def require_few(form: str, number: int, rows: int, source: str) -> None:
    """Refuse more than a few rows, of so many, that are not read for one reason.

    Raises:
        DataError: If there are more.
    """
    if number > max(_FEW * rows, Fraction(_FEWEST)):
        need = "times such as 2023-01-02 08:15 and tolls such as 12.50, or a view that has them"
        if form == BROKEN_LINE:
            need = "as many cells in each line as in the first, and each quotation mark closed"
        raise DataError(f"{source}: {number} of {rows} rows have a {form}: need {need}")


def require_known_forms(exits: Any, unread: Mapping[str, int], source: str) -> None:
    """Refuse, at the start, a column that is written in a form that is not read.

    A few such rows are counted with all others that are not read: they stop nothing.

    Args:
        exits, unread: What is read, and how many rows are not, by reason.
        source: What messages call it.

    Raises:
        DataError: If there are more than a few such rows, or no others.
    """
    import pyarrow.compute as pc

    rows = sum(unread.values()) + (pc.sum(exits["count"]).as_py() or 0)
    for form in REFUSED:
        require_few(form, unread.get(form, 0), rows, source)
    if rows > _FEWEST and not len(exits):
        raise DataError(f"{source}: {describe(unread)}, and there are no others")
