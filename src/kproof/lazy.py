"""Packages whose public names are imported when they are first asked for, so that none costs time.

A package says its names once, in the imports that type checkers read.
"""

import ast
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType


def homes_of(file: str) -> dict[str, str]:
    """Return the module of each name that a package imports for type checkers, by name."""
    # Read from the source, as Python passes over that block: a list beside it would drift from it.
    body = ast.parse(Path(file).read_text(encoding="utf-8")).body
    imports = [line for part in body if isinstance(part, ast.If) for line in part.body]
    return dict(
        sorted(
            (alias.name, str(line.module))
            for line in imports
            if isinstance(line, ast.ImportFrom)
            for alias in line.names
        )
    )


def import_on_demand(package: str, homes: Mapping[str, str], *more: str) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package, which imports a name from its home.

    A home that is the package itself stands for a module of it. What is public in ``more`` packages
    can be asked for as well, and nothing lists it.
    """

    def find(name: str) -> object:
        # Lazily: those packages are imported only where the name has no home here.
        further = (module for module in more if name in import_module(module).__all__)
        home = homes.get(name) or next(further, None)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        of_package = home == package
        value: object = import_module(f"{home}.{name}" if of_package else home)
        value = value if of_package else getattr(value, name)
        # Kept there: the next time Python finds it and does not ask.
        vars(sys.modules[package])[name] = value
        return value

    return find


class FunctionsFirst(ModuleType):
    """A package in which a public function has the name of a package below it.

    Importing ``kproof.report.badge`` would make the package ``kproof.report`` an attribute of
    ``kproof``, in place of the function; ``from kproof.report import badge`` does without.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)
