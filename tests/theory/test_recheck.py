"""The recheck: every certificate is accepted, and none in which anything was changed."""

import ast
import copy
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from apart import python
from cases import cases, error_line
from forger import MUTATIONS, Document, expecting, forged, sealed, written
from nights import by_day, covering, spread

from kproof.theory import recheck as module
from kproof.theory.audit import write_certificates
from kproof.theory.derivations import methods as by
from kproof.theory.derivations.certificate import certificate
from kproof.theory.derivations.deciders import judge
from kproof.theory.derivations.derivation import Derivation, Step, StepStanding
from kproof.theory.derivations.formulas import at_most, equal, less
from kproof.theory.derivations.proofs.catalogue import derivations
from kproof.theory.recheck import CertificateReport, UnreadableError, main, recheck

NAMES = [one.name for one in derivations()]
SHIPPED = Path(__file__).parents[2] / "results" / "certificates"


def operators(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        yield node[0]
        for part in node[1:]:
            yield from operators(part)


def traits(name: str) -> Iterator[tuple[Any, ...]]:
    """Yield what the recheck treats by a way of its own: methods, questions, operators."""
    for step in load(SHIPPED, name)["steps"]:
        method = step["method"]["name"]
        yield (method, step["standing"], step["printed"] is not None, bool(step["queries"]))
        yield from ((method, query["label"].partition("-")[0]) for query in step["queries"])
        yield from ((method, operator) for operator in operators(step["claim"]))


def load(folder: Path, name: str) -> Document:
    document: Document = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return document


FEW = covering(NAMES, traits)
"""Six certificates by day in which all methods, questions and operators occur."""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copied = tmp_path_factory.mktemp("certificates") / "shipped"
    shutil.copytree(SHIPPED, copied)
    every_other_method().write(copied)
    expecting(copied, *(load(copied, name) for name in [*NAMES, "methods"]))
    return copied


def test_the_shipped_certificates_are_what_is_derived(tmp_path):
    """Made again with ``kproof audit --certificates results/certificates``."""
    write_certificates(tmp_path)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in files(tmp_path)}
    shipped = {path.relative_to(SHIPPED): path.read_bytes() for path in files(SHIPPED)}
    assert sorted(shipped) == sorted(made)
    assert [name for name, text in shipped.items() if made[name] != text] == []


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def every_other_method() -> Any:
    """Return a certificate of the methods that the catalogue may not need."""
    x, y = sp.symbols("x y", real=True)
    m, n = sp.Symbol("m", integer=True), sp.Symbol("n", integer=True, positive=True)
    box = {x: (Fraction(1, 10), Fraction(1))}
    steps = (
        Step("box", "", less(sp.exp(x), 1 + 2 * x), by.Enclosed(box), "On a box."),
        Step(
            "grid", "", at_most(m, m**2), by.Enumerated({m: (Fraction(0), Fraction(5))}), "Twice."
        ),
        Step("point", "", at_most(m, m**2), by.Arithmetic(), "From 1 on.", given=(at_most(1, m),)),
        Step(
            "sums",
            "",
            at_most(sp.Sum(m, (m, 1, n)), sp.Sum(m**2, (m, 1, n))),
            by.Summed("point"),
            "Term by term.",
        ),
        Step(
            "log",
            "",
            at_most(sp.log(y), sp.log(y + 1)),
            by.Monotone(sp.log(x), x, y, y + 1),
            "It rises.",
            given=(less(0, y),),
        ),
    )
    methods = Derivation("methods", "Methods", steps, ("log",))
    judged = judge(methods)
    assert {one.standing for one in judged} == {StepStanding.PROVED}
    return certificate(methods, judged)


def checked(folder, document, *, name=None, unpinned=False):
    """Recheck a changed document beside the unchanged files, or with a manifest that expects it."""
    path = folder / "changed" / f"{name or document['name']}.json"
    path.parent.mkdir(exist_ok=True)
    beside = path.parent / path.stem
    if not beside.exists():
        beside.symlink_to(folder / path.stem)
    path.write_text(json.dumps(document), encoding="utf-8")
    expected = expecting(path.parent, document) if unpinned else folder / "manifest.json"
    return recheck(path, solver="z3", manifest=expected)


def step_of(document: Document, name: str) -> Document:
    (found,) = [one for one in document["steps"] if one["id"] == name]
    return found


