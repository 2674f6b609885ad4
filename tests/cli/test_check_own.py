"""What the safe path publishes, ``kproof check`` finds so as well beside the original."""

import csv
import random
from pathlib import Path

from cases import cases
from shell import kproof, printed, typed

SEX_AND_TOWN = ("--qi", "age,sex,town")


def table(folder: Path, people: int = 300, visits: int = 1) -> str:
    """Write a table with exact numbers, ages on both sides of a cut, two bad cells, some empty."""
    draw = random.Random(7)
    lines = ["name,age,sex,town,hobby,ill,pay"]
    for who in range(people):
        known = f"N{who},{draw.randint(20, 60)},{draw.choice('fm')},{draw.choice('UVW')}"
        known += f",{draw.choice('NS')}way{draw.choice('abcdefgh')}{draw.randint(10, 30)}"
        for _ in range(visits):
            ill = draw.choice(["flu", "gout", "HIV", "burn"])
            lines.append(f"{known},{ill},{draw.randint(20_000, 90_000) / 10}")
    for row, bad in (
        (5, "flu of Ann Lee"),
        (9, "a@b.org"),
        *((at, "") for at in range(30, 300, 45)),
    ):
        cells = lines[row].split(",")
        lines[row] = ",".join([*cells[:5], bad, cells[6]])
    source = folder / "source.csv"
    source.write_text("\n".join(lines))
    return str(source)


@cases(
    (1, (*SEX_AND_TOWN, "--sensitive", "ill", "--drop", "name,pay,hobby")),
    (1, (*SEX_AND_TOWN, "--sensitive", "ill,pay", "--identifier", "name", "--drop", "hobby")),
    # Hobbies are published in levels that nobody asked for.
    (1, ("--qi", "sex,hobby", "--sensitive", "ill", "--drop", "name,town,pay,age")),
    (1, typed("--qi sex --other age --sensitive ill --drop name,town,pay,hobby")),
    (1, (*SEX_AND_TOWN, *typed("--both ill --sensitive pay --identifier name --drop hobby"))),
    (3, (*SEX_AND_TOWN, "--sensitive", "ill,pay", "--person", "name", "--drop", "hobby")),
    # Nothing known is left, and the file shows no column that names people.
    (12, (*SEX_AND_TOWN, "--sensitive", "ill", "--person", "name", "--drop", "pay,hobby")),
)
def test_green_is_green_beside_the_original(visits, roles, tmp_path):
    source, output = table(tmp_path, 300 if visits < 12 else 60, visits), str(tmp_path / "out.csv")
    printed("anonymize", source, *roles, "-o", output)
    printed("check", output, "--original", source, *roles)
    # Without its receipt nobody knows how rows were put in order.
    Path(f"{output}.kproof.json").unlink()
    assert "not decided" in printed("check", output, "--original", source, *roles, status=4)


def test_a_file_that_another_step_or_cell_made_is_not_decided(tmp_path):
    source, output = table(tmp_path), tmp_path / "out.csv"
    roles = (*SEX_AND_TOWN, "--sensitive", "ill,pay", "--identifier", "name", "--drop", "hobby")
    assert kproof("anonymize", source, *roles, "-o", str(output)).status == 0
    Path(f"{output}.kproof.json").unlink()
    header, *rows = csv.reader(output.read_text().splitlines())
    for change in ("other", "flu", "pay"):
        cells = [list(row) for row in rows]
        row = next(at for at, row in enumerate(cells) if change in (row[3], "pay"))
        cells[row][3 + (change == "pay")] = "20" if change == "pay" else "gout"
        output.write_text(
            "\n".join(map(",".join, [header, *([f'"{c}"' for c in r] for r in cells)]))
        )
        ran = kproof("check", str(output), "--original", source, *roles, columns=300)
        assert "rows of the file" in ran.out, change
        assert ran.status != 0
