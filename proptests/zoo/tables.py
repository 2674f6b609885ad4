"""Broken anonymizers of tables, nearly all off a healthy one by a single step.

The healthy one, :data:`HEALTHY`, sorts the records, cuts them into groups of k and publishes the
set of the values of each group. A broken one replaces one of its steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np

from kproof.errors import Infeasible
from kproof.models.registry import Kind, Promise
from kproof.models.tables.axes import group_size
from kproof.models.tables.release import released
from kproof.models.tables.theta.forming import classes_of
from kproof.models.tables.theta.moves import Threshold, require_feasible
from kproof.models.tables.theta.options import Exhausted, Form, Remainder
from kproof.models.tables.theta.runs import adjust_plainly, formed
from kproof.proptests.contract import Subject, TableCase, TablePublication
from kproof.proptests.labels.frames import columns_of, table_of
from kproof.proptests.subjects.registered import registered
from kproof.proptests.zoo.base import PAST, Member, largest
from kproof.theory.exact.typed import rational

Groups = list[list[int]]
Columns = dict[str, tuple[object, ...]]

_PROMISES = frozenset(
    {
        Promise.K_ANONYMITY,
        Promise.TRUTHFUL,
        Promise.RECORDS_KEPT,
        Promise.SENSITIVE_KEPT,
        Promise.ORDER_INDEPENDENT,
    }
)


def _refuse(case: TableCase) -> None:
    if case.rows < case.parameters["k"]:
        raise Infeasible(f"k = {case.parameters['k']}: there are {case.rows} records")


def _sorted(case: TableCase) -> list[int]:
    names = [*case.quasi_identifiers, *([case.sensitive] if case.sensitive else [])]
    return sorted(
        range(case.rows), key=lambda row: [repr(case.columns[name][row]) for name in names]
    )


def _pieces(order: Sequence[int], k: int) -> Groups:
    return [list(order[start : start + k]) for start in range(0, len(order), k)]


def _cut(order: Sequence[int], k: int) -> Groups:
    groups = _pieces(order, k)
    if len(groups) > 1 and len(groups[-1]) < k:
        last = groups.pop()
        groups[-1] += last
    return groups


def _label(values: Sequence[object]) -> object:
    distinct = sorted(set(values), key=repr)
    return distinct[0] if len(distinct) == 1 else tuple(distinct)


def _as_it_is(_: TableCase, __: Groups, columns: Columns) -> Columns:
    return columns


@dataclass(frozen=True)
class Steps:
    """An anonymizer in five steps."""

    refuse: Callable[[TableCase], None] = _refuse
    order: Callable[[TableCase], list[int]] = _sorted
    cut: Callable[[Sequence[int], int], Groups] = _cut
    label: Callable[[Sequence[object]], object] = _label
    finish: Callable[[TableCase, Groups, Columns], Columns] = _as_it_is

    def __call__(self, case: TableCase) -> TablePublication:
        """Publish the groups of a case."""
        self.refuse(case)
        groups = self.cut(self.order(case), case.parameters["k"])
        columns: Columns = {}
        for name in case.quasi_identifiers:
            values = case.columns[name]
            columns[name] = tuple(
                label
                for group in groups
                for label in [self.label([values[row] for row in group])] * len(group)
            )
        if case.sensitive is not None:
            secret = case.columns[case.sensitive]
            columns[case.sensitive] = tuple(secret[row] for group in groups for row in group)
        return TablePublication(self.finish(case, groups, columns))


HEALTHY = Subject("sorted groups", Kind.TABLE, _PROMISES, Steps())
"""What the broken ones would be if nobody had made a mistake."""


def _without_k(order: Sequence[int], k: int) -> Groups:
    return _cut(order, max(1, k - 1))


def _largest(order: Sequence[int], k: int) -> Groups:
    return _cut(order, largest(k, "table"))


def _padded(order: Sequence[int], k: int) -> Groups:
    groups = _pieces(order, k)
    groups[-1] += groups[-1][-1:] * (k - len(groups[-1]))
    return groups


def _whole_groups(order: Sequence[int], k: int) -> Groups:
    return _pieces(order[: len(order) // k * k], k)


def _numbers(values: Sequence[object]) -> list[int | float] | None:
    found = [value for value in values if isinstance(value, int | float)]
    return found if len(found) == len(values) else None


def _half_open(values: Sequence[object]) -> object:
    numbers = _numbers(values)
    if numbers is None or len(set(numbers)) == 1:
        return _label(values)
    return f"[{min(numbers)}, {max(numbers)})"


def _mean(values: Sequence[object]) -> object:
    numbers = _numbers(values)
    return _label(values) if numbers is None else sum(numbers) / len(numbers)


def _most_frequent(values: Sequence[object]) -> object:
    return Counter(sorted(values, key=repr)).most_common(1)[0][0]


def _complete(case: TableCase) -> list[int]:
    columns = case.columns.values()
    return [row for row in _sorted(case) if all(column[row] is not None for column in columns)]


def _distinct(case: TableCase) -> list[int]:
    return list({tuple(map(repr, _record(case, row))): row for row in _sorted(case)}.values())


def _record(case: TableCase, row: int) -> list[object]:
    names = [*case.quasi_identifiers, *([case.sensitive] if case.sensitive else [])]
    return [case.columns[name][row] for name in names]


def _misaligned(case: TableCase, _: Groups, columns: Columns) -> Columns:
    if case.sensitive is None:
        return columns
    return {**columns, case.sensitive: case.columns[case.sensitive]}


def _filled(case: TableCase, _: Groups, columns: Columns) -> Columns:
    if case.sensitive is None:
        return columns
    common = _most_frequent(columns[case.sensitive])
    return {**columns, case.sensitive: (common,) * len(columns[case.sensitive])}


def _leaking(case: TableCase, groups: Groups, columns: Columns) -> Columns:
    rows = [row for group in groups for row in group]
    named = {name: tuple(case.columns[name][row] for row in rows) for name in case.identifiers}
    return {**columns, **named}


def _numbered(_: TableCase, groups: Groups, columns: Columns) -> Columns:
    return {**columns, "row": tuple(row for group in groups for row in group)}


def _counting(case: TableCase) -> None:
    parameters: Any = case.parameters
    parameters["calls"] = parameters.get("calls", 0) + 1
    _refuse(case)


def _alternating() -> Callable[[TableCase], list[int]]:
    directions = cycle((1, -1))
    return lambda case: _sorted(case)[:: next(directions)]


def _unprepared(case: TableCase) -> None:
    if case.rows < case.parameters["k"]:
        raise IndexError("list index out of range")


def _wordless(case: TableCase) -> None:
    if case.rows < case.parameters["k"]:
        raise Infeasible("")


def _anything(_: TableCase) -> None:
    return None


def _too_strict(case: TableCase) -> None:
    if case.rows <= case.parameters["k"]:
        raise Infeasible(f"k = {case.parameters['k']}: too few records")


def _indivisible(case: TableCase) -> None:
    _refuse(case)
    if case.rows % case.parameters["k"]:
        raise Infeasible(f"{case.rows} records do not fall into groups of {case.parameters['k']}")


def _unlike(case: TableCase) -> TablePublication:
    """Let kproof's Mondrian publish and put an original value back into the first row."""
    made: TablePublication = registered("mondrian").publish(case)
    name = case.quasi_identifiers[0]
    cells = made.columns[name]
    return replace(made, columns={**made.columns, name: ("an outlier", *cells[1:])})


