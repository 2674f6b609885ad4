"""The command ``kproof`` as a whole: its commands, exit statuses and the one line of an error.

Statuses: 0 done, 1 a claim that was checked does not hold, 2 bad input (one line on stderr, nothing
else), 130 interrupted, 141 when the reader of the output went away. A traceback means a defect in
kproof.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError

from kproof import __version__
from kproof.errors import KProofError

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
    "anonymize": "A release of a table by one of the registered methods.",
    "check": "Whether a published table satisfies privacy models, with the worst class.",
    "attack": "What an adversary with background knowledge learns from a release.",
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
        status = app(tokens, result_action="return_value")
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
        sys.stderr.write("kproof: interrupted\n")
        return 130
    return int(status or 0)


def _refused(message: str) -> int:
    sys.stderr.write(f"kproof: {' '.join(message.split())}\n")
    return 2
