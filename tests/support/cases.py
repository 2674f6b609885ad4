"""A table of cases for a test, and the line with which something is refused."""

from collections.abc import Callable, Iterable
from inspect import signature
from typing import Any

import pytest


def cases(*rows: Any, ids: Iterable[str] | Callable[[Any], str] | None = None) -> Any:
    """Run a test once for each row, which gives its first parameters in their order.

    A row of several parameters is a tuple, a row of one is its value.
    """

    def mark(test: Any) -> Any:
        width = len(rows[0]) if isinstance(rows[0], tuple) else 1
        first, *others = [*signature(test).parameters][:width]
        return pytest.mark.parametrize((first, *others) if others else first, rows, ids=ids)(test)

    return mark


def error_line(
    error: type[Exception] | tuple[type[Exception], ...],
    call: Callable[..., object],
    /,
    *arguments: Any,
    **options: Any,
) -> str:
    """Return the one line with which a call is refused."""
    with pytest.raises(error) as caught:
        call(*arguments, **options)
    line = str(caught.value)
    assert "\n" not in line, line
    return line
