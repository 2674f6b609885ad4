"""An option that several commands have means the same in all of them."""

from __future__ import annotations

import re

import pytest
from commands import options
from shell import refused

MEANINGS = {
    "--age": r"^Most slots that a position is used",
    "--alpha": r"^Least weight of a class",
    "--assume": r"^Answer for (a hypothesis|what) that no data can show|^Answer for what no data",
    "--audience": r"^Whom the last release|^Who (reads|would read|will read)|study",
    "--background": r"^A JSON or CSV file",
    "--block": r"^How many values a block has",
    "--block-mass": r"^Least block mass of a record",
    "--budget": r"(?i)when to stop: states=N",
    "--by": r"^A column of groups",
    "--categories": r"category in each row",
    "--cells": r"^(A|The) (GeoJSON )?file",
    "--code": r"^Quasi-identifiers whose numbers (or dates )?are codes",
    "--column": r"^A column of the file",
    "--data": r"^A CSV file",
    "--depth": r"(?i)^depth of the cells|hops",
    "--epsilon": r"(?i)^(what the whole|a number, a|at least 0|ask for delta|the target|epsilon)",
    "--exact": r"exact numbers|^Work the exact value out",
    "--far": r"^How many times the median distance from the median position is too far",
    "--figures": r"^A folder for",
    "--force": r"(?i)^(write|replace)",
    "--grid": r"^Rows and columns|^Longest side of the smallest squares",
    "--header": r"^Whether the first row",
    "--html": r"(?i)\bpage\b",
    "--jobs": r"^Processes",
    "--json": r"^Print one JSON document instead of text",
    "--k": r"^(Social graphs: f|F|The f)ewest (people|kept rows|rows of a cell) ",
    "--key": r"key|which number",
    "--levels": r"^Levels of (the published )?columns",
    "--known": r"(?i)indexes.* of the records|users who.* known|users whose records",
    "--l": r"^Fewest distinct sensitive values in a class",
    "--ladder": r"^What draws the levels",
    "--lambda1": r"(?i)^(levels .*)?(share|fraction) of",
    "--lambda2": r"(?i)^(levels .*)?(share|fraction) of",
    "--lat": r"^Column of latitudes",
    "--law": r"^A JSON file",
    "--least-nodes": r"^Fewest (crossings|nodes)",
    "--least-share": r"^At least this share of the records",
    "--lon": r"^Column of longitudes",
    "--missing": r"^A cell that stands for",
    "--most-members": r"^Most members of a set that a label may show",
    "--mu": r"^Share of the variance of a fully diverse class",
    "--n": r"^Number of (records|tuples|trials)",
    "--neighbourhood": r"most records that depend on one another",
    "--neighbours": r"(?i)^add: tables with a row more or less",
    "--original": r"(?i)file|table",
    "--released": r"^A file that was published of the same people before",
    "--output": r"(?i)\b(file|folder)\b",
    "--period": r"^Length of a slot|^Traces: seconds",
    "--person": r"(?i)^the column that says whom a row is about|^Column that says whose a row is",
    "--per-class-theta": r"(?i)theta .*at each class's|theta for each class's",
    "--qi": r"(?i)^quasi-identifiers",
    "--reading": r"(?i)\bprinted\b.*\bcorrected\b|\bcorrected\b.*prints",
    "--remainder": r"(?i)rows left",
    "--roles": r"(?i)roles file",
    "--roads": r"^The roads of a city",
    "--rows": r"\brows\b",
    "--belief": "CSV file with a column",
    "--s": r"^How far one record moves|^The shift",
    "--sampled": r"^It keeps rows by coins|^Keep the first exit .* by a coin",
    "--section": r"(?i)column of (road )?section ids",
    "--seed": r"^Seed of|which one|^Makes the order of rows the same",
    "--sensitive": r"(?i)sensitive",
    "--set": r"^A(ny other)? parameter (by name|of one method|of the method)",
    "--shift": r"^How far (one record moves|the two hypotheses lie apart)",
    "--sigma": r"(?i)\bstandard deviation\b",
    "--snap": r"^Longest way of a position|^Metres from the next node",
    "--steps": r"^Number of firings",
    "--suppress": r"^Largest shares? of rows that may be left out",
    "--suppressed-as": r"^What suppressed rows .*show in every quasi-identifier",
    "--t": r"^Largest distance of a class from the table",
    "--tau": r"is disclosed when the probability is at least this",
    "--taxonomy": r"^Generalization hierarchy of a column",
    "--test-seed": r"^Take the coins from a seed",
    "--theorem": r"\b1\b.*\b5\b",
    "--time": r"(?i)column of times",
    "--title": r"^What .* called",
    "--user": r"(?i)column .*(users|whose a point is)",
    "-o": r"(?i)\b(file|folder)\b",
}
"""What the help of each option says in every command that has it."""

