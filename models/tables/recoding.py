"""Local recoding: what a class publishes of a column, as a truthful and unambiguous label.

Labels are written once the records of every class are final. A column of numbers shows the least
and the greatest number of the class, ``[25-26]``; a column with a taxonomy the lowest node above
its values; any other column the set of its values, ``{Canada, USA}``, in the column's order. One
value stays as it is, and a missing value is shown as ``?`` beside the others: ``{[25-26], ?}``.
Where a release has one level for all rows of a column, a label is the node at that level, and a
missing value is shown as the node that stands for it there.
Inside braces a backslash takes the special meaning from the character after it, so that every
label can be read back; :func:`covers` does. Rows that are left out and yet published show
:data:`MARK` in every column.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from kproof.errors import DataError, show
from kproof.models.base.arrays import Codes, Flags, renumber
from kproof.models.base.classes import histogram
from kproof.models.base.columns import Column, group_rows
from kproof.models.base.missing import MISSING, text
from kproof.models.base.taxonomy import Taxonomy
from kproof.theory.exact.typed import rational

MARK = "*"
"""What a row that is left out shows of a column, if it is published all the same."""

_UNKNOWN = text(MISSING)
_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?:/\d+)?"
_RANGE = re.compile(rf"\[({_NUMBER})-({_NUMBER})\]")
_SPECIAL = re.compile(r"[\\,{}]")
_SET = re.compile(r"\{((?:[^\\{}]|\\.)*)\}", re.DOTALL)
_ELEMENT = re.compile(r"(?:[^\\,]|\\.)+", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def write_label(elements: Sequence[str], *, missing: bool = False) -> str:
    r"""Write a label for some elements, with or without a missing value.

    >>> write_label(["Canada", "USA"]), write_label(["[25-26]"], missing=True)
    ('{Canada, USA}', '{[25-26], ?}')
    >>> write_label([], missing=True), write_label(["?"]), write_label(["a, b", ""])
    ('?', '{\\?}', '{a\\, b, \\e}')
    """
    if not elements:
        return _UNKNOWN
    if len(elements) == 1 and not missing:
        [alone] = elements
        # What could be read as something else goes into braces: nothing at all, a missing value, a
        # set; and a space at its end that a reader of the file would strip.
        if alone not in ("", _UNKNOWN) and alone == alone.strip() and not alone.startswith("{"):
            return alone
    parts = [_escape(element) for element in elements]
    return "{" + ", ".join([*parts, _UNKNOWN] if missing else parts) + "}"


def read(label: str) -> tuple[tuple[str, ...], bool]:
    r"""Return the elements of a label and whether it shows a missing value.

    >>> read("{a\\, b, \\e, ?}"), read("Canada")
    ((('a, b', ''), True), (('Canada',), False))
    """
    if not label.startswith("{"):
        return ((), True) if label == _UNKNOWN else ((label,), False)
    if (braces := _SET.fullmatch(label)) is None:
        raise DataError(f"label {show(label)} opens a brace and is not a set")
    # Only the space that belongs to a separator stands unescaped before an element.
    parts = [match.group() for match in _ELEMENT.finditer(braces[1])]
    parts = parts[:1] + [part.removeprefix(" ") for part in parts[1:]]
    # Before the backslashes go: an escaped ? is a value that somebody recorded.
    elements = tuple(_unescape(part) for part in parts if part != _UNKNOWN)
    return elements, len(elements) < len(parts)


def covers(label: str, value: object, *, taxonomy: Taxonomy | None = None) -> bool:
    """Say whether a published label covers an original value; a number is looked for in ranges.

    The taxonomy is the column's hierarchy, if its labels are nodes of one.

    >>> covers("[25-26]", 25.5), covers("[25-26]", 27), covers("{Canada, ?}", MISSING)
    (True, False, True)
    """
    elements, missing = read(label)
    if taxonomy is not None:
        # Without a leaf of its own a missing value may be any: only the root, node 0, covers it. A
        # value without a place is below no node.
        node = taxonomy.index.get(text(value), 0 if value is MISSING else -1)
        above = {taxonomy.index[element] for element in elements if element in taxonomy.index}
        covered = any(top <= node <= taxonomy.ends[top] for top in above)
        return covered or (missing and text(value) == _UNKNOWN)
    if value is MISSING:
        return missing
    # Not as a number: the text 1.0 is another value than 1, and True is no number.
    if isinstance(value, (str, bool)):
        return text(value) in elements
    return any(element == text(value) or _within(element, value) for element in elements)


@dataclass(frozen=True, eq=False)
class Recoded:
    """What each class publishes of one column."""

    column: Column
    """The original column."""
    low: Codes
    high: Codes
    """Shape (classes,): least and greatest code of the values that are there; ``low > high`` in
    a class where all are missing."""
    missing: Flags
    """Shape (classes,): whether a value is missing in the class."""
    nodes: Codes | None = None
    """Shape (classes,): the taxonomy's node above the values that are there, or its ``?`` where
    all are missing; None without a taxonomy."""
    starts: Codes | None = field(default=None, repr=False)
    members: Codes | None = field(default=None, repr=False)
    """For a column that publishes sets: class c holds the codes
    ``members[starts[c]:starts[c + 1]]``, ascending, missing included; else None."""
    hidden: int | None = None
    """The class that shows :data:`MARK`, which any value may be behind; None if there is none."""

    @cached_property
    def labels(self) -> tuple[Codes, tuple[str, ...]]:
        """Label of each class, as indexes into the distinct labels, and those."""
        if self.starts is not None and self.members is not None:
            keys = _set_keys(self.starts, self.members, len(self.column.values))
        elif self.nodes is not None:
            # Twice the node leaves the last bit for the missing value beside it.
            keys = self.nodes * 2 + self.missing
        else:
            # The least code may equal the number of values and the greatest may be -1.
            size = len(self.column.values) + 1
            keys = (self.low * size + self.high + 1) * 2 + self.missing
        if self.hidden is not None:
            # Below all other keys, so that its label is the first.
            keys[self.hidden] = -1
        _, first, of_class = np.unique(keys, return_index=True, return_inverse=True)
        texts = list(self._labels(first))
        if self.hidden is not None:
            texts[0] = MARK
        # A root covers missing values and needs no mark for them, so two keys may share a label.
        distinct = {label: position for position, label in enumerate(dict.fromkeys(texts))}
        position = np.array([distinct[label] for label in texts], dtype=np.int64)
        return position[of_class], tuple(distinct)

    def label(self, index: int) -> str:
        """Return the label of one class."""
        of_class, texts = self.labels
        return texts[int(of_class[index])]

    def covers(self, value: object) -> Flags:
        """Say of each class whether its label covers a value, one of the table's or any other."""
        covered = self._cover(value)
        if self.hidden is not None:
            # It may be `missing`, which other questions are answered from.
            covered = covered.copy()
            covered[self.hidden] = True
        return covered

    def _cover(self, value: object) -> Flags:
        column = self.column
        if self.starts is not None and self.members is not None:
            if value is MISSING:
                return self.missing
            recorded = enumerate(column.values[: column.missing])
            # By what a reader sees: 34 from a file is the 34 of a frame.
            codes = [code for code, candidate in recorded if text(candidate) == text(value)]
            of_member = np.repeat(np.arange(len(self.low)), np.diff(self.starts))
            covered = np.zeros(len(self.low), dtype=np.bool_)
            covered[of_member[np.isin(self.members, codes)]] = True
            return covered
        if self.nodes is not None and column.taxonomy is not None:
            node = column.taxonomy.index.get(text(value), 0 if value is MISSING else -1)
            below = (self.nodes <= node) & (node <= column.taxonomy.ends[self.nodes])
            return np.asarray(below | (self.missing & (text(value) == _UNKNOWN)))
        if value is MISSING:
            return self.missing
        numbers: Any = column.values if column.missing is None else column.values[:-1]
        number: Any = rational(column.name, value)
        first = bisect_left(numbers, number, key=_exact)
        last = bisect_right(numbers, number, key=_exact)
        # With the places of numbers not above and not below it: a number between two of the table's
        # is covered by a range around it as well.
        return np.asarray((self.low < last) & (self.high >= first))

    def _labels(self, classes: Codes) -> Iterator[str]:
        """Yield the label of each of some classes."""
        texts = [text(value) for value in self.column.values]
        missing = self.missing[classes].tolist()
        if self.starts is not None and self.members is not None:
            starts, ends = self.starts[classes].tolist(), self.starts[classes + 1].tolist()
            for start, end, gap in zip(starts, ends, missing, strict=True):
                codes = self.members[start : end - gap].tolist()
                yield write_label([texts[code] for code in codes], missing=gap)
            return
        spans = zip(self.low[classes].tolist(), self.high[classes].tolist(), missing, strict=True)
        if self.nodes is not None and self.column.taxonomy is not None:
            names = self.column.taxonomy.labels
            for (low, high, gap), node in zip(spans, self.nodes[classes].tolist(), strict=True):
                has_node = low <= high or names[node] != _UNKNOWN
                yield write_label([names[node]] if has_node else [], missing=gap and node != 0)
            return
        for low, high, gap in spans:
            if low < high:
                yield write_label([f"[{texts[low]}-{texts[high]}]"], missing=gap)
            else:
                yield write_label([texts[low]] if low == high else [], missing=gap)


