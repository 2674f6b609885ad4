"""What labels of a column teach of its exact values, and an adversary who learns it from them."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from cases import cases
from numpy.typing import NDArray
from safe_path import publish

from kproof.models.judgement import judge as judge_module
from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn
from kproof.models.judgement.secrets.beliefs import SecretValues
from kproof.models.judgement.secrets.learned import ExactCells, _bets, _in_sure_cells
from kproof.models.judgement.thresholds import THRESHOLDS, Audience
from kproof.models.publishing.published import Published

PUBLIC = THRESHOLDS[Audience.PUBLIC]
UNIONS = ("red", "green", "blue", "grey")


def staff(folder: Path, rows: int, employers: int, purity: float, seed: int) -> str:
    """Write who works where and is in which union: mostly that of the employer, else any."""
    rng = np.random.default_rng(seed)
    code, own = rng.integers(0, employers, rows), rng.integers(0, 4, employers)
    union = np.where(rng.random(rows) < purity, own[code], rng.integers(0, 4, rows))
    names = rng.permutation(900)[:employers] + 100
    people = zip(rng.integers(18, 65, rows), rng.choice([*"ABCDE"], rows), strict=True)
    lines = [
        f"{age},{town},E{names[place]},{UNIONS[member]}"
        for (age, town), place, member in zip(people, code, union, strict=True)
    ]
    path = folder / "staff.csv"
    path.write_text("\n".join(["age,town,employer,union", *lines]), encoding="utf-8")
    return str(path)


def publish_staff(source: str) -> Published:
    roles = {"quasi_identifiers": ["age", "town", "employer"], "sensitive": "union"}
    return publish(source, **roles, rows_are_people=True)


def employers_of(source: str) -> NDArray[np.int64]:
    lines = Path(source).read_text(encoding="utf-8").splitlines()[1:]
    return np.unique([line.split(",")[2] for line in lines], return_inverse=True)[1]


def sure_bets(release: Published, employer: NDArray[np.int64]) -> tuple[int, int]:
    """Return how many bets an adversary is sure of, and how many of them are right."""
    made, share = release.release, shares_learned(release, employer)
    union = made.table.secrets[0]
    base = np.bincount(union.codes) / len(union.codes)
    best = share.argmax(axis=1)
    sure = (share.max(axis=1) >= base[best] + 0.5)[employer]
    return int(sure.sum()), int((best[employer] == union.codes)[sure].sum())


def shares_learned(release: Published, employer: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return, shape (employers, unions), what an adversary works out from labels and counts alone.

    Of each class she knows who is in it, since she knows everybody, and how often it shows each
    union: maximum likelihood by expectation and maximization.
    """
    made = release.release
    union, classes = made.table.secrets[0], made.count
    people = np.zeros((classes, int(employer.max()) + 1))
    np.add.at(people, (made.class_of, employer), 1)
    shown = np.zeros((classes, len(union.values)))
    np.add.at(shown, (made.class_of, union.codes), 1)
    share = np.full((people.shape[1], shown.shape[1]), 1 / shown.shape[1])
    share += np.random.default_rng(0).random(share.shape) / 100
    for _ in range(400):
        share *= people.T @ (shown / np.maximum(people @ share, 1e-12))
        share /= share.sum(axis=1, keepdims=True)
    return share


def test_an_adversary_learns_from_labels_what_no_class_shows(tmp_path, monkeypatch):
    source = staff(tmp_path, 2400, 40, 0.8, 1)
    release = publish_staff(source)
    assert release.judgement.green
    assert "employer" in release.setting.left_out
    assert "all labels of employer together teach it" in " ".join(release.notes)
    monkeypatch.setattr(judge_module, "find_learned", lambda *_: ())
    blind = publish_staff(source)
    assert blind.judgement.green
    assert "employer" not in blind.setting.left_out
    sure, right = sure_bets(blind, employers_of(source))
    assert sure > 0.3 * 2400
    assert right > 0.7 * sure


