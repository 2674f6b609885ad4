"""Pages and a section on nets: what exploring them found, with drawings.

A page is about one net, as ``kproof net explore --html`` writes it. The section of the report is
about the nets of the paper on its own tables, what an adversary gains from them, and, if it is
small, the table that the report is about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from kproof.datasets import read_text_table
from kproof.errors import KProofError, TooLarge
from kproof.forms import JsonForm
from kproof.petri.drawing.automaton import is_drawn_whole, letters_with_keys, words_svg
from kproof.petri.drawing.drawing import net_svg, space_svg
from kproof.petri.papers.api import TableNet, net
from kproof.petri.papers.gain import IGNORANT, effect_of_mu
from kproof.petri.papers.head import NetHead, decimal
from kproof.petri.papers.manifest import entry
from kproof.petri.papers.outcome import PublisherEnds
from kproof.petri.papers.publications import AllPublications, publications
from kproof.petri.papers.publisher import (
    DISCLOSED,
    PartitionedTable,
    Publisher,
    classes_in_words,
    classes_of,
)
from kproof.petri.papers.report import NetReport, bounds_in_words, report, trace_lines, victim
from kproof.petri.papers.runs.account import ClassSeen
from kproof.petri.papers.theta_properties import publisher_properties
from kproof.petri.spaces.figures import at_least
from kproof.petri.spaces.space import Budget
from kproof.report.context import BuiltSection, Context, fragment
from kproof.stages import count_parts

if TYPE_CHECKING:
    from kproof.petri.logic.properties import PropertyVerdict
    from kproof.petri.logic.smt import Proof
    from kproof.petri.papers.gain import Effect

_DRAWN = 300
_DRAWING = 5
_LISTED = 12
_PUBLICATIONS, _WIDE = 100, 12
_MUS = tuple(Fraction(tenths, 10) for tenths in range(1, 11))
_K, _MU = 4, "3/5"
_ROWS, _STATES = 24, 5_000
_PAPER = (
    ("table-1a", "corrected", "table-8a"),
    ("table-1a", "printed", "table-8a"),
    ("table-4b", "corrected", "table-8b"),
    ("table-4b", "printed", "table-8b"),
)
_ATTACKS = ("table-1a, nobody known", "rule (9)", "categorical similarity", "base model, table-4a")
_SHORT = {"true": "yes", "false": "no"}
_ANSWERS = {"true": "holds", "false": "fails"}


@dataclass(frozen=True)
class Case:
    """One column of the section: a net, and what exploring it found."""

    title: str
    """Its table."""
    reading: str
    """As printed or corrected."""
    found: NetReport
    """What exploring it found."""

    def cell(self, name: str) -> tuple[str, str]:
        """Return the answer to a property and how it stands; nothing if it was not asked."""
        answers = {verdict.name: str(verdict.outcome) for verdict in self.found.verdicts}
        answer = answers.get(name, "")
        return _SHORT.get(answer, answer), _ANSWERS.get(answer, "")

    @property
    def facts(self) -> Iterator[tuple[str, str]]:
        """What is counted."""
        published = self.found.published
        assert published is not None
        space, outcome = self.found.space, published.outcome
        statistics = self.found.standard.statistics
        yield "states", str(statistics["states"])
        yield "steps between them", str(statistics["arcs"])
        yield "explored", space.extent
        yield "publications", str(outcome.figures["publications"])
        yield "noise rows", outcome.noise_rows
        gain = published.gain
        none = "none" if gain is None or (gain.worst is None and gain.full) else "unknown"
        certainty = None if gain is None or gain.worst is None else gain.figures["certainty"]
        yield "most certain bet on a value", none if certainty is None else str(certainty)


@dataclass(frozen=True)
class _AttackedNet:
    """One net with attackers: what they know, and the run after which one holds something."""

    title: str
    """The attacker."""
    about: str
    verdict: PropertyVerdict
    """Whether nothing is disclosed."""
    lines: tuple[str, ...]
    holds: str
    """What is disclosed; empty if nothing is."""

    to_dict = JsonForm("title outcome=verdict.outcome discloses=holds")

    @property
    def answer(self) -> tuple[str, str]:
        """Whether nothing is gained, and how that stands."""
        outcome = str(self.verdict.outcome)
        return _SHORT.get(outcome, outcome), _ANSWERS.get(outcome, "")


def publications_page(published: AllPublications, *, head: NetHead | None = None) -> str:
    """Return the page about everything that can be published.

    The head says what was asked, with where the table comes from.
    """
    sample = published.sample(_LISTED, seed=0) if published.words.count else ()
    return fragment(
        "publications.html",
        found=published,
        head=published.head.items() if head is None else head.facts,
        known=published.figures,
        at_least=partial(at_least, final=published.full),
        automaton=_draw_words(published),
        her=IGNORANT,
        is_drawn_whole=is_drawn_whole(published.words),
        first=list(map(classes_in_words, islice(published, _LISTED))),
        drawn=list(map(classes_in_words, sample)),
        words={True: "true", False: "false", None: "unknown"},
        answers=_ANSWERS,
    )


def page_of(results: NetReport, *, head: NetHead | None = None) -> str:
    """Return the page about one net, which needs nothing but itself.

    The head says what was asked of a net of the paper; others have none.
    """
    space, standard, published = results.space, results.standard, results.published
    return fragment(
        "net.html",
        found=results,
        her=IGNORANT,
        head=() if head is None else head.facts,
        space=space,
        standard=standard,
        drawing=_net(results),
        states=_space(results),
        traces=[
            (verdict, trace_lines(verdict.trace))
            for verdict in results.verdicts
            if verdict.trace is not None
        ],
        known=standard.statistics,
        bounds=[
            (bounds.place, *bounds_in_words(bounds, full=standard.full))
            for bounds in standard.bounds
        ],
        at_least=partial(at_least, final=standard.full),
        home=standard.summary(standard.home, final=True, listed=_LISTED),
        dead=standard.summary(standard.dead, final=standard.full, listed=_LISTED),
        publications=() if published is None else _publications(published.outcome),
        automaton=None if published is None else _automaton(published.outcome.publisher),
        tabled=published is not None and len(published.outcome.publisher.formed.values) <= _WIDE,
        decimal=decimal,
        answers=_ANSWERS,
        classes=classes_in_words,
        victim=victim,
    )


@dataclass(frozen=True, slots=True)
class LemmaResults:
    """What a solver made of a claim on the algorithm."""

    proof: Proof

    to_dict = JsonForm("name=proof.name claim=proof.claim outcome=proof.outcome scope=proof.scope")


@dataclass(frozen=True, slots=True)
class NetsResults:
    """What can come out."""

    nets: tuple[Case, ...]
    """Each net."""
    not_explored: str
    """Why the table has no net; empty if it has one or needs none."""
    attackers: tuple[_AttackedNet, ...]
    """Nets with attackers."""
    effects_of_mu: tuple[Effect, ...]
    """What each μ does to a table."""
    lemmas: tuple[LemmaResults, ...]
    """What a solver made of claims on the algorithm."""


def build(context: Context) -> BuiltSection:
    """Return the section."""
    paper = _paper()
    own_case, problem = _own(context)
    cases = [*paper, *([] if own_case is None else [own_case])]
    # All but the tables that the paper publishes is asked of every net.
    names = dict.fromkeys(verdict.name for case in cases for verdict in case.found.verdicts)
    page = fragment(
        "nets.html",
        cases=cases,
        names=list(names),
        problem=problem,
        drawing=_net(paper[0].found),
        states=_space(paper[2].found),
        facts=zip(*(list(case.facts) for case in cases), strict=True),
        attacks=_attacks(),
        effects=_effects(),
        proofs=_lemmas(),
        classes=classes_in_words,
        victim=victim,
        k=_K,
        mu=_MU,
    )
    lemmas = tuple(LemmaResults(lemma) for lemma in _lemmas())
    results = NetsResults(tuple(cases), problem, tuple(_attacks()), tuple(_effects()), lemmas)
    return BuiltSection(page, results)


@cache
def _paper() -> tuple[Case, ...]:
    cases = []
    for table, reading, target in count_parts("the publisher's nets", _PAPER):
        table_net = net("theta-sensitive", _classes(table), k=_K, mu=_MU, reading=reading)
        reaches = {_title(target): _classes(target).values}
        cases.append(_case(_title(table), reading, table_net, reaches))
    return tuple(cases)


def _own(context: Context) -> tuple[Case | None, str]:
    """Return the net for the report's own table, or why there is none; neither for the paper's."""
    microdata = context.microdata
    if (
        microdata is None
        or microdata.table.sensitive is None
        or any(microdata.source == n for n, _, _ in _PAPER)
    ):
        return None, ""
    if microdata.table.rows > _ROWS:
        return None, (
            f"{microdata.source} has {microdata.table.rows:,} rows; the net is explored for tables "
            f"of up to {_ROWS}"
        )
    try:
        table_net = net(
            "theta-sensitive",
            classes_of(microdata.table, k=microdata.k),
            k=microdata.k,
            mu=microdata.mu,
        )
        return _case(microdata.source, "corrected", table_net, {}), ""
    except KProofError as reason:
        return None, f"{microdata.source}: {reason}"


def _case(title: str, reading: str, table_net: TableNet, reaches: dict[str, Any]) -> Case:
    space = table_net.explore(budget=Budget(states=_STATES))
    properties = publisher_properties(table_net.publisher, reaches=reaches)
    return Case(title, reading, report(table_net, space, properties=properties))


def _classes(table: str) -> PartitionedTable:
    class_column = "Class" if "Class" in read_text_table(table).names else None
    return classes_of(table, k=_K, sensitive="Disease", class_column=class_column)


@cache
def _attacks() -> tuple[_AttackedNet, ...]:
    attacks = []
    for name in count_parts("the attackers' nets", _ATTACKS):
        example = entry(name)
        attacked_net = example.build()
        space = attacked_net.explore()
        results = report(
            attacked_net, space, properties=publisher_properties(attacked_net.publisher), gain=False
        )
        verdict = results.verdicts[-1]
        trace = verdict.trace
        disclosed: Any = () if trace is None else trace.end[DISCLOSED]
        holds = "; ".join(f"{attack}: {value} of class {who}" for attack, who, value in disclosed)
        lines = () if trace is None else tuple(trace_lines(trace))
        attacks.append(_AttackedNet(_title(name), example.about, verdict, lines, holds))
    return tuple(attacks)


@cache
def _effects() -> tuple[Effect, ...]:
    return effect_of_mu(_classes("table-1a"), k=_K, mus=_MUS)


@cache
def _lemmas() -> tuple[Proof, ...]:
    from kproof.petri.papers.theta_smt import lemmas

    return lemmas()


@dataclass(frozen=True, slots=True)
class DrawnWords:
    """Everything that can be published, as a picture with its keys."""

    drawing: Markup
    """The automaton."""
    keys: tuple[tuple[str, int, str, int], ...]
    """Of each letter its key, the class, its values, and how many publications have it."""


def _draw_words(published: AllPublications) -> DrawnWords:
    """Return a picture of everything that can be published."""

    def name_of(letter: object) -> str:
        assert isinstance(letter, tuple)
        (names,) = published.publisher.names((letter,))
        return ", ".join(map(str, names))

    title = f"{published.figures['publications'].of('publications')}, class by class"
    keys = letters_with_keys(published.words) if is_drawn_whole(published.words) else ()
    return DrawnWords(
        Markup(words_svg(published.words, name=name_of, title=title)),
        tuple((key.key, key.position, name_of(key.letter), key.words) for key in keys),
    )


def _automaton(publisher: Publisher) -> DrawnWords | None:
    """Return a picture of all publications if it is soon made and shows each of them."""
    # `publications` refuses a net that has attackers in it, or that does not work in stages.
    if not publisher.staged or DISCLOSED in publisher.net().place:
        return None
    published = publications(publisher, budget=Budget(seconds=_DRAWING))
    return _draw_words(published) if published.full and is_drawn_whole(published.words) else None


def _net(report: NetReport) -> Markup | None:
    try:
        return Markup(net_svg(report.space.net))
    except TooLarge:
        return None


def _space(report: NetReport) -> Markup | None:
    space = report.space
    return Markup(space_svg(space)) if space.states <= _DRAWN and space.arcs_kept else None


def _publications(outcome: PublisherEnds) -> tuple[tuple[tuple[ClassSeen, ...], int], ...]:
    """Return the first publications, class by class, each with its number of noise rows."""
    publisher = outcome.publisher
    rows = sum(map(len, publisher.formed.values))
    listing = []
    for names in islice(outcome.publications, _PUBLICATIONS):
        classes = tuple(
            ClassSeen.of(place, Counter(values), publisher.threshold)
            for place, values in enumerate(names)
        )
        listing.append((classes, sum(map(len, names)) - rows))
    return tuple(listing)


def _title(name: str) -> str:
    # `table-1a` is Table 1a as the paper writes it; names of attacks keep their hyphens.
    return name[:1].upper() + name[1:].replace("able-", "able ")
