(* Values for which all hypotheses of a theorem hold, one for each theorem: that of a theorem t is
   t_model. Its type is read off the type of t, so that no hypothesis can be left out: it is the
   type of all that t takes, each of it depending on what comes before. A theorem whose hypotheses
   contradict each other has none.

   Numbers are rationals, E is 2, laws are those of a coin or of a point. *)

From mathcomp Require Import all_ssreflect all_algebra.
From kproof Require Import Laws Blocks Several LogConcave Counts Release Histograms Refuted.
From kproof Require Import Theta Published Joined Withheld Channels Moving.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Ltac hypotheses T :=
  lazymatch T with
  | forall x : ?A, @?B x =>
      let y := fresh "y" in
      constr:({y : A & ltac:(let U := eval cbv beta in (B y) in let H := hypotheses U in exact H)})
  | let x := ?v in @?B x => let U := eval cbv beta in (B v) in hypotheses U
  | _ => constr:(unit)
  end.
Ltac hypotheses_of t := let T := type of t in let H := hypotheses T in exact H.

(* A hypothesis, proved. *)
Tactic Notation "prove" tactic3(t) := unshelve eexists; first by t.

Let Q := rat_realFieldType.
Let half : Q := 2%:R^-1.
Let coin : {poly Q} := counted half.
Let of_bool (x : bool) := coin.
Let halves (x : bool) := half.

Lemma half01 : 0 <= half <= 1. Proof. by []. Qed.
Lemma half_inner : 0 < half < 1. Proof. by []. Qed.
Lemma law_coin : law coin. Proof. exact: law_counted half01. Qed.
Lemma log_concave_coin : log_concave coin.
Proof. by rewrite -[coin]mulr1; apply: log_concave_counted half01 (log_concave1 _). Qed.
Lemma twice_half : \sum_(x : bool) half = 1. Proof. by rewrite big_bool. Qed.
Lemma told_coin (f g : {poly Q}) O : pr f O <= 2%:R * pr g O + hockey 2%:R f g.
Proof. by rewrite -ler_subl_addl; apply: hockey_ge. Qed.

Definition close_hockey_model : ltac:(hypotheses_of @close_hockey).
Proof. by exists Q, 2%:R, 0, coin, 1. Defined.

Definition hockey_mix_model : ltac:(hypotheses_of @hockey_mix).
Proof. by exists Q, bool_finType, 2%:R, halves, of_bool, of_bool; prove idtac. Defined.

Definition hockey_kernel_model : ltac:(hypotheses_of @hockey_kernel).
Proof.
exists Q, 2%:R, coin, 1, (fun=> coin), (size coin).+1.
by prove (exact: leqnSn); prove (rewrite size_poly1); prove (move=> i; exact: law_coin).
Defined.

Definition block_bound_events_model : ltac:(hypotheses_of @block_bound_events).
Proof.
exists Q, bool_finType, halves, 2%N, 1%N, 1%N, of_bool, of_bool.
by prove idtac; prove (move=> i; split; exact: law_coin); exists 2%:R.
Defined.

Definition block_bound_least_model : ltac:(hypotheses_of @block_bound_least).
Proof.
exists Q, bool_finType, halves, 2%N, 1%N, 1%N, of_bool, of_bool.
prove idtac; prove (move=> i; split; exact: law_coin); exists 2%:R, half, setT.
by do 3 prove idtac.
Defined.

Definition block_bound_given_model : ltac:(hypotheses_of @block_bound_given).
Proof.
exists Q, 2%:R, bool_finType, bool_finType, halves, (fun=> halves), halves, 2%N, 1%N, 1%N.
exists (fun=> of_bool), (fun=> of_bool), of_bool.
prove idtac; prove idtac; prove (exact: twice_half); prove (move=> x; exact: law_coin).
by prove (move=> x i; split; exact: law_coin); prove idtac.
Defined.

Definition block_bound_groups_model : ltac:(hypotheses_of @block_bound_groups).
Proof.
exists Q, 2%:R, bool_finType, bool_finType, (fun=> halves), (fun=> halves), halves.
exists 2%N, 1%N, 1%N, (fun=> of_bool), (fun=> of_bool), (fun=> of_bool).
prove idtac; prove idtac; prove (move=> i; exact: twice_half).
prove (move=> i x; exact: law_coin); prove (move=> i x; split; exact: law_coin); prove idtac.
by prove (move=> i; rewrite -mulr_suml twice_half mul1r).
Defined.

