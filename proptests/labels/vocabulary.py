"""What the labels of a column can speak of, and when an interpretation of one is understood."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from kproof.proptests.labels.cells import bare, is_missing, loose, point

Covering = Callable[[object], bool]
"""Says of an original value whether a label covers it."""


@dataclass(frozen=True)
class ColumnVocabulary:
    """What the labels of a column can speak of."""

    hierarchy: Mapping[str, str] = field(default_factory=dict)
    """Child to parent, the root being its own parent."""
    values: frozenset[Hashable] = frozenset()
    """The original values, each so that equal ones are equal; see
    :func:`~kproof.proptests.labels.cells.loose`."""
    texts: frozenset[str] = frozenset()
    """What those that are not missing look like."""
    lines: frozenset[str] = frozenset()
    """Names of the lines that some of them are on: ``"number"``, ``"date"``, ``"time"``."""
    words: bool = False
    """Whether any text is taken for a value, as where the others are not known."""

    @cached_property
    def wrapped_texts(self) -> Mapping[str, tuple[str, ...]]:
        """Texts with blanks or quotes around them, by what they are without the blanks."""
        texts: dict[str, tuple[str, ...]] = {}
        for text in sorted(self.texts):
            if bare(text) != text or not text:
                texts[text.strip()] = (*texts.get(text.strip(), ()), text)
        return texts

    @classmethod
    def of(cls, values: Iterable[object], hierarchy: Mapping[str, str]) -> ColumnVocabulary:
        """Return the vocabulary of a column with these values."""
        cells = list(values)
        lines = frozenset(place[0] for place in map(point, cells) if place is not None)
        texts = frozenset(str(value) for value in cells if not is_missing(value))
        return cls(hierarchy, frozenset(map(loose, cells)), texts, lines)

    @classmethod
    def like(cls, value: object, hierarchy: Mapping[str, str]) -> ColumnVocabulary:
        """Return the vocabulary of a column of which one value is known: its kind is."""
        words = point(value) is None and not is_missing(value)
        return replace(cls.of([value], hierarchy), words=words)

    def has(self, label: object) -> bool:
        """Say whether a label names a value, by itself and in no notation."""
        place = point(label)
        if loose(label) in self.values or is_missing(label):
            return True
        return self.words and isinstance(label, str) if place is None else place[0] in self.lines

    def reaches(self, *ends: tuple[str, Any] | None) -> bool:
        """Say whether the ends of a range that are there are on a line of the column."""
        return all(end is None or end[0] in self.lines for end in ends)


@dataclass(frozen=True)
class Interpretation:
    """One way to take a label, and whether every part of it is understood."""

    covering: Covering
    understood: bool = True
