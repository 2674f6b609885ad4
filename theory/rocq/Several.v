(* B8: several sums of the same independent records, released together.

   The records of C are in exactly the same sums, those of I in any. A record of C is moved by s,
   and with it all sums that it is in.

   several           the sums, by their indexes J
   pr_several        the chance that all sums together fall into an event
   mean_over         of the records of C only their total is told
   several_sums      the sums together tell of the move at most what the total of C tells
   several_blocks    B8: hence at most what the blocks of the records of C tell on average *)

From mathcomp Require Import all_ssreflect all_algebra ring.
From kproof Require Import Laws Blocks.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Several.
Variables (R : realFieldType) (I C J : finType) (n : nat).
Implicit Types (E delta : R) (O : pred {ffun J -> nat}) (t : nat).

(* The mean of H over independent records with laws f, whose values are below n. *)
Definition over (K : finType) (f : K -> {poly R}) (H : {ffun K -> 'I_n} -> R) :=
  \sum_(x : {ffun K -> 'I_n}) (\prod_i (f i)`_(x i)) * H x.

(* Sum j is over the records i with member j i, and over all of C if j is in inside: y are the
   values of the former, t is the total of C. *)
Definition several (inside : pred J) (member : J -> pred I) (y : {ffun I -> 'I_n}) t :=
  [ffun j : J => ((if inside j then t else 0) + \sum_(i | member j i) y i)%N].

(* The chance that all sums together fall into O, if a record of C is moved by s. *)
Definition pr_several inside member (f : I -> {poly R}) (g : C -> {poly R}) s O :=
  over f (fun y => over g (fun z => (O (several inside member y (\sum_c z c + s)))%:R)).

Lemma mean_over (g : C -> {poly R}) (H : nat -> R) : (forall c, size (g c) <= n)%N ->
  over g (fun z => H (\sum_c z c)%N) = mean H (\prod_c g c).
Proof.
move=> sg; have gE c : g c = \sum_(k < n) (g c)`_k *: 'X^k.
  rewrite -{1}(coefK (g c)) poly_def.
  rewrite (big_ord_widen_cond n xpredT (fun k => (g c)`_k *: 'X^k) (sg c)) big_mkcond /=.
  by apply: eq_bigr => k _; case: ltnP => // ?; rewrite nth_default // scale0r.
rewrite (eq_bigr _ (fun c _ => gE c)) bigA_distr_bigA mean_sum; apply: eq_bigr => z _.
by rewrite scaler_prod prodrXr meanZ meanXn.
Qed.

Lemma pr_mean (f : {poly R}) (O : pred nat) : pr f O = mean (fun t => (O t)%:R) f.
Proof. by rewrite /pr /mean big_mkcond; apply: eq_bigr => i _; case: (O i); rewrite ?mulr1 ?mulr0. Qed.

Lemma mean_shift (H : nat -> R) s (f : {poly R}) : mean H ('X^s * f) = mean (fun t => H (t + s)%N) f.
Proof.
have -> : 'X^s * f = \sum_(i < size f) f`_i *: 'X^(s + i).
  rewrite -{1}(coefK f) poly_def mulr_sumr; apply: eq_bigr => i _.
  by rewrite -scalerAr exprD.
by rewrite mean_sum [RHS]/mean; apply: eq_bigr => i _; rewrite meanZ meanXn addnC.
Qed.

Lemma over_le (K : finType) (f : K -> {poly R}) (H H' : {ffun K -> 'I_n} -> R) :
  (forall i, nonneg (f i)) -> (forall x, H x <= H' x) -> over f H <= over f H'.
Proof. by move=> f0 le; apply: ler_sum => x _; apply: ler_wpmul2l => //; apply: prodr_ge0 => i _; apply: f0. Qed.

Lemma overD (K : finType) (f : K -> {poly R}) E (H H' : {ffun K -> 'I_n} -> R) :
  over f (fun x => E * H x + H' x) = E * over f H + over f H'.
Proof. by rewrite /over mulr_sumr -big_split; apply: eq_bigr => x _ /=; ring. Qed.

Lemma over_const (K : finType) (f : K -> {poly R}) d :
  (forall i, law (f i)) -> (forall i, size (f i) <= n)%N -> over f (fun=> d) = d.
Proof.
move=> lf sf; rewrite /over -mulr_suml -(bigA_distr_bigA (fun i (k : 'I_n) => (f i)`_k)).
rewrite big1 ?mul1r // => i _; have [_ <-] := lf i.
by rewrite (horner_coef_wide _ (sf i)); apply: eq_bigr => k _; rewrite expr1n mulr1.
Qed.

Section Released.

Variables (inside : pred J) (member : J -> pred I) (f : I -> {poly R}) (g : C -> {poly R}).
Hypothesis laws : forall i, law (f i).
Hypothesis small : forall i, (size (f i) <= n)%N.
Hypothesis small_cell : forall c, (size (g c) <= n)%N.

Let cell := \prod_c g c.
Let pr_all := pr_several inside member f g.

Lemma pr_severalE s O :
  pr_all s O = over f (fun y => pr ('X^s * cell) (fun t => O (several inside member y t))).
Proof.
apply: eq_bigr => y _; congr (_ * _); rewrite pr_mean mean_shift.
exact: (mean_over (fun t => (O (several inside member y (t + s)))%:R) small_cell).
Qed.

Lemma several_close E delta s s' O : close E delta ('X^s * cell) ('X^s' * cell) ->
  pr_all s O <= E * pr_all s' O + delta.
Proof.
move=> near; rewrite !pr_severalE -[X in _ + X](over_const delta laws small) -overD.
by apply: over_le => [i|y]; [have [] := laws i | apply: near].
Qed.

(* B8 *)
Theorem several_sums E s O :
  pr_all 0 O <= E * pr_all s O + hockey E cell ('X^s * cell) /\
  pr_all s O <= E * pr_all 0 O + hockey E ('X^s * cell) cell.
Proof.
have unmoved : 'X^0 * cell = cell by rewrite expr0 mul1r.
by split; apply: several_close; apply/close_hockey; rewrite unmoved.
Qed.

End Released.

(* B8 with B1 *)
Theorem several_blocks E (inside : pred J) (member : J -> pred I) (f : I -> {poly R})
    (b : C -> R) m h s (nu zeta : C -> {poly R}) O :
  (forall i, law (f i)) -> (forall i, size (f i) <= n)%N ->
  (forall c, 0 <= b c <= 1) -> (forall c, law (nu c) /\ law (zeta c)) ->
  let g c := record (b c) m h (nu c) (zeta c) in
  (forall c, size (g c) <= n)%N ->
  let pr_all := pr_several inside member f g in
  pr_all 0%N O <= E * pr_all s O + mean (told_up E m h s) (counts b) /\
  pr_all s O <= E * pr_all 0%N O + mean (told_down E m h s) (counts b).
Proof.
move=> lf sf b01 laws g sg pr_all.
have [up down] := several_sums inside member lf sf sg E s O; split.
  apply: le_trans up _; rewrite ler_add2l; exact: block_bound_up.
apply: le_trans down _; rewrite ler_add2l; exact: block_bound_down.
Qed.

End Several.
