"""How many columns of names, texts, secrets and exact places a proposal finds, and how many of what
it takes for one are: on columns made by seed, on held-out words, and on real tables."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
from columns_of_trades import WORDS, Truth, columns_of_trades
from public_data import data_file

from kproof.models.tables.detection.types import ColumnType
from kproof.models.tables.proposals.proposal import ProposedRole, propose_roles
from kproof.models.tables.proposals.roles_file import Role

NEVER = (Role.IDENTIFIER, Role.PERSON, Role.DROP)
DOCS = Path(__file__).parents[4] / "docs" / "how-to" / "roles.md"

REAL = {
    "adult.data": {
        "fnlwgt": Truth.PERSON,
        **dict.fromkeys(("capital-gain", "capital-loss", "income"), Truth.SECRET),
    },
    "gowalla_checkins_average.csv": {
        "UserID": Truth.PERSON,
        **dict.fromkeys(("Latitude", "Longitude"), Truth.PLACE),
    },
    "cabs_dataset_20080608_0700_0715.csv": {
        **dict.fromkeys(("trajectory_id", "user_id"), Truth.PERSON),
        **dict.fromkeys(("lat", "lon"), Truth.PLACE),
    },
    "pgh_nodes.csv": {
        **dict.fromkeys(("FID", "osmid"), Truth.PERSON),
        **dict.fromkeys(("lat", "lon"), Truth.PLACE),
    },
    "pgh_edges.csv": {"FID": Truth.PERSON},
}
"""Columns of real tables that are not harmless; row numbers count as a person's, lengths do not."""


@dataclass
class Score:
    """What a proposal made of columns whose truth is known."""

    columns: int = 0
    guarded: int = 0
    protected: int = 0
    claimed: int = 0
    right: int = 0
    harmless_secret_too: int = 0
    faults: tuple[str, ...] = ()

    def add(self, name: str, truth: Truth, one: ProposedRole) -> None:
        """Count a column.

        Known and secret protects a secret, and claims nothing: it says that nobody knows. Nor does
        a number that is dropped because nothing says what it is.
        """
        role, guarded = one.role, truth is not Truth.HARMLESS
        unknown = role is Role.DROP and one.type is ColumnType.NUMBER
        claims = role in (*NEVER, Role.SENSITIVE) and not unknown
        secret = truth is Truth.SECRET and role in (Role.SENSITIVE, Role.BOTH)
        protected = guarded and (role in NEVER or secret)
        self.columns += 1
        self.guarded += guarded
        self.protected += protected
        self.claimed += claims
        self.right += claims and guarded
        self.harmless_secret_too += not guarded and role is Role.BOTH
        if protected != guarded or (claims and not guarded):
            self.faults += (f"{role}: {name}",)

    def row(self, name: str) -> str:
        """Return the row of the table in the documentation."""
        recall, precision = self.protected / self.guarded, self.right / self.claimed
        return (
            f"| {name} | {self.columns} | {100 * recall:.1f} % | {100 * precision:.1f} % "
            f"| {self.harmless_secret_too} of {self.columns - self.guarded} |"
        )


@pytest.mark.parametrize(("group", "name"), [("tuned", "first words"), ("held", "held-out words")])
def test_recall_and_precision_are_98_per_cent_and_stand_in_the_docs(group: str, name: str) -> None:
    score = Score()
    for column in columns_of_trades(group):
        proposal = propose_roles(pd.DataFrame({column.heading: list(column.cells)}))
        score.add(column.name, column.truth, proposal.columns[0])
    assert score.columns > 300
    assert 100 * score.protected >= 98 * score.guarded, "\n".join(score.faults)
    assert 100 * score.right >= 98 * score.claimed, "\n".join(score.faults)
    assert score.row(name) in DOCS.read_text(encoding="utf-8"), score.row(name)


def test_real_tables_as_the_docs_have_it() -> None:
    score = Score()
    for file, truths in REAL.items():
        for one in propose_roles(data_file(file)).columns:
            score.add(f"{file} {one.name}", truths.get(one.name, Truth.HARMLESS), one)
    assert score.row("real tables") in DOCS.read_text(encoding="utf-8"), (
        score.row("real tables") + "\n" + "\n".join(score.faults)
    )
    assert score.protected == score.guarded


def test_the_two_lists_of_words_share_no_name_and_no_town() -> None:
    for words in WORDS.values():
        for kind, sign in (("family", " "), ("towns", "|"), ("ills", "|"), ("goods", "|")):
            tuned, held = (set(line.split(sign)) for line in words[kind])
            assert tuned.isdisjoint(held)


def test_the_words_of_detection_are_lists_without_repetition() -> None:
    from kproof.models.tables.detection.headings import HOME, Hint

    lists = json.loads(HOME.read_text(encoding="utf-8"))
    assert set(lists["headings"]) == set(Hint)
    lines = [
        line
        for found in (lists["headings"], lists["names"])
        for one in found.values()
        for line in one
    ]
    for line in lines:
        assert len(set(line.split())) == len(line.split()), line
    assert len(lists["han"]["surnames"]) > 350
