"""The standing attack: no false step is accepted, and a broken decider would be noticed.

30 false steps of each method are drawn by day, 10,000 by ``nox -s nightly``.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
import z3
from attack import EFFORT, PIECES, accepted, derives, rechecks
from falsities import GENERATORS, Falsity, falsities
from nights import by_day

from kproof.errors import KProofError
from kproof.theory import recheck
from kproof.theory.derivations import asking, deciders
from kproof.theory.derivations import methods as by
from kproof.theory.derivations.certificate import _expressions, certificate
from kproof.theory.derivations.derivation import Derivation, Step, StepStanding
from kproof.theory.derivations.formulas import at_most, equal, substitute
from kproof.theory.derivations.normal import Normaliser
from kproof.theory.derivations.proofs.catalogue import derivations
from kproof.theory.derivations.trees import assumptions, symbols_of
from kproof.theory.derivations.truth import Relation

CASES = by_day(30, at_night=150)
TRIES = 40
"""False steps from which a proof of all conclusions is tried."""


@pytest.fixture(autouse=True)
def _little_effort(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module, effort in ((asking, "SOLVER_EFFORT"), (recheck, "FIRST_EFFORT")):
        monkeypatch.setattr(module, effort, EFFORT)
    for module in (deciders, recheck):
        monkeypatch.setattr(module, "MOST_PIECES", PIECES)
    forget()
    yield
    forget()


def forget() -> None:
    """Forget what the recheck remembers, since what decides is another one now."""
    recheck._answer.cache_clear()
    recheck._substitution.cache_clear()


@pytest.mark.parametrize("method", GENERATORS)
def test_no_false_step_is_accepted(method):
    assert accepted(islice(falsities(method, seed=1), CASES)) == []


def test_the_attack_is_the_same_for_one_seed():
    for method in GENERATORS:
        first, again = (list(islice(falsities(method, seed=2), 5)) for _ in "12")
        assert first == again


# Deciders that are broken on purpose, here and in the recheck alike -------------------------------

Patches = list[tuple[Any, str, Callable[..., Any]]]


def _nothing(*_: Any, **__: Any) -> list[Any]:
    return []


TRIED = derivations()[:: by_day(8, at_night=1)]
"""Derivations whose conclusions are proved from false steps."""
EVERY = len(TRIED)
BROKEN: dict[str, tuple[str, int, Patches]] = {
    "every normal form is 0": (
        "identity",
        EVERY,
        [(deciders, "same", lambda *_: True), (recheck._Normal, "agree", lambda *_: True)],
    ),
    "every factor counts as positive": (
        "identity",
        0,
        [
            (Normaliser, "_plainly_positive", lambda *_: True),
            (recheck._Normal, "_sure", lambda *_: True),
        ],
    ),
    "what is undefined is cancelled": (
        "identity",
        0,
        [(deciders, "ask_defined", lambda *_: ()), (recheck, "_definedness", _nothing)],
    ),
    "the solver always says unsat": (
        "arithmetic",
        EVERY,
        [(z3.Solver, "check", lambda *_: z3.unsat)],
    ),
    "balls are always certain": (
        "enclosed",
        0,
        [(Relation, "holds", lambda *_: True), (recheck._Evaluator, "holds", lambda *_: True)],
    ),
    "a rule for sums asks nothing of the range": (
        "sumrule",
        by_day(1, at_night=12),  # The others have no symbol that a sum may run over.
        [(deciders, "rule_conditions", _nothing), (recheck, "_by_rule", _nothing)],
    ),
}
"""Whose falsities are accepted then, how many derivations they prove at least, and what is patched.

