"""Posteriors against a count of all worlds: every assignment of published rows to people."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from cases import cases
from hypothesis import assume, given
from hypothesis import strategies as st
from tables import sealed

from kproof.errors import DataError, InvalidArgument
from kproof.models.attacks import BackgroundKnowledge, Matching, Person, PublishedClasses, covering
from kproof.models.attacks.covering import Ranges, Sets
from kproof.models.attacks.posteriors import believe
from kproof.models.base.classes import Classes
from kproof.models.base.columns import Column
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.table import Table

VALUES = ("a", "b", "c")


def counted(rows, placed, victim):
    """Return the posterior by enumeration.

    ``rows`` holds (class, value) pairs, ``placed`` the admissible test of each person the
    adversary knows something of, ``victim`` one more test.
    """
    tally = dict.fromkeys(VALUES, 0)
    for chosen in permutations(range(len(rows)), len(placed) + 1):
        mine, *others = chosen
        if victim(*rows[mine]) and all(
            test(*rows[row]) for test, row in zip(placed, others, strict=True)
        ):
            tally[rows[mine][1]] += 1
    total = sum(tally.values())
    return {value: Fraction(ways, total) for value, ways in tally.items() if ways}


@st.composite
def tables(draw):
    """Return rows as class, own position, value; ranges of positions may overlap."""
    size = draw(st.integers(2, 6))
    sensitive = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    of_row = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    _, of_row = np.unique(of_row, return_inverse=True)
    places = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
    rows = st.tuples(st.integers(0, int(max(of_row))), st.integers(0, 2))
    noise = draw(st.lists(rows, max_size=2))
    return np.array(of_row), np.array(places), np.array(sensitive), noise


def evidence_of(of_row, places, sensitive, noise):
    _, codes = np.unique(places, return_inverse=True)
    place = Column("place", codes.astype(np.int32), tuple(sorted(set(places.tolist()))), True)
    values = Column("value", sensitive.astype(np.int32), VALUES, False)
    noise_class, noise_value = np.array(noise, dtype=np.int64).reshape(-1, 2).T
    table = Table(len(of_row), (place,), values)
    release = sealed(table, of_row, noise_class=noise_class, noise_value=noise_value)
    return PublishedClasses.of_release(release)


@st.composite
def situations(draw):
    of_row, places, sensitive, noise = draw(tables())
    people = list(range(len(of_row)))
    members = draw(st.lists(st.sampled_from(people), max_size=2, unique=True))
    rest = [person for person in people if person not in members]
    exclusions = draw(
        st.dictionaries(st.sampled_from(people), st.sets(st.integers(0, 2), max_size=1), max_size=3)
    )
    exclusions = {person: out for person, out in exclusions.items() if person in rest}
    return of_row, places, sensitive, noise, members, rest, exclusions, draw(st.booleans())


def known_of(members, cover, recognised):
    return {
        "members": tuple(Person(row=one) for one in members),
        "matching": Matching.COVER if cover else Matching.CLASS,
        "noise_recognised": recognised,
    }


def admissibility(of_row, places, sensitive, members, exclusions, *, cover):
    """Return, for each person, the test their published row must pass."""
    inside = {c: places[of_row == c] for c in set(of_row.tolist())}
    spans = {c: (own.min(), own.max()) for c, own in inside.items()}

    def near(person, c):
        if cover:
            return spans[c][0] <= places[person] <= spans[c][1]
        # Groups with equal labels are one class to everyone who reads the release.
        return spans[c] == spans[of_row[person]]

    def test(person):
        def admissible(c, value):
            if person in members:
                return near(person, c) and value == VALUES[sensitive[person]]
            out = {VALUES[code] for code in exclusions.get(person, ())}
            return near(person, c) and value not in out

        return admissible

    return test


@pytest.mark.parametrize("cover", [False, True])
@given(situation=situations())
def test_posteriors_count_worlds(situation, cover):
    of_row, places, sensitive, noise, members, rest, exclusions, recognised = situation
    assume(rest)
    rows = [(int(c), VALUES[v]) for c, v in zip(of_row, sensitive, strict=True)]
    if not recognised:
        rows += [(c, VALUES[v]) for c, v in noise]
    test = admissibility(of_row, places, sensitive, members, exclusions, cover=cover)
    informed = [*members, *(person for person, out in exclusions.items() if out)]
    excluded = {one: tuple(VALUES[code] for code in exclusions.get(one, ())) for one in rest}
    victims = tuple(Person(row=one, excluded=out) for one, out in excluded.items())
    background = BackgroundKnowledge(victims=victims, **known_of(members, cover, recognised))
    evidence = evidence_of(of_row, places, sensitive, noise)
    try:
        beliefs = believe(evidence, background)
    except DataError:
        every = [test(person) for person in informed]
        for world in permutations(rows, len(every)):
            assert not all(t(*row) for t, row in zip(every, world, strict=True))
        return
    for position, person in enumerate(rest):
        expected = counted(rows, [test(one) for one in informed if one != person], test(person))
        assert {VALUES[code]: p for code, p in beliefs.posterior(position).items()} == expected


@pytest.mark.parametrize("cover", [False, True])
@given(situation=situations())
def test_everyone_at_once_is_everyone_one_by_one(situation, cover):
    of_row, places, sensitive, noise, members, rest, _, recognised = situation
    evidence = evidence_of(of_row, places, sensitive, noise)
    known = known_of(members, cover, recognised)
    together = believe(evidence, BackgroundKnowledge(**known))
    victims = tuple(Person(row=one) for one in rest)
    alone = believe(evidence, BackgroundKnowledge(victims=victims, **known))
    assert together.rows.tolist() == rest
    for position in range(len(rest)):
        assert together.posterior(position) == alone.posterior(position)
        group, single = together.group[position], alone.group[position]
        if single >= 0:
            assert together.candidates[group] == alone.candidates[single]


def test_knowledge_of_one_person_discloses_another():
    evidence = PublishedClasses.of(Classes(np.array([0, 0]), 1, np.array([0, 1]), VALUES))
    knows = BackgroundKnowledge(victims=(Person(row=0, excluded=("b",)), Person(row=1)))
    beliefs = believe(evidence, knows)
    assert beliefs.posterior(0) == {0: Fraction(1)}
    assert beliefs.posterior(1) == {1: Fraction(1)}


def test_suppressed_people_are_unmatched_by_class_and_may_be_mistaken_by_cover():
    age = Column("age", np.array([0, 1, 2], dtype=np.int32), (30, 35, 40), True)
    value = Column("value", np.array([0, 1, 1], dtype=np.int32), VALUES, False)
    evidence = PublishedClasses.of_release(sealed(Table(3, (age,), value), [0, -1, 0]))
    assert believe(evidence, BackgroundKnowledge()).posterior(1) == {}
    # A suppressed member takes nobody's row.
    knows = BackgroundKnowledge(members=(Person(row=1),))
    assert believe(evidence, knows).posterior(0) == {0: Fraction(1, 2), 1: Fraction(1, 2)}
    cover = BackgroundKnowledge(matching=Matching.COVER)
    assert believe(evidence, cover).posterior(1) == {0: Fraction(1, 2), 1: Fraction(1, 2)}


@st.composite
def published(draw):
    """Return a release whose columns are a range, a set and a taxonomy, with missing values."""
    size = draw(st.integers(1, 12))
    codes = st.lists(st.integers(0, 4), min_size=size, max_size=size)
    taxonomy = Taxonomy.from_paths(
        [leaf, "West" if leaf in "pq" else "East", "World"] for leaf in "pqrs"
    ).fitted(("p", "q", "r", "s", MISSING), column="c2")
    kinds = [
        ((1, 4, 9, 10, MISSING), True, None),
        (("u", "v", "w", "x", MISSING), False, None),
        (("p", "q", "r", "s", MISSING), False, taxonomy),
    ]
    columns = tuple(
        Column(f"c{i}", np.array(draw(codes), dtype=np.int32), values, numeric, tree)
        for i, (values, numeric, tree) in enumerate(kinds)
    )
    of_row = np.unique(draw(codes), return_inverse=True)[1]
    value = Column("value", np.array(draw(codes), dtype=np.int32) % 3, VALUES, False)
    return sealed(Table(size, columns, value), of_row)


@given(published())
def test_coded_columns_cover_what_the_labels_say(release):
    evidence = PublishedClasses.of_release(release)
    every = np.arange(release.count)
    for column, shown in zip(release.table.quasi_identifiers, evidence.columns, strict=True):
        codes = column.codes
        mask = shown.of_codes(shown.codes, every)
        for row, code in enumerate(codes):
            assert mask[row].tolist() == shown.covering(column.values[code]).tolist()
            own = shown.codes[row]
            assert mask[row].tolist() == shown.reach(every, own, own).tolist()
        # Truthful: each person fits the class they are in.
        assert mask[np.arange(len(codes)), release.class_of].all()


@given(published(), st.integers(1, 7), st.sampled_from([0, 2, 64]))
def test_blocks_do_not_change_the_covers(release, cells, dense):
    evidence = PublishedClasses.of_release(release)
    knows = BackgroundKnowledge(matching=Matching.COVER)
    whole = believe(evidence, knows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covering, "CELLS", cells)
        patch.setattr(covering, "_DENSE", dense)
        pieces = believe(evidence, knows)
    for row in range(release.table.rows):
        expected = {}
        fits = np.ones(release.count, dtype=bool)
        for column, shown in zip(release.table.quasi_identifiers, evidence.columns, strict=True):
            fits &= shown.covering(column.values[column.codes[row]])
        values = release.table.sensitive.codes[fits[release.class_of]]
        for code in values.tolist():
            expected[code] = expected.get(code, Fraction(0)) + Fraction(1, len(values))
        assert whole.posterior(row) == pieces.posterior(row) == expected


def test_partial_columns_widen_the_match():
    rng = np.random.default_rng(0)
    one = Column("one", np.array([0, 0, 1, 1], dtype=np.int32), ("x", "y"), False)
    two = Column("two", np.array([0, 0, 0, 0], dtype=np.int32), (5,), True)
    value = Column("value", rng.permutation(np.array([0, 0, 1, 2], dtype=np.int32)), VALUES, False)
    evidence = PublishedClasses.of_release(sealed(Table(4, (one, two), value), [0, 0, 1, 1]))
    full = believe(evidence, BackgroundKnowledge(matching=Matching.COVER))
    part = believe(evidence, BackgroundKnowledge(matching=Matching.COVER, columns=("two",)))
    assert full.candidates.tolist() == [2, 2]
    assert part.candidates.tolist() == [4]


def test_an_exact_answer_where_64_bits_are_not_enough():
    size = 210
    of_row = np.zeros(size, dtype=np.int64)
    evidence = PublishedClasses.of(Classes(of_row, 1, np.arange(size) % 3, VALUES))
    people = tuple(Person(row=row, excluded=(VALUES[row % 2],)) for row in range(80))
    beliefs = believe(evidence, BackgroundKnowledge(victims=(*people, Person(row=209))))
    assert beliefs.weight.dtype == object
    for position in range(81):
        assert sum(beliefs.posterior(position).values()) == 1
    # The 40 excluded from each of a and b take more of the others' rows, most of all of c.
    last = beliefs.posterior(80)
    assert last[0] == last[1] > last[2] > 0


@cases(
    ({"members": (Person(row=9),)}, DataError, "row 9: need a row from 0 to 3"),
    ({"victims": (Person(row=0, excluded=("z",)),)}, DataError, "z does not occur: a, b, c"),
    (
        {"victims": (Person(row=0, excluded=VALUES),)},
        DataError,
        "row 0: the background knowledge contradicts the release",
    ),
    (
        {"members": (Person(row=0, value="c"), Person(row=1, value="c"))},
        DataError,
        "2 people contradicts the release: there are not enough rows",
    ),
    ({"matching": Matching.COVER}, InvalidArgument, "matching = cover"),
    (
        {"victims": (Person(quasi_identifiers={"age": 3}),)},
        DataError,
        "age is not a quasi-identifier of the release: none at hand",
    ),
)
def test_knowledge_that_does_not_fit_is_refused(background, error, message):
    rows = Classes(np.array([0, 0, 0, 1]), 2, np.array([0, 1, 2, 0]), VALUES)
    with pytest.raises(error, match=message):
        believe(PublishedClasses.of(rows), BackgroundKnowledge(**background))


def test_ranges_and_sets_of_plain_arrays():
    ends = np.array([0]), np.array([1]), np.array([True])
    ages = Ranges("age", lambda value: np.array([value == 1]), np.array([0, 1, 2]), *ends, 2)
    assert ages.of_codes(ages.codes, np.array([0]))[:, 0].tolist() == [True, True, True]
    arrays = map(np.array, ([0], [0], [0, 1], [0]))
    lands = Sets("land", lambda value: np.array([True]), *arrays)
    assert lands.reach(np.array([0]), np.array([0]), np.array([1])).tolist() == [True]
