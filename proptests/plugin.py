"""The pytest plugin: options for the tests of :mod:`kproof.proptests.test_suite`, nothing else.

It is loaded in every pytest run where kproof is installed, so it imports nothing of kproof or
Hypothesis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pluggy import HookimplMarker

if TYPE_CHECKING:
    from collections.abc import Generator

    import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Name the mark of pytest-xdist, for those who do not have it."""
    config.addinivalue_line("markers", "xdist_group(name): tests for one process of pytest-xdist")


@HookimplMarker("pytest")(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Bill a check of the suite what it took: the run, which it shares, is made by the first."""
    report = yield
    check: Any = getattr(getattr(item, "callspec", None), "params", {}).get("check")
    # By name, since this is loaded in runs that have nothing to do with the suite.
    if call.when == "call" and type(check).__name__ == "HeldCheck" and check.seconds is not None:
        report.duration = check.seconds
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that say what is tested."""
    group = parser.getgroup("kproof", "kproof: pytest --pyargs kproof.proptests.test_suite")
    for name, metavar, help_text in (
        ("", "PACKAGE.MODULE:NAME", "anonymizer to hold to its promises"),
        ("-command", "LINE", "program to hold to its promises, with {input}, {output}, {k}, ..."),
        ("-promises", "NAME,...", "what it promises, such as k-anonymity,truthful"),
        ("-fixed", "NAME=VALUE", "parameter that it always keeps to, such as k=5"),
        ("-xfail", "NAME=REASON", "check that is known to fail"),
    ):
        text = f"{help_text}; may be repeated"
        group.addoption(
            f"--anonymizer{name}", action="append", default=[], metavar=metavar, help=text
        )
    text = "table, city, points, graph or log"
    group.addoption("--anonymizer-kind", default="table", metavar="KIND", help=text)
    group.addoption(
        "--anonymizer-timeout",
        metavar="SECONDS",
        help="limit of one call; none unless said, and 60 for a program",
    )
    group.addoption(
        "--anonymizer-supports",
        metavar="NAME,...",
        help="tables it takes, if not all, such as pandas,numbers,text",
    )
    group.addoption("--anonymizer-suppresses", action="store_true", help="it may leave records out")
    group.addoption(
        "--anonymizer-pads", action="store_true", help="it may add rows that are nobody's"
    )
    group.addoption(
        "--anonymizer-profile", default="default", metavar="NAME", help="quick, default or deep"
    )
    group.addoption("--anonymizer-max-examples", metavar="N", help="cases from each source")
    group.addoption("--anonymizer-seed", default="0", metavar="N", help="seed of the cases")
