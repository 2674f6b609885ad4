"""Formal verification and theory of k-anonymity.

``import kproof`` costs nothing: each public name is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kproof.datasets import read_column, read_table
    from kproof.errors import KProofError
    from kproof.theory.adversary import Adversary
    from kproof.theory.bounds import Bound, Events, Hypothesis, Status, Variant
    from kproof.theory.comparison import Comparison, Standing, compare
    from kproof.theory.design import Design, design
    from kproof.theory.enclosure import Enclosure
    from kproof.theory.laws import (
        Binomial,
        FiniteLattice,
        IndependentBlocks,
        MarkovChain,
        Normal,
        PoissonBinomial,
        TruncatedBinomial,
        empirical,
        iid,
    )
    from kproof.theory.moments import Moments, RecordMoments
    from kproof.theory.profile import Direction, exact
    from kproof.theory.theorems import bound, statement

__version__ = "0.1.0"

_HOMES = {
    "Adversary": "kproof.theory.adversary",
    "Binomial": "kproof.theory.laws",
    "Bound": "kproof.theory.bounds",
    "Comparison": "kproof.theory.comparison",
    "Design": "kproof.theory.design",
    "Direction": "kproof.theory.profile",
    "Enclosure": "kproof.theory.enclosure",
    "Events": "kproof.theory.bounds",
    "FiniteLattice": "kproof.theory.laws",
    "Hypothesis": "kproof.theory.bounds",
    "IndependentBlocks": "kproof.theory.laws",
    "KProofError": "kproof.errors",
    "MarkovChain": "kproof.theory.laws",
    "Moments": "kproof.theory.moments",
    "Normal": "kproof.theory.laws",
    "PoissonBinomial": "kproof.theory.laws",
    "RecordMoments": "kproof.theory.moments",
    "Standing": "kproof.theory.comparison",
    "Status": "kproof.theory.bounds",
    "TruncatedBinomial": "kproof.theory.laws",
    "Variant": "kproof.theory.bounds",
    "bound": "kproof.theory.theorems",
    "compare": "kproof.theory.comparison",
    "design": "kproof.theory.design",
    "empirical": "kproof.theory.laws",
    "exact": "kproof.theory.profile",
    "iid": "kproof.theory.laws",
    "read_column": "kproof.datasets",
    "read_table": "kproof.datasets",
    "statement": "kproof.theory.theorems",
}

__all__ = [
    "Adversary",
    "Binomial",
    "Bound",
    "Comparison",
    "Design",
    "Direction",
    "Enclosure",
    "Events",
    "FiniteLattice",
    "Hypothesis",
    "IndependentBlocks",
    "KProofError",
    "MarkovChain",
    "Moments",
    "Normal",
    "PoissonBinomial",
    "RecordMoments",
    "Standing",
    "Status",
    "TruncatedBinomial",
    "Variant",
    "bound",
    "compare",
    "design",
    "empirical",
    "exact",
    "iid",
    "read_column",
    "read_table",
    "statement",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'kproof' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
