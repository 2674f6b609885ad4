"""``kproof audit``: the rows as they are in the ledgers, chosen, run again, and refused."""

import json
from math import gcd
from pathlib import Path
from typing import Any

from cases import cases
from shell import kproof, printed, refused, same_as_snapshot

from kproof.cli.base.printing import ExitStatus
from kproof.report.ledgers import documents
from kproof.theory import audit
from kproof.theory.derivations.proofs.catalogue import derivations
from kproof.theory.ledger import Claim, Evidence, Ruling
from kproof.theory.papers.claims import BOUNDS_PAPER
from kproof.theory.quoting import quote
from kproof.theory.recheck import _Checker

CERTIFICATES = Path(__file__).parents[2] / "results" / "certificates"


def test_help():
    same_as_snapshot("help-audit.txt", printed("audit", "--help"), layout=False)


def test_json_is_every_row_of_every_ledger():
    rows = json.loads(printed("audit", "--json"))["claims"]
    assert [row["id"] for row in rows] == [
        claim.id for one in documents() for claim in one.ledger.claims
    ]
    assert all(row["evidence"] and row["verdict"] and row["corrected"] for row in rows)


@cases(
    (["--theorem", "1", "--verdict", "unsound"], {"Z5", "Z6", "Z8", "Z10"}),
    (["Z6", "Z11"], {"Z6", "Z11"}),
    (["--paper", "theta", "--verdict", "assumed"], {"T5"}),
)
def test_rows_are_chosen(options, expected):
    rows = json.loads(kproof("audit", "--json", *options).out)["claims"]
    assert expected <= {row["id"] for row in rows}
    assert len(rows) < 20


def test_a_row_in_full_can_be_pasted_into_a_session():
    text = kproof("audit", "Z6").out
    assert ">>> from kproof.theory.falsify.gap import theorem_gap" in text
    assert "delta claimed 0.4976079 < exact 0.75 at epsilon = 2" in text


@cases(
    (["Z99"], "id = Z99: need the id of a row; kproof audit lists them"),
    (["--theorem", "6"], "--theorem = 6: need a whole number 1 <= theorem <= 5"),
    (["--verdict", "true"], "--verdict = true: need proved, typo"),
    (["--paper", "beta"], "--paper = beta: need one of bounds, theta"),
)
def test_bad_input(words, message):
    assert refused("audit", *words).startswith(message)


def test_evidence_is_run_again():
    document = json.loads(printed("audit", "Z11", "--run", "--json"))
    assert document["failures"] == {}
    assert [one["name"] for one in document["derivations"]] == ["theorem-1"]
    assert all(one["stands"] for one in document["derivations"])


def test_a_row_whose_evidence_changed_does_not_stand(monkeypatch):
    stale = Claim("Z11", "", "", Ruling.PROVED, (Evidence(quote(gcd)(4, 6), "3"),), "")
    monkeypatch.setattr("kproof.cli.bounds.audit._choose", lambda *_: [stale])
    monkeypatch.setattr("kproof.theory.derivations.evidence.judge_derivations", lambda cited_by: ())
    out = printed("audit", "--run", status=1)
    assert "Z11 does not stand" in out
    assert "evidence holds for 0 of 1 claims" in out
    # It cites no derivation, and what fails is in the document all the same.
    assert list(json.loads(printed("audit", "--run", "--json", status=1))["failures"]) == ["Z11"]


def test_a_row_without_evidence_does_not_stand():
    assert not audit.run_rows([Claim("X1", "", "", Ruling.PROVED, (), "")])[0].stands


def test_no_claim_is_no_evidence(monkeypatch):
    monkeypatch.setattr("kproof.theory.derivations.evidence.judge_derivations", lambda _: ())
    ran = kproof("audit", "--theorem", "4", "--verdict", "assumed", "--run")
    assert ran.status == ExitStatus.OPEN
    assert "holds" not in ran.out
    assert "no evidence was run" in ran.out


def test_certificates_are_written(tmp_path, monkeypatch):
    # To derive all of them takes long; that the shipped ones are what is derived is test_recheck's.
    few = tuple(one for one in derivations() if one.name in {"lemma-1", "lemma-2"})
    monkeypatch.setattr(audit, "derivations", lambda: few)
    assert printed("audit", "--certificates", str(tmp_path / "c")) == "written: 2 certificates\n"
    document = json.loads((tmp_path / "c" / "lemma-1.json").read_text(encoding="utf-8"))
    files = [query["file"] for step in document["steps"] for query in step["queries"]]
    assert files
    assert all((tmp_path / "c" / name).is_file() for name in files)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "c").write_text("", encoding="utf-8")
    said = refused("audit", "Z11", "--certificates", str(tmp_path / "c"))
    assert said.endswith("cannot be made: it is no folder")


