"""Runs of the publishers: one by one, in processes, fast on counts, and all of them at once."""
