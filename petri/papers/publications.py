"""Everything a publisher can publish, counted and judged without exploring every table.

The publisher works through its classes one after another, and a class that has passed is never
touched again; only the last class may exchange with the one before it. So a class is forgotten once
it can change no more (:mod:`kproof.petri.spaces.stages`), and what can be published is read off an
automaton whose letters are classes. Whatever is said of one class at a time is judged once for each
letter, and so of every run: whether V ≥ θ and whether there are k rows, what an adversary believes
of someone in the class, whether an attack discloses someone.

On the level of values an adversary knows which class a victim is in, and every assignment of people
to rows is one of each class, so beliefs about a class depend on that class alone. On the level of
records she may have to find the class by what its labels cover, which depends on them all; there
publications are counted, and attacks are not judged here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from kproof.errors import InvalidArgument
from kproof.forms import JsonForm
from kproof.models.attacks import BackgroundKnowledge
from kproof.petri.net.firing import Trace
from kproof.petri.papers.attackers import (
    Attacker,
    evidence,
    prepare,
    read_background,
    require_judged,
    require_known,
)
from kproof.petri.papers.classes import ByRecord
from kproof.petri.papers.gain import ClassBeliefs, class_beliefs, class_token, restrict_to_class
from kproof.petri.papers.method_known import MethodKnown, method_known
from kproof.petri.papers.publisher import (
    DISCLOSED,
    INFEASIBLE,
    NOT_JUDGED,
    Names,
    Publisher,
    classes_in_words,
)
from kproof.petri.spaces.figures import Figure, Known, at_least, so_far
from kproof.petri.spaces.limits import Clock, Ended, clock_for_judging
from kproof.petri.spaces.space import Budget, Completeness, InPart
from kproof.petri.spaces.stages import StagedSpace, forget
from kproof.petri.spaces.words import Words, words_of

SCHEMA = 2
"""Version of the JSON form."""
ENDS, ROWS_OF_K = "ends are publications or infeasible", "k rows in every class"
KEPT, SENSITIVE = "records are kept, noise apart", "V >= theta in every class"
LISTED = 10
"""Publications that are listed, the first ones and drawn ones."""


@dataclass(frozen=True, eq=False)
class AllPublications(InPart):
    """Everything a publisher can publish."""

    publisher: Publisher
    """Where it comes from."""
    found: StagedSpace = field(repr=False)
    """The states, with finished classes forgotten."""
    words: Words = field(repr=False)
    """The publications; a letter is a class as a token."""
    infeasible: int
    stuck: int
    """States that publish nothing: because θ cannot be reached, and for no reason that is given."""
    beliefs: ClassBeliefs | None
    """What an adversary believes; None on the level of records."""
    method_known: MethodKnown | None
    """What whoever knows the method believes; None where beliefs are not judged."""
    disclosing: Mapping[str, int | None]
    """For each attack, the number of publications after which someone is disclosed; None if every
    publication contradicts what she knows, so that nothing was judged."""
    verdicts: Mapping[str, bool | None]
    """What holds of every publication, by its name. None is what nobody can say: that something
    holds of publications not all of which are known, or of none at all."""
    status: Completeness
    """Whether these are all publications, and everything was judged."""

    def __iter__(self) -> Iterator[Names]:
        """Run through the publications, one at a time: the sensitive values of each class."""
        return map(self._names, self.words)

    def sample(self, count: int, *, seed: int) -> tuple[Names, ...]:
        """Return publications drawn independently, each as likely as any other."""
        return tuple(map(self._names, self.words.sample(count, seed=seed)))

    @cached_property
    def noise(self) -> dict[int, int]:
        """How many publications have how many noise rows, ascending."""
        multiset = self.publisher.kind.multiset
        totals = self.words.totals(lambda _, ec: sum(multiset(class_token(ec)).values()))
        return {total - self.publisher.rows: count for total, count in totals.items()}

    @property
    def figures(self) -> dict[str, Figure]:
        """How many publications and other ends there are, and how many have how much noise."""
        noise = {str(rows): count for rows, count in self.noise.items()}
        return {
            "publications": at_least(self.words.count, final=self.full),
            **self.figures_of("infeasible stuck"),
            "noise": so_far(noise, final=self.full),
        }

    def run(self, names: Names) -> Trace:
        """Return a run of the whole net that publishes given classes, as far as is known."""
        return self.found.plain(_way(self, names))

    @property
    def head(self) -> dict[str, str]:
        """What was judged: the net, the table and the parameters, in words."""
        publisher, threshold = self.publisher, self.publisher.threshold
        facts = {
            "net": self.found.net.name,
            "table": f"{publisher.rows:,} rows in {len(publisher.formed.values):,} classes",
            "k": str(publisher.k),
        }
        if threshold is not None:
            theta = threshold.at(threshold.k)
            facts["mu"] = f"{threshold.mu} ({float(threshold.mu):.6g})"
            facts["theta"] = f"{theta} ({float(theta):.6g})"
        return facts

    def __str__(self) -> str:
        figures, space = self.figures, self.found.space
        noise = ", ".join(f"{count:,} with {rows}" for rows, count in self.noise.items())
        lines = [
            *(f"{name} {value}" for name, value in self.head.items()),
            "",
            "What can be published",
            f"  {figures['publications'].of('publications')}",
            f"  noise rows: {so_far(noise, final=self.full).of(empty='unknown')}",
            f"  ends without: {figures['infeasible'].of('infeasible')}, "
            f"{figures['stuck'].of('stuck')}",
            f"  explored {space.extent}: {space.states:,}, finished classes merged; automaton of "
            f"{len(self.words.edges):,} nodes",
            "",
            "What holds of every publication",
            *(
                f"  {name}: {'unknown' if verdict is None else str(verdict).lower()}"
                for name, verdict in self.verdicts.items()
            ),
        ]
        if self.beliefs is not None:
            lines += ["", "What an adversary believes", *self._belief_lines()]
        if self.method_known is not None:
            lines += ["", f"To anyone who knows the method: {self.method_known}"]
        for name, count in self.disclosing.items():
            after = at_least(count, final=self.full).of("publications")
            judged = f"someone is disclosed after {after}"
            lines.append(f"  {name}: {NOT_JUDGED if count is None else judged}")
        for title, listed in (
            ("The first", zip(self, range(LISTED), strict=False)),
            ("Drawn evenly, seed 0", ((names, 0) for names in self._sample())),
        ):
            printed = [f"  {classes_in_words(names)}" for names, _ in listed]
            lines += ["", title, *printed] if printed else []
        return "\n".join(lines)

    def _sample(self) -> tuple[Names, ...]:
        """Return publications drawn at random."""
        return self.sample(LISTED, seed=0) if self.words.count else ()

    def _belief_lines(self) -> list[str]:
        assert self.beliefs is not None
        worst = self.beliefs.most_certain
        if worst is None:
            nobody = NOT_JUDGED if self.words.count else "no publication"
            return [f"  worst: {nobody if self.full else 'unknown'}"]
        certain, beliefs, contradicted = (
            at_least(getattr(self.beliefs, name), final=self.full)
            for name in ("certain", "beliefs", "contradicted")
        )
        return [
            f"  worst{'' if self.full else ' so far'}: {worst}, if the class is published as "
            f"{', '.join(map(str, worst.published))}",
            f"  certain: {certain} of {beliefs.of('beliefs')}",
            f"  publications that contradict what is known: {contradicted}",
        ]

    def _names(self, word: Iterable[object]) -> Names:
        return self.publisher.names(tuple(map(class_token, word)))

    @property
    def _states(self) -> Figure:
        """States that were looked at."""
        return at_least(self.found.space.states, final=self.full)

    @property
    def _gain(self) -> Figure | None:
        """What an adversary who sees the publication gains; None where nobody asked."""
        return None if self.beliefs is None else so_far(self.beliefs, final=self.full)

    @property
    def _counts_of_disclosing(self) -> Mapping[str, Known | None]:
        """How many publications disclose someone, by attack; null if nothing was judged."""
        return {
            name: None if count is None else at_least(count, final=self.full)
            for name, count in self.disclosing.items()
        }

    @property
    def _first(self) -> tuple[Names, ...]:
        """The first publications: values of each class."""
        return tuple(islice(self, LISTED))

    to_dict = JsonForm(
        "net=found.net.name k=publisher.k mu=publisher.threshold.mu theta=publisher.theta",
        "rows=publisher.rows classes=len(publisher.formed.values)",
        "status stopped_by=found.space.stopped_by",
        "budget=found.space.budget",
        "states=_states nodes=len(words.edges) publications=figures.publications",
        "infeasible=figures.infeasible stuck=figures.stuck noise=figures.noise verdicts",
        "gain=_gain method_known disclosing=_counts_of_disclosing",
        "first=str(_first) drawn=str(_sample())",
        schema=SCHEMA,
    )


def publications(
    publisher: Publisher,
    *,
    background: BackgroundKnowledge | Mapping[str, object] | None = None,
    attackers: Iterable[Attacker] = (),
    budget: Budget | None = None,
) -> AllPublications:
    """Count and judge everything a publisher can publish.

    Args:
        publisher: Of a net that forms its classes one after another, without attackers in the net.
        background: What an adversary knows, people given by class; by default nothing.
        attackers: Attacks that are judged after each publication, on the level of values.
        budget: As for :func:`kproof.petri.spaces.explore.explore`.

    Raises:
        DataError: If a value that is known of is not in the domain.

    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> known = publications(theta_publisher([["HIV", "HIV"], ["Flu", "Cancer"]], k=2))
    >>> known.words.count, known.noise, known.verdicts["V >= theta in every class"]
    (2, {0: 2}, True)
    >>> [firing.transition for firing, _ in known.run((("Flu", "HIV"), ("Cancer", "HIV"))).steps]
    ['swap', 'pass', 'publish']
    """
    knows, ready = require_judgeable(publisher, background, attackers)
    staged = forget(publisher.net(), publisher.staged, budget=budget)
    clock = clock_for_judging(staged.space)
    believes = not isinstance(publisher.kind, ByRecord)
    return _Judge(publisher, staged, knows, ready, clock).publications(beliefs=believes)


def require_judgeable(
    publisher: Publisher,
    background: BackgroundKnowledge | Mapping[str, object] | None,
    attackers: Iterable[Attacker],
) -> tuple[BackgroundKnowledge, tuple[Attacker, ...]]:
    """Check that publications can be judged class by class; return who attacks, and knowing what.

    Raises:
        InvalidArgument: If the net does not work in stages or has attackers in it, or if there are
            adversaries on the level of records.
        DataError: If a value that is known of is not in the domain.
    """
    if DISCLOSED in publisher.net().place:
        raise InvalidArgument(
            "attackers", "in the net", "a net without them; they are named to publications itself"
        )
    if not publisher.staged:
        raise InvalidArgument(
            "net", publisher.net().name, "theta-sensitive, which works in stages, cut by moves"
        )
    knows = read_background(background) or BackgroundKnowledge()
    adversaries = tuple(attackers)
    if isinstance(publisher.kind, ByRecord) and (adversaries or background is not None):
        raise InvalidArgument(
            "level", "records", "values: there beliefs about a class depend on it alone"
        )
    for adversary in adversaries:
        if require_judged(adversary.attack).against_table:
            admissible = "an attack that looks at each class by itself; explore judges this one"
            raise InvalidArgument("attack", adversary.attack, admissible)
    require_known(publisher, knows)
    return knows, tuple(prepare(publisher, adversary) for adversary in adversaries)


@dataclass
class _Judge:
    """Judges the letters of what can be published."""

    publisher: Publisher
    staged: StagedSpace
    knows: BackgroundKnowledge
    attackers: tuple[Attacker, ...]
    clock: Clock

    def publications(self, *, beliefs: bool) -> AllPublications:
        """Return everything that could be found out before the budget was used up."""
        status = self.staged.space.status
        words = Words(self.staged.items, (), (0,) * (self.staged.items + 2))
        # True until it is refuted: as long as not all was judged, the verdict is no more than
        # unknown.
        infeasible, stuck, keeps = 0, 0, True
        believed: ClassBeliefs | None = None
        disclosing: dict[str, int | None] = {}
        try:
            # Each is there once it is worked out: whatever ends the clock, earlier ones stay.
            infeasible, stuck = self._ends()
            words = words_of(self.staged, tick=self.clock.tick)
            keeps = self._keeps_records()
            if beliefs:
                believed = class_beliefs(self.publisher, words, self.knows, self.clock.tick)
                disclosing = {who.attack: self._disclosures(words, who) for who in self.attackers}
        except Ended:
            status = Completeness.PARTIAL
        full = status is Completeness.FULL
        verdicts = self._verdicts(words, stuck=bool(stuck), keeps=keeps, full=full)
        by_method = None
        if beliefs:
            rows = (tuple(map(class_token, word)) for word in words)
            by_method = method_known(self.publisher, rows, every=full)
        judged = believed, by_method, disclosing, verdicts, status
        return AllPublications(self.publisher, self.staged, words, infeasible, stuck, *judged)

    def _ends(self) -> tuple[int, int]:
        """Return how many states publish nothing because θ cannot be reached, and for no reason."""
        space = self.staged.space
        dead = np.zeros(space.states, dtype=np.bool_)
        dead[space.dead] = True
        unpublished = dead & ~self.staged.ends
        infeasible = unpublished & (space.totals(INFEASIBLE) > 0)
        return int(infeasible.sum()), int((unpublished & ~infeasible).sum())

    def _verdicts(
        self, words: Words, *, stuck: bool, keeps: bool, full: bool
    ) -> dict[str, bool | None]:
        publisher, k = self.publisher, self.publisher.k
        multiset = publisher.kind.multiset
        letters = {class_token(ec) for at in range(words.length) for ec in words.letters(at)}
        holds = {ROWS_OF_K: all(sum(multiset(ec).values()) >= k for ec in letters), KEPT: keeps}
        if publisher.threshold is not None:
            holds[SENSITIVE] = all(map(publisher.reaches_theta, letters))
        verdicts: dict[str, bool | None] = {ENDS: False if stuck else full or None}
        for name, satisfied in holds.items():
            verdicts[name] = ((full and bool(letters)) or None) if satisfied else False
        return verdicts

    def _keeps_records(self) -> bool:
        """Say whether no step takes a record away or makes one, noise in one class apart.

        It holds of each step and so of every run, whatever is forgotten.
        """
        staged, space = self.staged, self.staged.space
        multiset = self.publisher.kind.multiset
        ends = zip(space.sources.tolist(), space.targets.tolist(), strict=True)
        for arc, (source, target) in enumerate(ends):
            self.clock.tick()
            before = staged.row(source)[int(staged.forgotten[source]) :]
            remaining = staged.row(target)[int(staged.forgotten[target]) :]
            was: Counter[int] = Counter()
            now: Counter[int] = Counter()
            for old, new in zip(before, (*staged.emissions.get(arc, ()), *remaining), strict=True):
                # A class that no step touched is the same object; to count it would change nothing.
                if old is not new:
                    was.update(multiset(old))
                    now.update(multiset(new))
            # Both ways, since a Counter's minus shows gains only: nothing is lost, and of what is
            # gained one row is noise.
            if was - now or (now - was).total() > 1:
                return False
        return True

    def _disclosures(self, words: Words, adversary: Attacker) -> int | None:
        """Return after how many publications an attack discloses someone; None: judged nobody."""
        # After no publication at all nobody is disclosed: that is 0, and no lack of a victim.
        judged = not words.count
        outcome: dict[tuple[int, Any], bool | None] = {}
        for position in range(words.length):
            knows = replace(adversary, background=restrict_to_class(adversary.background, position))
            for letter in words.letters(position):
                self.clock.tick()
                result = knows(evidence(self.publisher, (class_token(letter),)))
                outcome[position, letter] = None if result is None else bool(len(result.disclosed))
                judged |= result is not None and result.unmatched < result.victims
        # What she knows may contradict a publication; then she learns nothing from it.
        possible = words.only(lambda position, letter: outcome[position, letter] is not None)
        safe = possible.only(lambda position, letter: outcome[position, letter] is False)
        return possible.count - safe.count if judged else None


def _way(published: AllPublications, names: Names) -> tuple[int, ...]:
    """Return arcs from the root that spell given classes."""
    space, staged = published.found.space, published.found
    word = tuple(names)

    def read(items: Iterable[object]) -> Names:
        return published.publisher.names(tuple(map(class_token, items)))

    root = int(space.roots[0])
    arcs: list[int] = []
    ways = [iter(range(int(space.starts[root]), int(space.starts[root + 1])))]
    visited = {root}
    while ways:
        arc = next(ways[-1], None)
        if arc is None:
            ways.pop()
            if arcs:
                arcs.pop()
            continue
        target = int(space.targets[arc])
        # How many items are forgotten depends on the state alone: what could not be spelled from it
        # before cannot be now.
        if target in visited:
            continue
        first = int(staged.forgotten[space.source(arc)])
        emitted = staged.emissions.get(arc, ())
        if read(emitted) != word[first : first + len(emitted)]:
            continue
        visited.add(target)
        if staged.ends[target]:
            remaining = staged.row(target)[int(staged.forgotten[target]) :]
            if read(remaining) == word[staged.items - len(remaining) :]:
                return (*arcs, arc)
            continue
        arcs.append(arc)
        ways.append(iter(range(int(space.starts[target]), int(space.starts[target + 1]))))
    raise InvalidArgument("classes", names, "classes that can be published")
