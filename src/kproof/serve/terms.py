"""What a file of cells is of: its source, who is counted, in which time zone, and until when."""

import os
from contextlib import suppress

from kproof.errors import InvalidArgument
from kproof.serve.reading import PLATES
from kproof.serve.source import TollColumns, TollSource


def require_other_file(source: TollSource, cells: str | None) -> None:
    """Refuse a file of cells that is the source: it would be written to.

    Raises:
        InvalidArgument: If it is.
    """
    for path in (source.database, source.csv):
        is_source = False
        with suppress(OSError, ValueError):
            is_source = path is not None and cells is not None and os.path.samefile(path, cells)
        # Not within the block: InvalidArgument is a ValueError and would be suppressed.
        if is_source:
            raise InvalidArgument("cells", cells, "a file of its own, not that of the exits")


def terms_of(columns: TollColumns, close_after: int) -> dict[str, str]:
    """Return what has to be the same whenever days that are divided are answered again.

    Args:
        columns: Of the source.
        close_after: Hours from the end of a day until it is closed. Of two servers with one file
            the one that waits less would close days for both.
    """
    who = "exits" if columns.vehicle is None else f"people by column {columns.vehicle}"
    waits = f"{close_after} hours after their end"
    terms = {"who is counted": who, "time zone": columns.zone, "when days are closed": waits}
    return terms if columns.vehicle is None else terms | {"how vehicles are spelled": PLATES}


def identity(source: TollSource) -> str:
    """Return the name of what a file of cells is of; whether it is, the content says."""
    columns = source.columns
    zone = () if columns.zone == "UTC" else (columns.zone,)
    name = source.name
    # A path of one folder is another file in another folder.
    if source.csv is not None or (source.database is not None and "://" not in source.database):
        name = os.path.realpath(name)
    return ", ".join((name, columns.table, *columns.all, *zone))
