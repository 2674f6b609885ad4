"""What a method promises of a release as privacy models, so that it can be checked again."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kproof.models.base.classes import Classes
from kproof.models.base.verdict import Verdict
from kproof.models.privacy.base import Model
from kproof.models.privacy.closeness import TCloseness
from kproof.models.privacy.counting import KAnonymity
from kproof.models.privacy.diversity import DistinctL
from kproof.models.privacy.sensitivity import PAlphaSensitive, PPlusSensitive, PSensitive
from kproof.models.privacy.several import judge
from kproof.models.privacy.theta import ThetaSensitivity
from kproof.models.registry import Method, Promise
from kproof.models.tables.table import Table
from kproof.theory.reading import Reading


@dataclass(frozen=True)
class Promised:
    """Models that a release has."""

    every: tuple[Model, ...] = ()
    """Of classes and of every sensitive column."""
    of: Mapping[str, tuple[Model, ...]] = field(default_factory=dict)
    """Of one sensitive column, by its name."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the models are called, with the sensitive column of those that are of one."""
        of_columns = ((name, model) for name, models in self.of.items() for model in models)
        return (
            *(model.name for model in self.every),
            *(f"{model.name} of {name}" for name, model in of_columns),
        )

    @property
    def fewest_rows(self) -> int:
        """A number of rows that every class has; at least 2."""
        every = (*self.every, *(model for models in self.of.values() for model in models))
        return max((model.fewest_rows for model in every), default=2)

    def verdicts(self, classes: Classes) -> Iterator[Verdict]:
        """Yield the verdict on each model."""
        for model in self.every:
            yield from judge(classes, model)
        yield from judge(classes, self.of)


def promises_of(method: Method, arguments: Mapping[str, Any], table: Table) -> Promised:
    """Return the models that a release of a table by a method has, as its promises say.

    A printed reading keeps the defects of its source and promises k only. The arguments are as
    :meth:`~kproof.models.registry.Method.asked` returns them.

    >>> from kproof.models.methods import METHODS
    >>> from kproof.models.tables.readers import read_table
    >>> table = read_table("table-1a", quasi_identifiers=["Age"], sensitive="Disease")
    >>> models = promises_of(METHODS["mondrian"], {"k": 5, "l": 3}, table)
    >>> [model.name for model in (*models.every, *models.of["Disease"])]
    ['k-anonymity(k=5)', 'l-diversity(l=3)']
    """
    settings: dict[str, Any] = {
        name: parameter.default if arguments.get(name) is None else arguments[name]
        for name, parameter in method.parameters.items()
    }
    # A method that promises no k promises nothing of classes.
    if (k := settings.get("k")) is None:
        return Promised()
    every = (KAnonymity(k), *(settings.get("models") or ()))
    if arguments.get("reading") == Reading.PRINTED:
        return Promised(every)
    by_name = {
        name: table.by_secret(name, settings.get(name)) for name in ("l", "t", "mu", "p", "alpha")
    }
    of = {
        column.name: _of_column(
            method, {**settings, **{name: values[place] for name, values in by_name.items()}}
        )
        for place, column in enumerate(table.secrets)
    }
    return Promised(every, {name: models for name, models in of.items() if models})


def _of_column(method: Method, settings: Mapping[str, Any]) -> tuple[Model, ...]:
    k = settings["k"]
    makes: dict[Promise, Callable[[], Model]] = {
        Promise.L_DIVERSITY: lambda: DistinctL(settings["l"]),
        Promise.T_CLOSENESS: lambda: TCloseness(settings["t"]),
        Promise.THETA_SENSITIVITY: lambda: ThetaSensitivity(
            k, settings["mu"], per_class=bool(settings.get("per_class_theta"))
        ),
        Promise.P_SENSITIVITY: lambda: PSensitive(settings["p"], k),
        Promise.P_PLUS_SENSITIVITY: lambda: PPlusSensitive(settings["p"], k),
        Promise.P_ALPHA_SENSITIVITY: lambda: PAlphaSensitive(settings["p"], settings["alpha"], k),
    }
    return tuple(
        make()
        for promise, make in makes.items()
        # Both: what was asked for may be nothing that the method keeps, and what it keeps may not
        # have been asked for.
        if promise in method.promises
        and all(settings.get(name) is not None for name in promise.about)
    )
