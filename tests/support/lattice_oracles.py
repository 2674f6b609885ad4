"""Full-domain recoding as it is defined: every choice of levels, row by row, in fractions."""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from kproof.models.base.classes import Classes
from kproof.models.base.missing import MISSING

Paths = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Plain:
    """What one choice of levels publishes."""

    levels: tuple[int, ...]
    kept: tuple[bool, ...]
    loss: Fraction
    smallest: int

    @property
    def suppressed(self) -> int:
        return self.kept.count(False)


def shown(paths: Paths, value: object, level: int) -> str:
    """Return a label; a missing value stands for itself below the last level."""
    if value is MISSING:
        return next(iter(paths.values()))[-1] if level == height(paths) else "?"
    return paths[str(value)][level]


def height(paths: Paths) -> int:
    return len(next(iter(paths.values()))) - 1


def price(paths: Paths, label: str, gaps: bool) -> Fraction:
    """Return the share of the leaves that a label covers; a missing value is a leaf of its own."""
    below = {path[0] for path in paths.values() if label in path}
    every = len(paths) + gaps
    covered = every if label == next(iter(paths.values()))[-1] else max(len(below), 1)
    return Fraction(covered, every) if covered > 1 else Fraction(0)


def every_choice(
    rows: list[tuple[object, ...]], trees: list[Paths], sensitive: list[object], models: list
) -> list[Plain]:
    """Return what each choice of levels publishes, a class that lacks a model left out."""
    gaps = [any(row[column] is MISSING for row in rows) for column in range(len(trees))]
    values = sorted({one for one in sensitive if one is not MISSING})
    values += [MISSING] if MISSING in sensitive else []
    found = []
    for levels in product(*(range(height(tree) + 1) for tree in trees)):
        labels = [
            tuple(
                shown(tree, cell, level)
                for tree, cell, level in zip(trees, row, levels, strict=True)
            )
            for row in rows
        ]
        classes = defaultdict(list)
        for place, label in enumerate(labels):
            classes[label].append(place)
        alive = dict(classes)
        changed = True
        while changed and alive:
            changed = False
            for model in sorted(models, key=lambda one: one.against_table):
                lacking = [
                    label for label in alive if lacks(model, alive, label, sensitive, values)
                ]
                changed = changed or bool(lacking)
                for label in lacking:
                    del alive[label]
        kept = tuple(label in alive for label in labels)
        paid = sum(
            sum(
                (price(t, part, g) for t, part, g in zip(trees, label, gaps, strict=True)),
                Fraction(0),
            )
            / len(trees)
            if there
            else Fraction(1)
            for label, there in zip(labels, kept, strict=True)
        )
        smallest = min(map(len, alive.values()), default=0)
        found.append(Plain(levels, kept, Fraction(paid) / len(rows), smallest))
    return found


def lacks(model, alive, label, sensitive, values) -> bool:
    """Say whether a class lacks a model, by its definition or by the checker, alone."""
    own = [sensitive[place] for place in alive[label]]
    if model.against_table:
        table = [sensitive[place] for places in alive.values() for place in places]
        gain = [
            Fraction(own.count(one), len(own)) - Fraction(table.count(one), len(table))
            for one in set(table)
        ]
        return sum((one for one in gain if one > 0), Fraction(0)) > model.t
    codes = np.array([values.index(one) for one in own])
    alone = Classes(np.zeros(len(own), dtype=int), 1, codes, tuple(values), missing_as="value")
    return not model.check(alone).holds
