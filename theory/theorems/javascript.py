"""A formula as JavaScript: one more form of the expression whose digits and LaTeX are shown.

SymPy's own printer writes operators on doubles. What is written here calls functions on numbers
that carry a bound on their error, one for each kind of node; the page of the calculator brings them
along (``numbers.js`` and ``laws.js`` beside its template).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import reduce

import sympy as sp

from kproof.theory.theorems.symbolic import Between, Phi

_FUNCTIONS: dict[type, str] = {
    sp.exp: "exp",
    sp.log: "log",
    sp.floor: "floor",
    sp.LambertW: "lambertw",
    Phi: "phi",
    Between: "between",
}
_FOLDED: dict[type, str] = {sp.Add: "add", sp.Mul: "mul", sp.Max: "larger", sp.Min: "smaller"}


def javascript(
    expression: sp.Expr,
    inputs: Mapping[sp.Symbol, str],
    where: Mapping[sp.Symbol, sp.Expr] | None = None,
) -> str:
    """Return a function of one object, whose fields are the inputs.

    The expression is built from what :func:`kproof.theory.theorems.symbolic.enclose` takes,
    Piecewise apart; exponents are whole numbers over a power of 2. Each definition of ``where``
    that is used becomes a constant of its name.

    >>> x, y = sp.symbols("x y")
    >>> print(javascript(sp.sqrt(x) + 2 * sp.exp(y), {x: "x"}, {y: sp.log(x) / 3}))
    (at) => {
      const y = mul(ratio("1", "3"), log(at.x));
      return add(sqrt(at.x), mul(ratio("2", "1"), exp(y)));
    }
    >>> javascript(sp.gamma(x), {x: "x"})
    Traceback (most recent call last):
        ...
    TypeError: no JavaScript for gamma
    """
    writer = _Writer(inputs, where or {})
    result = writer.compose(expression)
    lines = [*writer.lines, f"return {result};"]
    return "\n".join(["(at) => {", *(f"  {line}" for line in lines), "}"])


class _Writer:
    """Writes one function; a node that occurs twice becomes a constant."""

    def __init__(self, inputs: Mapping[sp.Symbol, str], where: Mapping[sp.Symbol, sp.Expr]) -> None:
        self._inputs = inputs
        self._where = where
        self._constants: dict[sp.Basic, str] = {}
        self._often: set[sp.Basic] = set()
        self.lines: list[str] = []

    def compose(self, expression: sp.Expr) -> str:
        """Return the expression, after the constants it needs."""
        # Counted before anything is written: only what is used twice is worth a constant.
        times = Counter(_compound(expression))
        self._often |= {node for node, count in times.items() if count > 1}
        return self._text(expression)

    def _text(self, node: sp.Basic) -> str:
        if node not in self._constants:
            text = self._write(node)
            if node not in self._often:
                return text
            self._constant(node, f"t{len(self._constants)}", text)
        return self._constants[node]

    def _constant(self, node: sp.Basic, name: str, text: str) -> str:
        self.lines.append(f"const {name} = {text};")
        self._constants[node] = name
        return name

    def _write(self, node: sp.Basic) -> str:
        if isinstance(node, sp.Symbol):
            return self._symbol(node)
        if isinstance(node, sp.Rational):
            # As text: JavaScript would round a literal before `ratio` has it.
            return f'ratio("{node.p}", "{node.q}")'
        if node == sp.pi:
            return "PI"
        if isinstance(node, sp.Pow):
            return self._power(node)
        name = _FUNCTIONS.get(type(node)) or _FOLDED.get(type(node))
        if name is None:
            raise TypeError(f"no JavaScript for {type(node).__name__}")
        inputs = [self._text(argument) for argument in node.args]
        if type(node) in _FUNCTIONS:
            return f"{name}({', '.join(inputs)})"
        return reduce(lambda first, second: f"{name}({first}, {second})", inputs)

    def _symbol(self, node: sp.Symbol) -> str:
        if node in self._inputs:
            return f"at.{self._inputs[node]}"
        # A const cannot be read before its line: those of the definition are written first.
        meaning = self.compose(self._where[node])
        return self._constant(node, re.sub(r"\W", "", node.name), meaning)

    def _power(self, node: sp.Pow) -> str:
        times, roots = node.exp.as_numer_denom()
        halvings = sp.log(roots, 2)
        if not (times.is_Integer and halvings.is_Integer):
            raise TypeError(f"no JavaScript for the exponent {node.exp}")
        text = self._text(node.base)
        for _ in range(int(halvings)):
            text = f"sqrt({text})"
        return text if times == 1 else f"power({text}, {times})"


def _compound(node: sp.Basic) -> Iterator[sp.Basic]:
    """Yield every node that is worked out, as often as it is used."""
    if not node.is_Atom:
        yield node
        for argument in node.args:
            yield from _compound(argument)
