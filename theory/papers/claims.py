"""The ledgers of theory: what Zhao et al. claim, and what is claimed of blocks and of releases.

The rows are the ``.claims`` files beside this module (:mod:`kproof.theory.claim_files`).
"""

from pathlib import Path

from kproof.theory.claim_files import ledger

_HOME = Path(__file__).parent
FIGURES = ledger(_HOME / "figures.claims")
"""Claims F1, F2, ... of Figures 2 to 5 of the bounds paper and of what is said of them."""

BOUNDS_PAPER = (
    ledger(_HOME / "theorem1.claims")
    + ledger(_HOME / "normal.claims")
    + ledger(_HOME / "stein.claims")
    + FIGURES
    + ledger(_HOME / "links.claims")
)
"""Claims Z1, Z2, ... of "On the Performance of k-Anonymity Against Inference Attacks With
Background Information" (IEEE Internet of Things Journal 6(1), 2019), in the order of the text."""

BLOCKS = ledger(_HOME / "blocks.claims")
"""Claims K1, K2, ... on block bounds, our own theorem."""
RELEASES = ledger(_HOME / "releases.claims")
"""Claims W1, W2, ... on what a release as a whole is worth."""
