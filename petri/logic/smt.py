"""Questions to an SMT solver, what became of them, and bounded model checking.

Any net that unfolds can be asked about runs of so many firings, perhaps from an unknown marking.
Each place with each of its tokens is one unknown whole number for every step; a solver then looks
at all runs of a length together, and, if the tokens of some places are left open, at all initial
markings of a size too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from kproof.errors import InvalidArgument, NetError
from kproof.forms import JsonForm
from kproof.petri.net.colours import Token
from kproof.petri.net.compiled import compile_net
from kproof.petri.net.firing import Trace, fire
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net
from kproof.petri.net.terms import Bag, Constant
from kproof.petri.spaces.unfolding import Unfolding, unfold
from kproof.theory.exact.typed import integer

EFFORT = 200_000_000
"""Steps of z3 after which it gives up, about a minute; a clock would depend on the machine."""


class Outcome(StrEnum):
    """How a claim ended."""

    PROVED = "proved"
    REFUTED = "refuted"
    BOUNDED = "not refuted within the bound"
    """No run of up to so many steps is a counterexample; of longer ones nothing is known."""
    UNKNOWN = "unknown"
    """The solver gave up, or its effort was used up."""


@dataclass(frozen=True)
class Proof:
    """What a solver made of a claim."""

    name: str
    claim: str
    """Short name and full sentence."""
    outcome: Outcome
    """Proved if no counterexample exists, refuted if there is one. Where longer runs than the
    scope has might have one, the claim is not refuted within the bound; that is no proof."""
    scope: str
    """What the claim was decided for."""
    witness: tuple[object, ...] = ()
    """The counterexample of a refuted claim, else empty."""
    queries: tuple[str, ...] = field(default=(), repr=False)
    """What was asked, in SMT-LIB 2; the claim is proved, or not refuted within the bound, if
    every answer is ``unsat``."""

    to_dict = JsonForm("name claim outcome scope witness")


def up_to_bound(outcome: Outcome) -> Outcome:
    """Return the outcome of a search that looked at runs up to a bound only."""
    return Outcome.BOUNDED if outcome is Outcome.PROVED else outcome


def solve(query: Sequence[Any], effort: int = EFFORT) -> tuple[Outcome, Any, str]:
    """Ask z3 for a counterexample, which meets all conditions of a query.

    Returns the outcome, a model if there is one, and the query in SMT-LIB 2.
    """
    import z3

    # The simple solver: a limit would make the default one choose a slower strategy.
    solver = z3.SimpleSolver()
    solver.set("rlimit", effort)
    solver.add(*query)
    answer = solver.check()
    text = solver.sexpr() + "(check-sat)\n"
    if answer == z3.unsat:
        return Outcome.PROVED, None, text
    if answer == z3.sat:
        return Outcome.REFUTED, solver.model(), text
    return Outcome.UNKNOWN, None, text


def model_value(model: Any, term: Any) -> int:
    """Return the whole number that a term has in a model; 0 if the model leaves it open."""
    return int(model.eval(term, model_completion=True).as_long())


_EXPECTED = {
    Outcome.PROVED: ", expected: unsat",
    Outcome.BOUNDED: ", expected: unsat",
    Outcome.REFUTED: ", expected: sat",
}


def smt2(proofs: tuple[Proof, ...]) -> str:
    """Return the queries of proofs as one file, with what z3 answered.

    >>> from kproof.petri.papers.theta_smt import lemma
    >>> print(smt2((lemma("swap preserves records"),)))  # doctest: +ELLIPSIS
    ; swap preserves records: proved
    ; after a swap every value has as many rows in both classes together as before
    ; classes of any size, any number of values
    ; query 1 of 1, expected: unsat
    (reset)
    ...
    (check-sat)
    <BLANKLINE>
    """
    lines = []
    for proof in proofs:
        lines += [f"; {proof.name}: {proof.outcome}", f"; {proof.claim}", f"; {proof.scope}"]
        last = len(proof.queries)
        for number, query in enumerate(proof.queries, start=1):
            expected = _EXPECTED.get(proof.outcome, "")
            lines += [f"; query {number} of {last}{expected}", "(reset)", query.rstrip()]
        lines.append("")
    return "\n".join(lines)


Goal = Mapping[str, int | Mapping[Token, int]]
"""By place: at least so many tokens, or at least so many of each of these."""


def unreachable_within(
    net: Net,
    steps: int,
    goal: Goal | None = None,
    *,
    free: Mapping[str, int] | None = None,
    effort: int = EFFORT,
) -> Proof:
    """Decide whether no run of up to so many firings comes to a marking that has the goal.

    Args:
        net: One whose firings can be listed, as the packed engine needs it too.
        steps: 0 or more.
        goal: What the marking has; None asks for markings in which nothing can fire.
        free: By place: instead of the net's own tokens, any so many tokens of the place's colour.
            The claim then is about all these initial markings.
        effort: Steps of z3 after which it gives up.

    Returns:
        Proof: Refuted with a :class:`~kproof.petri.net.firing.Trace` that can be replayed. Never
        proved: of longer runs nothing is known, and the claim is then not refuted within the bound.

    Raises:
        NetError: If the net cannot be unfolded, a place is unknown, or a free place's colour is
            open.
        InvalidArgument: If a number is negative.

    >>> from kproof.petri.net.colours import enumeration
    >>> from kproof.petri.net.net import NetBuilder
    >>> from kproof.petri.net.terms import Variable
    >>> colour = enumeration("C", ["a"])
    >>> x = Variable("x", colour)
    >>> build = NetBuilder("two steps")
    >>> for name in "AB":
    ...     build.place(name, colour)
    >>> build.transition("go", takes={"A": 2 * x}, puts={"B": x})
    >>> proof = unreachable_within(build.net(), 1, {"B": 1}, free={"A": 2})
    >>> print(proof.outcome.value, proof.witness[0].start)
    refuted A: 2·a
    >>> unreachable_within(build.net(), 3, {"B": 2}, free={"A": 3}).outcome.value
    'not refuted within the bound'
    """
    import z3

    steps = integer("steps", steps, least=0)
    unfolding = _unfold_free(net, free or {})
    states = [
        [z3.Int(f"m_{number}_{field}") for field in range(len(unfolding.fields))]
        for number in range(steps + 1)
    ]
    fires = [z3.Int(f"t_{number}") for number in range(steps)]
    query = _initial(net, unfolding, states[0], free or {})
    # Of free places this keeps the sums honest; of later markings it follows from the demands.
    query += [count >= 0 for state in states for count in state]
    for number, choice in enumerate(fires):
        query.append(_step(unfolding, states[number], states[number + 1], choice))
    reached = [_has(net, unfolding, state, goal) for state in states]
    query.append(z3.Or(reached))
    outcome, model, text = solve(query, effort)
    run = None if model is None else _trace(net, unfolding, states, fires, reached, model)
    return Proof(
        name="unreachable" if goal is not None else "no deadlock",
        claim=f"no run of {net.name} comes to "
        + ("a marking in which nothing can fire" if goal is None else f"{_in_words(goal)}"),
        outcome=up_to_bound(outcome),
        scope=f"runs of up to {steps} firings"
        + (f", any {_in_words(free)} at first" if free else ""),
        witness=() if run is None else (run,),
        queries=(text,),
    )


def _unfold_free(net: Net, free: Mapping[str, int]) -> Unfolding:
    """Unfold from a marking that has every token of the free places."""
    bags: dict[str, Bag] = {place.name: place.initial for place in net.places}
    for name, count in free.items():
        colour = net.place_named(name).colour
        integer(f"free {name}", count, least=0)
        if colour.values is None:
            raise NetError(f"place {name}: colour {colour.name} is open; its tokens must be given")
        bags[name] = Bag(tuple((1, Constant(token, colour)) for token in colour.values))
    return unfold(net, compile_net(net), [net.marking(bags)])


def _initial(
    net: Net, unfolding: Unfolding, state: Sequence[Any], free: Mapping[str, int]
) -> list[Any]:
    import z3

    conditions = []
    for number, place in enumerate(net.places):
        amounts = [
            (token, count)
            for (position, token), count in zip(unfolding.fields, state, strict=True)
            if position == number
        ]
        if place.name in free:
            conditions.append(z3.Sum([count for _, count in amounts]) == free[place.name])
        else:
            tokens = net.initial[place.name]
            conditions += [count == tokens.get(token, 0) for token, count in amounts]
    return conditions


def _step(unfolding: Unfolding, before: Sequence[Any], after: Sequence[Any], choice: Any) -> Any:
    """Return that the chosen instance fires, or, as -1, that nothing does."""
    import z3

    # Without resting a run that ends early would be no run of this length, and would not be looked
    # at.
    rests = [choice == -1, *(now == then for now, then in zip(after, before, strict=True))]
    options = [z3.And(rests)]
    for number, instance in enumerate(unfolding.instances):
        change = dict(instance.change)
        options.append(
            z3.And(
                choice == number,
                *(before[field] >= count for field, count in instance.demand),
                *(before[field] < count for field, count in instance.inhibitors),
                *(
                    now == then + change.get(field, 0)
                    for field, (now, then) in enumerate(zip(after, before, strict=True))
                ),
            )
        )
    return z3.Or(options)


def _has(net: Net, unfolding: Unfolding, state: Sequence[Any], goal: Goal | None) -> Any:
    import z3

    if goal is None:
        return z3.And(
            [
                z3.Or(
                    [
                        *(state[field] < count for field, count in instance.demand),
                        *(state[field] >= count for field, count in instance.inhibitors),
                    ]
                )
                for instance in unfolding.instances
            ]
        )
    conditions = []
    for name, demand in goal.items():
        place = net.place_named(name)
        amounts = {
            token: count
            for (position, token), count in zip(unfolding.fields, state, strict=True)
            if net.places[position] is place
        }
        if isinstance(demand, int):
            # The zero makes a term of the sum of nothing: a place to which no token comes has no
            # fields.
            conditions.append(z3.Sum([z3.IntVal(0), *amounts.values()]) >= demand)
            continue
        for token, count in demand.items():
            if token not in place.colour:
                raise InvalidArgument(
                    f"goal {name}", token, f"a token of colour {place.colour.name}"
                )
            conditions.append(amounts.get(token, z3.IntVal(0)) >= count)
    return z3.And(conditions)


def _trace(
    net: Net,
    unfolding: Unfolding,
    states: Sequence[Sequence[Any]],
    fires: Sequence[Any],
    reached: Sequence[Any],
    model: Any,
) -> Trace:
    """Return the run of a model, up to where it first has the goal."""
    import z3

    tokens: dict[str, dict[Token, int]] = {}
    for (position, token), term in zip(unfolding.fields, states[0], strict=True):
        tokens.setdefault(net.places[position].name, {})[token] = model_value(model, term)
    start = marking = Marking.of(net.places, tokens)
    steps = []
    # Not strict: there is one marking more than there are firings.
    for goal, choice in zip(reached, fires, strict=False):
        if z3.is_true(model.eval(goal, model_completion=True)):
            break
        if (chosen := model_value(model, choice)) < 0:
            continue
        instance = unfolding.instances[chosen]
        firing = instance.transition.firing(instance.values)
        # By the firing rule, whatever marking the model has next: the run is to hold without the
        # solver.
        marking = fire(net, instance.transition.transition, dict(firing.binding), marking)
        steps.append((firing, marking))
    return Trace(start, tuple(steps))


def _in_words(goal: Mapping[str, Any]) -> str:
    return ", ".join(f"{count} in {place}" for place, count in goal.items())


def deadlock_queries(net: Net, *, steps: int) -> str:
    """Return the query whether a net can be stuck within so many firings.

    Raises:
        NetError: If its firings cannot be listed.
    """
    return smt2((unreachable_within(net, steps),))
