"""Which rows columns single out together, wide label columns, and cells that identify, at scale.

Run ``python benchmarks/uniqueness.py``. Tables are drawn with a seed: columns of skewed values, as
those of real tables are. The peer is pandas, which counts by ``duplicated`` the rows that sets of
columns single out: all sets of twelve columns, and of a thousand a sample of triples, whose time
is taken for as many sets as kproof counts. Cells are looked through by the same expressions,
with ``Series.map`` of pandas, one after the other. Each job says the most memory that the
process has held so far, tables included.
"""

import argparse
import random
import time
from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
from common import Row, machine, median, peak_memory, told, with_json

from kproof.models.attacks.covering import blocks, encode_labels, profiles
from kproof.models.base.columns import Column
from kproof.models.base.uniqueness import STRONGEST, best_sets, uniqueness
from kproof.models.judgement.cells import contacts
from kproof.models.tables.coverage import coverage
from kproof.models.tables.recoding import recode

SEED = 1
PANDAS = f"pandas {pd.__version__}"
WORDS = "patient seen again after surgery without any pain today and will come back in march"


def memory() -> str:
    """Return the most memory held so far."""
    return f"{peak_memory() / 2**20:.0f} MB at most"


def table(rows: int, columns: int) -> list[np.ndarray]:
    """Return codes of columns with a few frequent values and many rare ones."""
    rng = np.random.default_rng(SEED)
    exponents = 1.6 + rng.random(columns)
    return [np.minimum(rng.zipf(one, rows), 2000).astype(np.int32) for one in exponents]


def pandas_seconds(columns: list[np.ndarray], sets: list[tuple[int, ...]]) -> float:
    """Return what pandas takes to count the rows that some sets single out."""
    names = sorted({place for places in sets for place in places})
    frame = pd.DataFrame({place: columns[place] for place in names})
    start = time.perf_counter()
    for places in sets:
        int((~frame.duplicated(list(places), keep=False)).sum())
    return time.perf_counter() - start


def jobs(options: argparse.Namespace) -> Iterator[Row]:
    """Time what is counted, and the peers."""
    rows = options.rows
    few = table(rows, 12)
    spent, _ = median(partial(uniqueness, few), options.repetitions)
    sets = [places for size in (2, 3) for places in combinations(range(12), size)]
    theirs = pandas_seconds(few, sets)
    note = f"{rows:,} rows x 12 columns, every set; {memory()}"
    yield Row("12 columns", spent, 5, theirs / spent, note, f"{PANDAS}, all sets")
    many = table(rows, options.columns)
    spent, singled = median(partial(uniqueness, many), 1)
    draw = random.Random(SEED)
    sample = [tuple(sorted(draw.sample(range(len(many)), 3))) for _ in range(40)]
    counted = len(many) * (2 * STRONGEST - 2)
    theirs = pandas_seconds(many, sample) / len(sample) * counted
    best = max((one.with_two for one in singled if one.with_two), key=lambda one: one.rows)
    note = (
        f"{rows:,} rows x {len(many)} columns, some {counted:,} sets; best three {best.rows:,} "
        f"rows, others at most {best.at_most:,}; {memory()}"
    )
    who = f"{PANDAS}, as many sets, from {len(sample)}"
    yield Row(f"{len(many)} columns", spent, 60, theirs / spent, note, who)
    spent, _ = median(partial(best_sets, many), 1)
    yield Row(f"  {len(many)} columns: best sets", spent, 10, None, memory())
    yield labels(options.labels)
    yield cells(options.texts)


def labels(count: int) -> Row:
    """Time what sets of a column of many labels cover, each person beside each class."""
    codes = np.random.default_rng(SEED).permutation(np.arange(2 * count) % count).astype(np.int32)
    class_of = np.argsort(np.argsort(codes, kind="stable")) // 5
    classes = int(class_of.max()) + 1
    column = Column("town", codes, tuple(map(str, range(count))), numeric=False)

    def job() -> None:
        published = recode(column, class_of, classes)
        coverage(published).spread(np.bincount(class_of))
        alike = profiles([encode_labels(published)], np.arange(2 * count))
        for _ in blocks(alike, classes):
            pass

    spent, _ = median(job, 1)
    note = f"{2 * count:,} rows in {classes:,} classes; {memory()}"
    return Row(f"{count:,} labels", spent, 10, None, note)


def cells(count: int) -> Row:
    """Time the search for contact data in distinct texts of 30 signs."""
    draw = random.Random(SEED)
    texts = [f"{' '.join(draw.choices(WORDS.split(), k=4))} {at}"[-30:] for at in range(count)]
    spent, _ = median(lambda: contacts.contacts_of(texts), 1)
    sample = pd.Series(texts[: count // 20], dtype=object)
    searches = [shape.pattern.search for shapes in contacts.SHAPES.values() for shape in shapes]
    theirs, _ = median(lambda: [sample.map(search).notna().sum() for search in searches], 1)
    note = f"{count:,} distinct texts; {memory()}"
    who = f"{PANDAS}, map of each expression, from a twentieth"
    return Row("contact data in cells", spent, 10, 20 * theirs / spent, note, who)


def main() -> None:
    """Read the options, run the jobs, print what they found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=1000)
    parser.add_argument("--labels", type=int, default=100_000)
    parser.add_argument("--texts", type=int, default=1_000_000)
    parser.add_argument("--repetitions", type=int, default=3)
    options = with_json(parser).parse_args()
    told(options, list(jobs(options)), machine(["numpy", "pandas"]))


if __name__ == "__main__":
    main()
