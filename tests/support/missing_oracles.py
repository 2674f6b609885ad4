"""Classes with missing sensitive values, and every way to fill them in."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
from class_oracles import classes_of
from hypothesis import strategies as st

from kproof.models.base.classes import Classes
from kproof.models.base.missing import MISSING, MissingAs

UNKNOWN = "?"
KINDS = {"a": "grave", "b": "grave", "c": "mild", "d": "none"}
GROUPS = st.lists(
    st.lists(st.sampled_from(["a", "a", "b", "c", "d", UNKNOWN]), min_size=1, max_size=5),
    min_size=1,
    max_size=3,
).filter(
    lambda groups: (
        1 <= sum(group.count(UNKNOWN) for group in groups) <= 4
        and any(set(group) != {UNKNOWN} for group in groups)
    )
)


def with_gaps(groups: list[list[str]], policy: MissingAs = MissingAs.WORST_CASE) -> Classes:
    """Classes of lists of values, ``?`` being missing."""
    there = sorted({value for group in groups for value in group} - {UNKNOWN})
    found = classes_of(
        groups,
        values=(*there, UNKNOWN),
        ordered=True,
        category={**KINDS, UNKNOWN: "unknown"},
        categories=("grave", "mild", "none", MISSING),
    )
    kinds = ["grave", "mild", "none"]
    return replace(
        found,
        values=(*there, MISSING),
        category=np.array([*(kinds.index(KINDS[value]) for value in there), 3]),
        missing_as=policy,
    )


def completions(groups: list[list[str]]) -> Iterator[Classes]:
    """Every way to give the missing values one of those that occur."""
    there = sorted({value for group in groups for value in group} - {UNKNOWN})
    gaps = sum(group.count(UNKNOWN) for group in groups)
    kinds = ["grave", "mild", "none"]
    for filled in product(there, repeat=gaps):
        left = iter(filled)
        full = [[next(left) if one == UNKNOWN else one for one in group] for group in groups]
        found = classes_of(full, values=tuple(there), ordered=True)
        yield replace(
            found,
            category=np.array([kinds.index(KINDS[value]) for value in there]),
            categories=("grave", "mild", "none", MISSING),
        )
