"""Anonymizers by reference: ``package.module:function`` to the object and back."""

from __future__ import annotations

import sys
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

from kproof.errors import InvalidArgument


def load(reference: str) -> Any:
    """Import what a reference names, looking in the working directory as well.

    Args:
        reference: ``"package.module:name"``; the name may have dots.

    Raises:
        InvalidArgument: If it is not of this form, the module cannot be imported, or the name is
            not in it.

    >>> load("math:gcd")(12, 18)
    6
    >>> load("math:gdc")
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: anonymizer = math:gdc: need a name in math; it has no gdc
    """
    module, colon, name = reference.partition(":")
    if not (module and colon and name):
        raise InvalidArgument("anonymizer", reference, "package.module:function")
    directory = str(Path.cwd())
    if directory not in sys.path:
        sys.path.insert(0, directory)
    try:
        imported = import_module(module)
    except (Exception, SystemExit) as error:  # whatever the module does while it is imported
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise InvalidArgument(
            "anonymizer", reference, f"a module that can be imported; {reason}"
        ) from error
    try:
        return attrgetter(name)(imported)
    except AttributeError:
        raise InvalidArgument(
            "anonymizer", reference, f"a name in {module}; it has no {name}"
        ) from None


def reference_of(thing: Any) -> str | None:
    """Return a reference another process can load, None if there is no such.

    >>> from math import gcd
    >>> reference_of(gcd), reference_of(lambda: 0)
    ('math:gcd', None)
    """
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    if (
        module in (None, "__main__")
        or name is None
        or not hasattr(sys.modules.get(module), "__name__")
    ):
        return None
    try:
        same = attrgetter(name)(sys.modules[module]) is thing
    except AttributeError:
        same = False
    return f"{module}:{name}" if same else None
