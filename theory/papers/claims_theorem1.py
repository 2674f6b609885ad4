"""Ledger rows Z1 to Z12 and Z33: definitions of the bounds paper, Theorem 1 with Appendix A.

Evidence is a step of a derivation (:mod:`kproof.theory.derivations.evidence`), or a claim beside
the truth at one point (:mod:`kproof.theory.falsify.gap`).
"""

from __future__ import annotations

from kproof.theory.ledger import Claim, Evidence, Ruling, prints
from kproof.theory.quoting import deferred, quote

with deferred():
    from kproof.theory.derivations.evidence import printed, step
    from kproof.theory.falsify.gap import theorem_gap
    from kproof.theory.papers.definitions import two_readings, two_shifts

_THEOREM_1 = "theorem-1"


def proved(derivation: str, name: str, *rests_on: str) -> Evidence:
    """Return the evidence that a step is decided."""
    standing = f"proved from assumptions: {', '.join(rests_on)}" if rests_on else "proved"
    return Evidence(quote(step)(derivation, name), repr(standing))


def fails(derivation: str, name: str, at: str) -> Evidence:
    """Return the evidence that the printed form of a step is false at a point."""
    return Evidence(quote(printed)(derivation, name), repr(f"false at {at}"))


DEFINITIONS_AND_THEOREM_1 = (
    Claim(
        "Z1",
        "Definition 2, (2)",
        "F meets (ϵ, δ)-noiseless privacy if for all O and all X, X* ... Pr[F(X) ∈ O] ≤ "
        "exp(ϵ) Pr[F(X*) ∈ O] + δ",
        Ruling.AMBIGUOUS,
        (
            Evidence(
                quote(two_readings)(n=20, p="1/2", epsilon=1),
                "('0.004632498', '0.005673852')",
            ),
        ),
        "The definition that it is taken from conditions on the victim's record and on what the "
        "adversary knows: the n - 1 other records are random. With the victim's own coin counted "
        "as uncertainty δ comes out smaller. kproof says which it computes (others_only).",
        (1, 2, 3, 4, 5),
    ),
    Claim(
        "Z2",
        "Definition 1; Theorems 2 to 5",
        "the syntactic sensitivity s = max |Vol(F(D)) - Vol(F(D*))|, the number of users' data "
        "cloaked in one set",
        Ruling.AMBIGUOUS,
        (
            Evidence(
                quote(two_shifts)(n=100, p="1/2", largest=10, epsilon=1),
                "('1', '8.002551e-8')",
            ),
        ),
        "A difference of set sizes is used as the shift |u - v| of a sum of data. One more user in "
        "a set moves the sum by that user's value, which s says nothing of. In kproof the shift is "
        "an argument of its own, in the unit of the data.",
        (2, 3, 4, 5),
    ),
    Claim(
        "Z3",
        "Theorem 1 (1), (2)",
        "ϵ = max{ ln(...) × ln(...) }, δ = max{ exp[...] - exp[...] × exp[...] }",
        Ruling.TYPO,
        (proved(_THEOREM_1, "larger-of-both"),),
        "A comma is meant: Appendix A ends in max{δ1, δ2}, and the larger of the two ratios bounds "
        "both.",
        (1,),
    ),
    Claim(
        "Z4",
        "(7) to (8)",
        "δ = 2 exp(-2μ²/n) - exp(-2(np-(k-1))²/n). We get μ = sqrt(-(1/2) n ln[δ + "
        "exp(-2(np-k+1)²/n)])",
        Ruling.LOOSE,
        (
            fails(_THEOREM_1, "mu-printed", "n = 100, mu = 10"),
            proved(_THEOREM_1, "mu-sound"),
        ),
        "The 2 is lost on the way from (7) to (8). It does no harm: a shift in one direction "
        "leaves one tail uncovered, and exp(-2μ²/n) covers one.",
        (1,),
    ),
    Claim(
        "Z5",
        "before (8), before (12)",
        "Since F selects no less than k tuples, δ = 2 exp(-2μ²/n) - exp(-2(np-(k-1))²/n)",
        Ruling.UNSOUND,
        (
            fails(_THEOREM_1, "conditioned", "n = 100, p = 1/4, k = 23, a = 24"),
            proved(_THEOREM_1, "conditioned"),
            proved("closed-form-upward", "epsilon-of-delta"),
            proved("closed-form-downward", "epsilon-of-delta"),
            prints(
                quote(theorem_gap)(1, "printed", n=20, p="1/5", k=3, delta="1/4"),
                "epsilon claimed 0.4491973 < exact Infinity at delta = 0.25",
            ),
        ),
        "The formula subtracts an upper bound of Pr[M < k], which makes the result too small, and "
        "does not divide by Pr[M ≥ k]. With Z0 ≤ Pr[M ≥ k], μ = sqrt((n/2) ln(1/(δ Z0))) is right.",
        (1,),
    ),
    Claim(
        "Z6",
        "Theorem 1 (2)",
        "For all ϵ > 0, F meets (ϵ, δ)-noiseless privacy where δ = max{δ1, δ2}",
        Ruling.UNSOUND,
        (
            fails("c1-upward", "atom-at-k", "n = 60, p = 71/100, k = 40, E = 10"),
            proved("c1-upward", "atom-at-k"),
            prints(
                quote(theorem_gap)(1, "derived", n=3, p="1/2", k=2, epsilon=2),
                "delta claimed 0.4976079 < exact 0.75 at epsilon = 2",
            ),
        ),
        "δ ≥ Pr[M = k | M ≥ k] is necessary whatever ϵ is: after a shift upwards the count k does "
        "not occur. The exact δ is C1, for every event.",
        (1,),
    ),
    Claim(
        "Z7",
        "Theorem 1 (2), last exponent",
        "exp[-2 ((exp(ϵ)np-1+p)/(exp(ϵ)p+1-p))² / n]",
        Ruling.TYPO,
        (
            fails(_THEOREM_1, "last-exponent", "n = 10, p = 1/2, E = 2"),
            proved(_THEOREM_1, "last-exponent"),
            prints(
                quote(theorem_gap)(1, "printed", n=60, p="0.71", k=33, epsilon="0.9"),
                "delta claimed 7.646127e-39 < exact 0.003326586 at epsilon = 0.9",
            ),
        ),
        "Appendix A has the distance from the mean, (...) - np, as Hoeffding's inequality asks. "
        "Whoever uses the statement as it is printed gets no bound.",
        (1,),
    ),
    Claim(
        "Z8",
        "Theorem 1 (2), (11), (13)",
        "For all ϵ > 0",
        Ruling.UNSOUND,
        (
            fails(_THEOREM_1, "hoeffding-applies-left", "n = 10, p = 1/4, E = 11/10, k = 1"),
            proved(_THEOREM_1, "hoeffding-applies-left"),
            fails(_THEOREM_1, "hoeffding-applies-right", "n = 10, p = 1/2, E = 11/10"),
            proved(_THEOREM_1, "hoeffding-applies-right"),
        ),
        "Hoeffding's inequality is about a tail. Both thresholds lie in their tails if and only if "
        "exp(ϵ) ≥ 1 + 1/(n min(p, 1-p)).",
        (1,),
    ),
    Claim(
        "Z9",
        "Theorem 1 (1)",
        "For all δ ≥ n!/(k!(n-k)!) p^k q^(n-k) + q^n",
        Ruling.TYPO,
        (
            prints(
                quote(theorem_gap)(1, "printed", n=20, p="19/20", k=18, delta="1/4"),
                "epsilon claimed 2.51754 < exact Infinity at delta = 0.25",
            ),
            proved("c1-downward", "worst-event-downward"),
        ),
        "q^n is the atom at 0, which truncation removes. The count n has no counterpart after a "
        "shift downwards: δ ≥ max(Pr[M = k], p^n)/Pr[M ≥ k] is needed.",
        (1,),
    ),
    Claim(
        "Z10",
        "Appendix A, case split",
        "When 0 < p < 1/2 - k/2n, α = ⌈np-μ⌉ and α* = α-1 achieve the maximum; otherwise ⌊np+μ⌋",
        Ruling.UNSOUND,
        (
            fails(_THEOREM_1, "which-end", "n = 100, p = 1/4, mu = 1, k = 5"),
            proved(_THEOREM_1, "which-end"),
            proved(_THEOREM_1, "larger-of-both"),
        ),
        "The left end has the larger ratio for p < 1/2 and μ(μ+1) ≥ npq; k decides nothing. The "
        "maximum in the statement makes up for it.",
        (1,),
    ),
    Claim(
        "Z11",
        "after (3)",
        "exp(ϵ) = [(n-(np-μ)+1)(np-μ)]/[p/(1-p)]",
        Ruling.TYPO,
        (
            fails(_THEOREM_1, "brackets", "n = 12, p = 1/4, mu = 1, k = 1"),
            fails(_THEOREM_1, "ratio-left", "n = 12, p = 1/4, mu = 1, x = 2, k = 1"),
            proved(_THEOREM_1, "exp-epsilon-left"),
        ),
        "[(n-(np-μ)+1)/(np-μ)]·[p/(1-p)], as in the next line; the printed value is larger, and "
        "so a bound, too. Where np-μ is whole, (3) is an equality, not <.",
        (1,),
    ),
    Claim(
        "Z12",
        "(7), (11), (13)",
        "According to the Chernoff bounds",
        Ruling.TYPO,
        (
            proved(_THEOREM_1, "hoeffding"),
            proved(_THEOREM_1, "ratio-right"),
        ),
        "exp(-2t²/n) is Hoeffding's bound. np-μ > k and np+μ < n, without which (3) and (4) divide "
        "by zero, stand in the appendix, not in the theorem.",
        (1,),
    ),
    Claim(
        "Z33",
        "(12), before (13)",
        "Pr[M = α]/Pr[M = α*] = ((α+1)/(n-α)) ((1-p)/p) ≤ exp(ϵ). We get α ≥ "
        "(exp(ϵ)np-(1-p))/(exp(ϵ)p+1-p)",
        Ruling.TYPO,
        (
            fails(_THEOREM_1, "successor-ratio", "n = 10, p = 1/2, E = 2, x = 5, k = 1"),
            proved(_THEOREM_1, "successor-ratio"),
            proved(_THEOREM_1, "threshold-down"),
        ),
        "The ratio rises in α, so that a ratio of at most exp(ϵ) gives α ≤ (...). Meant is ≥ "
        "exp(ϵ), as in (9): what is looked for is where the inequality fails.",
        (1,),
    ),
)
