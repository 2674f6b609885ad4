"""Which rows a node leaves out, so that what is published has every model that is asked for.

Rows are left out by whole classes: labels are fixed by the node, so a class that breaks a model can
only be left out. Models that judge a class by itself come first, in the order in which they are
given, each on what those before it left. Then come those that compare a class with all published
rows (t-closeness and the like). What is left out changes what they compare with, so that all models
are asked again until none finds a class to leave out. That rule need not leave out the fewest rows
that such a model can be had with; the optimum is that of the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from kproof.models.base.arrays import Codes, Flags
from kproof.models.base.classes import Classes, part_of
from kproof.models.privacy.base import Joined, Model
from kproof.models.privacy.counting import KAnonymity
from kproof.models.tables.published import classes_of_table
from kproof.models.tables.table import Table


@dataclass(frozen=True, eq=False)
class Judged:
    """What a node publishes."""

    published: Flags = field(repr=False)
    """Shape (classes,): which classes are published."""
    left_out: tuple[int, ...]
    """Rows that each model leaves out, in the order in which models are asked."""
    smallest: int
    """Rows of the smallest published class; 0 if nothing is published."""

    @property
    def suppressed(self) -> int:
        """Rows that are left out."""
        return sum(self.left_out)

    def within(self, budget: int) -> bool:
        """Say whether no more rows are left out than may be, and others published."""
        return self.suppressed <= budget and self.smallest > 0


@dataclass(frozen=True, eq=False)
class Judge:
    """The models that are asked for, and what may be left out for their sake."""

    table: Table
    """Whose rows are judged."""
    models: tuple[Model, ...]
    """The models, those that judge a class by itself first."""
    budget: int
    """Most rows that may be left out."""

    @classmethod
    def of(cls, table: Table, models: Sequence[Model], budget: int) -> Judge:
        """Return the judge that asks for models."""
        # False before True, and a stable sort: within both kinds models stay in the order in which
        # they were asked for.
        return cls(table, tuple(sorted(models, key=lambda model: model.against_table)), budget)

    @cached_property
    def fewest_rows(self) -> int:
        """A number of rows that every published class has."""
        return max(model.fewest_rows for model in self.models)

    @property
    def counts_only(self) -> bool:
        """Whether a class is published exactly if it has :attr:`fewest_rows`."""
        return self.table.person is None and all(
            isinstance(model, KAnonymity) for model in self.models
        )

    @property
    def monotone(self) -> bool:
        """Whether a node within the budget lies only below nodes within the budget.

        Rows of a class with all models are in a class with all models at each coarser node if they
        outlast whatever joins the class. If classes keep them only together, none may be left out.
        Of persons with several rows that is known of k-anonymity alone: who joins a class may have
        more rows in it than anybody else had.
        """
        if self.table.person is not None:
            return all(isinstance(model, KAnonymity) for model in self.models)
        any_way = all(model.joined is Joined.ANY for model in self.models)
        together = all(model.joined is not Joined.NOTHING for model in self.models)
        return any_way or (together and self.budget == 0)

    @cached_property
    def _whole(self) -> Classes:
        # Labels of the table's own classes would name other rows once `judge` puts
        # other classes there.
        return replace(classes_of_table(self.table), label=str)

    def judge(self, of_row: Codes, count: int) -> Judged:
        """Return what is published of so many classes of rows."""
        classes = replace(self._whole, of_row=of_row, count=count)
        published = np.ones(count, dtype=np.bool_)
        sizes = classes.sizes
        left_out = [0] * len(self.models)
        # Where a model compares with the table, or values are missing, what a class lacks may
        # follow from the others: once is not enough then.
        again = any(model.against_table for model in self.models) or bool(classes.unknown.any())
        changed = True
        while changed and classes.count:
            changed = False
            for position, model in enumerate(self.models):
                failing = lacks_model(model, classes)
                if failing.any():
                    changed = again
                    left_out[position] += int(classes.sizes[failing].sum())
                    # `failing` counts the classes that are still there, `published` all of them.
                    published[np.flatnonzero(published)[failing]] = False
                    classes = part_of(classes, ~failing)
                    if classes.count == 0:
                        break
        return Judged(
            published, tuple(left_out), int(sizes[published].min()) if published.any() else 0
        )


def lacks_model(model: Model, classes: Classes) -> Flags:
    """Say of each class whether it lacks a model, of any of the sensitive columns."""
    lacks = model.failing(classes)
    if model.needs_sensitive:
        for secret in classes.each[1:]:
            lacks = lacks | model.failing(secret)
    return lacks
