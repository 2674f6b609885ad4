"""``kproof net COMMAND FILE.py:NAME``: code of users' own, run apart, and what it can do to us."""

import json
from pathlib import Path

import pytest
from cases import cases
from shell import Ran, kproof

CODE = """
import ctypes, os, sys, threading, time
from contextlib import suppress
import kproof
from kproof.petri.logic.properties import bound, deadlock
from kproof.petri.net.colours import Dot, enumeration
from kproof.petri.net.net import NetBuilder
from kproof.petri.net.terms import Function, Variable, everything

clerk = enumeration("Clerk", ["ann", "bob", "eve"])
c, stamp = Variable("c", clerk), everything(Dot())


def build(check=lambda clerk: True):
    made = NetBuilder("office")
    made.place("Idle", clerk, everything(clerk))
    made.place("Stamp", Dot(), 2 * stamp)
    made.place("Sign", clerk)
    take = {"Idle": c, "Stamp": stamp}
    made.transition("take", takes=take, puts={"Sign": c}, guard=Function("check", check)(c))
    made.transition("done", takes={"Sign": c}, puts=take)
    return made


def spin(clerk):
    while True:
        pass


def talk(clerk):
    print("noise")
    os.write(1, b"noise")
    return True


def interrupt(clerk):
    raise KeyboardInterrupt


def shout(clerk):
    for file in range(3, 99):
        with suppress(OSError):
            os.write(file, b"yes" + bytes([10]))


class Nets:
    net = build().net()


net, number = Nets.net, 5
asked = lambda: (net, [bound("Sign", 1), deadlock(name="never stuck")])
unasked = lambda: (net, ["never stuck"])
classes = [["HIV", "HIV"], ["Flu", "Cancer"]]
table = lambda: kproof.net("theta-sensitive", classes, k=2)
attacked = lambda: kproof.net("theta-sensitive", classes, k=2, attackers=["homogeneity"])
talks = lambda: build(talk)
waits = lambda: threading.Thread(target=time.sleep, args=(600,)).start() or net
divides = lambda: build(lambda clerk: 1 / 0)
interrupts = lambda: build(interrupt)
leaves = lambda: build(lambda clerk: sys.exit(0))
leaves_at_once = lambda: build(lambda clerk: os._exit(0))
crashes = lambda: build(lambda clerk: ctypes.string_at(0))
writes = lambda: build(shout)
closes = lambda: build(lambda clerk: os.closerange(3, 99) or time.sleep(9))
hangs = lambda: build(spin)
exits = lambda: sys.exit()
needs = lambda what: what
"""
SAID = "is code, which is run with your rights; run no code that you do not trust"


@pytest.fixture(autouse=True)
def folder(here: Path) -> Path:
    """A folder with a file of nets."""
    Path("nets.py").write_text(CODE)
    return here


def of_own(command: str, name: str, *words: str) -> Ran:
    """Run a command on a net of the file; that its code is run is said, whatever comes of it."""
    ran = kproof("net", command, f"nets.py:{name}", *words)
    warning, _, others = ran.err.partition("\n")
    assert warning == f"kproof: nets.py:{name} {SAID}"
    return Ran(ran.status, ran.out, others)


def test_a_net_is_explored_as_its_file_is():
    assert of_own("export", "net", "--pnml", "net.pnml").out.endswith("written: net.pnml\n")
    for name in ("Nets.net", "waits", "talks"):
        own = of_own("explore", name, "--property", "terminating", "--json")
        assert (own.status, own.err) == (1, "")
        statistics = json.loads(own.out)["statistics"]
        assert (statistics["states"], statistics["arcs"]) == ({"final": 7}, {"final": 18})


def test_properties_attackers_and_pages_come_with_it():
    own = of_own("explore", "asked", "--json")
    outcomes = [one["outcome"] for one in json.loads(own.out)["properties"]]
    assert (own.status, outcomes) == (1, ["false", "true"])
    own = of_own("explore", "attacked", "--json", "--html", "page.html")
    assert json.loads(own.out)["properties"][-1]["name"] == "the adversary gains nothing"
    assert "page.html" not in own.err
    assert "What can happen in" in Path("page.html").read_text(encoding="utf-8")
    page = of_own("explore", "net", "--html", "-")
    assert page.out.startswith("<!DOCTYPE html>")
    assert "7 nodes" in page.err


def test_the_other_commands_take_it():
    document = json.loads(of_own("publications", "table", "--attack", "homogeneity", "--json").out)
    assert document["publications"] == {"final": 2}
    own = of_own("simulate", "attacked", "--runs", "5", "--json", "--budget", "seconds=20")
    ends = {end["name"]: end["share"] for end in json.loads(own.out)["ends"]}
    assert ends["published"] == {"final": "1"}
    assert "homogeneity succeeds" in ends
    rules = of_own("rules", "net").out
    assert "- `take: takes Idle c, Stamp all(dot); puts Sign c; if check(c)`" in rules


@cases(
    ("divides", "function check(ann) raised ZeroDivisionError: 'division by zero'"),
    ("interrupts", "its code raised KeyboardInterrupt"),
    ("leaves", "its code called sys.exit(0)"),
    ("leaves_at_once", "its code ended the process, with status 0, before there was an answer"),
    ("crashes", "was ended by SIG"),
    ("writes", "its code wrote where kproof does"),
    ("closes", "its code closed what kproof answers through"),
    ("exits", "its code called sys.exit()"),
    ("needs", "its code raised TypeError: "),
    ("number", "is of type int; need a Net, a NetBuilder"),
    ("unasked", "'never stuck' is no property"),
    ("nothing", "nets.py: has no nothing"),
)
def test_nothing_that_it_does_is_an_answer(name, line, folder):
    ran = of_own("explore", name, "--html", "page.html")
    assert (ran.status, ran.out) == (2, "")
    assert line in ran.err
    assert ran.err.count("\n") == 1
    assert not (folder / "page.html").exists()


def test_what_hangs_is_ended(monkeypatch):
    monkeypatch.setattr("kproof.cli.nets.own.GRACE", 4)
    ran = of_own("explore", "hangs", "--budget", "seconds=1")
    assert (ran.status, ran.out) == (2, "")
    assert "no sign of it for 5 seconds while exploring office" in ran.err


@cases(
    (("explore", "nets.py"), "need nets.py:NAME"),
    (("explore", "no.py:net"), "no.py: there is no such file"),
    (("explore", "nets.py:net", "--k", "4"), "--k = 4"),
    (("explore", "nets.py:net", "--detail", "rules"), "--detail = rules"),
    (("explore", "nets.py:table", "--attack", "linkage"), "--attack = linkage"),
    (("explore", "nets.py:table", "--reaches", "table-8a"), "--reaches = table-8a"),
    (("simulate", "nets.py:table", "--jobs", "2"), "--jobs = 2"),
    (("publications", "nets.py:net"), "a publisher of your own that works in stages"),
    (("publications", "nets.py:attacked"), "need a net without them"),
    (("export", "nets.py:net", "--pnml", "nets.py"), "nets.py"),
)
def test_what_does_not_apply_is_refused_by_name(words, line):
    ran = kproof("net", *words)
    assert (ran.status, ran.out) == (2, "")
    assert line in ran.err.splitlines()[-1]
    assert Path("nets.py").read_text() == CODE
