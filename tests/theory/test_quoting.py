"""Calls written down and made later: what is refused."""

import copy

import pytest

from kproof.theory.quoting import evaluate, quote


def test_private_names_are_not_written_down():
    call = quote(divmod)(7, 2)
    with pytest.raises(AttributeError, match="_repr_html_ is private"):
        _ = call._repr_html_
    assert evaluate(copy.deepcopy(call)) == (3, 1)
