"""The smallest case that is found cannot be made smaller by leaving out any one thing."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nights import by_day

from kproof.models.registry import Kind
from kproof.proptests.cases import CityCase, GraphCase, PointsCase
from kproof.proptests.checks import by_name
from kproof.proptests.contract import Check, Source, Subject, TableCase, Trial
from kproof.proptests.engine import hold
from kproof.proptests.judgement import Violation
from kproof.proptests.paring import pare_case, smaller
from kproof.proptests.profiles import profile_named
from kproof.proptests.sources import sources
from kproof.proptests.zoo import hunt, members
from kproof.proptests.zoo.base import Member

HUNT = replace(profile_named("quick"), examples=60, shrinking=250)
STREET = CityCase(
    users=(3, 1, 2),
    roads=((0, 1), (1, 2)),
    targets=(0, 2),
    positions=((0, 0), (1, 0), (2, 0)),
    one_way=((1, 2),),
    parameters={"k": 4},
)
SPOTS = PointsCase(((0.0, 0.0), (0.0, 1.0), (1.0, 0.0)), ("a", "b", "a"), {"min_k": 3})
PEOPLE = TableCase(
    {"q1": (1, 2, 3, 4), "q2": tuple("abcd"), "s": tuple("uvwx")},
    ("q1", "q2"),
    "s",
    parameters={"k": 4},
    hierarchies={"q2": dict.fromkeys("abcd*", "*")},
    index=(9, 8, 7, 6),
)
FRIENDS = GraphCase(
    4, ((0, 1), (1, 2), (2, 3)), {"age": (1, None, 2, 3), "town": tuple("abcd")}, {"k": 3}
)
CASES = [PEOPLE, STREET, SPOTS, FRIENDS]


def test_users_go_though_all_that_is_known_of_them_is_zero() -> None:
    case = GraphCase(3, (), {"age": (0, 0, None)})
    fewest = pare_case(case, lambda graph: ("age" in graph.attributes, 1), calls=99)
    assert fewest == GraphCase(1, (), {"age": (0,)})


def size(case: Any) -> int:
    """Count what a case is made of."""
    k = sum(case.parameters.values())
    if isinstance(case, TableCase):
        return k + case.rows * 9 + len(case.quasi_identifiers)
    if isinstance(case, CityCase):
        return (
            k
            + 99 * len(case.users)
            + sum(
                map(
                    len,
                    (case.roads, case.targets, case.one_way, case.users * 9, [0] * sum(case.users)),
                )
            )
        )
    if isinstance(case, PointsCase):
        return k + len(case.positions)
    return k + 99 * case.users + len(case.friendships) + len(case.attributes)


@pytest.mark.parametrize("case", CASES, ids=lambda case: type(case).__name__)
def test_what_is_left_is_a_smaller_case_of_the_same_kind(case):
    found = list(smaller(case))
    assert all(type(one) is type(case) and size(one) < size(case) for one in found)
    assert list(smaller(case)) == found
    for one in found:
        if isinstance(one, TableCase):
            assert set(one.quasi_identifiers) | {"s"} == one.columns.keys()
            assert {len(cells) for cells in (*one.columns.values(), one.index or ())} == {one.rows}
        elif isinstance(one, CityCase):
            assert one.city.nodes == len(one.users) == len(one.positions or ())
            assert set(one.targets) <= set(range(len(one.users)))
            assert {frozenset(way) for way in one.one_way} <= {frozenset(way) for way in one.roads}
        elif isinstance(one, PointsCase):
            assert one.points.count == len(one.users or ())
        else:
            assert one.graph.users == one.users


@pytest.mark.parametrize("case", CASES, ids=lambda case: type(case).__name__)
def test_every_single_part_is_tried(case):
    found = list(smaller(case))
    if isinstance(case, TableCase):
        rows = {one.columns["q1"] for one in found if len(one.quasi_identifiers) == 2}
        assert rows >= set(combinations((1, 2, 3, 4), 3))
        assert {one.quasi_identifiers for one in found} >= {("q1",), ("q2",)}
    elif isinstance(case, CityCase):
        assert {one.users for one in found} >= {(3, 1), (3, 2), (1, 2), (2, 1, 2), (3, 0, 2)}
        assert {one.roads for one in found} >= {((0, 1),), ((1, 2),)}
        assert {one.targets for one in found} >= {(0,), (2,)}
    elif isinstance(case, PointsCase):
        assert {one.positions for one in found} >= set(combinations(case.positions, 2))
    else:
        assert {one.friendships for one in found} >= set(combinations(case.friendships, 2))
        assert {one.users for one in found} == {2, 3, 4}
    for name in [name for name in ("k", "min_k") if name in case.parameters]:
        assert {one.parameters[name] for one in found} >= {case.parameters[name] - 1, 2}


@settings(max_examples=60, deadline=None)
@given(needed=st.sets(st.integers(0, 40)), rows=st.integers(1, 41))
def test_only_what_is_needed_is_left(needed, rows):
    """A case fails while it has some of its rows: those are what is left, whichever they are."""
    wanted = {row for row in needed if row < rows}
    case = TableCase({"q1": tuple(range(rows))}, ("q1",), None, parameters={"k": 7})
    left = pare_case(case, lambda one: (wanted <= set(one.columns["q1"]), 1), calls=10_000)
    assert (set(left.columns["q1"]), left.parameters["k"]) == (wanted, 2)


def test_calls_are_bounded():
    fails_without: list[Any] = []

    def fails(case: Any) -> tuple[bool, int]:
        fails_without.append(case)
        return False, 3

    assert pare_case(PEOPLE, fails, calls=7) is PEOPLE
    assert len(fails_without) == 3
    assert pare_case((1, 2), fails, calls=7) == (1, 2)


def fails(member: Member, case: Any) -> bool:
    check = by_name(member.caught_by, member.subject.kind)
    return isinstance(check.function(Trial(member.subject, case)), Violation)


PLAIN = [
    member for member in members() if not by_name(member.caught_by, member.subject.kind).costly
]


DEAR = {"identifiers left in", "theta as printed"}
"""A night hunts them; of the others each kind of data has some."""


@pytest.mark.parametrize(
    "member",
    [one for one in PLAIN[::5] if by_day(one.name not in DEAR, at_night=True)],
    ids=lambda member: member.name,
)
def test_what_is_found_in_the_zoo_is_locally_minimal(member):
    found = hunt(member, profile=HUNT)
    assert found.violation is not None
    assert fails(member, found.case)
    assert [one for one in smaller(found.case) if fails(member, one)] == []


def test_a_row_that_cannot_be_drawn_away_is_left_out():
    """Every case has eight rows or more by the way it is drawn, and one of them matters."""
    member = next(one for one in members() if one.name == "last class dropped")
    alike = [one for one in sources(Kind.TABLE) if one.name == "people who look alike"]
    check: Check = by_name(member.caught_by)
    subject: Subject = member.subject
    only: list[Source] = alike
    (found,) = hold(subject, [check], only, profile=HUNT)
    assert found.case.rows < 8
    assert hold(subject, [check], only, profile=HUNT)[0].case == found.case
    assert not any(fails(member, one) for one in smaller(found.case))
