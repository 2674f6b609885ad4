"""The engine on subjects, checks and sources whose answers are known beforehand."""

import pickle
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from cases import error_line
from hypothesis import strategies as st

from kproof.errors import InvalidArgument, KProofError
from kproof.models.registry import Kind, Promise
from kproof.proptests.api import check_anonymizer
from kproof.proptests.contract import (
    Answer,
    Check,
    CheckResult,
    CheckStatus,
    NoAnswer,
    Refusal,
    Severity,
    Source,
    Subject,
    Trial,
)
from kproof.proptests.demands import NotDriven
from kproof.proptests.engine import RunBudget, hold
from kproof.proptests.judgement import UNPUBLISHED, Judgement, Kept, Violation
from kproof.proptests.profiles import PROFILES, Profile
from kproof.proptests.results import PromiseBroken, PromiseOpen

SMALL = Profile("small", examples=40, costly=3, finite=1_000, shrinking=500)
"""Quick, and enough for the faults below."""

Cell = tuple[int, ...]


def subject(publish: Callable[[Any], Any], **more: Any) -> Subject:
    return Subject("it", Kind.TABLE, frozenset({Promise.K_ANONYMITY}), publish, **more)


def check(name: str, wrong: Callable[[Trial], object], *, costly: bool = False) -> Check:
    """A check that fails where ``wrong`` says so, and tells what it saw."""

    def function(trial: Trial) -> Judgement:
        if wrong(trial):
            return Violation(f"saw {trial.case}", "this", "that")
        return Kept() if trial.published else UNPUBLISHED

    kinds = frozenset({Kind.TABLE})
    return Check(
        name, "It is right.", "right", "here", kinds, frozenset(), Severity.TRUTH, function, costly
    )


def numbers(name: str = "numbers") -> Source:
    """Lists of up to eight numbers from 0 to 1000."""
    drawn = st.lists(st.integers(0, 1000), max_size=8).map(tuple)
    return Source(name, Kind.TABLE, lambda parameters: drawn)


def bits(longest: int) -> Source:
    """Every list of bits up to some length, shorter ones first."""

    def every(parameters: frozenset[str]) -> Iterable[Cell]:
        for length in range(longest + 1):
            yield from product((0, 1), repeat=length)

    drawn = st.lists(st.integers(0, 1), max_size=longest).map(tuple)
    return Source("bits", Kind.TABLE, lambda parameters: drawn, every)


def only(results: tuple[CheckResult, ...]) -> CheckResult:
    (result,) = results
    return result


FINE = check("fine", lambda trial: False)
LARGE = check("large", lambda trial: sum(trial.case) >= 700)
LONG = check("long", lambda trial: len(trial.case) >= 3)


def test_one_sweep_serves_every_check():
    calls: list[Cell] = []
    several = [replace(FINE, name=f"fine {number}") for number in range(5)]
    results = hold(subject(calls.append), several, [numbers()], profile=SMALL)
    assert [result.status for result in results] == [CheckStatus.PASSED] * 5
    assert {result.examples for result in results} == {len(calls)} == {SMALL.examples}
    assert {result.published for result in results} == {len(calls)}


@pytest.mark.parametrize("seed", range(5))
def test_each_failure_is_shrunk_for_itself(seed):
    results = hold(subject(list), [FINE, LARGE, LONG], [numbers()], profile=SMALL, seed=seed)
    fine, large, long = results
    assert (fine.status, fine.case, fine.ok) == (CheckStatus.PASSED, None, True)
    assert (large.status, large.case, large.ok) == (CheckStatus.FAILED, (700,), False)
    assert (long.status, long.case, long.outcome) == (CheckStatus.FAILED, (0, 0, 0), [0, 0, 0])
    assert long.violation == Violation("saw (0, 0, 0)", "this", "that")
    assert (long.source, long.seed) == ("numbers", seed)


def test_one_cause_is_shown_once():
    calls: list[Cell] = []

    def publish(case: Cell) -> Cell:
        calls.append(case)
        return case

    sums = [check(f"over {most}", lambda trial: sum(trial.case) >= 700) for most in range(6)]
    assert [
        (one.case, one.cause)
        for one in hold(subject(publish), [*sums, LONG], [numbers()], profile=SMALL)
    ] == [((700,), None), *[((700,), "over 0")] * 5, ((0, 0, 0), None)]
    # Six checks, and hardly more calls than for one of them; the second cause has half of them.
    assert len(calls) < SMALL.examples + 2 * SMALL.shrinking


