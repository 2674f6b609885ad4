"""The paper map: where each statement is evaluated, derived, certified, checked and tested.

First what is proved here, then what the documents number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kproof.theory.kernel.statements import statement
from kproof.theory.papers.numbered_bounds import BOUNDS
from kproof.theory.papers.numbered_others import DENSITY, KACA, QUADTREE
from kproof.theory.papers.numbered_theta import SENSITIVITY


@dataclass(frozen=True, slots=True)
class MapRow:
    """One statement."""

    name: str
    says: str
    """What it is called here, and what it says."""
    python: tuple[str, ...]
    """Names of the functions that evaluate it."""
    derivations: tuple[str, ...] = ()
    """Names of its derivations; a certificate has the name of its derivation."""
    kernel: tuple[str, ...] = ()
    """Names of the theorems that Rocq has checked."""
    tests: tuple[str, ...] = ()
    """Tests that hold the functions against something else, as ``file::function``."""


_T = "kproof.theory.theorems"
_P = "kproof.theory.profiles"

PAPER_MAP = (
    MapRow(
        "exact δ, C5",
        "The least δ for all events of a law on whole numbers",
        (f"{_P}.exact",),
        ("c5-laws",),
        ("close_hockey",),
        (
            "tests/theory/profiles/test_profile_lattice.py::test_no_event_beats_the_profile",
            "tests/theory/profiles/test_profile_laws.py::test_the_directions_are_dual",
        ),
    ),
    MapRow(
        "C1, Theorem 1",
        "The exact δ of the count that is published from k on",
        (f"{_T}.theorem1.bound",),
        ("theorem-1", "c1-upward", "c1-downward"),
        (
            "count_up_events",
            "count_down_events",
            "threshold_up_formula",
            "threshold_down_formula",
            "floor_uniq",
            "count_atom",
        ),
        (
            "tests/theory/theorems/test_theorem1.py::test_corrected_is_the_exact_value_of_brute_force",
        ),
    ),
    MapRow(
        "Theorem 1 in closed form",
        "The paper's own argument by Hoeffding's inequality, mended",
        (f"{_T}.theorem1.bound",),
        ("closed-form-upward", "closed-form-downward"),
        (),
        (
            "tests/theory/theorems/test_theorem1.py::test_the_hoeffding_form_is_never_below_the_exact_value",
        ),
    ),
    MapRow(
        "Lemma 1, C2",
        "Normal noise under a shift, and the least constant c'",
        (f"{_T}.lemma1.minimal_c", f"{_T}.lemma1.gaussian_delta"),
        ("lemma-1", "c2-least-c", "gaussian-profile", "left-over-factor"),
        (),
        (
            "tests/theory/theorems/test_lemma1.py::test_the_closed_form_is_where_the_printed_inequality_turns",
        ),
    ),
    MapRow(
        "C3, Theorems 2 and 4",
        "Independent records, by Berry and Esseen",
        (f"{_T}.theorem2.STATEMENTS", f"{_T}.theorem4.STATEMENTS"),
        ("lemma-2", "theorem-2", "theorem-4"),
        (),
        (
            "tests/theory/theorems/test_theorems2to5.py::test_corrected_theorem_2_is_never_below_the_truth_of_its_events",
            "tests/theory/theorems/test_theorems2to5.py::test_theorem_4_over_given_indexes_is_theorem_2_over_the_rest",
        ),
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
        (
            "half_line_up",
            "half_line_down",
            "half_lines_suffice",
            "log_concave_coins",
            "log_concave_conv",
            "log_concave_prod",
        ),
        (
            "tests/theory/theorems/test_theorems2to5.py::test_for_coins_the_corrected_theorem_covers_every_event",
            "tests/theory/derivations/test_proofs_normal.py::test_the_worst_event_of_log_concave_masses_is_a_half_line",
        ),
    ),
    MapRow(
        "C4, Theorems 3 and 5",
        "Dependent records, by Stein's method",
        (f"{_T}.theorem3.STATEMENTS", f"{_T}.theorem5.STATEMENTS"),
        ("theorem-3", "theorem-5"),
        (),
        (
            "tests/theory/theorems/test_theorems2to5.py::test_corrected_theorem_3_holds_for_pairs_of_dependent_records",
        ),
    ),
    MapRow(
        "calculus",
        "Joint convexity and post-processing",
        (),
        ("joint-convexity", "post-processing"),
        ("hockey_mix", "hockey_kernel"),
        (
            "tests/theory/profiles/test_blocks.py::test_it_bounds_every_sum_of_records_with_these_block_masses",
        ),
    ),
    MapRow(
        "B1, B2, B4 to B6",
        "Block bounds",
        (f"{_P}.blocks.blocks_delta", f"{_T}.blocks.bound.block_bound"),
        ("block-bound",),
        (
            "block_bound_events",
            "block_bound_least",
            "block_bound_groups",
            "block_bound_given",
            "told_sym",
        ),
        (
            "tests/theory/theorems/test_block_bounds.py::test_no_sum_of_two_laws_on_four_points_beats_the_bound",
            "tests/theory/profiles/test_blocks.py::test_at_zero_it_is_what_listing_finds_exactly",
        ),
    ),
    MapRow(
        "B3",
        "The block bound is attained",
        (f"{_P}.blocks.blocks_delta",),
        ("block-bound-attained",),
        ("blocks_attained",),
        ("tests/theory/profiles/test_blocks.py::test_the_law_with_its_rest_far_away_attains_it",),
    ),
    MapRow(
        "B8",
        "Several sums of the same records, released together",
        (f"{_P}.several.several_delta", f"{_T}.blocks.bound.block_bound"),
        (),
        ("several_sums", "several_blocks"),
        (
            "tests/theory/profiles/test_several.py::test_what_is_told_together_is_what_listing_every_outcome_finds",
        ),
    ),
    MapRow(
        "θ-sensitive k-anonymity, Algorithm 1",
        "The corrected algorithm ends, keeps all rows, and every published class reaches θ",
        ("kproof.models.tables.theta.method.theta_sensitive",),
        (),
        (
            "theta_sensitive",
            "theta_published",
            "variance_uniq",
            "variance_given_away",
            "variance_reachable",
            "union_may_fail",
        ),
        (
            "tests/models/tables/theta/test_theta_anonymizer.py::test_every_release_keeps_its_promise",
        ),
    ),
    MapRow(
        "Tables by regions",
        "Classes of several regions have together what is promised of each",
        ("kproof.models.partitioned.folder.anonymize_folder",),
        (),
        ("joined_values", "joined_kinds", "joined_close", "apart_spans"),
        (
            "tests/models/partitioned/test_folder.py::test_what_is_promised_holds_for_all_regions_together",
        ),
    ),
)
"""In the order of the documents."""


NUMBERED = {
    "Zhao et al.: k-anonymity against inference attacks": BOUNDS,
    "Khan et al.: θ-sensitive k-anonymity": SENSITIVITY,
    "Density-aware adaptive k-anonymity": DENSITY,
    "QuadTreeHeatMap": QUADTREE,
    "KACA": KACA,
}
"""The statements of each document, in its order."""


def to_markdown() -> str:
    """Return the map as Markdown: a table of what is proved, then a table for each document."""
    lines = [
        "| statement | says | Python | derivation and certificate | Rocq | test |",
        "|---|---|---|---|---|---|",
    ]
    for one in PAPER_MAP:
        theorems = [f"{statement(name).file}.v: {name}" for name in one.kernel]
        cells = (one.python, one.derivations, theorems, one.tests)
        lines.append(f"| {one.name} | {one.says} | {_cells(*cells)} |")
    lines += [
        "",
        "## What the documents number",
        "",
        "A row for each definition, equation, rule and table that the toolkit takes from a "
        "document. The ledger's rows say what became of its claims (`kproof audit ROW`). Of a "
        "derivation the step is named, if it is one. Documents without numbers stand here with "
        "the names of their parts.",
    ]
    for document, statements in NUMBERED.items():
        lines += [
            "",
            f"### {document}",
            "",
            "| number | says | ledger | Python | derivation | test |",
            "|---|---|---|---|---|---|",
        ]
        for row in statements:
            rows = ", ".join(row.rows) or "none"
            known = _cells(row.python, row.steps, row.tests)
            lines.append(f"| {row.number} | {row.says} | {rows} | {known} |")
    return "\n".join(lines) + "\n"


def _cells(*cells: Sequence[str]) -> str:
    return " | ".join("<br>".join(f"`{text}`" for text in cell) or "none" for cell in cells)
