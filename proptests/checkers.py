"""Checkers as subjects: privacy models that are held to their definitions like anonymizers.

A case is taken as a published table: rows that agree on all quasi-identifiers are a class. kproof's
own models are subjects here, and anybody's model with a ``check`` of the same form can be one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from kproof.errors import InvalidArgument
from kproof.models import privacy
from kproof.models.api import PrivacyModel
from kproof.models.base.missing import MissingAs
from kproof.models.registry import Claim, Kind
from kproof.models.tables.published import classes_of_frame
from kproof.proptests.contract import Subject, TableCase, TableVerdict
from kproof.proptests.labels.frames import frame_of
from kproof.proptests.oracles import DEFINITIONS

_FIXED: Mapping[str, Mapping[str, str]] = {
    "(alpha,k)-anonymity": {"alpha": "1/2"},
    "recursive (c,l)-diversity": {"c": "3/2"},
    "delta-disclosure": {"delta": "1"},
}


def checker_subject(
    definition: str,
    factory: Callable[..., PrivacyModel],
    *,
    fixed: Mapping[str, Any] | None = None,
    name: str | None = None,
    recipe: tuple[str, ...] | None = None,
) -> Subject:
    """Return a privacy model as a subject of the suite.

    Parameters
    ----------
    definition
        What it is to decide: one of :data:`kproof.proptests.oracles.DEFINITIONS`.
    factory
        Takes the parameters of the definition in their order and returns the model.
    fixed
        Values of parameters that are not taken from a case.
    name
        What a reader knows it by; the definition unless given.
    recipe
        As for :class:`~kproof.proptests.contract.Subject`.

    Raises
    ------
    InvalidArgument
        If there is no such definition.

    Examples
    --------
    >>> from kproof.models.privacy import KAnonymity
    >>> subject = checker_subject("k-anonymity", KAnonymity)
    >>> subject.publish(TableCase({"age": (34, 34)}, ("age",), None, parameters={"k": 2})).holds
    True
    """
    if definition not in DEFINITIONS:
        raise InvalidArgument("definition", definition, f"one of {', '.join(DEFINITIONS)}")
    values = dict(fixed or {})
    return Subject(
        name=name or definition,
        kind=Kind.TABLE,
        claims=frozenset({Claim.DECIDES, Claim.ORDER_INDEPENDENT}),
        publish=partial(_decided, definition, factory, values),
        parameters=frozenset(DEFINITIONS[definition].parameters) - values.keys(),
        source="the definition of the model",
        recipe=recipe,
    )


def checkers() -> tuple[Subject, ...]:
    """Return kproof's own privacy models as subjects, one for each definition."""
    return tuple(map(own_checker, DEFINITIONS))


def own_checker(definition: str) -> Subject:
    """Return kproof's model of one definition as a subject.

    Raises
    ------
    InvalidArgument
        If there is no such definition.
    """
    recipe = ("kproof.proptests.checkers:own_checker", definition)
    return checker_subject(
        definition,
        partial(_own, definition),
        fixed=_FIXED.get(definition),
        name=f"checker of {definition}",
        recipe=recipe,
    )


def _own(definition: str, *parameters: Any) -> PrivacyModel:
    models: Mapping[str, Callable[..., PrivacyModel]] = {
        "k-anonymity": privacy.KAnonymity,
        "(alpha,k)-anonymity": privacy.AlphaK,
        "l-diversity": privacy.DistinctL,
        "entropy l-diversity": privacy.EntropyL,
        "recursive (c,l)-diversity": privacy.RecursiveCL,
        "p-sensitivity": privacy.PSensitive,
        "p+-sensitivity": privacy.PPlusSensitive,
        "(p,alpha)-sensitivity": privacy.PAlphaSensitive,
        "theta-sensitivity": privacy.ThetaSensitivity,
        "t-closeness": privacy.TCloseness,
        "ordered t-closeness": partial(privacy.TCloseness, distance="ordered"),
        "basic beta-likeness": privacy.BasicBeta,
        "enhanced beta-likeness": privacy.EnhancedBeta,
        "delta-disclosure": privacy.DeltaDisclosure,
    }
    return models[definition](*parameters)


def _decided(
    definition: str,
    factory: Callable[..., PrivacyModel],
    fixed: Mapping[str, Any],
    case: TableCase,
) -> TableVerdict:

    given = {**case.parameters, **fixed}
    asked = {name: given[name] for name in DEFINITIONS[definition].parameters}
    model = factory(*asked.values())
    classes = classes_of_frame(
        frame_of(case),
        quasi_identifiers=case.quasi_identifiers,
        sensitive=case.sensitive,
        categories=case.categories,
        missing_as=MissingAs.VALUE,
        missing=(),
    )
    return TableVerdict(definition, model.check(classes).holds, asked)