LETTERS = {
    "--beta": (
        r"^Chance that a (row|person) is kept|beta-likeness",
        "the chance of a row in sampling, and of beta-likeness, whose name it is; no command has "
        "both",
    ),
    "--p": (
        r"robabilit|^Fewest distinct|: values and categories in a class",
        "the chance of a record in Theorem 1 and in binomial laws, and p of p-sensitivity: "
        "each is the letter of its definition, and no command has both",
    ),
    "--delta": (
        r"(?i)at this delta|the target's|ratio of shares",
        "of (epsilon, delta), and of delta-disclosure, whose name it is; no command has both",
    ),
}
"""Options with two meanings, and why they keep them."""


def _helps() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for name, argument in options():
        text = " ".join(str(argument.parameter.help or "").split())
        for option in argument.names:
            found.setdefault(option, []).append((name, text))
    return found


HELPS = _helps()


SEVERAL = [
    one
    for one, helps in sorted(HELPS.items())
    if one.startswith("-") and len({text for _, text in helps}) > 1
]
"""Options that are described in several ways."""


@pytest.mark.parametrize("option", sorted({*SEVERAL, *MEANINGS}))
def test_an_option_means_one_thing(option: str) -> None:
    meaning = LETTERS[option][0] if option in LETTERS else MEANINGS[option]
    differing = [one for one in HELPS[option] if re.search(meaning, one[1]) is None]
    assert differing == []


def test_no_exception_is_out_of_date() -> None:
    assert LETTERS.keys() <= set(SEVERAL)
    assert LETTERS.keys().isdisjoint(MEANINGS)


_SQUARE = "anonymize sangreea friends.txt --k 2 -o out.json"


@pytest.mark.parametrize(
    ("line", "now"),
    [
        ("check table-1a --qi Age --suppressed *", "--suppressed-as"),
        ("check table-1a --qi Age --taxonomy=a.csv", "--sensitive-taxonomy"),
        ("attack linkage table-1a --qi Age --suppressed *", "--suppressed-as"),
        ("attack mle k-degree friends.txt --noise 3", "--sigma"),
        ("net explore theta-sensitive --data table-1a --k 4 --level rules", "--detail"),
        ("anonymize density --levels 5 -o out.csv", "--density-k"),
        ("anonymize density --column users=n -o out.csv", "--named"),
        ("anonymize density --runs 5 -o out.csv", "--requests"),
        ("anonymize density --target a -o out.csv", "--requesting"),
        (f"{_SQUARE} --alpha 1", "--attribute-weight"),
        (f"{_SQUARE} --beta 1", "--structure-weight"),
        (f"{_SQUARE} --users a.csv", "--user-list"),
        ("bound blocks --n 9 --beta 0.5 --epsilon 1", "--block-mass"),
        ("design n --epsilon 1 --delta 0.1 --beta 0.5", "--block-mass"),
        ("compare table-1a --qi Age --csv a.csv", "--output"),
    ],
)
def test_an_option_that_was_renamed_is_refused_with_its_name(line: str, now: str) -> None:
    words = line.split()
    said = refused(*words)
    assert re.fullmatch(f"--[a-z]+: is called {now} now", said)
    assert any(word.partition("=")[0] == said.partition(":")[0] for word in words)


def test_the_short_form_is_that_of_output_and_old_names_are_gone() -> None:
    assert {name for name, _ in HELPS["-o"]} == {name for name, _ in HELPS["--output"]}
    assert "--out" not in HELPS
