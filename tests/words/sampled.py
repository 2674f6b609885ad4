"""The word about rows that were kept by coins."""

import json
import tempfile
from datetime import date
from pathlib import Path

import pytest
from positive import Positive
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


ROWS = (
    Positive(
        word="holds against everyone",
        printed_by="`kproof serve --sampled`: every answer about flows, and /health",
        modules=("kproof.theory.theorems.releases.sampled",),
        judged="Coins of the operating system were tossed for each person of a day when it was "
        "closed, what is answered is made of the cells that the file of cells has, each with k "
        "people or more, and the file is of this source, this k and this beta. Only the server's "
        "word says that there is no other such file, and no other answer.",
        mutant="a start with another k on the same file of cells",
        holds=lambda: _served("5"),
        turns=lambda: _served("6"),
        adversary="everyone, whatever she knows of other people, of the method and of k and beta",
    ),
    Positive(
        word="holds against everyone",
        printed_by="`kproof check --certificate`",
        modules=("kproof.models.tables.sampled.rechecking",),
        judged="The file is the one of the certificate, its columns show labels of its levels, no "
        "cell has fewer than k rows, the rows are not sorted, and every epsilon and delta follows "
        "from k and beta. Only the publisher's word says that coins were tossed.",
        mutant="a certificate that says a smaller k, or a smaller delta, than its numbers allow",
        holds=_judged,
        turns=lambda: _judged('"k": 2', '"k": 3'),
        adversary="everyone, whatever she knows of other rows, of the method and of k and beta",
    ),
)
