"""Every broken subject is caught by its check on a small example, and the healthy one is not.

The examples are stored, and hunted anew where ``KPROOF_SEED`` is set, as in a nightly session, or
``KPROOF_UPDATE_SNAPSHOTS=1`` stores them.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from nights import spread

from kproof.models.registry import Kind
from kproof.proptests.checks import by_name, checks
from kproof.proptests.checks.elsewhere import AnyCase
from kproof.proptests.contract import Check, CheckStatus, TableCase, Trial
from kproof.proptests.engine import hold
from kproof.proptests.judgement import Kept, Violation
from kproof.proptests.profiles import profile_named
from kproof.proptests.replay import of_json, to_json
from kproof.proptests.running import look
from kproof.proptests.sources import sources
from kproof.proptests.zoo import hunt, members
from kproof.proptests.zoo.base import _LARGEST, Member
from kproof.proptests.zoo.tables import HEALTHY

QUICK = profile_named("quick")
# As many cases as by default, since few requests have V = theta. A set of few names may come in one
# order in both processes: one costly look is not enough.
HUNT = replace(profile_named("default"), costly=8, shrinking=0, finite=QUICK.finite)
SMALL = 16
"""Rows; most examples are as small as that before they are shrunk."""
STORED = Path(__file__).parent / "counterexamples.json"
STORING = bool(os.environ.get("KPROOF_UPDATE_SNAPSHOTS"))
SEED = os.environ.get("KPROOF_SEED", "0" if STORING else None)


@cache
def example(name: str) -> AnyCase:
    """Return what a member is caught with, from the file or from a hunt."""
    if SEED is None:
        case: AnyCase = of_json(json.loads(STORED.read_text(encoding="utf-8"))[name])
        return case
    (member,) = (member for member in members() if member.name == name)
    for seed in range(int(SEED), int(SEED) + 10):
        result = hunt(member, profile=HUNT, seed=seed)
        if isinstance(result.case, TableCase) and result.case.rows > SMALL:
            result = hunt(member, profile=replace(HUNT, shrinking=300), seed=seed)
        assert result.status is CheckStatus.FAILED
        assert result.check.name == member.caught_by
        if caught(member, result.case):
            return result.case
    raise AssertionError(f"{name}: no example shows the fault without the cases before it")


def caught(member: Member, case: AnyCase) -> bool:
    """Say whether a case shows the fault of a member that has answered nothing before."""
    _LARGEST.clear()
    check = by_name(member.caught_by, member.subject.kind)
    return isinstance(look(check, Trial(member.subject, case)), Violation)


@pytest.mark.parametrize("member", members(), ids=lambda member: member.name)
def test_caught(member):
    case = example(member.name)
    assert caught(member, case)
    if isinstance(case, TableCase):
        assert case.rows <= SMALL


def test_every_member_has_a_stored_example():
    if STORING:
        lines = {
            member.name: json.dumps(to_json(example(member.name)), ensure_ascii=False)
            for member in members()
        }
        text = ",\n".join(f"{json.dumps(name)}: {line}" for name, line in lines.items())
        STORED.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
    names = [*json.loads(STORED.read_text(encoding="utf-8"))]
    assert names == [member.name for member in members()]


@pytest.mark.parametrize("member", members()[:30:6], ids=lambda member: member.name)
def test_a_hunt_finds_an_example(member):
    result = hunt(member, profile=HUNT)
    assert result.status is CheckStatus.FAILED
    assert result.check.name == member.caught_by


def toothless(of: Iterable[Check]) -> set[tuple[Kind, str]]:
    """Return the checks that find nothing in the examples of the members they are to catch."""
    left = {(kind, check.name): check for check in of for kind in check.kinds}
    for member in members():
        check = left.get((member.subject.kind, member.caught_by))
        if check is None:
            continue
        case = example(member.name)
        if isinstance(check.function(Trial(member.subject, case)), Violation):
            del left[member.subject.kind, member.caught_by]
    return set(left)


def test_every_check_can_fail_and_one_that_cannot_is_noticed():
    assert toothless(checks()) == set()
    for dull in ("theta", "cluster size", "deterministic"):
        sharp = [check for check in checks() if check.name == dull]
        blunt = [replace(check, function=lambda trial: Kept()) for check in sharp]
        assert {name for _, name in toothless(blunt)} == {dull}
        assert toothless(sharp) == set()


def test_the_healthy_one_is_not_caught():
    plain = [check for check in checks(Kind.TABLE) if not check.costly]
    results = hold(HEALTHY, plain, spread(sources(Kind.TABLE), 3), profile=QUICK)
    assert {one.check.name: str(one.violation) for one in results if one.broken} == {}
    # It gives no account, which is what that check compares with.
    assert [one.check.name for one in results if not one.judged] == ["shared labels"]


def test_names_are_unique_and_there_are_many():
    names = [member.name for member in members()]
    assert len(names) == len(set(names))
    assert sum(member.subject.kind is Kind.TABLE for member in members()) >= 25
    assert all(member.story.endswith(".") for member in members())
