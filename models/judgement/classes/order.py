"""Order: whether the place of a row tells which row of the source it was."""

from collections.abc import Iterator, Sequence

import numpy as np

from kproof.models.base.arrays import Codes
from kproof.models.judgement.findings import FindingStanding, JudgedCriterion, JudgedFinding, Remedy
from kproof.models.judgement.people import list_names
from kproof.models.judgement.publication import PublishedColumn, PublishedFile
from kproof.models.judgement.thresholds import Thresholds


def order(publication: PublishedFile, _: Thresholds) -> Iterator[JudgedFinding]:
    """Find whether rows stand in an order that says nothing but what they show.

    That is a random one, or one sorted by published cells alone. An adversary who knows the order
    of the source reads everything else as its rank.

    >>> from kproof.models.judgement.publication import ColumnKnowledge
    >>> from kproof.models.judgement.thresholds import THRESHOLDS
    >>> ill = PublishedColumn("ill", ColumnKnowledge.SECRET, np.array([1, 0, 1]), ("cold", "flu"))
    >>> shown = PublishedFile((ill,), source_row=np.array([0, 1, 2]))
    >>> print(next(order(shown, THRESHOLDS["public"])).sentence)
    rows are in the order of the source: the place of a row says whose it is
    """
    making, people = publication.making, publication.people
    if making is not None and making.permuted:
        standing, sentence = FindingStanding.MET, "rows are in an order drawn at random"
    elif key := _sort_columns(publication):
        standing = FindingStanding.MET
        sentence = f"rows are sorted by what they show: {key}"
    elif publication.source_row is not None and _as_in_source(publication):
        standing = FindingStanding.BROKEN
        sentence = "rows are in the order of the source: the place of a row says whose it is"
    elif _by_person(publication):
        standing = FindingStanding.BROKEN
        sentence = "the rows of each person stand together: the order shows who has which rows"
    else:
        standing = FindingStanding.OPEN
        sentence = (
            "the order of rows may tell something: it was not drawn from the system's randomness, "
            "and rows are not sorted by what they show"
        )
    met, broken = standing is FindingStanding.MET, standing is FindingStanding.BROKEN
    yield JudgedFinding(
        JudgedCriterion.ORDER,
        standing,
        sentence,
        hit=people if broken else 0,
        people=people,
        remedy=None if met else Remedy.PERMUTE,
        victims=np.flatnonzero(publication.persons >= 0) if broken else np.zeros(0, np.int64),
    )


def _sort_columns(publication: PublishedFile) -> str:
    """Return the columns that rows are sorted by, all of them; nothing if they are not."""
    columns = publication.columns
    first = [*publication.known, *(column for column in columns if not column.known)]
    # A reader sorts by the columns as they stand, or by what she knows; any order of all columns
    # that ascends would do, but there are too many to try.
    for order_of_columns in (columns, first):
        # As texts, 10 stands before 9.
        for as_numbers in (True, False):
            if _ascends([_places(column, as_numbers) for column in order_of_columns]):
                return list_names(column.name for column in order_of_columns)
    return ""


def _places(column: PublishedColumn, as_numbers: bool) -> Codes:
    """Return, shape (rows,), the place of each cell among the column's, empty cells last."""
    numbers = column.numbers if as_numbers and column.atoms is None else None
    ranking = sorted(range(len(column.texts)), key=(numbers or column.texts).__getitem__)
    place = np.empty(len(ranking) + 1, dtype=np.int64)
    place[ranking] = np.arange(len(ranking))
    place[len(ranking)] = len(ranking)
    return place[column.states]


def _ascends(places: Sequence[Codes]) -> bool:
    """Say whether rows ascend by the first array, then by the next, ties being equal rows."""
    undecided = np.ones(max(len(places[0]) - 1, 0) if places else 0, dtype=np.bool_)
    for column in places:
        if (undecided & (column[1:] < column[:-1])).any():
            return False
        undecided = undecided & (column[1:] == column[:-1])
    return True


def _by_person(publication: PublishedFile) -> bool:
    """Say whether all rows of each person stand together, somebody having several."""
    persons = publication.persons
    runs = np.count_nonzero(np.diff(persons)) + 1
    # Noise is nobody's, and one run more if it stands together.
    groups = publication.people + int((persons < 0).any())
    # Where everybody has one row each stands alone, which tells nothing.
    return bool(runs < len(persons) and runs == groups)


def _as_in_source(publication: PublishedFile) -> bool:
    """Say whether rows ascend as in the source, in the file or within every class."""
    source, (of_row, _) = publication.source_row, publication.classes
    assert source is not None
    real = source >= 0
    # Noise has no place in the source, wherever it stands.
    source, of_row = source[real], of_row[real]
    if (np.diff(source) >= 0).all():
        return True
    # Rows that ascend within each class, wherever they stand, tell as much as if all did.
    by_class = np.argsort(of_row, kind="stable")
    source, of_row = source[by_class], of_row[by_class]
    within = np.diff(of_row) == 0
    differ = np.zeros(len(within), dtype=np.bool_)
    for column in publication.columns:
        differ |= np.diff(column.states[real][by_class]) != 0
    # If all rows of each class are alike, it makes no difference which is whose.
    return bool((within & differ).any() and (np.diff(source) >= 0)[within].all())
