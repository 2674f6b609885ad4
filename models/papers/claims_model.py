"""Ledger rows for Section 5 of Khan et al., Electronics 2020, 9(5), 716: the model.

What the paper claims of its threshold, Algorithm 1, Table 8 and the net.
"""

from __future__ import annotations

from kproof.theory.ledger import Claim, Evidence, Ruling
from kproof.theory.quoting import deferred, each, quote

with deferred():
    from kproof.models.papers.theta_checks import (
        attained,
        disclosed,
        gain,
        patients,
        posterior_without,
        recognised,
    )
    from kproof.models.papers.theta_counterexamples import (
        category_counts,
        diseases,
        narrowed_by_cross_swap,
        publications,
        repeated,
        told_apart,
        variances,
    )
    from kproof.models.papers.theta_results import padding
    from kproof.models.tables.theta.moves import back_check, cross_check
    from kproof.theory.theorems.theta import (
        largest_feasible_mu,
        largest_variance,
        mu_for_full_diversity,
        supremum_variance,
        theta,
        theta_guarantees,
        variance,
    )

_FROM_ROWS = quote(publications)(quote(diseases)("table-1a"), k=4, mu="0.6")
_FROM_4B = quote(publications)(quote(diseases)("table-4b"), k=4, mu="0.6")

