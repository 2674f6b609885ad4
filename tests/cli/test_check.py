"""``kproof check``: verdicts on published tables, and statuses that scripts rely on."""

import json
from pathlib import Path

from cases import cases
from shell import kproof, printed, refused, typed

ROLES = ("--qi", "Class", "--sensitive", "Disease", "--identifier", "ID")
DISEASES = (*ROLES, "--categories", "table-3")


def test_a_table_that_holds():
    out = printed(
        "check", "--models-only", "table-8b", *DISEASES, "--k", "4", "--l", "4", "--mu", "3/5"
    )
    assert out.count("holds") == 3
    assert "FAILS" not in out


def test_a_table_that_does_not():
    ran = kproof(
        "check", "--models-only", "table-4a", *DISEASES, "--k", "4", "--mu", "3/5", "--json"
    )
    assert (ran.status, ran.err) == (1, "")
    ran = kproof("check", "--models-only", "table-4a", *DISEASES, "--k", "4", "--mu", "3/5")
    assert "FAILS" in ran.out
    assert "Class=3" in ran.out


def test_json():
    document = kproof(
        "check", "--models-only", "table-4a", *DISEASES, "--k", "4", "--p-plus", "2", "--json"
    ).document
    assert (document["rows"], document["classes"]) == (12, 3)
    assert [(one["model"], one["holds"], one["value"]) for one in document["verdicts"]] == [
        ("k-anonymity(k=4)", True, "4"),
        ("p+-sensitive k-anonymity(p=2, k=4)", True, "2"),
    ]
    assert document["verdicts"][1]["worst_class"]["size"] == 4


@cases(
    (("--k", "5"), False, 4),
    (("--l", "3"), True, 3),
    (("--l", "4"), False, 3),
    (("--t", "0.7"), True, "2/3"),
    (("--k", "4", "--mu", "0.55"), True, "11/20"),
    (("--k", "4", "--mu", "0.5501"), False, "11/20"),
    (("--k", "4", "--p", "3"), True, 3),
    (("--k", "4", "--share", "1/2"), True, "1/2"),
    (("--k", "4", "--share", "0.49"), False, "1/2"),
    (("--beta", "2"), True, 2),
    (("--delta", "9"), False, "none"),
    (("--l", "2", "--c", "1.01"), True, "1"),
)
def test_each_model_on_table_4a(words, holds, value):
    ran = kproof("check", "--models-only", "table-4a", *DISEASES, *words, "--json")
    assert ran.status == (0 if holds else 1)
    last = json.loads(ran.out)["verdicts"][-1]
    assert (last["holds"], str(last["value"])) == (holds, str(value))


def test_p_alpha_of_table_4b():
    words = (*typed("check --models-only table-4b"), *DISEASES, *typed("--k 4 --p 3 --alpha 1"))
    assert kproof(*words).status == 0


def test_hierarchical_distance(tmp_path):
    tree = tmp_path / "tree.csv"
    tree.write_text(
        "HIV;grave;*\nCancer;grave;*\nFlu;mild;*\nIndigestion;mild;*\nHepatitis;other;*\n"
        "Phthisis;other;*\nAsthma;other;*\nObesity;other;*\n"
    )
    words = (
        *typed("check --models-only table-4a"),
        *DISEASES,
        *typed("--t 1 --distance hierarchical"),
    )
    assert kproof(*words, "--sensitive-taxonomy", str(tree)).status == 0
    assert refused(*words).startswith("--sensitive-taxonomy = none: need a taxonomy")


