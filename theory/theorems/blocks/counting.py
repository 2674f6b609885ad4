"""Which records count, with what block masses, and what that rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING

from kproof.errors import InvalidArgument
from kproof.theory.exact.typed import Number, rational
from kproof.theory.laws import IndependentBlocks, IndependentSum, LatticeLaw, RecordsLaw
from kproof.theory.laws.block_mass import block_mass, longest_block
from kproof.theory.laws.conditional_mass import ConditionalMasses, Separation, conditional_masses
from kproof.theory.laws.fields import CONSISTENT_TABLES, MarkovField
from kproof.theory.laws.typed_mass import INDEPENDENT_GROUPS, LEAST_MASS, MARKOV_FIELD
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.assumptions import Assumption
from kproof.theory.theorems.blocks.choosing import LENGTHS, BlockChoice
from kproof.theory.theorems.bounds import Hypothesis, Status

if TYPE_CHECKING:
    import networkx as nx

_MOST_DISTANCES = 8
"""How many distances finer than the shift are thought of, the longest of them."""


@dataclass(frozen=True, slots=True)
class Counting:
    """The records that count."""

    statement: str
    """Name of the statement that lets them."""
    records: int
    unknown: int
    """How many records there are, and how many are random to the adversary."""
    choices: tuple[BlockChoice, ...]
    """The blocks that may be taken, at least one."""
    hypotheses: tuple[Hypothesis, ...]
    """What it rests on; what is owed is owed here still."""
    flags: tuple[str, ...] = ()
    """What a reader must not overlook."""


@dataclass(frozen=True, slots=True)
class BlockQuestion:
    """What is asked of the records, whatever they are."""

    adversary: Adversary
    block: int | None
    """m, or None for the best."""
    others_only: bool
    """Whether the victim's record is fixed."""

    @property
    def shift(self) -> Fraction:
        """How far the victim's record moves the sum."""
        return self.adversary.s

    def lengths(self, longest: int) -> Sequence[int]:
        """Return the blocks to think of where none is longer than that."""
        return [self.block] if self.block is not None else [m for m in LENGTHS if m <= longest]


def of_beliefs(
    question: BlockQuestion,
    *,
    n: int | None,
    beta: Number | Sequence[Number],
    least_share: Number | None,
) -> Counting:
    """Count records of which a least block mass is believed (B1, B2, B4, B5a)."""
    several = isinstance(beta, Sequence) and not isinstance(beta, str)
    typed: list[Number] = list(beta) if several else [beta]  # type: ignore[arg-type, list-item]
    believed = [rational("beta", value, above=0, most=1) for value in typed]
    if several and n is not None and n != len(believed):
        raise InvalidArgument("n", n, f"n = {len(believed)}, one beta for each record")
    number = len(believed) if several else n
    if number is None:
        raise InvalidArgument("n", None, "the number of records")
    block = question.block
    if block is None:
        raise InvalidArgument("block", None, "the points of a block, which the masses are for")
    masses: dict[Fraction, int] = {}
    statement = None
    if least_share is not None:
        if several:
            raise InvalidArgument("least_share", least_share, "one beta with it")
        share = rational("least_share", least_share, above=0, most=1)
        # Up: whoever is a share of the records at least is a whole number of them.
        masses, statement = {believed[0]: ceil(share * number)}, "B2"
        who = f"{ceil(share * number)} of {number} records have"
    else:
        for mass in believed:
            masses[mass] = masses.get(mass, 0) + (1 if several else number)
        who = "every record has"
    detail = f"{who} the block mass that was typed, for blocks of {block} points"
    belief = Hypothesis(LEAST_MASS, Status.ASSUMED, f"{detail} {question.shift} apart")
    choices = [BlockChoice(block, question.shift, masses)]
    return _independent(question, number, choices, statement, belief)


def of_one_law(
    question: BlockQuestion, law: LatticeLaw, n: int, *, drawn: bool = False
) -> Counting:
    """Count records of one law, such as draws from a column (B1, B4, B5a)."""
    choices = list(_of_terms(question, ((law, n),)))
    return _independent(question, n, choices, drawn=drawn)


