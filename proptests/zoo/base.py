"""What an animal of the zoo is: a subject that is broken in one way, and the check that tells."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kproof.models.registry import Kind, Promise
from kproof.proptests.contract import Subject
from kproof.proptests.subjects.native import native_subject

Fault = TypeVar("Fault", bound=Callable[..., Any])


@dataclass(frozen=True)
class Member:
    """A deliberately broken subject."""

    name: str
    """Short and unique in the zoo."""
    subject: Subject
    """What is broken; it promises what a healthy one would."""
    caught_by: str
    """Name of the check that must find the fault."""
    story: str
    """How such a fault comes about, as a sentence."""


def story_of(fault: object) -> str:
    """Return the docstring of a fault on one line: how such a fault comes about."""
    return " ".join((fault.__doc__ or "").split())


@dataclass
class Faults:
    """Collects faulty functions or classes: ``@faults(name, caught_by)`` stands above each."""

    promises: frozenset[Promise]
    """What every one of them promises; a single one may promise more."""
    collected: list[tuple[str, str, Any, frozenset[Promise]]] = field(default_factory=list)

    def __call__(self, name: str, caught_by: str, *more: Promise) -> Callable[[Fault], Fault]:
        """Return a decorator that takes a fault in and leaves it as it is."""

        def collect(fault: Fault) -> Fault:
            self.collected.append((name, caught_by, fault, self.promises.union(more)))
            return fault

        return collect

    def members(
        self, kind: Kind, anonymizer: Callable[[Any], Callable[..., Any]] = lambda fault: fault
    ) -> tuple[Member, ...]:
        """Return what was collected as broken subjects, by way of what each publishes with."""
        return tuple(
            Member(
                name,
                native_subject(anonymizer(fault), kind=kind, promises=promises, name=name),
                caught_by,
                story_of(fault),
            )
            for name, caught_by, fault, promises in self.collected
        )


_LARGEST: defaultdict[str, int] = defaultdict(int)


def largest(k: int, of: str) -> int:
    """Return the largest k that a broken subject was ever asked for in this process.

    What it publishes with that is as anonymous as was asked for, and the same each time it is
    asked again; but it depends on who asked before. A server that has run for a day answers
    otherwise than one that has just been started.
    """
    _LARGEST[of] = max(_LARGEST[of], k)
    return _LARGEST[of]
