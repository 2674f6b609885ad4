"""The ledger of what Khan et al. claim of their nets.

The rows are the ``.claims`` file beside this module (:mod:`kproof.theory.claim_files`).
"""

from pathlib import Path

from kproof.theory.claim_files import ledger

NETS = ledger(Path(__file__).parent / "nets.claims")
"""Claims N1, N2, ... of "θ-Sensitive k-Anonymity" about its Petri nets."""
