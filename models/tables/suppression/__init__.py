"""Rows left out within a budget, by any method for tables."""
