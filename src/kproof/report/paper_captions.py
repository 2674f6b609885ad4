"""Words beside the pictures of Figures 2 to 5: titles, a line for each panel, captions.

A caption says what is drawn, which of the paper's settings no data can have, and why.
"""

from __future__ import annotations

from collections.abc import Mapping

TITLES: Mapping[str, str] = {
    "2": "Figure 2: Theorem 2 against the shift and k",
    "3": "Figure 3: Theorem 3 against dependence, epsilon and the shift",
    "4": "Figure 4: Theorem 4 against the share of known records",
    "5": "Figure 5: Theorem 5 against known records and dependence",
}
"""What a screen reader says, by number."""

NOTES: Mapping[str, str] = {
    "2a": "“ε increases with s”: it does",
    "2b": "“δ increases with s”: here it does",
    "2c": "“a larger ε”: constant at first",
    "3a": "“δ increases”: the formula does",
    "3b": "“δ increases”: the formula does",
    "3c": "“ε increases with s”: it does",
    "4a": "“δ increases with λ₂”: it falls",
    "4b": "“ε decreases with λ₂”: because V = 10λ₂ grows",
    "5a": "“turns in the band”: if n suits",
    "5b": "“δ increases”: the formula does",
    "5c": "“ε decreases”: because σ² grows",
}
"""What the text says of each panel, and what is so."""

_BOTH = (
    "Upper row: the printed formulas with the paper's settings; the captions never give n. "
    "Lower row: data that exist and whose law is known. "
)

CAPTIONS: Mapping[str, str] = {
    "2": "**Figure 2, Theorem 2.** " + _BOTH + "*Upper row.* √V = 50; k = 10 and ε₁ = 0.1 in (a), "
    "s = 1 in (c). (b) adds a signed third sum of 1 and Σσᵢ³ = 100; then Σσᵢ³ ≥ V^(3/2)/√n needs "
    "n ≥ 1,562,500. For any n the sum of *absolute* third moments, which Berry and Esseen ask "
    "for, is at least Σσᵢ³ = 100 (Lyapunov), not 1. In (c) ε is constant up to k = 10c₀² − ½, "
    "which is 29 for n = 100 and 71 for n = 20,000; the condition behind its rise has no part in "
    "privacy. *Lower row.* 10,000 fair coins, so that √V = 50 as above. (a) and (c) show the "
    "least ε at δ = 0.02 and 0.01. (b) shows δ at the printed ε. The signed third sum is 0, and "
    "the printed δ does not move with s at all. No true value depends on k. The sum is "
    "log-concave: the corrected bound covers every event.",
    "3": "**Figure 3, Theorem 3.** " + _BOTH + "*Upper row.* σ = 50, Σχᵢ³ = 5, √Σξᵢ⁴ = 1; ε = 0.1 "
    "in (a), λ₁ = 0.2 in (b); (c) has k = 10, ε₁ = 0.1 and no σ; we assume 50. No data have the "
    "settings of (a) and (b): |Σχᵢ³| ≤ n^(1/4) (Σξᵢ⁴)^(3/4) needs n ≥ 625, and σ² ≤ max|Nᵢ| √(n "
    "Σξᵢ⁴) needs max|Nᵢ| ≥ 2500/√n, that is 250, 18 and 2 for the three n, but the figure has λ₁ "
    "= max|Nᵢ| at most 1. *Lower row.* Fair coins in groups of D; a group is one coin copied with "
    "probability 3/5. (a) has 10,000 coins, s = 10 and ε = 0.1. (b) and (c) have 6,250 coins in "
    "pairs, σ = 50; (b) has s = 10, and (c) shows the least ε at δ = 0.02. Dependence that makes "
    "records move together spreads the sum: the exact δ *falls* as D grows. It falls as ε grows, "
    "as every δ(ε) does. The corrected bound says nothing (δ = 1) at these n except for D = 1. It "
    "says something with 10⁸ times as many records and s that grows with σ.",
    "4": "**Figure 4, Theorem 4.** " + _BOTH + "*Upper row.* s = 1, third sum 10λ₂, Σσᵢ³ = 100λ₂, "
    "V = 10λ₂; k = 10 and ε₁ = 0.1 in (b). No data have the settings of (a), for any n and λ₂: "
    "Σσᵢ³ ≤ V^(3/2) needs 100λ₂ ≤ (10λ₂)^(3/2), that is λ₂ ≥ 10. V is a sum over the records that "
    "are *not* known, and cannot grow with λ₂, as the settings have it. Even so δ falls in (a) up "
    "to λ₂ = 0.6, for n from 100 to 10⁹, where the text says that it increases. *Lower row.* 40 "
    "fair coins, V = 10(1 − λ₂). (a) shows δ at the printed ε. (b) shows the least ε at δ = 1/4; "
    "beyond λ₂ = 0.4 the corrected bound proves none. Every curve rises: what the adversary knows "
    "costs privacy.",
    "5": "**Figure 5, Theorem 5.** " + _BOTH + "*Upper row.* Σχᵢ³ = 5λ₂, √Σξᵢ⁴ = 5λ₂, σ² = 1000λ₂, "
    "k = 20, s = 1, ε₁ = 0.1; λ₁ = 0.1 in (a), λ₂ = 0.1 in (b). σ² cannot grow with λ₂, and λ₁ = "
    "max|Nᵢ| is at least 1. The text says that δ turns in the band of (a). It does for n from "
    "7,310 to 34,090 and for no other n from 100 to 10⁹, but Fig. 2(b) needs n of at least "
    "1,562,500. *Lower row.* 2,500 fair coins in pairs, σ² = 1000(1 − λ₂), known pair by pair; in "
    "(b) they are in groups of D, and a tenth of them is known. (a) and (b) show δ at the printed "
    "ε. (c) shows the least ε at δ = 0.01, for which the corrected bound needs more records. With "
    "σ² shrinking, as it must, δ has no turn and ε rises. The corrected bound says nothing (δ = "
    "1) at this n. It says something with 10⁸ times as many records and s that grows with σ.",
}
"""Markdown, by number."""
