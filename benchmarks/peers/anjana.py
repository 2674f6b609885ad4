"""anjana's functions, on frames with whole numbers and text, with hierarchies as its README shows.

A hierarchy holds a column at each level, level 0 being the column itself: for numbers intervals of
5 and of 10, for text a star. Up to ``supp_level`` percent of the records may be left out. A request
that cannot be met ends in an empty frame, which counts as a refusal. The README turns identifiers
into stars, so a column of nothing but stars is taken for absent. One method takes the intervals
of the library's own helper, ``generate_intervals``, instead of ours.
"""

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from anjana.anonymity import k_anonymity, l_diversity, t_closeness
from anjana.anonymity.utils import utils
from peers.holding import Method, beyond, documented, main, publisher

from kproof.proptests.contract import Subject, TableCase
from kproof.proptests.strategies.values import Values

KINDS = (Values.INTEGERS, Values.LETTERS)
BASIC = ("k-anonymity", "truthful", "records-kept", "sensitive-kept")
PROMISES = {
    "k_anonymity": (BASIC, ("k",)),
    "k_anonymity, supp_level=50": (BASIC, ("k",)),
    "k_anonymity, generate_intervals": (BASIC, ("k",)),
    "l_diversity, supp_level=50": ((*BASIC, "l-diversity"), ("k", "l")),
    "t_closeness": ((*BASIC, "t-closeness"), ("k", "t")),
}
MOST = 700
"""Above every number that is drawn."""


def hierarchy(values: Any, *, helper: bool) -> dict[int, Any]:
    """Return the levels of one quasi-identifier."""
    if not np.issubdtype(values.dtype, np.number):
        return {0: values, 1: np.array(["*"] * len(values))}
    if helper:
        levels = [utils.generate_intervals(values, 0, MOST, step) for step in (5, 10)]
    else:
        levels = [[_interval(one, step) for one in values] for step in (5, 10)]
    return {0: values, 1: levels[0], 2: levels[1], 3: np.array(["*"] * len(values))}


def _interval(value: float, step: int) -> str:
    low = int(value // step * step)
    return f"[{low}, {low + step})"


def publish(name: str, frame: Any, case: TableCase) -> Any:
    """Return what a function publishes, without the columns it turned into stars."""
    method, _, option = name.partition(", ")
    names = list(case.quasi_identifiers)
    helper = option == "generate_intervals"
    levels = {one: hierarchy(frame[one].values, helper=helper) for one in names}
    suppressed = 50 if option == "supp_level=50" else 0
    hidden, k = list(case.identifiers), case.parameters["k"]
    if method == "k_anonymity":
        found = k_anonymity(frame, hidden, names, k, suppressed, levels)
    elif method == "l_diversity":
        ell = case.parameters["l"]
        found = l_diversity(frame, hidden, names, case.sensitive, k, ell, suppressed, levels)
    else:
        t = float(Fraction(case.parameters["t"]))
        found = t_closeness(frame, hidden, names, case.sensitive, k, t, suppressed, levels)
    stars = [one for one in hidden if one in found and (found[one] == "*").all()]
    return found.drop(columns=stars)


def subject(name: str) -> Subject:
    """Return a function with its options as a subject."""
    promises, parameters = PROMISES[name]
    return publisher(
        partial(publish, name),
        promises=promises,
        parameters=parameters,
        recipe=("peers.anjana:subject", name),
        suppresses=name.endswith("50"),
    )


METHODS = [
    Method(
        name,
        subject(name),
        "README, Getting started; the function's docstring",
        documented(KINDS, identifiers=True),
        beyond(KINDS),
    )
    for name in PROMISES
]

if __name__ == "__main__":
    main("anjana", METHODS)
