"""Give every public name one place in the docs: where it is imported from.

The modules that define the names are documented too, on a page of their own. There the names are
left out, and whatever refers to them by their module, such as a type in a signature, leads to the
name in ``kproof``.
"""

import re

from docutils import nodes
from sphinx.util import logging

import kproof

PACKAGES = (kproof, kproof.models, kproof.theory)
PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in PACKAGES
    for name in module.__all__
}
HOMES = {f"{thing.__module__}.{name.rpartition('.')[2]}": name for name, thing in PUBLIC.items()}
# A package says where a name comes from, and may show what a module of it defines.
HOMES |= {
    f"{home}.{name}": f"{module.__name__}.{name}"
    for module in PACKAGES
    for name, home in module._HOMES.items()
}
HOMES |= {name: name for name in PUBLIC}
SHORT = {
    "Fraction": "fractions.Fraction",
    "NDArray": "numpy.typing.NDArray",
    "Path": "pathlib.Path",
    "np.bool_": "numpy.bool",
    "np.integer": "numpy.integer",
    "nx.Graph": "networkx.Graph",
    "sp.Expr": "sympy.core.expr.Expr",
    "sp.Symbol": "sympy.core.symbol.Symbol",
}
"""Names of other projects as signatures that are not evaluated have them."""
MODULES = "reference/python"
"""The page of modules. It does not have all of them, so its references may lead nowhere."""


def setup(app):
    """Connect what Sphinx asks."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-skip-member", left_out)
    app.connect("missing-reference", redirected)
    app.connect("html-page-context", led_back)
    # Before intersphinx asks.
    app.connect("missing-reference", spelled_out, priority=400)
    return {"parallel_read_safe": True}


def left_out(app, what, name, thing, skip, options):
    """Leave a public name out of the module that defines it."""
    public = what == "module" and any(thing is one for one in PUBLIC.values())
    return True if public else None


def public_name(target):
    """Return the public name that a reference means, with its member, or None."""
    words = target.split(".")
    for end in range(len(words), 0, -1):
        name = HOMES.get(".".join(words[:end]))
        if name is None and end == 1:
            called = (f"{module.__name__}.{words[0]}" for module in PACKAGES)
            name = next((place for place in called if place in PUBLIC), None)
        if name is not None:
            return ".".join([name, *words[end:]])
    return None


def redirected(app, env, node, content):
    """Resolve a reference by way of the module that defines a public name, or warn."""
    if node.get("refdomain") != "py":
        return None
    page, asked = node.get("refdoc", ""), node["reftarget"]
    target, found = public_name(asked), None
    if target is not None:
        domain, kind = env.domains["py"], node["reftype"]
        shown = content.astext()
        if shown.removesuffix("()") == asked:
            # What a reader sees is what can be imported.
            content = nodes.literal("", shown.replace(asked, target), classes=content["classes"])
        found = domain.resolve_xref(env, page, app.builder, kind, target, node, content)
    if found is None and asked.startswith("kproof.") and page != MODULES and written(node):
        message = "nothing in the docs is called %s"
        logging.getLogger(__name__).warning(message, asked, location=node)
    return found


def spelled_out(app, env, node, content):
    """Give a name of another project in full, for intersphinx."""
    if node.get("refdomain") == "py":
        node["reftarget"] = SHORT.get(node["reftarget"], node["reftarget"])


def written(node):
    """Whether somebody wrote a reference; a type in a signature is one too, but nobody wrote it."""
    return "refwarn" in node


def led_back(app, page, template, context, doctree):
    """Let the source of a module lead back to the page that documents each of its names.

    For Sphinx a module is documented under one name only: with some of its names in ``kproof`` and
    others in the module, half of the links would have an anchor that their page lacks.
    """
    if not page.startswith("_modules/"):
        return
    if page == "_modules/index":
        # Sphinx lists what it has no source of, such as built-in modules, as well.
        other = r'<li><a href="(?!kproof)[^"]*">.*?</a></li>'
        context["body"] = re.sub(other, "", context["body"])
        return
    module = page.removeprefix("_modules/").replace("/", ".")
    objects = app.env.domains["py"].objects

    def anchored(link):
        start, target, anchor = link.groups()
        words = anchor.split(".")
        rests = [".".join(words[at:]) for at in range(1, len(words))]
        homes = [*(package.__name__ for package in PACKAGES), module]
        names = [anchor, *(f"{home}.{rest}" for rest in rests for home in homes)]
        there = (name for name in names if name in objects and objects[name].docname == target)
        return f"{start}{target}.html#{next(there, anchor)}"

    back = r'(class="viewcode-back" href="(?:\.\./)*)([^"#]*)\.html#([^"]*)'
    context["body"] = re.sub(back, anchored, context["body"])
