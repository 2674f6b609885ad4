"""What was made of a claimed (ε, δ): every test, and what all of them say together."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from kproof.forms import JsonForm
from kproof.proptests.mechanisms.certified import POWER
from kproof.proptests.mechanisms.mechanism import NamedPair
from kproof.proptests.replay import to_json
from kproof.theory.theorems.bounds import exact_text


@dataclass(frozen=True)
class MechanismTrial:
    """An event, and how often it occurred in runs that did not choose it."""

    check: str
    """What was looked at, of the checks."""
    pair: str
    """The two data sets, or what is special about them."""
    first: bool
    """Whether the event is likelier with the first of them."""
    event: str
    """What tells them apart, as a phrase."""
    likelier: int
    """Runs in which it occurred, with the data with which it is likelier."""
    other: int
    """Runs in which it occurred with the other data."""
    runs: int
    """Runs of each that judged; 0 of a law."""
    delta: Fraction
    """What δ is at least at the claimed ε; 0 if nothing follows."""
    epsilon: Decimal
    """What ε is at least at the claimed δ, if the claim is refuted or it was judged in full; 0 if
    nothing follows."""
    refuted: bool
    """Whether that refutes the claim."""
    detectable: Decimal | None = None
    """Where it was judged in full: a loss of the event that as many runs refute with probability
    9/10; None if there is none, or nobody asked."""

    to_dict = JsonForm(exact=exact_text)

    def __str__(self) -> str:
        if not self.runs:
            return f"{self.pair} make delta at least {float(self.delta):.4g}, by {self.event}"
        sides = ("first", "second") if self.first else ("second", "first")
        return (
            f"{self.pair} make delta at least {float(self.delta):.4g}, told by {self.event}: in "
            f"{self.likelier} of {self.runs} runs with the {sides[0]}, in {self.other} with the "
            f"{sides[1]}"
        )


@dataclass(frozen=True)
class MechanismResults:
    """What runs, or a law, say of a claimed (ε, δ)."""

    name: str
    """Of the mechanism."""
    epsilon: Fraction
    """ε of the claim."""
    claimed: Fraction
    """δ of the claim."""
    confidence: Fraction
    """With which everything that is said to be refuted is; 1 of a law."""
    checks: tuple[str, ...]
    """What was to be looked at."""
    pairs: int
    """Pairs that were looked at."""
    trials: tuple[MechanismTrial, ...]
    """Every test that was made, in order; of a law, each pair and direction."""
    smallest: tuple[MechanismTrial, ...]
    """For each check that refutes the claim the trial of the smallest pair."""
    pair: NamedPair | None = None
    """The pair of the first of them."""
    seed: int = 0
    """With which the same pairs are drawn."""
    seeded: bool = True
    """Whether runs are the same with the same seed."""
    cut_short: bool = False
    """Whether the time was up before everything was tried."""

    @property
    def worst(self) -> MechanismTrial:
        """The smallest that refutes the claim, or else the trial with the largest δ."""
        if self.smallest:
            return self.smallest[0]
        # Where no δ is above 0, and all of them are 0, the larger ε says more.
        return max(self.trials, key=lambda trial: (trial.delta, trial.epsilon))

    @property
    def refuted(self) -> bool:
        """Whether the claim does not hold."""
        return bool(self.smallest)

    @property
    def answer(self) -> str:
        """The verdict: refuted, not refuted, holds on these pairs (of a law), or not judged."""
        if self.refuted:
            return "refuted"
        if {*self.checks} - {trial.check for trial in self.trials}:
            return "not judged"
        return "holds on these pairs" if self.checks == ("law",) else "not refuted"

    @property
    def judged_in_full(self) -> tuple[MechanismTrial, ...]:
        """Trials of most runs that did not refute the claim, and might have for a larger loss."""
        return tuple(trial for trial in self.trials if trial.detectable is not None)

    @property
    def detectable(self) -> Decimal | None:
        """A loss that was refuted with probability 9/10 at any event that was judged in full."""
        # The largest, as that is a loss that would have been refuted at every one of these events.
        return max((trial.detectable or Decimal(0) for trial in self.judged_in_full), default=None)

    @property
    def _replay(self) -> dict[str, object] | None:
        """The pair, for ``verify --case``; None if nothing was refuted or it has no form."""
        return None if self.pair is None else to_json(self.pair)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterable[str]:
        claim = f"epsilon {float(self.epsilon):g}, delta {float(self.claimed):.4g}"
        if self.answer == "refuted":
            sure = (
                f" at confidence 1 - {float(1 - self.confidence):g}" if self.confidence < 1 else ""
            )
            yield f"{self.name}: {claim} is refuted{sure}."
            for trial in self.smallest:
                lower = f"; epsilon is at least {trial.epsilon:g}" if trial.epsilon else ""
                yield f"  {trial.check}: {trial}{lower}"
            unlike = {*self.checks} - {trial.check for trial in self.smallest}
            yield from (f"  {check}: did not refute it" for check in sorted(unlike))
        elif self.answer == "not judged":
            yield f"{self.name}: {claim} was not judged; there was no time for a pair."
        elif self.answer == "not refuted":
            yield f"{self.name}: {claim} is not refuted, which proves nothing."
            yield f"  The largest is {self.worst}."
            yield f"  {self._power()} Other events and other pairs were not judged."
        else:
            pairs = f"{self.pairs} of them; no others were judged"
            yield f"{self.name}: {claim} holds on these pairs, {pairs}."
            yield f"  The largest is {self.worst}."
        tests = f"{len(self.trials)} tests of {self.pairs} pairs, seed {self.seed}"
        yield tests + ("" if self.seeded else ", runs of its own randomness")
        if self.cut_short:
            yield "The time was up; fewer pairs and runs were looked at."

    def _power(self) -> str:
        full = self.judged_in_full
        if not full:
            return "No event was judged in enough runs to refute any loss."
        runs = max(trial.runs for trial in full)
        powerless = sum(trial.runs == runs for trial in self.trials) - len(full)
        beside = f"; at {powerless} more no loss would have been" if powerless else ""
        return (
            f"At each of {len(full)} events that were judged in {runs} runs of either data a loss "
            f"of {self.detectable:g} would have been refuted with probability {float(POWER):g}"
            f"{beside}."
        )

    to_dict = JsonForm(
        "name epsilon claimed confidence answer refuted checks pairs detectable trials smallest",
        "replay=_replay seed seeded cut_short",
        schema=1,
        exact=exact_text,
    )
