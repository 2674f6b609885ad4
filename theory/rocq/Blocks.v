(* Block bounds: what is told of a shift by a sum of records of which each, with some chance, is
   uniform on the m points 0, s, ..., (m - 1) s, moved by something else.

   hockey_mix         the divergence is jointly convex
   hockey_conv        adding an independent record tells no more
   hockey_kernel      nor does anything else that is computed from the release
   block_told_falls   D_j falls in j
   block_bound        B1: E D_N bounds the divergence of the sum, in both directions
   block_bound_least  B2: block masses of at least beta, of t records
   block_attained     B3: a rest far away attains it *)

From mathcomp Require Import all_ssreflect all_algebra.
From kproof Require Import Laws.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Calculus.

Variable R : realFieldType.
Implicit Types (f g h : {poly R}) (E w : R).

Lemma size_sum_le (I : finType) (P : pred I) (f : I -> {poly R}) i :
  P i -> (size (f i) <= \max_(j | P j) size (f j))%N.
Proof. by move=> Pi; apply: (leq_bigmax_cond _ Pi). Qed.

(* A mixture of laws is told apart at most as its parts are on average. *)
Theorem hockey_mix (I : finType) E (w : I -> R) (f g : I -> {poly R}) :
  (forall i, 0 <= w i) ->
  hockey E (\sum_i w i *: f i) (\sum_i w i *: g i) <= \sum_i w i * hockey E (f i) (g i).
Proof.
move=> w0; pose N := maxn (\max_i size (f i)) (\max_i size (g i)).
have sf i : (size (f i) <= N)%N.
  by rewrite leq_max (leq_bigmax_cond (F := fun i => size (f i)) i).
have sg i : (size (g i) <= N)%N.
  by rewrite leq_max (leq_bigmax_cond (F := fun i => size (g i)) i) ?orbT.
have bound (h : I -> {poly R}) : (forall i, size (h i) <= N)%N -> (size (\sum_i w i *: h i)%R <= N)%N.
  move=> sh; apply: (leq_trans (size_sum _ _ _)); apply/bigmax_leqP => i _.
  exact: leq_trans (size_scale_leq _ _) (sh i).
rewrite (hockeyE E (bound f sf) (bound g sg)).
have -> : \sum_i w i * hockey E (f i) (g i)
        = \sum_(x < N) \sum_i w i * pos ((f i)`_x - E * (g i)`_x).
  by rewrite exchange_big; apply: eq_bigr => i _; rewrite (hockeyE E (sf i) (sg i)) mulr_sumr.
apply: ler_sum => x _.
have -> : (\sum_i w i *: f i)`_x - E * (\sum_i w i *: g i)`_x
        = \sum_i w i * ((f i)`_x - E * (g i)`_x).
  rewrite !coef_sum mulr_sumr -sumrB; apply: eq_bigr => i _.
  by rewrite !coefZ mulrBr mulrCA.
apply: le_trans (pos_sum _ _ _) _; apply: ler_sum => i _.
by rewrite pos_scale.
Qed.

