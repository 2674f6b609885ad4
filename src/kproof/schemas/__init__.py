"""JSON Schemas of the documents that commands print with ``--json``.

Each is made from the class of results that is printed (:mod:`kproof.forms`). A field has one type,
whatever was asked for (null where its description says so), and exact numbers are strings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from kproof.errors import InvalidArgument

_KINDS = """
anonymize 2 schemas.printed:AnonymizedTable
    What a method published of a table (kproof anonymize METHOD FILE), or the safe path
    (kproof anonymize FILE).
anonymize-aggregate 1 schemas.printed:SectionLines
    Means by section and time of day, in the form of the KACA document's service (kproof
    anonymize kaca --aggregate).
anonymize-city 2 schemas.printed:AnonymizedCity
    What was published of a city (kproof anonymize density).
anonymize-folder 2 models.partitioned.account:FolderRelease
    What was published of a folder of Parquet files (kproof anonymize METHOD FOLDER/).
anonymize-graph 2 schemas.printed:AnonymizedGraph
    What was published of a social graph (kproof anonymize sangreea, k-degree, baseline).
anonymize-points 2 schemas.printed:AnonymizedPoints
    What was published of points (kproof anonymize quadtree).
anonymize-sampled 1 schemas.printed:SampledWritten
    What was published of rows kept by coins (kproof anonymize sampled).
attack 2 schemas.printed:AttackJudged
    What an attack on a release discloses (kproof attack).
attack-inference 2 schemas.printed:InferenceAttack
    What an attack on traces or friends finds (kproof attack mle, bas).
audit 1 schemas.printed_bounds:Audited
    What the papers claim, and how each claim stands (kproof audit).
audit-kernel 2 theory.kernel.checking:KernelReport
    Theorems that Rocq checked (kproof audit --kernel).
audit-recheck 1 schemas.printed_bounds:Rechecked
    Certificates that were checked again (kproof audit --recheck).
bound 1 schemas.printed_bounds:TheoremCompared
    What a theorem claims, by reading, beside the exact value (kproof bound).
bound-blocks 1 schemas.printed_bounds:BlocksCompared
    What the masses of blocks prove (kproof bound blocks).
bound-noisy 1 schemas.printed_bounds:ReleaseCompared
    What a sum with noise tells (kproof bound noisy).
bound-release 1 schemas.printed_bounds:ReleaseCompared
    What a table as a whole is worth (kproof bound release).
bound-sum 1 schemas.printed_bounds:ReleaseCompared
    What a sum tells for a belief (kproof bound sum).
bound-table 1 schemas.printed_bounds:ReleaseCompared
    What a table of counts tells for a belief (kproof bound table).
check 2 schemas.printed:Checked
    Whether a table satisfies privacy models (kproof check).
check-certificate 1 models.tables.sampled.rechecking:CertificateCheck
    Whether the certificate of a sampled table is right (kproof check --certificate).
compare 2 schemas.printed:MethodsCompared
    Methods and settings side by side (kproof compare).
compose 1 schemas.printed:ReleasesComposed
    What releases of the same people tell together (kproof compose).
datasets 1 schemas.printed:DataListed
    The data sets of the papers (kproof datasets).
design 1 schemas.printed_bounds:Designed
    The least or most of a quantity that reaches a target (kproof design).
design-release 1 schemas.printed_bounds:ReleasesDesigned
    Which k and which chance of a row meet a target (kproof design release).
exact 2 schemas.printed_bounds:ExactProfile
    Exact epsilon or delta of a law (kproof exact).
exact-several 1 schemas.printed_bounds:ExactSeveral
    Exact delta of several sums (kproof exact several).
hierarchy 1 schemas.printed:HierarchyWritten
    A hierarchy that was written (kproof hierarchy).
net-explore 2 petri.papers.report:NetReport
    What exploring a net found (kproof net explore).
net-export 1 schemas.printed:NetExported
    Files that a net was written to (kproof net export).
net-publications 2 petri.papers.publications:AllPublications
    Every table that a publisher may publish (kproof net publications).
net-simulate 2 schemas.printed:NetRuns
    What random runs of a net did (kproof net simulate).
receipt 1 models.judgement.releases.receipts:Receipt
    What a publisher keeps of a release, beside its file (FILE.kproof.json).
report 2 report.sections:ReportResults
    What the report shows (kproof report), also as report.json beside the page.
roles 2 schemas.printed:RolesProposed
    Proposed roles of columns (kproof roles).
sampled-certificate 1 models.tables.sampled.certificate:SampledCertificate
    What stands beside a sampled table (FILE.certificate.json).
serve-sampling 1 models.tables.sampled.daily:DailySampling
    What answers are worth whose days are sampled: member sampling of answers about flows and of
    /health (kproof serve --sampled).
verify 1 proptests.results:Results
    What property-based tests of an anonymizer found (kproof verify).
verify-mechanism 1 proptests.mechanism:MechanismResults
    What runs of a sampler say of its (ε, δ) (kproof verify sampled).
verify-seeds 1 proptests.seeds:SeedRuns
    Whether the answer of kproof verify depends on the seed (kproof verify --seeds).
"""
"""Of each kind of document its name, the version of its form, its class, and what it is."""


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """A kind of document."""

    name: str
    """Its name."""
    version: int
    """Version of its form."""
    results: str
    """Module and class of what is printed."""
    description: str
    """What it is, in a sentence."""


@cache
def document_kinds() -> Mapping[str, DocumentKind]:
    """Return the kinds of documents by name."""
    entries = re.findall(r"^(\S+) (\d+) (\S+)\n((?:    .*\n)+)", _KINDS, flags=re.MULTILINE)
    return {
        name: DocumentKind(name, int(version), f"kproof.{results}", " ".join(about.split()))
        for name, version, results, about in entries
    }


def documents() -> tuple[str, ...]:
    """Return the kinds of documents: commands, where one command has several also what is asked.

    >>> documents()[:3]
    ('anonymize', 'anonymize-aggregate', 'anonymize-city')
    """
    return tuple(document_kinds())


def json_schema(document: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a kind of document, with all that it refers to.

    Args:
        document: One of :func:`documents`, such as ``"check"``.

    Returns:
        A new one each time; nothing else is needed to validate a document with it.

    Raises:
        InvalidArgument: If there is no such document.

    >>> schema = json_schema("check")
    >>> schema["properties"]["rows"]
    {'description': 'Rows of the table.', 'type': 'integer'}
    >>> schema["properties"]["exposure"]["anyOf"][0], "Exposure" in schema["$defs"]
    ({'$ref': '#/$defs/Exposure'}, True)
    """
    from kproof.schemas.hints import SchemaBuilder

    if document not in documents():
        raise InvalidArgument("document", document, f"one of {', '.join(documents())}")
    kind = document_kinds()[document]
    module, _, name = kind.results.partition(":")
    builder = SchemaBuilder()
    form = builder.form(getattr(import_module(module), name))
    version = form["properties"].pop("schema")
    of_kind = {"description": "What this is.", "const": document}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": document,
        **form,
        "description": kind.description,
        "properties": {"schema": version, "document": of_kind, **form["properties"]},
        "required": ["schema", "document", *form["required"][1:]],
        **({"$defs": dict(sorted(builder.shared.items()))} if builder.shared else {}),
    }
