(* What was taken for true of releases, and is false: by computation.

   same_sample_choice  if the levels are chosen on the sample whose rows are published, by a step that
                       is ln 3-private, an event has 29/2000 with the victim and nothing without
                       him, where (eps + ln 3, 1/100) is claimed
   merged_rest         if the hidden cells are added up, and the sum is shown from k on, an event has
                       9/500 with the victim and nothing without him, where beta^k = 1/100 is claimed
   two_tables          two tables of one sample, each hiding counts below k, differ with chance
                       19/1000 with the victim and never without him
   adaptive_questions  a second question that depends on the first answer tells all, where the same
                       question, asked always, tells 3/4 *)

From mathcomp Require Import all_ssreflect all_algebra.
From kproof Require Import Laws.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The victim and two rows, each kept with chance 1/10. At each of two levels he shares a cell with
   one of them, and a level is three times as likely if that row was kept. *)
Definition toss (kept : bool) : rat := if kept then 1%:R / 10%:R else 9%:R / 10%:R.
Definition likes (kept : bool) : rat := if kept then 3%:R else 1.
Definition level (kept other : bool) : rat := likes kept / (likes kept + likes other).

(* The chance that two rows of his cell are shown. *)
Definition pair_shown (victim : bool) : rat :=
  \sum_(v : bool) \sum_(a : bool) \sum_(b : bool) toss v * toss a * toss b *
    (level a b * (victim && v && a)%:R + level b a * (victim && v && b)%:R).

Theorem same_sample_choice :
  [/\ pair_shown true = 29%:R / 2000%:R, pair_shown false = 0
    & (1%:R / 10%:R) ^+ 2 < pair_shown true].
Proof. by rewrite /pair_shown !big_bool; split; [apply/eqP|apply/eqP|]; vm_compute. Qed.

(* The victim alone in a cell, two others in theirs; counts below 2 are hidden. *)
Definition chance_kept (event : bool -> nat -> bool) : rat :=
  \sum_(v : bool) \sum_(a : bool) \sum_(b : bool) toss v * toss a * toss b * (event v (a + b)%N)%:R.
Definition shows (count : nat) : nat := if (1 < count)%N then count else 0%N.
Definition hides (count : nat) : nat := (count - shows count)%N.

Definition rest_shown (victim : bool) : rat :=
  chance_kept (fun v others => 1 < hides (victim && v) + hides others)%N.

Theorem merged_rest :
  [/\ rest_shown true = 9%:R / 500%:R, rest_shown false = 0
    & (1%:R / 10%:R) ^+ 2 < rest_shown true].
Proof.
by rewrite /rest_shown /chance_kept !big_bool; split; [apply/eqP|apply/eqP|]; vm_compute.
Qed.

(* One table has both cells, the other has them as one. *)
Definition tables_differ (victim : bool) : rat :=
  chance_kept (fun v others =>
    shows ((victim && v) + others) != shows (victim && v) + shows others)%N.

Theorem two_tables :
  [/\ tables_differ true = 19%:R / 1000%:R, tables_differ false = 0
    & (1%:R / 10%:R) ^+ 2 < tables_differ true].
Proof.
by rewrite /tables_differ /chance_kept !big_bool; split; [apply/eqP|apply/eqP|]; vm_compute.
Qed.

(* Another record is (1, 0, c) or (0, c, 0), c being a coin; the victim's adds 1 to the last two
   numbers, or 0. The sum of the first is asked, and then that of the second; or, if the questions
   are adaptive and the first answer is 0, that of the third. *)
Definition answer (adaptive victim u c : bool) : nat :=
  ((if adaptive && ~~ u then u && c else ~~ u && c) + victim)%N.

Definition answers (adaptive victim u : bool) (y : 'I_3) : rat :=
  \sum_(c : bool) (answer adaptive victim u c == y)%:R / 4%:R.

Definition told_apart (adaptive : bool) : rat :=
  \sum_(u : bool) \sum_(y : 'I_3) pos (answers adaptive true u y - answers adaptive false u y).

Theorem adaptive_questions : told_apart true = 1 /\ told_apart false = 3%:R / 4%:R.
Proof.
by rewrite /told_apart /answers !big_bool !big_ord_recl !big_ord0 !big_bool; split; apply/eqP; vm_compute.
Qed.
