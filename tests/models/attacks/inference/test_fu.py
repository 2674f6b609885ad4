"""The fraction of identified users, its exact value and its intervals."""

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from cases import error_line
from hypothesis import given
from hypothesis import strategies as st

from kproof.errors import InvalidArgument
from kproof.models.attacks.inference.fu import FU, interval


def fu(right: list[int], tied: list[int], known: int = 0) -> FU:
    arrays = [np.array(one, dtype=np.int64) for one in (range(len(right)), right, tied)]
    return FU("mle", {"level": "I"}, *arrays, known=known, sanity=Fraction(1, 4))


@given(
    st.lists(
        st.integers(0, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1
    ),
    st.integers(0, 5),
)
def test_ties_are_shared_exactly(pairs, known):
    measured = fu(*map(list, zip(*pairs, strict=True)), known=known)
    chances = [Fraction(right, tied) if tied else Fraction(0) for right, tied in pairs]
    assert measured.identified == sum(chances)
    assert measured.value == sum(chances) / len(pairs)
    assert measured.with_known == (sum(chances) + known) / (len(pairs) + known)
    assert measured.certain == chances.count(1)
    assert measured.misled == chances.count(0)
    assert [measured.chance(place) for place in range(len(pairs))] == chances
    variance = sum(chance * (1 - chance) for chance in chances) / len(pairs) ** 2
    assert measured.deviation == pytest.approx(math.sqrt(variance))


def test_figures_are_told():
    measured = fu([1, 1, 0], [1, 3, 2], known=2)
    assert measured.summary().splitlines() == [
        "mle(level=I)",
        "FU: 44.4444% of 3 victims, 1 for sure",
        "sanity bound 1/k: 25.0000%",
        "known beforehand: 2",
    ]
    document = measured.to_dict()
    assert (document["fu"], document["identified"], document["sanity"]) == ("4/9", "4/3", "1/4")
    assert "place = 3: need 0 <= place < 3" in error_line(InvalidArgument, measured.chance, 3)


def test_interval_by_student():
    values = [0.31, 0.29, 0.35, 0.28, 0.33]
    student = interval(values)
    # The quantile of Student's law with four degrees of freedom, from tables.
    half = 2.776445 * statistics.stdev(values) / math.sqrt(5)
    assert (student.mean, student.half) == pytest.approx((statistics.fmean(values), half), rel=1e-6)
    ends = student.mean - student.half, student.mean + student.half
    assert (student.lower, student.upper) == ends
    assert interval([Fraction(1, 3)] * 4).half == 0
    assert interval([1]).half == math.inf
    assert "level = 1" in error_line(InvalidArgument, interval, values, level=1)