@cases((2400, 40, 0.8, 1), (3000, 60, 0.95, 2), (3000, 40, 0.8, 3), (1500, 50, 0.95, 4))
def test_nothing_is_learned_either_once_the_column_is_left_out(
    rows, employers, purity, seed, tmp_path
):
    """Who is in a class of ages and towns is known, wherever they work."""
    source = staff(tmp_path, rows, employers, purity, seed)
    release = publish_staff(source)
    assert release.judgement.green
    if release.release.table.secrets:
        sure, right = sure_bets(release, employers_of(source))
        # No more come true than a bet on the commonest union would, and half as many again.
        assert right <= max(0.01 * rows, 0.55 * sure)


def test_what_two_columns_teach_together_is_learned_as_well(tmp_path):
    """Neither the town nor the trade goes with the union, but both together do."""
    rng = np.random.default_rng(5)
    town, trade = rng.integers(0, 12, 4000), rng.integers(0, 9, 4000)
    usual = rng.integers(0, 4, (12, 9))[town, trade]
    union = np.where(rng.random(4000) < 0.7, usual, rng.integers(0, 4, 4000))
    rows = zip(rng.integers(18, 65, 4000), town, trade, union, strict=True)
    lines = [
        f"{age},T{place + 10},C{job + 10},{UNIONS[member]}" for age, place, job, member in rows
    ]
    source = tmp_path / "staff.csv"
    source.write_text("\n".join(["age,town,trade,union", *lines]), encoding="utf-8")
    known = ["age", "town", "trade"]
    release = publish(str(source), quasi_identifiers=known, sensitive="union", rows_are_people=True)
    assert release.judgement.green
    shown = {column.name for column in release.columns}
    assert "union" in shown
    assert not {"town", "trade"} <= shown
    assert any("town and trade" in note for note in release.notes)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("rows", "employers"), [(200, 100), (900, 40), (900, 300)])
def test_nothing_is_learned_where_there_is_nothing_to_learn(rows, employers, seed, tmp_path):
    release = publish_staff(staff(tmp_path, rows, employers, 0.0, seed))
    assert release.judgement.green
    assert not any("teach" in note for note in release.notes)


@pytest.mark.parametrize("seed", range(40))
def test_bets_are_those_of_a_plain_count(seed):
    rng = np.random.default_rng(seed)
    rows, gain = int(rng.integers(2, 40)), PUBLIC.gain
    column, secret = (
        PublishedColumn(name, knows, rng.integers(-1, 3, rows), ("a", "b", "c"))
        for name, knows in (("known", ColumnKnowledge.KNOWN), ("it", ColumnKnowledge.SECRET))
    )
    values = SecretValues.of(secret, PUBLIC.window)
    cells = ExactCells(("known",), column.codes, 3)
    found = _bets(cells, secret.codes, values, PUBLIC)
    pairs = [pair for pair in zip(column.codes, secret.codes, strict=True) if min(pair) >= 0]
    base = Counter(own for own in secret.codes.tolist() if own >= 0)
    half = len(pairs) // 2
    bets = right = 0

    def sure_of(people: list[tuple[int, int]], cell: int) -> list[int]:
        seen = [own for at, own in people if at == cell]
        return [
            own
            for own in sorted(set(seen))
            if seen.count(own) * rows * 2 >= len(seen) * (2 * base[own] + rows)
        ]

    for teaching, others in ((pairs[:half], pairs[half:]), (pairs[half:], pairs[:half])):
        for cell in range(3):
            if sure := sure_of(teaching, cell):
                bets += sum(at == cell for at, _ in others)
                right += sum(pair == (cell, sure[-1]) for pair in others)
    sizes = [sum(at == cell for at, _ in pairs) for cell in range(3)]
    crowd = sum(size for cell, size in enumerate(sizes) if size >= 8 and sure_of(pairs, cell))
    assert crowd == _in_sure_cells(cells, secret.codes, values, PUBLIC, most=rows)
    assert gain == 1 / 2
    assert (found.pairs, found.agreeing) == (bets, right)
