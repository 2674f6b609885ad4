"""The zoo: deliberately broken anonymizers and checkers that the suite must catch."""

from dataclasses import replace
from functools import cache
from importlib import import_module

from kproof.errors import InvalidArgument
from kproof.proptests.checks import by_name
from kproof.proptests.contract import CheckResult, Subject
from kproof.proptests.engine import hold
from kproof.proptests.profiles import Profile
from kproof.proptests.sources import sources
from kproof.proptests.zoo.base import Member

_HOUSES = ("tables", "readers", "checkers", "places", "graphs", "logs")
_RECIPE = "kproof.proptests.zoo:find_member"


@cache
def members() -> tuple[Member, ...]:
    """Return every broken subject, those for tables first.

    >>> [member.name for member in members()][:2]
    ['short last class', 'k minus one']
    """
    return tuple(
        replace(member, subject=replace(member.subject, recipe=(_RECIPE, member.name)))
        for house in _HOUSES
        for member in import_module(f"{__name__}.{house}").MEMBERS
    )


def find_member(name: str) -> Subject:
    """Return the subject of a member by name.

    >>> find_member("k minus one").kind.value
    'table'
    >>> find_member("k plus one")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: name = 'k plus one': need the name of a member of the zoo
    """
    for member in members():
        if member.name == name:
            return member.subject
    raise InvalidArgument("name", name, "the name of a member of the zoo")


def hunt(member: Member, *, profile: Profile, seed: int = 0) -> CheckResult:
    """Hold a member to the check that must catch it, on all cases of its kind.

    >>> from kproof.proptests.profiles import profile_named
    >>> result = hunt(members()[0], profile=profile_named("quick"))
    >>> result.check.name, result.status.value, result.case.rows
    ('k-anonymity', 'failed', 3)
    """
    subject = member.subject
    check = by_name(member.caught_by, subject.kind)
    [result] = hold(subject, [check], sources(subject.kind), profile=profile, seed=seed)
    return result
