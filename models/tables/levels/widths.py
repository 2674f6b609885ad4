"""Ladders for numbers: ranges of rising widths, and rounding."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from kproof.errors import DataError, InvalidArgument, KProofError, spell
from kproof.models.base.missing import text
from kproof.models.tables.levels.base import ROOT, Drawn, Ladder, Leaves
from kproof.theory.exact.typed import rational


@dataclass(frozen=True)
class _Widths(Ladder):
    widths: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        for width in self.widths:
            if width <= 0:
                raise InvalidArgument("ladder", self.spec, "widths above 0")
        for finer, coarser in pairwise(self.widths):
            # A range of 12 would cut ranges of 5 in two, and a level has to hold whole
            # labels of the one below.
            if coarser <= finer or (coarser / finer).denominator > 1:
                admissible = f"each width a multiple of the one before, unlike {coarser}"
                raise InvalidArgument("ladder", self.spec, admissible)
        if not self.widths:
            raise InvalidArgument("ladder", self.spec, "at least one width, such as 5,10,20")

    @property
    def levels(self) -> tuple[str, ...]:
        """The value, the widths, and everything."""
        return ("value", *map(decimal_text, self.widths), ROOT)


@dataclass(frozen=True)
class RangeLadder(_Widths):
    """Numbers in ranges of equal width, each of which lies in one of the next width.

    Where all numbers are whole a range names its least and its greatest: ``[20-24]``. Else it is
    written from its least to the first number above it, which a round bracket leaves out. Widths
    rise, each a multiple of the one before; some range of every width begins at the origin.

    >>> ages = RangeLadder((Fraction(5), Fraction(10)))
    >>> ages.taxonomy([23, 24, 27], "age").labels
    ('*', '[20-29]', '[20-24]', '23', '24', '[25-29]', '27')
    >>> ages.taxonomy([23.5], "age").labels
    ('*', '[20-30)', '[20-25)', '23.5')
    """

    origin: Fraction = Fraction(0)

    @property
    def spec(self) -> str:
        """The ladder as the command line has it."""
        suffix = f";origin={decimal_text(self.origin)}" if self.origin else ""
        return f"range:{','.join(map(decimal_text, self.widths))}{suffix}"

    def draw(self, leaves: Leaves) -> Drawn:
        """Return the ranges above numbers, in ascending order."""
        numbers = _numbers(leaves)
        # One decimal among widths or numbers is enough: [20-24] would leave 24.5 out.
        ends = (*(number for number, _ in numbers), *self.widths, self.origin)
        integral = all(end.denominator == 1 for end in ends)

        def label(number: Fraction, width: Fraction) -> str:
            # Rounded down also below the origin: -1 belongs to [-5--1], not to [0-4].
            low = self.origin + (number - self.origin) // width * width
            if not integral:
                return f"[{decimal_text(low)}-{decimal_text(low + width)})"
            if width == 1:
                return decimal_text(low)
            return f"[{decimal_text(low)}-{decimal_text(low + width - 1)}]"

        paths = ((value, *(label(n, width) for width in self.widths), ROOT) for n, value in numbers)
        return Drawn(tuple(paths))


@dataclass(frozen=True)
class RoundingLadder(_Widths):
    """Numbers rounded to multiples, halves up, each rounded number rounded again.

    The label says how far off a value may be, ``20±5``: it is true however halves are rounded,
    and no label is also a value. Widths, what is rounded to, are rising, each a multiple of the one
    before.

    >>> wages = RoundingLadder((Fraction(10), Fraction(100)))
    >>> wages.taxonomy([23, 15, 47], "wage").labels
    ('*', '0±55', '20±5', '15', '23', '100±55', '50±5', '47')
    """

    @property
    def spec(self) -> str:
        """The ladder as the command line has it."""
        return f"round:{','.join(map(decimal_text, self.widths))}"

    def draw(self, leaves: Leaves) -> Drawn:
        """Return the rounded numbers above numbers, in ascending order."""
        numbers = _numbers(leaves)
        off = self._off()
        paths = []
        for number, value in numbers:
            path, near = [value], number
            for width, error in zip(self.widths, off, strict=True):
                # From what was rounded before, so that levels nest: what is equal stays equal.
                near = floor(near / width + Fraction(1, 2)) * width
                path.append(f"{decimal_text(near)}±{decimal_text(error)}")
            paths.append((*path, ROOT))
        return Drawn(tuple(paths))

    def _off(self) -> tuple[Fraction, ...]:
        """Return by how much a number can be off after each rounding."""
        below = above = self.widths[0] / 2
        errors = [below]
        for before, width in pairwise(self.widths):
            # Of the multiples before, these are the least and the greatest that go to 0.
            below -= ceil(-width / 2 / before) * before
            above += (ceil(width / 2 / before) - 1) * before
            errors.append(max(below, above))
        return tuple(errors)


def decimal_text(number: Fraction) -> str:
    """Return a number as a decimal, or as a fraction if it has no end.

    >>> decimal_text(Fraction(5, 2)), decimal_text(Fraction(20)), decimal_text(Fraction(1, 3))
    ('2.5', '20', '1/3')
    """
    denominator, digits = number.denominator, 0
    # It is a decimal as soon as a power of ten is a multiple of its denominator: with a factor of 3
    # none ever is, hence the limit.
    while denominator > 1 and (10**digits) % denominator:
        digits += 1
        if digits > 30:
            return str(number)
    if not digits:
        return str(number)
    sign, scaled = "-" if number < 0 else "", abs(number) * 10**digits
    shown_digits = f"{int(scaled):0{digits + 1}d}"
    return f"{sign}{shown_digits[:-digits]}.{shown_digits[-digits:]}"


def _numbers(leaves: Leaves) -> list[tuple[Fraction, str]]:
    """Return each value as a number and as it is written, in ascending order."""
    numbers = []
    for value in leaves.values:
        try:
            numbers.append((rational(leaves.column, value), text(value)))
        except KProofError:
            raise DataError(
                f"{leaves.about(value)} is no number; say {spell('missing', [text(value)])} if it "
                "stands for nothing"
            ) from None
    # By number first: cuts follow this order, and as texts 100 would stand before 20.
    return sorted(numbers)
