"""How surely broken mechanisms are refuted, and whether correct ones are left alone.

Run ``python benchmarks/mechanisms.py`` in an environment that has kproof: every mechanism of the
zoo at the default profile with five seeds. Mechanisms of OpenDP, diffprivlib and dp_accounting are
held to their own claims where they are installed, by adapters of a few lines. The exit status is 1
if a broken mechanism of the zoo is not refuted with every seed, or a correct one is with any.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from common import Row, document, machine, with_json

from kproof.proptests.mechanisms.mechanism import Mechanism
from kproof.proptests.mechanisms.neighbours import DataNeighbours
from kproof.proptests.mechanisms.trials import check_mechanism
from kproof.proptests.zoo.noisy import MECHANISMS

ONE = DataNeighbours.of("one-answer", length=1)
TENTH = DataNeighbours.of("one-answer", length=1, low="0.1", high="1.1")


def judged(
    mechanism: Mechanism, seeds: int, profile: str, checks: Sequence[str] | None = None
) -> dict[str, Any]:
    """Hold a mechanism to its claim with some seeds."""
    start = time.process_time()
    runs = [
        check_mechanism(mechanism, seed=seed, profile=profile, checks=checks)
        for seed in range(seeds)
    ]
    refuted = [results for results in runs if results.refuted]
    losses = [float(results.detectable) for results in runs if results.detectable is not None]
    return {
        "mechanism": mechanism.name,
        "epsilon": float(mechanism.claim.epsilon),
        "delta": float(mechanism.claim.delta),
        "seeds": seeds,
        "refuted": len(refuted),
        "by": sorted({trial.check for results in refuted for trial in results.smallest}),
        "pair": str(refuted[0].worst.pair) if refuted else "",
        "event": refuted[0].worst.event if refuted else "",
        "at_least": min((float(r.worst.epsilon) for r in refuted), default=None),
        "detectable": max(losses, default=None),
        "seconds": round((time.process_time() - start) / seeds, 1),
    }


def zoo(seeds: int, profile: str) -> Iterator[dict[str, Any]]:
    """Hold the zoo to its claims."""
    for member in sorted(MECHANISMS, key=lambda entry: not entry.broken):
        # What a paper says is about real numbers, but for that on floats.
        checks = ["answers"] if member.mechanism.run and "[M]" not in member.source else None
        facts = judged(member.mechanism, seeds, profile, checks)
        right = facts["refuted"] == (seeds if member.broken else 0)
        print(f"{member.name}: {facts['refuted']} of {seeds} refuted", file=sys.stderr, flush=True)
        yield {"source": member.source, "broken": member.broken, **facts, "right": right}


def opendp_laplace(data: Any) -> float:
    """Publish with OpenDP's Laplace mechanism, of scale 1."""
    return float(_opendp()(float(data[0])))


@cache
def _opendp() -> Callable[[float], float]:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    return dp.m.make_laplace(*space, scale=1.0)


def opendp_geometric(data: Any) -> int:
    """Publish with OpenDP's discrete Laplace mechanism, of scale 1."""
    return int(_opendp_whole()(int(data[0])))


@cache
def _opendp_whole() -> Callable[[int], int]:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    return dp.m.make_laplace(*space, scale=1.0)


def diffprivlib_mechanism(name: str, **options: Any) -> Callable[..., Any]:
    """Return a function that publishes with a mechanism of diffprivlib."""

    from diffprivlib import mechanisms

    mechanism = getattr(mechanisms, name)(**options)

    def publish(data: Any) -> Any:
        return mechanism.randomise(int(data[0]) if name == "Geometric" else float(data[0]))

    return publish


