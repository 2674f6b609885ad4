"""Other people's table anonymizers as subjects.

A function from a frame to a frame, an object or class in the style of scikit-learn, and an
external :class:`~kproof.proptests.subjects.command.Command` become one kind of thing: a function
from a table case to a publication, which hands out a new frame each time, notes whether it was
changed, and takes nothing published (None, an empty frame) for a refusal.
"""

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from kproof.errors import DataError, InvalidArgument, KProofError
from kproof.models.registry import Kind, Promise
from kproof.proptests.contract import NoPublication, Subject, TableCase, TablePublication, seconds
from kproof.proptests.demands import parameters_about, require_driven
from kproof.proptests.labels.frames import columns_of, frame_of, index_of
from kproof.proptests.subjects.binding import Binding, bind, bind_names
from kproof.proptests.subjects.command import Command
from kproof.proptests.subjects.loading import resolve

Call = Callable[[Any, Any, TableCase], Any]
"""``call(anonymizer, frame, case)`` returns what it publishes."""


class NothingPublished(KProofError):
    """A subject returned nothing, or a frame without rows."""


@contextmanager
def as_returned() -> Iterator[None]:
    """Keep what is wrong with a publication from being taken for a refusal that is documented."""
    try:
        yield
    except (NothingPublished, NoPublication):
        raise
    # ValueError is what a subject documents unless it says otherwise, and a number that cannot be
    # read raises just that: the check of refusals would count what was published as refused well.
    except (KProofError, ArithmeticError, LookupError, AttributeError, TypeError, ValueError) as e:
        raise NoPublication(f"it returned what nobody can read: {e}") from e


def table_subject(
    anonymizer: Any,
    *,
    promises: frozenset[Promise],
    parameters: Iterable[str] | None = None,
    errors: tuple[type[Exception], ...] = (ValueError,),
    call: Call | None = None,
    suppresses: bool = False,
    pads: bool = False,
    fixed: Mapping[str, Any] | None = None,
) -> Subject:
    """Return somebody's anonymizer for tables as a subject.

    It and the options are what :func:`kproof.check_anonymizer` takes.

    Raises:
        NotDriven: If it takes no parameter for what a promise is about, and none is fixed.
    """
    thing, reference, name = resolve(anonymizer)
    answer: Callable[[TableCase], TablePublication]
    names = ("k", *parameters_about(promises))
    if call is not None:
        supported = frozenset(names)
        answer = partial(_publish_frame, partial(call, thing))
    elif isinstance(thing, Command):
        supported, answer = thing.binding.parameters, _read_back(thing)
    elif _is_estimator(thing):
        binding = _settings(thing, name, names)
        supported = binding.parameters
        answer = partial(_publish_frame, partial(_fit, thing, binding))
    elif callable(thing):
        binding = bind(thing, named=name, wanted=names)
        supported = binding.parameters
        answer = partial(_publish_frame, lambda frame, case: thing(frame, **binding.of(case)))
    else:
        raise InvalidArgument(
            "anonymizer", name, "a function, or an object with fit_transform or fit and transform"
        )
    if parameters is not None:
        supported = frozenset(parameters)
    # A frame or a call of somebody's own cannot be handed to another process, a reference can.
    again = ("kproof.proptests.subjects.adapters:reload", *sorted(supported))
    frame: Any = {"suppresses": suppresses, "pads": pads, "fixed": dict(fixed or {})}
    own = Subject(name, Kind.TABLE, promises, answer, supported, (KProofError, *errors), **frame)
    return foreign_subject(own, thing, reference if call is None else None, again)


def foreign_subject(
    subject: Subject, thing: Any, reference: str | None, again: tuple[str, ...]
) -> Subject:
    """Return a subject of somebody's, held to what it was given, with what limits and remakes it.

    ``again`` is what another process calls with the reference, if there is one, and further texts.
    """
    require_driven(subject.promises, subject.case_parameters)
    timeout = seconds(thing.timeout) if isinstance(thing, Command) else None
    recipe = None if reference is None else (again[0], reference, *again[1:])
    source = "the promises it was given"
    return replace(subject, source=source, reference=reference, recipe=recipe, timeout=timeout)


def reload(reference: str, *parameters: str) -> Subject:
    """Return the subject of a reference in another process, without promises."""
    return table_subject(reference, promises=frozenset(), parameters=parameters)


