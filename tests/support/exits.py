"""KACA on what it is for: exits from toll roads, made up with a seed."""

from functools import partial
from typing import Any

import pandas as pd

from kproof.datasets.exits import exit_transactions
from kproof.models.tables.kaca import method, report
from kproof.models.tables.release import Release
from kproof.models.tables.table import Table

aggregate = partial(report.aggregate, toll="toll")


def kaca(table: Table, **more: Any) -> Release:
    """Run the method on what it is for, as far as the columns are there."""
    named = {"section": "section_id", "time": "exit_time"}
    there = {column.name for column in table.quasi_identifiers}
    return method.kaca(table, **{k: one for k, one in named.items() if one in there} | more)


def exit_table(rows: int, *, seed: int = 0, start: str = "2023-01-02", days: int = 3) -> Table:
    """Return exit transactions as a table: section and time known, toll sensitive."""
    return Table.from_frame(
        pd.DataFrame(exit_transactions(rows, seed=seed, start=start, days=days)),
        quasi_identifiers=["section_id", "exit_time"],
        sensitive="toll",
        identifiers=["plate"],
    )
