"""What is registered: methods, privacy models and attacks, and how each is described.

The command line, the property suite, the report and the reference are generated from three lists,
:data:`kproof.models.methods.METHODS`, :data:`kproof.models.privacies.MODELS` and
:data:`kproof.models.adversaries.ATTACKS`. What is not in a list does not exist for a user. This
module holds the types of their entries and knows none of them; it imports nothing heavy, and an
entry refers to its function by name until somebody calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from kproof.errors import InvalidArgument, did_you_mean
from kproof.models.base.parameters import Parameter
from kproof.registry import Home as Home
from kproof.registry import Registry as Registry

if TYPE_CHECKING:
    from kproof.models.base.classes import Classes
    from kproof.models.base.verdict import Verdict


class Kind(StrEnum):
    """What a method takes, or what somebody's function takes in the property suite."""

    TABLE = "table"
    CITY = "city"
    POINTS = "points"
    GRAPH = "graph"
    LOG = "log"
    """People who move. No registered method takes one; the suite does."""


class Promise(StrEnum):
    """What a method promises of every release; each has checks in the property suite."""

    K_ANONYMITY = "k-anonymity"
    TRUTHFUL = "truthful generalization"
    RECORDS_KEPT = "no record lost or invented beyond what is accounted for"
    SENSITIVE_KEPT = "sensitive values stay with their records beyond accounted swaps"
    L_DIVERSITY = "l-diversity"
    T_CLOSENESS = "t-closeness"
    P_SENSITIVITY = "p-sensitivity"
    P_PLUS_SENSITIVITY = "p+-sensitivity"
    P_ALPHA_SENSITIVITY = "(p,alpha)-sensitivity"
    THETA_SENSITIVITY = "theta-sensitivity"
    CONNECTIVITY = "connected regions"
    RECIPROCITY = "reciprocity"
    PARTITION = "partition"
    DEGREE = "k-degree anonymity"
    CLUSTER_SIZE = "cluster size"
    SUPERGRAPH = "edges are only added"
    ORDER_INDEPENDENT = "the order of the records neither shows nor matters"
    DECIDES = "verdicts agree with the definition"
    NOTHING_TAKEN_BACK = "what is out is never changed"

    @property
    def about(self) -> frozenset[str]:
        """Names of the parameters besides k that it is about.

        >>> sorted(Promise.P_ALPHA_SENSITIVITY.about)
        ['alpha', 'p']
        """
        return _ABOUT.get(self, frozenset())


_ABOUT = {
    Promise.L_DIVERSITY: frozenset({"l"}),
    Promise.T_CLOSENESS: frozenset({"t"}),
    Promise.P_SENSITIVITY: frozenset({"p"}),
    Promise.P_PLUS_SENSITIVITY: frozenset({"p"}),
    Promise.P_ALPHA_SENSITIVITY: frozenset({"p", "alpha"}),
    Promise.THETA_SENSITIVITY: frozenset({"mu"}),
}

PROMISED = frozenset[str]().union(*_ABOUT.values())
"""Parameters that promise something of sensitive values; each promise says its own."""


class Needs(StrEnum):
    """What a table must have for an entry to make sense of it."""

    SENSITIVE = "a sensitive column"
    CATEGORIES = "categories of its values"
    SUPPRESSED = "people of the source table whose rows were left out"


@dataclass(frozen=True)
class Figures:
    """What the source of a method publishes in place of rows."""

    of: Home
    """``of(release, toll=column)`` returns a document of them, with ``count`` lines."""
    csv: Home
    """``csv(document)`` returns the lines as the text of a CSV file."""


def by_name(*parameters: Parameter[Any]) -> Mapping[str, Parameter[Any]]:
    """Return parameters by name, in their order."""
    return {parameter.name: parameter for parameter in parameters}


