"""Columns as trades have them: names, notes, diagnoses, towns, goods, codes and places, by seed.

Words are those of ``columns_of_trades.json``, in eight languages and four scripts. Each language
has two lists: detection was tuned on the first, the second is held out. ``columns_of_more_trades``
has three more languages, and kinds of columns that are mostly of things, with two lists, too.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from random import Random

from stdnum import iban, luhn

WORDS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
MORE = json.loads(
    Path(__file__).with_name("columns_of_more_trades.json").read_text(encoding="utf-8")
)
ROWS = 240
OPAQUE = {"tuned": ("x1", "field_7", "v12"), "held": ("col_b", "data3", "q9")}


class Truth(StrEnum):
    """What a column holds, as whoever made it knows."""

    PERSON = "person"
    TEXT = "text"
    SECRET = "secret"
    PLACE = "place of a person"
    HARMLESS = "harmless"


@dataclass(frozen=True)
class TradeColumn:
    """A column of one trade: what it is, what it is called and its cells."""

    what: str
    truth: Truth
    heading: str
    cells: tuple[str, ...]

    @property
    def name(self) -> str:
        """What a message calls it."""
        return f"{self.what} under {self.heading}: {', '.join(dict.fromkeys(self.cells[:3]))}"


def columns_of_trades(group: str) -> list[TradeColumn]:
    """Return the columns of all languages and those of none, of ``"tuned"`` or ``"held"`` words."""
    random = Random(f"trades {group}")
    found = [
        column
        for language, words in WORDS.items()
        for column in _of_language(random, language, _of(words, group), OPAQUE[group])
    ]
    return [*found, *_of_any_language(random, group)]


def columns_of_more_trades(group: str) -> list[TradeColumn]:
    """Return the columns of Turkish, Korean and Hindi, and those of things, of either words."""
    random = Random(f"more trades {group}")
    columns = [
        column
        for language, words in MORE["languages"].items()
        for column in _of_language(random, language, _of(words, group), OPAQUE[group])
    ]
    for line in MORE["kinds"][group == "held"]:
        what, truth, headings, cells = line.split("|")
        values = cells.split(";")
        for heading in headings.split(";"):
            every = (*values, *random.choices(values, k=ROWS - len(values)))
            columns.append(TradeColumn(what, Truth(truth), heading, every))
    return columns


def _of(words: dict[str, list[str]], group: str) -> dict[str, str]:
    return {name: both[group == "held"] for name, both in words.items()}


def _of_language(
    random: Random, language: str, words: dict[str, str], opaque: tuple[str, ...]
) -> Iterator[TradeColumn]:
    given, family = words["given"].split(), words["family"].split()
    named = dict(one.split(": ") for one in words["heads"].split(" ; "))
    heads = {name: one.split("|") for name, one in named.items()}
    notes, ills, towns, goods, jobs = (
        words[name].split("|") for name in ("notes", "ills", "towns", "goods", "jobs")
    )
    joined, apart = "" if language == "zh" else " ", language not in ("zh", "ko")
    titled = {"zh": "{}医生", "ko": "{} 선생님", "hi": "डॉ. {}"}.get(language, "Dr. {}")

    def full() -> str:
        first, last = random.choice(given), random.choice(family)
        return f"{first} {last}" if apart else last + first

    def column(what: str, truth: Truth, heading: str, values: list[str]) -> TradeColumn:
        cells = [random.choice(values) for _ in range(ROWS - len(values))]
        every = [*values, *cells]
        random.shuffle(every)
        return TradeColumn(f"{language} {what}", truth, heading, tuple(every))

    def distinct(count: int) -> list[str]:
        names = {}
        while len(names) < min(count, len(given) * len(family)):
            names[full()] = None
        return list(names)

    person, text, secret, harmless = Truth.PERSON, Truth.TEXT, Truth.SECRET, Truth.HARMLESS
    yield column("names", person, heads["name"][0], distinct(ROWS))
    yield column("names, repeated", person, heads["name"][1], distinct(30))
    yield column("names, repeated", person, opaque[0], distinct(40))
    yield column("names of doctors", person, heads["doctor"][0], distinct(12))
    yield column("names of few", person, opaque[1], distinct(8))
    if not apart:
        doctors = [titled.format(one) for one in family[:8]]
        yield column("doctors", person, heads["doctor"][1], doctors)
    else:
        yield column("surnames", person, heads["doctor"][1], family[:8])
        turned = [f"{last}, {random.choice(given)}" for last in family]
        yield column("surnames first", person, opaque[2], turned)
        yield column("first names", person, opaque[0], given)
        doctors = [titled.format(one) for one in family[:9]]
        yield column("titled surnames", person, opaque[1], doctors)
    number = iter(range(100, 10**6))
    many = [f"{random.choice(notes)}{joined}{next(number)}" for _ in range(200)]
    yield column("notes", text, opaque[0], many)
    yield column("29 notes", text, heads["note"][0], many[:29])
    yield column("few notes", text, opaque[1], notes)
    yield column("few notes", text, heads["note"][1], notes)
    for heading in (*heads["ill"], opaque[2]):
        yield column("diagnoses", secret, heading, ills)
    for line in words["secrets"].split("; "):
        heading, named_so = line.split(": ")
        yield column("secrets", secret, heading, named_so.split("|"))
    for kind, values in (("town", towns), ("good", goods), ("job", jobs)):
        for heading in (*heads[kind], opaque[0]):
            yield column(kind, harmless, heading, values)
    codes = [str(random.randrange(10_000, 99_999)) for _ in range(30)]
    for heading in heads["code"]:
        yield column("postcodes", harmless, heading, codes)
    for heading in heads["visit"]:
        days = [f"2023-{random.randint(1, 12):02}-{random.randint(1, 28):02}" for _ in range(90)]
        yield column("visits", harmless, heading, list(dict.fromkeys(days)))
    for heading in heads["age"]:
        yield column("ages", harmless, heading, [str(age) for age in range(18, 80)])


def _digits(random: Random, shape: str) -> str:
    kinds = {
        "9": lambda: random.choice("0123456789"),
        "A": lambda: random.choice("ABCDEFGHJKLMNPRSTUVWXYZ"),
        "a": lambda: random.choice("abcdefghijkmnopqrstuvwxyz"),
    }
    return "".join(kinds[sign]() if sign in kinds else sign for sign in shape)


SHAPES = {
    "tuned": (
        ("phone", Truth.PERSON, "x1", "+49 30 9999999", 60),
        ("phone", Truth.PERSON, "x1", "(999) 999-9999", 60),
        ("phone of few", Truth.PERSON, "手机", "13999999999", 20),
        ("e-mail", Truth.PERSON, "v12", "aaaaa.aaaa@example.org", 30),
        ("handle", Truth.PERSON, "x1", "@aaaaaaa_99", 40),
        ("address", Truth.PERSON, "field_7", "https://aaaaa.example/aaaa", 40),
        ("plate", Truth.PERSON, "Kennzeichen", "B-AA 9999", 40),
        ("plate", Truth.PERSON, "plate", "AA99 AAA", 40),
        ("VIN", Truth.PERSON, "vin", "WVWZZZ1KZAW999999", 40),
        ("record", Truth.PERSON, "rec_no", "99999", 80),
        ("person", Truth.PERSON, "PID", "9999", 80),
        ("patient", Truth.PERSON, "patient_id", "P-99999", 80),
        ("social security", Truth.PERSON, "x1", "999-99-9999", 80),
        ("passport", Truth.PERSON, "passport no", "A9999999A", 80),
        ("network", Truth.PERSON, "x1", "10.99.99.19", 80),
        ("hash", Truth.PERSON, "x1", "9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a", 80),
        ("ICD", Truth.SECRET, "x1", "A99.9", 40),
        ("salary", Truth.SECRET, "salary", "99999", 200),
        ("article", Truth.HARMLESS, "x1", "SKU-9999", 12),
        ("article", Truth.HARMLESS, "article no", "99.999.99", 30),
        ("room", Truth.HARMLESS, "room", "B 1.19", 12),
        ("price", Truth.HARMLESS, "price", "99.9", 40),
        ("model", Truth.HARMLESS, "model", "AA-199", 15),
        ("minutes", Truth.HARMLESS, "minutes", "99", 60),
    ),
    "held": (
        ("phone", Truth.PERSON, "col_b", "+33 9 99 99 99 99", 60),
        ("phone", Truth.PERSON, "col_b", "0999/9999999", 60),
        ("phone of few", Truth.PERSON, "телефон", "89999999999", 20),
        ("e-mail", Truth.PERSON, "q9", "aa_aaaaa99@mail.example", 30),
        ("handle", Truth.PERSON, "q9", "@aaaa.aaaaa", 40),
        ("address", Truth.PERSON, "data3", "http://www.aaaaa.example/~aaaa", 40),
        ("plate", Truth.PERSON, "matrícula", "9999 AAA", 40),
        ("plate", Truth.PERSON, "car registration", "AA-999-AA", 40),
        ("VIN", Truth.PERSON, "chassis number", "JHMCM56557C999999", 40),
        ("record", Truth.PERSON, "record number", "9999", 80),
        ("person", Truth.PERSON, "病历号", "999999", 80),
        ("patient", Truth.PERSON, "Versichertennr", "A999999999", 80),
        ("social security", Truth.PERSON, "ssn", "999999999", 80),
        ("passport", Truth.PERSON, "numéro de passeport", "99AA99999", 80),
        ("network", Truth.PERSON, "col_b", "192.168.9.19", 80),
        ("hash", Truth.PERSON, "col_b", "9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a", 80),
        ("ICD", Truth.SECRET, "icd", "A99", 40),
        ("salary", Truth.SECRET, "Gehalt", "9999", 200),
        ("article", Truth.HARMLESS, "col_b", "AA9999", 12),
        ("article", Truth.HARMLESS, "item code", "99-9999", 30),
        ("shelf", Truth.HARMLESS, "shelf", "C19", 12),
        ("price", Truth.HARMLESS, "Preis", "9.99", 40),
        ("type", Truth.HARMLESS, "machine type", "A-99", 15),
        ("speed", Truth.HARMLESS, "speed", "99", 60),
    ),
}
"""What it is, what it holds, its heading, its shape, how many differ."""

CATEGORIES = {
    "tuned": {
        "sex": "F M",
        "returning": "yes no",
        "size": "S M L XL",
        "colour": "red green blue black",
        "marital status": "single married divorced widowed",
        "Familienstand": "ledig verheiratet geschieden",
        "education": "none primary secondary college",
        "day": "Mon Tue Wed Thu Fri Sat Sun",
        "性别": "男 女",
        "страна": "Россия Беларусь Казахстан",
    },
    "held": {
        "gender": "female male other",
        "insured": "Y N",
        "grade": "A B C D E",
        "Farbe": "rot gelb grün weiß",
        "état civil": "célibataire marié divorcé veuf",
        "estado civil": "soltero casado viudo",
        "wykształcenie": "podstawowe średnie wyższe",
        "weekday": "Monday Tuesday Friday",
        "婚姻状况": "已婚 未婚 离异",
        "الجنس": "ذكر أنثى",
    },
}


def _of_any_language(random: Random, group: str) -> Iterator[TradeColumn]:
    def column(what: str, truth: Truth, heading: str, values: list[str]) -> TradeColumn:
        cells = [random.choice(values) for _ in range(ROWS)]
        return TradeColumn(what, truth, heading, tuple(cells))

    for what, truth, heading, shape, count in SHAPES[group]:
        values = list({_digits(random, shape): None for _ in range(count)})
        # A first digit is none where a number would lose it.
        if shape.startswith("9") and what != "phone":
            values = [str(random.randint(1, 9)) + one[1:] for one in values]
        yield column(what, truth, heading, values)
    for heading, cells in CATEGORIES[group].items():
        yield column("category", Truth.HARMLESS, heading, cells.split())
    x, y, z = OPAQUE[group]
    heads = [str(random.randrange(10**14, 10**15)) for _ in range(60)]
    yield column("cards", Truth.PERSON, x, [head + luhn.calc_check_digit(head) for head in heads])
    banks = [f"3704004405{random.randrange(10**7, 10**8)}" for _ in range(40)]
    codes = [f"DE{iban.calc_check_digits('DE00' + one)}{one}" for one in banks]
    yield column("IBAN", Truth.PERSON, y, codes)
    spots = [(random.uniform(47, 54), random.uniform(6, 14)) for _ in range(80)]
    for heading, values in {
        x: [f"{lat:.4f}, {lon:.4f}" for lat, lon in spots],
        y: [f"POINT ({lon:.5f} {lat:.5f})" for lat, lon in spots],
        z: [f"32U {random.randrange(300000, 700000)} {int(lat * 110000)}" for lat, _ in spots],
        "geohash": ["u" + _hash(random) for _ in spots],
        "lat" if group == "tuned" else "latitude": [f"{lat:.5f}" for lat, _ in spots],
        "lon" if group == "tuned" else "Längengrad": [f"{lon:.5f}" for _, lon in spots],
    }.items():
        yield column("coordinates", Truth.PLACE, heading, values)


def _hash(random: Random) -> str:
    return "".join(random.choice("0123456789bcdefghjkmnpqrstuvwxyz") for _ in range(7))
