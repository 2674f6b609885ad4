"""Formulas as MathML, so that the docs are whole without a network.

Browsers draw MathML themselves; nothing is loaded, and formulas can be read aloud and copied.
"""

import re

from docutils import nodes
from latex2mathml.converter import convert

_SIZES = re.compile(r"\\(?:big|Big|bigg|Bigg)[lmr]?(?![a-zA-Z])")


def _inline(writer, node):
    writer.body.append(_written(node.astext(), "inline"))
    raise nodes.SkipNode


def _block(writer, node):
    # An anchor, where a page refers to the formula by its label.
    anchor = f' id="{node["ids"][0]}"' if node.get("ids") else ""
    formula = _written(node.astext(), "block")
    writer.body.append(f'<div class="math notranslate nohighlight"{anchor}>{formula}</div>\n')
    raise nodes.SkipNode


def _written(latex: str, display: str) -> str:
    """Return MathML; what LaTeX says of the size of brackets is left to the browser."""
    return convert(_SIZES.sub("", latex.strip()), display=display)


def setup(app):
    """Offer the renderer; ``html_math_renderer`` names it."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
