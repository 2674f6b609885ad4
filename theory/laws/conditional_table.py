"""The law of one record given the values of its neighbours, as a table.

A table knows nothing of a graph; :mod:`kproof.theory.laws.fields` puts tables on one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from kproof.errors import InvalidArgument, show
from kproof.theory.exact.typed import Number, rational
from kproof.theory.laws.finite import FiniteLattice

Values: TypeAlias = tuple[Fraction, ...]
Rows: TypeAlias = "Mapping[Any, FiniteLattice | Mapping[Any, Number]]"
"""Laws of a record by the tuple of its neighbours' values; numbers as they are typed."""
RowLaw: TypeAlias = Mapping[Fraction, Fraction]
"""The positive probabilities of a row."""


class ConditionalTable:
    """The law of one record given the values of its neighbours.

    ``rows``: for each tuple of values of the neighbours, by rising index of the neighbours, the law
    of the record: a mapping of values to probabilities, or a :class:`FiniteLattice`. A record
    without neighbours has the one row ``()``. A row that is not there says that the neighbours
    never have these values together.

    >>> follows = ConditionalTable({(0,): {0: "2/3", 1: "1/3"}, (1,): {0: "1/3", 1: "2/3"}})
    >>> follows, follows.positive
    (ConditionalTable(2 rows, 1 neighbour), True)
    """

    def __init__(self, rows: Rows) -> None:
        if not rows:
            raise InvalidArgument("rows", "{}", "at least one")
        laws: dict[Values, FiniteLattice] = {}
        degree = len(next(iter(rows)))
        for condition, law in rows.items():
            name = f"rows[{as_text(condition)}]"
            if len(condition) != degree:
                raise InvalidArgument(
                    name, as_text(condition), f"{degree} values, as in the first row"
                )
            values = tuple(rational(f"value in {name}", value) for value in condition)
            if values in laws:
                raise InvalidArgument(name, as_text(values), "each tuple of values once")
            laws[values] = law if isinstance(law, FiniteLattice) else _row(name, law)
        self.rows: Mapping[Values, FiniteLattice] = laws
        self.degree = degree

    def __repr__(self) -> str:
        neighbours = "neighbour" if self.degree == 1 else "neighbours"
        return f"ConditionalTable({len(self.rows)} rows, {self.degree} {neighbours})"

    @cached_property
    def values(self) -> Values:
        """The values that the record has in some row, rising."""
        return tuple(sorted({value for law in self._laws.values() for value in law}))

    @cached_property
    def positive(self) -> bool:
        """Whether every row gives each of the values a positive probability."""
        return all(len(law) == len(self.values) for law in self._laws.values())

    @cached_property
    def _laws(self) -> Mapping[Values, RowLaw]:
        return {condition: dict(law.atoms) for condition, law in self.rows.items()}

    def law(self, condition: Values) -> RowLaw:
        """Return the positive probabilities of the values given the neighbours; none for no row."""
        return self._laws.get(condition, {})

    def odds(
        self, place: int, common: Sequence[int]
    ) -> Iterator[tuple[tuple[Values, Values], Values]]:
        """Yield how much one neighbour changes the odds of the record, row by row.

        ``place``: position of the neighbour. ``common``: positions of the neighbours that the two
        share, in the order wanted. Yields the values of the shared neighbours and that of the
        neighbour; the odds ratios against the least value of both, one for each value of the
        record.
        """
        # Of a complete table only: the row of the reference is there, and none of its entries is 0.
        reference = min(condition[place] for condition in self.rows)
        for condition, law in self._laws.items():
            base = self._laws[(*condition[:place], reference, *condition[place + 1 :])]
            first = self.values[0]
            ratios = tuple(
                law[value] * base[first] / (law[first] * base[value]) for value in self.values
            )
            yield (tuple(condition[i] for i in common), (condition[place],)), ratios


def as_text(values: Iterable[object]) -> str:
    """Return values as text, without their types."""
    text = ", ".join(map(show, values))
    return text or "()"


def _row(name: str, law: Mapping[Any, Number]) -> FiniteLattice:
    try:
        return FiniteLattice(law)
    except InvalidArgument as error:
        subject = f"sum of {name}" if error.name == "sum of masses" else f"{name}: {error.name}"
        raise InvalidArgument(subject, error.value, error.admissible) from None
