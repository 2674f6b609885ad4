"""``kproof account``: what a training run loses, and whether an accountant's claim is true."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kproof.cli.base.common import JSON, grid
from kproof.cli.base.printing import ExitStatus, write_json, write_table
from kproof.errors import InvalidArgument, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kproof.theory.losses.events import ToolClaim, TrainingRun
    from kproof.theory.losses.run_account import AccountedClaim, RunAccount

_MOST_LISTED = 6
"""Different releases that the text lists."""
_ASKED = {"delta": "epsilon at each delta", "epsilon": "delta at each epsilon"}


def account(
    file: str,
    /,
    *,
    delta: str | None = None,
    epsilon: str | None = None,
    claim: str | None = None,
    json: JSON = False,
) -> int:
    """Enclose the epsilon of a training run, and judge an accountant's claim.

    Args:
        file: A JSON file: an event of dp_accounting, or the history of an accountant of Opacus.
        delta: Ask for epsilon at this delta: a number, a,b,c or start:stop:count.
        epsilon: Ask for delta at this epsilon: a number, a,b,c or start:stop:count.
        claim: The claim to judge, as EPSILON,DELTA, in place of the one in the file.
    """
    from kproof.theory.exact.typed import rational
    from kproof.theory.losses.events import read_run
    from kproof.theory.losses.run_account import account_for

    run = read_run(file)
    if claim is not None:
        run = replace(run, claim=_claim(claim, run))
    deltas = [rational("delta", at, least=0, most=1) for at in _values("delta", delta)]
    epsilons = [rational("epsilon", at, least=0) for at in _values("epsilon", epsilon)]
    if run.claim is None and not (deltas or epsilons):
        raise InvalidArgument("delta", None, "--delta or --epsilon, or a claim to judge")
    result = account_for(run, deltas=deltas, epsilons=epsilons)
    if json:
        write_json("account", result)
    else:
        _show(result)
    return _status(result.claim)


def _values(name: str, text: str | None) -> tuple[object, ...]:
    return () if text is None else grid(name, text).values


def _claim(text: str, run: TrainingRun) -> ToolClaim:
    from fractions import Fraction

    from kproof.theory.exact.typed import rational
    from kproof.theory.losses.events import ToolClaim

    parts = text.split(",")
    if len(parts) != 2:
        raise InvalidArgument("claim", text, "EPSILON,DELTA")
    most = rational("claim: epsilon", parts[0], least=0)
    delta = rational("claim: delta", parts[1], least=0, most=1)
    # From 0 on: whoever types a claim bounds the loss from above, and says nothing from below.
    return ToolClaim(Fraction(0), most, delta, run.neighbours, "")


def _status(judged: AccountedClaim | None) -> ExitStatus:
    from kproof.theory.losses.run_account import ClaimStanding

    if judged is None or judged.standing is ClaimStanding.UPHELD:
        return ExitStatus.DONE
    refuted = judged.standing is ClaimStanding.REFUTED
    return ExitStatus.VIOLATED if refuted else ExitStatus.OPEN


def _show(result: RunAccount) -> None:
    from kproof.theory.losses.events import NeighbouringRelation
    from kproof.theory.theorems.bounds import exact_text

    replaced = result.neighbours is NeighbouringRelation.REPLACE_ONE
    heading = "one record replaced" if replaced else "one record added or removed"
    listed = result.releases[:_MOST_LISTED]
    more = len(result.releases) - len(listed)
    rows = [
        (point.given, exact_text(point.value), point.added, point.removed, point.either)
        for point in result.points
    ]
    write_table(
        ["at", "", "record added", "record removed", "either"],
        rows,
        above=[
            f"neighbours: {heading}",
            *(listed or ["nothing is released"]),
            *([f"and {more} more"] if more else []),
            "; ".join(dict.fromkeys(_ASKED[point.given] for point in result.points)),
        ],
        below=[*_claim_lines(result.claim), *result.notes],
    )


def _claim_lines(judged: AccountedClaim | None) -> Iterator[str]:
    from kproof.theory.losses.run_account import ClaimStanding
    from kproof.theory.theorems.bounds import exact_text

    if judged is None:
        return
    claim = judged.claim
    who = f" of {show(claim.by)}" if claim.by else ""
    ends = f"at most {exact_text(claim.most)}"
    if claim.least:
        ends = f"{exact_text(claim.least)} to {exact_text(claim.most)}"
    is_other = judged.standing is ClaimStanding.NOT_JUDGED
    reason = f"that is about {claim.neighbours.value}" if is_other else f"it is {judged.epsilon}"
    statement = f"that epsilon is {ends} at delta {exact_text(claim.delta)}"
    yield f"{judged.standing.value}: the claim{who} {statement}; {reason}"
