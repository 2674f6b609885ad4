"""Every public result shows itself in a notebook, briefly and with labels as text."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
import threading
from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from cases import cases
from listed_names import PUBLIC
from shell import same_as_page

import kproof
from kproof.notebooks import show_progress
from kproof.stages import stage
from kproof.theory.theorems.design import design
from kproof.waiting import show_stages

HOSTILE = "<script>alert(1)</script>"


def results() -> set[type]:
    """Return public classes with a JSON form, and what public functions return."""
    found: set[type] = set()
    for value in PUBLIC.values():
        if isinstance(value, type):
            found |= {value} if hasattr(value, "to_dict") else set()
        elif callable(value):
            # Names that are imported for annotations only are found among the public ones.
            home = vars(sys.modules[value.__module__])
            for word in re.findall(r"\w+", str(inspect.signature(value).return_annotation)):
                one = home.get(word)
                found |= {one} if isinstance(one, type) and hasattr(one, "to_dict") else set()
    return found


# Parts of a result, shown as part of it.
PARTS = {kproof.theory.Hypothesis}


def test_every_public_result_has_an_html_form():
    assert kproof.theory.Comparison in results()
    assert sorted(c.__name__ for c in results() - PARTS if not hasattr(c, "_repr_html_")) == []


INPUT = "what somebody gave, printed as it was given; it states nothing"
TABLE = "an account of rows and files; its figures have no formula"
WITHOUT_LATEX = {
    **dict.fromkeys(
        (
            *("Adversary", "Moments", "RecordMoments", "Events", "BackgroundKnowledge", "Taxonomy"),
            *("AlphaK", "BasicBeta", "DeltaDisclosure", "DistinctL", "EnhancedBeta", "EntropyL"),
            *("KAnonymity", "PAlphaSensitive", "PPlusSensitive", "PSensitive", "RecursiveCL"),
            *("TCloseness", "ThetaSensitivity", "Binomial", "FiniteLattice", "IndependentBlocks"),
            *("MarkovChain", "Normal", "PoissonBinomial", "TruncatedBinomial", "IndependentSum"),
            *("NumericColumn", "Table"),
        ),
        INPUT,
    ),
    **dict.fromkeys(
        (
            *("Frontier", "Rival", "Release", "FolderRelease", "RolesFile", "RolesProposal"),
            *("SolutionSpace", "Results", "TableNet", "PositionLog", "Report"),
        ),
        TABLE,
    ),
    "Hypothesis": "a part of a bound, shown as part of it",
}
"""Public classes that show no mathematics, and why not."""


def shown() -> set[type]:
    """Return public classes, and those that public functions return."""
    found: set[type] = set()
    for value in PUBLIC.values():
        if isinstance(value, type):
            found.add(value)
        elif callable(value):
            home = vars(sys.modules[value.__module__])
            for word in re.findall(r"\w+", str(inspect.signature(value).return_annotation)):
                one = home.get(word) or PUBLIC.get(f"kproof.{word}")
                found |= {one} if isinstance(one, type) else set()
    return {one for one in found - {Any} if not issubclass(one, Enum | Exception)}


def test_whatever_shows_mathematics_has_a_form_in_latex():
    without = {one.__name__ for one in shown() if not hasattr(one, "_repr_latex_")}
    # What a function returns under a name that only type checkers import is listed as well.
    known_to_checkers = {"IndependentSum", "NumericColumn", "TableNet", "Results", "SolutionSpace"}
    assert without <= WITHOUT_LATEX.keys()
    assert WITHOUT_LATEX.keys() <= without | known_to_checkers


def in_latex() -> Iterator[Any]:
    """Yield results of every class that has a form in LaTeX, with words that LaTeX would read."""
    from kproof.theory.derivations.proofs.catalogue import derivation

    frame = pd.DataFrame(
        {"$a_1": [1, 2, 3, 4] * 3, "ill": [r"50 % \x{y}^2_3~#&$", "b", "c", "d"] * 3}
    )
    table = kproof.Table.from_frame(frame, quasi_identifiers=["$a_1"], sensitive="ill")
    release = kproof.anonymize("mondrian", table, k=3)
    yield from kproof.check(
        release, [kproof.KAnonymity(3), kproof.EntropyL(2), kproof.DistinctL(2)]
    )
    yield kproof.check(release, kproof.TCloseness("1/3"))[0]
    yield kproof.attack("homogeneity", release)
    yield kproof.attack("homogeneity", table)
    yield kproof.risk(release)
    yield kproof.exact(kproof.theory.Binomial(10**6, "0.3"), epsilon="0.02")
    yield kproof.theory.compare(2, data=[1, 2, 3, 4], s=1)
    yield kproof.bound(1, n=60, p="0.71", k=33, epsilon="0.9", reading="printed")
    yield kproof.bound(1, n=1000, p="0.3", k=10, delta="0.001", reading="derived")
    yield kproof.theory.block_bound(n=100, beta="0.8", block=10, epsilon="0.1")
    yield kproof.theory.block_mass(kproof.theory.empirical([1, 2, 2, 3]), block=2)
    yield kproof.theory.design("n", data=[20, 30, 40, 50], epsilon="0.5", delta="0.01")
    yield kproof.theory.design(
        "beta", theorem="blocks", n=100, block=10, epsilon="0.1", delta="0.01"
    )
    for direction in kproof.theory.Direction:
        yield kproof.theory.PrivacyLoss.from_law(
            kproof.theory.Binomial(9, "1/2"), direction=direction
        ).power(3, randomness="disjoint")
    for theorem in range(1, 6):
        for reading in kproof.theory.Reading:
            yield kproof.theory.statement(theorem, reading)
    proof = derivation("theorem-4")
    yield from (proof, *proof.steps)


def test_latex_is_what_a_notebook_can_draw():
    seen = set()
    for one in in_latex():
        text = one._repr_latex_()
        seen.add(type(one))
        assert text.startswith("$")
        assert text.endswith("$")
        assert re.search(r"(?<!\\)[$%#]", text[1:-1]) is None, text
        assert text.count("{") == text.count("}"), text
        assert text.count(r"\begin") == text.count(r"\end")
        if find_spec("latex2mathml") is not None:
            from latex2mathml.converter import convert

            assert convert(text.strip("$")).startswith("<math")
    assert {one for one in shown() if hasattr(one, "_repr_latex_")} <= seen


def test_digits_in_latex_are_those_of_the_text():
    found = kproof.exact(kproof.theory.Binomial(10**6, "0.3"), epsilon="0.02")
    assert str(found) == "7.340888e-24"
    assert found._repr_latex_() == r"$7.340888 \times 10^{-24}$"
    frame = pd.DataFrame({"a": [1, 1, 1], "ill": ["x", "x", "y"]})
    table = kproof.Table.from_frame(frame, quasi_identifiers=["a"], sensitive="ill")
    (verdict,) = kproof.check(table, kproof.AlphaK("2/3", 2))
    assert verdict.value == Fraction(2, 3)
    assert r"= \frac{2}{3}" in verdict._repr_latex_()


def test_a_comparison_is_short():
    found = kproof.theory.compare(1, n=60, p="0.71", k=33, epsilon="0.9")
    assert len(repr(found)) < 300
    assert "refuted" in repr(found)
    assert "refuted" in found._repr_html_()
    assert "color" not in found._repr_html_()


def test_labels_are_text():
    frame = pd.DataFrame({HOSTILE: [1, 2, 3, 4] * 3, "ill": [HOSTILE, "b", "c", "d"] * 3})
    table = kproof.Table.from_frame(frame, quasi_identifiers=[HOSTILE], sensitive="ill")
    release = kproof.anonymize("mondrian", table, k=3)
    shown = [release, kproof.propose_roles(frame), kproof.risk(release)]
    shown += [kproof.attack("homogeneity", release)]
    for one in shown:
        assert "<script" not in one._repr_html_()


@pytest.mark.parametrize("quantity", ["n", "s"])
def test_design_takes_a_column(quantity):
    column = [0, 1, 2, 3] * 2000
    record = kproof.theory.RecordMoments.from_column(column)
    target = {"epsilon": "0.5", "delta": "0.05"}
    size = {} if quantity == "n" else {"n": len(column)}
    found = design(quantity, data=column, **target)
    assert found.answer == design(quantity, record=record, **size, **target).answer
    assert len(repr(found)) < 300
    assert "missed" in found._repr_html_()


@cases({"theorem": 1}, {"record": kproof.theory.RecordMoments.of("0.5", "0.5", "0.5", "0.5")})
def test_a_column_that_is_not_taken_is_refused(more):
    with pytest.raises(kproof.KProofError, match=r"^data = "):
        design("n", data=[1, 2], epsilon="0.5", delta="0.05", **more)


NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs").rglob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_the_cells_of_a_notebook_show_what_is_stored(notebook):
    document = json.loads(notebook.read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    for cell in (cell for cell in document["cells"] if cell["cell_type"] == "code"):
        *before, last = ast.parse("".join(cell["source"])).body
        assert isinstance(last, ast.Expr)
        exec(compile(ast.Module(before, []), str(notebook), "exec"), names)
        value = eval(compile(ast.Expression(last.value), str(notebook), "eval"), names)
        forms = {"text/plain": repr(value)}
        # Pictures are drawn and not stored: their bytes are those of one version of matplotlib.
        forms |= {"text/html": value._repr_html_()} if hasattr(value, "_repr_html_") else {}
        assert not hasattr(value, "_repr_svg_") or value._repr_svg_().startswith("<svg")
        data = {kind: text.splitlines(keepends=True) for kind, text in forms.items()}
        output = {"data": data, "metadata": {}, "output_type": "execute_result"}
        cell["outputs"] = [{**output, "execution_count": None}]
    text = json.dumps(document, indent=1, ensure_ascii=False)
    same_as_page(notebook, f"{text}\n")


class Shown:
    """A stand-in for IPython: what is displayed, and how it is changed."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.came = threading.Event()

    def display(self, data: dict[str, str], *, raw: bool, display_id: bool) -> Shown:
        assert raw
        assert display_id
        self.update(data, raw=raw)
        return self

    def update(self, data: dict[str, str], *, raw: bool) -> None:
        self.lines.append(data["text/plain"])
        self.came.set()


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Shown:
    """A notebook that waits for nothing."""
    seen = Shown()
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=seen.display))
    monkeypatch.setattr("kproof.waiting.PATIENCE", 0)
    monkeypatch.setattr("kproof.waiting.EVERY", 0)
    return seen


