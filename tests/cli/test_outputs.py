"""Every command that writes refuses what cannot be written before it reads its data."""

import os
from pathlib import Path

import pytest
from commands import options
from shell import refused

from kproof.outputs import destinations

ABSENT = "absent.csv"
"""Data that are not there: a command that read them first would say so."""

_TABLE = f"{ABSENT} --qi a --sensitive b --k 2"
_OF_METHODS = {
    "as-is": f"{ABSENT} --qi a --sensitive b",
    "counts": f"{ABSENT} --qi a --sensitive b",
    "sampled": f"{ABSENT} --levels a=value --k 2 --beta 1/2 --one-row-each",
    "density": "--users 40",
    "quadtree": ABSENT,
    "moving": f"{ABSENT} --grid 500 --k 2",
    "sequences": f"{ABSENT} --grid 500 --k 2 --beta 1/2 --start 2008-06-08T08:00",
    "streets": f"{ABSENT} --roads {ABSENT} --epsilon 1",
    **dict.fromkeys(("sangreea", "k-degree", "baseline"), f"{ABSENT} --k 2"),
    "p-plus-sensitive": f"{_TABLE} --p 2 --categories {ABSENT}",
    "p-alpha-sensitive": f"{_TABLE} --p 2 --alpha 1 --categories {ABSENT}",
}
_NET = f"theta-sensitive --data {ABSENT} --sensitive b --k 2"
_OTHERS = {
    "calculator": "",
    "roles": ABSENT,
    "hierarchy": f"{ABSENT} --column a --ladder prefix",
    "compare": _TABLE,
    "verify": "mondrian",
    "net explore": _NET,
    "net publications": _NET,
    "net simulate": _NET,
    "net export": _NET,
    "audit": "",
    "report": ABSENT,
}
_FILES = {"output", "key", "html", "png", "pnml", "svg", "space", "smt2", "solutions", "picture"}
_GRAPHS = {"sangreea", "k-degree", "baseline"}
"""Methods whose ``--key`` is written: which number is whose. Elsewhere it is that of receipts."""
_FOLDERS = {("report", "output"), ("audit", "figures"), ("audit", "certificates")}


def _found() -> list[tuple[str, str]]:
    """Return every command with each of its options that names what is written."""
    return [
        (name, option)
        for name, argument in options()
        for option in (each[2:] for each in argument.names)
        if (option in _FILES and (option != "key" or name.split()[-1] in _GRAPHS))
        or (name, option) in _FOLDERS
    ]


def _words(name: str, option: str, path: str) -> list[str]:
    kind, _, method = name.partition(" ")
    rest = _OF_METHODS.get(method, _TABLE) if kind == "anonymize" else _OTHERS[name]
    output = ["--output", "fine"] if kind == "anonymize" and option != "output" else []
    return [*name.split(), *rest.split(), *output, f"--{option}", path]


@pytest.mark.parametrize(("name", "option"), _found())
def test_refused_before_the_data_are_read(name, option, here, monkeypatch):
    suffix = {"solutions": ".json", "picture": ".svg"}.get(option, "")
    Path("file").write_text("", encoding="utf-8")
    Path(f"folder{suffix}").mkdir()
    Path("closed").mkdir()
    access = os.access

    def closed(path: str, mode: int) -> bool:
        # A superuser may write everywhere, whatever the permissions are.
        return access(path, mode) and "closed" not in str(path)

    monkeypatch.setattr(destinations.os, "access", closed)
    to_a_folder = (name, option) in _FOLDERS
    impossible = [f"file/x{suffix}", f"closed/x{suffix}"]
    impossible += [] if to_a_folder else [f"none/x{suffix}", f"folder{suffix}"]
    for path in impossible:
        said = refused(*_words(name, option, path))
        assert said.startswith(f"{path}: cannot be "), said
    assert {one.name for one in here.iterdir()} == {"file", f"folder{suffix}", "closed"}
