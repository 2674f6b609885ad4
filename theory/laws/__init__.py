"""Laws of published sums and counts, with masses enclosed by balls.

====================  ===========================================================================
Binomial              successes in n equal trials
TruncatedBinomial     the same given at least k of them: the count of Theorem 1
PoissonBinomial       successes in trials with probabilities of their own
FiniteLattice         any finite table of rational values and probabilities
IndependentSum, iid   sums of independent records (Theorems 2 and 4)
MarkovChain           the sum along a chain (Theorems 3 and 5)
IndependentBlocks     the sum over independent blocks with any joint law (Theorems 3 and 5)
MarkovField           records on a graph, each with its law given its neighbours
Normal                the normal law
empirical             one record of a column; sum_of_column for all of them
====================  ===========================================================================

Laws of sums of records know their records: ``given`` conditions on what an adversary knows.
"""

from kproof.theory.laws.base import LatticeLaw, Law, RecordsLaw
from kproof.theory.laws.binomial import Binomial, TruncatedBinomial
from kproof.theory.laws.blocks import Block, IndependentBlocks
from kproof.theory.laws.conditional_table import ConditionalTable
from kproof.theory.laws.data import empirical, sum_of_column
from kproof.theory.laws.fields import MarkovField
from kproof.theory.laws.finite import FiniteLattice
from kproof.theory.laws.markov import MarkovChain
from kproof.theory.laws.normal import Normal
from kproof.theory.laws.poisson_binomial import PoissonBinomial
from kproof.theory.laws.sums import IndependentSum, iid
from kproof.theory.laws.windows import FloatWindow, Window

__all__ = [
    "Binomial",
    "Block",
    "ConditionalTable",
    "FiniteLattice",
    "FloatWindow",
    "IndependentBlocks",
    "IndependentSum",
    "LatticeLaw",
    "Law",
    "MarkovChain",
    "MarkovField",
    "Normal",
    "PoissonBinomial",
    "RecordsLaw",
    "TruncatedBinomial",
    "Window",
    "empirical",
    "iid",
    "sum_of_column",
]
