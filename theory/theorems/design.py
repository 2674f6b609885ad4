"""A designer's questions: how many records, how much spread, how strong an adversary.

Each is answered by the corrected formulas themselves: the target (epsilon, delta) is met at the
answer and missed just outside it, both certified. The searches bisect, so they rest on delta
moving one way in the quantity asked for; ``Design.basis`` says why it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil
from typing import Any, Literal

from kproof.arguments import a, asking
from kproof.errors import Infeasible, InvalidArgument
from kproof.forms import JsonForm, group
from kproof.notebooks import html_table, latex_lines, latex_value, latex_words
from kproof.theory.exact.typed import Number, choice, integer, rational, theorem_number
from kproof.theory.laws.base import LatticeLaw
from kproof.theory.laws.data import empirical
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.api import bound
from kproof.theory.theorems.assumptions import Assumption, as_assumptions
from kproof.theory.theorems.blocks import BlockBound, block_bound
from kproof.theory.theorems.bounds import SCHEMA, Bound, shown_exactly
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments

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
    inside: Bound | BlockBound
    """The bound at the answer: it meets the target, conditional on whatever it owes."""
    outside: Bound | BlockBound | None
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
        return f"Design({self._told}{rests})"

    @property
    def _told(self) -> str:
        target = f"epsilon = {shown_exactly(self.epsilon)}, delta = {shown_exactly(self.delta)}"
        return f"{self.quantity.value} = {shown_exactly(self.answer)} meets {target}"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            (shown_exactly(self.answer), self.inside.delta, "reached", self.inside.state)
        ]
        if self.outside is not None and self.next_value is not None:
            rows.append((shown_exactly(self.next_value), self.outside.delta, "missed", ""))
        headings = (self.quantity.value, "delta", "target", "rests on")
        return html_table(self._told, headings, rows)

    def _repr_latex_(self) -> str:
        name = _SYMBOLS[self.quantity]
        most = latex_value(shown_exactly(self.delta))
        lines = [
            rf"\varepsilon &= {latex_value(shown_exactly(self.epsilon))}",
            rf"{name} &= {latex_value(shown_exactly(self.answer))} : & \delta &= "
            rf"{latex_value(self.inside.delta)} \le {most}",
        ]
        if self.outside is not None and self.next_value is not None:
            lines.append(
                rf"{name} &= {latex_value(shown_exactly(self.next_value))} : & \delta &= "
                rf"{latex_value(self.outside.delta)} \not\le {most}"
            )
        state = self.inside.state or "every hypothesis was checked"
        return latex_lines([*lines, f"& {latex_words(state)}"])

    to_dict = JsonForm(
        "quantity holds conditional_on=inside.owed.name assumed=inside.assumed.name answer",
        group("target", "What was asked for.", "epsilon delta"),
        "inside outside next_value basis",
        schema=SCHEMA,
        exact=shown_exactly,
    )


@asking(record=a(RecordMoments, phrase="RecordMoments, those of one record"))
def design(
    quantity: str | Quantity,
    *,
    epsilon: Number,
    delta: Number,
    theorem: int | Literal["blocks"] = 2,
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

    Parameters
    ----------
    quantity
        ``n`` (fewest records), ``variance`` or ``sigma`` (least of the sum, at a fixed shape of
        the records' law), ``s`` (largest shift), ``lambda1`` or ``lambda2`` (largest fractions),
        ``beta`` (least block mass).
    epsilon, delta
        The target, epsilon >= 0 and 0 < delta < 1.
    theorem
        1 to 5: the corrected statement. Theorem 1 needs p and k and solves for n only; the others
        need ``record``. Or ``"blocks"``, which needs ``beta`` and ``block``, or ``law``.
    n, p, k, record, s, neighbourhood, lambda1, lambda2, events, assume
        What is fixed and what the caller answers for, as in
        :func:`kproof.theory.theorems.api.bound`; the quantity asked for is left out. For n
        at level II or IV give ``neighbourhood``: a fraction of growing n grows too.

    data
        A column of numbers, in place of ``record``: its moments, with ``n`` by default its length
        (unless n is asked for). With blocks its values' law, in place of ``law``, unless ``beta``
        is given.
    beta, block, law, least_share
        What is said of the records, as in
        :func:`kproof.theory.theorems.blocks.block_bound`; ``law`` is that of one record.

    Raises
    ------
    Infeasible
        If no value meets the target; says how close the best one comes.
    InvalidArgument
        If something needed is missing or out of range.

    Examples
    --------
    >>> coin = RecordMoments.of("0.5", "0.5", "0.5", "0.5")
    >>> found = design("n", epsilon="0.5", delta="0.01", record=coin)
    >>> found.answer, found.inside.delta.upper <= 0.01 < found.outside.delta.lower
    (Fraction(11779, 1), True)
    >>> found.holds, found.inside.state
    (False, 'conditional on independent records')

    How many records whose law is, with probability 0.8, uniform on ten neighbouring values:

    >>> said = {"beta": "0.8", "block": 10}
    >>> design("n", theorem="blocks", epsilon="0.1", delta="0.001", **said).answer
    Fraction(48, 1)
    """
    asked = choice("quantity", quantity, Quantity)
    target = rational("epsilon", epsilon, least=0), rational("delta", delta, above=0, below=1)
    given: dict[str, object] = {
        "n": n,
        "s": s,
        "lambda1": lambda1,
        "lambda2": lambda2,
        "beta": beta,
    }
    if given.get(asked.value) is not None:
        raise InvalidArgument(asked.value, given[asked.value], "no value: it is solved for")
    said: dict[str, object] = {"beta": beta, "block": block, "law": law, "least_share": least_share}
    if data is not None:
        if record is not None or law is not None:
            raise InvalidArgument("data", f"{len(data)} values", "no record or law beside it")
        if theorem == "blocks":
            law = None if beta is not None else empirical(data, name="data")
        elif theorem_number(theorem) == 1:
            raise InvalidArgument("data", f"{len(data)} values", "no data with theorem 1")
        else:
            record = RecordMoments.from_column(data, name="data")
        n = len(data) if n is None and asked is not Quantity.N else n
        given["n"], said["law"] = n, law
    if theorem == "blocks":
        none: dict[str, object] = {"p": p, "k": k, "record": record, "neighbourhood": neighbourhood}
        for name, unwanted in none.items():
            if unwanted is not None:
                raise InvalidArgument(name, unwanted, f"no {name} with blocks")
        return _of_blocks(
            asked, target, said, n=n, s=s, lambda1=lambda1, lambda2=lambda2, assume=assume
        )
    number = theorem_number(theorem)
    assumed = as_assumptions(number, assume)
    for name, unwanted in said.items():
        if unwanted is not None:
            raise InvalidArgument(name, unwanted, f"no {name} with theorem {number}")
    if asked is Quantity.BETA:
        raise InvalidArgument("theorem", number, "blocks with beta")
    if asked is Quantity.LAMBDA1 and neighbourhood is not None:
        raise InvalidArgument("neighbourhood", neighbourhood, "no value: lambda1 is solved for")
    if number == 1:
        for name, value in {**given, "record": record, "neighbourhood": neighbourhood}.items():
            if value is not None:
                raise InvalidArgument(name, value, f"no {name} with theorem 1")
        return _fewest_selected(asked, target, p=p, k=k)
    if p is not None:
        raise InvalidArgument("p", p, "no p with theorems 2 to 5")
    if record is None:
        raise InvalidArgument("record", None, "the moments of one record, or a column of data")
    if record.variance == 0:
        raise InvalidArgument("record", "variance 0", "a record that varies")
    shift = rational("s", 1 if s is None else s, above=0)

    def at(
        moments: Moments,
        *,
        s: Fraction = shift,
        one: int | None = neighbourhood,
        two: Number | None = lambda2,
    ) -> Bound:
        return bound(
            number,
            moments=moments,
            adversary=Adversary.of(
                s=s,
                neighbourhood=one,
                lambda1=lambda1,
                lambda2=two,
            ),
            k=k,
            epsilon=target[0],
            events=events,
            assume=assumed,
        )

    if asked is Quantity.N:
        if lambda1 is not None:
            raise InvalidArgument("lambda1", lambda1, "neighbourhood in its place: n grows")
        hidden = 0 if lambda2 is None else rational("lambda2", lambda2, least=0, below=1)
        start = max(ceil(1 / (1 - hidden)), 1 if k is None else integer("k", k, least=1))
        return _fewest(
            lambda m: at(Moments.iid(record, n=m)), target, asked, start, _DATA_PROCESSING
        )
    moments = Moments.iid(record, n=integer("n", n, least=1))
    count = moments.n
    if asked in (Quantity.VARIANCE, Quantity.SIGMA):
        if record.is_bernoulli:
            raise InvalidArgument("record", "0/1 values", "records that can be scaled; solve for n")
        unknown = Adversary.of(s=shift, lambda2=lambda2).unknown(count)
        power = 1 if asked is Quantity.VARIANCE else 2
        return _least(lambda x: at(moments.of_unknown(unknown).rescaled(x**power)), target, asked)
    if asked is Quantity.S:
        return _largest_shift(lambda x: at(moments, s=x), target, record.is_bernoulli)
    if asked is Quantity.LAMBDA1:
        _require_theorem(asked, number, (3, 5))
        return _largest_fraction(lambda m: at(moments, one=m), target, asked, count, 1, count)
    _require_theorem(asked, number, (4, 5))
    return _largest_fraction(
        lambda m: at(moments, two=Fraction(m, count)), target, asked, count, 0, count - 1
    )


