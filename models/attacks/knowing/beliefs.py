"""What is believed of someone in a published class by who knows how it was made.

She knows who is in which class, k, μ, the domain and Algorithm 1: it is published. A noise value
was absent from its class when it was added, so it occurs there once, and four rows of Flu under k =
4 that come out as Flu four times and three single values are four people who have Flu. Her
posterior is the prior of every original table times the probability that the method makes just this
publication of it.

Source: Wong, Fu, Wang, Pei, "Minimality Attack in Privacy Preserving Data Publishing", VLDB 2007,
for the adversary; Khan et al., Electronics 2020, 9(5), 716, Section 5, for the method.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.models.attacks.knowing.contents import MethodCase, MoveBudget, Ties, content_of
from kproof.models.attacks.knowing.exchanging import CorrectedRuns, ExchangingRuns
from kproof.models.attacks.knowing.printed import PrintedRuns
from kproof.models.attacks.knowing.ranges import ValueRanges, exact_ranges, outer_ranges
from kproof.models.attacks.knowing.reach import Reach
from kproof.models.attacks.knowing.runs import fraction_of
from kproof.models.tables.theta.moves import Multiset, Threshold
from kproof.theory.exact.typed import choice
from kproof.theory.reading import PRINTED_OR_CORRECTED, Reading

MOVES = 10_000_000
"""Moves of the method after which a computation is given up, unless more are allowed: a minute."""


@dataclass(frozen=True)
class MethodBeliefs:
    """What is believed of someone in each class of a publication by who knows the method."""

    posteriors: tuple[Mapping[int, Fraction], ...]
    """For each class, the probability of every code that somebody in it may have."""
    probability: Fraction
    """That the method makes just this publication, over the tables of the prior and all ties."""
    states: int
    """States of the method that were told apart."""
    moves: int
    """Moves of the method that were looked at."""
    ranges: tuple[ValueRanges, ...]
    """For each class, the least and the largest probability of every code, over all rules that
    decide the ties; the posterior itself if they are decided by a rule."""
    ranges_exact: bool
    """Whether some rule attains each of them; otherwise they are bounds."""

    @property
    def largest_by_rule(self) -> Fraction:
        """The largest probability of her surest bet, over all rules for ties."""
        return max(most for of_code in self.ranges for _, most in of_code.values())

    @property
    def certain(self) -> tuple[int, ...]:
        """The classes of which everybody's value is certain."""
        return tuple(c for c, posterior in enumerate(self.posteriors) if len(posterior) == 1)

    @property
    def largest(self) -> Fraction:
        """The probability of her surest bet."""
        return max(max(posterior.values()) for posterior in self.posteriors)

    to_dict = JsonForm("posteriors probability certain largest states")


def method_beliefs(
    published: Sequence[Multiset],
    *,
    threshold: Threshold,
    shares: Sequence[Fraction],
    people: Sequence[int] | None = None,
    ties: Ties | None = None,
    reading: Reading | str = Reading.CORRECTED,
    by_rules: bool = False,
    most_tables: int = 0,
    most_moves: int = MOVES,
) -> MethodBeliefs:
    """Return what is believed of the people of each class by who knows Algorithm 1.

    Classes are formed without a look at any sensitive value. Someone is known to be in a published
    class and is each of its people with the same probability; a record that was exchanged is in the
    class that it came to. Values are independent before the publication is seen.

    Args:
        published: Shape (classes,): frequency of each code in every class, noise included, in the
            order in which the method went through them.
        threshold: k, μ and how θ follows from them.
        shares: Shape (values,): the prior probability of each code, all positive; they are what the
            domain is.
        people: Shape (classes,): how many rows each class was formed of; by default k.
        ties: How they are decided; by default each evenly.
        reading: ``"corrected"``, or ``"printed"`` for Algorithm 1 as it stands.
        by_rules: Of the printed reading: whether a class of V = θ is stuck and nothing is
            published, as by Rule (6); in the listing it passes.
        most_tables: Tables that are gone through for ranges over rules for ties that are exact; if
            more may come out so, as far as each class tells by itself, they are bounds.
        most_moves: Budget: how many moves may be looked at.

    Raises:
        InvalidArgument: If shares are not positive or do not sum to 1, a code is not of the domain,
            or the lengths differ.
        DataError: If the method publishes no table so.
        TooLarge: If the budget is used up.

    Four people and three values that occur once, under k = 4:

    >>> shares = [Fraction(1, 5)] * 5
    >>> flus = {0: 4, 1: 1, 2: 1, 3: 1}
    >>> beliefs = method_beliefs([flus], threshold=Threshold(Fraction(3, 5), 4), shares=shares)
    >>> beliefs.certain, dict(beliefs.posteriors[0])
    ((0,), {0: Fraction(1, 1)})

    A rule for ties that depends on the table may tell more than a coin, or less. Somebody has value
    1 with the probability 1/6 if a coin says which of 1 and 2 is added to two zeros and the other:

    >>> shares = [Fraction(1, 4)] * 4
    >>> beliefs = method_beliefs(
    ...     [{0: 2, 1: 1, 2: 1}],
    ...     threshold=Threshold(Fraction(3, 5), 3), shares=shares, most_tables=100,
    ... )
    >>> print(beliefs.posteriors[0][1], *beliefs.ranges[0][1], beliefs.ranges_exact)
    1/6 0 1/3 True
    """
    sizes = (threshold.k,) * len(published) if people is None else tuple(people)
    if not published or len(sizes) != len(published):
        raise InvalidArgument("people", people, f"a number for each of {len(published)} classes")
    for position, (size, values) in enumerate(zip(sizes, published, strict=True)):
        if size < threshold.k:
            raise InvalidArgument("people", size, f"k = {threshold.k} or more of class {position}")
        if not all(isinstance(number, Integral) for number in (*values, *values.values())):
            raise InvalidArgument(
                "published", dict(values), "codes, and how often each occurs: whole numbers"
            )
    if any(share <= 0 for share in shares) or sum(shares) != 1:
        raise InvalidArgument("shares", list(map(str, shares)), "positive shares that sum to 1")
    contents = tuple(map(content_of, published))
    for content in contents:
        if any(not 0 <= code < len(shares) for code, _ in content):
            raise InvalidArgument("published", dict(content), f"codes below {len(shares)}")
    # Even ties have no preference: any order will do.
    decided = Ties(tuple(range(len(shares)))) if ties is None else ties
    case = MethodCase(contents, sizes, shares, threshold, decided, MoveBudget(most_moves))
    runs: ExchangingRuns
    if choice("reading", reading, PRINTED_OR_CORRECTED) is Reading.PRINTED:
        runs = PrintedRuns(case, by_rules=by_rules)
    else:
        runs = CorrectedRuns(case, Reach(case))
    sums = runs.sums()
    posteriors, exact = sums.posteriors, None
    if decided.even:
        exact = exact_ranges(runs, most_tables)
        ranges = tuple(map(outer_ranges, sums.held)) if exact is None else exact
    else:
        # A rule leaves nothing open: both ends are the posterior.
        ranges = exact = tuple(
            {code: (chance, chance) for code, chance in posterior.items()}
            for posterior in posteriors
        )
    chance = fraction_of(sums.chance)
    return MethodBeliefs(
        posteriors, chance, sums.states, case.effort.spent, ranges, exact is not None
    )
