"""What stands beside a sampled table: how it was made, and the (ε, δ) that follow."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Annotated

from kproof.forms import JsonForm
from kproof.models.tables.sampled.levels import WrittenLevels
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import use_bits
from kproof.theory.exact.typed import as_arb
from kproof.theory.profiles.sampled import least_sum
from kproof.theory.theorems.bounds import exact_text
from kproof.theory.theorems.releases.sampled import release_bound

VERSION = 1
"""Of the form of a certificate."""

KIND = "sampled-certificate"


@dataclass(frozen=True, slots=True)
class CertifiedLevel:
    """What a published column shows."""

    column: str
    """Its name."""
    rule: str
    """value, range:WIDTH;origin=NUMBER, or hierarchy."""
    labels: tuple[str, ...] | None
    """Every label that a hierarchy may show; null for other rules."""

    to_dict = JsonForm()


@dataclass(frozen=True, slots=True)
class CertifiedDelta:
    """What the table is worth at one ε of the sample."""

    neighbours: str
    """add: tables with a row more or less (R7); replace: with other values in one row (R9)."""
    sample_epsilon: str
    """ε at which δ of the sample was worked out, exact."""
    epsilon: str
    """ε of the whole: with what choosing the levels costs, rounded up."""
    delta: str
    """δ, rounded up."""

    to_dict = JsonForm()


@dataclass(frozen=True, slots=True)
class CertifiedChoice:
    """How levels were chosen, on a sample that nothing was published of (R11)."""

    epsilon: str
    """ε of permute-and-flip on that sample, exact."""
    beta: str
    """Chance that a row was in it."""
    levels: int
    """How many levels there were to choose from."""

    to_dict = JsonForm()


@dataclass(frozen=True)
class SampledCertificate:
    """What whoever publishes a sampled table answers for, and what follows from it.

    It holds nothing of the rows but the digest of the file.
    """

    sha256: Annotated[str, ("pattern", "^[0-9a-f]{64}$")]
    """Of the file."""
    k: int
    """Kept rows that every cell has at least."""
    beta: str
    """Chance that a row was kept, exact."""
    levels: tuple[CertifiedLevel, ...]
    """The published columns, in order; a cell is a whole row of them."""
    choice: CertifiedChoice | None
    """How the levels were chosen; null if they were written down as they are."""
    bounds: tuple[CertifiedDelta, ...] = field(repr=False)
    """What the table is worth."""
    fit: bool
    """Whether the coins were the operating system's; with those of a seed the release is for tests
    and unfit to be published."""
    cells: Annotated[str | None, ("pattern", "^[0-9a-f]{64}$")] = None
    """SHA-256 of the file of cells that its texts name; null if they name none."""

    to_dict = JsonForm(schema=VERSION)

    @classmethod
    def of(
        cls,
        levels: WrittenLevels,
        bounds: tuple[CertifiedDelta, ...],
        *,
        k: int,
        beta: Fraction,
        sha256: str,
        choices: int,
        choose: Fraction | None,
        seeded: bool,
        cells: str | None = None,
    ) -> SampledCertificate:
        """Return the certificate of a table that was made so.

        ``bounds`` are from :func:`certify_bounds`, of the same k, beta and ``choose``; ``sha256``
        is of its file. ``choices`` says how many levels there were, ``choose`` at which ε₁ they
        were chosen (None if they were not), ``seeded`` whether the coins came from a seed.
        ``cells`` is the SHA-256 of the file of cells; None if it names none.
        """
        chance, choice = exact_text(beta), None
        if choose is not None:
            choice = CertifiedChoice(exact_text(choose), chance, choices)
        columns = tuple(CertifiedLevel(**column) for column in levels.to_dict())
        return cls(sha256, k, chance, columns, choice, bounds, not seeded, cells)

    def to_text(self) -> str:
        """Return what its file holds."""
        document = {"schema": VERSION, "document": KIND} | self.to_dict()
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"

    def delta_at(self, epsilon: Fraction, neighbours: str = "add") -> Decimal:
        """Return δ at an ε of the sample that the certificate has."""
        [bound] = [
            bound
            for bound in self.bounds
            if bound.neighbours == neighbours and Fraction(bound.sample_epsilon) == epsilon
        ]
        return Decimal(bound.delta)


@lru_cache(maxsize=64)
def certify_bounds(
    k: int, beta: Fraction, epsilons: tuple[Fraction, ...], choose: Fraction | None
) -> tuple[CertifiedDelta, ...]:
    """Return what a table is worth at each ε, both kinds of neighbours in turn.

    ``choose`` is ε₁ of choosing the levels; None if they are not chosen.
    """
    bounds = []
    for epsilon in epsilons:
        delta = release_bound(k=k, beta=beta, epsilon=epsilon).delta.upper
        # Without a search for the worst pair of cells, which nobody could repeat by hand.
        replaced = max(delta, least_sum(k, beta, epsilon))
        sample, total = exact_text(epsilon), str(_in_all(epsilon, beta, choose))
        bounds += [
            CertifiedDelta("add", sample, total, str(delta)),
            CertifiedDelta("replace", sample, total, str(replaced)),
        ]
    return tuple(bounds)


def _in_all(epsilon: Fraction, beta: Fraction, choose: Fraction | None) -> Decimal:
    """Return ε + ln(1 + β(e^ε₁ - 1)), rounded up."""
    if choose is None:
        return Enclosure.exactly(epsilon).upper
    with use_bits(192):
        cost = (1 + as_arb(beta) * (as_arb(choose).exp() - 1)).log()
        return Enclosure.from_arb(as_arb(epsilon) + cost, low=0).upper
