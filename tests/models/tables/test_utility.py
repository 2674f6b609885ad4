"""What a release costs, against row-by-row counting over the labels that readers see."""

import json
from decimal import Decimal
from fractions import Fraction
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st
from tables import column as column_of
from tables import sealed

from kproof.errors import InvalidArgument
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, text
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.coverage import coverage, penalties
from kproof.models.tables.plots import before_after, before_after_svg
from kproof.models.tables.queries import Queries, random_queries
from kproof.models.tables.table import Table
from kproof.models.tables.utility import (
    average_class_size,
    discernibility,
    least_discernibility,
    utility,
)

AGES = (20, 25, 30, 60, MISSING)
CITIES = ("Basel", "Bern", "Zug", MISSING)
LANDS = ("Canada", "Japan", "USA", MISSING)
WORLD = Taxonomy.from_paths(
    [("USA", "America", "*"), ("Canada", "America", "*"), ("Japan", "Asia", "*")]
).fitted(LANDS, column="country")
NAMED = Taxonomy.from_paths(
    [("Canada", "x", "*"), ("?", "x", "*"), ("Japan", "y", "*"), ("USA", "y", "*")]
)
DISEASES = ("Flu", "HIV")


def table_of(rows, tree=WORLD):
    ages, cities, lands, diseases = (
        np.array(one, dtype=np.int32) for one in zip(*rows, strict=True)
    )
    return Table(
        rows=len(rows),
        quasi_identifiers=(
            Column("age", ages, AGES, numeric=True),
            Column("city", cities, CITIES, numeric=False),
            Column("country", lands, LANDS, numeric=False, taxonomy=tree),
        ),
        sensitive=Column("disease", diseases, DISEASES, numeric=False),
    )


RECORDS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 3), st.integers(0, 1)),
    min_size=1,
    max_size=14,
)


@st.composite
def releases(draw):
    rows = draw(RECORDS)
    table = table_of(rows, draw(st.sampled_from([WORLD, NAMED])))
    wanted = draw(st.lists(st.integers(-1, 3), min_size=len(rows), max_size=len(rows)))
    names = sorted({one for one in wanted if one >= 0})
    class_of = np.array([names.index(one) if one >= 0 else -1 for one in wanted])
    noise = draw(st.lists(st.integers(0, len(names) - 1), max_size=3)) if names else []
    rows = np.array(noise, dtype=np.int64)
    added = {"noise_class": rows, "noise_value": np.zeros_like(rows)}
    return sealed(table, class_of, parameters={"k": 2}, **added)


def admitted(release, column, index):
    """Codes that a class's label covers, asked one by one of the label itself."""
    recoded = release.recoded[column]
    return {
        code for code, value in enumerate(recoded.column.values) if recoded.covers(value)[index]
    }


@given(releases())
def test_coverage_is_what_the_labels_cover(release):
    for column, recoded in enumerate(release.recoded):
        covered = coverage(recoded)
        assert sorted(covered.rank_of.tolist()) == list(range(len(recoded.column.values)))
        for index in range(release.count):
            ranks = {int(covered.rank_of[code]) for code in admitted(release, column, index)}
            assert covered.counts[index] == len(ranks)
            for low in range(len(recoded.column.values)):
                for high in range(low, len(recoded.column.values)):
                    inside = sum(low <= rank <= high for rank in ranks)
                    assert covered.within(low, high)[index] == inside


@given(releases())
def test_rows_spread_over_what_labels_admit(release):
    sizes = release.classes().sizes
    for column, recoded in enumerate(release.recoded):
        expected = np.zeros(len(recoded.column.values))
        for index in range(release.count):
            codes = admitted(release, column, index)
            for code in codes:
                expected[code] += sizes[index] / len(codes)
        covered = coverage(recoded)
        assert covered.spread(sizes)[covered.rank_of] == pytest.approx(expected, abs=1e-9)


@given(releases(), st.integers(1, 3), st.sampled_from(["0.05", "0.3", "1"]), st.integers(0, 99))
def test_queries_are_answered_as_by_counting_row_by_row(release, dimension, selectivity, seed):
    covered = [coverage(one) for one in release.recoded]
    ranks = [
        one.rank_of[two.column.codes] for one, two in zip(covered, release.recoded, strict=True)
    ]
    asked = {"dimension": dimension, "selectivity": selectivity, "seed": seed}
    drawn = random_queries(ranks, queries=8, **asked)
    true = drawn.count(ranks)
    sizes = release.classes().sizes
    expected, possible = drawn.estimate(covered, sizes)
    for query in range(8):
        columns = drawn.columns[query].tolist()
        assert len(set(columns)) == dimension
        boxes = {
            column: range(drawn.low[query, place], drawn.high[query, place] + 1)
            for place, column in enumerate(columns)
        }
        hits = [
            all(ranks[column][row] in box for column, box in boxes.items())
            for row in range(release.table.rows)
        ]
        assert true[query] == sum(hits) >= 1
        total, reached = Fraction(0), 0
        for index, size in enumerate(sizes.tolist()):
            shares = Fraction(1)
            for column, box in boxes.items():
                own = [covered[column].rank_of[code] for code in admitted(release, column, index)]
                shares *= Fraction(sum(rank in box for rank in own), len(own))
            total += size * shares
            reached += size * (shares > 0)
        assert expected[query] == pytest.approx(float(total))
        assert possible[query] == reached


