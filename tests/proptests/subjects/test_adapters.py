"""Other people's anonymizers as subjects: arguments, frames, objects and programs."""

import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import cases, error_line
from foreign import Suppressor, as_it_is, one_class

import kproof
from kproof.errors import InvalidArgument
from kproof.models.methods import METHODS
from kproof.models.registry import Promise
from kproof.proptests import Command
from kproof.proptests.contract import Refusal, Subject, TableCase, Trial
from kproof.proptests.demands import NotDriven
from kproof.proptests.subjects.adapters import NothingPublished, publication, table_subject
from kproof.proptests.subjects.binding import bind
from kproof.proptests.subjects.loading import load, reference_of
from kproof.proptests.subjects.registered import own_subject, own_subjects

K = frozenset({Promise.K_ANONYMITY})
CASE = TableCase(
    {"name": ("Ann", "Bob", "Cleo"), "age": (30, 40, None), "ill": ("flu", "x, y", "flu")},
    quasi_identifiers=("age",),
    sensitive="ill",
    identifiers=("name",),
    parameters={"k": 2, "l": 2, "t": "1/3", "mu": "2/3", "alpha": "3/10", "p": 1, "seed": 7},
    categories={"flu": "mild", "x, y": "grave"},
)


def arguments(function: Callable[..., Any], case: TableCase = CASE) -> dict[str, Any]:
    return bind(function, named="it", wanted=("k", "l")).of(case)


def outcome(subject: Subject, case: TableCase = CASE) -> Any:
    return Trial(subject, case).outcome


def adapted(anonymizer: Any, *, promises: frozenset[Promise] = K, **options: Any) -> Subject:
    return table_subject(anonymizer, promises=promises, **options)


def program(line: str, **options: Any) -> Subject:
    """A program that is told no k, and promises nothing that is about k."""
    return adapted(Command(line, **options), promises=frozenset())


@cases(
        (lambda df, qi, k: 0, {"qi": ["age"], "k": 2}),
        (lambda df, feature_columns, sensitive_column, k: 0,
         {"feature_columns": ["age"], "sensitive_column": "ill", "k": 2}),
        (lambda data, ident, quasi_ident, sens_att, k, l_div: 0,
         {"ident": ["name"], "quasi_ident": ["age"], "sens_att": "ill", "k": 2, "l_div": 2}),
        (lambda x, *, QI, sensitive_attributes, K: 0,
         {"QI": ["age"], "sensitive_attributes": ["ill"], "K": 2}),
        (lambda x, quasi_identifiers, random_state=None, verbose=False: 0,
         {"quasi_identifiers": ["age"], "random_state": 7}),
        (lambda x, quasi_identifiers, categories, hierarchies: 0,
         {"quasi_identifiers": ["age"], "categories": {"flu": "mild", "x, y": "grave"},
          "hierarchies": {}}),
        (lambda x, qi, **rest: 0, {"qi": ["age"], "sensitive": "ill", "k": 2, "l": 2}),
        (lambda x, beta=1, qi=(): 0, {"qi": ["age"]}),
        (lambda *frames, k: 0, {"k": 2}),
)  # fmt: skip
def test_arguments_are_known_by_their_usual_names(function, given):
    assert arguments(function) == given


@cases(
    (lambda df, qi, supp_level, k: 0, "call= to supply supp_level, which the suite does not"),
    (lambda df, qi, k, /: 0, "call= to supply qi"),
    (lambda: 0, "a function whose first argument is a frame"),
    (lambda *, k: 0, "a function whose first argument is a frame"),
    (lambda **rest: 0, "a function whose first argument is a frame"),
    (max, "call=, as it shows no signature"),
)
def test_what_cannot_be_supplied_is_named(function, says):
    assert error_line(InvalidArgument, bind, function, named="it").startswith(
        f"anonymizer = it: need {says}"
    )


