"""Theorem 5: level IV. Theorem 3 over the records whose values the adversary does not know.

Where known and unknown records depend on one another, every moment is the conditional one given
the known values; :meth:`kproof.theory.theorems.moments.Moments.from_law` of a conditioned law gives
them.
"""

from kproof.theory.theorems.sums import sums
from kproof.theory.theorems.theorem3 import build

STATEMENTS = build(
    5, sums(unknown_only=True), "Theorem 5's remark: the proof of Theorem 3 over the unknown"
)
