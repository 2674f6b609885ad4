"""Whatever is asked together holds of what is returned, and of the file, or is refused in a line."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


@pytest.mark.parametrize("method", ["mondrian", "kaca", "full-domain"])
@settings(max_examples=40, deadline=None)
@given(
    rows=ROWS,
    l=st.sampled_from([None, 2]),
    secrets=st.sampled_from([["ill"], ["ill", "pay"]]),
    person=st.booleans(),
    missing=st.booleans(),
)
def test_what_is_asked_holds_of_the_release_and_of_its_file(
    method: str,
    rows: list[tuple[object, ...]],
    l: int | None,
    secrets: list[str],
    person: bool,
    missing: bool,
) -> None:
    frame = pd.DataFrame(rows, columns=["age", "town", "ill", "pay", "who"])
    if not missing:
        frame = frame.fillna({"ill": "Flu", "pay": 1})
    read = {"quasi_identifiers": ["age", "town"], "sensitive": secrets}
    ladders = {"age": "range:10,20", "town": "order:A<B<C"}
    more = {"ladders": ladders} if method == "full-domain" else {}
    roles = {"person": "who"} if person else {"drop": ["who"]}
    roles["drop"] = [*roles.get("drop", ()), *({"ill", "pay"} - set(secrets))]
    models = [KAnonymity(2), *([DistinctL(2)] if l else [])]
    if l:
        more |= {"models": models[1:]} if method == "full-domain" else {}
        more |= {"l": l} if method == "mondrian" else {}
    # KACA promises no diversity.
    asked = models[:1] if method == "kaca" else models
    for suppress, suppressed in LEFT_OUT:
        try:
            release = anonymize(
                method,
                frame,
                k=2,
                suppress=suppress,
                suppressed=suppressed,
                **read,
                **roles,
                **more,
            )
        except KProofError as refused:
            assert len(str(refused).splitlines()) == 1
            continue
        assert len(release.suppressed) <= len(rows) / 10 * (suppress != "0")
        found = check(release, asked)
        assert all(found), [*map(str, found)]
        with TemporaryDirectory() as folder:
            path = Path(folder) / "release.csv"
            release.to_csv(path)
            again = check(path, asked, **read, suppressed="*")
        assert len(found) == len(again)
        for mine, theirs in zip(found, again, strict=True):
            # The file does not say whose rows are whose, so that a reader counts rows in it.
            assert theirs.holds, theirs
            if not person:
                assert mine.value == theirs.value
