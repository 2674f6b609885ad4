"""Run the corpus again, and say what differs from what is stored beside this file.

``python -m corpus.run`` from the folder above, in an environment with the libraries of
``libraries.json`` (``nox -s corpus`` makes it). Each finding of ``findings.json`` is called in a
process of its own, since some libraries remember earlier calls; then ``kproof verify`` is run on
each adapter. ``--write`` stores what came out of the findings instead.
"""

import io
import json
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from kproof.outputs import write_text

HERE = Path(__file__).resolve().parent
FINDINGS = HERE / "findings.json"
LIBRARIES = HERE / "libraries.json"


def outcome(finding: Mapping[str, Any]) -> Any:
    """Return what the last call of a finding published, column by column, or its error."""
    import pandas as pd
    from corpus import adapters

    answer: Any = None
    for call in finding["calls"]:
        frame = pd.DataFrame(call["columns"])
        names = [name for name in call["columns"] if name != "s"]
        try:
            # Some libraries print what they are doing.
            with redirect_stdout(io.StringIO()):
                publish = getattr(adapters, finding["adapter"])
                answer = publish(frame, names, "s", (), **call["asks"])
        except Exception as error:  # the outcome is that there is one
            return f"{type(error).__name__}: {error}"
    published = answer.astype(object).where(answer.notna(), None)
    return json.loads(json.dumps(published.to_dict("list"), default=lambda number: number.item()))


def differences(*, verify: bool) -> Iterator[str]:
    """Yield a line for each outcome that is not the one stored."""
    for finding in json.loads(FINDINGS.read_text(encoding="utf-8")):
        new = json.loads(_printed("-m", "corpus.run", "--only", finding["id"]))
        if new != finding["output"]:
            yield f"{finding['id']}: {new} came out, stored is {finding['output']}"
    for name, library in json.loads(LIBRARIES.read_text(encoding="utf-8")).items():
        for adapter, run in library["adapters"].items() if verify else ():
            command = ("-m", "kproof", "verify", f"corpus.adapters:{adapter}", *run["options"])
            ended = subprocess.run([sys.executable, *command], capture_output=True, check=False)
            if ended.returncode != run["status"]:
                yield f"{name}: {' '.join(command[2:])} ends with {ended.returncode}"


def _printed(*words: str) -> str:
    command = [sys.executable, *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Compare, or store."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="ID", help="print what comes out of this finding")
    parser.add_argument("--write", action="store_true", help="store what comes out")
    parser.add_argument("--findings", action="store_true", help="do not run kproof verify")
    asked = parser.parse_args()
    findings = json.loads(FINDINGS.read_text(encoding="utf-8"))
    if asked.only:
        (finding,) = (one for one in findings if one["id"] == asked.only)
        print(json.dumps(outcome(finding)))
    elif asked.write:
        for finding in findings:
            finding["output"] = json.loads(_printed("-m", "corpus.run", "--only", finding["id"]))
        write_text(FINDINGS, json.dumps(findings, indent=1, ensure_ascii=False) + "\n")
    else:
        lines = list(differences(verify=not asked.findings))
        sys.exit("\n".join(lines) or 0)


if __name__ == "__main__":
    main()
