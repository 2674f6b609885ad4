"""Withholding by a coin: what it tells, over all tables and all coins."""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pandas as pd
import pytest

import kproof
from kproof.cli import main
from kproof.errors import DataError, Infeasible, InvalidArgument
from kproof.models.frontier.attempts import attempts
from kproof.models.judgement.classes.minimality import minimality
from kproof.models.judgement.reading import of_release
from kproof.models.judgement.thresholds import THRESHOLDS, Audience
from kproof.models.tables.table import Table
from kproof.models.tables.theta.withheld import largest_belief, theta_withheld
from kproof.theory.exact.coins import CoinSource

SHARES = {"A": Fraction(1, 2), "B": Fraction(1, 3), "C": Fraction(1, 6)}
COIN = Fraction(1, 4)
ROLES = {"quasi_identifiers": ["age"], "sensitive": "ill"}


def table_of(ills: tuple[str, ...]) -> Table:
    # Six rows more, so that every value is in every table and the domain tells nothing.
    frame = pd.DataFrame({"age": range(len(ills) + 6), "ill": [*ills, *"ABCABC"]})
    return Table.from_frame(frame, **ROLES)


def published_of(ills: tuple[str, ...], coins: tuple[bool, ...], patch: pytest.MonkeyPatch) -> str:
    tossed = iter(coins)
    patch.setattr(CoinSource, "toss", lambda source, chance: next(tossed))
    patch.setattr(CoinSource, "shuffle", lambda source, places: None)
    try:
        shown = theta_withheld(table_of(ills), k=3, mu="1/2", withhold=COIN).to_frame()
    except Infeasible:
        return "nothing"
    assert isinstance(shown, pd.DataFrame)
    return shown.sort_values(["age", "ill"]).to_csv(index=False)


def test_who_knows_it_learns_what_the_theorems_say(monkeypatch):
    """Six people in two classes: every table, every coin, and her beliefs of the first of them."""
    joint: dict[str, dict[str, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for ills in product(SHARES, repeat=3):
        prior = SHARES[ills[0]] * SHARES[ills[1]] * SHARES[ills[2]]
        for coins in product([False, True], repeat=3):
            chance = prior
            for withheld in coins:
                chance *= COIN if withheld else 1 - COIN
            joint[published_of(ills, coins, monkeypatch)][ills[0]] += chance
    largest = Fraction(0)
    for shown, weights in joint.items():
        first = [line.split(",")[1] for line in shown.splitlines() if line.startswith("[0-2]")]
        for ill, share in SHARES.items():
            belief = weights[ill] / sum(weights.values())
            if first:
                assert belief == Fraction(first.count(ill), 3)
            else:
                assert belief <= largest_belief(share, COIN)
                largest = max(largest, belief / largest_belief(share, COIN))
    assert len(joint) == 8
    assert largest > Fraction(1, 2)


def test_the_bound_is_attained_where_just_one_value_fails():
    share = Fraction(1, 5)
    fails, passes = share, COIN * (1 - share)
    assert largest_belief(share, COIN) == fails / (fails + passes)


def test_classes_do_not_follow_the_order_of_the_secrets():
    """Which of six people who are known alike share a class is drawn, though the file is sorted."""
    frame = pd.DataFrame({"age": [30] * 6 + [40] * 2, "ill": [*"AAABBBCC"]})
    table, alike = Table.from_frame(frame, **ROLES), set()
    for seed in range(8):
        release = theta_withheld(table, k=4, mu="1/100", withhold="1/1000", seed=seed)
        alike.add(tuple(release.group_of[:6].tolist()))
    assert len(alike) > 4


@pytest.mark.parametrize("asked", [{"suppress": "10%"}, {"suppressed": "mark"}])
def test_it_is_run_once_and_on_all_rows(asked):
    with pytest.raises(InvalidArgument, match="withholds rows by itself"):
        kproof.anonymize("theta-withheld", table_of(tuple("ABC")), k=3, mu="1/2", **asked)


def test_it_is_never_tried_beside_others():
    asked: dict[str, Any] = {"k": [3], "suppress": [Fraction(0)], "settings": {}, "demands": {}}
    with pytest.raises(InvalidArgument, match="methods = theta-withheld"):
        attempts(table_of(tuple("ABC")), methods=["theta-withheld"], **asked)
    tried, _ = attempts(table_of(tuple("ABC")), methods=None, **asked)
    names = {attempt.method for attempt in tried}
    assert "mondrian" in names
    assert "theta-withheld" not in names


def test_a_column_that_is_written_by_all_of_its_cells_is_refused():
    """One withheld cell that is no number would make texts of the shown numbers."""
    ages = {"age": range(8)}
    numbers = Table.from_frame(pd.DataFrame({**ages, "ill": [1.5, 2.5] * 4}), **ROLES)
    some = Table.from_frame(pd.DataFrame({**ages, "ill": ["1.5", "2.5"] * 4}), **ROLES)
    both = {"quasi_identifiers": ["age"], "both": ["age"], "sensitive": "ill"}
    known = Table.from_frame(pd.DataFrame({**ages, "ill": ["A", "B"] * 4}), **both)
    for table, message in ((numbers, "texts"), (some, "texts"), (known, "known and sensitive")):
        with pytest.raises(DataError, match=message):
            theta_withheld(table, k=4, mu="1/100", withhold="1/1000", seed=0)


def test_beside_another_release_what_was_left_out_is_not_decided(capsys, tmp_path):
    """Totals that are out, or another run, show what is withheld by their difference."""
    source, key = tmp_path / "people.csv", tmp_path / "key"
    rows = [(person, 20 + person // 25, "abcdef"[person % 6]) for person in range(300)]
    lines = (f"{person},{age},{'a' if age == 20 else ill}\n" for person, age, ill in rows)
    source.write_text("id,age,ill\n" + "".join(lines))
    key.write_text("5" * 64)
    roles = ["--qi", "age", "--sensitive", "ill", "--person", "id", "--key", str(key)]
    # Its one class shows no known column, and so has no label.
    assert main(["anonymize", str(source), "-o", str(tmp_path / "totals.csv"), *roles]) == 0
    asked = ["--k", "25", "--mu", "1/100", "-o", str(tmp_path / "shown.csv")]
    # Where no coin comes up, the failing class alone is left out, and its people are certain: 1.
    assert main(["anonymize", "theta-withheld", str(source), *asked, *roles]) in (1, 4)
    told = " ".join(capsys.readouterr().out.split())
    assert f"left out show beside {tmp_path / 'totals.csv'} was not counted" in told


def test_a_receipt_is_no_run():
    release = theta_withheld(table_of(tuple("ABC")), k=3, mu="1/2", seed=0)
    publication = of_release(release)
    assert publication.making is not None
    told = replace(publication, making=replace(publication.making, release=None))
    for shown, standing in ((publication, "met"), (told, "not decided")):
        (finding,) = minimality(shown, THRESHOLDS[Audience.PUBLIC])
        assert finding.standing == standing
