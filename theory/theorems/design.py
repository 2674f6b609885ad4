"""A designer's questions: how many records, how much spread, how strong an adversary.

Each is answered by the corrected formulas themselves: the target (epsilon, delta) is met at the
answer and missed just outside it, both certified. The searches bisect, so they rest on delta
moving one way in the quantity asked for; ``Design.basis`` says why it does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil
from typing import Any

from kproof.arguments import a, check_arguments
from kproof.errors import Infeasible, InvalidArgument
from kproof.forms import JsonForm, group
from kproof.notebooks import html_table, latex_lines, latex_value, latex_words
from kproof.theory.exact.typed import Number, choice, integer, rational
from kproof.theory.laws import LatticeLaw, empirical
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.api import bound
from kproof.theory.theorems.assumptions import Assumption
from kproof.theory.theorems.bounds import SCHEMA, Bound, ProvedBound, exact_text
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments
from kproof.theory.theorems.registry import OwnBound, RegisteredTheorem, find_bound, theorems

MOST_RECORDS = 10**12
"""No search for n looks further."""
RESOLUTION = 10**6
"""Real answers are found on the decimals with this many steps in each leading digit."""


class Quantity(StrEnum):
    """What a design solves for."""

    N = "n"
    """Fewest records."""
    VARIANCE = "variance"
    """Least variance of the sum, the shape of a record's law being fixed."""
    SIGMA = "sigma"
    """Its root, the least standard deviation of the sum."""
    S = "s"
    """Largest shift."""
    LAMBDA1 = "lambda1"
    """Largest fraction of users whose dependencies may be known."""
    LAMBDA2 = "lambda2"
    """Largest fraction of users whose values may be known."""
    BETA = "beta"
    """Least block mass of every record (block bounds)."""


_SYMBOLS = {
    Quantity.N: "n",
    Quantity.VARIANCE: r"\mathrm{Var}",
    Quantity.SIGMA: r"\sigma",
    Quantity.S: "s",
    Quantity.LAMBDA1: r"\lambda_1",
    Quantity.LAMBDA2: r"\lambda_2",
    Quantity.BETA: r"\beta",
}


@dataclass(frozen=True, repr=False)
class Design:
    """The answer to a design question, with its certificates."""

    quantity: Quantity
    """What was solved for."""
    answer: Fraction
    """Exact."""
    inside: Bound | ProvedBound
    """The bound at the answer: it meets the target, conditional on whatever it owes."""
    outside: Bound | ProvedBound | None
    """The bound at the next value on the wrong side: it misses the target. None where the
    answer is the end of the range."""
    next_value: Fraction | None
    """The value ``outside`` was evaluated at."""
    epsilon: Fraction
    delta: Fraction
    """The target."""
    basis: str
    """Why no value further outside can meet the target."""

    @property
    def holds(self) -> bool:
        """Whether every hypothesis was checked or answered for; never while one is owed."""
        return self.inside.holds

    def __repr__(self) -> str:
        """Return the answer and what it rests on, without the bounds beside it."""
        rests = f", {self.inside.state}" if self.inside.state else ""
        return f"Design({self._sentence}{rests})"

    @property
    def _sentence(self) -> str:
        target = f"epsilon = {exact_text(self.epsilon)}, delta = {exact_text(self.delta)}"
        return f"{self.quantity.value} = {exact_text(self.answer)} meets {target}"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            (exact_text(self.answer), self.inside.delta, "reached", self.inside.state)
        ]
        if self.outside is not None and self.next_value is not None:
            rows.append((exact_text(self.next_value), self.outside.delta, "missed", ""))
        headings = (self.quantity.value, "delta", "target", "rests on")
        return html_table(self._sentence, headings, rows)

    def _repr_latex_(self) -> str:
        name = _SYMBOLS[self.quantity]
        target = latex_value(exact_text(self.delta))
        lines = [
            rf"\varepsilon &= {latex_value(exact_text(self.epsilon))}",
            rf"{name} &= {latex_value(exact_text(self.answer))} : & \delta &= "
            rf"{latex_value(self.inside.delta)} \le {target}",
        ]
        if self.outside is not None and self.next_value is not None:
            lines.append(
                rf"{name} &= {latex_value(exact_text(self.next_value))} : & \delta &= "
                rf"{latex_value(self.outside.delta)} \not\le {target}"
            )
        state = self.inside.state or "every hypothesis was checked"
        return latex_lines([*lines, f"& {latex_words(state)}"])

    to_dict = JsonForm(
        "quantity holds conditional_on=inside.owed.name assumed=inside.assumed.name answer",
        group("target", "What was asked for.", "epsilon delta"),
        "inside outside next_value basis",
        schema=SCHEMA,
        exact=exact_text,
    )


