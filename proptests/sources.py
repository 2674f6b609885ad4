"""The sources of a kind of data: every way in which the suite draws cases of it."""

from importlib import import_module

from kproof.models.registry import Kind
from kproof.proptests.contract import Source

_HOMES = {
    Kind.TABLE: "kproof.proptests.strategies.table_sources",
    Kind.CITY: "kproof.proptests.strategies.places",
    Kind.POINTS: "kproof.proptests.strategies.places",
    Kind.GRAPH: "kproof.proptests.strategies.graphs",
    Kind.LOG: "kproof.proptests.strategies.logs",
}


def sources(kind: Kind) -> tuple[Source, ...]:
    """Return the sources of cases of one kind, the plain ones first.

    >>> [source.name for source in sources(Kind.TABLE)][:3]
    ['mixed types', 'missing values', 'many duplicates']
    """
    every: tuple[Source, ...] = import_module(_HOMES[kind]).SOURCES
    return tuple(source for source in every if source.kind is kind)
