"""Sums of independent terms in floating point, by the discrete Fourier transform.

The transform of a sum is the product of the transforms of its terms, so a sum of any number of
terms costs one transform per different law, powers, and one transform back. The result comes with
a bound on its total error, derived in :func:`by_fourier` from stated assumptions on the floats.
"""

from collections.abc import Mapping, Sequence
from math import exp
from typing import TypeVar

import numpy as np
from flint import acb, arb, fmpq
from numpy.typing import NDArray

from kproof.theory.exact.precision import use_bits
from kproof.theory.laws.terms import Summands, interval
from kproof.theory.laws.windows import (
    FLOAT_BITS,
    FLOAT_TAIL,
    MOST_RING,
    FloatWindow,
    Window,
    float_above,
    within_budget,
)

Spectrum = TypeVar("Spectrum", NDArray[np.float64], NDArray[np.complex128])
ROUNDOFF = 2.0**-53
PASS_ERROR = 12 * ROUNDOFF
"""Assumed bound on the error of one radix-2 pass of a transform, relative to its input."""
PRODUCT_ERROR = 3 * ROUNDOFF
"""Bound on the relative error of one complex multiplication."""
_SLACK = 1 + 2.0**-20
_UNDERFLOW = 1e-140
_NEGLIGIBLE = 2.0**-62
_MOST_ROOTS = 1 << 16


