"""Trees to SMT-LIB: one text for one question, the same text wherever it is made.

The question is whether premises and hypotheses leave room for the claim to fail; ``unsat`` is the
proof. Integers are widened to reals, which can only make it harder. Quotients are multiplied out:
``a/b`` becomes a new variable ``q`` with ``q b = a`` unless ``b = 0``. What is not arithmetic
(exp, log, roots, floors, applied functions) becomes a new variable too, one for each distinct
term, and the solver is told only the facts in :data:`FACTS` about it. Every fact holds for the real
function, so ``unsat`` proves the claim.
"""

import json
from collections.abc import Mapping, Sequence

from kproof.errors import InvalidArgument
from kproof.theory.derivations.trees import NUMBER, Tree

MOST_POWER = 24
"""Whole powers up to here are written as products; higher ones become a variable."""

FACTS: Mapping[str, tuple[str, ...]] = {
    "exp": ("(> {t} 0)", "(>= {t} (+ 1 {a}))", "(<= (* {t} (- 1 {a})) 1)"),
    "log": ("(=> (> {a} 0) (and (<= {t} (- {a} 1)) (>= (* {a} {t}) (- {a} 1))))",),
    "sqrt": ("(=> (>= {a} 0) (and (>= {t} 0) (= (* {t} {t}) {a})))",),
    "power": ("(=> (> {a} 0) (> {t} 0))",),
    "floor": ("(<= {t} {a})", "(< {a} (+ {t} 1))"),
    "ceiling": ("(>= {t} {a})", "(> (+ {a} 1) {t})"),
    "Phi": ("(> {t} 0)", "(< {t} 1)"),
    "pi": ("(> {t} 3)", "(< (* 7 {t}) 22)"),
    "quotient": ("(=> (not (= {b} 0)) (= (* {t} {b}) {a}))",),
}
"""What the solver is told about a term ``t`` with argument ``a`` (and ``b``)."""

_FOLDED = {"+": "+", "*": "*", "and": "and", "or": "or", "not": "not", "implies": "=>"}
_RELATIONS = {"=": "=", "<=": "<=", "<": "<"}


def question(symbols: Mapping[str, Sequence[str]], assumed: Sequence[Tree], claim: Tree) -> str:
    """Return the SMT-LIB text that is unsatisfiable if the claim follows.

    ``symbols``: name of each symbol and what is assumed of it. ``assumed``: relations or
    combinations of them. ``claim``: what is to follow.

    >>> print(question({"x": ["real", "positive"]}, [], ["<", "0", ["*", "2", "x"]]), end="")
    (set-logic QF_NRA)
    (declare-const x Real)
    (assert (> x 0))
    (assert (not (< 0 (* 2 x))))
    (check-sat)
    """
    return _Writer(symbols).text(assumed, claim)


class _Writer:
    def __init__(self, symbols: Mapping[str, Sequence[str]]) -> None:
        self._symbols = symbols
        self._opaque: dict[str, str] = {}
        self._lines: list[str] = []

    def text(self, assumed: Sequence[Tree], claim: Tree) -> str:
        head = ["(set-logic QF_NRA)"]
        for name in sorted(self._symbols):
            head.append(f"(declare-const {_quote(name)} Real)")
            if "positive" in self._symbols[name]:
                head.append(f"(assert (> {_quote(name)} 0))")
            elif "nonnegative" in self._symbols[name]:
                head.append(f"(assert (>= {_quote(name)} 0))")
        for assumption in assumed:
            # What the term needs is declared while it is written, in lines before this one.
            self._lines.append(f"(assert {self._term(assumption)})")
        self._lines.append(f"(assert (not {self._term(claim)}))")
        return "\n".join([*head, *self._lines, "(check-sat)"]) + "\n"

    def _term(self, node: Tree) -> str:
        if isinstance(node, str):
            return self._leaf(node)
        operator, arguments = node[0], node[1:]
        if operator in _RELATIONS or operator in _FOLDED:
            spelled = _RELATIONS.get(str(operator)) or _FOLDED[str(operator)]
            return f"({spelled} {' '.join(self._term(argument) for argument in arguments)})"
        match operator:
            case "!=":
                lhs, rhs = (self._term(argument) for argument in arguments)
                return f"(not (= {lhs} {rhs}))"
            case "^":
                return self._power(node)
            case "abs":
                inner = self._term(arguments[0])
                return f"(ite (>= {inner} 0) {inner} (- {inner}))"
            case "max" | "min":
                terms = [self._term(argument) for argument in arguments]
                return self._extreme(str(operator), terms)
            case "exp" | "log" | "floor" | "ceiling" | "Phi":
                return self._variable(node, str(operator), self._term(arguments[0]))
            case "binomial" | "lambertw" | "apply" | "sum":
                return self._variable(node)
        raise InvalidArgument("tree", operator, "an operator that has an SMT-LIB form")

    def _leaf(self, text: str) -> str:
        if text == "pi":
            return self._variable("pi", "pi")
        if text in self._symbols:
            return _quote(text)
        if not NUMBER.match(text):
            raise InvalidArgument("tree", text, "a number or the name of a symbol")
        sign, plain = text.startswith("-"), text.removeprefix("-")
        top, _, bottom = plain.partition("/")
        value = f"(/ {top} {bottom})" if bottom else top
        return f"(- {value})" if sign else value

    def _power(self, node: Tree) -> str:
        base, exponent = node[1], node[2]
        integral = isinstance(exponent, str) and exponent.lstrip("-").isdigit()
        if integral and 1 <= abs(int(str(exponent))) <= MOST_POWER:
            factor = self._term(base)
            times = abs(int(str(exponent)))
            product = factor if times == 1 else f"(* {' '.join([factor] * times)})"
            if int(str(exponent)) > 0:
                return product
            return self._variable(node, "quotient", "1", product)
        if exponent == "1/2":
            return self._variable(node, "sqrt", self._term(base))
        if isinstance(exponent, str) and exponent.endswith("/2") and NUMBER.match(exponent):
            root = ["^", base, "1/2"]
            return self._power(["^", root, exponent.removesuffix("/2")])
        return self._variable(node, "power", self._term(base))

    def _extreme(self, extreme: str, terms: list[str]) -> str:
        sign = ">=" if extreme == "max" else "<="
        chosen = terms[0]
        for term in terms[1:]:
            chosen = f"(ite ({sign} {chosen} {term}) {chosen} {term})"
        return chosen

    def _variable(self, node: Tree, fact: str | None = None, *arguments: str) -> str:
        key = json.dumps(node)
        if key not in self._opaque:
            # No symbol has a `!` in its name; the arguments were written by now, and what they need
            # is declared above.
            name = self._opaque[key] = f"t!{len(self._opaque) + 1}"
            self._lines.append(f"(declare-const {name} Real)")
            slots = dict(zip("ab", arguments, strict=False))
            for axiom in FACTS[fact] if fact else ():
                self._lines.append(f"(assert {axiom.format(t=name, **slots)})")
        return self._opaque[key]


def _quote(name: str) -> str:
    return f"|{name}|" if "'" in name else name
