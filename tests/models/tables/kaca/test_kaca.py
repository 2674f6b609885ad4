"""KACA: classes against brute force and K-Means, readings, and bad input."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from cases import cases, error_line
from exits import exit_table, kaca
from hypothesis import example, given
from hypothesis import strategies as st
from tables import column

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.cutting.losses import UNIT, losses, ranks, sweep, view
from kproof.models.tables.kaca.clock import REGIONS, with_ladders
from kproof.models.tables.kaca.method import _k_means, features_to_scale, merge_clusters, merge_once
from kproof.models.tables.table import Table

TREE = Taxonomy.from_paths([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "*")])
BELOW = {"x": {"a", "b"}, "y": {"c"}}


def bare(rows: Sequence[tuple[object, ...]]) -> Table:
    """The same without regions and periods."""
    age, sex, letter, section, time = zip(*rows, strict=True)
    known = column("age", age), column("sex", sex), column("letter", letter, tree=TREE)
    return Table(len(rows), (*known, column("section_id", section), column("exit_time", time)))


records = st.tuples(
    st.integers(0, 16),
    st.sampled_from(("f", "m", "o")),
    st.sampled_from("abcd"),
    st.sampled_from(("G51", "G52", "G561", "G562", "S1", "S12")),
    st.sampled_from(("00:10", "06:00", "08:30", "12:00", "23:50")),
)


def shared(texts: Sequence[str]) -> str:
    prefix = texts[0]
    while not all(one.startswith(prefix) for one in texts):
        prefix = prefix[:-1]
    return prefix


def penalty(part: Sequence[tuple[object, ...]], whole: Sequence[tuple[object, ...]]) -> Fraction:
    """NCP of one class, column by column, from the definitions."""
    here, there = list(zip(*part, strict=True)), list(zip(*whole, strict=True))
    total = Fraction(0)
    span = max(there[0]) - min(there[0])
    if span:
        total += Fraction(max(here[0]) - min(here[0]), span)
    if len(set(here[1])) > 1:
        total += Fraction(len(set(here[1])), len(set(there[1])))
    letters = set(here[2])
    if len(letters) > 1:
        total += Fraction(2, 4) if letters <= BELOW["x"] else 1
    ids = set(here[3])
    if len(ids) > 1:
        every = set(there[3])
        prefix = shared(sorted(ids))
        total += Fraction(len([a for a in every if a.startswith(prefix)]), len(every))
    # A time is published as its hour at least: of one time in that hour nothing is lost.
    hours = [int(one[:2]) for one in here[4]]
    for width in (1, 6, 24):
        if len({hour // width for hour in hours}) == 1:
            held = {one for one in there[4] if int(one[:2]) // width == hours[0] // width}
            total += Fraction(len(held), len(set(there[4]))) if len(held) > 1 else 0
            break
    return total


@given(st.lists(records, min_size=3, max_size=25), st.data())
def test_a_sweep_knows_what_labels_lose(rows, data):
    held = with_ladders(bare(rows), section="section_id", time="exit_time")
    seen = tuple(map(view, held.quasi_identifiers))
    placed, lost = ranks(held, seen), losses(seen, [Fraction(1)] * len(seen))
    order = np.array(data.draw(st.permutations(range(len(rows)))), dtype=np.int64)
    out = np.empty(len(rows), dtype=np.int64)
    sweep(placed, order, lost, np.zeros(len(lost.units), dtype=np.int64), 1, out)
    for size in range(1, len(rows) + 1):
        wanted = penalty([rows[i] for i in order[:size]], rows)
        assert abs(Fraction(int(out[size - 1]), UNIT) - size * wanted) <= size * Fraction(9, UNIT)


@given(st.lists(records, min_size=4, max_size=40), st.integers(2, 4))
def test_classes_hold_k_and_do_not_depend_on_order(rows, k):
    for clustering in ("partition", "k-means"):
        release = kaca(bare(rows), k=k, clustering=clustering)
        assert np.bincount(release.class_of).min() >= k
    forward, backward = (kaca(bare(part), k=k) for part in (rows, rows[::-1]))

    def contents(class_of: np.ndarray, part: list[tuple[object, ...]]) -> list[list[object]]:
        return sorted(
            sorted(row for row, index in zip(part, class_of, strict=True) if index == c)
            for c in range(class_of.max() + 1)
        )

    assert contents(forward.class_of, rows) == contents(backward.class_of, rows[::-1])


def brute(line: Sequence[int], k: int, aligned: bool) -> list[list[int]]:
    """The partition of numbers on a line by trying every cut."""
    values = sorted(line)
    size = len(values)
    if size < 2 * k or values[0] == values[-1]:
        return [values]
    best = None
    for cut in range(max(k, size // 10), size - max(k, size // 10) + 1):
        if aligned and cut % k and (size - cut) % k:
            continue
        left, right = values[:cut], values[cut:]
        loss = len(left) * (left[-1] - left[0]) + len(right) * (right[-1] - right[0])
        found = (loss, -min(cut, size - cut), cut)
        best = found if best is None else min(best, found)
    return brute(values[: best[2]], k, aligned) + brute(values[best[2] :], k, aligned)


@example([1, 10, 12, 12, 12, 12, 12, 12, 14, 15], 2)
@given(st.lists(st.integers(1, 31), min_size=2, max_size=30), st.integers(2, 3))
def test_equals_brute_force_on_a_line(line, k):
    # A span of 32 divides the unit, so that losses are exact.
    line = [0, *line, 32]
    outcomes = [brute(line, k, aligned) for aligned in (False, True)]
    best = min(outcomes, key=lambda parts: sum(len(p) * (p[-1] - p[0]) for p in parts))
    # Groups that show the same range are one class: nobody can tell them apart.
    alike = {}
    for part in best:
        alike.setdefault((part[0], part[-1]), []).extend(part)
    wanted = [sorted(part) for part in alike.values()]
    found = kaca(Table(len(line), (column("n", line),)), k=k).class_of
    parts = [sorted(line[i] for i in np.flatnonzero(found == c)) for c in range(found.max() + 1)]
    assert parts == wanted


def lost(held: Table, class_of: np.ndarray) -> int:
    seen = tuple(map(view, held.quasi_identifiers))
    placed, units = ranks(held, seen), losses(seen, [Fraction(1)] * len(seen))
    scratch, out = np.zeros(len(units.units), dtype=np.int64), np.empty(held.rows, dtype=np.int64)
    total = 0
    for index in range(class_of.max() + 1):
        members = np.flatnonzero(class_of == index)
        sweep(placed, members, units, scratch, index + 1, out)
        total += int(out[len(members) - 1])
    return total


@pytest.mark.parametrize("k", [3, 10])
def test_loses_no_more_than_k_means(k):
    draw = np.random.default_rng(3)
    numbers = (draw.normal(size=800) * 30).astype(int).tolist(), draw.integers(0, 40, 800).tolist()
    texts = [f"v{v}" for v in draw.geometric(0.4, 800).tolist()]
    mixed = Table(800, tuple(map(column, "abc", (*numbers, texts))))
    for held in (mixed, exit_table(800, seed=2)):
        partition = kaca(held, k=k)
        means = kaca(held, k=k, clustering="k-means")
        published = partition.table
        assert lost(published, partition.class_of) <= 1.05 * lost(published, means.class_of)


def test_same_seed_same_classes():
    held = exit_table(300, seed=5)
    for arguments in ({"clustering": "k-means"}, {"reading": "printed"}):
        one = kaca(held, k=4, seed=7, **arguments)
        assert kaca(held, k=4, seed=7, **arguments).class_of.tolist() == one.class_of.tolist()
        assert one.parameters["seed"] == 7


def test_times_are_circular_for_k_means():
    """The partition counts labels, and no period passes midnight."""
    held = Table(4, (column("exit_time", ["23:55", "12:00", "00:05", "12:10"]),))
    release = kaca(held, k=2, clustering="k-means")
    assert release.class_of[0] == release.class_of[2] != release.class_of[1] == release.class_of[3]
    assert set(release.to_frame()["exit_time"]) == {"全天(00-24)", "时段(12-13)"}


def test_printed_features_let_ids_decide_alone():
    """Sections a digit apart outweigh half a day: the printed reading's first defect."""
    rows = [("G1000000", "01:00"), ("G1005000", "01:10")] * 2
    rows += [("G1000000", "13:00"), ("G1005000", "13:10")] * 2
    ids, times = zip(*rows, strict=True)
    held = Table(8, (column("section_id", ids), column("exit_time", times)))
    printed = kaca(held, k=4, reading="printed").class_of
    assert printed.tolist() == held.quasi_identifiers[0].codes.tolist()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), st.integers(2, 5), st.data())
