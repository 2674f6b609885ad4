"""Libraries that come with an extra: what to type where one is missing.

The core of kproof reads, publishes and judges tables. What else needs a large library asks for it
where it is used, and whoever has not installed it is told of the extra that their task needs.
"""

import sys
from collections.abc import Sequence
from itertools import dropwhile
from types import FrameType

EXTRAS = {
    "cvc5": ("audit",),
    "dask": ("cluster",),
    "distributed": ("cluster",),
    "dp_accounting": ("accounting",),
    "duckdb": ("engines", "serve"),
    "fastapi": ("serve",),
    "geopandas": ("geo",),
    "hypothesis": ("suite",),
    "ibis": ("engines", "serve"),
    "matplotlib": ("report", "nets", "places"),
    "mcp": ("serve",),
    "networkx": ("report", "theory", "nets", "places", "suite"),
    "numba": ("fast",),
    "pandas": ("suite",),
    "prometheus_client": ("serve",),
    "pyarrow": ("parquet", "engines", "cluster", "serve"),
    "scipy": ("report", "theory", "nets", "places", "suite"),
    "snakes": ("snakes",),
    "sympy": ("theory", "report"),
    "uvicorn": ("serve",),
    "z3": ("theory", "nets", "report"),
}
"""The extras that bring each library, by the name it is imported by; the first is the usual one."""

JOBS = {
    "kproof.cli.releases.report": "report",
    "kproof.cli.releases.verify": "suite",
    "kproof.cli.nets": "nets",
    "kproof.cli.shipped.serve": "serve",
    "kproof.cli.bounds": "theory",
    "kproof.report": "report",
    "kproof.serve": "serve",
    "kproof.cluster": "cluster",
    "kproof.proptests": "suite",
    "kproof.petri": "nets",
    "kproof.models.partitioned": "cluster",
    "kproof.models.tables.engines": "engines",
    "kproof.models.places": "places",
    "kproof.models.graphs": "places",
    "kproof.models.moving": "places",
    "kproof.theory": "theory",
}
"""The extra for the task of a room."""


def extra_for(library: str, modules: Sequence[str]) -> str:
    """Return the extra that brings a library to some modules, each called by the one before.

    The first that has a task decides: a report that asks theory for a bound needs all that a report
    needs.

    >>> extra_for("scipy", ["kproof.cli.app", "kproof.report.bounds", "kproof.theory.profiles"])
    'report'
    >>> extra_for("numba", ["kproof.theory.profiles"]), extra_for("scipy", [])
    ('fast', 'report')
    """
    for module in modules:
        for room, extra in JOBS.items():
            if f"{module}.".startswith(f"{room}.") and extra in EXTRAS[library]:
                return extra
    return EXTRAS[library][0]


class MissingLibraries:
    """Tells what to type when kproof imports a library that no other finder has.

    It stands behind all of them. Whoever else asks, such as a library that can do without another,
    is answered as if it were not there.
    """

    def find_spec(self, name: str, *_: object) -> None:
        """Raise MissingExtra if a module of kproof imports one of the libraries."""
        if name not in EXTRAS:
            return
        # Frames by hand: `inspect.stack` reads the source of every module on the way.
        modules: list[str] = []
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            modules.append(str(frame.f_globals.get("__name__", "")))
            frame = frame.f_back
        # The machinery of imports stands between this and whoever imports.
        modules = [*dropwhile(lambda module: module.startswith("importlib._"), modules)]
        if not modules or not modules[0].startswith("kproof."):
            return
        # Here, because this module runs with every `import kproof`, which is to cost nothing.
        from kproof.errors import MissingExtra

        raise MissingExtra(name, extra_for(name, modules[::-1]))


# At the end: it is asked only for what no other finder has.
sys.meta_path.append(MissingLibraries())
