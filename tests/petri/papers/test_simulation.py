"""Simulations of publishers: against plain runs, against what is published, and as a page."""

import json
import re
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cases import error_line
from shell import kproof

from kproof.errors import DataError
from kproof.models.tables.coverage import coverage
from kproof.models.tables.queries import query_error
from kproof.models.tables.readers import read_table
from kproof.models.tables.recoding import recode
from kproof.petri.papers.api import TableNet, net
from kproof.petri.papers.publisher import classes_of
from kproof.petri.papers.runs import run_pool
from kproof.petri.papers.runs.account import account
from kproof.petri.papers.runs.simulation import simulate_publisher
from kproof.petri.papers.runs.theta_runs import ThetaRun, namer_of, steps_of
from kproof.petri.spaces.simulate import draws, simulate
from kproof.theory.theorems.theta import variance

ABC = {"a": 1, "b": 1, "c": 2, "d": 2}
NETS: dict[str, dict[str, Any]] = {
    "moves": {"table": "table-1a", "k": 4, "sensitive": "Disease"},
    "records": {"table": "table-1a", "k": 4, "sensitive": "Disease", "tokens": "records"},
    "rules": {"table": [["a", "a"], ["b", "c"]], "k": 2, "cut": "rules"},
    "printed": {"table": [list("aabc")] * 2, "k": 4, "mu": "1/2", "reading": "printed"},
    "attacked": {
        "table": [list("aabb"), list("abcd")],
        "k": 4,
        "categories": ABC,
        "attackers": ["categorical-similarity", "homogeneity"],
        "mu": "1/5",
    },
    "masked": {
        "table": read_table(
            "table-1a", quasi_identifiers=["Age"], sensitive="Disease", identifiers=["Name"]
        ),
        "k": 4,
        "tokens": "records",
        "masks": True,
        "attackers": ["linkage"],
    },
    "infeasible": {"table": [list("aab")] * 2, "k": 3, "mu": "37/100"},
    "broken off": {"table": "table-1a", "k": 4, "sensitive": "Disease", "steps": 5},
}


def made(name: str) -> tuple[TableNet, int]:
    options = dict(NETS[name])
    steps = options.pop("steps", 1000)
    return net("theta-sensitive", **options), steps


@pytest.mark.parametrize("name", NETS)
def test_what_is_counted_is_what_plain_runs_have(name):
    one, steps = made(name)
    found = simulate_publisher(one, runs=25, seed=4, steps=steps, judged=True, samples=1)
    plain = simulate(one.net, runs=25, seed=4, steps=steps, watch=one.publisher.watch())
    assert found.simulation == plain
    # What a sample says fired is what its account says changed.
    told = found.samples[0].account
    assert told is not None
    assert len(told.changes) == sum(
        count
        for name, count in found.samples[0].fired.items()
        if name.removeprefix("Adjst Var: ") in ("swap", "cross swap", "noise", "Add Noise", "pad")
    )


def test_processes_make_the_same_runs():
    one, steps = made("attacked")
    alone = simulate_publisher(one, runs=7, steps=steps, judged=True, jobs=1)
    assert simulate_publisher(one, runs=7, steps=steps, judged=True, jobs=2) == alone


