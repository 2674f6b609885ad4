"""Formal verification and theory of k-anonymity.

``import kproof`` costs nothing: each public name is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kproof.datasets import read_column as read_column
    from kproof.errors import KProofError as KProofError
    from kproof.models.api import anonymize as anonymize
    from kproof.models.api import check as check
    from kproof.models.attacks import BackgroundKnowledge as BackgroundKnowledge
    from kproof.models.attacks import Disclosure as Disclosure
    from kproof.models.attacks import attack as attack
    from kproof.models.base.taxonomy import Taxonomy as Taxonomy
    from kproof.models.frontier import Frontier as Frontier
    from kproof.models.frontier import Rival as Rival
    from kproof.models.frontier import frontier as frontier
    from kproof.models.frontier import rival as rival
    from kproof.models.partitioned import FolderRelease as FolderRelease
    from kproof.models.partitioned import anonymize_folder as anonymize_folder
    from kproof.models.privacy import AlphaK as AlphaK
    from kproof.models.privacy import BasicBeta as BasicBeta
    from kproof.models.privacy import DeltaDisclosure as DeltaDisclosure
    from kproof.models.privacy import DistinctL as DistinctL
    from kproof.models.privacy import EnhancedBeta as EnhancedBeta
    from kproof.models.privacy import EntropyL as EntropyL
    from kproof.models.privacy import KAnonymity as KAnonymity
    from kproof.models.privacy import PAlphaSensitive as PAlphaSensitive
    from kproof.models.privacy import PPlusSensitive as PPlusSensitive
    from kproof.models.privacy import PSensitive as PSensitive
    from kproof.models.privacy import RecursiveCL as RecursiveCL
    from kproof.models.privacy import TCloseness as TCloseness
    from kproof.models.privacy import ThetaSensitivity as ThetaSensitivity
    from kproof.models.tables.fulldomain.method import solution_space as solution_space
    from kproof.models.tables.proposals.proposal import RolesProposal as RolesProposal
    from kproof.models.tables.proposals.proposal import propose_roles as propose_roles
    from kproof.models.tables.proposals.roles_file import RolesFile as RolesFile
    from kproof.models.tables.readers import read_table as read_table
    from kproof.models.tables.release import Release as Release
    from kproof.models.tables.risk import Risk as Risk
    from kproof.models.tables.risk import risk as risk
    from kproof.models.tables.table import Table as Table
    from kproof.petri.papers.api import net as net
    from kproof.proptests.api import check_anonymizer as check_anonymizer
    from kproof.schemas import json_schema as json_schema
    from kproof.theory.exact.enclosure import Enclosure as Enclosure
    from kproof.theory.laws import Binomial as Binomial
    from kproof.theory.laws import FiniteLattice as FiniteLattice
    from kproof.theory.laws import IndependentBlocks as IndependentBlocks
    from kproof.theory.laws import MarkovChain as MarkovChain
    from kproof.theory.laws import Normal as Normal
    from kproof.theory.laws import PoissonBinomial as PoissonBinomial
    from kproof.theory.laws import TruncatedBinomial as TruncatedBinomial
    from kproof.theory.laws import empirical as empirical
    from kproof.theory.laws import iid as iid
    from kproof.theory.laws.block_mass import BlockMass as BlockMass
    from kproof.theory.laws.block_mass import block_mass as block_mass
    from kproof.theory.losses import PrivacyLoss as PrivacyLoss
    from kproof.theory.profiles import Direction as Direction
    from kproof.theory.profiles import exact as exact
    from kproof.theory.reading import Reading as Reading
    from kproof.theory.theorems.adversary import Adversary as Adversary
    from kproof.theory.theorems.api import bound as bound
    from kproof.theory.theorems.api import statement as statement
    from kproof.theory.theorems.blocks import BlockBound as BlockBound
    from kproof.theory.theorems.blocks import block_bound as block_bound
    from kproof.theory.theorems.bounds import Bound as Bound
    from kproof.theory.theorems.bounds import Events as Events
    from kproof.theory.theorems.bounds import Hypothesis as Hypothesis
    from kproof.theory.theorems.bounds import Status as Status
    from kproof.theory.theorems.comparison import Comparison as Comparison
    from kproof.theory.theorems.comparison import Standing as Standing
    from kproof.theory.theorems.comparison import compare as compare
    from kproof.theory.theorems.design import Design as Design
    from kproof.theory.theorems.design import design as design
    from kproof.theory.theorems.moments import Moments as Moments
    from kproof.theory.theorems.record_moments import RecordMoments as RecordMoments

__version__ = "0.1.0"

_HOMES = {
    "Adversary": "kproof.theory.theorems.adversary",
    "AlphaK": "kproof.models.privacy",
    "BackgroundKnowledge": "kproof.models.attacks",
    "BasicBeta": "kproof.models.privacy",
    "Binomial": "kproof.theory.laws",
    "BlockBound": "kproof.theory.theorems.blocks",
    "BlockMass": "kproof.theory.laws.block_mass",
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
    "FolderRelease": "kproof.models.partitioned",
    "Frontier": "kproof.models.frontier",
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
    "PrivacyLoss": "kproof.theory.losses",
    "Reading": "kproof.theory.reading",
    "RecordMoments": "kproof.theory.theorems.record_moments",
    "RecursiveCL": "kproof.models.privacy",
    "Release": "kproof.models.tables.release",
    "Risk": "kproof.models.tables.risk",
    "Rival": "kproof.models.frontier",
    "RolesFile": "kproof.models.tables.proposals.roles_file",
    "RolesProposal": "kproof.models.tables.proposals.proposal",
    "Standing": "kproof.theory.theorems.comparison",
    "Status": "kproof.theory.theorems.bounds",
    "TCloseness": "kproof.models.privacy",
    "Table": "kproof.models.tables.table",
    "Taxonomy": "kproof.models.base.taxonomy",
    "ThetaSensitivity": "kproof.models.privacy",
    "TruncatedBinomial": "kproof.theory.laws",
    "anonymize": "kproof.models.api",
    "anonymize_folder": "kproof.models.partitioned",
    "attack": "kproof.models.attacks",
    "block_bound": "kproof.theory.theorems.blocks",
    "block_mass": "kproof.theory.laws.block_mass",
    "bound": "kproof.theory.theorems.api",
    "check": "kproof.models.api",
    "check_anonymizer": "kproof.proptests.api",
    "compare": "kproof.theory.theorems.comparison",
    "design": "kproof.theory.theorems.design",
    "empirical": "kproof.theory.laws",
    "exact": "kproof.theory.profiles",
    "frontier": "kproof.models.frontier",
    "iid": "kproof.theory.laws",
    "json_schema": "kproof.schemas",
    "net": "kproof.petri.papers.api",
    "propose_roles": "kproof.models.tables.proposals.proposal",
    "read_column": "kproof.datasets",
    "read_table": "kproof.models.tables.readers",
    "risk": "kproof.models.tables.risk",
    "rival": "kproof.models.frontier",
    "solution_space": "kproof.models.tables.fulldomain.method",
    "statement": "kproof.theory.theorems.api",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'kproof' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
