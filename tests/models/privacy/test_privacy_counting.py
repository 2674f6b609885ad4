"""What every model has in common, and the models that count, by brute force."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from cases import cases, error_line
from class_oracles import classes_of, share
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.errors import DataError, InvalidArgument
from kproof.models import privacy
from kproof.models.base.classes import Classes
from kproof.models.privacy.base import extreme, first_of_each, short_text

GROUPS = st.lists(
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=7), min_size=1, max_size=6
)

MODELS = [
    privacy.KAnonymity(2),
    privacy.AlphaK("0.5", 2),
    privacy.DistinctL(2),
    privacy.EntropyL(2),
    privacy.RecursiveCL(2, 2),
    privacy.TCloseness("0.2"),
    privacy.BasicBeta(1),
    privacy.EnhancedBeta(1),
    privacy.DeltaDisclosure(1),
    privacy.PSensitive(2, 2),
    privacy.PPlusSensitive(2, 2),
    privacy.PAlphaSensitive(2, 1, 2),
    privacy.ThetaSensitivity(4, "0.6"),
]


@given(GROUPS, st.integers(1, 6))
def test_k_counts_people_and_reports_rows(groups, k):
    noise = [0] if len(groups[0]) > 1 else []
    verdict = privacy.KAnonymity(k).check(classes_of(groups, noise=noise))
    people = [len(group) for group in groups]
    people[0] -= len(noise)
    assert verdict.value == min(people)
    assert verdict.holds == (min(people) >= k)
    assert verdict.worst_class.index == people.index(min(people))
    assert verdict.worst_class.figures["least_published"] == min(map(len, groups))


@given(GROUPS, st.sampled_from(["1/3", "0.5", "0.6", "1"]), st.integers(1, 3))
def test_alpha_k(groups, alpha, k):
    verdict = privacy.AlphaK(alpha, k).check(classes_of(groups))
    largest = [max(share(group, value) for value in group) for group in groups]
    small = min(map(len, groups))
    assert verdict.value == max(largest)
    assert verdict.holds == (max(largest) <= Fraction(alpha) and small >= k)
    if small >= k:
        assert verdict.worst_class.index == largest.index(max(largest))
    else:
        assert verdict.worst_class.size == small
        assert "where k" in verdict.reason


def test_noise_counts_for_what_an_adversary_sees_and_not_for_k():
    classes = classes_of([["a", "a", "b"]], noise=[2])
    assert privacy.AlphaK("2/3", 2).check(classes)
    assert not privacy.AlphaK("2/3", 3).check(classes)
    assert privacy.DistinctL(2).check(classes)
    verdict = privacy.KAnonymity(3).check(classes)
    assert (
        str(verdict)
        == "k-anonymity(k=3): fails (fewest people in a class: 2 (3 rows with noise), class 0)"
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_model_refuses_what_it_cannot_judge(model):
    empty = Classes(np.zeros(0, dtype=np.int64), 0, np.zeros(0, dtype=np.int64), ())
    with pytest.raises(DataError, match="nothing is published, so that there is no class to judge"):
        model.check(empty)
    bare = Classes(np.zeros(3, dtype=np.int64), 1)
    if model == privacy.KAnonymity(2):
        assert model.check(bare)
    else:
        assert "needs a sensitive attribute" in error_line(DataError, model.check, bare)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
@given(groups=GROUPS, seed=st.integers(0, 10**6))
@settings(max_examples=15)
def test_order_of_rows_never_matters_and_input_stays(model, groups, seed):
    category = {value: "abcde".index(value) % 3 for value in "abcde"}
    classes = classes_of(groups, values=tuple("abcde"), category=category, categories="xyz")
    order = np.random.default_rng(seed).permutation(len(classes.of_row))
    rows = {"of_row": classes.of_row[order], "sensitive": classes.sensitive[order]}
    shuffled = replace(classes, **rows)
    before = classes.of_row.copy(), classes.sensitive.copy()
    assert model.check(classes) == model.check(shuffled)
    assert np.array_equal(before[0], classes.of_row)
    assert np.array_equal(before[1], classes.sensitive)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_verdicts_have_a_json_form_and_name_the_class(model):
    import json

    category = {"a": 0, "b": 1, "c": 1}
    classes = classes_of([list("abc"), list("aab")], category=category, categories=("x", "y"))
    found = json.loads(json.dumps(model.check(classes).to_dict(), allow_nan=False))
    assert found["model"] == model.name
    assert found["worst_class"]["label"] in ("0", "1")
    assert model.name in str(model.check(classes))


@cases(
    (lambda: privacy.KAnonymity(0), "k = 0: need a whole number k >= 1"),
    (lambda: privacy.AlphaK(0, 2), "alpha = 0: need 0 < alpha <= 1"),
    (lambda: privacy.AlphaK("1.01", 2), "alpha = 1.01: need 0 < alpha <= 1"),
    (lambda: privacy.DistinctL(2.5), "l = 2.5: need a whole number l >= 1"),
    (lambda: privacy.EntropyL("0.5"), "l = 0.5: need l >= 1"),
    (lambda: privacy.RecursiveCL(0, 2), "c = 0: need c > 0"),
    (lambda: privacy.TCloseness(-1), "t = -1: need 0 <= t <= 1"),
    (
        lambda: privacy.TCloseness(1, distance="x"),
        "distance = x: need equal, ordered or hierarchical",
    ),
    (lambda: privacy.BasicBeta(0), "beta = 0: need beta > 0"),
    (lambda: privacy.EnhancedBeta("nan"), "beta = nan: need beta > 0"),
    (lambda: privacy.DeltaDisclosure(-1), "delta = -1: need delta > 0"),
    (lambda: privacy.PSensitive(0, 2), "p = 0: need a whole number p >= 1"),
    (lambda: privacy.PPlusSensitive(2, 0), "k = 0: need a whole number k >= 1"),
    (lambda: privacy.PAlphaSensitive(2, -1, 2), "alpha = -1: need alpha >= 0"),
    (lambda: privacy.ThetaSensitivity(1, 1), "k = 1: need a whole number k >= 2"),
    (lambda: privacy.ThetaSensitivity(4, "x"), "mu = x: need mu >= 0"),
)
def test_parameters_out_of_range(make, message):
    assert error_line(InvalidArgument, make) == message


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=1, max_size=30))
def test_extremes_are_exact_and_first(pairs):
    values = [Fraction(top, bottom) for top, bottom in pairs]
    keys = [np.array(column) for column in zip(*pairs, strict=True)]
    approximate = keys[0] / keys[1]
    for largest in (True, False):
        best = max(values) if largest else min(values)
        found = extreme(approximate, values.__getitem__, keys, largest=largest)
        assert found == (values.index(best), best)


def test_extremes_that_floats_cannot_tell_apart():
    close = [Fraction(10**17 + 1, 10**17), Fraction(10**17 + 2, 10**17), Fraction(1)]
    approximate = np.array([float(value) for value in close])
    assert len(set(approximate)) == 1
    assert extreme(approximate, close.__getitem__, [np.arange(3)], largest=True) == (1, close[1])


@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1, -(10**17), 10**17]), st.sampled_from([0, 7, 10**18])),
        min_size=1,
        max_size=20,
    )
)
def test_firsts_of_keys_that_do_not_fit_together_in_64_bits(pairs):
    firsts = sorted({pair: index for index, pair in reversed(list(enumerate(pairs)))}.values())
    for kind in (np.int64, object):
        keys = [np.array(column, dtype=kind) for column in zip(*pairs, strict=True)]
        assert first_of_each(keys).tolist() == firsts


def test_numbers_for_readers_are_rounded_to_the_stated_side():
    assert short_text(Fraction(2, 3), up=True) == "0.6667"
    assert short_text(Fraction(2, 3), up=False) == "0.6666"
    assert short_text(Fraction(31, 100), up=True) == "0.31"


def test_summary_reads_as_one_line_and_matches_the_models():
    attained = privacy.summary(classes_of([list("abcd"), list("abca")]))
    assert (attained.k, attained.ell, attained.classes, attained.rows) == (4, 3, 2, 8)
    assert attained.t == Fraction(1, 8)
    assert attained.mu == Fraction(11, 20)
    assert str(attained) == "k=4, l=3, t=0.125, theta up to mu=0.55"
    assert attained.to_dict()["mu"] == "11/20"
    assert str(privacy.summary(Classes(np.zeros(0, dtype=np.int64), 0))) == "nothing is published"
    assert str(privacy.summary(Classes(np.zeros(3, dtype=np.int64), 1))) == "k=3"
    assert privacy.summary(classes_of([["a"]])).mu is None
