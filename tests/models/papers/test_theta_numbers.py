"""The numbers the θ paper prints, against arithmetic and brute force of this file's own."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import pytest
from cases import cases
from class_oracles import width
from theta_oracles import CATEGORY, TABLE_1A, TABLE_4B, TABLE_8A, TABLE_8B, publications, spread

from kproof.datasets import read_text_table
from kproof.errors import InvalidArgument, TooLarge
from kproof.models.papers import theta_checks as paper_checks
from kproof.models.papers import theta_counterexamples as counterexamples
from kproof.models.papers import theta_results as paper_results
from kproof.models.papers.theta_counterexamples import Advantage, diseases

TABLE_11 = """
2 320300 320303 571227
4 640600 640605 778626
6 960900 960912 1214207
8 1281200 1281215 1467959
10 1601500 1601520 1876310
12 1921800 1921824 2096543
14 2242100 2242145 2632775
16 2562400 2562470 3017773
18 2882700 2882812 3315591
20 3203000 3203166 3628936
"""
ROWS = [[int(cell) for cell in line.split()] for line in TABLE_11.strip().splitlines()]


@cases(
    ("table-1a", TABLE_1A), ("table-4b", TABLE_4B), ("table-8a", TABLE_8A), ("table-8b", TABLE_8B)
)
def test_the_shipped_tables(name, printed):
    assert diseases(name) == printed


def test_table_5_step_by_step():
    table = read_text_table("table-5")
    rows = list(zip(*table.cells, strict=True))
    for index, total, variance in (("2", (4, 10, 30), "1.25"), ("3", (4, 7, 15), "0.6875")):
        own = [[int(cell) for cell in row[2:]] for row in rows if row[0] == index]
        for x, f, squared, once, twice in own:
            assert (squared, once, twice) == (x * x, f * x, f * x * x)
        n, first, second = (sum(row[place] for row in own) for place in (1, 3, 4))
        assert (n, first, second) == total
        assert Fraction(second, n) - Fraction(first, n) ** 2 == Fraction(variance)
        assert counterexamples.variances("table-4a")[int(index) - 1] == Fraction(variance)


def test_tables_4_and_8_from_their_definitions():
    for name in ("table-4a", "table-4b", "table-8a", "table-8b"):
        classes = diseases(name)
        kinds = [len({CATEGORY[value] for value in own}) for own in classes]
        weights = [sum(Fraction(CATEGORY[value] - 1, 3) for value in set(own)) for own in classes]
        assert counterexamples.category_counts(name) == tuple(kinds)
        assert counterexamples.variances(name) == tuple(width(own) for own in classes)
        found = paper_checks.largest_parameters(name)
        assert found == {
            "k": min(len(own) for own in classes),
            "values": min(len(set(own)) for own in classes),
            "categories": min(kinds),
            "weight": min(weights),
            "mu": min(width(own) for own in classes) / Fraction(5, 4),
        }


def test_what_algorithm_1_can_publish():
    domain = set(CATEGORY)
    for start in (TABLE_1A, TABLE_4B):
        expected = publications(start, Fraction(3, 4), domain)
        found = counterexamples.publications(start, k=4, mu="0.6")
        assert found.classes == expected
        assert found.noise == tuple(sorted({sum(map(len, classes)) - 12 for classes in expected}))
    assert counterexamples.publications(TABLE_1A, k=4, mu="0.6").reaches(TABLE_8A)
    assert counterexamples.publications(TABLE_4B, k=4, mu="0.6").reaches(TABLE_8B)
    assert not counterexamples.publications(TABLE_4B, k=4, mu="0.6").reaches(TABLE_8A)


def test_smallest_classes_that_part_the_attacks():
    mu = Fraction(3, 5)

    def succeed(own: tuple[str, ...]) -> tuple[bool, bool]:
        low = width(own) < mu * (len(own) ** 2 - 1) / 12
        return len({CATEGORY[value] for value in own}) == 1, low

    by_size = [
        own for size in (2, 3) for own in combinations_with_replacement(sorted(CATEGORY), size)
    ]
    category = counterexamples.category_alone(mu)
    variance = counterexamples.variance_alone(mu)
    assert category == next(own for own in by_size if succeed(own) == (True, False))
    assert variance == next(own for own in by_size if succeed(own) == (False, True))


@pytest.mark.parametrize("mu", ["0.3", "0.5", "0.6", "0.68", "0.7", "0.9"])
def test_smallest_repetition(mu):
    repetition = counterexamples.smallest_repetition(mu)

    def passes(counts: tuple[int, ...]) -> bool:
        return spread(counts) >= Fraction(mu) * (sum(counts) ** 2 - 1) / 12

    assert passes(repetition)
    smaller = [(2, *(1,) * ones) for ones in range(len(repetition) - 1)]
    assert not any(passes(counts) for counts in smaller)


def test_repetition_at_mu_1():
    with pytest.raises(InvalidArgument, match="mu = 1: need 0 < mu < 1"):
        counterexamples.smallest_repetition(1)


def partitions(rows: int, most: int | None = None) -> list[tuple[int, ...]]:
    most = rows if most is None else most
    if rows == 0:
        return [()]
    return [
        (first, *rest)
        for first in range(min(rows, most), 0, -1)
        for rest in partitions(rows - first, first)
    ]


def test_variance_orders_neither_shares_nor_values():
    for risk, least in ((Advantage.SHARE, 5), (Advantage.VALUES, 14)):
        wider, narrower = counterexamples.inversion(risk)
        assert sum(wider) == sum(narrower) == least
        assert spread(wider) > spread(narrower)
        if risk is Advantage.SHARE:
            assert wider[0] > narrower[0]
        else:
            assert len(wider) < len(narrower)
    for size in range(2, 14):
        widths = {one: spread(one) for one in partitions(size)}
        for one, other in combinations(widths, 2):
            wide, narrow = (one, other) if widths[one] > widths[other] else (other, one)
            if widths[wide] > widths[narrow]:
                assert len(wide) >= len(narrow)
                assert size >= 5 or wide[0] <= narrow[0]


def test_publications_of_neighbours_never_meet():
    assert counterexamples.told_apart(("HIV", "Flu"), ("Cancer", "Flu"), mu="0.6")
    assert not counterexamples.told_apart(("HIV", "Flu"), ("HIV", "Flu"), mu="0.6")


def test_table_11():
    assert [row[0] for row in ROWS] == list(paper_results.K)
    columns = list(zip(*ROWS, strict=True))
    assert columns[1:] == list(paper_results.TABLE_11.values())
    assert all(row[1] == row[0] * 160_150 for row in ROWS)
    base, theta, p_plus = (Fraction(sum(column), 10) for column in columns[1:])
    assert (base, theta, p_plus) == (1_761_650, Fraction("1761697.2"), Fraction("2059994.7"))
    found = paper_results.column("theta-sensitive")
    assert (found.mean, found.excess) == (theta, Fraction("47.2"))
    assert found.of_own == 100 * (theta - base) / theta
    assert found.of_baseline == 100 * (theta - base) / base
    # The printed percentages: one is of the column's own average, the others of nothing.
    assert paper_results.percent(found.of_own, 9) == "0.002679235"
    excess = p_plus - base
    for printed in ("14.65", "14.64"):
        for whole in (base, theta, p_plus):
            assert paper_results.percent(100 * excess / whole, 2) != printed
            assert paper_results.percent(100 * (p_plus - theta) / whole, 2) != printed


def penalties(rows: int, k: int) -> set[int]:
    """DCP of every partition of rows into classes of at least k."""
    return {sum(size * size for size in sizes) for sizes in partitions(rows) if min(sizes) >= k}


@pytest.mark.parametrize(("rows", "k"), list(product([4, 7, 10, 13], [1, 2, 3, 4])))
def test_which_penalties_there_are(rows, k):
    top = k * rows + 3 * k + 12
    for noise in (0, 1, 2, None):
        # Noise alone costs k each, so at most seven rows of it stay below the top.
        amounts = range((top - k * rows) // k + 1) if noise is None else [noise]
        exact = set().union(*(penalties(rows + more, k) for more in amounts))
        for penalty in range(top):
            attained = paper_results.is_attainable(penalty, rows=rows, k=k, noise=noise)
            assert attained == (penalty in exact)


def test_penalties_far_above_the_least_are_not_tried():
    with pytest.raises(TooLarge, match="at most 50"):
        paper_results.is_attainable(778_626, rows=160_150, k=4, noise=0)
    assert not paper_results.is_attainable(571_227, rows=160_150, k=2, noise=0)


def least_noise_by_search(counts: tuple[int, ...], k: int, mu: Fraction) -> int:
    """Try every way to deal people into n // k classes with enough distinct values in each."""
    classes = sum(counts) // k
    theta = mu * (k * k - 1) / 12
    needed = next(d for d in range(1, 9) if Fraction((2 * d - 1) ** 2, 36) * (d > 1) >= theta)
    best = needed * classes
    for spread_over in product(*(range(min(count, classes) + 1) for count in counts)):
        best = min(best, max(needed * classes - sum(spread_over), 0))
    return best


@pytest.mark.parametrize("counts", [(4, 4, 3, 1), (6, 1, 1), (3, 3, 3, 3), (9, 2, 1, 1)])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_least_noise(counts, k):
    mu = Fraction(3, 5)
    expected = least_noise_by_search(counts, k, mu)
    assert paper_results.least_noise(counts, k=k, mu=mu) == expected


def test_cross_swaps_never_lower_the_giver():
    assert counterexamples.classes_cross_swaps_narrow(10) == ()
    for rows in range(1, 11):
        for own in partitions(rows):
            assert spread([own[0] - 1, *own[1:], 1]) >= spread(own)
