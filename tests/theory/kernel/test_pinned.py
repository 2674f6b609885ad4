"""What the kernel run refuses: theorems that are not the pinned ones, and files of the caller's."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from cases import cases
from nights import at_night

from kproof.errors import DataError
from kproof.theory.kernel import checking, pinning, rocq
from kproof.theory.kernel.checking import KernelReport, check_kernel
from kproof.theory.kernel.pinning import ByRocq, differences, read_pinned
from kproof.theory.kernel.rocq import Rocq
from kproof.theory.kernel.statements import MODELS, ROCQ, STATEMENTS

needs_rocq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")

# Loading all of ssreflect is most of what a run of Rocq costs, and a check is seven runs.
ALL = "all_ssreflect"
NEEDED = "ssreflect ssrfun ssrbool eqtype ssrnat seq"
JOINED = (ROCQ / "Joined.v").read_text(encoding="utf-8")
WITHIN = JOINED[JOINED.index("Definition within") : JOINED.index("End Joined.")]
STATED, PROOF = WITHIN[WITHIN.index("Theorem joined_close") :].split("Proof.\n")
SHIPPED = MODELS.read_text(encoding="utf-8")
HEAD = (
    f"From mathcomp Require Import {ALL}. From kproof Require Import Joined.\n"
    + SHIPPED[SHIPPED.index("Ltac hypotheses") : SHIPPED.index("Let Q :=")]
)
MODEL = "\n".join(re.findall(r"^Definition joined_close_model.*?Defined\.$", SHIPPED, re.M | re.S))

NAME = "Joined.joined_close"

Check = Callable[..., KernelReport]


def judge(folder, patch, joined, model, pinned, loaded=NEEDED):
    """Check one theorem of each of other files like ``Joined.v``, as if they came with kproof."""
    files = {stem: JOINED.replace(WITHIN, f"{text}\n") for stem, text in joined.items()}
    for stem, text in {**files, "Models": f"{HEAD}{model}\n"}.items():
        text = text.replace(f"Import {ALL}.", f"Import {loaded}.")
        (folder / f"{stem}.v").write_text(text, encoding="utf-8")
    [known] = (one for one in STATEMENTS if one.name == "joined_close")
    for module in (checking, pinning):
        patch.setattr(module, "SOURCES", tuple(folder / f"{stem}.v" for stem in joined))
    patch.setattr(checking, "MODELS", folder / "Models.v")
    patch.setattr(checking, "STATEMENTS", tuple(replace(known, file=stem) for stem in joined))
    patch.setattr(pinning, "read_pinned", lambda: pinned)
    patch.setattr(rocq, "LIBRARIES", (ALL,) if loaded == ALL else ())
    return check_kernel()


def pinned_in(stem: str) -> ByRocq:
    """Return what is pinned of the theorem, as if it stood in another file."""
    shipped = read_pinned()
    only = ByRocq({NAME: shipped.statements[NAME]}, shipped.definitions)

    def renamed(texts: Mapping[str, str]) -> dict[str, str]:
        every = {name: text.replace("Joined.", f"{stem}.") for name, text in texts.items()}
        return {name.replace("Joined.", f"{stem}."): text for name, text in every.items()}

    needed = {name: only.definitions[name] for name in only.rests_on(NAME)}
    return ByRocq(renamed(only.statements), renamed(needed))


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Return what checks one theorem of another ``Joined.v``."""

    def checked(joined: str = WITHIN, model: str = MODEL, *, loaded: str = NEEDED) -> KernelReport:
        return judge(tmp_path, monkeypatch, {"Joined": joined}, model, pinned_in("Joined"), loaded)

    return checked


