"""Laws from a column of numbers: one record drawn from it, or the sum of such records."""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from fractions import Fraction

from kproof.arguments import TEXT, check_arguments
from kproof.errors import DataError, InvalidArgument, show
from kproof.theory.exact.typed import rational
from kproof.theory.laws.finite import FiniteLattice
from kproof.theory.laws.sums import IndependentSum, iid


@check_arguments(name=TEXT)
def empirical(column: Iterable[object], *, name: str = "column") -> FiniteLattice:
    """Return the law of one record drawn at random from a column.

    Args:
        column: Numbers, or text that reads as numbers: a list, a NumPy array, a Series of a data
            frame. A number is the decimal that is seen, so 0.1 is 1/10.
        name: The column's name, for messages.

    Raises:
        DataError: If the column is empty or a cell is not a finite number.

    >>> empirical([34, 40, 40, 26]).atoms[:2]
    ((Fraction(26, 1), Fraction(1, 4)), (Fraction(34, 1), Fraction(1, 4)))
    >>> empirical([34, "n/a"], name="Age")
    Traceback (most recent call last):
        ...
    kproof.errors.DataError: Age: row 1 (the first is row 0) is n/a, need a finite number
    """
    return FiniteLattice.from_counts(tally_numbers(column, name=name))


def sum_of_column(column: Iterable[object], *, name: str = "column") -> IndependentSum:
    """Return the law of the sum of as many independent draws as the column has rows.

    This is how Theorems 2 and 4 read a column: independent rows, each with the column's empirical
    law. It equals ``iid(empirical(column), n)`` with n the number of rows. Raises DataError if the
    column is empty or a cell is not a finite number.

    >>> sum_of_column([0, 1, 1, 1]).mean()
    3.00000000000000
    """
    counts = tally_numbers(column, name=name)
    return iid(FiniteLattice.from_counts(counts), sum(counts.values()))


def tally_numbers(column: object, *, name: str = "column") -> dict[Fraction, int]:
    """Return how often each number of a column occurs; equal cells are read once.

    Raises DataError if this is no column, is empty, or a cell is not a finite number.

    >>> tally_numbers(["0.5", 0.5, 2])
    Counter({Fraction(1, 2): 2, Fraction(2, 1): 1})
    """
    unordered = (str, bytes, Mapping, Set)
    flat = getattr(column, "ndim", 1) == 1
    if isinstance(column, unordered) or not isinstance(column, Iterable) or not flat:
        raise DataError(f"{name} = {show(column)} is not a column: need a sequence of numbers")
    # A Series would hand out narrow floats widened, and 0.1 would not be 1/10 any more.
    cells = list(column.to_numpy() if hasattr(column, "to_numpy") else column)
    # Equal cells of a file are one object, and whatever else is equal is read once.
    times = Counter(map(id, cells))
    # Cells of different types may be equal, as 1 and True are, with only one of them a number.
    tally: Counter[tuple[type, object]] = Counter()
    read: dict[tuple[type, object], Fraction] = {}
    for cell in {id(cell): cell for cell in cells}.values():
        key = type(cell), cell
        try:
            if key not in read:
                read[key] = rational(name, cell)
        # TypeError as well: a list in a cell has no hash to be looked up by.
        except (InvalidArgument, TypeError, ValueError):
            row = next(row for row, candidate in enumerate(cells) if candidate is cell)
            place = f"{name}: row {row} (the first is row 0)"
            raise DataError(f"{place} is {show(cell)}, need a finite number") from None
        tally[key] += times[id(cell)]
    if not tally:
        raise DataError(f"{name}: has no rows, need at least one number")
    counts: Counter[Fraction] = Counter()
    for key, number in read.items():
        counts[number] += tally[key]
    return counts
