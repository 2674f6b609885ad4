"""Numbers with a decimal comma or a sign between thousands, read only if somebody says so.

``1,234`` is a little more than one or more than a thousand: no file says which. A column of such
cells is refused until it is said which sign begins the decimals.
"""

import re
from collections.abc import Collection, Sequence
from enum import StrEnum

from kproof.errors import DataError, show, spell


class DecimalSign(StrEnum):
    """What stands before the decimals of a number."""

    POINT = "."
    COMMA = ","


_BETWEEN = r"'’ \u00a0\u202f"
"""Signs between thousands whatever the decimals begin with: 1'234, 1 234."""

_NUMBERS = {
    sign: re.compile(
        # One sign between all thousands: 1.234'567 is no number in any notation.
        rf"[+-]?(?:\d{{1,3}}(?P<between>[{separator}{_BETWEEN}])\d{{3}}(?:(?P=between)\d{{3}})*"
        rf"|0|[1-9]\d*)(?:{re.escape(sign)}\d+)?"
    )
    for sign, separator in ((DecimalSign.POINT, ","), (DecimalSign.COMMA, "."))
}
_ODD = re.compile(rf"[,{_BETWEEN}]")


def plain_numbers(
    cells: Sequence[str], sign: DecimalSign, missing: Collection[str] = ()
) -> list[str]:
    """Return the distinct cells of a column as numbers with a point, if all are; else as they are.

    Cells in ``missing`` are no value and stay as they are.

    >>> plain_numbers(["1.234,5", "7", "?"], DecimalSign.COMMA, {"?"})
    ['1234.5', '7', '?']
    >>> plain_numbers(["1,5", "flu"], DecimalSign.COMMA)
    ['1,5', 'flu']
    """
    present = [cell for cell in cells if cell not in missing]
    # All of them or none: a cell that is no number makes codes of the others.
    if not _are_numbers(present, sign):
        return list(cells)
    between = re.compile(rf"[{'.' if sign is DecimalSign.COMMA else ','}{_BETWEEN}]")
    return [cell if cell in missing else between.sub("", cell).replace(sign, ".") for cell in cells]


def odd_number(cells: Sequence[str]) -> tuple[str, tuple[DecimalSign, ...]] | None:
    """Return a cell that is a number only with a comma or thousands, and what it may be.

    None unless all cells are numbers in one such notation.

    >>> odd_number(["1,5", "22"]), odd_number(["1.5", "22"])
    (('1,5', (<DecimalSign.COMMA: ','>,)), None)
    >>> odd_number(["1,234"])[1]
    (<DecimalSign.POINT: '.'>, <DecimalSign.COMMA: ','>)
    """
    odd = next((cell for cell in cells if _ODD.search(cell)), None)
    signs = tuple(sign for sign in DecimalSign if _are_numbers(cells, sign))
    return None if odd is None or not signs else (odd, signs)


def require_sign(name: str, cells: Sequence[str]) -> None:
    """Ask what sign the decimals of a column begin with, if it is one of such numbers."""
    if (doubt := odd_number(cells)) is not None:
        odd, signs = doubt
        ways = " or ".join(spell("decimal", sign) for sign in reversed(signs))
        when = "if it is one" if len(signs) == 1 else "for what it is"
        raise DataError(
            f"column {show(name)}: {show(odd)} looks like a number; say {ways} {when}, or that "
            f"the column holds codes ({spell('numeric', {name: False})})"
        )


def _are_numbers(cells: Sequence[str], sign: DecimalSign) -> bool:
    return bool(cells) and all(map(_NUMBERS[sign].fullmatch, cells))
