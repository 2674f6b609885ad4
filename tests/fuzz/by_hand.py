"""Any number of hostile calls: ``python tests/fuzz/by_hand.py --cases 20000 --seed 7``.

The smallest failing call is written to a file, from which ``--replay`` runs it again.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from fuzz_case import Case, answer
from fuzz_mutations import cases
from hypothesis import HealthCheck, given, seed, settings


def main() -> int:
    """Draw calls, or replay one; return 1 if something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=5_000, help="how many calls are drawn")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument("--replay", type=Path, help="run the call of this file again")
    parser.add_argument("--out", type=Path, default=Path("fuzz-failure.json"))
    asked = parser.parse_args()
    if asked.replay is not None:
        found = _found(Case.from_json(asked.replay.read_text(encoding="utf-8")))
        print(*(found or ("nothing found",)), sep="\n")
        return bool(found)
    failed: list[Case] = []

    @seed(asked.seed)
    @settings(
        max_examples=asked.cases,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(cases())
    def search(case: Case) -> None:
        found = _found(case)
        if found:
            failed.append(case)
            raise AssertionError(found)

    try:
        search()
    except AssertionError as error:
        asked.out.write_text(failed[-1].to_json(), encoding="utf-8")
        print(f"kproof {' '.join(failed[-1].words)}", error, f"written to {asked.out}", sep="\n")
        return 1
    print(f"{asked.cases} calls, nothing found")
    return 0


def _found(case: Case) -> tuple[str, ...]:
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return answer(case, Path(folder)).faults
        finally:
            os.chdir(here)


if __name__ == "__main__":
    sys.exit(main())
