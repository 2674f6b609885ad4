"""Proposals: what the columns of a table seem to be, and which role each should have."""
