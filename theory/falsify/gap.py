"""What a bound claims at one point, beside the exact value: a call that anybody can repeat.

``theorem_gap`` evaluates a shipped theorem, ``bound_gap`` a function of the caller. The names of
the parameters select the scene: n, p and k a truncated count; n and a record a sum of independent
records; blocks, size and a record a sum of dependent ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from inspect import Parameter, signature
from typing import Any, TypeAlias

from flint import arb

from kproof.errors import InvalidArgument, one_of
from kproof.forms import JsonForm
from kproof.theory.exact import Enclosure, Number, as_arb, choice, rational
from kproof.theory.exact.precision import START_BITS, use_bits
from kproof.theory.falsify.blocks import Blocks
from kproof.theory.falsify.events import delta_over
from kproof.theory.falsify.joints import Joint
from kproof.theory.falsify.scenes import Count, Records, Scene
from kproof.theory.profiles import exact as exact_value
from kproof.theory.reading import Reading
from kproof.theory.theorems.bounds import ALL, SCHEMA, Events, Status
from kproof.theory.theorems.registry import theorem_of

UserBound: TypeAlias = "Callable[..., Number | Enclosure | arb | None]"
"""A bound written as a function: keyword arguments of a scene in, delta (or epsilon) out."""
SLACK = Fraction(1, 10**12)
"""The relative slack that a float is read with, so that its rounding refutes nothing."""


@dataclass(frozen=True)
class Target:
    """What a bound says at one point: what a search aims at."""

    bound: str
    """What is judged, such as ``theorem 2, printed``."""
    quantity: str
    """``"delta"`` at ``at`` = epsilon, or ``"epsilon"`` at ``at`` = delta."""
    at: Enclosure
    """Where; an enclosure, since a theorem's own epsilon is seldom rational."""
    claimed: Enclosure | None
    """The claimed value, or None where the bound claims nothing."""
    events: Events
    """The events it is claimed for."""
    broken: tuple[str, ...]
    """Stated hypotheses that fail here: then the claim is not made here."""
    hidden: tuple[str, ...]
    """Hypotheses that the proof needs, that are stated nowhere and that fail here."""
    call: str
    """One line of Python that compares it with the exact value."""

    @property
    def vacuous(self) -> bool:
        """Whether the claim holds for every law: a delta of 1 or more, or an infinite epsilon."""
        trivial = Decimal(1) if self.quantity == "delta" else Decimal("Infinity")
        return self.claimed is not None and self.claimed.lower >= trivial

    def beside_truth(self, place: Scene) -> Gap:
        """Return the gap between the claim and the exact value at the scene it was made for.

        At an ``at`` that is not exact the truth is taken at the upper end: it is smaller there, and
        a claim at one epsilon is one at every larger epsilon.
        """
        if place.delta is not None:
            exact = exact_value(place.law, shift=place.shift, delta=place.delta)
        else:
            # The upper end: the truth falls in ε, so that a claim below it there is below it at the
            # theorem's own ε.
            epsilon = place.epsilon if place.epsilon is not None else Fraction(self.at.upper)
            exact = delta_over(place.law, shift=place.shift, epsilon=epsilon, events=self.events)
        return Gap(**vars(self), exact=exact)


@dataclass(frozen=True)
class Gap(Target):
    """A claim and the truth at one point."""

    exact: Enclosure
    """The certified value for the events claimed."""

    @property
    def refutes(self) -> bool:
        """Whether the claim is made and surely below the truth."""
        return self.claimed is not None and not self.broken and self._below

    @property
    def _below(self) -> bool:
        return self.claimed is not None and self.claimed.upper < self.exact.lower

    @property
    def tight(self) -> bool:
        """Whether claim and truth cannot be told apart: their enclosures overlap."""
        if self.claimed is None or self._below:
            return False
        return self.claimed.lower < self.exact.upper

    def __str__(self) -> str:
        """Return one short line.

        >>> print(theorem_gap(1, "printed", n=3, p="0.5", k=2, epsilon=2))
        delta claimed 0.01434549 < exact 0.75 at epsilon = 2
        """
        level = f"{'epsilon' if self.quantity == 'delta' else 'delta'} = {self.at}"
        if self.claimed is None:
            return f"{self.quantity} not claimed, exact {self.exact} at {level}"
        sign = "<" if self._below else ">=" if self.claimed.lower >= self.exact.upper else "~"
        excuse = f" ({'; '.join(self.broken)}: fails)" if self.broken else ""
        return (
            f"{self.quantity} claimed {self.claimed} {sign} exact {self.exact} at {level}{excuse}"
        )

    to_dict = JsonForm(
        "bound quantity at claimed exact events=str(events) broken hidden refutes call",
        schema=SCHEMA,
    )


