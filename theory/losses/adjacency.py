"""Two worlds that are more than a law and its shift: values replaced, records added or removed.

``others`` is the law of the sum of everybody but the victim, as the adversary believes it. If the
victim's value tells nothing about the others, worlds differ by the victim's value alone; if it
does, :func:`secrets` conditions the joint law on either value.
"""

from collections.abc import Sequence

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, rational
from kproof.theory.laws.base import Law, RecordsLaw
from kproof.theory.losses.loss import PrivacyLoss
from kproof.theory.losses.pairs import LawPair, pair_of_shift
from kproof.theory.profiles.input import Direction


def replaced(
    others: Law, before: Number, after: Number, *, direction: Direction | str = Direction.BOTH
) -> PrivacyLoss:
    """Return the loss of a sum in which the victim's value is ``before`` or ``after``.

    ``others`` is the law of the sum of the others, a lattice law or a normal law, which must not
    depend on the victim's value. ``up`` is the first world, with ``before``, against the second.
    >>> from kproof.theory.laws import FiniteLattice, iid
    >>> ages = iid(FiniteLattice({age: "1/50" for age in range(20, 70)}), 11)
    >>> print(replaced(ages, 30, 33).delta(0))
    0.02465776
    """
    shift = rational("after", after) - rational("before", before)
    return PrivacyLoss.of(pair_of_shift(others, shift), direction=direction)


def added(
    others: Law, value: Number, *, direction: Direction | str = Direction.BOTH
) -> PrivacyLoss:
    """Return the loss of a sum without the victim's record or, in the second world, with it.

    Only the sum is released; a number of records that is released as well would tell the worlds
    apart.

    >>> from kproof.theory.laws import Binomial
    >>> print(added(Binomial(99, "1/2"), 1).delta("0.5"))
    0.000598993
    """
    return replaced(others, 0, value, direction=direction)


def removed(
    others: Law, value: Number, *, direction: Direction | str = Direction.BOTH
) -> PrivacyLoss:
    """Return the loss of a sum with the victim's record or, in the second world, without it."""
    return replaced(others, value, 0, direction=direction)


def secrets(
    law: RecordsLaw,
    record: int,
    values: Sequence[Number],
    *,
    direction: Direction | str = Direction.BOTH,
) -> PrivacyLoss:
    """Return the loss of a sum about which of two values a record has.

    This is a pair of secrets of the Pufferfish framework (Kifer and Machanavajjhala, 2014): the law
    of the sum given that the record of this index has the first value, against the law given the
    second (``up``). What the value tells about the other records counts too. Each of the two values
    needs a positive probability under the joint law.
    >>> from kproof.theory.laws import MarkovChain
    >>> chain = MarkovChain(["1/2", "1/2"], [["0.9", "0.1"], ["0.1", "0.9"]], [0, 1], 40)
    >>> print(secrets(chain, 20, (0, 1)).delta("0.5"), added(chain.given({20: 0}), 1).delta("0.5"))
    0.2848258 0.0164232
    """
    if not isinstance(law, RecordsLaw):
        raise InvalidArgument("law", law, "a law of records")
    if isinstance(values, str) or len(values) != 2:
        raise InvalidArgument("values", values, "two values")
    before, after = (rational(f"values[{i}]", value) for i, value in enumerate(values))
    first, second = law.given({record: before}), law.given({record: after})
    # Equal values are one world: the very same law twice, which loses nothing.
    pair = LawPair(first, first if before == after else second, after - before)
    return PrivacyLoss.of(pair, direction=direction)
