"""What terms of nets and of formulas have in common: signs that compare, and sums as text."""

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

C = TypeVar("C")

SIGNS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""What the signs of comparisons mean."""


class Compares(Generic[C]):
    """What is compared by operators, and by name where ``==`` compares it as data.

    What is data is a key of dictionaries, and a field of nets and formulas.
    """

    def compare(self, sign: str, other: Any) -> C:
        """Return a comparison; ``sign`` is one of :data:`SIGNS`."""
        raise NotImplementedError

    def equals(self, other: Any) -> C:
        """Return the condition that both are equal."""
        return self.compare("==", other)

    def differs(self, other: Any) -> C:
        """Return the condition that they are not equal."""
        return self.compare("!=", other)

    def __lt__(self, other: Any) -> C:
        return self.compare("<", other)

    def __le__(self, other: Any) -> C:
        return self.compare("<=", other)

    def __gt__(self, other: Any) -> C:
        return self.compare(">", other)

    def __ge__(self, other: Any) -> C:
        return self.compare(">=", other)


def signed_sum(entries: Iterable[tuple[int, str]], times: str) -> str:
    """Return a sum as text; coefficients stand before what is added, with ``times`` between.

    >>> signed_sum([(-1, "x"), (2, "y")], "·")
    '-x + 2·y'
    """
    text = ""
    for count, name in entries:
        sign = " - " if count < 0 else " + "
        text += sign if text else sign.strip(" +")
        text += name if abs(count) == 1 else f"{abs(count)}{times}{name}"
    return text
