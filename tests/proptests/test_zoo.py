"""Every broken subject is caught by its check on a small example, and the healthy one is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kproof.models.registry import Kind
from kproof.proptests.checks import by_name, checks
from kproof.proptests.contract import Status, TableCase
from kproof.proptests.engine import hold
from kproof.proptests.profiles import profile_named
from kproof.proptests.sources import sources
from kproof.proptests.zoo import members
from kproof.proptests.zoo.base import Member
from kproof.proptests.zoo.tables import HEALTHY

QUICK = profile_named("quick")


@pytest.mark.parametrize("member", members(), ids=lambda member: member.name)
def test_caught(member: Member) -> None:
    subject = member.subject
    check = by_name(member.caught_by, subject.kind)
    # A set of few names may come in one order in both processes: one costly look is not enough.
    profile = replace(QUICK, costly=8)
    [result] = hold(subject, [check], sources(subject.kind), profile=profile)
    assert result.status is Status.FAILED
    if isinstance(result.case, TableCase):
        assert result.case.rows <= 8


def test_the_healthy_one_is_not_caught() -> None:
    plain = [check for check in checks(Kind.TABLE) if not check.costly]
    results = hold(HEALTHY, plain, sources(Kind.TABLE), profile=QUICK)
    assert {result.check.name: str(result.violation) for result in results if not result.ok} == {}


def test_names_are_unique_and_there_are_many() -> None:
    names = [member.name for member in members()]
    assert len(names) == len(set(names))
    assert sum(member.subject.kind is Kind.TABLE for member in members()) >= 25
    assert all(member.story.endswith(".") for member in members())
