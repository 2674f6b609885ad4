"""The ledger of our own way with tables that no process can hold: regions, one by one.

Why what is promised of classes holds for all regions together
(:mod:`kproof.models.partitioned.folder`), and what does not follow.
"""

from __future__ import annotations

from kproof.theory.ledger import Claim, Evidence, Ledger, Ruling
from kproof.theory.quoting import deferred, each, quote

with deferred():
    from kproof.models.papers.regions_checks import joined_lose, look_alikes
    from kproof.models.papers.theta_counterexamples import together
    from kproof.models.privacy import (
        DistinctL,
        KAnonymity,
        PAlphaSensitive,
        PPlusSensitive,
        PSensitive,
        TCloseness,
    )

REGIONS = Ledger(
    (
        Claim(
            "R1",
            "regions",
            "A class with k people, l or p values, or p categories keeps them whatever joins it",
            Ruling.PROVED,
            (
                Evidence(
                    each(
                        quote(joined_lose)(quote(KAnonymity)(3)),
                        quote(joined_lose)(quote(DistinctL)(2)),
                        quote(joined_lose)(quote(PSensitive)(2, 2)),
                        quote(joined_lose)(quote(PPlusSensitive)(2, 2)),
                        quote(joined_lose)(quote(PAlphaSensitive)(2, "1/2", 2)),
                    ),
                    "(0, 0, 0, 0, 0)",
                ),
            ),
            "Counts of rows, of different values and of different categories never fall. Rocq has "
            "the last two; of (p,α)-sensitivity, whose weights are added over different values, "
            "all pairs of small classes were tried.",
        ),
        Claim(
            "R2",
            "regions",
            "Classes within t of the table's values are so together",
            Ruling.PROVED,
            (Evidence(quote(joined_lose)(quote(TCloseness)("1/3"), both=True), "0"),),
            "Total variation is convex. Each region is held against the values of the whole table: "
            "against its own it would promise nothing.",
        ),
        Claim(
            "R3",
            "regions",
            "Classes that reach θ reach it together",
            Ruling.REFUTED,
            (Evidence(quote(together)((2, 1, 1), (1, 2, 1), mu="0.55"), "(True, True, False)"),),
            "So classes of several regions with equal labels are judged once more, as one; where "
            "they fall short, the cuts between their regions are taken back.",
        ),
        Claim(
            "R4",
            "regions",
            "Classes on two sides of a cut along a column show different labels of it",
            Ruling.LOOSE,
            (Evidence(quote(look_alikes)(6), "(0, 0, 4)"),),
            "True of a column of numbers, whose labels are the least and greatest value, and of "
            "names, whose labels are all of them. With a hierarchy both may show a node that has "
            "values on both sides; only such classes are looked for in other regions.",
        ),
    )
)
