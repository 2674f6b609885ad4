"""Unfolding: a coloured net as one without colours, if few firings are all that can happen.

A **field** is a place with one of its tokens, an **instance** a transition with one binding. They
are found by saturation: whatever tokens may come to a place are taken to be there in plenty, and
what fires with them brings more, until nothing new comes. Inhibitor arcs bar nothing meanwhile.
Colours may be open and transitions may call functions; each guard and choice is worked out once.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kproof.errors import NetError
from kproof.petri.net.colours import Token
from kproof.petri.net.compiled import Changes, Compiled
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net
from kproof.petri.net.writing import Values

INSTANCES = 2**15
"""Most instances: each is looked at in every state."""
WORK = 2**20
"""Most combinations of tokens that are tried to find them."""
Entries = tuple[tuple[int, int], ...]
"""Fields with counts."""


@dataclass(frozen=True)
class TransitionInstance:
    """A transition with one binding."""

    transition: Compiled
    values: Values
    """What fires."""
    demand: Entries
    """What must be there."""
    change: Entries
    """By how much a firing changes each field; no entry is zero."""
    inhibitors: Entries = ()
    """Of what there must be fewer."""


@dataclass(frozen=True)
class Unfolding:
    """A net without colours."""

    fields: tuple[tuple[int, Token], ...]
    """Place, as its position in the net, and token of each field, in the order of both."""
    instances: tuple[TransitionInstance, ...]
    """Whatever may fire, in the order of transitions and their bindings."""


def unfold(
    net: Net,
    transitions: Sequence[Compiled],
    roots: Sequence[Marking],
    *,
    instances: int = INSTANCES,
    work: int = WORK,
    tick: Callable[[], object] = int,
) -> Unfolding:
    """Return the unfolding of what can be reached from the roots.

    Calls ``tick`` for each instance; whatever it raises ends the unfolding. A NetError says that
    there is none within the limits; or that a function fails, an arc takes a negative count or a
    token is not of its place's colour, perhaps with tokens that are never there together.
    """
    # Counts are left out: a token that can come is there without end, which
    # leaves out nothing that can fire.
    plenty: list[dict[Token, float]] = [
        {token: math.inf for root in roots for token in root[place.name]} for place in net.places
    ]
    firings: list[dict[Values, Changes]] = [{} for _ in transitions]
    fresh = set(range(len(net.places)))
    first, remaining = True, instances
    # Tokens are only ever added and instances are limited, so that a round comes that adds nothing.
    while fresh or first:
        grown: set[int] = set()
        for inhibited, changes_of in zip(transitions, firings, strict=True):
            # With plenty of every token an inhibitor arc would bar what may well fire.
            transition = inhibited.uninhibited or inhibited
            # Only new tokens on its inputs can give a transition new bindings.
            if not (first or fresh.intersection(transition.inputs)):
                continue
            # The dictionaries themselves grow below, but each list of bindings is whole by then.
            tokens = [plenty[place] for place in transition.inputs]
            # Before the search, since it is what takes so long; what was tried in earlier rounds
            # counts again.
            work -= transition.work([len(multiset) for multiset in tokens])
            if work < 0:
                raise NetError(f"net {net.name}: too many combinations of tokens to unfold it")
            for values in transition.bindings(tokens):
                if values in changes_of:
                    continue
                tick()
                changes_of[values] = transition.changes(*values)
                remaining -= 1
                if remaining < 0:
                    raise NetError(f"net {net.name}: more than {instances} different firings")
                for place, amounts in changes_of[values]:
                    for token, _ in amounts:
                        if token not in plenty[place]:
                            plenty[place][token] = math.inf
                            grown.add(place)
        fresh, first = grown, False
    return _number_fields(net, transitions, plenty, firings, tick)


def _number_fields(
    net: Net,
    transitions: Sequence[Compiled],
    plenty: Sequence[dict[Token, float]],
    firings: Sequence[dict[Values, Changes]],
    tick: Callable[[], object],
) -> Unfolding:
    fields = [
        (number, token)
        for number, place in enumerate(net.places)
        for token in sorted(plenty[number], key=place.colour.rank)
    ]
    field = {key: number for number, key in enumerate(fields)}
    positions = {place.name: number for number, place in enumerate(net.places)}
    instances = []
    for transition, changes_of in zip(transitions, firings, strict=True):
        for values in transition.sort(list(changes_of)):
            tick()
            # Every token of a demand has a field: the binding was found among them.
            demand = tuple(
                (field[positions[place], token], count)
                for place, tokens in transition.demand(values).items()
                for token, count in tokens.items()
            )
            change = tuple(
                (field[place, token], amount)
                for place, amounts in changes_of[values]
                for token, amount in amounts
            )
            # Tokens that never come to their place bar nothing.
            inhibitors = tuple(
                (field[positions[place], token], count)
                for place, tokens in transition.inhibitors(values).items()
                for token, count in tokens.items()
                if (positions[place], token) in field
            )
            instances.append(TransitionInstance(transition, values, demand, change, inhibitors))
    return Unfolding(tuple(fields), tuple(instances))
