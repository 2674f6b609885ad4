"""Ledger rows Z21 and Z26 to Z31: Lemma 2, Theorems 3 and 5; Z50 on: what else was found there.

Evidence is a step of a derivation (:mod:`kproof.theory.derivations.evidence`), or a claim beside
the truth at one point (:mod:`kproof.theory.falsify.gap`).
"""

from __future__ import annotations

from kproof.theory.ledger import Claim, Ruling, prints
from kproof.theory.papers.claims_theorem1 import fails, proved
from kproof.theory.quoting import deferred, quote

with deferred():
    from kproof.theory.falsify.gap import theorem_gap

_LEMMA_2, _THEOREM_3, _THEOREM_5 = "lemma-2", "theorem-3", "theorem-5"
_CLOSE = ("stein", "ramps")
_C4 = (*_CLOSE, "integrated")

STEIN = (
    Claim(
        "Z21",
        "Lemma 2",
        "sup|Pr[S_n ≤ x] - Pr[N ≤ x]| ≤ ϖ Σρᵢ² / Σσᵢ²",
        Ruling.TYPO,
        (
            fails(_LEMMA_2, "unit", "n = 4, p = 1/2, i0 = 2, a = 1/10"),
            proved(_LEMMA_2, "unit"),
            proved(_LEMMA_2, "coins", "berry-esseen"),
        ),
        "The bound is ϖ Σρᵢ / (Σσᵢ²)^(3/2) with ρᵢ = E|Xᵢ-EXᵢ|³. It does not change with the unit "
        "of the data, nor does the distance of a normed sum; the printed ratio does.",
        (2, 4),
    ),
    Claim(
        "Z26",
        "Theorem 3, (35), (36); Theorem 5",
        "(λ1²/σ³) Σχᵢ³ + (λ1³√26/(σ²√π)) √(Σξᵢ⁴), where mean(Dᵢ³) = χᵢ³, mean(Dᵢ⁴) = ξᵢ⁴",
        Ruling.UNSOUND,
        (
            fails(_THEOREM_3, "raw-third", "n = 4, a = 4"),
            proved(_THEOREM_3, "raw-third"),
            proved(_THEOREM_3, "close", *_CLOSE),
            prints(
                quote(theorem_gap)(
                    3,
                    "printed",
                    n=56,
                    record={-53: "15/16", -1: "1/16"},
                    s="1/2",
                    events="half-lines",
                ),
                "delta claimed 0.171599 < exact 0.2185955 at epsilon = 0.008519374",
            ),
        ),
        "Stein's bound is about Xᵢ = Dᵢ-EDᵢ with E|Xᵢ|³ and EXᵢ⁴. Raw moments change when a "
        "constant is added to the data; negative ones make δ small, then the root of a negative "
        "number.",
        (3, 5),
    ),
    Claim(
        "Z27",
        "Table II, Theorem 3, Figures 3 and 5",
        "the dependencies among λ1 percents of users' data (λ1 < 1) ... λ1 = max |Nᵢ|",
        Ruling.UNSOUND,
        (
            fails(_THEOREM_3, "one-group", "n = 400, E = 11/10"),
            proved(_THEOREM_3, "one-group"),
            prints(
                quote(theorem_gap)(
                    3,
                    "printed",
                    blocks=1,
                    size=399,
                    record={0: "1/2", 1: "1/2"},
                    singles=1,
                    lambda1="fraction",
                    events="half-lines",
                ),
                "delta claimed 0.1183425 < exact 0.25 at epsilon = 0.009998007",
            ),
        ),
        "max |Nᵢ| counts records, itself included, and is at least 1. A fraction λ1 of n records "
        "says no more than that one group may have ⌈λ1 n⌉ records; then nothing is claimed.",
        (3, 5),
    ),
    Claim(
        "Z28",
        "(35), Theorem 3",
        "λ1³√26 / (σ²√π)",
        Ruling.LOOSE,
        (
            fails(_THEOREM_3, "cubed", "D = 1"),
            proved(_THEOREM_3, "cubed"),
            proved(_THEOREM_3, "printed-constant", "stein", "stein-independent"),
        ),
        "The source has √28 D^(3/2). The printed term is larger from D = 2 on. It is smaller for "
        "D = 1, where √2 is enough. With centred moments it is right, and loose.",
        (3, 5),
    ),
    Claim(
        "Z29",
        "Theorem 3",
        "√(Σξᵢ⁴ (1 + exp(ϵ)))",
        Ruling.TYPO,
        (
            fails(_THEOREM_3, "outside", "f1 = 1, f2 = 1, f4 = 1, E = 2"),
            proved(_THEOREM_3, "outside"),
            proved(_THEOREM_3, "there-and-back"),
        ),
        "1 + exp(ϵ) multiplies the whole, as in (36) and in Theorem 5. The statement claims less "
        "than is derived.",
        (3,),
    ),
    Claim(
        "Z30",
        "Appendix D, before (28)",
        "Q ~ N(0, nσ²) ... d_K(S/σ, Q) = sup |F_S(t) - F_Q(t)|",
        Ruling.TYPO,
        (
            fails(_THEOREM_3, "unstandardised", "n = 1000000, x = 1"),
            proved(_THEOREM_3, "unstandardised", *_CLOSE),
        ),
        "σ² is the variance of the sum: S is compared with N(0, σ²), and S/σ with the standard "
        "normal law. If the two are mixed up, the distance does not go to 0 even for normal data.",
        (3,),
    ),
    Claim(
        "Z31",
        "Theorem 5",
        "σ² = var[Σ_{i∉Γ} Dᵢ], mean(Dᵢ³) = χᵢ³, mean(Dᵢ⁴) = ξᵢ⁴",
        Ruling.UNSOUND,
        (
            fails(_THEOREM_5, "total-variance", "p00 = 1/2, p01 = 0, p10 = 0"),
            proved(_THEOREM_5, "total-variance"),
            proved(_THEOREM_5, "left-on-average"),
            proved(_THEOREM_5, "theorem-5", *_C4),
            prints(
                quote(theorem_gap)(
                    5,
                    "printed",
                    blocks=100000,
                    size=2,
                    record={-1: "1/2", 1: "1/2"},
                    known=100000,
                    events="half-lines",
                ),
                "delta claimed 0.9715533 < exact 1 at epsilon = 0.009280319",
            ),
        ),
        "All moments must be those given D_Γ. If records are equal in pairs and one of each pair "
        "is known, nothing is left uncertain, so that δ = 1.",
        (5,),
    ),
    Claim(
        "Z50",
        "Theorem 3, Theorem 5",
        "Nᵢ (i = 1, ..., n) are dependent neighborhoods",
        Ruling.AMBIGUOUS,
        (
            fails(_THEOREM_3, "atom", "n = 1000000"),
            proved(_THEOREM_3, "atom"),
            proved(_THEOREM_3, "close", *_CLOSE),
        ),
        "That each Dᵢ is independent of all records outside Nᵢ is not enough: signs in pairs of "
        "one common product have |Nᵢ| = 2, and their sum is 0 half of the time. Sets of records "
        "without an edge between them must be jointly independent.",
        (3, 5),
    ),
    Claim(
        "Z51",
        "(28) to (32)",
        "Pr[S/σ ∈ B_u/σ] ≤ Pr[Q/σ ∈ B_u/σ] + 2 d_K(S/σ, Q) [for all B]",
        Ruling.UNSOUND,
        (
            fails(_THEOREM_3, "interval", "W = 1, Q = 0, n = 1000000"),
            proved(_THEOREM_3, "theorem-3-half-lines", *_C4),
            proved(_THEOREM_3, "theorem-3-mirrored", *_C4),
            proved(_THEOREM_3, "theorem-3-intervals", *_C4),
            proved(_THEOREM_3, "unions", *_CLOSE),
            prints(
                quote(theorem_gap)(3, "printed", n=400, record={-1: "1/2", 1: "1/2"}),
                "delta claimed 0.8661075 < exact 1 at epsilon = 0.09973043",
            ),
            prints(
                quote(theorem_gap)(5, "printed", n=10000, known=1, record={-1: "1/2", 1: "1/2"}),
                "delta claimed 0.6239226 < exact 1 at epsilon = 0.02570002",
            ),
        ),
        "The step is true of intervals. Half-lines cost d_K once, and unions of j intervals cost "
        "it 2j times. Other events are not covered: Z25.",
        (3, 5),
    ),
    Claim(
        "Z52",
        "Theorem 5",
        "only differing in the number of users' data that contributes to the uncertainty of "
        "adversaries",
        Ruling.UNSOUND,
        (
            fails(
                _THEOREM_5,
                "known-between",
                "pA = 1/2, pB = 1/2, c00 = 0, c01 = 1, c10 = 1, c11 = 0",
            ),
            proved(_THEOREM_5, "known-between"),
            proved(_THEOREM_5, "no-edge-across"),
            proved(_THEOREM_5, "path-rule"),
            proved(_THEOREM_5, "known-moves", *_CLOSE),
        ),
        "Knowledge can make independent records dependent: if the sum of two coins is known to be "
        "1, each coin tells the other. Neighbourhoods must be those of the conditional law: "
        "unknown records are neighbours, too, if a path of known ones joins them.",
        (5,),
    ),
    Claim(
        "Z53",
        "(35), first line",
        "d_K(S/σ, Q) ≤ (2/π)^(1/4) √(d_W(S/σ, Q))",
        Ruling.PROVED,
        (
            proved(_THEOREM_3, "width"),
            proved(_THEOREM_3, "best-value"),
            proved(_THEOREM_3, "same-number"),
            proved(_THEOREM_3, "kolmogorov", "ramps"),
        ),
        "The step holds with Q standard normal. It is the best that ramps give.",
        (3, 5),
    ),
    Claim(
        "Z54",
        "(28) to (32)",
        "According to Lemma 2 ... combining (28)-(30), we get ... + 2d_K(S/σ, Q)(1 + exp(ϵ)) + δ1",
        Ruling.LOOSE,
        (
            proved(_THEOREM_3, "there-and-back"),
            proved(_THEOREM_3, "theorem-3", "integrated"),
        ),
        "The steps combine as printed. They do not need Lemma 2, which is about independent "
        "records. They need only the meaning of d_K, and the exact profile of the normal law in "
        "place of δ1 = 1/√n.",
        (3, 5),
    ),
)
