"""``kproof completion``: a script that completes commands and options in a shell."""

from __future__ import annotations

from typing import Literal

from cyclopts import App

from kproof.cli.examples import epilogue

app = App(name="completion", help_epilogue=epilogue("completion"))


@app.default
def completion(shell: Literal["bash", "zsh", "fish"], /) -> None:
    """Print a script that completes kproof's commands and options.

    Save it where the shell looks for such scripts, and begin a new shell.

    Args:
        shell: bash, zsh or fish.
    """
    from kproof.cli.app import app as whole

    print(whole.generate_completion(prog_name="kproof", shell=shell).rstrip("\n"))
