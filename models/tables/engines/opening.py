"""Opening data that are judged where they are: a database, a folder of Parquet files, a lazy frame.

Everything is opened to be read only, nothing is made that is not there, and a view in a DuckDB file
reaches no other file. A folder is judged as a whole or not at all: what is in it and is no Parquet
file, such as a part that is still being written, is refused.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from glob import escape
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from kproof.errors import DataError, InvalidArgument, KProofError, show

DUCKDB = "duckdb:"
"""How the name of a DuckDB file begins; ``?table=NAME`` follows."""

SQLITE = "sqlite:"
"""How the name of an SQLite file begins; ``?table=NAME`` follows."""

_EXTRA = "pip install 'kproof[engines]'"
_PARQUET = (".parquet", ".pq")
MARKS = ("_SUCCESS", "_metadata", "_common_metadata")
"""What writers leave beside Parquet files, without rows."""


def is_address(text: str) -> bool:
    """Say whether a text names a table in a database.

    >>> is_address("duckdb:warehouse.db?table=visits"), is_address("https://example.org/a.csv")
    (True, False)
    """
    if text.startswith((DUCKDB, SQLITE)):
        return True
    return "://" in text and urlsplit(text).scheme not in ("", "file", "http", "https")


@contextmanager
def open_source(source: object) -> Iterator[tuple[str, object]]:
    """Open what a name stands for; yield how it is called and its lazy frame."""
    if not isinstance(source, (str, Path)):
        yield "the frame", source
        return
    text = str(source)
    if not is_address(text):
        with _folder(text) as relation:
            yield text, relation
        return
    address, table = _table_of(text)
    name = without_password(text)
    if text.startswith(DUCKDB):
        file = _require_file(address.removeprefix(DUCKDB))
        # A view may read any file, and whoever made the database wrote its views.
        alone = {"enable_external_access": False}
        with _duckdb(file, read_only=True, config=alone) as connection:
            with name_errors(text):
                relation = connection.table(table)
            yield name, relation
        return
    ibis = _library("ibis")
    with _connect(ibis, address) as backend:
        with name_errors(text):
            relation = backend.table(table)
        yield name, relation


@contextmanager
def name_errors(source: str) -> Iterator[None]:
    """Say in one line what an engine refuses, whatever it raises, without secrets of an address."""
    try:
        yield
    except KProofError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        # The error itself has what the driver said, in a trace of whoever calls from Python.
        cause = error if without_password(source) == source else None
        shown_reason = without_secrets(source, reason)[:300]
        raise DataError(f"{without_password(source)}: {shown_reason}") from cause


_HARMLESS = ("table", "schema", "sslmode", "connect_timeout", "application_name")
"""Options of an address whose values may be printed; whatever else there is may be a secret."""

_SECRET_WORD = re.compile(r"(?i)\w*(?:passw|pwd|token|secret|credential)\w*\s*=.*", re.DOTALL)


def without_password(address: str) -> str:
    """Return an address that can be printed: a password and what may be one are left out.

    >>> without_password("postgres://me:secret@host/name?table=visits")
    'postgres://me:…@host/name?table=visits'
    >>> without_password("postgres://host/name?password=secret&table=visits")
    'postgres://host/name?password=…&table=visits'
    >>> without_password("host=here password=secret"), without_password("what?.csv")
    ('host=here …', 'what?.csv')
    """
    return _parts(address)[0]


def without_secrets(address: str, reason: str) -> str:
    """Return what a driver said of an address; it is not shown if it may quote a secret.

    >>> without_secrets("postgres://me:se/cret@host/name", "Port could not be cast: 'se'")
    'the reason is not shown, since a secret of the address may stand in it'
    """
    forms = [form for secret in _parts(address)[1] for form in (secret, unquote(secret))]
    # A driver that divides the address elsewhere quotes a piece of the secret.
    pieces = {piece for form in forms for piece in (form, *re.split(r"\W+", form)) if piece}
    if any(piece in reason for piece in pieces):
        return "the reason is not shown, since a secret of the address may stand in it"
    return reason


def _parts(address: str) -> tuple[str, list[str]]:
    """Return an address as it may be printed, and its secrets."""
    scheme, sign, place = address.partition("://")
    if not sign and not address.startswith((DUCKDB, SQLITE)):
        shown_as = _SECRET_WORD.sub("…", address)
        return shown_as, [address] if shown_as != address else []
    scheme, place = (scheme, place) if sign else ("", address)
    place, mark, query = place.partition("?")
    if "@" in query or "#" in place + query:
        # Where a password ends that has such a sign in it nobody can say.
        return f"{scheme}{sign}…", [place, query]
    user, at, host = place.rpartition("@")
    name, colon, password = user.partition(":")
    secrets, shown = [password] if password else [], []
    for option in query.split("&") if query else []:
        key, _, value = option.partition("=")
        if key not in _HARMLESS and option:
            secrets += [value or key]
            option = f"{key}=…" if value else "…"
        shown.append(option)
    user_shown = name + ":…" if colon else user
    return f"{scheme}{sign}{user_shown}{at}{host}{mark}{'&'.join(shown)}", secrets


@contextmanager
def _connect(ibis: Any, address: str) -> Iterator[Any]:
    """Connect through Ibis; an SQLite file is not made if it is missing."""
    if address.startswith(SQLITE):
        file = _require_file(address.removeprefix(SQLITE))
        with name_errors(file):
            connection = sqlite3.connect(f"file:{quote(file)}?mode=ro", uri=True)
        with closing(connection):
            with name_errors(file):
                backend = ibis.sqlite.from_connection(connection)
            yield backend
        return
    with name_errors(address):
        backend = ibis.connect(address)
    try:
        yield backend
    finally:
        backend.disconnect()


def _require_file(address: str) -> str:
    file = address.removeprefix("//")
    if not Path(file).is_file():
        raise DataError(f"{show(file)}: no such file")
    return file


def _table_of(address: str) -> tuple[str, str]:
    """Return an address without its table, and the table."""
    place, _, query = address.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    table = options.pop("table", "")
    if not table:
        raise InvalidArgument("data", without_password(address), "?table=NAME at its end")
    return place + (f"?{urlencode(options)}" if options else ""), table


def parquet_files(folder: str, verb: str, marks: Collection[str] = MARKS) -> tuple[str, ...]:
    """Return the Parquet files of a folder by name, which has nothing else but ``marks``.

    ``taken`` says in messages what becomes of a folder as a whole.
    """
    files = []
    for entry in sorted(Path(folder).iterdir()):
        if entry.suffix.lower() in _PARQUET and entry.is_file():
            files.append(str(entry))
        elif entry.name not in marks and not (entry.name[0] == "." and entry.suffix == ".crc"):
            kind = "a folder" if entry.is_dir() else "no file *.parquet"
            raise DataError(
                f"{show(folder)}: {show(entry.name)} in it is {kind}; a folder is {verb} as a "
                "whole, so put Parquet files alone into one"
            )
    if not files:
        raise DataError(f"{show(folder)}: a folder without files *.parquet")
    return tuple(files)


def require_alike(first: str, types: Mapping[str, str], file: str, own: Mapping[str, str]) -> None:
    """Check that a file has the columns and types of the first one; an engine would cast."""
    for column in {**types, **own}:
        kinds = types.get(column, "nothing"), own.get(column, "nothing")
        if kinds[0] != kinds[1]:
            raise DataError(
                f"{file}: column {show(column)} holds {kinds[1]}, and {kinds[0]} in {first}"
            )


@contextmanager
def _folder(text: str) -> Iterator[Any]:
    """Open every file of a folder of Parquet files."""
    files = parquet_files(text, "judged", (*MARKS, ".DS_Store"))
    with _duckdb(":memory:") as connection:
        query = "DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning = false)"
        types: dict[str, dict[str, str]] = {}
        for file in files:
            with name_errors(file):
                rows = connection.execute(query, [escape(file)]).fetchall()
            types[file] = {row[0]: row[1] for row in rows}
            require_alike(files[0], types[files[0]], file, types[file])
        with name_errors(text):
            # DuckDB takes names for patterns, and text such as year=2024 in them for columns.
            relation = connection.read_parquet(list(map(escape, files)), hive_partitioning=False)
        yield relation


@contextmanager
def _duckdb(file: str, **options: Any) -> Iterator[Any]:
    duckdb = _library("duckdb")
    with name_errors(file):
        connection = duckdb.connect(file, **options)
        # It would be drawn on the standard output, into the answer.
        connection.execute("SET enable_progress_bar = false")
    try:
        yield connection
    finally:
        connection.close()


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        message = f"{name} is not installed; to check data where they are: {_EXTRA}"
        raise DataError(message) from error
