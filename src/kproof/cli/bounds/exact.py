"""``kproof exact``: the exact profile of one law, as certified decimals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from cyclopts import App

from kproof.cli.base.commands import epilogue
from kproof.cli.base.common import HEADER, JSON, MISSING, OptionGroup, grid, option_group
from kproof.cli.base.printing import write_json, write_table
from kproof.cli.bounds.exact_several import app as several_app
from kproof.cli.bounds.inputs import notes_on, read
from kproof.errors import InvalidArgument

if TYPE_CHECKING:
    from kproof.theory.laws.base import Law

SCHEMA = 2
"""Version of the JSON form."""

app = App(
    name="exact",
    help="The exact epsilon or delta of a law under a shift, with certified digits.",
    help_epilogue=epilogue("exact"),
)
app.command(several_app)


@option_group()
class ProfileOptions(OptionGroup):
    """What is asked of the law."""

    epsilon: str | None = None
    """Ask for delta at this epsilon: a number, a,b,c or start:stop:count."""
    delta: str | None = None
    """Ask for epsilon at this delta instead: a number, a,b,c or start:stop:count."""
    shift: str = "1"
    """How far the two hypotheses lie apart."""
    direction: Literal["both", "up", "down"] = "both"
    """Law against shifted law (up), the reverse (down), or the larger of the two."""
    relative_width: str = "1e-12"
    """Widest enclosure wanted, relative to the value."""
    json: JSON = False


@app.command
def truncated_binomial(
    *, n: str, p: str, k: str, question: ProfileOptions = ProfileOptions()
) -> None:
    """Binomial count given that it is at least k: the count of Theorem 1.

    Args:
        n: Number of tuples.
        p: Probability that a tuple is picked: a decimal or a fraction such as 71/100.
        k: Fewest people in a cloaked set: the count is at least k.
    """
    from kproof.theory.laws import TruncatedBinomial

    _answer(TruncatedBinomial(n, p, k), question)


@app.command
def binomial(*, n: str, p: str, question: ProfileOptions = ProfileOptions()) -> None:
    """Binomial count.

    Args:
        n: Number of trials.
        p: Probability of success: a decimal or a fraction such as 71/100.
    """
    from kproof.theory.laws import Binomial

    _answer(Binomial(n, p), question)


@app.command
def poisson_binomial(
    *,
    p: str | None = None,
    data: str | None = None,
    column: str | None = None,
    header: HEADER = "detect",
    missing: MISSING = (),
    question: ProfileOptions = ProfileOptions(),
) -> None:
    """Count of independent successes with probabilities of their own.

    Args:
        p: The probabilities, separated by commas.
        data: A CSV file with the probabilities instead.
        column: A column of the file, which holds them: a name or a position counted from 1.
    """
    from kproof.theory.laws import PoissonBinomial

    if (p is None) == (data is None):
        raise InvalidArgument("p", p, "either --p or --data with --column")
    if data is None:
        _answer(PoissonBinomial(str(p).split(",")), question)
    else:
        values = read(data, column, header, missing)
        _answer(PoissonBinomial(values.values), question, notes=notes_on(values, "said"))


@app.command
def normal(
    *,
    sigma: str | None = None,
    variance: str | None = None,
    question: ProfileOptions = ProfileOptions(),
) -> None:
    """Law of a normal variable, whatever its mean.

    Args:
        sigma: Standard deviation.
        variance: Its square, instead.
    """
    from kproof.theory.exact.typed import rational
    from kproof.theory.laws import Normal

    if (sigma is None) == (variance is None):
        raise InvalidArgument("sigma", sigma, "either --sigma or --variance")
    if sigma is not None:
        _answer(Normal(0, rational("sigma", sigma, above=0) ** 2), question)
    else:
        _answer(Normal(0, rational("variance", variance, above=0)), question)


@app.command(name="data")
def from_data(
    *,
    data: str,
    column: str,
    n: str | None = None,
    header: HEADER = "detect",
    missing: MISSING = (),
    question: ProfileOptions = ProfileOptions(),
) -> None:
    """Sum of n records drawn independently from a column of numbers.

    Args:
        data: A CSV file or the name of a shipped table.
        column: A column of the file: a name or a position counted from 1.
        n: Number of records; by default as many as the column has.
    """
    from kproof.theory.exact.typed import integer
    from kproof.theory.laws import empirical, iid

    values = read(data, column, header, missing)
    records = len(values.values) if n is None else integer("n", n, least=1)
    law = iid(empirical(values.values, name=values.name), records)
    draws = (
        f"the law is that of {records} independent draws from {values.name}; that the records are "
        "such draws was not judged"
    )
    _answer(law, question, notes=[*notes_on(values, "said"), draws])


@app.command(name="file")
def from_file(*, law: str, question: ProfileOptions = ProfileOptions()) -> None:
    """Sum of records whose law is in a file: a chain, groups, a field, what is known.

    Args:
        law: A JSON file; its kind is iid, column, chain, groups, field or conditional.
    """
    from kproof.cli.bounds.laws import summed

    _answer(summed(law), question)


def _answer(law: Law, question: ProfileOptions, *, notes: Sequence[str] = ()) -> None:
    """Compute what was asked and print it."""
    from kproof.theory.exact.typed import rational
    from kproof.theory.profiles import Direction, exact
    from kproof.theory.theorems.bounds import shown_exactly

    if (question.epsilon is None) == (question.delta is None):
        raise InvalidArgument("epsilon", question.epsilon, "either --epsilon or --delta")
    given, wanted, text = (
        ("epsilon", "delta", question.epsilon)
        if question.epsilon is not None
        else ("delta", "epsilon", question.delta)
    )
    asked = grid(given, str(text))
    shift = rational("shift", question.shift)
    answers = exact(
        law,
        shift=shift,
        direction=Direction(question.direction),
        relative_width=float(rational("relative_width", question.relative_width, above=0, below=1)),
        **{given: asked.typed},
    )
    points = [
        (shown_exactly(value), answer) for value, answer in zip(asked.values, answers, strict=True)
    ]
    if question.json:
        from kproof.schemas.printed_bounds import ExactPoint, ExactProfile

        rows = tuple(ExactPoint(given, value, answer) for value, answer in points)
        at_one = asked.single
        profile = ExactProfile(
            law.name,
            shown_exactly(shift),
            question.direction,
            tuple(notes),
            point=rows[0] if at_one else None,
            points=None if at_one else rows,
        )

        write_json("exact", profile)
        return
    heading = f"{law.name}, shift {shown_exactly(shift)}, direction {question.direction}"
    write_table([given, wanted], points, above=[heading, *notes])
