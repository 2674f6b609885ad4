"""The registry of bounds: one entry shows in every command and document."""

import json
from functools import partial

from apart import kproof_prints, python_prints

from kproof.theory.theorems.registry import BOUNDS, OwnBound, own_bounds, theorems

run = partial(kproof_prints, toys="toy_bound")
with_toy = partial(python_prints, toys="toy_bound")


def test_a_toy_bound_has_a_command_with_help_beside_every_theorem():
    coins = " ".join(f"--{name} .5" for name in ("mean", "second", "third", "fourth"))
    commands, options, answer, grid, theorem = run(
        "bound --help",
        "bound toy --help",
        "bound toy --n 2 --p 1/4 --epsilon 1 --json",
        "bound toy --n 2 --p 1/4 --epsilon 0.5,1 --assume independence",
        f"bound 2 --n 9 {coins} --epsilon 1",
    )
    assert "toy" in commands
    assert "Number of coins." in options
    document = json.loads(answer)
    assert document["delta"] == {"lower": "0.625", "upper": "0.625"}
    assert (document["document"], document["conditional_on"]) == (
        "bound-toy",
        ["independent coins"],
    )
    assert grid.count("0.625") == 2
    assert "on your word: independent coins" in grid
    assert "toy: one fair coin is counted" in theorem


def test_a_toy_bound_is_audited_falsified_and_designed_with():
    audit, evidence, text, design = run(
        "audit --theorem toy --json",
        # By its name, since otherwise every derivation is judged as well.
        "audit T1 --paper toy --run --json",
        "audit T1 --paper toy",
        "design n --theorem toy --epsilon 0.1 --delta 0.51 --p 1/4 --json",
    )
    assert [claim["id"] for claim in json.loads(audit)["claims"]] == ["T1"]
    assert json.loads(evidence)["failures"] == {}
    assert "One fair coin hides half" in text
    search = (
        "from fractions import Fraction\n"
        "from kproof.theory.falsify.api import falsify\n"
        "from kproof.theory.reading import Reading\n"
        "sound = falsify('toy')\n"
        "print(sound.outcome, sound.claims > 50, falsify('blocks').outcome)\n"
        "family = toy_bound.toy_family(Reading.CORRECTED)\n"
        "print(falsify(toy_bound.too_small, family=family).outcome)"
    )
    assert with_toy(search).split() == ["none", "True", "none", "found"]
    document = json.loads(design)
    assert (document["answer"], document["next_value"]) == ("6", "5")
    assert document["inside"]["theorem"] == "toy"


def test_a_toy_bound_is_in_the_report_the_calculator_and_the_reference(tmp_path):
    (tmp_path / "coins.csv").write_text("coin\n" + "0\n1\n" * 6)
    run("report coins.csv --column coin --sections bounds", folder=tmp_path)
    page = (tmp_path / "results" / "report.html").read_text()
    assert "toy: what fair coins prove of every event" in page
    assert "Fair coins prove δ\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}0.5 at that" in page
    figures = json.loads((tmp_path / "results" / "report.json").read_text())
    first = figures["sections"]["bounds"]["columns"][0]["levels"][0]
    assert first["found"]["toy"]["standing"] == "conditional"
    assert "toy" in [curve["kind"] for curve in first["curves"]]
    printed = with_toy(
        "from kproof.report.calculator import script\n"
        "from reference_tables import bounds_table\n"
        "print(script(), bounds_table())"
    )
    assert "toyFormula" in printed
    row = "| `toy` | a sum of coins, one of which may be fair | independence | this test |"
    assert row in printed


def test_an_entry_refers_to_what_there_is():
    for entry in BOUNDS.values():
        homes = [value for value in vars(entry).values() if hasattr(value, "target")]
        assert len(homes) >= 2
        assert all(home.target is not None for home in homes)
    assert [entry.level for entry in theorems()] == ["", "I", "II", "III", "IV"]
    assert all(isinstance(entry, OwnBound) and entry.fixed for entry in own_bounds())
