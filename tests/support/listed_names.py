"""The public names of kproof: those of the package, and of the modules that have more of them."""

import kproof

MODULES = (kproof, kproof.models, kproof.theory)
PUBLIC: dict[str, object] = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in MODULES
    for name in module.__all__
}
"""Each by the place that it is imported from."""