MUTANTS = {
    "nothing is proved": (
        WITHIN.replace(
            f"{STATED}Proof.\n{PROOF}", "Theorem joined_close : True. Proof. by []. Qed."
        ),
        "not as pinned, statement: pinned `forall (T : eqtype.Equality.type) (a b : nat)",
    ),
    "admitted": (WITHIN.replace(PROOF, "Admitted."), "joined_close: needs Joined.joined_close"),
    "an axiom": (
        "Axiom cheat : forall P : Prop, P.\n" + WITHIN.replace(PROOF, "exact: cheat. Qed."),
        "joined_close: needs Joined.cheat",
    ),
    "a proof that never ends": (
        WITHIN.replace(PROOF, "by case: (cheat 0). Qed.").replace(
            "Theorem",
            "End Joined. #[bypass_check(guard)] Fixpoint cheat (n : nat) : False := cheat n.\n"
            "Section Joined. Variable T : eqType. Implicit Types (s t : seq T).\nTheorem",
        ),
        "joined_close: needs",
    ),
    "a definition": (
        "Definition within (a b : nat) (domain whole s : seq T) := excess domain whole s <= b.\n"
        f"Definition honest (P : Prop) := P. {STATED}Proof. Admitted.",
        "not as pinned, definition Joined.within: pinned `",
    ),
    "a definition of a definition": (
        "Definition size (s : seq T) := 0.\n" + WITHIN.replace(PROOF, "Admitted."),
        "not as pinned, definition Joined.within: pinned `",
    ),
    "a notation": (
        WITHIN.replace("joined_close", "honest") + 'Notation "s ++ t" := (cat t s) : seq_scope.\n'
        f"{STATED}Proof. by move=> *; apply: honest. Qed.",
        "Rocq prints `…",
    ),
    "contradictory hypotheses": (
        WITHIN.replace(STATED, STATED.replace(":\n", ": a < b -> b < a ->\n")).replace(
            PROOF, "by move=> ab ba; move: (ltn_trans ab ba); rewrite ltnn. Qed."
        ),
        "hypotheses without a model: ",
    ),
    "another name": (WITHIN.replace("joined_close", "other"), "Joined.joined_close: not there"),
}


@needs_rocq
def test_a_theorem_that_is_not_the_pinned_one_is_refused(tmp_path, monkeypatch):
    """All in one run, each in a file of its own beside an honest one: starting takes longest."""
    stems = {f"Mutant{place}": name for place, name in enumerate(MUTANTS)}
    texts = {stem: MUTANTS[name][0] for stem, name in stems.items()}
    assert WITHIN not in texts.values()
    # As contradictory as the last one, and pinned.
    stems["Pinned"], texts["Pinned"] = "pinned", MUTANTS["contradictory hypotheses"][0]
    pinned = {stem: pinned_in(stem) for stem in ("Joined", *texts)}
    more = "(_ : is_true (ssrnat.leq (S a) b)) (_ : is_true (ssrnat.leq (S b) a)) (_"
    stated = pinned["Pinned"].statements
    stated |= {name: text.replace("(_", more, 1) for name, text in stated.items()}
    every = ByRocq(
        {name: text for one in pinned.values() for name, text in one.statements.items()},
        {name: text for one in pinned.values() for name, text in one.definitions.items()},
    )
    report = judge(tmp_path, monkeypatch, {"Joined": WITHIN, **texts}, MODEL, every)
    assert not report.accepted
    said = str(report).splitlines()
    assert f"1 of {len(texts) + 1} theorems checked" in said[-1]
    judged = {one.file: one for one in report.statements}
    assert [stem for stem, one in judged.items() if one.stands] == ["Joined"]
    for stem, name in stems.items():
        lines = "\n".join(line for line in said if line.startswith(f"{stem}."))
        if name != "pinned":
            assert MUTANTS[name][1].replace("Joined.", f"{stem}.") in lines, name
    only = judged["Pinned"]
    assert (only.axioms, only.changed, bool(only.modelled)) == ((), (), True)


@needs_rocq
def test_a_file_that_rocq_does_not_accept_is_named(check):
    report = check(WITHIN.replace(PROOF, "by []. Qed."))
    assert not report.accepted
    assert "Joined.v: not accepted: " in str(report)
    assert "0 of 1 theorems checked" in str(report)


@needs_rocq
@cases(
    ("Definition joined_close_model := tt.", 'has type "unit"'),
    (
        "Axiom cheat : forall T : Type, T.\n"
        "Definition joined_close_model : ltac:(hypotheses_of @joined_close) := cheat _.",
        "hypotheses without a model: Models.cheat",
    ),
    *at_night(
        ("", "was not found"),
        (f"Ltac hypotheses T ::= constr:(unit).\n{MODEL}", "Models.v: not accepted"),
    ),
)
def test_hypotheses_need_a_model(model, said, check):
    report = check(WITHIN, model)
    assert not report.accepted
    assert said in str(report)


