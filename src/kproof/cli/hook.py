"""The hook of ``.pre-commit-hooks.yaml``: no table that fails ``kproof check`` is committed.

pre-commit adds the names of changed files to the arguments of the hook. ``--`` ends the options of
``kproof check`` and begins the files; each file is judged by itself.
"""

import sys
from collections.abc import Sequence

from kproof.cli.app import main as kproof

_ASKS = ("--k", "--l", "--entropy-l", "--t", "--beta", "--enhanced-beta", "--delta", "--p")
"""What asks a question that a table can fail. Without it the command only says what holds."""
_HOW = "args: [--qi, 'age,zip', --sensitive, disease, --k, '5', --]"


def main(words: Sequence[str] | None = None) -> int:
    """Check each file and return the worst status: 0 if every table holds.

    The status is that of ``kproof check``: 1 if a model fails, 4 if something was not judged, 2 if
    the question was wrong. A file that could not be judged is not committed.
    """
    arguments = list(sys.argv[1:] if words is None else words)
    cut = arguments.index("--") if "--" in arguments else None
    asks = [] if cut is None else arguments[:cut]
    if cut is None or not any(word.partition("=")[0] in _ASKS for word in asks):
        sys.stderr.write(f"kproof: the hook needs a model and -- at its end, such as {_HOW}\n")
        return 2
    worst = 0
    for file in arguments[cut + 1 :]:
        print(f"{file}:", flush=True)
        # A file of that name is no option, whatever its name begins with.
        worst = max(worst, int(kproof(["check", file if file[:1] != "-" else f"./{file}", *asks])))
    return worst


if __name__ == "__main__":
    sys.exit(main())
