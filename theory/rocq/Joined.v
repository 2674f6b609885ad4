(* What classes have together if each of them has it: a table that is anonymized by regions.

   A class is the sequence of the sensitive values of its rows.

   joined_values     joined with others, a class has at least as many different values
   joined_kinds      and at least as many different categories of them
   joined_close      classes that are within t = a/b of the values of the whole table are so
                     together (total variation, in whole numbers)
   apart_spans       classes on two sides of a cut have different least and greatest values *)

From mathcomp Require Import all_ssreflect.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Joined.

Variable T : eqType.
Implicit Types (s t whole domain : seq T).

Theorem joined_values s t : size (undup s) <= size (undup (s ++ t)).
Proof.
by apply: uniq_leq_size; [exact: undup_uniq | move=> x; rewrite !mem_undup mem_cat => ->].
Qed.

Theorem joined_kinds (U : eqType) (kind : T -> U) s t :
  size (undup (map kind s)) <= size (undup (map kind (s ++ t))).
Proof.
apply: uniq_leq_size; first exact: undup_uniq.
by move=> x; rewrite !mem_undup map_cat mem_cat => ->.
Qed.

(* The rows by which a class has more of some value than its share of the table, times the rows of
   the table; subtraction of natural numbers ends at 0. *)
Definition excess domain whole s :=
  sumn [seq count_mem x s * size whole - count_mem x whole * size s | x <- domain].

(* At most t = a/b of its rows. *)
Definition within a b domain whole s :=
  b * excess domain whole s <= a * (size s * size whole).

Lemma less_together m n p q : m + n - (p + q) <= (m - p) + (n - q).
Proof.
by rewrite leq_subLR addnACA leq_add // -maxnE leq_maxr.
Qed.

Lemma excess_cat domain whole s t :
  excess domain whole (s ++ t) <= excess domain whole s + excess domain whole t.
Proof.
rewrite /excess; elim: domain => //= x domain; rewrite count_cat size_cat mulnDl mulnDr => le.
rewrite addnACA; exact: leq_add (less_together _ _ _ _) le.
Qed.

Theorem joined_close a b domain whole s t :
  within a b domain whole s -> within a b domain whole t -> within a b domain whole (s ++ t).
Proof.
rewrite /within size_cat mulnDl mulnDr => le_s le_t.
apply: leq_trans (leq_mul (leqnn b) (excess_cat domain whole s t)) _.
by rewrite mulnDr leq_add.
Qed.

End Joined.

(* Ranks of a class from low to high, all at most r on one side of a cut and above it on the other. *)
Theorem apart_spans (low high low' high' r : nat) :
  low <= high -> high <= r -> r < low' -> low' <= high' -> (low, high) != (low', high').
Proof.
move=> lh hr rl _; apply/eqP=> -[e _]; move: (leq_ltn_trans (leq_trans lh hr) rl).
by rewrite e ltnn.
Qed.
