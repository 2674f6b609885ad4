(* Withholding by a coin: who knows the method learns little from what is left out, and nothing from
   what is published.

   A class is formed without a look at any secret. Of the tables t that it may hold, one that fails
   is always withheld, and any other with chance rho; "withheld t" is that chance, from rho to 1.

   withheld_odds       the odds of an event in the class rise by a factor of 1/rho at most, and fall
                       by one at most
   withheld_belief     so its probability p becomes p / (p + rho (1 - p)) at most
   withheld_attained   it does where just the tables of the event fail
   published_same      of a class that is published with contents c she believes what everybody
                       believes who sees c: the chance of being published depends on c alone *)

From mathcomp Require Import all_ssreflect all_algebra ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Withheld.

Variables (R : realFieldType) (T : finType) (prior : T -> R) (event : pred T).
Hypothesis prior_ge0 : forall t, 0 <= prior t.

(* The prior chance that a class holds a table of A and is withheld. *)
Definition weight (withheld : T -> R) (A : pred T) : R := \sum_(t | A t) prior t * withheld t.

Let sure : T -> R := fun=> 1.
Let before := weight sure event.
Let before' := weight sure (predC event).

Section Odds.

Variables (rho : R) (withheld : T -> R).
Hypothesis rho0 : 0 < rho.
Hypothesis by_a_coin : forall t, rho <= withheld t <= 1.

Let after := weight withheld event.
Let after' := weight withheld (predC event).

Lemma weight_le1 A : weight withheld A <= weight sure A.
Proof. by apply: ler_sum => t _; apply: ler_wpmul2l => //; have /andP[] := by_a_coin t. Qed.

Lemma weight_rho A : rho * weight sure A <= weight withheld A.
Proof.
rewrite mulr_sumr; apply: ler_sum => t _; rewrite mulr1 mulrC.
by apply: ler_wpmul2l => //; have /andP[] := by_a_coin t.
Qed.

Lemma weight_ge0 A : 0 <= weight withheld A.
Proof.
apply: sumr_ge0 => t _; apply: mulr_ge0 => //; have /andP[le _] := by_a_coin t.
exact: le_trans (ltW rho0) le.
Qed.

Theorem withheld_odds : rho * (after * before') <= before * after' /\
  rho * (before * after') <= after * before'.
Proof.
have rho_ge0 A : 0 <= rho * weight sure A.
  by apply: mulr_ge0; [apply: ltW | apply: sumr_ge0 => t _; rewrite mulr1].
split.
  rewrite mulrCA; apply: ler_pmul; [exact: weight_ge0 | exact: rho_ge0 | exact: weight_le1 |].
  exact: weight_rho.
rewrite mulrA; apply: ler_pmul; [exact: rho_ge0 | exact: weight_ge0 | exact: weight_rho |].
exact: weight_le1.
Qed.

Theorem withheld_belief : before + before' = 1 -> 0 < before + rho * before' ->
  after / (after + after') <= before / (before + rho * (1 - before)).
Proof.
move=> one pos; have <- : before' = 1 - before by rewrite -one addrC addKr.
have a0 : 0 <= after by apply: weight_ge0.
have a'0 : 0 <= after' by apply: weight_ge0.
have [total|] := ltP 0 (after + after'); last first.
  rewrite le_eqVlt ltNge addr_ge0 // orbF => /eqP ->; rewrite invr0 mulr0.
  by apply: divr_ge0; [apply: sumr_ge0 => t _; rewrite mulr1 | apply: ltW].
rewrite ler_pdivr_mulr // mulrAC ler_pdivl_mulr // mulrDr mulrDr [after * before]mulrC ler_add2l.
by rewrite mulrCA; have [] := withheld_odds.
Qed.

End Odds.

Theorem withheld_attained (rho : R) :
  let fails t := if event t then 1 else rho in
  let after := weight fails event in
  before + before' = 1 ->
  after / (after + weight fails (predC event)) = before / (before + rho * (1 - before)).
Proof.
move=> fails after one; have <- : before' = 1 - before by rewrite -one addrC addKr.
have -> : after = before.
  by apply: eq_bigr => t et; rewrite /fails et.
congr (_ / (_ + _)); rewrite mulr_sumr; apply: eq_bigr => t /negPf et.
by rewrite /fails et /sure mulr1 mulrC.
Qed.

Theorem published_same (C : eqType) (contents : T -> C) (publish : C -> R) c : publish c != 0 ->
  let shown t := contents t == c in
  let told A := weight (fun t => publish (contents t)) [pred t | shown t && A t] in
  let seen A := weight sure [pred t | shown t && A t] in
  told event / told predT = seen event / seen predT.
Proof.
move=> p0 shown told seen.
have toldE A : told A = publish c * seen A.
  rewrite mulr_sumr; apply: eq_bigr => t /andP[/eqP -> _].
  by rewrite /sure mulr1 mulrC.
by rewrite !toldE -mulf_div divff // mul1r.
Qed.

End Withheld.
