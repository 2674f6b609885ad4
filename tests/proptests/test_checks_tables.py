"""Each check passes on a healthy publication and fails on a broken one, with the rows marked."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cases import cases, error_line
from judgements import violation_of

from kproof.errors import Infeasible, InvalidArgument
from kproof.models.registry import Kind, Promise
from kproof.models.tables.sealing import seal
from kproof.proptests.checkers import checker_subject, checkers
from kproof.proptests.checks import by_name, checks
from kproof.proptests.contract import Severity, Subject, TableCase, TablePublication, Trial
from kproof.proptests.judgement import InDoubt, Kept, NotApplicable, Violation
from kproof.proptests.labels.frames import columns_of, table_of
from kproof.proptests.rendering import sketch
from kproof.proptests.subjects.registered import own_subject

PROMISES = frozenset(
    {Promise.K_ANONYMITY, Promise.TRUTHFUL, Promise.RECORDS_KEPT, Promise.SENSITIVE_KEPT}
)
TABLE_PROMISES = frozenset(
    {
        *PROMISES,
        Promise.L_DIVERSITY,
        Promise.T_CLOSENESS,
        Promise.P_SENSITIVITY,
        Promise.P_PLUS_SENSITIVITY,
        Promise.P_ALPHA_SENSITIVITY,
        Promise.THETA_SENSITIVITY,
        Promise.ORDER_INDEPENDENT,
        Promise.DECIDES,
    }
)
PATIENTS = TableCase(
    columns={
        "name": ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay"),
        "age": (20, 25, 28, 40, 45, 49),
        "ill": ("Flu", "HIV", "Cough", "Flu", "HIV", "HIV"),
    },
    quasi_identifiers=("age",),
    sensitive="ill",
    identifiers=("name",),
    parameters={"k": 3},
    categories={"HIV": "grave", "Cough": "mild", "Flu": "mild"},
)
AGES = ("20-29",) * 3 + ("40-49",) * 3
ILLS = PATIENTS.columns["ill"]
HEALTHY = {"age": AGES, "ill": ILLS}


def subject(publish: Any, promises: frozenset[Promise] = PROMISES, **more: Any) -> Subject:
    return Subject("subject", Kind.TABLE, promises, publish, **more)


def foreign(columns, *, case=PATIENTS, promises=PROMISES, **more):
    """A trial whose subject publishes these columns, whatever it is asked."""
    return Trial(subject(lambda _: TablePublication(columns), promises, **more), case)


def raising(error: Exception, *, case: TableCase = PATIENTS, **more: Any) -> Trial:
    def publish(_: TableCase) -> TablePublication:
        raise error

    return Trial(subject(publish, **more), case)


def account(class_of=(0, 0, 0, 1, 1, 1), noise=(), swaps=(), formed_as=None, case=PATIENTS):
    table = table_of(case)
    assert table.sensitive is not None
    return seal(
        table,
        np.array(class_of),
        method="by hand",
        parameters={},
        noise_class=np.array([index for index, _ in noise], dtype=np.int64),
        noise_value=np.array([table.sensitive.values.index(v) for _, v in noise], dtype=np.int64),
        swaps=np.array(swaps, dtype=np.int64).reshape(-1, 2),
        formed_as=None if formed_as is None else np.array(formed_as),
    )


def own(release, *, case=PATIENTS, promises=PROMISES, **altered):
    """A trial whose subject publishes a release, with some columns altered."""
    columns = {**columns_of(release.to_frame()), **altered}
    return Trial(subject(lambda _: TablePublication(columns, release), promises), case)


def look(name: str, trial: Trial) -> Violation | None:
    check = by_name(name)
    assert Kind.TABLE in check.kinds
    return violation_of(check.function(trial))


def caught(name: str, trial: Trial) -> Violation:
    found = look(name, trial)
    assert found is not None
    assert found.sentence
    return found


def test_the_names_that_others_rely_on():
    assert [check.name for check in checks(Kind.TABLE)] == [
        "k-anonymity",
        "shared labels",
        "theta",
        "p-sensitivity",
        "p+-sensitivity",
        "(p,alpha)-sensitivity",
        "l-diversity",
        "t-closeness",
        "truthful labels",
        "records accounted for",
        "sensitive values kept",
        "no identifiers",
        "monotone in k",
        "refuses clearly",
        "publishes when it can",
        "permutation",
        "deterministic",
        "input unchanged",
        "hash seed",
        "fresh process",
        "agrees with brute force",
        "checker idempotent",
    ]
    assert "check = beta: need one of k-anonymity, " in error_line(InvalidArgument, by_name, "beta")


def test_every_promise_about_tables_selects_a_check():
    assert {promise for check in checks(Kind.TABLE) for promise in check.promises} == TABLE_PROMISES


def _by_decade(case: TableCase) -> TablePublication:
    """Publish two classes, with an account, whatever the order of the records."""
    release = account(tuple(int(str(age) >= "40") for age in case.columns["age"]), case=case)
    return TablePublication(columns_of(release.to_frame()), release)


@pytest.mark.parametrize("check", checks(Kind.TABLE), ids=lambda check: check.name)
def test_healthy_publications_and_refusals_pass(check):
    promises = TABLE_PROMISES - {Promise.DECIDES}
    case = replace(
        PATIENTS, parameters={"k": 3, "mu": "1/3", "p": 2, "l": 2, "t": "1/3", "alpha": 1}
    )
    assert isinstance(check.function(foreign(HEALTHY, case=case)), (Kept, NotApplicable))
    assert violation_of(check.function(Trial(subject(_by_decade, promises), case))) is None
    too_much = replace(PATIENTS, parameters={"k": 7})
    refused = check.function(raising(Infeasible("k = 7: 6 records"), case=too_much))
    assert isinstance(refused, Kept if check.name == "refuses clearly" else NotApplicable)


# k-anonymity


def test_a_class_of_two():
    found = caught("k-anonymity", foreign({"age": ("20-28",) * 4 + ("45+",) * 2, "ill": ILLS}))
    assert (found.found, found.wanted, found.output_rows) == ("2", ">= 3", (4, 5))
    assert found.sentence == "class age=45+: 2 real records, k = 3"


def test_noise_rows_hide_nobody():
    found = caught("k-anonymity", own(account((0, 0, 0, 0, 1, 1), noise=((1, "Flu"),))))
    assert found.sentence == "class age=[45-49]: 2 real records and 1 noise row, k = 3"
    assert (found.input_rows, found.output_rows) == ((4, 5), (4, 5, 6))
    assert look("k-anonymity", own(account(noise=((1, "Flu"),)))) is None


def test_noise_is_found_without_an_account():
    padded = {"age": ("20-40",) * 4 + ("45-49",) * 3, "ill": (*ILLS, "HIV")}
    found = caught("k-anonymity", foreign(padded))
    assert (found.found, found.wanted) == ("<= 2", ">= 3")
    assert (found.input_rows, found.output_rows) == ((4, 5), (4, 5, 6))
    # One who does not say that labels are true may mean anything by them.
    assert look("k-anonymity", foreign(padded, promises=frozenset({Promise.K_ANONYMITY}))) is None


@pytest.mark.parametrize("noise", [(), ((1, "Flu"),)])
def test_people_are_counted_by_label_too(noise):
    release = account(noise=noise)
    columns = columns_of(release.to_frame())
    lost = {name: cells[:-1] for name, cells in columns.items()}
    trial = Trial(subject(lambda _: TablePublication(lost, release)), PATIENTS)
    found = caught("k-anonymity", trial)
    assert (found.found, found.output_rows) == ("2", tuple(range(3, 5 + len(noise))))


def test_sets_that_are_equal_are_one_class_however_they_print() -> None:
    case = TableCase({"n": (0, 8)}, ("n",), None, parameters={"k": 2})
    labels = frozenset([0, 8]), frozenset([8, 0])
    assert str(labels[0]) != str(labels[1])
    assert look("k-anonymity", foreign({"n": labels}, case=case)) is None


def test_offsets_of_times_tell_rows_apart() -> None:
    noons = tuple(datetime(2020, 1, 1, 12, tzinfo=timezone(timedelta(hours=h))) for h in (0, 1))
    case = TableCase({"t": noons}, ("t",), None, parameters={"k": 2})
    assert caught("k-anonymity", foreign({"t": noons}, case=case)).found == "1"


def test_a_missing_label_is_a_label() -> None:
    case = replace(PATIENTS, columns={**PATIENTS.columns, "age": (None, 25, 28, 40, 45, 49)})
    published = {"age": (None, *("25-49",) * 5), "ill": ILLS}
    promises = frozenset({Promise.K_ANONYMITY})
    found = caught("k-anonymity", foreign(published, case=case, promises=promises))
    assert found.output_rows == (0,)


# shared labels


def test_a_row_with_a_label_of_its_own():
    trial = own(account(), age=("20", "[20-28]", "[20-28]", *("[40-49]",) * 3))
    found = caught("shared labels", trial)
    assert (found.found, found.wanted, found.output_rows) == ("1", "0", (0,))


def test_a_class_published_with_fewer_rows():
    release = account()
    short = {name: cells[:5] for name, cells in columns_of(release.to_frame()).items()}
    trial = Trial(subject(lambda _: TablePublication(short, release)), PATIENTS)
    found = caught("shared labels", trial)
    assert (found.found, found.wanted) == ("2", "3")
    assert (found.input_rows, found.output_rows) == ((3, 4, 5), (3, 4))


# truth


def test_a_label_that_covers_nobody_left():
    found = caught(
        "truthful labels", foreign({"age": (*AGES[:3], "20-29", *AGES[4:]), "ill": ILLS})
    )
    # Three people are between 20 and 29, and four rows say so.
    assert (found.found, found.wanted) == ("1 without an original", "<= 0")
    assert found.output_rows == (3,)
    assert found.input_rows == (0,)


def test_one_by_one_every_row_fits_and_together_they_do_not():
    case = replace(PATIENTS, sensitive=None, columns={"age": (20, 25, 40)}, identifiers=())
    found = caught("truthful labels", foreign({"age": ("20-25",) * 3}, case=case))
    assert len(found.output_rows) == 1


def test_a_label_nobody_can_read():
    trial = foreign({"age": ("young",) * 3 + AGES[3:], "ill": ILLS})
    assert by_name("truthful labels").function(trial) == InDoubt("labels of age cannot be read")
    release = account()
    odd = ("{young",) * 3 + columns_of(release.to_frame())["age"][3:]
    # With an account of kproof's labels are what kproof writes.
    told = caught("truthful labels", own(release, age=odd))
    assert told.sentence == "column age: label {young cannot be read, with an account"
    assert told.output_rows == (0, 1, 2)


def test_a_label_that_does_not_cover_a_record_of_its_class():
    release = account()
    object.__setattr__(release, "recoded", (replace(release.recoded[0], high=np.array([1, 5])),))
    found = caught("truthful labels", own(release))
    assert found.sentence == "record 2 has age=28, but its class is published as age=[20-25]"
    assert (found.input_rows, found.output_rows) == ((2,), (0, 1, 2))


def test_noise_has_no_original_and_needs_none():
    release = account(noise=((0, "HIV"),))
    assert look("truthful labels", own(release)) is None
    silent = replace(release, noise_group=np.zeros(0, int), noise_value=np.zeros(0, int))
    columns = columns_of(release.to_frame())
    trial = Trial(subject(lambda _: TablePublication(columns, silent)), PATIENTS)
    assert caught("truthful labels", trial).found == "1 without an original"


def test_a_lost_record():
    lost = {name: cells[:5] for name, cells in HEALTHY.items()}
    found = caught("records accounted for", foreign(lost))
    assert (found.found, found.wanted) == ("5", "6")
    assert look("records accounted for", foreign(lost, suppresses=True)) is None


def test_an_invented_record():
    more = {"age": (*AGES, "40-49"), "ill": (*ILLS, "Flu")}
    assert caught("records accounted for", foreign(more, suppresses=True)).wanted == "<= 6"


def test_columns_of_different_lengths() -> None:
    trial = foreign({"age": AGES, "ill": ILLS[:4]})
    assert caught("records accounted for", trial).found == "[4, 6]"
    assert sketch(trial.outcome).splitlines()[-1].split() == ["5", "40-49", "-"]


def test_records_and_their_account():
    partly = account((0, 0, 0, 1, 1, -1))
    assert look("records accounted for", own(partly)) is None
    hidden = replace(partly, group_of=np.array([0, 0, 0, 1, 1, 1]))
    columns = columns_of(partly.to_frame())
    trial = Trial(subject(lambda _: TablePublication(columns, hidden)), PATIENTS)
    found = caught("records accounted for", trial)
    assert (found.found, found.wanted) == ("5", "6")


def test_the_account_of_another_table():
    other = replace(PATIENTS, columns={**PATIENTS.columns, "age": (20, 25, 29, 40, 45, 49)})
    found = caught("records accounted for", own(account(case=other)))
    assert found.sentence == "record 2 has age=28, its account has 29"
    assert found.input_rows == (2,)
    fewer = own(account((0, 0, 1, 1), case=PATIENTS.take(range(4))))
    assert caught("records accounted for", fewer).found == "4"


def test_an_altered_value():
    found = caught("sensitive values kept", foreign({"age": AGES, "ill": ("HIV", *ILLS[1:])}))
    assert (found.found, found.wanted) == ("1 x HIV", "1 x Flu")
    assert found.input_rows == (0, 3)
    assert found.output_rows == (0, 1, 4, 5)


def test_values_moved_between_people():
    moved = foreign({"age": AGES, "ill": ("HIV", "HIV", "HIV", "Flu", "Flu", "Cough")})
    found = caught("sensitive values kept", moved)
    assert "no record that is left fits" in found.sentence
    assert found.output_rows
    assert caught("truthful labels", moved).output_rows


def test_values_moved_between_classes_behind_the_account():
    trial = own(account(), ill=("Cough", "Flu", "Flu", "HIV", "HIV", "HIV"))
    found = caught("sensitive values kept", trial)
    assert (found.found, found.wanted) == ("1 x Flu", "1 x HIV")
    assert (found.input_rows, found.output_rows) == ((0, 1, 2), (0, 1, 2))


def test_swaps_are_replayed():
    start, now = (0, 0, 0, 1, 1, 1), (1, 0, 0, 0, 1, 1)
    assert look("sensitive values kept", own(account(now, (), ((0, 3),), start))) is None
    found = caught("sensitive values kept", own(account(now, (), ((0, 4),), start)))
    assert found.input_rows == (3, 4)
    assert caught("sensitive values kept", own(account(now, (), (), start))).input_rows == (0, 3)


def test_an_unaccounted_noise_value():
    trial = own(
        account(noise=((1, "Cough"),)), ill=("Cough", "Flu", "HIV", *("Flu",) * 2, *("HIV",) * 2)
    )
    found = caught("sensitive values kept", trial)
    assert (found.found, found.wanted) == ("1 x Flu", "1 x Cough")


def test_numbers_that_became_text_are_the_same():
    case = TableCase({"age": (20, 25), "pay": (1, 2)}, ("age",), "pay", parameters={"k": 2})
    for pay in (("1", "2"), (1.0, 2.0)):
        assert (
            look("sensitive values kept", foreign({"age": ("*", "*"), "pay": pay}, case=case))
            is None
        )


# diversity


def ask(**parameters: Any) -> TableCase:
    return replace(PATIENTS, parameters={"k": 3, **parameters})


@cases(
    # The second class is {Flu, HIV, HIV}: V = 2/9 = mu 8/12 for mu = 1/3.
    ("theta", Promise.THETA_SENSITIVITY, {"mu": "1/3"}, {"mu": "0.334"}, "2/9", (3, 4, 5)),
    ("p-sensitivity", Promise.P_SENSITIVITY, {"p": 2}, {"p": 3}, "2", (3, 4, 5)),
    ("l-diversity", Promise.L_DIVERSITY, {"l": 2}, {"l": 3}, "2", (3, 4, 5)),
    ("p+-sensitivity", Promise.P_PLUS_SENSITIVITY, {"p": 2}, {"p": 3}, "2", (0, 1, 2)),
    (
        "(p,alpha)-sensitivity",
        Promise.P_ALPHA_SENSITIVITY,
        {"p": 2, "alpha": 1},
        {"p": 2, "alpha": "1.01"},
        "1",
        (3, 4, 5),
    ),
    (
        "(p,alpha)-sensitivity",
        Promise.P_ALPHA_SENSITIVITY,
        {"p": 2, "alpha": 0},
        {"p": 3, "alpha": 0},
        "2",
        (3, 4, 5),
    ),
    # Shares 1/3, 1/2, 1/6 of the table, thrice 1/3 of one class, 1/3, 2/3, 0 of the other.
    ("t-closeness", Promise.T_CLOSENESS, {"t": "1/6"}, {"t": "0.16"}, "1/6", (0, 1, 2)),
)
@pytest.mark.parametrize("accounted", [False, True])
def test_diversity_is_decided_exactly(name, promise, good, bad, found, rows, accounted):
    def trial(parameters: dict[str, Any]) -> Trial:
        case = ask(**parameters)
        promises = PROMISES | {promise}
        if accounted:
            return own(account(), case=case, promises=promises)
        return foreign(HEALTHY, case=case, promises=promises)

    assert by_name(name).applies_to(trial(good).subject)
    assert look(name, trial(good)) is None
    violation = caught(name, trial(bad))
    assert violation.found == found
    assert violation.output_rows == rows
    assert violation.input_rows == (rows if accounted else ())


def test_a_model_without_its_parameters_says_nothing():
    for name in ("theta", "p-sensitivity", "p+-sensitivity", "l-diversity", "t-closeness"):
        assert look(name, foreign({"age": AGES, "ill": ("Flu",) * 6})) is None


def test_noise_counts_as_an_adversary_sees_it():
    case, promises = ask(mu="1/2"), PROMISES | {Promise.THETA_SENSITIVITY}
    assert look("theta", own(account(), case=case, promises=promises)) is not None
    assert look("theta", own(account(noise=((1, "Cough"),)), case=case, promises=promises)) is None


def test_numbers_are_as_far_apart_as_their_ranks():
    case = TableCase(
        {"age": (1, 2, 3, 4), "pay": (10, 20, 30, 40)}, ("age",), "pay", parameters={"t": "1/3"}
    )
    trial = foreign({"age": ("1-2",) * 2 + ("3-4",) * 2, "pay": (10, 20, 30, 40)}, case=case)
    assert look("t-closeness", trial) is None
    closer = replace(case, parameters={"t": "0.33"})
    assert caught("t-closeness", Trial(trial.subject, closer)).found == "1/3"
    named = replace(case, columns={**case.columns, "pay": ("a", "b", "c", "d")})
    trial = foreign({"age": ("1-2",) * 2 + ("3-4",) * 2, "pay": ("a", "b", "c", "d")}, case=named)
    assert caught("t-closeness", trial).found == "1/2"


# conduct


def test_an_identifier_by_name():
    for names in (tuple("uvwxyz"), ("x", *"*****"), ("Ann",) * 6):
        assert caught("no identifiers", foreign({**HEALTHY, "name": names})).found == "name"


@pytest.mark.parametrize("label", ["*", "suppressed", None, "", 0])
def test_a_suppressed_identifier_discloses_nothing(label):
    assert look("no identifiers", foreign({**HEALTHY, "name": (label,) * 6})) is None
    unnamed = replace(PATIENTS, columns={**PATIENTS.columns, "name": (None, *"bcdef")})
    assert look("no identifiers", foreign({**HEALTHY, "name": (label,) * 6}, case=unnamed)) is None


def test_an_identifier_by_content():
    found = caught(
        "no identifiers", foreign({"age": AGES, "ill": ILLS, "who": ("-",) * 5 + ("Fay",)})
    )
    assert (found.found, found.input_rows, found.output_rows) == ("Fay", (5,), (5,))


def test_numbers_of_rows():
    swapped = {"age": AGES[::-1], "ill": ILLS[::-1]}
    found = caught("no identifiers", foreign({**swapped, "index": (5, 4, 3, 2, 1, 0)}))
    assert found.found == "position in the source"
    assert found.input_rows == (5, 4, 3, 2, 1, 0)
    for harmless in ((0, 1, 2, 3, 4, 5), (1, 1, 1, 2, 2, 2), (0, 3, 1, 4, 2, 5)):
        assert look("no identifiers", foreign({**swapped, "index": harmless})) is None
    # Rows numbered as they stand say no more than their order does.
    assert look("no identifiers", foreign({**HEALTHY, "index": (0, 1, 2, 3, 4, 5)})) is None


def test_a_label_that_happens_to_be_an_identifier_is_none():
    case = replace(
        PATIENTS, columns={**PATIENTS.columns, "name": ("*", "20-29", "Flu", "a", "b", "c")}
    )
    assert look("no identifiers", foreign(HEALTHY, case=case)) is None


def test_an_undocumented_error():
    assert caught("refuses clearly", raising(KeyError("age"))).found == "KeyError"
    assert look("refuses clearly", raising(KeyError("age"), errors=(KeyError,))) is None
    silent = raising(ValueError(""), errors=(ValueError,))
    assert caught("refuses clearly", silent).found == "no message"


@cases(
    ({Promise.K_ANONYMITY}, {"k": 7}, "6 records, k = 7"),
    ({Promise.L_DIVERSITY}, {"k": 2, "l": 4}, "3 distinct sensitive values, l = 4"),
    ({Promise.P_SENSITIVITY}, {"k": 2, "p": 4}, "3 distinct sensitive values, p = 4"),
    ({Promise.P_PLUS_SENSITIVITY}, {"k": 2, "p": 3}, "2 categories, p = 3"),
    (
        {Promise.P_ALPHA_SENSITIVITY},
        {"k": 2, "p": 2, "alpha": 3},
        "all values weigh 2 together, alpha = 3",
    ),
    # The largest V of three values is 25/36 < 0.6 (16 - 1)/12.
    (
        {Promise.THETA_SENSITIVITY},
        {"k": 4, "mu": "0.6"},
        "V of 3 distinct values stays below theta = 3/4",
    ),
)
def test_what_nobody_can_serve_is_refused(promises, parameters, reason):
    case = replace(PATIENTS, parameters=parameters)
    found = caught("refuses clearly", foreign(HEALTHY, case=case, promises=frozenset(promises)))
    assert found.sentence.endswith(reason)
    refused = raising(Infeasible("too much"), case=case, promises=frozenset(promises))
    assert look("refuses clearly", refused) is None
    assert look("publishes when it can", refused) is None


def test_nothing_published_is_a_refusal_only_for_one_who_suppresses():
    case = replace(PATIENTS, parameters={"k": 7})
    nothing: dict[str, tuple[object, ...]] = {"age": (), "ill": ()}
    assert caught("refuses clearly", foreign(nothing, case=case)).found == "0 rows"
    assert look("refuses clearly", foreign(nothing, case=case, suppresses=True)) is None


def test_a_request_that_can_be_served():
    assert caught("publishes when it can", raising(Infeasible("no"))).found == "a refusal"
    nothing: dict[str, tuple[object, ...]] = {"age": (), "ill": ()}
    assert caught("publishes when it can", foreign(nothing)).found == "0 rows"
    gap = replace(PATIENTS, columns={**PATIENTS.columns, "age": (None, 25, 28, 40, 45, 49)})
    for case in (replace(PATIENTS, parameters={"k": 1}), replace(PATIENTS, parameters={}), gap):
        assert look("publishes when it can", raising(Infeasible("no"), case=case)) is None


def test_noise_serves_more_requests():
    # V of the table is 41/36 - (5/6)^2 = 5/9 < 2/3 = theta <= 25/36.
    case, promises = ask(mu=1), PROMISES | {Promise.THETA_SENSITIVITY}
    refusal = Infeasible("no")
    assert look("publishes when it can", raising(refusal, case=case, promises=promises)) is None
    padding = raising(refusal, case=case, promises=promises, pads=True)
    assert look("publishes when it can", padding) is not None
    refusing = raising(refusal, case=ask(mu=1, exhausted="refuse"), promises=promises, pads=True)
    assert look("publishes when it can", refusing) is None


def test_monotone_in_k():
    def all_or_nothing(least: int, columns: dict[str, tuple[object, ...]]) -> Trial:
        def publish(case: TableCase) -> TablePublication:
            if case.parameters["k"] < least:
                raise Infeasible("no")
            return TablePublication(columns)

        return Trial(subject(publish), PATIENTS)

    assert look("monotone in k", all_or_nothing(3, HEALTHY)) is None
    found = caught("monotone in k", all_or_nothing(4, HEALTHY))
    assert found.sentence == "k = 4 is served and k = 3 refused: Infeasible: no"
    found = caught(
        "monotone in k", all_or_nothing(3, {"age": (*AGES[:4], "45", "49"), "ill": ILLS})
    )
    assert "published for k = 4: class age=40-49: 1 real record, k = 3" in found.sentence


def _in_order(case: TableCase) -> TablePublication:
    """Cut the rows as they come in groups of three; the labels are true."""
    ages: Any = case.columns["age"]
    cut = [ages[start : start + 3] for start in range(0, case.rows, 3)]
    labels = tuple(f"{min(part)}-{max(part)}" for part in cut for _ in part)
    return TablePublication({"age": labels, "ill": case.columns["ill"]})


def _sorted(case: TableCase) -> TablePublication:
    ages = case.columns["age"]
    return _in_order(case.take(sorted(range(case.rows), key=lambda row: str(ages[row]))))


def test_order_matters_to_those_who_say_it_does_not():
    promises = PROMISES | {Promise.ORDER_INDEPENDENT}
    assert look("permutation", Trial(subject(_in_order), PATIENTS)) is None
    found = caught("permutation", Trial(subject(_in_order, promises), PATIENTS))
    assert found.sentence.startswith("with the records in the order 5, 4, 3, 2, 1, 0: row 0 has")
    assert look("permutation", Trial(subject(_sorted, promises), PATIENTS)) is None


def test_promises_hold_in_any_order():
    def last_alone(case: TableCase) -> TablePublication:
        if case.columns["name"][-1] == "Fay":
            return TablePublication({"age": ("20-49",) * 6, "ill": case.columns["ill"]})
        return TablePublication({"age": ("20-49",) * 5 + ("20",), "ill": case.columns["ill"]})

    found = caught("permutation", Trial(subject(last_alone), PATIENTS))
    assert found.sentence == (
        "with the records in the order 5, 4, 3, 2, 1, 0: class age=20: 1 real record, k = 3"
    )


def test_an_answer_that_changes():
    asked: Counter[object] = Counter()

    def counting(case: TableCase) -> TablePublication:
        asked[case.columns["age"]] += 1
        return TablePublication({"age": (str(asked[case.columns["age"]]),) * 6})

    found = caught("deterministic", Trial(subject(counting), PATIENTS))
    assert found.sentence == "asked again, after another case: row 0 has age=2 instead of 1"
    seen: list[tuple[object, ...]] = []

    def remembering(case: TableCase) -> TablePublication:
        seen.append(case.columns["ill"])
        return TablePublication({"ill": max(seen)})

    low = replace(PATIENTS, columns={**PATIENTS.columns, "ill": tuple("abcdef")})
    found = caught("deterministic", Trial(subject(remembering), low))
    assert found.sentence == "asked again, after another case: row 0 has ill=f instead of a"


def test_a_type_that_changes_is_an_answer_that_changes():
    answers = iter([{"age": (1,)}, {"age": (1,)}, {"age": (1.0,)}])
    trial = Trial(subject(lambda _: TablePublication(next(answers))), PATIENTS)
    assert caught("deterministic", trial).sentence == (
        "asked again, after another case: row 0 has age=1.0 instead of 1"
    )


def test_answers_that_take_turns_are_noticed_whatever_was_asked_before():
    for before in range(4):
        turns = cycle(({"age": (1,)}, {"age": (2,)}))

        def publish(_: TableCase, turns: Iterator[Any] = turns) -> TablePublication:
            return TablePublication(next(turns))

        trial = Trial(subject(publish), PATIENTS)
        assert trial.published
        for _ in range(before):
            trial.answer(PATIENTS)
        assert look("deterministic", trial) is not None


def test_a_changed_input():
    changed = subject(lambda _: TablePublication(HEALTHY, changed=("age",)))
    assert caught("input unchanged", Trial(changed, PATIENTS)).found == "changed: age"

    def greedy(case: TableCase) -> TablePublication:
        tree: Any = case.hierarchies["age"]
        tree[str(len(tree))] = "*"
        return TablePublication(HEALTHY)

    case = replace(PATIENTS, hierarchies={"age": {"*": "*"}})
    assert caught("input unchanged", Trial(subject(greedy), case)).wanted == "unchanged"


# other processes


def by_set() -> Subject:
    """A subject whose labels list a set in the order of its hashes."""

    def publish(case: TableCase) -> TablePublication:
        towns = "{" + ", ".join(set(map(str, case.columns["town"]))) + "}"
        return TablePublication({"town": (towns,) * case.rows})

    return subject(publish, recipe=("test_checks_tables:by_set",))


def by_list() -> Subject:
    """A subject that sorts them."""

    def publish(case: TableCase) -> TablePublication:
        print("a word of its own")
        towns = "{" + ", ".join(sorted(map(str, case.columns["town"]))) + "}"
        return TablePublication({"town": (towns, repr(case.parameters["date"]))})

    return subject(publish, recipe=("test_checks_tables:by_list",))


@pytest.fixture
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.mark.usefixtures("_importable")
def test_labels_in_the_order_of_hashes():
    towns = ("Ulm", "Bonn", "Jena", "Köln", "Rom", "\U0001f5fa", "a, b")
    moments = date(2020, 1, 2), datetime(2020, 1, 2, 3), time(4)
    parameters = {"date": (*moments, Decimal("0.1"), Fraction(1, 3))}
    case = TableCase({"town": towns}, ("town",), None, parameters=parameters)
    assert "two answers" in caught("hash seed", Trial(by_set(), case)).found
    assert look("hash seed", Trial(by_list(), case)) is None
    unheard = replace(case, parameters={"date": object()})
    for name in ("hash seed", "fresh process"):
        judgement = by_name(name).function(Trial(by_list(), unheard))
        assert judgement == NotApplicable("another process cannot be handed such values")


@pytest.mark.usefixtures("_importable")
def test_a_subject_that_cannot_be_made_elsewhere():
    nowhere = replace(by_list(), recipe=("test_checks_tables:by_magic",))
    with pytest.raises(InvalidArgument, match=r"recipe = .*by_magic: need a subject .* by_magic"):
        look("hash seed", Trial(nowhere, PATIENTS))
    assert look("hash seed", Trial(replace(nowhere, recipe=None), PATIENTS)) is None
    assert by_name("hash seed").costly


# checkers


class Forgetful:
    """θ in floats: wrong at equality."""

    def __init__(self, k: int, mu: str) -> None:
        self.theta = float(mu) * (k * k - 1) / 12

    def check(self, classes: Any) -> Any:
        found = classes.histogram
        worst = 9.0
        for start, end in zip(found.starts, found.starts[1:], strict=False):
            counts = sorted((found.counts[start:end] / found.counts[start:end].sum()), reverse=True)
            first = sum(rank * share for rank, share in enumerate(counts, 1))
            second = sum(rank * rank * share for rank, share in enumerate(counts, 1))
            worst = min(worst, second - first * first)
        return SimpleNamespace(holds=bool(worst >= self.theta))


# V of (2, 1, 1, 1) is 34/25 = 0.68 (25 - 1)/12.
EDGE = TableCase(
    {"age": (1,) * 5, "ill": tuple("aabcd")}, ("age",), "ill", parameters={"k": 5, "mu": "0.68"}
)


def test_a_checker_in_floats():
    wrong = Trial(checker_subject("theta-sensitivity", Forgetful), EDGE)
    found = caught("agrees with brute force", wrong)
    assert found.sentence == (
        "theta-sensitivity (k = 5, mu = 0.68) holds by its definition, "
        "and the checker says that it does not hold"
    )
    assert look("checker idempotent", wrong) is None
    [right] = [one for one in checkers() if one.name == "checker of theta-sensitivity"]
    assert look("agrees with brute force", Trial(right, EDGE)) is None
    with pytest.raises(InvalidArgument, match="definition = theta: need one of k-anonymity, "):
        checker_subject("theta", Forgetful)


def test_a_checker_that_remembers():
    asked: list[int] = []

    class Tired:
        def __init__(self, k: int) -> None:
            self.k = k

        def check(self, classes: Any) -> Any:
            asked.append(1)
            return SimpleNamespace(holds=len(asked) < 3)

    found = caught("checker idempotent", Trial(checker_subject("k-anonymity", Tired), EDGE))
    assert found.sentence == "k-anonymity holds, and after another table it does not hold"


def test_a_checker_is_a_subject_like_any_other():
    for check in checks(Kind.TABLE):
        for one in checkers():
            if check.applies_to(one) and not check.costly:
                case = ask(mu="1/2", p=2, l=2, t="1/2", beta=1, alpha=1)
                assert violation_of(check.function(Trial(one, case))) is None


# kproof's own


@pytest.mark.parametrize("name", ["mondrian", "kaca", "theta-sensitive", "p-plus-sensitive"])
def test_an_anonymizer_of_the_registry_passes(name):
    columns = {**PATIENTS.columns, "age": (20, None, 28, 40, 45, 49)}
    case = replace(PATIENTS, columns=columns, parameters={"k": 2, "mu": "2/3", "p": 2})
    trial = Trial(own_subject(name), case)
    assert trial.published
    for check in checks(Kind.TABLE):
        if check.applies_to(trial.subject) and not check.costly:
            assert violation_of(check.function(trial)) is None, check.name


def test_classes_that_look_alike_are_one_to_a_reader():
    """Each class has V = 11/16 = theta; under their common label they have 39/64."""
    columns = {"age": (30,) * 8, "ill": tuple("aaabbbcc")}
    case = TableCase(columns, ("age",), "ill", parameters={"k": 4, "mu": "0.55"})
    apart = own(account((0, 0, 1, 0, 1, 1, 0, 1), case=case), case=case)
    assert caught("theta", apart).found == "39/64"
    ours = Trial(own_subject("theta-sensitive"), case)
    assert look("theta", ours) is None
    assert look("theta", foreign(dict(ours.outcome.columns), case=case)) is None


def test_severities():
    harmful = {one.name for one in checks(Kind.TABLE) if one.severity is Severity.GUARANTEE}
    assert {"k-anonymity", "theta", "no identifiers"} <= harmful
    assert not {"deterministic", "truthful labels"} & harmful
