"""Every command that writes, held to what is promised of files: each output against each input."""

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import source_from_cache
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest import mock

import networkx as nx
import pytest
from shell import kproof, refused

import kproof.outputs as gate
from kproof.petri.net.colours import enumeration
from kproof.petri.net.net import NetBuilder
from kproof.petri.net.terms import Variable, everything
from kproof.petri.pnml.write import write_pnml

pytestmark = pytest.mark.skipif(os.name == "nt", reason="FIFOs and links")


@dataclass(frozen=True)
class Command:
    """A command that succeeds, in a folder with the files of :func:`files`."""

    words: str
    """The command, without its outputs."""
    reads: tuple[str, ...]
    """The files it reads."""
    writes: dict[str, str]
    """The options that name a file to write, and a name for each."""
    folders: dict[str, str]
    """The options that name a folder, and a file that is written to it."""

    def run(self, **outputs: str) -> tuple[str, ...]:
        """Return the words with these outputs."""
        options = [word for name, file in outputs.items() for word in (f"--{name}", file)]
        return (*self.words.split(), *options)


PAPER = "--data table.csv --sensitive Disease --k 2 --categories kinds.csv"
GRAPH = {"output": "out.json", "key": "key.csv"}
NET = {"pnml": "new.pnml", "svg": "net.svg", "space": "space.svg", "smt2": "net.smt2"}
COMMANDS = {
    "a table": Command(
        "anonymize p-plus-sensitive --audience study table.csv --qi Age,Country"
        " --sensitive Disease --k 2 --p 1 --categories kinds.csv --taxonomy Country=regions.csv",
        ("table.csv", "kinds.csv", "regions.csv"),
        {"output": "out.csv"},
        {},
    ),
    "a city of two files": Command(
        "anonymize density --audience study --nodes nodes.csv --edges edges.csv --k 3 --requests 2",
        ("nodes.csv", "edges.csv"),
        {"output": "out.csv"},
        {"figures": "runs.csv"},
    ),
    "a city of one": Command(
        "anonymize density --audience study --graphml town.graphml --k 3",
        ("town.graphml",),
        {"output": "out.csv"},
        {},
    ),
    "points": Command(
        "anonymize quadtree --audience study points.csv --lat lat --lon lon --min-k 2"
        " --count locations",
        ("points.csv",),
        {"output": "out.geojson", "png": "out.png", "html": "out.html"},
        {},
    ),
    "clusters": Command(
        "anonymize sangreea --audience study friends.tsv --k 2 --user-list users.csv"
        " --attributes town --taxonomy town=towns.csv",
        ("friends.tsv", "users.csv", "towns.csv"),
        GRAPH,
        {},
    ),
    "degrees": Command(
        "anonymize k-degree --audience study friends.tsv --k 2",
        ("friends.tsv",),
        GRAPH | {"output": "out.tsv"},
        {},
    ),
    "sets": Command(
        "anonymize baseline --audience study friends.tsv --k 2", ("friends.tsv",), GRAPH, {}
    ),
    "a net explored": Command(
        f"net explore theta-sensitive {PAPER} --background knows.json --attack linkage"
        " --reaches other.csv",
        ("table.csv", "kinds.csv", "knows.json", "other.csv"),
        {"html": "net.html"},
        {},
    ),
    "a net of the paper": Command(
        f"net export theta-sensitive {PAPER} --background knows.json --attack linkage",
        ("table.csv", "kinds.csv", "knows.json"),
        NET,
        {},
    ),
    "a net of one's own": Command("net export own.pnml", ("own.pnml",), NET, {}),
    "a report": Command(
        "report table.csv --qi Age,Country --sensitive Disease --k 2 --column Age"
        " --categories kinds.csv --taxonomy Country=regions.csv",
        ("table.csv", "kinds.csv", "regions.csv"),
        {},
        {"output": "report.html"},
    ),
    "a function verified": Command(
        "verify own:method --source taxonomies --profile quick --check k-anonymity"
        " --max-examples 1",
        ("own.py",),
        {"html": "suite.html"},
        {},
    ),
}


@pytest.fixture(autouse=True)
def files(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small file of each kind, in the working directory."""
    monkeypatch.syspath_prepend(str(here))
    towns = nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 2))
    for node in towns:
        towns.nodes[node].update(users=2, x=node % 3, y=node // 3)
    nx.write_graphml(towns, "town.graphml")
    build = NetBuilder("own")
    seats = enumeration("Seat", ["1", "2"])
    x = Variable("x", seats)
    build.place("here", seats, everything(seats))
    build.place("there", seats)
    build.transition("go", takes={"here": x}, puts={"there": x})
    write_pnml(build.net(), "own.pnml")
    rows = "30,USA,HIV\n31,USA,flu\n40,Japan,HIV\n41,Japan,flu\n"
    texts = {
        "table.csv": f"Age,Country,Disease\n{rows}",
        "other.csv": f"Age,Country,Disease\n{rows}",
        "kinds.csv": "disease,kind\nHIV,1\nflu,2\n",
        "regions.csv": "USA;America;*\nJapan;Asia;*\n",
        "knows.json": '{"victims": [{"row": 0}]}',
        "nodes.csv": "node,x,y,users\n" + "".join(f"{i},{i % 3},{i // 3},2\n" for i in range(6)),
        "edges.csv": "start,end\n0,1\n1,2\n2,5\n5,4\n4,3\n3,0\n",
        "points.csv": "lat,lon\n" + "".join(f"48.{i},11.{i}\n" for i in range(10, 20)),
        "friends.tsv": "a\tb\nb\tc\nc\td\nd\ta\n",
        "users.csv": "id,town\na,Ulm\nb,Ulm\nc,Bonn\nd,Bonn\n",
        "towns.csv": "Ulm;south;*\nBonn;west;*\n",
        "own.py": "def method(frame, k=2):\n    return frame\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text)
    return here


def state(folder: Path) -> dict[str, bytes]:
    """Everything that is in a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
        if "__pycache__" not in path.parts
    }


