"""Stages: what is told of work, to whom, and in which order."""

import os

import pytest

from kproof.stages import count_parts, listen, stage

Told = list[tuple[str, int, int | None]]
NOTHING = ("", 0, None)


def test_a_stage_is_told_and_the_one_around_it_again():
    told: Told = []
    with listen(lambda *what: told.append(what)), stage("deciding"), stage("reading"):
        pass
    assert told == [("deciding", 0, None), ("reading", 0, None), ("deciding", 0, None), NOTHING]


def test_parts_are_counted_from_none_to_all():
    told: Told = []
    with listen(lambda *what: told.append(what)):
        assert list(count_parts("cutting groups", "abc")) == ["a", "b", "c"]
    assert told == [*(("cutting groups", done, 3) for done in range(4)), NOTHING]


def test_a_part_of_a_part_hides_no_share():
    told: Told = []
    with listen(lambda *what: told.append(what)), stage("trying", 2) as trying:
        with stage("cutting", 40) as cutting, stage("compiling", always=True):
            cutting.advance(3)
        trying.advance(1, "trying mondrian")
    assert told == [
        ("trying", 0, 2),
        ("compiling", 0, None),
        ("trying", 0, 2),
        ("trying mondrian", 1, 2),
        NOTHING,
    ]


def test_an_error_ends_its_stages():
    told: Told = []
    with (
        pytest.raises(ZeroDivisionError),
        listen(lambda *what: told.append(what)),
        stage("outer"),
        stage("inner"),
    ):
        raise ZeroDivisionError
    assert told[-1] == NOTHING


def test_a_loop_that_nobody_ends_leaves_no_stage():
    told: Told = []
    with listen(lambda *what: told.append(what)):
        with stage("outer"):
            parts = count_parts("groups", "ab")
            next(parts)
        assert told[-1] == NOTHING
        parts.close()
        assert told[-1] == NOTHING


def test_nobody_is_told_without_a_listener_or_within_none():
    told: Told = []
    with stage("unheard", 2) as unheard:
        unheard.advance(1)
    with listen(lambda *what: told.append(what)), listen(None), stage("quiet"):
        pass
    assert told == []


def test_a_forked_process_does_not_speak_for_its_parent(monkeypatch):
    told: Told = []
    with listen(lambda *what: told.append(what)):
        monkeypatch.setattr(os, "getpid", lambda: -1)
        with stage("of a child"):
            pass
    assert told == []
