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

if TYPE_CHECKING:
    from rich.console import Console

    from kproof.theory.exact.enclosure import Enclosure
    from kproof.theory.reading import Reading
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
    "?": "conditional: rests on what is yours to answer for, see below",
    "*": "rests on assumptions that are yours",
    "x": "an owed hypothesis is false: the exact value is larger",
}


VALUELESS = {"epsilon has a value", "delta has a value"}
"""What fails where the input lacks something a formula needs: nothing was judged then."""


def answer(
    found: Sequence[Comparison], *, grid: bool, json: bool, notes: Sequence[str] = ()
) -> ExitStatus:
    """Print comparisons, one in full or a line for each point of a grid, and return the status."""
    if json:
        from kproof.schemas.printed_bounds import TheoremCompared

        points = tuple(found) if grid else None
        write_json("bound", TheoremCompared(found[0], points, tuple(notes)))
    else:
        out = console()
        _heading(out, found[0], notes)
        if grid:
            _grid(found)
        else:
            _single(found[0])
        _remarks(out, found)
    return max((_status(one) for one in found), key=_SEVERITY.index)


_SEVERITY = (ExitStatus.DONE, ExitStatus.OPEN, ExitStatus.VIOLATED)


def _status(one: Comparison) -> ExitStatus:
    """Return what the corrected statement comes to: it is what an answer can be built on."""
    from kproof.theory.reading import Reading
    from kproof.theory.theorems.bounds import Status as Judged
    from kproof.theory.theorems.comparison import Standing

    claim = one.bounds[Reading.CORRECTED]
    failing = {h.name for h in claim.hypotheses if h.status is Judged.FAILS}
    standings = (one.standing(Reading.CORRECTED), one.blocks_standing)
    if failing - VALUELESS or Standing.OWED_FALSE in standings:
        return ExitStatus.VIOLATED
    return ExitStatus.OPEN if failing or claim.owed else ExitStatus.DONE


def _single(found: Comparison) -> None:
    from kproof.report.wording import at_most, events, number

    claims: list[tuple[str | Reading, Bound | ProvedBound, str]] = []
    claims += [(reading, claim, number(claim.delta)) for reading, claim in found.bounds.items()]
    proved = [(name, found.proved_by(name)) for name in found.beside]
    claims += [(name, bound, at_most(bound.delta)) for name, bound in proved if bound is not None]
    rows: list[Sequence[str]] = []
    for name, claim, delta in claims:
        ratio = found.ratio(name)
        relative = "" if ratio is None else f"{ratio:.3g}"
        standing = found.standing(name).value
        rows.append(
            (str(name), number(claim.epsilon), delta, relative, events(claim.events), standing)
        )
    if found.exact is not None:
        given = _given(found)
        pair = (given, found.exact) if found.quantity == "delta" else (found.exact, given)
        rows.append(("exact", *map(number, pair), "1", "every event", ""))
    write_table(["", "epsilon", "delta", "× exact", "events", "verdict"], rows)


def _grid(found: Sequence[Comparison]) -> None:
    from kproof.report.wording import at_most, number

    first = found[0]
    given = "epsilon" if first.quantity == "delta" else "delta"
    others = [name for name in first.beside if any(one.proved_by(name) for one in found)]
    rows = []
    used: dict[str, None] = {}
    for one in found:
        cells = []
        for reading in one.bounds:
            mark = _MARKS.get(one.standing(reading).value, "")
            used |= {mark: None} if mark else {}
            cells.append(f"{number(one.claimed(reading))} {mark}".rstrip())
        for name in others:
            bound = one.proved_by(name)
            mark = _MARKS.get(one.standing(name).value, "")
            used |= {mark: None} if mark else {}
            value = "none" if bound is None else at_most(bound.delta)
            cells.append(f"{value} {mark}".rstrip())
        rows.append((number(_given(one)), *cells, number(one.exact)))
    legend = [f"{mark} {_LEGEND[mark]}" for mark in used]
    write_table([given, *first.bounds, *others, "exact"], rows, below=legend)


def _heading(out: Console, one: Comparison, notes: Sequence[str]) -> None:
    parameters = next(iter(one.bounds.values())).parameters
    write_line(out, f"Theorem {one.theorem}: {one.quantity} as claimed, as proved, and exact")
    write_line(out, ", ".join(f"{name} = {value}" for name, value in parameters.items()))
    for note in notes:
        write_line(out, note)
    out.print()


def _remarks(out: Console, found: Sequence[Comparison]) -> None:
    """Say what the exact value is of, which hypotheses fail, and which are the reader's."""
    from kproof.report.wording import shared_remarks
    from kproof.theory.reading import Reading

    out.print()
    last = found[-1]
    write_line(out, f"{'exact' if last.exact is not None else 'no exact value'}: {last.note}")
    for name, bound in last.beside.items():
        if isinstance(bound, str):
            write_line(out, f"no {name}: {bound}")
            continue
        for line in bound.explained(beside=last.bounds[Reading.CORRECTED].owed):
            write_line(out, f"{name}: {line}")
    claims = [claim for one in found for claim in one.bounds.values()]
    for readings, remark in shared_remarks(claims, details=len(found) == 1):
        write_line(out, f"{readings}: {remark}")
    _resting(out, last)


def _resting(out: Console, one: Comparison) -> None:
    """Say what the corrected statement is conditional on, or whose word it is taken on."""
    from kproof.theory.reading import Reading
    from kproof.theory.theorems.comparison import Standing

    claim = one.bounds[Reading.CORRECTED]
    if not claim.state or not claim.applies:
        return
    sound = one.standing(Reading.CORRECTED) is Standing.ASSUMED
    options = " ".join(f"--assume {h.assumption}" for h in claim.owed)
    answer_with = f" (answer for it with {options})" if options else ""
    write_line(out, f"corrected: {'sound, ' if sound else ''}{claim.state}{answer_with}")


def _given(one: Comparison) -> Enclosure | None:
    from kproof.theory.reading import Reading

    claim = one.bounds[Reading.CORRECTED]
    return claim.epsilon if one.quantity == "delta" else claim.delta


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
        return answer_own(entry.name, bounds, grid=not points.single, json=json)

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


def answer_own(
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
