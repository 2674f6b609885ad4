"""The peer's side of a benchmark: anjana's k-anonymity, which recodes by level and suppresses.

Runs in an environment of its own that has anjana. Reads the task as JSON from standard input
(``path`` of a CSV file, ``hierarchies`` by column as CSV files, ``k``, ``suppress`` in per cent,
``output``), writes what it published to ``output`` and what it took to standard output. kproof is
not imported here.
"""

import json
import sys
import time
from importlib.metadata import version

import pandas as pd
from anjana.anonymity import k_anonymity


def main() -> None:
    """Anonymize once."""
    task = json.load(sys.stdin)
    frame = pd.read_csv(task["path"], dtype=str)
    levels = {}
    for name, path in task["hierarchies"].items():
        tree = pd.read_csv(path, sep=";", header=None, dtype=str).set_index(0, drop=False)
        levels[name] = {level: frame[name].map(tree[level]).values for level in tree.columns}
    names = list(task["hierarchies"])
    start = time.perf_counter()
    published = k_anonymity(frame, [], names, task["k"], task["suppress"], levels)
    seconds = time.perf_counter() - start
    published[names].to_csv(task["output"], index=False)
    json.dump({"version": version("anjana"), "seconds": seconds}, sys.stdout)


if __name__ == "__main__":
    main()
