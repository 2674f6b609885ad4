"""Tables that are made up: the same on every machine, and with what such files have."""

import csv
import io
from collections import defaultdict
from datetime import datetime, timedelta
from hashlib import sha256

import pytest
from cases import cases

from kproof.cli import main
from kproof.datasets.hospital import COLUMNS, hospital
from kproof.errors import InvalidArgument


def test_the_same_seed_gives_the_same_stays():
    assert sha256(hospital(1000, seed=4).encode()).hexdigest()[:16] == "55c4cbb8d9b74f83"
    assert hospital(50, seed=4) == "\n".join(hospital(1000, seed=4).split("\n")[:51]) + "\n"
    assert hospital(50, seed=5) != hospital(50, seed=4)


def test_stays_have_what_a_hospital_exports():
    rows = list(csv.DictReader(io.StringIO(hospital(3000, seed=1))))
    assert tuple(rows[0]) == COLUMNS
    assert len({row["stay"] for row in rows}) == len(rows) == 3000
    stays = defaultdict(list)
    for row in rows:
        admitted = datetime.strptime(row["admitted"], "%Y-%m-%d %H:%M")
        discharged = datetime.strptime(row["discharged"], "%d.%m.%Y")
        born = datetime.strptime(row["born"], "%d.%m.%Y")
        assert born < admitted < discharged + timedelta(days=1)
        stays[row["patient_number"]].append(row)
    # What is known of a person is the same whenever they come.
    of_person = ("name", "born", "sex", "postcode", "phone", "email")
    for again in stays.values():
        assert len({tuple(row[name] for name in of_person) for row in again}) == 1
    assert sum(len(again) > 1 for again in stays.values()) > 200
    missing = sum(not row["diagnosis"] for row in rows)
    assert 150 < missing < 350
    assert len([row for row in rows if row["name"].split(" ")[0] in row["note"]]) > 100


@cases((0, 0, "rows"), ("2.5", 0, "rows"), (3, -1, "seed"))
def test_bad_numbers_are_named(rows, seed, name):
    with pytest.raises(InvalidArgument, match=f"^{name} = "):
        hospital(rows, seed=seed)  # type: ignore[arg-type]


def test_the_command_prints_a_table(capsys):
    assert main(["datasets", "hospital", "--rows", "7", "--seed", "2"]) == 0
    assert capsys.readouterr().out == hospital(7, seed=2)
    for words in (["table-1a", "--rows", "7"], ["hospital", "--json"], ["hospitals"]):
        assert main(["datasets", *words]) == 2
        assert capsys.readouterr().err.count("\n") == 1
