"""Ledger rows Z13 to Z20 and Z22 to Z25: Lemma 1, Theorems 2 and 4; Z40 on: what else was found.

Evidence is a step of a derivation (:mod:`kproof.theory.derivations.evidence`), or a claim beside
the truth at one point (:mod:`kproof.theory.falsify.gap`).
"""

from __future__ import annotations

from kproof.theory.ledger import Claim, Ruling, prints
from kproof.theory.papers.claims_theorem1 import fails, proved
from kproof.theory.quoting import deferred, quote

with deferred():
    from kproof.theory.falsify.gap import theorem_gap
    from kproof.theory.laws.normal import Normal

_LEMMA_1 = "lemma-1"
_LEAST_C = "c2-least-c"
_LEFT_OVER = "left-over-factor"
_THEOREM_2 = "theorem-2"
_UPWARD, _DOWNWARD = "log-concave-upward", "log-concave-downward"
_TAIL = "tail-vanishes"
_LEMMA_RESTS_ON = ("integrated", _TAIL)
_CLOSE = ("berry-esseen", "berry-esseen-identical", "berry-esseen-binomial")
_NORMAL = (2, 3, 4, 5)

NORMAL_APPROXIMATION = (
    Claim(
        "Z13",
        "(15)",
        "Pr[x ≥ σ²ϵ1/s - s/2] < (σ/√(2π)) exp(-(σ²ϵ1/s - s/2)²/(2σ²)) < δ1",
        Ruling.TYPO,
        (
            fails(_LEMMA_1, "tail-scaled", "sigma = 1/10, t = 1/10"),
            proved(_LEMMA_1, "tail-scaled", _TAIL),
            fails(_LEMMA_1, "into-16", "c = 2, s = 1, epsilon1 = 1/2"),
        ),
        "The tail at t is at most σ/(√(2π) t) exp(-t²/(2σ²)). Without 1/t the bound depends on the "
        "unit of the data; (16) is the logarithm of the right one.",
        _NORMAL,
    ),
    Claim(
        "Z14",
        "Appendix B, after (14)",
        "(14) is bounded by ϵ1 with probability at least (1-δ1)",
        Ruling.PROVED,
        (
            proved(_LEMMA_1, "threshold"),
            proved(_LEMMA_1, "tail-within", _TAIL),
        ),
        "δ1 in place of the usual δ1/2 is right: under a shift of one number the shifted density "
        "falls behind on one side only, so that one tail is enough.",
        _NORMAL,
    ),
    Claim(
        "Z15",
        "Lemma 1, Theorems 2 to 5; (16) to (17)",
        "Since function g(ϵ1) ... decreases with ϵ1 and 0 < ϵ1 < 1",
        Ruling.UNSOUND,
        (
            fails(_LEMMA_1, "falls-in-epsilon", "c = 2, epsilon1 = 3/2"),
            fails(
                _LEMMA_1,
                "lemma-1",
                "c = 3, s = 10, sigma = 3, epsilon1 = 10, delta1 = 1/390, k = 1",
            ),
            proved(_LEMMA_1, "lemma-1", *_LEMMA_RESTS_ON),
            prints(
                quote(theorem_gap)(2, "printed", n=25, record=quote(Normal)(0, 1), s=20),
                "delta claimed 0.2 < exact 0.3322013 at epsilon = 8.8",
            ),
        ),
        "ϵ1 ≤ 1 is used and stated neither in the lemma nor in a theorem. Without it the lemma is "
        "false, and where c's/σ > 1 so are the theorems, even for normal data.",
        _NORMAL,
    ),
    Claim(
        "Z16",
        "Lemma 1, (22)",
        "since more than k data is selected to perform k-anonymity, σ²ϵ1/s - s/2 > k",
        Ruling.LOOSE,
        (
            proved(_LEMMA_1, "lemma-1", *_LEMMA_RESTS_ON),
            proved(_LEAST_C, "k-only-inflates"),
        ),
        "A threshold of noise is compared with a number of records. The lemma follows without it; "
        "all it can do is make ϵ larger.",
        _NORMAL,
    ),
    Claim(
        "Z17",
        "(21) to (23)",
        "c²s/ϵ1 - s/2 > k ... Thus, we get the privacy parameter ϵ as ϵ = c's/√V",
        Ruling.AMBIGUOUS,
        (
            fails(_LEAST_C, "circle", "c0 = 2, s = 1, k = 10, V = 2500, epsilon1 = 1/10"),
            proved(_LEAST_C, "circle"),
        ),
        "ϵ1 goes into c' and ϵ comes out. With ϵ1 = ϵ there is one solution, "
        "ϵ = max(c0 s/√V, s(k + s/2)/V).",
        _NORMAL,
    ),
    Claim(
        "Z18",
        "Theorems 2 to 5, (22)",
        "c' is the minimum value of c that meets ln((2c²-1)/(2c)) + (4c⁴-4c²+1)/(8c²) > "
        "ln(√n/√(2π))",
        Ruling.TYPO,
        (
            fails(_LEAST_C, "no-minimum", "n = 1000, c = 11/5"),
            proved(_LEAST_C, "no-minimum", "lambert"),
            proved(_LEAST_C, "infimum", "lambert"),
        ),
        "There is no minimum, the inequality being strict. The infimum is c0 = (z + √(z²+2))/2, "
        "z = √W(n/(2π)) with Lambert's W.",
        _NORMAL,
    ),
    Claim(
        "Z19",
        "(18)",
        "Pr[u+Q ∈ O] = Pr[u+Q ∈ O | u ≤ σ²ϵ1/s - s/2] + Pr[u+Q ∈ O | u > σ²ϵ1/s - s/2]",
        Ruling.TYPO,
        (
            fails(_LEMMA_1, "split", "A = 1/2, G = 1/4, B = 1/4"),
            fails(_LEMMA_1, "rare-part", "A = 99/100, G = 1/2, B = 1/100, delta1 = 1/100"),
            proved(_LEMMA_1, "joint"),
        ),
        "Joint probabilities are meant, and what is split by is Q, not u, which is a number.",
        _NORMAL,
    ),
    Claim(
        "Z20",
        "(14)",
        "|ln(exp(-u²/(2σ²)) / (exp(-1/(2σ²)) (u+s)²))| = |(2us + s²)/(2σ²)|",
        Ruling.TYPO,
        (
            fails(_LEMMA_1, "log-ratio", "x = 1, s = 1, sigma = 1"),
            proved(_LEMMA_1, "log-ratio"),
        ),
        "exp(-(u+s)²/(2σ²)) is meant.",
        _NORMAL,
    ),
    Claim(
        "Z22",
        "Theorem 2, (19); Theorem 4",
        "Pr[W ∈ B_u] ≤ Pr[Q ∈ B_u] + 1.1182 Σ(χᵢ³-3φᵢ²πᵢ+2πᵢ³) / Σ(φᵢ²-πᵢ²)^(3/2)",
        Ruling.UNSOUND,
        (
            proved(_THEOREM_2, "signed-third"),
            fails(_THEOREM_2, "half-lines", "n = 4, p = 1/2, i0 = 2"),
            proved(_THEOREM_2, "half-lines", *_CLOSE),
            prints(
                quote(theorem_gap)(2, "printed", n=9, record={0: "2/5", 1: "3/5"}),
                "delta claimed -1.374767 < exact 0.06745058 at epsilon = 0.8456809",
            ),
            prints(
                quote(theorem_gap)(4, "printed", n=9, known=4, record={0: "2/5", 1: "3/5"}),
                "delta claimed -1.462742 < exact 0.07776 at epsilon = 1.25",
            ),
        ),
        "The numerator is the third central moment with its sign: 0 for symmetric records, "
        "negative for left-skewed ones. Lemma 2 has E|Dᵢ-πᵢ|³.",
        (2, 4),
    ),
    Claim(
        "Z23",
        "Theorem 2, (19), (25); Theorem 4",
        "... / Σ(φᵢ²-πᵢ²)^(3/2)",
        Ruling.AMBIGUOUS,
        (
            fails(_THEOREM_2, "cubes-below-power", "h = 4, v = 1"),
            proved(_THEOREM_2, "cubes-below-power"),
            proved(_THEOREM_2, "lyapunov"),
            proved(_THEOREM_2, "always-vacuous"),
        ),
        "Lemma 2 has (Σσᵢ²)^(3/2), which is larger than Σσᵢ³. With absolute moments over Σσᵢ³, as "
        "printed, δ exceeds 2 whatever the data (Lyapunov).",
        (2, 4),
    ),
    Claim(
        "Z24",
        "(24), (25)",
        "× (1 + exp(√(s² ln n / Σ(φᵢ²-πᵢ²)))) + 1/√n",
        Ruling.UNSOUND,
        (
            fails(
                _LEFT_OVER,
                "left-over",
                "n = 100, V = 16, s = 1, k = 10, c0 = 1723/1000",
            ),
            fails(_LEFT_OVER, "square-below-ln-n", "n = 2"),
            proved(_LEFT_OVER, "left-over", "lambert"),
            proved(_THEOREM_2, "there-and-back"),
        ),
        "The factor is exp(ϵ) with the theorem's own ϵ. √(s² ln n/V) is at least c0 s/√V from "
        "n = 4 on, but can be less than ϵ where the condition on k binds.",
        (2, 4),
    ),
    Claim(
        "Z25",
        "(19) to (27), Theorems 2 to 5",
        "F meets (ϵ, δ)-noiseless privacy [for all O]",
        Ruling.UNSOUND,
        (
            fails(_THEOREM_2, "interval", "W = 1, Q = 0, n = 4"),
            proved(_THEOREM_2, "interval", *_CLOSE),
            proved(_THEOREM_2, "unions", *_CLOSE),
            proved("log-concave-convolution", "log-concave-sum"),
            proved(_UPWARD, "worst-event"),
            proved(_DOWNWARD, "worst-event"),
            *(
                proved(f"all-events-{way}", f"theorem-{number}-all-events", *_CLOSE, "integrated")
                for way in ("upward", "downward")
                for number in (2, 4)
            ),
            prints(
                quote(theorem_gap)(2, "printed", n=9, record={0: "1/2", 2: "1/2"}),
                "delta claimed 0.3333333 < exact 1 at epsilon = 0.4142973",
            ),
            prints(
                quote(theorem_gap)(4, "printed", n=9, known=4, record={0: "1/2", 2: "1/2"}),
                "delta claimed 0.4472136 < exact 1 at epsilon = 0.5089846",
            ),
        ),
        "Lemma 2 speaks of half-lines; intervals cost twice its error, unions of j intervals 2j "
        "times, other events are not covered. For log-concave sums the worst event is a half-line.",
        _NORMAL,
    ),
    Claim(
        "Z40",
        "(24) to (26)",
        "exp(ϵ)Pr[Q ∈ B_v] + ... ≤ exp(ϵ)Pr[Q ∈ B_v] + ... × (1 + exp(...)) + 1/√n",
        Ruling.TYPO,
        (
            fails(
                _THEOREM_2,
                "there-and-back",
                "W = 1/2, W' = 0, Q = 1/2, Q' = 1/4, b = 1/100, E = 2, X = 2, delta1 = 1/100",
            ),
            proved(_THEOREM_2, "there-and-back"),
        ),
        "The right side must have Pr[W ∈ B_v]. As printed, (26) does not follow: nothing is said "
        "of the data.",
        (2, 4),
    ),
    Claim(
        "Z41",
        "(24)",
        "the same step, with the error term as it is printed",
        Ruling.UNSOUND,
        (
            fails(
                _THEOREM_2,
                "error-nonnegative",
                "Q' = 1/2, b = -1/10, E = 2, X = 2, delta1 = 1/10",
            ),
            proved(_THEOREM_2, "error-nonnegative"),
            prints(
                quote(theorem_gap)(2, "printed", n=9, record={0: "2/5", 1: "3/5"}),
                "delta claimed -1.374767 < exact 0.06745058 at epsilon = 0.8456809",
            ),
        ),
        "An error may be enlarged by a factor only if it is not negative, which the signed moment "
        "of Z22 can be.",
        (2, 4),
    ),
    Claim(
        "Z42",
        "Appendix B, after (14)",
        "which is bounded by ϵ1, so we get u ≤ [(σ²ϵ1)s] - (s/2)",
        Ruling.TYPO,
        (
            fails(_LEMMA_1, "loss-divided", "x = 1/2, s = 1/2, sigma = 1, epsilon1 = 1/2"),
            proved(_LEMMA_1, "loss-divided"),
            fails(_LEMMA_1, "loss-bounded", "x = -5, s = 1, sigma = 1, epsilon1 = 1/2"),
            proved(_LEMMA_1, "loss-bounded"),
        ),
        "σ²ϵ1 over s, as in (15); the slash may be lost in the scan that was read. The absolute "
        "value of (14) is bounded on an interval; only its upper end is needed (Z14).",
        _NORMAL,
    ),
    Claim(
        "Z43",
        "after Lemma 1",
        "Lemma 1 extends the theory of differential privacy in [23] ... giving a tighter bound on "
        "privacy parameters (ϵ1, δ1)",
        Ruling.LOOSE,
        (
            proved(_LEFT_OVER, "tighter", "lambert"),
            fails(_LEFT_OVER, "tighter", "n = 100, k = 10, s = 1, epsilon1 = 3/5"),
            proved("gaussian-profile", "profile", "integrated"),
        ),
        "True of c0 at δ1 = 1/√n from n = 4 on; not always of c' where the condition on k binds. "
        "The exact profile of the normal law leaves nothing to tighten.",
        _NORMAL,
    ),
    Claim(
        "Z44",
        "(19)",
        "1.1182 = 2 · 0.5591",
        Ruling.LOOSE,
        (
            proved(_THEOREM_2, "half-lines", *_CLOSE),
            proved(_THEOREM_2, "interval", *_CLOSE),
            proved("all-events-upward", "theorem-2-all-events", *_CLOSE, "integrated"),
        ),
        "The factor 2 is for intervals. For half-lines, and so for every event of a log-concave "
        "sum, one constant is enough, and 0.5583 is known.",
        (2, 4),
    ),
    Claim(
        "Z45",
        "Theorem 4",
        "The proof of Theorem 4 is similar to that of Theorem 2, but only differ in the number of "
        "data that are not disclosed to adversaries",
        Ruling.LOOSE,
        (
            proved("theorem-4", "known-moves", *_CLOSE),
            proved("theorem-4", "theorem-4", "integrated"),
        ),
        "Known values of independent records only move the sum, so that the corrected Theorem 2 "
        "holds over the others; what is wrong with the printed one is wrong here too.",
        (4,),
    ),
)
