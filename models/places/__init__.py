"""Positions, cities and points; each method for places has a folder of its own."""
