"""Small files of people who move: eight people in two places of a street, for two slots of 60 s."""

from pathlib import Path

from kproof.models.moving.cell_files import cells_document
from kproof.models.moving.cells import GridCells

HERE, THERE = (37.7, -122.4), (37.75, -122.4)


def write_log(path: Path, people: int = 8, *, straying: bool = False, year: int = 2024) -> str:
    """Write a log: half of the people here, half there; the first strays in the second slot.

    The first slot may be in another year.
    """
    lines = ["user,lat,lon,time"]
    for slot in range(2):
        for person in range(people):
            lat, lon = HERE if person < people / 2 else THERE
            if straying and slot and not person:
                lat, lon = THERE
            lines.append(
                f"p{person},{lat},{lon},{2024 if slot else year}-05-01T08:0{slot}:{person % 60:02}Z"
            )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def write_cells(path: Path, metres: float = 500) -> str:
    """Write the cells of a grid."""
    path.write_text(cells_document(GridCells(metres)), encoding="utf-8")
    return str(path)
