"""Several sensitive columns, and several rows of one person, against the definitions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from math import log

import numpy as np
import pandas as pd
import pytest
from cases import cases, error_line
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kproof.errors import DataError, InvalidArgument
from kproof.models import privacy
from kproof.models.api import check
from kproof.models.base.classes import Classes
from kproof.models.base.missing import MISSING
from kproof.models.privacies import models_by_column

ROLES = {"quasi_identifiers": ["zip"], "sensitive": ["disease", "pay"]}


def worlds(values: Sequence[int], rows_of: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Yield every way to give the rows of a class to people with these numbers of rows."""
    if not rows_of:
        yield []
        return
    for own in combinations(range(len(values)), rows_of[0]):
        rest = [value for row, value in enumerate(values) if row not in own]
        for others in worlds(rest, rows_of[1:]):
            yield [tuple(values[row] for row in own), *others]


def left(values: Sequence[int], rows_of: Sequence[int]) -> set[tuple[int, ...]]:
    """Return what a reader faces who knows all rows of somebody but one, in any world."""
    found = set()
    for world in worlds(values, rows_of):
        for own in world:
            for known in combinations(own, len(own) - 1):
                rest = Counter(values) - Counter(known)
                found.add(tuple(sorted(rest.elements())))
    return found


def entropy(values: Sequence[int]) -> float:
    shares = [count / len(values) for count in Counter(values).values()]
    return -sum(share * log(share) for share in shares)


def tails(values: Sequence[int], ell: int) -> Fraction | None:
    counts = sorted(Counter(values).values(), reverse=True)
    rest = sum(counts[ell - 1 :])
    return Fraction(counts[0], rest) if rest else None


@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.data())
def test_a_reader_who_knows_all_rows_but_one_is_the_worst_of_all_worlds(rows_of, data):
    size = sum(rows_of)
    values = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    person = np.repeat(np.arange(len(rows_of)), rows_of)
    classes = Classes(np.zeros(size, dtype=int), 1, np.array(values), tuple("abcd"), person=person)
    faced = left(values, rows_of)
    fewest = min(len(set(one)) for one in faced)
    assert privacy.DistinctL(1).check(classes).value == fewest
    assert privacy.PSensitive(fewest, len(rows_of)).check(classes).holds
    assert not privacy.PSensitive(fewest, len(rows_of) + 1).check(classes).holds
    shares = [Fraction(max(Counter(one).values()), len(one)) for one in faced]
    assert privacy.AlphaK(1, 1).check(classes).value == max(shares)
    least = min(map(entropy, faced))
    assert log(float(privacy.EntropyL(1).check(classes).value)) == pytest.approx(least, abs=1e-9)
    ratios = [tails(one, 2) for one in faced]
    expected = "none" if None in ratios else max(ratios)
    assert privacy.RecursiveCL(1, 2).check(classes).value == expected
    assert privacy.KAnonymity(1).check(classes).value == len(rows_of)


@pytest.mark.parametrize("rows_of", [(1, 1, 2), (3, 1)])
def test_by_itself_each_row_of_a_person_is_any_row_of_the_class(rows_of):
    """What t-closeness and its like judge: the posterior of one row, however many there are."""
    values = [0, 0, 1, 2]
    for place in range(len(values)):
        chances = Counter(order[place] for order in permutations(values))
        total = sum(chances.values())
        shares = {value: Fraction(times, total) for value, times in chances.items()}
        assert shares == {0: Fraction(1, 2), 1: Fraction(1, 4), 2: Fraction(1, 4)}
    person = np.repeat(np.arange(len(rows_of)), rows_of)
    codes, alone = np.array(values), Classes(np.zeros(4, dtype=int), 1, np.array(values), (0, 1, 2))
    both = Classes(np.zeros(4, dtype=int), 1, codes, (0, 1, 2), person=person)
    verdicts = privacy.TCloseness(1).check(both)
    assert verdicts.value == privacy.TCloseness(1).check(alone).value
    assert verdicts.scope.notes == ("1 person has several rows, each row judged by itself",)


def test_a_person_with_most_of_a_class_is_certain_to_have_its_commonest_value():
    """Three values, two people; who has three of four rows has HIV in every world."""
    codes, person = np.array([0, 0, 1, 2]), np.array([7, 7, 7, 8])
    rows = Classes(np.zeros(4, dtype=int), 1, codes, ("HIV", "Flu", "Cold"), person=person)
    assert all(0 in world[0] for world in worlds(codes.tolist(), [3, 1]))
    verdict = privacy.DistinctL(2).check(rows)
    assert not verdict.holds
    assert "1 person has several rows, for a reader who knows all rows" in str(verdict)


