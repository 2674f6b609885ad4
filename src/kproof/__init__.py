"""Formal verification and theory of k-anonymity.

``import kproof`` costs nothing: each public name is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from kproof import extras as _extras  # noqa: F401 - importing it is what it is for

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
    from kproof.models.places.log import PositionLog as PositionLog
    from kproof.models.places.log import read_log as read_log
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

_NAMES = {
    "kproof.datasets": "read_column",
    "kproof.errors": "KProofError",
    "kproof.models.api": "anonymize check",
    "kproof.models.attacks": "BackgroundKnowledge Disclosure attack",
    "kproof.models.base.taxonomy": "Taxonomy",
    "kproof.models.frontier": "Frontier Rival frontier rival",
    "kproof.models.partitioned": "FolderRelease anonymize_folder",
    "kproof.models.places.log": "PositionLog read_log",
    "kproof.models.privacy": (
        "AlphaK BasicBeta DeltaDisclosure DistinctL EnhancedBeta EntropyL KAnonymity "
        "PAlphaSensitive PPlusSensitive PSensitive RecursiveCL TCloseness ThetaSensitivity"
    ),
    "kproof.models.tables.fulldomain.method": "solution_space",
    "kproof.models.tables.proposals.proposal": "RolesProposal propose_roles",
    "kproof.models.tables.proposals.roles_file": "RolesFile",
    "kproof.models.tables.readers": "read_table",
    "kproof.models.tables.release": "Release",
    "kproof.models.tables.risk": "Risk risk",
    "kproof.models.tables.table": "Table",
    "kproof.petri.papers.api": "net",
    "kproof.proptests.api": "check_anonymizer",
    "kproof.schemas": "json_schema",
    "kproof.theory.exact.enclosure": "Enclosure",
    "kproof.theory.laws": (
        "Binomial FiniteLattice IndependentBlocks MarkovChain Normal PoissonBinomial "
        "TruncatedBinomial empirical iid"
    ),
    "kproof.theory.laws.block_mass": "BlockMass block_mass",
    "kproof.theory.losses": "PrivacyLoss",
    "kproof.theory.profiles": "Direction exact",
    "kproof.theory.reading": "Reading",
    "kproof.theory.theorems.adversary": "Adversary",
    "kproof.theory.theorems.api": "bound statement",
    "kproof.theory.theorems.blocks": "BlockBound block_bound",
    "kproof.theory.theorems.bounds": "Bound Events Hypothesis Status",
    "kproof.theory.theorems.comparison": "Comparison Standing compare",
    "kproof.theory.theorems.design": "Design design",
    "kproof.theory.theorems.moments": "Moments",
    "kproof.theory.theorems.record_moments": "RecordMoments",
}
"""Public names by the module that has them."""

_HOMES = dict(sorted((name, module) for module in _NAMES for name in _NAMES[module].split()))

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'kproof' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