def publication(result: Any, names: Iterable[str] = ()) -> TablePublication:
    """Read what an anonymizer returned: a frame of any kind, a kproof Release, an array, or None.

    ``names`` are those of the columns of a two-dimensional array.

    Raises:
        NothingPublished: If it is None or has no rows.
        TypeError: If it is nothing that has rows, or has a column twice.

    >>> import pandas as pd
    >>> publication(pd.DataFrame({"age": ["20-30"]})).columns
    {'age': ('20-30',)}
    >>> publication(None)
    Traceback (most recent call last):
        ...
    kproof.proptests.subjects.adapters.NothingPublished: it returned None
    """
    if result is None:
        raise NothingPublished("it returned None")
    from kproof.models.tables.release import Release

    release = result if isinstance(result, Release) else None
    if release is not None:
        result = release.to_frame()
    elif isinstance(result, np.ndarray):
        columns_named = list(names)
        if result.ndim != 2 or result.shape[1] != len(columns_named):
            raise NoPublication(
                f"it returned an array of shape {result.shape}, not of rows by columns"
            )
        result = dict(zip(columns_named, result.T.tolist(), strict=True))
    eager = _eager(result)
    try:
        columns, index = columns_of(eager), index_of(eager)
    except InvalidArgument:
        kind = type(result).__name__
        raise NoPublication(f"it returned a thing of type {kind}, which is no frame") from None
    except DataError as error:
        # No reader can make anything of it either; a refusal it is not.
        raise NoPublication(f"it returned a frame in which {error}") from None
    published = TablePublication(columns, release, index=index)
    if published.rows == 0:
        raise NothingPublished("it returned a frame without rows")
    return published


def _eager(result: Any) -> Any:
    """Return a frame; columns as lists become one, and a lazy one is computed."""
    if isinstance(result, Mapping):
        import pandas as pd

        with as_returned():
            return pd.DataFrame(result)
    return result.collect() if type(result).__name__ == "LazyFrame" else result


def _publish_frame(publish: Callable[[Any, TableCase], Any], case: TableCase) -> TablePublication:
    """Hand a new frame to a function and note what it changed in it."""
    frame = frame_of(case)
    before = contents(frame)
    try:
        result = publish(frame, case)
    # It is no Exception, and would end the suite.
    except SystemExit as stop:
        raise RuntimeError(f"it ended the process with status {stop.code}") from stop
    published = publication(result, case.columns)
    return replace(published, changed=columns_changed(before, frame))


def columns_changed(before: Mapping[str, list[str]], frame: Any) -> tuple[str, ...]:
    """Return the columns in which a frame is not what :func:`contents` found before."""
    after = contents(frame)
    names = dict.fromkeys((*before, *after))
    return tuple(name for name in names if before.get(name) != after.get(name))


def contents(frame: Any) -> dict[str, list[str]]:
    """Return the cells of a frame as texts, which tell 1 from 1.0 and do not change with it."""
    try:
        cells = {name: list(map(repr, values)) for name, values in columns_of(frame).items()}
    except DataError:  # a column was added that is there already
        return {str(name): [] for name in frame.columns}
    if hasattr(frame, "index"):
        # The index is the caller's, too: resetting it in place changes what the next join finds.
        cells["the index"] = list(map(repr, frame.index))
    return cells


def _fit(anonymizer: Any, binding: Binding, frame: Any, case: TableCase) -> Any:
    """Set up a new estimator, so that nothing of an earlier case is left in it, and apply it."""
    arguments = binding.of(case)
    if isinstance(anonymizer, type):
        estimator = anonymizer(**arguments)
    else:
        estimator = copy.deepcopy(anonymizer)
        if arguments:
            estimator.set_params(**arguments)
    if hasattr(estimator, "fit_transform"):
        return estimator.fit_transform(frame)
    fitted = estimator.fit(frame)
    return (estimator if fitted is None else fitted).transform(frame)


def _settings(anonymizer: Any, name: str, names: Iterable[str]) -> Binding:
    if isinstance(anonymizer, type):
        return bind(anonymizer, named=name, skip=0, wanted=names)
    if not hasattr(anonymizer, "get_params"):
        return Binding({}, frozenset())
    return bind_names(anonymizer.get_params(deep=False))


def _is_estimator(anonymizer: Any) -> bool:
    return hasattr(anonymizer, "fit_transform") or (
        hasattr(anonymizer, "fit") and hasattr(anonymizer, "transform")
    )


def _read_back(command: Command) -> Callable[[TableCase], TablePublication]:
    def publish(case: TableCase) -> TablePublication:
        columns = command.publish(case)
        if columns is None:
            raise NothingPublished("it wrote no rows")
        return TablePublication(columns)

    return publish
