"""One release of a comparison: made, checked, and measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from time import perf_counter
from typing import Any

from kproof.errors import KProofError
from kproof.forms import JsonForm
from kproof.models.api import anonymize, check
from kproof.models.frontier.attempts import Attempt, attempt_name
from kproof.models.judgement.findings import JudgementOutcome
from kproof.models.judgement.judge import judge
from kproof.models.judgement.reading import of_release
from kproof.models.methods import METHODS
from kproof.models.privacy import Summary, summary
from kproof.models.tables.risk import risk
from kproof.models.tables.risk.chances import json_chance
from kproof.models.tables.suppression.promised import promises_of
from kproof.models.tables.table import Table
from kproof.models.tables.utility import utility


@dataclass(frozen=True)
class Candidate:
    """A release that was tried: what it loses and risks, or why there is none."""

    method: str
    k: int
    suppress: Fraction
    """What was asked for; ``suppress`` is the largest share of rows that might be left out."""
    parameters: Mapping[str, Any]
    """Those of the method, k included."""
    problem: str = ""
    """Why it is out of the question, in one line: the method refused, or its release lacks what
    was asked for. Empty if nothing is wrong; figures are None where there is no release."""
    loss: float | None = None
    """Mean NCP over rows and quasi-identifiers, from 0 to 1, 1 for rows left out."""
    largest: Fraction | None = None
    mean: Fraction | None = None
    """The prosecutor's chances, see :class:`~kproof.models.tables.risk.Chances`."""
    classes: int = 0
    published: int = 0
    suppressed: int = 0
    noise: int = 0
    """Classes; published rows, of which noise; rows left out."""
    exposed: int | None = None
    """Most rows that its quasi-identifiers single out together with one column that is published
    as it is; None without such columns."""
    attained: Summary | None = None
    """The parameters of privacy models that it attains."""
    seconds: float = 0.0
    """What the method took."""
    outcome: JudgementOutcome | None = None
    worst: str = ""
    """Whether it may be published as the method makes it, and the worst that was found; None and
    empty where there is no release."""

    @property
    def name(self) -> str:
        """The method with k and the budget, such as ``mondrian, k=5, 5 % suppressed``."""
        return attempt_name(self.method, self.k, self.suppress)

    @property
    def _plain_parameters(self) -> Mapping[str, object]:
        """Those of the method, k included."""
        return {
            name: value if isinstance(value, (bool, int, float, str)) else str(value)
            for name, value in self.parameters.items()
            if name != "models"
        }

    @property
    def _whole_milliseconds(self) -> float:
        """What the method took."""
        return round(self.seconds, 3)

    to_dict = JsonForm(
        "method k suppress=str(suppress) parameters=_plain_parameters problem loss largest mean",
        "classes published suppressed noise exposed attained seconds=_whole_milliseconds outcome",
        "worst",
        exact=json_chance,
    )


class RiskAxis(StrEnum):
    """Which risk a release is judged by."""

    MEAN = "mean"
    """The mean chance of a person."""
    LARGEST = "largest"
    """The largest."""

    def of(self, candidate: Candidate) -> Fraction:
        """Return this risk of a candidate; 0 where nothing is published."""
        return (candidate.mean if self is RiskAxis.MEAN else candidate.largest) or Fraction(0)


def candidate_of(attempt: Attempt, table: Table) -> Candidate:
    """Make a release, check it against what was asked for, and measure it.

    What the method promises is judged again, too.
    """
    request, method = attempt.request, METHODS[attempt.method]
    start = perf_counter()
    try:
        release = anonymize(method.name, table, **attempt.parameters, suppress=attempt.suppress)
        # The method's alone: judging takes as long whoever made the release.
        seconds = perf_counter() - start
        promises = promises_of(method, method.complete_arguments(attempt.parameters), table)
        # What the method promises is among the verdicts already.
        asked_too = [model for model in attempt.models if model not in promises.every]
        verdicts = (*promises.verdicts(release.classes()), *check(release, asked_too))
        costs, risks = utility(release, k=attempt.k, queries=0), risk(release)
        judgement = judge(of_release(release), audience=attempt.audience)
        singled = None if release.exposure is None else release.exposure.with_quasi_identifiers
    except KProofError as reason:
        return Candidate(*request, problem=str(reason), seconds=perf_counter() - start)
    # One release that is too large must not end the comparison.
    except MemoryError:
        return Candidate(*request, problem="the memory does not suffice")
    return Candidate(
        *request,
        problem=next((str(verdict) for verdict in verdicts if not verdict), ""),
        loss=costs.penalty,
        largest=risks.prosecutor.largest,
        mean=risks.prosecutor.mean,
        classes=costs.classes,
        published=costs.published,
        suppressed=costs.suppressed,
        noise=costs.noise,
        exposed=None if singled is None else singled.rows,
        attained=summary(release.classes()),
        seconds=seconds,
        outcome=judgement.outcome,
        worst=judgement.against[0].sentence if judgement.against else "",
    )
