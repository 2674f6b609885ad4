"""The standing attack: who accepts a false step, and what a false step would prove.

``python tests/support/attack.py --cases 10000 --seed 7`` draws that many for each method; a step
that is accepted is printed, with the point at which it is false.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from falsities import GENERATORS, Falsity, falsities
from forger import sealed, stood

from kproof.theory import recheck
from kproof.theory.derivations import deciders
from kproof.theory.derivations.certificate import certificate
from kproof.theory.derivations.derivation import StepJudgement, StepStanding

EFFORT, PIECES = 200_000, 500
"""Steps of z3 for a question, and pieces of a box: what is false is not proved by more of them."""

_ACCEPTED = (StepStanding.PROVED, StepStanding.CONDITIONAL, StepStanding.DEFINED)


def derives(falsity: Falsity) -> bool:
    """Return whether the deriver decides the false step."""
    return deciders.judge(falsity.derivation)[-1].standing in _ACCEPTED


class Lenient(recheck._Checker):
    """A recheck of single steps: whatever a forger can write down is as it should be."""

    def _says_what_is_expected(self, name: str, document: Any) -> None:
        """Expect what is there."""

    def _check_standing(self, step: Any) -> None:
        step.rests_on = []

    def _questions(self, document: str, step: Any, asked: recheck.Asked) -> None:
        for label, known, claim in asked:
            self._ask(step, label, recheck._Question(known, claim).text())


def rechecks(falsity: Falsity) -> bool:
    """Return whether the recheck accepts a certificate of the false step, whatever wrote it."""
    judged = tuple(StepJudgement(one, StepStanding.PROVED, (), "") for one in falsity.steps)
    document = json.loads(json.dumps(certificate(falsity.derivation, judged).document))
    known = {one["id"]: {"says": ""} for one in document["steps"]}
    expected = {"falsity": {"conclusions": {}, "assumptions": known}}
    checker = Lenient(Path("falsity.json"), ("z3",), expected)
    stood(document)
    try:
        checker.run(sealed(document))
    except (recheck._RejectedError, recheck._UnclearError, RecursionError, ArithmeticError):
        return False
    except ValueError:
        return False
    return True


def accepted(cases: Iterable[Falsity]) -> list[str]:
    """Return a line for each false step that one of the two accepts."""
    lines = []
    for one in cases:
        who = [said.__name__ for said in (derives, rechecks) if said(one)]
        if who:
            at = ", ".join(f"{name} = {value}" for name, value in one.at.items())
            lines.append(f"{', '.join(who)}: {one.steps}, false at {at}")
    return lines


def main() -> int:
    """Draw false steps of every method; return 1 if one is accepted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000, help="how many for each method")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument("--method", choices=sorted(GENERATORS), action="append")
    parser.add_argument("--effort", type=int, default=EFFORT, help="steps of z3 for a question")
    options = parser.parse_args()
    deciders.SOLVER_EFFORT = recheck.FIRST_EFFORT = options.effort
    deciders.MOST_PIECES = recheck.MOST_PIECES = PIECES
    print(f"seed {options.seed}")
    lines = []
    for method in options.method or GENERATORS:
        more = accepted(islice(falsities(method, seed=options.seed), options.cases))
        print(f"{method}: {options.cases} false steps, {len(more)} accepted", flush=True)
        lines += more
    print(*lines, sep="\n")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
