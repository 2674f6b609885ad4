"""What somebody believes after a publication who has read the algorithm that made it.

The beliefs of :mod:`kproof.petri.papers.gain` are those of an adversary who sees the classes and
has never heard of the algorithm. Everybody can read it. So beside them stands what she believes who
has, as far as that can be computed: exactly, by
:func:`~kproof.models.attacks.knowing.beliefs.method_beliefs`, for the θ-sensitive publisher in both
readings, on the level of values, whose ties are decided evenly. For her every value of the domain
is as likely as any other beforehand; whether somebody is certain does not depend on that. Of the
p⁺-sensitive publisher, which changes nothing, she learns no more than the classes show: what passes
is published for what it holds (``published_same`` of ``theory/rocq/Withheld.v``). Ties that are
decided otherwise may tell more; beside it stands what no rule for ties exceeds.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from kproof.errors import TooLarge
from kproof.forms import JsonForm
from kproof.models.attacks.knowing.beliefs import MethodBeliefs, method_beliefs
from kproof.petri.papers.classes import ByValue, ECs
from kproof.petri.papers.publisher import Names, Publisher
from kproof.petri.spaces.figures import Figure, at_least, so_far

MOST_MOVES = 200_000
"""Moves of the method that are looked at, for all publications together: some seconds."""
MOST_PUBLICATIONS = 100
"""Publications that are looked at."""


@dataclass(frozen=True)
class MethodKnown:
    """What whoever knows the method believes after publications."""

    unjudged: str = ""
    """Why nothing was computed; empty if something was."""
    publications: int = 0
    """How many were looked at."""
    every: bool = False
    """Whether these are all there are."""
    certain: int = 0
    """After how many of them somebody's value is certain."""
    largest: Fraction | None = None
    """The probability of her surest bet."""
    worst: Names | None = None
    """The first publication with that bet."""
    largest_by_rule: Fraction | None = None
    """What no rule for ties makes a bet exceed."""

    def __str__(self) -> str:
        if self.unjudged:
            return f"not judged; {self.unjudged}"
        if not self.publications:
            return "no publication" if self.every else "unknown"
        of_all = "the publication"
        if self.publications > 1:
            of_all = f"{self.publications:,} publications"
        of_all += "" if self.every else " that were looked at"
        table = "; ".join(", ".join(map(str, ec)) for ec in self.worst or ())
        return (
            f"somebody's value is certain after {self.certain:,} of {of_all}; "
            f"best guess {self.largest}, if the classes are {table}; by any rule for ties it is "
            f"{self.largest_by_rule} at most"
        )

    @property
    def figures(self) -> dict[str, Figure]:
        """How many publications were looked at and make somebody certain, and the surest bet."""
        spelt = self.worst and [[str(value) for value in ec] for ec in self.worst]
        return {
            **{
                name: at_least(getattr(self, name), final=self.every)
                for name in ("publications", "certain", "largest")
            },
            "worst": so_far(spelt, final=self.every),
            "largest_by_rule": so_far(self.largest_by_rule, final=self.every),
        }

    to_dict = JsonForm(
        "unjudged publications=figures.publications certain=figures.certain",
        "largest=figures.largest worst=figures.worst largest_by_rule=figures.largest_by_rule",
    )


def method_known(publisher: Publisher, publications: Iterable[ECs], *, every: bool) -> MethodKnown:
    """Return what whoever knows the method believes after publications.

    Args:
        publisher: Who publishes.
        publications: As class tokens, perhaps several times; only the first MOST_PUBLICATIONS
            different ones are looked at.
        every: Whether they are all there are.

    >>> from kproof.petri.papers.theta_sensitive import theta_publisher
    >>> from kproof.petri.spaces.explore import explore
    >>> domain = ["Flu", "HIV", "Cold", "Asthma", "Gout"]
    >>> publisher = theta_publisher([["Flu"] * 4], k=4, domain=domain)
    >>> space = explore(publisher.net())
    >>> ends = {ecs: None for _, ecs in publisher.every_publication(space)}
    >>> known = method_known(publisher, ends, every=True)
    >>> known.certain, known.publications, known.largest
    (4, 4, Fraction(1, 1))
    """
    if unjudged := _why_not(publisher):
        return MethodKnown(unjudged)
    threshold = publisher.threshold
    shares = [Fraction(1, len(publisher.domain))] * len(publisher.domain)
    people = [len(values) for values in publisher.formed.values]
    moves, looked, certain = MOST_MOVES, 0, 0
    largest, largest_by_rule, worst = Fraction(0), Fraction(0), None
    distinct: set[ECs] = set()
    # To whom all values are equally likely, with ties that are decided evenly, it is the same which
    # value is which: what she believes depends on how often each occurs in every class.
    beliefs_of: dict[tuple[tuple[int, ...], ...], MethodBeliefs] = {}
    for ecs in publications:
        if ecs in distinct:
            continue
        distinct.add(ecs)
        # Only of one that is new: more of the same leave nothing out.
        if looked == MOST_PUBLICATIONS:
            every = False
            break
        multisets = [publisher.kind.multiset(ec) for ec in ecs]
        if threshold is None:
            bets = [Fraction(max(rows.values()), sum(rows.values())) for rows in multisets]
            # Nothing is decided by ties.
            looked, certain = looked + 1, certain + (max(bets) == 1)
            if max(bets) > largest:
                largest, worst = max(bets), publisher.names(ecs)
                largest_by_rule = largest
            continue
        counts = (tuple(rows.get(value, 0) for rows in multisets) for value in publisher.domain)
        form = tuple(sorted(counts))
        try:
            if form not in beliefs_of:
                beliefs_of[form] = method_beliefs(
                    multisets, threshold=threshold, shares=shares, people=people, most_moves=moves,
                    reading=str(publisher.options["reading"]), by_rules=True,
                )  # fmt: skip
                moves -= beliefs_of[form].moves
        except TooLarge as reason:
            if not looked:
                return MethodKnown(str(reason))
            every = False
            break
        beliefs = beliefs_of[form]
        looked += 1
        certain += bool(beliefs.certain)
        largest_by_rule = max(largest_by_rule, beliefs.largest_by_rule)
        if beliefs.largest > largest:
            largest, worst = beliefs.largest, publisher.names(ecs)
    if not looked:
        return MethodKnown(every=every)
    return MethodKnown("", looked, every, certain, largest, worst, largest_by_rule)


def _why_not(publisher: Publisher) -> str:
    options = publisher.options
    if not isinstance(publisher.kind, ByValue):
        return "what labels tell her is not computed"
    if publisher.formed.gap is not None:
        return "what missing values tell her is not computed"
    if publisher.name == "p-plus-sensitive":
        return ""
    if publisher.name != "theta-sensitive":
        return f"what she learns of {publisher.name or 'this net'} is not computed"
    if options["padding"] != "refuse":
        return "what she learns of padding is not computed"
    return ""