frames = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from("abc"), st.sampled_from([1, 2, None])),
    min_size=2,
    max_size=8,
).map(lambda rows: pd.DataFrame(rows, columns=["zip", "disease", "pay"]))


@settings(max_examples=30)
@given(frames, st.sampled_from(["worst-case", "value"]))
def test_each_column_is_judged_as_if_it_were_the_only_one(frame, policy):
    if frame["pay"].isna().all():
        return
    models = [privacy.DistinctL(2), privacy.KAnonymity(2), privacy.TCloseness("0.4")]
    together = check(frame, models, **ROLES, missing_as=policy)
    columns = ["disease", "pay", None, "disease", "pay"]
    assert [verdict.scope.column for verdict in together] == columns
    for verdict in together:
        if verdict.scope.column is None:
            continue
        other = [name for name in ("disease", "pay") if name != verdict.scope.column]
        roles = ROLES | {"sensitive": verdict.scope.column, "other": other}
        model = [one for one in models if one.name == verdict.model]
        alone = check(frame, model, **roles, missing_as=policy)
        assert (alone[0].holds, alone[0].value) == (verdict.holds, verdict.value)


@given(frames)
def test_known_values_are_quasi_identifiers(frame):
    # A column without a single value is refused, whatever is asked of it.
    assume(frame.notna().any().all())
    models = {"disease": privacy.DistinctL(2)}
    if frame["pay"].isna().any():
        with pytest.raises(DataError, match=r"column pay: \d+ sensitive values? (is|are) missing"):
            check(frame, models, **ROLES, known_sensitive=True)
    verdicts = check(frame, models, **ROLES, known_sensitive=True, missing_as="value")
    roles = {"quasi_identifiers": ["zip", "pay"], "sensitive": "disease"}
    assert verdicts[0].value == check(frame, privacy.DistinctL(2), **roles)[0].value
    assert verdicts[0].scope.notes[-1] == "for a reader who knows pay"
    plain = check(frame, models, **ROLES)[0]
    assert plain.value >= verdicts[0].value
    assert plain.name == "l-diversity(l=2) of disease"


def test_models_by_column():
    frame = pd.DataFrame({"zip": [1, 1], "disease": ["a", "b"], "pay": [1, 1]})
    asked = {"disease": [privacy.DistinctL(2), privacy.TCloseness(1)], "pay": privacy.DistinctL(2)}
    verdicts = [(one.scope.column, one.holds) for one in check(frame, asked, **ROLES)]
    assert verdicts == [("disease", True), ("disease", True), ("pay", False)]
    with pytest.raises(InvalidArgument, match="models = zip: need one of the sensitive columns"):
        check(frame, {"zip": privacy.DistinctL(2)}, **ROLES)
    with pytest.raises(InvalidArgument, match="sensitive = pay: need each sensitive column once"):
        check(frame, privacy.DistinctL(2), quasi_identifiers=["zip"], sensitive=["pay", "pay"])


def test_a_missing_value_of_any_column_is_the_worst():
    frame = pd.DataFrame({"zip": [1, 1], "disease": ["a", "b"], "pay": [1, None]})
    verdicts = check(frame, privacy.DistinctL(2), **ROLES)
    assert [one.value for one in verdicts] == [2, 1]
    assert verdicts[1].scope.missing == 1
    assert check(frame, privacy.DistinctL(2), **ROLES, missing_as="value")[1].value == 2


@cases(
    ({"l": "zip=3"}, "l = zip=3: need one of the sensitive columns: disease, pay"),
    ({"l": "disease=3,pay"}, "l = disease=3,pay: need one value, or COLUMN=VALUE"),
    ({"l": "pay=2,pay=3"}, "l = pay=2,pay=3: need pay once"),
    ({"l": "pay=none"}, "l = none: need a whole number"),
    ({"p": "pay=2"}, "p = 2: need --k with it"),
)
def test_options_by_column(typed, told):
    assert error_line(InvalidArgument, models_by_column, typed, ["disease", "pay"]).startswith(told)


def test_missing_is_last_whatever_column_comes_first():
    frame = pd.DataFrame({"zip": [1, 1], "disease": ["a", None], "pay": [1, 2]})
    roles = {**ROLES, "sensitive": ["pay", "disease"]}
    assert [one.value for one in check(frame, privacy.DistinctL(2), **roles)] == [2, 1]
    assert MISSING not in (1, 2)
