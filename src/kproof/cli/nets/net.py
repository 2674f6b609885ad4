"""``kproof net``: every run of a net, random runs of it, and the net in other forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Group, Parameter

from kproof.cli.base.commands import epilogue
from kproof.cli.base.common import JSON, NAMES, split
from kproof.cli.base.printing import ExitStatus, own_output, write_result
from kproof.cli.nets.loading import MODEL, LoadedNet, NetOptions
from kproof.cli.nets.own import budget, file_of, runs_own_nets
from kproof.errors import InvalidArgument, TooLarge, one_of
from kproof.models.base.parameters import SEED
from kproof.outputs import check_outputs, write_text
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.petri.logic.properties import Property
    from kproof.petri.net.net import Net
    from kproof.petri.spaces.space import StateSpace

app = App(
    name="net",
    help="Every run of a net, random runs of it, and the net in other forms.",
    help_epilogue=epilogue("net"),
)

_ASKED = Group("What is asked of it", sort_key=4)
_RUNS = Group("The runs", sort_key=5)
_FORMS = Group("Files", sort_key=6)


@app.command
@runs_own_nets
def explore(
    model: MODEL,
    /,
    *,
    options: NetOptions = NetOptions(),
    reaches: Annotated[NAMES, Parameter(group=_ASKED)] = (),
    ctl: Annotated[NAMES, Parameter(group=_ASKED)] = (),
    property_: Annotated[NAMES, Parameter(name="--property", group=_ASKED)] = (),
    budget_: Annotated[NAMES, Parameter(name="--budget", group=_RUNS)] = (),
    order: Annotated[Literal["breadth", "depth", "runs"], Parameter(group=_RUNS)] = "breadth",
    html: Annotated[str | None, Parameter(group=_FORMS)] = None,
    json: JSON = False,
) -> int:
    """Explore every run of a net and decide what holds of all of them.

    The status is 0 if every question is answered and nothing is refuted, 1 if a
    property is refuted, and 4 if something is unknown or not applicable.

    Args:
        reaches: A table, with the same columns, that can be published; may be repeated.
        ctl: A formula, such as "AG EF marked(Think) >= 5"; may be repeated.
        property_: terminating, deadlock-free, reversible, bound=PLACE:N, live=TRANSITION (or
            possible, fair, just, impartial); may be repeated.
        budget_: When to stop: states=N,seconds=S,megabytes=M, each of which may be left out; by
            default ten million states, 60 seconds, 1,000 megabytes. A quarter of the seconds is
            kept for judging.
        order: Which runs a budget leaves: all beginnings (breadth), or fewer runs up to their ends,
            one beside the other (depth) or at random (runs).
        html: Write a page with the report and drawings to this file.
    """
    from kproof.petri.papers.report import report
    from kproof.petri.spaces.explore import explore as explore_net

    limits = budget(budget_)
    files = check_outputs({"html": html}, reads=[*options.reads(model), *split(reaches)])
    loaded = options.load(model, believes=True)
    properties = _properties(loaded, options, reaches, ctl, property_)
    with stage(f"exploring {loaded.net.name}"):
        space = explore_net(loaded.net, budget=limits, order=order)
    with stage(f"judging {space.states} states"):
        knowledge = options.attacking.knowledge()
        results = report(loaded.table, space, properties=properties, background=knowledge)
    if html is not None:
        from kproof.petri.papers.head import NetHead
        from kproof.report.nets import page_of

        paper = loaded.paper
        head = None if paper is None else NetHead(paper, loaded.source, paper.attackers)
        with files.together():
            write_text(html, page_of(results, head=head))
    write_result("net-explore", results, json=json, written=[html])
    if results.refuted:
        return ExitStatus.VIOLATED
    return ExitStatus.OPEN if results.open else ExitStatus.DONE


@app.command
@runs_own_nets
def publications(
    model: MODEL,
    /,
    *,
    options: NetOptions = NetOptions(),
    judge: Annotated[bool, Parameter(negative=(), group=_RUNS)] = False,
    budget_: Annotated[NAMES, Parameter(name="--budget", group=_RUNS)] = (),
    html: Annotated[str | None, Parameter(group=_FORMS)] = None,
    json: JSON = False,
) -> int:
    """Count and judge everything theta-sensitive can publish, for tables of real size.

    A class is forgotten once it can change no more, so that hundreds of rows can be
    judged where exploring every table would never end. Attackers know people's
    classes, and not the method. The status is 1 if something does not hold of every
    publication, and 4 if something is unknown.

    Args:
        judge: Decide without counting, for tables of any size: what holds of every form of a class
            holds of every publication; random runs refute. Within 60 seconds, if the budget says
            nothing of them.
        budget_: When to stop: states=N,seconds=S,megabytes=M, each of which may be left out; by
            default ten million states, 60 seconds, 1,000 megabytes. A quarter of the seconds is
            kept for judging.
        html: Write a page with the figures and a picture of the automaton to this file.
    """
    from kproof.petri.papers.api import PUBLISHERS
    from kproof.petri.papers.judged.judged_publications import judge_publications
    from kproof.petri.papers.publications import publications as published

    stages = "theta-sensitive, or a publisher of your own that works in stages"
    if model not in PUBLISHERS and file_of(model) is None:
        raise InvalidArgument("net", model, stages)
    if judge and html is not None:
        raise InvalidArgument("html", html, "no --judge with it, which draws no automaton")
    limits = budget(budget_)
    files = check_outputs({"html": html}, reads=options.reads(model))
    loaded = options.load(model, attacked=False, believes=True)
    if loaded.table is None:
        raise InvalidArgument("net", model, stages)
    if loaded.properties:
        names = ", ".join(own_property.name for own_property in loaded.properties)
        raise InvalidArgument("properties", names, "kproof net explore for them")
    if judge and loaded.own:
        raise InvalidArgument("judge", model, "theta-sensitive; --judge knows its moves alone")
    keywords: dict[str, Any] = {
        "background": options.attacking.knowledge(),
        "attackers": options.attacking.attackers(),
        "budget": limits,
    }
    if judge:
        with stage(f"judging every publication of {loaded.net.name}"):
            judged = judge_publications(loaded.table.publisher, **keywords)
        write_result("net-publications-judged", judged, json=json)
        return _status({claim.holds for claim in judged.judged})
    with stage(f"merging finished classes of {loaded.net.name}"):
        results = published(loaded.table.publisher, **keywords)
    if html is not None:
        from kproof.petri.papers.head import NetHead
        from kproof.report.nets import publications_page

        paper, attackers = loaded.paper, tuple(options.attacking.attackers())
        head = None if paper is None else NetHead(paper, loaded.source, attackers)
        with files.together():
            write_text(html, publications_page(results, head=head))
    write_result("net-publications", results, json=json, written=[html])
    # How many are disclosed is no verdict, but that nobody knows it leaves the question open.
    unknown = {None} if None in results.disclosing.values() else set()
    return _status({*results.verdicts.values(), *unknown})


@app.command
@runs_own_nets
def rules(
    model: Annotated[
        str,
        Parameter(
            help="theta-sensitive, p-plus-sensitive or attackers; or a PNML file, or FILE.py:NAME."
        ),
    ] = "theta-sensitive",
    /,
) -> int:
    """Show the paper's rules beside the transitions that do them, and what differs.

    Guards and arcs are those of the nets, for the paper's Table 1a. Of another net its
    places and transitions are shown.
    """
    from kproof.petri.papers.rules import PAPER_NETS, lines_of, lines_of_net

    # A word without an ending is meant as a name, and is refused among names.
    if model in PAPER_NETS or not Path(model).suffix:
        lines = lines_of(model)
    else:
        lines = lines_of_net(NetOptions().load(model).net)
    with own_output():
        for line in lines:
            print(line)
    return ExitStatus.DONE


@app.command
@runs_own_nets
def simulate(
    model: MODEL,
    /,
    *,
    options: NetOptions = NetOptions(),
    runs: Annotated[str | None, Parameter(group=_RUNS)] = None,
    all_: Annotated[bool, Parameter(name="--all", negative=(), group=_RUNS)] = False,
    seed: Annotated[str, Parameter(group=_RUNS)] = "0",
    steps: Annotated[str | None, Parameter(group=_RUNS)] = None,
    confidence: Annotated[str, Parameter(group=_RUNS)] = "0.95",
    budget_: Annotated[NAMES, Parameter(name="--budget", group=_RUNS)] = (),
    jobs: Annotated[str | None, Parameter(group=_RUNS)] = None,
    samples: Annotated[str | None, Parameter(group=_FORMS)] = None,
    html: Annotated[str | None, Parameter(group=_FORMS)] = None,
    json: JSON = False,
) -> int:
    """Leave every choice of a net to chance, and count what happens in a run.

    Shares of random runs come with Clopper-Pearson intervals; shares of all runs are exact
    probabilities. With --html or --json, a few runs are told step by step, and each publication
    is compared with its table and attacked. The status is 4 if runs were broken off or are
    unknown.

    Args:
        runs: Number of random runs; 1000 if not given.
        all_: Take all runs instead, through the state space; each of them has to end.
        seed: Seed of the random runs; run i of a seed is always the same.
        steps: Number of firings after which a random run is broken off; if not given, 10000, and 20
            more for each row of a table.
        confidence: Confidence level of the intervals.
        budget_: With --all, when to stop: states=N,seconds=S,megabytes=M; by default as explore.
            For FILE.py:NAME also how many seconds may go by without a run, and 30 more.
        jobs: Processes for random runs of a table; by default as many as processors, if that pays.
        samples: With --html or --json, number of random runs that are told step by step; 2 if not
            given. One in which someone is disclosed is among them, if there is one.
        html: Write a page with the report to this file.
    """
    from kproof.petri.papers.runs.exact_runs import AllRuns
    from kproof.petri.papers.runs.simulation import (
        SimulationReport,
        simulate_publisher,
        usual_attackers,
    )
    from kproof.petri.spaces.explore import explore as explore_net
    from kproof.petri.spaces.simulate import STEPS, every_run
    from kproof.petri.spaces.simulate import simulate as walk
    from kproof.petri.spaces.space import Completeness
    from kproof.petri.spaces.tallies import Watch
    from kproof.theory.exact.typed import integer

    if all_ and runs is not None:
        raise InvalidArgument("runs", runs, "either --runs or --all")
    if budget_ and not all_ and file_of(model) is None:
        raise InvalidArgument("budget", ",".join(budget_), "--all with it")
    judged = html is not None or json
    if samples is not None and not judged:
        raise InvalidArgument("samples", samples, "--html or --json with it")
    total = integer("runs", "1000" if runs is None else runs, least=1)
    begun = SEED.read(seed)
    longest = None if steps is None else integer("steps", steps, least=1)
    samples_shown = (
        integer("samples", "2" if samples is None else samples, least=0) if judged else 0
    )
    limits = budget(budget_)
    files = check_outputs({"html": html}, reads=options.reads(model))
    loaded = options.load(model, believes=judged)
    table = loaded.paper
    # Of a publisher of somebody's own, runs are those of the net itself.
    watch = Watch() if loaded.table is None else loaded.table.publisher.watch()
    if jobs is not None and (all_ or table is None):
        raise InvalidArgument("jobs", jobs, "random runs of a net of the paper for it")
    every: AllRuns | None = None
    if all_:
        with stage(f"exploring {loaded.net.name}"):
            every = None if table is None else AllRuns.of(table, budget=limits)
            space = explore_net(loaded.net, budget=limits) if every is None else every.space
        # A part of a space gives no probability: runs that were not explored can take any share.
        if space.status is Completeness.PARTIAL:
            return _tell_unknown(loaded.net.name, space, json=json)
        tally = every_run(space, watch=watch) if every is None else every.simulation()
    elif table is None:
        steps_of_run = longest or STEPS
        how_long: dict[str, Any] = {"steps": steps_of_run, "confidence": confidence}
        tally = walk(loaded.net, runs=total, seed=begun, watch=watch, **how_long)
    how: dict[str, Any] = {"samples": samples_shown, "seed": begun}
    if table is None:
        report = SimulationReport.of_net(loaded.net, tally, **how, steps=longest or STEPS)
    elif every is not None:
        who = table.attackers or usual_attackers(table.publisher, options.attacking.knowledge())
        with stage("attacking every publication"):
            how |= {"attackers": who, "lessons": every.lessons(who)} if judged else {}
        report = SimulationReport.of_all_runs(table, tally, loaded.source, **how)
    else:
        how |= {"judged": judged, "background": options.attacking.knowledge(), "jobs": jobs}
        simulation = simulate_publisher(
            table, runs=total, steps=longest, confidence=confidence, **how
        )
        report = SimulationReport.of_publisher(simulation, loaded.source)
    if html is not None:
        from kproof.report.simulation import page_of

        with stage("writing the page"), files.together():
            write_text(html, page_of(report))
    text = f"net {loaded.net.name}: {report.simulation}"
    write_result("net-simulate", report, json=json, text=text, written=[html])
    return ExitStatus.DONE if report.simulation.final else ExitStatus.OPEN


@app.command
@runs_own_nets
def export(
    model: MODEL,
    /,
    *,
    options: NetOptions = NetOptions(),
    pnml: Annotated[str | None, Parameter(group=_FORMS)] = None,
    svg: Annotated[str | None, Parameter(group=_FORMS)] = None,
    space: Annotated[str | None, Parameter(group=_FORMS)] = None,
    smt2: Annotated[str | None, Parameter(group=_FORMS)] = None,
    steps: Annotated[str, Parameter(group=_FORMS)] = "5",
    json: JSON = False,
) -> int:
    """Write a net as PNML, as a drawing, or as questions to an SMT solver.

    Args:
        pnml: Write the net to this file, as ISO/IEC 15909-2 has it.
        svg: Write a drawing of the net to this file.
        space: Write a drawing of its state space, of up to 600 states, to this file.
        smt2: Write queries in SMT-LIB 2 to this file: for theta-sensitive that every table of the
            same size is published with V >= theta, for other nets that nothing is stuck within
            --steps.
        steps: Number of firings in the runs that the queries are about.
    """
    from kproof.petri.spaces.space import Budget, Completeness
    from kproof.schemas.printed import NetExported
    from kproof.theory.exact.typed import integer

    targets = {"pnml": pnml, "svg": svg, "space": space, "smt2": smt2}
    if not any(targets.values()):
        raise InvalidArgument("files", None, "--pnml, --svg, --space or --smt2 FILE")
    files = check_outputs(targets, reads=options.reads(model))
    longest = integer("steps", steps, least=0)
    loaded = options.load(model)
    # Everything is made before anything is written.
    texts: list[tuple[str, str]] = []
    if pnml is not None:
        from kproof.petri.pnml.write import to_pnml

        texts.append((pnml, to_pnml(loaded.net)))
    if svg is not None:
        from kproof.petri.drawing.drawing import net_svg

        texts.append((svg, net_svg(loaded.net)))
    if space is not None:
        from kproof.petri.drawing.drawing import MOST_STATES, space_svg
        from kproof.petri.spaces.explore import explore as explore_net

        explored = explore_net(loaded.net, budget=Budget(states=MOST_STATES))
        if explored.status is Completeness.PARTIAL:
            raise TooLarge(f"the state space has more than {MOST_STATES} states: too many to draw")
        texts.append((space, space_svg(explored)))
    if smt2 is not None:
        with stage("asking the solver"):
            texts.append((smt2, _queries(loaded, longest)))
    with files.together():
        for place, text in texts:
            write_text(place, text)
    places = tuple(place for place, _ in texts)
    result = NetExported(loaded.net.name, places)
    write_result("net-export", result, json=json, text="", written=places)
    return ExitStatus.DONE


def _status(verdicts: set[bool | None]) -> int:
    """Return the status of verdicts, of which None is unknown."""
    if False in verdicts:
        return ExitStatus.VIOLATED
    return ExitStatus.OPEN if None in verdicts else ExitStatus.DONE


def _properties(
    loaded: LoadedNet,
    options: NetOptions,
    reaches: tuple[str, ...],
    ctl: tuple[str, ...],
    texts: tuple[str, ...],
) -> list[Property]:
    from kproof.petri.logic.properties import temporal

    listed: list[Property] = list(loaded.properties)
    if reaches and loaded.paper is None:
        raise InvalidArgument("reaches", ", ".join(reaches), "a net of the paper for it")
    if loaded.table is not None:
        from kproof.petri.papers.theta_properties import publisher_properties

        targets = {
            name: replace(options, table=replace(options.table, data=name, domain=None))
            .classes()
            .values
            for name in split(reaches)
        }
        listed += publisher_properties(loaded.table.publisher, reaches=targets)
    listed += [temporal(text, text) for text in ctl]
    return listed + [_property_of(loaded.net, text) for text in texts]


def _property_of(net: Net, text: str) -> Property:
    """Return the property of one of the names that ``--property`` takes."""
    from kproof.petri.logic import properties
    from kproof.theory.exact.typed import integer

    if text == "terminating":
        return properties.terminating()
    if text == "deadlock-free":
        return properties.deadlock(name="something can always fire")
    if text == "reversible":
        initial = properties.at(net.initial)
        return properties.home("the initial marking is a home marking", initial)
    name, sign, argument = text.partition("=")
    if sign and name in _OF_TRANSITIONS:
        of_transition: Callable[[str], Property] = getattr(properties, name)
        return of_transition(argument)
    # From the right, as a place may have a colon in its name.
    place, colon, most = argument.rpartition(":")
    if name == "bound" and colon:
        return properties.bound(place, integer("bound", most, least=0))
    names = ["terminating", "deadlock-free", "reversible", "bound=PLACE:N"]
    names += [f"{transition_property}=TRANSITION" for transition_property in _OF_TRANSITIONS]
    raise InvalidArgument("property", text, one_of(text, names))


_OF_TRANSITIONS = ("live", "possible", "fair", "just", "impartial")
"""Properties of one transition, as the library calls them."""


def _queries(loaded: LoadedNet, steps: int) -> str:
    from kproof.petri.logic.smt import deadlock_queries
    from kproof.petri.papers.theta_smt import theta_queries

    table = loaded.paper
    if table is not None and table.publisher.threshold is not None:
        return theta_queries(table.publisher)
    return deadlock_queries(loaded.net, steps=steps)


def _tell_unknown(name: str, space: StateSpace, *, json: bool) -> int:
    """Say that the runs of a net are not all known."""
    from kproof.petri.spaces.figures import at_least
    from kproof.schemas.printed import UnknownRuns

    states = at_least(space.states, final=False)
    runs = UnknownRuns(name, states, space.stopped_by, space.budget)
    stopped = f"{states.of('states')}, explored {space.extent}"
    text = f"net {name}: all runs: unknown, {stopped}"
    write_result("net-simulate", runs, json=json, text=text)
    return ExitStatus.OPEN
