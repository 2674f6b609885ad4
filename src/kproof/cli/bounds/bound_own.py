"""Commands of bounds that are in no paper: how such a bound is asked for, and how it is printed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, getdoc, signature
from typing import TYPE_CHECKING, Any

from kproof.cli.base.common import JSON, OptionValues, grid
from kproof.cli.base.printing import write_json, write_table
from kproof.cli.base.status import ExitStatus
from kproof.cli.bounds.inputs import ASSUME, read_belief
from kproof.errors import InvalidArgument

if TYPE_CHECKING:
    from kproof.cli.base.common import OptionValues
    from kproof.theory.theorems.bounds import ProvedBound
    from kproof.theory.theorems.registry import OwnBound
    from kproof.theory.theorems.releases import RegisteredRelease


def bound_command(entry: OwnBound | RegisteredRelease) -> Callable[..., ExitStatus]:
    """Return the command of a bound: its options are the keywords of the function."""
    function = entry.bound.target
    parameters = signature(function).parameters

    def run(
        *, epsilon: str | None = None, delta: str | None = None, json: JSON = False, **typed: Any
    ) -> ExitStatus:
        if "delta" not in parameters and epsilon is None:
            raise InvalidArgument("epsilon", None, "a number, a,b,c or start:stop:count")
        asked, points = one_of_pair(epsilon, delta)
        if "belief" in typed:
            typed["belief"] = read_belief(typed["belief"])
        bounds = [function(**typed, **{asked: value}) for value in points.typed]
        return answer(entry.name, bounds, grid=not points.single, json=json)

    options = [
        one.replace(annotation=ASSUME if name == "assume" else str | None)
        for name, one in parameters.items()
    ]
    options.append(Parameter("json", Parameter.KEYWORD_ONLY, default=False, annotation=JSON))
    run.__name__ = entry.name
    run.__doc__ = getdoc(function)
    vars(run)["__signature__"] = signature(function).replace(
        parameters=options, return_annotation=ExitStatus
    )
    return run


def one_of_pair(epsilon: str | None, delta: str | None) -> tuple[str, OptionValues]:
    """Return which of the two was typed, and its values."""
    asked, text = ("epsilon", epsilon) if delta is None else ("delta", delta)
    if text is None or (epsilon is not None and delta is not None):
        raise InvalidArgument(asked, text, "exactly one of --epsilon and --delta")
    return asked, grid(asked, text)


def answer(
    name: str, bounds: Sequence[ProvedBound], *, grid: bool, json: bool, notes: Sequence[str] = ()
) -> ExitStatus:
    """Print bounds, one in full or a line for each point of a grid, and return the status."""
    from kproof.report.wording import at_most

    first = bounds[0]
    if json:
        from kproof.schemas.printed_bounds import ProvedCompared

        single, points = (None, tuple(bounds)) if grid else (first, None)
        write_json(f"bound-{name}", ProvedCompared(name, single, points, tuple(notes)))
    else:
        write_table(
            ["epsilon", "delta at most", "events", *first.cells],
            [
                (at_most(bound.epsilon), at_most(bound.delta), "every event", *bound.cells.values())
                for bound in bounds
            ],
            above=[first.says, *notes],
            below=dict.fromkeys(line for bound in bounds for line in bound.explained()),
        )
    if not all(bound.applies for bound in bounds):
        return ExitStatus.VIOLATED
    return ExitStatus.DONE if all(bound.holds for bound in bounds) else ExitStatus.OPEN
