"""Certificates: a judged derivation as one JSON document and the SMT-LIB files beside it.

The document holds formulas as trees, and for each step who decided it and what is needed to decide
it again. :mod:`kproof.theory.recheck` does so without any other module of this package. Digests
chain the steps: each covers its step and the digest before it, so that a change is noticed at the
step where it was made. They guard against accidents only; against intent there is the recheck.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from pathlib import Path

import sympy as sp

from kproof.outputs import write_folder
from kproof.theory.derivations.derivation import Derivation, Query, Step, StepJudgement
from kproof.theory.derivations.trees import assumptions, symbols_of, tree

SCHEMA = 1
"""Version of the JSON form."""


@dataclass(frozen=True)
class Certificate:
    """What is written of one derivation."""

    name: str
    document: Mapping[str, object]
    files: Mapping[str, str]
    """Text of each SMT-LIB file by its path beside the document, ``name/step.label.smt2``."""

    def to_json(self) -> str:
        """Return the document as text, one line for each field of a step."""
        return lay_out(self.document, depth=3) + "\n"

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
    # Sorted: whoever checks has the parsed file, and in that the order of keys says nothing.
    text = json.dumps(part, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256((before + text).encode()).hexdigest()


def lay_out(value: object, depth: int, indent: str = "") -> str:
    """Return JSON with line breaks down to a depth, so that a change shows as a line."""
    inner = indent + " "
    if depth and isinstance(value, Mapping) and value:
        lines = (
            f"{inner}{json.dumps(k)}: {lay_out(v, depth - 1, inner)}" for k, v in value.items()
        )
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if depth and isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        lines = (inner + lay_out(item, depth - 1, inner) for item in value)
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)


def _step(derivation: Derivation, judgement: StepJudgement) -> dict[str, object]:
    step = judgement.step
    printed = step.printed and {
        "relation": tree(step.printed.relation),
        "given": [tree(part) for part in step.paper_hypotheses],
        "ruling": str(step.printed.ruling),
        "at": _encode(step.printed.at),
    }
    return {
        "id": step.id,
        "place": step.place,
        "claim": tree(step.claim),
        "given": [tree(hypothesis) for hypothesis in step.given],
        "follows": list(step.follows),
        "method": {"name": type(step.by).__name__.lower()}
        | {part.name: _encode(getattr(step.by, part.name)) for part in fields(step.by)},
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


def _file(derivation: Derivation, step: Step, query: Query) -> str:
    return f"{derivation.name}/{step.id}.{query.label}.smt2"


def _encode(value: object) -> object:
    """Return what a method says in the form of the certificate."""
    if isinstance(value, sp.Basic):
        return tree(value)
    if isinstance(value, Mapping):
        return {name.name: _encode(value[name]) for name in sorted(value, key=attrgetter("name"))}
    if isinstance(value, tuple):
        return [str(number) for number in value]
    return value if value is None else str(value)


def _expressions(derivation: Derivation) -> list[sp.Basic]:
    return [part for step in derivation.steps for part in step.expressions]
