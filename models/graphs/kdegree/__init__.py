"""k-degree anonymity: edges are added until k users share every degree."""
