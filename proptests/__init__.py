"""What always holds: Hypothesis strategies, checks and the suite that holds anonymizers to them.

Importing this package imports nothing heavy; each public name is imported when it is asked for.
"""

from typing import TYPE_CHECKING

from kproof.lazy import homes_of, import_on_demand

if TYPE_CHECKING:
    from kproof.proptests.api import check_anonymizer as check_anonymizer
    from kproof.proptests.parametrize import parametrize_with_checks as parametrize_with_checks
    from kproof.proptests.results import PromiseBroken as PromiseBroken
    from kproof.proptests.results import PromiseOpen as PromiseOpen
    from kproof.proptests.results import Results as Results
    from kproof.proptests.subjects.command import Command as Command

_HOMES = homes_of(__file__)
__all__ = list(_HOMES)
__getattr__ = import_on_demand(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