@pytest.mark.parametrize("name", [*FEW, "methods"])
def test_what_was_decided_is_decided_again(folder, name):
    document = load(folder, name)
    statements = folder / "manifest.json" if name == "methods" else module.MANIFEST
    found = recheck(folder / f"{name}.json", solver="z3", manifest=statements)
    assert found.accepted, found
    assert found.steps == len(document["steps"]) == sum(found.standings.values())
    assert found.confirmed == {"z3": sum(len(one["queries"]) for one in document["steps"])}
    assert "accepted" in str(found)
    assert found.to_dict()["accepted"] is True


def test_a_second_solver_answers_the_same_questions(folder):
    pytest.importorskip("cvc5")
    found = recheck(folder / "methods.json", solver="both", manifest=folder / "manifest.json")
    assert found.accepted
    assert found.confirmed["cvc5"] + len(found.unconfirmed) == found.confirmed["z3"] > 0
    assert found.confirmed["cvc5"] > 0


def test_a_question_left_open_by_the_second_solver_is_not_a_rejection(folder, monkeypatch):
    def answer(solver: str, text: str) -> str:
        return "unsat" if solver == "z3" else said

    pytest.importorskip("cvc5")
    monkeypatch.setattr(module, "_answer", answer)
    said = "unknown"
    found = recheck(folder / "methods.json", solver="both", manifest=folder / "manifest.json")
    assert found.accepted
    assert len(found.unconfirmed) == found.confirmed["z3"]
    assert "not confirmed by the second solver" in str(found)
    said = "sat"
    assert (
        "cvc5 says sat"
        in recheck(folder / "methods.json", solver="both", manifest=folder / "manifest.json").reason
    )


def test_the_second_solver_is_stopped_when_it_takes_too_long(monkeypatch):
    pytest.importorskip("cvc5")
    monkeypatch.setattr(module, "SECOND_SECONDS", 0.05)
    apart = module._Apart()
    cubes = "(= (+ (* x x x) (* y y y)) (* z z z))"
    hard = [
        "(set-logic QF_NIA)",
        *(f"(declare-const {name} Int) (assert (> {name} 0))" for name in "xyz"),
        f"(assert {cubes})",
        "(check-sat)\n",
    ]
    assert apart.ask("\n".join(hard)) == "unknown"
    assert apart.process is None
    assert apart.ask("(set-logic QF_NIA)\n(check-sat)\n") == "sat"
    apart.close()


