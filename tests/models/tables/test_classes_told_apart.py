"""Classes are what a reader can tell apart: every figure against the rows of the written file.

The oracle is plain Python: the file is read with :mod:`csv`, its rows are grouped by their labels,
and figures are counted or summed as fractions. Nothing of a release is asked but what it prints.
"""

import csv
import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from cases import cases
from class_oracles import variation, width
from exits import aggregate
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from shell import printed, typed
from tables import column, sealed

import kproof
from kproof.errors import Infeasible, InvalidArgument
from kproof.models import privacy
from kproof.models.attacks import attack
from kproof.models.base.classes import Classes
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.papers.theta_experiment import CATEGORIES, ExperimentSetting, _time, resample
from kproof.models.papers.theta_experiment import run as run_experiment
from kproof.models.tables.cutting.least_loss import Cuts
from kproof.models.tables.mondrian.method import mondrian
from kproof.models.tables.plots import before_after
from kproof.models.tables.release import Release
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table
from kproof.models.tables.theta.method import theta_sensitive
from kproof.models.tables.utility import utility
from kproof.proptests.checks.grouping import View
from kproof.proptests.contract import TableCase, TablePublication
from kproof.proptests.strategies.taxonomies import taxonomies
from kproof.proptests.subjects.registered import own_subject

LEAVES = "abcdef"
ILLS = ("flu", "gout", "hiv", "itch", "jaundice")
RANKS = dict(zip(ILLS, (1, 1, 2, 2, 3), strict=True))
NAMES = ("leaf", "age", "town")


