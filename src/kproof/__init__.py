"""Formal verification and theory of k-anonymity."""

__version__ = "0.1.0"