@dataclass(frozen=True)
class DesignTarget:
    """What a design is asked: the target, and all that is fixed."""

    quantity: Quantity
    """What is solved for."""
    epsilon: Fraction
    delta: Fraction
    """The target."""
    fixed: Mapping[str, Any]
    """The keywords of :func:`design` as they were typed, None where nothing was; a column of data
    is a law by now."""

    def answer(
        self,
        answer: Fraction,
        inside: Bound | ProvedBound,
        outside: Bound | ProvedBound | None,
        next_value: Fraction,
        basis: str,
    ) -> Design:
        """Return the answer with its certificates."""
        missed = next_value if outside else None
        return Design(
            self.quantity, answer, inside, outside, missed, self.epsilon, self.delta, basis
        )


@check_arguments(record=a(RecordMoments, phrase="RecordMoments, those of one record"))
def design(
    quantity: str | Quantity,
    *,
    epsilon: Number,
    delta: Number,
    theorem: int | str = 2,
    n: Number | None = None,
    p: Number | None = None,
    k: Number | None = None,
    record: RecordMoments | None = None,
    data: Sequence[Number] | None = None,
    beta: Number | None = None,
    block: Number | None = None,
    law: LatticeLaw | None = None,
    least_share: Number | None = None,
    s: Number | None = None,
    neighbourhood: int | None = None,
    lambda1: Number | None = None,
    lambda2: Number | None = None,
    events: str = "intervals",
    assume: Iterable[str | Assumption] = (),
) -> Design:
    """Find the weakest requirement under which a bound meets a target.

    Args:
        quantity: ``n`` (fewest records), ``variance`` or ``sigma`` (least of the sum, at a fixed
            shape of the records' law), ``s`` (largest shift), ``lambda1`` or ``lambda2`` (largest
            fractions), ``beta`` (least block mass).
        epsilon, delta: The target, epsilon >= 0 and 0 < delta < 1.
        theorem: 1 to 5: the corrected statement. Theorem 1 needs p and k and solves for n only; the
            others need ``record``. Or the name of another bound, such as ``"blocks"``, which needs
            ``beta`` and ``block``, or ``law``.
        n, p, k, record, s, neighbourhood, lambda1, lambda2, events, assume: What is fixed and what
            the caller answers for, as in :func:`kproof.theory.theorems.api.bound`; the quantity
            asked for is left out. For n at level II or IV give ``neighbourhood``: a fraction of
            growing n grows too.
        data: A column of numbers, in place of ``record``: its moments, with ``n`` by default its
            length (unless n is asked for). With blocks its values' law, in place of ``law``, unless
            ``beta`` is given.
        beta, block, law, least_share: What is said of the records, as in
            :func:`kproof.theory.theorems.blocks.block_bound`; ``law`` is that of one record.

    Raises:
        Infeasible: If no value meets the target; says how close the best one comes.

    >>> coin = RecordMoments.of("0.5", "0.5", "0.5", "0.5")
    >>> smallest = design("n", epsilon="0.5", delta="0.01", record=coin)
    >>> smallest.answer, smallest.inside.delta.upper <= 0.01 < smallest.outside.delta.lower
    (Fraction(11779, 1), True)
    >>> smallest.holds, smallest.inside.state
    (False, 'conditional on independent records')

    How many records whose law is, with probability 0.8, uniform on ten neighbouring values:

    >>> said = {"beta": "0.8", "block": 10}
    >>> design("n", theorem="blocks", epsilon="0.1", delta="0.001", **said).answer
    Fraction(48, 1)
    """
    sought = choice("quantity", quantity, Quantity)
    target = rational("epsilon", epsilon, least=0), rational("delta", delta, above=0, below=1)
    fixed: dict[str, Any] = {
        "n": n,
        "p": p,
        "k": k,
        "s": s,
        "record": record,
        "neighbourhood": neighbourhood,
        "beta": beta,
        "block": block,
        "law": law,
        "least_share": least_share,
        "lambda1": lambda1,
        "lambda2": lambda2,
    }
    if fixed.get(sought.value) is not None:
        raise InvalidArgument(sought.value, fixed[sought.value], "no value: it is solved for")
    if data is not None and (record is not None or law is not None):
        raise InvalidArgument("data", f"{len(data)} values", "no record or law beside it")
    entry = find_bound(theorem)
    if data is not None:
        if isinstance(entry, OwnBound):
            law = None if beta is not None else empirical(data, name="data")
        elif entry.counts:
            raise InvalidArgument("data", f"{len(data)} values", f"no data with {entry.phrase}")
        else:
            record = RecordMoments.from_column(data, name="data")
        n = len(data) if n is None and sought is not Quantity.N else n
        fixed |= {"n": n, "law": law, "record": record}
    question = DesignTarget(sought, *target, {**fixed, "assume": assume})
    if isinstance(entry, OwnBound):
        _refuse(fixed, fixed.keys() - entry.fixed - {"n", "s"}, entry.phrase)
        solution: Design = entry.design(question)
        return solution
    assumed = entry.read_answers(assume)
    _refuse(fixed, {"beta", "block", "law", "least_share"}, entry.phrase)
    if sought is Quantity.BETA:
        raise InvalidArgument("theorem", entry.number, "blocks with beta")
    if sought is Quantity.LAMBDA1 and neighbourhood is not None:
        raise InvalidArgument("neighbourhood", neighbourhood, "no value: lambda1 is solved for")
    if entry.counts:
        _refuse(fixed, fixed.keys() - {"p", "k"}, entry.phrase)
        return _fewest_selected(question)
    _refuse(fixed, {"p"}, "theorems 2 to 5")
    if record is None:
        raise InvalidArgument("record", None, "the moments of one record, or a column of data")
    if record.variance == 0:
        raise InvalidArgument("record", "variance 0", "a record that varies")
    shift = rational("s", 1 if s is None else s, above=0)

    def at(
        moments: Moments,
        *,
        s: Fraction = shift,
        width: int | None = neighbourhood,
        known: Number | None = lambda2,
    ) -> Bound:
        return bound(
            entry.number,
            moments=moments,
            adversary=Adversary.of(s=s, neighbourhood=width, lambda1=lambda1, lambda2=known),
            k=k,
            epsilon=target[0],
            events=events,
            assume=assumed,
        )

    if sought is Quantity.N:
        if lambda1 is not None:
            raise InvalidArgument("lambda1", lambda1, "neighbourhood in its place: n grows")
        hidden = 0 if lambda2 is None else rational("lambda2", lambda2, least=0, below=1)
        # Of fewer records all would count as known, since their number is rounded up.
        start = max(ceil(1 / (1 - hidden)), 1 if k is None else integer("k", k, least=1))
        return fewest(lambda m: at(Moments.iid(record, n=m)), question, start, _DATA_PROCESSING)
    moments = Moments.iid(record, n=integer("n", n, least=1))
    count = moments.n
    if sought in (Quantity.VARIANCE, Quantity.SIGMA):
        if record.is_bernoulli:
            raise InvalidArgument("record", "0/1 values", "records that can be scaled; solve for n")
        unknown = Adversary.of(s=shift, lambda2=lambda2).unknown(count)
        # The sum whose variance is asked for is that of the records that are random to the
        # adversary.
        power = 1 if sought is Quantity.VARIANCE else 2
        return _least(lambda x: at(moments.of_unknown(unknown).rescaled(x**power)), question)
    if sought is Quantity.S:
        return _largest_shift(lambda x: at(moments, s=x), question, record.is_bernoulli)
    if sought is Quantity.LAMBDA1:
        _require(entry.dependent, entry, sought)
        return largest_fraction(lambda m: at(moments, width=m), question, count, 1, count)
    _require(entry.unknown_only, entry, sought)
    return largest_fraction(
        lambda m: at(moments, known=Fraction(m, count)), question, count, 0, count - 1
    )


