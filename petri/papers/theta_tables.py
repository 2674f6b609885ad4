"""Whole tables on their way through a θ-sensitive net: colours, variables, places, padding.

Both cuts of the net share these.
"""

from __future__ import annotations

from kproof.petri.net.colours import Integers, Open, Product
from kproof.petri.net.net import Choice, NetBuilder
from kproof.petri.net.terms import Call, Constant, Function, Variable
from kproof.petri.papers.classes import ECs, Moves
from kproof.petri.papers.publisher import INFEASIBLE


class TableColours:
    """Colours, variables and functions over whole tables, which both cuts share."""

    def __init__(self, moves: Moves, count: int) -> None:
        self._moves = moves
        self._count = count
        self.index = Integers("EC", 0, count - 1)
        unit = Open("As", lambda token: isinstance(token, int))
        self.published = Open(
            "ECs", lambda token: isinstance(token, tuple) and len(token) == self._count
        )
        self.working = Product("ECc × ECs", (self.index, self.published))
        self.c, self.b = Variable("c", self.index), Variable("b", self.index)
        self.x, self.y = Variable("x", unit), Variable("y", unit)
        self.ecs = Variable("ecs", self.published)
        self.after = Function("next", lambda c: c + 1, self.index, "the next class")
        self.swap = Function(
            "swapped", moves.swap, self.published, "the classes after the exchange"
        )
        self.widen = Function(
            "widened", moves.widen, self.published, "the classes with a noise row in class c"
        )

    def add_table_places(self, build: NetBuilder, ecs: ECs, *, masked: bool) -> None:
        """Add the places of the table on its way; it begins in MMT if masked, else in MT."""
        if not masked:
            build.place("MT", self.published, Constant(ecs, self.published), note="microdata")
        first = Constant((0, ecs), self.working) if masked else None
        build.place("MMT", self.working, first, note="current class and the masked table")
        build.place("PublshdData", self.published, note="what is published")
        build.place(INFEASIBLE, self.working, note="where V ≥ θ cannot be reached")

    def all_full(self) -> Call:
        """Return the condition that every class has k rows."""
        size, k = self._moves.size, self._moves.threshold.k
        full = Function(
            "full", lambda ecs: all(size(ec) >= k for ec in ecs), note="each class has k rows"
        )
        return full(self.ecs)

    def add_padding(self, build: NetBuilder) -> None:
        """Add the transition that fills classes below k rows up with noise."""
        moves = self._moves
        size, k = moves.size, moves.threshold.k

        def short(ecs: ECs) -> tuple[int, ...]:
            return tuple(c for c, ec in enumerate(ecs) if size(ec) < k)[:1]

        def fill(c: int, ecs: ECs) -> tuple[int, ...]:
            return moves.absent(ecs[c]) or moves.domain

        build.transition(
            "pad",
            takes={"MT": self.ecs},
            puts={"MT": self.widen(self.c, self.x, self.ecs)},
            choices=(
                Choice(self.c, Function("short", short, note="below k rows"), (self.ecs,)),
                Choice(
                    self.x, Function("filling", fill, note="values for padding"), (self.c, self.ecs)
                ),
            ),
            note="fill a class up with noise",
        )