def test_a_check_that_failed_looks_no_further():
    seen: Counter[str] = Counter()

    def wrong(trial: Trial) -> bool:
        seen["looks"] += 1
        return True

    sources = [numbers("first"), numbers("second")]
    result = only(hold(subject(list), [check("bad", wrong)], sources, profile=SMALL))
    assert (result.source, result.examples) == ("first", 1)
    assert seen["looks"] < 5


def test_a_finite_source_is_exhausted():
    calls: list[Cell] = []
    result = only(hold(subject(calls.append), [FINE], [bits(3)], profile=SMALL))
    assert (result.status, result.exhausted) == (CheckStatus.EXHAUSTED, ("bits",))
    assert len(calls) == result.examples == 15
    assert len(set(calls)) == 15


def test_a_sample_of_a_finite_source_is_not_called_every_case():
    dear = replace(FINE, name="dear", costly=True)
    plain, costly = hold(subject(list), [FINE, dear], [bits(3)], profile=SMALL)
    assert (plain.status, plain.exhausted) == (CheckStatus.EXHAUSTED, ("bits",))
    assert (costly.status, costly.exhausted, costly.judged) == (
        CheckStatus.PASSED,
        (),
        SMALL.costly,
    )
    _, costly = hold(subject(list), [FINE, dear], [bits(3)], profile=SMALL, every_case=True)
    assert (costly.status, costly.exhausted) == (CheckStatus.EXHAUSTED, ("bits",))


def test_what_was_not_run_through_is_not_called_exhausted():
    few = replace(SMALL, finite=14)
    result = only(hold(subject(list), [FINE], [bits(3)], profile=few))
    assert (result.status, result.exhausted, result.examples) == (CheckStatus.PASSED, (), 14)
    result = only(hold(subject(list), [FINE], [bits(3), numbers()], profile=SMALL))
    assert (result.status, result.exhausted) == (CheckStatus.PASSED, ("bits",))
    assert result.examples == 15 + SMALL.examples


def test_the_first_failure_in_a_finite_source_is_the_smallest():
    two = check("two", lambda trial: sum(trial.case) == 2)
    result = only(hold(subject(list), [two], [numbers(), bits(4)], profile=SMALL))
    assert (result.case, result.source, result.examples) == ((1, 1), "bits", 7)
    assert result.exhausted == ()


def test_without_a_publication_nothing_was_checked():
    def refuse(case: Cell) -> None:
        raise KProofError("no")

    result = only(hold(subject(refuse), [FINE], [numbers()], profile=SMALL))
    assert (result.status, result.ok) == (CheckStatus.NOT_APPLICABLE, False)
    assert (result.examples, result.published) == (SMALL.examples, 0)
    refused = check("refused", lambda trial: isinstance(trial.outcome, Refusal))
    result = only(hold(subject(refuse), [refused], [numbers()], profile=SMALL))
    assert (result.status, result.case) == (CheckStatus.FAILED, ())
    assert str(result.outcome) == "KProofError: no"


def test_expected_failures():
    expected = {"long": "known since 2020", "fine": "no longer"}
    results = hold(
        subject(list), [FINE, LONG], [numbers()], profile=SMALL, expected_failures=expected
    )
    assert [(one.status, one.ok, one.reason) for one in results] == [
        (CheckStatus.FIXED, False, "no longer"),
        (CheckStatus.EXPECTED, True, "known since 2020"),
    ]
    assert results[1].case == (0, 0, 0)
    with pytest.raises(InvalidArgument, match="expected_failures = lang: need one of fine, long"):
        hold(
            subject(list), [FINE, LONG], [numbers()], profile=SMALL, expected_failures={"lang": ""}
        )


def test_what_does_not_apply_is_left_out_and_nothing_left_is_refused():
    other = replace(FINE, name="other", kinds=frozenset({Kind.CITY}))
    unpromised = replace(FINE, name="unpromised", promises=frozenset({Promise.L_DIVERSITY}))
    city = replace(numbers("city"), kind=Kind.CITY)
    result = only(hold(subject(list), [FINE, other, unpromised], [city, numbers()], profile=SMALL))
    assert (result.check.name, result.source) == ("fine", "numbers")
    with pytest.raises(
        InvalidArgument, match="promises = k-anonymity: need promises that some check"
    ):
        hold(subject(list), [unpromised], [numbers()], profile=SMALL)
    with pytest.raises(InvalidArgument, match="need a source of table cases"):
        hold(subject(list), [FINE], [city], profile=SMALL)


