"""The register: releases that are out already, read from their files and receipts."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import repeat
from pathlib import Path

import numpy as np

from kproof.datasets import MISSING_CELLS
from kproof.errors import DataError, show
from kproof.models.base.arrays import Codes
from kproof.models.judgement.people import list_names
from kproof.models.judgement.publication import ColumnKnowledge, EarlierRelease, PublishedColumn
from kproof.models.judgement.releases.overlap import columns_meet
from kproof.models.judgement.releases.receipts import (
    COUNTED,
    COUNTS,
    SUFFIX,
    Label,
    Receipt,
    receipt_beside,
)
from kproof.models.tables.encoding import is_number
from kproof.models.tables.readers import AS_FOUND, Cells, FileLayout, names_of, read_cells
from kproof.outputs.printed import STREAM


@dataclass(frozen=True, eq=False)
class ReleasedFile:
    """A file that is out already, read once whoever asks; made by :func:`find_register`."""

    path: str
    """Where it is."""
    cells: Cells = field(repr=False)
    """What it holds."""
    receipt: Receipt | None = field(default=None, repr=False)
    """What was said of it when it was published."""


@dataclass(frozen=True)
class FolderRegister:
    """Releases with a receipt beside a table or its new release; see :func:`find_register`."""

    releases: tuple[ReleasedFile, ...] = ()
    """Those that may be of the same people."""
    doubts: tuple[str, ...] = ()
    """Of those whose receipt cannot be used, and that may be: what to do, a sentence each."""
    others: tuple[str, ...] = ()
    """Which are of other people and why, a sentence for each reason."""

    def beside(self, paths: Iterable[str]) -> tuple[str | ReleasedFile, ...]:
        """Return files that somebody named, then the releases that are none of them."""
        files: dict[str, str | ReleasedFile] = {path: path for path in paths}
        return (*(files | {release.path: release for release in self.releases}).values(),)


def find_register(
    data: str | Path,
    columns: Mapping[str, Collection[str]],
    *,
    output: str = "",
    people: Collection[str] = (),
    key: bytes | None = None,
) -> FolderRegister:
    """Return the releases with a receipt in the folder of a file, or in that of its output.

    A release is of other people if it shows no column of the table, or no shared column has a value
    that the table has, and no keyed digest of its receipt is of somebody in it. A receipt without
    its release is passed over: what is gone from the folder has to be named. ``columns`` has the
    texts of those that may be published; a file ``output`` is to be written or replaced, and is no
    other release; ``people`` is what the column of persons says.
    """
    releases, doubts = [], []
    unrelated: dict[str, list[str]] = defaultdict(list)
    folders = [Path(data).parent] if Path(data).is_file() else []
    # Receipts stand beside what was written, which is seldom where the data are.
    folders += [Path(output).parent] if output not in ("", STREAM) else []
    # Sorted: a folder lists its files in no order, and findings would differ by machine.
    beside = {path.resolve(): path for folder in folders for path in folder.glob(f"*{SUFFIX}")}
    for receipt_file in sorted(beside.values()):
        path = receipt_file.with_name(receipt_file.name.removesuffix(SUFFIX))
        if not path.is_file() or (output and path.resolve() == Path(output).resolve()):
            continue
        problem = receipt = release = None
        try:
            receipt = receipt_beside(path)
            release = ReleasedFile(str(path), read_cells(path), receipt)
        except DataError as error:
            problem = error
        names = _names_in(path) if receipt is None else (*receipt.columns,)
        # Fail closed: a file that cannot be read may have every column.
        shared = columns.keys() if names is None else [name for name in columns if name in names]
        if not shared:
            unrelated["with no column of this table"].append(str(path))
        elif release is None or receipt is None:
            doubts.append(
                f"{problem}; until then it is open what {show(path)} tells beside this release, "
                f"unless it is of other people: then move {show(receipt_file)} elsewhere"
            )
        elif _is_of_others(
            release.cells, receipt, {name: columns[name] for name in shared}, people, key
        ):
            unrelated[f"with no value of this table in {list_names(shared)}"].append(str(path))
        else:
            releases.append(release)
    others = (f"{list_names(files)}: about other people, {why}" for why, files in unrelated.items())
    return FolderRegister(tuple(releases), tuple(doubts), tuple(others))


def _names_in(path: Path) -> tuple[str, ...] | None:
    """Return the names of a file's columns; None if it cannot be read."""
    try:
        names = tuple(names_of(path))
        return expand_counts(read_cells(path), str(path)).names if names == COUNTED else names
    except DataError:
        return None


