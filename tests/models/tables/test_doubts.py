"""What is asked of values that may be none, or spellings of one, before they count."""

import re
from decimal import Decimal
from fractions import Fraction
from shlex import quote, split
from typing import Any

import pandas as pd
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st
from shell import kproof as run
from shell import refused

import kproof
from kproof.errors import DataError
from kproof.models.privacy import DistinctL, KAnonymity
from kproof.models.tables.doubts import SENTINELS, alike, sentinels

ROLES = {"quasi_identifiers": ["age"], "sensitive": "ill"}


def _judged(values: list[Any], **more: Any) -> Any:
    frame = pd.DataFrame({"age": [1] * len(values), "ill": values})
    return kproof.check(frame, DistinctL(2), **ROLES, **more)[0]


@cases("N.A.", "keine Angabe", "k.A.", "(null)", "<NA>", "\\N", "??", "Nicht bekannt", "s/o")
def test_odd_words_for_missing_are_asked_about_and_the_answer_helps(cell, tmp_path):
    path = tmp_path / "released.csv"
    path.write_text(f"age,ill\n1,HIV\n1,{cell}\n1,-\n1,\n", encoding="utf-8")
    words = ("check", "--models-only", str(path), "--qi", "age", "--sensitive", "ill", "--l", "2")
    told = refused(*words)
    # What the message says to type is the answer: no second question follows.
    typed = split(told.partition("say ")[2].partition(" if they are")[0])
    assert {quote(one) for one in typed} >= {quote(f"--missing={cell}"), "--missing=-"}
    assert run(*words, *typed).status == 1


@pytest.mark.parametrize("left", ["", "?", "unknown"])
def test_a_list_of_missing_cells_makes_no_other_a_value(left):
    with pytest.raises(DataError, match=r"looks? like (a )?missing value"):
        _judged(["HIV", "NA", left], missing=["NA"])
    assert not _judged(["HIV", "NA", left], missing=["NA", left])


def test_an_empty_cell_is_no_person():
    frame = pd.DataFrame({"age": [1, 1], "who": ["a", ""]})
    with pytest.raises(DataError, match="looks like a missing person"):
        kproof.check(frame, KAnonymity(2), quasi_identifiers=["age"], person="who", missing=["NA"])


def test_numbers_that_stand_for_nothing_are_asked_about():
    for kind in (int, float, str):
        values = [kind(one) for one in (34, 34, 999)]
        with pytest.raises(DataError, match=r"the cell 999.* looks like a missing value"):
            _judged(values)
        assert not _judged(values, missing=[str(values[-1])])
        assert _judged(values, missing_as="value")
    assert _judged([600, 750, 999])
    assert _judged([-20, -9, 30])


@given(st.lists(st.integers(-2000, 20000), min_size=1, unique=True))
def test_a_number_stands_for_nothing_only_far_from_all_others(values):
    others = [one for one in values if one not in SENTINELS]

    def is_far(number):
        if number < 0:
            return min(others) >= 0
        span = max(others) - min(others)
        return all(number > 2 * other for other in others) and number - max(others) > span

    far = [one for one in values if one in SENTINELS and others and is_far(one)]
    assert sentinels(values) == far
    assert sentinels([Fraction(one) for one in values]) == far


@cases(
    "caf\u00e9",
    "cafe\u0301\u200b",
    " cafe\u0301",
    "Caf\u00c9",
    "cafe\u00ad\u0301",
    "cafe\u0301\u00a0",
    "\uff43\uff41\uff46e\u0301",
)
def test_two_spellings_are_not_two_values(other):
    plain = "cafe\u0301"
    assert re.search(
        "look like two spellings of one value", error_line(DataError, _judged, [plain, other])
    )
    frame = pd.DataFrame({"age": [1, 1], "who": [plain, other]})
    with pytest.raises(DataError, match="look like two spellings of one person"):
        kproof.check(frame, KAnonymity(2), quasi_identifiers=["age"], person="who")
    assert _judged([plain, "cafe"])


