"""Block masses of dependent records never promise less delta than there is.

The oracle is brute force in rationals: e^epsilon is a rational number, the joint law a table, and
every profile a sum over its points. It shares nothing with the certified profiles.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product

import networkx as nx
import pytest
from cases import cases, error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from nights import by_day, spread

from kproof.errors import Infeasible, InvalidArgument
from kproof.theory.laws import Block, FiniteLattice, IndependentBlocks, MarkovChain, PoissonBinomial
from kproof.theory.laws.block_mass import block_mass
from kproof.theory.laws.conditional_mass import conditional_masses
from kproof.theory.laws.conditional_table import ConditionalTable
from kproof.theory.laws.fields import CONSISTENT_TABLES, MarkovField
from kproof.theory.laws.independent_sets import along_path, independent_set
from kproof.theory.laws.typed_mass import masses_in_groups, masses_on_field

FACTORS = (Fraction(1), Fraction(5, 4), Fraction(3))
"""Values of e^epsilon."""
Joint = Mapping[tuple[int, ...], Fraction]


def total(joint: Joint, *, without: Iterable[int] = ()) -> dict[int, Fraction]:
    """Return the law of the sum of the records."""
    left = set(without)
    sums: dict[int, Fraction] = {}
    for outcome, mass in joint.items():
        value = sum(x for place, x in enumerate(outcome) if place not in left)
        sums[value] = sums.get(value, Fraction(0)) + mass
    return sums


def profile(law: Mapping[int, Fraction], factor: Fraction, shift: int = 1) -> Fraction:
    """Return the larger delta of the two directions."""
    zero = Fraction(0)
    up = sum((max(zero, p - factor * law.get(x - shift, zero)) for x, p in law.items()), zero)
    down = sum((max(zero, p - factor * law.get(x + shift, zero)) for x, p in law.items()), zero)
    return max(up, down)


@cache
def of_blocks(count: int, block: int, factor: Fraction) -> Fraction:
    """Return the delta of a sum of uniform blocks."""
    law = {0: Fraction(1)}
    for _ in range(count):
        spread: dict[int, Fraction] = {}
        for value, mass in law.items():
            for more in range(block):
                spread[value + more] = spread.get(value + more, Fraction(0)) + mass / block
        law = spread
    return profile(law, factor)


def bound(masses: Mapping[Fraction, int], block: int, factor: Fraction) -> Fraction:
    """Return E D_N for a Poisson-binomial N."""
    counts = [Fraction(1)]
    for mass in (mass for mass, times in masses.items() for _ in range(times)):
        shifted = [Fraction(0), *(mass * p for p in counts)]
        counts = [
            a + b for a, b in zip([*((1 - mass) * p for p in counts), 0], shifted, strict=True)
        ]
    return sum((p * of_blocks(j, block, factor) for j, p in enumerate(counts)), Fraction(0))


def tables_of(joint: Joint, graph: nx.Graph) -> dict[int, dict[tuple[int, ...], FiniteLattice]]:
    """Return the law of each record given its neighbours, where these are possible."""
    tables = {}
    for record in graph:
        around = sorted(graph[record])
        rows: dict[tuple[int, ...], dict[int, Fraction]] = {}
        for outcome, mass in joint.items():
            row = rows.setdefault(tuple(outcome[i] for i in around), {})
            row[outcome[record]] = row.get(outcome[record], Fraction(0)) + mass
        tables[record] = {
            key: FiniteLattice({x: mass / sum(row.values()) for x, mass in row.items()})
            for key, row in rows.items()
        }
    return tables


def is_markov(joint: Joint, graph: nx.Graph) -> bool:
    """Say whether each record given all others has the law that its neighbours tell."""
    all_others, told = tables_of(joint, nx.complete_graph(len(graph))), tables_of(joint, graph)
    return all(
        law == told[record][tuple(others[i - (i > record)] for i in sorted(graph[record]))]
        for record in graph
        for others, law in all_others[record].items()
    )


def joints(records: int, parts: int) -> Iterator[dict[tuple[int, ...], Fraction]]:
    """Yield every joint law of binary records whose masses are multiples of 1/parts."""
    outcomes = list(product((0, 1), repeat=records))
    for bars in combinations(range(parts + len(outcomes) - 1), len(outcomes) - 1):
        masses = [b - a - 1 for a, b in pairwise((-1, *bars, parts + len(outcomes) - 1))]
        yield {o: Fraction(m, parts) for o, m in zip(outcomes, masses, strict=True) if m}


@cases(
    # Graphs up to their names: all laws are there, and with each law all its renamings.
    (3, 4, ["", "01", "01 12", "01 12 02"]),
    (4, 2, ["", "01 23", "01 12 23", "02 23 31", "01 12 23 03", "01 02 03"]),
)
def test_every_joint_law_of_few_coins_under_graphs_that_it_is_markov_for(records, parts, graphs):
    judged = sharp = 0
    for joint in spread(joints(records, parts), 3):
        sums = total(joint)
        exact = [profile(sums, factor) for factor in FACTORS]
        laws: list[IndependentBlocks | MarkovField] = [IndependentBlocks([joint])]
        for edges in graphs:
            graph = nx.Graph((int(i), int(j)) for i, j in edges.split())
            graph.add_nodes_from(range(records))
            if is_markov(joint, graph):
                field = MarkovField(graph, tables_of(joint, graph))
                laws.append(field)
                if field.determined:
                    assert joint_of(field) == joint
        for law in laws:
            masses = conditional_masses(law, block=2).masses
            claimed = [bound(masses, 2, factor) for factor in FACTORS]
            assert all(one <= other for one, other in zip(exact, claimed, strict=True))
            judged += 1
            sharp += exact[0] == claimed[0] < 1
    assert judged > by_day(80, at_night=250)
    assert sharp > by_day(3, at_night=10)


def joint_of(field: MarkovField) -> dict[tuple[Fraction, ...], Fraction]:
    """Return the joint law of a field from the laws of its components, records in order."""
    outcomes: list[tuple[dict[int, Fraction], Fraction]] = [({}, Fraction(1))]
    for block, indexes in field.law().members:
        outcomes = [
            (values | dict(zip(indexes, outcome, strict=True)), mass * more)
            for values, mass in outcomes
            for outcome, more in block.outcomes
        ]
    return {tuple(v for _, v in sorted(values.items())): mass for values, mass in outcomes}


def test_two_groups_of_two_under_every_law():
    for joint in joints(2, 6):
        law = IndependentBlocks([Block(joint)], counts=[2])
        both = {(*one, *other): p * q for one, p in joint.items() for other, q in joint.items()}
        masses = conditional_masses(law, block=2).masses
        for factor in FACTORS:
            assert profile(total(both), factor) <= bound(masses, 2, factor)
        # The value of the first record is known, and which it is is not said.
        masses = conditional_masses(law, block=2, known=[0]).masses
        for value in {one for one, *_ in both}:
            chance = sum(m for o, m in both.items() if o[0] == value)
            left = {o: m / chance for o, m in both.items() if o[0] == value}
            for factor in FACTORS:
                assert profile(total(left, without=[0]), factor) <= bound(masses, 2, factor)


def test_a_group_counts_with_its_sum_which_beats_every_record_given_the_rest():
    strict = [0, 0]
    for joint in joints(3, 3):
        rows = [
            (sum(joint[o] for o in joint if o[1:] == rest), law)
            for rest, law in tables_of(joint, nx.complete_graph(3))[0].items()
        ]
        masses = [(chance, block_mass(law, block=2).mass) for chance, law in rows]
        least = min(mass for _, mass in masses)
        mean = sum((chance * mass for chance, mass in masses), Fraction(0))
        of_sum = block_mass(Block(joint).sum, block=2).mass
        assert least <= mean <= of_sum
        strict[0] += least < mean
        strict[1] += mean < of_sum
    assert min(strict) > 5


def test_the_mean_over_the_neighbours_would_promise_too_much_in_a_field():
    # Three records are fair coins if X0 = 0, and 1 otherwise: the mean of each mass is 1/2.
    joint = {(0, *coins): Fraction(1, 16) for coins in product((0, 1), repeat=3)}
    joint[1, 1, 1, 1] = Fraction(1, 2)
    star = nx.star_graph(3)
    assert is_markov(joint, star)
    field = MarkovField(star, tables_of(joint, star))
    exact = profile(total(joint), Fraction(3))
    assert bound({Fraction(1, 2): 3}, 2, Fraction(3)) < exact
    assert exact <= bound(conditional_masses(field, block=2).masses, 2, Fraction(3))


@pytest.mark.parametrize("factor", FACTORS)
def test_the_set_that_is_worth_most_is_taken(factor):
    # In turn, a record that is a block or nearly one, and one that is half a block.
    tied = [["1/2", "1/2", "0"], ["1/4", "1/2", "1/4"], ["0", "1/2", "1/2"]]
    chain = MarkovChain(["1/3", "1/3", "1/3"], tied, [0, 1, 2], 6)
    worths = []

    def worth(masses: Mapping[Fraction, int]) -> Fraction:
        worths.append(bound(masses, 2, factor))
        return worths[-1]

    assert bound(conditional_masses(chain, block=2, worth=worth).masses, 2, factor) == min(worths)


def test_xor_refutes_the_field_that_is_read_off_a_dependency_graph():
    joint = {(a, b, a ^ b): Fraction(1, 4) for a in (0, 1) for b in (0, 1)}
    path = nx.Graph([(0, 2), (1, 2)])
    # Sets without an edge between them are independent: {0} and {1}. It is a dependency graph.
    assert IndependentBlocks([joint]).admits(path)
    assert profile(total(joint), Fraction(1)) == 1
    # Given its neighbour in that graph, records 0 and 1 are fair coins: two whole blocks.
    false = masses_on_field(path, mass=1, block=2)
    assert false.records == (0, 1)
    assert bound(false.masses, 2, Fraction(1)) == Fraction(1, 2) < 1
    assert "Markov random field" in false.owed
    # With its tables the claim is refused; on the graph that the law is Markov for nothing counts.
    assert not is_markov(joint, path)
    with pytest.raises(Infeasible, match="no joint law has them all"):
        MarkovField(path, tables_of(joint, path))
    whole = nx.complete_graph(3)
    assert conditional_masses(MarkovField(whole, tables_of(joint, whole)), block=2).masses == {}


@pytest.mark.parametrize("edges", [[(0, 1)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]])
def test_odds_along_edges_decide_what_brooks_product_decides(edges):
    graph = nx.Graph(edges)
    chances = (Fraction(1, 3), Fraction(1, 2), Fraction(2, 3))
    found = {True: 0, False: 0}
    rows = {record: list(product((0, 1), repeat=len(graph[record]))) for record in graph}
    # All tables of a pair; of three records those in which one row of each table is changed.
    free = [
        (record, row) for record in graph for row in rows[record][: 2 if len(graph) == 2 else 1]
    ]
    for drawn in product(chances, repeat=len(free)):
        changed = dict(zip(free, drawn, strict=True))
        tables = {
            record: {
                row: {1: (p := changed.get((record, row), Fraction(1, 2))), 0: 1 - p}
                for row in rows[record]
            }
            for record in graph
        }
        try:
            closed = bool(MarkovField(graph, tables).records)
        except Infeasible:
            closed = False
        assert closed == has_joint_law(graph, tables)
        found[closed] += 1
    assert all(found.values())


def has_joint_law(graph, tables):
    """Say whether a positive joint law has these tables: Brook's product, then its conditionals."""
    n = len(graph)
    around = {record: sorted(graph[record]) for record in graph}
    masses = {}
    for outcome in product((0, 1), repeat=n):
        mass = Fraction(1)
        for record in range(n):
            mixed = [*outcome[:record], *[0] * (n - record)]
            row = tables[record][tuple(mixed[i] for i in around[record])]
            mass *= row[outcome[record]] / row[0]
        masses[outcome] = mass
    return all(
        mass * tables[i][tuple(o[j] for j in around[i])][1 - o[i]]
        == masses[(*o[:i], 1 - o[i], *o[i + 1 :])] * tables[i][tuple(o[j] for j in around[i])][o[i]]
        for o, mass in masses.items()
        for i in range(n)
    )


