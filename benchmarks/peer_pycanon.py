"""The peer's side of a benchmark: pycanon's checks of a published table.

Runs in an environment of its own that has pycanon. Reads the task as JSON from standard input
(``path`` of a CSV file, ``quasi_identifiers``, ``sensitive``, ``runs``) and writes a line of JSON
for each check as it is done, so that a caller may stop waiting. kproof is not imported here.
"""

import json
import sys
import time
from importlib.metadata import version

import pandas as pd
from pycanon import anonymity

CHECKS = {
    "k-anonymity": lambda frame, qi, _: anonymity.k_anonymity(frame, qi),
    "(alpha,k)-anonymity": lambda frame, qi, sa: anonymity.alpha_k_anonymity(frame, qi, sa)[0],
    "l-diversity": anonymity.l_diversity,
    "t-closeness": anonymity.t_closeness,
    "entropy l-diversity": anonymity.entropy_l_diversity,
    "recursive (c,l)-diversity": lambda frame, qi, sa: anonymity.recursive_c_l_diversity(
        frame, qi, sa
    )[0],
    "basic beta-likeness": anonymity.basic_beta_likeness,
    "enhanced beta-likeness": anonymity.enhanced_beta_likeness,
    "delta-disclosure": anonymity.delta_disclosure,
}


def main() -> None:
    """Time each check as often as asked and report the median."""
    task = json.load(sys.stdin)
    frame = pd.read_csv(task["path"], dtype=str)
    names, sensitive = task["quasi_identifiers"], [task["sensitive"]]
    for name in task["checks"]:
        seconds = []
        value: object = None
        for _ in range(task["runs"]):
            start = time.perf_counter()
            value = CHECKS[name](frame, names, sensitive)
            seconds.append(time.perf_counter() - start)
        line = {
            "check": name,
            "version": version("pycanon"),
            "seconds": sorted(seconds)[len(seconds) // 2],
            "value": str(value),
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
