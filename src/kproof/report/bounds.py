"""The section on bounds: each numeric column against the four levels of adversaries.

Everything shown is computed by the theory package; here it is only chosen and drawn. Where a law
is out of reach, or a column has none, the page says so and why.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

from markupsafe import Markup

from kproof.datasets import NumericColumn, TextTable
from kproof.errors import DataError, TooLarge
from kproof.forms import JsonForm
from kproof.report.context import BuiltSection, Context, Settings, fragment
from kproof.report.figures import PlottedCurve, curves_svg, key_svg, look_of
from kproof.report.findings import CertifiedCurve, of_curves
from kproof.report.wording import explain, knows, number, remarks_of_all, value_of
from kproof.stages import count_parts
from kproof.theory.exact.typed import as_arb
from kproof.theory.laws import FiniteLattice, empirical, iid
from kproof.theory.laws.base import LatticeLaw
from kproof.theory.profiles.floats import delta_within
from kproof.theory.reading import Reading
from kproof.theory.theorems.adversary import Adversary
from kproof.theory.theorems.api import bound
from kproof.theory.theorems.bounds import exact_text
from kproof.theory.theorems.comparison import Comparison, Standing, compare
from kproof.theory.theorems.moments import Moments
from kproof.theory.theorems.record_moments import RecordMoments
from kproof.theory.theorems.registry import own_bounds, theorems

_REACH = Fraction(3, 2)
"""How far the curves go, in units of the epsilon that the paper's theorem gives."""

_FINE, _COARSE = 34, 10
"""Points of a curve, and of one that is nearly straight or costly; the epsilon of the paper's
theorem is one of them."""

_WIDE = 1 << 18
"""Points within twelve standard deviations from which an exact value is taken from floating masses
and their error bound: still an enclosure, with fewer digits."""


@dataclass(frozen=True, slots=True)
class LevelBounds:
    """What one level of adversary is told."""

    level: str
    """I to IV."""
    found: Comparison
    """The readings beside blocks and the exact value."""
    curves: tuple[CertifiedCurve, ...]
    """δ along ε."""


@dataclass(frozen=True, slots=True)
class ColumnBounds:
    """Bounds on the sum of a column."""

    column: NumericColumn
    """The column."""
    shift: Fraction
    """How far one record moves the sum."""
    levels: tuple[LevelBounds, ...]
    """Each level of adversary; none if all values are equal."""

    to_dict = JsonForm(
        "source=column.source column=column.name records=len(column.values)",
        "missing=column.missing shift levels",
        exact=exact_text,
    )


@dataclass(frozen=True, slots=True)
class BoundsResults:
    """Bounds on sums."""

    columns: tuple[ColumnBounds, ...]
    """Each column."""
    without_numbers: tuple[str, ...]
    """Tables that have no column of numbers."""
    not_shown: tuple[str, ...]
    """Columns that would have been shown if they were named."""


def build(context: Context) -> BuiltSection:
    """Return the section; a column asked for has to be in a table, and numeric."""
    subjects, silent = [], []
    for place, (table, column) in enumerate(_columns_to_treat(context), 1):
        if column is None:
            silent.append(table.source)
        else:
            subjects.append(_subject(f"column-{place}", column, context.settings))
    not_shown = _columns_left_out(context)
    page = fragment(
        "bounds.html",
        subjects=subjects,
        silent=silent,
        left=not_shown,
        settings=context.settings,
        keys=[(Markup(key_svg(look_of(kind))), meaning) for kind, meaning in _KEYS.items()],
    )
    columns = tuple(cast(ColumnBounds, subject["results"]) for subject in subjects)
    return BuiltSection(page, BoundsResults(columns, tuple(silent), not_shown))


_KEYS = {
    "exact": "exact",
    "corrected": "corrected: what can be proved",
    **{bound.name: f"{bound.name}: what {bound.by} prove of every event" for bound in own_bounds()},
    "derived": "derived",
    "printed": "printed",
}
"""What the legend says of each curve."""

MOST_COLUMNS = 1
"""Columns that are shown of a table unless somebody names others: each takes seconds."""


def _columns_left_out(context: Context) -> tuple[str, ...]:
    """Return the columns of measured numbers that are not shown."""
    if context.columns or context.measured is None:
        return ()
    return tuple(
        table.names[position]
        for table in context.tables
        for position in _numbers_in(table, context)[MOST_COLUMNS:]
    )


def _numbers_in(table: TextTable, context: Context) -> list[int]:
    """Return the positions of columns whose sums make sense; of all numbers if nobody says."""
    measured = context.measured
    return [
        position
        for position, name in enumerate(table.names)
        if (measured is None or name in measured) and table.is_numeric(position)
    ]


