"""The rules page: every transition stands under a rule, and whatever a rule names is there."""

import json
from functools import reduce
from importlib import import_module
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from shell import kproof, refused, same_as_page

from kproof.errors import InvalidArgument
from kproof.models.papers.theta_tables import microdata
from kproof.models.tables.recoding import recode
from kproof.petri.papers import rules
from kproof.petri.papers.api import net
from kproof.petri.papers.masking import MASKED
from kproof.petri.papers.rules import PAPER_NETS, lines_of, of_rule, page
from kproof.report.ledgers import documents

PAGE = Path(__file__).parents[3] / "docs" / "petri" / "rules.md"
DATA = Path(rules.__file__).with_name("rules.json")
OWN = "Attack: "


def test_the_data_keep_their_schema():
    schema = json.loads(DATA.with_name("rules-schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(DATA.read_text(encoding="utf-8")), schema)


@pytest.mark.parametrize("name", PAPER_NETS)
def test_every_transition_stands_under_one_rule(name):
    paper = PAPER_NETS[name]
    for example, made in paper.nets().items():
        for transition in made.transitions:
            names = [rule.name for rule in paper.rules if transition in list(of_rule(made, rule))]
            # The attackers' part has the attacks, and nothing of the publishers they are added to.
            due = name != "attackers" or transition.name.startswith(OWN)
            assert len(names) == due, (example, transition.name, names)


@pytest.mark.parametrize("name", PAPER_NETS)
def test_every_beginning_names_a_transition(name):
    paper = PAPER_NETS[name]
    made = list(paper.nets().values())
    for rule in paper.rules:
        names = [one.name for own in made for one in of_rule(own, rule)]
        for start in rule.transitions:
            assert any(one.startswith(start) for one in names), (rule.name, start)


@pytest.mark.parametrize("name", PAPER_NETS)
def test_every_place_is_in_the_table(name):
    paper = PAPER_NETS[name]
    told = {one.here for one in paper.places} - {""}
    made = {place.name for one in paper.nets().values() for place in one.places}
    with_attackers = {"BK", "SA Disc"}
    if name == "attackers":
        assert told == with_attackers < made
    else:
        assert made <= told <= made | with_attackers


@pytest.mark.parametrize("name", PAPER_NETS)
def test_functions_and_rows_are_there(name):
    known = {row.id for one in documents() for row in one.ledger.claims}
    for rule in PAPER_NETS[name].rules:
        assert rule.calls
        assert set(rule.rows) <= known, rule.name
        for path in rule.calls:
            parts = path.split(".")
            split = (
                next(at for at, part in enumerate(parts) if part[0].isupper())
                if any(part[0].isupper() for part in parts)
                else len(parts) - 1
            )
            assert callable(reduce(getattr, parts[split:], import_module(".".join(parts[:split]))))


def test_every_rule_of_the_paper_is_there():
    names = [rule.name for paper in PAPER_NETS.values() for rule in paper.rules]
    for number in range(1, 10):
        assert sum(one.startswith(f"Rule ({number}),") for one in names) == 1


def test_the_page_is_current():
    same_as_page(PAGE, page())


def test_the_command_prints_a_part():
    assert kproof("net", "rules").out.splitlines() == list(lines_of("theta-sensitive"))
    assert "need theta-sensitive or" in refused("net", "rules", "figure-2")


def test_quasi_identifiers_are_generalized_in_the_net():
    table = microdata()
    made = net("theta-sensitive", [["HIV", "HIV"], ["Flu", "Cancer"]], k=2)
    with pytest.raises(InvalidArgument, match="level = values: need records"):
        net("theta-sensitive", [["HIV", "HIV"], ["Flu", "Cancer"]], k=2, masks=True)
    with pytest.raises(InvalidArgument, match="qi"):
        net("theta-sensitive", made.publisher.formed, k=2, tokens="records", masks=True)

    plain = net("theta-sensitive", table, k=4, tokens="records").explore()
    space = net("theta-sensitive", table, k=4, tokens="records", masks=True).explore()
    ends = [space.marking(state) for state in space.dead.tolist()]
    assert len(ends) == len(plain.dead)
    for end in ends[:20]:
        (shown,), (ecs,) = end[MASKED], end["PublshdData"]
        assert len(shown) == len(ecs) == 3  # type: ignore[arg-type]
        class_of = np.full(table.rows, -1)
        for at, ec in enumerate(ecs):  # type: ignore[arg-type]
            class_of[[record for record in ec if not record.dummy]] = at
        for at, (labels, values) in enumerate(shown):  # type: ignore[arg-type]
            assert len(values) == len(ecs[at])  # type: ignore[index]
            for label, column in zip(labels, table.quasi_identifiers, strict=True):
                again = recode(column, class_of, 3)
                assert label == again.label(at)
                own = {column.values[code] for code in column.codes[class_of == at].tolist()}
                assert all(again.covers(value)[at] for value in own)
