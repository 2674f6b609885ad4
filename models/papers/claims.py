"""The ledger of Khan et al., Electronics 2020, 9(5), 716: every claim and what becomes of it."""

from __future__ import annotations

from kproof.models.papers.claims_attacks import SECTION_4
from kproof.models.papers.claims_experiments import SECTION_6
from kproof.models.papers.claims_model import SECTION_5
from kproof.theory.ledger import Ledger

THETA_PAPER = Ledger(SECTION_4 + SECTION_5 + SECTION_6)
"""Claims T1, T2, ... of "θ-Sensitive k-Anonymity", mostly of its Sections 4 to 7."""
