"""The formulas that ``kproof bound`` evaluates, in the words of the conclusions that prove them.

A certificate proves a statement about its own symbols. What is computed for a user comes from
:mod:`kproof.theory.theorems`. Here each formula that is computed is taken from there, its symbols
are renamed, and the conclusion that speaks of it is written once more with the name ``evaluated``
in the formula's place. The manifest keeps both, and a recheck puts one into the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import sympy as sp

from kproof.theory.derivations.formulas import at_most, both, equal, substitute
from kproof.theory.derivations.methods import Instance
from kproof.theory.derivations.notation import proofs
from kproof.theory.derivations.proofs.catalogue import derivation
from kproof.theory.derivations.trees import tree
from kproof.theory.reading import Reading
from kproof.theory.theorems import lemma1, theorem1, theorem2, theorem3, theorem4, theorem5
from kproof.theory.theorems.statements import Statement
from kproof.theory.theorems.sums import Sums, sums
from kproof.theory.theorems.symbolic import Between

EVALUATED = sp.Symbol("evaluated", real=True)
"""Stands for the formula."""


@dataclass(frozen=True)
class Evaluated:
    """A formula that is computed, and the conclusion that proves what is said of it."""

    derivation: str
    conclusion: str
    """Names of the derivation and of its step."""
    quantity: str
    """What the formula is, and which command evaluates it."""
    formula: sp.Expr
    """As the library has it, in the symbols of the derivation."""
    stated: sp.Basic
    """The conclusion's claim, one of its hypotheses, or a definition of the derivation, with
    :data:`EVALUATED` for the formula."""

    def to_dict(self) -> dict[str, object]:
        """Return what the manifest says of it."""
        formula, stated = tree(self.formula), tree(self.stated)
        return {"quantity": self.quantity, "formula": formula, "stated": stated}


Formulas: TypeAlias = Mapping[str, tuple[sp.Expr, sp.Basic]]
"""By quantity, the formula and what is stated of it."""


def _entries(derivation: str, conclusion: str, formulas: Formulas) -> list[Evaluated]:
    return [Evaluated(derivation, conclusion, name, *pair) for name, pair in formulas.items()]


def proved_formulas() -> tuple[Evaluated, ...]:
    """Return all formulas that are computed and proved in a derivation.

    >>> [formula.conclusion for formula in proved_formulas() if formula.derivation == "theorem-3"]
    ['theorem-3']
    """
    return (*_counts(), *_theorem1_closed_form(), *_normal(), *_dependent())


def by_conclusion() -> Mapping[tuple[str, str], list[dict[str, object]]]:
    """Return what the manifest says of each conclusion, by derivation and step."""
    by_step: dict[tuple[str, str], list[dict[str, object]]] = {}
    for formula in proved_formulas():
        by_step.setdefault((formula.derivation, formula.conclusion), []).append(formula.to_dict())
    return by_step


@cache
def _count_symbols() -> Mapping[sp.Expr, sp.Expr]:
    """Return what the derivations of Theorem 1 call the library's symbols."""
    counts, worst = proofs("counts"), proofs("exact_counts")["w"]
    return {
        theorem1.N: counts["n"],
        theorem1.P: counts["p"],
        theorem1.K: counts["k"],
        theorem1.UP: worst,
        theorem1.DOWN: worst,
        theorem1.RELEASED: proofs("theorem1")["Z0"],
        sp.exp(lemma1.EPSILON): counts["E"],
    }


def _of_counts(formula: sp.Expr) -> sp.Expr:
    renamed = formula.xreplace(_count_symbols())
    return renamed.replace(Between, lambda a, b, n, p: _up_to(b, n, p) - _up_to(a - 1, n, p))


def _up_to(last: sp.Expr, n: sp.Expr, p: sp.Expr) -> sp.Expr:
    below: sp.Expr = proofs("counts")["F"](last, n, p)
    return below


def _whole_part_first(formula: sp.Expr) -> sp.Expr:
    """Move n + 1 into whole parts; the statement takes it out, since its quotient cancels."""
    shift = proofs("counts")["n"] + 1
    return formula.replace(sp.floor, lambda x: sp.floor(sp.factor(x + shift)) - shift)


def _counts() -> list[Evaluated]:
    """Return C1: both members of the maximum, not yet divided by Pr[M >= k], and thresholds."""
    statement = theorem1.STATEMENTS[Reading.CORRECTED]
    # Unpacked as the only one: a formula of another form ends in an error here, and is not tied to
    # a conclusion about something else.
    (gains,) = (part for part in statement.formulas["delta"].args if isinstance(part, sp.Max))
    entries: list[Evaluated] = []
    for direction, threshold in (("c1-upward", theorem1.UP), ("c1-downward", theorem1.DOWN)):
        (gain,) = (part for part in gains.args if part.has(threshold))
        ends = _of_counts(statement.where[threshold])
        if threshold is theorem1.DOWN:
            ends = _whole_part_first(ends)
        (name,) = derivation(direction).conclusions
        claim = derivation(direction)[name].claim
        parts = [relation.func(relation.lhs, EVALUATED, evaluate=False) for relation in claim.args]
        gained = _of_counts(gain), both(*parts)
        ending = ends, equal(proofs("exact_counts")["w"], EVALUATED)
        formulas = {
            "delta of kproof bound 1 times Pr[M >= k], in this direction": gained,
            "the end of the worst event of kproof bound 1": ending,
        }
        entries += _entries(direction, name, formulas)
    return entries