def test_fractions_become_numbers_that_ask_for_no_less():
    given = arguments(lambda df, t, mu, alpha, p: 0)
    assert given["alpha"] == 0.3
    assert given["p"] == 1
    assert Fraction(1, 3) - Fraction(given["t"]) == Fraction(1, 3) - Fraction(1 / 3)
    assert Fraction(given["t"]) < Fraction(1, 3)
    assert Fraction(2, 3) < Fraction(given["mu"]) < Fraction(2, 3) + Fraction(1, 10**15)
    assert isinstance(arguments(lambda df, t: 0, replace(CASE, parameters={"t": "1"}))["t"], int)


def test_a_table_without_what_is_required_is_refused():
    bare = replace(CASE, sensitive=None)
    found = outcome(adapted(lambda df, qi, sens, k: df), bare)
    assert isinstance(found, Refusal)
    assert (str(found), found.documented) == (
        "InvalidArgument: sens is not given: need a table that has one",
        True,
    )
    assert arguments(lambda df, sens=None: 0, bare) == {}


def test_a_function_is_given_a_frame_of_the_container():
    kinds = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}
    for container, kind in kinds.items():
        seen: list[object] = []

        def publish(frame: Any, k: int, seen: list[object] = seen) -> Any:
            seen.append(frame)
            return frame

        subject = adapted(lambda frame, k, publish=publish: publish(frame, k))
        found = outcome(subject, replace(CASE, container=container))
        assert isinstance(seen[0], kind)
        assert found.columns["ill"] == ("flu", "x, y", "flu")
        assert found.columns["age"] == (30, 40, None)
        assert found.changed == ()


@cases(
    (lambda frame: frame.__setitem__("age", 0), ("age",)),
    (lambda frame: frame.__setitem__("new", 0), ("new",)),
    (lambda frame: frame.pop("name"), ("name",)),
    (lambda frame: setattr(frame, "index", [2, 1, 0]), ("the index",)),
    (lambda frame: frame.__setitem__("k", frame["k"].astype(float)), ("k",)),
    (lambda frame: frame.copy().__setitem__("age", 0), ()),
)
def test_a_change_of_the_input_is_noted(change, columns):
    def publish(frame: Any, qi: list[str], k: int) -> Any:
        change(frame)
        return {"age": ["*"]}

    case = replace(CASE, columns={**CASE.columns, "k": (1, 2, 3)})
    assert outcome(adapted(publish, promises=frozenset()), case).changed == columns


@pytest.mark.parametrize(
    "result",
    [
        pd.DataFrame({"a": [1, 2]}, index=[5, 5]),
        pl.DataFrame({"a": [1, 2]}),
        pl.DataFrame({"a": [1, 2]}).lazy(),
        pa.table({"a": [1, 2]}),
        {"a": [1, 2]},
        np.array([[1], [2]]),
    ],
    ids=lambda result: type(result).__name__,
)
def test_what_is_returned_may_be_any_frame(result):
    found = publication(result, ["a"])
    assert (found.columns, found.release) == ({"a": (1, 2)}, None)


def test_a_release_is_read_with_its_account():
    roles = {"quasi_identifiers": ["Age"], "sensitive": "Disease", "identifiers": ["ID", "Name"]}
    release = kproof.anonymize("mondrian", "table-1a", **roles, k=4)
    found = publication(release)
    assert found.release is release
    assert (set(found.columns), found.rows) == ({"Age", "Disease"}, 12)


def test_nothing_published_is_a_refusal():
    for nothing in (None, pd.DataFrame({"a": []}), pd.DataFrame(), {}):
        with pytest.raises(NothingPublished):
            publication(nothing)
    found = outcome(adapted(lambda frame, k: None))
    assert (str(found), found.documented) == ("NothingPublished: it returned None", True)
    for odd, says in (("text", "a thing of type str, which is no frame"), (np.zeros(3), "shape")):
        with pytest.raises(TypeError, match=says):
            publication(odd, ["a"])


