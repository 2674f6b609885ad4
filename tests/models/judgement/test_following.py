"""What several known columns tell of a secret: differences, sums, pairs of categories, formulas."""

from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import publications
import pytest
from publications import KNOWN, SECRET
from safe_path import publish

from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn, PublishedFile
from kproof.models.judgement.secrets import following as following_module
from kproof.models.judgement.secrets.beliefs import SecretValues
from kproof.models.judgement.secrets.following import KnownMeasure, find_following
from kproof.models.judgement.secrets.formulas import fit_formula
from kproof.models.judgement.thresholds import THRESHOLDS, Audience

Told = tuple[list[Any], dict[str, list[Any]]]
"""The cells of a secret, and those of known columns by name."""
PUBLIC = THRESHOLDS[Audience.PUBLIC]
DAY = date(2024, 1, 1)


def column(name: str, cells: list[Any], knowledge: ColumnKnowledge = KNOWN) -> PublishedColumn:
    whole = all(isinstance(cell, (int, np.integer)) for cell in cells)
    return publications.column(knowledge, name, cells, numeric=whole)


def told(secret: list[Any], **known: list[Any]) -> list[str]:
    """Return what is found of a secret beside known columns that are not published."""
    shown = PublishedFile(
        (column("it", secret, SECRET),),
        left_out=tuple(column(name, cells) for name, cells in known.items()),
        source_row=np.arange(len(secret)),
    )
    return [finding.sentence for finding in find_following(shown, PUBLIC)]


def stays(rng: np.random.Generator, rows: int) -> Told:
    came = [DAY + timedelta(int(day)) for day in rng.integers(0, 365, rows)]
    days = rng.integers(1, 40, rows)
    left = [day + timedelta(int(length)) for day, length in zip(came, days, strict=True)]
    return days.tolist(), {"admitted": [*came], "discharged": [*left]}


def bills(rng: np.random.Generator, rows: int, noise: float = 0.0) -> Told:
    days, known = stays(rng, rows)
    factors = rng.uniform(1 - noise, 1 + noise, rows)
    return [round(420 * day * own + 150) for day, own in zip(days, factors, strict=True)], known


def grades(rng: np.random.Generator, rows: int) -> Told:
    department, shift = rng.integers(0, 6, rows), rng.integers(0, 6, rows)
    table = np.array([np.roll(np.arange(6), line) for line in range(6)])
    known = {"department": [f"d{d}" for d in department], "shift": [f"s{s}" for s in shift]}
    return [f"G{grade}" for grade in table[department, shift]], known


def rents(rng: np.random.Generator, rows: int) -> Told:
    area, district = rng.integers(20, 120, rows), rng.integers(0, 8, rows)
    price = np.array([6, 8, 10, 13, 17, 22, 29, 38])
    known = {"area": area.tolist(), "district": [f"D{d}" for d in district]}
    return (area * price[district]).tolist(), known


def salaries(rng: np.random.Generator, rows: int) -> Told:
    age, tenure, hours = (rng.integers(*ends, rows) for ends in ((20, 65), (0, 30), (10, 41)))
    pay = (12_000 + 300 * age + 900 * tenure) * hours // 40
    known = {"age": age.tolist(), "tenure": tenure.tolist(), "hours": hours.tolist()}
    return pay.tolist(), known


def wards(rng: np.random.Generator, rows: int) -> Told:
    """So many pairs of categories that few people have no neighbour in any."""
    floor, wing = rng.integers(0, 30, rows), rng.integers(0, 25, rows)
    table = rng.integers(0, 9, (30, 25))
    known = {"floor": [f"f{f}" for f in floor], "wing": [f"w{w}" for w in wing]}
    return [f"W{ward}" for ward in table[floor, wing]], known


def bands(rng: np.random.Generator, rows: int) -> Told:
    """A category by the length of stay, which is no number that a formula could be fitted to."""
    days, known = stays(rng, rows)
    return [f"band {day // 5}" for day in days], known


TOLD = {
    bills: ("discharged less admitted", 100),
    bands: ("discharged less admitted", 100),
    grades: ("department and shift", 300),
    rents: ("area and district", 300),
    wards: ("floor and wing", 900),
    salaries: ("a formula in age, tenure, hours", 300),
}


