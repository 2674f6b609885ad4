"""Strategies for background knowledge: what an adversary may truly know of people in a table."""

from typing import TypeVar

from hypothesis import strategies as st

from kproof.errors import InvalidArgument
from kproof.models.attacks.background import BackgroundKnowledge, Matching, Person
from kproof.proptests.contract import TableCase

One = TypeVar("One")


def background_knowledge(case: TableCase) -> st.SearchStrategy[BackgroundKnowledge]:
    """Draw background knowledge of a table that is true, so that no true release contradicts it.

    Victims and members are different people, given by their row or by some or all of their
    quasi-identifiers; of victims she may know values they do not have. It shrinks to an adversary
    who knows nothing but everyone's class. There has to be a row and a sensitive column.

    >>> from hypothesis import find
    >>> case = TableCase({"age": (34, 40), "ill": ("Flu", "HIV")}, ("age",), "ill")
    >>> find(background_knowledge(case), lambda known: known.members != ()).members
    (Person(row=0, quasi_identifiers=None, excluded=(), value=None, name=''),)
    >>> background_knowledge(TableCase({"age": (34,)}, ("age",), None))
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: sensitive is not given: need a sensitive column
    """
    if not case.rows:
        raise InvalidArgument("rows", 0, "at least one row")
    if case.sensitive is None:
        raise InvalidArgument("sensitive", None, "a sensitive column")
    return _background_knowledge(case, case.columns[case.sensitive])


@st.composite
def _background_knowledge(
    draw: st.DrawFn, case: TableCase, values: tuple[object, ...]
) -> BackgroundKnowledge:
    rows = st.lists(st.integers(0, case.rows - 1), unique=True, max_size=4)
    chosen = draw(st.none() | rows)
    member_rows = [row for row in draw(rows) if row not in (chosen or ())]
    victims = None if chosen is None else tuple(draw(_victims(case, values, row)) for row in chosen)
    return BackgroundKnowledge(
        victims=victims,
        members=tuple(draw(_members(case, values, row)) for row in member_rows),
        columns=draw(st.none() | _some(case.quasi_identifiers)),
        matching=draw(st.sampled_from((Matching.CLASS, Matching.COVER))),
        noise_recognised=draw(st.booleans()),
    )


@st.composite
def _victims(draw: st.DrawFn, case: TableCase, values: tuple[object, ...], row: int) -> Person:
    alternatives = tuple(
        value for value in dict.fromkeys(values) if value not in (None, values[row])
    )
    excluded = draw(_some(alternatives, minimum=0)) if alternatives else ()
    qi = draw(st.none() | _cells_she_knows(case, row))
    return Person(row=row if qi is None else None, quasi_identifiers=qi, excluded=excluded)


@st.composite
def _members(draw: st.DrawFn, case: TableCase, values: tuple[object, ...], row: int) -> Person:
    # Of a row the value is taken from the microdata; a missing one can be given in no other way.
    qi = None if values[row] is None else draw(st.none() | _cells_she_knows(case, row))
    if qi is None:
        return Person(row=row)
    return Person(quasi_identifiers=qi, value=values[row])


def _cells_she_knows(case: TableCase, row: int) -> st.SearchStrategy[dict[str, object] | None]:
    """Draw what is known of a row's quasi-identifiers; None if they are missing."""
    present = tuple(name for name in case.quasi_identifiers if case.columns[name][row] is not None)
    if not present:
        return st.none()
    return _some(present).map(lambda names: {name: case.columns[name][row] for name in names})


def _some(of: tuple[One, ...], *, minimum: int = 1) -> st.SearchStrategy[tuple[One, ...]]:
    return st.lists(st.sampled_from(of), min_size=minimum, unique=True).map(tuple)
