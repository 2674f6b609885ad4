"""The two things most people come for: to anonymize data, and to check a release.

Both take whatever is at hand: a Table, a frame of any kind, or the name of a file; methods for
places and people take cities, points and social graphs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from kproof.arguments import FLAG, ROLES, Need, check_arguments, name_arguments
from kproof.errors import InvalidArgument
from kproof.models.base.classes import Classes
from kproof.models.base.missing import MissingAs
from kproof.models.base.parameters import SUPPRESS, SUPPRESSED, Value
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.base.verdict import Verdict
from kproof.models.methods import METHODS
from kproof.models.privacy.several import judge
from kproof.models.registry import Kind, Method, Needs, PrivacyModel
from kproof.models.tables.labels import require_short_labels
from kproof.models.tables.levels.base import Ladder
from kproof.models.tables.persons import release_of_people
from kproof.models.tables.release import Release
from kproof.models.tables.roles import roles_among
from kproof.models.tables.sealing import require_promisable
from kproof.models.tables.table import Table
from kproof.theory.exact.typed import Number, choice
from kproof.waiting import show_stages


@show_stages
@name_arguments(source="data")
@check_arguments(**ROLES)
def anonymize(
    method: str,
    data: object,
    *,
    quasi_identifiers: Iterable[str] | None = None,
    both: Iterable[str] = (),
    sensitive: str | Sequence[str] | None = None,
    person: str | None = None,
    identifiers: Iterable[str] = (),
    other: Iterable[str] = (),
    drop: Iterable[str] = (),
    categories: Mapping[object, object] | None = None,
    taxonomies: Mapping[str, Taxonomy] | None = None,
    ladders: Mapping[str, str | Ladder] | None = None,
    least_levels: Mapping[str, Number] | None = None,
    most_levels: Mapping[str, Number] | None = None,
    numeric: Mapping[str, bool] | None = None,
    missing: Collection[str] | None = None,
    missing_in: Mapping[str, Collection[str]] | None = None,
    missing_as: MissingAs | str | None = None,
    most_members: Number | None = None,
    suppress: Number | str | None = None,
    suppressed: str = "drop",
    **parameters: Any,
) -> Any:
    """Anonymize data by a registered method.

    Columns of a table without a role are not published; one that singles out nearly every row
    stops the method until somebody says what it is.

    Args:
        method: Name of the method, such as ``"mondrian"``, ``"theta-sensitive"`` or ``"density"``.
        data: For methods for tables a Table, a pandas, Polars or PyArrow frame, or the name of a
            CSV or Parquet file; for others what :func:`kproof.models.inputs.as_kind` takes.
        quasi_identifiers, both, sensitive, person, identifiers, other, drop, categories, \
