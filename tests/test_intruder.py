"""The intruder breaks what naive publishers make of real trades' files, and nothing harmless."""

import itertools
from collections import Counter

import numpy as np
import pytest
from assignments import possible, shared_out
from cases import cases
from hauls import Haul, Published, Score, score
from intruder import TECHNIQUES, Intruder, attack
from naive import publish
from printed_labels import Values
from trades import TradeFile, files, files_of_day

ONLY = {
    "singling": "pharmacy, raw",
    "propagation": "survey, stars",
    "order": "hospital stays, order",
    "pseudonyms": "taxi fares, pseudonym",
    "amounts": "police records, amounts",
    "persons": "exit interviews, repeats",
    "weights": "library loans, weights",
    "minimality": "school marks, zips",
    "earlier": "bank transactions, twice",
    "digests": "bank transactions, digest",
    "homogeneity": "pharmacy, region",
    "windows": "hotel guests, close",
    "bets": "telecom, skew",
    "sets": "payroll, fills",
    "names": "clinic visits, notes",
}
"""For each technique a file that falls to it alone."""


def outcome(file: TradeFile, *, without: str = "") -> Score:
    published, method, earlier = publish(file)
    knowledge = file.knowledge(method=method, earlier=earlier)
    haul = attack(published, knowledge, without=frozenset({without}))
    source = Published(file.header, file.rows)
    return score(haul, source, file.person, file.secret, (*file.names, *file.notes))


def test_the_files_are_of_many_trades_languages_and_shapes():
    made = list(files())
    assert len({file.name for file in made}) == len(made) == 60
    assert len({file.name.split(",")[0] for file in made}) == 20
    assert {file.language for file in made} == {"en", "de", "fr", "es", "zh"}
    assert sum(file.harmless for file in made) == 16
    assert {len(file.known) for file in made} == {2, 3, 4, 5, 6}
    assert all(150 <= len(file.rows) <= 1500 for file in made)
    assert max(max(Counter(file.person).values()) for file in made) == 12


def test_naive_releases_break_where_there_is_a_hazard_and_only_there():
    """All 44 with a hazard fall, none of the 16 harmless ones, and what is certain is right."""
    results = {file: outcome(file) for file in files_of_day()}
    assert [file.name for file in results if results[file].broken == file.harmless] == []
    assert {file.name: results[file].wrong for file in results if results[file].wrong} == {}


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_each_technique_breaks_a_file_that_no_other_breaks(technique):
    file = next(file for file in files() if file.name == ONLY[technique])
    assert not outcome(file, without=technique).broken


LABELS = {
    "[20-30]": "20,30", "(20, 30]": "30", "[20,30)": "20", "20–40": "20,30,40", "20 to 35": "20,30",
    "{20, 41}": "20,41", "{40; 41}": "40,41", "4*": "40,41", "<30": "20", "≥40": "40,41",
    "40+": "40,41", "*": "20,30,40,41", "41": "41", "adult": "20,30,40,41",
}  # fmt: skip
DAYS = {
    "[01.02.2020 – 31.12.2020]": "03.02.2020,15.11.2020", "2020-Q1": "03.02.2020",
    "2020": "03.02.2020,15.11.2020", "1990s": "07.07.1991", "2020-02": "03.02.2020",
    "11.2020": "15.11.2020", "[1980-1999]": "07.07.1991", "2020年2月": "03.02.2020",
    "2020-W06": "03.02.2020",
}  # fmt: skip
WORDS = {"{Köln, Süd, Ulm}": "Köln, Süd,Ulm", "[Bonn-Ulm]": "Bonn,Köln, Süd,Ulm", "B*": "Bonn"}


@cases(
    (["20", "30", "40", "41"], LABELS),
    (["03.02.2020", "15.11.2020", "07.07.1991"], DAYS),
    (["Bonn", "Köln, Süd", "Ulm"], WORDS),
    ids=["numbers", "dates", "words"],
)
def test_labels_of_any_usual_form_are_understood(values, cases):
    column = Values(values)
    for label, meaning in cases.items():
        assert ",".join(itertools.compress(values, column.mask(label))) == meaning, label


def test_rounded_numbers_and_decimal_commas_are_understood():
    pairs = Values(["1.234,56", "1.261,00", "980,10"]).pairs(["1200", "1000", "1300"])
    assert pairs.tolist() == [[True, False, True], [True, False, True], [False, True, False]]


