"""The titles of charts say what is in the data, at the edges too, and never more."""

import re
from decimal import Decimal
from fractions import Fraction
from html import unescape
from itertools import product

import numpy as np
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

import kproof
from kproof.datasets import read_text_table
from kproof.models.frontier.judging import Candidate
from kproof.models.frontier.picture import describe_frontier
from kproof.models.tables.plots import before_after_svg, shift
from kproof.report import bounds
from kproof.report.context import Context
from kproof.report.findings import (
    CertifiedCurve,
    of_columns,
    of_crowd,
    of_curves,
    of_found,
    of_pairs,
    of_region,
    of_runs,
    percent,
)
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.theorems.record_moments import RecordMoments


def ends(low: str, high: str | None = None) -> Enclosure:
    return Enclosure(Decimal(low), Decimal(high or low))


def curve(kind: str, *values: str | Enclosure | None, start: int = 0) -> CertifiedCurve:
    """A curve at epsilon = start, start + 1, ..."""
    known = [ends(one) if isinstance(one, str) else one for one in values]
    return CertifiedCurve.of(kind, [Fraction(start + at) for at in range(len(known))], known)


@cases(
    ([], ""),
    ([curve("exact")], ""),
    ([curve("exact", None, ends("1", "Infinity"), "-2")], ""),
    # One point, without and with a power of ten above it.
    ([curve("exact", "0.4", start=2)], "The exact δ is 0.4 at ε = 2"),
    ([curve("exact", "0.04")], "The exact δ is below 0.1 at ε = 0"),
    # It never crosses; it stays where it is; it only rises.
    ([curve("exact", "0.5", "0.3", "0.2")], "The exact δ falls from 0.5 to 0.2 over ε = 0 to 2"),
    ([curve("exact", "0.5", "0.5", "0.5")], "The exact δ is 0.5 all the way from ε = 0 to 2"),
    ([curve("exact", "0.5", "0.3", "0.5")], "The exact δ is 0.5 at both ends of ε = 0 to 2"),
    ([curve("corrected", "0.5", "0.7")], "The corrected bound rises from 0.5 to 0.7 over"),
    # What is equal to a power of ten is not below it.
    ([curve("exact", "1", "0.1")], "The exact δ falls from 1 to 0.1 over ε = 0 to 1"),
    # The largest power that the end is below, from where on it stays below.
    ([curve("exact", "1", "1e-7", "0.5", "9e-7")], "The exact δ is below 10⁻⁶ from ε = 3 on"),
    ([curve("exact", "0.001", "0.0001")], "The exact δ is below 10⁻³ from ε = 1 on"),
    ([curve("exact", "0.05", "0")], "The exact δ is 0 from ε = 1 on"),
    ([curve("exact", "0.05", "1e-400")], "The exact δ is below 10⁻³⁰⁰ from ε = 1 on"),
    # An enclosure across the power does not get there.
    ([curve("exact", "1", ends("0.09", "0.11"))], "The exact δ falls from 1 to at most 0.11"),
    # Beside it, the bounds: there earlier or later, nowhere, or undecided.
    (
        [
            curve("exact", "1", "0.01", "0.005"),
            curve("blocks", "1", "0.4", "0.008"),
            curve("corrected", "1", "1", "1"),
        ],
        "The exact δ is below 0.01 from ε = 2 on, the corrected bound nowhere up to ε = 2, the "
        "block bound from ε = 2 on",
    ),
    (
        [curve("exact", "0.05"), curve("blocks", ends("0.05", "0.2"))],
        "The exact δ is below 0.1 at ε = 0",
    ),
    # Without an exact value the least bound; a bound of 1 says nothing.
    (
        [curve("blocks", "1", "0.02"), curve("corrected", "1", "0.05")],
        "The block bound is below 0.1 from ε = 1 on, the corrected bound from ε = 1 on",
    ),
    (
        [curve("corrected", "1", "1"), curve("blocks", "1", "1"), curve("printed", "0.01")],
        "Neither the corrected bound nor the block bound is below δ = 1 up to ε = 1",
    ),
    ([curve("corrected", "1")], "The corrected bound is nowhere below δ = 1 at ε = 0"),
    # A claim is called one, however small it is.
    (
        [curve("printed", "1e-9", start=1)],
        "Nothing but claims is drawn: the printed claim is 1 × 10⁻⁹ at ε = 1",
    ),
)
def test_curves(curves, says):
    told = of_curves(curves)
    assert told.startswith(says)
    assert bool(told) == bool(says)


def test_a_refuted_claim_comes_before_everything_else():
    assert of_curves([curve("exact", "1e-9")], refuted="The paper is wrong") == "The paper is wrong"
    assert of_curves([], refuted="The paper is wrong") == ""


