"""Watching a budget while an exploration runs."""

from __future__ import annotations

import time
from collections.abc import Callable

from kproof.petri.space import Budget
from kproof.theory.numbers import integer, rational


class Clock:
    """A budget that has begun to run.

    Parameters
    ----------
    budget
        What may be used: at least one state, and seconds and megabytes of 0 or more.

    Raises
    ------
    InvalidArgument
        If a limit is below that.
    """

    def __init__(self, budget: Budget) -> None:
        self.started = time.perf_counter()
        self.states = None if budget.states is None else integer("states", budget.states, least=1)
        self._seconds = _limit("seconds", budget.seconds)
        self._megabytes = _limit("megabytes", budget.megabytes)

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.perf_counter() - self.started

    def reached(self, held: Callable[[], int]) -> str | None:
        """Return the limit on time or memory that is reached, given the bytes held, or None."""
        if self._seconds is not None and self.seconds >= self._seconds:
            return "seconds"
        if self._megabytes is not None and held() > 1e6 * self._megabytes:
            return "megabytes"
        return None


def _limit(name: str, value: float | None) -> float | None:
    return None if value is None else float(rational(name, value, least=0))
