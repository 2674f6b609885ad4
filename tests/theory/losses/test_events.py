"""Training runs in files: what is read, refused, enclosed and judged, against other arithmetic."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
from cases import cases, error_line
from nights import by_day
from shell import kproof, printed, refused

from kproof.cli.base.printing import ExitStatus
from kproof.errors import DataError
from kproof.theory.exact import Enclosure
from kproof.theory.losses.events import TrainingRun, read_run
from kproof.theory.losses.noises import LaplacePair
from kproof.theory.losses.pairs import NormalPair, SampledPair
from kproof.theory.losses.run_account import RunAccount, account_for

CASES = json.loads(Path(__file__).with_name("accounted_cases.json").read_text("utf-8"))
"""What documentation and threads say of runs: where, what, and how the claim stands."""
BY_DAY = ("opacus-643-gdp", "tf-166", "dp-guarantees", "dp-discrete-laplace", "dp-response")
MODULE = "dp_accounting.dp_event"


def event(kind: str, *fields: object) -> list[object]:
    """Return an event as json.dump writes a named tuple of dp_accounting."""
    return [MODULE, f"{kind}DpEvent", *fields]


def run_of(document: object, folder: Path) -> TrainingRun:
    path = folder / "run.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
    return read_run(path)


def account(document: object, folder: Path, **asked: Any) -> RunAccount:
    listed = {name: [Fraction(value) for value in values] for name, values in asked.items()}
    return account_for(run_of(document, folder), **listed)


def within(enclosure: Enclosure, truth: float, slack: float = 1e-9) -> bool:
    return float(enclosure.lower) <= truth + slack and truth - slack <= float(enclosure.upper)


@pytest.mark.parametrize("name", by_day(BY_DAY, at_night=tuple(case["name"] for case in CASES)))
def test_a_claim_of_others_stands_as_recorded(name, tmp_path):
    (case,) = [case for case in CASES if case["name"] == name]
    run = case["run"]
    document = {"event": run} if isinstance(run, list) else dict(run)
    if case["claim"] is not None:
        document["claim"] = {"epsilon": case["claim"], "delta": case["delta"], "by": case["by"]}
    result = account(document, tmp_path, deltas=[case["delta"]])
    (point,) = result.points
    for enclosure in (point.added, point.removed, point.either):
        assert enclosure.relative_width <= 0.03
    assert (result.claim.standing.value if result.claim else "") == case["standing"]


def test_fifty_cases_name_their_sources():
    assert len(CASES) >= 50
    assert all(case["source"].startswith("https://") and case["says"] for case in CASES)
    assert len({case["name"] for case in CASES}) == len(CASES)


def laplace_delta(mu: float, epsilon: float) -> float:
    return max(0.0, 1 - math.exp((epsilon - mu) / 2))


@pytest.mark.parametrize("noise", [0.5, 1, 3])
def test_one_laplace_release_is_as_the_formula_says(noise, tmp_path):
    points = account(event("Laplace", noise), tmp_path, deltas=["0"], epsilons=["0.2", "0.3"])
    assert within(points.points[0].either, 1 / noise)
    for point, epsilon in zip(points.points[1:], (0.2, 0.3), strict=True):
        assert within(point.added, laplace_delta(1 / noise, epsilon), 1e-6)
        assert within(point.removed, laplace_delta(1 / noise, epsilon), 1e-6)


def sampled_deltas(noise: float, rate: float, epsilon: float) -> tuple[float, float]:
    """Return δ of one sampled normal release, the record added and removed, by quadrature."""

    def without(x: float) -> Any:
        return mpmath.npdf(x, 0, noise)

    def with_it(x: float) -> Any:
        return (1 - rate) * without(x) + rate * mpmath.npdf(x, 1, noise)

    def delta(p: Callable[[float], Any], q: Callable[[float], Any]) -> float:
        scale = mpmath.exp(epsilon)
        ends = [-30, -5, -2, -1, 0, 0.5, 1, 2, 3, 5, 30]
        return float(mpmath.quad(lambda x: max(0, p(x) - scale * q(x)), ends, maxdegree=7))

    return delta(without, with_it), delta(with_it, without)


def test_directions_of_one_sampled_release_against_quadrature(tmp_path):
    result = account({"history": [[1, "1/4", 1]]}, tmp_path, epsilons=["0.1"])
    added, removed = sampled_deltas(1.0, 0.25, 0.1)
    assert added < 0.7 * removed
    assert within(result.points[0].added, added, 1e-6)
    assert within(result.points[0].removed, removed, 1e-6)


def test_a_mixture_is_a_sample_and_forms_of_a_file_are_one(tmp_path):
    sampled = event("PoissonSampled", 0.25, event("Gaussian", 2))
    mixed = event("MixtureOfGaussians", 2, [0, 1], ["3/4", 0.25])
    named = {
        "module_name": MODULE,
        "class_name": "PoissonSampledDpEvent",
        "sampling_probability": 0.25,
        "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 2},
    }
    one, other = (account(tree, tmp_path, epsilons=["0.05"]).points[0] for tree in (sampled, mixed))
    for first, second in ((one.added, other.added), (one.removed, other.removed)):
        assert max(first.lower, second.lower) <= min(first.upper, second.upper)
    releases = run_of(sampled, tmp_path).releases
    for document in (named, {"event": named}, {"history": [[2, 0.25, 1]]}):
        assert run_of(document, tmp_path).releases == releases


@cases(
    (NormalPair(Fraction(1, 16)), "normal noise of sigma 4 for a shift of 1"),
    (NormalPair(Fraction(9, 4)), "normal noise of sigma 2/3 for a shift of 1"),
    (NormalPair(Fraction(5, 8)), "normal noise of variance 8/5 for a shift of 1"),
    (NormalPair(Fraction(0)), "two equal normal laws"),
    (LaplacePair(Fraction(1, 3)), "Laplace noise of scale 3 for a shift of 1"),
    (
        SampledPair(NormalPair(Fraction(1)), Fraction(1, 5), second=True),
        "normal noise of sigma 1 for a shift of 1, on a Poisson sample at rate 1/5",
    ),
)
def test_a_release_is_named_by_its_noise(pair, name):
    assert pair.name == name


def test_normal_noise_adds_up_wherever_it_stands(tmp_path):
    inner = event(
        "Composed", [event("Gaussian", 2), event("SelfComposed", event("Gaussian", 2), 3)]
    )
    apart = run_of(event("PoissonSampled", 0.1, inner), tmp_path)
    assert apart.releases == run_of({"history": [[1, 0.1, 1]]}, tmp_path).releases
    nested = event("PoissonSampled", 0.5, event("PoissonSampled", 0.2, event("Gaussian", 1)))
    assert run_of(nested, tmp_path).releases == apart.releases
    replaced = run_of(
        {"event": event("Gaussian", 1), "neighboring_relation": "REPLACE_ONE"}, tmp_path
    )
    assert replaced.releases[0][0].squared == 4


def test_guarantees_meet_their_own_ends(tmp_path):
    tree = event("EpsilonDelta", 1, "1e-6")
    result = account(tree, tmp_path, deltas=["0", "2e-6"], epsilons=["1", "2"])
    assert str(result.points[0].either) == "Infinity"
    assert float(result.points[1].either.upper) <= 1
    for point in result.points[2:]:
        assert within(point.either, 1e-6, 1e-12)


def test_no_noise_shows_whoever_is_sampled(tmp_path):
    for inner in (
        event("Gaussian", 0),
        event("NonPrivate"),
        event("MixtureOfGaussians", 0, [1], [1]),
    ):
        tree = event("SelfComposed", event("PoissonSampled", 0.1, inner), 2)
        (point,) = account(tree, tmp_path, epsilons=["5"]).points
        assert within(point.removed, 0.19)
        assert within(point.added, 0)
    nothing = event("Composed", [event("NoOp"), event("PoissonSampled", 0, event("Gaussian", 0))])
    (point,) = account(nothing, tmp_path, deltas=["0"]).points
    assert float(point.either.upper) == 0


@cases(
    ({"history": [["NaN", 0.1, 1]]}, "history[0]: noise_multiplier = NaN: need"),
    ('{"history": [[NaN, 0.1, 1]]}', "= NaN: need"),
    ({"history": [[-1, 0.1, 1]]}, "= -1: need"),
    ({"history": [[1e-9, 0.1, 1]]}, "need 0, or at least 0.001"),
    ({"history": [[1, 1.5, 1]]}, "sampling probability = 1.5: need"),
    ({"history": [[1, 0.1, 1e30]]}, "steps = 1e+30: need a whole number"),
    ({"history": [[1, 0.1, 1e9], [2, 0.1, 1]]}, "releases in all = 1000000001: need"),
    ({"history": [[1, 0.1]]}, "need noise_multiplier, sample_rate, steps"),
    ({"history": [[1, 0.1, 1]], "mechanism": "xyz"}, "mechanism = xyz: need rdp, prv or gdp"),
    ({"history": [[i + 1, 0.1, 1] for i in range(200)]}, "200 different releases; at most"),
    ('{"history": [], "history": []}', "the key history stands twice"),
    ("[" * 100_000, "not JSON"),
    ('{"history": ', "not JSON"),
    ("{}", "event: no key class_name"),
    (event("Nothing"), "class_name = NothingDpEvent: need one of NoOpDpEvent"),
    (event("Gaussian", 1, 2), "fields of GaussianDpEvent = 2: need noise_multiplier"),
    ({"class_name": "GaussianDpEvent"}, "no key noise_multiplier"),
    ([MODULE, "ZCDpEvent", 1, 0], "ZCDpEvent is not supported"),
    (event("SampledWithoutReplacement", 9, 3, event("Gaussian", 1)), "is not supported"),
    (event("SampledWithReplacement", 9, 3, event("Gaussian", 1)), "is not supported"),
    (event("TruncatedSubsampledGaussian", 9, 0.1, 3, 1), "is not supported"),
    (event("SingleEpochTreeAggregation", 1, 9), "is not supported"),
    (event("RepeatAndSelect", event("Gaussian", 1), 1, 1), "is not supported"),
    (event("RandomizedResponse", 0.1, 3), "it needs"),
    (event("MixtureOfGaussians", 1, [0, 1], [0.5, 0.4]), "need exactly 1"),
    (event("MixtureOfGaussians", 1, [0, -1], [0.5, 0.5]), "sensitivities = -1: need"),
    (event("PoissonSampled", 0.1, event("SelfComposed", event("Laplace", 1), 2)), "several"),
    (
        {
            "event": event("PoissonSampled", 0.1, event("Gaussian", 1)),
            "neighboring_relation": "REPLACE_ONE",
        },
        "sampling under REPLACE_ONE is not supported",
    ),
    ({"event": event("NoOp"), "neighboring_relation": "REPLACE_SPECIAL"}, "need ADD_OR"),
    ({"event": event("NoOp"), "claim": {"epsilon": [2, 1], "delta": 0}}, "claim.epsilon = 1"),
    ({"event": event("NoOp"), "claim": {"epsilon": 1}}, "claim: no key delta"),
)
def test_what_cannot_be_enclosed_is_refused_by_name(document, says, tmp_path):
    assert says in error_line((DataError, ValueError), run_of, document, tmp_path)


def test_a_deep_tree_is_refused(tmp_path):
    tree: object = event("NoOp")
    for _ in range(70):
        tree = event("Composed", [tree])
    assert "more than 64 events within one another" in error_line(DataError, run_of, tree, tmp_path)


@cases(("4.4,1e-5", "upheld", ExitStatus.DONE), ("4.3,1e-5", "refuted", ExitStatus.VIOLATED))
def test_the_command_judges_a_claim(claim, word, status, tmp_path):
    path = tmp_path / "run.json"
    path.write_text('{"history": [[1, 1, 1]], "mechanism": "rdp"}', "utf-8")
    ran = kproof("account", str(path), "--claim", claim)
    assert f"{word}: the claim that epsilon is at most {claim[:3]} at delta" in ran.out
    assert ran.status == status
    document = json.loads(kproof("account", str(path), "--claim", claim, "--json").out)
    assert document["claim"]["standing"] == word


def test_whoever_claims_writes_nothing_over_the_verdict(tmp_path):
    path = tmp_path / "run.json"
    claim = {"epsilon": 1, "delta": 1e-5, "by": "\x1b[2K\x1b[1Gupheld: the claim of A"}
    path.write_text(json.dumps({"event": event("Gaussian", 1), "claim": claim}), "utf-8")
    out = printed("account", str(path), status=1)
    assert "\nrefuted: the claim of " in out
    assert "\x1b" not in out


def test_a_claim_about_other_neighbours_is_not_judged(tmp_path):
    path = tmp_path / "run.json"
    claim = {"epsilon": 100, "delta": 1e-5, "neighboring_relation": "REPLACE_ONE"}
    path.write_text(json.dumps({"event": event("Gaussian", 1), "claim": claim}), "utf-8")
    ran = kproof("account", str(path))
    assert ran.status == ExitStatus.OPEN
    assert "not judged: the claim" in ran.out
    assert "upheld" not in ran.out


def test_the_command_says_what_it_needs(tmp_path):
    path = tmp_path / "run.json"
    path.write_text('{"history": [[1, 1, 1]]}', "utf-8")
    assert "--delta or --epsilon" in refused("account", str(path))
    assert "at least 1e-300" in refused("account", str(path), "--delta", "1e-9000")
    assert "need EPSILON,DELTA" in refused("account", str(path), "--claim", "1")
    assert "cannot be read" in refused("account", str(tmp_path / "none.json"), "--delta", "1e-5")
    path.write_text('{"history": [[0.001, 0.5, 1000000000]]}', "utf-8")
    assert "floats lose them" in refused("account", str(path), "--delta", "1e-5")
