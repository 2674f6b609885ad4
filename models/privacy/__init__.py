"""Privacy models as checkers: each reads classes and answers with a verdict."""

from kproof.models.privacy.base import Model as Model
from kproof.models.privacy.closeness import Distance as Distance
from kproof.models.privacy.closeness import TCloseness as TCloseness
from kproof.models.privacy.counting import AlphaK as AlphaK
from kproof.models.privacy.counting import KAnonymity as KAnonymity
from kproof.models.privacy.diversity import DistinctL as DistinctL
from kproof.models.privacy.diversity import EntropyL as EntropyL
from kproof.models.privacy.diversity import RecursiveCL as RecursiveCL
from kproof.models.privacy.likeness import BasicBeta as BasicBeta
from kproof.models.privacy.likeness import DeltaDisclosure as DeltaDisclosure
from kproof.models.privacy.likeness import EnhancedBeta as EnhancedBeta
from kproof.models.privacy.sensitivity import PAlphaSensitive as PAlphaSensitive
from kproof.models.privacy.sensitivity import PPlusSensitive as PPlusSensitive
from kproof.models.privacy.sensitivity import PSensitive as PSensitive
from kproof.models.privacy.summary import Summary as Summary
from kproof.models.privacy.summary import summary as summary
from kproof.models.privacy.theta import ThetaSensitivity as ThetaSensitivity
