"""False proofs by names: what a sum binds, where a definition was stated, what cancels at an end.

Each was decided once, and ended in 1 <= 0. What is true and looks alike is decided still.
"""

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from forger import expecting, sealed, stood, written

from kproof.errors import InvalidArgument
from kproof.theory.derivations import methods as by
from kproof.theory.derivations.asking import Decision
from kproof.theory.derivations.certificate import certificate
from kproof.theory.derivations.deciders import judge
from kproof.theory.derivations.derivation import (
    Derivation,
    Printed,
    Step,
    StepJudgement,
    StepStanding,
)
from kproof.theory.derivations.formulas import at_most, both, equal, implies, less
from kproof.theory.ledger import Ruling
from kproof.theory.recheck import _alike, _substitute, recheck
from kproof.theory.theorems.symbolic import Phi

X, Y, Z = sp.symbols("x y z", real=True)
A = sp.Symbol("a", positive=True)
C = sp.Symbol("c", nonnegative=True)
PLACE, J, M, N = sp.symbols("i j m n", integer=True)
K = sp.Symbol("k", integer=True, nonnegative=True)
D = sp.Function("D")
ZERO, ONE = sp.Integer(0), sp.Integer(1)
Q = (PLACE**2 - PLACE) / PLACE
"""i - 1, but for i = 0, where it is 0 whatever 1/0 stands for."""


def step(name: str, claim: Any, method: Any, *follows: str, given: Sequence[Any] = ()) -> Step:
    return Step(name, "", claim, method, "It is so.", tuple(follows), tuple(given))


def at_0(term: sp.Expr) -> sp.Sum:
    return sp.Sum(term, (PLACE, 0, 0))


def nested(term: sp.Expr) -> sp.Sum:
    return sp.Sum(1 + at_0(term), (PLACE, 1, 1))


def beyond(low: sp.Expr, first: sp.Expr, then: sp.Expr) -> sp.Basic:
    return both(equal(D(low), first), implies(less(ZERO, M), equal(D(M), then)))


IS_3 = (equal(Y, sp.Integer(3)),)
SUMS = [
    step("at-0", at_most(ONE, 1 + Q), by.Arithmetic(), given=(equal(PLACE, ZERO),)),
    step("sums", at_most(at_0(ONE), at_0(1 + Q)), by.Summed("at-0")),
    step("nothing", equal(at_0(PLACE), ZERO), by.SumRule("single")),
    step("one", equal(at_0(ONE), ONE), by.SumRule("single")),
]
"""The sum of 1 + Q is at least 1. Were it the sum of i, it would be 0."""


def ends_falsely(false: Step) -> list[Step]:
    names = (*(one.id for one in SUMS), false.id)
    under = step("under", at_most(ONE, ZERO), by.Arithmetic(), *names, given=false.given)
    return [
        *SUMS,
        false,
        under,
        step("end", at_most(ONE, ZERO), by.Instance("under", {PLACE: ONE})),
    ]


RISING = implies(
    less(PLACE, M), equal(D(M, PLACE), 1 + sp.Sum(sp.Abs(D(M - 1, PLACE)), (PLACE, M - 2, M - 2)))
)
"""D(m, m - 1) is more than D(m - 1, m - 2), which is more than the one before, without end."""

