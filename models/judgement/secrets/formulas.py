"""A formula for a secret number in what is known of everybody, fitted by least squares.

It has each known number, the squares and products of them, and for each category an amount of its
own and a factor for each number, as a tariff has. It is fitted to half of some people and tells the
others apart, so that a formula with as many amounts as people explains nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product

import numpy as np

from kproof.models.base.arrays import Codes, Flags, Floats
from kproof.models.judgement.publication import PublishedColumn

FITTED = 1_000
"""People to whom a formula is fitted, at most."""

LEVELS = 30
"""Values of a category that have an amount of their own, at most; of others it tells nothing."""

PER_TERM = 3
"""People for each term, at least."""


@dataclass(frozen=True, eq=False)
class FittedFormula:
    """What a formula says of some people."""

    names: tuple[str, ...]
    """The columns in it."""
    number: Floats
    """Shape (people,): what it says."""
    fitted: Flags
    """Shape (people,): to whom it was fitted, or of whom something is not known."""


def fit_formula(
    columns: Sequence[PublishedColumn], secret: PublishedColumn, rows: Codes
) -> FittedFormula | None:
    """Fit a formula to half of some people; None if there is no number to fit, or nothing to fit.

    ``rows`` are published rows, one for each person, in an order that has nothing to do with them.

    >>> from fractions import Fraction
    >>> from kproof.models.judgement.publication import ColumnKnowledge
    >>> def numbers(name, knowledge, cells):
    ...     texts = tuple(map(str, cells))
    ...     return PublishedColumn(
    ...         name, knowledge, np.arange(len(cells)), texts, tuple(map(Fraction, texts))
    ...     )
    >>> areas, prices = range(20, 60), [place * 7 % 40 for place in range(40)]
    >>> area = numbers("area", ColumnKnowledge.KNOWN, areas)
    >>> price = numbers("price", ColumnKnowledge.KNOWN, prices)
    >>> rents = [a * b for a, b in zip(areas, prices, strict=True)]
    >>> rent = numbers("rent", ColumnKnowledge.SECRET, rents)
    >>> formula = fit_formula([area, price], rent, np.arange(40))
    >>> formula.names, [round(float(number)) for number in formula.number[-2:]], rent.texts[-2:]
    (('area', 'price'), [1508, 1947], ('1508', '1947'))
    """
    if secret.numbers is None or secret.atoms is not None:
        return None
    recorded = secret.codes[rows] >= 0
    target = secret.floats[secret.codes[rows]]
    numbers, categories, names = [], [], []
    for column in columns:
        codes = column.codes[rows]
        if column.numbers is not None:
            if (scaled := _standardize(column.floats[codes])) is None:
                continue
            numbers.append(scaled)
        elif 1 < len(column.texts) <= LEVELS:
            # All but the first, which follows from the others and the mean.
            categories.append(codes[:, None] == np.arange(1, len(column.texts)))
        else:
            continue
        recorded &= codes >= 0
        names.append(column.name)
    complete = np.flatnonzero(recorded)
    fitted = complete[: min(len(complete) // 2, FITTED)]
    terms = _terms(numbers, categories, len(rows), len(fitted) // PER_TERM)
    if terms is None:
        return None
    of_fitted, of_fitted_target = terms[fitted], target[fitted]
    mean = of_fitted_target.mean()
    # A little on the diagonal: amounts that the others give already are no reason to fail.
    square = of_fitted.T @ of_fitted
    square[np.diag_indices_from(square)] += 1e-9 * len(fitted)
    amounts = np.linalg.solve(square, of_fitted.T @ (of_fitted_target - mean))
    excluded = ~recorded
    excluded[fitted] = True
    return FittedFormula(tuple(names), terms @ amounts + mean, excluded)


def _standardize(values: Floats) -> Floats | None:
    """Return numbers about 0 and of size 1, 0 where there is none; None if all are equal."""
    present = values[~np.isnan(values)]
    spread = present.std() if len(present) else 0.0
    return np.nan_to_num((values - present.mean()) / spread) if spread > 0 else None


def _terms(
    numbers: Sequence[Floats], categories: Sequence[Flags], rows: int, most: int
) -> Floats | None:
    """Return, shape (people, terms), as many kinds of terms as may be fitted; None if none may."""
    kinds: list[Iterator[Floats]] = [
        (number[:, None] for number in numbers),
        (category.astype(np.float64) for category in categories),
        ((first * second)[:, None] for first, second in combinations_with_replacement(numbers, 2)),
        (category * number[:, None] for category, number in product(categories, numbers)),
    ]
    terms = np.ones((rows, 1))
    for kind in kinds:
        wider = np.hstack([terms, *kind])
        # Whole kinds or none: half of the products would depend on the order of columns.
        if wider.shape[1] > most:
            break
        terms = wider
    return terms if terms.shape[1] > 1 else None
