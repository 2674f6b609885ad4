"""The paper's rules beside the nets: what is printed, which transitions do it here, what differs.

Every transition of a net stands under a rule, with guard and arcs read off the net itself; a test
holds that none is missing, and none is named that is not there. ``kproof net rules`` prints it, and
``docs/petri/rules.md`` is made of it.

Formulas of the paper lost most operators in the text that is public; they are given in our own
notation, as its prose and Tables 6, 7, 9 and 10 explain them. Multisets are written { }, what a
token is bound to by the name of the place.

What the paper says, and what differs here, is data: ``rules.json``, whose form is
``rules-schema.json``.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Sections 4 and 5.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kproof.errors import InvalidArgument
from kproof.petri.net.net import Net, Transition
from kproof.petri.papers.api import net


@dataclass(frozen=True)
class PaperPlace:
    """A place of Table 7 or 10."""

    name: str
    holds: str
    """As the table has them: a set of what."""
    here: str
    """The place of the net; empty if there is none."""
    differs: str = ""
    """What is different here; empty if nothing is."""


@dataclass(frozen=True)
class PaperRule:
    """A rule of the paper, and where it is in the nets."""

    name: str
    """Its number, and the transition it is about."""
    printed: str
    """What it says, in our notation."""
    labels: tuple[int, ...]
    """The arcs it is printed with: the paper's numbers of them."""
    transitions: tuple[str, ...]
    """How the names of its transitions begin."""
    calls: tuple[str, ...]
    """Full names of the functions that do the work."""
    differs: str
    """What was changed and why, and what is named here that the paper leaves unsaid."""
    rows: tuple[str, ...] = ()
    """Rows of the ledger on it."""
    reads: str = ""
    """A place that its transitions read; empty if they may read any."""


@dataclass(frozen=True)
class PaperType:
    """A type of Table 6 or 9."""

    name: str
    says: str
    """As the table has them, in our words."""
    here: str
    """What it is here."""


@dataclass(frozen=True)
class PaperNet:
    """A net of the paper: its figure, its places and its rules."""

    title: str
    """What it is called."""
    table: str
    """Number of the paper's table of its places."""
    typed: str
    """Number of the paper's table of its types."""
    types: tuple[PaperType, ...]
    places: tuple[PaperPlace, ...]
    rules: tuple[PaperRule, ...]
    """As the paper has them, in its order."""
    examples: Mapping[str, Mapping[str, Any]]
    """The nets here that are made of them, by what they are called."""

    def nets(self) -> dict[str, Net]:
        """Return the nets, for a shipped table of the paper."""
        return {name: _build(**options) for name, options in self.examples.items()}


def _load() -> dict[str, PaperNet]:
    text = Path(__file__).with_name("rules.json").read_text(encoding="utf-8")
    kinds = {"types": PaperType, "places": PaperPlace, "rules": PaperRule}
    return {
        name: PaperNet(**paper | {part: _rows(kind, paper[part]) for part, kind in kinds.items()})
        for name, paper in json.loads(text)["nets"].items()
    }


def _rows(kind: type[Any], rows: list[dict[str, Any]]) -> tuple[Any, ...]:
    """Return rows of a file as objects; lists become tuples, as frozen objects have them."""
    return tuple(
        kind(**{key: tuple(of) if isinstance(of, list) else of for key, of in row.items()})
        for row in rows
    )


PAPER_NETS: Mapping[str, PaperNet] = _load()
"""The nets of the paper, by the name under which ``kproof net rules`` knows them."""


def rules_of(name: str) -> PaperNet:
    """Return what the paper says of one of its nets."""
    if name not in PAPER_NETS:
        raise InvalidArgument("net", name, " or ".join(PAPER_NETS))
    return PAPER_NETS[name]


def of_rule(built: Net, rule: PaperRule) -> Iterator[Transition]:
    """Run through the transitions of a net that do what a rule says."""
    # A rule that no transition does has no beginnings, and no name begins with one of none.
    for t in built.transitions:
        if t.name.startswith(rule.transitions) and (not rule.reads or rule.reads in t.reads):
            yield t