def _columns_to_treat(context: Context) -> Iterator[tuple[TextTable, NumericColumn | None]]:
    """Yield the columns to treat; None once for a table that has none."""
    for name in context.columns:
        if not any(_has(table, name) for table in context.tables):
            # The first table says what it has instead.
            context.tables[0].position(name)
    for table in context.tables:
        if context.columns:
            positions = [table.position(name) for name in context.columns if _has(table, name)]
        else:
            most = None if context.measured is None else MOST_COLUMNS
            positions = _numbers_in(table, context)[:most]
        for position in positions:
            yield table, table.column(position + 1)
        if not positions:
            yield table, None


def _has(table: TextTable, name: str) -> bool:
    try:
        table.position(name)
    except DataError:
        return False
    return True


def _subject(anchor: str, column: NumericColumn, settings: Settings) -> dict[str, object]:
    """Return what the template shows of one column; no levels if all records are equal."""
    record = RecordMoments.from_column(column.values, name=column.name)
    reach = max(column.values) - min(column.values)
    shift = reach if settings.shift is None else settings.shift
    levels: list[dict[str, object]] = []
    if reach:
        moments = Moments.of_column(column.values)
        law = empirical(column.values, name=column.name)
        adversaries = _adversaries(shift, settings)
        levels = [
            _level(f"{anchor}-{adversary.level}", adversary, column, moments, law, settings)
            for adversary in count_parts(f"bounds for {column.name}, levels", adversaries)
        ]
    return {
        "anchor": anchor,
        "name": column.name,
        "source": column.source,
        "facts": _facts(column, record),
        "shift": exact_text(shift),
        "levels": levels,
        "results": ColumnBounds(
            column, shift, tuple(cast(LevelBounds, level["results"]) for level in levels)
        ),
    }


def _facts(column: NumericColumn, record: RecordMoments) -> tuple[tuple[str, str], ...]:
    """Return what describes a column, as (name, value) pairs."""
    deviation = _decimal(record.variance).sqrt()
    facts = [
        ("records", f"{len(column.values):,}"),
        ("missing", f"{column.missing:,}"),
        ("smallest", exact_text(min(column.values))),
        ("largest", exact_text(max(column.values))),
        ("mean", _short(_decimal(record.mean))),
        ("standard deviation", _short(deviation)),
    ]
    if record.variance and record.third_central is not None and record.fourth_central is not None:
        facts.append(("skewness", _short(_decimal(record.third_central) / deviation**3)))
        facts.append(("kurtosis", _short(_decimal(record.fourth_central / record.variance**2))))
    return tuple(facts)


def _decimal(value: Fraction) -> Decimal:
    """Return a value of any size to the usual 28 digits, where a float might overflow."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def _short(value: Decimal) -> str:
    return f"{value:.6g}" if value else "0"


def _adversaries(shift: Fraction, settings: Settings) -> tuple[Adversary, ...]:
    """Return an adversary of each level."""
    together, share = settings.neighbourhood, settings.known
    return tuple(
        Adversary.of(
            s=shift,
            neighbourhood=together if theorem.dependent else None,
            lambda2=share if theorem.unknown_only else None,
        )
        # Theorem 1 is about a count, and has no levels.
        for theorem in theorems()
        if not theorem.counts
    )


def _level(
    anchor: str,
    adversary: Adversary,
    column: NumericColumn,
    moments: Moments,
    record: FiniteLattice,
    settings: Settings,
) -> dict[str, object]:
    """Compare the readings at one level and draw them: one row of a column's table."""
    law = None
    if adversary.largest_neighbourhood(moments.n) == 1:
        law = iid(record, adversary.unknown(moments.n))
    if law is not None and _is_wide(law):
        # Its exact value is worked out below, from floating masses.
        moments = replace(moments, law=None)
    arguments: dict[str, Any] = {
        "moments": moments,
        "adversary": adversary,
        "k": min(settings.k, moments.n),
    }
    comparison = compare(adversary.theorem, **arguments)
    curves: list[CertifiedCurve] = []
    if law is not None:
        comparison, curves = _with_law(comparison, law, adversary)
    curves += [_claims(comparison, reading, arguments) for reading in Reading]
    curves += _along(comparison)
    finding = of_curves(curves, refuted=_refutation(comparison))
    label = f"{finding}. Curves of δ against ε for {column.name} at level {adversary.level}"
    plotted = [
        PlottedCurve(
            curve.kind,
            tuple(float(_decimal(x)) for x, _ in curve.points),
            tuple(float(y) for _, y in curve.points),
        )
        for curve in curves
    ]
    figure = curves_svg(anchor, label, plotted, x_label="ε", y_label="δ")
    return {
        "numeral": adversary.level,
        "theorem": adversary.theorem,
        "knows": knows(adversary, n=moments.n),
        "epsilon": number(comparison.bounds[Reading.PRINTED].epsilon),
        "cells": [
            _cell(comparison, name) for name in (*Reading, *(bound.name for bound in own_bounds()))
        ],
        "exact": number(comparison.exact),
        "meaning": list(explain(comparison)),
        "remarks": [*remarks_of_all(comparison.bounds.values()), *_remarks_beside(comparison)],
        "finding": finding,
        "figure": Markup(figure),
        "results": LevelBounds(adversary.level, comparison, tuple(curves)),
    }


