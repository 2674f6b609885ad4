"""What must not be published beside a sample, or done with it, and what it would cost (R10).

Each of these leaves a δ that no ε brings down, in place of that of
:func:`~kproof.theory.theorems.releases.sampled.release_bound`. The values are suprema over tables,
attained or approached as the entry says; ``at least`` marks one that is a witness only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kproof.errors import InvalidArgument
from kproof.registry import Registry
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import working_bits
from kproof.theory.exact.typed import Number, as_arb, integer, rational
from kproof.theory.profiles.binomial_tails import mass_at
from kproof.theory.profiles.sampled import MOST_K


def _all(_: int, beta: Fraction) -> Enclosure:
    return Enclosure.exactly(beta)


def _certain(_: int, __: Fraction) -> Enclosure:
    return Enclosure.exactly(Fraction(1))


def _merged(k: int, beta: Fraction) -> Enclosure:
    """Return β max f_n(k - 1), f_n the masses of Bin(n, β)."""
    # The mass of k - 1 rises with n while n <= (k - 1)/β, and is at its largest there.
    n = (k - 1) * beta.denominator // beta.numerator
    with working_bits(128 + 2 * k.bit_length()):
        return Enclosure.from_arb(as_arb(beta) * mass_at(n, beta, k - 1), low=0, high=1)


@dataclass(frozen=True)
class RefusedRule:
    """Something that is not done to a sample."""

    name: str
    """What a user types."""
    what: str
    """What would be published or done, as a phrase."""
    why: str
    """The pair of tables that tells, as a clause."""
    delta: Callable[[int, Fraction], Enclosure]
    """``delta(k, beta)``: δ at every ε."""
    at_least: bool = False
    """Whether it is a witness, and the supremum may be larger."""


REFUSED_RULES: Registry[RefusedRule] = Registry(
    "also",
    (
        RefusedRule(
            "class-threshold",
            "a threshold on the class only, with sensitive values shown",
            "a value that one row alone has is shown if that row is sampled and its class large",
            _all,
        ),
        RefusedRule(
            "class-totals",
            "totals of classes or of columns",
            "the totals less the rows shown count the row that is not",
            _all,
        ),
        RefusedRule(
            "left-out",
            "rows left out, as * rows or as their number",
            "a table of one row leaves out one or none",
            _all,
        ),
        RefusedRule(
            "sample-size",
            "the size of the sample",
            "a table of one row has a sample of one or none",
            _all,
        ),
        RefusedRule(
            "merged-rest",
            "cells below k added up and shown from k on, or merged until they have k",
            "a row of a cell of its own completes k - 1 others",
            _merged,
            at_least=True,
        ),
        RefusedRule(
            "two-levels",
            "two levels, or two partitions, of one sample",
            "the difference of two large cells is the one row in which they differ",
            _all,
        ),
        RefusedRule(
            "levels-on-sample",
            "levels chosen by the rows of the sample that is shown",
            "with a coarse level wherever it shows more rows, the choice is a row that one level "
            "shows and the other does not",
            _all,
        ),
        RefusedRule(
            "fixed-size",
            "a sample of a fixed size",
            "its size less the rows shown counts the rows that are not",
            _all,
        ),
        RefusedRule(
            "original-size",
            "the exact number of rows of the original",
            "it differs where a row is added; where one is replaced it tells nothing",
            _certain,
        ),
        RefusedRule(
            "hashed-coins",
            "coins that are a hash of the row, which equal rows share",
            "k equal rows are shown with one coin, k - 1 never",
            _all,
        ),
        RefusedRule(
            "known-salt",
            "coins that somebody else can compute",
            "who can compute the coins knows when k - 1 others of the cell are in the sample",
            _certain,
        ),
        RefusedRule(
            "reused-coins",
            "the coins of another release",
            "both are one sample at two levels",
            _all,
        ),
        RefusedRule(
            "remainder",
            "the rows outside the sample",
            "both parts together are the table",
            _certain,
        ),
    ),
)
"""Every rule of R10 by name."""


def refused_delta(name: str, *, k: Number, beta: Number) -> Enclosure:
    """Return the δ that a refused rule has at every ε.

    Args:
        name: Of :data:`REFUSED_RULES`.
        k, beta: As for :func:`~kproof.theory.theorems.releases.sampled.release_bound`.

    >>> print(refused_delta("merged-rest", k=5, beta="1/10"))
    0.0205887
    """
    threshold = integer("k", k, least=1, most=MOST_K)
    return REFUSED_RULES.named(name).delta(threshold, rational("beta", beta, above=0, below=1))


def require_nothing_beside(names: Sequence[str], *, k: Number, beta: Number) -> None:
    """Refuse whatever else would be published of a sample, with its δ.

    >>> require_nothing_beside(["sample-size"], k=5, beta="1/10")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: ... with the size of the sample delta is 0.1 at every ...
    """
    for name in names:
        rule = REFUSED_RULES.named(name)
        cost = f"{'at least ' if rule.at_least else ''}{refused_delta(name, k=k, beta=beta)}"
        raise InvalidArgument(
            "also",
            name,
            f"nothing beside the rows: with {rule.what} delta is {cost} at every epsilon, since "
            f"{rule.why} (R10)",
        )


__all__ = ["REFUSED_RULES", "RefusedRule", "refused_delta", "require_nothing_beside"]
