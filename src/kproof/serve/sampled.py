"""Answers from days that are sampled: what is shown is worth an (ε, δ) against everyone.

When a day is closed, the first exit of each vehicle is kept by a coin, and sections with fewer than
k kept are dropped. That is a sampled table (:mod:`kproof.models.tables.sampled`); its cells go to
the file of cells, and the rows and coins are forgotten. Whatever is asked later is computed from
shown cells, the clock and the request alone, so it costs nothing more.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from kproof.errors import DataError, InvalidArgument
from kproof.models.tables.kaca.clock import REGION, WHOLE_DAY
from kproof.models.tables.kaca.report import answer_of
from kproof.models.tables.sampled.daily import DailySampling
from kproof.models.tables.sampled.method import MOST_K, toss_cells
from kproof.report.wording import at_most
from kproof.serve.closed import EPOCH
from kproof.serve.flows import Flows
from kproof.serve.schema import SAMPLED_ALGORITHM, FlowForm, form_of_sampled
from kproof.serve.sealed import ShownCells
from kproof.serve.source import TollSource
from kproof.serve.terms import identity, require_other_file, terms_of
from kproof.theory.exact.coins import CoinSource
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.typed import Number, integer

_DESCRIPTION = "抽样单元：每天结束时抽样一次；样本少于 k 的单元不公布"


@dataclass(kw_only=True)
class SampledFlows(Flows):
    """Answers that are sums of shown cells, a section on a day each."""

    sealed: ShownCells
    sampling: DailySampling
    """How days are sampled, and what that is worth."""
    timed: ClassVar[bool] = False
    _cells: list[tuple[int, str, int]] = field(default_factory=list, init=False, repr=False)
    _tossed: dict[tuple[int, str], int] = field(default_factory=dict, init=False, repr=False)
    """Cells that are shown of days up to :attr:`_until` once they are sealed."""
    _until: date | None = field(default=None, init=False, repr=False)

    @cached_property
    def form(self) -> FlowForm:
        """What answers look like."""
        return form_of_sampled()

    @property
    def promise(self) -> str:
        """What a day is worth, and a month of days of one person, in a phrase."""
        shown = f"k = {self.sampling.k}, beta = {self.sampling.beta}"
        worth = [
            f"({bound.epsilon}, {at_most(Enclosure.exactly(Fraction(bound.delta)))})"
            for bound in self.sampling.bounds
            if bound.days in (1, 30) and bound.epsilon == str(bound.days)
        ]
        day, month = worth
        return (
            f"{shown}: (epsilon, delta) = {day} for {self.sampling.neighbours}, {month} for one "
            "person of 30 days"
        )

    @property
    def state(self) -> Mapping[str, Any]:
        """How days are sampled."""
        return {"sampling": self.sampling.document()}

    def _compare(self) -> None:
        """Pass: no exit is kept by which another database of the same name would be known."""

    def _recognise(self) -> None:
        # No exit is kept by which a database could be recognised: it is on the operator's word, and
        # that is held against what is shown.
        if not self.rebind:
            raise self.sealed.other_source("nothing shows that it is the same (--rebind says so)")
        shown = self.sealed.cells()
        there = Counter(self.source.first_exits(None, self.sealed.until or date.min))
        fewer = sum(people > there[day, section] for day, section, people in shown)
        if 2 * fewer > len(shown):
            reason = f"{fewer} of {len(shown)} shown cells have more people than the database"
            raise self.sealed.other_source(reason)

    def _seal_days(self, until: date) -> None:
        # Coins that could not be written down are kept: whether there is room for what they show
        # hangs on them, and to toss again until there is would be to choose among samples.
        sealed = self.sealed.until
        if sealed is not None and self._until is not None and sealed > self._until:
            self._until = sealed
        if sealed is not None:
            # What somebody else has sealed meanwhile is shown by their coins.
            first = (sealed - EPOCH).days
            self._tossed = {cell: n for cell, n in self._tossed.items() if cell[0] >= first}
        start = sealed if self._until is None else self._until
        people = self.source.first_exits(start, until)
        sampling, coins = self.sampling, CoinSource.of_system()
        self._tossed |= toss_cells(people, k=sampling.k, beta=Fraction(sampling.beta), coins=coins)
        self._until = until
        self.sealed.seal(self._tossed, until)
        self._tossed = {}

    def _make_cells(self) -> None:
        cells = self.sealed.cells()
        if any(people < self.sampling.k for _, _, people in cells):
            raise DataError(
                f"cells: one of fewer than k = {self.sampling.k} people; the file is wrong"
            )
        self._cells = cells

    def _days(self) -> tuple[int, int] | None:
        return (self._cells[0][0], self._cells[-1][0]) if self._cells else None

    def _from_cells(self, start: int, stop: int, k: int) -> dict[str, Any]:
        cells = self._cells
        # Cells come in the order of days, and the last day is included.
        first, last = (
            bisect_left(cells, day, key=lambda cell: cell[0]) for day in (start, stop + 1)
        )
        people: Counter[str] = Counter()
        for _, section, number in cells[first:last]:
            people[section] += number
        columns = self.source.columns
        answer: dict[str, Any] = answer_of(
            [
                (section + REGION, WHOLE_DAY, number, Fraction(0))
                for section, number in people.items()
            ],
            k=k,
            columns=(columns.section, columns.time),
            clustering=("Sampled cells", last - first, _DESCRIPTION),
            records=0,
            suppressed=0,
        )
        for line in answer["data"]:
            # A toll is a value of its row, and no part of the cell.
            del line["avg_toll"]
            line["algorithm"] = SAMPLED_ALGORITHM
        answer["privacy_protection"] |= {
            "method": "sampled cells (R7, R12)",
            "algorithm": SAMPLED_ALGORITHM,
            "generalization": {"geographic": columns.section, "temporal": WHOLE_DAY},
            # No total and no share of what is shown: either counts what is not.
            "statistics": {"anonymized_groups": len(answer["data"])},
            "sampling": self.sampling.document(),
        }
        return answer


def prepare_sampled(
    source: TollSource,
    cells: str | None,
    *,
    k: Number,
    beta: Number,
    today: Callable[[], date] | None = None,
    close_after: int = 0,
    rebind: bool = False,
) -> SampledFlows:
    """Return the answers of a database whose days are sampled, which are yet to be started.

    Args:
        source: The database, with a column of vehicles.
        cells: The file of cells; k and β are part of what it is of.
        k: Fewest sampled vehicles of a cell, and the only k that is answered; 2 to 1000.
        beta: Chance that the first exit of a vehicle on a day is kept.
        today, close_after, rebind: As for :class:`~kproof.serve.flows.Flows`.

    Raises:
        InvalidArgument: If k or beta is out of range, or there is no file or no column of vehicles.
        DataError: If the file of cells cannot be used, or was made with another k or beta.
    """
    threshold = integer("least_k", k, least=2, most=MOST_K)
    try:
        sampling = DailySampling.of(threshold, beta)
    except InvalidArgument as error:
        raise InvalidArgument("sampled", error.value, error.admissible) from None
    if source.columns.vehicle is None:
        need = "a column with --sampled: of each vehicle and day one exit takes part"
        raise InvalidArgument("vehicle", None, need)
    require_other_file(source, cells)
    terms = terms_of(source.columns, close_after)
    more = "".join(f", {name} = {value}" for name, value in terms.items())
    of = f"{identity(source)}; a section on a day, k = {threshold}, beta = {sampling.beta}{more}"
    shown = ShownCells(cells, of)
    return SampledFlows(
        source=source,
        sealed=shown,
        sampling=sampling,
        rungs=(threshold,),
        today=today,
        close_after=close_after,
        rebind=rebind,
    )
