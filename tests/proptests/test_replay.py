"""A case that failed is saved as JSON, and read from it as it was."""

import json

import pytest
from cases import cases
from hypothesis import given, settings
from shell import kproof, refused

from kproof.errors import DataError
from kproof.models.registry import Kind
from kproof.proptests.replay import of_json, source_of, to_json
from kproof.proptests.sources import sources

KINDS = (Kind.TABLE, Kind.CITY, Kind.POINTS, Kind.GRAPH, Kind.LOG)
EVERY = [source for kind in KINDS for source in sources(kind)]


@pytest.mark.parametrize("source", EVERY, ids=lambda source: source.name)
def test_every_case_that_is_drawn_comes_back(source, tmp_path):
    @settings(max_examples=3, deadline=None)
    @given(source.draw(frozenset({"k", "mu", "alpha"})))
    def same(case):
        document = json.loads(json.dumps(to_json(case)))
        assert repr(of_json(document)) == repr(case)
        path = tmp_path / "case.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        assert repr(list(source_of(path, source.kind).exhaust(frozenset()))) == repr([case])

    same()


def test_a_failure_is_shown_again_to_whoever_mended_it(here):
    asked = ("--check", "k-anonymity", "--source", "mixed types", "--profile", "quick")
    failed = kproof("verify", "foreign:as_it_is", *asked, "--json")
    (here / "run.json").write_text(failed.out, encoding="utf-8")
    words = ("--case", "run.json", "--check", "k-anonymity")
    again = kproof("verify", "foreign:as_it_is", *words, "--json")
    assert again.status == 1
    (result,) = json.loads(again.out)["results"]
    (before,) = [one for one in json.loads(failed.out)["results"] if one["check"] == "k-anonymity"]
    assert result["case"] == before["case"]
    assert result["source"] == "the case in run.json"
    assert kproof("verify", "mondrian", *words).status in (0, 4)
    assert refused("verify", "mondrian", *words, "--source", "no rows").startswith("--case = ")
    assert refused("verify", "mondrian", "--case", "run.json", "--check", "truthful labels") == (
        "run.json: no check failed there, or none of those asked for"
    )
    says = refused("verify", "x", "--kind", "graph", "--case", "run.json")
    assert says == "run.json: is a case of kind table; need one of kind graph"


@cases(
        "x", "[]", "{}", '{"case": "TableCase"}', '{"results": [3]}', '{"case": "Path"}',
        '{"case": "TableCase", "columns": 3, "quasi_identifiers": ["a"], "sensitive": null}',
        '{"case": "TableCase", "columns": {"pairs": [["a", [{"type": "exit", "text": "1"}]]]}}',
        '{"case": "PointsCase", "positions": [[100, 0]]}', "[" * 100_000,
)  # fmt: skip
def test_what_is_no_case_is_refused(text, tmp_path):
    path = tmp_path / "case.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"case.json: no case of verify: .*; need --json of a run$"):
        source_of(path, Kind.TABLE)
