"""Generating polynomials of sums, cut at both ends with an account of what was cut.

A kernel is a matrix whose entry (i, j) is the polynomial Σ_x K(x; i, j) z^x of non-negative masses
with every row of total mass at most 1: the step of a chain that moves from state i to state j and
adds x to a running sum. A 1 x 1 kernel is the law of a sum of independent terms. Products of
kernels are laws of longer sums, so powers and products of them are all the exact sum laws need.

Far ends of a product carry masses nobody asked for. They may be cut, and every kernel carries an
upper bound, ``missing``, on what any of its rows has lost. If K = K' + R with R the lost part, then
K L = K' L' + (R L + K' S), and rows of L and K' have mass at most 1: losses add under products, and
a kernel used m times in a product costs m times its loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from flint import arb, arb_poly

from kproof.theory.laws.windows import MOST_POINTS, Window

_SHORT = 32
_BLUR_BITS = MOST_POINTS.bit_length() + 3


@dataclass(frozen=True, slots=True)
class PolynomialMatrix:
    """Rows of polynomials, ``z^start`` taken out, and a bound on what each row has lost."""

    rows: tuple[tuple[arb_poly, ...], ...]
    start: int = 0
    missing: arb = field(default_factory=arb)

    def __matmul__(self, other: PolynomialMatrix) -> PolynomialMatrix:
        columns = tuple(zip(*other.rows, strict=True))
        return PolynomialMatrix(
            tuple(tuple(_dot(row, column) for column in columns) for row in self.rows),
            self.start + other.start,
            # Added and not multiplied: rows add up to 1 at most, so that no loss grows in a
            # product.
            (self.missing + other.missing).upper(),
        )

    @property
    def length(self) -> int:
        """How many coefficients its longest entry has."""
        return max(len(entry) for row in self.rows for entry in row)

    def cut(self, loss: arb) -> PolynomialMatrix:
        """Drop coefficients at both ends of mass at most ``loss`` in any row."""
        length = self.length
        if loss <= 0 or length <= 1:
            return self
        totals = [_sum(row) for row in self.rows]
        # All rows are cut at the same places, so that the matrix keeps one start: the row that
        # spares least decides.
        low = min(_spare(total, range(length), loss / 2) for total in totals)
        high = min(_spare(total, range(length - 1, low, -1), loss / 2) for total in totals)
        if low == high == 0:
            return self
        rows = self._entries(lambda entry: entry.truncate(length - high).right_shift(low))
        return PolynomialMatrix(rows, self.start + low, (self.missing + loss).upper())

    def scale(self, factor: arb) -> PolynomialMatrix:
        """Multiply all masses, those lost as well, by a positive factor."""
        rows = self._entries(lambda entry: entry * factor)
        return PolynomialMatrix(rows, self.start, (self.missing * factor).upper())

    def spread(self, factor: int) -> PolynomialMatrix:
        """Put the coefficients ``factor`` apart: the same law on a finer lattice."""
        if factor == 1:
            return self
        rows = self._entries(lambda entry: _spread(entry, factor))
        return PolynomialMatrix(rows, self.start * factor, self.missing)

    def _entries(self, change: Callable[[arb_poly], arb_poly]) -> tuple[tuple[arb_poly, ...], ...]:
        return tuple(tuple(map(change, row)) for row in self.rows)


def single(window: Window) -> PolynomialMatrix:
    """Return the 1 x 1 kernel of a law."""
    return PolynomialMatrix(((arb_poly(window.masses),),), window.start, window.dropped)


def power(kernel: PolynomialMatrix, count: int, loss: arb) -> PolynomialMatrix:
    """Return the ``count``-th power, ``count`` >= 1, cut on the way.

    The cuts lose at most ``loss`` in all, beyond ``count`` times what ``kernel`` had lost.
    """
    # ``result`` is the power of exponent ``copies``, the leading bits of ``count`` read so far.
    result, copies = kernel, 1
    # Each of the 2 log2(count) cuts is repeated count / copies times in what follows it.
    share = loss / (2 * count.bit_length() * count)
    for bit in bin(count)[3:]:
        copies *= 2
        result = (result @ result).cut(share * copies)
        if bit == "1":
            copies += 1
            result = (result @ kernel).cut(share * copies)
    return result


def product(kernels: Sequence[PolynomialMatrix], loss: arb) -> PolynomialMatrix:
    """Return the product in the order given, by halves, cut on the way by ``loss`` at most."""
    # There are len(kernels) - 1 products in all, and what one loses counts once in the end.
    share = loss / len(kernels)
    layer = list(kernels)
    # Each round halves the layer: factors of like size meet, which is where products are cheap.
    while len(layer) > 1:
        pairs = zip(layer[::2], layer[1::2], strict=False)
        merged = [first @ second for first, second in pairs]
        merged = [part.cut(share) if part.length > _SHORT else part for part in merged]
        layer = merged + layer[2 * len(merged) :]
    return layer[0]


def inner_loss(tail: arb) -> arb:
    """Return what intermediate cuts may lose in all when ``tail`` may be left out in the end.

    Their loss blurs every mass that is listed, at most ``MOST_POINTS`` of them.
    """
    return tail.lower() * arb(2) ** -_BLUR_BITS


def window_of(kernel: PolynomialMatrix, tail: arb) -> Window:
    """Return a 1 x 1 kernel as a window.

    What the kernel has lost may belong to any point: it widens every ball upward and counts as
    dropped as well.
    """
    last = kernel.cut(tail.lower() / 2)
    # Balls of products reach below 0, where there is no mass.
    masses = [mass.nonnegative_part() for mass in last.rows[0][0].coeffs()]
    if kernel.missing > 0:
        # Upward only: what was lost can only have been mass.
        blur = arb(0).union(kernel.missing)
        masses = [mass + blur for mass in masses]
    return Window(last.start, masses, last.missing)


def _dot(row: Iterable[arb_poly], column: Iterable[arb_poly]) -> arb_poly:
    return _sum(first * second for first, second in zip(row, column, strict=True))


def _sum(polynomials: Iterable[arb_poly]) -> arb_poly:
    first, *later = polynomials
    for polynomial in later:
        first = first + polynomial
    return first


def _spare(polynomial: arb_poly, order: Iterable[int], loss: arb) -> int:
    """Return how many coefficients can go, taken in the order given."""
    gone = arb(0)
    count = 0
    for count, index in enumerate(order):
        gone += polynomial[index]
        # Not `>`: a ball that may be too large ends it as well.
        if not gone <= loss:
            return count
    return count


def _spread(polynomial: arb_poly, factor: int) -> arb_poly:
    coefficients = polynomial.coeffs()
    apart = [arb(0)] * (factor * (len(coefficients) - 1) + 1)
    apart[::factor] = coefficients
    return arb_poly(apart)