def recode(
    column: Column,
    class_of: Codes,
    count: int,
    *,
    level: int | None = None,
    hidden: int | None = None,
) -> Recoded:
    """Generalize a column to the least label that covers each class.

    ``class_of``, shape (rows,), is the class of each row, -1 for a row that is not published; each
    of ``count`` classes has a row. At a ``level`` of the column's taxonomy every row is shown,
    missing values included; None gives the lowest label that covers the class, with a missing value
    told beside it. The rows of a ``hidden`` class show :data:`MARK`.

    >>> ages = Column("age", np.array([1, 0, 2, 2], dtype=np.int32), (25, 26, 40), numeric=True)
    >>> recoded = recode(ages, np.array([0, 0, 1, 1]), 2)
    >>> recoded.label(0), recoded.label(1), recoded.covers(25).tolist()
    ('[25-26]', '40', [True, False])
    """
    if hidden is not None:
        return _hide(column, class_of, count, level, hidden)
    published = class_of >= 0
    # Nearly always: a mask of all rows would copy every column for nothing.
    every = bool(published.all())
    of_row = class_of if every else class_of[published]
    codes = (column.codes if every else column.codes[published]).astype(np.int64)
    size = len(column.values)
    absent = np.zeros(count, dtype=np.bool_)
    if column.missing is not None:
        recorded = codes != column.missing
        absent[of_row[~recorded]] = True
        of_known, present = of_row[recorded], codes[recorded]
    else:
        of_known, present = of_row, codes
    # Crossed where a class has no value, which says that all of its values are missing.
    low = np.full(count, size, dtype=np.int64)
    high = np.full(count, -1, dtype=np.int64)
    np.minimum.at(low, of_known, present)
    np.maximum.at(high, of_known, present)
    if column.taxonomy is not None and column.nodes is not None:
        if level is not None:
            # Not `column.nodes`, which stand at the least level: levels are
            # counted from the values.
            nodes = column.taxonomy.of(column.values, column=column.name)
            placed = column.taxonomy.at_level(level)[nodes][codes]
            above = _meet(column.taxonomy, of_row, placed, count)
            return Recoded(column, low, high, np.zeros_like(absent), nodes=above)
        if column.missing is not None:
            # Where nothing else is there, the missing value stands for itself.
            blank = low > high
            of_known = np.concatenate([of_known, np.flatnonzero(blank)])
            present = np.concatenate([present, np.full(np.count_nonzero(blank), column.missing)])
        above = _meet(column.taxonomy, of_known, column.nodes[present], count)
        return Recoded(column, low, high, absent, nodes=above)
    if column.numeric:
        return Recoded(column, low, high, absent)
    sets = histogram(of_row, codes, count, size)
    return Recoded(column, low, high, absent, starts=sets.starts, members=sets.values)


