"""The state machine of a publishing service over any anonymizer, and how to run one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import Phase
from hypothesis import seed as seeded
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from kproof.errors import InvalidArgument
from kproof.models.base.parameters import SEED
from kproof.models.registry import Kind
from kproof.proptests.api import options_of_several_runs
from kproof.proptests.contract import Subject
from kproof.proptests.running import in_silence
from kproof.proptests.stateful.cities import CityService
from kproof.proptests.stateful.service import Opener, Service, open_service
from kproof.proptests.stateful.tables import TableService
from kproof.theory.exact.typed import Number, integer

_SERVICES: Mapping[Kind, type[Service]] = {Kind.TABLE: TableService, Kind.CITY: CityService}


def publishing_service(
    service: Subject | Opener,
    *,
    options: Mapping[str, Any] | None = None,
    only: Iterable[str] | None = None,
    composing: bool = False,
    **how: Any,
) -> type[Service]:
    """Return the state machine of a publishing service over somebody's anonymizer.

    Args:
        service: A subject, or a function without arguments that opens a service: returns a subject,
            or an anonymizer as :func:`kproof.check_anonymizer` takes it. It is called for every run
            and for every comparison, so that a service that keeps something is compared with one
            that has nothing to keep yet.
        options: Parameters of every request besides those that are drawn.
        only: Names of checks and :data:`INVARIANTS` to look at; all of them unless given.
        composing: Whether a run ends, with
            :class:`~kproof.proptests.stateful.composition.Composed`, when publications together
            disclose what none of them does. Otherwise that is only counted, as an event in
            Hypothesis's statistics.
        **how: As for :func:`kproof.check_anonymizer`, if the service is not a subject:
            ``promises``, ``kind``, ``errors``, …

    Returns:
        Its ``TestCase`` is what pytest collects.

    Raises:
        InvalidArgument: If it takes neither tables nor a city.

    A service that reads k once, and keeps it:

    >>> from kproof.proptests.zoo.stateful import member
    >>> machine = publishing_service(member("the first k").opens, only=["k-anonymity"])
    >>> run(machine, smallest=False).invariant
    'k-anonymity'
    >>> publishing_service(lambda: "k-degree")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: service = k-degree: need an anonymizer of tables or of cities
    """
    how = options_of_several_runs(how)
    opener = service if not isinstance(service, Subject) else lambda: service
    subject, _ = open_service(opener, how)
    if subject.kind not in _SERVICES:
        raise InvalidArgument("service", subject.name, "an anonymizer of tables or of cities")
    members = {
        "__doc__": f"A publishing service over {subject.name}.",
        "opener": staticmethod(opener),
        "how": how,
        "options": dict(options or {}),
        "only": None if only is None else frozenset(only),
        "composing": composing,
    }
    return type("PublishingService", (_SERVICES[subject.kind],), members)


def run(
    machine: type[RuleBasedStateMachine],
    *,
    examples: Number = 100,
    steps: Number = 12,
    seed: Number = 0,
    smallest: bool = True,
) -> AssertionError | None:
    """Run a state machine in silence and return what it fails with; None if it does not.

    That is a :class:`ServiceBroken`, or whatever else the machine raises. There are so many
    examples, of at most so many steps. Looking for the shortest and simplest run that fails takes
    longer.
    """
    limits = in_silence(
        max_examples=integer("examples", examples, least=1),
        stateful_step_count=integer("steps", steps, least=1),
        phases=[Phase.generate, Phase.target, *([Phase.shrink] if smallest else [])],
    )
    # The seed is a mark on the class, which is the caller's.
    subclass = seeded(SEED.read(seed))(type(machine.__name__, (machine,), {}))
    try:
        run_state_machine_as_test(subclass, settings=limits)
    except AssertionError as failure:
        return failure
    return None
