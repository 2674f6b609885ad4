"""The paper map names what is there, and the docs show it."""

import ast
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest
from cases import cases

from kproof.report.ledgers import documents
from kproof.theory.derivations.proofs.catalogue import derivations
from kproof.theory.kernel.page import side_by_side
from kproof.theory.kernel.statements import STATEMENTS
from kproof.theory.papers.paper_map import NUMBERED, PAPER_MAP, to_markdown

ROOT = Path(__file__).parents[3]


@cache
def functions(path: str) -> frozenset[str]:
    """Names of the functions that a file defines."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def numbers(text: str) -> Iterator[str]:
    """Yield each number that a cell of the map stands for.

    >>> list(numbers("Theorem 2, (19) to (21)")), list(numbers("Tables 1a and 3"))
    (['Theorem 2', '(19)', '(20)', '(21)'], ['Table 1a', 'Table 3'])
    """
    kind = ""
    for part in re.split(r", | and ", text):
        word = re.match(
            r"(Algorithm|Definition|Equation|Figure|Lemma|Rule|Section|Table|Theorem)s? ", part
        )
        if word:
            kind = f"{word[1]} "
        elif part.startswith("("):
            kind = kind if kind == "Equation " else ""
        rest = part[word.end() :] if word else part
        between = re.fullmatch(r"\(?(\d+)\)? to \(?(\d+)\)?", rest)
        if between:
            form = "({})" if rest.startswith("(") else "{}"
            first, last = map(int, between.groups())
            yield from (kind + form.format(number) for number in range(first, last + 1))
        else:
            yield kind + rest


NAMED = {
    "Zhao et al.: k-anonymity against inference attacks": (
        "Definition 1, Definition 2, Theorem 1 (1), Theorem 1 (2), Lemma 1, Lemma 2, Theorem 2, "
        "Theorem 3, Theorem 4, Theorem 5, Table II, Table III, Figures 2 to 7, (1) to (36)"
    ),
    "Khan et al.: θ-sensitive k-anonymity": (
        "Definition 5, Definition 6, Definition 10, Equation (1), Equation (2), Equation (3), "
        "Equation (4), Equation (5), Algorithm 1, Rule (1), Rule (2), Rule (3), Rule (4), "
        "Rule (5), Rule (6), Rule (7), Rule (8), Rule (9), Figure 1, Figure 2, Tables 1a, 3, 4a, "
        "4b, 5, 6, 7, 8a, 8b, 9, 10, 11"
    ),
}
"""What the toolkit takes from the documents that number their statements."""


@pytest.mark.parametrize("document", NAMED)
def test_every_number_has_a_row_and_no_number_has_two(document):
    mapped = [number for row in NUMBERED[document] for number in numbers(row.name)]
    assert len(mapped) == len(set(mapped))
    # Section IV of one document has no numbered statements but is on the map.
    assert set(mapped) - {"Section IV-A"} == set(numbers(NAMED[document]))


def test_every_document_is_on_the_map():
    assert len(NUMBERED) == 5
    assert all(NUMBERED.values())


def test_all_that_the_map_names_is_there():
    for one in [*PAPER_MAP, *(row for rows in NUMBERED.values() for row in rows)]:
        assert all(resolve_name(name) is not None for name in one.python)
        assert one.tests
        for test in one.tests:
            path, _, name = test.partition("::")
            assert name in functions(path), test


def test_numbered_statements_name_steps_and_rows_that_are_there():
    steps = {one.name: {step.id for step in one.steps} for one in derivations()}
    ledgers = {claim.id for one in documents() for claim in one.ledger.claims}
    for one in (row for rows in NUMBERED.values() for row in rows):
        assert one.python
        assert set(one.rows) <= ledgers
        for name in one.derivations:
            derivation, _, step = name.partition("/")
            assert not step or step in steps[derivation], name
            assert derivation in steps


def test_every_derivation_and_every_theorem_is_on_the_map_once():
    derived = [name for one in PAPER_MAP for name in one.derivations]
    assert sorted(derived) == sorted(one.name for one in derivations())
    checked = [name for one in PAPER_MAP for name in one.kernel]
    assert sorted(checked) == sorted(one.name for one in STATEMENTS)


def test_theorems_name_rows_and_functions_that_are_there():
    known = {claim.id for one in documents() for claim in one.ledger.claims}
    for one in STATEMENTS:
        assert set(one.rows) <= known, one.name
        assert all(resolve_name(name) is not None for name in one.python)


@cases(("kernel", "## Definitions", side_by_side), ("paper-map", "| statement |", to_markdown))
def test_the_docs_show_it(name, start, shown):
    page = ROOT / "docs" / "theory" / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    now = text.partition(start)[0] + shown()
    if os.environ.get("KPROOF_UPDATE_SNAPSHOTS"):
        page.write_text(now, encoding="utf-8")
    else:
        assert now == text