def test_without_a_model_the_attained_parameters_are_printed():
    left_out = (
        "not considered: Age (no role), 'Zip Code' (no role), Country (no role), ID\n"
        "  (taken as not published)\n"
    )
    told = kproof("check", "--models-only", "table-4a", *DISEASES).out
    assert told.startswith("k=4, l=3, t=0.6667, theta up to mu=0.55\nA person's row is ")
    unjudged = "models only: whether the file may be published was not judged\n"
    assert told.endswith(f"Attackers unsure of membership do no better.\n{left_out}{unjudged}")
    document = kproof("check", "--models-only", "table-4a", *DISEASES, "--json").document
    assert (document["verdicts"], document["attained"]["k"]) == ([], 4)
    ran = kproof("check", "--models-only", "table-4a", "--qi", "Class", "--identifier", "ID")
    assert ran.out.startswith("k=4\nA person's row is picked ")


@cases(
    (("none.csv", "--qi", "a", "--k", "2"), "none.csv: no such file"),
    (("table-4a", "--k", "2"), "--qi is not given: need --qi NAME,NAME,..."),
    (("table-4a", "--qi", "X", "--k", "2"), "table-4a: no column X; there are ID, Class,"),
    (("table-4a", "--qi", "Class", "--l", "2"), "--sensitive is not given: need --sensitive NAME"),
    (("table-4a", *DISEASES, "--k", "0"), "--k = 0: need a whole number k >= 1"),
    (("table-4a", *DISEASES, "--mu", "1"), "--mu = 1: need --k with it"),
    (("table-4a", *DISEASES, "--p", "2"), "--p = 2: need --k with it"),
    (("table-4a", *DISEASES, "--p-plus", "2"), "--p-plus = 2: need --k with it"),
    (("table-4a", *DISEASES, "--k", "2", "--alpha", "1"), "--alpha = 1: need --p with it"),
    (("table-4a", *DISEASES, "--c", "2"), "--c = 2: need --l with it"),
    (("table-4a", *DISEASES, "--t", "x"), "--t = x: need"),
    (("table-4a", *ROLES, "--threshold", "2"), "--threshold = 2: need 0 <= threshold <= 1"),
    (("table-4a", *ROLES, "--sample", "0"), "--sample = 0: need above 0 and at most 1"),
    (("table-4a", *ROLES, "--population", "none.csv"), "none.csv: no such file"),
    (("table-4a", *ROLES, "--population", "table-1a"), "table-1a: no column Class"),
    (("table-4a", *ROLES, "--hierarchy", "Class=a.csv"), "--hierarchy = Class=a.csv: need --pop"),
    (("table-4a", "--qi", "Class", "--sensitive", "Disease", "--k", "2", "--p-plus", "1"), ""),
)
def test_bad_input_is_one_line(words, says):
    assert refused("check", "--models-only", *words).startswith(says)