_DATA_PROCESSING = (
    "every term of the bound falls as records of one law are added; for the exact profile of "
    "independent records this is the data-processing inequality"
)


def _refuse(values: Mapping[str, object], unwanted: Collection[str], place: str) -> None:
    for name, value in values.items():
        if name in unwanted and value is not None:
            raise InvalidArgument(name, value, f"no {name} with {place}")


def _require(has: bool, entry: RegisteredTheorem, quantity: Quantity) -> None:
    """Refuse a quantity that a theorem has not, and name the theorems that have it."""
    if has:
        return
    kind = "dependent" if quantity is Quantity.LAMBDA1 else "unknown_only"
    able = [theorem.name for theorem in theorems() if getattr(theorem, kind)]
    raise InvalidArgument("theorem", entry.number, f"{' or '.join(able)} with {quantity.value}")


def meets(claim: Bound | ProvedBound, question: DesignTarget) -> bool:
    """Return whether a claim applies and its δ is certainly at most that of the target."""
    return (
        claim.applies and claim.delta is not None and Fraction(claim.delta.upper) <= question.delta
    )


def _fewest_selected(question: DesignTarget) -> Design:
    p, k = question.fixed["p"], question.fixed["k"]
    if question.quantity is not Quantity.N:
        need = "n, the only one that Theorem 1 has"
        raise InvalidArgument("quantity", question.quantity.value, need)
    if p is None or k is None:
        raise InvalidArgument("p" if p is None else "k", None, "a value with theorem 1")
    return fewest(
        lambda m: bound(1, n=m, p=p, k=k, epsilon=question.epsilon),
        question,
        integer("k", k, least=1),
        "the value just outside is certified to miss; that no smaller n meets the target is proved "
        "for the count without truncation (data processing) and was found without exception for "
        "the truncated one",
    )


