"""The ledger of our own theorem: block bounds, and what was taken for them and is false.

Evidence is a step of a derivation, an exact value, or what the falsifier finds.
"""

from __future__ import annotations

from kproof.theory.ledger import Claim, Ledger, Ruling, prints
from kproof.theory.papers.claims_theorem1 import proved
from kproof.theory.quoting import deferred, quote

with deferred():
    from kproof.theory.falsify.gap import bound_gap
    from kproof.theory.falsify.joints import of_dependency_graph, of_same_mean
    from kproof.theory.laws.finite import FiniteLattice
    from kproof.theory.laws.several_sums import several_sums
    from kproof.theory.laws.sums import iid
    from kproof.theory.profiles import exact
    from kproof.theory.profiles.blocks import blocks_delta
    from kproof.theory.profiles.several import several_delta

_CONVEX, _BOUND = "joint-convexity", "block-bound"

_FAR = {0: "1/4", 1: "1/4", 100: "1/2"}
_NEAR = {0: "3/4", 1: "1/4"}
_PARITY = {(0, 0, 0): "1/4", (0, 1, 1): "1/4", (1, 0, 1): "1/4", (1, 1, 0): "1/4"}
_TWO_COINS = {(0, 0, 0): "1/4", (0, 0, 1): "1/4", (0, 1, 0): "1/4", (0, 1, 1): "1/4"}


BLOCKS = Ledger(
    (
        Claim(
            "K1",
            "B1",
            "δ(ε) ≤ E D_N(ε) for independent records, N = Σ Bernoulli(b_m(X_i)), every event",
            Ruling.PROVED,
            (
                proved(_CONVEX, "two-parts"),
                proved(_CONVEX, "many-parts"),
                proved("post-processing", "made-one"),
                proved(_BOUND, "all-labels"),
            ),
            "Labels, starts and rests are told record by record; the divergence is jointly convex. "
            "For finite laws.",
        ),
        Claim(
            "K2",
            "B2",
            "It is enough to know that t records have block mass β or more: N ~ Bin(t, β)",
            Ruling.PROVED,
            (proved(_BOUND, "larger-mass"), proved(_BOUND, "one-more-block")),
            "One more block makes D_j no larger, so that smaller masses give larger bounds.",
        ),
        Claim(
            "K3",
            "B3",
            "sup over the rests of δ(ε) = E D_N(ε)",
            Ruling.PROVED,
            (
                proved("block-bound-attained", "equality"),
                prints(
                    quote(exact)(quote(iid)(quote(FiniteLattice)(_FAR), 3), epsilon=0), "0.546875"
                ),
                prints(quote(blocks_delta)({"1/2": 3}, block=2, epsilon=0), "0.546875"),
            ),
            "Attained where the rest of each record is a point far away, so that the sum shows who "
            "has a block.",
        ),
        Claim(
            "K4",
            "B3, remainder at 0",
            "A rest at the nearest point attains the bound, too",
            Ruling.REFUTED,
            (
                prints(
                    quote(exact)(quote(iid)(quote(FiniteLattice)(_NEAR), 3), epsilon=0), "0.421875"
                ),
            ),
            "With three masses of 1/2 the bound is 0.546875: the rest has to reveal N.",
        ),
        Claim(
            "K5",
            "B1, N replaced",
            "N may be taken as binomial with the same mean",
            Ruling.REFUTED,
            (
                prints(
                    quote(bound_gap)(quote(of_same_mean), joint=_TWO_COINS, epsilon=0),
                    "delta claimed 0.4814815 < exact 0.5 at epsilon = 0",
                ),
            ),
            "D_j is not convex: 1, 1/2, 1/2, 3/8, ... for pairs at ε = 0. A binomial number needs "
            "the least mass (B2).",
        ),
        Claim(
            "K6",
            "B5 (a)",
            "A group that is independent of the others counts once, with the mean block mass of a "
            "record given the rest of it",
            Ruling.PROVED,
            (proved(_BOUND, "mean-mass"), proved(_BOUND, "all-labels")),
            "The sum of the group has at least that block mass, and the sums of groups are "
            "independent.",
        ),
        Claim(
            "K7",
            "B5 (b)",
            "In a Markov random field the records of an independent set count, with least block "
            "masses given their neighbours",
            Ruling.PROVED,
            (proved(_BOUND, "over-the-rest"), proved(_BOUND, "larger-mass")),
            "Given all others they are independent, and least masses bound every conditional "
            "divergence alike. What is known belongs to the rest (B6).",
        ),
        Claim(
            "K8",
            "B5 (b), misread",
            "The graph may be one of records that depend on each other in pairs",
            Ruling.REFUTED,
            (
                prints(
                    quote(bound_gap)(quote(of_dependency_graph), joint=_PARITY, epsilon=0),
                    "delta claimed 0.375 < exact 1 at epsilon = 0",
                ),
            ),
            "Two coins and their parity are independent in pairs, and their sum is 0 or 2.",
        ),
        Claim(
            "K9",
            "B8",
            "Several sums of the same records tell of one at most what the records in exactly the "
            "same sums hide",
            Ruling.PROVED,
            (proved("post-processing", "made-one"), proved(_BOUND, "all-labels")),
            "The sums are functions of the totals of cells, and the other cells are independent of "
            "the victim's.",
        ),
        Claim(
            "K10",
            "composition",
            "The δ of two sums of the same records may be composed as if they were independent",
            Ruling.REFUTED,
            (
                prints(
                    quote(several_delta)(
                        quote(several_sums)(
                            quote(FiniteLattice)({0: "1/2", 1: "1/2"}), [[0, 1, 2], [0, 1]], n=3
                        ),
                        epsilon=0,
                    ).delta,
                    "0.5",
                ),
                prints(quote(blocks_delta)({1: 3}, block=2, epsilon=0), "0.375"),
            ),
            "The total of three coins and that of two give the last away: δ(0) = 1/2. Alone the "
            "total tells 0.375 of it, and the other sum nothing.",
        ),
    )
)
"""Claims K1, K2, ... on block bounds."""
