"""The θ-sensitive publisher as a net: every run of Algorithm 1 over every tie.

The net comes in two cuts, made of the same moves. Cut by **moves** it has one transition for each
move and one token for the whole table, so that its states are the steps of the algorithm and
nothing else. Cut by **rules** (:mod:`kproof.petri.papers.theta_rules`) it has the places of Table
10 and the transitions of Rules (2) to (8). Both publish the same classes.

Source: Khan et al., "θ-Sensitive k-Anonymity", Electronics 2020, 9(5), 716, Section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from kproof.errors import InvalidArgument
from kproof.models.base.parameters import GROUP_K, REACHABLE_MU
from kproof.models.tables.theta.moves import Threshold, require_feasible
from kproof.petri.net.colours import Colour
from kproof.petri.net.net import NetBuilder
from kproof.petri.papers.classes import ECs, Moves, Tokens
from kproof.petri.papers.net_files import Calls, add_part, functions_of
from kproof.petri.papers.publisher import INFEASIBLE, PartitionedTable, Publisher
from kproof.petri.papers.theta_rules import add_rules, add_tables, words_of_tables
from kproof.petri.spaces.stages import Staged
from kproof.theory.exact.typed import Number, choice
from kproof.theory.reading import PRINTED_OR_CORRECTED, Reading


class Cut(StrEnum):
    """How finely a run is cut into transitions."""

    MOVES = "moves"
    """One transition for each move: pass, swap, cross swap, noise."""
    RULES = "rules"
    """One for each branch of Rules (2) to (8), with the places of Table 10."""


class Padding(StrEnum):
    """What becomes of a class with fewer than k rows."""

    REFUSE = "refuse"
    """An error: k-anonymity counts people."""
    NOISE = "noise"
    """It is filled up with noise, of any values it does not have: fewer than k people."""


STAGED: Mapping[Cut, Mapping[str, Staged]] = {
    Cut.MOVES: {"MMT": Staged(0, 1), INFEASIBLE: Staged(0, 1), "PublshdData": Staged(None, None)},
    # Rule (6) compares the variances of all classes, again and again.
    Cut.RULES: {},
}
"""Where the classes are while they are formed one after another."""


def theta_publisher(
    classes: PartitionedTable | Sequence[Sequence[object]],
    *,
    k: Number,
    mu: Number = "3/5",
    domain: Iterable[object] | None = None,
    categories: Mapping[object, object] | None = None,
    reading: Reading | str = Reading.CORRECTED,
    cut: Cut | str | None = None,
    tokens: Tokens | str = Tokens.VALUES,
    per_class_theta: bool = False,
    padding: Padding | str = Padding.REFUSE,
) -> Publisher:
    """Return the θ-sensitive publisher for one table.

    In class c with V < θ, a most frequent value is exchanged with a value absent from the class,
    a most frequent one of those in the first later class with V ≥ θ that has any; the last class
    exchanges most frequent values with the class before it, each absent from the other. Where no
    exchange is possible, noise with an absent value is added; where none is absent, the run ends
    in the place Infeasible. A class with V ≥ θ is passed; after the last one the classes are a
    token of PublshdData. Each tie is a choice of the net.

    Args:
        classes: The sensitive values of each class, in order, or what
            :func:`kproof.petri.papers.publisher.classes_of` returns; of k ≥ 2 rows or more each.
        mu: Share of the variance of a fully diverse class that is asked for, 0 < μ ≤ 1: θ = μ(k² −
            1)/12.
        domain: What noise may carry; by default the values of the table.
        categories: Category of each sensitive value, for attackers.
        reading: ``"corrected"`` or ``"printed"``, which keeps what is wrong with Algorithm 1 and
            its rules:

            - the loop of line 9 runs once for each class, swaps included: classes stay unprocessed;
            - donors are looked for in class c + 1 only (line 31), and judged by the variance of
              line 6 even after they gave a value away: they are published below θ;
            - Rule (6) has no branch for V = θ: the net is stuck there;
            - if all values are in a class that needs noise, nothing more can fire.
        cut: ``"moves"`` or ``"rules"``; the printed reading has rules only. By default moves for
            the corrected reading and rules for the printed one.
        tokens: ``"values"`` for classes as multisets of sensitive values; ``"records"`` for
            records, whose quasi-identifiers move with the value. Noise records never move, so that
            every class keeps k people; the level of values cannot tell them apart.
        per_class_theta: Whether θ is μ(m² − 1)/12 for each class's own published size m instead of
            k.
        padding: ``"refuse"`` classes below k rows, or fill them up with ``"noise"`` first.

    Raises:
        Infeasible: If the domain is too small for θ; names the largest μ it allows.

    >>> net = theta_publisher([["HIV", "HIV"], ["Flu", "Cancer"]], k=2).net()
    >>> print(net.initial)
    MMT: (0, (((HIV, 2),), ((Cancer, 1), (Flu, 1))))
    >>> [transition.name for transition in net.transitions]
    ['pass', 'publish', 'swap', 'cross swap', 'noise', 'infeasible']
    >>> theta_publisher([["HIV", "HIV", "Flu", "Cancer"]], k=4)
    Traceback (most recent call last):
        ...
    kproof.errors.Infeasible: domain: 3 distinct values cannot reach theta = 3/4
    (k = 4, mu = 3/5); need mu at most 5/9 or k at most 3
    """
    threshold = Threshold(REACHABLE_MU.read(mu), GROUP_K.read(k), per_class_theta)
    reading = choice("reading", reading, PRINTED_OR_CORRECTED)
    printed = reading is Reading.PRINTED
    form = choice("cut", cut or (Cut.RULES if printed else Cut.MOVES), Cut)
    if printed and form is Cut.MOVES:
        raise InvalidArgument("cut", form, 'rules, with reading="printed"')
    pads = choice("padding", padding, Padding) is Padding.NOISE
    formed = PartitionedTable.of(classes, domain, categories)
    require_feasible(threshold, len(formed.domain), "domain")
    if not pads:
        formed.require_rows(threshold.k)
    kind, values, ecs = formed.tokens(tokens)
    # A row of noise carries a value: that nobody recorded one is none.
    moves = Moves(kind, threshold, tuple(value for value in values if value != formed.gap))
    build = NetBuilder(f"theta-sensitive, {reading}, by {form}")
    if form is Cut.MOVES:
        published = add_moves(build, moves, ecs, pads=pads)
    else:
        published = add_rules(build, moves, ecs, pads=pads, printed=printed)
    # What is filled up waits in a place of its own, in which no class is at work and none finished.
    staged = {} if pads else STAGED[form]
    options: dict[str, object] = {
        "mu": threshold.mu,
        "reading": str(reading),
        "cut": str(form),
        "tokens": str(choice("tokens", tokens, Tokens)),
        "per_class_theta": per_class_theta,
        "padding": str(Padding.NOISE if pads else Padding.REFUSE),
    }
    table = formed, kind, values, threshold.k, threshold
    return Publisher(
        build, "PublshdData", published, *table, staged, name="theta-sensitive", options=options
    )


def add_moves(build: NetBuilder, moves: Moves, ecs: ECs, *, pads: bool) -> Colour:
    """Add the transitions of Algorithm 1's moves; return the colour of what is published."""
    plan = moves.plan

    def donor(c: int, ecs: ECs, *, later: bool) -> tuple[int, ...]:
        b = plan(c, ecs).donor
        return () if b is None or (b > c) is not later else (b,)

    words = words_of_tables(moves, ecs)
    calls: Calls = {
        "passes": lambda c, ecs: plan(c, ecs).passes,
        "later_donor": lambda c, ecs: donor(c, ecs, later=True),
        "previous_donor": lambda c, ecs: donor(c, ecs, later=False),
        "leaving": lambda c, ecs: dict.fromkeys(x for x, _ in plan(c, ecs).pairs),
        "coming": lambda c, ecs, x: [y for gives, y in plan(c, ecs).pairs if gives == x],
        "noise": lambda c, ecs: plan(c, ecs).noise,
        "stuck": lambda c, ecs: plan(c, ecs).stuck,
    }
    words |= functions_of("moves", calls, words)
    add_tables(build, words, masked=not pads)
    for part in ("padding", "mask", "moves") if pads else ("moves",):
        add_part(build, part, words)
    published: Colour = words["ECs"]
    return published
