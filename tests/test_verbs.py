"""Python says what the command line says, in the same words, and refuses in one line."""

import io
import json
import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from shell import kproof as run
from shell import typed

import kproof
from kproof.cli.base.options import as_typed
from kproof.errors import speak

SICK: dict[str, Any] = {"qi": ["Age", "Country"], "sensitive": "Disease", "drop": "Zip Code"}
NAMED: dict[str, Any] = {**SICK, "identifier": ["ID", "Name"]}
WORDS = typed("--qi Age,Country --sensitive Disease --drop 'Zip Code' --identifier ID,Name")
FRAME = pd.DataFrame({"age": [1, 2, 3, 4] * 3, "zip": [5, 6] * 6, "ill": list("abcd") * 3})
ROLES: dict[str, Any] = {"qi": ["age", "zip"], "sensitive": "ill"}


def printed(*words: str) -> dict[str, Any]:
    """Return what a command prints with --json, as a result has it."""
    document: dict[str, Any] = json.loads(run(*words, "--json").out)
    del document["document"]
    return document


def said(result: Any, **arguments: object) -> dict[str, Any]:
    """Return the JSON form of a result, through JSON."""
    document: dict[str, Any] = json.loads(json.dumps(result.to_dict(**arguments)))
    return document


CASES: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "check": (
        lambda: kproof.check("table-1a", k=2, l={"Disease": 2}, **NAMED),
        ["check", "table-1a", *typed("--k 2 --l Disease=2"), *WORDS],
    ),
    "check, nothing asked": (
        lambda: kproof.check("table-1a", known_sensitive=True, audience="agreement", **NAMED),
        ["check", "table-1a", *typed("--known-sensitive --audience agreement"), *WORDS],
    ),
    "attack": (
        lambda: kproof.attack("homogeneity", "table-1a", original="table-1a", tau="1/2", **NAMED),
        ["attack", "homogeneity", "table-1a", *typed("--original table-1a --tau 1/2"), *WORDS],
    ),
    "compare": (
        lambda: kproof.compare("table-1a", methods=["mondrian", "kaca"], k=[2, 4], **NAMED),
        ["compare", "table-1a", *typed("--methods mondrian,kaca --k 2,4"), *WORDS],
    ),
    "report": (
        lambda: kproof.report("table-1a", sections=["decision"], **NAMED),
        ["report", "table-1a", *typed("--sections decision"), *WORDS],
    ),
    "report without roles": (
        lambda: kproof.report("table-4a", sections="decision"),
        ["report", "table-4a", "--sections", "decision"],
    ),
    "anonymize": (
        lambda: kproof.anonymize("table-1a", k=4, seed=1, output="out.csv", **NAMED),
        ["anonymize", "table-1a", *typed("--k 4 --seed 1 -o out.csv"), *WORDS],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_verb_answers_what_its_command_prints(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, words = CASES[case]
    # Sentences that say which option would help name it as whoever called it writes it.
    with speak(as_typed):
        here = said(call())
    there = printed(*words)
    # Of a report it says where the page is, of a comparison how long each attempt took.
    there.pop("report", None)
    for one in (*here.get("candidates", ()), *there.get("candidates", ())):
        del one["seconds"]
    assert (here | {"schema": here.pop("schema", there["schema"])}) == there


cells = st.sampled_from(["", "a", "b,c", 'd"e', "f;g", "7"])
names = st.permutations(["born;on", "last, first", 'the "ill"', "zip"])
rows = st.lists(st.tuples(st.integers(0, 3), cells, cells, cells), min_size=1, max_size=8)


@settings(max_examples=25, deadline=None)
@given(names, rows, st.integers(1, 4), st.sampled_from([pd.DataFrame, pl.DataFrame, pa.table]))
def test_a_frame_is_judged_as_the_file_that_it_would_be_written_as(columns, values, k, kind):
    data = dict(zip(columns, map(list, zip(*values, strict=True)), strict=True))
    text = io.StringIO()
    pd.DataFrame(data).to_csv(text, index=False)
    known, secret = columns[:2], columns[2]
    quoted = [f'"{name.replace(chr(34), 2 * chr(34))}"' for name in columns]
    words = ["--qi", ",".join(quoted[:2]), "--sensitive", quoted[2], "--drop", quoted[3]]
    options: dict[str, Any] = {"qi": known, "sensitive": [secret], "drop": [columns[3]]}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.getvalue().encode())))
        there = run("check", "-", "--header", "yes", "--k", str(k), *words, "--json")
    if there.status == 2:
        with pytest.raises(kproof.KProofError):
            kproof.check(kind(data), k=k, **options)
        return
    with speak(as_typed):
        here = said(kproof.check(kind(data), k=k, **options))
    assert {**here, "document": "check"} == json.loads(there.out)


