"""``kproof compose``: what is printed, the statuses, and bad input."""

import json
import random
from collections import defaultdict
from pathlib import Path

import pytest
from cases import cases
from shell import kproof, printed, refused

HEAD = "id,age,job,ill\n"


@pytest.fixture
def files(here: Path) -> Path:
    """Releases of six people: neither pins anybody, together they pin two."""
    rows = [("a", "1", "x", "flu"), ("b", "1", "y", "cold"), ("c", "1", "x", "hiv")]
    rows += [("d", "2", "y", "flu"), ("e", "2", "x", "gout"), ("f", "2", "y", "tbc")]
    for name, shown in (("first", (0, 1, 3)), ("second", (0, 2, 3))):
        head = [HEAD.strip().split(",")[place] for place in shown]
        lines = [",".join(row[place] for place in shown) for row in rows]
        (here / f"{name}.csv").write_text("\n".join([",".join(head), *lines]) + "\n")
    return here


ASKED = ("compose", "first.csv", "second.csv", "--qi", "job", "--sensitive", "ill")


def test_two_releases_that_pin_people_together(files):
    out = printed(*ASKED, "--person", "id", columns=200, status=1)
    assert (
        "broken: 2 of 6 people have a secret that is certain beside first.csv, "
        "and in no release alone" in out
    )
    assert "what to do: publish people in the classes of the earlier release" in out
    assert "judged: what second.csv tells beside the others, not what it tells alone" in out
    document = json.loads(kproof(*ASKED, "--person", "id", "--json").out)
    assert (document["findings"][0]["hit"], document["people"]) == (2, 6)


def test_the_same_release_again_tells_nothing_new(files):
    ran = kproof("compose", "second.csv", "second.csv", *ASKED[3:], "--person", "id", columns=200)
    assert ran.status == 0, ran.out
    assert ran.out.startswith("met: nobody is found out beside second.csv")


def test_files_of_two_encodings_meet_in_the_same_labels(files):
    for name, encoding in (("first.csv", "utf-8"), ("second.csv", "cp1252")):
        text = (files / name).read_text().replace("flu", "Grippe für alle")
        (files / name).write_bytes(text.encode(encoding))
    ran = kproof(*ASKED, "--person", "id", "--encoding", "cp1252", columns=200)
    assert ran.status == 1
    assert "2 of 6 people have a secret that is certain beside first.csv" in ran.out


def test_without_people_it_is_not_decided(files):
    for name in ("first.csv", "second.csv"):
        lines = (files / name).read_text().splitlines()
        (files / name).write_text("\n".join(line.partition(",")[2] for line in lines) + "\n")
    ran = kproof(*ASKED, columns=200)
    assert ran.status == 4
    assert ran.out.startswith("not decided: up to all 6 rows may be found out by labels")


TYPED = ("--qi", "age", "--sensitive", "ill", "--drop", "pid")


def leavers(folder: Path, *, gone: int) -> None:
    """Write a source of four hundred people, and the same less some of the first."""
    ills = [("flu", "cold", "gout", "tbc", "hiv")[i % 5] for i in range(400)]
    lines = [f"p{i},{20 + i // 8},{ill}" for i, ill in enumerate(ills)]
    for name, rows in (("in", lines), ("less", lines[gone:])):
        (folder / f"{name}.csv").write_text("\n".join(["pid,age,ill", *rows]) + "\n")


@pytest.mark.parametrize("kinds", [("counts", "counts"), ("counts", ""), ("", "counts"), ("", "")])
def test_one_who_left_is_not_told_by_subtraction(kinds, here):
    leavers(here, gone=1)
    first, second = (["anonymize", *([kind] if kind else [])] for kind in kinds)
    assert kproof(*first, "in.csv", *TYPED, "-o", "first.csv").status == 0
    # The receipt beside the first is found without being named.
    again = kproof(*second, "less.csv", *TYPED, "-o", "second.csv", columns=300)
    assert (again.status, Path("second.csv").exists()) == (4, False), again.out
    assert "by subtraction beside first.csv" in again.out or "by labels beside" in again.out
    printed(*second, "in.csv", *TYPED, "-o", "second.csv", columns=300)


def test_a_file_is_judged_beside_what_lies_in_its_folder(here):
    leavers(here, gone=1)
    for source, folder in (("in", "old"), ("less", "new")):
        (here / folder).mkdir()
        asked = ("anonymize", f"{source}.csv", *TYPED, "-o", f"{folder}/{folder}.csv")
        assert kproof(*asked).status == 0
    judged = ("--qi", "age", "--sensitive", "ill", "--original", "less.csv")
    alone = [kproof("check", "new/new.csv", *judged, columns=300)]
    alone.append(kproof("report", "new/new.csv", *judged, "-o", "page", columns=300))
    for suffix in ("", ".kproof.json"):
        (here / f"new/new.csv{suffix}").rename(f"old/new.csv{suffix}")
    beside = [kproof("check", "old/new.csv", *judged, columns=300)]
    beside.append(kproof("report", "old/new.csv", *judged, "-o", "page", columns=300))
    assert [ran.status for ran in alone + beside] == [0, 0, 4, 4], [ran.out for ran in beside]
    assert all("beside old/old.csv" in ran.out for ran in beside)


