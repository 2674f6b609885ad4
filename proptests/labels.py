"""Reading labels: whether what somebody published of a column covers an original value.

Anonymizers write generalized values in many ways, and most notations can be taken in more than
one. A label covers a value if some reading of it does: what is in doubt is decided for the
anonymizer. The readings are

- the value itself, numbers as numbers whatever type they have, dates as dates;
- ``*``, ``**``, ``Any``, ``~any``, ``all``, ``suppressed``, None and NaN: every value;
- ranges of numbers, of ISO dates and of times: ``20-30``, ``20..30``, ``20 to 30``, ``20~30``,
  ``[20, 30]``, ``(20, 30]``, ``[20, inf)``, and a pandas Interval; the ends count unless a round
  bracket excludes them;
- ``>= 40``, ``<40``, ``≥ 40``, ``40+``;
- sets: ``a, b``, ``{a, b}``, ``['a', 'b']``, ``a~b``, ``a;b``, ``a|b``, ``a-b`` if no part is a
  number, and Python's tuples, lists and sets; an element may be a label itself, and a pair of
  numbers is a range too;
- masks: in ``476**`` each star is one character, and a star that is the only one is any text;
- prefixes: ``G56155区域``, ``全部区域``; with ``或未知`` a missing value too;
- nodes of the column's hierarchy: the values below them, and below the root a missing one;
- kproof's own labels, see :func:`own_reading`, which is the only reading of what comes with an
  account of kproof's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from kproof.proptests.cells import missing, point, same

Covering = Callable[[object], bool]
"""Says of an original value whether a label covers it."""

_EVERYTHING = frozenset({"any", "~any", "all", "suppressed"})
_NOTHING_KNOWN = frozenset({"", "?", "nan", "nat", "none", "null", "<na>", "na", "n/a"})
_BETWEEN = ("...", "..", "…", " to ", "-", "–", "—", "~")
_BETWEEN_IN_BRACKETS = (*_BETWEEN, ",", ";")
_SEPARATORS = (",", ";", "|", "~")
_WRAPPED = re.compile(r"\{(.*)\}|\[(.*)\]|\((.*)\)", re.DOTALL)
_CONSTRUCTED = re.compile(r"(?:frozenset|set)\((.*)\)", re.DOTALL)
_COMPARED = re.compile(r"(>=|<=|>|<|≥|≤)\s*(.+)")
_REGION, _EVERYWHERE, _OR_UNKNOWN = "区域", "全部区域", "或未知"


def covers(
    label: object,
    value: object,
    *,
    hierarchy: Mapping[str, str] | None = None,
    domain: Collection[object] | None = None,
) -> bool | None:
    """Say whether a published label covers an original value.

    Parameters
    ----------
    label
        As published.
    value
        The original value; None if it is missing.
    hierarchy
        Child to parent, the root being its own parent, if the column has one.
    domain
        The column's original values: a text that is one of them stands for itself. Without them
        any label of the value's kind does.

    Returns
    -------
    bool or None
        None if no reading makes anything of the label.

    Examples
    --------
    >>> covers("20-30", 25), covers("(20, 30]", 20), covers(">= 40", 39)
    (True, False, False)
    >>> covers("476**", 47677), covers("{a, b}", "b"), covers("a mess", 3)
    (True, True, None)
    """
    found = Label(label, hierarchy or {})
    if found.covers(value):
        return True
    if found.readings or any(same(label, one) for one in domain or ()):
        return False
    if domain is not None or missing(value) or missing(label):
        return None
    return False if (point(label) is None) == (point(value) is None) else None


@dataclass(frozen=True)
class Label:
    """A label in every reading that makes something of it.

    Attributes
    ----------
    published
        The label.
    hierarchy
        Of its column.
    nested
        Whether it is an element of a set; then it is not read as a set again.
    readings
        One function for each reading but the plainest, that it is the value itself.
    """

    published: object
    hierarchy: Mapping[str, str]
    nested: bool = False
    readings: tuple[Covering, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "readings", tuple(self._found()))

    def covers(self, value: object) -> bool:
        """Say whether some reading of the label covers a value."""
        return same(self.published, value) or any(reading(value) for reading in self.readings)

    def _found(self) -> Iterator[Covering]:
        label = self.published
        if missing(label):
            yield _everything
        elif isinstance(label, str):
            yield from self._in_text(label)
        elif hasattr(label, "left") and hasattr(label, "right") and hasattr(label, "closed"):
            closed = str(label.closed)
            yield _between(
                point(label.left),
                point(label.right),
                low_counts=closed in ("left", "both"),
                high_counts=closed in ("right", "both"),
            )
        elif isinstance(label, (tuple, list, set, frozenset)):
            yield from self._elements(list(label))

    def _in_text(self, label: str) -> Iterator[Covering]:
        shown = label.strip()
        if shown.lower() in _EVERYTHING or set(shown) == {"*"}:
            yield _everything
        if shown.lower() in _NOTHING_KNOWN:
            yield missing
        if shown in self.hierarchy or shown in self.hierarchy.values():
            yield lambda value: shown in _above(value, self.hierarchy)
        yield from _ranges(shown)
        if "*" in shown and set(shown) != {"*"}:
            yield _masked(shown)
        region = shown.removesuffix(_OR_UNKNOWN)
        if region != shown:
            yield missing
        if region == _EVERYWHERE:
            yield lambda value: not missing(value)
        elif region.endswith(_REGION):
            prefix = region.removesuffix(_REGION)
            yield lambda value: not missing(value) and str(value).startswith(prefix)
        if not self.nested:
            yield from self._sets(shown)
            if shown.startswith("{"):
                own = own_reading(label, hierarchy=self.hierarchy)
                if own is not None:
                    yield own

    def _sets(self, shown: str) -> Iterator[Covering]:
        constructed = _CONSTRUCTED.fullmatch(shown)
        wrapped = _WRAPPED.fullmatch(constructed[1] if constructed else shown)
        body = next(one for one in wrapped.groups() if one is not None) if wrapped else shown
        if not wrapped and shown[:1] in ("[", "("):
            return
        # A dash lists words; beside another separator, or before a number, it is something else.
        dashed = [_bare(part) for part in body.split("-")]
        words = all(dashed) and all(point(part) is None for part in dashed)
        listed = any(separator in body for separator in _SEPARATORS)
        for separator in ("-",) if words and not listed else _SEPARATORS:
            if separator in body:
                parts = [_bare(part) for part in body.split(separator)]
                yield from self._elements([part for part in parts if part])
                yield _run_of(parts, separator)
        # A tuple of one has a comma, so "(20-30)" is no tuple.
        if wrapped and not shown.startswith("("):
            yield from self._elements([_bare(body)])

    def _elements(self, elements: list[object]) -> Iterator[Covering]:
        # A list of one is its element, however that is written: ["a,b"] is a or b.
        nested = self.nested or len(elements) > 1
        labels = [Label(element, self.hierarchy, nested) for element in elements]
        yield lambda value: any(label.covers(value) for label in labels)
        ends = [point(element) for element in elements]
        if len(ends) == 2 and not isinstance(self.published, (str, set, frozenset)):
            yield _between(ends[0], ends[1])


def own_reading(label: str, *, hierarchy: Mapping[str, str] | None = None) -> Covering | None:
    r"""Return what a label of kproof's covers, by its grammar and nothing else.

    A label is an element, ``?`` for a missing value, or ``{element, element, ?}`` where a
    backslash takes the special meaning from the character after it and ``\e`` is the empty text.
    An element is a node of the hierarchy if there is one; else the value as text, or for numbers
    an equal number or a range ``[25-26]``.

    Returns
    -------
    Callable or None
        None if the label opens a brace and is not a set.

    Examples
    --------
    >>> reading = own_reading("{a\\, b, c, ?}")
    >>> [reading(value) for value in ("a, b", "c", "b", None)]
    [True, True, False, True]
    """
    parsed = _own_elements(label)
    if parsed is None:
        return None
    elements, gap = parsed

    def covering(value: object) -> bool:
        if hierarchy:
            above = _above(value, hierarchy)
            return any(element in above for element in elements) or (gap and missing(value))
        if missing(value):
            return gap
        place = point(value)
        if isinstance(value, (str, bool)) or place is None:
            return str(value) in elements
        return any(
            point(element) == place or any(reading(value) for reading in _own_range(element))
            for element in elements
        )

    return covering


def _own_elements(label: str) -> tuple[list[str], bool] | None:
    """Return the elements and whether a missing value is shown; None if it cannot be read."""
    if not label.startswith("{"):
        return ([], True) if label == "?" else ([label], False)
    if len(label) < 2 or not label.endswith("}"):
        return None
    parts, part, escaped = [], "", False
    for position, character in enumerate(label[1:-1]):
        if escaped:
            part, escaped = part + "\\" + character, False
        elif character == "\\":
            escaped = True
        elif character in "{}":
            return None
        elif character == ",":
            parts.append(part)
            part = ""
        elif character != " " or part or not parts or label[position] != ",":
            # The space that follows a separator belongs to it.
            part += character
    if escaped:
        return None
    parts.append(part)
    elements = [
        "" if part == r"\e" else re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL)
        for part in parts
        if part != "?"
    ]
    return elements, len(elements) < len(parts)


def _own_range(element: str) -> Iterator[Covering]:
    if element.startswith("[") and element.endswith("]"):
        yield from _spans(element[1:-1], ("-",))


def _ranges(shown: str) -> Iterator[Covering]:
    compared = _COMPARED.fullmatch(shown)
    if compared:
        end, counts = point(compared[2]), compared[1] in (">=", "<=", "≥", "≤")
        if end is not None and compared[1][0] in ">≥":
            yield _between(end, None, low_counts=counts)
        elif end is not None:
            yield _between(None, end, high_counts=counts)
    elif shown.endswith("+") and point(shown[:-1]) is not None:
        yield _between(point(shown[:-1]), None)
    elif shown[:1] in ("[", "(") and shown[-1:] in ("]", ")"):
        yield from _spans(
            shown[1:-1],
            _BETWEEN_IN_BRACKETS,
            low_counts=shown[0] == "[",
            high_counts=shown[-1] == "]",
        )
    else:
        yield from _spans(shown, _BETWEEN)


def _spans(
    body: str, separators: tuple[str, ...], *, low_counts: bool = True, high_counts: bool = True
) -> Iterator[Covering]:
    """Yield a reading for each place where a text can be cut into two ends of a range."""
    for separator in separators:
        for start in range(1, len(body) - len(separator)):
            if not body.startswith(separator, start):
                continue
            low, high = body[:start].strip(), body[start + len(separator) :].strip()
            below, above = low in ("-inf", "-∞"), high in ("inf", "+inf", "∞", "+∞")
            first, last = point(low), point(high)
            if (below or first) and (above or last) and _ascending(first, last):
                yield _between(first, last, low_counts=low_counts, high_counts=high_counts)


def _ascending(first: tuple[str, Any] | None, last: tuple[str, Any] | None) -> bool:
    if first is None or last is None:
        return True
    return bool(first[0] == last[0] and first[1] <= last[1])


def _between(
    low: tuple[str, Any] | None,
    high: tuple[str, Any] | None,
    *,
    low_counts: bool = True,
    high_counts: bool = True,
) -> Covering:
    """Return the range between two points on one line; None is no end."""

    def covering(value: object) -> bool:
        place = point(value)
        if place is None or any(end is not None and end[0] != place[0] for end in (low, high)):
            return False
        here = place[1]
        above = low is None or low[1] < here or (low_counts and low[1] == here)
        return above and (high is None or here < high[1] or (high_counts and high[1] == here))

    return covering


def _everything(_: object) -> bool:
    return True


def _masked(shown: str) -> Covering:
    exact = re.escape(shown).replace(r"\*", ".")
    patterns = [exact]
    if shown.count("*") == 1:
        patterns.append(".*".join(map(re.escape, shown.split("*"))))
    compiled = [re.compile(pattern, re.DOTALL) for pattern in patterns]
    return lambda value: not missing(value) and any(one.fullmatch(str(value)) for one in compiled)


def _run_of(parts: list[str], separator: str) -> Covering:
    """Return the values that are some neighbouring elements: they contain the separator."""

    def covering(value: object) -> bool:
        if not isinstance(value, str) or separator not in value:
            return False
        own = [_bare(part) for part in value.split(separator)]
        starts = range(len(parts) - len(own) + 1)
        return any(parts[start : start + len(own)] == own for start in starts)

    return covering


def _bare(part: str) -> str:
    shown = part.strip()
    quoted = len(shown) > 1 and shown[0] == shown[-1] and shown[0] in "'\""
    return shown[1:-1] if quoted else shown


def _above(value: object, hierarchy: Mapping[str, str]) -> set[str]:
    """Return a value and the nodes above it; above a missing one, the roots."""
    roots = {node for node, parent in hierarchy.items() if node == parent}
    roots |= {parent for parent in hierarchy.values() if parent not in hierarchy}
    if missing(value):
        return roots
    node = value.isoformat() if isinstance(value, date) else str(value)
    if node not in hierarchy and node not in roots:
        return set()
    found = {node}
    while (parent := hierarchy.get(node, node)) not in found:
        found.add(parent)
        node = parent
    return found
