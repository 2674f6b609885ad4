"""Claim files: the rows of a ledger as a text, a paragraph for each claim.

A file ``NAME.claims`` consists of paragraphs (:mod:`kproof.theory.paragraphs`). First it names the
functions that its evidence calls,

| ``use kproof.theory.theorems.theta: theta variance``

and then come the claims: what a document says, what becomes of it, what is true, and what shows it.

| ``ID [PLACE] RULING (THEOREMS): STATEMENT``
|     ``-- WHAT IS TRUE``
|     ``>>> CALL -> VALUE``

Theorems may be left out; there may be any number of calls. A call is Python as it would be printed,
and so is its value: nothing here runs it.
"""

import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from kproof.errors import InvalidArgument, one_of
from kproof.theory.ledger import Claim, Evidence, Ledger, Ruling
from kproof.theory.paragraphs import paragraphs
from kproof.theory.quoting import Quoted, imports_of, parse

# What is true must not run over ` >>> `: with a plain dot, a call that lacks its value would be
# read as part of the sentence, and never run.
_CLAIM = re.compile(
    r"(?P<id>[A-Z]\d+) \[(?P<place>[^]]+)\] (?P<ruling>\w+)(?: \((?P<theorems>[1-5, ]+)\))?: "
    r"(?P<statement>.+?) -- (?P<corrected>(?:(?! >>> ).)+)(?P<evidence>(?: >>> .+? -> .+?)*)"
)


def ledger(path: Path) -> Ledger:
    """Return the claims of a file."""
    return read(path.read_text(encoding="utf-8"), path.name)


def read(text: str, name: str = "claims") -> Ledger:
    """Return the claims that a text says.

    ``text``: the text of a file. ``name``: what an error calls it.

    >>> claims = read('''
    ... use kproof.theory.theorems.theta: theta
    ... X1 [Section 1] refuted: theta is never above 1/2
    ...     -- It is below 1.
    ...     >>> theta(4, '0.6') -> Fraction(3, 4)
    ... ''')
    >>> print(claims["X1"])
    X1 (Section 1) refuted: It is below 1.
    >>> read("X1 [Section 1] proved: a -- b >>> 2 -> 2")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: claims, line 1: call = 2: need a call
    """
    modules: dict[str, str] = {}
    claims: list[Claim] = []
    for line, paragraph in paragraphs(text):
        try:
            if paragraph.startswith("use "):
                module, _, names = paragraph.removeprefix("use ").partition(": ")
                modules |= dict.fromkeys(names.split(), module)
            else:
                claims.append(_claim(paragraph, modules))
        except InvalidArgument as wrong:
            location = f"{name}, line {line}: {wrong.name}"
            raise InvalidArgument(location, wrong.value, wrong.admissible) from wrong
    called = {name for name, _ in _imports(claims)}
    for unused in modules.keys() - called:
        raise InvalidArgument(f"{name}: use", unused, "functions that a claim calls")
    return Ledger(tuple(claims))


def _imports(claims: Iterable[Claim]) -> set[tuple[str, str]]:
    """Return the functions that the evidence of claims calls, each with its module."""
    evidence = (quotation for claim in claims for quotation in claim.evidence)
    return {pair for quotation in evidence for pair in imports_of(quotation.quoted).items()}


def find_missing(claims: Ledger) -> list[str]:
    """Return what the evidence of claims calls and no module has; empty if all is there."""
    imports = sorted((module, name) for name, module in _imports(claims.claims))
    return [f"{home}.{name}" for home, name in imports if not hasattr(import_module(home), name)]


def _claim(paragraph: str, modules: dict[str, str]) -> Claim:
    match = _CLAIM.fullmatch(paragraph)
    if match is None:
        raise InvalidArgument("claim", paragraph, "ID [PLACE] RULING: STATEMENT -- WHAT IS TRUE")
    if match["ruling"] not in list(Ruling):
        raise InvalidArgument("ruling", match["ruling"], one_of(match["ruling"], list(Ruling)))
    return Claim(
        match["id"],
        match["place"],
        match["statement"],
        Ruling(match["ruling"]),
        tuple(_evidence(text, modules) for text in match["evidence"].split(" >>> ")[1:]),
        match["corrected"],
        tuple(int(number) for number in (match["theorems"] or "").split(", ") if number),
    )


def _evidence(text: str, modules: dict[str, str]) -> Evidence:
    call, _, value = text.partition(" -> ")
    quoted = parse(call, modules)
    if not isinstance(quoted, Quoted):
        raise InvalidArgument("call", call, "a call")
    return Evidence(quoted, value)
