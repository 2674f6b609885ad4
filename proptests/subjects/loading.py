"""Anonymizers by reference: ``package.module:function`` to the object and back."""

import sys
from functools import partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

from kproof.errors import InvalidArgument


def load(reference: str) -> Any:
    """Import what ``"package.module:name"`` names, looking in the working directory as well.

    The name may have dots.

    >>> load("math:gcd")(12, 18)
    6
    """
    module, colon, name = reference.partition(":")
    if not (module and colon and name):
        raise InvalidArgument("anonymizer", reference, "package.module:function")
    directory = str(Path.cwd())
    if directory not in sys.path:
        # At first, where python -m has it as well: an installed package of that name is not meant.
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


def resolve(anonymizer: Any, name: str | None = None) -> tuple[Any, str | None, str]:
    """Return an anonymizer or what a reference names, its reference, and what a reader calls it."""
    reference = anonymizer if isinstance(anonymizer, str) else reference_of(anonymizer)
    target = load(anonymizer) if isinstance(anonymizer, str) else anonymizer
    return target, reference, name or reference or _name(target)


def reference_of(target: Any) -> str | None:
    """Return a reference another process can load, None if there is no such.

    >>> from math import gcd
    >>> reference_of(gcd), reference_of(lambda: 0)
    ('math:gcd', None)
    """
    module, name = getattr(target, "__module__", None), getattr(target, "__qualname__", None)
    if (
        module in (None, "__main__")
        or name is None
        or not hasattr(sys.modules.get(module), "__name__")
    ):
        return None
    # A function within another one has no such name, and that of a decorated one is another thing.
    try:
        leads_back = attrgetter(name)(sys.modules[module]) is target
    except AttributeError:
        leads_back = False
    return f"{module}:{name}" if leads_back else None


def _name(target: Any) -> str:
    if isinstance(target, partial):
        return _name(target.func)
    name = getattr(target, "__qualname__", None) or getattr(target, "__name__", None)
    return name or type(target).__name__
