"""How bounds are printed: the three readings beside the exact value, and bounds in no paper.

The latter have a command each, whose options are the keywords of the function that works it out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, getdoc, signature
from typing import TYPE_CHECKING, Any

from kproof.cli.base.common import JSON, OptionValues, grid
from kproof.cli.base.printing import ExitStatus, console, write_json, write_line, write_table
from kproof.cli.bounds.inputs import ASSUME, read_belief
from kproof.errors import InvalidArgument
from kproof.schemas.printed_bounds import ProvedCompared, TheoremCompared
from kproof.theory.reading import Reading

if TYPE_CHECKING:
    from rich.console import Console

    from kproof.theory.exact.enclosure import Enclosure
    from kproof.theory.theorems.bounds import Bound, ProvedBound
    from kproof.theory.theorems.comparison import Comparison
    from kproof.theory.theorems.registry import OwnBound
    from kproof.theory.theorems.releases import RegisteredRelease

_MARKS = {
    "refuted": "!",
    "does not apply": "-",
    "vacuous": "~",
    "narrower events": "<",
    "conditional": "?",
    "sound, assumed": "*",
    "assumed, no exact value": "*",
    "an owed hypothesis is false": "x",
}
_LEGEND = {
    "!": "refuted: the exact value is larger",
    "-": "does not apply, see below",
    "~": "vacuous: delta is 1 or more",
    "<": "below the exact value, but about fewer events",
    "?": "conditional: rests on what you must confirm, see below",
    "*": "rests on assumptions that are yours",
    "x": "an owed hypothesis is false: the exact value is larger",
}


VALUELESS = {"epsilon has a value", "delta has a value"}
"""What fails where the input lacks something a formula needs: nothing was judged then."""


def answer(
    compared: Sequence[Comparison], *, grid: bool, json: bool, notes: Sequence[str] = ()
) -> ExitStatus:
    """Print comparisons, one in full or a line for each point of a grid, and return the status."""
    if json:
        points = tuple(compared) if grid else None
        write_json("bound", TheoremCompared(compared[0], points, tuple(notes)))
    else:
        out = console()
        _print_heading(out, compared[0], notes)
        if grid:
            _grid(compared)
        else:
            _single(compared[0])
        _remarks(out, compared)
    # By severity: as a number OPEN, which is 4, would outweigh VIOLATED, which is 1.
    return max((_status(point) for point in compared), key=_SEVERITY.index)


_SEVERITY = (ExitStatus.DONE, ExitStatus.OPEN, ExitStatus.VIOLATED)


def _status(compared: Comparison) -> ExitStatus:
    """Return what the corrected statement comes to: it is what an answer can be built on."""
    from kproof.theory.theorems.bounds import Status as Judged
    from kproof.theory.theorems.comparison import Standing

    claim = compared.bounds[Reading.CORRECTED]
    failing = {h.name for h in claim.hypotheses if h.status is Judged.FAILS}
    standings = (compared.standing(Reading.CORRECTED), compared.blocks_standing)
    if failing - VALUELESS or Standing.OWED_FALSE in standings:
        return ExitStatus.VIOLATED
    return ExitStatus.OPEN if failing or claim.owed else ExitStatus.DONE


def _single(compared: Comparison) -> None:
    from kproof.report.wording import at_most, events, number

    claims: list[tuple[str | Reading, Bound | ProvedBound, str]] = []
    claims += [(reading, claim, number(claim.delta)) for reading, claim in compared.bounds.items()]
    proved = [(name, compared.proved_by(name)) for name in compared.beside]
    claims += [(name, bound, at_most(bound.delta)) for name, bound in proved if bound is not None]
    rows: list[Sequence[str]] = []
    for name, claim, delta in claims:
        ratio = compared.ratio(name)
        relative = "" if ratio is None else f"{ratio:.3g}"
        standing = compared.standing(name).value
        rows.append(
            (str(name), number(claim.epsilon), delta, relative, events(claim.events), standing)
        )
    if compared.exact is not None:
        pair = (_argument(compared), compared.exact)
        ordered = pair if compared.quantity == "delta" else pair[::-1]
        rows.append(("exact", *map(number, ordered), "1", "every event", ""))
    write_table(["", "epsilon", "delta", "× exact", "events", "verdict"], rows)


def _grid(compared: Sequence[Comparison]) -> None:
    from kproof.report.wording import number, value_of

    first = compared[0]
    argument = "epsilon" if first.quantity == "delta" else "delta"
    beside = [name for name in first.beside if any(point.proved_by(name) for point in compared)]
    rows = []
    used: dict[str, None] = {}
    for point in compared:
        cells = []
        for name in (*point.bounds, *beside):
            mark = _MARKS.get(point.standing(name).value, "")
            used |= {mark: None} if mark else {}
            cells.append(f"{value_of(point, name)} {mark}".rstrip())
        rows.append((number(_argument(point)), *cells, number(point.exact)))
    legend = [f"{mark} {_LEGEND[mark]}" for mark in used]
    write_table([argument, *first.bounds, *beside, "exact"], rows, below=legend)


def _print_heading(out: Console, compared: Comparison, notes: Sequence[str]) -> None:
    parameters = next(iter(compared.bounds.values())).parameters
    head = f"Theorem {compared.theorem}: {compared.quantity}"
    write_line(out, f"{head} as claimed, as proved, and exact")
    write_line(out, ", ".join(f"{name} = {value}" for name, value in parameters.items()))
    for note in notes:
        write_line(out, note)
    out.print()


def _remarks(out: Console, compared: Sequence[Comparison]) -> None:
    """Say what the exact value is of, which hypotheses fail, and which are the reader's."""
    from kproof.report.wording import remarks_of_all

    out.print()
    last = compared[-1]
    write_line(out, f"{'exact' if last.exact is not None else 'no exact value'}: {last.note}")
    for name, bound in last.beside.items():
        if isinstance(bound, str):
            write_line(out, f"no {name}: {bound}")
            continue
        for line in bound.explained(beside=last.bounds[Reading.CORRECTED].owed):
            write_line(out, f"{name}: {line}")
    claims = [claim for comparison in compared for claim in comparison.bounds.values()]
    for readings, remark in remarks_of_all(claims, details=len(compared) == 1):
        write_line(out, f"{readings}: {remark}")
    _basis(out, last)


