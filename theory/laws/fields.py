"""Markov random fields: each record depends on the others through its neighbours in a graph.

A field is written as an undirected graph and, for every record, a table of its law given the values
of its neighbours. What the tables say together is decided exactly wherever it can be: where every
conditional probability is positive, by the odds ratios along the edges, whatever the number of
records; elsewhere by listing all joint values of the records of a component, if they are few.

The graph is a conditional independence graph: *given its neighbours*, a record is independent of
all others. The dependency graph of Stein's method says another thing, *sets without an edge between
them are independent*, and neither graph can stand for the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from kproof.errors import Infeasible, InvalidArgument, TooLarge, show
from kproof.theory.exact.typed import Number
from kproof.theory.laws.blocks import Block, IndependentBlocks
from kproof.theory.laws.conditional_table import ConditionalTable, RowLaw, Rows, Values, as_text
from kproof.theory.laws.finite import FiniteLattice
from kproof.theory.laws.records import exact_known_values, improbable

if TYPE_CHECKING:
    import networkx as nx

MOST_OUTCOMES = 1 << 14
"""Most joint values of the records of one component that are listed one by one."""
CONSISTENT_TABLES = "consistent tables"
"""What is owed where the tables are too many to decide whether a joint law has them."""
_Odds: TypeAlias = dict[tuple[Values, Values], Values]


class MarkovField:
    """Records that are a Markov random field on a graph.

    Args:
        graph: An undirected ``networkx.Graph`` whose nodes are the records 0, ..., n - 1. It must
            be a *conditional independence* graph: given its neighbours, each record is independent
            of all others. A dependency graph, as Theorems 3 and 5 take it, is not one.
        tables: For each record a :class:`ConditionalTable`, or the mapping that makes one; records
            may share one object.

    Raises:
        InvalidArgument: If the nodes are not the records, or a table does not fit its neighbours.
        Infeasible: If no joint law has these conditional laws.

    Let every row of every table give every value a positive probability. Then a joint law with
    these conditional laws exists if and only if, for each edge {i, j}, the odds ratio of i and j
    is the same in both tables and depends on no neighbour that the two do not share; the law is
    then unique (Brook 1964, Besag 1974). Necessity: both are the odds ratio of the joint law.
    Sufficiency: the log odds of the tables say how a potential changes when one record does; on a
    product of complete graphs such changes come from a potential if they close around each square
    of two records (triangles lie within one record, where they close), and for two records without
    an edge the squares close by themselves.

    Where a probability is 0, joint values are listed, component by component. Two of them that
    differ in one record and share a row have the ratio of their probabilities fixed by this row.
    Joint values linked in this way have probability 0 together, or none of them has; they have
    none if a link leads to a value that some table excludes, or if two ways give two ratios.
    Each set that is left carries exactly one law.

    >>> import networkx as nx
    >>> follows = {(0,): {0: "2/3", 1: "1/3"}, (1,): {0: "1/3", 1: "2/3"}}
    >>> pair = MarkovField(nx.path_graph(2), {0: follows, 1: follows})
    >>> pair.law().given({0: 1}).members[0][0].marginal(0).atoms[1]
    (Fraction(1, 1), Fraction(2, 3))

    The tables of X2 = X0 xor X1, a fair coin given one other record each, are those of no field on
    the path 0 - 2 - 1, although that path is a dependency graph of the three:

    >>> fair, xor = {0: "1/2", 1: "1/2"}, {(a, b): {a ^ b: 1} for a in (0, 1) for b in (0, 1)}
    >>> coin = {(0,): fair, (1,): fair}
    >>> MarkovField(nx.Graph([(0, 2), (1, 2)]), {0: coin, 1: coin, 2: xor})
    Traceback (most recent call last):
        ...
    kproof.errors.Infeasible: tables of records '0, 1, 2': no joint law has them all
    """

    def __init__(self, graph: nx.Graph, tables: Mapping[int, ConditionalTable | Rows]) -> None:
        self._neighbours = neighbourhoods(graph)
        n = len(self._neighbours)
        if set(tables) != set(range(n)):
            odd = min(set(tables) ^ set(range(n)), key=repr)
            admissible = f"a table for each node of the graph, 0 to {n - 1}, and for no other"
            raise InvalidArgument("tables", f"record {odd}", admissible)
        self._tables = tuple(_table_of(record, tables[record]) for record in range(n))
        self._known: Mapping[int, Fraction] = {}
        for record, table in enumerate(self._tables):
            self._check_fit(record, table)
        self._components = self._find_components()
        # For each component with a probability of 0: its joint laws, or None if too many to list.
        self._listed: dict[tuple[int, ...], list[Block] | None] = {}
        checked: dict[tuple[int, ...], _Odds] = {}
        for component in self._components:
            if all(self._complete(record) for record in component):
                self._require_closed(component, checked)
            else:
                self._listed[component] = self._laws_of(component)

    def __repr__(self) -> str:
        edges = sum(map(len, self._neighbours)) // 2
        suffix = f", {len(self._known)} known" if self._known else ""
        return f"MarkovField({len(self._neighbours)} records, {edges} edges{suffix})"

    @property
    def name(self) -> str:
        """The numbers of records and edges."""
        return repr(self)

    @property
    def records(self) -> tuple[int, ...]:
        """Indexes of the unknown records, rising."""
        return tuple(i for i in range(len(self._neighbours)) if i not in self._known)

    @property
    def known(self) -> frozenset[int]:
        """Indexes of the records whose values were given; see :meth:`given`."""
        return frozenset(self._known)

    @property
    def positive(self) -> bool:
        """Whether every row for every value of the neighbours is there and gives 0 to no value."""
        return not self._listed

    @property
    def determined(self) -> bool:
        """Whether it is shown that exactly one joint law has these tables."""
        return all(laws is not None and len(laws) == 1 for laws in self._listed.values())

    @property
    def owed(self) -> tuple[str, ...]:
        """What was not decided: that some joint law has these tables, if they are too many."""
        undecided = any(laws is None for laws in self._listed.values())
        return (CONSISTENT_TABLES,) if undecided else ()

    @cached_property
    def graph(self) -> nx.Graph:
        """The graph, with all records as nodes."""
        import networkx as nx

        graph = nx.Graph((i, j) for i, around in enumerate(self._neighbours) for j in around)
        graph.add_nodes_from(range(len(self._neighbours)))
        return graph

    def neighbours(self, record: int) -> tuple[int, ...]:
        """Return the neighbours of a record, known ones included, rising."""
        return self._neighbours[record]

    def given(self, known: Mapping[int, Number]) -> MarkovField:
        """Return the field of the other records, conditional on the known values.

        Raises TooLarge if it cannot be decided whether they have.
        """
        fresh = exact_known_values(known, frozenset(self.records), self)
        field = copy(self)
        field._known = {**self._known, **fresh}
        for record, value in fresh.items():
            if value not in self._tables[record].values:
                raise improbable({record: value})
        # Where nothing has probability 0, values that are possible are possible together.
        for component in self._listed:
            # With what was known before: each value may be possible, and both together not.
            fixed = {
                place: field._known[r] for place, r in enumerate(component) if r in field._known
            }
            if fresh.keys() & set(component) and not any(
                law.probability(fixed) for law in self._joint_laws(component)
            ):
                raise improbable(known)
        return field

    def conditional_laws(self, record: int) -> frozenset[FiniteLattice]:
        """Return the different laws of a record given its neighbours.

        They are those of the neighbours' values that have positive probability given what is known.
        Where that is not decided, all rows are taken that agree with what is known.
        """
        around = self._neighbours[record]
        table = self._tables[record]
        component = next((c for c in self._listed if record in c), None)
        laws = None if component is None else self._listed[component]
        if component is None or laws is None:
            fixed = [(i, self._known[r]) for i, r in enumerate(around) if r in self._known]
            # All rows that may occur, where it was not settled which do: the least over too many is
            # too low and no lower bound is too high.
            agreeing = (c for c in table.rows if all(c[i] == value for i, value in fixed))
            return frozenset(table.rows[condition] for condition in agreeing)
        values = [(i, self._known[r]) for i, r in enumerate(component) if r in self._known]
        places = [component.index(neighbour) for neighbour in around]
        outcomes = (outcome for law in laws for outcome, _ in law.outcomes)
        agreeing = (o for o in outcomes if all(o[i] == value for i, value in values))
        conditions = {tuple(outcome[i] for i in places) for outcome in agreeing}
        return frozenset(table.rows[condition] for condition in conditions)

    def law(self) -> IndependentBlocks:
        """Return the law of the sum of the unknown records, from the joint law of each component.

        Raises TooLarge if the records of a component have more than 2**14 joint values.
        """
        members = []
        for component in self._components:
            laws = self._joint_laws(component)
            if len(laws) > 1:
                place, typed = f"tables of records {as_text(component)}", f"those of {len(laws)}"
                need = "conditional laws that one joint law has, and no other"
                raise InvalidArgument(place, f"{typed} joint laws", need)
            members.append((laws[0], component))
        joint = IndependentBlocks.placed(members)
        return joint.given(self._known) if self._known else joint

    def _joint_laws(self, component: tuple[int, ...]) -> list[Block]:
        """Return the joint laws of a component, or refuse because there are too many outcomes."""
        laws = self._listed[component] if component in self._listed else self._laws_of(component)
        if laws is None:
            raise TooLarge(
                f"{self.name}: {len(component)} connected records have more than "
                f"{MOST_OUTCOMES} joint values, the most that are listed"
            )
        return laws

    def _find_components(self) -> tuple[tuple[int, ...], ...]:
        """Return the connected components, each rising."""
        import networkx as nx

        return tuple(
            sorted(tuple(sorted(component)) for component in nx.connected_components(self.graph))
        )

    def _check_fit(self, record: int, table: ConditionalTable) -> None:
        around = self._neighbours[record]
        if table.degree != len(around):
            typed = f"rows for {table.degree} neighbours"
            need = f"rows for its {len(around)} neighbours in the graph ({as_text(around)})"
            raise InvalidArgument(f"tables[{record}]", typed, need)
        for condition in table.rows:
            for neighbour, value in zip(around, condition, strict=True):
                if value not in self._tables[neighbour].values:
                    admissible = f"values that record {neighbour} can have"
                    raise InvalidArgument(
                        f"tables[{record}][{as_text(condition)}]", value, admissible
                    )

    def _complete(self, record: int) -> bool:
        table = self._tables[record]
        combinations = prod(
            len(self._tables[neighbour].values) for neighbour in self._neighbours[record]
        )
        return table.positive and len(table.rows) == combinations

    def _require_closed(
        self, component: tuple[int, ...], checked: dict[tuple[int, ...], _Odds]
    ) -> None:
        """Refuse positive tables whose odds ratios differ along an edge."""
        for i in component:
            for j in self._neighbours[i]:
                if i > j:
                    continue
                odds_i, odds_j = self._odds(i, j, checked), self._odds(j, i, checked)
                # The first is written by (shared, value of j) with one ratio for each value of i.
                turned = {
                    (shared, (value,)): tuple(
                        odds_j[shared, (mine,)][position] for mine in self._tables[i].values
                    )
                    for shared in {shared for shared, _ in odds_j}
                    for position, value in enumerate(self._tables[j].values)
                }
                if odds_i != turned:
                    raise _contradiction(i, j)

    def _odds(self, record: int, neighbour: int, checked: dict[tuple[int, ...], _Odds]) -> _Odds:
        """Return the odds ratios of a record and a neighbour by the values of what they share."""
        around = self._neighbours[record]
        beyond = set(self._neighbours[neighbour])
        place = around.index(neighbour)
        common = [i for i, node in enumerate(around) if node in beyond]
        # Records of a lattice share tables, and then this too.
        key = id(self._tables[record]), place, *common
        if key not in checked:
            odds: _Odds = {}
            for condition, ratios in self._tables[record].odds(place, common):
                if odds.setdefault(condition, ratios) != ratios:
                    raise _contradiction(record, neighbour)
            checked[key] = odds
        return checked[key]

    def _laws_of(self, component: tuple[int, ...]) -> list[Block] | None:
        """Return every joint law of a component that has its tables; None if too many to list.

        Laws that are mixtures of others are left out.
        """
        supports = [self._tables[record].values for record in component]
        if prod(map(len, supports)) > MOST_OUTCOMES:
            return None
        places = []
        for record in component:
            around = [component.index(neighbour) for neighbour in self._neighbours[record]]
            places.append((self._tables[record], around))
        # An outcome with a value to which some table gives 0 has probability 0 under every joint
        # law of these tables.
        allowed = {}
        for outcome in product(*supports):
            laws = [table.law(tuple(outcome[o] for o in around)) for table, around in places]
            if all(value in law for value, law in zip(outcome, laws, strict=True)):
                allowed[outcome] = laws
        blocks = []
        while allowed:
            # Each round takes out all that is linked to one outcome, contradictory or not: so this
            # ends.
            start = next(iter(allowed))
            weights = _component_weights(start, allowed)
            if weights is not None:
                total = sum(weights.values(), start=Fraction(0))
                blocks.append(Block({o: weight / total for o, weight in weights.items()}))
        if not blocks:
            raise Infeasible(
                f"tables of records {show(as_text(component))}: no joint law has them all"
            )
        return blocks


def neighbourhoods(graph: nx.Graph) -> tuple[tuple[int, ...], ...]:
    """Return the neighbours of each record, rising, if the nodes of a graph are the records.

    >>> import networkx as nx
    >>> neighbourhoods(nx.path_graph(3))
    ((1,), (0, 2), (1,))
    """
    import networkx as nx

    if not isinstance(graph, nx.Graph):
        raise InvalidArgument("field", type(graph).__name__, "a networkx.Graph")
    if graph.is_directed() or graph.is_multigraph():
        raise InvalidArgument("field", graph, "an undirected, simple networkx.Graph")
    n = graph.number_of_nodes()
    if not n:
        raise InvalidArgument("field", graph, "at least one record")
    for node in graph:
        if isinstance(node, bool) or not isinstance(node, int) or not 0 <= node < n:
            raise InvalidArgument("field node", node, f"the {n} records 0 to {n - 1} as nodes")
        if graph.has_edge(node, node):
            raise InvalidArgument("field edge", f"{node} - {node}", "edges between two records")
    return tuple(tuple(sorted(graph[record])) for record in range(n))


def _component_weights(
    start: Values, allowed: dict[Values, list[RowLaw]]
) -> dict[Values, Fraction] | None:
    """Take all outcomes linked to one out of ``allowed``; return their weights, None for no law."""
    weights = {start: Fraction(1)}
    rows = {start: allowed.pop(start)}
    ahead, sound = [start], True
    while ahead:
        outcome = ahead.pop()
        for i, law in enumerate(rows[outcome]):
            scale = weights[outcome] / law[outcome[i]]
            for value, probability in law.items():
                moved = (*outcome[:i], value, *outcome[i + 1 :])
                if moved in weights:
                    # A contradiction does not end the search: all that is linked must leave
                    # `allowed`, or its rest would be taken for a component of its own.
                    sound = sound and weights[moved] == scale * probability
                elif moved in allowed:
                    weights[moved] = scale * probability
                    rows[moved] = allowed.pop(moved)
                    ahead.append(moved)
                else:
                    sound = False
    return weights if sound else None


def _table_of(record: int, table: ConditionalTable | Rows) -> ConditionalTable:
    """Return a record's table; messages about it begin with the record."""
    if isinstance(table, ConditionalTable):
        return table
    try:
        return ConditionalTable(table)
    except InvalidArgument as error:
        raise InvalidArgument(
            f"tables[{record}]: {error.name}", error.value, error.admissible
        ) from None


def _contradiction(i: int, j: int) -> Infeasible:
    return Infeasible(
        f"tables[{i}] and tables[{j}]: no joint law has both; need the same odds ratios in both"
    )
