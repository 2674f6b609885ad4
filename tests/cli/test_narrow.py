"""What is printed on a terminal of 40 columns has whole words and whole numbers."""

import shlex

import pytest
from shell import kproof, refused

from kproof.cli.base.commands import COMMANDS

_MOMENTS = "--mean 1/2 --second 1/2 --third 1/2 --fourth 1/2 --n 100 --assume independence"
_TABLE = "--qi Age,'Zip Code' --sensitive Disease --drop ID,Name"
_VERIFY = "--profile quick --max-examples 2 --check k-anonymity"
DOCUMENTS = ("completion bash", "datasets table-1a", "net rules theta-sensitive", "schema check")
"""Scripts, CSV, Markdown and schemas are for other programs, and printed as they are."""
ABSENT = (
    "anonymize mondrian visits/",
    "anonymize visits.csv",
    "compose first.csv",
    "check 'duckdb:",
    "report release.csv",
    "check release.csv --certificate",
    "account run.json",
    "verify package.module:",
    "completion bash >",
    "roles table-1a -o",
    "serve --help",
)
"""Examples about files that are not there or must not be, with a shell in them, or of the help."""
LINES = (
    *(
        line.removeprefix("kproof ")
        for command in COMMANDS.values()
        for line in command["examples"]
        if not line.removeprefix("kproof ").startswith((*ABSENT, *DOCUMENTS, "verify", "audit"))
    ),
    f"check table-1a {_TABLE} --k 2 --l 2",
    "exact binomial --n 20 --p 1/2 --epsilon 0:1:4",
    f"bound 2 {_MOMENTS} --epsilon 1/10",
    f"bound 2 {_MOMENTS} --epsilon 0.1:1:3",
    "bound blocks --n 100 --block-mass 0.8 --block 10 --epsilon 0.5",
    "audit --paper regions",
    "audit Z6",
    "roles table-1a",
    f"verify mondrian {_VERIFY}",
    f"verify foreign:as_it_is {_VERIFY}",
    "net publications theta-sensitive --data table-4b --k 4",
    "net simulate theta-sensitive --data table-4b --k 4 --runs 2",
    "anonymize density --users 40 --seed 2 -o regions.csv",
)
"""Every example of a help page that can be run, and what else prints tables or texts."""


@pytest.mark.parametrize("line", LINES)
def test_no_word_is_broken_or_lost(line, here):
    words = shlex.split(line)
    wide, narrow = kproof(*words, columns=400), kproof(*words, columns=40)
    assert wide.status == narrow.status in (0, 1, 4), wide.err
    assert {word for word in wide.out.split() if "─" not in word} <= {
        word for text in narrow.out.split() for word in (text, text.removesuffix(":"))
    }
    # A line is longer only if it is a word that is, or a command to be copied.
    assert [
        one
        for one in narrow.out.splitlines()
        if len(one) > 40 and " " in one.strip() and not one.strip().startswith("kproof ")
    ] == []


@pytest.mark.parametrize("line", DOCUMENTS)
def test_documents_are_the_same_on_every_terminal(line):
    assert kproof(*line.split(), columns=40).out == kproof(*line.split(), columns=400).out


def test_an_error_is_one_line_wherever_no_terminal_is():
    assert len(refused("anonymize", "mondrain")) > 80