def test_errors_are_documented_or_not():
    def fail(error: BaseException) -> Any:
        def publish(frame: Any, k: int) -> None:
            raise error

        return adapted(publish, errors=(LookupError,))

    assert outcome(fail(KeyError("k"))).documented
    assert outcome(fail(InvalidArgument("k", 1, "more"))).documented
    assert not outcome(fail(ValueError("k"))).documented
    found = outcome(fail(SystemExit(4)))
    assert (str(found), found.documented) == (
        "RuntimeError: it ended the process with status 4",
        False,
    )


@pytest.mark.parametrize("anonymizer", [Suppressor, Suppressor()], ids=["class", "object"])
def test_estimators_are_new_for_each_table(anonymizer):
    subject = adapted(anonymizer)
    assert subject.parameters == {"k"}
    for _ in range(2):
        found = outcome(subject)
        assert dict(found.columns) == {"age": ("*", "*", "*"), "ill": ("flu", "flu", "x, y")}
    assert "3 rows, k = 4" in str(outcome(subject, replace(CASE, parameters={"k": 4})))


def test_an_estimator_with_one_step():
    class Both:
        def fit_transform(self, frame: Any) -> Any:
            return frame

    assert outcome(adapted(Both(), promises=frozenset())).rows == 3
    with pytest.raises(InvalidArgument, match="need a function, or an object with fit_transform"):
        adapted(object())


def test_a_call_of_ones_own():
    def odd(data: Any, level: int, names: str) -> Any:
        return data[[names]].assign(level=level)

    subject = adapted(
        odd, call=lambda fn, frame, case: fn(frame, case.parameters["k"], case.sensitive)
    )
    assert (subject.parameters, subject.recipe, subject.reference) == ({"k"}, None, None)
    assert outcome(subject).columns["level"] == (2, 2, 2)


def test_promises_need_their_parameters():
    diverse = frozenset({Promise.L_DIVERSITY})
    with pytest.raises(NotDriven, match="l-diversity: the method has no argument that sets l; say"):
        table_subject(one_class, promises=diverse)
    assert table_subject(lambda df, qi, k, ell: df, promises=diverse).parameters == {"k", "l"}
    assert table_subject(lambda df, **more: df, promises=diverse).parameters == {"k", "l"}
    called = table_subject(max, promises=diverse, call=lambda fn, frame, case: frame)
    assert called.parameters == {"k", "l"}
    assert adapted(one_class, parameters=["k", "mu"]).parameters == {"k", "mu"}


def test_references():
    assert reference_of(one_class) == "foreign:one_class"
    assert load("foreign:one_class") is one_class
    assert load("foreign:Suppressor.fit") is Suppressor.fit
    assert reference_of(Suppressor.fit) == "foreign:Suppressor.fit"
    assert reference_of(partial(one_class, k=2)) is None
    assert reference_of(Suppressor()) is None
    subject = adapted("foreign:as_it_is")
    assert (subject.name, subject.reference) == ("foreign:as_it_is", "foreign:as_it_is")
    assert adapted(as_it_is).recipe == subject.recipe
    assert subject.recipe is not None
    again = load(subject.recipe[0])(*subject.recipe[1:])
    assert outcome(again).columns == outcome(subject).columns
    assert again.parameters == subject.parameters == {"k"}


def test_a_module_of_the_working_directory(here, monkeypatch):
    (here / "lying_about.py").write_text("def publish(frame, k):\n    return frame\n")
    (here / "half_done.py").write_text("def publish(frame, k:\n")
    (here / "leaving.py").write_text("raise SystemExit('bye')\n")
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert adapted("lying_about:publish").parameters == {"k"}
    for reference, says in {
        "lying_about:publsh": "a name in lying_about; it has no publsh",
        "half_done:publish": "a module that can be imported; SyntaxError: ",
        "leaving:publish": "a module that can be imported; SystemExit: bye",
        "no_such:publish": "a module that can be imported; ModuleNotFoundError: No module named",
        "lying_about:": "package.module:function",
        ".:x": "a module that can be imported; TypeError",
    }.items():
        assert error_line(InvalidArgument, load, reference).startswith(
            f"anonymizer = {reference}: need {says}"
        )


