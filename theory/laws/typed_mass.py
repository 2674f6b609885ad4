"""Block masses that a person types, for records in groups or on a graph.

Nothing but a least mass is known of the laws, and what makes the records independent is the
caller's claim; both are named as owed. Which claim it is, the caller chooses by the name of the
function: a graph of a Markov random field and groups that are independent of one another say
different things, and a dependency graph is no field.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.laws.conditional_mass import ConditionalMasses, Separation, indexes_of
from kproof.theory.laws.fields import neighbourhoods
from kproof.theory.laws.independent_sets import independent_set

if TYPE_CHECKING:
    import networkx as nx

MARKOV_FIELD = "Markov random field"
"""Owed: given its neighbours in the graph, a record is independent of all others."""
INDEPENDENT_GROUPS = "independent groups"
"""Owed: the groups are independent of one another."""
LEAST_MASS = "least block mass"
"""Owed: the typed mass is at most that of each record given its neighbours, or its group."""


def masses_on_field(
    field: nx.Graph, *, mass: Number, block: Number, shift: Number = 1, known: Collection[int] = ()
) -> ConditionalMasses:
    """Return the masses of records of which only the graph of a field and a least mass are said.

    Args:
        field: The *conditional independence* graph on the records 0, ..., n - 1; the caller answers
            for it. A dependency graph is another thing: see :mod:`kproof.theory.laws.fields`.
        mass: At most the block mass of every record, whatever values its neighbours have.
        block, shift: As in :func:`conditional_masses`.
        known: Indexes of known records.

    >>> import networkx as nx
    >>> masses = masses_on_field(nx.cycle_graph(9), mass="0.3", block=4)
    >>> len(masses.records), masses.owed
    (4, ('Markov random field', 'least block mass'))
    """
    n = len(neighbourhoods(field))
    least_mass = rational("mass", mass, above=0, most=1)
    hidden = indexes_of(known, range(n))
    records = independent_set(field.subgraph(set(range(n)) - hidden), dict.fromkeys(range(n), 1))
    return _masses(records, least_mass, block, shift, Separation.FIELD, (MARKOV_FIELD, LEAST_MASS))


def masses_in_groups(
    groups: Iterable[Collection[int]],
    *,
    n: Number,
    mass: Number,
    block: Number,
    shift: Number = 1,
    known: Collection[int] = (),
) -> ConditionalMasses:
    """Return the masses of records of which groups and a least mass are said.

    Args:
        groups: Indexes of records that may depend on one another; a record in none of them is
            alone. The caller answers for it that the groups are independent of one another.
        n: Number of records.
        mass: At most the block mass of every record, whatever values the rest of its group has.
        block, shift, known: As in :func:`conditional_masses`; a group all of whose records are
            known counts none.

    >>> masses_in_groups([(0, 1), (2, 3, 4)], n=6, mass="0.8", block=2, known=[0, 1]).records
    (2, 5)
    >>> masses_in_groups([(0, 1), (1, 2)], n=3, mass="0.8", block=2)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: groups = 1: need each record in one group at most
    """
    count = integer("n", n, least=1)
    least_mass = rational("mass", mass, above=0, most=1)
    hidden = indexes_of(known, range(count))
    grouped: set[int] = set()
    records = set()
    for group in groups:
        members = indexes_of(group, range(count), name="groups")
        if members & grouped or len(members) != len(group):
            twice = min(members & grouped, default=min(group))
            raise InvalidArgument("groups", twice, "each record in one group at most")
        grouped |= members
        # Whichever unknown record stands for its group: what was typed is said of each.
        records |= {min(members - hidden)} if members - hidden else set()
    records |= set(range(count)) - grouped - hidden
    return _masses(
        records, least_mass, block, shift, Separation.GROUPS, (INDEPENDENT_GROUPS, LEAST_MASS)
    )


def _masses(
    records: Collection[int],
    mass: Fraction,
    block: Number,
    shift: Number,
    how: Separation,
    owed: tuple[str, ...],
) -> ConditionalMasses:
    size, distance = integer("block", block, least=2), rational("shift", shift, above=0)
    masses = {mass: len(records)} if records else {}
    return ConditionalMasses(masses, tuple(sorted(records)), how, size, distance, owed)
