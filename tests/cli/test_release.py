"""``kproof bound release`` and ``kproof design release`` as they are typed."""

import json
from collections import Counter
from decimal import Context, Decimal
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

import pytest
from cases import cases
from shell import kproof, refused, same_as_snapshot

from kproof.theory.profiles.sampled import shown_share, worst_tables
from kproof.theory.theorems.releases import RELEASE_BOUNDS
from kproof.theory.theorems.releases.sampled import release_bound

ASKED = ("bound", "release", "--k", "5", "--beta", "1/10")


def document(*words: str) -> Any:
    """The JSON document of a command."""
    return kproof(*words, "--json").document


def test_a_bound_of_releases_refers_to_what_there_is():
    for entry in RELEASE_BOUNDS.values():
        homes = [value for value in vars(entry).values() if hasattr(value, "target")]
        assert all(home.target is not None for home in homes)


def test_several_epsilons_with_the_tables_that_attain_them():
    points = document(*ASKED, "--epsilon", "0.2,1")["points"]
    assert [point["worst"] for point in points] == [
        "16 rows of a cell against 15",
        "6 rows of a cell against 5",
    ]
    assert points[1]["delta"]["upper"].startswith("0.0000278171817154095")
    floor = points[1]["floor"]
    assert Fraction(floor["lower"]) <= Fraction(1, 10**5) <= Fraction(floor["upper"])
    ran = kproof(*ASKED, "--epsilon", "0.2,1", columns=100)
    same_as_snapshot("bound-release.txt", ran.out)
    assert "holds against everyone" in ran.out


def test_replacing_a_row_is_asked_for_by_name():
    words = ("bound", "release", "--k", "3", "--beta", "1/2", "--epsilon", "0.3")
    added, replaced = (document(*words, "--neighbours", how) for how in ("add", "replace"))
    assert (added["statement"], replaced["statement"]) == ("R7", "R9")
    assert replaced["delta"]["lower"].startswith("0.16524650872393723")
    assert replaced["worst"] == "a row moves from 3 others to 3"
    assert document(*words) == added


def test_the_inverse_and_the_floor():
    back = document(*ASKED, "--delta", "1e-4")
    assert Fraction(back["epsilon"]["upper"]) < 1
    again = document(*ASKED, "--epsilon", back["epsilon"]["upper"])
    assert Fraction(again["delta"]["lower"]) <= Fraction(1, 10**4)
    line = refused(*ASKED, "--delta", "1e-9")
    assert line == (
        "--delta = 1e-9: need at least beta^k = 0.00001, which no epsilon goes below; least k is 9"
    )


@cases(
    ("--k 5 --beta 1 --epsilon 1", "--beta = 1: need less than 1: where all rows are kept"),
    ("--k 5 --beta 0 --epsilon 1", "--beta = 0: need more than 0"),
    ("--k 5 --beta 3/2 --epsilon 1", "--beta = 3/2: need 0 < beta < 1"),
    ("--k 0 --beta 1/2 --epsilon 1", "--k = 0: need a whole number 1 <= k <= 1000000"),
    ("--k 2.5 --beta 1/2 --epsilon 1", "--k = 2.5: need a whole number"),
    ("--k 10000000 --beta 1/2 --epsilon 1", "--k = 10000000: need a whole number"),
    ("--k 5 --beta 1/2 --epsilon -1", "--epsilon = -1: need epsilon >= 0"),
    ("--k 5 --beta 1/2", "--epsilon is not given"),
    ("--k 5 --beta 1/2 --epsilon 1 --neighbours both", "--neighbours = both: need add or"),
    ("--k 5 --beta 1/2 --delta 0.1 --neighbours replace", "--delta = 0.1: need epsilon with"),
)
def test_what_is_refused(words, says):
    assert refused("bound", "release", *words.split()).startswith(says)


def test_large_thresholds_are_quick_and_enclosed():
    words = ("--k", "10000", "--beta", "3/10", "--epsilon", "1/10")
    added = document("bound", "release", *words)
    replaced = document("bound", "release", *words, "--neighbours", "replace")
    assert Fraction(added["delta"]["upper"]) < Fraction(1, 10**126)
    assert Fraction(replaced["delta"]["lower"]) < Fraction(replaced["delta"]["upper"])
    assert replaced["worst"] == ""
    assert Fraction(replaced["delta"]["lower"]) >= Fraction(added["delta"]["lower"])


