"""Several secrets that together say which rows are one person's, where nobody named a person."""

from dataclasses import replace

import numpy as np
import pytest
from publications import KNOWN, SECRET, coded

from kproof.models.judgement.judge import judge
from kproof.models.judgement.publication import PublishedFile
from kproof.models.judgement.secrets.secret_sets import find_agreeing_secrets, find_repeats_together

VALUES = {"blood": 6, "insurer": 3, "drug": 6, "smokes": 4}


def visits(seed: int, *, people: int = 200, changing: str = "") -> PublishedFile:
    """Return visits of people whose age and secrets are the same in all of them, but for one."""
    rng = np.random.default_rng(seed)
    who = rng.permutation(np.repeat(np.arange(people), rng.integers(1, 6, people)))
    known = {
        "age": rng.integers(0, 60, people)[who],
        "ward": rng.integers(0, 5, len(who)),
        "month": rng.integers(0, 12, len(who)),
    }
    visit = np.arange(len(who))
    columns = [coded(name, KNOWN, codes) for name, codes in known.items()]
    for name, count in VALUES.items():
        whose = visit if name == changing else who
        columns.append(coded(name, SECRET, rng.integers(0, count, max(whose) + 1)[whose]))
    return PublishedFile(tuple(columns))


@pytest.mark.parametrize("changing", ["", *VALUES])
def test_secrets_that_are_a_persons_for_good_show_whose_rows_are_whose(changing):
    shown = visits(1, changing=changing)
    expected = {name for name in VALUES if name != changing} | {"age"}
    # One of few values may differ now and then, and the others say it all the same.
    assert expected <= {*find_repeats_together(shown)}
    against = [finding.sentence for finding in judge(shown).against]
    assert any("age repeats as it does in several rows of one person" in word for word in against)


def test_whoever_answers_for_it_is_asked_no_more():
    shown = visits(1)
    by_row = replace(shown, person=np.arange(shown.rows))
    for answered in (replace(shown, rows_are_people=True), by_row):
        assert not any("repeats" in finding.sentence for finding in judge(answered).against)


@pytest.mark.parametrize("seed", range(20))
def test_rows_of_people_of_their_own_are_passed_over_though_columns_go_together(seed):
    rng = np.random.default_rng(seed)
    rows = 900
    age = rng.integers(0, 70, rows)
    ill = (age // 12 + rng.integers(0, 3, rows)) % 6
    drug = np.where(rng.random(rows) < 0.9, ill, rng.integers(0, 6, rows))
    insurer = np.where(rng.random(rows) < 0.8, 0, rng.integers(0, 3, rows))
    known = coded("age", KNOWN, age), coded("ward", KNOWN, ill // 2)
    secrets = {"ill": ill, "drug": drug, "insurer": insurer}
    columns = (*known, *(coded(name, SECRET, codes) for name, codes in secrets.items()))
    assert find_repeats_together(PublishedFile(columns)) == ()


def test_no_more_sets_are_looked_at_than_rows_leave_room_for(monkeypatch):
    shown = visits(1, changing="smokes")
    monkeypatch.setattr("kproof.models.judgement.secrets.secret_sets.MOST_CELLS", shown.rows)
    # The only set that there is room for is that of all secrets, one of which changes.
    assert find_repeats_together(shown) == ()


def test_of_many_rows_those_of_some_combinations_are_compared(monkeypatch):
    monkeypatch.setattr("kproof.models.judgement.secrets.secret_sets.MOST_COMPARED", 150)
    assert find_repeats_together(visits(1)) != ()


def households(seed: int) -> PublishedFile:
    """Return people of homes that share four secrets, where no column says who lives together."""
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(250), rng.integers(1, 5, 250))
    counts = {"income": 40, "faith": 4, "rent": 12, "debt": 8}
    columns = [coded("ward", KNOWN, rng.integers(0, 20, len(home)))]
    columns += [coded(name, SECRET, rng.integers(0, n, 250)[home]) for name, n in counts.items()]
    return PublishedFile(tuple(columns))


def broken_of_groups(shown: PublishedFile) -> list[str]:
    sentences = (finding.sentence for finding in judge(shown).broken)
    return [sentence for sentence in sentences if "belongs together" in sentence]


@pytest.mark.parametrize("seed", range(5))
def test_secrets_that_a_household_shares_find_it_out(seed):
    shown = households(seed)
    names = find_agreeing_secrets(shown)
    assert len(names) > 2
    everything = (shown, replace(shown, person=np.arange(shown.rows)))
    for publication in (*everything, replace(shown, rows_are_people=True)):
        assert any("groups is certain" in sentence for sentence in broken_of_groups(publication))
    # Whoever lives together still does if one of the secrets is not published.
    others = tuple(column for column in shown.columns if column.name != names[0])
    [gone] = (column for column in shown.columns if column.name == names[0])
    assert not broken_of_groups(replace(shown, columns=others))
    assert broken_of_groups(replace(shown, columns=others, withheld=(gone,)))


def test_rows_that_are_people_by_somebodys_word_are_put_together_all_the_same():
    assert broken_of_groups(replace(visits(1), rows_are_people=True))


@pytest.mark.parametrize("seed", range(20))
def test_secrets_that_go_with_one_illness_are_no_household(seed):
    rng = np.random.default_rng(seed)
    rows, illnesses = int(rng.choice([200, 500, 1000])), int(rng.integers(3, 12))
    ill = rng.integers(0, illnesses, rows)
    columns = []
    for place in range(rng.integers(3, 7)):
        values = int(rng.integers(3, 30))
        own, noise = rng.integers(0, values, rows), rng.random(rows) < rng.choice([0, 0.1, 0.3])
        codes = np.where(noise, own, rng.integers(0, values, illnesses)[ill])
        columns.append(coded(f"s{place}", SECRET, codes))
    assert find_agreeing_secrets(PublishedFile(tuple(columns))) == ()
    income = rng.lognormal(8, 0.5, rows)
    amounts = (income // 500, income // 1500, (income / 10 + rng.normal(0, 100, rows)) // 100 + 5)
    columns = [coded(f"a{at}", SECRET, part) for at, part in enumerate(amounts)]
    assert find_agreeing_secrets(PublishedFile(tuple(columns))) == ()
