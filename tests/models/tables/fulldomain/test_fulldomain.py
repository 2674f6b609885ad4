"""Full-domain recoding against every choice of levels, tried by the definition."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from cases import error_line
from hypothesis import given, settings
from hypothesis import strategies as st
from lattice_oracles import every_choice
from public_data import data_file
from tables import data_frame

import kproof
from kproof.errors import DataError, Infeasible, InvalidArgument, TooLarge
from kproof.models import privacy
from kproof.models.attacks import BackgroundKnowledge, attack
from kproof.models.attacks.covering import encode_labels
from kproof.models.base.missing import MISSING
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.tables.coverage import coverage, penalties
from kproof.models.tables.fulldomain.kernel import explore
from kproof.models.tables.fulldomain.lattice import LevelLattice, Measure
from kproof.models.tables.fulldomain.method import full_domain, solution_space
from kproof.models.tables.fulldomain.search import NodeState
from kproof.models.tables.table import Table
from kproof.models.tables.utility import utility

ZIP = {str(code): (str(code), f"{code // 2}*", f"{code // 4}**", "*") for code in range(8)}
JOB = {
    "cook": ("cook", "service", "*"),
    "maid": ("maid", "service", "*"),
    "smith": ("smith", "craft", "*"),
    "judge": ("judge", "judge", "*"),
}
SEX = {"f": ("f", "*"), "m": ("m", "*")}
NAMES, TREES = ("zip", "job", "sex"), [ZIP, JOB, SEX]
CELLS = st.tuples(
    st.sampled_from([*ZIP, MISSING]), st.sampled_from([*JOB, MISSING]), st.sampled_from([*SEX])
)
# A column has a value that is there.
FIRST = (("0", "cook", "f"), "a")
ROWS = st.lists(st.tuples(CELLS, st.sampled_from("abc")), min_size=3, max_size=13).map(
    lambda rows: [FIRST, *rows]
)
FURTHER = st.sampled_from(
    [
        (),
        (privacy.DistinctL(2),),
        (privacy.EntropyL("3/2"),),
        (privacy.RecursiveCL(2, 2),),
        (privacy.AlphaK("2/3", 2),),
        (privacy.PSensitive(2, 3),),
        (privacy.ThetaSensitivity(2, "3/4"),),
        (privacy.TCloseness("1/3"),),
        (privacy.TCloseness("1/4"), privacy.DistinctL(2)),
    ]
)


def table_of(rows, **more):
    frame = pd.DataFrame([row for row, _ in rows], columns=NAMES).replace({MISSING: None})
    frame["disease"] = [one for _, one in rows]
    trees = {
        name: Taxonomy.from_paths(tree.values()) for name, tree in zip(NAMES, TREES, strict=True)
    }
    roles = {"quasi_identifiers": NAMES, "sensitive": "disease", "taxonomies": trees}
    return Table.from_frame(frame, **roles, missing_as="value", **more)


@given(ROWS, st.integers(2, 3), FURTHER, st.sampled_from(["0", "20%", "1/2", "1"]))
def test_the_optimum_is_that_of_every_choice(rows, k, further, share):
    table = table_of(rows)
    models = [privacy.KAnonymity(k), *further]
    plain = every_choice([row for row, _ in rows], TREES, [one for _, one in rows], models)
    pruned = solution_space(table, k=k, models=further, suppress=share)
    whole = solution_space(table, k=k, models=further, suppress=share, complete=True)
    budget = pruned.judge.budget
    feasible = [one for one in plain if one.suppressed <= budget and one.smallest]
    least = min(feasible, key=lambda one: (one.loss, one.suppressed, one.levels), default=None)
    optimum = None if least is None else dict(zip(NAMES, least.levels, strict=True))
    for space in (pruned, whole):
        assert (space.best and space.best.levels) == optimum
    for one in plain:
        levels = dict(zip(NAMES, one.levels, strict=True))
        judged, told = whole.at(levels), pruned.at(levels)
        assert (judged.suppressed, judged.loss) == (one.suppressed, pytest.approx(float(one.loss)))
        assert judged.risk == (None if not one.smallest else 1 / np.int64(one.smallest)) or (
            judged.risk.denominator == one.smallest
        )
        # Whatever was not judged is told truly: a bound, and a reason.
        assert told.loss <= float(one.loss) + 1e-9
        within = one in feasible
        if told.state in (NodeState.FAILS, NodeState.RULED_OUT):
            assert not within
        elif told.state is NodeState.COSTLY:
            assert one.loss >= least.loss
        else:
            assert within
    if least is None:
        with pytest.raises(Infeasible, match=r"comes nearest|every row"):
            pruned.release()
        return
    release = pruned.release()
    assert tuple(release.group_of >= 0) == least.kept
    costs = utility(release, queries=0)
    assert costs.penalty == pytest.approx(float(least.loss), abs=1e-12)
    assert costs.suppressed == least.suppressed
    # A class is what its labels show: nothing of a group is finer or coarser than its labels.
    assert release.groups == release.count
    for column in release.recoded:
        tree = TREES[NAMES.index(column.column.name)]
        for group in range(release.count):
            row = rows[int(np.flatnonzero(release.group_of == group)[0])][0]
            value = row[NAMES.index(column.column.name)]
            level = optimum[column.column.name]
            label = column.label(group)
            top = len(next(iter(tree.values()))) - 1
            shown = ("*" if level == top else "?") if value is MISSING else tree[value][level]
            assert label == shown
            assert column.covers(value)[group]


@st.composite
def bounds(draw):
    """The least and the highest level of each column."""
    tops = [len(next(iter(tree.values()))) - 1 for tree in TREES]
    least = [draw(st.integers(0, top)) for top in tops]
    return least, [draw(st.integers(low, top)) for low, top in zip(least, tops, strict=True)]


@given(ROWS, FURTHER, st.sampled_from(["0", "20%", "1/2"]), bounds())
def test_only_levels_between_the_least_and_the_highest_are_searched(rows, further, share, levels):
    least, most = levels
    ends = (dict(zip(NAMES, levels, strict=True)) for levels in (least, most))
    table = table_of(rows, **dict(zip(("least_levels", "most_levels"), ends, strict=True)))
    models = [privacy.KAnonymity(2), *further]
    plain = every_choice([row for row, _ in rows], TREES, [one for _, one in rows], models)
    spans = [range(low, top + 1) for low, top in zip(least, most, strict=True)]
    within = [one for one in plain if one.levels in {*product(*spans)}]
    space = solution_space(table, k=2, models=further, suppress=share)
    assert len(space) == len(within)
    feasible = [one for one in within if one.suppressed <= space.judge.budget and one.smallest]
    best = min(feasible, key=lambda one: (one.loss, one.suppressed, one.levels), default=None)
    optimum = None if best is None else dict(zip(NAMES, best.levels, strict=True))
    assert (space.best and space.best.levels) == optimum
    if best is not None:
        # What is published is what the highest levels admit, judged apart from the search.
        release = kproof.anonymize("full-domain", table, k=2, models=list(further), suppress=share)
        assert release.levels == optimum


def test_a_higher_level_is_named_where_it_would_help():
    rows = [((code, "cook", "f"), "a") for code in "001"]
    table = table_of(rows, most_levels={"zip": 0, "sex": 1})
    with pytest.raises(Infeasible, match=r"suppress=33.34%, higher levels than zip=0 or ask"):
        full_domain(table, k=2)
    with pytest.raises(InvalidArgument, match="levels = zip=1: need a level of column zip, 0 to 0"):
        full_domain(table, k=2, levels="zip=1")


def test_a_column_without_a_hierarchy_is_the_value_or_the_root():
    frame = data_frame(
        zip=[*"00112233"], sex=[*"ffmmffm", None], kg=[60, 60.5, 60, 60.5, 70, 70, 80, 80]
    )
    asked = {"quasi_identifiers": ["zip", "sex", "kg"]}
    trees = {"zip": Taxonomy.from_paths(ZIP.values())}
    release = kproof.anonymize("full-domain", frame, k=2, taxonomies=trees, **asked)
    told = {name: Taxonomy.from_paths(paths) for name, paths in {
        "zip": ZIP.values(),
        "sex": [("f", "*"), ("m", "*")],
        "kg": [(60.0, "*"), (60.5, "*"), (70.0, "*"), (80.0, "*")],
    }.items()}  # fmt: skip
    by_hand = kproof.anonymize("full-domain", frame, k=2, taxonomies=told, **asked)
    assert release.levels == by_hand.levels == {"zip": 1, "sex": 1, "kg": 0}
    assert release.to_frame().equals(by_hand.to_frame())
    assert "sex by flat (the value or *), kg by flat (the value or *)" in release.summary()
    assert release.table.quasi_identifiers[0].taxonomy is trees["zip"]


@given(ROWS, st.sampled_from(["0", "1/4"]), st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=12)
def test_weights_and_heights_are_those_asked_for(rows, share, zip_weight, sex_weight):
    table = table_of(rows)
    weight = {"zip": zip_weight, "sex": sex_weight}
    for measure in Measure:
        space = solution_space(
            table, k=2, suppress=share, weight=weight, measure=measure, complete=True
        )
        if space.best is None:
            continue
        release = space.release()
        costs = utility(release, queries=0).penalties
        if measure is Measure.HEIGHT:
            lost = len(release.suppressed) / table.rows
            tops = {"zip": 3, "job": 2, "sex": 1}
            costs = {
                name: lost + (1 - lost) * level / tops[name]
                for name, level in release.levels.items()
            }
        whole = zip_weight + 1 + sex_weight
        own = {"zip": zip_weight, "job": 1, "sex": sex_weight}
        expected = sum(costs[name] * own[name] for name in NAMES) / whole
        assert space.best.loss == pytest.approx(expected)
        assert space.best.loss <= min(one.loss for one in space if one.state is NodeState.MEETS) * (
            1 + 1e-9
        )


@given(ROWS)
@settings(max_examples=10)
def test_the_compiled_kernel_finds_what_the_plain_one_does(rows):
    lattice = LevelLattice.of(table_of(rows))
    begins, up, cost = lattice.layout
    sizes = np.array(lattice.sizes, dtype=np.int64)
    fixed = (lattice.records, lattice.rows, sizes, begins, up, cost)
    for distinct in (lattice.distinct, np.full_like(lattice.distinct, 1 << 40)):
        # Where keys no longer fit, records are compared instead.
        asked = (*fixed, distinct, lattice.plain, 2, 3, np.inf, True)
        for one, other in zip(explore.fast(*asked), _quiet(asked), strict=True):
            assert (one == other).all()
    assert (_quiet((*fixed, lattice.distinct, *asked[7:]))[0] == _quiet(asked)[0]).all()


def _quiet(asked):
    with np.errstate(over="ignore"):
        return explore.plain(*asked)


def test_levels_that_are_fixed_are_applied():
    table = table_of([((str(code), "cook", "f"), "abc"[code % 3]) for code in range(8)])
    release = full_domain(table, k=2, levels="zip=1,job=0,sex=0")
    assert release.levels == {"zip": 1, "job": 0, "sex": 0}
    assert release.label(0) == "zip=0*, job=cook, sex=f"
    assert release.to_dict()["levels"] == release.levels
    assert "levels: zip=1, job=0, sex=0" in release.summary()
    assert full_domain(table, k=2, levels={"zip": 2}).levels == {"zip": 2, "job": 0, "sex": 0}


def test_labels_lead_to_coverage_penalties_and_attacks_as_those_of_any_release():
    rows = [((str(code), "judge", "f"), "ab"[code % 2]) for code in range(8)]
    rows += [((MISSING, "judge", "m"), "a"), ((MISSING, "judge", "m"), "b")]
    release = full_domain(table_of(rows), k=2, levels="zip=1,job=1,sex=0")
    [column] = [one for one in release.recoded if one.column.name == "zip"]
    labels = [column.label(index) for index in range(release.count)]
    assert labels == ["0*", "1*", "2*", "3*", "?"]
    assert penalties(column).tolist() == [2 / 9] * 4 + [0]
    assert coverage(column).counts.tolist() == [2, 2, 2, 2, 1]
    assert release.covering({"zip": MISSING}).tolist() == [4]
    assert release.covering({"zip": "5"}).tolist() == [2]
    assert encode_labels(column) is not None


def test_what_cannot_be_is_told_in_one_line():
    table = table_of([((str(code), "cook", "fm"[code % 2]), "a") for code in range(8)])
    asked = {"k": 2, "models": [privacy.DistinctL(2)], "suppress": "50%"}
    assert error_line(Infeasible, full_domain, table, **asked) == (
        "no levels satisfy k-anonymity(k=2), l-diversity(l=2): wherever one looks, every row is "
        "left out"
    )
    for asked, words in [
        ({"suppress": "105%"}, "suppress = 105%: need 0 to 1, or 0% to 100%"),
        ({"suppress": 5}, "suppress = 5: need 0 to 1"),
        ({"levels": {"town": 1}}, "levels = town: need one of zip, job, sex"),
        ({"levels": "zip=4"}, "levels = zip=4: need a level of column zip, 0 to 3"),
        ({"levels": "zip=one"}, "levels = zip=one: need a whole number"),
        ({"weight": "zip=0"}, "weight = zip=0: need weight > 0"),
        ({"models": ["k"]}, r"models = \['k'\]: need a list of models"),
        ({"measure": "entropy"}, "measure = entropy: need penalty or height"),
    ]:
        with pytest.raises(InvalidArgument, match=words):
            full_domain(table, k=2, **asked)
    frame = pd.DataFrame({"town": ["Ulm", "*"]})
    with pytest.raises(DataError, match=r"column town: the value \* looks like the highest level"):
        full_domain(Table.from_frame(frame, quasi_identifiers=["town"]), k=2)
    roles = {"quasi_identifiers": ["zip"], "taxonomies": {"zip": Taxonomy.from_paths(ZIP.values())}}
    bare = Table.from_frame(pd.DataFrame({"zip": [*"0011"]}), **roles)
    with pytest.raises(DataError, match="needs a sensitive attribute"):
        full_domain(bare, k=2, models=[privacy.DistinctL(2)])


def test_a_lattice_of_a_thousand_million_nodes_is_refused():
    chain = Taxonomy.from_paths([("a", *(f"level {step}" for step in range(1, 7)), "*")])
    names = [f"c{number}" for number in range(10)]
    frame = pd.DataFrame({name: ["a", "a"] for name in names})
    table = Table.from_frame(frame, quasi_identifiers=names, taxonomies=dict.fromkeys(names, chain))
    with pytest.raises(TooLarge, match="1,073,741,824 nodes, and at most 5,000,000"):
        full_domain(table, k=2)
    fixed = dict.fromkeys(names[:8], 0)
    assert full_domain(table, k=2, levels=fixed).levels == dict.fromkeys(names, 0)


def test_adult_has_the_optimum_that_every_node_gives():
    """30,162 rows, 8 hierarchies, k = 5, 5 % left out: 6,480 nodes."""
    heads = (
        "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,"
        "sex,capital-gain,capital-loss,hours-per-week,native-country,salary-class"
    )
    used = [
        "age",
        "education",
        "marital-status",
        "native-country",
        "occupation",
        "race",
        "sex",
        "workclass",
    ]
    frame = pd.read_csv(
        data_file("adult.data"), names=heads.split(","), skipinitialspace=True, na_values="?"
    )
    frame = frame.dropna()[[*used, "salary-class"]]
    trees = {name: Taxonomy.from_csv(data_file(f"adult_hierarchies/{name}.csv")) for name in used}
    table = Table.from_frame(
        frame, quasi_identifiers=used, sensitive="salary-class", taxonomies=trees
    )
    space = solution_space(table, k=5, suppress="5%")
    assert (table.rows, len(space)) == (30162, 6480)
    assert space.best.levels == {
        "age": 3, "education": 2, "marital-status": 1, "native-country": 1,
        "occupation": 1, "race": 0, "sex": 0, "workclass": 1,
    }  # fmt: skip
    costs = utility(space.release(), queries=0)
    assert costs.penalty == pytest.approx(space.best.loss, abs=1e-12)
    assert solution_space(table, k=5, suppress="5%", complete=True).best == space.best


def test_attacks_see_the_labels_that_are_published():
    """Where the lowest label of each class is the node of the level, attacks find the same."""
    rows = [((str(code), job, "f"), "ab"[(code > 3) == (job == "cook")])
            for code in range(8) for job in ("cook", "maid")]  # fmt: skip
    release = full_domain(table_of(rows), k=2, levels="zip=2,job=1,sex=0")
    lowest = replace(release, levels=None)
    for name in ("homogeneity", "linkage"):
        for matching in ("class", "cover"):
            one, other = (
                attack(name, made, background=BackgroundKnowledge(matching=matching)).to_dict()
                for made in (release, lowest)
            )
            assert one == other
    # A class of one value shows more than its value, and a reader who knows another fits it too.
    single = full_domain(table_of(rows[:2] * 2), k=2, levels="zip=1,job=0,sex=0")
    assert single.covering({"zip": "1"}).tolist() == [0, 1]
    assert replace(single, levels=None).covering({"zip": "1"}).tolist() == []


def test_people_with_several_rows_count_once_and_every_sensitive_column_is_judged():
    who = ["ann", "ann", "bob", "cem", "dia", "eve"]
    frame = data_frame(zip=[*"001455"], who=who, ill=[*"abcabb"], pay=[*"xxxxyx"])
    trees = {"zip": Taxonomy.from_paths(ZIP.values())}
    asked = {"quasi_identifiers": ["zip"], "taxonomies": trees, "person": "who"}
    # Two rows at zip 0 are one person's.
    assert kproof.anonymize("full-domain", frame, k=2, **asked).levels == {"zip": 1}
    rows = {**asked, "person": None, "other": ["who", "ill", "pay"]}
    assert kproof.anonymize("full-domain", frame[:2], k=2, **rows).levels == {"zip": 0}
    both = {**asked, "person": None, "identifiers": ["who"], "sensitive": ["ill", "pay"]}
    release = kproof.anonymize("full-domain", frame, k=2, models=[privacy.DistinctL(2)], **both)
    # Of the first three rows all have the same pay, below the root.
    assert release.levels == {"zip": 3}
    one = {**both, "sensitive": "ill", "other": ["pay"]}
    assert kproof.anonymize(
        "full-domain", frame, k=2, models=[privacy.DistinctL(2)], **one
    ).levels == {"zip": 1}
