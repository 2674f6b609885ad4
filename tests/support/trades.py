"""Files as twenty trades keep them, in five languages, made up from a seed.

Each trade has three files. A harmless one can be published by a naive setting; every other has a
hazard: something that a reader of the file can use, and that its publisher did not think of.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from hauls import Published
from intruder import Intruder

WORDS = json.loads(Path(__file__).with_name("trade_words.json").read_text(encoding="utf-8"))
HEADS = "name,phone,mail,note,age,born,sex,town,zip,job,household,day,link".split(",")
HAZARDS = (
    "order,pseudonym,notes,repeats,region,raw,weights,close,digest,twice,skew,fills,zips,amounts,stars"
).split(",")
"""What is wrong with the files that are not harmless, in turn; each is explained where it is made."""


@dataclass(frozen=True)
class TradeFile:
    """A table as a trade keeps it, and what only its maker knows of the columns."""

    name: str
    language: str
    hazard: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    person: tuple[int, ...]
    known: tuple[str, ...]
    """Columns that an acquaintance or a roster may know."""
    secret: tuple[str, ...]
    """Columns that nobody knows of another."""
    constant: tuple[str, ...]
    """Secret columns that a person keeps in all rows."""
    names: tuple[str, ...]
    notes: tuple[str, ...]
    link: tuple[str, ...]
    """Pseudonyms and record numbers."""

    @property
    def harmless(self) -> bool:
        return not self.hazard

    def columns(self, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """Return the rows with some columns alone."""
        places = [self.header.index(name) for name in names]
        return tuple(tuple(row[place] for place in places) for row in self.rows)

    def knowledge(self, *, method: str = "", earlier: tuple[Published, ...] = ()) -> Intruder:
        """Return what the intruder knows of this file before she reads what was published."""
        return Intruder(
            self.known,
            self.columns(self.known),
            self.person,
            self.columns(self.names),
            method,
            earlier,
            self.constant,
        )


class _Desk:
    """Makes people and rows of one trade."""

    def __init__(self, trade: str, seed: int) -> None:
        self.language, known, first, second, *amount = WORDS["trades"][trade]
        pack = WORDS["languages"][self.language]
        self.words = {key: text.split(",") for key, text in pack.items() if key != "date"}
        self.date, self.decimal = pack["date"], pack["decimal"]
        self.head = dict(zip(HEADS, self.words["heads"], strict=True))
        self.known = known.split(",")
        (self.illness, values), (self.payer, others) = (text.split(":") for text in (first, second))
        self.values, self.others = values.split(","), others.split(",")
        self.amount, self.low, self.high = amount
        self.rng = random.Random(f"{trade} {seed}")

    def person(self) -> dict[str, str]:
        """Return somebody new; most live in a few towns."""
        rng, words = self.rng, self.words
        given, family = rng.choice(words["given"]), rng.choice(words["family"])
        glue = "" if self.language == "zh" else " "
        age = min(int(rng.triangular(18, 88, 40)), 85)
        town = min(int(rng.expovariate(0.45)), 7)
        digits = [f"{rng.randrange(10**4):04d}" for _ in range(2)]
        return {
            "name": family + given if self.language == "zh" else given + glue + family,
            "family": family + (given if self.language == "zh" else ""),
            "phone": words["phone"][0].format(*digits),
            "mail": f"u{rng.randrange(10**6)}@post.example",
            "age": str(age),
            "born": self.day(date(2023 - age, 1, 1) + timedelta(rng.randrange(365))),
            "sex": rng.choice(words["sexes"]),
            "town": words["towns"][town],
            "zip": f"{town + 1}{int(rng.triangular(0, 40, 6)):02d}{rng.randrange(5)}0"
            + "0" * (self.language == "zh"),
            "job": rng.choice(words["jobs"]),
            "household": str(min(int(rng.expovariate(0.5)) + 1, 6)),
        }

    def day(self, when: date) -> str:
        return when.strftime(self.date)

    def money(self, amount: float) -> str:
        return f"{amount:.2f}".replace(".", self.decimal[0] or ",")

    def visit(self, someone: dict[str, str], at: int) -> dict[str, str]:
        """Return a row about somebody: the columns of the trade, and nothing wrong with them."""
        return someone | {
            "day": self.day(date(2023, 1, 1) + timedelta(at % 365)),
            self.illness: self.rng.choice(self.values),
            self.payer: self.rng.choice(self.others),
            self.amount: self.money(self.low * (self.high / self.low) ** self.rng.random()),
        }


Rows = tuple[list[dict[str, str]], list[int]]


def _visits(desk: _Desk, people: int, times: Callable[[int], int] = lambda who: 1) -> Rows:
    """Return rows of people, in the order of their days."""
    rows = []
    for who in range(people):
        someone = desk.person()
        for _ in range(times(who)):
            at = desk.rng.randrange(365)
            rows.append((at, who, desk.visit(someone, at)))
    rows.sort(key=lambda row: row[:2])
    return [row for _, _, row in rows], [who for _, who, _ in rows]


def _some(desk: _Desk, low: int, high: int) -> Callable[[int], int]:
    return lambda who: desk.rng.randint(low, high)


def _make(desk: _Desk, hazard: str, size: int) -> tuple[Rows, dict[str, Any]]:
    """Return rows with a hazard, and which columns the file has beside those of its trade."""
    rng, extra = desk.rng, dict[str, Any]()
    known = desk.known
    if hazard == "pseudonym":
        # One number for all rows of a person, or of a case; what they are about changes.
        rows, person = _visits(desk, size // 4, _some(desk, 3, 6))
        numbers = rng.sample(range(10**5, 10**6), size)
        cases = 2 - size % 2
        for row, who in zip(rows, person, strict=True):
            row["link"] = f"P{numbers[cases * who + rng.randrange(cases)]}"
        known, extra["link"] = [*known, *({"day"} - {*known})], ["link"]
    elif hazard == "amounts":
        # Two standing payments for each person, to the cent: as good as a pseudonym.
        rows, person = _visits(desk, size // 5, lambda who: 6)
        standing = {
            who: [desk.money(rng.uniform(desk.low, desk.high)) for _ in range(2)]
            for who in set(person)
        }
        for row, who in zip(rows, person, strict=True):
            row[desk.amount] = rng.choice(standing[who])
        known = [*known, *({"day"} - {*known})]
    elif hazard in {"repeats", "weights"}:
        # What somebody has is hers for good; in "weights" all she is known by stays as well.
        most = 4 if hazard == "repeats" else 12
        rows, person = _visits(desk, size // (most // 2 + 2), _some(desk, most // 4, most))
        kept = {who: rng.choice(desk.values) for who in set(person)}
        for row, who in zip(rows, person, strict=True):
            row[desk.illness] = kept[who]
        extra["constant"] = [desk.illness]
        if hazard == "repeats":
            known = [*known, *({"day"} - {*known})]
        else:
            known = [name for name in known if name != "day"]
    elif hazard == "fills":
        # Twelve rows of everybody: a class of twelve rows is a person.
        rows, person = _visits(desk, max(size // 12, 40), lambda who: 12)
        known = [name for name in known if name != "day"]
    else:
        rows, person = _visits(desk, size)
    town = {name: place for place, name in enumerate(desk.words["towns"])}
    for row in rows:
        place = (
            int(row["zip"][0]) - 1 if "zip" in known and "town" not in known else town[row["town"]]
        )
        if hazard in {"region", "stars"}:
            # What everybody of a region has in common, beside a column that varies.
            row[desk.payer] = desk.others[place % len(desk.others)]
        elif hazard == "close":
            # Many amounts, all nearly the same for people of one age.
            row[desk.amount] = desk.money(desk.low * 1.02 ** int(row["age"]) * rng.uniform(1, 1.01))
        elif hazard == "skew" and rng.random() < 0.9:
            row[desk.illness] = desk.values[place % len(desk.values)]
        elif hazard == "zips":
            # Districts, one of a town's with a value that nobody has elsewhere.
            district = rng.randrange(4)
            row["zip"] = f"{place + 1}{district:02d}00"
            row[desk.illness] = rng.choice(desk.values[:-1]) if district else desk.values[-1]
        elif hazard == "digest":
            row["link"] = hashlib.sha1(row["phone"].encode()).hexdigest()[:12]
        elif hazard == "notes":
            note = rng.choice(desk.words["notes"])
            row["note"] = note.format(row["family"], row["phone"], row["mail"])
    if hazard in {"region", "stars", "skew"} and "zip" not in known:
        known = [*known, *({"town"} - {*known})]
    if hazard == "close":
        known = ["age", "sex", "town"]
    if hazard == "zips":
        known = ["zip", "sex"]
    if hazard == "twice":
        known = list(dict.fromkeys([*known, "age", "town", "job", "household", "sex"]))[:6]
    if hazard == "raw":
        known = list(dict.fromkeys([*known, "born", "zip", "sex"]))
    if hazard == "":
        # Few and coarse: what is known of people says nothing of what they have.
        known = [name for name in known if name not in {"day", "born"}][:3]
    extra["known"] = known
    extra.setdefault("link", ["link"] if hazard == "digest" else [])
    extra["note"] = ["note"] if hazard == "notes" else []
    return (rows, person), extra


def make(trade: str, hazard: str, seed: int) -> TradeFile:
    """Return a file of a trade with a hazard, or a harmless one."""
    desk = _Desk(trade, seed)
    size = desk.rng.randint(200, 600) if seed % 5 else desk.rng.randint(900, 1400)
    (rows, person), extra = _make(desk, hazard, size)
    blank = desk.words["blank"][0]
    if seed % 3 == 0 and "job" in extra["known"] and hazard in {"", "order", "notes", "raw"}:
        for row in rows:
            row["job"] = blank if desk.rng.random() < 0.03 else row["job"]
    secret = [desk.illness, desk.payer, desk.amount]
    naming = ["name", "phone", "mail"]
    head = desk.head | {name: name for name in secret}
    keys = [*naming, *extra["link"], *extra["known"], *secret, *extra["note"]]

    def heads(names: list[str]) -> tuple[str, ...]:
        return tuple(head[name] for name in names)

    return TradeFile(
        f"{trade}, {hazard or 'plain'}",
        desk.language,
        hazard,
        heads(keys),
        tuple(tuple(row[key] for key in keys) for row in rows),
        tuple(person),
        heads(extra["known"]),
        heads(secret),
        heads(extra.get("constant", [])),
        heads(naming),
        heads(extra["note"]),
        heads(extra["link"]),
    )


@cache
def _all() -> tuple[TradeFile, ...]:
    made, hazards = [], 0
    for index, trade in enumerate(WORDS["trades"]):
        for copy in range(3):
            hazard = "" if copy == 0 and index < 16 else HAZARDS[hazards % len(HAZARDS)]
            hazards += bool(hazard)
            made.append(make(trade, hazard, 3 * index + copy))
    return tuple(made)


def files() -> Iterator[TradeFile]:
    """Yield the sixty files, always the same ones."""
    yield from _all()
