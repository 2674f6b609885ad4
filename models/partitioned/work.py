"""What processes of a cluster do: they sketch, deal out and anonymize, each a piece or a region.

Every task reads files and writes others, whole or not at all, and may be run twice: what counts is
the file that the answer names.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from kproof.errors import Infeasible
from kproof.models.api import run_method
from kproof.models.base.arrays import Codes
from kproof.models.base.classes import Classes
from kproof.models.methods import METHODS
from kproof.models.partitioned.pieces import Domain, Piece, Rows
from kproof.models.partitioned.regions import Regions, Sketch
from kproof.models.privacy.base import Model
from kproof.models.tables.coverage import coverage, penalties
from kproof.models.tables.frames import native
from kproof.models.tables.labels import require_short_labels
from kproof.models.tables.release import Release
from kproof.models.tables.suppression.promised import Promised, promises_of
from kproof.models.tables.utility import people_of
from kproof.outputs import rename_scratch, scratch


@dataclass(frozen=True)
class RegionRequest:
    """What every region is to become."""

    method: str
    parameters: Mapping[str, Any]
    """The method and its arguments."""
    budget: Fraction | None = None
    """Largest share of rows that may be left out; None if nobody said."""

    def promises(self, domain: Domain) -> Promised:
        """Return what is promised of every class."""
        return promises_of(METHODS[self.method], self.parameters, domain.template)


@dataclass(frozen=True, eq=False)
class Alike:
    """Classes of a region whose labels classes of other regions may have, too."""

    labels: tuple[tuple[str, ...], ...]
    """The label of each, one text for each quasi-identifier."""
    secrets: tuple[Codes, ...] = field(repr=False)
    """By sensitive column, rows of each class with each value: class, code, count, shape
    (entries, 3)."""
    sizes: Codes = field(repr=False)
    """Shape (classes,): published rows."""


@dataclass(frozen=True, eq=False)
class RegionDone:
    """A region that is anonymized."""

    file: str | None
    """Name of the file with its rows; None if all were left out."""
    rows: int
    published: int
    noise: int
    suppressed: int
    swaps: int
    """Original rows, published ones, and what it took."""
    classes: int
    smallest: int
    largest: int
    """How many classes there are, and people in the smallest and the largest one."""
    lost: tuple[float, ...]
    """By quasi-identifier what labels lose (NCP), summed over original rows."""
    alike: Alike = field(repr=False)
    """Classes that may look like classes of other regions."""


@dataclass(frozen=True)
class RegionShort:
    """A region that cannot have what is promised by itself, and why, in one line."""

    reason: str


def sketch_piece(place: tuple[int, Piece], domain: Domain, folder: str) -> Sketch:
    """Encode a piece, keep its codes in a file, and return its sketch."""
    number, piece = place
    codes = domain.encode(piece)
    _save(Path(folder, f"codes-{number}.npy"), codes)
    return Sketch.of(codes[:, : len(domain.template.quasi_identifiers)])


def deal_out(number: int, regions: Regions, folder: str) -> dict[int, int]:
    """Write the rows of a piece to a file for each region; return how many went to each."""
    codes = _load(Path(folder, f"codes-{number}.npy"))
    of_row = regions.of(codes)
    counts = {}
    for leaf, rows in zip(*np.unique(of_row, return_counts=True), strict=True):
        _save(Path(folder, f"region-{leaf}-{number}.npy"), codes[of_row == leaf])
        counts[int(leaf)] = int(rows)
    return counts


def count_sensitive(number: int, domain: Domain, folder: str) -> tuple[Codes, ...]:
    """Return how often each value of each sensitive column occurs in a piece."""
    codes = _load(Path(folder, f"codes-{number}.npy"))
    first = len(domain.template.quasi_identifiers)
    return tuple(
        np.bincount(codes[:, first + place], minlength=len(column.values)).astype(np.int64)
        for place, column in enumerate(domain.template.secrets)
    )


def anonymize_region(
    node: int,
    domain: Domain,
    regions: Regions,
    pieces: Mapping[int, tuple[int, ...]],
    totals: tuple[Codes, ...],
    request: RegionRequest,
    folder: str,
) -> RegionDone | RegionShort:
    """Anonymize what is below a node of the tree of regions and write it to a Parquet file.

    ``pieces`` are by region those that have rows of it; ``totals``, by sensitive column, how often
    each value occurs in the whole table. Regions are read from the folder, which the file goes to.
    """
    shards = [
        _load(Path(folder, f"region-{leaf}-{number}.npy"))
        for leaf in regions.below(node)
        for number in pieces.get(leaf, ())
    ]
    table = replace(domain.table(np.concatenate(shards)), totals=totals)
    models = request.promises(domain)
    # Asked first: a method refuses such a k as an argument, which would end the whole run.
    if table.rows < models.fewest_rows:
        return RegionShort(f"{table.rows} rows")
    try:
        release = run_method(
            METHODS[request.method], table, dict(request.parameters), request.budget, marked=False
        )
    except Infeasible as error:
        return RegionShort(str(error))
    require_short_labels(release.table, release.recoded)
    classes = release.classes()
    if lacks := find_lacking_model(models, classes, totals):
        return RegionShort(f"{lacks} does not hold")
    people = people_of(release)
    sizes = classes.real_sizes
    return RegionDone(
        file=_write(release, domain, Path(folder)) if release.rows else None,
        rows=table.rows,
        published=release.rows,
        noise=len(release.noise_group),
        suppressed=len(release.suppressed),
        swaps=len(release.swaps),
        classes=release.count,
        smallest=int(sizes.min(initial=table.rows)),
        largest=int(sizes.max(initial=0)),
        lost=tuple(
            float((penalties(column) * people).sum()) + len(release.suppressed)
            for column in release.recoded
        ),
        alike=_alike(release, classes, regions, node),
    )


def find_lacking_model(models: Promised, classes: Classes, totals: tuple[Codes, ...]) -> str:
    """Return the name of a model that a class of a region lacks; nothing if there is none.

    What compares a class with the table compares it with the whole one: the rest of the table is
    another class, which is not judged.
    """
    # Not strict: without sensitive columns there is a part, and no total.
    by_name = {part.name: (part, total) for part, total in zip(classes.each, totals, strict=False)}
    parts = list(by_name.values()) or [(classes, np.zeros(0, dtype=np.int64))]
    for model in models.every:
        for part, total in parts if model.needs_sensitive else parts[:1]:
            if _lacks(model, part, total):
                return model.name
    for name, several in models.of.items():
        for model in several:
            if _lacks(model, *by_name[name]):
                return model.name
    return ""


def _lacks(model: Model, classes: Classes, totals: Codes) -> bool:
    if classes.count == 0:
        return False
    if not model.against_table:
        return bool(model.failing(classes).any())
    remainder = totals - classes.histogram.totals
    values = np.flatnonzero(remainder)
    # The rest of the table is one more class, so that the model sees the whole distribution; what
    # it says of that class is nobody's release and is cut off again.
    extended = replace(
        classes,
        of_row=np.append(classes.of_row, np.full(len(values), classes.count)),
        count=classes.count + bool(len(values)),
        sensitive=np.append(classes.sensitive, values) if classes.sensitive is not None else None,
        weight=np.append(np.ones(len(classes.of_row), dtype=np.int64), remainder[values]),
        further=(),
    )
    return bool(model.failing(extended)[: classes.count].any())


def _alike(release: Release, classes: Classes, regions: Regions, node: int) -> Alike:
    """Return the classes whose labels may be found on both sides of a cut above."""
    shared = np.zeros(release.count, dtype=np.bool_)
    for cut in regions.above(node)[1:]:
        recoded = release.recoded[int(regions.column[cut])]
        if recoded.nodes is None:
            # Ranges and sets show values of their own side and no other.
            continue
        admitted = coverage(recoded)
        rank = int(regions.rank[cut])
        shared |= (admitted.first <= rank) & (rank < admitted.last)
    matches = np.flatnonzero(shared)
    place = np.full(release.count, -1, dtype=np.int64)
    place[matches] = np.arange(len(matches))
    labels = [column.labels for column in release.recoded]
    secrets = []
    for part in classes.each if release.table.sensitive is not None else ():
        histogram = part.histogram
        chosen = shared[histogram.classes]
        entries = (place[histogram.classes], histogram.values, histogram.counts)
        secrets.append(np.stack(entries, axis=1)[chosen])
    return Alike(
        labels=tuple(
            tuple(texts[of_class[index]] for of_class, texts in labels)
            for index in matches.tolist()
        ),
        secrets=tuple(secrets),
        sizes=classes.sizes[matches],
    )


def _write(release: Release, domain: Domain, folder: Path) -> str:
    """Write the published rows to a file of their own and return its name."""
    import pyarrow as pa
    from pyarrow import parquet

    by_name = {column.name: column for column in domain.columns}
    arrays = {}
    for place, column in enumerate(release.published()):
        # Every region's file has the same types, whatever values are in it.
        if place < len(release.recoded):
            texts = pa.array(native(column.values), pa.string())
        else:
            texts = pa.array(native(by_name[column.name].values))
        arrays[column.name] = texts.take(pa.array(column.codes))
    name = f"{uuid4().hex}.parquet"
    draft = folder / f"{name}.draft"
    rows = pa.table(arrays)
    with scratch(draft) as file:
        with parquet.ParquetWriter(file, rows.schema) as writer:
            writer.write(rows)
        file.flush()
        # On disk before it has its name, which the answer will say.
        os.fsync(file.fileno())
    rename_scratch(draft, name)
    return name


def _save(path: Path, codes: Rows) -> None:
    # Under a name of its own, then renamed: a task may be begun twice, and no half file is read.
    draft = path.with_name(f"{path.name}.{uuid4().hex}")
    with scratch(draft) as file:
        np.lib.format.write_array(file, codes, allow_pickle=False)
    rename_scratch(draft, path.name)


def _load(path: Path) -> Rows:
    # Without pickles, which would be run as they are read.
    rows: Rows = np.load(path, allow_pickle=False)
    return rows
