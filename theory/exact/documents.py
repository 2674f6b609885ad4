"""Small JSON files read strictly: numbers as typed, every key once and known, one line of error."""

import json
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, TypeVar

from kproof.errors import DataError, Infeasible, InvalidArgument, show

MOST_BYTES = 1 << 26
"""Largest file that is read."""
T = TypeVar("T")


class TypedNumber(str):
    """A number of the document, as the decimal that stands there."""

    __slots__ = ()


def read_text(path: str | Path, *, of: str) -> str:
    """Return the text of a small UTF-8 file; ``of`` says what of, if it is too large.

    Raises:
        DataError: If it cannot be read, is too large (:data:`MOST_BYTES`), not UTF-8, or has a NUL.
    """
    label = label_of(path)
    try:
        with Path(path).open("rb") as file:
            # Read up to the limit and not asked for its size: a pipe has none, and a file may grow.
            data = file.read(MOST_BYTES + 1)
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no name of a file"
        raise DataError(f"{label}: cannot be read: {reason}") from None
    if len(data) > MOST_BYTES:
        raise DataError(f"{label}: more than {MOST_BYTES >> 20} MiB, the largest file of {of}")
    try:
        # Editors on Windows put a mark in front that `json` refuses.
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{label}: not UTF-8 text") from None
    if "\0" in text:
        raise DataError(f"{label}: a NUL byte; save the file as UTF-8 text")
    return text


def label_of(path: str | Path) -> str:
    """Return how messages call a file: its name on one line, whatever is in it."""
    return show(str(path), limit=200)


def read_document(path: str | Path, read: Callable[[object], T], *, of: str) -> T:
    """Return what a document says; every message begins with the file.

    ``of`` says what the file is of, for the message that it is too large. Raises DataError.
    """
    label, text = label_of(path), read_text(path, of=of)
    try:
        # NaN and Infinity too: whoever reads a number refuses them, and knows where they stand.
        kinds = ("parse_int", "parse_float", "parse_constant")
        # As text: a float has forgotten the decimal that stands there, and `int` raises at 5,000
        # digits.
        parse: dict[str, Any] = dict.fromkeys(kinds, TypedNumber)
        document = json.loads(text, object_pairs_hook=_once, **parse)
        # Half of a pair can only come from an escape, as UTF-8 has none: other documents need not
        # be encoded to look for it.
        if "\\ud" in text.lower():
            json.dumps(document, ensure_ascii=False).encode()
        return read(document)
    except UnicodeEncodeError:
        raise DataError(f"{label}: half of a surrogate pair, which is no text") from None
    # Some thousand brackets within one another exhaust Python's stack: a fault of the file, too.
    except (json.JSONDecodeError, RecursionError) as error:
        raise DataError(f"{label}: not JSON: {error}") from None
    except (InvalidArgument, Infeasible, DataError) as error:
        raise DataError(f"{label}: {error}") from None


def require_keys(
    name: str,
    members: Mapping[str, Any],
    required: Set[str],
    optional: Set[str] = frozenset(),
    *,
    silent: Set[str] = frozenset(),
) -> Mapping[str, Any]:
    """Return an object that has all keys it needs and no other; messages pass ``silent`` over."""
    for key in members:
        if key not in required | optional:
            admissible = ", ".join(sorted(required | optional - silent)) or "none"
            raise DataError(f"{name}: unknown key {show(key)}; the keys are {admissible}")
    for key in sorted(required):
        if key not in members:
            raise DataError(f"{name}: no key {key}")
    return members


def object_of(name: str, value: object) -> Mapping[str, Any]:
    """Return a value that is an object."""
    if not isinstance(value, dict):
        raise InvalidArgument(name, value, "an object")
    return value


def list_of(name: str, value: object) -> list[Any]:
    """Return a value that is a list."""
    if not isinstance(value, list):
        raise InvalidArgument(name, value, "a list")
    return value


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, and refuse a key that stands there twice."""
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"the key {show(twice)} stands twice in one object; need it once")
    return members
