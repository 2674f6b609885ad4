"""Privacy models as checkers: each reads classes and answers with a verdict."""

from kproof.models.privacy.base import Model
from kproof.models.privacy.closeness import Distance, TCloseness
from kproof.models.privacy.counting import AlphaK, KAnonymity
from kproof.models.privacy.diversity import DistinctL, EntropyL, RecursiveCL
from kproof.models.privacy.likeness import BasicBeta, DeltaDisclosure, EnhancedBeta
from kproof.models.privacy.sensitivity import PAlphaSensitive, PPlusSensitive, PSensitive
from kproof.models.privacy.summary import Summary, summary
from kproof.models.privacy.theta import ThetaSensitivity

__all__ = [
    "AlphaK",
    "BasicBeta",
    "DeltaDisclosure",
    "Distance",
    "DistinctL",
    "EnhancedBeta",
    "EntropyL",
    "KAnonymity",
    "Model",
    "PAlphaSensitive",
    "PPlusSensitive",
    "PSensitive",
    "RecursiveCL",
    "Summary",
    "TCloseness",
    "ThetaSensitivity",
    "summary",
]
