"""Taxonomies: generalization hierarchies of categorical attributes, as checked trees.

A taxonomy is read from leaf-to-root paths, as the ARX project distributes them, or from a mapping.
Every node is named by its label, has one parent and hangs below one root; a hierarchy that says
otherwise is refused with the label that shows it. Nodes are numbered in preorder, so that a
subtree is a range of numbers and the node that generalizes a set depends on its extremes only.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from kproof.datasets.tables import csv_fault
from kproof.errors import DataError, InvalidArgument, show
from kproof.models.base.arrays import Codes, Flags
from kproof.models.base.missing import MISSING, text
from kproof.models.base.spellings import alike, fold_spelling, spelt_twice
from kproof.theory.exact.documents import read_text

_MOST_RUNGS = 10**8
"""Labels times levels that are written out: 800 MB."""


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """A tree of labels above the values of an attribute.

    >>> world = Taxonomy.from_paths([
    ...     ("USA", "America", "*"), ("Canada", "America", "*"), ("Japan", "Asia", "*")
    ... ])
    >>> world.labels
    ('*', 'America', 'USA', 'Canada', 'Asia', 'Japan')
    >>> world.label_of(["Canada", "USA"]), world.label_of(["Canada", "Japan"])
    ('America', '*')
    """

    labels: tuple[str, ...]
    """Label of each node in preorder; node 0 is the root."""
    parents: Codes
    """Shape (nodes,): the parent of each node, the root's own index for the root."""
    source: str = field(default="taxonomy", compare=False)
    """Where it came from, for messages."""
    rungs: Codes | None = field(default=None, repr=False)
    """Shape (levels, nodes): the node that stands for each node at each level, from 0, the values
    themselves, to the root. None if nobody drew levels: :meth:`at_level` counts them from the
    root then."""

    @classmethod
    def from_paths(cls, paths: Iterable[Sequence[object]], *, source: str = "taxonomy") -> Taxonomy:
        """Build a taxonomy from paths, each from a leaf to the root.

        A label that repeats along a path counts once, so that paths may be padded to one length;
        where all have one length, their columns are the levels. A DataError says which label has
        two parents, or two at a level above, or that roots differ.
        """
        above: dict[str, str] = {}
        root: str | None = None
        rows: list[list[str]] = []
        for path in paths:
            labels = [text(label).strip() for label in path]
            rows.append(labels)
            if not labels or "" in labels:
                raise DataError(f"{source}: path {show(';'.join(labels))} has an empty label")
            if root is not None and labels[-1] != root:
                roots = f"{show(root)} and {show(labels[-1])}"
                raise DataError(f"{source}: paths end at both {roots}; need one root")
            root = labels[-1]
            for child, parent in pairwise(labels):
                if child != parent and above.setdefault(child, parent) != parent:
                    below = f"{show(child)} is below both {show(above[child])} and {show(parent)}"
                    raise DataError(f"{source}: {below}; need one parent for each label")
        if root is None:
            raise DataError(f"{source}: no paths")
        tree = cls._of_parents(above, root, source)
        return tree._with_levels(rows) if len({len(path) for path in rows}) == 1 else tree

    @classmethod
    def from_dict(cls, tree: Mapping[object, object], *, source: str = "taxonomy") -> Taxonomy:
        """Build a taxonomy from a mapping of each label to its parent, or to the path above it.

        >>> Taxonomy.from_dict({"USA": "America", "America": "*"}).labels
        ('*', 'America', 'USA')
        >>> Taxonomy.from_dict({"USA": ("America", "*")}).labels
        ('*', 'America', 'USA')
        """
        if all(isinstance(above, (list, tuple)) for above in tree.values()):
            paths: Mapping[Any, Any] = tree
            return cls.from_paths([(v, *above) for v, above in paths.items()], source=source)
        above = {text(child): text(parent) for child, parent in tree.items()}
        roots = list(dict.fromkeys(label for label in above.values() if label not in above))
        if len(roots) > 1:
            first, second = map(show, roots[:2])
            raise DataError(f"{source}: both {first} and {second} have no parent; need one root")
        # A circle hangs below no root: its values would be left out of the tree without a word.
        for start in above:
            label, path = start, {start}
            while label in above:
                if (label := above[label]) in path:
                    circle = f"{show(label)} is below itself"
                    raise DataError(f"{source}: {circle}; need a tree with one root")
                path.add(label)
        if not roots:
            raise DataError(f"{source}: no paths")
        return cls._of_parents(above, roots[0], source)

    @classmethod
    def from_csv(cls, path: str | Path, *, separator: str = ";") -> Taxonomy:
        """Read a UTF-8 file with one path in each line, from leaf to root."""
        text = StringIO(read_text(path, of="a hierarchy"), newline="")
        lines = csv.reader(text, delimiter=separator, strict=True)
        try:
            rows = [row for row in lines if any(row)]
        except csv.Error as error:
            raise DataError(f"{path}, line {lines.line_num}: {csv_fault(error)}") from None
        tree = cls.from_paths(rows, source=str(path))
        # Not by their numbers: 250, 250.0 and 250.00 are three diagnoses below one another.
        if twice := spelt_twice(alike(tree.labels, fold_spelling)):
            raise DataError(
                f"{path}: {twice} label; write them alike, or so that a reader can tell them apart"
            )
        return tree

    @classmethod
    def _of_parents(cls, above: Mapping[str, str], root: str, source: str) -> Taxonomy:
        # It would be on a circle, since every path ends at it, and the walk below would never end.
        if root in above:
            raise DataError(f"{source}: the root {show(root)} is below {show(above[root])}")
        below: dict[str, list[str]] = {}
        for child, parent in above.items():
            below.setdefault(parent, []).append(child)
        labels: list[str] = []
        parents: list[int] = []
        waiting = [(root, 0)]
        while waiting:
            label, parent_index = waiting.pop()
            # Backwards onto a stack: children are numbered in the order in which they were named.
            waiting.extend((child, len(labels)) for child in reversed(below.get(label, [])))
            labels.append(label)
            parents.append(parent_index)
        return cls(tuple(labels), np.array(parents, dtype=np.int64), source)

    def _with_levels(self, paths: Sequence[Sequence[str]]) -> Taxonomy:
        """Return the tree with the columns of paths of one length as its levels."""
        nodes = np.array([[self.index[label] for label in path] for path in paths], dtype=np.int64)
        expected = nodes.copy()
        for level, column in enumerate(nodes.T[:-1]):
            # Each path is held against the first one with its label: labels that agree at a level
            # have to agree at the next.
            _, first, path_of = np.unique(column, return_index=True, return_inverse=True)
            expected[:, level + 1] = nodes[first[path_of], level + 1]
        for path, level in np.argwhere(nodes != expected)[:1].tolist():
            label, parent = paths[path][level - 1], paths[path][level]
            raise DataError(
                f"{self.source}: at level {level - 1} {show(label)} stands for values that "
                f"are {show(self.labels[expected[path, level]])} and {show(parent)} at level "
                f"{level}; need one label above each"
            )
        # A file of some megabytes may have thousands of levels, and every label has a cell at each.
        if len(self.labels) * len(paths[0]) > _MOST_RUNGS:
            size = f"{len(self.labels)} labels at {len(paths[0])} levels"
            raise DataError(f"{self.source}: {size}; need at most {_MOST_RUNGS} pairs of them")
        every, first = np.unique(nodes, return_index=True)
        path = nodes[first // len(paths[0])].T
        # A node above the values stands for itself until its level has passed.
        rungs = np.where(path <= every, path, every)
        return replace(self, rungs=rungs)

    @cached_property
    def depths(self) -> Codes:
        """Steps from the root to each node."""
        depths = np.zeros(len(self.labels), dtype=np.int64)
        # Nodes above have smaller numbers, so that theirs is there already.
        for node in range(1, len(self.labels)):
            depths[node] = depths[self.parents[node]] + 1
        return depths

    @cached_property
    def height(self) -> int:
        """Steps from the root to the deepest node."""
        return int(self.depths.max())

    @cached_property
    def heights(self) -> Codes:
        """Steps from each node down to its deepest leaf."""
        return self._most_below(self.depths) - self.depths

    @cached_property
    def ends(self) -> Codes:
        """Last node of the subtree of each node; a subtree is ``node, ..., ends[node]``."""
        return self._most_below(np.arange(len(self.labels), dtype=np.int64))

    def _most_below(self, numbers: Codes) -> Codes:
        """Return the largest of the numbers of each node and those below it."""
        most = numbers.copy()
        # Nodes below have larger indexes, so that each number is final before it is handed up.
        for node in range(len(self.labels) - 1, 0, -1):
            most[self.parents[node]] = max(most[self.parents[node]], most[node])
        return most

    @cached_property
    def leaves(self) -> Codes:
        """How many leaves each node covers; a leaf covers itself."""
        is_leaf = self.ends == np.arange(len(self.labels))
        before = np.concatenate([[0], np.cumsum(is_leaf)])
        return np.asarray(before[self.ends + 1] - before[:-1], dtype=np.int64)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Node of each label."""
        return {label: node for node, label in enumerate(self.labels)}

    def of(self, values: Sequence[object], *, column: str = "values") -> Codes:
        """Return the node of each value; an error names the column and a value that has no place.

        >>> tree = Taxonomy.from_dict({"USA": "*", "Japan": "*"})
        >>> tree.of(["Japan", "USA"]).tolist()
        [2, 1]
        >>> tree.of(["Peru"], column="country")
        Traceback (most recent call last):
        kproof.errors.DataError: column country: value Peru is not in taxonomy; add a path for it
        """
        nodes = np.empty(len(values), dtype=np.int64)
        for position, value in enumerate(values):
            if (node := self.index.get(text(value))) is None:
                stranger = f"column {show(column)}: value {show(text(value))}"
                raise DataError(f"{stranger} is not in {self.source}; add a path for it")
            nodes[position] = node
        return nodes

    def fitted(self, values: Sequence[object], *, column: str) -> Taxonomy:
        """Return the tree completed for a column; a missing value is a leaf ``?`` unless named."""
        tree = self
        if MISSING in values and text(MISSING) not in self.index:
            last = len(self.labels)
            if (rungs := self.rungs) is not None:
                # It stands for itself at every level but the last.
                rungs = np.column_stack([rungs, np.full(len(rungs), last)])
                rungs[-1, last] = 0
            labels, parents = (*self.labels, text(MISSING)), np.append(self.parents, 0)
            tree = Taxonomy(labels, parents, self.source, rungs)
        tree.of(values, column=column)
        return tree

    def meet(self, low: Codes, high: Codes) -> Codes:
        """Return, elementwise, the lowest node above all nodes from ``low`` to ``high``."""
        # Subtrees are ranges of numbers: an ancestor of the lowest is above all once its end
        # reaches the highest.
        meets = np.asarray(low, dtype=np.int64)
        # That many steps bring any node to the root, which covers every range.
        for _ in range(self.height):
            meets = np.where(self.ends[meets] < high, self.parents[meets], meets)
        return meets

    def label_of(self, values: Sequence[object]) -> str:
        """Return the label of the lowest node above all values."""
        if not values:
            raise InvalidArgument("values", values, "at least one value")
        nodes = self.of(values)
        return self.labels[int(self.meet(nodes.min(), nodes.max()))]

    def covers(self, node: int, nodes: Codes) -> Flags:
        """Say of each node whether it is the given one or below it."""
        return np.asarray((nodes >= node) & (nodes <= self.ends[node]))

    def at_depth(self, depth: int) -> Codes:
        """Return each node's ancestor at a depth; a node that is not deeper is its own."""
        nodes = np.arange(len(self.labels), dtype=np.int64)
        # A subtree is a range of numbers: above a deeper node is the last one of that depth so far.
        last = np.maximum.accumulate(np.where(self.depths == depth, nodes, 0))
        return np.where(self.depths > depth, last, nodes)

    @property
    def top(self) -> int:
        """The highest level, at which every value is the root; level 0 is the values themselves."""
        return self.height if self.rungs is None else len(self.rungs) - 1

    def at_level(self, level: int) -> Codes:
        """Return the node that stands for each node at a level, 0 <= level <= top.

        Values with one label at a level have one at every higher level. Where levels were not
        drawn (:attr:`rungs`) they are counted from the root, so that a value whose path is short
        stands for itself the longer.

        >>> world = Taxonomy.from_paths([("USA", "America", "*"), ("Japan", "Asia", "*")])
        >>> [world.labels[node] for node in world.at_level(1)[world.of(["Japan", "USA"])]]
        ['Asia', 'America']
        """
        if not 0 <= level <= self.top:
            raise InvalidArgument("level", level, f"a level of {self.source}, 0 to {self.top}")
        return self.at_depth(self.height - level) if self.rungs is None else self.rungs[level]

    def children(self, node: int) -> Codes:
        """Return the nodes right below a node, in order."""
        below = np.flatnonzero(self.parents == node)
        return np.asarray(below[below != node], dtype=np.int64)

    def ancestors(self, node: int) -> tuple[int, ...]:
        """Return the nodes above a node, up to the root."""
        nodes = []
        while node != 0:
            node = int(self.parents[node])
            nodes.append(node)
        return tuple(nodes)

    def distance(self, first: int, second: int) -> Fraction:
        """Return how far up two nodes meet, as a share of the height: 0 if equal, 1 at the root.

        This is the ground distance of hierarchical t-closeness (Li, Li, Venkatasubramanian 2007)
        with the height of a node counted to its deepest leaf.

        >>> tree = Taxonomy.from_paths([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")])
        >>> tree.distance(tree.index["a"], tree.index["b"])
        Fraction(1, 2)
        """
        if first == second:
            return Fraction(0)
        low, high = sorted((first, second))
        top = int(self.meet(np.array(low), np.array(high)))
        return Fraction(int(self.heights[top]), self.height)