def test_boxes_have_about_the_selectivity_asked_for():
    draw = np.random.default_rng(5)
    ranks = [draw.integers(0, 5000, 20_000) for _ in range(3)]
    for dimension in (1, 2, 3):
        drawn = random_queries(ranks, queries=300, dimension=dimension, selectivity="0.08", seed=3)
        assert drawn.count(ranks).mean() / 20_000 == pytest.approx(0.08, rel=0.1)
    again = random_queries(ranks, queries=300, dimension=3, selectivity="0.08", seed=3)
    other = random_queries(ranks, queries=300, dimension=3, selectivity="0.08", seed=4)
    assert np.array_equal(again.low, drawn.low)
    assert not np.array_equal(other.low, drawn.low)


def test_a_window_is_widened_to_whole_values_and_no_further():
    ranks = [np.repeat(np.arange(6), [3, 1, 4, 1, 5, 2])]
    drawn = random_queries(ranks, queries=60, dimension=1, selectivity="0.3", seed=1)
    for low, high in zip(drawn.low[:, 0], drawn.high[:, 0], strict=True):
        inside = (ranks[0] >= low) & (ranks[0] <= high)
        window = 5  # the least w with w/16 >= 0.3
        assert inside.sum() >= window
        # Each end holds a row of the window, and all that lies between them is in it.
        between = (ranks[0] > low) & (ranks[0] < high)
        assert low == high or between.sum() + 2 <= window


def test_a_box_that_is_everything_is_answered_exactly():
    release = sealed(
        table_of([(0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 0), (3, 3, 3, 0), (4, 0, 0, 0), (0,) * 4]),
        np.zeros(6, dtype=np.int64),
    )
    found = utility(release, queries=5, dimension=3, selectivity=1).query_error
    assert (found.uniform_mean, found.intersecting_mean, found.attained) == (0, 0, 1)
    covered = [coverage(one) for one in release.recoded]
    half = Queries(np.array([[0]]), np.array([[0]]), np.array([[1]]))
    expected, possible = half.estimate(covered, release.classes().sizes)
    # {[20-60], ?} covers five values, of which the box asks for two.
    assert (expected[0], possible[0]) == (pytest.approx(2.4), 6)


@cases(
    (("age", [0, 1]), 1 / 8),
    (("age", [0, 3]), 1.0),
    (("age", [2, 2]), 0.0),
    (("age", [4, 4]), 0.0),
    (("age", [0, 4]), 1.0),
    (("city", [0, 2]), 2 / 4),
    (("city", [0, 3]), 2 / 4),
    (("city", [1, 1]), 0.0),
    (("country", [0, 2]), 2 / 4),
    (("country", [0, 1]), 1.0),
    (("country", [1, 1]), 0.0),
    (("country", [3, 3]), 0.0),
)
def test_certainty_penalty_by_hand(codes, expected):
    name, pair = codes
    place = ["age", "city", "country"].index(name)
    rows = [[0, 0, 0, 0], [0, 0, 0, 0]]
    rows[0][place], rows[1][place] = pair
    release = sealed(table_of(rows), [0, 0])
    assert penalties(release.recoded[place]).tolist() == [expected]
    assert utility(release, queries=0).penalties[name] == expected


@cases(
    ([-1.7e308, 0, 1.7e308], 0.5),
    ([0, 0.5, 10**400], 0.0),
    ([0.25, Decimal("0.5"), Fraction(1)], 1 / 3),
)
def test_penalties_of_numbers_that_no_float_holds_or_no_float_is_taken_from(cells, expected):
    numbers = Table(3, (column_of("age", cells),))
    release = sealed(numbers, [0, 0, 1])
    assert penalties(release.recoded[0]).tolist() == [expected, 0.0]


@given(releases())
def test_measures_by_counting(release):
    found = utility(release, queries=0)
    kept = [int(one) for one in release.class_of if one >= 0]
    sizes = [
        kept.count(index) + release.noise_class.tolist().count(index)
        for index in range(release.count)
    ]
    rows, left = release.table.rows, release.table.rows - len(kept)
    assert found.discernibility == sum(size**2 for size in sizes) + left * rows
    assert (found.noise, found.suppressed) == (len(release.noise_class), left)
    assert found.published == sum(sizes) == release.rows
    assert found.retention == Fraction(len(kept), rows)
    if sizes:
        assert found.average_class_size == Fraction(sum(sizes), 2 * len(sizes))
        assert found.noise_share == Fraction(found.noise, sum(sizes))
    for one in release.recoded:
        costs = penalties(one)
        mean = (sum(costs[index] for index in kept) + left) / rows
        assert found.penalties[one.column.name] == pytest.approx(mean)
    assert json.loads(json.dumps(found.to_dict()))["discernibility"] == found.discernibility