taxonomies, ladders, least_levels, most_levels, numeric, missing, missing_in, missing_as, \
most_members: Of frames and files for methods for tables, as for
            :meth:`kproof.models.tables.table.Table.from_frame`; a Table has them already.
        suppress: Largest share of rows that may be left out, from 0 to 1 or as ``"5%"``; which, and
            how many of them, is chosen so that least is lost. None for what the method leaves out
            by itself.
        suppressed: What becomes of rows left out: ``"drop"``, or ``"mark"`` to publish them with
            ``*`` in every quasi-identifier, a class of their own that has what is promised.
        **parameters: Those of the method, such as ``k=4`` and ``mu="3/5"``.

    Returns:
        Release, RegionRelease, SectorRelease or GraphRelease: Of a table, a city, points or a
        social graph.

    Raises:
        InvalidArgument: If there is no such method or it has no such parameter, roles are missing,
            or given for a Table or for what is no table.
        DataError, Infeasible: If the data cannot be used, or no release of them can meet what is
            asked, marked rows included.

    >>> release = anonymize(
    ...     "mondrian", "table-1a", quasi_identifiers=["Age"], sensitive="Disease", k=4,
    ...     identifiers=["ID", "Name"],
    ... )
    >>> release.rows, int(release.classes().real_sizes.min()) >= 4
    (12, True)
    >>> anonymize("mondrian", "table-1a", quasi_identifiers=["Age"], m=4)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: m = 4: need a parameter of mondrian: ...
    """
    # What becomes of rows left out is no role, whatever a published table calls its marks.
    roles = roles_among({**locals(), "suppressed": None})
    registered = METHODS.entry(method)
    arguments = registered.complete_arguments(parameters)
    budget = None if suppress is None else SUPPRESS.read(suppress)
    marked = SUPPRESSED.read(suppressed) == "mark"
    if registered.kind is not Kind.TABLE:
        from kproof.models.inputs import as_kind

        takes = f"{method} takes a {registered.kind}"
        if budget is not None or marked:
            raise InvalidArgument("suppress", suppress, f"a method for tables; {takes}")
        for name, value in {"quasi_identifiers": quasi_identifiers, **roles}.items():
            if value:
                raise InvalidArgument(name, value, f"no roles of columns; {takes}")
        return registered.run(as_kind(registered.kind, data), **arguments)
    table = table_of(data, quasi_identifiers, roles)
    # Refused before the method runs: it may take hours, and its release could not be kept.
    require_promisable(table, arguments, registered.worst_case)
    release = run_method(registered, table, arguments, budget, marked=marked)
    require_short_labels(release.table, release.recoded)
    return release


def run_method(
    method: Method, table: Table, options: dict[str, Any], budget: Fraction | None, *, marked: bool
) -> Release:
    """Run a method for tables, with rows left out as was asked for.

    ``options`` are its arguments, as :meth:`~kproof.models.registry.Method.complete_arguments`
    returns them. ``budget`` is the largest share of rows that may be left out, None for what the
    method does by itself; ``marked`` says that they are published with a mark in every
    quasi-identifier.
    """
    from kproof.models.tables.suppression.method import require_chosen_by_method as require_free
    from kproof.models.tables.suppression.method import suppress_rows, vouch
    from kproof.models.tables.suppression.promised import promises_of

    # Choosing among several runs is what ``once`` forbids: no budget is searched.
    if method.once and (marked or budget is not None):
        name, value = ("suppressed", "mark") if marked else ("suppress", budget)
        raise InvalidArgument(name, value, f"nothing: {method.name} withholds rows by itself, once")
    itself = SUPPRESS.name in method.parameters
    if itself and budget is not None:
        options = {**options, SUPPRESS.name: budget}

    def run(rows: Table) -> Release:
        if method.counts_people:
            release = method.run(rows, **options)
        else:
            reads = Needs.SENSITIVE in method.needs
            release = release_of_people(method.run, rows, options, reads_sensitive=reads)
        if not isinstance(release, Release):
            raise TypeError(f"{method.name} returned {type(release).__name__}, not a Release")
        return release

    models = promises_of(method, options, table)
    if itself or budget is None:
        return vouch(replace(run(table), budget=budget), models, marked=marked)
    values = (name for name, typed in method.parameters.items() if isinstance(typed, Value))
    require_free([name for name in values if options.get(name) is not None], budget)
    return suppress_rows(run, table, models, budget=budget, marked=marked)


def table_of(
    data: object, quasi_identifiers: Iterable[str] | None, roles: Mapping[str, Any]
) -> Table:
    """Return data as a table, with the roles given beside them unless they are a Table."""
    if isinstance(data, Table):
        if quasi_identifiers is not None or any(roles.values()):
            raise InvalidArgument("data", "a Table", "no roles beside it; it has its own")
        return data
    if quasi_identifiers is None:
        raise InvalidArgument("quasi_identifiers", None, "the columns an adversary may know")
    from kproof.models.tables.readers import read_table

    return read_table(data, quasi_identifiers=quasi_identifiers, **roles)


def _are_models(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(map(_are_models, value.values()))
    if _is_model(value) or isinstance(value, Iterator):
        return True  # an iterator is not used up here
    return isinstance(value, Iterable) and all(map(_is_model, value))


def _is_model(value: object) -> bool:
    # A class has a check too, without the parameters that it is to be checked with.
    return hasattr(value, "check") and not isinstance(value, type)


_MODELS = Need("models such as kproof.KAnonymity(5)", _are_models)


@name_arguments(source="data")
@check_arguments(**ROLES, models=_MODELS, known_sensitive=FLAG)
def check(
    data: object,
    models: PrivacyModel
    | Iterable[PrivacyModel]
    | Mapping[str, PrivacyModel | Iterable[PrivacyModel]],
    *,
    quasi_identifiers: Iterable[str] | None = None,
    both: Iterable[str] = (),
    sensitive: str | Sequence[str] | None = None,
    person: str | None = None,
    identifiers: Iterable[str] = (),
    other: Iterable[str] = (),
    drop: Iterable[str] = (),
    categories: Mapping[object, object] | None = None,
    missing: Collection[str] | None = None,
    missing_in: Mapping[str, Collection[str]] | None = None,
    missing_as: MissingAs | str | None = None,
    suppressed: str | None = None,
    classes: Literal["published", "formed"] = "published",
    known_sensitive: bool = False,
) -> tuple[Verdict, ...]:
    """Check a release against privacy models.

    Args:
        data: A Release, equivalence classes, a published frame, or the name of a published file. A
            lazy frame, ``duckdb:FILE?table=NAME``, a URL with ``?table=NAME`` that Ibis connects
            to, a folder of Parquet files, or a table of a lake is judged where it is: its groups
            are read, and rows only if people or columns without a part in them are judged.
        models: One model or several, such as :class:`kproof.KAnonymity`, which are judged of every
            sensitive column; or by the name of a sensitive column those that are judged of it.
        quasi_identifiers, both, sensitive, person, identifiers, other, drop, categories: The
            columns of a published frame or file and the categories of the values of its first
            sensitive column; a Release has them already. Identifiers, dropped columns and a person
            column are judged as not published; they, the others and columns without a role are
            named in the verdict as left out.
        missing: Texts that mean "nobody recorded it", for a frame or file; ``""`` and ``"?"`` if
            None.
        missing_in: The same by column, in place of ``missing`` for it.
        missing_as: What a missing sensitive value is taken for, see
            :class:`~kproof.models.base.missing.MissingAs`; None for what the data say, which is the
            worst case unless a Release or Table was made otherwise.
        suppressed: Of a frame or file: what suppressed rows show in every quasi-identifier, such as
            ``"*"``. They are a class, called *suppressed rows*; those that show nothing else are
            left out of account.
        classes: Of a Release: ``"published"``, what a reader can tell apart by its labels, as a
            frame or file shows it; or ``"formed"``, the groups as the method left them, which
            nobody but its holder sees. Verdicts on the latter say so.
        known_sensitive: Whether the other sensitive columns are taken for quasi-identifiers when
            one is judged. If not, verdicts say that the reader knows nothing of them.

    Returns:
        For each model in turn, one for each sensitive column it is judged of, or one if it is about
        none.

    Raises:
        InvalidArgument: If the quasi-identifiers are missing, or given for a Release, or
            ``classes`` is neither.
        DataError: If a column is unknown or cannot be used, or one without a role singles out
            nearly every row.

    >>> from kproof.models.privacy import KAnonymity
    >>> roles = {"quasi_identifiers": ["Country"], "sensitive": "Disease"}
    >>> [verdict] = check("table-1a", KAnonymity(2), **roles, identifiers=["ID", "Name"])
    >>> verdict.holds, verdict.value
    (False, 1)
    >>> check("table-1a", KAnonymity(2), **roles)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    kproof.errors.DataError: columns without a role: ID singles out 12 of 12 rows, Name singles ...
    """
    judged = classes_of(data, quasi_identifiers, roles_among(locals()), classes)
    return judge(judged, models, known_sensitive=known_sensitive)


def classes_of(
    data: object,
    quasi_identifiers: Iterable[str] | None,
    roles: Mapping[str, Any],
    which: Literal["published", "formed"] = "published",
) -> Classes:
    """Return the classes of data, with roles beside them unless it has its own."""
    from kproof.models.tables.published import classes_of_table
    from kproof.models.tables.readers import read_classes

    if which != "published" and not isinstance(data, Release):
        raise InvalidArgument("classes", which, "published; only a Release holds groups as formed")
    policy = roles.get("missing_as")
    if isinstance(data, (Release, Classes, Table)):
        # How missing values are judged is no role: it may be said of any release.
        own = {name: value for name, value in roles.items() if name != "missing_as"}
        if quasi_identifiers is not None or any(own.values()):
            admissible = "no columns beside it; it has its own"
            raise InvalidArgument("data", f"a {type(data).__name__}", admissible)
        if isinstance(data, Release):
            classes = data.classes(which)
        else:
            classes = data if isinstance(data, Classes) else classes_of_table(data)
        if policy is None:
            return classes
        return replace(classes, missing_as=choice("missing_as", policy, MissingAs))
    if quasi_identifiers is None:
        raise InvalidArgument("quasi_identifiers", None, "the columns an adversary may know")
    return read_classes(data, quasi_identifiers=quasi_identifiers, **roles)
