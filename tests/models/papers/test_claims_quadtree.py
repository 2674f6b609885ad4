"""The ledger of quadtree heat maps: its counterexample is the smallest."""

from itertools import product

from kproof.models.papers.quadtree_examples import counts


def test_no_fewer_people_in_four_blocks_stand_in_one_anothers_way():
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
