"""Which classes lack a model: class by class what :meth:`check` says, and by fractions."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from class_oracles import classes_of, table_of, variation
from hypothesis import given, settings
from hypothesis import strategies as st

from kproof.models import privacy
from kproof.models.base.classes import Classes, part_of
from kproof.models.base.missing import MISSING, MissingAs
from kproof.models.privacy.base import Joined

ALONE = (
    privacy.KAnonymity(3),
    privacy.AlphaK("1/2", 2),
    privacy.DistinctL(2),
    privacy.EntropyL(2),
    privacy.EntropyL("1.889881574842309"),
    privacy.RecursiveCL(2, 2),
    privacy.RecursiveCL("1/2", 1),
    privacy.PSensitive(2, 3),
    privacy.PPlusSensitive(2, 2),
    privacy.PAlphaSensitive(2, "1/2", 3),
    privacy.ThetaSensitivity(3, "3/4"),
    privacy.ThetaSensitivity(2, "1/2", per_class=True),
)
TABLE = (
    privacy.TCloseness("1/3"),
    privacy.TCloseness("1/4", distance="ordered"),
    privacy.BasicBeta(1),
    privacy.EnhancedBeta(1),
    privacy.DeltaDisclosure("1/2"),
    privacy.DeltaDisclosure("0.693147180559945309"),
)
GROUPS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=7), min_size=1, max_size=6)


def read(groups, missing_as=MissingAs.VALUE):
    """Return classes in which 3 stands for a missing value."""
    of_row = np.repeat(np.arange(len(groups)), [len(one) for one in groups])
    return Classes(
        of_row,
        len(groups),
        np.array([code for one in groups for code in one]),
        (1, 2, 3, MISSING) if missing_as is not MissingAs.VALUE else (1, 2, 3, 4),
        ordered=True,
        category=np.array([0, 1, 1, 2]),
        categories=("grave", "mild", MISSING),
        missing_as=missing_as,
    )


@pytest.mark.parametrize("model", ALONE, ids=lambda one: one.name)
@given(groups=GROUPS, missing_as=st.sampled_from(MissingAs))
@settings(max_examples=25)
def test_a_class_fails_where_it_fails_alone(model, groups, missing_as):
    classes = read(groups, missing_as)
    # A class without a value to judge is refused by a check, and fails here.
    blank = [missing_as is MissingAs.EXCLUDE and set(one) == {3} for one in groups]
    alone = np.eye(len(groups), dtype=bool)
    if not any(set(one) == {3} for one in groups):
        expected = [not model.check(part_of(classes, one)).holds for one in alone]
        assert model.failing(classes).tolist() == expected
    if not any(blank) or not model.needs_sensitive:
        assert model.failing(classes).any() == (not model.check(classes).holds)


@pytest.mark.parametrize("model", TABLE, ids=lambda one: one.name)
@given(groups=GROUPS, missing_as=st.sampled_from(MissingAs))
@settings(max_examples=30)
def test_some_class_fails_where_the_check_does(model, groups, missing_as):
    classes = read(groups, missing_as)
    if any(set(one) == {3} for one in groups) and missing_as is not MissingAs.VALUE:
        return
    verdict, failing = model.check(classes), model.failing(classes)
    assert failing.any() == (not verdict.holds)
    assert verdict.holds or failing[verdict.worst_class.index]


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=6), min_size=1, max_size=5))
def test_what_is_compared_with_the_table_fails_by_fractions(groups):
    classes, table = classes_of(groups), table_of(groups)
    p = {one: Fraction(table.count(one), len(table)) for one in table}
    t, beta, basic = [], [], []
    for own in groups:
        gains = [Fraction(own.count(one), len(own)) / p[one] - 1 for one in p]
        t.append(variation(own, table) > Fraction(1, 3))
        basic.append(max(gains) > Fraction(1, 2))
        capped = [
            gain > 0 and gain > -math.log(share)
            for gain, share in zip(gains, p.values(), strict=True)
        ]
        beta.append(basic[-1] or any(capped))
    assert privacy.TCloseness("1/3").failing(classes).tolist() == t
    assert privacy.BasicBeta("1/2").failing(classes).tolist() == basic
    assert privacy.EnhancedBeta("1/2").failing(classes).tolist() == beta


@pytest.mark.parametrize("model", [*ALONE, *TABLE], ids=lambda one: one.name)
@given(groups=GROUPS, joined=st.lists(st.integers(0, 2), min_size=6, max_size=6))
@settings(max_examples=30)
def test_what_outlasts_the_joining_of_classes(model, groups, joined):
    """Coarser labels join classes: what is cut off the lattice rests on this."""
    classes = read(groups)
    place = np.unique(np.array(joined[: len(groups)]), return_inverse=True)[1]
    union = replace(classes, of_row=place[classes.of_row], count=int(place.max()) + 1)
    before, after = model.failing(classes), model.failing(union)
    if model.joined is Joined.ANY:
        assert not after[place[~before]].any()
    elif model.joined is Joined.ALIKE:
        assert before.any() or not after.any()
    assert (classes.sizes[~before] >= model.fewest_rows).all()
