"""What an anonymizer says it takes is all that it is shown; if it says nothing, it takes all."""

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest
from shell import refused

from kproof.errors import InvalidArgument
from kproof.models.registry import Kind
from kproof.proptests import check_anonymizer
from kproof.proptests.api import subject_of
from kproof.proptests.contract import TableCase, TablePublication
from kproof.proptests.supports import beyond, traits_of

SMALL: dict[str, Any] = {"max_examples": 12, "on_fail": "return"}
MANY: dict[str, Any] = {"max_examples": 60, "on_fail": "return"}
EVERYWHERE = ("mixed types", "Polars and PyArrow", "missing values")


def one_class(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
    if len(frame) < k:
        raise ValueError(f"k = {k}: there are {len(frame)} rows")
    kept = frame.drop(columns=["name"], errors="ignore").reset_index(drop=True)
    kept[quasi_identifiers] = "*"
    return kept


def picky(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
    """Refuse, as the documentation allows, what is not of pandas or has dates."""
    if not isinstance(frame, pd.DataFrame):
        raise ValueError("need a pandas frame")
    cells = [cell for name in frame for cell in frame[name]]
    if any(isinstance(cell, (date, datetime)) for cell in cells):
        raise ValueError("dates are not supported")
    return one_class(frame, quasi_identifiers, k)


TAKEN = ("pandas", "numbers", "text", "booleans", "missing")


def test_a_refusal_that_is_declared_is_in_order():
    found = check_anonymizer(picky, supports=TAKEN, sources=EVERYWHERE, **SMALL)
    assert {one.check.name: str(one.violation) for one in found.failures} == {}
    assert found["publishes when it can"].judged > 0
    assert found["k-anonymity"].examples < 36  # what it does not take is not counted either
    taken = (
        "It was shown only what it takes by its own word: booleans, missing, numbers, pandas, text."
    )
    assert taken in found.summary()
    document: Any = found.to_dict()
    assert document["subject"]["supports"] == sorted(TAKEN)


def test_a_refusal_that_is_not_says_how():
    found = check_anonymizer(
        picky,
        supports=["pandas"],
        sources=["mixed types"],
        max_examples=60,
        on_fail="return",
        checks=["publishes when it can"],
    )["publishes when it can"]
    assert found.violation is not None
    assert 'declare what it takes: supports=["numbers", "text"]' in found.violation.sentence
    assert "--supports" in found.violation.sentence


@pytest.mark.parametrize("error", [ValueError, TypeError, AttributeError])
def test_who_takes_no_other_frames_is_not_accused_unless_it_crashes(error):
    def publish(frame: Any, quasi_identifiers: list[str], k: int, seed: int) -> Any:
        # The plain table that is tried beside has few rows, whatever the seed is.
        assert len(frame) < 1000
        if not isinstance(frame, pd.DataFrame):
            raise error("need a pandas frame")
        return one_class(frame, quasi_identifiers, k)

    names = ("refuses clearly", "publishes when it can")
    results = check_anonymizer(publish, sources=["Polars and PyArrow"], checks=names, **MANY)
    for name in names:
        violation = results[name].violation
        if error is AttributeError:
            assert violation is not None
            assert "--supports pandas" in violation.sentence
        else:
            assert violation is None
            doubt = results[name].doubts[0]
            says = f"it takes no frames of polars: {error.__name__}: need a pandas frame; if it"
            assert doubt.startswith(says)
            assert "--supports pandas" in doubt


def test_who_refuses_some_tables_of_other_frames_is_accused():
    def publish(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
        frame = frame.to_pandas() if not isinstance(frame, pd.DataFrame) else frame
        if frame[quasi_identifiers[0]].nunique() > 1:
            raise ValueError("more than one value")
        return one_class(frame, quasi_identifiers, k)

    name = "publishes when it can"
    results = check_anonymizer(publish, sources=["Polars and PyArrow"], checks=[name], **MANY)
    assert results["publishes when it can"].violation is not None


def test_the_command_that_is_printed_has_it():
    found = check_anonymizer(
        "foreign:as_it_is", supports=["pandas"], checks=["k-anonymity"], **SMALL
    )
    command = found.command(found["k-anonymity"])
    assert command is not None
    assert "--supports pandas" in command


def test_finite_domains_are_exhausted_only_if_nothing_was_spared():
    source = "every table of up to 3 rows over 3 values"
    given: dict[str, Any] = {"sources": [source], "checks": ["input unchanged"], **SMALL}
    assert check_anonymizer(one_class, **given)["input unchanged"].exhausted == (source,)
    found = check_anonymizer(one_class, supports=["text"], **given)["input unchanged"]
    assert (found.examples, found.exhausted, found.status.value) == (0, (), "not applicable")


def test_of_what_a_case_is_made():
    columns = {
        "a": (1, 0.5, Decimal("0.1"), None),
        "b": (True, "x", date(2020, 1, 1), datetime(2020, 1, 1)),
    }
    case = TableCase(columns, ("a",), "b", container="pyarrow")
    words = ("numbers", "text", "booleans", "dates", "datetimes", "missing")
    assert traits_of(case) == ("pyarrow", *words)
    typed = replace(case, container="pandas", dtypes={"a": "Float64", "b": ("x", "y")})
    assert traits_of(typed) == ("pandas", *words, "categories", "nullable")
    assert beyond(subject_of(one_class), case) is None
    for word in words:
        declared = subject_of(one_class, supports=[one for one in words if one != word])
        assert beyond(declared, case) == word
    assert beyond(subject_of(one_class, supports=["PANDAS"]), case) == "pyarrow"
    assert beyond(subject_of(one_class, supports=["text"]), TablePublication({})) is None


def test_words_that_nobody_knows():
    with pytest.raises(InvalidArgument, match="supports = excel: need some of pandas, polars"):
        subject_of(one_class, supports=["excel"])
    with pytest.raises(InvalidArgument, match="None for what is no table"):
        subject_of(lambda graph, target, k: None, kind=Kind.CITY, supports=["pandas"])
    said = refused("verify", "foreign:one_class", "--supports", "pandas,excel")
    assert said.startswith("--supports = excel: need some of pandas, polars, pyarrow, numbers")
