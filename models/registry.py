"""The registry: every anonymizer with its data, its claims and its source.

The command line, the property suite, the report and the docs are generated from it. An anonymizer
that is not registered does not exist for a user; one that is registered is held to its claims.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from kproof.errors import InvalidArgument


class Kind(StrEnum):
    """What an anonymizer takes."""

    TABLE = "table"
    CITY = "city"
    POINTS = "points"
    GRAPH = "graph"


class Claim(StrEnum):
    """What an anonymizer promises of every release; each has checks in the property suite."""

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


@dataclass(frozen=True)
class Anonymizer:
    """One registered method.

    Attributes
    ----------
    name
        What a user types.
    kind
        The data it takes.
    run
        ``run(data, **parameters)`` returns a release.
    claims
        What it promises.
    source
        The document or paper it comes from.
    summary
        One line for help texts.
    parameters
        Name of each parameter and one line on it.
    """

    name: str
    kind: Kind
    run: Callable[..., Any] = field(repr=False)
    claims: frozenset[Claim]
    source: str
    summary: str
    parameters: Mapping[str, str]


_REGISTERED: dict[str, Anonymizer] = {}


def register(anonymizer: Anonymizer) -> Anonymizer:
    """Add an anonymizer; its name must be new."""
    if anonymizer.name in _REGISTERED:
        raise InvalidArgument("name", anonymizer.name, "a name that is not registered yet")
    _REGISTERED[anonymizer.name] = anonymizer
    return anonymizer


def anonymizer(name: str) -> Anonymizer:
    """Return a registered anonymizer by name.

    Raises
    ------
    InvalidArgument
        If there is none of that name; lists those there are.
    """
    found = anonymizers().get(name)
    if found is None:
        raise InvalidArgument("method", name, f"one of {', '.join(sorted(anonymizers()))}")
    return found


def anonymizers() -> Mapping[str, Anonymizer]:
    """Return every registered anonymizer by name."""
    from importlib import import_module

    # Importing the list of methods is what registers them.
    import_module("kproof.models.methods")

    return dict(_REGISTERED)