SECTION_5 = (
    Claim(
        "T11",
        "Section 5.1.1",
        "a fully diverse EC of 2, 3, 4, 5 rows has variance 0.25, 0.67, 1.25, 2",
        Ruling.PROVED,
        (
            Evidence(
                each(*(quote(largest_variance)(rows, rows) for rows in (2, 3, 4, 5))),
                "(Fraction(1, 4), Fraction(2, 3), Fraction(5, 4), Fraction(2, 1))",
            ),
        ),
        "(m^2 - 1)/12 for m rows, the largest V of m rows.",
    ),
    Claim(
        "T12",
        "Section 5.1",
        "because of the required noise addition the proposed model implies epsilon-differential "
        "privacy",
        Ruling.REFUTED,
        (Evidence(quote(told_apart)(("HIV", "Flu"), ("Cancer", "Flu"), mu="0.6"), "True"),),
        "Two tables of two people that differ in one disease have no publication in common, "
        "whatever the ties: an event has probability 1 under one and 0 under the other, so no "
        "finite epsilon holds. Values are published as they are, and noise is added for lack of "
        "variance, not at random.",
    ),
    Claim(
        "T13",
        "Section 5.1.2",
        "1.25 * 0.5 = 0.625 is less than 0.69, and 1.25 * 0.6 = 0.75 is greater",
        Ruling.PROVED,
        (
            Evidence(
                each(quote(theta)(4, "0.5"), quote(theta)(4, "0.6")),
                "(Fraction(5, 8), Fraction(3, 4))",
            ),
            Evidence(quote(mu_for_full_diversity)(4), "Fraction(11, 20)"),
        ),
        "The threshold is mu = 0.55, at which (2, 1, 1) still passes.",
    ),
    Claim(
        "T14",
        "Section 5.1.2",
        "mu = 0.6 gives a fully diverse EC; the same technique is applied to all other ECs",
        Ruling.REFUTED,
        (
            Evidence(quote(repeated)("0.6"), "(2, 1, 1, 1)"),
            Evidence(quote(mu_for_full_diversity)(5), "Fraction(17, 25)"),
            Evidence(quote(theta_guarantees)(20, "0.6").largest_share, "Fraction(7, 20)"),
        ),
        "True up to k = 4. Full diversity of m rows needs mu > 1 - 12(m - 1)/(m^2 (m + 1)): 17/25 "
        "for m = 5, and no mu < 1 is enough for every m. At k = 20, mu = 0.6 allows one value in "
        "7 of 20 rows.",
    ),
    Claim(
        "T15",
        "Section 5.1",
        "if the variance of an EC is greater than theta it is fully diverse",
        Ruling.REFUTED,
        (
            Evidence(
                each(quote(repeated)("0.6"), quote(repeated)("0.9")),
                "((2, 1, 1, 1), (2, 1, 1, 1, 1, 1, 1, 1, 1))",
            ),
        ),
        "The converse holds: a fully diverse class of k rows or more reaches theta for mu <= 1.",
    ),
    Claim(
        "T16",
        "Section 5.1.2",
        "a smaller mu results in frequent repetition, a higher one in a more diverse EC",
        Ruling.LOOSE,
        (
            Evidence(
                each(
                    quote(theta_guarantees)(10, "0.5").largest_count,
                    quote(theta_guarantees)(10, "0.9").largest_count,
                ),
                "(4, 2)",
            ),
        ),
        "What theta guarantees grows with mu; a smaller mu permits repetition and does not cause "
        "it.",
    ),
    Claim(
        "T17",
        "Definition 10",
        "Count(Dist(A_s)) >= theta",
        Ruling.TYPO,
        (
            Evidence(
                each(quote(variance)([2, 1, 1]), quote(len)([2, 1, 1])), "(Fraction(11, 16), 3)"
            ),
        ),
        "The variance is what must reach theta, as the sentence above the formula says; three "
        "distinct values exceed 3/4 while V = 11/16 does not.",
    ),
    Claim(
        "T18",
        "Section 5.1.2, Table 8a",
        "the model produces Table 8a, with noise, from Table 1a",
        Ruling.PROVED,
        (
            Evidence(_FROM_ROWS.reaches(quote(diseases)("table-8a")), "True"),
            Evidence(_FROM_ROWS.noise, "(1,)"),
            Evidence(_FROM_ROWS.count, "120"),
        ),
        "One of 120 outcomes of the corrected algorithm from the rows in order, all of which have "
        "one noise row.",
    ),
    Claim(
        "T19",
        "Section 5.1.2, Table 8b",
        "the model produces Table 8b, without noise, from Table 4b",
        Ruling.PROVED,
        (
            Evidence(_FROM_4B.reaches(quote(diseases)("table-8b")), "True"),
            Evidence(_FROM_4B.noise, "(0,)"),
        ),
        "One of 16 outcomes, none of which has noise.",
    ),
    Claim(
        "T20",
        "Section 5.1.2",
        "the ECs in Tables 8a and 8b have values from a minimum of three categories",
        Ruling.LOOSE,
        (
            Evidence(
                each(quote(category_counts)("table-8a"), quote(category_counts)("table-8b")),
                "((3, 4, 3), (3, 4, 3))",
            ),
            Evidence(quote(category_counts)("table-8a", noise=[13]), "(3, 4, 2)"),
        ),
        "True of the rows as published; the people in the third class of Table 8a have two "
        "categories. Nothing in the model brings it about.",
    ),
    Claim(
        "T21",
        "Section 5.1.2",
        "a very strict theta is calculated to get fully diverse ECs",
        Ruling.REFUTED,
        (
            Evidence(
                quote(diseases)("table-8a")[2], "('Cancer', 'Flu', 'Flu', 'Indigestion', 'Obesity')"
            ),
        ),
        "Table 8a itself repeats Flu in rows 10 and 11: with noise rows a class of more than four "
        "reaches theta_4 with a repetition. Table 8b has none.",
    ),
    Claim(
        "T22",
        "Section 5.2",
        "Table 8b has no repeated sensitive values; there is no need to add noise",
        Ruling.PROVED,
        (
            Evidence(quote(attained)("table-8b")["values"], "4"),
            Evidence(
                quote(variances)("table-8b"), "(Fraction(5, 4), Fraction(5, 4), Fraction(5, 4))"
            ),
        ),
        "Every class has four distinct values in four rows.",
    ),
    Claim(
        "T23",
        "Section 5.2",
        "further swapping is not possible in the last EC, thus a single tuple is added as noise",
        Ruling.LOOSE,
        (
            Evidence(quote(cross_check)({0: 2, 1: 1, 2: 1}, {0: 1, 3: 1, 4: 1, 5: 1}), "()"),
            Evidence(
                quote(patients)("corrected", form="diverse"), "{'swaps': 0, 'noise': 0, 'below': 0}"
            ),
        ),
        "True of Algorithm 1's only move there. But Table 8b parts the same twelve people without "
        "noise, as does forming the classes with a view to diversity: the noise is owed to the "
        "order of the rows, not to a lack of values.",
    ),
    Claim(
        "T24",
        "Section 5.2",
        "two swaps make a 2-diverse EC1 4-diverse without noise",
        Ruling.PROVED,
        (
            Evidence(quote(back_check)({0: 2, 1: 2}, {2: 1, 3: 1, 4: 1, 5: 1}), "(2, 3, 4, 5)"),
            Evidence(
                each(quote(variance)([2, 1, 1]), quote(variance)([1, 1, 1, 1])),
                "(Fraction(11, 16), Fraction(5, 4))",
            ),
        ),
        "(HIV, HIV, Cancer, Cancer) has V = 1/4, then 11/16 < 3/4, then 5/4.",
    ),
    Claim(
        "T25",
        "Algorithm 1",
        "the algorithm returns a theta-sensitive k-anonymous table",
        Ruling.UNSOUND,
        (
            Evidence(quote(patients)("printed"), "{'swaps': 2, 'noise': 0, 'below': 1}"),
            Evidence(quote(patients)("corrected"), "{'swaps': 3, 'noise': 1, 'below': 0}"),
        ),
        "The loop of line 9 runs once for each class while a swap leaves the index where it is: "
        "on Table 1a the last class, with V = 3/16, is never reached. The corrected reading goes "
        "on until every class has passed and publishes none below theta.",
    ),
    Claim(
        "T26",
        "Algorithm 1, lines 10, 28, 39; Rule (6)",
        "V > theta moves on, V < theta is adjusted",
        Ruling.UNSOUND,
        (
            Evidence(quote(theta)(4, "0.55"), "Fraction(11, 16)"),
            Evidence(quote(variance)([2, 1, 1]), "Fraction(11, 16)"),
        ),
        "Equality occurs, and no branch of Rule (6) takes it: the net deadlocks at k = 4, "
        "mu = 0.55. Definition 10 says at least, so equality passes.",
    ),
    Claim(
        "T27",
        "Algorithm 1, line 43",
        "noise is added until the variance exceeds theta",
        Ruling.UNSOUND,
        (
            Evidence(
                each(quote(supremum_variance)(3), quote(theta)(4, "0.6")),
                "(Fraction(25, 36), Fraction(3, 4))",
            ),
            Evidence(quote(largest_feasible_mu)(4, 3), "Fraction(5, 9)"),
        ),
        "With three values no class of any size reaches theta_4 for mu = 0.6, so this never ends. "
        "With d values it can end if and only if mu <= (2d - 1)^2 / (3(k^2 - 1)).",
    ),
    Claim(
        "T28",
        "Section 5.3, Rule (7)",
        "the cross-check does not lower the variance of EC_{n-1}",
        Ruling.PROVED,
        (Evidence(quote(narrowed_by_cross_swap)(12), "()"),),
        "No class of up to twelve rows is a counterexample; the proof for every size is in "
        "the documentation of kproof.models.tables.theta.method.theta_sensitive.",
    ),
    Claim(
        "T29",
        "Section 5.2",
        "c is at most 4 categories in Table 8a and at most 2 in Table 4a",
        Ruling.PROVED,
        (
            Evidence(
                each(quote(category_counts)("table-8a"), quote(category_counts)("table-4a")),
                "((3, 4, 3), (2, 2, 2))",
            ),
        ),
        "The largest number of categories in a class is 4 and 2.",
    ),
    Claim(
        "T30",
        "Section 5.2",
        "Tables 8a and 8b have no attribute disclosure risk",
        Ruling.REFUTED,
        (
            Evidence(
                quote(posterior_without)("table-8b", 1, ["HIV", "Cancer", "Flu"]), "Fraction(1, 1)"
            ),
            Evidence(
                quote(recognised)("table-8a", noise=13, row=10, excluded=["Cancer", "Indigestion"]),
                "Fraction(1, 1)",
            ),
        ),
        "Homogeneity and, in these two tables, categorical similarity fail. An adversary who can "
        "rule out three diseases knows the fourth in Table 8b; in Table 8a two are enough for one "
        "who recognises the noise row.",
    ),
    Claim(
        "T31",
        "Section 5.2",
        "Tables 8a and 8b are secure from skewness attacks",
        Ruling.REFUTED,
        (
            Evidence(
                each(quote(gain)("table-8a"), quote(gain)("table-8b")),
                "(Fraction(13, 4), Fraction(3, 1))",
            ),
        ),
        "Both more than double what is believed of a person: a disease that one person in 12 has "
        "becomes one in 4. Full diversity of small classes makes rare values likely.",
    ),
    Claim(
        "T32",
        "Section 5.2",
        "Table 4a is prone to homogeneity",
        Ruling.REFUTED,
        (Evidence(quote(disclosed)("homogeneity", "table-4a"), "0"),),
        "Every class has three distinct values or more.",
    ),
    Claim(
        "T33",
        "Abstract; Section 7",
        "the model prevents homogeneity attacks",
        Ruling.PROVED,
        (
            Evidence(quote(theta_guarantees)(2, "0.6").least_values, "2"),
            Evidence(quote(variance)([1000]), "Fraction(0, 1)"),
        ),
        "V >= theta > 0 needs two distinct values. It bounds what an adversary knows who has only "
        "the release.",
    ),
    Claim(
        "T34",
        "Section 5.3, Rule (9)",
        "the adversary gets no private information: the attack results in a null value",
        Ruling.REFUTED,
        (
            Evidence(
                quote(posterior_without)("table-8b", 1, ["HIV", "Cancer", "Flu"]), "Fraction(1, 1)"
            ),
        ),
        "The rule puts the empty result into its post-condition instead of deriving it. It is "
        "true of Table 1a for whoever knows nothing beforehand. Whoever rules out two diseases of "
        "someone in its first class finds two left, V = 1/4 < 3/4, and with a third is certain; at "
        "k = 2 everyone's category is disclosed.",
    ),
    Claim(
        "T35",
        "Section 5.3",
        "adding dummy records produces a k-anonymous EC",
        Ruling.LOOSE,
        (
            Evidence(quote(padding)(160150, 4), "2"),
            Evidence(quote(padding)(160150, 18), "14"),
        ),
        "k-anonymity counts people. A last class filled up with 14 dummy records has 4 people; "
        "merging the remainder into another class needs no dummies.",
    ),
)
