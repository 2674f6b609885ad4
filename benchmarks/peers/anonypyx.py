"""anonypyx's ``Anonymiser`` on frames with numbers and categories, as its README shows.

Its docstring names ``TypeError`` for a parameter of the wrong type and ``ValueError`` for values
that are invalid or do not go together, "k must be between 1 and the number of records" among
them. Rows come back with a ``count``. By default t-closeness is measured as the largest difference
of two shares; on two sensitive values that is the earth mover's distance, so that no reading of
the claim is in doubt. MDAV-generic breaks ties with the system's randomness, for which there is no
seed.
"""

from fractions import Fraction
from functools import partial
from typing import Any

import anonypyx
from peers.holding import Method, beyond, categorical, documented, expanded, main, publisher

from kproof.proptests.contract import Subject, TableCase

PROMISE = "README, and the docstring of Anonymiser"
BASIC = ("k-anonymity", "truthful", "records-kept", "sensitive-kept")
PROMISES = {
    "Mondrian, k": (BASIC, ("k",)),
    "Mondrian, k and l": ((*BASIC, "l-diversity"), ("k", "l")),
    "Mondrian, k and t": ((*BASIC, "t-closeness"), ("k", "t")),
    "MDAV-generic, k": (BASIC, ("k",)),
}
RANDOM = dict.fromkeys(
    ("deterministic", "hash seed"), "ties are broken by the system's randomness; there is no seed"
)


def publish(name: str, frame: Any, case: TableCase) -> Any:
    """Return what ``Anonymiser`` publishes, one row for each record."""
    algorithm, _, models = name.partition(", ")
    given: dict[str, Any] = {"k": case.parameters["k"]}
    if models.endswith("l"):
        given["l"] = case.parameters["l"]
    elif models.endswith("t"):
        given["t"] = float(Fraction(case.parameters["t"]))
    anonymiser = anonypyx.Anonymiser(
        categorical(frame),
        feature_columns=list(case.quasi_identifiers),
        sensitive_column=case.sensitive,
        algorithm=algorithm,
        generalisation_strategy="human-readable",
        **given,
    )
    return expanded(anonymiser.anonymise(), "count")


def subject(name: str) -> Subject:
    """Return a configuration as a subject."""
    promises, parameters = PROMISES[name]
    return publisher(
        partial(publish, name),
        promises=promises,
        parameters=parameters,
        recipe=("peers.anonypyx:subject", name),
        errors=(TypeError, ValueError),
    )


METHODS = [
    Method(
        name,
        subject(name),
        PROMISE,
        documented(sensitive_breadth=2 if name.endswith("t") else 4),
        beyond(sensitive_breadth=2 if name.endswith("t") else 4),
        expected=RANDOM if name.startswith("MDAV") else {},
    )
    for name in PROMISES
]

if __name__ == "__main__":
    main("anonypyx", METHODS)
