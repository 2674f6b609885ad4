"""All derivations, in the order of the paper, then the corrections."""

from __future__ import annotations

from functools import cache

from kproof.errors import InvalidArgument
from kproof.theory.derivation import Derivation


@cache
def derivations() -> tuple[Derivation, ...]:
    """Return all derivations.

    Examples
    --------
    >>> [one.name for one in derivations()][:3]
    ['theorem-1', 'c1-upward', 'c1-downward']
    """
    from kproof.theory.proofs.closed_form import CLOSED_DOWNWARD, CLOSED_UPWARD
    from kproof.theory.proofs.exact_counts import DOWNWARD, UPWARD
    from kproof.theory.proofs.theorem1 import THEOREM_1

    return (THEOREM_1, UPWARD, DOWNWARD, CLOSED_UPWARD, CLOSED_DOWNWARD)


def derivation(name: str) -> Derivation:
    """Return a derivation by name.

    Examples
    --------
    >>> derivation("theorem-1").title
    'Theorem 1 as Appendix A proves it'
    """
    for one in derivations():
        if one.name == name:
            return one
    names = ", ".join(one.name for one in derivations())
    raise InvalidArgument("derivation", name, f"one of {names}")
