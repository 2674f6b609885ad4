"""The ledger of Figures 2 to 5 of the bounds paper: what it says of each curve, and what is so.

A row's evidence is decided by :mod:`kproof.theory.papers.trends` (how a formula runs over its whole
interval, for one n or a range of them), by :mod:`kproof.theory.papers.figure_settings` (whether
data can have a caption's moments), or by exact values for data that exist.
"""

from __future__ import annotations

from kproof.theory.ledger import Claim, Evidence, Ruling, prints
from kproof.theory.quoting import deferred, quote

with deferred():
    from kproof.theory.papers.figure_settings import excess, least_n, moment_objection, objection
    from kproof.theory.papers.trends import (
        coin_delta,
        coin_delta_at_one,
        doubled_coins,
        everywhere,
        possible_trend,
        ratio_trend,
        run_of,
        trend,
    )


def _all_n(panel: str, direction: str, **more: object) -> Evidence:
    """Return the evidence that a panel runs in one direction for every n in a range."""
    given = {"least_n": 100, "most_n": 10**9} | more
    return prints(quote(everywhere)(panel, **given), direction)


FIGURES = (
    Claim(
        "F1",
        "Figures 2 to 5, captions",
        "Parameter (a) ϵ varies with syntactic sensitivity s, where k = 10, ϵ1 = 0.1, and ... = 50",
        Ruling.AMBIGUOUS,
        (
            prints(quote(trend)("5a", 20000), "falls until 0.2623, rises from 0.2624"),
            prints(quote(trend)("5a", 196591), "falls until 0.442, rises from 0.4421"),
            Evidence(quote(least_n)("2b", 1), "1562500"),
        ),
        "No caption gives n, on which every curve depends. What the text says of Fig. 5(a) needs n "
        "near 20,000, Fig. 2(b) at least 1,562,500; Section IV has 196,591 users. No one n serves.",
        (2, 3, 4, 5),
    ),
    Claim(
        "F2",
        "Fig. 2, caption",
        "√Σ(φᵢ²−πᵢ²) = 50, Σ(χᵢ³−3φᵢ²πᵢ+2πᵢ³) = 1, and Σ(φᵢ²−πᵢ²)^(3/2) = 100",
        Ruling.LOOSE,
        (
            Evidence(quote(least_n)("2b", 1), "1562500"),
            Evidence(
                quote(moment_objection)("2b", 1562499, 1),
                repr(
                    "sigma_cubed = 100 with n = 1562499, variance = 2500: need sum sigma_i^3 >= "
                    "(sum sigma_i^2)^(3/2) / sqrt(n) (power means)"
                ),
            ),
        ),
        "Possible for n >= 1,562,500 only, which is not said. The sum of absolute third moments, "
        "which the proof needs in place of 1, is then at least 100 (Lyapunov).",
        (2,),
    ),
    Claim(
        "F3",
        "Section III-A, Fig. 2(a)",
        "the privacy parameter ϵ increases with the syntactic sensitivity s",
        Ruling.PROVED,
        (
            _all_n("2a", "rises", least_n=10),
            prints(quote(possible_trend)("2a", "corrected"), "rises"),
            prints(quote(possible_trend)("2a", "exact"), "is constant until 2, rises from 2"),
        ),
        "The slope is positive for s from 1 to 10 and every n from 10 to 10^9. The exact ϵ at "
        "δ = 0.02 is 0 up to s = 2 for 10,000 fair coins, and rises from there.",
        (2,),
    ),
    Claim(
        "F4",
        "Section III-A, Fig. 2(b)",
        "the privacy parameter δ increases with the syntactic sensitivity s",
        Ruling.LOOSE,
        (
            _all_n("2b", "rises", least_n=10),
            Evidence(quote(coin_delta)("1/2"), "1/100"),
            prints(quote(run_of)(quote(coin_delta)("4/5"), 1, 10), "falls"),
        ),
        "True where the signed third sum is positive, as in the caption. For fair coins the "
        "printed δ does not depend on s. For coins with p = 4/5 it falls and is negative.",
        (2,),
    ),
    Claim(
        "F5",
        "Section III-A",
        "That is because the output of F with a larger syntactic sensitivity s is sharply changed, "
        "thus resulting in a larger probability that breaches (2)",
        Ruling.REFUTED,
        (
            prints(quote(doubled_coins)(1), "1"),
            prints(quote(doubled_coins)(2), "0.04113291"),
            prints(quote(possible_trend)("2b", "exact"), "rises"),
        ),
        "True of log-concave sums on a lattice if s is a multiple of its step. For records worth "
        "0 or 2, the shift s = 1 is told with certainty (δ = 1), and the larger shift s = 2 is "
        "hardly told.",
        (2,),
    ),
    Claim(
        "F6",
        "Section III-A, Fig. 2(a) and (b)",
        "privacy parameter δ is more robust to the syntactic sensitivity s than ϵ",
        Ruling.LOOSE,
        (
            prints(quote(ratio_trend)("2b", "2a", 100, upper=10), "falls"),
            prints(quote(ratio_trend)("2b", "2a", 1562500, upper=10), "falls"),
            prints(
                quote(ratio_trend)("2b", "2a", 1562500, upper=200),
                "falls until 17.12, rises from 17.14",
            ),
        ),
        "δ grows by a smaller factor than ϵ up to some s (17.1 for n = 1,562,500) and by a larger "
        "one beyond: it is exponential in s, ϵ at most linear.",
        (2,),
    ),
    Claim(
        "F7",
        "Section III-A, Fig. 2(c)",
        "the performance ... is affected by the privacy requirement k ..., i.e., a larger ϵ",
        Ruling.LOOSE,
        (
            prints(quote(trend)("2c", 100), "is constant until 29.15, rises from 29.16"),
            prints(quote(trend)("2c", 20000), "is constant until 71.5, rises from 71.51"),
            _all_n("2c", "is constant", least_n=20, lower=2, upper=18),
        ),
        "ϵ does not depend on k up to 10 c0^2 - 1/2, and rises from there.",
        (2,),
    ),
    Claim(
        "F8",
        "Section III-A, Fig. 2(c)",
        "That is not surprising, as more users' data cloaked in a set results in more "
        "generalization of the cloaked data, i.e., a larger ϵ",
        Ruling.REFUTED,
        (
            prints(quote(possible_trend)("2c", "corrected"), "is constant"),
            prints(quote(possible_trend)("2c", "exact"), "is constant"),
        ),
        "A larger ϵ is a weaker promise, so that generalization would cost privacy. The k of the "
        "formula comes from c^2 s/ϵ1 - s/2 > k, which has no part in privacy: neither the exact ϵ "
        "nor a proved one depends on it.",
        (2,),
    ),
    Claim(
        "F9",
        "Fig. 3, caption",
        "σ = 50, Σχᵢ³ = 5, √Σξᵢ⁴ = 1, and λ1 = 0.2",
        Ruling.UNSOUND,
        (
            Evidence(quote(least_n)("3b", "0.1"), "625"),
            Evidence(
                quote(objection)("3b", 20000, "0.1"),
                repr("lambda1 = 1/5: need max |N_i| >= 18"),
            ),
            Evidence(quote(objection)("3a", 6250000, 1), "''"),
        ),
        "No data have these: λ1 = max|N_i| is at least 1, and 2500/√n by the other two sums. With "
        "λ1 = 1 it takes 6,250,000 records.",
        (3,),
    ),
    Claim(
        "F10",
        "Section III-B, Fig. 3(a)",
        "δ increases with the amount of adversaries' background information",
        Ruling.PROVED,
        (_all_n("3a", "rises"),),
        "True of the printed formula against λ1, from 0.05 to 1 and for n from 100 to 10^9.",
        (3,),
    ),
    Claim(
        "F11",
        "Section III-B",
        "as adversaries can disclose more users' data when they have more background information, "
        "thereby resulting in a larger δ",
        Ruling.REFUTED,
        (prints(quote(possible_trend)("3a", "exact"), "falls"),),
        "Dependence as such does not make δ larger. If coins tend to be copies within groups of "
        "D, and the adversary knows the groups, the sum spreads and the exact δ falls as D grows.",
        (3,),
    ),
    Claim(
        "F12",
        "Section III-B, Fig. 3(b)",
        "δ decreases with the decreasing ϵ",
        Ruling.PROVED,
        (_all_n("3b", "rises"),),
        "True of the printed formula, through its factor 1 + exp(ϵ).",
        (3,),
    ),
    Claim(
        "F13",
        "Section III-B, Fig. 3(b)",
        "since it is more likely for adversaries to identify a specific user's data through "
        "observing the output when ϵ has a larger value",
        Ruling.REFUTED,
        (
            prints(quote(possible_trend)("3b", "exact"), "falls"),
            prints(
                quote(possible_trend)("3b", "corrected", 625000000000),
                "falls until 0.4896, rises from 0.4897",
            ),
        ),
        "The least δ of any mechanism falls as ϵ grows. What rises is the error term of the proof; "
        "a bound at a smaller ϵ holds at a larger one too.",
        (3,),
    ),
    Claim(
        "F14",
        "Section III-B, Fig. 3(c)",
        "ϵ increases with the syntactic sensitivity s",
        Ruling.PROVED,
        (
            _all_n("3c", "rises", least_n=10),
            prints(quote(possible_trend)("3c", "exact"), "is constant until 2, rises from 2"),
        ),
        "True for every σ, which the caption leaves out and which only scales the curve.",
        (3,),
    ),
    Claim(
        "F15",
        "Fig. 4, caption",
        "Σ(χᵢ³−3φᵢ²πᵢ+2πᵢ³) = 10λ2, Σ(φᵢ²−πᵢ²)^(3/2) = 100λ2, and Σ(φᵢ²−πᵢ²) = 10λ2",
        Ruling.REFUTED,
        (
            Evidence(quote(excess)("4a"), "10/x"),
            prints(quote(least_n)("4a", "0.95"), "None"),
        ),
        "No data have these, for any n and λ2: (Σσ³)² over (Σσ²)³ is at most 1 and is 10/λ2 here.",
        (4,),
    ),
    Claim(
        "F16",
        "Section III-C, Fig. 4(a)",
        "privacy parameter δ increases with the amount of adversaries' background information λ2",
        Ruling.REFUTED,
        (
            _all_n("4a", "falls", lower="0.01", upper="0.6"),
            prints(quote(trend)("4a", 100), "falls until 0.6213, rises from 0.6214"),
            prints(quote(trend)("4a", 1562500), "falls"),
        ),
        "With the caption's settings the printed δ falls up to λ2 = 0.6 for every n from 100 to "
        "10^9, and to the end of the plot for large n, because V = 10λ2 grows.",
        (4,),
    ),
    Claim(
        "F17",
        "Section III-C",
        "more background information enables adversaries to disclose more users' data, thereby "
        "increasing δ",
        Ruling.PROVED,
        (
            _all_n("4a", "rises", shrinking=True),
            prints(quote(possible_trend)("4a", "exact"), "rises"),
        ),
        "True of sums that shrink with 1 - λ2: the formula rises for n from 100 to 10^9, and the "
        "exact δ of 40 fair coins rises at every λ2 shown. The figure's settings hide this.",
        (4,),
    ),
    Claim(
        "F18",
        "Section III-C, Fig. 4(b)",
        "privacy parameter ϵ decreases with the amount of adversaries' background information λ2",
        Ruling.UNSOUND,
        (
            _all_n("4b", "falls"),
            _all_n("4b", "rises", shrinking=True),
        ),
        "True of the curve with V = 10λ2. V is a sum over the records that are not known; with "
        "V = 10(1 - λ2) the printed ϵ rises.",
        (4,),
    ),
    Claim(
        "F19",
        "Section III-C, Fig. 4(b)",
        "The reason is that more background information leads to a larger probability that (2) "
        "does not hold, and thus the privacy parameter ϵ is decreased",
        Ruling.REFUTED,
        (
            prints(quote(possible_trend)("4b", "exact"), "is constant until 0.75, rises from 0.75"),
            prints(quote(possible_trend)("4b", "corrected"), "rises"),
        ),
        "A smaller ϵ is a stronger promise: if (2) fails more often, the ϵ that goes with a given "
        "δ has to be larger.",
        (4,),
    ),
    Claim(
        "F20",
        "Section III-C",
        "Theorem 4 qualifies the deterioration ... caused by adversaries' background information "
        "in level-III inference attacks (see Fig. 4)",
        Ruling.REFUTED,
        (
            prints(quote(trend)("4a", 1562500), "falls"),
            prints(quote(trend)("4b", 1562500), "falls"),
        ),
        "In Fig. 4 both parameters improve as the adversary learns more.",
        (4,),
    ),
    Claim(
        "F21",
        "Section III-C",
        "decrease the numerator of the formula of parameter δ ... The decreased parameter δ means "
        "less probability that users' data privacy is disclosed",
        Ruling.UNSOUND,
        (
            Evidence(quote(coin_delta_at_one)("4/5"), "'-3.454'"),
            Evidence(quote(coin_delta_at_one)("1/5"), "'3.470'"),
        ),
        "The numerator is signed: left-skewed records make δ negative, their mirror images make it "
        "exceed 1, and the two are equally private.",
        (4,),
    ),
    Claim(
        "F22",
        "Fig. 5, caption",
        "Σχᵢ³ = 5λ2, √Σξᵢ⁴ = 5λ2, σ² = 1000λ2, ... and λ1 = 0.1",
        Ruling.UNSOUND,
        (
            Evidence(
                quote(objection)("5a", 100, "0.5"),
                repr("lambda1 = 1/10: need max |N_i| >= 29"),
            ),
            Evidence(
                quote(objection)("5a", 10**9, "0.5"),
                repr("lambda1 = 1/10: need max |N_i| >= 1"),
            ),
        ),
        "No data have these: λ1 = max|N_i| is at least 1, and at least 200/√(n(1-λ2)). σ² is a sum "
        "over unknown records and cannot grow with λ2 as set.",
        (5,),
    ),
    Claim(
        "F23",
        "Section III-D, Fig. 5(a)",
        "δ decreases with the increasing λ2 when λ2 ≤ 0.2, and increases with increasing λ2 when "
        "λ2 ≥ 0.3",
        Ruling.LOOSE,
        (
            _all_n("5a", "falls", least_n=7310, most_n=34090, lower="0.001", upper="0.2"),
            _all_n("5a", "rises", least_n=7310, most_n=34090, lower="0.3", upper="0.95"),
            _all_n("5a", "rises", most_n=7309, lower="0.2", upper="0.2"),
            _all_n("5a", "falls", least_n=34091, lower="0.3", upper="0.3"),
        ),
        "True for n from 7,310 to 34,090 and for no other n from 100 to 10^9: below, δ rises at "
        "0.2 already; above, it still falls at 0.3.",
        (5,),
    ),
    Claim(
        "F24",
        "Section III-D, Fig. 5(a)",
        "That is because, δ is affected by both λ2 and ϵ, and ϵ is affected by λ2 at the same time",
        Ruling.UNSOUND,
        (
            _all_n("5a", "rises", shrinking=True),
            prints(quote(possible_trend)("5a", "exact"), "rises"),
        ),
        "The fall comes from sums that grow with λ2. With sums that shrink with 1 - λ2, δ rises "
        "throughout, though it is affected by ϵ and ϵ by λ2 just the same.",
        (5,),
    ),
    Claim(
        "F25",
        "Section III-D",
        "Fig. 5(c) shows that δ increases with λ1, since adversaries benefit from the background "
        "information",
        Ruling.TYPO,
        (
            _all_n("5b", "rises"),
            prints(quote(possible_trend)("5b", "exact"), "falls"),
        ),
        "The panel is (b). True of the formula; the exact δ of coins that tend to be copies within "
        "groups falls as the groups grow.",
        (5,),
    ),
    Claim(
        "F26",
        "Section III-D",
        "in Fig. 5(d), ϵ decreases with λ2, since more background information leads to a larger "
        "probability that (2) does not hold",
        Ruling.UNSOUND,
        (
            _all_n("5c", "falls"),
            _all_n("5c", "rises", shrinking=True),
            prints(quote(possible_trend)("5c", "exact"), "rises"),
        ),
        "The panel is (c); there is no (d). True of the curve with σ² = 1000λ2; with σ² = "
        "1000(1 - λ2) the printed ϵ rises, and so does the exact one. A smaller ϵ is a stronger "
        "promise.",
        (5,),
    ),
    Claim(
        "F27",
        "Section IV-C",
        "the increasing privacy parameter k significantly increases the adversarial uncertainty",
        Ruling.REFUTED,
        (
            prints(quote(trend)("2c", 20000), "is constant until 71.5, rises from 71.51"),
            prints(quote(possible_trend)("2c", "exact"), "is constant"),
        ),
        "Not in the paper's theory: V does not depend on k, and ϵ stays the same or grows with it, "
        "as the paper says of Fig. 2(c) itself.",
        (2,),
    ),
    Claim(
        "Z32",
        "Figs. 4 and 5",
        "Σ_{i∉Γ}(φᵢ²−πᵢ²) = 10λ2 ... σ² = 1000λ2",
        Ruling.UNSOUND,
        (
            prints(quote(trend)("4b", 20000), "falls"),
            prints(quote(trend)("4b", 20000, shrinking=True), "rises"),
            prints(quote(trend)("5c", 20000), "falls"),
            prints(quote(trend)("5c", 20000, shrinking=True), "rises"),
        ),
        "Γ is what the adversary knows: a sum of variances over the others cannot grow with it, "
        "yet the uncertainty plotted does. With 10(1 - λ2), 1000(1 - λ2) the trend of ϵ reverses.",
        (4, 5),
    ),
)
"""Claims F1, F2, ... on the curves, and Z32."""
