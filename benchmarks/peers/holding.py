"""What the scripts of this folder share: methods of a library, the input it documents, and a run.

Each script runs in an environment that has one library and kproof, from the folder above, as
``python -m peers.LIBRARY``. It writes one line of JSON for each method and each kind of input:

- *documented*: what the library's documentation speaks of, and requests that can be met;
- *infeasible*: the same, and requests that no publication can meet;
- *missing values*, *awkward column names*, *row labels*: what most documentation is silent about.
"""

import contextlib
import io
import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from typing import Any

from hypothesis import strategies as st

from kproof import check_anonymizer
from kproof.models.registry import Kind, Promise
from kproof.proptests.api import subject_of
from kproof.proptests.checks.feasibility import impossible
from kproof.proptests.contract import Source, Subject, TableCase, TableVerdict
from kproof.proptests.labels.frames import frame_of
from kproof.proptests.oracles import DEFINITIONS
from kproof.proptests.strategies.table_sources import SOURCES
from kproof.proptests.strategies.tables import TableShape, table_cases
from kproof.proptests.strategies.values import Values
from kproof.proptests.time_limit import NAME

NUMBERS = (Values.INTEGERS, Values.DECIMALS, Values.SIGNED)
NUMBERS_AND_TEXT = (Values.INTEGERS, Values.LETTERS, Values.DECIMALS, Values.SIGNED)
TEXT = (Values.LETTERS,)

BEYOND = ("missing values", "awkward column names", "row labels")
"""Sources of input that a documentation seldom speaks of, and users have."""

INPUTS = ("documented", "infeasible", *BEYOND)

SECONDS = 5
"""What one call of a library may take; some do not come to an end on repeated row labels."""

DECIDING = ("agrees with brute force", "checker idempotent", "refuses clearly", NAME)
"""The checks of checkers."""

_FINITE = "every table of up to 4 rows over 2 values"


def documented(
    kinds: tuple[Values, ...] = NUMBERS_AND_TEXT, *, finite: bool = True, **options: Any
) -> tuple[Source, ...]:
    """Return sources of complete tables with plain names and the usual row labels.

    Args:
        kinds: Of quasi-identifiers; the sensitive column is text unless the options say otherwise.
        finite: Whether every small table over two numbers is among them.
        **options: For every :class:`~kproof.proptests.strategies.tables.TableShape`.
    """
    given: dict[str, Any] = {"kinds": kinds, "sensitive_kinds": TEXT, **options}
    shapes = {
        "plain": TableShape(**given),
        "many duplicates": TableShape(**{**given, "breadth": 2}),
    }
    small = tuple(one for one in SOURCES if finite and one.name == _FINITE)
    return (*_drawn(shapes), *small)


def beyond(kinds: tuple[Values, ...] = NUMBERS_AND_TEXT, **options: Any) -> tuple[Source, ...]:
    """Return the sources of :data:`BEYOND`."""
    given: dict[str, Any] = {"kinds": kinds, "sensitive_kinds": TEXT, **options}
    drawn = _drawn(
        {
            BEYOND[0]: TableShape(**{**given, "missing": True}),
            BEYOND[1]: TableShape(
                **{**given, "names": ("index", "class", "a, b"), "sensitive": "count"}
            ),
        }
    )
    return (*drawn, Source(BEYOND[2], Kind.TABLE, _one_labelled, _labelled))


def _labelled(names: frozenset[str]) -> Iterator[TableCase]:
    """Run through the smallest tables that tell row labels from positions."""
    own, secret = (0, 0, 1, 1), ("a", "a", "b", "b")
    known = {"k": 2, "l": 2, "t": "2/5", "beta": "1/2", "alpha": "1/2"}
    request = {name: value for name, value in known.items() if name in names}
    for index in (
        (3, 2, 1, 0),
        (0, 2, 1, 3),
        (7, 8, 9, 10),
        (0, 0, 1, 1),
        ("r0", "r1", "r2", "r3"),
    ):
        yield TableCase({"q1": own, "s": secret}, ("q1",), "s", parameters=request, index=index)


def _one_labelled(names: frozenset[str]) -> st.SearchStrategy[TableCase]:
    return st.sampled_from(list(_labelled(names)))


def _any(rows: int) -> st.SearchStrategy[int]:
    return st.integers(2, rows + 4)


def _kept(source: Source, keep: Callable[[TableCase], bool]) -> Source:
    """Return a source of those of its cases that are to be kept."""
    every = source.exhaust
    return replace(
        source,
        draw=lambda names: source.draw(names).filter(keep),
        exhaust=None if every is None else lambda names: filter(keep, every(names)),
    )


def _drawn(shapes: Mapping[str, TableShape]) -> tuple[Source, ...]:
    return tuple(
        Source(name, Kind.TABLE, partial(table_cases, shape=shape))
        for name, shape in shapes.items()
    )


