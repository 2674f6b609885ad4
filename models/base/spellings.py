"""Which texts a reader takes for one: spellings that differ in nothing that can be told apart."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import TypeVar

from kproof.errors import show

T = TypeVar("T")
# Zero-width space, non-joiner and joiner, word joiner, byte-order mark, soft hyphen.
_UNSEEN = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")
_DASHES = dict.fromkeys(range(0x2010, 0x2016), "-") | {0x2212: "-"}
# Letters of other scripts that look like Latin ones, small or as capitals; but for the Greek sign
# of a millionth, which tells ug from mg.
_LOOKALIKES = str.maketrans(
    "\u0430\u0432\u0435\u0451\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0457"
    "\u0458\u0455\u0501\u051b\u051d\u03b1\u03b2\u03b5\u03b6\u03b7\u03b9\u03ba\u03bd\u03bf\u03c1"
    "\u03c4\u03c5\u03c7\u0131",
    "abe\u00ebkmhopctyxi\u00efjsdqwabezhiknoptyxi",
)


def fold_spelling(written: str) -> str:
    """Return the form that all spellings of a text share, as a reader sees it.

    Signs are composed and of one width (Unicode NFKC), those without any are taken out, dashes are
    one, digits of any script are 0 to 9, blanks are joined, case is folded, and letters of Greek
    and Cyrillic that look like Latin ones are these.

    >>> fold_spelling("\uff28\uff29\uff36 "), fold_spelling("250.0") == fold_spelling("250.00")
    ('hiv', False)
    >>> fold_spelling("\u041dI\u0412"), fold_spelling("\u043d\u043e\u0441")
    ('hib', 'hoc')
    """
    # None of this changes ASCII, and most texts are: they are spared four passes.
    if not written.isascii():
        written = _UNSEEN.sub("", unicodedata.normalize("NFKC", written)).translate(_DASHES)
        written = "".join(str(unicodedata.decimal(sign, sign)) for sign in written)
    # Folding may leave what is not composed.
    folded = unicodedata.normalize("NFKC", " ".join(written.split()).casefold())
    return folded if folded.isascii() else folded.translate(_LOOKALIKES)


def alike(values: Iterable[T], form: Callable[[T], str]) -> tuple[T, T] | None:
    """Return the first two values that differ and have the same form; None if no two have."""
    by_form: dict[str, T] = {}
    for value in values:
        before = by_form.setdefault(form(value), value)
        if before != value:
            return before, value
    return None


def spelt_twice(pair: tuple[str, str] | None) -> str:
    """Return a phrase that names two texts that are :func:`alike`; empty if there are none."""
    if pair is None:
        return ""
    first, second = map(show, pair)
    # What is shown alike is told apart by its code points.
    if first == second:
        first, second = map(ascii, pair)
    return f"{first} and {second} look like two spellings of one"
