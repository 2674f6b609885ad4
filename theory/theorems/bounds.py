"""What a theorem's answer looks like: a Bound, its hypotheses, and the events it covers.

Only data types live here. The theorems fill them in, the command line and the report show them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from enum import Enum
from fractions import Fraction
from html import escape
from typing import Protocol

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.notebooks import latex_lines, latex_value, latex_words, shorten
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.typed import as_fmpq
from kproof.theory.reading import Reading
from kproof.theory.theorems.assumptions import Assumption

SCHEMA = 1
"""Version of the JSON form of every result of this package."""


class Status(Enum):
    """What is known of a hypothesis."""

    HOLDS = "holds"
    FAILS = "fails"
    OWED = "owed"
    """It cannot be read off the input, and nobody has answered for it."""
    ASSUMED = "assumed"
    """It cannot be read off the input; the caller answers for it."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One named condition under which a statement may be used."""

    name: str
    """Short and stable, such as ``"epsilon1 < 1"``."""
    status: Status
    """Checked by code (holds, fails), owed by the caller, or assumed on the caller's word."""
    detail: str
    """The numbers compared, or what the caller answers for."""
    hidden: bool = False
    """The paper needs it but does not state it."""
    assumption: Assumption | None = None
    """What a caller says to answer for it; None where code decides."""

    to_dict = JsonForm()


@dataclass(frozen=True, slots=True)
class Events:
    """The events O for which ``P(F in O) <= e^epsilon P(F* in O) + delta`` is claimed.

    >>> Events.parse("unions:3")
    Events(intervals=3)
    >>> str(Events.parse("half-lines")), Events.parse("intervals").kappa
    ('half-lines', 2)
    >>> Events.parse("squares")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: events = squares: need half-lines, intervals, unions:J or all
    """

    intervals: int | None
    """Number of disjoint intervals O may consist of; 0 for half-lines, None for all measurable
    sets."""

    def __post_init__(self) -> None:
        count = self.intervals
        # By `type`: True is an int to `isinstance`.
        if count is not None and (type(count) is not int or count < 0):
            raise InvalidArgument("events", f"unions:{count}", "a whole number of intervals")

    @classmethod
    def parse(cls, text: str | Events) -> Events:
        """Read ``half-lines``, ``intervals``, ``unions:J`` or ``all``."""
        if isinstance(text, Events):
            return text
        plain = str(text).replace("_", "-")
        by_name = {"half-lines": HALF_LINES, "intervals": INTERVALS, "all": ALL}
        if plain in by_name:
            return by_name[plain]
        union = re.fullmatch(r"unions:([1-9]\d{0,8})", plain)
        if union is None:
            raise InvalidArgument("events", text, "half-lines, intervals, unions:J or all")
        return cls(int(union.group(1)))

    @property
    def kappa(self) -> int | None:
        """How often the Kolmogorov distance enters: 1, 2 or 2j; None if it controls nothing."""
        if self.intervals is None:
            return None
        # An interval has two ends at which distribution functions differ, a half-line has one.
        return max(1, 2 * self.intervals)

    def __str__(self) -> str:
        """Return the form that :meth:`parse` reads."""
        if self.intervals is None:
            return "all"
        return {0: "half-lines", 1: "intervals"}.get(self.intervals, f"unions:{self.intervals}")


HALF_LINES = Events(0)
INTERVALS = Events(1)
ALL = Events(None)


class Formulas(Protocol):
    """What a theorem states, as far as a bound shows it."""

    def latex(self) -> str:
        """Return the formulas as LaTeX."""


class Conditional:
    """What rests on hypotheses, each with its status."""

    __slots__ = ()

    hypotheses: tuple[Hypothesis, ...]

    def __repr__(self) -> str:
        return shorten(str(self))

    @property
    def applies(self) -> bool:
        """Whether the statement may be used as far as code can tell: no hypothesis fails."""
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
        """What the claim is conditional on: hypotheses that nobody has answered for."""
        return tuple(h for h in self.hypotheses if h.status is Status.OWED)

    @property
    def assumed(self) -> tuple[Hypothesis, ...]:
        """What the claim rests on by the caller's word alone."""
        return tuple(h for h in self.hypotheses if h.status is Status.ASSUMED)

    @property
    def state(self) -> str:
        """What the claim rests on, in a phrase; empty if every hypothesis was checked and holds."""
        if not self.applies:
            return "does not apply: " + "; ".join(self.reasons)
        parts = []
        if self.owed:
            parts.append(f"conditional on {_join_names(self.owed)}")
        if self.assumed:
            parts.append(f"assuming {_join_names(self.assumed)}: your word")
        return "; ".join(parts)


