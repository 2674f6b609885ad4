"""The judge itself: a million rows of twelve columns, of as many people and of five rows a person.

Run ``python benchmarks/judgement.py``. In the second table one known column, the month, differs
between a person's rows. No peer judges what all rows of a person tell. What a study would count
by hand is timed instead: the sizes of classes, and the values of each secret by class, with
``groupby`` of pandas. Figures are processor time; each job says the most memory held so far.
"""

import argparse
import time
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pandas as pd
from common import Row, machine, peak_memory, told, with_json

from kproof.models.judgement.judge import judge
from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn, PublishedFile


def published(rows: int, each: int) -> PublishedFile:
    """Return a file of people with so many rows each, in random order."""
    rng = np.random.default_rng(0)
    people = rows // each
    person = rng.permutation(np.repeat(np.arange(people), each))
    known = {"age": (10, people), "zip": (5, people), "sex": (2, people), "month": (12, rows)}
    columns = []
    for name, (count, drawn) in known.items():
        codes = rng.integers(0, count, drawn)
        own = codes if drawn == rows else codes[person]
        columns.append((name, ColumnKnowledge.KNOWN, own, False))
    ill = rng.zipf(1.8, people).clip(max=60)[person]
    columns.append(("ill", ColumnKnowledge.SECRET, ill, False))
    for place in range(4):
        values = rng.zipf(1.7, rows).clip(max=40)
        columns.append((f"category {place}", ColumnKnowledge.SECRET, values, False))
    numbers = {"pay": rng.integers(100, 500, rows) * 10, "days": rng.poisson(6, rows)}
    numbers["dose"] = rng.integers(1, 60, rows) * 5
    columns += [(name, ColumnKnowledge.SECRET, own, True) for name, own in numbers.items()]
    cells = []
    for name, knowledge, values, numeric in columns:
        distinct, codes = np.unique(values, return_inverse=True)
        exact = tuple(map(Fraction, distinct.tolist())) if numeric else None
        texts = tuple(map(str, distinct.tolist()))
        cells.append(PublishedColumn(name, knowledge, codes.astype(np.int64), texts, exact))
    return PublishedFile(
        tuple(cells), person=person if each > 1 else None, rows_are_people=each == 1
    )


def pandas_seconds(publication: PublishedFile) -> float:
    """Return what pandas takes to count classes, and the values of each secret by class."""
    frame = pd.DataFrame({column.name: column.codes for column in publication.columns})
    known = [column.name for column in publication.known]
    start = time.process_time()
    frame.groupby(known).size()
    for column in publication.secrets:
        frame.groupby([*known, column.name]).size()
    return time.process_time() - start


def jobs(options: argparse.Namespace) -> Iterator[Row]:
    """Time the judge and pandas on both tables."""
    for each, name in ((1, "rows are people"), (5, "five rows a person")):
        publication = published(options.rows, each)
        theirs = pandas_seconds(publication)
        start = time.process_time()
        judge(publication)
        spent = time.process_time() - start
        note = f"{options.rows:,} rows x 12 columns; {peak_memory() / 2**20:.0f} MB at most"
        yield Row(name, spent, 10, theirs / spent, note, f"pandas {pd.__version__}, counts alone")


def main() -> None:
    """Read the options, run the jobs, print what they found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = with_json(parser).parse_args()
    told(options, list(jobs(options)), machine(["numpy", "pandas"]))


if __name__ == "__main__":
    main()
