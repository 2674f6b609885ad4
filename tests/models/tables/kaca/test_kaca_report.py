"""The document's output: field names, truthful labels, exact counts and means."""

import json
import re
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pandas as pd
import pytest
from cases import error_line
from exits import aggregate, exit_table, exit_transactions, kaca
from hypothesis import given
from hypothesis import strategies as st
from shell import kproof as run
from shell import printed, refused
from tables import data_frame

from kproof.errors import DataError, InvalidArgument
from kproof.models.tables.kaca.clock import PERIODS
from kproof.models.tables.mondrian.method import mondrian
from kproof.models.tables.table import Table

# The document's example answer, without its figures.
FIELDS = dict.fromkeys(("success", "data", "count", "category")) | {
    "privacy_protection": {
        **dict.fromkeys(("method", "algorithm", "k_value", "input_source", "quasi_identifiers")),
        "clustering": dict.fromkeys(("algorithm", "clusters", "description")),
        "generalization": dict.fromkeys(("geographic", "temporal")),
        "statistics": dict.fromkeys(
            ("total_records", "anonymized_groups", "suppressed_records", "retention_rate")
        ),
    }
}
LINE = ["section_region", "time_period", "truck_count", "avg_toll", "k_anonymized", "algorithm"]


def outline(found: object) -> object:
    if not isinstance(found, dict):
        return None
    return {name: outline(value) for name, value in found.items()}


def hours(label: str) -> set[int]:
    begin, end = map(int, re.findall(r"\d+", label))
    return {hour % 24 for hour in range(begin, end if end > begin else end + 24)}


def line_of(ids: list[object], times: list[object]) -> tuple[str, str]:
    """The labels of one class with such sections and times."""
    frame = pd.DataFrame({"section_id": ids, "exit_time": times, "toll": [1] * len(ids)})
    held = Table.from_frame(frame, quasi_identifiers=["section_id", "exit_time"], sensitive="toll")
    [line] = aggregate(kaca(held, k=len(ids)))["data"]
    return line["section_region"], line["time_period"]