def _is_of_others(
    cells: Cells,
    receipt: Receipt,
    columns: Mapping[str, Collection[str]],
    people: Collection[str],
    key: bytes | None,
) -> bool:
    """Say whether a release shows nothing, and nobody, of a table."""
    if key is not None and any(receipt.class_of(name, key=key) for name in people):
        return False
    cells = expand_counts(cells, "") if is_counts(cells, receipt) else cells
    # Fail closed: a receipt that names columns its file lacks does not clear the file.
    if not {*columns} <= {*cells.names}:
        return False
    for name, texts in columns.items():
        # Words of secrets stand for themselves; those of known columns may be labels of others.
        generalized = receipt.columns[name] is not ColumnKnowledge.SECRET
        if columns_meet(cells.texts[cells.names.index(name)], texts, generalized=generalized):
            return False
    return True


def earlier_from(
    files: Iterable[str | Path | ReleasedFile],
    *,
    known: Collection[str] = (),
    secret: Collection[str] = (),
    person: str | None = None,
    people: Mapping[str, int] | None = None,
    key: bytes | None = None,
    layout: FileLayout = AS_FOUND,
    missing: Collection[str] = MISSING_CELLS,
) -> tuple[EarlierRelease, ...]:
    """Read releases that are out already.

    A column plays the part that the receipt beside the file says, otherwise that of the release
    that is judged; one that neither names is known. Counts have such columns, too. People are
    followed by a column of the file, or by the digests of the receipt: that says in which class
    somebody is, and any of its rows stands for hers. ``people`` numbers them in the release that is
    judged, by what that column says. ``layout`` and ``missing`` say how files that nobody read are
    to be read.
    """
    releases = []
    for file in files:
        if not isinstance(file, ReleasedFile):
            receipt = receipt_beside(file)
            file = ReleasedFile(str(file), read_release(str(file), layout, missing), receipt)
        path, cells, receipt = file.path, file.cells, file.receipt
        counts = is_counts(cells, receipt)
        cells = expand_counts(cells, path) if counts else cells
        columns = columns_of(cells, known, secret, person=person, receipt=receipt)
        if not {column.name for column in columns} & {*known, *secret}:
            raise DataError(
                f"{path}: has none of the columns {list_names([*known, *secret])}; need a release "
                "of the same people"
            )
        whom = None
        if counts:
            pass
        elif people is not None and person in cells.names:
            whom = persons_of(cells, person, people)
        elif people is not None and key is not None and receipt is not None and receipt.people:
            whom = _place(columns, receipt, people, key, path)
        digest = "" if receipt is None else receipt.sha256
        releases.append(EarlierRelease(path, columns, whom, digest, counts))
    return tuple(releases)


def read_release(path: str, layout: FileLayout, missing: Collection[str]) -> Cells:
    """Read one of several files of which one encoding is named: of those that are not UTF-8."""
    # Text of another encoding is hardly ever UTF-8 as well, while UTF-8 can be read as Latin-1
    # without a word, and then no label of it equals that of another file.
    try:
        return read_cells(path, replace(layout, encoding=None), missing)
    except DataError:
        return read_cells(path, layout, missing)


def is_counts(cells: Cells, receipt: Receipt | None) -> bool:
    """Say whether a file holds counts of people by label in place of rows."""
    return cells.names == COUNTED and (receipt is None or receipt.method == COUNTS)


