"""What a person reads: one failure on a page of text, and the Python that builds its input."""

import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any
from uuid import UUID

from rich.cells import cell_len, set_cell_size

from kproof.proptests.contract import CheckResult, CheckStatus, Refusal, TableCase, TablePublication

WIDEST = 24
"""Columns of the terminal that one cell may take."""
MOST_ROWS = 20
"""Rows of a table that are shown, marked ones first."""

_MARK = ">"
_WIDTH = 88
_LIBRARIES = {
    "pandas": ("import pandas as pd", "pd.DataFrame"),
    "polars": ("import polars as pl", "pl.DataFrame"),
    "pyarrow": ("import pyarrow as pa", "pa.table"),
}


def verdict(result: CheckResult) -> str:
    """Return how a check ended as one sentence."""
    subject, check = result.subject.name, result.check
    if result.status is CheckStatus.FAILED:
        return f"{subject} breaks {check.name!r}: {check.claim}"
    if result.status is CheckStatus.EXPECTED:
        return f"{subject} breaks {check.name!r}, as expected: {result.reason}"
    if result.status is CheckStatus.FIXED:
        return (
            f"{subject} was expected to break {check.name!r} ({result.reason}), and did not: "
            f"{count_text(result)}; take it off the list"
        )
    if result.status is CheckStatus.NOT_APPLICABLE:
        return f"{check.name!r} does not apply to {subject}: {count_text(result)}"
    every = ", which is every case there is" if result.status is CheckStatus.EXHAUSTED else ""
    return f"{subject} keeps {check.name!r}: {count_text(result)}{every}"


def count_text(result: CheckResult) -> str:
    """Return how many cases a check judged, and if there are none, mostly why.

    >>> from kproof.proptests.checks import by_name
    >>> from kproof.proptests.subjects.registered import own_subject
    >>> found = CheckResult(
    ...     own_subject("mondrian"), by_name("theta"), CheckStatus.NOT_APPLICABLE, 9, 9, 0,
    ...     "mixed types",
    ...     unjudged=(("the case has no mu", 7), ("nothing was published", 2)),
    ... )
    >>> count_text(found)
    'judged 0 of 9 cases (the case has no mu)'
    """
    cases = f"{result.examples:,} {'case' if result.examples == 1 else 'cases'}"
    doubted = [(why, number) for why, number in result.unjudged if why in result.doubts]
    why = f" ({result.unjudged[0][0]})" if result.unjudged and not result.judged else ""
    if doubted and result.judged:
        why = f"; {sum(number for _, number in doubted):,} in doubt ({doubted[0][0]})"
    return f"judged {result.judged:,} of {cases}{why}"


def failure(result: CheckResult, command: str | None, alike: Sequence[CheckResult] = ()) -> str:
    """Return everything about a failure on one page; no command reproduces what takes Python.

    ``alike`` are other checks that fail on the same input.
    """
    violation = result.violation
    if violation is None:
        return verdict(result)
    drawn = f"{result.source}, seed {result.seed}"
    if result.cause is not None:
        drawn = f"the search for what breaks {result.cause!r}; it first failed in {drawn}"
    parts = [
        _fold(verdict(result)),
        _indent(_fold(violation.sentence)),
        "The smallest input that was found" + case_parameters(result.case),
        _indent(sketch(result.case, violation.input_rows)),
        "What was published",
        _indent(sketch(result.outcome, violation.output_rows)),
        "\n".join(
            _entry(name, text)
            for name, text in (
                ("found", violation.found),
                ("wanted", violation.wanted),
                ("compared", result.check.formula),
                ("defined in", result.check.source),
                ("promised in", result.subject.source),
                ("drawn from", drawn),
                ("breaks, too", "; ".join(map(failure_line, alike))),
            )
            if text
        ),
    ]
    if command is not None:
        parts += ["To see it again", _indent(command)]
    parts += ["To build the input", _indent(snippet(result.case))]
    return "\n\n".join(parts)


