"""``kproof bound``: the three readings of a theorem beside the exact value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from cyclopts import App

from kproof.cli.base.commands import epilogue
from kproof.cli.base.common import JSON, SWITCH, grid
from kproof.cli.base.status import ExitStatus
from kproof.cli.bounds.bound_own import bound_command
from kproof.cli.bounds.comparisons import answer
from kproof.cli.bounds.inputs import (
    ASSUME,
    BackgroundOptions,
    RecordOptions,
    SumOptions,
    notes_on,
    shift_of,
)
from kproof.cli.bounds.laws import LAW, of_law
from kproof.errors import InvalidArgument
from kproof.theory.theorems.registry import own_bounds
from kproof.theory.theorems.releases import RELEASE_BOUNDS

if TYPE_CHECKING:
    from kproof.datasets import NumericColumn
    from kproof.theory.theorems.adversary import Adversary
    from kproof.theory.theorems.registry import OwnBound
    from kproof.theory.theorems.releases import RegisteredRelease

app = App(name="bound", help_epilogue=epilogue("bound"))
_ENTRIES: tuple[OwnBound | RegisteredRelease, ...] = (*own_bounds(), *RELEASE_BOUNDS.values())
for _entry in _ENTRIES:
    app.command(_entry.command.target if _entry.command else bound_command(_entry))


@app.default
def bound(
    theorem: str,
    /,
    *,
    n: str | None = None,
    p: str | None = None,
    k: str | None = None,
    epsilon: str | None = None,
    delta: str | None = None,
    records: RecordOptions = RecordOptions(),
    sums: SumOptions = SumOptions(),
    background: BackgroundOptions = BackgroundOptions(),
    law: LAW = None,
    epsilon1: str | None = None,
    events: str | None = None,
    others_only: SWITCH = False,
    assume: ASSUME = (),
    closed_form: SWITCH = False,
    exact: Literal["auto", "always", "never"] = "auto",
    json: JSON = False,
) -> ExitStatus:
    """Set what a theorem prints beside what can be proved and the exact value.

    Status 0 means that the corrected bound rests on nothing but what was checked and what you
    answer for with --assume, 4 that it is conditional on more, 1 that a hypothesis fails.

    Args:
        theorem: 1, or 2 to 5 for an adversary of level I to IV.
        n: Number of records; with --data, by default as many as the column has.
        p: Theorem 1: probability that a tuple is picked.
        k: Fewest people in a cloaked set.
        epsilon: A number, a,b,c or start:stop:count. Theorems 2 to 5 have one of their own.
        delta: Theorem 1: bound epsilon at this delta instead.
        epsilon1: Theorems 2 to 5: the input of c'; by default epsilon.
        events: Theorems 2 to 5: half-lines, intervals (default), unions:J or all.
        others_only: Count only the randomness of the other records, the victim's being fixed.
        assume: Answer for a hypothesis that no data can show: independence or log-concavity
            (theorems 2 and 4); dependency-graph, uncorrelated or conditional-moments (3 and 5); may
            be repeated.
        closed_form: Theorem 1: the corrected statement in closed form in place of the exact value.
        exact: Work the exact value out always, never, or in full only where that takes about a
            second and else from floats with a bound on their error; the answer says which.
    """
    from kproof.theory.theorems.comparison import compare, compare_grid
    from kproof.theory.theorems.registry import theorem_of

    if epsilon is not None and delta is not None:
        raise InvalidArgument("delta", delta, "either --epsilon or --delta")
    entry = theorem_of(theorem)
    number = entry.number
    optional = {"n": n, "p": p, "k": k, "epsilon1": epsilon1, "events": events}
    given: dict[str, Any] = {name: value for name, value in optional.items() if value is not None}
    switches = {"others_only": others_only, "closed_form": closed_form}
    given |= {name: True for name, on in switches.items() if on}
    given |= {"assume": assume, "exact": exact}
    notes: list[str] = []
    if not entry.counts:
        column = records.values()
        if law is not None:
            if (records, sums) != (RecordOptions(), SumOptions()):
                raise InvalidArgument("law", "with records", "one or the other")
            given |= of_law(law, background, entry, n=n)
        else:
            given["adversary"] = _adversary(background, column, n=n)
            given |= _records(records, sums, column, n=n)
        notes = notes_on(column, background.shift)
    elif (records, sums, background, law) != (
        RecordOptions(),
        SumOptions(),
        BackgroundOptions(),
        None,
    ):
        raise InvalidArgument("theorem", number, "2 to 5 with records or background information")
    asked, text = ("epsilon", epsilon) if delta is None else ("delta", delta)
    if text is None:
        return answer([compare(number, **given)], grid=False, json=json, notes=notes)
    points = grid(asked, text)
    return answer(
        compare_grid(number, epsilon=points.typed, **given)
        if asked == "epsilon"
        else [compare(number, **(given | {asked: value})) for value in points.typed],
        grid=not points.single,
        json=json,
        notes=notes,
    )


def _adversary(
    background: BackgroundOptions, column: NumericColumn | None, *, n: str | None
) -> Adversary:
    records = n if n is not None or column is None else len(column.values)
    return background.adversary(shift=shift_of(background.shift, column), n=records)


def _records(
    records: RecordOptions, sums: SumOptions, column: NumericColumn | None, *, n: str | None
) -> dict[str, object]:
    """Return the data or the moments as the library takes them."""
    record, typed = records.moments(), sums.typed_sums()
    if typed and (column is not None or record is not None):
        raise InvalidArgument(", ".join(typed), "with records", "one or the other")
    if column is not None:
        return {"data": column.values}
    if record is not None:
        return {"moments": record}
    if not typed:
        ways = "--data FILE --column NAME, or --mean and --second, or sums such as --sum-variance"
        raise InvalidArgument("records", None, ways)
    from kproof.theory.exact.typed import integer
    from kproof.theory.theorems.moments import Moments

    if n is None:
        raise InvalidArgument("n", None, "the number of records the sums are over")
    return {"moments": Moments.typed(integer("n", n, least=1), **typed)}