REFUSED: dict[str, tuple[list[Step], str, str]] = {
    "a recursion whose base is another at each place of a sum": (
        [
            step("named", both(equal(D(PLACE, PLACE), ZERO), RISING), by.Defined()),
            step(
                "single",
                equal(
                    sp.Sum(sp.Abs(D(M - 1, PLACE)), (PLACE, M - 2, M - 2)), sp.Abs(D(M - 1, M - 2))
                ),
                by.SumRule("single"),
            ),
            step(
                "again",
                equal(D(M, PLACE), 1 + sp.Abs(D(M - 1, M - 2))),
                by.Arithmetic(),
                *("named", "single"),
                given=(less(PLACE, M),),
            ),
            step(
                "rise",
                equal(D(J + N, J + N - 1), 1 + sp.Abs(D(J + N - 1, J + N - 2))),
                by.Instance("again", {M: J + N, PLACE: J + N - 1}),
            ),
            step("climb", at_most(N, D(J + N, J + N - 1)), by.Induction(N, ZERO), "rise"),
            step(
                "above",
                at_most(N, D(J, J - 1)),
                by.Instance("climb", {J: J - N}),
                given=(at_most(ZERO, N),),
            ),
            step("at-0", at_most(ZERO, D(J, J - 1)), by.Instance("above", {N: ZERO})),
            step(
                "beyond",
                at_most(sp.floor(D(J, J - 1)) + 1, D(J, J - 1)),
                by.Instance("above", {N: sp.floor(D(J, J - 1)) + 1}),
                "at-0",
            ),
            step("end", at_most(ONE, ZERO), by.Arithmetic(), "beyond"),
        ],
        "named",
        "i is (also )?a summation variable",
    ),
    "a recursion that sums over its variable": (
        [
            step("named", beyond(ZERO, ZERO, 1 + sp.Sum(D(M - 1), (M, 2, 2))), by.Defined()),
            step("single", equal(sp.Sum(D(M - 1), (M, 2, 2)), D(1)), by.SumRule("single")),
            step(
                "again",
                equal(D(M), 1 + D(1)),
                by.Arithmetic(),
                *("named", "single"),
                given=(less(ZERO, M),),
            ),
            step("at-1", equal(D(1), 1 + D(1)), by.Instance("again", {M: ONE})),
            step("end", at_most(ONE, ZERO), by.Arithmetic(), "at-1"),
        ],
        "named",
        "m is (also )?a summation variable",
    ),
    "a base that sums over the variable": (
        [
            step("named", beyond(ZERO, 1 + sp.Sum(D(M - 1), (M, 1, 1)), D(M - 1)), by.Defined()),
            step("single", equal(sp.Sum(D(M - 1), (M, 1, 1)), D(0)), by.SumRule("single")),
            step("end", at_most(ONE, ZERO), by.Arithmetic(), "named", "single"),
        ],
        "named",
        "m is (also )?a summation variable",
    ),
    "an identity under a hypothesis on a summation variable": (
        ends_falsely(
            step(
                "false", equal(at_0(1 + Q), at_0(PLACE)), by.Identity(), given=(less(ZERO, PLACE),)
            )
        ),
        "false",
        "summation variable",
    ),
    "a rule for sums under a hypothesis on a summation variable": (
        ends_falsely(
            step(
                "false",
                equal(at_0(1 + Q), at_0(PLACE)),
                by.SumRule("linear"),
                given=(less(ZERO, PLACE),),
            )
        ),
        "false",
        "summation variable",
    ),
    "a meaning put in at a summation variable": (
        [
            step("named", equal(D(X), 1 / X), by.Defined()),
            step(
                "false",
                equal(at_0(PLACE * D(PLACE)), at_0(ONE)),
                by.Identity(),
                "named",
                given=(less(ZERO, PLACE),),
            ),
        ],
        "false",
        "summation variable",
    ),
    "an instance under a hypothesis on a summation variable": (
        [
            step("sums", at_most(at_0(X * Q), at_0(X * Q)), by.Arithmetic()),
            step(
                "false",
                at_most(at_0(Q), at_0(PLACE - 1)),
                by.Instance("sums", {X: ONE}),
                given=(less(ZERO, PLACE),),
            ),
        ],
        "false",
        "summation variable",
    ),
    "an induction under a hypothesis on a summation variable": (
        [
            step("sums", equal(at_0(N * Q), at_0(N * Q)), by.Arithmetic()),
            step(
                "false",
                at_most(at_0(N * Q), at_0(N * Q)),
                by.Induction(N, ZERO),
                "sums",
                given=(less(ZERO, PLACE),),
            ),
        ],
        "false",
        "summation variable",
    ),
    "a sum in a sum over the same variable": (
        [step("false", equal(nested(Q), nested(PLACE - 1)), by.Identity())],
        "false",
        "summation variable",
    ),
    "a sum within an implication": (
        [
            step(
                "sums",
                implies(less(ZERO, PLACE), at_most(at_0(X * Q), at_0(X * Q))),
                by.Arithmetic(),
            ),
            step(
                "false",
                implies(less(ZERO, PLACE), at_most(at_0(Q), at_0(PLACE - 1))),
                by.Instance("sums", {X: ONE}),
            ),
        ],
        "false",
        "summation variable",
    ),
    "a range of its own variable": (
        [
            step(
                "false",
                equal(sp.Sum(Q, (PLACE, PLACE, 3)), sp.Sum(PLACE - 1, (PLACE, PLACE, 3))),
                by.Identity(),
            )
        ],
        "false",
        "its own range|range that it runs over",
    ),
    "a telescope whose function sums over an end": (
        [
            step(
                "false",
                equal(sp.Sum(2 * PLACE + 1, (PLACE, J, N)), (N + 1) ** 2 - J**2),
                by.SumRule("telescope", PLACE**2 + sp.Sum(1 / J, (J, 0, 0))),
                given=(at_most(J, N + 1),),
            )
        ],
        "false",
        "summation variable",
    ),
    "a meaning for positive arguments put in at another": (
        [
            step("named", equal(D(A), 1 / A), by.Defined()),
            step("false", equal(Y * D(Y), ONE), by.Identity(), "named"),
            step("end", equal(ZERO, ONE), by.Instance("false", {Y: ZERO})),
        ],
        "false",
        "says sat",
    ),
    "a meaning for arguments that are not negative": (
        [
            step("named", equal(D(C), sp.sqrt(C)), by.Defined()),
            step("false", equal(D(Y) ** 2, Y), by.Identity(), "named"),
        ],
        "false",
        "says sat",
    ),
    "a meaning for whole arguments": (
        [
            step("named", equal(D(X, K), X**K), by.Defined()),
            step("false", equal(sp.Abs(D(X, A)), D(X, A)), by.Identity(), "named"),
        ],
        "false",
        "k is an integer, a need not be",
    ),
    "an end of a slope that cancels": (
        [
            step(
                "false",
                at_most(ONE, Y * (1 + 1 / Y)),
                by.Monotone(Y * Z, Z, 1 / Y, 1 + 1 / Y),
                given=(at_most(ZERO, Y),),
            ),
            step("at-0", at_most(ONE, ZERO), by.Arithmetic(), "false", given=(equal(Y, ZERO),)),
            step("end", at_most(ONE, ZERO), by.Instance("at-0", {Y: ZERO})),
        ],
        "false",
        "says sat",
    ),
    "a whole exponent for which a real one is put in": (
        [
            step("three", equal(sp.Integer(3), Y), by.Arithmetic(), given=IS_3),
            step("false", equal(sp.Abs(X**3 + K), X**3 + K), by.Identity(), "three", given=IS_3),
            step(
                "at-3", equal(sp.Abs(X**3 + K), X**3 + K), by.Instance("false", {Y: sp.Integer(3)})
            ),
            step("sign", at_most(ZERO, X**3 + K), by.Arithmetic(), "at-3"),
            step("end", at_most(ZERO, -ONE), by.Instance("sign", {X: -ONE, K: ZERO})),
        ],
        "false",
        "says sat",
    ),
    "a function of another number of arguments": (
        [
            step("named", equal(D(X, Y), X + Y), by.Defined()),
            step("false", equal(D(ONE), ONE), by.Identity(), "named"),
        ],
        "false",
        "number of arguments|shorter",
    ),
}
"""Steps, the one that must not be decided, and what is said of it."""


