"""The net that withholds: its ends are what the coins can make of the classes, and no others."""

from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from kproof.petri.papers.theta_withheld import withheld_net
from kproof.petri.spaces.explore import explore

CLASSES = st.lists(st.lists(st.sampled_from("ABC"), min_size=2, max_size=4), min_size=1, max_size=4)


@given(CLASSES)
def test_every_subset_of_the_classes_that_pass_is_an_end(classes):
    passing = []
    for ec in classes:
        order = sorted(set(ec), key=lambda value: (-ec.count(value), value))
        weights = [Fraction(1 + order.index(value)) for value in ec]
        mean = sum(weights) / len(ec)
        # At k = 2 and mu = 1, theta is 1/4.
        passing.append(sum((weight - mean) ** 2 for weight in weights) / len(ec) >= Fraction(1, 4))
    space = explore(withheld_net(classes, k=2, mu=1, domain="ABC"))
    ends = {
        tuple(bool(ec) for ec in row)
        for end in space.dead.tolist()
        for row in space.marking(end)["PublshdData"]
    }
    assert ends == set(product(*[[False, True] if passes else [False] for passes in passing]))
