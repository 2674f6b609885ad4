"""Exploring: state spaces, their limits, and random runs."""
