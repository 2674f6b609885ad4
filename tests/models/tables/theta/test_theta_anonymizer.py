"""The θ-sensitive anonymizer: its promise on every small table, its two engines, its options."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, islice, product

import numpy as np
import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from nights import by_day
from tables import column
from theta_oracles import TABLE_1A, TABLE_4B, publications, spread

from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.base.arrays import Codes
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING, MissingAs
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.methods import METHODS
from kproof.models.tables.release import Release
from kproof.models.tables.table import Table
from kproof.models.tables.theta import forming
from kproof.models.tables.theta import kernel as theta_kernel
from kproof.models.tables.theta.forming import cut_into_classes
from kproof.models.tables.theta.kernel import adjust
from kproof.models.tables.theta.method import theta_sensitive
from kproof.models.tables.theta.moves import Threshold
from kproof.models.tables.theta.options import Form, Noise, Remainder
from kproof.models.tables.theta.runs import Adjusted, Formed, adjust_plainly, form_classes
from kproof.models.tables.utility import utility
from kproof.theory.theorems import theta as theory


def table(values: Sequence[object], *columns: Sequence[int]) -> Table:
    """The sensitive values in order of appearance; without columns, one that tells rows apart."""
    domain = tuple(dict.fromkeys(values))
    codes = np.array([domain.index(value) for value in values], dtype=np.int32)
    known = columns or (range(len(values)),)
    quasi = tuple(column(f"q{i}", data, numeric=True) for i, data in enumerate(known))
    return Table(len(values), quasi, Column("s", codes, domain, numeric=False))


def multisets(release: Release, *, noise: bool = True) -> list[Counter[object]]:
    values = release.table.sensitive.values
    pairs = [*zip(release.class_of, release.table.sensitive.codes, strict=True)]
    pairs += zip(release.noise_class, release.noise_value, strict=True) if noise else []
    classes = [Counter() for _ in range(release.count)]
    for c, code in pairs:
        if c >= 0:
            classes[c][values[code]] += 1
    return classes


def replayed(release: Release) -> Codes:
    class_of = release.formed_as.copy()
    for one, other in release.swaps:
        class_of[[one, other]] = class_of[[other, one]]
    return class_of


def keeps_its_promise(release: Release, k: int, mu: Fraction) -> None:
    theta = mu * (k * k - 1) / 12
    assert all(spread(c.values()) >= theta for c in multisets(release))
    assert all(c.total() >= k for c in multisets(release, noise=False))
    assert np.array_equal(replayed(release), release.group_of)


def same(one: Adjusted, other: Adjusted) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in vars(one))


def start(
    codes: Sequence[int],
    k: int,
    domain: int,
    mu: Fraction,
    remainder: Remainder = Remainder.MERGE,
    per_class: bool = False,
    noise: Noise = Noise.FREQUENT,
) -> Formed:
    rows = np.array(codes, dtype=np.int64)
    class_of = cut_into_classes(np.arange(len(rows)), k, remainder)
    return form_classes(rows, class_of, domain, Threshold(mu, k, per_class), noise=noise, seed=3)


def test_every_table_of_three_classes():
    classes = list(combinations_with_replacement(range(4), 3))
    theta, every = Fraction(3, 5) * 8 / 12, product(classes, repeat=3)
    for rows in by_day(islice(every, 0, None, 7), at_night=every):
        codes = [code for values in rows for code in values]
        begun = start(codes, 3, 4, Fraction(3, 5))
        run = adjust(begun)
        assert same(run, adjust_plainly(begun))
        assert not len(run.short)
        held = [Counter[int]() for _ in range(3)]
        for c, code in zip(run.class_of, codes, strict=True):
            held[c][code] += 1
        assert [c.total() for c in held] == [3, 3, 3]
        for c, code in zip(run.noise_class, run.noise_value, strict=True):
            assert not held[c][code]
            held[c][code] += 1
        assert all(spread([n for n in c.values() if n]) >= theta for c in held)


@settings(max_examples=300)
@given(
    st.data(),
    st.integers(2, 6),
    st.integers(2, 9),
    st.integers(1, 20),
    st.sampled_from(Remainder),
    st.booleans(),
    st.sampled_from(Noise),
)
def test_the_kernel_is_the_plain_algorithm(
    data, k, domain, twentieths, remainder, per_class, noise
):
    codes = data.draw(st.lists(st.integers(0, domain - 1), min_size=k, max_size=45))
    begun = start(codes, k, domain, Fraction(twentieths, 20), remainder, per_class, noise)
    assert same(adjust(begun), adjust_plainly(begun))


@cases((70, 6, 400), (130, 60, 700), (900, 90, 2000), (600, 3, 800))
def test_the_kernel_with_many_values_and_many_frequencies(domain, k, rows):
    codes = (np.random.default_rng(5).random(rows) ** 3 * domain).astype(np.int64)
    for mu in (Fraction(1, 2), Fraction(9, 10), Fraction(1)):
        begun = start(codes.tolist(), k, domain, mu)
        assert same(adjust(begun), adjust_plainly(begun))


def test_the_kernel_with_donors_that_have_nothing_new():
    # More values than a bit set holds, and passing classes without an absent value in between.
    codes = [0, 0, 0, 1, 2, 3, *[0, 1, 2] * 5, *[4, 5, 6] * 3, *[700, 701, 702]]
    for mu in (Fraction(1, 2), Fraction(1)):
        begun = start(codes, 6, 800, mu)
        assert same(adjust(begun), adjust_plainly(begun))
    few = start([0, 0, 1, *[0, 1, 1, 0, 1] * 8, 5], 3, 800, Fraction(1, 3))
    assert same(adjust(few), adjust_plainly(few))


def test_classes_beyond_64_bits_take_the_plain_way(monkeypatch):
    begun = start([0, 0, 1, 2, 3, 0, 1, 1], 4, 4, Fraction(3, 5))
    expected = adjust(begun)
    monkeypatch.setattr(theta_kernel, "SAFE", 0)
    monkeypatch.setattr(theta_kernel, "_adjust", None)
    assert same(adjust(begun), expected)
    monkeypatch.setattr(forming, "SAFE", 0)
    release = theta_sensitive(table(list("aaabbcdd") * 3, range(24)), k=4, form="diverse")
    assert release.formed_as is not None
    assert np.array_equal(release.formed_as, np.arange(24) // 4)


@given(st.data(), st.integers(2, 5), st.integers(2, 6), st.sampled_from(Form))
def test_every_release_keeps_its_promise(data, k, domain, form):
    rows = st.tuples(st.integers(0, domain - 1), st.integers(0, 4), st.integers(0, 9))
    drawn = [(i, 0, 0) for i in range(domain)]
    drawn += data.draw(st.lists(rows, min_size=k, max_size=40))
    values, *columns = zip(*drawn, strict=True)
    largest = min(Fraction(1), Fraction((2 * domain - 1) ** 2, 3 * (k * k - 1)))
    mu = largest * data.draw(st.integers(1, 9)) / 10
    whole = theory.variance(Counter(values).values())
    if form is Form.LEAST_LOSS and whole < mu * (k * k - 1) / 12:
        with pytest.raises(Infeasible, match="of the whole table has variance"):
            theta_sensitive(table(values, *columns), k=k, mu=mu, form=form)
        return
    release = theta_sensitive(table(values, *columns), k=k, mu=mu, form=form)
    keeps_its_promise(release, k, mu)
    assert not len(release.suppressed)


@pytest.mark.parametrize("classes", [TABLE_1A, TABLE_4B], ids=["1a", "4b"])
def test_the_run_is_one_of_the_net(classes):
    values = [value for one in classes for value in one]
    release = theta_sensitive(table(values), k=4, mu="0.6", form="order")
    keeps_its_promise(release, 4, Fraction(3, 5))
    found = tuple(tuple(sorted(map(str, c.elements()))) for c in multisets(release))
    assert found in publications(classes, Fraction(3, 4), set(values))
    assert release.swapped > 0


def test_noise_takes_values_absent_from_the_class():
    values = ["a", "a", "a", "a", "b", "b", "c", "d"]
    release = theta_sensitive(table(values), k=4, mu=1, classes=[0] * 8)
    assert spread([4, 2, 1, 1]) < Fraction(5, 4)
    assert multisets(release)[0].keys() == set("abcd")


@cases(
    (Noise.FREQUENT, None, {"c"}), (Noise.FIRST, None, {"b"}), (Noise.RANDOM, 4, {"b", "c", "d"})
)
def test_the_value_of_a_noise_row(noise, seed, expected):
    # No later class passes, so the first one has no donor.
    values = ["a", "a", "b", "b", "c", "c", "c", "c", "d", "d"]
    first = [0, 0, 2, 2, 1, 1, 1, 1, 3, 3]
    release = theta_sensitive(table(values), k=2, classes=first, noise=noise, seed=seed)
    mine = [int(v) for c, v in zip(release.noise_class, release.noise_value, strict=True) if c == 0]
    assert len(mine) == 1
    assert {"abcd"[v] for v in mine} <= expected


def test_random_noise_is_repeatable():
    drawn = table(["a"] * 40 + list("bcdefgh") * 2)
    one, other, third = (
        theta_sensitive(drawn, k=4, form="order", noise="random", seed=seed) for seed in (1, 1, 2)
    )
    assert one.noise_value.tobytes() == other.noise_value.tobytes()
    assert one.noise_value.tobytes() != third.noise_value.tobytes()


def test_what_becomes_of_the_remainder():
    values = list("abcdabcdabcdab")
    for way, sizes in ("merge", [4, 4, 6]), ("noise", [4, 4, 4, 2]), ("suppress", [4, 4, 4]):
        release = theta_sensitive(table(values), k=4, form="order", remainder=way)
        assert [c.total() for c in multisets(release, noise=False)] == sizes
    padded = theta_sensitive(table(values), k=4, form="order", remainder="noise")
    assert [c.total() for c in multisets(padded)] == [4, 4, 4, 4]
    assert Counter(padded.noise_value.tolist()) == {2: 1, 3: 1}


@pytest.mark.parametrize("form", [Form.DIVERSE, Form.COMPACT, Form.SORTED, Form.ORDER])
@pytest.mark.parametrize("remainder", Remainder)
def test_forms_cut_into_classes_of_k(form, remainder):
    generator = np.random.default_rng(2)
    rows = table(*(generator.integers(0, most, 43).tolist() for most in (8, 9, 3)))
    sizes = Counter(theta_sensitive(rows, k=4, form=form, remainder=remainder).formed_as.tolist())
    assert sizes.pop(-1, 0) == (3 if remainder is Remainder.SUPPRESS else 0)
    if remainder is Remainder.MERGE:
        assert sum(sizes.values()) == 43
        assert len(sizes) == 10
        assert min(sizes.values()) >= 4
    else:
        assert sorted(sizes.values(), reverse=True)[:10] == [4] * 10


def test_a_diverse_form_needs_no_noise_where_dealing_suffices():
    generator = np.random.default_rng(8)
    ages = generator.integers(0, 60, 600)
    # Values go with ages, so that neighbours share values.
    values = (ages // 8 + generator.integers(0, 2, 600)).tolist()
    rows = table(values, ages.tolist(), generator.integers(0, 500, 600).tolist())
    diverse = theta_sensitive(rows, k=4, form="diverse")
    compact = theta_sensitive(rows, k=4, form="compact")
    assert len(diverse.noise_class) == len(diverse.swaps) == 0
    assert len(compact.noise_class) > 50
    keeps_its_promise(diverse, 4, Fraction(3, 5))
    assert diverse.count == 150


def optimum(
    values: Sequence[object], columns: Sequence[Sequence[int]], k: int, mu: Fraction
) -> float | None:
    """The least that a partition whose classes reach θ loses, all of them tried."""
    theta = mu * (k * k - 1) / 12
    spans = [(max(data) - min(data)) or 1 for data in columns]
    losses = []
    for parts in partitions(list(range(len(values))), k):
        # Parts that show the same ranges are one class.
        of_label, lost = {}, Fraction(0)
        for part in parts:
            label = tuple(
                (min(data[i] for i in part), max(data[i] for i in part)) for data in columns
            )
            of_label.setdefault(label, Counter()).update(values[i] for i in part)
            wide = zip(label, spans, strict=True)
            lost += len(part) * sum(Fraction(high - low, span) for (low, high), span in wide)
        if all(spread(held.values()) >= theta for held in of_label.values()):
            losses.append(lost)
    return min(losses) / len(values) / len(columns) if losses else None


def partitions(rows: list[int], k: int) -> Iterator[list[list[int]]]:
    if not rows:
        yield []
        return
    first, *rest = rows
    for size in range(k - 1, len(rest) + 1):
        for chosen in combinations(rest, size):
            left = [row for row in rest if row not in chosen]
            if not left or len(left) >= k:
                for more in partitions(left, k):
                    yield [[first, *chosen], *more]


def test_the_best_form_is_near_the_optimum_on_small_tables():
    draw = np.random.default_rng(1)
    lost = []
    for _ in range(12):
        ages, zips = draw.integers(20, 60, 8).tolist(), draw.integers(0, 30, 8).tolist()
        ills = draw.choice(list("ABCDE"), 8).tolist()
        rows, least = table(ills, ages, zips), optimum(ills, (ages, zips), 2, Fraction(3, 5))
        if least is not None:
            forms = ("best", "diverse")
            found = [theta_sensitive(rows, k=2, form=form) for form in forms]
            best, diverse = (utility(one, queries=0).penalty for one in found)
            lost.append((best, diverse, least))
    best, diverse, least = np.array(lost, dtype=float).mean(axis=0)
    assert least <= best
    assert best - least <= (diverse - least) / 2


def test_classes_that_lose_least_are_not_cut_to_k():
    for remainder in ("noise", "suppress"):
        with pytest.raises(InvalidArgument, match="need another with remainder"):
            theta_sensitive(table("aabb", range(4)), k=2, form="least-loss", remainder=remainder)
        release = theta_sensitive(table("aabbc", range(5)), k=2, remainder=remainder)
        assert release.parameters["form"] == "diverse"


def test_compact_classes_are_boxes_of_a_line():
    order = np.random.default_rng(1).permutation(24)
    release = theta_sensitive(table(["a", "b", "c"] * 8, order.tolist()), k=3, form="compact", mu=1)
    assert release.formed_as is not None
    assert np.array_equal(release.formed_as, order // 3)


def test_neighbours_in_a_taxonomy_are_neighbours():
    tree = Taxonomy.from_paths([("a", "x", "*"), ("c", "x", "*"), ("b", "y", "*"), ("d", "y", "*")])
    codes = np.array([0, 1, 2, 3], dtype=np.int32)
    place = Column("place", codes, ("a", "b", "c", "d"), numeric=False, taxonomy=tree)
    held = Column("s", np.array([0, 1, 1, 0], dtype=np.int32), ("u", "v"), numeric=False)
    release = theta_sensitive(Table(4, (place,), held), k=2, form="compact")
    assert release.formed_as.tolist() == [0, 1, 0, 1]


def test_missing_values_are_values():
    age = Column("age", np.array([0, 1, 1, 0], dtype=np.int32), (30, MISSING), numeric=True)
    held = Column("s", np.array([0, 1, 0, 1], dtype=np.int32), ("flu", MISSING), numeric=False)
    rows = Table(4, (age,), held)
    assert "2 sensitive values are missing" in error_line(DataError, theta_sensitive, rows, k=2)
    release = theta_sensitive(replace(rows, missing_as=MissingAs.VALUE), k=2)
    keeps_its_promise(release, 2, Fraction(3, 5))
    assert release.rows == 4


def test_the_input_stays_as_it_is():
    rows = table(list("aaabbbcd"))
    classes = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    before = rows.sensitive.codes.tobytes(), classes.tobytes()
    theta_sensitive(rows, k=4, classes=classes)
    assert (rows.sensitive.codes.tobytes(), classes.tobytes()) == before


def test_a_class_with_every_value_is_reinforced_or_refused():
    rows = table(["a"] * 9 + ["b", "c", "d"])
    theta = Fraction(9, 10) * 15 / 12
    assert spread([9, 1, 1, 1]) < theta
    keeps_its_promise(theta_sensitive(rows, k=4, mu="0.9", classes=[0] * 12), 4, Fraction(9, 10))
    with pytest.raises(Infeasible, match=r"class 0 holds all 4 values .*; need a smaller mu"):
        theta_sensitive(rows, k=4, mu="0.9", classes=[0] * 12, exhausted="refuse")


def test_theta_at_the_size_of_each_class():
    release = theta_sensitive(table(list("abcdefabcdef")), k=4, mu="0.6", per_class_theta=True)
    for c in multisets(release):
        assert spread(c.values()) >= Fraction(3, 5) * (c.total() ** 2 - 1) / 12
    with pytest.raises(Infeasible, match="theta at k"):
        theta_sensitive(table(list("aaaabb")), k=2, mu="0.6", classes=[0] * 6, per_class_theta=True)


def printed(values: Sequence[str], mu: str = "0.6", k: int = 4) -> Release:
    return theta_sensitive(table(values), k=k, mu=mu, reading="printed")


def test_the_printed_pass_leaves_the_last_class_of_table_1a():
    last = multisets(printed([value for one in TABLE_1A for value in one]))[-1]
    assert last == Counter(TABLE_1A[-1])
    assert spread(last.values()) < Fraction(3, 4)


def test_the_printed_search_ends_at_the_next_class():
    values = [*"aabc", *"ddde", *"fghi", *"jklm"]
    assert not len(theta_sensitive(table(values), k=4, form="order").noise_class)
    assert len(printed(values).noise_class)


def test_the_printed_variance_of_a_donor_is_stale():
    # After one exchange the second class is (a, c, c, d): below theta, published as it is.
    release = printed(["a", "a", "b", "e", "a", "b", "c", "d", "f", "g", "h", "i"])
    below = [c for c in multisets(release) if spread(c.values()) < Fraction(3, 4)]
    assert below == [Counter({"a": 2, "b": 1, "d": 1})]


def test_the_printed_noise_may_never_end():
    with pytest.raises(Infeasible, match="line 43 of the printed algorithm never ends"):
        printed(list("aabb"), mu="1", k=2)


def test_printed_pads_the_remainder():
    release = printed(list("abcdab"))
    assert [c.total() for c in multisets(release)] == [4, 4]
    assert len(release.noise_class) == 2
    assert release.parameters["remainder"] == "noise"
    assert release.parameters["form"] == "order"


@cases(
    ({"k": 1}, "k = 1: need"),
    ({"k": 13}, "k = 13: need"),
    ({"k": 4, "mu": 0}, "mu = 0: need 0 < mu <= 1"),
    ({"k": 4, "mu": "1.01"}, "mu = 1.01: need 0 < mu <= 1"),
    ({"k": 4, "reading": "loose"}, "reading = loose: need printed or corrected"),
    (
        {"k": 4, "form": "pile"},
        "form = pile: need best, least-loss, diverse, compact, sorted or order",
    ),
    ({"k": 4, "remainder": "drop"}, "remainder = drop: need merge, noise or suppress"),
    ({"k": 4, "noise": "random"}, "seed is not given: need"),
    ({"k": 4, "noise": "random", "seed": -1}, "seed = -1: need"),
    ({"k": 4, "exhausted": "x"}, "exhausted = x: need repeat or refuse"),
    ({"k": 4, "classes": [0] * 11}, "need one whole number for each of the 12 rows"),
    ({"k": 4, "classes": [0.5] * 12}, "need one whole number for each of the 12 rows"),
    ({"k": 4, "classes": [0] * 3 + [7] * 9}, "0 with 3 rows"),
)
def test_arguments_out_of_range(arguments, message):
    rows = table([value for one in TABLE_1A for value in one])
    assert message in error_line(InvalidArgument, theta_sensitive, rows, **arguments)


def test_domains_that_cannot_reach_theta():
    assert error_line(Infeasible, theta_sensitive, table(["a", "b", "c"] * 4), k=4) == (
        "column s: 3 distinct values cannot reach theta = 3/4 (k = 4, mu = 3/5); "
        "need mu at most 5/9 or k at most 3"
    )
    keeps_its_promise(theta_sensitive(table(["a", "b", "c"] * 4), k=4, mu="5/9"), 4, Fraction(5, 9))
    keeps_its_promise(theta_sensitive(table(["a", "b", "c"] * 4), k=3), 3, Fraction(3, 5))
    with pytest.raises(Infeasible, match="need more distinct values"):
        theta_sensitive(table(["a"] * 4), k=2)


def test_a_table_without_a_sensitive_column():
    bare = Table(4, table(list("abcd")).quasi_identifiers)
    assert "no sensitive column" in error_line(DataError, theta_sensitive, bare, k=2)


def test_the_entry_in_the_registry():
    entry = METHODS["theta-sensitive"]
    release = entry.run(table(list("abcdabcd")), k=4)
    assert release.method == "theta-sensitive"
    assert set(entry.parameters) == {*release.parameters, "classes"}


def test_classes_that_look_alike_reach_theta_together():
    """Eight people with one label: (2, 1, 1) and (1, 2, 1) have V = theta, (3, 3, 2) has less."""
    alike = table("aabbbacc", [7] * 8)
    for asked in ({"form": "order"}, {"form": "diverse"}, {"classes": [0, 0, 1, 1, 1, 0, 0, 1]}):
        release = theta_sensitive(alike, k=4, mu="11/20", **asked)
        together = sum(multisets(release), Counter())
        assert spread(together.values()) >= Fraction(11, 16)
        assert sum(sum(own.values()) for own in multisets(release, noise=False)) == 8
    with pytest.raises(Infeasible, match="holds all 3 values"):
        theta_sensitive(alike, k=4, mu="11/20", exhausted="refuse")


@given(
    st.lists(st.tuples(st.integers(0, 1), st.sampled_from("abcd")), min_size=4, max_size=16),
    st.sampled_from(("order", "sorted", "diverse", "compact")),
    st.sampled_from(("merge", "noise", "suppress")),
)
def test_whatever_a_reader_takes_for_a_class_reaches_theta(rows, form, remainder):
    known, values = [place for place, _ in rows], [value for _, value in rows]
    try:
        release = theta_sensitive(
            table(values, known), k=4, mu="11/20", form=form, remainder=remainder
        )
    except Infeasible:
        assert len(set(values)) < 3
        return
    seen = {}
    for index, own in enumerate(multisets(release)):
        seen.setdefault(release.label(index), Counter()).update(own)
    assert all(spread(own.values()) >= Fraction(11, 16) for own in seen.values())
    if release.formed_as is not None:
        assert (replayed(release) == release.group_of).all()
