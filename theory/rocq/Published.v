(* What is published of a theta-sensitive table: classes that a reader cannot tell apart are one.

   The label of a class generalizes the quasi-identifiers of its rows. Classes with equal labels are
   published as one class, which may fall short of theta although each of them reaches it. Then
   these classes are formed as one, and Algorithm 1 begins anew with the fewer classes.

   runs_end            from every formation Algorithm 1 comes to an end
   joined_fewer        joining makes fewer classes, as long as some published class fails
   begun_sound         all rows are still there, and each class has its k rows
   theta_published     begun anew at most as many times as there were classes, it ends; and then all
                       rows are published, under labels that are true of them, in classes of k rows
                       or more, which reach theta *)

From mathcomp Require Import all_ssreflect zify.
From kproof Require Import Theta.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Published.

Variables (T : eqType) (D : finType) (Q L : eqType).
Variables (value : T -> D) (quasi : T -> Q) (cover : seq Q -> L) (k : nat) (passes : seq D -> bool).

Notation class := (class T D).
Notation empty := (empty T D).
Implicit Types (cs : seq class).

Definition label (c : class) := cover (map quasi (rows c)).

(* The values of a published class, and its rows. *)
Definition published cs l := flatten [seq values value c | c <- cs & label c == l].
Definition published_rows cs l := flatten [seq rows c | c <- cs & label c == l].

Definition failing cs i := ~~ passes (published cs (label (nth empty cs i))).

(* With which class a class is formed: of a published class that fails, with the first. *)
Definition leader cs i :=
  if failing cs i then index (label (nth empty cs i)) (map label cs) else i.

Definition together cs0 cs j : class :=
  let parts := [seq nth empty cs0 i | i <- iota 0 (size cs0) & leader cs i == j] in
  (flatten (map (@rows T D) parts), flatten (map (@noise T D) parts)).

Definition joined cs0 cs :=
  [seq together cs0 cs j | j <- iota 0 (size cs0) & leader cs j == j].

Definition short cs := has (failing cs) (iota 0 (size cs)).

(* The formations with which Algorithm 1 begins, after it has begun anew m times. *)
Inductive begun cs0 : nat -> seq class -> Prop :=
| Once : begun cs0 0 cs0
| Anew m cs1 n cs of begun cs0 m cs1 & steps value passes (0, cs1) n (size cs, cs) & short cs :
    begun cs0 m.+1 (joined cs1 cs).

Hypothesis passes_perm : forall s t, perm_eq s t -> passes s = passes t.
Hypothesis passes_uniq : forall s, uniq s -> k <= size s -> passes s.
Hypothesis passes_given : forall s x y,
  passes s -> most s y -> x \notin s -> passes (x :: rem y s).
Hypothesis passes_reached : forall s, exists t, passes (t ++ s).

