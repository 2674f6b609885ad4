"""The positive words of nets: exploring, judging, simulating, solving, exporting."""

from contextlib import chdir
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

from positive import either, rows
from shell import kproof
from small_nets import hourglass, philosophers

from kproof.models.attacks import background_of
from kproof.petri.logic.properties import check, fair, invariant, leads_to, temporal
from kproof.petri.logic.smt import deadlock_queries, smt2, unreachable_within
from kproof.petri.logic.standard import standard_report
from kproof.petri.net.net import Net
from kproof.petri.papers.api import net
from kproof.petri.papers.manifest import entry
from kproof.petri.papers.report import report
from kproof.petri.papers.runs.simulation import SimulationReport, simulate_publisher
from kproof.petri.papers.theta_encoding import tables
from kproof.petri.papers.theta_properties import publisher_properties
from kproof.petri.papers.theta_smt import every_publication_passes, lemma
from kproof.petri.pnml.write import write_pnml
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.simulate import simulate
from kproof.petri.spaces.space import Budget
from kproof.report.nets import Case, page_of, publications_page
from kproof.report.simulation import page_of as runs_page

TABLE = ("theta-sensitive", "--data", "table-4b", "--k", "4")
PART = ("--budget", "states=10")
PAIR = [["HIV", "HIV"], ["Flu", "Cancer"]]


SURE = {"victims": [{"row": 0, "excluded": ["Cancer", "Flu"]}]}


def disclosures(knows: dict[str, Any]) -> str:
    """The page on runs of a small table that an adversary attacks who knows something."""
    made = net("theta-sensitive", PAIR, k=2, attackers=["linkage"], background=knows)
    runs = simulate_publisher(made, runs=20, judged=True, jobs=1)
    return runs_page(SimulationReport.of_publisher(runs, None))


def explored(*words: str) -> str:
    return kproof("net", "explore", *words).out


def of_file(*words: str, made: Net | None = None) -> str:
    """What a command of ``kproof net`` prints of a net from a file."""
    with TemporaryDirectory() as folder, chdir(folder):
        write_pnml(philosophers() if made is None else made, "dining.pnml")
        return kproof("net", words[0], "dining.pnml", *words[1:]).out


def asked(*properties: Any, part: int | None = None, made: Net | None = None) -> str:
    """The verdicts on a net, or on a part of its states."""
    space = explore(philosophers() if made is None else made, budget=Budget(states=part))
    return "\n".join(map(str, check(space, properties)))


def line(text: str, start: str) -> str:
    return next(one for one in text.splitlines() if one.strip().startswith(start))


def standard(part: int | None = None) -> str:
    return str(standard_report(explore(hourglass(), budget=Budget(states=part))))


@cache
def page(reading: str, part: int | None = None) -> str:
    made = net("theta-sensitive", PAIR, k=2, mu="3/5", reading=reading)
    space = made.explore(budget=Budget(states=part))
    return page_of(report(made, space, properties=publisher_properties(made.publisher)))


def attacked(name: str) -> str:
    made = entry(name).build()
    return "\n".join(map(str, check(made.explore(), publisher_properties(made.publisher))))


def published(part: int | None = None, **options: Any) -> str:
    made = net("theta-sensitive", PAIR, k=2, mu="3/5")
    return str(made.publications(budget=Budget(states=part), **options))


def judged(*words: str, seconds: int = 20) -> str:
    """What is said of every publication of a table without counting them."""
    budget = ("--budget", f"states=1,seconds={seconds}")
    return kproof("net", "publications", *TABLE, "--judge", *budget, *words).out


def published_page(part: int | None = None) -> str:
    made = net("theta-sensitive", PAIR, k=2, mu="3/5")
    return publications_page(made.publications(budget=Budget(states=part)))


def _method_known(classes: list[list[str]], domain: str, k: int) -> str:
    made = net("theta-sensitive", classes, k=k, domain=domain.split())
    return str(report(made, made.explore()))


def _cell(reading: str) -> str:
    made = net("theta-sensitive", "table-1a", k=4, mu="3/5", reading=reading, sensitive="Disease")
    asked = publisher_properties(made.publisher)
    found = report(made, made.explore(), properties=asked, gain=False)
    return Case("Table 1a", reading, found).cell("V >= theta in every class")[0]


def _exported(path: str) -> str:
    return of_file("export", "--svg", path)


def _induction(*, stale: bool) -> str:
    size = tables(classes=2, k=3, values=4, mu="0.6", stale=stale)
    return smt2((every_publication_passes(size),))


def _kept(before: list[list[str]]) -> str:
    made = net("theta-sensitive", PAIR, k=2)
    other = net("theta-sensitive", before, k=2)
    return "\n".join(map(str, check(made.explore(), publisher_properties(other.publisher))))


def _beliefs(excluded: tuple[str, ...]) -> str:
    made = net("theta-sensitive", PAIR, k=2)
    knows = {"victims": [{"row": 0, "excluded": list(excluded)}]}
    return str(report(made, made.explore(), background=knows))


def _disclosed(excluded: tuple[str, ...]) -> str:
    made = net("theta-sensitive", PAIR, k=2)
    knows = background_of({"victims": [{"row": 0, "excluded": list(excluded)}]})
    found = simulate_publisher(made, runs=20, judged=True, background=knows)
    return f"victims disclosed {found.lessons[0].share[0]}"


