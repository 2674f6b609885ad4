"""A law in a small JSON file: independent records, a chain, groups, a field, what is known.

The form is ``law-schema.json`` beside this module. Reading is strict: a key that means nothing, a
row of probabilities that does not sum to exactly 1 and a graph whose nodes are not the records are
refused in one line. A file holds numbers and nothing else; no other file is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kproof.errors import InvalidArgument
from kproof.theory.exact.documents import (
    TypedNumber,
    list_of,
    object_of,
    read_document,
    require_keys,
)
from kproof.theory.exact.typed import integer
from kproof.theory.laws.base import RecordsLaw
from kproof.theory.laws.blocks import Block, IndependentBlocks
from kproof.theory.laws.conditional_table import ConditionalTable
from kproof.theory.laws.data import empirical
from kproof.theory.laws.fields import MarkovField
from kproof.theory.laws.finite import FiniteLattice
from kproof.theory.laws.markov import MarkovChain
from kproof.theory.laws.records import MOST_EDGES
from kproof.theory.laws.sums import iid
from kproof.theory.laws.windows import within_budget

if TYPE_CHECKING:
    import networkx as nx

SCHEMA = 1
"""Version of the file."""
HOME = Path(__file__).with_name("law-schema.json")
"""The JSON schema of the file."""
MOST_NODES = 1 << 18
"""Most records of a field that is read; the graph of so many takes a tenth of a gigabyte."""
T = TypeVar("T")


def read_law(path: str | Path) -> RecordsLaw | MarkovField:
    """Read the law of some records from a JSON file.

    ``path``: the file. Its ``kind`` is ``iid``, ``column``, ``chain``, ``groups``, ``field`` or
    ``conditional``; the page *Describe a law* shows one of each. Raises DataError if it cannot be
    read, is no JSON, or does not describe a law; names the file and the place.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "coins.json"
    ...     _ = path.write_text('{"kind": "iid", "n": 100, "law": {"0": "1/2", "1": "1/2"}}')
    ...     read_law(path)
    IndependentSum(100 x FiniteLattice(2 values from 0 to 1))
    """
    return read_document(path, _law, of="a law")


def read_field(path: str | Path) -> MarkovField | nx.Graph:
    """Read a Markov random field from a JSON file of the kind ``field``, with tables or without.

    Returns the graph if the file has no tables: what its edges say is then the caller's claim.
    Raises DataError as :func:`read_law`, and if the file is of another kind.
    """
    return read_document(path, _field_or_graph, of="a law")


def _law(document: object, *, conditional: bool = True) -> RecordsLaw | MarkovField:
    """Return the law that an object describes."""
    kinds = [kind for kind in _KINDS if conditional or kind != "conditional"]
    members = object_of("law", document)
    kind = members.get("kind")
    # A number of the document is a text too, of a class of its own.
    if not isinstance(kind, str) or isinstance(kind, TypedNumber) or kind not in kinds:
        *former, last = kinds
        raise InvalidArgument("kind", kind, f"{', '.join(former)} or {last}")
    read, required, optional = _KINDS[kind]
    _require(f"law of kind {kind}", members, {"kind", *required}, {*optional, *_ABOUT})
    version = members.get("schema", TypedNumber(SCHEMA))
    if version != str(SCHEMA):
        raise InvalidArgument("schema", version, str(SCHEMA))
    return read(members)


def _column(members: Mapping[str, Any]) -> RecordsLaw:
    values = list_of("values", members["values"])
    record = empirical(values, name="values")
    return iid(record, _count("n", members["n"]) if "n" in members else len(values))


def _chain(members: Mapping[str, Any]) -> RecordsLaw:
    rows = list_of("transition", members["transition"])
    transition = [list_of(f"transition[{i}]", row) for i, row in enumerate(rows)]
    initial, values = (list_of(name, members[name]) for name in ("initial", "values"))
    return MarkovChain(initial, transition, values, _count("n", members["n"]))


def _groups(members: Mapping[str, Any]) -> RecordsLaw:
    blocks, counts = [], []
    for i, group in enumerate(list_of("groups", members["groups"])):
        name = f"groups[{i}]"
        content = _require(name, object_of(name, group), {"joint"}, {"count"})
        blocks.append(_joint(f"{name}.joint", content["joint"]))
        counts.append(_count(f"{name}.count", content.get("count", TypedNumber(1))))
    if not blocks:
        raise InvalidArgument("groups", "[]", "at least one group")
    return IndependentBlocks(blocks, counts=counts)


def _joint(name: str, outcomes: object) -> Block:
    """Return the joint law of a group from the list of its outcomes."""
    masses: dict[tuple[str, ...], str] = {}
    for i, outcome in enumerate(list_of(name, outcomes)):
        place = f"{name}[{i}]"
        content = _require(place, object_of(place, outcome), {"values", "probability"})
        values = tuple(map(str, list_of(f"{place}.values", content["values"])))
        if values in masses:
            raise InvalidArgument(place, ", ".join(values), "each outcome once")
        masses[values] = content["probability"]
    return _with(name, lambda: Block(masses))


def _field_or_graph(document: object) -> MarkovField | nx.Graph:
    """Return the field of a document, or its graph if it has no tables."""
    members = object_of("law", document)
    if members.get("kind") == "field" and "tables" not in members:
        _require("graph of kind field", members, {"kind", "n", "edges"}, _ABOUT)
        return _graph(members)
    law = _law(members)
    if not isinstance(law, MarkovField):
        raise InvalidArgument("kind", members["kind"], "field, a graph with or without tables")
    return law


def _field(members: Mapping[str, Any]) -> MarkovField:
    graph = _graph(members)
    tables: dict[int, ConditionalTable] = {}
    for i, entry in enumerate(list_of("tables", members["tables"])):
        name = f"tables[{i}]"
        content = _require(name, object_of(name, entry), {"records", "rows"})
        rows: dict[tuple[str, ...], FiniteLattice] = {}
        for place, row in enumerate(list_of(f"{name}.rows", content["rows"])):
            row_name = f"{name}.rows[{place}]"
            line = _require(row_name, object_of(row_name, row), {"given", "law"})
            condition = tuple(map(str, list_of(f"{row_name}.given", line["given"])))
            # By their texts here: that "1" and "1.0" are one value the table sees.
            if condition in rows:
                raise InvalidArgument(f"{row_name}.given", ", ".join(condition), "each row once")
            rows[condition] = _record(f"{row_name}.law", line["law"])
        table = _with(name, partial(ConditionalTable, rows))
        for index in list_of(f"{name}.records", content["records"]):
            record = _index(f"{name}.records", index, graph.number_of_nodes())
            if record in tables:
                raise InvalidArgument(f"{name}.records", record, "one table for each record")
            tables[record] = table
    return MarkovField(graph, tables)


def _graph(members: Mapping[str, Any]) -> nx.Graph:
    import networkx as nx

    n = _count("n", members["n"])
    # Before there is a graph: a file of a few bytes can ask for any n.
    within_budget(n, "field", budget=MOST_NODES, unit="records")
    edges = list_of("edges", members["edges"])
    within_budget(len(edges), "field", budget=MOST_EDGES, unit="edges")
    graph = nx.empty_graph(n)
    for i, edge in enumerate(edges):
        name = f"edges[{i}]"
        ends = [_index(name, end, n) for end in list_of(name, edge)]
        if len(ends) != 2 or ends[0] == ends[1]:
            raise InvalidArgument(name, ", ".join(map(str, ends)), "two different records")
        if graph.has_edge(*ends):
            raise InvalidArgument(name, ", ".join(map(str, ends)), "each edge once")
        graph.add_edge(*ends)
    return graph


def _conditional(members: Mapping[str, Any]) -> RecordsLaw | MarkovField:
    law = _law(members["law"], conditional=False)
    values = {}
    for name, value in object_of("known", members["known"]).items():
        # `isdigit` admits ², and `int` raises at it as it does at 5,000 digits.
        if not name.isascii() or not name.isdigit() or len(name) > 18:
            raise InvalidArgument("known index", name, "an index from 0, in digits")
        if int(name) in values:
            raise InvalidArgument("known index", name, "each record once")
        values[int(name)] = value
    return law.given(values)


_ABOUT = frozenset({"schema", "$schema", "about"})
_KINDS: Mapping[
    str, tuple[Callable[[Mapping[str, Any]], RecordsLaw | MarkovField], Set[str], Set[str]]
] = {
    "iid": (
        lambda members: iid(_record("law", members["law"]), _count("n", members["n"])),
        {"n", "law"},
        set(),
    ),
    "column": (_column, {"values"}, {"n"}),
    "chain": (_chain, {"initial", "transition", "values", "n"}, set()),
    "groups": (_groups, {"groups"}, set()),
    "field": (_field, {"n", "edges", "tables"}, set()),
    "conditional": (_conditional, {"law", "known"}, set()),
}


def _record(name: str, law: object) -> FiniteLattice:
    """Return the law of one record from an object of values and probabilities."""
    masses = object_of(name, law)
    return _with(name, lambda: FiniteLattice(masses))


def _with(name: str, make: Callable[[], T]) -> T:
    """Make something; a message about it begins with its place in the document."""
    try:
        return make()
    except InvalidArgument as error:
        raise InvalidArgument(f"{name}: {error.name}", error.value, error.admissible) from None


def _require(
    name: str, members: Mapping[str, Any], required: Set[str], optional: Set[str] = frozenset()
) -> Mapping[str, Any]:
    return require_keys(name, members, required, optional, silent=_ABOUT)


def _count(name: str, value: object) -> int:
    if not isinstance(value, TypedNumber):
        raise InvalidArgument(name, value, "a whole number")
    # A text of digits is refused above; `integer` would take it for a number.
    return integer(name, value, least=1)


def _index(name: str, value: object, n: int) -> int:
    # Graphs are long: what is plainly an index is not read as a rational first.
    plain = (
        isinstance(value, TypedNumber) and len(value) < 18 and value.isascii() and value.isdigit()
    )
    if not plain or int(str(value)) >= n:
        raise InvalidArgument(name, value, f"indexes of the records, 0 to {n - 1}")
    return int(str(value))
