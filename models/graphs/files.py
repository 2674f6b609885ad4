"""Social graphs from files: lists of friendships, GraphML, and what is known of each user.

Names that are all whole numbers are numbers, and users are sorted by name, so that the order of
lines does not matter. Which attributes to take is said by the caller: a column of full names
must not become an attribute by being there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kproof.datasets import MISSING_CELLS, Header, read_text_table
from kproof.errors import DataError, InvalidArgument, show
from kproof.models.base.adjacency import adjacency
from kproof.models.base.xml_stream import parse
from kproof.models.graphs.social import SocialGraph
from kproof.models.tables.encoding import is_number

if TYPE_CHECKING:
    from kproof.models.base.taxonomy import Taxonomy

# Without leading zeros: 007 and 7 may be two users.
_WHOLE = re.compile(r"0|-?[1-9]\d{0,30}")
_COMMENTS = ("#", "%")
_ENDS = frozenset(
    (
        *("from", "to", "source", "target", "user", "friend", "user_id", "friend_id"),
        *("user1", "user2", "node1", "node2", "id1", "id2", "fromnodeid", "tonodeid"),
    )
)
"""What the columns of a list of friendships may be called, in small letters."""


def read_graph(
    path: str | Path,
    *,
    header: Header | str = Header.DETECT,
    users: str | Path | None = None,
    attributes: Iterable[str] = (),
    codes: Iterable[str] = (),
    taxonomies: Mapping[str, Taxonomy] | None = None,
) -> SocialGraph:
    """Read a social graph from a file: GraphML if its name ends so, else a list of friendships.

    Args:
        path: Two users in each line, separated by tab, comma, semicolon or spaces; lines that begin
            with # or % are comments. Or one graph in GraphML. Directions are dropped: there and
            back is one friendship, counted as merged.
        header: Whether the first line that is no comment names the columns. It is taken to if it
            holds words and all other names are numbers, or if both words are usual names of such
            columns.
        users: A CSV file with a header and a user in each row, named in its first column: all
            users, also those without friends. GraphML has its own.
        attributes: Columns of that file, or attributes of GraphML's nodes, to take. A column of
            numbers is numeric; ``?`` and an empty cell are missing.
        codes: Those of them whose numbers are codes, that is categories.
        taxonomies: By attribute, a hierarchy above its values.
    """
    columns, plain = tuple(attributes), frozenset(codes)
    for name in plain:
        if name not in columns:
            raise InvalidArgument("codes", name, "names of attributes")
    if str(path).lower().endswith(".graphml"):
        if users is not None:
            raise InvalidArgument("users", users, "no file beside GraphML, which has its nodes")
        graph = _from_graphml(path, columns, plain, taxonomies)
    else:
        if columns and users is None:
            raise InvalidArgument("users", None, f"the file with {', '.join(columns)}")
        graph = _from_list(path, Header(header), users, columns, plain, taxonomies)
    if not graph.friends.count:
        raise DataError(f"{path}: no friendships between two users")
    return graph


def _from_list(
    path: str | Path,
    header: Header,
    users: str | Path | None,
    attributes: Sequence[str],
    codes: frozenset[str],
    taxonomies: Mapping[str, Taxonomy] | None,
) -> SocialGraph:
    # Each name once, and two numbers a line: a list may have millions of friendships.
    numbers: dict[str, int] = {}
    cells = (cell for pair in _pairs(path, header) for cell in pair)
    ends = np.fromiter((numbers.setdefault(cell, len(numbers)) for cell in cells), dtype=np.int64)
    columns: dict[str, list[object]] = {}
    if users is None:
        everybody = list(numbers)
    else:
        everybody, columns = _users(users, attributes, codes)
        users_named = frozenset(everybody)
        stranger = next((name for name in numbers if name not in users_named), None)
        if stranger is not None:
            raise DataError(f"{path}: {show(stranger)} is not among the users of {users}")
    names = _names(everybody)
    order = _order(names)
    place = {everybody[index]: position for position, index in enumerate(order)}
    position_of = np.array([place[cell] for cell in numbers], dtype=np.int64)
    ordered = {name: [values[index] for index in order] for name, values in columns.items()}
    sorted_names = [names[index] for index in order]
    graph = SocialGraph.from_edges(
        (), users=sorted_names, attributes=ordered, taxonomies=taxonomies
    )
    return replace(graph, friends=adjacency(graph.users, position_of[ends].reshape(-1, 2)))


def _pairs(path: str | Path, header: Header) -> Iterator[tuple[str, str]]:
    """Yield the two names of each line that is no comment and not the header."""
    rows = _rows(path)
    if (head := list(islice(rows, 2))) and header is not Header.NO:
        words = [cell.lower() for cell in head[0]]
        is_named = len(_ENDS.intersection(words)) == 2
        differs = len(head) > 1 and all(map(_WHOLE.fullmatch, head[1]))
        if header is Header.YES or is_named or (differs and not any(map(is_number, words))):
            head = head[1:]
    yield from head
    yield from rows


def _rows(path: str | Path) -> Iterator[tuple[str, str]]:
    split: Callable[[str], list[str]] | None = None
    try:
        with open(path, encoding="utf-8-sig", newline=None) as file:
            for number, line in enumerate(file, 1):
                if not (text := line.strip()) or text.startswith(_COMMENTS):
                    continue
                if split is None:
                    split = _splitter(text)
                cells = split(text)
                place = f"{path}, line {number}"
                if len(cells) != 2 or not all(cells):
                    raise DataError(f"{place}: {show(text)} is not two users; need two")
                if "\0" in text:
                    raise DataError(f"{place}: a NUL byte; save it as UTF-8 text")
                yield cells[0], cells[1]
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: not UTF-8 text") from None
    # Before its base: a DataError is a ValueError, and says what is wrong already.
    except DataError:
        raise
    except ValueError as error:  # a NUL in the name
        raise DataError(f"{show(str(path))}: cannot be read: {error}") from None


def _splitter(line: str) -> Callable[[str], list[str]]:
    """Return what cuts a line into cells, by the separator that is in the first one."""
    # Spaces last: where lines have another separator, they belong to names.
    for separator in "\t,;":
        if separator in line:
            return lambda text: [cell.strip().strip('"').strip() for cell in text.split(separator)]
    return str.split


def _users(
    path: str | Path, attributes: Sequence[str], codes: frozenset[str]
) -> tuple[list[str], dict[str, list[object]]]:
    """Return the users of a file and the values of some columns."""
    table = read_text_table(path, header=Header.YES)
    for name in attributes:
        if table.names[1:].count(name) != 1:
            names = ", ".join(table.names[1:]) or "none"
            columns_of = f"no one column {show(name)} after the first; there are {names}"
            raise DataError(f"{path}: {columns_of}")
    users = [cell.strip() for cell in table.cells[0]]
    if "" in users:
        raise DataError(f"{path}, line {table.lines[users.index('')]}: a user without a name")
    twice = next((name for name, times in Counter(users).items() if times > 1), None)
    if twice is not None:
        raise DataError(f"{path}: user {show(twice)} occurs twice; need different names")
    columns = {}
    for name in attributes:
        # Behind the first column, which is users whatever it is called.
        cells = table.cells[table.names.index(name, 1)]
        columns[name] = _values([cell.strip() for cell in cells], name in codes)
    return users, columns


def _values(cells: Sequence[str], is_code: bool) -> list[object]:
    values = [None if cell in MISSING_CELLS else cell for cell in cells]
    if is_code or not all(is_number(cell) for cell in values if cell is not None):
        return list(values)
    return [None if cell is None else _number(cell) for cell in values]


def _number(cell: str) -> int | Decimal:
    return int(cell) if _WHOLE.fullmatch(cell) else Decimal(cell)


@dataclass
class _Outline:
    """Takes how many graphs a GraphML file has, and refuses what is no graph of two-user ties."""

    graphs: int = 0
    names: set[str] = field(default_factory=set)
    ends: dict[str, None] = field(default_factory=dict)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "graph":
            self.graphs += 1
            if self.graphs > 1:
                raise DataError("a second graph; need one")
        elif tag == "hyperedge":
            raise DataError("a hyperedge; need edges between two nodes")
        elif tag == "node":
            if not (name := attributes.get("id", "").strip()):
                raise DataError("a node without an id")
            if name in self.names:
                raise DataError(f"user {show(name)} occurs twice; need different names")
            self.names.add(name)
        elif tag == "edge":
            for end in ("source", "target"):
                if end not in attributes:
                    raise DataError(f"an edge without a {end}")
                self.ends[attributes[end].strip()] = None

    def end(self, tag: str, text: str) -> None:
        """Take the end of an element; its text does not matter here."""


def _from_graphml(
    path: str | Path,
    attributes: Sequence[str],
    codes: frozenset[str],
    taxonomies: Mapping[str, Taxonomy] | None,
) -> SocialGraph:
    import networkx as nx

    # What networkx would follow without asking, entities above all, is refused before it sees it.
    outline = _Outline()
    parse(path, outline, root="graphml")
    if not outline.graphs:
        raise DataError(f"{path}: has no graph")
    # Of a name that is in an edge alone, networkx would make a user.
    stranger = next((name for name in outline.ends if name not in outline.names), None)
    if stranger is not None:
        raise DataError(f"{path}: {show(stranger)} is in an edge and is no node")
    try:
        graph: Any = nx.read_graphml(path)
    except (nx.NetworkXError, LookupError, ValueError, TypeError, SyntaxError) as error:
        problem = " ".join(str(error).split())
        raise DataError(f"{path}: not GraphML: {show(problem)}") from None
    for name in attributes:
        if not any(name in data for data in graph.nodes.values()):
            raise DataError(f"{path}: no node has an attribute {show(name)}")
    texts = list(graph.nodes)
    names = _names(texts)
    name_of = dict(zip(texts, names, strict=True))
    order = _order(names)
    return SocialGraph.from_edges(
        ((name_of[user], name_of[friend]) for user, friend in graph.edges()),
        users=[names[index] for index in order],
        attributes={
            name: [_value_of(graph.nodes[texts[index]].get(name), name in codes) for index in order]
            for name in attributes
        },
        taxonomies=taxonomies,
    )


def _value_of(value: object, is_code: bool) -> object:
    if value is None or (isinstance(value, str) and value.strip() in MISSING_CELLS):
        return None
    return str(value) if is_code else value


def _names(texts: Sequence[str]) -> list[object]:
    """Return names as numbers if they all are whole ones."""
    if all(map(_WHOLE.fullmatch, texts)):
        return [int(text) for text in texts]
    return list(texts)


def _order(names: Sequence[Any]) -> list[int]:
    return sorted(range(len(names)), key=names.__getitem__)
