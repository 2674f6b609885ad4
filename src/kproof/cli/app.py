"""The command ``kproof`` as a whole: its commands, exit statuses and the one line of an error.

Statuses: 0 done; 1 something that was judged does not hold; 2 bad input, more than the machine's
memory holds, or an extra that is missing; 3 a fault of kproof itself; 4 nothing that was judged
fails, but the question is not answered; 130 interrupted; 141 when the reader of the output went
away. With 2, 3 and 130 there is one line on stderr and nothing else. Nobody is shown a traceback;
the environment variable ``KPROOF_TRACEBACK`` names a new file in which that of a fault is kept.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import TYPE_CHECKING, Literal, NoReturn

from cyclopts import App, CycloptsError, MissingArgumentError, UnknownOptionError

from kproof.cli.base.apart import TYPED, be_apart, send
from kproof.cli.base.commands import COMMANDS, epilogue
from kproof.cli.base.options import as_typed, in_options, of_missing, of_others
from kproof.cli.base.printing import ExitStatus
from kproof.cli.base.waiting import status_line, tell
from kproof.errors import DataError, InvalidArgument, KProofError, MissingExtra, speak
from kproof.outputs import nowhere, standard_output, write_new
from kproof.outputs.printed import STREAM
from kproof.piped import standard_input
from kproof.stages import listen
from kproof.version import __version__

if TYPE_CHECKING:
    from cyclopts.help import HelpPanel
    from rich.console import Console, ConsoleOptions

_LONGEST = 1000
"""Characters of an error's line that are printed."""

TRACEBACK = "KPROOF_TRACEBACK"
"""The environment variable that names a file for the traceback of a fault."""


class HelpPages:
    """Prints help pages as cyclopts does, but that lines of a docstring are no lines of a page."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Print a panel."""
        from cyclopts.help import DefaultFormatter, InlineText
        from rich.text import Text

        for entry in panel.entries:
            about = entry.description
            if isinstance(about, InlineText) and isinstance(about.primary_renderable, Text):
                about.primary_renderable = Text(" ".join(about.primary_renderable.plain.split()))
        DefaultFormatter()(console, options, panel)

    def render_usage(self, console: Console, options: ConsoleOptions, usage: object) -> None:
        """Print the line of usage."""
        from cyclopts.help import DefaultFormatter

        DefaultFormatter().render_usage(console, options, usage)


app = App(
    name="kproof",
    help="Is this table safe to publish? Does this anonymizer keep its promise?",
    version=f"kproof {__version__}",
    help_format="plaintext",
    help_formatter=HelpPages(),
    print_error=False,
    exit_on_error=False,
    suppress_keyboard_interrupt=False,
)
for _name, _command in COMMANDS.items():
    # What has commands below it is an app, whose help page ends as it says itself.
    _end = {} if _command["target"].endswith(":app") else {"help_epilogue": epilogue(_name)}
    if _command["target"]:
        app.command(_command["target"], name=_name, help=_command["help"], **_end)


@app.command(help=COMMANDS["completion"]["help"], help_epilogue=epilogue("completion"))
def completion(shell: Literal["bash", "zsh", "fish"], /) -> None:
    """Print a script that completes kproof's commands and options.

    Save it where the shell looks for such scripts, and begin a new shell.

    Args:
        shell: bash, zsh or fish.
    """
    print(app.generate_completion(prog_name="kproof", shell=shell).rstrip("\n"))


