"""Logs in the suite: what its checks say beside a plain count, what is read, and who passes."""

import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from moving_oracles import equal, fewest, fits, whereabouts

from kproof.errors import InvalidArgument
from kproof.models.moving.rules import Mover
from kproof.models.moving.slots import every_slot
from kproof.models.registry import Kind, Promise
from kproof.proptests import Command, check_anonymizer
from kproof.proptests.cases import LogCase, Publication
from kproof.proptests.checks import by_name
from kproof.proptests.checks.logs import records_of
from kproof.proptests.contract import Refusal, Trial
from kproof.proptests.judgement import Kept, Violation
from kproof.proptests.profiles import profile_named
from kproof.proptests.rendering import sketch
from kproof.proptests.sources import sources
from kproof.proptests.strategies.logs import PARAMETERS, log_cases
from kproof.proptests.subjects.logs import HalvedLine, moving
from kproof.proptests.subjects.native import native_subject
from kproof.proptests.zoo import hunt, members
from kproof.proptests.zoo.logs import SlotRules

OURS = native_subject(moving, kind=Kind.LOG)
FOUR = LogCase((("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")), {"k": 2})


def plain(frame, k, age):
    """Cloak a log by the rules that the zoo breaks."""
    return SlotRules(frame, k, age).publish()


@cache
def subjects():
    zoo = [member.subject for member in members() if member.subject.kind is Kind.LOG]
    return [OURS, native_subject(plain, kind=Kind.LOG), *zoo]


def judged(name, subject, case):
    return by_name(name, Kind.LOG).function(Trial(subject, case))


def test_every_source_draws_logs_that_can_be_judged():
    for source in sources(Kind.LOG):

        @given(source.draw(frozenset(PARAMETERS)))
        def build(case):
            assert case.people == len(case.paths) > 0
            assert {len(code) for *_, code in case.reports} == {case.bits}
            assert case.parameters.keys() == PARAMETERS.keys()

        build()


@given(log_cases(frozenset(PARAMETERS), reports=st.integers(0, 2)))
def test_positions_are_those_of_the_definition(case):
    rows = [(slot, person, int(code, 2)) for slot, person, code in case.reports]
    table = whereabouts(rows, case.age, len(case.paths), range(case.slots))
    for person in range(len(case.paths)):
        known = {slot: code for (slot, who), code in table.items() if who == person}
        wanted = {slot: code for slot, code in known.items() if code is not None}
        assert {slot: int(code, 2) for slot, code in case.codes_of(person).items()} == wanted


@given(
    log_cases(frozenset({"k", "age"}), people=6, reports=st.sampled_from((1, 1, 0, 2))),
    st.integers(0, 8),
)
def test_the_checks_say_what_a_plain_count_says(case, place):
    trial = Trial(subjects()[place], case)
    if not isinstance(trial.outcome, Publication):
        return
    k, people = case.parameters["k"], len(case.paths)
    rows = [(slot, person, int(code, 2)) for slot, person, code in case.reports]
    table = whereabouts(rows, case.age, people, range(case.slots))
    records = dict(enumerate(map(dict, records_of(trial.outcome.release))))
    short = min(fewest(table, records, people, case.bits), equal(records)) < k
    for name, broken in (
        ("candidates", short),
        ("known positions", any(count < k for count in fits(table, records, people, case.bits))),
    ):
        judgement = by_name(name, Kind.LOG).function(trial)
        assert isinstance(judgement, Violation) == broken, (name, judgement)


@given(log_cases(frozenset(PARAMETERS), reports=st.sampled_from((1, 0, 2))))
def test_ours_as_a_stream_is_ours_as_a_whole(case):
    outcome = Trial(OURS, case).outcome
    asked = {name: case.parameters[name] for name in PARAMETERS if name != "seed"}
    if asked["k"] < 2:
        assert isinstance(outcome, Refusal)
        return
    mover = Mover(HalvedLine(case.bits), key=case.parameters["seed"], **asked)
    # People by first appearance, as a reader of the log numbers them.
    number = {}
    rows = [(s, number.setdefault(who, len(number)), int(c, 2)) for s, who, c in case.reports]
    steps = [mover.step(*reported) for reported in every_slot(*np.array(rows).T)]
    streamed = [
        (step.slot, int(label), int(record))
        for step in steps
        for record, label in zip(step.record, step.label, strict=True)
    ]
    columns = []
    if isinstance(outcome, Publication):
        log = outcome.release
        columns = list(zip(log.slot.tolist(), log.label.tolist(), log.record.tolist(), strict=True))
    assert columns == sorted(streamed)


@pytest.mark.parametrize("rules", [moving, plain])
def test_whole_rules_keep_their_promises(rules):
    subject = native_subject(rules, kind=Kind.LOG)
    results = check_anonymizer(subject, profile="quick", max_examples=3)
    assert subject.promises == {Promise.K_ANONYMITY, Promise.NOTHING_TAKEN_BACK}
    assert all(result.judged for result in results)


