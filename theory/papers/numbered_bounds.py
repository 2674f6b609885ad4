"""What Zhao et al. number, and where it is here."""

from __future__ import annotations

from kproof.theory.papers.numbered import numbered

_T = "kproof.theory.theorems"
_F = "kproof.theory.papers.figures"
_M = "kproof.models"
_TT = "tests/theory/theorems"
_DERIVED = "tests/theory/derivations"
_LEDGER = "tests/theory/papers/test_claims_bounds.py::test_the_evidence_holds"
_COUNTS = f"{_DERIVED}/test_proofs_counts.py::test_what_is_derived_is_what_is_computed"
_NORMAL = f"{_DERIVED}/test_proofs_normal.py::"
_THEOREM_1 = f"{_TT}/test_theorem1.py::"
_OTHERS = f"{_TT}/test_theorems2to5.py::"
_MODELS = "tests/models/"

BOUNDS = (
    numbered(
        "Definition 1, (1)",
        "k-anonymity, with s as a change of the size of a set",
        rows="Z2",
        python=("kproof.theory.papers.definitions.two_shifts",),
        tests=(_LEDGER,),
    ),
    numbered(
        "Definition 2, (2)",
        "(ε, δ)-noiseless privacy",
        rows="Z1",
        python=("kproof.theory.profiles.exact", "kproof.theory.papers.definitions.two_readings"),
        steps=("c5-laws", "lemma-1/normal-event"),
        tests=("tests/theory/profiles/test_profile_lattice.py::test_no_event_beats_the_profile",),
    ),
    numbered(
        "(3), (4)",
        "The ratio of neighbouring masses of a count",
        rows="Z11",
        python=(f"{_T}.theorem1.bound",),
        steps=("theorem-1/neighbours", "theorem-1/ratio-left", "theorem-1/ratio-right"),
        tests=(_COUNTS,),
    ),
    numbered(
        "(5), (6)",
        "Which end of the counts decides, and ε there",
        rows="Z10",
        python=(f"{_T}.theorem1.bound",),
        steps=("theorem-1/which-end", "theorem-1/larger-of-both"),
        tests=(_LEDGER,),
    ),
    numbered(
        "(7), (8)",
        "Hoeffding's inequality, and μ",
        rows="Z4 Z5 Z12",
        python=(f"{_T}.theorem1.bound",),
        steps=("theorem-1/hoeffding", "theorem-1/mu-printed", "theorem-1/mu-sound"),
        tests=(
            f"{_DERIVED}/test_proofs_counts.py::test_the_inequality_of_hoeffding",
            f"{_THEOREM_1}test_the_hoeffding_epsilon_is_sound_where_it_applies",
        ),
    ),
    numbered(
        "(9) to (13)",
        "Where the ratio crosses exp(ε), and the tails beyond",
        rows="Z8 Z12 Z33",
        python=(f"{_T}.theorem1.bound",),
        steps=(
            "theorem-1/threshold-up",
            "theorem-1/threshold-down",
            "theorem-1/hoeffding-below",
            "theorem-1/hoeffding-above",
        ),
        tests=(f"{_THEOREM_1}test_the_hoeffding_form_is_never_below_the_exact_value",),
    ),
    numbered(
        "Theorem 1 (1)",
        "ε of a given δ, without background information",
        rows="Z3 Z9 Z10",
        python=(f"{_T}.theorem1.bound",),
        steps=("theorem-1/larger-of-both", "c1-upward", "c1-downward"),
        tests=(
            f"{_THEOREM_1}test_statement_1_is_the_formula_of_the_paper",
            f"{_THEOREM_1}test_corrected_epsilon_inverts_the_exact_profile",
        ),
    ),
    numbered(
        "Theorem 1 (2)",
        "δ of a given ε, without background information",
        rows="Z3 Z6 Z7 Z8",
        python=(f"{_T}.theorem1.bound",),
        steps=("theorem-1/last-exponent", "c1-upward", "c1-downward"),
        tests=(
            f"{_THEOREM_1}test_statement_2_is_the_formula_of_the_paper",
            f"{_THEOREM_1}test_corrected_is_the_exact_value_of_brute_force",
        ),
    ),
    numbered(
        "Lemma 1",
        "Normal noise under a shift",
        rows="Z14 Z15 Z16 Z42 Z43",
        python=(f"{_T}.lemma1.minimal_c", f"{_T}.lemma1.gaussian_delta"),
        steps=("lemma-1/lemma-1", "c2-least-c"),
        tests=(
            f"{_TT}/test_lemma1.py::test_the_closed_form_is_where_the_printed_inequality_turns",
            f"{_NORMAL}test_where_the_printed_lemma_1_is_false",
        ),
    ),
    numbered(
        "(14)",
        "The ratio of two normal densities",
        rows="Z14 Z20 Z42",
        python=(f"{_T}.lemma1.gaussian_delta",),
        steps=("lemma-1/ratio", "lemma-1/log-ratio", "lemma-1/threshold"),
        tests=(f"{_NORMAL}test_what_is_assumed",),
    ),
    numbered(
        "(15)",
        "The tail of a normal law",
        rows="Z13",
        python=(f"{_T}.lemma1.gaussian_delta",),
        steps=("lemma-1/tail", "lemma-1/tail-scaled"),
        tests=(f"{_NORMAL}test_a_monotone_step_differentiates_the_normal_distribution",),
    ),
    numbered(
        "(16)",
        "The condition on c",
        rows="Z13 Z15",
        python=(f"{_T}.lemma1.minimal_c",),
        steps=("lemma-1/in-sigmas", "lemma-1/into-16", "lemma-1/condition-rises"),
        tests=(f"{_NORMAL}test_lemma_1_has_the_condition_that_the_paper_prints",),
    ),
    numbered(
        "(17)",
        "The condition on c as Lemma 1 prints it",
        rows="Z15",
        python=(f"{_T}.lemma1.minimal_c",),
        steps=("lemma-1/form-of-17", "lemma-1/falls-in-epsilon"),
        tests=(f"{_NORMAL}test_lemma_1_has_the_condition_that_the_paper_prints",),
    ),
    numbered(
        "(18)",
        "An event, split where the ratio is large",
        rows="Z19",
        python=(f"{_T}.lemma1.gaussian_delta",),
        steps=("lemma-1/joint", "lemma-1/split", "lemma-1/rare-part"),
        tests=(f"{_NORMAL}test_no_union_of_intervals_gains_more_than_the_profile",),
    ),
    numbered(
        "Lemma 2",
        "The inequality of Berry and Esseen",
        rows="Z21",
        python=(f"{_T}.theorem2.STATEMENTS",),
        steps=("lemma-2",),
        tests=(f"{_NORMAL}test_the_inequality_of_berry_and_esseen_for_coins",),
    ),
    numbered(
        "Theorem 2, (19) to (27)",
        "Independent records, level I",
        rows="Z17 Z18 Z22 Z23 Z24 Z25 Z40 Z41 Z44",
        python=(f"{_T}.theorem2.STATEMENTS",),
        steps=("theorem-2", "left-over-factor"),
        tests=(
            f"{_OTHERS}test_theorems_2_and_4_are_the_formulas_of_the_paper",
            f"{_OTHERS}test_corrected_theorem_2_is_never_below_the_truth_of_its_events",
        ),
    ),
    numbered(
        "Theorem 3, (28) to (34)",
        "Dependent records, level II",
        rows="Z26 Z27 Z29 Z30 Z50 Z51 Z54",
        python=(f"{_T}.theorem3.STATEMENTS",),
        steps=("theorem-3",),
        tests=(
            f"{_OTHERS}test_theorems_3_and_5_are_the_formulas_of_the_paper",
            f"{_OTHERS}test_corrected_theorem_3_holds_for_pairs_of_dependent_records",
        ),
    ),
    numbered(
        "(35)",
        "Stein's bound on the distance to a normal law",
        rows="Z26 Z28 Z53",
        python=(f"{_T}.theorem3.STATEMENTS",),
        steps=("theorem-3/kolmogorov", "theorem-3/stein", "theorem-3/printed-constant"),
        tests=(f"{_DERIVED}/test_proofs_stein.py::test_constants",),
    ),
    numbered(
        "(36)",
        "δ of Theorem 3, with 1 + exp(ε) outside the root",
        rows="Z26 Z29",
        python=(f"{_T}.theorem3.STATEMENTS",),
        steps=("theorem-3/outside",),
        tests=(f"{_DERIVED}/test_proofs_stein.py::test_what_is_refuted_is_what_is_printed",),
    ),
    numbered(
        "Theorem 4",
        "Independent records, some of them known, level III",
        rows="Z22 Z23 Z25 Z45",
        python=(f"{_T}.theorem4.STATEMENTS",),
        steps=("theorem-4",),
        tests=(f"{_OTHERS}test_theorem_4_over_given_indexes_is_theorem_2_over_the_rest",),
    ),
    numbered(
        "Theorem 5",
        "Dependent records, some of them known, level IV",
        rows="Z31 Z50 Z52",
        python=(f"{_T}.theorem5.STATEMENTS",),
        steps=("theorem-5",),
        tests=(
            f"{_OTHERS}test_theorems_3_and_5_are_the_formulas_of_the_paper",
            f"{_DERIVED}/test_proofs_stein.py::test_what_is_known_joins_what_is_not",
        ),
    ),
    numbered(
        "Table II",
        "What an adversary of each level knows",
        rows="Z27",
        python=(f"{_T}.adversary.Adversary",),
        tests=(f"{_TT}/test_adversary.py::test_table_ii",),
    ),
    numbered(
        "Figures 2 to 5",
        "ε and δ as the bounds have them, against s, k, λ1, λ2 and ε",
        rows="F1 F2 F9 F15 F22 Z32",
        python=(f"{_F}.printed", f"{_F}.setting_of"),
        tests=(
            "tests/theory/papers/test_figures.py::test_printed_panels_are_the_captions",
            "tests/theory/papers/test_figures.py::test_exact_values_of_figure_4_by_hand",
        ),
    ),
    numbered(
        "Section IV-A",
        "Two ways to publish a graph (CA, IA), a baseline (BE), and two attacks (MLE, BAS)",
        rows="E12 G1 G2 G3 G4 G5 G6",
        python=(
            f"{_M}.graphs.sangreea.method.sangreea",
            f"{_M}.graphs.kdegree.method.k_degree",
            f"{_M}.graphs.baseline.method.baseline",
            f"{_M}.attacks.inference.friends.identify",
        ),
        tests=(
            f"{_MODELS}graphs/test_sangreea.py::test_both_searches_choose_what_the_definitions_say",
            f"{_MODELS}graphs/test_kdegree.py::test_every_small_graph",
            f"{_MODELS}graphs/test_baseline_sets.py::test_no_other_set_has_a_lower_delta",
            f"{_MODELS}attacks/inference/test_inference.py::test_friends_against_the_definition",
        ),
    ),
    numbered(
        "Table III, Figures 6 and 7",
        "The share of users who are identified",
        rows="E1 E2 E3 E4 E5 E9",
        python=(f"{_M}.papers.fu_experiment.run",),
        tests=(
            f"{_MODELS}papers/test_fu_experiment.py::test_cells_are_what_the_attack_gives",
            f"{_MODELS}papers/test_claims_inference.py::test_the_evidence_holds",
        ),
    ),
)
