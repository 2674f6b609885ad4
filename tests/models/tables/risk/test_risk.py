"""Risk against brute force: every pick that somebody could make, on small tables."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from cases import cases, error_line
from hypothesis import given
from hypothesis import strategies as st
from tables import data_frame, sealed

import kproof
from kproof.errors import DataError, InvalidArgument
from kproof.models.base.taxonomy import Taxonomy
from kproof.models.frontier import frontier
from kproof.models.tables.recoding import covers
from kproof.models.tables.release import Release
from kproof.models.tables.risk import risk
from kproof.models.tables.theta.method import theta_sensitive

SEXES = Taxonomy.from_paths([["f", "*"], ["m", "*"]])
PEOPLE = st.lists(
    st.tuples(st.integers(20, 26), st.sampled_from("fm"), st.sampled_from("abc")),
    min_size=4,
    max_size=14,
)


def _frame(people: list[tuple[int, str, str]]) -> pd.DataFrame:
    return pd.DataFrame(people, columns=["age", "sex", "ill"])


def _picks(labels: pd.DataFrame, people: pd.DataFrame) -> list[list[int]]:
    """Return whom somebody may take each published row for."""

    def fits(label: tuple[str, str], person: tuple[int, str]) -> bool:
        return covers(label[0], person[0]) and covers(label[1], person[1], taxonomy=SEXES)

    own = list(zip(people["age"].tolist(), people["sex"], strict=True))
    shown = zip(labels["age"], labels["sex"], strict=True)
    return [[place for place, one in enumerate(own) if fits(row, one)] for row in shown]


@given(PEOPLE, PEOPLE, st.integers(2, 4), st.sampled_from(["1/5", "1/4", "0"]))
def test_every_pick_is_counted(inside, outside, k, threshold):
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": "ill", "taxonomies": {"sex": SEXES}}
    frame, everyone = _frame(inside), _frame(inside + outside)
    release = kproof.anonymize("mondrian", frame, k=k, **roles)
    published = pd.DataFrame(release.to_frame())
    rows, limit = len(frame), Fraction(threshold)
    # The prosecutor picks among the rows that look like the person's own.
    alike = published.groupby(["age", "sex"]).size()
    own = [
        Fraction(1, int(alike[label])) for label in zip(published.age, published.sex, strict=True)
    ]
    # The journalist picks among the people who fit the row's labels.
    fits = [Fraction(1, len(one)) for one in _picks(published, everyone)]
    for data in (release, published):
        more = {} if data is release else {"quasi_identifiers": ["age", "sex"]}
        taxonomies = {} if data is release else {"taxonomies": {"sex": SEXES}, "sensitive": "ill"}
        risks = risk(data, population=everyone, threshold=threshold, **more, **taxonomies)
        for one, chance in ((risks.prosecutor, own), (risks.journalist, fits)):
            assert (one.largest, one.mean) == (max(chance), sum(chance) / rows)
            assert one.above == sum(each > limit for each in chance)
            assert one.alone == sum(each == 1 for each in chance)
        assert risks.marketer == sum(fits) / rows
        assert risks.population == len(everyone)


def test_picking_at_random_gets_as_many_right_as_expected():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 200), "sex": rng.choice(["f", "m"], 200)})
    table = kproof.read_table(frame[:60], quasi_identifiers=["age", "sex"])
    release = kproof.anonymize("mondrian", table, k=3)
    risks = risk(release, population=frame)
    shown = zip(*(map(one.label, release.class_of) for one in release.recoded), strict=True)
    own = list(zip(frame["age"].tolist(), frame["sex"], strict=True))
    picks = [
        [place for place, (age, sex) in enumerate(own) if covers(a, age) and covers(s, sex)]
        for a, s in shown
    ]
    draws = 400
    hits = sum(int((rng.choice(one, draws) == place).sum()) for place, one in enumerate(picks))
    right = hits / (60 * draws)
    assert risks.marketer is not None
    assert right == pytest.approx(float(risks.marketer), abs=0.005)


def _with_noise() -> Release:
    rows = kproof.read_table(
        "table-4a", quasi_identifiers=["Class"], sensitive="Disease", identifiers=["ID"]
    )
    # kproof.anonymize refuses it: the last class has k rows of fewer people.
    return theta_sensitive(rows, k=5, mu="1/5", remainder="noise")


def test_noise_is_nobody_and_helps_nobody():
    release = _with_noise()
    assert len(release.noise_class)
    risks = risk(release)
    people = np.bincount(release.class_of[release.class_of >= 0], minlength=release.count)
    assert risks.noise == len(release.noise_class)
    assert risks.prosecutor.people == int(people.sum())
    assert risks.prosecutor.largest == Fraction(1, int(people.min()))


def test_the_words_name_who_is_alone():
    risks = risk(pd.DataFrame({"age": [20, 20, 30]}), quasi_identifiers=["age"], threshold="1/2")
    assert risks.sentences == (
        "A person's row is picked with a chance of at most 1 in 1 (1 in 1.5 on average) by anyone "
        "who knows their quasi-identifiers and that they are in the table.",
        "1 of 3 people can be singled out in the table.",
        "1 of 3 people has a chance above 0.5.",
        "Attackers unsure of membership do no better.",
    )
    assert risks.to_dict()["marketer"] == "2/3"


def test_a_column_that_names_people_stops_it():
    frame = pd.DataFrame({"age": [20, 20], "name": ["Ann", "Bob"]})
    with pytest.raises(DataError, match="column name singles out 2 of 2 rows"):
        risk(frame, quasi_identifiers=["age"])
    noted = risk(frame, quasi_identifiers=["age"], identifiers=["name"])
    assert "not considered: name (taken as not published)" in str(noted)


@cases(
    ({"threshold": 2}, "threshold = 2: need 0 <= threshold <= 1"),
    ({"sample": 0}, "sample = 0: need above 0 and at most 1"),
    ({"estimator": "oracle"}, "estimator = oracle: need dankar, pitman, zayatz or snb"),
    ({"sample": 1, "population": "x"}, "sample = 1: need a population or a sample, not both"),
    ({"quasi_identifiers": ["age"]}, "data = 'a Release': need no columns beside it"),
)
def test_bad_input(options, words):
    release = kproof.anonymize(
        "mondrian", pd.DataFrame({"age": [1, 2]}), k=2, quasi_identifiers=["age"]
    )
    assert error_line(InvalidArgument, risk, release, **options).startswith(words)


@pytest.mark.parametrize("seed", range(5))
def test_people_of_a_population_are_counted_by_the_person_column(seed):
    rng = np.random.default_rng(seed)
    everyone = data_frame(
        age=rng.integers(20, 60, 300), who=[f"p{one}" for one in rng.integers(0, 90, 300)]
    )
    published = kproof.anonymize(
        "mondrian", everyone[:80], k=3, quasi_identifiers=["age"], person="who"
    )
    classes = published.classes()
    [shown] = published.recoded
    people = list(zip(everyone.age, everyone.who, strict=True))
    labels = map(shown.label, range(classes.count))
    fits = [len({who for age, who in people if covers(label, age)}) for label in labels]
    own = [
        len(set(everyone.who[:80][published.class_of == index])) for index in range(classes.count)
    ]
    risks = risk(published, population=everyone)
    assert risks.population == everyone.who.nunique()
    assert risks.journalist.largest == max(Fraction(1, one) for one in fits)
    total = sum(Fraction(people, of) for people, of in zip(own, fits, strict=True))
    assert risks.journalist.mean == total / sum(own)
    assert risks.outside == sum(
        not any(covers(shown.label(index), age) for index in range(classes.count) for age in ages)
        for _, ages in everyone.groupby("who")["age"]
    )
    # Without the column each row is somebody.
    assert risk(published, population=everyone[["age"]]).population == 300


def test_a_population_without_the_people_of_the_table(tmp_path):
    ages = pd.DataFrame({"age": [20, 20, 31]})
    release = kproof.anonymize("mondrian", ages, k=2, quasi_identifiers=["age"])
    with pytest.raises(
        DataError, match=r"1 of its people fit the class age=\[20-31\], which has 3"
    ):
        risk(release, population=pd.DataFrame({"age": [25, 50]}))
    with pytest.raises(DataError, match="no column age"):
        risk(release, population=pd.DataFrame({"years": [25, 50]}))
    with pytest.raises(InvalidArgument, match="a Release or published rows"):
        risk(release.classes(), population=pd.DataFrame({"age": [25, 50]}))


def test_nothing_published_is_no_risk_and_no_promise():
    table = kproof.read_table(pd.DataFrame({"age": [1, 2]}), quasi_identifiers=["age"])

    risks = risk(sealed(table, [-1, -1]))
    assert (risks.prosecutor.largest, risks.marketer) == (None, None)
    assert str(risks) == "Nothing is published that is anybody's."


def test_people_with_several_rows_are_counted_once_in_a_class():
    visits = pd.DataFrame({"age": [20, 20, 20, 30, 30], "patient": list("aabcd")})
    found = risk(visits, quasi_identifiers=["age"], person="patient").prosecutor
    assert (found.people, found.largest) == (4, Fraction(1, 2))
    roles = {"quasi_identifiers": ["age"], "person": "patient"}
    for one in frontier(visits, **roles, methods=["mondrian"], k=[2, 3]).admissible:
        assert one.largest is not None
        assert one.largest <= Fraction(1, one.k)


def test_dates_that_the_table_has_not_met_are_placed_by_their_calendar():
    born = [f"{1980 + place % 4}-{1 + place // 2:02}-{1 + place % 27:02}" for place in range(24)]
    frame = pd.DataFrame({"born": born})
    more = [f"{1980 + place % 5}-07-{11 + place:02}" for place in range(10)]
    release = kproof.anonymize("mondrian", frame, k=6, quasi_identifiers=["born"])
    everyone = pd.DataFrame({"born": born + more})
    risks = risk(release, population=everyone)
    labels = [release.label(index).removeprefix("born=") for index in release.class_of]
    assert set(labels) == {"1980", "1981", "1982", "1983"}
    years = everyone["born"].str[:4].value_counts()
    assert risks.outside == 2
    assert risks.marketer == sum(Fraction(1, int(years[one])) for one in labels) / 24


def test_a_value_without_a_place_is_an_error():
    frame = pd.DataFrame({"sex": ["f", "m", "f", "m"]})
    roles = {"quasi_identifiers": ["sex"], "taxonomies": {"sex": SEXES}}
    release = kproof.anonymize("mondrian", frame, k=4, **roles)
    more = pd.concat([frame, pd.DataFrame({"sex": ["x"]})])
    with pytest.raises(DataError, match="population: column sex: value x has no place"):
        risk(release, population=more)


def test_nobody_is_alone_is_not_said_beside_a_column_that_tells_everybody():
    frame = pd.DataFrame({"age": [20] * 40, "memo": [f"m{place}" for place in range(40)]})
    risks = risk(frame, quasi_identifiers=["age"], other=["memo"])
    assert risks.prosecutor.alone == 0
    assert not any(one.startswith("Nobody is alone") for one in risks.sentences)
    told = "By quasi-identifiers nobody is alone in the table; anyone who knows memo needs none."
    assert told in risks.sentences
    compared = frontier(frame, quasi_identifiers=["age"], other=["memo"], k=[2])
    assert "memo (published as it is, singles out 40 of 40 rows)" in str(compared)