def of_records(question: BlockQuestion, law: RecordsLaw | MarkovField) -> Counting:
    """Count the records of a law that says what ties them together (B1, B4, B5, B6)."""
    adversary = question.adversary
    indexes = frozenset(adversary.known or ()) - law.known
    if isinstance(law, IndependentSum) and not indexes and not law.known:
        count = sum(times for _, times in law.terms)
        holds = Hypothesis("independent records", Status.HOLDS, f"so says {law.name}")
        alone = replace(adversary, dependency=None, neighbourhood=None, lambda1=None)
        free = replace(question, adversary=alone)
        return _independent(free, count, list(_of_terms(free, law.terms)), None, checked=holds)
    total = len(law.records) + len(law.known)
    adversary.unknown(total)
    if adversary.lambda2 is not None and ceil(adversary.lambda2 * total) > len(law.known):
        raise InvalidArgument("known", None, "the indexes of the known records: these differ")
    # The law has left out what it was given; what the adversary names beside that goes here.
    unknown = len(law.records) - len(indexes) - question.others_only
    choices, owed = [], set()
    for distance in _distances([law], question.shift):
        for length in question.lengths(LENGTHS[-1]):
            conditional = conditional_masses(law, block=length, shift=distance, known=indexes)
            owed |= set(conditional.owed)
            if not conditional.masses and question.block is None:
                # Longer blocks fit even less.
                break
            # Any record may be the victim's, at worst the one whose block hides most.
            masses = _without_largest(conditional.masses, int(question.others_only))
            choices.append(BlockChoice(length, distance, masses))
    tied = isinstance(law, IndependentBlocks)
    some_known = bool(indexes or law.known)
    statement = "B6" if some_known else "B5a" if tied else "B5b"
    if isinstance(law, RecordsLaw) and law.independent:
        statement = "B4" if some_known else "B1"
    says = "independent groups" if tied else "Markov random field"
    hypotheses = [Hypothesis(says, Status.HOLDS, f"so says {law.name}")]
    hypotheses += [_OWED[name] for name in sorted(owed)]
    none = (BlockChoice(2, question.shift, {}),)
    return Counting(statement, total, unknown, tuple(choices) or none, tuple(hypotheses))


def of_masses(question: BlockQuestion, conditional: ConditionalMasses, n: int) -> Counting:
    """Count the records that were found among dependent ones (B5a, B5b, B6)."""
    adversary = question.adversary
    if conditional.shift != question.shift:
        typed, need = f"a shift of {conditional.shift}", f"the shift {question.shift}"
        raise InvalidArgument("masses", typed, need)
    if question.block is not None and question.block != conditional.block:
        need = f"{conditional.block}, the block of the masses"
        raise InvalidArgument("block", question.block, need)
    if adversary.knows_dependence or adversary.lambda2 is not None:
        raise InvalidArgument("adversary", "dependence or lambda2", "masses that take it in")
    masses = _without_largest(conditional.masses, int(question.others_only))
    plain = "B5a" if conditional.how is Separation.GROUPS else "B5b"
    return Counting(
        "B6" if adversary.knows_records else plain,
        n,
        adversary.unknown(n) - question.others_only,
        (BlockChoice(conditional.block, conditional.shift, masses),),
        tuple(_OWED[name] for name in conditional.owed),
    )


def _owe(name: str, why: str, assumption: Assumption) -> Hypothesis:
    return Hypothesis(name, Status.OWED, why, assumption=assumption)


_FIELD = "given its neighbours in the graph, a record is independent of all others"
_WHATEVER = "a record that counts has the typed block mass whatever ties it to others"
_GROUPS = "the groups are independent of one another"
_TABLES = "some joint law has these conditional tables"
_OWED = {
    MARKOV_FIELD: _owe(MARKOV_FIELD, _FIELD, Assumption.MARKOV_FIELD),
    INDEPENDENT_GROUPS: _owe(INDEPENDENT_GROUPS, _GROUPS, Assumption.DEPENDENCY_GRAPH),
    LEAST_MASS: Hypothesis(LEAST_MASS, Status.ASSUMED, _WHATEVER),
    CONSISTENT_TABLES: _owe(CONSISTENT_TABLES, _TABLES, Assumption.CONSISTENT_TABLES),
}


