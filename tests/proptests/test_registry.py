"""The registry drives the suite: what is registered is held to what it promises."""

from collections import Counter

import pytest
from nights import by_day, limit_finite_sources, spread

from kproof.models.methods import METHODS
from kproof.models.registry import Kind, Promise
from kproof.proptests import parametrize_with_checks
from kproof.proptests.checks import checks
from kproof.proptests.sources import sources
from kproof.proptests.subjects.registered import own_subjects

SUBJECTS = own_subjects()


def test_every_registered_anonymizer_is_a_subject():
    assert {subject.name for subject in SUBJECTS} >= METHODS.keys()


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_every_promise_of_a_subject_is_checked_on_cases_of_its_kind(subject):
    assert sources(subject.kind)
    held = [check for check in checks(subject.kind) if check.applies_to(subject)]
    for promise in subject.promises:
        assert any(check.answers_for(promise) for check in held), promise


@pytest.mark.parametrize("promise", Promise)
def test_every_promise_has_a_check(promise):
    assert any(check.answers_for(promise) for check in checks())


@pytest.mark.parametrize("kind", Kind)
def test_names_are_unique_within_a_kind(kind):
    for named in (checks(kind), sources(kind)):
        assert named
        assert not [name for name, times in Counter(one.name for one in named).items() if times > 1]


def test_checks_are_told_in_full():
    for check in checks():
        assert check.kinds, check.name
        for text in (check.name, check.claim, check.formula, check.source):
            assert text.strip() == text != "", check.name
        assert check.claim.endswith("."), check.name


TABLES = [subject for subject in SUBJECTS if subject.kind is Kind.TABLE]
OTHERS = [subject for subject in SUBJECTS if subject.kind is not Kind.TABLE]


@pytest.fixture(autouse=True)
def _few_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    limit_finite_sources(monkeypatch, 8)


NAMES = [source.name for source in sources(Kind.TABLE)]
FEW = {"profile": "quick", "max_examples": by_day(2, at_night=5)}


@parametrize_with_checks(TABLES[::2], sources=spread(NAMES, 2), **FEW)
def test_anonymizers_of_tables_keep_their_promises(check):
    check()


@parametrize_with_checks(TABLES[1::2], sources=spread(NAMES, 2, offset=1), **FEW)
def test_other_anonymizers_of_tables_keep_their_promises(check):
    """On the other half of the sources by day, so that each source is drawn from."""
    check()


@parametrize_with_checks(OTHERS, profile="quick")
def test_anonymizers_of_places_and_people_keep_their_promises(check):
    check()
