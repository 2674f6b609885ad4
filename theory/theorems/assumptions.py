"""What no input can show, by name: the hypotheses that a caller may answer for.

An answer that rests on one of them is *conditional* until the caller says that it is so. A name
given to ``assume`` settles what the input leaves open; it does not settle what the input
contradicts.
"""

from __future__ import annotations

from enum import StrEnum


class Assumption(StrEnum):
    """A hypothesis that a caller may answer for.

    Attributes:
        INDEPENDENCE: The records are independent of one another, the known ones included (Theorems
            2 and 4).
        DEPENDENCY_GRAPH: Sets of records without an edge between them are jointly independent
            (Theorems 3 and 5).
        UNCORRELATED: The variance of the sum is the sum of the variances, where it is not given
            (Theorems 3 and 5).
        CONDITIONAL_MOMENTS: The moments are those given everything the adversary knows (Theorem 5,
            and Theorem 3 with a victim whose record is fixed).
        LOG_CONCAVITY: Every record has a log-concave density, or log-concave masses on one lattice
            of which the shift is a multiple; the corrected bound then covers all events (Theorems 2
            and 4).
        MARKOV_FIELD: Given its neighbours in the graph, a record is independent of all others
            (block bounds).
        CONSISTENT_TABLES: Some joint law has the conditional tables that were given (block bounds).
    """

    INDEPENDENCE = "independence"
    DEPENDENCY_GRAPH = "dependency-graph"
    UNCORRELATED = "uncorrelated"
    CONDITIONAL_MOMENTS = "conditional-moments"
    LOG_CONCAVITY = "log-concavity"
    MARKOV_FIELD = "markov-field"
    CONSISTENT_TABLES = "consistent-tables"