def test_a_second_release_is_judged_beside_the_first_wherever_the_data_are(here):
    leavers(here, gone=1)
    (here / "data").mkdir()
    (here / "out").mkdir()
    for source in ("in", "less"):
        (here / f"{source}.csv").rename(f"data/{source}.csv")
    assert kproof("anonymize", "data/in.csv", *TYPED, "-o", "out/first.csv").status == 0
    again = kproof("anonymize", "data/less.csv", *TYPED, "-o", "out/second.csv", columns=300)
    assert (again.status, Path("out/second.csv").exists()) == (4, False), again.out
    assert "beside out/first.csv" in again.out


def others(folder: Path, columns: str, ills: str, *, first: int) -> None:
    """Write a release of four hundred other people, with its receipt."""
    lines = [f"{first + i // 8},{ills[i % len(ills)]}x" for i in range(400)]
    (folder / "theirs.csv").write_text("\n".join([columns, *lines]) + "\n")
    known, secret = columns.split(",")
    asked = ("--qi", known, "--sensitive", secret, "--rows-are-people")
    assert kproof("anonymize", "theirs.csv", *asked, "-o", "other.csv").status == 0
    (folder / "theirs.csv").unlink()


@cases(
    ("height,club", 20, "", 0, "on your word: other.csv: about other people, with no column"),
    ("height,club", 20, "{}", 0, "other.csv: about other people, with no column of this table"),
    # Nobody of that age has such an illness, and nobody of that illness is of that age.
    ("age,ill", 90, "", 0, "about other people, with no value of this table in age, ill"),
    ("age,ill", 90, "{}", 4, "not decided: other.csv.kproof.json: no receipt"),
    # Somebody may be in both: it is an earlier release, and nothing of it is crossed.
    ("age,ill", 30, "", 0, "no other release about the same people exists beside other.csv"),
)
def test_a_folder_of_receipts(columns, first, bad, status, says, here):
    leavers(here, gone=1)
    others(here, columns, "abcde", first=first)
    if bad:
        (here / "other.csv.kproof.json").write_text(bad)
    ran = kproof("anonymize", "in.csv", *TYPED, "-o", "mine.csv", columns=300)
    assert says in ran.out
    assert (ran.status, ran.err) == (status, "")
    # Its own old receipt is no other release's.
    (here / "mine.csv").write_text("age,ill\n")
    (here / "mine.csv.kproof.json").write_text("{}")
    assert kproof("anonymize", "in.csv", *TYPED, "-o", "mine.csv").status == status


@pytest.mark.parametrize("gone", [0, 1])
def test_counts_are_judged_beside_rows_and_counts(gone, here):
    """Whoever left is told by what counts have less, as kproof anonymize counts finds itself."""
    leavers(here, gone=gone)
    assert kproof("anonymize", "in.csv", *TYPED, "-o", "rows.csv").status == 0
    for name, table in (("a", "in"), ("b", "less")):
        kproof("anonymize", "counts", f"{table}.csv", *TYPED, "-o", f"{name}.csv")
        text = "\n".join(
            f"ill,{ill},{80 - (gone if name == 'b' and ill == 'flu' else 0)}"
            for ill in ("flu", "cold", "gout", "tbc", "hiv")
        )
        Path(f"{name}.csv").write_text(f"column,label,people\n{text}\n")
        Path(f"{name}.csv.kproof.json").unlink(missing_ok=True)
    for before in ("rows", "a"):
        asked = ("compose", f"{before}.csv", "b.csv", "--qi", "age", "--sensitive", "ill")
        ran = kproof(*asked, columns=300)
        assert (ran.status, ran.err) == (4 if gone else 0, ""), ran.out
        if gone:
            assert "leave out what is secret" in ran.out or "by subtraction" in ran.out
    assert "sensitive = pay: need one of ill" in refused(*asked[:5], "--sensitive", "pay")


def test_counts_without_a_receipt_are_known_by_their_header(here):
    leavers(here, gone=1)
    words = ("anonymize", "counts", "less.csv", *TYPED, "-o", "c2.csv", "--released", "c1.csv")
    for ill, status in ((80, 4), (79, 0)):
        cells = [f"ill,{name},{ill if name == 'flu' else 80}" for name in ("flu", "cold", "gout")]
        cells += ["ill,tbc,80", "ill,hiv,80"]
        Path("c1.csv").write_text("\n".join(["column,label,people", *cells]) + "\n")
        assert kproof(*words).status == status
    Path("c1.csv").write_text("column,label,people\nill,flu,many\n")
    assert "c1.csv: counts many people; need a whole number" in refused(*words)