def test_pairs_of_some_assignment_are_those_of_brute_force():
    rng = np.random.default_rng(1)
    for _ in range(150):
        published = int(rng.integers(2, 5))
        people = published + int(rng.integers(0, 3))
        may = rng.random((people, published)) < 0.55
        sure, spare = np.zeros_like(may), np.zeros(people, dtype=bool)
        for rows in itertools.permutations(range(people), published):
            if may[rows, range(published)].all():
                sure[rows, range(published)] = True
                spare |= ~np.isin(range(people), rows)
        pairs, left = possible(may)
        assert np.array_equal(pairs, sure if sure.any() else may)
        assert np.array_equal(left, spare) or not sure.any()


def test_rows_of_people_are_shared_out_as_by_brute_force():
    rng = np.random.default_rng(2)
    for _ in range(60):
        person = np.repeat(np.arange(5), rng.integers(1, 5, 5))
        codes = rng.permutation(np.unique(rng.integers(0, 3, 5), return_inverse=True)[1][person])
        worlds = [
            world
            for world in itertools.product(range(codes.max() + 1), repeat=5)
            if np.array_equal(np.sort(np.array(world)[person]), np.sort(codes))
        ]
        likely = shared_out(np.ones((len(person), len(person)), dtype=bool), person, codes)
        for owner in range(5):
            share = np.bincount([world[owner] for world in worlds], minlength=codes.max() + 1)
            assert likely[owner] == pytest.approx(share / len(worlds))


def test_certainty_about_small_tables_is_that_of_brute_force():
    """Everybody once, labels that overlap: she pins whom all possible worlds agree on, no more."""
    rng = np.random.default_rng(3)
    pins = 0
    for _ in range(200):
        size = int(rng.integers(3, 7))
        ages = rng.integers(20, 26, size)
        ills = rng.choice(["flu", "gout", "asthma"], size).tolist()
        ends = zip(ages - rng.integers(0, 3, size), ages + rng.integers(0, 3, size), strict=True)
        cells = [f"[{low}-{high}]" for low, high in ends]
        rows = tuple((cells[at], ills[at]) for at in rng.permutation(size))
        roster = tuple((str(age),) for age in ages)
        knowledge = Intruder(("age",), roster, tuple(range(size)))
        haul = attack(Published(("age", "ill"), rows), knowledge, without=frozenset({"order"}))
        bounds = [cell.strip("[]").split("-") for cell, _ in rows]
        agreed: list[set[str]] = [set() for _ in ages]
        for order in itertools.permutations(range(size)):
            if all(
                int(bounds[at][0]) <= age <= int(bounds[at][1])
                for age, at in zip(ages, order, strict=True)
            ):
                for values, at in zip(agreed, order, strict=True):
                    values.add(rows[at][1])
        certain = {
            (row, *values)
            for row, values in enumerate(agreed)
            if len(values) == 1 and 2 * ills.count(min(values)) <= size
        }
        assert {(claim.rows[0], *claim.values) for claim in haul.pins} == certain
        pins += len(certain)
    assert pins > 100


def test_a_claim_that_fits_more_than_half_of_all_or_is_wrong_is_no_pin():
    file = Published(("age", "ill"), (("20", "flu"), ("30", "flu"), ("40", "flu"), ("50", "gout")))
    knowledge = Intruder(("age",), (("20",), ("30",), ("40",), ("50",)), (0, 1, 2, 3))
    haul = attack(file, knowledge)
    result = score(haul, file, knowledge.person, ["ill"], [])
    assert (result.pinned, result.wrong, len(result.singled)) == ({3}, 0, 4)
    lied = Published(file.header, (*file.rows[:3], ("50", "flu")))
    result = score(haul, lied, knowledge.person, ["ill"], [])
    assert (result.pinned, result.wrong) == (frozenset(), 1)


def test_names_are_found_in_sets_in_sentences_and_without_a_roster():
    cells = ["{call Mrs Whitcombe; paid}", "écrire à u12@post.example", "0228 12345678", "张伟来电"]
    file = Published(("ill", "note"), tuple(("flu", cell) for cell in cells))
    roster = Intruder((), ((),) * 4, (0, 1, 2, 3), (("张伟",),) * 4)
    named = {"Mrs Whitcombe", "u12@post.example", "0228 12345678", "张伟"}
    assert attack(file, roster).names == named


def test_nothing_published_tells_nothing():
    knowledge = Intruder(("age",), (("20",), ("30",)), (0, 1))
    assert attack(Published(("age", "ill"), ()), knowledge) == Haul()
