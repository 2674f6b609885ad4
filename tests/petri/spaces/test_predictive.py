"""What whoever knows a net believes, beside every run of every table and the exact sums."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import factorial, prod

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from kproof.errors import DataError, InvalidArgument
from kproof.models.attacks.knowing.beliefs import method_beliefs
from kproof.models.tables.theta.moves import Threshold
from kproof.petri.net.firing import firings
from kproof.petri.net.marking import Marking
from kproof.petri.net.net import Net
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.papers.theta_withheld import withheld_net
from kproof.petri.spaces.explore import explore
from kproof.petri.spaces.predictive import predict, predict_row
from kproof.petri.spaces.space import Budget
from kproof.petri.spaces.stages import Staged, forget

STAGED = {"MMT": Staged(0, 1), "PublshdData": Staged(None, None), "Infeasible": Staged(0, 1)}
Tables = dict[Marking, Fraction]


def tables_of(sizes: tuple[int, ...], values: int, k: int, mu: Fraction) -> tuple[Net, Tables]:
    """The θ-sensitive net over some values, and every table of some sizes with its prior: values
    are independent and even."""
    prior: Tables = {}
    for classes in product(*(combinations_with_replacement(range(values), n) for n in sizes)):
        net = theta_publisher(classes, k=k, mu=mu, domain=range(values)).net()
        ways = prod(
            factorial(len(ec)) // prod(map(factorial, Counter(ec).values())) for ec in classes
        )
        prior[net.initial] = Fraction(ways, values ** sum(sizes))
    return net, prior


def ends_of(net: Net, marking: Marking) -> Iterator[tuple[Marking, Fraction]]:
    """Every run from a marking, one after another, with its probability."""
    following = [after for _, after in firings(net, marking)]
    if not following:
        yield marking, Fraction(1)
    for after in following:
        for end, share in ends_of(net, after):
            yield end, share / len(following)


def first_class(table: Marking) -> object:
    """The values of the first class."""
    ((token, _),) = table["MMT"].items()
    return token[1][0]


@cases(((2,), 3, 2, "1/2"), ((2, 2), 3, 2, "1/2"), ((3, 3), 3, 3, "3/5"), ((2, 3, 2), 2, 2, "3/5"))
def test_every_run_of_every_table(sizes, values, k, mu):
    net, prior = tables_of(sizes, values, k, Fraction(mu))
    joint: dict[Marking, dict[Marking, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for table, share in prior.items():
        for end, chance in ends_of(net, table):
            joint[end][table] += share * chance
    space, staged = explore(net, initial=prior), forget(net, STAGED, initial=prior)
    assert staged.space.states <= space.states
    for end, weights in joint.items():
        believed = predict(space, prior, lambda marking, end=end: marking == end)
        assert believed.probability == sum(weights.values())
        assert believed.posterior == {t: w / believed.probability for t, w in weights.items()}
        if end["Infeasible"]:
            continue
        ((row, _),) = end["PublshdData"].items()
        assert predict_row(staged, prior, row) == believed
        # The sums over what each class may have held agree on the people of every class.
        threshold = Threshold(Fraction(mu), k)
        shares = [Fraction(1, values)] * values
        published = [dict(ec) for ec in row]
        beliefs = method_beliefs(published, threshold=threshold, shares=shares, people=sizes)
        assert beliefs.probability == believed.probability


def test_somebody_is_certain_for_a_third_of_the_tables_of_two_rows():
    """One class, k = 2, three values, μ = 1/2: what is published makes a table of equal rows."""
    net, prior = tables_of((2,), 3, 2, Fraction(1, 2))
    space = explore(net, initial=prior)
    certain = Fraction(0)
    for end in space.dead.tolist():
        believed = predict(space, prior, lambda marking, end=end: space.find(marking) == end)
        if any(len(dict(first_class(table))) == 1 for table in believed.posterior):
            assert len(believed.posterior) == 1
            certain += believed.probability
    assert certain == Fraction(1, 3)


@given(st.data())
def test_no_rule_for_choices_leads_out_of_the_ranges(data):
    net, prior = tables_of((2, 2), 3, 2, Fraction(3, 5))
    space = explore(net, initial=prior)
    seen: dict[Marking, dict[object, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for table, share in prior.items():
        marking = table
        while following := [after for _, after in firings(net, marking)]:
            marking = data.draw(st.sampled_from(following))
        seen[marking][first_class(table)] += share
    for end, weights in seen.items():
        believed = predict(space, prior, lambda marking, end=end: marking == end)
        ranges = believed.ranges(first_class)
        assert weights.keys() <= ranges.keys() == believed.of(first_class).keys()
        for held, (low, high) in ranges.items():
            assert low <= weights[held] / sum(weights.values()) <= high
            assert low <= believed.of(first_class)[held] <= high


def test_what_is_withheld_tells_her_no_more_than_the_coin_does():
    """theta-withheld: an odd of 1/ρ at most, here with a coin of one half."""
    tables = list(product(range(3), repeat=2))
    nets = {table: withheld_net([table], k=2, mu="1/2", domain=range(3)) for table in tables}
    prior: Tables = defaultdict(Fraction)
    for net in nets.values():
        prior[net.initial] += Fraction(1, 9)
    hidden = predict(explore(net, initial=prior), prior, lambda end: ((),) in end["PublshdData"])
    held = hidden.of(lambda table: next(iter(table["MMT"]))[1])
    assert max(
        held[values] / prior_of for values, prior_of in _by_values(prior).items()
    ) == Fraction(3, 2)
    assert hidden.ranges(lambda table: len(dict(next(iter(table["MMT"]))[1][0])))[1][1] == 1


def _by_values(prior: Tables) -> dict[object, Fraction]:
    return {next(iter(table["MMT"]))[1]: share for table, share in prior.items()}


def test_what_cannot_be_judged_is_refused():
    net, prior = tables_of((2,), 3, 2, Fraction(1, 2))
    space = explore(net, initial=prior)
    with pytest.raises(DataError, match="no run ends in what was seen"):
        predict(space, prior, lambda marking: False)
    with pytest.raises(InvalidArgument, match="a share for each of the 6 initial markings"):
        predict(space, {net.initial: 1}, lambda marking: True)
    part = explore(net, initial=prior, budget=Budget(states=7))
    with pytest.raises(InvalidArgument, match="all states were explored"):
        predict(part, prior, lambda marking: True)
    staged = forget(net, STAGED, initial=prior)
    with pytest.raises(InvalidArgument, match="row = '2 items': need 1 items"):
        predict_row(staged, prior, ((), ()))
    longer = theta_publisher([[0, 1]] * 2, k=2, mu="1/2", domain=range(3)).net().initial
    with pytest.raises(InvalidArgument, match="rows of one length"):
        forget(net, STAGED, initial=[net.initial, longer])
