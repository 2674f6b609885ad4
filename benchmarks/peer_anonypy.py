"""The peer's side of a benchmark: anonypy's Mondrian.

Runs in an environment of its own that has anonypy and pandas. Reads the task as JSON from standard
input (``path`` of a CSV file, ``quasi_identifiers``, ``sensitive``, ``categorical``, ``k``) and
writes what it took. kproof is not imported here.
"""

import json
import sys
import time
from importlib.metadata import version

import anonypy
import pandas as pd


def main() -> None:
    """Anonymize once."""
    task = json.load(sys.stdin)
    frame = pd.read_csv(task["path"])
    for name in task["categorical"]:
        frame[name] = frame[name].astype("category")
    start = time.perf_counter()
    preserver = anonypy.Preserver(frame, task["quasi_identifiers"], task["sensitive"])
    published = preserver.anonymize_k_anonymity(k=task["k"])
    seconds = time.perf_counter() - start
    rows = sum(row["count"] for row in published)
    json.dump({"version": version("anonypy"), "seconds": seconds, "rows": int(rows)}, sys.stdout)


if __name__ == "__main__":
    main()
