"""What is random to an adversary: the sums over the records it does not know.

Records that are known, and a victim whose record is fixed, leave the sums. Where the law of the
records is there and they are independent, that is all. Where they depend on one another, what is
left depends on the values that are known: only a law that was given them says what it is.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import integer
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments

if TYPE_CHECKING:
    from kproof.theory.laws.base import RecordsLaw


def records(moments: Moments, adversary: Adversary) -> int:
    """Return how many records there are, the known ones included."""
    if moments.records is not None:
        return moments.n
    if moments.joint is not None:
        return moments.n + len(moments.joint.known)
    if adversary.known is not None:
        return moments.n + len(adversary.known)
    if adversary.lambda2 is not None:
        # The only N with N - ceil(lambda2 N) = n up to rounding of lambda2 N.
        return ceil(moments.n / (1 - adversary.lambda2))
    return moments.n


def moments_for(
    adversary: Adversary, moments: Moments, *, others_only: bool = False, victim: int | None = None
) -> Moments:
    """Return the sums over the records that are random to the adversary.

    Args:
        adversary: What is known.
        moments: Over all records; typed sums are over the unknown ones already, and a law of
            records that was given values of some has sums over the others.
        others_only: The victim's record is fixed too.
        victim: Its index, where records differ.

    >>> from kproof.theory.laws import IndependentBlocks, PoissonBinomial
    >>> coins = Moments.from_law(PoissonBinomial(["1/2"] * 10))
    >>> moments_for(Adversary.of(known=range(9)), coins).n
    1
    >>> twins = Moments.from_law(IndependentBlocks([{(0, 0): "1/2", (1, 1): "1/2"}]))
    >>> moments_for(Adversary.of(known=[0]), twins)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: known = 0: need their values, \
Moments.from_law(law.given({index: value})): the records depend on one another
    """
    if victim is not None and not others_only:
        raise InvalidArgument("victim", victim, "others_only with it")
    if moments.joint is not None:
        return _unknown_of_law(adversary, moments, moments.joint, others_only, victim)
    if moments.records is None:
        if others_only:
            need = "sums that leave the victim's record out"
            raise InvalidArgument("others_only", "true with typed sums", need)
        return moments
    unknown = adversary.unknown(moments.n)
    indexes = adversary.known
    if others_only:
        if victim is None and not isinstance(moments.records, RecordMoments):
            raise InvalidArgument("victim", None, "the victim's index: these records differ")
        index = None if victim is None else integer("victim", victim, least=0, most=moments.n - 1)
        unknown -= indexes is None or index not in indexes
        if index is not None and adversary.lambda2 is None:
            indexes = (indexes or frozenset()) | {index}
    if unknown < 1:
        raise _no_record_left(unknown)
    return moments.of_unknown(unknown, indexes)


def _unknown_of_law(
    adversary: Adversary, moments: Moments, law: RecordsLaw, others_only: bool, victim: int | None
) -> Moments:
    """Return the sums over what a law leaves unknown, beyond the values it was given."""
    total = records(moments, adversary)
    fixed = total - adversary.unknown(total)
    alike = moments.identical
    fresh = set(adversary.known or ()) - law.known
    if adversary.lambda2 is not None:
        extra = fixed - len(law.known)
        if extra < 0 or (extra and not alike):
            raise InvalidArgument("known", None, "the indexes of the known records: these differ")
        # Only where they are alike (else refused above): which of them are known makes no
        # difference.
        fresh = set(law.records[:extra]) if extra else set()
    if others_only:
        if victim is None and not alike:
            raise InvalidArgument("victim", None, "the victim's index: these records differ")
        index = victim
        # Records that are alike leave the same sums whichever of the unknown ones is fixed.
        if index is None:
            index = next((i for i in law.records if i not in fresh), 0)
        fresh |= {integer("victim", index, least=0, most=total - 1)} - law.known
    if not fresh:
        return moments
    if len(fresh) >= moments.n:
        raise _no_record_left(moments.n - len(fresh))
    if not law.independent:
        call = "Moments.from_law(law.given({index: value}))"
        need = f"their values, {call}: the records depend on one another"
        raise InvalidArgument("known", ", ".join(map(str, sorted(fresh))), need)
    # Which values they have does not matter to the others.
    values = {
        index: pairs[0][0]
        for index, pairs in zip(law.records, law.marginals(), strict=True)
        if index in fresh
    }
    return Moments.from_law(law.given(values))


def _no_record_left(unknown: int) -> InvalidArgument:
    return InvalidArgument("others_only", f"{unknown} other records", "at least one")
