"""How a source is read: one vocabulary for theorems, methods, maps and nets.

A source that derives nothing has two readings; what takes them says so where another is asked for
(see :func:`kproof.theory.exact.typed.choice`).
"""

from enum import StrEnum


class Reading(StrEnum):
    """Which reading of a source is meant: of a theorem, a listing or a description."""

    PRINTED = "printed"
    """As the source prints it, defects included."""
    DERIVED = "derived"
    """What the source's own derivation, such as an appendix, comes to."""
    CORRECTED = "corrected"
    """What can be proved, or does what the source promises."""


PRINTED_OR_CORRECTED = (Reading.PRINTED, Reading.CORRECTED)
"""The readings of a source without a derivation of its own."""
