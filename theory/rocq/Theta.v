(* Algorithm 1 of theta-sensitive k-anonymity, corrected, for tables of any size.

   A class has rows and noise rows; its values are those of both. Classes are adjusted one after
   the other. While the one at hand does not pass, a row whose value is most frequent in it is
   exchanged with a row of a later class whose value it has not (the last class: of the class
   before it, most frequent there, and absent from the other); or a noise row with an absent value
   is added; or, if it has all values, any noise rows with which it passes. Which of these moves is
   made, and with which rows, is left open: the theorems are about every run.

   adjusted_ends        every run is shorter than a number known at its start
   adjusted_goes_on     no run is stuck before the last class has passed
   adjusted_passes      at its end every class passes; each has as many rows as it was formed
                        with, and all rows together are those that were there
   variance_uniq        a class of k or more distinct values reaches theta = mu (k^2 - 1) / 12
   variance_given_away  the move of the last class does not lower the variance of the one before
   variance_reachable   noise rows bring every class to theta, if some class over the values
                        reaches it
   union_may_fail       two classes that reach theta may fall short of it together *)

From mathcomp Require Import all_ssreflect zify.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* A value that is most frequent. *)
Definition most (D : eqType) (s : seq D) x :=
  (x \in s) && all (fun y => count_mem y s <= count_mem x s) s.

Section Runs.

Variables (T : eqType) (D : finType) (value : T -> D) (k : nat).
Variable passes : seq D -> bool.

Definition class := (seq T * seq D)%type.

Definition rows (c : class) := c.1.
Definition noise (c : class) := c.2.
Definition values (c : class) := map value (rows c) ++ noise c.

Definition empty : class := ([::], [::]).