def test_printed_merging_leaves_none_short(labels, k, data):
    """With n // k clusters the largest holds k of n >= k records, so one pass is enough."""
    count = max(len(labels) // k, 1)
    clusters = np.array([label % count for label in labels])
    places = data.draw(st.lists(st.integers(0, 9), min_size=len(labels), max_size=len(labels)))
    found = merge_once(np.array(places, dtype=float)[:, None], clusters, k)
    if len(labels) < k:
        assert found.tolist() == [-1] * len(labels)
    else:
        assert np.bincount(found).min() >= k


@given(st.lists(st.integers(0, 5), min_size=5, max_size=20), st.integers(2, 5), st.data())
def test_merging_only_joins_clusters(labels, k, data):
    places = data.draw(st.lists(st.integers(0, 9), min_size=len(labels), max_size=len(labels)))
    found = merge_clusters(np.array(places, dtype=float)[:, None], np.array(labels), k)
    assert np.bincount(found).min() >= k
    for label in set(labels):
        assert len({int(found[i]) for i, one in enumerate(labels) if one == label}) == 1
    sizes = [labels.count(label) for label in set(labels)]
    if min(sizes) >= k:
        assert found.max() + 1 == len(sizes)


def test_distances_of_points():
    rows = [(0, "f", "a", "G51", "00:00"), (16, "m", "d", "S1", "12:00")]
    held = bare([*rows, (8, "f", "b", "G52", "06:00"), (0, "f", "c", "G51", "00:00")])
    points = features_to_scale(held, section="section_id", time="exit_time")
    # Every column differs as much as it can, but letters part below the root of height 2.
    assert ((points[0] - points[1]) ** 2).sum() == pytest.approx(1 + 1 + 3 / 4 + 1 + 1)
    assert ((points[0] - points[2]) ** 2).sum() == pytest.approx(1 / 4 + 1 / 2 + 1 / 4 + 1 / 2)
    assert ((points[0] - points[3]) ** 2).sum() == pytest.approx(1)


def test_missing_values():
    ages = column("age", [20, 21, MISSING, MISSING])
    held = Table(4, (ages, column("exit_time", ["08:00", "08:10", MISSING, MISSING])))
    for clustering in ("partition", "k-means"):
        assert kaca(held, k=2, clustering=clustering).class_of.tolist() == [0, 0, 1, 1]
    ids = Table(4, (column("section_id", ["G1", "G2", MISSING, MISSING]),))
    assert kaca(ids, k=2).class_of.tolist() == [0, 0, 1, 1]
    assert kaca(Table(3, (column("exit_time", [MISSING] * 3),)), k=2).count == 1


@given(st.lists(st.text("G561", min_size=1, max_size=5), min_size=1, max_size=12))
def test_regions(ids):
    tree = REGIONS.taxonomy(sorted(set(ids)), "section_id")
    for one in set(ids):
        for other in set(ids) - {one}:
            prefix = shared([one, other])
            assert tree.label_of([one, other]) == (f"{prefix}区域" if prefix else "全部区域")
        assert tree.label_of([one]) == one


def test_sections_and_times_get_levels_of_their_own_or_none():
    rows = [("G1", "2020-01-02 08:15"), ("G2", "2020-01-02 08:45")] * 2
    frame = pd.DataFrame(rows, columns=["section_id", "exit_time"])
    roles = {"quasi_identifiers": ["section_id", "exit_time"]}
    held = Table.from_frame(frame, **roles)
    # The calendar that times got by themselves gives way, what somebody asked for does not.
    assert kaca(held, k=4).label(0) == "section_id=G区域, exit_time=时段(08-09)"
    assert kaca(held, k=2, time=None, section=None).label(0).startswith("section_id=G1, exit_time=")
    for more in ({"ladders": {"exit_time": "weekday"}}, {"least_levels": {"exit_time": "day"}}):
        with pytest.raises(InvalidArgument, match="time = exit_time: need a column without levels"):
            kaca(Table.from_frame(frame, **roles, **more), k=2)
    with pytest.raises(InvalidArgument, match="section = road: need one of section_id, exit_time"):
        kaca(held, k=2, section="road")


@cases(
    ({"k": 1}, "k = 1: need a whole number k >= 2"),
    ({"k": 4}, "k = 4: need 2 <= k <= 3, the number of records"),
    ({"k": 2, "reading": "loose"}, "reading = loose: need printed or corrected"),
    ({"k": 2, "clustering": "odd"}, "clustering = odd: need partition or k-means"),
    ({"k": 2, "seed": -1}, "seed = -1: need a whole number 0 <= seed <= 4294967295"),
)
def test_bad_arguments(arguments, message):
    assert error_line(InvalidArgument, kaca, exit_table(3), **arguments) == message


def test_bad_data():
    with pytest.raises(DataError, match="column exit_time: noon is no time"):
        kaca(Table(2, (column("exit_time", ["noon", "08:00"]),)), k=2)
    with pytest.raises(DataError, match="column exit_time: 2023-01-02 is no time"):
        kaca(Table(2, (column("exit_time", ["2023-01-02", "08:00"]),)), k=2)
    with pytest.raises(DataError, match="column section_id: GX is no section id"):
        kaca(Table(2, (column("section_id", ["GX", "G1"]),)), k=2, reading="printed")
    # A column of that name that is something else can be had as it is.
    assert kaca(Table(2, (column("exit_time", ["noon", "08:00"]),)), k=2, time=None).count == 1


def test_printed_suppresses_a_table_below_k_and_corrected_refuses_it():
    held = exit_table(3)
    assert kaca(held, k=5, reading="printed").class_of.tolist() == [-1, -1, -1]
    with pytest.raises(InvalidArgument):
        kaca(held, k=5)


def test_k_means_finds_what_lies_apart_and_stops_at_the_points_that_differ():
    draw = np.random.default_rng(1)
    lying = np.repeat(np.arange(6.0), 20)
    points = np.column_stack([lying, -lying]) + draw.normal(0, 0.01, (120, 2))
    for seed in range(20):
        assert len(set(zip(lying, _k_means(points, 20, seed).tolist(), strict=True))) == 6
        assert len(set(_k_means(points, 20, seed).tolist())) == 6
    assert set(_k_means(np.zeros((9, 3)), 2, 0).tolist()) == {0}
    assert sorted(set(_k_means(np.array([[0.0], [0.0], [0.0], [4.0]]), 1, 0).tolist())) == [0, 1]


def test_clusters_do_not_change_once_points_are_with_their_nearest_mean():
    points = np.random.default_rng(2).normal(size=(400, 3))
    clusters = _k_means(points, 8, 3)
    means = np.stack([points[clusters == one].mean(axis=0) for one in range(clusters.max() + 1)])
    assert (((points[:, None] - means) ** 2).sum(axis=2).argmin(axis=1) == clusters).all()
