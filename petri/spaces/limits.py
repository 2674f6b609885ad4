"""Watching a budget while a net is explored and while what was found is judged."""

import time
from collections.abc import Callable

from kproof.errors import KProofError
from kproof.petri.spaces.space import Budget, StateSpace
from kproof.theory.exact.typed import integer, rational

EXPLORING = 0.75
"""Share of the seconds after which exploring stops; the rest is for judging what was found."""
PACE = 5_000_000
"""Arcs a second that a pass over a state space is expected to make at least."""
LOOKS = 256
"""Looks at the clock between two looks at the memory, which take longer."""


class Ended(KProofError):
    """A budget, the ``limit`` ``"seconds"`` or ``"megabytes"``, ended some work before it was done.

    Whoever began the work catches it and answers with what is known by then.
    """

    def __init__(self, limit: str) -> None:
        self.limit = limit
        super().__init__(f"the budget of {limit} is used up")


class Clock:
    """A budget that has begun to run, and a share of its seconds that counts.

    >>> Clock(Budget(seconds=60)).tick(), Clock(Budget(seconds=0)).limit_reached(lambda: 0)
    (0, 'seconds')
    """

    def __init__(self, budget: Budget, *, share: float = 1) -> None:
        self.started = time.perf_counter()
        self.states = None if budget.states is None else integer("states", budget.states, least=1)
        seconds = _limit("seconds", budget.seconds)
        self._seconds = None if seconds is None else share * seconds
        self._megabytes = _limit("megabytes", budget.megabytes)
        self._memory: Callable[[], int] = int
        self._looks = 0

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.perf_counter() - self.started

    def watch(self, memory: Callable[[], int]) -> None:
        """Say where :meth:`tick` learns how many bytes are held."""
        self._memory = memory

    def limit_reached(self, memory: Callable[[], int]) -> str | None:
        """Return the limit on time or memory that is reached, given the bytes held, or None."""
        if self._seconds is not None and self.seconds >= self._seconds:
            return "seconds"
        if self._megabytes is not None and memory() > 1e6 * self._megabytes:
            return "megabytes"
        return None

    def tick(self, extra: int = 0) -> int:
        """Look at the clock, and at times at the memory with ``extra`` bytes; 0, or raise Ended."""
        # Written out, not by `limit_reached`: a search comes here thousands of times a second.
        if self._seconds is not None and time.perf_counter() - self.started >= self._seconds:
            raise Ended("seconds")
        self._looks += 1
        if self._megabytes is not None and self._looks % LOOKS == 0:
            limit = self.limit_reached(lambda: self._memory() + extra)
            if limit is not None:
                raise Ended(limit)
        return 0

    def allow(self, work: int) -> None:
        """Raise Ended before a pass over states and arcs that may take longer than is left."""
        if self._seconds is not None and self.seconds + work / PACE >= self._seconds:
            raise Ended("seconds")


def endless_clock() -> Clock:
    """Return a clock that never ends anything."""
    return Clock(Budget(states=None, seconds=None, megabytes=None))


def clock_for_judging(space: StateSpace) -> Clock:
    """Return a clock with the seconds that exploring a space left for judging it."""
    return Clock(Budget(states=None, seconds=space.left, megabytes=None))


def _limit(name: str, value: float | None) -> float | None:
    return None if value is None else float(rational(name, value, least=0))
