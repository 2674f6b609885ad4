"""A law in a small JSON file: independent records, a chain, groups, a field, what is known.

The form is ``law-schema.json`` beside this module. Reading is strict: a key that means nothing, a
row of probabilities that does not sum to exactly 1 and a graph whose nodes are not the records are
refused in one line. A file holds numbers and nothing else; no other file is opened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kproof.errors import DataError, Infeasible, InvalidArgument, show
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
MOST_BYTES = 1 << 26
"""Largest file that is read."""
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
    return _read_document(path, _law)


def read_field(path: str | Path) -> MarkovField | nx.Graph:
    """Read a Markov random field from a JSON file of the kind ``field``, with tables or without.

    Returns the graph if the file has no tables: what its edges say is then the caller's claim.
    Raises DataError as :func:`read_law`, and if the file is of another kind.
    """
    return _read_document(path, _field_or_graph)


def _read_document(path: str | Path, read: Callable[[object], T]) -> T:
    """Return what a document says; every message begins with the file."""
    label = show(str(path), limit=200)
    try:
        with Path(path).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no name of a file"
        raise DataError(f"{label}: cannot be read: {reason}") from None
    if len(data) > MOST_BYTES:
        raise DataError(f"{label}: more than {MOST_BYTES >> 20} MiB, the largest file of a law")
    try:
        kinds = ("parse_int", "parse_float", "parse_constant")
        parse: dict[str, Any] = dict.fromkeys(kinds, _Typed)
        document = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_once, **parse)
        return read(document)
    except UnicodeDecodeError:
        raise DataError(f"{label}: not UTF-8 text") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise DataError(f"{label}: not JSON: {error}") from None
    except (InvalidArgument, Infeasible, DataError) as error:
        raise DataError(f"{label}: {error}") from None


class _Typed(str):
    """A number of the document, as the decimal that stands there."""

    __slots__ = ()


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, and refuse a key that stands there twice."""
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"the key {show(twice)} stands twice in one object; need it once")
    return members


def _law(document: object, *, conditional: bool = True) -> RecordsLaw | MarkovField:
    """Return the law that an object describes."""
    kinds = [kind for kind in _KINDS if conditional or kind != "conditional"]
    members = _object("law", document)
    kind = members.get("kind")
    if not isinstance(kind, str) or isinstance(kind, _Typed) or kind not in kinds:
        *former, last = kinds
        raise InvalidArgument("kind", kind, f"{', '.join(former)} or {last}")
    read, required, optional = _KINDS[kind]
    _require(f"law of kind {kind}", members, {"kind", *required}, {*optional, *_ABOUT})
    version = members.get("schema", _Typed(SCHEMA))
    if version != str(SCHEMA):
        raise InvalidArgument("schema", version, str(SCHEMA))
    return read(members)


def _iid(members: Mapping[str, Any]) -> RecordsLaw:
    return iid(_record("law", members["law"]), _count("n", members["n"]))


def _column(members: Mapping[str, Any]) -> RecordsLaw:
    values = _list("values", members["values"])
    record = empirical(values, name="values")
    return iid(record, _count("n", members["n"]) if "n" in members else len(values))


def _chain(members: Mapping[str, Any]) -> RecordsLaw:
    rows = _list("transition", members["transition"])
    transition = [_list(f"transition[{i}]", row) for i, row in enumerate(rows)]
    initial, values = (_list(name, members[name]) for name in ("initial", "values"))
    return MarkovChain(initial, transition, values, _count("n", members["n"]))


def _groups(members: Mapping[str, Any]) -> RecordsLaw:
    blocks, counts = [], []
    for i, group in enumerate(_list("groups", members["groups"])):
        name = f"groups[{i}]"
        content = _require(name, _object(name, group), {"joint"}, {"count"})
        blocks.append(_joint(f"{name}.joint", content["joint"]))
        counts.append(_count(f"{name}.count", content.get("count", _Typed(1))))
    if not blocks:
        raise InvalidArgument("groups", "[]", "at least one group")
    return IndependentBlocks(blocks, counts=counts)


