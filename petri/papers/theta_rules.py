"""The θ-sensitive publisher cut by Rules (2) to (8), with the places of Table 10.

The rules as printed cannot run: (6) puts five things into one transition, (7) does not write the
donor back, nothing publishes where no noise is needed. Here each branch is a transition. The table
is one token that moves: it waits in MMT for the next check of a variance and is in one of the
other places while it is worked on.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Section 5.3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from kproof.petri.net.colours import Colour, Enumeration, Integers, Open, Product
from kproof.petri.net.net import Choice, NetBuilder
from kproof.petri.net.terms import (
    Bag,
    Call,
    Condition,
    Constant,
    Function,
    Term,
    Variable,
    tuple_of,
)
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


Variances = tuple[Fraction, ...]


def add_rules(build: NetBuilder, moves: Moves, ecs: ECs, *, pads: bool, printed: bool) -> Colour:
    """Add the rules, corrected or as printed; return the colour of what is published."""
    rules = _Rules(build, moves, TableColours(moves, len(ecs)), len(ecs), printed=printed)
    rules.add_places(ecs)
    if pads:
        rules.tables.add_padding(build)
    rules.add_preparation()
    rules.add_checks()
    rules.add_exchanges()
    rules.add_updates()
    rules.add_noise()
    return rules.tables.published


class _Rules:
    """Builds the net rule by rule; every method adds the transitions of its rules."""

    def __init__(
        self, build: NetBuilder, moves: Moves, tables: TableColours, count: int, *, printed: bool
    ) -> None:
        self.build, self.moves, self.tables, self.printed = build, moves, tables, printed
        self.count = count
        number = Open("V", lambda token: isinstance(token, Fraction))
        self.number = number
        self.variances = Open("V × …", lambda token: isinstance(token, tuple))
        self.size = Integers("k", moves.threshold.k, moves.threshold.k)
        self.truth = Enumeration("Condition", (False, True))
        self.turns = Integers("Turns", 0, count)
        self.donor = Product("ECb × ECc × ECs", (tables.index, *tables.working.parts))
        self.judged = Product("V × ECc × ECs", (number, *tables.working.parts))
        self.theta, self.w = Variable("theta", number), Variable("w", number)
        self.v = Variable("v", self.variances)
        self.turn = Variable("turn", self.turns)
        self.c, self.b, self.ecs = tables.c, tables.b, tables.ecs
        self.here = tuple_of(self.c, self.ecs)
        self.last = Constant(count - 1, tables.index)
        self.variance_of = Function(
            "variance", lambda c, ecs: moves.variance(ecs[c]), number, "V of class c"
        )
        self.above = Function(
            "above", self._above, note="V of class c exceeds θ" if printed else "V of class c ≥ θ"
        )
        self.below = Function("below", self._below, note="V of class c < θ")

    # Rules (2) to (5): from microdata to variances and θ.

    def add_places(self, ecs: ECs) -> None:
        threshold, tables = self.moves.threshold, self.tables
        sigma = threshold.at(threshold.k) / threshold.mu
        place = self.build.place
        tables.add_table_places(self.build, ecs, masked=False)
        place("KValue", self.size, Constant(threshold.k, self.size), note="k")
        place("CondTF", self.truth, note="whether every class has k rows")
        place("Sigma", self.number, Constant(sigma, self.number), note="(k² − 1)/12")
        place("Mu", self.number, Constant(threshold.mu, self.number), note="μ")
        place("Theta", self.number, note="θ = μ(k² − 1)/12")
        place("VarECs", self.variances, note="V of each class")
        place("Found ECb", self.donor, note="a donor, for class c")
        place("Strict ECn-1", self.donor, note="the class before the last, for the last")
        place("AdjECc", tables.working, note="the table after class c was adjusted")
        place("AdjECn", tables.working, note="the table after the last class was adjusted")
        place("VarAdjECc", self.judged, note="V of class c again")
        place("VarAdjECn", self.judged, note="V of the last class again")
        place("Need Noise", tables.working, note="no exchange is possible")
        if self.printed:
            place("Loop", self.turns, note="turns of line 9 that are left")

    def add_preparation(self) -> None:
        build, ecs, current = self.build, self.ecs, self.here
        k = Variable("k", self.size)
        s, m = Variable("sigma", self.number), Variable("mu", self.number)
        theta = Function("times", lambda s, m: s * m, self.number, "μ·σ²")
        variances = Function(
            "variances",
            lambda ecs: tuple(map(self.moves.variance, ecs)),
            self.variances,
            "V of each class",
        )
        self.all_variances = variances
        build.transition(
            "Mask Data", takes={"MT": ecs},
            puts={"MMT": tuple_of(Constant(0, self.tables.index), ecs)}, reads={"KValue": k},
            guard=self.tables.all_full(), note="Rule (2)",
        )  # fmt: skip
        build.transition(
            "Check k", takes={"KValue": k}, puts={"CondTF": Constant(True, self.truth)},
            reads={"MMT": current}, note="Rule (3): every class has k rows",
        )  # fmt: skip
        build.transition(
            "Calc Theta", takes={"Sigma": s, "Mu": m}, puts={"Theta": theta(s, m)}, note="Rule (4)"
        )
        loop: Mapping[str, Term] = (
            {"Loop": Constant(self.count, self.turns)} if self.printed else {}
        )
        build.transition(
            "Compute Var", takes={"CondTF": Constant(True, self.truth)},
            puts={"VarECs": variances(ecs), **loop}, reads={"MMT": current}, note="Rule (5)",
        )  # fmt: skip

    # Rule (6): where the table goes next.

    def add_checks(self) -> None:
        above = self.above(self.c, self.ecs, self.v, self.theta)
        below = self.below(self.c, self.ecs, self.v, self.theta)
        not_last, last = self.c < self.last, self.c.equals(self.last)
        follower = tuple_of(self.tables.after(self.c), self.ecs)
        donors = Function("donors", self._donors, note="where class c may get a value from")
        strict = Function("strict", self._strict, note="the class before the last, if it may give")
        found_b = Choice(self.b, donors, (self.c, self.ecs, self.v, self.theta))
        strict_b = Choice(self.b, strict, (self.c, self.ecs))
        none = Function(
            "no_donor",
            lambda *arguments: not (self._donors(*arguments) or self._strict(*arguments[:2])),
            note="no class may give a value",
        )(self.c, self.ecs, self.v, self.theta)
        to_donor = tuple_of(self.b, self.c, self.ecs)
        check = self._check
        check("next", {"MMT": follower}, above & not_last)
        check("publish", {"PublshdData": self.ecs}, above & last)
        check("donor", {"Found ECb": to_donor}, below & not_last, (found_b,))
        check("strict", {"Strict ECn-1": to_donor}, below & last, (strict_b,))
        check("need noise", {"Need Noise": self.here}, below & none)
        if self.printed:
            self.build.transition(
                "Check Variance: end of loop", takes={"MMT": self.here},
                puts={"PublshdData": self.ecs}, reads={"Loop": Constant(0, self.turns)},
                note="line 49: what was not reached is published as it is",
            )  # fmt: skip

    def _check(
        self,
        name: str,
        puts: Mapping[str, Bag | Term],
        guard: Condition,
        choices: tuple[Choice, ...] = (),
    ) -> None:
        takes: dict[str, Bag | Term] = {"MMT": self.here}
        puts = dict(puts)
        if self.printed:
            before = Function("before", lambda turn: turn - 1, self.turns, "one turn less")
            takes["Loop"], puts["Loop"] = self.turn, before(self.turn)
            guard = (self.turn > 0) & guard
        self.build.transition(
            f"Check Variance: {name}", takes=takes, puts=puts,
            reads={"VarECs": self.v, "Theta": self.theta}, guard=guard, choices=choices,
            note="Rule (6)",
        )  # fmt: skip

    # Rule (7): exchanges.

    def add_exchanges(self) -> None:
        moves, build, tables = self.moves, self.build, self.tables
        c, b, ecs, x, y = self.c, self.b, self.ecs, tables.x, tables.y

        def pairs(c: int, b: int, ecs: ECs) -> tuple[tuple[int, int], ...]:
            return (moves.forward if b > c else moves.backward)(ecs[c], ecs[b])

        leaving = Function(
            "leaving",
            lambda c, b, ecs: dict.fromkeys(x for x, _ in pairs(c, b, ecs)),
            note="what class c may give",
        )
        coming = Function(
            "coming",
            lambda c, b, ecs, x: [y for gives, y in pairs(c, b, ecs) if gives == x],
            note="what class b may give for it",
        )
        for name, source, target in (
            ("swap", "Found ECb", "AdjECc"),
            ("cross swap", "Strict ECn-1", "AdjECn"),
        ):
            build.transition(
                f"Adjst Var: {name}",
                takes={source: tuple_of(b, c, ecs)},
                puts={target: tuple_of(c, tables.swap(c, b, x, y, ecs))},
                choices=(Choice(x, leaving, (c, b, ecs)), Choice(y, coming, (c, b, ecs, x))),
                note="Rule (7)",
            )
        if self.printed:
            empty = Function(
                "nothing_to_give",
                lambda c, b, ecs: not pairs(c, b, ecs),
                note="class c has all values of class b",
            )
            build.transition(
                "Adjst Var: none", takes={"Found ECb": tuple_of(b, c, ecs)},
                puts={"AdjECc": self.here}, guard=empty(c, b, ecs),
                note="lines 35 to 37 find nothing",
            )  # fmt: skip

    # Rules (5) and (6) again: the variance after an adjustment, written back.

    def add_updates(self) -> None:
        c, ecs, w, v, current = self.c, self.ecs, self.w, self.v, self.here
        judged = tuple_of(w, c, ecs)
        for suffix in ("ECc", "ECn"):
            self.build.transition(
                f"Compute Var: {suffix}",
                takes={f"Adj{suffix}": current},
                puts={f"VarAdj{suffix}": tuple_of(self.variance_of(c, ecs), c, ecs)},
                note="Rule (5) for the adjusted class",
            )
        if not self.printed:
            for suffix in ("ECc", "ECn"):
                self.build.transition(
                    f"Check Variance: update {suffix}",
                    takes={f"VarAdj{suffix}": judged, "VarECs": v},
                    puts={"MMT": current, "VarECs": self.all_variances(ecs)},
                    note="both classes of an exchange are written back",
                )
            return
        written = Function(
            "written",
            lambda c, v, w: (*v[:c], w, *v[c + 1 :]),
            self.variances,
            "V of class c is written back, the donor's is not",
        )
        follower = tuple_of(self.tables.after(c), ecs)
        for name, target, guard in (
            ("line 40", follower, self._is(lambda w, theta: w > theta, "exceeds")),
            ("line 41", current, self._is(lambda w, theta: w <= theta, "at_most")),
        ):
            self.build.transition(
                f"Check Variance: {name}", takes={"VarAdjECc": judged, "VarECs": v},
                puts={"MMT": target, "VarECs": written(c, v, w)}, reads={"Theta": self.theta},
                guard=guard,
            )  # fmt: skip
        for name, puts, guard in (
            ("line 24", {"PublshdData": ecs}, self._is(lambda w, theta: w >= theta, "at_least")),
            ("line 22", {"Need Noise": current}, self._is(lambda w, theta: w < theta, "less")),
        ):
            self.build.transition(
                f"Check Variance: {name}", takes={"VarAdjECn": judged}, puts=puts,
                reads={"Theta": self.theta}, guard=guard,
            )  # fmt: skip

    def _is(self, compare: Callable[[Fraction, Fraction], bool], name: str) -> Condition:
        """Return a comparison of the recomputed variance with θ."""
        theta_of = self._at
        return Function(
            name, lambda w, c, ecs, theta: compare(w, theta_of(ecs, c, theta)), note="V against θ"
        )(self.w, self.c, self.ecs, self.theta)

    # Rule (8): noise, until θ holds.

    def add_noise(self) -> None:
        moves, build, current = self.moves, self.build, self.here
        c, ecs, x = self.c, self.ecs, self.tables.x
        enough = Function(
            "enough",
            lambda c, ecs, theta: self._reaches(moves.variance(ecs[c]), ecs, c, theta),
            note="noise has done its work",
        )(c, ecs, self.theta)
        absent = Function(
            "absent", lambda c, ecs: moves.absent(ecs[c]), note="values class c does not have"
        )
        reads = {"Theta": self.theta}
        build.transition(
            "Add Noise", takes={"Need Noise": current},
            puts={"Need Noise": tuple_of(c, self.tables.widen(c, x, ecs))}, reads=reads,
            guard=~enough, choices=(Choice(x, absent, (c, ecs)),), note="Rule (8)",
        )  # fmt: skip
        for name, position in (("ECc", c < self.last), ("ECn", c.equals(self.last))):
            build.transition(
                f"Add Noise: enough for {name}", takes={"Need Noise": current},
                puts={f"Adj{name}": current}, reads=reads, guard=position & enough,
            )  # fmt: skip
        if not self.printed:
            nothing = Function(
                "nothing_absent", lambda c, ecs: not moves.absent(ecs[c]), note="no value is left"
            )
            build.transition(
                "Add Noise: infeasible", takes={"Need Noise": current}, puts={INFEASIBLE: current},
                reads=reads, guard=~enough & nothing(c, ecs),
                note="every value is in the class and V < θ",
            )  # fmt: skip

    # What the functions of the net compute.

    def _at(self, ecs: ECs, c: int, theta: Fraction) -> Fraction:
        """Return θ for class c: the token of Theta, unless each class has its own."""
        threshold = self.moves.threshold
        return threshold.at(self.moves.size(ecs[c])) if threshold.per_class else theta

    def _reaches(self, variance: Fraction, ecs: ECs, c: int, theta: Fraction) -> bool:
        bound = self._at(ecs, c, theta)
        return variance > bound if self.printed else variance >= bound

    def _above(self, c: int, ecs: ECs, v: Variances, theta: Fraction) -> bool:
        return self._reaches(v[c], ecs, c, theta)

    def _below(self, c: int, ecs: ECs, v: Variances, theta: Fraction) -> bool:
        return v[c] < self._at(ecs, c, theta)

    def _donors(self, c: int, ecs: ECs, v: Variances, theta: Fraction) -> tuple[int, ...]:
        if c == self.count - 1:
            return ()
        if self.printed:
            return (c + 1,) if self._reaches(v[c + 1], ecs, c + 1, theta) else ()
        donor = self.moves.donor(c, ecs, lambda b: self._reaches(v[b], ecs, b, theta))
        return () if donor is None else (donor,)

    def _strict(self, c: int, ecs: ECs) -> tuple[int, ...]:
        able = 0 < c == self.count - 1 and self.moves.backward(ecs[c], ecs[c - 1])
        return (c - 1,) if able else ()