class ProvedBound(Conditional):
    """An (ε, δ) that is proved of every event, by a bound that is in no paper."""

    epsilon: Enclosure
    delta: Enclosure
    flags: tuple[str, ...]

    @property
    def events(self) -> Events:
        """All measurable events."""
        return ALL

    @property
    def says(self) -> str:
        """The statement, in a sentence that begins with its name."""
        raise NotImplementedError

    @property
    def cells(self) -> Mapping[str, str]:
        """What a table says of it beside ε and δ, by heading."""
        return {}

    def along(self, epsilons: Sequence[Fraction]) -> Sequence[Enclosure]:
        """Return what is proved at other ε of the same records; empty if nothing is."""
        del epsilons
        return ()

    def comes_from(self, *, briefly: bool) -> Iterator[str]:
        """Yield what the bound comes from, a sentence at a time, less of it if briefly."""
        del briefly
        yield from self.flags

    def explained(self, *, beside: Collection[Hypothesis] = ()) -> Iterator[str]:
        """Yield what it comes from and rests on, without the hypotheses told of elsewhere."""
        yield from self.comes_from(briefly=bool(beside))
        if not self.applies:
            yield self.state
            return
        for hypothesis in self.assumed:
            yield f"on your word: {hypothesis.name}: {hypothesis.detail}"
        elsewhere = {hypothesis.name for hypothesis in beside}
        for hypothesis in self.owed:
            if hypothesis.name not in elsewhere:
                name = hypothesis.assumption
                how = f" (confirm it with --assume {name})" if name else ""
                yield f"conditional on {hypothesis.name}: {hypothesis.detail}{how}"

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form, decimal strings for every number."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, repr=False)
class Bound(Conditional):
    """A claimed (epsilon, delta) and everything needed to judge the claim."""

    theorem: int
    """1 to 5."""
    reading: Reading
    """Which reading of it."""
    epsilon: Enclosure | None
    delta: Enclosure | None
    """Enclosures of the values of the formulas, or None where a formula has no value (the
    logarithm of a negative number, say; a failing hypothesis then says so). A printed value
    outside [0, 1] is kept and flagged."""
    events: Events
    """The events the statement covers."""
    hypotheses: tuple[Hypothesis, ...]
    """Each with its status."""
    statement: Formulas = field(repr=False, compare=False)
    """The theorem in that reading."""
    flags: tuple[str, ...] = ()
    """What a reader must not overlook, one sentence each."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """The exact input, as strings."""

    def latex(self) -> str:
        """Return the evaluated formulas as LaTeX, one display line each."""
        return self.statement.latex()

    def _repr_latex_(self) -> str:
        state = self.state or "every hypothesis was checked"
        words = latex_words(f"Theorem {self.theorem}, {self.reading.value}; {state}")
        return pair_latex(self.latex(), self, words)

    def _repr_html_(self) -> str:
        state = escape(self.state or "every hypothesis was checked")
        return (
            f"<p><b>Theorem {self.theorem}, {self.reading.value}</b>: "
            f"&epsilon; = {self.epsilon}, &delta; = {self.delta} for {self.events} ({state})</p>"
        )

    def __str__(self) -> str:
        state = f"; {self.state}" if self.state else ""
        return (
            f"Theorem {self.theorem} ({self.reading.value}): epsilon = {self.epsilon}, "
            f"delta = {self.delta}, events: {self.events}{state}"
        )

    to_dict = JsonForm(
        "theorem reading epsilon delta events=str(events) applies holds conditional_on=owed.name",
        "assumed=assumed.name reasons hypotheses flags parameters",
        schema=SCHEMA,
    )


def pair_latex(formula: str, claim: Bound | ProvedBound, words: str) -> str:
    """Return display lines of a formula, of the pair that it gives, and of what that rests on."""
    pair = [
        rf"\varepsilon &= {latex_value(claim.epsilon)}",
        rf"\delta &= {latex_value(claim.delta)}",
    ]
    return latex_lines([formula, *pair, f"& {words}"])


def _join_names(hypotheses: Sequence[Hypothesis]) -> str:
    *names, last = (h.name for h in hypotheses)
    return f"{', '.join(names)} and {last}" if names else last


def out_of_range(delta: Enclosure) -> list[str]:
    """Return the flags of a delta that is no probability."""
    if delta.upper < 0:
        return ["delta is negative: no event can have it"]
    if delta.lower >= 1:
        return ["delta is at least 1: the statement says nothing"]
    return []


def exact_text(value: Fraction | int) -> str:
    """Return a rational as a short exact string: ``3/10`` as ``0.3``, ``1/3`` as ``1/3``.

    >>> exact_text(Fraction(3, 10)), exact_text(Fraction(1, 3)), exact_text(5)
    ('0.3', '1/3', '5')
    """
    cofactor = value.denominator
    places = 0
    for prime in (2, 5):
        power = 0
        while cofactor % prime == 0:
            cofactor //= prime
            power += 1
        places = max(places, power)
    # FLINT prints rationals of any length; Python refuses beyond 4,300 digits.
    plain = str(as_fmpq(value))
    if cofactor != 1 or places == 0 or len(plain) > _MOST_DIGITS:
        return plain
    scaled = value * 10**places
    # With a context of its own: the usual one rounds to 28 digits.
    return format(Decimal(scaled.numerator).scaleb(-places, Context(prec=len(plain) + places)))


_MOST_DIGITS = 4000
