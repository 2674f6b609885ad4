"""The section on places and people: a heat map, cloaked requests, and attacks on a social graph.

It is about examples that everybody has: people around two squares of a town, the 5 x 5 grid of the
density-aware method, and the karate club of Zachary (1977), whose friendships networkx ships. Each
shows what is published and, for the club, what MLE and BAS find in it beside what the bound says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from markupsafe import Markup

from kproof.forms import JsonForm
from kproof.models.api import anonymize
from kproof.models.attacks.inference.base import Background, Scoring, adversary_at
from kproof.models.attacks.inference.bound import bound_beside
from kproof.models.attacks.inference.friends import identify
from kproof.models.attacks.inference.fu import interval
from kproof.models.graphs.social import SocialGraph
from kproof.models.papers.density_experiment import DensityExperiment, experiment
from kproof.models.papers.density_figures import region_map, scatter
from kproof.models.places.heatmap.release import SectorRelease
from kproof.models.places.points import Points
from kproof.report.context import BuiltSection, Context, fragment
from kproof.report.findings import of_found, of_pairs, of_region
from kproof.report.places_svg import Row, attacks, heat_maps

_K = (3, 17)
"""The second is half of the club: the bound needs many."""

_SHARES: Mapping[str, Mapping[str, str]] = {
    "I": {},
    "II": {"lambda1": "0.2"},
    "III": {"lambda2": "0.2"},
    "IV": {"lambda1": "0.2", "lambda2": "0.2"},
}
_TECHNIQUES = {"CA": "sangreea", "IA": "k-degree", "BE": "baseline"}
_SEEDS = 4


@dataclass(frozen=True)
class Club:
    """The karate club under attack for one k: rows by technique and level, and what they show."""

    k: int
    """Fewest users in a cluster."""
    rows: tuple[Row, ...]
    """By technique and level."""
    finding: str
    chart: Markup

    to_dict = JsonForm("k attacks=rows")


@dataclass(frozen=True, slots=True)
class PlacesResults:
    """Places and people."""

    heat_map: SectorRelease
    """A heat map."""
    city: DensityExperiment
    """Runs of the density-aware method."""
    clubs: tuple[Club, ...]
    """A social graph under attack."""


def build(_: Context) -> BuiltSection:
    """Return the section; it is the same for every table."""
    return _section()


@cache
def _section() -> BuiltSection:
    town = _town()
    cloaked = experiment()
    served = [run for run in cloaked.runs if not run.insufficient]
    largest = max(served, key=lambda run: (run.region_size, -run.run))
    finding = of_region(
        largest.k, largest.region_users, largest.region_size, cloaked.release.city.nodes
    )
    title = f"{finding}. Map of the users at each crossing, and one published region"
    clubs = tuple(_club(k) for k in _K)
    page = fragment(
        "places.html",
        heat=[(heat_map.finding, Markup(heat_map.svg)) for heat_map in heat_maps(town)],
        town=town,
        fewest=int(town.counts[town.counts > 0].min()),
        runs=cloaked,
        shown=largest,
        region=(finding, Markup(region_map(cloaked.release, largest.run - 1).svg(title))),
        scatters=[
            _scatter([(run.density, run.k) for run in cloaked.runs], "users around", "k"),
            _scatter([(run.k, run.region_size) for run in served], "k", "crossings published"),
        ],
        clubs=clubs,
        seeds=_SEEDS,
    )
    return BuiltSection(page, PlacesResults(town, cloaked, clubs))


def _scatter(points: Sequence[tuple[int, int]], across: str, up: str) -> tuple[str, Markup]:
    finding = of_pairs(points, across, up, "request")
    return finding, Markup(scatter(points, across, up).svg(f"{finding}. {up} against {across}"))


def _club(k: int) -> Club:
    import networkx as nx

    graph = SocialGraph.from_networkx(nx.karate_club_graph())
    releases = {name: anonymize(method, graph, k=k) for name, method in _TECHNIQUES.items()}
    rows = tuple(
        _row(release, technique, level)
        for technique, release in releases.items()
        for level in _SHARES
    )
    telling = sum(row.telling > 0 for row in rows)
    shares = [(row.technique, row.level, max(row.mle, row.bas)) for row in rows]
    finding = of_found(k, shares, telling)
    title = f"{finding}. Found and allowed, by technique and level"
    return Club(k, rows, finding, Markup(attacks(rows, 1 / k, title)))


def _row(release: Any, technique: str, level: str) -> Row:
    shares: dict[str, Any] = dict(_SHARES[level])
    adversary = adversary_at(level, **shares)
    # Where nothing is drawn one draw says it all.
    seeds = range(_SEEDS if shares else 1)
    draws = [Background.draw(release.graph.users, adversary, seed=seed) for seed in seeds]
    identified = [identify(release, victims) for victims in draws]
    beside = [bound_beside(release, victims) for victims in draws]
    mle, bas = (
        interval([attempt[attack].value for attempt in identified]).mean for attack in Scoring
    )
    return Row(
        technique,
        level,
        mle,
        bas,
        sum(bound.cap for bound in beside) / len(beside),
        sum(bound.telling for bound in beside),
        sum(len(bound.classes) for bound in beside),
    )


def _town() -> SectorRelease:
    rng = np.random.default_rng(0)
    away = rng.normal(0, 0.004, (600, 2))
    away[:200] += (0.012, 0.02)
    points = Points.of(40.44 + away[:, 0], -80.0 + away[:, 1], users=range(600))
    release: SectorRelease = anonymize("quadtree", points)
    return release
