"""What a run of the suite ends with: one result for each check, and the ways to read them."""

from __future__ import annotations

import html
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Any

from kproof.forms import JsonForm, group
from kproof.models.registry import Promise
from kproof.proptests.contract import (
    Answer,
    CheckResult,
    CheckStatus,
    Refusal,
    Subject,
    TablePublication,
)
from kproof.proptests.rendering import (
    count_text,
    failure,
    failure_line,
    smallest_case,
    snippet,
    verdict,
)
from kproof.proptests.replay import to_json

SCHEMA = 1
"""Version of the JSON form."""


class _Unkept(AssertionError):
    """What is promised is not known to be kept."""

    def __init__(self, message: str, results: Results | None = None) -> None:
        self.results = results
        super().__init__(message)

    def __reduce__(self) -> tuple[type[_Unkept], tuple[str]]:
        """Be made again in another process, which cannot be told of functions in the results."""
        return type(self), (str(self),)


class PromiseBroken(_Unkept):
    """An anonymizer does not keep what it promises; the message is the readable failure.

    ``results`` has all of the run; None in another process than that of the run.
    """


class PromiseOpen(_Unkept):
    """No case was judged of something an anonymizer promises; the message says of what, and why."""


@dataclass(frozen=True, slots=True)
class CheckEntry:
    """A result as JSON has it."""

    result: CheckResult
    """Of one check."""
    command: str | None
    """The command that looks for its failure again; None where there is none."""

    @property
    def _verdict(self) -> str:
        """What came of it, in a word."""
        return verdict(self.result)

    @property
    def _reasons_unjudged(self) -> Mapping[str, int]:
        """Cases that were not judged, by reason."""
        return dict(self.result.unjudged)

    @property
    def _case(self) -> object:
        """The smallest failing case; None if nothing failed."""
        return _plain(self.result.case)

    @property
    def _outcome(self) -> object:
        """What the anonymizer made of it; None if nothing failed."""
        return _outcome(self.result.outcome)

    @property
    def _replay(self) -> Mapping[str, object] | None:
        """The case for ``verify --case``; None if nothing failed, or it holds what has no form."""
        return None if self.result.case is None else to_json(self.result.case)

    @property
    def _python(self) -> str | None:
        """Python that runs it again; None if nothing failed."""
        return None if self.result.case is None else snippet(self.result.case)

    to_dict = JsonForm(
        "check=result.check.name claim=result.check.claim formula=result.check.formula",
        "definitions_in=result.check.source severity=result.check.severity status=result.status",
        "ok=result.ok verdict=_verdict examples=result.examples published=result.published",
        "judged=result.judged unjudged=_reasons_unjudged doubts=result.doubts source=result.source",
        "exhausted=result.exhausted reason=result.reason violation=result.violation",
        "cause=result.cause case=_case outcome=_outcome command python=_python replay=_replay",
    )


