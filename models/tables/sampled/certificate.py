"""What stands beside a sampled table: how it was made, and the (ε, δ) that follow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Annotated

from kproof.forms import JsonForm
from kproof.models.tables.sampled.levels import WrittenLevels
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.exact.precision import working_bits
from kproof.theory.exact.typed import as_arb
from kproof.theory.profiles.sampled import least_sum, sampled_exact
from kproof.theory.theorems.bounds import shown_exactly

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

    to_dict = JsonForm(schema=VERSION)

    @classmethod
    def of(
        cls,
        levels: WrittenLevels,
        *,
        k: int,
        beta: Fraction,
        epsilons: Sequence[Fraction],
        sha256: str,
        choices: int,
        choose: Fraction | None,
        seeded: bool,
    ) -> SampledCertificate:
        """Return the certificate of a table that was made so.

        Args:
            levels: What it shows.
            k, beta: How it was sampled.
            epsilons: Where δ is stated.
            sha256: Of its file.
            choices, choose: How many levels there were, and ε₁ of choosing; None if they were not
                chosen.
            seeded: Whether the coins came from a seed.
        """
        bounds = []
        for epsilon in epsilons:
            total = _in_all(epsilon, beta, choose)
            delta = sampled_exact(k, beta, epsilon=epsilon).upper
            # Without a search for the worst pair of cells, which nobody could repeat by hand.
            replaced = max(delta, least_sum(k, beta, epsilon))
            for neighbours, value in (("add", delta), ("replace", replaced)):
                bounds.append(
                    CertifiedDelta(neighbours, shown_exactly(epsilon), str(total), str(value))
                )
        return cls(
            sha256=sha256,
            k=k,
            beta=shown_exactly(beta),
            levels=tuple(CertifiedLevel(**column) for column in levels.to_dict()),
            choice=None
            if choose is None
            else CertifiedChoice(shown_exactly(choose), shown_exactly(beta), choices),
            bounds=tuple(bounds),
            fit=not seeded,
        )

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


def _in_all(epsilon: Fraction, beta: Fraction, choose: Fraction | None) -> Decimal:
    """Return ε + ln(1 + β(e^ε₁ - 1)), rounded up."""
    if choose is None:
        return Enclosure.exactly(epsilon).upper
    with working_bits(192):
        cost = (1 + as_arb(beta) * (as_arb(choose).exp() - 1)).log()
        return Enclosure.from_arb(as_arb(epsilon) + cost, low=0).upper