def test_it_shares_nothing_with_what_wrote_them(folder):
    source = Path(module.__file__)
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        for name in (
            [one.name for one in node.names]
            if isinstance(node, ast.Import)
            else [node.module or "."]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported - set(sys.stdlib_module_names) == {"sympy", "flint", "z3"}
    ran = subprocess.run(
        [
            *(sys.executable, "-I", str(source), str(folder / "methods.json"), "--solver", "z3"),
            *("--manifest", str(folder / "manifest.json")),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "accepted, 5 steps" in ran.stdout


@pytest.mark.parametrize("inside", [False, True], ids=["by its path", "in its folder"])
def test_it_runs_alone_where_it_lies(folder, inside):
    """The folder that it lies in has a ``numbers.py``, and Python puts that folder first."""
    source = Path(module.__file__)
    words = [source.name if inside else str(source), str(folder / "lemma-2.json")]
    cwd = source.parent if inside else None
    ran = python(*words, cwd=cwd)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "accepted, 4 steps" in ran.stdout


# Accidents: the digests notice them at the step where they happened -----------------------


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value that holds no others, and to every list and object."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(one, (*path, key))


def some_places(value: Any) -> list[tuple[Any, ...]]:
    """Return all ways at night; by day the first and the last of those alike but for numbers."""
    ways = list(places(value))
    by_names = {tuple(key for key in way if isinstance(key, str)): way for way in reversed(ways)}
    ends = {tuple(key for key in way if isinstance(key, str)): way for way in ways}
    return by_day([*by_names.values(), *ends.values()], at_night=ways)


def other(value: Any) -> Any:
    """Return something else of the same kind."""
    if isinstance(value, str):
        return value[:-1] + ("1" if value[-1] != "1" else "2") if value else "x"
    if isinstance(value, dict):
        return dict(list(value.items())[1:]) if value else {"x": "1"}
    if isinstance(value, list):
        return value[1:] if value else ["1"]
    return 1 if value is None else None


@pytest.mark.parametrize("name", [*FEW, "methods"])
def test_no_field_can_be_changed(folder, name, monkeypatch):
    """Values of every kind: texts, numbers, members of lists, whole lists and objects."""
    document = load(folder, name)
    path = folder / f"{name}.json"
    steps = document["steps"]
    computed = module._digest
    unchanged = {id(one) for one in steps}
    remembered: dict[tuple[str, int], str] = {}

    def once(before: str, part: Document) -> str:
        """Compute the digest of an unchanged step behind the same ones a single time."""
        if id(part) not in unchanged:
            return computed(before, part)
        if (before, id(part)) not in remembered:
            remembered[before, id(part)] = computed(before, part)
        return remembered[before, id(part)]

    monkeypatch.setattr(module, "_digest", once)
    for place in some_places({key: one for key, one in document.items() if key != "steps"}):
        changed = replaced(document, place)
        checker = module._Checker(path, ("z3",), {})
        with pytest.raises(module._RejectedError):
            checker.run(changed)
        assert checker.at == "document"
    for number, step in enumerate(steps):
        for place in some_places(step):
            changed = {**document, "steps": [*steps[:number], replaced(step, place)]}
            checker = module._Checker(path, ("z3",), {})
            with pytest.raises(module._RejectedError):
                checker.run(changed)
            assert checker.at == (changed["steps"][-1].get("id") or f"step {number + 1}")


def replaced(document: Any, place: tuple[Any, ...]) -> Any:
    """Return a copy with another value at one place; what is not on the way is shared."""
    key, *rest = place
    copied = document.copy()
    copied[key] = replaced(document[key], tuple(rest)) if rest else other(document[key])
    return copied


@pytest.mark.parametrize("name", [*FEW, "methods"])
def test_no_step_can_be_left_out_doubled_or_moved(folder, name):
    document = load(folder, name)
    steps = document["steps"]
    for number in range(len(steps)):
        without = [*steps[:number], *steps[number + 1 :]]
        doubled = [*steps[: number + 1], *steps[number:]]
        swapped = [*steps[:number], *reversed(steps[number : number + 2]), *steps[number + 2 :]]
        for changed in (without, doubled, swapped):
            if changed != steps:
                checker = module._Checker(folder / f"{name}.json", ("z3",), {})
                with pytest.raises(module._RejectedError):
                    checker.run({**document, "steps": changed})
                assert checker.at in {*(one["id"] for one in steps), "document"}


@pytest.mark.parametrize("name", ["lemma-1", "methods"])
def test_no_byte_of_a_question_can_be_changed(folder, tmp_path, name):
    document = load(folder, name)
    path = tmp_path / f"{name}.json"
    path.write_bytes((folder / path.name).read_bytes())
    (tmp_path / name).mkdir()
    files = [q["file"] for one in document["steps"] for q in one["queries"]]
    for file in files:
        (tmp_path / file).write_bytes((folder / file).read_bytes())
    expected = folder / "manifest.json"
    drawn = random.Random(7)
    for file in drawn.sample(files, 4):
        whole = (tmp_path / file).read_bytes()
        at = drawn.randrange(len(whole))
        for data in (
            whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :],
            whole[:-1],
            whole + b"\n",
        ):
            (tmp_path / file).write_bytes(data)
            found = recheck(path, solver="z3", manifest=expected)
            assert not found.accepted
            assert file.endswith(f"/{found.step}.{file.rsplit('.', 2)[1]}.smt2")
            assert file in found.reason
        (tmp_path / file).unlink()
        assert "No such file" in recheck(path, solver="z3", manifest=expected).reason
        (tmp_path / file).write_bytes(whole)
    assert recheck(path, solver="z3", manifest=expected).accepted


# Intent: digests, questions and files are made anew, so that only mathematics is left ---------


def forge(folder, name, change):
    """Change steps, and whatever the questions are then, write their digests and files."""
    document = load(folder, name)
    change({one["id"]: one for one in document["steps"]})
    path, expected = written(folder / "forged", document)
    return recheck(path, solver="z3", manifest=expected)


def test_the_forger_can_forge_what_is_true(folder):
    """Else the tests below would show nothing."""

    def harmless(steps: dict[str, Document]) -> None:
        steps["point"]["because"] = "Another sentence."
        steps["point"]["given"] = [["<=", "2", "m"], ["<=", "1", "m"]]
        steps["sums"]["given"] = [["<=", "5", "n"]]

    found = forge(folder, "methods", harmless)
    assert (found.step, "given" in found.reason or "says" in found.reason) == ("sums", True)

    def narrower(steps: dict[str, Document]) -> None:
        steps["point"]["given"] = [["<=", "0", "m"], ["<=", "1", "m"]]

    assert forge(folder, "methods", narrower).accepted


def test_a_sum_that_cannot_be_told_leaves_no_value_behind(folder: Path) -> None:
    """The variable of a sum may be a symbol of the box, too: the last value was that of both."""

    def wide(steps: dict[str, Document]) -> None:
        x = sp.Symbol("x", real=True)
        steps["box"]["claim"] = ["<=", ["sum", module.tree(sp.log(x**2 - 2 * x + 2)), *"m00"], "-9"]
        steps["box"]["given"] = [["<=", "1", "m"]]
        steps["box"]["method"] = {"name": "enclosed", "box": {"m": ["1", "2"], "x": ["0", "2"]}}

    found = forge(folder, "methods", wide)
    assert (found.step, found.reason[:11]) == ("box", "not certain")


def test_functions_are_not_named_by_symbols(tmp_path: Path) -> None:
    """What is put in for a symbol is not put in for a function of its name."""
    x, a, b = sp.symbols("x a b", real=True)
    claim = equal(sp.Function("a")(x), sp.Function("b")(x))
    given = (equal(a, b),)
    steps = (
        Step("symbols", "", equal(a, b), by.Arithmetic(), "They are equal.", given=given),
        Step("functions", "", claim, by.Identity(), "False.", follows=("symbols",), given=given),
    )
    names = Derivation("names", "Names", steps, ("functions",))
    judged = judge(names)
    assert [one.standing for one in judged] == [StepStanding.PROVED, StepStanding.FAILED]
    document = json.loads(certificate(names, judged).to_json())
    step_of(document, "functions")["found"] = "normal form 0"
    path, expected = written(tmp_path, forged(document, lambda _: None))
    found = recheck(path, solver="z3", manifest=expected)
    assert (found.step, found.reason[:10]) == ("functions", "both sides")


def put(*way: Any, value: Any) -> Callable[[dict[str, Document]], None]:
    def change(steps: dict[str, Any]) -> None:
        at: Any = steps
        for key in way[:-1]:
            at = at[key]
        at[way[-1]] = value

    return change


ZERO_IS_ONE = ["=", "0", "1"]
FORGED: list[tuple[str, str, tuple[Any, ...], Any, str]] = [
    ("methods", "box", ("claim", 2, 1), "-1", "not certain|normal form"),
    ("methods", "box", ("method", "box", "x", 0), "-1/10", "not certain"),
    ("methods", "box", ("method", "box", "x", 1), "2", "not certain"),
    ("methods", "box", ("method", "box"), {}, "x has no range"),
    ("methods", "box", ("found",), "normal form 0", "what was found"),
    ("methods", "grid", ("claim",), ["<", "m", ["^", "m", "2"]], "false at m = 0"),
    ("methods", "grid", ("method", "grid", "m", 0), "1/2", "not of its kind"),
    ("methods", "grid", ("method", "grid", "m"), [], "no point"),
    ("methods", "point", ("given",), [], "says sat"),
    ("methods", "point", ("claim",), ["<", "m", ["^", "m", "2"]], "says sat"),
    ("methods", "point", ("claim",), ["<=", ["^", "m", "2"], "m"], "says sat"),
    ("methods", "point", ("method",), {"name": "identity"}, "an identity is an equation"),
    ("methods", "point", ("method",), {"name": "defined"}, "no definition|has no hypotheses"),
    ("methods", "point", ("method",), {"name": "assumed", "source": "me"}, "it stands as assumed"),
    ("methods", "point", ("method",), {"name": "guessed"}, "no method guessed"),
    ("methods", "point", ("standing",), "assumed", "it stands as proved"),
    ("methods", "point", ("standing",), "not decided", "it stands as proved"),
    ("methods", "point", ("rests_on",), ["box"], "rests on other steps"),
    ("methods", "point", ("follows",), ["point"], "no earlier step"),
    ("methods", "point", ("follows",), ["log"], "no earlier step"),
    ("methods", "point", ("follows",), ["grid"], "grid is shown on a grid only"),
    ("methods", "sums", ("claim", 1, 3), "0", "differ in their range"),
    ("methods", "sums", ("claim", 2, 1, 2), "3", "no summands"),
    ("methods", "sums", ("method", "of"), "grid", "a grid only"),
    ("methods", "log", ("method", "low"), "x", "outside the function"),
    ("methods", "log", ("given",), [], "says sat"),
    ("methods", "log", ("claim", 1), ["log", ["+", "2", "y"]], "does not compare"),
    ("theorem-1", "ratio-left", ("claim", 0), "<", "says sat"),
    ("theorem-1", "ratio-left", ("printed", "relation", 0), "<=", "relation holds"),
    ("theorem-1", "ratio-left", ("printed", "at", "x"), "4", "relation holds"),
    ("theorem-1", "ratio-left", ("printed", "at", "mu"), "9", "a hypothesis fails"),
    ("theorem-1", "ratio-left", ("printed", "at", "mu"), "-2", "not of its kind"),
    ("theorem-1", "ratio-left", ("printed", "at"), {}, "has no value"),
    ("theorem-1", "neighbours", ("follows",), [], "both sides differ"),
    ("theorem-1", "neighbours", ("given",), [], "says sat"),
    ("theorem-1", "neighbours", ("claim",), ZERO_IS_ONE, "both sides differ|normal form"),
    ("theorem-1", "mass", ("given",), [["<", "p", "1"]], "has no hypotheses"),
    ("lemma-2", "berry-esseen", ("method", "source"), " ", "from no source"),
    ("lemma-2", "berry-esseen", ("method",), {"name": "arithmetic"}, "says sat"),
    ("lemma-2", "coins", ("standing",), "proved", "proved from assumptions"),
    ("lemma-2", "coins", ("rests_on",), [], "rests on other steps"),
    ("lemma-2", "coins", ("given",), [], "says sat"),
    ("c1-upward", "mass-positive-at-k", ("method", "at", "x"), "1", "not that of mass-positive"),
    ("c1-upward", "mass-positive-at-k", ("method", "at"), {"x": ["+", "1", "k"]}, "not that of"),
    ("c1-upward", "mass-positive", ("method", "base"), "-1", "says sat"),
    ("c1-upward", "mass-positive", ("method", "base"), "x", "occurs in its base"),
    ("c1-upward", "mass-positive", ("method", "base"), "p", "whole numbers"),
    ("c1-upward", "mass-positive", ("given",), [["<", "p", "1"]], "says sat"),
    ("c1-upward", "mass-positive", ("follows",), ["mass-at-0"], "says sat"),
    ("c1-upward", "distribution", ("claim", 1, 2), "m", "depends on m"),
]


@pytest.mark.parametrize(("name", "step", "way", "value", "reason"), FORGED)
def test_no_forgery_passes(folder, name, step, way, value, reason):
    found = forge(folder, name, put(step, *way, value=value))
    assert not found.accepted
    assert found.step == step
    assert re.search(reason, found.reason), found.reason


def test_signs_and_numbers_in_claims_cannot_be_changed(folder):
    """Drawn from all derivations: a number gets another sign or is one more."""
    drawn = random.Random(20)
    for name in drawn.sample(NAMES, 3):
        document = load(folder, name)
        spots = [
            (step["id"], ("claim", *place))
            for step in document["steps"]
            if step["method"]["name"] in ("arithmetic", "instance", "induction", "identity")
            and step["claim"][0] == "="
            for place in places(step["claim"])
            if at(step["claim"], place) == "-1"
        ]
        for step, way in drawn.sample(spots, min(1, len(spots))):
            found = forge(folder, name, put(step, *way, value="-2"))
            assert not found.accepted
            assert found.step == step


def at(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


# Meaning is changed, and everything made anew: the manifest knows what should have come out -----

FIELDS = {
    "throughout": "claim|definitions|relation|at",
    "conclusion": "place|because|conclusions",
    "definitions": "definitions|claim|assumptions",
    "assumptions": "assumptions|source|given|claim|place|because",
    "printed": "printed|ruling|at|given|relation",
}


@pytest.mark.parametrize("name", NAMES)
def test_no_statement_can_be_changed(name, monkeypatch):
    """Whatever the mutation: it is named before a solver is asked. By day a quarter of them."""
    assert len(MUTATIONS) >= 60
    monkeypatch.setattr(module, "_answer", lambda *_: pytest.fail("a solver was asked"))
    document = load(SHIPPED, name)
    expected = module.statements(module.MANIFEST)
    for said, mutation in spread(MUTATIONS.items(), 4, offset=NAMES.index(name)):
        changed = forged(document, mutation)
        assert changed != document, said
        checker = module._Checker(Path(f"{changed['name']}.json"), ("z3",), expected)
        with pytest.raises(module._RejectedError) as rejected:
            checker.run(changed)
        field = said.partition(":")[0]
        reason = str(rejected.value)
        assert re.match(rf"({FIELDS.get(field, field)}): ", reason), (said, reason)
        known = {one["id"] for one in (*document["steps"], *changed["steps"])}
        assert checker.at in known | {"document"}


def test_the_forger_is_competent(tmp_path):
    """With a manifest that expects them, many are accepted: only the manifest tells them apart."""
    document = load(SHIPPED, "lemma-2")
    found: dict[str, CertificateReport] = {}
    for place, (said, mutation) in enumerate(MUTATIONS.items()):
        if said == "conclusions: no such step":
            continue  # No manifest can expect it.
        path, expected = written(tmp_path / str(place), forged(document, mutation))
        found[said] = recheck(path, solver="z3", manifest=expected)
        assert not recheck(path, solver="z3").accepted
    accepted = {said for said, one in found.items() if one.accepted}
    assert len(accepted) >= 20
    assert {
        "title: another sentence",
        "conclusions: a definition",
        "throughout: constants a tenth",
        "assumptions: what follows at once",
        "assumptions: a year",
        "printed: another ruling",
    } <= accepted
    # No manifest helps a contradiction.
    for said in ("given: a contradiction", "given: a negative square", "given: less than itself"):
        assert "all hypotheses together fail" in found[said].reason


def test_hypotheses_are_met_where_the_report_says(folder):
    met = {one.id: one for one in recheck(folder / "lemma-2.json", solver="z3").conclusions}
    assert met["unit"].met == ""
    assert met["coins"].met == "n = 1, a = 1, R = 1, V = 1, j = 1, thirds(1) = 1, variance(1) = 1"
    assert met["coins"].rests_on == ("berry-esseen",)


def test_hypotheses_of_a_grid_are_met_at_one_of_its_points(tmp_path):
    x = sp.Symbol("x", real=True)
    grid = by.Enumerated({x: tuple(map(Fraction, (-5, 5, 6)))})
    steps = (Step("few", "", at_most(1, x), grid, "Looked at.", given=(less(0, x),)),)
    made = Derivation("few", "Few", steps, ("few",))
    one = certificate(made, judge(made))
    expected = expecting(tmp_path, dict(one.document))
    (conclusion,) = recheck(one.write(tmp_path), solver="z3", manifest=expected).conclusions
    assert conclusion.says == "if 0 < x and (x = -5 or x = 5 or x = 6), then 1 <= x"
    assert conclusion.met == "x = 5"


def test_a_manifest_is_compared_with_that_of_the_recheck(tmp_path, capsys):
    assert module.manifest_difference(SHIPPED / "manifest.json") == ""
    assert main([str(SHIPPED / "manifest.json")]) == 1
    printed = capsys.readouterr()
    assert "the manifest that certificates are held against" in printed.out
    assert "nothing is judged" in printed.err
    judged = recheck(SHIPPED / "manifest.json")
    assert (judged.accepted, judged.steps) == (False, 0)
    assert "a manifest is no certificate" in judged.reason
    path = tmp_path / "manifest.json"
    text = (SHIPPED / "manifest.json").read_text(encoding="utf-8")
    path.write_text(text.replace("Shevtsova 2013", "Shevtsova 2031", 1), encoding="utf-8")
    assert module.manifest_difference(path).startswith("theorem-2: ")
    assert main([str(path), str(SHIPPED / "lemma-2.json")]) == 1
    with pytest.raises(UnreadableError, match="the digest is not that of"):
        recheck(SHIPPED / "lemma-2.json", manifest=path)
    with pytest.raises(UnreadableError, match="not a manifest"):
        recheck(SHIPPED / "lemma-2.json", manifest=SHIPPED / "lemma-2.json")
    with pytest.raises(UnreadableError, match="no manifest"):
        module.manifest_difference(SHIPPED / "lemma-2.json")


def first_entry(change: Callable[[Document], object]) -> Callable[[Document], None]:
    def applied(manifest: Document) -> None:
        entry = manifest["certificates"][0]
        change(entry)
        entry["digest"] = module._digest("", entry)

    return applied


def suppose_more(entry: Document) -> None:
    """Say of an assumption that it is for large values only; its formula is for all of them."""
    (taken,) = entry["assumptions"].values()
    taken["range"] = {"variable": "x", "base": "1000"}
    taken["says"] = module._sentence(taken)


def of_another_relation(entry: Document) -> None:
    """Say of a definition what another formula says."""
    (named,) = entry["definitions"].values()
    named["given"] = [["<", "0", "x"]]
    named["says"] = module._sentence(named)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda one: one["certificates"].append(one["certificates"][0]), "occurs twice"),
        (first_entry(suppose_more), "taken: taken are not those of the format: range"),
        (first_entry(of_another_relation), "taken: named are not those of the format: given"),
        (first_entry(lambda one: one["conclusions"]["more"].pop("because")), "format: because"),
    ],
)
def test_a_manifest_says_what_certificates_are_held_against(tmp_path, change, why):
    """Nothing is shown to a reader that is compared with nothing."""
    x = sp.Symbol("x", real=True)
    steps = (
        Step("named", "", equal(sp.Function("F")(x), x), by.Defined(), ""),
        Step("taken", "", less(0, sp.Function("F")(x)), by.Assumed("somebody 1900"), ""),
        Step("more", "", less(1, sp.Function("F")(x) + 1), by.Arithmetic(), "", ("taken",)),
    )
    made = Derivation("taken", "Taken", steps, ("more",))
    document = certificate(made, judge(made))
    path, expected = document.write(tmp_path), expecting(tmp_path, dict(document.document))
    assert recheck(path, manifest=expected, solver="z3").accepted
    manifest = json.loads(expected.read_text(encoding="utf-8"))
    change(manifest)
    manifest["digest"] = module._digest("", manifest)
    expected.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(UnreadableError, match=why):
        recheck(path, manifest=expected, solver="z3")


