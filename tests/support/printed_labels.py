"""What a reader understands of a printed cell: the exact values that it may stand for.

Nothing is known of the program that printed it. A cell is a value, a set, a range of numbers, dates
or words, a cut code, a rounded number, a period of the calendar, or says nothing at all.
"""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Sequence
from datetime import date

import numpy as np

Span = tuple[float, float]
MISSING = {"", "?", "na", "n/a", "nan", "none", "null", "-", "k.a.", "无", "s/d", "n.d."}
SILENT = {"*", "any", "all", "...", "…", "**", "***", "suppressed", "<suppressed>", "(*)"}
_DASHES = re.compile(r"\s*(?:\.\.\.?|–|—|~|至|,|;|\bto\b|\bbis\b|\bà\b|\ba\b|-)\s*")
_UNITS = re.compile(r"[€$£¥\s\u00a0'’]|EUR|USD|CNY|元")


def number(cell: str, *, comma: bool = False) -> float | None:
    """Return the number that a cell shows, with a decimal comma where the column has such."""
    bare = _UNITS.sub("", cell)
    if "," in bare and "." in bare:
        comma = bare.rindex(",") > bare.rindex(".")
    elif re.fullmatch(r"[+-]?\d{1,3}(\.\d{3})+", bare) and comma:
        bare = bare.replace(".", "")
    bare = (
        bare.replace(".", "").replace(",", ".") if comma and "," in bare else bare.replace(",", "")
    )
    return float(bare) if re.fullmatch(r"[+-]?\d+(\.\d*)?", bare) else None


def decimal_comma(cells: Sequence[str]) -> bool:
    """Return whether a column writes its decimals with a comma."""
    return any(re.search(r"\d,(\d{1,2}|\d{4,})$", cell.strip(" €")) for cell in cells)


def days(cell: str, *, month_first: bool = False) -> Span | None:
    """Return the first and last day of what a cell says of the calendar."""
    text = re.sub(r"[T ]\d{1,2}:\d\d(:\d\d)?$", "", cell.strip())
    if whole := re.fullmatch(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?", text):
        year, month, day = map(int, whole.groups())
    elif turned := re.fullmatch(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})", text):
        day, month, year = map(int, turned.groups())
        day, month = (month, day) if month_first else (day, month)
    elif part := re.fullmatch(r"(\d{4})[-/.年](\d{1,2})月?|(\d{1,2})[./](\d{4})", text):
        year, month = int(part[1] or part[4]), int(part[2] or part[3])
        if not 1 <= month <= 12:
            return None
        return _between((year, month, 1), (year, month, calendar.monthrange(year, month)[1]))
    elif quarter := re.fullmatch(r"(\d{4})-Q([1-4])|Q([1-4]) (\d{4})", text):
        year, last = int(quarter[1] or quarter[4]), 3 * int(quarter[2] or quarter[3])
        return _between((year, last - 2, 1), (year, last, calendar.monthrange(year, last)[1]))
    elif week := re.fullmatch(r"(\d{4})-W(\d\d)", text):
        first = date.fromisocalendar(int(week[1]), int(week[2]), 1).toordinal()
        return first, first + 6
    elif years := re.fullmatch(r"([1-9]\d{3})|([1-9]\d{2})0s", text):
        year = int(years[1] or years[2] + "0")
        return _between((year, 1, 1), (year + (0 if years[1] else 9), 12, 31))
    else:
        return None
    return _between((year, month, day), (year, month, day))


def _between(first: tuple[int, int, int], last: tuple[int, int, int]) -> Span | None:
    try:
        return date(*first).toordinal(), date(*last).toordinal()
    except ValueError:
        return None


