"""``kproof compare``: what is printed and written of a frontier, and what is refused."""

from cases import cases
from shell import kproof, printed, refused, typed

ROLES = ("table-1a", "--qi", "Age", "--sensitive", "Disease", "--identifier", "ID,Name")


def test_what_is_printed(tmp_path):
    picture, rows = tmp_path / "f.svg", tmp_path / "f.csv"
    words = ("--methods", "mondrian,kaca", "--k", "2,4,20", "--l", "2")
    out = printed(
        *typed("compare --audience=study"),
        *ROLES,
        *words,
        *typed("--picture {picture} --output {rows}", picture=picture, rows=rows),
    )
    assert "*   mondrian   2   0.1413   1 in 3      1 in 2" in out
    assert "kaca, k=2: l-diversity(l=2): fails" in out
    assert "mondrian, k=20: k = 20: need 2 <= k <= 12" in out
    assert out.endswith(f"written: {picture}\nwritten: {rows}\n")
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    assert rows.read_text(encoding="utf-8").startswith("method,k,suppress,best,loss,")


def test_a_setting_of_one_method():
    ran = kproof(
        *(
            *typed("compare --audience=study"),
            *ROLES,
            *typed("--categories table-3 --methods p-plus-sensitive,mondrian"),
        ),
        *("--k", "2", "--set", "p-plus-sensitive.p=2", "--json"),
    )
    first, second = ran.document["candidates"]
    assert (first["parameters"], first["best"]) == ({"k": 2, "p": "2"}, True)
    assert second["parameters"] == {"k": 2}
    ran = kproof("compare", "--audience=study", *ROLES, "--methods", "p-plus-sensitive", "--k", "2")
    assert ran.status == 4
    assert ran.out.startswith("p-plus-sensitive: left out, it needs categories of its values")


def test_what_is_published_beside_it_is_named():
    ran = kproof(
        *typed("compare --audience=study"),
        *ROLES,
        *typed("--other Country --methods mondrian --k 2"),
    )
    assert "not considered: Country (published as it is)\n" in ran.out
    assert "single out 6 rows, the most on the frontier\n" in ran.out


def test_a_roles_file_says_what_columns_are_and_which_methods_can_heed_it(tmp_path):
    file = tmp_path / "roles.toml"
    columns = {
        "Age": 'role = "quasi-identifier"\nladder = "range:10,20,40"\nlevel = 1',
        "Disease": 'role = "sensitive"',
        **dict.fromkeys(("ID", "Name", "'Zip Code'", "Country"), 'role = "drop"'),
    }
    file.write_text("".join(f"[columns.{name}]\n{text}\n" for name, text in columns.items()))
    asked = ("compare", "--audience=study", "table-1a", "--roles", str(file), "--k", "2")
    ran = kproof(*asked, "--suppress", "0,25%", "--json")
    none, some = ran.document["candidates"]
    assert (none["method"], none["parameters"]) == ("full-domain", {"k": 2, "levels": "Age=1"})
    assert (some["problem"], some["suppress"]) == ("", "1/4")
    heed = "it has no use for levels, which columns Age have in"
    assert ran.document["methods_left_out"]["kaca"].startswith(heed)
    assert refused(*asked, "--methods", "kaca").endswith(
        "has no use for levels, which columns Age have"
    )


@cases(
    (("--k", "1"), "--k = 1: need a whole number k >= 2"),
    (("--suppress", "101%"), "--suppress = 101%: need 0 to 1, or 0% to 100%"),
    (("--methods", "mondrain"), "--methods = mondrain: need one of mondrian,"),
    (("--set", "k=2"), "--set = k=2: need METHOD.NAME=VALUE"),
    (("--set", "mondrian.x=1"), "x = 1: need a parameter of mondrian"),
    (("--picture", "f.pdf"), "--picture = f.pdf: need a name that ends in .png or .svg"),
    (("--alpha", "1"), "--alpha = 1: need --p with it"),
    (("--jobs", "none"), "--jobs = none: need a whole number jobs >= 1"),
)
def test_bad_input_is_one_line(words, says, here):
    assert refused("compare", "--audience=study", *ROLES, *words, "--output", "f.csv").startswith(
        says
    )
    assert not list(here.iterdir())
