"""The page on runs of a net, as ``kproof net simulate --html`` writes it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import partial
from math import ceil
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from kproof.errors import TooLarge
from kproof.petri.drawing.drawing import net_svg
from kproof.petri.papers.gain import IGNORANT
from kproof.petri.papers.head import decimal, exactly
from kproof.petri.papers.report import trace_lines
from kproof.petri.papers.runs.account import (
    LISTED_CHANGES,
    LISTED_CLASSES,
    LISTED_ROWS,
    RowChange,
    TableChange,
)
from kproof.petri.papers.runs.lessons import Spread
from kproof.petri.papers.runs.publisher_runs import QUERIES
from kproof.petri.papers.runs.simulation import SimulationReport
from kproof.petri.papers.theta_sensitive import Cut
from kproof.petri.spaces.figures import at_least
from kproof.petri.spaces.tallies import Simulation, Tally, clopper_pearson, mean_interval
from kproof.report.context import fragment
from kproof.report.findings import of_runs
from kproof.report.playing import script_data

if TYPE_CHECKING:
    from markupsafe import Markup

    from kproof.petri.net.firing import Trace
    from kproof.petri.net.net import Net

_SVG = "http://www.w3.org/2000/svg"
_LINES = 200
_STEPS = 4
_LISTED, _BARS, _LONG = 12, 24, 32
_ALIKE = "all runs alike"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def page_of(report: SimulationReport) -> str:
    """Return the page, which needs nothing but itself."""
    simulation, final = report.simulation, report.simulation.final
    publisher_runs, head, net = report.known, report.head, report.net
    spreads = () if publisher_runs is None else publisher_runs.spreads
    options = {} if publisher_runs is None else publisher_runs.net.publisher.options
    runs = (
        [("Runs", f"all {simulation.runs:,}")]
        if simulation.exact
        else [
            ("Runs", f"{simulation.runs:,}"),
            ("Seed", str(simulation.seed)),
            ("Confidence", f"{float(simulation.confidence):.4g}"),
        ]
    )
    counted = []
    tallies = (simulation.steps, *simulation.groups, *simulation.transitions)
    for tally in tallies:
        mean, fewest, largest = tally.figures(final=final)
        mean_text = str(at_least(_number(tally.mean), final=final)) if tally.mean else str(mean)
        interval = _of_tally(tally, simulation)
        counted.append((tally.name, mean_text, interval, str(fewest), str(largest)))
    inside = publisher_runs is not None and bool(publisher_runs.net.attackers)
    lessons = () if publisher_runs is None else publisher_runs.lessons
    by_class = [(lesson.attack, of_class) for lesson in lessons for of_class in lesson.classes]
    by_class.sort(key=lambda pair: -pair[1].anyone.share)
    publisher = None if publisher_runs is None else publisher_runs.net.publisher
    ends = [
        (
            chance.name,
            str(at_least(_number(chance.share) if chance.share else 0, final=final)),
            f"{float(chance.lower):.6f} to {float(chance.upper):.6f}",
        )
        for chance in simulation.ends
    ]
    return fragment(
        "simulation.html",
        found=simulation,
        head=[*(() if head is None else head.facts), *runs],
        tokens=options.get("tokens"),
        moves=options.get("cut") == Cut.MOVES,
        counted=counted,
        ends=ends,
        confidence=f"{float(simulation.confidence):.4g}",
        her=IGNORANT,
        inside=inside,
        by_class=by_class,
        most_listed=_LISTED,
        alike=_alike(simulation) if any(row[2] == _ALIKE for row in counted) else "",
        distributions=_unlike(tallies) if simulation.exact else (),
        data=script_data(publisher, report.samples) if report.samples else "",
        markings=any(sample.course is not None for sample in report.samples),
        exactly=exactly,
        chance=_exactly if simulation.exact else _number,
        interval=partial(_of_spread, confidence=simulation.confidence),
        steps_of=_steps_of,
        spreads=spreads,
        charts=[
            (of_runs(spread.name, spread.bars(), partial(_span, spread)), spread.bars(), spread)
            for spread in spreads
            if len(set(spread.values)) > 1
        ],
        asked=QUERIES if any("query" in spread.name for spread in spreads) else 0,
        formed_error=None if publisher_runs is None else publisher_runs.formed_error,
        lessons=lessons,
        samples=report.samples,
        drawing=_picture(net, report.samples[0].fired if report.samples else None),
        most_changes=LISTED_CHANGES,
        most_rows=LISTED_ROWS,
        most_classes=LISTED_CLASSES,
        lines=_lines,
        rows=_rows,
        steps=_steps,
        span=_span,
        plural=_plural,
        decimal=decimal,
        number=_number,
    )


def _of_tally(tally: Tally, simulation: Simulation) -> str:
    """Return Student's interval for a mean count, or why there is none."""
    if simulation.exact:
        return ""
    if not simulation.final:
        return "none, as runs were broken off"
    runs = simulation.runs
    values: dict[Fraction | float, int] = {
        # A share is a number of runs over all of them, so that the product is whole.
        Fraction(n): int(share * runs)
        for n, share in tally.shares.items()
    }
    return _interval(mean_interval(values, simulation.confidence), runs)


