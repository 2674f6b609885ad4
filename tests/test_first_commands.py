"""Nobody waits for a compiler before having seen anything: first commands run without Numba.

Those of the core do in ``tests/repository/test_extras.py``.
"""

import random
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from apart import python

ROLES = '--qi "Age,Zip Code" --sensitive Disease --identifier ID,Name'
COMMANDS = {
    "report": ["report --output results"],
    "tables": [
        *(
            f"anonymize {method} table-1a {ROLES} -o {method}.csv --k 2 --audience study {more}"
            for method, more in {
                "p-plus-sensitive": "--p 2 --categories categories.csv",
                "p-alpha-sensitive": "--p 2 --alpha 1 --categories categories.csv",
            }.items()
        ),
        f"anonymize kaca table-1a {ROLES} -o k-means.csv --k 2 --audience study "
        "--set clustering=k-means",
    ],
    "places": [
        "anonymize density --users 40 --seed 2 -o regions.csv",
        "anonymize density --users 40 --seed 2 --reading printed --least-nodes 1 -o grown.csv",
        "anonymize quadtree trips.csv --user driver --min-k 5 -o map.geojson --html map.html",
    ],
    "graphs": [
        "anonymize sangreea friends.tsv --k 6 -o clusters.json",
        "anonymize k-degree friends.tsv --k 4 -o published.tsv",
        "anonymize baseline friends.tsv --k 6 --lambda1 0.2 -o baseline.json",
    ],
    "nets": [
        "net explore theta-sensitive --data table-4b --k 4 --reaches table-8b",
        "net explore theta-sensitive --data table-1a --k 4 --ctl 'EF dead'",
        "net simulate theta-sensitive --data table-4b --class Class --sensitive Disease --k 4",
    ],
    "theory": [
        "bound 2 --data table-1a --column Age --shift 1",
        "exact truncated-binomial --n 60 --p 0.71 --k 33 --epsilon 0:2:5",
    ],
}
SCRIPT = """
import sys
sys.modules["numba"] = None
from kproof.cli import main
for line in sys.stdin:
    words = line.rstrip("\\n").split("\\t")
    print(main(words), *words, file=sys.stderr)
"""


def written(folder: Path) -> None:
    """Write the files that the commands read."""
    draw = random.Random(1)
    trips = [
        f"{draw.gauss(48, 0.01)},{draw.gauss(11, 0.01)},{draw.randrange(90)}" for _ in "x" * 400
    ]
    (folder / "trips.csv").write_text("\n".join(["lat,lon,driver", *trips, ""]))
    friends = {(number, draw.randrange(number)) for number in range(1, 60) for _ in range(3)}
    (folder / "friends.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in sorted(friends)))


@pytest.mark.parametrize("of", COMMANDS)
def test_first_commands_compile_nothing(of, tmp_path):
    written(tmp_path)
    with (tmp_path / "categories.csv").open("w") as file:
        command = [sys.executable, "-m", "kproof", "datasets", "table-3"]
        subprocess.run(command, check=True, stdout=file)
    ran = python(
        "-c",
        SCRIPT,
        cwd=tmp_path,
        input="".join("\t".join(shlex.split(line)) + "\n" for line in COMMANDS[of]),
    )
    ends = [line.split()[0] for line in ran.stderr.splitlines()]
    assert len(ends) == len(COMMANDS[of]), ran.stderr
    # Found, not found, or conditional on what somebody has to answer for.
    assert set(ends) <= {"0", "1", "4"}, ran.stderr
