"""Every broken subject is caught by its check on a small example, and the healthy one is not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import pytest

from kproof.models.registry import Kind
from kproof.proptests.checks import checks
from kproof.proptests.contract import (
    Check,
    CheckResult,
    CheckStatus,
    TableCase,
    Trial,
)
from kproof.proptests.engine import hold
from kproof.proptests.judgement import (
    Kept,
    Violation,
)
from kproof.proptests.profiles import profile_named
from kproof.proptests.sources import sources
from kproof.proptests.zoo import hunt, members
from kproof.proptests.zoo.base import Member
from kproof.proptests.zoo.tables import HEALTHY

QUICK = profile_named("quick")
# As many cases as by default, since few requests have V = theta. A set of few names may come in one
# order in both processes: one costly look is not enough.
HUNT = replace(profile_named("default"), costly=8, shrinking=0, finite=QUICK.finite)
SMALL = 16
"""Rows; most examples are as small as that before they are shrunk."""


@cache
def hunted(name: str) -> CheckResult:
    (member,) = (one for one in members() if one.name == name)
    result = hunt(member, profile=HUNT)
    if isinstance(result.case, TableCase) and result.case.rows > SMALL:
        return hunt(member, profile=replace(HUNT, shrinking=300))
    return result


@pytest.mark.parametrize("member", members(), ids=lambda member: member.name)
def test_caught(member: Member) -> None:
    result = hunted(member.name)
    assert result.status is CheckStatus.FAILED
    assert result.check.name == member.caught_by
    if isinstance(result.case, TableCase):
        assert result.case.rows <= SMALL


def toothless(of: Iterable[Check]) -> set[tuple[Kind, str]]:
    """Return the checks that find nothing in the examples of the members they are to catch."""
    left = {(kind, check.name): check for check in of for kind in check.kinds}
    for member in members():
        check = left.get((member.subject.kind, member.caught_by))
        case = hunted(member.name).case
        if check is None:
            continue
        if isinstance(check.function(Trial(member.subject, case)), Violation):
            del left[member.subject.kind, member.caught_by]
    return set(left)


def test_every_check_can_fail_and_one_that_cannot_is_noticed() -> None:
    assert toothless(checks()) == set()
    for dull in ("theta", "cluster size", "deterministic"):
        sharp = [check for check in checks() if check.name == dull]
        blunt = [replace(check, function=lambda trial: Kept()) for check in sharp]
        assert {name for _, name in toothless(blunt)} == {dull}
        assert toothless(sharp) == set()


def test_the_healthy_one_is_not_caught() -> None:
    plain = [check for check in checks(Kind.TABLE) if not check.costly]
    results = hold(HEALTHY, plain, sources(Kind.TABLE), profile=QUICK)
    assert {one.check.name: str(one.violation) for one in results if one.broken} == {}
    # It gives no account, which is what that check compares with.
    assert [one.check.name for one in results if not one.judged] == ["shared labels"]


def test_names_are_unique_and_there_are_many() -> None:
    names = [member.name for member in members()]
    assert len(names) == len(set(names))
    assert sum(member.subject.kind is Kind.TABLE for member in members()) >= 25
    assert all(member.story.endswith(".") for member in members())
