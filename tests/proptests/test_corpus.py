"""Faults of published anonymizers, each seen again in what the library published, by plain Python.

No library is called here, and kproof only for the pages: the inputs and outputs are stored in
``benchmarks/corpus/findings.json``, and ``nox -s corpus`` calls the libraries again. For each
finding there is a publication, or a refusal, that would have been right; it must pass.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from finding_pages import CORPUS, FINDINGS, LIBRARIES, REPORTS, index_row, page_of
from shell import same_as_page

DOCS = Path(__file__).parents[2] / "docs"

Columns = Mapping[str, list[Any]]
_RANGE = re.compile(r"(-?[\d.]+)-(-?[\d.]+)")


def known_columns(table: Columns) -> list[list[Any]]:
    """Return the columns that an adversary knows: all but the sensitive one, s."""
    return [values for name, values in table.items() if name != "s"]


def secrets_by_class(table: Columns) -> Mapping[str, list[Any]]:
    """Return the sensitive values of each class of rows with equal labels."""
    classes = defaultdict(list)
    for *labels, secret in zip(*known_columns(table), table["s"], strict=True):
        classes[repr(labels)].append(secret)
    return classes


def is_of(label: Any, value: Any) -> bool:
    """Say whether a label is true of a value: a star, the value itself, a range, a set."""
    if label in ("*", None, "") or str(label) == str(value):
        return True
    ends = _RANGE.fullmatch(str(label))
    try:
        if ends is not None:
            return float(ends[1]) <= float(value) <= float(ends[2])
        # As integers where they are written so, since floats cannot tell large ones apart.
        return int(str(label).removesuffix(".0")) == int(value)
    except (TypeError, ValueError):
        return str(value) in re.split(",| ou ", str(label))


def too_few(before: Columns, after: Columns, asks: Mapping[str, int]) -> bool:
    """Say whether some class has fewer than k rows."""
    return any(len(rows) < asks["k"] for rows in secrets_by_class(after).values())


def too_alike(before: Columns, after: Columns, asks: Mapping[str, int]) -> bool:
    """Say whether some class has fewer than l sensitive values."""
    return any(len(set(rows)) < asks["ell"] for rows in secrets_by_class(after).values())


def untrue(before: Columns, after: Columns, asks: Mapping[str, int]) -> bool:
    """Say whether a row, in the order of the input, is not about the record in its place."""
    columns = zip(known_columns(after), known_columns(before), strict=True)
    cells = (pair for labels, values in columns for pair in zip(labels, values, strict=True))
    return before["s"] != after["s"] or not all(is_of(*pair) for pair in cells)


def lost(before: Columns, after: Columns, asks: Mapping[str, int]) -> bool:
    """Say whether there are not as many rows as records."""
    return len(before["s"]) != len(after["s"])


def silent(before: Columns, after: object, asks: Mapping[str, int]) -> bool:
    """Say whether there was an error, of a request that can be served."""
    return isinstance(after, str)


BREAKS: Mapping[str, Callable[..., bool]] = {
    "k-anonymity": too_few,
    "l-diversity": too_alike,
    "truthful": untrue,
    "records-kept": lost,
    "answers": silent,
}


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda one: one["id"])
def test_what_came_out_breaks_what_was_promised(finding):
    last = finding["calls"][-1]
    assert BREAKS[finding["breaks"]](last["columns"], finding["output"], last["asks"])
    right = finding["right"]
    if right is None:
        # Then no publication is right: there are too few rows, or too few sensitive values.
        size = len(last["columns"]["s"])
        assert size < last["asks"]["k"] or too_alike({}, last["columns"], last["asks"])
        return
    faults = [too_few, lost, silent]
    if right["s"] == last["columns"]["s"]:
        faults.append(untrue)  # it speaks of rows that come out one by one
    assert not any(fault(last["columns"], right, last["asks"]) for fault in faults)


def adapters() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the adapters of the corpus with how kproof verify is run on them."""
    for library in LIBRARIES.values():
        yield from library["adapters"].items()


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_page_of_a_library_is_made_of_what_is_stored(name, here):
    same_as_page(DOCS / "findings" / f"{name}.md", page_of(name))


def test_the_index_names_each_library_and_each_finding_is_reported():
    index = (DOCS / "findings-corpus.md").read_text(encoding="utf-8")
    assert len(LIBRARIES) >= 10
    assert [line for line in index.splitlines() if line.startswith("| [")] == [
        index_row(name) for name in LIBRARIES
    ]
    assert set(REPORTS) == {*LIBRARIES, *(finding["id"] for finding in FINDINGS)}
    assert {path.stem for path in (DOCS / "findings").iterdir()} == set(LIBRARIES)
    assert all(re.fullmatch("[0-9a-f]{64}", each["sha256"]) for each in LIBRARIES.values())
    # Whom the suite accuses at quick has a finding here; some findings it did not see.
    accused = {name for name, run in adapters() if run["status"] == 1}
    reported = {finding["adapter"] for finding in FINDINGS}
    assert accused | {"microagg1d", "anjana", "anonymity_api"} == reported | {"anonymizer_regroup"}
    source = (CORPUS / "adapters.py").read_text(encoding="utf-8")
    assert all(f"def {name}(" in source for name, _ in adapters())
