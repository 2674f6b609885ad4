"""Broken anonymizers of tables, nearly all off a healthy one by a single step.

The healthy one, :data:`HEALTHY`, sorts the records, cuts them into groups of k and publishes the
set of the values of each group. A broken one replaces one of its steps.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle
from typing import Any, TypeVar

import numpy as np

from kproof.errors import Infeasible
from kproof.models.registry import Kind, Promise
from kproof.models.tables.axes import group_size
from kproof.models.tables.sealing import seal
from kproof.models.tables.theta.forming import classes_of
from kproof.models.tables.theta.moves import Threshold, require_feasible
from kproof.models.tables.theta.options import Exhausted, Form, Remainder
from kproof.models.tables.theta.runs import adjust_plainly, form_classes
from kproof.proptests.contract import Subject, TableCase, TablePublication
from kproof.proptests.labels.frames import columns_of, table_of
from kproof.proptests.subjects.registered import own_subject
from kproof.proptests.zoo.base import Member, largest, story_of
from kproof.theory.exact.typed import rational

Groups = list[list[int]]
Columns = dict[str, tuple[object, ...]]
Function = TypeVar("Function", bound=Callable[..., Any])

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


def _sort_rows(case: TableCase) -> list[int]:
    # As texts, since None, numbers and dates have no order among one another.
    return sorted(range(case.rows), key=lambda row: [*map(repr, _record(case, row))])


def _pieces(order: Sequence[int], k: int) -> Groups:
    return [list(order[start : start + k]) for start in range(0, len(order), k)]


def _cut_groups(order: Sequence[int], k: int) -> Groups:
    groups = _pieces(order, k)
    if len(groups) > 1 and len(groups[-1]) < k:
        last = groups.pop()
        groups[-1] += last
    return groups


def _label(values: Sequence[object]) -> object:
    distinct = sorted(set(values), key=repr)
    return distinct[0] if len(distinct) == 1 else tuple(distinct)


@dataclass(frozen=True)
class Steps:
    """An anonymizer in five steps."""

    refuse: Callable[[TableCase], None] = _refuse
    order: Callable[[TableCase], list[int]] = _sort_rows
    cut: Callable[[Sequence[int], int], Groups] = _cut_groups
    label: Callable[[Sequence[object]], object] = _label
    finish: Callable[[TableCase, Groups, Columns], Columns] = lambda _, __, columns: columns

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


@dataclass
class TableFaults:
    """Collects faulty functions: ``@faults(name, caught_by)`` stands above each."""

    promises: frozenset[Promise]
    """What every one of them promises."""
    members: list[Member] = field(default_factory=list)

    def __call__(
        self, name: str, caught_by: str, *, step: str = ""
    ) -> Callable[[Function], Function]:
        """Return a decorator that puts a function in the place of one step, or of all of them."""

        def collect(function: Function) -> Function:
            publish = Steps(**{step: function}) if step else function
            story = story_of(function)
            self.members.append(_member(name, caught_by, story, publish, self.promises))
            return function

        return collect


_broken = TableFaults(_PROMISES)


@_broken("k minus one", "k-anonymity", step="cut")
def _without_k(order: Sequence[int], k: int) -> Groups:
    """Take k for the number of others in a class."""
    return _cut_groups(order, max(1, k - 1))


@_broken("k of a busier day", "fresh process", step="cut")
def _largest(order: Sequence[int], k: int) -> Groups:
    """Cut into groups of the largest k that anybody has asked for."""
    return _cut_groups(order, largest(k, "table"))


def _pad_groups(order: Sequence[int], k: int) -> Groups:
    groups = _pieces(order, k)
    groups[-1] += groups[-1][-1:] * (k - len(groups[-1]))
    return groups


@_broken("last class dropped", "records accounted for", step="cut")
def _whole_groups(order: Sequence[int], k: int) -> Groups:
    """Only whole groups are published; the rest is forgotten, not suppressed."""
    return _pieces(order[: len(order) // k * k], k)


def _numbers(values: Sequence[object]) -> list[int | float] | None:
    numbers = [value for value in values if isinstance(value, int | float)]
    return numbers if len(numbers) == len(values) else None


@_broken("half-open ranges", "truthful labels", step="label")
def _half_open(values: Sequence[object]) -> object:
    """Ranges are written as a histogram writes its bins, without the upper end."""
    numbers = _numbers(values)
    # Of a single number the range would be empty, and anybody would see that.
    if numbers is None or len(set(numbers)) == 1:
        return _label(values)
    return f"[{min(numbers)}, {max(numbers)})"


@_broken("means for ranges", "truthful labels", step="label")
def _mean(values: Sequence[object]) -> object:
    """Numbers are replaced by the mean of their class, as in microaggregation."""
    numbers = _numbers(values)
    return _label(values) if numbers is None else sum(numbers) / len(numbers)


@_broken("commonest value", "truthful labels", step="label")
def _most_frequent(values: Sequence[object]) -> object:
    """Name a class after its most frequent value."""
    # Sorted, so that of equally frequent values it is the same one in any order of the records.
    return Counter(sorted(values, key=repr)).most_common(1)[0][0]


@_broken("lost on missing values", "records accounted for", step="order")
def _complete(case: TableCase) -> list[int]:
    """Rows with a missing value are dropped before anything else."""
    columns = case.columns.values()
    return [row for row in _sort_rows(case) if all(column[row] is not None for column in columns)]


@_broken("duplicates dropped", "records accounted for", step="order")
def _distinct(case: TableCase) -> list[int]:
    """Equal records are taken for one record entered twice."""
    return list({tuple(map(repr, _record(case, row))): row for row in _sort_rows(case)}.values())


def _record(case: TableCase, row: int) -> list[object]:
    names = [*case.quasi_identifiers, *([case.sensitive] if case.sensitive else [])]
    return [case.columns[name][row] for name in names]


@_broken("sensitive column in another order", "sensitive values kept", step="finish")
def _misalign(case: TableCase, _: Groups, columns: Columns) -> Columns:
    """Put the sorted labels beside the sensitive column as it was read."""
    if case.sensitive is None:
        return columns
    return {**columns, case.sensitive: case.columns[case.sensitive]}


@_broken("sensitive values smoothed", "sensitive values kept", step="finish")
def _fill_with_commonest(case: TableCase, _: Groups, columns: Columns) -> Columns:
    """Replace all values by the commonest, in a clean-up meant for missing ones."""
    if case.sensitive is None:
        return columns
    common = _most_frequent(columns[case.sensitive])
    return {**columns, case.sensitive: (common,) * len(columns[case.sensitive])}


@_broken("identifiers left in", "no identifiers", step="finish")
def _leak_identifiers(case: TableCase, groups: Groups, columns: Columns) -> Columns:
    """All columns that are not generalized are passed on, names included."""
    rows = [row for group in groups for row in group]
    names = {name: tuple(case.columns[name][row] for row in rows) for name in case.identifiers}
    return {**columns, **names}


@_broken("row numbers left in", "no identifiers", step="finish")
def _keep_index(_: TableCase, groups: Groups, columns: Columns) -> Columns:
    """Let the index of the source survive as a column."""
    return {**columns, "row": tuple(row for group in groups for row in group)}


@_broken("a bill in the request", "input unchanged", step="refuse")
def _count_calls(case: TableCase) -> None:
    """Statistics are kept in the caller's own dictionary of parameters."""
    parameters: Any = case.parameters
    parameters["calls"] = parameters.get("calls", 0) + 1
    _refuse(case)


