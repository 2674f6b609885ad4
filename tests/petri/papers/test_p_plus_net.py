"""The base model's checks, step by step, against counting by hand and the checker."""

from typing import Any

import numpy as np
import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from net_runs import reached

from kproof.errors import DataError, InvalidArgument
from kproof.models.base.classes import Classes
from kproof.models.privacy import KAnonymity, PPlusSensitive
from kproof.petri.papers.p_plus_sensitive import p_plus_publisher

CATEGORY = {"a": 1, "b": 1, "c": 2, "d": 2, "e": 3}


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=5), min_size=1, max_size=3),
    st.integers(2, 4),
    st.integers(1, 3),
    st.sampled_from(["values", "records"]),
)
def test_what_is_published_satisfies_the_model(classes, k, p, tokens):
    p = min(p, k)
    publisher = p_plus_publisher(
        classes, p=p, k=k, categories=CATEGORY, domain="abcde", tokens=tokens
    )
    (end,) = reached(publisher.net()).ends
    holds = all(
        len(one) >= k and len(set(one)) >= p and len({CATEGORY[v] for v in one}) >= p
        for one in classes
    )
    assert bool(end["Publish Data"]) == holds
    assert bool(end["Infeasible"]) == (not holds)
    if holds:
        (ecs,) = publisher.publications(end)
        assert publisher.names(ecs) == tuple(tuple(sorted(one)) for one in classes)
    else:
        ((where, _),) = end["Infeasible"]
        checks = [len, lambda one: len(set(one)), lambda one: len({CATEGORY[v] for v in one})]
        least = [k, p, p]
        assert where == next(
            at
            for check, bound in zip(checks, least, strict=True)
            for at, one in enumerate(classes)
            if check(one) < bound
        )
    seen = Classes(
        np.array([at for at, one in enumerate(classes) for _ in one]),
        len(classes),
        np.array(["abcde".index(v) for one in classes for v in one]),
        (*"abcde",),
        category=np.array([0, 0, 1, 1, 2]),
        categories=(1, 2, 3),
    )
    assert (bool(KAnonymity(k).check(seen)) and bool(PPlusSensitive(p, k).check(seen))) == holds


def test_the_steps_are_those_of_the_paper():
    net = p_plus_publisher([["a", "c"], ["b", "d"]], p=2, k=2, categories=CATEGORY).net()
    found = reached(net)
    assert found.count == (8, 7)
    order = [firing.transition for out in found.arcs.values() for firing, _ in out]
    assert order == ["Generalize", "CheckK", "Dist", "Count", "CheckPK", "CompC", "CheckPPK"]
    named = {place.name for place in net.places}
    table_7 = {"MT", "MMT", "KLevel", "CondTF", "Gi", "ds", "CountDs", "PLevel", "CompC"}
    assert table_7 | {"Publish Data", "Infeasible", "GiC"} == named


@cases(
    (InvalidArgument, {"k": 1}, "k = 1: need a whole number k >= 2"),
    (InvalidArgument, {"p": 3}, "p = 3: need"),
    (InvalidArgument, {"p": 0}, "p = 0: need"),
    (DataError, {"categories": {"a": 1}}, "value b has no category"),
    (DataError, {"categories": None}, "value a has no category"),
)
def test_bad_input(error, arguments, message):
    usual: dict[str, Any] = {"classes": [["a", "b"]], "p": 2, "k": 2, "categories": CATEGORY}
    with pytest.raises(error, match=message):
        p_plus_publisher(**(usual | arguments)).net()
