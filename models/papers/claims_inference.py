"""Ledger rows for the measurements in Section IV of Zhao et al., IEEE Internet of Things J. 2019.

FU was measured on the friendships among Gowalla's first 4,515 users; the calls read the means that
:mod:`kproof.models.papers.fu_files` wrote, which come with kproof. What is measured depends on how
attacks on traces are applied to friendships, which the paper does not say; the rulings are for the
mapping of :mod:`kproof.models.attacks.inference.friends`, with the victim's class known unless
said.
"""

from __future__ import annotations

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
from kproof.theory.ledger import Claim, Evidence, Ledger, Ruling
from kproof.theory.quoting import quote

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
            "Without anything known of a victim the members of a class of k or more are equally "
            "likely, so that the expected FU is at most 1/k: the number of classes over the number "
            "of users. Expected are 16.66 % for CA and BE and 2.46 % for IA, where one degree has "
            "many vertices, of n = 4,515 users. All six entries are above 1/6. How many users were "
            "attacked is not said. If all 196,591 were, the sampling error (one standard "
            "deviation) is 0.084 points, and the entries are 2.8 to 15.9 of it too high. Of n = "
            "4,515 it is 0.555 points, and the entries are 0.4 to 2.4 of it too high, which for "
            "any one of them may be chance.",
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
            "Larger, equal, less, of expected FU among n = 4,515 users: CA and BE have the same "
            "number of clusters, n // k, and so the same expectation. IA has the least. Printed "
            "are 0.8 and 0.5 points between CA and BE (MLE, BAS), whose sampling error is 0.784 "
            "points for 4,515 users, so that chance may print them, and 0.119 for all 196,591, so "
            "that it does not.",
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
            "Larger, equal, less: above level II everywhere, above level III in 81 of 84 "
            "cells. True friendships under pseudonyms tell members of a cluster apart; they "
            "also favour wrong places, so that more knowledge need not help a given attack.",
        ),
        Claim(
            "E4",
            "Section IV-B, Fig. 6(a), (b)",
            "more users can be identified with the knowledge of lambda2 percent of users' data "
            "than the dependencies among lambda1 percent",
            Ruling.LOOSE,
            (Evidence(quote(compared)("level", "III", "II", prior="class"), "(178, 2, 0)"),),
            "Never less, and equal in two cells of 180. At level II nothing ties a name to a "
            "place, which leaves what level I has; at level III places of known users are "
            "excluded, if nothing else.",
        ),
        Claim(
            "E5",
            "Fig. 6(a)",
            "the fraction of identified users varies with lambda2 in level-II attacks",
            Ruling.REFUTED,
            (Evidence(quote(trend)("lambda1", level="II"), "(0, 12, 0, 0)"),),
            "Level II has no lambda2; lambda1 is meant. Rising, constant, falling, neither: "
            "friendships under pseudonyms, without anything known by name, leave the members of a "
            "class equally likely, so that FU is constant.",
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
            "Rising, constant, falling, neither: true of all series at level IV and of four "
            "of six at level III. At level II nothing is gained (E5).",
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
            "Never less for IA at level III, victim by victim: whoever ranks first in agreements "
            "and is right contradicts nothing. Without knowledge, and among members of one cluster "
            "at level III, both are the same.",
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
            "Larger, equal, less: only at level III. At level II CA and BE are equal and IA "
            "has less. At level IV IA has more, CA and BE go both ways. At level III members "
            "of a cluster are alike for CA and BE; BE, which is told who is known, puts them "
            "together.",
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
            "Rising, constant, falling, neither, of series of each technique and attack. It falls "
            "where clusters hide, by construction at levels I and II.",
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
            "FU for the largest k over that for the smallest, levels I to IV, MLE. Not below "
            "that of a lower level; the same for levels I to III in CA and BE, where only "
            "clusters count.",
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
            "It is, but CA's as much or more: at level IV BE keeps 0.36 of its FU and CA "
            "0.28. What falls with k at levels I to III is the number of clusters, of which "
            "both have the same.",
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
            "How attacks on traces apply to friendships is not said, nor whether the victim's "
            "class is known. With it, all FU for k = 6 at level III are above 1/6; without "
            "it, 11 of 30 are.",
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
            "No (epsilon, delta) is set beside any FU. For k = 6 exp(epsilon)/m + delta is 1 "
            "or more for every class and epsilon, so that the corrected bounds allow every FU "
            "from 0 to 1 and no measurement could contradict them; of all k to 18, 13 of "
            "30,757 classes are an exception.",
        ),
    )
)
"""Claims E1, E2, ... about measured FU; the techniques themselves are in a ledger of their own."""
