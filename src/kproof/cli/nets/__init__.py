"""The command ``net``: nets of the papers, and those of a file."""