@pytest.mark.parametrize("name", REFUSED)
def test_false_by_a_name_and_refused_by_both(name: str, tmp_path: Path) -> None:
    steps, culprit, reason = REFUSED[name]
    derivation = Derivation("falsely", name, tuple(steps), (steps[-1].id,))
    judgements = {one.step.id: one for one in judge(derivation)}
    assert judgements[culprit].standing is StepStanding.FAILED
    assert re.search(reason, judgements[culprit].found)
    path, manifest = as_if_decided(derivation, tmp_path)
    report = recheck(path, solver="z3", manifest=manifest)
    assert (report.accepted, report.step) == (False, culprit)
    assert re.search(reason, report.reason)


def as_if_decided(derivation: Derivation, folder: Path) -> tuple[Path, Path]:
    """Write a certificate in which every step is said to be decided, and what expects it."""
    pretended = [StepJudgement(one, StepStanding.PROVED, (), "unsat") for one in derivation.steps]
    document = json.loads(json.dumps(certificate(derivation, tuple(pretended)).document))
    for one in document["steps"]:
        if one["method"]["name"] == "identity":
            one["found"] = "normal form 0"
    stood(document)
    try:
        return written(folder, sealed(document))
    except ValueError:  # Of a formula that nobody can take apart there are no questions to write.
        path = folder / f"{derivation.name}.json"
        path.write_text(json.dumps(sealed(document)), encoding="utf-8")
        return path, folder / "manifest.json"