def _hide(column: Column, class_of: Codes, count: int, level: int | None, hidden: int) -> Recoded:
    # Any value may be behind the mark: a class that has a row with each covers the same.
    unhidden, every_code = class_of != hidden, np.arange(len(column.values), dtype=np.int32)
    # Without the hidden rows' own codes: nothing that is kept of the class may tell of them.
    stand_in = replace(column, codes=np.append(column.codes[unhidden], every_code))
    of_row = np.append(class_of[unhidden], np.full(len(every_code), hidden))
    recoded = recode(stand_in, of_row, count, level=level)
    nodes = None
    if recoded.nodes is not None:
        nodes = recoded.nodes.copy()
        # The root, which covers everything, as the mark does.
        nodes[hidden] = 0
    return replace(recoded, column=column, nodes=nodes, hidden=hidden)


def _meet(taxonomy: Taxonomy, of_row: Codes, nodes: Codes, count: int) -> Codes:
    """Return the lowest node above the nodes of each class."""
    first = np.full(count, len(taxonomy.labels), dtype=np.int64)
    last = np.full(count, -1, dtype=np.int64)
    np.minimum.at(first, of_row, nodes)
    np.maximum.at(last, of_row, nodes)
    # Nodes are numbered depth first: where the first and the last meet, all between them do.
    return taxonomy.meet(first, last)


