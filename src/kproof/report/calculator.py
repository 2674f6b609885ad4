"""The bound calculator: a page whose curves follow the reader's hand, with no server behind it.

Its formulas are written from the statements that ``kproof bound`` evaluates
(:mod:`kproof.theory.theorems.javascript`). What is no formula in Python either, the sums of
binomial masses and of uniform blocks, stands in ``templates/calculator/laws.js``. Values are pairs
of doubles with a bound on their error, shown rounded outward. They are no certificates: the page
names the command that gives one, and when it is opened, compares itself with values that were
certified when it was written.
"""

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

import sympy as sp

from kproof.registry import Home
from kproof.report.context import fragment
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.reading import Reading
from kproof.theory.theorems import theorem1
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.blocks import block_bound
from kproof.theory.theorems.bounds import Conditional, Status
from kproof.theory.theorems.comparison import Comparison, compare
from kproof.theory.theorems.javascript import javascript
from kproof.theory.theorems.lemma1 import EPSILON, EPSILON1, K, S, self_consistent_epsilon
from kproof.theory.theorems.record_moments import RecordMoments
from kproof.theory.theorems.registry import (
    OwnBound,
    RegisteredTheorem,
    own_bounds,
    theorem_for,
    theorems,
)
from kproof.theory.theorems.releases.sampled import SCOPE, release_bound
from kproof.theory.theorems.statements import Statement
from kproof.theory.theorems.sums import sums
from kproof.theory.theorems.theorem2 import BERNOULLI_CONSTANT, BERRY_ESSEEN, KAPPA
from kproof.theory.theorems.theorem3 import LAMBDA1, NEIGHBOURHOOD

SCRIPTS = ("special", "numbers", "laws", "readings")
"""What evaluates, in the order in which it is read; ``page`` draws."""

_N, _P = sp.symbols("n p")
_COUNT = {theorem1.N: "n", theorem1.P: "p", theorem1.K: "k", EPSILON: "epsilon"}


def _text(name: str) -> str:
    template = files("kproof.report").joinpath("templates", "calculator", name)
    return template.read_text(encoding="utf-8")


_PAGE = json.loads(_text("settings.json"))
LIMITS: Mapping[str, int] = _PAGE["limits"]
"""The largest values that the page takes."""
DEFAULTS: Mapping[str, str | bool] = _PAGE["defaults"]
"""What the page shows when it is opened."""
SETTINGS: Sequence[Mapping[str, str | bool]] = _PAGE["compared"]
"""Where a page is compared with certified values; what is left out has its default. In the last
one the other direction's worst table has more rows than the page works out."""


@cache
def calculator() -> str:
    """Return the page: one file of HTML that needs nothing but itself.

    >>> page = calculator()
    >>> page.count("<html"), "<script src" in page
    (1, False)
    """
    return str(
        fragment(
            "calculator/page.html",
            script=f"{script()}\n{_text('page.js')}",
            style=_text("style.css"),
            defaults=DEFAULTS,
            limits=LIMITS,
        )
    )


@cache
def script() -> str:
    """Return what evaluates, without what draws: the same text on the page and in its tests."""
    parts = [_text(f"{name}.js") for name in SCRIPTS]
    own = [_own(bound, bound.formula) for bound in own_bounds() if bound.formula is not None]
    checks = _constant("CHECKS", reference_values())
    return "\n".join(['"use strict";', *parts, formulas(), *own, checks])


def formulas() -> str:
    """Return the formulas of the theorems as JavaScript, with what each of them needs."""
    lines = ["const FORMULAS = {", f'  "1": {_object(_first())},']
    sums_of = [theorem for theorem in theorems() if not theorem.counts]
    lines += [f'  "{theorem.name}": {_object(_later(theorem))},' for theorem in sums_of]
    coin = {name: javascript(moment, {_N: "n", _P: "p"}) for name, moment in _coin().items()}
    constant = javascript(BERNOULLI_CONSTANT, {})
    return "\n".join(
        [
            *lines,
            "};",
            f"const COIN = {_object(coin)};",
            f"const CONSTANT = {constant};",
            _constant("LIMITS", LIMITS),
            _constant("SCOPE", f"It {'; '.join(SCOPE)}."),
        ]
    )