def fewest(
    at: Callable[[int], Bound | ProvedBound], question: DesignTarget, start: int, basis: str
) -> Design:
    """Return the fewest records, not below ``start``: double, then bisect."""
    low, high = start - 1, start
    # Doubling skips nothing: the bound falls as records are added (see basis).
    while not meets(at(high), question):
        if high >= MOST_RECORDS:
            raise Infeasible(
                f"no n up to {MOST_RECORDS} meets epsilon = {exact_text(question.epsilon)}, "
                f"delta = {exact_text(question.delta)}: there delta = {at(high).delta}"
            )
        low, high = high, min(2 * high, MOST_RECORDS)
    met = _bisect(at, question, bad=low, good=high)
    outside = at(met - 1) if met > start else None
    basis = basis if outside else f"no n below {start} is asked about"
    return question.answer(Fraction(met), at(met), outside, Fraction(met - 1), basis)


def on_steps(
    at: Callable[[int], Bound | ProvedBound],
    question: DesignTarget,
    unit: Fraction,
    *,
    bad: int,
    good: int,
    basis: str,
) -> Design:
    """Return the multiple of a unit next to ``bad`` that meets the target."""
    met = _bisect(at, question, bad=bad, good=good)
    beyond = met + (1 if bad > good else -1)
    # Nothing is shifted or spread by 0: below the first step there is no bound to show.
    outside = at(beyond) if beyond else None
    basis = f"in steps of {exact_text(unit)}{basis}"
    return question.answer(met * unit, at(met), outside, beyond * unit, basis)


