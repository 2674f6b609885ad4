"""Nets of users' own, ``FILE.py:NAME``: their code is run, which is said, and run apart.

NAME is a net, or a function without arguments that returns one. What it is decides what can be
asked of it: see :func:`load_own`.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from importlib.util import module_from_spec, spec_from_file_location
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from kproof.cli.base.apart import is_apart, run_apart
from kproof.cli.base.columns import pairs
from kproof.cli.base.common import split
from kproof.cli.base.printing import silence
from kproof.errors import DataError, InvalidArgument, KProofError, did_you_mean, show

if TYPE_CHECKING:
    from kproof.petri.spaces.space import Budget

P = ParamSpec("P")

GRACE = 30
"""Seconds beyond those of the budget for whatever is not exploring: loading, drawing, writing."""

_OWN = re.compile(r"(?P<file>.+\.py):(?P<name>[^\W\d]\w*(\.[^\W\d]\w*)*)")
_MODULE = "_kproof_own_net"
_KINDS = (
    "a Net, a NetBuilder, a Publisher or what kproof.net returns, alone or in a pair with a list "
    "of properties"
)


def file_of(model: str) -> str | None:
    """Return the file of a net of a user's own; None for other nets.

    >>> file_of("nets/my.py:office"), file_of("office.pnml"), file_of("my.py")
    ('nets/my.py', None, None)
    """
    own = _OWN.fullmatch(model)
    return None if own is None else own["file"]


def runs_own_nets(command: Callable[P, int]) -> Callable[P, int]:
    """Return a command whose first argument may name a net of a user's own.

    It is then run in a process of its own, for as long as its budget says and :data:`GRACE`.
    """

    @wraps(command)
    def run(*arguments: P.args, **options: P.kwargs) -> int:
        model = str(arguments[0]) if arguments else ""
        file = file_of(model)
        if file is None:
            return command(*arguments, **options)
        if not is_apart():
            limits: Any = options.get("budget_", ())
            return run_apart(model, patience=GRACE + (budget(limits).seconds or 0))
        try:
            with silence():
                return command(*arguments, **options)
        except KProofError:
            raise
        except BaseException as error:
            # Nobody interrupts this process: whatever is raised, their code raised it or we did.
            place = _place(error, file)
            if place is None and isinstance(error, Exception):
                raise
            raise DataError(f"{model}: {_problem(error)}{place or ''}") from error

    return run


_LIMITS = ("states", "seconds", "megabytes")


def budget(limits: tuple[str, ...]) -> Budget:
    """Read ``states=N,seconds=S,megabytes=M``, each of which may be left out.

    >>> budget(("states=100,seconds=0.5",))
    Budget(states=100, seconds=0.5, megabytes=1000)
    >>> budget(("hours=1",))
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: budget = hours: need states, seconds or megabytes
    """
    from kproof.petri.spaces.space import Budget
    from kproof.theory.exact.typed import integer, rational

    typed = pairs("budget", split(limits))
    for name in typed:
        if name not in _LIMITS:
            admissible = f"states, seconds or megabytes{did_you_mean(name, _LIMITS)}"
            raise InvalidArgument("budget", name, admissible)
    limit: dict[str, Any] = {
        name: float(rational(f"budget {name}", value, least=0))
        for name, value in typed.items()
        if name != "states"
    }
    if "states" in typed:
        limit["states"] = integer("budget states", typed["states"], least=1)
    return Budget(**limit)


def load_own(model: str) -> tuple[Any, Any, tuple[Any, ...]]:
    """Run the code of a net; return the net, the publisher's net if it is one, and properties.

    Whatever is wrong with it or its code is a DataError.
    """
    from kproof.petri.logic.properties import Property
    from kproof.petri.net.net import Net, NetBuilder
    from kproof.petri.papers.api import TableNet
    from kproof.petri.papers.publisher import Publisher

    if not is_apart():
        raise RuntimeError("code of a user's is run in a process of its own")
    own_net = _make(model)
    properties: tuple[Any, ...] = ()
    if isinstance(own_net, tuple) and len(own_net) == 2 and isinstance(own_net[1], list | tuple):
        own_net, properties = own_net[0], tuple(own_net[1])
    for own_property in properties:
        # A class has what the protocol asks of its instances, and would pass for one.
        if isinstance(own_property, type) or not isinstance(own_property, Property):
            fault = f"{show(str(own_property))} is no property of kproof.petri.logic"
            raise DataError(f"{model}: {fault}")
    if isinstance(own_net, NetBuilder):
        own_net = own_net.net()
    if isinstance(own_net, Publisher):
        own_net = TableNet(own_net, own_net.net())
    if isinstance(own_net, TableNet):
        return own_net.net, own_net, properties
    if isinstance(own_net, Net):
        return own_net, None, properties
    raise DataError(f"{model}: is of type {type(own_net).__name__}; need {_KINDS}")


def _make(model: str) -> Any:
    """Return what a name of a file is, or what it returns if it is a function."""
    own = _OWN.fullmatch(model)
    assert own is not None
    file, name = own["file"], own["name"]
    if not Path(file).is_file():
        raise DataError(f"{file}: there is no such file")
    # Other modules beside it can be imported, as if Python ran the file.
    sys.path.insert(0, str(Path(file).resolve().parent))
    spec = spec_from_file_location(_MODULE, file)
    assert spec is not None
    assert spec.loader is not None
    # Registered before it runs: dataclasses look their module up there.
    module = sys.modules[_MODULE] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        own_net = attrgetter(name)(module)
        return own_net() if callable(own_net) else own_net
    except BaseException as error:
        # One that came through the file is an error of its code, and no name that is missing.
        if isinstance(error, AttributeError) and _place(error, file) is None:
            raise DataError(f"{file}: has no {name}") from error
        raise DataError(f"{model}: {_problem(error)}{_place(error, file) or ''}") from error


def _problem(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"its code called sys.exit({'' if error.code is None else show(str(error.code))})"
    if isinstance(error, KProofError):
        return str(error)
    return f"its code raised {type(error).__name__}: {show(str(error))}"


def _place(error: BaseException, file: str) -> str | None:
    """Return the last line of a file that an error came through; None if it came through none."""
    lines = []
    for frame in traceback.extract_tb(error.__traceback__):
        with suppress(OSError):
            if Path(frame.filename).samefile(file):
                lines.append(frame.lineno)
    if isinstance(error, SyntaxError) and error.lineno is not None:
        lines.append(error.lineno)
    return f" (line {lines[-1]})" if lines else None
