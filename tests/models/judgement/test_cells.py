"""Cells that identify: each reason with cells that have it and cells that only look so."""

import random
from collections import defaultdict
from collections.abc import Collection, Sequence
from fractions import Fraction

import numpy as np
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from publications import known

from kproof.models.judgement.cells import contents

ROWS = 400


def kinds(
    cells: Sequence[str | None],
    *,
    covered: bool = False,
    secret: bool = False,
    common: Collection[str] = (),
) -> set[contents.CellKind]:
    judged = contents.find_identifying_cells(
        known("c", cells), covered=covered, secret=secret, common=common
    )
    return {one.kind for one in judged}


def drawn(words: str, rows: int = ROWS, seed: int = 1) -> list[str]:
    return random.Random(seed).choices(words.split(), k=rows)


FAMILY = [f"{stem}{number}" for stem in ("Mil", "Kel", "Sta", "Bro", "Gre") for number in range(80)]
NAMES = list(map(" ".join, zip(drawn("Ann Bo May Rose Kim Tanja Li Max"), FAMILY, strict=True)))


@pytest.mark.parametrize("cell", ["saw Mil7 twice", "{flu, KEL3}", "daughter of sta12.", "MIL7"])
def test_a_name_that_is_not_published_is_seen_in_any_cell(cell):
    hidden = contents.HiddenTokens.of([known("name", NAMES)])
    cells = [*drawn("flu HIV cold none", ROWS - 1), cell]
    (judged,) = hidden.cells(known("note", cells))
    assert (judged.rows, judged.victims.tolist()) == (1, [ROWS - 1])
    assert "name" in judged.phrase
    assert not any(name.split()[1] in judged.phrase for name in NAMES)
    assert list(hidden.cells(known("note", [*cells[:-1], "flu"]))) == []


def test_chinese_and_other_scripts():
    names = ["王小明", "李雷", "欧阳娜娜", "김철수", "สมชาย"]
    names += [f"赵{chr(0x4E00 + at)}" for at in range(395)]
    hidden = contents.HiddenTokens.of([known("姓名", names)])
    cells = ["患者王小明复诊", "김철수는 안정", "ผู้ป่วยสมชายกลับบ้าน", *["糖尿病"] * 397]
    (judged,) = hidden.cells(known("诊断", cells))
    assert judged.victims.tolist() == [0, 1, 2]


@cases(
    # Two patients are called May, and thirty were seen in May.
    (["May Lund", "Bo May"] + [f"x{at} y{at}" for at in range(398)], drawn("April May June")),
    # A ward is no name, though it stands in texts.
    (drawn("North South"), [f"ward {one}" for one in drawn("North South")]),
    (drawn("A B"), [f"unit {one}" for one in drawn("A B")]),
    # Particles, years and short numbers.
    ([f"de x{at}q" for at in range(ROWS)], drawn("Rio-de-Janeiro Paris de")),
    (
        [str(1930 + at % 80) for at in range(ROWS)],
        [f"since {1930 + at % 80}" for at in range(ROWS)],
    ),
    ([str(at % 90) for at in range(ROWS)], [f"aged {at % 90}" for at in range(ROWS)]),
    # A number as a whole cell is a value.
    ([str(4711000 + at) for at in range(ROWS)], [str(4711000 + at) for at in range(ROWS)]),
    # Eyes are brown, and so is one in forty by name.
    (["Ann Brown"] * 10 + [f"x{at}" for at in range(390)], drawn("blue brown green-brown")),
)
def test_what_only_looks_like_a_hidden_value(secret, published):
    hidden = contents.HiddenTokens.of([known("hidden", secret)])
    assert list(hidden.cells(known("shown", published))) == []


def test_a_record_number_beside_letters_and_rows_in_another_order():
    numbers = [str(4711000 + 7 * at) for at in range(ROWS)]
    hidden = contents.HiddenTokens.of([known("mrn", numbers), known("name", NAMES)])
    cells = ["flu"] * 300 + ["see 4711007"] + ["HIV"] * 99
    for aligned in (True, False):
        (judged,) = hidden.cells(known("note", cells), aligned=aligned)
        assert judged.victims.tolist() == [300]
    person = np.arange(ROWS) // 2
    (judged,) = hidden.cells(known("note", ["Mil1 came", "Mil1 left", *cells[2:]]), person)
    assert (judged.rows, judged.people, judged.share) == (3, 2, Fraction(2, 200))


def test_free_text_is_no_category():
    note = "came back with pain after two days"
    assert kinds([*drawn("flu HIV"), note]) == {contents.CellKind.FREE_TEXT}
    assert kinds([note] * 11 + ["flu"] * 50) == set()
    assert kinds(["Neither agree nor disagree", "Strongly agree with it all"] * 40) == set()
    assert kinds([f"{{flu, {note}}}"] * 20) == {contents.CellKind.FREE_TEXT}
    assert kinds([f"{{flu, {note}}}"] * 20, common={note}) == set()
    assert kinds([f"{{flu, {note}}}"] * 20, covered=True) == set()
    assert kinds(["{flu, HIV, cold, a cough, hepatitis}"] * 20) == set()
    assert kinds(["患者术后疼痛明显好转", *["糖尿病"] * 30]) == {contents.CellKind.FREE_TEXT}
    assert list(contents.free_text_cells(known("c", [note, "flu"]))) != []


def test_contacts_and_official_numbers_are_told_apart():
    cells = ["call 030/1234567", "{flu, ann@example.org}", "219-09-9999"]
    judged = contents.find_identifying_cells(known("note", drawn("flu HIV cold none") + cells))
    kinds_of_rows = sorted((reason.kind, reason.rows) for reason in judged)
    assert kinds_of_rows == [(contents.CellKind.CONTACT, 1)] * 2 + [
        (contents.CellKind.IDENTIFIER_NUMBER, 1)
    ]
    assert judged[0].to_dict()["rows"] == 1