WEIGHTS = st.integers(1, 5)


@st.composite
def fields(draw: st.DrawFn) -> tuple[nx.Graph, Joint]:
    """Draw a graph and a joint law that is a product over its edges and records."""
    n = draw(st.integers(2, 5))
    graph = nx.Graph(draw(st.lists(st.sampled_from(list(combinations(range(n), 2))), unique=True)))
    graph.add_nodes_from(range(n))
    sizes = [draw(st.integers(1, 3)) for _ in range(n)]
    alone = [[draw(WEIGHTS) for _ in range(size)] for size in sizes]
    # A weight of 0 forbids a pair of values; two zeros for two records never forbid all.
    tied = {
        (i, j): [
            [draw(st.integers(0 if x + y else 1, 5)) for y in range(sizes[j])]
            for x in range(sizes[i])
        ]
        for i, j in (sorted(edge) for edge in graph.edges)
    }
    weights = {}
    for outcome in product(*map(range, sizes)):
        weight = 1
        for i, x in enumerate(outcome):
            weight *= alone[i][x]
        for (i, j), pair in tied.items():
            weight *= pair[outcome[i]][outcome[j]]
        if weight:
            weights[outcome] = weight
    whole = sum(weights.values())
    return graph, {outcome: Fraction(w, whole) for outcome, w in weights.items()}


