"""The paper's tables under attack: what it claims of them and what is true."""

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from cases import cases
from class_oracles import width
from theta_oracles import CATEGORY, TABLE_4A, TABLE_4B, TABLE_8A, TABLE_8B

from kproof.errors import InvalidArgument
from kproof.models.attacks import BackgroundKnowledge, Person, PublishedClasses, attack
from kproof.models.base.classes import Classes

DISEASES = tuple(sorted(CATEGORY))
NOISE_8A = 12
NOISE_KNOWN = BackgroundKnowledge(noise_recognised=True)


def classes_of(table, *, noise=()):
    values = [value for one in table for value in one]
    of_row = [index for index, one in enumerate(table) for _ in one]
    real = np.ones(len(values), dtype=bool)
    real[list(noise)] = False
    return Classes(
        of_row=np.array(of_row),
        count=len(table),
        sensitive=np.array([DISEASES.index(value) for value in values]),
        values=DISEASES,
        real=real if noise else None,
        category=np.array([CATEGORY[value] - 1 for value in DISEASES]),
        categories=(1, 2, 3, 4),
    )


def disclosed(name, classes, **options):
    disclosure = attack(name, classes, **options)
    return [int(disclosure.beliefs.rows[position]) for position in disclosure.disclosed]


@cases(
    (TABLE_4A, (), [8, 9, 10, 11]),
    (TABLE_4B, (), [0, 1, 2, 3, 8, 9, 10, 11]),
    (TABLE_8A, (NOISE_8A,), []),
    (TABLE_8B, (), []),
)
def test_sensitive_variance_of_the_papers_tables(table, noise, exposed):
    """Section 4 and 5: Tables 4a and 4b leak, 8a and 8b do not, for mu = 0.6 and k = 4."""
    classes = classes_of(table, noise=noise)
    disclosure = attack("sensitive-variance", classes, k=4, mu="0.6")
    assert disclosure.rule == "V < 3/4"
    assert [int(disclosure.beliefs.rows[i]) for i in disclosure.disclosed] == exposed
    for position in range(disclosure.victims):
        own = table[int(classes.of_row[position])]
        assert disclosure.victim(position).figures["V"] == width(own)
        most = max(own.count(value) for value in own)
        assert disclosure.posterior(position) == Fraction(most, len(own))


def test_low_variance_in_ec3_of_table_4a_is_no_certainty():
    """The attack on EC3 (Table 5) ends with Flu at one half."""
    disclosure = attack("sensitive-variance", classes_of(TABLE_4A), k=4)
    assert disclosure.worst.figures["V"] == Fraction(11, 16)
    assert (disclosure.worst.guess, disclosure.worst.posterior) == ("Flu", Fraction(1, 2))
    assert not attack("sensitive-variance", classes_of(TABLE_4A), k=4, criterion="posterior")
    likely = {"criterion": "posterior", "tau": "1/2"}
    assert disclosed("sensitive-variance", classes_of(TABLE_4A), **likely) == [8, 9, 10, 11]


@pytest.mark.parametrize("table", [TABLE_4A, TABLE_4B, TABLE_8A, TABLE_8B])
def test_nobody_is_disclosed_by_homogeneity_or_by_category(table):
    """Section 4 says that EC2 and EC3 of Table 4a fall to the latter; not by Definition 5."""
    classes = classes_of(table)
    assert not attack("homogeneity", classes)
    disclosure = attack("categorical-similarity", classes)
    assert not disclosure
    for position in range(disclosure.victims):
        own = [CATEGORY[value] for value in table[int(classes.of_row[position])]]
        shares = {one: Fraction(own.count(one), len(own)) for one in own}
        assert disclosure.victim(position).distribution == shares