def main(tokens: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    ``tokens`` are the words after ``kproof``; those of the process if None.

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
    status, line = _attempt(list(sys.argv[1:] if tokens is None else tokens))
    if line:
        tell(line)
    return status


def answer_apart(answers: int, parent: int, words: list[str]) -> NoReturn:
    """Run one command for the process that started this one, and tell it what came of it.

    It is told of stages and of the answer, through a pipe: see :mod:`kproof.cli.base.apart`.
    """
    from kproof.models.frontier.worker import end_with

    end_with(parent)
    # What the code starts must not hold the pipe: its end says that this process has ended.
    os.set_inheritable(answers, False)
    be_apart()

    def hear(name: str, done: int, total: int | None) -> None:
        send(answers, {"stage": name, "done": done, "total": total})

    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err, listen(hear):
        status, line = _attempt(words)
    printed = {"out": out.getvalue(), "err": err.getvalue()}
    send(answers, {"status": int(status), "line": line, **printed})
    # Whatever threads there are.
    os._exit(0)


def _attempt(words: list[str]) -> tuple[int, str]:
    """Run one command; return its exit status, and the line of its error or nothing."""
    typed = TYPED.set(tuple(words))
    try:
        with (
            speak(as_typed),
            status_line(words),
            _long_integers(),
            standard_input(),
            standard_output(),
        ):
            status = app(_with_streams(_with_file(words)), result_action="return_value")
        if sys.stdout is not None:
            sys.stdout.flush()
    except SystemExit as end:
        # Whoever prints help ends with 1, an answer of ours, where nobody reads it any more.
        if isinstance(end.__context__, BrokenPipeError):
            return 141, ""
        raise
    # The next three are told with options, and would be caught as KProofError or CycloptsError
    # below.
    except InvalidArgument as error:
        return ExitStatus.REFUSED, _line(in_options(error, app, words))
    except MissingArgumentError as error:
        return ExitStatus.REFUSED, _line(of_missing(error))
    except UnknownOptionError as error:
        return ExitStatus.REFUSED, _line(of_others(error, app, words))
    except (KProofError, MissingExtra, CycloptsError) as error:
        return ExitStatus.REFUSED, _line(str(error))
    except BrokenPipeError:
        _discard_output()
        return 141, ""
    except OSError as error:
        with suppress(AttributeError):
            # What cannot be written would fail once more when the interpreter flushes at its end.
            try:
                sys.stdout.flush()
            except OSError:
                _discard_output()
        return ExitStatus.REFUSED, _line(f"{error.filename or 'output'}: {error.strerror or error}")
    except KeyboardInterrupt:
        return 130, "interrupted"
    except MemoryError:
        line = "the memory does not suffice: need less data, or a machine with more of it"
        return ExitStatus.REFUSED, line
    except BaseException as error:
        # Whatever else there is, errors of libraries that are no Exception among it.
        return ExitStatus.DEFECT, _fault(error)
    finally:
        TYPED.reset(typed)
    return int(status or ExitStatus.DONE), ""


def _with_file(words: Sequence[str]) -> Sequence[str]:
    """Return words with the options of a file that one of them names: kproof serve has such."""
    if words[:1] != ["serve"]:
        return words
    from kproof.cli.shipped.serve import with_file

    return ["serve", *with_file(words[1:])]


_TO_FILES = ("-o", "--output", "--html")
"""Options after which a hyphen is standard output."""


def _with_streams(words: Sequence[str]) -> list[str]:
    """Return words with ``-`` for a file as a word that is not read as an option.

    After any other option it is left as it is: ``--missing -`` would be about a cell.

    >>> _with_streams(["check", "-", "--missing", "-", "-o", "-"])
    ['check', '<->', '--missing', '-', '-o', '<->']
    """
    before = ("", *words)
    return [
        STREAM if word == "-" and (not last.startswith("-") or last in _TO_FILES) else word
        for last, word in zip(before, words, strict=False)
    ]


@contextmanager
def _long_integers() -> Iterator[None]:
    """Lift Python's limit on the digits of printed integers: exact input may have more."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def _discard_output() -> None:
    """Give what is left of the output somewhere to go: the interpreter flushes it at exit."""
    with suppress(AttributeError, OSError, ValueError), nowhere() as sink:
        os.dup2(sink.fileno(), sys.stdout.fileno())


def _fault(error: BaseException) -> str:
    """Return the line of an error that is nobody's but kproof's."""
    if isinstance(error, RecursionError):
        fault = "something is nested too deeply for it"
    else:
        fault = "".join(traceback.format_exception_only(error))
    return f"a fault of kproof itself, {_line(fault)} ({_place(error)}); {_keep_traceback(error)}"


def _place(error: BaseException) -> str:
    """Return the innermost place of ours that an error came through."""
    package = os.path.dirname(os.path.dirname(__file__))
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if frame.filename.startswith(package)] or frames
    if not inside:
        return "no place"
    return f"{os.path.relpath(inside[-1].filename, package)}, line {inside[-1].lineno}"


def _keep_traceback(error: BaseException) -> str:
    """Write the traceback to the file that was asked for; return what became of it."""
    path = os.environ.get(TRACEBACK)
    if not path:
        return f"{TRACEBACK}=FILE saves the traceback for a report"
    about = f"kproof {__version__}, Python {sys.version}, {sys.platform}\n{sys.argv}\n"
    try:
        write_new(path, _without_secrets(about + "".join(traceback.format_exception(error))))
    except DataError as refused:
        return f"the traceback is not saved: {_line(str(refused))}"
    return f"its traceback is in {path}"


def _line(message: str) -> str:
    line = " ".join(_without_secrets(message).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _without_secrets(text: str) -> str:
    """Return a text without what may be a secret of an address that was typed."""
    addresses = [word for word in TYPED.get() if "=" in word or "://" in word]
    if addresses:
        from kproof.models.tables.engines.opening import without_password

        for address in addresses:
            text = text.replace(address, without_password(address))
    return text
