"""What the safe path publishes, an intruder who has not read the judge does not break."""

import csv
import random
from pathlib import Path

import pandas as pd
import pytest
from hauls import Published as Printed
from hauls import score
from intruder import attack
from safe_path import publish
from trades import WORDS, TradeFile, files_of_day

from kproof.errors import InvalidArgument
from kproof.models.base.missing import text
from kproof.models.publishing.published import Published

TRADES = sorted(WORDS["trades"])


def published(file: TradeFile, folder: Path) -> Published:
    """Return what a publisher gets who says what each column is, and nothing else."""
    source = folder / "source.csv"
    with source.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(("pid", *file.header))
        writer.writerows((f"x{who}", *row) for who, row in zip(file.person, file.rows, strict=True))
    several = len(set(file.person)) < len(file.person)
    return publish(
        str(source),
        quasi_identifiers=list(file.known),
        sensitive=[*file.secret, *file.link, *file.notes],
        identifiers=[*file.names] if several else [*file.names, "pid"],
        decimal="," if file.language in {"de", "fr", "es"} else None,
        rows_are_people=not several,
        **({"person": "pid"} if several else {}),
    )


def printed(release: Published) -> Printed:
    """Return the cells that the release writes."""
    columns = [[text(column.values[code]) for code in column.codes] for column in release.columns]
    return Printed(
        tuple(column.name for column in release.columns), tuple(zip(*columns, strict=True))
    )


@pytest.mark.parametrize("trade", TRADES)
def test_the_intruder_breaks_no_green_release_and_each_file_has_one(trade, tmp_path):
    """Of sixty files of twenty trades a naive release gives 44 away; by day one of each trade."""
    for file in files_of_day():
        if file.name.split(",")[0] != trade:
            continue
        release = published(file, tmp_path)
        assert release.judgement.green, file.name
        cells = printed(release)
        known = file.knowledge(method=f"mondrian k={release.setting.k}")
        source = Printed(file.header, file.rows)
        taken = score(attack(cells, known), source, file.person, file.secret, [*file.names])
        assert not taken.broken, file.name
        assert {*cells.header} & {*file.known}, file.name
        blank = [
            name for name, *own in zip(cells.header, *cells.rows, strict=True) if len({*own}) < 2
        ]
        assert not {*blank} & {*file.known}, file.name
        assert {*cells.header} & {*file.secret}, file.name
        if file.harmless:
            assert {*file.secret} <= {*cells.header}, file.name
            assert release.setting.loss <= 0.5, file.name


def test_what_differs_between_rows_of_a_person_goes_before_any_secret(tmp_path):
    """Two visits of each of 300 people, with an illness and a pay that stay theirs."""
    draw = random.Random(1)
    lines = ["pid,age,month,ill,pay"]
    for who in range(300):
        age, ill, pay = draw.randint(20, 79), draw.choice("abcdef"), draw.randint(2000, 9000)
        lines += [f"{who},{age},{draw.randint(1, 12)},{ill},{pay}" for _ in range(2)]
    source = tmp_path / "visits.csv"
    source.write_text("\n".join(lines))
    roles = {"sensitive": ["ill", "pay"], "person": "pid"}
    release = publish(str(source), quasi_identifiers=["age", "month"], **roles)
    assert release.judgement.green
    assert [column.name for column in release.columns] == ["age", "ill", "pay"]
    assert release.notes == (
        "pay is rounded to multiples of 100",
        "left out month: rows of a person differ in it",
    )


def test_a_secret_goes_if_nothing_known_could_stay_beside_it(tmp_path):
    """Everything known tells the region; without it the other secret is published."""
    draw = random.Random(2)
    lines = ["town,zip,region,ill"]
    for _ in range(400):
        town = draw.randrange(4)
        lines.append(f"T{town},{town}{town}00,R{town},{draw.choice('abcdef')}")
    source = tmp_path / "regions.csv"
    source.write_text("\n".join(lines))
    roles = {"sensitive": ["region", "ill"], "rows_are_people": True}
    release = publish(str(source), quasi_identifiers=["town", "zip"], **roles)
    assert release.judgement.green
    assert [column.name for column in release.columns] == ["town", "zip", "ill"]
    assert release.setting.left_out == ("region",)


def lines_of(folder: Path, lines: list[str]) -> str:
    source = folder / "table.csv"
    source.write_text("\n".join(lines), encoding="utf-8")
    return str(source)


def test_a_secret_that_follows_from_what_is_known_goes_and_what_is_known_stays(tmp_path):
    """Without the age nobody sees how premiums go with it, and everybody who is old knows."""
    draw = random.Random(3)
    lines = ["age,sex,premium,ill"]
    for _ in range(600):
        age = draw.randint(20, 65)
        lines.append(f"{age},{draw.choice('mf')},{200 + 13 * age},{draw.choice('abcdef')}")
    roles = {"sensitive": ["premium", "ill"], "rows_are_people": True}
    release = publish(lines_of(tmp_path, lines), quasi_identifiers=["age", "sex"], **roles)
    assert release.judgement.green
    assert [column.name for column in release.columns] == ["age", "sex", "ill"]
    assert "premium follows from age" in release.notes[-1]


