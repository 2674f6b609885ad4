"""Sums of independent records: exact integer polynomials as the oracle, deep tails, records."""

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from cases import error_line
from flint import arb, arb_poly, ctx, fmpz_poly

from kproof.errors import InvalidArgument, TooLarge
from kproof.theory.exact.precision import use_bits
from kproof.theory.laws import Binomial, FiniteLattice, IndependentSum, PoissonBinomial, Window, iid
from kproof.theory.laws.kernels import PolynomialMatrix, power, product
from kproof.theory.laws.terms import bernstein


def integer_power(weights: dict[int, int], times: int) -> tuple[list[int], int]:
    """Return the coefficients of the power and their sum, in whole numbers."""
    base = [weights.get(i, 0) for i in range(max(weights) + 1)]
    return [int(c) for c in (fmpz_poly(base) ** times).coeffs()], sum(base) ** times


def check(window: Window, masses: Sequence[int], total: int, tail: arb, bits: int) -> None:
    """Hold every ball against the exact mass, to ``bits`` bits of relative accuracy unless 0."""
    with use_bits(256):
        for index, ball in enumerate(window.masses, start=window.start):
            assert (ball * total).contains(masses[index])
            assert not bits or ball.rel_accuracy_bits() >= bits or masses[index] == 0
        end = window.start + len(window.masses)
        assert arb(sum(masses[: window.start]) + sum(masses[end:])) / total <= window.dropped
        assert window.dropped <= tail


@pytest.mark.parametrize("tail", ["1e-30", "1e-110"])
def test_a_long_sum_with_a_shallow_tail(tail):
    weights = {0: 5, 1: 2, 4: 1, 30: 1}
    masses, total = integer_power(weights, 700)
    with use_bits(128):
        window = iid(FiniteLattice.from_counts(weights), 700).window(arb(tail))
        assert len(window.masses) < 14_000
        check(window, masses, total, arb(tail), 10)


@pytest.mark.parametrize("tail", ["1e-130", "1e-600", "1e-1300"])
def test_a_long_sum_with_a_deep_tail(tail):
    weights = {0: 2, 1: 1, 9: 1}
    masses, total = integer_power(weights, 2_000)
    with use_bits(128):
        window = iid(FiniteLattice.from_counts(weights), 2_000).window(arb(tail))
        check(window, masses, total, arb(tail), 60)
        everything = arb(tail) < arb(4) ** -2_000
        assert (len(window.masses) == 18_001) == bool(everything)
        assert window.dropped.is_zero() == bool(everything)


def test_a_deep_tail_across_rare_leaps():
    weights = {0: 10**40, 1: 1, 700: 1}
    masses, total = integer_power(weights, 30)
    with use_bits(128):
        window = iid(FiniteLattice.from_counts(weights), 30).window(arb("1e-900"))
        check(window, masses, total, arb("1e-900"), 0)
        # Small masses between two clusters are blurred; those of the clusters are not.
        assert len(window.masses) > 14_000
        clusters = [window.masses[700 * leaps] for leaps in range(20)]
        assert min(ball.rel_accuracy_bits() for ball in clusters) > 60


def test_a_deep_tail_at_low_precision_is_deep_all_the_same():
    weights = {0: 2, 1: 1, 9: 1}
    masses, total = integer_power(weights, 2_000)
    law = iid(FiniteLattice.from_counts(weights), 2_000)
    with use_bits(53):
        window = law.window(arb("1e-200"))
    check(window, masses, total, arb("1e-200"), 40)


def test_a_deep_tail_of_terms_of_several_kinds():
    first, second = {0: 1, 3: 2}, {0: 4, 2: 1, 20: 1}
    ones, total_ones = integer_power(first, 500)
    twos, total_twos = integer_power(second, 900)
    masses = [int(c) for c in (fmpz_poly(ones) * fmpz_poly(twos)).coeffs()]
    law = IndependentSum(
        [FiniteLattice.from_counts(first), FiniteLattice.from_counts(second)], counts=[500, 900]
    )
    with use_bits(128):
        check(law.window(arb("1e-150")), masses, total_ones * total_twos, arb("1e-150"), 60)


def test_a_deep_tail_on_one_side_only():
    weights = {0: 1, 8: 1, 9: 10**6}
    masses, total = integer_power(weights, 2_000)
    with use_bits(128):
        window = iid(FiniteLattice.from_counts(weights), 2_000).window(arb("1e-300"))
        assert window.start > 0
        assert window.start + len(window.masses) == 18_001
        check(window, masses, total, arb("1e-300"), 0)


