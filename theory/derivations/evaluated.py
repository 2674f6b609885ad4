"""The formulas that ``kproof bound`` evaluates, in the words of the conclusions that prove them.

A certificate proves a statement about its own symbols. What is computed for a user comes from
:mod:`kproof.theory.theorems`. Here each formula that is computed is taken from there, its symbols
are renamed, and the conclusion that speaks of it is written once more with the name ``evaluated``
in the formula's place. The manifest keeps both, and a recheck puts one into the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from kproof.theory.derivations.derivation import Derivation
from kproof.theory.derivations.formulas import at_most, both, equal, substituted
from kproof.theory.derivations.methods import Instance
from kproof.theory.derivations.proofs import (
    all_events,
    berry_esseen,
    closed_form,
    counts,
    exact_counts,
    gaussian,
    hoeffding,
    least_c,
    records,
    stein,
    stein_known,
)
from kproof.theory.derivations.proofs import lemma1 as lemma_1
from kproof.theory.derivations.proofs.theorem1 import DELTA, THEOREM_1, Z0
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
        return {
            "quantity": self.quantity,
            "formula": tree(self.formula),
            "stated": tree(self.stated),
        }


def evaluated() -> tuple[Evaluated, ...]:
    """Return all formulas that are computed and proved in a derivation.

    Examples
    --------
    >>> [one.conclusion for one in evaluated() if one.derivation == "theorem-3"]
    ['theorem-3']
    """
    return (*_counts(), *_closed_form(), *_normal(), *_dependent())


def by_conclusion() -> Mapping[tuple[str, str], list[dict[str, object]]]:
    """Return what the manifest says of each conclusion, by derivation and step."""
    found: dict[tuple[str, str], list[dict[str, object]]] = {}
    for one in evaluated():
        found.setdefault((one.derivation, one.conclusion), []).append(one.to_dict())
    return found


_OF_COUNTS = {
    theorem1.N: counts.N,
    theorem1.P: counts.PROB,
    theorem1.K: counts.K,
    theorem1.UP: exact_counts.WORST,
    theorem1.DOWN: exact_counts.WORST,
    theorem1.RELEASED: Z0,
    sp.exp(lemma1.EPSILON): counts.E,
}


def _of_counts(formula: sp.Expr) -> sp.Expr:
    renamed = formula.xreplace(_OF_COUNTS).xreplace(_OF_COUNTS)
    return renamed.replace(Between, lambda a, b, n, p: _up_to(b, n, p) - _up_to(a - 1, n, p))


def _up_to(last: sp.Expr, n: sp.Expr, p: sp.Expr) -> sp.Expr:
    found: sp.Expr = counts.BELOW(last, n, p)
    return found


def _whole_part_first(formula: sp.Expr) -> sp.Expr:
    """Move n + 1 into whole parts; the statement takes it out, since its quotient cancels."""
    whole = counts.N + 1
    return formula.replace(sp.floor, lambda x: sp.floor(sp.factor(x + whole)) - whole)


def _counts() -> list[Evaluated]:
    """Return C1: both members of the maximum, not yet divided by Pr[M >= k], and thresholds."""
    statement = theorem1.STATEMENTS[Reading.CORRECTED]
    (gains,) = (one for one in statement.formulas["delta"].args if isinstance(one, sp.Max))
    found: list[Evaluated] = []
    for derivation, threshold in (
        (exact_counts.UPWARD, theorem1.UP),
        (exact_counts.DOWNWARD, theorem1.DOWN),
    ):
        (gain,) = (one for one in gains.args if one.has(threshold))
        ends = _of_counts(statement.where[threshold])
        if threshold is theorem1.DOWN:
            ends = _whole_part_first(ends)
        (name,) = derivation.conclusions
        claim = derivation[name].claim
        parts = [one.func(one.lhs, EVALUATED, evaluate=False) for one in claim.args]
        found += [
            Evaluated(
                derivation.name,
                name,
                "delta of kproof bound 1 times Pr[M >= k], in this direction",
                _of_counts(gain),
                both(*parts),
            ),
            Evaluated(
                derivation.name,
                name,
                "the end of the worst event of kproof bound 1",
                ends,
                equal(exact_counts.WORST, EVALUATED),
            ),
        ]
    return found


def _closed_form() -> list[Evaluated]:
    """Return Theorem 1 in closed form: delta for one gap, and what the gap is in each direction."""
    statement = theorem1.HOEFFDING
    (delta,) = (one for one in statement.formulas["delta"].args if one != 1)
    (gap,) = (one for one in delta.atoms(sp.Max) if one.has(theorem1.UPPER_END))
    expected = counts.N * counts.PROB
    ratios = THEOREM_1["larger-of-both"].claim
    mu = THEOREM_1["mu-formula"].claim.lhs
    found = [
        Evaluated(
            "theorem-1",
            "larger-of-both",
            "e^epsilon of kproof bound 1 --closed-form for a given delta, where above 1",
            sp.Max(*(one.args[0] for one in statement.formulas["epsilon"].args if one != 0))
            .xreplace(_OF_COUNTS)
            .xreplace({theorem1.MU: counts.MU}),
            both(*(at_most(one.lhs, EVALUATED) for one in ratios.args)),
        ),
        Evaluated(
            "theorem-1",
            "mu-sound",
            "mu of kproof bound 1 --closed-form",
            statement.where[theorem1.MU].xreplace({**_OF_COUNTS, theorem1.DELTA: DELTA}),
            equal(mu, EVALUATED),
        ),
    ]
    for derivation, end, beyond in (
        (closed_form.CLOSED_UPWARD, theorem1.LOWER_END, expected - sp.Max(counts.K, EVALUATED)),
        (closed_form.CLOSED_DOWNWARD, theorem1.UPPER_END, EVALUATED - expected),
    ):
        name, inverse = derivation.conclusions
        found += [
            Evaluated(
                derivation.name,
                inverse,
                "epsilon of kproof bound 1 --closed-form for a given delta",
                _of_counts(statement.formulas["epsilon"]).xreplace({theorem1.MU: mu}),
                equal(derivation["epsilon-formula"].claim.lhs, EVALUATED),
            ),
            Evaluated(
                derivation.name,
                inverse,
                "mu of kproof bound 1 --closed-form",
                _of_counts(statement.where[theorem1.MU]).xreplace({theorem1.DELTA: DELTA}),
                equal(mu, EVALUATED),
            ),
            Evaluated(
                derivation.name,
                inverse,
                "the least Pr[M >= k] of kproof bound 1 --closed-form",
                _of_counts(statement.where[theorem1.RELEASED]),
                equal(derivation["least-released"].claim.lhs, EVALUATED),
            ),
            Evaluated(
                derivation.name,
                name,
                "delta of kproof bound 1 --closed-form, for the gap g",
                _of_counts(delta.xreplace({gap: hoeffding.GAP})),
                at_most(derivation[name].claim.lhs, EVALUATED),
            ),
            Evaluated(
                derivation.name,
                name,
                "the count at which the ratio of kproof bound 1 --closed-form reaches e^epsilon",
                _of_counts(statement.where[end]),
                at_most(hoeffding.GAP, beyond),
            ),
        ]
    return found


def _corrected(statements: Mapping[Reading, Statement]) -> sp.Expr:
    """Return the corrected delta of a theorem without its minimum with 1."""
    statement = statements[Reading.CORRECTED]
    (delta,) = (one for one in statement.formulas["delta"].args if one != 1)
    for name in (theorem2.LYAPUNOV, theorem3.STEIN):
        delta = delta.subs(name, statement.where.get(name, name))
    return delta


def _normal() -> list[Evaluated]:
    """Return the normal profile, C2, and C3 of Theorems 2 and 4."""
    g = gaussian
    event = g.EVENT
    found = [
        Evaluated(
            "gaussian-profile",
            "profile",
            "delta of a normal law, part of kproof bound 2 to 5",
            lemma1.gaussian_delta(g.EPSILON, g.S / g.SIGMA),
            at_most(event(0), event(g.S / g.SIGMA) * sp.exp(g.EPSILON) + EVALUATED),
        ),
        Evaluated(
            "c2-least-c",
            "infimum",
            "the least c of kproof bound 2 to 5, its condition on k apart",
            _least_c(),
            least_c.LEAST_C["infimum"].claim.xreplace({least_c.c_of(least_c.FOUND_Z): EVALUATED}),
        ),
        Evaluated(
            "c2-least-c",
            "circle",
            "epsilon of kproof bound 2 to 5 where epsilon1 is epsilon itself",
            lemma1.self_consistent_epsilon(least_c.V).xreplace(
                {lemma1.C0: least_c.C0, lemma1.K: lemma_1.K, lemma1.S: gaussian.S}
            ),
            _circle(),
        ),
    ]
    for derivation, statements, unknown_only, count in (
        (berry_esseen.THEOREM_2, theorem2.STATEMENTS, False, records.J),
        (berry_esseen.THEOREM_4, theorem4.STATEMENTS, True, berry_esseen.UNKNOWN),
    ):
        over = sums(unknown_only=unknown_only)
        renamed = {
            over.variance: records.VARIANCE(count),
            over.absolute_third: records.THIRDS(count),
            lemma1.S: g.S,
            lemma1.EPSILON: g.EPSILON,
            theorem2.KAPPA: berry_esseen.KAPPA,
            theorem2.BERRY_ESSEEN: berry_esseen.CONSTANT,
        }
        delta = _corrected(statements).xreplace(renamed)
        quantity = f"delta of kproof bound {derivation.theorem}, below its minimum with 1"
        found.append(
            Evaluated(derivation.name, derivation.name, quantity, delta, _there_and_back())
        )
        found += _classes(derivation, quantity, delta)
        found += _all_events(f"{derivation.name}-all-events", quantity, delta)
    return found


def _there_and_back() -> sp.Basic:
    moved = sp.exp(gaussian.EPSILON) * berry_esseen.MOVED
    return at_most(berry_esseen.DATA, moved + EVALUATED)


def _classes(derivation: Derivation, quantity: str, delta: sp.Expr) -> list[Evaluated]:
    """Return C3 for each class of events that has a kappa for every law."""
    found: list[Evaluated] = []
    for general in berry_esseen.CLASSES:
        assert isinstance(general.by, Instance)
        step = derivation[general.id.replace("theorem-2", derivation.name)]
        stated = substituted(_there_and_back(), general.by.at)
        if step.id != general.id:
            assert isinstance(step.by, Instance)
            stated = substituted(stated, step.by.at)
        kappa = general.by.at[berry_esseen.KAPPA]
        formula = delta.xreplace({berry_esseen.KAPPA: kappa})
        found.append(
            Evaluated(derivation.name, step.id, f"{quantity}, kappa = {kappa}", formula, stated)
        )
    return found


def _all_events(name: str, quantity: str, delta: sp.Expr) -> list[Evaluated]:
    """Return C3 for all events of a log-concave sum."""
    formula = delta.xreplace({berry_esseen.KAPPA: sp.S.One})
    found: list[Evaluated] = []
    for derivation, more in (
        (all_events.ALL_UPWARD, sp.S.Zero),
        (all_events.ALL_DOWNWARD, all_events.BEYOND),
    ):
        stated = at_most(derivation[name].claim.lhs, EVALUATED + more)
        found.append(
            Evaluated(derivation.name, name, f"{quantity}, for all events", formula, stated)
        )
    return found


def _least_c() -> sp.Expr:
    found = lemma1.least_c(least_c.N)
    return found[lemma1.C0].subs(lemma1.Z, found[lemma1.Z])


def _circle() -> sp.Basic:
    claim = least_c.LEAST_C["circle"].claim
    solved = claim.args[0].args[1]
    return claim.xreplace({solved: equal(solved.lhs, EVALUATED)})


def _dependent() -> list[Evaluated]:
    """Return C4: Theorems 3 and 5, the latter for half-lines."""
    known = stein_known.THEOREM_5["theorem-5"].claim
    (moved,) = (one for one in known.rhs.args if one.has(stein.AT_MOST))
    scaled = sp.exp(gaussian.EPSILON) * stein.MOVED
    return [
        Evaluated(
            "theorem-3",
            "theorem-3",
            "delta of kproof bound 3, below its minimum with 1",
            _dependent_delta(theorem3.STATEMENTS, sums(unknown_only=False)),
            at_most(stein.DATA, scaled + EVALUATED),
        ),
        Evaluated(
            "theorem-5",
            "theorem-5",
            "delta of kproof bound 5 for half-lines, below its minimum with 1",
            _dependent_delta(theorem5.STATEMENTS, sums(unknown_only=True)).xreplace(
                {**stein_known.LEFT_OVER, stein.KAPPA: sp.S.One}
            ),
            at_most(known.lhs, moved + EVALUATED),
        ),
    ]


def _dependent_delta(statements: Mapping[Reading, Statement], over: Sums) -> sp.Expr:
    return _corrected(statements).xreplace(
        {
            lemma1.EPSILON: gaussian.EPSILON,
            lemma1.S: gaussian.S,
            theorem2.KAPPA: stein.KAPPA,
            theorem3.SIGMA: gaussian.SIGMA,
            theorem3.NEIGHBOURHOOD: stein.D,
            over.absolute_third: stein.A3,
            over.fourth: stein.A4,
        }
    )
