"""The version of kproof, apart so that whatever names it needs nothing else of the package."""

__version__ = "0.1.0"