Lemma step_within st st' : st.1 <= size st.2 -> step value passes st st' -> st'.1 <= size st'.2.
Proof.
move=> le moves; case: moves le => {st st'} [i cs ics _|i j cs r r' /andP[ij jcs] _ _ _ _ _
  |i cs r r' e _ _ _ _ _ _ _|i cs x ics _ _|i cs s ics _ _ _] //= le.
- by rewrite size_exchanged // (ltn_trans ij).
- by rewrite size_exchanged -?e // ltnW.
- by rewrite size_set_nth leq_max le orbT.
- by rewrite size_set_nth leq_max le orbT.
Qed.

Lemma runs_end cs0 : formed k cs0 ->
  exists n cs, steps value passes (0, cs0) n (size cs, cs).
Proof.
move=> f0; suff ends t n st : steps value passes (0, cs0) n st -> st.1 <= size st.2 ->
    toll value passes st <= t -> exists n cs, steps value passes (0, cs0) n (size cs, cs).
  exact: (ends _ _ _ (Start _ _ _) (leq0n _) (leqnn _)).
elim: t n st => [|t IH] n [i cs] run /= le small.
  move: le; rewrite leq_eqVlt => /orP[/eqP e|ics]; first by exists n, cs; rewrite -{1}e.
  have [st' moves] := adjusted_goes_on value passes_reached ics.
  have := step_toll passes_perm passes_uniq f0 (steps_sound passes_perm passes_given run) moves.
  by move=> /leq_trans /(_ small).
move: le; rewrite leq_eqVlt => /orP[/eqP e|ics]; first by exists n, cs; rewrite -{1}e.
have [st' moves] := adjusted_goes_on value passes_reached ics.
have less := step_toll passes_perm passes_uniq f0 (steps_sound passes_perm passes_given run) moves.
apply: (IH n.+1 st'); first exact: More run moves.
  by apply: step_within moves; apply: ltnW.
by rewrite -ltnS; apply: leq_trans less small.
Qed.

Lemma label_leader cs i : i < size cs -> failing cs i ->
  [/\ leader cs i < size cs, label (nth empty cs (leader cs i)) = label (nth empty cs i)
    & failing cs (leader cs i)].
Proof.
move=> ics fail; have mem : label (nth empty cs i) \in map label cs by rewrite map_f ?mem_nth.
have less : leader cs i < size cs by rewrite /leader fail -(size_map label) index_mem.
have same : label (nth empty cs (leader cs i)) = label (nth empty cs i).
  by rewrite -(nth_map _ (label empty)) // /leader fail nth_index.
by split=> //; rewrite /failing same.
Qed.

Lemma leader_leader cs i : i < size cs -> leader cs i < size cs /\ leader cs (leader cs i) = leader cs i.
Proof.
move=> ics; case fail: (failing cs i); last by rewrite /leader fail ics fail.
have [less same fail'] := label_leader ics fail; split=> //.
by rewrite {1}/leader fail' same /leader fail.
Qed.

Lemma joined_rows cs0 cs : size cs = size cs0 ->
  perm_eq (flatten (map (@rows T D) (joined cs0 cs))) (flatten (map (@rows T D) cs0)).
Proof.
move=> e; apply/permP => p.
have counted (ss : seq (seq T)) : count p (flatten ss) = \sum_(s <- ss) count p s.
  by rewrite count_flatten sumnE big_map.
pose F i := count p (rows (nth empty cs0 i)).
rewrite !counted !big_map big_filter /=.
rewrite (eq_bigr (fun j => \sum_(i <- iota 0 (size cs0) | leader cs i == j) F i)); last first.
  by move=> j _; rewrite counted !big_map big_filter.
have -> : \sum_(c <- cs0) count p (rows c) = \sum_(i <- iota 0 (size cs0)) F i.
  by rewrite -{1}(mkseq_nth empty cs0) big_map.
rewrite (exchange_big_dep predT) //= big_seq [RHS]big_seq; apply: eq_bigr => i.
rewrite mem_iota add0n => /andP[_ ics]; have [|less same] := @leader_leader cs i; first by rewrite e.
rewrite (eq_bigl (fun j => j == leader cs i)); last first.
  by move=> j /=; apply/idP/eqP => [/andP[_ /eqP ->]|->] //; rewrite same !eqxx.
rewrite big_mkcond (bigD1_seq (leader cs i)) ?iota_uniq ?mem_iota ?add0n -?e //= eqxx.
by rewrite big1 ?addn0 // => j /negPf ->.
Qed.

Lemma joined_formed cs0 cs : size cs = size cs0 -> formed k cs0 -> formed k (joined cs0 cs).
Proof.
move=> e /(all_nthP empty) f0; apply/allP => c /mapP[j]; rewrite mem_filter mem_iota add0n.
move=> /andP[self /andP[_ jcs]] ->; apply: leq_trans (f0 j jcs) _.
rewrite /together /rows /= size_flatten sumnE !big_map big_filter.
rewrite (big_rem j) ?mem_iota ?add0n //= self; exact: leq_addr.
Qed.

Lemma joined_fewer cs0 cs : size cs = size cs0 ->
  (forall i, i < size cs -> passes (values value (nth empty cs i))) ->
  short cs -> size (joined cs0 cs) < size cs0.
Proof.
move=> e pass /hasP[i]; rewrite mem_iota add0n => /andP[_ ics] fail.
rewrite size_map size_filter -[X in _ < X](size_iota 0) -(count_predC (fun j => leader cs j == j)).
rewrite -[X in X < _]addn0 ltn_add2l -has_count; apply/hasP.
have [less same fail'] := label_leader ics fail; set j := leader cs i in less same fail'.
have jE : j = index (label (nth empty cs j)) (map label cs) by rewrite same /j /leader fail.
pose l := label (nth empty cs j); have short_l : ~~ passes (published cs l) := fail'.
case: (boolP (all (fun x => label x != l) (drop j.+1 cs))) => [none|].
  case/negP: short_l; rewrite /published -(cat_take_drop j cs) filter_cat (drop_nth empty less) /=.
  rewrite -/l eqxx (_ : filter _ (take j cs) = [::]); last first.
    apply/eqP; rewrite -size_eq0 size_filter -leqn0 leqNgt -has_count; apply/negP.
    move=> /(has_nthP empty)[x]; rewrite size_take less => xj; rewrite nth_take // => /eqP lx.
    have := before_find (label empty) (s := map label cs) (a := pred1 l).
    move=> /(_ x); rewrite -/(index _ _) -jE => /(_ xj).
    by rewrite (nth_map empty) ?(ltn_trans xj) //= lx eqxx.
  rewrite (_ : filter _ (drop j.+1 cs) = [::]); last first.
    by apply/eqP; rewrite -size_eq0 size_filter -leqn0 leqNgt -has_count -all_predC.
  by rewrite /= cats0 pass.
rewrite -has_predC => /(has_nthP empty)[x]; rewrite size_drop => xd /=; rewrite negbK nth_drop.
move=> /eqP lx; exists (j.+1 + x); first by rewrite mem_iota add0n -e /=; lia.
have fx : failing cs (j.+1 + x) by rewrite /failing lx.
by rewrite /= /leader fx lx -jE; apply/eqP; lia.
Qed.

Lemma begun_sound cs0 m cs1 : formed k cs0 -> begun cs0 m cs1 ->
  [/\ m + size cs1 <= size cs0, formed k cs1
    & perm_eq (flatten (map (@rows T D) cs1)) (flatten (map (@rows T D) cs0))].
Proof.
move=> f0; elim=> [|{}m {}cs1 n cs _ [le f1 p1] run fails]; first by split.
have [e _ _ pass] := adjusted_passes passes_perm passes_given run.
split; last exact: perm_trans (joined_rows e) p1; last exact: joined_formed.
by apply: leq_trans le; rewrite addSn -addnS leq_add2l; apply: joined_fewer.
Qed.

Lemma begun_ends cs0 : formed k cs0 ->
  exists m cs1 n cs, [/\ begun cs0 m cs1, steps value passes (0, cs1) n (size cs, cs) & ~~ short cs].
Proof.
move=> f0; suff ends t m cs1 : begun cs0 m cs1 -> size cs1 <= t ->
    exists m cs1 n cs,
      [/\ begun cs0 m cs1, steps value passes (0, cs1) n (size cs, cs) & ~~ short cs].
  exact: (ends _ _ _ (Once cs0) (leqnn _)).
elim: t m cs1 => [|t IH] m cs1 begins small; have [_ f1 _] := begun_sound f0 begins;
  have [n [cs run]] := runs_end f1; have [e _ _ pass] := adjusted_passes passes_perm passes_given run;
  case fails: (short cs); try by exists m, cs1, n, cs; rewrite fails.
  by have := leq_trans (joined_fewer e pass fails) small.
apply: (IH m.+1 (joined cs1 cs)); first exact: Anew begins run fails.
by rewrite -ltnS; apply: leq_trans (joined_fewer e pass fails) small.
Qed.

Lemma published_passes cs l : ~~ short cs -> l \in map label cs -> passes (published cs l).
Proof.
move=> ok /(nthP (label empty))[i]; rewrite size_map => ics <-; rewrite (nth_map empty) //.
apply: contraNT ok => fail; apply/hasP; exists i => //.
by rewrite mem_iota add0n.
Qed.

Lemma published_k cs l : formed k cs -> l \in map label cs -> k <= size (published_rows cs l).
Proof.
move=> /allP f /mapP[c cc ->]; apply: leq_trans (f c cc) _.
have := perm_to_rem (s := [seq d <- cs | label d == label c]) (x := c).
rewrite mem_filter eqxx cc => /(_ isT) e; rewrite /published_rows size_flatten sumnE !big_map.
by rewrite (perm_big _ e) big_cons leq_addr.
Qed.

End Published.

Theorem theta_published (T : eqType) (D : finType) (Q L : eqType) (value : T -> D) (quasi : T -> Q)
    (cover : seq Q -> L) (covers : L -> Q -> bool) (a b k : nat) (c : seq D) :
  a <= b -> (forall x, x \in c) -> reaches a b k c ->
  (forall (s : seq Q) q, q \in s -> covers (cover s) q) ->
  forall (cs0 : seq (class T D)), formed k cs0 ->
  let begins m cs1 := begun value quasi cover (reaches a b k) cs0 m cs1 in
  let ends cs1 cs := exists n, steps value (reaches a b k) (0, cs1) n (size cs, cs) in
  let fails cs := short value quasi cover (reaches a b k) cs in
  [/\ forall m cs1, begins m cs1 -> m <= size cs0 /\ formed k cs1,
      exists m cs1 cs, [/\ begins m cs1, ends cs1 cs & ~~ fails cs]
    & forall m cs1 cs, begins m cs1 -> ends cs1 cs -> ~~ fails cs ->
      [/\ perm_eq (flatten (map (@rows T D) cs)) (flatten (map (@rows T D) cs0)),
          forall p r, p \in cs -> r \in rows p -> covers (label quasi cover p) (quasi r)
        & forall l, l \in map (@label T D Q L quasi cover) cs ->
          k <= size (published_rows quasi cover cs l) /\
          reaches a b k (published value quasi cover cs l)]].
Proof.
move=> ab all_c rc true_labels cs0 f0 begins ends fails.
have perm (s t : seq D) : perm_eq s t -> reaches a b k s = reaches a b k t by apply: variance_perm.
have uniq_ (s : seq D) : uniq s -> k <= size s -> reaches a b k s by apply: variance_uniq.
have given (s : seq D) x y :
    reaches a b k s -> most s y -> x \notin s -> reaches a b k (x :: rem y s).
  exact: variance_given_away.
have reached (s : seq D) : exists t, reaches a b k (t ++ s).
  exact: (variance_reachable s all_c rc).
split=> [m cs1 begins1 | | m cs1 cs begins1 [n run] ok].
- have [le f1 _] := begun_sound perm given f0 begins1; split=> //.
  exact: leq_trans (leq_addr _ _) le.
- have [m [cs1 [n [cs [begins1 run ok]]]]] :=
    begun_ends value quasi cover perm uniq_ given reached f0.
  by exists m, cs1, cs; split=> //; exists n.
have [_ f1 p1] := begun_sound perm given f0 begins1.
have [e p sizes _] := adjusted_passes perm given run.
have f : formed k cs.
  apply/(all_nthP (empty T D)) => i ics; rewrite sizes.
  by apply: (all_nthP (empty T D) f1); rewrite -e.
split; first exact: perm_trans p p1.
  by move=> q r _ rq; apply: true_labels; apply: map_f.
move=> l ll; split; first exact: published_k.
exact: (published_passes ok ll).
Qed.
