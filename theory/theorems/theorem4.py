"""Theorem 4: level III. Theorem 2 over the records whose values the adversary does not know."""

from kproof.theory.theorems.sums import sums
from kproof.theory.theorems.theorem2 import build

STATEMENTS = build(
    4, sums(unknown_only=True), "Theorem 4's remark: the proof of Theorem 2 over the unknown"
)
