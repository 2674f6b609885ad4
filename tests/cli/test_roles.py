"""``kproof roles``, and the commands that read a roles file."""

from datetime import date, timedelta
from pathlib import Path
from random import Random

import pytest
from cases import cases
from shell import kproof, printed, refused, same_as_snapshot, typed

from kproof.cli.base.columns import Columns

ROLES = """\
[columns.ID]
role = "identifier"
[columns.Name]
role = "drop"
[columns."Zip Code"]
role = "drop"
[columns.Age]
role = "quasi-identifier"
[columns.Country]
role = "quasi-identifier"
[columns.Disease]
role = "sensitive"
"""


@pytest.fixture(autouse=True)
def _here(here: Path) -> None:
    Path("roles.toml").write_text(ROLES)


def test_the_table():
    same_as_snapshot("roles-table-1a.txt", kproof("roles", "table-1a").out)


def test_a_file_that_was_edited_is_kept_unless_it_is_forced():
    says = "roles.toml: is there already, and somebody may have edited it; say --force to replace"
    assert refused("roles", "table-1a", "-o", "roles.toml").startswith(says)
    assert Path("roles.toml").read_text() == ROLES
    assert kproof("roles", "table-1a", "-o", "roles.toml", "--force").status == 0
    same_as_snapshot("roles-table-1a.toml", Path("roles.toml").read_text())
    assert refused("roles", "roles.toml", "-o", "roles.toml", "--force").startswith("--output = ")


def test_a_proposal_is_confirmed_by_whoever_says_so():
    kproof("roles", "table-1a", "-o", "proposed.toml")
    assert not Columns(roles_file="proposed.toml").confirmed
    assert Columns(roles_file="roles.toml").confirmed
    assert Columns(qi=("Age",)).confirmed
    ran = kproof("roles", "proposed.toml", "--confirm")
    assert ran.status == 0
    assert ran.out.startswith("ID: identifier\nName: identifier\n")
    assert Columns(roles_file="proposed.toml").confirmed
    assert "nothing to confirm" in kproof("roles", "--confirm", "proposed.toml").out
    assert refused("roles", "proposed.toml", "--confirm", "--json").startswith("--confirm = ")
    assert "not TOML" in refused("roles", "--confirm", __file__)


def test_what_is_to_be_decided_is_status_4():
    Path("data.csv").write_text("born;weight\n03/04/2020;72,5\n05/06/2021;80\n")
    ran = kproof("roles", "data.csv", "-o", "open.toml")
    assert ran.status == 4
    assert "born: 03/04/2020 is 2020-04-03" in ran.out
    assert 'format = "?"' in Path("open.toml").read_text()
    assert (
        '# 03/04/2020 is 2020-04-03 (format = "%d/%m/%Y") or 2020-03-04'
        in Path("open.toml").read_text()
    )


def test_days_of_no_calendar_are_named_until_somebody_mends_them():
    days = ["2019-02-29", "2019-04-31", *(f"2019-01-{day:02}" for day in range(1, 11))]
    rows = [f"{day},{place % 3},{'ab'[place % 2]}" for place, day in enumerate(days)]
    Path("data.csv").write_text("\n".join(["admitted,ward,diagnosis", *rows]))
    out = printed("roles", "data.csv", "-o", "days.toml", status=4)
    asks = "admitted: 2019-02-29 and 1 other value are no days of the calendar; correct them"
    assert asks in out
    assert 'ladder = "date"' in Path("days.toml").read_text()
    words = typed("anonymize mondrian --audience study data.csv --k 2 -o out.csv")
    roles = ("--qi", "admitted,ward", "--sensitive", "diagnosis")
    for given in (("--roles", "days.toml"), roles):
        says = refused(*words, *given)
        assert says.startswith("data.csv: column admitted: 2019-02-29 is no day of the calendar; ")
        assert not Path("out.csv").exists()


def test_every_command_for_tables_reads_the_file():
    given = ("--roles", "roles.toml")
    assert "not published: ID, Name, 'Zip Code'" in printed(
        *typed("anonymize mondrian --audience study table-1a"), *given, *typed("--k 3 -o out.csv")
    )
    assert Path("out.csv").read_text().startswith("Age,Country,Disease\n")
    # The published file lacks what is not published, and is judged by the same file.
    ran = kproof("check", "--models-only", "out.csv", *given, "--k", "3")
    assert (ran.status, "holds" in ran.out) == (0, True), ran.err
    # Found nothing, and not judged: that is no yes.
    ran = kproof("attack", "homogeneity", "out.csv", *given)
    assert (ran.status, "not judged" in ran.out) == (4, True), ran.err
    # Twelve people in classes of three are judged, and are not for the public.
    assert kproof("attack", "linkage", "mondrian", "table-1a", *given, "--k", "3").status == 1
    assert kproof("report", "table-1a", *given, "--output", "page").status == 1
    written = ("anonymize", "mondrian", "--audience", "study", "table-1a", *given, "--k", "3", "-o")
    assert refused(*written, "roles.toml").startswith("--output = roles.toml: need another file")


