"""Frames in, the same kind out: pandas, Polars and PyArrow through Narwhals.

Only positions count: an index, whatever it is, neither selects nor orders rows. The caller's frame
is read and never written to.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kproof.datasets import looks_missing
from kproof.errors import DataError, InvalidArgument, show
from kproof.models.base.arrays import Codes, Integers, Ranks, number_by_first
from kproof.models.base.beside import Beside, Part, count_together
from kproof.models.base.columns import Column
from kproof.models.base.exposure import Exposure
from kproof.models.base.missing import MISSING, text
from kproof.models.tables.detection.types import detect
from kproof.models.tables.encoding import encode, one_kind
from kproof.models.tables.roles import Encoded, Roles

_ONE_TEXT = {str, int, bool, date}
"""Kinds of objects of which equal ones look the same."""


def columns_of_frame(frame: object, roles: Roles) -> Encoded:
    """Encode the columns of a frame that have a role."""
    wrapped = _wrap(frame, roles)
    columns = {}
    for name in roles.encoded:
        if name == roles.person:
            columns[name] = _as_shown(name, wrapped, roles)
        else:
            coded = _encode_series(name, wrapped[name], roles)
            columns[name] = encode(name, *coded, numeric=roles.is_numeric(name))
    beside = tuple(beside_unpublished(*column) for column in _without_role(wrapped, roles))
    return Encoded(len(wrapped), columns, beside, frame)


def columns_as_shown(frame: object, roles: Roles) -> Encoded:
    """Encode the columns of a published frame: all but the sensitive ones by what they show."""
    wrapped = _wrap(frame, roles)
    columns = {
        name: encode(name, *_encode_series(name, wrapped[name], roles))
        if name in roles.secrets
        else _as_shown(name, wrapped, roles)
        for name in roles.encoded
    }
    beside = beside_published(columns, roles, _without_role(wrapped, roles))
    return Encoded(len(wrapped), columns, beside, published=True)


def encode_pieces(frames: Iterable[object], roles: Roles) -> Encoded:
    """Encode the columns of a published table that comes in pieces, each of which is let go.

    Of a piece only the codes of its rows are kept, four bytes for each cell. All columns have a
    role, and none is published as it is.
    """
    places: dict[str, dict[object, int]] = {name: {} for name in roles.encoded}
    codes: dict[str, list[Ranks]] = {name: [] for name in roles.encoded}
    rows = 0
    for frame in frames:
        wrapped = _wrap(frame, roles)
        rows += len(wrapped)
        for name, place in places.items():
            as_text = name not in roles.secrets
            piece_codes, values = _encode_series(name, wrapped[name], roles, as_text=as_text)
            if as_text:
                values = [text(value) for value in values]
            piece_places = [place.setdefault(value, len(place)) for value in values]
            # One entry more, which -1, a missing value, picks as the last.
            codes[name].append(np.array([*piece_places, -1], dtype=np.int32)[piece_codes])
    columns = {}
    for name, place in places.items():
        # Taken out of the dictionary: pieces and the whole column would otherwise lie side by
        # side for every column.
        every = np.concatenate([np.zeros(0, dtype=np.int32), *codes.pop(name)])
        column_of = encode if name in roles.secrets else label_column
        columns[name] = column_of(name, every, list(place))
    return Encoded(rows, columns, published=True)


def texts_of_frame(
    frame: object, roles: Roles
) -> tuple[int, dict[str, tuple[Codes, tuple[str, ...]]]]:
    """Return the rows of a frame and, by column, codes (-1 for missing) and distinct texts."""
    wrapped = _wrap(frame, roles)
    columns = {}
    for name in wrapped.columns:
        codes, values = _encode_series(name, wrapped[name], roles, as_text=True)
        texts = [text(value) for value in values]
        # Values of two kinds may show the same text, which a reader cannot tell apart.
        place = {label: index for index, label in enumerate(dict.fromkeys(texts))}
        columns[name] = (np.array([*map(place.__getitem__, texts), -1])[codes], tuple(place))
    return len(wrapped), columns


def codes_of_frame(frame: object, roles: Roles) -> dict[str, tuple[Codes, list[object]]]:
    """Return codes (-1 for missing) and distinct values of the columns that are read, by name."""
    wrapped = _wrap(frame, roles)
    return {name: _encode_series(name, wrapped[name], roles) for name in roles.encoded}


def names_of_frame(frame: object) -> tuple[str, ...]:
    """Return the names of the columns of a frame."""
    return tuple(_wrap(frame, Roles.of(quasi_identifiers=None)).columns)


def beside_published(
    columns: Mapping[str, Column], roles: Roles, without: Sequence[tuple[str, Codes, Sequence[str]]]
) -> tuple[Beside, ...]:
    """Count what the columns of a published table single out that are left out of account.

    Of those without a role (``without``: name, codes and distinct texts) it is said, too, if they
    look like names: a name that several people have singles out no row, and yet is nothing to
    publish unasked.
    """
    unknown = [(name, Part.NONE, codes) for name, codes, _ in without]
    as_is = [(name, Part.OTHER, present(columns[name])) for name in roles.other]
    counted = count_together([*unknown, *as_is])
    inspected = [_inspect(own, texts) for own, (_, _, texts) in zip(counted, without, strict=False)]
    return (*inspected, *counted[len(inspected) :])


def beside_unpublished(name: str, codes: Codes, texts: Sequence[str]) -> Beside:
    """Count what a column without a role of a table that is to be published gives away.

    Sets of columns are not looked for: what has no role is not published by any method. ``codes``,
    shape (rows,), index its distinct texts, -1 where a value is missing.
    """
    return _inspect(Beside.of_codes(name, codes), texts)


def _inspect(column: Beside, texts: Sequence[str]) -> Beside:
    """Return a column without a role with what its values look like, if that names people."""
    # What looks missing is no name: enough of it would hide that all the rest are names.
    present = [cell for cell in texts if not looks_missing(cell)]
    detected = detect(column.name, present, present=column.present, alone=column.alone)
    return replace(column, looks=detected.names_people)


def present(column: Column) -> Codes:
    """Return the codes of a column, -1 where a value is missing."""
    codes = column.codes.astype(np.int64)
    if column.missing is not None:
        codes[codes == column.missing] = -1
    return codes


def as_it_is(column: Column) -> Beside:
    """Return what a column that is published as it is gives away."""
    return Beside.of_codes(column.name, present(column), Part.OTHER)


def exposure_of(of_row: Codes, other: Sequence[Column]) -> Exposure | None:
    """Return what columns published as they are single out, or None without any.

    ``of_row``, shape (rows,), is the class of each published row.
    """
    if not other:
        return None
    names = tuple(column.name for column in other)
    return Exposure(of_row, names, tuple(column.codes for column in other))


def label_column(name: str, codes: Integers, uniques: Sequence[object]) -> Column:
    """Encode a published column: equal texts are equal, whatever they are the text of."""
    if len(uniques):
        return encode(name, codes, list(map(text, uniques)))
    return Column(name, np.zeros(len(codes), dtype=np.int32), (MISSING,), numeric=False)


def _as_shown(name: str, wrapped: Any, roles: Roles) -> Column:
    return label_column(name, *_encode_series(name, wrapped[name], roles, as_text=True))


def frame_of_columns(columns: Sequence[Column], source: Any) -> object:
    """Return columns as a frame of the kind of ``source``, as pandas if that is None."""
    import narwhals as nw

    if source is None:
        import pandas as pd
    backend: Any = pd if source is None else nw.get_native_namespace(source)
    series = {}
    for column in columns:
        # The distinct values once, and then rows by position: a frame of ten million rows is made
        # without a Python object for each.
        domain = nw.new_series(column.name, native(column.values), backend=backend)
        series[column.name] = nw.maybe_reset_index(domain[column.codes])
    return nw.from_dict(series, backend=backend).to_native()


def _wrap(frame: Any, roles: Roles) -> Any:
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        wrapped = nw.from_native(frame, eager_only=True)
    except TypeError:
        admissible = "a pandas, Polars or PyArrow table that is not lazy"
        raise InvalidArgument("data", type(frame).__name__, admissible) from None
    except DuplicateError:
        wrapped = None
    names = list(getattr(frame, "column_names", frame.columns))
    for name in names:
        if not isinstance(name, str):
            raise DataError(f"a column is called {name!r}, which is no text; rename the columns")
        if names.count(name) > 1:
            raise DataError(f"column {show(name)} is there {names.count(name)} times; rename one")
    roles.find(names)
    return wrapped


def _without_role(wrapped: Any, roles: Roles) -> list[tuple[str, Codes, list[str]]]:
    """Return name, codes (-1 for missing) and distinct texts of each column without a role."""
    columns = []
    for name in roles.without(list(wrapped.columns)):
        codes, values = _encode_series(name, wrapped[name], roles, as_text=True)
        columns.append((name, codes, [text(value) for value in values]))
    return columns


def _encode_series(
    name: str, series: Any, roles: Roles, *, as_text: bool = False
) -> tuple[Codes, list[object]]:
    """Return codes, -1 for missing, and distinct values of a column or of its texts."""
    try:
        coded = _code_texts(series) or _code_values(name, series, roles, as_text)
    except InvalidOperation:
        # Nothing can be asked of a signaling NaN, not even whether it is one.
        fault = "has a Decimal that is a signaling NaN; leave the cell empty"
        raise DataError(f"column {show(name)} {fault}") from None
    return _drop_missing(name, *coded, roles)


def _code_texts(series: Any) -> tuple[Codes, list[object]] | None:
    """Return codes and distinct texts of a column of texts; None where PyArrow cannot help.

    PyArrow numbers texts where they lie, without making a Python object of each row.
    """
    import narwhals as nw

    if series.dtype == nw.Categorical and series.implementation.is_pyarrow():
        return _code_dictionary(series.to_native())
    if series.dtype != nw.String:
        return None
    try:
        import pyarrow as pa

        rows = series.to_arrow().cast(pa.large_string())
    except (ImportError, ValueError, TypeError):
        # Half a surrogate pair is a text to Python and to nobody else.
        return None
    if isinstance(rows, pa.ChunkedArray):
        rows = rows.combine_chunks()
    coded = rows.dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes.astype(np.int64), coded.dictionary.to_pylist()


def _code_dictionary(rows: Any) -> tuple[Codes, list[object]] | None:
    """Return codes and texts of a dictionary of PyArrow; None if its values are no texts.

    It may hold a text twice, and texts that no row has.
    """
    if str(rows.type.value_type) not in ("string", "large_string"):
        return None
    coded = rows.unify_dictionaries().combine_chunks()
    used = coded.indices.dictionary_encode()
    place: dict[object, int] = {}
    numbers = [
        -1 if text is None else place.setdefault(text, len(place))
        for text in coded.dictionary.take(used.dictionary).to_pylist()
    ]
    places = used.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    # One entry more, which -1, a missing value, picks as the last.
    return np.array([*numbers, -1], dtype=np.int64)[places], list(place)


def _values_of(name: str, series: Any) -> NDArray[Any]:
    """Return the values of a column that are there; what is no number, text or time is refused."""
    import narwhals as nw

    there = series.drop_nulls()
    # Of a time as Python has it nanoseconds are cut off.
    times = series.dtype == nw.Time and series.implementation.is_polars()
    if times and (there.cast(nw.Int64) % 1000 != 0).any():
        fault = "has a time finer than a microsecond; round it or make it a text"
        raise DataError(f"column {show(name)} {fault}")
    try:
        values = there.to_numpy()
    # These are no fault of the column.
    except (ImportError, MemoryError):
        raise
    # Each library raises errors of its own.
    except Exception:
        values = None
    if values is None or values.ndim != 1:
        raise DataError(
            f"column {show(name)} holds {series.dtype}, which is not read; make it a text"
        )
    return np.asarray(values)


def _code_values(name: str, series: Any, roles: Roles, as_text: bool) -> tuple[Codes, list[object]]:
    """Return codes and distinct values of a column of any kind; missing texts may be among them."""
    codes = np.full(len(series), -1, dtype=np.int64)
    filled = ~series.is_null().to_numpy()
    values = _values_of(name, series)
    if values.dtype == object and len(set(map(type, values))) > 1:
        # A text that means "missing" is no kind of its own beside numbers.
        recorded = np.array([not roles.is_missing(name, value) for value in values], dtype=bool)
        filled[filled] = recorded
        values = values[recorded]
    if values.dtype == object and len(set(map(type, values))) > 1:
        # Equal values of different kinds, such as 1 and True, would be taken for one.
        if as_text:
            values = _texts(values)
        else:
            one_kind(name, values)
    elif as_text and values.dtype == object and not set(map(type, values)) <= _ONE_TEXT:
        # 1.0 and 1.00 are equal, as are 00:00 and 01:00+01:00, and do not look it.
        values = _texts(values)
    if values.dtype.kind == "M":
        # A day becomes a date, whatever frame it came in; only a time becomes a datetime.
        unit = "D" if np.datetime_data(values.dtype)[0] == "D" else "us"
        shown_as = values.astype(f"datetime64[{unit}]")
        # There and back: what compares two units wraps around where a time is too far away.
        if cut := np.flatnonzero(shown_as.astype(values.dtype) != values).tolist():
            raise DataError(
                f"column {show(name)} has {values[cut[0]]}, finer than a microsecond or too far "
                "away; round it or make it a text"
            )
        values = shown_as.astype(object)
    elif values.dtype.kind == "U":
        values = values.astype(object)
    elif values.dtype.kind == "f":
        # Of two zeros the one that comes first would be shown; a file shows both.
        zeros = values[values == 0]
        two_zeros = as_text and np.signbit(zeros).any()
        values = _texts(values) if two_zeros else values + 0.0
    try:
        codes[filled], uniques = number_by_first(values)
    except (TypeError, ValueError):
        if not as_text:
            one_kind(name, values)
            fault = f"column {show(name)} has {show(values[0])}; make it a number or a text"
            raise DataError(fault) from None
        # Lists and the like cannot be looked up; what a reader sees of them can.
        codes[filled], uniques = number_by_first(_texts(values))
    return codes, uniques.tolist()


def _drop_missing(
    name: str, codes: Codes, distinct: list[object], roles: Roles
) -> tuple[Codes, list[object]]:
    """Return codes and distinct values without those that mean "nobody recorded it"."""
    values_there = roles.drop_missing(name, distinct)
    if len(values_there) < len(distinct):
        place = {value: position for position, value in enumerate(values_there)}
        # The last entry is what -1, missing already, picks.
        codes = np.array([*(place.get(value, -1) for value in distinct), -1])[codes]
    return codes, values_there


def _texts(values: Iterable[object]) -> NDArray[np.object_]:
    return np.array([text(value) for value in values], dtype=object)


def native(values: Sequence[object]) -> list[object]:
    """Return values of one type that every kind of frame has, None for missing."""
    kinds = {type(value) for value in values} - {type(MISSING)}
    if Fraction in kinds or (Decimal in kinds and len(kinds) > 1):
        kind: type = str
    else:
        kind = float if kinds == {int, float} else object
    if kind is object:
        return [None if value is MISSING else value for value in values]
    return [None if value is MISSING else kind(value) for value in values]
