"""Reading labels: whether what somebody published of a column covers an original value.

Anonymizers write generalized values in many ways, and most notations can be taken in more than
one. A label covers a value if some interpretation of it does: what is in doubt is decided for the
anonymizer. The interpretations are

- the value itself, numbers as numbers whatever type they have, dates as dates;
- ``*``, ``**``, ``Any``, ``~any``, ``all``, ``suppressed``, None and NaN: every value; so does
  the empty text, unless it is a value of the column;
- ranges of numbers, of ISO dates and of times: ``20-30``, ``20..30``, ``20 to 30``, ``20~30``,
  ``[20, 30]``, ``(20, 30]``, ``[20, inf)``, and a pandas Interval; the ends count unless a round
  bracket excludes them;
- ``>= 40``, ``<40``, ``≥ 40``, ``40+``;
- sets: ``a, b``, ``{a, b}``, ``['a', 'b']``, ``a~b``, ``a;b``, ``a|b``, ``a-b`` if no part is a
  number, and Python's tuples, lists and sets; an element may be a label itself, and a pair of
  numbers is a range too;
- masks: in ``476**`` each star is one character, and a star that is the only one is any text;
- prefixes: ``G56155区域``, ``全部区域``; with ``或未知`` a missing value too;
- ``2020`` and ``2020-05``, ``2020-Q2``, ``2020s``, ``2020-W17``, ``2020-05-17``, ``Sunday``: every
  moment in it, in a column of dates; ``20±5``: 15 to 25;
- ``1,000-2,000``: numbers whose digits are grouped by commas;
- nodes of the column's hierarchy: the values below them, and below the root a missing one;
- kproof's own labels, see :func:`own_covering`; what comes with an account of kproof's is taken
  in this way only.

An interpretation is *understood* if every part of it is something the column knows: one of its
values, a place on a line that its values are on, a node of its hierarchy. A label without such an
interpretation is in doubt: it may cover anything, and says nothing that could be wrong.
"""

import ast
import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import cached_property
from typing import Any

from kproof.proptests.labels.cells import bare, is_missing, point, same
from kproof.proptests.labels.spans import stretch
from kproof.proptests.labels.vocabulary import ColumnVocabulary, Covering, Interpretation

_EVERYTHING = frozenset({"any", "~any", "all", "suppressed"})
_NOTHING_KNOWN = frozenset({"", "?", "nan", "nat", "none", "null", "<na>", "na", "n/a"})
_BETWEEN = ("...", "..", "…", " to ", "-", "–", "—", "~")
_BETWEEN_IN_BRACKETS = (*_BETWEEN, ",", ";")
_LEAST, _MOST = ("-inf", "-∞"), ("inf", "+inf", "∞", "+∞")
_SEPARATORS = (",", ";", "|", "~")
_WRAPPED = re.compile(r"\{(.*)\}|\[(.*)\]|\((.*)\)", re.DOTALL)
_CUT = re.compile(r"[\s,;|~'\"(){}\[\]-]")
"""What separates elements, or stands around them."""
_CONSTRUCTED = re.compile(r"(?:frozenset|set)\((.*)\)", re.DOTALL)
_COMPARED = re.compile(r"(>=|<=|>|<|≥|≤)\s*(.+)")
_AROUND = re.compile(r"(-?\d{1,300}(?:\.\d{1,300})?)±(\d{1,300}(?:\.\d{1,300})?)")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!\d|,\d)")
_REGION, _EVERYWHERE, _OR_UNKNOWN = "区域", "全部区域", "或未知"


def covers(
    label: object,
    value: object,
    *,
    hierarchy: Mapping[str, str] | None = None,
    domain: Collection[object] | None = None,
) -> bool | None:
    """Say whether a published label covers an original value; None is a missing one.

    The hierarchy says of each child its parent, and of the root itself. A text in the ``domain``,
    the column's original values, stands for itself; without it any label of the value's kind does.
    The answer is None if no interpretation covers the value and none is understood.

    >>> covers("20-30", 25), covers("(20, 30]", 20), covers(">= 40", 39)
    (True, False, False)
    >>> covers("476**", 47677), covers("{a, b}", "b"), covers("a mess", 3)
    (True, True, None)
    """
    tree = hierarchy or {}
    vocabulary = (
        ColumnVocabulary.like(value, tree) if domain is None else ColumnVocabulary.of(domain, tree)
    )
    return Label(label, vocabulary).covers(value)


