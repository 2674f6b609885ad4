"""Laws from JSON files: what is written is what is read, and the rest is refused in one line."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import networkx as nx
import pytest
from cases import cases, error_line

from kproof.errors import DataError, KProofError
from kproof.theory.laws import IndependentBlocks, IndependentSum, MarkovChain, MarkovField
from kproof.theory.laws.files import HOME, read_field, read_law

COIN = {"0": "1/2", "1": "1/2"}
IID = {"kind": "iid", "n": 100, "law": COIN}
CHAIN = {
    "schema": 1,
    "about": "weather",
    "kind": "chain",
    "initial": [0.5, "1/2"],
    "transition": [["3/4", 0.25], ["1/4", "3/4"]],
    "values": [0, 1],
    "n": 40,
}
GROUPS = {
    "kind": "groups",
    "groups": [
        {
            "joint": [
                {"values": [0, 0], "probability": "1/2"},
                {"values": [1, 1], "probability": 0.5},
            ],
            "count": 3,
        },
        {"joint": [{"values": [2], "probability": 1}]},
    ],
}
FIELD = {
    "kind": "field",
    "n": 2,
    "edges": [[0, 1]],
    "tables": [
        {
            "records": [0, 1],
            "rows": [
                {"given": [0], "law": {"0": "2/3", "1": "1/3"}},
                {"given": [1], "law": {"0": "1/3", "1": "2/3"}},
            ],
        }
    ],
}
CONDITIONAL = {"kind": "conditional", "law": CHAIN, "known": {"0": 1, "20": "0.0"}}
KINDS = {
    "iid": (IID, IndependentSum),
    "column": ({"kind": "column", "values": [3, "1/2", 0.1]}, IndependentSum),
    "chain": (CHAIN, MarkovChain),
    "groups": (GROUPS, IndependentBlocks),
    "field": (FIELD, MarkovField),
    "conditional": (CONDITIONAL, MarkovChain),
    "conditional field": ({"kind": "conditional", "law": FIELD, "known": {"1": 1}}, MarkovField),
}
SCHEMA = json.loads(HOME.read_text(encoding="utf-8"))


def written(path: Path, document: object) -> Path:
    file = path / "law.json"
    text = document if isinstance(document, str) else json.dumps(document)
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_as_the_schema_has_it(kind, tmp_path):
    document, wanted = KINDS[kind]
    jsonschema.validate(document, SCHEMA)
    assert type(read_law(written(tmp_path, document))) is wanted


def test_numbers_are_the_decimals_that_are_written(tmp_path):
    text = '{"kind": "iid", "n": 2, "law": {"0": 0.1, "0.3": 0.30000000000000000001, "1": "b"}}'
    with pytest.raises(DataError, match=re.escape("law: mass of 1 = b: need 0 <= mass of 1 <= 1")):
        read_law(written(tmp_path, text))
    law = read_law(written(tmp_path, text.replace('"b"', "0.59999999999999999999")))
    assert isinstance(law, IndependentSum)
    ((_, record), *_) = law.of_records()
    assert record.step == Fraction(1, 10)


def test_a_conditional_law_is_the_law_given_what_is_known(tmp_path):
    law = read_law(written(tmp_path, CONDITIONAL))
    assert isinstance(law, MarkovChain)
    assert law.known == {0, 20}
    assert len(law.records) == 38


def test_a_graph_without_tables_is_a_claim(tmp_path):
    bare = {key: value for key, value in FIELD.items() if key != "tables"}
    jsonschema.validate(bare, SCHEMA)
    graph = read_field(written(tmp_path, bare))
    assert isinstance(graph, nx.Graph)
    assert list(graph.edges) == [(0, 1)]
    assert isinstance(read_field(written(tmp_path, FIELD)), MarkovField)
    assert "no key tables" in error_line(DataError, read_law, written(tmp_path, bare))
    with pytest.raises(DataError, match="kind = chain: need field, a graph"):
        read_field(written(tmp_path, CHAIN))


def table(**changes: Any) -> dict[str, Any]:
    return FIELD | {"tables": [FIELD["tables"][0] | changes]}  # type: ignore[index]


@cases(
    ("{", "not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
    ("[" * 100_000, "not JSON: maximum recursion depth exceeded"),
    ("[]", "law = []: need an object"),
    ("{}", "kind is not given: need iid, column, chain, groups, field or conditional"),
    (
        FIELD | {"kind": "dependency"},
        "kind = dependency: need iid, column, chain, groups, field or conditional",
    ),
    ('{"kind": "iid", "kind": "chain"}', "the key kind stands twice in one object; need it once"),
    (IID | {"N": 3}, "law of kind iid: unknown key N; the keys are kind, law, n"),
    (IID | {"schema": 2}, "schema = 2: need 1"),
    (IID | {"n": 0}, "n = 0: need a whole number n >= 1"),
    (IID | {"n": "100"}, "n = 100: need a whole number"),
    (IID | {"n": True}, "n = True: need a whole number"),
    (IID | {"law": {"0": "1/2", "1": "1/3"}}, "law: sum of masses = 5/6: need exactly 1"),
    (IID | {"law": {"0": float("nan")}}, "law: mass of 0 = NaN: need 0 <= mass of 0 <= 1"),
    (IID | {"law": ["1/2", "1/2"]}, "law = ['1/2', '1/2']: need an object"),
    ({"kind": "column", "values": []}, "values: has no rows, need at least one number"),
    (
        CHAIN | {"transition": [[1, 0]]},
        "transition = '1 rows': need 2 rows, one for each of the values",
    ),
    (
        CHAIN | {"transition": [["0.9", "0.1"], ["0.1", "0.8"]]},
        "sum of transition[1] = 9/10: need exactly 1",
    ),
    ({"kind": "groups", "groups": []}, "groups = []: need at least one group"),
    (
        {"kind": "groups", "groups": [{"joint": [{"values": [0], "probability": 0.5}]}]},
        "groups[0].joint: sum of joint = 1/2: need exactly 1",
    ),
    (
        {"kind": "groups", "groups": [{"joint": [{"values": [0], "p": 1}]}]},
        "groups[0].joint[0]: unknown key p; the keys are probability, values",
    ),
    (
        FIELD | {"n": 3},
        "tables = 'record 2': need a table for each node of the graph, 0 to 2, and for no other",
    ),
    (FIELD | {"edges": [[0, 2]]}, "edges[0] = 2: need indexes of the records, 0 to 1"),
    (FIELD | {"edges": [[0, 0]]}, "edges[0] = '0, 0': need two different records"),
    (FIELD | {"edges": [[0, 1], [1, 0]]}, "edges[1] = '1, 0': need each edge once"),
    (table(records=[0, 1, 1]), "tables[0].records = 1: need one table for each record"),
    (
        table(rows=[{"given": [0], "law": {"0": "1/2", "1": "1/3"}}]),
        "tables[0].rows[0].law: sum of masses = 5/6: need exactly 1",
    ),
    (
        table(rows=[{"given": [], "law": COIN}]),
        "tables[0] = 'rows for 0 neighbours': need rows for its 1 neighbours in the graph (1)",
    ),
    (
        FIELD
        | {
            "tables": [
                table(records=[0])["tables"][0],
                {"records": [1], "rows": [{"given": [v], "law": COIN} for v in (0, 1)]},
            ]
        },
        "tables[0] and tables[1]: no joint law has both; need the same odds ratios in both",
    ),
    (
        CONDITIONAL | {"known": {"40": 1}},
        "known index = 40: need one of the 40 unknown records of MarkovChain(2 states, 40 records)",
    ),
    (CONDITIONAL | {"known": {"x": 1}}, "known index = x: need an index from 0, in digits"),
    (CONDITIONAL | {"known": {"3": 2}}, "known[3] = 2: need a value of positive probability"),
    (
        {"kind": "conditional", "law": CONDITIONAL, "known": {"1": 1}},
        "kind = conditional: need iid, column, chain, groups or field",
    ),
    ids=lambda value: str(value)[:60],
)
def test_one_line_for_what_is_no_law(document, message, here):
    written(here, document)
    assert error_line(DataError, read_law, "law.json").startswith(f"law.json: {message}")


def test_what_cannot_be_read(tmp_path):
    (tmp_path / "latin.json").write_bytes(b'{"kind": "\xe9"}')
    for name, reason in (("none.json", "cannot be read: No such"), ("latin.json", "not UTF-8")):
        with pytest.raises(KProofError, match=reason):
            read_law(tmp_path / name)
