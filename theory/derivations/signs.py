"""What the form of a term shows of its value: that it is whole, positive, or not negative.

No means unknown. A term that is undefined has no value of which this would speak.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from kproof.theory.derivations.trees import NUMBER, Tree

Kinds: TypeAlias = Mapping[str, Sequence[str]]
"""What is assumed of each symbol: ``("integer", "positive")`` and the like."""


def whole(node: Tree, kinds: Kinds) -> bool:
    """Return whether a term is plainly a whole number.

    >>> whole(["+", "n", "-1"], {"n": ["integer"]}), whole(["*", "1/2", "n"], {"n": ["integer"]})
    (True, False)
    """
    if isinstance(node, str):
        number = _number(node)
        return number.denominator == 1 if number is not None else "integer" in kinds.get(node, ())
    if node[0] == "^":
        times = _number(node[2])
        natural = times is not None and times.denominator == 1 and times >= 0
        return natural and whole(node[1], kinds)
    if node[0] in ("+", "*", "max", "min", "abs"):
        return all(whole(part, kinds) for part in node[1:])
    return node[0] in ("floor", "ceiling")


def nonnegative(node: Tree, kinds: Kinds) -> bool:
    """Return whether a term is plainly not negative."""
    if positive(node, kinds):
        return True
    if isinstance(node, str):
        # What is assumed after the kind of a symbol is its sign: positive or nonnegative.
        return _number(node) == 0 or len(kinds.get(node, ())) > 1
    match node[0]:
        case "^":
            times = _number(node[2])
            # A power that is no whole one has a value for bases from 0 only, and then one from 0.
            even = times is not None and (times.denominator > 1 or times % 2 == 0)
            return even or nonnegative(node[1], kinds)
        case "max":
            return any(nonnegative(part, kinds) for part in node[1:])
        case "+" | "*" | "min":
            return all(nonnegative(part, kinds) for part in node[1:])
    return node[0] == "abs"


def positive(node: Tree, kinds: Kinds) -> bool:
    """Return whether a term is plainly positive.

    >>> positive(["+", "1", ["^", "x", "2"]], {"x": ["real"]})
    True
    """
    if isinstance(node, str):
        number = _number(node)
        return node == "pi" or "positive" in kinds.get(node, ()) or (number or 0) > 0
    match node[0]:
        case "+":
            return all(nonnegative(part, kinds) for part in node[1:]) and any(
                positive(part, kinds) for part in node[1:]
            )
        case "*" | "min":
            return all(positive(part, kinds) for part in node[1:])
        case "max":
            return any(positive(part, kinds) for part in node[1:])
        case "^":
            return positive(node[1], kinds)
    return node[0] in ("exp", "Phi")


def _number(node: Tree) -> Fraction | None:
    return Fraction(node) if isinstance(node, str) and NUMBER.match(node) else None
