(* Laws on the whole numbers with finite support, and the hockey-stick divergence.

   A law is a polynomial: the coefficient of 'X^i is the mass of i. Sums of independent records are
   products, a shift by s is a multiplication by 'X^s, and a mixture is a linear combination. R is
   any ordered field, and E stands for e^eps: nothing here needs analysis, nor that E is positive.

   hockey_ge     pr f O - E * pr g O <= hockey E f g, for every event O
   hockey_event  equality for the event that f has more than E times g has: the worst event
   close_hockey  close E delta f g if and only if hockey E f g <= delta
   prE, hockeyE  the sums that define pr and hockey, over any range that covers the laws *)

From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Laws.

Variable R : realFieldType.
Implicit Types (f g h : {poly R}) (O : pred nat) (E : R).

(* No mass is negative. *)
Definition nonneg f := forall i, 0 <= f`_i.

(* The masses are those of a probability law. *)
Definition law f := nonneg f /\ f.[1] = 1.

(* The probability of an event. *)
Definition pr f O := \sum_(i < size f | O i) f`_i.

(* The larger of a number and zero. *)
Definition pos (x : R) := Num.max 0 x.

(* The hockey-stick divergence: what f has beyond E times g. *)
Definition hockey E f g := \sum_(i < maxn (size f) (size g)) pos (f`_i - E * g`_i).

(* (E, delta)-indistinguishable, for all events. *)
Definition close E delta f g := forall O, pr f O <= E * pr g O + delta.

(* Positive parts. *)

Lemma pos_ge0 x : 0 <= pos x.
Proof. by rewrite /pos le_maxr lexx. Qed.

Lemma pos_ge x : x <= pos x.
Proof. by rewrite /pos le_maxr lexx orbT. Qed.

Lemma pos_id x : 0 <= x -> pos x = x.
Proof. by rewrite /pos => ?; apply/max_idPr. Qed.

Lemma pos_eq0 x : x <= 0 -> pos x = 0.
Proof. by rewrite /pos => ?; apply/max_idPl. Qed.

Lemma pos0 : pos 0 = 0.
Proof. exact: pos_id. Qed.

Lemma pos_if x : pos x = if 0 < x then x else 0.
Proof. by case: ltP => [/ltW /pos_id|/pos_eq0]. Qed.

Lemma pos_add x y : pos (x + y) <= pos x + pos y.
Proof.
case: (leP 0 (x + y)) => [ge0|/ltW le0]; first by rewrite pos_id // ler_add ?pos_ge.
by rewrite pos_eq0 // addr_ge0 ?pos_ge0.
Qed.

Lemma pos_scale w x : 0 <= w -> pos (w * x) = w * pos x.
Proof.
move=> w0; case: (leP 0 x) => [x0|/ltW x0]; first by rewrite !pos_id ?mulr_ge0.
by rewrite !pos_eq0 ?mulr0 // mulr_ge0_le0.
Qed.

Lemma pos_sum (I : Type) (r : seq I) (P : pred I) (F : I -> R) :
  pos (\sum_(i <- r | P i) F i) <= \sum_(i <- r | P i) pos (F i).
Proof.
elim/big_rec2: _ => [|i x y _ le]; first by rewrite pos0.
by apply: le_trans (pos_add _ _) _; rewrite ler_add2l.
Qed.

(* The sums may run over any range that covers both laws. *)

Lemma sum_wider (F : nat -> R) n N (O : pred nat) :
  (n <= N)%N -> (forall i, (n <= i)%N -> F i = 0) ->
  \sum_(i < n | O i) F i = \sum_(i < N | O i) F i.
Proof.
move=> nN F0; rewrite (big_ord_widen_cond N O F nN) [RHS]big_mkcond /= [LHS]big_mkcond /=.
apply: eq_bigr => i _; case: (O i) => //=; case: ltnP => // ?.
by rewrite F0.
Qed.

Lemma prE f O N : (size f <= N)%N -> pr f O = \sum_(i < N | O i) f`_i.
Proof. by move=> ?; apply: (sum_wider (F := fun i => f`_i)) => // i; apply: nth_default. Qed.

Lemma hockeyE E f g N : (size f <= N)%N -> (size g <= N)%N ->
  hockey E f g = \sum_(i < N) pos (f`_i - E * g`_i).
Proof.
move=> fN gN; apply: (sum_wider (F := fun i => pos (f`_i - E * g`_i)) xpredT).
  by rewrite geq_max fN.
by move=> i; rewrite geq_max => /andP[? ?]; rewrite !nth_default // mulr0 subr0 pos0.
Qed.

Lemma hockey_ge0 E f g : 0 <= hockey E f g.
Proof. by apply: sumr_ge0 => i _; apply: pos_ge0. Qed.

Lemma hornerE1 f : f.[1] = \sum_(i < size f) f`_i.
Proof. by rewrite horner_coef; apply: eq_bigr => i _; rewrite expr1n mulr1. Qed.

Lemma law_pr f : law f -> pr f predT = 1.
Proof. by case=> _ <-; rewrite hornerE1. Qed.

(* What an event tells apart, and the worst event. *)

Definition gain E f g O := pr f O - E * pr g O.

Lemma gainE E f g O N : (size f <= N)%N -> (size g <= N)%N ->
  gain E f g O = \sum_(i < N | O i) (f`_i - E * g`_i).
Proof. by move=> fN gN; rewrite /gain (prE O fN) (prE O gN) mulr_sumr -sumrB. Qed.

Theorem hockey_ge E f g O : gain E f g O <= hockey E f g.
Proof.
rewrite (gainE _ _ (leq_maxl _ (size g)) (leq_maxr (size f) _)) /hockey [leLHS]big_mkcond /=.
by apply: ler_sum => i _; case: ifP => _; rewrite ?pos_ge ?pos_ge0.
Qed.

Theorem hockey_event E f g : gain E f g [pred i | E * g`_i < f`_i] = hockey E f g.
Proof.
rewrite (gainE _ _ (leq_maxl _ (size g)) (leq_maxr (size f) _)) /hockey big_mkcond /=.
by apply: eq_bigr => i _; rewrite pos_if subr_gt0.
Qed.

(* The hockey-stick divergence is the least delta, for all events together. *)
Theorem close_hockey E delta f g : close E delta f g <-> hockey E f g <= delta.
Proof.
split=> [all_events|le O].
  rewrite -hockey_event /gain ler_subl_addl; exact: all_events.
by rewrite addrC -ler_subl_addr; apply: le_trans (hockey_ge E f g O) le.
Qed.

End Laws.
