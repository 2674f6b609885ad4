"""Block bounds: what holds of every event, at every n, for one number of each record.

A record whose law has a block mass b (:mod:`kproof.theory.laws.block_mass`) is, with probability b,
a random start plus a uniform block, and anything otherwise. Given the labels, the starts and the
rest, the sum is a constant plus a sum of N uniform blocks, with N Poisson-binomial. The
hockey-stick divergence is jointly convex, so that δ(ε) <= E D_N(ε): for all events, in both
directions, whatever else the laws are (:mod:`kproof.theory.profiles.blocks`).

The technique is known: Mineka's coupling, privacy blankets (Balle, Bell, Gascón, Nissim 2019) and
clones (Feldman, McMillan, Talwar 2021) rest on the same mixture. Here the bound is kept for any
block and unequal masses, is attained (B3), and comes with certified digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from html import escape
from math import ceil, sqrt
from typing import TYPE_CHECKING

from kproof.errors import InvalidArgument
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.laws.base import LatticeLaw
from kproof.theory.laws.block_mass import block_mass, longest_block
from kproof.theory.laws.data import empirical
from kproof.theory.laws.sums import SumOfTerms
from kproof.theory.profiles.blocks import blocks_between, blocks_delta, blocks_epsilon, counted
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.assumptions import Assumption
from kproof.theory.theorems.bounds import ALL, SCHEMA, Events, Hypothesis, Status, shown_exactly

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True)
class BlockStatement:
    """One of the statements on blocks.

    Attributes
    ----------
    name
        ``B1`` to ``B8``.
    says
        What it says, in a sentence.
    formula
        The same as LaTeX.
    needs
        What has to hold of the records.
    """

    name: str
    says: str
    formula: str
    needs: str

    def latex(self) -> str:
        """Return the formula as LaTeX."""
        return self.formula


_BOUND = r"\delta_S(\varepsilon) \le \mathbb{E}\, D_N(\varepsilon)"

STATEMENTS = {
    one.name: one
    for one in (
        BlockStatement(
            "B1",
            "The sum of independent records is at most as telling as N uniform blocks, each record "
            "counted with the probability that is its block mass.",
            rf"{_BOUND}, \quad N = \sum_i \mathrm{{Bernoulli}}(b_m(X_i))",
            "The records are independent of one another.",
        ),
        BlockStatement(
            "B2",
            "It is enough to know that at least t records have a block mass of at least beta.",
            rf"{_BOUND}, \quad N \sim \mathrm{{Bin}}(t, \beta)",
            "The records are independent, and t of them have block mass beta or more.",
        ),
        BlockStatement(
            "B3",
            "Nothing smaller holds of all laws with these block masses: the law whose rest is a "
            "point far away attains the bound, for every epsilon and in both directions.",
            r"\sup_{\mathrm{rests}} \delta_S(\varepsilon) = \mathbb{E}\, D_N(\varepsilon)",
            "None: it is about all laws with given block masses.",
        ),
        BlockStatement(
            "B4",
            "Known records drop out: N runs over the unknown ones.",
            rf"{_BOUND}, \quad N = \sum_{{i\ \mathrm{{unknown}}}} \mathrm{{Bernoulli}}(b_m(X_i))",
            "The records are independent, the known ones included.",
        ),
        BlockStatement(
            "B5a",
            "Of groups that are independent of one another, a record alone in its group counts "
            "with its block mass, and one record of a larger group with the mean, or the least, of "
            "its block mass given the rest of the group.",
            rf"{_BOUND}, \quad N = \sum_g \mathrm{{Bernoulli}}"
            r"(\mathbb{E}\, b_m(X_{i_g} \mid X_{g \setminus i_g}))",
            "The groups are independent of one another.",
        ),
        BlockStatement(
            "B5b",
            "In a Markov random field the records of an independent set count, each with its least "
            "block mass given its neighbours.",
            rf"{_BOUND}, \quad N = \sum_{{i \in I}} \mathrm{{Bernoulli}}"
            r"(\min_x b_m(X_i \mid X_{\partial i} = x))",
            "Given its neighbours, a record is independent of all others; a dependency graph of "
            "Stein's method does not say so.",
        ),
        BlockStatement(
            "B6",
            "Known records may tie unknown ones together: least conditional block masses cover "
            "every value of what is known, and known members of a group belong to the rest.",
            rf"{_BOUND}, \quad N\ \mathrm{{over\ the\ unknown\ records\ of\ B5}}",
            "As B5a or B5b.",
        ),
        BlockStatement(
            "B7",
            "The bound falls as records are added and as block masses grow, so that the least "
            "number of records for a target, or the least block mass, is found by bisection.",
            r"n^* = \min\{ n : \mathbb{E}\, D_{N_n}(\varepsilon) \le \delta \}",
            "As the statement that is inverted.",
        ),
        BlockStatement(
            "B8",
            "Several sums of the same independent records tell of a record at most what the "
            "records in exactly the same sums hide: N runs over these.",
            rf"{_BOUND}, \quad N = \sum_{{i \in \mathrm{{cell}}}} \mathrm{{Bernoulli}}(b_m(X_i))",
            "The records are independent of one another.",
        ),
    )
}
"""The statements on blocks, by name."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A choice of blocks, and what it gives.

    Attributes
    ----------
    block
        m, points of a block.
    distance
        How far they lie apart; the shift is a multiple of it.
    masses
        How many of the records that count have each block mass.
    epsilon, delta
        What holds: the δ that follows for the ε. Of choices that are not taken the δ may be wide,
        and where a δ was asked for the ε is the one that the first choice needs.
    """

    block: int
    distance: Fraction
    masses: Mapping[Fraction, int]
    epsilon: Enclosure
    delta: Enclosure


@dataclass(frozen=True)
class BlockBound:
    """An (ε, δ) that follows from block masses, and everything needed to judge it.

    Attributes
    ----------
    statement
        Which of the statements it is.
    epsilon, delta
        The one that was asked for at, and the one that follows, as enclosures; the upper end of
        what follows is the bound.
    shift
        How far the victim's record moves the sum.
    records, unknown, counting
        How many records there are, how many are random to the adversary, and how many of these
        count.
    chosen
        The blocks that give the bound.
    tried
        All choices that were tried, by block.
    hypotheses
        Each with its status.
    flags
        What a reader must not overlook, one sentence each.
    """

    statement: BlockStatement
    epsilon: Enclosure
    delta: Enclosure
    shift: Fraction
    records: int
    unknown: int
    counting: int
    chosen: Tried
    tried: tuple[Tried, ...] = field(repr=False)
    hypotheses: tuple[Hypothesis, ...]
    flags: tuple[str, ...] = ()

    @property
    def block(self) -> int:
        """m, the points of the blocks that give the bound."""
        return self.chosen.block

    @property
    def events(self) -> Events:
        """All measurable events."""
        return ALL

    @property
    def applies(self) -> bool:
        """Whether no hypothesis fails."""
        return not self.reasons

    @property
    def holds(self) -> bool:
        """Whether every hypothesis was checked or answered for; never while one is owed."""
        return self.applies and not self.owed

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the statement does not apply; empty if it does."""
        return tuple(f"{h.name}: {h.detail}" for h in self.hypotheses if h.status is Status.FAILS)

    @property
    def owed(self) -> tuple[Hypothesis, ...]:
        """What the bound is conditional on."""
        return tuple(h for h in self.hypotheses if h.status is Status.OWED)

    @property
    def assumed(self) -> tuple[Hypothesis, ...]:
        """What the bound rests on by the caller's word alone."""
        return tuple(h for h in self.hypotheses if h.status is Status.ASSUMED)

    @property
    def state(self) -> str:
        """What the bound rests on, in a phrase; empty if every hypothesis was checked and holds."""
        if not self.applies:
            return "does not apply: " + "; ".join(self.reasons)
        parts = []
        if self.owed:
            parts.append("conditional on " + ", ".join(h.name for h in self.owed))
        if self.assumed:
            parts.append(f"assuming {', '.join(h.name for h in self.assumed)}: your word")
        return "; ".join(parts)

    def latex(self) -> str:
        """Return the formula as LaTeX."""
        return self.statement.latex()

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"

    def __str__(self) -> str:
        """Return one readable line."""
        apart = "" if self.chosen.distance == self.shift else f" {self.chosen.distance} apart"
        state = f"; {self.state}" if self.state else ""
        return (
            f"blocks ({self.statement.name}): epsilon = {self.epsilon}, delta = {self.delta}, all "
            f"events; blocks of {self.block} points{apart}, {self.counting} of {self.records} "
            f"records count{state}"
        )

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form, decimal strings for every number."""
        return {
            "schema": SCHEMA,
            "theorem": "blocks",
            "statement": self.statement.name,
            "epsilon": self.epsilon.to_dict(),
            "delta": self.delta.to_dict(),
            "events": str(self.events),
            "applies": self.applies,
            "holds": self.holds,
            "conditional_on": [h.name for h in self.owed],
            "assumed": [h.name for h in self.assumed],
            "reasons": list(self.reasons),
            "hypotheses": [h.to_dict() for h in self.hypotheses],
            "flags": list(self.flags),
            "shift": shown_exactly(self.shift),
            "records": {
                "all": self.records,
                "unknown": self.unknown,
                "counting": self.counting,
            },
            "block": self.block,
            "distance": shown_exactly(self.chosen.distance),
            "masses": [
                {"mass": shown_exactly(mass), "records": count}
                for mass, count in self.chosen.masses.items()
            ],
            "tried": [
                {
                    "block": one.block,
                    "distance": shown_exactly(one.distance),
                    "epsilon": one.epsilon.to_dict(),
                    "delta": one.delta.to_dict(),
                }
                for one in self.tried
            ],
        }


def block_bound(
    *,
    n: Number | None = None,
    beta: Number | Sequence[Number] | None = None,
    law: LatticeLaw | None = None,
    data: Iterable[object] | None = None,
    masses: Mapping[Fraction, int] | None = None,
    block: Number | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    adversary: Adversary | None = None,
    s: Number | None = None,
    least_share: Number | None = None,
    others_only: bool = False,
    assume: Iterable[str | Assumption] = (),
) -> BlockBound:
    """Return the (ε, δ) that follows from block masses, for all events.

    Parameters
    ----------
    n
        How many records there are; with ``data`` by default as many as it has values, with a
        ``law`` of records as many as that has, with several ``beta`` their number.
    beta
        What is believed of a record: its block mass for blocks whose points are the shift apart;
        one for all records, or one for each. With it ``block`` is needed.
    law
        In place of a belief: the law of one record, or of a sum of independent records.
    data
        In place of a law: a column of numbers, of which a record is one draw.
    masses
        In place of all these: how many of the records that count have each block mass, as found
        of dependent records elsewhere; ``block`` is needed.
    block
        m, the points of a block; by default the best of those that fit is chosen.
    epsilon, delta
        Exactly one: bound δ at this ε, or ε at this δ.
    adversary
        What is known beforehand; by default only the shift ``s``, level I. Known records and
        those that may depend on others do not count; of a dependency graph, those do that are
        alone in their component.
    s
        In place of an adversary: the shift, default 1.
    least_share
        With ``beta``: at least this share of the records has it, and nothing is said of the
        others (B2).
    others_only
        Count only the randomness of the other records, the victim's being fixed: one record fewer.
    assume
        ``independence``, or ``dependency-graph`` where the adversary knows of dependence: what the
        caller answers for. With a law of independent records nothing is left to answer for.

    Returns
    -------
    BlockBound
        With every hypothesis checked, assumed on the caller's word, or named as owed.

    Raises
    ------
    InvalidArgument
        If an argument is out of range, or too much or too little is given.
    TooLarge
        If there are more records than can be gone through.

    Examples
    --------
    >>> found = block_bound(n=100, beta="0.8", block=10, epsilon="0.1")
    >>> print(found.delta, found.state)
    0.00007470075 conditional on independent records
    >>> from kproof.theory.laws import FiniteLattice, iid
    >>> die = FiniteLattice({face: "1/6" for face in range(1, 7)})
    >>> print(block_bound(law=iid(die, 40), epsilon=0))
    blocks (B1): epsilon = 0, delta = 0.03678826, all events; blocks of 6 points, 40 of 40 \
