"""The exact delta over fewer events than all: half-lines, intervals and unions of intervals.

A corrected statement often speaks of intervals only, and is to be held to those. For a log-concave
law and an aligned shift a half-line is the worst event there is; for any other lattice law the best
union of j intervals is a sum of at most j runs of P - e^ε Q, found by one pass over the points.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import accumulate

from flint import arb

from kproof.errors import InvalidArgument
from kproof.theory.exact import Enclosure, Number, as_arb, rational, use_bits
from kproof.theory.laws import LatticeLaw, Law, Normal
from kproof.theory.laws.windows import within_budget
from kproof.theory.profiles import delta
from kproof.theory.theorems.bounds import ALL, Events

_BITS = 256
_MOST_POINTS = 1 << 16


def delta_over(
    law: Law, *, shift: Number = 1, epsilon: Number, events: str | Events = ALL
) -> Enclosure:
    """Return the least δ that goes with ε for the given events, both directions of the shift.

    ``law``, ``shift``, ``epsilon``: as in :func:`kproof.theory.profiles.delta`. ``events``:
    ``half-lines``, ``intervals``, ``unions:J`` or ``all``. Raises TooLarge if a lattice law has
    more than 2**16 points and the events are not all.

    >>> from kproof.theory.laws import FiniteLattice, iid
    >>> even = iid(FiniteLattice({0: "1/2", 2: "1/2"}), 2)
    >>> [str(delta_over(even, epsilon=0, events=kind)) for kind in ("intervals", "unions:2", "all")]
    ['0.5', '0.75', '1']
    >>> delta_over(even, epsilon=0, events="rays")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: events = rays: need half-lines, intervals, unions:J or all
    """
    kind = Events.parse(events)
    distance = rational("shift", shift, above=0)
    if kind.intervals is None or _half_lines_are_worst(law, distance):
        return delta(law, shift=distance, epsilon=epsilon)
    if not isinstance(law, LatticeLaw):
        raise InvalidArgument("law", law, "a lattice law or a normal law")
    within_budget(law.points, law, budget=_MOST_POINTS)
    exponent = rational("epsilon", epsilon, least=0)
    with use_bits(_BITS):
        scale = as_arb(exponent).exp()
        atoms, shifted = _atoms(law, Fraction(0)), _atoms(law, distance)
        places = sorted(atoms.keys() | shifted.keys())
        best = arb(0)
        for first, second in ((atoms, shifted), (shifted, atoms)):
            excess = [first[place] - scale * second[place] for place in places]
            best = best.max(_largest(excess, kind.intervals))
        return Enclosure.from_arb(best, low=0, high=1)


def _half_lines_are_worst(law: Law, shift: Fraction) -> bool:
    if isinstance(law, Normal):
        return True
    return isinstance(law, LatticeLaw) and law.log_concave and (shift / law.step).denominator == 1


def _atoms(law: LatticeLaw, shift: Fraction) -> defaultdict[Fraction, arb]:
    window = law.window(arb(0))
    masses = defaultdict(lambda: arb(0))
    for index, mass in enumerate(window.masses, start=window.start):
        masses[law.origin + law.step * index + shift] = mass
    return masses


def _largest(excess: Sequence[arb], intervals: int) -> arb:
    """Return the largest sum over an event made of at most so many runs; 0 runs: a half-line."""
    if intervals == 0:
        half_lines = (*accumulate(excess), *accumulate(reversed(excess)))
        return reduce(arb.max, half_lines, arb(0))
    # Runs that touch are one run: at most every second point can begin another.
    runs = min(intervals, (len(excess) + 1) // 2)
    closed = [arb(0)] * (runs + 1)
    running = [arb(0)] * (runs + 1)
    for part in excess:
        # Downwards: upwards a run would be joined to one that has this point already, counted
        # twice.
        for count in range(runs, 0, -1):
            running[count] = running[count].max(closed[count - 1]) + part
            closed[count] = closed[count].max(running[count])
    return closed[runs]