@given(
    st.lists(st.fractions(0, 1), min_size=1, max_size=6), st.fractions(0, 3, max_denominator=999)
)
def test_whatever_a_title_says_is_so_at_every_point(values, start):
    at = [start + place for place in range(len(values))]
    told = of_curves([CertifiedCurve.of("exact", at, map(Enclosure.exactly, values))])
    found = re.fullmatch(r"The exact δ is (below )?(\S+) (?:from|at) ε = (\S+)(?: on)?", told)
    if found is None or (values[-1] and not found[1]):
        assert values[-1] >= Fraction(1, 10), told
        return
    below, written, since = found.groups()
    later = [y for x, y in zip(at, values, strict=True) if x >= Fraction(since)]
    power = written.removeprefix("10").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    limit = Fraction(10) ** int(power) if written.startswith("10") else Fraction(written)
    assert all(y < limit if below else y == limit for y in later)


def test_the_title_of_a_level_is_what_its_row_says(monkeypatch):
    monkeypatch.setattr(bounds, "_FINE", 4)
    monkeypatch.setattr(bounds, "_COARSE", 4)
    section = str(bounds.build(Context((read_text_table("table-1a"),), ("Age",))))
    plain = section.replace("\u00a0", " ")
    titles = [unescape(one) for one in re.findall(r'"finding">([^<]*)</figcaption>', plain)]
    labels = [unescape(one) for one in re.findall(r'role="img" aria-label="([^"]*)"', section)]
    assert len(titles) == len(labels) == 4
    for title, label, level in zip(titles, labels, ("I", "II", "III", "IV"), strict=True):
        assert label == f"{title}. Curves of δ against ε for Age at level {level}"
    # Without a law of dependent records there is nothing but bounds of 1.
    assert titles[0].startswith("The exact δ is below 0.1 from ε = ")
    assert titles[0].endswith(", no bound up to ε = 2")
    for place in (1, 3):
        assert titles[place].startswith("The corrected bound is nowhere below δ = 1 up to ε = ")


def test_a_printed_theorem_that_is_false_here_gives_its_chart_the_title():
    found = kproof.theory.compare(2, data=([0] + [1] * 9) * 100)
    assert found.standing("printed").value == "refuted"
    assert found.exact is not None
    told = bounds._refutation(found)
    assert re.fullmatch(r"At ε = 0\.\d+ the paper claims δ = -\S+, and the exact δ is \S+", told)
    assert told.endswith(f" {found.exact}")
    spread = kproof.theory.compare(2, moments=RecordMoments.of("1.8", "3.6", "7.2", "14.4"), n=1000)
    assert bounds._refutation(spread).endswith(", and no δ is negative")
    assert bounds._refutation(kproof.theory.compare(2, data=[0, 1] * 300)) == ""


@cases(
    ({}, ""),
    ({"a": [2, 2]}, "No line differs from the bars in its shares of the rows"),
    ({"a": [3, 1]}, "a differs from the bars by 25 % of the rows"),
    ({"a": [3, 1], "b": [1, 3]}, "Each line differs from the bars by 25 % of the rows"),
    (
        {"a": [3, 1], "b": [4, 0], "c": [1, 3]},
        "a and c differ least from the bars, by 25 % of the rows, b differs most, by 50 %",
    ),
    ({"a": [2, 2], "b": [4, 0]}, "a equals the bars, b differs most, by 50 % of the rows"),
    (
        {one: [2, 2] for one in "abc"} | {"d": [4, 0], "e": [0, 0]},
        "a and 2 others equal the bars, d differs most, by 50 % of the rows; e publishes none",
    ),
    ({"a": [0, 0], "b": [0, 0]}, "No rows are published"),
    ({"a": [0, 0], "b": [2, 2]}, "No line differs from the bars in its shares of the rows; a "),
)
def test_columns(after, says):
    told = of_columns([2, 2], after)
    assert told.startswith(says)
    assert bool(told) == bool(says)


def test_a_column_of_one_bar_differs_from_nothing():
    assert of_columns([4], {"a": [3], "b": [5]}).startswith("No line differs")


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6))
def test_shifts_are_total_variation(bars):
    before, after = ([one[side] for one in bars] for side in (0, 1))
    found = shift(before, after)
    if not (sum(before) and sum(after)):
        assert found is None
        return
    # By events: the largest difference of the chance of any set of bars.
    most = max(
        abs(
            sum(Fraction(b, sum(before)) for b, one in zip(before, chosen, strict=True) if one)
            - sum(Fraction(a, sum(after)) for a, one in zip(after, chosen, strict=True) if one)
        )
        for chosen in product((False, True), repeat=len(bars))
    )
    assert found == pytest.approx(float(most), abs=1e-9)


def test_the_chart_of_one_release_has_its_title_inside():
    roles = {"quasi_identifiers": ["Age"], "sensitive": "Disease", "identifiers": ["ID", "Name"]}
    drawn = before_after_svg(kproof.anonymize("mondrian", "table-1a", k=4, **roles), "Age")
    found = re.search(r'aria-label="Age: (before and after differ by \S+ % of the rows)"', drawn)
    assert found is not None
    assert f">{found[1]}<" in drawn


