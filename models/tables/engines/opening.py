"""Opening a table of a database, and saying what went wrong without the secrets of its address.

Everything is opened to be read only, nothing is made that is not there, and a view in a DuckDB file
reaches no other file.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from kproof.errors import DataError, InvalidArgument, KProofError, MissingExtra, show

DUCKDB = "duckdb:"
"""How the name of a DuckDB file begins; ``?table=NAME`` follows."""

SQLITE = "sqlite:"
"""How the name of an SQLite file begins; ``?table=NAME`` follows."""


@contextmanager
def name_errors(source: str) -> Iterator[None]:
    """Say in one line what an engine refuses, whatever it raises, without secrets of an address."""
    try:
        yield
    # What kproof says itself names the source already.
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
    # As it was typed and as a driver has it once percent signs are decoded.
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
    # At the last sign and then at the first colon: a password may have both in it.
    user, at, host = place.rpartition("@")
    name, colon, password = user.partition(":")
    secrets, shown = [password] if password else [], []
    for option in query.split("&") if query else []:
        key, _, value = option.partition("=")
        if key not in _HARMLESS and option:
            # An option without a value may be a secret as a whole.
            secrets += [value or key]
            option = f"{key}=…" if value else "…"
        shown.append(option)
    user_shown = name + ":…" if colon else user
    return f"{scheme}{sign}{user_shown}{at}{host}{mark}{'&'.join(shown)}", secrets


@contextmanager
def open_table(address: str) -> Iterator[object]:
    """Open a table of a database, which ``?table=NAME&schema=NAME`` names; yield its lazy frame.

    Names stand for themselves, whatever signs are in them: no engine takes them apart at dots.

    Raises:
        InvalidArgument: If no table is named.
        DataError: If there is none of that name, or what the driver says, on one line.
    """
    place, table, schema = _table_of(address)
    if place.startswith(DUCKDB):
        file = _require_file(place.removeprefix(DUCKDB))
        # A view may read any file, and whoever made the database wrote its views.
        alone = {"enable_external_access": False}
        with duckdb_connection(file, read_only=True, config=alone) as connection:
            # Quoted one by one: a dot in a name does not part it.
            name = ".".join(map(quote_sql, filter(None, (schema, table))))
            # Errors of opening alone: what fails within the caller's block is
            # named where it happens.
            with name_errors(address):
                relation = connection.sql(f"FROM {name}")
            yield relation
        return
    with _connect(library("ibis"), place) as backend:
        with name_errors(address):
            relation = backend.table(table, database=schema)
        yield relation


def quote_sql(name: str, sign: str = '"') -> str:
    """Return a name as SQL has it, or with another sign a text.

    >>> print(quote_sql('a"b.c'), quote_sql("it's", "'"))
    "a""b.c" 'it''s'
    """
    return sign + name.replace(sign, 2 * sign) + sign


@contextmanager
def _connect(ibis: Any, address: str) -> Iterator[Any]:
    """Connect through Ibis; an SQLite file is not made if it is missing."""
    if address.startswith(SQLITE):
        file = _require_file(address.removeprefix(SQLITE))
        with name_errors(file):
            # Quoted, since a ? in the name would begin the options, and with them the mode.
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


def _table_of(address: str) -> tuple[str, str, str | None]:
    """Return an address without its table, the table, and its schema."""
    place, _, query = address.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    table, schema = options.pop("table", ""), options.pop("schema", None)
    if not table:
        raise InvalidArgument("data", without_password(address), "?table=NAME at its end")
    return place + (f"?{urlencode(options)}" if options else ""), table, schema


@contextmanager
def duckdb_connection(file: str, **options: Any) -> Iterator[Any]:
    """Connect to a file of DuckDB, or to ``:memory:``."""
    duckdb = library("duckdb")
    with name_errors(file):
        connection = duckdb.connect(file, **options)
        # It would be drawn on the standard output, into the answer.
        connection.execute("SET enable_progress_bar = false")
    try:
        yield connection
    finally:
        connection.close()


def library(name: str, extra: str = "engines") -> Any:
    """Import a library that an extra brings; say which one where it is missing."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtra(name.partition(".")[0], extra) from error