def expand_counts(cells: Cells, path: str) -> Cells:
    """Return the columns that counts are of, with a cell for each of the people of a label."""
    by_name: dict[str, dict[str, int]] = defaultdict(dict)
    tables = (
        np.array([*t, ""], dtype=object)[c] for t, c in zip(cells.texts, cells.codes, strict=True)
    )
    for name, label, people in zip(*tables, strict=True):
        # A count becomes as many cells: more digits than this would fill any memory.
        if re.fullmatch("[0-9]{1,8}", people) is None:
            raise DataError(f"{path}: counts {show(people)} people; need a whole number")
        by_name[name][label] = int(people)
    codes, texts = [], []
    for people_of in by_name.values():
        # An empty label counts people without a value: it becomes -1 and is no text.
        texts.append(tuple(label for label in people_of if label))
        places = [*range(len(texts[-1])), *([-1] if "" in people_of else [])]
        people = [people_of[label] for label in (*texts[-1], "") if label in people_of]
        codes.append(np.repeat(np.array(places, dtype=np.int64), people))
    return replace(cells, names=tuple(by_name), codes=tuple(codes), texts=tuple(texts))


def columns_of(
    cells: Cells,
    known: Collection[str],
    secret: Collection[str],
    *,
    person: str | None = None,
    receipt: Receipt | None = None,
) -> tuple[PublishedColumn, ...]:
    """Return the columns of a file as a judgement reads them, but for that of persons.

    What a receipt says of a column goes before its name among ``known`` and ``secret``; one that is
    neither is known.
    """
    columns = []
    for name, codes, texts in zip(cells.names, cells.codes, cells.texts, strict=True):
        if name == person:
            continue
        knowledge = ColumnKnowledge.KNOWN
        if name in secret:
            knowledge = ColumnKnowledge.BOTH if name in known else ColumnKnowledge.SECRET
        if receipt is not None:
            # Last: of a file that is out, what was said when it left outweighs the roles of today.
            knowledge = receipt.columns.get(name, knowledge)
        numbers = None
        if knowledge is not ColumnKnowledge.KNOWN and texts and all(map(is_number, texts)):
            numbers = tuple(map(Fraction, texts))
        columns.append(PublishedColumn(name, knowledge, codes, texts, numbers))
    return tuple(columns)


def persons_of(cells: Cells, person: str, people: Mapping[str, int]) -> Codes:
    """Return whom each row of a file is about, -1 for somebody who has no number."""
    place = cells.names.index(person)
    numbers = [people.get(text, -1) for text in cells.texts[place]]
    codes: Codes = cells.codes[place]
    # One entry more, which the code -1 of an empty cell picks as the last.
    return np.array([*numbers, -1], dtype=np.int64)[codes]


def _place(
    columns: Sequence[PublishedColumn],
    receipt: Receipt,
    people: Mapping[str, int],
    key: bytes,
    path: str,
) -> Codes:
    """Give each person as many rows of her class as a receipt says, whichever these are."""
    by_name = {column.name: column for column in columns}
    if absent := [name for name in receipt.known if name not in by_name]:
        raise DataError(f"{path}: lacks the columns {list_names(absent)} that its receipt names")
    cells = [by_name[name].cells for name in receipt.known]
    free: dict[Label, list[int]] = defaultdict(list)
    # A release that shows no known column is one class without a label.
    labels = zip(*cells, strict=True) if cells else repeat((), columns[0].rows)
    for row, label in enumerate(labels):
        free[label].append(row)
    persons = np.full(columns[0].rows, -1, dtype=np.int64)
    for name, number in people.items():
        for index in receipt.class_of(name, key=key):
            if not (rows := free[receipt.classes[index]]):
                raise DataError(f"{path}: its receipt has more rows in a class than the file")
            persons[rows.pop()] = number
    return persons