def test_terms_that_are_cut_before_their_step_is_refined():
    # Twice a binomial count of 600, plus one fair coin, on half steps.
    halves = FiniteLattice({0: 0.5, "1/2": 0.5})
    law = IndependentSum([Binomial(600, "1/2"), halves], counts=[2, 1])
    twice = [int(c) for c in (fmpz_poly([1, 0, 1]) ** 1_200 * fmpz_poly([1, 1])).coeffs()]
    with use_bits(128):
        window = law.window(arb("1e-20"))
        assert len(window.masses) < 1_000
        check(window, twice, 2**1_201, arb("1e-20"), 10)


def test_a_poisson_binomial_by_recursion_in_whole_numbers():
    drawn = random.Random(7)
    tops = [drawn.randint(0, 100) for _ in range(400)]
    masses = [1]
    for top in tops:
        shifted = [0, *masses]
        masses = [
            (100 - top) * stay + top * up for stay, up in zip([*masses, 0], shifted, strict=True)
        ]
    law = PoissonBinomial([Fraction(top, 100) for top in tops])
    with use_bits(128):
        sure = tops.count(100)
        impossible = tops.count(0)
        whole = law.window(arb(0))
        assert law.origin == sure
        assert law.points == 401 - sure - impossible
        check(whole, masses[sure : 401 - impossible], 100**400, arb(0), 100)
        cut = law.window(arb("1e-12"))
        assert len(cut.masses) < 200
        check(cut, masses[sure : 401 - impossible], 100**400, arb("1e-12"), 10)


def test_steps_and_origins_that_differ():
    law = IndependentSum(
        [FiniteLattice({"1/2": 0.5, 2: 0.5}), FiniteLattice({-1: 0.5, 0: 0.5})], counts=[2, 1]
    )
    assert (law.origin, law.step, law.points) == (0, Fraction(1, 2), 9)
    assert not law.log_concave
    same = IndependentSum([FiniteLattice({0: 0.5, 3: 0.5}), FiniteLattice({1: 0.1, 4: 0.9})])
    assert same.step == 3
    assert same.log_concave


def test_equal_laws_are_one_term():
    coin, other = FiniteLattice.bernoulli("1/2"), FiniteLattice({0: 0.5, 1: 0.5})
    law = IndependentSum([coin, FiniteLattice.bernoulli(0.1), other], counts=[2, 1, 3])
    assert [count for _, count in law.terms] == [5, 1]
    assert law.name == (
        "IndependentSum(5 x FiniteLattice(2 values from 0 to 1), "
        "1 x FiniteLattice(2 values from 0 to 1))"
    )
    assert IndependentSum([Binomial(3, 0.5), Binomial(3, "1/2")]).terms[0][1] == 2


def test_known_records_leave_the_sum_of_the_others():
    die, coin = FiniteLattice(dict.fromkeys(range(1, 7), "1/6")), FiniteLattice.bernoulli("1/3")
    law = IndependentSum([die, coin, die], counts=[2, 3, 1]).given({1: 6, 3: "0.0"})
    assert law.records == (0, 2, 4, 5)
    rest = IndependentSum([die, coin], counts=[2, 2])
    assert law.window(arb(0)).masses[3].overlaps(rest.window(arb(0)).masses[3])
    assert law.mean().overlaps(rest.mean())
    assert [len(pairs) for pairs in law.marginals()] == [6, 2, 2, 6]
    assert law.dependency().number_of_edges() == 0
    again = law.given({0: 1, 2: 1})
    assert again.records == (4, 5)
    with pytest.raises(InvalidArgument, match="known index = 0: need one of the 2 unknown records"):
        again.given({0: 1})


def test_when_all_is_known_nothing_is_left_to_vary():
    law = PoissonBinomial([0.5, 0.25]).given({0: 1, 1: 0})
    assert law.records == ()
    assert (law.origin, law.points, law.marginals()) == (0, 1, [])
    assert law.window(arb(0)).masses == [1]
    assert law.variance() == 0


def test_a_trial_that_is_certain_cannot_be_known_otherwise():
    law = PoissonBinomial([0, 1, 0.5])
    assert law.given({0: 0, 1: 1}).records == (2,)
    for known in ({0: 1}, {1: 0}, {2: 0.5}):
        with pytest.raises(InvalidArgument, match="need a value of positive probability"):
            law.given(known)