Definition told_sym_model : ltac:(hypotheses_of @told_sym).
Proof. by exists Q, 2%:R, 2%N, 1%N, 1%N, 3%N; prove idtac. Defined.

Definition blocks_attained_model : ltac:(hypotheses_of @blocks_attained).
Proof.
exists Q, 2%:R, bool_finType, halves, 2%N, 1%N, 1%N, 4%N.
by prove idtac; prove idtac; prove (rewrite card_bool).
Defined.

(* Two sums, both over a cell of two records, and each over one of two others. *)
Let both (j : bool) := true.
Let its_own (j i : bool) := i == j.

Lemma size_coin : (size coin <= 2)%N.
Proof.
by rewrite (leq_trans (size_add _ _)) // geq_max size_polyC (leq_trans (size_scale_leq _ _)) ?size_polyX.
Qed.

Definition several_sums_model : ltac:(hypotheses_of @several_sums).
Proof.
exists Q, bool_finType, bool_finType, bool_finType, 2%N, both, its_own, of_bool, of_bool.
prove (move=> i; exact: law_coin); prove (move=> i; exact: size_coin).
by prove (move=> i; exact: size_coin); exists 2%:R, 1%N, predT.
Defined.

Lemma size_record : (size (@record Q half 2%N 1%N 1 1) <= 2)%N.
Proof.
rewrite /record /block mulr1 !big_ord_recl big_ord0 addr0 /= expr0 mul1n expr1.
rewrite (leq_trans (size_add _ _)) // geq_max !(leq_trans (size_scale_leq _ _)) ?size_poly1 //.
by rewrite (leq_trans (size_add _ _)) // geq_max size_poly1 size_polyX.
Qed.

Definition several_blocks_model : ltac:(hypotheses_of @several_blocks).
Proof.
exists Q, bool_finType, bool_finType, bool_finType, 2%N, 2%:R, both, its_own, of_bool, halves.
exists 2%N, 1%N, 1%N, (fun=> 1), (fun=> 1), predT.
prove (move=> i; exact: law_coin); prove (move=> i; exact: size_coin); prove idtac.
by prove (move=> c; split; exact: law1); prove (move=> c; exact: size_record).
Defined.

Definition half_line_up_model : ltac:(hypotheses_of @half_line_up).
Proof. by exists Q, 2%:R, coin, 1%N; prove idtac; prove (exact: log_concave_coin). Defined.

Definition half_line_down_model : ltac:(hypotheses_of @half_line_down).
Proof. exact: half_line_up_model. Defined.

