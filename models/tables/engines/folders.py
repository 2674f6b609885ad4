"""Tables that are folders of files, on a disk or in an object store: plain, Hive, Delta, Iceberg.

A folder is judged as a whole or not at all: what is in it and is no Parquet file, such as a part
that is still being written, is refused. What a folder's name says of its rows, ``year=2024``, is a
column of texts. A lake's log says which of its files count; the others hold rows that were deleted.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

from kproof.errors import DataError, show
from kproof.models.tables.engines import opening
from kproof.models.tables.engines.keys import require_apart

DELTA = "delta:"
"""How the folder of a Delta table begins, or its URL."""

ICEBERG = "iceberg:"
"""How the file or URL of an Iceberg table's metadata begins."""

STORES = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "memory")
"""Schemes of object stores, as fsspec has them; where they are and who asks says their own
configuration."""

_EXTRA = "lakes"
_PARQUET = (".parquet", ".pq")
MARKS = ("_SUCCESS", "_metadata", "_common_metadata")
"""What writers leave beside Parquet files, without rows."""

_LOGS = ("_delta_log", ".hoodie", "metadata")
"""Where a lake says which files below it count: Delta, Hudi, Iceberg."""

_FILE = "kproof file"
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What Hive calls a folder of rows whose value is missing."""

Keys = tuple[tuple[str, str | None], ...]
"""What the folders of a file say of its rows: columns and values."""


def parquet_files(folder: str) -> tuple[str, ...]:
    """Return the Parquet files of a folder by name; it has nothing else in it.

    Raises:
        DataError: If it has, or no file.
    """
    placed = _keys_by_file(folder, _on_disk(folder))
    for keys in placed.values():
        if keys:
            raise _mixture_error(folder, f"{show(keys[0][0])}=… in it is a folder")
    return tuple(placed)


def require_alike(first: str, types: Mapping[str, str], file: str, own: Mapping[str, str]) -> None:
    """Check that a file has the columns and types of the first one; an engine would cast."""
    for column in {**types, **own}:
        kinds = types.get(column, "nothing"), own.get(column, "nothing")
        if kinds[0] != kinds[1]:
            raise DataError(
                f"{file}: column {show(column)} holds {kinds[1]}, and {kinds[0]} in {first}"
            )


def is_folder(text: str) -> bool:
    """Say whether a text names a table that is made of files, not of a database.

    >>> is_folder("s3://bucket/visits/"), is_folder("delta:visits"), is_folder("postgres://host/db")
    (True, True, False)
    """
    return text.startswith((DELTA, ICEBERG)) or urlsplit(text).scheme in STORES


@contextmanager
def open_folder(text: str) -> Iterator[Any]:
    """Open every file of a table that is a folder; yield a relation of DuckDB.

    Raises:
        DataError: If there is something else in it, files differ, or what a library says.
    """
    with opening.duckdb_connection(":memory:") as connection:
        if text.startswith(DELTA):
            yield _of_delta(connection, text)
        elif text.startswith(ICEBERG):
            yield _of_iceberg(connection, text)
        else:
            stored = urlsplit(text).scheme in STORES
            files = _list_objects(connection, text) if stored else _on_disk(text)
            yield _of_files(connection, text, _keys_by_file(text, files))


def _keys_by_file(text: str, files: Iterable[tuple[str, str]]) -> dict[str, Keys]:
    """Return the Parquet files of a folder, and what the names of their folders say."""
    placed: dict[str, Keys] = {}
    for file, place in files:
        *folders, name = place.split("/")
        # Names of files are not quoted as those of folders are: this asks whether it is UTF-8.
        _text(place, name.replace("%", "%25"))
        if inner := next((folder for folder in folders if "=" not in folder), ""):
            advice = f"; judge {DELTA}{text}" if inner == "_delta_log" else ""
            raise _mixture_error(text, f"{show(inner)} in it is a folder{advice}")
        if not name:
            continue
        hidden = next((part for part in (*folders, name) if part.startswith(("_", "."))), "")
        # A mark such as _SUCCESS begins so and holds no rows; a Parquet file may hold some.
        if hidden and (hidden != name or Path(name).suffix.lower() in _PARQUET):
            # Whether its rows count depends on who reads: DuckDB alone does not pass over it.
            fault = f"pandas, PyArrow and Spark pass over {show(place)} in it, as still being"
            raise _mixture_error(text, f"{fault} written; rename or remove it")
        if Path(name).suffix.lower() in _PARQUET:
            placed[file] = tuple(_key(place, folder) for folder in folders)
        elif name not in (*MARKS, ".DS_Store") and not (name[0] == "." and name.endswith(".crc")):
            raise _mixture_error(text, f"{show(place)} in it is no file *.parquet")
    if not placed:
        raise DataError(f"{opening.without_password(text)}: a folder without files *.parquet")
    first, keys = next(iter(placed.items()))
    for file, own in placed.items():
        # In the same order, too: values are put into their columns by position.
        if [column for column, _ in own] != [column for column, _ in keys]:
            difference = f"folders say other columns of it than of {_line(first)}"
            raise DataError(f"{_line(file)}: {difference}")
    return placed


def _mixture_error(text: str, fault: str) -> DataError:
    whole = "a folder is taken as a whole, so put Parquet files alone into one"
    return DataError(f"{opening.without_password(show(text))}: {fault}; {whole}")


def _line(file: str) -> str:
    """Return the path of a file as one line: names of folders may hold line feeds."""
    return file if file.isprintable() else repr(file)


def _key(place: str, folder: str) -> tuple[str, str | None]:
    column, _, value = folder.partition("=")
    if not column:
        raise DataError(f"{show(place)}: its folder {show(folder)} names no column; rename it")
    return _text(place, column), None if value == _NO_VALUE else _text(place, value)


def _text(place: str, quoted_name: str) -> str:
    """Return what a name stands for; bytes that are no text would become one sign, all alike."""
    try:
        name = unquote(quoted_name, errors="strict")
        # Python reads a name that is no UTF-8 from the disk as half surrogate
        # pairs, which no text has.
        name.encode()
    except UnicodeError as error:
        raise DataError(f"{show(place)}: the name is not UTF-8; rename it") from error
    return name


def _on_disk(text: str) -> Iterator[tuple[str, str]]:
    """Yield each file below a folder, and its place in it; a folder ends in a slash.

    Links are followed, since a reader follows them. Two ways to the same rows are refused: they
    would count twice, and a link to a folder around it leads back for ever.
    """
    reached: dict[str, str] = {}
    above: set[str] = set()

    def reach(place: Path) -> None:
        try:
            target = os.path.realpath(Path(text) / place, strict=True)
        except OSError as error:
            fault = f"{show(str(place))} in it cannot be read ({error.strerror})"
            raise DataError(f"{show(text)}: {fault}") from error
        if target in reached:
            pair = f"{show(reached[target])} and {show(str(place))}"
            raise DataError(f"{show(text)}: {pair} in it are the same; remove the link")
        reached[target] = str(place)
        ways = (Path(target), Path(os.path.abspath(text)) / place)
        # Both ways up, as the link leads and as the file lies: either may be within a lake.
        parents = {str(parent) for way in ways for parent in way.parents} - above
        above.update(parents)
        _require_no_log(text, parents, _names_on_disk)

    # os.walk passes over a folder that it cannot read, whose rows nobody would judge.
    for folder, names, files in os.walk(text, onerror=_raise, followlinks=True):
        # In place: os.walk goes on in this order.
        names.sort()
        place = Path(folder).relative_to(text)
        reach(place)
        for name in names:
            # Also one that is empty: somebody may be about to write into it.
            if "=" not in name:
                yield "", f"{(place / name).as_posix()}/"
        for name in sorted(files):
            reach(place / name)
            yield str(Path(folder) / name), (place / name).as_posix()


def _require_no_log(
    text: str, folders: Iterable[str], list_names: Callable[[str], Sequence[str]]
) -> None:
    """Refuse what lies below the log of a lake: which of its files count, the log says alone."""
    for folder in sorted(folders):
        for log in _LOGS:
            place = f"{folder.rstrip('/')}/{log}"
            names = list_names(place)
            # Anybody may call a folder metadata; Iceberg's has files of one kind.
            if names and (log != "metadata" or any(".metadata.json" in name for name in names)):
                advice = "judge the table: delta: and its folder, or iceberg: and its metadata"
                fault = f"a part of a lake, whose log {show(place)} says which rows were deleted"
                raise DataError(f"{opening.without_password(show(text))}: {fault}; {advice}")


def _names_on_disk(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        _raise(error)


def _raise(error: OSError) -> NoReturn:
    raise DataError(f"{error.filename}: cannot be read ({error.strerror})") from error


def _list_objects(connection: Any, text: str) -> list[tuple[str, str]]:
    """Return each file below a folder of an object store, and let DuckDB read there."""
    fsspec = opening.library("fsspec.core", _EXTRA)
    with opening.name_errors(text):
        try:
            store, path = fsspec.url_to_fs(text)
        except ImportError as error:
            raise DataError(f"{error}; or pip install 'kproof[{_EXTRA}]'") from error
        connection.register_filesystem(store)
        sizes = {file: about["size"] for file, about in store.find(path, detail=True).items()}
    if not (files := sorted(sizes)):
        raise DataError(f"{opening.without_password(text)}: no such folder, or an empty one")
    for file in files:
        # Consoles of stores make a folder by an object without bytes.
        if file.endswith("/") and sizes[file]:
            raise _mixture_error(text, f"{show(file)} in it is an object called like a folder")

    def list_names(folder: str) -> list[str]:
        with opening.name_errors(text):
            try:
                return list(store.ls(folder, detail=False))
            except (FileNotFoundError, NotADirectoryError):
                return []

    parts = path.strip("/").split("/")
    above = ["/".join(parts[:number]) for number in range(1, len(parts))]
    _require_no_log(text, above, list_names)
    # A single object is a table as well, and has no folder below it.
    inside = "" if files == [path] else path.rstrip("/") + "/"
    start = inside or path.rpartition("/")[0] + "/"
    scheme = urlsplit(text).scheme
    return [(f"{scheme}://{file}", file.removeprefix(start)) for file in files]


def _of_files(connection: Any, text: str, placed: Mapping[str, Keys]) -> Any:
    types: dict[str, dict[str, str]] = {}
    first, keys = next(iter(placed.items()))
    for file in placed:
        with opening.name_errors(_line(file)):
            rows = connection.execute(f"DESCRIBE FROM {_read_parquet_sql([file])}").fetchall()
            stored = _stored_columns(connection, file)
            _require_no_iceberg(connection, text, file)
        # DuckDB calls the second of age and Age Age_1, and ignores case of what folders say.
        require_apart(_line(file), (*stored, *(column for column, _ in keys)), _FILE)
        types[file] = {row[0]: row[1] for row in rows}
        # Each with the first, not with the one before: DuckDB casts all of them to its types.
        require_alike(_line(first), types[first], _line(file), types[file])
    with opening.name_errors(text):
        if not keys:
            return connection.sql(f"FROM {_read_parquet_sql(list(placed))}")
        return _with_keys(connection, placed)


def _stored_columns(connection: Any, file: str) -> list[str]:
    """Return the columns as the file calls them: what its schema, a tree, has at the top."""
    names = opening.quote_sql(escape(file), "'")
    nodes = connection.execute(f"SELECT name, num_children FROM parquet_schema({names})").fetchall()
    columns, below = [], 0
    for name, children in nodes[1:]:
        if not below:
            columns.append(name)
        # The schema is a tree written down depth first: a column within a column is
        # none of the table's.
        below += (children or 0) - bool(below)
    return columns


def _require_no_iceberg(connection: Any, text: str, file: str) -> None:
    """Refuse a file whose writer says in its footer that it is a part of an Iceberg table."""
    query = f"SELECT key FROM parquet_kv_metadata({opening.quote_sql(escape(file), chr(39))})"
    if (b"iceberg.schema",) in connection.execute(query).fetchall():
        fault = f"{show(file)} is a part of an Iceberg table, which may have deleted its rows"
        advice = f"judge {ICEBERG} and its metadata, or write the rows into files of their own"
        raise DataError(f"{opening.without_password(show(text))}: {fault}; {advice}")


def _read_parquet_sql(files: Sequence[str], option: str = "") -> str:
    # DuckDB takes names for patterns, and text such as year=2024 in them for columns.
    names = ", ".join(opening.quote_sql(escape(file), "'") for file in files)
    return f"read_parquet([{names}], hive_partitioning = false{option})"


def _with_keys(connection: Any, placed: Mapping[str, Keys]) -> Any:
    """Return the rows of files with what their folders say.

    DuckDB could find that itself, and would take ``NULL`` for a gap and Hive's gap for a text.
    """
    pa = opening.library("pyarrow")
    columns = [column for column, _ in next(iter(placed.values()))]
    values = {
        f"key {number}": pa.array([keys[number][1] for keys in placed.values()], pa.string())
        for number in range(len(columns))
    }
    connection.register("kproof folders", pa.table({_FILE: list(placed), **values}))
    # A file that came back under another name would lose what its folders say without a word.
    lost = f"folders.{opening.quote_sql(_FILE)} IS NULL"
    checked = f"CASE WHEN {lost} THEN error('a file came back under another name') ELSE folders"
    shown = ", ".join(
        f'{checked}."key {number}" END AS {opening.quote_sql(column)}'
        for number, column in enumerate(columns)
    )
    files = _read_parquet_sql(list(placed), f", filename = {opening.quote_sql(_FILE, chr(39))}")
    return connection.sql(
        f"SELECT rows.* EXCLUDE ({opening.quote_sql(_FILE)}), {shown} FROM {files} AS rows "
        f'LEFT JOIN "kproof folders" AS folders USING ({opening.quote_sql(_FILE)})'
    )


def _of_delta(connection: Any, text: str) -> Any:
    place = text.removeprefix(DELTA)
    lake = opening.library("deltalake", _EXTRA)
    with opening.name_errors(place):
        table = lake.DeltaTable(place)
        mode = table.metadata().configuration.get("delta.columnMapping.mode", "none")
        if mode.lower() != "none":
            # The library reads such a column by the name that files have: another one's values.
            fault = f"delta.columnMapping.mode is {show(mode)}: names in files are other columns'"
            advice = "write its rows into a table without it"
            raise DataError(f"{opening.without_password(place)}: {fault}; {advice}")
        return connection.from_arrow(table.to_pyarrow_dataset())


def _of_iceberg(connection: Any, text: str) -> Any:
    place = text.removeprefix(ICEBERG)
    lake = opening.library("pyiceberg.table", _EXTRA)
    with opening.name_errors(place):
        table = lake.StaticTable.from_metadata(place)
        return connection.from_arrow(table.scan().to_arrow_batch_reader())
