"""What a caller gets wrong is told by the name of the argument, as Python has it.

Every public function is called once for each of its arguments with something that is of no use as
that argument. No error comes from somewhere inside.
"""

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from cases import cases
from listed_names import PUBLIC

import kproof
from kproof.errors import InvalidArgument
from kproof.models.tables.readers import read_table

FRAME = pd.DataFrame({"age": [1, 2, 3, 4] * 3, "zip": [5, 6] * 6, "ill": list("abcd") * 3})
ROLES: dict[str, Any] = {"quasi_identifiers": ["age", "zip"], "sensitive": "ill"}
COLUMN = [20, 30, 40, 50]
COIN = kproof.theory.FiniteLattice({0: "1/2", 1: "1/2"})
TARGET = {"quantity": "n", "epsilon": "0.5", "delta": "0.1"}


def table() -> kproof.Table:
    return kproof.Table.from_frame(FRAME, **ROLES)


def release() -> Any:
    return kproof.anonymize("mondrian", table(), k=3)


def unchanged(frame: Any, k: int) -> Any:
    return frame


def calls(folder: Path) -> dict[str, dict[str, Any]]:
    """Return what each public function may be called with."""
    return {
        "anonymize": {"method": "mondrian", "data": FRAME, "k": 3, **ROLES},
        "models.anonymize_folder": {
            "method": "mondrian",
            "data": folder,
            "output": folder / "release",
            "k": 3,
            **ROLES,
        },
        "attack": {"name": "linkage", "release": FRAME, **ROLES},
        "theory.block_bound": {"n": 100, "beta": "0.8", "block": 10, "epsilon": "0.1"},
        "theory.block_mass": {"law": COIN, "block": 2},
        "bound": {"theorem": 2, "data": COLUMN},
        "check": {"data": FRAME, "models": kproof.KAnonymity(3), **ROLES},
        "check_anonymizer": {"anonymizer": unchanged},
        "compare": {"data": FRAME, "methods": "mondrian", "k": 3, **ROLES},
        "report": {"data": FRAME, "sections": "decision", **ROLES},
        "theory.compare": {"theorem": 2, "data": COLUMN},
        "theory.design": {**TARGET, "data": COLUMN},
        "theory.empirical": {"column": COLUMN},
        "exact": {"law": kproof.theory.Binomial(10, "1/2"), "epsilon": "0.5"},
        "theory.iid": {"law": COIN, "n": 3},
        "net": {"name": "theta-sensitive", "table": table(), "k": 4},
        "propose_roles": {"source": folder / "data.csv"},
        "read_column": {"source": folder / "data.csv", "column": "age"},
        "read_log": {"path": folder / "log.csv"},
        "read_table": {"source": folder / "data.csv", **ROLES},
        "risk": {"data": FRAME, **ROLES},
        "models.rival": {"release": release()},
        "models.solution_space": {"table": table(), "k": 3},
        "theory.statement": {"theorem": 2},
        "json_schema": {"document": "check"},
    }


# Where an argument is refused beside what the call above has.
INSTEAD: dict[tuple[str, str], dict[str, Any]] = {
    ("bound", "p"): {"theorem": 1, "n": 60, "k": 33, "epsilon": "0.9"},
    ("bound", "delta"): {"theorem": 1, "n": 60, "k": 33, "p": "0.7"},
    ("bound", "moments"): {"theorem": 2, "n": 60},
    ("theory.compare", "p"): {"theorem": 1, "n": 60, "k": 33, "epsilon": "0.9"},
    ("theory.compare", "delta"): {"theorem": 1, "n": 60, "k": 33, "p": "0.7"},
    ("theory.compare", "moments"): {"theorem": 2, "n": 60},
    ("theory.design", "p"): {**TARGET, "theorem": 1, "k": 3},
    ("theory.design", "record"): TARGET,
    **{
        ("theory.design", name): {**TARGET, "theorem": "blocks", "block": 2, "beta": "0.8"}
        for name in ("beta", "block", "least_share")
    },
    ("theory.design", "law"): {**TARGET, "theorem": "blocks", "block": 2},
    ("exact", "delta"): {"law": kproof.theory.Binomial(10, "1/2")},
    **{
        ("theory.block_bound", name): {"block": 2, "epsilon": "0.1"}
        for name in ("law", "data", "masses")
    },
    ("theory.block_bound", "delta"): {"n": 100, "beta": "0.8", "block": 10},
    ("net", "remainder"): {"name": "theta-sensitive", "table": FRAME, "sensitive": "ill", "k": 4},
    ("net", "sensitive"): {"name": "theta-sensitive", "table": FRAME, "k": 4},
}