@dataclass(frozen=True)
class Results:
    """How one anonymizer fared in every check."""

    subject: Subject
    """The anonymizer."""
    results: tuple[CheckResult, ...]
    """One for each check."""
    profile: str
    """Name of the profile."""
    examples: int
    """Cases drawn from each source."""
    seed: int
    """With which the same run can be had again."""
    words: tuple[str, ...] | None = None
    """What names the anonymizer and its promises on the command line; None if that takes Python."""
    seconds: Fraction | None = None
    """How long it was allowed to take; None if there was no limit."""
    cut_short: tuple[str, ...] = ()
    """Sources of which not every case was shown, as the time was up."""

    def __iter__(self) -> Iterator[CheckResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, check: str) -> CheckResult:
        for result in self.results:
            if result.check.name == check:
                return result
        raise KeyError(check)

    @property
    def answer(self) -> Answer:
        """Whether what is promised is kept, as far as it was tried, broken or not judged."""
        if self.failures:
            return Answer.BROKEN
        # Who promises nothing is held to conduct alone, of which something has to be judged as
        # well.
        unjudged = not any(result.judged for result in self.results)
        return Answer.OPEN if self.unjudged or unjudged else Answer.KEPT

    @property
    def ok(self) -> bool:
        """Whether everything that is promised was judged, and nothing is broken."""
        return self.answer is Answer.KEPT

    @property
    def failures(self) -> tuple[CheckResult, ...]:
        """The results that somebody has to look at."""
        return tuple(result for result in self.results if result.broken)

    @property
    def unjudged(self) -> tuple[Promise, ...]:
        """The promises that were to be checked and of which no case was judged."""
        return tuple(
            promise
            for promise in sorted(self.subject.promises)
            if (judging := [result for result in self.results if result.check.answers_for(promise)])
            and not any(result.judged for result in judging)
        )

    def command(self, result: CheckResult) -> str | None:
        """Return the command that looks for one failure again, None if that takes Python."""
        if self.words is None or result.violation is None:
            return None
        words = ["kproof", "verify", *self.words]
        # One source suffices: each is drawn from the seed anew, whatever came before it.
        words += ["--check", result.check.name, "--source", result.source]
        if self.profile != "default":
            words += ["--profile", self.profile]
        words += ["--seed", str(self.seed), "--max-examples", str(self.examples)]
        return shlex.join(words)

    def explain(self, result: CheckResult) -> str:
        """Return everything there is to say about one result."""
        # By identity: equality would compare cases, whose cells may be anything.
        shown_by = (cause for cause in self._causes if any(member is result for member in cause))
        alike = [member for cause in shown_by for member in cause if member is not result]
        return failure(result, self.command(result), alike)

    def report(self) -> str:
        """Return a page for each cause of failures, and one line for every check."""
        pages = [self.explain(result) for result, *_ in self._causes if result.violation]
        rule = "\n\n" + "─" * 80 + "\n\n"
        return rule.join([*pages, self.summary()])

    @property
    def _causes(self) -> tuple[tuple[CheckResult, ...], ...]:
        """The failures, those that one smallest input shows together."""
        groups: dict[str, list[CheckResult]] = {}
        for result in self.failures:
            groups.setdefault(result.cause or result.check.name, []).append(result)
        return tuple(map(tuple, groups.values()))

    def __str__(self) -> str:
        """Return a line for each check that failed, its smallest input, and what is not judged."""
        parts = [
            "\n".join([*map(failure_line, cause), smallest_case(cause[0])]).rstrip()
            for cause in self._causes
        ]
        idle = [result for result in self.results if result.status is CheckStatus.NOT_APPLICABLE]
        parts += ["\n".join(f"not judged: {verdict(result)}" for result in idle)] * bool(idle)
        return "\n\n".join([*parts, self._summary()])

    def summary(self) -> str:
        """Return one line for every check and one for the run."""
        width = max(len(result.check.name) for result in self.results)
        state = max(len(result.status) for result in self.results)
        lines = [
            f"{result.check.name:<{width}}  {result.status:<{state}}  {_counts(result)}".rstrip()
            for result in self.results
        ]
        return "\n".join([*lines, "", self._summary()])

    def _summary(self) -> str:
        """Return what there is to say of the run as a whole."""
        exhausted = dict.fromkeys(name for result in self.results for name in result.exhausted)
        in_order = sum(result.ok for result in self.results)
        idle = sum(result.status is CheckStatus.NOT_APPLICABLE for result in self.results)
        lines = []
        if exhausted:
            lines.append(f"Every case was checked of: {', '.join(exhausted)}.")
        if self.answer is Answer.OPEN:
            lines.append(self.open_question())
        if self.cut_short:
            # Each source has a share of the time, so that one may be cut short before it is up.
            limit = f"{float(self.seconds or 0):g} s"
            names = ", ".join(self.cut_short)
            lines.append(f"Its share of the {limit} did not last for all cases of: {names}.")
        if self.subject.supports:
            supports = ", ".join(sorted(self.subject.supports))
            lines.append(f"It was shown only what it takes by its own word: {supports}.")
        unlike = f", {idle} not applicable" if idle else ""
        lines.append(
            f"{self.subject.name}: {in_order} of {len(self.results)} checks in order{unlike} "
            f"(profile {self.profile}, {self.examples} cases from each source, seed {self.seed})."
        )
        return "\n".join(lines)

    def open_question(self) -> str:
        """Return of what nothing was judged, as a sentence; empty if there is nothing of the kind.

        A check that is about no promise is named only if none judged anything.
        """
        if self.unjudged:
            return f"No case was judged of: {', '.join(self.unjudged)}; the question is open."
        if any(result.judged for result in self.results):
            return ""
        return "No case was judged; the question is open."

    def raise_failures(self) -> None:
        """Raise PromiseBroken if a check fails, PromiseOpen if of a promise no case was judged."""
        if self.answer is Answer.BROKEN:
            raise PromiseBroken(self.report(), self)
        if self.answer is Answer.OPEN:
            raise PromiseOpen(self.report(), self)

    @property
    def _entries(self) -> tuple[CheckEntry, ...]:
        """Each check."""
        return tuple(CheckEntry(result, self.command(result)) for result in self.results)

    @property
    def _promises(self) -> tuple[Promise, ...]:
        """What it promises."""
        return tuple(sorted(self.subject.promises))

    to_dict = JsonForm(
        group(
            "subject",
            "The anonymizer.",
            "name=subject.name kind=subject.kind promises=_promises",
            "parameters=subject.parameters fixed=subject.fixed supports=subject.supports",
            "source=subject.source",
        ),
        "profile max_examples=examples seed seconds cut_short answer ok unjudged_promises=unjudged",
        "results=_entries",
        schema=SCHEMA,
    )

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.report())}</pre>"


def _counts(result: CheckResult) -> str:
    if result.status is CheckStatus.FAILED and result.violation is not None:
        return f"found {result.violation.found}, wanted {result.violation.wanted}"
    if result.status is CheckStatus.EXPECTED:
        return str(result.reason)
    if result.status is CheckStatus.FIXED:
        return f"no failure, {count_text(result)}; take it off the list: {result.reason}"
    return count_text(result)


def _outcome(outcome: Any) -> object:
    if isinstance(outcome, Refusal):
        return {"refused": str(outcome), "documented": outcome.documented}
    if isinstance(outcome, TablePublication):
        return {"columns": _plain(outcome.columns), "index": _plain(outcome.index)}
    return _plain(outcome)


def _plain(value: Any) -> object:
    """Return what JSON has a word for."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    # JSON has no numbers for infinities and NaN, which is below nothing: they go as texts.
    return value if isinstance(value, float) and abs(value) < float("inf") else str(value)
