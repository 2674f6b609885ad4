"""The frontier against its definition, in one process and in several."""

import os
import sys
from contextlib import suppress
from fractions import Fraction
from inspect import signature
from itertools import product
from select import select

import numpy as np
import pandas as pd
import pytest
from apart import python
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st
from tables import data_frame

import kproof
from kproof.errors import DataError, InvalidArgument
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.frontier import Candidate, Frontier, RiskAxis, frontier
from kproof.models.frontier import pool as pools
from kproof.models.methods import METHODS
from kproof.models.privacy import DistinctL, summary
from kproof.models.registry import Kind, Method, Promise
from kproof.models.tables.release import Release
from kproof.models.tables.roles import RoleOptions
from kproof.models.tables.sealing import seal
from kproof.models.tables.table import Table
from kproof.models.tables.utility import utility

JOBS = Taxonomy.from_paths([["nurse", "care", "*"], ["doctor", "care", "*"], ["cook", "*", "*"]])


def _table(rows: int = 60) -> Table:
    rng = np.random.default_rng(1)
    frame = data_frame(
        age=rng.integers(20, 60, rows),
        job=rng.choice(["nurse", "doctor", "cook"], rows),
        ill=rng.choice(["Flu", "HIV", "Asthma", "Cancer"], rows),
    )
    roles = {"quasi_identifiers": ["age", "job"], "sensitive": "ill", "taxonomies": {"job": JOBS}}
    return kproof.read_table(frame, **roles)


def _seen(found: Frontier) -> list[dict[str, object]]:
    """Everything but what a clock said."""
    candidates = found.to_dict()["candidates"]
    assert isinstance(candidates, list)
    return [{k: v for k, v in one.items() if k != "seconds"} for one in candidates]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4), st.booleans()), max_size=9),
    st.sampled_from(RiskAxis),
)
def test_the_best_are_those_that_no_other_beats(figures, axis):
    candidates = []
    for at, (loss, risk, bad) in enumerate(figures):
        risks = {"largest": Fraction(1, risk), "mean": Fraction(1, risk + 1)}
        own = {"problem": "no" * bad, "loss": loss / 4} | risks
        candidates.append(Candidate("m", 2, Fraction(0), {"at": at}, **own))
    found = Frontier(10, axis, tuple(candidates), {})

    def beats(one: Candidate, other: Candidate) -> bool:
        less = (one.loss or 0) < (other.loss or 0) or found.risk_of(one) < found.risk_of(other)
        no_more = one.loss <= other.loss and found.risk_of(one) <= found.risk_of(other)
        return less and no_more

    good = [one for one in candidates if not one.problem]
    best = [one for one in good if not any(beats(other, one) for other in good)]
    assert sorted(one.parameters["at"] for one in found.best) == [
        one.parameters["at"] for one in best
    ]


def test_figures_are_those_of_the_releases():
    table = _table()
    comparison = frontier(table, methods=["mondrian", "kaca-hierarchical"], k=[5, 2, 5])
    attempts = [(one.method, one.k) for one in comparison.candidates]
    assert attempts == [*product(("mondrian", "kaca-hierarchical"), (2, 5))]
    for one in comparison.candidates:
        release = kproof.anonymize(one.method, table, k=one.k)
        chances = kproof.risk(release).prosecutor
        assert (one.largest, one.mean) == (chances.largest, chances.mean)
        assert one.classes == release.count
        assert one.attained.k == release.classes().real_sizes.min() >= one.k


def test_what_is_asked_reaches_those_that_can_promise_it_and_is_judged_of_all():
    comparison = frontier(_table(), methods=["mondrian", "kaca"], k=[2, 4], l=3)
    mondrian, kaca = comparison.candidates[:2], comparison.candidates[2:]
    assert all(one.parameters["l"] == 3 and not one.problem for one in mondrian)
    assert any(one.problem.startswith("l-diversity(l=3): fails") for one in kaca)
    assert all(one.problem == "" for one in comparison.best)


def test_budgets_of_every_method_hold_and_their_releases_are_those_of_anonymize():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": [*rng.integers(20, 40, 38), 70, 95], "ill": [*"abcd"] * 10})
    roles = {"quasi_identifiers": ["age"], "sensitive": "ill", "ladders": {"age": "range:5,10,20"}}
    table = kproof.read_table(frame, **roles, categories={"a": 1, "b": 1, "c": 0, "d": 0})
    methods = [name for name, one in METHODS.items() if one.kind is Kind.TABLE and not one.once]
    own = {"p-plus-sensitive": {"p": 2}, "p-alpha-sensitive": {"p": 2, "alpha": "9/10"}}
    comparison = frontier(table, k=[4], suppress=["0", "20%"], settings=own)
    assert not comparison.left_out
    assert sorted(one.method for one in comparison.candidates) == sorted(methods * 2)
    for one in comparison.candidates:
        assert not one.problem
        assert one.suppressed <= one.suppress * table.rows
        release = kproof.anonymize(one.method, table, suppress=one.suppress, **one.parameters)
        assert one.suppressed == len(release.suppressed)
        assert one.largest == kproof.risk(release).prosecutor.largest
    assert any(one.suppressed for one in comparison.candidates if one.method == "full-domain")


