"""Compiling inner loops: the one place that knows Numba.

Kernels are plain typed Python functions on NumPy arrays. Compiling one takes seconds and importing
Numba half a second, while a table of a hundred rows needs neither: its kernels are done within
milliseconds. So a kernel runs as it is written until it has had enough work in a process, and is
compiled from then on; machine code is kept on disk. Results are the same bit by bit. Numba comes
with the extra ``fast``: without it kernels go on as they are written, and a line says so.
"""

import sys
from collections.abc import Callable, Iterable
from functools import cache, cached_property, partial
from hashlib import sha256
from importlib.util import find_spec
from inspect import signature
from multiprocessing import parent_process
from os import makedirs
from os.path import isfile, join
from pathlib import Path
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from kproof.outputs.interruptions import defer_interrupts
from kproof.stages import stage

P = ParamSpec("P")
R = TypeVar("R")

PATIENCE = 1_000_000
"""Steps that a kernel takes uncompiled in a process: a second's worth, or two's.

That is about as long as it takes to load or compile a kernel. Whoever waits so long before
compiling never takes much more than twice the time that was needed, however much work comes.
"""


class Kernel(Generic[P, R]):
    """A function that is compiled once there is enough for it to do.

    Functions that it calls need no mark: they stay plain functions and are compiled with it.
    ``steps`` estimates how often its innermost loops are run, from those arguments of the function
    that it names; a step takes a microsecond or two uncompiled. ``modular`` says that integers are
    meant modulo 2^64. Otherwise an overflow, which machine code does not notice, is a warning while
    the function runs as it is written.
    """

    def __init__(
        self, plain: Callable[P, R], *, steps: Callable[..., int], modular: bool = False
    ) -> None:
        self.plain = plain
        self.__doc__ = plain.__doc__
        self._names = tuple(signature(plain).parameters)
        self._step_names = tuple(signature(steps).parameters)
        self._steps = steps
        self._modular = modular
        self._steps_taken = 0

    @cached_property
    def fast(self) -> Callable[P, R]:
        """The function as machine code, with strict IEEE arithmetic."""
        from numba import njit

        helpers = _helpers_of(self.plain)
        for helper in helpers:
            _let_kernels_call(helper)
        machine_code = njit(cache=True, nogil=True)(self.plain)
        _keep_code_by_content(machine_code, helpers)
        kernel: Callable[P, R] = machine_code
        return kernel

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function as it is written or compiled."""
        if self._steps_taken <= PATIENCE:
            arguments = {**dict(zip(self._names, args, strict=False)), **kwargs}
            self._steps_taken += int(self._steps(*(arguments[name] for name in self._step_names)))
        # What this call asks for is counted before it is done: one that is large enough is compiled
        # at once and not only the next.
        if self._steps_taken > PATIENCE and _can_compile():
            # Machine code may call Python for what it returns, and does not look whether that was
            # interrupted: it would go on without the object, and crash.
            with defer_interrupts():
                if "fast" not in vars(self):
                    self._compile(*args, **kwargs)
                return self.fast(*args, **kwargs)
        if not self._modular:
            return self.plain(*args, **kwargs)
        with np.errstate(over="ignore"):
            return self.plain(*args, **kwargs)

    def _compile(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Compile for arguments of these types, or load what was compiled for them."""
        with stage("compiling kernels, once", always=True):
            machine_code: Any = self.fast
            arguments = signature(self.plain).bind(*args, **kwargs).args
            # The first call would compile as well, but outside of the stage that says why somebody
            # waits.
            machine_code.compile(tuple(map(machine_code.typeof_pyval, arguments)))


def compile_kernel(
    *, steps: Callable[..., int], modular: bool = False
) -> Callable[[Callable[P, R]], Kernel[P, R]]:
    """Make a :class:`Kernel` of a function."""
    return partial(Kernel, steps=steps, modular=modular)


@cache
def _can_compile() -> bool:
    """Say whether Numba is installed; where it is not, whoever waits is told so, once."""
    if find_spec("numba") is not None:
        return True
    if parent_process() is None and sys.stderr is not None:
        # A stage without a name takes away what a terminal shows of the work.
        with stage("", always=True):
            print(f"kproof: {_UNCOMPILED}", file=sys.stderr, flush=True)
    return False


_UNCOMPILED = "kernels run as plain Python, which takes longer: pip install 'kproof[fast]'"


def _helpers_of(function: Any) -> tuple[FunctionType, ...]:
    """Return the functions of ours that a function calls, and those that they call."""
    helpers: dict[FunctionType, None] = {}
    pending = [function]
    while pending:
        calls = pending.pop()
        for name in calls.__code__.co_names:
            # Names of attributes are among them, such as shape; only a function of the module's can
            # be one.
            helper = calls.__globals__.get(name)
            if isinstance(helper, FunctionType) and helper not in helpers:
                helpers[helper] = None
                pending.append(helper)
    return tuple(helpers)


@cache
def _let_kernels_call(helper: FunctionType) -> None:
    from numba.extending import register_jitable

    register_jitable(helper)


def _keep_code_by_content(machine_code: Any, helpers: Iterable[FunctionType]) -> None:
    """Have machine code on disk belong to the text of all files that it is made from.

    Numba stamps what it keeps with the kernel's own file, although the code of helpers in other
    files is part of it. In a folder that ``NUMBA_CACHE_DIR`` names, the text also says where:
    checkouts and environments that are made anew find what was compiled for an older one.
    """
    from numba import __version__, config

    # NumPy's version decides types that the machine code has built in.
    digest = sha256(f"{__version__} {np.__version__}".encode())
    functions = (machine_code.py_func, *helpers)
    # A set has no order of its own, and another process has to come to the same digest.
    for file in sorted({function.__code__.co_filename for function in functions}):
        # What is typed into an interpreter is in no file.
        if isfile(file):
            digest.update(sha256(Path(file).read_bytes()).digest())
    cache_file = machine_code._cache._cache_file
    cache_file._source_stamp = digest.hexdigest()
    folder: str = getattr(config, "CACHE_DIR", "")
    if folder:
        cache_file._cache_path = join(folder, cache_file._source_stamp)
        cache_file._index_path = join(cache_file._cache_path, cache_file._index_name)
        makedirs(cache_file._cache_path, exist_ok=True)
