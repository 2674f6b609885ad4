"""The experiment of the θ paper on small tables, and on Adult where it is at hand."""

import csv
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from public_data import data_file
from tables import data_frame
from theta_oracles import spread

from kproof.errors import DataError
from kproof.models.papers import theta_checks as paper_checks
from kproof.models.papers import theta_experiment_files
from kproof.models.papers.theta_experiment import (
    CATEGORIES,
    QUASI_IDENTIFIERS,
    ComparedMethod,
    ExperimentSetting,
    ThetaExperiment,
    adult,
    below,
    resample,
    rows_of,
    run,
)
from kproof.models.papers.theta_experiment_files import PLOTS, main, save, table_11
from kproof.models.tables.table import Table
from kproof.models.tables.theta.method import theta_sensitive

ROOT = Path(__file__).parents[3]
SETTING = ExperimentSetting(
    rows=300, k=(2, 4), queries=20, selectivities=("0.1", "0.4"), selectivity_k=4, repeats=1
)
TIMES = {"times.csv", "times.json", "figure-7-time.svg", "figure-7-time.png"}


def frame(rows: int = 120) -> pd.DataFrame:
    draw = np.random.default_rng(7)
    return data_frame(
        age=draw.integers(17, 90, rows),
        fnlwgt=draw.integers(10_000, 90_000, rows),
        income=draw.choice(["<=50K", ">50K"], rows),
        occupation=draw.choice(sorted(map(str, CATEGORIES)), rows),
    )


def table() -> Table:
    roles = {"quasi_identifiers": ["age", "fnlwgt", "income"], "sensitive": "occupation"}
    return Table.from_frame(frame(), **roles, categories=CATEGORIES)


@pytest.fixture(scope="module")
def found() -> ThetaExperiment:
    return run(table(), SETTING)


