"""What is promised: laws, exact (epsilon, delta) profiles and the bounds of Theorems 1 to 5."""

from typing import TYPE_CHECKING

from kproof.lazy import homes_of, import_on_demand
from kproof.theory.falsify.api import falsify as falsify

if TYPE_CHECKING:
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
    from kproof.theory.reading import Reading as Reading
    from kproof.theory.theorems.adversary import Adversary as Adversary
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

_HOMES = homes_of(__file__)
__all__ = list(_HOMES)
__getattr__ = import_on_demand(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