def _alternate() -> Callable[[TableCase], list[int]]:
    directions = cycle((1, -1))
    return lambda case: _sort_rows(case)[:: next(directions)]


@_broken("falls over small tables", "refuses clearly", step="refuse")
def _fail_unprepared(case: TableCase) -> None:
    """Fewer than k records end in an error of the language."""
    if case.rows < case.parameters["k"]:
        raise IndexError("list index out of range")


@_broken("an error with no message", "refuses clearly", step="refuse")
def _wordless(case: TableCase) -> None:
    """Say nothing in the error."""
    if case.rows < case.parameters["k"]:
        raise Infeasible("")


@_broken("publishes whatever there is", "refuses clearly", step="refuse")
def _anything(_: TableCase) -> None:
    """Nobody asks whether there are k records at all."""


@_broken("one too strict", "publishes when it can", step="refuse")
def _too_strict(case: TableCase) -> None:
    """Exactly k records are refused."""
    if case.rows <= case.parameters["k"]:
        raise Infeasible(f"k = {case.parameters['k']}: too few records")


@_broken("multiples only", "monotone in k", step="refuse")
def _indivisible(case: TableCase) -> None:
    """Refuse a table unless k divides it."""
    _refuse(case)
    if case.rows % case.parameters["k"]:
        raise Infeasible(f"{case.rows} records do not fall into groups of {case.parameters['k']}")


