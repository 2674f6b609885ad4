"""``kproof bound blocks`` and ``kproof exact several`` as they are typed."""

import json
from collections import defaultdict
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from cases import cases
from shell import kproof, typed

from kproof.cli.base.printing import ExitStatus

BELIEF = typed("bound blocks --n 100 --block-mass 0.8 --block 10 --epsilon 0.1")
AGES = ("bound", "blocks", "--data", "table-1a", "--column", "Age", "--shift", "1")


@pytest.fixture(autouse=True)
def _files(here: Path) -> None:
    Path("groups.txt").write_text("0 1\n2, 3\n", encoding="utf-8")
    Path("sums.txt").write_text("# two days\n0-2\n0-1\n", encoding="utf-8")
    Path("coins.csv").write_text("coin,side\n0,a\n1,a\n0,b\n1,b\n", encoding="utf-8")
    nx.write_graphml(nx.path_graph(5), "path.graphml")
    chain = {
        "kind": "chain",
        "initial": ["1/2", "1/2"],
        "transition": [["3/5", "2/5"], ["2/5", "3/5"]],
        "values": [0, 1],
        "n": 9,
    }
    Path("chain.json").write_text(json.dumps(chain), encoding="utf-8")


def told(*words: str) -> Any:
    """Return the JSON document of a command whose answer may be conditional."""
    ran = kproof(*words, "--json")
    assert ran.status in (ExitStatus.DONE, ExitStatus.OPEN), ran.err
    return json.loads(ran.out)


def test_beliefs_give_delta_under_the_name_of_the_issue():
    ran = kproof(*BELIEF, "--json")
    assert ran.status == ExitStatus.OPEN
    found = json.loads(ran.out)
    assert set(found["delta"]) == {"lower", "upper"}
    assert Fraction(found["delta"]["upper"]) < Fraction("7.5e-5")
    assert (found["conditional_on"], found["assumed"]) == (
        ["independent records"],
        ["least block mass"],
    )
    answered = kproof(*BELIEF, "--json", "--assume", "independence")
    assert (answered.status, answered.document["holds"]) == (ExitStatus.DONE, True)


def test_a_column_at_each_level():
    levels = {
        "B1": (),
        "B4": ("--lambda2", "0.25"),
        "B5a": ("--lambda1", "0.25"),
        "B6": ("--lambda1", "0.25", "--known", "0,1"),
    }
    deltas = []
    for name, words in levels.items():
        found = told(*AGES, "--epsilon", "0.5", *words)
        assert found["statement"] == name
        deltas.append(Fraction(found["delta"]["upper"]))
    assert deltas[0] < deltas[1] == deltas[2] < deltas[3] < 1


def test_grids_shares_and_the_inverse():
    grid = told(*AGES, "--epsilon", "0:0.4:3")
    uppers = [Fraction(point["delta"]["upper"]) for point in grid["points"]]
    assert uppers == sorted(uppers, reverse=True)
    inverse = kproof(*BELIEF[:-2], "--delta", "0.0001").out
    assert "epsilon at most" not in inverse
    assert "0.0001" in inverse
    half = told(*BELIEF, "--least-share", "0.5")
    fifty = told(*BELIEF[:3], "50", *BELIEF[4:])
    assert (half["statement"], half["delta"]) == ("B2", fifty["delta"])
    several = told(
        *("bound", "blocks", "--block-mass", "0.5, 0.8,1", "--block", "3", "--epsilon", "0")
    )
    assert several["records"]["counting"] == 3


def test_what_ties_records_together():
    said = ("--block-mass", "0.6", "--block", "4", "--epsilon", "0.2")
    grouped = told("bound", "blocks", "--groups", "groups.txt", "--n", "9", *said)
    assert (grouped["statement"], grouped["records"]["counting"]) == ("B5a", 7)
    assert grouped["conditional_on"] == ["independent groups"]
    field = told("bound", "blocks", "--field", "path.graphml", *said)
    assert (field["statement"], field["records"]["counting"]) == ("B5b", 3)
    assert kproof("bound", "blocks", "--field", "path.graphml", *said).status == ExitStatus.OPEN
    answered = kproof(
        *("bound", "blocks", "--field", "path.graphml", *said, "--assume", "markov-field")
    )
    assert answered.status == ExitStatus.DONE
    chain = kproof("bound", "blocks", "--law", "chain.json", "--epsilon", "0.2")
    assert chain.status == ExitStatus.DONE
    assert "5 of 9 records count" in chain.out


