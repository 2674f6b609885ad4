"""Density-aware adaptive k-anonymity on the graph of streets."""
