"""What no input can show, by name: the hypotheses that a caller may answer for.

An answer that rests on one of them is *conditional* until the caller says that it is so. A name
given to ``assume`` settles what the input leaves open; it does not settle what the input
contradicts.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from kproof.errors import InvalidArgument, did_you_mean


class Assumption(StrEnum):
    """A hypothesis that a caller may answer for.

    Attributes
    ----------
    INDEPENDENCE
        The records are independent of one another, the known ones included (Theorems 2 and 4).
    DEPENDENCY_GRAPH
        Sets of records without an edge between them are jointly independent (Theorems 3 and 5).
    UNCORRELATED
        The variance of the sum is the sum of the variances, where it is not given (Theorems 3
        and 5).
    CONDITIONAL_MOMENTS
        The moments are those given everything the adversary knows (Theorem 5, and Theorem 3 with
        a victim whose record is fixed).
    LOG_CONCAVITY
        Every record has a log-concave density, or log-concave masses on one lattice of which the
        shift is a multiple; the corrected bound then covers all events (Theorems 2 and 4).
    MARKOV_FIELD
        Given its neighbours in the graph, a record is independent of all others (block bounds).
    CONSISTENT_TABLES
        Some joint law has the conditional tables that were given (block bounds).
    """

    INDEPENDENCE = "independence"
    DEPENDENCY_GRAPH = "dependency-graph"
    UNCORRELATED = "uncorrelated"
    CONDITIONAL_MOMENTS = "conditional-moments"
    LOG_CONCAVITY = "log-concavity"
    MARKOV_FIELD = "markov-field"
    CONSISTENT_TABLES = "consistent-tables"


_NORMAL = (Assumption.INDEPENDENCE, Assumption.LOG_CONCAVITY)
BLOCK_ASSUMPTIONS = (
    Assumption.INDEPENDENCE,
    Assumption.DEPENDENCY_GRAPH,
    Assumption.MARKOV_FIELD,
    Assumption.CONSISTENT_TABLES,
)
"""What a caller may answer for with block bounds."""

_STEIN = (Assumption.DEPENDENCY_GRAPH, Assumption.UNCORRELATED, Assumption.CONDITIONAL_MOMENTS)


def as_assumptions(
    theorem: int | Literal["blocks"], names: Iterable[str | Assumption]
) -> frozenset[Assumption]:
    """Read what a caller answers for.

    Parameters
    ----------
    theorem
        2 to 5, or blocks; Theorem 1 leaves nothing to the caller.
    names
        Names of assumptions.

    Raises
    ------
    InvalidArgument
        If the names are no collection, or the theorem has no hypothesis of a name.

    Examples
    --------
    >>> as_assumptions(2, ["independence"])
    frozenset({<Assumption.INDEPENDENCE: 'independence'>})
    >>> as_assumptions(3, ["independence"])
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: assume = independence: need with theorem 3 one of \
dependency-graph, uncorrelated, conditional-moments
    >>> as_assumptions(2, "independence")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: assume = independence: need a collection of names
    """
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise InvalidArgument("assume", names, "a collection of names")
    by_theorem: dict[object, tuple[Assumption, ...]]
    by_theorem = {1: (), 2: _NORMAL, 4: _NORMAL, "blocks": BLOCK_ASSUMPTIONS}
    there = by_theorem.get(theorem, _STEIN)
    which = "blocks" if theorem == "blocks" else f"theorem {theorem}"
    admissible = f"with {which} one of {', '.join(there)}"
    if not there:
        admissible = f"nothing with {which}, which leaves nothing to answer for"
    found = set()
    for name in names:
        if str(name) not in there:
            raise InvalidArgument("assume", name, admissible + did_you_mean(str(name), there))
        found.add(Assumption(str(name)))
    return frozenset(found)
