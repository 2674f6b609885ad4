"""The judgement of a publication: one finding for each criterion, and what follows from all.

Whatever is printed about a release, on a page, in JSON or beside a command, is printed from this
object. What was not judged is open, and open is never a yes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Annotated

import numpy as np

from kproof.forms import JsonForm
from kproof.models.base.arrays import Codes
from kproof.models.base.verdict import SCHEMA
from kproof.models.judgement.thresholds import GUESSED, Audience, Thresholds
from kproof.models.tables.risk.chances import one_in
from kproof.notebooks import NotebookText


class JudgedCriterion(StrEnum):
    """What an adversary may do with a release, in the order in which ties are told."""

    ROLES = "roles", "a column is used as what it is not"
    CELLS = "cells that identify", "a cell names a person"
    SINGLING_OUT = "singling out", "a row is picked by what is known of a person"
    LINKAGE = "linkage", "rows of a person are put together and picked"
    ORDER = "order", "the place of a row tells which row of the source it is"
    INFERENCE = "inference", "a secret is certain, or can be guessed"
    MEMBERSHIP = "membership", "absence tells of people who were left out"
    MINIMALITY = "minimality", "what the method had to do gives people away"
    COMPOSITION = "composition", "earlier releases, put beside this one, tell more"

    danger: str
    """What must not be possible."""

    def __new__(cls, value: str, danger: str) -> JudgedCriterion:
        """Return a member that is the text of its value."""
        criterion = str.__new__(cls, value)
        criterion._value_ = value
        criterion.danger = danger
        return criterion

    def met(self, sentence: str, people: int = 0, figure: Fraction | None = None) -> JudgedFinding:
        """Return that nothing under it stands against a publication about so many people."""
        return JudgedFinding(self, FindingStanding.MET, sentence, people=people, figure=figure)


class FindingStanding(StrEnum):
    """How a publication stands under a criterion."""

    MET = "met"
    BROKEN = "broken"
    OPEN = "not decided"


class JudgementOutcome(StrEnum):
    """What follows from all findings."""

    PUBLISH = "publish"
    NOT = "do not publish"
    OPEN = "not decided"


class Remedy(StrEnum):
    """What mends a finding; :mod:`kproof.models.publishing` knows how."""

    LARGER_CLASSES = "larger classes"
    LEAVE_OUT = "leave out columns"
    ROUND = "round numbers"
    PERMUTE = "permute rows"
    FROM_KNOWN = "form classes from known columns alone"
    REUSE_CLASSES = "publish people in the classes of the earlier release"
    CONFIRM = "answer what is asked"


@dataclass(frozen=True)
class JudgedFinding:
    """What a criterion found."""

    criterion: JudgedCriterion
    """Which one."""
    standing: FindingStanding
    """Met, broken, or not decided."""
    sentence: str
    """What was found, for a reader who knows no statistics; names no person and no row."""
    hit: int = 0
    """How many people (rows, where rows are people) it finds."""
    common: int = 0
    """Of how many a value is certain that nearly everybody has, so that it is no secret."""
    people: int = 0
    """Of how many."""
    figure: Fraction | None = None
    """What was measured, if that is a chance or a share."""
    threshold: Fraction | None = None
    """What it may be at most."""
    columns: tuple[str, ...] = ()
    """The columns that it is about."""
    remedy: Remedy | None = None
    """What mends it."""
    victims: Codes = field(
        default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False, compare=False
    )
    """Published rows of those who are hit, for the publisher's eyes only."""

    def __str__(self) -> str:
        """Return the criterion, how it stands, and what was found."""
        return f"{self.criterion}: {self.standing}: {self.sentence}"

    to_dict = JsonForm(
        "criterion standing sentence hit common people figure threshold columns remedy"
    )


