"""``kproof design``: the weakest requirement under which a target is met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from kproof.cli.base.common import JSON
from kproof.cli.base.examples import epilogue
from kproof.cli.base.printing import write_json, write_table
from kproof.cli.base.status import ExitStatus
from kproof.cli.bounds.design_release import design_release
from kproof.cli.bounds.inputs import ASSUME, BackgroundOptions, RecordOptions, notes_on, shift_of
from kproof.errors import InvalidArgument

if TYPE_CHECKING:
    from kproof.theory.theorems.design import Design

app = App(name="design", help_epilogue=epilogue("design"))
app.command(design_release, name="release")


@app.default
def design(
    quantity: str,
    /,
    *,
    epsilon: str,
    delta: str,
    theorem: str = "2",
    n: str | None = None,
    p: str | None = None,
    k: str | None = None,
    beta: Annotated[str | None, Parameter(name="--block-mass")] = None,
    block: str | None = None,
    least_share: str | None = None,
    records: RecordOptions = RecordOptions(),
    background: BackgroundOptions = BackgroundOptions(),
    events: str | None = None,
    assume: ASSUME = (),
    json: JSON = False,
) -> ExitStatus:
    """Find the smallest data, or the strongest adversary, at which a target is met.

    Status 0 means that the answer rests on nothing but what was checked and what you answer for
    with --assume, 4 that it is conditional on more.

    Args:
        quantity: n (fewest records), variance (least), s (largest shift), lambda1 or lambda2
            (largest), beta (least block mass).
        epsilon: The target's epsilon.
        delta: The target's delta.
        theorem: 1, or 2 to 5 for an adversary of level I to IV, or blocks.
        n: Number of records; with --data, by default as many as the column has.
        p: Theorem 1: probability that a tuple is picked.
        k: Fewest people in a cloaked set.
        beta: Least block mass of a record, with --theorem blocks; with --data, that of the column's
            values.
        block: How many values a block has, with --theorem blocks.
        least_share: At least this share of the records has the block mass, with --theorem blocks.
        events: Theorems 2 to 5: half-lines, intervals (default), unions:J or all.
        assume: Answer for a hypothesis that no data can show: independence or log-concavity
            (theorems 2 and 4); dependency-graph, uncorrelated or conditional-moments (3 and 5); may
            be repeated. With blocks independence or dependency-graph.
    """
    from kproof.theory.exact.typed import integer
    from kproof.theory.theorems.design import design as solve
    from kproof.theory.theorems.registry import RegisteredTheorem, find_bound

    for name in ("dependency", "known"):
        if getattr(background, name) is not None:
            other = "neighbourhood or lambda1" if name == "dependency" else "lambda2"
            raise InvalidArgument(name, getattr(background, name), f"{other} in its place")
    entry = find_bound(theorem)
    counts = isinstance(entry, RegisteredTheorem) and entry.counts
    column = records.values()
    fixed: dict[str, Any] = {
        "data": None if column is None else column.values,
        "record": records.moments(),
        "n": n,
        "p": p,
        "k": k,
        "beta": beta,
        "block": block,
        "least_share": least_share,
        "s": background.shift if quantity == "s" or counts else shift_of(background.shift, column),
        "neighbourhood": background.neighbourhood
        and integer("neighbourhood", background.neighbourhood, least=1),
        "lambda1": background.lambda1,
        "lambda2": background.lambda2,
        "events": events,
        "assume": assume,
    }
    found = solve(
        quantity,
        epsilon=epsilon,
        delta=delta,
        theorem=entry.name,
        **{name: value for name, value in fixed.items() if value is not None},
    )
    notes = notes_on(column, None if quantity != "s" and background.shift is None else "said")
    if json:
        from kproof.schemas.printed_bounds import Designed

        write_json("design", Designed(found, notes))
    else:
        _show(found, notes)
    return ExitStatus.DONE if found.holds else ExitStatus.OPEN


def _show(found: Design, notes: Sequence[str]) -> None:
    from kproof.theory.theorems.bounds import shown_exactly

    name, answer = found.quantity.value, shown_exactly(found.answer)
    target = f"epsilon = {shown_exactly(found.epsilon)}, delta = {shown_exactly(found.delta)}"
    rests = f", {found.inside.state}" if found.inside.state else ""
    owed = " ".join(f"--assume {hypothesis.assumption}" for hypothesis in found.inside.owed)
    rows = [(answer, found.inside.delta, "met")]
    if found.outside is not None and found.next_value is not None:
        rows.append((shown_exactly(found.next_value), found.outside.delta, "missed"))
    above = [f"{name} = {answer} meets {target}{rests}"]
    above += [f"answer for it with {owed}"] if owed else []
    below = [f"why not further: {found.basis}"]
    write_table([name, "delta", ""], rows, above=[*above, *notes], below=below)
