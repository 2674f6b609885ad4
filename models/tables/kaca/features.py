"""Coordinates of records for K-Means: as KACA's document prints them, and put right.

The printed features leave digits of section ids beside minutes of the day, so that the ids, some
billions apart, decide alone. The corrected ones give every column the same weight: its most
distant values are 1 apart, times of day lie on a circle, and values without an order are corners
of a simplex or lie as far apart as their taxonomy says.
"""

from __future__ import annotations

import numpy as np

from kproof.models.base.arrays import Codes, Floats
from kproof.models.base.columns import Column
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.axes import axis
from kproof.models.tables.kaca.clock import MINUTES, minutes_of, section_numbers
from kproof.models.tables.table import Table


def printed_features(table: Table, *, section: str | None, time: str | None) -> Floats:
    """Return the document's features, shape (rows, columns): ids' digits and times' minutes.

    Numbers of other columns are taken as they are, and values that are not numbers by their code.
    """

    def numbers(column: Column) -> Codes | Floats:
        if column.name == time:
            return minutes_of(column)
        if column.name == section:
            return section_numbers(column)
        plain = column.numeric and column.missing is None
        return np.array(column.values if plain else range(len(column.values)), dtype=np.float64)

    columns = table.quasi_identifiers
    return np.stack([numbers(column)[column.codes] for column in columns], 1).astype(np.float64)


def features_to_scale(table: Table, *, section: str | None, time: str | None) -> Floats:
    """Return each record as a point, shape (rows, dimensions)."""

    def points(column: Column) -> Floats:
        if column.name == time:
            return _on_circle(minutes_of(column))
        if column.name == section:
            # Ids in ascending order are leaves of their prefix tree in order.
            return np.linspace(0, 1, len(column.values))[:, None]
        if column.numeric:
            return axis(column).places[:, None]
        if column.taxonomy is not None and column.nodes is not None:
            return _in_tree(column.taxonomy, column.nodes)
        return np.asarray(np.eye(len(column.values)) / np.sqrt(2))

    columns = table.quasi_identifiers
    return np.concatenate([points(column)[column.codes] for column in columns], axis=1)


def _on_circle(minutes: Codes) -> Floats:
    angles = minutes * (2 * np.pi / MINUTES)
    points = np.stack([np.cos(angles), np.sin(angles), np.zeros(len(minutes))], axis=1) / 2
    # A missing time is 1 away from every other.
    points[minutes < 0] = (0, 0, np.sqrt(3) / 2)
    return points


def _in_tree(tree: Taxonomy, nodes: Codes) -> Floats:
    """Mark the nodes above each value, so that squared distance is the share of levels apart."""
    marks = np.zeros((len(nodes), len(tree.labels)))
    above = nodes
    for _ in range(tree.height):
        marks[np.arange(len(nodes)), above] = 1
        above = tree.parents[above]
    marks[:, 0] = 0
    scale = np.sqrt(2 * max(tree.height, 1))
    return np.asarray(marks[:, np.flatnonzero(marks.any(axis=0))] / scale)