def test_a_published_file_never_has_the_column_of_persons(here):
    leavers(here, gone=1)
    asked = ("--qi", "age", "--sensitive", "ill", "--person", "pid")
    assert kproof("anonymize", "in.csv", *asked, "-o", "first.csv").status == 0
    ran = kproof("anonymize", "less.csv", *asked, "-o", "second.csv", columns=400)
    assert ran.status == 4
    assert "nothing says whom rows of first.csv are about: name a copy" in ran.out
    # A copy of the publisher's has it, and then everything is counted.
    persons = defaultdict(list)
    for line in Path("in.csv").read_text().splitlines()[1:]:
        pid, age, ill = line.split(",")
        persons[ill].append((int(age), pid))
    rows = sorted(Path("first.csv").read_text().splitlines()[1:])
    copy = [f"{persons[row.rpartition(',')[2]].pop(0)[1]},{row}" for row in rows]
    Path("copy.csv").write_text("\n".join(["pid,age,ill", *copy]) + "\n")
    ran = kproof("anonymize", "less.csv", *asked, "-o", "second.csv", "--released", "copy.csv")
    assert ran.status == 1, ran.out
    assert (
        "0 of 399 people, and 1 who are in an earlier release only, have a secret that is certain"
        in ran.out
    )


@cases(
    (("compose", "first.csv", "--qi", "job"), "releases = 1: need at least two files"),
    ((*ASKED[:5], "--sensitive", "il"), "sensitive = il: need"),
    ((*ASKED, "--person", "who"), "--person = who: need"),
    (("compose", "absent.csv", *ASKED[2:]), "absent.csv"),
    ((*ASKED, "--key", "absent"), "absent: cannot be read"),
    (ASKED[:3], "--qi"),
)
def test_bad_input(words, says, files):
    assert says.removeprefix("--") in refused(*words)


def test_a_receipt_that_does_not_fit(files):
    (files / "first.csv.kproof.json").write_text("{}")
    assert "first.csv.kproof.json: no receipt" in refused(*ASKED)


def test_a_second_release_reuses_the_classes_of_the_first(here):
    draw = random.Random(1)
    ills = ["asthma", "cancer", "cold", "flu", "gout", "hiv"]
    lines = [
        f"p{who},{draw.randint(18, 89)},{draw.randint(1000, 1099)},{draw.choice(ills)}"
        for who in range(460)
    ]
    stayed = [line for line in lines[:400] if draw.random() > 0.1]
    Path("first.csv").write_text("\n".join(["pid,age,zip,ill", *lines[:400]]))
    Path("second.csv").write_text("\n".join(["pid,age,zip,ill", *stayed, *lines[400:]]))
    Path("key").write_text("sixteen secret bytes")
    roles = ("--qi", "age,zip", "--sensitive", "ill", "--person", "pid")
    keyed = (*roles, "--key", "key")
    assert kproof("anonymize", "first.csv", *keyed, "-o", "out.csv").status == 0
    ran = kproof("anonymize", "second.csv", *keyed, "-o", "again.csv")
    assert ran.status == 0, ran.out
    assert "classes are those of out.csv" in " ".join(ran.out.split())
    # Without the key nobody can be followed, and classes that are formed anew are not decided.
    Path("again.csv").unlink()
    Path("again.csv.kproof.json").unlink()
    assert "--key" in printed("anonymize", "second.csv", *roles, "-o", "anew.csv", status=4)


def test_what_a_receipt_says_of_columns_need_not_be_typed(here):
    draw = random.Random(3)
    lines = [
        f"{draw.randint(20, 60)},{draw.choice('MF')},{draw.choice('abcd')}" for _ in range(300)
    ]
    Path("source.csv").write_text("\n".join(["age,sex,ill", *lines]))
    roles = ("--qi", "age,sex", "--sensitive", "ill")
    assert kproof("anonymize", "source.csv", *roles, "-o", "out.csv").status == 0
    silent, typed = (kproof("check", "out.csv", "--k", "11", *words) for words in ((), roles))
    assert (silent.out, silent.status) == (typed.out, typed.status)
    # A file that was changed has no receipt, and without one somebody has to say.
    Path("out.csv").write_text(Path("out.csv").read_text() + "[20-60],M,a\n")
    assert "is the receipt of another file" in refused("check", "out.csv", "--k", "11")
    Path("out.csv.kproof.json").unlink()
    assert "--qi is not given" in refused("check", "out.csv", "--k", "11")
