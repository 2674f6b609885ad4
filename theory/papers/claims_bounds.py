"""The ledger of Zhao et al., IEEE Internet of Things Journal 6(1), 2019: every claim of theory."""

from __future__ import annotations

from kproof.theory.ledger import Ledger
from kproof.theory.papers.claims_figures import FIGURES
from kproof.theory.papers.claims_normal import NORMAL_APPROXIMATION
from kproof.theory.papers.claims_stein import STEIN
from kproof.theory.papers.claims_theorem1 import DEFINITIONS_AND_THEOREM_1

BOUNDS_PAPER = Ledger(DEFINITIONS_AND_THEOREM_1 + NORMAL_APPROXIMATION + STEIN + FIGURES)
"""Claims Z1, Z2, ... of "On the Performance of k-Anonymity Against Inference Attacks With
Background Information", in the order of the text, and F1, F2, ... of its Figures 2 to 5."""