def reference_values() -> list[dict[str, object]]:
    """Return certified values of the readings at :data:`SETTINGS`, as the page is to find them."""
    return [
        {
            "fields": fields,
            "values": {
                name: None if value is None else [str(value.lower), str(value.upper)]
                for name, value in _values({**DEFAULTS, **fields}).items()
            },
        }
        for fields in SETTINGS
    ]


def _own(entry: OwnBound, formula: Home) -> str:
    """Return JavaScript that adds a bound of 0/1 records to the readings of a sum."""
    expression = formula()
    inputs = {symbol: symbol.name for symbol in expression.free_symbols}
    about = {
        "id": entry.name,
        "label": f"{entry.name}, for every event: what {entry.by} prove",
        "command": f"kproof bound {entry.name}",
        "conditions": [],
    }
    # Wrapped around the plan that is there: any number of bounds add their reading, and none knows
    # another.
    return f"""const {entry.name}Formula = {javascript(expression, inputs)};
sumPlan = ((before) => (plan) => {{
  const found = before(plan), fields = plan.fields;
  const counting = found.n - roundedUp(typed("lambda2", fields.lambda2, ""), found.n);
  const at = {{ n: whole(counting), p: plan.chance, s: whole(Number(fields.s)) }};
  const value = (epsilon) => tried(() => {entry.name}Formula({{ ...at, epsilon }}));
  const values = (epsilons) => epsilons.map(value);
  if (!fields.believed && counting > 0) found.readings.push({{ ...{json.dumps(about)}, values }});
  return found;
}})(sumPlan);"""


def _first() -> dict[str, str]:
    """Return Theorem 1: printed, in closed form, and corrected, which is exact."""
    readings = {
        "printed": theorem1.STATEMENTS[Reading.PRINTED],
        "closed": theorem1.HOEFFDING,
        "corrected": theorem1.STATEMENTS[Reading.CORRECTED],
    }
    return {
        name: _formulas_of(statement, _COUNT, ("delta",)) for name, statement in readings.items()
    }


def _later(entry: RegisteredTheorem) -> dict[str, str]:
    """Return a theorem about sums for 0/1 records."""
    statements: Mapping[Reading, Statement] = entry.statements.target
    over = sums(unknown_only=entry.unknown_only)
    inputs = {symbol: symbol.name.removesuffix("_unknown") for symbol in over.notation()} | {
        EPSILON: "epsilon",
        EPSILON1: "epsilon1",
        K: "k",
        S: "s",
        KAPPA: "kappa",
        BERRY_ESSEEN: "constant",
        NEIGHBOURHOOD: "neighbourhood",
        LAMBDA1: "lambda1",
    }
    example = _example(entry)
    corrected = example.bounds[Reading.CORRECTED]
    spread = over.variance_of_sum if entry.dependent else over.variance
    printed = statements[Reading.PRINTED]
    circular = javascript(self_consistent_epsilon(spread), inputs, printed.where)
    owed = _conditions(corrected)
    # The law of the sum is known of independent records only, whatever else is.
    independent = _example(theorem_for(dependent=False, unknown_only=entry.unknown_only))
    return {
        "level": _literal(corrected.parameters["level"]),
        "events": _literal("every event" if corrected.events.kappa is None else "intervals"),
        "kappa": str(corrected.events.kappa or 1),
        "printed": _formulas_of(printed, inputs, ("epsilon", "delta"), owed),
        "corrected": _formulas_of(statements[Reading.CORRECTED], inputs, ("delta",), owed),
        "epsilon1": circular,
        "conditions": _object(
            {
                "blocks": _literal([] if example.blocks is None else _conditions(example.blocks)),
                "exact": _literal(_conditions(independent.bounds[Reading.CORRECTED])),
            }
        ),
    }


def _formulas_of(
    statement: Statement,
    inputs: Mapping[sp.Symbol, str],
    quantities: tuple[str, ...],
    conditions: list[str] | None = None,
) -> str:
    """Return one reading: its formulas, what it needs, and what it rests on beside."""

    def code(formula: Any) -> str:
        return javascript(formula, inputs, statement.where)

    requires = [
        _object(
            {
                "name": _literal(requirement.name),
                "strict": _literal(requirement.strict),
                "left": code(requirement.left),
                "right": code(requirement.right),
            }
        )
        for requirement in statement.requires
        if requirement.of in (None, "delta")
    ]
    return _object(
        {quantity: code(statement.formulas[quantity]) for quantity in quantities}
        | {"requires": f"[{', '.join(requires)}]", "conditions": _literal(conditions or [])}
    )


