"""The peer's side of a benchmark: dp-accounting on the profile of a binomial count.

Runs in an environment of its own that has dp-accounting; reads the task as JSON from standard
input and writes what it found to standard output. kproof is not imported here.
"""

import json
import sys
import time
from importlib.metadata import version

import numpy as np
from dp_accounting.pld import privacy_loss_distribution
from scipy.stats import binom


def deltas(n: int, p: float, epsilons: list[float], times: int = 1) -> list[float]:
    """Return δ at each ε from the two mass functions, pessimistic, at the default grid of 1e-4.

    ``times`` such releases are composed.
    """
    logs = binom.logpmf(np.arange(n + 1), n, p).tolist()
    lower = dict(enumerate(logs))
    upper = dict(enumerate(logs, start=1))
    losses = privacy_loss_distribution.from_two_probability_mass_functions(
        lower, upper, symmetric=False
    )
    if times > 1:
        losses = losses.self_compose(times)
    return np.asarray(losses.get_delta_for_epsilon(epsilons)).tolist()


def main() -> None:
    """Time the task as often as asked and report the best."""
    task = json.load(sys.stdin)
    seconds = []
    found: list[float] = []
    for _ in range(task["runs"]):
        start = time.perf_counter()
        found = deltas(task["n"], task["p"], task["epsilons"], task.get("times", 1))
        seconds.append(time.perf_counter() - start)
    json.dump(
        {"version": version("dp-accounting"), "seconds": min(seconds), "deltas": found}, sys.stdout
    )


if __name__ == "__main__":
    main()