def theorem_gap(
    theorem: int, reading: str | Reading, *, events: str | Events | None = None, **parameters: Any
) -> Gap:
    """Return what one reading of a theorem claims at a point, and the truth there.

    ``theorem``: 1 to 5. ``reading``: ``printed``, ``derived`` or ``corrected``. ``events``: fewer
    events than the statement speaks of, to hold it against these only. ``parameters``: Theorem 1:
    n, p, k and epsilon or delta. Theorems 2 and 4: n and ``record``, the law of one record as a
    mapping of values to probabilities or as ``Normal(mean, variance)``; optional s (default 1), k
    (default 1), known (how many records are known) and epsilon, by default that of the theorem.
    Theorems 3 and 5: blocks, size and record; optional singles, alike, lambda1, s, k, known,
    epsilon (see :class:`kproof.theory.falsify.blocks.Blocks`); or, as in Theorem 2, n and record.
    Returns for all events, or for those that the corrected statement speaks of.

    >>> print(theorem_gap(2, "printed", n=9, record={0: "1/2", 2: "1/2"}))
    delta claimed 0.3333333 < exact 1 at epsilon = 0.4142973
    >>> print(theorem_gap(5, "printed", n=9, p="1/2", k=2))
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: theorem = 5: need theorem 1 for a truncated count
    """
    number = theorem_of(theorem).number
    place = scene(**parameters)
    kind = None if events is None else Events.parse(events)
    way = choice("reading", reading, Reading)
    return claim_of_theorem(number, way, place, events=kind).beside_truth(place)


def bound_gap(
    bound: UserBound, *, claims: str = "delta", events: str | Events = ALL, **parameters: Any
) -> Gap:
    """Return what a function claims at a point, and the truth there.

    ``bound``: a function of keyword arguments, each one of the names a scene has
    (``Count.arguments``, ``Records.arguments``, ``Blocks.arguments``). It returns a number, an
    enclosure or a ball; None or nan where it claims nothing. A float is read with a relative slack
    of 1e-12. ``claims``: ``"delta"`` for a given epsilon, or ``"epsilon"`` for a given delta.
    ``events``: the events that the bound speaks of; for claims of delta only. ``parameters``: as in
    :func:`theorem_gap`, with epsilon or delta.

    >>> def hopeful(n, epsilon):
    ...     return Fraction(1, n)
    >>> print(bound_gap(hopeful, n=4, p="1/2", k=2, epsilon=1))
    delta claimed 0.25 < exact 0.5454545 at epsilon = 1
    """
    place = scene(**parameters)
    claim = user_claim(bound, place, claims=claims, events=Events.parse(events))
    return claim.beside_truth(place)


def scene(**parameters: Any) -> Scene:
    """Return the scene that typed parameters describe.

    >>> scene(n=4, epsilon=1)
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: parameters = 'n, epsilon': need n, p, k (a count); n, record \
(independent records); blocks, size, record (dependent ones); or joint (any few)
    """
    for kind, required in _SCENES:
        if required <= parameters.keys():
            accepted = [field.name for field in fields(kind)]
            for name in parameters:
                if name not in accepted:
                    raise InvalidArgument("parameter", name, one_of(name, accepted))
            place: Scene = kind.of(**parameters)
            return place
    need = (
        "n, p, k (a count); n, record (independent records); blocks, size, record (dependent ones)"
    )
    raise InvalidArgument(
        "parameters", ", ".join(parameters) or "none", f"{need}; or joint (any few)"
    )


_SCENES: tuple[tuple[type[Any], frozenset[str]], ...] = (
    (Count, frozenset({"n", "p", "k"})),
    (Blocks, frozenset({"blocks", "size", "record"})),
    (Records, frozenset({"n", "record"})),
    (Joint, frozenset({"joint"})),
)