def failure_line(result: CheckResult) -> str:
    """Return what somebody has to look at on a line: the check and what is wrong."""
    sentence = verdict(result) if result.violation is None else result.violation.sentence
    return f"{result.check.name}: {' '.join(sentence.split())}"


def smallest_case(result: CheckResult) -> str:
    """Return the smallest failing case of a check as a heading and a table, without Python."""
    violation = result.violation
    if violation is None:
        return ""
    heading = f"The smallest input that was found{case_parameters(result.case)}"
    return f"{_fold(heading)}\n{_indent(sketch(result.case, violation.input_rows))}"


def sketch(thing: Any, marked: Collection[int] = ()) -> str:
    """Return a case or a publication as text, the rows that matter marked.

    >>> print(sketch(TablePublication({"age": ("20-30", "*"), "ill": ("Flu", None)}), (1,)))
          age    ill
      0   20-30  Flu
    > 1   *      -
    """
    if isinstance(thing, (TableCase, TablePublication)):
        return _lines(grid(thing, marked))
    if isinstance(thing, Refusal):
        return f"nothing: {thing}"
    from kproof.proptests.showing import as_table

    table = as_table(thing)
    if table is not None:
        return _lines(grid(table, marked))
    pointer = f"\nlook at {', '.join(map(str, marked))}" if marked else ""
    if is_dataclass(thing):
        lines = [f"{field.name}: {getattr(thing, field.name)!r}" for field in fields(thing)]
        return "\n".join(map(_fold, lines)) + pointer
    return _fold(repr(thing)) + pointer


def snippet(case: Any) -> str:
    """Return Python that builds a case: the frame and the request of a table, or the case itself.

    >>> print(snippet(TableCase({"age": (3, 4)}, ("age",), None, parameters={"k": 2})))
    import pandas as pd
    <BLANKLINE>
    frame = pd.DataFrame({"age": [3, 4]})
    request = {"quasi_identifiers": ["age"], "sensitive": None, "k": 2}
    """
    if not isinstance(case, TableCase):
        kind = type(case)
        return f"from {kind.__module__} import {kind.__qualname__}\n\ncase = {case!r}"
    needs, build = _LIBRARIES[case.container]
    imports = {needs}
    index = "" if case.index is None else f", index={_code(list(case.index), imports)}"
    request: dict[str, Any] = {
        "quasi_identifiers": list(case.quasi_identifiers),
        "sensitive": case.sensitive,
    }
    optional = {
        "identifiers": list(case.identifiers),
        "categories": case.categories,
        "hierarchies": case.hierarchies,
    }
    request |= {name: value for name, value in optional.items() if value}
    request |= case.parameters
    columns = {name: list(values) for name, values in case.columns.items()}
    lines = [
        f"frame = {build}({_code(columns, imports)}{index})",
        f"request = {_code(request, imports)}",
    ]
    for name, dtype in case.dtypes.items() if case.container == "pandas" else ():
        spelled = _code(dtype if isinstance(dtype, str) else list(dtype), imports)
        if not isinstance(dtype, str):
            spelled = f"pd.CategoricalDtype({spelled})"
        column = _code(name, imports)
        if name in columns:
            # Before the request, which stays the last line.
            lines.insert(-1, f"frame[{column}] = pd.array(list(frame[{column}]), dtype={spelled})")
    return "\n".join([*sorted(imports), "", *lines])


def case_parameters(case: Any) -> str:
    """Return the size and parameters of a case, as the tail of its heading."""
    settings = [
        f"{name} = {_cell_text(value)}" for name, value in getattr(case, "parameters", {}).items()
    ]
    if not isinstance(case, TableCase):
        return f" ({'; '.join(settings)})" if settings else ""
    rows = f"{case.rows} {'row' if case.rows == 1 else 'rows'} of {case.container}"
    roles = [f"quasi-identifiers {', '.join(map(_cell_text, case.quasi_identifiers))}"]
    if case.sensitive is not None:
        roles.append(f"sensitive {_cell_text(case.sensitive)}")
    return f" ({'; '.join([rows, *roles, *settings])})"


