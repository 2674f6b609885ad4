"""What whoever knows a net believes of the marking that it began with.

She knows the net, which initial markings there may have been and how probable each was, and sees
something of how the run ended. Her posterior is the prior of every initial marking times the
probability that the net comes from it to just this end. For the θ-sensitive publisher
:func:`~kproof.models.attacks.knowing.beliefs.method_beliefs` finds the same without a look at every
table; this is for any net whose runs end, and for as many initial markings as can be explored. A
net that works in stages is explored with its finished items forgotten
(:func:`~kproof.petri.spaces.stages.forget`): from then on all initial markings that differ in them
alone are one state.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from kproof.errors import DataError, InvalidArgument
from kproof.petri.net.marking import Marking
from kproof.petri.spaces.simulate import in_order, mean, worths_of
from kproof.petri.spaces.space import StateSpace
from kproof.petri.spaces.stages import Items, StagedSpace
from kproof.theory.exact.typed import Number, rational

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class Prediction:
    """What is believed of the initial marking after the end of a run was seen."""

    posterior: Mapping[Marking, Fraction]
    """Of every initial marking that the run can have begun with, if choices are even."""
    probability: Fraction
    """That a run ends so, over the prior and all choices."""
    _weights: Mapping[Marking, tuple[Fraction, Fraction]]
    """Prior times the least and the largest probability of ending so, over all rules that decide
    choices."""

    def of(self, secret: Callable[[Marking], T]) -> dict[T, Fraction]:
        """Return the probability of each value that something of the initial marking may have."""
        sums: dict[T, Fraction] = defaultdict(Fraction)
        for marking, share in self.posterior.items():
            sums[secret(marking)] += share
        return dict(sums)

    def ranges(self, secret: Callable[[Marking], T]) -> dict[T, tuple[Fraction, Fraction]]:
        """Return between which probabilities that of each value is, however choices are decided.

        A rule may decide by all that it sees, the whole initial marking included, and she knows
        it. Whoever decides by less may not reach the ends of these ranges.
        """
        least: dict[T, Fraction] = defaultdict(Fraction)
        most: dict[T, Fraction] = defaultdict(Fraction)
        for marking, (low, high) in self._weights.items():
            least[secret(marking)] += low
            most[secret(marking)] += high
        all_least, all_most = sum(least.values(), Fraction(0)), sum(most.values(), Fraction(0))
        ranges = {}
        for value in most:
            if most[value]:
                against, least_against = all_most - most[value], all_least - least[value]
                # With nothing against it a value is certain, even if its own end can be avoided:
                # that end was seen.
                low = least[value] / (least[value] + against) if against else Fraction(1)
                ranges[value] = low, most[value] / (most[value] + least_against)
        return ranges


def predict(
    space: StateSpace, prior: Mapping[Marking, Number], seen: Callable[[Marking], bool]
) -> Prediction:
    """Return what is believed of the initial marking by who knows the net and sees its end.

    Args:
        space: What :func:`~kproof.petri.spaces.explore.explore` found from all initial markings,
            its arcs included; full.
        prior: How probable each of its initial markings was: positive, 1 in all.
        seen: Whether the marking in which a run ended looks like what was seen.

    Raises:
        InvalidArgument: If the space is a part, or the prior is not one of its initial markings.
        DataError: If no run ends in what was seen.
        NetError: If some run goes on for ever.

    Of two rows one is shown; whoever sees Flu believes that both have it:

    >>> from kproof.petri.net.colours import Enumeration
    >>> from kproof.petri.net.net import NetBuilder
    >>> from kproof.petri.net.terms import Constant, Variable
    >>> from kproof.petri.spaces.explore import explore
    >>> ill = Enumeration("Illness", ("Flu", "HIV"))
    >>> build = NetBuilder("show one")
    >>> build.place("Table", ill)
    >>> build.place("Shown", ill)
    >>> build.place("Rest", ill)
    >>> x, y = Variable("x", ill), Variable("y", ill)
    >>> build.transition("show", takes={"Table": x + y}, puts={"Shown": x, "Rest": y})
    >>> net = build.net()
    >>> rows = {"Flu": 2}, {"Flu": 1, "HIV": 1}
    >>> tables = [Marking.of(net.places, {"Table": table}) for table in rows]
    >>> space = explore(net, initial=tables)
    >>> believed = predict(space, dict.fromkeys(tables, "1/2"), lambda end: "Flu" in end["Shown"])
    >>> believed.of(lambda table: table["Table"].get("HIV", 0))
    {0: Fraction(2, 3), 1: Fraction(1, 3)}
    """
    ends = [state for state in space.dead.tolist() if seen(space.marking(state))]
    return _predict(space, prior, ends, ())


def predict_row(staged: StagedSpace, prior: Mapping[Marking, Number], row: Items) -> Prediction:
    """Return what is believed of the initial marking by who sees the row that a net ends with.

    Args:
        staged: What :func:`~kproof.petri.spaces.stages.forget` found from all initial markings;
            full.
        prior: As for :func:`predict`.
        row: The items, as the net leaves them.

    Raises:
        InvalidArgument: If the row has another length; and as for :func:`predict`.
        DataError, NetError: As for :func:`predict`.
    """
    if len(row) != staged.items:
        raise InvalidArgument("row", f"{len(row)} items", f"{staged.items} items")
    space, forgotten = staged.space, staged.forgotten
    ends = [
        state
        for state in space.dead.tolist()
        if staged.ends[state]
        and staged.row(state)[int(forgotten[state]) :] == row[int(forgotten[state]) :]
    ]
    barred = {
        arc
        for arc, items in staged.emissions.items()
        # What comes before was forgotten, so compared, on the way there.
        if items != row[int(forgotten[space.sources[arc]]) :][: len(items)]
    }
    return _predict(space, prior, ends, barred)


def _predict(
    space: StateSpace, prior: Mapping[Marking, Number], ends: list[int], barred: Collection[int]
) -> Prediction:
    if not space.full:
        raise InvalidArgument("space", space.extent, "a space of which all states were explored")
    space.require_arcs()
    roots = {space.marking(root): root for root in space.roots.tolist()}
    shares = {
        marking: rational("prior", share, above=0, most=1) for marking, share in prior.items()
    }
    if shares.keys() != roots.keys() or sum(shares.values()) != 1:
        raise InvalidArgument(
            "prior",
            f"{len(shares)} markings, {sum(shares.values())} in all",
            f"a share for each of the {len(roots)} initial markings, 1 in all",
        )
    # Once for all three: what a state is worth changes with the rule, the order of states does not.
    order, worth = in_order(space), dict.fromkeys(ends, Fraction(1))
    even, least, most = (
        worths_of(space, order, worth, barred=barred, choose=choose) for choose in (mean, min, max)
    )
    weights = {marking: shares[marking] * even[root] for marking, root in roots.items()}
    probability = sum(weights.values(), Fraction(0))
    if not probability:
        raise DataError(f"net {space.net.name}: no run ends in what was seen")
    return Prediction(
        {marking: weight / probability for marking, weight in weights.items() if weight},
        probability,
        {
            marking: (shares[marking] * least[root], shares[marking] * most[root])
            for marking, root in roots.items()
        },
    )
