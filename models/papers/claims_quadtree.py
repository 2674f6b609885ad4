"""The ledger of QuadTreeHeatMap's description, after Domingo-Ferrer, Martínez and Sánchez 2022."""

from __future__ import annotations

from kproof.theory.ledger import Claim, Evidence, Ledger, Ruling
from kproof.theory.quoting import deferred, quote

with deferred():
    from kproof.models.methods import parameters_of
    from kproof.models.papers.quadtree_examples import (
        area_factor,
        counts,
        extremes_shown,
        fewest_users,
        rectangles,
        share_covered,
    )

_ONE_ALONE = "abc|def||/ghi|j||/||kl|mn/||op|qr"
_ONE_FAR = "a|||/|||/||bcd|efg/||hij|klm"

QUADTREE_NOTES = Ledger(
    (
        Claim(
            "Q1",
            "Specific parameters, min_k",
            "minimum number of locations allowed to coexist in a QuadTree sector",
            Ruling.UNSOUND,
            (
                Evidence(quote(fewest_users)("aa||/||/||bb", min_k=2, reading="printed"), "1"),
                Evidence(quote(counts)("aa||/||/||bb", min_k=2), "(2,)"),
            ),
            "Locations are not people: one person with k of them is a sector of k. Users are "
            "counted, each once in a sector, if they are known.",
        ),
        Claim(
            "Q2",
            "Specific parameters",
            "merge_sectors (Boolean ...); merge_sectors (int ...)",
            Ruling.TYPO,
            (
                Evidence(
                    quote(parameters_of)("quadtree")[:4],
                    "('min_k', 'min_sector_length', 'merge_sectors', 'split_n_locations')",
                ),
            ),
            "Two parameters have one name; the second, the most in a sector before it is cut, is "
            "split_n_locations.",
        ),
        Claim(
            "Q3",
            "Specific parameters, the second merge_sectors",
            "default: min_k ... must be greater than min_k",
            Ruling.TYPO,
            (
                Evidence(quote(counts)("ab|/|cd", min_k=2, split_n_locations=2), "(0, 2, 2, 0)"),
                Evidence(quote(counts)("ab|/|cd", min_k=2, split_n_locations=4), "(4,)"),
            ),
            "Its default is not greater than min_k. At least min_k is asked for.",
        ),
        Claim(
            "Q4",
            "Last sentence of the introduction",
            "the number of locations it contains is divided by its area",
            Ruling.UNSOUND,
            (
                Evidence(quote(area_factor)(60, reading="printed"), "4.01"),
                Evidence(quote(area_factor)(0, reading="printed"), "1.0"),
                Evidence(quote(area_factor)(60), "1.0"),
            ),
            "On a web map lengths grow with latitude, areas by 1/cos²: at 60 degrees densities are "
            "four times too low, and a sector of 100 m there has 50 m. Lengths and areas are "
            "taken on an equal-area map.",
        ),
        Claim(
            "Q5",
            "Second paragraph",
            "initially, the quadtree consists of a single empty rectangular sector",
            Ruling.UNSOUND,
            (
                Evidence(quote(extremes_shown)("ab|/|cd", min_k=2, reading="printed"), "4"),
                Evidence(quote(extremes_shown)("ab|/|cd", min_k=2), "0"),
            ),
            "Which rectangle is not said. The bounding box publishes the northernmost latitude, "
            "the easternmost longitude and so on, each of one user. The root is made of squares "
            "that are there whatever the data.",
        ),
        Claim(
            "Q6",
            "Second paragraph",
            "obtain a set of sectors containing at least k locations (k-anonymous)",
            Ruling.LOOSE,
            (
                Evidence(quote(share_covered)("ab|/|cd", min_k=2, empty="omit"), "0.5"),
                Evidence(quote(counts)("ab|/|cd", min_k=2), "(0, 2, 2, 0)"),
                Evidence(quote(counts)("ab|/|cd", min_k=2, empty="merge"), "(2, 2)"),
            ),
            "Sectors without anybody cannot have k. Left out, they are as visible as published "
            "with a count of 0, and the sectors no longer partition the area. Merging hides them.",
        ),
        Claim(
            "Q7",
            "Second paragraph",
            "if a sector has a child with less than k locations, all the child sectors are ignored",
            Ruling.AMBIGUOUS,
            (
                Evidence(quote(counts)("ab|/|cd", min_k=2, merge_sectors=False), "(0, 2, 2, 0)"),
                Evidence(
                    quote(counts)("ab|/|cd", min_k=2, merge_sectors=False, empty="merge"), "(4,)"
                ),
            ),
            "An empty child has less than k. To the letter almost nothing is ever cut; without "
            "empty='merge' only children with somebody count.",
        ),
        Claim(
            "Q8",
            "Second paragraph",
            "denser areas will have smaller sectors",
            Ruling.REFUTED,
            (
                Evidence(
                    quote(counts)(_ONE_ALONE, min_k=2, merge_sectors=False),
                    "(0, 2, 2, 2, 2, 10, 0)",
                ),
                Evidence(quote(counts)(_ONE_ALONE, min_k=2), "(0, 2, 2, 2, 2, 4, 3, 3, 0)"),
            ),
            "One user alone in a block keeps the block's three neighbours from being published, "
            "however many are there: 10 users are one sector of 200 m and 8 are four of 100 m. "
            "With merging it costs one sector.",
        ),
        Claim(
            "Q9",
            "Second paragraph",
            "we can try to merge the child sectors to get new sectors with at least k locations",
            Ruling.AMBIGUOUS,
            (
                Evidence(quote(counts)("ab|cd/e|fgh", min_k=2), "(3, 3, 2)"),
                Evidence(quote(rectangles)("ab|cd/e|fgh", min_k=2), "(1, 2, 1)"),
            ),
            "Which children, and with whom, is not said. Here the one with fewest joins the "
            "neighbour along a side that has fewest, if that is enough.",
        ),
        Claim(
            "Q10",
            "Second paragraph",
            "a new quadtree can be created using the locations from the merged sectors",
            Ruling.LOOSE,
            (
                Evidence(quote(counts)(_ONE_FAR, min_k=3, merge_sectors=False), "(13,)"),
                Evidence(quote(counts)(_ONE_FAR, min_k=3), "(4, 3, 3, 3, 0)"),
            ),
            "Its root is no rectangle if three are merged. Here the fullest square of a union of "
            "2k or more is cut as any other and the rest joins one of its quarters, so that a user "
            "far from all others costs one sector, not the map.",
        ),
        Claim(
            "Q11",
            "First paragraph",
            "k-anonymous heat map",
            Ruling.LOOSE,
            (
                Evidence(quote(counts)("ab|cd/e|fgh", min_k=2), "(3, 3, 2)"),
                Evidence(quote(rectangles)("ab|cd/e|fgh", min_k=2), "(1, 2, 1)"),
            ),
            "Nobody is in a sector with fewer than k. Still, whoever knows the method learns from "
            "a merged sector that a part of it had some but fewer than k, and from a sector of 0 "
            "that nobody was there. Two maps of the same people can be subtracted.",
        ),
    )
)
"""Claims Q1, Q2, ... of the description, with the smallest example of each defect."""
