"""``kproof bound table`` and ``kproof bound noisy`` as they are typed."""

from collections import Counter
from collections.abc import Iterator
from decimal import Context, Decimal
from fractions import Fraction
from itertools import permutations, product
from math import comb, prod
from pathlib import Path

import pytest
from nights import by_day
from public_data import data_file
from shell import kproof, refused

from kproof.cli.bounds.inputs import read_belief
from kproof.datasets import read_text_table
from kproof.theory.theorems.releases.believed import noisy_bound, sum_bound, table_bound

ANSWERED = ("--assume", "independence", "--assume", "belief")


def belief(folder: Path, text: str) -> str:
    path = folder / "belief.csv"
    path.write_text(text.replace(" ", "\n"), encoding="utf-8")
    return str(path)


THREE = "cell,p a,0.02 b,0.03 c,0.95"


def test_golden_values(tmp_path):
    words = ("bound", "table", "--belief", belief(tmp_path, THREE), "--rows", "1001")
    document = kproof(*words, "--epsilon", "0.5", *ANSWERED, "--json").document
    assert document["delta"]["upper"].startswith("0.008286953584554")
    assert (document["worst"], document["statement"]) == ("a row is in b and not in a", "R3")
    rare = belief(tmp_path, "cell,p a,0.004 b,0.006 c,0.99")
    hidden = table_bound(belief=read_belief(rare), rows=1001, epsilon=1, k=10)
    # The golden pair is a and b, and b and c tell more.
    assert Fraction("0.0159437859") < Fraction(hidden.delta.lower)
    # Means of 0.2 and 30: the golden pair is one of three, and the bound is that of the worst.
    means = {"a": "0.004", "b": "0.6", "c": "0.396"}
    unknown = table_bound(belief=means, rows=51, epsilon="1/2", k=5, total="poisson")
    assert Fraction("9.98550750095566084e-4") <= Fraction(unknown.delta.lower)
    noisy = noisy_bound(records=100, mass="0.3", laplace=1, epsilon="1/2")
    assert Fraction(noisy.delta.lower) <= Fraction("0.0115615396046077325")
    assert Fraction(noisy.delta.upper) >= Fraction("0.0115615396046077324")


def worst_by_hand(masses: list[Fraction], others: int, ratio: Fraction, k: int) -> Fraction:
    """Return the largest divergence of all pairs of cells, over whole histograms."""

    def histogram(victim: int) -> dict[tuple[int, ...], Fraction]:
        law: dict[tuple[int, ...], Fraction] = {}
        for rows in product(range(len(masses)), repeat=others):
            counts = Counter((*rows, victim))
            seen = tuple(counts[cell] if counts[cell] >= k else 0 for cell in range(len(masses)))
            chance = prod((masses[cell] for cell in rows), start=Fraction(1))
            law[seen] = law.get(seen, Fraction(0)) + chance
        return law

    laws = [histogram(cell) for cell in range(len(masses))]
    return max(
        sum(
            (max(mass - ratio * second.get(seen, 0), Fraction(0)) for seen, mass in first.items()),
            Fraction(0),
        )
        for first, second in permutations(laws, 2)
    )


def cases() -> Iterator[tuple[list[Fraction], int, int]]:
    for parts in ((1, 2, 5), (1, 1, 4), (2, 3, 3), (1, 3, 3, 5)):
        for others, k in product((1, 3, 5), (1, 2, 3)):
            yield [Fraction(part, sum(parts)) for part in parts], others, k


@pytest.mark.parametrize(("masses", "others", "k"), [*cases()])
def test_no_histogram_tells_more_and_shown_counts_tell_as_much(masses, others, k):
    named = {str(place): mass for place, mass in enumerate(masses)}
    bound = table_bound(belief=named, rows=others + 1, epsilon=Fraction(1, 2), k=k)
    # A ratio just below e^ε bounds from above, one just above it from below.
    digits = Fraction(Context(prec=50).exp(Decimal("0.5")))
    tiny = Fraction(1, 10**30)
    assert worst_by_hand(masses, others, digits + tiny, k) <= Fraction(bound.delta.upper)
    if k == 1:
        assert Fraction(bound.delta.lower) <= worst_by_hand(masses, others, digits - tiny, k)


def test_the_adult_table_is_decided_by_its_rarest_cells():
    table = read_text_table(data_file("adult.data"))
    places = [table.position(name) for name in ("sex", "race")]
    counts = Counter(zip(*(table.cells[place] for place in places), strict=True))
    assert sorted(counts.values())[:2] == [109, 119]
    total = sum(counts.values())
    masses = {" ".join(cell): Fraction(count, total) for cell, count in counts.items()}
    for epsilon, digits in (("1/10", "0.0182"), ("1/2", "5.4e-6")):
        delta = table_bound(belief=masses, rows=total, epsilon=epsilon).delta.upper
        assert abs(Fraction(delta) / Fraction(digits) - 1) < Fraction(1, 50)


def test_a_cell_that_no_other_row_can_be_in_tells_everything(tmp_path):
    words = ("bound", "table", "--rows", "100", "--epsilon", "1")
    ran = kproof(*words, "--belief", belief(tmp_path, "cell,p a,0 b,0.5 c,0.5"), columns=200)
    assert "a row is in a, where no other row can be" in ran.out
    assert ran.status == 4
    assert str(table_bound(belief={"a": 0, "b": 1}, rows=100, epsilon=1, k=200).delta) == "0"


