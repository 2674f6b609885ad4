"""Formal verification and theory of k-anonymity.

``import kproof`` costs nothing: each public name is imported when it is first asked for. What is
here is what most people need; more names are in :mod:`kproof.theory` and :mod:`kproof.models`.
"""

import sys
from typing import TYPE_CHECKING

from kproof import extras as _extras  # noqa: F401 - importing it is what it is for
from kproof.lazy import FunctionsFirst, homes_of, import_on_demand
from kproof.version import __version__ as __version__

if TYPE_CHECKING:
    from kproof import models as models
    from kproof import petri as petri
    from kproof import proptests as proptests
    from kproof import theory as theory
    from kproof.datasets import read_column as read_column
    from kproof.errors import InvalidArgument as InvalidArgument
    from kproof.errors import KProofError as KProofError
    from kproof.models.base.taxonomy import Taxonomy as Taxonomy
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
    from kproof.models.tables.proposals.proposal import propose_roles as propose_roles
    from kproof.models.tables.proposals.roles_file import RolesFile as RolesFile
    from kproof.models.tables.readers import read_table as read_table
    from kproof.models.tables.release import Release as Release
    from kproof.models.tables.risk import risk as risk
    from kproof.models.tables.table import Table as Table
    from kproof.petri.papers.api import net as net
    from kproof.proptests.api import check_anonymizer as check_anonymizer
    from kproof.schemas import json_schema as json_schema
    from kproof.theory.profiles import exact as exact
    from kproof.theory.theorems.api import bound as bound
    from kproof.verbs import anonymize as anonymize
    from kproof.verbs import attack as attack
    from kproof.verbs import check as check
    from kproof.verbs import compare as compare
    from kproof.verbs import report as report

_HOMES = homes_of(__file__)
_MODULES = [name for name, home in _HOMES.items() if home == __name__]

__all__ = [name for name in _HOMES if name not in _MODULES]
# What was here in version 0.1 can be asked for here in version 0.2, too.
_FORMER = {"frontier": "kproof.models.frontier.comparison"}
__getattr__ = import_on_demand(__name__, _HOMES | _FORMER, "kproof.theory", "kproof.models")
sys.modules[__name__].__class__ = FunctionsFirst


def __dir__() -> list[str]:
    return sorted(_HOMES)
