"""Strategies for generalization hierarchies over given values, as mappings and as taxonomies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from kproof.errors import InvalidArgument
from kproof.proptests.labels.frames import taxonomy_of
from kproof.theory.exact.typed import integer

if TYPE_CHECKING:
    from kproof.models.base.taxonomy import Taxonomy


def hierarchies(values: Iterable[str], *, inner: int = 3) -> st.SearchStrategy[dict[str, str]]:
    """Draw generalization hierarchies: child to parent, the root being its own parent.

    Leaves are the values, at the same or at different depths; inner nodes are called ``A``, ``B``,
    …, the root ``*``, each with primes where a value is called so already. Every inner node has
    a value below it. They shrink to the flat tree. At most ``inner`` nodes, 0 to 26, are between
    root and leaves.

    >>> from hypothesis import find
    >>> find(hierarchies(["a", "b"]), lambda tree: True)
    {'a': '*', 'b': '*', '*': '*'}
    >>> find(hierarchies(["a", "b"]), lambda tree: tree["b"] != "*")
    {'a': '*', 'b': 'A', 'A': '*', '*': '*'}
    >>> hierarchies([])
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: values = (): need at least one value
    """
    leaves = tuple(dict.fromkeys(values))
    if not leaves:
        raise InvalidArgument("values", leaves, "at least one value")
    return _hierarchies(leaves, integer("inner", inner, least=0, most=26))


def taxonomies(values: Iterable[str], *, inner: int = 3) -> st.SearchStrategy[Taxonomy]:
    """Draw taxonomies whose leaves are the values, as :func:`hierarchies` does.

    >>> from hypothesis import find
    >>> find(taxonomies(["a", "b"]), lambda tree: tree.height == 2).labels
    ('*', 'a', 'A', 'b')
    """
    return hierarchies(values, inner=inner).map(taxonomy_of)


@st.composite
def _hierarchies(draw: st.DrawFn, leaves: tuple[str, ...], inner: int) -> dict[str, str]:
    nodes = [_fresh("*", leaves)]
    nodes += [_fresh(chr(ord("A") + index), leaves) for index in range(inner)]
    # Parents come before their children, so whatever is drawn is a tree.
    above = {nodes[0]: nodes[0]}
    for index in range(1, inner + 1):
        above[nodes[index]] = nodes[draw(st.integers(0, index - 1))]
    below = {leaf: nodes[draw(st.integers(0, inner))] for leaf in leaves}
    tree = dict(below)
    for label in below.values():
        while label not in tree:
            tree[label] = above[label]
            label = above[label]
    # Every way up from a leaf has ended at the root, so that it is there.
    root = tree.pop(nodes[0])
    return tree | {nodes[0]: root}


def _fresh(label: str, used: tuple[str, ...]) -> str:
    while label in used:
        label += "'"
    return label