def _member(
    name: str,
    caught_by: str,
    story: str,
    publish: Callable[[TableCase], TablePublication],
    promises: frozenset[Promise] = _PROMISES,
    parameters: tuple[str, ...] = ("k",),
) -> Member:
    subject = Subject(name, Kind.TABLE, promises, publish, parameters=frozenset(parameters))
    return Member(name, subject, caught_by, story)


def _unheeded(promise: Promise, *parameters: str) -> Member:
    """Return the healthy one, held to more than it ever looks at."""
    return _member(
        f"{promise} left to chance",
        "theta" if promise is Promise.THETA_SENSITIVITY else promise.value,
        "The promise is made of a table that is cut into groups without a look at their values.",
        Steps(),
        _PROMISES | {promise},
        ("k", *parameters),
    )


def _theta_printed(subject: Subject, case: TableCase) -> TablePublication:
    asked = {**case.parameters, "reading": "printed", "remainder": "merge"}
    made: TablePublication = subject.publish(replace(case, parameters=asked))
    return made


def _theta_class_by_class(case: TableCase) -> TablePublication:
    """Adjust the classes once, as the method for theta-sensitivity begins."""
    table = table_of(case)
    k, mu = group_size(table, case.parameters["k"]), rational("mu", case.parameters["mu"])
    threshold = Threshold(mu, k)
    codes = table.sensitive.codes.astype(np.int64) if table.sensitive else np.zeros(0, np.int64)
    domain = int(codes.max(initial=-1)) + 1
    require_feasible(threshold, domain, "the sensitive column")
    class_of = classes_of(table, Form.SORTED, Remainder.MERGE, threshold)
    start = formed(codes, class_of, domain, threshold)
    adjusted = adjust_plainly(start).reinforced(start, Exhausted.REPEAT, column="")
    release = released(
        table,
        adjusted.class_of,
        method="class by class",
        parameters=case.parameters,
        noise_class=adjusted.noise_class,
        noise_value=adjusted.noise_value,
        swaps=adjusted.swaps,
        formed_as=class_of,
    )
    return TablePublication(columns_of(release.to_frame()), release)


