"""Keys of GROUP BY that tell apart what a reader tells apart, whatever the engine thinks equal.

An engine may group ``Flu`` with ``flu`` because of a collation, show 1.5 as 1 because a column was
declared whole, or make floats of whole numbers once a part of the table has a gap. Classes would
then look larger than they are, and a verdict would hold that must not. So texts are grouped by
their bytes where an engine has collations, only types that every engine keeps exactly are grouped
at all, and what comes back is held against what was asked for.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import narwhals as nw
import numpy as np

from kproof.errors import DataError, show
from kproof.models.tables.engines.opening import name_errors

Schema = Mapping[str, Any]
"""Narwhals' type of each column."""

LARGEST_WHOLE = 2**53
"""Whole numbers of a smaller size are floats of their own."""

_WHOLE = (
    *(nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.Int128),
    *(nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64),
)
_TEXT = (nw.String, nw.Categorical, nw.Enum)
_PLAIN = (nw.Boolean, *_WHOLE, nw.Date)
"""Types whose values are equal or not in every engine alike."""

_GROUPED = (*_PLAIN, *_TEXT, nw.Float32, nw.Float64, nw.Decimal, nw.Datetime)

_DIVIDES = {"duckdb": '."', "pyspark": ".`"}
"""Signs at which an engine takes the name of a column apart."""

_STORED: Mapping[type, str] = {
    nw.String: "text",
    nw.Float64: "real",
    nw.Boolean: "integer",
    **dict.fromkeys(_WHOLE, "integer"),
}
"""What cells of SQLite may be, whatever their column was declared."""


def require_types(name: str, schema: Schema, keys: Sequence[str]) -> None:
    """Refuse columns whose values an engine may round, reorder or show in its own way."""
    for key in keys:
        kind = schema[key]
        # Before the types that may be grouped, of which it is one.
        if isinstance(kind, nw.Datetime) and kind.time_zone is not None:
            raise _fault(
                name,
                key,
                "times with a zone, which each engine shows in its own; make it a text or a time "
                "without a zone",
            )
        if not isinstance(kind, _GROUPED):
            remedy = "make it a number, a text, a date or a time without a zone"
            raise _fault(name, key, f"holds {kind}; {remedy}")


def _fault(name: str, key: str, fault: str) -> DataError:
    return DataError(f"{name}, column {show(key)}: {fault}")


def require_apart(name: str, columns: Iterable[str], reserved: str) -> None:
    """Refuse columns that an engine takes for one since it ignores case, and a name of our own.

    >>> require_apart("t", ["age", "Age"], "rows")
    Traceback (most recent call last):
    kproof.errors.DataError: t: an engine that ignores case takes columns age and Age for one; \
rename one
    """
    spelling: dict[str, str] = {}
    for column in columns:
        # More than an engine ignores, on purpose: casefold takes ß for ss, and what is
        # refused can be renamed.
        if (first := spelling.get(column.casefold())) == column:
            raise DataError(f"{name}: column {show(column)} stands there twice; rename one")
        if first is not None:
            pair = f"columns {show(first)} and {show(column)}"
            raise DataError(f"{name}: an engine that ignores case takes {pair} for one; rename one")
        if column.casefold() == reserved:
            raise DataError(f"{name}: a column is called {show(column)}; rename it")
        spelling[column.casefold()] = column


def exact(name: str, native: Any, schema: Schema, keys: Sequence[str]) -> object:
    """Return a lazy frame of the known columns, texts as bytes where the engine has collations.

    Refuses what an engine compares in a way that is not known, and SQLite columns with cells that
    are not of their type.
    """
    how = nw.get_native_namespace(native).__name__
    texts = [column for column in keys if isinstance(schema[column], _TEXT)]
    if not how.startswith(("polars", "dask")):
        require_apart(name, schema, "")
    for key in keys:
        # t.age would be column age of a table t, or a field of a record, where there is one.
        parts = next((signs for tool, signs in _DIVIDES.items() if how.startswith(tool)), "")
        if sign := next((sign for sign in parts if sign in key), ""):
            raise _fault(name, key, f"the engine takes a name apart at {sign}; rename it")
    if how.startswith("duckdb"):
        return _of_duckdb(native, keys, texts)
    if how.startswith("ibis"):
        return _of_ibis(name, native, schema, keys, texts)
    if how.startswith("pyspark"):
        for field in native.select(*keys).schema:
            kind = field.dataType.simpleString()
            if kind.startswith("string ") or "collate" in kind:
                risk = "which may take different texts for one; make it a plain string"
                raise _fault(name, field.name, f"holds {kind}, {risk}")
    # Fail closed: an engine whose equality nobody tested may take two groups for one.
    elif not how.startswith(("polars", "dask")):
        raise DataError(
            f"{name}: groups of {how} are not known to be exact; give a frame of DuckDB, Ibis, "
            "Polars, Dask or PySpark, or read the rows"
        )
    return native