def test_an_option_overrides_the_file_for_its_column():
    given = ("check", "--models-only", "table-1a", "--roles", "roles.toml", "--json")
    document = kproof(*given, "--other", "Country").document
    assert [one["column"] for one in document["left_out"]] == ["Country", "ID", "Name", "Zip Code"]
    assert kproof(*given, "--qi", "ID").document["classes"] == 12
    assert kproof(*given, "--missing-as", "value").status == 0


@cases(
    ("[columns.Age]\nrole = 'qi'", "roles.toml: column Age: role = qi; need identifier"),
    (ROLES + "[columns.Height]\nrole = 'drop'", "table-1a: no column Height; there are ID"),
    (ROLES.replace("quasi-identifier", "drop"), "roles.toml: no quasi-identifier; say --qi"),
    (ROLES.replace('"drop"', '"person"') + "x", "roles.toml: not TOML"),
    ("a=" + "[" * 5_000 + "]" * 5_000, "roles.toml: more than 64 tables or lists within"),
    (".".join("a" * 20_000) + "=1", "roles.toml: more than 64 tables or lists within"),
)
def test_a_file_that_does_not_fit_is_refused(text, says):
    Path("roles.toml").write_text(text)
    words = typed("anonymize mondrian --audience study table-1a --roles roles.toml --k 2 -o a.csv")
    assert refused(*words).startswith(says)
    assert not Path("a.csv").exists()


def test_levels_are_for_methods_that_have_some():
    Path("roles.toml").write_text(
        ROLES.replace('"quasi-identifier"', '"quasi-identifier"\nlevel = 1', 1)
    )
    words = typed("anonymize mondrian --audience study table-1a --roles roles.toml --k 2 -o a.csv")
    assert refused(*words) == "roles.toml: mondrian has no use for levels, which columns Age have"


def test_an_ugly_file_needs_two_runs():
    random = Random(1)
    days = [date(1950, 1, 1) + timedelta(random.randrange(20_000)) for _ in range(120)]
    rows = [
        (
            f"{day:%d.%m.%Y}" if place % 3 else day.isoformat(),
            random.choice(["1067", "10115", "80331", "20095", "50667"]),
            random.choice([f"{random.randint(45, 99)},{random.randint(0, 9)}", "n/k"]),
            f"{1 + place % 12}/{1 + place % 11}/2023",
            random.choice(["Grippe", "grippe", "HIV", "Gicht"]),
            random.choice(["1", "2", "3", "999"]),
        )
        for place, day in enumerate(days)
    ]
    head = "geboren;PLZ;Gewicht;Aufnahme;Diagnose;Wert"
    Path("ugly.csv").write_text("\n".join([head, *map(";".join, rows)]))
    ran = kproof("roles", "ugly.csv", "-o", "ugly.toml")
    asked = ran.out.split("to be decided\n")[1].splitlines()
    about = ["geboren", "PLZ", "Gewicht", "Gewicht", "Aufnahme", "Diagnose", "Wert"]
    assert [line.split(":")[0] for line in asked[: len(about)]] == about
    asked = ("ugly.csv", "--roles", "ugly.toml", "--k", "5", "-o", "a.csv")
    words = ("anonymize", "mondrian", *asked, "--audience", "study")
    assert "column Aufnahme: say how its dates are written" in refused(*words)
    text = Path("ugly.toml").read_text()
    assert '\ndecimal = ","\n' in text
    assert "width = 5" in text
    assert 'missing = ["", "?", "999"]' in text
    text = text.replace('format = "?"', 'format = "%d/%m/%Y"')
    Path("ugly.toml").write_text(text.replace("[reading]", '[reading]\nmissing_as = "value"'))
    assert Columns(roles_file="ugly.toml").confirmed
    assert "PLZ by prefix;width=5" in printed(*words)


def test_a_sign_that_is_open_is_asked_for_with_everything_else():
    Path("data.csv").write_text("born;paid\n03/04/2020;1,234\n05/06/2021;2,500\n")
    kproof("roles", "data.csv", "-o", "open.toml")
    assert 'decimal = "?"' in Path("open.toml").read_text()
    words = ("anonymize", "mondrian", "data.csv", "--roles", "open.toml", "--k", "2", "-o", "a.csv")
    says = refused(*words)
    assert "column born: say how its dates are written" in says
    assert '[reading]: say what begins decimals, decimal = "," or decimal = "."' in says
    assert "[reading]" not in refused(*words, "--decimal", ".")
