"""The suite as a function: an anonymizer and its promises in, results or a readable failure out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeVar

from kproof.arguments import DICTIONARY, FLAG, FUNCTION, NAMES, check_arguments, name_arguments
from kproof.errors import InvalidArgument, one_of
from kproof.models.base.parameters import SEED
from kproof.models.registry import Kind, Promise
from kproof.proptests.checks import checks
from kproof.proptests.contract import Check, Source, Subject
from kproof.proptests.contract import seconds as limit_of
from kproof.proptests.demands import judgeable, require_driven, values_of_fixed
from kproof.proptests.engine import RunBudget, hold
from kproof.proptests.profiles import profile_named
from kproof.proptests.results import PromiseBroken, PromiseOpen, Results
from kproof.proptests.sources import sources
from kproof.proptests.subjects.command import Command
from kproof.proptests.supports import supports_named
from kproof.proptests.time_limit import check_of, measure_again, with_limit
from kproof.theory.exact.typed import Number, choice, rational
from kproof.waiting import show_stages

__all__ = [
    "PromiseBroken",
    "PromiseOpen",
    "Results",
    "check_anonymizer",
    "promises_named",
    "subject_of",
]

_Item = TypeVar("_Item", Check, Source)

BASIC = frozenset(
    {Promise.K_ANONYMITY, Promise.TRUTHFUL, Promise.RECORDS_KEPT, Promise.SENSITIVE_KEPT}
)
"""What an anonymizer for tables is held to unless it promises something else."""


@show_stages
@check_arguments(
    promises=NAMES,
    parameters=NAMES,
    sources=NAMES,
    checks=NAMES,
    supports=NAMES,
    expected_failures=DICTIONARY,
    fixed=DICTIONARY,
    call=FUNCTION,
    on_finding=FUNCTION,
    suppresses=FLAG,
    pads=FLAG,
)
def check_anonymizer(
    anonymizer: Any,
    /,
    *,
    promises: Iterable[Promise | str] | None = None,
    kind: Kind | str = Kind.TABLE,
    parameters: Iterable[str] | None = None,
    expected_failures: Mapping[str, str] | None = None,
    profile: str = "default",
    max_examples: Number | None = None,
    seed: Number = 0,
    on_fail: Literal["raise", "return"] = "raise",
    errors: tuple[type[Exception], ...] = (ValueError,),
    call: Callable[..., Any] | None = None,
    suppresses: bool = False,
    pads: bool = False,
    sources: Iterable[str | Source] | None = None,
    checks: Iterable[str | Check] | None = None,
    timeout: Number | None = None,
    fixed: Mapping[str, Any] | None = None,
    supports: Iterable[str] | None = None,
    on_finding: Callable[[str, str], None] | None = None,
    seconds: Number | None = None,
) -> Results:
    """Hold an anonymizer to what it promises, on inputs made to break it.

    Args:
        anonymizer: A function that takes a frame and returns one, an object or class in the style
            of scikit-learn, a :class:`~kproof.proptests.Command`, ``"package.module:name"`` of such
            a thing, or the name of a registered method. Columns and parameters are given by keyword
            to whatever arguments it has for them.
        promises: Such as ``"k-anonymity"``, ``"truthful"``, ``"records-kept"``,
            ``"sensitive-kept"``, ``"l-diversity"``; the first four if None, or those a registered
            method is registered for. A graph's have to be named: degrees or clusters.
        kind: The data it takes: ``"table"``, ``"city"``, ``"points"``, ``"graph"`` or ``"log"``.
        parameters: Names of the parameters to draw for it; those its signature has if None.
        expected_failures: Checks that are known to fail, with the reason; one that passes has to be
            taken off.
        profile: ``"quick"``, ``"default"`` or ``"deep"``.
        max_examples: Cases drawn from each source, instead of the profile's number.
        seed: The same seed draws the same cases.
        on_fail: Whether a promise that is broken, or that nothing judged, raises or is returned
            with the rest.
        errors: What it raises for input it cannot serve, by its documentation.
        call: ``call(anonymizer, frame, case)`` if its signature does not say how to call it;
            ``case`` has ``quasi_identifiers``, ``sensitive`` and ``parameters``.
        suppresses, pads: Whether it may leave records out, and add rows that are nobody's.
        sources, checks: Only these, by name or as they are; the costly ones among the checks then
            look at every case.
        timeout: Seconds that one call may take, 0.01 to 86,400; that it does not answer by then
            fails the check ``"answers in time"``. None sets no limit but that of a Command. A
            function can be interrupted in the main thread of a POSIX system only, and while it is
            in compiled code only when it comes back. A call that is late is measured again alone.
        fixed: Values of parameters that are not varied, such as ``{"k": 5}``: what the anonymizer
            keeps to without being told, or the only value it is to be asked with.
        supports: What tables it takes, if not all: containers (``"pandas"``, ``"polars"``,
            ``"pyarrow"``) and kinds of values (``"numbers"``, ``"text"``, ``"booleans"``,
            ``"dates"``, ``"datetimes"``, ``"missing"``, ``"categories"``, ``"nullable"``). What it
            does not take is not shown to it.
        on_finding: ``on_finding(check, sentence)`` is called when a check fails that was not
            expected to, before the search for the smallest input.
        seconds: How long the run may take by the clock; None for as long as it takes, so that the
            same seed ends the same. Every source has its turn, one call may take longer, and the
            results say which sources were cut short.

    Returns:
        One for each check.

    Raises:
        PromiseBroken: An ``AssertionError`` with the smallest failing input, if a promise is
            broken.
        PromiseOpen: An ``AssertionError``, if none is broken and no case was judged of one.
        NotDriven: If a promise is about a parameter that the anonymizer does not take and ``fixed``
            has not.
        InvalidArgument: If a name is unknown, the anonymizer cannot be called, or cannot be
            interrupted here.

    >>> def nothing_done(frame, quasi_identifiers, k):
    ...     return frame
    >>> found = check_anonymizer(nothing_done, on_fail="return", profile="quick")
    >>> [result.check.name for result in found.failures if "anonymity" in result.check.name]
    ['k-anonymity']
    >>> print(found["k-anonymity"].violation.found)
    1
    >>> check_anonymizer(nothing_done, promises=["privacy"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    kproof.errors.InvalidArgument: promises = privacy: need one of k-anonymity, truthful, ...
    """
    if on_fail not in ("raise", "return"):
        raise InvalidArgument("on_fail", on_fail, "raise or return")
    limits = profile_named(profile).with_examples(max_examples)
    number = SEED.read(seed)
    budget = RunBudget(None if seconds is None else rational("seconds", seconds, above=0))
    subject = subject_of(
        anonymizer,
        promises=promises,
        kind=kind,
        parameters=parameters,
        errors=errors,
        call=call,
        suppresses=suppresses,
        pads=pads,
        timeout=timeout,
        fixed=fixed,
        supports=supports,
    )
    picked = None if sources is None else list(sources)
    chosen = None if checks is None else list(checks)
    typed = all(isinstance(name, str) for name in (*(picked or ()), *(chosen or ())))
    # A command line has no word for an object. Half of a command would look for the failure in
    # another subject, so that there is none.
    plain = typed and parameters is None and call is None and errors == (ValueError,)
    results = Results(
        subject=subject,
        results=hold(
            subject,
            checks_for(subject, chosen),
            _sources_for(subject, picked),
            profile=limits,
            seed=number,
            expected_failures=expected_failures,
            every_case=chosen is not None,
            on_finding=on_finding,
            budget=budget,
        ),
        profile=limits.name,
        examples=limits.examples,
        seed=number,
        words=_words(anonymizer, subject, promised=promises is not None) if plain else None,
        seconds=budget.seconds,
        cut_short=tuple(budget.cut_short),
    )
    if on_fail == "raise":
        results.raise_failures()
    return results


def options_of_several_runs(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of :func:`check_anonymizer` that more than one call can read."""
    # An iterator is spent by the first of them, and the others would find no check to make.
    return {
        name: tuple(value) if isinstance(value, Iterator) else value
        for name, value in options.items()
    }


def subject_of(
    anonymizer: Any,
    *,
    timeout: Number | None = None,
    supports: Iterable[str] | None = None,
    **options: Any,
) -> Subject:
    """Return an anonymizer as the suite sees it; for the options see :func:`check_anonymizer`."""
    if timeout is not None and isinstance(anonymizer, Command):
        # The system ends a program anywhere, a signal only some functions.
        anonymizer, timeout = replace(anonymizer, timeout=timeout), None
    subject = _adapt(anonymizer, **options)
    # Before a case is drawn: a promise that no check is about would end in an open question.
    judgeable(subject, checks(subject.kind))
    declared = supports_named(supports)
    if declared and subject.kind is not Kind.TABLE:
        raise InvalidArgument("supports", ", ".join(sorted(declared)), "None for what is no table")
    subject = replace(subject, supports=declared or subject.supports)
    if timeout is not None:
        subject = with_limit(subject, timeout)
    # Around the limit and not within it, as it is the limited call that is made once more.
    return subject if subject.timeout is None else measure_again(subject)


def _adapt(
    anonymizer: Any,
    *,
    promises: Iterable[Promise | str] | None = None,
    kind: Kind | str = Kind.TABLE,
    parameters: Iterable[str] | None = None,
    errors: tuple[type[Exception], ...] = (ValueError,),
    call: Callable[..., Any] | None = None,
    suppresses: bool = False,
    pads: bool = False,
    fixed: Mapping[str, Any] | None = None,
) -> Subject:
    """Return the subject; what depends on how it is called is left to the adapter of its kind."""
    explicit = None if promises is None else promises_named(promises)
    values = values_of_fixed(fixed or {})
    if isinstance(anonymizer, Subject):
        promised = anonymizer.promises if explicit is None else explicit
        values = {**anonymizer.fixed, **values}
        require_driven(promised, anonymizer.parameters | values.keys())
        return replace(anonymizer, promises=promised, fixed=values)
    if isinstance(anonymizer, str) and ":" not in anonymizer:
        from kproof.proptests.subjects.registered import own_subject

        with name_arguments(method="anonymizer"):
            own = own_subject(anonymizer, *(explicit or ()), fixed=values)
        # TABLE may be what was typed or what is there if nothing was: it contradicts no name.
        if choice("kind", kind, Kind) not in (Kind.TABLE, own.kind):
            raise InvalidArgument("kind", kind, f"{own.kind.value}, which {anonymizer} takes")
        return own
    kind = choice("kind", kind, Kind)
    if kind == Kind.GRAPH and explicit is None:
        # A method publishes a graph or clusters, and is held to what it publishes.
        need = "degree of a method that returns a graph, cluster-size of one that returns clusters"
        raise InvalidArgument("promises", "none", need)
    how: dict[str, Any] = {"parameters": parameters, "errors": errors, "call": call}
    if kind != Kind.TABLE:
        from kproof.proptests.subjects.native import native_subject

        return native_subject(anonymizer, kind=kind, promises=explicit, fixed=values, **how)
    from kproof.proptests.subjects.adapters import table_subject

    promised = BASIC if explicit is None else explicit
    how |= {"suppresses": suppresses, "pads": pads}
    return table_subject(anonymizer, promises=promised, fixed=values, **how)


def promises_named(promises: Iterable[Promise | str]) -> frozenset[Promise]:
    """Return promises by their names, long or short.

    >>> sorted(promises_named(["theta-sensitivity", "records-kept", Promise.DEGREE]))
    [<Promise.DEGREE: 'k-degree anonymity'>,
     <Promise.RECORDS_KEPT: 'no record lost or invented beyond what is accounted for'>,
     <Promise.THETA_SENSITIVITY: 'theta-sensitivity'>]
    """
    if isinstance(promises, str):
        promises = [promises]
    by_name = {name: promise for promise in Promise for name in (promise.value, short(promise))}
    chosen = set()
    for promise in promises:
        spelled = promise if promise in by_name else str(promise).strip().lower().replace("_", "-")
        if spelled not in by_name:
            raise InvalidArgument("promises", promise, one_of(promise, map(short, Promise)))
        chosen.add(by_name[spelled])
    if not chosen:
        raise InvalidArgument("promises", "", f"some of {', '.join(map(short, Promise))}")
    return frozenset(chosen)


def short(promise: Promise) -> str:
    """Return the name of a promise as it is typed.

    >>> short(Promise.SENSITIVE_KEPT)
    'sensitive-kept'
    """
    return promise.name.lower().replace("_", "-")


def checks_for(subject: Subject, names: Iterable[str | Check] | None = None) -> tuple[Check, ...]:
    """Return the checks a subject is held to, or those of them that are wanted."""
    applied = {check.name: check for check in checks(subject.kind) if check.applies_to(subject)}
    if subject.timeout is not None:
        in_time = check_of(subject.timeout)
        applied[in_time.name] = in_time
    return _pick("checks", names, applied)


def _sources_for(subject: Subject, names: Iterable[str | Source] | None) -> tuple[Source, ...]:
    return _pick("sources", names, {source.name: source for source in sources(subject.kind)})


def _pick(
    argument: str, items: Iterable[str | _Item] | None, by_name: Mapping[str, _Item]
) -> tuple[_Item, ...]:
    """Return all that there are, or those that are picked, by name or as they are."""
    picked: tuple[str | _Item, ...] = tuple(by_name if items is None else items)
    for item in picked:
        if isinstance(item, str) and item not in by_name:
            raise InvalidArgument(argument, item, one_of(item, by_name))
    return tuple(by_name[item] if isinstance(item, str) else item for item in picked)


def _words(anonymizer: Any, subject: Subject, *, promised: bool) -> tuple[str, ...] | None:
    """Return what names a subject on the command line, None if nothing does."""
    if isinstance(anonymizer, str):
        words = [anonymizer]
    elif isinstance(anonymizer, Command):
        words = ["--command", anonymizer.line]
    elif subject.reference is not None:
        words = [subject.reference]
    elif isinstance(anonymizer, Subject) and anonymizer.recipe is not None:
        words = [anonymizer.recipe[1]]
    else:
        return None
    if promised or isinstance(anonymizer, Subject):
        words += ["--promises", ",".join(sorted(map(short, subject.promises)))]
    if subject.kind is not Kind.TABLE:
        words += ["--kind", subject.kind.value]
    for name, value in subject.fixed.items():
        words += ["--fixed", f"{name}={value}"]
    words += ["--suppresses"] * subject.suppresses + ["--pads"] * subject.pads
    if subject.supports:
        words += ["--supports", ",".join(sorted(subject.supports))]
    # The usual limit of a program needs no option; a function that has it was told so.
    usual = limit_of(Command.timeout) if isinstance(anonymizer, Command) else None
    if subject.timeout not in (None, usual):
        words += ["--timeout", str(subject.timeout)]
    return tuple(words)
