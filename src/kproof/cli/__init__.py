"""The command line: one module per command, light to import, work done in the layers below."""

from kproof.cli.app import main

__all__ = ["main"]