def _of_spread(spread: Spread, *, confidence: Fraction) -> str:
    return _interval(spread.interval(confidence), len(spread.values))


def _interval(ends: tuple[float, float] | None, runs: int) -> str:
    if ends is None:
        return _ALIKE if runs > 1 else "none, of one run"
    return f"{ends[0]:.4g} to {ends[1]:.4g}"


def _alike(simulation: Simulation) -> str:
    """Return how many of all runs may differ where those that were taken are alike."""
    upper = clopper_pearson(0, simulation.runs, simulation.confidence)[1]
    # Rounded up: it is a largest share.
    return f"{ceil(upper * 10_000) / 100:g} %"


def _unlike(tallies: Iterable[Tally]) -> list[Tally]:
    """Return what does not happen equally often in all runs, each distribution once."""
    listed: dict[tuple[tuple[int, Fraction], ...], Tally] = {}
    for tally in tallies:
        if 1 < len(tally.shares) <= _BARS:
            listed.setdefault(tuple(tally.shares.items()), tally)
    return list(listed.values())


def _exactly(share: Fraction) -> str:
    """Return an exact share, in decimals if its fraction is a long one."""
    text = exactly(share)
    return text if len(text) <= _LONG else f"≈ {decimal(share, 6)}"


def _steps_of(spread: Spread | Tally | None) -> str:
    if spread is None:
        return "not known"
    if isinstance(spread, Tally):
        spread = Spread(spread.name, tuple(map(Fraction, spread.shares)))
    return _span(spread, spread.values[0], spread.values[-1])


def mark_firings(svg: str, fired: Mapping[str, int]) -> str:
    """Return the drawing of a net with what fired marked, and how often.

    Transitions that did not fire may be left out.

    >>> box = '<g class="transition"><title>tick; note</title><path d="M 0 0 L 9 5" /></g>'
    >>> svg = mark_firings(f'<svg xmlns="http://www.w3.org/2000/svg">{box}</svg>', {"tick": 3})
    >>> 'class="transition fired"' in svg, ">3×<" in svg
    (True, True)
    """
    root = ET.fromstring(svg)
    # The longest first: a name may hold a semicolon, after which the title goes on.
    names = sorted(fired, key=len, reverse=True)
    # A list, since texts are added to the tree on the way.
    for group in list(root.iter(f"{{{_SVG}}}g")):
        if group.get("class") != "transition":
            continue
        title = group.find(f"{{{_SVG}}}title")
        about = "" if title is None or title.text is None else title.text
        name = next((step for step in names if about == step or about.startswith(f"{step};")), None)
        times = 0 if name is None else fired[name]
        group.set("class", f"transition {'fired' if times else 'idle'}")
        if title is not None:
            title.text = f"{about}; fired {_plural(times, 'time')}"
        path = group.find(f"{{{_SVG}}}path")
        if times and path is not None:
            spot = list(map(float, _NUMBER.findall(path.get("d", ""))))
            if len(spot) >= 2:
                badge = ET.SubElement(group, f"{{{_SVG}}}text")
                badge.set("class", "times")
                badge.set("x", f"{max(spot[::2]):.1f}")
                badge.set("y", f"{min(spot[1::2]) - 3:.1f}")
                badge.text = f"{times:,}×"
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    return ET.tostring(root, encoding="unicode")


def _picture(net: Net, fired: Mapping[str, int] | None) -> Markup | None:
    from markupsafe import Markup

    try:
        svg = net_svg(net)
    except TooLarge:
        return None
    return Markup(svg if fired is None else mark_firings(svg, fired))


def _lines(trace: Trace) -> list[str]:
    """Return the firings and markings of a run; of many the first."""
    lines = trace_lines(trace)
    if len(lines) <= _LINES:
        return lines
    return [*lines[:_LINES], f"… ({len(lines) - _LINES:,} more lines)"]


def _rows(change: TableChange) -> tuple[str, ...]:
    if change.donor is None:
        return (f"noise, {change.y} → {change.receiver.at}",)
    moved = (
        (change.leaves, change.x, change.donor.at),
        (change.comes, change.y, change.receiver.at),
    )
    return tuple(
        f"{'' if row is None else f'row {row:,}, '}{value} → {target}"
        for row, value, target in moved
    )


def _steps(change: RowChange) -> str:
    """Return the steps in which a row moved; of many the first two and the last."""
    numbers = [f"{cause.number:,}" for cause in change.causes]
    if len(numbers) <= _STEPS:
        return ", ".join(numbers)
    return f"{', '.join(numbers[:2])}, …, {numbers[-1]} ({len(numbers)} steps)"


def _span(spread: Spread, first: Fraction | float, last: Fraction | float) -> str:
    if spread.whole:
        return f"{int(first):,}" if first == last else f"{int(first):,} to {int(last):,}"
    return f"{float(first):.4g}" if first == last else f"{float(first):.4g} to {float(last):.4g}"


def _plural(count: int, noun: str, nouns: str | None = None) -> str:
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def _number(number: Fraction | float) -> str:
    """Return a number in up to six digits, with thousands set apart."""
    value = float(number)
    if value >= 1000:
        return f"{value:,.1f}".removesuffix(".0")
    return f"{value:.4g}"