def inscription(transition: Transition) -> str:
    """Return a transition with its arcs and its guard, on one line.

    >>> made = PAPER_NETS["theta-sensitive"].nets()["by moves"]
    >>> print(inscription(made.transition["pass"]))
    pass: takes MMT (c, ecs); puts MMT (next(c), ecs); if c < 2 and passes(c, ecs)
    """
    parts = [
        f"{verb} {', '.join(f'{place} {bag}' for place, bag in arcs.items())}"
        for verb, arcs in (
            ("takes", transition.takes),
            ("reads", transition.reads),
            ("puts", transition.puts),
            ("is barred by", transition.inhibits),
        )
        if arcs
    ]
    conditions = [
        *map(str, transition.choices),
        *([str(transition.guard)] if str(transition.guard) != "true" else []),
    ]
    if conditions:
        parts.append(f"if {' and '.join(conditions)}")
    return f"{transition.name}: {'; '.join(parts)}"


def _build(*, table: str, categories: bool = False, masks: bool = False, **options: Any) -> Net:
    from kproof.models.papers.theta_tables import categories as shipped
    from kproof.models.papers.theta_tables import microdata

    # Labels are of people, so that only records have any to generalize.
    masking = {"masks": True, "tokens": "records"} if masks else {}
    return net(
        table=microdata() if masks else table,
        categories=shipped() if categories else None,
        **options | masking,
    ).net


def lines_of(name: str) -> Iterator[str]:
    """Run through the lines of the page on a net, as Markdown."""
    paper, nets = rules_of(name), rules_of(name).nets()
    yield f"## {paper.title}"
    yield ""
    if paper.types:
        yield f"| type in {paper.typed} | is, as printed | here |"
        yield "|---|---|---|"
        for kind in paper.types:
            yield f"| {kind.name} | {kind.says} | {kind.here} |"
        yield ""
    yield f"| place in {paper.table} | holds, as printed | here | colour here | what differs |"
    yield "|---|---|---|---|---|"
    places = {place.name: place for built in nets.values() for place in built.places}
    for place in paper.places:
        colour = places[place.here].colour.name if place.here in places else ""
        printed = f"{place.name} | ℙ({place.holds})" if place.name else "– | –"
        yield f"| {printed} | {place.here} | {colour} | {place.differs} |"
    for rule in paper.rules:
        yield from ("", f"### {rule.name}", "", f"As printed: {rule.printed}.")
        if rule.labels:
            yield f"Arcs as printed: {', '.join(map(str, rule.labels))}."
        yield ""
        # One line for all nets in which a transition is the same.
        examples_of: dict[str, list[str]] = {}
        for example, built in nets.items():
            for transition in of_rule(built, rule):
                examples_of.setdefault(inscription(transition), []).append(example)
        for line, examples in examples_of.items():
            of = "" if len(examples) == len(nets) else f" ({'; '.join(examples)})"
            yield f"- `{line}`{of}"
        yield ""
        yield f"Calls {', '.join(f'`{function}`' for function in rule.calls)}."
        if rule.differs:
            yield f"What differs: {rule.differs}"
        if rule.rows:
            yield f"In the ledger: {', '.join(rule.rows)}."


def lines_of_net(of: Net) -> Iterator[str]:
    """Run through the lines of a page on any net, as Markdown: its places and its transitions.

    >>> made = PAPER_NETS["theta-sensitive"].nets()["by moves"]
    >>> next(line for line in lines_of_net(made) if line.startswith("- `pass"))
    '- `pass: takes MMT (c, ecs); puts MMT (next(c), ecs); if c < 2 and passes(c, ecs)`'
    """
    yield from (f"## {of.name}", "", "| place | colour | at first |", "|---|---|---|")
    for place in of.places:
        yield f"| {place.name} | {place.colour.name} | {place.initial} |"
    yield ""
    yield from (f"- `{inscription(transition)}`" for transition in of.transitions)


def page() -> str:
    """Return the whole page as Markdown."""
    lines = [_HEAD]
    for name in PAPER_NETS:
        lines += ["", *lines_of(name)]
    return "\n".join(lines) + "\n"


_HEAD = """# The rules of the paper, and the nets

This page has the places and rules of Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020,
9(5), 716, beside the transitions that do them here. `kproof net rules` prints it by parts.
It is made from the nets: guards and arcs are those that are explored, for Table 1a with k = 4.
The text of the paper that is public lost most operators of the formulas; they are given as its
prose and its tables of places explain them. An arc has a number in print; place[n] is the n-th part
of the token that goes along the arc. Here arcs carry terms whose parts have names, and no numbers.
Rows of the ledger are listed by `kproof audit`."""
