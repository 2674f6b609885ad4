"""Records along a Markov chain: dependent data whose sum has an exact law.

The generating polynomial of the sum is a product of transfer matrices, one per record, whose
entries are transition probabilities times z to the power of the value. Equal steps are multiplied
by repeated squaring. A known record restricts the chain to the states that have its value and adds
nothing to the sum of the others.

A window costs about states³ products of polynomials as long as itself, whatever the number of
records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from fractions import Fraction
from itertools import groupby
from itertools import product as product_of

from flint import arb, arb_poly, ctx

from kproof.errors import InvalidArgument
from kproof.theory.exact import Number, as_arb, integer, rational, use_bits
from kproof.theory.laws.base import RecordsLaw
from kproof.theory.laws.finite import FiniteLattice
from kproof.theory.laws.kernels import PolynomialMatrix, inner_loss, power, product, window_of
from kproof.theory.laws.records import MOST_RECORDS, exact_known_values, improbable
from kproof.theory.laws.windows import Window, least_tail, within_budget


class MarkovChain(RecordsLaw):
    """The sum of the values along a Markov chain; the value at time i is record i.

    Args:
        initial: Probability of each state at time 0.
        transition: Row s holds the probabilities of the next state when the state is s.
        values: The value that each state adds; several states may have the same.
        n: Number of records.

    >>> sticky = MarkovChain([0.5, 0.5], [["3/4", "1/4"], ["1/4", "3/4"]], values=[0, 1], n=3)
    >>> sticky.window(arb(0)).masses
    [0.281250000000000, 0.218750000000000, 0.218750000000000, 0.281250000000000]
    >>> sticky.given({1: 1}).marginals()[0]
    [(Fraction(0, 1), 0.250000000000000), (Fraction(1, 1), 0.750000000000000)]
    """

    def __init__(
        self,
        initial: Sequence[Number],
        transition: Sequence[Sequence[Number]],
        values: Sequence[Number],
        n: Number,
    ) -> None:
        states = len(values)
        if not states:
            raise InvalidArgument("values", "[]", "one for each of at least one state")
        if len(transition) != states:
            admissible = f"{states} rows, one for each of the values"
            raise InvalidArgument("transition", f"{len(transition)} rows", admissible)
        self._initial = _probabilities("initial", initial, states)
        self._transition = tuple(
            _probabilities(f"transition[{state}]", row, states)
            for state, row in enumerate(transition)
        )
        self._values = tuple(rational(f"values[{s}]", value) for s, value in enumerate(values))
        self._n = integer("n", n, least=1, most=MOST_RECORDS)
        self._known: dict[int, Fraction] = {}
        lattice = FiniteLattice.from_counts(dict.fromkeys(self._values, 1))
        self._step = lattice.step
        self._places = tuple(int((value - lattice.origin) / self._step) for value in self._values)

    @property
    def name(self) -> str:
        """The numbers of states and records."""
        suffix = f", {len(self._known)} known" if self._known else ""
        return f"MarkovChain({len(self._values)} states, {self._n} records{suffix})"

    @property
    def origin(self) -> Fraction:
        """The least value of a state times the number of unknown records."""
        return min(self._values) * (self._n - len(self._known))

    @property
    def step(self) -> Fraction:
        """The greatest number that divides all differences of values; 1 if they are equal."""
        return self._step

    @property
    def points(self) -> int:
        """How many lattice points the sum may span."""
        return max(self._places) * (self._n - len(self._known)) + 1

    @property
    def log_concave(self) -> bool:
        """False, for unknown, except on one or two points."""
        return self.points <= 2

    @property
    def records(self) -> tuple[int, ...]:
        """The times of the unknown records."""
        return tuple(time for time in range(self._n) if time not in self._known)

    def given(self, known: Mapping[int, Number]) -> MarkovChain:
        """Return the law of the sum of the other records, given the values of these.

        A value shared by several states says that the chain was in one of them.
        """
        fresh = exact_known_values(known, frozenset(self.records), self)
        for time, value in fresh.items():
            if value not in self._values:
                raise improbable({time: value})
        law = copy(self)
        law._known = {**self._known, **fresh}
        if not all(law._possible()):
            raise improbable(known)
        return law

    def _states_at(self, time: int) -> list[int]:
        """Return the states that agree with what is known of one record."""
        value = self._known.get(time)
        states = range(len(self._values))
        return [s for s in states if value is None or self._values[s] == value]

    def _possible(self) -> list[list[int]]:
        """Return the states of positive probability at each time, given all that is known."""
        allowed = [self._states_at(time) for time in range(self._n)]
        possible = [[s for s in allowed[0] if self._initial[s]]]
        for states in allowed[1:]:
            possible.append(
                [s for s in states if any(self._transition[r][s] for r in possible[-1])]
            )
        # Backwards as well: a state that can be reached may lead to nothing that agrees with later
        # knowledge.
        for time in range(self._n - 2, -1, -1):
            after = possible[time + 1]
            possible[time] = [
                r for r in possible[time] if any(self._transition[r][s] for s in after)
            ]
        return possible

    def _forward(self) -> list[list[arb]]:
        """Return the probabilities of the state at each time and of what is known until then."""
        matrix = self._balls()
        vectors = [_restrict([as_arb(p) for p in self._initial], self._states_at(0))]
        for time in range(1, self._n):
            vectors.append(_restrict(_next_vector(vectors[-1], matrix), self._states_at(time)))
        return vectors

    def _backward(self) -> list[list[arb]]:
        """Return the probabilities of what is known after each time, given its state."""
        matrix = self._balls()
        states = range(len(self._values))
        vectors = [[arb(1) for _ in states]]
        for time in range(self._n - 1, 0, -1):
            after = _restrict(vectors[-1], self._states_at(time))
            vectors.append([_sum(matrix[r][s] * after[s] for s in states) for r in states])
        return vectors[::-1]

    def _balls(self) -> list[list[arb]]:
        return [[as_arb(p) for p in row] for row in self._transition]

    def marginals(self) -> list[list[tuple[Fraction, arb]]]:
        """Return the law of each unknown record given the known ones (forward-backward)."""
        laws = []
        forward, backward, possible = self._forward(), self._backward(), self._possible()
        evidence = _sum(forward[-1])
        for time in self.records:
            masses: dict[Fraction, arb] = {}
            # Possible by exact arithmetic: a ball cannot tell a probability of 0 from a small one.
            for state in possible[time]:
                value = self._values[state]
                mass = forward[time][state] * backward[time][state] / evidence
                masses[value] = masses.get(value, arb(0)) + mass
            laws.append(sorted(masses.items()))
        return laws

    def mean(self) -> arb:
        """Return the mean of the sum, given what is known, as a ball."""
        return self._moments()[0]

    def variance(self) -> arb:
        """Return the variance of the sum, given what is known, as a ball."""
        return self._moments()[1]

    def _moments(self) -> tuple[arb, arb]:
        largest = self._n * (max(self._places) + 1)
        # The variance is what is left of numbers up to the square of the largest sum.
        with use_bits(ctx.prec + 2 * largest.bit_length() + 32):
            matrix = self._balls()
            # Per state: the sums of 1, X and X² over the paths that end there and agree with what
            # is known, weighted by their probabilities, with X the sum in lattice steps.
            zeroth = _restrict([as_arb(p) for p in self._initial], self._states_at(0))
            # One list for both: vectors are made anew at each step, and never changed in place.
            first = second = [arb(0) for _ in zeroth]
            for time in range(self._n):
                if time:
                    zeroth, first, second = (
                        _restrict(_next_vector(vector, matrix), self._states_at(time))
                        for vector in (zeroth, first, second)
                    )
                if time not in self._known:
                    added = self._places
                    # The second sum needs the first as it was before the step.
                    second = [
                        c + 2 * x * b + x * x * a
                        for a, b, c, x in zip(zeroth, first, second, added, strict=True)
                    ]
                    first = [b + x * a for a, b, x in zip(zeroth, first, added, strict=True)]
            evidence = _sum(zeroth)
            mean = _sum(first) / evidence
            variance = _sum(second) / evidence - mean**2
            scaled = as_arb(self.origin) + mean * as_arb(self._step)
            spread = variance * as_arb(self._step) ** 2
        # The signs round to the precision of whoever asked.
        return +scaled, +spread

    def window(self, tail: arb) -> Window:
        """Return the masses of the sum, given what is known, at the current working precision."""
        spare = least_tail(tail)
        within_budget(self.points, self)
        evidence = _sum(self._forward()[-1]) if self._known else arb(1)
        # What is cut before the division by the evidence weighs more after it.
        together = self._transfer(inner_loss(spare) * evidence.lower())
        return window_of(together.scale(1 / evidence), spare)

    def _transfer(self, loss: arb) -> PolynomialMatrix:
        """Return the masses of the sum together with what is known, cut by ``loss`` at most."""
        runs = [
            (value, len(list(times)))
            for value, times in groupby(self._known.get(time) for time in range(1, self._n))
        ]
        powers: dict[tuple[Fraction | None, int], PolynomialMatrix] = {}
        factors = [self._factor([self._initial], self._known.get(0))]
        for value, length in runs:
            # Two halves of a run, not the whole, meet the vectors at both ends of the product.
            # With two powers for each run at a quarter of its share they lose half, the products
            # the rest.
            for count in filter(None, (length // 2, length - length // 2)):
                if (value, count) not in powers:
                    step = self._factor(self._transition, value)
                    powers[value, count] = power(step, count, loss / (4 * len(runs)))
                factors.append(powers[value, count])
        factors.append(PolynomialMatrix(tuple((arb_poly([1]),) for _ in self._values)))
        return product(factors, loss / 2)

    def _factor(
        self, rows: Iterable[Sequence[Fraction]], value: Fraction | None
    ) -> PolynomialMatrix:
        """Return one step of the sum: to any state, or silently to those of a known value."""

        def entry(probability: Fraction, state: int) -> arb_poly:
            if value is None:
                return arb_poly([as_arb(probability)]).left_shift(self._places[state])
            return arb_poly([as_arb(probability) if self._values[state] == value else arb(0)])

        return PolynomialMatrix(
            tuple(tuple(entry(p, s) for s, p in enumerate(row)) for row in rows)
        )

    def conditional_laws(self) -> list[frozenset[FiniteLattice]]:
        """Return, for each unknown record, its different laws given the states beside it.

        They are those of the pairs of states before and after it that have positive probability
        given what is known; records whose pairs are the same share one set.

        >>> sticky = MarkovChain([0.5, 0.5], [["3/4", "1/4"], ["1/4", "3/4"]], values=[0, 1], n=3)
        >>> sorted(law.exact_mean for law in sticky.conditional_laws()[1])
        [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)]
        """
        possible = [tuple(states) for states in self._possible()]
        shared: dict[tuple[tuple[int, ...] | None, ...], frozenset[FiniteLattice]] = {}
        laws = []
        for time in self.records:
            before = possible[time - 1] if time else None
            after = possible[time + 1] if time + 1 < self._n else None
            key = (before, possible[time], after)
            if key not in shared:
                shared[key] = frozenset(self._between(*key))
            laws.append(shared[key])
        return laws

    def _between(
        self, before: Sequence[int] | None, states: Sequence[int], after: Sequence[int] | None
    ) -> Iterator[FiniteLattice]:
        """Yield the laws of a record given each possible pair of states; None stands for an end."""
        flat = (Fraction(1),) * len(self._values)
        firsts = [self._initial] if before is None else [self._transition[r] for r in before]
        lasts = [flat] if after is None else [[row[s] for row in self._transition] for s in after]
        for first, last in product_of(firsts, lasts):
            weights: dict[Fraction, Fraction] = {}
            for state in states:
                value = self._values[state]
                weights[value] = weights.get(value, Fraction(0)) + first[state] * last[state]
            total = sum(weights.values())
            # Each of the two states is possible, and both together need not be.
            if total:
                yield FiniteLattice({value: weight / total for value, weight in weights.items()})

    def groups(self) -> list[Sequence[int]]:
        """Return the stretches of records between which the chain forgets its state.

        That is so after a time whose possible states have one row of transitions between them;
        in particular where what is known tells the state. However far apart, two records of a
        stretch depend on each other in general.
        """
        groups: list[list[int]] = [[]]
        forgets: dict[tuple[int, ...], bool] = {}
        for time, states in enumerate(self._possible()):
            if time not in self._known:
                groups[-1].append(time)
            key = tuple(states)
            if key not in forgets:
                forgets[key] = len({self._transition[state] for state in key}) == 1
            if forgets[key]:
                groups.append([])
        return [group for group in groups if group]


def _probabilities(name: str, row: Sequence[Number], states: int) -> tuple[Fraction, ...]:
    """Return a row of probabilities, checked."""
    if len(row) != states:
        raise InvalidArgument(name, f"{len(row)} numbers", f"{states}, one for each of the values")
    exact = tuple(rational(f"{name}[{s}]", p, least=0, most=1) for s, p in enumerate(row))
    if sum(exact) != 1:
        raise InvalidArgument(f"sum of {name}", sum(exact), "exactly 1")
    return exact


def _next_vector(vector: Sequence[arb], matrix: Sequence[Sequence[arb]]) -> list[arb]:
    """Return the vector after one step of the chain."""
    columns = zip(*matrix, strict=True)
    return [_sum(a * b for a, b in zip(vector, column, strict=True)) for column in columns]


def _restrict(vector: Sequence[arb], states: Sequence[int]) -> list[arb]:
    """Return the vector with 0 at all other states."""
    masked = [arb(0)] * len(vector)
    for state in states:
        masked[state] = vector[state]
    return masked


def _sum(balls: Iterable[arb]) -> arb:
    return sum(balls, arb(0))
