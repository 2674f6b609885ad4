"""Inference attacks on published data: cabs of San Francisco and friendships of Gowalla."""

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from nights import by_day
from public_data import data_file
from trace_oracles import cell_of

from kproof.models.attacks.inference.api import infer
from kproof.models.attacks.inference.base import Background, Prior, Scoring, adversary_at
from kproof.models.attacks.inference.friends import identify
from kproof.models.attacks.inference.traces import Traces, publish_traces, read_traces
from kproof.models.graphs.baseline.method import baseline
from kproof.models.graphs.files import read_graph
from kproof.models.graphs.sangreea.method import sangreea
from kproof.models.graphs.social import SocialGraph

DOCS = Path(__file__).parents[4] / "docs" / "models" / "inference-attacks.md"


@pytest.fixture(scope="module")
def cabs() -> Traces:
    return read_traces(data_file("cabs_dataset_20080608_0700_0715.csv"))


@pytest.fixture(scope="module")
def gowalla() -> SocialGraph:
    return read_graph(data_file("gowalla_users0-4514.tsv"))


@pytest.mark.parametrize("cell", [100, 500, 2000])
def test_one_exact_look_finds_one_of_each_cell(cabs, cell):
    # One period: every cab has one position, and those in one cell look alike.
    release = publish_traces(cabs, cell=cell, period=900)
    assert release.periods == 1
    first = {}
    for row in sorted(range(cabs.points.count), key=lambda row: (cabs.seconds[row], row)):
        first.setdefault(int(cabs.points.users[row]), row)
    lat, lon = cabs.points.lat, cabs.points.lon
    cells = {cell_of(lat[row], lon[row], cell) for row in first.values()}
    for attack in Scoring:
        measured = infer(attack, release, observations=1)
        assert measured.value == Fraction(len(cells), 382)
        assert measured.misled == 0


def test_the_page_has_what_is_found(cabs):
    release = publish_traces(cabs, cell=500)
    rows = re.findall(r"^\| (\d+) m \|(.*)\|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(noise) for noise, _ in rows] == [10, 50, 200, 1000]
    for noise, cells in rows:
        for times, cell in zip((1, 2, 5, 10), cells.split("|"), strict=True):
            found = [infer(one, release, observations=times, noise=noise) for one in Scoring]
            assert cell.strip() == ", ".join(f"{float(one.value):.0%}" for one in found).replace(
                "%", " %"
            ), (noise, times)


def test_more_known_traces_leave_fewer_to_be_confused_with(cabs):
    release = publish_traces(cabs, cell=500)
    shares = [
        float(infer("mle", release, lambda2=share, observations=1, noise=200).value)
        for share in ("0.1", "0.5", "0.9")
    ]
    assert shares == sorted(shares)
    assert shares[-1] > 2 * shares[0]


def test_what_be_has_over_ca_is_what_it_was_told(gowalla):
    drawn = Background.draw(gowalla.users, adversary_at("III", lambda2="0.5"))
    known = np.flatnonzero(drawn.known)
    victims = gowalla.users - len(known)
    names = [gowalla.names[user] for user in known.tolist()]
    shares = []
    # A round of SaNGreeA takes four seconds, and says what the other says.
    others = by_day([baseline], at_night=[baseline, sangreea])
    for release in (baseline(gowalla, k=6, known=names), *(of(gowalla, k=6) for of in others)):
        found = identify(release, drawn, prior=Prior.CLASS, attacks=[Scoring.MLE])[Scoring.MLE]
        assert found.value == Fraction(len({*release.cluster_of[~drawn.known].tolist()}), victims)
        shares.append(float(found.value))
    assert shares[0] == pytest.approx(1 / 6, abs=0.001)
    assert shares[1] > 1.9 * shares[0]
    assert shares[-1] == pytest.approx(shares[1], abs=0.01)