@settings(max_examples=60, deadline=None)
@given(fields(), st.data())
def test_drawn_fields(drawn, data):
    graph, joint = drawn
    field = MarkovField(graph, tables_of(joint, graph))
    assert field.owed == ()
    if field.determined:
        assert joint_of(field) == joint
    block = data.draw(st.integers(2, 3))
    known = data.draw(st.sets(st.sampled_from(range(len(graph))), max_size=len(graph) - 1))
    told = data.draw(st.sampled_from(sorted(joint)))
    values = {i: told[i] for i in known}
    chance = sum(m for o, m in joint.items() if all(o[i] == x for i, x in values.items()))
    left = {o: m / chance for o, m in joint.items() if all(o[i] == x for i, x in values.items())}
    for told_of in (known, values):
        found = conditional_masses(field, block=block, known=told_of)
        assert not known & set(found.records)
        for factor in FACTORS:
            assert profile(total(left, without=known), factor) <= bound(found.masses, block, factor)


@st.composite
def rows(draw: st.DrawFn, size: int) -> list[Fraction]:
    """Draw a row of probabilities, perhaps with zeros."""
    weights = draw(
        st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(lambda row: sum(row) > 0)
    )
    return [Fraction(weight, sum(weights)) for weight in weights]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_drawn_chains(data):
    states = data.draw(st.integers(2, 3))
    n = data.draw(st.integers(1, 5))
    first = data.draw(rows(states))
    steps = [data.draw(rows(states)) for _ in range(states)]
    values = data.draw(st.lists(st.integers(0, 2), min_size=states, max_size=states))
    law = MarkovChain(first, steps, values, n)
    joint: dict[tuple[int, ...], Fraction] = {}
    for path in product(range(states), repeat=n):
        mass = first[path[0]]
        for one, other in pairwise(path):
            mass *= steps[one][other]
        if mass:
            seen = tuple(values[state] for state in path)
            joint[seen] = joint.get(seen, Fraction(0)) + mass
    known = data.draw(st.sets(st.sampled_from(range(n)), max_size=n - 1))
    told = data.draw(st.sampled_from(sorted(joint)))
    fixed = {i: told[i] for i in known}
    chance = sum(m for o, m in joint.items() if all(o[i] == x for i, x in fixed.items()))
    left = {o: m / chance for o, m in joint.items() if all(o[i] == x for i, x in fixed.items())}
    for block, one in product((2, 3), (known, fixed)):
        masses = conditional_masses(law, block=block, known=one).masses
        for factor in FACTORS:
            assert profile(total(left, without=known), factor) <= bound(masses, block, factor)


