"""A folder of Parquet files is anonymized region by region.

Each region is a table of its own to the method. *Why what is promised of classes holds for all of
them together.* Classes that no reader can tell from those of another region are the classes of one
region, and the method keeps its promise there. Two classes of different regions have equal labels
only if the cut between their regions was made along a column with a hierarchy, and the node that
both show has values on both sides of it: ranges and sets show the least and greatest or all values
of a class, and those of the two sides differ. Classes with equal labels are one class. Size, the
number of different values and the number of different categories never fall when classes are
joined. The distance from the table's values is convex, so that of a union is at most the largest
of its parts (each region is held against the values of the whole table). What a union may lack
though its parts have it, θ, is judged again of such classes; where one falls short, the cuts
between its regions are taken back, and what was cut is anonymized as one. That ends, at the latest
with the whole table as one region.

Cuts decide what is lost, never what is promised: a region that cannot have it by itself is joined
with its neighbour in the same way.

Classes of several regions that a reader cannot tell apart, and what they lack together.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kproof.arguments import CLUSTER, FUNCTION, PATH, ROLES, TEXT, check_arguments
from kproof.cluster import Cluster, connect, processors
from kproof.errors import DataError, Infeasible, InvalidArgument, show
from kproof.models.base.classes import Classes
from kproof.models.base.missing import MissingAs
from kproof.models.base.parameters import COLUMN_WEIGHT, SUPPRESS, Value
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.methods import METHODS
from kproof.models.partitioned.account import FolderRelease
from kproof.models.partitioned.pieces import Domain, Piece, distinct, domain_of, files_of, pieces_of
from kproof.models.partitioned.regions import Regions, Sketch, regions
from kproof.models.partitioned.work import (
    Alike,
    RegionDone,
    RegionRequest,
    anonymize_region,
    count_sensitive,
    deal_out,
    sketch_piece,
)
from kproof.models.privacy.base import Joined
from kproof.models.registry import Kind
from kproof.models.tables.cutting.least_loss import weights_of
from kproof.models.tables.levels.base import Ladder
from kproof.models.tables.roles import Roles, roles_among
from kproof.models.tables.suppression.promised import Promised
from kproof.outputs import publish_folder, remove_scratch, scratch_folder
from kproof.stages import stage
from kproof.theory.exact.typed import Number, integer
from kproof.waiting import show_stages

REGION_ROWS = 500_000
"""Rows of a region, about, unless somebody says how many regions there are to be."""

Told = Callable[[str], None]
"""``told(stage)`` is called when a stage of the work begins."""


@show_stages
@check_arguments(
    **ROLES, cluster=CLUSTER, data=PATH, output=PATH, scheduler=TEXT, memory=TEXT, told=FUNCTION
)
def anonymize_folder(
    method: str,
    data: str | Path,
    output: str | Path,
    *,
    quasi_identifiers: Iterable[str],
    sensitive: str | Sequence[str] | None = None,
    identifiers: Iterable[str] = (),
    drop: Iterable[str] = (),
    categories: Mapping[object, object] | None = None,
    taxonomies: Mapping[str, Taxonomy] | None = None,
    ladders: Mapping[str, str | Ladder] | None = None,
    least_levels: Mapping[str, Number] | None = None,
    most_levels: Mapping[str, Number] | None = None,
    numeric: Mapping[str, bool] | None = None,
    missing: Collection[str] | None = None,
    missing_in: Mapping[str, Collection[str]] | None = None,
    missing_as: MissingAs | str | None = None,
    most_members: Number | None = None,
    suppress: Number | str | None = None,
    regions: Number | None = None,
    scheduler: str | None = None,
    jobs: Number | None = None,
    memory: str | None = None,
    cluster: Cluster | None = None,
    told: Told | None = None,
    **parameters: Any,
) -> FolderRelease:
    """Anonymize a folder of Parquet files that need not fit into memory, on a Dask cluster.

    The table is cut into regions along its quasi-identifiers; each is anonymized by the method, and
    what is promised of classes holds for all of them together (see
    :mod:`kproof.models.partitioned.folder`). The release is a folder of Parquet files with the
    same columns, which is there whole or not at all.

    Args:
        method: Name of a method for tables that may take a table by regions: not ``"full-domain"``,
            which has one level for all rows.
        data: A Parquet file, or a folder of Parquet files with the same columns and types.
        output: The folder of the release; it must not be there, or be empty.
        quasi_identifiers, sensitive, identifiers, drop, categories, taxonomies, ladders, \