@dataclass(frozen=True)
class Label:
    """A label in every interpretation that makes something of it."""

    published: object
    """The label."""
    vocabulary: ColumnVocabulary
    """Of its column."""
    nested: bool = False
    """Whether it is an element of a set; then it is not read as a set again."""
    interpretations: tuple[Interpretation, ...] = field(init=False, repr=False)
    """One for each way to take it but the plainest, that it is the value itself."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "interpretations", tuple(self._interpretations()))

    @cached_property
    def understood(self) -> bool:
        """Whether the label is a value of the column, or can be understood in some way."""
        ways = self.interpretations
        return self.vocabulary.has(self.published) or any(way.understood for way in ways)

    def covers(self, value: object) -> bool | None:
        """Say whether a value is covered in some way; None if not, and nothing is understood."""
        if self._covers_by_reading(value):
            return True
        return False if self.understood else None

    def _covers_by_reading(self, value: object) -> bool:
        ways = self.interpretations
        return same(self.published, value) or any(way.covering(value) for way in ways)

    def _interpretations(self) -> Iterator[Interpretation]:
        label, column = self.published, self.vocabulary
        if is_missing(label):
            yield Interpretation(_any_value)
        elif isinstance(label, str):
            yield from self._in_text(label)
        elif hasattr(label, "left") and hasattr(label, "right") and hasattr(label, "closed"):
            closed = str(label.closed)
            low, high = point(label.left), point(label.right)
            first = closed in ("left", "both")
            last = closed in ("right", "both")
            covering = _between(low, high, low_counts=first, high_counts=last)
            yield Interpretation(covering, column.reaches(low, high))
        elif isinstance(label, (tuple, list, set, frozenset)):
            yield from self._elements(list(label))

    def _in_text(self, label: str) -> Iterator[Interpretation]:
        text, tree = label.strip(), self.vocabulary.hierarchy
        if text.lower() in _EVERYTHING or set(text) == {"*"}:
            yield Interpretation(_any_value)
        if text.lower() in _NOTHING_KNOWN:
            # A file has no other way to leave a cell out than to leave it empty.
            empty = not text and label not in self.vocabulary.texts
            yield Interpretation(_any_value if empty else is_missing)
        # A root need not be its own parent: some trees name it as a parent only.
        if text in tree or text in tree.values():
            yield Interpretation(lambda value: text in _above(value, tree))
        yield from _ranges(text, self.vocabulary)
        span = stretch(text)
        if span is not None and "date" in self.vocabulary.lines:
            yield Interpretation(span)
        if "*" in text and set(text) != {"*"}:
            yield self._if_it_covers_any(_mask_pattern(text))
        yield from self._regions(text)
        if not self.nested:
            yield from self._sets(label)
            if text.startswith("{"):
                covering = own_covering(label, hierarchy=tree)
                if covering is not None:
                    # As far as it is understood it is a set, too; this is about what it covers.
                    yield Interpretation(covering, understood=False)

    def _regions(self, text: str) -> Iterator[Interpretation]:
        region = text.removesuffix(_OR_UNKNOWN)
        if region == _EVERYWHERE:
            within = Interpretation(lambda value: not is_missing(value))
        elif region.endswith(_REGION):
            prefix = region.removesuffix(_REGION)
            within = self._if_it_covers_any(
                lambda value: not is_missing(value) and str(value).startswith(prefix)
            )
        else:
            return
        yield within
        if region != text:
            yield Interpretation(is_missing, within.understood)

    def _if_it_covers_any(self, covering: Covering) -> Interpretation:
        """Return an interpretation by the text of values: understood if there are such values."""
        column = self.vocabulary
        return Interpretation(covering, column.words or any(map(covering, column.texts)))

    def _sets(self, label: str) -> Iterator[Interpretation]:
        text = label.strip()
        constructed = _CONSTRUCTED.fullmatch(text)
        wrapped = _WRAPPED.fullmatch(constructed[1] if constructed else text)
        # The brackets may belong to members, as in "{};{a}".
        if not constructed:
            yield from self._parse_list(label)
        if wrapped is None:
            return
        members = _literal(wrapped[0])
        if members is not None:
            yield from self._elements(members)
        body = next(group for group in wrapped.groups() if group is not None)
        yield from self._parse_list(body)
        # A tuple of one has a comma, so "(20-30)" is no tuple, unless that is a value.
        if not text.startswith("(") or body in self.vocabulary.texts:
            yield from self._parts([body])

    def _parse_list(self, body: str) -> Iterator[Interpretation]:
        # A dash lists words; beside another separator, or before a number, it is something else,
        # unless it joins values of the column.
        dashed = [bare(part) for part in body.split("-")]
        words = all(dashed) and all(point(part) is None for part in dashed)
        listed = any(separator in body for separator in _SEPARATORS)
        joined = (words and not listed) or self.vocabulary.texts.issuperset(body.split("-"))
        for separator in (*("-",) * joined, *_SEPARATORS):
            if separator in body:
                yield from self._parts(body.split(separator))
                yield Interpretation(_stands_in(body), understood=False)

    def _parts(self, parts: list[str]) -> Iterator[Interpretation]:
        """Yield the set of what stands between separators, with blanks and quotes or without."""
        nested, column = self.nested or len(parts) > 1, self.vocabulary
        ways = []
        for part in parts:
            label = Label(bare(part), column, nested)
            # Blanks and quotes are of the notation, unless a value of the column has them itself.
            whole = {text for text in column.wrapped_texts.get(part.strip(), ()) if text in part}
            if not part.strip() and not whole:
                continue
            ways.append((label, whole))
        yield Interpretation(
            lambda value: any(
                label._covers_by_reading(value) or (not is_missing(value) and str(value) in whole)
                for label, whole in ways
            ),
            bool(ways) and all(label.understood or whole for label, whole in ways),
        )

    def _elements(self, elements: list[object]) -> Iterator[Interpretation]:
        # A list of one is its element, however that is written: ["a,b"] is a or b.
        nested = self.nested or len(elements) > 1
        labels = [Label(element, self.vocabulary, nested) for element in elements]
        yield Interpretation(
            lambda value: any(label._covers_by_reading(value) for label in labels),
            bool(labels) and all(label.understood for label in labels),
        )
        ends = [point(element) for element in elements]
        if len(ends) == 2 and not isinstance(self.published, (str, set, frozenset)):
            yield Interpretation(_between(ends[0], ends[1]), self.vocabulary.reaches(*ends))


def own_covering(label: str, *, hierarchy: Mapping[str, str] | None = None) -> Covering | None:
    r"""Return what a label of kproof's covers, by its grammar and nothing else.

    A label is an element, ``?`` for a missing value, or ``{element, element, ?}`` where a
    backslash takes the special meaning from the character after it and ``\e`` is the empty text.
    An element is a node of the hierarchy if there is one; else the value as text, or for numbers
    an equal number or a range ``[25-26]``, and for dates and times a stretch of the calendar or
    the clock, which kproof draws above them. ``*`` alone is the root above any column. A label
    that opens a brace and is not a set covers nothing: None.

    >>> covering = own_covering("{a\\, b, c, ?}")
    >>> [covering(value) for value in ("a, b", "c", "b", None)]
    [True, True, False, True]
    """
    parsed = _own_elements(label)
    if parsed is None:
        return None
    elements, gap = parsed

    def covers(value: object) -> bool:
        # With a hierarchy an element is the name of a node, even one that reads as a range or a
        # star.
        if hierarchy:
            above = _above(value, hierarchy)
            return any(element in above for element in elements) or (gap and is_missing(value))
        if elements == ["*"]:
            return True
        if is_missing(value):
            return gap
        place = point(value)
        if place is not None and place[0] in ("date", "time"):
            return any(_in_time(element, value) for element in elements)
        # A text is covered by itself alone: 007 and 7 are two values of a column of texts.
        if isinstance(value, (str, bool)) or place is None:
            return str(value) in elements
        return any(
            point(element) == place or any(covering(value) for covering in _own_range(element))
            for element in elements
        )

    return covers


def _in_time(element: str, value: object) -> bool:
    place = point(value)
    if place is None or element == "*" or point(element) == place:
        return True
    if place[0] == "time":
        return any(covering(value) for covering in _own_range(element))
    covering = stretch(element)
    return covering is not None and covering(value)


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
    if element.startswith("[") and element.endswith(("]", ")")):
        for low, high in _ends(element[1:-1], ("-",)):
            yield _between(low, high, high_counts=element.endswith("]"))


def _ranges(text: str, column: ColumnVocabulary) -> Iterator[Interpretation]:
    compared, around = _COMPARED.fullmatch(text), _AROUND.fullmatch(text)
    plain = _GROUPED.sub(lambda match: match[0].replace(",", ""), text)
    if plain != text:
        # Read once more without the commas, beside the reading with them: 1,000 may be two numbers.
        yield from _ranges(plain, column)
        if point(plain) is not None:
            yield Interpretation(lambda value: same(plain, value), column.has(plain))
    if compared:
        end, counts = point(compared[2]), compared[1] in (">=", "<=", "≥", "≤")
        if end is not None and compared[1][0] in ">≥":
            yield Interpretation(_between(end, None, low_counts=counts), column.reaches(end))
        elif end is not None:
            yield Interpretation(_between(None, end, high_counts=counts), column.reaches(end))
    elif around:
        middle, off = Fraction(around[1]), Fraction(around[2])
        covering = _between(("number", middle - off), ("number", middle + off))
        yield Interpretation(covering, column.reaches(("number", middle)))
    elif text.endswith("+") and point(text[:-1]) is not None:
        end = point(text[:-1])
        yield Interpretation(_between(end, None), column.reaches(end))
    elif text[:1] in ("[", "(") and text[-1:] in ("]", ")"):
        counts, up_to = text[0] == "[", text[-1] == "]"
        for low, high in _ends(text[1:-1], _BETWEEN_IN_BRACKETS):
            covering = _between(low, high, low_counts=counts, high_counts=up_to)
            yield Interpretation(covering, column.reaches(low, high))
    else:
        for low, high in _ends(text, _BETWEEN):
            yield Interpretation(_between(low, high), column.reaches(low, high))


def _ends(
    body: str, separators: tuple[str, ...]
) -> Iterator[tuple[tuple[str, Any] | None, tuple[str, Any] | None]]:
    """Yield the ends of a range for each place where a text can be cut into two."""
    for separator in separators:
        # Every place is tried, since a dash may be a sign: of -5--3 only the second one divides.
        # Neither end is empty.
        for start in range(1, len(body) - len(separator)):
            if not body.startswith(separator, start):
                continue
            low, high = body[:start].strip(), body[start + len(separator) :].strip()
            below, above = low in _LEAST, high in _MOST
            first, last = point(low), point(high)
            if (below or first) and (above or last) and _in_order(first, last):
                yield first, last


def _in_order(first: tuple[str, Any] | None, last: tuple[str, Any] | None) -> bool:
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

    def covers(value: object) -> bool:
        # Infinities are no fractions and so on no line: a range has them where it has no end.
        if str(value) in _MOST or str(value) in _LEAST:
            return (high if str(value) in _MOST else low) is None
        place = point(value)
        if place is None or any(end is not None and end[0] != place[0] for end in (low, high)):
            return False
        spot = place[1]
        above = low is None or low[1] < spot or (low_counts and low[1] == spot)
        return above and (high is None or spot < high[1] or (high_counts and high[1] == spot))

    return covers


def _any_value(_: object) -> bool:
    return True


def _mask_pattern(text: str) -> Covering:
    exact = re.escape(text).replace(r"\*", ".")
    patterns = [exact]
    if text.count("*") == 1:
        patterns.append(".*".join(map(re.escape, text.split("*"))))
    compiled = [re.compile(pattern, re.DOTALL) for pattern in patterns]
    return lambda value: not is_missing(value) and any(rx.fullmatch(str(value)) for rx in compiled)


def _stands_in(label: str) -> Covering:
    """Return the values that stand in a label as they are, if a separator would cut them."""

    def covers(value: object) -> bool:
        if not isinstance(value, str) or not _CUT.search(value):
            return False
        start = label.find(value)
        while start >= 0:
            around = label[max(start - 1, 0) : start], label[start + len(value) :][:1]
            if all(not sign or _CUT.match(sign) for sign in around):
                return True
            start = label.find(value, start + 1)
        return False

    return covers


def _literal(text: str) -> list[object] | None:
    """Return the members of a list, a tuple or a set that Python printed; None if it is none."""
    try:
        with warnings.catch_warnings():
            # A backslash that escapes nothing is no fault of whoever wrote the label.
            warnings.simplefilter("ignore")
            members = ast.literal_eval(text)
    # Brackets that are nested too deep end in the last two; a label is anybody's text.
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return list(members) if isinstance(members, (list, tuple, set)) else None


def _above(value: object, hierarchy: Mapping[str, str]) -> set[str]:
    """Return a value and the nodes above it; above a missing one, the roots."""
    roots = {node for node, parent in hierarchy.items() if node == parent}
    roots |= {parent for parent in hierarchy.values() if parent not in hierarchy}
    if is_missing(value):
        return roots
    node = value.isoformat() if isinstance(value, date) else str(value)
    if node not in hierarchy and node not in roots:
        return set()
    nodes = {node}
    # It ends in a circle, too, which a hierarchy that somebody wrote may have.
    while (parent := hierarchy.get(node, node)) not in nodes:
        nodes.add(parent)
        node = parent
    return nodes