records count
    >>> block_bound(n=10, beta="1.2", block=4, epsilon=0)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: beta = 1.2: need 0 < beta <= 1
    """
    if (epsilon is None) == (delta is None):
        raise InvalidArgument("epsilon, delta", "none or both", "exactly one of the two")
    if adversary is None:
        adversary = Adversary.of(s=1 if s is None else s)
    elif s is not None:
        raise InvalidArgument("s", s, "none beside an adversary, which has its own")
    assumed = _assumed(assume)
    ways = {"beta": beta, "law": law, "data": data, "masses": masses}
    given = [name for name, value in ways.items() if value is not None]
    if len(given) != 1:
        raise InvalidArgument("records", ", ".join(given) or None, "one of beta, law and data")
    if beta is None and least_share is not None:
        raise InvalidArgument("least_share", least_share, "beta with it")
    size = None if block is None else integer("block", block, least=2)
    if size is None and (beta is not None or masses is not None):
        raise InvalidArgument("block", None, "the points of a block, which the masses are for")
    people = _people(n, beta, law, data, masses, least_share)
    seen = _Seen.of(adversary, people, others_only=others_only)
    choices = _choices(people, seen, adversary.s, size)
    statement = STATEMENTS[seen.statement if least_share is None else "B2"]
    best, tried = _best(choices, adversary.s, epsilon, delta)
    flags = list(seen.flags)
    if best.delta.lower >= 1 or not best.epsilon.upper.is_finite():
        flags.append("the bound says nothing: " + _why_nothing(best, seen))
    return BlockBound(
        statement=statement,
        epsilon=best.epsilon,
        delta=best.delta,
        shift=adversary.s,
        records=people.count,
        unknown=seen.unknown,
        counting=sum(best.masses.values()),
        chosen=best,
        tried=tried,
        hypotheses=_hypotheses(people, adversary, assumed),
        flags=tuple(flags),
    )


def blocks_design(
    *, beta: Number, block: Number, epsilon: Number, delta: Number, most: int = 1 << 20
) -> int:
    """Return the fewest records with a block mass for which the bound meets a target (B7).

    Parameters
    ----------
    beta, block
        Block mass of every record, for blocks of that many points the shift apart.
    epsilon, delta
        The target: ε at least 0, δ above 0.
    most
        More records than this are not tried.

    Raises
    ------
    InvalidArgument
        If an argument is out of range, or ``most`` records are not enough.

    Examples
    --------
    >>> blocks_design(beta="0.8", block=10, epsilon="0.1", delta="1e-3")
    48
    """
    share = rational("beta", beta, above=0, most=1)
    target = rational("delta", delta, above=0, most=1)

    def met(count: int) -> bool:
        found = blocks_delta({share: count}, block=block, epsilon=epsilon, relative_width="1e-6")
        return Fraction(found.upper) <= target

    low, high = 0, 1
    while not met(high):
        low, high = high, 2 * high
        if high > most:
            raise InvalidArgument(
                "delta", delta, f"a larger one: {most} records with block mass {beta} do not do"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if met(middle) else (middle, high)
    return high


@dataclass(frozen=True, slots=True)
class _People:
    """The records: how many have each law, or each belief."""

    laws: tuple[tuple[LatticeLaw, int], ...]
    masses: Mapping[Fraction, int]
    count: int
    independent: bool
    name: str

    def shares(self, block: int, distance: Fraction) -> dict[Fraction, int]:
        """Return how many records have each block mass."""
        if not self.laws:
            return dict(self.masses)
        found: dict[Fraction, int] = {}
        for law, count in self.laws:
            mass = block_mass(law, block=block, shift=distance).mass
            found[mass] = found.get(mass, 0) + count
        return found


@dataclass(frozen=True, slots=True)
class _Seen:
    """How many records are random to the adversary, and how many of these count."""

    unknown: int
    counting: int
    statement: str
    flags: tuple[str, ...] = ()

    @classmethod
    def of(cls, adversary: Adversary, people: _People, *, others_only: bool) -> _Seen:
        n, told = people.count, people.count - adversary.unknown(people.count)
        unknown = n - told - others_only
        graph, flags = adversary.dependency, []
        tied = 0
        if adversary.lambda1 is not None:
            # One group of records that may all depend on one another, and in the worst case the
            # known ones are others.
            tied = ceil(adversary.lambda1 * n)
        elif adversary.neighbourhood is not None and adversary.neighbourhood > 1:
            tied = n
            flags.append(
                "the size of neighbourhoods does not say which records are independent of all "
                "others; give a graph, or lambda1"
            )
        counting = unknown - tied
        if graph is not None:
            counting = _alone(graph, n, adversary.known or frozenset()) - others_only
            if adversary.lambda2 is not None:
                counting -= told
        dependent = adversary.knows_dependence
        statement = {
            (False, False): "B1",
            (False, True): "B4",
            (True, False): "B5a",
            (True, True): "B6",
        }[dependent, told > 0]
        return cls(unknown, max(counting, 0), statement, tuple(flags))


@dataclass(frozen=True, slots=True)
class _Choice:
    """Blocks to be tried, with the masses of the records that count."""

    block: int
    distance: Fraction
    masses: Mapping[Fraction, int]


def _assumed(names: Iterable[str | Assumption]) -> frozenset[Assumption]:
    there = (Assumption.INDEPENDENCE, Assumption.DEPENDENCY_GRAPH)
    if isinstance(names, str):
        raise InvalidArgument("assume", names, "a collection of names")
    found = set()
    for name in names:
        if str(name) not in there:
            raise InvalidArgument("assume", name, f"with blocks one of {', '.join(there)}")
        found.add(Assumption(str(name)))
    return frozenset(found)


def _people(
    n: Number | None,
    beta: Number | Sequence[Number] | None,
    law: LatticeLaw | None,
    data: Iterable[object] | None,
    masses: Mapping[Fraction, int] | None,
    least_share: Number | None,
) -> _People:
    """Read what is given of the records."""
    number = None if n is None else integer("n", n, least=1)
    if masses is not None:
        shares = counted(masses)
        total = sum(shares.values())
        if number is not None and number < total:
            raise InvalidArgument("n", number, f"at least {total}, the records with a block mass")
        return _People((), shares, number or total, True, "block masses")
    if beta is not None:
        return _believed(number, beta, least_share)
    if data is not None:
        column = list(data)
        record: LatticeLaw = empirical(column)
        count = number or len(column)
        return _People(((record, count),), {}, count, False, "the column")
    if not isinstance(law, LatticeLaw):
        raise InvalidArgument("law", getattr(law, "name", law), "a law on a lattice")
    if isinstance(law, SumOfTerms):
        count = sum(times for _, times in law.terms)
        if number is not None and number != count:
            raise InvalidArgument("n", number, f"n = {count}, the records of the law")
        return _People(law.terms, {}, count, True, law.name)
    if number is None:
        raise InvalidArgument("n", None, "the number of records of that law")
    return _People(((law, number),), {}, number, False, law.name)


def _believed(
    number: int | None, beta: Number | Sequence[Number], least_share: Number | None
) -> _People:
    several = isinstance(beta, Sequence) and not isinstance(beta, str)
    typed: list[Number] = list(beta) if several else [beta]  # type: ignore[arg-type, list-item]
    believed = [rational("beta", one, above=0, most=1) for one in typed]
    if several:
        if number is not None and number != len(believed):
            raise InvalidArgument("n", number, f"n = {len(believed)}, one beta for each record")
        number = len(believed)
    if number is None:
        raise InvalidArgument("n", None, "the number of records")
    if least_share is None:
        shares: dict[Fraction, int] = {}
        for one in believed:
            shares[one] = shares.get(one, 0) + (1 if several else number)
        return _People((), shares, number, False, "beliefs")
    if several:
        raise InvalidArgument("least_share", least_share, "one beta with it")
    share = rational("least_share", least_share, above=0, most=1)
    return _People((), {believed[0]: ceil(share * number)}, number, False, "beliefs")


def _alone(graph: nx.Graph, n: int, known: frozenset[int]) -> int:
    """Return how many unknown records no edge ties to another one."""
    tied = {vertex for edge in graph.edges if edge[0] != edge[1] for vertex in edge}
    return n - len(tied | known)


def _choices(people: _People, seen: _Seen, shift: Fraction, size: int | None) -> list[_Choice]:
    """Return the blocks to try, each with the masses of the records that count."""
    if not people.laws:
        assert size is not None
        return [_counting(people, dict(people.masses), seen, size, shift)]
    found = []
    for distance in _distances(people, shift):
        longest = max(longest_block(law, shift=distance) for law, _ in people.laws)
        sizes = [size] if size is not None else [m for m in _LADDER if m <= longest]
        for one in sizes:
            masses = people.shares(one, distance)
            found.append(_counting(people, masses, seen, one, distance))
    if not found:
        return [_Choice(2, shift, {})]
    # What a choice is worth goes with the variance that its blocks have, all together.
    found.sort(key=_worth, reverse=True)
    return found[:_MOST_TRIED]


_LADDER = tuple(
    sorted(
        {
            *range(2, 11),
            *(
                m * 10**e // 10
                for e in range(1, 6)
                for m in (12, 15, 20, 25, 30, 35, 40, 45, 50, 60, 80, 100)
            ),
        }
    )
)
"""The lengths of blocks that are tried."""

_MOST_TRIED = 8
"""How many choices are tried, those whose blocks have the largest variance together."""

_MOST_DISTANCES = 8

_MOST_REFINED = 3
"""How many choices are worked out beyond the first comparison."""

_PARTS, _FINE_PARTS = 6, 32
"""Parts of the numbers of blocks where choices are compared, and for one that may be taken."""

_MOST_BITS = 192
"""Below 2^-192 δ is told no better where there are too many records."""

_MOST_WORK = 100_000_000
"""Additions up to which the bound is worked out to all its digits; half a second or so."""


def _distances(people: _People, shift: Fraction) -> list[Fraction]:
    """Return the distances of points that blocks may have: the shift, divided, on the lattice."""
    steps = {law.step for law, _ in people.laws if law.points > 1}
    if len(steps) != 1:
        return [shift]
    whole = shift / steps.pop()
    if whole.denominator != 1:
        return [shift]
    finest = whole.numerator
    parts = [q for q in range(1, min(finest, 1 << 12) + 1) if finest % q == 0]
    return [shift / q for q in ({finest, *parts[:_MOST_DISTANCES]} if parts else {1})]


def _counting(
    people: _People, masses: Mapping[Fraction, int], seen: _Seen, size: int, distance: Fraction
) -> _Choice:
    """Return a choice of blocks, with the masses of the records that count.

    Which of them are known or depend on others is not said: in the worst case, those of largest
    block mass.
    """
    out = people.count - seen.counting
    left = {}
    for mass in sorted(masses, reverse=True):
        gone = min(out, masses[mass])
        out -= gone
        if masses[mass] > gone and mass:
            left[mass] = masses[mass] - gone
    return _Choice(size, distance, left)


def _best(
    choices: Sequence[_Choice], shift: Fraction, epsilon: Number | None, delta: Number | None
) -> tuple[Tried, tuple[Tried, ...]]:
    """Return the choice that gives the least bound, and all that were tried, by block."""
    exact = None if epsilon is None else rational("epsilon", epsilon, least=0)
    if exact is None:
        # All are compared at the ε that the first, whose blocks vary most, needs for that δ.
        needed = _epsilon(choices[0], shift, delta, _PARTS).upper
        exact = Fraction(needed) if needed.is_finite() else Fraction(1)
    tried = [
        _at(one, exact, _between(one, shift, exact, 1 if len(choices) == 1 else _PARTS))
        for one in choices
    ]

    def promise(place: int) -> tuple[Decimal, int]:
        # Where all that is known of δ is that it is next to nothing, the order of the choices says
        # which has the least.
        return tried[place].delta.lower, place

    places = sorted(range(len(tried)), key=promise)
    if delta is not None:
        best = places[0]
        parts = None if _affordable(choices[best]) else _FINE_PARTS
        found = _epsilon(choices[best], shift, delta, parts)
        target = Enclosure.exactly(rational("delta", delta, least=0, most=1))
        one = choices[best]
        taken = Tried(one.block, one.distance, one.masses, found, target)
    else:
        best = places[0]
        for turn, place in enumerate(places):
            if turn == _MOST_REFINED or (
                turn and tried[place].delta.lower >= tried[best].delta.upper
            ):
                break
            tried[place] = _at(choices[place], exact, _refined(choices[place], shift, exact))
            best = min(best, place, key=lambda one: tried[one].delta.upper)
        taken = tried[best]
    tried[best] = taken
    return taken, tuple(sorted(tried, key=lambda one: (one.block, one.distance)))


def _at(one: _Choice, epsilon: Fraction, delta: Enclosure) -> Tried:
    return Tried(one.block, one.distance, one.masses, Enclosure.exactly(epsilon), delta)


def _between(
    one: _Choice, shift: Fraction, epsilon: Fraction, parts: int, bits: int = 64
) -> Enclosure:
    return blocks_between(
        one.masses,
        block=one.block,
        steps=int(shift / one.distance),
        epsilon=[epsilon],
        parts=parts,
        bits=bits,
    )[0]


def _refined(one: _Choice, shift: Fraction, epsilon: Fraction) -> Enclosure:
    """Return δ to all its digits, or as narrow as many records allow."""
    if _affordable(one):
        steps = int(shift / one.distance)
        return blocks_delta(one.masses, block=one.block, steps=steps, epsilon=epsilon)
    found = _between(one, shift, epsilon, _FINE_PARTS)
    if found.lower > 0:
        return found
    return _between(one, shift, epsilon, _PARTS, bits=_MOST_BITS)


def _epsilon(one: _Choice, shift: Fraction, delta: Number | None, parts: int | None) -> Enclosure:
    assert delta is not None
    return blocks_epsilon(
        one.masses,
        block=one.block,
        steps=int(shift / one.distance),
        delta=delta,
        parts=parts,
        relative_width="1e-9" if parts is None else "0.001",
    )


def _affordable(one: _Choice) -> bool:
    """Return whether the bound can be worked out for each number of blocks."""
    count, size = sum(one.masses.values()), one.block
    spread = sum(float(mass * (1 - mass)) * number for mass, number in one.masses.items())
    rows = min(count, 37 * sqrt(spread) + 64)
    points = min(count * size / 2, 2 * size * sqrt(320 * count))
    return rows * points * size.bit_length() <= _MOST_WORK


def _hypotheses(
    people: _People, adversary: Adversary, assumed: frozenset[Assumption]
) -> tuple[Hypothesis, ...]:
    """Return what the statement needs of the records."""
    if adversary.knows_dependence:
        name, assumption = "dependency graph", Assumption.DEPENDENCY_GRAPH
        detail = "records without an edge between them are jointly independent"
        if adversary.lambda1 is not None:
            detail = "the records outside the dependent fraction lambda1 are independent"
    else:
        name, assumption = "independent records", Assumption.INDEPENDENCE
        detail = "they are independent of one another"
        if people.name == "the column":
            detail = "they are independent draws from the column"
        if adversary.knows_records:
            detail += ", the known ones included"
    if people.independent:
        return (Hypothesis(name, Status.HOLDS, f"so says {people.name}"),)
    status = Status.ASSUMED if assumption in assumed else Status.OWED
    return (Hypothesis(name, status, detail, assumption=assumption),)


def _why_nothing(best: Tried, seen: _Seen) -> str:
    if not seen.counting:
        return "no record counts"
    if not best.masses:
        return "no values the shift apart, or a part of it, have positive probability"
    return "too few records show their block"


def _worth(choice: _Choice) -> Fraction:
    """Return the variance that the blocks of a choice have together, up to a constant."""
    total = sum((mass * count for mass, count in choice.masses.items()), Fraction(0))
    return total * (choice.block**2 - 1) * choice.distance**2


__all__ = ["STATEMENTS", "BlockBound", "BlockStatement", "Tried", "block_bound", "blocks_design"]
