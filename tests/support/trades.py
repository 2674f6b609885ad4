"""Files as twenty trades keep them, in five languages, made up from a seed.

Each trade has three files. A harmless one can be published by a naive setting; every other has a
hazard: something that a reader of the file can use, and that its publisher did not think of.
"""

import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import cycle
from pathlib import Path

from hauls import Published
from intruder import Intruder
from nights import by_day

WORDS = json.loads(Path(__file__).with_name("trade_words.json").read_text(encoding="utf-8"))
HEADS = ["name", "phone", "mail", "note", "age", "born", "sex", "town", "zip", "job", "household"]
HEADS += ["day", "link"]
HAZARDS = {
    "order": {},
    "pseudonym": {"visits": (3, 6), "known": "day"},
    "notes": {},
    "repeats": {"visits": (2, 4), "known": "day"},
    "region": {"known": "town"},
    "raw": {"known": "born zip sex"},
    "weights": {"visits": (1, 12), "unknown": "day"},
    "close": {"known": "age sex town", "unknown": "zip job day"},
    "digest": {},
    "twice": {"known": "age town job sex"},
    "skew": {"known": "town", "unknown": "age household"},
    "fills": {"visits": (12, 12), "unknown": "day"},
    "zips": {"known": "zip sex", "unknown": "age town job born household day"},
    "amounts": {"visits": (6, 6), "known": "day"},
    "stars": {"known": "town"},
    "": {"unknown": "day born"},
}
"""What is wrong with files: least and most rows of a person, and what is known beside the usual.

A harmless file has no hazard: what is known of people is coarse, and says nothing of the rest.
"""


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


def _spoil(desk: _Desk, hazard: str, rows: list[dict[str, str]], person: list[int]) -> None:
    """Put a hazard into rows."""
    rng, cases = desk.rng, len(rows) % 2
    numbers = rng.sample(range(10**5, 10**6), 2 * len(rows))
    money = [desk.money(rng.uniform(desk.low, desk.high)) for _ in range(2 * len(rows))]
    kept = [rng.choice(desk.values) for _ in rows]
    for row, who in zip(rows, person, strict=True):
        place, either = int(row["zip"][0]) - 1, rng.randrange(2)
        if hazard == "pseudonym":
            # One number for all rows of a person, or of a case; what they are about changes.
            row["link"] = f"P{numbers[2 * who + either * cases]}"
        elif hazard == "amounts":
            # Two standing payments for each person, to the cent: as good as a pseudonym.
            row[desk.amount] = money[2 * who + either]
        elif hazard in {"repeats", "weights"}:
            # What somebody has is hers for good; in "weights" all she is known by stays as well.
            row[desk.illness] = kept[who]
        elif hazard in {"region", "stars"}:
            # What everybody of a region has in common, beside a column that varies.
            row[desk.payer] = desk.others[place % len(desk.others)]
        elif hazard == "close":
            # Many amounts, all nearly the same for people of one age.
            amount = desk.low * 1.02 ** int(row["age"]) * rng.uniform(1, 1.01)
            row[desk.amount] = desk.money(amount)
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
        elif hazard in {"", "order", "raw"} and rng.random() < 0.02:
            row["job"] = desk.words["blank"][0]


def make(trade: str, hazard: str, seed: int) -> TradeFile:
    """Return a file of a trade with a hazard, or a harmless one."""
    desk, wrong = _Desk(trade, seed), HAZARDS[hazard]
    size = desk.rng.randint(200, 600) if seed % 5 else desk.rng.randint(900, 1400)
    least, most = wrong.get("visits", (1, 1))
    visits = []
    for who in range(max(2 * size // (least + most), 40)):
        someone = desk.person()
        for _ in range(desk.rng.randint(least, most)):
            at = desk.rng.randrange(365)
            visits.append((at, who, desk.visit(someone, at)))
    # Rows stand in the order of their days, as they came in.
    visits.sort(key=lambda visit: visit[:2])
    person, rows = [who for _, who, _ in visits], [row for _, _, row in visits]
    _spoil(desk, hazard, rows, person)
    known = dict.fromkeys([*desk.known, *wrong.get("known", "").split()])
    known = [name for name in known if name not in wrong.get("unknown", "")][: 6 if hazard else 3]
    secret, naming = [desk.illness, desk.payer, desk.amount], ["name", "phone", "mail"]
    link = [name for name in ["link"] if name in rows[0]]
    note = [name for name in ["note"] if name in rows[0]]
    keys = [*naming, *link, *known, *secret, *note]

    def heads(names: list[str]) -> tuple[str, ...]:
        return tuple(desk.head.get(name, name) for name in names)

    return TradeFile(
        *(f"{trade}, {hazard or 'plain'}", desk.language, hazard, heads(keys)),
        *(tuple(tuple(row[key] for key in keys) for row in rows), tuple(person)),
        *(heads(known), heads(secret)),
        heads([desk.illness] if hazard in {"repeats", "weights"} else []),
        *(heads(naming), heads(note), heads(link)),
    )


@cache
def _sixty() -> list[tuple[str, str, int]]:
    """Return what each file is made of: a trade, a hazard and a seed."""
    hazards = cycle(hazard for hazard in HAZARDS if hazard)
    return [
        (trade, "" if copy == 0 and index < 16 else next(hazards), 3 * index + copy)
        for index, trade in enumerate(WORDS["trades"])
        for copy in range(3)
    ]


@cache
def _file(place: int) -> TradeFile:
    return make(*_sixty()[place])


def files() -> Iterator[TradeFile]:
    """Yield the sixty files, always the same ones."""
    yield from map(_file, range(len(_sixty())))


def files_of_day() -> Iterator[TradeFile]:
    """Yield a file of each trade by day, all at night.

    Each of the fifteen hazards is in one of the twenty; five are harmless, and three are large.
    """
    copies = "01002101112102112000"
    by_trade = [3 * trade + int(copy) for trade, copy in enumerate(copies)]
    yield from map(_file, by_day(by_trade, at_night=list(range(3 * len(copies)))))