@dataclass(frozen=True)
class Method:
    """One registered method."""

    name: str
    """What a user types."""
    run: Callable[..., Any] = field(repr=False)
    """``run(data, **parameters)`` returns a release."""
    promises: frozenset[Promise]
    """What it promises, some of it only if it is asked to."""
    source: str
    """The document or paper it comes from."""
    summary: str
    """One line for help texts."""
    parameters: Mapping[str, Parameter[Any]]
    """By name; those that are required must be given."""
    kind: Kind = Kind.TABLE
    """The data it takes."""
    needs: frozenset[Needs] = frozenset()
    """What a table must have."""
    compared: bool = True
    """Whether the report sets its release beside those of other methods."""
    counts_people: bool = False
    """Whether it counts people itself where several rows are about one person."""
    worst_case: frozenset[str] = frozenset()
    """Names of the parameters that it keeps whatever missing sensitive values are."""
    aggregate: Figures | None = None
    """The figures that the source publishes in place of rows; None if it publishes rows."""
    once: bool = False
    """Whether choosing among several of its runs would break what it proves, so that it is never
    tried beside others, nor on a part of the rows."""
    whole: str = ""
    """Why a table has to be anonymized as a whole; nothing if its regions may be, one by one."""

    @property
    def unconditional(self) -> frozenset[Promise]:
        """What it promises whatever it is asked: not l-diversity if nobody has to give an l."""
        parameters = self.parameters.items()
        # A default counts as asked for: only what nobody has to say makes a promise conditional.
        always = {name for name, p in parameters if p.required or p.default is not None}
        return frozenset(promise for promise in self.promises if promise.about <= always)

    def complete_arguments(self, typed: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments as the method takes them."""
        return _arguments_of(self, typed, "a parameter")


class PrivacyModel(Protocol):
    """What a release can be checked against."""

    def check(self, classes: Classes) -> Verdict:
        """Return whether the classes satisfy the model, with the class that decides."""


@dataclass(frozen=True)
class RegisteredModel:
    """One registered privacy model."""

    name: str
    """The model without its parameters, as its definition is called."""
    model: Callable[..., PrivacyModel] = field(repr=False)
    """``model(*parameters)`` returns the model with its parameters."""
    summary: str
    """One line for help texts."""
    source: str
    """The paper that defines it."""
    parameters: Mapping[str, Parameter[Any]]
    """By name, in the order in which ``model`` takes them; all must be given."""
    lead: str = ""
    """Name of the parameter whose option asks for the model; the first unless given."""
    options: Mapping[str, Parameter[Any]] = field(default_factory=dict)
    """Keywords of ``model`` that change what it means."""
    needs: frozenset[Needs] = frozenset({Needs.SENSITIVE})
    """What a table must have."""
    symbol: str = ""
    """What the report calls the figure that a release attains; empty if it shows none."""
    loosest: tuple[object, ...] = ()
    """Parameters at which the value of the model's verdict is that figure."""

    def __post_init__(self) -> None:
        # Filled in here, so that nobody who reads an entry has to know the rule.
        object.__setattr__(self, "lead", self.lead or next(iter(self.parameters)))

    @property
    def key(self) -> str:
        """The option that asks for it, without dashes."""
        return self.parameters[self.lead].key

    def of(self, typed: Mapping[str, Any]) -> PrivacyModel:
        """Return the model for what was typed, by options."""
        values = []
        for parameter in self.parameters.values():
            key = parameter.key
            # The message names the option that asked for the model, and the one that it lacks.
            if typed.get(key) is None:
                raise InvalidArgument(self.key, typed[self.key], f"{parameter.options[0]} with it")
            values.append(parameter.but(name=key).read(typed[key]))
        options = self.options.items()
        more = {name: o.read(typed[o.key]) for name, o in options if typed.get(o.key) is not None}
        return self.model(*values, **more)


@dataclass(frozen=True)
class Attack:
    """One registered attack."""

    name: str
    """What a user types."""
    run: Callable[..., Any] = field(repr=False)
    """``run(evidence, background=..., tau=..., **parameters)`` returns a disclosure."""
    summary: str
    """One line for help texts: when somebody is disclosed."""
    source: str
    """Where it comes from."""
    parameters: Mapping[str, Parameter[Any]] = field(default_factory=dict)
    """Its own, by name."""
    needs: frozenset[Needs] = frozenset({Needs.SENSITIVE})
    """What a table must have."""
    matching: str = "class"
    """How the adversary finds a person's class if nothing is said."""
    kind: Kind = Kind.TABLE
    """The data whose release it attacks."""
    against_table: bool = False
    """Whether it compares classes with all rows: no class can be judged by itself."""

    def complete_arguments(self, typed: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments as the attack takes them."""
        return _arguments_of(self, typed, "an option")


def _arguments_of(entry: Method | Attack, typed: Mapping[str, Any], noun: str) -> dict[str, Any]:
    parameters = entry.parameters
    # Unknown names first: a required parameter that is misspelt would be reported as missing, and
    # the hint at its spelling lost.
    for name, value in typed.items():
        if name not in parameters:
            names = ", ".join(parameters) or "none"
            names += did_you_mean(name, parameters)
            raise InvalidArgument(name, value, f"{noun} of {entry.name}: {names}")
    for name, parameter in parameters.items():
        if parameter.required and typed.get(name) is None:
            raise InvalidArgument(name, None, f"the {parameter.help}")
    return {
        name: None if value is None else parameters[name].read(value)
        for name, value in typed.items()
    }