def test_every_row_of_the_bounds_paper_has_evidence_and_a_theorem_or_a_figure():
    for claim in BOUNDS_PAPER.claims:
        assert claim.evidence
        assert claim.corrected.endswith(".")


def test_certificates_are_rechecked(tmp_path):
    from kproof.theory.derivations.certificate import certificate
    from kproof.theory.derivations.deciders import judge
    from kproof.theory.derivations.proofs.catalogue import derivation

    wanted = derivation("gaussian-profile")
    path = certificate(wanted, judge(wanted)).write(tmp_path)
    ran = kproof("audit", "--recheck", str(path))
    assert (ran.status, ran.err) == (ExitStatus.OPEN, "")
    assert "not judged: " in ran.out
    assert "gaussian-profile" not in ran.out.splitlines()[-1]
    assert f"{path}: accepted, {len(wanted.steps)} steps" in ran.out
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"-1/2"', '"1/2"', 1), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != text
    ran = kproof("audit", "--recheck", str(path), "--json")
    assert ran.status == 1
    (found,) = json.loads(ran.out)["certificates"]
    assert found["accepted"] is False
    assert found["step"] in {one.id for one in wanted.steps}
    assert "digest" in found["reason"]


@cases(
    (None, "No such file"),
    (b"certainly", "not the JSON of a certificate"),
    (b"[" * 50_000, "nested deeper than 64"),
    (b" " * 100_000_000, "longer than 8388608 bytes"),
    ids=["missing", "no JSON", "nested", "100 MB"],
)
def test_what_is_no_certificate_is_bad_input(data, why, tmp_path):
    path = tmp_path / "x.json"
    if data is not None:
        path.write_bytes(data)
    line = refused("audit", "--recheck", str(path))
    assert line.startswith(f"{path}: ")
    assert why in line


def test_no_certificate_at_all_is_bad_input():
    """A pattern that no file matches must not look like success."""
    assert refused("audit", "--recheck").endswith("need one certificate or more")


def test_all_names_of_the_manifest_are_judged_or_named(monkeypatch):
    """What a certificate states is compared here; test_recheck has every step decided again."""

    def compare(self: _Checker, document: dict[str, Any]) -> None:
        self._says_what_is_expected(str(document["name"]), document)

    monkeypatch.setattr(_Checker, "run", compare)
    files = sorted(map(str, CERTIFICATES.glob("*.json")))
    ran = kproof("audit", "--recheck", *files)
    assert (ran.status, ran.err) == (0, "")
    assert f"{len(files) - 1} of {len(files) - 1} certificates accepted" in ran.out
    ran = kproof("audit", "--json", "--recheck", str(CERTIFICATES / "lemma-2.json"))
    assert ran.status == ExitStatus.OPEN
    names = [one.name for one in derivations()]
    assert json.loads(ran.out)["missing"] == [one for one in names if one != "lemma-2"]


def test_a_manifest_is_no_certificate(tmp_path):
    shipped = CERTIFICATES / "manifest.json"
    ran = kproof("audit", "--recheck", str(shipped))
    assert ran.status == ExitStatus.OPEN
    assert "0 of 0 certificates accepted" in ran.out
    assert "not judged: theorem-1, " in ran.out
    over = tmp_path / "lemma-2.json"
    over.write_bytes(shipped.read_bytes())
    ran = kproof("audit", "--recheck", str(over))
    assert ran.status == ExitStatus.VIOLATED
    assert "a manifest is no certificate" in ran.out
    assert "lemma-2" in ran.out.splitlines()[-1]
    changed = tmp_path / "manifest.json"
    text = shipped.read_text(encoding="utf-8").replace("Shevtsova 2013", "Shevtsova 2031", 1)
    changed.write_text(text, encoding="utf-8")
    ran = kproof("audit", "--recheck", str(changed))
    assert ran.status == ExitStatus.VIOLATED
    assert "theorem-2: not what the manifest" in ran.out


def test_a_folder_is_no_certificate(tmp_path):
    assert refused("audit", "--recheck", str(tmp_path)).startswith(f"{tmp_path}: ")
