"""What a reader understands of a printed cell: the exact values that it may stand for.

Nothing is known of the program that printed it. A cell is a value, a set, a range of numbers, dates
or words, a cut code, a rounded number, a period of the calendar, or says nothing at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np

Span = tuple[float, float]
MISSING = {"", "?", "na", "n/a", "nan", "none", "null", "-", "k.a.", "无", "s/d", "n.d."}
SILENT = {"*", "any", "all", "...", "…", "**", "***", "suppressed", "(*)", "{}"}
_DASHES = re.compile(r"\s*(?:\.\.\.?|–|—|~|至|,|;|\bto\b|\bbis\b|\bà\b|\ba\b|-)\s*")
_UNITS = re.compile(r"[€$£¥\s\u00a0'’]|EUR|USD|CNY|元")


def number(cell: str, *, comma: bool = False) -> float | None:
    """Return the number that a cell shows, with a decimal comma where the column has such."""
    bare = _UNITS.sub("", cell)
    if "," in bare and "." in bare:
        comma = bare.rindex(",") > bare.rindex(".")
    if comma and ("," in bare or re.fullmatch(r"[+-]?\d{1,3}(\.\d{3})+", bare)):
        bare = bare.replace(".", "").replace(",", ".")
    bare = bare.replace(",", "")
    return float(bare) if re.fullmatch(r"[+-]?\d+(\.\d*)?", bare) else None


def days(cell: str, *, month_first: bool = False) -> Span | None:
    """Return the first and last day of what a cell says of the calendar."""
    text = re.sub(r"[T ]\d{1,2}:\d\d(:\d\d)?$", "", cell.strip())
    if match := re.fullmatch(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?", text):
        year, month, day = map(int, match.groups())
        return _period(year, month, day)
    if match := re.fullmatch(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})", text):
        day, month, year = map(int, match.groups())
        return _period(year, *((day, month) if month_first else (month, day)))
    if match := re.fullmatch(r"(\d{4})-W(\d\d)", text):
        first = date.fromisocalendar(int(match[1]), int(match[2]), 1).toordinal()
        return first, first + 6
    if match := re.fullmatch(r"(\d{4})(?:[-/.年](\d{1,2})月?|-Q(\d))?|(\d{1,2})[./](\d{4})", text):
        year, month = int(match[1] or match[5]), int(match[2] or match[4] or 1)
        length = 3 if match[3] else 1 if match[2] or match[4] else 12
        month = 3 * int(match[3]) - 2 if match[3] else month
    elif match := re.fullmatch(r"([1-9]\d{2})0s", text):
        year, month, length = int(match[1]) * 10, 1, 120
    else:
        return None
    first, after = _period(year, month, 1), divmod(year * 12 + month - 1 + length, 12)
    last = _period(after[0], after[1] + 1, 1)
    return (first[0], last[0] - 1) if first and last else None


def _period(year: int, month: int, day: int) -> Span | None:
    if not (1 <= month <= 12 and 1 <= day <= 31 and 1 <= year < 9999):
        return None
    at = (date(year, month, 1) + timedelta(day - 1)).toordinal()
    return at, at


class Values:
    """The exact values of a column as somebody knows them, and what printed cells mean there."""

    def __init__(self, cells: Sequence[str]) -> None:
        counts = Counter(cells)
        self.values, self.counts = list(counts), np.array(list(counts.values()))
        self.place = {value: index for index, value in enumerate(self.values)}
        self.codes = np.array([self.place[cell] for cell in cells], dtype=np.int64)
        present = [value for value in self.values if value.strip().lower() not in MISSING]
        self.comma = any(re.search(r"\d,(\d{1,2}|\d{4,})$", v.strip(" €")) for v in present)
        slashes = [re.match(r"\d{1,2}/(\d{1,2})/\d{4}", value) for value in present]
        self.month_first = any(sides and int(sides[1]) > 12 for sides in slashes)
        self.dates = bool(present) and all(
            len(v) > 4 and days(v, month_first=self.month_first) for v in present
        )
        spans = [self._span(value) or (np.nan, np.nan) for value in self.values]
        self.low, self.high = np.array(spans, dtype=float).reshape(-1, 2).T
        self.numeric = not self.dates and np.isfinite(self.low).sum() >= max(1, 0.9 * len(present))

    def _span(self, cell: str) -> Span | None:
        if self.dates:
            return days(cell, month_first=self.month_first)
        read = number(cell, comma=self.comma)
        return None if read is None else (read, read)

    def within(self, low: float, high: float) -> np.ndarray:
        """Return which values a range touches."""
        with np.errstate(invalid="ignore"):
            return (self.high >= low) & (self.low <= high)

    def _range(self, text: str) -> np.ndarray | None:
        inner = text.strip("[]()").strip()
        for cut in _DASHES.finditer(inner):
            sides = inner[: cut.start()], inner[cut.end() :]
            first, last = map(self._span, sides)
            if first and last and first[0] <= last[1]:
                mask = self.within(first[0], last[1])
                mask &= ~(self.high <= first[0]) if text[0] in "(]" else True
                return mask & (~(self.low >= last[1]) if text[-1] in ")[" else True)
            if sides[0] in self.place and sides[1] in self.place and sides[0] < sides[1]:
                return np.array([sides[0] <= value <= sides[1] for value in self.values])
        return None

    def _set(self, inner: str) -> np.ndarray | None:
        for separator in (", ", "; ", "|", ",", ";"):
            mask, held, pending = np.zeros(len(self.values), dtype=bool), "", False
            for part in inner.split(separator):
                # A member may hold the separator: parts are joined until they are a value.
                held = held + separator + part if pending else part
                member = held.strip().strip('"')
                pending = member not in self.place
                if not pending:
                    mask[self.place[member]] = True
            if not pending:
                return mask
        return None

    def mask(self, label: str) -> np.ndarray:
        """Return which of the values a printed cell may stand for; all where nobody can tell."""
        text = label.strip()
        if label in self.place:
            return np.arange(len(self.values)) == self.place[label]
        mask = np.ones(len(self.values), dtype=bool)
        if text.lower() in SILENT or not text:
            return mask
        if text.startswith("{"):
            mask = self._set(text.strip("{}"))
        elif stars := re.fullmatch(r"(.*[^*])(\*+)", text):
            head, wide = stars[1], len(stars[2])
            fits = [v.startswith(head) and wide in (1, len(v) - len(head)) for v in self.values]
            mask = np.array(fits)
        elif (bound := re.fullmatch(r"([<>≤≥]=?)\s*(.+)|(.+?)\s*\+", text)) and (
            span := self._span(bound[2] or bound[3])
        ):
            sign, far = bound[1] or "≥", float("inf")
            edge = 0.0 if sign[-1] in "≤≥=" else 1e-9
            ends = (-far, span[0] - edge) if sign[0] in "<≤" else (span[1] + edge, far)
            mask = self.within(*ends)
        elif span := self._span(text):
            mask = self.within(*span)
        elif (mask := self._range(text)) is None:
            mask = np.array([value.startswith(text) for value in self.values])
        return np.ones(len(self.values), dtype=bool) if mask is None or not mask.any() else mask

    def pairs(self, cells: Sequence[str]) -> np.ndarray:
        """Return which row of the column each printed cell may be about, cells as columns."""
        shown = Values(cells)
        masks = self._rounded(shown) if self.numeric else {}
        for label, count in zip(shown.values, shown.counts, strict=True):
            blank = label.strip().lower() in MISSING
            if blank and (label not in self.place or count > self.counts[self.place[label]]):
                # More blanks than the source has: some hide a value.
                masks[label] = np.ones(len(self.values), dtype=bool)
            masks.setdefault(label, self.mask(label))
        return np.array([masks[label] for label in shown.values]).T[self.codes][:, shown.codes]

    def _rounded(self, shown: Values) -> dict[str, np.ndarray]:
        """Return what plain numbers stand for where they are coarser than the known ones."""
        plain = {label: number(label, comma=self.comma) for label in shown.values}
        plain = {label: at for label, at in plain.items() if at is not None}
        step, fine = _step(list(plain.values())), _step(self.low[np.isfinite(self.low)])
        if not plain or step <= fine:
            return {}
        if all(
            label in self.place
            and self.counts[self.place[label]] == shown.counts[shown.place[label]]
            for label in plain
        ):
            return {}
        return {label: self.within(at - step, at + step) for label, at in plain.items()}


def _step(numbers: Sequence[float] | np.ndarray) -> float:
    """Return the largest 1, 2 or 5 times a power of ten of which all numbers are multiples."""
    for step in (times * 10.0**power for power in range(6, -4, -1) for times in (5, 2, 1)):
        ratio = np.array(numbers) / step
        if np.allclose(ratio, np.round(ratio), atol=1e-9, rtol=0):
            return step
    return 0.0
