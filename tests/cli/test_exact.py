"""``kproof exact`` end to end, against sums in rationals and 60 digits."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import mpmath
import oracles
import pytest
from cases import cases
from shell import kproof, printed, refused, same_as_snapshot

TRUNCATED = ("exact", "truncated-binomial", "--n", "60", "--p", "0.71", "--k", "33")


def contains(enclosure: dict[str, str], truth: mpmath.mpf) -> bool:
    lower, upper = Fraction(enclosure["lower"]), Fraction(enclosure["upper"])
    with mpmath.workdps(60):
        value = oracles.as_fraction(truth)
    return lower <= value <= upper and upper - lower <= value / 10**12


def hockey_stick(law: oracles.Law, epsilon: str, *, shift: str, side: str) -> mpmath.mpf:
    moved = oracles.shifted(law, Fraction(shift))
    pairs = {"up": [(law, moved)], "down": [(moved, law)], "both": [(law, moved), (moved, law)]}
    with mpmath.workdps(60):
        return max(oracles.delta_all(p, q, Fraction(epsilon)) for p, q in pairs[side])


@pytest.mark.parametrize("p", ["0.71", "71/100", "7.1e-1"])
def test_the_form_scripts_rely_on(p):
    words = ("exact", "truncated-binomial", "--n", "60", "--p", p, "--k", "33")
    found = kproof(*words, "--epsilon", "0.9", "--json").document
    truth = hockey_stick(oracles.binomial(60, Fraction(71, 100), 33), "0.9", shift="1", side="both")
    assert contains(found["delta"], truth)
    assert found["law"] == "TruncatedBinomial(n=60, p=71/100, k=33)"
    assert (found["epsilon"], found["shift"], found["direction"]) == (None, "1", "both")
    assert found["given"] == {"epsilon": "0.9", "delta": None}
    assert isinstance(found["delta"]["lower"], str)


@pytest.mark.parametrize("side", ["up", "down", "both"])
@pytest.mark.parametrize("shift", ["1", "3"])
def test_direction_and_shift(side, shift):
    words = ("exact", "binomial", "--n", "12", "--p", "1/3", "--epsilon", "0.4")
    found = kproof(*words, "--direction", side, "--shift", shift, "--json").document
    truth = hockey_stick(oracles.binomial(12, Fraction(1, 3)), "0.4", shift=shift, side=side)
    assert contains(found["delta"], truth)


def test_a_grid_has_exact_rational_steps_and_both_ends():
    found = kproof(*TRUNCATED, "--epsilon", "0.1:2:20", "--json").document
    assert [point["given"]["epsilon"] for point in found["points"]] == [
        str(Fraction(i, 10)) if i in (10, 20) else f"{i / 10:.1f}" for i in range(1, 21)
    ]
    one = kproof(*TRUNCATED, "--epsilon", "0.7", "--json").document
    assert found["points"][6]["delta"] == one["delta"]


def test_a_list_keeps_its_order():
    found = kproof(*TRUNCATED, "--epsilon", "2,0.5,1/3", "--json").document
    assert [point["given"]["epsilon"] for point in found["points"]] == ["2", "0.5", "1/3"]


def test_delta_gives_epsilon():
    found = kproof(*TRUNCATED, "--delta", "0.01", "--json").document
    law = oracles.binomial(60, Fraction(71, 100), 33)
    below, above = (
        hockey_stick(law, found["epsilon"][end], shift="1", side="both")
        for end in ("lower", "upper")
    )
    with mpmath.workdps(60):
        assert above <= mpmath.mpf("0.01") <= below * (1 + mpmath.mpf("1e-11"))


def test_delta_below_the_limit_has_no_epsilon():
    found = kproof("exact", "binomial", "--n", "2", "--p", "1/2", "--delta", "0.1", "--json")
    assert found.document["epsilon"] == {"lower": "Infinity", "upper": "Infinity"}


def test_poisson_binomial_typed_and_from_a_file(tmp_path):
    ps = ["0.1", "0.25", "1/2", "0.9"]
    typed = kproof("exact", "poisson-binomial", "--p", ",".join(ps), "--epsilon", "1", "--json")
    law = oracles.convolved({Fraction(1): Fraction(p), Fraction(0): 1 - Fraction(p)} for p in ps)
    assert contains(typed.document["delta"], hockey_stick(law, "1", shift="1", side="both"))
    path = tmp_path / "p.csv"
    path.write_text("chance,x\n0.1,\n0.25,\n0.5,\n,\n0.9,\n")
    words = ("--data", str(path), "--column", "chance", "--epsilon", "1", "--json")
    read = kproof("exact", "poisson-binomial", *words).document
    assert read["delta"] == typed.document["delta"]
    assert read["notes"] == ["1 of 5 rows have no chance and are left out"]


@pytest.mark.parametrize("spread", [("--sigma", "2"), ("--variance", "4")])
def test_normal(spread):
    words = ("exact", "normal", *spread, "--shift", "3", "--epsilon", "0.8", "--json")
    found = kproof(*words).document
    with mpmath.workdps(50):
        m, e = mpmath.mpf(3) / 2, mpmath.mpf("0.8")
        truth = mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)
    assert contains(found["delta"], truth)


def test_the_sum_of_a_column():
    words = ("exact", "data", "--data", "table-1a", "--column", "Age", "--n", "3")
    found = kproof(*words, "--shift", "4", "--epsilon", "0.2", "--json").document
    ages = [34, 40, 26, 25, 40, 48, 45, 40, 40, 37, 36, 35]
    one: dict[Fraction, Fraction] = {}
    for age in ages:
        one[Fraction(age)] = one.get(Fraction(age), Fraction(0)) + Fraction(1, 12)
    truth = hockey_stick(oracles.convolved([one] * 3), "0.2", shift="4", side="both")
    assert contains(found["delta"], truth)
    every = kproof(*words[:-2], "--epsilon", "0.2", "--json").document
    assert every["law"].startswith("IndependentSum(12 x ")


def test_a_value_far_below_floats_keeps_its_digits():
    words = ("exact", "normal", "--sigma", "1", "--shift", "0.05", "--epsilon", "4", "--json")
    found = kproof(*words).document["delta"]
    assert Decimal(0) < Decimal(found["lower"]) < Decimal("1e-1000")


def test_relative_width_can_be_asked_for():
    found = kproof(*TRUNCATED, "--epsilon", "0.9", "--relative-width", "1e-40", "--json").document
    lower, upper = Decimal(found["delta"]["lower"]), Decimal(found["delta"]["upper"])
    assert upper - lower <= lower * Decimal("1e-40")


def test_the_table():
    out = printed(*TRUNCATED, "--epsilon", "0:1:3")
    assert "\x1b" not in out
    same_as_snapshot("exact-table.txt", out)


@cases(
    (("--epsilon", "-1"), "--epsilon = -1: need epsilon >= 0"),
    (("--epsilon", "nan"), "--epsilon = nan: need a finite number"),
    (("--epsilon", "1e9999999"), "--epsilon = 1e9999999: need a finite number"),
    (("--epsilon", "0.1:2"), "--epsilon = 0.1:2: need a number, a,b,c or start:stop:count"),
    (("--epsilon", "2:1:5"), "--epsilon = 2:1:5: need start < stop"),
    (("--epsilon", "0:1:1"), "--epsilon count = 1: need a whole number 2 <= "),
    (("--epsilon", "0:1:1000000000"), "--epsilon count = 1000000000: need a whole number"),
    (("--epsilon", "0.1,,0.2"), "--epsilon = '': need a finite number"),
    (("--epsilon", "0.1", "--delta", "0.1"), "--epsilon = 0.1: need either --epsilon or --delta"),
    ((), "--epsilon is not given: need either --epsilon or --delta"),
    (("--delta", "1.5"), "--delta = 1.5: need 0 <= delta <= 1"),
    (("--epsilon", "1", "--shift", "0"), "--shift = 0: need shift > 0"),
    (("--epsilon", "1", "--direction", "left"), 'Invalid value "left" for --direction.'),
    (("--epsilon", "1", "--relative-width", "2"), "--relative-width = 2: need 0 < relative_width"),
    (("--epsilon", "1", "--bogus", "2"), "Unknown option: --bogus."),
    (("--epsilon",), "--epsilon: no value given; see kproof exact truncated-binomial --help"),
)
def test_what_is_refused(words, says):
    assert refused(*TRUNCATED, *words).startswith(says)


@cases(
    (("binomial", "--n", "0", "--p", "0.5"), "--n = 0: need a whole number"),
    (("binomial", "--n", "2.5", "--p", "0.5"), "--n = 2.5: need a whole number"),
    (("binomial", "--n", "10", "--p", "1"), "--p = 1: need 0 < p < 1"),
    (("binomial", "--n", "10", "--p", "1/0"), "--p = 1/0: need 0 < p < 1"),
    (("truncated-binomial", "--n", "5", "--p", "0.5", "--k", "6"), "--k = 6: need a whole number"),
    (("normal",), "--sigma is not given: need either --sigma or --variance"),
    (("normal", "--sigma", "0"), "--sigma = 0: need sigma > 0"),
    (("normal", "--variance", "-1"), "--variance = -1: need variance > 0"),
    (("poisson-binomial",), "--p is not given: need either --p or --data with --column"),
    (("poisson-binomial", "--p", "0.1,1.2"), "p"),
    (("data", "--data", "table-1a", "--column", "Name"), "table-1a, line 2: column 'Name' has"),
    (("data", "--data", "none.csv", "--column", "a"), "none.csv: no such file"),
    (("data", "--data", "table-1a", "--column", "Age", "--n", "0"), "--n = 0: need a whole number"),
    (("nothing",), 'Unknown command "nothing".'),
)
def test_laws_that_do_not_exist(words, says):
    assert refused("exact", *words, "--epsilon", "1").startswith(says)


def test_too_large_is_said_with_the_budget():
    words = ("exact", "data", "--data", "table-1a", "--column", "Zip Code", "--n", "1000000000")
    assert "the budget is" in refused(*words, "--epsilon", "1")


def test_reports_of_places_in_files(here):
    Path("c.csv").write_text("cell,report,p\na,a,3/4\na,b,1/4\nb,a,1/2\nb,b,1/2\nc,b,1\n")
    Path("l.csv").write_text("cell,neighbour,length\na,b,2\n")
    words = ("exact", "places", "--channel", "c.csv", "--links", "l.csv", "--json")
    found = kproof(*words, "--reports", "2").document
    # ln 2 over 2 for each report: b is twice as likely from b.
    assert found["epsilon"]["lower"].startswith("0.6931471805599453")
    assert (found["ratio"], found["link"], found["report"]) == ("2", ["b", "a"], "b")
    assert found["alone"] == ["c"]
    assert found["notes"][0].endswith("no links lead nothing is said; no link reaches c")
    Path("l.csv").write_text("cell,neighbour\na,b\nb,c\n")
    assert kproof(*words).document["epsilon"]["lower"] == "Infinity"


@cases(
    ((), "--channel is not given: need --channel and --links, or --grid and --ratio"),
    (("--grid", "7x7", "--links", "l.csv"), "--channel is not given"),
    (("--grid", "7x7", "--ratio", "1/2", "--links", "l.csv"), "--channel is not given"),
    (("--grid", "7", "--ratio", "1/2"), "--grid = 7: need rows and columns, such as 7x7"),
    (("--grid", "40x40", "--ratio", "1/2"), "1,600 cells"),
    (("--grid", "7x7", "--ratio", "2"), "--ratio = 2: need 0 < ratio < 1"),
    (("--channel", "table-1a", "--links", "table-1a"), "table-1a: no column cell"),
)
def test_no_channel(words, says):
    assert refused("exact", "places", *words).startswith(says)
