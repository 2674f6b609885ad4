"""Rows kept by coins, cells below k dropped: the bound, and which k and β meet a target."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.theory.exact import Enclosure, Number, as_arb, choice, integer, rational, use_bits
from kproof.theory.profiles.sampled import (
    MOST_K,
    least_threshold,
    sampled_exact,
    shown_share,
    worst_tables,
)
from kproof.theory.profiles.sampled_replaced import delta_of_replacement, worst_replacement
from kproof.theory.theorems.bounds import exact_text
from kproof.theory.theorems.releases.bounds import ReleaseBound

FRONTIER = tuple(Fraction(tenths, 10) for tenths in range(1, 10))
"""Chances of a row for which the least k is worked out unless others are named."""

SCOPE = (
    "holds against everyone, whatever they know of the other rows: the coins are the publisher's",
    "a cell is a whole published row, fixed without the data; nothing else is published: no "
    "totals, no rows left out or their number, no second table of the same coins",
    "if the table was made elsewhere, independent coins and fixed cells are your word",
)
"""What a bound of rows kept by coins stands on."""

_FRESH = (
    "the coins of each table are tossed anew: epsilon and delta of all tables are added up, with "
    "equal shares of epsilon"
)

MOST_TIMES = 1_000_000
"""Most tables of the same people."""


class Neighbours(StrEnum):
    """Which tables are to be told apart in vain."""

    ADD = "add"
    """One has a row more than the other."""
    REPLACE = "replace"
    """They differ in the values of one row."""


_NARROW = 1e-9
"""Relative width of an enclosure that one pair of cells accounts for."""

_DIFFER = {
    Neighbours.ADD: ("R7", "one row more or less"),
    Neighbours.REPLACE: ("R9", "other values in one row"),
}
"""The row of the ledger, and how the tables differ."""


def release_bound(
    *,
    k: Number,
    beta: Number,
    epsilon: Number | None = None,
    delta: Number | None = None,
    neighbours: str | Neighbours = Neighbours.ADD,
    times: Number = "1",
) -> ReleaseBound:
    """Bound what a table of rows kept by coins tells, against everyone (R7 to R9, R12).

    Each row is kept with the same chance, a cell (a whole published row) is shown with its count
    if at least k of its rows were kept, and nothing else is published.

    Args:
        k: Fewest kept rows of a cell that is shown; it is dropped otherwise. 1 to 1,000,000.
        beta: Chance that a row is kept, such as 1/10.
        epsilon: A number, a,b,c or start:stop:count.
        delta: Bound epsilon at this delta instead; not with replace.
        neighbours: add: tables with a row more or less. replace: tables with other values in one
            row, which costs more.
        times: How many such tables of the same people are published, each with fresh coins.

    Returns:
        For one table and ``add`` the supremum itself, otherwise an enclosure of it. For several
        tables the upper end adds up their epsilon and delta, and the lower end is that of one.

    >>> bound = release_bound(k=20, beta="1/10", epsilon=1)
    >>> print(bound.delta, bound.attained, sep=": ")
    2.760687e-15: 29 rows of a cell against 28
    """
    threshold, chance = integer("k", k, least=1, most=MOST_K), _chance(beta)
    relation = choice("neighbours", neighbours, Neighbours)
    floor = _floor(threshold, chance)
    if (epsilon is None) == (delta is None):
        raise InvalidArgument("epsilon, delta", "none or both", "exactly one of the two")
    tables = integer("times", times, least=1, most=MOST_TIMES)
    if epsilon is None:
        target = rational("delta", delta, above=0, most=1)
        if tables > 1:
            raise InvalidArgument("delta", delta, "epsilon with times > 1")
        if relation is Neighbours.REPLACE:
            raise InvalidArgument("delta", delta, "epsilon with neighbours = replace")
        exponent = sampled_exact(threshold, chance, delta=target)
        if not exponent.lower.is_finite():
            least = _least_power(chance, target)
            need = f"at least beta^k = {floor}, which no epsilon goes below; least k is {least}"
            raise InvalidArgument("delta", delta, need)
        value, worst = Enclosure.exactly(target), ""
    else:
        exact = rational("epsilon", epsilon, least=0)
        exponent = Enclosure.exactly(exact)
        measure = _of_adding if relation is Neighbours.ADD else _of_replacing
        value, worst = measure(threshold, chance, exact)
        if tables > 1:
            shared, worst = measure(threshold, chance, exact / tables)[0], ""
            above = Enclosure.exactly(min(tables * Fraction(shared.upper), Fraction(1)))
            # One of the tables alone has this δ at all of ε: less it cannot be.
            value = Enclosure(value.lower, max(value.upper, above.upper))
    name, differ = _DIFFER[relation]
    of_each = "each row is kept" if tables == 1 else f"in each of {tables:,} tables a row is kept"
    return ReleaseBound(
        name="release",
        statement=f"{name if tables == 1 else 'R12'}: {of_each} with chance "
        f"{exact_text(chance)}, cells of fewer than {threshold} kept rows are dropped; the "
        f"worst of all tables with {differ}",
        epsilon=exponent,
        delta=value,
        parameters={
            "k": str(threshold),
            "beta": exact_text(chance),
            "neighbours": relation.value,
            **({} if tables == 1 else {"times": str(tables)}),
        },
        attained=worst,
        flags=(
            *SCOPE,
            *(() if tables == 1 else (_FRESH,)),
            f"no epsilon makes delta less than beta^k = {floor}",
        ),
        floor=floor,
    )


def _of_adding(k: int, chance: Fraction, epsilon: Fraction) -> tuple[Enclosure, str]:
    """Return δ of a row more or less, and the tables that attain it."""
    worst, phrase = worst_tables(k, chance, epsilon=epsilon), ""
    if worst is not None:
        sizes = (worst.rows, worst.rows - 1)[:: 1 if worst.present else -1]
        phrase = "{} rows of a cell against {}".format(*sizes)
    return sampled_exact(k, chance, epsilon=epsilon), phrase


def _of_replacing(k: int, chance: Fraction, epsilon: Fraction) -> tuple[Enclosure, str]:
    """Return δ of a row with other values, and where it leaves and goes."""
    delta, rows = worst_replacement(k, chance, epsilon=epsilon)
    # Where the search ended early its largest pair need not be the worst.
    attained = rows is not None and delta.relative_width < _NARROW
    return delta, "a row moves from {} others to {}".format(*rows) if attained and rows else ""


@dataclass(frozen=True)
class ReleaseDesign:
    """The least k for one β at which a target is met."""

    beta: Fraction
    """Chance that a row is kept."""
    k: int
    """The least threshold that is proved to suffice."""
    met: ReleaseBound
    missed: ReleaseBound | None
    """The bound one below, which was not proved to meet the target; None if k is 1."""
    share: Enclosure | None = None
    """The expected share of the rows that are published; None if there are no rows."""

    to_dict = JsonForm("beta k delta=met.delta missed=missed.delta share", exact=exact_text)


def release_design(
    *,
    epsilon: Number,
    delta: Number,
    beta: Sequence[Number] = FRONTIER,
    neighbours: str | Neighbours = Neighbours.ADD,
    sizes: Mapping[int, int] | None = None,
) -> tuple[ReleaseDesign, ...]:
    """Return the least k for each chance of a row at which a target is met.

    ``epsilon``, ``delta``: the target; epsilon >= 0, 0 < delta < 1. ``beta``: chances that a row is
    kept. ``neighbours``: as for :func:`release_bound`. ``sizes``: how many cells of a table there
    are of each number of rows: the expected share of its rows that would be shown is worked out. It
    is computed from the rows, so it is not to be published.

    >>> (design,) = release_design(epsilon=1, delta="1e-9", beta=["1/10"])
    >>> design.k
    12
    """
    relation = choice("neighbours", neighbours, Neighbours)
    exact = rational("epsilon", epsilon, least=0)
    rational("delta", delta, above=0, below=1)
    if sizes is not None and not sizes:
        raise InvalidArgument("rows", "none", "a table with rows")

    def at(k: int, chance: Fraction) -> ReleaseBound:
        return release_bound(k=k, beta=chance, epsilon=exact, neighbours=relation)

    designs = []
    for chance in map(_chance, beta):
        k = least_threshold(chance, epsilon=exact, delta=delta)
        if relation is Neighbours.REPLACE:
            k = _least_replaced(k, chance, exact, delta)
        share = None if sizes is None else shown_share(sizes, k, chance)
        missed = at(k - 1, chance) if k > 1 else None
        designs.append(ReleaseDesign(chance, k, at(k, chance), missed, share))
    least = min(designs, key=lambda design: design.k)
    if sizes is not None and least.k > max(sizes):
        need = f"one of {least.k:,} rows, the least k, at beta = {exact_text(least.beta)}"
        raise InvalidArgument("rows", f"no cell of more than {max(sizes):,} rows", need)
    return tuple(designs)


def _least_replaced(k: int, chance: Fraction, epsilon: Fraction, delta: Number) -> int:
    """Return the least k that is proved to suffice, from one that adding a row needs."""
    target = rational("delta", delta)

    def suffices(size: int) -> bool:
        return Fraction(delta_of_replacement(size, chance, epsilon=epsilon).upper) <= target

    # δ of a replaced row is at least that of a row more: no k below this one can suffice.
    step = 1
    while not suffices(k + step - 1):
        step *= 2
        if k + step > MOST_K:
            raise InvalidArgument("delta", delta, f"more: k = {MOST_K} is too few")
    # What was tried before, half a step on, did not suffice.
    return bisect_left(range(k + step - 1), True, lo=k + step // 2, key=suffices)


def _chance(beta: Number) -> Fraction:
    """Read the chance of a row; without coins nothing holds against everyone (R0)."""
    # Read without a range: 0 and 1 are refused for reasons of their own, which the range hides.
    chance = rational("beta", beta)
    if chance == 1:
        reason = (
            "less than 1: where all rows are kept, delta = 1 at every epsilon for whoever knows "
            "the other rows, whatever k is (R0)"
        )
        raise InvalidArgument("beta", beta, reason)
    if chance == 0:
        raise InvalidArgument("beta", beta, "more than 0: no row would be kept")
    return rational("beta", beta, above=0, below=1)


def _floor(k: int, chance: Fraction) -> Enclosure:
    with use_bits(128):
        return Enclosure.from_arb(as_arb(chance) ** k, low=0, high=1)


def _least_power(chance: Fraction, target: Fraction) -> int:
    """Return the least k with β^k at most the target."""
    with use_bits(256):
        ratio = as_arb(target).log() / as_arb(chance).log()
        # No higher than the answer: from here it is counted up exactly.
        k = max(1, int(ratio.lower().floor().unique_fmpz() or 0))
    # A ball does not decide where β^k is the target itself, which is what people type.
    small = k * chance.denominator.bit_length() < _EXACT_BITS
    while (chance**k if small else Fraction(_floor(k, chance).upper)) > target:
        k += 1
    return k


_EXACT_BITS = 1 << 17
"""Largest integers with which β^k is compared."""
