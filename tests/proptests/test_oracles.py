"""The definitions against other definitions: a linear program, 60 digits, the papers' figures."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import mpmath
import pytest
from cases import cases
from class_oracles import entropy, ordered_emd, ratios, transport, variation, width
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.models.base.missing import MISSING
from kproof.models.registry import Kind, Promise
from kproof.proptests import oracles
from kproof.proptests.checks.feasibility import impossible, possible
from kproof.proptests.contract import Subject, TableCase
from kproof.proptests.oracles import Rows, decides

groups = st.lists(st.integers(0, 4), min_size=1, max_size=8)


def rows(*classes: Any, people: int | None = None) -> list[Rows]:
    return [Rows(tuple(one), len(one) if people is None else people) for one in classes]


@settings(max_examples=100, deadline=None)
@given(groups, groups)
def test_figures_of_a_class(values, others):
    table = values + others
    assert oracles.variance(values) == width(values)
    assert oracles.equal_distance(values, table) == variation(values, table)
    assert oracles.rank_distance(values, table) == ordered_emd(values, table)
    gain = max(ratio for ratio in ratios(values, table).values()) - 1
    assert oracles.largest_gain(values, table) == gain


@settings(max_examples=15, deadline=None)
@given(groups, groups)
def test_distances_are_those_of_a_linear_program(values, others):
    table = values + others
    near = pytest.approx(transport(values, table, lambda one, other: one != other), abs=1e-8)
    assert float(oracles.equal_distance(values, table)) == near
    place = {value: rank for rank, value in enumerate(sorted(set(table)))}
    reach = max(len(place) - 1, 1)
    apart = transport(values, table, lambda one, other: abs(place[one] - place[other]) / reach)
    assert float(oracles.rank_distance(values, table)) == pytest.approx(apart, abs=1e-8)


@settings(max_examples=60, deadline=None)
@given(groups, st.fractions(1, 5, max_denominator=12))
def test_entropy_and_recursion(values, ell):
    with mpmath.workdps(60):
        gap = entropy(values) - mpmath.log(mpmath.mpf(ell.numerator) / ell.denominator)
    if abs(gap) > mpmath.mpf(10) ** -40:
        assert oracles.entropy_at_least(values, ell) == (gap > 0)
    else:
        assert oracles.entropy_at_least(values, ell)


def test_entropy_at_equality():
    assert oracles.entropy_at_least("aaaabcde", Fraction(4))
    assert not oracles.entropy_at_least("aaaabcde", Fraction(4) + Fraction(1, 10**30))


@cases(("2", 2, True), ("1.5", 2, False), ("4", 3, True), ("9", 4, False))
def test_the_tail_of_a_class(c, ell, holds):
    assert decides("recursive (c,l)-diversity", rows("aaabc"), {"c": c, "l": ell}) is holds


@settings(max_examples=60, deadline=None)
@given(groups, groups, st.sampled_from(["0.2", "0.7", "1"]))
def test_logarithms(values, others, delta):
    found = rows(values, others)
    table = values + others
    every = [ratio for one in (values, others) for ratio in ratios(one, table).values()]
    below = all(
        ratio > 0 and (ratio == 1 or abs(mpmath.log(float(ratio))) < float(delta))
        for ratio in every
    )
    assert decides("delta-disclosure", found, {"delta": delta}) == below
    capped = all(
        ratio <= 1
        or float(ratio - 1) <= min(1.0, -math.log(table.count(value) / len(table))) + 1e-12
        for one in (values, others)
        for value, ratio in ratios(one, table).items()
    )
    assert decides("enhanced beta-likeness", found, {"beta": 1}) == capped


@cases(
    ("k-anonymity", {"k": 4}, {"k": 5}),
    ("(alpha,k)-anonymity", {"alpha": "0.5", "k": 4}, {"alpha": "0.4999", "k": 4}),
    ("(alpha,k)-anonymity", {"alpha": 1, "k": 4}, {"alpha": 1, "k": 5}),
    ("l-diversity", {"l": 3}, {"l": 4}),
    ("p-sensitivity", {"p": 3, "k": 4}, {"p": 4, "k": 4}),
    ("p-sensitivity", {"p": 3, "k": 4}, {"p": 3, "k": 5}),
    ("p+-sensitivity", {"p": 2, "k": 4}, {"p": 3, "k": 4}),
    ("(p,alpha)-sensitivity", {"p": 3, "alpha": 1, "k": 4}, {"p": 3, "alpha": "1.1", "k": 4}),
    ("(p,alpha)-sensitivity", {"p": 3, "alpha": 1, "k": 4}, {"p": 4, "alpha": 1, "k": 4}),
    ("theta-sensitivity", {"k": 4, "mu": "0.55"}, {"k": 4, "mu": "0.5501"}),
    ("theta-sensitivity", {"k": 2, "mu": 1}, {"k": 5, "mu": "0.1"}),
    ("t-closeness", {"t": 0}, None),
    ("basic beta-likeness", {"beta": "0.001"}, None),
)
def test_one_class_at_the_edge(definition, good, bad):
    """The third class of Table 4a: HIV, Cancer, Flu, Flu; HIV and Cancer are of one category."""
    categories = {"HIV": "grave", "Cancer": "grave", "Flu": "mild"}
    patients = rows(("HIV", "Cancer", "Flu", "Flu"))
    assert decides(definition, patients, good, categories)
    assert bad is None or not decides(definition, patients, bad, categories)


def test_nothing_published_keeps_every_model():
    for name in oracles.DEFINITIONS:
        assert decides(name, [], {})


@pytest.mark.parametrize("stranger", [None, MISSING, "3"])
def test_the_order_of_numbers_has_no_place_for_anything_else(stranger):
    for at_most in (0, 1):
        asked = {"t": at_most}
        assert decides("ordered t-closeness", rows((3, stranger, 9)), asked) is None
        assert decides("ordered t-closeness", [*rows((3, 9)), *rows((3, 9))], asked) is True
        assert decides("t-closeness", rows((3, stranger, 9)), asked) is True
    assert decides("ordered t-closeness", [*rows((3, 3)), *rows((9, 9))], {"t": "0.49"}) is False


def test_people_are_counted_without_noise():
    assert not decides("k-anonymity", rows("abcd", people=3), {"k": 4})


def test_values_without_a_category_are_one_of_their_own():
    categories = {"HIV": "grave", "Flu": "mild"}
    assert oracles.kinds(["HIV", "odd", "odder"], categories) == 2
    assert oracles.weight(["HIV", "odd", "Flu", "Flu"], categories) == 1
    assert oracles.weight(["Flu"], {"Flu": "only"}) == 0


@pytest.mark.parametrize("distinct", [1, 2, 3, 4])
def test_no_class_is_wider_than_the_largest_variance(distinct):
    bound = oracles.largest_variance(distinct)
    widest = max(
        oracles.variance(one)
        for size in range(1, 9 if distinct < 4 else 7)
        for one in combinations_with_replacement(range(distinct), size)
    )
    assert widest <= bound
    if distinct == 2:
        assert widest == bound == Fraction(1, 4)


def _subject(*promises: Promise, pads: bool = False) -> Subject:
    return Subject("s", Kind.TABLE, frozenset(promises), publish=print, pads=pads)


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=6),
    st.integers(2, 4),
    st.integers(1, 3),
    st.sampled_from(["1/5", "1/2", "1"]),
)
def test_what_is_possible_is_decided_by_trying_all_partitions(values, k, ell, mu):
    """Without noise: if it is called impossible no partition serves, if possible one does."""
    columns = {"x": tuple(range(len(values))), "s": tuple(values)}
    case = TableCase(columns, ("x",), "s", parameters={"k": k, "l": ell, "mu": mu})
    subject = _subject(Promise.K_ANONYMITY, Promise.L_DIVERSITY, Promise.THETA_SENSITIVITY)
    served = any(
        decides("theta-sensitivity", classes, case.parameters)
        and decides("l-diversity", classes, case.parameters)
        for classes in map(_classes, _partitions(values))
    )
    if impossible(case, subject):
        assert not served
    if possible(case, subject):
        assert served
        assert not impossible(case, subject)


def _partitions(values: list[str]) -> list[list[list[str]]]:
    if not values:
        return [[]]
    first, rest = values[0], values[1:]
    found = []
    for parts in _partitions(rest):
        found.append([[first], *parts])
        found.extend(
            [*parts[:at], [first, *parts[at]], *parts[at + 1 :]] for at in range(len(parts))
        )
    return found


def _classes(parts: list[list[str]]) -> list[Rows]:
    return [Rows(tuple(part), len(part)) for part in parts]


@cases(
    ({}, True),
    ({"x": (1, None, 3)}, False),
    ({"x": (1, "2", 3)}, False),
    ({"x": (1.0, float("inf"), 3.0)}, False),
    ({"x": ("a", "b", "c")}, True),
    ({"s": ("a", None, "b")}, False),
    ({"k": 1}, False),
    ({"k": 4}, False),
    ({"l": 0}, False),
    ({"mu": "1.5"}, False),
    ({"p": 3}, False),
    ({"t": 2}, False),
    ({"alpha": -1}, False),
)
def test_only_plain_requests_are_sure_to_be_served(change, sure):
    columns = {"x": (1, 2, 3), "s": ("a", "b", "a")}
    parameters = {"k": 2, "l": 1, "t": 1, "mu": 1}
    for name, value in change.items():
        (columns if name in columns else parameters)[name] = value
    case = TableCase(columns, ("x",), "s", parameters=parameters)
    assert possible(case, _subject(Promise.K_ANONYMITY, Promise.L_DIVERSITY)) is sure


def test_hierarchies_and_categories_have_to_be_complete():
    columns: dict[str, tuple[object, ...]] = {"x": ("a", "b"), "s": ("u", "v")}
    tree = {"a": "*", "*": "*"}
    case = TableCase(columns, ("x",), "s", parameters={"k": 2, "p": 1}, hierarchies={"x": tree})
    plain, ranked = _subject(Promise.K_ANONYMITY), _subject(Promise.P_PLUS_SENSITIVITY)
    assert not possible(case, plain)
    whole = TableCase(columns, ("x",), "s", parameters={"k": 2, "p": 1})
    assert possible(whole, plain)
    assert not possible(whole, ranked)
    for categories, sure in (({"u": 1}, False), ({"u": 1, "v": 2}, True)):
        known = TableCase(columns, ("x",), "s", parameters={"k": 2, "p": 1}, categories=categories)
        assert possible(known, ranked) is sure
    assert not possible(TableCase(columns, ("x",), None, parameters={"k": 2, "p": 1}), ranked)