def _facts(part: int | None) -> str:
    made = net("theta-sensitive", PAIR, k=2)
    found = report(made, made.explore(budget=Budget(states=part)))
    return "\n".join(f"{name}: {value}" for name, value in Case("pair", "", found).facts)


def _simulated(name: str) -> str:
    made = entry(name).build()
    found = simulate(made.net, runs=5, watch=made.publisher.watch())
    return " ".join(str(found).split())


ROWS = rows(
    "nets",
    method_known=either(
        _method_known, (PAIR, "HIV Flu Cancer", 2), ([["Flu"] * 4], "Flu HIV Cold Asthma Gout", 4)
    ),
    publications_reach_theta=either(published, (), (2,)),
    explored_all_states=either(published, (), (2,)),
    publications_certain=(
        published,
        lambda: published(background={"victims": [{"row": 0, "excluded": ["Cancer", "Flu"]}]}),
    ),
    judged_reach_theta=(judged, lambda: judged(seconds=0)),
    nobody_is_certain=(judged, lambda: judged(seconds=0)),
    homogeneity_discloses_nobody=(
        lambda: judged("--attack", "homogeneity"),
        lambda: judged("--attack", "homogeneity", seconds=0),
    ),
    every_run_publishes=(judged, lambda: judged(seconds=0)),
    publications_mark=either(published_page, (), (2,)),
    property_true=(
        lambda: asked(temporal("one eats", "AG marked(Eat) <= 1")),
        lambda: asked(temporal("one eats", "AG marked(Eat) <= 0")),
    ),
    part_true=(
        lambda: asked(temporal("some think", "EF marked(Think) >= 3"), part=1),
        lambda: asked(temporal("one eats", "AG marked(Eat) <= 1"), part=1),
    ),
    is_fair=(lambda: asked(fair("take")), lambda: asked(fair("fall"), made=hourglass())),
    k_rows_in_every_class=either(attacked, ("table-4b by moves",), ("exhausted",)),
    runs_reach_theta=either(attacked, ("stale donor",), ("stale donor as printed",)),
    gains_nothing=either(attacked, ("table-1a, nobody known",), ("categorical similarity",)),
    leads_to_true=(
        lambda: asked(leads_to("eats", "marked(Eat) >= 1", "marked(Eat) >= 1")),
        lambda: asked(leads_to("eats", "marked(Eat) >= 2", "marked(Eat) >= 1")),
    ),
    invariant_true=(
        lambda: asked(invariant("any", lambda _: True)),
        lambda: str(
            check(
                explore(philosophers(), budget=Budget(seconds=0)),
                [invariant("any", lambda _: True)],
            )[0]
        ),
    ),
    full=(
        lambda: line(explored(*TABLE), "state space"),
        lambda: line(explored(*TABLE, *PART), "state space"),
    ),
    all_states=either(page, ("corrected",), ("corrected", 3)),
    explored_mark=either(page, ("corrected",), ("corrected", 3)),
    home_markings_all=either(of_file, ("explore",), ("explore", "--budget", "states=3")),
    dead_markings=(
        lambda: line(of_file("explore"), "dead markings") + "\n",
        lambda: line(of_file("explore", "--budget", "states=3"), "dead markings") + "\n",
    ),
    dead_transitions=(
        lambda: line(of_file("explore"), "dead transitions") + "\n",
        lambda: line(of_file("explore", "--budget", "states=3"), "dead transitions") + "\n",
    ),
    no_infinite_sequences=either(standard, (), (1,)),
    ends_without=(
        lambda: line(explored(*TABLE), "ends without"),
        lambda: line(explored(*TABLE, *PART), "ends without"),
    ),
    worst=(lambda: line(explored(*TABLE), "worst"), lambda: line(explored(*TABLE, *PART), "worst")),
    all_runs=(
        lambda: kproof("net", "simulate", *TABLE, "--all").out,
        lambda: kproof("net", "simulate", *TABLE, "--all", *PART).out,
    ),
    nobody_is_disclosed=either(disclosures, ({},), (SURE,)),
    random_runs=(
        lambda: kproof("net", "simulate", *TABLE, "--runs", "5").out.replace("\n", ";"),
        lambda: of_file("simulate", "--runs", "5", "--steps", "9").replace("\n", ";"),
    ),
    proved=(
        lambda: lemma("swap preserves records").outcome,
        lambda: lemma("a donor stays at theta").outcome,
    ),
    every_publication_passes=(lambda: _induction(stale=False), lambda: _induction(stale=True)),
    records_are_kept=either(_kept, (PAIR,), ([["HIV", "HIV"], ["Flu", "Flu", "Cancer"]],)),
    explored_certain=either(_beliefs, ((),), (("Cancer", "Flu"),)),
    most_certain_bet=either(_facts, (None,), (3,)),
    attacks_succeed=either(_simulated, ("table-1a, nobody known",), ("categorical similarity",)),
    victims_disclosed=either(_disclosed, ((),), (("Cancer", "Flu"),)),
    not_refuted=(
        lambda: unreachable_within(hourglass(), 1).outcome,
        lambda: unreachable_within(hourglass(), 2).outcome,
    ),
    expected_unsat=(
        lambda: deadlock_queries(hourglass(), steps=1),
        lambda: deadlock_queries(hourglass(), steps=2),
    ),
    yes=either(_cell, ("corrected",), ("printed",)),
    written=either(_exported, ("net.svg",), ("none/net.svg",)),
)