def test_counts_are_made_probabilities_and_known_rows_hide_nothing(tmp_path):
    counted = belief(tmp_path, "sex,race,count f,x,2 m,x,3 f,y,95")
    assert (
        table_bound(belief=read_belief(counted), rows=1001, epsilon="1/2").delta
        == table_bound(
            belief={"a": "0.02", "b": "0.03", "c": "0.95"}, rows=1001, epsilon="1/2"
        ).delta
    )
    alone = table_bound(belief=read_belief(counted), rows=5, rows_known=4, epsilon=1)
    assert str(alone.delta) == "1"


LAWS = "law,others,age,p young,200,20s,0.5 young,200,30s,0.5 old,100,30s,0.4 old,100,40s,0.6"


def test_rows_of_several_laws(tmp_path):
    words = ("bound", "table", "--epsilon", "0.5", "--belief", belief(tmp_path, LAWS))
    document = kproof(*words, *ANSWERED, "--json").document
    assert (document["statement"], document["parameters"]["laws"]) == ("R5", "2")
    assert document["worst"] == "a row is in 40s and not in 20s, by way of 30s"
    counted = belief(tmp_path, LAWS.replace(",p ", ",count ").replace("0.", ""))
    again = kproof(*words[:-1], counted, *ANSWERED, "--json").document
    assert again["delta"] == document["delta"]


@pytest.mark.parametrize(
    ("text", "words", "says"),
    [
        (LAWS.replace("200,30s", "201,30s"), (), "belief.csv: 200 and 201 others of law young"),
        (LAWS.replace("others", "size"), (), "belief.csv: columns law, size, age, p; need one"),
        (LAWS, ("--rows", "301"), "--rows = 301: need none: the column others says"),
        (LAWS.replace("0.6", "0.5"), ("--rows-known", "1"), "--rows-known = 1: need none"),
        ("cell,p a,0.5 b,0.6", (), "--belief = 'probabilities that sum to 1.1'"),
        ("cell,p a,0.5 a,0.5", (), "belief.csv: the cell a stands there twice"),
        ("cell,q a,0.5", (), "belief.csv: columns cell, q; need one column p or count"),
        ("cell,p a,1", (), "--belief = '1 cell': need two cells at least"),
        ("cell,p a,x b,1", (), "p of a = x: need p of a >= 0"),
        (
            THREE,
            ("--rows-known", "100"),
            "--rows-known = 100: need a whole number 0 <= rows_known <= 99",
        ),
        (THREE, ("--total", "no"), "--total = no: need public or poisson"),
        (THREE, ("--assume", "indep"), "--assume = indep: need with a belief about rows"),
        (THREE, ("--rows", "10000002"), "--rows = 10000002: need a whole number"),
    ],
)
def test_bad_input(text, words, says, here):
    belief(here, text)
    rows = () if "--rows" in words or "law" in text else ("--rows", "100")
    line = refused("bound", "table", "--belief", "belief.csv", *rows, "--epsilon", "1", *words)
    assert line.startswith(says), line


def test_a_sum_of_draws_is_exact_and_of_less_than_a_law_not_far_above(tmp_path):
    table = read_text_table(data_file("adult.data"))
    ages = Counter(table.cells[table.position("age")])
    file = tmp_path / "ages.csv"
    lines = [f"{age},{number}" for age, number in ages.items()]
    file.write_text("\n".join(["age,count", *lines]), encoding="utf-8")
    words = ("bound", "sum", "--belief", str(file), "--shift", "73", "--epsilon", "1", *ANSWERED)

    def at(part: str, records: str) -> Fraction:
        document = kproof(*words, "--part", part, "--records", records, "--json").document
        assert document["statement"] == "R6"
        return Fraction(document["delta"]["upper"])

    assert Fraction("2.9e-10") < at("1", "1000") < Fraction("2.95e-10")
    records, half = by_day(("250", "7.3e-3"), at_night=("1000", "3.1e-6"))
    exact = at("1", records)
    assert exact < at("0.95", records) < 3 * exact
    assert exact < at("0.5", records) < Fraction(half)


def test_a_sum_is_what_its_parts_tell_by_hand():
    """Three records, each a coin with a chance of two thirds and otherwise anything at all."""
    bound = sum_bound(belief={"0": "1/2", "1": "1/2"}, records=3, part="2/3", epsilon=0)
    chance = Fraction(2, 3)
    by_hand = sum(
        comb(3, n)
        * chance**n
        * (1 - chance) ** (3 - n)
        * sum(max(comb(n, j) - (comb(n, j - 1) if j else 0), 0) for j in range(n + 1))
        / 2**n
        for n in range(4)
    )
    assert Fraction(bound.delta.lower) <= by_hand <= Fraction(bound.delta.upper)
    assert refused("bound", "sum", "--belief", "none.csv", "--records", "3", "--epsilon", "1")


def test_noise_is_one_of_two_and_both_lines_are_printed():
    words = ("bound", "noisy", "--records", "10", "--mass", "1/2", "--epsilon", "1")
    assert refused(*words).startswith("laplace, gaussian = 'none or both'")
    ran = kproof(*words, "--gaussian", "4", *ANSWERED, columns=200)
    assert (ran.status, "noise alone, against everyone" in ran.out) == (0, True)
    # Without a record that hides, noise alone is left; without noise, the records.
    bound = noisy_bound(records=0, mass="1/2", laplace=1, epsilon="1/2")
    alone, records = bound.beside.values()
    assert (bound.delta, str(records)) == (alone, "1")
    few = noisy_bound(records=3, mass=1, laplace=20, epsilon=0).beside["records alone"]
    by_hand = sum(max(comb(3, j) - (comb(3, j - 1) if j else 0), 0) for j in range(4))
    assert Fraction(few.lower) <= Fraction(by_hand, 8) <= Fraction(few.upper)