@pytest.mark.parametrize("models", [{"k": 3}, {"k": 4, "l": 2}, {"t": "1/5"}])
def test_a_release_at_hand_is_judged_by_the_same_words(models):
    release = kproof.anonymize("mondrian", FRAME, k=3, **ROLES)
    result = kproof.check(release, **models)
    written = kproof.check(release.to_frame(), **models, **ROLES)
    assert [one.word for one in result.verdicts] == [one.word for one in written.verdicts]
    assert result.judgement is not None
    in_models = [kproof.KAnonymity(3)]
    assert kproof.check(release, in_models)[0].word == kproof.check(release, k=3).verdicts[0].word


def test_rows_are_given_only_if_they_may_be_published():
    crowd = pd.concat([FRAME.assign(ill=value) for value in "abcdefgh" * 4], ignore_index=True)
    good = kproof.anonymize(pl.from_pandas(crowd), qi=["age"], sensitive="ill", drop="zip")
    assert good.judgement.green
    frame: Any = good.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert sorted(frame["ill"]) == sorted(crowd["ill"])
    with pytest.raises(kproof.KProofError, match="do not publish"):
        kproof.anonymize(FRAME, **ROLES).to_frame()


def test_a_report_is_written_where_it_is_saved_and_nowhere_else(here):
    import kproof.report.badge  # which must not take the place of the function

    result = kproof.report(FRAME, sections="decision", **ROLES)
    assert [*here.iterdir()] == []
    assert result.save("here").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    written = json.loads((here / "here" / "report.json").read_text(encoding="utf-8"))
    del written["schema"], written["document"]
    assert {"schema": 2, **written} == said(result)


def results() -> Iterator[Any]:
    """Yield results of the verbs and of what they rest on."""
    release = kproof.anonymize("mondrian", FRAME, k=3, **ROLES)
    yield from (release, kproof.check(FRAME, k=2, **ROLES), kproof.check(FRAME, **ROLES))
    yield kproof.report(FRAME, sections="decision", **ROLES)
    yield kproof.compare(FRAME, methods="mondrian", k=[2, 3], **ROLES)
    yield kproof.theory.compare(1, n=60, p="0.71", k=33, epsilon="0.9")
    yield kproof.anonymize(FRAME, **ROLES)
    yield kproof.attack("homogeneity", release.to_frame(), original=FRAME, **ROLES)
    yield from (kproof.attack("linkage", release), kproof.risk(release))
    yield from (kproof.propose_roles(FRAME), *kproof.check(release, kproof.KAnonymity(2)))
    yield kproof.bound(1, n=60, p="0.71", k=33, epsilon="0.9")


def test_results_are_short_and_show_themselves():
    drawn = 0
    for one in results():
        text = repr(one)
        assert text.count("\n") < 5, text
        assert len(text) < 1000, text
        assert one._repr_html_().startswith("<")
        if hasattr(one, "plot"):
            drawn += 1
            assert one.plot()._repr_svg_().startswith("<svg")
    assert drawn == 7


def test_the_chart_of_sizes_counts_whoever_is_alone():
    assert "1 of 5 alone in a class" in repr(
        kproof.check(pd.DataFrame({"a": [1, 2, 2, 3, 3]}), qi=["a"], rows_are_people=True).plot()
    )


