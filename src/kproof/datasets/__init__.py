"""Tables: CSV files as they are distributed, and the small published tables that kproof ships."""

from kproof.datasets.shipped import SHIPPED, Shipped
from kproof.datasets.tables import (
    MISSING,
    Header,
    NumericColumn,
    TextTable,
    read_column,
    read_table,
    records,
)

__all__ = [
    "MISSING",
    "SHIPPED",
    "Header",
    "NumericColumn",
    "Shipped",
    "TextTable",
    "read_column",
    "read_table",
    "records",
]
