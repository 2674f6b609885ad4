"""Everything that exploring a net tells, in one place: as data and as text.

The sections are those of CPN Tools, followed by the verdicts on properties and, for the nets of the
paper, by what can be published and what an adversary believes after each publication.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from kproof.errors import InvalidArgument, TooLarge
from kproof.forms import JsonForm
from kproof.petri.drawing import wording
from kproof.petri.logic.properties import Property, PropertyVerdict, check
from kproof.petri.logic.properties import TruthValue as Ruling
from kproof.petri.logic.standard import (
    LISTED,
    StandardReport,
    dead_firings,
    live_firings,
    standard_report,
)
from kproof.petri.net.firing import Firing, Trace
from kproof.petri.net.marking import Multiset
from kproof.petri.papers.api import TableNet
from kproof.petri.papers.attackers import AttackBeliefs
from kproof.petri.papers.classes import ByRecord
from kproof.petri.papers.gain import BeliefGain
from kproof.petri.papers.method_known import MethodKnown, method_known
from kproof.petri.papers.outcome import PublisherEnds
from kproof.petri.papers.publisher import NOT_JUDGED, classes_in_words
from kproof.petri.spaces.figures import Figure, so_far
from kproof.petri.spaces.limits import Clock, Ended, clock_for_judging
from kproof.petri.spaces.space import Bounds, StateSpace

SCHEMA = 2
"""Version of the JSON form."""

_INSTANCES = 20_000


@dataclass(frozen=True)
class PublisherReport:
    """What a publisher's state space says of its table."""

    outcome: PublisherEnds
    """Publications and other ends."""
    gain: BeliefGain | None
    """What an adversary believes after each publication; None if that was not asked for."""
    attacks: tuple[AttackBeliefs, ...] = ()
    """What each attack of the net believes after each publication."""
    method_known: MethodKnown | None = None
    """What whoever knows the method believes; None if beliefs were not asked for."""

    @property
    def beliefs(self) -> tuple[BeliefGain | AttackBeliefs, ...]:
        """Beliefs of whoever should have some: something is published, and somebody asked."""
        gain = () if self.gain is None else (self.gain,)
        return (*gain, *self.attacks) if self.outcome.publications else ()

    @property
    def _first_publications(self) -> Figure:
        """The first publications: values of each class."""
        listed = [
            [[str(value) for value in ec] for ec in names]
            for names in list(self.outcome.publications)[:LISTED]
        ]
        return so_far(listed, final=self.outcome.full)

    to_dict = JsonForm(
        "published=_first_publications publications=outcome.figures.publications",
        "infeasible=outcome.figures.infeasible stuck=outcome.figures.stuck",
        "disclosing=outcome.figures.disclosing noise=outcome.figures.noise gain",
        "attacks method_known",
    )


@dataclass(frozen=True, slots=True)
class NoPublisher:
    """What a net that is no publisher publishes."""

    publications: None = None
    """How many there are; null for nets that publish nothing."""


@dataclass(frozen=True, slots=True)
class ListedFirings:
    """Instances of transitions, the first of them by name."""

    count: int
    """How many there are."""
    listed: tuple[str, ...]
    """The first of them."""

    @classmethod
    def of(cls, firings: tuple[Firing, ...] | None) -> ListedFirings | None:
        """Return the first of them by name; None if they are not known."""
        if firings is None:
            return None
        return cls(len(firings), tuple(map(str, firings[:LISTED])))


@dataclass(frozen=True, eq=False)
class NetReport:
    """What is known of a net once it was explored."""

    standard: StandardReport
    """What can be said of any net."""
    dead: tuple[Firing, ...] | None
    live: tuple[Firing, ...] | None
    """Transition instances that never occur, and those that can always occur again; None if the
    space is partial or there are too many to try."""
    verdicts: tuple[PropertyVerdict, ...]
    """On the properties that were asked for."""
    published: PublisherReport | None
    """For the nets of the paper; None for others."""

    @property
    def space(self) -> StateSpace:
        """What was explored."""
        return self.standard.space

    @property
    def refuted(self) -> tuple[PropertyVerdict, ...]:
        """The verdicts that are false."""
        return tuple(verdict for verdict in self.verdicts if verdict.outcome is Ruling.FALSE)

    @property
    def open(self) -> bool:
        """Whether something is not answered: figures of a part, or verdicts that nobody gave."""
        published = self.published
        parts = [self.standard.full, self.standard.stopped_by is None]
        if published is not None:
            parts.append(published.outcome.full)
            parts.append(published.gain is None or published.gain.full)
            # Something is published, and an attack that has no belief about anyone judged nobody.
            parts += [bool(entry.beliefs) for entry in published.beliefs]
        decided = (Ruling.TRUE, Ruling.FALSE)
        return not all(parts) or any(verdict.outcome not in decided for verdict in self.verdicts)

    @property
    def _dead(self) -> ListedFirings | None:
        """Instances of transitions that never fire; None if unknown."""
        return ListedFirings.of(self.dead)

    @property
    def _live(self) -> ListedFirings | None:
        """Instances that can always fire again; None if unknown."""
        return ListedFirings.of(self.live)

    listed: ClassVar[int] = LISTED
    """Tokens of a multi-set bound that are listed."""

    @property
    def _publisher(self) -> PublisherReport | NoPublisher:
        """What can be published."""
        return self.published or NoPublisher()

    to_dict = JsonForm(
        "*standard.to_dict(listed) dead_instances=_dead live_instances=_live properties=verdicts",
        "*_publisher",
        schema=SCHEMA,
    )

    def __str__(self) -> str:
        return "\n".join(
            [
                f"net {self.space.net.name}",
                *_statistics(self),
                *_bounds(self),
                *_behaviour(self),
                *_properties(self),
                *_publications(self),
            ]
        )


