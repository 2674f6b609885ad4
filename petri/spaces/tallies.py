"""What is counted of runs, whether they are sampled or all taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor, sqrt

from kproof.forms import JsonForm
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net
from kproof.petri.spaces.figures import Figure, Known, at_least, so_far
from kproof.theory.exact.typed import Number, integer, rational

SCHEMA = 2
"""Version of the JSON form of a simulation."""
DIGITS = 6
"""Decimal digits of the ends of intervals, which are rounded outward."""


@dataclass(frozen=True)
class Watch:
    """What is looked for in runs, besides each transition."""

    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By name, transitions whose firings are counted together."""
    ends: Mapping[str, Callable[[Marking], bool]] = field(default_factory=dict)
    """By name, predicates of the marking in which a run ends."""


@dataclass(frozen=True)
class Tally:
    """How often something happens in a run."""

    name: str
    """What is counted."""
    shares: Mapping[int, Fraction]
    """By count, ascending: the share of the runs, or the probability, that have it."""

    @property
    def mean(self) -> Fraction:
        """The mean count."""
        return sum((count * share for count, share in self.shares.items()), Fraction(0))

    @property
    def least(self) -> int:
        """The smallest count that occurs."""
        return min(self.shares)

    @property
    def most(self) -> int:
        """The largest count that occurs."""
        return max(self.shares)

    def figures(self, *, final: bool = True) -> tuple[Figure, Figure, Figure]:
        """Return the mean, the least and the largest count; runs broken off would count more."""
        return (
            at_least(self.mean, final=final),
            so_far(self.least, final=final),
            at_least(self.most, final=final),
        )

    def _shares(self, *, final: bool = True) -> Figure:
        """Return the share of the runs with each number."""
        return so_far(self.shares, final=final)

    to_dict = JsonForm(
        "name mean=figures(final).0 least=figures(final).1 most=figures(final).2",
        "shares=_shares(final)",
    )
    """Shares as exact strings; ``final`` is whether no run was broken off, by default so."""


@dataclass(frozen=True)
class Chance:
    """How probable it is that a run ends in a certain way."""

    name: str
    """The way."""
    share: Fraction
    """Of the runs; the probability if all runs were taken."""
    lower: Fraction
    upper: Fraction
    """Clopper-Pearson interval for the probability; both are the probability if it is known. A
    run that was broken off may end in any way, so it counts against the lower end and for the
    upper one."""

    @classmethod
    def of(
        cls, name: str, hits: int, runs: int, confidence: Fraction, *, unfinished: int = 0
    ) -> Chance:
        """Return how probable something is that so many of some random runs have.

        Those that were broken off, which are among the runs, may still come to it, or not.
        """
        lower, _ = clopper_pearson(hits, runs, confidence)
        _, upper = clopper_pearson(hits + unfinished, runs, confidence)
        return cls(name, Fraction(hits, runs), lower, upper)

    def _figure(self, *, final: bool = True) -> Known:
        """Return how probable it is."""
        return at_least(self.share, final=final)

    to_dict = JsonForm("name share=_figure(final) lower upper")
    """``final`` is whether no run was broken off, by default so."""


@dataclass(frozen=True)
class Simulation:
    """What happened in some runs, or in all of them."""

    net: str
    """Name of the net."""
    exact: bool
    """Whether all runs were taken, each with its probability."""
    runs: int
    """How many: sampled, or in all."""
    seed: int | None
    """Of the sample; None for all runs."""
    steps: Tally
    """Firings of a run."""
    transitions: tuple[Tally, ...]
    """Firings of each transition, in the order of the net."""
    groups: tuple[Tally, ...]
    """Firings of transitions that are counted together."""
    ends: tuple[Chance, ...]
    """How runs end."""
    unfinished: int
    """Runs that were broken off; the firings up to there are counted, and what they would have
    ended in is unknown. With any, counts and shares are at least what they are."""
    confidence: Fraction
    """Of the intervals."""

    @property
    def final(self) -> bool:
        """Whether every run came to its end."""
        return not self.unfinished

    @property
    def _confidence(self) -> Fraction | None:
        """Of the intervals; None if all runs were taken."""
        return None if self.exact else self.confidence

    to_dict = JsonForm(
        "net exact runs seed unfinished steps=steps.to_dict(final)",
        "transitions=transitions.to_dict(final) groups=groups.to_dict(final)",
        "ends=ends.to_dict(final) confidence=_confidence",
        schema=SCHEMA,
    )

    def __str__(self) -> str:
        if self.exact:
            lines = [f"all {self.runs} runs, each choice uniform"]
        else:
            lines = [f"{self.runs} random runs, seed {self.seed}"]
        if self.unfinished:
            lines[0] += f"; {self.unfinished} broken off, so counts and shares are at least these"
        counted = [self.steps, *self.groups, *self.transitions]
        names = [*(tally.name for tally in counted), *(chance.name for chance in self.ends)]
        width = max(map(len, names))
        # With runs broken off every figure says so for itself.
        wide = 7 if self.final else 16
        lines += ["", f"{'':{width}}  {'mean':{wide}}  {'least':{wide - 2}}  most"]
        for tally in counted:
            mean, low, high = tally.figures(final=self.final)
            if tally.mean:
                mean = replace(mean, value=_short(tally.mean))
            lines.append(f"{tally.name:{width}}  {mean!s:{wide}}  {low!s:{wide - 2}}  {high}")
        if self.ends:
            interval = "" if self.exact else f"  {float(self.confidence):.4g} interval"
            kind = "probability" if self.exact else f"{'share':{wide + 4}}"
            lines += ["", f"{'':{width}}  {kind}{interval}"]
        for chance in self.ends:
            share = at_least(_short(chance.share) if chance.share else 0, final=self.final)
            line = f"{chance.name:{width}}  {share!s:{wide + 4}}"
            if not self.exact:
                line += f"  {float(chance.lower):.6f} to {float(chance.upper):.6f}"
            elif chance.share.denominator > 1:
                line += f" = {chance.share}"
            lines.append(line)
        return "\n".join(line.rstrip() for line in lines)


