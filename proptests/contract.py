"""What the parts of the property suite say to one another; nothing in here runs anything.

A **source** draws **cases** of one kind of data. A **subject** is an anonymizer behind one call
that takes a case and returns a publication. A **check** looks at a **trial**, one case put to one
subject, and returns a **judgement**: the case is kept, it is broken, or the check does not apply
to it and says why. The engine turns sources, subjects and checks into **results**, which count
what was judged: a check that judged nothing is in order nowhere.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

from kproof.errors import KProofError
from kproof.models.registry import Kind, Promise
from kproof.proptests.judgement import Judgement, NotApplicable, Unjudged, Violation
from kproof.theory.exact.typed import Number, rational

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

CONDUCT = "the conduct of software that publishes"
"""The source of checks that look at an anonymizer as software."""
CONTAINERS: tuple[str, ...] = ("pandas", "polars", "pyarrow")
"""What the frame of a case can be made of."""

_SHORTEST, _LONGEST = Fraction(1, 100), 86_400


class Severity(StrEnum):
    """What it means that a check fails."""

    GUARANTEE = "guarantee"
    """A promise to the people in the data is broken."""
    TRUTH = "truth"
    """What is published is not so."""
    CONDUCT = "conduct"
    """It misbehaves as software: not repeatable, changes its input, fails without a word."""


@dataclass(frozen=True)
class Refusal:
    """A subject raised instead of publishing."""

    error: Exception
    """What it raised."""
    documented: bool
    """Whether it is an error the subject says it raises."""

    def __str__(self) -> str:
        return f"{type(self.error).__name__}: {self.error}"


class NoAnswer(Exception):  # never among the errors that a subject documents
    """A subject did not answer within its limit of seconds."""

    limit: Fraction

    def __init__(self, limit: Fraction) -> None:
        self.limit = limit
        super().__init__(f"did not answer within {float(limit):g} s")

    def __reduce__(self) -> tuple[type[NoAnswer], tuple[Fraction]]:
        """Be made again in another process."""
        # An exception is pickled by its arguments, of which it has one: the message, which is no
        # limit.
        return type(self), (self.limit,)


class NoPublication(TypeError):
    """What a subject returned is nothing that a check can read: it published, and not well."""

    def __init__(self, sentence: str, breaks: Promise | None = None) -> None:
        self.breaks = breaks
        """The promise that shows in that alone, if one does: its check says so."""
        super().__init__(sentence)


def seconds(limit: Number) -> Fraction:
    """Return a limit as an exact number of seconds, from 0.01 to 86,400, a day.

    >>> seconds(0.5)
    Fraction(1, 2)
    """
    return rational("timeout", limit, least=_SHORTEST, most=_LONGEST)


@dataclass(frozen=True)
class Subject:
    """An anonymizer as the suite sees it."""

    name: str
    """What a reader knows it by."""
    kind: Kind
    """The data it takes."""
    promises: frozenset[Promise]
    """What it promises; selects the checks."""
    publish: Callable[[Any], Any] = field(repr=False)
    """Takes a case of its kind and returns a publication of its kind; must not keep state."""
    parameters: frozenset[str] = frozenset({"k"})
    """Names of the parameters it takes from a case (``k``, ``mu``, …); others are not drawn."""
    errors: tuple[type[Exception], ...] = (KProofError,)
    """The errors it documents for input it cannot serve."""
    reference: str | None = None
    """``"package.module:function"`` if another process can import it, else None."""
    source: str = "its own promises"
    """Where its promises come from, for the reader of a failure."""
    suppresses: bool = False
    """Whether it may leave records out."""
    pads: bool = False
    """Whether it may add rows that are nobody's."""
    recipe: tuple[str, ...] | None = None
    """How another process makes this subject again: a function that returns it, as
    ``"package.module:function"``, and the texts to call it with; None if there is no way."""
    timeout: Fraction | None = None
    """Seconds after which ``publish`` raises :class:`NoAnswer`;
    None if it may take for ever."""
    supports: frozenset[str] = frozenset()
    """Containers and kinds of values it says it takes, in the words of
    :mod:`~kproof.proptests.supports`; cases with others are not shown to it. Empty if it says
    nothing and has to take all."""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Parameters that every case has with this value, whether the subject takes them or keeps to
    them by itself."""
    hierarchies: bool = False
    """Whether it needs a hierarchy for each quasi-identifier; it may refuse a table without."""

    @property
    def case_parameters(self) -> frozenset[str]:
        """The parameters that its cases have."""
        return self.parameters | self.fixed.keys()

    def varies(self, *parameters: str) -> bool:
        """Say whether it can be asked with other values of parameters."""
        return not self.fixed.keys() & set(parameters)

    def pin(self, case: Any) -> Any:
        """Return a case with the values that are fixed, as a frame of a kind that is declared."""
        if self.fixed:
            case = replace(case, parameters={**case.parameters, **self.fixed})
        # In the order of CONTAINERS and not of the set, or the same seed would draw other frames.
        declared = [name for name in CONTAINERS if name in self.supports]
        # Most cases are of pandas: who takes other frames only would see next to none of them.
        if declared and isinstance(case, TableCase) and case.container == "pandas" not in declared:
            case = replace(case, container=declared[0], index=None)
        return case


@dataclass(frozen=True)
class Trial:
    """One case put to one subject; what it answers is computed once and shared by the checks."""

    subject: Subject
    case: Any

    @cached_property
    def outcome(self) -> Any:
        """The publication, or a :class:`Refusal`."""
        return self._ask(self.case)

    @property
    def published(self) -> bool:
        """Whether the subject published."""
        return not isinstance(self.outcome, Refusal)

    @cached_property
    def again(self) -> tuple[Any, bool]:
        """The answer to a copy of the case, and whether the copy is left as it was."""
        # A subject that changes what it is handed must not change the case for the checks that
        # follow. The copies are compared as texts: NaN equals nothing, and 1 in the place of True
        # is a change.
        duplicate = copy.deepcopy(self.case)
        before = repr(duplicate)
        return self.answer(duplicate), repr(duplicate) == before

    @cached_property
    def backwards(self) -> Trial:
        """The records of a table in reverse order, put to the same subject."""
        return self.beside(self.case.take(reversed(range(self.case.rows))))

    def parameter(self, name: str) -> Any:
        """Return a parameter of the case; without it a check has nothing to judge."""
        if name not in self.case.parameters:
            raise Unjudged(NotApplicable(f"the case has no {name}"))
        return self.case.parameters[name]

    def beside(self, case: Any) -> Trial:
        """Return the trial of another case; raises as :meth:`answer` does."""
        trial = Trial(self.subject, case)
        # In the place of the cached property, which would ask a second time.
        trial.__dict__["outcome"] = self.answer(case)
        return trial

    def answer(self, case: Any) -> Any:
        """Return what the subject makes of another case: a publication or a Refusal.

        If there was no answer in time this raises NoAnswer: a check that asks more than once has
        then nothing to compare, and whoever looks with it takes the case for one that it did not
        judge.
        """
        answer = self._ask(case)
        if isinstance(answer, Refusal) and isinstance(answer.error, NoAnswer):
            raise answer.error
        return answer

    def _ask(self, case: Any) -> Any:
        try:
            return self.subject.publish(case)
        except Exception as error:  # whatever it is, a check judges it
            return Refusal(error, isinstance(error, self.subject.errors))


Judge: TypeAlias = Callable[[Trial], Judgement]
"""Looks at a trial; a pure function of it."""


@dataclass(frozen=True)
class Check:
    """One property that is tested."""

    name: str
    """Short and lasting; what expected failures refer to."""
    claim: str
    """The property as a sentence."""
    formula: str
    """What is compared, as a formula."""
    source: str
    """Where the property is defined."""
    kinds: frozenset[Kind]
    """The kinds of data it applies to."""
    promises: frozenset[Promise]
    """Claims that select it, any of them; empty if every subject of these kinds is held to it."""
    severity: Severity
    """What a failure means."""
    function: Judge = field(repr=False)
    """Judges a trial."""
    costly: bool = False
    """Whether one example is dear (it starts processes, say); then few are drawn."""
    decides: frozenset[Promise] | None = None
    """Those of the promises that a judgement of this check answers for. A promise of which nothing
    that decides it judged anything is an open question; None if it decides all that select it."""

    def answers_for(self, promise: Promise) -> bool:
        """Say whether a judgement of this check says that a promise is kept or broken."""
        # Selecting is not deciding: the check of shared labels runs for k-anonymity and counts no
        # people, so that k-anonymity of which nothing else was judged stays open.
        return promise in (self.promises if self.decides is None else self.decides)

    def applies_to(self, subject: Subject) -> bool:
        """Say whether a subject is held to this check."""
        return subject.kind in self.kinds and (
            not self.promises or bool(self.promises & subject.promises)
        )


@dataclass
class Declarations:
    """The checks of a module: ``@check(name, formula, source)`` stands above each function."""

    kinds: frozenset[Kind]
    """The kinds of data they apply to."""
    severity: Severity = Severity.GUARANTEE
    """Of those that do not say theirs."""
    checks: list[Check] = field(default_factory=list)

    def __call__(
        self,
        name: str,
        formula: str,
        source: str,
        *promises: Promise,
        severity: Severity | None = None,
        claim: str = "",
        **options: Any,
    ) -> Callable[[Judge], Judge]:
        """Return a decorator; the docstring is the claim, unless that is too long for one."""

        def declare(function: Judge) -> Judge:
            sentence = claim or " ".join((function.__doc__ or "").split())
            how = frozenset(promises), severity or self.severity, partial(_judge, function)
            self.checks.append(Check(name, sentence, formula, source, self.kinds, *how, **options))
            return function

        return declare

    @property
    def truth(self) -> Callable[..., Callable[[Judge], Judge]]:
        """Decorate a check of whether what is published is true of the case."""
        return partial(self, severity=Severity.TRUTH)


def _judge(function: Judge, trial: Trial) -> Judgement:
    try:
        return function(trial)
    except Unjudged as leaving:
        return leaving.judgement


@dataclass(frozen=True)
class Source:
    """A way to draw cases of one kind."""

    name: str
    """Such as ``"duplicated rows"``."""
    kind: Kind
    """Of data."""
    draw: Callable[[frozenset[str]], SearchStrategy[Any]] = field(repr=False)
    """``draw(parameters)`` returns the strategy of cases with values for these parameters."""
    exhaust: Callable[[frozenset[str]], Iterable[Any]] | None = field(default=None, repr=False)
    """``exhaust(parameters)`` runs through every case of a small finite domain; None if the
    domain is not finite. The engine then reports it as exhausted."""
    worth: int = 1
    """How many plain cases one of its cases counts for; that many fewer are drawn, but one."""

    @classmethod
    def finite(
        cls, name: str, kind: Kind, every: Callable[[frozenset[str]], Iterable[Any]]
    ) -> Source:
        """Return a source of all cases that there are; drawing takes any of them."""

        def draw(names: frozenset[str]) -> SearchStrategy[Any]:
            from hypothesis.strategies import sampled_from

            return sampled_from(list(every(names)))

        return cls(name, kind, draw, every)


class CheckStatus(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    EXHAUSTED = "exhausted"
    """Passed on every case of a finite domain."""
    FAILED = "failed"
    EXPECTED = "expected failure"
    FIXED = "unexpectedly passed"
    """Listed as an expected failure, and no failure was found."""
    NOT_APPLICABLE = "not applicable"
    """No case was judged, so that nothing is known; see :attr:`CheckResult.unjudged`."""


@dataclass(frozen=True)
class CheckResult:
    """How one subject fared in one check."""

    subject: Subject
    check: Check
    """Which."""
    status: CheckStatus
    """How it ended."""
    examples: int
    published: int
    judged: int
    """Cases that the check looked at, those of them on which the subject published, and those
    that it judged, the failing one included."""
    source: str
    """Name of the source of the failure; of all sources if there is none."""
    case: Any = None
    outcome: Any = None
    violation: Violation | None = None
    """The smallest failing case, what was published on it, and what is wrong with it; or None."""
    reason: str | None = None
    """Why a failure was expected, or None."""
    seed: int = 0
    """With which the same run can be had again."""
    exhausted: tuple[str, ...] = ()
    """Names of the finite sources of which every case was checked."""
    unjudged: tuple[tuple[str, int], ...] = ()
    """Why the other cases were not judged, and how many for each reason, the commonest first."""
    doubts: tuple[str, ...] = ()
    """Those of the reasons that are doubts: the check is about the case and could not judge it."""
    seconds: float = field(default=0.0, compare=False)
    """What the check took by the clock, with its share of drawing cases and calling the subject,
    and with making a failure small. It is no part of what a run says: another one takes another
    time."""
    cause: str | None = None
    """The check whose smallest case this is, on which this one fails, too; None if the case was
    looked for on behalf of this check."""

    @property
    def broken(self) -> bool:
        """Whether somebody has to look at it: a failure, or one that was expected in vain."""
        return self.status in (CheckStatus.FAILED, CheckStatus.FIXED)

    @property
    def ok(self) -> bool:
        """Whether something was judged, and nobody has to look at it."""
        return self.status in (CheckStatus.PASSED, CheckStatus.EXHAUSTED, CheckStatus.EXPECTED)


class Answer(StrEnum):
    """What a run says of what a subject promises."""

    KEPT = "kept"
    """Each promise was judged, and no check fails that was not expected to."""
    BROKEN = "broken"
    OPEN = "open"
    """No check fails, but of some promise, or of all of them, no case was judged."""


@dataclass(frozen=True)
class TableCase:
    """Microdata with roles and the parameters of one request."""

    columns: Mapping[str, tuple[object, ...]]
    """Values by column, all of one length; None is missing."""
    quasi_identifiers: tuple[str, ...]
    """Columns an adversary may know."""
    sensitive: str | None
    """The column to protect, or None."""
    identifiers: tuple[str, ...] = ()
    """Columns that must never be published."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Such as ``{"k": 3, "mu": "3/5"}``."""
    categories: Mapping[object, object] | None = None
    """Category of each sensitive value, or None."""
    hierarchies: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By categorical column, child to parent, the root being its own parent."""
    container: str = "pandas"
    """What the frame is made of: ``"pandas"``, ``"polars"`` or ``"pyarrow"``."""
    index: tuple[object, ...] | None = None
    """Labels of the rows of a pandas frame, tuples for several levels; None for the default."""
    dtypes: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """By column of a pandas frame that is not of the usual type: one with missing values of its
    own, such as ``"Int64"``, or the categories, of which some may not occur."""

    @property
    def rows(self) -> int:
        """Number of records."""
        return len(next(iter(self.columns.values()), ()))

    def take(self, rows: Iterable[int]) -> TableCase:
        """Return the same request for some of the rows, by position, in the order given."""
        positions = tuple(rows)
        columns = {
            name: tuple(values[row] for row in positions) for name, values in self.columns.items()
        }
        index = None if self.index is None else tuple(self.index[row] for row in positions)
        return replace(self, columns=columns, index=index)


@dataclass(frozen=True)
class TablePublication:
    """What a subject published of a table."""

    columns: Mapping[str, tuple[object, ...]]
    """Values by column as published; labels are whatever the subject writes."""
    release: Any = None
    """The account behind it, if the subject gives one: kproof's own anonymizers do."""
    changed: tuple[str, ...] = ()
    """Columns of the frame handed to the subject that were not the same afterwards."""
    index: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    """What labels the rows besides the columns, by level, if it says more than where a row
    stands: the index of a pandas frame, which leaves the house with it."""

    @property
    def rows(self) -> int:
        """Published rows."""
        # The first column stands for all: that another one is shorter is for a check to say, and
        # not a reason to fail before there is one.
        return len(next(iter(self.columns.values()), ()))

    @property
    def everything(self) -> Mapping[str, tuple[object, ...]]:
        """All that a reader is given of each row: the columns, and the levels of the index."""
        # Levels are named so that no column has their name; one would hide the other here.
        return {**self.columns, **self.index}


@dataclass(frozen=True)
class TableVerdict:
    """What a checker, the other kind of subject, says of a table taken as published."""

    definition: str
    """Name of the privacy model, one of :data:`kproof.proptests.oracles.DEFINITIONS`."""
    holds: bool
    """Its answer."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What it was asked with, by name."""
