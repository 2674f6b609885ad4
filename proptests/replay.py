"""Cases as JSON: what an anonymizer failed on, to be shown to it again.

Numbers, texts and truth values are themselves, rows and tuples are arrays. What JSON has no word
for is an object of a type and a text, and a mapping one of pairs.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from kproof.errors import DataError, show
from kproof.models.registry import Kind
from kproof.proptests.contract import Source, TableCase

_TYPES: Mapping[str, Callable[[str], object]] = {
    "float": float,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "Decimal": Decimal,
    "Fraction": Fraction,
}


def to_json(case: Any) -> dict[str, object] | None:
    """Return a case as JSON; None if it holds what has no form.

    >>> from kproof.proptests.contract import TableCase
    >>> case = TableCase({"age": (34, None), "on": (date(2020, 1, 2),) * 2}, ("age",), None)
    >>> of_json(to_json(case)) == case
    True
    """
    try:
        values = {field.name: _encode(getattr(case, field.name)) for field in fields(case)}
    except TypeError:
        return None
    return {"case": type(case).__name__, **values}


def of_json(document: Mapping[str, Any]) -> Any:
    """Return the case of a document that :func:`to_json` made.

    Raises:
        ValueError, TypeError, LookupError: If it is another one.
    """
    values = {name: decode(value) for name, value in document.items() if name != "case"}
    classes = {kind.__name__: kind for kind in _kinds()}
    return classes[document["case"]](**values)


def source_of(path: str | Path, kind: Kind, checks: Collection[str] = ()) -> Source:
    """Return the source of the case in a file: one that was saved, or of ``verify --json``.

    A document of a run has a case for each check that failed: the first of them, or the first of
    some checks.

    Raises:
        DataError: If there is no such case in the file, or it is of another kind.
    """
    with refuse_unreadable_case(path):
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        documents = [document]
        if "results" in document:
            documents = [
                entry["replay"]
                for entry in document["results"]
                if entry["replay"] is not None and (not checks or entry["check"] in checks)
            ]
        cases = [of_json(document) for document in documents[:1]]
        for case in cases:
            own, build = _kinds()[type(case)]
            # What no anonymizer can be shown is no case.
            build(case)
    if not cases:
        raise DataError(f"{path}: no check failed there, or none of those asked for")
    if own is not kind:
        raise DataError(f"{path}: is a case of kind {own}; need one of kind {kind}")
    return Source.finite(f"the case in {path}", kind, lambda _: cases)


@contextmanager
def refuse_unreadable_case(path: str | Path) -> Iterator[None]:
    """Refuse a file that has no case, or cannot be read, whatever the reader stumbles over."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        reason = show(str(error), 60)
        raise DataError(f"{path}: no case of verify: {reason}; need --json of a run") from None


def _kinds() -> Mapping[type, tuple[Kind, Callable[[Any], object]]]:
    """Return the kind of each class of cases, and what makes of it what anonymizers take."""
    from kproof.proptests.cases import CityCase, GraphCase, LogCase, PointsCase
    from kproof.proptests.labels.frames import frame_of

    return {
        TableCase: (Kind.TABLE, frame_of),
        CityCase: (Kind.CITY, lambda case: case.city),
        PointsCase: (Kind.POINTS, lambda case: case.points),
        GraphCase: (Kind.GRAPH, lambda case: case.graph),
        LogCase: (Kind.LOG, lambda case: [case.codes_of(person) for person in range(case.people)]),
    }


def _encode(value: object) -> object:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Mapping):
        return {"pairs": [[_encode(key), _encode(entry)] for key, entry in value.items()]}
    if isinstance(value, (tuple, list)):
        return [_encode(entry) for entry in value]
    if isinstance(value, float):
        # JSON has no word for NaN and infinities, and a reader of it may take 1.0 for 1. The text
        # of a float leads back to the same float.
        return {"type": "float", "text": repr(float(value))}
    name = type(value).__name__
    if name not in _TYPES:
        raise TypeError(f"{name} has no form")
    text = value.isoformat() if isinstance(value, (date, time)) else str(value)
    return {"type": name, "text": text}


def decode(value: Any) -> Any:
    """Return what a value of such a document stands for."""
    if isinstance(value, list):
        return tuple(map(decode, value))
    if isinstance(value, dict) and "pairs" in value:
        return {decode(key): decode(entry) for key, entry in value["pairs"]}
    if isinstance(value, dict):
        return _TYPES[value["type"]](value["text"])
    return value
