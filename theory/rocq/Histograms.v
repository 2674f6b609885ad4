(* What a table of counts, a histogram, tells of one record, under a belief of the others.

   The others are independent: record i is in cell c with probability p i c. The victim is in one of
   two cells a and b; an adversary sees how many records are in each cell, and knows p. E is e^eps.

   coin_bound      R2: a record that is in a with probability q at least, and in b with r, is a coin
                   that shows a with chance q/(q + r), if it is tossed: with chance q + r. The table
                   tells at most what these coins tell of one that shows a against one that shows b
   coin_attained   R2: equality, if no two records may share a cell but a and b
   coin_iid_exact  R3: equality, if all others have one law; and the closed form by a floor
   rarer_tell_more R3: a pair of cells that are rarer tells more, whatever else there is
   two_rarest      R3: hence no pair of cells tells more than the two rarest, in both directions
   path_bound      R5: records that are on the edges of a path of cells from a to b, each with some
                   probability: the table tells at most what the numbers of those at the nearer ends
                   tell, of which there is one for each edge, and all of which the victim moves by 1
   path_exact      R5: equality, if all of them are, and the cells of the path differ

   For the victim in b against a, exchange a and b; for paths both directions are said.

   A table is coded as one number, with a digit for each cell, so that laws of tables are
   polynomials like all others. *)

From mathcomp Require Import all_ssreflect all_algebra ring zify.
From kproof Require Import Laws Blocks Several LogConcave Counts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Numbers written with digits y below N. *)
Section Digits.

Variable N : nat.