def test_rows_that_look_like_several_of_one_person_are_asked_about(tmp_path):
    draw = random.Random(4)
    lines = ["born,sex,ill"]
    for _ in range(300):
        born = f"{draw.randint(1940, 2000)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        sex = draw.choice("mf")
        lines += [f"{born},{sex},{draw.choice('abcdef')}" for _ in range(5)]
    source = lines_of(tmp_path, lines)
    release = publish(source, quasi_identifiers=["born", "sex"], sensitive="ill")
    assert release.judgement.outcome.value == "not decided"
    assert "born repeats" in release.judgement.sentence
    release = publish(
        source, quasi_identifiers=["born", "sex"], sensitive="ill", rows_are_people=True
    )
    assert release.judgement.green


def test_an_officer_is_no_person_and_people_of_one_name_are_asked_about(tmp_path):
    draw = random.Random(5)
    lines = ["officer,name,age,sex,ill"]
    for at in range(500):
        fixed = f"O{at % 3},N{draw.randrange(200)}"
        lines.append(f"{fixed},{draw.randint(20, 60)},{draw.choice('mf')},{draw.choice('abcdef')}")
    source = lines_of(tmp_path, lines)
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": "ill"}
    for identifiers, dropped in ((["officer"], ["name"]), (["officer", "name"], [])):
        names = {"identifiers": identifiers, "drop": dropped}
        release = publish(source, **names, **roles)
        assert "name repeats, and nothing known is the same" in release.judgement.sentence
        release = publish(source, **names, **roles, rows_are_people=True)
        assert (release.judgement.green, release.judgement.unit) == (True, "rows")


def test_one_column_stays_if_rows_of_a_person_differ_in_all(tmp_path):
    """Flats of owners who have several: nothing that is known of a flat is its owner's."""
    draw = random.Random(3)
    lines = ["owner,sqm,parcel"]
    lines += [f"o{at % 118},{draw.randint(30, 200)},{draw.randint(10, 99)}" for at in range(500)]
    source = tmp_path / "flats.csv"
    source.write_text("\n".join(lines))
    release = publish(str(source), quasi_identifiers=[], both=["sqm", "parcel"], person="owner")
    assert [column.name for column in release.columns] == ["parcel"]
    assert len(release.columns[0].codes) == 500


def test_few_cells_that_may_name_somebody_are_published_as_other(tmp_path):
    """A column is worth more than its three cells that name people, and stays."""
    draw = random.Random(4)
    ill = [draw.choice(["flu", "gout", "HIV", "burn"]) for _ in range(400)]
    for at, bad in zip((7, 70, 170), ("flu, Ann Lee", "a@b.org", "see Bob Kim"), strict=True):
        ill[at] = bad
    source = tmp_path / "visits.csv"
    rows = zip([f"A{at} Z{at}" for at in range(399)] + ["Bob Kim"], ill, strict=True)
    lines = [f'{name},{draw.randint(20, 70)},"{cell}"' for name, cell in rows]
    source.write_text("\n".join(["name,age,ill", *lines]))
    roles = {"identifiers": ["name"], "rows_are_people": True, "quasi_identifiers": ["age"]}
    release = publish(str(source), sensitive="ill", **roles)
    assert release.judgement.green
    assert release.columns[1].values == ("HIV", "burn", "flu", "gout", "other")
    assert [*release.columns[1].codes].count(4) == 3
    assert "ill" in release.notes[0]
    assert "Lee" not in str(release)
    mixed = publish(str(source), both=["ill"], **roles)
    assert mixed.judgement.green
    assert "Lee" not in str([column.values for column in mixed.columns])
    # What somebody answers for leaves as it stands, but no address does.
    kept = publish(str(source), sensitive="ill", exact=["ill"], **roles)
    assert [column.name for column in kept.columns] == ["age"]
    clean = tmp_path / "clean.csv"
    clean.write_text(source.read_text().replace("a@b.org", "flu").replace("see Bob Kim", "flu"))
    kept = publish(str(clean), sensitive="ill", exact=["ill"], **roles)
    assert "flu, Ann Lee" in kept.columns[1].values
    assert any("of ill names a person" in word for word in kept.judgement.answered)


def test_what_every_row_would_show_alike_is_left_out_and_a_column_of_one_value_stays(tmp_path):
    """Fifteen people are one class, whose label for their age is that of everybody."""
    lines = ["age,land,ill", *(f"{20 + at},NL,{'abcde'[at % 5]}" for at in range(15))]
    roles = {"sensitive": "ill", "rows_are_people": True}
    source = lines_of(tmp_path, lines)
    release = publish(source, quasi_identifiers=["age", "land"], **roles)
    assert [column.name for column in release.columns] == ["land", "ill"]
    assert "left out age: every row would have the same label" in release.notes
    kept = publish(source, quasi_identifiers=["age", "land"], **roles, keep=["age"])
    assert [column.name for column in kept.columns] == ["age", "land", "ill"]


def test_only_known_columns_are_kept():
    frame = pd.DataFrame({"age": [30, 31] * 20, "ill": ["flu", "flu", "cold", "cold"] * 10})
    result = publish(frame, quasi_identifiers=["age"], sensitive="ill")
    assert (result.release.count, result.setting.k) == (2, 11)
    with pytest.raises(InvalidArgument, match="keep = town: need one of age"):
        publish(frame, quasi_identifiers=["age"], keep=["town"])
