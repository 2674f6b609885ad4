"""Closing an anonymizer's work: what fits the table, and what may be promised of it, is sealed."""

from collections.abc import Collection, Mapping

import numpy as np

from kproof.errors import DataError, InvalidArgument, show, spell
from kproof.models.base.arrays import Codes, Integers, read_only
from kproof.models.base.beside import require_parts
from kproof.models.base.classes import PersonRows
from kproof.models.base.missing import MissingAs, missing_values
from kproof.models.methods import METHODS
from kproof.models.registry import PROMISED, Kind
from kproof.models.tables.release import Release
from kproof.models.tables.table import Table


def seal(
    table: Table,
    class_of: Integers,
    *,
    method: str,
    parameters: Mapping[str, object],
    noise_class: Integers | None = None,
    noise_value: Integers | None = None,
    swaps: Integers | None = None,
    formed_as: Integers | None = None,
    levels: Mapping[str, int] | None = None,
    worst_case: Collection[str] = (),
) -> Release:
    """Close an anonymizer's work: check the arrays against the table and seal them.

    Groups that publish equal labels are one class from here on, whatever the method called a class.

    Args:
        table: The original table.
        class_of: Shape (rows,): group 0, ..., c - 1 of each row, each with at least one; -1 =
            suppressed.
        method, parameters: What was done, for the account.
        noise_class, noise_value: Shape (noise rows,): group and sensitive code of each noise row.
        swaps: Shape (swaps, 2): pairs of rows that were exchanged, in order.
        formed_as: ``class_of`` before the swaps.
        levels: Level at which each quasi-identifier named shows all rows; each has a taxonomy.
        worst_case: Names of the parameters that the method keeps whatever missing sensitive values
            are.

    Raises:
        DataError: If there are noise rows and columns published as they are, which noise has no
            values for; or as :func:`require_promisable` and :func:`require_people`.
    """
    require_promisable(table, parameters, worst_case)
    of_row = _seal("class_of", class_of, table.rows)
    count = int(of_row.max(initial=-1)) + 1
    # Any negative index would count from the end where arrays are looked up.
    if of_row.min(initial=0) < -1:
        raise InvalidArgument("class_of", int(of_row.min()), "class indexes from -1")
    empty = np.flatnonzero(np.bincount(of_row[of_row >= 0], minlength=count) == 0)
    if len(empty):
        raise InvalidArgument("class_of", f"no row in class {empty[0]}", "a row in every class")
    noise = len(np.zeros(0) if noise_class is None else noise_class)
    in_class = _seal("noise_class", noise_class, noise, below=count)
    values = 0 if table.sensitive is None else len(table.sensitive.values)
    carried = _seal("noise_value", noise_value, noise, below=values)
    if noise and (table.further or table.other):
        names = ", ".join(column.name for column in (*table.further, *table.other))
        raise DataError(f"noise rows have no values for {names}; do not publish such columns")
    require_people(table, of_row, parameters)
    pairs = np.zeros((0, 2), dtype=np.int64) if swaps is None else swaps
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InvalidArgument("swaps", pairs.shape, "shape (swaps, 2)")
    exchanged = _seal("swaps", pairs.reshape(-1), pairs.size, below=table.rows).reshape(-1, 2)
    return Release(
        table=table,
        group_of=of_row,
        groups=count,
        method=method,
        parameters=dict(parameters),
        noise_group=in_class,
        noise_value=carried,
        swaps=exchanged,
        formed_as=None if formed_as is None else _seal("formed_as", formed_as, table.rows),
        levels=None if levels is None else dict(levels),
    )


def require_promisable(
    table: Table, parameters: Mapping[str, object], worst_case: Collection[str] = ()
) -> None:
    """Refuse to anonymize a table of which nothing could be promised.

    That is one with a column without a role that singles out nearly every row. Most methods take a
    missing sensitive value for a value of its own. A caller who does not would be promised what
    :func:`kproof.models.api.check` denies, but for the parameters in ``worst_case``, which hold
    whatever missing values are.
    """
    require_parts(table.beside)
    by_column = {
        name: table.by_secret(name, parameters[name])
        for name in sorted(PROMISED.difference(worst_case))
        if parameters.get(name) is not None
    }
    # After the names are read: by_secret refuses a column that is not there, whatever is missing.
    if table.missing_as is MissingAs.VALUE:
        return
    _require_known(table, parameters)
    # Gaps are counted among the rows: a part of a table keeps the code of a gap that no row has.
    for place, column in enumerate(table.secrets):
        gaps = int(np.count_nonzero(column.codes == column.missing))
        promised = ((name, values[place]) for name, values in by_column.items())
        name, value = next((pair for pair in promised if pair[1] is not None), ("", None))
        if not gaps or not name:
            continue
        whatever, rows = "they are; count them as a value of their", "their rows"
        if gaps == 1:
            whatever, rows = "it is; count it as a value of its", "its row"
        raise DataError(
            f"column {show(column.name)}: {missing_values(gaps)}, so that {name} = {value} cannot "
            f"be promised whatever {whatever} own ({spell('missing_as', 'value')}) or leave out "
            f"{rows}"
        )


def _require_known(table: Table, parameters: Mapping[str, object]) -> None:
    """Refuse parameters beside missing sensitive values that may promise something of these.

    A method that nobody registered may call a promise what it likes, such as ``min_l``.
    """
    if not any(column.missing is not None for column in table.secrets):
        return
    # Methods for graphs call a weight beta, which of a table would promise beta-likeness.
    methods = [method for method in METHODS.values() if method.kind is Kind.TABLE]
    declared = {"k", *PROMISED}.union(*(method.parameters for method in methods))
    for name, value in parameters.items():
        if value is not None and name not in declared:
            raise InvalidArgument(
                name,
                value,
                "a parameter of a registered method where sensitive values are missing: nobody "
                "knows whether it promises something of them",
            )


def require_people(table: Table, group_of: Codes, parameters: Mapping[str, object]) -> None:
    """Refuse groups of k rows that are about fewer people.

    Methods count rows; :func:`kproof.anonymize` makes people of them
    (:mod:`kproof.models.tables.persons`). ``group_of``, shape (rows,), is -1 for suppressed rows.
    """
    k = parameters.get("k")
    if table.person is None or not isinstance(k, int):
        return
    published = group_of >= 0
    pairs = PersonRows.of(group_of[published], table.person.codes[published].astype(np.int64))
    if (fewest := int(np.bincount(pairs.classes).min(initial=k))) < k:
        persons = "1 person" if fewest == 1 else f"{fewest} people"
        raise DataError(
            f"column {show(table.person.name)}: a group has rows of {persons} only where k = {k}; "
            "kproof.anonymize joins such groups"
        )


def _seal(name: str, array: Integers | None, length: int, *, below: int | None = None) -> Codes:
    """Return a read-only copy in 64 bits."""
    # A copy: whoever made the array may go on writing to theirs.
    sealed = np.array([] if array is None else array, dtype=np.int64)
    if sealed.shape != (length,):
        raise InvalidArgument(name, sealed.shape, f"shape ({length},)")
    if below is not None and length and not (sealed.min() >= 0 and sealed.max() < below):
        raise InvalidArgument(name, f"{sealed.min()} to {sealed.max()}", f"0 to {below - 1}")
    return read_only(sealed)