@_broken("a label of its own", "shared labels")
def _unlike(case: TableCase) -> TablePublication:
    """One row of a class is written out before its label is final."""
    # The check needs an account to compare with, and the healthy one gives none.
    published: TablePublication = own_subject("mondrian").publish(case)
    name = case.quasi_identifiers[0]
    cells = published.columns[name]
    return replace(published, columns={**published.columns, name: ("an outlier", *cells[1:])})


def _hold_to_more(promise: Promise, *parameters: str) -> Member:
    """Return the healthy one, held to more than it ever looks at."""
    return _member(
        f"{promise} left to chance",
        "theta" if promise is Promise.THETA_SENSITIVITY else promise.value,
        "The promise is made of a table that is cut into groups without a look at their values.",
        Steps(),
        _PROMISES | {promise},
        ("k", *parameters),
    )


def _publish_printed(subject: Subject, case: TableCase) -> TablePublication:
    parameters = {**case.parameters, "reading": "printed", "remainder": "merge"}
    published: TablePublication = subject.publish(replace(case, parameters=parameters))
    return published


def _theta_class_by_class(case: TableCase) -> TablePublication:
    """Adjust the classes once, as the method for theta-sensitivity begins."""
    table = table_of(case)
    k, mu = group_size(table, case.parameters["k"]), rational("mu", case.parameters["mu"])
    threshold = Threshold(mu, k)
    codes = table.sensitive.codes.astype(np.int64) if table.sensitive else np.zeros(0, np.int64)
    domain = int(codes.max(initial=-1)) + 1
    require_feasible(threshold, domain, "the sensitive column")
    class_of = classes_of(table, Form.SORTED, Remainder.MERGE, threshold)
    start = form_classes(codes, class_of, domain, threshold)
    adjusted = adjust_plainly(start).reinforce(start, Exhausted.REPEAT, column="")
    release = seal(
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


@_broken("values swapped without their records", "sensitive values kept", step="finish")
def _exchange_values(case: TableCase, groups: Groups, columns: Columns) -> Columns:
    """Two classes exchange a sensitive value to be more diverse, and the people stay behind."""
    if case.sensitive is None or len(groups) < 2:
        return columns
    values = list(columns[case.sensitive])
    row = len(groups[0])
    values[0], values[row] = values[row], values[0]
    return {**columns, case.sensitive: tuple(values)}


@_broken("labels in the order of a set", "hash seed", step="label")
def _join_as_set(values: Sequence[object]) -> object:
    """Join the values of a class as a set gives them, in another order in each process."""
    texts = set(map(str, values))
    return _label(values) if len(texts) == 1 else f"{{{', '.join(texts)}}}"


MEMBERS: tuple[Member, ...] = (
    _member(
        "short last class",
        "k-anonymity",
        "What is left after the last whole group is published as a class of its own.",
        Steps(cut=_pieces),
    ),
    *_broken.members,
    _member(
        "k counted with noise",
        "k-anonymity",
        "The last class is filled up to k with copies, which hide nobody.",
        Steps(cut=_pad_groups),
        frozenset({Promise.K_ANONYMITY, Promise.TRUTHFUL}),
    ),
    _member(
        "copies fill the last class",
        "records accounted for",
        "The last record is repeated until the last group is whole.",
        Steps(cut=_pad_groups),
    ),
    _member(
        "as they come",
        "permutation",
        "The records are not sorted, and classes depend on who came first.",
        Steps(order=lambda case: list(range(case.rows))),
    ),
    _member(
        "every other call",
        "deterministic",
        "A direction that is left from the last call decides where the sorting starts.",
        Steps(order=_alternate()),
    ),
    _hold_to_more(Promise.THETA_SENSITIVITY, "mu"),
    _hold_to_more(Promise.L_DIVERSITY, "l"),
    _hold_to_more(Promise.T_CLOSENESS, "t"),
    _hold_to_more(Promise.P_SENSITIVITY, "p"),
    _hold_to_more(Promise.P_PLUS_SENSITIVITY, "p"),
    _hold_to_more(Promise.P_ALPHA_SENSITIVITY, "p", "alpha"),
    _member(
        "theta as printed",
        "theta",
        "The variance of a donor is the one it had when the run began; it may have fallen since.",
        partial(_publish_printed, own_subject("theta-sensitive")),
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
)
"""Every broken anonymizer of tables."""
