"""What cloaking, heat maps, social graphs and attacks on them take, beside named peers.

Run ``python benchmarks/places.py --nodes pgh_nodes.csv --edges pgh_edges.csv`` in an environment
that has kproof. Each section is a module with a function ``rows`` that takes the options and yields
figures; add new ones to ``SECTIONS``. Medians of a few repetitions in one process that has run the
job before; what the first calls take is a row of its own.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import places_attacks
import places_city
import places_graphs
import places_points
from common import Row, compile_at_once, machine, told, with_json

SECTIONS: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
    "city": places_city.rows,
    "graphs": places_graphs.rows,
    "attacks": places_attacks.rows,
    "points": places_points.rows,
}


def main() -> None:
    """Read the options, run the sections, print what they found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=Path, help="CSV file of a city's nodes")
    parser.add_argument("--edges", type=Path, help="CSV file of its streets")
    parser.add_argument("--friends", type=Path, help="list of friendships, such as Gowalla's")
    parser.add_argument("--points", type=int, help="points of one more heat map, such as 50000000")
    parser.add_argument("--sample", type=int, default=5_000, help="users of the slow peers")
    parser.add_argument("--only", choices=SECTIONS, action="append")
    parser.add_argument("--quick", action="store_true", help="leave out or shrink what is large")
    options = with_json(parser).parse_args()
    compile_at_once()
    chosen = options.only or list(SECTIONS)
    rows = [row for name in chosen for row in SECTIONS[name](options)]
    told(options, rows, machine(["numpy", "numba", "networkx"]))


if __name__ == "__main__":
    main()
