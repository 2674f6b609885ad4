"""Names in a published file: whole, in notes, as addresses and numbers, or behind a digest."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

_HAN = re.compile(r"[\u4e00-\u9fff]")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(
    r"(?<![\w.])(?:\+\d{1,3}|0)\d{0,4}[ /-]?\(?\d{2,4}\)?(?:[ /-]?\d{2,4}){1,4}(?!\w)"
)
_TITLE = re.compile(r"\b(?:Mrs?|Ms|Dr|Herrn?|Frau|Mme|M|Mlle|Sra?|Do[nñ]a?)\.? ([A-ZÀ-Þ][\w'’-]+)")


@dataclass(frozen=True)
class Token:
    """A text in a cell that names somebody."""

    row: int
    column: str
    text: str
    kind: str


def tokens(
    header: Sequence[str], rows: Sequence[Sequence[str]], names: Sequence[Sequence[str]]
) -> list[Token]:
    """Return addresses, numbers and names in any cell, also inside sets and sentences."""
    known = {
        part
        for cells in names
        for cell in cells
        for part in (cell, *re.split(r"[\s,]+", cell))
        if len(part) >= _least(part)
    }
    words = {name for name in known if re.fullmatch(r"[^\W\d_][\w'’-]*", name)}
    longer: dict[str, list[str]] = defaultdict(list)
    for name in known - words | {name for name in words if len(name) < 4 or _HAN.search(name)}:
        longer[name[:2]].append(name)
    seen: dict[tuple[str, str], Token] = {}
    for index, row in enumerate(rows):
        for column, cell in zip(header, row, strict=True):
            if (column, cell) in seen or len(cell) < 2:
                continue
            hits = [(hit[0], "mail") for hit in _MAIL.finditer(cell)]
            hits += [(hit[0], "phone") for hit in _PHONE.finditer(cell) if _dialled(hit[0])]
            hits += [(hit[1], "title") for hit in _TITLE.finditer(cell)]
            hits += [(w, "name") for w in set(re.findall(r"[^\W\d_][\w'’-]*", cell)) & words]
            starts = {cell[at : at + 2] for at in range(len(cell) - 1)} & longer.keys()
            hits += [(name, "name") for at in starts for name in longer[at] if name in cell]
            for text, kind in hits:
                seen[column, cell] = Token(index, column, text, kind)
    return list(seen.values())


def _least(part: str) -> int:
    """Return how long a text is that is nobody else's by chance: digits are everywhere."""
    return 2 if _HAN.search(part) else 8 if re.search(r"\d", part) else 4


def _dialled(text: str) -> bool:
    return 8 <= len(re.sub(r"\D", "", text)) <= 15 and not re.fullmatch(r"[\d.-]{10}", text)


@dataclass(frozen=True)
class Owners:
    """Cells as they were published, and what each row of the roster would have there."""

    cells: list[str]
    forms: list[set[str]]


def named_by_digest(cells: Sequence[str], names: Sequence[Sequence[str]]) -> Owners | None:
    """Return whose cells they are if nine of ten are digests or initials of what is known."""
    shapes = {len(cell) for cell in cells}
    if not names or len(shapes) != 1:
        return None
    wide = shapes.pop()
    hexes = wide >= 6 and all(re.fullmatch(r"[0-9a-f]+", cell.lower()) for cell in cells)
    if not hexes and not all(re.fullmatch(r"[A-Z]{2,3}\d*", cell) for cell in cells):
        return None
    forms = []
    for row in names:
        made: set[str] = set()
        for text in row:
            if hexes:
                for plain in (text, text.lower()):
                    for maker in (hashlib.md5, hashlib.sha1, hashlib.sha256):
                        made.add(maker(plain.encode()).hexdigest()[:wide])
            else:
                made.add("".join(part[0] for part in text.split() if part).upper())
        forms.append(made)
    everybody = set().union(*forms)
    low = [cell.lower() for cell in cells] if hexes else list(cells)
    hit = sum(cell in everybody for cell in low)
    return Owners(low, forms) if hit >= 0.9 * len(cells) else None
