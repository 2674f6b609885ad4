"""What a table as a whole is worth: bounds R1 to R14, of no sum and of no single count.

A release that tosses no coin and is not constant is worth nothing to one who knows all other rows
(R0). Randomness is either the publisher's own, and then a bound holds against everyone
(:mod:`~kproof.theory.theorems.releases.sampled`), or it is what the adversary does not know, and
then a bound holds for that belief alone.
"""

from kproof.theory.theorems.releases.registry import RELEASE_BOUNDS, RegisteredRelease

__all__ = ["RELEASE_BOUNDS", "RegisteredRelease"]