def _theorem1_closed_form() -> list[Evaluated]:
    """Return Theorem 1 in closed form: delta for one gap, and what the gap is in each direction."""
    statement = theorem1.HOEFFDING
    (delta,) = (part for part in statement.formulas["delta"].args if part != 1)
    (gap,) = (maximum for maximum in delta.atoms(sp.Max) if maximum.has(theorem1.UPPER_END))
    counts, gap_symbol = proofs("counts"), proofs("hoeffding")["g"]
    given_delta = {theorem1.DELTA: proofs("theorem1")["delta"]}
    expected = counts["n"] * counts["p"]
    ratios = derivation("theorem-1")["larger-of-both"].claim
    mu = derivation("theorem-1")["mu-formula"].claim.lhs
    # The conclusion is about e^ε: of each logarithm it has what the logarithm is of.
    logarithms = (part.args[0] for part in statement.formulas["epsilon"].args if part != 0)
    larger = sp.Max(*logarithms).xreplace(_count_symbols()).xreplace({theorem1.MU: counts["mu"]})
    above = "e^epsilon of kproof bound 1 --closed-form for a given delta, where above 1"
    stated = both(*(at_most(relation.lhs, EVALUATED) for relation in ratios.args))
    larger_of_both = {above: (larger, stated)}
    mu_formula = statement.where[theorem1.MU].xreplace({**_count_symbols(), **given_delta})
    mu_sound = {"mu of kproof bound 1 --closed-form": (mu_formula, equal(mu, EVALUATED))}
    entries = _entries("theorem-1", "larger-of-both", larger_of_both)
    entries += _entries("theorem-1", "mu-sound", mu_sound)
    below_mean = expected - sp.Max(counts["k"], EVALUATED)
    for direction, end, beyond in (
        ("upward", theorem1.LOWER_END, below_mean),
        ("downward", theorem1.UPPER_END, EVALUATED - expected),
    ):
        closed = derivation(f"closed-form-{direction}")
        name, inverse = closed.conclusions
        epsilon = _of_counts(statement.formulas["epsilon"]).xreplace({theorem1.MU: mu})
        mu_of_delta = _of_counts(statement.where[theorem1.MU]).xreplace(given_delta)
        for_delta = {
            "epsilon of kproof bound 1 --closed-form for a given delta": (
                epsilon,
                equal(closed["epsilon-formula"].claim.lhs, EVALUATED),
            ),
            "mu of kproof bound 1 --closed-form": (mu_of_delta, equal(mu, EVALUATED)),
            "the least Pr[M >= k] of kproof bound 1 --closed-form": (
                _of_counts(statement.where[theorem1.RELEASED]),
                equal(closed["least-released"].claim.lhs, EVALUATED),
            ),
        }
        for_gap = {
            "delta of kproof bound 1 --closed-form, for the gap g": (
                _of_counts(delta.xreplace({gap: gap_symbol})),
                at_most(closed[name].claim.lhs, EVALUATED),
            ),
            "the count at which the ratio of kproof bound 1 --closed-form reaches e^epsilon": (
                _of_counts(statement.where[end]),
                at_most(gap_symbol, beyond),
            ),
        }
        entries += _entries(closed.name, inverse, for_delta) + _entries(closed.name, name, for_gap)
    return entries


def _delta_without_minimum(statements: Mapping[Reading, Statement]) -> sp.Expr:
    """Return the corrected delta of a theorem without its minimum with 1."""
    statement = statements[Reading.CORRECTED]
    (delta,) = (part for part in statement.formulas["delta"].args if part != 1)
    for name in (theorem2.LYAPUNOV, theorem3.STEIN):
        delta = delta.subs(name, statement.where.get(name, name))
    return delta