def test_roles_are_those_of_anonymize():
    """What somebody says of a column is heard, or a figure is about another table."""
    common = set(signature(kproof.anonymize).parameters) & set(RoleOptions.__annotations__)
    assert common - {"suppressed"} <= set(signature(frontier).parameters)
    ills = ["none", "Flu", "HIV", "Cold"] * 5
    frame = data_frame(age=[*range(20, 40)], ill=ills, who=[*range(10)] * 2, junk=range(20))
    roles = {
        "quasi_identifiers": ["age"],
        "sensitive": "ill",
        "person": "who",
        "drop": ["junk"],
        "ladders": {"age": "range:5,10"},
        "least_levels": {"age": 1},
        "missing_in": {"ill": ["none"]},
        "missing_as": "value",
    }
    [one] = frontier(frame, methods=["full-domain"], k=[4], l=2, **roles).candidates
    release = kproof.anonymize("full-domain", frame, k=4, models=[DistinctL(2)], **roles)
    assert (one.problem, one.loss) == ("", utility(release).penalty)
    assert one.attained == summary(release.classes())


@pytest.mark.parametrize("what", ["k", "l"])
def test_a_method_that_breaks_its_promise_is_not_compared(what):
    def broken(table: Table, *, k: int, **more: object) -> Release:
        if what == "l":
            # Promised by the method, and asked of nobody else.
            return kproof.anonymize("mondrian", table, k=k)
        of_row, _ = table.equivalence_classes
        return seal(table, of_row, method="broken", parameters={"k": k})

    promises = frozenset({Promise.K_ANONYMITY, Promise.L_DIVERSITY})
    own = {name: METHODS["mondrian"].parameters[name] for name in "kl"}
    METHODS.register(Method("broken", broken, promises, "none", "none", own))
    try:
        # What is no part of kproof is run in this process, the rest elsewhere.
        own = {"broken": {"l": 3}} if what == "l" else {}
        comparison = frontier(_table(), methods=["broken", "mondrian"], k=[3], jobs=2, settings=own)
    finally:
        METHODS.remove("broken")
    fails = {"k": "k-anonymity(k=3) fails", "l": "l-diversity(l=3) fails"}
    assert fails[what] in comparison.candidates[0].problem
    assert [one.method for one in comparison.best] == ["mondrian"]


def test_several_processes_find_the_same():
    table = _table()
    asked = {"k": [2, 3, 70], "suppress": ["0"], "mu": "1/10"}
    told = []
    one = frontier(table, jobs=1, **asked)
    two = frontier(
        table, jobs=3, told=lambda done, of, last: told.append((done, of, last.name)), **asked
    )
    assert _seen(one) == _seen(two)
    assert [done for done, _, _ in told] == list(range(1, len(two.candidates) + 1))
    assert {name for _, _, name in told} == {each.name for each in two.candidates}
    assert one.candidates[2].problem.startswith("k = 70: need 2 <= k <= 60")
    assert one.left_out["p-plus-sensitive"].startswith("it needs categories")


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "_START", "import os; os._exit(9) # {path}")


@pytest.mark.usefixtures("ended")
def test_a_process_that_is_ended_is_one_line():
    with pytest.raises(DataError, match=r"was ended, perhaps for lack of memory: need fewer"):
        frontier(_table(), methods=["mondrian"], k=[2, 3], jobs=2)


def test_what_takes_too_long_is_ended_and_the_rest_goes_on(monkeypatch):
    slow = "import kproof.models.frontier.judging as j, time; own = j.candidate_of; "
    slow += "j.candidate_of = lambda a, t: time.sleep(60) if a.k == 3 else own(a, t); "
    serving = "from kproof.models.frontier.worker import serve; serve({parent})"
    monkeypatch.setattr(pools, "_START", "import sys; sys.path[:] = {path!r}; " + slow + serving)
    comparison = frontier(_table(), methods=["mondrian"], k=[2, 3, 4], jobs=1, patience=1)
    assert [one.problem for one in comparison.candidates] == ["", "not done within 1 s", ""]


