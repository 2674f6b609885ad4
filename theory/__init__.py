"""What is promised: laws, exact (epsilon, delta) profiles and the bounds of Theorems 1 to 5."""

from kproof.theory.falsify.api import falsify

__all__ = ["falsify"]
