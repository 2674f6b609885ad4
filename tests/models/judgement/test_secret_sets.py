"""Several secrets that together say which rows are one person's, where nobody named a person."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kproof.models.judgement.judge import judge
from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn, PublishedFile
from kproof.models.judgement.secret_sets import repeated_together

VALUES = {"blood": 6, "insurer": 3, "drug": 6, "smokes": 4}


def column(name: str, knowledge: ColumnKnowledge, codes: np.ndarray) -> PublishedColumn:
    texts = tuple(f"{name}{number}" for number in range(codes.max() + 1))
    return PublishedColumn(name, knowledge, codes.astype(np.int64), texts)


def visits(seed: int, *, people: int = 200, changing: str = "") -> PublishedFile:
    """Return visits of people whose age and secrets are the same in all of them, but for one."""
    rng = np.random.default_rng(seed)
    who = rng.permutation(np.repeat(np.arange(people), rng.integers(1, 6, people)))
    known = {
        "age": rng.integers(0, 60, people)[who],
        "ward": rng.integers(0, 5, len(who)),
        "month": rng.integers(0, 12, len(who)),
    }
    secrets = {
        name: rng.integers(0, count, len(who))
        if name == changing
        else rng.integers(0, count, people)[who]
        for name, count in VALUES.items()
    }
    return PublishedFile(
        (
            *(column(name, ColumnKnowledge.KNOWN, codes) for name, codes in known.items()),
            *(column(name, ColumnKnowledge.SECRET, codes) for name, codes in secrets.items()),
        )
    )


@pytest.mark.parametrize("changing", ["", *VALUES])
def test_secrets_that_are_a_persons_for_good_show_whose_rows_are_whose(changing: str) -> None:
    shown = visits(1, changing=changing)
    expected = {name for name in VALUES if name != changing} | {"age"}
    # One of few values may differ now and then, and the others say it all the same.
    assert expected <= {*repeated_together(shown)}
    against = [finding.sentence for finding in judge(shown).against]
    assert any("age repeats as it does in several rows of one person" in word for word in against)


def test_whoever_answers_for_it_is_asked_no_more() -> None:
    shown = visits(1)
    for answered in (
        replace(shown, rows_are_people=True),
        replace(shown, person=np.arange(shown.rows)),
    ):
        assert not any("repeats" in finding.sentence for finding in judge(answered).against)


@pytest.mark.parametrize("seed", range(20))
def test_rows_of_people_of_their_own_are_passed_over_though_columns_go_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = 900
    age = rng.integers(0, 70, rows)
    ill = (age // 12 + rng.integers(0, 3, rows)) % 6
    drug = np.where(rng.random(rows) < 0.9, ill, rng.integers(0, 6, rows))
    insurer = np.where(rng.random(rows) < 0.8, 0, rng.integers(0, 3, rows))
    shown = PublishedFile(
        (
            column("age", ColumnKnowledge.KNOWN, age),
            column("ward", ColumnKnowledge.KNOWN, ill // 2),
            column("ill", ColumnKnowledge.SECRET, ill),
            column("drug", ColumnKnowledge.SECRET, drug),
            column("insurer", ColumnKnowledge.SECRET, insurer),
        )
    )
    assert repeated_together(shown) == ()


def test_no_more_sets_are_looked_at_than_rows_leave_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = visits(1, changing="smokes")
    module = "kproof.models.judgement.secret_sets.MOST_CELLS"
    monkeypatch.setattr(module, shown.rows)
    # The only set that there is room for is that of all secrets, one of which changes.
    assert repeated_together(shown) == ()


def test_of_many_rows_those_of_some_combinations_are_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kproof.models.judgement.secret_sets.MOST_COMPARED", 150)
    assert repeated_together(visits(1)) != ()
