"""The formulas that are evaluated are those that certificates conclude, and a change is noticed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cases import cases
from nights import at_night

from kproof.theory.audit import formula_changes
from kproof.theory.derivations.certificate import digest
from kproof.theory.derivations.evaluated import proved_formulas
from kproof.theory.reading import Reading
from kproof.theory.recheck import MANIFEST, recheck, statements
from kproof.theory.theorems import lemma1, theorem2, theorem3

CERTIFICATES = Path(__file__).parents[3] / "results" / "certificates"


def test_every_corrected_theorem_has_a_formula_that_is_proved():
    found = {one.derivation for one in proved_formulas()}
    assert {"c1-upward", "c1-downward", "closed-form-upward", "closed-form-downward"} <= found
    assert {"theorem-2", "theorem-3", "theorem-4", "theorem-5", "c2-least-c"} <= found


@cases(
    (theorem2, "theorem-2", theorem2.KAPPA, theorem2.KAPPA / 2),
    (theorem2, "theorem-2", lemma1.EPSILON, lemma1.EPSILON + 1),
    (theorem3, "theorem-3", theorem3.SIGMA, 2 * theorem3.SIGMA),
)
def test_another_formula_in_the_library_is_noticed(theorem, derivation, old, new, monkeypatch):
    statement = theorem.STATEMENTS[Reading.CORRECTED]
    formulas = {**statement.formulas, "delta": statement.formulas["delta"].subs(old, new)}
    other = {**theorem.STATEMENTS, Reading.CORRECTED: replace(statement, formulas=formulas)}
    monkeypatch.setattr(theorem, "STATEMENTS", other)
    first, *others = formula_changes(statements(MANIFEST))
    assert first == f"{derivation}, {derivation}: not the formula that is evaluated"
    assert bool(others) == (derivation == "theorem-2")


@pytest.mark.parametrize("name", ["gaussian-profile", *at_night("closed-form-upward")])
def test_another_formula_in_the_manifest_is_rejected(tmp_path, name):
    document = json.loads(MANIFEST.read_text(encoding="utf-8"))
    (entry,) = (one for one in document["certificates"] if one["name"] == name)
    for one in entry["conclusions"].values():
        for said in one["evaluated"]:
            said["formula"] = "1"
    entry["digest"] = digest("", {key: value for key, value in entry.items() if key != "digest"})
    document["digest"] = digest("", {k: value for k, value in document.items() if k != "digest"})
    changed = tmp_path / "manifest.json"
    changed.write_text(json.dumps(document), encoding="utf-8")
    found = recheck(CERTIFICATES / f"{name}.json", solver="z3", manifest=changed)
    assert not found.accepted
    assert "evaluated: " in found.reason
