"""Errors of arguments, told of the options of the command that was run.

The libraries below call their arguments by the names of Python: ``quasi_identifiers`` is what
somebody types as ``--qi``. Which options there are, the command itself says; what it lacks, such as
a positional argument, keeps its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from numbers import Number
from os import PathLike
from pathlib import Path
from shlex import quote

from cyclopts import App, CycloptsError, MissingArgumentError, UnknownOptionError

from kproof.arguments import FLAG, WORDS
from kproof.cli.base.common import SEPARATED, join
from kproof.errors import InvalidArgument, KProofError, did_you_mean, show
from kproof.models.methods import METHODS

_OTHERWISE: Mapping[str, str] = {
    **json.loads(Path(__file__).with_name("options.json").read_text(encoding="utf-8")),
    **{argument: f"--{word.replace('_', '-')}" for word, argument in WORDS.items()},
}
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
    more = error.name.split(" ")[1:]
    name = option_of(error, app, words)
    if name is None:
        return str(error)
    option = " ".join((name, *more))
    # Without an underline an argument, such as `missing`, may be a plain word of the sentence.
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


def option_of(error: InvalidArgument, app: App, words: Sequence[str]) -> str | None:
    """Return the option of a command that an error is about; None if it has none."""
    name = error.name.partition(" ")[0]
    return _option(name, str(error.value), options_by_name(app, words), words)


def refusal(
    message: str, keyword_of: Mapping[str, str], keywords: Mapping[str, object]
) -> KProofError:
    """Return what is said to a caller in Python where cyclopts refuses a command's words."""
    for option, keyword in keyword_of.items():
        # Not as the beginning of a longer one: --k is in --key, too.
        if re.search(f"{option}(?![a-z-])", message):
            choices = re.findall(
                '"([^"]+)"', message.partition("Choose from: ")[2].partition(". ")[0]
            )
            admissible = f"one of {', '.join(choices)}" if choices else "a value of its own"
            return InvalidArgument(keyword, keywords[keyword], admissible)
    return KProofError(in_python(message))


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
        and any(option in names for names in options_by_name(app, (words[0], method.name)).values())
    ]
    if not methods:
        return str(error)
    return f"{option}: {own.name} has no such option; methods that have it: {', '.join(methods)}"


def options_by_name(app: App, words: Sequence[str]) -> dict[str, list[str]]:
    """Return the options of the command that words name, by each name that an argument has."""
    try:
        _, apps, _ = app.parse_commands(list(words))
        arguments = apps[-1].assemble_argument_collection()
    except (CycloptsError, ValueError):
        # These words have an error of their own, and are told by that.
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


def words_of(
    keywords: Mapping[str, object],
    app: App,
    command: Sequence[str],
    file_of: Callable[[str, object], str | None],
) -> tuple[list[str], dict[str, str]]:
    """Return keywords of Python as words of a command, and the keyword of each option.

    ``file_of`` returns the name of the file that a value stands for, such as a frame, by the
    keyword it comes with; None for any other value.
    """
    _, apps, _ = app.parse_commands(list(command))
    arguments = {
        name: argument
        for argument in apps[-1].assemble_argument_collection()
        for name in argument.names
    }
    by_name = options_by_name(app, command)
    # No options in Python, where results are returned and nothing is printed.
    for name in ("json", "help", "version"):
        by_name.pop(name, None)
    words: list[str] = []
    keyword_of: dict[str, str] = {}
    for keyword, value in keywords.items():
        name = keyword if keyword in by_name else _OTHERWISE.get(keyword, "--")[2:]
        if name.replace("-", "_") not in by_name:
            admissible = f"an option that kproof {' '.join(command)} --help lists"
            raise InvalidArgument(
                keyword, value, admissible + did_you_mean(keyword, [*by_name, *_OTHERWISE])
            )
        option = by_name[name.replace("-", "_")][0]
        if option in keyword_of:
            raise InvalidArgument(keyword, value, f"{keyword} or {keyword_of[option]}, not both")
        keyword_of[option] = keyword
        if value is None:
            continue
        if FLAG.accepts(value):
            if "bool" not in str(arguments[option].hint):
                raise InvalidArgument(keyword, value, "a value of its own")
            words += [option] if value else []
            continue
        texts = list(_texts_of(keyword, value, file_of))
        annotation = arguments[option].field_info.annotation
        if SEPARATED in getattr(annotation, "__metadata__", ()) and not isinstance(value, str):
            texts = [join(texts)]
        elif "tuple" not in str(arguments[option].hint):
            texts = [",".join(texts)]
        words += [f"{option}={text}" for text in texts]
    return words, keyword_of


def _texts_of(
    keyword: str, value: object, file_of: Callable[[str, object], str | None]
) -> Iterator[str]:
    file = file_of(keyword, value)
    if file is not None or isinstance(value, str | Number | PathLike):
        # Python refuses to print an int of thousands of digits, and `show` says so in its place.
        text = show(value) if isinstance(value, int) else str(value)
        try:
            (file or text).encode()
        except UnicodeEncodeError:
            raise InvalidArgument(keyword, ascii(value), "whole characters") from None
        yield file or text
    elif isinstance(value, Mapping):
        # ``numeric={"zip": False}`` is the option --code.
        yield from (f"{key}" if of is False else f"{key}={of}" for key, of in value.items())
    elif isinstance(value, Iterable) and not isinstance(value, bytes):
        for item in value:
            yield from _texts_of(keyword, item, file_of)
    else:
        raise InvalidArgument(keyword, value, "a text, a number, or a list of them")


def in_python(text: str) -> str:
    """Return a text about options as a caller in Python has to write them.

    >>> in_python("--qi NAME,NAME,... or --roles FILE"), in_python("none beside --log")
    ('qi=["NAME", ...] or roles=FILE', 'none beside log')
    """
    text = text.replace("NAME,NAME,...", '["NAME", ...]')
    valued = re.sub('--([a-z][a-z0-9-]*)[ =](?=[\\[A-Z]["A-Z])', r"--\1=", text)
    return re.sub("--([a-z][a-z0-9-]*)", lambda match: match[1].replace("-", "_"), valued)


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
    # What was typed goes first: an argument may be called by several options.
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
