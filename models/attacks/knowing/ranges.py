"""What can be believed of somebody, whatever decides the ties of a method.

A rule for ties may look at the whole table, as a program does that goes by the order of its rows.
So each table takes any of its runs, and none is bound by what another takes. Whoever knows the rule
believes a share among the tables that come out as published; the rule decides which these are,
apart from tables that cannot come out otherwise.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from math import prod

from flint import fmpq

from kproof.models.attacks.knowing.contents import Content, size_of
from kproof.models.attacks.knowing.runs import Runs, fraction_of

ValueRanges = Mapping[int, tuple[Fraction, Fraction]]
"""The least and the largest probability of every code that somebody in a class may have."""


def outer_ranges(outcomes: Iterable[Content]) -> ValueRanges:
    """Return the shares of values in what may be somebody's in a class at the end of a run.

    No belief is outside: it is a mean of such shares. Each end is attained if some rule can have
    all other tables come out otherwise.
    """
    contents = [dict(content) for content in outcomes]
    ranges = {}
    for code in sorted(set[int]().union(*contents)):
        shares = [
            Fraction(counts.get(code, 0), sum(counts.values())) for counts in contents if counts
        ]
        ranges[code] = min(shares), max(shares)
    return ranges


def exact_ranges(runs: Runs, most_tables: int) -> tuple[ValueRanges, ...] | None:
    """Return the ranges over all rules, going through the tables; None if there are more."""
    originals = [runs.originals(position) for position in range(len(runs.published))]
    if prod(map(len, originals)) > most_tables:
        return None
    # A class cannot tell tables apart that may leave the same in it.
    kinds: list[dict[_Kind, Fraction]] = [defaultdict(Fraction) for _ in originals]
    for table in product(*(contents.items() for contents in originals)):
        sums = runs.sums_of([content for content, _ in table])
        if sums.chance:
            prior = fraction_of(prod((chance for _, chance in table), start=fmpq(1)))
            for kind, contents in zip(kinds, sums.held, strict=True):
                # Ties that are decided evenly give every run a chance.
                kind[frozenset(contents), sums.chance == 1] += prior
    return tuple(_ranges_of(kind) for kind in kinds)


_Kind = tuple[frozenset[Content], bool]
"""What tables may leave in a class, and whether they cannot come out otherwise."""


def _ranges_of(kinds: Mapping[_Kind, Fraction]) -> ValueRanges:
    codes = {code for contents, _ in kinds for content in contents for code, _ in content}
    return {
        code: (-_largest_share(kinds, code, sign=-1), _largest_share(kinds, code, sign=1))
        for code in sorted(codes)
    }


def _largest_share(kinds: Mapping[_Kind, Fraction], code: int, *, sign: int) -> Fraction:
    """Return the largest signed share of a value over what rules may choose.

    It is a fraction of two sums over chosen tables. Dinkelbach: with a share at hand, each table is
    chosen, by the run that does most for it, if it raises the share; where nothing does, it is the
    largest. Each share is one that some choice has, and there are finitely many.
    """
    options = [
        (
            weight,
            bound,
            [(sign * dict(content).get(code, 0), size_of(content)) for content in contents],
        )
        for (contents, bound), weight in kinds.items()
    ]
    # The least that a signed share can be: every table may raise it.
    share = Fraction(-1)
    while True:
        rows = people = Fraction(0)
        for weight, bound, ways in options:
            count, size = max(ways, key=lambda way: way[0] - share * way[1])
            if bound or count > share * size:
                rows, people = rows + weight * count, people + weight * size
        if not people or rows == share * people:
            return share
        share = rows / people
