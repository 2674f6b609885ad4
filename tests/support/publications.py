"""Columns of a published file, by the cells that it shows or by their codes."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from kproof.models.judgement.publication import ColumnKnowledge, PublishedColumn

KNOWN, SECRET, BOTH = ColumnKnowledge.KNOWN, ColumnKnowledge.SECRET, ColumnKnowledge.BOTH


def column(
    knowledge: ColumnKnowledge, name: str, cells: Sequence[Any], *, numeric: bool = False
) -> PublishedColumn:
    """Return a column that shows these cells, ``None`` being a gap."""
    texts = tuple(dict.fromkeys(str(cell) for cell in cells if cell is not None))
    place = {text: code for code, text in enumerate(texts)}
    codes = np.array([-1 if cell is None else place[str(cell)] for cell in cells], dtype=np.int64)
    numbers = tuple(map(Fraction, texts)) if numeric else None
    return PublishedColumn(name, knowledge, codes, texts, numbers)


known, secret = partial(column, KNOWN), partial(column, SECRET)


def coded(
    name: str, knowledge: ColumnKnowledge, codes: np.ndarray, *, text: str = "{name}{code}"
) -> PublishedColumn:
    """Return a column that shows the texts of its codes."""
    codes = codes.astype(np.int64)
    texts = tuple(text.format(name=name, code=code) for code in range(codes.max() + 1))
    return PublishedColumn(name, knowledge, codes, texts)
