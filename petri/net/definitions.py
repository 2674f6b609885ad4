"""Functions that are data: terms and conditions over parameters, under a name."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kproof.errors import NetError
from kproof.petri.net.colours import Token
from kproof.petri.net.terms import MULTISET, Call, Condition, Function, Term, Variable, single


@dataclass(frozen=True)
class TermDefinition:
    """What a function does that is defined by a term: its values are those of the term."""

    names: tuple[str, ...]
    """Of the parameters."""
    body: Term | Condition
    """The term."""

    def __call__(self, *values: Token) -> Any:
        """Return the value of the term for values of the parameters."""
        binding = dict(zip(self.names, values, strict=True))
        # A call is both; as the body of a function it has a value, which its caller may need as a
        # token.
        if isinstance(self.body, Condition) and not isinstance(self.body, Term):
            return self.body.holds(binding)
        return self.body.value(binding)


def defined(
    name: str, parameters: Iterable[Variable], body: Term | Condition, *, note: str = ""
) -> Function:
    """Return a function that is data: a term or a condition over parameters, under a name.

    Other than a Python function it is written to PNML with its meaning, and read again.

    Raises:
        NetError: If two parameters have one name, the body has a variable that is no parameter, or
            it is a multiset.

    >>> from kproof.petri.net.colours import enumeration
    >>> from kproof.petri.net.terms import Shift
    >>> seat = enumeration("Seat", "abc", cyclic=True)
    >>> x, y = Variable("x", seat), Variable("y", seat)
    >>> beside = defined("beside", [x, y], y.equals(Shift(x, 1)) | x.equals(Shift(y, 1)))
    >>> beside.of(("a", "c")), beside.of(("a", "a"))
    (True, False)
    """
    declared = tuple(parameters)
    names = tuple(parameter.name for parameter in declared)
    if len(set(names)) < len(names):
        raise NetError(f"function {name}: two parameters have one name: {', '.join(names)}")
    for variable in body.variables():
        # With its colour: a variable of the same name and another colour would be bound wrongly.
        if variable not in declared:
            raise NetError(f"function {name}: {variable.name} is no parameter")
    result = None
    # A call is a term and a condition; it is a term if it has tokens as values.
    if isinstance(body, Call):
        result = body.function.result
    elif isinstance(body, Term):
        if not single(body):
            raise NetError(f"function {name}: {MULTISET}")
        result = body.colour
    return Function(name, TermDefinition(names, body), result, note, declared, body)
