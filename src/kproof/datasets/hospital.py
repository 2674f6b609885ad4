"""Stays in a hospital, made up with a seed: a table with everything that must not be published.

Nobody in it exists. It has what such files have as they are exported: names and numbers of
persons, dates as they are written in the country, times, codes of places, persons who come back,
missing diagnoses, and notes in which somebody wrote what no column should tell.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from random import Random
from typing import TypeVar

from kproof.theory.exact.typed import Number, integer

T = TypeVar("T")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split(" "))


COLUMNS = (
    "stay",
    "patient_number",
    "name",
    "born",
    "sex",
    "postcode",
    "phone",
    "email",
    "admitted",
    "discharged",
    "ward",
    "diagnosis",
    "weight_kg",
    "note",
)
"""The columns of :func:`hospital`, in their order."""

_FAMILIES = _words(
    "Albers Bauer Conrad Demir Ebert Fuchs Graf Hoffmann Ivanov Jansen Keller Lorenz Maurer Novak "
    "Otto Peters Quandt Richter Schmitt Tran Ulrich Vogel Weber Yilmaz Ziegler Arslan Brandt "
    "Dietrich Engel Frank Gruber Horn Kaya Lang Meier Nowak Pohl Roth Sommer Thomas Voigt Winter"
)
_WOMEN = _words(
    "Anna Birgit Clara Derya Elif Frieda Gerda Hanna Ines Jana Katrin Lena Maria Nina Olga Paula "
    "Rosa Sophie Tanja Ute Vera Yvonne"
)
_MEN = _words(
    "Anton Bernd Carl Dennis Emil Felix Georg Hasan Igor Jonas Klaus Lukas Max Nils Oskar Paul "
    "Ralf Simon Tim Uwe Viktor Walter"
)
_PLACES = ("37073", "37075", "37077", "37079", "37081", "37083", "37085", "37120", "37124", "37130")
_EXCHANGES = ("030 23125", "069 90009", "0221 4710", "040 66969")
"""Kept free of subscribers for films and the like, so that nobody's telephone is in the table."""


@dataclass(frozen=True)
class _Illness:
    name: str
    ward: str
    ages: tuple[int, int]
    sex: str = ""
    share: int = 1
    note: str = ""


_ILLNESSES = (
    _Illness("appendicitis", "surgery", (6, 45), share=6, note="laparoscopy without complications"),
    _Illness("hip fracture", "surgery", (65, 97), share=7, note="fell at home"),
    _Illness("breast cancer", "gynaecology", (35, 85), "f", share=5, note="second cycle"),
    _Illness("childbirth", "gynaecology", (17, 45), "f", share=9, note="mother and child well"),
    _Illness("prostate cancer", "urology", (55, 88), "m", share=4, note="asked for a second view"),
    _Illness("kidney stones", "urology", (25, 70), share=4, note="pain under control"),
    _Illness("pneumonia", "medicine", (1, 95), share=9, note="antibiotics for seven days"),
    _Illness("diabetes", "medicine", (20, 90), share=6, note="insulin adjusted"),
    _Illness("heart failure", "medicine", (55, 96), share=8, note="weight every morning"),
    _Illness("HIV", "medicine", (19, 60), share=2, note="treatment started"),
    _Illness("depression", "psychiatry", (16, 80), share=5, note="sleeps badly"),
    _Illness("alcohol dependence", "psychiatry", (20, 75), share=4, note="wants to stop"),
    _Illness("stroke", "neurology", (45, 95), share=6, note="speech returns"),
    _Illness("epilepsy", "neurology", (3, 70), share=3, note="no seizure since Monday"),
)


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
    known: list[_Patient] = []
    start = datetime(2025, 1, 1)
    deck = [illness for illness in _ILLNESSES for _ in range(illness.share)]
    wards = sorted({illness.ward for illness in _ILLNESSES})
    for _ in range(count):
        illness = _one(draw, deck)
        admitted = start + timedelta(minutes=draw.randrange(365 * 24 * 60))
        patient = _one(draw, known) if known and draw.randrange(4) == 0 else None
        age = 0 if patient is None else admitted.year - patient.born.year
        fits = patient is not None and illness.ages[0] <= age <= illness.ages[1]
        if patient is None or not fits or illness.sex not in ("", patient.sex):
            patient = _patient(draw, len(known) + 1, illness)
            known.append(patient)
        # Where the own ward is full, a bed elsewhere: no ward gives a diagnosis away by itself.
        ward = _one(draw, wards) if draw.randrange(4) == 0 else illness.ward
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
    sex = illness.sex or _one(draw, "fm")
    first, family = _one(draw, _WOMEN if sex == "f" else _MEN), _one(draw, _FAMILIES)
    low, high = illness.ages
    age = low + draw.randrange(high - low + 1)
    born = date(2025 - age, 1, 1) + timedelta(days=draw.randrange(365))
    mail = f"{first}.{family}{number % 97}@example.org".lower()
    return _Patient(
        number=number,
        name=f"{first} {family}",
        sex=sex,
        born=born,
        postcode=_PLACES[min(draw.randrange(len(_PLACES)), draw.randrange(len(_PLACES)))],
        phone=f"{_one(draw, _EXCHANGES)} {draw.randrange(1000):03d}",
        email=mail if draw.randrange(3) else "",
    )


def _one(draw: Random, of: Sequence[T]) -> T:
    # Only this way of drawing is the same in every version of Python.
    return of[draw.randrange(len(of))]
