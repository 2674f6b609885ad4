"""The formulas against counting: every class, every table, every run that fits."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product

import pytest
import z3
from theta_oracles import publications, spread

from kproof.errors import Infeasible, InvalidArgument
from kproof.petri.logic.smt import Outcome, solve
from kproof.petri.papers import theta_encoding, theta_smt
from kproof.petri.papers.theta_encoding import tables
from kproof.petri.papers.theta_smt import (
    every_publication_passes,
    some_publication_fails,
    some_run_sticks,
    some_run_takes,
)


def classes_of(rows: int, values: int) -> list[tuple[int, ...]]:
    """Every class of so many rows, as counts by value."""
    return [
        tuple(found.count(value) for value in range(values))
        for found in combinations_with_replacement(range(values), rows)
    ]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("k", "values", "mu"), [(3, 4, "3/5"), (4, 4, "11/20"), (5, 5, "17/25")])
def test_the_condition_on_v_agrees_with_counting(k, values, mu, strict):
    size = tables(classes=1, k=k, values=values, mu=mu)
    theta = Fraction(mu) * (k * k - 1) / 12
    passing, most = [], k + 2
    listed = [counts for rows in range(k, most + 1) for counts in classes_of(rows, values)]
    for counts in listed:
        v = spread(count for count in counts if count)
        if v > theta if strict else v >= theta:
            passing.append(counts)
    assert 0 < len(passing) < len(listed)
    row = z3.Ints(" ".join(f"f{value}" for value in range(values)))
    domain = [*(count >= 0 for count in row), z3.Sum(row) >= k, z3.Sum(row) <= most]
    by_counting = z3.Or([z3.And([x == n for x, n in zip(row, c, strict=True)]) for c in passing])
    differ = theta_encoding.reaches(size, row, strict=strict) != by_counting
    assert solve([*domain, differ])[0] is Outcome.PROVED


def run_checks(size: theta_encoding.EncodedTables, run: tuple[object, ...]) -> None:
    """Every step of a witness is one of the net's, or of the stale reading of it."""
    theta = size.threshold.at(size.k)
    states = [(at, [Counter(dict(one)) for one in classes]) for at, classes in run]
    first = [spread(one.values()) for one in states[0][1]]
    assert states[0][0] == 0
    assert all(sum(one.values()) == size.k for one in states[0][1])
    for (at, before), (then, after) in pairwise(states):
        if then == at + 1:
            assert after == before
            assert size.stale or spread(before[at].values()) >= theta
            continue
        assert then == at
        assert spread(before[at].values()) < theta
        changed = [index for index, one in enumerate(after) if one != before[index]]
        if len(changed) == 1:
            assert changed == [at]
            (added,) = (after[at] - before[at]).elements()
            assert added not in before[at]
        else:
            (donor,) = set(changed) - {at}
            (x,) = (before[at] - after[at]).elements()
            (y,) = (after[at] - before[at]).elements()
            assert before[at][x] == max(before[at].values())
            assert before[at][y] == 0
            assert after[donor] == before[donor] - Counter([y]) + Counter([x])
            if donor > at:
                judged = first[donor] if size.stale else spread(before[donor].values())
                assert judged >= theta


def test_all_tables_of_a_size_are_proved_and_counting_agrees():
    proof = every_publication_passes(tables(classes=2, k=3, values=4, mu="3/5"))
    assert proof.outcome is Outcome.PROVED
    assert all(query.rstrip().endswith("(check-sat)") for query in proof.queries)
    theta = Fraction(3, 5) * Fraction(8, 12)
    domain = set("abcd")
    for one, other in product(combinations_with_replacement("abcd", 3), repeat=2):
        for classes in publications((one, other), theta, domain):
            assert all(len(c) >= 3 and spread(Counter(c).values()) >= theta for c in classes)


def test_every_kind_of_step_can_be_taken_from_the_invariant():
    # An induction that no step satisfies would prove anything.
    size = tables(classes=3, k=3, values=4, mu="3/5")
    before, after = theta_encoding.state_of(size, 0), theta_encoding.state_of(size, 1)
    given = [*theta_encoding.consistent(size, before), theta_encoding.invariant(size, before)]
    for way in theta_encoding.ways(size, before, after, first_values_only=True):
        assert solve([*given, way])[0] is Outcome.REFUTED


def test_an_invariant_that_is_too_weak_proves_nothing(monkeypatch):
    whole = theta_encoding.invariant

    def without_sizes(size: theta_encoding.EncodedTables, state: theta_encoding.State) -> object:
        parts = whole(size, state).children()
        per_class = (len(parts) - 2) // size.classes
        kept = [
            part
            for number, part in enumerate(parts)
            if number < 2 or (number - 2) % per_class not in (per_class - 3, per_class - 2)
        ]
        assert len(kept) == len(parts) - 2 * size.classes
        return z3.And(kept)

    monkeypatch.setattr("kproof.petri.papers.theta_encoding.invariant", without_sizes)
    proof = every_publication_passes(tables(classes=2, k=3, values=4, mu="3/5"))
    assert proof.outcome is Outcome.UNKNOWN