def _coin() -> dict[str, sp.Expr]:
    """Return the sums of moments of n records that are 1 with probability p and else 0."""

    def mean(value: Any) -> sp.Expr:
        return sp.expand(_N * ((1 - _P) * value(sp.Integer(0)) + _P * value(sp.Integer(1))))

    centred = {
        name: sp.factor(mean(lambda x, power=power: (x - _P) ** power))
        for name, power in {"variance": 2, "third": 3, "fourth": 4}.items()
    }
    spread = _P * (1 - _P)
    return {
        **centred,
        "variance_of_sum": centred["variance"],
        "absolute_third": _N * spread * (_P**2 + (1 - _P) ** 2),
        "sigma_cubed": _N * sp.sqrt(spread) ** 3,
        "raw_third": mean(lambda x: x**3),
        "raw_fourth": mean(lambda x: x**4),
    }


def _example(entry: RegisteredTheorem) -> Comparison:
    """Return what kproof says of 0/1 records at a level: its words are those of the page."""
    adversary = Adversary.of(
        lambda1="0.1" if entry.dependent else None, lambda2="0.1" if entry.unknown_only else None
    )
    return compare(
        entry.number,
        moments=_records("0.3"),
        n=100,
        adversary=adversary,
        epsilon="0.1",
        exact="never",
    )


def _conditions(bound: Conditional) -> list[str]:
    return [
        f"{hypothesis.name}: {hypothesis.detail}"
        for hypothesis in bound.hypotheses
        if hypothesis.status in (Status.OWED, Status.ASSUMED)
    ]


def _records(p: str) -> RecordMoments:
    return RecordMoments.of(p, p, p, p)


def _values(fields: Mapping[str, Any]) -> dict[str, Enclosure | None]:
    """Return the values of all readings at one setting; None where a hypothesis fails."""
    common = {"n": fields["n"], "k": fields["k"], "epsilon": fields["epsilon"]}
    if fields["about"] == "table":
        worth = release_bound(k=fields["k"], beta=fields["rate"], epsilon=fields["epsilon"])
        return {"floor": worth.floor, "exact": worth.delta}
    if fields["about"] == "count":
        comparison = compare(1, p=fields["p"], **common)
        # The page sums no tail of its own as the corrected reading: it shows the closed form, which
        # is what it is compared with.
        closed = compare(1, p=fields["p"], **common, closed_form=True, exact="never")
        return {
            "printed": _claim(comparison, Reading.PRINTED),
            "corrected": _claim(closed, Reading.CORRECTED),
            "exact": comparison.exact,
        }
    # A share of 0 is left out: to name it makes an adversary of a level that knows more.
    shares = {name: fields[name] for name in ("lambda1", "lambda2") if Fraction(fields[name])}
    adversary = Adversary.of(s=fields["s"], **shares)
    if fields["believed"]:
        typed = {name: fields[name] for name in ("n", "beta", "block", "epsilon")}
        return {"blocks": block_bound(**typed, adversary=adversary).delta}
    comparison = compare(
        adversary.theorem, moments=_records(fields["p"]), adversary=adversary, **common
    )
    return {
        "printed": _claim(comparison, Reading.PRINTED),
        "corrected": _claim(comparison, Reading.CORRECTED),
        "exact": comparison.exact,
        "blocks": None if comparison.blocks is None else comparison.blocks.delta,
    }


def _claim(comparison: Comparison, reading: Reading) -> Enclosure | None:
    claim = comparison.bounds[reading]
    return claim.delta if claim.applies else None


def _object(of: Mapping[str, str]) -> str:
    return "{" + ", ".join(f'"{name}": {text}' for name, text in of.items()) + "}"


def _constant(name: str, value: object) -> str:
    return f"const {name} = {_literal(value)};"


def _literal(value: object) -> str:
    # Within a script nothing may end it.
    return json.dumps(value, ensure_ascii=False).replace("</", "<\\/")
