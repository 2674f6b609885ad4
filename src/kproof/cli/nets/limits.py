"""The option ``--budget`` of the commands of ``kproof net``: when exploring stops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kproof.cli.base.columns import pairs
from kproof.cli.base.common import split
from kproof.errors import InvalidArgument, did_you_mean

if TYPE_CHECKING:
    from kproof.petri.spaces.space import Budget

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