NOT_JUDGED = {
    ("check_anonymizer", "errors"): "any class of errors, looked at when one is raised",
    ("check_anonymizer", "anonymizer"): "whatever has a call",
}
"""Arguments of which nothing is known to be wrong before they are used."""

MORE: Mapping[str, tuple[str, ...]] = {
    "anonymize": ("k", "l"),
    "models.anonymize_folder": ("k",),
    "attack": (),
    "theory.compare": tuple(inspect.signature(kproof.bound).parameters)[1:],
    "net": ("mu",),
    "read_table": tuple(
        one
        for one in inspect.signature(kproof.anonymize).parameters
        if one not in {"method", "data", "suppress", "suppressed", "parameters"}
    ),
}
"""Arguments that a function takes among its keywords."""


def arguments() -> list[tuple[str, str]]:
    """Return every argument of every public function."""
    found = []
    for place, function in PUBLIC.items():
        name = place.removeprefix("kproof.")
        if isinstance(function, type) or not callable(function):
            continue
        own = [
            one.name
            for one in inspect.signature(function).parameters.values()
            if one.kind is not one.VAR_KEYWORD
        ]
        found += [(name, one) for one in dict.fromkeys((*own, *MORE.get(name, ())))]
    return sorted(set(found) - NOT_JUDGED.keys())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("data")
    FRAME.to_csv(made / "data.csv", index=False)
    (made / "log.csv").write_text("lat,lon,user,time\n1,2,a,3\n")
    return made


@pytest.mark.parametrize(("function", "argument"), arguments())
def test_what_is_of_no_use_is_told_by_its_name(function, argument, folder):
    wrong = object()
    given = {**INSTEAD.get((function, argument), calls(folder)[function]), argument: wrong}
    first = {"check_anonymizer": "anonymizer", "compare": "data"}.get(function)
    positional = [] if first is None else [given.pop(first)]
    with pytest.raises(kproof.KProofError) as caught:
        PUBLIC[f"kproof.{function}"](*positional, **given)  # type: ignore[operator]
    told = caught.value
    if isinstance(told, InvalidArgument):
        assert told.name == argument, told
    else:
        # A column or a file that is not there is told by what was asked for.
        assert argument in str(told) or str(wrong) in str(told), told
    assert "--" not in str(told)


@cases(
    ({"quasi_identifiers": 3}, "quasi_identifiers"),
    ({"least_levels": {"age": 99}}, "least_levels"),
    ({"missing": 3}, "missing"),
    ({"suppressed": "hide"}, "suppressed"),
    ({"k": 1}, "k"),
    ({"categories": ["a"]}, "categories"),
    ({"categories": FRAME["ill"]}, "categories"),
)
def test_values_out_of_range_are_told_by_their_name(given, name):
    with pytest.raises(InvalidArgument) as caught:
        kproof.anonymize("mondrian", FRAME, **{"k": 3, **ROLES, **given})
    assert caught.value.name == name


def test_a_frame_that_is_none_is_told_by_the_name_of_the_function_called():
    with pytest.raises(InvalidArgument, match=r"^source = "):
        read_table(3, quasi_identifiers=["age"])
    with pytest.raises(InvalidArgument, match=r"^data = "):
        kproof.anonymize("mondrian", 3, k=3, **ROLES)