def source(path: str) -> str:
    """Return the module that a compiled one is of, or the path as it is."""
    # Those that pytest compiles have its version behind that of Python, with dots.
    compiled = re.sub(r"-pytest-[\d.]+\.pyc$", ".pyc", path)
    return source_from_cache(compiled) if compiled.endswith(".pyc") else path


@pytest.fixture
def opened() -> Iterator[set[str]]:
    """The files that are opened for reading while it is used."""
    found: set[str] = set()
    _HOOK.update(into=found)
    yield found
    _HOOK.clear()


_HOOK: dict[str, set[str]] = {}


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _HOOK and os.path.exists(str(arguments[0])) and "r" in str(arguments[1]):
        _HOOK["into"].add(os.path.realpath(arguments[0]))


sys.addaudithook(_hook)


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_read_is_declared_and_what_is_asked_for_is_written(name, files, opened):
    command = COMMANDS[name]
    declared: set[str] = set()
    identities = gate.identities

    def told(reads: Any) -> Any:
        found = list(reads)
        declared.update(os.path.realpath(one) for one in found if one is not None)
        return identities(found)

    folders = dict.fromkeys(command.folders, "new/folder")
    with mock.patch.object(gate, "identities", told):
        ran = kproof(*command.run(**command.writes, **folders))
    seen = set(opened)
    assert ran.status in (0, 1, 4), ran.err
    written = [*command.writes.values(), *(f"new/folder/{one}" for one in command.folders.values())]
    assert all(os.path.getsize(one) for one in written)
    assert [one for one in state(files) if os.path.basename(one).startswith(".kproof")] == []
    inputs = {str(files / one) for one in command.reads}
    mine = {
        one
        for one in map(source, seen)
        if one.startswith(str(files)) and os.path.basename(one)[0] != "."
    }
    assert inputs <= declared
    assert inputs <= mine
    assert mine - {str(files / one) for one in written} <= declared


def aliases(path: str) -> list[str]:
    """A file by its name, a symbolic link, a hard link and another spelling."""
    os.symlink(path, f"soft-{path}")
    os.link(path, f"hard-{path}")
    return [path, f"soft-{path}", f"hard-{path}", f"./{path}"]


@pytest.mark.parametrize("name", COMMANDS)
def test_no_output_is_an_input(name, files):
    command = COMMANDS[name]
    for read in command.reads:
        names = aliases(read)
        before = state(files)
        for option in command.writes:
            for alias in names:
                others = command.writes | {option: alias}
                said = refused(*command.run(**others))
                assert said == f"--{option} = {alias}: need another file than those that are read"
        for option, file in command.folders.items():
            os.mkdir("folder")
            os.symlink(f"../{read}", f"folder/{file}")
            said = refused(*command.run(**{option: "folder"}))
            assert said.endswith("need another file than those that are read")
            os.unlink(f"folder/{file}")
            os.rmdir("folder")
        assert state(files) == before


@pytest.mark.parametrize("name", COMMANDS)
def test_outputs_are_distinct_and_checked_before_work_starts(name, files):
    command = COMMANDS[name]
    os.mkfifo("fifo")
    os.symlink("other", "soft")
    before = state(files)
    for one, other in combinations(command.writes, 2):
        for path in ("other", "soft"):
            said = refused(*command.run(**command.writes | {one: "other", other: path}))
            assert said == f"--{other} = {path}: need another file than the {one}"
    for option in command.writes:
        for bad, why in (
            ("none/x", "there is no folder none"),
            ("fifo", "is a FIFO, not a file"),
            (".", "is a folder"),
        ):
            said = refused(*command.run(**command.writes | {option: bad}))
            assert said == f"{bad}: cannot be written: {why}"
    for option in command.folders:
        said = refused(*command.run(**{option: "table.csv/x"}))
        assert said.startswith("table.csv/x: cannot be made: ")
    assert state(files) == before


@pytest.mark.parametrize("name", COMMANDS)
def test_an_error_at_the_last_file_leaves_all_as_they_were(name, files, monkeypatch):
    command = COMMANDS[name]
    for path in command.writes.values():
        Path(path).write_text("before")
    before = state(files)
    last = [*command.writes.values(), *command.folders.values()][-1]
    replace = os.replace

    def full(source: str, target: str) -> None:
        if os.path.basename(target) == last and source.endswith("part"):
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", full)
    folders = dict.fromkeys(command.folders, "new")
    said = refused(*command.run(**command.writes, **folders))
    assert said.endswith("cannot be written: No space left on device")
    assert state(files) == before


def test_a_key_is_for_its_owner_only(files):
    Path("key.csv").write_text("")
    Path("key.csv").chmod(0o666)
    assert kproof(*COMMANDS["degrees"].run(output="out.tsv", key="key.csv")).status == 0
    assert os.stat("key.csv").st_mode & 0o777 == 0o600


def test_private_files_stay_private(files):
    Path("out.csv").write_text("")
    Path("out.csv").chmod(0o600)
    assert kproof(*COMMANDS["a table"].run(output="out.csv")).status == 0
    assert os.stat("out.csv").st_mode & 0o777 == 0o600


def test_a_program_that_is_verified_is_an_input(files):
    line = f"{sys.executable} own.py {{input}} {{output}}"
    said = refused("verify", "--command", line, "--html", "own.py")
    assert said == "--html = own.py: need another file than those that are read"
