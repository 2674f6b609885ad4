"""The word about rows that were kept by coins."""

import json
import tempfile
from datetime import date
from pathlib import Path

import pytest
from positive import either, rows
from shell import kproof

_CERTIFICATE = Path("out.csv.certificate.json")
_LEVELS = ("--person", "ID", "--levels", "Age=range:10")


def _judged(before: str = "", after: str = "") -> str:
    """Return what is printed of a release whose certificate was changed."""
    words = ("--k", "2", "--beta", "1/2", "--epsilon", "1", "-o", "out.csv")
    kproof("anonymize", "sampled", "table-1a", *_LEVELS, *words)
    _CERTIFICATE.write_text(_CERTIFICATE.read_text().replace(before, after))
    return kproof("check", "out.csv", "--certificate", str(_CERTIFICATE), columns=200).out


def _served(k: str) -> str:
    """Return what a service with k = 5, and then with k, says of its days; or that it refuses."""
    pytest.importorskip("ibis", reason="needs the extra serve")
    from kproof.errors import DataError
    from kproof.serve.sampled import prepare_sampled
    from kproof.serve.source import TollColumns, TollSource

    said = ""
    with tempfile.TemporaryDirectory() as folder:
        source, cells = (
            TollSource(TollColumns(vehicle="plate"), demo=300),
            str(Path(folder, "c.db")),
        )
        for least in ("5", k):
            try:
                flows = prepare_sampled(
                    source, cells, k=least, beta="1/2", today=lambda: date(2023, 1, 9)
                )
            except DataError as error:
                return str(error)
            flows.start()
            said = json.dumps(flows.answer(None, None, flows.least))
            flows.sealed.close()
    return said


ROWS = rows(
    "sampled",
    served=either(_served, ("5",), ("6",)),
    certificate=(_judged, lambda: _judged('"k": 2', '"k": 3')),
)