@pytest.mark.parametrize("rows", [None, 900, 6000])
@pytest.mark.parametrize("make", TOLD, ids=lambda make: make.__name__)
def test_what_a_known_pair_or_a_formula_gives_is_found(make, rows):
    how, fewest = TOLD[make]
    secret, known = make(np.random.default_rng(1), rows or fewest)
    [sentence] = told(secret, **known)
    assert all(name in sentence for name in known)
    if make is not rents:
        for word in (" less ", " and ", "formula"):
            assert (word in sentence) == (word in how)


def test_a_bill_with_a_little_noise_is_found_and_one_with_much_is_not():
    for noise, broken in ((0.01, True), (0.6, False)):
        secret, known = bills(np.random.default_rng(2), 2000, noise)
        assert bool(told(secret, **known)) is broken


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rows", [40, 150, 1000])
def test_nothing_is_found_by_chance(seed, rows):
    """Twelve known columns of every kind, and a secret that has little to do with any."""
    rng = np.random.default_rng(seed)
    known = {
        **{f"n{place}": rng.integers(0, 10 ** (place + 1), rows).tolist() for place in range(5)},
        **{
            f"c{size}": [f"v{v}" for v in rng.integers(0, size, rows)] for size in (2, 5, 9, 16, 30)
        },
        **stays(rng, rows)[1],
    }
    age = rng.integers(20, 65, rows)
    pay = np.round(20_000 + 300 * age + rng.normal(0, 8000, rows)).astype(int)
    assert told(pay.tolist(), age=age.tolist(), **known) == []
    assert told([f"ill {v}" for v in rng.integers(0, 30, rows)], **known) == []
    assert told([f"yes {v}" for v in rng.random(rows) < 0.1], **known) == []


@pytest.mark.parametrize("seed", range(40))
def test_neighbours_are_those_of_a_plain_count(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 13))
    cell, number = rng.integers(-1, 3, rows), rng.permutation(rows).astype(float)
    secret = column("it", rng.integers(1, 6, rows).tolist(), SECRET)
    values = SecretValues.of(secret, PUBLIC.window)
    everybody = np.arange(rows)
    seen = following_module._neighbours(KnownMeasure("it", cell, number), secret, values, everybody)
    there = sorted((cell[row], number[row], row) for row in everybody if cell[row] >= 0)
    pairs = [(one[2], other[2]) for one, other in pairwise(there) if one[0] == other[0]]
    of_row = [int(secret.texts[code]) for code in secret.codes]
    same = [abs(of_row[one] - of_row[other]) * 20 <= of_row[one] for one, other in pairs]
    assert (seen.pairs, seen.agreeing) == (len(pairs), sum(same))


def test_a_formula_with_as_many_amounts_as_people_tells_the_others_nothing():
    rng = np.random.default_rng(3)
    known = [column(f"n{place}", rng.integers(0, 1000, 60).tolist()) for place in range(12)]
    secret = column("it", rng.integers(1000, 9000, 60).tolist(), SECRET)
    formula = fit_formula(known, secret, np.arange(60))
    assert formula is None or formula.fitted.sum() == 30


def test_numbers_beyond_all_floats_are_judged_by_their_order():
    far, near = ([end, -(end // 2), *range(58)] for end in (10**330, 10**6))
    pays = [*range(0, 600, 10)]
    assert told(pays, age=far) == told(pays, age=near) != []
    assert told(far, code=[*range(60)]) == told(near, code=[*range(60)])
    assert column("it", far, SECRET).floats[:3].tolist() == [1e150, -1e150, 0.0]


def source_of(folder: Path, rows: int) -> str:
    rng = np.random.default_rng(4)
    bill, known = bills(rng, rows)
    lines = ["age,admitted,discharged,bill,ill"]
    for age, came, left, owed in zip(
        rng.integers(18, 90, rows), known["admitted"], known["discharged"], bill, strict=True
    ):
        lines.append(f"{age},{came},{left},{owed},{rng.choice([*'abcdef'])}")
    path = folder / "stays.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("blind", [False, True])
def test_who_looks_at_one_column_at_a_time_publishes_bills(tmp_path, blind, monkeypatch):
    if blind:
        monkeypatch.setattr(following_module, "_together", lambda *_: ())
    roles = {"quasi_identifiers": ["age", "admitted", "discharged"], "sensitive": ["bill", "ill"]}
    release = publish(source_of(tmp_path, 900), **roles, rows_are_people=True)
    assert release.judgement.green
    assert ("bill" in [column.name for column in release.columns]) is blind
    assert ("bill follows from discharged less admitted" in " ".join(release.notes)) is not blind
