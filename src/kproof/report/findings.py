"""What a chart shows, in one sentence: its title, and what a screen reader says of it.

A sentence is computed from what is drawn and judges nothing: where a bound is conditional, the
words beside the chart say so. Comparisons of certified values are decided by their ends, and a
sentence claims no more than they show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kproof.forms import JsonForm
from kproof.models.tables.plots import shift
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.theorems.bounds import exact_text
from kproof.theory.theorems.registry import own_bounds

Number = Fraction | float

_POWERS = tuple(Decimal(10) ** -exponent for exponent in (1, 2, *range(3, 301, 3)))
"""A curve is told to be below one of these."""

_NAMES: Mapping[str, str] = {
    "exact": "exact δ",
    **{bound.name: bound.called for bound in own_bounds()},
    "corrected": "corrected bound",
    "derived": "derived claim",
    "printed": "printed claim",
}
_PROVEN = ("corrected", *(bound.name for bound in own_bounds()))
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """δ at an ε."""

    epsilon: Fraction
    """Where."""
    delta: Enclosure
    """δ there."""


@dataclass(frozen=True, slots=True)
class CertifiedCurve:
    """δ by ε, each value between two certified ends."""

    kind: str
    """``exact``, the name of a reading or of another bound."""
    points: tuple[tuple[Fraction, Enclosure], ...]
    """(ε, δ), ε ascending; values that are infinite or negative are no δ and are left out."""

    @property
    def _points(self) -> tuple[CurvePoint, ...]:
        """In order of ε."""
        return tuple(CurvePoint(*point) for point in self.points)

    to_dict = JsonForm("kind points=_points", exact=exact_text)

    @classmethod
    def of(
        cls, kind: str, at: Iterable[Fraction], values: Iterable[Enclosure | None]
    ) -> CertifiedCurve:
        """Return the curve of values at places; None stands for a value that there is not."""
        valued = [(x, y) for x, y in zip(at, values, strict=True) if y is not None]
        return cls(kind, tuple((x, y) for x, y in valued if y.upper.is_finite() and y.upper >= 0))


def of_curves(curves: Sequence[CertifiedCurve], *, refuted: str = "") -> str:
    """Return what curves of δ, at most one of each kind, show; empty if none has a point.

    That a claim is refuted is worth more than any other sentence.

    >>> ends = [Enclosure(Decimal(one), Decimal(one)) for one in ("0.4", "0.05", "0.009")]
    >>> falling = CertifiedCurve.of("exact", map(Fraction, (0, 1, 2)), ends)
    >>> of_curves([falling])
    'The exact δ is below 0.01 from ε = 2 on'
    """
    by_kind = {curve.kind: curve for curve in curves if curve.points}
    if refuted or not by_kind:
        return refuted if by_kind else ""
    bounds = [by_kind[kind] for kind in _PROVEN if kind in by_kind]
    lowest = min(bounds, key=lambda curve: curve.points[-1][1].upper, default=None)
    first = by_kind.get("exact") or lowest
    if first is None:
        claim = by_kind.get("derived") or by_kind["printed"]
        return f"Nothing but claims is drawn: the {_course(claim)}"
    limit = _limit(first)
    higher = [curve for curve in bounds if curve is not first]
    if limit is not None:
        below = f"below {power_of_ten(limit.adjusted())}" if limit else "0"
        sentence = f"The {_NAMES[first.kind]} is {below} {_from(first, limit)}"
        if len(higher) > 1 and all(_above(curve, limit) for curve in higher):
            return f"{sentence}, no bound {_until(higher)}"
        return sentence + "".join(_beside(curve, limit) for curve in higher)
    # By lower ends: what may be below 1 somewhere is not told to be nowhere below it.
    if first.kind != "exact" and all(y.lower >= 1 for curve in bounds for _, y in curve.points):
        names = [_NAMES[curve.kind] for curve in bounds]
        none = "The {} is nowhere" if len(names) == 1 else "Neither the {} nor the {} is"
        return f"{none.format(*names)} below δ = 1 {_until(bounds)}"
    return f"The {_course(first)}"


def of_columns(
    before: Sequence[float], after: Mapping[str, Sequence[float]], *, rows: str = "rows"
) -> str:
    """Return what counts of bars before, and after each method, show; empty without a release.

    >>> of_columns([2, 2], {"mondrian": [2, 2], "kaca": [1, 3]})
    'mondrian equals the bars, kaca differs most, by 25 % of the rows'
    >>> of_columns([2, 2], {"mondrian": [2, 2], "kaca": [4, 4]})
    'No line differs from the bars in its shares of the rows'
    """
    if not after:
        return ""
    shifts = {name: shift(before, counts) for name, counts in after.items()}
    shown_shifts = {name: percent(shift) for name, shift in shifts.items() if shift is not None}
    empty = [name for name, shift in shifts.items() if shift is None]
    silent = f"; {_few(empty)} publish{'es' if len(empty) == 1 else ''} none" if empty else ""
    if not shown_shifts:
        return f"No {rows} are published"
    # Compared as they are shown: of two lines with equal digits none may be said to differ more.
    if set(shown_shifts.values()) == {"0 %"}:
        return f"No line differs from the bars in its shares of the {rows}{silent}"
    known_shifts = [shift for shift in shifts.values() if shift is not None]
    low, high = percent(min(known_shifts)), percent(max(known_shifts))
    if low == high:
        whom = next(iter(shown_shifts)) if len(shown_shifts) == 1 else "Each line"
        return f"{whom} differs from the bars by {low} of the {rows}{silent}"
    nearest, farthest = (
        [name for name in shown_shifts if shown_shifts[name] == end] for end in (low, high)
    )
    s = "s" if len(nearest) == 1 else ""
    if low == "0 %":
        first = f"{_few(nearest)} equal{s} the bars"
    else:
        first = f"{_few(nearest)} differ{s} least from the bars, by {low} of the {rows}"
    last = f"differ{'s' if len(farthest) == 1 else ''} most, by {high}"
    of_rows = f" of the {rows}" if low == "0 %" else ""
    return f"{first}, {_few(farthest)} {last}{of_rows}{silent}"


def of_found(k: int, rows: Sequence[tuple[str, str, float]], telling: int) -> str:
    """Return what a chart of attacks shows.

    Rows are technique, level, and the share that the better of the attacks finds; in ``telling`` of
    them the bound says something.

    >>> of_found(3, [("CA", "I", 0.25), ("IA", "I", 0.5)], 1)
    'k = 3: the bound says something in 1 of 2 cases; 50 % are found at most, by IA at level I'
    """
    says = f"something in {telling} of {len(rows)} cases" if telling else "nothing"
    largest = max(share for _, _, share in rows)
    sentence = f"k = {k}: the bound says {says}"
    if percent(largest) == "0 %":
        return f"{sentence}; none is found"
    highest = [
        f"{technique} at level {level}"
        for technique, level, share in rows
        if percent(share) == percent(largest)
    ]
    return f"{sentence}; {percent(largest)} are found at most, by {_few(highest)}"


def of_pairs(points: Iterable[tuple[int, int]], across: str, up: str, noun: str) -> str:
    """Return what a chart of whole numbers against one another shows.

    >>> of_pairs([(2, 10), (7, 10), (7, 5)], "users around", "k", "request")
    'k: 10 for 2 of 3 requests, 5 to 10 for all; users around: 2 to 7'
    """
    pairs = list(points)
    if not pairs:
        return f"There is no {noun} to show"
    reached = [y for _, y in pairs]
    value, times = max(Counter(reached).items(), key=lambda pair: (pair[1], pair[0]))
    along = f"; {across}: {_span(sorted(x for x, _ in pairs))}"
    if times == len(pairs):
        whom = f"all {times:,} {noun}s" if times > 1 else f"the only {noun}"
        return f"{up}: {value:,} for {whom}{along}"
    if list(Counter(reached).values()).count(times) > 1:
        return f"{up}: {_span(sorted(reached))}, no value more often than all others{along}"
    of_all = f"{times:,} of {len(pairs):,} {noun}s"
    return f"{up}: {value:,} for {of_all}, {_span(sorted(reached))} for all{along}"


def of_crowd(
    counts: NDArray[np.int64], densities: NDArray[np.float64], whom: str
) -> tuple[str, str]:
    """Return what a map of people, and one of sectors with people by square metre, show.

    >>> crowd, sectors = of_crowd(np.array([6, 3, 0]), np.array([6e-6, 1e-6, 0.0]), "people")
    >>> crowd
    'At least half of the 9 people are in 1 of 3 sectors'
    >>> sectors
    'The densest sector has 6 people by km², the thinnest 1, and 1 of 3 sectors none'
    """
    total, sectors = int(counts.sum()), len(counts)
    if not total:
        nothing = f"There are no {whom} in {_plural(sectors, 'sector')}"
        return nothing, nothing
    cumulated = np.cumsum(np.sort(counts)[::-1])
    # Doubled, since half of an odd number is no number of people.
    few = int(np.searchsorted(2 * cumulated, total)) + 1
    half = f"At least half of the {total:,} {whom} are in {few:,} of {_plural(sectors, 'sector')}"
    by_km2, empty = 1e6 * densities[counts > 0], int((counts == 0).sum())
    densest, thinnest = _three_digits(float(by_km2.max())), _three_digits(float(by_km2.min()))
    if densest == thinnest:
        sentence = f"Every sector with {whom} has {densest} by km²"
    else:
        sentence = f"The densest sector has {densest} {whom} by km², the thinnest {thinnest}"
    none = f", and {empty:,} of {_plural(sectors, 'sector')} none" if empty else ""
    return half, f"{sentence}{none}"


def of_region(k: int, users: int, nodes: int, of_nodes: int) -> str:
    """Return what a map of a region shows.

    >>> of_region(10, 15, 12, 25)
    'The region has 15 users at 12 of 25 crossings, where k = 10 were asked for'
    """
    crowd = f"{users:,} {'user' if users == 1 else 'users'}"
    crossings = f"{nodes:,} of {_plural(of_nodes, 'crossing')}"
    return f"The region has {crowd} at {crossings}, where k = {k:,} were asked for"


def of_runs(
    name: str, bars: Sequence[tuple[Number, Number, int]], span: Callable[[Number, Number], str]
) -> str:
    """Return what bars show: first and last value of each, and how many runs are in it.

    >>> written = lambda first, last: f"{first} to {last}" if first != last else str(first)
    >>> of_runs("noise rows", [(0, 0, 1), (1, 1, 3)], written)
    'noise rows: most often 1, in 75 % of 4 runs'
    """
    runs = sum(count for *_, count in bars)
    highest = max(count for *_, count in bars)
    first = [(low, high) for low, high, count in bars if count == highest]
    if len(bars) == 1:
        return f"{name}: {span(*first[0])} in {'the only run' if runs == 1 else 'all runs'}"
    if len(first) > 1:
        range_text = span(bars[0][0], bars[-1][1])
        return f"{name}: {range_text}, and no bar has more runs than all others"
    return f"{name}: most often {span(*first[0])}, in {percent(highest / runs)} of {runs:,} runs"


def percent(share: float) -> str:
    """Return a share in words of up to three digits; what is not 0 or 1 does not look like it.

    >>> percent(0.3333), percent(0), percent(0.0001), percent(0.99999), percent(1)
    ('33.3 %', '0 %', 'under 0.1 %', 'over 99.9 %', '100 %')
    """
    if 0 < share < 0.001:
        return "under 0.1 %"
    if 0.999 < share < 1:
        return "over 99.9 %"
    return f"{100 * share:.3g} %"


def power_of_ten(exponent: int) -> str:
    """Return a power of ten as people write it.

    >>> [power_of_ten(one) for one in (2, 0, -1, -2, -6)]
    ['100', '1', '0.1', '0.01', '10⁻⁶']
    """
    if -3 < exponent < 4:
        return f"{10.0**exponent:,g}"
    return f"10{str(exponent).translate(_SUPERSCRIPTS)}"


def _limit(curve: CertifiedCurve) -> Decimal | None:
    """Return how low a curve goes: 0, or the least power of ten that it ends below."""
    last = curve.points[-1][1].upper
    if not last:
        return Decimal(0)
    # By the upper end of the last value: the true δ is no larger.
    return min((power for power in _POWERS if last < power), default=None)


def _under(value: Enclosure, limit: Decimal) -> bool:
    # Nothing is below 0: to be under that limit means to be 0.
    return value.upper < limit if limit else not value.upper


def _above(curve: CertifiedCurve, limit: Decimal) -> bool:
    """Say whether a curve is nowhere under a limit, if that can be said."""
    return all(y.lower >= limit and y.lower > 0 for _, y in curve.points)


def _from(curve: CertifiedCurve, limit: Decimal) -> str:
    """Say from where on a curve that ends under a limit is under it."""
    under = [_under(y, limit) for _, y in curve.points]
    # From the end backwards: a curve may dip under the limit and rise again, and *from … on* is
    # said of all that follows.
    since = len(under) - under[::-1].index(False) if False in under else 0
    if len(under) == 1:
        return f"at ε = {_digits(curve.points[0][0], up=True)}"
    # Rounded up: what is true from some ε on is true from any later one on.
    return f"from ε = {_digits(curve.points[since][0], up=True)} on"


def _beside(curve: CertifiedCurve, limit: Decimal) -> str:
    """Say where another curve gets under the same limit, if that can be said."""
    if _under(curve.points[-1][1], limit):
        return f", the {_NAMES[curve.kind]} {_from(curve, limit)}"
    if _above(curve, limit):
        return f", the {_NAMES[curve.kind]} nowhere {_until([curve])}"
    return ""


def _until(curves: Sequence[CertifiedCurve]) -> str:
    """Name the end of what is drawn of all these curves."""
    last = min(curve.points[-1][0] for curve in curves)
    alone = all(len(curve.points) == 1 for curve in curves)
    # Rounded down: what is true up to some ε is true up to any smaller one.
    return f"{'at' if alone else 'up to'} ε = {_digits(last, up=False)}"


def _course(curve: CertifiedCurve) -> str:
    """Say where a curve begins and ends."""
    (start, high), (end, low) = curve.points[0], curve.points[-1]
    name, values = _NAMES[curve.kind], (_value(high), _value(low))
    if len(curve.points) == 1:
        return f"{name} is {values[0]} at ε = {_digits(start, up=False)}"
    reach = f"ε = {_digits(start, up=False)} to {_digits(end, up=False)}"
    if {_value(y) for _, y in curve.points} == {values[0]}:
        return f"{name} is {values[0]} all the way from {reach}"
    if values[0] == values[1]:
        return f"{name} is {values[0]} at both ends of {reach}"
    moves = "falls" if low.upper < high.lower else "rises" if low.lower > high.upper else "goes"
    return f"{name} {moves} from {values[0]} to {values[1]} over {reach}"


def _value(value: Enclosure) -> str:
    """Return two digits on which both ends agree, or the upper end."""
    nearest = Context(prec=2, rounding=ROUND_HALF_EVEN)
    up = Context(prec=2, rounding=ROUND_CEILING)
    if nearest.plus(value.lower) == nearest.plus(value.upper):
        return _plain(nearest.plus(value.upper))
    return f"at most {_plain(up.plus(value.upper))}"


def _digits(value: Fraction, *, up: bool) -> str:
    """Return three digits of an ε, rounded in a direction."""
    context = Context(prec=3, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return _plain(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def _plain(value: Decimal) -> str:
    """Return a short decimal, in powers of ten where it would be long."""
    if not value:
        return "0"
    short = value.normalize()
    if -4 <= short.adjusted() <= 5:
        return f"{short:,f}"
    digits = short.scaleb(-short.adjusted())
    return f"{digits:f} × 10{str(short.adjusted()).translate(_SUPERSCRIPTS)}"


def _few(names: Sequence[str]) -> str:
    """Return names, of many the first and how many more there are."""
    if len(names) > 2:
        return f"{names[0]} and {len(names) - 1} others"
    return " and ".join(names)


def _span(values: Sequence[int]) -> str:
    """Return the first and the last of ascending numbers."""
    low, high = values[0], values[-1]
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _three_digits(value: float) -> str:
    """Return a number in at most three digits, with thousands set apart."""
    return f"{float(f'{value:.3g}'):,.10g}"


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun if count == 1 else noun + 's'}"