def restore_types(name: str, grouped: Any, schema: Schema, keys: Sequence[str]) -> Any:
    """Return groups, a PyArrow table, with columns of the types that were asked for.

    Refuses what an engine made of a column on the way if different values may have become one.

    >>> import pyarrow as pa
    >>> schema = {"age": nw.Int64()}
    >>> restore_types("t", pa.table({"age": [30.0, None]}), schema, ["age"])["age"].to_pylist()
    [30, None]
    >>> restore_types("t", pa.table({"age": [2.0**53, None]}), schema, ["age"])
    Traceback (most recent call last):
    kproof.errors.DataError: t, column age: the engine made floats of whole numbers, and such as \
9007199254740992 may be several; make them texts
    """
    import pyarrow as pa

    for place, key in enumerate(grouped.column_names):
        if key not in keys:
            continue
        dtype, column = schema[key], grouped[key]
        # Texts were grouped as bytes, of which no collation takes two for one.
        if isinstance(dtype, _TEXT) and pa.types.is_binary(column.type):
            with name_errors(f"{name}, column {show(key)}"):
                column = column.cast(pa.string())
        # Beside a gap an engine may make floats of whole numbers, and equal ones of large ones.
        elif isinstance(dtype, _WHOLE) and pa.types.is_floating(column.type):
            values = column.drop_null().to_numpy()
            # From 2**53 on a float stands for several whole numbers, which the
            # engine has counted as one.
            large = values[np.abs(values) >= LARGEST_WHOLE]
            if len(large):
                fault = f"such as {large[0]:.0f} may be several; make them texts"
                raise _fault(name, key, f"the engine made floats of whole numbers, and {fault}")
            with name_errors(f"{name}, column {show(key)}"):
                column = column.cast(pa.int64())
        # As SQLite was asked for them, see _of_sqlite.
        elif isinstance(dtype, _WHOLE) and _is_text(column.type):
            with name_errors(f"{name}, column {show(key)}"):
                column = column.cast(pa.int64())
        elif isinstance(dtype, _TEXT) and not _is_text(column.type):
            raise _fault(
                name, key, f"was said to hold texts and holds {column.type}; make it one kind"
            )
        grouped = grouped.set_column(place, key, column)
    return grouped


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    # A column of gaps alone has no type, and is as good as a text.
    return pa.types.is_null(kind) or any(test(kind) for test in tests)


def _of_duckdb(relation: Any, keys: Sequence[str], texts: Sequence[str]) -> object:
    from duckdb import ColumnExpression, FunctionExpression

    def key(column: str) -> Any:
        if column not in texts:
            return ColumnExpression(column)
        shown_as = ColumnExpression(column).cast("VARCHAR")
        return FunctionExpression("encode", shown_as).alias(column)

    return relation.select(*map(key, keys))


def _of_ibis(
    name: str, table: Any, schema: Schema, keys: Sequence[str], texts: Sequence[str]
) -> object:
    engine = table.get_backend().name
    if engine == "sqlite":
        _require_stored(name, table, schema, keys)
        return table.select(**{key: _of_sqlite(table[key], schema[key]) for key in keys})
    if engine in ("duckdb", "postgres"):
        for key in keys:
            if isinstance(schema[key], nw.Decimal) and table[key].type().scale is None:
                fault = "a numeric of any scale, where 1.0 and 1.00 are equal and do not look it"
                raise _fault(name, key, f"{fault}; make it a text or a numeric(12, 2)")
        return table.select(
            **{o: _bytes(engine, table[o]) if o in texts else table[o] for o in keys}
        )
    for key in keys:
        if not isinstance(schema[key], _PLAIN):
            risk = "and it may take different values for one; read the rows into a frame"
            raise _fault(name, key, f"nobody tested how {engine} compares {schema[key]}, {risk}")
    return table.select(*keys)


def _of_sqlite(column: Any, kind: Any) -> Any:
    if isinstance(kind, _WHOLE):
        # Ibis makes floats of whole numbers beside a gap: 2**53 + 1 would come back as 2**53.
        return column.cast("string")
    # A concatenation has no collation of its own.
    return column.concat("") if isinstance(kind, _TEXT) else column


def _bytes(engine: str, column: Any) -> Any:
    """Return the bytes of a text: they are equal only if it is."""
    encode, convert_to = _byte_functions()
    # Enumerations and citext of Postgres have to become plain texts first.
    return encode(column) if engine == "duckdb" else convert_to(column.concat(""), "UTF8")


@cache
def _byte_functions() -> tuple[Any, Any]:
    import ibis

    # Only their names and signatures count: the engine's own functions of these names are called.
    def encode(value: str) -> bytes:
        raise NotImplementedError(value)

    def convert_to(value: str, encoding: str) -> bytes:
        raise NotImplementedError(value, encoding)

    builtin = ibis.udf.scalar.builtin
    return (
        builtin(encode, signature=(("string",), "binary")),
        builtin(convert_to, signature=(("string", "string"), "binary")),
    )


def _require_stored(name: str, table: Any, schema: Schema, keys: Sequence[str]) -> None:
    """Check that cells of SQLite are of the type that their column was declared with.

    A cell may be of any type there, and is made one of the declared type after it was grouped.
    """
    for key in keys:
        column, kind = table[key], type(schema[key])
        if kind not in _STORED:
            remedy = "make a view that shows it as a text: CAST(… AS TEXT)"
            raise _fault(name, key, f"SQLite has no {schema[key]} of its own; {remedy}")
        with name_errors(name):
            stored = table.select(kind=column.typeof()).distinct().to_pyarrow()["kind"].to_pylist()
        if odd := sorted({*stored} - {_STORED[kind], "null"}):
            fault = f"and has cells of type {odd[0]}; make them one kind"
            raise _fault(name, key, f"declared {schema[key]}, {fault}")
        if kind is nw.Boolean:
            with name_errors(name):
                plain = column.cast("int64")
                strays = table.filter(~plain.isin([0, 1])).count().to_pyarrow().as_py()
            if strays:
                fault = "declared Boolean, and has other numbers than 0 and 1; make it a number"
                raise _fault(name, key, fault)
