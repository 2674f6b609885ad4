"""``kproof design``: the weakest requirement under which a target is met, and of a table's k."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from kproof.cli.base.commands import epilogue
from kproof.cli.base.common import HEADER, JSON, NAMES, grid, split
from kproof.cli.base.printing import ExitStatus, write_json, write_table
from kproof.cli.bounds.inputs import (
    ASSUME,
    BackgroundOptions,
    RecordOptions,
    TheoremOptions,
    notes_on,
    shift_of,
)
from kproof.errors import InvalidArgument
from kproof.schemas.printed_bounds import Designed, ReleasesDesigned

if TYPE_CHECKING:
    from kproof.theory.theorems.design import Design

app = App(name="design", help_epilogue=epilogue("design"))
_OWNER = (
    "the shares of rows are computed from the rows: they are for the owner of the data, and not to "
    "be published"
)


@app.default
def design(
    quantity: str,
    /,
    *,
    epsilon: str,
    delta: str,
    theorem: str = "2",
    options: TheoremOptions = TheoremOptions(),
    beta: Annotated[str | None, Parameter(name="--block-mass")] = None,
    block: str | None = None,
    least_share: str | None = None,
    records: RecordOptions = RecordOptions(),
    background: BackgroundOptions = BackgroundOptions(),
    assume: ASSUME = (),
    json: JSON = False,
) -> ExitStatus:
    """Find the smallest data, or the strongest adversary, at which a target is met.

    Status 0 means that the answer rests on nothing but what was checked and what you confirm
    with --assume, 4 that it is conditional on more.

    Args:
        quantity: n (fewest records), variance (least), s (largest shift), lambda1 or lambda2
            (largest), beta (least block mass).
        epsilon: The target's epsilon.
        delta: The target's delta.
        theorem: 1, or 2 to 5 for an adversary of level I to IV, or blocks.
        beta: Least block mass of a record, with --theorem blocks; with --data, that of the column's
            values.
        block: How many values a block has, with --theorem blocks.
        least_share: At least this share of the records has the block mass, with --theorem blocks.
        assume: Confirm a hypothesis that no data can show: independence or log-concavity
            (theorems 2 and 4); dependency-graph, uncorrelated or conditional-moments (3 and 5); may
            be repeated. With blocks independence or dependency-graph.
    """
    from kproof.theory.exact.typed import integer
    from kproof.theory.theorems.design import design as solve
    from kproof.theory.theorems.registry import RegisteredTheorem, find_bound

    adversary = background.keywords()
    for name, instead in (("dependency", "neighbourhood or lambda1"), ("known", "lambda2")):
        if name in adversary:
            raise InvalidArgument(name, adversary[name], f"{instead} in its place")
    if "neighbourhood" in adversary:
        adversary["neighbourhood"] = integer("neighbourhood", adversary["neighbourhood"], least=1)
    entry = find_bound(theorem)
    counts = isinstance(entry, RegisteredTheorem) and entry.counts
    column, shift = records.values(), adversary.pop("shift", None)
    optional: dict[str, Any] = {
        "data": None if column is None else column.values,
        "record": records.moments(),
        "beta": beta,
        "block": block,
        "least_share": least_share,
        "s": shift if quantity == "s" or counts else shift_of(shift, column),
    }
    fixed = {name: value for name, value in optional.items() if value is not None}
    fixed |= {**options.keywords(), **adversary, "theorem": entry.name, "assume": assume}
    answer = solve(quantity, epsilon=epsilon, delta=delta, **fixed)
    # Any text stands for a shift that was said: where the shift is sought, none is taken from the
    # column.
    notes = notes_on(column, None if quantity != "s" and background.shift is None else "said")
    if json:
        write_json("design", Designed(answer, notes))
    else:
        _show(answer, notes)
    return ExitStatus.DONE if answer.holds else ExitStatus.OPEN


def _show(design: Design, notes: Sequence[str]) -> None:
    from kproof.theory.theorems.bounds import exact_text

    name, answer = design.quantity.value, exact_text(design.answer)
    target = f"epsilon = {exact_text(design.epsilon)}, delta = {exact_text(design.delta)}"
    rests = f", {design.inside.state}" if design.inside.state else ""
    owed = " ".join(f"--assume {hypothesis.assumption}" for hypothesis in design.inside.owed)
    rows = [(answer, design.inside.delta, "met")]
    if design.outside is not None and design.next_value is not None:
        rows.append((exact_text(design.next_value), design.outside.delta, "missed"))
    above = [f"{name} = {answer} meets {target}{rests}"]
    above += [f"confirm it with {owed}"] if owed else []
    below = [f"why not further: {design.basis}"]
    write_table([name, "delta", ""], rows, above=[*above, *notes], below=below)


@app.command(name="release")
def design_release(
    *,
    epsilon: str,
    delta: str,
    beta: str | None = None,
    neighbours: str = "add",
    rows: str | None = None,
    columns: NAMES = (),
    header: HEADER = "detect",
    json: JSON = False,
) -> ExitStatus:
    """Find the least k for each chance of a row at which a sampled table meets a target.

    Args:
        epsilon: The target's epsilon.
        delta: The target's delta; no epsilon reaches one below beta^k.
        beta: Chance that a row is kept: a number, a,b,c or start:stop:count; by default 0.1 to 0.9.
        neighbours: add: tables with a row more or less. replace: tables with other values in one
            row.
        rows: A CSV file or the name of a shipped table, at the levels at which it would be
            published: also say what share of its rows would be. That is for the owner alone.
        columns: Columns that would be published, by name or position; by default all.
    """
    from kproof.report.wording import at_most
    from kproof.theory.theorems.bounds import exact_text
    from kproof.theory.theorems.releases.sampled import FRONTIER, release_design

    chances = FRONTIER if beta is None else grid("beta", beta).typed
    sizes = None if rows is None else _sizes(rows, columns, header)
    if columns and rows is None:
        raise InvalidArgument("columns", ", ".join(columns), "--rows FILE with it")
    designs = release_design(
        epsilon=epsilon, delta=delta, beta=chances, neighbours=neighbours, sizes=sizes
    )
    notes = list(designs[0].met.flags[:3]) + ([] if sizes is None else [_OWNER])
    if neighbours == "replace":
        notes.append(
            "where the search for the worst pair ends early, a smaller k may suffice as well"
        )
    if json:
        designed = ReleasesDesigned(epsilon, delta, neighbours, designs, tuple(notes))
        write_json("design-release", designed)
        return ExitStatus.DONE
    cells = []
    for design in designs:
        missed = "-" if design.missed is None else design.missed.delta
        share = [] if design.share is None else [design.share]
        delta_met = at_most(design.met.delta)
        cells.append((exact_text(design.beta), design.k, delta_met, missed, *share))
    headings = ["beta", "k", "delta", "with k - 1", *(["share of rows shown"] if sizes else [])]
    above = [f"the least k for epsilon = {epsilon}, delta = {delta}"]
    write_table(headings, cells, above=above, below=notes)
    return ExitStatus.DONE


def _sizes(path: str, columns: tuple[str, ...], header: HEADER) -> Mapping[int, int]:
    """Return how many cells a table has of each number of rows."""
    from kproof.datasets import read_text_table

    table = read_text_table(path, header=header, missing=())
    places = [table.position(name) for name in split(columns)] or range(len(table.names))
    cells = Counter(zip(*(table.cells[place] for place in places), strict=True))
    return Counter(cells.values())
