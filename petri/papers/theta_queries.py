"""What a solver is asked about every table of a θ-sensitive publisher's size."""

from __future__ import annotations

from kproof.errors import InvalidArgument
from kproof.petri.logic.queries import smt2
from kproof.petri.papers.publisher import Publisher
from kproof.petri.papers.theta_lemmas import lemmas
from kproof.petri.papers.theta_smt import every_publication_passes, tables


def theta_queries(publisher: Publisher) -> str:
    """Return the queries behind V ≥ θ in every publication of every table of a publisher's size.

    With them come the lemmas on single moves.

    Raises:
        InvalidArgument: If classes differ in size from k: the proof is about classes of k rows.
    """
    threshold = publisher.threshold
    sizes = {len(members) for members in publisher.formed.values}
    if threshold is None or threshold.per_class or sizes != {threshold.k}:
        raise InvalidArgument(
            "smt2", publisher.build.net().name, "classes of k rows each, and one theta"
        )
    size = tables(
        classes=len(publisher.formed.values),
        k=threshold.k,
        values=len(publisher.domain),
        mu=threshold.mu,
    )
    return smt2((every_publication_passes(size), *lemmas()))
