"""Whether a mechanism is worth its (ε, δ): what runs or a law refute, with the pair that tells.

No runs prove a claim: there may be a better event, or a worse pair. What they can do is refute it
with a confidence that counts every test that was made: each is of runs that nothing was chosen by,
and the j-th may be wrong with probability α/(j (j + 1)). So the next test may be chosen by all
earlier ones, as it is: most pairs are looked at in few runs, the most suspicious in many.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from kproof.errors import InvalidArgument, one_of
from kproof.models.base.parameters import SEED
from kproof.proptests.contract import NoAnswer
from kproof.proptests.mechanisms.certified import EventCounts, PrivacyClaim, alpha_of
from kproof.proptests.mechanisms.events import Event, learn, margin, read_answers, read_low_bits
from kproof.proptests.mechanisms.exact import exact_delta, unreachable
from kproof.proptests.mechanisms.mechanism import Mechanism, NamedPair, OutOfTime, pairs_of
from kproof.proptests.mechanisms.neighbours import DataNeighbours, draw_pairs, make_small
from kproof.proptests.mechanisms.results import MechanismResults, MechanismTrial
from kproof.proptests.replay import decode, refuse_unreadable_case
from kproof.proptests.time_limit import call_in_time, can_interrupt
from kproof.theory.exact.typed import Number, integer, rational

CONFIDENCE = Fraction(999_999, 1_000_000)
"""Of a refutation, if nothing is said."""


@dataclass(frozen=True)
class Depth:
    """How much is tried."""

    looks: tuple[tuple[int, int], ...]
    """How many pairs are looked at, and in how many runs of either data: first all, then the most
    suspicious, in more runs."""
    smaller: int
    """Runs that are spent on making a pair that refutes smaller."""


DEPTHS = {
    "quick": Depth(((12, 1_000), (4, 8_000), (2, 32_000)), smaller=100_000),
    "default": Depth(((40, 2_000), (10, 16_000), (4, 128_000)), smaller=1_000_000),
    "deep": Depth(((200, 8_000), (10, 64_000), (3, 512_000)), smaller=10_000_000),
}
"""By profile."""
_READERS = {"answers": read_answers, "low bits": read_low_bits}


def check_mechanism(
    mechanism: Mechanism,
    /,
    *,
    profile: str | Depth = "default",
    seed: Number = 0,
    seconds: Number | None = None,
    max_examples: Number | None = None,
    checks: Sequence[str] | None = None,
    confidence: Number = CONFIDENCE,
    case: NamedPair | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> MechanismResults:
    """Hold a random answer to the (ε, δ) that is claimed of it.

    Args:
        mechanism: The function, its claim and its neighbours.
        profile: ``"quick"``, ``"default"``, ``"deep"``, or how much else is tried.
        seed: The same seed draws the same pairs, and makes the same runs of what takes a generator.
        seconds: How long it may take by the clock; None for as long as it takes.
        max_examples: Pairs, instead of the profile's number.
        checks: Only these of ``"answers"``, ``"low bits"``, ``"preimages"``; all that there are
            for it if None.
        confidence: Of a refutation, below 1; all tests of the run together.
        case: Only this pair.
        clock: Says how late it is, in seconds.

    >>> def report(data):
    ...     return len(data)
    >>> results = check_mechanism(Mechanism(report, epsilon=5), profile="quick", checks=["answers"])
    >>> results.answer, str(results.pair)
    ('refuted', '[2, 2] against [2]')
    """
    depth = profile if isinstance(profile, Depth) else depth_named(profile)
    if max_examples is not None:
        count = integer("max_examples", max_examples, least=1)
        depth = replace(depth, looks=((count, depth.looks[0][1]), *depth.looks[1:]))
    error = 1 - rational("confidence", confidence, above=0, below=1)
    until = None if seconds is None else clock() + float(rational("seconds", seconds, above=0))
    run = _Run(mechanism, mechanism.claim, depth, SEED.read(seed), error, until, clock)
    chosen = _checks_of(mechanism, checks)
    fixed = isinstance(mechanism.neighbours, Sequence) or case is not None
    pairs = _pairs(mechanism, run, case)
    by_law = chosen == ("law",)
    judged = run.judge_laws(pairs) if by_law else run.look(pairs, chosen, every=fixed)
    smallest = judged
    if not fixed:
        smallest = {check: run.pare(check, hit, by_law) for check, hit in judged.items()}
    ordered = [smallest[check] for check in chosen if check in smallest]
    return MechanismResults(
        mechanism.name,
        run.claim.epsilon,
        run.claim.delta,
        Fraction(1) if by_law else 1 - run.error,
        chosen,
        len(run.pairs_seen),
        tuple(run.trials),
        tuple(hit.trial for hit in ordered),
        ordered[0].pair if ordered else None,
        run.seed,
        mechanism.seeded,
        run.cut_short,
    )


@dataclass(frozen=True)
class _Hit:
    """A pair that refutes a claim, and the runs that it took."""

    pair: NamedPair
    trial: MechanismTrial
    runs: int


@dataclass
class _Run:
    mechanism: Mechanism
    claim: PrivacyClaim
    depth: Depth
    seed: int
    error: Fraction
    ends: float | None
    clock: Callable[[], float]
    trials: list[MechanismTrial] = field(default_factory=list)
    pairs_seen: set[str] = field(default_factory=set)
    cut_short: bool = False
    pace: float = 0.0
    calls: int = 0

    def look(
        self, pairs: Sequence[NamedPair], checks: Sequence[str], *, every: bool
    ) -> dict[str, _Hit]:
        """Judge pairs, the most suspicious in more and more runs, until every check has refuted.

        With ``every`` all pairs have their first look, whatever was refuted before.
        """
        hits: dict[str, _Hit] = {}
        suspects: dict[str, Collection[int]] = dict.fromkeys(checks, range(len(pairs)))
        for level, (_, runs) in enumerate(self.depth.looks):
            suspicion: dict[str, list[tuple[float, int]]] = {name: [] for name in checks}
            for place, pair in enumerate(pairs):
                live = [
                    check
                    for check in checks
                    if (check not in hits or (every and not level)) and place in suspects[check]
                ]
                if not live:
                    continue
                if self._late(runs):
                    break
                try:
                    judged = self.judge(pair, runs, live, level)
                except OutOfTime:
                    break
                for check, (margins, trials) in judged.items():
                    # Negated, so that the most suspicious pairs come first, and of equal ones those
                    # drawn first.
                    suspicion[check].append((-margins, place))
                    for trial in trials:
                        best = hits.get(check)
                        if trial.refuted and (best is None or trial.delta > best.trial.delta):
                            hits[check] = _Hit(pair, trial, runs)
            few = self.depth.looks[level + 1][0] if level + 1 < len(self.depth.looks) else 0
            suspects = {
                check: {place for _, place in sorted(entries)[:few]}
                for check, entries in suspicion.items()
            }
        return hits

    @np.errstate(all="ignore")
    def judge(
        self, pair: NamedPair, runs: int, checks: Sequence[str], level: int = 0
    ) -> dict[str, tuple[float, list[MechanismTrial]]]:
        """Learn events of a pair on half of its runs and judge them by the other half.

        Returns for each check how suspicious the pair is, and the trials of both directions.
        """
        start, self.calls = self.clock(), self.calls + 1
        self.pairs_seen.add(repr(pair))
        # A stream for each call and side: what one takes does not shift the next.
        rngs = [np.random.default_rng([self.seed, self.calls, side]) for side in (0, 1)]
        sides = pair.first, pair.second
        answers = self._answers(sides, runs, rngs)
        half, full = runs // 2, level + 1 == len(self.depth.looks)
        later = max(self.depth.looks[-1][1], runs) // 2
        chosen, judging = (
            [part[which] for part in answers] for which in (slice(half), slice(half, None))
        )
        judged = {}
        for check in checks:
            events: Sequence[Event | None] = (None, None)
            if check in _READERS:
                events = learn(chosen[0], chosen[1], self.claim, half, later, _READERS[check])
            trials, margins = [], []
            for side, event in enumerate(events):
                likelier, rarer = (judging[side], judging[1 - side])
                if event is None:
                    data = (pair.second, pair.first)[side]
                    hits, misses = int(unreachable(self.mechanism, data, likelier).sum()), 0
                    phrase = "answers that no uniform number leads to with the other data"
                else:
                    hits, misses, phrase = event.count(likelier), event.count(rarer), event.phrase
                # A share for each test, so that all together err no more often than is said.
                alpha = alpha_of(len(self.trials) + 1, self.error)
                counts = EventCounts(hits, misses, len(likelier), alpha, impossible=event is None)
                trials.append(self._trial(check, pair, side == 0, phrase, counts, full))
                self.trials.append(trials[-1])
                # By as many runs as there are in the end: what those might prove is what a pair is
                # suspected of.
                margins.append(float(margin(hits / half, misses / half, self.claim, later)))
            judged[check] = max(margins), trials
        # The slowest pair so far, so that no look is begun that the time may not suffice for.
        self.pace = max(self.pace, (self.clock() - start) / runs)
        return judged

    def _answers(
        self, sides: tuple[Any, Any], runs: int, rngs: Sequence[np.random.Generator]
    ) -> list[Any]:
        """Return answers to either data, interrupted in a call that outlasts the time."""
        ask = partial(self.mechanism.answers_of, sides, runs, rngs, lambda: not self._late(0))
        # An alarm goes by the system's clock, and knows nothing of another one.
        if self.ends is None or self.clock is not time.monotonic or not can_interrupt():
            return ask()
        remaining = Fraction(max(self.ends - self.clock(), 1e-3))
        try:
            answers: list[Any] = call_in_time(lambda _: ask(), remaining, None)
        except NoAnswer:
            self.cut_short = True
            raise OutOfTime from None
        return answers

    def _trial(
        self, check: str, pair: NamedPair, first: bool, phrase: str, counts: EventCounts, full: bool
    ) -> MechanismTrial:
        delta = counts.delta(self.claim)
        # What cannot be there refutes a δ of 0 by being there once.
        certain = counts.impossible and counts.likelier > 0 and not self.claim.delta
        refuted = certain or delta > self.claim.delta
        epsilon = Decimal("Infinity") if certain else Decimal(0)
        if not certain and (refuted or full):
            epsilon = counts.epsilon(self.claim)
        return MechanismTrial(
            check,
            str(pair),
            first,
            phrase,
            counts.likelier,
            counts.other,
            counts.runs,
            delta,
            epsilon,
            refuted,
            counts.detectable(self.claim) if full and not refuted else None,
        )

    def judge_laws(self, pairs: Sequence[NamedPair]) -> dict[str, _Hit]:
        """Judge pairs by their laws until a pair refutes the claim."""
        for pair in pairs:
            if self._late(0):
                break
            self.pairs_seen.add(repr(pair))
            for first in (True, False):
                sides = (pair.first, pair.second) if first else (pair.second, pair.first)
                refuted, delta = exact_delta(self.mechanism, *sides, self.claim)
                phrase = "the answers that are likelier by more than e^epsilon"
                # The safe end: at least so much where that refutes, at most where it does not.
                least = Fraction(delta.lower if refuted else delta.upper)
                trial = MechanismTrial(
                    "law", str(pair), first, phrase, 0, 0, 0, least, Decimal(0), refuted
                )
                self.trials.append(trial)
                if refuted:
                    return {"law": _Hit(pair, trial, 0)}
        return {}

    def pare(self, check: str, hit: _Hit, by_law: bool) -> _Hit:
        """Return the smallest pair that refutes the claim, each by runs of its own."""
        assert not isinstance(self.mechanism.neighbours, Sequence)
        refuted_by, tried, smaller = {repr(hit.pair): True}, 0, False
        best = hit

        def refutes(drawn: Any) -> bool:
            nonlocal best, tried, smaller
            [pair] = pairs_of([drawn])
            name = repr(pair)
            if name in refuted_by:
                smaller |= refuted_by[name]
                return refuted_by[name]
            # Drawn again from the same seed, so that those before it refuted nothing.
            if not smaller:
                return False
            # A law takes no runs, and its pairs would be tried without end.
            tried += max(hit.runs, 1000)
            if tried > self.depth.smaller or self._late(hit.runs):
                return False
            if by_law:
                hits = list(self.judge_laws([pair]).values())
            else:
                try:
                    [(_, trials)] = self.judge(pair, hit.runs, [check]).values()
                except OutOfTime:
                    return False
                hits = [_Hit(pair, trial, hit.runs) for trial in trials if trial.refuted]
            refuted_by[name] = bool(hits)
            if hits:
                best = max(hits, key=lambda entry: entry.trial.delta)
            return refuted_by[name]

        strategy = self.mechanism.neighbours
        pairs = strategy.pairs if isinstance(strategy, DataNeighbours) else strategy
        if isinstance(strategy, DataNeighbours) and strategy.patterns:
            # A pattern need not be drawn again. What can be drawn again keeps its own way to it.
            pairs = pairs | st.just((hit.pair.first, hit.pair.second))
        make_small(pairs, refutes, count=self.depth.looks[0][0], seed=self.seed)
        return best

    def _late(self, runs: int) -> bool:
        """Say whether there is no time for so many runs."""
        late = self.ends is not None and self.clock() + self.pace * runs >= self.ends
        self.cut_short |= late
        return late


def _pairs(mechanism: Mechanism, run: _Run, case: NamedPair | None) -> Sequence[NamedPair]:
    neighbours = mechanism.neighbours
    if case is not None:
        if isinstance(neighbours, DataNeighbours):
            neighbours.require_pair(case.first, case.second)
        return pairs_of([case])
    if isinstance(neighbours, (DataNeighbours, SearchStrategy)):
        strategy = neighbours.pairs if isinstance(neighbours, DataNeighbours) else neighbours
        count = run.depth.looks[0][0]
        patterns = neighbours.patterns if isinstance(neighbours, DataNeighbours) else []
        drawn = draw_pairs(strategy, count, run.seed)
        distinct = {repr(pair): pair for pair in (*patterns, *drawn)}
        return pairs_of([*distinct.values()][:count])
    pairs = pairs_of(neighbours)
    if not pairs:
        raise InvalidArgument("neighbours", "no pair", "at least one")
    return pairs


def pair_in(path: str | Path) -> NamedPair:
    """Return the pair of a file: of what ``verify --json`` printed, or one by itself.

    Raises:
        DataError: If there is none.
    """
    with refuse_unreadable_case(path):
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        document = document.get("replay", document)
        if document is None:
            raise ValueError("nothing was refuted there, or its pair has no form")
        return NamedPair(**{name: decode(document[name]) for name in ("first", "second", "name")})


def _checks_of(mechanism: Mechanism, names: Sequence[str] | None) -> tuple[str, ...]:
    own: tuple[str, ...] = ("answers", "low bits")
    if mechanism.law is not None:
        own = ("law",)
    elif mechanism.of_uniform is not None:
        own = (*own, "preimages")
    for name in names or ():
        if name not in own:
            raise InvalidArgument("checks", name, one_of(name, own))
    return tuple(name for name in own if not names or name in names)


def depth_named(profile: str) -> Depth:
    """Return what a profile tries."""
    if profile not in DEPTHS:
        raise InvalidArgument("profile", profile, one_of(profile, DEPTHS))
    return DEPTHS[profile]
