"""What a comparison and a design question ask of block bounds."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

from kproof.errors import Infeasible, InvalidArgument
from kproof.theory.exact.typed import Number, integer, rational
from kproof.theory.laws import FiniteLattice, RecordsLaw
from kproof.theory.theorems import design as search
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.blocks.bound import BlockBound, block_bound
from kproof.theory.theorems.bounds import exact_text
from kproof.theory.theorems.design import Design, DesignTarget, Quantity
from kproof.theory.theorems.record_moments import RecordMoments
from kproof.theory.theorems.unknown import records

if TYPE_CHECKING:
    from kproof.theory.theorems.comparison import ComparisonPoint


def beside(question: ComparisonPoint) -> BlockBound | str:
    """Return what block masses prove where a theorem is evaluated, or why they prove nothing."""
    sums, adversary = question.sums, question.adversary
    record = sums.records
    of: dict[str, Any] = {}
    if sums.joint is not None:
        of = {"law": sums.joint}
    elif sums.law is not None:
        of = {"law": sums.law, "n": records(sums, adversary)}
    elif isinstance(record, RecordMoments) and record.is_bernoulli and 0 < record.mean < 1:
        of = {"law": FiniteLattice.bernoulli(record.mean), "n": records(sums, adversary)}
    elif isinstance(question.law, RecordsLaw):
        # It is of the unknown records already.
        of, adversary = {"law": question.law}, Adversary(s=adversary.s)
    if not of:
        return "block masses need a column, a law or beliefs (kproof bound blocks)"
    of |= {"epsilon": question.epsilon, "others_only": question.others_only}
    return block_bound(**of, adversary=adversary, assume=question.assume)


def design(question: DesignTarget) -> Design:
    """Turn the block bound round (B7)."""
    fixed, quantity = question.fixed, question.quantity
    lambda1, lambda2 = fixed["lambda1"], fixed["lambda2"]
    beliefs = {name: fixed[name] for name in ("beta", "block", "law", "least_share")}
    shift = 1 if fixed["s"] is None else fixed["s"]

    def at(
        count: Number,
        *,
        dependent: Number | None = lambda1,
        known: Number | None = lambda2,
        **changes: Number,
    ) -> BlockBound:
        return block_bound(
            n=count,
            epsilon=question.epsilon,
            adversary=Adversary.of(s=shift, lambda1=dependent, lambda2=known),
            assume=fixed["assume"],
            **(beliefs | changes),
        )

    if quantity is Quantity.N:
        typed = {"lambda1": lambda1, "lambda2": lambda2}.items()
        shares = (rational(name, x, least=0, below=1) for name, x in typed if x is not None)
        hidden = sum(shares, Fraction(0))
        if hidden >= 1:
            raise Infeasible(f"lambda1 + lambda2 = {exact_text(hidden)}: no record counts")
        return search.fewest(at, question, ceil(1 / (1 - hidden)), _MORE_BLOCKS)
    count = integer("n", fixed["n"], least=1)
    if quantity is Quantity.BETA:
        share = Fraction(1, search.RESOLUTION)
        if beliefs["law"] is not None:
            raise InvalidArgument("law", "with beta", "no law: its block masses are computed")
        full = at(count, beta=1)
        if not search.meets(full, question):
            raise Infeasible(f"not even block mass 1 meets the target: there delta = {full.delta}")
        good = search.RESOLUTION
        basis = "; the bound falls as block masses rise"
        return search.on_steps(
            lambda i: at(count, beta=i * share), question, share, bad=0, good=good, basis=basis
        )
    if quantity in (Quantity.LAMBDA1, Quantity.LAMBDA2):
        name, most = ("dependent", count) if quantity is Quantity.LAMBDA1 else ("known", count - 1)
        return search.largest_fraction(
            lambda m: at(count, **{name: Fraction(m, count)}), question, count, 0, most
        )
    raise InvalidArgument("quantity", quantity.value, "n, beta, lambda1 or lambda2 with blocks")


_MORE_BLOCKS = "a record more makes one more block or none, and D_j falls as j rises"