@dataclass(frozen=True)
class Judgement(NotebookText):
    """What follows from all findings about one publication; made by :func:`judge`."""

    findings: tuple[JudgedFinding, ...]
    """The worst first: broken before not decided before met, most people first."""
    adversary: str
    """Who was taken to read the release, in one sentence."""
    audience: Audience
    """Whom it is for."""
    thresholds: Thresholds
    """The limits."""
    rows: int
    """Published rows."""
    people: int
    """People they are about."""
    unit: Annotated[str, ("enum", ("people", "rows"))]
    """``people``, or ``rows`` where every row is taken for a person."""
    answered: tuple[str, ...] = ()
    """What is taken on the signer's word."""

    @property
    def outcome(self) -> JudgementOutcome:
        """Broken if one criterion is; publish only if every one is met, and there is one."""
        standings = {finding.standing for finding in self.findings}
        if FindingStanding.BROKEN in standings:
            return JudgementOutcome.NOT
        # Equal, not a subset: of no findings at all nothing follows.
        met = standings == {FindingStanding.MET}
        return JudgementOutcome.PUBLISH if met else JudgementOutcome.OPEN

    @property
    def green(self) -> bool:
        """Whether the release may be published as far as this judgement sees."""
        return self.outcome is JudgementOutcome.PUBLISH

    @property
    def broken(self) -> tuple[JudgedFinding, ...]:
        """Findings that stand against it, the worst first."""
        return self.of(FindingStanding.BROKEN)

    @property
    def against(self) -> tuple[JudgedFinding, ...]:
        """Findings that are broken or not decided, the worst first."""
        return tuple(
            finding for finding in self.findings if finding.standing is not FindingStanding.MET
        )

    def of(self, standing: FindingStanding) -> tuple[JudgedFinding, ...]:
        """Return the findings of one standing, the worst first."""
        return tuple(finding for finding in self.findings if finding.standing is standing)

    def under(self, criterion: JudgedCriterion) -> tuple[JudgedFinding, ...]:
        """Return what was found under a criterion, the worst first."""
        return tuple(finding for finding in self.findings if finding.criterion is criterion)

    def beside(self, findings: Iterable[JudgedFinding]) -> Judgement:
        """Return the judgement with what somebody found who knows more of the making."""
        return replace(self, findings=sort_findings((*self.findings, *findings)))

    @property
    def sentence(self) -> str:
        """The outcome in one sentence that names the adversary or the worst finding."""
        if self.green:
            return f"publish: {self._promise}"
        worst = self.findings[0].sentence if self.findings else "no criterion was judged"
        return f"{self.outcome.value}: {worst}"

    @property
    def _promise(self) -> str:
        """What the adversary does not learn, in figures, and how many bets she has."""
        chances = [finding.figure for finding in self.under(JudgedCriterion.SINGLING_OUT)]
        largest = max((chance for chance in chances if chance is not None), default=None)
        best = "" if largest is None else f" (best chance: 1 in {one_in(largest)})"
        # The largest over columns: sums would count somebody once for each secret of hers.
        inferred = self.under(JudgedCriterion.INFERENCE)
        bets = max((finding.hit for finding in inferred), default=0)
        common = max((finding.common for finding in inferred), default=0)
        beside = f" except that {common:,} {self.unit} have what nine in ten have" if common else ""
        return (
            f"{self.adversary} singles out nobody{best} and is certain of nobody's secret{beside}; "
            f"a secret of {bets:,} of {self.people:,} {self.unit} can be {GUESSED}"
        )

    def __str__(self) -> str:
        """Return the outcome, then a line for each finding."""
        words = (f"on your word: {word}" for word in self.answered)
        return "\n".join([self.sentence, *map(str, self.findings), *words])

    to_dict = JsonForm(
        "outcome sentence adversary audience thresholds rows people unit findings answered",
        schema=SCHEMA,
    )


def sort_findings(findings: tuple[JudgedFinding, ...]) -> tuple[JudgedFinding, ...]:
    """Return findings with the worst first."""
    severity = [FindingStanding.BROKEN, FindingStanding.OPEN, FindingStanding.MET]
    criteria = list(JudgedCriterion)

    def rank(finding: JudgedFinding) -> tuple[int, int, int]:
        place = criteria.index(finding.criterion)
        return severity.index(finding.standing), -finding.hit, place

    return tuple(sorted(findings, key=rank))
