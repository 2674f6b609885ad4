"""What a caller may choose in Algorithm 1: forming classes, rows left over, noise."""

from enum import StrEnum


class Remainder(StrEnum):
    """What becomes of the rows left over when rows are cut into classes of k."""

    MERGE = "merge"
    """They join the last class: every class has k people or more."""
    NOISE = "noise"
    """They are a class of their own, filled up to k with noise: fewer than k people."""
    SUPPRESS = "suppress"
    """They are not published."""


class Form(StrEnum):
    """How rows become classes of k."""

    BEST = "best"
    """As diverse or as least-loss, whichever loses less in the end."""
    LEAST_LOSS = "least-loss"
    """Neighbours cut apart where labels lose least, as long as both sides reach θ."""
    DIVERSE = "diverse"
    """Blocks of neighbours, as small as may be, dealt out by sensitive value."""
    COMPACT = "compact"
    """Neighbours, whatever their sensitive values."""
    SORTED = "sorted"
    """In the order of the quasi-identifiers, the first column first."""
    ORDER = "order"
    """As they come, as in the paper's experiment."""


class Noise(StrEnum):
    """Which value absent from a class a noise row carries."""

    FREQUENT = "frequent"
    """The most frequent in the table, the lowest code among equals."""
    FIRST = "first"
    """The lowest code."""
    RANDOM = "random"
    """Drawn with the seed."""


class Exhausted(StrEnum):
    """What to do with a class that holds every value and still has V < θ."""

    REPEAT = "repeat"
    """Add noise rows with values it has already; possible for every admissible μ."""
    REFUSE = "refuse"
    """Publish nothing, as Algorithm 1 has no further move."""