VERBS: dict[str, Callable[..., Any]] = {
    "report": kproof.report,
    "check": kproof.check,
    "compare": kproof.compare,
    "anonymize": kproof.anonymize,
    "by a method": partial(kproof.anonymize, "mondrian"),
    "attack": partial(kproof.attack, "homogeneity"),
    "risk": kproof.risk,
    "read_table": kproof.read_table,
    "from_frame": kproof.Table.from_frame,
}
WRONG: tuple[dict[str, Any], ...] = (
    *({"qi": wrong} for wrong in ("agee", 3, object(), ["age", "age"], ["age", None])),
    *({**ROLES, name: 3} for name in ("quasi", "qis", "kk", "sens", "column")),
    *({**ROLES, name: "who"} for name in ("person", "other", "missing_as", "both")),
    {"sensitive": "ill"},
    {**ROLES, "quasi_identifiers": ["age"]},
    {**ROLES, "sensitive": "disease"},
)
OF_ONE: tuple[tuple[str, dict[str, Any]], ...] = (
    *(("report", {**ROLES, "k": k}) for k in ("five", True, math.nan, 1)),
    *(("report", {name: "all"}) for name in ("sections", "audience", "original")),
    *(("check", {**ROLES, "k": k}) for k in ("five", 0)),
    *(
        ("check", wrong)
        for wrong in ({}, {"k": 2}, {**ROLES, "l": {"pay": 2}}, {**ROLES, "t": "x"})
    ),
    *(("check", {**ROLES, "models": m}) for m in ("k-anonymity", kproof.KAnonymity, [3], 5)),
    ("check", {"models": kproof.KAnonymity(3)}),
    *(("anonymize", wrong) for wrong in ({}, {**ROLES, "k": "x"}, {**ROLES, "keep": "who"})),
    *(("by a method", {**ROLES, "k": k}) for k in (None, "x", 100)),
    ("by a method", {"k": 3}),
    *(("compare", {**ROLES, "methods": "kaca", name: "x"}) for name in ("k", "chance", "jobs")),
    ("compare", {**ROLES, "methods": "mondrain"}),
    *(("attack", wrong) for wrong in ({"qi": "age"}, {**ROLES, "original": 3})),
)


NO_TEXTS: tuple[Any, ...] = (
    *(5, -1, math.nan, True, np.int64(3), np.bool_(True), 10**5000, 3j, object(), int),
    *(b"x", {"a": 1}, [["x"]], FRAME),
)
NO_WORDS: dict[str, tuple[Any, ...]] = {
    "missing": (*NO_TEXTS, "\ud800"),
    "person": NO_TEXTS,
    "suppressed": NO_TEXTS,
    "output": (*NO_TEXTS[:-2], {"a": 1}, False, np.array([2, 3])),
    "k": (False, np.bool_(False), math.nan, 10**5000, b"3", 3j, [], {}, object(), FRAME),
    "header": (False,),
    "qi": (*NO_TEXTS[:-1], FRAME, ""),
    "sensitive": NO_TEXTS,
}


@pytest.mark.parametrize("name", NO_WORDS)
@pytest.mark.parametrize("verb", ["report", "check", "anonymize", "attack", "compare"])
def test_a_value_of_another_kind_is_refused(name, verb):
    if name in {"check": ("output",), "attack": ("output", "k", "header")}.get(verb, ()):
        return
    for value in NO_WORDS[name]:
        if isinstance(value, str) and verb == "attack" and value:
            continue  # a frame may hold half a character; no file is written
        with pytest.raises(kproof.KProofError) as caught:
            VERBS[verb](FRAME, **{**ROLES, name: value})
        assert "\n" not in str(caught.value), value


def test_names_of_a_frame_and_iterators_are_lists():
    for names in (FRAME.columns[:2], (name for name in ("age", "zip")), np.array(["age", "zip"])):
        assert len(kproof.check(FRAME, qi=names, sensitive="ill").sizes) == 4
    gaps = (cell for cell in ("a", "b"))
    assert (
        kproof.check(FRAME, missing=gaps, **ROLES).to_dict()
        == kproof.check(FRAME, missing=["a", "b"], **ROLES).to_dict()
    )


@cases(
    ((number for number in (1, 2)), r"models = \(1, 2\): need models such as"),
    (iter(()), r"models = \(\): need at least one model"),
    ({"ill": (number for number in (1, 2))}, "models = 1: need models such as"),
)
def test_iterators_of_what_are_no_models_are_refused(models, says):
    with pytest.raises(kproof.InvalidArgument, match=says):
        kproof.check(FRAME, models, **ROLES)


