"""Hypothesis strategies for what anonymizers take: public, and shrinking to small examples.

Tables and what goes with them are here. Cities, points, graphs and nets have modules of their own
in this package.
"""

from kproof.proptests.strategies.knowledge import background_knowledge
from kproof.proptests.strategies.parameters import draw_mu, group_sizes, requests, theta_parameters
from kproof.proptests.strategies.tables import PLAIN, TableShape, frames, table_cases, tables
from kproof.proptests.strategies.taxonomies import hierarchies, taxonomies
from kproof.proptests.strategies.values import FRAGMENTS, Values, value

__all__ = [
    "FRAGMENTS",
    "PLAIN",
    "TableShape",
    "Values",
    "background_knowledge",
    "draw_mu",
    "frames",
    "group_sizes",
    "hierarchies",
    "requests",
    "table_cases",
    "tables",
    "taxonomies",
    "theta_parameters",
    "value",
]
