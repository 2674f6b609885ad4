"""The search for counterexamples: witnesses by independent arithmetic, none for what is proved."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations

import pytest
from cases import cases, error_line
from oracles import (
    as_mpf,
    binomial,
    both_ways,
    convolved,
    delta_all,
    delta_half_lines,
    delta_intervals,
    shifted,
)

import kproof
from kproof.errors import InvalidArgument
from kproof.theory import falsify
from kproof.theory.exact.enclosure import Enclosure
from kproof.theory.falsify.blocks import Blocks
from kproof.theory.falsify.events import delta_over
from kproof.theory.falsify.families import (
    COINS,
    Counts,
    DependentRecords,
    IndependentRecords,
    Question,
    fractions_to,
)
from kproof.theory.falsify.gap import bound_gap, claim_of_theorem, scene, theorem_gap, user_claim
from kproof.theory.falsify.order import ancestors, atoms_height, height, simpler_atoms
from kproof.theory.falsify.scenes import Count, Records
from kproof.theory.falsify.search import Search, SearchOutcome, Under
from kproof.theory.falsify.targets import STATEMENTS_ON_BLOCKS, TARGETS, search_target
from kproof.theory.laws import FiniteLattice, Normal, iid
from kproof.theory.reading import Reading
from kproof.theory.theorems.bounds import HALF_LINES, INTERVALS

SMALL = Counts(sizes=(1, 2, 3, 4), chances=fractions_to(3), epsilons=(Fraction(1, 2), Fraction(2)))
PRINTED = [(t, v, u) for t in (1, 2, 4) for v in ("printed", "derived") for u in Under]


def truth(gap_scene) -> object:
    """The exact delta of a scene from its definition, in rationals up to e^epsilon."""
    if isinstance(gap_scene, Count):
        law, s = binomial(gap_scene.n, gap_scene.p, gap_scene.k), Fraction(1)
    else:
        law = convolved([dict(gap_scene.record)] * (gap_scene.n - gap_scene.known))
        s = gap_scene.s
    return lambda epsilon: both_ways(delta_all, law, s, epsilon)


@pytest.mark.parametrize(("theorem", "reading", "under"), PRINTED)
def test_each_printed_claim_has_a_witness_that_rationals_confirm(theorem, reading, under):
    found = falsify(theorem, reading=reading, under=under)
    witness = found.witness
    assert found.outcome is SearchOutcome.FOUND
    assert witness.refutes
    assert not witness.broken
    assert under is Under.PRINTED or not witness.hidden
    # The call is kproof's own text, promised to be Python that gives the witness again.
    assert eval(witness.call, {"theorem_gap": theorem_gap, "Normal": Normal}) == witness
    # The arguments of that text alone: the oracle has to take what a reader of the call would.
    fields = eval(f"dict({witness.call[witness.call.index('n=') : -1]})", {"Normal": Normal})
    exact = truth(scene(**fields))(Fraction(witness.at.upper))
    assert as_mpf(Fraction(witness.exact.lower)) <= exact <= as_mpf(Fraction(witness.exact.upper))
    claimed = kproof.bound(theorem, reading=reading, **_typed(theorem, fields)).delta
    assert claimed == witness.claimed
    assert as_mpf(Fraction(claimed.upper)) < exact


def _typed(theorem, fields):
    if theorem == 1:
        return fields
    record = kproof.theory.RecordMoments.from_pairs(
        [(Fraction(x), Fraction(m)) for x, m in fields["record"].items()]
    )
    known = range(fields.get("known", 0)) if theorem == 4 else None
    return {
        "moments": kproof.theory.Moments.iid(record, n=fields["n"]),
        "adversary": kproof.theory.Adversary.of(s=fields.get("s", 1), known=known),
        "k": fields.get("k", 1),
    }


@pytest.mark.parametrize("theorem", [3, 5])
def test_dependent_records_have_a_witness_by_enumeration_of_blocks(theorem):
    witness = falsify(theorem, reading="printed").witness
    # The arguments of kproof's own text: the oracle has to take what a reader of the call would.
    fields = eval(f"dict({witness.call[witness.call.index('blocks=') : -1]})")
    record = {Fraction(x): Fraction(m) for x, m in fields["record"].items()}
    # The first witness in the box is made of copies.
    copies = {x * fields["size"]: m for x, m in record.items()}
    known = fields.get("known", 0)
    law = convolved([copies] * (fields["blocks"] - known) + [record] * fields.get("singles", 0))
    exact = both_ways(delta_all, law, Fraction(fields.get("s", 1)), Fraction(witness.at.upper))
    assert as_mpf(Fraction(witness.claimed.upper)) < exact
    assert witness.refutes
    assert "alike" not in fields


@pytest.mark.parametrize("theorem", [1, 2, 4])
def test_corrected_statements_have_none_and_the_box_is_reported(theorem):
    small = SMALL
    if theorem > 1:
        small = IndependentRecords(
            sizes=(1, 2, 5, 40),
            records=(*COINS[:4], Normal(0, 1)),
            epsilons=SMALL.epsilons,
            known=(0,) if theorem == 2 else (1, 4),
        )
    found = falsify(theorem, family=small)
    assert found.outcome is SearchOutcome.NONE
    assert found.witness is None
    assert found.cases == found.claims == len(small.cases(Question.EPSILON)) > 30
    assert found.vacuous < found.claims
    assert found.box["epsilons"] == ["1/2", "2"]
    assert "no witness" in str(found)


@cases("Z5", "Z6", "Z7", "Z9", "Z22", "Z25", "Z27", "B1-mean", "B5b-pairs")
def test_each_defect_alone_has_a_witness(name):
    found = search_target(name)
    assert found.outcome is SearchOutcome.FOUND
    assert found.witness.claimed.upper < found.witness.exact.lower


def test_z9_by_hand_the_top_count_has_no_counterpart():
    witness = search_target("Z9").witness
    law = binomial(2, Fraction(3, 4), 1)
    assert witness.call.startswith("bound_gap(finite_from_printed_delta, n=2, p='3/4', k=1")
    # 3/8 + 1/16 <= 1/2, yet the count 2 alone has mass 9/15 > 1/2.
    assert law[Fraction(2)] == Fraction(3, 5)
    assert witness.exact.lower.is_infinite()


def test_a_mended_bound_that_is_sound_survives_and_a_mutant_of_it_does_not():
    def sound(n, p, k, epsilon):
        return bound_of(n, p, k, epsilon)

    def mutant(n, p, k, epsilon):
        return bound_of(n, p, k, epsilon) * Fraction(999, 1000)

    def bound_of(n, p, k, epsilon):
        return Fraction(kproof.bound(1, n=n, p=p, k=k, epsilon=epsilon).delta.upper)

    assert falsify(sound, family=SMALL).outcome is SearchOutcome.NONE
    found = falsify(mutant, family=SMALL)
    assert found.outcome is SearchOutcome.FOUND
    assert "mutant" in found.witness.call
    assert found.witness.call.startswith("bound_gap(mutant, n=1, p='1/2', k=1")


def test_a_witness_is_a_local_minimum_under_the_moves():
    def too_small(n, p, k, epsilon):
        return Fraction(1, 20) if n >= 3 and k >= 2 else None

    wide = Counts(sizes=(9,), chances=(Fraction(3, 7),), least=(5,), epsilons=(Fraction(5, 7),))
    found = falsify(too_small, family=wide)
    assert found.moves > 0
    assert found.first != found.witness.call
    fields = {"n": 3, "p": "1/2", "k": 2, "epsilon": 1}
    assert found.witness == bound_gap(too_small, **fields)
    place = Count.of(**fields)
    for other in place.simpler():
        if other.key < place.key:
            claim = user_claim(
                too_small, other, claims="delta", events=kproof.theory.theorems.bounds.ALL
            )
            assert claim.claimed is None or not claim.beside_truth(other).refutes


def test_hidden_hypotheses_are_told_apart():
    excused = theorem_gap(1, "printed", n=1, p="1/2", k=1, epsilon=1)
    assert excused.refutes
    assert excused.hidden == ("epsilon >= ln(1 + 1/(n min(p, 1-p)))",)
    inside = theorem_gap(1, "printed", n=3, p="1/2", k=2, epsilon=2)
    assert inside.refutes
    assert not inside.hidden
    stated = theorem_gap(1, "printed", n=3, p="1/2", k=2, delta="1/1000")
    assert stated.broken
    assert not stated.refutes


def test_half_lines_and_intervals_by_brute_force_over_subsets():
    law = {Fraction(0): Fraction(3, 10), Fraction(2): Fraction(1, 2), Fraction(3): Fraction(1, 5)}
    for s in (Fraction(1), Fraction(2), Fraction(1, 2)):
        moved = shifted(law, s)
        points = sorted(set(law) | set(moved))
        for epsilon in (Fraction(0), Fraction(1, 3)):
            got = {
                kind: delta_over(FiniteLattice(law), shift=s, epsilon=epsilon, events=kind)
                for kind in ("half-lines", "intervals", "unions:2", "unions:9", "all")
            }
            subsets = list(
                chain.from_iterable(
                    combinations(range(len(points)), r) for r in range(len(points) + 1)
                )
            )

            def worst(runs, points=points, moved=moved, epsilon=epsilon, subsets=subsets):
                kept = [o for o in subsets if sum(i - 1 not in o for i in o) <= runs]

                def measure(p, q, e):
                    from mpmath import exp

                    return max(
                        sum(as_mpf(p.get(points[i], 0)) for i in o)
                        - exp(as_mpf(e)) * sum(as_mpf(q.get(points[i], 0)) for i in o)
                        for o in kept
                    )

                return max(measure(law, moved, epsilon), measure(moved, law, epsilon))

            for kind, runs in (("intervals", 1), ("unions:2", 2), ("unions:9", 9), ("all", 9)):
                assert abs(as_mpf(Fraction(got[kind].lower)) - worst(runs)) < 1e-12, (s, kind)
            half = both_ways(delta_half_lines, law, s, epsilon)
            assert abs(as_mpf(Fraction(got["half-lines"].lower)) - half) < 1e-12
            assert abs(worst(1) - both_ways(delta_intervals, law, s, epsilon)) < 1e-12


def test_conditioning_on_copies_leaves_nothing_to_guess():
    all_known = Blocks.of(blocks=3, size=2, record={0: "1/3", 1: "2/3"}, known=3)
    assert all_known.law.points == 1
    assert all_known.law.origin == 3
    half = Blocks.of(blocks=1, size=2, record={0: "1/3", 1: "2/3"}, alike="1/2", known=1)
    # Given a 1, the other is 1 with probability 1/2 + 1/2 * 2/3.
    (pairs,) = half.law.marginals()
    assert abs(float(dict(pairs)[Fraction(1)]) - 5 / 6) < 1e-15


def test_moves_only_ever_simplify():
    atoms = (
        (Fraction(-2), Fraction(1, 7)),
        (Fraction(1), Fraction(2, 7)),
        (Fraction(3), Fraction(4, 7)),
    )
    for law in simpler_atoms(atoms):
        assert sum(mass for _, mass in law) == 1
        assert all(mass > 0 for _, mass in law)
        assert atoms_height(law) < atoms_height(atoms)
    for value in (Fraction(22, 7), Fraction(-5, 8), Fraction(1)):
        assert all(height(simpler) < height(value) for simpler in ancestors(value))
    assert {height(v) for v in ancestors(Fraction(0))} == set()


def test_results_serialise_and_ignore_the_clock():
    first, second = falsify(1, reading="printed"), falsify(1, reading="printed")
    assert first == second
    assert replace(first, elapsed=1e9) == second
    document = json.loads(json.dumps(first.to_dict()))
    assert document["schema"] == 1
    assert document["outcome"] == "found"
    assert document["witness"]["refutes"]
    assert document["witness"]["call"] == first.witness.call
    assert "theorem_gap" in first._repr_html_()
    assert "<script" not in first._repr_html_()
    assert isinstance(first, Search)


def test_fewer_events_only_and_statements_too():
    coin = {"n": 9, "record": {0: "1/2", 2: "1/2"}}
    assert theorem_gap(2, "printed", **coin).refutes
    assert not theorem_gap(2, "printed", events="half-lines", **coin).refutes
    assert theorem_gap(2, "corrected", events="half-lines", **coin).events == HALF_LINES
    assert theorem_gap(2, "corrected", **coin).events == INTERVALS
    with pytest.raises(InvalidArgument, match="events among intervals"):
        theorem_gap(2, "corrected", events="all", **coin)
    printed = kproof.theory.statement(1, "printed")
    assert falsify(printed, family=SMALL).witness == falsify(1, reading="printed").witness
    assert claim_of_theorem(1, Reading.CORRECTED, Count.of(n=2, p="1/2", k=2, epsilon=1)).claimed


@cases(
    (lambda: falsify(7), "bound = 7"),
    (lambda: falsify(lambda n: 1), "family is not given"),
    (lambda: falsify(lambda n: 1, family=3), "family = 3"),
    (lambda: falsify(lambda z: 1, family=SMALL), "parameter = z: need one of n, p, k"),
    (lambda: falsify(lambda n: None, family=SMALL), "claims something in the box"),
    (lambda: falsify(lambda n: 1 / 0, family=SMALL), "division by zero"),
    (lambda: falsify(lambda n: "many", family=SMALL), "value of <lambda> = many"),
    (lambda: falsify(2, claims="epsilon"), "claims = epsilon: need delta with theorem 2"),
    (lambda: falsify(2, claims="both"), "claims = both"),
    (lambda: falsify(2, under="some"), "under = some: need printed or all"),
    (lambda: falsify(1, family=Counts(sizes=())), "at least one case"),
    (lambda: falsify(1, family=DependentRecords()), "theorem 1 for|2 to 5|3 or 5"),
    (lambda: theorem_gap(1, "printed", n=3), "parameters = n"),
    (lambda: theorem_gap(1, "printed", n=3, p="1/2", k=1, q=3), "parameter = q"),
    (lambda: theorem_gap(2, "printed", n=3, record=[1, 2]), "record = "),
    (lambda: Records.of(n=2, record={0: "1/2", 1: "1/2"}, known=2), "known = 2"),
    (lambda: bound_gap(lambda n: 1, n=3, p="1/2", k=1), "epsilon is not given"),
    (lambda: search_target("Z1"), "target = Z1"),
)
def test_bad_input_is_one_clear_line(call, message):
    assert re.search(message, error_line(InvalidArgument, call))


def test_rounding_of_a_float_refutes_nothing_but_an_enclosure_is_taken_as_it_is():
    point = {"n": 2, "p": "1/2", "k": 1, "epsilon": 3}
    exact = 2 / 3
    assert not bound_gap(lambda: exact * (1 - 1e-15), **point).refutes
    assert bound_gap(lambda: exact * (1 - 1e-9), **point).refutes
    assert bound_gap(lambda: Enclosure.exactly(Fraction(66666, 100000)), **point).refutes
    assert bound_gap(lambda: float("nan"), **point).claimed is None
    assert not bound_gap(lambda: float("inf"), **point).refutes


def test_the_sum_of_a_scene_is_the_sum_of_its_records():
    place = Records.of(n=4, record={0: "1/4", 3: "3/4"}, known=1)
    assert place.law.points == iid(FiniteLattice({0: "1/4", 3: "3/4"}), 3).points
    sums = place.arguments()
    law = convolved([{Fraction(0): Fraction(1, 4), Fraction(3): Fraction(3, 4)}] * 3)
    mean = sum(x * m for x, m in law.items())
    assert sums["mean"] == mean
    assert sums["variance"] == sum((x - mean) ** 2 * m for x, m in law.items())
    assert sums["third"] == sum((x - mean) ** 3 * m for x, m in law.items())
    assert set(TARGETS) >= {"Z5", "Z6", "Z7", "Z9", "Z22", "Z25", "Z26", "Z27", "Z31"}


@pytest.mark.parametrize("name", sorted(STATEMENTS_ON_BLOCKS))
def test_nothing_is_found_against_the_statements_on_blocks(name):
    found = STATEMENTS_ON_BLOCKS[name].search()
    assert found.outcome is SearchOutcome.NONE
    assert found.claims - found.vacuous > 150


def test_xor_is_the_smallest_witness_against_a_field_read_off_pairs():
    witness = search_target("B5b-pairs").witness
    assert "joint={(0, 0, 0): '1/4', (0, 1, 1): '1/4', (1, 0, 1)" in witness.call
    assert witness.exact == Enclosure.exactly(1)
    binomial = search_target("B1-mean").witness
    assert str(binomial.claimed) == "0.4814815"
    assert binomial.exact == Enclosure.exactly(Fraction(1, 2))
