"""What a table or a sum is worth for an adversary of whose belief something is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from kproof.errors import InvalidArgument, show
from kproof.theory.exact import Enclosure, Number, choice, integer, rational
from kproof.theory.laws.blocks import sum_by_key
from kproof.theory.laws.finite import FiniteLattice
from kproof.theory.losses.several_laws import BelievedLaw, worst_of_laws
from kproof.theory.profiles.least_law import LeastLaw, least_law_delta
from kproof.theory.profiles.noisy import AddedNoise, NoiseKind, noisy_delta
from kproof.theory.profiles.two_cells import MOST_OTHERS
from kproof.theory.profiles.worst_cells import worst_cells
from kproof.theory.theorems.assumptions import Assumption, read_assumptions
from kproof.theory.theorems.bounds import Hypothesis, Status, exact_text
from kproof.theory.theorems.releases.bounds import ReleaseBound
from kproof.theory.theorems.releases.registry import BELIEVED

EVERYONE = "against everyone"
"""What is known of δ for whoever knows all other records."""


class RowCount(StrEnum):
    """What a reader of a table knows of how many rows it has."""

    PUBLIC = "public"
    """The number itself."""
    POISSON = "poisson"
    """Its mean: then the cells are independent, and hiding small counts hides more."""


def table_bound(
    *,
    belief: Mapping[str, Number] | Sequence[BelievedLaw],
    rows: Number | None = None,
    epsilon: Number,
    k: Number = "1",
    rows_known: Number = "0",
    total: str | RowCount = RowCount.PUBLIC,
    assume: Iterable[str | Assumption] = (),
) -> ReleaseBound:
    """Bound what a table of counts tells an adversary who believes in laws of its rows (R2 to R5).

    Cells are fixed beforehand, and each row falls into one by its law, independent of all others.
    The bound is that of one row that may be in either of two cells: of the worst two. Where no
    other row can be in both, cells between them hide its move step by step.

    Args:
        belief: On the command line a CSV file with a column p, the probability of each cell, or a
            column count, to which it is proportional; its other columns name the cell. With
            columns law and others as well rows follow several laws, each for so many rows that the
            adversary does not know, beside the one in question.
        rows: How many rows there are, or their mean; left out with several laws.
        epsilon: A number, a,b,c or start:stop:count.
        k: Fewest rows of a cell whose count is shown; 1 hides none.
        rows_known: How many rows the adversary knows: they hide nothing.
        total: public: the number of rows is known. poisson: it is Poisson, and only its mean is.
        assume: Confirm what no data can show: independence of the rows, and that the belief was
            not fitted to those that are published; may be repeated.

    Raises:
        InvalidArgument: If the probabilities of a law do not sum to 1.
        TooLarge: If more than 200 pairs of cells of several laws could be the worst.

    >>> belief = {"a": "0.02", "b": "0.03", "c": "0.95"}
    >>> bound = table_bound(belief=belief, rows=1001, epsilon="1/2")
    >>> print(bound.delta, bound.attained, bound.state, sep="; ")
    0.008286954; a row is in b and not in a; conditional on independent rows and belief
    """
    least, relation = integer("k", k, least=1), choice("total", total, RowCount)
    exact, public = rational("epsilon", epsilon, least=0), relation is RowCount.PUBLIC
    if isinstance(belief, Mapping):
        number = integer("rows", rows, least=1, most=MOST_OTHERS + 1)
        unknown_rows = number - 1 - integer("rows_known", rows_known, least=0, most=number - 1)
        laws = [BelievedLaw(unknown_rows, _masses(belief))]
        counts = {"rows": str(number), "rows_known": str(number - 1 - unknown_rows)}
    else:
        for name, typed, none in (("rows", rows, None), ("rows_known", rows_known, "0")):
            if typed != none:
                raise InvalidArgument(name, typed, "none: the column others says how many rows")
        laws = [BelievedLaw(law.others, _masses(law.masses)) for law in belief]
        number = 1 + sum(law.others for law in laws)
        counts = {"rows": str(number), "laws": str(len(laws))}
    if not public and number > 1:
        laws = [_of_all(laws)]
    cells = dict.fromkeys(cell for law in laws for cell in law.masses)
    flags = [
        "for this belief alone: anyone who knows the other rows reads the row off the counts (R0)",
        "cells are fixed without the rows; what else is published of them is not bounded",
    ]
    row = "R3" if least == 1 else "R4"
    if least > number and public:
        value, attained = Enclosure.exactly(Fraction(0)), ""
        flags.append(f"every count is hidden: there are {number} rows, and k is {least}")
    elif len(laws) == 1:
        value, attained, more = _worst_of_one(laws[0], exact, least, public=public)
        flags += more
    else:
        worst = worst_of_laws(laws, epsilon=exact, k=least)
        value, row = Enclosure(Decimal(0), worst.delta), "R2" if least == 1 else "R4"
        named = [*map(show, worst.cells)]
        attained = f"a row is in {named[0]} and not in {named[-1]}"
        if len(named) > 2:
            row, attained = "R5", f"{attained}, by way of {', '.join(named[1:-1])}"
        flags.append("bounds even a reader who knows which rows can be in which cells")
        flags += [worst.assumption] if worst.assumption else []
    hidden = f"counts below {least} hidden" if least > 1 else "all counts shown"
    return ReleaseBound(
        name="table",
        statement=f"{row}: a table of {number:,} rows in {len(cells):,} cells, {hidden}; one row "
        "may be in either of two cells",
        epsilon=Enclosure.exactly(exact),
        delta=value,
        parameters={
            **counts,
            "k": str(least),
            "total": relation.value,
            "cells": str(len(cells)),
            "rarest": exact_text(min(min(law.masses.values()) for law in laws)),
        },
        attained=attained,
        flags=tuple(flags),
        hypotheses=_hypotheses("rows", assume),
        beside={EVERYONE: Enclosure.exactly(Fraction(1))},
    )


def _worst_of_one(
    law: BelievedLaw, epsilon: Fraction, k: int, *, public: bool
) -> tuple[Enclosure, str, list[str]]:
    """Return δ of the worst pair of cells of one law, which they are, and what to know of it."""
    impossible = [name for name, mass in law.masses.items() if not mass]
    if impossible:
        name = show(impossible[0])
        # Of hidden counts that is an upper bound: a reader seldom sees none in the other cell.
        attained = f"a row is in {name}, where no other row can be" if k == 1 else ""
        flags = [f"no other row can be in {name}: join it with another cell"]
        return Enclosure.exactly(Fraction(1)), attained, flags
    worst = worst_cells(law.masses, others=law.others, epsilon=epsilon, k=k, public=public)
    attained, flags = "", []
    if worst.certain:
        attained = "a row is in {} and not in {}".format(*map(show, worst.cells))
    else:
        flags.append("the search ended early: the upper end is a bound, and may be too large")
    if k > 1 and public:
        flags.append("bounds a reader who is told the total of both cells as well")
    return worst.delta, attained, flags


def _of_all(laws: Sequence[BelievedLaw]) -> BelievedLaw:
    """Return one law of as many rows: of Poisson numbers of rows it has the same counts."""
    rows = sum(law.others for law in laws)
    every = ((cell, mass, law.others) for law in laws for cell, mass in law.masses.items())
    masses = sum_by_key((cell, mass * others / max(rows, 1)) for cell, mass, others in every)
    return BelievedLaw(rows, masses)


def sum_bound(
    *,
    belief: Mapping[str, Number] | Sequence[BelievedLaw],
    records: Number,
    epsilon: Number,
    part: Number = "1",
    shift: Number = "1",
    assume: Iterable[str | Assumption] = (),
) -> ReleaseBound:
    """Bound what a sum tells if each record follows a law at least in part (R6).

    It takes the place of block masses wherever more than a mass is known: a least law keeps all
    the variance of the records, of which a block keeps a part.

    Args:
        belief: On the command line a CSV file with a column of values, and a column p, the
            probability of each, or a column count, to which it is proportional.
        records: How many records the adversary does not know, beside the victim's.
        epsilon: A number, a,b,c or start:stop:count.
        part: At least this part of the probability of each record is spread as the law says,
            whatever the other records are: 1 if the law is known, 0.95 if it is nearly.
        shift: How far one record moves the sum.
        assume: Confirm what no data can show: independence of the records, and that the belief
            was not fitted to them; may be repeated.

    >>> coin = {"0": "1/2", "1": "1/2"}
    >>> bound = sum_bound(belief=coin, records=100, part="0.8", epsilon="1/2")
    >>> print(bound.delta, bound.state, sep="; ")
    [0.00133, 0.001462]; conditional on independent records and belief
    """
    if not isinstance(belief, Mapping):
        raise InvalidArgument("belief", f"{len(belief)} laws", "one law")
    law = FiniteLattice(
        {rational("value", value): mass for value, mass in _masses(belief).items() if mass}
    )
    least, number = rational("part", part, above=0, most=1), integer("records", records, least=0)
    exact, step = rational("epsilon", epsilon, least=0), rational("shift", shift, above=0)
    return ReleaseBound(
        name="sum",
        statement=f"R6: a sum of {number:,} records of which each follows a law of {len(belief):,} "
        f"values to {exact_text(least)} at least; the victim's record moves it by "
        f"{exact_text(step)}",
        epsilon=Enclosure.exactly(exact),
        delta=least_law_delta([LeastLaw(law, least, number)], epsilon=exact, shift=step),
        parameters={
            "records": str(number),
            "part": exact_text(least),
            "shift": exact_text(step),
            "values": str(len(belief)),
        },
        attained="",
        flags=("for this belief alone: who knows the other records reads this one off the sum",),
        hypotheses=_hypotheses("records", assume),
        beside={EVERYONE: Enclosure.exactly(Fraction(1))},
    )


def noisy_bound(
    *,
    records: Number,
    mass: Number,
    epsilon: Number,
    laplace: Number | None = None,
    gaussian: Number | None = None,
    block: Number = "2",
    shift: Number = "1",
    assume: Iterable[str | Assumption] = (),
) -> ReleaseBound:
    """Bound what a noisy sum tells, of noise and records together (R13).

    Noise alone holds against everyone, the records alone for a belief; both together are never
    worse than either.

    Args:
        records: How many records the adversary does not know, beside the victim's.
        mass: Least block mass of each: the probability with which it is one of so many values,
            evenly, whatever she knows of it.
        epsilon: A number, a,b,c or start:stop:count.
        laplace: Rate of discrete Laplace noise: Pr[z] falls with e^(-rate |z|).
        gaussian: Variance of discrete Gaussian noise: Pr[z] falls with e^(-z²/(2 variance)).
        block: How many values a block has, one shift apart.
        shift: How far one record moves the sum.
        assume: Confirm what no data can show: independence of the records, and that the belief,
            which the block mass is, was not fitted to them; may be repeated.

    >>> bound = noisy_bound(records=100, mass="0.3", laplace=1, epsilon="1/2")
    >>> print(bound.delta, *bound.beside.values())
    0.01156154 0.2876491 0.01977408
    """
    if (laplace is None) == (gaussian is None):
        raise InvalidArgument("laplace, gaussian", "none or both", "exactly one of the two")
    kind = NoiseKind.LAPLACE if gaussian is None else NoiseKind.GAUSSIAN
    parameter = rational(kind.value, laplace if gaussian is None else gaussian, above=0)
    noise, share = AddedNoise(kind, parameter), rational("mass", mass, least=0, most=1)
    number, step = integer("records", records, least=0), integer("shift", shift, least=1)
    values = integer("block", block, least=2, most=1 << 16)
    exact = rational("epsilon", epsilon, least=0)
    law = FiniteLattice({step * place: Fraction(1, values) for place in range(values)})
    draws = LeastLaw(law, share, number)
    return ReleaseBound(
        name="noisy",
        statement=f"R13: a sum of {number:,} records with {noise}, which the victim's record moves "
        f"by {step}",
        epsilon=Enclosure.exactly(exact),
        delta=noisy_delta(noise, draws, epsilon=exact, shift=step),
        parameters={
            "records": str(number),
            "mass": exact_text(share),
            "block": str(values),
            "shift": str(step),
            kind.value: exact_text(noise.parameter),
        },
        attained="",
        flags=(
            f"{EVERYONE}: the noise alone, whatever is known of the records",
            "noise and records together: for this belief alone",
        ),
        hypotheses=_hypotheses("records", assume),
        beside={
            f"noise alone, {EVERYONE}": noisy_delta(noise, None, epsilon=exact, shift=step),
            "records alone": noisy_delta(None, draws, epsilon=exact, shift=step),
        },
    )


def _hypotheses(units: str, assume: Iterable[str | Assumption]) -> tuple[Hypothesis, ...]:
    """Return what no input can show, each on the caller's word or owed."""
    answered = read_assumptions(assume, BELIEVED, f"a belief about {units}")
    details = {
        Assumption.INDEPENDENCE: (
            f"independent {units}",
            f"{units} are independent of one another, given all that the adversary knows",
        ),
        Assumption.BELIEF: (
            "belief",
            f"it was written down without a look at these {units}, and no more is known",
        ),
    }
    return tuple(
        Hypothesis(name, _STATUS[assumption in answered], detail, assumption=assumption)
        for assumption, (name, detail) in details.items()
    )


_STATUS = (Status.OWED, Status.ASSUMED)


def _masses(belief: Mapping[str, Number]) -> dict[str, Fraction]:
    """Return the probability of each cell."""
    masses = {name: rational(f"p of {name}", mass, least=0) for name, mass in belief.items()}
    total = sum(masses.values(), Fraction(0))
    if total != 1:
        exact = exact_text(total)
        raise InvalidArgument("belief", f"probabilities that sum to {exact}", "a sum of exactly 1")
    if len(masses) < 2:
        raise InvalidArgument("belief", f"{len(masses)} cell", "two cells at least")
    return masses
