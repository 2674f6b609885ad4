"""Somebody who subtracts answers of a server: windows that are nested, and the next k.

They know nothing but what is published. Every window that was answered is compared with the windows
in it that were answered; a difference that counts somebody, but fewer than the server promises, is
an isolation. The next windows are drawn around the smallest difference so far.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random
from typing import Any

Window = tuple[date, date, int]
Ask = Callable[[date, date, int], Any]


@dataclass
class Subtracter:
    """The attacker.

    ``ask`` returns the service's answer, or None where it refuses.
    """

    ask: Ask
    first: date
    last: date
    promised: int
    rungs: tuple[int, ...] = (5, 10, 20, 50)
    seed: int = 0
    asked: int = 0
    isolated: list[tuple[Window, Window, int]] = field(default_factory=list)
    known: dict[Window, dict[tuple[str, str], int]] = field(default_factory=dict)

    def run(self, queries: int) -> None:
        """Ask so often."""
        draw = Random(self.seed)
        smallest = self.last - self.first, self.first, self.last
        while self.asked < queries:
            start = draw.choice((smallest[1], self._day(draw))) + timedelta(draw.randint(-1, 1))
            stop = draw.choice((smallest[2], self._day(draw))) + timedelta(draw.randint(-1, 1))
            start, stop = sorted((start, stop))
            for k in (self.promised, draw.choice(self.rungs)):
                for ends in ((start, stop), (start, stop + timedelta(1)), (start, start)):
                    gap = self._learn((*ends, k))
                    if gap is not None:
                        smallest = gap

    def _day(self, draw: Random) -> date:
        return self.first + timedelta(draw.randint(0, (self.last - self.first).days))

    def _learn(self, window: Window) -> tuple[timedelta, date, date] | None:
        if window in self.known:
            # Asked again all the same: an answer that changes is told apart, too.
            if self._lines(window) != self.known[window]:
                self.isolated.append((window, window, -1))
            return None
        lines = self._lines(window)
        self.known[window] = lines
        found = None
        for other, known in self._nested(window):
            differences = [sum(lines.values()) - sum(known.values())]
            if other[2] == window[2]:
                differences += [count - known.get(name, 0) for name, count in lines.items()]
            for one in differences:
                if 0 < abs(one) < self.promised:
                    self.isolated.append((window, other, one))
                    found = other[1] - other[0], other[0], window[1]
        return found

    def _lines(self, window: Window) -> dict[tuple[str, str], int]:
        self.asked += 1
        answer = self.ask(*window)
        if answer is None:
            return {}
        return {
            (line["section_region"], line["time_period"]): line["truck_count"]
            for line in answer["data"]
        }

    def _nested(self, window: Window) -> Iterator[tuple[Window, dict[tuple[str, str], int]]]:
        start, stop, k = window
        for other, lines in list(self.known.items())[-400:]:
            if other != window and start <= other[0] and other[1] <= stop and other[2] >= k:
                yield other, lines