Seen = dict[tuple[str, ...], list[str]]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Tables with ties, missing cells and a hierarchy, so that many groups look alike."""
    rows = draw(st.integers(6, 28))

    def cells(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=rows, max_size=rows))

    some = st.sampled_from
    columns = [column("leaf", cells(some(LEAVES)), tree=draw(taxonomies(LEAVES)))]
    if draw(st.booleans()):
        columns.append(column("age", cells(some((1, 2, 4, MISSING)))))
    if draw(st.booleans()):
        columns.append(column("town", cells(some(("Ulm", "Bonn", MISSING)))))
    ill = column("ill", cells(some(ILLS[: draw(st.integers(3, 5))])))
    return Table(rows, tuple(columns), sensitive=ill, categories=RANKS)


def read(path: Path) -> tuple[list[str], list[tuple[str, ...]]]:
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, [tuple(row) for row in rows]


def groups(rows: list[tuple[str, ...]]) -> Seen:
    """The values of the rows that bear each label; the value is the last column."""
    seen = {}
    for *labels, value in rows:
        seen.setdefault(tuple(labels), []).append(value)
    return seen


def written(release: Release, path: Path) -> tuple[list[tuple[str, ...]], Seen]:
    release.to_csv(path)
    _, rows = read(path)
    return rows, groups(rows)


def released_by(method: str, table: Table, k: int, parameters: Mapping[str, Any]) -> Release:
    try:
        release = kproof.anonymize(method, table, k=k, **parameters)
    except (Infeasible, InvalidArgument):
        assume(False)
    assert isinstance(release, Release)
    return release


@cases(
    ("mondrian", {}),
    ("mondrian", {"partitioning": "relaxed", "l": 2}),
    ("mondrian", {"partitioning": "relaxed", "t": "1/2"}),
    ("mondrian", {"partitioning": "strict", "mu": "3/5"}),
    ("mondrian", {"partitioning": "relaxed", "mu": "11/20"}),
    ("mondrian", {"partitioning": "relaxed", "mu": 1, "l": 2, "t": "2/3"}),
    ("theta-sensitive", {"mu": "1/2"}),
    ("theta-sensitive", {"mu": "3/5", "form": "order"}),
    ("theta-sensitive", {"mu": "1/2", "reading": "printed"}),
    ("p-plus-sensitive", {"p": 2}),
    ("p-alpha-sensitive", {"p": 2, "alpha": "1/2"}),
    ("kaca", {}),
    ("kaca", {"clustering": "k-means"}),
    ("kaca", {"reading": "printed"}),
    ("kaca-hierarchical", {}),
)
@given(table=tables(), k=st.integers(2, 4))
@settings(max_examples=15)
def test_what_is_printed_is_what_the_file_shows(method, parameters, table, k):
    release = released_by(method, table, k, parameters)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "out.csv"
        rows, seen = written(release, path)
        sizes = [len(values) for values in seen.values()]
        account = release.to_dict()
        assert account["classes"] == {
            "count": len(seen),
            "smallest": min(sizes, default=0),
            "largest": max(sizes, default=0),
            "groups_formed": release.groups,
        }
        assert release.count == len(seen)
        assert re.search(rf"rows in {len(seen)} classes\b", release.summary())
        _costs_as_counted(release, rows, seen, k)
        _promises_kept(method, parameters, k, release, seen)
        _verdicts_agree(release, path, list(release.table.quasi_identifiers), k)
        _attacks_as_counted(release, seen)
        _order_and_numbers_tell_no_groups(release, rows, Path(folder) / "numbered.csv")
        for column in release.recoded:
            shown = before_after(release, column.column.name).after
            assert sum(shown) == pytest.approx(len(rows))


def _costs_as_counted(release: Release, rows: list[tuple[str, ...]], seen: Seen, k: int) -> None:
    cost = utility(release, k=k, queries=0)
    left_out = release.table.rows - (len(rows) - cost.noise)
    sizes = [len(values) for values in seen.values()]
    assert cost.classes == len(seen)
    squares = sum(size * size for size in sizes)
    assert cost.discernibility == squares + left_out * release.table.rows
    mean = Fraction(len(rows), k * len(seen)) if seen else None
    assert cost.average_class_size == mean
    if cost.noise or left_out:
        return
    for place, known in enumerate(release.table.quasi_identifiers):
        shares = [_share(row[place], known) for row in rows]
        assert cost.penalties[known.name] == pytest.approx(sum(shares) / len(shares))


def _share(label: str, column: Column) -> float:
    """The share of a column that a label leaves open, read from the label alone."""
    inside = label[1:-1].split(", ") if label.startswith("{") else [label]
    known = [value for value in column.values if value is not MISSING]
    if column.taxonomy is not None:
        tree = column.taxonomy
        total = int(tree.leaves[0])
        below = sum(int(tree.leaves[tree.index[one]]) for one in inside if one != "?")
        return below / total if below > 1 else 0.0
    if column.numeric:
        span = re.fullmatch(r"\[(.+)-(.+)\]", inside[0])
        if "?" in inside and len(inside) > 1:
            return 1.0
        if span is None:
            return 0.0
        assert all(isinstance(value, int) for value in known)
        numbers = [int(str(value)) for value in known]
        return (int(span[2]) - int(span[1])) / (max(numbers) - min(numbers))
    return len(inside) / len(column.values) if len(inside) > 1 else 0.0


def _promises_kept(
    method: str, asked: Mapping[str, Any], k: int, release: Release, seen: Seen
) -> None:
    if asked.get("reading") == "printed":
        return
    people = Counter(np.delete(release.class_of, release.suppressed).tolist())
    assert min(people.values()) >= k
    whole = [value for values in seen.values() for value in values]
    for values in seen.values():
        assert len(values) >= k
        assert len(set(values)) >= asked.get("l", 1)
        assert variation(values, whole) <= Fraction(asked.get("t", 1))
        if "mu" in asked:
            assert width(values) >= Fraction(asked["mu"]) * (k * k - 1) / 12
        if method == "p-plus-sensitive":
            assert len({RANKS[value] for value in values}) >= asked["p"]
        if method == "p-alpha-sensitive":
            assert len(set(values)) >= asked["p"]
            weight = sum((Fraction(int(str(RANKS[one])) - 1, 2) for one in values), Fraction(0))
            assert weight >= Fraction(asked["alpha"])


def _verdicts_agree(release: Release, path: Path, columns: list[Column], k: int) -> None:
    """A release is judged as its file is, except that nobody counts noise rows in a file."""
    names = [column.name for column in columns]
    models = [privacy.DistinctL(2), privacy.EntropyL(2), privacy.TCloseness("1/2")]
    models.append(privacy.BasicBeta(1))
    if not len(release.noise_value):
        models += [privacy.KAnonymity(k), privacy.ThetaSensitivity(2, "3/5")]
    own = kproof.check(release, models)
    there = kproof.check(path, models, quasi_identifiers=names, sensitive="ill")
    assert [(one.holds, one.value) for one in own] == [(one.holds, one.value) for one in there]


def _attacks_as_counted(release: Release, seen: Seen) -> None:
    if len(release.noise_value) or len(release.suppressed):
        return
    alone = sum(len(values) for values in seen.values() if len(set(values)) == 1)
    assert len(attack("homogeneity", release)) == alone
    worst = attack("homogeneity", release, tau="1/100").worst
    shares = [Fraction(max(Counter(one).values()), len(one)) for one in seen.values()]
    assert worst.posterior == max(shares)
    assert worst.candidates in {len(one) for one in seen.values()}


def _order_and_numbers_tell_no_groups(
    release: Release, rows: list[tuple[str, ...]], path: Path
) -> None:
    """Neither the order of the file nor a column of class numbers parts rows that look alike."""
    blocks = [row[:-1] for place, row in enumerate(rows) if rows[place - 1][:-1] != row[:-1]]
    if len({row[:-1] for row in rows}) > 1:
        assert len(blocks) == len(set(blocks))
    for one, other in pairwise(rows):
        assert one[:-1] != other[:-1] or one[-1] <= other[-1]
    release.to_csv(path, class_column="class")
    _, numbered = read(path)
    assert [row[1:] for row in numbered] == rows
    pairs = {(row[0], row[1:-1]) for row in numbered}
    assert len(pairs) == len({one for one, _ in pairs}) == len({labels for _, labels in pairs})


# Two parts under "*" hold (2, 1, 1) and (1, 2, 1): V = 11/16 each, and 39/64 together.
LOOK_ALIKE = [
    *(("a", "flu"), ("a", "flu"), ("b", "gout"), ("b", "hiv")),
    *(("c", "itch"), ("c", "jaundice"), ("c", "kuru"), ("c", "lupus")),
    *(("d", "flu"), ("d", "gout"), ("e", "gout"), ("e", "hiv")),
    *(("f", "itch"), ("f", "jaundice"), ("f", "kuru"), ("f", "lupus")),
]


@pytest.mark.parametrize("partitioning", ["strict", "relaxed"])
def test_mondrian_reaches_theta_in_the_file_it_writes(partitioning, tmp_path):
    data, tree, out = (tmp_path / name for name in ("data.csv", "tree.csv", "out.csv"))
    lines = ["leaf,ill", *(",".join(row) for row in LOOK_ALIKE)]
    data.write_text("\n".join(lines) + "\n", encoding="utf-8")
    tree.write_text("".join(f"{leaf};*\n" for leaf in LEAVES), encoding="utf-8")
    roles = ("--qi", "leaf", "--sensitive", "ill")
    asked = ("--k", "4", "--mu", "11/20")
    printed(
        *typed("anonymize mondrian --audience study {data} -o {out}", data=data, out=out),
        *(*roles, *asked, "--taxonomy", f"leaf={tree}", "--set", f"partitioning={partitioning}"),
    )
    printed("check", "--models-only", str(out), *roles, *asked)
    _, rows = read(out)
    for values in groups(rows).values():
        assert width(values) >= Fraction(11, 16)


def test_no_more_cuts_are_taken_back_than_look_alikes_need():
    leaves, ills = (list(column) for column in zip(*LOOK_ALIKE, strict=True))
    tree = Taxonomy.from_paths([(leaf, "*") for leaf in LEAVES])
    table = Table(16, (column("leaf", leaves, tree=tree),), sensitive=column("ill", ills))
    # Both cuts that made the two parts are the latest ones, so two halves are left.
    asked = {"k": 4, "cuts": "median"}
    assert mondrian(table, **asked, mu="11/20").group_of.tolist() == [0] * 8 + [1] * 8
    # Without theta nothing is taken back; the two parts are one class to a reader.
    plain = mondrian(table, **asked)
    assert (plain.groups, plain.count) == (4, 3)


def test_cuts_are_taken_back_from_below():
    # Part 2 of a left-leaning tree was made by the first cut, parts 0 and 1 by the second.
    tree = Cuts.of(np.array([0, 1, 2, 2]), np.array([1, 1, 0]), np.array([-1, 0]))
    once = tree.take_back(np.array([0, 1, 0]), np.array([True, False]))
    assert once.group_of.tolist() == [0, 0, 1, 1]
    assert once.take_back(np.array([0, 0]), np.array([True])).group_of.tolist() == [0] * 4
    alone = Cuts.of(np.zeros(3, dtype=np.int64), np.array([-1]), np.zeros(0, dtype=np.int64))
    assert alone.group_of.tolist() == [0, 0, 0]


def together(parts: list[list[str]]) -> tuple[Classes, Classes]:
    """Two parts that look alike, and a third one, as formed and as a reader sees them."""
    rows = [value for part in parts for value in part]
    of_row = np.array([index for index, part in enumerate(parts) for _ in part])
    labels = ["x"] * (len(rows) - len(parts[-1])) + ["y"] * len(parts[-1])
    table = Table(len(rows), (column("leaf", labels),), column("ill", rows), RANKS)
    release = sealed(table, of_row)
    return release.classes("formed"), release.classes()


SURVIVING = (
    *(privacy.KAnonymity(2), privacy.AlphaK("1/2", 2), privacy.DistinctL(2)),
    *(privacy.EntropyL("3/2"), privacy.EntropyL(2), privacy.TCloseness("1/3")),
    *(privacy.RecursiveCL("3/2", 2), privacy.RecursiveCL(2, 3), privacy.RecursiveCL("1/2", 1)),
    *(privacy.PSensitive(2, 2), privacy.PPlusSensitive(2, 2), privacy.PAlphaSensitive(2, "1/2", 2)),
    *(privacy.BasicBeta("1/2"), privacy.EnhancedBeta("1/2"), privacy.DeltaDisclosure(1)),
)


@pytest.mark.parametrize("model", SURVIVING, ids=lambda model: model.name)
@given(
    st.lists(st.lists(st.sampled_from(ILLS[:4]), min_size=2, max_size=7), min_size=3, max_size=4)
)
def test_what_parts_promise_their_union_keeps(model, parts):
    formed, published = together(parts)
    if model.check(formed):
        assert model.check(published)


def test_theta_is_no_promise_that_a_union_keeps():
    pair = [["flu", "flu", "gout", "hiv"], ["flu", "gout", "gout", "hiv"]]
    formed, published = together([*pair, list(ILLS)])
    asked = privacy.ThetaSensitivity(4, "11/20")
    assert asked.check(formed)
    assert not asked.check(published)


def test_a_check_of_a_release_judges_what_a_reader_sees():
    release = sealed(Table(4, (column("age", [1, 1, 1, 1]),)), [0, 0, 1, 1])
    (published,) = kproof.check(release, privacy.KAnonymity(2))
    assert (published.value, "as formed" in str(published)) == (4, False)
    (formed,) = kproof.check(release, privacy.KAnonymity(2), classes="formed")
    assert (formed.value, "class age=1, group 1 as formed" in str(formed)) == (2, True)
    with pytest.raises(InvalidArgument, match="classes = formed: need published; only a Release"):
        kproof.check(release.classes(), privacy.KAnonymity(2), classes="formed")
    other = "hidden"
    with pytest.raises(InvalidArgument, match="classes = hidden: need published or formed"):
        kproof.check(release, privacy.KAnonymity(2), classes=other)


def test_an_apostrophe_makes_no_two_labels_one(tmp_path):
    labels = ["=x", "'=x", "''=x", "'x", "x"]
    table = Table(
        10, (column("town", labels * 2),), sensitive=column("ill", ["flu"] * 5 + ["hiv"] * 5)
    )
    release = sealed(table, [*range(5)] * 2)
    _, seen = written(release, tmp_path / "out.csv")
    assert release.count == len(seen) == 5
    assert {"'x", "x"} < {label for (label,) in seen}


def test_groups_are_accounted_for_and_no_figure():
    release = sealed(Table(4, (column("age", [1, 1, 1, 1]),)), [0, 0, 1, 1], parameters={"k": 2})
    assert "4 of 4 rows in 1 classes, 2 groups as formed, 4 to 4 rows" in release.summary()
    assert "group" not in repr(release)
    assert utility(release).average_class_size == 2


def test_theta_sensitive_forms_groups_that_fall_short_together_as_one():
    rows = [*LOOK_ALIKE[:4], *LOOK_ALIKE[8:12], *LOOK_ALIKE[4:8]]
    leaves = ["x"] * 8 + ["y"] * 4
    table = Table(12, (column("leaf", leaves),), sensitive=column("ill", [ill for _, ill in rows]))
    release = theta_sensitive(table, k=4, mu="11/20", form="order")
    codes = [*release.table.sensitive.codes.tolist(), *release.noise_value.tolist()]
    of_row = [*release.class_of.tolist(), *release.noise_class.tolist()]
    for index in range(release.count):
        held = [code for code, where in zip(codes, of_row, strict=True) if where == index]
        assert width(held) >= Fraction(11, 16)


def test_the_class_an_adversary_knows_is_the_one_she_can_tell_apart():
    table = Table(
        4, (column("age", [1, 1, 1, 1]),), sensitive=column("ill", ["flu", "flu", "hiv", "hiv"])
    )
    release = sealed(table, [0, 0, 1, 1])
    disclosure = attack("homogeneity", release)
    assert (len(disclosure), disclosure.posterior(0)) == (0, Fraction(1, 2))
    named = attack("linkage", release, background={"victims": [{"row": 0}], "matching": "class"})
    assert named.victim(0).candidates == 4


def test_the_suite_looks_at_the_classes_of_the_file():
    subject = own_subject("mondrian")
    columns = {"age": (1, 2, 2, 2, 2, 2, 2, 3), "ill": ("flu", "hiv") * 4}
    asked = {"k": 2, "partitioning": "relaxed"}
    case = TableCase(columns, quasi_identifiers=("age",), sensitive="ill", parameters=asked)
    publication = subject.publish(case)
    assert isinstance(publication, TablePublication)
    assert publication.release.groups == 4
    view = View(case, publication)
    assert [len(group.rows.values) for group in view.groups] == [2, 4, 2]
    assert [group.label for group in view.groups] == [group.label for group in view.reader_groups]


def test_lines_of_exits_count_clusters_a_reader_can_tell_apart():
    table = Table(
        4,
        (column("section_id", ["G56"] * 4), column("exit_time", ["08:00"] * 4)),
        sensitive=column("toll", [5, 6, 7, 8]),
    )
    named = {"section": "section_id", "time": "exit_time"}
    asked = {"k": 2, "reading": "corrected", "clustering": "partition", **named}
    release = seal(table, np.array([0, 0, 1, 1]), method="kaca", parameters=asked)
    privacy_part = aggregate(release)["privacy_protection"]
    assert isinstance(privacy_part, dict)
    assert privacy_part["clustering"]["clusters"] == release.count == 1


def test_the_experiment_measures_what_its_files_show(tmp_path):
    draw = np.random.default_rng(3)
    cells = {
        "age": column("age", draw.integers(20, 26, 150).tolist()),
        "fnlwgt": column("fnlwgt", draw.integers(1, 9, 150).tolist()),
        "income": column("income", draw.choice(["low", "high"], 150).tolist()),
    }
    jobs = column("occupation", draw.choice(sorted(map(str, CATEGORIES)), 150).tolist())
    table = Table(150, tuple(cells.values()), sensitive=jobs, categories=CATEGORIES)
    asked = ExperimentSetting(
        rows=200, k=(2,), queries=5, selectivities=("0.4",), selectivity_k=2, repeats=1
    )
    sample = resample(table, 200, seed=0)
    alike = 0
    for measure in run_experiment(table, asked).measures:
        release, _ = _time(sample, measure.method, 2, asked)
        rows, seen = written(release, tmp_path / "out.csv")
        sizes = [len(values) for values in seen.values()]
        assert measure.classes == len(seen)
        assert measure.discernibility == sum(size * size for size in sizes)
        assert measure.average_class_size == Fraction(len(rows), 2 * len(seen))
        assert measure.below_theta == sum(width(one) < Fraction(3, 20) for one in seen.values())
        alike += release.groups - release.count
    assert alike > 0
