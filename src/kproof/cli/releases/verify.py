"""``kproof verify``: an anonymizer held to what it promises, on inputs made to break it."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, redirect_stdout
from dataclasses import replace
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter

from kproof.cli.base.common import JSON, NAMES, Scheduler, split
from kproof.cli.base.printing import ExitStatus, write_result
from kproof.cli.base.waiting import say_above
from kproof.errors import InvalidArgument, one_of
from kproof.models.base.parameters import SEED
from kproof.models.registry import Kind
from kproof.outputs import check_outputs, nowhere, write_text
from kproof.proptests.subjects.loading import load
from kproof.stages import stage

if TYPE_CHECKING:
    from kproof.proptests.mechanisms.results import MechanismResults

_ANONYMIZER = Group("The anonymizer", sort_key=1)
_RUN = Group("The run", sort_key=2)
METHOD = "sampled"
"""What asks for the method of that name itself, held to its (ε, δ) by its runs."""
MECHANISM = "mechanism"
"""The kind of a random answer, which is no kind of data."""

_Switch = Annotated[bool, Parameter(negative=(), group=_ANONYMIZER)]


def verify(
    anonymizer: str | None = None,
    /,
    *,
    command: Annotated[str | None, Parameter(group=_ANONYMIZER)] = None,
    timeout: Annotated[str | None, Parameter(group=_ANONYMIZER)] = None,
    kind: Annotated[Kind | Literal["mechanism"], Parameter(group=_ANONYMIZER)] = Kind.TABLE,
    promises: Annotated[NAMES, Parameter(group=_ANONYMIZER)] = (),
    suppresses: _Switch = False,
    pads: _Switch = False,
    sampled: _Switch = False,
    fixed: Annotated[NAMES, Parameter(group=_ANONYMIZER)] = (),
    supports: Annotated[NAMES, Parameter(group=_ANONYMIZER)] = (),
    xfail: Annotated[NAMES, Parameter(group=_ANONYMIZER)] = (),
    profile: Annotated[Literal["quick", "default", "deep"], Parameter(group=_RUN)] = "default",
    seed: Annotated[str, Parameter(group=_RUN)] = "0",
    seeds: Annotated[str | None, Parameter(group=_RUN)] = None,
    jobs: Annotated[str | None, Parameter(group=_RUN)] = None,
    max_examples: Annotated[str | None, Parameter(group=_RUN)] = None,
    seconds: Annotated[str | None, Parameter(group=_RUN)] = None,
    check: Annotated[NAMES, Parameter(group=_RUN)] = (),
    source: Annotated[NAMES, Parameter(group=_RUN)] = (),
    case: Annotated[str | None, Parameter(group=_RUN)] = None,
    work: Scheduler = Scheduler(),
    html: str | None = None,
    badge: str | None = None,
    json: JSON = False,
) -> int:
    """Hold an anonymizer to what it promises and show the smallest input on which it fails.

    The status is 0 if every promise was judged and is kept, 1 if one is broken, and 4 if none is
    broken and no case was judged of one.

    Args:
        anonymizer: A function, or an estimator in the style of scikit-learn, as
            package.module:name; or a registered method, such as mondrian.
        command: A program to test in place of a function: the line that runs it, with {input} and
            {output} for CSV files and {k}, {qi}, {sensitive} and the like for the request.
        timeout: Seconds that one call may take. If not given: 60 for a program, no limit for a
            function.
        kind: The data it takes; mechanism for a random answer with a claim, which --fixed has:
            epsilon, delta, neighbours (add-remove, replace-one, one-answer, each-answer), length,
            low, high.
        promises: What it promises: k-anonymity, truthful, records-kept, sensitive-kept,
            l-diversity, ...; names separated by commas. If not given: the first four, for tables.
        suppresses: It may leave records out.
        pads: It may add rows that are nobody's.
        sampled: It keeps rows by coins, as the method sampled does: publish(rows, run) returns the
            texts of all files. Its runs are compared with what its k and beta are worth.
        fixed: A parameter with one value: NAME=VALUE, such as k=5, if the anonymizer always uses
            it, or is to be tested with no other; may be repeated.
        supports: Tables it takes, if not all: pandas, polars, pyarrow; numbers, text, booleans,
            dates, datetimes, missing, categories, nullable; names separated by commas. It is shown
            no others.
        xfail: A check that is known to fail: NAME=REASON; may be repeated.
        profile: How many cases are tried.
        seed: Seed of the random cases.
        seeds: Runs with as many seeds, from this one on.
        jobs: Processes that make these runs; by default this one, one run after the other.
        max_examples: Cases drawn from each source, instead of the profile's number.
        seconds: How long the run may take. If not given: 60 with --profile quick, else no limit.
        check: Only this check, on every case; may be repeated.
        source: Only cases from this source; may be repeated.
        case: Only the case that failed in an earlier run, from the file that --json printed. With
            --check it is the case of that check, else of the first that failed.
        html: Write a page about the run to this file.
        badge: Write a badge of the run to this file, .svg, or .json for a service that draws it.
    """
    if (anonymizer is None) == (command is None):
        which_given = "both" if command is not None else "none"
        raise InvalidArgument("anonymizer", which_given, "package.module:name, or --command LINE")
    sampled = sampled or anonymizer == METHOD
    if sampled or kind == MECHANISM:
        useless = (command, timeout, promises, suppresses, pads, supports, xfail, seeds, jobs)
        few = (max_examples, check, case) if sampled else ()
        if any((*useless, source, html, badge, *few)) or (sampled and kind is not Kind.TABLE):
            more = "" if sampled else ", --max-examples, --check, --case"
            need = f"nothing beside it but --fixed, --profile, --seed, --seconds{more} and --json"
            raise InvalidArgument("sampled" if sampled else "kind", anonymizer or command, need)
        how: dict[str, Any] = {"profile": profile, "seed": seed}
        how["seconds"] = seconds or (_QUICK if profile == "quick" else None)
        if not sampled:
            how |= {"max_examples": max_examples, "checks": check or None, "case": case}
        judge = _check_sampled if sampled else _check_mechanism
        with ExitStack() as quiet:
            quiet.enter_context(redirect_stdout(quiet.enter_context(nowhere())))
            quiet.enter_context(stage(f"running {anonymizer}"))
            answer = judge(anonymizer or "", split(fixed), how)
        write_result("verify-mechanism", answer, json=json)
        return _VERDICTS.get(answer.answer, ExitStatus.DONE)
    kind = Kind(kind)
    if seeds is None and (jobs or work.scheduler) is not None:
        raise InvalidArgument("seeds", None, "how many runs there are to be, --seeds N")
    if seeds is not None and html is not None:
        raise InvalidArgument("html", html, "none beside --seeds; a page is about one run")
    if badge is not None:
        if seeds is not None or check or source or case is not None:
            need = "none beside --seeds, --check, --source and --case; it is of one whole run"
            raise InvalidArgument("badge", badge, need)
        from kproof.report.badge import require_badge

        require_badge(badge)
    if case is not None and source:
        raise InvalidArgument("case", case, "none beside --source; it is a source of its own")
    files = check_outputs(
        {"html": html, "badge": badge}, reads=[*_files_of(anonymizer, command), case]
    )
    with ExitStack() as quiet:
        if "hypothesis" not in sys.modules:
            # Or it would leave a folder behind in the working directory.
            folder = quiet.enter_context(TemporaryDirectory(prefix="kproof-"))
            os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", folder)
        from kproof.proptests.api import check_anonymizer
        from kproof.proptests.demands import failures_expected, texts_of_fixed
        from kproof.proptests.replay import source_of
        from kproof.proptests.results import Results
        from kproof.proptests.seeds import SeedRuns, check_seeds
        from kproof.proptests.subjects.command import Command
        from kproof.theory.exact.typed import integer

        subject: Any = anonymizer if command is None else Command(command)
        if command is not None:
            _check_program(command)
        # What the anonymizer prints is not what this command prints.
        quiet.enter_context(redirect_stdout(quiet.enter_context(nowhere())))
        quiet.enter_context(stage(f"verifying {anonymizer or command}"))
        options: dict[str, Any] = {
            "promises": split(promises) or None,
            "kind": kind,
            "expected_failures": failures_expected(xfail),
            "profile": profile,
            "max_examples": max_examples,
            "suppresses": suppresses,
            "pads": pads,
            "sources": source or None if case is None else [source_of(case, kind, check)],
            "checks": check or None,
            "timeout": timeout,
            "fixed": texts_of_fixed(fixed),
            "supports": split(supports) or None,
            "seconds": seconds or (_QUICK if profile == "quick" else None),
        }
        if seeds is not None:
            first, count = SEED.read(seed), integer("seeds", seeds, least=1)
            cluster = quiet.enter_context(work.cluster(jobs))
            results: Results | SeedRuns = check_seeds(
                subject, range(first, first + count), cluster=cluster, **options
            )
        else:
            results = check_anonymizer(
                subject, seed=seed, on_fail="return", on_finding=_tell_first(), **options
            )
    if (html or badge) is not None and isinstance(results, Results):
        from kproof.report.badge import badge_of
        from kproof.report.suite import page_of

        with files.together():
            if html is not None:
                write_text(html, page_of(results))
            if badge is not None:
                write_text(badge, badge_of(results, badge))
    document = "verify" if isinstance(results, Results) else "verify-seeds"
    write_result(document, results, json=json, text=results.report(), written=[html, badge])
    return _STATUS[results.answer.value]


_QUICK = 60
"""Seconds that a quick run takes at most, if nothing is said."""
_VERDICTS = {"refuted": ExitStatus.VIOLATED, "not judged": ExitStatus.OPEN}
"""Of a mechanism, other than that nothing was found."""


def _check_sampled(
    sampler: str, fixed: tuple[str, ...], how: Mapping[str, Any]
) -> MechanismResults:
    """Hold a sampler, or the method of that name, to what its k and beta are worth."""
    from kproof.proptests.mechanisms.sampler import check_sampler, sampled_publisher

    values = _values(fixed, {"k": "5", "beta": "1/2", "epsilon": "1"})
    own = sampler == METHOD
    publish = sampled_publisher(values["k"], values["beta"]) if own else load(sampler)
    return check_sampler(publish, **values, **how)


def _check_mechanism(
    reference: str, fixed: tuple[str, ...], how: dict[str, Any]
) -> MechanismResults:
    """Hold a function, or a Mechanism with a claim of its own, to an (ε, δ)."""
    from kproof.proptests.mechanisms.mechanism import Mechanism
    from kproof.proptests.mechanisms.neighbours import DataNeighbours
    from kproof.proptests.mechanisms.trials import check_mechanism, pair_in

    target = load(reference)
    if how["case"] is not None:
        how["case"] = pair_in(how["case"])
    if isinstance(target, Mechanism):
        mechanism = replace(target, **_values(fixed, {"epsilon": "", "delta": ""}))
    else:
        allowed = ("epsilon", "delta", "neighbours", "length", "low", "high")
        values = _values(fixed, dict.fromkeys(allowed, ""))
        if "epsilon" not in values:
            raise InvalidArgument("fixed", None, "what is claimed, such as --fixed epsilon=1")
        claim = {name: values.pop(name) for name in ("epsilon", "delta") if name in values}
        if "neighbours" in values:
            values["relation"] = values.pop("neighbours")
        mechanism = Mechanism(target, **claim, neighbours=DataNeighbours.of(**values))
    return check_mechanism(mechanism, **how)


def _values(fixed: tuple[str, ...], usual: Mapping[str, str]) -> dict[str, Any]:
    """Return values by name, those that have a usual one if nothing is said of them."""
    from kproof.proptests.demands import texts_of_fixed

    texts = texts_of_fixed(fixed)
    for name in texts:
        if name not in usual:
            raise InvalidArgument("fixed", name, one_of(name, usual))
    return {name: value for name, value in {**usual, **texts}.items() if value}


def _tell_first() -> Callable[[str, str], None]:
    """Return what tells a terminal of the first finding, while the smallest input is looked for."""
    findings: list[str] = []

    def tell(check: str, sentence: str) -> None:
        if not findings:
            text = " ".join(sentence.split())
            say_above(f"kproof: found: {check} fails: {text}; looking for a smaller input")
        findings.append(check)

    return tell


_STATUS = {"kept": ExitStatus.DONE, "broken": ExitStatus.VIOLATED, "open": ExitStatus.OPEN}


def _files_of(anonymizer: str | None, command: str | None) -> list[Path]:
    """Return the files that an anonymizer may be in."""
    if anonymizer is not None:
        # By its name and not imported, which would run it before the outputs are checked.
        module = Path(*anonymizer.partition(":")[0].split("."))
        if not module.name:
            return []  # told when it is looked for
        files = (module.with_suffix(".py"), module / "__init__.py")
        return [Path(folder, file) for folder in ("", *sys.path) for file in files]
    try:
        words = shlex.split(command or "")
    except ValueError:
        return []  # told when the command is read
    return [Path(word) for word in (*words, *filter(None, map(which, words[:1])))]


def _check_program(command: str) -> None:
    program = shlex.split(command)[0]
    # A promise is not broken by a name that is misspelt.
    if "{" not in program and which(program) is None:
        raise InvalidArgument("command", command, f"a program that is there, unlike {program}")