_DATA_PROCESSING = (
    "every term of the bound falls as records of one law are added; for the exact profile of "
    "independent records this is the data-processing inequality"
)

Target = tuple[Fraction, Fraction]


def _require_theorem(asked: Quantity, theorem: int, allowed: tuple[int, int]) -> None:
    if theorem not in allowed:
        raise InvalidArgument(
            "theorem", theorem, f"{allowed[0]} or {allowed[1]} with {asked.value}"
        )


def _meets(claim: Bound | BlockBound, target: Target) -> bool:
    return claim.applies and claim.delta is not None and Fraction(claim.delta.upper) <= target[1]


def _fewest_selected(
    asked: Quantity, target: Target, *, p: Number | None, k: Number | None
) -> Design:
    if asked is not Quantity.N:
        raise InvalidArgument("quantity", asked.value, "n, the only one that Theorem 1 has")
    if p is None or k is None:
        raise InvalidArgument("p" if p is None else "k", None, "a value with theorem 1")
    return _fewest(
        lambda m: bound(1, n=m, p=p, k=k, epsilon=target[0]),
        target,
        asked,
        integer("k", k, least=1),
        "the value just outside is certified to miss; that no smaller n meets the target is proved "
        "for the count without truncation (data processing) and was found without exception for "
        "the truncated one",
    )


