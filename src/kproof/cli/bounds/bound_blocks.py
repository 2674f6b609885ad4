"""``kproof bound blocks``: what block masses prove of every event, for any number of records."""

from typing import Annotated, Any

from cyclopts import App, Group, Parameter

from kproof.cli.base.common import JSON, SWITCH, option_group
from kproof.cli.base.printing import ExitStatus
from kproof.cli.bounds.comparisons import answer_own, one_of_pair
from kproof.cli.bounds.inputs import ASSUME, BackgroundOptions, ColumnOptions, notes_on, shift_of
from kproof.cli.bounds.laws import TieOptions
from kproof.errors import InvalidArgument

app = App(name="blocks", help="Bound every event by block masses, at every n.")

_SAID = Group("What is said of a record", sort_key=1)


@option_group(_SAID)
class MassOptions(ColumnOptions):
    """A belief, or a column whose values the records are drawn from."""

    beta: Annotated[str | None, Parameter(name="--block-mass")] = None
    """Least block mass of a record: at least this share of its law is uniform on --block values
    that lie the shift apart; or one for each record, separated by commas."""
    block: str | None = None
    """How many values a block has. Needed with --block-mass; otherwise the best is chosen."""
    least_share: str | None = None
    """At least this share of the records has the block mass; nothing is said of the others."""


@app.default
def blocks(
    *,
    n: str | None = None,
    epsilon: str | None = None,
    delta: str | None = None,
    masses: MassOptions = MassOptions(),
    background: BackgroundOptions = BackgroundOptions(),
    ties: TieOptions = TieOptions(),
    others_only: SWITCH = False,
    assume: ASSUME = (),
    json: JSON = False,
) -> ExitStatus:
    """Bound delta for every event from block masses of the records (B1 to B6).

    Status 0 means that the bound rests on nothing but what was checked and what you confirm
    with --block-mass and --assume, 4 that it is conditional on more.

    Args:
        n: Number of records; with --data, by default as many as the column has.
        epsilon: A number, a,b,c or start:stop:count.
        delta: Bound epsilon at this delta instead.
        others_only: Count only the randomness of the other records, the victim's being fixed.
        assume: Confirm what no data can show: independence; dependency-graph, where the
            adversary knows of dependence and for --groups; markov-field or consistent-tables for
            --field.
    """
    from kproof.theory.theorems.blocks import block_bound

    quantity, points = one_of_pair(epsilon, delta)
    keywords, notes = _records(masses, background, ties, n=n)
    bounds = [
        block_bound(
            block=masses.block,
            least_share=masses.least_share,
            others_only=others_only,
            assume=assume,
            **(keywords | {quantity: value}),
        )
        for value in points.typed
    ]
    return answer_own("blocks", bounds, grid=not points.single, json=json, notes=notes)


def _records(
    masses: MassOptions, background: BackgroundOptions, ties: TieOptions, *, n: str | None
) -> tuple[dict[str, Any], list[str]]:
    """Return the records and the adversary as the library takes them, and what to note."""
    tied = ties.is_tied()
    if masses.data is not None:
        if masses.beta is not None:
            raise InvalidArgument("beta", masses.beta, "no --data with it")
        if tied:
            raise InvalidArgument("data", masses.data, "no --law, --field or --groups with it")
    column = masses.values()
    if column is not None:
        adversary = background.adversary(
            shift=shift_of(background.shift, column), n=n or len(column.values)
        )
        records = {"data": column.values, "n": n, "adversary": adversary}
        return records, notes_on(column, background.shift)
    adversary = background.adversary(shift=background.shift or 1, n=n)
    if not tied:
        if masses.beta is None:
            ways = "--block-mass with --block, --data FILE --column NAME, or --law FILE"
            raise InvalidArgument("records", None, ways)
        # One belief, or one for each record.
        several = [belief.strip() for belief in masses.beta.split(",")]
        beta = several if len(several) > 1 else masses.beta
        return {"beta": beta, "n": n, "adversary": adversary}, []
    records = ties.records(
        block=masses.block, shift=adversary.s, mass=masses.beta, n=n, known=adversary.known or ()
    )
    return {"n": n, "adversary": adversary} | records, []