def _basis(out: Console, compared: Comparison) -> None:
    """Say what the corrected statement is conditional on, or whose word it is taken on."""
    from kproof.theory.theorems.comparison import Standing

    claim = compared.bounds[Reading.CORRECTED]
    if not claim.state or not claim.applies:
        return
    sound = compared.standing(Reading.CORRECTED) is Standing.ASSUMED
    options = " ".join(f"--assume {h.assumption}" for h in claim.owed)
    answer_with = f" (confirm it with {options})" if options else ""
    write_line(out, f"corrected: {'sound, ' if sound else ''}{claim.state}{answer_with}")


def _argument(compared: Comparison) -> Enclosure | None:
    claim = compared.bounds[Reading.CORRECTED]
    return claim.epsilon if compared.quantity == "delta" else claim.delta


def bound_command(entry: OwnBound | RegisteredRelease) -> Callable[..., ExitStatus]:
    """Return the command of a bound: its options are the keywords of the function."""
    function = entry.bound.target
    parameters = signature(function).parameters

    def run(
        *, epsilon: str | None = None, delta: str | None = None, json: JSON = False, **typed: Any
    ) -> ExitStatus:
        if "delta" not in parameters and epsilon is None:
            raise InvalidArgument("epsilon", None, "a number, a,b,c or start:stop:count")
        quantity, points = one_of_pair(epsilon, delta)
        if "belief" in typed:
            typed["belief"] = read_belief(typed["belief"])
        bounds = [function(**typed, **{quantity: value}) for value in points.typed]
        return answer_own(entry.name, bounds, grid=not points.single, json=json)

    options = [
        option.replace(annotation=ASSUME if name == "assume" else str | None)
        for name, option in parameters.items()
    ]
    options.append(Parameter("json", Parameter.KEYWORD_ONLY, default=False, annotation=JSON))
    run.__name__ = entry.name
    run.__doc__ = getdoc(function)
    # What cyclopts reads in place of `**typed`.
    vars(run)["__signature__"] = signature(function).replace(
        parameters=options, return_annotation=ExitStatus
    )
    return run


def one_of_pair(epsilon: str | None, delta: str | None) -> tuple[str, OptionValues]:
    """Return which of the two was typed, and its values."""
    quantity, text = ("epsilon", epsilon) if delta is None else ("delta", delta)
    if text is None or (epsilon is not None and delta is not None):
        raise InvalidArgument(quantity, text, "exactly one of --epsilon and --delta")
    return quantity, grid(quantity, text)


def answer_own(
    name: str, bounds: Sequence[ProvedBound], *, grid: bool, json: bool, notes: Sequence[str] = ()
) -> ExitStatus:
    """Print bounds, one in full or a line for each point of a grid, and return the status."""
    from kproof.report.wording import at_most

    first = bounds[0]
    if json:
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
            # Most points of a grid say the same: each line once, in the order of its first.
            below=dict.fromkeys(line for bound in bounds for line in bound.explained()),
        )
    if not all(bound.applies for bound in bounds):
        return ExitStatus.VIOLATED
    return ExitStatus.DONE if all(bound.holds for bound in bounds) else ExitStatus.OPEN
