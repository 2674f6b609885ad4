"""What follows from block masses: the bound, and everything needed to judge it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from html import escape
from typing import ClassVar

from kproof.arguments import FLAG, SEVERAL, a, check_arguments
from kproof.errors import InvalidArgument
from kproof.forms import JsonForm, group
from kproof.notebooks import latex_words
from kproof.theory.exact import Enclosure, Number, integer
from kproof.theory.laws import LatticeLaw, MarkovField, RecordsLaw, empirical
from kproof.theory.laws.conditional_mass import ConditionalMasses
from kproof.theory.profiles.blocks import blocks_between
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.assumptions import Assumption
from kproof.theory.theorems.blocks.choosing import Tried, least
from kproof.theory.theorems.blocks.counting import (
    BlockQuestion,
    of_beliefs,
    of_masses,
    of_one_law,
    of_records,
)
from kproof.theory.theorems.blocks.statements import STATEMENTS, BlockStatement
from kproof.theory.theorems.bounds import (
    SCHEMA,
    Hypothesis,
    ProvedBound,
    Status,
    exact_text,
    pair_latex,
)
from kproof.theory.theorems.registry import find_bound

_PARTS = 16
"""Parts in which the number of blocks is taken along a curve."""


@dataclass(frozen=True, repr=False)
class BlockBound(ProvedBound):
    """An (ε, δ) that follows from block masses, and everything needed to judge it."""

    theorem: ClassVar[str] = "blocks"
    """What stands where others have a number."""
    statement: BlockStatement
    """Which of the statements it is."""
    epsilon: Enclosure
    delta: Enclosure
    """The one that was asked for at, and the one that follows, as enclosures; the upper end of
    what follows is the bound."""
    shift: Fraction
    """How far the victim's record moves the sum."""
    records: int
    unknown: int
    counting: int
    """How many records there are, how many are random to the adversary, and how many of these
    count."""
    chosen: Tried
    """The blocks that give the bound."""
    tried: tuple[Tried, ...] = field(repr=False)
    """All choices that were tried, by block."""
    hypotheses: tuple[Hypothesis, ...]
    """Each with its status."""
    flags: tuple[str, ...] = ()
    """What a reader must not overlook, one sentence each."""

    @property
    def block(self) -> int:
        """m, the points of the blocks that give the bound."""
        return self.chosen.block

    @property
    def says(self) -> str:
        """The statement, in a sentence that begins with its name."""
        return f"{self.statement.name}: {self.statement.says}"

    @property
    def cells(self) -> Mapping[str, str]:
        """The blocks, and how many records count."""
        return {"block": str(self.block), "records": f"{self.counting} of {self.records}"}

    def along(self, epsilons: Sequence[Fraction]) -> Sequence[Enclosure]:
        """Return what the blocks that were chosen at one ε prove at others, rounded up."""
        if not self.counting:
            return ()
        # A whole number: the only distances that are tried are the shift and parts of it.
        steps = int(self.shift / self.chosen.distance)
        curve = blocks_between(
            self.chosen.masses, block=self.block, steps=steps, epsilon=epsilons, parts=_PARTS
        )
        return [Enclosure(delta.upper, delta.upper) for delta in curve]

    def comes_from(self, *, briefly: bool) -> Iterator[str]:
        """Yield which records count, with what masses, and the blocks that were tried."""
        masses = self.chosen.masses
        if masses:
            shares = ", ".join(
                f"{count} with block mass {_decimal(mass)}"
                for mass, count in list(masses.items())[:3]
            )
            if len(masses) > 3:
                shares = f"block masses from {_decimal(min(masses))} to {_decimal(max(masses))}"
            yield (
                f"{self.counting} of {self.records} records count, {shares}, for blocks of "
                f"{self.block} values {exact_text(self.chosen.distance)} apart; the shift is "
                f"{exact_text(self.shift)}"
            )
            if len(self.tried) > 1 and not briefly:
                yield "compared with blocks of " + ", ".join(
                    str(option.block) for option in self.tried if option is not self.chosen
                )
        yield from self.flags

    def explained(self, *, beside: Collection[Hypothesis] = ()) -> Iterator[str]:
        """Yield what the bound comes from and what it rests on; where nothing counts, only why."""
        return super().explained(beside=beside) if self.chosen.masses else iter(self.flags)

    def latex(self) -> str:
        """Return the formula as LaTeX."""
        return self.statement.latex()

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"

    def _repr_latex_(self) -> str:
        state = self.state or "every hypothesis was checked"
        return pair_latex(
            f"& {self.latex()}", self, latex_words(f"blocks ({self.statement.name}); {state}")
        )

    def __str__(self) -> str:
        apart = "" if self.chosen.distance == self.shift else f" {self.chosen.distance} apart"
        state = f"; {self.state}" if self.state else ""
        return (
            f"blocks ({self.statement.name}): epsilon = {self.epsilon}, delta = {self.delta}, all "
            f"events; blocks of {self.block} points{apart}, {self.counting} of {self.records} "
            f"records count{state}"
        )

    to_dict = JsonForm(
        "theorem statement=statement.name epsilon delta events=str(events) applies holds",
        "conditional_on=owed.name assumed=assumed.name reasons hypotheses flags shift",
        group("records", "How many there are.", "all=records unknown counting"),
        "block distance=chosen.distance masses=chosen.counted tried",
        schema=SCHEMA,
        exact=exact_text,
    )


