"""What the suite cannot read is doubt: no finding, and nothing that was judged either."""

from dataclasses import replace
from datetime import date
from typing import Any

import pandas as pd
import pytest
from cases import cases

from kproof.models.registry import Kind, Promise
from kproof.proptests import check_anonymizer
from kproof.proptests.checks import by_name
from kproof.proptests.contract import CheckStatus, Subject, TableCase, TablePublication, Trial
from kproof.proptests.judgement import InDoubt, Judgement, Kept, Violation
from kproof.proptests.labels.labels import covers

PROMISES = frozenset(
    {Promise.K_ANONYMITY, Promise.TRUTHFUL, Promise.RECORDS_KEPT, Promise.SENSITIVE_KEPT}
)
NUMBERS = (20, 25, 28, 1500)
WORDS = ("Bonn", "Rome", "Ulm")
DAYS = (date(2020, 5, 17), date(2020, 6, 1), date(2021, 1, 3))


@cases(
    ("about 20, maybe", NUMBERS),
    ("~20s", NUMBERS),
    ("[20 30]", NUMBERS),
    ("20-30 years", NUMBERS),
    ("young, old", NUMBERS),
    ("{low, high}", NUMBERS),
    ("1,5-2,5", NUMBERS),
    ("age*", NUMBERS),
    ((0, 1), WORDS),  # codes instead of words
    (0.5, WORDS),
    ("[0-1]", WORDS),
    ("north|south", WORDS),
    ("spring 2020", DAYS),
    ("20", DAYS),
    (True, NUMBERS),
)
def test_what_speaks_of_nothing_in_the_column_is_in_doubt(label, domain):
    assert {covers(label, value, domain=domain) for value in domain} == {None}


@cases(
    ("0-1", 25, NUMBERS, False),  # numbers, and wrong
    (0.5, 25, NUMBERS, False),
    ("{20, 28}", 25, NUMBERS, False),
    ("Bonn, Ulm", "Rome", WORDS, False),
    ("2*", 1500, NUMBERS, False),
    ("1,000-2,000", 1500, NUMBERS, True),
    ("1,000-2,000", 25, NUMBERS, False),
    ("1,500", 1500, NUMBERS, True),
    ("[1,000, 2,000)", 1500, NUMBERS, True),
    ("2020", DAYS[0], DAYS, True),
    ("2020", DAYS[2], DAYS, False),
    ("2020-06", DAYS[1], DAYS, True),
    ("2020-06", DAYS[0], DAYS, False),
    ("2020", 25, NUMBERS, False),
    # One part that is understood covers what it covers; the others leave the rest in doubt.
    ("Bonn, elsewhere", "Bonn", WORDS, True),
    ("Bonn, elsewhere", "Rome", WORDS, None),
)
def test_what_is_understood_is_wrong_or_right(label, value, domain, covered):
    assert covers(label, value, domain=domain) is covered


CASE = TableCase(
    columns={"age": (20, 25, 28, 40, 45, 49), "ill": ("Flu", "HIV", "Cough", "Flu", "HIV", "HIV")},
    quasi_identifiers=("age",),
    sensitive="ill",
    parameters={"k": 3},
)


def judged(name: str, ages: tuple[object, ...], ills: Any = CASE.columns["ill"]) -> Judgement:
    found = TablePublication({"age": ages, "ill": ills})
    subject = Subject("it", Kind.TABLE, PROMISES, lambda _: found)
    return by_name(name).function(Trial(subject, CASE))


@pytest.mark.parametrize(
    "labels", [("young", "old"), ("about 20, maybe", "40, or so"), ("[2 3]", "4")]
)
def test_unreadable_labels_are_no_finding_and_not_judged(labels):
    ages = (labels[0],) * 3 + (labels[1],) * 3
    if labels[1] == "4":  # a number, and no age: that one is not true
        assert isinstance(judged("truthful labels", ages), Violation)
        return
    assert isinstance(judged("k-anonymity", ages), Kept)  # rows look alike whatever it means
    assert judged("truthful labels", ages) == InDoubt("labels of age cannot be read")
    assert isinstance(judged("sensitive values kept", ages), InDoubt)
    # What is wrong whatever they mean is a finding even so.
    assert isinstance(judged("k-anonymity", (labels[0],) * 2 + (labels[1],) * 4), Violation)
    assert isinstance(judged("sensitive values kept", ages, ("Flu",) * 6), Violation)
    assert isinstance(judged("truthful labels", ("20-21",) * 3 + (labels[1],) * 3), Violation)


def test_labels_that_cover_nobody_are_a_matter_of_truth():
    ages = ("70-80",) * 6
    assert isinstance(judged("truthful labels", ages), Violation)
    assert isinstance(judged("k-anonymity", ages), Kept)


def code_of(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
    """Publish one class under a name that only its author knows."""
    if len(frame) < k:
        raise ValueError("too few rows")
    kept = frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()
    kept = kept.drop(columns=["name"], errors="ignore").reset_index(drop=True)
    kept[quasi_identifiers] = "group alpha"
    return kept


def test_a_method_with_labels_of_its_own_is_neither_broken_nor_in_order():
    found = check_anonymizer(code_of, sources=["mixed types"], max_examples=10, on_fail="return")
    truth = found["truthful labels"]
    assert truth.violation is None
    assert truth.status is CheckStatus.NOT_APPLICABLE
    assert truth.judged == 0
    assert not found.failures
    assert not found.ok  # it promises truth, and nobody judged it
    assert "cannot be read" in found.summary()
    assert found["k-anonymity"].judged > 0


def half_coded(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
    """Publish a star, but for two rows or three a label of its own."""
    kept = code_of(frame, quasi_identifiers, k)
    if len(kept) > 3:
        kept[quasi_identifiers] = "*"
    return kept


def test_what_is_in_doubt_is_told_beside_what_was_judged():
    source = "every table of up to 4 rows over 2 values"
    results = check_anonymizer(
        half_coded, sources=[source], checks=["truthful labels"], on_fail="return"
    )
    found = results["truthful labels"]
    # 4^2 + 4^3 tables of two and three rows, 4^4 of four.
    assert (found.judged, dict(found.unjudged)["labels of q1 cannot be read"]) == (256, 80)
    assert found.doubts == ("labels of q1 cannot be read",)
    assert found.status is CheckStatus.PASSED  # and not exhausted
    assert "judged 256 of 340 cases; 80 in doubt (labels of q1 cannot be read)" in results.summary()


def test_values_are_judged_only_where_labels_say_whose_they_are():
    promises = PROMISES - {Promise.TRUTHFUL}
    subject = Subject("it", Kind.TABLE, promises, lambda case: TablePublication(case.columns))
    function = by_name("sensitive values kept").function
    assert isinstance(function(Trial(subject, CASE)), InDoubt)
    assert isinstance(function(Trial(replace(subject, promises=PROMISES), CASE)), Kept)