@cases(
    (["12.5", "13"], True),
    (["2020-01-31", "2020-02-01"], True),
    (["2008/06/08 23:40:39"], True),
    (["[20-29]", "30"], True),
    ([str(age) for age in range(18, 90)], True),
    (["flu"], False),
    (["12:30", "08:15"], True),
    ([str(number) for number in range(1, 301)], False),
    (["47110011", "57110012"], False),
    (["219-09-9999"], False),
    (["A12", "B13"], False),
    (["{20, 30}", "*", ">=80"], True),
    (["7" * 5000, "12"], True),
    (["7" * 5000, "8" * 5000], False),
)
def test_what_is_measured(texts, measured):
    assert contents.is_measured(texts) is measured


CASES = st.lists(
    st.tuples(st.integers(0, 9), st.none() | st.integers(0, 12)), min_size=1, max_size=24
)


@given(CASES, st.booleans())
def test_values_of_ones_own_are_those_that_counting_finds(rows, by_row):
    person = None if by_row else np.array([who for who, _ in rows])
    cells = [None if value is None else f"v{value}" for _, value in rows]
    holders = defaultdict(set)
    for row, ((who, _), cell) in enumerate(zip(rows, cells, strict=True)):
        if cell is not None:
            holders[cell].add(row if by_row else who)
    own = {cell for cell, who in holders.items() if len(who) == 1}
    alone = {who for cell in own for who in holders[cell]}
    everybody = len(rows) if by_row else len({who for who, _ in rows})
    for judge, most in (
        (contents.own_value_cells, Fraction(1, 10)),
        (contents.exact_number_cells, Fraction(1, 20)),
    ):
        judged = list(judge(known("c", cells), person))
        assert bool(judged) == (Fraction(len(alone), everybody) > most)
        for one in judged:
            assert one.share == Fraction(len(alone), everybody)
            assert one.victims.tolist() == [at for at, cell in enumerate(cells) if cell in own]


def test_exact_numbers_say_what_to_round_them_to():
    pay = [f"{3000 + 17 * at}.50" for at in range(ROWS)]
    (judged,) = contents.find_identifying_cells(known("pay", pay), secret=True)
    assert (judged.kind, judged.people) == (contents.CellKind.EXACT_NUMBER, ROWS)
    assert "rounded to 50" in judged.phrase
    assert contents.find_identifying_cells(known("pay", pay), secret=True, exact=True) == ()
    assert kinds(["3000", "4000"] * 50, secret=True) == set()
    born = [f"{1930 + at % 80}-0{1 + at % 9}-{10 + at % 20}" for at in range(ROWS)]
    (judged,) = contents.exact_number_cells(known("born", born))
    assert "the year" in judged.phrase


def test_a_hundred_thousand_texts_and_a_column_without_any():
    cells = [f"seen {at} times by the doctor" for at in range(100_000)]
    assert kinds(cells) == {contents.CellKind.FREE_TEXT, contents.CellKind.OWN_VALUE}
    assert kinds([None, None]) == set()
    empty = known("c", [])
    assert contents.find_identifying_cells(empty, hidden=contents.HiddenTokens.of([empty])) == ()


UNREAD = [
    "Flu, Anna Schmidt",
    "SCHMIDT ANNA",
    "anna schmidt",
    "王小明的流感",
    "王小明",
    "грипп, Иванова Мария",
    "María García (esposa)",
    "محمد علي",
    "@anna_s1987",
    "fb.me/anna.schmidt",
    "Hauptstr. 5, Bonn",
    "born 1971-03-04",
    "1971-03-04",
    "52.5163N 13.3777E",
    "filled.count.soap",
    "Mayor of Bonn",
    "QW5uYSBTY2htaWR0",
    "{flu, Anna Schmidt}",
]
VALUES = ["measles", "Crohn", "B20.1", "DRG-17", "S72.001A", "cold, flu", "{flu, B20.1}", "زكام"]


@pytest.mark.parametrize(("cell", "unread"), [*((c, 1) for c in UNREAD), *((c, 0) for c in VALUES)])
def test_a_text_of_one_person_is_read_by_somebody(cell, unread):
    ill = [*drawn("flu HIV cold gout", ROWS - 1), cell]
    assert len(contents.unread_texts(known("ill", ill))) == unread
    assert (contents.CellKind.UNREAD in kinds(ill, secret=True)) == bool(unread)
    assert kinds(ill) | kinds(ill, secret=True, covered=True) <= {contents.CellKind.CONTACT}
    judged = contents.find_identifying_cells(known("ill", ill), secret=True, exact=True)
    assert all(one.kind is not contents.CellKind.UNREAD for one in judged)


def test_words_of_one_person_make_no_others():
    """Six rows of one person repeat her name beside what others have; a family of four has it."""
    ill = drawn("flu HIV cold gout", ROWS)
    for at, beside in enumerate(["flu", "HIV", "cold", "gout", "flu", "HIV"]):
        ill[at] = f"{beside} Schmidt{' ' * at}"
    person = np.maximum(np.arange(ROWS) - 5, 0)
    assert len(contents.unread_texts(known("ill", ill), person)) == 6
    assert contents.unread_texts(known("ill", ["Burn (by Peter Maier)"] * 4 + ill[6:]))
    assert not contents.unread_texts(known("ill", ["heart disease"] * 4 + ill[6:]))
    assert not contents.unread_texts(known("ill", ["Burn (by a fall)"] * 5 + ill[6:]))
    assert not contents.unread_texts(known("born", [f"1971-03-{10 + at % 20}" for at in range(20)]))