def report(
    net: TableNet | None,
    space: StateSpace,
    *,
    properties: Iterable[Property] = (),
    background: Any = None,
    gain: bool = True,
    clock: Clock | None = None,
) -> NetReport:
    """Return the report on a state space with its arcs, and for a net of the paper on its table.

    What an adversary believes is computed unless ``gain`` is False, with ``background`` as for
    :meth:`kproof.petri.papers.api.TableNet.gain`. What was asked is judged first, and what is not
    judged once the clock is over is unknown; by default it is over with the seconds that exploring
    left.

    >>> from kproof.petri.papers.api import net
    >>> made = net("theta-sensitive", [["HIV", "HIV"], ["Flu", "Cancer"]], k=2)
    >>> explored = report(made, made.explore())
    >>> explored.to_dict()["publications"], explored.refuted
    ({'final': 2}, ())
    """
    clock = clock_for_judging(space) if clock is None else clock
    # First of all: everything shares one clock, and this is what somebody asked.
    verdicts = check(space, properties, clock=clock)
    published = None
    if net is not None:
        outcome = PublisherEnds.of(net.publisher, space, clock=clock)
        believed = net.gain(background, space=space, clock=clock) if gain else None
        attacks = net.disclosures(space=space, clock=clock) if gain else ()
        by_method = None
        if gain:
            ends = (ecs for _, ecs in net.publisher.every_publication(space))
            by_method = method_known(net.publisher, ends, every=outcome.full)
        published = PublisherReport(outcome, believed, attacks, by_method)
    standard = standard_report(space, clock=clock)
    dead, live, stopped_by = _find_instances(space, clock)
    standard = replace(standard, stopped_by=standard.stopped_by or stopped_by)
    return NetReport(standard, dead, live, verdicts, published)


def victim(outcome: PublisherEnds, row: int | None) -> str:
    """Return who a belief is about; rows and classes are counted from 0."""
    records = isinstance(outcome.publisher.kind, ByRecord)
    return f"the person of row {row}" if records else f"someone of class {row}"


def trace_lines(trace: Trace) -> list[str]:
    """Return a trace in words: a line for each marking and each firing."""
    lines = [wording.marking(trace.start, most=LISTED)]
    for number, (firing, marking) in enumerate(trace.steps):
        if number == trace.loop:
            lines.append("from here on, again and again")
        values = ", ".join(
            f"{name} = {wording.token_words(value)}"
            for name, value in firing.binding
            # The whole table, which the marking shows.
            if name != "ecs"
        )
        lines += [
            f"  {firing.transition}{f' with {values}' if values else ''}",
            wording.marking(marking, most=LISTED),
        ]
    return lines


def _find_instances(
    space: StateSpace, clock: Clock
) -> tuple[tuple[Firing, ...] | None, tuple[Firing, ...] | None, str | None]:
    """Return the instances that are surely dead and live, and what ended the search for them."""
    dead = live = None
    if not space.full or not space.arcs_kept:
        return dead, live, None
    try:
        # Where there are too many to try, or open colours, those that are live are found all the
        # same: only what occurs can be live.
        with suppress(InvalidArgument, TooLarge):
            dead = dead_firings(space, most=_INSTANCES, clock=clock)
        live = live_firings(space, clock=clock)
    except Ended as ended:
        return dead, live, ended.limit
    return dead, live, None


def _statistics(report: NetReport) -> list[str]:
    space, standard = report.space, report.standard
    figures = standard.statistics
    time = "less than a second" if space.seconds < 1 else f"{space.seconds:.1f} seconds"
    lines = [
        "",
        "Statistics",
        f"  state space: {figures['states'].of('nodes')}, {figures['arcs'].of('arcs')}, "
        f"{'full' if space.full else space.extent}, {time}",
    ]
    if standard.stopped_by is not None:
        lines.append(f"  judging it was stopped by {standard.stopped_by}")
    scc = (figures[f"scc_{name}"].of(name) for name in ("nodes", "arcs", "terminal"))
    return [*lines, f"  SCC graph: {'unknown' if standard.scc is None else ', '.join(scc)}"]


