"""Formal verification and theory of k-anonymity.

``import kproof`` costs nothing: each public name is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kproof.datasets import read_column, read_table
    from kproof.errors import KProofError
    from kproof.models.api import anonymize, check
    from kproof.models.attacks import BackgroundKnowledge, Disclosure, attack
    from kproof.models.privacy import (
        AlphaK,
        BasicBeta,
        DeltaDisclosure,
        DistinctL,
        EnhancedBeta,
        EntropyL,
        KAnonymity,
        PAlphaSensitive,
        PPlusSensitive,
        PSensitive,
        RecursiveCL,
        TCloseness,
        ThetaSensitivity,
    )
    from kproof.models.readers import read_csv, read_parquet
    from kproof.models.release import Release
    from kproof.models.table import Table
    from kproof.models.taxonomy import Taxonomy
    from kproof.petri.api import net
    from kproof.proptests.api import check_anonymizer
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
    "AlphaK": "kproof.models.privacy",
    "BackgroundKnowledge": "kproof.models.attacks",
    "BasicBeta": "kproof.models.privacy",
    "Binomial": "kproof.theory.laws",
    "Bound": "kproof.theory.bounds",
    "Comparison": "kproof.theory.comparison",
    "DeltaDisclosure": "kproof.models.privacy",
    "Design": "kproof.theory.design",
    "Direction": "kproof.theory.profile",
    "Disclosure": "kproof.models.attacks",
    "DistinctL": "kproof.models.privacy",
    "Enclosure": "kproof.theory.enclosure",
    "EnhancedBeta": "kproof.models.privacy",
    "EntropyL": "kproof.models.privacy",
    "Events": "kproof.theory.bounds",
    "FiniteLattice": "kproof.theory.laws",
    "Hypothesis": "kproof.theory.bounds",
    "IndependentBlocks": "kproof.theory.laws",
    "KAnonymity": "kproof.models.privacy",
    "KProofError": "kproof.errors",
    "MarkovChain": "kproof.theory.laws",
    "Moments": "kproof.theory.moments",
    "Normal": "kproof.theory.laws",
    "PAlphaSensitive": "kproof.models.privacy",
    "PPlusSensitive": "kproof.models.privacy",
    "PSensitive": "kproof.models.privacy",
    "PoissonBinomial": "kproof.theory.laws",
    "RecordMoments": "kproof.theory.moments",
    "RecursiveCL": "kproof.models.privacy",
    "Release": "kproof.models.release",
    "Standing": "kproof.theory.comparison",
    "Status": "kproof.theory.bounds",
    "TCloseness": "kproof.models.privacy",
    "Table": "kproof.models.table",
    "Taxonomy": "kproof.models.taxonomy",
    "ThetaSensitivity": "kproof.models.privacy",
    "TruncatedBinomial": "kproof.theory.laws",
    "Variant": "kproof.theory.bounds",
    "anonymize": "kproof.models.api",
    "attack": "kproof.models.attacks",
    "bound": "kproof.theory.theorems",
    "check": "kproof.models.api",
    "check_anonymizer": "kproof.proptests.api",
    "compare": "kproof.theory.comparison",
    "design": "kproof.theory.design",
    "empirical": "kproof.theory.laws",
    "exact": "kproof.theory.profile",
    "iid": "kproof.theory.laws",
    "net": "kproof.petri.api",
    "read_column": "kproof.datasets",
    "read_csv": "kproof.models.readers",
    "read_parquet": "kproof.models.readers",
    "read_table": "kproof.datasets",
    "statement": "kproof.theory.theorems",
}

__all__ = [
    "Adversary",
    "AlphaK",
    "BackgroundKnowledge",
    "BasicBeta",
    "Binomial",
    "Bound",
    "Comparison",
    "DeltaDisclosure",
    "Design",
    "Direction",
    "Disclosure",
    "DistinctL",
    "Enclosure",
    "EnhancedBeta",
    "EntropyL",
    "Events",
    "FiniteLattice",
    "Hypothesis",
    "IndependentBlocks",
    "KAnonymity",
    "KProofError",
    "MarkovChain",
    "Moments",
    "Normal",
    "PAlphaSensitive",
    "PPlusSensitive",
    "PSensitive",
    "PoissonBinomial",
    "RecordMoments",
    "RecursiveCL",
    "Release",
    "Standing",
    "Status",
    "TCloseness",
    "Table",
    "Taxonomy",
    "ThetaSensitivity",
    "TruncatedBinomial",
    "Variant",
    "anonymize",
    "attack",
    "bound",
    "check",
    "check_anonymizer",
    "compare",
    "design",
    "empirical",
    "exact",
    "iid",
    "net",
    "read_column",
    "read_csv",
    "read_parquet",
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
