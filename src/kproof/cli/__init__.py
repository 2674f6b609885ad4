"""The command line: one module per command, light to import, work done in the layers below.

Commands stand in rooms by what they are about. A room imports no other, a command no command:
what commands of one room share is below them in it, what rooms share is in ``base``.
"""

from kproof.cli.app import main

__all__ = ["main"]
