"""Whether another method would have lost less of a table, under the same promises.

One rival is tried: Mondrian where labels lose least, equal values torn apart (``mondrian`` with
``partitioning="relaxed"``), which of the registered methods loses least on most tables and takes
little time. Its release is judged like one of a comparison. That none is named says nothing: the
rival may have been refused, or too slow to be tried, and another method may lose less yet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from shlex import quote
from typing import Any

from kproof.arguments import Need, a, check_arguments
from kproof.errors import InvalidArgument, KProofError
from kproof.forms import JsonForm
from kproof.models.api import anonymize
from kproof.models.base.parameters import COLUMN_WEIGHT, format_by_column
from kproof.models.base.verdict import SCHEMA
from kproof.models.methods import METHODS
from kproof.models.privacy import DistinctL, KAnonymity, TCloseness
from kproof.models.privacy.base import Model
from kproof.models.registry import Method
from kproof.models.tables.cutting.least_loss import weights_of
from kproof.models.tables.release import Release
from kproof.models.tables.suppression.promised import promises_of
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
        options = " ".join(
            f"--{name} {_option_text(value)}" for name, value in self.parameters.items()
        )
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
            name: value if isinstance(value, (int, str)) else _option_text(value)
            for name, value in self.parameters.items()
        }

    to_dict = JsonForm(
        "of method parameters=_plain_parameters loss instead_of weighted", schema=SCHEMA
    )


_MODELS = Need(
    "a list of models",
    lambda value: (
        isinstance(value, list | tuple) and all(hasattr(model, "name") for model in value)
    ),
)


@check_arguments(release=a(Release, phrase="a Release"), models=_MODELS)
def rival(release: Release, *, models: Sequence[Model] = ()) -> Rival | None:
    """Return a method that loses at least 5 % less of a table than a release does, if one is found.

    ``mondrian`` with ``partitioning="relaxed"`` makes a release of the same table, without leaving
    out rows, and every promise of the release at hand is judged of it: k people, and what was asked
    of each sensitive column. It is named only if all of them hold.

    Args:
        release: By a registered method for tables.
        models: The models that ``full-domain`` was given; a release keeps their names only.

    Returns:
        Rival or None: None if the rival does not lose less, cannot promise as much, or was not
        tried: the table has more than :data:`MOST_CELLS` rows times quasi-identifiers, the caller
        said which levels or classes to publish, or the method is not registered. It does not say
        that no method loses less.

    Raises:
        InvalidArgument: If the release was made with other models than those given.

    >>> roles = {"quasi_identifiers": ["Age", "Zip Code"], "identifiers": ["ID", "Name"]}
    >>> release = anonymize("kaca", "table-1a", k=2, clustering="k-means", **roles)
    >>> print(rival(release))
    another method loses less: mondrian --k 2 --partitioning relaxed, 0.0980 instead of 0.1187
    >>> rival(release, models=[DistinctL(2)])
    Traceback (most recent call last):
    kproof.errors.InvalidArgument: models = l-diversity(l=2): need those of the release: none
    """
    table, parameters = release.table, release.parameters
    k = parameters.get("k")
    if release.method not in METHODS or not isinstance(k, int):
        return None
    # k-anonymity is promised whether it is among them or not.
    names = [model.name for model in models if model != KAnonymity(k)]
    # By name: that is all that a release keeps of its models.
    recorded = parameters.get("models", "")
    if ", ".join(names) != recorded:
        admissible = f"those of the release: {recorded or 'none'}"
        raise InvalidArgument("models", ", ".join(names) or "none", admissible)
    # What somebody chose is not a loss that the method made.
    fixed = parameters.get("levels") is not None or parameters.get("form") == "given"
    if fixed or table.rows * len(table.quasi_identifiers) > MOST_CELLS:
        return None
    method, alternative = METHODS[release.method], METHODS[_RIVAL]
    if method.once:
        return None  # It gives up rows for what the rival does not promise.
    request = _request(method, parameters) | ({"models": tuple(models)} if models else {})
    # No model can judge of a release what is promised of its structure.
    structural = {promise for promise in method.promises if not promise.about}
    if not structural <= alternative.promises:
        return None
    options = _rival_options(request, models)
    weights = request.get("weight")
    loss = _loss(release, weights)
    try:
        candidate = anonymize(alternative.name, table, **options)
        lost = _loss(candidate, weights)
        # A gain of nothing is none, even where nothing is lost.
        if lost >= loss or lost > (1 - LEAST_GAIN) * loss:
            return None
        verdicts = promises_of(method, request, table).verdicts(candidate.classes())
        if not all(verdict.holds for verdict in verdicts):
            return None
    except (KProofError, MemoryError):
        # A method that refuses what was asked is no rival.
        return None
    return Rival(method.name, alternative.name, options, lost, loss, weighted=weights is not None)


def _request(method: Method, parameters: Mapping[str, object]) -> dict[str, Any]:
    """Return what a method was asked for, from the account of its release.

    A printed reading promises less than it was asked for; a rival has to keep what was asked.
    """
    names = method.parameters.keys() - {"models", "reading", "form"}
    return method.complete_arguments(
        {name: value for name, value in parameters.items() if name in names}
    )


def _rival_options(request: Mapping[str, Any], models: Sequence[Model]) -> dict[str, Any]:
    """Return what is asked of the rival: as much of the promises as it has parameters for."""
    options: dict[str, Any] = {"k": request["k"]}
    options |= {name: request[name] for name in _PASSED_ON if request.get(name) is not None}
    # Without p distinct values no class has p categories, or p values of some weight.
    if request.get("p") is not None:
        options["l"] = request["p"]
    for model in models:
        if isinstance(model, DistinctL):
            options["l"] = max(model.ell, options.get("l", 1))
        elif isinstance(model, TCloseness):
            options["t"] = min(model.t, options.get("t", model.t))
    return options | _SETTINGS


def _loss(release: Release, weights: Mapping[str, Fraction] | None) -> float:
    """Return the mean NCP of a release, by weights if there are any."""
    costs = utility(release, queries=0)
    if weights is None:
        return costs.penalty
    column_weights = weights_of(release.table, COLUMN_WEIGHT.read(weights))
    every = zip(column_weights, costs.penalties.values(), strict=True)
    return sum(float(weight) * penalty for weight, penalty in every) / float(sum(column_weights))


def _option_text(value: object) -> str:
    """Return a value as an option takes it."""
    return quote(format_by_column(value) if isinstance(value, Mapping) else str(value))
