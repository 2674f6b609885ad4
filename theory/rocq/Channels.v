(* What a report of a place tells: links between neighbours decide.

   A channel reports z from a cell x with chance K x z. Cells that are linked have a length, a whole
   number of units, and c is the factor of one unit.

   neighbours_decide   no report is more than c^length times as likely from a cell as from a
                       neighbour if and only if it is no more than c^distance times as likely from a
                       cell as from any other, along every path *)

From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Channels.

Variables (R : realFieldType) (T : eqType) (Z : Type) (K : T -> Z -> R).
Variables (link : rel T) (length : T -> T -> nat) (c : R).
Hypothesis c_ge0 : 0 <= c.

(* The length of a path from x through p. *)
Fixpoint distance (x : T) (p : seq T) : nat :=
  if p is y :: q then (length x y + distance y q)%N else 0.

Theorem neighbours_decide :
  (forall x y z, link x y -> K x z <= c ^+ length x y * K y z) <->
  (forall x p z, path link x p -> K x z <= c ^+ distance x p * K (last x p) z).
Proof.
split=> [near x p z | far x y z xy]; last first.
  by have := far x [:: y] z; rewrite /= xy addn0 => /(_ isT).
elim: p x => [|y q step] x /=; first by rewrite expr0 mul1r.
case/andP=> xy yq; apply: (le_trans (near x y z xy)).
by rewrite exprD -mulrA; apply: ler_wpmul2l; [exact: exprn_ge0 | exact: step].
Qed.

End Channels.
