"""Releases of the same people, judged together; the oracle lists every world that fits both."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from cases import cases
from nights import by_day
from publications import BOTH, KNOWN, SECRET, column, known, secret
from tables import data_frame

import kproof.models.judgement.releases.composition as judged
from kproof.models.api import anonymize
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.judgement.findings import FindingStanding, JudgedFinding, Remedy
from kproof.models.judgement.publication import EarlierRelease, PublishedColumn, PublishedFile
from kproof.models.judgement.reading import of_release
from kproof.models.judgement.releases.composition import composition
from kproof.models.judgement.releases.crossing import infer_shared_people
from kproof.models.judgement.releases.overlap import labels_meet, pair_classes_that_meet
from kproof.models.judgement.thresholds import THRESHOLDS, Audience

PUBLIC = THRESHOLDS[Audience.PUBLIC]


def release(
    heading: str, classes: Sequence[str], ill: Sequence[str | None], *, numeric: bool = False
) -> tuple[PublishedColumn, ...]:
    return known(heading, classes), secret("ill", ill, numeric=numeric)


def two(
    first: tuple[PublishedColumn, ...],
    second: tuple[PublishedColumn, ...],
    person: Sequence[int] | None,
    persons: Sequence[int],
) -> PublishedFile:
    """Return the second release as a publication; ``person`` is that of the first."""
    whom = None if person is None else np.array(person, dtype=np.int64)
    earlier = EarlierRelease("first.csv", first, whom)
    return PublishedFile(second, person=np.array(persons, dtype=np.int64), earlier=(earlier,))


def found(publication: PublishedFile) -> list[JudgedFinding]:
    return list(composition(publication, PUBLIC))


def victims(publication: PublishedFile) -> set[int]:
    rows = [
        finding.victims
        for finding in found(publication)
        if finding.standing is FindingStanding.BROKEN and "is certain" in finding.sentence
    ]
    return {int(publication.persons[row]) for each in rows for row in each}


def worlds(
    classes: Sequence[Sequence[tuple[Sequence[int], Counter[str]]]], people: int, values: str
) -> Iterator[tuple[str, ...]]:
    """Yield every way to give people values in which each class of each release has its own."""
    for world in product(values, repeat=people):
        if all(Counter(world[i] for i in who) == has for one in classes for who, has in one):
            yield world


def classes_of(labels: Sequence[np.ndarray], inside: Sequence[np.ndarray], truth: np.ndarray):
    """Return for each release its classes, as people and how often they have each value."""
    releases = []
    for label, who in zip(labels, inside, strict=True):
        groups = [[int(i) for i in who if label[i] == one] for one in sorted(set(label[who]))]
        releases.append([(group, Counter(truth[group])) for group in groups])
    return releases


def beliefs(every: list[tuple[str, ...]], person: int) -> dict[str, Fraction]:
    counts = Counter(world[person] for world in every)
    return {value: Fraction(count, len(every)) for value, count in counts.items()}


@pytest.mark.parametrize("seed", range(150))
def test_two_classes_are_counted_as_all_worlds_are(seed):
    rng = np.random.default_rng(seed)
    both, left, came = int(rng.integers(1, 4)), int(rng.integers(0, 4)), int(rng.integers(0, 4))
    people = both + left + came
    truth = rng.choice(list("abc"), people, p=[0.5, 0.3, 0.2])
    inside = [[*range(both + left)], [*range(both), *range(both + left, people)]]
    counts = [Counter(truth[who]) for who in inside]
    every = list(worlds([list(zip(inside, counts, strict=True))], people, "abc"))
    shared, *others = infer_shared_people(counts, both)
    groups = ((shared, 0, both), (others[0], both, left), (others[1], both + left, came))
    for weights, person, size in groups:
        total = sum(weights.values())
        own = {value: Fraction(weight, total) for value, weight in weights.items()}
        assert own == (beliefs(every, person) if size else {})


@pytest.mark.parametrize("seed", range(by_day(25, at_night=60)))
def test_who_is_found_out_is_certain_in_every_world(seed):
    rng = np.random.default_rng(1000 + seed)
    people = 8
    truth = rng.choice(list("abc"), people)
    labels = [rng.permutation([str(i // 3) for i in range(people)]) for _ in range(2)]
    stays = np.flatnonzero(rng.random(people) < 0.8)
    classes = classes_of(labels, [np.arange(people), stays], truth)
    every = list(worlds(classes, people, "abc"))
    number = {int(person): place for place, person in enumerate(stays)}
    publication = two(
        release("x", labels[0].tolist(), truth.tolist()),
        release("y", labels[1][stays].tolist(), truth[stays].tolist()),
        [number.get(i, -1) for i in range(people)],
        list(range(len(stays))),
    )
    certain = {i for i in range(people) if len(beliefs(every, i)) == 1}
    alone = {i for one in classes for who, has in one if len(has) == 1 for i in who}
    hit = {int(stays[i]) for i in victims(publication)}
    assert hit <= certain
    # Crossing pairs of classes finds all whom one crossing pins; chains of crossings may pin more.
    for mine, has in classes[0]:
        for theirs, had in classes[1]:
            if len(set(mine) & set(theirs)) == 1 and len(has.keys() & had.keys()) == 1:
                assert (set(mine) & set(theirs)) - alone <= hit


def test_releases_with_other_columns_pin_people_whom_neither_pins_alone():
    rng = np.random.default_rng(0)
    people, ills = 500, ["flu", "cold", "hiv", "gout", "asthma", "cancer"]
    frame = data_frame(
        pid=[f"p{i}" for i in range(people)],
        age=rng.integers(18, 90, people),
        zip=rng.integers(1000, 1100, people),
        job=rng.integers(0, 60, people),
        kids=rng.integers(0, 9, people),
        ill=rng.choice(ills, people),
    )
    roles = {"sensitive": "ill", "person": "pid", "k": 3, "l": 2}
    pairs = [["age", "zip"], ["job", "kids"]]
    releases = [
        anonymize("mondrian", frame, quasi_identifiers=pair, drop=other, **roles)
        for pair, other in (pairs, pairs[::-1])
    ]
    first, second = (of_release(one) for one in releases)
    beside = replace(second, earlier=(EarlierRelease("first.csv", first.columns, first.person),))
    ills_of_person = []
    for release_ in releases:
        shown = defaultdict(set)
        for index, ill in zip(release_.class_of, frame["ill"], strict=True):
            shown[int(index)].add(ill)
        assert min(map(len, shown.values())) >= 2
        ills_of_person.append([shown[int(index)] for index in release_.class_of])
    both = zip(*ills_of_person, strict=True)
    crossed = {person for person, sets in enumerate(both) if len(set.intersection(*sets)) == 1}
    assert len(crossed) > 25
    worst = found(beside)[0]
    assert (worst.standing, worst.remedy) == (FindingStanding.BROKEN, Remedy.REUSE_CLASSES)
    # Persons are numbered by the order of their names.
    order = np.argsort(np.array(frame["pid"]))
    assert {int(np.flatnonzero(order == person)[0]) for person in crossed} <= victims(beside)
    # The same release again tells nothing new.
    again = replace(second, earlier=(EarlierRelease("again.csv", second.columns, second.person),))
    assert [finding.standing for finding in found(again)] == [FindingStanding.MET]


def test_no_release_is_registered():
    [finding] = found(PublishedFile(release("x", "aa", ["flu", "cold"])))
    assert finding.standing is FindingStanding.MET
    assert finding.sentence == "no release is registered here"


def test_who_came_has_what_came():
    first = release("x", ["1"] * 3, ["flu", "cold", "gout"])
    second = release("x", ["1"] * 4, ["flu", "cold", "gout", "hiv"])
    assert victims(two(first, second, [0, 1, 2], [0, 1, 2, 3])) == {3}
    # Two that came with two values are not told apart.
    third = release("x", ["1"] * 5, ["flu", "cold", "gout", "hiv", "tbc"])
    assert victims(two(first, third, [0, 1, 2], [0, 1, 2, 3, 4])) == set()


def test_who_left_had_what_is_gone():
    first = release("x", ["1"] * 4, ["flu", "cold", "gout", "hiv"])
    second = release("x", ["1"] * 3, ["flu", "cold", "gout"])
    [finding] = found(two(first, second, [0, 1, 2, -1], [0, 1, 2]))
    assert (finding.standing, finding.hit) == (FindingStanding.BROKEN, 1)
    assert "1 who are in an earlier release only" in finding.sentence
    assert len(finding.victims) == 0


def crossed_pays(pays: Sequence[str]) -> list[tuple[PublishedColumn, ...]]:
    """Return two releases of the pays of 24 people, whose two classes each cross."""
    labels = [str(i % 2) for i in range(24)], [str(i // 12) for i in range(24)]
    return [release(*own, pays, numeric=True) for own in zip("xy", labels, strict=True)]


def test_exact_values_join_rows_and_their_known_columns():
    first, second = crossed_pays([str(1000 + 200 * i) for i in range(24)])
    publication = two(first, second, range(24), list(range(24)))
    [joined] = [one for one in found(publication) if "join" in one.sentence]
    assert (joined.standing, joined.hit, joined.figure) == (FindingStanding.BROKEN, 24, Fraction(1))
    _, second = crossed_pays(["1000", "2000"] * 12)
    publication = two(first, second, range(24), list(range(24)))
    assert not [one for one in found(publication) if "join" in one.sentence]


def test_numbers_that_are_near_are_one_value():
    first = release("x", ["1"] * 3, ["1000", "3000", "9000"], numeric=True)
    second = release(
        "y", ["1", "2", "2", "1", "1"], ["1000", "3000", "9000", "1010", "1020"], numeric=True
    )
    assert 0 in victims(two(first, second, [0, 1, 2], [0, 1, 2, 3, 4]))


def test_people_without_a_column_are_followed_by_labels_at_worst():
    first = release("age", ["[20-29]"] * 3 + ["[30-39]"] * 3, ["flu", "cold", "hiv", "a", "b", "c"])
    second = release("age", ["[25-34]"] * 3, ["flu", "gout", "tbc"])
    [finding] = found(two(first, second, None, [0, 1, 2]))
    expected = (FindingStanding.OPEN, 3, Remedy.CONFIRM)
    assert (finding.standing, finding.hit, finding.remedy) == expected
    apart = release("age", ["[40-49]"] * 3, ["flu", "gout", "tbc"])
    [finding] = found(two(first, apart, None, [0, 1, 2]))
    assert finding.standing is FindingStanding.MET


def test_a_word_that_a_release_lacks_may_stand_for_others():
    lands = [known("land", [name]) for name in ("France", "Europe")]
    assert pair_classes_that_meet(lands[:1], [0], lands[1:], [0]) == [(0, 0)]
    sexes = [known("sex", ["f", "m"])]
    assert pair_classes_that_meet(sexes, [0, 1], sexes, [0, 1]) == [(0, 0), (1, 1)]
    assert labels_meet("{a, ?}", "b")
    # More digits than any number that is read: a word.
    assert labels_meet("7" * 5000, "7" * 5000)
    assert not labels_meet("7" * 5000, "spring")


APART = [("2020-01", "2020-02"), ("2020-Q1", "2020-04"), ("2019", "2020-01"), ("06:00", "07:00")]
APART += [("[08:00-09:00)", "[09:00-10:00)"), ("2020s", "[1980-1999]"), ("B20", "B21"), ("f", "m")]
APART += [("2020-W10", "2020-W11"), ("12*", "130"), ("female", "f")]
MEETING = [
    ("2020-01", "2020-01"),
    ("2020-02", "2020-02-26"),
    ("2020-Q1", "2020-03"),
    ("12-5", "12-5"),
]
MEETING += [("2020-W53", "2021-01"), ("2020-W**", "2020-03"), ("[1980-1999]", "1985-03")]
MEETING += [("[20-25)", "[24-30)"), ("[08:00-09:00)", "[06:00-12:00)"), ("B20.1", "B20")]
MEETING += [
    ("53***", "[53710-53720]"),
    ("25", "young"),
    ("Europe", "Europe, west"),
    ("2020", "2020"),
]


@cases(*((*labels, False) for labels in APART), *((*labels, True) for labels in MEETING))
def test_labels_of_local_recoding_meet_where_one_covers_the_other(first, second, meet):
    assert labels_meet(first, second) == labels_meet(second, first) == meet
    shown = known("when", [first]), known("when", [second])
    # In both releases, so that neither is a word that the other lacks.
    shown = [(replace(own, texts=(*own.texts, first, second)),) for own in shown]
    assert pair_classes_that_meet(shown[0], [0], shown[1], [0]) == [(0, 0)] * meet


def test_a_word_of_a_hierarchy_meets_what_it_stands_for_though_both_releases_show_both():
    lands = [known("land", ["France", "Europe", "Spain", "Asia"])]
    paths = [("France", "Europe", "*"), ("Spain", "Europe", "*"), ("Japan", "Asia", "*")]
    trees = {"land": Taxonomy.from_paths(paths)}
    pairs = pair_classes_that_meet(lands, np.arange(4), lands, np.arange(4), trees)
    assert pairs == [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1), (2, 2), (3, 3)]


@cases("2020-01", "12-5", "[20-30)")
def test_people_of_one_label_are_compared_whatever_it_looks_like(label):
    first = release("when", [label] * 15, ["hiv"] + ["gout"] * 7 + ["burn"] * 7)
    second = release("when", [label] * 15, ["hiv"] + ["flu"] * 7 + ["cold"] * 7)
    [finding] = found(two(first, second, None, range(15)))
    assert finding.standing is FindingStanding.OPEN


@pytest.mark.parametrize("followed", [True, False])
@cases(
    (["1234", "2017", "3311"], ["1200", "5000", "6300"]),
    (["1250", "2010", "3310"], ["1200", "5000", "6300"]),
    (["0.123", "0.5", "0.8"], ["0.12", "0.9", "0.33"]),
    (["2020-01-05", "2021-01-07", "2021-03-05"], ["2020-01", "2022-02", "2022-06"]),
    (["\u20ac 1234", "\u20ac 2017", "\u20ac 3311"], ["\u20ac 1200", "\u20ac 5000", "\u20ac 6300"]),
)
def test_a_secret_that_one_release_rounds_is_crossed_with_the_exact_one(exact, rounded, followed):
    numeric = exact[0][0].isdigit() and "-" not in exact[0]
    sides = [release("x", ["a"] * 3, ill, numeric=numeric) for ill in (exact, rounded)]
    for first, second in (sides, sides[::-1]):
        if followed:
            assert victims(two(first, second, [0, -1, -1], range(3))) == {0}
        else:
            [finding] = found(two(first, second, None, range(3)))
            assert finding.standing is FindingStanding.OPEN


@pytest.mark.parametrize("followed", [True, False])
def test_two_releases_tell_together_what_neither_tells_beside_this_one(followed, monkeypatch):
    """Of thirteen each shares six or seven values with this one, and both together one."""
    ills = [["hiv", *(f"{a}{i}" for a in pair for i in range(6))] for pair in ("ab", "ac", "bd")]
    now, *before = (release("x", ["k"] * 13, ill) for ill in ills)
    whom = np.array([0] + [-1] * 12) if followed else None
    third = known("x", ["k"] * 13), known("y", ["z"] * 13)
    earlier = [EarlierRelease(f"{i}.csv", own, whom) for i, own in enumerate([*before, third])]
    publication = PublishedFile(now, person=np.arange(13), earlier=tuple(earlier))
    for pair in (earlier[:1], earlier[1:]):
        [finding] = found(replace(publication, earlier=tuple(pair)))
        assert finding.standing is FindingStanding.MET
    if followed:
        # Though one of the three does not have the secret.
        assert victims(publication) == {0}
        return
    [finding] = found(publication)
    assert (finding.standing, finding.hit) == (FindingStanding.OPEN, 13)
    monkeypatch.setattr(judged, "MOST_CROSSINGS", 0)
    assert any("all at once" in finding.sentence for finding in found(publication))


def test_more_products_than_may_be_taken_are_left_open(monkeypatch):
    """Three of four stayed: four values times nine, twice."""
    first = release("x", ["a"] * 4 + ["b"] * 4, list("pqrspqrs"))
    second = release("y", ["a"] * 4 + ["b"] * 4, list("pqrtpqrt"))
    publication = two(first, second, [0, 1, 2, -1, 4, 5, 6, -1], range(8))
    monkeypatch.setattr(judged, "MOST_STEPS", 2 * 4 * 3**2)
    sentences = [finding.sentence for finding in found(publication)]
    assert not any("too many people in common" in sentence for sentence in sentences)
    monkeypatch.setattr(judged, "MOST_STEPS", 2 * 4 * 3**2 - 1)
    sentences = [finding.sentence for finding in found(publication)]
    assert any("too many people in common" in sentence for sentence in sentences)


def test_rows_join_by_a_secret_that_one_release_rounds():
    pay = [str(1234 + 1000 * row) for row in range(12)]
    first = (known("town", ["a", "b"] * 6), secret("pay", pay, numeric=True))
    hundreds = [f"{own[:-2]}00" for own in pay]
    second = (known("age", ["1"] * 6 + ["2"] * 6), secret("pay", hundreds, numeric=True))
    whom = range(12)
    sentences = [finding.sentence for finding in found(two(first, second, whom, whom))]
    assert any("rows join by exact values" in sentence for sentence in sentences)


@cases(("HIV", "hiv"), ("HIV", "HIV."), ("5%", "0.05"), ("2020-01-02", "02.01.2020"))
def test_a_secret_that_another_release_writes_otherwise_is_the_same_secret(before, now):
    ours = [before] + ["2021-05-06"] * 2, [now] + ["2022-07-08"] * 2
    first, second = (release("x", ["a"] * 3, ill) for ill in ours)
    assert victims(two(first, second, range(3), range(3))) == {0, 1, 2}
    [finding] = found(two(first, second, None, range(3)))
    assert finding.standing is FindingStanding.OPEN


def test_rows_of_a_person_multiply():
    # Each release leaves two values to each of her visits; together one is left.
    first = release("x", ["1", "1", "2", "2"], ["flu", "cold", "flu", "gout"])
    second = release("y", ["1", "1", "1", "1"], ["flu", "cold", "gout", "hiv"])
    assert victims(two(first, second, [0, 5, 0, 6], [0, 1, 2, 3])) == {0}


def test_a_person_with_too_many_rows_is_not_decided(monkeypatch):
    monkeypatch.setattr(judged, "MOST_CROSSINGS", 3)
    ills = ["flu", "cold", "flu", "cold"]
    first = release("x", ["1", "2", "3", "4"], ills)
    second = release("y", ["1", "2", "3", "4"], ills)
    last = found(two(first, second, [0, 0, 0, 0], [0, 0, 0, 0]))[-1]
    assert last.standing is FindingStanding.OPEN
    assert "publish a row for each person" in last.sentence


def test_a_person_with_ten_thousand_rows():
    rows = 10_000
    ills = [("flu", "cold", "gout")[i % 3] for i in range(rows)]
    first = release("x", [str(i % 7) for i in range(rows)], ills)
    assert found(two(first, first, [0] * rows, [0] * rows))


def test_a_generalized_secret_is_not_decided():
    ill = replace(column(BOTH, "ill", ["{flu, cold}"] * 2), atoms=(("flu", "cold"),))
    first = (known("x", ["1", "1"]), ill)
    [finding] = found(two(first, first, [0, 1], [0, 1]))
    assert finding.standing is FindingStanding.OPEN


@pytest.mark.parametrize("seed", range(by_day(25, at_night=60)))
def test_who_left_classes_that_were_formed_anew_is_certain_in_every_world(seed):
    rng = np.random.default_rng(2000 + seed)
    people, left = 7, 1 + seed % 2
    truth = rng.choice(list("abc"), people)
    inside = [np.arange(people), np.arange(left, people)]
    labels = [rng.permutation([str(i // 4) for i in range(people)]) for _ in inside]
    classes = classes_of(labels, inside, truth)
    every = list(worlds(classes, people, "abc"))
    stays = inside[1]
    releases = [
        release(name, label[who].tolist(), truth[who].tolist())
        for name, label, who in zip("xy", labels, inside, strict=True)
    ]
    publication = two(
        releases[0], releases[1], [-1] * left + [*range(len(stays))], range(len(stays))
    )
    gone = sum(
        finding.hit - len(finding.victims)
        for finding in found(publication)
        if "is certain" in finding.sentence
    )
    alone = {i for has in classes[0] for i in has[0] if len(has[1]) == 1}
    pinned = {i for i in range(left) if len(beliefs(every, i)) == 1} - alone
    assert gone <= len(pinned)
    if left == 1 and not alone:
        # Whatever the classes: the difference of the whole tables is hers.
        assert (gone, pinned) == (1, {0})


def test_margins_of_classes_in_a_chain_are_weighed_by_who_left_which():
    # Classes cross, nobody else moves; the two who left had classes with one of their values each.
    first = release("x", list("11112222"), ["hiv", "a", "b", "c", "flu", "a", "b", "c"])
    second = release("y", list("121212"), ["a", "b", "c", "a", "b", "c"])
    worst = found(two(first, second, [-1, 0, 1, 2, -1, 3, 4, 5], range(6)))[0]
    assert (worst.standing, worst.hit) == (FindingStanding.BROKEN, 2)
    assert (
        "0 of 6 people, and 2 who are in an earlier release only, have a secret that is certain"
        in worst.sentence
    )


def test_a_newcomer_with_two_rows_has_both_values_that_came():
    first = release("x", ["1"] * 6, ["a", "b", "c"] * 2)
    second = release("x", ["1"] * 8, ["a", "b", "c"] * 2 + ["hiv", "flu"])
    assert victims(two(first, second, range(6), [*range(6), 6, 6])) == {6}


MANY = [f"ill {i % 8}" for i in range(400)]


def test_margins_of_people_whom_nobody_follows():
    whole, later = ((secret("ill", ills),) for ills in (MANY, MANY[1:]))
    [finding] = found(two(whole, later, None, range(399)))
    assert finding.standing is FindingStanding.OPEN
    assert "may be found out by subtraction beside first.csv" in finding.sentence
    # The same people again, or quite other ones, tell nothing by their margins.
    for ills in (MANY[::-1], [f"ill {i}" for i in np.random.default_rng(0).integers(0, 8, 400)]):
        again = (secret("ill", ills),)
        [finding] = found(two(whole, again, None, range(len(ills))))
        assert finding.standing is FindingStanding.MET


def test_margins_of_numbers_that_were_rounded_in_other_ways():
    pays = [str(100 * (15 + i % 40)) for i in range(200)]
    coarse = [str(200 * round(int(pay) / 200)) for pay in pays]
    first = release("x", [str(i % 3) for i in range(200)], pays, numeric=True)
    second = release("y", [str(i % 4) for i in range(199)], coarse[1:], numeric=True)
    for whom in (None, [-1, *range(199)]):
        assert found(two(first, second, whom, range(199)))


@pytest.mark.parametrize("gone", [0, 1])
def test_counts_of_a_column_are_subtracted_from_rows(gone):
    counts = known("age", ["[20-29]"] * 400), secret("ill", MANY)
    rows = release("age", [str(i % 5) for i in range(gone, 400)], MANY[gone:])
    earlier = EarlierRelease("counts.csv", counts, counts=True)
    [finding] = found(PublishedFile(rows, earlier=(earlier,)))
    assert finding.standing is (FindingStanding.OPEN if gone else FindingStanding.MET)
    assert ("the counts of counts.csv: leave out what is secret" in finding.sentence) == bool(gone)


def test_counts_of_ranges_are_not_decided():
    earlier = EarlierRelease("counts.csv", (secret("ill", ["[1-9]"] * 20),), counts=True)
    [finding] = found(PublishedFile(release("age", ["1"] * 20, ["3"] * 20), earlier=(earlier,)))
    assert finding.standing is FindingStanding.OPEN
    assert "what that tells beside counts.csv is not computed" in finding.sentence


def test_a_secret_under_another_heading_joins_rows():
    pays = [str(1000 + 100 * (i // 2)) for i in range(60)]
    columns = [known("sex", ["f", "m"] * 30), known("age", [str(i // 20) for i in range(60)])]
    first = (*columns, secret("pay", pays, numeric=True))
    second = (
        columns[0],
        known("zip", [str(i % 3) for i in range(60)]),
        secret("Gehalt", pays, numeric=True),
    )
    # No pay occurs once, but each does among women, and among men.
    [joined] = found(two(first, second, None, range(60)))
    assert (joined.standing, joined.hit) == (FindingStanding.BROKEN, 60)
    assert "beside first.csv, whose pay is Gehalt, whose rows join" in joined.sentence
    drawn = np.random.default_rng(0).choice(pays, 60).tolist()
    quite_another = secret("Miete", drawn, numeric=True)
    few = secret("Miete", pays[:30] * 2, numeric=True)
    names = [
        [one.sentence for one in found(two(first, (*second[:2], other), None, range(60)))]
        for other in (quite_another, few)
    ]
    assert ["Miete" in " ".join(one) for one in names] == [False, False]


def test_a_keyed_receipt_says_classes_and_rows_join_nevertheless():
    first, second = crossed_pays([str(1000 + 200 * i) for i in range(24)])
    # Any row of her class stands for her.
    publication = two(first, second, [(i + 2) % 24 for i in range(24)], range(24))
    [joined] = [one for one in found(publication) if "join" in one.sentence]
    assert joined.hit == 24


def test_what_helps_is_said_of_the_file_that_lacks_it():
    ills = [f"ill {i % 8}" for i in range(399)]
    first, second = (release("x", ["1"] * len(own), own) for own in (MANY, ills))
    asked = two(first, second, None, range(399))
    assert "name a copy that has the column of persons" in found(asked)[0].sentence
    assert "name the column that says" in found(replace(asked, person=None))[0].sentence


READINGS = {
    # Within 5 % of one another, all years are one; of those of this column, they are four.
    "years": (["1950", "1970", "1990", "2010"], ["1950", "1970", "1990", "2010"]),
    # Nobody is sure which of two codes it is, and everybody that it is the same illness.
    "codes": (["B20.0", "B20.1", "C50.0", "C50.1", "D12.0", "D12.1", "E11.0", "E11.1"],) * 2,
    "codes that differ": tuple(
        [f"{code}.{n}" for code in ("B20", "C50", "D12", "E11")] for n in "01"
    ),
    "amounts": tuple([f"€ {pay}000{end}" for pay in "1234"] for end in ("", ".0")),
    "dates": ([f"{year}-{day}" for year in range(1990, 2015, 8) for day in ("01-31", "02-09")],)
    * 2,
    "parts": (["HIV;a", "HIV;b", "flu;c", "flu;d", "gout;e", "gout;f", "acne;g", "acne;h"],) * 2,
}


@pytest.mark.parametrize("reading", READINGS)
def test_what_means_the_same_is_one_value_in_both_releases(reading):
    """Four groups of people, crossed by two releases: each class has two of the four values."""
    first, second = READINGS[reading]
    each = len(first) // 4
    groups = np.repeat(np.arange(4), 20 * each)
    place = groups * each + np.arange(len(groups)) % each
    numbers = tuple(map(Fraction, first)) if reading == "years" else None

    def release(known: np.ndarray, texts: list[str]) -> tuple[PublishedColumn, ...]:
        ill = PublishedColumn("ill", SECRET, place, tuple(texts), numbers)
        return PublishedColumn("zip", KNOWN, known, ("a", "b")), ill

    who = np.arange(len(groups))
    before = EarlierRelease("before", release(groups // 2, first), who)
    shown = PublishedFile(release(groups % 2, second), person=who, earlier=(before,))
    (finding,) = composition(shown, PUBLIC)
    assert finding.standing is FindingStanding.BROKEN, finding.sentence
    assert finding.hit == len(groups)
