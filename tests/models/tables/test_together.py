"""What is asked together holds of what is returned, and of the file, or is refused in a line."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import data_frame

from kproof.errors import KProofError
from kproof.models.api import anonymize, check
from kproof.models.privacy import DistinctL, KAnonymity

ROWS = st.lists(
    st.tuples(
        st.integers(20, 60),
        st.sampled_from("ABC"),
        st.sampled_from(["Flu", "HIV", "Cold", None]),
        st.sampled_from([1, 2, 3, None]),
        st.integers(0, 9),
    ),
    min_size=6,
    max_size=24,
)
LEFT_OUT = [("0", "drop"), ("10%", "drop"), ("10%", "mark")]


def test_missing_values_of_suppressed_rows_are_values_of_people_where_others_show_theirs():
    roles = {"quasi_identifiers": ["age"], "sensitive": "ill", "suppressed": "*"}
    rows = [("*", "Flu"), ("*", None), ("20-29", "Flu"), ("20-29", "HIV")]
    frame = pd.DataFrame(rows, columns=["age", "ill"])
    [verdict] = check(frame, KAnonymity(2), **roles)
    assert (verdict.holds, verdict.scope.suppressed) == (True, 0)
    [verdict] = check(frame[1:], KAnonymity(2), **roles)
    assert (verdict.holds, verdict.scope.suppressed) == (True, 1)


def test_people_are_counted_in_classes_where_groups_that_look_alike_are_one():
    """A group with rows of two people is no fault where its labels are those of a third's."""
    frame = data_frame(
        age=[29, 32, 26, 25, 29, 23, 24], ill=[*"aaaaccb"], who=[3, 0, 0, 5, 6, 1, 1]
    )
    roles = {"quasi_identifiers": ["age"], "sensitive": "ill", "person": "who"}
    release = anonymize("mondrian", frame, **roles, ladders={"age": "range:5"}, k=3, l=2)
    assert all(check(release, (KAnonymity(3), DistinctL(2))))


@pytest.mark.parametrize("method", ["mondrian", "kaca", "full-domain"])
@given(
    rows=ROWS,
    diverse=st.booleans(),
    secrets=st.sampled_from([["ill"], ["ill", "pay"]]),
    person=st.booleans(),
    missing=st.booleans(),
)
def test_what_is_asked_holds_of_the_release_and_of_its_file(
    method, rows, diverse, secrets, person, missing
):
    frame = pd.DataFrame(rows, columns=["age", "town", "ill", "pay", "who"])
    if not missing:
        frame = frame.fillna({"ill": "Flu", "pay": 1})
    read = {"quasi_identifiers": ["age", "town"], "sensitive": secrets}
    ladders = {"age": "range:10,20", "town": "order:A<B<C"}
    more = {"ladders": ladders} if method == "full-domain" else {}
    roles = {"person": "who"} if person else {"drop": ["who"]}
    roles["drop"] = [*roles.get("drop", ()), *({"ill", "pay"} - set(secrets))]
    models = [KAnonymity(2), *([DistinctL(2)] if diverse else [])]
    if diverse:
        more |= {"models": models[1:]} if method == "full-domain" else {}
        more |= {"l": 2} if method == "mondrian" else {}
    # KACA promises no diversity.
    asked = models[:1] if method == "kaca" else models
    for suppress, suppressed in LEFT_OUT:
        try:
            left_out = {"suppress": suppress, "suppressed": suppressed}
            release = anonymize(method, frame, k=2, **left_out, **read, **roles, **more)
        except KProofError as error:
            refused = str(error)
        else:
            refused = ""
        if refused:
            assert "\n" not in refused
            assert "kproof.anonymize" not in refused, "it was asked already"
            continue
        assert len(release.suppressed) <= len(rows) / 10 * (suppress != "0")
        verdicts = check(release, asked)
        assert all(verdicts), [*map(str, verdicts)]
        with TemporaryDirectory() as folder:
            path = Path(folder) / "release.csv"
            release.to_csv(path)
            again = check(path, asked, **read, suppressed="*" if release.marked else None)
        assert len(verdicts) == len(again)
        for mine, theirs in zip(verdicts, again, strict=True):
            # The file does not say whose rows are whose, so that a reader counts rows in it.
            assert theirs.holds, theirs
            if not person and not theirs.scope.suppressed:
                assert mine.value == theirs.value
