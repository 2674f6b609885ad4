"""What is done: data types, anonymizers, privacy models, attacks and utility."""

from typing import TYPE_CHECKING

from kproof.lazy import homes_of, import_on_demand

if TYPE_CHECKING:
    from kproof.models.attacks import BackgroundKnowledge as BackgroundKnowledge
    from kproof.models.attacks import Disclosure as Disclosure
    from kproof.models.frontier.comparison import Frontier as Frontier
    from kproof.models.frontier.rivals import Rival as Rival
    from kproof.models.frontier.rivals import rival as rival
    from kproof.models.partitioned import FolderRelease as FolderRelease
    from kproof.models.partitioned import anonymize_folder as anonymize_folder
    from kproof.models.places.log import PositionLog as PositionLog
    from kproof.models.tables.fulldomain.method import solution_space as solution_space
    from kproof.models.tables.proposals.proposal import RolesProposal as RolesProposal
    from kproof.models.tables.risk import Risk as Risk

_HOMES = homes_of(__file__)
__all__ = list(_HOMES)
__getattr__ = import_on_demand(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
