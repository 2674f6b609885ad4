"""What no input can show, by name: the hypotheses that a caller may answer for.

An answer that rests on one of them is *conditional* until the caller says that it is so. A name
given to ``assume`` settles what the input leaves open; it does not settle what the input
contradicts.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from kproof.errors import InvalidArgument, did_you_mean


class Assumption(StrEnum):
    """A hypothesis that a caller may answer for."""

    INDEPENDENCE = "independence"
    """The records are independent of one another, the known ones included (Theorems 2 and 4)."""
    DEPENDENCY_GRAPH = "dependency-graph"
    """Sets of records without an edge between them are jointly independent (Theorems 3 and 5)."""
    UNCORRELATED = "uncorrelated"
    """The variance of the sum is the sum of the variances, if not given (Theorems 3 and 5)."""
    CONDITIONAL_MOMENTS = "conditional-moments"
    """The moments are those given everything the adversary knows (Theorem 5, and Theorem 3 with a
    victim whose record is fixed)."""
    LOG_CONCAVITY = "log-concavity"
    """Every record has a log-concave density, or log-concave masses on one lattice of which the
    shift is a multiple; the corrected bound then covers all events (Theorems 2 and 4)."""
    MARKOV_FIELD = "markov-field"
    """Given its neighbours in the graph, a record is independent of all others (block bounds)."""
    CONSISTENT_TABLES = "consistent-tables"
    """Some joint law has the conditional tables that were given (block bounds)."""
    BELIEF = "belief"
    """What is believed of the records was not fitted to them (tables and noisy sums)."""


def read_assumptions(
    names: Iterable[str | Assumption], admissible: Sequence[Assumption], phrase: str
) -> frozenset[Assumption]:
    """Read what a caller answers for, of what the bound that is called ``phrase`` leaves open.

    >>> read_assumptions(["belief"], [Assumption.INDEPENDENCE], "table")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: assume = belief: need with table one of independence
    """
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise InvalidArgument("assume", names, "a collection of names")
    need = f"with {phrase} one of {', '.join(admissible)}"
    if not admissible:
        need = f"nothing with {phrase}, which leaves nothing to confirm"
    assumptions = set()
    for name in names:
        if str(name) not in admissible:
            raise InvalidArgument("assume", name, need + did_you_mean(str(name), admissible))
        assumptions.add(Assumption(str(name)))
    return frozenset(assumptions)