def test_a_chain_that_forgets_counts_every_record():
    row = ["1/5", "3/10", "1/2"]
    chain = MarkovChain(row, [row] * 3, [0, 1, 2], 50)
    alone = conditional_masses(PoissonBinomial(["1/2"] * 50), block=2)
    assert len(conditional_masses(chain, block=2).records) == len(alone.records) == 50


def test_a_long_chain_and_a_large_lattice():
    chain = MarkovChain(["1/2", "1/2"], [["2/3", "1/3"], ["1/3", "2/3"]], [0, 1], 10_001)
    assert len(conditional_masses(chain, block=2).records) == 5_001
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(30, 30), ordering="sorted")

    def field(chance: Callable[[int, int], Fraction]) -> MarkovField:
        """Return the field with this chance of 1 given how many of the neighbours are 1."""
        tables = {
            degree: ConditionalTable(
                {
                    row: {1: (p := chance(sum(row), degree)), 0: 1 - p}
                    for row in product((0, 1), repeat=degree)
                }
            )
            for degree in (2, 3, 4)
        }
        return MarkovField(grid, {record: tables[len(grid[record])] for record in grid})

    with pytest.raises(Infeasible, match="need the same odds ratios"):
        field(lambda ones, degree: Fraction(1 + 2 * ones, 2 + 2 * degree))
    # Odds of 2 for each neighbour that agrees, against those that do not.
    ties = field(lambda ones, degree: Fraction(2**ones, 2**ones + 2 ** (degree - ones)))
    assert (ties.positive, ties.determined, ties.owed) == (True, True, ())
    found = conditional_masses(ties, block=2)
    assert len(found.records) == 450
    assert not any(grid.has_edge(i, j) for i, j in combinations(found.records, 2))
    assert min(found.masses) == Fraction(2, 17)