@check_arguments(
    adversary=a(Adversary, phrase="an Adversary"),
    others_only=FLAG,
    data=SEVERAL,
    masses=a(ConditionalMasses, phrase="ConditionalMasses"),
)
def block_bound(
    *,
    n: Number | None = None,
    beta: Number | Sequence[Number] | None = None,
    law: LatticeLaw | MarkovField | None = None,
    data: Iterable[object] | None = None,
    masses: ConditionalMasses | None = None,
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

    Args:
        n: How many records there are; with ``data`` by default as many as it has values, with a
            ``law`` of records as many as that has, with several ``beta`` their number.
        beta: What is believed of a record: its block mass for blocks whose points are the shift
            apart; one for all records, or one for each. With it ``block`` is needed.
        law: In place of a belief: the law of one record, or of the records together, independent or
            not (independent groups, a Markov chain, a Markov random field).
        data: In place of a law: a column of numbers, of which a record is one draw.
        masses: In place of all these: the masses of records on a graph or in groups, as typed
            (:mod:`kproof.theory.laws.typed_mass`).
        block: m, the points of a block; by default the best of those that fit is chosen.
        epsilon, delta: Exactly one: bound δ at this ε, or ε at this δ.
        adversary: What is known beforehand; by default only the shift ``s``, level I. Known records
            and those that may depend on others do not count; of a dependency graph, those do that
            are alone in their component. What a law says of its records takes the place of a graph.
        s: In place of an adversary: the shift, default 1.
        least_share: With ``beta``: at least this share of the records has it, and nothing is said
            of the others (B2).
        others_only: Count only the randomness of the other records, the victim's being fixed: one
            record fewer.
        assume: What the caller answers for: ``independence``; ``dependency-graph``, where the
            adversary knows of dependence, and for groups; ``markov-field`` and
            ``consistent-tables`` for fields. With a law of records that says it all nothing is left
            to answer for.

    Every hypothesis comes checked, assumed on the caller's word, or named as owed. More records
    than can be gone through are TooLarge.

    >>> proved = block_bound(n=100, beta="0.8", block=10, epsilon="0.1")
    >>> print(proved.delta, proved.state)
    0.00007470075 conditional on independent records; assuming least block mass: your word
    >>> from kproof.theory.laws import FiniteLattice, iid
    >>> die = FiniteLattice({face: "1/6" for face in range(1, 7)})
    >>> print(block_bound(law=iid(die, 40), epsilon=0))
    blocks (B1): epsilon = 0, delta = 0.03678826, all events; blocks of 6 points, 40 of 40 \
records count
    """
    if (epsilon is None) == (delta is None):
        raise InvalidArgument("epsilon, delta", "none or both", "exactly one of the two")
    if adversary is None:
        adversary = Adversary.of(s=1 if s is None else s)
    elif s is not None:
        raise InvalidArgument("s", s, "none beside an adversary, which has its own")
    assumed = find_bound("blocks").read_answers(assume)
    ways = {"beta": beta, "law": law, "data": data, "masses": masses}
    sources = [name for name, value in ways.items() if value is not None]
    if len(sources) != 1:
        raise InvalidArgument("records", ", ".join(sources) or None, "one of beta, law and data")
    if beta is None and least_share is not None:
        raise InvalidArgument("least_share", least_share, "beta with it")
    number = None if n is None else integer("n", n, least=1)
    size = None if block is None else integer("block", block, least=2)
    question = BlockQuestion(adversary, size, others_only)
    if beta is not None:
        counting = of_beliefs(question, n=number, beta=beta, least_share=least_share)
    elif data is not None:
        # It may be an iterator, and is asked for its length as well.
        column = list(data)
        counting = of_one_law(question, empirical(column), number or len(column), drawn=True)
    elif masses is not None:
        counting = of_masses(question, masses, _require_number(number))
    elif isinstance(law, RecordsLaw | MarkovField):
        total = len(law.records) + len(law.known)
        if number is not None and number != total:
            raise InvalidArgument("n", number, f"n = {total}, the records of the law")
        counting = of_records(question, law)
    elif isinstance(law, LatticeLaw):
        counting = of_one_law(question, law, _require_number(number))
    else:
        raise InvalidArgument("law", getattr(law, "name", law), "a law on a lattice")
    best, tried = least(counting.choices, adversary.s, epsilon, delta)
    flags = list(counting.flags)
    if best.delta.lower >= 1 or not best.epsilon.upper.is_finite():
        why = "too few records show their block"
        if not best.masses:
            why = "no record counts, or none has values the shift or a part of it apart"
        flags.append(f"the bound says nothing: {why}")
    return BlockBound(
        statement=STATEMENTS[counting.statement],
        epsilon=best.epsilon,
        delta=best.delta,
        shift=adversary.s,
        records=counting.records,
        unknown=counting.unknown,
        counting=sum(best.masses.values()),
        chosen=best,
        tried=tried,
        hypotheses=tuple(_answer(hypothesis, assumed) for hypothesis in counting.hypotheses),
        flags=tuple(flags),
    )


def _decimal(mass: Fraction) -> str:
    """Return a block mass for a sentence: as typed where that is short, else to four places."""
    exact = exact_text(mass)
    return exact if len(exact) <= 8 else f"{float(mass):.4f}"


def _require_number(number: int | None) -> int:
    if number is None:
        raise InvalidArgument("n", None, "the number of records")
    return number


def _answer(hypothesis: Hypothesis, assumed: frozenset[Assumption]) -> Hypothesis:
    """Return a hypothesis as the caller's word leaves it."""
    if hypothesis.status is Status.OWED and hypothesis.assumption in assumed:
        return replace(hypothesis, status=Status.ASSUMED)
    return hypothesis