def test_the_worst_category_shares():
    """Half at best: 4a and 8b are alike; 4b, and 8a without its noise row, reach 3/4."""
    name = "categorical-similarity"
    for table, share in ((TABLE_4A, "1/2"), (TABLE_4B, "3/4"), (TABLE_8B, "1/2")):
        assert attack(name, classes_of(table)).worst.posterior == Fraction(share)
    noisy = classes_of(TABLE_8A, noise=(NOISE_8A,))
    assert attack(name, noisy).worst.posterior == Fraction(3, 5)
    assert attack(name, noisy, background=NOISE_KNOWN).worst.posterior == Fraction(3, 4)


def test_who_recognises_the_noise_row_of_table_8a_undoes_it():
    """Section 5.2 adds it against the variance attack; without it the class is below theta."""
    noisy = classes_of(TABLE_8A, noise=(NOISE_8A,))
    name = "sensitive-variance"
    assert disclosed(name, noisy, k=4) == []
    assert disclosed(name, noisy, k=4, background=NOISE_KNOWN) == [8, 9, 10, 11]
    knows = BackgroundKnowledge(
        victims=(Person(row=9, excluded=("Cancer", "Indigestion")),), noise_recognised=True
    )
    disclosure = attack("linkage", noisy, background=knows)
    assert (disclosure.worst.guess, disclosure.worst.posterior) == ("Flu", 1)
    blind = attack("linkage", noisy, background={"victims": [{"row": 9, "excluded": ["Cancer"]}]})
    assert blind.worst.posterior == Fraction(2, 4)


def test_table_8b_is_not_secure_from_skewness():
    """Section 5.2 says it is; the release triples what is believed of the rare diseases."""
    disclosure = attack("skewness", classes_of(TABLE_8B), least=3)
    assert disclosure.worst.figures == {"prior": Fraction(1, 12), "gain": Fraction(3)}
    assert len(disclosure) == 12


def test_categorical_similarity_is_not_covered_by_sensitive_variance():
    """Section 4 says it is: smallest classes against either direction, by exhaustive search.

    {HIV, Cancer} is of one category and passes theta; (2, 1) over two categories fails theta
    while its category stays open.
    """

    def smallest(wanted):
        for size in range(2, 5):
            found = [
                values
                for values in combinations_with_replacement(DISEASES, size)
                if wanted(*succeeds(values))
            ]
            if found:
                return found
        return []

    def succeeds(values):
        classes = classes_of((values,))
        theta = Fraction(3, 5) * Fraction(len(values) ** 2 - 1, 12)
        categorical = bool(attack("categorical-similarity", classes))
        assert categorical == (len({CATEGORY[value] for value in values}) == 1)
        sensitive = bool(attack("sensitive-variance", classes))
        assert sensitive == (width(values) < theta)
        return categorical, sensitive

    only_categorical = smallest(lambda categorical, sensitive: categorical and not sensitive)
    only_variance = smallest(lambda categorical, sensitive: sensitive and not categorical)
    assert ("Cancer", "HIV") in only_categorical
    assert {len(one) for one in only_categorical} == {2}
    assert {len(one) for one in only_variance} == {3}
    assert all(sorted(one.count(value) for value in set(one)) == [1, 2] for one in only_variance)


def test_variance_does_not_order_risk():
    """k = 8, mu = 0.5: the class with the likelier value passes, the other fails."""
    risky, safe = ("a", "a", "a", "b", "c", "d", "e", "f"), ("a", "a", "b", "b", "c", "c", "d", "d")
    letters = "abcdef"

    def run(values):
        codes = np.array([letters.index(value) for value in values])
        rows = Classes(np.zeros(8, dtype=int), 1, codes, tuple(letters))
        return attack("sensitive-variance", rows, mu="1/2", k=8)

    assert not run(risky)
    assert run(safe)
    assert run(risky).worst.posterior > run(safe).worst.posterior


def test_categories_are_asked_for():
    rows = Classes(np.array([0]), 1, np.array([0]), ("a",))
    with pytest.raises(InvalidArgument, match="a category for each sensitive value"):
        attack("categorical-similarity", rows)
    with pytest.raises(InvalidArgument, match="sensitive"):
        PublishedClasses.of(Classes(np.array([0]), 1))
