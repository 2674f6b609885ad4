"""Theta-sensitive k-anonymity by Algorithm 1 of Khan et al."""
