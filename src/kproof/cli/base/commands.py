"""The commands there are: where each is, its line of help, and lines to try.

``commands.json`` lists them. Examples stand at the end of help pages, and tests try them; those
about files that are not there are only read. A target is imported when its command is run.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

COMMANDS: Mapping[str, Mapping[str, Any]] = json.loads(
    Path(__file__).with_name("commands.json").read_text(encoding="utf-8")
)


def epilogue(command: str) -> str:
    """Return the end of a command's help page."""
    lines = (f"  {example}" for example in COMMANDS[command]["examples"])
    return "Examples:\n\n" + "\n\n".join(lines)
