"""``kproof bound`` and ``kproof design`` end to end."""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import oracles
from cases import cases
from shell import kproof, refused, same_as_snapshot

from kproof.cli.base.printing import ExitStatus

COIN = ("--mean", "0.5", "--second", "0.5", "--third", "0.5", "--fourth", "0.5")
AGE = ("--data", "table-1a", "--column", "Age")
READINGS = ["printed", "derived", "corrected"]


def bound(*words: str) -> Any:
    """Return the document of an answer, whatever its status says about it."""
    return document("bound", *words)


def document(*words: str) -> Any:
    ran = kproof(*words, "--json")
    assert ran.err == ""
    return json.loads(ran.out)


def test_the_form_scripts_rely_on(tmp_path):
    path = tmp_path / "records.csv"
    path.write_text("who,bit\n" + "a,1\nb,0\nc,0\nd,1\n" * 25)
    found = bound("2", "--data", str(path), "--column", "bit", "--shift", "1")
    assert list(found["readings"]) == READINGS
    assert set(found) >= {"schema", "theorem", "quantity", "readings", "exact", "notes"}
    for claim in found["readings"].values():
        assert set(claim) >= {"epsilon", "delta", "events", "holds", "hypotheses", "flags"}
        assert isinstance(claim["delta"]["lower"], str)
    corrected = found["readings"]["corrected"]
    with mpmath.workdps(60):
        at = Fraction(corrected["epsilon"]["upper"])
        count = oracles.binomial(100, Fraction(1, 2))
        exact = oracles.as_fraction(oracles.both_ways(oracles.delta_all, count, Fraction(1), at))
    assert Fraction(found["exact"]["delta"]["lower"]) <= exact
    assert exact <= Fraction(found["exact"]["delta"]["upper"])
    assert exact <= Fraction(corrected["delta"]["lower"])


def test_theorem_1_beside_the_truth():
    found = bound("1", "--n", "60", "--p", "0.71", "--k", "33", "--epsilon", "0.9")
    law = oracles.binomial(60, Fraction(71, 100), 33)
    with mpmath.workdps(60):
        truth = oracles.both_ways(oracles.delta_all, law, Fraction(1), Fraction(9, 10))
        exact = oracles.as_fraction(truth)
    for enclosure in (found["exact"]["delta"], found["readings"]["corrected"]["delta"]):
        assert Fraction(enclosure["lower"]) <= exact <= Fraction(enclosure["upper"])


def test_a_grid_is_the_single_points():
    words = ("1", "--n", "200", "--p", "0.3", "--k", "10")
    found = bound(*words, "--epsilon", "0.1:0.5:3")
    singles = [bound(*words, "--epsilon", epsilon) for epsilon in ("0.1", "0.3", "0.5")]
    assert (found["theorem"], found["quantity"]) == (1, "delta")
    for point, single in zip(found["points"], singles, strict=True):
        del single["notes"], single["document"]
        assert point == single


def test_theorem_1_gives_epsilon_for_a_delta():
    found = bound("1", "--n", "1000", "--p", "0.3", "--k", "10", "--delta", "0.001")
    assert found["quantity"] == "epsilon"
    assert Decimal(found["exact"]["epsilon"]["lower"]) > 0


def test_closed_form_is_sound_and_larger():
    words = ("1", "--n", "1000", "--p", "0.3", "--k", "10", "--epsilon", "0.2")
    closed = bound(*words, "--closed-form")["readings"]["corrected"]["delta"]
    assert Decimal(closed["lower"]) > Decimal(bound(*words)["exact"]["delta"]["upper"])


@cases(
    ("2", (), "I"),
    ("3", ("--neighbourhood", "2"), "II"),
    ("3", ("--lambda1", "0.2"), "II"),
    ("4", ("--lambda2", "0.25"), "III"),
    ("4", ("--known", "0,3,11"), "III"),
    ("5", ("--lambda2", "0.25", "--neighbourhood", "3"), "IV"),
)
def test_what_is_known_decides_the_level(theorem, words, level):
    assert bound(theorem, *AGE, *words)["readings"]["corrected"]["parameters"]["level"] == level


