"""Ledger rows for Sections 1 and 4 of Khan et al., Electronics 2020, 9(5), 716: the attacks."""

from __future__ import annotations

from kproof.theory.ledger import Claim, Evidence, Ruling
from kproof.theory.quoting import deferred, each, quote

with deferred():
    from kproof.models.papers.theta_checks import attained, disclosed, low_variance
    from kproof.models.papers.theta_counterexamples import (
        category_alone,
        inversion,
        variance_alone,
        variances,
    )
    from kproof.theory.theorems.theta import variance

_TABLE_4 = (
    "{'k': 4, 'values': 3, 'categories': 2, 'weight': Fraction(1, 1), 'mu': Fraction(11, 20)}"
)
"""What Tables 4a and 4b both attain."""

SECTION_4 = (
    Claim(
        "T1",
        "Section 1.1",
        "p+- and (p,alpha)-sensitive k-anonymity have zero diversity at the category level",
        Ruling.REFUTED,
        (
            Evidence(quote(attained)("table-4a")["categories"], "2"),
            Evidence(quote(attained)("table-4b")["categories"], "2"),
        ),
        "p+-sensitivity asks for p >= 2 categories in every class by Definition 8, and Tables 4a "
        "and 4b have two in each. (p,alpha)-sensitivity asks for none: there it may be one.",
    ),
    Claim(
        "T2",
        "Section 1.2",
        "the variance-based diversity prevents the sensitive variance attack, which automatically "
        "prevents the categorical similarity attack",
        Ruling.REFUTED,
        (Evidence(quote(category_alone)("0.6"), "('Asthma', 'Obesity')"),),
        "V does not see categories. For k = 2 two diseases of one category have the largest V "
        "there is, and everyone's category is disclosed.",
    ),
    Claim(
        "T3",
        "Section 4",
        "disclosures through the sensitive variance attack automatically cover those through the "
        "categorical similarity attack",
        Ruling.REFUTED,
        (
            Evidence(quote(category_alone)("0.6"), "('Asthma', 'Obesity')"),
            Evidence(quote(variance_alone)("0.6"), "('Asthma', 'Asthma', 'Cancer')"),
        ),
        "Neither attack covers the other: the smallest class where only the categorical one "
        "succeeds has two rows, the smallest where only the variance one does has three.",
    ),
    Claim(
        "T4",
        "Section 4, Table 4a",
        "Table 4a is 2+-sensitive 4-anonymous",
        Ruling.PROVED,
        (Evidence(quote(attained)("table-4a"), _TABLE_4),),
        "Holds by class and by label; p = 3 does not hold.",
    ),
    Claim(
        "T5",
        "Section 4, Table 4b",
        "Table 4b is (3,1)-sensitive 4-anonymous",
        Ruling.ASSUMED,
        (Evidence(quote(attained)("table-4b"), _TABLE_4),),
        "Holds, with alpha = 1 exactly, if category i of m weighs (i - 1)/(m - 1) and distinct "
        "values count once; the paper defines no weights.",
    ),
    Claim(
        "T6",
        "Section 4",
        "EC2 and EC3 of Table 4a have the categorical similarity attack",
        Ruling.REFUTED,
        (Evidence(quote(disclosed)("categorical-similarity", "table-4a"), "0"),),
        "By Definition 5 it needs a class of a single category; all three have two, each with "
        "probability 1/2.",
    ),
    Claim(
        "T7",
        "Section 4, Table 5",
        "the variance of EC2 is 1.25, that of EC3 0.69",
        Ruling.PROVED,
        (
            Evidence(
                quote(variances)("table-4a"), "(Fraction(5, 4), Fraction(5, 4), Fraction(11, 16))"
            ),
        ),
        "5/4 and 11/16 = 0.6875.",
    ),
    Claim(
        "T8",
        "Section 4",
        "the ordered weight of a fully diverse EC2 will be 1, 1, 1, 1",
        Ruling.TYPO,
        (
            Evidence(quote(variance)([1, 1, 1, 1]), "Fraction(5, 4)"),
            Evidence(quote(variance)([4]), "Fraction(0, 1)"),
        ),
        "The frequencies are 1; the weights are 1, 2, 3, 4 as in Table 5. Equal weights would "
        "have variance 0.",
    ),
    Claim(
        "T9",
        "Section 4",
        "Tables 4a and 4b are highly vulnerable to the sensitive variance attack, which discloses "
        "an individual",
        Ruling.LOOSE,
        (
            Evidence(
                each(quote(low_variance)("table-4a"), quote(low_variance)("table-4b")), "(4, 8)"
            ),
            Evidence(quote(disclosed)("sensitive-variance", "table-4a"), "0"),
            Evidence(quote(disclosed)("sensitive-variance", "table-4a", tau="1/2"), "4"),
        ),
        "4 and 8 rows are in classes with V < 3/4, but nobody's disease is certain: the best bet "
        "has probability 1/2 where k-anonymity hopes for 1/4.",
    ),
    Claim(
        "T10",
        "Section 5.1",
        "high variance means high diversity in an EC and vice versa",
        Ruling.REFUTED,
        (
            Evidence(quote(inversion)("share"), "((3, 1, 1), (2, 2, 1))"),
            Evidence(
                quote(inversion)("values"),
                "((7, 1, 1, 1, 1, 1, 1, 1), (2, 2, 2, 2, 2, 1, 1, 1, 1))",
            ),
            Evidence(
                each(quote(variance)([3, 1, 1]), quote(variance)([2, 2, 1])),
                "(Fraction(16, 25), Fraction(14, 25))",
            ),
        ),
        "Full diversity has the largest V, but V orders classes neither by the probability of the "
        "commonest value nor by the number of values: five rows as (3, 1, 1) are wider than "
        "(2, 2, 1), fourteen rows with eight values may be wider than with nine.",
    ),
)