def claim_of_theorem(
    theorem: int, reading: Reading, place: Scene, *, events: Events | None = None
) -> Target:
    """Return what a shipped theorem claims at a scene, for all its events or for fewer."""
    claim = place.bound(theorem, reading)
    quantity = "epsilon" if place.delta is not None else "delta"
    value, level = claim.delta, claim.epsilon
    if quantity == "epsilon":
        value, level = level, value
    fails = [h for h in claim.hypotheses if h.status is Status.FAILS]
    broken = tuple(h.name for h in fails if not h.hidden)
    if level is None:
        # Without an epsilon there is nothing to compare with; the failing hypothesis says why.
        level, value = Enclosure.exactly(0), None
    return Target(
        bound=f"theorem {theorem}, {reading.value}",
        quantity=quantity,
        at=level,
        claimed=value,
        events=_fewer(claim.events, events),
        broken=broken,
        hidden=tuple(h.name for h in fails if h.hidden),
        call=f'theorem_gap({theorem}, "{reading.value}", {place.call}{_option(events)})',
    )


def _fewer(stated: Events, events: Events | None) -> Events:
    """Return the events asked for, which must be among those that a statement speaks of."""
    if events is None:
        return stated
    most = stated.intervals
    if most is not None and (events.intervals is None or events.intervals > most):
        need = f"events among {stated}, which the statement covers"
        raise InvalidArgument("events", events, need)
    return events


def _option(events: Events | None) -> str:
    return "" if events in (None, ALL) else f', events="{events}"'


def user_claim(bound: UserBound, place: Scene, *, claims: str, events: Events) -> Target:
    """Return what a function claims at a scene."""
    level = question(place, claims)
    if claims == "epsilon" and events != ALL:
        raise InvalidArgument("events", events, "all events with a claim of epsilon")
    name = name_of(bound)
    options = ("" if claims == "delta" else ', claims="epsilon"') + _option(events)
    return Target(
        bound=name,
        quantity=claims,
        at=Enclosure.exactly(level),
        claimed=read_claim(name, bound(**arguments_of(bound, place.arguments()))),
        events=events,
        broken=(),
        hidden=(),
        call=f"bound_gap({name}, {place.call}{options})",
    )


def name_of(bound: UserBound) -> str:
    """Return what a function is called in results."""
    return str(getattr(bound, "__name__", type(bound).__name__))


def question(place: Scene, claims: str) -> Fraction:
    """Return the epsilon (or delta) that a claim is asked at."""
    if claims not in ("delta", "epsilon"):
        raise InvalidArgument("claims", claims, "delta or epsilon")
    name = "epsilon" if claims == "delta" else "delta"
    value = place.epsilon if claims == "delta" else place.delta
    if value is None:
        raise InvalidArgument(name, None, f"a value for {name}, since the bound claims {claims}")
    return value


def arguments_of(bound: UserBound, offered: Mapping[str, object]) -> dict[str, object]:
    """Return those of the offered arguments that a function takes."""
    parameters = signature(bound).parameters.values()
    if any(p.kind is Parameter.VAR_KEYWORD for p in parameters):
        return dict(offered)
    for parameter in parameters:
        if parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.VAR_POSITIONAL):
            raise InvalidArgument("parameter", parameter, "keyword arguments")
        if parameter.name not in offered and parameter.default is Parameter.empty:
            raise InvalidArgument("parameter", parameter.name, one_of(parameter.name, offered))
    return {p.name: offered[p.name] for p in parameters if p.name in offered}


def read_claim(name: str, value: object) -> Enclosure | None:
    """Return what a function returned as an enclosure, None where it claims nothing."""
    if value is None or isinstance(value, Enclosure):
        return value
    if isinstance(value, arb):
        return None if value.is_nan() else Enclosure.from_arb(value)
    if isinstance(value, float | Decimal) and value != value:
        return None
    # An infinite ε is a claim, and `rational` has no infinity.
    if isinstance(value, float | Decimal) and value in (float("inf"), float("-inf")):
        return Enclosure(Decimal(value), Decimal(value))
    try:
        number = rational("value", value)
    except InvalidArgument:
        raise InvalidArgument(f"value of {name}", value, "a number, an Enclosure or None") from None
    if not isinstance(value, float):
        return Enclosure.exactly(number)
    with use_bits(START_BITS):
        # About the size of an absolute error that rounding leaves where terms cancel.
        radius = as_arb(SLACK * (abs(number) + SLACK))
        return Enclosure.from_arb(as_arb(number) + radius * arb(0, 1))
