"""Calls written down and made later: what waits, what does not, and what is refused."""

from __future__ import annotations

import builtins
import copy
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from kproof.theory.quoting import deferred, evaluated, imported, quote


def test_an_import_waits_until_its_call_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    with deferred():
        from colorsys import rgb_to_hsv
    call = quote(rgb_to_hsv)(1, 1, 1)[2] * 2
    assert repr(call) == "rgb_to_hsv(1, 1, 1)[2] * 2"
    assert imported(call) == {"rgb_to_hsv": "colorsys"}
    assert "colorsys" not in sys.modules
    assert evaluated(call) == 2
    assert "colorsys" in sys.modules


def test_only_imports_of_the_block_wait() -> None:
    usual = builtins.__import__

    def elsewhere() -> int:
        from math import gcd

        return gcd(4, 6)

    with ThreadPoolExecutor(1) as other:
        with deferred():
            assert builtins.__import__ is not usual
            assert other.submit(elsewhere).result() == 2
        assert builtins.__import__ is usual


def test_an_error_in_the_block_ends_the_waiting() -> None:
    usual = builtins.__import__
    with pytest.raises(ZeroDivisionError), deferred():
        divmod(1, 0)
    assert builtins.__import__ is usual


def test_private_names_are_not_written_down() -> None:
    call = quote(divmod)(7, 2)
    with pytest.raises(AttributeError, match="_repr_html_ is private"):
        _ = call._repr_html_
    assert evaluated(copy.deepcopy(call)) == (3, 1)
