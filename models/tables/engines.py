"""Checking data where they are: the engine groups the rows, and the groups come back.

A privacy model sees nothing of a table but how often each sensitive value occurs in each class. So
a table in DuckDB, behind Ibis, in a folder of Parquet files, or a lazy frame of Polars, Dask or
PySpark need not be read: ``GROUP BY`` the quasi-identifiers and sensitive columns gives the
different rows and how many there are of each, and these are judged like published rows, each with
its weight. The counts are whole numbers, so the verdicts are those of the same rows in memory.

What needs the rows themselves is refused rather than left out in silence: columns without a role,
columns published as they are, people with several rows, suppressed rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import narwhals as nw
import numpy as np

from kproof.errors import DataError, InvalidArgument, KProofError, shown
from kproof.models.base.beside import Beside, Part
from kproof.models.base.classes import Classes
from kproof.models.tables.frames import published_columns
from kproof.models.tables.published import classes_of_table
from kproof.models.tables.roles import Roles
from kproof.models.tables.table import Table

DUCKDB = "duckdb:"
"""How the name of a DuckDB file begins; ``?table=NAME`` follows."""

MOST_ROWS = 2**53
"""Rows are counted exactly below this."""

_ROWS = "kproof rows"
_EXTRA = "pip install 'kproof[engines]'"


def judged_there(source: object) -> bool:
    """Say whether data are judged where they are: a lazy frame, a database, a folder of Parquet.

    Examples
    --------
    >>> judged_there("duckdb:warehouse.db?table=visits"), judged_there("visits.csv")
    (True, False)
    """
    if isinstance(source, Path) or (isinstance(source, str) and "\\0" not in source):
        text = str(source)
        if text.startswith(DUCKDB) or _is_url(text):
            return True
        return Path(text).is_dir()
    return isinstance(nw.from_native(source, pass_through=True), nw.LazyFrame)


def classes_there(source: object, roles: Roles) -> Classes:
    """Return the equivalence classes of published data, grouped by the engine that has them.

    Parameters
    ----------
    source
        A lazy frame that Narwhals knows (DuckDB, Ibis, Polars, Dask, PySpark),
        ``duckdb:FILE?table=NAME``, a URL that Ibis connects to with ``?table=NAME``, or a folder
        with Parquet files of the same columns and types.
    roles
        Of every column there is.

    Raises
    ------
    InvalidArgument
        If a role needs the rows themselves.
    DataError
        If a column is unknown, has no role, or shows times of a zone; if files differ; or what the
        engine says, on one line.
    """
    for name, value in (
        ("person", roles.person),
        ("other", ", ".join(roles.other)),
        ("suppressed", roles.suppressed),
    ):
        if value:
            raise InvalidArgument(name, value, "rows in memory: read the data into a frame first")
    with _opened(source) as (name, native):
        frame: Any = nw.from_native(native)
        assert isinstance(frame, nw.LazyFrame)
        with _naming(name):
            schema = dict(frame.collect_schema())
        roles.find(list(schema))
        known = roles.encoded
        _require_told(name, schema, roles, known)
        with _naming(name):
            grouped = frame.group_by(*known).agg(nw.len().alias(_ROWS)).collect(backend="pyarrow")
    weight = grouped[_ROWS].to_numpy().astype(np.int64)
    if float(weight.sum(dtype=np.float64)) >= MOST_ROWS:
        raise DataError(f"{name}: has {MOST_ROWS:,} rows or more")
    kept = replace(roles, identifiers=(), drop=())
    distinct = grouped.drop(_ROWS).to_native()
    found = classes_of_table(Table.of(kept, published_columns(distinct, kept)))
    beside = (
        *(Beside(one, Part.IDENTIFIER) for one in roles.identifiers),
        *(Beside(one, Part.DROPPED) for one in roles.drop),
    )
    return replace(found, weight=weight, beside=(*found.beside, *beside))


def _require_told(name: str, schema: dict[str, Any], roles: Roles, known: tuple[str, ...]) -> None:
    told = {*known, *roles.identifiers, *roles.drop}
    if silent := [one for one in schema if one not in told]:
        raise DataError(
            f"{name}: columns without a role: {', '.join(map(shown, silent))}; where data are "
            "judged where they are, say of each what it is: --identifier or --drop"
        )
    if _ROWS in schema:
        raise DataError(f"{name}: a column is called {shown(_ROWS)}; rename it")
    for one in known:
        kind = schema[one]
        if isinstance(kind, nw.Datetime) and kind.time_zone is not None:
            raise DataError(
                f"{name}, column {shown(one)}: times with a zone, which each engine shows in its "
                "own; make it a text or a time without a zone"
            )
        if isinstance(kind, (nw.List, nw.Array, nw.Struct, nw.Object)):
            raise DataError(f"{name}, column {shown(one)}: holds {kind}, which is no single value")


def _is_url(text: str) -> bool:
    scheme = urlsplit(text).scheme
    return "://" in text and scheme not in ("", "file", "http", "https")


@contextmanager
def _opened(source: object) -> Iterator[tuple[str, object]]:
    """Open what a name stands for; yield how it is called and the frame."""
    if not isinstance(source, (str, Path)):
        yield "the frame", source
        return
    text = str(source)
    if text.startswith(DUCKDB):
        file, table = _table_of(text.removeprefix(DUCKDB))
        if not Path(file).is_file():
            raise DataError(f"{shown(file)}: no such file")
        with _duckdb(file) as connection:
            with _naming(text):
                relation = connection.table(table)
            yield text, relation
    elif _is_url(text):
        address, table = _table_of(text)
        ibis = _library("ibis")
        with _naming(_without_password(address)):
            connected = ibis.connect(address)
        try:
            with _naming(_without_password(text)):
                relation = connected.table(table)
            yield _without_password(text), relation
        finally:
            connected.disconnect()
    else:
        files = sorted(Path(text).glob("*.parquet"))
        if not files:
            raise DataError(f"{shown(text)}: a folder without files *.parquet")
        with _duckdb(":memory:") as connection:
            paths = list(map(str, files))
            _require_alike(connection, paths)
            with _naming(text):
                relation = connection.read_parquet(paths)
            yield text, relation


def _table_of(address: str) -> tuple[str, str]:
    """Return an address without its table, and the table."""
    parts = urlsplit(address)
    asked = dict(parse_qsl(parts.query, keep_blank_values=True))
    table = asked.pop("table", "")
    if not table:
        raise InvalidArgument("data", _without_password(address), "?table=NAME at its end")
    if not parts.scheme:
        return address.partition("?")[0], table
    return urlunsplit(parts._replace(query=urlencode(asked))), table


def _without_password(address: str) -> str:
    """Return an address that can be printed."""
    parts = urlsplit(address)
    if parts.password is None:
        return address
    shown_as = parts.netloc.replace(f":{parts.password}@", ":…@")
    return urlunsplit(parts._replace(netloc=shown_as))


def _require_alike(connection: Any, files: list[str]) -> None:
    """Check that Parquet files have the same columns of the same types; an engine would cast."""
    first: dict[str, str] = {}
    for number, file in enumerate(files):
        with _naming(file):
            described = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [file])
            found = {row[0]: row[1] for row in described.fetchall()}
        if number == 0:
            first = found
        for column in {**first, **found}:
            kinds = first.get(column, "nothing"), found.get(column, "nothing")
            if kinds[0] != kinds[1]:
                raise DataError(
                    f"{file}: column {shown(column)} holds {kinds[1]}, and {kinds[0]} in {files[0]}"
                )


@contextmanager
def _duckdb(file: str) -> Iterator[Any]:
    duckdb = _library("duckdb")
    with _naming(file):
        connection = duckdb.connect(file, read_only=file != ":memory:")
        # It would be drawn on the standard output, into the answer.
        connection.execute("SET enable_progress_bar = false")
    try:
        yield connection
    finally:
        connection.close()


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise DataError(
            f"{name} is not installed; to check data where they are: {_EXTRA}"
        ) from error


@contextmanager
def _naming(source: str) -> Iterator[None]:
    """Say in one line what an engine refuses, whatever it raises."""
    try:
        yield
    except KProofError:
        raise
    except Exception as error:
        told = " ".join(str(error).split()) or type(error).__name__
        raise DataError(f"{source}: {told[:300]}") from error