least_levels, most_levels, numeric, missing, missing_in, missing_as, most_members: As for
            :meth:`kproof.models.tables.table.Table.from_frame`; every column must have a role.
        suppress: Largest share of rows that each region may leave out, as for
            :func:`kproof.anonymize`.
        regions: How many to cut, from 1; by default one for each process and 500,000 rows.
        scheduler: Address of a Dask scheduler, whose processes see the same files by the same
            names; None for processes of this machine. A script that starts those has to do its work
            under ``if __name__ == "__main__":``.
        jobs: Processes of this machine; by default as many as processors.
        memory: Of these processes together, such as ``"8GB"``.
        cluster: One that is connected already, in place of scheduler, jobs and memory.
        told: Called with the name of each stage of the work.
        **parameters: Those of the method.

    Returns:
        The account of it.

    Raises:
        DataError, Infeasible: If the data cannot be used, the output is there, no release can meet
            what is asked, or the cluster fails; nothing is published then.
    """
    request = _request(method, parameters, suppress)
    count = None if regions is None else integer("regions", regions, least=1)
    processes = processors() if jobs is None else integer("jobs", jobs, least=1)
    roles = Roles.of(quasi_identifiers=quasi_identifiers, **roles_among(locals()))
    home = _free(Path(output), data)
    with stage("looking at files") as progress:

        def tell(doing: str) -> None:
            progress.advance(0, doing)
            if told is not None:
                told(doing)

        tell("looking at files")
        pieces = pieces_of(data, roles)
        scratch = scratch_folder(home)
        try:
            with ExitStack() as opened:
                if cluster is None:
                    tell("starting processes" if scheduler is None else "connecting")
                    cluster = opened.enter_context(
                        connect(scheduler, workers=processes, memory=memory, spill=scratch)
                    )
                run = _Run(cluster, scratch, roles, pieces, request, tell)
                return run.release(count, home, str(data))
        finally:
            remove_scratch(scratch)


@dataclass(frozen=True)
class _Run:
    """One run: who works, where, on what, and what is asked for."""

    cluster: Cluster
    folder: str
    roles: Roles
    pieces: tuple[Piece, ...]
    request: RegionRequest
    tell: Told

    def release(self, count: int | None, home: Path, source: str) -> FolderRelease:
        """Write the files of all regions, put them in their place, and tell what was done."""
        domain, tree, rows, dealt = self._deal_out(count)
        totals = self._totals(domain)
        models = self.request.promises(domain)
        active = _with_enough(tree, rows, models.fewest_rows)
        finished: dict[int, RegionDone] = {}
        again = 0
        while True:
            # The largest first: begun last, one of them would be waited for alone.
            waiting = sorted(
                active - finished.keys(), key=lambda node: -_rows_below(tree, rows, node)
            )
            self.tell(f"anonymizing {len(waiting)} regions")
            short = self._anonymize(waiting, finished, (domain, tree, dealt, totals))
            if not short:
                # Each region was judged by itself; to a reader, equal labels of two are one class.
                parts = {node: region.alike for node, region in finished.items()}
                joined = look_alikes(parts, models, domain)
                short = {tree.meet(tuple(nodes)): "" for nodes in joined.failing}
                if not short:
                    break
            for node in short:
                active = _take_back(tree, active, node)
            again += len(short)
            # Regions taken back are made anew with their neighbours: their rows must not be
            # published twice.
            finished = {node: region for node, region in finished.items() if node in active}
        self.tell("publishing")
        # In the order of the tree a file's number would say where its region lies; its rows do.
        files = [region.file for _, region in sorted(finished.items()) if region.file]
        if not files:
            raise Infeasible("every row was left out, so that there is nothing to publish")
        moves = {f"part-{i:05d}.parquet": Path(self.folder, name) for i, name in enumerate(files)}
        places = {"source": source, "output": str(home), "files": tuple(moves)}
        cuts = {"cut": len(tree.leaves), "again": again, "judged": models.names}
        account = self._account(tuple(finished.values()), joined, domain, **places, **cuts)
        publish_folder(moves, home)
        return account

    def _account(
        self, finished: tuple[RegionDone, ...], joined: LookAlikes, domain: Domain, **facts: Any
    ) -> FolderRelease:
        rows = sum(region.rows for region in finished)
        return FolderRelease(
            method=self.request.method,
            parameters=dict(self.request.parameters),
            rows=rows,
            published=sum(region.published for region in finished),
            noise=sum(region.noise for region in finished),
            suppressed=sum(region.suppressed for region in finished),
            swaps=sum(region.swaps for region in finished),
            classes=sum(region.classes for region in finished) - joined.fewer,
            # A region of which every row was left out has no class.
            smallest=min(region.smallest for region in finished if region.classes),
            largest=max(joined.largest, *(region.largest for region in finished)),
            penalties={
                column.name: sum(region.lost[place] for region in finished) / rows
                for place, column in enumerate(domain.template.quasi_identifiers)
            },
            regions=len(finished),
            where=self.cluster.where,
            processes=self.cluster.processes,
            retried=self.cluster.retried,
            **facts,
        )

    def _anonymize(
        self, nodes: Sequence[int], finished: dict[int, RegionDone], context: tuple[object, ...]
    ) -> dict[int, str]:
        """Anonymize nodes; return those that have to be one with their neighbours, and why."""
        short = {}
        tree = context[1]
        assert isinstance(tree, Regions)
        answers = self.cluster.answers(
            anonymize_region,
            nodes,
            *context,
            self.request,
            self.folder,
            doing="anonymizing a region",
        )
        with closing(answers):
            for place, answer in answers:
                node = nodes[place]
                if isinstance(answer, RegionDone):
                    finished[node] = answer
                # No neighbour is left to join it with.
                elif tree.parent[node] < 0:
                    raise Infeasible(f"the whole table: {answer.reason}")
                else:
                    short[int(tree.parent[node])] = answer.reason
        return short

    def _deal_out(
        self, count: int | None
    ) -> tuple[Domain, Regions, dict[int, int], dict[int, tuple[int, ...]]]:
        """Cut the table; return its columns, the cuts, and by region its rows and pieces."""
        self.tell(f"reading {len(self.pieces)} pieces")
        values = self._every(distinct, self.pieces, self.roles, doing="reading a piece")
        domain = domain_of(values, self.roles)
        numbered = list(enumerate(self.pieces))
        self.tell("looking for cuts")
        sketch = Sketch.together(
            self._every(sketch_piece, numbered, domain, self.folder, doing="encoding a piece")
        )
        rows = sum(piece.rows for piece in self.pieces)
        if count is None:
            count = max(self.cluster.processes, -(-rows // REGION_ROWS))
        weight = self.request.parameters.get("weight")
        read_weight = None if weight is None else COLUMN_WEIGHT.read(weight)
        tree = regions(domain.template, sketch, count, weights_of(domain.template, read_weight))
        self.tell(f"dealing out {rows:,} rows to {len(tree.leaves)} regions")
        counts = self._every(
            deal_out, range(len(self.pieces)), tree, self.folder, doing="dealing out a piece"
        )
        rows_in: dict[int, int] = {}
        pieces_in: dict[int, tuple[int, ...]] = {}
        for number, by_leaf in enumerate(counts):
            for leaf, added in by_leaf.items():
                rows_in[leaf] = rows_in.get(leaf, 0) + added
                pieces_in[leaf] = (*pieces_in.get(leaf, ()), number)
        return domain, tree, rows_in, pieces_in

    def _totals(self, domain: Domain) -> tuple[Any, ...]:
        """Return how often each sensitive value occurs, by column."""
        if not domain.template.secrets:
            return ()
        places = range(len(self.pieces))
        every = self._every(count_sensitive, places, domain, self.folder, doing="counting values")
        return tuple(np.sum(column, axis=0) for column in zip(*every, strict=True))

    def _every(self, task: Any, items: Any, *context: object, doing: str) -> list[Any]:
        answers = dict(self.cluster.answers(task, list(items), *context, doing=doing))
        # In the order of items: which was done first must not show in a release.
        return [answers[place] for place in range(len(answers))]


def _request(
    method: str, parameters: Mapping[str, Any], suppress: Number | str | None
) -> RegionRequest:
    entry = METHODS.entry(method)
    if entry.kind is not Kind.TABLE:
        raise InvalidArgument("method", method, "a method for tables")
    if entry.whole:
        raise InvalidArgument("method", method, f"another one for a folder: {entry.whole}")
    request = entry.complete_arguments(parameters)
    for name, parameter in entry.parameters.items():
        if isinstance(parameter, Value) and request.get(name) is not None:
            admissible = "nothing for a folder, whose rows are dealt out"
            raise InvalidArgument(name, request[name], admissible)
    budget = None if suppress is None else SUPPRESS.read(suppress)
    if budget is not None and request.get("t") is not None:
        admissible = "none beside t for a folder: rows left out change the table"
        raise InvalidArgument("suppress", suppress, admissible)
    return RegionRequest(method, request, budget)


def _free(output: Path, data: str | Path) -> Path:
    """Return the folder of the release, which is not there yet or empty."""
    home = Path(os.path.realpath(output))
    problems = {
        "the folder is not empty; name a new one": home.is_dir() and any(home.iterdir()),
        "is there already and no folder; name a new one": home.exists() and not home.is_dir(),
        f"cannot be written: there is no folder {home.parent}": not home.parent.is_dir(),
        "cannot be written: Permission denied": not os.access(home.parent, os.W_OK),
    }
    for problem, present in problems.items():
        if present:
            raise DataError(f"{show(str(output))}: {problem}")
    # Links resolved: through one, the release would land inside of the data.
    source = Path(os.path.realpath(data))
    if home == source or source in home.parents:
        raise InvalidArgument("output", str(output), "a folder outside of the data")
    # Whether there are data at all, before any process is started for them.
    files_of(data)
    return home


def _with_enough(tree: Regions, rows: Mapping[int, int], fewest: int) -> frozenset[int]:
    """Return nodes that cover all rows and have as many as a class needs, or are the whole."""
    active = frozenset(tree.leaves)
    for node in tree.leaves:
        # As far as the whole table, node 0: it has no parent, whatever it lacks.
        while node in active and node and _rows_below(tree, rows, node) < fewest:
            node = int(tree.parent[node])
            active = _take_back(tree, active, node)
    return active


def _take_back(tree: Regions, active: frozenset[int], node: int) -> frozenset[int]:
    """Return the regions with all below a node as one, unless they are already part of another."""
    if any(ancestor in active for ancestor in tree.above(node)):
        return active
    return frozenset(region for region in active if node not in tree.above(region)) | {node}


def _rows_below(tree: Regions, rows: Mapping[int, int], node: int) -> int:
    return sum(rows.get(leaf, 0) for leaf in tree.below(node))


@dataclass(frozen=True)
class LookAlikes:
    """Classes of several regions with equal labels."""

    fewer: int
    """By how much classes are fewer for it than those of all regions counted one by one."""
    largest: int
    """Rows of the largest of them; 0 if there are none."""
    failing: tuple[frozenset[int], ...]
    """The nodes of each that lacks together what each has alone."""


def look_alikes(parts: Mapping[int, Alike], models: Promised, domain: Domain) -> LookAlikes:
    """Find classes of several regions with equal labels, and judge them as one.

    ``parts`` are, by node, the classes that may look like those of others. Of what is promised only
    models are judged that classes may lack together though each has them
    (:class:`~kproof.models.privacy.base.Joined`).
    """
    by_label: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for node, alike in parts.items():
        for index, label in enumerate(alike.labels):
            by_label.setdefault(label, []).append((node, index))
    if not (several := [places for places in by_label.values() if len(places) > 1]):
        return LookAlikes(0, 0, ())
    sizes = [sum(int(parts[node].sizes[index]) for node, index in places) for places in several]
    lacks = np.zeros(len(several), dtype=np.bool_)
    for secret, column in enumerate(domain.template.secrets):
        for model in models.of.get(column.name, ()):
            # The others outlast joining: judged again, a million classes would say the same.
            if model.joined is Joined.NOTHING:
                lacks |= model.failing(_classes(parts, several, domain, secret))
    failing = [
        frozenset(node for node, _ in places)
        for places, lacking in zip(several, lacks.tolist(), strict=True)
        if lacking
    ]
    return LookAlikes(
        sum(len(places) - 1 for places in several), max(sizes), tuple(dict.fromkeys(failing))
    )


def _classes(
    parts: Mapping[int, Alike], several: list[list[tuple[int, int]]], domain: Domain, secret: int
) -> Classes:
    """Return classes with equal labels as one each, with the values of one sensitive column."""
    into = {place: number for number, places in enumerate(several) for place in places}
    entries = [
        (into[node, index], code, rows)
        for node, alike in parts.items()
        for index, code, rows in alike.secrets[secret].tolist()
        if (node, index) in into
    ]
    of_row, codes, weight = np.array(entries, dtype=np.int64).T
    column = domain.template.secrets[secret]
    return Classes(
        of_row=of_row,
        count=len(several),
        sensitive=codes,
        values=column.values,
        ordered=column.numeric,
        name=column.name,
        missing_as=domain.template.missing_as,
        weight=weight,
    )