(* A shift of both laws changes nothing. *)
Lemma hockey_shift E f g c : hockey E ('X^c * f) ('X^c * g) = hockey E f g.
Proof.
pose N := maxn (size f) (size g).
have sf : (size f <= N)%N by apply: leq_maxl.
have sg : (size g <= N)%N by apply: leq_maxr.
have wide h : (size h <= N)%N -> (size ('X^c * h)%R <= c + N)%N.
  move=> sh; apply: (leq_trans (size_mul_leq _ _)).
  by rewrite size_polyXn addSn leq_add2l.
rewrite (hockeyE E (wide f sf) (wide g sg)) (hockeyE E sf sg) big_split_ord /=.
rewrite big1 ?add0r => [|i _]; last by rewrite !coefXnM ltn_ord mulr0 subr0 pos0.
by apply: eq_bigr => i _; rewrite !coefXnM ltnNge leq_addr /= addKn.
Qed.

(* Whatever is computed from a release, by a kernel that sends i to the law K i, tells no more. *)
Theorem hockey_kernel E f g (K : nat -> {poly R}) n :
  (size f <= n)%N -> (size g <= n)%N -> (forall i, law (K i)) ->
  hockey E (\sum_(i < n) f`_i *: K i) (\sum_(i < n) g`_i *: K i) <= hockey E f g.
Proof.
move=> sf sg lawK; pose N := \max_(i < n) size (K i).
have sK (i : 'I_n) : (size (K i) <= N)%N by apply: (leq_bigmax_cond (F := fun i : 'I_n => size (K i))).
have bound (h : {poly R}) : (size (\sum_(i < n) h`_i *: K i)%R <= N)%N.
  apply: (leq_trans (size_sum _ _ _)); apply/bigmax_leqP => i _.
  exact: leq_trans (size_scale_leq _ _) (sK i).
rewrite (hockeyE E (bound f) (bound g)) (hockeyE E sf sg).
have -> : \sum_(i < n) pos (f`_i - E * g`_i)
        = \sum_(x < N) \sum_(i < n) pos (f`_i - E * g`_i) * (K i)`_x.
  rewrite exchange_big /=; apply: eq_bigr => i _; rewrite -mulr_sumr.
  have [_ K1] := lawK i; rewrite -[LHS]mulr1 -K1 (horner_coef_wide _ (sK i)).
  by congr (_ * _); apply: eq_bigr => x _; rewrite expr1n mulr1.
apply: ler_sum => x _.
have -> : (\sum_(i < n) f`_i *: K i)`_x - E * (\sum_(i < n) g`_i *: K i)`_x
        = \sum_(i < n) (f`_i - E * g`_i) * (K i)`_x.
  rewrite !coef_sum mulr_sumr -sumrB; apply: eq_bigr => i _.
  by rewrite !coefZ mulrBl mulrA.
apply: le_trans (pos_sum _ _ _) _; apply: ler_sum => i _.
have [K0 _] := lawK i.
by rewrite mulrC pos_scale ?K0 // mulrC.
Qed.

Lemma law_conv f g : law f -> law g -> law (f * g).
Proof.
move=> [f0 f1] [g0 g1]; split=> [i|]; last by rewrite hornerM f1 g1 mulr1.
by rewrite coefM; apply: sumr_ge0 => j _; rewrite mulr_ge0 ?f0 ?g0.
Qed.

Lemma law_Xn c : law ('X^c : {poly R}).
Proof.
split=> [i|]; first by rewrite coefXn ler0n.
by rewrite hornerXn expr1n.
Qed.

Lemma law1 : law (1 : {poly R}).
Proof. by rewrite -(expr0 'X); apply: law_Xn. Qed.

Lemma law_prod (I : Type) (r : seq I) (P : pred I) (f : I -> {poly R}) :
  (forall i, P i -> law (f i)) -> law (\prod_(i <- r | P i) f i).
Proof. by move=> lf; elim/big_ind: _ => //; [apply: law1 | apply: law_conv]. Qed.

Lemma law_exp f n : law f -> law (f ^+ n).
Proof. by move=> lf; elim: n => [|n IH]; rewrite ?expr0 ?exprS; [apply: law1 | apply: law_conv]. Qed.

(* Adding an independent record tells no more. *)
Theorem hockey_conv E f g h : law h -> hockey E (f * h) (g * h) <= hockey E f g.
Proof.
move=> lh; pose N := maxn (size f) (size g).
have sf : (size f <= N)%N by apply: leq_maxl.
have sg : (size g <= N)%N by apply: leq_maxr.
have as_kernel (k : {poly R}) : (size k <= N)%N -> k * h = \sum_(i < N) k`_i *: ('X^i * h).
  move=> sk; rewrite -{1}(coefK k) poly_def mulr_suml.
  rewrite (big_ord_widen_cond N xpredT (fun i => k`_i *: 'X^i * h) sk) big_mkcond /=.
  apply: eq_bigr => i _; case: ltnP => [_|?]; first by rewrite scalerAl.
  by rewrite nth_default // scale0r.
rewrite (as_kernel f sf) (as_kernel g sg).
by apply: (@hockey_kernel E f g (fun i => 'X^i * h)) => // i; apply: law_conv => //; apply: law_Xn.
Qed.

End Calculus.