def test_a_missing_cell_is_a_value_and_never_a_dropped_row(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("age,s\n[1-2],a\n[1-2],b\n,a\n?,b\nNA,c\n")
    words = typed("check --models-only {path} --qi age --sensitive s --k 2 --json", path=path)
    out = printed(*words, status=1)
    assert '"rows": 5' in out
    assert '"classes": 3' in out
    more = ("--missing", "NA", "--missing", "?", "--missing", "")
    assert kproof(*words, *more).document["classes"] == 2


def test_the_risk_stands_beside_verdicts_if_asked_for():
    bare = kproof("check", "--models-only", "table-4a", *ROLES, "--k", "4", "--json").document
    assert "risk" not in bare
    found = kproof(
        "check", "--models-only", "table-4a", *ROLES, "--k", "4", "--risk", "--json"
    ).document["risk"]
    assert (found["prosecutor"]["largest"], found["prosecutor"]["above"]) == ("1/4", 12)
    told = kproof("check", "--models-only", "table-4a", *ROLES, "--k", "4", "--threshold", "1/4")
    assert "at most 1 in 4 (1 in 4 on average)" in told.out
    assert "a chance above" not in told.out


def test_the_risk_in_a_population(tmp_path):
    release, people = tmp_path / "release.csv", tmp_path / "people.csv"
    tree = tmp_path / "job.csv"
    tree.write_text("nurse;care;*\ndoctor;care;*\ncook;other;*\n", encoding="utf-8")
    release.write_text("age,job\n[20-29],care\n[20-29],care\n40,cook\n", encoding="utf-8")
    people.write_text(
        "age,job\n20,nurse\n25,doctor\n29,nurse\n29,doctor\n40,cook\n40,cook\n99,cook\n",
        encoding="utf-8",
    )
    roles = (str(release), "--qi", "age,job", "--population", str(people))
    found = kproof(
        "check", "--models-only", *roles, "--hierarchy", f"job={tree}", "--json"
    ).document["risk"]
    assert (found["population"], found["outside"]) == (7, 1)
    assert (found["journalist"]["largest"], found["marketer"]) == ("1/2", "1/3")
    assert refused("check", "--models-only", *roles).startswith(
        "population: 0 of its people fit the class"
    )


def test_a_hierarchy_of_no_quasi_identifier_is_refused(tmp_path):
    for name, text in (("rows.csv", "age\n1\n1\n"), ("tree.csv", "1;*\n2;*\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    rows = str(tmp_path / "rows.csv")
    tree = ("--hierarchy", f"agee={tmp_path / 'tree.csv'}")
    said = refused("check", "--models-only", rows, "--qi", "age", "--population", rows, *tree)
    assert said == "--hierarchy = agee: need one of age; did you mean age?"


def test_the_population_has_the_levels_of_the_roles_file(here):
    Path("roles.toml").write_text(
        'schema = 1\n[columns.born]\nrole = "quasi-identifier"\nladder = "date"\n'
    )
    days = "born\n2001-02-03\n2001-05-06\n1960-01-02\n1960-03-04\n"
    Path("people.csv").write_text(f"{days}1960-02-28\n")
    Path("out.csv").write_text("born\n2001\n2001\n1960-Q1\n1960-Q1\n")
    asked = typed("check --models-only out.csv --roles roles.toml --population people.csv --json")
    found = json.loads(kproof(*asked).out)["risk"]
    assert (found["population"], found["outside"]) == (5, 0)
    assert kproof("check", "--models-only", "out.csv", "--qi", "born", "--sample", "5%").out == (
        kproof("check", "--models-only", "out.csv", "--qi", "born", "--sample", "0.05").out
    )


def test_roles_that_nobody_confirmed_are_not_enough(here):
    lines = [f"{20 + place % 40},{'abcd'[place // 40 % 4]}" for place in range(320)]
    Path("data.csv").write_text("\n".join(["age,ill", *lines]))
    roles = ("--qi", "age", "--sensitive", "ill")
    assert kproof("anonymize", "data.csv", *roles, "-o", "release.csv").status == 0
    kproof("roles", "data.csv", "--output", "roles.toml")
    asked = ("check", "release.csv", "--roles", "roles.toml", "--k", "11", "--original", "data.csv")
    ran = kproof(*asked)
    assert ran.status == 4
    assert "roles.toml has the roles that kproof proposed" in " ".join(ran.out.split())
    kproof("roles", "roles.toml", "--confirm")
    assert "kproof proposed" not in " ".join(kproof(*asked).out.split())


def test_no_cell_writes_over_the_verdict(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('"a\x1b[A\nb"\n"1\x1b[2K\nholds   2"\n"2\u202e\rholds"\n', "utf-8", newline="")
    words = ("check", str(path), "--qi", "a\x1b[A\nb", "--k", "2")
    for more in ((), ("--models-only",)):
        ran = kproof(*words, *more)
        assert r"a\x1b[A\nb=1\x1b[2K\nholds" in " ".join(ran.out.split())
        assert [line[:5] for line in ran.out.splitlines()].count("FAILS") == 1
        assert not {"\x1b", "\r", "\u202e"} & {*ran.out, *ran.err}
        assert "\nholds" not in ran.out
    assert r"there are a\x1b[A" in refused("check", str(path), "--qi", "c", "--k", "2")