A root or a quotient that no number stands for proves nothing else as it is.
"""


def break_decider(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for place, attribute, lenient in BROKEN[name][2]:
        monkeypatch.setattr(place, attribute, lenient)
    forget()


def bogus_proof(of: Derivation, falsity: Falsity) -> Derivation | None:
    """Return a proof of all conclusions from a false step, or None if it has too many symbols.

    Only what the manifest pins is taken over: definitions, assumptions, what rests on which of
    them, and what is printed.
    """
    every = symbols_of(_expressions(of))
    names = _spelled(falsity, every)
    if names is None:
        return None
    false = [_renamed(one, names) for one in falsity.steps]
    free = false[-1].claim.free_symbols
    at = {names[x]: sp.Rational(y) for x, y in falsity.at.items() if names.get(x) in free}
    ground = false[-1].at(at, "ground", "", given=())
    sums = [
        Step(f"sum-{place}", "", equal(one, value), by.SumRule(rule), "")
        for place, one in enumerate(sorted(ground.claim.atoms(sp.Sum), key=str))
        for rule, value in _evaluated(one)
    ]
    follows = ("ground", *(one.id for one in sums))
    absurd = Step("absurd", "", at_most(1, 0), by.Arithmetic(), "", follows)
    # No symbol may be missing from the document.
    spoken = Step("spoken", "", equal(sum(every), sum(every)), by.Arithmetic(), "")
    conclusions = recheck.statements(recheck.MANIFEST)[of.name]["conclusions"]
    pinned = []
    for step in of.steps:
        if isinstance(step.by, by.Defined | by.Assumed):
            pinned.append(replace(step, follows=()))
        elif step.printed is not None or step.id in conclusions:
            method = step.by if isinstance(step.by, by.Induction) else by.Arithmetic()
            rests_on = conclusions[step.id]["rests_on"] if step.id in conclusions else ()
            pinned.append(replace(step, by=method, follows=("absurd", *rests_on)))
    steps = (*false, ground, *sums, absurd, *pinned, spoken)
    return Derivation(of.name, of.title, steps, of.conclusions, of.theorem)


def _spelled(falsity: Falsity, every: Sequence[sp.Symbol]) -> dict[sp.Symbol, sp.Symbol] | None:
    """Return a symbol of the derivation for each of the falsity, with room for its value."""
    free = list(every)
    names: dict[sp.Symbol, sp.Symbol] = {}
    for symbol in symbols_of([p for step in falsity.steps for p in (step.claim, *step.given)]):
        value = falsity.at[symbol]
        fitting = [
            x
            for x in free
            if (not x.is_integer or value.denominator == 1)
            and (not x.is_nonnegative or value > 0 or (value == 0 and not x.is_positive))
        ]
        if not fitting:
            return None
        # Where a symbol is bound, its kind and sign matter as well as its value.
        names[symbol] = max(
            fitting,
            key=lambda x: (
                x.is_integer == symbol.is_integer,
                assumptions(x) == assumptions(symbol),
            ),
        )
        free.remove(names[symbol])
    return names


def _renamed(step: Step, names: dict[sp.Symbol, sp.Symbol]) -> Step:
    def named(part: sp.Basic) -> sp.Basic:
        return substitute(part.xreplace(names), {}).replace(sp.Function("D"), sp.Function("D'"))

    given = tuple(map(named, step.given))
    return Step(f"false-{step.id}", "", named(step.claim), step.by, "", _prefixed(step), given)


def _prefixed(step: Step) -> tuple[str, ...]:
    return tuple(f"false-{one}" for one in step.follows)


def _evaluated(one: sp.Sum) -> list[tuple[str, sp.Expr]]:
    """Return the rule that evaluates a sum of one term or none, and its value."""
    ((name, low, high),) = one.limits
    if low == high:
        return [("single", one.function.subs(name, low))]
    return [("empty", sp.Integer(0))] if low == high + 1 else []


def proves_all(of: Derivation, folder: Path) -> bool:
    """Return whether the deriver and the recheck, with the manifest that is shipped, accept it."""
    judged = deciders.judge(of)
    if any(one.standing is StepStanding.FAILED for one in judged):
        return False
    return recheck.recheck(certificate(of, judged).write(folder), solver="z3").accepted


def first_proof(of: Derivation, false: Sequence[Falsity], folder: Path) -> Derivation | None:
    """Return the first bogus proof that passes."""
    for falsity in false:
        with suppress(KProofError, TypeError):  # SymPy has no number for it at that point.
            proof = bogus_proof(of, falsity)
            if proof is not None and proves_all(proof, folder):
                return proof
    return None


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_decider_is_noticed_and_would_prove_anything(name, tmp_path, monkeypatch):
    method, least, _ = BROKEN[name]
    with monkeypatch.context() as broken:
        break_decider(name, broken)
        drawn = islice(falsities(method, seed=3), 2 * CASES)
        false = list(islice((case for case in drawn if derives(case) and rechecks(case)), TRIES))
        assert false
        proofs = [first_proof(of, false, tmp_path) for of in TRIED if least]
    bogus = [one for one in proofs if one is not None]
    assert len(bogus) >= least
    recheck._answer.cache_clear()
    assert not any(proves_all(one, tmp_path) for one in bogus)
