"""The frontier: of all releases that were tried, those that no other beats in loss and risk."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from kproof import arguments
from kproof.errors import InvalidArgument
from kproof.forms import JsonForm, group
from kproof.models.api import table_of
from kproof.models.base.beside import Beside, omissions_line, require_parts
from kproof.models.base.exposure import Exposure, describe_beside
from kproof.models.base.missing import MissingAs
from kproof.models.base.parameters import GROUP_K, SUPPRESS
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.base.verdict import SCHEMA, plain
from kproof.models.frontier.attempts import attempts
from kproof.models.frontier.judging import Candidate, RiskAxis
from kproof.models.frontier.pool import Tell, carry_out, processes
from kproof.models.judgement.findings import JudgementOutcome
from kproof.models.judgement.thresholds import Audience
from kproof.models.tables.frames import as_it_is, exposure_of
from kproof.models.tables.levels.base import Ladder
from kproof.models.tables.roles import roles_among
from kproof.notebooks import NotebookText
from kproof.outputs import write_bytes, write_text
from kproof.pictures import Drawing
from kproof.theory.exact.typed import Number, choice, integer, rational
from kproof.waiting import show_stages

if TYPE_CHECKING:
    from pathlib import Path

    from kproof.cluster import Cluster

_FIGURES = ("loss", "largest", "mean", "classes", "published", "suppressed", "noise")


@dataclass(frozen=True)
class RankedCandidate:
    """A release that was tried, beside the others."""

    candidate: Candidate
    """The release."""
    best: bool
    """Whether no other beats it."""

    to_dict = JsonForm("*candidate best")


@dataclass(frozen=True)
class Frontier(NotebookText):
    """Releases that were compared."""

    rows: int
    """Rows of the table."""
    axis: RiskAxis
    """The risk that they are compared by."""
    candidates: tuple[Candidate, ...]
    """All that were tried: by method, then budget, then k."""
    left_out: Mapping[str, str]
    """Why methods were not tried, by name."""
    beside: tuple[Beside, ...] = ()
    """Columns published as they are, which no figure speaks of."""
    exposure: Exposure | None = None
    """What these single out without any quasi-identifier; None if there are none."""

    def __repr__(self) -> str:
        """Say what was compared, in a line that fits a terminal; ``print`` shows all of it."""
        return f"Frontier({self.rows} rows, {len(self.candidates)} releases by {self.axis})"

    @property
    def notes(self) -> tuple[str, ...]:
        """What no figure of a release speaks of, a line each."""
        notes = [omissions_line(self.beside), describe_beside(self.exposure, self.beside)]
        worst = max(self.best, key=lambda candidate: candidate.exposed or 0, default=None)
        if worst is not None and worst.exposed:
            # Of those on the frontier only: the others are not recommended.
            rows = "row" if worst.exposed == 1 else "rows"
            notes.append(
                f"not considered: with one of these columns the quasi-identifiers of "
                f"{worst.name} single out {worst.exposed:,} {rows}, the most on the frontier"
            )
        return tuple(note for note in notes if note)

    def risk_of(self, candidate: Candidate) -> Fraction:
        """Return the risk by which a candidate is compared; 0 where nothing is published."""
        return self.axis.of(candidate)

    @property
    def admissible(self) -> tuple[Candidate, ...]:
        """Those that satisfy what was asked for."""
        return tuple(candidate for candidate in self.candidates if not candidate.problem)

    @property
    def best(self) -> tuple[Candidate, ...]:
        """Those that no other beats, least risk first: none has less of one and no more of both."""
        ordered = sorted(
            self.admissible, key=lambda candidate: (self.risk_of(candidate), candidate.loss)
        )
        front: list[Candidate] = []
        # By rising risk whoever loses less than all before is on the frontier; equals in both stay.
        for candidate in ordered:
            last = front[-1] if front else candidate
            equal = candidate.loss == last.loss and self.risk_of(candidate) == self.risk_of(last)
            if equal or (candidate.loss or 0.0) < (last.loss or 0.0):
                front.append(candidate)
        return tuple(front)

    @property
    def publishable(self) -> tuple[Candidate, ...]:
        """Those on the frontier that may be published as they are made."""
        return tuple(
            candidate for candidate in self.best if candidate.outcome is JudgementOutcome.PUBLISH
        )

    def __str__(self) -> str:
        """Return a line for each candidate, and one for whatever there is no release of."""
        best = self.best
        lines = [
            f"{'*' if candidate in best else ' '} {candidate.name}: loss {candidate.loss:.4f}, "
            f"risk {float(self.risk_of(candidate)):.4f}"
            for candidate in self.admissible
        ]
        problems = {candidate.name: candidate.problem for candidate in self.candidates}
        refusals = {**problems, **self.left_out}.items()
        lines += [f"- {name}: {why}" for name, why in refusals if why]
        return "\n".join([*lines, *self.notes])

    @property
    def _candidates(self) -> tuple[RankedCandidate, ...]:
        """What was tried."""
        best = self.best
        return tuple(RankedCandidate(candidate, candidate in best) for candidate in self.candidates)

    to_dict = JsonForm(
        "rows axis candidates=_candidates methods_left_out=left_out left_out=beside",
        group(
            "exposure",
            "What columns published as they are single out by themselves; null without any.",
            "rows=exposure.rows by_one=exposure.each together=exposure.together",
            unless="exposure",
        ),
        schema=SCHEMA,
    )

    def to_csv(self, path: str | Path) -> None:
        """Write a row for each candidate, whole or not at all; risks are decimals."""
        best, text = self.best, io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(["method", "k", "suppress", "best", *_FIGURES, "seconds", "problem"])
        for candidate in self.candidates:
            figures = [_decimal(getattr(candidate, name)) for name in _FIGURES]
            request = (candidate.method, candidate.k, plain(candidate.suppress))
            seconds = f"{candidate.seconds:.3f}"
            rows.writerow([*request, int(candidate in best), *figures, seconds, candidate.problem])
        write_text(path, text.getvalue())

    def draw(self, path: str | Path) -> None:
        """Draw loss against risk into a PNG or SVG file, by the end of its name."""
        from kproof.models.frontier.picture import picture

        if (ending := str(path).lower().rpartition(".")[2]) not in ("png", "svg"):
            raise InvalidArgument("picture", str(path), "a name that ends in .png or .svg")
        if ending == "png":
            write_bytes(path, picture(self.candidates, self.best, self.axis).png())
        else:
            self.plot().save(path)

    def plot(self) -> Drawing:
        """Draw loss against risk."""
        from kproof.models.frontier.picture import describe_frontier, picture

        caption = f"Loss against risk of {len(self.admissible)} releases"
        drawing = picture(self.candidates, self.best, self.axis)
        return Drawing(drawing.svg(f"{describe_frontier(self.candidates)}. {caption}"))


@show_stages
@arguments.name_arguments(source="data")
@arguments.check_arguments(
    **arguments.ROLES,
    cluster=arguments.CLUSTER,
    methods=arguments.SEVERAL,
    k=arguments.SEVERAL,
    suppress=arguments.SEVERAL,
    settings=arguments.DICTIONARY,
    told=arguments.FUNCTION,
)
def frontier(
    data: object,
    *,
    methods: Iterable[str] | None = None,
    k: Iterable[Number] = (2, 5, 10, 20, 50),
    suppress: Iterable[Number] = (0,),
    axis: RiskAxis | str = RiskAxis.MEAN,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    jobs: Number | None = None,
    patience: Number | None = None,
    told: Tell | None = None,
    cluster: Cluster | None = None,
    audience: Audience | str = Audience.PUBLIC,
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
    **asked: Any,
) -> Frontier:
    """Compare releases of a table by methods, k and budgets: what they lose, and what they risk.

    Every release is judged: one that is not k-anonymous, lacks what was asked for or what its
    method promises is named with its verdict and compared with nothing.

    Args:
        data: A Table, frame or file.
        methods: Names of methods for tables; None for all that can be asked.
        k: Fewest people in a class, at least 2 each.
        suppress: Largest shares of rows that may be left out, from 0 to below 1.
        axis: The risk they are compared by: ``"mean"`` or ``"largest"`` chance of a person.
        settings: Parameters of single methods: ``{"p-plus-sensitive": {"p": 2}}``.
        jobs: Processes; by default as many as there are processors and memory, and this one alone
            for little work. The result is the same but for the seconds.
        patience: Seconds that an attempt may take; by default as long as it needs.
        told: ``told(done, total, candidate)`` is called when an attempt is done.
        cluster: Who makes the attempts in place of processes of this machine, see
            :func:`kproof.cluster.connect`; without patience.
        audience: Whom releases are judged for.
        quasi_identifiers, both, sensitive, person, identifiers, other, drop, categories, \
