"""The word about rows that were kept by coins."""

from pathlib import Path

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


ROWS = (
    Positive(
        word="holds against everyone",
        printed_by="`kproof check --certificate`",
        modules=("kproof.models.tables.sampled.rechecking",),
        judged="The file is the one of the certificate, its columns show labels of its levels, no "
        "cell has fewer than k rows, the rows are not sorted, and every epsilon and delta follows "
        "from k and beta. Whether coins were tossed is the word of whoever published it.",
        mutant="a certificate that says a smaller k, or a smaller delta, than its numbers allow",
        holds=_judged,
        turns=lambda: _judged('"k": 2', '"k": 3'),
        adversary="everyone, whatever she knows of other rows, of the method and of k and beta",
    ),
)
