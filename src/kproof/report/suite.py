"""A page about one run of the property suite: which promise broke on which input, which held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kproof.proptests.contract import TableCase, TablePublication
from kproof.proptests.rendering import case_parameters, grid, sketch, snippet, verdict
from kproof.proptests.showing import as_table
from kproof.report.context import fragment

if TYPE_CHECKING:
    from collections.abc import Collection

    from kproof.proptests.results import Results


def page_of(results: Results) -> str:
    """Return the page, which needs nothing but itself."""
    lines = [
        {
            "id": f"check-{number}",
            "result": result,
            "standing": "holds" if result.ok else "fails" if result.broken else "",
            "why": result.unjudged[0][0] if result.unjudged and not result.judged else "",
            "verdict": verdict(result),
            "pictures": []
            if result.violation is None
            else [
                (
                    f"The smallest input that was found{case_parameters(result.case)}",
                    *_grid_of(result.case, result.violation.input_rows),
                ),
                ("What was published", *_grid_of(result.outcome, result.violation.output_rows)),
            ],
            "command": results.command(result),
            "python": None if result.violation is None else snippet(result.case),
        }
        for number, result in enumerate(results, 1)
    ]
    return fragment(
        "suite.html",
        results=results,
        told=lines,
        answer=_ANSWERS.get(results.answer.value) or results.open_question(),
        classes={"kept": "holds", "broken": "fails", "open": ""},
    )


_ANSWERS = {"kept": "yes, as far as it was tried", "broken": "no"}


def _grid_of(case: Any, marked: Collection[int]) -> tuple[object, str]:
    """Return a table as a grid, anything else as text."""
    table = case if isinstance(case, (TableCase, TablePublication)) else as_table(case)
    if table is not None:
        return grid(table, marked), ""
    return None, sketch(case, marked)
