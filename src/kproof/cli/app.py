"""The command ``kproof`` as a whole: its commands, exit statuses and the one line of an error.

Statuses: 0 done, 1 a claim that was checked does not hold, 2 bad input (one line on stderr, nothing
else), 130 interrupted, 141 when the reader of the output went away. A traceback means a defect in
kproof.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from cyclopts import App, CycloptsError

from kproof import __version__
from kproof.errors import KProofError

_LONGEST = 1000
"""Characters of an error's line that are printed."""

app = App(
    name="kproof",
    help="Can this claim of anonymity be trusted? Bounds, exact values and reports.",
    version=f"kproof {__version__}",
    help_format="plaintext",
    print_error=False,
    exit_on_error=False,
    suppress_keyboard_interrupt=False,
)
for _name, _help in {
    "bound": "What Theorems 1 to 5 claim, what can be proved, and the exact value.",
    "exact": "The exact epsilon or delta of a law, with certified digits.",
    "design": "The smallest data, or strongest adversary, that meets a target.",
    "audit": "Every claim of the papers with its verdict and the evidence for it.",
    "anonymize": "A release of a table by one of the registered methods.",
    "check": "Whether a published table satisfies privacy models, with the worst class.",
    "attack": "What an adversary with background knowledge learns from a release.",
    "verify": "Whether an anonymizer keeps what it claims, with the smallest failing input.",
    "net": "Every run of a net: what can be published, who is disclosed, with a replayable trace.",
    "datasets": "The tables that come with kproof, or one of them as CSV.",
    "report": "One self-contained HTML page about your data.",
}.items():
    app.command(f"kproof.cli.{_name}:app", name=_name, help=_help)


def main(tokens: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    Parameters
    ----------
    tokens
        The words after ``kproof``; those of the process if None.

    Examples
    --------
    >>> main(["exact", "binomial", "--n", "2", "--p", "1/2", "--delta", "1"])
    Binomial(n=2, p=1/2), shift 1, direction both
    <BLANKLINE>
    delta   epsilon
    ───────────────
    1       0
    0
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with _long_integers():
            status = app(tokens, result_action="return_value")
        if sys.stdout is not None:
            sys.stdout.flush()
    except (KProofError, CycloptsError) as error:
        return _refused(str(error))
    except BrokenPipeError:
        # The interpreter flushes stdout once more at exit; give it somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        return _refused(f"{error.filename or 'output'}: {error.strerror or error}")
    except KeyboardInterrupt:
        _tell("interrupted")
        return 130
    return int(status or 0)


@contextmanager
def _long_integers() -> Iterator[None]:
    """Lift Python's limit on the digits of printed integers: exact input may have more."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def _refused(message: str) -> int:
    line = " ".join(message.split())
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST - 1]}…"
    _tell(line)
    return 2


def _tell(line: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"kproof: {line}\n")
