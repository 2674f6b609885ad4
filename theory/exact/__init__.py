"""Numbers as they were typed, balls that contain them, and decimals rounded outward."""

from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import use_bits
from kproof.theory.exact.typed import Number, as_arb, choice, integer, rational

__all__ = ["Enclosure", "Number", "as_arb", "choice", "integer", "rational", "use_bits"]