PROGRAM = f"{sys.executable} -c 'import foreign,sys; foreign.program(*sys.argv[1:])'"
LINE = PROGRAM + " {input} {output} {k} {qi} {sensitive}"


@pytest.fixture
def on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2] / "support"))
    # The interpreter is enough; what a site adds would only take time.
    monkeypatch.setenv("PYTHONNOUSERSITE", "1")


@pytest.mark.usefixtures("on_the_path")
def test_a_program_reads_and_writes_csv():
    subject = adapted(Command(LINE))
    assert subject.parameters == {"k"}
    found = outcome(subject)
    assert dict(found.columns) == {"age": ("*", "*", "*"), "ill": ("flu", "x, y", "flu")}
    found = outcome(subject, replace(CASE, parameters={"k": 4}))
    assert (str(found), found.documented) == ("Failed: exit status 3: too few rows", True)


def test_cells_come_back_as_the_values_they_are_the_text_of():
    line = f"{sys.executable} -S -c 'import shutil,sys; shutil.copy(*sys.argv[1:])' "
    columns = {"age": (30, 2.5, None), "ill": ("a\nb", '"', "30"), "dead": (True, False, True)}
    case = replace(CASE, columns=columns)
    assert outcome(program(line + "{input} {output}"), case).columns == columns


def test_programs_that_say_nothing():
    run = f"{sys.executable} -S -c "
    header = program(run + '\'import sys; open(sys.argv[2], "w").write("a")\' {input} {output}')
    assert str(outcome(header)) == "NothingPublished: it wrote no rows"
    found = outcome(program(run + "'import time; time.sleep(60)' {input} {output}", timeout=0.2))
    assert isinstance(found, Refusal)
    assert str(found) == "NoAnswer: did not answer within 0.2 s"
    assert not found.documented
    absent = outcome(program("no-such-program {input} {output}"))
    assert str(absent).startswith("FileNotFoundError")
    assert not absent.documented


@cases(
    ("import sys", "it ended with status 0 and wrote no file"),
    ("open(sys.argv[2], 'w')", "it ended with status 0 and wrote an empty file"),
    ("sys.exit(1)", "it ended with status 1 and without a word"),
    ("print('no rows', file=sys.stderr); sys.exit(126)", "it ended with status 126: no rows"),
    ("sys.exit(255)", "it ended with status 255"),
    ("import os; os.kill(os.getpid(), 11)", "it was ended by signal 11"),
    (
        "raise ValueError('k is too large')",
        "it ended with status 1 and a traceback: ValueError: k is too large",
    ),
    ("open(sys.argv[2], 'w').write('age,age\\n1,2\\n')", "it wrote column age 2 times"),
    (
        "open(sys.argv[2], 'w').write('age,ill\\n1,2,3\\n')",
        "it wrote 3 cells in row 1 under 2 names",
    ),
    (
        "open(sys.argv[2], 'wb').write(b'age\\n\\xff\\n')",
        "it wrote what is no CSV file in UTF-8: 'utf-8' codec can't decode byte 0xff in "
        "position 4: invalid start byte",
    ),
)
def test_a_program_that_neither_publishes_nor_refuses(script, says):
    line = shlex.join([sys.executable, "-S", "-c", f"import sys; {script}"])
    found = outcome(program(f"{line} {{input}} {{output}}"))
    assert isinstance(found, Refusal)
    assert (str(found), found.documented) == (f"Crashed: {says}", False)


