"""Naive privacy figures of classes given as lists of values, in fractions, for comparison."""

from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
from theta_oracles import spread

from kproof.models.base.classes import Classes


def classes_of(groups, *, values=None, ordered=False, category=None, categories=(), noise=()):
    """Classes from one list of values for each; ``noise`` is positions in row order."""
    domain = (
        tuple(sorted({value for group in groups for value in group})) if values is None else values
    )
    of_row = np.array([index for index, group in enumerate(groups) for _ in group], dtype=np.int64)
    codes = np.array([domain.index(value) for group in groups for value in group], dtype=np.int64)
    real = np.ones(len(of_row), dtype=bool)
    real[list(noise)] = False
    return Classes(
        of_row,
        len(groups),
        codes,
        domain,
        ordered=ordered,
        real=real if len(noise) else None,
        category=None if category is None else np.array([category[v] for v in domain]),
        categories=tuple(categories),
    )


def share(group, value):
    return Fraction(group.count(value), len(group))


def table_of(groups):
    return [value for group in groups for value in group]


def width(group):
    """V by its definition: the variance of the ranks of the rows."""
    return spread(Counter(group).values())


def variation(group, table):
    return sum(abs(share(group, value) - share(table, value)) for value in set(table)) / 2


def ordered_emd(group, table):
    domain = sorted(set(table))
    if len(domain) == 1:
        return Fraction(0)
    gaps = [
        abs(sum(share(group, one) - share(table, one) for one in domain[: end + 1]))
        for end in range(len(domain) - 1)
    ]
    return sum(gaps) / (len(domain) - 1)


def transport(group, table, distance):
    """The earth mover's distance as the linear program that defines it, in floats."""
    from scipy.optimize import linprog

    domain = sorted(set(table))
    size = len(domain)
    cost = [float(distance(one, other)) for one in domain for other in domain]
    rows = np.kron(np.eye(size), np.ones(size))
    columns = np.kron(np.ones(size), np.eye(size))
    shares = [float(share(group, one)) for one in domain]
    totals = [float(share(table, one)) for one in domain]
    found = linprog(cost, A_eq=np.vstack([rows, columns]), b_eq=shares + totals)
    assert found.status == 0
    return found.fun


def entropy(group):
    """The entropy in nats to 60 digits."""
    with mpmath.workdps(60):
        terms = [mpmath.mpf(count) / len(group) for count in Counter(group).values()]
        return -sum(term * mpmath.log(term) for term in terms)


def ratios(group, table):
    return {value: share(group, value) / share(table, value) for value in set(table)}


def digits(value):
    """A fraction as an mpmath number at the working precision."""
    return mpmath.mpf(value.numerator) / value.denominator
