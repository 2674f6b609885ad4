"""Derivations as data, what decides each step, and the certificates they are written to."""