(* Row r of class i and row r' of class j change places. *)
Definition exchanged (cs : seq class) i j r r' :=
  let a := nth empty cs i in
  let b := nth empty cs j in
  set_nth empty (set_nth empty cs i (r' :: rem r (rows a), noise a)) j
    (r :: rem r' (rows b), noise b).

Definition with_noise (cs : seq class) i s :=
  let a := nth empty cs i in set_nth empty cs i (rows a, s ++ noise a).

(* The class at hand, and all classes. *)
Definition state := (nat * seq class)%type.

Inductive step : state -> state -> Prop :=
| Pass i cs of i < size cs & passes (values (nth empty cs i)) :
    step (i, cs) (i.+1, cs)
| Exchange i j cs r r' of i < j < size cs & ~~ passes (values (nth empty cs i))
    & r \in rows (nth empty cs i) & r' \in rows (nth empty cs j)
    & most (values (nth empty cs i)) (value r) & value r' \notin values (nth empty cs i) :
    step (i, cs) (i, exchanged cs i j r r')
| Cross i cs r r' of i.+2 = size cs & ~~ passes (values (nth empty cs i.+1))
    & r \in rows (nth empty cs i.+1) & r' \in rows (nth empty cs i)
    & most (values (nth empty cs i.+1)) (value r) & value r' \notin values (nth empty cs i.+1)
    & most (values (nth empty cs i)) (value r') & value r \notin values (nth empty cs i) :
    step (i.+1, cs) (i.+1, exchanged cs i.+1 i r r')
| Absent i cs x of i < size cs & ~~ passes (values (nth empty cs i))
    & x \notin values (nth empty cs i) :
    step (i, cs) (i, with_noise cs i [:: x])
| Repeat i cs s of i < size cs & ~~ passes (values (nth empty cs i))
    & (forall x, x \in values (nth empty cs i))
    & passes (s ++ values (nth empty cs i)) :
    step (i, cs) (i, with_noise cs i s).

(* What is asked of the threshold. *)
Hypothesis passes_perm : forall s t, perm_eq s t -> passes s = passes t.
Hypothesis passes_uniq : forall s, uniq s -> k <= size s -> passes s.
Hypothesis passes_given : forall s x y,
  passes s -> most s y -> x \notin s -> passes (x :: rem y s).
Hypothesis passes_reached : forall s, exists t, passes (t ++ s).

(* How the classes were formed: each has at least k rows. *)
Definition formed cs := all (fun c => k <= size (rows c)) cs.

Definition kept (cs0 cs : seq class) :=
  [/\ size cs = size cs0,
      perm_eq (flatten (map rows cs)) (flatten (map rows cs0))
    & forall i, size (rows (nth empty cs i)) = size (rows (nth empty cs0 i))].

Definition sound (cs0 : seq class) (st : state) :=
  kept cs0 st.2 /\ forall i, i < st.1 -> passes (values (nth empty st.2 i)).

(* The measure: classes still to come, values that the one at hand has not, and whether it fails. *)
Definition missing (s : seq D) := #|[pred x | x \notin s]|.

Definition toll (st : state) :=
  let s := values (nth empty st.2 st.1) in
  (size st.2 - st.1) * (#|D| + 2) + missing s + ~~ passes s.

Lemma missing_le s : missing s <= #|D|.
Proof. exact: max_card. Qed.

Lemma missing_perm s t : s =i t -> missing s = missing t.
Proof. by move=> e; apply: eq_card => x; rewrite !inE e. Qed.

Lemma missing_less s t x : x \notin s -> {subset s <= t} -> x \in t -> missing t < missing s.
Proof.
move=> xs st xt; apply: proper_card; apply/properP; split.
  by apply/subsetP => y; rewrite !inE; apply: contra => /st.
by exists x; rewrite !inE ?xs ?xt.
Qed.

Lemma nth_exchanged_here cs i j r r' : i != j ->
  nth empty (exchanged cs i j r r') i
  = (r' :: rem r (rows (nth empty cs i)), noise (nth empty cs i)).
Proof. by move=> ij; rewrite /exchanged nth_set_nth /= (negbTE ij) nth_set_nth /= eqxx. Qed.

Lemma nth_exchanged_there cs i j r r' :
  nth empty (exchanged cs i j r r') j
  = (r :: rem r' (rows (nth empty cs j)), noise (nth empty cs j)).
Proof. by rewrite /exchanged nth_set_nth /= eqxx. Qed.

Lemma nth_exchanged_else cs i j r r' x : x != i -> x != j ->
  nth empty (exchanged cs i j r r') x = nth empty cs x.
Proof.
by move=> xi xj; rewrite /exchanged nth_set_nth /= (negbTE xj) nth_set_nth /= (negbTE xi).
Qed.

Lemma size_exchanged cs i j r r' : i < size cs -> j < size cs ->
  size (exchanged cs i j r r') = size cs.
Proof.
by move=> ics jcs; rewrite /exchanged !size_set_nth (maxn_idPr ics) (maxn_idPr jcs).
Qed.

(* One row goes, one comes. *)
Lemma values_given c r r' : r \in rows c ->
  perm_eq (values (r' :: rem r (rows c), noise c)) (value r' :: rem (value r) (values c)).
Proof.
move=> rc; rewrite /values /= perm_cons -(perm_cons (value r)).
apply: (@perm_trans _ (values c)); last by rewrite perm_to_rem // mem_cat map_f.
by rewrite -cat_cons perm_cat2r -map_cons perm_map // perm_sym perm_to_rem.
Qed.

Lemma flatten_set cs i c : i < size cs ->
  perm_eq (rows (nth empty cs i) ++ flatten (map rows (set_nth empty cs i c)))
          (rows c ++ flatten (map rows cs)).
Proof.
elim: cs i => [|a cs IH] [|i] //=; first by rewrite perm_catCA.
rewrite ltnS => /IH e; set F := flatten _; set F' := flatten _.
apply: (@perm_trans _ (rows a ++ rows (nth empty cs i) ++ F)); first by rewrite perm_catCA.
apply: (@perm_trans _ (rows a ++ rows c ++ F')); last by rewrite perm_catCA.
by rewrite perm_cat2l.
Qed.

Lemma flatten_exchanged cs i j r r' : i != j -> i < size cs -> j < size cs ->
  r \in rows (nth empty cs i) -> r' \in rows (nth empty cs j) ->
  perm_eq (flatten (map rows (exchanged cs i j r r'))) (flatten (map rows cs)).
Proof.
move=> ij ics jcs ri rj; apply/permP => p.
have one := permP (flatten_set (r' :: rem r (rows (nth empty cs i)), noise (nth empty cs i)) ics) p.
pose cs1 := set_nth empty cs i (r' :: rem r (rows (nth empty cs i)), noise (nth empty cs i)).
have jcs1 : j < size cs1 by rewrite size_set_nth (maxn_idPr ics).
have ej : nth empty cs1 j = nth empty cs j by rewrite nth_set_nth /= eq_sym (negbTE ij).
pose there := (r :: rem r' (rows (nth empty cs j)), noise (nth empty cs j)).
have two := permP (flatten_set there jcs1) p.
move: one two; rewrite -/cs1 ej !count_cat /=.
have -> : count p (rows (nth empty cs i)) = p r + count p (rem r (rows (nth empty cs i))).
  by rewrite -/(count p (r :: _)) (permP (perm_to_rem ri)).
have -> : count p (rows (nth empty cs j)) = p r' + count p (rem r' (rows (nth empty cs j))).
  by rewrite -/(count p (r' :: _)) (permP (perm_to_rem rj)).
rewrite -!addnA ![count p (rem _ _) + _]addnC !addnA => /addIn one /addIn two.
rewrite -/(exchanged cs i j r r') in two.
by apply/(@addnI (p r')); rewrite -one.
Qed.

Lemma flatten_noise cs i s : i < size cs ->
  perm_eq (flatten (map rows (with_noise cs i s))) (flatten (map rows cs)).
Proof.
move=> ics; have := flatten_set (rows (nth empty cs i), s ++ noise (nth empty cs i)) ics.
by rewrite /= perm_cat2l.
Qed.

Lemma kept_exchanged cs0 cs i j r r' : i != j -> i < size cs -> j < size cs ->
  r \in rows (nth empty cs i) -> r' \in rows (nth empty cs j) ->
  kept cs0 cs -> kept cs0 (exchanged cs i j r r').
Proof.
move=> ij ics jcs ri rj [e p n]; split; first by rewrite size_exchanged.
  exact: perm_trans (flatten_exchanged ij ics jcs ri rj) p.
move=> x; rewrite -n; have [->|xi] := eqVneq x i.
  by rewrite nth_exchanged_here //= size_rem // prednK //; case: (rows _) ri.
have [->|xj] := eqVneq x j.
  by rewrite nth_exchanged_there /= size_rem // prednK //; case: (rows _) rj.
by rewrite nth_exchanged_else.
Qed.

Lemma kept_noise cs0 cs i s : i < size cs -> kept cs0 cs -> kept cs0 (with_noise cs i s).
Proof.
move=> ics [e p n]; split; first by rewrite size_set_nth (maxn_idPr ics).
  exact: perm_trans (flatten_noise s ics) p.
by move=> x; rewrite -n nth_set_nth /=; case: eqP => [->|].
Qed.

Lemma step_sound cs0 st st' : step st st' -> sound cs0 st -> sound cs0 st'.
Proof.
case=> {st st'} [i cs ics pi|i j cs r r' /andP[ij jcs] _ ri rj _ _
  |i cs r r' e _ ri rj mi nj mj ni|i cs x ics _ _|i cs s ics _ _ _] [kc pc]; split=> //=.
- by move=> x; rewrite ltnS leq_eqVlt => /orP[/eqP->|/pc].
- by apply: kept_exchanged; rewrite ?(ltn_eqF ij) // (ltn_trans ij).
- move=> x xi; rewrite nth_exchanged_else ?(ltn_eqF xi) ?(ltn_eqF (ltn_trans xi ij)) //.
  exact: pc.
- by apply: kept_exchanged; rewrite -?e ?gtn_eqF.
- move=> x; rewrite ltnS leq_eqVlt => /orP[/eqP->|xi].
    rewrite nth_exchanged_there (passes_perm (values_given _ rj)).
    by apply: passes_given => //; apply: pc.
  by rewrite nth_exchanged_else ?(ltn_eqF xi) ?(ltn_eqF (leqW xi)) //; apply: pc; apply: leqW.
- exact: kept_noise.
- by move=> y yi; rewrite nth_set_nth /= (ltn_eqF yi); apply: pc.
- exact: kept_noise.
- by move=> y yi; rewrite nth_set_nth /= (ltn_eqF yi); apply: pc.
Qed.

(* A class that fails has a repeated value, so that giving one of the most frequent loses none. *)
Lemma gained c r r' s : k <= size (rows c) -> ~~ passes (values c) ->
  most (values c) (value r) -> value r' \notin values c ->
  perm_eq s (value r' :: rem (value r) (values c)) -> missing s < missing (values c).
Proof.
set v := values c => kc fail /andP[rv /allP top] new e.
have twice : 1 < count_mem (value r) v.
  rewrite ltnNge; apply/negP => once; case/negP: fail; apply: passes_uniq; last first.
    by rewrite size_cat size_map; apply: leq_trans kc (leq_addr _ _).
  apply: count_mem_uniq => y; case yv: (y \in v); last by apply/count_memPn; rewrite yv.
  have := leq_trans (top y yv) once.
  by move: yv; rewrite -has_pred1 has_count; case: (count_mem y v) => [|[]].
apply: (missing_less new) => [y yv|]; last by rewrite (perm_mem e) inE eqxx.
rewrite (perm_mem e) inE; apply/orP; right; have [->|yr] := eqVneq y (value r).
  rewrite -has_pred1 has_count -(ltn_add2l 1); apply: leq_trans twice _.
  by rewrite (permP (perm_to_rem rv)) /= eqxx.
by move: yv; rewrite (perm_mem (perm_to_rem rv)) inE (negbTE yr).
Qed.

Lemma toll_next i cs : i < size cs -> toll (i.+1, cs) < toll (i, cs).
Proof.
move=> ics; rewrite /toll /= -(subnSK ics) mulSn; set X := _ * _.
apply: (@leq_trans (#|D| + 2 + X)); last first.
  by apply: leq_trans (leq_addr _ _) (leq_addr _ _).
rewrite -addnA addnC ltn_add2r addn2 ltnS.
set s := values _; by have := leq_add (missing_le s) (leq_b1 (~~ passes s)); rewrite addn1.
Qed.

Lemma toll_same i cs cs' : size cs' = size cs ->
  missing (values (nth empty cs' i)) + ~~ passes (values (nth empty cs' i))
  < missing (values (nth empty cs i)) + ~~ passes (values (nth empty cs i)) ->
  toll (i, cs') < toll (i, cs).
Proof. by rewrite /toll /= => ->; rewrite -!addnA ltn_add2l. Qed.

(* It fails before; if it lacks fewer values after, the toll has fallen. *)
Lemma toll_fewer i cs cs' : size cs' = size cs -> ~~ passes (values (nth empty cs i)) ->
  missing (values (nth empty cs' i)) < missing (values (nth empty cs i)) ->
  toll (i, cs') < toll (i, cs).
Proof.
move=> e fail less; apply: toll_same => //; rewrite fail.
by rewrite addn1 ltnS; apply: leq_trans less; rewrite -addn1 leq_add2l leq_b1.
Qed.

Lemma step_toll cs0 st st' : formed cs0 -> sound cs0 st -> step st st' -> toll st' < toll st.
Proof.
move=> /(all_nthP empty) f0 [[e0 _ n0] _] moves.
have big i : i < size st.2 -> k <= size (rows (nth empty st.2 i)) by rewrite n0 e0; apply: f0.
case: moves big => {st st' e0 n0} [i cs ics pi|i j cs r r' /andP[ij jcs] fail ri rj mi ni
  |i cs r r' e fail ri rj mi nj mj ni|i cs x ics fail nx|i cs s ics fail all_x ps] /= big.
- exact: toll_next.
- have ics := ltn_trans ij jcs; apply: toll_fewer => //; first exact: size_exchanged.
  rewrite nth_exchanged_here ?(ltn_eqF ij) //.
  by apply: (gained (big i ics) fail mi ni); apply: values_given.
- have ics : i.+1 < size cs by rewrite -e.
  apply: toll_fewer => //; first by apply: size_exchanged => //; apply: ltnW.
  rewrite nth_exchanged_here ?gtn_eqF //.
  by apply: (gained (big _ ics) fail mi nj); apply: values_given.
- apply: toll_fewer => //; first by rewrite size_set_nth (maxn_idPr ics).
  rewrite nth_set_nth /= eqxx; apply: (missing_less nx) => [y|]; rewrite /values /= !mem_cat.
    by case/orP=> [->//|yn]; rewrite inE yn !orbT.
  by rewrite inE eqxx orbT.
- apply: toll_same; first by rewrite size_set_nth (maxn_idPr ics).
  rewrite nth_set_nth /= eqxx (_ : passes _ = true); last first.
    by rewrite -ps; apply: passes_perm; rewrite /values /= perm_catCA.
  rewrite fail addn0 addn1 ltnS; apply/eq_leq/missing_perm => x.
  rewrite all_x /values /= !mem_cat; have := all_x x.
  by rewrite /values mem_cat => /orP[->|->]; rewrite ?orbT.
Qed.

(* Runs. *)

Inductive steps (st : state) : nat -> state -> Prop :=
| Start : steps st 0 st
| More n st' st'' of steps st n st' & step st' st'' : steps st n.+1 st''.

Lemma sound_start cs0 : sound cs0 (0, cs0).
Proof. by []. Qed.

Lemma steps_sound cs0 n st : steps (0, cs0) n st -> sound cs0 st.
Proof. by elim=> [|m st' st'' _ IH moves]; [apply: sound_start | apply: step_sound moves IH]. Qed.

Theorem adjusted_ends cs0 n st : formed cs0 -> steps (0, cs0) n st -> n <= toll (0, cs0).
Proof.
move=> f0 run; suff: n + toll st <= toll (0, cs0) by apply: leq_trans; apply: leq_addr.
elim: run => [|m st' st'' before IH moves]; first by rewrite add0n.
apply: leq_trans IH; rewrite addSn -addnS leq_add2l.
exact: step_toll f0 (steps_sound before) moves.
Qed.

Theorem adjusted_goes_on i cs : i < size cs -> exists st, step (i, cs) st.
Proof.
move=> ics; case pi: (passes (values (nth empty cs i))).
  by exists (i.+1, cs); apply: Pass.
case: (boolP [forall x, x \in values (nth empty cs i)]) => [/forallP all_x|].
  have [s ps] := passes_reached (values (nth empty cs i)).
  by exists (i, with_noise cs i s); apply: Repeat => //; rewrite pi.
rewrite negb_forall => /existsP[x nx].
by exists (i, with_noise cs i [:: x]); apply: Absent => //; rewrite pi.
Qed.

Theorem adjusted_passes cs0 n cs : steps (0, cs0) n (size cs, cs) ->
  [/\ size cs = size cs0,
      perm_eq (flatten (map rows cs)) (flatten (map rows cs0)),
      forall i, size (rows (nth empty cs i)) = size (rows (nth empty cs0 i))
    & forall i, i < size cs -> passes (values (nth empty cs i))].
Proof. by move=> /steps_sound [[e p s] pass]; split. Qed.

End Runs.

Section Variance.

Variable D : eqType.
Implicit Types (s t c : seq D) (fs gs : seq nat).

(* How often the values of a class occur, the most frequent first. *)
Definition frequencies s := sort geq [seq count_mem x s | x <- undup s].

(* The sum of w(rank) over the rows of a class; ranks begin at j. *)
Fixpoint ranked (w : nat -> nat) j fs := if fs is f :: gs then w j * f + ranked w j.+1 gs else 0.

Definition first fs := ranked id 1 fs.
Definition second fs := ranked (fun x => x ^ 2) 1 fs.

(* V >= theta = mu (k^2 - 1) / 12 for mu = a / b, where V = second / N - (first / N)^2. *)
Definition reaches a b k s :=
  a * (k ^ 2).-1 * size s ^ 2 + 12 * b * first (frequencies s) ^ 2
  <= 12 * b * (size s * second (frequencies s)).

Lemma geq_total : total geq. Proof. by move=> m n; apply: leq_total. Qed.
Lemma geq_trans' : transitive geq. Proof. by move=> m n p nm mp; apply: leq_trans mp nm. Qed.
Lemma geq_anti : antisymmetric geq.
Proof. by move=> m n mn; apply/eqP; rewrite eqn_leq andbC. Qed.

Lemma sorted_geq fs gs : sorted geq gs -> perm_eq fs gs -> sort geq fs = gs.
Proof.
move=> sg /(perm_sortP geq_total geq_trans' geq_anti) ->.
by rewrite sorted_sort //; apply: geq_trans'.
Qed.

Lemma frequencies_perm s t : perm_eq s t -> frequencies s = frequencies t.
Proof.
move=> st; apply/(perm_sortP geq_total geq_trans' geq_anti).
rewrite (eq_map (f2 := fun x => count_mem x t)); last by move=> x; rewrite (permP st).
by apply: perm_map; apply: perm_undup => x; rewrite (perm_mem st).
Qed.

Theorem variance_perm a b k s t : perm_eq s t -> reaches a b k s = reaches a b k t.
Proof. by move=> st; rewrite /reaches (frequencies_perm st) (perm_size st). Qed.

Lemma frequencies_uniq s : uniq s -> frequencies s = nseq (size s) 1.
Proof.
move=> us; rewrite /frequencies undup_id //; apply: sorted_geq.
  by elim: (size s) => [|[|n]].
have /all_pred1P -> : all (pred1 1) [seq count_mem x s | x <- s]; last by rewrite size_map.
by rewrite all_map; apply/allP => x xs /=; rewrite count_uniq_mem ?xs.
Qed.

Lemma ranked_cat w j fs gs : ranked w j (fs ++ gs) = ranked w j fs + ranked w (j + size fs) gs.
Proof. by elim: fs j => [|f fs IH] j /=; rewrite ?addn0 // IH -addnA addSnnS. Qed.

Lemma sum_frequencies s : sumn (frequencies s) = size s.
Proof.
have e : perm_eq (frequencies s) [seq count_mem x s | x <- undup s] by rewrite perm_sort.
rewrite (perm_sumn e) -[RHS](perm_size (perm_count_undup s)) size_flatten /shape -map_comp.
by congr sumn; apply: eq_map => x /=; rewrite size_nseq.
Qed.

Lemma sorted_frequencies s : sorted geq (frequencies s).
Proof. exact: sort_sorted geq_total _. Qed.

Lemma sum_le f fs : all (geq f) fs -> sumn fs <= size fs * f.
Proof. by elim: fs => [|g fs IH] //= /andP[gf /IH le]; rewrite mulSn leq_add. Qed.

(* Chebyshev: ranks and frequencies run against each other. *)
Lemma ranked_le j fs : sorted geq fs -> 2 * ranked id j fs + sumn fs <= (2 * j + size fs) * sumn fs.
Proof.
elim: fs j => [|f fs IH] j //= path_f.
have := IH j.+1 (path_sorted path_f); have := sum_le (order_path_min geq_trans' path_f).
nia.
Qed.

Lemma ranked_ones n : 2 * ranked id 1 (nseq n 1) = n * n.+1 /\
  6 * ranked (fun x => x ^ 2) 1 (nseq n 1) = n * n.+1 * (2 * n).+1.
Proof.
elim: n => [|n [one two]] //.
have -> : nseq n.+1 1 = nseq n 1 ++ [:: 1] by rewrite -(nseqD n 1) addn1.
rewrite !ranked_cat size_nseq /= !muln1 !addn0 !mulnDr one two add1n; split; nia.
Qed.

Theorem variance_uniq a b k s : a <= b -> uniq s -> k <= size s -> reaches a b k s.
Proof.
move=> ab us ks; rewrite /reaches frequencies_uniq // /first /second.
have [] := ranked_ones (size s); set x := ranked _ _ _; set y := ranked _ _ _ => one two.
set n := size s in ks one two *.
have theta : a * (k ^ 2).-1 <= b * (n ^ 2).-1.
  by apply: leq_mul => //; rewrite -!subn1 leq_sub2r // leq_sqr.
have square : 12 * (n * y) = 12 * x ^ 2 + (n ^ 2).-1 * n ^ 2.
  have -> : 12 * (n * y) = 2 * n * (6 * y) by lia.
  have -> : 12 * x ^ 2 = 3 * (2 * x) ^ 2 by lia.
  rewrite one two; case: (n) => [//|m].
  have -> : (m.+1 ^ 2).-1 = m * (m + 2) by lia.
  by lia.
have -> : 12 * b * (n * y) = b * (12 * (n * y)) by lia.
rewrite square mulnDr addnC leq_add //; first by rewrite mulnCA mulnA.
by rewrite mulnA leq_mul2r theta orbT.
Qed.

Lemma sorted_alike n m gs : all (geq m) gs -> sorted geq gs -> sorted geq (nseq n m ++ gs).
Proof.
move=> le sg; elim: n => [|n IH] //=; rewrite path_min_sorted // all_cat le andbT.
by apply/allP => f /nseqP[-> _] /=.
Qed.

Lemma sorted_last n gs : all (leq n) gs -> sorted geq gs -> sorted geq (gs ++ [:: n]).
Proof.
case: gs => [|g gs] // le /= pg; rewrite cat_path pg /= andbT.
exact: (allP le) (mem_last g gs).
Qed.

(* One of the m rows with a most frequent value goes, one with an absent value comes. *)
Lemma frequencies_given s x y : most s y -> x \notin s -> 1 < count_mem y s ->
  exists u rest, frequencies s = nseq u.+1 (count_mem y s) ++ rest /\
    frequencies (x :: rem y s) = nseq u (count_mem y s) ++ (count_mem y s).-1 :: rest ++ [:: 1].
Proof.
move=> /andP[ys /allP top] xs; set m := count_mem y s => m1.
have xy : x != y by apply: contraNneq xs => ->.
have yu : y \in undup s by rewrite mem_undup.
have less z : count_mem z s = (y == z) + count_mem z (rem y s).
  by rewrite (permP (perm_to_rem ys)).
have stays z : (z \in rem y s) = (z \in s).
  rewrite -!has_pred1 !has_count less; have [<-|_] //= := eqVneq y z.
  by have := less y; rewrite eqxx -/m => e; lia.
pose others := rem y (undup s); pose L := [seq count_mem z s | z <- others].
have of_others z : z \in others -> (z != y) && (z \in s).
  by rewrite (mem_rem_uniq y (undup_uniq s)) => /andP[/= -> zu]; rewrite -mem_undup.
have Lm : all (geq m) L.
  by rewrite all_map; apply/allP => z /of_others /andP[_ zs] /=; apply: top.
have L1 : all (leq 1) L.
  by rewrite all_map; apply/allP => z /of_others /andP[_ zs] /=; rewrite -has_count has_pred1.
have before : perm_eq [seq count_mem z s | z <- undup s] (m :: L).
  exact: (perm_map (fun z => count_mem z s) (perm_to_rem yu)).
have after : perm_eq [seq count_mem z (x :: rem y s) | z <- undup (x :: rem y s)] (1 :: m.-1 :: L).
  apply: (@perm_trans _ [seq count_mem z (x :: rem y s) | z <- x :: y :: others]).
    apply: perm_map; apply: (@perm_trans _ (x :: undup s)); last first.
      by rewrite perm_cons perm_to_rem.
    apply: uniq_perm; [exact: undup_uniq | by rewrite /= mem_undup xs undup_uniq |].
    by move=> z; rewrite mem_undup !inE mem_undup stays.
  have cx : count_mem x (x :: rem y s) = 1.
    by rewrite /= eqxx (count_memPn _) // stays.
  have cy : count_mem y (x :: rem y s) = m.-1.
    by rewrite /m less eqxx /= (negbTE xy).
  rewrite !map_cons cx cy !perm_cons (_ : map _ _ = L) //.
  apply/eq_in_map => z /of_others /andP[zy zs].
  have /negbTE yz : y != z by rewrite eq_sym.
  have /negbTE xz : x != z by apply: contraNneq xs => ->.
  by rewrite less /= yz xz.
pose rest := sort geq [seq f <- L | f != m]; pose u := count_mem m L.
have restP f : f \in rest -> (f != m) && (f \in L) by rewrite mem_sort mem_filter.
have parts : perm_eq L (nseq u m ++ rest).
  rewrite -(perm_filterC (pred1 m) L); apply: perm_cat; last by rewrite perm_sym perm_sort.
  by have /all_pred1P -> := filter_all (pred1 m) L; rewrite size_filter.
have sr : sorted geq rest by apply: sort_sorted geq_total _.
have rest_m : all (geq m.-1) rest.
  apply/allP => f /restP /andP[fm /(allP Lm) /= le].
  by rewrite -ltnS prednK ?(ltnW m1) // ltn_neqAle fm.
have rest_1 : all (leq 1) rest by apply/allP => f /restP /andP[_ /(allP L1)].
exists u, rest; split.
  apply: sorted_geq; last by apply: perm_trans before _; rewrite /= perm_cons.
  apply: sorted_alike => //; apply/allP => f /(allP rest_m) /= le.
  exact: leq_trans le (leq_pred _).
apply: sorted_geq.
  apply: sorted_alike.
    rewrite /= leq_pred all_cat /= (ltnW m1) !andbT; apply/allP => f /(allP rest_m) /= le.
    exact: leq_trans le (leq_pred _).
  apply: (@sorted_last 1 (m.-1 :: rest)); last by rewrite /= path_min_sorted.
  by rewrite /= rest_1 andbT -ltnS prednK // ltnW.
apply: perm_trans after _; apply/permP => a.
rewrite /= (permP parts) !count_cat /= count_cat /= addn0.
by move: (nat_of_bool (a 1)) (nat_of_bool (a m.-1)) (count a _) (count a _) => *; clear; lia.
Qed.

Theorem variance_given_away a b k s x y :
  reaches a b k s -> most s y -> x \notin s -> reaches a b k (x :: rem y s).
Proof.
move=> rs my xs; have /andP[ys /allP top] := my.
have size_same : size (x :: rem y s) = size s.
  by rewrite /= size_rem // prednK //; case: (s) ys.
case: (leqP (count_mem y s) 1) => [once|twice].
  have us : uniq s.
    apply: count_mem_uniq => z; case zs: (z \in s); last by apply/count_memPn; rewrite zs.
    have := leq_trans (top z zs) once.
    by move: zs; rewrite -has_pred1 has_count; case: (count_mem z s) => [|[]].
  have us' : uniq (x :: rem y s) by rewrite /= rem_uniq // andbT (contra (@mem_rem _ _ _ _)).
  by move: rs; rewrite /reaches !frequencies_uniq // size_same.
have [u [rest [before after]]] := frequencies_given my xs twice.
set m := count_mem y s in twice before after.
have sum_before := sum_frequencies s; have chebyshev := ranked_le 1 (sorted_frequencies s).
have many : size (frequencies s) <= size s.
  rewrite -sum_before; have : all (leq 1) (frequencies s).
    rewrite all_sort all_map; apply/allP => z; rewrite mem_undup /= => zs.
    by rewrite -has_count has_pred1.
  by elim: (frequencies s) => [|f fs IH] //= /andP[f1 /IH]; rewrite -add1n; apply: leq_add.
rewrite sum_before in chebyshev.
have ranks w : ranked w 1 (frequencies (x :: rem y s)) + w u.+1
    = ranked w 1 (frequencies s) + w (size (frequencies s)).+1.
  rewrite before after (_ : nseq u.+1 m = nseq u m ++ [:: m]); last first.
    by rewrite -(nseqD u 1) addn1.
  rewrite !ranked_cat /= ranked_cat !size_cat /= !size_nseq !muln1 !addn0 !add1n addn1.
  rewrite -[in w _ * m](prednK (ltnW twice)) mulnS !addSn.
  move: (ranked w 1 _) (ranked w _ rest) (w u.+1) (w _) (m.-1) => p q c d e; lia.
have r1 := ranks id; have r2 := ranks (fun z => z ^ 2).
rewrite -/(first _) -/(first _) in r1 chebyshev; rewrite -/(second _) -/(second _) in r2.
rewrite /reaches size_same in rs *.
have few : u < size (frequencies s) by rewrite before size_cat size_nseq leq_addr.
move: rs r1 r2 chebyshev; set d := size (frequencies s) in many few *.
move: (first _) (second _) (first _) (second _) => x' y' x0 y0 rs r1 r2 cheb.
have [q dq] : exists q, d = u + q by exists (d - u); rewrite subnKC // ltnW.
have x'E : x' = x0 + q by lia.
have y'E : y' = y0 + q * (d + u + 2) by lia.
set N := size s in many cheb rs *.
have near : 2 * x0 + q <= N * (d + u + 2) by nia.
have core : N * y0 + x' ^ 2 <= N * y' + x0 ^ 2.
  rewrite x'E y'E; have := leq_mul (leqnn q) near; lia.
have := leq_mul (leqnn (12 * b)) core; rewrite !mulnDr => wide.
rewrite -(leq_add2r (12 * b * (N * y0))); apply: (@leq_trans (a * (k ^ 2).-1 * N ^ 2
  + (12 * b * (N * y') + 12 * b * x0 ^ 2))); first by rewrite -addnA leq_add2l addnC.
by rewrite [X in _ + X]addnC addnA addnC leq_add2l.
Qed.

(* The values of a class, j times. *)
Definition copies j c := flatten (nseq j c).

Lemma count_copies j c x : count_mem x (copies j c) = j * count_mem x c.
Proof. by elim: j => [|j IH] //; rewrite /copies /= count_cat -/(copies j c) IH mulSn. Qed.

Lemma ranked_scaled w j n fs : ranked w n (map (muln j) fs) = j * ranked w n fs.
Proof.
elim: fs n => [|f fs IH] n /=; first by rewrite muln0.
by rewrite IH mulnDr mulnCA.
Qed.

Theorem variance_copies a b k j c : reaches a b k c -> reaches a b k (copies j.+1 c).
Proof.
move=> rc; have scaled : frequencies (copies j.+1 c) = map (muln j.+1) (frequencies c).
  apply: sorted_geq.
    rewrite sorted_map; apply: sub_sorted (sorted_frequencies c) => m n /=.
    by rewrite leq_mul2l.
  apply: (@perm_trans _ (map (muln j.+1) [seq count_mem x c | x <- undup c])); last first.
    by apply: perm_map; rewrite perm_sym perm_sort.
  rewrite -map_comp (eq_map (f2 := muln j.+1 \o (fun x => count_mem x c))); last first.
    by move=> x /=; rewrite count_copies.
  apply: perm_map; apply: uniq_perm; rewrite ?undup_uniq // => x.
  by rewrite !mem_undup -!has_pred1 !has_count count_copies muln_gt0.
have size_copies : size (copies j.+1 c) = j.+1 * size c.
  by rewrite /copies size_flatten /shape map_nseq sumn_nseq mulnC.
have f1 : first (map (muln j.+1) (frequencies c)) = j.+1 * first (frequencies c).
  exact: ranked_scaled.
have f2 : second (map (muln j.+1) (frequencies c)) = j.+1 * second (frequencies c).
  exact: ranked_scaled.
move: rc; rewrite /reaches scaled size_copies f1 f2.
move: (first (frequencies c)) (second (frequencies c)) (size c) (a * (k ^ 2).-1) => x y N h rc.
have := leq_mul (leqnn (j.+1 ^ 2)) rc; rewrite mulnDr !expnMn => wide.
have -> : h * (j.+1 ^ 2 * N ^ 2) = j.+1 ^ 2 * (h * N ^ 2) by lia.
have -> : 12 * b * (j.+1 ^ 2 * x ^ 2) = j.+1 ^ 2 * (12 * b * x ^ 2) by lia.
have -> : 12 * b * (j.+1 * N * (j.+1 * y)) = j.+1 ^ 2 * (12 * b * (N * y)) by lia.
exact: wide.
Qed.

Lemma completed s c : (forall x, count_mem x s <= count_mem x c) -> exists t, perm_eq (t ++ s) c.
Proof.
elim: s c => [|x s IH] c le; first by exists c; rewrite cats0.
have xc : x \in c by rewrite -has_pred1 has_count; apply: leq_trans (le x); rewrite /= eqxx.
have [|t e] := IH (rem x c).
  move=> z; have := le z; rewrite /= (permP (perm_to_rem xc)) /=.
  by rewrite leq_add2l.
exists t; rewrite (permPr (perm_to_rem xc)) -[x :: s]cat1s perm_catCA /= perm_cons.
exact: e.
Qed.

(* If some class over all values reaches theta, noise rows bring every class to it. *)
Theorem variance_reachable a b k c s : (forall x, x \in c) -> reaches a b k c ->
  exists t, reaches a b k (t ++ s).
Proof.
move=> all_c rc; have [|t e] := @completed s (copies (size s).+1 c).
  move=> x; rewrite count_copies; apply: leq_trans (count_size _ _) _.
  rewrite -{1}[size s]muln1; apply: leq_mul => //.
  by rewrite -has_count has_pred1.
by exists t; rewrite (variance_perm _ _ _ e); apply: variance_copies.
Qed.

End Variance.

(* The threshold of the algorithm is one for which every run does what is said above. *)
Theorem theta_sensitive (T : eqType) (D : finType) (value : T -> D) (a b k : nat) (c : seq D) :
  a <= b -> (forall x, x \in c) -> reaches a b k c ->
  forall (cs0 : seq (class T D)), formed k cs0 ->
  (forall n st, steps value (reaches a b k) (0, cs0) n st ->
     n <= toll value (reaches a b k) (0, cs0) /\
     (st.1 < size st.2 -> exists st', step value (reaches a b k) st st')) /\
  forall n cs, steps value (reaches a b k) (0, cs0) n (size cs, cs) ->
    perm_eq (flatten (map (@rows T D) cs)) (flatten (map (@rows T D) cs0)) /\
    forall i, i < size cs -> let p := nth (empty T D) cs i in
      k <= size (rows p) /\ reaches a b k (values value p).
Proof.
move=> ab all_c rc cs0 f0.
have perm (s t : seq D) : perm_eq s t -> reaches a b k s = reaches a b k t by apply: variance_perm.
have uniq_ (s : seq D) : uniq s -> k <= size s -> reaches a b k s by apply: variance_uniq.
have given (s : seq D) x y :
    reaches a b k s -> most s y -> x \notin s -> reaches a b k (x :: rem y s).
  exact: variance_given_away.
have reached (s : seq D) : exists t, reaches a b k (t ++ s).
  exact: (variance_reachable s all_c rc).
split=> [n [i cs] run | n cs run].
  split; first exact: (adjusted_ends perm uniq_ given f0 run).
  exact: (adjusted_goes_on value reached).
have [e p sizes pass] := adjusted_passes perm given run; split=> // i ics; split; last exact: pass.
by rewrite sizes; apply: (all_nthP (empty T D) f0); rewrite -e.
Qed.

(* Diseases 0, 0, 1, 2 and 0, 1, 1, 2: each has V = 11/16, the eight rows together have 39/64. *)
Theorem union_may_fail : let s := [:: 0; 0; 1; 2] in let t := [:: 0; 1; 1; 2] in
  [/\ reaches 11 20 4 s, reaches 11 20 4 t & ~~ reaches 11 20 4 (s ++ t)].
Proof. by vm_compute. Qed.
