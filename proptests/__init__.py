"""What always holds: Hypothesis strategies, checks and the suite that holds anonymizers to them.

Importing this package imports nothing heavy; each public name is imported when it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kproof.proptests.api import check_anonymizer
    from kproof.proptests.parametrize import parametrize_with_checks
    from kproof.proptests.results import PromiseBroken, PromiseOpen, Results
    from kproof.proptests.subjects.command import Command

_HOMES = {
    "Command": "kproof.proptests.subjects.command",
    "PromiseBroken": "kproof.proptests.results",
    "PromiseOpen": "kproof.proptests.results",
    "Results": "kproof.proptests.results",
    "check_anonymizer": "kproof.proptests.api",
    "parametrize_with_checks": "kproof.proptests.parametrize",
}

__all__ = [
    "Command",
    "PromiseBroken",
    "PromiseOpen",
    "Results",
    "check_anonymizer",
    "parametrize_with_checks",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'kproof.proptests' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
