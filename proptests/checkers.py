"""Checkers as subjects: privacy models that are held to their definitions like anonymizers.

A case is taken as a published table: rows that agree on all quasi-identifiers are a class. kproof's
own models are subjects here, and anybody's model with a ``check`` of the same form can be one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from kproof.errors import InvalidArgument, one_of
from kproof.models.base.missing import MissingAs
from kproof.models.privacies import MODELS
from kproof.models.registry import Kind, PrivacyModel, Promise
from kproof.models.tables.published import classes_of_frame
from kproof.proptests.contract import Subject, TableCase, TableVerdict
from kproof.proptests.demands import is_drawn
from kproof.proptests.labels.frames import frame_of
from kproof.proptests.oracles import DEFINITIONS

_READ_OTHERWISE: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "ordered t-closeness": ("t-closeness", {"distance": "ordered"})
}
"""Definitions that an option of a registered model makes of it."""


def checker_subject(
    definition: str, factory: Callable[..., PrivacyModel], *, name: str | None = None
) -> Subject:
    """Return a privacy model as a subject that is to decide one of the ``DEFINITIONS`` of oracles.

    ``factory`` takes the parameters of the definition in their order and returns the model.

    >>> from kproof.models.privacy import KAnonymity
    >>> subject = checker_subject("k-anonymity", KAnonymity)
    >>> subject.publish(TableCase({"age": (34, 34)}, ("age",), None, parameters={"k": 2})).holds
    True
    """
    if definition not in DEFINITIONS:
        raise InvalidArgument("definition", definition, one_of(definition, DEFINITIONS))
    decider = _Decider(definition, factory, DEFINITIONS[definition].parameters, {})
    return decider.subject(name or definition)


def checkers() -> tuple[Subject, ...]:
    """Return kproof's own privacy models as subjects, one for each that is registered."""
    return tuple(map(own_checker, (*MODELS, *_READ_OTHERWISE)))


def own_checker(name: str) -> Subject:
    """Return a registered model as a subject."""
    registered, options = _READ_OTHERWISE.get(name, (name, {}))
    entry = MODELS.entry(registered)
    # A parameter that no case has a value for would leave the model untried: it has its example.
    fixed = {key: spec.example for key, spec in entry.parameters.items() if not is_drawn(spec)}
    decider = _Decider(name, partial(entry.model, **options), tuple(entry.parameters), fixed)
    return decider.subject(f"checker of {name}", ("kproof.proptests.checkers:own_checker", name))


@dataclass(frozen=True, eq=False)
class _Decider:
    """A model, asked for its verdict on a case."""

    definition: str
    factory: Callable[..., PrivacyModel]
    names: tuple[str, ...]
    fixed: Mapping[str, Any]

    def subject(self, name: str, recipe: tuple[str, ...] | None = None) -> Subject:
        return Subject(
            name,
            Kind.TABLE,
            frozenset({Promise.DECIDES, Promise.ORDER_INDEPENDENT}),
            self,
            frozenset(self.names) - self.fixed.keys(),
            source="the definition of the model",
            recipe=recipe,
        )

    def __call__(self, case: TableCase) -> TableVerdict:
        """Take the case for a published table."""
        values = {**case.parameters, **self.fixed}
        parameters = {name: values[name] for name in self.names}
        model = self.factory(*parameters.values())
        # The definitions know no text that stands for nothing, and take a missing value for one
        # more value: read in another way, model and definition would be asked about different
        # tables.
        classes = classes_of_frame(
            frame_of(case),
            quasi_identifiers=case.quasi_identifiers,
            sensitive=case.sensitive,
            categories=case.categories,
            missing_as=MissingAs.VALUE,
            missing=(),
        )
        return TableVerdict(self.definition, model.check(classes).holds, parameters)
