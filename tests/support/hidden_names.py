"""Names in a published file: whole, in notes, as addresses and numbers, or behind a digest."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_CONTACT = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w.])(?:\+\d{1,3}|0)\d{0,4}[ /-]?\(?\d{2,4}\)?(?:[ /-]?\d{2,4}){1,4}(?!\w)"
    r"|\b(?:Mrs?|Ms|Dr|Herrn?|Frau|Mme|Mlle|Sra?|Doña)\.? [A-ZÀ-Þ][\w'’-]+"
)


def names_in(cells: set[str], names: Sequence[Sequence[str]]) -> set[str]:
    """Return addresses, numbers and names in any cell, also inside sets and sentences."""
    known = {part for row in names for cell in row for part in (cell, *re.split(r"[\s,]+", cell))}
    # Digits are everywhere, and so are short words.
    known = {
        part
        for part in known
        if len(part) >= (2 if _HAN.search(part) else 8 if re.search(r"\d", part) else 4)
    }
    by_start = defaultdict(list)
    for name in known:
        if _HAN.search(name) or not _WORD.fullmatch(name):
            by_start[name[:2]].append(name)
    hits = set()
    for cell in cells:
        contacts = [hit[0] for hit in _CONTACT.finditer(cell)]
        hits |= {hit for hit in contacts if re.search("[^0-9.-]", hit) or len(hit) > 10}
        hits |= known & set(_WORD.findall(cell))
        starts = {cell[at : at + 2] for at in range(len(cell) - 1)} & by_start.keys()
        hits |= {name for start in starts for name in by_start[start] if name in cell}
    return hits


def digests(cells: Sequence[str], names: Sequence[Sequence[str]]) -> np.ndarray | None:
    """Return whose cells they are, people as rows, if they are digests or initials of names."""
    shapes = {len(cell) for cell in cells}
    hexes = all(re.fullmatch(r"[0-9a-fA-F]{6,}", cell) for cell in cells)
    if not names or len(shapes) != 1 or not (hexes or min(map(str.isupper, cells))):
        return None
    low, made = np.array([cell.lower() for cell in cells]), {}
    for row in names:
        for text in row:
            makers = (hashlib.md5, hashlib.sha1, hashlib.sha256) if hexes else ()
            texts = {
                maker(plain.encode()).hexdigest()
                for maker in makers
                for plain in (text, text.lower())
            }
            initials = "".join(part[0] for part in text.lower().split())
            made[text] = {full[: len(cells[0])] for full in texts or {initials}}
    everybody = set().union(*made.values())
    if sum(cell in everybody for cell in low) < 0.9 * len(low):
        return None
    whose = [np.isin(low, list(set().union(*(made[text] for text in row)))) for row in names]
    return np.array(whose) | ~np.isin(low, list(everybody))
