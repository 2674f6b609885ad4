"""Errors of arguments, told of the options of the command that was run.

The libraries below call their arguments by the names of Python: ``quasi_identifiers`` is what
somebody types as ``--qi``. Which options there are, the command itself says; what it lacks, such as
a positional argument, keeps its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from shlex import quote

from cyclopts import App, CycloptsError, MissingArgumentError, UnknownOptionError

from kproof.errors import InvalidArgument, show
from kproof.models.methods import METHODS

_OTHERWISE: Mapping[str, str] = json.loads(
    Path(__file__).with_name("options.json").read_text(encoding="utf-8")
)
"""Options of arguments that are called otherwise than these."""


def as_typed(argument: str, value: object) -> str:
    """Return an argument and a value of it, None for the option alone, as typed in a shell.

    >>> print(as_typed("missing", ["NA", "-"]), as_typed("most_levels", {"age": 2}))
    --missing=NA --missing=- --most-level age=2
    >>> print(as_typed("ladders", {"born": "date:year"}), as_typed("most_members", 12))
    --ladder 'born=date:year' --most-members 12
    """
    option = _OTHERWISE.get(argument, f"--{argument.replace('_', '-')}")
    if value is None:
        return option
    # A cell may begin with a hyphen.
    between = "=" if argument == "missing" else " "
    several = value if isinstance(value, list) else [value]
    if isinstance(value, Mapping):
        several = [name if entry is False else (name, entry) for name, entry in value.items()]
    return " ".join(f"{option}{between}{_word(entry)}" for entry in several)


def _word(value: object) -> str:
    """Return a value, or a column and its value, as one word of a shell."""
    if isinstance(value, tuple):
        name, level = value
        word = quote(f"{name}={level}")
        # Rules have signs that shells know, so that all are quoted.
        return f"'{word}'" if isinstance(level, str) and not word.startswith("'") else word
    text = str(value)
    return quote(text) if text == show(text) else show(text)


def in_options(error: InvalidArgument, app: App, words: Sequence[str]) -> str:
    """Return the line of an error with options in place of arguments.

    >>> from kproof.cli.app import app
    >>> words = ["anonymize", "kaca", "a.csv", "--least-level", "age=9", "-o", "b.csv"]
    >>> in_options(InvalidArgument("least_levels", "age=9", "0 to 3"), app, words)
    '--least-level = age=9: need 0 to 3'
    >>> in_options(InvalidArgument("k", None, "the fewest people"), app, words)
    '--k is not given: need the fewest people'
    """
    options = _options(app, words)
    argument, *more = error.name.split(" ")
    name = _option(argument, str(error.value), options, words)
    if name is None:
        return str(error)
    option = " ".join((name, *more))
    admissible = re.sub(
        "|".join(_OTHERWISE),
        lambda match: _OTHERWISE[match[0]] if "_" in match[0] else match[0],
        error.admissible,
    )
    if error.value is None:
        return f"{option} is not given: need {admissible}"
    return f"{option} = {show(error.value)}: need {admissible}"


def of_missing(error: MissingArgumentError) -> str:
    """Return the line of an argument or option that has no value."""
    name = error.keyword or (error.argument.name if error.argument else "an argument")
    words = " ".join(error.command_chain or ())
    return f"{name}: no value given; see kproof {words} --help"


def of_others(error: UnknownOptionError, app: App, words: Sequence[str]) -> str:
    """Return the line of an option that a command lacks.

    It names the methods of the same kind that have it.
    """
    option = (error.token.keyword or error.token.value or "").partition("=")[0]
    if len(words) < 2 or words[0] != "anonymize" or words[1] not in METHODS:
        return str(error)
    own = METHODS[words[1]]
    methods = [
        method.name
        for method in METHODS.values()
        if method.kind is own.kind
        and any(option in names for names in _options(app, (words[0], method.name)).values())
    ]
    if not methods:
        return str(error)
    return f"{option}: {own.name} has no such option; methods that have it: {', '.join(methods)}"


def _options(app: App, words: Sequence[str]) -> dict[str, list[str]]:
    """Return the options of the command that words name, by each name that an argument has."""
    try:
        _, apps, _ = app.parse_commands(list(words))
        arguments = apps[-1].assemble_argument_collection()
    except (CycloptsError, ValueError):
        return {}
    declared: dict[str, str] = getattr(apps[-1].default_command, "declared", {})
    by_name: dict[str, list[str]] = {}
    for argument in arguments:
        # A field of a group of options is called by its own name, an argument by the function's.
        own: str = argument.keys[-1] if argument.keys else argument.field_info.name
        for option in (option for option in argument.names if re.fullmatch("--[a-z].*", option)):
            for name in {own, declared.get(own, own), option[2:].replace("-", "_")}:
                by_name.setdefault(name, []).append(option)
    return by_name


def _option(
    name: str, value: str, options: dict[str, list[str]], words: Sequence[str]
) -> str | None:
    """Return the option an argument was typed as, or would be; None if it has none."""
    typed = {word.partition("=")[0] for word in words}
    candidates: list[str] = [*options.get(name, ()), *options.get(name.removesuffix("s"), ())]
    there = {option for names in options.values() for option in names}
    otherwise = (_OTHERWISE.get(name, ""), f"--sensitive-{name}")
    candidates += [option for option in otherwise if option in there]
    # An option that holds several values is refused for one of them.
    plural = options.get(f"{name}s", ())
    candidates += [option for option in plural if _holds(option, value, words)]
    for option in candidates:
        if option in typed:
            return option
    if "--set" in typed and any(word.startswith((f"{name}=", f"--set={name}=")) for word in words):
        return f"--set {name}"
    return candidates[0] if candidates else None


def _holds(option: str, value: str, words: Sequence[str]) -> bool:
    """Say whether a value was typed with an option, perhaps among others."""
    after = [more for word, more in pairwise(words) if word == option]
    after += [word.partition("=")[2] for word in words if word.startswith(f"{option}=")]
    return any(value in more.split(",") for more in after)
