"""``kproof attack mle`` and ``bas``: social graphs and traces on disk."""

import json
from fractions import Fraction
from pathlib import Path

import networkx as nx
import pytest
from cases import cases
from shell import kproof, printed, refused


@pytest.fixture
def friends(tmp_path: Path) -> Path:
    """A list of friendships among forty users."""
    path = tmp_path / "friends.tsv"
    edges = nx.barabasi_albert_graph(40, 2, seed=1).edges()
    path.write_text("".join(f"{one}\t{other}\n" for one, other in edges))
    return path


@pytest.fixture
def cabs(tmp_path: Path) -> Path:
    """Four cabs, each in a quarter of its own."""
    path = tmp_path / "cabs.csv"
    rows = [f"{37 + cab / 10},-122,{60 * turn},{cab}" for cab in range(4) for turn in range(3)]
    path.write_text("\n".join(["lat,lon,timestamp,user_id", *rows]) + "\n")
    return path


def test_without_knowledge_nobody_finds_more_than_one_in_k(friends):
    for method in ("sangreea", "k-degree", "baseline"):
        ran = kproof("attack", "bas", method, str(friends), "--k", "4", "--level", "I", "--json")
        document = ran.document
        assert Fraction(document["fu"]) <= Fraction(1, 4)
        assert document["sanity"] == "1/4"
        assert document["parameters"] == {"level": "I", "prior": "class"}
        assert document["bound"]["telling"] == 0


def test_with_knowledge_they_do(friends):
    words = ("attack", "mle", "k-degree", str(friends), "--k", "4", "--level", "IV")
    words += ("--lambda1", "0.5", "--lambda2", "1/2", "--seed", "3")
    document = json.loads(printed(*words, "--json", status=1))
    assert (document["victims"], document["known"]) == (20, 20)
    assert document["fu_decimal"] > 0.25
    assert document["bound"]["theorem"] == 5
    plain = kproof(*words)
    assert plain.out.splitlines()[0] == "mle(level=IV, lambda1=0.5, lambda2=0.5, prior=class)"
    assert "says nothing" in plain.out
    assert kproof(*words).out == plain.out
    by_name = kproof("attack", "mle", "k-degree", str(friends), "--k", "4", "--known", "0,1,2")
    assert "known beforehand: 3" in by_name.out


def test_traces(cabs):
    words = ("attack", "bas", "traces", str(cabs), "--cell", "100")
    seen = kproof(*words, "--observations", "1", "--sigma", "10")
    assert seen.status == 1
    assert "FU: 100.0000% of 4 victims, 4 for sure" in seen.out


def test_who_was_never_seen_is_not_judged(cabs):
    ran = kproof("attack", "bas", "traces", str(cabs), "--cell", "100", "--json")
    document = json.loads(ran.out)
    assert (ran.status, document["fu"], document["judged"], document["bound"]) == (
        4,
        "1/4",
        0,
        None,
    )
    plain = kproof("attack", "mle", "traces", str(cabs))
    assert plain.status == 4
    assert "judged: nothing, as nobody was seen; say --observations N" in plain.out
    alone = cabs.with_name("alone.csv")
    alone.write_text("lat,lon,timestamp,user_id\n37,-122,0,a\n")
    one = kproof("attack", "mle", "traces", str(alone), "--observations", "1")
    assert one.status == 4
    assert "judged: nothing, as there is one trace to choose from" in one.out


def test_the_column_of_users_is_named_and_not_guessed(cabs, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(cabs.read_text().replace("user_id", "trajectory_id"))
    said = refused("attack", "mle", "traces", str(other))
    assert said.endswith("or taxi_id, or its name as user: trajectory_id")
    words = ("--observations", "1", "--cell", "100", "--json")
    named = kproof("attack", "mle", "traces", str(other), "--user", "trajectory_id", *words)
    known = kproof("attack", "mle", "traces", str(cabs), *words)
    assert named.status == 1
    assert named.out.replace("trajectory_id", "user_id") == known.out
    other.write_text("lat,lon,time,user\n1,2,0,a\n1,2,0,\n")
    ran = kproof("attack", "bas", "traces", str(other))
    assert "set apart: 1 without a user (line 3)" in ran.out.splitlines()


@cases(
    (("mondrian", "f"), "method = mondrian: need baseline, k-degree, sangreea or traces"),
    (("density", "f"), "method = density: need baseline, k-degree, sangreea or traces"),
    (("odd", "f"), "method = odd: need baseline, k-degree, sangreea or traces"),
    (("k-degree", "f"), "--k is not given: need --k, which k-degree needs"),
    (("k-degree", "f", "--k", "4", "--lambda1", "2"), "--lambda1 = 2: need 0 <= lambda1 <= 1"),
    (
        ("k-degree", "f", "--k", "4", "--level", "II"),
        "--lambda1 is not given: need a share at level II",
    ),
    (("k-degree", "f", "--k", "4", "--sigma", "3"), "--sigma = 3: need no such option with a"),
    (("traces", "f", "--k", "4"), "--k = 4: need no such option with traces"),
    (("k-degree", "f", "--k", "4", "--user", "u"), "--user = u: need no such option with a"),
    (("k-degree", "{friends}", "--k", "41"), "--k = 41: need 2 <= k <= 40"),
    (("k-degree", "{friends}", "--k", "4", "--known", "77"), "--user = 77: need one of the 40"),
    (("traces", "{cabs}", "--observations", "4"), "--observations = 4: need 0 <= observations"),
    (("traces", "{friends}"), "no column for lat"),
    (("traces", "missing.csv"), "missing.csv"),
)
def test_bad_input(words, message, friends, cabs):
    named = [word.format(friends=friends, cabs=cabs) for word in words]
    assert message in refused("attack", "mle", *named)