@pytest.fixture(scope="module")
def folder(found: ThetaExperiment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables")
    save(found, path)
    return path


def test_every_method_is_measured(found):
    assert [(one.k, one.method) for one in found.measures] == [
        (k, method) for k in (2, 4) for method in ComparedMethod
    ]
    assert sum(found.counts.values()) == 300
    for one in found.measures:
        assert one.baseline == 300 * one.k
        assert one.classes is not None
        assert one.noise is not None
        assert one.discernibility is not None
        published = 300 + one.noise
        assert one.average_class_size == Fraction(published, one.classes * one.k)
        # Cauchy's inequality; the printed algorithm alone may leave classes below theta.
        assert one.discernibility * one.classes >= published**2
        if one.method in (ComparedMethod.THETA, ComparedMethod.THETA_ORDER):
            assert one.below_theta == 0
    assert {one.selectivity for one in found.queries} == {"0.1", "0.4"}
    assert len(found.queries) == 2 * len(ComparedMethod)


def test_classes_below_theta_one_by_one():
    classes = theta_sensitive(table(), k=4, reading="printed").classes()
    own = {}
    for index, code in zip(classes.of_row.tolist(), classes.sensitive.tolist(), strict=True):
        own.setdefault(index, Counter())[code] += 1
    for threshold in (Fraction(3, 4), Fraction(11, 16), Fraction(1, 4)):
        slow = sum(spread(counts.values()) < threshold for counts in own.values())
        assert below(classes, threshold) == slow


def test_records_are_drawn_whole():
    whole = table()
    sample = resample(whole, 50, seed=3)
    again = resample(whole, 50, seed=3)
    picked = np.random.Generator(np.random.PCG64(3)).integers(0, 120, 50)
    source = frame()
    for column, name in zip(
        (*sample.quasi_identifiers, sample.sensitive),
        ("age", "fnlwgt", "income", "occupation"),
        strict=True,
    ):
        values = [column.values[code] for code in column.codes]
        assert values == source[name].iloc[picked].tolist()
        assert set(column.values) == set(values)
    assert sample.sensitive.codes.tolist() == again.sensitive.codes.tolist()
    assert rows_of(whole, np.array([5])).rows == 1


def test_what_is_written_is_reproducible(found, folder, tmp_path):
    again = save(run(table(), SETTING), tmp_path)
    assert len(again) == 7 + 2 * len(PLOTS)
    assert {path.name for path in again} == {path.name for path in folder.iterdir()}
    for path in again:
        if path.name not in TIMES:
            assert path.read_bytes() == (folder / path.name).read_bytes(), path.name
    document = json.loads((folder / "experiment.json").read_text(encoding="utf-8"))
    assert document["setting"]["rows"] == 300
    assert len(document["measures"]) == len(found.measures)
    assert (folder / "figure-3-discernibility.png").read_bytes()[:4] == b"\x89PNG"
    drawing = (folder / "figure-5-noise.svg").read_text(encoding="utf-8")
    assert all(str(method) in drawing for method in ComparedMethod)
    assert [row["k"] for row in table_11(found)] == [2, 4]


def test_what_was_measured_is_read_back(found, folder, tmp_path):
    for method in ComparedMethod:
        noise = paper_checks.measured("noise", method, folder=folder)
        own = [one for one in found.measures if one.method is method]
        assert noise == {str(one.k): str(one.noise) for one in own}
        first, last = (int(noise[k]) for k in ("2", "4"))
        assert paper_checks.at("noise", method, 4, 2, folder=folder) == (str(last), str(first))
        rising = paper_checks.tendency("noise", method, folder=folder)
        assert rising == ("rises" if last >= first else "falls")
    sizes = {one.method: one.discernibility for one in found.measures if one.k == 2}
    later = {one.method: one.discernibility for one in found.measures if one.k == 4}
    for own in ComparedMethod:
        for other in ComparedMethod:
            less = all(by[own] < by[other] for by in (sizes, later))
            assert paper_checks.always_less("discernibility", own, other, folder=folder) == less
    with pytest.raises(DataError, match="no column speed"):
        paper_checks.measured("speed", "mondrian", folder=folder)
    with pytest.raises(DataError, match="cannot be read"):
        paper_checks.measured("noise", "mondrian", folder=tmp_path / "none")


def test_the_command(tmp_path, capsys, monkeypatch):
    # All drawings are compared above; matplotlib takes a second for two of them.
    monkeypatch.setattr(theta_experiment_files, "PLOTS", PLOTS[:1])
    path = tmp_path / "people.csv"
    frame().to_csv(path, index=False)
    assert main([str(path), "--out", str(tmp_path / "out"), "--rows", "200", "--k", "3"]) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[0] == str(tmp_path / "out" / "measures.csv")
    assert "k = 3: mondrian" in shown.err
    assert main([str(tmp_path / "none.csv")]) == 2
    assert "none.csv" in capsys.readouterr().err
    other = tmp_path / "other.csv"
    other.write_text("age,fnlwgt,income,occupation\n1,2,x,pilot\n3,4,y,cook\n", encoding="utf-8")
    assert main([str(other)]) == 2
    assert "none of Adult's occupations" in capsys.readouterr().err


def test_the_published_results_follow_from_adult():
    path = data_file("adult.data")
    document = json.loads((ROOT / "results/tables/experiment.json").read_text(encoding="utf-8"))
    sample = resample(adult(path), document["setting"]["rows"], seed=document["setting"]["seed"])
    counts = Counter(sample.sensitive.values[code] for code in sample.sensitive.codes)
    assert document["counts"] == counts
    release = theta_sensitive(sample, k=10, form="diverse")
    shown = release.to_frame()
    assert isinstance(shown, pd.DataFrame)
    sizes = Counter(zip(*(shown[name] for name in QUASI_IDENTIFIERS), strict=True)).values()
    with open(ROOT / "results/tables/measures.csv", encoding="utf-8", newline="") as file:
        rows = {(row["method"], row["k"]): row for row in csv.DictReader(file)}
        row = rows[str(ComparedMethod.THETA), "10"]
    assert int(row["discernibility"]) == sum(size * size for size in sizes)
    assert int(row["noise"]) == len(release.noise_class)


@pytest.mark.parametrize("name", ["measures.csv", "queries.csv", "times.csv"])
def test_what_comes_with_kproof_is_what_was_measured(name):
    shipped = ROOT / "src" / "kproof" / "datasets" / "experiment" / name
    assert shipped.read_bytes() == (ROOT / "results" / "tables" / name).read_bytes()
