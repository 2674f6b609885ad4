"""Rows left out within a budget: never more, never for nothing, and with what was promised."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

import kproof
from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.methods import METHODS
from kproof.models.privacy import KAnonymity
from kproof.models.tables.coverage import penalties
from kproof.models.tables.cutting.losses import UNIT
from kproof.models.tables.recoding import recode
from kproof.models.tables.suppression.choosing import _Alike, sequences
from kproof.models.tables.suppression.method import vouch
from kproof.models.tables.suppression.promised import Promised, promises_of
from kproof.models.tables.table import Table
from kproof.models.tables.utility import loss_of, utility

OUTLIERS = {
    "age": [20, 21, 22, 23, 24, 25, 90, 60],
    "town": ["A", "A", "A", "B", "B", "B", "C", "C"],
    "disease": ["Flu", "HIV", "Flu", "HIV", "Flu", "HIV", "Flu", "HIV"],
}
ROLES = {"quasi_identifiers": ["age", "town"], "sensitive": "disease"}
ROWS = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from("ABC"), st.sampled_from(["Flu", "HIV", "Flue"])),
    min_size=4,
    max_size=14,
)


def table_of(rows, **roles):
    names = ["age", "town", "disease"]
    return Table.from_frame(pd.DataFrame(rows, columns=names), **(ROLES | roles))


@cases(
    ("mondrian", {}),
    ("mondrian", {"partitioning": "relaxed"}),
    ("mondrian", {"l": 2}),
    ("mondrian", {"t": "1/4"}),
    ("mondrian", {"mu": "1/3"}),
    ("kaca", {}),
    ("kaca-hierarchical", {}),
    ("theta-sensitive", {"mu": "1/3"}),
    ("theta-sensitive", {"mu": "1/3", "remainder": "suppress"}),
)
@pytest.mark.parametrize("suppressed", ["drop", "mark"])
@given(rows=ROWS, share=st.sampled_from(["0", "10%", "1/3", "0.5", "100%"]))
@settings(max_examples=15)
def test_no_more_rows_than_the_budget_and_every_promise(method, more, suppressed, rows, share):
    table, asked = table_of(rows), {"k": 2, **more}
    budget = Fraction(share.rstrip("%")) / (100 if "%" in share else 1)
    try:
        plain = METHODS[method].run(table, **asked)
    except Infeasible:
        return
    try:
        release = kproof.anonymize(method, table, suppress=share, suppressed=suppressed, **asked)
    except Infeasible:
        # Only a method that leaves rows out by itself can be over budget, or short of a class.
        assert len(plain.suppressed)
        return
    count = len(release.suppressed)
    assert count <= budget * table.rows
    assert release.budget == budget
    assert release.marked == (suppressed == "mark" and count > 0)
    assert release.rows == len(release.published()[0].codes)
    if len(plain.suppressed) <= budget * table.rows and suppressed == "drop":
        assert loss_of(release) <= loss_of(plain)
    models = promises_of(METHODS[method], METHODS[method].complete_arguments(asked), table)
    for model in (*models.every, *models.of.get("disease", ())):
        verdict = model.check(release.classes())
        assert verdict.holds, verdict
        # Whoever reads the file comes to the same answer.
        [again] = kproof.check(release.to_frame(), model, **ROLES, suppressed="*")
        assert again.holds
        if not len(release.noise_class):
            assert again.value == verdict.value


@given(rows=ROWS, seed=st.integers(0, 99))
def test_who_is_left_out_follows_from_quasi_identifiers_alone(rows, seed):
    random = np.random.default_rng(seed)
    order = random.permutation(len(rows))
    diseases = random.choice(["Flu", "HIV", "Flue"], size=len(rows))
    table = table_of(rows)
    other = table_of([(*rows[place][:2], diseases[place]) for place in order])
    for sets, again in zip(sequences(table, 2, 5), sequences(other, 2, 5), strict=True):
        found = [sorted(rows[row][:2] for row in out) for out in sets]
        assert found == [sorted(rows[order[row]][:2] for row in out) for out in again]
        for out in found:
            # Rows that are alike go together.
            assert all([row[:2] for row in rows].count(one) == out.count(one) for one in out)


@given(rows=ROWS, seed=st.integers(0, 99), numeric=st.booleans())
def test_what_is_gained_is_what_labels_lose_less(rows, seed, numeric):
    table = table_of(rows, numeric={"age": numeric})
    parts = np.unique(np.random.default_rng(seed).integers(0, 3, len(rows)), return_inverse=True)[1]
    found = _Alike.of(table, parts)
    for alike in range(len(found.gain)):
        gains = []
        for part in np.unique(parts[found.of_row == alike]).tolist():
            members = np.flatnonzero(parts == part)
            out = members[found.of_row[members] == alike]
            rest = np.setdiff1d(members, out)
            gain = 0.0
            for column in table.quasi_identifiers:
                whole = penalties(recode(column, np.where(parts == part, 0, -1), 1))[0]
                without = 0.0
                if len(rest):
                    kept = np.where(np.isin(np.arange(len(rows)), rest), 0, -1)
                    without = penalties(recode(column, kept, 1))[0]
                gain += len(rest) * (whole - without) - len(out) * (1 - whole)
            gains.append(gain)
        assert found.gain[alike] / UNIT == pytest.approx(sum(gains), abs=1e-6)


def test_an_outlier_is_left_out_and_accounted_for():
    release = kproof.anonymize("mondrian", pd.DataFrame(OUTLIERS), **ROLES, k=3, suppress="25%")
    assert release.suppressed.tolist() == [6, 7]
    assert release.rows == 6
    assert not release.marked
    account = release.to_dict()
    assert account["suppression"] == {"rows": 2, "share": "1/4", "budget": "1/4", "mark": None}
    assert "suppressed rows: 2 of at most 2, not in the file" in release.summary()
    costs = utility(release, queries=0)
    assert (costs.suppressed, costs.retention, costs.budget) == (2, Fraction(3, 4), Fraction(1, 4))
    assert "2 suppressed of at most 2 and dropped" in str(costs)


def test_marked_rows_keep_their_values_and_are_a_class():
    frame = pd.DataFrame(OUTLIERS | {"age": [50, 51, 52, 53, 54, 55, 1, 99]})
    asked = {"quasi_identifiers": ["age"], "sensitive": "disease", "k": 2, "l": 2}
    release = kproof.anonymize("mondrian", frame, **asked, suppress="1/4", suppressed="mark")
    assert release.marked
    assert release.rows == 8
    published = release.to_frame()
    assert sorted(published[published["age"] == "*"]["disease"]) == ["Flu", "HIV"]
    assert release.classes().label(release.hidden_class) == "suppressed rows"
    assert release.hidden_class in release.covering({"age": 1000})
    # The class of marked rows costs what dropped rows cost, and is none that was formed.
    dropped = kproof.anonymize("mondrian", frame, **asked, suppress="1/4")
    assert dropped.suppressed.tolist() == release.suppressed.tolist() == [6, 7]
    assert loss_of(dropped) == loss_of(release)
    assert utility(release).classes == release.count - 1
    assert release.to_dict()["suppression"]["mark"] == "*"


def test_marked_rows_without_a_sensitive_column_tell_of_nobody():
    frame = pd.DataFrame(OUTLIERS)[["age", "town"]]
    roles = {"quasi_identifiers": ["age", "town"]}
    release = kproof.anonymize("mondrian", frame, **roles, k=3, suppress="25%", suppressed="mark")
    [verdict] = kproof.check(release, KAnonymity(3))
    [again] = kproof.check(release.to_frame(), KAnonymity(3), **roles, suppressed="*")
    assert verdict.holds
    assert again.holds
    assert verdict.scope.suppressed == 2
    assert str(again).endswith("not considered: 2 suppressed rows that show nothing")
    assert not kproof.check(release.to_frame(), KAnonymity(3), **roles)[0]


def test_a_method_that_leaves_rows_out_itself_is_held_to_the_budget_and_the_mark():
    table, asked = table_of(list(zip(*OUTLIERS.values(), strict=True))), {"k": 3, "mu": "1/3"}
    own = {"form": "order", "remainder": "suppress"}
    assert len(kproof.anonymize("theta-sensitive", table, **asked, **own).suppressed) == 2
    with pytest.raises(
        Infeasible, match=r"at most 1 of 8 rows .* leaves out 2; allow suppress = 2/8"
    ):
        kproof.anonymize("theta-sensitive", table, **asked, **own, suppress="1/8")
    with pytest.raises(Infeasible, match=r"the 2 suppressed rows are a class of their own, and k-"):
        kproof.anonymize("theta-sensitive", table, **asked, **own, suppressed="mark")
    few = table_of([(20, "A", "Flu")])
    release = kproof.anonymize("kaca", few, k=2, reading="printed")
    assert release.suppressed.tolist() == [0]
    assert release.rows == 0
    with pytest.raises(Infeasible, match="the 1 suppressed row is a class of its own"):
        kproof.anonymize("kaca", few, k=2, reading="printed", suppressed="mark")
    with pytest.raises(InvalidArgument, match="as classes says what becomes of each row"):
        kproof.anonymize("theta-sensitive", table, k=4, classes=[0] * 4 + [1] * 4, suppress="50%")


def test_dropped_rows_that_break_a_promise_are_not_published():
    release = kproof.anonymize("mondrian", pd.DataFrame(OUTLIERS), **ROLES, k=3, suppress="25%")
    with pytest.raises(Infeasible, match=r"with 2 rows left out k-anonymity\(k=7\) fails"):
        vouch(release, Promised((KAnonymity(7),)), marked=False)


@pytest.mark.parametrize("share", ["105%", "-1%", "5", 1.5, "many", "", "5%%", None])
def test_a_share_is_from_nothing_to_all(share):
    frame = pd.DataFrame(OUTLIERS)
    if share is None:
        assert kproof.anonymize("mondrian", frame, **ROLES, k=3, suppress=share).budget is None
        return
    with pytest.raises(InvalidArgument, match="need 0 to 1, or 0% to 100%"):
        kproof.anonymize("mondrian", frame, **ROLES, k=3, suppress=share)


def test_a_value_that_looks_like_the_mark_is_not_marked():
    frame = pd.DataFrame(OUTLIERS | {"town": [*"AAABBB", "*", "*"]})
    with pytest.raises(DataError, match=r"column town has the value \*, which is what suppressed"):
        kproof.anonymize("mondrian", frame, **ROLES, k=3, suppress="25%", suppressed="mark")
    with pytest.raises(InvalidArgument, match="need drop or mark"):
        kproof.anonymize("mondrian", frame, **ROLES, k=3, suppressed="*")
    with pytest.raises(InvalidArgument, match="a method for tables; k-degree takes a graph"):
        kproof.anonymize("k-degree", frame, k=3, suppress="5%")


def test_full_domain_marks_what_it_leaves_out():
    ages = kproof.Taxonomy.from_paths([(str(age), f"{age // 10}0s", "*") for age in range(20, 100)])
    frame = pd.DataFrame({"age": [20, 21, 22, 30, 31, 32, 90, 60], "disease": OUTLIERS["disease"]})
    roles = {"quasi_identifiers": ["age"], "sensitive": "disease", "taxonomies": {"age": ages}}
    asked = {**roles, "suppress": "25%", "suppressed": "mark"}
    release = kproof.anonymize("full-domain", frame, **asked, k=2)
    assert release.levels == {"age": 1}
    assert release.suppressed.tolist() == [6, 7]
    assert sorted(release.published()[0].values) == ["*", "20s", "30s"]
    assert release.budget == Fraction(1, 4)
    with pytest.raises(Infeasible, match="drop them"):
        kproof.anonymize("full-domain", frame, **asked, k=3)


def test_people_with_several_rows_and_several_sensitive_columns():
    frame = pd.DataFrame(OUTLIERS | {"pay": [1, 2, 1, 2, 1, 2, 1, 2], "who": list("aabcdefg")})
    roles = {"quasi_identifiers": ["age"], "sensitive": ["disease", "pay"], "person": "who"}
    release = kproof.anonymize("mondrian", frame, **roles, k=3, l=2, suppress="25%")
    assert release.suppressed.tolist() == [6, 7]
    assert release.classes().real_sizes.min() >= 3
    models = promises_of(METHODS["mondrian"], {"k": 3, "l": {"pay": 2}}, release.table)
    assert [*models.of] == ["pay"]
    assert models.fewest_rows == 3
    assert all(models.verdicts(release.classes()))
