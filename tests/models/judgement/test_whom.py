"""Whom rows are about is decided by one rule, whoever asks: the safe path, or a check of its file.

A table is made up with a column that nobody publishes, whose values repeat in one way or another;
nobody says whether they are people.
"""

import random
from pathlib import Path

import pandas as pd
import pytest
from cases import cases
from nights import spread
from shell import kproof

from kproof.models.judgement.rows.repeats import persons_among
from kproof.models.tables.table import Table

REPEATS = {
    "nobody": lambda at, draw: f"K{at:04}",
    "two visits": lambda at, draw: f"K{at // 2:04}",
    "namesakes": lambda at, draw: f"K{draw.randrange(4000):04}",
    "many of one name": lambda at, draw: f"K{draw.randrange(150):04}",
    "twenty": lambda at, draw: f"K{draw.randrange(20):04}",
    "three": lambda at, draw: f"K{draw.randrange(3):04}",
    "some without": lambda at, draw: f"K{at // 2:04}" if at % 5 else "",
}


def table(folder: Path, heading: str, repeats: str, *, steady: bool) -> str:
    """Write 300 rows; where people are steady, what is known of them is theirs."""
    draw, who = random.Random(11), random.Random(12)
    lines = [f"{heading},age,sex,ill"]
    known = {}
    for at in range(300):
        person = REPEATS[repeats](at, who)
        new = f"{draw.randint(20, 60)},{draw.choice('fm')}"
        own = known.setdefault(person, new) if steady and person else new
        lines.append(f"{person},{own},{draw.choice(['flu', 'gout', 'HIV', 'burn'])}")
    source = folder / "source.csv"
    source.write_text("\n".join(lines))
    return str(source)


@pytest.mark.parametrize("steady", [False, True], ids=["changing", "steady"])
@pytest.mark.parametrize("repeats", REPEATS)
def test_the_safe_path_is_green_where_a_check_of_its_file_is(repeats, steady, tmp_path):
    headings = [("name", "--identifier"), ("street", "--drop"), ("batch", "--drop")]
    for heading, option in spread(headings, 3, offset=[*REPEATS].index(repeats) + steady):
        source, output = table(tmp_path, heading, repeats, steady=steady), tmp_path / "out.csv"
        roles = ("--qi", "age,sex", "--sensitive", "ill", option, heading)
        made = kproof("anonymize", source, *roles, "-o", str(output), "--force")
        file = output if made.status == 0 else Path(f"{output}.unsafe")
        ran = kproof("check", str(file), "--original", source, *roles)
        assert (ran.status, ran.err) == (made.status, ""), (heading, made.out, ran.out)
        Path(f"{output}.kproof.json").unlink(missing_ok=True)


@cases(
    ("nobody", True, None),
    ("two visits", False, 150),
    # Two of one name are one person where what is known of them is the same.
    ("namesakes", False, None),
    ("namesakes", True, 289),
    ("twenty", False, 20),
    ("some without", True, 210),
)
def test_the_rule(repeats, steady, people, tmp_path):
    frame = pd.read_csv(table(tmp_path, "who", repeats, steady=steady), dtype=str)
    known = Table.from_frame(frame, quasi_identifiers=["age", "sex"]).quasi_identifiers
    [who] = Table.from_frame(frame, quasi_identifiers=None, other=["who"]).other
    person = persons_among([who], ["who"], known)
    assert (person and len(person.values)) == people
