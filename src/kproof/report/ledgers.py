"""All ledgers, by document: what ``kproof audit`` and the report go through."""

from dataclasses import dataclass

from kproof.errors import InvalidArgument, one_of
from kproof.models.papers.claims import (
    DENSITY_NOTES,
    INFERENCE,
    MOVING,
    QUADTREE_NOTES,
    REGIONS,
    SOCIAL_GRAPHS,
    THETA_PAPER,
)
from kproof.petri.papers.claims import NETS
from kproof.theory.ledger import Ledger
from kproof.theory.papers.claims import BOUNDS_PAPER, RELEASES
from kproof.theory.theorems.registry import own_bounds


@dataclass(frozen=True)
class Document:
    """A document whose claims are in a ledger."""

    key: str
    """Short name for the command line."""
    title: str
    """Authors and title."""
    ledger: Ledger
    """Its claims."""


def documents() -> tuple[Document, ...]:
    """Return the documents, the bounds paper first.

    >>> [one.key for one in documents()][:2]
    ['bounds', 'theta']
    """
    return (
        Document(
            "bounds", "Zhao et al., bounds for k-anonymity under attack", BOUNDS_PAPER + INFERENCE
        ),
        Document("theta", "Khan et al., θ-sensitive k-anonymity", THETA_PAPER + NETS),
        Document("density", "Density-aware adaptive k-anonymity on road graphs", DENSITY_NOTES),
        Document("heatmap", "QuadTreeHeatMap, heat maps of locations", QUADTREE_NOTES),
        *(
            Document(bound.name, f"kproof, {bound.called}s", bound.ledger.target)
            for bound in own_bounds()
        ),
        Document("releases", "kproof, releases as a whole", RELEASES),
        Document("regions", "kproof, tables anonymized by regions", REGIONS),
        Document("moving", "kproof, logs of people who move", MOVING),
        Document("graphs", "CA, IA and BE on social graphs", SOCIAL_GRAPHS),
    )


def document(key: str) -> Document:
    """Return a document by its short name.

    >>> document("beta")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: paper = beta: need one of bounds, theta, density, heatmap, \
blocks, releases, regions, moving, graphs; did you mean theta?
    """
    for listed in documents():
        if listed.key == key:
            return listed
    raise InvalidArgument("paper", key, one_of(key, (listed.key for listed in documents())))