def _independent(
    question: BlockQuestion,
    n: int,
    choices: Sequence[BlockChoice],
    statement: str | None = None,
    *beliefs: Hypothesis,
    drawn: bool = False,
    checked: Hypothesis | None = None,
) -> Counting:
    """Return what counts of records that are independent but for what the adversary says.

    Which of them are known or depend on others may be unsaid: in the worst case, those of largest
    block mass.
    """
    adversary = question.adversary
    # This also says whether a graph is one of these records.
    adversary.largest_neighbourhood(n)
    unknown = adversary.unknown(n)
    constants = n - unknown
    unknown -= question.others_only
    counting, flags = unknown, []
    if adversary.lambda1 is not None:
        # One group of records that may all depend on one another; the known ones may be others.
        counting -= ceil(adversary.lambda1 * n)
    elif adversary.dependency is not None:
        counting = _alone(adversary.dependency, n, adversary.known or frozenset())
        # With a share of known records nobody says which: at worst those that would have counted.
        counting -= question.others_only + (constants if adversary.lambda2 is not None else 0)
    elif (adversary.neighbourhood or 1) > 1:
        counting = 0
        flags.append(
            "how many records one depends on does not say which are independent of all others: "
            "give groups, a Markov field, a dependency graph or lambda1"
        )
    names = {(False, False): "B1", (False, True): "B4", (True, False): "B5a", (True, True): "B6"}
    missing = n - max(counting, 0)
    laws = [
        BlockChoice(choice.block, choice.distance, _without_largest(choice.masses, missing))
        for choice in choices
    ]
    return Counting(
        statement or names[adversary.knows_dependence, constants > 0],
        n,
        unknown,
        tuple(laws) or (BlockChoice(2, question.shift, {}),),
        (*beliefs, checked or _independence(adversary, drawn=drawn)),
        tuple(flags),
    )


def _independence(adversary: Adversary, *, drawn: bool) -> Hypothesis:
    if adversary.knows_dependence:
        detail = "records without an edge between them are jointly independent"
        if adversary.lambda1 is not None:
            detail = "the records outside the dependent fraction lambda1 are independent"
        return _owe("dependency graph", detail, Assumption.DEPENDENCY_GRAPH)
    detail = "they are independent of one another"
    if drawn:
        detail = "they are independent draws from the column"
    if adversary.knows_records:
        detail += ", the known ones included"
    return _owe("independent records", detail, Assumption.INDEPENDENCE)


def _of_terms(
    question: BlockQuestion, terms: Sequence[tuple[LatticeLaw, int]]
) -> Iterator[BlockChoice]:
    """Yield the blocks to think of, with the masses of all records."""
    varied = [law for law, _ in terms if law.points > 1]
    for distance in _distances(varied, question.shift):
        longest = max((longest_block(law, shift=distance) for law in varied), default=1)
        for length in question.lengths(longest):
            masses: dict[Fraction, int] = {}
            for law, count in terms:
                mass = block_mass(law, block=length, shift=distance).mass
                if mass:
                    masses[mass] = masses.get(mass, 0) + count
            yield BlockChoice(length, distance, masses)


def _distances(laws: Iterable[LatticeLaw | MarkovField], shift: Fraction) -> list[Fraction]:
    """Return the distances of points that blocks may have: the shift, and parts on the lattice."""
    steps = {None if isinstance(law, MarkovField) else law.step for law in laws}
    step = steps.pop() if len(steps) == 1 else None
    return [shift] if step is None else _parts(shift, step)


def _parts(shift: Fraction, step: Fraction) -> list[Fraction]:
    ratio = shift / step
    if ratio.denominator != 1:
        return [shift]
    finest = ratio.numerator
    # All divisors of a fine lattice would take too long; the lattice's own step is tried anyway.
    parts = [q for q in range(1, min(finest, 1 << 12) + 1) if finest % q == 0]
    return [shift / q for q in sorted({*parts[:_MOST_DISTANCES], finest})]


def _alone(graph: nx.Graph, n: int, fixed: frozenset[int]) -> int:
    """Return how many unknown records no edge ties to another one."""
    tied = set(chain.from_iterable(edge for edge in graph.edges if edge[0] != edge[1]))
    return n - len(tied | fixed)


def _without_largest(masses: Mapping[Fraction, int], out: int) -> dict[Fraction, int]:
    """Return the masses without so many of the largest."""
    unknown = {}
    for mass in sorted(masses, reverse=True):
        gone = min(out, masses[mass])
        out -= gone
        if masses[mass] > gone and mass:
            unknown[mass] = masses[mass] - gone
    return unknown
