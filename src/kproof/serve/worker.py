"""One command in a process with limits: ``kproof.serve.worker BYTES SECONDS FOLDER COMMAND``.

The limits are the process's own; where the system knows no such limits there are none. Its input is
a pipe whose other end the server holds: first a line of JSON with the size of each file by name,
then the files, for a folder that the process makes. When the other end is gone, so is the server:
the process ends, and with it the folder.
"""

import json
import os
import sys
from runpy import run_module
from threading import Thread

from kproof.datasets.limits import limit_process
from kproof.outputs import make_scratch, remove_scratch, scratch

_PART = 1 << 16


def receive_files(folder: str) -> bool:
    """Make a folder of the files that come first; return whether they came whole."""
    make_scratch(folder)
    # Not through sys.stdin, whose lock the interpreter wants when it ends.
    with open(0, "rb", closefd=False) as pipe:
        line = pipe.readline()
        # A first line that was cut off stands for a file that never comes whole.
        sizes = json.loads(line) if line.endswith(b"\n") else {"none": 1}
        for name, size in sizes.items():
            with scratch(os.path.join(folder, name)) as file:
                while size and (part := pipe.read(min(size, _PART))):
                    size -= file.write(part)
            if size:
                return False
    return True


def end_with_the_server(folder: str) -> None:
    """Wait until nobody holds the other end of the input, then remove the folder and end."""
    while os.read(0, 1):
        pass
    remove_scratch(folder)
    # Not `sys.exit`, which ends nothing but this thread.
    os._exit(1)


def main() -> None:
    """Run the command under its limits, as ``python -m kproof`` does."""
    limit_process(int(sys.argv[1]), int(sys.argv[2]))
    if not receive_files(sys.argv[3]):
        remove_scratch(sys.argv[3])
        return
    Thread(target=end_with_the_server, args=[sys.argv[3]], daemon=True).start()
    os.chdir(sys.argv[3])
    # Messages quote the words of the command alone.
    del sys.argv[1:4]
    run_module("kproof", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
