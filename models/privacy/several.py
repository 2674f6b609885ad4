"""Several sensitive columns, and several rows of one person: what then is judged of whom.

A person with n rows in a class is not hidden among the rows of the class as somebody with one row
is. Models that only ask how concentrated the values of a class are judge a reader who knows n - 1
of the rows, whichever these are, and looks for what is left: of all rows that she may know those of
the rarest values leave the others most concentrated (their counts majorize all others). The other
models judge each row by itself, which by symmetry is any row of the class alike. Answers say which.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kproof.errors import DataError, InvalidArgument, did_you_mean, show, spell
from kproof.models.base.classes import Classes, PersonRows
from kproof.models.privacy.completions import open_to_doubt

if TYPE_CHECKING:
    from kproof.models.base.verdict import Verdict
    from kproof.models.registry import PrivacyModel


def but_one(classes: Classes) -> Classes:
    """Return classes as they look to a reader who knows all rows of a person but one.

    Of a class in which somebody has n rows, n the largest such number, n - 1 rows of the rarest
    values are not judged; no value that is judged is missing.

    >>> rows = Classes(np.zeros(4, dtype=int), 1, np.array([0, 0, 1, 2]), ("Flu", "HIV", "Cold"),
    ...     person=np.array([5, 6, 7, 7]))
    >>> but_one(rows).judged.tolist()
    [True, True, False, True]
    """
    if classes.sensitive is None or classes.person is None:
        raise ValueError("these classes have no sensitive attribute, or no person column")
    judged = np.ones(len(classes.of_row), np.bool_) if classes.judged is None else classes.judged
    theirs = judged & (classes.person >= 0)
    most_rows = PersonRows.of(classes.of_row[theirs], classes.person[theirs]).most(classes.count)
    rows = np.flatnonzero(judged)
    of_row, codes = classes.of_row[rows], classes.sensitive[rows]
    keys = of_row * len(classes.values) + codes
    _, cell, count = np.unique(keys, return_inverse=True, return_counts=True)
    # By class, the rarest first; of equals by code, so that no order of rows decides.
    order = np.lexsort((codes, count[cell.reshape(-1)], of_row))
    in_class = np.bincount(of_row, minlength=classes.count)
    first = np.cumsum(in_class) - in_class
    place = np.arange(len(rows)) - first[of_row[order]]
    covered = rows[order[place < most_rows[of_row[order]] - 1]]
    visible = judged.copy()
    visible[covered] = False
    return replace(classes, judged=visible)


def judge(
    classes: Classes,
    models: PrivacyModel
    | Iterable[PrivacyModel]
    | Mapping[str, PrivacyModel | Iterable[PrivacyModel]],
    *,
    known_sensitive: bool = False,
) -> tuple[Verdict, ...]:
    """Judge models of every sensitive column, or of the columns that are named with them.

    For each model in turn one verdict for each column; one if it is about no sensitive column. If
    ``known_sensitive``, the other sensitive columns are taken for quasi-identifiers.

    >>> from kproof.models.base.columns import Column
    >>> from kproof.models.privacy.diversity import DistinctL
    >>> pay = Column("pay", np.array([0, 0], dtype=np.int32), (10,), numeric=True)
    >>> rows = Classes(np.array([0, 0]), 1, np.array([0, 1]), ("Flu", "HIV"), name="disease",
    ...     further=(pay,))
    >>> [verdict.holds for verdict in judge(rows, DistinctL(2))]
    [True, False]
    """
    verdicts: list[Verdict] = []
    if not isinstance(models, Mapping):
        for model in _several(models):
            about = getattr(model, "needs_sensitive", True)
            columns = classes.each if about else (classes,)
            verdicts += [_judge(column, model, known_sensitive) for column in columns]
        return tuple(verdicts)
    for name, required in models.items():
        if name not in classes.secrets or not name:
            secrets = [column for column in classes.secrets if column]
            names = ", ".join(map(show, secrets)) or "none has a name"
            names += did_you_mean(name, secrets)
            raise InvalidArgument("models", name, f"one of the sensitive columns: {names}")
        column = classes.of(name)
        verdicts += [_judge(column, model, known_sensitive) for model in _several(required)]
    return tuple(verdicts)


def _several(models: PrivacyModel | Iterable[PrivacyModel]) -> tuple[PrivacyModel, ...]:
    several = tuple(models) if isinstance(models, Iterable) else (models,)
    for model in several:
        # What an iterator yields nobody could look at before.
        if not hasattr(model, "check"):
            raise InvalidArgument("models", model, "models such as kproof.KAnonymity(5)")
    return several


def _judge(classes: Classes, model: PrivacyModel, known_sensitive: bool) -> Verdict:
    if known_sensitive and getattr(model, "needs_sensitive", True):
        classes = classes.refine_by_others()
    if not getattr(model, "completes", False) and open_to_doubt(classes):
        name = getattr(model, "name", type(model).__name__)
        raise DataError(
            f"{name} does not say which values are worst in the place of those that are missing; "
            f"count them as a value of their own ({spell('missing_as', 'value')}), or derive the "
            "model from kproof.models.privacy.base.Model"
        )
    return model.check(classes)
