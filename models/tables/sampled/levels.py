"""Levels that were written down before anybody looked at the rows.

What a row shows is a function of that row alone. A value that the levels do not know shows ``*``:
refusing it, or adding a level for it, would tell that it is there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from kproof.errors import InvalidArgument, KProofError
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.levels.widths import decimal_text
from kproof.theory.exact.typed import rational

ROOT = "*"
"""What stands for every value that the levels do not know."""

_WAYS = "value, range:WIDTH, range:WIDTH;origin=NUMBER, or FILE@LEVEL of a hierarchy"
_FROM_DATA = frozenset({"auto", "data", "quantiles", "median", "equal", "best", "detect"})


@dataclass(frozen=True)
class ColumnLevel:
    """What one column shows of a row, by a rule that no other row has a say in."""

    column: str
    """Its name in the table, and in what is published."""
    rule: str
    """``value``, ``range:10;origin=0``, or ``hierarchy`` with ``label_of``."""
    width: Fraction = Fraction(0)
    origin: Fraction = Fraction(0)
    """Of ranges; 0 where there are none."""
    label_of: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The label of each value that a hierarchy has."""

    @classmethod
    def parse(cls, text: str) -> ColumnLevel:
        """Read ``COLUMN=RULE``.

        A rule that has to look at the rows is refused.

        >>> ColumnLevel.parse("age=range:10").label("37")
        '[30-40)'
        >>> ColumnLevel.parse("age=range:10").label("old")
        '*'
        """
        column, equals, rule = (part.strip() for part in text.partition("="))
        if not equals or not column or not rule:
            raise InvalidArgument("levels", text, f"COLUMN=RULE, where RULE is {_WAYS}")
        # Before the form of a rule is judged: whoever asks for quantiles is
        # told why there are none.
        if rule.partition(":")[0].lower() in _FROM_DATA:
            raise InvalidArgument(
                "levels",
                text,
                "levels written down before anybody looked at the rows: chosen on the same rows "
                "they tell of rows that are not published (R11); write several and --choose",
            )
        if rule == "value":
            return cls(column, rule)
        if match := re.fullmatch(r"range:([^;]+)(?:;origin=(.+))?", rule):
            if (width := rational("levels", match[1])) <= 0:
                raise InvalidArgument("levels", text, "a width above 0")
            origin = rational("levels", match[2] or 0)
            return cls(
                column, f"range:{decimal_text(width)};origin={decimal_text(origin)}", width, origin
            )
        path, at, level = rule.rpartition("@")
        if not at or not level.isdecimal():
            raise InvalidArgument("levels", text, f"COLUMN=RULE, where RULE is {_WAYS}")
        return cls(column, "hierarchy", label_of=_labels(path, int(level), text))

    def label(self, value: str) -> str:
        """Return what a row with this value shows."""
        value = value.strip()
        if self.rule == "value":
            return value
        if self.width:
            try:
                number = rational("value", value)
            # No error: a refusal would say that some row has such a value.
            except KProofError:
                return ROOT
            low = (number - self.origin) // self.width * self.width + self.origin
            return f"[{decimal_text(low)}-{decimal_text(low + self.width)})"
        return self.label_of.get(value, ROOT)

    @property
    def labels(self) -> tuple[str, ...] | None:
        """Every label of a hierarchy; None where the rule says which texts are labels."""
        # The root is a label of every level, whether or not some row shows it: that it does would
        # be a fact about the rows.
        return tuple(sorted({*self.label_of.values(), ROOT})) if self.label_of else None


def hierarchy_files(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the files that levels name.

    >>> hierarchy_files(["job=jobs.csv@1,age=range:5"])
    ('jobs.csv',)
    """
    rules = [part.partition("=")[2].strip() for text in texts for part in text.split(",")]
    return tuple(rule.rpartition("@")[0] for rule in rules if "@" in rule)


def _labels(path: str, level: int, text: str) -> Mapping[str, str]:
    """Return the label of every leaf of a hierarchy file at a level."""
    tree = Taxonomy.from_csv(path)
    inner = {int(parent) for node, parent in enumerate(tree.parents) if node}
    # Only leaves are values: a cell that reads like an inner node is one that
    # the levels do not know.
    leaves = [node for node in range(len(tree.labels)) if node not in inner]
    try:
        nodes = tree.at_level(level)
    except InvalidArgument:
        raise InvalidArgument("levels", text, f"a level that {path} has") from None
    return {tree.labels[leaf]: tree.labels[int(nodes[leaf])] for leaf in leaves}


@dataclass(frozen=True)
class WrittenLevels:
    """One choice of what a table shows: its columns, and the level of each.

    >>> [column.rule for column in WrittenLevels.parse(["sex=value,age=range:10"]).columns]
    ['value', 'range:10;origin=0']
    """

    columns: tuple[ColumnLevel, ...]
    """In the order in which they are published."""

    @classmethod
    def parse(cls, texts: Sequence[str]) -> WrittenLevels:
        """Read ``COLUMN=RULE,COLUMN=RULE``."""
        parts = [part for text in texts for part in text.split(",") if part.strip()]
        columns = tuple(map(ColumnLevel.parse, parts))
        names = [column.column for column in columns]
        if not columns or len(set(names)) < len(names):
            raise InvalidArgument("levels", ",".join(texts), "each published column once")
        return cls(columns)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the rules by column, as a certificate has them."""
        return [
            {"column": column.column, "rule": column.rule, "labels": column.labels}
            for column in self.columns
        ]
