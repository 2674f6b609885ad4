"""Partitions by cuts: what cuts lose, which are allowed, and the tree they make."""
