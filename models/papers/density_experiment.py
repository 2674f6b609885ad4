"""The experiment with density-aware cloaking: seeded runs, their table and its summary.

The columns are those of the method's description. Beside them goes what the description leaves
out: how many users can have asked, that is the pre-image of a region. The figures are drawn by
:mod:`kproof.models.papers.density_figures`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

import numpy as np

from kproof.errors import DataError
from kproof.forms import JsonForm
from kproof.models.base.parameters import SEED
from kproof.models.base.verdict import SCHEMA
from kproof.models.places.city.city import City
from kproof.models.places.density.method import DensityRelease, density
from kproof.models.tables.writers import csv_text
from kproof.theory.exact.typed import Number, choice, integer
from kproof.theory.reading import Reading

USERS = 30
"""Users of the default city, which nobody said: with 30 on 25 nodes all classes occur."""

_CLASSES = ("Sparse", "Medium", "Dense")


class Draw(StrEnum):
    """Among whom or what a run's target is drawn."""

    USERS = "users"
    NODES = "nodes"
    """Then nobody may be there who could have asked."""


@dataclass(frozen=True)
class Run:
    """One request."""

    run: int
    """Counted from 1."""
    target: object
    """Name of its node."""
    target_users: int
    """Users there."""
    density: int
    """Users around it."""
    density_class: str
    """``"Sparse"``, ``"Medium"`` or ``"Dense"``; a number from 1 if there are other than three."""
    k: int
    """Users its region has to hold."""
    region_size: int
    """Nodes of the region, 0 if it is insufficient."""
    region_users: int
    """Users in the region."""
    anonymity: int
    """Users whose own requests would have had this region."""
    insufficient: bool
    """Whether no region can serve it."""


@dataclass(frozen=True, eq=False)
class DensityExperiment:
    """Runs and what comes of them; from :func:`experiment`."""

    release: DensityRelease = field(repr=False)
    """The requests of the runs, in their order."""
    runs: tuple[Run, ...]
    """The table."""
    seed: int
    """With which targets were drawn."""

    @property
    def summary(self) -> dict[str, float | int | None]:
        """Mean k; mean, least and most nodes of a region; runs below k, and not served.

        Means and extremes are over the runs that were served, None if there are none. A run is
        below k if fewer than k users can have asked.
        """
        served = [run for run in self.runs if not run.insufficient]
        sizes = [run.region_size for run in served]
        return {
            "runs": len(self.runs),
            "insufficient": len(self.runs) - len(served),
            "mean_k": sum(run.k for run in served) / len(served) if served else None,
            "mean_region_size": sum(sizes) / len(sizes) if sizes else None,
            "least_region_size": min(sizes, default=None),
            "most_region_size": max(sizes, default=None),
            "without_users": sum(run.target_users == 0 for run in self.runs),
            "fewer_than_k_candidates": sum(run.anonymity < run.k for run in served),
        }

    to_dict = JsonForm("parameters=release.parameters seed summary runs", schema=SCHEMA)

    def table(self) -> str:
        """Return the table as CSV."""
        names = [column.name for column in fields(Run)]
        return csv_text(names, ([getattr(run, name) for name in names] for run in self.runs))


def experiment(
    city: City | None = None,
    *,
    runs: Number = 20,
    seed: Number = 0,
    draw: Draw | str = Draw.USERS,
    reading: Reading | str = Reading.CORRECTED,
    **options: Any,
) -> DensityExperiment:
    """Cloak requests of users or from nodes drawn at random, each with equal probability.

    The city is a 5 x 5 grid with :data:`USERS` users spread with the same seed unless given;
    ``options`` are those of :func:`kproof.models.places.density.method.density`, without targets.

    >>> results = experiment(reading="printed", seed=3)
    >>> len(results.runs), results.summary["fewer_than_k_candidates"] > 10
    (20, True)
    """
    draws = choice("draw", draw, Draw)
    start = SEED.read(seed)
    count = integer("runs", runs, least=1)
    place = City.grid(5, 5, users=USERS, seed=start) if city is None else city
    if not place.population:
        raise DataError("the city has no users")
    # Another stream than that of the users: it would put the targets where they are.
    rng = np.random.default_rng((1, start))
    if draws is Draw.NODES:
        nodes = rng.integers(place.nodes, size=count)
    else:
        asking = rng.integers(place.population, size=count)
        # User 0 is the first of the first node with anybody: to the right, past nodes of nobody.
        nodes = np.searchsorted(np.cumsum(place.users), asking, side="right")
    targets = [place.names[node] for node in nodes.tolist()]
    release = density(place, reading=reading, targets=targets, **options)
    levels = len(release.demand.levels)
    names = _CLASSES if levels == len(_CLASSES) else tuple(map(str, range(1, levels + 1)))
    # In the order of the fields of a run.
    columns = (
        *(place.users[nodes], release.density[nodes]),
        np.array(names)[release.density_classes],
        *(release.k, release.sizes, release.users, release.anonymity, release.insufficient),
    )
    rows = zip(targets, *(column.tolist() for column in columns), strict=True)
    answers = tuple(Run(number, *row) for number, row in enumerate(rows, 1))
    return DensityExperiment(release, answers, start)