def test_numbers_of_the_paper():
    """Equation (2)'s example and the baseline of Table 11 for k = 4, where rows divide evenly."""
    assert discernibility(np.full(5, 2)) == 20
    assert least_discernibility(160_148, 4) == 160_148 * 4
    assert least_discernibility(160_150, 4) == 40_035 * 16 + 2 * 25
    assert average_class_size(160_152, 40_038, 4) == 1


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("rows", range(13))
def test_least_discernibility_over_every_partition(rows, k):
    def partitions(rest, most):
        if rest == 0:
            yield ()
        for first in range(min(rest, most), 0, -1):
            for tail in partitions(rest - first, first):
                yield (first, *tail)

    legal = [part for part in partitions(rows, rows) if all(size >= k for size in part)]
    if legal:
        least = min(sum(size**2 for size in part) for part in legal)
        assert least_discernibility(rows, k) == least


def test_k_is_the_release_s_own_unless_said_otherwise():
    table = table_of([(0, 0, 0, 0)] * 3 + [(1, 0, 0, 0)] * 3)
    class_of = np.array([0, 0, 0, 1, 1, 1])
    asked = sealed(table, class_of, parameters={"k": 2})
    free = sealed(table, class_of)
    assert [utility(one, queries=0).k for one in (asked, free)] == [2, 3]
    assert utility(asked, k=3, queries=0).average_class_size == 1


@cases(
    ({"queries": -1}, "queries = -1: need a whole number queries >= 0"),
    ({"dimension": 4}, "dimension = 4: need a whole number 1 <= dimension <= 3"),
    ({"selectivity": 0}, "selectivity = 0: need 0 < selectivity <= 1"),
    ({"seed": -1}, "seed = -1: need a whole number seed >= 0"),
    ({"k": 0}, "k = 0: need a whole number k >= 1"),
)
def test_options_out_of_range(options, message):
    release = sealed(table_of([(0, 0, 0, 0)]), [0])
    assert error_line(InvalidArgument, utility, release, **options) == message


def test_everything_suppressed_has_a_utility():
    costs = utility(sealed(table_of([(0, 0, 0, 0)] * 3), np.full(3, -1)))
    assert (costs.discernibility, costs.retention, costs.penalty) == (9, 0, 1)
    assert costs.average_class_size is None
    assert costs.query_error.uniform_mean == 1
    assert "none x" in str(costs)


def test_columns_before_and_after():
    table = table_of([(0, 0, 0, 0), (1, 1, 1, 1), (3, 2, 2, 0), (3, 2, 2, 1)])
    noise = {"noise_class": np.array([0]), "noise_value": np.array([1])}
    release = sealed(table, [0, 0, 1, -1], **noise)
    ages = before_after(release, "age")
    assert ages.labels == tuple(text(age) for age in AGES)
    assert ages.before == (1, 1, 0, 2, 0)
    assert ages.after == (1.5, 1.5, 0, 1, 0)
    lands = before_after(release, "country")
    assert lands.labels == ("USA", "Canada", "Japan", "?")
    assert lands.before == (2, 1, 1, 0)
    assert lands.after == pytest.approx((0.75 + 1, 0.75, 0.75, 0.75))
    illness = before_after(release, "disease")
    assert (illness.before, illness.after) == ((2, 2), (2, 2))
    assert before_after(release, "age", bars=2).labels == ("20 … 30", "60 … ?")
    drawn = before_after_svg(release, "age")
    assert drawn == before_after_svg(release, "age")
    assert "<svg" in drawn
    assert "20" in drawn
    with pytest.raises(InvalidArgument, match="need one of age, city, country, disease"):
        before_after(release, "name")


def test_labels_with_dollar_signs_are_drawn_as_they_are():
    column = Column("pay $", np.array([0, 1], dtype=np.int32), ("$1$", "$2^x"), numeric=False)
    release = sealed(Table(rows=2, quasi_identifiers=(column,)), [0, 0])
    assert "$2^x" in before_after_svg(release, "pay $")


def test_labels_of_any_characters_are_drawn_as_text():
    labels = ("<script>&\x00", "数据 🔒", "a\nb")
    column = Column("<b>", np.array([0, 1, 2], dtype=np.int32), labels, numeric=False)
    release = sealed(Table(rows=3, quasi_identifiers=(column,)), [0, 0, 0])
    root = ET.fromstring(before_after_svg(release, "<b>"))
    shown = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"<b>", "<script>&\ufffd", "数据 🔒", "a\nb"} <= set(shown)