@cases(
    ("--n 9 --block-mass 0 --block 4", "--block-mass = 0: need 0 < beta <= 1"),
    ("--n 9 --block-mass 0.5 --block 1", "--block = 1: need a whole number block >= 2"),
    ("--n 9 --block-mass 0.5", "--block is not given: need the points of a block"),
    ("--block-mass 0.5 --block 3", "--n is not given: need the number of records"),
    ("", "records is not given: need --block-mass with --block, --data FILE"),
    ("--n 9 --block-mass 0.5 --block 3 --delta 0.1", "--delta = 0.1: need exactly one of"),
    ("--data table-1a --column Age --block-mass 1", "--block-mass = 1: need no --data with it"),
    ("--data table-1a --column Age --field path.graphml", "--data = table-1a: need no --law"),
    (
        "--law chain.json --block-mass 0.5",
        "--block-mass = 0.5: need none: the laws in the file say it",
    ),
    ("--field path.graphml --n 4 --block-mass 1 --block 3", "--n = 4: need 5, the records"),
    ("--groups groups.txt --n 9 --block 3", "--block-mass is not given: need the least block mass"),
    ("--n 9 --block-mass 0.5 --block 3 --least-share 2", "--least-share = 2: need 0 < least_share"),
    ("--n 9 --block-mass 0.5 --block 3 --assume hope", "--assume = hope: need with blocks one of"),
    ("--n 3 --block-mass 0.5 --block 9999999", "--block = 9999999: need a whole number"),
)
def test_bad_input_is_one_line(words, says):
    ran = kproof("bound", "blocks", "--epsilon", "0.1", *words.split())
    assert ran.status == ExitStatus.REFUSED
    assert says in ran.err
    assert ran.err.count("\n") == 1
    assert ran.out == ""


def test_several_sums_beside_all_outcomes():
    words = ("exact", "several", "--data", "coins.csv", "--column", "coin", "--epsilon", "0")
    found = kproof(*words, "--sums", "sums.txt", "--json").document
    by_record = []
    for victim in range(3):
        law: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
        for coins in product((0, 1), repeat=3):
            law[sum(coins), sum(coins[:2])] += Fraction(1, 8)
        moved = (1, int(victim < 2))
        by_record.append(
            sum(
                max(mass - law.get((a - moved[0], b - moved[1]), Fraction(0)), Fraction(0))
                for (a, b), mass in list(law.items())
            )
        )
    assert [cell["records"] for cell in found["cells"]] == [2, 1]
    for cell, exact in zip(found["cells"], by_record[1:], strict=True):
        assert Fraction(cell["together"]["lower"]) <= exact <= Fraction(cell["together"]["upper"])
    groups = kproof(*words, "--by", "side").out
    assert "total, side a" in groups
    assert "for anyone in one of them: delta = 0.5" in groups
    assert "the sums give away the record of row 2" in kproof(*words, "--sums", "sums.txt").out


@cases(
    ("", "--by is not given: need either --by COLUMN or --sums FILE"),
    ("--by side --sums sums.txt", "--by = side: need either"),
    ("--by nobody", "no column nobody"),
    ("--sums none.txt", "none.txt: cannot be read"),
    ("--sums groups.txt --shift 0", "--shift = 0: need"),
)
def test_sums_that_are_refused(words, says):
    ran = kproof(
        *("exact", "several", "--data", "coins.csv", "--column", "coin", "--epsilon", "0"),
        *words.split(),
    )
    assert (ran.status, ran.out) == (ExitStatus.REFUSED, "")
    assert says in ran.err


@pytest.mark.parametrize("line", ["0 9", "x", "3-1", "0 0", "1-2-3"])
def test_a_line_that_is_no_sum(line):
    Path("sums.txt").write_text(f"0-1\n{line}\n", encoding="utf-8")
    ran = kproof(
        *("exact", "several", "--data", "coins.csv", "--column", "coin", "--epsilon", "0"),
        *("--sums", "sums.txt"),
    )
    assert (ran.status, ran.out) == (ExitStatus.REFUSED, "")
    assert ran.err.count("\n") == 1