def test_stale_donors_publish_a_class_below_theta():
    size = tables(classes=2, k=2, values=3, mu=1, stale=True)
    proof = some_publication_fails(size, steps=4)
    assert proof.outcome is Outcome.REFUTED
    run_checks(size, proof.witness)
    at, classes = proof.witness[-1]
    assert at == 2
    assert min(spread(dict(one).values()) for one in classes) < size.threshold.at(2)


def test_fresh_donors_do_not_in_the_same_number_of_steps():
    size = tables(classes=2, k=2, values=3, mu=1)
    assert some_publication_fails(size, steps=4).outcome is Outcome.BOUNDED


def test_equality_sticks_only_in_the_strict_reading():
    strict = some_run_sticks(tables(classes=1, k=4, values=5, mu="11/20", strict=True), steps=0)
    assert strict.outcome is Outcome.REFUTED
    ((at, (row,)),) = strict.witness
    assert at == 0
    assert spread(dict(row).values()) == Fraction(11, 16)
    weak = some_run_sticks(tables(classes=1, k=4, values=5, mu="11/20"), steps=2)
    assert weak.outcome is Outcome.BOUNDED


def test_the_length_of_runs_is_found_exactly():
    size = tables(classes=2, k=2, values=3, mu=1)
    longest = next(
        steps for steps in range(20) if some_run_takes(size, steps=steps).outcome is Outcome.PROVED
    )
    assert longest == max(
        _longest(size, (one, other)) for one, other in product(classes_of(2, 3), repeat=2)
    )


def _longest(size: theta_encoding.EncodedTables, start: tuple[tuple[int, ...], ...]) -> int:
    """Steps of a longest run from one table, by trying all of them."""
    theta = size.threshold.at(size.k)

    def passes(counts: tuple[int, ...]) -> bool:
        return spread(count for count in counts if count) >= theta

    def exchanged(
        one: tuple[int, ...], other: tuple[int, ...], x: int, y: int
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        first, second = list(one), list(other)
        first[x] -= 1
        first[y] += 1
        second[y] -= 1
        second[x] += 1
        return tuple(first), tuple(second)

    def length(at: int, one: tuple[int, ...], other: tuple[int, ...]) -> int:
        if at == 2:
            return 0
        here, there = (one, other) if at == 0 else (other, one)
        if passes(here):
            return 1 + length(at + 1, one, other)
        following = []
        for x, y in product(range(size.values), repeat=2):
            if here[x] < max(here) or here[y] or not there[y]:
                continue
            if at == 0:
                new = [there[z] for z in range(size.values) if not here[z]]
                allowed = passes(there) and there[y] == max(new)
            else:
                allowed = there[y] == max(there) and not there[x]
            if allowed:
                mine, theirs = exchanged(here, there, x, y)
                following.append((mine, theirs) if at == 0 else (theirs, mine))
        if not following:
            for v in range(size.values):
                if not here[v]:
                    more = tuple(n + (z == v) for z, n in enumerate(here))
                    following.append((more, other) if at == 0 else (one, more))
        return 1 + max(length(at, *pair) for pair in following)

    return length(0, *start)


def test_lemmas_hold_for_every_class_that_can_be_listed():
    proofs = {proof.name: proof for proof in theta_smt.lemmas()}
    for rows in range(2, 8):
        for counts in classes_of(rows, 4):
            here = [count for count in counts if count]
            v = spread(here)
            assert spread([*here, 1]) > v, "noise raises the class"
            if max(here) > 1:
                swapped = sorted(here)
                swapped[-1] -= 1
                assert spread([*(n for n in swapped if n), 1]) > v, "swap raises the receiver"
    assert {name for name, proof in proofs.items() if proof.outcome is Outcome.PROVED} == {
        "swap raises the receiver",
        "swap preserves records",
        "cross swap never lowers the donor",
        "noise raises the class",
    }


@pytest.mark.parametrize("name", ["swap never lowers the donor", "a donor stays at theta"])
def test_false_lemmas_come_with_a_swap_of_the_net(name):
    proof = theta_smt.lemma(name)
    assert proof.outcome is Outcome.REFUTED
    size = tables(classes=2, k=3, values=4, mu="3/5")
    run_checks(size, proof.witness)
    (_, (_, before)), (_, (_, after)) = proof.witness
    assert spread(dict(after).values()) < spread(dict(before).values())
    if "theta" in name:
        assert spread(dict(after).values()) < size.threshold.at(3)


def test_a_lemma_without_its_hypothesis_is_not_proved():
    # A class without a repeated value gains nothing by an exchange.
    assert solve(theta_smt._exchange()[-1])[0] is Outcome.REFUTED


def test_bad_sizes_are_refused():
    with pytest.raises(InvalidArgument, match=r"^k = 1: need"):
        tables(classes=2, k=1, values=4, mu="3/5")
    with pytest.raises(InvalidArgument, match=r"^mu = 0: need"):
        tables(classes=2, k=3, values=4, mu=0)
    with pytest.raises(Infeasible, match=r"^values: 3 distinct values cannot reach theta = 3/4"):
        tables(classes=2, k=4, values=3, mu="0.6")


def test_no_time_leaves_the_question_open():
    size = tables(classes=2, k=3, values=4, mu="3/5")
    assert some_publication_fails(size, steps=6, effort=1_000).outcome is Outcome.UNKNOWN