@cases(
    ("1", "1.0"),
    ("1", "01"),
    ("1", "1e0"),
    ("-0.50", "-.5"),
    ("1", "\uff11"),
    ("7", "\u0667"),
    ("1000", "1,000"),
    ("1000", "1\u202f000"),
    ("1'000.5", "1.000,5"),
    ("1.5", "1,5"),
    ("-1", "\u22121"),
    ("0.05", "5 %"),
    ("1", "0x1"),
    ("1", "TRUE"),
    ("0", "no"),
    ("1200", "1_200"),
)
def test_a_number_is_one_secret_however_it_is_written(pair):
    assert "look like two spellings of one value" in error_line(DataError, _judged, [*pair, "flu"])
    assert _judged([*pair, "flu"], missing_as="value")
    rows = pd.DataFrame({"age": pair, "ill": ["flu", "HIV"]})
    [verdict] = kproof.check(rows, KAnonymity(1), quasi_identifiers=["age"], sensitive="ill")
    assert verdict.value == 1


@cases(
    ("2020-01-02", "2020-01-02 00:00:00"),
    ("H-V", "H\u2013V"),
    ("HIV", "\uff28\uff29\uff36"),
    ("HIV", "\u041dI\u0056"),
    ("AIDS", "\u0391\u0399DS"),
    ("HIV-1", "hiv 1."),
    ("HIV", "'HIV'"),
    ("HIV positive", "HIV_positive"),
    ("5", "[5]"),
    ("5 \u20ac", "\u20ac5.00"),
    ("9:30", "09:30:00"),
    ("y", "Yes"),
    ("2020-01-02", "02.01.2020"),
    ("2020-01-02", "20200102"),
    ("1/2/2020", "01/02/2020"),
    ("2020-01-02 10:00", "2 Jan 2020 10:00"),
    (0.1, Decimal("0.1")),
    (1e23, 10**23),
)
def test_what_a_reader_takes_for_one_is_one_secret(pair):
    with pytest.raises(DataError, match="look like two spellings of one value"):
        _judged(pd.Series(pair, dtype=object))


@cases(("1/2", "0.5"), ("1e999", "1e998"), ("3\u00b2", "32"), ("1,5", "15"), ("1-2", "1-02"))
def test_what_is_no_number_is_itself(pair):
    assert alike(pair) is None


@cases(
    ("A+", "A-"),
    ("5 \u03bcg", "5 mg"),
    ("B20.1", "B2.01"),
    ("5 \u20ac", "5 $"),
    ("1/12/2020", "12/1/2020"),
    ("2020-01-02 10:00", "02.01.2020 11:00"),
    ("2020-01-02", "2020-02-01"),
    ("Y", "1", "A"),
)
def test_what_a_reader_tells_apart_is_not_asked_about(values):
    assert alike(values) is None


def test_names_of_users_differ_by_their_signs():
    users = ("ann.lee", "ann_lee", "annlee1", "annlee-1")
    frame = pd.DataFrame({"age": [1] * 4, "who": users})
    assert kproof.check(frame, KAnonymity(4), quasi_identifiers=["age"], person="who")[0].holds
    assert alike(users) is not None


def test_a_long_number_of_base_sixteen_is_a_text():
    """No decimal is written of so many digits."""
    assert alike(["0x" + "f" * 20_000, "1"]) is None
    assert alike(["0x" + "f" * 64, str(16**64 - 1)]) == ("0x" + "f" * 64, str(16**64 - 1))


@given(st.lists(st.text("aA \u00e9\u200b\u0301e", max_size=3), unique=True, max_size=5))
def test_spellings_are_found_whatever_the_order(values):
    found, back = alike(values), alike(values[::-1])
    assert (found is None) == (back is None)
    assert (found is None) == all(
        alike([one, other]) is None for one in values for other in values if one < other
    )


@given(st.lists(st.sampled_from(["NA", "na", "?", "B", "b", "B "]), min_size=1, max_size=12))
def test_quasi_identifiers_need_no_question(ages):
    """Taking doubtful values for one joins classes, which breaks nothing that holds."""

    def largest(shown: list[str]) -> Any:
        frame = pd.DataFrame({"age": shown})
        return kproof.check(frame, KAnonymity(2), quasi_identifiers=["age"])[0].value

    joined = ["?" if one.lower() in ("na", "?") else one.strip().lower() for one in ages]
    assert largest(ages) <= largest(joined)
