"""The suite as tests that run from any directory, one for each promise of an anonymizer.

::

    pytest --pyargs kproof.proptests.test_suite --anonymizer package.module:function
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kproof.errors import KProofError
from kproof.proptests.demands import failures_expected, texts_of_fixed
from kproof.proptests.parametrize import suite_of
from kproof.proptests.subjects.command import Command

if TYPE_CHECKING:
    from kproof.proptests.parametrize import HeldCheck


_AS_THEY_ARE = ("kind", "suppresses", "pads", "profile", "max_examples", "seed", "timeout")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make the tests of the anonymizers that the options name."""

    def option(name: str, default: object = None) -> Any:
        return metafunc.config.getoption(f"anonymizer{name}", default)

    try:
        anonymizers = [*option("", []), *map(Command, option("_command", []))]
        promises = [name for names in option("_promises", []) for name in names.split(",")]
        cases = [
            item.parameter
            for anonymizer in anonymizers
            for item in suite_of(
                anonymizer,
                promises=promises or None,
                expected_failures=failures_expected(option("_xfail")),
                fixed=texts_of_fixed(option("_fixed", [])),
                supports=[name for name in (option("_supports") or "").split(",") if name],
                **{name: option(f"_{name}") for name in _AS_THEY_ARE},
            )
        ]
    except KProofError as error:
        raise pytest.Collector.CollectError(str(error)) from None
    if not anonymizers:
        reason = "no anonymizer; name one with --anonymizer package.module:name"
        cases = [pytest.param(None, id="none", marks=pytest.mark.skip(reason))]
    metafunc.parametrize("check", cases)


def test_promise(check: HeldCheck) -> None:
    """Hold an anonymizer to one promise."""
    check()
