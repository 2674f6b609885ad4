"""Certificates: a judged derivation as one JSON document and the SMT-LIB files beside it.

The document holds formulas as trees, and for each step who decided it and what is needed to decide
it again. :mod:`kproof.theory.recheck` does so without any other module of this package. Digests
chain the steps: each covers its step and the digest before it, so that a change is noticed at the
step where it was made. They guard against accidents only; against intent there is the recheck.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import sympy as sp

from kproof.outputs import write_folder
from kproof.theory.derivations import methods as by
from kproof.theory.derivations.derivation import Derivation, Query, Step, StepJudgement
from kproof.theory.derivations.trees import Tree, assumptions, symbols_of, tree

SCHEMA = 1
"""Version of the JSON form."""


@dataclass(frozen=True)
class Certificate:
    """What is written of one derivation."""

    name: str
    """That of the derivation."""
    document: Mapping[str, object]
    """The JSON document."""
    files: Mapping[str, str]
    """Text of each SMT-LIB file by its path beside the document, ``name/step.label.smt2``."""

    def to_json(self) -> str:
        """Return the document as text, one line for each field of a step."""
        return laid_out(self.document, depth=3) + "\n"

    def write(self, folder: Path) -> Path:
        """Write ``name.json`` and the files beside it; return the path of the document."""
        *_, path = write_folder(folder, {**self.files, f"{self.name}.json": self.to_json()})
        return path


def certificate(derivation: Derivation, judged: tuple[StepJudgement, ...]) -> Certificate:
    """Return the certificate of a derivation that has been judged.

    >>> from kproof.theory.derivations.deciders import judge
    >>> from kproof.theory.derivations.formulas import less
    >>> from kproof.theory.derivations.methods import Arithmetic
    >>> x = sp.Symbol("x", positive=True)
    >>> step = Step("double", "", less(x, 2 * x), Arithmetic(), "x is positive.")
    >>> doubling = Derivation("doubling", "Doubling", (step,), ("double",))
    >>> made = certificate(doubling, judge(doubling))
    >>> list(made.files), made.document["symbols"]
    (['doubling/double.claim.smt2'], {'x': ['real', 'positive']})
    """
    steps: list[dict[str, object]] = []
    files: dict[str, str] = {}
    chained = ""
    for judgement in judged:
        for query in judgement.queries:
            files[_file(derivation, judgement.step, query)] = query.text
        step = _step(derivation, judgement)
        # Each digest covers the one before, so that no step is taken out, moved or changed alone.
        chained = digest(chained, step)
        steps.append({**step, "digest": chained})
    document: dict[str, object] = {
        "schema": SCHEMA,
        "format": "kproof derivation",
        "name": derivation.name,
        "title": derivation.title,
        "theorem": derivation.theorem,
        "symbols": {
            symbol.name: assumptions(symbol) for symbol in symbols_of(_expressions(derivation))
        },
        "conclusions": list(derivation.conclusions),
        "steps": steps,
    }
    return Certificate(derivation.name, {**document, "digest": digest("", document)}, files)


def digest(before: str, part: Mapping[str, object]) -> str:
    """Return the SHA-256 of a digest followed by a JSON object in its shortest form."""
    text = json.dumps(part, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256((before + text).encode()).hexdigest()


def laid_out(value: object, depth: int, indent: str = "") -> str:
    """Return JSON with line breaks down to a depth, so that a change shows as a line."""
    inner = indent + " "
    if depth and isinstance(value, Mapping) and value:
        lines = (
            f"{inner}{json.dumps(k)}: {laid_out(v, depth - 1, inner)}" for k, v in value.items()
        )
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if depth and isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        lines = (inner + laid_out(item, depth - 1, inner) for item in value)
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)


def _step(derivation: Derivation, judgement: StepJudgement) -> dict[str, object]:
    step = judgement.step
    printed = step.printed and {
        "relation": tree(step.printed.relation),
        "given": [tree(part) for part in _printed_hypotheses(step)],
        "ruling": str(step.printed.ruling),
        "at": _point(step.printed.at),
    }
    return {
        "id": step.id,
        "place": step.place,
        "claim": tree(step.claim),
        "given": [tree(hypothesis) for hypothesis in step.given],
        "follows": list(step.follows),
        "method": _method(step.by),
        "because": step.because,
        "printed": printed,
        "standing": str(judgement.standing),
        "rests_on": list(judgement.rests_on),
        "found": judgement.found,
        "queries": [
            {
                "label": query.label,
                "file": _file(derivation, step, query),
                "sha256": hashlib.sha256(query.text.encode()).hexdigest(),
            }
            for query in judgement.queries
        ],
    }


def _printed_hypotheses(step: Step) -> tuple[sp.Basic, ...]:
    assert step.printed is not None
    return step.given if step.printed.given is None else step.printed.given


def _file(derivation: Derivation, step: Step, query: Query) -> str:
    return f"{derivation.name}/{step.id}.{query.label}.smt2"


def _method(method: by.Method) -> dict[str, object]:
    fields: dict[str, object] = {"name": type(method).__name__.lower()}
    match method:
        case by.Enclosed(box=box):
            fields["box"] = {name.name: [str(end) for end in box[name]] for name in _by_name(box)}
        case by.Enumerated(grid=grid):
            fields["grid"] = {
                name.name: [str(value) for value in grid[name]] for name in _by_name(grid)
            }
        case by.Monotone():
            terms = ("function", "variable", "low", "high")
            fields |= {name: tree(getattr(method, name)) for name in terms}
        case by.Induction():
            fields |= {"variable": tree(method.variable), "base": tree(method.base)}
        case by.Instance():
            fields |= {"of": method.of, "at": _at(method.at)}
        case by.Summed():
            fields["of"] = method.of
        case by.SumRule(rule=rule, function=function):
            fields |= {"rule": rule, "function": None if function is None else tree(function)}
        case by.Assumed():
            fields["source"] = method.source
    return fields


def _at(values: Mapping[sp.Symbol, sp.Expr]) -> dict[str, Tree]:
    return {name.name: tree(values[name]) for name in _by_name(values)}


def _point(values: Mapping[sp.Symbol, Fraction]) -> dict[str, Tree]:
    return {name.name: str(values[name]) for name in _by_name(values)}


def _by_name(values: Mapping[sp.Symbol, object]) -> list[sp.Symbol]:
    return sorted(values, key=lambda symbol: symbol.name)


def _expressions(derivation: Derivation) -> list[sp.Basic]:
    expressions: list[sp.Basic] = []
    for step in derivation.steps:
        expressions += [step.claim, *step.given]
        if step.printed is not None:
            expressions += [step.printed.relation, *_printed_hypotheses(step)]
        match step.by:
            case by.Monotone():
                expressions += [step.by.function, step.by.variable, step.by.low, step.by.high]
            case by.Induction():
                expressions += [step.by.variable, step.by.base]
            case by.SumRule(function=function) if function is not None:
                expressions.append(function)
            case by.Instance():
                expressions += [*step.by.at, *step.by.at.values()]
    return expressions
