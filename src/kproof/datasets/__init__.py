"""Tables: CSV files as they are distributed, and the small published tables that kproof ships."""

from kproof.datasets.made_up import MADE_UP, MadeUp
from kproof.datasets.opening import encoding_named
from kproof.datasets.shipped import SAMPLE, SHIPPED, Shipped
from kproof.datasets.tables import (
    LOOK_MISSING,
    MISSING_CELLS,
    Header,
    NumericColumn,
    Rows,
    TextTable,
    looks_missing,
    read_column,
    read_text_table,
    records,
)

__all__ = [
    "LOOK_MISSING",
    "MADE_UP",
    "MISSING_CELLS",
    "SAMPLE",
    "SHIPPED",
    "Header",
    "MadeUp",
    "NumericColumn",
    "Rows",
    "Shipped",
    "TextTable",
    "encoding_named",
    "looks_missing",
    "read_column",
    "read_text_table",
    "records",
]
