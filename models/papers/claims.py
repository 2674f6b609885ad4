"""The ledgers of what the papers claim of data, attacks and methods.

The rows are the ``.claims`` files beside this module (:mod:`kproof.theory.claim_files`).
"""

from pathlib import Path

from kproof.theory.claim_files import ledger

_HOME = Path(__file__).parent

THETA_PAPER = (
    ledger(_HOME / "attacks.claims")
    + ledger(_HOME / "model.claims")
    + ledger(_HOME / "experiments.claims")
)
"""Claims T1, T2, ... of "θ-Sensitive k-Anonymity" (Khan et al., Electronics 2020, 9(5), 716), most
of its Sections 4 to 7."""

DENSITY_NOTES = ledger(_HOME / "density.claims")
"""Claims D1, D2, ... of the description, with the smallest example of each defect."""

SOCIAL_GRAPHS = ledger(_HOME / "graphs.claims")
"""Claims G1, G2, ... about the three techniques; what attacks find is in a ledger of its own."""

INFERENCE = ledger(_HOME / "inference.claims")
"""Claims E1, E2, ... about measured FU; the techniques themselves are in a ledger of their own."""

QUADTREE_NOTES = ledger(_HOME / "quadtree.claims")
"""Claims Q1, Q2, ... of the description, with the smallest example of each defect."""

REGIONS = ledger(_HOME / "regions.claims")
"""Claims R1, R2, ... of our own way with tables that no process can hold: regions, one by one."""

MOVING = ledger(_HOME / "moving.claims")
"""Claims M1, M2, ... of our own way with people who move: cloaked logs."""