def _bounds(report: NetReport) -> list[str]:
    rows = report.standard.bounds
    width = max((len(bounds.place) for bounds in rows), default=0)
    lines = ["", "Bounds: integer (upper, lower), upper multi-set, lower multi-set"]
    for bounds in rows:
        high, low, upper, lower = bounds_in_words(bounds, full=report.standard.full, longest=_WIDE)
        lines.append(f"  {bounds.place:{width}}  {high}, {low}  {upper}; {lower}")
    return lines


def bounds_in_words(
    bounds: Bounds, *, full: bool, longest: int = 10**6
) -> tuple[str, str, str, str]:
    """Return the largest and least count of a place, and its multi-set bounds, in words.

    A multi-set is cut after ``longest`` characters.
    """

    def in_words(figure: Figure, tokens: Multiset | None) -> str:
        words = tokens and wording.shorten(wording.multiset(tokens), longest)
        return replace(figure, value=words).of(empty="none")

    high, low, upper, lower = bounds.figures(full=full)
    return str(high), str(low), in_words(upper, bounds.upper), in_words(lower, bounds.lower)


_WIDE = 100


def _behaviour(report: NetReport) -> list[str]:
    standard = report.standard
    dead = standard.summary(standard.dead, final=standard.full, listed=8)
    lines = [
        "",
        "Home, liveness, fairness",
        f"  home markings: {standard.summary(standard.home, final=True, listed=8)}",
        f"  dead markings: {dead}",
    ]
    for kind, instances in (("dead", report.dead), ("live", report.live)):
        lines.append(f"  {kind} transitions: {standard.names_of(kind)}")
        count = "unknown" if instances is None else len(instances)
        lines.append(f"  {kind} transition instances: {count}")
    if standard.infinite is False:
        return [*lines, "  fairness: no infinite occurrence sequences"]
    fair = [f"{entry.transition} {entry.fairness or 'unknown'}" for entry in standard.transitions]
    return [*lines, f"  fairness: {', '.join(fair)}"]


def _properties(report: NetReport) -> list[str]:
    if not report.verdicts:
        return []
    lines = ["", "Properties", *(f"  {verdict}" for verdict in report.verdicts)]
    for verdict in report.refuted:
        if verdict.trace is not None:
            lines += [
                "",
                f"Against {verdict.name}",
                *(f"  {line}" for line in trace_lines(verdict.trace)),
            ]
    return lines


def _publications(report: NetReport) -> list[str]:
    if report.published is None:
        return []
    outcome, gain = report.published.outcome, report.published.gain
    figures = outcome.figures
    lines = [
        "",
        "Publications",
        f"  {figures['publications'].of('publications')}, noise rows {outcome.noise_rows}",
        f"  ends without: {figures['infeasible'].of('infeasible')}, {figures['stuck'].of('stuck')}",
    ]
    lines += [
        f"  {'first: ' if number == 0 else '       '}{classes_in_words(names)}"
        for number, names in enumerate(list(outcome.publications)[:2])
    ]
    if not outcome.full and outcome.publisher.staged:
        lines.append("  all of them: kproof net publications")
    beliefs = [] if gain is None else _beliefs(outcome, gain)
    by_method = report.published.method_known
    if by_method is not None and outcome.publications:
        beliefs += ["", f"To anyone who knows the method: {by_method}"]
    return [*lines, *beliefs, *_attacks(report.published)]


def _beliefs(outcome: PublisherEnds, gain: BeliefGain) -> list[str]:
    worst, figures = gain.worst, gain.figures
    title = ["", "What an adversary believes"]
    if worst is None and gain.full and not outcome.publications:
        return []
    if worst is None:
        return [*title, f"  worst: {NOT_JUDGED if gain.full else 'unknown'}"]
    standing = "" if gain.full else " so far"
    beliefs = figures["beliefs"].of("beliefs")
    return [
        *title,
        f"  worst{standing}: {victim(outcome, worst.victim)} has {worst.guess} with probability "
        f"{worst.certainty}",
        f"  if the classes are {classes_in_words(worst.published)}",
        f"  certain: {figures['certain']} of {beliefs}",
    ]


def _attacks(published: PublisherReport) -> list[str]:
    lines = ["", "What each attack believes"] if published.attacks else []
    for entry in published.attacks:
        figures, worst = entry.figures, entry.worst
        standing = "" if entry.full else " so far"
        if worst is None and entry.full and published.outcome.publications:
            lines.append(f"  {entry.attack}: {NOT_JUDGED}")
            continue
        beliefs = figures["beliefs"].of("beliefs")
        lines.append(f"  {entry.attack}: {figures['disclosed']} of {beliefs} are disclosures")
        if worst is None:
            lines.append(f"    worst: {'none' if entry.full else 'unknown'}")
            continue
        who = victim(published.outcome, worst.victim.row)
        lines += [
            f"    worst{standing}: {who} has {worst.victim.guess} with probability "
            f"{worst.victim.posterior}",
            f"    if the classes are {classes_in_words(worst.published)}",
        ]
    return lines