@dataclass(frozen=True)
class Method:
    """One method of a library, and what it is held to."""

    name: str
    """As the library calls it."""
    subject: Subject
    """The method behind the suite's call."""
    promise: str
    """Where the library says what it promises."""
    documented: tuple[Source, ...] = field(repr=False)
    beyond: tuple[Source, ...] = field(repr=False)
    """Sources of the input its documentation speaks of, and of other input."""
    checks: tuple[str, ...] | None = None
    """Names of the checks; all that apply if None."""
    expected: Mapping[str, str] = field(default_factory=dict)
    """What the documentation says it does not do, by check."""

    def given(self, kind: str) -> tuple[Source, ...]:
        """Return the sources of one kind of input."""
        if kind == "infeasible":
            shape = TableShape(kinds=NUMBERS, sensitive_kinds=TEXT, most=8, k=_any)
            unmet = _drawn({"more asked than there is": shape})
            asks = self.subject.promises & {Promise.K_ANONYMITY, Promise.L_DIVERSITY}
            return tuple(_kept(one, self._impossible) for one in unmet) if asks else ()
        beyond = tuple(one for one in self.beyond if one.name == kind)
        sources = self.documented if kind == "documented" else beyond
        return tuple(_kept(one, self._open) for one in sources)

    @property
    def decides(self) -> bool:
        """Whether it is a checker."""
        return Promise.DECIDES in self.subject.promises

    def _impossible(self, case: TableCase) -> bool:
        return impossible(case, self.subject) is not None

    def _open(self, case: TableCase) -> bool:
        return self.decides or not self._impossible(case)


def publisher(
    publish: Callable[[Any, TableCase], Any],
    *,
    promises: Iterable[str],
    parameters: Iterable[str],
    recipe: tuple[str, ...],
    suppresses: bool = False,
    errors: tuple[type[Exception], ...] = (ValueError,),
) -> Subject:
    """Return the subject of a function that calls a library on a frame and a case.

    Args:
        publish: Takes a new pandas frame and the case it was made of.
        promises, parameters, suppresses, errors: As for :func:`kproof.check_anonymizer`.
        recipe: What makes the subject in another process; its last word is the name of the method.
    """
    subject = subject_of(
        publish,
        promises=promises,
        parameters=parameters,
        call=lambda function, frame, case: function(frame, case),
        suppresses=suppresses,
        errors=errors,
    )
    return replace(subject, name=recipe[-1], recipe=recipe)


def checker(
    definition: str,
    decide: Callable[[Any, TableCase], tuple[bool, Mapping[str, Any]]],
    *,
    recipe: tuple[str, ...],
    errors: tuple[type[Exception], ...] = (ValueError,),
) -> Subject:
    """Return the subject of a checker: a function of a published frame and the request.

    Args:
        definition: One of :data:`kproof.proptests.oracles.DEFINITIONS`.
        decide: Returns a verdict, and the values of the definition's parameters that it is about.
        recipe, errors: As for :func:`publisher`.
    """

    def answer(case: TableCase) -> TableVerdict:
        holds, asked = decide(frame_of(case), case)
        return TableVerdict(definition, bool(holds), asked)

    return Subject(
        name=recipe[-1],
        kind=Kind.TABLE,
        promises=frozenset({Promise.DECIDES}),
        publish=answer,
        parameters=frozenset(DEFINITIONS[definition].parameters),
        errors=errors,
        source="the library's documentation",
        recipe=recipe,
    )


def expanded(frame: Any, counts: str) -> Any:
    """Return a frame with one row for each record instead of a column that counts them.

    What numbers the counted rows is ours to drop: it is no part of what the library publishes.
    """
    rows = frame.loc[frame.index.repeat(frame[counts])].drop(columns=counts)
    return rows.reset_index(drop=True)


def categorical(frame: Any, *, besides: Iterable[str] = ()) -> Any:
    """Return a frame whose columns of text are categories."""
    text = frame.select_dtypes(["object", "string"]).columns.difference(list(besides))
    return frame.astype(dict.fromkeys(text, "category"))


def main(package: str, methods: Iterable[Method]) -> None:
    """Hold each method to its promises and write what was found."""
    known = {one.name: one for one in methods}
    parser = ArgumentParser(description=f"Hold {package} to what it promises.")
    parser.add_argument("--method", choices=known, help="only this one")
    parser.add_argument("--profile", default="quick", help="quick, default or deep")
    parser.add_argument("--examples", type=int, help="cases from each source")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--input", choices=INPUTS, help="only this kind of input")
    parser.add_argument("--check", help="only this check")
    parser.add_argument("--text", action="store_true", help="pages for people instead of JSON")
    asked = parser.parse_args()
    for method in [known[asked.method]] if asked.method else known.values():
        for kind in INPUTS:
            if asked.input in (None, kind) and method.given(kind):
                _held(package, method, kind, asked)


def _held(package: str, method: Method, kind: str, asked: Any) -> None:
    checks = ("refuses clearly", NAME) if kind == "infeasible" else method.checks
    checks = (asked.check,) if asked.check else checks
    with contextlib.redirect_stdout(io.StringIO()):
        # Some libraries tell on standard output what they are doing.
        results = check_anonymizer(
            method.subject,
            sources=method.given(kind),
            checks=checks,
            profile=asked.profile,
            max_examples=asked.examples,
            seed=asked.seed,
            on_fail="return",
            timeout=SECONDS,
        )
    if asked.text:
        print(f"{package} {version(package)}: {method.name}, {kind} input\n\n{results.report()}\n")
        return
    document = {
        "package": package,
        "version": version(package),
        "method": method.name,
        "promise": method.promise,
        "input": kind,
        "expected": dict(method.expected),
        **results.to_dict(),
    }
    print(json.dumps(document), flush=True)
