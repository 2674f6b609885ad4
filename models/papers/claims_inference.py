"""Ledger rows for the measurements in Section IV of Zhao et al., IEEE Internet of Things J. 2019.

FU was measured on the friendships among Gowalla's first 4,515 users; the calls read the means that
:mod:`kproof.models.papers.fu_files` wrote, which come with kproof. What is measured depends on how
attacks on traces are applied to friendships, which the paper does not say; the rulings are for the
mapping of :mod:`kproof.models.attacks.inference.friends`, with the victim's class known unless
said.
"""

from __future__ import annotations

from kproof.theory.ledger import Claim, Evidence, Ledger, Ruling
from kproof.theory.quoting import deferred, quote

with deferred():
    from kproof.models.papers.fu_orderings import (
        compared,
        left,
        measured_above,
        printed_above,
        printed_deviations,
        printed_difference,
        sampling_error,
        telling,
        trend,
    )

INFERENCE = Ledger(
    (
        Claim(
            "E1",
            "Table III",
            "in level-I attacks 16.9 % to 18 % of users are identified for k = 6",
            Ruling.REFUTED,
            (
                Evidence(quote(printed_above)(6), "6"),
                Evidence(quote(measured_above)(6, level="I"), "(0, 12)"),
                Evidence(quote(sampling_error)(6, 196591), "'0.084'"),
                Evidence(quote(printed_deviations)(6, 196591), "('2.8', '15.9')"),
                Evidence(quote(sampling_error)(6, 4515), "'0.555'"),
                Evidence(quote(printed_deviations)(6, 4515), "('0.4', '2.4')"),
            ),
            "If nothing is known of a victim, the members of a class of k or more are equally "
            "likely. The expected FU is then the number of classes over the number of users, "
            "which is at most 1/k. For n = 4,515 users it is 16.66 % for CA and BE, and 2.46 % "
            "for IA, where one degree has many vertices. All six entries are above 1/6. The paper "
            "does not say how many users were attacked. If all 196,591 were, the sampling error "
            "(one standard deviation) is 0.084 points, and the entries are too high by 2.8 to "
            "15.9 sampling errors. If n = 4,515 were, it is 0.555 points, and the entries are too "
            "high by 0.4 to 2.4 sampling errors; any one of them may be so by chance.",
        ),
        Claim(
            "E2",
            "Section IV-B, Table III",
            "at level I the fraction in both CA and IA is larger than that in BE",
            Ruling.REFUTED,
            (
                Evidence(
                    quote(compared)("technique", "CA", "BE", level="I", prior="class"), "(0, 12, 0)"
                ),
                Evidence(
                    quote(compared)("technique", "IA", "BE", level="I", prior="class"), "(0, 0, 12)"
                ),
                Evidence(quote(printed_difference)("CA", "BE", 6, 196591), "('6.7', '4.2')"),
                Evidence(quote(printed_difference)("CA", "BE", 6, 4515), "('1.0', '0.6')"),
            ),
            "The three numbers count cells in which the first expected FU among n = 4,515 users "
            "is larger, equal or less. CA and BE have the same number of clusters, n // k, and so "
            "the same expectation. IA has the least. The paper prints differences of 0.8 and 0.5 "
            "points between CA and BE (MLE, BAS). Their sampling error is 0.784 points for 4,515 "
            "users, which chance may explain, and 0.119 points for all 196,591, which chance does "
            "not explain.",
        ),
        Claim(
            "E3",
            "Section IV-B, Fig. 6",
            "the fraction in level IV is larger than that both in level II and level III",
            Ruling.LOOSE,
            (
                Evidence(quote(compared)("level", "IV", "II", prior="class"), "(84, 0, 0)"),
                Evidence(quote(compared)("level", "IV", "III", prior="class"), "(81, 0, 3)"),
            ),
            "The three numbers count cells in which the first FU is larger, equal or less. FU at "
            "level IV is above that at level II everywhere, and above that at level III in 81 of "
            "84 cells. True friendships under pseudonyms tell members of a cluster apart. They "
            "also favour wrong places, so that more knowledge need not help a given attack.",
        ),
        Claim(
            "E4",
            "Section IV-B, Fig. 6(a), (b)",
            "more users can be identified with the knowledge of lambda2 percent of users' data "
            "than the dependencies among lambda1 percent",
            Ruling.LOOSE,
            (Evidence(quote(compared)("level", "III", "II", prior="class"), "(178, 2, 0)"),),
            "FU at level III is never less, and it is equal in two of 180 cells. At level II "
            "nothing ties a name to a place, so that an attack finds what it finds at level I. At "
            "level III at least the places of known users are excluded.",
        ),
        Claim(
            "E5",
            "Fig. 6(a)",
            "the fraction of identified users varies with lambda2 in level-II attacks",
            Ruling.REFUTED,
            (Evidence(quote(trend)("lambda1", level="II"), "(0, 12, 0, 0)"),),
            "Level II has no lambda2; lambda1 is meant. The four numbers count series that rise, "
            "are constant, fall, or do none of these. If nothing is known by name, friendships "
            "under pseudonyms leave the members of a class equally likely, so that FU is constant.",
        ),
        Claim(
            "E6",
            "Section IV-B",
            "more background information enables adversaries to identify more users' data",
            Ruling.LOOSE,
            (
                Evidence(quote(trend)("lambda2", level="III", prior="class"), "(4, 0, 0, 2)"),
                Evidence(quote(trend)("lambda2", level="IV", prior="class"), "(6, 0, 0, 0)"),
                Evidence(quote(trend)("lambda1", level="IV", prior="class"), "(6, 0, 0, 0)"),
            ),
            "The four numbers count series that rise, are constant, fall, or do none of these. FU "
            "rises in all series at level IV and in four of six at level III. At level II nothing "
            "is gained (E5).",
        ),
        Claim(
            "E7",
            "Section IV-B",
            "more users' data is identified by adversaries in MLE than BAS",
            Ruling.LOOSE,
            (
                Evidence(quote(compared)("attack", "mle", "bas", prior="class"), "(52, 68, 0)"),
                Evidence(
                    quote(compared)("attack", "mle", "bas", technique="IA", level="III"),
                    "(20, 0, 0)",
                ),
            ),
            "For IA at level III MLE is never less than BAS, victim by victim: a candidate who "
            "ranks first in agreements and is right contradicts nothing. Without knowledge, and "
            "among members of one cluster at level III, both are the same.",
        ),
        Claim(
            "E8",
            "Section IV-B",
            "the fraction in CA and IA is larger than that in BE in level-II to IV attacks",
            Ruling.LOOSE,
            tuple(
                Evidence(quote(compared)("technique", one, "BE", level=level, prior="class"), value)
                for one, level, value in (
                    ("CA", "II", "(0, 20, 0)"),
                    ("CA", "III", "(20, 0, 0)"),
                    ("CA", "IV", "(15, 0, 13)"),
                    ("IA", "II", "(0, 0, 20)"),
                    ("IA", "III", "(20, 0, 0)"),
                    ("IA", "IV", "(28, 0, 0)"),
                )
            ),
            "The three numbers count cells in which the first FU is larger, equal or less. The "
            "claim is true at level III only. At level II CA and BE are equal and IA has less. At "
            "level IV IA has more than BE, and CA has more in some cells and less in others. At "
            "level III members of a cluster are alike for CA and BE; BE is told who is known and "
            "puts these users together.",
        ),
        Claim(
            "E9",
            "Section IV-C, Fig. 7",
            "the fraction in level-I to IV attacks decreases with k",
            Ruling.LOOSE,
            tuple(
                Evidence(quote(trend)("k", level=level, prior="class"), value)
                for level, value in (
                    ("I", "(0, 0, 6, 0)"),
                    ("II", "(0, 0, 6, 0)"),
                    ("III", "(0, 0, 5, 1)"),
                    ("IV", "(0, 0, 5, 1)"),
                )
            ),
            "The four numbers count series, one for each technique and attack, that rise, are "
            "constant, fall, or do none of these. FU falls where clusters hide users; at levels I "
            "and II this is so by construction.",
        ),
        Claim(
            "E10",
            "Section IV-C",
            "the fraction is less affected by k when adversaries have more background information",
            Ruling.LOOSE,
            tuple(
                Evidence(quote(left)(one, "mle", "class"), value)
                for one, value in (
                    ("CA", "('0.17', '0.17', '0.17', '0.29')"),
                    ("IA", "('0.49', '0.49', '0.98', '0.98')"),
                    ("BE", "('0.17', '0.17', '0.17', '0.33')"),
                )
            ),
            "The numbers are FU for the largest k over FU for the smallest, by MLE at levels I to "
            "IV. No number is below that of a lower level. For CA and BE it is the same at levels "
            "I to III, where only clusters count.",
        ),
        Claim(
            "E11",
            "Section IV-C",
            "users' data cloaked by BE is more difficult to be identified when increasing k, as BE "
            "uses the adversarial uncertainty",
            Ruling.LOOSE,
            (
                Evidence(quote(left)("BE", "bas", "class"), "('0.17', '0.17', '0.17', '0.36')"),
                Evidence(quote(left)("CA", "bas", "class"), "('0.17', '0.17', '0.17', '0.28')"),
            ),
            "True, but CA becomes as difficult or more: at level IV BE keeps 0.36 of its FU and "
            "CA keeps 0.28. At levels I to III FU falls with the number of clusters, which is the "
            "same for both.",
        ),
        Claim(
            "E12",
            "Section IV-A",
            "adversaries launch the existing inference attacks MLE and BAS to identify each user",
            Ruling.AMBIGUOUS,
            (
                Evidence(quote(compared)("prior", "class", "all", level="III"), "(60, 0, 0)"),
                Evidence(quote(measured_above)(6, level="III", prior="class"), "(30, 30)"),
                Evidence(quote(measured_above)(6, level="III", prior="all"), "(11, 30)"),
            ),
            "The paper does not say how attacks on traces apply to friendships, nor whether the "
            "victim's class is known. If it is known, all FU for k = 6 at level III are above "
            "1/6; otherwise 11 of 30 are.",
        ),
        Claim(
            "E13",
            "Section V",
            "simulations have validated that there exists a nonasymptotic bound on the performance "
            "of k-anonymity, given attacks' background information",
            Ruling.UNSOUND,
            (
                Evidence(quote(telling)(k="6"), "(0, 6310)"),
                Evidence(quote(telling)(technique="IA", k="18"), "(2, 284)"),
                Evidence(quote(telling)(), "(13, 30757)"),
            ),
            "The paper sets no (epsilon, delta) beside any FU. For k = 6 exp(epsilon)/m + delta "
            "is 1 or more for every class and epsilon, so that the corrected bounds allow every "
            "FU from 0 to 1 and no measurement could contradict them. For all k up to 18, 13 of "
            "30,757 classes are exceptions.",
        ),
    )
)
"""Claims E1, E2, ... about measured FU; the techniques themselves are in a ledger of their own."""