taxonomies, ladders, least_levels, most_levels, numeric, missing, missing_in, missing_as, \
most_members: Of a frame or file, as for :func:`kproof.anonymize`.
        **asked: What every release has to satisfy, by the option of its model: ``l=2``,
            ``t="1/5"``. A method that has such a parameter is asked for it.

    Raises:
        DataError: If the data cannot be used, or a column without a role singles out nearly every
            row.

    >>> roles = {"quasi_identifiers": ["Age"], "identifiers": ["ID", "Name"]}
    >>> comparison = frontier("table-1a", methods=["mondrian"], k=[2, 4, 20], **roles)
    >>> print(comparison)
    * mondrian, k=2: loss 0.0435, risk 0.4167
    * mondrian, k=4: loss 0.4348, risk 0.1667
    - mondrian, k=20: k = 20: need 2 <= k <= 12, the number of records
    """
    roles = roles_among(locals())
    sizes = [GROUP_K.read(value) for value in k]
    shares = [SUPPRESS.read(value) for value in suppress]
    for name, values in (("k", sizes), ("suppress", shares)):
        if not values:
            raise InvalidArgument(name, "none", "at least one value")
    compared = choice("axis", axis, RiskAxis)
    readers = choice("audience", audience, Audience)
    table = table_of(data, quasi_identifiers, roles)
    require_parts(table.beside)
    tried, left_out = attempts(
        table, methods=methods, k=sizes, suppress=shares, settings=settings or {}, demands=asked
    )
    limit = None if jobs is None else integer("jobs", jobs, least=1)
    for name, value in (("jobs", jobs), ("patience", patience)):
        if cluster is not None and value is not None:
            raise InvalidArgument(name, value, "nothing beside a cluster")
    candidates = carry_out(
        table,
        tuple(replace(attempt, audience=readers) for attempt in tried),
        jobs=processes(table, len(tried), limit),
        patience=None if patience is None else float(rational("patience", patience, above=0)),
        report=told or (lambda _done, _total, _candidate: None),
        cluster=cluster,
    )
    beside = tuple(map(as_it_is, table.other))
    # Every release has classes of its own: here is what needs none.
    exposure = exposure_of(np.zeros(table.rows, dtype=np.int64), table.other)
    return Frontier(table.rows, compared, candidates, left_out, beside, exposure)


def _decimal(value: object) -> object:
    return f"{float(value):.6g}" if isinstance(value, (Fraction, float)) else value
