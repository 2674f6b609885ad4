"""The paper map: where each statement is evaluated, derived, certified, checked and tested."""

from __future__ import annotations

from dataclasses import dataclass

from kproof.theory.kernel.statements import statement


@dataclass(frozen=True, slots=True)
class MapRow:
    """One statement.

    Attributes
    ----------
    name, says
        What it is called here, and what it says.
    python
        Names of the functions that evaluate it.
    derivations
        Names of its derivations; a certificate has the name of its derivation.
    kernel
        Names of the theorems that Rocq has checked.
    tests
        Files that hold the functions against something else.
    """

    name: str
    says: str
    python: tuple[str, ...]
    derivations: tuple[str, ...] = ()
    kernel: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


_T = "kproof.theory.theorems"
_P = "kproof.theory.profiles"

PAPER_MAP = (
    MapRow(
        "exact δ",
        "The least δ for all events of a law on whole numbers",
        (f"{_P}.exact",),
        ("c5-laws",),
        ("close_hockey",),
        ("tests/theory/profiles/test_profile_laws.py",),
    ),
    MapRow(
        "C1, Theorem 1",
        "The exact δ of the count that is published from k on",
        (f"{_T}.theorem1.bound",),
        ("theorem-1", "c1-upward", "c1-downward"),
        (
            "count_up_events",
            "count_down_events",
            "threshold_up_exists",
            "threshold_down_exists",
            "count_atom",
        ),
        ("tests/theory/theorems/test_theorem1.py",),
    ),
    MapRow(
        "Theorem 1 in closed form",
        "The paper's own argument by Hoeffding's inequality, mended",
        (f"{_T}.theorem1.bound",),
        ("closed-form-upward", "closed-form-downward"),
        (),
        ("tests/theory/theorems/test_theorem1.py",),
    ),
    MapRow(
        "Lemma 1, C2",
        "Normal noise under a shift, and the least constant c'",
        (f"{_T}.lemma1.minimal_c", f"{_T}.lemma1.gaussian_delta"),
        ("lemma-1", "c2-least-c", "gaussian-profile", "left-over-factor"),
        (),
        ("tests/theory/theorems/test_lemma1.py",),
    ),
    MapRow(
        "C3, Theorems 2 and 4",
        "Independent records, by Berry and Esseen",
        (f"{_T}.theorem2.STATEMENTS", f"{_T}.theorem4.STATEMENTS"),
        ("lemma-2", "theorem-2", "theorem-4"),
        (),
        ("tests/theory/theorems/test_theorems2to5.py",),
    ),
    MapRow(
        "all events",
        "For log-concave sums half-lines are the worst events",
        (f"{_T}.theorem2.STATEMENTS",),
        (
            "log-concave-upward",
            "log-concave-downward",
            "log-concave-convolution",
            "all-events-upward",
            "all-events-downward",
        ),
        ("half_line_up", "half_line_down", "half_lines_suffice", "log_concave_coins"),
        ("tests/theory/profiles/test_profile_lattice.py",),
    ),
    MapRow(
        "C4 and C5, Theorems 3 and 5",
        "Dependent records, by Stein's method",
        (f"{_T}.theorem3.STATEMENTS", f"{_T}.theorem5.STATEMENTS"),
        ("theorem-3", "theorem-5"),
        (),
        ("tests/theory/theorems/test_theorems2to5.py",),
    ),
    MapRow(
        "calculus",
        "Joint convexity and post-processing",
        (),
        ("joint-convexity", "post-processing"),
        ("hockey_mix", "hockey_kernel"),
        ("tests/theory/profiles/test_blocks.py",),
    ),
    MapRow(
        "B1, B2, B4 to B6",
        "Block bounds",
        (f"{_P}.blocks.blocks_delta", f"{_T}.blocks.bound.block_bound"),
        ("block-bound",),
        ("block_bound_events", "block_bound_least", "block_bound_given", "told_sym"),
        ("tests/theory/theorems/test_block_bounds.py", "tests/theory/profiles/test_blocks.py"),
    ),
    MapRow(
        "B3",
        "The block bound is attained",
        (f"{_P}.blocks.blocks_delta",),
        ("block-bound-attained",),
        ("blocks_attained",),
        ("tests/theory/profiles/test_blocks.py",),
    ),
    MapRow(
        "θ-sensitive k-anonymity, Algorithm 1",
        "The corrected algorithm ends, keeps all rows, and every class reaches θ",
        ("kproof.models.tables.theta.method.theta_sensitive",),
        (),
        (
            "theta_sensitive",
            "variance_uniq",
            "variance_given_away",
            "variance_reachable",
            "union_may_fail",
        ),
        ("tests/models/tables/theta/test_theta_anonymizer.py",),
    ),
    MapRow(
        "Tables by regions",
        "Classes of several regions have together what is promised of each",
        ("kproof.models.partitioned.folder.anonymize_folder",),
        (),
        ("joined_values", "joined_kinds", "joined_close", "apart_spans"),
        ("tests/models/partitioned/test_folder.py",),
    ),
)
"""In the order of the documents."""


def to_markdown() -> str:
    """Return the map as a Markdown table."""
    lines = [
        "| statement | says | Python | derivation and certificate | Rocq | test |",
        "|---|---|---|---|---|---|",
    ]
    for one in PAPER_MAP:
        theorems = [f"{statement(name).file}.v: {name}" for name in one.kernel]
        cells = (one.python, one.derivations, theorems, one.tests)
        known = ["<br>".join(f"`{text}`" for text in cell) or "none" for cell in cells]
        lines.append(f"| {one.name} | {one.says} | {' | '.join(known)} |")
    return "\n".join(lines) + "\n"
