"""Names of people among the values of a column that somebody said is sensitive."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from cases import cases
from columns_of_trades import Truth, columns_of_more_trades, columns_of_trades
from publications import secret
from shell import printed

from kproof.models.judgement.cells.contents import find_name_texts
from kproof.models.judgement.findings import FindingStanding, JudgedCriterion
from kproof.models.judgement.judge import judge
from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn, PublishedFile

ILLS = ("Grippe", "Asthma", "Gicht", "Krebs")
ROWS = 600
REPEATED = {
    "titles": ("Dr. Weber", "Frau Petrov", "Hr. Nguyen"),
    "Japanese": ("佐藤さん", "鈴木さん", "高橋さん", "田中さん"),
    "Arabic": ("محمد علي", "فاطمة حسن", "أحمد سعيد"),
    "lower case": ("anna weber", "lena okafor"),
}


def secret_file(cells: Sequence[str], heading: str = "diagnose") -> PublishedFile:
    return PublishedFile((secret(heading, cells),))


def cells_with(names: tuple[str, ...], share: float) -> list[str]:
    rng = np.random.default_rng(4)
    named = rng.random(ROWS) < share
    return np.where(named, rng.choice(names, ROWS), rng.choice(ILLS, ROWS)).tolist()


def open_cells(cells: list[str], heading: str = "diagnose") -> bool:
    findings = judge(secret_file(cells, heading)).under(JudgedCriterion.CELLS)
    return any(finding.standing is FindingStanding.OPEN for finding in findings)


@pytest.mark.parametrize("names", REPEATED.values(), ids=REPEATED)
def test_full_names_are_read_by_somebody_however_many_have_them(names):
    assert open_cells(cells_with(names, 0.2))


@pytest.mark.parametrize("name", ["Kowalczyk", "Anna", "王伟"])
def test_a_word_that_is_a_name_is_read_unless_a_crowd_has_it(name):
    others = cells_with(ILLS, 0)
    assert open_cells([name, *others])
    assert not open_cells([name] * 11 + others)


@pytest.mark.parametrize("value", ["Parkinson", "Crohn", "Long COVID", "Bell Palsy", "Depression"])
def test_what_a_crowd_has_and_is_no_full_name_is_a_value(value):
    assert not open_cells([value] * 11 + cells_with(ILLS, 0))


def test_a_column_that_would_be_proposed_as_names_is_not_green():
    first = ("Anna", "Lena", "Jonas", "Mehmet", "Olga", "Pierre", "Fatima", "Sven")
    last = ("Weber", "Kowalczyk", "Yilmaz", "Nguyen", "Okafor", "Petrov", "Lindqvist", "Haddad")
    names = tuple(f"{one} {other}" for one in first for other in last)
    assert open_cells(cells_with(names, 0.3), "anlass")


def test_whoever_read_them_may_publish_them_and_the_signer_answers_for_other_names():
    judgement = judge(secret_file(cells_with(ILLS, 0)))
    assert "no cell of diagnose names a person by one word alone" in " ".join(judgement.answered)


def test_names_of_eight_languages_are_read_and_harmless_values_pass():
    raised = Counter()
    every = Counter()
    for group in ("tuned", "held"):
        for column in (*columns_of_trades(group), *columns_of_more_trades(group)):
            cells = Counter(column.cells)
            # As in a table of twenty times as many rows, where values are shared by more people.
            named = find_name_texts(
                column.heading, list(cells), [20 * many for many in cells.values()]
            )
            every[column.truth] += 1
            raised[column.truth] += bool(named)
    assert raised[Truth.PERSON] >= 0.98 * every[Truth.PERSON]
    assert raised[Truth.SECRET] <= 0.02 * every[Truth.SECRET]
    assert raised[Truth.HARMLESS] <= 0.03 * every[Truth.HARMLESS]


@pytest.mark.parametrize("names", REPEATED.values(), ids=REPEATED)
def test_a_file_has_other_in_place_of_names(names, here):
    ages = np.random.default_rng(1).integers(18, 80, ROWS)
    rows = (f"{age},{cell}" for age, cell in zip(ages, cells_with(names, 0.06), strict=True))
    Path("in.csv").write_text("\n".join(["alter,diagnose", *rows]) + "\n", encoding="utf-8")
    roles = ("--qi", "alter", "--sensitive", "diagnose")
    printed("anonymize", "in.csv", *roles, "-o", "out.csv", columns=400)
    written = Path("out.csv").read_text(encoding="utf-8")
    assert not any(name in written for name in names)
    assert ",other" in written


@pytest.mark.parametrize("knows", [ColumnKnowledge.KNOWN, ColumnKnowledge.SECRET])
def test_a_known_column_of_names_is_never_published(knows):
    """Carers of 200 people each: no name is anybody's own, and each is somebody's."""
    names = ("Anna Weber", "John Smith", "Maria Rossi")
    for texts, name in ((names, True), (("Ulm", "Bonn", "San Martino"), False)):
        column = PublishedColumn("carer" if name else "town", knows, np.arange(ROWS) % 3, texts)
        findings = judge(PublishedFile((column,))).under(JudgedCriterion.CELLS)
        assert any(finding.standing is not FindingStanding.MET for finding in findings) is name


@cases("visit by mrs toom", "gesehen von herr xhaka", "ÖZDEMIR absent", "appelé mme ubu")
def test_a_name_after_a_title_needs_no_list(text):
    shown = secret_file(["calm", "fever", "asleep", text] * (ROWS // 4), "memo")
    standings = {finding.standing for finding in judge(shown).under(JudgedCriterion.CELLS)}
    assert standings != {FindingStanding.MET}
