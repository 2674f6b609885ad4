"""anonypy's ``Preserver`` on frames with numbers and categories, as its README shows.

The README promises "K Anonymity, L Diversity, T Closeness" by Mondrian, and of its example that it
is "Guarantee 2-anonymity". Columns of text are turned into categories first, and rows come back
with a ``count``. No error is named, and missing values are not spoken of. On two sensitive values
every distance of t-closeness is the same, so that no reading of the claim is in doubt.
"""

from fractions import Fraction
from functools import partial
from typing import Any

import anonypy
import pandas as pd
from peers.holding import Method, beyond, categorical, documented, expanded, main, publisher

from kproof.proptests.contract import Subject, TableCase

PROMISE = "README: Mondrian with K Anonymity, L Diversity, T Closeness"
BASIC = ("k-anonymity", "truthful", "records-kept", "sensitive-kept")
PROMISES = {
    "anonymize_k_anonymity": (BASIC, ("k",)),
    "anonymize_l_diversity": ((*BASIC, "l-diversity"), ("k", "l")),
    "anonymize_t_closeness": ((*BASIC, "t-closeness"), ("k", "t")),
}


def publish(name: str, frame: Any, case: TableCase) -> Any:
    """Return what a method of ``Preserver`` publishes, one row for each record."""
    preserver = anonypy.Preserver(categorical(frame), list(case.quasi_identifiers), case.sensitive)
    given = {"k": case.parameters["k"]}
    if name == "anonymize_l_diversity":
        given["l"] = case.parameters["l"]
    elif name == "anonymize_t_closeness":
        given["p"] = float(Fraction(case.parameters["t"]))
    rows = getattr(preserver, name)(**given)
    return expanded(pd.DataFrame(rows), "count") if rows else None


def subject(name: str) -> Subject:
    """Return a method as a subject."""
    promises, parameters = PROMISES[name]
    return publisher(
        partial(publish, name),
        promises=promises,
        parameters=parameters,
        recipe=("peers.anonypy:subject", name),
    )


METHODS = [
    Method(
        name,
        subject(name),
        PROMISE,
        documented(sensitive_breadth=2 if name == "anonymize_t_closeness" else 4),
        beyond(sensitive_breadth=2 if name == "anonymize_t_closeness" else 4),
    )
    for name in PROMISES
]

if __name__ == "__main__":
    main("anonypy", METHODS)