def _joint(name: str, outcomes: object) -> Block:
    """Return the joint law of a group from the list of its outcomes."""
    masses: dict[tuple[str, ...], str] = {}
    for i, outcome in enumerate(_list(name, outcomes)):
        place = f"{name}[{i}]"
        content = _require(place, _object(place, outcome), {"values", "probability"})
        values = tuple(map(str, _list(f"{place}.values", content["values"])))
        if values in masses:
            raise InvalidArgument(place, ", ".join(values), "each outcome once")
        masses[values] = content["probability"]
    return _with(name, lambda: Block(masses))


def _field_or_graph(document: object) -> MarkovField | nx.Graph:
    """Return the field of a document, or its graph if it has no tables."""
    members = _object("law", document)
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
    for i, entry in enumerate(_list("tables", members["tables"])):
        name = f"tables[{i}]"
        content = _require(name, _object(name, entry), {"records", "rows"})
        rows: dict[tuple[str, ...], FiniteLattice] = {}
        for place, row in enumerate(_list(f"{name}.rows", content["rows"])):
            row_name = f"{name}.rows[{place}]"
            line = _require(row_name, _object(row_name, row), {"given", "law"})
            condition = tuple(map(str, _list(f"{row_name}.given", line["given"])))
            if condition in rows:
                raise InvalidArgument(f"{row_name}.given", ", ".join(condition), "each row once")
            rows[condition] = _record(f"{row_name}.law", line["law"])
        table = _with(name, partial(ConditionalTable, rows))
        for index in _list(f"{name}.records", content["records"]):
            record = _index(f"{name}.records", index, graph.number_of_nodes())
            if record in tables:
                raise InvalidArgument(f"{name}.records", record, "one table for each record")
            tables[record] = table
    return MarkovField(graph, tables)


def _graph(members: Mapping[str, Any]) -> nx.Graph:
    import networkx as nx

    n = _count("n", members["n"])
    within_budget(n, "field", budget=MOST_NODES, unit="records")
    edges = _list("edges", members["edges"])
    within_budget(len(edges), "field", budget=MOST_EDGES, unit="edges")
    graph = nx.empty_graph(n)
    for i, edge in enumerate(edges):
        name = f"edges[{i}]"
        ends = [_index(name, end, n) for end in _list(name, edge)]
        if len(ends) != 2 or ends[0] == ends[1]:
            raise InvalidArgument(name, ", ".join(map(str, ends)), "two different records")
        if graph.has_edge(*ends):
            raise InvalidArgument(name, ", ".join(map(str, ends)), "each edge once")
        graph.add_edge(*ends)
    return graph


def _conditional(members: Mapping[str, Any]) -> RecordsLaw | MarkovField:
    law = _law(members["law"], conditional=False)
    values = {}
    for name, value in _object("known", members["known"]).items():
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
    "iid": (_iid, {"n", "law"}, set()),
    "column": (_column, {"values"}, {"n"}),
    "chain": (_chain, {"initial", "transition", "values", "n"}, set()),
    "groups": (_groups, {"groups"}, set()),
    "field": (_field, {"n", "edges", "tables"}, set()),
    "conditional": (_conditional, {"law", "known"}, set()),
}


def _record(name: str, law: object) -> FiniteLattice:
    """Return the law of one record from an object of values and probabilities."""
    masses = _object(name, law)
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
    """Return an object that has all keys it needs and no other."""
    for key in members:
        if key not in required | optional:
            admissible = ", ".join(sorted(required | optional - _ABOUT))
            raise DataError(f"{name}: unknown key {show(key)}; the keys are {admissible}")
    for key in sorted(required):
        if key not in members:
            raise DataError(f"{name}: no key {key}")
    return members


def _object(name: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InvalidArgument(name, value, "an object")
    return value


def _list(name: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidArgument(name, value, "a list")
    return value


def _count(name: str, value: object) -> int:
    if not isinstance(value, _Typed):
        raise InvalidArgument(name, value, "a whole number")
    return integer(name, value, least=1)


def _index(name: str, value: object, n: int) -> int:
    # Graphs are long: what is plainly an index is not read as a rational first.
    plain = isinstance(value, _Typed) and len(value) < 18 and value.isascii() and value.isdigit()
    if not plain or int(str(value)) >= n:
        raise InvalidArgument(name, value, f"indexes of the records, 0 to {n - 1}")
    return int(str(value))