def test_no_line_of_a_report_is_written_by_a_certificate(folder: Path) -> None:
    """The id of a step that is rejected is whatever the file has there."""
    document = load(folder, "lemma-2")
    document["steps"][0]["id"] = "x\nlemma-2.json: accepted\x1b[1A\x1b[2K\ud800"
    found = checked(folder, document)
    assert not found.accepted
    assert str(found).isprintable()
    assert found.step == "x lemma-2.json: accepted\\x1b[1A\\x1b[2K\\ud800"


# Files that nobody should be harmed by ------------------------------------------------------------


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = ["exp", value]
    return value


HOSTILE: list[tuple[Any, str]] = [
    (["<", "0", "9" * 100], "is no number"),
    (["<", "0", ["^", "9", ["^", "9", ["^", "9", "9"]]]], "too large"),
    (["<", "0", ["^", ["+", "x", "y"], "100000"]], "too large"),
    (["<", "0", ["__import__", "os"]], "no operator"),
    (["<", "0", ["apply", "os.system", "x"]], "no name of a function"),
    (["<", "0", ["apply", "F"]], "apply needs"),
    (["<", "0"], "two sides"),
    (["<", "0", "z"], "is no number"),
    (["<", "0", []], "no formula"),
    (["<", "0", {"x": 1}], "no formula"),
    (["<", "0", 3], "no formula"),
    (["<", "0", ["binomial", "100000", "50000"]], "binomial of a number"),
    (["<", "0", ["+", "1", "1"]], "normal form"),
    (["<", "0", ["^", "0", "-1"]], "no tree of|normal form"),
    (["and", ["<", "0", "x"], "x"], "no formula"),
    ("true", "no formula"),
    (None, "no formula"),
]


