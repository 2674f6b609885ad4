"""Section IV of Zhao et al. run again: FU for techniques, levels, k, shares and seeds.

``python -m kproof.models.papers.fu_files FRIENDS.tsv --out results/inference`` measures every cell
of :data:`PAPER` and writes Table III and Figures 6 and 7 anew. Each cell is a line of JSON that is
appended when it is done, so that a run that was stopped goes on where it was. Everything follows
from the friendships and the seeds.

The paper does not say which of Gowalla's 196,591 users were attacked, which k Figure 7 has, nor
how often it drew. Here are the induced subgraph of one's choice, :attr:`ParameterGrid.k` and
:attr:`ParameterGrid.seeds`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kproof.errors import DataError, InvalidArgument
from kproof.models.attacks.inference.base import Background, Level, Prior, Scoring, adversary_at
from kproof.models.attacks.inference.friends import identify
from kproof.models.attacks.inference.fu import Interval, interval
from kproof.models.base.parameters import GROUP_K
from kproof.models.graphs.baseline.method import baseline
from kproof.models.graphs.kdegree.method import k_degree
from kproof.models.graphs.release import GraphRelease
from kproof.models.graphs.sangreea.method import sangreea
from kproof.models.graphs.social import SocialGraph, cluster_size
from kproof.outputs import append_line
from kproof.theory.exact.typed import Number, choice, integer, rational

if TYPE_CHECKING:
    from kproof.cluster import Cluster


class Technique(StrEnum):
    """What is attacked."""

    CA = "CA"
    IA = "IA"
    BE = "BE"


@dataclass(frozen=True, order=True)
class Measurement:
    """One measurement: what is published, what the adversary knows, which draw."""

    technique: str
    """CA, IA or BE."""
    k: int
    """Asked of it."""
    level: str
    """I to IV."""
    lambda1: str
    lambda2: str
    """Shares as exact texts; empty at levels that do not have them."""
    prior: str
    """Where she looks."""
    seed: int
    """Of what she drew."""

    @classmethod
    def at(
        cls, technique: str, k: int, level: Level, shares: Sequence[Fraction], prior: str, seed: int
    ) -> Measurement:
        """Return a measurement without the shares that its level does not have."""
        lambda1, lambda2 = (
            str(share) if has else ""
            for share, has in zip(shares, (level.links, level.knows), strict=True)
        )
        # Without anything drawn one seed says it all.
        seed = seed if level.links or level.knows else 0
        return cls(str(technique), k, str(level), lambda1, lambda2, str(prior), seed)

    def background(self, users: int) -> Background:
        """Return what the adversary draws of so many users."""
        lambda1, lambda2 = self.lambda1 or None, self.lambda2 or None
        adversary = adversary_at(self.level, lambda1=lambda1, lambda2=lambda2)
        return Background.draw(users, adversary, seed=self.seed)


@dataclass(frozen=True)
class Measured:
    """A cell and what came of it."""

    cell: Measurement
    """What was measured."""
    fu: dict[str, Fraction]
    """By attack, the expected share of victims identified; exact."""
    victims: int
    known: int
    """Number of users looked for, and of users known beforehand."""


@dataclass(frozen=True)
class ParameterGrid:
    """What is varied; built by :meth:`of`."""

    k: tuple[int, ...]
    """Values of k in Figure 7."""
    shares: tuple[Fraction, ...]
    """Values of lambda1 and lambda2 in Figure 6."""
    seeds: tuple[int, ...]
    """Draws of what the adversary knows."""
    fixed_k: int
    fixed_share: Fraction
    """What the others are where one is varied."""
    priors: tuple[Prior, ...]
    """Where she looks."""
    techniques: tuple[Technique, ...]
    """What is attacked."""

    @classmethod
    def of(
        cls,
        *,
        k: Sequence[Number] = (3, 6, 9, 12, 15, 18),
        shares: Sequence[Number] = ("0.1", "0.2", "0.3", "0.4", "0.5"),
        seeds: Number = 5,
        fixed_k: Number = 6,
        fixed_share: Number = "0.2",
        priors: Sequence[str] = ("class", "all"),
        techniques: Sequence[str] = ("CA", "IA", "BE"),
    ) -> ParameterGrid:
        """Read and check typed values; as many seeds as said, from 0.

        >>> len(ParameterGrid.of(seeds=1, priors=["class"]).cells)
        120
        >>> ParameterGrid.of(shares=["1.5"])
        Traceback (most recent call last):
        kproof.errors.InvalidArgument: shares = 1.5: need 0 <= shares < 1
        """
        return cls(
            tuple(GROUP_K.read(value) for value in k),
            tuple(rational("shares", value, least=0, below=1) for value in shares),
            tuple(range(integer("seeds", seeds, least=1))),
            integer("fixed_k", fixed_k, least=2),
            rational("fixed_share", fixed_share, least=0, below=1),
            tuple(choice("priors", value, Prior) for value in priors),
            tuple(choice("techniques", value, Technique) for value in techniques),
        )

    @property
    def cells(self) -> tuple[Measurement, ...]:
        """Every cell once, in order: those of one release are together."""
        fixed = self.fixed_share
        settings = [(self.fixed_k, Level.INDEPENDENT, (fixed, fixed))]
        for share in self.shares:
            settings += [
                (self.fixed_k, Level.DEPENDENT, (share, fixed)),
                (self.fixed_k, Level.KNOWN, (fixed, share)),
                (self.fixed_k, Level.DEPENDENT_KNOWN, (fixed, share)),
                (self.fixed_k, Level.DEPENDENT_KNOWN, (share, fixed)),
            ]
        settings += [(k, level, (fixed, fixed)) for k, level in product(self.k, Level)]
        every = product(self.techniques, sorted(set(settings)), self.priors, self.seeds)
        cells = (
            Measurement.at(technique, *setting, prior, seed)
            for technique, setting, prior, seed in every
        )
        return tuple(dict.fromkeys(cells))


PAPER = ParameterGrid.of()
"""Table III and Figures 6 and 7: k = 6 and shares of 0.2 where the others are varied."""


def measure(graph: SocialGraph, cell: Measurement, release: GraphRelease | None = None) -> Measured:
    """Measure one cell, of what its technique published if that is there already."""
    knowledge = cell.background(graph.users)
    release = release or publish(graph, cell, knowledge)
    by_attack = identify(release, knowledge, prior=Prior(cell.prior))
    values = {str(attack): fu.value for attack, fu in by_attack.items()}
    first = by_attack[Scoring.MLE]
    return Measured(cell, values, len(first.victims), first.known)


def publish(
    graph: SocialGraph, cell: Measurement, background: Background | None = None
) -> GraphRelease:
    """Return what a cell's technique publishes.

    BE cloaks "given adversaries' background information": it is told the share whose dependence
    is known and the users who are. CA and IA have no use for that.
    """
    if cell.technique == Technique.CA:
        return sangreea(graph, k=cell.k)
    if cell.technique == Technique.IA:
        return k_degree(graph, k=cell.k)
    indexes = [] if background is None else np.flatnonzero(background.known).tolist()
    known_names = [graph.names[user] for user in indexes]
    return baseline(graph, k=cell.k, lambda1=cell.lambda1 or None, known=known_names)


def run(
    graph: SocialGraph,
    grid: ParameterGrid = PAPER,
    *,
    path: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    cluster: Cluster | None = None,
) -> tuple[Measured, ...]:
    """Measure all cells of a grid, those that a file does not have yet.

    The file has JSON lines, to which each new one is appended; a last line that was not finished is
    dropped. ``progress`` is called with the number of cells done and their total after each. A
    cluster measures cells of one release together; the file then has them in another order.
    """
    # Every k before any cell: one that is too large would be found after hours.
    for k in {cell.k for cell in grid.cells}:
        cluster_size(graph, k)
    by_cell = {} if path is None else read(path, graph)
    if cluster is not None:
        return _run_on_cluster(cluster, graph, grid, by_cell, path, progress)
    last: tuple[str, int] | None = None
    release: GraphRelease | None = None
    results = []
    # Cells of one release are together, so that it is made once and one is held at a time.
    for count, cell in enumerate(grid.cells, 1):
        if cell not in by_cell:
            if cell.technique == Technique.BE:
                # What BE publishes depends on what the adversary drew.
                release = None
            elif last != (cell.technique, cell.k):
                release = publish(graph, cell)
            last = cell.technique, cell.k
            by_cell[cell] = measure(graph, cell, release)
            if path is not None:
                _append(Path(path), graph, by_cell[cell])
        results.append(by_cell[cell])
        if progress is not None:
            progress(count, len(grid.cells))
    return tuple(results)


def _run_on_cluster(
    cluster: Cluster,
    graph: SocialGraph,
    grid: ParameterGrid,
    by_cell: dict[Measurement, Measured],
    path: str | Path | None,
    progress: Callable[[int, int], None] | None,
) -> tuple[Measured, ...]:
    """Measure the cells of a grid on a cluster."""
    parts: dict[tuple[object, ...], list[Measurement]] = {}
    for cell in grid.cells:
        if cell not in by_cell:
            # A release that hangs on what the adversary drew is a part by itself.
            unshared = cell if cell.technique == Technique.BE else None
            parts.setdefault((cell.technique, cell.k, unshared), []).append(cell)
    answers = cluster.answers(_measure_all, list(parts.values()), graph, doing="measuring FU")
    for _, measured in answers:
        for result in measured:
            by_cell[result.cell] = result
            if path is not None:
                _append(Path(path), graph, result)
            if progress is not None:
                # A file may have cells of other grids, which do not count here.
                progress(sum(cell in by_cell for cell in grid.cells), len(grid.cells))
    # In the order of the grid, whichever worker was first.
    return tuple(by_cell[cell] for cell in grid.cells)


def _measure_all(cells: Sequence[Measurement], graph: SocialGraph) -> list[Measured]:
    """Measure cells of one release."""
    first = cells[0]
    release = None if first.technique == Technique.BE else publish(graph, first)
    return [measure(graph, cell, release) for cell in cells]


def read(path: str | Path, graph: SocialGraph) -> dict[Measurement, Measured]:
    """Return what a file of measurements of a graph has, nothing if there is none."""
    try:
        text = Path(path).read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    # Without a line break at its end a line is half of one, of a run that was interrupted: it is
    # measured again.
    complete, _, _ = text.rpartition(b"\n")
    name = fingerprint(graph)
    by_cell = {}
    for number, line in enumerate(complete.split(b"\n") if complete else [], 1):
        if (parsed := _parse(line)) is None:
            raise DataError(f"{path}, line {number}: not a measurement of FU")
        graph_of, measured = parsed
        if graph_of != name:
            raise DataError(f"{path}, line {number}: of another graph; use another file")
        by_cell[measured.cell] = measured
    return by_cell


def fingerprint(graph: SocialGraph) -> str:
    """Return a short text that tells one graph from others by who is a friend of whom."""
    # The number of users as well: those without friends are in no edge. Bytes in one order, so that
    # a file can be taken to another machine.
    digest = hashlib.sha256(f"{graph.users} ".encode())
    digest.update(graph.friends.edges.astype("<i8").tobytes())
    return digest.hexdigest()[:16]


def means(
    measured: Iterable[Measured], *, level: float = 0.95
) -> dict[tuple[Measurement, str], Interval]:
    """Return the mean FU over seeds for each cell, with seed -1, and attack, at some confidence."""
    groups: dict[tuple[Measurement, str], list[Fraction]] = {}
    for measurement in measured:
        cell = replace(measurement.cell, seed=-1)
        for attack, value in measurement.fu.items():
            groups.setdefault((cell, attack), []).append(value)
    return {key: interval(values, level=level) for key, values in groups.items()}


def _append(path: Path, graph: SocialGraph, measured: Measured) -> None:
    """Add a whole line, in the place of one that was not finished."""
    document = {
        "graph": fingerprint(graph),
        **asdict(measured.cell),
        "fu": {attack: str(value) for attack, value in measured.fu.items()},
        "victims": measured.victims,
        "known": measured.known,
    }
    append_line(path, json.dumps(document).encode())


def _parse(line: bytes) -> tuple[str, Measured] | None:
    try:
        document: Any = json.loads(line)
        cell = Measurement(**{name: document[name] for name in Measurement.__dataclass_fields__})
        fu = {str(attack): Fraction(value) for attack, value in document["fu"].items()}
        typed = all(
            isinstance(getattr(cell, name), int if name in ("k", "seed") else str)
            for name in Measurement.__dataclass_fields__
        )
        if not typed or set(fu) != set(map(str, Scoring)):
            return None
        measured = Measured(cell, fu, int(document["victims"]), int(document["known"]))
        return str(document["graph"]), measured
    except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError, RecursionError):
        return None


def cells_of(
    averages: dict[tuple[Measurement, str], Interval], attack: str, **fields: object
) -> Iterator[tuple[Measurement, Interval]]:
    """Yield means of one attack whose cells have these fields, in order."""
    for name in fields:
        if name not in Measurement.__dataclass_fields__:
            raise InvalidArgument("fields", name, ", ".join(Measurement.__dataclass_fields__))
    for (cell, scoring), value in sorted(averages.items(), key=lambda pair: pair[0]):
        if scoring == attack and fields.items() <= asdict(cell).items():
            yield cell, value