@pytest.mark.parametrize("stream", ["stderr", "stdout"])
@pytest.mark.parametrize("status", [1, 125])
def test_a_program_refuses_with_a_status_and_a_word(stream, status):
    script = f"import sys; print('k is too large', file=sys.{stream}); sys.exit({status})"
    line = shlex.join([sys.executable, "-S", "-c", script])
    found = outcome(program(f"{line} {{input}} {{output}}"))
    assert isinstance(found, Refusal)
    assert (str(found), found.documented) == (f"Failed: exit status {status}: k is too large", True)


@cases(
    'Exception in thread "main" java.lang.NullPointerException\n\tat A.main(A.java:3)',
    "thread 'main' panicked at src/main.rs:2:5:\nboom",
    "panic: boom\n\ngoroutine 1 [running]:\nmain.main()",
    "Error: boom\n    at Object.<anonymous> (/x/a.js:1:7)",
    "Unhandled exception. System.Exception: boom",
)
def test_what_other_languages_print_of_a_crash(said):
    from kproof.proptests.subjects.command import Crashed, Failed, _failure_of

    assert isinstance(_failure_of(1, said.encode()), Crashed)
    assert isinstance(_failure_of(1, b"Error in publish(k): k = 9 exceeds 4 rows"), Failed)


def test_columns_that_make_no_frame_are_no_refusal() -> None:
    found = outcome(adapted(lambda frame, qi, k: {"age": [1, 2], "ill": ["flu"]}))
    assert not found.documented
    assert str(found).startswith("NoPublication: it returned what nobody can read: All arrays must")


def test_a_frame_with_a_column_twice_is_no_refusal() -> None:
    def twice(frame: Any, quasi_identifiers: list[str], k: int) -> Any:
        return pd.concat([frame, frame], axis=1)

    found = outcome(adapted(twice))
    assert isinstance(found, Refusal)
    assert not found.documented
    assert str(found).startswith(
        "NoPublication: it returned a frame in which column name is there 2"
    )


@cases(
    ("tool {input}", "{output} in it"),
    ("tool '{input} {output}", "balanced quotes: No closing quotation"),
    ("tool {input} {output} {level}", "names it can be given, not {level}"),
)
def test_lines_that_cannot_be_filled_in(line, says):
    assert error_line(InvalidArgument, Command, line) == f"command = {line!r}: need {says}"


def test_every_registered_method_is_a_subject_with_its_promises():
    subjects = {subject.name: subject for subject in own_subjects()}
    for name, method in METHODS.items():
        more = [one.promises for key, one in subjects.items() if key.startswith(f"{name} with ")]
        assert subjects[name].promises.union(*more) == method.promises
        assert {"k", "min_k"} & set(subjects[name].parameters)
    asked = {Promise.L_DIVERSITY, Promise.T_CLOSENESS, Promise.THETA_SENSITIVITY}
    assert subjects["mondrian"].promises == METHODS["mondrian"].promises - asked
    assert subjects["mondrian with t"].promises == subjects["mondrian"].promises | {
        Promise.T_CLOSENESS
    }
    assert subjects["mondrian with t"].parameters == {"k", "partitioning", "cuts", "t", "weight"}
    assert subjects["theta-sensitive"].parameters >= {"k", "mu"}
    for subject in subjects.values():
        assert subject.recipe is not None
        again = load(subject.recipe[0])(*subject.recipe[1:])
        assert (again.promises, again.parameters) == (subject.promises, subject.parameters)
    with pytest.raises(NotDriven, match="l-diversity: the method has no argument that sets l; say"):
        own_subject("kaca", "l-diversity")


def test_a_registered_method_publishes_with_its_account():
    found = outcome(own_subject("mondrian"), replace(CASE, parameters={"k": 3, "unknown": 1}))
    assert found.release.method == "mondrian"
    assert len(set(found.columns["age"])) == 1
    assert found.changed == ()
    assert "name" not in found.columns