@cases(
    ("cells kept k in each slot", 4, 2, "c0 in slot 1: people in all its cells: 1, k = 2"),
    ("prefixes", 3, 2, "c0 in slot 0: records equal to it: 1, k = 2"),
    ("never walk alone", 2, 1, "person 0 was at 0 in slot 0 finds 1 of 2 records, k = 2"),
    ("a stale position", 2, 2, "c0 in slot 1: people in all its cells: 1, k = 2"),
    ("nobody taken along", 3, 2, "c0 in slot 0, hidden in slot 1: records equal to it: 1"),
    ("a record that leaves alone", 2, 2, "c0 in slot 0, hidden in slot 1: records equal to"),
    ("groups by where they end", 3, 2, "after slot 0 there is [c0 in slot 0], later on"),
)
def test_each_fault_is_shown_by_the_smallest_log(name, people, slots, said):
    (member,) = (member for member in members() if member.name == name)
    result = hunt(member, profile=profile_named("default"))
    assert (len(result.case.paths), result.case.slots) == (people, slots)
    assert said in result.violation.sentence
    if name == "cells kept k in each slot":
        assert result.case.paths == FOUR.paths
        assert isinstance(judged("candidates", OURS, FOUR), Kept)


@cases("a remainder by itself", "one less in a crowd", "groups that meet again")
def test_a_quick_run_finds_what_shows_in_a_crowd_only(name):
    (member,) = (member for member in members() if member.name == name)
    assert hunt(member, profile=replace(profile_named("quick"), shrinking=0)).violation


@cases(
    ({"record": [1], "slot": [0]}, "NoPublication: it returned no column cell"),
    ({"record": [1], "slot": [0.5], "cell": ["c"]}, "NoPublication: it returned 0.5 for a slot"),
    (
        {"record": [1], "slot": [0], "cell": ["c"], "user": ["p0"]},
        "it returned user beside record, slot, cell",
    ),
    (
        pd.DataFrame({"record": [1], "slot": [0], "cell": ["c"]}, index=["p0"]),
        "it returned an index beside record, slot, cell",
    ),
    ({"record": [1], "slot": [0], "cell": ["d1"]}, "cell is d1; need hidden, or c and up to"),
    ({"record": [1], "slot": [0], "cell": ["c00"]}, "a cell of more than 1 digits"),
    ({"record": [1, 1], "slot": [0, 0], "cell": ["c", "c0"]}, "two cells in one slot"),
    ({"record": [], "slot": [], "cell": []}, "NothingPublished: it returned no rows"),
    (None, "NothingPublished: it returned None"),
)
def test_what_is_no_cloaked_log_is_no_publication(answer, said):
    published = answer if answer is None else pd.DataFrame(answer)
    subject = native_subject(lambda frame, k: published, kind=Kind.LOG)
    assert said in str(Trial(subject, FOUR).outcome)


def test_a_method_of_another_kind_is_no_method_of_logs():
    with pytest.raises(InvalidArgument, match="kind = log: need table, which mondrian takes"):
        check_anonymizer("mondrian", kind="log")


def test_a_copy_of_a_record_is_nobody():
    copies = {"record": [1, 2, 3], "slot": [0] * 3, "cell": ["c0"] * 3}
    found = judged("candidates", native_subject(lambda frame, k: copies, kind=Kind.LOG), FOUR)
    assert found.sentence == "3 equal records fit 2 people: not every one is another person's"


PROGRAM = """
import csv, sys
source, target, k = sys.argv[1:]
rows = list(csv.DictReader(open(source)))
people = sorted({row["user"] for row in rows})
if len(people) < int(k):
    sys.exit("too few people")
with open(target, "w") as out:
    print("record,slot,cell", file=out)
    for person in people:
        print(f"{person},{rows[0]['slot']},hidden", file=out)
"""


def test_a_program_reads_and_writes_files(tmp_path):
    (tmp_path / "cloak.py").write_text(PROGRAM, encoding="utf-8")
    line = f"{sys.executable} -S {tmp_path / 'cloak.py'} {{input}} {{output}} {{k}}"
    options = {"kind": "log", "sources": ["walks"], "max_examples": 4, "profile": "quick"}
    checks = ["candidates", "known positions", "refuses clearly", "publishes when it can"]
    found = check_anonymizer(Command(line), checks=checks, on_fail="return", **options)
    assert [result.status.value for result in found][:2] == ["passed", "passed"], found.report()
    assert found.subject.timeout == 60


def test_logs_are_shown_slot_by_slot():
    assert sketch(FOUR, (1,)).splitlines()[:3] == [
        "      slot 0  slot 1",
        "  0   0       0",
        "> 1   0       1",
    ]
    assert sketch(OURS.publish(FOUR)).splitlines()[:2] == [
        "      record  slot  cell",
        "  0   0       0     c",
    ]
