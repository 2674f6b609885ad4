"""Mondrian: multidimensional cuts at the median."""
