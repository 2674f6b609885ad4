"""To dp_accounting and back: never below the truth, and above it by no more than is said."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from cases import error_line
from loss_oracles import EPSILONS, all_laws, delta_between

from kproof.errors import InvalidArgument
from kproof.theory import PrivacyLoss
from kproof.theory.laws import Binomial, Normal

pld = pytest.importorskip(
    "dp_accounting.pld.privacy_loss_distribution", reason="dp_accounting is not installed"
)

ROUNDING = Fraction(1, 10**14)
"""For dp_accounting's own arithmetic, of which kproof promises nothing."""


def test_every_pair_of_small_laws_in_the_safe_direction():
    for first, second in combinations(all_laws(3, 3), 2):
        loss = PrivacyLoss.from_tables(first, second)
        out = loss.to_dp_accounting(interval="0.01", points=1 << 12)
        for epsilon in EPSILONS:
            low, high = delta_between(first, second, epsilon)
            theirs = Fraction(out.distribution.get_delta_for_epsilon(float(epsilon)))
            assert low - ROUNDING <= theirs <= high + Fraction(out.error) + ROUNDING


@pytest.mark.parametrize(
    "loss",
    [
        PrivacyLoss.from_law(Binomial(60, "0.3")),
        PrivacyLoss.from_law(Binomial(60, "0.3")).power(8, randomness="disjoint"),
        PrivacyLoss.from_law(Normal(0, 4)).mixture("1/4", victim="second"),
        PrivacyLoss.from_tables({0: 1}, {1: 1}),
        PrivacyLoss.from_tables({0: 1}, {0: 1}),
    ],
    ids=["count", "composition", "sampled", "disjoint", "equal"],
)
def test_there_and_back(loss):
    out = loss.to_dp_accounting(interval="0.005", points=1 << 14)
    back = PrivacyLoss.from_dp_accounting(out.distribution)
    for epsilon in EPSILONS:
        truth, again = loss.delta(epsilon, points=1 << 14), back.delta(epsilon)
        theirs = out.distribution.get_delta_for_epsilon(float(epsilon))
        assert Fraction(theirs) == pytest.approx(float(again), abs=1e-13)
        assert truth.lower <= again.upper
        assert again.lower <= truth.upper + Decimal(out.error)
    assert out.error < 0.01


def test_a_mechanism_of_theirs():
    gaussian = pld.from_gaussian_mechanism(1.0, value_discretization_interval=1e-2)
    theirs = PrivacyLoss.from_dp_accounting(gaussian)
    ours = PrivacyLoss.from_law(Normal(0, 1))
    for epsilon in (0, 1, 3):
        least = Fraction(ours.delta(epsilon).lower) - ROUNDING
        assert least <= Fraction(theirs.delta(epsilon).upper)
        assert float(theirs.delta(epsilon)) == pytest.approx(float(ours.delta(epsilon)), rel=1e-2)


def test_composition_of_what_came_from_them():
    gaussian = pld.from_gaussian_mechanism(2.0, value_discretization_interval=1e-2)
    loss = PrivacyLoss.from_dp_accounting(gaussian).power(10, randomness="disjoint")
    theirs = gaussian.self_compose(10)
    for epsilon in (0.0, 1.0, 4.0):
        found = loss.delta(epsilon)
        assert theirs.get_delta_for_epsilon(epsilon) == pytest.approx(float(found), rel=1e-3)


def test_an_imported_loss_is_not_a_pair_of_laws():
    loss = PrivacyLoss.from_dp_accounting(pld.from_laplace_mechanism(1.0))
    for ask in (
        lambda: loss.renyi(2),
        loss.zcdp,
        loss.trade_off,
        lambda: loss.mixture("1/2", victim="first"),
    ):
        assert "need a pair of laws" in error_line(InvalidArgument, ask)


def test_bad_input():
    loss = PrivacyLoss.from_law(Binomial(10, "1/2"), direction="up")
    assert "direction = up: need both" in error_line(InvalidArgument, loss.to_dp_accounting)
    with pytest.raises(InvalidArgument, match="interval = 0"):
        PrivacyLoss.from_law(Binomial(10, "1/2")).to_dp_accounting(interval=0)
    with pytest.raises(InvalidArgument, match="distribution = "):
        PrivacyLoss.from_dp_accounting(np.zeros(3))