@dataclass(frozen=True)
class TextGrid:
    """A table as it is shown."""

    headings: tuple[str, ...]
    """Names of the columns."""
    rows: tuple[tuple[int, bool, tuple[str, ...]], ...]
    """Position of each row that is shown, whether it is marked, and its cells."""
    left_out: int
    """Rows that are not shown."""


def grid(thing: TableCase | TablePublication, marked: Collection[int] = ()) -> TextGrid:
    """Return the rows of a table that are shown, as texts."""
    # Marked rows have their place first, and all that are shown stand in their own order.
    first = [*sorted(marked), *(row for row in range(thing.rows) if row not in marked)]
    visible = sorted(first[:MOST_ROWS])
    columns = thing.everything if isinstance(thing, TablePublication) else thing.columns
    # A publication is shown for being wrong: that its columns differ in length may be the reason.
    filled = [(*values, *(None,) * (thing.rows - len(values))) for values in columns.values()]
    rows = tuple(
        (row, row in marked, tuple(_cell_text(values[row]) for values in filled)) for row in visible
    )
    return TextGrid(tuple(map(_cell_text, columns)), rows, thing.rows - len(visible))


def _lines(table: TextGrid) -> str:
    cells = [("", "", *table.headings)]
    cells += [(_MARK if marked else "", str(row), *line) for row, marked, line in table.rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for mark, number, *line in cells:
        padded = (set_cell_size(cell, width) for cell, width in zip(line, widths[2:], strict=True))
        lines.append(f"{mark:1} {number:>{widths[1]}}   {'  '.join(padded)}".rstrip())
    if table.left_out:
        lines.append(f"  and {table.left_out} more rows")
    return "\n".join(lines)


def _cell_text(value: object) -> str:
    """Return a cell as one printable word or two; text only in quotes if it needs them."""
    if value is None:
        return "-"
    if isinstance(value, str):
        # A dash is how a missing value is shown, so that a text of one needs its quotes.
        plain = value.isprintable() and value == value.strip() and value not in ("", "-")
        text = value if plain else repr(value)
    else:
        text = str(value)
    return text if cell_len(text) <= WIDEST else set_cell_size(text, WIDEST - 1) + "…"


def _code(value: Any, imports: set[str]) -> str:
    """Return Python for a value, and note what it needs."""
    if isinstance(value, Mapping):
        pairs = (f"{_code(key, imports)}: {_code(item, imports)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(_code(item, imports) for item in value)}]"
    if isinstance(value, tuple):
        items = ", ".join(_code(item, imports) for item in value)
        return f"({items},)" if len(value) == 1 else f"({items})"
    if isinstance(value, str):
        quoted = repr(value)
        # As the docs write texts, unless double quotes would need a backslash that single ones do
        # not.
        double = quoted[0] == "'" and '"' not in quoted and "\\'" not in quoted
        return f'"{quoted[1:-1]}"' if double else quoted
    if isinstance(value, float) and not isfinite(value):
        # nan and inf are names that Python does not know.
        return f'float("{value}")'
    if isinstance(value, (date, time, timedelta)):
        imports.add("import datetime")
    elif isinstance(value, (Decimal, Fraction, UUID)):
        imports.add(f"from {type(value).__module__} import {type(value).__qualname__}")
    return repr(value)


def _entry(name: str, text: str) -> str:
    return textwrap.fill(
        " ".join(text.split()),
        _WIDTH,
        initial_indent=f"  {name:<12}",
        subsequent_indent=" " * 14,
        break_on_hyphens=False,
    )


def _fold(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), _WIDTH, break_on_hyphens=False)


def _indent(text: str) -> str:
    return textwrap.indent(text, "    ")
