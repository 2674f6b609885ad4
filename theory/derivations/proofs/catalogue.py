"""All derivations, in the order of the paper, then the corrections and our own theorems."""

from functools import cache

from kproof.errors import InvalidArgument, one_of
from kproof.theory.derivations.derivation import Derivation
from kproof.theory.derivations.notation import HOME, proofs

ORDER = (
    *("theorem-1", "c1-upward", "c1-downward", "closed-form-upward", "closed-form-downward"),
    *("lemma-1", "c2-least-c", "gaussian-profile"),
    *("theorem-2", "left-over-factor", "theorem-4"),
    *("log-concave-convolution", "log-concave-upward", "log-concave-downward"),
    *("all-events-upward", "all-events-downward"),
    *("lemma-2", "theorem-3", "theorem-5", "c5-laws"),
    *("joint-convexity", "post-processing", "block-bound", "block-bound-attained"),
    *("sampled-upward", "sampled-downward"),
)
"""Names of all derivations that proof files have."""


@cache
def derivations() -> tuple[Derivation, ...]:
    """Return all derivations.

    >>> [proof.name for proof in derivations()][:3]
    ['theorem-1', 'c1-upward', 'c1-downward']
    """
    by_name: dict[str, Derivation] = {}
    for path in HOME.glob("*.proof"):
        by_name |= proofs(path.stem).derivations
    return tuple(by_name[name] for name in ORDER)


def derivation(name: str) -> Derivation:
    """Return a derivation by name.

    >>> derivation("theorem-1").title
    'Theorem 1 as Appendix A proves it'
    """
    if name not in ORDER:
        raise InvalidArgument("derivation", name, one_of(name, ORDER))
    return derivations()[ORDER.index(name)]
