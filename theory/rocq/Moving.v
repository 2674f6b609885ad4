(* Cloaked logs: groups that part and never join keep k candidates, for every set of slots.

   A record shows in each slot which positions it admits; a hidden one admits all. Everybody of a
   group has had the same record so far, and it has admitted where each of them was. Later groups are
   parts of earlier ones, so what is said of the slots so far is said after every slot.

   record_shared    who knows where everybody was in some slots finds k candidates for a record
   same_record      who knows the method as well, finds those with the same record: k of them
   fits_none_or_k   who knows where somebody was in some slots finds no record that fits, or k *)

From mathcomp Require Import all_ssreflect.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Moving.

Variables (People Slots Positions : finType) (at_ : People -> Slots -> Positions).
Variables (admits : People -> Slots -> pred Positions) (group : People -> {set People}) (k : nat).
Hypothesis honest : forall p s, admits p s (at_ p s).
Hypothesis alike : forall p q s x, q \in group p -> admits q s x = admits p s x.
Hypothesis large : forall p, k <= #|group p|.

Theorem record_shared (seen : pred Slots) p :
  k <= #|[set q | [forall (s | seen s), admits p s (at_ q s)]]|.
Proof.
apply: leq_trans (large p) (subset_leq_card _); apply/subsetP=> q qp; rewrite inE.
by apply/forall_inP=> s _; rewrite -(alike s _ qp).
Qed.

Theorem same_record p : k <= #|[set q | [forall s, [forall x, admits q s x == admits p s x]]]|.
Proof.
apply: leq_trans (large p) (subset_leq_card _); apply/subsetP=> q qp; rewrite inE.
by apply/forallP=> s; apply/forallP=> x; rewrite (alike s x qp).
Qed.

Theorem fits_none_or_k (known : pred Slots) v :
  let fits := [set p | [forall (s | known s), admits p s (at_ v s)]] in
  fits = set0 \/ k <= #|fits|.
Proof.
move=> fits; have [->|[p]] := set_0Vmem fits; [by left | rewrite inE => /forall_inP fit; right].
apply: leq_trans (large p) (subset_leq_card _); apply/subsetP=> q qp; rewrite inE.
by apply/forall_inP=> s ks; rewrite (alike s _ qp); apply: fit.
Qed.

End Moving.
