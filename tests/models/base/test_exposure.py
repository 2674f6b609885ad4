"""What columns published as they are single out: every figure beside a count of tuples."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell import printed
from single_rows import columns_of, single
from tables import data_frame

from kproof.models.api import anonymize
from kproof.models.attacks import attack
from kproof.models.base.exposure import WIDEST, Exposure
from kproof.models.frontier import frontier
from kproof.models.tables.published import classes_of_frame
from kproof.models.tables.risk import risk

TABLES = columns_of(st.just(4), least=0, rows=20, columns=(2, 6))


@given(TABLES)
def test_figures_are_those_that_counting_finds(table):
    classes, *others = table
    names = tuple(f"c{place}" for place in range(len(others)))
    exposure = Exposure(np.array(classes), names, tuple(np.array(codes) for codes in others))
    assert [one.rows for one in exposure.each] == [single(codes) for codes in others]
    assert [one.rows for one in exposure.each_with] == [single(classes, codes) for codes in others]
    assert exposure.without == single(classes)
    sizes = [size for size in (2, 3) if size <= len(others)]
    assert [len(one.columns) for one in exposure.together] == sizes
    for size, one in zip(sizes, exposure.together, strict=True):
        assert one.rows == single(*(others[names.index(name)] for name in one.columns))
        assert one.rows == max(single(*chosen) for chosen in combinations(others, size))
    told = any(single(codes) for codes in others) or any(one.rows for one in exposure.together)
    told |= any(single(classes, codes) > single(classes) for codes in others)
    assert bool(str(exposure)) == told


def test_sets_of_many_columns_are_bounded_and_that_is_said():
    rng = np.random.default_rng(3)
    codes = tuple(rng.integers(0, 4, 40) for _ in range(WIDEST + 5))
    names = tuple(f"c{place}" for place in range(len(codes)))
    exposure = Exposure(np.zeros(40, dtype=np.int64), names, codes)
    for best, size in zip(exposure.together, (2, 3), strict=True):
        assert best.rows == single(*(codes[names.index(name)] for name in best.columns))
        assert best.at_most is not None
        assert best.at_most >= max(single(*chosen) for chosen in combinations(codes, size))
        assert best.to_dict()["at_most"] == best.at_most
    assert str(exposure).endswith(
        "other sets of 2 of the 17 columns at most 16, other sets of 3 of the 17 columns at most 40"
    )


def test_of_many_columns_that_single_nobody_out_the_bound_says_so():
    names = tuple(f"c{place}" for place in range(WIDEST + 5))
    same = (np.zeros(2, dtype=np.int64),) * len(names)
    exposure = Exposure(np.zeros(2, dtype=np.int64), names, same)
    assert [best.at_most for best in exposure.together] == [None, None]
    assert not str(exposure)


@pytest.fixture
def rows() -> pd.DataFrame:
    # Sixteen of twenty diaries are single ones: too few to be nearly all.
    diary = [*range(16), 16, 16, 17, 17]
    return data_frame(
        age=[30 + place // 5 for place in range(20)],
        diary=[f"d{one}" for one in diary],
        disease=["Flu", "HIV"] * 10,
    )


def test_everybody_who_judges_says_it(rows):
    roles = {"quasi_identifiers": ["age"], "sensitive": "disease", "other": ["diary"]}
    # d16 stands twice in the class of 33, and so does d17: the class adds nothing.
    plain = "other columns: of 20 rows diary singles out 16"
    classes = classes_of_frame(rows, **roles)
    release = anonymize("mondrian", rows, k=5, **roles)
    for scope in (
        risk(classes).scope,
        risk(release).scope,
        attack("homogeneity", release).scope,
        attack("homogeneity", rows, **roles).scope,
    ):
        assert plain in scope.notes
        assert scope.to_dict()["exposure"]["by_one"] == [{"columns": ["diary"], "rows": 16}]
    assert plain in release.summary().splitlines()
    assert release.to_dict()["exposure"]["with_quasi_identifiers"][0]["rows"] == 16
    comparison = frontier(rows, methods=["mondrian"], k=[5], jobs=1, **roles)
    assert plain in comparison.notes
    assert comparison.candidates[0].exposed == 16
    rows["diary"] = ["d0", "d1", "d2", "d3", "d4"] * 4
    met = risk(classes_of_frame(rows, **roles)).scope.notes
    assert (
        "other columns: of 20 rows the quasi-identifiers with diary single out 20 (without it 0)"
    ) in met


def test_a_column_that_gives_everybody_away_is_told_of_once(rows):
    rows["bed"] = [f"b{place}" for place in range(20)]
    roles = {"quasi_identifiers": ["age"], "sensitive": "disease", "other": ["diary", "bed"]}
    release = anonymize("mondrian", rows, k=5, **roles)
    beside = (
        "not considered: diary (published as it is), "
        "bed (published as it is, singles out 20 of 20 rows)"
    )
    other = "other columns: of 20 rows diary singles out 16"
    assert risk(release).scope.notes == (beside, other)
    assert {beside, other} <= set(release.summary().splitlines())
    assert frontier(rows, methods=["mondrian"], k=[5], jobs=1, **roles).notes[:2] == (beside, other)
    assert [one["rows"] for one in release.to_dict()["exposure"]["by_one"]] == [16, 20]


def test_the_command_says_it_once(rows, tmp_path):
    data, out = str(tmp_path / "data.csv"), str(tmp_path / "out.csv")
    rows.to_csv(data, index=False)
    roles = ("--qi", "age", "--sensitive", "disease", "--other", "diary", "--k", "5")
    for words in (
        ("anonymize", "mondrian", "--audience", "study", data, "-o", out),
        ("check", "--models-only", data),
    ):
        assert printed(*words, *roles).count("diary singles out 16") == 1


def test_a_set_that_gives_everybody_away_is_told_of_once():
    places = np.arange(36)
    rows = pd.DataFrame({"age": places // 12, "ward": places // 6, "bed": places % 6})
    roles = {"quasi_identifiers": ["age"], "other": ["ward", "bed"]}
    notes = risk(classes_of_frame(rows.astype(str), **roles)).scope.notes
    assert notes[0].count("singles out 36 of 36 rows") == 1
    assert not any("ward and bed" in note for note in notes[1:])
