"""What pytest leaves out where an extra is not installed, and how hard a run looks.

Hypothesis draws a tenth of the examples that a test asks for, and 15 at least; ``nox -s nightly``
sets ``KPROOF_EXAMPLES`` to a larger factor. A failure that a night finds is kept as an
``@example`` of its test, which every run tries.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import suppress
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

# Their doctests import the libraries of the extra; tests/serve says that it is skipped.
collect_ignore_glob = [] if find_spec("fastapi") and find_spec("ibis") else ["src/kproof/serve/*"]

# How fast a machine is says nothing about a property, and 150 examples are what most of them need.
settings.register_profile("untimed", settings.default, deadline=None, max_examples=150)
settings.load_profile("untimed")

# A shell that forbids byte code makes each process of hundreds compile kproof and its libraries
# again, and pytest rewrite every assertion: a quarter of a command, half of collecting.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Processes of the suite are as many as processors. Threads of a library for matrices would be
# more, and wait for each other by spinning: a third of the time of products of 1,000 rows.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

SOURCE = Path(__file__).parent / "src"
LEAST = 15
FACTOR = Fraction(os.environ.get("KPROOF_EXAMPLES", "1/10"))


def keep_freed_memory() -> None:
    """Have the C library keep up to 256 MiB that was freed, for what is allocated next."""
    # A context of z3 takes 16 MiB and is freed after one question. Given back to the system each
    # time, that memory comes again page by page, which took two thirds of the time of a question.
    # The numbers are those of malloc.h of glibc; other C libraries have no mallopt, or ignore them.
    mallopt = getattr(ctypes.CDLL(None) if os.name == "posix" else None, "mallopt", None)
    if mallopt is not None:
        trim_threshold, mmap_threshold = -1, -3
        mallopt(mmap_threshold, 32 << 20)
        mallopt(trim_threshold, 256 << 20)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path,
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for doctests only where a text has a prompt."""
    collectors = yield
    # To find none, pytest takes every name of a module apart twice: a fifth of collecting.
    if file_path.suffix != ".py" or ">>>" in file_path.read_text(encoding="utf-8"):
        if collectors and file_path.is_relative_to(SOURCE):
            # By its package, as others import it: where pytest imports a module first, the package
            # imports it again, and there are two classes of one name.
            place = file_path.relative_to(SOURCE).with_suffix("").parts
            with suppress(ImportError):
                import_module(".".join(part for part in place if part != "__init__"))
        return collectors
    return [one for one in collectors if not isinstance(one, DoctestModule)]


def pytest_sessionstart() -> None:
    """Collect no garbage while tests are collected."""
    keep_freed_memory()
    # Collecting makes millions of objects that live as long as the process, and nearly no circle:
    # looking through them again and again took more than half of the time.
    gc.disable()


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Set how many examples each property has."""
    for test in {getattr(item, "function", None) for item in items}:
        asked: settings | None = getattr(test, "_hypothesis_internal_use_settings", None)
        if asked is not None:
            examples = max(int(asked.max_examples * FACTOR), min(asked.max_examples, LEAST))
            test._hypothesis_internal_use_settings = settings(asked, max_examples=examples)


def pytest_collection_finish() -> None:
    """Collect garbage again, but not among what was collected."""
    gc.enable()
    gc.freeze()
