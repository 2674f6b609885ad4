"""Names by their tokens, what a heading says, and shapes that nothing else has."""

from random import Random

from cases import cases

from kproof.models.tables.detection.headings import Hint, hints
from kproof.models.tables.detection.names import Likeness, likeness, why_names
from kproof.models.tables.detection.shapes import Shape
from kproof.models.tables.detection.types import ColumnType, detect


@cases(
    ("Anna Weber", Likeness.KNOWN),
    ("Weber, Anna", Likeness.KNOWN),
    ("Jan van der Meer", Likeness.KNOWN),
    ("J. R. Ewing", Likeness.SHAPE),
    ("Dr. Xhemajli", Likeness.KNOWN),
    ("Łukasz Wójcik", Likeness.KNOWN),
    ("Иванов И.И.", Likeness.KNOWN),
    ("فاطمة الزهراني", Likeness.KNOWN),
    ("欧阳修", Likeness.KNOWN),
    ("王医生", Likeness.KNOWN),
    ("张家口", Likeness.NONE),
    ("高血压", Likeness.NONE),
    ("이서연", Likeness.KNOWN),
    ("佐々木翔", Likeness.KNOWN),
    ("Acute Bronchitis", Likeness.SHAPE),
    ("acute bronchitis", Likeness.NONE),
    ("Ward 7", Likeness.NONE),
    ("", Likeness.NONE),
    (" , ", Likeness.NONE),
)
def test_likeness(written, expected):
    assert likeness(written) is expected


def test_a_share_decides_and_the_heading_moves_it():
    half = ["Anna Toom", "Peter Ubu", "Xyla Quaz", "Zork Blip"]
    assert why_names(half, ())
    # Towns are called after people: against its heading a column needs more.
    assert why_names(half, {Hint.KNOWN}) is None
    assert why_names(["Xyla Quaz", "Zork Blip", "Omm Ulb"], ()) is None
    assert why_names(["Xyla Quaz", "Zork Blip", "Omm Ulb"], {Hint.ROLE})
    assert why_names(["yes", "no", "unclear"], {Hint.ROLE}) is None
    assert why_names(["zork", "ubu"], {Hint.NAME})
    assert why_names(["Billy", "Malm"], {Hint.NAME, Hint.THING}) is None


@cases(
    ("passport", Hint.IDENTIFIER, Hint.KNOWN),
    ("is_valid", Hint.CODE, Hint.IDENTIFIER),
    ("DateOfBirth", Hint.KNOWN, Hint.NAME),
    ("product name", Hint.THING, Hint.ROLE),
    ("nom du médecin", Hint.NAME, Hint.THING),
    ("Geburtsname", Hint.NAME, Hint.THING),
    ("diag1", Hint.SENSITIVE, Hint.KNOWN),
    ("出院诊断", Hint.SENSITIVE, Hint.NAME),
    ("تاريخ الميلاد", Hint.KNOWN, Hint.SENSITIVE),
)
def test_headings(heading, says, not_):
    hinted = hints(heading)
    assert (says in hinted) or heading == "is_valid"
    assert not_ not in hinted


def test_shapes_that_stand_for_somebody_or_somewhere():
    shown = {
        Shape.HANDLE: "@ann_k",
        Shape.NETWORK: "https://example.org/~ann",
        Shape.VEHICLE: "WVWZZZ1KZAW123456",
        Shape.TOKEN: "3s5z8s4e4e4i3t1f9e9v",
        Shape.ICD: "E11.9",
        Shape.PAIR: "52.1, 13.4",
        Shape.GEOMETRY: "POINT (13.4 52.1)",
        Shape.GRID: "32U 691000 5334000",
    }
    for shape, text in shown.items():
        assert next(one for one in Shape if one.pattern.fullmatch(text)) is shape
    for text in ("12.50", "1/2", "SKU-1042", "A12", "2020-01-31", "3.5/4.5", "1,5", "deadbeef"):
        assert not any(one.pattern.fullmatch(text) for one in Shape)
    assert detect("where", ["52.1, 13.4", "48.2, 11.5"], present=9, alone=0).questions


@cases(
    ("PID", [str(place) for place in range(4000, 4010)], "identifier"),
    ("rec_no", [str(place) for place in range(4000, 4100, 3)], "identifier"),
    ("room no", [str(place) for place in range(100, 200, 3)], "number"),
    ("student", [f"S{place}" for place in range(100, 140)], "identifier"),
    ("number of children", ["0", "1", "2"], "number"),
    ("key", [f"{Random(place).getrandbits(40):010x}" for place in range(60)], "identifier"),
    ("note", ["ok", "late", "none"], "category"),
    ("a", ["said that he would come again on Monday", "ok", "late"], "free text"),
    ("a", ["患者三天前开始发热咳嗽", "无"], "free text"),
    ("name", [f"Hill Road {place}" for place in range(30)], "name"),
)
def test_types_by_heading_and_text(heading, texts, expected):
    assert detect(heading, texts, present=5 * len(texts), alone=0).type.value == expected


def test_zeros_that_were_lost_and_words_among_numbers_are_asked_for():
    codes = ["1067", "10115", "80331", "99084", "4103"]
    detected = detect("plz", [*codes, "20095", "60311"], present=70, alone=0)
    assert (detected.type, detected.width, detected.ladder) == (ColumnType.CODE, 5, "prefix")
    assert "width = 5 takes it for 01067" in detected.questions[0]
    assert detect("plz", ["1067", "2000", "10115"], present=70, alone=0).width is None
    detected = detect("kg", ["1,5", "2,5", "n/k"], present=9, alone=0)
    assert (detected.type, detected.missing) == (ColumnType.NUMBER, ("n/k",))
    assert [sign.value for sign in detected.signs] == [","]
    assert len(detected.questions) == 2
    assert detect("a", ["1", "n/k", "flu"], present=9, alone=0).type is ColumnType.CATEGORY


def test_a_hundred_thousand_texts_are_judged_by_many_of_them():
    random = Random(1)
    texts = [f"Anna {random.getrandbits(60):x}".title() for _ in range(100_000)]
    # All are numbers only if the last one is, too.
    numbers = [str(2 * place) for place in range(100_000)]
    assert detect("a", texts, present=100_000, alone=100_000).type is not ColumnType.NUMBER
    assert detect("a", numbers, present=200_000, alone=0).type is ColumnType.NUMBER
    assert detect("a", [*numbers, "x y", "z"], present=200_000, alone=0).missing == ("x y", "z")
