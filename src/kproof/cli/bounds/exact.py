"""``kproof exact``: the exact profile of a law, or of several sums of the same records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from cyclopts import App

from kproof.cli.base.commands import epilogue
from kproof.cli.base.common import HEADER, JSON, MISSING, SWITCH, OptionGroup, grid, option_group
from kproof.cli.base.printing import write_json, write_table
from kproof.cli.bounds.inputs import (
    ColumnOptions,
    is_index,
    notes_on,
    read,
    shift_of,
    words_of_lines,
)
from kproof.cli.bounds.laws import law_of_sum
from kproof.errors import DataError, InvalidArgument, show
from kproof.schemas.printed_bounds import ExactPlaces, ExactPoint, ExactProfile, ExactSeveral

if TYPE_CHECKING:
    from kproof.datasets import NumericColumn
    from kproof.theory.exact.typed import Number
    from kproof.theory.laws.base import Law
    from kproof.theory.profiles.channels import Channel
    from kproof.theory.profiles.several import SeveralDelta

app = App(
    name="exact",
    help="The exact epsilon or delta of a law under a shift, with certified digits.",
    help_epilogue=epilogue("exact"),
)
several_app = App(
    name="several",
    help="What several sums of the same records tell together, such as a total and group totals.",
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
    records: ColumnOptions = ColumnOptions(),
    question: ProfileOptions = ProfileOptions(),
) -> None:
    """Count of independent successes with probabilities of their own.

    Args:
        p: The probabilities, separated by commas; in their place a column of a file holds them.
    """
    from kproof.theory.laws import PoissonBinomial

    values = records.values()
    if (p is None) == (values is None):
        raise InvalidArgument("p", p, "either --p or --data with --column")
    chances = str(p).split(",") if values is None else values.values
    _answer(PoissonBinomial(chances), question, notes=notes_on(values, "said"))


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
    if variance is None:
        square = rational("sigma", str(sigma), above=0) ** 2
    else:
        square = rational("variance", variance, above=0)
    # By the variance, which is rational wherever sigma is; the root of a variance may be none.
    _answer(Normal(0, square), question)


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
    _answer(law_of_sum(law), question)


@app.command
def places(
    *,
    channel: str | None = None,
    links: str | None = None,
    grid: str | None = None,
    ratio: str | None = None,
    reports: str = "1",
    json: JSON = False,
) -> None:
    """Least epsilon per unit of distance of reports of places (geo-indistinguishability).

    Either of a channel in files, or of the truncated geometric one on a grid, which reports a cell
    with a probability in proportion to ratio^hops.

    Args:
        channel: A CSV file with the columns cell, report and p; p of each cell sums to exactly 1.
        links: With it, a CSV file with the columns cell, neighbour and, unless all are 1, length.
        grid: Rows and columns, such as 7x7, with --ratio.
        ratio: Between 0 and 1.
        reports: How many independent reports are made from one place.
    """
    from kproof.theory.exact.typed import integer
    from kproof.theory.profiles.channels import grid_links, truncated_geometric

    files, formula = (channel, links), (grid, ratio)
    if grid is not None and ratio is not None and files == (None, None):
        sides = grid.lower().split("x")
        if len(sides) != 2:
            raise InvalidArgument("grid", grid, "rows and columns, such as 7x7")
        judged, name = truncated_geometric(grid_links(*sides), ratio), f"{grid}, ratio {ratio}"
    elif channel is not None and links is not None and formula == (None, None):
        judged, name = _channel_of_files(channel, links), channel
    else:
        raise InvalidArgument("channel", channel, "--channel and --links, or --grid and --ratio")
    exponent, times = judged.exponent, integer("reports", reports, least=1)
    linked = {cell for ends in judged.links for cell in ends}
    alone = tuple(cell for cell in judged.cells if cell not in linked)
    after = exponent.after(times)
    result = ExactPlaces(name, len(judged.cells), times, exponent, after, alone)
    if json:
        write_json("exact-places", result)
    else:
        write_table(
            ["reports", "epsilon per unit", "likelier at", "than at", "apart", "report"],
            [(times, result.epsilon, *exponent.link, exponent.length, exponent.report)],
            above=[f"{name}: {result.cells:,} cells"],
            below=result.remarks,
        )


def _channel_of_files(channel: str, links: str) -> Channel:
    """Return the channel of a file, with the links of another."""
    from kproof.datasets import read_text_table
    from kproof.theory.exact.typed import rational
    from kproof.theory.profiles.channels import Channel

    def columns(path: str, *names: str) -> list[Sequence[str]]:
        table = read_text_table(path, missing=())
        if missing := [name for name in names if name not in table.names]:
            raise DataError(f"{show(path)}: no column {missing[0]}; need {', '.join(names)}")
        return [table.cells[table.names.index(name)] for name in names]

    rows: dict[str, dict[str, Number]] = {}
    for cell, report, share in zip(*columns(channel, "cell", "report", "p"), strict=True):
        row = rows.setdefault(cell, {})
        if report in row:
            raise DataError(f"{show(channel)}: {show(cell)} and {show(report)} twice; need it once")
        row[report] = share
    ends = list(zip(*columns(links, "cell", "neighbour"), strict=True))
    table = read_text_table(links, missing=())
    lengths = columns(links, "length")[0] if "length" in table.names else ["1"] * len(ends)
    return Channel.of(
        rows,
        [
            (*pair, rational(f"length of {show(' to '.join(pair))}", length, above=0))
            for pair, length in zip(ends, lengths, strict=True)
        ],
    )


def _answer(law: Law, question: ProfileOptions, *, notes: Sequence[str] = ()) -> None:
    """Compute what was asked and print it."""
    from kproof.theory.exact.typed import rational
    from kproof.theory.profiles import Direction, exact
    from kproof.theory.theorems.bounds import exact_text

    if (question.epsilon is None) == (question.delta is None):
        raise InvalidArgument("epsilon", question.epsilon, "either --epsilon or --delta")
    name, quantity = ("delta", "epsilon") if question.epsilon is None else ("epsilon", "delta")
    values = grid(name, str(getattr(question, name)))
    shift = rational("shift", question.shift)
    answers = exact(
        law,
        shift=shift,
        direction=Direction(question.direction),
        relative_width=float(rational("relative_width", question.relative_width, above=0, below=1)),
        **{name: values.typed},
    )
    points = [
        (exact_text(value), answer) for value, answer in zip(values.values, answers, strict=True)
    ]
    if question.json:
        rows = tuple(ExactPoint(name, value, answer) for value, answer in points)
        about = (law.name, exact_text(shift), question.direction, tuple(notes))
        shape = (rows[0], None) if values.single else (None, rows)
        write_json("exact", ExactProfile(*about, *shape))
        return
    heading = f"{law.name}, shift {exact_text(shift)}, direction {question.direction}"
    write_table([name, quantity], points, above=[heading, *notes])


@several_app.default
def several(
    *,
    data: str,
    column: str,
    epsilon: str,
    by: str | None = None,
    sums: str | None = None,
    shift: str | None = None,
    others_only: SWITCH = False,
    header: HEADER = "detect",
    missing: MISSING = (),
    json: JSON = False,
) -> None:
    """Delta of all sums at once, for records drawn independently from a column.

    The deltas of single sums may not be added or composed: the sums share their randomness.

    Args:
        data: A CSV file or the name of a shipped table.
        column: A column of the file, which is summed: a name or a position counted from 1.
        epsilon: At least 0.
        by: A column of groups: the total is published, and that of each group.
        sums: In its place, a file with one sum in each line: indexes of rows, from 0, and ranges
            such as 0-11, separated by blanks or commas.
        shift: How far one record moves the sums it is in; by default max - min of the column.
        others_only: Count only the randomness of the other records, the victim's being fixed.
    """
    from kproof.datasets import MISSING_CELLS, read_text_table
    from kproof.theory.exact.typed import rational
    from kproof.theory.laws import empirical
    from kproof.theory.laws.several_sums import several_sums
    from kproof.theory.profiles.several import several_delta
    from kproof.theory.theorems.bounds import exact_text

    if (by is None) == (sums is None):
        raise InvalidArgument("by", by, "either --by COLUMN or --sums FILE")
    table = read_text_table(data, header=header, missing=missing or MISSING_CELLS)
    values = table.column(column)
    if values.missing:
        raise DataError(
            f"{values.source}: column {values.name!r} has {values.missing} rows without a value; "
            "the sums need one in each row"
        )
    rows = len(values.values)
    if by is not None:
        place = table.position(by)
        names, members = _groups(table.names[place], table.cells[place])
    else:
        members = _sums_of_file(str(sums), rows)
        names = [f"sum {number}" for number in range(1, len(members) + 1)]
    distance = rational("shift", shift_of(shift, values), above=0)
    at = rational("epsilon", epsilon, least=0)
    result = several_delta(
        several_sums(empirical(values.values, name=values.name), members, n=rows),
        shift=distance,
        epsilon=at,
        others_only=others_only,
    )
    notes = [*notes_on(values, shift), f"the law is that of independent draws from {values.name}"]
    if json:
        about = (exact_text(distance), exact_text(at), tuple(names))
        write_json("exact-several", ExactSeveral(*about, result.delta, result.cells, tuple(notes)))
        return
    _show(result, values, names, f"shift {exact_text(distance)}, epsilon {epsilon}", notes)


def _show(
    result: SeveralDelta,
    values: NumericColumn,
    names: Sequence[str],
    heading: str,
    notes: Sequence[str],
) -> None:
    from kproof.report.wording import at_most

    rows, below = [], [f"for anyone in one of them: delta = {result.delta}"]
    for share in result.cells:
        members = ", ".join(names[place] for place in share.cell.sums)
        # By upper ends: what is shown has to cover every one of the sums.
        alone = max(share.alone, key=lambda value: value.upper)
        rows.append((members, share.cell.count, at_most(alone), at_most(share.together)))
        if share.determined and share.cell.count == 1:
            below.append(f"the sums give away the record of row {share.cell.first}")
        if not share.exact:
            below.append(f"of {members} the value is a bound: the lattice of all is too large")
    write_table(
        ["who is in", "records", "delta of one sum", "delta of all"],
        rows,
        above=[f"{len(names)} sums of {values.name}, {heading}", *notes],
        below=below,
    )


def _groups(name: str, cells: Sequence[str]) -> tuple[list[str], list[list[int]]]:
    """Return the total and the groups of a column by value."""
    rows_of: dict[str, list[int]] = {}
    for row, cell in enumerate(cells):
        rows_of.setdefault(cell, []).append(row)
    names = ["total", *(f"{name} {show(cell)}" for cell in rows_of)]
    return names, [list(range(len(cells))), *rows_of.values()]


def _sums_of_file(path: str, rows: int) -> list[list[int]]:
    """Return the rows of the sums of a file, one in each line."""
    sums = []
    for where, words in words_of_lines(path):
        members: list[int] = []
        for word in words:
            ends = word.split("-")
            if len(ends) > 2 or not all(map(is_index, ends)):
                raise DataError(f"{where}: {show(word)}, need indexes of rows from 0")
            first, last = int(ends[0]), int(ends[-1])
            if not first <= last < rows:
                raise DataError(f"{where}: {show(word)}, need rows 0 to {rows - 1}")
            members.extend(range(first, last + 1))
        sums.append(members)
    return sums
