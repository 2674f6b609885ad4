"""An option that several commands have means the same in all of them."""

import re
from functools import cache

from commands import options

MEANINGS = {
    "--age": r"^Most slots that a position is used",
    "--alpha": r"^Least weight of a class",
    "--assume": r"^Confirm (a hypothesis|what) that no data can show|^Confirm what no data",
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
    "--ladder": r"^How levels (of a column )?are drawn",
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


@cache
def helps_of_options() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for name, argument in options():
        text = " ".join(str(argument.parameter.help or "").split())
        for option in argument.names:
            found.setdefault(option, []).append((name, text))
    return found


def _several() -> set[str]:
    """Return the options that are described in several ways."""
    return {
        option
        for option, helps in helps_of_options().items()
        if option.startswith("-") and len({text for _, text in helps}) > 1
    }


def test_an_option_means_one_thing():
    for option in sorted(_several() | MEANINGS.keys()):
        meaning = LETTERS[option][0] if option in LETTERS else MEANINGS[option]
        helps = helps_of_options()[option]
        differing = [help_ for help_ in helps if re.search(meaning, help_[1]) is None]
        assert (option, differing) == (option, [])


def test_no_exception_is_out_of_date():
    assert LETTERS.keys() <= _several()
    assert LETTERS.keys().isdisjoint(MEANINGS)


def test_the_short_form_is_that_of_output_and_old_names_are_gone():
    assert {name for name, _ in helps_of_options()["-o"]} == {
        name for name, _ in helps_of_options()["--output"]
    }
    assert "--out" not in helps_of_options()
