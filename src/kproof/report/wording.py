"""What a comparison says, in words: for tables on a terminal and for the report."""

from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import ROUND_CEILING, Context

from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.reading import Reading
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.bounds import (
    ALL,
    HALF_LINES,
    INTERVALS,
    Bound,
    Events,
    Status,
    exact_text,
)
from kproof.theory.theorems.comparison import Comparison, Standing
from kproof.theory.theorems.registry import own_bounds

_EVENTS = {ALL: "every event", HALF_LINES: "half-lines", INTERVALS: "intervals"}

_TRUE = {
    Standing.SOUND: "That is true here",
    Standing.ASSUMED: "That is true if what you confirm is",
    Standing.CONDITIONAL: "That is true if the hypotheses that nobody checked are",
}
_VERDICTS = {
    Standing.REFUTED: "That is false here: the exact δ is larger.",
    Standing.VACUOUS: "A δ of 1 or more promises nothing.",
    Standing.INAPPLICABLE: "By the conditions of its own proof it does not apply here.",
    Standing.NARROWER: "The exact δ over all events is larger.",
    Standing.UNKNOWN: "There is no exact value to hold it against.",
    Standing.UNKNOWN_ASSUMED: "It is assumed, and there is no exact value to hold it against.",
}


def number(value: Enclosure | None) -> str:
    """Return the certain digits of a value."""
    return "none" if value is None else str(value)


def at_most(value: Enclosure) -> str:
    """Return the upper end of an enclosure, rounded up to seven digits.

    >>> from decimal import Decimal
    >>> at_most(Enclosure(Decimal("0.1234567"), Decimal("0.12345678")))
    '0.1234568'
    """
    if not value.upper.is_finite():
        return "no finite one"
    rounded = Context(prec=7, rounding=ROUND_CEILING).plus(value.upper).normalize()
    return str(Enclosure(rounded, rounded))


def value_of(comparison: Comparison, name: Reading | str) -> str:
    """Return what a reading claims, or what another bound proves."""
    if isinstance(name, Reading):
        return number(comparison.claimed(name))
    proved = comparison.proved_by(name)
    return "none" if proved is None else at_most(proved.delta)


def events(covered: Events) -> str:
    """Return what events a statement covers, in words."""
    return _EVENTS.get(covered, f"unions of {covered.intervals} intervals")


def knows(adversary: Adversary, *, n: int) -> str:
    """Say what an adversary of some level knows about n records beforehand."""
    parts = [f"how far one record moves the sum ({exact_text(adversary.s)})"]
    if adversary.knows_dependence:
        largest = adversary.largest_neighbourhood(n)
        parts.append(f"which records depend on one another (up to {largest} together)")
    if adversary.knows_records:
        parts.append(f"the values of {n - adversary.unknown(n):,} of the {n:,} records")
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def explain(comparison: Comparison) -> Iterator[str]:
    """Say what one comparison of Theorems 2 to 5 means, a sentence or two at a time."""
    printed, proved = comparison.bounds[Reading.PRINTED], comparison.bounds[Reading.CORRECTED]
    yield (
        f"The paper's Theorem {comparison.theorem} prints ε = {number(printed.epsilon)} and "
        f"δ = {number(printed.delta)}. {_verdict(comparison)}"
    )
    if proved.applies and proved.delta is not None and proved.delta.upper < 1:
        rests = f", {proved.state}" if proved.state else ""
        yield (
            f"At that ε, δ = {number(proved.delta)} can be proved for {events(proved.events)} "
            f"from the moments alone{rests}."
        )
    else:
        yield "At that ε the moments alone prove nothing better than δ = 1."
    for entry in own_bounds():
        bound = comparison.proved_by(entry.name)
        if bound is not None and bound.delta.upper < 1:
            rests = f", {bound.state}" if bound.state else ""
            yield (
                f"{entry.by.capitalize()} prove δ = {at_most(bound.delta)} at that ε, of every "
                f"event{rests}."
            )
    if comparison.exact is None:
        yield f"The exact value is not available: {comparison.note}."
    else:
        yield f"The exact value for independent draws from this column is δ = {comparison.exact}."


def remarks(claim: Bound, *, details: bool = True) -> Iterator[str]:
    """Yield the hypotheses that fail or are left to the reader, then the flags.

    Without details, which say which numbers failed, what fails at many points reads the same.
    """
    words = {
        Status.FAILS: "fails",
        Status.OWED: "you must confirm",
        Status.ASSUMED: "assumed on your word",
    }
    for hypothesis in claim.hypotheses:
        if hypothesis.status in words:
            hidden = ", which the paper does not state" if hypothesis.hidden else ""
            detail = (
                f": {hypothesis.detail}" if details or hypothesis.status is not Status.FAILS else ""
            )
            yield f"{words[hypothesis.status]}{hidden}: {hypothesis.name}{detail}"
    yield from claim.flags


def remarks_of_all(claims: Iterable[Bound], *, details: bool = True) -> list[tuple[str, str]]:
    """Return (readings, remark) pairs over bounds of all readings, each remark once.

    The bounds may be at many points; a remark that is not about all of a reading's points says
    how many it is about.
    """
    about: dict[str, Counter[Reading]] = {}
    points: Counter[Reading] = Counter()
    for claim in claims:
        points[claim.reading] += 1
        # A remark that a claim makes twice is still about one point.
        for remark in dict.fromkeys(remarks(claim, details=details)):
            about.setdefault(remark, Counter())[claim.reading] += 1
    return [(_whose(readings, points), remark) for remark, readings in about.items()]


def _whose(readings: Counter[Reading], points: Counter[Reading]) -> str:
    if readings == points and len(points) > 1:
        return "all readings"
    shares = (
        reading.value + ("" if times == points[reading] else f" at {times} of {points[reading]}")
        for reading, times in readings.items()
    )
    return ", ".join(shares)


def _verdict(comparison: Comparison) -> str:
    how_it_stands, ratio = comparison.standing(Reading.PRINTED), comparison.ratio(Reading.PRINTED)
    if how_it_stands in _TRUE:
        times = "" if ratio is None else f", {ratio:.3g} times the exact value"
        return f"{_TRUE[how_it_stands]}{times}."
    return _VERDICTS[how_it_stands]