class Values:
    """The exact values of a column as somebody knows them, and what printed cells mean there."""

    def __init__(self, values: Sequence[str], *, counts: Sequence[int] = ()) -> None:
        self.values = list(values)
        self.counts = np.array(counts if len(counts) else [1] * len(values))
        self.place = {value: index for index, value in enumerate(self.values)}
        present = [value for value in self.values if value.strip().lower() not in MISSING]
        self.comma = decimal_comma(present)
        self.month_first = any(
            (sides := re.match(r"(\d{1,2})/(\d{1,2})/\d{4}", value)) and int(sides[2]) > 12
            for value in present
        )
        self.dates = bool(present) and all(
            len(value) > 4 and days(value, month_first=self.month_first) for value in present
        )
        spans = [self._span(value) for value in self.values]
        self.low = np.array([np.nan if span is None else span[0] for span in spans])
        self.high = np.array([np.nan if span is None else span[1] for span in spans])
        self.numeric = not self.dates and np.isfinite(self.low).sum() >= 0.9 * max(1, len(present))

    def _span(self, cell: str) -> Span | None:
        if self.dates:
            return days(cell, month_first=self.month_first)
        read = number(cell, comma=self.comma)
        return None if read is None else (read, read)

    def _anything(self) -> np.ndarray:
        return np.ones(len(self.values), dtype=bool)

    def _within(self, low: float, high: float) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return (self.high >= low) & (self.low <= high)

    def _range(self, text: str) -> np.ndarray | None:
        opened, closed = text[:1] in "(]", text[-1:] in ")["
        inner = text.strip("[]()").strip()
        for cut in _DASHES.finditer(inner):
            sides = inner[: cut.start()], inner[cut.end() :]
            first, last = map(self._span, sides)
            if first and last and first[0] <= last[1]:
                low, high = first[0], last[1]
                mask = self._within(low, high)
                if opened and text[0] in "(]":
                    mask &= ~(self.high <= low)
                if closed and text[-1] in ")[":
                    mask &= ~(self.low >= high)
                return mask
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
        if text.lower() in SILENT or text == "{}":
            return self._anything()
        if label in self.place:
            return np.arange(len(self.values)) == self.place[label]
        understood = None
        if text.startswith("{"):
            understood = self._set(text.strip("{}"))
        elif stars := re.fullmatch(r"(.*[^*])(\*+)", text):
            head, wide = stars[1], len(stars[2])
            understood = np.array(
                [v.startswith(head) and wide in (1, len(v) - len(head)) for v in self.values]
            )
        elif bound := re.fullmatch(r"([<>≤≥]=?)\s*(.+)|(.+?)\s*\+", text):
            span = self._span(bound[2] or bound[3])
            if span is not None:
                sign = bound[1] or ">="
                edge = 0.0 if len(sign) == 2 or sign in "≤≥" else 1e-9
                infinite = float("inf")
                understood = (
                    self._within(-infinite, span[0] - edge)
                    if sign[0] in "<≤"
                    else self._within(span[1] + edge, infinite)
                )
        if understood is None and (span := self._span(text)) is not None:
            understood = self._within(*span)
        if understood is None:
            understood = self._range(text)
        if understood is None:
            understood = np.array([value.startswith(text) for value in self.values])
        return understood if understood.any() else self._anything()

    def masks(self, cells: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return each distinct cell's values as a row, and the row of each cell."""
        counts = Counter(cells)
        labels = list(counts)
        rounded = self._rounded(counts) if self.numeric else {}
        rows = []
        for label in labels:
            blank = label.strip().lower() in MISSING
            known = int(self.counts[self.place[label]]) if label in self.place else 0
            if blank and counts[label] > known:
                # More blanks than the source has: some hide a value.
                rows.append(self._anything())
            else:
                rows.append(rounded[label] if label in rounded else self.mask(label))
        place = {label: index for index, label in enumerate(labels)}
        return np.array(rows), np.array([place[cell] for cell in cells])

    def _rounded(self, counts: Counter[str]) -> dict[str, np.ndarray]:
        """Return what plain numbers stand for where they are coarser than the known ones."""
        shown = {label: number(label, comma=self.comma) for label in counts}
        plain = {label: read for label, read in shown.items() if read is not None}
        exact = self.low[np.isfinite(self.low)]
        step, fine = _step(np.array(list(plain.values()))), _step(exact)
        if not len(plain) or step <= fine:
            return {}
        reach = {
            "exact": (0, 0),
            "nearest": (-step / 2, step / 2),
            "floor": (0, step),
            "ceiling": (-step, 0),
        }
        masks = {
            mode: {label: self._within(at + low, at + high) for label, at in plain.items()}
            for mode, (low, high) in reach.items()
        }
        far = {
            mode: sum(abs(int(self.counts[of[label]].sum()) - counts[label]) for label in plain)
            for mode, of in masks.items()
        }
        best = min(far, key=far.__getitem__)
        if best == "exact":
            return {}
        if far[best] <= 0.1 * sum(counts[label] for label in plain):
            return masks[best]
        return {label: self._within(at - step, at + step) for label, at in plain.items()}


def _step(numbers: np.ndarray) -> float:
    """Return the largest 1, 2 or 5 times a power of ten of which all numbers are multiples."""
    for power in range(6, -4, -1):
        for times in (5, 2, 1):
            step = times * 10.0**power
            if np.allclose(numbers / step, np.round(numbers / step), atol=1e-9, rtol=0):
                return step
    return 0.0
