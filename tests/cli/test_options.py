"""Groups of options: what is typed is said again, and a group is read wherever it is inherited."""

import pytest
from cyclopts import App
from shell import kproof

from kproof.cli.base.columns import FileOptions, SourceColumns, pairs
from kproof.cli.base.common import OptionGroup
from kproof.cli.releases.anonymize_safe import SafePath
from kproof.errors import InvalidArgument

COLUMNS = SourceColumns(
    header="yes",
    missing=("-", "n/a"),
    roles_file="roles.toml",
    qi=("age, sex", "zip"),
    person="who",
    taxonomy=("age=a,b.csv", "zip=zip.csv"),
    code=("zip",),
    most_members="4",
    ladder=("age=range:5,10", "zip=prefix"),
    least_level=("age=1",),
)
PATH = SafePath(audience="agreement", released=("a,b.csv", "c.csv"), exact=("pay",), force=True)


def read_again(options: OptionGroup) -> OptionGroup:
    """Return what a command line makes of the words that a group says."""
    app = App(result_action="return_value")

    def reading(*, group: OptionGroup = type(options)()) -> OptionGroup:  # noqa: B008
        return group

    reading.__annotations__["group"] = type(options)
    app.default(reading)
    group: OptionGroup = app(options.words())
    return group


@pytest.mark.parametrize("options", [COLUMNS, PATH, SourceColumns(), SafePath()])
def test_what_is_said_again_is_read_as_it_was_typed(options):
    again = read_again(options)
    assert again.words() == options.words()
    assert again == options or options is COLUMNS  # whose names are joined by one comma


def test_names_are_joined_and_other_values_repeated():
    words = COLUMNS.words()
    assert words[words.index("--qi") + 1] == "age,sex,zip"
    assert words.count("--ladder") == 2
    assert COLUMNS.words(FileOptions) == ["--header", "yes", "--missing=-", "--missing=n/a"]


@pytest.mark.parametrize("words", [("--code", "age"), ("--missing-as", "value")])
def test_a_report_refuses_what_it_would_ignore(words, tmp_path):
    ran = kproof("report", "table-1a", *words, "-o", str(tmp_path))
    assert (ran.status, ran.err) == (
        2,
        f"kproof: {words[0]} = {words[1]}: need --qi NAME,NAME,... with it\n",
    )
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("value", ["", "1", "10"])
def test_a_name_is_given_a_value_once(value: str) -> None:
    with pytest.raises(InvalidArgument, match="need a once only"):
        pairs("set", (f"a={value}", f"a={value}"))