Definition half_lines_suffice_model : ltac:(hypotheses_of @half_lines_suffice).
Proof.
pose up := hockey 2%:R coin ('X^1 * coin); pose down := hockey 2%:R ('X^1 * coin) coin.
exists Q, 2%:R, (Num.max up down), coin, 1%N; prove idtac; prove (exact: log_concave_coin).
prove (move=> t; apply: le_trans (told_coin _ _ _) _; apply: ler_add => //; rewrite le_maxr lexx).
by prove (move=> t; apply: le_trans (told_coin _ _ _) _; apply: ler_add => //; rewrite le_maxr lexx orbT).
Defined.

Definition log_concave_coins_model : ltac:(hypotheses_of @log_concave_coins).
Proof. by exists Q, bool_finType, halves; prove idtac. Defined.

Definition log_concave_conv_model : ltac:(hypotheses_of @log_concave_conv).
Proof. by exists Q, coin, coin; do 2 prove (exact: log_concave_coin). Defined.

Definition log_concave_prod_model : ltac:(hypotheses_of @log_concave_prod).
Proof. by exists Q, bool_finType, of_bool; prove (move=> x; exact: log_concave_coin). Defined.

(* One tuple with chance 1/2, published from 0 on, against E = 2: w = 0 and d = 2. *)
Lemma up_at_0 : threshold_up 1 0 half 2%:R 0.
Proof. by split=> // -[|[|i]]. Qed.
Lemma down_at_2 : threshold_down 1 0 half 2%:R 2.
Proof. by split=> // -[|[|i]]. Qed.

Definition count_up_events_model : ltac:(hypotheses_of @count_up_events).
Proof.
by exists Q, 1%N, 0%N, half; do 2 prove idtac; exists 2%:R, 1, 0%N; prove idtac; exists up_at_0.
Defined.

Definition count_down_events_model : ltac:(hypotheses_of @count_down_events).
Proof.
by exists Q, 1%N, 0%N, half; do 2 prove idtac; exists 2%:R, 1, 2%N; prove idtac; exists down_at_2.
Defined.

Definition threshold_up_formula_model : ltac:(hypotheses_of @threshold_up_formula).
Proof. by exists Q, 1%N, 0%N, half; do 2 prove idtac; exists 2%:R; prove idtac. Defined.

Definition threshold_down_formula_model : ltac:(hypotheses_of @threshold_down_formula).
Proof. exact: threshold_up_formula_model. Defined.

Definition floor_uniq_model : ltac:(hypotheses_of @floor_uniq).
Proof. by exists Q, half, 0, 0; do 2 prove idtac. Defined.

Definition count_atom_model : ltac:(hypotheses_of @count_atom).
Proof.
pose up := hockey 2%:R (Counts.published 0 1 half) ('X * Counts.published 0 1 half).
exists Q, 1%N, 0%N, half; prove idtac; exists 2%:R, up.
by prove (apply/close_hockey; exact: lexx).
Defined.

(* Four rows, two of each value of two: k = 2, theta = 1/4 for mu = 1. *)
Definition theta_sensitive_model : ltac:(hypotheses_of @theta_sensitive).
Proof.
exists bool_eqType, bool_finType, id, 1%N, 1%N, 2%N, [:: true; false].
prove idtac; prove (by case); prove (by vm_compute).
by exists [:: ([:: true; true], [::]); ([:: false; false], [::])]; prove idtac.
Defined.

(* The same rows, whose quasi-identifier is all that they have; a label lists them. *)
Definition theta_published_model : ltac:(hypotheses_of @theta_published).
Proof.
exists bool_eqType, bool_finType, bool_eqType, [eqType of seq bool], id, id, undup.
exists (fun l q => q \in l), 1%N, 1%N, 2%N, [:: true; false].
prove idtac; prove (by case); prove (by vm_compute); prove (move=> s q; rewrite mem_undup).
by exists [:: ([:: true; true], [::]); ([:: false; false], [::])]; prove idtac.
Defined.

Definition variance_uniq_model : ltac:(hypotheses_of @variance_uniq).
Proof. by exists bool_eqType, 1%N, 1%N, 2%N, [:: true; false]; do 3 prove idtac. Defined.

Definition variance_given_away_model : ltac:(hypotheses_of @variance_given_away).
Proof.
by exists nat_eqType, 1%N, 1%N, 2%N, [:: 0; 0; 1; 1]%N, 2%N, 0%N; do 3 prove (by vm_compute).
Defined.

Definition variance_reachable_model : ltac:(hypotheses_of @variance_reachable).
Proof.
exists bool_eqType, 1%N, 1%N, 2%N, [:: true; false], [:: true; true].
by prove (by case); prove (by vm_compute).
Defined.

Definition union_may_fail_model : ltac:(hypotheses_of @union_may_fail).
Proof. exact: tt. Defined.

Definition sampled_up_model : ltac:(hypotheses_of @sampled_up).
Proof.
exists Q, half, 2%:R; do 2 prove idtac; exists 1%N, 1%N.
by do 3 prove idtac; exists 1%N.
Defined.

Definition sampled_attained_model : ltac:(hypotheses_of @sampled_attained).
Proof. by exists Q, half, 2%:R; do 2 prove idtac; exists 1%N, 1%N; do 2 prove idtac. Defined.

Definition sampled_floor_model : ltac:(hypotheses_of @sampled_floor).
Proof. by exists Q, half, 2%:R; do 2 prove idtac; exists 1%N, 1%N; do 2 prove idtac. Defined.

Definition sampled_down_model : ltac:(hypotheses_of @sampled_down).
Proof.
exists Q, half, 2%:R; do 2 prove idtac; exists 0%N, 0%N.
by do 3 prove idtac; exists 1%N.
Defined.

Definition sampled_down_attained_model : ltac:(hypotheses_of @sampled_down_attained).
Proof. by exists Q, half, 2%:R; do 2 prove idtac; exists 0%N, 0%N; do 3 prove idtac. Defined.

Definition sampled_nothing_model : ltac:(hypotheses_of @sampled_nothing).
Proof. by exists Q, half, 2%:R; do 2 prove idtac; exists 1%N, 1%N; prove idtac. Defined.

Definition sampled_k_model : ltac:(hypotheses_of @sampled_k).
Proof. by exists Q, half, 2%:R; do 2 prove idtac; exists 1%N, 1%N. Defined.

Definition sampled_beta_model : ltac:(hypotheses_of @sampled_beta).
Proof. by exists Q, 2%:R, half, 1; do 3 prove idtac; exists 1, 1%N, 1%N. Defined.

Definition suppressed_told_model : ltac:(hypotheses_of @suppressed_told).
Proof. by exists Q, 2%:R, 1%N, coin, 1. Defined.

Definition least_law_model : ltac:(hypotheses_of @least_law).
Proof.
exists Q, bool_finType, halves, coin, of_bool.
by prove idtac; prove (move=> i; exact: law_coin); exists 2%:R, 1%N.
Defined.

(* Two others, in two cells as coins fall; and a path of one edge between these. *)
Let others (i : bool) := halves.

Lemma belief_others : belief others. Proof. by move=> i; split=> //; exact: twice_half. Qed.
Lemma half_half : 0 <= half <= half. Proof. by []. Qed.

Let told := coins_tell 2%:R (fun i : bool => half + half) (fun=> half / (half + half)).

Lemma others_close a b : a != b -> close_tables 2%:R told others a b.
Proof. by move=> ab; exact: (coin_bound _ belief_others ab (fun=> half_half) (fun=> half_half)). Qed.

Definition coin_bound_model : ltac:(hypotheses_of @coin_bound).
Proof.
exists Q, bool_finType, bool_finType, 2%:R, others, halves, halves, true, false.
by prove (exact: belief_others); do 3 prove idtac.
Defined.

Definition coin_attained_model : ltac:(hypotheses_of @coin_attained).
Proof.
exists Q, bool_finType, bool_finType, others, true, false; prove (exact: belief_others).
by prove idtac; exists 2%:R, half; prove (by move=> i j []).
Defined.

Definition coin_iid_exact_model : ltac:(hypotheses_of @coin_iid_exact).
Proof.
exists Q, bool_finType, bool_finType, 2%:R, half, halves, true, false, id.
do 2 prove idtac; prove (exact: twice_half); do 3 prove idtac.
by prove (by rewrite card_bool => -[|[|[|]]]).
Defined.

Definition rarer_tell_more_model : ltac:(hypotheses_of @rarer_tell_more).
Proof.
exists Q, bool_finType, bool_finType, bool_finType, 2%:R, told, halves, halves.
exists true, false, true, false; do 1 prove idtac; prove (exact: twice_half).
prove idtac; prove (exact: twice_half); do 4 prove idtac.
by prove (exact: others_close).
Defined.

Definition two_rarest_model : ltac:(hypotheses_of @two_rarest).
Proof.
exists Q, bool_finType, bool_finType, 2%:R, told, halves, true, false; prove idtac.
prove (exact: twice_half); do 3 prove idtac; do 2 prove (exact: others_close).
by exists true, false; prove idtac.
Defined.

Let edge_cell (j : nat) := j == 0%N.
Let on_it (i : bool) : 'I_1 := ord0.

Definition path_bound_model : ltac:(hypotheses_of @path_bound).
Proof.
exists Q, bool_finType, bool_finType, 1%N, edge_cell, on_it, halves, 2%:R, others, (fun=> 1).
by prove (exact: belief_others); prove idtac; prove (by move=> i []).
Defined.

Definition path_exact_model : ltac:(hypotheses_of @path_exact).
Proof.
exists Q, bool_finType, bool_finType, 1%N, edge_cell, on_it, halves.
by prove (by move=> [|[|j]] [|[|k]]); exists 2%:R, half.
Defined.

Definition same_sample_choice_model : ltac:(hypotheses_of @same_sample_choice).
Proof. exact: tt. Defined.

Definition merged_rest_model : ltac:(hypotheses_of @merged_rest).
Proof. exact: tt. Defined.

Definition two_tables_model : ltac:(hypotheses_of @two_tables).
Proof. exact: tt. Defined.

Definition adaptive_questions_model : ltac:(hypotheses_of @adaptive_questions).
Proof. exact: tt. Defined.

Definition joined_values_model : ltac:(hypotheses_of @joined_values).
Proof. by exists nat_eqType, [:: 0; 1]%N, [:: 1]%N. Defined.

Definition joined_kinds_model : ltac:(hypotheses_of @joined_kinds).
Proof. by exists nat_eqType, bool_eqType, odd, [:: 0; 1]%N, [:: 1]%N. Defined.

Definition joined_close_model : ltac:(hypotheses_of @joined_close).
Proof.
exists nat_eqType, 1%N, 2%N, [:: 0; 1]%N, [:: 0; 0; 1; 1]%N, [:: 0; 0]%N, [:: 0; 1]%N.
by do 2 prove (by vm_compute).
Defined.

Definition apart_spans_model : ltac:(hypotheses_of @apart_spans).
Proof. by exists 0%N, 1%N, 2%N, 3%N, 1%N; do 4 prove idtac. Defined.

Let by_coin (t : bool) := half.
Lemma halves_ge0 t : 0 <= halves t. Proof. by []. Qed.
Lemma by_coin_half t : half <= by_coin t <= 1. Proof. by []. Qed.
Lemma weight_halves : weight halves (fun=> 1) id + weight halves (fun=> 1) (predC id) = 1.
Proof. by rewrite /weight big_mkcond [X in _ + X]big_mkcond !big_bool. Qed.

Definition withheld_odds_model : ltac:(hypotheses_of @withheld_odds).
Proof.
exists Q, bool_finType, halves, id; prove (exact: halves_ge0); exists half, by_coin.
by prove idtac; prove (exact: by_coin_half).
Defined.

Definition withheld_belief_model : ltac:(hypotheses_of @withheld_belief).
Proof.
exists Q, bool_finType, halves, id; prove (exact: halves_ge0); exists half, by_coin.
prove idtac; prove (exact: by_coin_half); prove (exact: weight_halves).
by prove (rewrite /weight big_mkcond [X in _ + _ * X]big_mkcond !big_bool).
Defined.

Definition withheld_attained_model : ltac:(hypotheses_of @withheld_attained).
Proof.
exists Q, bool_finType, halves, id, half.
by prove (exact: weight_halves).
Defined.

Definition published_same_model : ltac:(hypotheses_of @published_same).
Proof. by exists Q, bool_finType, halves, id, bool_eqType, id, by_coin, true; prove idtac. Defined.

Definition neighbours_decide_model : ltac:(hypotheses_of @neighbours_decide).
Proof.
exists Q, bool_eqType, bool, (fun _ _ => half), (fun _ _ => true), (fun _ _ => 1%N), half.
by prove idtac.
Defined.

Let everybody (t : bool) := [set: bool].
Let anywhere (t s : bool) : pred bool := predT.
Lemma two_of_two t : (2 <= #|everybody t|)%N. Proof. by rewrite cardsT card_bool. Qed.

Definition record_shared_model : ltac:(hypotheses_of @record_shared).
Proof.
exists bool_finType, bool_finType, bool_finType, (fun p _ => p), anywhere, everybody, 2%N.
by do 2 prove idtac; prove (exact: two_of_two); exists predT, true.
Defined.

Definition same_record_model : ltac:(hypotheses_of @same_record).
Proof.
exists bool_finType, bool_finType, bool_finType, anywhere, everybody, 2%N.
by prove idtac; prove (exact: two_of_two); exists true.
Defined.

Definition fits_none_or_k_model : ltac:(hypotheses_of @fits_none_or_k).
Proof.
exists bool_finType, bool_finType, bool_finType, (fun p _ => p), anywhere, everybody, 2%N.
by prove idtac; prove (exact: two_of_two); exists predT, true.
Defined.
