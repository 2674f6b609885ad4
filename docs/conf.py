"""Sphinx configuration."""

import re
from importlib.metadata import version as installed_version

project = "kproof"
author = "The kproof maintainers"
version = release = installed_version("kproof")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["amsmath", "dollarmath", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
autosummary_generate = False
# The reference names thousands of objects. In the tables of contents they hide its headings, and
# every page would copy them: with them the docs take twice as long to build.
toc_object_entries = False
numpydoc_show_class_members = False

html_theme = "furo"
html_title = f"kproof {version}"


def setup(app):
    """Let docstrings be read as they are written: bars and lone stars in prose are mathematics."""
    app.connect("autodoc-process-docstring", _keep_mathematics, priority=100)


def _keep_mathematics(*about):
    lines = about[-1]
    in_example = False
    for number, line in enumerate(lines):
        in_example = line.strip() != "" and (in_example or line.lstrip().startswith(">>>"))
        if not in_example:
            prose = line.split("``")
            prose[::2] = [re.sub(r"\||(?<=\s)\*(?=[\s,])", r"\\\g<0>", part) for part in prose[::2]]
            lines[number] = "``".join(prose)
