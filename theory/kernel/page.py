"""The page that shows printed formula, Python and Rocq side by side."""

from kproof.theory.kernel.pinning import read_pinned
from kproof.theory.kernel.statements import SOURCES, STATEMENTS, KernelStatement, definitions_in


def side_by_side() -> str:
    """Return the definitions and the listed theorems as Markdown."""
    pinned = read_pinned().definitions
    parts = ["## Definitions\n", "```coq"]
    for source in SOURCES:
        parts += [
            text
            for name, text in definitions_in(source.stem).items()
            if f"{source.stem}.{name}" in pinned
        ]
    parts += ["```\n", "## Theorems\n"]
    parts += [_section(statement) for statement in STATEMENTS]
    return "\n".join(parts).rstrip("\n") + "\n"


def _section(statement: KernelStatement) -> str:
    lines = [f"### `{statement.name}`\n", f"{statement.says}\n", f"$${statement.formula}$$\n"]
    links = []
    if statement.python:
        links.append(f"Python: {', '.join(f'`{name}`' for name in statement.python)}")
    if statement.rows:
        links.append(f"ledger: {', '.join(statement.rows)}")
    before = f"{'; '.join(links)}. " if links else ""
    lines.append(f"{before}`theory/rocq/{statement.file}.v`:\n")
    return "\n".join([*lines, "```coq", statement.rocq, "```\n"])