@pytest.mark.parametrize("tokens", ["values", "records"])
def test_the_account_adds_up(tokens):
    one = net("theta-sensitive", "table-1a", k=4, sensitive="Disease", tokens=tokens)
    publisher = one.publisher
    formed = publisher.formed
    for number in range(1, 9):
        course = ThetaRun(publisher)
        chance, naming = draws(0, number), namer_of(0, number)
        steps = list(steps_of(course.copy(), chance, naming, 100))
        found = account(publisher, course, steps, rows=True)
        classes = [Counter(own) for own in formed.values]
        where = {row: at for at, own in enumerate(formed.rows) for row in own}
        noise = []
        for change in found.changes:
            at = change.receiver.at
            v, theta = variance(classes[at].values()), Fraction(3, 4)
            assert (change.receiver.variance, change.receiver.theta) == (v, theta)
            assert change.receiver.short == theta - v > 0
            assert f"is {float(theta - v):g} below" in change.why
            if change.donor is None:
                assert change.y not in classes[at]
                noise.append((change.y, at))
            else:
                b = change.donor.at
                assert classes[at][change.x] == max(classes[at].values())
                assert change.y not in classes[at]
                assert variance(classes[b].values()) >= theta
                classes[at] -= Counter([change.x])
                classes[b] = classes[b] - Counter([change.y]) + Counter([change.x])
                for row, value, source, target in (
                    (change.leaves, change.x, at, b),
                    (change.comes, change.y, b, at),
                ):
                    assert row is not None
                    assert where[row] == source
                    assert formed.table is None
                    where[row] = target
                    place = next(i for i, own in enumerate(formed.rows) if row in own)
                    assert formed.values[place][formed.rows[place].index(row)] == value
            classes[at] += Counter([change.y])
        assert [dict(one.after.values) for one in found.classes] == [
            dict(classes[one.before.at]) for one in found.classes
        ]
        assert found.rows is not None
        moved = {one.row: (one.began, one.ended) for one in found.rows if one.row is not None}
        first = {row: at for at, own in enumerate(formed.rows) for row in own}
        assert moved == {r: (first[r], at) for r, at in where.items() if first[r] != at}
        assert [(one.value, one.ended) for one in found.rows if one.row is None] == noise
        facts = simulate_publisher(one, runs=number, judged=True).facts[-1]
        assert (facts.moved, facts.noise) == (found.moved, found.added)
        held = Counter(value for own in formed.values for value in own)
        added = Counter(value for value, _ in noise)
        assert facts.added == sum(Fraction(added[v], n) for v, n in held.items()) / len(held)


def test_a_query_is_answered_from_the_classes_of_the_run():
    table = read_table(
        "table-1a", quasi_identifiers=["Age", "Country"], sensitive="Disease", identifiers=["Name"]
    )
    one = net("theta-sensitive", classes_of(table, k=4), k=4)
    found = simulate_publisher(one, runs=3, seed=2, judged=True, samples=3)
    for facts, sample in zip(found.facts, found.samples, strict=True):
        told = sample.account
        assert told is not None
        assert told.rows is not None
        class_of = np.arange(12) // 4
        for row in told.rows:
            if row.row is not None:
                class_of[row.row] = row.ended
        sizes = np.bincount(class_of) + np.bincount(
            [row.ended for row in told.rows if row.row is None], minlength=3
        )
        covered = [coverage(recode(column, class_of, 3)) for column in table.quasi_identifiers]
        ranks = [
            covers.rank_of[column.codes]
            for covers, column in zip(covered, table.quasi_identifiers, strict=True)
        ]
        error = query_error(ranks, covered, sizes, seed=2)
        assert facts.query_error == (error.uniform_mean, error.intersecting_mean)


def test_a_page_has_the_facts_of_the_json(tmp_path):
    page = tmp_path / "page.html"
    table = ("theta-sensitive", "--data", "table-1a", "--k", "4", "--qi", "Age")
    asked = ("--runs", "9", "--seed", "5", "--json", "--html", str(page))
    done = kproof("net", "simulate", *table, *asked)
    found, text = json.loads(done.out), page.read_text(encoding="utf-8")
    assert found["head"]["theta"] == "3/4"
    assert "3/4 = 0.75" in text
    assert found["head"]["table"]["sha256"] in text
    assert [one["name"] for one in found["distributions"]] == [
        "swaps",
        "noise rows",
        "rows in another class",
        "error of counting a sensitive value",
        "query error, rows spread evenly",
        "query error, rows not ruled out",
    ]
    plain = " ".join(re.sub(r"<[^>]+>", " ", text).split())
    for one in found["samples"]:
        assert all(change["why"] in plain for change in one["account"]["changes"]["listed"])
    for one in found["attackers"]:
        assert one["attack"] in plain
    assert text.count('class="transition fired"') == 5
    assert text.count('class="transition idle"') == 1


def test_samples_need_somewhere_to_go():
    table = ("theta-sensitive", "--data", "table-1a", "--k", "4")
    done = kproof("net", "simulate", *table, "--samples", "1")
    assert done.err == "kproof: --samples = 1: need --html or --json with it\n"
    assert done.status == 2


def test_a_process_that_is_ended_is_an_error(monkeypatch):
    monkeypatch.setattr(run_pool, "_START", "import sys; sys.exit(1)")
    one, _ = made("moves")
    assert "need fewer of them" in error_line(DataError, simulate_publisher, one, runs=3, jobs=2)
