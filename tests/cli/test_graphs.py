"""``kproof anonymize sangreea``, ``k-degree`` and ``baseline``: social graphs on disk."""

import json
from collections import Counter
from itertools import chain
from pathlib import Path

import networkx as nx
import pytest
from cases import cases
from shell import kproof, printed, refused, typed
from tables import rows_of

USERS = "id,age,town\n" + "".join(f"{i},{20 + 3 * i},{'UB'[i % 2]}\n" for i in range(12))


@pytest.fixture
def friends(tmp_path: Path) -> Path:
    """A list of friendships among twelve users, with one there and back."""
    path = tmp_path / "friends.tsv"
    edges = [*nx.barabasi_albert_graph(12, 2, seed=1).edges(), (3, 0), (0, 3)]
    path.write_text("".join(f"{one}\t{other}\n" for one, other in edges))
    return path


def test_k_degree(friends, tmp_path):
    out, key = tmp_path / "out.tsv", tmp_path / "key.csv"
    text = printed(
        *("anonymize", "k-degree", "--audience", "study", str(friends), "--k", "3", "-o", str(out)),
        *("--key", str(key), "--seed", "4"),
    )
    assert text.splitlines()[0] == "method: k-degree(k=3)"
    assert text.splitlines()[-1] == f"written: {out}"
    lines = out.read_text().splitlines()
    edges = [tuple(map(int, line.split("\t"))) for line in lines[1:]]
    degrees = Counter(chain.from_iterable(edges))
    assert min(Counter(degrees.values()).values()) >= 3
    vertex = {int(row["user"]): int(row["vertex"]) for row in rows_of(key)}
    for line in friends.read_text().splitlines():
        ends = sorted(vertex[int(cell)] for cell in line.split())
        assert tuple(ends) in edges


def test_sangreea_with_attributes(friends, tmp_path):
    users, tree, out = tmp_path / "users.csv", tmp_path / "town.csv", tmp_path / "out.json"
    users.write_text(USERS)
    tree.write_text("U;*\nB;*\n")
    words = (
        *typed(
            "anonymize sangreea --audience study {friends} --k 4 -o {out} --user-list {users}",
            friends=friends,
            out=out,
            users=users,
        ),
        *(
            *typed("--attributes age,town --taxonomy"),
            f"town={tree}",
            *typed("--attribute-weight 1 --structure-weight 0"),
        ),
    )
    assert printed(*words).splitlines()[-2].startswith("lost: ")
    document = json.loads(out.read_text())
    assert sum(one["size"] for one in document["clusters"]) == 12
    assert all(one["size"] >= 4 for one in document["clusters"])
    assert {one["labels"]["town"] for one in document["clusters"]} <= {"U", "B", "*"}
    account = kproof(*words, "--json").document
    assert account["parameters"]["alpha"] == "1"
    assert set(account["loss"]) == {"schema", "attributes", "structure"}
    assert account["output"] == str(out)
    assert kproof(*words, "--code", "age").status == 0
    ages = [one["labels"]["age"] for one in json.loads(out.read_text())["clusters"]]
    assert all("[" not in age for age in ages)


def test_baseline(friends, tmp_path):
    out = tmp_path / "out.graphml"
    words = typed(
        "anonymize baseline --audience study {friends} --k 3 -o {out}", friends=friends, out=out
    )
    account = kproof(*words, "--known", "0,1", "--lambda1", "0.2", "--json").document
    assert account["parameters"] == {"k": 3, "epsilon": "1", "s": 1, "lambda1": "1/5", "known": 2}
    back = nx.read_graphml(out)
    assert sum(size for _, size in back.nodes(data="size")) == 12
    assert all(size >= 3 for _, size in back.nodes(data="size"))
    assert kproof(*words).out.startswith("method: baseline(k=3, epsilon=1, s=1)\n")


def test_a_seed_gives_the_same_bytes(friends, tmp_path):
    texts = []
    for name in ("a.tsv", "b.tsv", "c.tsv"):
        out = tmp_path / name
        seed = () if name == "c.tsv" else ("--seed", "9")
        kproof(
            *typed(
                "anonymize k-degree --audience study {friends} --k 2 -o {out}",
                friends=friends,
                out=out,
            ),
            *seed,
        )
        texts.append(out.read_text())
    assert texts[0] == texts[1]
    assert texts[2].count("\n") == texts[0].count("\n")


@cases(
    (("k-degree", "none.tsv", "--k", "2", "-o", "out.tsv"), "none.tsv: cannot be read: No"),
    (("k-degree", "friends.tsv", "--k", "1", "-o", "out.tsv"), "--k = 1: need a whole number"),
    (("k-degree", "friends.tsv", "--k", "13", "-o", "out.tsv"), "--k = 13: need 2 <= k <= 12"),
    (("k-degree", "friends.tsv", "--k", "2", "-o", "out.json"), "--output = out.json: need a"),
    (("sangreea", "friends.tsv", "--k", "2", "-o", "out.tsv"), "--output = out.tsv: need a"),
    (("k-degree", "friends.tsv", "--k", "2", "-o", "friends.tsv"), "--output = friends.tsv: ne"),
    (
        ("k-degree", "friends.tsv", "--k", "2", "-o", "out.tsv", "--key", "friends.tsv"),
        "--key = friends.tsv: need another file than those that are read",
    ),
    (
        ("k-degree", "friends.tsv", "--k", "2", "-o", "out.tsv", "--key", "./out.tsv"),
        "--key = ./out.tsv: need another file than the output",
    ),
    (
        ("k-degree", "friends.tsv", "--k", "2", "-o", "out.tsv", "--seed", "x"),
        "--seed = x: need a whole number",
    ),
    (
        ("sangreea", "friends.tsv", "--k", "2", "-o", "out.json", "--attributes", "age"),
        "--user-list is not given: need the file with age",
    ),
    (
        typed("sangreea friends.tsv --k 2 -o o.json --attribute-weight 0 --structure-weight 0"),
        "alpha, beta = '0, 0': need at least one of them above 0",
    ),
    (
        ("baseline", "friends.tsv", "--k", "2", "-o", "o.json", "--lambda1", "1.5"),
        "--lambda1 = 1.5: need 0 <= lambda1 <= 1",
    ),
    (
        ("baseline", "friends.tsv", "--k", "2", "-o", "o.json", "--known", "99"),
        "user = 99: need one of the 12 users",
    ),
    (
        ("baseline", "friends.tsv", "--k", "2", "-o", "o.json", "--known", "ann"),
        "user = ann: need one of the 12 users",
    ),
    (("k-degree", "cut.graphml", "--k", "2", "-o", "out.tsv"), "cut.graphml, line 1: not we"),
)
def test_bad_input_is_one_line_and_writes_nothing(words, says, friends, here):
    Path("cut.graphml").write_text("<graphml><graph>")
    before = {path: path.read_text() for path in here.iterdir()}
    assert refused("anonymize", *words).startswith(says)
    assert {path: path.read_text() for path in here.iterdir()} == before
    assert friends in before
