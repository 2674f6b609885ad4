"""The θ-sensitive publisher cut by Rules (2) to (8), with the places of Table 10.

The rules as printed cannot run: (6) puts five things into one transition, (7) does not write the
donor back, nothing publishes where no noise is needed. Here each branch is a transition. The table
is one token that moves: it waits in MMT for the next check of a variance and is in one of the
other places while it is worked on. Places and transitions are the rows of ``nets.toml``; here is
what their words mean.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Section 5.3.
"""

import operator
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from kproof.petri.net.colours import Colour, Enumeration, Integers, Open, Product
from kproof.petri.net.net import NetBuilder
from kproof.petri.net.terms import Constant, Variable
from kproof.petri.papers.classes import ECs, Moves
from kproof.petri.papers.net_files import Calls, add_part, functions_of

Variances = tuple[Fraction, ...]


def words_of_tables(moves: Moves, ecs: ECs) -> dict[str, Any]:
    """Return what words about whole tables stand for, in both cuts of the net."""
    count, size, k = len(ecs), moves.size, moves.threshold.k
    index = Integers("EC", 0, count - 1)
    unit = Open("As", lambda token: isinstance(token, int))
    published = Open("ECs", lambda token: isinstance(token, tuple) and len(token) == count)
    working = Product("ECc × ECs", (index, published))
    variables = {"c": index, "b": index, "x": unit, "y": unit, "ecs": published}
    words = {
        "EC": index, "ECs": published, "working": working,
        **{name: Variable(name, colour) for name, colour in variables.items()},
        "table": Constant(ecs, published),
        "start": Constant((0, ecs), working),
        "first": Constant(0, index),
        "last": Constant(count - 1, index),
    }  # fmt: skip
    calls: Calls = {
        "next": lambda c: c + 1,
        "swapped": moves.swap,
        "widened": moves.widen,
        "full": lambda ecs: all(size(ec) >= k for ec in ecs),
        "short": lambda ecs: tuple(c for c, ec in enumerate(ecs) if size(ec) < k)[:1],
        "filling": lambda c, ecs: moves.absent(ecs[c]) or moves.domain,
    }
    return words | functions_of("tables", calls, words)


def add_tables(build: NetBuilder, words: dict[str, Any], *, masked: bool) -> None:
    """Add the places of the table on its way; it begins in MMT if masked, else in MT."""
    if not masked:
        add_part(build, "microdata", words)
    add_part(build, "tables", words if masked else words | {"start": None})


def add_rules(build: NetBuilder, moves: Moves, ecs: ECs, *, pads: bool, printed: bool) -> Colour:
    """Add the rules, corrected or as printed; return the colour of what is published."""
    words = words_of_tables(moves, ecs)
    words |= _words_of_rules(moves, words, printed=printed)
    add_tables(build, words, masked=False)
    reading = "printed" if printed else "corrected"
    for part in ("rules", "padding", "preparation", "checks", "exchanges", "updates", "noise"):
        if part != "padding" or pads:
            add_part(build, part, words, reading)
    published: Colour = words["ECs"]
    return published


def _words_of_rules(moves: Moves, tables: Mapping[str, Any], *, printed: bool) -> dict[str, Any]:
    threshold, variance = moves.threshold, moves.variance
    index, classes = tables["EC"], tables["ECs"]
    count = index.size

    def at(ecs: ECs, c: int, theta: Fraction) -> Fraction:
        """Return θ for class c: the token of Theta, unless each class has its own."""
        return threshold.at(moves.size(ecs[c])) if threshold.per_class else theta

    def reaches(v: Fraction, ecs: ECs, c: int, theta: Fraction) -> bool:
        # As printed V = θ is neither above nor below, and the net is stuck there.
        return v > at(ecs, c, theta) if printed else v >= at(ecs, c, theta)

    def donors(c: int, ecs: ECs, v: Variances, theta: Fraction) -> tuple[int, ...]:
        if c == count - 1:
            return ()
        # As printed only the next class is asked, and one without anything to give is a donor, too.
        if printed:
            return (c + 1,) if reaches(v[c + 1], ecs, c + 1, theta) else ()
        donor = moves.donor(c, ecs, lambda b: reaches(v[b], ecs, b, theta))
        return () if donor is None else (donor,)

    def strict(c: int, ecs: ECs) -> tuple[int, ...]:
        able = 0 < c == count - 1 and moves.backward(ecs[c], ecs[c - 1])
        return (c - 1,) if able else ()

    def pairs(c: int, b: int, ecs: ECs) -> tuple[tuple[int, int], ...]:
        return (moves.forward if b > c else moves.backward)(ecs[c], ecs[b])

    def against(compare: Any) -> Any:
        """Return a comparison of the recomputed variance with θ."""
        return lambda w, c, ecs, theta: compare(w, at(ecs, c, theta))

    number = Open("V", lambda token: isinstance(token, Fraction))
    variances = Open("V × …", lambda token: isinstance(token, tuple))
    size = Integers("k", threshold.k, threshold.k)
    truth, turns = Enumeration("Condition", (False, True)), Integers("Turns", 0, count)
    variables = {
        "theta": number, "w": number, "v": variances, "turn": turns, "k": size, "sigma": number,
        "mu": number,
    }  # fmt: skip
    calls: Calls = {
        "variance": lambda c, ecs: variance(ecs[c]),
        "variances": lambda ecs: tuple(map(variance, ecs)),
        "times": lambda sigma, mu: sigma * mu,
        "above": lambda c, ecs, v, theta: reaches(v[c], ecs, c, theta),
        "below": lambda c, ecs, v, theta: v[c] < at(ecs, c, theta),
        "donors": donors,
        "strict": strict,
        "no_donor": lambda c, ecs, v, theta: not (donors(c, ecs, v, theta) or strict(c, ecs)),
        "before": lambda turn: turn - 1,
        "leaving": lambda c, b, ecs: dict.fromkeys(x for x, _ in pairs(c, b, ecs)),
        "coming": lambda c, b, ecs, x: [y for gives, y in pairs(c, b, ecs) if gives == x],
        "nothing_to_give": lambda c, b, ecs: not pairs(c, b, ecs),
        "written": lambda c, v, w: (*v[:c], w, *v[c + 1 :]),
        "exceeds": against(operator.gt),
        "at_most": against(operator.le),
        "at_least": against(operator.ge),
        "less": against(operator.lt),
        "enough": lambda c, ecs, theta: reaches(variance(ecs[c]), ecs, c, theta),
        "absent": lambda c, ecs: moves.absent(ecs[c]),
        "nothing_absent": lambda c, ecs: not moves.absent(ecs[c]),
    }
    words = {
        "V": number, "V × …": variances, "size": size, "truth": truth, "Turns": turns,
        "donor": Product("ECb × ECc × ECs", (index, index, classes)),
        "judged": Product("V × ECc × ECs", (number, index, classes)),
        **{name: Variable(name, colour) for name, colour in variables.items()},
        "rows": Constant(threshold.k, size),
        # Multiplied by μ in the net again: in fractions that is θ as the threshold has it.
        "squares": Constant(threshold.at(threshold.k) / threshold.mu, number),
        "share": Constant(threshold.mu, number),
        "true": Constant(True, truth),
        "turns": Constant(count, turns),
        "none": Constant(0, turns),
    }  # fmt: skip
    words |= functions_of("rules", calls, words)
    return words | functions_of("rules, printed", calls, words) if printed else words
