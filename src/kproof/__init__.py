"""Formal verification and theory of k-anonymity.

``import kproof`` costs nothing: each public name is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kproof.datasets import read_column
    from kproof.errors import KProofError
    from kproof.models.api import anonymize, check
    from kproof.models.attacks import BackgroundKnowledge, Disclosure, attack
    from kproof.models.base.taxonomy import Taxonomy
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
    from kproof.models.tables.readers import read_table
    from kproof.models.tables.release import Release
    from kproof.models.tables.table import Table
    from kproof.petri.papers.api import net
    from kproof.proptests.api import check_anonymizer
    from kproof.theory.exact.enclosure import Enclosure
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
    from kproof.theory.profiles import Direction, exact
    from kproof.theory.reading import Reading
    from kproof.theory.theorems.adversary import Adversary
    from kproof.theory.theorems.api import bound, statement
    from kproof.theory.theorems.bounds import Bound, Events, Hypothesis, Status
    from kproof.theory.theorems.comparison import Comparison, Standing, compare
    from kproof.theory.theorems.design import Design, design
    from kproof.theory.theorems.moments import Moments
    from kproof.theory.theorems.record_moments import RecordMoments

__version__ = "0.1.0"

_HOMES = {
    "Adversary": "kproof.theory.theorems.adversary",
    "AlphaK": "kproof.models.privacy",
    "BackgroundKnowledge": "kproof.models.attacks",
    "BasicBeta": "kproof.models.privacy",
    "Binomial": "kproof.theory.laws",
    "Bound": "kproof.theory.theorems.bounds",
    "Comparison": "kproof.theory.theorems.comparison",
    "DeltaDisclosure": "kproof.models.privacy",
    "Design": "kproof.theory.theorems.design",
    "Direction": "kproof.theory.profiles",
    "Disclosure": "kproof.models.attacks",
    "DistinctL": "kproof.models.privacy",
    "Enclosure": "kproof.theory.exact.enclosure",
    "EnhancedBeta": "kproof.models.privacy",
    "EntropyL": "kproof.models.privacy",
    "Events": "kproof.theory.theorems.bounds",
    "FiniteLattice": "kproof.theory.laws",
    "Hypothesis": "kproof.theory.theorems.bounds",
    "IndependentBlocks": "kproof.theory.laws",
    "KAnonymity": "kproof.models.privacy",
    "KProofError": "kproof.errors",
    "MarkovChain": "kproof.theory.laws",
    "Moments": "kproof.theory.theorems.moments",
    "Normal": "kproof.theory.laws",
    "PAlphaSensitive": "kproof.models.privacy",
    "PPlusSensitive": "kproof.models.privacy",
    "PSensitive": "kproof.models.privacy",
    "PoissonBinomial": "kproof.theory.laws",
    "Reading": "kproof.theory.reading",
    "RecordMoments": "kproof.theory.theorems.record_moments",
    "RecursiveCL": "kproof.models.privacy",
    "Release": "kproof.models.tables.release",
    "Standing": "kproof.theory.theorems.comparison",
    "Status": "kproof.theory.theorems.bounds",
    "TCloseness": "kproof.models.privacy",
    "Table": "kproof.models.tables.table",
    "Taxonomy": "kproof.models.base.taxonomy",
    "ThetaSensitivity": "kproof.models.privacy",
    "TruncatedBinomial": "kproof.theory.laws",
    "anonymize": "kproof.models.api",
    "attack": "kproof.models.attacks",
    "bound": "kproof.theory.theorems.api",
    "check": "kproof.models.api",
    "check_anonymizer": "kproof.proptests.api",
    "compare": "kproof.theory.theorems.comparison",
    "design": "kproof.theory.theorems.design",
    "empirical": "kproof.theory.laws",
    "exact": "kproof.theory.profiles",
    "iid": "kproof.theory.laws",
    "net": "kproof.petri.papers.api",
    "read_column": "kproof.datasets",
    "read_table": "kproof.models.tables.readers",
    "statement": "kproof.theory.theorems.api",
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
    "Reading",
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