@cases(
    ([("CA", "I", 0.0)], 0, "k = 3: the bound says nothing; none is found"),
    ([("CA", "I", 1.0)], 1, "k = 3: the bound says something in 1 of 1 cases; 100 % are found"),
    (
        [("CA", "I", 0.25), ("IA", "II", 0.25), ("BE", "I", 0.1)],
        0,
        "k = 3: the bound says nothing; 25 % are found at most, by CA at level I and IA at "
        "level II",
    ),
    (
        [("CA", "I", 0.25)] * 3,
        0,
        "k = 3: the bound says nothing; 25 % are found at most, by CA at level I and 2 others",
    ),
)
def test_attacks(rows, telling, says):
    assert of_found(3, rows, telling).startswith(says)


@cases(
    ([], "There is no request to show"),
    ([(4, 10)], "k: 10 for the only request; users: 4"),
    ([(4, 10), (4, 10)], "k: 10 for all 2 requests; users: 4"),
    ([(4, 10), (5, 5)], "k: 5 to 10, no value more often than all others; users: 4 to 5"),
    ([(4, 10), (5, 5), (5, 5)], "k: 5 for 2 of 3 requests, 5 to 10 for all; users: 4 to 5"),
)
def test_pairs(points, says):
    assert of_pairs(points, "users", "k", "request") == says


EVEN = "Every sector with people has {} by km²"


@cases(
    ([5], [1e6], "5 people are in 1 of 1 sector", EVEN.format(5)),
    ([5, 5], [1e6, 1e6], "10 people are in 1 of 2 sectors", EVEN.format(5)),
    (
        [5, 5, 0],
        [1e6, 2e6, 1e6],
        "10 people are in 1 of 3 sectors",
        "The densest sector has 5 people by km², the thinnest 2.5, and 1 of 3 sectors none",
    ),
    (
        [4, 3, 3],
        [1e3] * 3,
        "10 people are in 2 of 3 sectors",
        "The densest sector has 4,000 people by km², the thinnest 3,000",
    ),
)
def test_crowds(counts, areas, half, densest):
    people = np.array(counts)
    says = f"At least half of the {half}", densest
    assert of_crowd(people, people / np.array(areas), "people") == says


def test_a_crowd_of_nobody():
    nobody = np.zeros(2)
    assert of_crowd(nobody, nobody, "people") == ("There are no people in 2 sectors",) * 2


def test_regions():
    says = "The region has 1 user at 1 of 1 crossing, where k = 1 were asked for"
    assert of_region(1, 1, 1, 1) == says


@cases(
    ([(2, 2, 1)], "rows: 2 in the only run"),
    ([(2, 2, 7)], "rows: 2 in all runs"),
    ([(0, 0, 3), (1, 4, 3)], "rows: 0 to 4, and no bar has more runs than all others"),
    ([(0, 0, 3), (1, 4, 1)], "rows: most often 0, in 75 % of 4 runs"),
    ([(0, 0, 1), (1, 4, 3), (5, 9, 1)], "rows: most often 1 to 4, in 60 % of 5 runs"),
)
def test_runs(bars, says):
    def span(first: object, last: object) -> str:
        return str(first) if first == last else f"{first} to {last}"

    assert of_runs("rows", bars, span) == says


@given(st.floats(0, 1))
def test_shares_that_are_not_0_or_1_do_not_look_like_it(share):
    told = percent(share)
    assert (told == "0 %") == (share == 0)
    assert (told == "100 %") == (share == 1)


def tried(
    method: str, k: int, loss: float | None, problem: str = "", budget: str = "0"
) -> Candidate:
    return Candidate(method, k, Fraction(budget), {}, problem, loss)


@cases(
    ([], "There is no release to compare"),
    ([tried("a", 2, 0.1, "lacks l = 2")], "There is no release to compare"),
    ([tried("a", 2, 0.1)], "a loses 0.1000 at k = 2"),
    ([tried("a", 2, 0.1), tried("a", 5, 0.1)], "a loses 0.1000 at k = 2 and 5"),
    ([tried("a", 2, 0.1), tried("a", 5, 0.2)], "a loses 0.1000 at k = 2 and 0.2000 at k = 5"),
    ([tried("a", 2, 0.1), tried("b", 5, 0.1)], "No two of 2 methods have a release at the same"),
    ([tried("a", 2, 0.1), tried("b", 2, 0.1 + 1e-15)], "The methods lose the same at k = 2"),
    (
        [tried(one, k, loss) for k in (2, 5, 9, 10) for one, loss in (("a", 0.1), ("b", 0.2))],
        "a loses least at 4 values of k from 2 to 10",
    ),
    (
        [tried("a", 2, 0.1), tried("b", 2, 0.2), tried("a", 5, 0.3), tried("b", 5, 0.2)],
        "a loses least at k = 2, b loses least at k = 5",
    ),
    (
        [tried("a", 2, 0.1), tried("b", 2, 0.1), tried("c", 2, 0.2), tried("c", 9, 0.3)],
        "a and b lose least at k = 2; at k = 9 only one has a release",
    ),
    # The better of two budgets counts; what was refused does not.
    (
        [
            tried("a", 2, 0.3),
            tried("a", 2, 0.1, budget="0.05"),
            tried("b", 2, 0.2),
            tried("c", 2, 0.01, "refused"),
        ],
        "a loses least at k = 2",
    ),
)
def test_frontiers(candidates, says):
    assert describe_frontier(candidates).startswith(says)