def _of_blocks(
    asked: Quantity,
    target: Target,
    said: Mapping[str, Any],
    *,
    n: Number | None,
    s: Number | None,
    lambda1: Number | None,
    lambda2: Number | None,
    assume: Iterable[str | Assumption],
) -> Design:
    """Turn the block bound round (B7)."""
    shift = 1 if s is None else s

    def at(
        count: Number, *, one: Number | None = lambda1, two: Number | None = lambda2, **more: Number
    ) -> BlockBound:
        return block_bound(
            n=count,
            epsilon=target[0],
            adversary=Adversary.of(s=shift, lambda1=one, lambda2=two),
            assume=assume,
            **(dict(said) | more),
        )

    if asked is Quantity.N:
        hidden = sum(
            (rational(name, value, least=0, below=1) if value is not None else Fraction(0))
            for name, value in (("lambda1", lambda1), ("lambda2", lambda2))
        )
        if hidden >= 1:
            raise Infeasible(f"lambda1 + lambda2 = {shown_exactly(hidden)}: no record counts")
        start = ceil(1 / (1 - hidden))
        return _fewest(at, target, asked, start, _MORE_BLOCKS)
    count = integer("n", n, least=1)
    if asked is Quantity.BETA:
        share = Fraction(1, RESOLUTION)
        if said["law"] is not None:
            raise InvalidArgument("law", "with beta", "no law: its block masses are computed")
        full = at(count, beta=1)
        if not _meets(full, target):
            raise Infeasible(f"not even block mass 1 meets the target: there delta = {full.delta}")
        met = _bisected(lambda i: at(count, beta=i * share), target, bad=0, good=RESOLUTION)
        outside = at(count, beta=(met - 1) * share) if met > 1 else None
        return Design(
            asked,
            met * share,
            at(count, beta=met * share),
            outside,
            (met - 1) * share if outside else None,
            *target,
            f"in steps of {shown_exactly(share)}; the bound falls as block masses rise",
        )
    if asked is Quantity.LAMBDA1:
        return _largest_fraction(
            lambda m: at(count, one=Fraction(m, count)), target, asked, count, 0, count
        )
    if asked is Quantity.LAMBDA2:
        return _largest_fraction(
            lambda m: at(count, two=Fraction(m, count)), target, asked, count, 0, count - 1
        )
    raise InvalidArgument("quantity", asked.value, "n, beta, lambda1 or lambda2 with blocks")


