"""A publishing service: one anonymizer, asked again and again while its data change.

A check of the suite looks at one request. A service has a past, and a promise can break over it: a
cache answers for data that are gone, what was published once is overwritten, parameters of the
last request stay. The state machines of this package draw such pasts. After every request they
ask whether

- what is published keeps every promise that the suite has a check for;
- nothing that was published earlier has changed;
- what cannot be served is refused, with an error the anonymizer documents;
- an anonymizer that has just been opened answers the same.

That each publication keeps its promises does not mean that all of them together keep anybody's
secret: :mod:`~kproof.proptests.stateful.composition` says what they leave, as a finding about the
promise, not a fault of whoever keeps it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache, wraps
from typing import Any, ClassVar, TypeAlias

import numpy as np
from hypothesis import event, target
from hypothesis.stateful import RuleBasedStateMachine

from kproof.models.registry import Kind, Promise
from kproof.proptests.api import subject_of
from kproof.proptests.checks import checks
from kproof.proptests.checks.releases import fingerprint
from kproof.proptests.contract import Check, Refusal, Severity, Subject, TablePublication, Trial
from kproof.proptests.judgement import Violation
from kproof.proptests.running import look
from kproof.proptests.stateful.composition import Candidates, Composed
from kproof.proptests.subjects.adapters import contents as cells

Opener: TypeAlias = "Callable[[], Any]"
"""Opens a service: returns a subject, or a function as check_anonymizer takes it."""

REFUSES = "what cannot be served is refused"
KEPT = "earlier publications stay as they were"
TRACELESS = "earlier requests leave no trace"

INVARIANTS: tuple[str, ...] = (REFUSES, KEPT, TRACELESS)
"""What must hold of every service besides the checks of its promises."""


@dataclass(frozen=True, eq=False)
class ServedRequest:
    """One request to a service."""

    case: Any
    """What was asked."""
    outcome: Any
    """A publication, or a :class:`~kproof.proptests.contract.Refusal`."""
    people: tuple[int, ...]
    """Who was behind each row of a table, or behind each request from a city: numbers that only
    the oracle knows."""

    @property
    def published(self) -> bool:
        """Whether anything was published."""
        return not isinstance(self.outcome, Refusal)

    def __str__(self) -> str:
        """Return the request and what came of it on one line."""
        settings = ", ".join(f"{name}={value}" for name, value in self.case.parameters.items())
        came = "published" if self.published else f"refused, {self.outcome}"
        return f"{settings}, for {', '.join(map(str, self.people)) or 'nobody'}: {came}"


class ServiceBroken(AssertionError):
    """An invariant of a publishing service does not hold.

    Attributes:
        invariant: Name of the check, or one of :data:`INVARIANTS`.
        violation: What is wrong, in numbers.
        history: Every request up to then.
    """

    def __init__(
        self, invariant: str, violation: Violation, history: Iterable[ServedRequest]
    ) -> None:
        self.invariant = invariant
        self.violation = violation
        self.history = tuple(history)
        requests = [
            f"request {number}: {request}" for number, request in enumerate(self.history, 1)
        ]
        super().__init__("\n".join((f"{invariant}: {violation.sentence}", *requests)))


class Service(RuleBasedStateMachine):
    """What the services for tables and for cities share.

    A service can also be driven by hand: its rules are methods.

    Attributes:
        opener: Opens a service.
        how: How a function becomes a subject: options of :func:`kproof.check_anonymizer`.
        options: Parameters of every request besides those that are drawn.
        only: Names of the invariants that are looked at; all of them if None.
        composing: Whether a composition that discloses ends a run.
        history: Every request so far.
    """

    opener: ClassVar[Opener]
    how: ClassVar[Mapping[str, Any]] = {}
    options: ClassVar[Mapping[str, Any]] = {}
    only: ClassVar[frozenset[str] | None] = None
    composing: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__()
        self.subject, self._returned = open_service(type(self).opener, self.how)
        self.history: list[ServedRequest] = []
        self._shown: list[object] = []
        self._shelf: list[tuple[Any, object]] = []

    def request(self, case: Any, people: tuple[int, ...]) -> Any:
        """Put a case to the service, look at every invariant, and return what it answers.

        Raises:
            ServiceBroken: If an invariant does not hold.
        """
        outcome = Trial(self.subject, case).outcome
        self.history.append(ServedRequest(case, outcome, people))
        # The past first: what changed under this call is named, whatever else its answer breaks.
        self._keeps()
        self._refuses(outcome)
        self._holds(case, outcome)
        if self.composing:
            for candidates in self.candidates():
                if candidates.disclosed:
                    raise Composed(candidates, self.history)
        return outcome

    def candidates(self) -> list[Candidates]:
        """Return what an adversary with every publication so far is left with for each person."""
        return []

    def fresh(self) -> Subject:
        """Open another service, which has no past."""
        return open_service(type(self).opener, self.how)[0]

    def teardown(self) -> None:
        """Count what publications disclose together, and lead the search towards it."""
        # Whoever looks at some invariants only is spared the matching of all publications.
        if self.only is not None and not self.composing:
            return
        persons = self.candidates()
        if any(candidates.disclosed for candidates in persons):
            event("publications together disclose what none of them does")
        if persons:
            target(
                -min(len(candidates.left) for candidates in persons), label="fewest candidates left"
            )

    def looks_at(self, invariant: str) -> bool:
        """Say whether an invariant, or a check, is to be looked at."""
        return self.only is None or invariant in self.only

    def fail(self, invariant: str, sentence: str, actual: str, expected: str) -> None:
        """Say that an invariant does not hold, if it is one that is looked at."""
        if self.looks_at(invariant):
            raise ServiceBroken(invariant, Violation(sentence, actual, expected), self.history)

    def _keeps(self) -> None:
        # The last publication has nothing yet that it could differ from.
        for number, (answer, before) in enumerate(zip(self.history, self._shown, strict=False), 1):
            if contents(answer.outcome) != before:
                self.fail(KEPT, f"publication {number} has changed", "changed", "unchanged")
        for number, (result, then) in enumerate(self._shelf, 1):
            if _plain(result) != then:
                self.fail(KEPT, f"what call {number} returned has changed", "changed", "unchanged")
        for answer in self.history[len(self._shown) :]:
            self._shown.append(contents(answer.outcome))
        for result in self._returned[len(self._shelf) :]:
            self._shelf.append((result, _plain(result)))

    def _refuses(self, outcome: object) -> None:
        if isinstance(outcome, Refusal) and not outcome.documented:
            kind = type(outcome.error).__name__
            self.fail(REFUSES, f"an error it does not document: {outcome}", kind, "a refusal")

    def _holds(self, case: Any, outcome: Any) -> None:
        """Look at the checks; whatever else they ask is asked of services without a past."""

        def publish(request: Any) -> Any:
            # By identity: an equal case that a check asks once more is a question of its own.
            if request is not case:
                return self.fresh().publish(request)
            if isinstance(outcome, Refusal):
                raise outcome.error
            return outcome

        trial = Trial(replace(self.subject, publish=publish), case)
        for check in _of_one_request(self.subject.kind, self.subject.promises):
            if self.looks_at(check.name):
                judgement = look(check, trial)
                if isinstance(judgement, Violation):
                    raise ServiceBroken(check.name, judgement, self.history)
        if self.looks_at(TRACELESS) and contents(outcome) != contents(
            Trial(self.fresh(), case).outcome
        ):
            sentence = "a service that has just been opened answers this request in another way"
            self.fail(TRACELESS, sentence, "two answers", "one")


def open_service(opener: Opener, how: Mapping[str, Any]) -> tuple[Subject, list[Any]]:
    """Open a service; return it as a subject, and the list of what its function returns."""
    service = opener()
    if isinstance(service, Subject):
        return service, []
    if not callable(service) or isinstance(service, type):
        return subject_of(service, **how), []
    returned: list[Any] = []

    @wraps(service)
    def remember(*arguments: Any, **keywords: Any) -> Any:
        # What is read of a frame is a copy. A caller has the frame itself, and that is what may
        # change.
        returned.append(service(*arguments, **keywords))
        return returned[-1]

    return subject_of(remember, **how), returned


def contents(outcome: Any) -> object:
    """Return what was published as plain values, the account behind it included."""
    if not isinstance(outcome, TablePublication):
        return fingerprint(outcome)
    cells = {name: list(map(repr, values)) for name, values in outcome.columns.items()}
    account = outcome.release
    arrays = {
        field.name: getattr(account, field.name).tolist()
        for field in (fields(account) if is_dataclass(account) else ())
        if isinstance(getattr(account, field.name), np.ndarray)
    }
    return cells, arrays


def _plain(value: Any) -> object:
    """Return what a function returned, a frame or anything else, as plain values."""
    return cells(value) if hasattr(value, "columns") else repr(value)


@lru_cache(maxsize=64)
def _of_one_request(kind: Kind, promises: frozenset[Promise]) -> tuple[Check, ...]:
    """Return the checks of what one publication is, not of how the anonymizer behaves."""
    return tuple(
        check
        for check in checks(kind)
        if (not check.promises or check.promises & promises)
        and check.severity is not Severity.CONDUCT
        and not check.costly
    )
