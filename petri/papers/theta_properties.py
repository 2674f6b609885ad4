"""What the paper claims of its publishers, as properties of their nets.

Each is asked of every reachable marking and every run, not of one: publications and every table on
the way to them, over all ties. Predicates look at one place, so that each different multiset of
tokens is judged once, however many markings have it.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Definition 10,
Algorithm 1, Rule (9), Tables 8a and 8b.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kproof.petri.logic.ctl import And
from kproof.petri.logic.predicates import HoldsIn, marked
from kproof.petri.logic.properties import Property, deadlock, invariant, reachable, terminating
from kproof.petri.net.colours import Colour, Product
from kproof.petri.net.marking import Multiset
from kproof.petri.papers.classes import EC, ByRecord, ECs
from kproof.petri.papers.publisher import DISCLOSED, GAINS_NOTHING, INFEASIBLE, Publisher

_NOTHING = "nothing is published"


def publisher_properties(
    publisher: Publisher, *, reaches: Mapping[str, Sequence[Sequence[object]]] | None = None
) -> tuple[Property, ...]:
    """Return the properties of a publisher's net, with those of its attackers if it has any.

    Runs end, and only in a publication or in Infeasible; published classes have k rows (on the
    level of records also k people), and V ≥ θ if that is what the publisher promises; wherever
    the whole table is, no record of the publisher's own table is lost and what was added is
    noise; each table of ``reaches``, by name the sensitive values of classes, can be published; no
    adversary ever holds anything. What is about publications is not applicable where there is none.

    >>> from kproof.petri.spaces.explore import explore
    >>> from kproof.petri.logic.properties import check
    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> publisher = theta_publisher([["HIV", "HIV"], ["Flu", "Cancer"]], k=2)
    >>> swapped = [["HIV", "Flu"], ["Cancer", "HIV"]]
    >>> claims = publisher_properties(publisher, reaches={"swapped": swapped})
    >>> for verdict in check(explore(publisher.net()), claims):
    ...     print(verdict)
    every run ends: true (7 states)
    ends are publications or infeasible: true (7 states)
    k rows in every class: true (7 states)
    V >= theta in every class: true (7 states)
    records are kept, noise apart: true (7 states)
    swapped can be published: true (example of 3 steps)
    """
    net, multiset, judges = publisher.net(), publisher.kind.multiset, publisher.judges
    published = marked(publisher.published) >= 1
    infeasible = marked(INFEASIBLE) >= 1
    judged: dict[str, Callable[[Publisher, EC], bool]] = {
        "k rows in every class": lambda _, ec: sum(multiset(ec).values()) >= publisher.k
    }
    if isinstance(publisher.kind, ByRecord):
        judged["k people in every class"] = lambda _, ec: (
            sum(not record.dummy for record in ec) >= publisher.k
        )
    if publisher.threshold is not None:
        judged["V >= theta in every class"] = Publisher.reaches_theta
    properties: list[Property] = [
        terminating(),
        deadlock(published | infeasible, name="ends are publications or infeasible"),
        *(
            invariant(name, _every_class(publisher, name, of), about=published, absent=_NOTHING)
            for name, of in judged.items()
        ),
    ]
    preserved = tuple(
        HoldsIn(f"kept in {place.name}", place.name, _keeps_records(publisher, place.colour))
        for place in net.places
        if _has_tables(publisher, place.colour)
    )
    properties.append(invariant("records are kept, noise apart", And(preserved)))
    properties += [
        reachable(f"{name} can be published", _publishes(publisher, name, classes))
        for name, classes in (reaches or {}).items()
    ]
    if DISCLOSED in net.place:
        nothing = marked(DISCLOSED).equals(0)
        # Each attack has someone to judge.
        attacked = _of_publications(
            publisher, "attacked", lambda tables: any(judges is None or judges(t) for t in tables)
        )
        absent = f"{_NOTHING} that goes with what is known"
        properties.append(invariant(GAINS_NOTHING, nothing, about=attacked, absent=absent))
    return tuple(properties)


def _of_publications(
    publisher: Publisher, name: str, holds: Callable[[Iterator[ECs]], bool]
) -> HoldsIn:
    """Return the predicate that something holds of what is published, if anything is."""
    return HoldsIn(name, publisher.published, lambda multiset: holds(_tokens(multiset)))


def _every_class(
    publisher: Publisher, name: str, holds: Callable[[Publisher, EC], bool]
) -> HoldsIn:
    """Return the predicate that every published class has a property."""
    return _of_publications(
        publisher, name, lambda tables: all(holds(publisher, ec) for ecs in tables for ec in ecs)
    )


def _publishes(publisher: Publisher, name: str, classes: Sequence[Sequence[object]]) -> HoldsIn:
    target = [Counter(ec) for ec in classes]
    return _of_publications(
        publisher,
        name,
        lambda tables: any(list(map(Counter, publisher.names(ecs))) == target for ecs in tables),
    )


def _keeps_records(publisher: Publisher, colour: Colour) -> Callable[[Multiset], bool]:
    """Return whether tables among the tokens of a colour have all that the input has."""
    before = Counter(value for ec in publisher.formed.values for value in ec)
    people = {row for ec in publisher.formed.rows for row in ec}

    def keeps(ecs: ECs) -> bool:
        after = Counter(value for ec in publisher.names(ecs) for value in ec)
        # Noise adds rows, so that more is no fault.
        if not before <= after:
            return False
        if not isinstance(publisher.kind, ByRecord):
            return True
        real = [int(record) for ec in ecs for record in ec if not record.dummy]
        # Both: a set does not show a record that is there twice.
        return len(real) == len(people) and set(real) == people

    return lambda multiset: all(
        keeps(ecs) for token in _tokens(multiset) for ecs in _tables(publisher, colour, token)
    )


def _tokens(multiset: Multiset) -> Iterator[Any]:
    """Run through the different tokens; how they are made is known from their place."""
    for token, _ in multiset:
        yield token


def _tables(publisher: Publisher, colour: Colour, token: Any) -> Iterator[ECs]:
    """Run through the whole tables in a token."""
    if colour == publisher.colour:
        yield token
    elif isinstance(colour, Product):
        for part, element in zip(colour.parts, token, strict=True):
            yield from _tables(publisher, part, element)


def _has_tables(publisher: Publisher, colour: Colour) -> bool:
    return colour == publisher.colour or (
        isinstance(colour, Product) and any(_has_tables(publisher, part) for part in colour.parts)
    )