def test_a_dependency_graph_and_known_records_from_files(tmp_path):
    edges, known = tmp_path / "edges.txt", tmp_path / "known.txt"
    edges.write_text("# pairs\n0 1\n1,2\n\n4\t5\n")
    known.write_text("1\n7 9\n")
    found = bound("3", *AGE, "--dependency", str(edges))
    assert found["readings"]["corrected"]["parameters"]["dependency"] == "graph with 3 edges"
    found = bound("5", *AGE, "--dependency", str(edges), "--known", f"@{known}")
    assert found["readings"]["corrected"]["parameters"]["known"] == "3 records"
    assert found["readings"]["corrected"]["parameters"]["n"] == "9"


def test_the_shift_of_a_column_is_its_range_unless_said():
    taken, said = bound("2", *AGE), bound("2", *AGE, "--s", "23")
    assert taken["readings"] == said["readings"]
    assert taken["notes"] == ["the shift is the most that one record can change the sum: max - min"]
    assert said["notes"] == []


def test_missing_rows_are_told(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,b\n1,x\n?,x\n2,x\n4,x\n")
    notes = bound("2", "--data", str(path), "--column", "a", "--shift", "1")["notes"]
    assert notes == ["1 of 4 rows have no a and are left out"]
    assert notes[0] in kproof("bound", "2", "--data", str(path), "--column", "a", "--s", "1").out


def test_typed_moments_are_those_of_the_data(tmp_path):
    path = tmp_path / "coin.csv"
    path.write_text("a,b\n0,x\n1,x\n")
    words = ("--n", "400", "--epsilon", "0.3")
    typed = bound("2", *COIN, *words)
    data = bound("2", "--data", str(path), "--column", "1", "--shift", "1", *words)
    for reading, claim in typed["readings"].items():
        assert claim["delta"] == data["readings"][reading]["delta"]
        assert claim["conditional_on"] == ["independent records"]
    assert typed["exact"]["delta"] == data["exact"]["delta"]


def test_typed_sums_as_in_the_figures():
    sums = ("--sum-variance", "2500", "--sum-third", "1", "--sum-sigma-cubed", "12500")
    found = bound("2", *sums, "--n", "100", "--k", "10", "--epsilon1", "0.1")
    printed = found["readings"]["printed"]
    with mpmath.workdps(40):
        n, v = mpmath.mpf(100), mpmath.mpf(2500)
        left_over = mpmath.exp(mpmath.sqrt(mpmath.log(n) / v))
        truth = mpmath.mpf("1.1182") / 12500 * (1 + left_over) + 1 / mpmath.sqrt(n)
        assert (
            mpmath.mpf(printed["delta"]["lower"]) <= truth <= mpmath.mpf(printed["delta"]["upper"])
        )
    assert found["exact"]["delta"] is None
    assert "moments do not determine a law" in found["exact"]["note"]


def test_events_can_be_chosen():
    words = ("2", *AGE, "--epsilon", "1", "--n", "5000")
    narrow = bound(*words, "--events", "half-lines")["readings"]["corrected"]
    wide = bound(*words, "--events", "unions:3")["readings"]["corrected"]
    assert (narrow["events"], wide["events"]) == ("half-lines", "unions:3")
    assert Decimal(narrow["delta"]["upper"]) < Decimal(wide["delta"]["lower"])


def test_others_only_counts_one_record_less():
    assert bound("2", *AGE, "--others-only")["readings"]["corrected"]["parameters"]["n"] == "11"


@cases(
    ("bound-1.txt", ("1", "--n", "1000", "--p", "0.3", "--k", "10", "--epsilon", "0.2")),
    ("bound-2.txt", ("2", *AGE)),
    ("bound-2-grid.txt", ("2", *COIN, "--n", "10000", "--epsilon", "0.01:0.05:5")),
    ("bound-3.txt", ("3", *AGE, "--neighbourhood", "2")),
    ("bound-2-conditional.txt", ("2", *COIN, "--n", "10000", "--epsilon", "0.5")),
)
def test_tables(name, words):
    ran = kproof("bound", *words)
    assert ran.status == (ExitStatus.DONE if words[0] == "1" else ExitStatus.OPEN)
    assert "\x1b" not in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80
    same_as_snapshot(name, ran.out)


def test_design_answers_with_both_sides():
    found = document("design", "n", "--epsilon", "0.5", "--delta", "0.01", *COIN)
    answer = int(found["answer"])
    assert Decimal(found["inside"]["delta"]["upper"]) <= Decimal("0.01")
    assert Decimal(found["outside"]["delta"]["lower"]) > Decimal("0.01")
    assert found["next_value"] == str(answer - 1)
    again = bound("2", *COIN, "--n", str(answer), "--epsilon", "0.5")["readings"]["corrected"]
    assert again["delta"] == found["inside"]["delta"]


def test_design_from_a_column_takes_its_length_and_range():
    words = ("--epsilon", "0.5", "--delta", "0.5", *AGE, "--n", "5000", "--theorem", "4")
    found = document("design", "lambda2", *words)
    assert found["inside"]["parameters"]["s"] == "23"
    assert found["notes"] == ["the shift is the most that one record can change the sum: max - min"]


def test_design_table():
    ran = kproof("design", "n", "--epsilon", "0.5", "--delta", "0.01", *COIN)
    same_as_snapshot("design.txt", ran.out)


def test_design_for_theorem_1():
    words = ("--theorem", "1", "--p", "0.3", "--k", "10", "--epsilon", "0.2", "--delta", "1e-3")
    found = kproof("design", "n", *words, "--json").document
    assert Decimal(found["inside"]["delta"]["upper"]) <= Decimal("1e-3")


@cases(
    (("6", *AGE), "theorem = 6: need a whole number 1 <= theorem <= 5"),
    (("two", *AGE), "theorem = two: need a whole number"),
    ((), "THEOREM: no value given; see kproof bound --help"),
    (("1",), "--n is not given: need a value for n"),
    (("1", "--n", "10", "--p", "0.5", "--k", "11", "--epsilon", "1"), "--k = 11: need"),
    (("1", "--n", "10", "--p", "0.5", "--k", "2"), "epsilon, delta = "),
    (("1", *AGE), "theorem = 1: need 2 to 5 with records or background information"),
    (("1", "--shift", "2"), "theorem = 1: need 2 to 5 with records or background information"),
    (("2",), "records is not given: need --data FILE --column NAME, or --mean and --second"),
    (("2", "--data", "table-1a"), "--column is not given: need --column NAME with --data"),
    (("2", "--column", "Age"), "--column = Age: need --data FILE with it"),
    (("2", *AGE, "--mean", "1"), "--mean = 'with --data': need one or the other"),
    (("2", "--mean", "1", "--n", "9"), "moments = mean: need at least --mean and --second"),
    (("2", "--mean", "2", "--second", "3", "--n", "9"), "second = 3 < mean^2 = 4: need"),
    (("2", *COIN), "--n is not given: need a value for n"),
    (("2", *COIN, "--n", "9", "--sum-third", "1"), "--third = 'with records': need one or the"),
    (
        ("2", "--sum-variance", "3"),
        "--n is not given: need the number of records the sums are over",
    ),
    (
        ("2", "--sum-variance", "2500", "--sum-sigma-cubed", "100", "--n", "100"),
        "sigma_cubed = 100 with n = 100, variance = 2500: need",
    ),
    (("2", *AGE, "--epsilon", "1", "--delta", "0.1"), "--delta = 0.1: need either --epsilon or"),
    (("2", *AGE, "--delta", "0.1"), "--delta = 0.1: need no delta with theorems 2 to 5"),
    (("2", *AGE, "--lambda2", "0.2"), "theorem = 2: need theorem 4 for an adversary of level"),
    (("4", *AGE, "--lambda2", "1"), "--lambda2 = 1: need 0 <= lambda2 < 1"),
    (("3", *AGE, "--lambda1", "1.5"), "--lambda1 = 1.5: need 0 <= lambda1 <= 1"),
    (("3", *AGE, "--neighbourhood", "0"), "--neighbourhood = 0: need a whole number"),
    (("4", *AGE, "--known", "0,12"), "--known = 12: need indexes of records, 0 to 11"),
    (("4", *AGE, "--known", "0,x"), "--known = x: need a whole number"),
    (("4", *AGE, "--known", "@none.txt"), "none.txt: cannot be read: No such file"),
    (("2", *AGE, "--events", "squares"), "--events = squares: need half-lines, intervals"),
    (("2", *AGE, "--epsilon1", "0"), "--epsilon1 = 0: need epsilon1 > 0"),
    (("2", *AGE, "--shift", "-1"), "--s = -1: need s > 0"),
    (("2", "--data", "table-1a", "--column", "Disease"), "table-1a, line 2: column 'Disease'"),
    (
        ("3", *COIN, "--dependency", "edges.txt"),
        "--n is not given: need the number of records with",
    ),
)
def test_what_is_refused(words, says):
    assert refused("bound", *words).startswith(says)


@cases(
    ("0 1 2\n", ", line 1: '0 1 2', need two indexes: i j"),
    ("0 1\n0 -1\n", ", line 2: '0 -1', need two indexes: i j"),
    ("0 12\n", ", line 1: 12, need records 0 to 11"),
)
def test_edge_lists_that_are_none(text, says, tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text(text)
    assert refused("bound", "3", *AGE, "--dependency", str(path)) == f"{path}{says}"


def test_a_column_of_one_value_has_no_range(tmp_path):
    path = tmp_path / "flat.csv"
    path.write_text("a,b\n3,x\n3,x\n")
    message = refused("bound", "2", "--data", str(path), "--column", "a")
    assert message == f"{path}: column 'a' has one value only; say --shift"


@cases(
    (("speed", "--epsilon", "1", "--delta", "0.1", *COIN), "quantity = speed: need n,"),
    (("n", "--epsilon", "1", *COIN), "--delta: no value given; see kproof design --help"),
    (("n", "--epsilon", "1", "--delta", "2", *COIN), "--delta = 2: need 0 < delta < 1"),
    (
        ("n", "--epsilon", "1", "--delta", "0.1"),
        "record is not given: need the moments of one record",
    ),
    (("n", "--epsilon", "1", "--delta", "0.1", *AGE, "--known", "1"), "--known = 1: need lambda2"),
    (("lambda2", "--epsilon", "1", "--delta", "0.1", *COIN, "--n", "9"), "--theorem = 2: need 4"),
    (("n", "--epsilon", "1", "--delta", "0.1", *COIN, "--n", "9"), "--n = 9: need no value"),
)
def test_designs_that_are_refused(words, says):
    assert refused("design", *words).startswith(says)


def test_json_is_the_only_thing_on_stdout():
    ran = kproof("bound", "2", *AGE, "--json")
    assert ran.out == json.dumps(json.loads(ran.out), indent=2) + "\n"


ANSWERED = ("--assume", "independence")


def test_an_owed_hypothesis_makes_the_answer_conditional_everywhere():
    words = ("bound", "2", *AGE, "--shift", "1")
    ran = kproof(*words)
    assert (ran.status, ran.err) == (ExitStatus.OPEN, "")
    assert "sound" not in ran.out
    assert "conditional on independent records (confirm it with --assume" in ran.out
    claim = bound(*words[1:])["readings"]["corrected"]
    assert (claim["standing"], claim["holds"], claim["applies"]) == ("conditional", False, True)
    assert claim["conditional_on"] == ["independent records"]
    assert claim["assumed"] == []


def test_an_answered_hypothesis_is_printed_with_the_answer():
    words = ("bound", "2", *AGE, "--shift", "1", *ANSWERED)
    ran = kproof(*words)
    assert ran.status == ExitStatus.DONE
    assert "sound here" not in ran.out
    assert "corrected: sound, assuming independent records: your word" in ran.out
    claim = bound(*words[1:])["readings"]["corrected"]
    assert (claim["standing"], claim["holds"]) == ("sound, assumed", True)
    assert claim["assumed"] == ["independent records"]


def test_a_grid_is_conditional_at_every_point_of_it():
    words = ("bound", "2", *COIN, "--n", "10000", "--epsilon", "0.02:0.05:4")
    open_, answered = kproof(*words), kproof(*words, *ANSWERED)
    assert (open_.status, answered.status) == (ExitStatus.OPEN, ExitStatus.DONE)
    # The corrected statement and the block bound, at each of the four points.
    assert open_.out.count(" ?") == 8
    assert answered.out.count(" *") == 8


def test_each_theorem_has_hypotheses_of_its_own():
    words = ("bound", "5", *AGE, "--neighbourhood", "2", "--known", "0,5")
    assert refused(*words, *ANSWERED) == (
        "--assume = independence: need with theorem 5 one of dependency-graph, uncorrelated, "
        "conditional-moments"
    )
    some = kproof(*words, "--assume", "dependency-graph", "--assume", "uncorrelated")
    assert some.status == ExitStatus.OPEN
    assert "conditional on conditional moments" in " ".join(some.out.split())
    names = ("dependency-graph", "uncorrelated", "conditional-moments")
    assert kproof(*words, *(w for n in names for w in ("--assume", n))).status == ExitStatus.DONE


def test_what_the_input_contradicts_cannot_be_assumed():
    sums = ("--sum-variance", "25", "--sum-absolute-third", "30", "--sum-fourth", "40")
    tied = ("bound", "2", *sums, "--variance-of-sum", "50", "--n", "100", "--epsilon", "1")
    ran = kproof(*tied, *ANSWERED)
    assert ran.status == ExitStatus.VIOLATED
    assert "fails: independent records" in ran.out
    few = ("bound", "3", *sums, "--variance-of-sum", "2000", "--n", "100", "--epsilon", "1")
    small = kproof(*few, "--neighbourhood", "1", "--assume", "dependency-graph")
    assert small.status == ExitStatus.VIOLATED
    assert "Var of the sum > D * sum of Var with D = 1" in " ".join(small.out.split())


def test_a_sum_that_is_missing_leaves_the_question_open():
    words = ("bound", "2", "--sum-variance", "25", "--n", "100", "--epsilon", "1", *ANSWERED)
    ran = kproof(*words)
    assert ran.status == ExitStatus.OPEN
    assert "delta needs" in ran.out


def test_a_design_is_conditional_too():
    words = ("design", "n", "--epsilon", "0.5", "--delta", "0.01", *COIN)
    open_, answered = kproof(*words), kproof(*words, *ANSWERED)
    assert (open_.status, answered.status) == (ExitStatus.OPEN, ExitStatus.DONE)
    assert "conditional on independent records" in open_.out
    assert "assuming independent records: your word" in " ".join(answered.out.split())
    assert document(*words)["conditional_on"] == ["independent records"]
    assert document(*words, *ANSWERED)["holds"] is True
    one = ("--theorem", "1", "--p", "0.3", "--k", "10", "--epsilon", "0.2", "--delta", "1e-3")
    assert kproof("design", "n", *one).status == ExitStatus.DONE


def test_the_law_of_a_column_is_said_to_be_taken_for_granted():
    ran = kproof("exact", "data", *AGE, "--epsilon", "1")
    assert "that the records are such draws was not judged" in " ".join(ran.out.split())
