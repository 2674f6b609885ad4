"""The manifest of statements: what each certificate must say, in a form that a person can read.

A certificate shows that its steps follow from each other. Which statement must come out is said
here: title, theorem, symbols, definitions, assumptions with their sources, conclusions with all
that they suppose and rest on, and the paper's own false steps. :mod:`kproof.theory.recheck` takes
what it expects from the manifest that lies beside it, and never from the certificate.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from kproof.theory.derivations.certificate import Certificate, digest, lay_out
from kproof.theory.derivations.trees import NUMBER, Tree

SCHEMA = 1
"""Version of the JSON form."""
FILE = "manifest.json"
_RANGED = ("induction", "enclosed", "enumerated")
"""Methods whose own fields say for which values the claim is shown."""


def manifest(
    certificates: Iterable[Certificate],
    evaluated: Mapping[tuple[str, str], list[dict[str, object]]] = MappingProxyType({}),
) -> dict[str, object]:
    """Return the manifest of some certificates.

    ``certificates``: made from derivations. ``evaluated``: formulas that are computed for users, by
    derivation and conclusion: what :func:`kproof.theory.derivations.evaluated.by_conclusion`
    returns.

    >>> import sympy as sp
    >>> from kproof.theory.derivations.certificate import certificate
    >>> from kproof.theory.derivations.deciders import judge
    >>> from kproof.theory.derivations.derivation import Derivation, Step
    >>> from kproof.theory.derivations.formulas import less
    >>> from kproof.theory.derivations.methods import Arithmetic
    >>> x = sp.Symbol("x", positive=True)
    >>> step = Step("double", "", less(x, 2 * x), Arithmetic(), "x is positive.")
    >>> doubling = Derivation("doubling", "Doubling", (step,), ("double",))
    >>> made = manifest([certificate(doubling, judge(doubling))])
    >>> made["certificates"][0]["conclusions"]["double"]["says"]
    'x < 2 * x'
    """
    entries = [statement(certificate.document, evaluated) for certificate in certificates]
    document = {"schema": SCHEMA, "format": "kproof manifest", "certificates": entries}
    return {**document, "digest": digest("", document)}


def to_json(document: Mapping[str, object]) -> str:
    """Return a manifest as text, one line for each field of a step."""
    return lay_out(document, depth=5) + "\n"


def statement(
    document: Mapping[str, Any],
    evaluated: Mapping[tuple[str, str], list[dict[str, object]]] = MappingProxyType({}),
) -> dict[str, object]:
    """Return what the manifest says of one certificate."""
    steps: Sequence[Mapping[str, Any]] = document["steps"]
    by_id = {step["id"]: step for step in steps}
    printed = [step for step in steps if step["printed"] is not None]
    entry: dict[str, object] = {
        **_pick(document, "name title theorem symbols"),
        "definitions": {
            step["id"]: {"says": says(step["claim"]), "claim": step["claim"]}
            for step in _by(steps, "defined")
        },
        "assumptions": {step["id"]: _assumption(step) for step in _by(steps, "assumed")},
        "conclusions": {
            name: _conclusion(by_id[name])
            | {"evaluated": evaluated.get((document["name"], name), [])}
            for name in document["conclusions"]
        },
        "printed": {step["id"]: _paper_entry(step) for step in printed},
    }
    return {**entry, "digest": digest("", entry)}


def _pick(document: Mapping[str, Any], names: str) -> dict[str, object]:
    return {name: document[name] for name in names.split()}


def _by(steps: Sequence[Mapping[str, Any]], method: str) -> list[Mapping[str, Any]]:
    return [step for step in steps if step["method"]["name"] == method]


def _assumption(step: Mapping[str, Any]) -> dict[str, object]:
    return {
        "says": implication_line(step["given"], step["claim"]),
        "source": step["method"]["source"],
        "constants": list(dict.fromkeys(_constants(step["claim"]))),
        **_pick(step, "place because given claim"),
    }


def _conclusion(step: Mapping[str, Any]) -> dict[str, object]:
    method = step["method"]
    return {
        "says": implication_line([*step["given"], *_ranges(method)], step["claim"]),
        **_pick(step, "standing rests_on place because"),
        "range": method if method["name"] in _RANGED else None,
        **_pick(step, "given claim"),
    }


def _paper_entry(step: Mapping[str, Any]) -> dict[str, object]:
    printed = step["printed"]
    return {
        "says": implication_line(printed["given"], printed["relation"]),
        **_pick(printed, "ruling at"),
        "place": step["place"],
        **_pick(printed, "given relation"),
    }


def _ranges(method: Mapping[str, Any]) -> list[Tree]:
    match method["name"]:
        case "induction":
            return [["<=", method["base"], method["variable"]]]
        case "enclosed":
            box: Mapping[str, Sequence[str]] = method["box"]
            ends: list[Tree] = []
            for x, (low, high) in box.items():
                ends += [["<=", low, x], ["<=", x, high]]
            return ends
        case "enumerated":
            grid: Mapping[str, Sequence[str]] = method["grid"]
            return [_one_of(name, grid[name]) for name in grid]
    return []


def _one_of(name: str, values: Sequence[str]) -> Tree:
    options: list[Tree] = [["=", name, value] for value in values]
    return ["or", *options] if len(options) > 1 else options[0]


def _constants(node: Tree) -> list[str]:
    """Return the fractions of a formula, exponents left out."""
    if isinstance(node, str):
        return [node] if NUMBER.match(node) and "/" in node else []
    # An exponent such as 3/2 is part of the form and no constant that somebody measured.
    parts = node[1:2] if node[0] == "^" else node[1:]
    return [fraction for part in parts for fraction in _constants(part)]


def implication_line(hypotheses: Sequence[Tree], claim: Tree) -> str:
    """Return a statement with its hypotheses as one line."""
    before = " and ".join(_inside(hypothesis) for hypothesis in hypotheses)
    return f"if {before}, then {says(claim)}" if before else says(claim)


def says(node: Tree) -> str:
    """Return a formula as a reader would type it.

    >>> says(["<=", ["+", "1", ["*", "-1", ["^", "x", "-1/2"]]], ["apply", "F", "x"]])
    '1 - x^(-1/2) <= F(x)'
    """
    if isinstance(node, str):
        return node
    name, parts = str(node[0]), node[1:]
    write = _WRITTEN.get(name)
    if write is not None:
        return write(parts)
    if name in ("and", "or"):
        return f" {name} ".join(map(_inside, parts))
    if name in ("=", "!=", "<=", "<"):
        return f" {name} ".join(map(says, parts))
    return f"{name}({', '.join(map(says, parts))})"


def _inside(node: Tree) -> str:
    return f"({says(node)})" if node[0] in ("and", "or", "implies") else says(node)


def _plus(parts: Sequence[Tree]) -> str:
    # A term with a minus of its own is subtracted: `1 + -1 * x` is not how people write.
    text = says(parts[0])
    for part in parts[1:]:
        term = says(part)
        text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    return text


def _times(parts: Sequence[Tree]) -> str:
    sign = "-" if parts[0] == "-1" else ""
    return sign + " * ".join(map(_factor, parts[1:] if sign else parts))


def _factor(node: Tree) -> str:
    return f"({says(node)})" if isinstance(node, list) and node[0] == "+" else says(node)


def _power(parts: Sequence[Tree]) -> str:
    base, exponent = (
        says(part) if isinstance(part, str) and part.isalnum() else f"({says(part)})"
        for part in parts
    )
    return f"{base}^{exponent}"


_WRITTEN: Mapping[str, Callable[[Sequence[Tree]], str]] = {
    "+": _plus,
    "*": _times,
    "^": _power,
    "apply": lambda parts: f"{parts[0]}({', '.join(map(says, parts[1:]))})",
    "sum": lambda parts: "sum({} for {} from {} to {})".format(*map(says, parts)),
    "implies": lambda parts: f"if {_inside(parts[0])}, then {_inside(parts[1])}",
}