def long_call(seen: Shown) -> str:
    """Go on once what is being done was shown."""
    with stage("cutting groups", 40) as cutting:
        assert seen.came.wait(30)
        seen.came.clear()
        cutting.advance(7)
        assert seen.came.wait(30)
    return "done"


def test_a_long_call_shows_one_line_that_goes(notebook):
    assert show_stages(show_stages(long_call))(notebook) == "done"
    assert notebook.lines == ["cutting groups: 0 of 40", "cutting groups: 7 of 40", ""]


def test_a_call_without_stages_shows_nothing(notebook):
    assert kproof.exact(kproof.theory.Binomial(10, "1/2"), epsilon="0.5")
    assert notebook.lines == []


@pytest.mark.parametrize("reason", ["switched off", "a terminal", "not loaded"])
def test_nothing_is_shown_elsewhere(reason, notebook, monkeypatch):
    if reason == "switched off":
        monkeypatch.setattr("kproof.waiting._Switch.on", True)
        show_progress(False)
    elif reason == "a terminal":
        terminal = SimpleNamespace(get_ipython=lambda: object())
        monkeypatch.setitem(sys.modules, "IPython", terminal)
    else:
        monkeypatch.delitem(sys.modules, "IPython")
    before = threading.active_count()
    assert show_stages(threading.active_count)() == before
    assert notebook.lines == []


def test_an_error_takes_the_line_away(notebook):
    def failing() -> None:
        with stage("deciding"):
            assert notebook.came.wait(30)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        show_stages(failing)()
    assert notebook.lines == ["deciding", ""]