def _exchanged(case: TableCase, groups: Groups, columns: Columns) -> Columns:
    if case.sensitive is None or len(groups) < 2:
        return columns
    values = list(columns[case.sensitive])
    other = len(groups[0])
    values[0], values[other] = values[other], values[0]
    return {**columns, case.sensitive: tuple(values)}


def _unordered(values: Sequence[object]) -> object:
    texts = set(map(str, values))
    return _label(values) if len(texts) == 1 else f"{{{', '.join(texts)}}}"


MEMBERS: tuple[Member, ...] = (
    _member(
        "short last class",
        "k-anonymity",
        "What is left after the last whole group is published as a class of its own.",
        Steps(cut=_pieces),
    ),
    _member(
        "k minus one",
        "k-anonymity",
        "k is taken for the number of others in a class.",
        Steps(cut=_without_k),
    ),
    _member(
        "k counted with noise",
        "k-anonymity",
        "The last class is filled up to k with copies, which hide nobody.",
        Steps(cut=_padded),
        frozenset({Promise.K_ANONYMITY, Promise.TRUTHFUL}),
    ),
    _member(
        "half-open ranges",
        "truthful labels",
        "Ranges are written as a histogram writes its bins, without the upper end.",
        Steps(label=_half_open),
    ),
    _member(
        "means for ranges",
        "truthful labels",
        "Numbers are replaced by the mean of their class, as in microaggregation.",
        Steps(label=_mean),
    ),
    _member(
        "commonest value",
        "truthful labels",
        "A class is named after its most frequent value.",
        Steps(label=_most_frequent),
    ),
    _member(
        "lost on missing values",
        "records accounted for",
        "Rows with a missing value are dropped before anything else.",
        Steps(order=_complete),
    ),
    _member(
        "duplicates dropped",
        "records accounted for",
        "Equal records are taken for one record entered twice.",
        Steps(order=_distinct),
    ),
    _member(
        "last class dropped",
        "records accounted for",
        "Only whole groups are published; the rest is forgotten, not suppressed.",
        Steps(cut=_whole_groups),
    ),
    _member(
        "copies fill the last class",
        "records accounted for",
        "The last record is repeated until the last group is whole.",
        Steps(cut=_padded),
    ),
    _member(
        "sensitive column in another order",
        "sensitive values kept",
        "The sorted labels are put beside the sensitive column as it was read.",
        Steps(finish=_misaligned),
    ),
    _member(
        "sensitive values smoothed",
        "sensitive values kept",
        "A clean-up meant for missing values replaces all of them by the commonest.",
        Steps(finish=_filled),
    ),
    _member(
        "identifiers left in",
        "no identifiers",
        "All columns that are not generalized are passed on, names included.",
        Steps(finish=_leaking),
    ),
    _member(
        "row numbers left in",
        "no identifiers",
        "The index of the source survives as a column.",
        Steps(finish=_numbered),
    ),
    _member(
        "as they come",
        "permutation",
        "The records are not sorted, and classes depend on who came first.",
        Steps(order=lambda case: list(range(case.rows))),
    ),
    _member(
        "a bill in the request",
        "input unchanged",
        "Statistics are kept in the caller's own dictionary of parameters.",
        Steps(refuse=_counting),
    ),
    _member(
        "every other call",
        "deterministic",
        "A direction that is left from the last call decides where the sorting starts.",
        Steps(order=_alternating()),
    ),
    _member(
        "falls over small tables",
        "refuses clearly",
        "Fewer than k records end in an error of the language.",
        Steps(refuse=_unprepared),
    ),
    _member(
        "an error with no message",
        "refuses clearly",
        "The error says nothing.",
        Steps(refuse=_wordless),
    ),
    _member(
        "publishes whatever there is",
        "refuses clearly",
        "Nobody asks whether there are k records at all.",
        Steps(refuse=_anything),
    ),
    _member(
        "one too strict",
        "publishes when it can",
        "Exactly k records are refused.",
        Steps(refuse=_too_strict),
    ),
    _member(
        "multiples only",
        "monotone in k",
        "A table is refused unless k divides it.",
        Steps(refuse=_indivisible),
    ),
    _member(
        "a label of its own",
        "shared labels",
        "One row of a class is written out before its label is final.",
        _unlike,
    ),
    _unheeded(Promise.THETA_SENSITIVITY, "mu"),
    _unheeded(Promise.L_DIVERSITY, "l"),
    _unheeded(Promise.T_CLOSENESS, "t"),
    _unheeded(Promise.P_SENSITIVITY, "p"),
    _unheeded(Promise.P_PLUS_SENSITIVITY, "p"),
    _unheeded(Promise.P_ALPHA_SENSITIVITY, "p", "alpha"),
    _member(
        "theta as printed",
        "theta",
        "The variance of a donor is the one it had when the run began; it may have fallen since.",
        partial(_theta_printed, registered("theta-sensitive")),
        frozenset({Promise.K_ANONYMITY, Promise.THETA_SENSITIVITY}),
        ("k", "mu"),
    ),
    _member(
        "theta of classes that look alike",
        "theta",
        "Every class varies enough for itself, but classes with equal labels are one to a reader.",
        _theta_class_by_class,
        frozenset({Promise.K_ANONYMITY, Promise.THETA_SENSITIVITY}),
        ("k", "mu"),
    ),
    _member(
        "values swapped without their records",
        "sensitive values kept",
        "Two classes exchange a sensitive value to be more diverse, and the people stay behind.",
        Steps(finish=_exchanged),
    ),
    _member(
        "labels in the order of a set",
        "hash seed",
        "The values of a class are joined as a set gives them, in another order in each process.",
        Steps(label=_unordered),
    ),
    _member("k of a busier day", "fresh process", PAST, Steps(cut=_largest)),
)
"""Every broken anonymizer of tables."""