@pytest.mark.parametrize("verb", VERBS)
def test_a_wrong_call_is_refused_in_one_line_of_python(verb):
    release = kproof.anonymize("mondrian", FRAME, k=3, **ROLES)
    no_data = (3, None, [1], {"age": [1]}, b"age", "no.csv", FRAME["age"], FRAME[[]])
    wrong = [(FRAME, options) for options in WRONG]
    wrong += [(FRAME, options) for name, options in OF_ONE if name == verb]
    wrong += [(data, ROLES) for data in no_data if data is not None or verb != "report"]
    wrong += [(data, {"qi": ["age"]}) for data in (release, release.table)]
    for data, options in wrong:
        with pytest.raises(kproof.KProofError) as caught:
            VERBS[verb](data, **options)
        line = str(caught.value)
        assert "\n" not in line
        assert "--" not in line.replace("--help", "")


def test_what_is_called_in_a_wrong_order_is_told_so():
    calls: dict[str, Callable[[], Any]] = {
        "the name of a method, then the data": lambda: VERBS["anonymize"](FRAME, "mondrian"),
        "the table that mondrian is": lambda: kproof.anonymize("mondrian"),
        "did you mean mondrian": lambda: kproof.anonymize("mondrain", FRAME, **ROLES),
        "did you mean homogeneity": lambda: kproof.attack("homogenity", FRAME, **ROLES),
        "kproof.theory.compare": lambda: kproof.compare(2, data=[1, 2, 3]),
        "source is not given": lambda: VERBS["read_table"](),
    }
    for words, call in calls.items():
        with pytest.raises(kproof.KProofError, match=words):
            call()


SHOWN_APART: dict[str, Any] = {
    "two zeros": pd.Series([0.0] * 5 + [-0.0] + [2.5] * 6),
    "two zones": [pd.Timestamp("2020-01-01T00:00Z")] * 5
    + [pd.Timestamp("2020-01-01T01:00+01:00")]
    + [pd.Timestamp("2021-01-01T00:00Z")] * 6,
    "two scales": [Decimal("1.0")] * 5 + [Decimal("1.00")] + [Decimal("2")] * 6,
    "two kinds inside": [(1,)] * 5 + [(True,)] + [(2,)] * 6,
}


@pytest.mark.parametrize("name", SHOWN_APART)
def test_equal_values_that_look_different_are_apart(name, tmp_path):
    frame = pd.DataFrame({"a": pd.Series(SHOWN_APART[name]), "s": ["x", "y"] * 6})
    [verdict] = kproof.check(frame, k=3, qi=["a"], sensitive="s").verdicts
    frame.to_csv(tmp_path / "a.csv", index=False)
    words = typed("--k 3 --qi a --sensitive s")
    assert printed("check", str(tmp_path / "a.csv"), *words)["verdicts"][0]["holds"] is False
    assert verdict.holds is False


UNREADABLE: dict[str, tuple[str, Callable[[], object]]] = {
    "nanoseconds": (
        "column a has a time finer than a microsecond",
        lambda: pl.DataFrame({"a": [0, 1]}).cast(pl.Time),
    ),
    "blanks": ("column a: 'x ' has blanks at its ends", lambda: pl.DataFrame({"a": ["x", "x "]})),
    "an index": (
        r"the frame has an index called \['name'\]",
        lambda: pd.DataFrame({"a": [1, 2]}, index=pd.Index(["Ann", "Bo"], name="name")),
    ),
    "numbers as names": ("a column is called 0, which", lambda: pd.DataFrame([[1], [1]])),
    "records": ("column a holds Struct", lambda: pl.DataFrame({"a": [{"x": 1}, {"x": 2}]})),
    "half a character": (
        "a cell has half a character",
        lambda: pd.Series(["\ud800"], name="a", dtype=object).to_frame(),
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_no_file_would_show_is_refused(name):
    words, frame = UNREADABLE[name]
    with pytest.raises(kproof.KProofError, match=words):
        kproof.check(frame(), k=2, qi=["a"])


def test_no_model_is_no_check():
    assert "at least one model" in error_line(kproof.KProofError, kproof.check, FRAME, [], **ROLES)
