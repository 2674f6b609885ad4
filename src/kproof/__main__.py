"""``python -m kproof``: the command line without its script."""

import sys

from kproof.cli import main

if __name__ == "__main__":
    sys.exit(main())
