"""A source is read as printed, derived or corrected: these words everywhere, and no older ones."""

import re
from pathlib import Path

import pytest
from cases import cases, error_line
from shell import refused

import kproof
from kproof.errors import InvalidArgument
from kproof.models.places.city.city import City
from kproof.models.places.points import Points
from kproof.theory.falsify.api import falsify

ROOT = Path(__file__).parents[2]
ROOMS = ("theory", "models", "petri", "proptests", "src", "tests", "benchmarks", "docs")
KINDS = {".py", ".md", ".txt", ".html", ".css", ".json"}
OLD = re.compile(
    r"as[_-](printed|derived|corrected)\b|AS_(PRINTED|DERIVED)|(?<!font-)\bvariants?\b|\bVariant\b"
    r"|\bfaithful\b|\b(reciprocal|strict|relaxed) mode\b|--(variant|mode)\b"
    r"|\bmode['\"]?\s*[=:]\s*['\"]?(reciprocal|strict|relaxed)\b"
    r"|\breading['\"]?\s*[=:]\s*['\"]?(variance|posterior|fraction|neighbourhood)\b"
)
EXCEPTIONS = ("docs/adr/0002-numbers-as-typed.md",)
"""Floats are faithful to the machine there; nothing is read."""
SKIPPED = ("CHANGELOG.md", Path(__file__).name)
"""The change log tells what was renamed, and this file lists the old words."""
TRIPS = Points.of([0.0005] * 5, [0.5005] * 5)


def old_words() -> dict[str, list[str]]:
    """Return the lines with an old word of every source, page, template and snapshot."""
    pages = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.*"))]
    found = {}
    for path in (*ROOT.glob("*.md"), *pages):
        built = any(part == "_build" or part.endswith(".egg-info") for part in path.parts)
        if path.suffix in KINDS and path.name not in SKIPPED and not built:
            lines = path.read_text(encoding="utf-8").splitlines()
            if hits := [line for line in lines if OLD.search(line)]:
                found[str(path.relative_to(ROOT))] = hits
    return found


def test_no_source_and_no_page_has_an_old_word():
    assert {page: len(lines) for page, lines in old_words().items()} == dict.fromkeys(EXCEPTIONS, 1)


@cases(
    (lambda how: kproof.theory.statement(1, how), "printed, derived or corrected"),
    (
        lambda how: kproof.bound(1, n=9, p="1/2", k=2, epsilon=1, reading=how),
        "printed, derived or corrected",
    ),
    (lambda how: falsify(1, reading=how), "printed, derived or corrected"),
    (
        lambda how: kproof.anonymize("density", City.grid(2, 2, users=9), reading=how),
        "printed or corrected",
    ),
    (
        lambda how: kproof.anonymize("quadtree", TRIPS, count="locations", reading=how),
        "printed or corrected",
    ),
)
@pytest.mark.parametrize("old", ["as_printed", "as-printed", "faithful", "reciprocal", "PRINTED"])
def test_old_words_are_refused_with_the_new_ones(call, says, old):
    told, _, guess = error_line(InvalidArgument, call, old).partition("; did you mean ")
    assert told == f"reading = {old}: need {says}"
    assert guess in ("", "printed?")


@pytest.mark.parametrize("method", ["theta-sensitive", "kaca"])
def test_the_command_line_refuses_them_too(method):
    roles = ("--qi", "Age", "--sensitive", "Disease", "--identifier", "ID,Name")
    words = ("anonymize", method, "--audience", "study", "table-1a", *roles, "--k", "2")
    says = "--reading = as_printed: need printed or corrected"
    assert refused(*words, "-o", "out.csv", "--reading", "as_printed") == says