def _normal() -> list[Evaluated]:
    """Return the normal profile, C2, and C3 of Theorems 2 and 4."""
    gaussian, least_c, records = proofs("gaussian"), proofs("least_c"), proofs("records")
    berry_esseen, infimum = proofs("berry_esseen"), derivation("c2-least-c")["infimum"].claim
    event, epsilon, shift, sigma = (gaussian[name] for name in ("P", "epsilon", "s", "sigma"))
    entries = [
        Evaluated(
            "gaussian-profile",
            "profile",
            "delta of a normal law, part of kproof bound 2 to 5",
            lemma1.gaussian_delta(epsilon, shift / sigma),
            at_most(event(0), event(shift / sigma) * sp.exp(epsilon) + EVALUATED),
        ),
        Evaluated(
            "c2-least-c",
            "infimum",
            "the least c of kproof bound 2 to 5, its condition on k apart",
            _least_c(),
            infimum.xreplace({least_c["c_of"](least_c["found_z"]): EVALUATED}),
        ),
        Evaluated(
            "c2-least-c",
            "circle",
            "epsilon of kproof bound 2 to 5 where epsilon1 is epsilon itself",
            lemma1.self_consistent_epsilon(least_c["V"]).xreplace(
                {lemma1.C0: least_c["c0"], lemma1.K: least_c["k"], lemma1.S: shift}
            ),
            _circle(),
        ),
    ]
    for name, statements, unknown_only, count in (
        ("theorem-2", theorem2.STATEMENTS, False, records["j"]),
        ("theorem-4", theorem4.STATEMENTS, True, berry_esseen["u"]),
    ):
        over = sums(unknown_only=unknown_only)
        renamed = {
            over.variance: records["V"](count),
            over.absolute_third: records["R"](count),
            lemma1.S: shift,
            lemma1.EPSILON: epsilon,
            theorem2.KAPPA: berry_esseen["kappa"],
            theorem2.BERRY_ESSEEN: berry_esseen["C0"],
        }
        delta = _delta_without_minimum(statements).xreplace(renamed)
        quantity = f"delta of kproof bound {derivation(name).theorem}, below its minimum with 1"
        entries.append(Evaluated(name, name, quantity, delta, _there_and_back()))
        entries += _classes(name, quantity, delta)
        entries += _all_events(f"{name}-all-events", quantity, delta)
    return entries


def _there_and_back() -> sp.Basic:
    berry_esseen = proofs("berry_esseen")
    moved = sp.exp(berry_esseen["epsilon"]) * berry_esseen["W'"]
    return at_most(berry_esseen["W"], moved + EVALUATED)


def _classes(theorem: str, quantity: str, delta: sp.Expr) -> list[Evaluated]:
    """Return C3 for each class of events that has a kappa for every law."""
    berry_esseen = proofs("berry_esseen")
    entries: list[Evaluated] = []
    for general in berry_esseen.collections["classes"]:
        assert isinstance(general.by, Instance)
        step = derivation(theorem)[general.id.replace("theorem-2", theorem)]
        stated = substitute(_there_and_back(), general.by.at)
        if step.id != general.id:
            assert isinstance(step.by, Instance)
            stated = substitute(stated, step.by.at)
        kappa = general.by.at[berry_esseen["kappa"]]
        formula = delta.xreplace({berry_esseen["kappa"]: kappa})
        entries.append(Evaluated(theorem, step.id, f"{quantity}, kappa = {kappa}", formula, stated))
    return entries


def _all_events(name: str, quantity: str, delta: sp.Expr) -> list[Evaluated]:
    """Return C3 for all events of a log-concave sum."""
    all_events = proofs("all_events")
    formula = delta.xreplace({all_events["kappa"]: sp.S.One})
    entries: list[Evaluated] = []
    for direction, excess in (("upward", sp.S.Zero), ("downward", all_events["beyond"])):
        proved = derivation(f"all-events-{direction}")
        stated = at_most(proved[name].claim.lhs, EVALUATED + excess)
        entries.append(Evaluated(proved.name, name, f"{quantity}, for all events", formula, stated))
    return entries


def _least_c() -> sp.Expr:
    formulas = lemma1.least_c(proofs("least_c")["n"])
    return formulas[lemma1.C0].subs(lemma1.Z, formulas[lemma1.Z])


def _circle() -> sp.Basic:
    claim = derivation("c2-least-c")["circle"].claim
    solved = claim.args[0].args[1]
    return claim.xreplace({solved: equal(solved.lhs, EVALUATED)})


def _dependent() -> list[Evaluated]:
    """Return C4: Theorems 3 and 5, the latter for half-lines."""
    stein, unknown_only = proofs("stein"), derivation("theorem-5")["theorem-5"]
    assert isinstance(unknown_only.by, Instance)
    assumption = unknown_only.claim
    (moved,) = (summand for summand in assumption.rhs.args if summand.has(stein["H"]))
    scaled = sp.exp(stein["epsilon"]) * stein["W'"]
    return [
        Evaluated(
            "theorem-3",
            "theorem-3",
            "delta of kproof bound 3, below its minimum with 1",
            _dependent_delta(theorem3.STATEMENTS, sums(unknown_only=False)),
            at_most(stein["W"], scaled + EVALUATED),
        ),
        Evaluated(
            "theorem-5",
            "theorem-5",
            "delta of kproof bound 5 for half-lines, below its minimum with 1",
            _dependent_delta(theorem5.STATEMENTS, sums(unknown_only=True)).xreplace(
                {**unknown_only.by.at, stein["kappa"]: sp.S.One}
            ),
            at_most(assumption.lhs, moved + EVALUATED),
        ),
    ]


def _dependent_delta(statements: Mapping[Reading, Statement], over: Sums) -> sp.Expr:
    stein = proofs("stein")
    renamed = {lemma1.EPSILON: "epsilon", lemma1.S: "s", theorem2.KAPPA: "kappa"}
    renamed |= {theorem3.SIGMA: "sigma", theorem3.NEIGHBOURHOOD: "D"}
    renamed |= {over.absolute_third: "A3", over.fourth: "A4"}
    delta = _delta_without_minimum(statements)
    return delta.xreplace({symbol: stein[name] for symbol, name in renamed.items()})
