"""Tables whose groups decide: as many people, values and shares as are asked for, or one off.

A check that says < where it means <= errs on equality alone, and a table drawn cell by cell seldom
has it. These tables are drawn group by group: people with equal quasi-identifiers, k of them, one
less or one more; l values in them, one less or one more; the commonest with a share of 1/l or next
to it. The request is then for what one of the groups has exactly, or for a thousandth more or less.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

from hypothesis import strategies as st

from kproof.proptests import oracles
from kproof.proptests.contract import TableCase
from kproof.proptests.strategies.parameters import requests
from kproof.proptests.strategies.values import Values, value
from kproof.theory.theorems import theta

_LETTERS = tuple("abcdefgh")
_NUDGES = (Fraction(0), Fraction(1, 1000), Fraction(-1, 1000))
_KINDS = (Values.INTEGERS, Values.LETTERS, Values.REALS, Values.DATES)


@dataclass(frozen=True)
class _Group:
    """People with equal quasi-identifiers, as the sensitive values they have."""

    values: tuple[str, ...]

    @property
    def counts(self) -> list[int]:
        return list(Counter(self.values).values())


@st.composite
def _groups(draw: st.DrawFn, k: int, distinct: int) -> _Group:
    """Draw a group around k people, and around so many values or a share of one in so many."""
    size = draw(st.sampled_from((k, k + 1, max(k - 1, 1), 2 * k, 2 * k - 1)))
    number = min(size, max(1, distinct + draw(st.sampled_from((0, 1, -1)))))
    if draw(st.booleans()):
        return _Group(tuple(_LETTERS[place % number] for place in range(size)))
    largest = min(size, max(1, size // distinct + draw(st.sampled_from((0, 1, -1)))))
    # Never the first letter, whose share is to be what was drawn.
    tail = tuple(_LETTERS[1 + place % (len(_LETTERS) - 1)] for place in range(size - largest))
    return _Group((*_LETTERS[:1] * largest, *tail))


@st.composite
def near_thresholds(draw: st.DrawFn, names: frozenset[str]) -> TableCase:
    """Draw a table of which some group has just what is asked for, or hardly not.

    It has one or two quasi-identifiers; one of them is the number of the group.

    >>> from hypothesis import find
    >>> case = find(near_thresholds(frozenset({"k", "l"})), lambda case: case.rows > 1)
    >>> sorted(case.parameters), case.quasi_identifiers
    (['k', 'l'], ('q1',))
    """
    k, distinct = draw(st.integers(2, 5)), draw(st.integers(2, 4))
    groups = draw(st.lists(_groups(k, distinct), min_size=1, max_size=4))
    kind = draw(st.sampled_from(_KINDS))
    secret = tuple(letter for group in groups for letter in group.values)
    columns: dict[str, tuple[object, ...]] = {
        "q1": tuple(value(kind, place) for place, group in enumerate(groups) for _ in group.values)
    }
    if draw(st.booleans()):
        columns["q2"] = tuple(place % 2 for place in range(len(secret)))
    ranked = {letter: "ABC"[place % 3] for place, letter in enumerate(sorted(set(secret)))}
    case = _draw_case(draw, names, columns, secret, ranked, st.just(k))
    exact = _exactly(draw(st.sampled_from(groups)), k, distinct, secret)
    nudge = draw(st.sampled_from(_NUDGES))
    nudged = {
        name: _nudge(name, figure, nudge)
        for name, figure in exact.items()
        if name in case.parameters
    }
    return replace(case, parameters={**case.parameters, **nudged})


def _draw_case(
    draw: st.DrawFn,
    names: frozenset[str],
    columns: Mapping[str, tuple[object, ...]],
    secret: tuple[str, ...],
    ranked: Mapping[Any, Any],
    k: st.SearchStrategy[int],
) -> TableCase:
    """Return a table with a request that is drawn for its sensitive values."""
    categories = ranked if names & {"p", "alpha"} else None
    request = draw(
        requests(names, rows=len(secret), sensitive=secret, categories=categories, k=lambda _: k)
    )
    return TableCase(
        {**columns, "s": secret}, tuple(columns), "s", parameters=request, categories=categories
    )


def _exactly(
    group: _Group, k: int, distinct: int, table: Sequence[Hashable]
) -> dict[str, Fraction | int]:
    """Return the parameters of which a group has exactly what they ask for."""
    unit = Fraction(k * k - 1, 12)
    return {
        "mu": theta.variance(group.counts) / unit,
        "t": oracles.equal_distance(group.values, list(table)),
        "l": distinct,
        # p beyond k is out of its range, whatever there is in a group.
        "p": min(distinct, k),
    }


def _nudge(name: str, exact: Fraction | int, nudge: Fraction) -> Any:
    if isinstance(exact, int):
        return exact
    floor = Fraction(1, 1000) if name == "mu" else Fraction(0)
    return str(min(Fraction(1), max(floor, exact + nudge)))


@st.composite
def many_rows(
    draw: st.DrawFn,
    names: frozenset[str],
    *,
    least: int = 200,
    most: int = 1_000,
    k: tuple[int, ...] = (5, 2, 10, 25),
) -> TableCase:
    """Draw a table of hundreds of rows, from few numbers: its cells come of a seed.

    It has three quasi-identifiers: a number with many values, one with digits after the point, and
    a text of few.

    >>> from hypothesis import find
    >>> case = find(many_rows(frozenset({"k"})), lambda case: True)
    >>> case.rows, case.quasi_identifiers
    (200, ('q1', 'q2', 'q3'))
    """
    rows = draw(st.integers(least, most))
    # A choice of Hypothesis for each cell would be thousands for one table: more than it draws.
    cells = Random(draw(st.integers(0, 2**16)))
    many = draw(st.sampled_from((40, 4, 400)))
    secret = tuple(cells.choices(_LETTERS, weights=range(len(_LETTERS), 0, -1), k=rows))
    columns: dict[str, tuple[object, ...]] = {
        "q1": tuple(cells.randrange(many) for _ in range(rows)),
        "q2": tuple(value(Values.REALS, cells.randrange(many)) for _ in range(rows)),
        "q3": tuple(cells.choices(_LETTERS[:5], k=rows)),
    }
    ranked = {letter: "ABC"[_LETTERS.index(letter) % 3] for letter in sorted(set(secret))}
    return _draw_case(draw, names, columns, secret, ranked, st.sampled_from(k))


@st.composite
def classes_around_powers(draw: st.DrawFn, names: frozenset[str]) -> TableCase:
    """Draw a table of two people to a class, whose classes are 127 to 129, or 255 to 257.

    The last of them has three: numbers of classes of one byte end there, signed or not.

    >>> from hypothesis import find
    >>> case = find(classes_around_powers(frozenset({"k"})), lambda case: True)
    >>> case.rows, case.parameters
    (259, {'k': 2})
    """
    classes = draw(st.sampled_from((129, 128, 127, 257, 256, 255)))
    cells = Random(draw(st.integers(0, 2**16)))
    numbers = [*range(classes), *range(classes), classes - 1]
    cells.shuffle(numbers)
    secret = tuple(_LETTERS[cells.randrange(4)] for _ in numbers)
    ranked = {letter: "ABC"[i % 3] for i, letter in enumerate("abcd")}
    return _draw_case(draw, names, {"q1": tuple(numbers)}, secret, ranked, st.just(2))