@pytest.mark.parametrize("source", [numbers(), bits(3)], ids=lambda source: source.name)
def test_a_defect_of_a_check_surfaces_with_the_case(source):
    def broken(trial: Trial) -> bool:
        return len(trial.case) >= 2 and 1 // 0 == 0

    with pytest.raises(ZeroDivisionError) as caught:
        hold(subject(list), [FINE, check("broken", broken)], [source], profile=SMALL)
    (note,) = caught.value.__notes__
    assert note.startswith("in check 'broken' of it, on (")


@pytest.mark.parametrize("source", [numbers(), bits(3)], ids=lambda source: source.name)
def test_an_interruption_goes_through(source):
    def interrupted(case: Cell) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hold(subject(interrupted), [FINE], [source], profile=SMALL)


def test_one_seed_one_run():
    def cases(seed: int) -> list[Cell]:
        seen: list[Cell] = []
        hold(subject(seen.append), [FINE], [numbers()], profile=SMALL, seed=seed)
        return seen

    assert cases(1) == cases(1)
    assert cases(1) != cases(2)


def test_costly_checks_look_at_few_cases_unless_told_otherwise():
    dear = replace(FINE, name="dear", costly=True)
    sources = [numbers(str(number)) for number in range(5)] + [bits(3)]
    plain, costly = hold(subject(list), [FINE, dear], sources, profile=SMALL)
    assert plain.examples == 15 + 5 * SMALL.examples
    assert costly.examples == SMALL.costly
    plain, costly = hold(subject(list), [FINE, dear], sources, profile=SMALL, every_case=True)
    assert costly.examples == plain.examples


def test_a_costly_check_judges_what_is_published_wherever_that_is():
    def early(case: Cell) -> Cell:
        if case and case[0] > 500:
            raise KProofError("too large")
        return case

    def large(parameters: frozenset[str]) -> st.SearchStrategy[Cell]:
        return st.just((501,))

    quick = replace(SMALL, examples=8, costly=1)
    dear = replace(check("dear", lambda trial: False), costly=True)
    silent = [replace(numbers(str(number)), draw=large) for number in range(4)]
    result = only(hold(subject(early), [dear], [numbers(), *silent], profile=quick))
    assert (result.status, result.judged) == (CheckStatus.PASSED, 1)
    # The share of one that is too short is made good by the others.
    result = only(hold(subject(early), [dear], [bits(0), *silent, numbers()], profile=quick))
    assert (result.status, result.judged) == (CheckStatus.PASSED, 1)


def test_a_costly_failure_is_shrunk_over_cases_it_had_not_seen():
    dear = replace(LONG, costly=True)
    result = only(hold(subject(list), [dear], [numbers()], profile=SMALL))
    assert (result.status, result.case) == (CheckStatus.FAILED, (0, 0, 0))
    dear = check("dear", lambda trial: True, costly=True)
    result = only(hold(subject(list), [dear], [numbers()], profile=SMALL))
    assert (result.status, result.case) == (CheckStatus.FAILED, ())


@pytest.mark.parametrize("again", [lambda number: False, lambda number: number % 3 == 0])
def test_a_subject_that_cannot_be_repeated_keeps_a_case_that_failed(again):
    calls: Counter[str] = Counter()

    def moody(case: Cell) -> bool:
        calls["it"] += 1
        return calls["it"] == 30 or (calls["it"] > 30 and again(calls["it"]))

    happy = check("happy", lambda trial: trial.outcome is True)
    result = only(hold(subject(moody), [happy], [numbers()], profile=SMALL))
    assert (result.status, result.outcome, result.examples) == (CheckStatus.FAILED, True, 30)
    assert result.violation == Violation(f"saw {result.case}", "this", "that")


