"""Statements and definitions as Rocq prints them, compared with those that come with kproof.

Rocq prints with every implicit argument and no notation, and nothing but the library's files is
in scope, so that each name is qualified: whatever a source says, this is what was proved. The
pinned texts are ``theory/rocq/pinned.json``.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from kproof.theory.kernel.statements import ROCQ, SOURCES

PINNED = ROCQ / "pinned.json"
"""The statements of the listed theorems and the definitions that they rest on."""

MADE_WITH = "Rocq 8.16.1, MathComp 1.15.0"
"""What printed the pinned texts. Another version may print the same meaning in other words, which
is then not as pinned."""

PRINTING = (
    "Set Printing All. Unset Printing Notations. Unset Printing Universes. "
    "Set Printing Width 1000000. Set Printing Depth 1000000."
)
"""How Rocq is asked to print."""


@dataclass(frozen=True, slots=True)
class ByRocq:
    """What Rocq prints of theorems and of all that they speak of."""

    statements: dict[str, str]
    """By theorem, as ``File.name``."""
    definitions: dict[str, str]
    """By name, likewise: all that a statement or another definition here names."""

    def rests_on(self, theorem: str) -> tuple[str, ...]:
        """Return the definitions that a theorem's statement rests on, in order of their names.

        >>> printed = ByRocq({"A.t": "A.f 1"}, {"A.f": "A.f = A.g", "A.g": "A.g = 2", "A.h": ""})
        >>> printed.rests_on("A.t")
        ('A.f', 'A.g')
        """
        reached: set[str] = set()
        texts = [self.statements[theorem]]
        while texts:
            new = (_words(texts.pop()) & self.definitions.keys()) - reached
            reached |= new
            texts += [self.definitions[name] for name in new]
        return tuple(sorted(reached))

    def hash_of(self, theorem: str) -> str:
        """Return the SHA-256 of a theorem's statement and definitions, in hexadecimal digits."""
        texts = [self.statements[theorem], *(self.definitions[x] for x in self.rests_on(theorem))]
        return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def normal(answer: str) -> str:
    r"""Return what Rocq printed of one name on one line, without what it says of arguments.

    >>> normal("two = S (S O)\n     : nat\n\nArguments two")
    'two = S (S O) : nat'
    """
    return " ".join(answer.strip().partition("\n\n")[0].split())


def print_all(
    theorems: Iterable[str], ask: Callable[[dict[str, str]], tuple[dict[str, str], dict[str, str]]]
) -> tuple[ByRocq, dict[str, str]]:
    """Return all that the theorems rest on as Rocq prints it, and what it refuses to print.

    Args:
        theorems: As ``File.name``.
        ask: Return Rocq's answers to commands, by key, and its refusals.
    """
    files = {source.stem for source in SOURCES}
    answers, refused = ask({name: f"Check @kproof.{name}." for name in theorems})
    # Rocq begins with the name, which says nothing: a statement is what comes after the colon.
    statements = {name: normal(text).partition(" : ")[2] for name, text in answers.items()}
    definitions: dict[str, str] = {}
    todo = list(statements.values())
    printed: set[str] = set()
    while todo:
        # The name of a file by itself is no definition to print.
        words = {word for word in _words(*todo) if word.partition(".")[0] in files - {word}}
        answers, newly_refused = ask(
            {name: f"Print kproof.{name}." for name in sorted(words - printed)}
        )
        printed |= words
        refused |= newly_refused
        todo = [normal(text) for text in answers.values()]
        # For a constructor Rocq prints its whole type, which is printed for its own name as well.
        definitions |= {
            name: text
            for name, text in zip(answers, todo, strict=True)
            if not text.startswith("Inductive ") or text.split()[1] == name.rpartition(".")[2]
        }
    return ByRocq(statements, definitions), refused


def differences(theorem: str, printed: ByRocq, pinned: ByRocq) -> tuple[str, ...]:
    """Return a text for each field in which a theorem is not as pinned.

    >>> pinned = ByRocq({"A.t": "lt 0 (A.f 1)"}, {"A.f": "A.f = S"})
    >>> differences("A.t", ByRocq({"A.t": "True"}, {}), pinned)
    ('statement: pinned `lt 0 (A.f 1)`, Rocq prints `True`',)
    >>> differences("A.t", ByRocq(pinned.statements, {"A.f": "A.f = pred"}), pinned)
    ('definition A.f: pinned `A.f = S`, Rocq prints `A.f = pred`',)
    """
    fields = [("statement", pinned.statements.get(theorem), printed.statements[theorem])]
    fields += [
        (f"definition {name}", pinned.definitions.get(name), printed.definitions[name])
        for name in printed.rests_on(theorem)
    ]
    return tuple(
        f"{field}: not pinned"
        if before is None
        else f"{field}: pinned `{_around(before, now)}`, Rocq prints `{_around(now, before)}`"
        for field, before, now in fields
        if before != now
    )


@cache
def read_pinned() -> ByRocq:
    """Return the statements and definitions that come with kproof."""
    document = json.loads(PINNED.read_text(encoding="utf-8"))
    return ByRocq(document["statements"], document["definitions"])


def to_json(printed: ByRocq) -> str:
    """Return the text of ``pinned.json``."""
    document = {
        "made with": MADE_WITH,
        "statements": dict(sorted(printed.statements.items())),
        "definitions": dict(sorted(printed.definitions.items())),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _words(*texts: str) -> set[str]:
    """Return the names in printed texts; those of the library without its own name in front."""
    words = {word for text in texts for word in re.findall(r"[\w.']+", text)}
    return {word.removeprefix("kproof.") for word in words}


def _around(text: str, reference: str) -> str:
    """Return the part of a text in which it begins to differ from another."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(text, reference, strict=False))
    shared = sum(1 for _ in alike)
    start, end = max(0, shared - 60), shared + 60
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