def clopper_pearson(
    successes: Number, runs: Number, confidence: Number = "0.95"
) -> tuple[Fraction, Fraction]:
    """Return an interval that has a probability with at least this confidence, between 0 and 1.

    Its ends are rounded outward to :data:`DIGITS` decimal digits.

    Source: Clopper and Pearson, Biometrika 26(4), 1934.

    >>> lower, upper = clopper_pearson(3, 10)
    >>> float(lower), float(upper)
    (0.066739, 0.652453)
    """
    from scipy.special import betaincinv

    total = integer("runs", runs, least=1)
    hits = integer("successes", successes, least=0, most=total)
    tail = float((1 - rational("confidence", confidence, above=0, below=1)) / 2)
    unit = 10**DIGITS
    # The inverse is accurate to far more digits than are kept; the margin is for its last ones.
    margin = 1e-9
    lower = upper = Fraction(0)
    # Of no hits, or nothing but hits, one parameter of the beta distribution is 0: no inverse.
    if hits:
        end = float(betaincinv(hits, total - hits + 1, tail))
        lower = Fraction(max(floor((end - margin) * unit), 0), unit)
    if hits == total:
        upper = Fraction(1)
    else:
        end = float(betaincinv(hits + 1, total - hits, 1 - tail))
        upper = Fraction(min(ceil((end + margin) * unit), unit), unit)
    return lower, upper


def mean_interval(
    values: Mapping[Fraction | float, int], confidence: Number = "0.95"
) -> tuple[float, float] | None:
    """Return an interval for the expectation of something that was counted in random runs.

    It is Student's, and holds nearly: the more runs, the closer their mean is to normal. There is
    none, and None is returned, if there is one run or all have one value: how seldom another value
    comes is then known (:func:`clopper_pearson` of 0 runs), and how far away it is, is not.

    Args:
        values: How many runs have each value.
        confidence: Of the interval, between 0 and 1.

    Source: Student, Biometrika 6(1), 1908.

    >>> low, high = mean_interval({Fraction(1): 40, Fraction(2): 60})
    >>> round(low, 3), round(high, 3)
    (1.502, 1.698)
    """
    from scipy.special import stdtrit

    runs = sum(values.values())
    if runs < 2 or len(values) < 2:
        return None
    # In fractions: of values that are large and close, floats would cancel in the squares.
    mean = sum(Fraction(value) * count for value, count in values.items()) / runs
    squares = sum((Fraction(value) - mean) ** 2 * count for value, count in values.items())
    tail = float((1 - rational("confidence", confidence, above=0, below=1)) / 2)
    wide = float(stdtrit(runs - 1, 1 - tail)) * sqrt(squares / (runs - 1) / runs)
    return float(mean) - wide, float(mean) + wide


@dataclass(eq=False)
class SeenMarking:
    """A marking that runs came through, and what can happen there once that is known."""

    marking: Marking
    next: list[tuple[str, SeenMarking]] | None = None
    _ends: tuple[str, ...] | None = None

    def ends(self, watch: Watch) -> tuple[str, ...]:
        """Return the predicates of ends that hold here."""
        if self._ends is None:
            self._ends = tuple(name for name, is_so in watch.ends.items() if is_so(self.marking))
        return self._ends


def groups_of(net: Net, watch: Watch) -> list[tuple[str, frozenset[str]]]:
    """Return what is tallied: all transitions together, those of each group, each by itself."""
    return [
        ("steps", frozenset(net.transition)),
        *watch.groups.items(),
        *((name, frozenset({name})) for name in net.transition),
    ]


def simulation_of(
    net: Net,
    watch: Watch,
    counted: Sequence[Tally],
    ends: tuple[Chance, ...],
    *,
    runs: int,
    seed: int | None = None,
    unfinished: int = 0,
    level: Fraction = Fraction(1),
) -> Simulation:
    """Return what was counted of the groups of :func:`groups_of`, in their order."""
    offset = 1 + len(watch.groups)
    return Simulation(
        net=net.name,
        exact=seed is None,
        runs=runs,
        seed=seed,
        steps=counted[0],
        transitions=tuple(counted[offset:]),
        groups=tuple(counted[1:offset]),
        ends=ends,
        unfinished=unfinished,
        confidence=level,
    )


def _short(number: Fraction) -> str:
    return f"{float(number):.4g}"
