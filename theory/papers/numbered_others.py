"""What the documents without numbers name, and where it is here."""

from __future__ import annotations

from kproof.theory.papers.numbered import numbered

_M = "kproof.models"
_MODELS = "tests/models/"

DENSITY = (
    numbered(
        "Algorithm Outline",
        "A region grows around a user until it has k users",
        rows="D2 D5",
        python=(f"{_M}.places.density.method.density",),
        tests=(
            f"{_MODELS}places/density/test_density.py::test_printed_regions_are_those_of_the_plain_form",
        ),
    ),
    numbered(
        "Adaptive k Selector",
        "k by the number of users nearby",
        rows="D4",
        python=(f"{_M}.places.density.demand.Demand",),
        tests=(f"{_MODELS}places/density/test_density.py::test_k_tells_the_density_class",),
    ),
    numbered(
        "Experiment Results",
        "Twenty runs on a grid, and three figures",
        rows="D6 D7",
        python=(f"{_M}.papers.density_experiment.experiment",),
        tests=(
            f"{_MODELS}places/density/test_density.py::test_the_experiment_is_seeded_and_its_table_agrees_with_the_plain_form",
        ),
    ),
)

QUADTREE = (
    numbered(
        "First and second paragraph",
        "Squares are cut and merged; each that is published has k locations",
        rows="Q5 Q6 Q7 Q8 Q9 Q10 Q11",
        python=(f"{_M}.places.heatmap.quadtree.quadtree",),
        tests=(
            f"{_MODELS}places/heatmap/test_quadtree.py::test_sectors_are_those_of_a_plain_quadtree",
        ),
    ),
    numbered(
        "Specific parameters",
        "min_k, min_sector_length, merge_sectors, split_n_locations",
        rows="Q1 Q2 Q3",
        python=(f"{_M}.places.heatmap.quadtree.quadtree",),
        tests=(f"{_MODELS}places/heatmap/test_quadtree.py::test_parameters_out_of_range",),
    ),
)

KACA = (
    numbered(
        "Steps of the algorithm",
        "Records are clustered, short clusters merged, each cluster generalized",
        python=(f"{_M}.tables.kaca.method.kaca",),
        tests=(
            f"{_MODELS}tables/kaca/test_kaca.py::test_classes_hold_k_and_do_not_depend_on_order",
            f"{_MODELS}tables/kaca/test_kaca.py::test_printed_merging_leaves_none_short",
        ),
    ),
    numbered(
        "The service's answer",
        "Lines with a place, a period, a number of trucks and a mean toll",
        python=(f"{_M}.tables.kaca.report.answer_of",),
        tests=(
            f"{_MODELS}tables/kaca/test_kaca_report.py::test_lines_are_truthful_and_means_exact",
            f"{_MODELS}tables/kaca/test_kaca_report.py::test_printed_labels_do_not_cover_their_records",
        ),
    ),
)
