"""Hostile words and files: 500 calls of every command, and the promises of the harness itself.

Any number by hand, with a seed, and a failure again from its file::

    python tests/fuzz/by_hand.py --cases 20000 --seed 7
    python tests/fuzz/by_hand.py --replay fuzz-failure.json
"""

import shlex
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from fuzz_case import Answer, Case, EndlessError, answer
from fuzz_commands import NAMES, calls, content
from fuzz_mutations import cases
from hypothesis import HealthCheck, given, settings
from nights import by_day


# A report takes as long as forty other calls, and has tests of its own.
@pytest.mark.parametrize(
    "words",
    [words for words in calls() if by_day(words[0] != "report", at_night=True)],
    ids=shlex.join,
)
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
    max_examples=by_day(200, at_night=500),
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(cases())
def test_no_call_owes_more_than_it_keeps(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert answer(case, Path(folder)).faults == (), case


def _does(
    status: int, *, says: str = "", writes: str = "", raises: BaseException | None = None
) -> Callable[[Sequence[str]], int]:
    """Return a command line that breaks a promise."""

    def main(_: Sequence[str]) -> int:
        if raises is not None:
            raise raises
        if writes:
            Path(writes).write_text("something else", encoding="utf-8")
        print(says, end="")
        return status

    return main


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        (_does(2, says="half an answer"), "refused, and yet printed"),
        (_does(0, says="half an answer"), "no JSON document"),
        (_does(0, says="{}", writes="rows.csv"), "changed its input rows.csv"),
        (_does(4, says="{}", writes="other"), "left other, which nobody named"),
        (_does(2, writes="out.csv"), "refused, and yet left out.csv"),
        (_does(2), "refused in other than one line"),
        (_does(3), "status 3"),
        (_does(0, raises=EndlessError()), "no answer after"),
        (_does(0, raises=SystemExit(1)), "left by SystemExit"),
    ],
)
def test_a_call_that_breaks_a_promise_is_found(
    broken: Callable[[Sequence[str]], int],
    found: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("shell.main", broken)
    case = Case(("check", "rows.csv", "-o", "out.csv", "--json"), (("rows.csv", b"a\n1\n"),))
    assert any(one.startswith(found) for one in answer(case, tmp_path).faults)