def test_tables_too_many_to_list_are_owed():
    # Of two neighbours at most one is 1: some probabilities are 0.
    path = nx.path_graph(15)
    alone = {0: "1/2", 1: "1/2"}
    tables = {
        i: {row: alone if not sum(row) else {0: 1} for row in product((0, 1), repeat=len(path[i]))}
        for i in path
    }
    field = MarkovField(path, tables)
    assert field.owed == conditional_masses(field, block=2).owed == (CONSISTENT_TABLES,)
    assert conditional_masses(field, block=2).masses == {}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_sets_are_independent_and_heaviest_where_that_is_said(data):
    n = data.draw(st.integers(1, 9))
    pairs = list(combinations(range(n), 2))
    edges = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    graph = nx.Graph(edges)
    graph.add_nodes_from(range(n))
    weights = {node: data.draw(st.integers(0, 5)) for node in graph}
    found = independent_set(graph, weights)
    best = max(
        sum(weights[node] for node in chosen)
        for size in range(n + 1)
        for chosen in combinations(range(n), size)
        if not any(graph.has_edge(i, j) for i, j in combinations(chosen, 2))
    )
    assert not any(graph.has_edge(i, j) for i, j in combinations(found, 2))
    assert sum(weights[node] for node in found) == best
    joined = [data.draw(st.booleans()) for _ in range(n - 1)]
    path = nx.Graph([(i, i + 1) for i, on in enumerate(joined) if on])
    path.add_nodes_from(range(n))
    chosen = along_path([weights[i] for i in range(n)], joined)
    assert not any(path.has_edge(i, j) for i, j in combinations(chosen, 2))
    assert sum(weights[i] for i in chosen) == sum(
        weights[i] for i in independent_set(path, weights)
    )


FAIR = {0: "1/2", 1: "1/2"}


@cases(
    (lambda: ConditionalTable({}), "rows = {}: need at least one"),
    (
        lambda: MarkovField(nx.path_graph(2), {0: {(0,): FAIR, (1,): {0: 1}}, 1: {(): FAIR}}),
        "tables[1] = 'rows for 0 neighbours': need rows for its 1 neighbours in the graph (0)",
    ),
    (
        lambda: MarkovField(nx.path_graph(2), {0: {(0,): {0: "1/3", 1: "1/3"}}, 1: {}}),
        "tables[0]: sum of rows[0] = 2/3: need exactly 1",
    ),
    (
        lambda: MarkovField(nx.Graph([(1, 2)]), {1: {(0,): FAIR}, 2: {(0,): FAIR}}),
        "field node = 2: need the 2 records 0 to 1 as nodes",
    ),
    (
        lambda: MarkovField(nx.DiGraph([(0, 1)]), {}),
        "field = DiGraph with 2 nodes and 1 edges: need an undirected, simple networkx.Graph",
    ),
    (
        lambda: MarkovField(nx.path_graph(2), {0: {(0,): FAIR}}),
        "tables = 'record 1': need a table for each node of the graph, 0 to 1, and for no other",
    ),
    (
        lambda: MarkovField(nx.path_graph(2), {i: {(0,): FAIR, (2,): FAIR} for i in (0, 1)}),
        "tables[0][2] = 2: need values that record 1 can have",
    ),
    (lambda: masses_on_field(nx.path_graph(3), mass=0, block=2), "mass = 0: need 0 < mass <= 1"),
    (
        lambda: masses_in_groups([[0, 3]], n=3, mass=1, block=2),
        "groups = 3: need indexes of the 3 records",
    ),
    (
        lambda: conditional_masses(PoissonBinomial(["1/2"]), block=2, known=[1]),
        "known = 1: need indexes of the 1 records",
    ),
    (
        lambda: conditional_masses(FiniteLattice({0: 1}), block=2),  # type: ignore[arg-type]
        "law = FiniteLattice(only 0): need independent records, independent groups, a Markov "
        "chain or a Markov field",
    ),
)
def test_one_line_for_what_is_refused(call, message):
    assert error_line(InvalidArgument, call) == message
