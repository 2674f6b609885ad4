"""One pytest test for each promise of each anonymizer.

The checks of one anonymizer share one run, which the first of its tests starts, so that the
anonymizer is called as often as if there were a single test.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kproof.proptests.api import check_anonymizer, checks_for, options_of_several_runs, subject_of
from kproof.proptests.contract import CheckStatus
from kproof.proptests.engine import require_known_failures
from kproof.proptests.rendering import verdict
from kproof.proptests.results import PromiseBroken, PromiseOpen, Results

if TYPE_CHECKING:
    import pytest

_OF_SUBJECT = (
    *("promises", "kind", "parameters", "errors", "call"),
    *("suppresses", "pads", "timeout", "fixed", "supports"),
)


def parametrize_with_checks(
    anonymizers: Iterable[Any],
    *,
    expected_failures: Mapping[str, str] | None = None,
    **options: Any,
) -> pytest.MarkDecorator:
    """Parametrize a pytest test over anonymizers and the checks that each is held to.

    The test takes one argument, ``check``, and calls it.

    Args:
        anonymizers: As for :func:`~kproof.proptests.check_anonymizer`, one after the other.
        expected_failures: Reason by name of the check; such a test is reported as an expected
            failure, and fails once the check passes.
        **options: Further options of :func:`~kproof.proptests.check_anonymizer`, but ``on_fail``.

    >>> from kproof.proptests import parametrize_with_checks
    >>> @parametrize_with_checks(["mondrian"], profile="quick")
    ... def test_promises(check):
    ...     check()
    """
    import pytest

    shared = options_of_several_runs({"expected_failures": expected_failures, **options})
    cases = [
        item.parameter for anonymizer in anonymizers for item in suite_of(anonymizer, **shared)
    ]
    return pytest.mark.parametrize("check", cases)


def suite_of(anonymizer: Any, **options: Any) -> tuple[HeldCheck, ...]:
    """Return a test for each check that an anonymizer is held to; they share one run."""
    of_subject = {name: value for name, value in options.items() if name in _OF_SUBJECT}
    # Made here as well: what cannot be called ends the collection, and not the first of its tests.
    subject = subject_of(anonymizer, **of_subject)
    checks = checks_for(subject, options.get("checks"))
    require_known_failures(options.get("expected_failures") or (), checks)
    run = _Run(anonymizer, subject.name, options)
    return tuple(HeldCheck(run, check.name) for check in checks)


@dataclass(frozen=True, eq=False)
class _Run:
    """A run that is made when its results are asked for."""

    anonymizer: Any
    name: str
    options: Mapping[str, Any]

    @cached_property
    def results(self) -> Results:
        return check_anonymizer(self.anonymizer, **self.options, on_fail="return")


@dataclass(frozen=True, eq=False)
class HeldCheck:
    """One check of one anonymizer, as a function that a test calls."""

    run: _Run
    """Shared with the other checks of the anonymizer."""
    check: str
    """Name of the check."""

    @property
    def seconds(self) -> float | None:
        """What the check took of the run that it shares; None if the run did not come to an end."""
        results = vars(self.run).get("results")
        return None if results is None else results[self.check].seconds

    @property
    def parameter(self) -> Any:
        """What a test is parametrized with: checks that share a run stay in one process."""
        import pytest

        name = f"{self.run.name}-{self.check}"
        return pytest.param(self, id=name, marks=pytest.mark.xdist_group(self.run.name))

    def __call__(self) -> None:
        """Fail if the check failed, and end as an expected failure if that was expected.

        A check that judged no case is skipped, with the reason, unless no other check of the same
        promise did either: that raises PromiseOpen.
        """
        import pytest

        results = self.run.results
        result = results[self.check]
        if result.broken:
            raise PromiseBroken(results.explain(result), results)
        if result.status is CheckStatus.EXPECTED:
            pytest.xfail(str(result.reason))
        if result.status is CheckStatus.NOT_APPLICABLE:
            if any(map(result.check.answers_for, results.unjudged)):
                raise PromiseOpen(f"{verdict(result)}. {results.open_question()}", results)
            pytest.skip(verdict(result))
