"""Rocq, run on the proofs that come with kproof.

Every file is compiled from its source in a private folder, and Rocq is asked of each listed
theorem which axioms it needs, what it and its definitions say, and whether ``Models.v`` has values
for which all of its hypotheses hold. A theorem counts as checked if Rocq accepted its file, names
no axiom, prints what is pinned, and accepts the values; an ``Admitted`` is an axiom to Rocq.
"""

import re
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from kproof.forms import JsonForm
from kproof.stages import count_parts
from kproof.theory.kernel import pinning
from kproof.theory.kernel.pinning import MADE_WITH, PRINTING, ByRocq, differences, print_all
from kproof.theory.kernel.rocq import Rocq
from kproof.theory.kernel.statements import MODELS, SOURCES, STATEMENTS

HYPOTHESES = """
Ltac hypotheses T :=
  lazymatch T with
  | forall x : ?A, @?B x =>
      let y := fresh "y" in
      constr:({y : A & ltac:(let U := eval cbv beta in (B y) in let H := hypotheses U in exact H)})
  | let x := ?v in @?B x => let U := eval cbv beta in (B v) in hypotheses U
  | _ => constr:(unit)
  end.
Ltac hypotheses_of t := let T := type of t in let H := hypotheses T in exact H.
"""
"""The type of the values for which all hypotheses of a theorem hold: empty if they contradict each
other. It is derived here and not in the proofs, so that no file of theirs can weaken it."""

_CLOSED = "Closed under the global context"


@dataclass(frozen=True)
class CheckedStatement:
    """A theorem, and what Rocq said of it."""

    name: str
    """Of the theorem."""
    file: str
    """The file it stands in."""
    axioms: tuple[str, ...]
    """What it takes without proof, as Rocq prints it; empty if it takes nothing."""
    changed: tuple[str, ...]
    """A text for each field, statement or definition, that is not as pinned."""
    modelled: str
    """What is wrong with the values for which its hypotheses hold; empty if they hold there."""
    hash: str
    """The SHA-256 of its statement and of the definitions that it rests on."""

    @property
    def stands(self) -> bool:
        """Whether it needs no axiom, says what is pinned, and its hypotheses can be met."""
        return not (self.axioms or self.changed or self.modelled)

    def __str__(self) -> str:
        against = [f"needs {', '.join(self.axioms)}"] if self.axioms else []
        against += [f"not as pinned, {text}" for text in self.changed]
        against += [f"hypotheses without a model: {self.modelled}"] if self.modelled else []
        verdict = "; ".join(against) or "checked, no axiom, as pinned, its hypotheses have a model"
        return f"{self.file}.v, {self.name}: {verdict}"


@dataclass(frozen=True)
class KernelReport:
    """What Rocq said of the proofs."""

    pinned_with: ClassVar[str] = MADE_WITH
    """What printed the pinned statements."""
    version: str
    """Of Rocq."""
    seconds: dict[str, float]
    """Time for each file, by name."""
    statements: tuple[CheckedStatement, ...]
    """The listed theorems, if all files were accepted."""
    failures: tuple[str, ...]
    """One text for a file that was not accepted, or a listed theorem that is not there."""

    @property
    def accepted(self) -> bool:
        """Whether every listed theorem is there and stands, and none else is pinned."""
        return not self.failures and self._sound_count == len(STATEMENTS)

    @property
    def _sound_count(self) -> int:
        return sum(checked.stands for checked in self.statements)

    def __str__(self) -> str:
        """Return a line for each theorem, and one for all."""
        lines = [*map(str, self.statements), *self.failures]
        if any(checked.changed for checked in self.statements):
            lines.append(f"the pinned statements were printed by {MADE_WITH}")
        lines.append(
            f"{self._sound_count} of {len(STATEMENTS)} theorems checked by Rocq {self.version} "
            f"without an axiom, as pinned, in {sum(self.seconds.values()):.0f} s"
        )
        return "\n".join(lines)

    to_dict = JsonForm("accepted pinned_with version seconds statements failures", schema=2)