def test_little_work_starts_no_process_and_memory_bounds_their_number(monkeypatch):
    table = _table()
    assert pools.processes(table, 10, None) == 1
    assert pools.processes(table, 10, 4) == 4
    assert pools.processes(table, 2, 4) == 2
    monkeypatch.setattr(pools, "WORTHWHILE", 1)
    monkeypatch.setattr(os, "sysconf", lambda name: {"SC_PAGE_SIZE": 4096}.get(name, 100))
    assert pools.processes(table, 10, None) == 1


SCRIPT = """
import os, signal, subprocess
import numpy as np, pandas as pd
from kproof.models.frontier import frontier

# A shell has what it runs in the background ignore interruptions.
signal.signal(signal.SIGINT, signal.default_int_handler)
frame = pd.DataFrame({"a": np.arange(400), "b": np.arange(400) % 7})

def children():
    found = subprocess.run(
        ["ps", "--ppid", str(os.getpid()), "-o", "pid=,comm="], capture_output=True, text=True
    )
    return [one.split()[0] for one in found.stdout.splitlines() if "ps" not in one.split()[1]]

def told(done, total, last):
    print(*children(), flush=True)
    os.kill(os.getpid(), signal.SIGNAL)

try:
    frontier(frame, quasi_identifiers=["a", "b"], methods=["mondrian"],
                    k=range(2, 200), jobs=2, told=told)
except KeyboardInterrupt:
    print("left:", *children())
"""
"""Compares for a while, and sends itself a signal when the first attempt is done."""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes as on Linux")
@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_whatever_ends_a_comparison_leaves_no_process_behind(name, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("SIGNAL", name), encoding="utf-8")
    # No limit of time: a loaded machine takes a minute, and what hangs is told by the faulthandler.
    ran = python(str(script))
    first, *rest = ran.stdout.splitlines()
    assert len(first.split()) == 2, ran.stderr
    assert rest == (["left:"] if name == "SIGINT" else [])
    for child in map(int, first.split()):
        with suppress(ProcessLookupError):  # it has ended, and somebody has waited for it
            ended = os.pidfd_open(child)
            assert select([ended], [], [], 240)[0], "it lives on"
            os.close(ended)


@cases(
    ({"k": []}, "k = none: need at least one value"),
    ({"k": [1]}, "k = 1: need a whole number k >= 2"),
    ({"suppress": ["120%"]}, "suppress = 120%: need 0 to 1, or 0% to 100%"),
    ({"methods": ["mondrain"]}, "method = mondrain: need one of mondrian,"),
    ({"methods": []}, "methods = none: need at least one method"),
    ({"settings": {"kaca": {}}, "methods": ["mondrian"]}, "set = kaca: need one of the methods"),
    ({"settings": {"mondrian": {"x": 1}}}, "x = 1: need a parameter of mondrian"),
    ({"settings": {"mondrian": {"k": 9}}}, "set = mondrian.k: need k for all methods alike"),
    ({"settings": {"full-domain": {"suppress": 1}}}, "set = full-domain.suppress: need"),
    ({"axis": "up"}, "axis = up: need mean or largest"),
    ({"patience": 0}, "patience = 0: need patience > 0"),
    ({"jobs": 0}, "jobs = 0: need a whole number jobs >= 1"),
    ({"ell": 2}, "ell = 2: need one of "),
    ({"quasi_identifiers": ["age"]}, "data = 'a Table': need no roles beside it"),
)
def test_bad_input(options, words):
    assert error_line(InvalidArgument, frontier, _table(), **options).startswith(words)


def test_the_picture_and_the_table_of_it(tmp_path):
    comparison = frontier(_table(), methods=["mondrian", "kaca"], k=[2, 3, 5, 70])
    comparison.draw(tmp_path / "f.svg")
    comparison.draw(tmp_path / "g.png")
    drawn = (tmp_path / "f.svg").read_text(encoding="utf-8")
    for word in ("mondrian, k=2: loss", "certainty penalty", "mean chance", "frontier"):
        assert word in drawn
    assert (tmp_path / "g.png").read_bytes().startswith(b"\x89PNG")
    comparison.draw(tmp_path / "f2.svg")
    assert drawn == (tmp_path / "f2.svg").read_text(encoding="utf-8")
    comparison.to_csv(tmp_path / "f.csv")
    rows = pd.read_csv(tmp_path / "f.csv")
    assert rows["method"].tolist() == ["mondrian"] * 4 + ["kaca"] * 4
    assert rows["best"].sum() == len(comparison.best)
    assert rows["problem"].notna().sum() == 2
    with pytest.raises(InvalidArgument, match=r"a name that ends in \.png or \.svg"):
        comparison.draw(tmp_path / "f.pdf")
    frontier(_table(), methods=["mondrian"], k=[70]).draw(tmp_path / "none.svg")
    assert "no release" in (tmp_path / "none.svg").read_text(encoding="utf-8")
