"""What must not be done to a sample: each δ is that of a pair of tables, and no more."""

from collections import Counter
from collections.abc import Callable, Hashable
from fractions import Fraction
from math import comb

import pytest
from cases import cases, error_line

from kproof.errors import InvalidArgument
from kproof.theory.theorems.releases.refused import (
    REFUSED_RULES,
    delta_of_refused,
    require_nothing_beside,
)
from kproof.theory.theorems.releases.sampled import release_bound

Law = Counter[Hashable]
K, BETA = 5, Fraction(1, 10)
MANY = 200


def sample(others: int, show: Callable[[int, int], Hashable]) -> tuple[Law, Law]:
    """What is shown, with a row and without, of ``others`` rows of which a binomial is kept."""
    with_row, without = Counter[Hashable](), Counter[Hashable]()
    for kept in range(others + 1):
        mass = comb(others, kept) * BETA**kept * (1 - BETA) ** (others - kept)
        without[show(kept, 0)] += mass
        with_row[show(kept, 1)] += mass * BETA
        with_row[show(kept, 0)] += mass * (1 - BETA)
    return with_row, without


def cell(kept: int) -> int:
    """What the rows of a cell show of their number."""
    return kept if kept >= K else 0


def remainder() -> tuple[Law, Law]:
    """The rows that were kept, and those that were not."""
    laws = []
    for rows in (MANY + 1, MANY):
        law = Counter[Hashable]()
        for kept in range(rows + 1):
            shown = cell(kept), rows - kept
            law[shown] += comb(rows, kept) * BETA**kept * (1 - BETA) ** (rows - kept)
        laws.append(law)
    return laws[0], laws[1]


def fixed_size() -> tuple[Law, Law]:
    """A tenth of the rows, exactly; the row is in a cell of its own."""
    size = MANY // 10
    share = Fraction(size, MANY + 1)
    return Counter({size - 1: share, size: 1 - share}), Counter({size: Fraction(1)})


WITNESSES: dict[str, Callable[[], tuple[Law, Law]]] = {
    "class-threshold": lambda: sample(100, lambda n, row: (n, row) if n + row >= K else 0),
    "class-totals": lambda: sample(0, lambda n, row: n + row),
    "left-out": lambda: sample(0, lambda n, row: n + row),
    "sample-size": lambda: sample(0, lambda n, row: n + row),
    # k - 1 others of one cell, when so many of them are kept, and a row of a cell of its own.
    "merged-rest": lambda: sample(
        int((K - 1) / BETA), lambda n, row: (n, row) if n >= K else cell(n + row)
    ),
    "two-levels": lambda: sample(MANY, lambda n, row: (cell(n + row), cell(n))),
    "levels-on-sample": lambda: sample(
        MANY, lambda n, row: ("coarse", n + row) if cell(n + row) > cell(n) else ("fine", cell(n))
    ),
    "fixed-size": fixed_size,
    "original-size": lambda: (Counter({MANY + 1: Fraction(1)}), Counter({MANY: Fraction(1)})),
    "hashed-coins": lambda: (Counter({K: BETA, 0: 1 - BETA}), Counter({0: Fraction(1)})),
    # The salt for which all of k rows are kept.
    "known-salt": lambda: (Counter({K: Fraction(1)}), Counter({0: Fraction(1)})),
    "reused-coins": lambda: sample(MANY, lambda n, row: (cell(n + row), cell(n))),
    "remainder": remainder,
}


def test_every_rule_has_a_witness():
    assert WITNESSES.keys() == REFUSED_RULES.keys()


@pytest.mark.parametrize("name", WITNESSES)
@pytest.mark.parametrize("power", [2, 10**9])
def test_a_rule_costs_what_it_is_refused_for(name, power):
    with_row, without = WITNESSES[name]()
    gain = sum(max(Fraction(0), mass - power * without[shown]) for shown, mass in with_row.items())
    delta = Fraction(delta_of_refused(name, k=K, beta=BETA).upper)
    assert delta - Fraction(1, 1000) < gain
    # Where every event is a function of the sample, the supremum is no more than is claimed.
    assert gain <= delta * (1 + Fraction(1, 10**20)) or REFUSED_RULES[name].at_least
    assert delta > 700 * Fraction(release_bound(k=K, beta=BETA, epsilon=1).delta.upper)


@cases((5, "1/10", "0.0206"), (50, "1/2", "0.0402"), (1, "1/10", "0.1"))
def test_merged_rests_at_the_values_of_the_statement(k, beta, value):
    assert (
        str(round(delta_of_refused("merged-rest", k=k, beta=beta).upper, len(value) - 2)) == value
    )


@pytest.mark.parametrize("name", WITNESSES)
def test_a_refusal_says_the_delta_in_one_line(name):
    text = error_line(InvalidArgument, require_nothing_beside, [name], k=K, beta=BETA)
    assert "\n" not in text
    assert f"{delta_of_refused(name, k=K, beta=BETA)} at every epsilon" in text
    assert REFUSED_RULES[name].what in text


def test_nothing_beside_is_not_refused_and_a_misspelt_rule_is():
    require_nothing_beside([], k=K, beta=BETA)
    with pytest.raises(InvalidArgument, match="did you mean class-totals"):
        require_nothing_beside(["class-total"], k=K, beta=BETA)
