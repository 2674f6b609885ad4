"""Words whose order is known, and texts that a number in them puts in order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kproof.models.tables.detection.headings import words

ROMAN: Mapping[str, int] = {
    numeral: place
    for place, numeral in enumerate(
        ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"), 1
    )
}


def scale(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Return texts from low to high if their order is known; None if it is not.

    Known are words of one scale, text that differs in one number or Roman numeral alone, and
    ranges of numbers.

    >>> scale(["High", "Low", "Medium"]), scale(["Stage II", "Stage IV", "Stage I"])
    (('Low', 'Medium', 'High'), ('Stage I', 'Stage II', 'Stage IV'))
    >>> scale(["20-29", "<20", ">=80", "30-79"]), scale(["flu", "HIV"])
    (('<20', '20-29', '30-79', '>=80'), None)
    """
    if not 2 <= len(texts) <= MOST_STEPS:
        return None
    return _by_words(texts) or _by_number(texts) or _by_range(texts)


MOST_STEPS = 200
"""Most different values of an ordered text."""


def _by_words(texts: Sequence[str]) -> tuple[str, ...] | None:
    low = {text.casefold(): text for text in texts}
    for line in words()["scales"]:
        scale = line.split(" < ")
        if len(low) == len(texts) and low.keys() <= set(scale):
            return tuple(low[word] for word in scale if word in low)
    return None


_RANKED = re.compile(r"(?P<stem>[^\W\d_][^\d]*?)[ -]?(?P<rank>\d{1,2}|[IVX]+)")


def _by_number(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Order texts such as ``ASA 2``, ``T1`` and ``Stage IV``: the same words before one number."""
    # More of them are rooms or places rather than steps.
    if len(texts) > len(ROMAN):
        return None
    ranks: dict[str, int] = {}
    alike = set()
    for text in texts:
        match = _RANKED.fullmatch(text)
        if match is not None and (match["rank"].isdigit() or match["rank"] in ROMAN):
            alike.add(match["stem"])
            ranks[text] = ROMAN.get(match["rank"]) or int(match["rank"])
    if len(ranks) < len(texts):
        ranks, alike = {text: ROMAN[text] for text in texts if text in ROMAN}, {""}
    # Numbers with gaps are places or rooms rather than steps.
    steps = set(ranks.values())
    close = bool(steps) and max(steps) <= 2 * len(steps)
    if len(alike) != 1 or len(ranks) < len(texts) or len(steps) < len(texts) or not close:
        return None
    return tuple(sorted(texts, key=ranks.__getitem__))


_RANGE = re.compile(
    r"(?P<open>[<≤>≥]=?|under |over |from |up to )?\s*[\[(]?(?P<low>-?\d+(?:\.\d+)?)"
    r"(?:\s?(?:-|–|to|,|;)\s?(?P<high>\d+(?:\.\d+)?))?[\])]?(?P<more>\s?\+| and over| and older)?"
)


def _by_range(texts: Sequence[str]) -> tuple[str, ...] | None:
    bounds: dict[str, tuple[float, float]] = {}
    ranges = 0
    for text in texts:
        match = _RANGE.fullmatch(text)
        if match is None:
            return None
        low = float(match["low"])
        sign = (match["open"] or "").strip()
        if sign and sign[0] in "<≤u":
            bounds[text] = (float("-inf"), low)
        elif sign or match["more"]:
            bounds[text] = (low, float("inf"))
        else:
            high = float(match["high"] or low)
            if high < low:
                return None
            bounds[text] = (low, high)
        ranges += match["high"] is not None or bool(sign or match["more"])
    return tuple(sorted(texts, key=bounds.__getitem__)) if 2 * ranges > len(texts) else None
