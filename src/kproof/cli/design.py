"""``kproof design``: the weakest requirement under which a target is met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from kproof.cli.common import JSON, console, plain_table, write_json, write_line
from kproof.cli.inputs import Background, Records, notes_on, shift_of
from kproof.errors import InvalidArgument

if TYPE_CHECKING:
    from kproof.theory.design import Design

app = App(name="design")

_RECORDS = Records()
_BACKGROUND = Background()


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
    records: Records = _RECORDS,
    background: Background = _BACKGROUND,
    events: str | None = None,
    log_concave: Annotated[bool, Parameter(negative=())] = False,
    json: JSON = False,
) -> None:
    """Find the smallest data, or the strongest adversary, at which a target is met.

    Parameters
    ----------
    quantity
        n (fewest records), variance (least), s (largest shift), lambda1 or lambda2 (largest).
    epsilon
        The target's epsilon.
    delta
        The target's delta.
    theorem
        1, or 2 to 5 for an adversary of level I to IV.
    n
        Number of records; with --data, as many as the column has unless said otherwise.
    p
        Theorem 1: probability that a tuple is picked.
    k
        Least size of a cloaked set.
    events
        Theorems 2 to 5: half-lines, intervals (default), unions:J or all.
    log_concave
        You answer for records with log-concave laws: the bound then covers all events.
    json
        Print one JSON document instead of a table.
    """
    from kproof.theory.design import design as solve
    from kproof.theory.moments import RecordMoments
    from kproof.theory.numbers import integer

    for name in ("dependency", "known"):
        if getattr(background, name) is not None:
            other = "neighbourhood or lambda1" if name == "dependency" else "lambda2"
            raise InvalidArgument(name, getattr(background, name), f"{other} in its place")
    number = integer("theorem", theorem, least=1, most=5)
    column, record = records.values(), records.moments()
    if column is not None:
        record = RecordMoments.from_column(column.values, name=column.name)
        n = str(len(column.values)) if n is None and quantity != "n" else n
    fixed: dict[str, Any] = {
        "n": n,
        "p": p,
        "k": k,
        "record": record,
        "s": background.shift
        if quantity == "s" or number == 1
        else shift_of(background.shift, column),
        "neighbourhood": background.neighbourhood
        and integer("neighbourhood", background.neighbourhood, least=1),
        "lambda1": background.lambda1,
        "lambda2": background.lambda2,
        "events": events,
        "log_concave": log_concave,
    }
    found = solve(
        quantity,
        epsilon=epsilon,
        delta=delta,
        theorem=number,
        **{name: value for name, value in fixed.items() if value is not None},
    )
    notes = notes_on(column, None if quantity != "s" and background.shift is None else "said")
    if json:
        write_json(found.to_dict() | {"notes": notes})
    else:
        _show(found, notes)


def _show(found: Design, notes: Sequence[str]) -> None:
    from kproof.theory.bounds import shown_exactly

    out = console()
    name = found.quantity.value
    target = f"epsilon = {shown_exactly(found.epsilon)}, delta = {shown_exactly(found.delta)}"
    write_line(out, f"{name} = {shown_exactly(found.answer)} meets {target}")
    for note in notes:
        write_line(out, note)
    out.print()
    table = plain_table([name, "delta", ""])
    table.add_row(shown_exactly(found.answer), str(found.inside.delta), "met")
    if found.outside is not None and found.next_value is not None:
        table.add_row(shown_exactly(found.next_value), str(found.outside.delta), "missed")
    out.print(table)
    out.print()
    write_line(out, f"why not further: {found.basis}")
