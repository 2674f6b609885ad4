"""The ledger of quadtree heat maps: its evidence is run, and its counterexample is the smallest."""

from __future__ import annotations

import doctest
from itertools import product

import pytest

from kproof.models.papers.claims import QUADTREE_NOTES
from kproof.models.papers.quadtree_examples import counts
from kproof.theory.ledger import Claim


@pytest.mark.parametrize("claim", QUADTREE_NOTES.claims, ids=lambda claim: claim.id)
def test_the_evidence_holds(claim: Claim) -> None:
    assert claim.evidence
    for one in claim.evidence:
        example = doctest.DocTestParser().get_doctest(one.example, {}, claim.id, None, None)
        told: list[str] = []
        failed, tried = doctest.DocTestRunner().run(example, out=told.append)
        assert (failed, tried) == (0, len(one.imports) + 1), "".join(told)


def test_the_ledger_is_whole() -> None:
    numbers = [claim.id for claim in QUADTREE_NOTES.claims]
    assert numbers == [f"Q{number}" for number in range(1, len(numbers) + 1)]


def test_no_fewer_people_in_four_blocks_stand_in_one_anothers_way() -> None:
    # Q8: with k = 2, a square that has a short block and enough beside it to be cut.
    hidden = []
    for people in product(range(4), repeat=4):
        names = iter("abcdefghijkl")
        north_west, north_east, south_west, south_east = (
            "".join(next(names) for _ in range(size)) for size in people
        )
        if sum(people) < 2:
            continue
        town = f"{north_west}|{north_east}/{south_west}|{south_east}"
        whole = counts(town, min_k=2, merge_sectors=False) == (sum(people),)
        if whole and sum(people) > 2 and len(counts(town, min_k=2)) > 1:
            hidden.append(sum(people))
    # Two in one block and one elsewhere can only be told apart from empty blocks.
    assert min(hidden) == 3
