"""Sphinx configuration."""

import gc
import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

from sphinx.ext.napoleon import Config, GoogleDocstring

from kproof.report.calculator import calculator

# What Sphinx makes lives until it ends: looking for circles in it took a third of the time.
gc.disable()

sys.path.insert(0, str(Path(__file__).parent))

project = "kproof"
author = "The kproof maintainers"
version = release = installed_version("kproof")

extensions = [
    "mathml",
    "myst_parser",
    "public_names",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
html_math_renderer = "mathml"
# What is copied is what can be typed: no prompts, no output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["amsmath", "dollarmath", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
autosummary_generate = False
# A signature that is longer than a line has a line for each parameter.
python_maximum_signature_line_length = 100
# The reference names thousands of objects. In the tables of contents they hide its headings, and
# every page would copy them: with them the docs take twice as long to build.
toc_object_entries = False
# An entry may be about several parameters, and autodoc shows the attributes themselves.
docstring_style = Config(napoleon_use_param=False, napoleon_use_ivar=True)

# Names of other projects lead to their docs, and no build needs the network: an inventory that is
# fetched would let a build fail, or come out otherwise, with a site that does not answer. Each file
# lists the names that these pages use and no others, in the first, plain form of Sphinx's format:
# a name, its type, its page. `nox -s links` asks the sites whether each page and anchor is there.
intersphinx_mapping = {
    project: (site, f"inventories/{project}.inv")
    for project, site in {
        "networkx": "https://networkx.org/documentation/stable",
        "numpy": "https://numpy.org/doc/stable",
        "pandas": "https://pandas.pydata.org/docs",
        "polars": "https://docs.pola.rs/api/python/stable",
        "pyarrow": "https://arrow.apache.org/docs/python",
        "python": "https://docs.python.org/3",
        "sympy": "https://docs.sympy.org/latest",
    }.items()
}
intersphinx_disabled_reftypes = ["*:doc", "std:*"]

# What `nox -s links` does not ask for: servers on the reader's own machine, and names that only
# look like addresses.
linkcheck_ignore = [r"https?://(127\.0\.0\.1|localhost)", r"https?://www\.(pnml|w3)\.org/"]
linkcheck_timeout = 30
linkcheck_retries = 2

html_theme = "furo"
html_title = f"kproof {version}"


def setup(app):
    """Let docstrings be read as they are written, and write the page that is no document."""
    app.connect("autodoc-process-docstring", _keep_mathematics, priority=100)
    app.connect("autodoc-process-docstring", _read_sections)
    app.connect("autodoc-process-signature", _readable)
    app.connect("build-finished", _write_calculator)


def _write_calculator(app, exception):
    """Put the calculator beside the pages: made by what they document, whenever they are."""
    if exception is None and app.builder.format == "html":
        Path(app.outdir, "calculator.html").write_text(calculator(), encoding="utf-8")


def _readable(app, what, name, thing, options, signature, returned):
    """Let Sphinx read signatures whose defaults are no Python, such as ``<factory>``."""
    return signature and re.sub(r"= <[^<>]*>", "= ...", signature), returned


def _keep_mathematics(*about):
    """Bars and lone stars in prose are mathematics."""
    lines = about[-1]
    in_example = False
    for number, line in enumerate(lines):
        in_example = line.strip() != "" and (in_example or line.lstrip().startswith(">>>"))
        if not in_example:
            prose = line.split("``")
            prose[::2] = [re.sub(r"\||(?<=\s)\*(?=[\s,])", r"\\\g<0>", part) for part in prose[::2]]
            lines[number] = "``".join(prose)


def _read_sections(app, what, name, thing, options, lines):
    """Read Google's sections."""
    # Named what it is, a field or property would lose the start of a text with a colon to its type.
    read = GoogleDocstring(lines, docstring_style, app, "method", name, thing, options)
    lines[:] = read.lines()