def test_shrinking_ends_when_its_calls_are_spent():
    calls: list[Cell] = []
    far = check("far", lambda trial: sum(trial.case) >= 400)
    frugal = replace(SMALL, shrinking=5)
    result = only(hold(subject(calls.append), [far], [numbers()], profile=frugal))
    assert result.status is CheckStatus.FAILED
    assert sum(result.case) >= 400
    assert len(calls) == result.examples + 5


def test_nothing_of_hypothesis_is_printed(capfd):
    hold(subject(list), [LARGE, LONG], [numbers()], profile=SMALL)
    assert capfd.readouterr() == ("", "")


def test_warnings_are_no_failures():
    def publish(case: Cell) -> Cell:
        warnings.warn("old", DeprecationWarning, stacklevel=2)
        return case

    refused = check("refused", lambda trial: isinstance(trial.outcome, Refusal))
    result = only(hold(subject(publish), [refused], [numbers()], profile=SMALL))
    assert result.status is CheckStatus.PASSED
    with pytest.warns(DeprecationWarning, match="old"):
        publish(())


def test_profiles_grow_and_are_limited():
    quick, default, deep = PROFILES.values()
    assert quick.examples < default.examples < deep.examples
    assert quick.finite < default.finite < deep.finite
    assert quick.with_examples("7").examples == 7
    assert quick.with_examples(None) is quick
    with pytest.raises(InvalidArgument, match="max_examples = 0: need a whole number"):
        quick.with_examples(0)


def limited(seconds: int, checked: Check, *sources: Source) -> tuple[CheckResult, RunBudget, float]:
    """Return how a run in so many seconds ends, in which each call takes one."""
    calls: list[Cell] = []
    budget = RunBudget(Fraction(seconds), clock=lambda: len(calls))
    result = hold(subject(calls.append), [checked], sources, profile=SMALL, budget=budget)
    return only(result), budget, len(calls)


def test_a_budget_ends_a_run_in_its_time_and_every_source_has_its_turn():
    sources = bits(3), numbers("first"), numbers("second")
    result, budget, calls = limited(12, FINE, *sources)
    assert (result.status, result.judged, result.exhausted) == (CheckStatus.PASSED, 9, ())
    assert budget.cut_short == [source.name for source in sources]
    assert calls == 9
    result, budget, _ = limited(1000, FINE, *sources)
    assert (result.judged, result.exhausted) == (15 + 2 * SMALL.examples, ("bits",))
    assert budget.cut_short == []


def test_a_budget_ends_the_search_for_a_small_case():
    result, _, calls = limited(20, LARGE, numbers())
    assert result.status is CheckStatus.FAILED
    assert sum(result.case) >= 700
    assert calls <= 21


def test_results_are_printed_for_a_person():
    def as_it_is(frame, quasi_identifiers, k):
        return frame

    results = check_anonymizer(as_it_is, profile="quick", max_examples=2, on_fail="return")
    printed = str(results)
    failing = [result.check.name for result in results.failures]
    assert printed.startswith("k-anonymity: ")
    for result in results:
        assert (f"{result.check.name}: " in printed) is (result.check.name in failing)
    assert "The smallest input that was found (1 row of pandas;" in printed
    assert "not judged: 'shared labels' does not apply to" in printed
    assert printed.splitlines()[-1] == results.summary().splitlines()[-1]
    # A page for each cause, which names whatever else fails on its input.
    causes = sum(result.cause is None for result in results.failures)
    assert results.report().count("To build the input") == causes < len(failing)
    assert "breaks, too monotone in k: " in results.report()
    shared = results["monotone in k"]
    assert "the search for what breaks 'k-anonymity'; it first failed in" in results.explain(shared)


def test_what_was_cut_short_is_said():
    def publish(frame, quasi_identifiers, k):
        return frame

    results = check_anonymizer(publish, profile="quick", seconds="1e-9", on_fail="return")
    assert results.answer is Answer.OPEN
    assert "Its share of the 1e-09 s did not last for all cases of: every table" in results.report()
    assert results.to_dict()["cut_short"] == list(results.cut_short)
    assert "seconds = 0: need" in error_line(InvalidArgument, check_anonymizer, publish, seconds=0)


def test_errors_travel_between_processes():
    broken = PromiseBroken("it fails", None)
    for error in (
        broken,
        PromiseOpen("it is open"),
        NotDriven(Promise.L_DIVERSITY, "l"),
        NoAnswer(Fraction(1, 2)),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (type(error), str(error))