TRUE: dict[str, list[Step]] = {
    "a recursion beside a sum over another variable": [
        step("named", beyond(ZERO, ZERO, D(M - 1) + sp.Sum(PLACE * M, (PLACE, 0, 3))), by.Defined())
    ],
    "a recursion that sums over another argument, of one base": [
        step(
            "named",
            both(
                equal(D(ZERO, PLACE), PLACE),
                implies(less(ZERO, M), equal(D(M, PLACE), sp.Sum(D(M - 1, PLACE), (PLACE, 0, M)))),
            ),
            by.Defined(),
        )
    ],
    "a distribution function beside a sum of it": [
        step("true", equal(Phi(X) + at_0(Phi(PLACE)), at_0(Phi(PLACE)) + Phi(X)), by.Identity())
    ],
    "a range without the place where it has no value": [
        step(
            "true", equal(sp.Sum(Q, (PLACE, 1, N)), sp.Sum(PLACE - 1, (PLACE, 1, N))), by.Identity()
        )
    ],
    "a sum in a sum over another variable": [
        step(
            "true",
            equal(
                sp.Sum(1 + sp.Sum(Q * J, (PLACE, 1, 3)), (J, 1, N)),
                sp.Sum(1 + sp.Sum((PLACE - 1) * J, (PLACE, 1, 3)), (J, 1, N)),
            ),
            by.Identity(),
            given=(less(ZERO, N),),
        )
    ],
    "a meaning put in where it was stated": [
        step("named", equal(D(A, K), 1 / (A + K)), by.Defined()),
        step(
            "true",
            equal((Y + K + 1) * D(Y, K + 1), ONE),
            by.Identity(),
            "named",
            given=(less(ZERO, Y),),
        ),
        step("plainly", equal((A**2 + 2) * D(A**2, sp.Integer(2)), ONE), by.Identity(), "named"),
    ],
    "a positive base of an exponent that is put in": [
        step("three", equal(sp.Integer(3), Y), by.Arithmetic(), given=IS_3),
        step("true", equal(D(A**3), D(A**Y)), by.Identity(), "three", given=IS_3),
    ],
    "an end of a slope that has a value": [
        step(
            "true",
            at_most(ONE, Y * (1 + 1 / Y)),
            by.Monotone(Y * Z, Z, 1 / Y, 1 + 1 / Y),
            given=(less(ZERO, Y),),
        )
    ],
}


@pytest.mark.parametrize("name", TRUE)
def test_true_and_decided_by_both(name: str, tmp_path: Path) -> None:
    derivation = Derivation("truly", name, tuple(TRUE[name]), (TRUE[name][-1].id,))
    judged = judge(derivation)
    assert {one.standing for one in judged} <= {StepStanding.PROVED, StepStanding.DEFINED}
    made = certificate(derivation, judged)
    (tmp_path / "made").mkdir()
    path = made.write(tmp_path / "made")
    _, manifest = as_if_decided(derivation, tmp_path)
    report = recheck(path, solver="z3", manifest=manifest)
    assert report.accepted, report


def test_a_power_of_pi_is_compared_by_both() -> None:
    """Pi is no symbol that could be whole."""
    general = step("general", less(ZERO, A**Y), by.Arithmetic())
    steps = (general, step("at-pi", less(ZERO, A**sp.pi), by.Instance("general", {Y: sp.pi})))
    judged = judge(Derivation("pi", "", steps, ("at-pi",)))
    assert judged[-1].standing is StepStanding.PROVED
    assert _substitute(A**Y, {Y: sp.pi}) == A**sp.pi
    assert not _alike(A**sp.pi, A**3)


