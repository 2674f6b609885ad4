"""Every public result shows itself in a notebook, briefly and with labels as text."""

from __future__ import annotations

import inspect
import re
import sys

import pandas as pd
import pytest

import kproof
from kproof.theory.theorems.design import design

HOSTILE = "<script>alert(1)</script>"


def results() -> set[type]:
    """Return public classes with a JSON form, and what public functions return."""
    found: set[type] = set()
    for name in kproof.__all__:
        value = getattr(kproof, name)
        if isinstance(value, type):
            found |= {value} if hasattr(value, "to_dict") else set()
        elif callable(value):
            # Names that are imported for annotations only are found among the public ones.
            home = vars(sys.modules[value.__module__])
            for word in re.findall(r"\w+", str(inspect.signature(value).return_annotation)):
                one = home.get(word)
                found |= {one} if isinstance(one, type) and hasattr(one, "to_dict") else set()
    return found


# Parts of a result, shown as part of it.
PARTS = {kproof.Hypothesis}


def test_every_public_result_has_an_html_form() -> None:
    assert kproof.Comparison in results()
    assert sorted(c.__name__ for c in results() - PARTS if not hasattr(c, "_repr_html_")) == []


def test_a_comparison_is_short() -> None:
    found = kproof.compare(1, n=60, p="0.71", k=33, epsilon="0.9")
    assert len(repr(found)) < 300
    assert "refuted" in repr(found)
    assert "refuted" in found._repr_html_()
    assert "color" not in found._repr_html_()


def test_labels_are_text() -> None:
    frame = pd.DataFrame({HOSTILE: [1, 2, 3, 4] * 3, "ill": [HOSTILE, "b", "c", "d"] * 3})
    table = kproof.Table.from_frame(frame, quasi_identifiers=[HOSTILE], sensitive="ill")
    release = kproof.anonymize("mondrian", table, k=3)
    shown = [release, kproof.propose_roles(frame), kproof.risk(release)]
    shown += [kproof.attack("homogeneity", release)]
    for one in shown:
        assert "<script" not in one._repr_html_()


@pytest.mark.parametrize("quantity", ["n", "s"])
def test_design_takes_a_column(quantity: str) -> None:
    column = [0, 1, 2, 3] * 2000
    record = kproof.RecordMoments.from_column(column)
    target = {"epsilon": "0.5", "delta": "0.05"}
    size = {} if quantity == "n" else {"n": len(column)}
    found = design(quantity, data=column, **target)
    assert found.answer == design(quantity, record=record, **size, **target).answer
    assert len(repr(found)) < 300
    assert "missed" in found._repr_html_()


@pytest.mark.parametrize(
    "more", [{"theorem": 1}, {"record": kproof.RecordMoments.of("0.5", "0.5", "0.5", "0.5")}]
)
def test_a_column_that_is_not_taken_is_refused(more: dict[str, object]) -> None:
    with pytest.raises(kproof.KProofError, match=r"^data = "):
        design("n", data=[1, 2], epsilon="0.5", delta="0.05", **more)
