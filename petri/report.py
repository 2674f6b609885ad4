"""Everything that exploring a net tells, in one place: as data and as text.

The sections are those of CPN Tools, followed by the verdicts on properties and, for the nets of the
paper, by what can be published and what an adversary believes after each publication.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kproof.errors import InvalidArgument, TooLarge
from kproof.petri import wording
from kproof.petri.api import TableNet
from kproof.petri.classes import ByRecord
from kproof.petri.firing import Firing, Trace
from kproof.petri.gain import Belief, Gain
from kproof.petri.outcome import Outcome
from kproof.petri.properties import Outcome as Ruling
from kproof.petri.properties import Property, PropertyVerdict, check
from kproof.petri.publisher import Names
from kproof.petri.space import Completeness, StateSpace
from kproof.petri.standard import (
    LISTED,
    StandardReport,
    dead_firings,
    live_firings,
    standard_report,
)

SCHEMA = 1
"""Version of the JSON form."""

_INSTANCES = 20_000


@dataclass(frozen=True)
class Published:
    """What a publisher's state space says of its table.

    Attributes
    ----------
    outcome
        Publications and other ends.
    gain
        What an adversary believes after each publication; None if that was not asked for.
    """

    outcome: Outcome
    gain: Gain | None

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form; of many publications the first are listed."""
        found = self.outcome
        return {
            "publications": len(found.publications),
            "published": [
                [[str(value) for value in one] for one in names]
                for names in list(found.publications)[:LISTED]
            ],
            "noise": list(found.noise),
            "infeasible": len(found.infeasible),
            "stuck": len(found.stuck),
            "disclosing": len(found.disclosing),
            "gain": self.gain and self.gain.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class Report:
    """What is known of a net once it was explored.

    Attributes
    ----------
    standard
        What can be said of any net.
    dead, live
        Transition instances that never occur, and those that can always occur again; None if the
        space is partial or there are too many to try.
    verdicts
        On the properties that were asked for.
    published
        For the nets of the paper; None for others.
    """

    standard: StandardReport
    dead: tuple[Firing, ...] | None
    live: tuple[Firing, ...] | None
    verdicts: tuple[PropertyVerdict, ...]
    published: Published | None

    @property
    def space(self) -> StateSpace:
        """What was explored."""
        return self.standard.space

    @property
    def refuted(self) -> tuple[PropertyVerdict, ...]:
        """The verdicts that are false."""
        return tuple(one for one in self.verdicts if one.outcome is Ruling.FALSE)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form; of long lists the first entries, with their number."""
        known: dict[str, Any] = self.standard.to_dict()
        for one in known["bounds"]:
            for kind in ("lower", "upper"):
                one[f"{kind}_tokens"] = len(one[kind])
                one[kind] = one[kind][:LISTED]
        published = {"publications": None} if self.published is None else self.published.to_dict()
        return {
            **known,
            "schema": SCHEMA,
            "dead_instances": _instances(self.dead),
            "live_instances": _instances(self.live),
            "properties": [one.to_dict() for one in self.verdicts],
            **published,
        }

    def __str__(self) -> str:
        """Return the report as plain text."""
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
) -> Report:
    """Return the report on a state space.

    Parameters
    ----------
    net
        The net of the paper that was explored; None for other nets.
    space
        What exploring found, with its arcs.
    properties
        What is asked.
    background
        As for :meth:`kproof.petri.api.TableNet.gain`.
    gain
        Whether an adversary's beliefs are computed.

    Examples
    --------
    >>> from kproof.petri.api import net
    >>> made = net("theta-sensitive", [["HIV", "HIV"], ["Flu", "Cancer"]], k=2)
    >>> found = report(made, made.explore())
    >>> found.to_dict()["publications"], found.refuted
    (2, ())
    """
    return Report(
        standard_report(space),
        *_known_instances(space),
        verdicts=check(space, properties),
        published=None
        if net is None
        else Published(net.outcome(space), net.gain(background, space=space) if gain else None),
    )


def classes_in_words(names: Names) -> str:
    """Return published classes on one line.

    Examples
    --------
    >>> classes_in_words((("Flu", "HIV"), ("Flu", "Flu")))
    'Flu, HIV | Flu, Flu'
    """
    return " | ".join(", ".join(map(str, one)) for one in names)


def victim(outcome: Outcome, belief: Belief) -> str:
    """Return who a belief is about; rows and classes are counted from 0."""
    if isinstance(outcome.publisher.kind, ByRecord):
        return f"the person of row {belief.victim}"
    return f"someone of class {belief.victim}"


def trace_lines(trace: Trace) -> list[str]:
    """Return a trace in words: a line for each marking and each firing."""
    lines = [wording.marking(trace.start, most=LISTED)]
    for number, (firing, found) in enumerate(trace.steps):
        if number == trace.loop:
            lines.append("from here on, again and again")
        values = ", ".join(
            f"{name} = {wording.worded(value)}" for name, value in firing.binding if name != "ecs"
        )
        lines += [
            f"  {firing.transition}{f' with {values}' if values else ''}",
            wording.marking(found, most=LISTED),
        ]
    return lines


def _known_instances(
    space: StateSpace,
) -> tuple[tuple[Firing, ...] | None, tuple[Firing, ...] | None]:
    if space.status is not Completeness.FULL or not space.arcs_kept:
        return None, None
    try:
        dead = dead_firings(space, most=_INSTANCES)
    except (InvalidArgument, TooLarge):
        dead = None
    return dead, live_firings(space)


def _instances(firings: tuple[Firing, ...] | None) -> dict[str, object] | None:
    if firings is None:
        return None
    return {"count": len(firings), "listed": [str(one) for one in firings[:LISTED]]}


def _statistics(found: Report) -> list[str]:
    space, scc = found.space, found.standard.scc
    time = "less than a second" if space.seconds < 1 else f"{space.seconds:.1f} seconds"
    stopped = f", stopped by {space.stopped_by}" if space.stopped_by else ""
    lines = [
        "",
        "Statistics",
        f"  state space: {space.states} nodes, {space.arcs} arcs, {space.status}{stopped}, {time}",
    ]
    if scc is not None:
        lines.append(f"  SCC graph: {scc.nodes} nodes, {scc.arcs} arcs, {scc.terminal} terminal")
    return lines


def _bounds(found: Report) -> list[str]:
    rows = found.standard.bounds
    width = max((len(one.place) for one in rows), default=0)
    lines = ["", "Bounds: integer (upper, lower), upper multi-set, lower multi-set"]
    for one in rows:
        upper = wording.shortened(wording.multiset(one.upper), _WIDE)
        lower = wording.shortened(wording.multiset(one.lower), _WIDE)
        lines.append(f"  {one.place:{width}}  {one.most}, {one.least}  {upper}; {lower}")
    return lines


_WIDE = 100


def _behaviour(found: Report) -> list[str]:
    standard = found.standard
    lines = [
        "",
        "Home, liveness, fairness",
        f"  home markings: {_states(standard, standard.home)}",
        f"  dead markings: {_states(standard, standard.dead)}",
    ]
    for title, kind, instances in (("dead", "dead", found.dead), ("live", "live", found.live)):
        answers = [(one.transition, getattr(one, kind)) for one in standard.transitions]
        names = ", ".join(name for name, answer in answers if answer) or "none"
        if all(answer is None for _, answer in answers):
            names = "unknown"
        lines.append(f"  {title} transitions: {names}")
        if instances is not None:
            lines.append(f"  {title} transition instances: {len(instances)}")
    if standard.infinite is False:
        return [*lines, "  fairness: no infinite occurrence sequences"]
    fair = [f"{one.transition} {one.fairness or 'unknown'}" for one in standard.transitions]
    return [*lines, f"  fairness: {', '.join(fair)}"]


def _states(standard: StandardReport, states: Any) -> str:
    if states is None:
        return "unknown"
    if len(states) == standard.space.states:
        return "all"
    if not len(states):
        return "none"
    listed = ", ".join(str(state) for state in states[:8])
    return f"{len(states)}: {listed}{', …' if len(states) > 8 else ''}"


def _properties(found: Report) -> list[str]:
    if not found.verdicts:
        return []
    lines = ["", "Properties", *(f"  {one}" for one in found.verdicts)]
    for one in found.refuted:
        if one.trace is not None:
            lines += ["", f"Against {one.name}", *(f"  {line}" for line in trace_lines(one.trace))]
    return lines


def _publications(found: Report) -> list[str]:
    if found.published is None:
        return []
    outcome, gain = found.published.outcome, found.published.gain
    lines = [
        "",
        "Publications",
        f"  {len(outcome.publications)} publications, noise rows "
        + (", ".join(map(str, outcome.noise)) or "none"),
        f"  ends without: {len(outcome.infeasible)} infeasible, {len(outcome.stuck)} stuck",
    ]
    lines += [
        f"  {'first: ' if number == 0 else '       '}{classes_in_words(names)}"
        for number, names in enumerate(list(outcome.publications)[:2])
    ]
    if gain is not None and gain.worst is not None:
        worst = gain.worst
        lines += [
            "",
            "What an adversary believes",
            f"  worst: {victim(found.published.outcome, worst)} has {worst.guess} with probability "
            f"{worst.certainty}",
            f"  if the classes are {classes_in_words(worst.published)}",
            f"  certain: {gain.certain} of {len(gain.beliefs)} beliefs",
        ]
    return lines