@given(st.lists(st.integers(0, 1439), min_size=2, max_size=6))
def test_periods_are_truthful_and_tight(minutes):
    times = [f"{minute // 60:02d}:{minute % 60:02d}" for minute in minutes]
    _, label = line_of(["G1"] * len(times), times)
    inside = {minute // 60 for minute in minutes}
    assert inside <= hours(label)
    # An hour, a quarter of the day or the day: no narrower one of these holds them.
    width = 1 if len(inside) == 1 else 6 if len({hour // 6 for hour in inside}) == 1 else 24
    assert len(hours(label)) == width
    assert (label in PERIODS) == (width == 6)


def test_labels_with_unknowns():
    noon = ["12:10"] * 3
    assert line_of(["G561", "G562", None], noon) == ("G56区域或未知", "时段(12-13)")
    assert line_of(["G561", "S1", None], noon)[0] == "全部区域或未知"
    assert line_of(["G561"] * 3, [None, "13:00", "17:59"])[1] == "下午时段(12-18)或未知"
    assert line_of(["G561"] * 2, ["00:10", "23:50"]) == ("G561区域", "全天(00-24)")
    frame = pd.DataFrame({"id": ["a", None, None], "at": [None, "08:00", None], "toll": [1, 2, 3]})
    held = Table.from_frame(frame, quasi_identifiers=["id", "at"], sensitive="toll")
    classes = kaca(held, k=2, section="id", time="at", clustering="k-means")
    assert aggregate(classes)["data"][0]["truck_count"] == 3


@pytest.mark.parametrize("arguments", [{}, {"clustering": "k-means"}, {"reading": "printed"}])
def test_answer(arguments):
    account = aggregate(kaca(exit_table(400, seed=4), k=8, **arguments))
    assert outline(account) == FIELDS
    assert json.loads(json.dumps(account)) == account
    lines = account["data"]
    assert all(list(line) == LINE for line in lines)
    assert sum(line["truck_count"] for line in lines) == 400
    assert min(line["truck_count"] for line in lines) >= 8
    assert account["count"] == len(lines) == len({tuple(list(line.values())[:2]) for line in lines})
    statistics = account["privacy_protection"]["statistics"]
    assert statistics == {
        "total_records": 400,
        "anonymized_groups": len(lines),
        "suppressed_records": 0,
        "retention_rate": 100.0,
    }


def test_lines_are_truthful_and_means_exact():
    made = exit_transactions(400, seed=4)
    release = kaca(exit_table(400, seed=4), k=8)
    wanted = {}
    for index in range(release.count):
        rows = np.flatnonzero(release.class_of == index)
        ids = sorted(made["section_id"][row] for row in rows)
        moments = [made["exit_time"][row] for row in rows]
        # What a line says is what the release says.
        labels = dict(part.split("=") for part in release.label(index).split(", "))
        region, period = labels["section_id"].removesuffix("区域") + "区域", labels["exit_time"]
        assert region == "全部区域" or all(one.startswith(region[:-2]) for one in ids)
        assert {int(moment[11:13]) for moment in moments} <= hours(period)
        tolls = [Decimal(str(made["toll"][row])) for row in rows]
        wanted.setdefault((region, period), []).extend(tolls)
    for line in aggregate(release)["data"]:
        tolls = wanted.pop((line["section_region"], line["time_period"]))
        assert line["truck_count"] == len(tolls)
        mean = (sum(tolls) / len(tolls)).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
        assert line["avg_toll"] == float(mean)
    assert not wanted


def test_printed_labels_do_not_cover_their_records():
    frame = data_frame(
        section_id=["G5615530120"] * 3, exit_time=["05:00", "08:00", "11:00"], toll=[1, 2, 3]
    )
    held = Table.from_frame(frame, quasi_identifiers=["section_id", "exit_time"], sensitive="toll")
    printed = aggregate(kaca(held, k=3, reading="printed"))["data"][0]
    assert printed["time_period"] == "凌晨时段(00-06)"
    corrected = aggregate(kaca(held, k=3))["data"][0]
    assert corrected["time_period"] == "全天(00-24)"
    assert corrected["avg_toll"] == 2.0


def test_everything_suppressed():
    account = aggregate(kaca(exit_table(3), k=5, reading="printed"))
    assert (account["data"], account["count"]) == ([], 0)
    assert account["privacy_protection"]["statistics"]["retention_rate"] == 0.0


def test_transactions_are_the_same_for_a_seed():
    assert exit_transactions(50, seed=9) == exit_transactions(50, seed=9)
    assert exit_transactions(50, seed=9) != exit_transactions(50, seed=8)
    made = exit_transactions(300)
    assert all(re.fullmatch(r"[GS]\d{10}", one) for one in made["section_id"])
    days = {moment[:10] for moment in made["exit_time"]}
    assert days == {"2023-01-02", "2023-01-03", "2023-01-04"}
    assert 40 < len(set(made["plate"])) <= 50


def test_errors():
    held = exit_table(20)
    with pytest.raises(InvalidArgument, match="need one of method kaca"):
        aggregate(mondrian(Table(20, held.quasi_identifiers), k=2))
    with pytest.raises(InvalidArgument, match="toll = price: need one of the release's columns"):
        aggregate(kaca(held, k=2), toll="price")
    with pytest.raises(InvalidArgument, match="start = soon: need a day"):
        exit_transactions(3, start="soon")
    frame = data_frame(section_id=["G1", "G2"], exit_time=["08:00"] * 2, toll=["a", "b"])
    text_tolls = Table.from_frame(
        frame, quasi_identifiers=["section_id", "exit_time"], sensitive="toll"
    )
    assert "column toll: a is no amount" in error_line(DataError, aggregate, kaca(text_tolls, k=2))


def test_the_command_publishes_the_lines(tmp_path):
    data, out = tmp_path / "exits.csv", tmp_path / "lines.csv"
    pd.DataFrame(exit_transactions(200, seed=4)).to_csv(data, index=False)
    roles = ("--qi", "section_id,exit_time", "--sensitive", "toll", "--identifier", "plate")
    named = ("--section", "section_id", "--time", "exit_time", "--k", "8")
    words = ("anonymize", "kaca", "--audience", "study", str(data), *roles, *named)
    printed(*words, "-o", str(out), "--aggregate", "toll")
    lines = pd.read_csv(out)
    assert list(lines) == LINE[:4]
    assert lines["truck_count"].sum() == 200
    wanted = aggregate(kaca(exit_table(200, seed=4), k=8))
    assert lines.to_dict("records") == [
        {name: line[name] for name in LINE[:4]} for line in wanted["data"]
    ]
    document = tmp_path / "lines.json"
    told = run(*words, "-o", str(document), "--aggregate", "toll", "--json").document
    assert told == {"schema": 1, "document": "anonymize-aggregate", **wanted}
    assert json.loads(document.read_text(encoding="utf-8")) == wanted
    before = out.read_text()
    for more, says in (
        (("--aggregate", "plate"), "toll = plate: need one of the release's columns toll"),
        (
            ("--aggregate", "toll", "--class-column", "c"),
            "--class-column = c: need rows, not --agg",
        ),
    ):
        assert refused(*words, "-o", str(out), *more).startswith(says)
    short = ("anonymize", "kaca", "--audience=study", str(data), *roles, "--k=8", "-o", str(out))
    said = refused(*short, "--aggregate", "toll", "--ladder", "section_id=beginning")
    assert said == "--section is not given: need the name of the column, said to kaca itself"
    assert "aggregate" in refused("anonymize", "mondrian", *short[2:], "--aggregate", "toll")
    assert out.read_text() == before
