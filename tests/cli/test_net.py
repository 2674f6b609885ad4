"""``kproof net``: the forms that scripts rely on, statuses, files, and bad input in one line."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from cases import cases
from shell import kproof, printed, refused, same_as_snapshot
from small_nets import philosophers

from kproof.petri.net.colours import Dot
from kproof.petri.net.net import NetBuilder
from kproof.petri.net.terms import everything
from kproof.petri.pnml.read import read_pnml
from kproof.petri.pnml.write import write_pnml

TABLE = ("theta-sensitive", "--data", "table-1a", "--k", "4")
SMALL = ("theta-sensitive", "--data", "small.csv", "--k", "2", "--sensitive", "disease")


@pytest.fixture(autouse=True)
def files(here: Path) -> Path:
    """A folder with the paper's table as a file, a small one, and a net of one's own."""
    _, *lines = kproof("datasets", "table-1a").out.splitlines()
    diseases = [line.split(",")[-1] for line in lines]
    rows = [f"{1 + row // 4},{disease}" for row, disease in enumerate(diseases)]
    Path("table.csv").write_text("class,disease\n" + "\n".join(rows) + "\n")
    Path("small.csv").write_text("Class,Disease\n1,a\n2,b\n1,a\n2,c\n")
    Path("long.csv").write_text(f"row,age\n0,{'x' * 131073}\n")
    Path("cover.json").write_text('{"matching": "cover"}')
    Path("noise.json").write_text('{"noise_recognised": true}')
    Path("gaps.csv").write_text("class,disease\n1,HIV\n1,\n2,HIV\n2,Flu\n")
    Path("na.csv").write_text("class,disease\n1,HIV\n1,NA\n2,HIV\n2,Flu\n")
    write_pnml(philosophers(), "dining.pnml")
    return here


@pytest.mark.parametrize("command", ["", "explore", "publications", "rules", "simulate", "export"])
def test_help(command):
    words = ("net", command) if command else ("net",)
    name = "-".join(("help", *words))
    same_as_snapshot(f"{name}.txt", kproof(*words, "--help").out, layout=False)


def explored(*words: str) -> Any:
    return kproof("net", "explore", *words, "--json").document


def test_the_form_that_scripts_rely_on():
    document = explored(
        *("theta-sensitive", "--data", "table.csv", "--class", "class"),
        *("--sensitive", "disease", "--k", "4", "--mu", "3/5"),
    )
    statistics = document["statistics"]
    assert (statistics["states"], statistics["arcs"]) == ({"final": 291}, {"final": 308})
    assert statistics["status"] == "full"
    assert document["publications"] == {"final": 120}
    assert {one["outcome"] for one in document["properties"]} == {"true"}
    assert document["noise"] == {"final": [1]}


@cases(
    (("--data", "table-1a"), 120, 291),
    (("--data", "table-4b"), 16, 45),
    (("--data", "table-4a"), 4, 11),
    (("--data", "table-1a", "--sensitive", "disease"), 120, 291),
    (("--data", "table.csv", "--sensitive", "disease"), 120, 291),
    (("--data", "table-1a", "--detail", "values"), 120, 291),
    (("--data", "table-1a", "--detail", "rules"), 120, 773),
    (("--data", "table-4b", "--detail", "records"), 16, 153),
    (("--data", "table-4b", "--mu", "0.6"), 16, 45),
)
def test_tables_and_levels(words, publications, states):
    document = explored("theta-sensitive", *words, "--k", "4")
    assert document["publications"] == {"final": publications}
    assert document["statistics"]["states"] == {"final": states}


def test_a_domain_is_what_noise_may_carry():
    table = ("theta-sensitive", "--data", "noisy.csv", "--sensitive", "s", "--k", "3")
    Path("noisy.csv").write_text("s\na\na\nb\n")
    assert "2 distinct values cannot reach theta" in refused("net", "explore", *table)
    assert explored(*table, "--domain", "a,b,c,d")["publications"] == {"final": 2}
    # Numbers in a column of numbers, however they are typed.
    Path("noisy.csv").write_text("s\n1\n1\n2\n")
    assert explored(*table, "--domain", "1,2,3,4")["publications"] == {"final": 2}
    assert "need every value" in refused("net", "explore", *table, "--domain", "1,3,4,5")


def test_without_a_class_column_rows_are_cut_in_their_order():
    Path("rows.csv").write_text("s\na\na\nb\nc\nd\n")
    table = ("theta-sensitive", "--data", "rows.csv", "--sensitive", "s", "--k", "2")
    assert [len(one) for one in explored(*table)["published"]["final"][0]] == [2, 3]
    left_out = explored(*table, "--remainder", "suppress")["published"]["final"]
    assert [len(one) for one in left_out[0]] == [2, 2]
    padded = explored(*table, "--padding", "noise")
    assert [len(one) for one in padded["published"]["final"][0]] == [2, 2, 2]
    assert padded["noise"] == {"final": [1]}


def test_the_printed_reading_is_refuted():
    out = printed("net", "explore", *TABLE, "--reading", "printed", "--json", status=1)
    failing = [one for one in json.loads(out)["properties"] if one["outcome"] == "false"]
    assert [one["name"] for one in failing] == ["V >= theta in every class"]
    assert len(failing[0]["trace"]["steps"]) == 14
    same = kproof("net", "explore", *TABLE, "--reading", "printed", "--detail", "values", "--json")
    assert json.loads(same.out)["statistics"]["states"] == {"final": 71}


def test_the_paper_s_publication_is_reached():
    document = explored(*TABLE, "--reaches", "table-8a")
    assert document["properties"][-1]["name"] == "table-8a can be published"
    ran = kproof("net", "explore", *TABLE, "--reaches", "table-8b")
    assert ran.status == 1
    assert "table-8b can be published: false" in ran.out


def test_attacks():
    Path("pair.csv").write_text("disease\nHIV\nCancer\n")
    Path("kinds.csv").write_text("disease,kind\nHIV,1\nCancer,1\n")
    pair = ("theta-sensitive", "--data", "pair.csv", "--sensitive", "disease", "--k", "2")
    kinds = ("--attack", "categorical-similarity", "--categories", "kinds.csv")
    ran = kproof("net", "explore", *pair, *kinds)
    assert ran.status == 1
    assert "Against the adversary gains nothing" in ran.out
    assert "need one for each value" in refused("net", "explore", *pair, *kinds[:2])
    for attack in ("homogeneity", "linkage"):
        assert kproof("net", "explore", *pair, "--attack", attack).status == 0


def test_what_an_adversary_knows():
    knows = {"victims": [{"row": 0, "excluded": ["HIV", "Cancer", "Obesity"]}]}
    Path("knows.json").write_text(json.dumps(knows))
    words = ("net", "explore", *TABLE, "--attack", "linkage", "--background", "knows.json")
    document = json.loads(printed(*words, "--json", status=1))
    assert document["disclosing"]["final"] > 0
    assert document["gain"]["worst"]["final"]["certainty"] == "1"
    # Half a certainty is enough for tau = 1/2, with fewer values ruled out.
    knows["victims"][0]["excluded"] = ["HIV", "Cancer"]
    Path("knows.json").write_text(json.dumps(knows))
    assert kproof(*words).status == 0
    assert kproof(*words, "--tau", "1/2").status == 1


def test_quasi_identifiers_on_the_level_of_records():
    table = ("theta-sensitive", "--data", "table-4b", "--k", "4", "--detail", "records")
    Path("knows.json").write_text(json.dumps({"victims": [{"row": 0}]}))
    words = (*table, "--qi", "Age, zip code", "--attack", "linkage")
    document = explored(*words, "--background", "knows.json")
    # One victim, after each of the 64 ends.
    assert document["gain"]["beliefs"] == {"final": 64}


def test_the_base_model():
    words = ("p-plus-sensitive", "--data", "table-4a", "--k", "4", "--p", "2")
    assert explored(*words)["publications"] == {"final": 1}
    assert kproof("net", "explore", *words, "--attack", "sensitive-variance").status == 1


def test_a_net_from_a_file():
    document = explored("dining.pnml")
    # One of three eats, or nobody.
    assert document["statistics"]["states"] == {"final": 4}
    assert document["statistics"]["arcs"] == {"final": 6}
    assert document["publications"] is None
    assert document["properties"] == []


def test_questions_of_ones_own():
    words = ["--ctl", "AG EF marked(Eat) >= 1", "--property", "bound=Eat:1"]
    for name in ("deadlock-free", "reversible", "live=take", "possible=leave", "fair=take"):
        words += ["--property", name]
    document = explored("dining.pnml", *words)
    assert [one["outcome"] for one in document["properties"]] == ["true"] * 7
    for words in (
        ["--ctl", "AG marked(Eat) >= 1"],
        ["--property", "terminating"],
        ["--property", "bound=Eat:0"],
        ["--ctl", "AG not dead", "--ctl", "EF dead"],
    ):
        assert ": false (" in printed("net", "explore", "dining.pnml", *words, status=1)


def test_a_budget_is_told_and_keeps_verdicts_open():
    ran = kproof("net", "explore", *TABLE, "--budget", "states=50,seconds=60", "--json")
    assert ran.status == 4
    document = json.loads(ran.out)
    assert document["statistics"]["status"] == "partial"
    assert document["statistics"]["stopped_by"] == "states"
    assert {one["outcome"] for one in document["properties"]} == {"unknown"}
    assert 1 < document["statistics"]["states"]["at_least"] <= 50
    assert document["publications"] == {"at_least": 0}
    assert document["noise"] == document["published"] == {"so_far": []}
    # A limit that nobody named is one all the same.
    most = {"states": 50, "seconds": 60.0, "megabytes": 1000}
    assert document["statistics"]["budget"] == most
    assert explored(*SMALL)["statistics"]["budget"] == {**most, "states": 10_000_000, "seconds": 60}


def test_the_status_says_whether_everything_is_answered():
    few = ("--budget", "states=3")
    for words, status in (
        ((), 0),
        (("--property", "bound=Eat:1"), 0),
        (("--property", "fair=take"), 0),
        # Nothing was asked, or what was asked is answered; the figures are those of a part.
        (few, 4),
        ((*few, "--property", "possible=take"), 4),
        ((*few, "--property", "bound=Eat:1"), 4),
        (("--budget", "seconds=0"), 4),
        # What is refuted in a part stays refuted.
        ((*few, "--property", "bound=Think:2"), 1),
        (("--property", "bound=Eat:0"), 1),
    ):
        assert kproof("net", "explore", "dining.pnml", *words).status == status, words
    # No run goes on for ever, so that there is nothing to be fair in.
    ran = kproof("net", "explore", *TABLE, "--property", "fair=swap")
    assert ran.status == 4
    assert "swap is fair: not applicable (no run is infinite: 291 states)" in ran.out


def test_all_runs_of_a_part_are_unknown():
    words = ("net", "simulate", *TABLE, "--all", "--budget", "states=5")
    assert printed(*words, status=4).endswith("in part, stopped by the budget of 5 states\n")
    ran = kproof(*words, "--json")
    document = json.loads(ran.out)
    assert ran.status == 4
    assert (document["runs"], document["states"]) == (None, {"at_least": 1})


def test_the_page():
    assert printed("net", "explore", *TABLE, "--html", "net.html").endswith("written: net.html\n")
    page = Path("net.html").read_text(encoding="utf-8")
    assert "What can happen in theta-sensitive, corrected, by moves?" in page


def test_all_runs():
    document = kproof("net", "simulate", *SMALL, "--all", "--json").document
    assert (document["runs"], document["exact"], document["confidence"]) == (2, True, None)
    assert document["groups"][0] == {
        "name": "swaps",
        "mean": {"final": "1"},
        "least": {"final": 1},
        "most": {"final": 1},
        "shares": {"final": {"1": "1"}},
    }
    published = document["ends"][0]
    assert (published["name"], published["lower"], published["upper"]) == ("published", "1", "1")


def test_random_runs():
    words = ("net", "simulate", *SMALL, "--attack", "homogeneity", "--seed", "3")
    document = kproof(*words, "--runs", "40", "--json").document
    assert (document["runs"], document["seed"]) == (40, 3)
    ends = {one["name"]: one for one in document["ends"]}
    assert ends["homogeneity succeeds"]["share"] == {"final": "0"}
    assert ends["homogeneity succeeds"]["lower"] == "0"
    assert ends["published"]["share"] == {"final": "1"}
    same_as_snapshot("net-simulate.txt", printed(*words, "--runs", "40"))


def test_runs_of_a_net_from_a_file():
    words = ("net", "simulate", "dining.pnml", "--runs", "3", "--steps", "10")
    ran = kproof(*words)
    assert ran.status == 4
    assert "3 broken off" in ran.out
    assert "steps  at least 10" in ran.out
    assert "goes on for ever" in refused("net", "simulate", "dining.pnml", "--all")


def test_files_of_a_net():
    words = ("--pnml", "net.pnml", "--svg", "net.svg", "--space", "space.svg", "--json")
    written = kproof("net", "export", "dining.pnml", *words).document
    assert written["written"] == ["net.pnml", "net.svg", "space.svg"]
    assert read_pnml("net.pnml").initial == read_pnml("dining.pnml").initial
    for name in ("net.svg", "space.svg"):
        assert ET.parse(name).getroot().tag.endswith("svg")


def queries(path: str) -> list[tuple[str, str]]:
    """Each query of a file, with the answer that the file expects."""
    text = Path(path).read_text(encoding="utf-8")
    found = [part.split("\n(reset)\n") for part in text.split("; query ")[1:]]
    return [(heading.rpartition(" ")[2], body) for heading, body in found]


def answer(query: str) -> str:
    """What a solver says that reads nothing but the query."""
    import z3

    solver = z3.SimpleSolver()
    solver.from_string(query.partition("(check-sat)")[0])
    return str(solver.check())


def test_queries_of_the_publisher():
    assert kproof("net", "export", *SMALL, "--smt2", "proof.smt2").out == "written: proof.smt2\n"
    found = queries("proof.smt2")
    # The proof for all tables of the size, four lemmas, and two claims that are false.
    assert [expected for expected, _ in found].count("sat") == 2
    proved = [query for expected, query in found if expected == "unsat"]
    assert len(proved) > 10
    assert {answer(query) for query in proved} == {"unsat"}


def test_queries_of_any_net():
    kproof("net", "export", "dining.pnml", "--smt2", "proof.smt2", "--steps", "2")
    ((expected, query),) = queries("proof.smt2")
    assert expected == answer(query) == "unsat"
    build = NetBuilder("once")
    build.place("P", Dot(), 2 * everything(Dot()))
    build.transition("go", takes={"P": everything(Dot())})
    write_pnml(build.net(), "once.pnml")
    for steps, stuck in (("1", "unsat"), ("2", "sat")):
        kproof("net", "export", "once.pnml", "--smt2", "proof.smt2", "--steps", steps)
        ((expected, query),) = queries("proof.smt2")
        assert expected == answer(query) == stuck


def test_queries_are_about_classes_of_k():
    Path("rows.csv").write_text("s\na\na\nb\nc\nd\n")
    table = ("theta-sensitive", "--data", "rows.csv", "--sensitive", "s", "--k", "2")
    assert "classes of k rows each" in refused("net", "export", *table, "--smt2", "proof.smt2")
    assert not Path("proof.smt2").exists()


BAD = {
    "no such net": (("explore", "nosuch"), "net = nosuch: need theta-sensitive"),
    "no such net, and a table": (
        ("explore", "nosuch", "--data", "table-1a"),
        "net = nosuch: need theta-sensitive",
    ),
    "no k": (("explore", "theta-sensitive"), "--k K"),
    "no table": (("explore", "theta-sensitive", "--k", "4"), "--data FILE"),
    "no sensitive column": (
        ("explore", "theta-sensitive", "--data", "table.csv", "--k", "4"),
        "table.csv: no sensitive column is named; say --sensitive NAME, one of class, disease",
    ),
    "unknown column": (
        ("explore", "theta-sensitive", "--data", "table.csv", "--k", "4", "--sensitive", "no"),
        "table.csv: no column no; there are class, disease",
    ),
    "unknown class": (("explore", *TABLE, "--class", "no"), "no column no"),
    "k = 1": (("explore", "theta-sensitive", "--data", "table-1a", "--k", "1"), "k = 1"),
    "mu = 0": (("explore", *TABLE, "--mu", "0"), "--mu = 0: need 0 < mu <= 1"),
    "mu > 1": (("explore", *TABLE, "--mu", "1.01"), "--mu = 1.01: need 0 < mu <= 1"),
    "mu is no number": (("explore", *TABLE, "--mu", "much"), "mu = much"),
    "an option that is missing": (
        ("explore", "p-plus-sensitive", "--data", "table-1a", "--k", "4"),
        "--p is not given: need a value, which p-plus-sensitive needs",
    ),
    "a cell of a book's length": (
        ("explore", *TABLE, "--attack", "linkage", "--background", "long.csv"),
        "long.csv, line 2: a cell of over 131072 characters; is a quotation mark left open?",
    ),
    "another net's option": (("explore", *TABLE, "--p", "2"), "option = p"),
    "unknown attack": (("explore", *TABLE, "--attack", "no"), "attack = no: need one that a net"),
    **{
        f"{attack} of {command}": (
            (command, *TABLE, "--attack", attack),
            f"--attack = {attack}: need one that a net can judge: homogeneity",
        )
        for attack in ("mle", "bas", "suppression")
        for command in ("explore", "publications", "simulate")
    },
    "noise unknown to values": (
        ("explore", *TABLE, "--background", "noise.json"),
        "noise_recognised = true: need tokens of records (--detail records)",
    ),
    "unused background": (
        ("export", *TABLE, "--background", "noise.json", "--pnml", "net.pnml"),
        "--background = noise.json: need --attack",
    ),
    "unused tau": (("explore", *TABLE, "--tau", "1/2"), "--tau = 1/2: need --attack"),
    "words that look missing": (
        ("explore", "theta-sensitive", "--data", "na.csv", "--sensitive", "disease", "--k", "2"),
        "say --missing=NA if it is one, or --missing-as value",
    ),
    "an option of nets of tables": (
        ("explore", "dining.pnml", "--mu", "1/2"),
        "--mu = 1/2: need one",
    ),
    "cover without columns": (
        ("explore", *TABLE, "--attack", "linkage", "--background", "cover.json"),
        "matching = cover: need the microdata's quasi-identifiers",
    ),
    "unknown property": (("explore", *TABLE, "--property", "no"), "--property = no: need one of"),
    "half a property": (("explore", *TABLE, "--property", "bound=P"), "property = bound=P"),
    "unknown transition": (("explore", *TABLE, "--property", "live=no"), "no transition no"),
    "no formula": (("explore", *TABLE, "--ctl", "AG ("), "need a formula at character"),
    "unknown limit": (("explore", *TABLE, "--budget", "hours=1"), "budget = hours"),
    "no states": (("explore", *TABLE, "--budget", "states=0"), "budget states = 0"),
    "no file": (("explore", "missing.pnml"), "missing.pnml: cannot be read"),
    "no net in it": (("explore", "table.csv"), "table.csv"),
    "a file with a table": (("explore", "dining.pnml", "--data", "table-1a"), "data = table-1a"),
    "a file that reaches": (("explore", "dining.pnml", "--reaches", "table-8a"), "reaches"),
    "a missing folder": (
        ("explore", *TABLE, "--html", "no/net.html"),
        "no/net.html: cannot be written",
    ),
    "no runs": (("simulate", *TABLE, "--runs", "0"), "runs = 0"),
    "both kinds of runs": (("simulate", *TABLE, "--runs", "5", "--all"), "either --runs or --all"),
    "a budget of runs": (("simulate", *TABLE, "--budget", "states=5"), "--all with it"),
    "no confidence": (("simulate", *TABLE, "--confidence", "1"), "confidence = 1"),
    "nothing to write": (("export", *TABLE), "--pnml, --svg, --space or --smt2 FILE"),
    "too many states": (
        ("export", *TABLE, "--detail", "rules", "--svg", "net.svg", "--space", "space.svg"),
        "more than 600 states",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_nothing_is_written(case, files):
    before = sorted(files.iterdir())
    words, message = BAD[case]
    assert message in refused("net", *words)
    assert sorted(files.iterdir()) == before


@cases(
    (("gaps.csv",), "false", 1),
    (("gaps.csv", "--missing-as", "value"), "true", 0),
    (("gaps.csv", "--missing-as", "exclude"), "false", 1),
    (("na.csv", "--missing", "NA"), "false", 1),
    (("na.csv", "--missing-as", "value"), "true", 0),
)
@pytest.mark.usefixtures("files")
def test_missing_values_are_taken_for_what_was_said(words, holds, certain):
    table = ("theta-sensitive", "--data", *words, "--sensitive", "disease", "--k", "2")
    document = json.loads(kproof("net", "explore", *table, "--json").out)
    outcomes = {entry["name"]: entry["outcome"] for entry in document["properties"]}
    assert outcomes["V >= theta in every class"] == holds
    assert document["gain"]["certain"] == {"final": certain}
    published = json.loads(kproof("net", "publications", *table, "--json").out)
    assert published["verdicts"]["V >= theta in every class"] is (holds == "true")
    assert published["gain"]["final"]["certain"] == certain


@pytest.mark.usefixtures("files")
def test_an_adversary_who_judges_nobody_is_an_open_question():
    Path("knows.json").write_text('{"victims": [{"row": 0, "excluded": ["HIV", "Flu"]}]}')
    table = ("theta-sensitive", "--data", "na.csv", "--sensitive", "disease", "--k", "2")
    words = (*table, "--missing-as", "value", "--background", "knows.json")
    Path("na.csv").write_text("class,disease\n1,HIV\n1,Flu\n2,HIV\n2,Flu\n")
    for command in ("explore", "publications"):
        out = printed("net", command, *words, "--attack", "homogeneity", columns=200, status=4)
        assert "not judged: no publication goes with what is known" in out
        assert "nothing: true" not in out
    run = kproof("net", "publications", *words, "--attack", "homogeneity", "--json")
    assert json.loads(run.out)["disclosing"] == {"homogeneity": None}


def test_an_earlier_page_stays_when_a_new_one_cannot_be_made():
    Path("net.html").write_text("earlier")
    refused("net", "explore", *TABLE, "--mu", "2", "--html", "net.html")
    assert Path("net.html").read_text() == "earlier"


def test_a_net_that_can_execute_nothing(files):
    Path("bomb.pnml").write_text(
        '<!DOCTYPE pnml [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><pnml>&b;</pnml>'
    )
    for command in (("explore",), ("simulate",), ("export", "--svg", "x.svg")):
        refused("net", command[0], "bomb.pnml", *command[1:])
    assert not (files / "x.svg").exists()


def published(*words: str) -> Any:
    return kproof("net", "publications", *words, "--json").document


def test_publications_without_exploring_every_table():
    document = published(*TABLE, "--attack", "homogeneity")
    whole = explored(*TABLE)
    assert document["publications"] == whole["publications"] == {"final": 120}
    assert document["states"]["final"] < whole["statistics"]["states"]["final"]
    assert document["noise"] == {"final": {"1": 120}}
    assert (document["k"], document["mu"], document["theta"]) == (4, "3/5", "3/4")
    found, beside = document["gain"]["final"], whole["gain"]
    assert found["worst"]["certainty"] == beside["worst"]["final"]["certainty"]
    assert found["beliefs"] == beside["beliefs"]["final"]
    assert document["disclosing"] == {"homogeneity": {"final": 0}}
    assert len(document["first"]) == len(document["drawn"]) == 10
    assert set(document["verdicts"].values()) == {True}


def test_a_part_with_runs_up_to_their_ends():
    few = ("net", "explore", *TABLE, "--budget", "states=50", "--json")
    counts = {}
    for order in ("breadth", "depth", "runs"):
        found = kproof(*few, "--order", order)
        assert found.status in {1, 4}
        counts[order] = json.loads(found.out)["dead_markings"]["count"]["at_least"]
    assert counts["breadth"] == 0 < min(counts["depth"], counts["runs"])
    assert kproof("net", "explore", *TABLE, "--order", "up").status == 2


def test_publications_are_judged_without_counting_them():
    few = ("--judge", "--attack", "homogeneity", "--budget", "states=2")
    words = ("net", "publications", *TABLE, *few)
    document = kproof(*words, "--json").document
    assert {claim["holds"] for claim in document["claims"] + document["attacks"]} == {True}
    assert 0 < document["publications"]["at_least"] <= 120
    assert document["knows_method"] == "not judged"
    out = printed(*words)
    assert "What an adversary learns who does not know the method" in out
    assert "the algorithm: not judged here" in out
    # Somebody is disclosed: a run shows whom it happens to.
    found = kproof("net", "publications", *TABLE, "--judge", "--attack", "linkage", "--tau", "1/4")
    assert found.status == 1
    nothing = kproof("net", "publications", *TABLE, "--judge", "--budget", "states=2,seconds=0")
    assert nothing.status == 4
    assert "V >= theta in every class: unknown" in nothing.out
    assert "--judge" in refused("net", "publications", *TABLE, "--judge", "--html", "page.html")
    assert not Path("page.html").exists()


def test_publications_of_a_part_are_open():
    out = printed("net", "publications", *TABLE, "--budget", "states=150", status=4)
    assert "  at least " in out
    assert "V >= theta in every class: unknown" in out
    text = printed("net", "publications", *TABLE, "--budget", "seconds=0", status=4)
    assert "0 publications so far" in text
    assert "noise rows: unknown so far" in text


@cases(
    (("dining.pnml",), "net = dining.pnml: need theta-sensitive"),
    (
        ("p-plus-sensitive", "--data", "table-1a", "--k", "4", "--p", "2"),
        "net = p-plus-sensitive: need theta-sensitive, which works in stages, cut by moves",
    ),
    ((*TABLE, "--detail", "rules"), "need theta-sensitive, which works in stages, cut by moves"),
    ((*TABLE, "--detail", "records", "--attack", "homogeneity"), "detail = records: need values"),
    ((*TABLE, "--attack", "guessing"), "attack = guessing"),
    ((*TABLE, "--budget", "states=0"), "budget states = 0"),
    ((*TABLE, "--html", "missing/page.html"), "missing"),
    (("theta-sensitive", "--data", "table-1a", "--k", "4", "--mu", "2"), "mu = 2"),
)
def test_publications_refuse_in_one_line(words, complaint):
    assert complaint in refused("net", "publications", *words)
