"""Classes are what a reader can tell apart: all that is published but sensitive values."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from cases import cases

from kproof.models.registry import Kind, Promise
from kproof.proptests import check_anonymizer
from kproof.proptests.checks import by_name
from kproof.proptests.checks.grouping import View
from kproof.proptests.contract import Subject, TableCase, TablePublication, Trial
from kproof.proptests.judgement import InDoubt, Judgement, Kept, Violation
from kproof.proptests.labels.frames import index_of
from kproof.proptests.rendering import sketch
from kproof.proptests.subjects.adapters import publication

PROMISES = frozenset(
    {Promise.K_ANONYMITY, Promise.TRUTHFUL, Promise.RECORDS_KEPT, Promise.SENSITIVE_KEPT}
)
CASE = TableCase(
    columns={"age": (20, 25, 28, 40, 45, 49), "ill": ("Flu", "HIV", "Cough", "Flu", "HIV", "HIV")},
    quasi_identifiers=("age",),
    sensitive="ill",
    parameters={"k": 3},
)
AGES = ("20-29",) * 3 + ("40-49",) * 3
HEALTHY_COLUMNS: dict[str, tuple[object, ...]] = {"age": AGES, "ill": CASE.columns["ill"]}


def judged(name: str, found: TablePublication, case: TableCase = CASE) -> Judgement:
    subject = Subject("it", Kind.TABLE, PROMISES, lambda _: found)
    return by_name(name).function(Trial(subject, case))


def of_columns(name: str, **more: tuple[object, ...]) -> Judgement:
    return judged(name, TablePublication({**HEALTHY_COLUMNS, **more}))


def of_frame(name: str, index: Any) -> Judgement:
    return judged(name, publication(pd.DataFrame({**HEALTHY_COLUMNS}, index=index), CASE.columns))


@cases(
    ((20, 25, 28, 40, 45, 49), True),  # an exact copy
    ((0, 0, 1, 2, 2, 2), True),  # a cluster of fewer than k
    ((0, 1, 2, 3, 4, 5), True),  # a number for each row
    ((5, 5, 5, 2, 2, 2), False),  # the number of the class
    (("x",) * 6, False),
    (CASE.columns["ill"], False),  # what is published anyway
    ((None, None, None, 1, 1, 1), False),
)
def test_columns_in_no_role_count(cells, tells):
    found = of_columns("k-anonymity", _cluster=cells)
    assert isinstance(found, Violation) is tells
    if isinstance(found, Violation):
        assert "_cluster" in found.sentence
        assert found.sentence.endswith(
            "3 rows have these quasi-identifiers, but _cluster is published, too"
        )


def test_quasi_identifiers_under_new_names():
    exact = {"age_gen": CASE.columns["age"], "ill": CASE.columns["ill"]}
    found = judged("k-anonymity", TablePublication(exact))
    assert isinstance(found, Violation)
    assert found.sentence == (
        "class age_gen=20: 1 real record, k = 3; age_gen is published, and no quasi-identifier "
        "under its own name"
    )
    # Generalized they are in order, and nobody can say whether they are true.
    general = {"age_gen": AGES, "ill": CASE.columns["ill"]}
    assert isinstance(judged("k-anonymity", TablePublication(general)), Kept)
    assert judged("truthful labels", TablePublication(general)) == InDoubt(
        "age is not published, and age_gen is no column of the source: what it is about is not said"
    )
    assert isinstance(judged("sensitive values kept", TablePublication(general)), InDoubt)


@cases(
    (None, False),
    (range(7, 13), False),  # as the rows stand
    ([0, 1, 2, 0, 1, 2], False),  # counted within each class, as after a concatenation
    ([1, 2, 3, 1, 2, 3], False),
    ([0, 0, 0, 1, 1, 1], False),
    ([2, 1, 0, 5, 4, 3], True),
    ([7, 3, 9, 1, 2, 4], True),
    (range(0, 12, 2), True),
    (list("uvwxyz"), True),
    (pd.MultiIndex.from_arrays([AGES, [2, 0, 1, 5, 3, 4]]), True),
    (pd.MultiIndex.from_arrays([AGES, [0, 1, 2, 0, 1, 2]]), False),
)
def test_the_index_counts(index, tells):
    assert isinstance(of_frame("k-anonymity", index), Violation) is tells


def test_an_index_that_numbers_the_rows_of_the_source():
    order = [2, 0, 1, 5, 3, 4]
    frame = pd.DataFrame(
        {name: [cells[row] for row in order] for name, cells in HEALTHY_COLUMNS.items()},
        index=order,
    )
    found = judged("no identifiers", publication(frame, CASE.columns))
    assert isinstance(found, Violation)
    assert found.sentence == (
        "column the index publishes the position in the source of each row: 2, 0, 1, 5, 3, 4"
    )
    assert found.input_rows == tuple(order)
    labelled = replace(CASE, index=tuple("abcdef"))
    frame.index = pd.Index([labelled.index[row] for row in order] if labelled.index else [])
    found = judged("no identifiers", publication(frame, CASE.columns), labelled)
    assert isinstance(found, Violation)
    assert found.found == "index label"


def test_levels_of_an_index_with_the_names_of_columns_are_these():
    frame = pd.DataFrame({**HEALTHY_COLUMNS}).set_index("age")
    found = publication(frame, CASE.columns)
    assert dict(found.everything) == {"age": AGES, "ill": CASE.columns["ill"]}
    for name in ("k-anonymity", "truthful labels", "sensitive values kept"):
        assert isinstance(judged(name, found), Kept)
    frame = pd.DataFrame({**HEALTHY_COLUMNS, "the index": [0] * 6}, index=list("fedcba"))
    assert list(index_of(frame)) == ["the index of the frame"]
    assert list(index_of(frame.rename_axis("ill"))) == ["the index, ill"]
    assert index_of(pl.DataFrame({"a": [1]})) == index_of(np.zeros((1, 1))) == {}


def test_what_is_shown_of_a_publication_is_all_of_it():
    assert "the index" in sketch(publication(pd.DataFrame({"age": ["*", "*"]}, index=[4, 2])))


def test_an_account_does_not_speak_for_columns_beside_it():
    from kproof.proptests.subjects.registered import own_subject

    made = own_subject("mondrian").publish(CASE)
    assert isinstance(judged("k-anonymity", made), Kept)
    more = replace(made, columns={**made.columns, "row": tuple(range(made.rows))})
    found = judged("k-anonymity", more)
    assert isinstance(found, Violation)
    assert "row=0" in found.sentence


def test_classes_are_those_of_brute_force():
    """Over every table of four rows and two columns with two values each."""
    for cells in product((0, 1), repeat=8):
        own, helper = cells[:4], cells[4:]
        case = TableCase({"q": own, "s": tuple("abab")}, ("q",), "s", parameters={"k": 2})
        view = View(case, TablePublication({"q": own, "s": tuple("abab"), "h": helper}))
        pairs = list(zip(own, helper, strict=True))
        least = min(pairs.count(one) for one in pairs)
        assert min(group.rows.people for group in view.groups) == least


def test_a_healthy_frame_that_keeps_its_index_is_in_order_and_one_with_labels_is_not():
    def one_class(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
        if len(frame) < k:
            raise ValueError("too few rows")
        frame = frame.copy() if isinstance(frame, pd.DataFrame) else frame.to_pandas()
        frame[quasi_identifiers] = "*"
        return frame.drop(columns=["name"], errors="ignore")

    given: dict[str, Any] = {"sources": ["row labels"], "checks": ["k-anonymity"]}
    found = check_anonymizer(one_class, max_examples=8, on_fail="return", **given)
    assert "the index" in str(found["k-anonymity"].violation)

    def without(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
        return one_class(frame, quasi_identifiers, k).reset_index(drop=True)

    found = check_anonymizer(without, max_examples=8, on_fail="return", **given)
    assert found["k-anonymity"].violation is None
    assert found["k-anonymity"].judged > 0
