"""To dp_accounting and back: privacy loss distributions on multiples of an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import tanh
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kproof.errors import InvalidArgument
from kproof.theory.laws.fourier import ROUNDOFF
from kproof.theory.losses.grid import Listed, LossGrid
from kproof.theory.losses.loss_sums import Floats
from kproof.theory.losses.pairs import LossesPair

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution


MOST_MULTIPLES = 1 << 22
"""Most multiples of the interval on either side of 0 that are written out."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A distribution for dp_accounting."""

    distribution: PrivacyLossDistribution
    """Its ``PrivacyLossDistribution``; no δ of it is below the one that it stands for, up to the
    rounding of dp_accounting's own arithmetic, and given what
    :data:`~kproof.theory.losses.routes.ASSUMPTION` says."""
    error: float
    """By how much a δ of it can be too large at most, at any ε >= 0, up to the same rounding.
    Of sampled normal laws, whose cells are wide, this is far more than they are."""


class Rounded(NamedTuple):
    """One direction on multiples of an interval."""

    masses: dict[int, float]
    """Probability by multiple."""
    infinite: float
    """Probability of an infinite loss, with all that is open."""
    error: float
    """By how much a δ can be too large."""


def export_losses(grids: Sequence[LossGrid], interval: float) -> Exported:
    """Return both directions, ``up`` then ``down``, as a distribution of dp_accounting."""
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

    nothing = Rounded({0: 1.0}, 0.0, 0.0)
    add, remove = [round_up(grid, interval) for grid in grids] or [nothing, nothing]
    distribution = PrivacyLossDistribution.create_from_rounded_probability(
        remove.masses,
        remove.infinite,
        interval,
        rounded_probability_mass_function_add=add.masses,
        infinity_mass_add=add.infinite,
        symmetric=False,
    )
    return Exported(distribution, max(add.error, remove.error))


def round_up(grid: LossGrid, interval: float) -> Rounded:
    """Return one direction on multiples of an interval, rounded such that no δ falls."""
    listed, cut = _without_ends(grid.list_losses())
    reach = float(np.abs(listed.losses).max())
    if reach > interval * MOST_MULTIPLES:
        raise InvalidArgument("interval", interval, f"more: privacy losses reach {reach:g}")
    places, weights = _spread(listed, interval)
    order = np.unique(places)
    sums = np.bincount(np.searchsorted(order, places), weights=weights, minlength=order.size)
    # What floats may have lost in sums and weights goes to infinity as well.
    lost = cut + listed.error + (weights.size + 64) * ROUNDOFF * float(weights.sum())
    lower, upper = (float(end) for end in (grid.infinite.lower(), grid.infinite.upper()))
    infinite = min(1.0, (upper + lost) * (1 + 2.0**-40))
    nudge = (reach + interval) * 2.0**-49
    # tanh(interval/4) is what spreading onto two neighbours adds: `LossGrid` says why.
    error = infinite - lower + lost + listed.excess + tanh(interval / 4) + nudge
    masses = {int(place): mass for place, mass in zip(order.tolist(), sums.tolist(), strict=True)}
    positive = {place: mass for place, mass in masses.items() if mass > 0}
    # A table without an entry is nothing that dp_accounting can read.
    return Rounded(positive or {0: 0.0}, infinite, min(1.0, error * (1 + 2.0**-40)))


def _without_ends(listed: Listed) -> tuple[Listed, float]:
    """Return the list, its rarest least losses raised and its rarest largest ones left out.

    With it comes a bound on the mass at either end.
    """
    masses = listed.masses.copy()
    # What the errors of the masses may hide is not worth a place.
    seldom = max(listed.error, 2.0**-50)
    first = int(np.searchsorted(np.cumsum(masses), seldom))
    last = masses.size - int(np.searchsorted(np.cumsum(masses[::-1]), seldom))
    if first >= last:
        return listed, 0.0
    masses[first] += masses[:first].sum()
    bulk = slice(first, last)
    return listed._replace(losses=listed.losses[bulk], masses=masses[bulk]), 2 * seldom


def _spread(listed: Listed, interval: float) -> tuple[Floats, Floats]:
    """Spread each loss onto both neighbours, keeping the mean of e^-loss or lowering it."""
    present = listed.masses > 0
    losses, masses = listed.losses[present], listed.masses[present]
    below = np.floor(losses / interval)
    # The quotient is rounded, upward or downward: the products decide which multiple is below.
    below = np.where(below * interval > losses, below - 1, below)
    below = np.where((below + 1) * interval <= losses, below + 1, below)
    # The multiples are rounded by whoever reads them: a loss is taken to lie a little higher.
    offset = losses - below * interval + 2.0**-50 * (np.abs(losses) + interval)
    share = np.minimum(np.expm1(-offset) / np.expm1(-interval), 1.0)
    return (
        np.concatenate([below, below + 1]),
        np.concatenate([masses * (1 - share), masses * share]),
    )


def import_losses(distribution: PrivacyLossDistribution) -> LossesPair:
    """Return the two directions of a distribution of dp_accounting.

    dp_accounting shows its masses to nobody; they are read from its private attributes.
    """
    try:
        directions = [_masses(distribution._pmf_add), _masses(distribution._pmf_remove)]
    except AttributeError:
        kind, need = type(distribution).__name__, "a PrivacyLossDistribution of dp_accounting"
        raise InvalidArgument("distribution", kind, need) from None
    (up, up_infinite), (down, down_infinite) = directions
    return LossesPair("dp_accounting", up, down, up_infinite, down_infinite)


def _masses(pmf: Any) -> tuple[tuple[tuple[Fraction, Fraction], ...], Fraction]:
    dense = pmf.to_dense_pmf()
    # The float's very value and not the decimal that it prints as: losses are multiples of that.
    step = Fraction(dense._discretization)
    masses = enumerate(dense._probs.tolist(), start=dense._lower_loss)
    losses = tuple((place * step, Fraction(mass)) for place, mass in masses if mass > 0)
    return losses, Fraction(float(dense._infinity_mass))
