"""The θ-sensitive net against an explorer of its own, the anonymizer, and what the paper prints."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from net_runs import Reached, reached
from theta_oracles import TABLE_1A, TABLE_4B, TABLE_8A, TABLE_8B, Classes, publications, spread

from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.base.classes import Classes as Seen
from kproof.models.privacy import ThetaSensitivity
from kproof.models.tables.table import Table
from kproof.models.tables.theta.method import theta_sensitive as anonymize
from kproof.models.tables.theta.moves import Threshold
from kproof.petri.net.firing import firings
from kproof.petri.net.marking import Marking
from kproof.petri.net.terms import Constant
from kproof.petri.papers.classes import ByRecord, ByValue, Moves, Record, SensitiveValue
from kproof.petri.papers.outcome import PublisherEnds
from kproof.petri.papers.publisher import PartitionedTable, Publisher, classes_of
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces.explore import explore

DISEASES = sorted({value for values in TABLE_1A for value in values})

small_tables = st.lists(st.lists(st.sampled_from("ABCDE"), min_size=3, max_size=4), min_size=1,
                        max_size=3)  # fmt: skip


def published(publisher: Publisher, found: Reached) -> set[Classes]:
    return {
        tuple(tuple(map(str, one)) for one in publisher.names(ecs))
        for marking in found.ends
        for ecs in publisher.publications(marking)
    }


@pytest.mark.parametrize(("start", "count"), [(TABLE_1A, 120), (TABLE_4B, 16)], ids=["1a", "4b"])
@pytest.mark.parametrize("cut", ["moves", "rules"])
@pytest.mark.parametrize("tokens", ["values", "records"])
def test_every_form_publishes_the_same(start, count, cut, tokens):
    publisher = theta_publisher(start, k=4, mu="0.6", domain=DISEASES, cut=cut, tokens=tokens)
    outcome = PublisherEnds.of(publisher, explore(publisher.net()))
    expected = publications(start, Fraction(3, 4), set(DISEASES))
    assert {tuple(tuple(map(str, c)) for c in one) for one in outcome.publications} == expected
    assert len(expected) == count
    assert outcome.noise == ((1,) if start == TABLE_1A else (0,))
    assert all(outcome.verdicts.values())
    printed = TABLE_8A if start == TABLE_1A else TABLE_8B
    assert tuple(tuple(sorted(one)) for one in printed) in expected


@settings(deadline=None, max_examples=60)
@given(small_tables, st.integers(1, 20), st.booleans())
def test_random_tables_publish_what_the_description_says(classes, twentieths, by_rules):
    mu = Fraction(twentieths, 20)
    start = tuple(tuple(one) for one in classes)
    publisher = theta_publisher(
        classes, k=3, mu=mu, domain="ABCDE", cut="rules" if by_rules else "moves"
    )
    found = reached(publisher.net())
    assert published(publisher, found) == publications(start, mu * 8 / 12, set("ABCDE"))
    for marking in found.ends:
        assert marking["PublshdData"] or marking["Infeasible"]


def test_states_of_the_moves_are_those_of_the_description():
    # Counted apart: a state is the classes and the position, after the last class included.
    publisher = theta_publisher(TABLE_1A, k=4, mu="0.6", domain=DISEASES)
    found = reached(publisher.net())
    positions = set()
    for marking in found.arcs:
        for token in (*marking["MMT"], *((3, ecs) for ecs in publisher.publications(marking))):
            assert isinstance(token, tuple)
            positions.add((token[0], publisher.names(token[1])))
    assert len(positions) == found.count[0] == _states(TABLE_1A, Fraction(3, 4), DISEASES)


def _states(start: Classes, theta: Fraction, domain: list[str]) -> int:
    """Count positions by moving forward through plain lists."""
    seen = set()
    waiting = [(tuple(tuple(sorted(c)) for c in start), 0)]
    while waiting:
        state = waiting.pop()
        if state in seen:
            continue
        seen.add(state)
        classes, c = state
        if c == len(classes):
            continue
        if spread(Counter(classes[c]).values()) >= theta:
            waiting.append((classes, c + 1))
            continue
        waiting += [(after, c) for after in _after(classes, c, theta, domain)]
    return len(seen)


def _after(classes: Classes, c: int, theta: Fraction, domain: list[str]) -> list[Classes]:
    here = Counter(classes[c])
    top = [v for v in here if here[v] == max(here.values())]
    donors = [
        b
        for b in range(c + 1, len(classes))
        if spread(Counter(classes[b]).values()) >= theta and set(classes[b]) - set(here)
    ][:1]
    pairs = []
    for b in donors:
        new = {v: n for v, n in Counter(classes[b]).items() if v not in here}
        pairs += [(b, x, y) for x in top for y in new if new[y] == max(new.values())]
    if c == len(classes) - 1 and c > 0:
        there = Counter(classes[c - 1])
        pairs = [
            (c - 1, x, y)
            for x in top
            for y in there
            if x not in there and y not in here and there[y] == max(there.values())
        ]
    found = []
    for b, x, y in pairs:
        lists = [list(one) for one in classes]
        lists[c].remove(x)
        lists[b].remove(y)
        lists[c].append(y)
        lists[b].append(x)
        found.append(tuple(tuple(sorted(one)) for one in lists))
    if not pairs:
        for value in sorted(set(domain) - set(here)):
            lists = [list(one) for one in classes]
            lists[c].append(value)
            found.append(tuple(tuple(sorted(one)) for one in lists))
    return found


def _table(classes: list[list[str]]) -> Table:
    values = [value for one in classes for value in one]
    frame = pd.DataFrame({"place": list(range(len(values))), "disease": values})
    return Table.from_frame(frame, quasi_identifiers=["place"], sensitive="disease")


@settings(deadline=None, max_examples=60)
@given(
    st.integers(2, 4).flatmap(
        lambda k: st.tuples(
            st.just(k),
            st.lists(st.lists(st.sampled_from("ABCDEF"), min_size=k, max_size=k + 1),
                     min_size=1, max_size=4),
        )
    ),
    st.integers(1, 20),
)  # fmt: skip
def test_the_anonymizers_run_is_a_path(given_table, twentieths):
    k, classes = given_table
    mu = Fraction(twentieths, 20)
    table = _table(classes)
    numbers = [at for at, one in enumerate(classes) for _ in one]
    try:
        release = anonymize(table, k=k, mu=mu, classes=numbers, exhausted="refuse")
    except Infeasible:
        return
    assert table.sensitive is not None
    net = theta_publisher(
        classes, k=k, mu=mu, domain=table.sensitive.values, tokens="records"
    ).net()  # fmt: skip
    swaps = [tuple(map(int, pair)) for pair in release.swaps]
    noise = list(zip(release.noise_class.tolist(), release.noise_value.tolist(), strict=True))
    marking = net.initial
    while steps := list(firings(net, marking)):
        ((c, ecs),) = marking["MMT"]
        if {firing.transition for firing, _ in steps} <= {"pass", "publish"}:
            ((_, marking),) = steps
        elif swaps and swaps[0][0] in ecs[c]:
            leaves, comes = swaps.pop(0)
            (marking,) = (
                after
                for firing, after in steps
                if (dict(firing.binding).get("x"), dict(firing.binding).get("y")) == (leaves, comes)
            )
        else:
            where, value = noise.pop(0)
            assert where == c
            (marking,) = (
                after for firing, after in steps if dict(firing.binding).get("x") == value
            )
    assert not swaps
    assert not noise
    (ecs,) = marking["PublshdData"]
    for row, where in enumerate(release.group_of.tolist()):
        assert row in [int(record) for record in ecs[where] if not record.dummy]
    assert ThetaSensitivity(k, mu).check(release.classes())


@settings(deadline=None, max_examples=25)
@given(st.lists(st.lists(st.sampled_from("ABCD"), min_size=3, max_size=3), min_size=2, max_size=3))
def test_every_publication_is_accepted_by_the_checker(classes):
    publisher = theta_publisher(classes, k=3, mu="0.7", domain="ABCD")
    found = PublisherEnds.of(publisher, explore(publisher.net()))
    assert found.publications
    for names in found.publications:
        rows = [(at, "ABCD".index(str(v))) for at, one in enumerate(names) for v in one]
        seen = Seen(
            np.array([at for at, _ in rows]), len(names), np.array([v for _, v in rows]), (*"ABCD",)
        )
        assert ThetaSensitivity(3, "0.7").check(seen)


def test_all_tables_of_a_size_hold():
    # 3 classes of 3 rows over 3 values; the union of 1,000 tables in one exploration.
    multisets = list(combinations_with_replacement("ABC", 3))
    publisher = theta_publisher([["A"] * 3] * 3, k=3, mu="3/5", domain="ABC")
    net = publisher.net()
    working = net.place["MMT"].colour
    roots = [
        net.with_initial({"MMT": Constant((0, formed.tokens("values")[2]), working)}).initial
        for table in product(multisets, repeat=3)
        for formed in [PartitionedTable.of(table, publisher.formed.domain)]
    ]
    found = PublisherEnds.of(publisher, explore(net, initial=roots))
    assert len(roots) == 1000
    assert all(found.verdicts.values())
    assert not found.stuck
    assert not found.infeasible
    theta = Fraction(3, 5) * 8 / 12
    for names in found.publications:
        assert all(len(one) >= 3 and spread(Counter(one).values()) >= theta for one in names)


# The printed reading and its defects.


def ends(publisher: Publisher) -> list[Marking]:
    return reached(publisher.net()).ends


def test_printed_leaves_the_last_class_of_table_1a_unprocessed():
    publisher = theta_publisher(TABLE_1A, k=4, mu="0.6", reading="printed")
    for marking in ends(publisher):
        (ecs,) = publisher.publications(marking)
        assert publisher.names(ecs)[2] == ("Flu", "Flu", "Flu", "Indigestion")
        assert marking["Loop"] == {0: 1}


def test_printed_is_stuck_on_equality():
    classes = [["HIV", "HIV", "Cancer", "Flu"]]
    (marking,) = ends(theta_publisher(classes, k=4, mu="0.55", reading="printed"))
    assert marking["MMT"]
    assert not marking["PublshdData"]
    assert not marking["Infeasible"]
    (marking,) = ends(theta_publisher(classes, k=4, mu="0.55", cut="rules"))
    assert marking["PublshdData"]


def test_printed_is_stuck_after_an_exchange_that_only_reaches_theta():
    publisher = theta_publisher([[*"AABB"], [*"CDEF"]], k=4, mu="0.55", reading="printed")
    stuck = ends(publisher)
    assert stuck
    for marking in stuck:
        ((c, ecs),) = marking["MMT"]
        assert c == 0
        assert spread(Counter(publisher.names(ecs)[0]).values()) == Fraction(11, 16)


def test_printed_publishes_a_stale_donor_below_theta():
    # The second class gives twice; its variance of line 6 lets it pass although it fell to 11/16.
    classes = [[*"AABB"], [*"CDEA"], [*"ABCD"], [*"ABCD"]]
    publisher = theta_publisher(classes, k=4, mu="0.6", reading="printed")
    below = {
        at
        for marking in ends(publisher)
        for ecs in publisher.publications(marking)
        for at, one in enumerate(publisher.names(ecs))
        if spread(Counter(one).values()) < Fraction(3, 4)
    }
    assert 1 in below
    corrected = theta_publisher(classes, k=4, mu="0.6")
    assert PublisherEnds.of(corrected, explore(corrected.net())).verdicts[
        "V >= theta in every class"
    ]


def test_printed_looks_for_a_donor_in_the_next_class_only():
    # The next class has nothing new to give, the one after it has.
    classes = [["A", "A", "B", "C"], ["A", "A", "A", "A"], ["A", "D", "E", "F"]]
    printed = reached(theta_publisher(classes, k=4, mu="0.6", reading="printed").net())
    first = {f.transition for out in list(printed.arcs.values())[:8] for f, _ in out}
    assert "Check Variance: need noise" in first
    assert "Check Variance: donor" not in first
    corrected = reached(theta_publisher(classes, k=4, mu="0.6", cut="moves").net())
    ((firing, _), *_) = corrected.arcs[next(iter(corrected.arcs))]
    assert firing.transition == "swap"
    assert dict(firing.binding)["b"] == 2


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.lists(st.sampled_from("ABCDE"), min_size=3, max_size=3), min_size=1, max_size=3),
    st.integers(1, 19),
)
def test_the_printed_anonymizers_result_is_published_by_the_printed_net(classes, twentieths):
    # At equality line 10 goes on and Rule (6) does not; an odd denominator has none.
    mu = Fraction(twentieths, 20) - Fraction(1, 997)
    table = _table(classes)
    numbers = [at for at, one in enumerate(classes) for _ in one]
    try:
        release = anonymize(table, k=3, mu=mu, classes=numbers, reading="printed")
    except Infeasible:
        return
    assert table.sensitive is not None
    publisher = theta_publisher(
        classes, k=3, mu=mu, domain=table.sensitive.values, reading="printed"
    )  # fmt: skip
    seen = release.classes("formed")
    assert seen.sensitive is not None
    result = tuple(
        tuple(
            sorted(
                seen.values[code]
                for code, one in zip(seen.sensitive.tolist(), seen.of_row.tolist(), strict=True)
                if one == at
            )
        )
        for at in range(seen.count)
    )
    assert result in published(publisher, reached(publisher.net()))


# Other decisions.


def test_a_single_class_goes_straight_to_noise():
    found = reached(theta_publisher([["HIV", "HIV"]], k=2, domain=["HIV", "Flu", "Cancer"]).net())
    (out, *_) = found.arcs.values()
    assert {firing.transition for firing, _ in out} == {"noise"}
    assert [str(dict(firing.binding)["x"]) for firing, _ in out] == ["Flu", "Cancer"]


def test_noise_where_no_exchange_is_legal():
    # V of (2, 2, 1, 1, 1) is below theta, V of (3, 1, 1, 1, 1) is not, and the supports are one.
    classes = [[*"AABBCDE"], [*"AAABCDE"]]
    assert spread([2, 2, 1, 1, 1]) < 2 < spread([3, 1, 1, 1, 1])
    publisher = theta_publisher(classes, k=7, mu="0.5", domain="ABCDEF")
    found = PublisherEnds.of(publisher, explore(publisher.net()))
    assert found.noise == (1,)
    assert all(found.verdicts.values())


def test_theta_of_each_class_s_own_size():
    classes = [["A", "A", "B", "C", "D"], ["A", "B", "C", "D", "E"]]
    common = theta_publisher(classes, k=4, mu="0.8")
    own = theta_publisher(classes, k=4, mu="0.8", per_class_theta=True)
    assert spread([2, 1, 1, 1]) >= Fraction(8, 10) * 15 / 12
    assert spread([2, 1, 1, 1]) < Fraction(8, 10) * 24 / 12
    assert [len(reached(one.net()).ends) for one in (common, own)] != [0, 0]
    assert published(common, reached(common.net())) == {(("A", "A", "B", "C", "D"), (*"ABCDE",))}
    assert published(own, reached(own.net())) != published(common, reached(common.net()))
    rules = theta_publisher(classes, k=4, mu="0.8", per_class_theta=True, cut="rules")
    assert published(rules, reached(rules.net())) == published(own, reached(own.net()))


@pytest.mark.parametrize("cut", ["moves", "rules"])
def test_padding_fills_a_class_up_with_noise(cut):
    publisher = theta_publisher(
        [["A", "B", "C"], ["A"]], k=3, mu="0.5", padding="noise", cut=cut
    )  # fmt: skip
    found = PublisherEnds.of(publisher, explore(publisher.net()))
    assert all(found.verdicts.values())
    assert set(found.publications) == {(("A", "B", "C"), ("A", "B", "C"))}
    assert found.noise == (2,)
    assert publisher.formed.values[1] == ("A",)


@pytest.mark.parametrize("cut", ["moves", "rules"])
def test_a_padded_table_is_worked_on_from_its_first_class(cut):
    publisher = theta_publisher([["A", "A"], ["B"]], k=2, mu="0.6", padding="noise", cut=cut)
    found = PublisherEnds.of(publisher, explore(publisher.net()))
    assert found.publications
    assert all(found.verdicts.values())
    for classes in found.publications:
        assert all(spread(Counter(one).values()) >= Fraction(3, 5) * 3 / 12 for one in classes)


def test_a_padded_class_is_full_before_it_is_judged():
    # Two rows of two values are wide enough, but not k people or rows.
    assert spread([1, 1]) >= Fraction(3, 10) * 8 / 12
    publisher = theta_publisher([[*"ABC"], [*"AB"]], k=3, mu="0.3", padding="noise")
    found = PublisherEnds.of(publisher, explore(publisher.net()))
    assert found.verdicts["k rows in every class"]
    assert found.noise == (1,)


def test_noise_records_never_move():
    a, b, c = (SensitiveValue(code, name) for code, name in enumerate("ABC"))
    kind = ByRecord((a, b, c), rows=9)
    moves = Moves(kind, Threshold(Fraction(3, 5), 2), (a, b, c))
    last = kind.form([Record(4, c), Record(5, c)])
    previous = kind.with_noise(kind.form([Record(0, b)]), a)
    assert [str(record) for record in previous] == ["0:B", "noise:A"]
    assert moves.plan(1, (previous, last)).pairs == ((4, 0), (5, 0))
    by_value = Moves(ByValue(), Threshold(Fraction(3, 5), 2), (a, b, c))
    assert by_value.plan(1, (((a, 1), (b, 1)), ((c, 2),))).pairs == ((2, 0), (2, 1))


def test_an_outcome_misses_records():
    publisher = theta_publisher([[*"AB"], [*"CD"]], k=2)
    space = explore(publisher.net())
    assert PublisherEnds.of(publisher, space).verdicts["records are kept, noise apart"]
    other = replace(publisher, formed=PartitionedTable.of([[*"AB"], [*"CC"]], "ABCD"))
    assert not PublisherEnds.of(other, space).verdicts["records are kept, noise apart"]


def test_exhausted_ends_in_infeasible():
    publisher = theta_publisher([["HIV"] * 4 + ["Flu"]], k=3, mu="0.37")
    found = PublisherEnds.of(publisher, explore(publisher.net()))
    assert len(found.infeasible) == 1
    assert not found.publications
    # Where nothing is published no promise about publications was judged.
    assert found.verdicts == {
        "ends are publications or infeasible": True,
        "k rows in every class": None,
        "records are kept, noise apart": None,
        "V >= theta in every class": None,
    }


def test_markings_print_values_by_name():
    space = explore(theta_publisher([["HIV", "HIV"], ["Flu", "Cancer"]], k=2).net())
    text = str(space.trace(int(space.dead[0])))
    assert "swap(b=1, c=0, ecs=(((HIV, 2),), ((Cancer, 1), (Flu, 1))), x=HIV, y=Cancer)" in text


@cases(
        (InvalidArgument, {"k": 1}, "k = 1: need a whole number k >= 2"),
        (InvalidArgument, {"mu": 0}, "mu = 0: need 0 < mu <= 1"),
        (InvalidArgument, {"mu": "1.01"}, "mu = 1.01: need 0 < mu <= 1"),
        (InvalidArgument, {"k": 5}, "class 1 of 1 with 4 rows': need at least k = 5 rows each"),
        (InvalidArgument, {"classes": []}, "classes = (): need at least one class"),
        (InvalidArgument, {"domain": ["HIV"]}, "domain = ('HIV',): need every value, Flu too"),
        (InvalidArgument, {"reading": "loud"}, "reading = loud: need printed or corrected"),
        (InvalidArgument, {"tokens": "cells"}, "tokens = cells: need values or records"),
        (InvalidArgument, {"reading": "printed", "cut": "moves"}, 'need rules, with reading='),
        (Infeasible, {"mu": "0.6", "classes": [["A", "B", "C", "C"]]}, "mu at most 5/9"),
)  # fmt: skip
def test_bad_input_is_one_clear_line(error, arguments, message):
    usual: dict[str, Any] = {"classes": [["HIV", "Flu", "Cancer", "Asthma"]], "k": 4}
    assert message in error_line(error, lambda: theta_publisher(**(usual | arguments)).net())


def test_tables_become_classes():
    frame = pd.DataFrame({"ward": ["b", "a", "b", "a"], "disease": ["Flu", "HIV", "Flu", "Flu"]})
    found = classes_of(frame, k=2, sensitive="disease", class_column="ward")
    assert found.values == (("Flu", "Flu"), ("HIV", "Flu"))
    assert found.rows == ((0, 2), (1, 3))
    assert classes_of(frame, k=3, sensitive="disease").values == (("Flu", "HIV", "Flu", "Flu"),)
    assert classes_of(frame, k=3, sensitive="disease", remainder="noise").rows == ((0, 1, 2), (3,))
    assert classes_of(frame, k=3, sensitive="disease", remainder="suppress").rows == ((0, 1, 2),)
    table = Table.from_frame(frame, quasi_identifiers=["ward"], sensitive="disease")
    assert classes_of(table, k=2, class_column="ward").values == found.values
    with pytest.raises(DataError, match="no sensitive column"):
        classes_of(Table.from_frame(frame, quasi_identifiers=["ward"]), k=2)
    assert "no column bed" in error_line(DataError, classes_of, table, k=2, class_column="bed")
    with pytest.raises(DataError, match="no column bed"):
        classes_of(frame, k=2, sensitive="disease", class_column="bed")