def _set_keys(starts: Codes, members: Codes, size: int) -> Codes:
    """Return numbers that are equal where sets of codes below ``size`` are."""
    if size < 63:
        # Sets as bits of a number: equal sets are equal numbers.
        return np.asarray(np.bitwise_or.reduceat(np.left_shift(1, members), starts[:-1]))
    # More codes than a whole number has bits: sets of several are numbered as they come.
    keys = members[starts[:-1]].astype(np.int64)
    several = np.flatnonzero(np.diff(starts) > 1)
    # Numbers from `size` on: those below are sets of the one code that they are.
    ends = zip(starts[several].tolist(), starts[several + 1].tolist(), strict=True)
    number_of: dict[bytes, int] = {}
    keys[several] = [
        number_of.setdefault(members[start:end].tobytes(), size + len(number_of))
        for start, end in ends
    ]
    return keys


def holders_of(starts: Codes, members: Codes, size: int) -> tuple[Codes, Codes]:
    """Turn sets of codes below ``size`` around: which sets hold each code.

    Set s holds ``members[starts[s]:starts[s + 1]]``; code c is in the sets
    ``holders[begins[c]:begins[c + 1]]``, ascending. There are as many entries as members: a mask of
    sets by codes has 10^10 cells for 10^5 of both.

    >>> begins, holders = holders_of(np.array([0, 2, 3]), np.array([0, 2, 2]), 3)
    >>> begins.tolist(), holders.tolist()
    ([0, 1, 1, 3], [0, 0, 1])
    """
    of_member = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    begins = np.concatenate([[0], np.cumsum(np.bincount(members, minlength=size))])
    # Stable, so that the sets of a code ascend as they did among the members.
    return begins, of_member[np.argsort(members, kind="stable")]


def _exact(value: object) -> Any:
    return rational("value", value)


def _within(element: str, value: object) -> bool:
    if (match := _RANGE.fullmatch(element)) is None:
        return bool(re.fullmatch(_NUMBER, element)) and _exact(element) == _exact(value)
    return bool(_exact(match[1]) <= _exact(value) <= _exact(match[2]))


def _escape(element: str) -> str:
    # Unescaped it would stand for a missing value.
    if element == _UNKNOWN:
        return "\\" + element
    return _SPECIAL.sub(lambda match: "\\" + match[0], element) or "\\e"


def _unescape(part: str) -> str:
    return "" if part == "\\e" else _ESCAPE.sub(lambda match: match[1], part)


def merge_equal_labels(recoded: Sequence[Recoded], groups: int) -> tuple[Codes, Codes]:
    """Return the class of each group, those with equal labels being one, and each class's first.

    ``recoded`` is what each group publishes, by quasi-identifier. Classes are numbered by their
    first group.

    >>> ages = Column("age", np.array([0, 1, 0], dtype=np.int32), (25, 40), numeric=True)
    >>> class_of, first = merge_equal_labels([recode(ages, np.arange(3), 3)], 3)
    >>> class_of.tolist(), first.tolist()
    ([0, 1, 0], [0, 1])
    """
    if groups == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    columns = []
    for coded in recoded:
        of_group, texts = coded.labels
        columns.append(Column(coded.column.name, of_group.astype(np.int32), texts, numeric=False))
    by_label, _ = group_rows(columns, groups)
    return renumber(by_label)
