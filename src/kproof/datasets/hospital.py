"""Stays in a hospital, made up with a seed: a table with everything that must not be published.

Nobody in it exists. It has what such files have as they are exported: names and numbers of
persons, dates as they are written in the country, times, codes of places, persons who come back,
missing diagnoses, and notes in which somebody wrote what no column should tell.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from kproof.theory.exact.typed import Number, integer

T = TypeVar("T")

_WORDS: dict[str, Any] = json.loads(
    Path(__file__).with_name("hospital.json").read_text(encoding="utf-8")
)
"""Names and places; telephone exchanges that are kept free of subscribers for films and the like,
so that nobody's telephone is in the table; illnesses, each as often as its share says."""

COLUMNS = (
    *("stay", "patient_number", "name", "born", "sex", "postcode", "phone", "email"),
    *("admitted", "discharged", "ward", "diagnosis", "weight_kg", "note"),
)
"""The columns of :func:`hospital`, in their order."""

_FAMILIES, _WOMEN, _MEN, _PLACES = (
    _WORDS[kind].split() for kind in ("families", "women", "men", "places")
)
_EXCHANGES: list[str] = _WORDS["exchanges"]


@dataclass(frozen=True)
class _Illness:
    name: str
    ward: str
    ages: tuple[int, int]
    share: int
    note: str
    sex: str = ""


_ILLNESSES = tuple(_Illness(**illness) for illness in _WORDS["illnesses"])


@dataclass(frozen=True)
class _Patient:
    number: int
    name: str
    sex: str
    born: date
    postcode: str
    phone: str
    email: str


def hospital(rows: Number, *, seed: Number = 0) -> str:
    """Return stays in a hospital as CSV text.

    About one stay in twelve has no diagnosis, one in four may be on any ward, and one patient in
    five stays more than once. The same numbers give the same text on every machine.

    Args:
        rows: Number of stays, 1 to 1,000,000.
        seed: A whole number from 0.

    Returns:
        Comma-separated, with a line of names (:data:`COLUMNS`). Dates of birth and discharge are
        written as DD.MM.YYYY, times of admission as YYYY-MM-DD HH:MM, weights with a point.

    >>> lines = hospital(500, seed=1).splitlines()
    >>> len(lines), lines[0].split(",")[:5]
    (501, ['stay', 'patient_number', 'name', 'born', 'sex'])
    """
    count = integer("rows", rows, least=1, most=1_000_000)
    draw = Random(integer("seed", seed, least=0))
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    write.writerow(COLUMNS)
    for number, row in enumerate(_stays(draw, count), 1):
        write.writerow([f"S{number:07d}", *row])
    return out.getvalue()


def _stays(draw: Random, count: int) -> Iterator[Sequence[object]]:
    # Every draw is part of the table that a seed stands for: one more anywhere changes all that
    # follows.
    patients: list[_Patient] = []
    start = datetime(2025, 1, 1)
    deck = [illness for illness in _ILLNESSES for _ in range(illness.share)]
    wards = sorted({illness.ward for illness in _ILLNESSES})
    for _ in range(count):
        illness = _pick(draw, deck)
        admitted = start + timedelta(minutes=draw.randrange(365 * 24 * 60))
        patient = _pick(draw, patients) if patients and draw.randrange(4) == 0 else None
        age = 0 if patient is None else admitted.year - patient.born.year
        fits = patient is not None and illness.ages[0] <= age <= illness.ages[1]
        if patient is None or not fits or illness.sex not in ("", patient.sex):
            patient = _patient(draw, len(patients) + 1, illness)
            patients.append(patient)
        # Where the own ward is full, a bed elsewhere: no ward gives a diagnosis away by itself.
        ward = _pick(draw, wards) if draw.randrange(4) == 0 else illness.ward
        days = 1 + draw.randrange(4) + draw.randrange(9)
        note = illness.note
        if draw.randrange(15) == 0:
            note = f"{patient.name.split(' ')[0]} {note}; daughter to be called"
        yield (
            f"P{patient.number:06d}",
            patient.name,
            f"{patient.born:%d.%m.%Y}",
            patient.sex,
            patient.postcode,
            patient.phone,
            patient.email,
            f"{admitted:%Y-%m-%d %H:%M}",
            f"{admitted + timedelta(days=days):%d.%m.%Y}",
            ward,
            "" if draw.randrange(12) == 0 else illness.name,
            f"{45 + draw.randrange(60)}.{draw.randrange(10)}",
            note,
        )


def _patient(draw: Random, number: int, illness: _Illness) -> _Patient:
    sex = illness.sex or _pick(draw, "fm")
    first, family = _pick(draw, _WOMEN if sex == "f" else _MEN), _pick(draw, _FAMILIES)
    low, high = illness.ages
    age = low + draw.randrange(high - low + 1)
    born = date(2025 - age, 1, 1) + timedelta(days=draw.randrange(365))
    mail = f"{first}.{family}{number % 97}@example.org".lower()
    return _Patient(
        number=number,
        name=f"{first} {family}",
        sex=sex,
        born=born,
        # The smaller of two draws, so that places differ in size and some are rare enough to single
        # out.
        postcode=_PLACES[min(draw.randrange(len(_PLACES)), draw.randrange(len(_PLACES)))],
        phone=f"{_pick(draw, _EXCHANGES)} {draw.randrange(1000):03d}",
        email=mail if draw.randrange(3) else "",
    )


def _pick(draw: Random, of: Sequence[T]) -> T:
    # Only this way of drawing is the same in every version of Python.
    return of[draw.randrange(len(of))]
