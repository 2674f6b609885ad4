"""The positive words of nets: exploring, judging, simulating, solving, exporting."""

from contextlib import chdir
from functools import cache, partial
from tempfile import TemporaryDirectory
from typing import Any

from positive import BELIEVER, METHOD_READER, NOBODY, Positive, either
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


_REPORT = (
    "kproof.petri.papers.report",
    "kproof.petri.logic.standard",
    "kproof.petri.spaces.figures",
)
_PAGE = "kproof.report.nets"
_VERDICTS = ("kproof.petri.logic.properties",)

_PUBLICATIONS = ("kproof.petri.papers.publications",)
_JUDGED = (
    "kproof.petri.papers.judged.judged_publications",
    "kproof.petri.papers.judged.sampled_publications",
    "kproof.petri.papers.judged.class_forms",
)

of_believer = partial(Positive, adversary=BELIEVER)
of_nobody = partial(Positive, adversary=NOBODY)

ROWS = (
    Positive(
        word="somebody's value is certain after 0 ",
        printed_by="kproof net explore, net publications: whoever knows the method",
        modules=("kproof.petri.papers.method_known",),
        judged="The posterior of each value was computed for all tables and all ties from which "
        "the method makes each publication that was looked at, a stated number of them.",
        mutant="four rows of one value and three of noise",
        adversary=METHOD_READER,
        holds=lambda: _method_known(PAIR, "HIV Flu Cancer", 2),
        turns=lambda: _method_known([["Flu"] * 4], "Flu HIV Cold Asthma Gout", 4),
    ),
    of_believer(
        word="V >= theta in every class: true",
        printed_by="kproof net publications",
        modules=_PUBLICATIONS,
        judged="V of each class was judged in every form in which it is published, whatever its "
        "missing values are, over all runs, and there is a publication.",
        mutant="a budget of states: unknown",
        **either(published, (), (2,)),
    ),
    of_nobody(
        word="explored all states",
        printed_by="kproof net publications",
        modules=_PUBLICATIONS,
        judged="Every state that was reached was expanded; finished classes count as one.",
        mutant="a budget of states",
        **either(published, (), (2,)),
    ),
    of_believer(
        word="certain: 0 of",
        printed_by="kproof net publications: what an adversary believes",
        modules=_PUBLICATIONS,
        judged="The adversary's posterior for each victim was computed for every form in which the "
        "victim's class is published.",
        mutant="an adversary who rules out all but one value",
        holds=published,
        turns=lambda: published(
            background={"victims": [{"row": 0, "excluded": ["Cancer", "Flu"]}]}
        ),
    ),
    of_believer(
        word="V >= theta in every class: true",
        printed_by="kproof net publications --judge",
        modules=_JUDGED,
        judged="V of every form that moves can make of a class was judged, at least those of all "
        "runs, and a publication is known; or all publications were.",
        mutant="no time to look at the forms: unknown",
        holds=judged,
        turns=lambda: judged(seconds=0),
    ),
    of_believer(
        word="nobody's value is certain, the method unknown: true",
        printed_by="kproof net publications --judge",
        modules=_JUDGED,
        judged="The posterior of somebody in a class was computed for every form of a class that "
        "can be published, for every class of it where something is known of its people. Whoever "
        "knows the method is not judged, and the text says so.",
        mutant="no time to look at the forms: unknown",
        holds=judged,
        turns=lambda: judged(seconds=0),
    ),
    of_believer(
        word="homogeneity discloses nobody, the method unknown: true",
        printed_by="kproof net publications --judge --attack homogeneity",
        modules=_JUDGED,
        judged="The attack was made on every form of a class that can be published, with values of "
        "one category as far as there are any. Whoever knows the method is not judged, and the "
        "text says so.",
        mutant="no time to look at the forms: unknown",
        holds=lambda: judged("--attack", "homogeneity"),
        turns=lambda: judged("--attack", "homogeneity", seconds=0),
    ),
    of_nobody(
        word="every run publishes: true",
        printed_by="kproof net publications --judge",
        modules=_JUDGED,
        judged="No form that moves can make of a class is without a move.",
        mutant="no time to look at the forms: unknown",
        holds=judged,
        turns=lambda: judged(seconds=0),
    ),
    of_believer(
        word="holds",
        printed_by="kproof net publications --html: the mark of a verdict",
        modules=(_PAGE,),
        judged="The verdict beside the mark is true.",
        mutant="a budget of states: the verdicts are unknown",
        **either(published_page, (), (2,)),
        absent='class="standing holds"',
    ),
    of_believer(
        word="true",
        printed_by="kproof net explore, a property of a net",
        modules=_VERDICTS,
        judged="The formula was evaluated in every state of a full space; the number of states is "
        "beside it.",
        mutant="a property that fails in one state",
        holds=lambda: asked(temporal("one eats", "AG marked(Eat) <= 1")),
        turns=lambda: asked(temporal("one eats", "AG marked(Eat) <= 0")),
    ),
    of_believer(
        word="true",
        printed_by="kproof net explore, a property of a net that was explored in part",
        modules=_VERDICTS,
        judged="A run leads to a state that shows it; states that were not explored cannot change "
        "that.",
        mutant="a part of the space, and a question about all of it",
        holds=lambda: asked(temporal("some think", "EF marked(Think) >= 3"), part=1),
        turns=lambda: asked(temporal("one eats", "AG marked(Eat) <= 1"), part=1),
    ),
    of_nobody(
        word="is fair: true",
        printed_by="kproof net explore --property fair=T, just=T, impartial=T",
        modules=_VERDICTS,
        judged="Every cycle of the full space was judged, and there is at least one.",
        mutant="a net without an infinite run: not applicable",
        holds=lambda: asked(fair("take")),
        turns=lambda: asked(fair("fall"), made=hourglass()),
    ),
    of_believer(
        word="k rows in every class: true",
        printed_by="kproof net explore, the properties of the publishers",
        modules=(*_VERDICTS, "kproof.petri.papers.theta_properties"),
        judged="Every class of every publication was judged, over all runs, and there is a "
        "publication.",
        mutant="a table from which nothing can be published: not applicable",
        **either(attacked, ("table-4b by moves",), ("exhausted",)),
    ),
    of_believer(
        word="V >= theta in every class: true",
        printed_by="kproof net explore, the properties of the publishers",
        modules=(*_VERDICTS, "kproof.petri.papers.theta_properties"),
        judged="V of every class of every publication was judged, whatever its missing values "
        "are, over all runs, and there is a publication.",
        mutant="the rules as printed, which publish a class below theta",
        **either(attacked, ("stale donor",), ("stale donor as printed",)),
    ),
    of_believer(
        word="the adversary gains nothing: true",
        printed_by="kproof net explore --attack",
        modules=(*_VERDICTS, "kproof.petri.papers.theta_properties"),
        judged="Each named attack was made with the adversary's knowledge after every publication, "
        "and after one of them each has a belief about somebody.",
        mutant="an adversary who knows categories",
        **either(attacked, ("table-1a, nobody known",), ("categorical similarity",)),
    ),
    of_believer(
        word="true",
        printed_by="kproof.petri.logic.properties.leads_to",
        modules=_VERDICTS,
        judged="Every run from a state with the cause was judged, and there is such a state.",
        mutant="a cause that never holds: not applicable",
        holds=lambda: asked(leads_to("eats", "marked(Eat) >= 1", "marked(Eat) >= 1")),
        turns=lambda: asked(leads_to("eats", "marked(Eat) >= 2", "marked(Eat) >= 1")),
    ),
    of_believer(
        word="true",
        printed_by="kproof.petri.logic.properties.invariant, with a budget of seconds",
        modules=(*_VERDICTS, "kproof.petri.spaces.limits"),
        judged="The predicate was evaluated in every state, within the time that exploring left.",
        mutant="a budget that is used up: unknown",
        holds=lambda: asked(invariant("any", lambda _: True)),
        turns=lambda: str(
            check(
                explore(philosophers(), budget=Budget(seconds=0)),
                [invariant("any", lambda _: True)],
            )[0]
        ),
    ),
    of_nobody(
        word="full",
        printed_by="kproof net explore, statistics",
        modules=("kproof.petri.spaces.space", *_REPORT),
        judged="Every state that was reached was expanded.",
        mutant="a budget of states",
        holds=lambda: line(explored(*TABLE), "state space"),
        turns=lambda: line(explored(*TABLE, *PART), "state space"),
    ),
    of_nobody(
        word="all states",
        printed_by="kproof net explore --html, kproof report (nets)",
        modules=(_PAGE,),
        judged="Every state that was reached was expanded.",
        mutant="a budget of states",
        **either(page, ("corrected",), ("corrected", 3)),
    ),
    of_believer(
        word="holds",
        printed_by="kproof net explore --html, kproof report (nets): the mark of a verdict",
        modules=(_PAGE,),
        judged="The verdict beside the mark is true.",
        mutant="a budget of states: the verdicts are unknown",
        **either(page, ("corrected",), ("corrected", 3)),
        absent='class="standing holds"',
    ),
    of_nobody(
        word="home markings: all",
        printed_by="kproof net explore",
        modules=_REPORT,
        judged="Every state of a full space can be reached from every other.",
        mutant="a budget of states: unknown",
        **either(of_file, ("explore",), ("explore", "--budget", "states=3")),
    ),
    of_nobody(
        word="none",
        printed_by="kproof net explore: dead markings",
        modules=_REPORT,
        judged="Some transition can fire in every state of a full space.",
        mutant="a budget of states: none so far",
        holds=lambda: line(of_file("explore"), "dead markings") + "\n",
        turns=lambda: line(of_file("explore", "--budget", "states=3"), "dead markings") + "\n",
        absent="none\n",
    ),
    of_nobody(
        word="none",
        printed_by="kproof net explore: dead transitions",
        modules=_REPORT,
        judged="Each transition occurs in the full space.",
        mutant="a budget of states: none so far, or unknown",
        holds=lambda: line(of_file("explore"), "dead transitions") + "\n",
        turns=lambda: line(of_file("explore", "--budget", "states=3"), "dead transitions") + "\n",
        absent="none\n",
    ),
    of_nobody(
        word="No infinite occurrence sequences",
        printed_by="kproof net explore, the standard report: fairness",
        modules=("kproof.petri.logic.standard",),
        judged="The full space has no cycle.",
        mutant="a budget of states: unknown for each transition",
        **either(standard, (), (1,)),
    ),
    of_nobody(
        word="0 infeasible, 0 stuck",
        printed_by="kproof net explore: ends without a publication",
        modules=("kproof.petri.papers.outcome", *_REPORT),
        judged="Every end of a full space was looked at.",
        mutant="a budget of states: 0 so far",
        holds=lambda: line(explored(*TABLE), "ends without"),
        turns=lambda: line(explored(*TABLE, *PART), "ends without"),
    ),
    of_believer(
        word="worst:",
        printed_by="kproof net explore: what an adversary believes",
        modules=("kproof.petri.papers.gain", "kproof.petri.papers.report"),
        judged="The adversary's posterior was computed after every publication of a full space.",
        mutant="a budget of states: unknown, or so far",
        holds=lambda: line(explored(*TABLE), "worst"),
        turns=lambda: line(explored(*TABLE, *PART), "worst"),
        absent="with probability",
    ),
    of_nobody(
        word="all",
        printed_by="kproof net simulate --all",
        modules=("kproof.petri.spaces.simulate", "kproof.cli.nets.net"),
        judged="Every run of a full space without cycles was counted with its probability.",
        mutant="a budget of states: unknown",
        holds=lambda: kproof("net", "simulate", *TABLE, "--all").out,
        turns=lambda: kproof("net", "simulate", *TABLE, "--all", *PART).out,
        absent="each choice uniform",
    ),
    of_believer(
        word="Nobody is disclosed",
        printed_by="kproof net simulate --html",
        modules=("kproof.report.templates.simulation",),
        judged="Each publication of the runs was attacked, and the attack's rule holds for nobody; "
        "it says to whom: an adversary who does not know the method.",
        mutant="an attack that knows what her victim does not have",
        **either(disclosures, ({},), (SURE,)),
        absent="<p>nobody is disclosed",
    ),
    of_nobody(
        word="random runs",
        printed_by="kproof net simulate",
        modules=("kproof.petri.spaces.simulate",),
        judged="The stated number of runs went to their ends; the interval contains the "
        "probability with the stated confidence.",
        mutant="runs that are broken off: at least",
        holds=lambda: kproof("net", "simulate", *TABLE, "--runs", "5").out.replace("\n", ";"),
        turns=lambda: of_file("simulate", "--runs", "5", "--steps", "9").replace("\n", ";"),
        absent="random runs, seed 0;;",
    ),
    of_believer(
        word="proved",
        printed_by="the lemmas in kproof report, kproof net export --smt2",
        modules=("kproof.petri.logic.smt", "kproof.petri.papers.theta_smt"),
        judged="z3 finds no counterexample to any step, for classes of any size.",
        mutant="a lemma that is false",
        holds=lambda: lemma("swap preserves records").outcome,
        turns=lambda: lemma("a donor stays at theta").outcome,
    ),
    of_believer(
        word="every publication passes: proved",
        printed_by="kproof net export --smt2",
        modules=("kproof.petri.logic.smt", "kproof.petri.papers.theta_smt"),
        judged="Every step of every run on every table of this size was judged by induction.",
        mutant="variances that are not computed again: unknown, because a counterexample to a step "
        "need not occur in a run",
        holds=lambda: _induction(stale=False),
        turns=lambda: _induction(stale=True),
    ),
    of_nobody(
        word="records are kept, noise apart: true",
        printed_by="kproof net explore, the properties of the publishers",
        modules=("kproof.petri.papers.theta_properties", "kproof.petri.papers.outcome"),
        judged="Every whole table in every marking was compared with the table at the beginning.",
        mutant="another table at the beginning",
        holds=lambda: _kept(PAIR),
        turns=lambda: _kept([["HIV", "HIV"], ["Flu", "Flu", "Cancer"]]),
    ),
    of_believer(
        word="certain: 0 of",
        printed_by="kproof net explore: what an adversary believes",
        modules=("kproof.petri.papers.gain", "kproof.petri.papers.report"),
        judged="The adversary's posterior for each victim was computed after every publication of "
        "a full space.",
        mutant="an adversary who rules out all but one value",
        holds=lambda: _beliefs(()),
        turns=lambda: _beliefs(("Cancer", "Flu")),
    ),
    of_believer(
        word="most certain bet on a value",
        printed_by="kproof report (nets): what can be published",
        modules=(_PAGE,),
        judged="The adversary's posterior for each victim was computed after every publication of "
        "a full space.",
        mutant="a budget of states: unknown",
        holds=lambda: _facts(None),
        turns=lambda: _facts(3),
        absent="most certain bet on a value: 1/2",
    ),
    of_believer(
        word="some attack succeeds 0 ",
        printed_by="kproof net simulate --attack",
        modules=("kproof.petri.papers.publisher", "kproof.petri.papers.runs.publisher_runs"),
        judged="The end of each run was judged; the interval beside it says how much this shows.",
        mutant="an adversary who knows categories",
        holds=lambda: _simulated("table-1a, nobody known"),
        turns=lambda: _simulated("categorical similarity"),
    ),
    of_believer(
        word="victims disclosed 0",
        printed_by="kproof net simulate --html, --json: attackers",
        modules=("kproof.petri.papers.runs.simulation", "kproof.report.simulation"),
        judged="Each publication of the stated number of runs was attacked; the intervals beside "
        "it say how much this shows.",
        mutant="an adversary who rules out all but one value",
        holds=lambda: _disclosed(()),
        turns=lambda: _disclosed(("Cancer", "Flu")),
    ),
    of_nobody(
        word="not refuted within the bound",
        printed_by="kproof net export --smt2 --steps N, bounded searches",
        modules=("kproof.petri.logic.smt", "kproof.petri.logic.smt"),
        judged="Every run of up to the stated number of firings was judged; longer runs are left "
        "open.",
        mutant="a bound at which a run refutes it",
        holds=lambda: unreachable_within(hourglass(), 1).outcome,
        turns=lambda: unreachable_within(hourglass(), 2).outcome,
    ),
    of_nobody(
        word="expected: unsat",
        printed_by="kproof net export --smt2: each query",
        modules=("kproof.petri.logic.smt",),
        judged="z3 answered the query that follows.",
        mutant="a bound at which a run refutes it: sat",
        holds=lambda: deadlock_queries(hourglass(), steps=1),
        turns=lambda: deadlock_queries(hourglass(), steps=2),
    ),
    of_believer(
        word="yes",
        printed_by="kproof report (nets): properties of a net",
        modules=(_PAGE,),
        judged="The verdict of kproof net explore is true.",
        mutant="the rules as printed",
        holds=lambda: _cell("corrected"),
        turns=lambda: _cell("printed"),
    ),
    of_nobody(
        word="written:",
        printed_by="kproof net export, kproof net explore --html",
        modules=("kproof.cli.nets.net",),
        judged="The file is there.",
        mutant="a folder that is missing",
        holds=lambda: _exported("net.svg"),
        turns=lambda: _exported("none/net.svg"),
    ),
)


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
