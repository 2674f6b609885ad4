"""The section on places and people: a heat map, cloaked requests, and attacks on a social graph.

It is about examples that everybody has: people around two squares of a town, the 5 x 5 grid of the
density-aware method, and the karate club of Zachary (1977), whose friendships networkx ships. Each
shows what is published and, for the club, what MLE and BAS find in it beside what the bound says.
"""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kproof.models.api import anonymize
from kproof.report.page import fragment
from kproof.report.sections import Context

if TYPE_CHECKING:
    from markupsafe import Markup

    from kproof.models.social import SocialGraph

_K = 3
_SHARES: Mapping[str, Mapping[str, str]] = {
    "I": {},
    "II": {"lambda1": "0.2"},
    "III": {"lambda2": "0.2"},
    "IV": {"lambda1": "0.2", "lambda2": "0.2"},
}
_TECHNIQUES = {"CA": "sangreea", "IA": "k-degree", "BE": "baseline"}
_SEEDS = 4
_CAPTIONS = (
    "Users around the target and the k it gets",
    "k and the size of the region",
    "A region (red) around its target (yellow)",
)


@dataclass(frozen=True)
class Row:
    """One technique at one level: FU by attack, in percent, and what the bound says."""

    technique: str
    level: str
    mle: float
    bas: float
    cap: float
    telling: int
    classes: int


@dataclass(frozen=True)
class Picture:
    """A PNG image as the page has it."""

    source: str
    caption: str


def build(context: Context) -> Markup:
    """Return the section as HTML; it is the same for every table."""
    del context
    rows = _attacks()
    return fragment(
        "places.html",
        k=_K,
        seeds=_SEEDS,
        sanity=100 / _K,
        rows=rows,
        telling=sum(row.telling for row in rows),
        heat=_heat_map(),
        density=_density(),
    )


@cache
def _attacks() -> tuple[Row, ...]:
    from kproof.models.fu import interval
    from kproof.models.fu_bound import bound_beside
    from kproof.models.inference import Attack, Background, adversary_at
    from kproof.models.inference_friends import identify

    graph, rows = _club(), []
    for technique, method in _TECHNIQUES.items():
        release = anonymize(method, graph, k=_K)
        for level, shares in _SHARES.items():
            given: dict[str, Any] = dict(shares)
            adversary = adversary_at(level, **given)
            draws = [Background.draw(graph.users, adversary, seed=seed) for seed in range(_SEEDS)]
            found = [identify(release, drawn) for drawn in draws]
            beside = [bound_beside(release, drawn) for drawn in draws]
            mle, bas = (
                100 * interval([one[attack].value for one in found]).mean for attack in Attack
            )
            cap = 100 * interval([one.cap for one in beside]).mean
            telling = sum(one.telling for one in beside)
            classes = sum(len(one.classes) for one in beside)
            rows.append(Row(technique, level, mle, bas, cap, telling, classes))
    return tuple(rows)


def _club() -> SocialGraph:
    import networkx as nx

    from kproof.models.social import SocialGraph

    return SocialGraph.from_networkx(nx.karate_club_graph())


@cache
def _density() -> tuple[Picture, ...]:
    from kproof.models.density_experiment import experiment
    from kproof.models.density_figures import figures

    drawn = figures(experiment())
    return tuple(
        Picture(_inline(image), caption)
        for image, caption in zip(drawn.values(), _CAPTIONS, strict=True)
    )


@cache
def _heat_map() -> Picture:
    import numpy as np

    from kproof.models.heatmap_files import write_png
    from kproof.models.points import Points

    rng = np.random.default_rng(0)
    away = rng.normal(0, 0.004, (600, 2))
    away[:200] += (0.012, 0.02)
    points = Points.of(40.44 + away[:, 0], -80.0 + away[:, 1], users=range(600))
    release = anonymize("quadtree", points)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "map.png")
        write_png(release, path)
        image = path.read_bytes()
    caption = f"{points.people} people; every area with anybody in it holds at least 5"
    return Picture(_inline(image), caption)


def _inline(image: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(image).decode('ascii')}"
