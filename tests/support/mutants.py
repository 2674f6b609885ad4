"""How many faults of a module do tests notice? Faults are planted one by one, in forks of pytest.

    python tests/support/mutants.py theory/losses/several_laws.py \\
        --tests tests/theory/losses/test_several_laws.py --mutants 40 --out after.json

Tests are collected once. Each is run once to see which functions of the modules it calls; then
each mutant is put into a live function of a fork, which runs the tests that call it, the fastest
first, up to the first failure. ``--only after.json`` tries again what survived there, as tests of
another state of the repository see it.
"""

import argparse
import ast
import copy
import gc
import json
import os
import random
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any

import pytest

SECONDS = 300
"""Of processor time for a mutant: what loops for ever is noticed.

It is more than the tests of a module take: with less, a survivor would pass for killed.
"""
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip


def change(node: ast.AST) -> bool:
    """Plant a fault in a node; return False where there is none to plant."""
    match node:
        case ast.Compare(ops=[op, *others]) if type(op) in COMPARED:
            node.ops = [COMPARED[type(op)](), *others]
        case ast.BinOp(op=op) if type(op) in COMPUTED:
            node.op = COMPUTED[type(op)]()
        case ast.BoolOp(op=op):
            node.op = ast.Or() if isinstance(op, ast.And) else ast.And()
        case ast.Constant(value=bool() as truth):
            node.value = not truth
        case ast.Constant(value=int() as number):
            node.value = number + 1
        case ast.IfExp(body=body, orelse=otherwise):
            node.body, node.orelse = otherwise, body
        case ast.If(test=test) | ast.While(test=test):
            node.test = ast.UnaryOp(ast.Not(), test)
        case _:
            return False
    return True


def codes(code: CodeType) -> Iterator[CodeType]:
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            yield from codes(part)


class Mutants:
    """A plugin of pytest that runs no test but in forks."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked = asked
        self.seen: dict[str, bool] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        gc.unfreeze()
        paths = {str(Path(path).resolve()): path for path in self.asked.modules}
        live: dict[Any, list[FunctionType]] = defaultdict(list)
        for each in gc.get_objects():
            if isinstance(each, FunctionType):
                code = each.__code__
                file = str(Path(code.co_filename).resolve())
                if file in paths:
                    live[file, code.co_qualname, code.co_firstlineno].append(each)
        calls = in_a_fork(lambda: self.callers(session.items))
        items = {item.nodeid: item for item in session.items}
        for name, place, file, key, fault in self.drawn(paths, live, calls):
            here = [items[test] for test, _ in sorted(calls[repr(key)], key=lambda pair: pair[1])]
            killed = in_a_fork(partial(self.noticed, file, key, place, live[key], here), True)
            self.seen[name] = bool(killed)
            print(name, fault, "killed" if killed else "SURVIVED", flush=True)
        print(f"{sum(self.seen.values())} of {len(self.seen)} killed")
        if self.asked.out:
            Path(self.asked.out).write_text(json.dumps(self.seen), encoding="utf-8")
        return True

    def callers(self, items: list[pytest.Item]) -> dict[str, list[tuple[str, float]]]:
        """Return the tests that call each function, and how long they take."""
        wanted = {str(Path(path).resolve()) for path in self.asked.modules}
        resolved: dict[str, str] = {}
        called: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for item in items:
            keys: set[Any] = set()

            def trace(frame: Any, event: str, _: Any, keys: set[Any] = keys) -> None:
                code = frame.f_code
                name = code.co_filename
                if name not in resolved:
                    resolved[name] = str(Path(name).resolve())
                if event == "call" and resolved[name] in wanted:
                    keys.add((resolved[name], code.co_qualname.partition(".<locals>")[0]))

            start = time.process_time()
            sys.setprofile(trace)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            sys.setprofile(None)
            for key in keys:
                called[repr(key)].append((item.nodeid, time.process_time() - start))
        return called

    def drawn(self, paths: Any, live: Any, calls: Any) -> Iterator[tuple[Any, ...]]:
        """Yield what is planted: a name, its place in the function, and in which one."""
        every = []
        for file, path in paths.items():
            for function, qualified in functions(ast.parse(Path(file).read_text(encoding="utf-8"))):
                key = next((k for k in live if k[:2] == (file, qualified)), None)
                if key is None or repr((file, qualified)) not in calls:
                    continue
                for place, node in enumerate(ast.walk(function)):
                    if change(copy.deepcopy(node)):
                        fault = f"line {getattr(node, 'lineno', 0)} {type(node).__name__}"
                        every.append((f"{path}:{qualified}:{place}", place, file, key, fault))
        for key in {one[3] for one in every}:
            calls[repr(key)] = calls[repr(key[:2])]
        if self.asked.only:
            survived = json.loads(Path(self.asked.only).read_text(encoding="utf-8"))
            yield from (one for one in every if survived.get(one[0]) is False)
        else:
            number = min(self.asked.mutants, len(every))
            yield from random.Random(self.asked.seed).sample(every, number)

    def noticed(self, file: str, key: Any, place: int, live: Any, items: list[pytest.Item]) -> bool:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        tree = ast.parse(Path(file).read_text(encoding="utf-8"))
        (function,) = (node for node, name in functions(tree) if name == key[1])
        change(list(ast.walk(function))[place])
        whole = compile(ast.fix_missing_locations(tree), file, "exec")
        mutated = next(
            code for code in codes(whole) if (code.co_qualname, code.co_firstlineno) == key[1:]
        )
        for each in live:
            each.__code__ = mutated
        reports: list[Any] = []
        for item in items:
            reporter = SimpleNamespace(
                pytest_runtest_logreport=lambda report: reports.append(report)
            )
            item.config.pluginmanager.register(reporter, "mutants-reporter")
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            item.config.pluginmanager.unregister(name="mutants-reporter")
            if any(report.failed for report in reports):
                return True
        return False


def functions(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield the functions of a module and of its classes, with their names."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node, node.name
        elif isinstance(node, ast.ClassDef):
            yield from ((each, f"{node.name}.{each.name}")
                        for each in node.body if isinstance(each, ast.FunctionDef))  # fmt: skip


def in_a_fork(work: Callable[[], Any], otherwise: Any = None) -> Any:
    """Return what a child process finds, or ``otherwise`` if it ends without an answer."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        # Whatever happens, no second pytest goes on from here.
        try:
            os.close(reads)
            for stream in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            with os.fdopen(writes, "w", encoding="utf-8") as answer:
                answer.write(json.dumps(work()))
        finally:
            os._exit(0)
    os.close(writes)
    with os.fdopen(reads, encoding="utf-8") as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else otherwise


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--tests", nargs="+", required=True)
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--out")
    asked = parser.parse_args()
    quiet = ["-s", "-o", "addopts=--import-mode=importlib", *("-p", "no:cacheprovider")]
    sys.exit(pytest.main([*quiet, *asked.tests], plugins=[Mutants(asked)]))
