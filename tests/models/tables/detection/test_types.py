"""Types of columns: what their values show, and what chance shows as often."""

from random import Random

from cases import cases
from stdnum import luhn

from kproof.models.tables.detection.headings import scale
from kproof.models.tables.detection.shapes import FORMATS, check_digits
from kproof.models.tables.detection.types import ColumnType, detect

RANDOM = Random(3)
CARDS = [
    head + luhn.calc_check_digit(head)
    for head in (str(RANDOM.randrange(10**14, 10**15)) for _ in range(60))
]
SIXTEEN = [str(RANDOM.randrange(10**15, 10**16)) for _ in range(400)]
TEN = [str(RANDOM.randrange(10**9, 10**10)) for _ in range(400)]
WORDS = ["came", "with", "pain", "and", "cough", "at", "night", "went", "home", "again"]


def kind(heading: str, texts: list[str], *, unique: bool = False) -> str:
    rows = len(texts) * (1 if unique else 5)
    return detect(heading, texts, present=rows, alone=rows if unique else 0).type.value


@cases(
    ("a", ["1", "2.5", "-3"], False, "number"),
    ("a", ["1,5", "22,7"], False, "number"),
    ("a", ["007", "042", "113"], False, "code"),
    ("zip", ["53706", "53703", "60601"], False, "code"),
    ("diagnosis", ["E11.9", "I10.0", "J45.0", "C50.9"], False, "code of a disease"),
    ("a", [f"MRN{i}" for i in range(1000, 1060)], True, "identifier"),
    ("a", [str(i) for i in range(500)], True, "identifier"),
    ("a", TEN, True, "identifier"),
    ("salary", [str(20_000 + 137 * i) for i in range(50)], False, "number"),
    ("a", CARDS, False, "identifier"),
    ("a", SIXTEEN, False, "identifier"),
    ("a", TEN, False, "identifier"),
    ("mobile", TEN, False, "phone"),
    ("MSISDN", [f"+49{text}" for text in TEN], False, "phone"),
    ("a", [f"+49 30 {text}" for text in TEN], True, "phone"),
    ("a", [f"p{i}@example.org" for i in range(9)], False, "e-mail"),
    ("a", ["123-45-6789", "987-65-4321"], False, "identifier"),
    ("a", ["low", "high", "medium"], False, "ordered text"),
    ("a", ["I", "II", "IV"], False, "ordered text"),
    ("a", ["ASA 1", "ASA 2", "ASA 3"], False, "ordered text"),
    ("a", ["0-9", "10-19", ">=20"], False, "ordered text"),
    ("a", ["flu", "HIV", "asthma"], False, "category"),
    ("a", ["2020-01-31", "2021-12-01"], False, "date"),
    ("a", ["1999", "2001", "2004", "2010"], False, "period"),
    ("surname", ["Müller", "O'Neill", "van Dyk", "Şahin"], False, "name"),
    ("a", [f"Anna {a}{b}e" for a in "BCDFG" for b in "aeiou"], True, "name"),
    ("a", ["Acute Bronchitis", "Hip Fracture", "Kidney Stones"], False, "category"),
    ("a", [" ".join(RANDOM.choices(WORDS, k=7)) + f" {i}" for i in range(60)], True, "free text"),
    ("home address", [f"Long Lane {i}" for i in range(60)], True, "identifier"),
    ("a", [], False, "empty"),
)
def test_types(heading, texts, unique, expected):
    assert kind(heading, texts, unique=unique) == expected


def test_a_format_is_named_only_if_chance_would_not_do_it():
    assert check_digits(SIXTEEN) is None
    checksum = check_digits(CARDS)
    assert checksum.startswith("a credit card number by its check digit: 60 of 60 pass")
    # Nearly all is enough, a half is not: one in ten passes by chance.
    assert check_digits([*CARDS[:57], *SIXTEEN[:3]]) is not None
    assert check_digits([*CARDS[:30], *SIXTEEN[:30]]) is None
    # Two numbers that pass are nothing remarkable.
    assert check_digits(CARDS[:2]) is None


def test_no_format_takes_random_numbers_of_any_length():
    for length in range(8, 20):
        texts = [str(RANDOM.randrange(10 ** (length - 1), 10**length)) for _ in range(60)]
        assert check_digits(texts) is None
    assert len(FORMATS) > 15


def test_what_decides_is_asked_for():
    assert detect("a", ["1,234"], present=9, alone=0).questions == (
        '1,234 needs decimal="," or decimal="." to be read as a number',
    )
    assert (
        "n/k stands among numbers"
        in detect("a", ["1", "2", "n/k"], present=9, alone=0).questions[0]
    )
    detected = detect("born", ["03/04/2020"], present=9, alone=0)
    assert (detected.type, detected.formats) == (ColumnType.DATE, ("%d/%m/%Y", "%m/%d/%Y"))


def test_orders():
    assert scale(["severe", "Mild"]) == ("Mild", "severe")
    assert scale(["T3", "T1", "T2"]) == ("T1", "T2", "T3")
    assert scale(["Room 1", "Room 90"]) is None
    assert scale(["65+", "<18", "18-64"]) == ("<18", "18-64", "65+")
    assert scale(["1", "2", "3"]) is None
    assert scale(["low", "blue"]) is None


def test_two_spellings_of_a_category_are_noted_and_nobody_is_asked():
    detected = detect("city", ["Bonn", "Ulm", "bonn "], present=15, alone=0)
    assert (
        detected.reason
        == "3 different texts; Bonn and 'bonn ' look like two spellings of one value"
    )
    assert not detected.questions
    assert detect("city", ["Bonn", "Ulm"], present=10, alone=0).reason == "2 different texts"