def test_every_listed_theorem_is_pinned_and_nothing_else_is():
    pinned = read_pinned()
    assert sorted(pinned.statements) == sorted(f"{one.file}.{one.name}" for one in STATEMENTS)
    needed = {name for theorem in pinned.statements for name in pinned.rests_on(theorem)}
    assert needed == set(pinned.definitions)
    assert all(differences(name, pinned, pinned) == () for name in pinned.statements)


@needs_rocq
@pytest.mark.skipif(
    not os.environ.keys() & {"KPROOF_EXAMPLES", "KPROOF_UPDATE_SNAPSHOTS"},
    reason="two minutes of what kproof audit --kernel does, a session of its own by day",
)
def test_rocq_prints_what_is_pinned(tmp_path):
    shipped = Rocq.within(tmp_path)
    assert checking.compile_proofs(shipped)[1] == []
    printed, refused = checking.printed_by(shipped)
    assert refused == {}
    if os.environ.get("KPROOF_UPDATE_SNAPSHOTS"):
        pinning.PINNED.write_text(pinning.to_json(printed), encoding="utf-8")
    assert pinning.to_json(printed) == pinning.PINNED.read_text(encoding="utf-8")


# Files of the caller's. ---------------------------------------------------------------------------


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of traps, to which the variables that Rocq looks at point."""
    root = tmp_path / "trap"
    for place in ("mathcomp/ssreflect", "coq/mathcomp/ssreflect"):
        folder = root / place
        folder.mkdir(parents=True)
        (folder / "all_ssreflect.v").write_text("Definition trap := 0.\n", encoding="utf-8")
        command = ["coqc", "-q", "-R", ".", "mathcomp.ssreflect", "all_ssreflect.v"]
        subprocess.run(command, cwd=folder, check=True)
    for name in (".coqrc", "coq/coqrc", "coqrc", "Joined.v", "Laws.v", "Asked.v"):
        (root / name).write_text("From mathcomp Require all_ssreflect. Check all_ssreflect.trap.\n")
    for name in (
        "COQPATH",
        "ROCQPATH",
        "XDG_DATA_HOME",
        "XDG_DATA_DIRS",
        "XDG_CONFIG_HOME",
        "HOME",
    ):
        monkeypatch.setenv(name, str(root))
    monkeypatch.chdir(root)
    return root


@needs_rocq
def test_no_file_of_the_callers_is_loaded(trap, check, monkeypatch):
    assert (
        "trap"
        in subprocess.run(["coqc", "Asked.v"], capture_output=True, text=True, check=True).stdout
    )
    for name in (
        "COQLIB",
        "ROCQLIB",
        "COQCORELIB",
        "OCAMLPATH",
        "OCAMLFIND_CONF",
        "LD_LIBRARY_PATH",
    ):
        monkeypatch.setenv(name, str(trap))
    report = check(loaded=ALL)
    assert report.accepted, str(report)
    assert "1 of 1 theorems checked" in str(report)


@needs_rocq
def test_a_folder_that_is_not_rocqs_own_is_noticed(trap, check, monkeypatch):
    private = Rocq.environment

    def leaky(self: Rocq) -> dict[str, str]:
        return {**private(self), "XDG_DATA_DIRS": str(trap)}

    monkeypatch.setattr(Rocq, "environment", leaky)
    report = check(loaded=ALL)
    assert not report.accepted
    assert f"files that are not its own: {trap / 'coq'}" in str(report)


def test_without_rocq_it_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(DataError, match=r"^coqc is not installed; to check the proofs: apt inst"):
        check_kernel()


@needs_rocq
def test_without_its_libraries_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(rocq, "LIBRARIES", ("all_ssreflect", "nowhere"))
    with pytest.raises(DataError, match=r"^Rocq \S+ loads no nowhere of mathcomp .*: apt install"):
        check_kernel()
