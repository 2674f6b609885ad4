"""The page that shows printed formula, Python and Rocq side by side."""

from __future__ import annotations

from kproof.theory.kernel.statements import STATEMENTS, KernelStatement, statement_of

DEFINITIONS = (
    ("Laws", ("nonneg", "law", "pr", "pos", "hockey", "close", "gain")),
    ("Blocks", ("mean", "counted", "counts", "falling", "block", "told_up", "told_down", "record")),
    ("Blocks", ("far_record",)),
    ("LogConcave", ("log_concave",)),
    ("Counts", ("binomial_law", "between", "published", "threshold_up", "threshold_down")),
    ("Counts", ("delta_up", "delta_down")),
    ("Theta", ("most", "class", "rows", "noise", "values", "exchanged", "with_noise", "state")),
    ("Theta", ("step", "formed", "toll", "steps", "frequencies", "ranked", "first", "second")),
    ("Theta", ("reaches",)),
)
"""What the theorems speak of, in the order in which it is defined."""


def side_by_side() -> str:
    """Return the definitions and the listed theorems as Markdown."""
    parts = ["## Definitions\n", "```coq"]
    parts += [statement_of(name, file) for file, names in DEFINITIONS for name in names]
    parts += ["```\n", "## Theorems\n"]
    parts += [_shown(one) for one in STATEMENTS]
    return "\n".join(parts).rstrip("\n") + "\n"


def _shown(one: KernelStatement) -> str:
    lines = [f"### `{one.name}`\n", f"{one.says}\n", f"$${one.formula}$$\n"]
    known = []
    if one.python:
        known.append(f"Python: {', '.join(f'`{name}`' for name in one.python)}")
    if one.rows:
        known.append(f"ledger: {', '.join(one.rows)}")
    if known:
        lines.append(f"{'; '.join(known)}. `theory/rocq/{one.file}.v`:\n")
    else:
        lines.append(f"`theory/rocq/{one.file}.v`:\n")
    return "\n".join([*lines, "```coq", one.rocq, "```\n"])