def check_kernel() -> KernelReport:
    """Compile all proofs and judge the listed theorems.

    Raises:
        DataError: If Rocq or one of the libraries of the proofs is not installed.
    """
    with tempfile.TemporaryDirectory(prefix="kproof-kernel-") as name:
        rocq = Rocq.within(Path(name))
        seconds, failures = compile_proofs(rocq)
        checked: tuple[CheckedStatement, ...] = ()
        # Of theorems that are not as pinned the models fail: the difference says more.
        if MODELS.stem in seconds:
            checked, model_failures = _judge(rocq, failures)
            failures += model_failures
        return KernelReport(rocq.version(), seconds, checked, tuple(failures))


def compile_proofs(rocq: Rocq) -> tuple[dict[str, float], list[str]]:
    """Compile all proofs; return the time for each file, and what Rocq says against one."""
    foreign = rocq.foreign_paths()
    if foreign:
        return {}, [f"Rocq would load files that are not its own: {', '.join(foreign)}"]
    seconds: dict[str, float] = {}
    for source in count_parts("checking theorems with Rocq", (*SOURCES, MODELS)):
        start = time.perf_counter()
        failure = rocq.compile(source.name, source.read_text(encoding="utf-8"))
        seconds[source.stem] = round(time.perf_counter() - start, 2)
        if failure:
            return seconds, [f"{source.name}: not accepted: {failure}"]
    return seconds, []


def printed_by(rocq: Rocq) -> tuple[ByRocq, dict[str, str]]:
    """Return the listed theorems as Rocq prints them, and those that it does not know."""
    listed = [f"{theorem.file}.{theorem.name}" for theorem in STATEMENTS]
    return print_all(listed, partial(rocq.ask, f"{_requires()}\n{PRINTING}"))


def _requires() -> str:
    # Required, not imported: what a file declares for those who import it stays outside.
    return f"From kproof Require {' '.join(source.stem for source in SOURCES)}."


def _judge(rocq: Rocq, against_models: list[str]) -> tuple[tuple[CheckedStatement, ...], list[str]]:
    pinned = pinning.read_pinned()
    printed, refused = printed_by(rocq)
    failures = [f"{name}: not there: {refusal}" for name, refusal in refused.items()]
    listed = {f"{theorem.file}.{theorem.name}": theorem for theorem in STATEMENTS}
    failures += [f"{name}: pinned, but not listed" for name in pinned.statements.keys() - listed]
    present = {name: theorem for name, theorem in listed.items() if name in printed.statements}
    stem = f"kproof.{MODELS.stem}"
    models = {name: f"{stem}.{theorem.name}_model" for name, theorem in present.items()}
    fits = {
        name: f"Definition fits_{place} : ltac:(hypotheses_of @kproof.{name}) := {model}."
        for place, (name, model) in enumerate(models.items())
    }
    unfit = dict.fromkeys(present, "; ".join(against_models))
    if not against_models:
        required = f"{_requires()} From kproof Require {MODELS.stem}."
        unfit = rocq.ask(required + HYPOTHESES, fits)[1]
        # Values that rest on an axiom show nothing: from a false axiom everything has a model.
        commands = {name: f"Print Assumptions {models[name]}." for name in present.keys() - unfit}
        answers, unasked = rocq.ask(required, commands)
        unfit |= {name: ", ".join(_axioms(answer)) for name, answer in answers.items()} | unasked
    commands = {name: f"Print Assumptions kproof.{name}." for name in present}
    answers = rocq.ask(_requires(), commands)[0]
    return tuple(
        CheckedStatement(
            theorem.name,
            theorem.file,
            _axioms(answers.get(name, "")),
            differences(name, printed, pinned),
            unfit[name],
            printed.hash_of(name),
        )
        for name, theorem in present.items()
    ), failures


def _axioms(answer: str) -> tuple[str, ...]:
    if answer.strip() == _CLOSED:
        return ()
    # Each axiom begins a line with its name and a colon; its type may go on in others.
    # What is neither this sentence nor a list of axioms counts as an axiom: silence proves nothing.
    axioms = answer.strip().removeprefix("Axioms:")
    axioms_named = re.findall(r"^([\w.']+)\s*:", axioms, flags=re.MULTILINE)
    return tuple(axioms_named) or (axioms[:200] or "nothing said",)
