"""Published rows as equivalence classes, whoever published them."""

from dataclasses import replace
from typing import Unpack

import numpy as np

from kproof.errors import printable
from kproof.models.base.beside import Beside, Part
from kproof.models.base.classes import SUPPRESSED_ROWS, Classes
from kproof.models.base.missing import text
from kproof.models.tables.frames import as_it_is, columns_as_shown, exposure_of
from kproof.models.tables.roles import RoleOptions, Roles
from kproof.models.tables.table import Table


def classes_of_frame(frame: object, **roles: Unpack[RoleOptions]) -> Classes:
    """Return the equivalence classes of a published frame, whoever published it.

    Rows are in one class if all their quasi-identifiers show the same text; a missing one is a
    value like any other. Roles are as for :meth:`kproof.models.tables.table.Table.from_frame`;
    identifiers are columns that are judged as not published. Rows that show what ``suppressed``
    says in every quasi-identifier are suppressed ones (:mod:`kproof.models.tables.table`).

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"age": ["[25-26]", "[25-26]", "40"], "disease": ["Flu", "HIV", "Flu"]})
    >>> classes_of_frame(rows, quasi_identifiers=["age"], sensitive="disease").sizes.tolist()
    [1, 2]
    """
    checked = Roles.of(**roles)
    return classes_of_table(Table.of(checked, columns_as_shown(frame, checked)))


def classes_of_table(table: Table) -> Classes:
    """Return the equivalence classes of a table whose quasi-identifiers are taken as published.

    Its other columns and its identifiers are left out of account, and named as such.
    """
    of_row, count = table.equivalence_classes
    first = np.full(count, table.rows, dtype=np.int64)
    np.minimum.at(first, of_row, np.arange(table.rows))

    def label(index: int) -> str:
        if index == table.class_of_mark:
            return SUPPRESSED_ROWS
        row = int(first[index])
        values = (
            f"{column.name}={text(column.values[column.codes[row]])}"
            for column in table.quasi_identifiers
        )
        return printable(", ".join(values))

    # A published table has counted these with the others already: two of them may
    # tell more than each.
    counted = {column.name for column in table.beside}
    beside = (
        *table.beside,
        *(as_it_is(column) for column in table.other if column.name not in counted),
        *(Beside(name, Part.IDENTIFIER) for name in table.identifiers),
        *(Beside(name, Part.DROPPED) for name in table.dropped),
    )
    person = None
    if table.person is not None:
        person = table.person.codes.astype(np.int64)
        beside = (*beside, Beside(table.person.name, Part.PERSON))
    classes = Classes(
        of_row,
        count,
        label=label,
        beside=beside,
        missing_as=table.missing_as,
        person=person,
        suppressed=table.blank_rows,
        exposure=exposure_of(of_row, table.other),
    )
    if table.sensitive is None:
        return classes
    codes = table.sensitive.codes.astype(np.int64)
    return replace(classes, sensitive=codes, **table.secret_columns)