def dp_accounting_gaussian() -> Mechanism:
    """Return Gaussian noise whose scale dp_accounting calibrates to ε = 1 and δ = 1/100."""
    from dp_accounting.pld import privacy_loss_mechanism as losses
    from dp_accounting.pld.common import DifferentialPrivacyParameters

    claim = DifferentialPrivacyParameters(1.0, 0.01)
    scale = losses.GaussianPrivacyLoss.from_privacy_guarantee(claim).standard_deviation

    def publish(data: Any, rng: np.random.Generator, size: int) -> Any:
        noisy = data + rng.normal(scale=scale, size=(size, 1))
        return np.round(noisy * 65536) / 65536

    return Mechanism(publish, delta="0.01", neighbours=ONE, name="dp_accounting gaussian")


def peers() -> Iterator[Mechanism]:
    """Yield mechanisms of other projects that are installed."""
    whole = DataNeighbours.of("one-answer", length=1, whole=True)
    if find_spec("opendp"):
        # Its scale of 1 is what sensitivity 1 at ε = 1 takes, rounding included.
        yield Mechanism(opendp_laplace, neighbours=TENTH, name="opendp laplace")
        yield Mechanism(opendp_geometric, neighbours=whole, name="opendp discrete laplace")
    if find_spec("diffprivlib"):
        float_ones = ("Laplace", "LaplaceTruncated", "LaplaceFolded", "Staircase", "Snapping")
        for name in float_ones:
            options: dict[str, Any] = {"epsilon": 1.0, "sensitivity": 1.0}
            if name in ("LaplaceTruncated", "LaplaceFolded", "Snapping"):
                options |= {"lower": -4.0, "upper": 6.0}
            run = diffprivlib_mechanism(name, **options)
            yield Mechanism(run, neighbours=ONE, name=f"diffprivlib {name}")
        run = diffprivlib_mechanism("Geometric", epsilon=1.0, sensitivity=1)
        yield Mechanism(run, neighbours=whole, name="diffprivlib Geometric")
        options = {"epsilon": 1.0, "delta": 0.01, "sensitivity": 1.0}
        run = diffprivlib_mechanism("GaussianAnalytic", **options)
        yield Mechanism(run, delta="0.01", neighbours=ONE, name="diffprivlib GaussianAnalytic")
    if find_spec("dp_accounting"):
        yield dp_accounting_gaussian()


def rows(found: list[dict[str, Any]]) -> Iterator[Row]:
    """Yield a row for each mechanism."""
    for facts in found:
        yield Row(
            f"{facts['mechanism']}: refuted {facts['refuted']}/{facts['seeds']}", facts["seconds"]
        )


def table(found: list[dict[str, Any]]) -> str:
    """Return the table of the docs."""
    lines = [
        "| mechanism | source | claim | is | refuted | by | ε at least | detectable |",
        "|---|---|---|---|--:|---|--:|--:|",
    ]
    for facts in found:
        claim = f"{facts['epsilon']:g}" + (f", {facts['delta']:g}" if facts["delta"] else "")
        least, loss = (
            "" if facts[name] is None else f"{facts[name]:.2f}"
            for name in ("at_least", "detectable")
        )
        is_broken = {True: "broken", False: "correct", None: "its own"}[facts.get("broken")]
        count, by = f"{facts['refuted']} of {facts['seeds']}", ", ".join(facts["by"])
        cells = (facts["mechanism"], facts.get("source", ""), claim, is_broken, count, by)
        lines.append("| " + " | ".join((*cells, least, loss)) + " |")
    return "\n".join(lines)


def main() -> None:
    """Take the figures and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="seeds of the zoo; 0 leaves it out")
    parser.add_argument("--profile", default="default", help="how much is tried")
    parser.add_argument("--peer-seeds", type=int, default=1, help="seeds of other projects")
    options = with_json(parser).parse_args()
    found = list(zoo(options.seeds, options.profile)) if options.seeds else []
    if options.peer_seeds:
        found += [judged(peer, options.peer_seeds, options.profile) for peer in peers()]
    if options.json:
        print(
            json.dumps(document(list(rows(found)), machine(["numpy"])) | {"found": found}, indent=2)
        )
    else:
        print(table(found))
    if not all(facts.get("right", True) for facts in found):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
