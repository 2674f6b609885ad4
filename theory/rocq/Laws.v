(* Laws on the whole numbers with finite support, and the hockey-stick divergence.

   A law is a polynomial: the coefficient of 'X^i is the mass of i. Sums of independent records are
   products, a shift by s is a multiplication by 'X^s, and a mixture is a linear combination. R is
   any ordered field, and E stands for e^eps: nothing here needs analysis. *)

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

End Laws.
