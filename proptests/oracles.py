"""The privacy models by their definitions: slow, exact, and written apart from the checkers.

A class is the tuple of its sensitive values, noise included, and the number of people among its
rows. Everything is counted in fractions; a logarithm is either avoided or taken to 60 digits and
compared with a rational that it cannot equal. Nothing here uses :mod:`kproof.models`.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate
from math import prod
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

from kproof.theory.exact.typed import integer, rational

Values = Sequence[Hashable]
Categories = Mapping[Any, Any]

_DIGITS = 60


@dataclass(frozen=True)
class Rows:
    """The published rows of one equivalence class."""

    values: tuple[Hashable, ...]
    """Sensitive value of each row; empty if there is no sensitive column."""
    people: int
    """Rows with a person behind them."""


_Model: TypeAlias = Callable[[Sequence[Rows], Mapping[str, Any], Categories], bool]


def variance(values: Values) -> Fraction:
    """Return V: the variance of the ranks of the rows, values ranked by falling frequency.

    >>> variance(["Flu", "Flu", "HIV", "Cancer"])
    Fraction(11, 16)
    """
    # Which of equally frequent values comes first does not matter: V sees how many rows have a
    # rank.
    ranks = [
        rank
        for rank, (_, count) in enumerate(Counter(values).most_common(), 1)
        for _ in range(count)
    ]
    mean = Fraction(sum(ranks), len(ranks))
    return sum(((rank - mean) ** 2 for rank in ranks), Fraction(0)) / len(ranks)


def theta(k: int, mu: Fraction) -> Fraction:
    """Return θ = μ(k² − 1)/12."""
    return mu * (k * k - 1) / 12


def largest_variance(distinct: int) -> Fraction:
    """Return the largest V that classes of so many distinct values can have.

    With a share x of the commonest value and the others level, V is a parabola in x; its summit
    is (2d − 1)²/36.

    >>> largest_variance(3), largest_variance(1)
    (Fraction(25, 36), Fraction(0, 1))
    """
    return Fraction((2 * distinct - 1) ** 2, 36) if distinct > 1 else Fraction(0)


def kinds(values: Values, categories: Categories) -> int:
    """Return how many categories values have; those without one are a category of their own."""
    return len({categories.get(value, _NONE) for value in values})


def weight(values: Values, categories: Categories) -> Fraction:
    """Return the total weight of the distinct values.

    Category i of m, in the order of their first appearance, weighs (i − 1)/(m − 1), and a value
    what its category does; one without a category weighs nothing.

    >>> weight(["HIV", "Flu", "Flu"], {"HIV": "grave", "Cancer": "grave", "Flu": "mild"})
    Fraction(1, 1)
    """
    ranked = list(dict.fromkeys(categories.values()))
    steps = max(len(ranked) - 1, 1)
    ranks = (ranked.index(categories[value]) for value in set(values) if value in categories)
    return Fraction(sum(ranks), steps)


def equal_distance(values: Values, table: Values) -> Fraction:
    """Return the earth mover's distance of two lists of values that are all equally far apart.

    >>> equal_distance(["a", "a"], ["a", "a", "b", "b"])
    Fraction(1, 2)
    """
    gaps = (abs(_share(values, value) - _share(table, value)) for value in {*values, *table})
    # What one value has too much another has too little: half the sum of the gaps is moved.
    return sum(gaps, Fraction(0)) / 2


def rank_distance(values: Sequence[Any], table: Sequence[Any]) -> Fraction:
    """Return the earth mover's distance of two lists of numbers by their ranks in the table.

    >>> rank_distance([3, 4, 5], [3, 4, 5, 6, 7, 8, 9, 10, 11])
    Fraction(3, 8)
    """
    domain = sorted({*values, *table})
    # What is moved past each value is the difference of the shares up to it.
    flows = accumulate(_share(values, value) - _share(table, value) for value in domain)
    return sum(map(abs, flows), Fraction(0)) / max(len(domain) - 1, 1)


def entropy_at_least(values: Values, ell: Fraction) -> bool:
    """Say whether the entropy is at least ln l, as products of whole numbers: n^n ≥ l^n ∏ c^c.

    >>> entropy_at_least("aaaabcde", Fraction(4)), entropy_at_least("aab", Fraction(2))
    (True, False)
    """
    # The entropy times n, raised to a power of e: both sides are rational and nothing is rounded.
    size = len(values)
    return bool(size**size >= ell**size * prod(count**count for count in Counter(values).values()))


def recursive(values: Values, c: Fraction, ell: int) -> bool:
    """Say whether r₁ < c(r_l + … + r_d), r being the frequencies in falling order."""
    counts = sorted(Counter(values).values(), reverse=True)
    # With fewer than l values the sum is empty, and no count is below 0.
    return counts[0] < c * sum(counts[ell - 1 :])


def largest_gain(values: Values, table: Values) -> Fraction:
    """Return the largest (q − p)/p of a value with share q in a class and p in the table."""
    # No share of the table is 0: a class is part of it.
    return max(_share(values, value) / _share(table, value) - 1 for value in set(values))


def within_logarithm(values: Values, table: Values) -> bool:
    """Say whether (q − p)/p ≤ −ln p wherever q > p."""
    for value in set(values):
        p, q = _share(table, value), _share(values, value)
        # p < q <= 1, and the logarithm of a rational other than 1 is irrational: there are no ties
        # that digits would have to decide.
        if q > p and _decimal(q / p - 1) > -_ln(p):
            return False
    return True


def discloses_below(values: Values, table: Values, delta: Fraction) -> bool:
    """Say whether ``|ln(q/p)|`` < δ for every value of the table; a value that is absent is not."""
    for value in set(table):
        p, q = _share(table, value), _share(values, value)
        # Where p = q the logarithm is 0, below any δ; elsewhere it is irrational and never equals
        # δ.
        if not q or (p != q and abs(_ln(q / p)) >= _decimal(delta)):
            return False
    return True


@dataclass(frozen=True)
class Definition:
    """A privacy model as a function of classes."""

    name: str
    """What it is known by."""
    parameters: tuple[str, ...]
    """What it takes."""
    holds: _Model = field(repr=False)
    """``holds(classes, parameters, categories)`` decides it; parameters are as typed."""
    sensitive: bool = True
    categories: bool = False
    """Whether it needs sensitive values, and categories of them."""
    ordered: bool = False
    """Whether the values have to be numbers."""


def decides(
    definition: str,
    classes: Iterable[Rows],
    parameters: Mapping[str, Any],
    categories: Categories | None = None,
) -> bool | None:
    """Decide a privacy model, one of :data:`DEFINITIONS`; None if it says nothing of such values.

    Parameters are as typed: ``{"k": 4, "mu": "3/5"}``. No classes satisfy every model.

    >>> patients = [Rows(("HIV", "Cancer", "Flu", "Flu"), 4)]
    >>> decides("theta-sensitivity", patients, {"k": 4, "mu": "0.55"})
    True
    >>> decides("theta-sensitivity", patients, {"k": 4, "mu": "0.6"})
    False

    A missing value has no place among numbers.

    >>> print(decides("ordered t-closeness", [Rows((3, None), 2)], {"t": "1/2"}))
    None
    """
    model, published = DEFINITIONS[definition], tuple(classes)
    values = (value for rows in published for value in rows.values)
    if model.ordered and not all(isinstance(value, Real) for value in values):
        return None
    return model.holds(published, parameters, categories or {})


class _Beside(NamedTuple):
    """What a class is judged beside."""

    table: Values
    """The values of all published rows."""
    categories: Categories


_WHOLE = frozenset("klp")
"""Parameters that count; all others are fractions."""


def _model(name: str, parameters: str, test: Callable[..., bool], **needs: bool) -> Definition:
    """Return the model whose test every class passes: ``test(rows, beside, *numbers)``."""
    names = tuple(parameters.split())

    def holds(classes: Sequence[Rows], params: Mapping[str, Any], categories: Categories) -> bool:
        if not classes:  # they satisfy every model, whatever the parameters
            return True
        numbers = [(integer if n in _WHOLE else rational)(n, params[n]) for n in names]
        beside = _Beside([value for rows in classes for value in rows.values], categories)
        return all(test(rows, beside, *numbers) for rows in classes)

    return Definition(name, names, holds, **needs)


def _no_gain_above(rows: Rows, beside: _Beside, beta: Fraction) -> bool:
    return largest_gain(rows.values, beside.table) <= beta


def _p_sensitive(rows: Rows, _: _Beside, p: int, k: int) -> bool:
    return rows.people >= k and len(set(rows.values)) >= p


DEFINITIONS: Mapping[str, Definition] = {
    model.name: model
    for model in (
        _model("k-anonymity", "k", lambda rows, _, k: rows.people >= k, sensitive=False),
        _model(
            "(alpha,k)-anonymity",
            "alpha k",
            lambda rows, _, alpha, k: (
                rows.people >= k and max(Counter(rows.values).values()) <= alpha * len(rows.values)
            ),
        ),
        _model("l-diversity", "l", lambda rows, _, ell: len(set(rows.values)) >= ell),
        _model("entropy l-diversity", "l", lambda rows, _, ell: entropy_at_least(rows.values, ell)),
        _model(
            "recursive (c,l)-diversity",
            "c l",
            lambda rows, _, c, ell: recursive(rows.values, c, ell),
        ),
        _model("p-sensitivity", "p k", _p_sensitive),
        _model(
            "p+-sensitivity",
            "p k",
            lambda rows, beside, p, k: (
                rows.people >= k and kinds(rows.values, beside.categories) >= p
            ),
            categories=True,
        ),
        _model(
            "(p,alpha)-sensitivity",
            "p alpha k",
            lambda rows, beside, p, alpha, k: (
                _p_sensitive(rows, beside, p, k) and weight(rows.values, beside.categories) >= alpha
            ),
            categories=True,
        ),
        _model(
            "theta-sensitivity",
            "k mu",
            lambda rows, _, k, mu: rows.people >= k and variance(rows.values) >= theta(k, mu),
        ),
        _model(
            "t-closeness",
            "t",
            lambda rows, beside, t: equal_distance(rows.values, beside.table) <= t,
        ),
        _model(
            "ordered t-closeness",
            "t",
            lambda rows, beside, t: rank_distance(rows.values, beside.table) <= t,
            ordered=True,
        ),
        _model("basic beta-likeness", "beta", _no_gain_above),
        _model(
            "enhanced beta-likeness",
            "beta",
            lambda rows, beside, beta: (
                _no_gain_above(rows, beside, beta) and within_logarithm(rows.values, beside.table)
            ),
        ),
        _model(
            "delta-disclosure",
            "delta",
            lambda rows, beside, delta: discloses_below(rows.values, beside.table, delta),
        ),
    )
}
"""Every privacy model by name."""


class _NoCategory:
    """The category of values that have none."""


_NONE = _NoCategory()


def _share(values: Values, value: Hashable) -> Fraction:
    return Fraction(sum(cell == value for cell in values), len(values))


def _decimal(value: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = _DIGITS
        return Decimal(value.numerator) / value.denominator


def _ln(value: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = _DIGITS
        return (Decimal(value.numerator) / value.denominator).ln()
