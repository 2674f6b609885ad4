"""The reference has every public name once, and knows where other projects explain theirs."""

import ast
import inspect
import re
import textwrap
from enum import Enum
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from listed_names import PUBLIC

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PAGES = sorted((REFERENCE / "names").glob("*.md"))
INVENTORIES = sorted((REFERENCE.parent / "inventories").glob("*.inv"))
PLACES = {
    "networkx": r"reference/[a-z/]+\.html",
    "numpy": r"reference/(arrays\.scalars|typing|generated/{name})\.html",
    "pandas": r"reference/api/{name}\.html",
    "polars": r"reference/[a-z]+/index\.html",
    "pyarrow": r"generated/{name}\.html",
    "python": r"library/{module}\.html",
    "sympy": r"modules/core\.html",
}
"""How each project names its pages."""


def documented(page: Path) -> list[str]:
    """Names that a page documents, with the module."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^\.\. auto(?:function|class|exception|data):: (\S+)$", text, re.MULTILINE)


def test_every_public_name_is_documented_once_as_it_is_imported():
    assert sorted(name for page in PAGES for name in documented(page)) == sorted(PUBLIC)


def test_the_page_of_names_lists_each_under_the_title_of_its_page():
    text = (REFERENCE / "names.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    listed = {
        section.splitlines()[0]: re.findall(r"^   (kproof\.[\w.]+)$", section, re.MULTILINE)
        for section in sections
    }
    pages = {page.read_text(encoding="utf-8").splitlines()[0][2:]: page for page in PAGES}
    assert listed == {title: documented(page) for title, page in pages.items()}
    assert sorted(re.findall(r"^names/(\S+)$", text, re.MULTILINE)) == [one.stem for one in PAGES]


def documented_fields(thing: object) -> set[str]:
    """Names of fields that a string stands under, of the class and its bases.

    A string may be about several fields: those before it that have none.
    """
    names: set[str] = set()
    for base in thing.__mro__ if isinstance(thing, type) else ():
        if not base.__module__.startswith("kproof"):
            continue
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        assert isinstance(definition, ast.ClassDef)
        waiting: set[str] = set()
        for line in definition.body:
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                waiting.add(line.target.id)
            else:
                if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant):
                    names |= waiting
                waiting = set()
    return names


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_says_what_it_is_and_what_it_takes(name):
    thing: Any = PUBLIC[name]
    text = inspect.getdoc(thing)
    assert text
    if isinstance(thing, type) and issubclass(thing, Enum | Exception):
        return
    arguments = "".join(re.findall(r"^Args:\n((?:    .*\n|\n)*)", f"{text}\n", re.MULTILINE))
    lines = re.findall(r"^    ([*\w]+(?:, [*\w]+)*): ", arguments, re.MULTILINE)
    named = {one.lstrip("*") for line in lines for one in line.split(", ")}
    named |= documented_fields(thing)
    taken = [one for one in inspect.signature(thing).parameters if not one.startswith("_")]
    assert [one for one in taken if one not in named] == []


def test_no_heading_of_a_docstring_is_underlined():
    root = REFERENCE.parents[1]
    houses = ("benchmarks", "models", "petri", "proptests", "src", "tests", "theory")
    paths = sorted(path for house in houses for path in (root / house).rglob("*.py"))
    heading = re.compile(r"^ *\w[\w ]*\n *-{3,}$", re.MULTILINE)
    assert [str(path) for path in paths if heading.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("inventory", INVENTORIES, ids=lambda path: str(path.stem))
def test_an_inventory_names_what_there_is_where_its_project_explains_it(inventory):
    head, project, _, *lines = inventory.read_text(encoding="utf-8").splitlines()
    assert head == "# Sphinx inventory version 1"
    assert project == f"# Project: {inventory.stem}"
    assert lines == sorted(set(lines))
    for line in lines:
        name, kind, place = line.split()
        assert kind in {"class", "data"}
        module = name.rpartition(".")[0]
        form = PLACES[inventory.stem].format(name=re.escape(name), module=re.escape(module))
        assert re.fullmatch(form, place), line
        assert (kind == "class") == isinstance(resolve_name(name), type), line


def test_the_docs_ask_for_every_inventory_and_fetch_none():
    conf = (REFERENCE.parent / "conf.py").read_text(encoding="utf-8")
    sites = dict(re.findall(r'^        "(\w+)": "(https://[^"]+)",$', conf, re.MULTILINE))
    assert sorted(sites) == [path.stem for path in INVENTORIES]
    assert 'f"inventories/{project}.inv"' in conf