def test_the_frontier_is_tight_and_shares_are_for_the_owner(tmp_path):
    designs = document("design", "release", "--epsilon", "1", "--delta", "1e-6")["designs"]
    assert [design["k"] for design in designs] == [8, 12, 17, 25, 35, 51, 79, 135, 304]
    for design in designs:
        assert Fraction(design["delta"]["upper"]) <= Fraction(1, 10**6)
        assert Fraction(design["missed"]["lower"]) > Fraction(1, 10**6)
    rows = ["a,b", *["x,1"] * 9, *["x,2"] * 4, "y,3"]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(rows) + "\n")
    words = ("design", "release", "--epsilon", "1", "--delta", "0.1", "--beta", "1/2")
    shown = document(*words, "--rows", str(path))
    (design,) = shown["designs"]
    k, half = design["k"], Fraction(1, 2)
    expected = sum(
        kept * comb(size, kept) * half**size for size in (9, 4, 1) for kept in range(k, size + 1)
    )
    assert Fraction(design["share"]["lower"]) <= expected / 14 <= Fraction(design["share"]["upper"])
    assert shown["notes"][-1].endswith("not to be published")
    one = document(*words, "--rows", str(path), "--columns", "a")["designs"][0]["share"]
    assert Fraction(one["lower"]) > Fraction(design["share"]["upper"])
    assert "they are for the owner" in kproof(*words, "--rows", str(path)).out
    ran = kproof("design", "release", "--epsilon", "1", "--delta", "1e-6", columns=100)
    same_as_snapshot("design-release.txt", ran.out)


def test_replacing_needs_a_larger_k():
    words = ("design", "release", "--epsilon", "0.3", "--delta", "0.15", "--beta", "1/2")
    added, replaced = (
        document(*words, "--neighbours", how)["designs"][0]["k"] for how in ("add", "replace")
    )
    assert (added, replaced) == (3, 4)


@cases(
    ("--epsilon 1 --delta 0", "--delta = 0: need 0 < delta < 1"),
    ("--epsilon 1 --delta 1e-6 --beta 1", "--beta = 1: need less than 1"),
    ("--epsilon 1 --delta 1e-6 --columns a", "--columns = a: need --rows FILE with it"),
    ("--epsilon 1e-9 --delta 1e-300 --beta 0.999", "--delta = 1e-300: need more: k = 1000000"),
)
def test_what_a_design_refuses(words, says):
    assert refused("design", "release", *words.split()).startswith(says)


def test_the_worst_tables_are_the_worst():
    for k, beta, ratio in product((1, 2, 4), ("1/10", "1/2", "4/5"), ("0.1", "0.7", "2")):
        worst = worst_tables(k, beta, epsilon=ratio)
        assert worst is not None
        assert worst.present
        assert worst.rows >= k


def test_the_share_equals_its_definition():
    sizes = Counter({1: 3, 5: 2, 12: 1, 40: 1})
    for k, beta in ((1, Fraction(1, 3)), (4, Fraction(9, 10)), (13, Fraction(1, 5))):
        assert sum(
            cells * kept * comb(size, kept) * beta**kept * (1 - beta) ** (size - kept)
            for size, cells in sizes.items()
            for kept in range(k, size + 1)
        ) / sum(size * cells for size, cells in sizes.items()) in shown_share(sizes, k, beta)
    assert json.dumps(shown_share({2: 1}, 3, "1/2").to_dict()) == '{"lower": "0", "upper": "0"}'


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("neighbours", ["add", "replace"])
def test_two_fresh_tables_tell_no_more_than_what_is_added_up(k, neighbours):
    """All tables of up to seven rows in one cell, and of up to three in either of two."""
    beta, ratio = Fraction(1, 3), Fraction(Context(prec=40).exp(Decimal("0.5")))

    def shown(rows: int) -> dict[int, Fraction]:
        law: dict[int, Fraction] = {}
        for kept in range(rows + 1):
            chance = comb(rows, kept) * beta**kept * (1 - beta) ** (rows - kept)
            seen = kept if kept >= k else 0
            law[seen] = law.get(seen, Fraction(0)) + chance
        return law

    def twice(*cells: int) -> dict[tuple[int, ...], Fraction]:
        laws = [shown(rows) for rows in (*cells, *cells)]
        return {
            seen: prod(
                (law[count] for law, count in zip(laws, seen, strict=True)), start=Fraction(1)
            )
            for seen in product(*laws)
        }

    pairs = [((rows + 1,), (rows,)) for rows in range(7)]
    if neighbours == "replace":
        pairs = [((one + 1, other), (one, other + 1)) for one in range(3) for other in range(3)]
    worst = Fraction(0)
    for cells, others in (*pairs, *(pair[::-1] for pair in pairs)):
        first, second = twice(*cells), twice(*others)
        delta = sum(max(mass - ratio * second.get(seen, 0), 0) for seen, mass in first.items())
        worst = max(worst, delta)
    bound = release_bound(k=k, beta=beta, epsilon="1/2", neighbours=neighbours, times=2)
    assert worst <= Fraction(bound.delta.upper) + Fraction(1, 10**30)
    single = release_bound(k=k, beta=beta, epsilon="1/2", neighbours=neighbours)
    assert bound.delta.lower == single.delta.lower
    assert kproof(
        "bound", "release", "--k", str(k), "--beta", "1/3", "--epsilon", "0.5", "--times", "2"
    ).out.startswith("R12: in each of 2 tables")
