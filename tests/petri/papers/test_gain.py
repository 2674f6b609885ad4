"""The adversary's gain against counting rows with fractions."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from net_runs import reached
from theta_oracles import TABLE_1A, TABLE_4B, publications, spread

import kproof
from kproof.errors import InvalidArgument
from kproof.models.attacks import BackgroundKnowledge, Person
from kproof.petri.papers.gain import effect_of_mu, gain
from kproof.petri.papers.theta_sensitive import theta_publisher
from kproof.petri.spaces.explore import explore


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.lists(st.sampled_from("abcd"), min_size=3, max_size=3), min_size=1, max_size=3),
    st.lists(st.sampled_from("abcd"), max_size=2, unique=True),
    st.data(),
)
def test_posteriors_are_shares_of_rows(classes, excluded, data):
    row = data.draw(st.integers(0, len(classes) - 1))
    knows = BackgroundKnowledge(victims=(Person(row=row, excluded=tuple(excluded)),))
    publisher = theta_publisher(classes, k=3, mu="0.5", domain="abcd")
    found = gain(publisher, explore(publisher.net()), knows)
    best = Fraction(0)
    contradicted = 0
    for names in [
        publisher.names(ecs)
        for marking in reached(publisher.net()).ends
        for ecs in publisher.publications(marking)
    ]:
        left = Counter(value for value in names[row] if value not in excluded)
        if not left:
            contradicted += 1
            continue
        total = sum(left.values())
        best = max(best, Fraction(max(left.values()), total))
        (one,) = (belief for belief in found.beliefs if belief.published == names)
        assert one.posterior == {value: Fraction(n, total) for value, n in left.items()}
        before = Counter(value for own in classes for value in own if value not in excluded)
        assert one.prior == {v: Fraction(n, before.total()) for v, n in before.items()}
    assert found.contradicted == contradicted
    assert (found.worst.certainty if found.worst else 0) == best
    if found.worst:
        kept = [value for value in found.worst.published[row] if value not in excluded]
        assert Fraction(kept.count(found.worst.guess), len(kept)) == best


def test_the_gain_on_the_papers_table():
    publisher = theta_publisher(TABLE_1A, k=4)
    space = explore(publisher.net())
    plain = gain(publisher, space)
    assert plain.worst is not None
    # The third class has five rows, in every publication with the flu twice.
    assert plain.worst.certainty == Fraction(2, 5)
    assert (plain.worst.victim, plain.worst.guess) == (2, "Flu")
    assert plain.worst.factor == Fraction(2, 5) / Fraction(3, 12)
    assert plain.by_victim[0].certainty == plain.by_victim[1].certainty == Fraction(1, 4)
    assert len(plain.beliefs) == 3 * 120

    knows = BackgroundKnowledge(victims=(Person(row=0, excluded=("HIV", "Cancer", "Obesity")),))
    informed = gain(publisher, space, knows)
    assert informed.worst is not None
    assert informed.worst.certainty == 1
    assert informed.certain > 0
    left = set(informed.worst.published[0]) - {"HIV", "Cancer", "Obesity"}
    assert left == {informed.worst.guess}
    assert "with probability 1" in str(informed)
    assert informed.to_dict()["certain"] == {"final": informed.certain}


def test_a_known_member_s_row_is_nobody_else_s():
    publisher = theta_publisher([["a", "b", "c"]], k=3, tokens="records")
    space = explore(publisher.net())
    knows = BackgroundKnowledge(victims=(Person(row=0),), members=(Person(row=1), Person(row=2)))
    found = gain(publisher, space, knows)
    assert found.worst is not None
    assert (found.worst.guess, found.worst.certainty) == ("a", 1)


def test_nothing_published_nothing_gained():
    publisher = theta_publisher([["a"] * 4 + ["b"]], k=3, mu="0.37")
    found = gain(publisher, explore(publisher.net()))
    assert found.worst is None
    assert str(found) == "no publication, no gain"
    assert found.to_dict()["worst"] is None


def test_victims_are_rows():
    publisher = theta_publisher([["a", "b"]], k=2)
    space = explore(publisher.net())
    with pytest.raises(InvalidArgument, match="row = 1"):
        gain(publisher, space, BackgroundKnowledge(victims=(Person(row=1),)))


def test_the_effect_of_mu():
    mus = ["0.1", "0.15", "0.5", "0.55", "0.6", "1"]
    found = {str(one.mu): one for one in effect_of_mu(TABLE_1A, k=4, mus=mus)}
    start = [spread(Counter(one).values()) for one in TABLE_1A]
    assert start == [Fraction(1, 4), Fraction(5, 4), Fraction(3, 16)]
    # theta = 1/8 is below all three: the table is published as it is.
    assert (found["1/10"].publications, found["1/10"].certainty) == (1, Fraction(3, 4))
    # theta = 3/16 is met with equality, the next step up is not.
    assert found["3/20"].publications == 1
    domain = {value for one in TABLE_1A for value in one}
    for mu, one in found.items():
        assert one.publications == len(publications(TABLE_1A, Fraction(mu) * 15 / 12, domain))
    assert found["3/5"].noise == (1,)
    certainties = [one.certainty for one in found.values()]
    assert certainties == sorted(certainties, reverse=True)
    (few,) = effect_of_mu([["a", "b", "c", "c"]], k=4, mus=["0.6"])
    assert (few.publications, few.certainty) == (0, None)


def test_by_name_from_a_shipped_table():
    made = kproof.net("theta-sensitive", "table-4b", k=4, mu="3/5", sensitive="Disease",
                      class_column="Class")  # fmt: skip
    space = made.explore()
    assert len(made.outcome(space).publications) == 16
    assert made.publisher.formed.values == TABLE_4B
    knows = {"victims": [{"row": 0, "excluded": ["HIV", "Cancer", "Flu"]}]}
    worst = made.gain(knows, space=space).worst
    assert worst is not None
    assert worst.certainty == 1
    with pytest.raises(InvalidArgument, match="name = theta: need theta-sensitive or p-plus"):
        kproof.net("theta", "table-4b", k=4)
    with pytest.raises(InvalidArgument, match="option = p: need an option of theta-sensitive"):
        kproof.net("theta-sensitive", [["a", "b"]], k=2, p=2)
