"""The check of hash seeds: the same answers from processes whose sets and dicts are ordered apart.

A subject with a recipe is made again in two new interpreters with different ``PYTHONHASHSEED``;
each answers the same few cases, so that one start pays for all of them. Cases travel as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from kproof.errors import InvalidArgument
from kproof.models.registry import Kind
from kproof.proptests.cases import Case, CityCase, GraphCase, PointsCase, Publication
from kproof.proptests.checks.releases import fingerprint
from kproof.proptests.contract import (
    Check,
    Refusal,
    Severity,
    TableCase,
    TablePublication,
    Trial,
    Violation,
)
from kproof.proptests.loading import load

AnyCase: TypeAlias = TableCase | Case

SEEDS = ("1", "2")
"""Hash seeds of the two processes; any two would do."""

_SECONDS = 300
_START = "from kproof.proptests.checks.elsewhere import main; main()"
_READ = {"date": date.fromisoformat, "time": datetime.fromisoformat}
_EXACT = {"decimal": Decimal, "fraction": Fraction}
_FORMS: Mapping[str, Any] = {
    form.__name__: form for form in (TableCase, CityCase, PointsCase, GraphCase)
}


def hash_seed(trial: Trial) -> Violation | None:
    """Compare the answers of two processes, letter by letter."""
    recipe = trial.subject.recipe
    if recipe is None:
        return None
    case: AnyCase = trial.case
    cases: tuple[AnyCase, ...] = (case,)
    if isinstance(case, TableCase):
        cases += (case.take(reversed(range(case.rows))), case.take([*range(case.rows)] * 2))
    with ThreadPoolExecutor(len(SEEDS)) as pool:
        answers = list(pool.map(lambda seed: answered_by(recipe, cases, seed=seed), SEEDS))
    for one, other in zip(*answers, strict=True):
        if one != other:
            place = next(
                (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
                min(len(one), len(other)),
            )
            start = max(place - 20, 0)
            return Violation(
                f"with PYTHONHASHSEED={SEEDS[0]} it answers …{one[start : place + 20]}…, with "
                f"{SEEDS[1]} …{other[start : place + 20]}…",
                "two answers",
                "one answer",
            )
    return None


def answered_by(recipe: tuple[str, ...], cases: tuple[AnyCase, ...], *, seed: str) -> list[str]:
    """Return the answers of a new process to some cases, as texts.

    Parameters
    ----------
    recipe
        How to make the subject there; see :class:`~kproof.proptests.contract.Subject`.
    cases
        What it is asked.
    seed
        Its ``PYTHONHASHSEED``.

    Raises
    ------
    InvalidArgument
        If the subject cannot be made there.
    """
    asked = {"path": sys.path, "recipe": recipe, "cases": [_packed(case) for case in cases]}
    done = subprocess.run(
        [sys.executable, "-c", _START],
        input=json.dumps(asked),
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no message"]
        raise InvalidArgument(
            "recipe", recipe[0], f"a subject that another process can make; {said[-1]}"
        )
    # What the subject itself printed comes before the last line.
    answers: list[str] = json.loads(done.stdout.splitlines()[-1])
    return answers


def main() -> None:
    """Read cases from standard input, put them to a subject, write its answers."""
    asked = json.load(sys.stdin)
    sys.path[:] = asked["path"]
    maker, *arguments = asked["recipe"]
    subject = load(maker)(*arguments)
    answers = [_letters(Trial(subject, _unpacked(case)).outcome) for case in asked["cases"]]
    sys.stdout.write("\n" + json.dumps(answers) + "\n")


def _letters(outcome: object) -> str:
    if isinstance(outcome, TablePublication):
        return repr(list(outcome.columns.items()))
    if isinstance(outcome, Publication):
        return repr(fingerprint(outcome))
    return f"refused: {outcome}" if isinstance(outcome, Refusal) else repr(outcome)


def _packed(case: AnyCase) -> dict[str, Any]:
    """Return a case in what JSON has."""
    plain: dict[str, Any] = {field.name: getattr(case, field.name) for field in fields(case)}
    return {
        "form": type(case).__name__,
        "fields": {name: _pack(value) for name, value in plain.items()},
    }


def _pack(value: Any) -> Any:
    if isinstance(value, datetime):
        return {"time": value.isoformat()}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, (tuple, list)):
        return {"tuple": [_pack(one) for one in value]}
    if isinstance(value, Mapping):
        return {"mapping": [[_pack(name), _pack(one)] for name, one in value.items()]}
    return value


def _unpacked(packed: dict[str, Any]) -> AnyCase:
    """Return the case that was packed."""
    given = {name: _unpack(value) for name, value in packed["fields"].items()}
    found: AnyCase = _FORMS[packed["form"]](**given)
    return found


def _unpack(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    [(kind, inside)] = value.items()
    if kind == "tuple":
        return tuple(map(_unpack, inside))
    if kind == "mapping":
        return {_unpack(name): _unpack(one) for name, one in inside}
    return (_READ.get(kind) or _EXACT[kind])(inside)


CHECKS: tuple[Check, ...] = (
    Check(
        name="hash seed",
        claim="The same case is answered the same way in every process.",
        formula="f(case) with one PYTHONHASHSEED = f(case) with another, to the letter",
        source="the conduct of software that publishes",
        kinds=frozenset(Kind),
        claims=frozenset(),
        severity=Severity.CONDUCT,
        function=hash_seed,
        costly=True,
    ),
)
