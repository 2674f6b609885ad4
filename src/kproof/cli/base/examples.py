"""What stands at the end of help pages: lines to try, which the tests do."""

from __future__ import annotations

from collections.abc import Mapping

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "anonymize": (
        "kproof anonymize visits.csv --roles roles.toml -o release.csv",
        "kproof anonymize mondrian table-1a --qi Age --drop ID,Name --k 3 -o out.csv",
        "kproof anonymize mondrian visits/ --qi age,zip --k 10 -o release/",
    ),
    "attack": ("kproof attack homogeneity table-1b --qi Class --sensitive Disease --drop ID",),
    "audit": ("kproof audit Z6 --run", "kproof audit --paper regions"),
    "bound": (
        "kproof bound 2 --data table-1a --column Age --shift 1",
        "kproof bound 1 --n 60 --p 0.71 --k 33 --epsilon 0.9",
        "kproof bound release --k 20 --beta 1/10 --epsilon 1",
        "kproof bound noisy --records 100 --mass 0.3 --laplace 1 --epsilon 0.5",
    ),
    "calculator": ("kproof calculator -o calculator.html",),
    "check": (
        "kproof check table-4a --qi Class --sensitive Disease --identifier ID --k 4",
        "kproof check release.csv --certificate release.csv.certificate.json",
        "kproof check 'duckdb:all.db?table=visits' --qi age --sensitive ill --k 5",
    ),
    "compare": ("kproof compare table-1a --qi Age --drop ID,Name --methods mondrian --k 2,4",),
    "completion": ("kproof completion bash > kproof.bash",),
    "compose": ("kproof compose table-4a table-4b --qi Class --sensitive Disease --person ID",),
    "datasets": ("kproof datasets", "kproof datasets table-1a"),
    "design": (
        "kproof design n --epsilon 0.5 --delta 0.01 --data table-1a --column Age",
        "kproof design release --epsilon 1 --delta 1e-6",
    ),
    "exact": ("kproof exact binomial --n 100 --p 1/2 --epsilon 0.5,1",),
    "hierarchy": ("kproof hierarchy table-1a --column Age --ladder range:5,10 -o ages.csv",),
    "net": ("kproof net explore theta-sensitive --data table-4b --k 4",),
    "report": (
        "kproof report table-1a --qi Age --sensitive Disease --drop ID,Name --k 3",
        "kproof report release.csv --qi age --k 5 --original data.csv",
    ),
    "roles": ("kproof roles table-1a -o roles.toml",),
    "schema": ("kproof schema", "kproof schema check"),
    "serve": ("kproof serve --help",),
    "verify": (
        "kproof verify mondrian --profile quick",
        "kproof verify package.module:publish --promises k-anonymity,truthful",
    ),
}
"""By command; those about files that are not there are only read, not run, by the tests."""


def epilogue(command: str) -> str:
    """Return the end of a command's help page."""
    return "Examples:\n\n" + "\n\n".join(f"  {line}" for line in EXAMPLES[command])