_MORE_BLOCKS = "a record more makes one more block or none, and D_j falls as j rises"


def _fewest(
    at: Callable[[int], Bound | BlockBound], target: Target, asked: Quantity, start: int, basis: str
) -> Design:
    """Double, then bisect."""
    low, high = start - 1, start
    while not _meets(at(high), target):
        if high >= MOST_RECORDS:
            raise Infeasible(
                f"no n up to {MOST_RECORDS} meets epsilon = {shown_exactly(target[0])}, delta = "
                f"{shown_exactly(target[1])}: there delta = {at(high).delta}"
            )
        low, high = high, min(2 * high, MOST_RECORDS)
    met = _bisected(at, target, bad=low, good=high)
    outside = at(met - 1) if met > start else None
    return Design(
        asked,
        Fraction(met),
        at(met),
        outside,
        Fraction(met - 1) if outside else None,
        *target,
        basis if outside else f"no n below {start} is asked about",
    )


def _bisected(
    at: Callable[[int], Bound | BlockBound], target: Target, *, bad: int, good: int
) -> int:
    """Return the value next to ``bad`` that meets the target; both ends are not evaluated."""
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        if _meets(at(middle), target):
            good = middle
        else:
            bad = middle
    return good


def _largest_fraction(
    at: Callable[[int], Bound | BlockBound],
    target: Target,
    asked: Quantity,
    n: int,
    least: int,
    most: int,
) -> Design:
    if not _meets(at(least), target):
        raise Infeasible(
            f"not even {asked.value} = {shown_exactly(Fraction(least, n))} meets the target: there "
            f"delta = {at(least).delta}"
        )
    met = most if _meets(at(most), target) else _bisected(at, target, bad=most, good=least)
    outside = at(met + 1) if met < most else None
    return Design(
        asked,
        Fraction(met, n),
        at(met),
        outside,
        Fraction(met + 1, n) if outside else None,
        *target,
        f"counted in records of n = {n}; every term of the bound rises with the count",
    )


def _largest_shift(at: Callable[[Fraction], Bound], target: Target, whole: bool) -> Design:
    """Search whole shifts for 0/1 records, where others cover fewer events, and decimals else."""
    if whole:
        unit, high = Fraction(1), 1
        while _meets(at(high * unit), target):
            high *= 2
        low = high // 2
    else:
        exponent = next((e for e in _DECADES if _meets(at(Fraction(10) ** e), target)), None)
        if exponent is None or exponent == _DECADES[0]:
            raise Infeasible(_beyond("shift", at, exponent))
        unit = Fraction(10) ** exponent / RESOLUTION
        low, high = RESOLUTION, 10 * RESOLUTION
    if low == 0:
        raise Infeasible(f"no shift meets the target: at s = 1 delta = {at(unit).delta}")
    met = _bisected(lambda i: at(i * unit), target, bad=high, good=low)
    return Design(
        Quantity.S,
        met * unit,
        at(met * unit),
        at((met + 1) * unit),
        (met + 1) * unit,
        *target,
        f"in steps of {shown_exactly(unit)}; the Gaussian profile rises with the shift",
    )


def _least(at: Callable[[Fraction], Bound], target: Target, asked: Quantity) -> Design:
    """Scale the records: their standardised moments, and so the error term, stay as they are."""
    rising = _DECADES[::-1]
    exponent = next((e for e in rising if _meets(at(Fraction(10) ** e), target)), None)
    if exponent is None or exponent == rising[0]:
        raise Infeasible(_beyond(asked.value, at, exponent))
    unit = Fraction(10) ** exponent / RESOLUTION
    met = _bisected(lambda i: at(i * unit), target, bad=RESOLUTION // 10, good=RESOLUTION)
    return Design(
        asked,
        met * unit,
        at(met * unit),
        at((met - 1) * unit),
        (met - 1) * unit,
        *target,
        f"in steps of {shown_exactly(unit)}, the records' shape being fixed; the Gaussian profile "
        "falls with the spread",
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