Definition number r (y : 'I_r -> nat) := (\sum_(j < r) y j * N ^ j)%N.

Lemma digit r (y : 'I_r -> nat) (i : 'I_r) :
  (forall j, (y j < N)%N) -> (number y %/ N ^ i %% N = y i)%N.
Proof.
elim: r y i => [|r IH] y i small; first by case: i.
have N0 : (0 < N)%N := leq_ltn_trans (leq0n _) (small i).
have -> : number y = (number (fun j => y (lift ord0 j)) * N + y ord0)%N.
  rewrite /number big_ord_recl muln1 addnC big_distrl /=; congr (_ + _)%N.
  by apply: eq_bigr => j _; rewrite /bump add1n expnS -mulnA [(N * _)%N]mulnC.
have [j ->|->] := unliftP ord0 i; last by rewrite divn1 modnMDl modn_small.
rewrite /= /bump add1n expnS divnMA divnMDl // [(y ord0 %/ N)%N]divn_small ?addn0 //.
exact: (IH (fun j => y (lift ord0 j))).
Qed.

Lemma number_inj r (y z : 'I_r -> nat) : (forall j, (y j < N)%N) -> (forall j, (z j < N)%N) ->
  number y = number z -> y =1 z.
Proof. by move=> sy sz e i; rewrite -(digit i sy) e digit. Qed.

End Digits.

Section Computed.

Variables (R : realFieldType) (T : finType).
Implicit Types (w f g : T -> R) (E : R).

Definition spread w (A : T -> nat) : {poly R} := \sum_z w z *: 'X^(A z).

Lemma pr_spread w A O : pr (spread w A) O = \sum_z w z * (O (A z))%:R.
Proof. by rewrite pr_mean mean_sum; apply: eq_bigr => z _; rewrite meanZ meanXn. Qed.

(* What is computed from a release tells no more than the release. *)
Lemma computed E w (A A' B B' : T -> nat) (K : nat -> nat) :
  (forall z, K (B z) = A z) -> (forall z, K (B' z) = A' z) ->
  hockey E (spread w A) (spread w A') <= hockey E (spread w B) (spread w B').
Proof.
move=> KA KA'; rewrite -hockey_event; set O := [pred i | _]; move: O => O.
apply: le_trans (hockey_ge E _ _ (fun t => O (K t))); rewrite /gain !pr_spread.
under eq_bigr do rewrite -KA; under [X in _ - _ * X]eq_bigr do rewrite -KA'.
exact: lexx.
Qed.

(* Where all outcomes are told apart. *)
Lemma hockey_spread E f g (A : T -> nat) : injective A ->
  hockey E (spread f A) (spread g A) = \sum_z pos (f z - E * g z).
Proof.
move=> injA; pose N := (\max_z A z).+1.
have small z : (A z < N)%N by rewrite ltnS (leq_bigmax z).
have size_spread w : (size (spread w A) <= N)%N.
  apply: (leq_trans (size_sum _ _ _)); apply/bigmax_leqP => z _.
  by apply: (leq_trans (size_scale_leq _ _)); rewrite size_polyXn.
rewrite (hockeyE E (size_spread f) (size_spread g)).
rewrite [RHS](partition_big (fun z => Ordinal (small z)) xpredT) //=; apply: eq_bigr => i _.
rewrite !coef_sum mulr_sumr -sumrB.
have zero z : A z != i -> (f z *: 'X^(A z))`_i - E * (g z *: 'X^(A z))`_i = 0.
  by rewrite eq_sym => /negPf ne; rewrite !coefZ !coefXn ne !mulr0 subrr.
case: (pickP (fun z => A z == i)) => [z Az|none]; last first.
  rewrite big1 => [|z _]; last by apply: zero; rewrite none.
  by rewrite pos0 big1 // => z; rewrite -val_eqE /= none.
rewrite (bigD1 z) //= [X in pos (_ + X)]big1 ?addr0 => [|y /eqP ne]; last first.
  by apply: zero; apply/eqP => Ay; case: ne; apply: injA; rewrite Ay (eqP Az).
rewrite !coefZ !coefXn -(eqP Az) eqxx !mulr1 (big_pred1 z) // => y.
by rewrite -val_eqE /= -(eqP Az); apply/eqP/eqP => [/injA|->].
Qed.

End Computed.

Section Coins.

Variables (R : realFieldType) (I : finType).
Implicit Types (s theta : I -> R) (L : {set I}).

(* How many of the coins of L show heads: Poisson-binomial. *)
Definition heads theta L : {poly R} := \prod_(i in L) counted (theta i).

(* What the coins tell of one that shows heads against one that shows tails, if coin i is tossed
   with chance s i, and all know which are. *)
Definition coins_tell E s theta :=
  \sum_(L : {set I}) chance_of s L * hockey E ('X * heads theta L) (heads theta L).

(* Coins of a set of records: what is added for each, over all ways to fall. *)
Lemma coins_spread theta L (u w : I -> nat) n :
  'X^n * \prod_(i in L) (theta i *: 'X^(u i) + (1 - theta i) *: 'X^(w i))
  = spread (chance_of theta) (fun l => n + \sum_(i in L) if i \in l then u i else w i)%N.
Proof.
pose on (k : I -> nat) i := if i \in L then k i else 0%N.
rewrite big_mkcond (eq_bigr (fun i => theta i *: 'X^(on u i) + (1 - theta i) *: 'X^(on w i))).
  rewrite prod_sets mulr_sumr; apply: eq_bigr => l _; rewrite -scalerAr; congr (_ *: _).
  rewrite !prodrXr -!exprD; congr ('X^(_ + _)).
  rewrite [RHS]big_mkcond [RHS](bigID (mem l)) /=; congr (_ + _)%N.
    by apply: eq_bigr => i il; rewrite /on il.
  by apply: eq_big => [i|i]; rewrite inE // => /negPf il; rewrite /on il.
by move=> i _; rewrite /on; case: ifP => // _; rewrite !expr0 -scalerDl addrC subrK scale1r.
Qed.

End Coins.

Section Tables.

Variables (R : realFieldType) (C I : finType).
Implicit Types (p : I -> C -> R) (a b c v : C) (x : {ffun I -> C}) (E delta : R).

(* How many records are in each cell: the others are in the cells x, and the victim is in v. *)
Definition table v x : {ffun C -> nat} := [ffun c => ((v == c) + \sum_i (x i == c))%N].

(* What an adversary believes of the others, who are independent. *)
Definition belief p := forall i, (forall c, 0 <= p i c) /\ \sum_c p i c = 1.

Definition pr_table p v (O : pred {ffun C -> nat}) :=
  \sum_(x : {ffun I -> C} | O (table v x)) \prod_i p i (x i).

(* (E, delta)-indistinguishable, for all events: the victim in a against the victim in b. *)
Definition close_tables E delta p a b := forall O, pr_table p a O <= E * pr_table p b O + delta.

(* A table as one number. *)
Definition base := #|I|.+2.
Definition place c := (base ^ enum_rank c)%N.
Definition code (h : C -> nat) := (\sum_c h c * place c)%N.
Definition coded p v : {poly R} := 'X^(place v) * \prod_i \sum_c p i c *: 'X^(place c).

Lemma code_number h : code h = number base (fun j : 'I_#|C| => h (enum_val j)).
Proof.
rewrite /code /number (reindex (@enum_val C C)); last first.
  by exists enum_rank => c _; rewrite ?enum_rankK ?enum_valK.
by apply: eq_big => [j|j _]; rewrite /place ?enum_valK.
Qed.

Lemma table_small v x c : (table v x c < base)%N.
Proof.
rewrite ffunE ltnS -add1n leq_add ?leq_b1 // -sum1_card.
by apply: leq_sum => i _; apply: leq_b1.
Qed.

Lemma code_table v x : code (table v x) = (\sum_i place (x i) + place v)%N.
Proof.
have at_cell c : (\sum_d (c == d) * place d = place c)%N.
  by rewrite (bigD1 c) //= eqxx mul1n big1 ?addn0 // => d; rewrite eq_sym => /negPf ->.
rewrite /code; under eq_bigr do rewrite ffunE mulnDl big_distrl /=.
by rewrite big_split /= at_cell addnC exchange_big; congr (_ + _)%N; apply: eq_bigr.
Qed.

Lemma pr_coded p v O : pr (coded p v) O = pr_table p v (fun h => O (code h)).
Proof.
rewrite pr_mean mean_shift bigA_distr_bigA mean_sum /pr_table [RHS]big_mkcond /=.
apply: eq_bigr => x _; rewrite code_table scaler_prod prodrXr meanZ meanXn.
by case: (O _); rewrite ?mulr1 ?mulr0.
Qed.

Lemma close_coded E delta p a b :
  close_tables E delta p a b <-> hockey E (coded p a) (coded p b) <= delta.
Proof.
rewrite -close_hockey; split=> [near O|near O]; first by rewrite !pr_coded; apply: near.
pose decode t : {ffun C -> nat} := [ffun c => (t %/ base ^ enum_rank c %% base)%N].
have decoded v x : decode (code (table v x)) = table v x.
  apply/ffunP => c; rewrite ffunE code_number digit ?enum_rankK // => j.
  exact: table_small.
have same v : pr_table p v O = pr (coded p v) (fun t => O (decode t)).
  by rewrite pr_coded; apply: eq_bigl => x; rewrite decoded.
by rewrite !same; apply: near.
Qed.

(* A record that is in the cell c with chance theta, and otherwise in d. *)
Definition coin_at (theta : R) c d : C -> R :=
  fun e => theta * (e == c)%:R + (1 - theta) * (e == d)%:R.

Lemma coin_poly theta c d : \sum_e coin_at theta c d e *: 'X^(place e)
  = theta *: 'X^(place c) + (1 - theta) *: 'X^(place d) :> {poly R}.
Proof.
have at_cell w c' : \sum_e (w * (e == c')%:R) *: 'X^(place e) = w *: 'X^(place c') :> {poly R}.
  by rewrite (bigD1 c') //= eqxx mulr1 big1 ?addr0 // => e /negPf ->; rewrite mulr0 scale0r.
by rewrite -!at_cell -big_split /=; apply: eq_bigr => e _; rewrite scalerDl.
Qed.

Lemma coin_total theta c d : \sum_e coin_at theta c d e = 1.
Proof.
have at_cell w c' : \sum_(e : C) (w * (e == c')%:R) = w :> R.
  by rewrite (bigD1 c') //= eqxx mulr1 big1 ?addr0 // => e /negPf ->; rewrite mulr0.
by rewrite big_split /= !at_cell addrC subrK.
Qed.

Definition coins (theta : I -> R) (near far : I -> C) (L : {set I}) : {poly R} :=
  \prod_(i in L) (theta i *: 'X^(place (near i)) + (1 - theta i) *: 'X^(place (far i))).

Lemma share01 p (m theta : I -> R) (near far : I -> C) : belief p -> (forall i, 0 <= m i) ->
  (forall i c, m i * coin_at (theta i) (near i) (far i) c <= p i c) -> forall i, 0 <= m i <= 1.
Proof.
move=> bp m0 least i; rewrite m0 /=; have [_ <-] := bp i.
by rewrite -[m i]mulr1 -(coin_total (theta i) (near i) (far i)) mulr_sumr; apply: ler_sum.
Qed.

(* Records that are in two cells at least with certain chances. *)
Lemma coins_told E p (m theta : I -> R) (near far : I -> C) a b :
  belief p -> (forall i, 0 <= m i) ->
  (forall i c, m i * coin_at (theta i) (near i) (far i) c <= p i c) ->
  hockey E (coded p a) (coded p b)
  <= \sum_(L : {set I}) chance_of m L
       * hockey E ('X^(place a) * coins theta near far L) ('X^(place b) * coins theta near far L).
Proof.
move=> bp m0 least; pose k i := coin_at (theta i) (near i) (far i).
have left i c : 0 <= p i c - m i * k i c by rewrite subr_ge0; apply: least.
have left_total i : \sum_c (p i c - m i * k i c) = 1 - m i.
  by have [_ p1] := bp i; rewrite sumrB p1 -mulr_sumr coin_total mulr1.
have m01 := share01 bp m0 least.
have rests i : exists2 M : {poly R}, law M
    & \sum_c (p i c - m i * k i c) *: 'X^(place c) = (1 - m i) *: M.
  rewrite -left_total; apply: law_mix => [c|c]; [exact: left | exact: law_Xn].
have [zeta zetaP] := fin_all_exists
  (fun i => let: ex_intro2 M lM e := rests i in ex_intro _ M (conj lM e)).
have recordE i : \sum_c p i c *: 'X^(place c)
    = m i *: ((theta i *: 'X^(place (near i)) + (1 - theta i) *: 'X^(place (far i))) * 1)
      + (1 - m i) *: zeta i.
  have [_ <-] := zetaP i; rewrite mulr1 -coin_poly scaler_sumr -big_split /=.
  by apply: eq_bigr => c _; rewrite scalerA -scalerDl addrC subrK.
rewrite /coded (eq_bigr _ (fun i _ => recordE i)).
have both i : law (1 : {poly R}) /\ law (zeta i) by split; [apply: law1 | have [] := zetaP i].
exact: (parts_told E _ _ _ m01 both).
Qed.

Lemma coin_share (q r : R) : 0 <= q -> 0 <= r ->
  (q + r) * (q / (q + r)) = q /\ (q + r) * (1 - q / (q + r)) = r.
Proof.
move=> q0 r0; have [/eqP|nz] := eqVneq (q + r) 0.
  by rewrite paddr_eq0 // => /andP[/eqP-> /eqP->]; rewrite addr0 !mul0r.
have e : (q + r) * (q / (q + r)) = q by rewrite mulrC divfK.
by split=> //; rewrite mulrBr e mulr1 addrAC subrr add0r.
Qed.

(* R2 *)
Theorem coin_bound E p (q r : I -> R) a b :
  belief p -> a != b -> (forall i, 0 <= q i <= p i a) -> (forall i, 0 <= r i <= p i b) ->
  let s i := q i + r i in close_tables E (coins_tell E s (fun i => q i / s i)) p a b.
Proof.
move=> bp ab qa rb s; apply/close_coded; pose theta i := q i / s i.
have q0 i : 0 <= q i by have /andP[] := qa i.
have r0 i : 0 <= r i by have /andP[] := rb i.
have s0 i : 0 <= s i by rewrite addr_ge0.
have least i c : s i * coin_at (theta i) a b c <= p i c.
  have [p0 _] := bp i.
  have [qE rE] : s i * theta i = q i /\ s i * (1 - theta i) = r i := coin_share (q0 i) (r0 i).
  rewrite /coin_at mulrDr [s i * (theta i * _)]mulrA [s i * (_ * _)]mulrA qE rE.
  case: (eqVneq c a) => [->|_].
    by rewrite (negPf ab) mulr1 mulr0 addr0; have /andP[] := qa i.
  rewrite mulr0 add0r; case: eqP => [->|_]; last by rewrite mulr0.
  by rewrite mulr1; have /andP[] := rb i.
apply: le_trans (coins_told E a b bp s0 least) _; apply: ler_sum => L _.
have s01 := share01 bp s0 least.
apply: ler_wpmul2l; first exact: chance_of_ge0.
have headsE n : 'X^n * heads theta L = spread (chance_of theta)
    (fun l => n + \sum_(i in L) (i \in l))%N.
  have -> : heads theta L = \prod_(i in L) (theta i *: 'X^1 + (1 - theta i) *: 'X^0).
    by apply: eq_bigr => i _; rewrite /counted addrC expr0 expr1 alg_polyC.
  exact: coins_spread.
have := headsE 0%N; have := headsE 1%N; rewrite expr0 expr1 mul1r => -> ->.
rewrite /coins !coins_spread.
pose K t := (t * place a + (#|L|.+1 - t) * place b)%N.
have both (l : {set I}) : (\sum_(i in L) (i \in l) <= #|L|)%N /\
    (\sum_(i in L) (if i \in l then place a else place b)
      = (\sum_(i in L) (i \in l)) * place a + (#|L| - \sum_(i in L) (i \in l)) * place b)%N.
  have some : (\sum_(i in L) (i \in l) + \sum_(i in L) ~~ (i \in l) = #|L|)%N.
    by rewrite -big_split -sum1_card /=; apply: eq_bigr => i _; case: (i \in l).
  split; first by rewrite -some leq_addr.
  rewrite -{1}some addKn !big_distrl -big_split /=; apply: eq_bigr => i _.
  by case: (i \in l); rewrite ?mul1n ?mul0n ?addn0.
apply: (@computed _ _ E _ _ _ _ _ K) => l; have [small ->] := both l; rewrite /K.
  by rewrite mulnDl mul1n addnA add1n subSS.
by rewrite add0n subSn // mulSn addnCA addnA.
Qed.

(* Which records are in a or b, and how many of them in a. *)
Section Labels.

Variables (p : I -> C -> R) (a b : C).
Hypothesis bp : belief p.
Hypothesis ab : a != b.

Let s i := p i a + p i b.
Let theta i := p i a / s i.

Definition within x : {set I} := [set i | (x i == a) || (x i == b)].

Lemma mean_within (G : {set I} -> nat -> R) :
  \sum_(x : {ffun I -> C}) (\prod_i p i (x i)) * G (within x) (\sum_i (x i == a))%N
  = \sum_(L : {set I}) chance_of s L * mean (G L) (heads theta L).
Proof.
rewrite (partition_big within xpredT) //=; apply: eq_bigr => L _.
rewrite -meanZ; pose inside (c : C) := (c == a) || (c == b).
have -> : chance_of s L *: heads theta L = \sum_(x : {ffun I -> C} | within x == L)
    (\prod_i p i (x i)) *: 'X^(\sum_i (x i == a)) :> {poly R}.
  have -> : chance_of s L *: heads theta L
      = \prod_i \sum_(c | inside c == (i \in L)) p i c *: 'X^(c == a) :> {poly R}.
    have -> : chance_of s L *: heads theta L
        = \prod_(i in L) (s i *: counted (p i a / s i)) * \prod_(i in ~: L) (1 - s i)%:P.
      by rewrite scaler_prod -rmorph_prod /= mulrC mul_polyC scalerA mulrC.
    rewrite [RHS](bigID (mem L)) /=; congr (_ * _).
      apply: eq_bigr => i ->; have [p0 _] := bp i.
      have [aE bE] : s i * (p i a / s i) = p i a /\ s i * (1 - p i a / s i) = p i b.
        exact: coin_share.
      rewrite (bigD1 a) /=; last by rewrite /inside eqxx.
      rewrite (big_pred1 b) => [|c].
        rewrite eqxx [b == a]eq_sym (negPf ab) expr0 expr1 alg_polyC /counted scalerDr scalerA aE.
        by rewrite -[s i *: _]mul_polyC -rmorphM /= bE addrC.
      by rewrite /inside; case: (eqVneq c a) => [->|] /=; rewrite ?(negPf ab) ?andbF ?andbT ?eqb_id.
    apply: eq_big => [i|i]; rewrite inE // => /negPf iL.
    have -> : 1 - s i = \sum_(c | (c != a) && (c != b)) p i c.
      have [_ p1] := bp i; apply/eqP; rewrite subr_eq -{1}p1 (bigD1 a) //= (bigD1 b) 1?eq_sym //=.
      by rewrite addrA addrC.
    rewrite iL rmorph_sum /=; apply: eq_big => [c|c /andP[/negPf -> _]].
      by rewrite /inside; do 2 case: eqP.
    by rewrite expr0 alg_polyC.
  rewrite bigA_distr_big_dep; apply: eq_big => [x|x _]; last by rewrite scaler_prod prodrXr.
  apply/familyP/eqP => [all|<- i]; last by rewrite unfold_in /= inE.
  by apply/setP => i; rewrite inE; have := all i; rewrite unfold_in /= => /eqP.
by rewrite mean_sum; apply: eq_bigr => x /eqP ->; rewrite meanZ meanXn.
Qed.

(* If a table shows as much of the labels as their coins depend on, the bound is attained. *)
Lemma labels_told (T : eqType) (told : {ffun C -> nat} -> T) (tau : {set I} -> T) E delta :
  (forall x, \prod_i p i (x i) != 0 ->
    told (table a x) = tau (within x) /\ told (table b x) = tau (within x)) ->
  (forall L L', tau L = tau L' -> heads theta L = heads theta L') ->
  close_tables E delta p a b ->
  \sum_(L : {set I}) chance_of s L * hockey E ('X * heads theta L) (heads theta L) <= delta.
Proof.
move=> shows same near.
pose event (L : {set I}) i := E * (heads theta L)`_i < ('X * heads theta L)`_i.
pose O (h : {ffun C -> nat}) := [exists L, (tau L == told h) && event L (h a)].
have prE v : v = a \/ v = b -> pr_table p v O
    = \sum_(L : {set I}) chance_of s L * pr ('X^(v == a) * heads theta L) (event L).
  move=> vE; under [RHS]eq_bigr do rewrite pr_mean mean_shift.
  rewrite -(mean_within (fun L k => (event L (k + (v == a))%N)%:R)) /pr_table big_mkcond /=.
  apply: eq_bigr => x _; case: (eqVneq (\prod_i p i (x i)) 0) => [->|nz].
    by rewrite if_same mul0r.
  have toldE : told (table v x) = tau (within x).
    by have [toldA toldB] := shows x nz; case: vE => ->.
  suff -> : O (table v x) = event (within x) (\sum_i (x i == a) + (v == a))%N.
    by case: (event _ _); rewrite ?mulr1 ?mulr0.
  have at_a : table v x a = (\sum_i (x i == a) + (v == a))%N by rewrite ffunE addnC.
  rewrite /O toldE at_a; apply/existsP/idP => [[L /andP[/eqP e]]|now].
    by rewrite /event (same _ _ e).
  by exists (within x); rewrite eqxx.
have := near O; rewrite (prE a (or_introl erefl)) (prE b (or_intror erefl)).
rewrite eqxx eq_sym (negPf ab) -ler_subl_addl mulr_sumr -sumrB; apply: le_trans.
rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: eq_bigr => L _.
by rewrite mulrCA -mulrBr -hockey_event /gain expr1 expr0 mul1r.
Qed.

(* Attained, if nobody else can be in the cells of a record but a and b. *)
Theorem coin_attained E delta :
  (forall i j c, c != a -> c != b -> i != j -> p i c * p j c = 0) ->
  close_tables E delta p a b
  <-> coins_tell E (fun i => p i a + p i b) (fun i => p i a / (p i a + p i b)) <= delta.
Proof.
move=> own; split=> [|le]; last first.
  have q01 c i : 0 <= p i c <= p i c by rewrite lexx andbT; have [] := bp i.
  by move=> O; apply: le_trans (coin_bound E bp ab (q01 a) (q01 b) O) _; rewrite ler_add2l.
pose outside i (h : {ffun C -> nat}) c := [&& c != a, c != b, p i c != 0 & (0 < h c)%N].
apply: (labels_told (told := fun h => [set i | ~~ [exists c, outside i h c]]) (tau := id)).
  move=> x /prodf_neq0 possible.
  have told v : v = a \/ v = b -> [set i | ~~ [exists c, outside i (table v x) c]] = within x.
    move=> vab; apply/setP => i; rewrite !inE; apply/idP/idP => [none|inside].
      apply: contraNT none; rewrite negb_or => /andP[xa xb]; apply/existsP; exists (x i).
      rewrite /outside xa xb possible //= ffunE (bigD1 i) //= eqxx.
      by rewrite addnCA.
    apply/existsP => -[c /and4P[ca cb pc]]; rewrite ffunE.
    have /negPf -> : v != c by rewrite eq_sym; case: vab => ->.
    rewrite add0n lt0n sum_nat_eq0 negb_forall => /existsP[j].
    rewrite /= eqb0 negbK => /eqP xj; have ij : i != j.
      by apply: contraTneq inside => ->; rewrite xj negb_or ca cb.
    have /eqP := own i j c ca cb ij; rewrite mulf_eq0 (negPf pc) /= => pj.
    by have := possible j isT; rewrite xj pj.
  by rewrite !told; [split | right | left].
by move=> L L' ->.
Qed.

End Labels.

(* R3: others of one law. *)
Section SameLaw.

Variables (p : C -> R) (a b : C).
Hypothesis p0 : forall c, 0 <= p c.
Hypothesis p1 : \sum_c p c = 1.
Hypothesis ab : a != b.

Let s := p a + p b.
Let theta := p a / s.

Lemma same_belief : belief (fun _ : I => p).
Proof. by move=> i; split. Qed.

(* A table shows how many are in a or b, and no more is told of who they are. *)
Lemma same_law E delta : close_tables E delta (fun=> p) a b
  <-> coins_tell E (fun _ : I => s) (fun=> theta) <= delta.
Proof.
split=> [|le]; last first.
  have q01 c (i : I) : 0 <= p c <= p c by rewrite p0 lexx.
  move=> O; apply: le_trans (coin_bound E same_belief ab (q01 a) (q01 b) O) _.
  by rewrite ler_add2l.
apply: (labels_told same_belief ab
  (told := fun h => (h a + h b)%N) (tau := fun L : {set I} => #|L|.+1)).
  move=> x _; have count : (\sum_i (x i == a) + \sum_i (x i == b) = #|within a b x|)%N.
    rewrite -big_split -sum1_card [RHS]big_mkcond /=; apply: eq_bigr => i _; rewrite inE.
    by case: (eqVneq (x i) a) => [->|_]; rewrite ?(negPf ab) //; case: eqP.
  rewrite !ffunE !eqxx [b == a]eq_sym !(negPf ab) !add0n -count; split=> //.
  by rewrite addnCA.
by move=> L L' [e]; rewrite /heads !prodr_const e.
Qed.

Lemma coins_tell_same E : coins_tell E (fun _ : I => s) (fun=> theta)
  = \sum_(M < #|I|.+1) (binomial_law #|I| s)`_M
      * hockey E ('X * binomial_law M theta) (binomial_law M theta).
Proof.
have lawE n t : binomial_law n t = counted t ^+ n :> {poly R}.
  by rewrite binomial_coins /counts prodr_const card_ord.
pose D M := hockey E ('X * binomial_law M theta) (binomial_law M theta).
rewrite -(@meanE _ D); last exact: size_poly.
have -> : binomial_law #|I| s = counts (fun _ : I => s) by rewrite lawE /counts prodr_const.
by rewrite mean_sets; apply: eq_bigr => L _; rewrite /heads prodr_const /D lawE.
Qed.

End SameLaw.

(* R3 *)
Theorem coin_iid_exact E delta (p : C -> R) a b (w : nat -> nat) :
  0 <= E -> (forall c, 0 <= p c) -> \sum_c p c = 1 -> a != b -> 0 < p a -> 0 < p b ->
  let s := p a + p b in let theta := p a / s in
  (forall M, (M <= #|I|)%N -> is_floor (E * theta * M.+1%:R / (1 - theta + E * theta)) (w M)) ->
  close_tables E delta (fun=> p) a b <->
  \sum_(M < #|I|.+1) (binomial_law #|I| s)`_M
    * (between (w M) M.+1 M theta - E * between (w M).+1 M.+1 M theta) <= delta.
Proof.
move=> E0 p0 p1 ab pa pb s theta floors; rewrite (same_law p0 p1 ab) coins_tell_same.
have s0 : 0 < s by rewrite addr_gt0.
have theta01 : 0 < theta < 1.
  by rewrite divr_gt0 //= ltr_pdivr_mulr // mul1r ltr_addl.
have q0 : 0 < 1 - theta by rewrite subr_gt0; case/andP: theta01.
have t0 : 0 < 1 - theta + E * theta by rewrite ltr_paddr // mulr_ge0 // ltW; case/andP: theta01.
suff -> : \sum_(M < #|I|.+1) (binomial_law #|I| s)`_M
      * hockey E ('X * binomial_law M theta) (binomial_law M theta)
    = \sum_(M < #|I|.+1) (binomial_law #|I| s)`_M
      * (between (w M) M.+1 M theta - E * between (w M).+1 M.+1 M theta) by [].
apply: eq_bigr => M _; congr (_ * _); have Mn : (M <= #|I|)%N by rewrite -ltnS.
have /andP[] := floors M Mn; rewrite -[X in (w M)%:Z + X]/(1%:Z) -PoszD addn1 -!pmulrn.
rewrite ler_pdivl_mulr // ltr_pdivr_mulr // => low high.
have all : between 0 M.+1 M theta = 1.
  have [_ <-] : law (binomial_law M theta).
    by rewrite binomial_coins; apply: law_counts => _; case/andP: theta01 => /ltW-> /ltW.
  rewrite /between (@horner_coef_wide _ M.+1) ?size_poly // big_mkord.
  by apply: eq_bigr => i _; rewrite expr1n mulr1.
have -> : binomial_law M theta = published 0 M theta.
  rewrite /published all invr1 scale1r; apply/polyP => i.
  by rewrite from_coef.
rewrite (@count_down _ _ _ _ theta01 (leq0n M) _ (w M).+1) //.
  by rewrite /delta_down all divr1.
have over : (w M)%:R < M.+1%:R :> R.
  rewrite -(ltr_pmul2r t0); apply: le_lt_trans low _.
  by rewrite mulrC ltr_pmul2l ?ltr0n // ltr_addr.
split=> [|i /andP[wi _]|i /andP[_ iw]].
- by rewrite ltnS -ltnS; rewrite ltr_nat in over.
- apply: ltW; apply: lt_le_trans high _; rewrite ler_pmul2r //.
  by rewrite ler_nat.
- by apply: le_trans low; rewrite ler_pmul2r // ler_nat.
Qed.

(* R5: nobody need be able to be in both of two cells, if there is a path of cells between them. *)
Section Paths.

Variables (r : nat) (path : nat -> C) (edge : I -> 'I_r) (theta : I -> R).

(* Record i is in the nearer cell of its edge with chance theta i, and else in the farther one. *)
Definition on_edge i : C -> R := coin_at (theta i) (path (edge i)) (path (edge i).+1).

(* How many of the records of L on edge j are in its nearer cell. *)
Definition nearer (L : {set I}) j : {poly R} := heads theta [set i in L | edge i == j].

(* What these numbers of all edges tell together, if each of them is moved by v, against u. *)
Definition edges_tell E (v u : {poly R}) L :=
  \sum_(y : {ffun 'I_r -> 'I_(#|I|.+2)})
    pos (\prod_j (v * nearer L j)`_(y j) - E * \prod_j (u * nearer L j)`_(y j)).

Definition ways := chance_of theta.
Definition numbers (v : bool) (L : {set I}) (l : {set I}) (j : 'I_r) :=
  (v + \sum_(i in L | edge i == j) (i \in l))%N.
Definition places (v : bool) (L : {set I}) (l : {set I}) :=
  (place (path (if v then 0 else r))
    + \sum_(i in L) if i \in l then place (path (edge i)) else place (path (edge i).+1))%N.

Lemma numbers_small (v : bool) L l j : (numbers v L l j < base)%N.
Proof.
rewrite /numbers ltnS -add1n leq_add ?leq_b1 // -sum1_card big_mkcond /=.
by apply: leq_sum => i _; case: ifP => // _; apply: leq_b1.
Qed.

Lemma size_nearer (v : bool) L j : (size ('X^v * nearer L j)%R <= base)%N.
Proof.
have -> : nearer L j = counts (fun i => if i \in [set i in L | edge i == j] then theta i else 0).
  rewrite /nearer /heads big_mkcond; apply: eq_bigr => i _; case: ifP => // _.
  by rewrite /counted subr0 scale0r addr0.
apply: (leq_trans (size_mul_leq _ _)); rewrite size_polyXn /=.
by rewrite /base -[#|I|.+2]add1n leq_add ?leq_b1 // size_counts.
Qed.

Lemma spread_numbers (v : bool) L :
  spread ways (fun l => number base (numbers v L l))
  = spread (fun y : {ffun 'I_r -> 'I_base} => \prod_(j < r) ('X^v * nearer L j)`_(y j))
      (fun y => number base (fun j => y j)).
Proof.
pose at_j (j : 'I_r) := 'X^v * nearer L j.
have digitsE (j : 'I_r) :
    at_j j \Po 'X^(base ^ j) = \sum_(k < base) (at_j j)`_k *: 'X^(k * base ^ j).
  have {1}-> : at_j j = \sum_(k < base) (at_j j)`_k *: 'X^k.
    rewrite -{1}(coefK (at_j j)) poly_def.
    rewrite (big_ord_widen_cond base xpredT (fun k => (at_j j)`_k *: 'X^k) (size_nearer v L j)).
    rewrite big_mkcond /=; apply: eq_bigr => k _; case: ltnP => // ?.
    by rewrite nth_default // scale0r.
  rewrite raddf_sum; apply: eq_bigr => k _ /=.
  by rewrite comp_polyZ rmorphX /= comp_polyX -exprM mulnC.
transitivity (\prod_(j < r) (at_j j \Po 'X^(base ^ j))); last first.
  rewrite (eq_bigr _ (fun j _ => digitsE j)) bigA_distr_bigA; apply: eq_bigr => y _.
  by rewrite scaler_prod prodrXr.
have -> : \prod_(j < r) (at_j j \Po 'X^(base ^ j))
    = 'X^(\sum_(j < r) v * base ^ j)
      * \prod_(i in L) (theta i *: 'X^(base ^ edge i) + (1 - theta i) *: 'X^0).
  rewrite (partition_big edge xpredT) //= -prodrXr -big_split /=; apply: eq_bigr => j _.
  rewrite /at_j rmorphM /= rmorphX /= comp_polyX -exprM mulnC; congr (_ * _).
  rewrite /nearer /heads rmorph_prod /=; apply: eq_big => [i|i]; first by rewrite inE.
  rewrite inE => /andP[_ /eqP <-].
  by rewrite /counted rmorphD /= comp_polyC comp_polyZ comp_polyX expr0 alg_polyC addrC.
rewrite coins_spread; apply: eq_bigr => l _; congr (_ *: 'X^_).
rewrite /number /numbers; under [LHS]eq_bigr do rewrite mulnDl.
rewrite big_split /=; congr (_ + _)%N.
rewrite [RHS](partition_big edge xpredT) //=; apply: eq_bigr => j _.
rewrite big_distrl /=; apply: eq_bigr => i /andP[_ /eqP <-].
by case: (i \in l); rewrite ?mul1n ?mul0n.
Qed.

Lemma hockey_numbers E (v u : bool) L :
  hockey E (spread ways (fun l => number base (numbers v L l)))
           (spread ways (fun l => number base (numbers u L l))) = edges_tell E 'X^v 'X^u L.
Proof.
rewrite !spread_numbers hockey_spread // => y z e; apply/ffunP => j; apply/val_inj.
exact: (number_inj (fun j => ltn_ord (y j)) (fun j => ltn_ord (z j)) e).
Qed.

(* The places are computed from the numbers. *)
Lemma places_numbers L :
  exists K, forall (v : bool) l, K (number base (numbers v L l)) = places v L l.
Proof.
pose at_ (j : nat) : int := (place (path j))%:R; pose step (j : 'I_r) := at_ j - at_ j.+1.
pose all_far := at_ r + \sum_(i in L) at_ (edge i).+1.
exists (fun t => absz (all_far + \sum_(j < r) (t %/ base ^ j %% base)%N%:R * step j)) => v l.
have steps : \sum_(j < r) step j = at_ 0%N - at_ r.
  rewrite -opprB -(telescope_sumr at_ (leq0n r)) -sumrN big_mkord.
  by apply: eq_bigr => j _; rewrite opprB.
have moved : \sum_(j < r) (\sum_(i in L | edge i == j) (i \in l))%N%:R * step j
    = \sum_(i in L) (i \in l)%:R * step (edge i).
  rewrite [RHS](partition_big edge xpredT) //=; apply: eq_bigr => j _.
  by rewrite natr_sum mulr_suml; apply: eq_bigr => i /andP[_ /eqP ->].
have -> : all_far + \sum_(j < r) (number base (numbers v L l) %/ base ^ j %% base)%N%:R * step j
    = (places v L l)%:R; last by rewrite natz.
under eq_bigr do rewrite (digit _ (numbers_small v L l)) natrD mulrDl.
rewrite big_split /= -mulr_sumr steps moved /places natrD natr_sum /all_far.
rewrite addrACA -big_split /=; congr (_ + _).
  by case: v => /=; rewrite ?mul1r ?mul0r ?addr0 // addrC subrK.
apply: eq_bigr => i _; rewrite /step.
by case: (i \in l); rewrite ?mul1r ?mul0r ?addr0 // addrC subrK.
Qed.

(* The victim at either end of the path, and the records of L on their edges. *)
Lemma placesE (v : bool) L :
  'X^(place (path (if v then 0%N else r)))
    * coins theta (fun i => path (edge i)) (fun i => path (edge i).+1) L
  = spread ways (places v L).
Proof. exact: coins_spread. Qed.

Lemma edges_bound E (v u : bool) L :
  hockey E (spread ways (places v L)) (spread ways (places u L)) <= edges_tell E 'X^v 'X^u L.
Proof.
have [K KE] := places_numbers L; rewrite -hockey_numbers.
exact: (computed E ways (KE v) (KE u)).
Qed.

(* Other records, each on its edge with a certain chance at least, and elsewhere otherwise. *)
Theorem path_bound E p (m : I -> R) :
  belief p -> (forall i, 0 <= m i) -> (forall i c, m i * on_edge i c <= p i c) ->
  close_tables E (\sum_(L : {set I}) chance_of m L * edges_tell E 'X 1 L) p (path 0) (path r) /\
  close_tables E (\sum_(L : {set I}) chance_of m L * edges_tell E 1 'X L) p (path r) (path 0).
Proof.
move=> bp m0 least; have weight0 L := chance_of_ge0 L (share01 bp m0 least).
have both (v u : bool) :
    close_tables E (\sum_(L : {set I}) chance_of m L * edges_tell E 'X^v 'X^u L) p
     (path (if v then 0%N else r)) (path (if u then 0%N else r)).
  apply/close_coded; apply: le_trans (coins_told _ _ _ bp m0 least) _.
  apply: ler_sum => L _; apply: ler_wpmul2l => //; rewrite !placesE; exact: edges_bound.
by have := both true false; have := both false true; rewrite !expr1 !expr0.
Qed.

(* The numbers are computed from the places, if the cells of the path differ. *)
Hypothesis path_inj : forall j k, (j <= r)%N -> (k <= r)%N -> path j = path k -> j = k.

Lemma numbers_places :
  exists K, forall (v : bool) l, K (places v setT l) = number base (numbers v setT l).
Proof.
pose count t j := (\sum_(k < j.+1) (t %/ base ^ enum_rank (path k) %% base))%N.
pose earlier (j : 'I_r) := (\sum_i (edge i < j))%N.
exists (fun t => number base (fun j : 'I_r => count t j - earlier j)%N) => v l.
pose x : {ffun I -> C} := [ffun i => path (edge i + ~~ (i \in l))].
have -> : places v setT l = code (table (path (if v then 0%N else r)) x).
  rewrite code_table addnC; congr (_ + _)%N; apply: eq_big => [i|i _]; first by rewrite inE.
  by rewrite ffunE; case: (i \in l); rewrite ?addn0 ?addn1.
apply: eq_bigr => j _; congr (_ * _)%N; have jr := ltn_ord j.
have at_path t : (t <= r)%N -> (\sum_(k < j.+1) (path t == path k) = (t < j.+1))%N.
  move=> tr; have other (k : 'I_j.+1) : k != t :> nat -> (path t == path k) = false.
    move=> /eqP ne; apply/eqP => /path_inj e; apply: ne; rewrite e //.
    by rewrite -ltnS; apply: leq_trans (ltn_ord k) _; apply: leqW.
  case: ltnP => tj; last first.
    by rewrite big1 // => k _; rewrite other // ltn_eqF // (leq_trans (ltn_ord k)).
  rewrite (bigD1 (Ordinal tj)) //= eqxx big1 // => k; rewrite -val_eqE /= => ne.
  by rewrite other.
have countE : count (code (table (path (if v then 0%N else r)) x)) j
    = (v + (earlier j + \sum_(i in setT | edge i == j) (i \in l)))%N.
  transitivity (\sum_(k < j.+1) table (path (if v then 0 else r)) x (path k))%N.
    apply: eq_bigr => k _; rewrite code_number digit ?enum_rankK // => c; exact: table_small.
  under [LHS]eq_bigr do rewrite ffunE.
  rewrite big_split /= at_path; last by case: (v).
  rewrite exchange_big /=; congr (_ + _)%N.
    by case: (v) => //=; rewrite ltnS leqNgt jr.
  rewrite [in RHS]big_mkcond -big_split /=; apply: eq_bigr => i _; rewrite ffunE at_path.
    rewrite inE /= ltnS -val_eqE /=; case: (i \in l) => /=; rewrite ?addn0 ?addn1.
      by rewrite leq_eqVlt orbC; case: ltngtP.
    by rewrite if_same addn0.
  by apply: leq_trans (ltn_ord (edge i)); case: (i \in l); rewrite ?addn0 ?addn1.
by rewrite countE addnCA addKn.
Qed.

(* All other records on their edges: exact. *)
Theorem path_exact E delta :
  (close_tables E delta on_edge (path 0) (path r) <-> edges_tell E 'X 1 setT <= delta) /\
  (close_tables E delta on_edge (path r) (path 0) <-> edges_tell E 1 'X setT <= delta).
Proof.
have codedE (v : bool) : coded on_edge (path (if v then 0%N else r)) = spread ways (places v setT).
  rewrite -placesE /coded; congr (_ * _); apply: eq_big => [i|i _]; first by rewrite inE.
  exact: coin_poly.
have both (v u : bool) : close_tables E delta on_edge
    (path (if v then 0%N else r)) (path (if u then 0%N else r))
    <-> edges_tell E 'X^v 'X^u setT <= delta.
  rewrite close_coded !codedE; suff -> : edges_tell E 'X^v 'X^u setT
    = hockey E (spread ways (places v setT)) (spread ways (places u setT)) by [].
  have [K KE] := numbers_places; apply/eqP; rewrite eq_le edges_bound andbT -hockey_numbers.
  exact: (computed E ways (KE v) (KE u)).
by have := both true false; have := both false true; rewrite !expr1 !expr0.
Qed.

End Paths.

End Tables.

(* Cells that are rarer tell more, in tables of any cells. *)
Section Rarest.

Variables (R : realFieldType) (I : finType).

Theorem rarer_tell_more (C D : finType) E delta (p : C -> R) (q : D -> R) a b c d :
  (forall x, 0 <= p x) -> \sum_x p x = 1 -> (forall y, 0 <= q y) -> \sum_y q y = 1 ->
  a != b -> c != d -> p a <= q c -> p b <= q d ->
  close_tables E delta (fun _ : I => p) a b -> close_tables E delta (fun _ : I => q) c d.
Proof.
move=> p0 p1 q0 q1 ab cd ac bd /(same_law _ p0 p1 ab) le O.
have bq : belief (fun _ : I => q) by apply: same_belief.
have ca (i : I) : 0 <= p a <= q c by rewrite p0.
have db (i : I) : 0 <= p b <= q d by rewrite p0.
by apply: le_trans (coin_bound E bq cd ca db O) _; rewrite ler_add2l.
Qed.

(* R3: of all pairs of cells the two rarest tell most. *)
Theorem two_rarest (C : finType) E delta (p : C -> R) a b :
  (forall c, 0 <= p c) -> \sum_c p c = 1 -> a != b ->
  p a <= p b -> (forall c, c != a -> p b <= p c) ->
  close_tables E delta (fun _ : I => p) a b -> close_tables E delta (fun _ : I => p) b a ->
  forall c d, c != d -> close_tables E delta (fun _ : I => p) c d.
Proof.
move=> p0 p1 ab pab rarest up down c d cd.
have least x : p a <= p x by case: (eqVneq x a) => [->|xa] //; apply: le_trans pab (rarest x xa).
have ba : b != a by rewrite eq_sym.
case: (eqVneq d a) => [da|da]; last first.
  exact: (rarer_tell_more p0 p1 p0 p1 ab cd (least c) (rarest d da) up).
have ca : c != a by rewrite -da.
by apply: (rarer_tell_more p0 p1 p0 p1 ba cd (rarest c ca) _ down); rewrite da.
Qed.

End Rarest.