OTHER_X = sp.Symbol("x", positive=True)
OTHER_I = sp.Symbol("i", positive=True)
MIXED = {
    "of a slope": [step("false", at_most(ZERO, X), by.Monotone(OTHER_X * Z, Z, ZERO, ONE))],
    "of a sum": [
        step("general", at_most(ONE, 1 + OTHER_I), by.Arithmetic()),
        step(
            "false",
            at_most(sp.Sum(ONE, (PLACE, -3, -1)), sp.Sum(1 + PLACE, (PLACE, -3, -1))),
            by.Summed("general"),
        ),
    ],
}


@pytest.mark.parametrize("name", MIXED)
def test_symbols_of_one_name_are_one_symbol(name: str) -> None:
    """Terms are compared by names, and what holds of a positive x need not hold of every x."""
    steps = MIXED[name]
    judged = judge(Derivation("mixed", name, tuple(steps), ("false",)))
    assert judged[-1].standing is StepStanding.FAILED
    assert "one set of assumptions" in judged[-1].found


@pytest.mark.parametrize(
    "name", ["exp", "max", "binomial", "Phi", "lambertw", "sum", "sqrt", "ln", "pi", "Max", "if"]
)
def test_no_function_is_called_as_a_known_one_is(name: str, tmp_path: Path) -> None:
    """The sentence of a statement would be read as that of the known one."""
    own = sp.Function(name)
    steps = (step("named", equal(own(X), ZERO), by.Defined()),)
    judged = judge(Derivation("shadows", "", steps, ("named",)))
    assert judged[0].standing is StepStanding.FAILED
    with pytest.raises(InvalidArgument, match="symbol" if name == "pi" else "nothing else"):
        certificate(Derivation("shadows", "", steps, ("named",)), judged)
    plain = (step("named", equal(D(X), ZERO), by.Defined()),)
    shadows = Derivation("shadows", "", plain, ("named",))
    document = json.loads(
        certificate(shadows, judge(shadows)).to_json().replace('"D"', f'"{name}"')
    )
    path = tmp_path / "shadows.json"
    path.write_text(json.dumps(sealed(document)), encoding="utf-8")
    report = recheck(path, solver="z3", manifest=expecting(tmp_path, document))
    assert (report.step, report.reason) == (
        "named",
        f"the function {name} has a name that means something else",
    )


def test_a_symbol_without_a_value_leaves_a_step_undecided() -> None:
    half = {Y: (Fraction(0), Fraction(1, 2))}
    printed = Printed(less(X, ZERO), Ruling.TYPO, {Y: Fraction(1)})
    steps = (
        step("box", at_most(X, ONE), by.Enclosed(half)),
        step("grid", at_most(X, ONE), by.Enumerated(half)),
        Step("paper", "", at_most(ZERO, X**2), by.Arithmetic(), "A square.", printed=printed),
        step(
            "arity",
            both(equal(D(0, X), ONE), implies(less(ZERO, M), equal(D(M), ONE))),
            by.Defined(),
        ),
    )
    judged = judge(Derivation("open", "", steps, ("box",)))
    assert [one.standing for one in judged] == [StepStanding.FAILED] * 4
    assert [one.found for one in judged[:3]] == ["x has no range"] * 3


def test_what_sympy_cannot_put_in_is_undecided() -> None:
    """It substitutes no sum over a variable of what it is put in for."""
    total = equal(D(ONE), sp.Sum(D(PLACE), (PLACE, 0, N)))
    claim = equal(X * D(ONE), X * total.rhs)
    steps = (
        step("total", total, by.Arithmetic(), given=(total,)),
        step("odd", claim, by.Identity(), "total", given=(total,)),
    )
    judged = judge(Derivation("odd", "", steps, ("odd",)))
    assert [one.standing for one in judged] == [StepStanding.PROVED, StepStanding.FAILED]


def test_what_was_decided_is_decided_of_no_other_step() -> None:
    """A step that is forgotten could leave its identity to another one."""
    decisions: dict[tuple[int, ...], Decision] = {}
    for right, standing in [(X, StepStanding.PROVED), (X - 1, StepStanding.FAILED)] * 40:
        same = step("same", at_most(X, right), by.Arithmetic())
        (judgement,) = judge(Derivation("same", "", (same,), ("same",)), decisions)
        assert judgement.standing is standing
        del same, judgement