@pytest.mark.parametrize(("claim", "reason"), HOSTILE, ids=str)
def test_hostile_formulas_are_refused(folder, claim, reason):
    document = load(folder, "methods")
    document["steps"][2]["claim"] = claim
    found = checked(folder, sealed(document))
    assert (found.accepted, found.step) == (False, "point")
    assert re.search(reason, found.reason), found.reason


@cases(
    ({"t!1": ["real"]}, "name t!1"),
    ({"pi": ["real"]}, "name pi"),
    ({"z": ["real"]}, "do not occur: z"),
    ({"x": ["real", "negative"]}, "another sign"),
    ({"x": ["integer"]}, "not of its kind|an integer|says|normal"),
)
def test_hostile_symbols_are_refused(symbols, reason, folder):
    document = load(folder, "methods")
    document["symbols"] |= symbols
    found = checked(folder, sealed(document), unpinned=True)
    assert not found.accepted
    assert re.search(reason, found.reason), found.reason


def test_a_name_that_the_solver_keeps_for_itself(folder):
    text = (folder / "methods.json").read_text(encoding="utf-8").replace('"y"', '"true"')
    found = checked(folder, sealed(json.loads(text)), unpinned=True)
    assert (found.accepted, found.step) == (False, "log")


@cases(
    (lambda one: one["steps"][0].update(id=["box"]), "the id of a step is no text"),
    (lambda one: one["steps"][0].update(claim={}), "no formula"),
    (lambda one: one.update(conclusions=[["box"]]), "conclusions: texts"),
    (lambda one: one.update(conclusions=["nothing"]), "conclusions: "),
    (lambda one: one.update(conclusions=[]), "conclusions: "),
    (lambda one: one.update(schema=2), "schema"),
    (lambda one: one.update(schema=True), "schema"),
    (lambda one: one.update(name="other"), "not that of the file"),
    (lambda one: one.update(name="../etc"), "not that of the file"),
    (lambda one: one.update(theorem=6), "no such theorem"),
    (lambda one: one.update(extra=1), "extra"),
    (lambda one: one.pop("title"), "title"),
    (lambda one: one.update(steps=[]), "no steps"),
    (lambda one: one.update(steps=[*one["steps"], {}]), "the id of a step is no text"),
)
def test_the_document_itself(change, reason, folder):
    document = load(folder, "methods")
    change(document)
    found = checked(folder, sealed(copy.deepcopy(document)), name="methods")
    assert not found.accepted
    assert reason in found.reason


