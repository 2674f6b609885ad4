"""What Khan et al. number, and where it is here."""

from __future__ import annotations

from kproof.theory.papers.numbered import numbered

_T = "kproof.theory.theorems"
_M = "kproof.models"
_N = "kproof.petri.papers"
_TT = "tests/theory/theorems"
_THETA = f"{_TT}/test_theta.py::"
_MODELS = "tests/models/"
_NUMBERS = "tests/models/papers/test_theta_numbers.py::"
_NETS = "tests/petri/papers/"

SENSITIVITY = (
    numbered(
        "Definition 5",
        "The categorical similarity attack",
        rows="T6",
        python=(f"{_M}.attacks.similarity.categorical_similarity",),
        tests=(
            f"{_MODELS}attacks/test_attacks_paper.py::test_nobody_is_disclosed_by_homogeneity_or_by_category",
        ),
    ),
    numbered(
        "Definition 6",
        "The sensitive variance attack",
        rows="T9",
        python=(f"{_M}.attacks.variance.sensitive_variance",),
        tests=(
            f"{_MODELS}attacks/test_attacks_paper.py::test_sensitive_variance_of_the_papers_tables",
        ),
    ),
    numbered(
        "Definition 10",
        "θ-sensitive k-anonymity",
        rows="T17 T61",
        python=(f"{_M}.privacy.theta.ThetaSensitivity",),
        tests=(
            f"{_MODELS}privacy/test_privacy_sensitivity.py::test_theta_of_tables_4a_and_4b",
            f"{_MODELS}privacy/test_privacy_sensitivity.py::test_equality_that_floats_miss_passes",
        ),
    ),
    numbered(
        "Equation (1)",
        "The variance V of a class, and θ",
        rows="T7 T8 T10 T11 T12",
        python=(f"{_T}.theta.variance", f"{_T}.theta.theta"),
        tests=(
            f"{_THETA}test_variance_is_that_of_the_weights_row_by_row",
            f"{_THETA}test_the_figures_the_paper_prints",
        ),
    ),
    numbered(
        "Equations (2) and (3)",
        "The discernibility penalty, and the average size of a class",
        rows="T38 T47",
        python=(f"{_M}.tables.utility.utility",),
        tests=(f"{_NUMBERS}test_which_penalties_there_are",),
    ),
    numbered(
        "Equations (4) and (5)",
        "COUNT queries, and the error of their answers",
        rows="T55 T56",
        python=(f"{_M}.tables.queries.query_error",),
        tests=(
            f"{_MODELS}papers/test_theta_experiment.py::test_the_published_results_follow_from_adult",
        ),
    ),
    numbered(
        "Algorithm 1",
        "Exchanges and noise until every class reaches θ",
        rows="T25 T26 T27 N3",
        python=(f"{_M}.tables.theta.method.theta_sensitive",),
        tests=(
            f"{_MODELS}tables/theta/test_theta_anonymizer.py::test_every_table_of_three_classes",
            f"{_MODELS}tables/theta/test_theta_anonymizer.py::test_the_run_is_one_of_the_net",
        ),
    ),
    numbered(
        "Rule (1)",
        "The attack on p⁺-sensitive k-anonymity",
        rows="T9 T6",
        python=(f"{_M}.attacks.variance.sensitive_variance", f"{_N}.attackers.attacked"),
        tests=(f"{_NETS}test_attackers.py::test_rule_1_finds_the_third_class_of_table_4a",),
    ),
    numbered(
        "Rule (2)",
        "MaskData: a table is cut into classes",
        rows="N1",
        python=(f"{_M}.tables.theta.forming.cut", f"{_N}.masking.masked"),
        tests=(f"{_NETS}test_rules.py::test_quasi_identifiers_are_generalized_in_the_net",),
    ),
    numbered(
        "Rule (3)",
        "Check k: a class has k rows",
        rows="N1",
        python=(f"{_N}.publisher.PartitionedTable.require_rows",),
        tests=(f"{_NETS}test_theta_net.py::test_tables_become_classes",),
    ),
    numbered(
        "Rule (4)",
        "Calc Theta: θ from μ and k",
        rows="T11 T17",
        python=(f"{_M}.tables.theta.moves.Threshold.at",),
        tests=(f"{_NETS}test_theta_net.py::test_theta_of_each_class_s_own_size",),
    ),
    numbered(
        "Rule (5)",
        "Compute Var: V of the current class",
        rows="N3 T7",
        python=(f"{_M}.tables.theta.moves.variance",),
        tests=(f"{_MODELS}tables/theta/test_theta_moves.py::test_variance",),
    ),
    numbered(
        "Rule (6)",
        "Check Variance: which step comes next",
        rows="N2 T26",
        python=(f"{_N}.classes.Moves.donor",),
        tests=(
            f"{_NETS}test_theta_net.py::test_printed_is_stuck_on_equality",
            f"{_MODELS}tables/theta/test_theta_moves.py::test_equality_passes",
        ),
    ),
    numbered(
        "Rule (7)",
        "Adjst Var: values are exchanged",
        rows="N3 T24 T28",
        python=(
            f"{_M}.tables.theta.moves.back_check",
            f"{_M}.tables.theta.moves.cross_check",
            f"{_M}.tables.theta.moves.swap",
        ),
        tests=(
            f"{_MODELS}tables/theta/test_theta_moves.py::test_swaps_keep_records_and_raise_the_receiver",
            f"{_NETS}test_theta_net.py::test_printed_publishes_a_stale_donor_below_theta",
        ),
    ),
    numbered(
        "Rule (8)",
        "Add Noise: a row with a value that the class lacks",
        rows="T23 T27",
        python=(f"{_M}.tables.theta.moves.absent", f"{_M}.tables.theta.moves.add_noise"),
        tests=(
            f"{_MODELS}tables/theta/test_theta_moves.py::test_noise_adds_one_row",
            f"{_NETS}test_theta_net.py::test_noise_where_no_exchange_is_legal",
        ),
    ),
    numbered(
        "Rule (9)",
        "The attack on θ-sensitive k-anonymity finds nobody",
        rows="N4 T34",
        python=(f"{_N}.theta_properties.publisher_properties",),
        tests=(
            f"{_NETS}test_attackers.py::test_rule_9_holds_without_background_knowledge_and_fails_with_it",
            f"{_NETS}test_theta_properties.py::test_the_claim_of_rule_9_has_a_counterexample",
        ),
    ),
    numbered(
        "Figure 1, Tables 6 and 7",
        "The net of the p⁺-sensitive publisher, its types and places",
        python=(f"{_N}.p_plus_sensitive.p_plus_publisher", f"{_N}.rules.PAPER_NETS"),
        tests=(
            f"{_NETS}test_p_plus_net.py::test_the_steps_are_those_of_the_paper",
            f"{_NETS}test_rules.py::test_every_place_is_in_the_table",
        ),
    ),
    numbered(
        "Figure 2, Tables 9 and 10",
        "The net of the θ-sensitive publisher, its types and places",
        rows="N1",
        python=(f"{_N}.theta_sensitive.theta_publisher", f"{_N}.rules.PAPER_NETS"),
        tests=(
            f"{_NETS}test_rules.py::test_every_rule_of_the_paper_is_there",
            f"{_NETS}test_theta_net.py::test_the_anonymizers_run_is_a_path",
        ),
    ),
    numbered(
        "Tables 1a and 3",
        "Twelve patients; categories of their diseases",
        python=(f"{_M}.papers.theta_tables.microdata", f"{_M}.papers.theta_tables.categories"),
        tests=(f"{_NUMBERS}test_the_shipped_tables",),
    ),
    numbered(
        "Tables 4a and 4b",
        "What the models before θ publish of them",
        rows="T4 T5 T6",
        python=(f"{_M}.papers.theta_tables.published",),
        tests=(
            f"{_NUMBERS}test_tables_4_and_8_from_their_definitions",
            f"{_MODELS}privacy/test_privacy_sensitivity.py::test_table_4a_is_2_plus_sensitive_4_anonymous",
            f"{_MODELS}privacy/test_privacy_sensitivity.py::test_table_4b_is_3_1_sensitive_4_anonymous",
        ),
    ),
    numbered(
        "Table 5",
        "V of the classes of Table 4a",
        rows="T7",
        python=(f"{_T}.theta.variance",),
        tests=(f"{_NUMBERS}test_table_5_step_by_step",),
    ),
    numbered(
        "Tables 8a and 8b",
        "What θ-sensitive k-anonymity publishes of them",
        rows="T18 T19 T20 T21",
        python=(f"{_M}.papers.theta_tables.published", f"{_N}.publications.publications"),
        tests=(
            f"{_MODELS}tables/theta/test_theta_moves.py::test_the_papers_outcome_is_reachable",
            f"{_NETS}test_publications.py::test_the_documents_table",
        ),
    ),
    numbered(
        "Table 11",
        "Discernibility penalties on Adult",
        rows="T38 T39 T40 T41 T42 T43 T44",
        python=(f"{_M}.tables.utility.least_discernibility",),
        tests=(f"{_NUMBERS}test_table_11",),
    ),
)