def _is_wide(law: LatticeLaw) -> bool:
    # Twelve deviations to each side are 24, and 24 squared is 576: squares need no root, whose
    # rounding would have to be proved. What balls leave undecided is not wide, and costs time only.
    return bool(576 * law.variance() > as_arb((_WIDE * law.step) ** 2))


def _grid(comparison: Comparison, points: int) -> list[Fraction]:
    """Return epsilons from 0 to beyond the one that the paper's theorem gives."""
    claim = comparison.bounds[Reading.PRINTED].epsilon
    end = None if claim is None else Fraction(claim.upper) * _REACH
    # Of 10 and of 34 points, steps 6 of 9 and 22 of 33 are two thirds of the way: the claim's own
    # ε.
    return [] if end is None else [end * i / (points - 1) for i in range(points)]


def _with_law(
    comparison: Comparison, law: LatticeLaw, adversary: Adversary
) -> tuple[Comparison, list[CertifiedCurve]]:
    """Return the exact curve, and the comparison with what a wide law adds to it."""
    claim = comparison.bounds[Reading.CORRECTED].epsilon
    grid = _grid(comparison, _COARSE if _is_wide(law) else _FINE)
    if claim is None or not grid:
        return comparison, []
    epsilons = [Fraction(claim.upper), *grid]
    try:
        # One pass over the law gives the value of the table and the whole curve.
        exact, *along = delta_within(law, shift=adversary.s, epsilon=epsilons)
    except TooLarge as reason:
        return replace(comparison, note=str(reason)), []
    if comparison.exact is None:
        comparison = replace(comparison, exact=exact, note=law.name)
    return comparison, [CertifiedCurve.of("exact", grid, along)]


def _claims(
    comparison: Comparison, reading: Reading, arguments: Mapping[str, Any]
) -> CertifiedCurve:
    """Return what a reading claims; a printed theorem claims nothing before its own epsilon."""
    epsilons = _grid(comparison, _FINE if reading is Reading.CORRECTED else _COARSE)
    if reading is not Reading.CORRECTED:
        # Exact rationals, so that the first point kept is the claim's own ε and no neighbour of it.
        epsilons = [epsilon for epsilon in epsilons if epsilon >= epsilons[-1] / _REACH]
    deltas = [
        bound(comparison.theorem, reading=reading, epsilon=epsilon, **arguments).delta
        for epsilon in epsilons
    ]
    return CertifiedCurve.of(reading.value, epsilons, deltas)


def _cell(comparison: Comparison, name: Reading | str) -> dict[str, object]:
    """Return what a reading, or another bound, says."""
    ratio = comparison.ratio(name)
    times = "" if ratio is None else f"{ratio:.3g}"
    standing = comparison.standing(name)
    value = value_of(comparison, name)
    return {"reading": str(name), "value": value, "standing": standing, "times": times}


def _remarks_beside(comparison: Comparison) -> Iterator[tuple[str, str]]:
    for name, proved in comparison.beside.items():
        for line in [proved] if isinstance(proved, str) else proved.explained():
            yield name, line


def _along(comparison: Comparison) -> Iterator[CertifiedCurve]:
    """Yield what other bounds prove along all epsilons."""
    epsilons = _grid(comparison, _COARSE)
    for name in comparison.beside:
        proved = comparison.proved_by(name)
        if proved and (values := proved.along(epsilons)):
            yield CertifiedCurve.of(name, epsilons, values)


def _refutation(comparison: Comparison) -> str:
    """Say that the paper's theorem is refuted at its own ε, if it is."""
    claim = comparison.bounds[Reading.PRINTED]
    if comparison.standing(Reading.PRINTED) is not Standing.REFUTED or claim.epsilon is None:
        return ""
    sentence = f"At ε = {number(claim.epsilon)} the paper claims δ = {number(claim.delta)}"
    if comparison.exact is None:
        return f"{sentence}, and no δ is negative"
    return f"{sentence}, and the exact δ is {number(comparison.exact)}"
