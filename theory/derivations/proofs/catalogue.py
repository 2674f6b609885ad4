"""All derivations, in the order of the paper, then the corrections and the block bounds."""

from __future__ import annotations

from functools import cache

from kproof.errors import InvalidArgument, one_of
from kproof.theory.derivations.derivation import Derivation


@cache
def derivations() -> tuple[Derivation, ...]:
    """Return all derivations.

    Examples
    --------
    >>> [one.name for one in derivations()][:3]
    ['theorem-1', 'c1-upward', 'c1-downward']
    """
    from kproof.theory.derivations.proofs import blocks, log_concave
    from kproof.theory.derivations.proofs.all_events import ALL_DOWNWARD, ALL_UPWARD
    from kproof.theory.derivations.proofs.berry_esseen import THEOREM_2, THEOREM_4
    from kproof.theory.derivations.proofs.closed_form import CLOSED_DOWNWARD, CLOSED_UPWARD
    from kproof.theory.derivations.proofs.convolution import LOG_CONCAVE_SUM
    from kproof.theory.derivations.proofs.exact_counts import DOWNWARD, UPWARD
    from kproof.theory.derivations.proofs.exact_laws import EXACT_LAWS
    from kproof.theory.derivations.proofs.gaussian import GAUSSIAN_PROFILE
    from kproof.theory.derivations.proofs.least_c import LEAST_C, LEFT_OVER
    from kproof.theory.derivations.proofs.lemma1 import LEMMA_1
    from kproof.theory.derivations.proofs.stein import LEMMA_2, THEOREM_3
    from kproof.theory.derivations.proofs.stein_known import THEOREM_5
    from kproof.theory.derivations.proofs.theorem1 import THEOREM_1

    return (
        *(THEOREM_1, UPWARD, DOWNWARD, CLOSED_UPWARD, CLOSED_DOWNWARD),
        *(LEMMA_1, LEAST_C, GAUSSIAN_PROFILE),
        *(THEOREM_2, LEFT_OVER, THEOREM_4),
        *(LOG_CONCAVE_SUM, log_concave.UPWARD, log_concave.DOWNWARD),
        *(ALL_UPWARD, ALL_DOWNWARD),
        *(LEMMA_2, THEOREM_3, THEOREM_5, EXACT_LAWS),
        *(blocks.JOINT_CONVEXITY, blocks.POST_PROCESSING),
        *(blocks.BLOCK_BOUND, blocks.ATTAINED),
    )


def derivation(name: str) -> Derivation:
    """Return a derivation by name.

    Examples
    --------
    >>> derivation("theorem-1").title
    'Theorem 1 as Appendix A proves it'
    """
    by_name = {one.name: one for one in derivations()}
    if name not in by_name:
        raise InvalidArgument("derivation", name, one_of(name, by_name))
    return by_name[name]
