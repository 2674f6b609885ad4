"""Persons per street with noise: counts beside a plain loop, noise and its worth beside sums."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from math import comb, exp, hypot, prod

import numpy as np
import pytest
from cases import error_line
from hypothesis import given
from hypothesis import strategies as st

from kproof.errors import InvalidArgument
from kproof.models.places.city.city import City
from kproof.models.places.log import PositionLog
from kproof.models.places.plane import plane_around
from kproof.models.places.points import Points
from kproof.models.places.streets import StreetCounts, count_streets
from kproof.theory.exact.coins import CoinSource
from kproof.theory.profiles.noisy_counts import noisy_counts_delta

STEP = 0.002
"""Degrees between crossings of the town, about 220 m."""


def town(rows: int = 3) -> City:
    """A square of crossings, each joined with the next."""
    at = [(row, column) for row in range(rows) for column in range(rows)]
    edges = [
        (a, b) for a, (r, c) in enumerate(at) for b, (s, d) in enumerate(at)
        if a < b and abs(r - s) + abs(c - d) == 1
    ]  # fmt: skip
    x, y = [STEP * column for _, column in at], [STEP * row for row, _ in at]
    return City.of([0] * len(at), edges, x=x, y=y, coordinates="degrees")


rows_of_logs = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.integers(0, 60),
        st.floats(-0.001, 2 * STEP + 0.001),
        st.floats(-0.001, 2 * STEP + 0.001),
    ),
    min_size=1, max_size=25, unique_by=lambda row: row[:2],
)  # fmt: skip


def counted(rows: list[tuple[str, int, float, float]], most: int) -> StreetCounts:
    log = PositionLog.of(
        [row[2] for row in rows], [row[3] for row in rows], users=[row[0] for row in rows],
        time=[row[1] for row in rows], far=None,
    )  # fmt: skip
    return count_streets(log, town(), epsilon=1, most=most, coins=CoinSource.of_seed(0))


def distance(
    point: tuple[float, float], start: tuple[float, float], end: tuple[float, float]
) -> float:
    """How far a point is from a street."""
    along = end[0] - start[0], end[1] - start[1]
    share = ((point[0] - start[0]) * along[0] + (point[1] - start[1]) * along[1]) / (
        along[0] ** 2 + along[1] ** 2
    )
    share = min(1, max(0, share))
    return hypot(point[0] - start[0] - share * along[0], point[1] - start[1] - share * along[1])


@given(rows_of_logs, st.integers(1, 4))
def test_a_person_counts_once_on_each_of_the_first_streets(rows, most):
    city, counts = town(), counted(rows, most)
    assert city.x is not None
    assert city.y is not None
    plane = plane_around(Points.of(city.y, city.x))
    corners = list(zip(*map(list, plane.metres(city.y, city.x)), strict=True))
    edges = [tuple(edge) for edge in city.roads.edges.tolist()]
    streets: dict[str, list[int]] = defaultdict(list)
    for person, _, lat, lon in sorted(rows):
        if lat == lon == 0:
            continue
        point = tuple(float(axis) for axis in plane.metres(lat, lon))
        near = [hypot(point[0] - x, point[1] - y) for x, y in corners]
        if min(near) > 100:
            continue
        node = near.index(min(near))
        apart = {
            number: distance((point[0], point[1]), corners[start], corners[end])
            for number, (start, end) in enumerate(edges)
            if node in (start, end)
        }
        # Nearly equal distances may be told apart either way.
        best = [number for number, metres in apart.items() if metres < min(apart.values()) + 1e-6]
        if len(best) > 1 or sorted(near)[1] - min(near) < 1e-6:
            return
        streets[person] += [] if best[0] in streets[person] else best
    expected = Counter(number for used in streets.values() for number in used[:most])
    assert counts.exact.tolist() == [expected[number] for number in range(len(edges))]
    assert counts.people == len(streets)
    assert counts.cut == sum(len(used) > most for used in streets.values())


@given(rows_of_logs, st.integers(1, 3), st.sampled_from("abc"))
def test_without_a_person_few_counts_are_one_less_and_no_noise_differs(rows, most, gone):
    whole = counted(rows, most)
    fewer = [row for row in rows if row[0] != gone]
    part = counted(fewer, most) if fewer else None
    if whole is None or part is None:
        return
    moved = whole.exact - part.exact
    assert set(moved.tolist()) <= {0, 1}
    assert moved.sum() <= most
    assert (whole.persons - part.persons == moved).all()


@pytest.mark.parametrize(("rate", "counts"), [("1", 1), ("1/2", 2), ("2/3", 3)])
def test_the_worth_of_noisy_counts_is_that_of_all_of_their_values(rate, counts):
    """Over all values up to 30; what is beyond has a mass below 1e-6."""
    fall, most = float(Fraction(rate)), 30 if counts < 3 else 16
    q = exp(-fall)
    law = {z: (1 - q) / (1 + q) * q ** abs(z) for z in range(-most, most + 1)}
    for epsilon in (0.0, 0.3, 0.9):
        gain = sum(
            max(0.0, prod(law[z] for z in values)
                - exp(epsilon) * prod(law.get(z - 1, 0.0) for z in values))
            for values in product(law, repeat=counts)
        )  # fmt: skip
        delta = noisy_counts_delta(rate=rate, counts=counts, epsilon=str(epsilon))
        assert float(delta) == pytest.approx(gain, abs=1e-4)
    assert float(noisy_counts_delta(rate=rate, counts=counts, epsilon=Fraction(rate) * counts)) == 0


def test_many_counts_are_many_coins():
    chance = 1 / (1 + exp(-0.05))
    gain = sum(
        comb(20, j) * (chance**j * (1 - chance) ** (20 - j)
                       - exp(0.5) * (1 - chance) ** j * chance ** (20 - j))
        for j in range(21) if 0.05 * (2 * j - 20) > 0.5
    )  # fmt: skip
    delta = noisy_counts_delta(rate="1/20", counts=20, epsilon="1/2")
    assert float(delta) == pytest.approx(gain, rel=1e-9)


@pytest.mark.parametrize("rate", ["1/20", "2/3", "3"])
def test_noise_has_its_law(rate):
    coins, fall = CoinSource.of_seed(5), float(Fraction(rate))
    draws = np.array([coins.laplace(Fraction(rate)) for _ in range(20_000)])
    q = exp(-fall)
    for z in range(-3, 4):
        share = (1 - q) / (1 + q) * q ** abs(z)
        assert abs((draws == z).mean() - share) < 5 * (share / 20_000) ** 0.5 + 1e-3
    assert draws.std() == pytest.approx((2 * q) ** 0.5 / (1 - q), rel=0.05, abs=0.02)


def test_what_is_published_is_a_row_for_each_street():
    log = PositionLog.of([0] * 60, [0.0005] * 60, users=map(str, range(60)), time=[0] * 60)
    counts = count_streets(log, town(), epsilon=4, most=1)
    lines = counts.to_csv().splitlines()
    assert counts.fit
    assert lines[:2] == ["# kproof streets epsilon=4 most=1 rate=4", "start,end,persons,clear"]
    assert len(lines) == 2 + 12
    assert lines[2].startswith("0,1,")
    assert lines[2].endswith(",yes")
    assert counts.busiest_error < 0.2
    for keyword, typed in (("epsilon", "-1"), ("most", 0), ("snap", -1)):
        with pytest.raises(InvalidArgument, match=keyword):
            count_streets(log, town(), **{"epsilon": 1, keyword: typed})
    assert "epsilon = 0" in error_line(InvalidArgument, count_streets, log, town(), epsilon=0)
    # With nobody near, noise is published: a refusal would tell that nobody was.
    nobody = count_streets(PositionLog.of([9], [9], users="a", time=[0]), town(), epsilon="1/1000")
    assert (nobody.people, nobody.cut, nobody.exact.any()) == (0, 0, False)