@cases(
    (b"", "not the JSON"),
    (b"{", "not the JSON"),
    (b"[1]", "not a JSON object"),
    (b'{"a": 1, "a": 2}', "a key occurs twice"),
    (b'{"a": 1.5}', "no whole number"),
    (b'{"a": NaN}', "no whole number"),
    (b'{"a": %s}' % (b"9" * 5000), "too long"),
    (b'{"a": "\xff"}', "UTF-8"),
    (b"[" * 100_000 + b"]" * 100_000, "nested deeper"),
    (b" " * (9 << 20), "longer than"),
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_files_that_are_no_certificates(data, why, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(UnreadableError, match=why):
        recheck(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipes_and_devices_are_not_waited_for(folder, tmp_path):
    os.mkfifo(tmp_path / "x.json")
    for path in (tmp_path / "x.json", tmp_path, Path(os.devnull)):
        assert "no regular file" in error_line(UnreadableError, recheck, path)
    shutil.copy(folder / "lemma-2.json", tmp_path)
    shutil.copytree(folder / "lemma-2", tmp_path / "lemma-2")
    (question,) = (tmp_path / "lemma-2").iterdir()
    question.unlink()
    os.mkfifo(question)
    found = recheck(tmp_path / "lemma-2.json", solver="z3")
    assert not found.accepted
    assert "no regular file" in found.reason


@cases(
    ("SECONDS", "0.05 seconds of processor time"), ("CLOCK_SECONDS", "0.05 seconds by the clock")
)
def test_what_takes_too_long_is_stopped(limit, said, folder, monkeypatch):
    def answer(*_: str) -> str:
        while limit == "SECONDS":
            pass
        threading.Event().wait()
        return "unsat"

    if not module._TIMERS:
        pytest.skip("the system has no timers")
    monkeypatch.setattr(module, "_answer", answer)
    monkeypatch.setattr(module, limit, 0.05)
    timers = (signal.ITIMER_REAL, signal.ITIMER_PROF)
    before = [signal.getsignal(one) for one in (signal.SIGALRM, signal.SIGPROF)]
    found = recheck(folder / "lemma-2.json", solver="z3")
    assert (found.accepted, found.reason) == (False, f"not decided within {said}")
    assert all(signal.getitimer(one) == (0, 0) for one in timers)
    assert [signal.getsignal(one) for one in (signal.SIGALRM, signal.SIGPROF)] == before


def test_the_script_says_what_it_found(folder, tmp_path, capsys):
    options = ["--solver", "z3", "--manifest", str(folder / "manifest.json")]
    assert main([str(folder / "methods.json"), *options]) == 0
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    assert main([str(folder / "methods.json"), str(tmp_path / "x.json"), *options]) == 1
    assert "rejected at document" in capsys.readouterr().out
    assert main([str(tmp_path / "none.json")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_what_is_assumed_is_said_to_be(tmp_path):
    x = sp.Symbol("x", real=True)
    steps = (
        Step("taken", "", less(0, x), by.Assumed("somebody 1900"), ""),
        Step("more", "", less(1, x + 1), by.Arithmetic(), "", ("taken",)),
    )
    made = Derivation("taken", "Taken", steps, ("more",))
    one = certificate(made, judge(made))
    expected = expecting(tmp_path, dict(one.document))
    found = recheck(one.write(tmp_path), solver="z3", manifest=expected)
    assert found.accepted
    assert "assumed, taken: 0 < x (somebody 1900)" in str(found)
    assert "more: proved from assumptions, rests on taken: 1 < 1 + x" in str(found)
    assert found.standings == {"assumed": 1, "proved from assumptions": 1}


def test_no_other_solver():
    with pytest.raises(ValueError, match="solver = yices: need z3, cvc5 or both"):
        recheck(Path("x"), solver="yices")
