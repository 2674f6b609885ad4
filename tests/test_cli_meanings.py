"""An option that several commands have means the same in all of them."""

from __future__ import annotations

import re

import pytest
from commands import commands

MEANINGS = {
    "--output": r"(?i)\b(file|folder)\b",
    "--json": r"^Print one JSON document instead of text",
    "--html": r"(?i)\bpage\b",
    "--known": r"(?i)indexes.* of the records|users who.* known|users whose records",
    "--lambda1": r"(?i)^(levels .*)?(share|fraction) of",
    "--lambda2": r"(?i)^(levels .*)?(share|fraction) of",
    "--by": r"^A column of groups",
    "--seed": r"^Seed of|which one",
    "--jobs": r"^Processes",
    "--header": r"^Whether the first row",
    "--missing": r"^A cell that stands for",
    "--qi": r"(?i)^quasi-identifiers",
    "--sensitive": r"(?i)sensitive",
    "--roles": r"(?i)roles file",
    "--background": r"^A JSON or CSV file",
    "--categories": r"category in each row",
}
"""What the help of each option says in every command that has it."""


def _helps() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for name, one in commands():
        if one.default_command is None:
            continue
        for argument in one.assemble_argument_collection(parse_docstring=True):
            for option in argument.names:
                text = " ".join(str(argument.parameter.help or "").split())
                found.setdefault(option, []).append((name, text))
    return found


HELPS = _helps()


@pytest.mark.parametrize("option", MEANINGS)
def test_an_option_means_one_thing(option: str) -> None:
    differing = [one for one in HELPS[option] if re.search(MEANINGS[option], one[1]) is None]
    assert differing == []


def test_the_short_form_is_that_of_output_and_old_names_are_gone() -> None:
    assert {name for name, _ in HELPS["-o"]} == {name for name, _ in HELPS["--output"]}
    assert "--out" not in HELPS
