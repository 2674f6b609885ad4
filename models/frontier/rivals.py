"""Whether another method would have lost less of a table, under the same promises.

One rival is tried: Mondrian where labels lose least, equal values torn apart (``mondrian`` with
``partitioning="relaxed"``), which of the registered methods loses least on most tables and takes
little time. Its release is judged like one of a comparison. That none is named says nothing: the
rival may have been refused, or too slow to be tried, and another method may lose less yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from shlex import quote
from typing import Any

from kproof.arguments import Need, a, asking
from kproof.errors import InvalidArgument, KProofError
from kproof.forms import JsonForm
from kproof.models.api import anonymize
from kproof.models.base.parameters import COLUMN_WEIGHT, shown_by_column
from kproof.models.base.verdict import SCHEMA
from kproof.models.methods import METHODS
from kproof.models.privacy import DistinctL, KAnonymity, TCloseness
from kproof.models.privacy.base import Model
from kproof.models.registry import Method
from kproof.models.tables.cutting.least_loss import weights_of
from kproof.models.tables.release import Release
from kproof.models.tables.suppression.promised import promised
from kproof.models.tables.utility import utility
from kproof.notebooks import NotebookText

MOST_CELLS = 250_000
"""Rows times quasi-identifiers up to which a rival is tried; Adult has 241,296 in eight columns."""

LEAST_GAIN = Fraction(1, 20)
"""Share of the loss that a rival has to save: what is less is not worth another release."""

_RIVAL = "mondrian"
_SETTINGS = {"partitioning": "relaxed"}
_PASSED_ON = ("l", "t", "mu", "weight")


@dataclass(frozen=True)
class Rival(NotebookText):
    """A method that loses less than a release does, under the same promises."""

    of: str
    """The method of the release, which may be the same with other settings."""
    method: str
    """The name of the rival."""
    parameters: Mapping[str, Any]
    """What it was asked for. No row is left out, whatever the budget of the release."""
    loss: float
    instead_of: float
    """What the rival's release loses, and what the release does: mean NCP of published labels over
    rows and quasi-identifiers, from 0 to 1."""
    weighted: bool = False
    """Whether the mean is one by the weights of quasi-identifiers that were asked for."""

    def __str__(self) -> str:
        """Return one line, with the rival as a command says it."""
        options = " ".join(f"--{name} {_typed(one)}" for name, one in self.parameters.items())
        means = " by the weights" if self.weighted else ""
        lead = "other settings lose" if self.method == self.of else "another method loses"
        return (
            f"{lead} less: {self.method} {options}, {self.loss:.4f} instead of "
            f"{self.instead_of:.4f}{means}"
        )

    @property
    def _plain_parameters(self) -> Mapping[str, object]:
        """What it was asked for."""
        return {
            name: one if isinstance(one, (int, str)) else _typed(one)
            for name, one in self.parameters.items()
        }

    to_dict = JsonForm(
        "of method parameters=_plain_parameters loss instead_of weighted", schema=SCHEMA
    )


_MODELS = Need("a list of models", lambda value: _are_models(value))


def _are_models(value: object) -> bool:
    return isinstance(value, list | tuple) and all(hasattr(one, "name") for one in value)


@asking(release=a(Release, phrase="a Release"), models=_MODELS)
def rival(release: Release, *, models: Sequence[Model] = ()) -> Rival | None:
    """Return a method that loses at least 5 % less of a table than a release does, if one is found.

    ``mondrian`` with ``partitioning="relaxed"`` makes a release of the same table, without leaving
    out rows, and every promise of the release at hand is judged of it: k people, and what was asked
    of each sensitive column. It is named only if all of them hold.

    Parameters
    ----------
    release
        By a registered method for tables.
    models
        The models that ``full-domain`` was given; a release keeps their names only.

    Returns
    -------
    Rival or None
        None if the rival does not lose less, cannot promise as much, or was not tried: the table
        has more than :data:`MOST_CELLS` rows times quasi-identifiers, the caller said which levels
        or classes to publish, or the method is not registered. It does not say that no method
        loses less.

    Raises
    ------
    InvalidArgument
        If the release was made with other models than those given.

    Examples
    --------
    >>> roles = {"quasi_identifiers": ["Age", "Zip Code"], "identifiers": ["ID", "Name"]}
    >>> release = anonymize("kaca", "table-1a", k=2, clustering="k-means", **roles)
    >>> print(rival(release))
    another method loses less: mondrian --k 2 --partitioning relaxed, 0.0980 instead of 0.1187
    >>> rival(release, models=[DistinctL(2)])
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: models = l-diversity(l=2): need those of the release: none
    """
    table, told = release.table, release.parameters
    k = told.get("k")
    if release.method not in METHODS or not isinstance(k, int):
        return None
    # k-anonymity is promised whether it is among them or not.
    names = [one.name for one in models if one != KAnonymity(k)]
    held = told.get("models", "")
    if ", ".join(names) != held:
        admissible = f"those of the release: {held or 'none'}"
        raise InvalidArgument("models", ", ".join(names) or "none", admissible)
    fixed = told.get("levels") is not None or told.get("form") == "given"
    if fixed or table.rows * len(table.quasi_identifiers) > MOST_CELLS:
        return None
    method, other = METHODS[release.method], METHODS[_RIVAL]
    asked = _asked(method, told) | ({"models": tuple(models)} if models else {})
    if not _structural(method) <= other.promises:
        return None
    wanted = _wanted(asked, models)
    weights = asked.get("weight")
    own = _loss(release, weights)
    try:
        found = anonymize(other.name, table, **wanted)
        lost = _loss(found, weights)
        # A gain of nothing is none, even where nothing is lost.
        if lost >= own or lost > (1 - LEAST_GAIN) * own:
            return None
        verdicts = promised(method, asked, table).verdicts(found.classes())
        if not all(verdict.holds for verdict in verdicts):
            return None
    except (KProofError, MemoryError):
        # A method that refuses what was asked is no rival.
        return None
    return Rival(method.name, other.name, wanted, lost, own, weighted=weights is not None)


def _asked(method: Method, told: Mapping[str, object]) -> dict[str, Any]:
    """Return what a method was asked for, from the account of its release.

    A printed reading promises less than it was asked for; a rival has to keep what was asked.
    """
    apart = ("models", "reading", "form")
    return method.asked(
        {name: one for name, one in told.items() if name in method.parameters and name not in apart}
    )


def _structural(method: Method) -> frozenset[Any]:
    """Return the promises of a method that no model can judge of a release."""
    return frozenset(one for one in method.promises if not one.about)


def _wanted(asked: Mapping[str, Any], models: Sequence[Model]) -> dict[str, Any]:
    """Return what is asked of the rival: as much of the promises as it has parameters for."""
    found: dict[str, Any] = {"k": asked["k"]}
    found |= {name: asked[name] for name in _PASSED_ON if asked.get(name) is not None}
    # Without p distinct values no class has p categories, or p values of some weight.
    if asked.get("p") is not None:
        found["l"] = asked["p"]
    for model in models:
        if isinstance(model, DistinctL):
            found["l"] = max(model.ell, found.get("l", 1))
        elif isinstance(model, TCloseness):
            found["t"] = min(model.t, found.get("t", model.t))
    return found | _SETTINGS


def _loss(release: Release, weights: Mapping[str, Fraction] | None) -> float:
    """Return the mean NCP of a release, by weights if there are any."""
    costs = utility(release, queries=0)
    if weights is None:
        return costs.penalty
    by = weights_of(release.table, COLUMN_WEIGHT.read(weights))
    every = zip(by, costs.penalties.values(), strict=True)
    return sum(float(weight) * one for weight, one in every) / float(sum(by))


def _typed(value: object) -> str:
    """Return a value as an option takes it."""
    return quote(shown_by_column(value) if isinstance(value, Mapping) else str(value))
