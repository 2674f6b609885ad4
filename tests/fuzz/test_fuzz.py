"""Hostile words and files: 500 calls of every command, and the promises of the harness itself.

Any number by hand, with a seed, and a failure again from its file::

    python tests/fuzz/by_hand.py --cases 20000 --seed 7
    python tests/fuzz/by_hand.py --replay fuzz-failure.json
"""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

import pytest
from fuzz_case import Answer, Case, EndlessError, answer
from fuzz_commands import NAMES, calls, content
from fuzz_mutations import cases
from hypothesis import HealthCheck, given, settings


@pytest.mark.parametrize("words", calls(), ids=shlex.join)
def test_every_call_works_before_it_is_changed(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    case = Case(words, tuple((name, content(name)) for name in NAMES))
    assert Case.from_json(case.to_json()) == case
    found = answer(case, tmp_path)
    assert found == Answer(found.status, ())
    assert found.status in {0, 1, 4}


@settings(
    max_examples=500,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(cases())
def test_no_call_owes_more_than_it_keeps(case: Case) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.chdir(folder)
        assert answer(case, Path(folder)).faults == (), case


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        (lambda words: print("half an answer") or 2, "refused, and yet printed"),
        (lambda words: print("half an answer") or 0, "no JSON document"),
        (lambda words: Path("rows.csv").write_text("") and 0 or 0, "changed its input rows.csv"),
        (lambda words: Path("other").write_text("x") and 4 or 4, "left other, which nobody named"),
        (lambda words: Path("out.csv").write_text("x") and 2, "refused, and yet left out.csv"),
        (lambda words: 3, "status 3"),
        (lambda words: _raise(EndlessError), "no answer after"),
        (lambda words: _raise(SystemExit), "left by SystemExit"),
    ],
)
def test_a_call_that_breaks_a_promise_is_found(
    broken: object, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("shell.main", broken)
    case = Case(("check", "rows.csv", "-o", "out.csv", "--json"), (("rows.csv", b"a\n1\n"),))
    assert any(one.startswith(found) for one in answer(case, tmp_path).faults)


def _raise(error: type[BaseException]) -> None:
    raise error
