"""How many columns of names, texts, secrets and exact places a proposal finds, and how many of what
it takes for one are: on columns made by seed, on held-out words, and on real tables."""

import bz2
import json
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pandas as pd
import pytest
from columns_of_trades import WORDS, TradeColumn, Truth, columns_of_more_trades, columns_of_trades
from public_data import data_file

from kproof.models.tables.detection.types import ColumnType
from kproof.models.tables.proposals.proposal import ProposedRole, propose_roles
from kproof.models.tables.proposals.roles_file import Role

NEVER = (Role.IDENTIFIER, Role.PERSON, Role.DROP)
DOCS = Path(__file__).parents[4] / "docs" / "how-to" / "roles.md"

ADULT = dict.fromkeys(("capital-gain", "capital-loss"), Truth.SECRET) | {"fnlwgt": Truth.PERSON}
SPOT = dict.fromkeys(("lat", "lon"), Truth.PLACE)
TAXIS = SPOT | dict.fromkeys(("trajectory_id", "user_id"), Truth.PERSON)
REAL = {
    "first": {
        "adult.data": ADULT | {"income": Truth.SECRET},
        "gowalla_checkins_average.csv": {
            "UserID": Truth.PERSON,
            **dict.fromkeys(("Latitude", "Longitude"), Truth.PLACE),
        },
        "pgh_edges.csv": dict.fromkeys(("FID", "osmid", "from_", "to"), Truth.PERSON),
    },
    "other": {
        "adult.test": ADULT | {"classification": Truth.SECRET},
        "cabs_dataset_20080608_0700_0715.csv": TAXIS,
        "cabs_dataset_20080608.parquet": TAXIS,
        "pgh_nodes.csv": SPOT | dict.fromkeys(("FID", "osmid"), Truth.PERSON),
        "West-Oakland.osm.bz2 nodes": SPOT
        | dict.fromkeys(("id", "uid", "user", "changeset"), Truth.PERSON),
        "West-Oakland.osm.bz2 tags": {},
    },
}
"""Columns of real tables that are not harmless, by what their documentation says: in each half.

A key counts as a person's: what was given to stand for one record, be it a row, a user or, in the
register of OpenStreetMap, a spot whose place everybody can look up. So ``from_`` and ``to`` of
roads are what ``osmid`` of their ends is. Names and numbers of roads are harmless; so are lengths.
"""


FAULTS = {
    "first": set(),
    "other": {
        "identifier: pgh_nodes.csv ref",
        "identifier: West-Oakland.osm.bz2 tags name",
        "identifier: West-Oakland.osm.bz2 tags operator",
        "known and secret: West-Oakland.osm.bz2 nodes changeset",
    },
}
"""What is wrong of real tables, as the docs say it: the last one is a key that is missed."""


def real_table(name: str) -> object:
    """Return a file of real data, or one of the two tables in an extract of OpenStreetMap."""
    file, _, part = name.partition(" ")
    path = data_file(file)
    if not part:
        return path
    root = ET.fromstring(bz2.decompress(path.read_bytes()))
    if part == "nodes":
        return pd.DataFrame([dict(node.attrib) for node in root.iter("node")])
    things = [*root.iter("way"), *root.iter("relation")]
    tags = pd.DataFrame(
        [{tag.attrib["k"]: tag.attrib["v"] for tag in one.iter("tag")} for one in things]
    )
    return tags.dropna(axis=1, thresh=10).fillna("")


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


def score_of(columns: list[TradeColumn]) -> Score:
    """Return what is proposed for columns, each a table of its own."""
    score = Score()
    for column in columns:
        proposal = propose_roles(pd.DataFrame({column.heading: list(column.cells)}))
        score.add(column.name, column.truth, proposal.columns[0])
    return score


@pytest.mark.parametrize(("group", "name"), [("tuned", "first words"), ("held", "held-out words")])
def test_recall_and_precision_are_98_per_cent_and_stand_in_the_docs(group, name):
    score = score_of(columns_of_trades(group))
    assert score.columns > 300
    assert 100 * score.protected >= 98 * score.guarded, "\n".join(score.faults)
    assert 100 * score.right >= 98 * score.claimed, "\n".join(score.faults)
    assert score.row(name) in DOCS.read_text(encoding="utf-8"), score.row(name)


@pytest.mark.parametrize("half", list(REAL))
def test_real_tables_as_the_docs_have_it(half):
    score = Score()
    for table, truths in REAL[half].items():
        columns = propose_roles(real_table(table)).columns
        assert truths.keys() <= {column.name for column in columns}
        for column in columns:
            score.add(f"{table} {column.name}", truths.get(column.name, Truth.HARMLESS), column)
    row = score.row(f"real tables, {half} half")
    assert row in DOCS.read_text(encoding="utf-8"), "\n".join((row, *score.faults))
    assert set(score.faults) == FAULTS[half]


@pytest.mark.parametrize("group", ["tuned", "held"])
def test_more_languages_and_things_as_the_docs_have_it(group):
    score = score_of(columns_of_more_trades(group))
    row = score.row({"tuned": "more, first words", "held": "more, held-out words"}[group])
    assert row in DOCS.read_text(encoding="utf-8"), "\n".join((row, *score.faults))
    assert 100 * score.protected >= 98 * score.guarded, "\n".join(score.faults)


def test_the_two_lists_of_words_share_no_name_and_no_town():
    for words in WORDS.values():
        for kind, sign in (("family", " "), ("towns", "|"), ("ills", "|"), ("goods", "|")):
            tuned, held = (set(line.split(sign)) for line in words[kind])
            assert tuned.isdisjoint(held)


def test_the_words_of_detection_are_lists_without_repetition():
    from kproof.models.tables.detection.headings import HOME, Hint

    lists = json.loads(HOME.read_text(encoding="utf-8"))
    assert set(lists["headings"]) == set(Hint)
    for line in [
        line
        for found in (lists["headings"], lists["names"])
        for one in found.values()
        for line in one
    ]:
        assert len(set(line.split())) == len(line.split()), line
    assert len(lists["han"]["surnames"]) > 350
