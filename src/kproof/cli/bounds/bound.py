"""``kproof bound``: the three readings of a theorem beside the exact value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from cyclopts import App

from kproof.cli.base.commands import epilogue
from kproof.cli.base.common import JSON, SWITCH
from kproof.cli.base.printing import ExitStatus
from kproof.cli.bounds.comparisons import answer, bound_command, one_of_pair
from kproof.cli.bounds.inputs import (
    ASSUME,
    BackgroundOptions,
    RecordOptions,
    SumOptions,
    TheoremOptions,
    notes_on,
    shift_of,
)
from kproof.cli.bounds.laws import LAW, of_law
from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import integer
from kproof.theory.theorems.registry import OwnBound, own_bounds, theorem_of
from kproof.theory.theorems.releases import RELEASE_BOUNDS, RegisteredRelease

if TYPE_CHECKING:
    from kproof.datasets import NumericColumn
    from kproof.theory.theorems.comparison import Comparison

app = App(name="bound", help_epilogue=epilogue("bound"))
_ENTRIES: tuple[OwnBound | RegisteredRelease, ...] = (*own_bounds(), *RELEASE_BOUNDS.values())
for _entry in _ENTRIES:
    app.command(_entry.command.target if _entry.command else bound_command(_entry))


@app.default
def bound(
    theorem: str,
    /,
    *,
    options: TheoremOptions = TheoremOptions(),
    epsilon: str | None = None,
    delta: str | None = None,
    records: RecordOptions = RecordOptions(),
    sums: SumOptions = SumOptions(),
    background: BackgroundOptions = BackgroundOptions(),
    law: LAW = None,
    epsilon1: str | None = None,
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
        epsilon: A number, a,b,c or start:stop:count. Theorems 2 to 5 have one of their own.
        delta: Theorem 1: bound epsilon at this delta instead.
        epsilon1: Theorems 2 to 5: the input of c'; by default epsilon.
        others_only: Count only the randomness of the other records, the victim's being fixed.
        assume: Confirm a hypothesis that no data can show: independence or log-concavity
            (theorems 2 and 4); dependency-graph, uncorrelated or conditional-moments (3 and 5); may
            be repeated.
        closed_form: Theorem 1: the corrected statement in closed form in place of the exact value.
        exact: Work the exact value out always, never, or in full only where that takes about a
            second and else from floats with a bound on their error; the answer says which.
    """
    from kproof.theory.theorems.comparison import compare, compare_grid

    if epsilon is not None and delta is not None:
        raise InvalidArgument("delta", delta, "either --epsilon or --delta")
    entry = theorem_of(theorem)
    keywords = {**options.keywords(), "assume": assume, "exact": exact}
    keywords |= {} if epsilon1 is None else {"epsilon1": epsilon1}
    switches = {"others_only": others_only, "closed_form": closed_form}
    keywords |= {name: True for name, on in switches.items() if on}
    n = options.n
    notes: list[str] = []
    none_typed = (RecordOptions(), SumOptions())
    if not entry.counts:
        column = records.values()
        if law is not None:
            if (records, sums) != none_typed:
                raise InvalidArgument("law", "with records", "one or the other")
            keywords |= of_law(law, background, entry, n=n)
        else:
            # A graph of dependence is read for so many records, before anything else knows how many
            # there are.
            total = n if n is not None or column is None else len(column.values)
            shift = shift_of(background.shift, column)
            keywords["adversary"] = background.adversary(shift=shift, n=total)
            keywords |= _records(records, sums, column, n=n)
        notes = notes_on(column, background.shift)
    elif (records, sums) != none_typed or background != BackgroundOptions() or law is not None:
        admissible = "2 to 5 with records or background information"
        raise InvalidArgument("theorem", entry.number, admissible)
    if epsilon is None and delta is None:
        return answer([compare(entry.number, **keywords)], grid=False, json=json, notes=notes)
    quantity, points = one_of_pair(epsilon, delta)
    compared: Sequence[Comparison]
    if quantity == "epsilon":
        compared = compare_grid(entry.number, epsilon=points.typed, **keywords)
    else:
        compared = tuple(compare(entry.number, **keywords, delta=value) for value in points.typed)
    return answer(compared, grid=not points.single, json=json, notes=notes)


def _records(
    records: RecordOptions, sums: SumOptions, column: NumericColumn | None, *, n: str | None
) -> dict[str, object]:
    """Return the data or the moments as the library takes them."""
    record, typed = records.moments(), sums.sums_by_name()
    if typed and (column is not None or record is not None):
        raise InvalidArgument(", ".join(typed), "with records", "one or the other")
    if column is not None:
        return {"data": column.values}
    if record is not None:
        return {"moments": record}
    if not typed:
        ways = "--data FILE --column NAME, or --mean and --second, or sums such as --sum-variance"
        raise InvalidArgument("records", None, ways)
    from kproof.theory.theorems.moments import Moments

    if n is None:
        raise InvalidArgument("n", None, "the number of records the sums are over")
    return {"moments": Moments.typed(integer("n", n, least=1), **typed)}
