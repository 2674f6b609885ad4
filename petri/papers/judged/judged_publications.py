"""Whether something holds of every publication, for tables whose publications nobody can count.

Three kinds of evidence decide, and each verdict says which did. *All publications*, where the
automaton of :mod:`kproof.petri.papers.publications` stays small. *Every form* of a class
(:mod:`kproof.petri.papers.judged.class_forms`), an over-approximation: what holds of it holds of
every run. *A run*: what a random run refutes is false. What a form breaks and no run shows is
unknown, and so is what is said of publications if none is known.

Beliefs and attacks are those of an adversary who has not read the algorithm. Whoever knows it may
believe more; she is judged elsewhere, if at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm, group
from kproof.models.attacks import BackgroundKnowledge
from kproof.petri.papers.attackers import Attacker
from kproof.petri.papers.classes import EC
from kproof.petri.papers.gain import ClassBelief
from kproof.petri.papers.judged.class_forms import (
    ClassForms,
    class_of_form,
    classes_of_form,
    judge_forms,
)
from kproof.petri.papers.judged.sampled_publications import (
    CERTAIN,
    UNNAMED,
    UNPUBLISHED,
    AdversaryOfClasses,
    PublicationSample,
    nobody_by,
)
from kproof.petri.papers.judged.windows import least_publications
from kproof.petri.papers.publications import (
    ENDS,
    KEPT,
    ROWS_OF_K,
    SENSITIVE,
    AllPublications,
    publications,
    require_judgeable,
)
from kproof.petri.papers.publisher import Publisher
from kproof.petri.spaces.figures import Figure, at_least
from kproof.petri.spaces.limits import Clock, Ended
from kproof.petri.spaces.space import Budget
from kproof.petri.spaces.tallies import Chance
from kproof.theory.exact.typed import Number, rational

SCHEMA = 1
"""Version of the JSON form."""
SECONDS = 60.0
"""Seconds of a budget that says nothing about them."""
EXPLORED = 400
"""Classes up to which all publications are looked for; with more, that is not begun."""
STATES = 20_000
"""States up to which they are looked for."""
WRITTEN_OUT = 10**15
"""A number of publications below which it is written out."""
BY_FORM = frozenset({"homogeneity", "categorical-similarity", "sensitive-variance", "linkage"})
"""Attacks that see no more of a class than its form, if its values are of one category."""
MOST_CLASSES = 20_000
"""Classes that are judged value by value where somebody knows something of its people."""

_SHARES = {"exact": 0.25, "forms": 0.4, "windows": 0.6, "runs": 0.8, "claims": 0.95}
"""Share of the seconds after which each part of the work is broken off."""


@dataclass(frozen=True)
class JudgedClaim:
    """A property of every publication, whether it holds, and what decided that."""

    name: str
    holds: bool | None
    """None if it is unknown."""
    because: str
    """What was looked at, or what is lacking."""

    def __str__(self) -> str:
        outcome = "unknown" if self.holds is None else str(self.holds).lower()
        return f"{self.name}: {outcome} ({self.because})"

    to_dict = JsonForm("name holds because")


@dataclass(frozen=True, eq=False)
class JudgedPublications:
    """What is known of all publications of a table, however many there are."""

    publisher: Publisher
    """Where they come from."""
    forms: ClassForms = field(repr=False)
    """Every form that a class can have."""
    exact: AllPublications | None = field(repr=False)
    """All publications, if they were counted."""
    claims: tuple[JudgedClaim, ...]
    """What the publisher promises."""
    publishes: JudgedClaim
    """Whether no run ends without a publication."""
    attacks: tuple[JudgedClaim, ...]
    """Of each attack, and of certainty, whether nobody is ever disclosed; by an adversary who does
    not know the method."""
    least: int
    """A number of publications that there are at least."""
    largest_belief: Fraction | None
    """No belief in any publication is more certain; None if that is not known. Of an adversary who
    does not know the method."""
    worst: ClassBelief | None
    """The most certain belief after a random run; None if there was none."""
    chances: tuple[Chance, ...]
    """How probable it is that a random run publishes nothing, or that someone is disclosed."""
    runs: int
    """Random runs that were taken to their ends."""
    unfinished: int
    """Random runs that the budget broke off, 0 or 1."""
    seed: int
    """Of the random runs."""
    confidence: Fraction
    """Of the intervals."""

    @property
    def count(self) -> Figure:
        """How many publications there are; a large number as a power of ten that it is above."""
        if self.exact is not None:
            return at_least(self.exact.words.count, final=True)
        if self.least < WRITTEN_OUT:
            return at_least(self.least, final=False)
        # 2^(bits - 1) is no larger, nor is the power of ten: log10(2) is rounded down.
        power = (self.least.bit_length() - 1) * 30102999566 // 10**11
        return at_least(f"10^{power}", final=False)

    @property
    def final(self) -> bool:
        """Whether every random run came to its end."""
        return not self.unfinished

    @property
    def judged(self) -> tuple[JudgedClaim, ...]:
        """Every claim that decides whether an answer is good, bad or open."""
        return (*self.claims, *self.attacks)

    @property
    def head(self) -> dict[str, str]:
        """The net, the table and the parameters, in words."""
        publisher, threshold = self.publisher, self.publisher.threshold
        assert threshold is not None
        return {
            "net": publisher.net().name,
            "table": f"{publisher.rows:,} rows in {len(publisher.formed.values):,} classes",
            "k": str(publisher.k),
            "mu": str(threshold.mu),
            "theta": str(publisher.theta),
        }

    def __str__(self) -> str:
        lines = [
            *(f"{name} {value}" for name, value in self.head.items()),
            "",
            "What can be published",
            f"  {self.count.of('publications')}",
            f"  {self.publishes}",
            "",
            "What holds of every publication",
            *(f"  {claim}" for claim in self.claims),
        ]
        if self.attacks:
            lines += ["", "What an adversary learns who does not know the method"]
            lines += [f"  {claim}" for claim in self.attacks]
            if self.largest_belief is not None:
                lines.append(f"  no belief is above {self.largest_belief}, in any publication")
            if self.worst is not None:
                lines.append(f"  the strongest after random runs: {self.worst}")
            lines.append("  whoever knows k, mu, the domain and the algorithm: not judged here")
        broken = ", one more was broken off" if self.unfinished else ""
        lines += ["", f"How probable it is, by {self.runs} random runs, seed {self.seed}{broken}"]
        lines += [
            f"  {chance.name}: {float(self.confidence):.4g} interval {float(chance.lower):.6f} to "
            f"{float(chance.upper):.6f}"
            for chance in self.chances
        ]
        return "\n".join(lines)

    @property
    def _theta(self) -> Fraction:
        """θ of a class of k rows."""
        assert self.publisher.theta is not None
        return self.publisher.theta

    @property
    def _method_known(self) -> str:
        """What is said of an adversary who knows the method."""
        return "not judged"

    to_dict = JsonForm(
        "k=publisher.k mu=publisher.threshold.mu theta=_theta rows=publisher.rows",
        "classes=len(publisher.formed.values) publications=count publishes claims attacks",
        "knows_method=_method_known largest_belief",
        group(
            "worst",
            "The most certain belief after a random run, null if there was none; of an adversary "
            "who does not know the method.",
            "victim=worst.victim guess=str(worst.guess) certainty=worst.certainty",
            "published=str(worst.published)",
            unless="worst",
        ),
        "forms=forms.count runs unfinished seed confidence chances=chances.to_dict(final)",
        schema=SCHEMA,
    )


def judge_publications(
    publisher: Publisher,
    *,
    background: BackgroundKnowledge | Mapping[str, object] | None = None,
    attackers: Iterable[Attacker] = (),
    budget: Budget | None = None,
    seed: int = 0,
    confidence: Number = "0.95",
) -> JudgedPublications:
    """Decide what holds of every publication, for tables of any size.

    Args:
        publisher: As for :func:`kproof.petri.papers.publications.publications`, which also says
            what ``background`` and ``attackers`` are.
        budget: By default, and where it says nothing of seconds, one of :data:`SECONDS`.
        seed: Of the random runs; they are those of ``kproof net simulate``.
        confidence: Of the intervals, between 0 and 1.

    Raises:
        DataError: If a value that is known of is not in the domain.
        InvalidArgument: If values are missing and not a value of their own, or as
            :func:`kproof.petri.papers.publications.require_judgeable`.

    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> publisher = theta_publisher([["HIV", "HIV"], ["Flu", "Cancer"]] * 2_000, k=2)
    >>> judged = judge_publications(publisher, budget=Budget(seconds=3))
    >>> print(judged.count.of("publications"))
    at least 10^602 publications
    >>> print(judged.claims[-1])
    V >= theta in every class: true (every form of a class, 3 of them)
    """
    limits = budget or Budget()
    if limits.seconds is None:
        limits = replace(limits, seconds=SECONDS)
    adversaries = tuple(attackers)
    knows, ready = require_judgeable(publisher, background, adversaries)
    if publisher.formed.gap is not None:
        # The forms of a class are counts of values, and a gap may be any of them.
        admissible = "a value of their own with --judge; what else they may be is not judged there"
        raise InvalidArgument("missing_as", publisher.formed.missing_as, admissible)
    level = rational("confidence", confidence, above=0, below=1)
    clocks = {part: Clock(limits, share=share) for part, share in _SHARES.items()}
    exact = None
    if len(publisher.formed.values) <= EXPLORED:
        assert limits.seconds is not None
        states = STATES if limits.states is None else min(STATES, limits.states)
        part = replace(limits, states=states, seconds=_SHARES["exact"] * limits.seconds)
        whole = publications(publisher, background=background, attackers=adversaries, budget=part)
        # All or nothing: what is said of it below is said of every publication.
        exact = whole if whole.full else None
    try:
        forms = judge_forms(publisher, clocks["forms"].tick)
    except Ended:
        forms = ClassForms(False, (), None, {})
    least = 0
    if exact is None:
        least = least_publications(publisher, clocks["windows"].tick)
    sample = PublicationSample(AdversaryOfClasses(publisher, knows, ready), seed)
    sample.take(clocks["runs"])
    return _Decision(forms, exact, sample, least, clocks["claims"]).judge(level)


class _Decision:
    """Decides each claim by the strongest evidence that there is."""

    def __init__(
        self,
        forms: ClassForms,
        exact: AllPublications | None,
        sample: PublicationSample,
        least: int,
        clock: Clock,
    ) -> None:
        self.forms, self.exact, self.sample, self.clock = forms, exact, sample, clock
        self.publisher, self.adversary = sample.publisher, sample.adversary
        # What random runs published differently is a count from below as well.
        self.least = max(least, len(sample.published))
        # What one move does wrong may make more of a class than the forms that were looked at.
        self.by_form = forms.complete and not forms.breaches
        self.every = f"every form of a class, {forms.count} of them"

    def judge(self, level: Fraction) -> JudgedPublications:
        sample = self.sample
        attacks, events = [], {UNPUBLISHED: "a run publishes nothing"}
        if sample.believes:
            attacks.append(self.certain())
            events[CERTAIN] = "somebody's value is certain"
            for adversary in self.adversary.attackers:
                attacks.append(self.attack(adversary))
                events[nobody_by(adversary)] = f"{adversary.attack} discloses someone"
        return JudgedPublications(
            self.publisher,
            self.forms,
            self.exact,
            tuple(map(self.claim, (ENDS, ROWS_OF_K, KEPT, SENSITIVE))),
            self.publishes(),
            tuple(attacks),
            self.least,
            self.largest_belief(),
            sample.worst,
            tuple(
                sample.chance(name, event, level) for event, name in events.items() if sample.runs
            ),
            sample.runs,
            sample.unfinished,
            sample.seed,
            level,
        )

    def claim(self, name: str) -> JudgedClaim:
        if self.exact is not None:
            return self.of_all(name, self.exact.verdicts[name])
        return self.decide(name, holds=self.by_form, lacking=self.forms.breaches.get(name, ""))

    def publishes(self) -> JudgedClaim:
        name = UNPUBLISHED
        if self.exact is not None:
            return self.of_all(name, not (self.exact.infeasible or self.exact.stuck))
        stuck = self.forms.stuck
        return self.decide(
            name,
            holds=self.by_form and stuck is None,
            lacking=f"a class {stuck} has no move" if stuck else "",
        )

    def certain(self) -> JudgedClaim:
        if self.exact is not None and (beliefs := self.exact.beliefs) is not None:
            return self.of_all(CERTAIN, not beliefs.certain, about=beliefs.beliefs)
        return self.of_people(CERTAIN, lambda at, ec: self.certainty(at, ec) == 1)

    def attack(self, adversary: Attacker) -> JudgedClaim:
        name = nobody_by(adversary)
        if self.exact is not None and (beliefs := self.exact.beliefs) is not None:
            disclosing = self.exact.disclosing[adversary.attack]
            return self.of_all(name, not disclosing, about=beliefs.beliefs)
        return self.of_people(
            name, lambda at, ec: self.adversary.discloses(adversary, at, ec) is True
        )

    def of_people(self, name: str, happens: Callable[[int, EC], bool]) -> JudgedClaim:
        """Return whether something happens to nobody, of any class that can be published."""
        lacking = "the time was over"
        with suppress(Ended):
            if (classes := self.worst_classes) is None:
                lacking = "what she knows is not judged class by class"
            else:
                worst = next((ec for at, ec in classes if happens(at, ec)), None)
                lacking = "" if worst is None else f"it happens to a class {self.in_words(worst)}"
        # What contradicts her knowledge discloses nobody: with nothing that agrees nothing was
        # judged.
        if not lacking and not self.sample.believed:
            lacking = "no publication was met that agrees with what she knows"
        return self.decide(name, holds=not lacking, lacking=lacking)

    @cached_property
    def worst_classes(self) -> list[tuple[int, EC]] | None:
        """Positions and classes that stand for all that can be published; None if not known.

        Of a class of whose people nothing is known, one of each form does: the most frequent values
        are of the category that has most values, so that an attack on categories that fails there
        fails on all of the form. Where something is known, or an attack looks at more, these are
        all classes of each form.
        """
        publisher, adversary = self.publisher, self.adversary
        backgrounds = (adversary.knows, *(who.background for who in adversary.attackers))
        plain = BackgroundKnowledge()
        if not self.by_form or any(
            replace(background, victims=None, members=()) != plain for background in backgrounds
        ):
            return None
        category = publisher.formed.categories
        sizes = Counter(category.values())
        values = sorted(
            publisher.domain,
            key=lambda value: (-sizes[category.get(value.name)], str(category.get(value.name))),
        )
        classes = [
            (UNNAMED, class_of_form(publisher, form, values)) for form in self.forms.published
        ]
        positions = sorted(adversary.named)
        if any(who.attack not in BY_FORM for who in adversary.attackers):
            positions.append(UNNAMED)
        for position, form in product(positions, self.forms.published):
            for ec in classes_of_form(publisher, form):
                self.clock.tick()
                classes.append((position, ec))
                if len(classes) > MOST_CLASSES:
                    return None
        return classes

    def certainty(self, position: int, ec: EC) -> Fraction:
        self.clock.tick()
        belief, _ = self.adversary.belief(position, ec)
        return Fraction(0) if belief is None else belief.certainty

    def largest_belief(self) -> Fraction | None:
        if self.exact is not None and self.exact.beliefs is not None:
            most = self.exact.beliefs.most_certain
            return None if most is None else most.certainty
        if self.sample.believed:
            with suppress(Ended):
                if (classes := self.worst_classes) is not None:
                    return max((self.certainty(at, ec) for at, ec in classes), default=None)
        return None

    def in_words(self, ec: EC) -> str:
        return ", ".join(map(str, self.publisher.names((ec,))[0]))

    def of_all(self, name: str, holds: bool | None, *, about: int | None = None) -> JudgedClaim:
        """Return what all publications show; of none at all nothing is said."""
        assert self.exact is not None
        count = self.exact.words.count
        if holds is None or (holds and about == 0):
            return JudgedClaim(name, None, "there is nothing to judge")
        return JudgedClaim(name, holds, f"all {count:,} publications")

    def decide(self, name: str, *, holds: bool, lacking: str) -> JudgedClaim:
        """Return a verdict by a run that refutes it, or by every form."""
        # A run first: it happened, while forms say what might.
        if name in self.sample.first:
            number, seed = self.sample.first[name], self.sample.seed
            return JudgedClaim(name, False, f"run {number} of seed {seed}")
        # Of no publication at all everything would hold.
        if holds and not (self.least or name in (ENDS, UNPUBLISHED)):
            return JudgedClaim(name, None, "no publication is known")
        if holds:
            return JudgedClaim(name, True, self.every)
        if not self.forms.complete:
            lacking = "not every form of a class was looked at"
        elif self.forms.breaches:
            lacking = lacking or next(iter(self.forms.breaches.values()))
        return JudgedClaim(name, None, f"{lacking}; no run was met that shows it")