def test_records_of_one_law_share_their_marginals():
    marginals = iid(FiniteLattice.bernoulli("1/3"), 1_000).marginals()
    assert len({id(pairs) for pairs in marginals}) == 1


def test_sums_that_need_too_much_say_so_before_they_start():
    wide = iid(FiniteLattice({0: 0.5, 1: 0.25, 10**6: 0.25}), 10**6)
    with pytest.raises(TooLarge, match=r"needs [\d,]+ points, the budget is 4,194,304"):
        wide.window(arb("1e-30"))
    assert "needs 1,000,000,000,001 points" in error_line(TooLarge, wide.window, arb(0))
    with pytest.raises(TooLarge, match=r"needs 100,000,000 records, the budget is 16,777,216"):
        _ = iid(FiniteLattice.bernoulli(0.5), 10**8).records


def test_wide_support_is_no_obstacle_when_the_bulk_is_narrow():
    law = iid(FiniteLattice({0: 1 - Fraction(1, 10**6), 1: Fraction(1, 10**6)}), 10**9)
    with use_bits(128):
        window = law.window(arb("1e-20"))
        same = Binomial(10**9, "1e-6").window(arb("1e-25"))
        assert len(window.masses) < 1_000
        for index, ball in enumerate(window.masses, start=window.start):
            assert ball.overlaps(same.masses[index - same.start])


def test_cuts_lose_no_more_than_they_say():
    with use_bits(128):
        scalar = PolynomialMatrix(((arb_poly([arb(1) / 2, arb(1) / 3, arb(1) / 6]),),))
        for loss in ("1e-3", "1e-9"):
            cut = power(scalar, 77, arb(loss))
            kept = sum(cut.rows[0][0].coeffs(), arb(0))
            assert 0 < 1 - kept <= cut.missing <= arb(loss)
            assert cut.length < power(scalar, 77, arb(0)).length
        step = PolynomialMatrix(
            (
                (arb_poly([0, 0.5]), arb_poly([0.25, 0, 0.25])),
                (arb_poly([0.125, 0.125]), arb_poly([0.5, 0.25])),
            )
        )
        cut = product([power(step, 20, arb("1e-6")), power(step, 13, arb("1e-6"))], arb("1e-6"))
        assert cut.missing <= arb("3e-6")
        for polynomials in cut.rows:
            kept = sum((sum(p.coeffs(), arb(0)) for p in polynomials), arb(0))
            assert 0 < 1 - kept <= cut.missing


def test_losses_add_up_in_products_and_hold_for_every_row():
    with use_bits(128):
        whole = PolynomialMatrix(((arb_poly([0.25] * 4),),))
        lossy = PolynomialMatrix(((arb_poly([0.5, 0.25]),),), 0, arb(0.25))
        for pair in ([whole, lossy], [lossy, whole]):
            assert product(pair, arb(0)).missing == 0.25
        assert product([lossy, lossy], arb(0)).missing == 0.5
        assert lossy.scale(arb(3)).missing == 0.75
        many = product([whole] * 64, arb("1e-4"))
        assert 0 < 1 - sum(many.rows[0][0].coeffs(), arb(0)) <= many.missing <= arb("1e-4")
        uneven = PolynomialMatrix(((arb_poly([0.9, 0, 0.1]),), (arb_poly([0.01, 0.98, 0.01]),)))
        cut = uneven.cut(arb("0.1"))
        assert cut.missing <= arb("0.1")
        for (before,), (after,) in zip(uneven.rows, cut.rows, strict=True):
            assert before(arb(1)) - after(arb(1)) <= cut.missing


def test_bernstein_bounds_a_tail_that_is_known():
    # 200 fair coins: Pr[|S - 100| >= t] summed exactly.
    masses, total = integer_power({0: 1, 1: 1}, 200)
    for tail in ("1e-3", "1e-12", "1e-40"):
        reach = bernstein(arb(50), Fraction(1, 2), arb(tail))
        outside = sum(c for j, c in enumerate(masses) if abs(j - 100) >= float(reach))
        assert arb(outside) / total <= arb(tail)
        assert float(reach) < 101 or tail == "1e-40"


def test_precision_is_left_as_it_was():
    law = iid(FiniteLattice({0: 0.5, 7: 0.5}), 5_000)
    with use_bits(77):
        law.window(arb("1e-300"))
        law.float_window()
        law.mean()
        assert ctx.prec == 77