def _bisect(
    at: Callable[[int], Bound | ProvedBound], question: DesignTarget, *, bad: int, good: int
) -> int:
    """Return the value next to ``bad`` that meets the target; both ends are not evaluated."""
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if meets(at(middle), question) else (good, middle)
    return good


def largest_fraction(
    at: Callable[[int], Bound | ProvedBound], question: DesignTarget, n: int, least: int, most: int
) -> Design:
    """Return the most of ``n`` records, as a fraction, of which the target is met."""
    if not meets(at(least), question):
        raise Infeasible(
            f"not even {question.quantity.value} = {exact_text(Fraction(least, n))} meets the "
            f"target: there delta = {at(least).delta}"
        )
    met = most if meets(at(most), question) else _bisect(at, question, bad=most, good=least)
    outside = at(met + 1) if met < most else None
    basis = f"counted in records of n = {n}; every term of the bound rises with the count"
    return question.answer(Fraction(met, n), at(met), outside, Fraction(met + 1, n), basis)


def _largest_shift(
    at: Callable[[Fraction], Bound], question: DesignTarget, integral: bool
) -> Design:
    """Search whole shifts for 0/1 records, where others cover fewer events, and decimals else."""
    if integral:
        unit, high = Fraction(1), 1
        # It ends: the Gaussian profile tends to 1 with the shift, and the target is below 1.
        while meets(at(high * unit), question):
            high *= 2
        low = high // 2
    else:
        # The decades fall: the next larger one missed, so the answer has this one's digits.
        exponent = next((e for e in _DECADES if meets(at(Fraction(10) ** e), question)), None)
        if exponent is None or exponent == _DECADES[0]:
            raise Infeasible(_beyond("shift", at, exponent))
        unit = Fraction(10) ** exponent / RESOLUTION
        low, high = RESOLUTION, 10 * RESOLUTION
    if low == 0:
        raise Infeasible(f"no shift meets the target: at s = 1 delta = {at(unit).delta}")
    rises = "; the Gaussian profile rises with the shift"
    return on_steps(lambda i: at(i * unit), question, unit, bad=high, good=low, basis=rises)


def _least(at: Callable[[Fraction], Bound], question: DesignTarget) -> Design:
    """Scale the records: their standardised moments, and so the error term, stay as they are."""
    # The decades rise: the next smaller one missed, so the answer is above a tenth of the first.
    rising = _DECADES[::-1]
    exponent = next((e for e in rising if meets(at(Fraction(10) ** e), question)), None)
    if exponent is None or exponent == rising[0]:
        raise Infeasible(_beyond(question.quantity.value, at, exponent))
    unit = Fraction(10) ** exponent / RESOLUTION
    basis = ", the records' shape being fixed; the Gaussian profile falls with the spread"
    return on_steps(
        lambda i: at(i * unit), question, unit, bad=RESOLUTION // 10, good=RESOLUTION, basis=basis
    )


_DECADES = range(40, -41, -1)
"""Powers of ten within which real answers are looked for."""


def _beyond(name: str, at: Callable[[Fraction], Bound], exponent: int | None) -> str:
    if exponent is not None:
        return f"every {name} from 1e-40 to 1e+40 meets the target"
    best = min((at(Fraction(10) ** e) for e in (40, -40)), key=_upper)
    return (
        f"no {name} from 1e-40 to 1e+40 meets the target: at best delta = {best.delta} (the error "
        "term depends on the shape of the records' law and on n only)"
    )


def _upper(claim: Bound) -> Fraction:
    return Fraction(1) if claim.delta is None else Fraction(claim.delta.upper)
