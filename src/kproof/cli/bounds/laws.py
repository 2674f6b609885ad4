"""Options that say how records depend on one another: a law in a file, a field, groups.

A Markov random field and a dependency graph are different claims about the same picture, and the
option's name is the choice: ``--field`` or ``--dependency``. Neither file is read as the other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Group, Parameter

from kproof.cli.base.common import OptionGroup, option_group
from kproof.cli.bounds.inputs import BackgroundOptions, is_index, words_of_lines
from kproof.errors import DataError, InvalidArgument, TooLarge, show

if TYPE_CHECKING:
    import networkx as nx

    from kproof.theory.exact.typed import Number
    from kproof.theory.laws.base import RecordsLaw
    from kproof.theory.laws.fields import MarkovField
    from kproof.theory.theorems.registry import RegisteredTheorem

LAW: TypeAlias = Annotated[
    str | None,
    Parameter(help="A JSON file with the law of the records, such as a chain or groups."),
]
"""The option ``--law FILE.json``."""

_TIES = Group("What ties the records together", sort_key=4)


@option_group(_TIES)
class TieOptions(OptionGroup):
    """Which records may be counted as if they were independent; at most one of the three."""

    law: LAW = None
    field: str | None = None
    """A GraphML or JSON file with the graph of a Markov random field: given its neighbours in it, a
    record is independent of all others. A dependency graph is none; give its components as
    --groups."""
    groups: str | None = None
    """A file with the indexes, from 0, of one group of records in each line: the groups are
    independent of one another. A record in no line is a group by itself."""

    def is_tied(self) -> bool:
        """Say whether one of the options was typed."""
        typed = [name for name in ("law", "field", "groups") if getattr(self, name) is not None]
        if len(typed) > 1:
            raise InvalidArgument(typed[0], f"with --{typed[1]}", "only one of these")
        return bool(typed)

    def records(
        self,
        *,
        block: Number | None,
        shift: Number = 1,
        mass: Any = None,
        n: Number | None = None,
        known: Collection[int] = (),
    ) -> dict[str, Any]:
        """Return the records as a block bound takes them; one of the options must have been typed.

        ``block``, ``shift`` and ``known`` are as in
        :func:`~kproof.theory.laws.typed_mass.masses_on_field`. ``mass``, the least block mass of a
        record given its neighbours or the rest of its group, is needed where no law says it and
        refused where one does; ``n``, needed with groups, is checked elsewhere.
        """
        from kproof.theory.laws.fields import MarkovField
        from kproof.theory.laws.files import read_law
        from kproof.theory.laws.typed_mass import masses_in_groups, masses_on_field

        self.is_tied()
        typed: dict[str, Any] = {"mass": mass, "block": block, "shift": shift, "known": known}
        if self.groups is not None:
            groups = read_groups(self.groups)
            _require(n=n, beta=mass, block=block, condition="group")
            masses = masses_in_groups(groups, **(typed | {"n": n}))
            return {"masses": masses, "n": n}
        law: Any = read_field_file(str(self.field)) if self.law is None else read_law(self.law)
        if isinstance(law, MarkovField) or self.law is not None:
            if mass is not None:
                raise InvalidArgument("beta", mass, "none: the laws in the file say it")
            _require_records(n, len(law.records) + len(law.known))
            return {"law": law}
        records = law.number_of_nodes()
        _require_records(n, records)
        _require(n=records, beta=mass, block=block, condition="neighbours")
        return {"masses": masses_on_field(law, **typed), "n": records}


def law_of_sum(path: str) -> RecordsLaw:
    """Return the law of the sum that ``--law`` names; that of a field is listed."""
    from kproof.theory.laws.fields import MarkovField
    from kproof.theory.laws.files import read_law

    law = read_law(path)
    return law.law() if isinstance(law, MarkovField) else law


def of_law(
    path: str, background: BackgroundOptions, theorem: RegisteredTheorem, *, n: str | None
) -> dict[str, Any]:
    """Return the moments and the adversary of a theorem on sums that a law in a file gives.

    What the records depend on and which of them are known, the law says; where an option says it
    too, the option counts, and the law decides whether it holds.
    """
    from kproof.theory.theorems.moments import Moments

    law = law_of_sum(path)
    total = len(law.records) + len(law.known)
    _require_records(n, total)
    adversary = background.adversary(shift=background.shift or 1, n=total)
    if theorem.dependent and not adversary.knows_dependence:
        adversary = replace(adversary, neighbourhood=law.neighbourhood)
    if law.known and not adversary.knows_records:
        adversary = replace(adversary, known=law.known)
    return {"moments": Moments.from_law(law), "adversary": adversary}


def read_field_file(path: str) -> MarkovField | nx.Graph:
    """Return the field that ``--field`` names, or its graph if the file has no tables."""
    from kproof.theory.laws.files import read_field

    if path.lower().endswith(".json"):
        return read_field(path)
    if path.lower().endswith(".graphml"):
        return _from_graphml(path)
    raise DataError(
        f"{show(path)}: need a .graphml or .json file with the graph of a Markov field; the "
        "edges of a dependency graph, which --dependency reads, say another thing"
    )


def read_groups(path: str) -> list[list[int]]:
    """Return the groups of a file, one in each line."""
    groups = []
    for where, words in words_of_lines(path):
        for word in words:
            if not is_index(word):
                raise DataError(f"{where}: {show(word)}, need indexes of records from 0")
        groups.append([int(word) for word in words])
    return groups


class _Picture:
    """Takes nodes and edges of a GraphML document whose nodes are records."""

    def __init__(self) -> None:
        self.graphs = 0
        self.nodes: dict[int, None] = {}
        self.edges: list[tuple[int, int]] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        from kproof.theory.laws.records import MOST_EDGES

        if tag == "graph":
            self.graphs += 1
            if self.graphs > 1:
                raise DataError("a second graph; need one")
            if attributes.get("edgedefault") == "directed":
                raise DataError("a directed graph; need an undirected one (edgedefault)")
        elif tag in ("hyperedge", "port"):
            raise DataError(f"a {tag}; need edges between two nodes")
        elif tag == "node":
            node = _record(attributes, "id")
            if node in self.nodes:
                raise DataError(f"record {node} occurs twice; need it once")
            self.nodes[node] = None
        elif tag == "edge":
            if attributes.get("directed") == "true":
                raise DataError("a directed edge; need an undirected one")
            self.edges.append((_record(attributes, "source"), _record(attributes, "target")))
            if len(self.edges) > MOST_EDGES:
                raise TooLarge(f"a graph of more than {MOST_EDGES} edges")

    def end(self, tag: str, text: str) -> None:
        """Take the end of an element; its text does not matter here."""


def _from_graphml(path: str) -> nx.Graph:
    import networkx as nx

    from kproof.models.base.xml_stream import parse
    from kproof.theory.laws.fields import neighbourhoods

    picture = _Picture()
    parse(path, picture, root="graphml")
    graph = nx.Graph()
    graph.add_nodes_from(picture.nodes)
    # Once all is read: an edge may stand before its nodes.
    for start, stop in picture.edges:
        for end in (start, stop):
            if end not in picture.nodes:
                raise DataError(f"{show(path)}: {end} is in an edge and is no node")
        graph.add_edge(start, stop)
    try:
        neighbourhoods(graph)
    except InvalidArgument as error:
        raise DataError(f"{show(path)}: {error}") from None
    return graph


def _record(attributes: Mapping[str, str], name: str) -> int:
    """Return the record that an attribute names: an index, perhaps after the n of networkx."""
    text = attributes.get(name, "").strip()
    digits = text.removeprefix("n")
    if not is_index(digits):
        raise DataError(f"{name} {show(text)}; need the index of a record, such as 0 or n0")
    return int(digits)


def _require(*, condition: str, **options: Number | None) -> None:
    needs = {
        "n": "the number of records with --groups",
        "beta": f"the least block mass of a record given its {condition}",
        "block": "the points of a block",
    }
    for name, admissible in needs.items():
        if options[name] is None:
            raise InvalidArgument(name, None, admissible)


def _require_records(n: Number | None, there: int) -> None:
    from kproof.theory.exact.typed import integer

    if n is not None and integer("n", n, least=1) != there:
        raise InvalidArgument("n", n, f"{there}, the records of the file, or no n")