def by_fourier(terms: Sequence[Summands], subject: object) -> FloatWindow:
    """Return the masses of a sum of independent terms as floats, with a bound on their error.

    At least one of the terms varies; ``subject`` is the law that the error message names. Raises
    TooLarge if more than 2**26 points are needed.

    Write φ for the transform of the sum over N points, N a power of 2, φ_j for that of term j,
    n_j for its count, u = 2^-53 and L = log2 N. Hats mark what is computed.

    *Aliasing.* Bernstein's inequality gives an interval of at most N points that misses mass at
    most τ = 2^-80. That mass is not listed, and folds back onto listed points: error 2τ.

    *Forward transform.* Each coefficient is a sum of inputs times products of L roots of unity.
    If each pass multiplies by a root and adds with relative error η = 12u, then
    |φ̂_j - φ_j| <= a_j := e_j + L η (1 + e_j), with e_j the error of the term's own floats.

    *Powers and products.* With A_j = |φ̂_j| + a_j, the mean value theorem and n_j complex
    multiplications of relative error 3u each bound the error of the coefficient Π φ̂_j^n_j by
    E = Π A_j^n_j · Σ n_j (a_j / A_j + 3u). For large n this is the dominant error, so the
    coefficients where E is not negligible, few when n is large, are computed once more by balls
    and E becomes their rounding error.

    *Inverse transform.* By Parseval's equation an error E of the coefficients moves the masses by
    at most |E|₂ in sum, and L passes of error η by at most L η |φ|₂.

    The total is 2τ + |E|₂ + L η |φ|₂, times a slack for the rounding of the bound itself.

    *Assumptions.* IEEE doubles rounded to nearest, moduli and powers of NumPy right to within 4u,
    and NumPy's transform of real data of length 2^L a network of butterflies of radix 2 and 4 whose
    roots of unity are right to within 4u. Then η is at most u for the addition, 2.83u for the
    product and 4u for the root (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed.,
    lemma 3.5 and section 24.1), rounded up to 12u. NumPy documents no such bound; it is a property
    of its present implementation, pocketfft. The certified masses need no assumption.
    """
    start, width = interval(terms, FLOAT_TAIL)
    length = max(2, 1 << (width - 1).bit_length())
    within_budget(length, subject, budget=MOST_RING)
    # What underflows is far less than `_UNDERFLOW`, which the bound adds in the end.
    with np.errstate(under="ignore"):
        spectrum, errors, atoms = _spectrum(terms, length)
        # By balls a coefficient costs a root of unity for each atom: their number is what is
        # limited.
        if atoms <= _MOST_ROOTS:
            _refine(terms, length, spectrum, errors, _MOST_ROOTS // atoms)
        # Half of the coefficients of real data are the conjugates of the others.
        norm = float(np.sqrt(2 * np.vdot(spectrum, spectrum).real))
        wrong = float(np.sqrt(2 * np.dot(errors, errors)))
        ring = np.fft.irfft(spectrum, length)
    first = start % length
    masses = np.concatenate((ring[first:], ring[:first]))[:width]
    # Masses are not negative, so that this lowers errors only.
    np.maximum(masses, 0, out=masses)
    error = 2 * float(FLOAT_TAIL) + wrong + passes(length) * PASS_ERROR * norm
    slack = _SLACK * exp(16 * ROUNDOFF * sum(term.times for term in terms))
    return FloatWindow(start, masses, error * slack + _UNDERFLOW)


def _spectrum(
    terms: Sequence[Summands], length: int
) -> tuple[NDArray[np.complex128], NDArray[np.float64], int]:
    """Return the first half of the transform of the sum, bounds on its errors, and the atoms."""
    # Per coefficient, shape (length / 2 + 1,): the product so far, Π A_j^n_j and Σ n_j (a_j / A_j +
    # 3u) of the notes above, whose product at the end is the bound E.
    spectrum = np.ones(length // 2 + 1, dtype=np.complex128)
    bound = np.ones(spectrum.shape)
    relative = np.zeros(spectrum.shape)
    atoms = 0
    for law, times, scale in terms:
        floats = law.float_window()
        atoms += int(np.count_nonzero(floats.masses))
        # Each factor is reduced before it is multiplied: starts and scales may exceed 64 bits in
        # the product.
        places = (floats.start % length + np.arange(floats.masses.size)) % length
        ring = np.bincount(
            places * (scale % length) % length, weights=floats.masses, minlength=length
        )
        transform = np.fft.rfft(ring)
        # So many masses at most fold onto one place of the ring, and are added there in floats.
        added = floats.masses.size * scale // length + 1
        slip = floats.error + (1 + floats.error) * (passes(length) * PASS_ERROR + added * ROUNDOFF)
        # In place where it can be: these arrays have up to 2^25 entries.
        sizes = np.abs(transform)
        sizes += slip
        bound *= sizes**times
        # Never by 0: the slip is in the sizes already.
        relative += times * slip / sizes
        relative += times * PRODUCT_ERROR
        spectrum *= powers({times: transform})
    bound *= relative
    return spectrum, bound, atoms


def powers(bases: Mapping[int, Spectrum]) -> Spectrum:
    """Return the product of ``base**count`` over counts from 1, with a rounding for each factor.

    All bases share the squares, as Straus has it: twenty counts near 100 cost 90 products, not 160.
    """
    top = max(bases)
    result = bases[top].copy() if top > 1 else bases[top]
    for bit in reversed(range(top.bit_length())):
        # At the leading bit of the largest count `result` is that base already: there is nothing to
        # square, and its own factor is in.
        leading = 1 << bit > top >> 1
        if not leading:
            np.multiply(result, result, out=result)
        for count, base in bases.items():
            if count >> bit & 1 and not (leading and count == top):
                np.multiply(result, base, out=result)
    return result


def _refine(
    terms: Sequence[Summands],
    length: int,
    spectrum: NDArray[np.complex128],
    errors: NDArray[np.float64],
    count: int,
) -> None:
    """Compute the worst coefficients, ``count`` of them, once more by balls, in place."""
    worst = np.flatnonzero(errors > _NEGLIGIBLE)
    if worst.size > count:
        worst = worst[np.argpartition(errors[worst], -count)[-count:]]
    with use_bits(FLOAT_BITS):
        # Equal terms together leave out what one law may.
        windows = [law.window(FLOAT_TAIL / times) for law, times, _ in terms]
        for frequency in worst.tolist():
            value = acb(1)
            for (_, times, scale), window in zip(terms, windows, strict=True):
                value *= _coefficient(window, scale * frequency, length) ** times
            nearest = complex(value)
            spectrum[frequency] = nearest
            errors[frequency] = float_above((value - acb(nearest)).abs_upper())


def _coefficient(window: Window, frequency: int, length: int) -> acb:
    """Return one coefficient of the transform of a law."""
    total = acb(0)
    for index, mass in enumerate(window.masses, start=window.start):
        if not mass.is_zero():
            sine, cosine = arb.sin_cos_pi_fmpq(fmpq(2 * (index * frequency % length), length))
            total += acb(mass * cosine, -mass * sine)
    # Of what is not listed the phase is unknown.
    unlisted = arb(0, window.dropped)
    return total + acb(unlisted, unlisted)


def passes(length: int) -> int:
    """Return how many radix-2 passes a transform of this length has."""
    return length.bit_length() - 1
