(* Block bounds: what is told of a shift by s by a sum of independent records of which each, with
   some chance b_i, is uniform on the m points 0, h, ..., (m - 1) h, moved by something else. S is
   the sum, X^s S the sum after the shift, U the block, N how many records have their block: a sum
   of independent 0/1 records with chances b_i, whose law is counts b.

   hockey_mix          hockey E (sum w_i f_i) (sum w_i g_i) <= sum w_i hockey E f_i g_i, where all
                       w_i >= 0: the divergence is jointly convex
   hockey_kernel       hockey E (K f) (K g) <= hockey E f g: what is computed from a release tells
                       no more than the release
   hockey_conv         hockey E (f h) (g h) <= hockey E f g, h a law: nor does the release with an
                       independent record added to it
   told_up, told_down  D_j = hockey E U^j (X^s U^j), and hockey E (X^s U^j) U^j
   told_sym            the two are the same
   told_up0            D_0 = 1, if s > 0 and E >= 0
   told_up_falls, told_down_falls
                       D_(j+1) <= D_j
   mean_sets           mean D (counts b), that is E D_N, is the sum over all sets J of records of
                       prod_(i in J) b_i prod_(i not in J) (1 - b_i) D_|J|
   block_bound_events  B1: for all events and both directions, S and X^s S are (E, E D_N)-close
   block_bound_sets    B1 with E D_N written set by set
   block_bound_least   B2: so they are with N binomial, of t records with chance beta each, if t of
                       the records have b_i >= beta
   block_bound_given   B5 (b) and B6: B1 of records that are independent given what all others are,
                       with the least b_i over what that may be
   block_bound_groups  B5 (a): B1 of groups of records that are independent of one another, where
                       a group counts with the mean of the b_i of one of its records, given what
                       the rest of the group is, or with less
   blocks_attained     B3: hockey E S (X^s S) = E D_N and hockey E (X^s S) S = E D_N, if each record
                       is the block or else the point c, where c > n (m - 1) h + s
   block_attained      B3 where all b_i are beta

   E is e^eps; only told_up0 asks anything of it. For m = 0 there is no block: what needs m > 0 says
   so. *)

From mathcomp Require Import all_ssreflect all_algebra ring zify.
From kproof Require Import Laws.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Calculus.

Variable R : realFieldType.
Implicit Types (f g h : {poly R}) (E w : R).

(* A mixture of laws is told apart at most as its parts are on average. *)
Theorem hockey_mix (I : finType) E (w : I -> R) (f g : I -> {poly R}) :
  (forall i, 0 <= w i) ->
  hockey E (\sum_i w i *: f i) (\sum_i w i *: g i) <= \sum_i w i * hockey E (f i) (g i).
Proof.
move=> w0; pose N := maxn (\max_i size (f i)) (\max_i size (g i)).
have sf i : (size (f i) <= N)%N.
  by rewrite leq_max (leq_bigmax_cond (F := fun i => size (f i)) i).
have sg i : (size (g i) <= N)%N.
  by rewrite leq_max (leq_bigmax_cond (F := fun i => size (g i)) i) ?orbT.
have bound (h : I -> {poly R}) :
    (forall i, size (h i) <= N)%N -> (size (\sum_i w i *: h i)%R <= N)%N.
  move=> sh; apply: (leq_trans (size_sum _ _ _)); apply/bigmax_leqP => i _.
  exact: leq_trans (size_scale_leq _ _) (sh i).
rewrite (hockeyE E (bound f sf) (bound g sg)).
have -> : \sum_i w i * hockey E (f i) (g i)
        = \sum_(x < N) \sum_i w i * pos ((f i)`_x - E * (g i)`_x).
  by rewrite exchange_big; apply: eq_bigr => i _; rewrite (hockeyE E (sf i) (sg i)) mulr_sumr.
apply: ler_sum => x _.
have -> : (\sum_i w i *: f i)`_x - E * (\sum_i w i *: g i)`_x
        = \sum_i w i * ((f i)`_x - E * (g i)`_x).
  rewrite !coef_sum mulr_sumr -sumrB; apply: eq_bigr => i _.
  by rewrite !coefZ mulrBr mulrCA.
apply: le_trans (pos_sum _ _ _) _; apply: ler_sum => i _.
by rewrite pos_scale.
Qed.

(* A shift of both laws changes nothing. *)
Lemma hockey_shift E f g c : hockey E ('X^c * f) ('X^c * g) = hockey E f g.
Proof.
pose N := maxn (size f) (size g).
have sf : (size f <= N)%N by apply: leq_maxl.
have sg : (size g <= N)%N by apply: leq_maxr.
have wide h : (size h <= N)%N -> (size ('X^c * h)%R <= c + N)%N.
  move=> sh; apply: (leq_trans (size_mul_leq _ _)).
  by rewrite size_polyXn addSn leq_add2l.
rewrite (hockeyE E (wide f sf) (wide g sg)) (hockeyE E sf sg) big_split_ord /=.
rewrite big1 ?add0r => [|i _]; last by rewrite !coefXnM ltn_ord mulr0 subr0 pos0.
by apply: eq_bigr => i _; rewrite !coefXnM ltnNge leq_addr /= addKn.
Qed.

(* Whatever is computed from a release, by a kernel that sends i to the law K i, tells no more. *)
Theorem hockey_kernel E f g (K : nat -> {poly R}) n :
  (size f <= n)%N -> (size g <= n)%N -> (forall i, law (K i)) ->
  hockey E (\sum_(i < n) f`_i *: K i) (\sum_(i < n) g`_i *: K i) <= hockey E f g.
Proof.
move=> sf sg lawK; pose N := \max_(i < n) size (K i).
have sK (i : 'I_n) : (size (K i) <= N)%N.
  by apply: (leq_bigmax_cond (F := fun i : 'I_n => size (K i))).
have bound (h : {poly R}) : (size (\sum_(i < n) h`_i *: K i)%R <= N)%N.
  apply: (leq_trans (size_sum _ _ _)); apply/bigmax_leqP => i _.
  exact: leq_trans (size_scale_leq _ _) (sK i).
rewrite (hockeyE E (bound f) (bound g)) (hockeyE E sf sg).
have -> : \sum_(i < n) pos (f`_i - E * g`_i)
        = \sum_(x < N) \sum_(i < n) pos (f`_i - E * g`_i) * (K i)`_x.
  rewrite exchange_big /=; apply: eq_bigr => i _; rewrite -mulr_sumr.
  have [_ K1] := lawK i; rewrite -[LHS]mulr1 -K1 (horner_coef_wide _ (sK i)).
  by congr (_ * _); apply: eq_bigr => x _; rewrite expr1n mulr1.
apply: ler_sum => x _.
have -> : (\sum_(i < n) f`_i *: K i)`_x - E * (\sum_(i < n) g`_i *: K i)`_x
        = \sum_(i < n) (f`_i - E * g`_i) * (K i)`_x.
  rewrite !coef_sum mulr_sumr -sumrB; apply: eq_bigr => i _.
  by rewrite !coefZ mulrBl mulrA.
apply: le_trans (pos_sum _ _ _) _; apply: ler_sum => i _.
have [K0 _] := lawK i.
by rewrite mulrC pos_scale ?K0 // mulrC.
Qed.

Lemma law_conv f g : law f -> law g -> law (f * g).
Proof.
move=> [f0 f1] [g0 g1]; split=> [i|]; last by rewrite hornerM f1 g1 mulr1.
by rewrite coefM; apply: sumr_ge0 => j _; rewrite mulr_ge0 ?f0 ?g0.
Qed.

Lemma law_Xn c : law ('X^c : {poly R}).
Proof.
split=> [i|]; first by rewrite coefXn ler0n.
by rewrite hornerXn expr1n.
Qed.

Lemma law1 : law (1 : {poly R}).
Proof. by rewrite -(expr0 'X); apply: law_Xn. Qed.

Lemma law_prod (I : Type) (r : seq I) (P : pred I) (f : I -> {poly R}) :
  (forall i, P i -> law (f i)) -> law (\prod_(i <- r | P i) f i).
Proof. by move=> lf; elim/big_ind: _ => //; [apply: law1 | apply: law_conv]. Qed.

Lemma law_exp f n : law f -> law (f ^+ n).
Proof.
by move=> lf; elim: n => [|n IH]; rewrite ?expr0 ?exprS; [apply: law1 | apply: law_conv].
Qed.

(* Adding an independent record tells no more. *)
Theorem hockey_conv E f g h : law h -> hockey E (f * h) (g * h) <= hockey E f g.
Proof.
move=> lh; pose N := maxn (size f) (size g).
have sf : (size f <= N)%N by apply: leq_maxl.
have sg : (size g <= N)%N by apply: leq_maxr.
have as_kernel (k : {poly R}) : (size k <= N)%N -> k * h = \sum_(i < N) k`_i *: ('X^i * h).
  move=> sk; rewrite -{1}(coefK k) poly_def mulr_suml.
  rewrite (big_ord_widen_cond N xpredT (fun i => k`_i *: 'X^i * h) sk) big_mkcond /=.
  apply: eq_bigr => i _; case: ltnP => [_|?]; first by rewrite scalerAl.
  by rewrite nth_default // scale0r.
rewrite (as_kernel f sf) (as_kernel g sg).
by apply: (@hockey_kernel E f g (fun i => 'X^i * h)) => // i; apply: law_conv => //; apply: law_Xn.
Qed.

End Calculus.

Section Means.

Variable R : realFieldType.
Implicit Types (P Q : {poly R}) (D : nat -> R) (b beta : R).

(* The mean of D under a law of counts. *)
Definition mean D P := \sum_(j < size P) P`_j * D j.

Lemma meanE D P N : (size P <= N)%N -> mean D P = \sum_(j < N) P`_j * D j.
Proof.
move=> ?; apply: (sum_wider (F := fun j => P`_j * D j) xpredT) => // j ?.
by rewrite nth_default // mul0r.
Qed.

Lemma meanD D P Q : mean D (P + Q) = mean D P + mean D Q.
Proof.
rewrite (meanE _ (size_add P Q)) (meanE _ (leq_maxl _ (size Q))) (meanE _ (leq_maxr (size P) _)).
by rewrite -big_split /=; apply: eq_bigr => j _; rewrite coefD mulrDl.
Qed.

Lemma meanZ D w P : mean D (w *: P) = w * mean D P.
Proof.
rewrite (meanE _ (size_scale_leq w P)) (meanE _ (leqnn (size P))) mulr_sumr.
by apply: eq_bigr => j _; rewrite coefZ mulrA.
Qed.

Lemma mean0 D : mean D 0 = 0.
Proof. by rewrite /mean size_poly0 big_ord0. Qed.

Lemma mean_sum (I : Type) (r : seq I) (A : pred I) D (P : I -> {poly R}) :
  mean D (\sum_(i <- r | A i) P i) = \sum_(i <- r | A i) mean D (P i).
Proof.
by elim/big_rec2: _ => [|i x y _ <-]; rewrite ?mean0 ?meanD.
Qed.

Lemma meanXn D j : mean D 'X^j = D j.
Proof.
rewrite /mean size_polyXn big_ord_recr /= big1 => [|i _].
  by rewrite coefXn eqxx mul1r add0r.
by rewrite coefXn ltn_eqF ?mul0r.
Qed.

Lemma eq_mean D D' P : (forall j, D j = D' j) -> mean D P = mean D' P.
Proof. by move=> e; apply: eq_bigr => j _; rewrite e. Qed.

Lemma mean_mono D D' P : nonneg P -> (forall j, D j <= D' j) -> mean D P <= mean D' P.
Proof. by move=> P0 le; apply: ler_sum => j _; apply: ler_wpmul2l. Qed.

(* One record that counts with chance b. *)
Definition counted b : {poly R} := (1 - b)%:P + b *: 'X.

Lemma mean_counted D b P : mean D (counted b * P) = mean (fun j => (1 - b) * D j + b * D j.+1) P.
Proof.
rewrite /counted mulrDl meanD mul_polyC meanZ -scalerAl meanZ.
have -> : mean D ('X * P) = mean (fun j => D j.+1) P.
  rewrite (@meanE _ _ (size P).+1); last first.
    by apply: (leq_trans (size_mul_leq _ _)); rewrite size_polyX.
  rewrite big_ord_recl coefXM mul0r add0r.
  by apply: eq_bigr => j _; rewrite coefXM.
rewrite /mean !mulr_sumr -big_split /=; apply: eq_bigr => j _.
by rewrite mulrDr !mulrA ![_ * P`_j]mulrC.
Qed.

Lemma law_counted b : 0 <= b <= 1 -> law (counted b).
Proof.
case/andP=> b0 b1; split=> [[|[|i]]|]; rewrite ?coefD ?coefC ?coefZ ?coefX ?mulr1 ?mulr0.
- by rewrite addr0 subr_ge0.
- by rewrite add0r.
- by rewrite addr0.
- by rewrite /counted hornerD hornerC hornerZ hornerX mulr1 subrK.
Qed.

(* The law of how many records count: Poisson-binomial. *)
Definition counts (I : finType) (b : I -> R) : {poly R} := \prod_i counted (b i).

Definition falling D := forall j, D j.+1 <= D j.

Lemma mean_counted_le (I : Type) (r : seq I) (b c : I -> R) D D' :
  (forall i, 0 <= c i <= b i) -> (forall i, b i <= 1) -> (forall j, D j <= D' j) -> falling D' ->
  mean D (\prod_(i <- r) counted (b i)) <= mean D' (\prod_(i <- r) counted (c i)).
Proof.
move=> cb b1; elim: r D D' => [|i r IH] D D' le fall.
  by rewrite !big_nil -(expr0 'X) !meanXn.
rewrite !big_cons !mean_counted; apply: IH => j; have /andP[c0 cbi] := cb i.
- apply: (@le_trans _ _ ((1 - b i) * D' j + b i * D' j.+1)).
    by apply: ler_add; apply: ler_wpmul2l; rewrite ?subr_ge0 ?b1 ?(le_trans c0 cbi) ?le.
  rewrite -subr_ge0 (_ : _ - _ = (b i - c i) * (D' j - D' j.+1)); last by ring.
  by rewrite mulr_ge0 ?subr_ge0 ?fall.
- apply: ler_add; apply: ler_wpmul2l; rewrite ?subr_ge0 ?fall //.
  exact: le_trans cbi (b1 i).
Qed.

(* Counting fewer records, or with smaller chances, gives a larger mean of what falls. *)
Theorem mean_least (I : finType) (A : {set I}) (b : I -> R) beta D :
  (forall i, 0 <= b i <= 1) -> 0 <= beta -> (forall i, i \in A -> beta <= b i) -> falling D ->
  mean D (counts b) <= mean D (counted beta ^+ #|A|).
Proof.
move=> b01 beta0 bA fall.
have -> : counted beta ^+ #|A| = \prod_i counted (if i \in A then beta else 0).
  rewrite -prodr_const big_mkcond; apply: eq_bigr => i _; case: ifP => // _.
  by rewrite /counted subr0 scale0r addr0.
apply: mean_counted_le => // i; last by have /andP[] := b01 i.
by case: ifP => [/bA ->|_]; rewrite ?beta0 ?lexx //; have /andP[] := b01 i.
Qed.

End Means.

Section Labels.

Variables (R : realFieldType) (I : finType).
Implicit Types (b : I -> R) (L : {set I}) (E : R).

(* The chance that exactly the records of L count. *)
Definition chance_of b L := (\prod_(i in L) b i) * (\prod_(i in ~: L) (1 - b i)).

Lemma chance_of_ge0 b L : (forall i, 0 <= b i <= 1) -> 0 <= chance_of b L.
Proof.
by move=> b01; rewrite mulr_ge0 // prodr_ge0 // => i _; have /andP[] := b01 i; rewrite ?subr_ge0.
Qed.

(* Records of one kind with chance b_i and of another otherwise. *)
Lemma prod_sets b (F G : I -> {poly R}) :
  \prod_i (b i *: F i + (1 - b i) *: G i)
  = \sum_(L : {set I}) chance_of b L *: (\prod_(i in L) F i * \prod_(i in ~: L) G i).
Proof.
rewrite (eq_bigr (fun i => \sum_(x : bool) if x then b i *: F i else (1 - b i) *: G i)); last first.
  by move=> i _; rewrite big_bool.
rewrite bigA_distr_bigA /= (reindex_onto (fun L : {set I} => [ffun i => i \in L])
  (fun l => [set i | l i])) /= => [|l _]; last by apply/ffunP => i; rewrite ffunE inE.
apply: eq_big => [L|L _]; first by apply/eqP/setP => i; rewrite inE ffunE.
rewrite /chance_of -scalerA [_ *: (_ * _) in RHS]scalerAr -!scaler_prod.
rewrite scalerAl -scaler_prod (bigID (mem L)) /=; congr (_ * _).
  by apply: eq_bigr => i iL; rewrite ffunE iL.
by apply: eq_big => [i|i /negPf iL]; rewrite ?inE // ffunE iL.
Qed.

Lemma counts_sets b : counts b = \sum_(L : {set I}) chance_of b L *: 'X^#|L|.
Proof.
rewrite /counts (eq_bigr (fun i => b i *: 'X + (1 - b i) *: 1)); last first.
  by move=> i _; rewrite alg_polyC addrC.
by rewrite prod_sets; apply: eq_bigr => L _; rewrite prodr_const big1_eq mulr1.
Qed.

(* The same, by how many are of the first kind. *)
Lemma prod_mix b (f g : {poly R}) :
  \prod_i (b i *: f + (1 - b i) *: g)
  = \sum_(j < #|I|.+1) (counts b)`_j *: (f ^+ j * g ^+ (#|I| - j)).
Proof.
rewrite prod_sets; under [RHS]eq_bigr do rewrite counts_sets coef_sum scaler_suml.
rewrite exchange_big; apply: eq_bigr => L _ /=; rewrite !prodr_const [#|~: L|]cardsCs setCK.
have small : (#|L| < #|I|.+1)%N by rewrite ltnS max_card.
rewrite (bigD1 (Ordinal small)) //= coefZ coefXn eqxx mulr1 big1 ?addr0 // => j.
by rewrite -val_eqE /= => /negPf ne; rewrite coefZ coefXn ne mulr0 scale0r.
Qed.

Lemma size_counts b : (size (counts b) <= #|I|.+1)%N.
Proof.
rewrite counts_sets; apply: (leq_trans (size_sum _ _ _)); apply/bigmax_leqP => L _.
by apply: (leq_trans (size_scale_leq _ _)); rewrite size_polyXn ltnS max_card.
Qed.

Lemma law_counts b : (forall i, 0 <= b i <= 1) -> law (counts b).
Proof. by move=> b01; apply: law_prod => i _; apply: law_counted. Qed.

(* The mean of D over how many records count, set by set. *)
Theorem mean_sets (D : nat -> R) b :
  mean D (counts b) = \sum_(J : {set I}) chance_of b J * D #|J|.
Proof. by rewrite counts_sets mean_sum; apply: eq_bigr => J _; rewrite meanZ meanXn. Qed.

(* Records of which each, with chance b_i, is kappa_i moved by nu_i. Which are is told, and so is all
   that moves them. For any two moves, v and u, of their sum. *)
Lemma parts_told E b (kappa nu zeta : I -> {poly R}) (v u : {poly R}) :
  (forall i, 0 <= b i <= 1) -> (forall i, law (nu i) /\ law (zeta i)) ->
  let sum := \prod_i (b i *: (kappa i * nu i) + (1 - b i) *: zeta i) in
  (hockey E (v * sum) (u * sum)
    <= \sum_(L : {set I}) chance_of b L
         * hockey E (v * \prod_(i in L) kappa i) (u * \prod_(i in L) kappa i))%R.
Proof.
move=> b01 laws /=; have sumE (k : {poly R}) :
    k * \prod_i (b i *: (kappa i * nu i) + (1 - b i) *: zeta i)
    = \sum_(L : {set I}) chance_of b L *: (k * \prod_(i in L) kappa i
        * (\prod_(i in L) nu i * \prod_(i in ~: L) zeta i)).
  rewrite prod_sets mulr_sumr; apply: eq_bigr => L _.
  by rewrite -scalerAr big_split /= !mulrA.
rewrite !sumE; apply: le_trans (hockey_mix _ _ _ (fun L => chance_of_ge0 L b01)) _.
apply: ler_sum => L _; apply: ler_wpmul2l; first exact: chance_of_ge0.
by apply/hockey_conv/law_conv; apply: law_prod => i _; have [] := laws i.
Qed.

End Labels.

Section Blocks.

Variable R : realFieldType.
Implicit Types (E b beta : R) (m h s j : nat).

(* Uniform on 0, h, ..., (m - 1) h. *)
Definition block m h : {poly R} := m%:R^-1 *: \sum_(j < m) 'X^(j * h).

(* D_j(eps): what j blocks tell of a shift by s, upwards and downwards. *)
Definition told_up E m h s j := hockey E (block m h ^+ j) ('X^s * block m h ^+ j).
Definition told_down E m h s j := hockey E ('X^s * block m h ^+ j) (block m h ^+ j).

Lemma law_block m h : (0 < m)%N -> law (block m h).
Proof.
move=> m0; split=> [i|].
  rewrite coefZ coef_sum mulr_ge0 ?invr_ge0 ?ler0n // sumr_ge0 // => j _.
  by rewrite coefXn ler0n.
rewrite hornerZ horner_sum (eq_bigr (fun=> 1)); last by move=> j _; rewrite hornerXn expr1n.
by rewrite sumr_const card_ord mulVf // pnatr_eq0 -lt0n.
Qed.

Lemma size_block_exp m h j : (0 < m)%N -> (size (block m h ^+ j)%R <= (j * (m.-1 * h)).+1)%N.
Proof.
move=> m0; apply: (leq_trans (size_exp_leq _ _)); rewrite ltnS mulnC leq_mul2l; apply/orP; right.
have : (size (block m h) <= (m.-1 * h).+1)%N.
  apply: (leq_trans (size_scale_leq _ _)); apply: (leq_trans (size_sum _ _ _)).
  apply/bigmax_leqP => i _; rewrite size_polyXn ltnS leq_mul2r; apply/orP; right.
  by rewrite -ltnS prednK.
by case: (size _) => [|k]; rewrite ?ltnS.
Qed.

Theorem told_up_falls E m h s : (0 < m)%N -> falling (told_up E m h s).
Proof.
move=> m0 j; rewrite /told_up exprSr mulrA; apply: hockey_conv; exact: law_block.
Qed.

Theorem told_down_falls E m h s : (0 < m)%N -> falling (told_down E m h s).
Proof.
move=> m0 j; rewrite /told_down exprSr mulrA; apply: hockey_conv; exact: law_block.
Qed.

(* No block hides nothing. *)
Theorem told_up0 E m h s : (0 < s)%N -> 0 <= E -> told_up E m h s 0 = 1.
Proof.
move=> s0 E0; rewrite /told_up expr0 mulr1 (@hockeyE _ _ _ _ s.+1) ?size_poly1 ?size_polyXn //.
rewrite big_ord_recl big1 => [|i _]; rewrite coef1 coefXn /=.
  by rewrite ltn_eqF // mulr0 subr0 addr0 pos_id ?ler01.
by rewrite sub0r pos_eq0 // oppr_le0 mulr_ge0 ?ler0n.
Qed.

(* The sum of j blocks is symmetric, so that both directions tell the same. *)
Lemma block_exp_coef m h j i :
  (block m h ^+ j.+1)`_i
  = m%:R^-1 * \sum_(x < m) (if (i < x * h)%N then 0 else (block m h ^+ j)`_(i - x * h)).
Proof.
rewrite exprS {1}/block -scalerAl coefZ mulr_suml coef_sum.
by congr (_ * _); apply: eq_bigr => x _; rewrite coefXnM.
Qed.

Lemma block_exp_sym m h j i : (0 < m)%N -> (i <= j * (m.-1 * h))%N ->
  (block m h ^+ j)`_(j * (m.-1 * h) - i) = (block m h ^+ j)`_i.
Proof.
move=> m0; elim: j i => [|j IH] i; first by rewrite mul0n leqn0 => /eqP->.
set d := (j * (m.-1 * h))%N in IH *; rewrite mulSn -/d => id.
rewrite !block_exp_coef; congr (_ * _).
rewrite (reindex_inj rev_ord_inj) /=; apply: eq_bigr => x _.
have rx : ((m - x.+1) * h + x * h = m.-1 * h)%N.
  by rewrite -mulnDl; congr (_ * h)%N; have := ltn_ord x; lia.
set r := ((m - x.+1) * h)%N in rx *; set xs := (x * h)%N in rx *.
have beyond k : (d < k)%N -> (block m h ^+ j)`_k = 0.
  by move=> dk; rewrite nth_default // (leq_trans (size_block_exp h j m0)).
rewrite -rx in id *; case: (ltnP i xs) => ix.
  by case: ltnP => // ?; apply: beyond; lia.
case: ltnP => far; first by rewrite beyond //; lia.
by rewrite -[RHS]IH; [congr (_`_ _); lia | lia].
Qed.

Theorem told_sym E m h s j : (0 < m)%N -> told_down E m h s j = told_up E m h s j.
Proof.
move=> m0; rewrite /told_down /told_up; set f := block m h ^+ j.
pose d := (j * (m.-1 * h))%N; have sf : (size f <= d.+1)%N := size_block_exp h j m0.
have sf' : (size f <= (d + s).+1)%N by apply: leq_trans sf _; rewrite ltnS leq_addr.
have sg : (size ('X^s * f)%R <= (d + s).+1)%N.
  by apply: (leq_trans (size_mul_leq _ _)); rewrite size_polyXn addSn /= addnC -addSn leq_add2r.
rewrite (hockeyE E sg sf') (hockeyE E sf' sg) (reindex_inj rev_ord_inj) /=.
apply: eq_bigr => i _; have := ltn_ord i; rewrite ltnS subSS => id; rewrite !coefXnM.
have beyond k : (d < k)%N -> f`_k = 0 by move=> ?; rewrite nth_default // (leq_trans sf).
have sym k : (k <= d)%N -> f`_(d - k) = f`_k by apply: block_exp_sym.
congr (pos (_ - E * _)).
  case: ltnP => is_; first by rewrite beyond //; lia.
  by rewrite -sym; [congr (_`_ _); lia | lia].
case: ltnP => is_; first by rewrite beyond //; lia.
by rewrite -sym; [congr (_`_ _); lia | lia].
Qed.

Corollary told_down0 E m h s : (0 < m)%N -> (0 < s)%N -> 0 <= E -> told_down E m h s 0 = 1.
Proof. by move=> *; rewrite told_sym // told_up0. Qed.

(* With chance b, a block moved by a law nu; otherwise a law zeta. *)
Definition record b m h (nu zeta : {poly R}) := b *: (block m h * nu) + (1 - b) *: zeta.

Section Records.

Variables (I : finType) (b : I -> R) (m h s : nat) (nu zeta : I -> {poly R}).
Hypothesis b01 : forall i, 0 <= b i <= 1.
Hypothesis laws : forall i, law (nu i) /\ law (zeta i).

Let sum := \prod_i record (b i) m h (nu i) (zeta i).

(* For any two moves, v and w. *)
Lemma sum_told E (v w : {poly R}) :
  hockey E (v * sum) (w * sum)
  <= mean (fun j => hockey E (v * block m h ^+ j) (w * block m h ^+ j)) (counts b).
Proof.
apply: le_trans (parts_told E (fun=> block m h) v w b01 laws) _.
by rewrite mean_sets; apply: ler_sum => L _; rewrite prodr_const.
Qed.

(* B1 *)
Theorem block_bound_up E : hockey E sum ('X^s * sum) <= mean (told_up E m h s) (counts b).
Proof.
rewrite -{1}[sum]mul1r; apply: le_trans (sum_told E 1 'X^s) _.
by rewrite (@eq_mean _ _ (told_up E m h s)) // => j; rewrite /told_up mul1r.
Qed.

Theorem block_bound_down E : hockey E ('X^s * sum) sum <= mean (told_down E m h s) (counts b).
Proof.
rewrite -{2}[sum]mul1r; apply: le_trans (sum_told E 'X^s 1) _.
by rewrite (@eq_mean _ _ (told_down E m h s)) // => j; rewrite /told_down mul1r.
Qed.

(* The same, said of all events. *)
Corollary block_bound_events E :
  close E (mean (told_up E m h s) (counts b)) sum ('X^s * sum) /\
  close E (mean (told_down E m h s) (counts b)) ('X^s * sum) sum.
Proof. by split; apply/close_hockey; [apply: block_bound_up | apply: block_bound_down]. Qed.

(* The same, set by set of the records that have their block. *)
Corollary block_bound_sets E :
  hockey E sum ('X^s * sum) <= \sum_(J : {set I}) chance_of b J * told_up E m h s #|J| /\
  hockey E ('X^s * sum) sum <= \sum_(J : {set I}) chance_of b J * told_down E m h s #|J|.
Proof. by rewrite -!mean_sets; split; [apply: block_bound_up | apply: block_bound_down]. Qed.

(* B2 *)
Corollary block_bound_least E beta (A : {set I}) :
  (0 < m)%N -> 0 <= beta -> (forall i, i \in A -> beta <= b i) ->
  close E (mean (told_up E m h s) (counted beta ^+ #|A|)) sum ('X^s * sum) /\
  close E (mean (told_down E m h s) (counted beta ^+ #|A|)) ('X^s * sum) sum.
Proof.
move=> m0 beta0 bA; split; apply/close_hockey.
  apply: le_trans (block_bound_up E) _.
  by apply: mean_least => //; apply: told_up_falls.
apply: le_trans (block_bound_down E) _.
by apply: mean_least => //; apply: told_down_falls.
Qed.

End Records.

(* B5 (b), B6: given what the others are, x with chance w x, the records of a set are independent;
   beta i is a least block mass of record i over all x, and the others add what they add. *)
Theorem block_bound_given E (T I : finType) (w : T -> R) (b : T -> I -> R) (beta : I -> R) m h s
    (nu zeta : T -> I -> {poly R}) (others : T -> {poly R}) :
  (0 < m)%N -> (forall x, 0 <= w x) -> \sum_x w x = 1 -> (forall x, law (others x)) ->
  (forall x i, law (nu x i) /\ law (zeta x i)) ->
  (forall x i, 0 <= beta i <= b x i /\ b x i <= 1) ->
  let sum := \sum_x w x *: (\prod_i record (b x i) m h (nu x i) (zeta x i) * others x) in
  close E (mean (told_up E m h s) (counts beta)) sum ('X^s * sum) /\
  close E (mean (told_down E m h s) (counts beta)) ('X^s * sum) sum.
Proof.
move=> m0 w0 w1 law_others laws masses sum.
have b01 x i : 0 <= b x i <= 1.
  by have [/andP[beta0 le] ->] := masses x i; rewrite (le_trans beta0 le).
have least D x : falling D -> mean D (counts (b x)) <= mean D (counts beta).
  move=> fall; apply: mean_counted_le => // i; first by have [] := masses x i.
  by have /andP[] := b01 x i.
have shifted : 'X^s * sum
    = \sum_x w x *: ('X^s * \prod_i record (b x i) m h (nu x i) (zeta x i) * others x).
  by rewrite mulr_sumr; apply: eq_bigr => x _; rewrite -scalerAr mulrA.
have average (F : T -> R) d : (forall x, F x <= d) -> \sum_x w x * F x <= d.
  move=> le; rewrite -[leRHS]mul1r -w1 mulr_suml; apply: ler_sum => x _.
  exact: ler_wpmul2l.
split; apply/close_hockey; rewrite shifted; apply: le_trans (hockey_mix _ _ _ w0) _;
  apply: average => x; apply: le_trans (hockey_conv _ _ _ (law_others x)) _.
  by apply: le_trans (block_bound_up _ _ _ _ _ _) (least _ _ (told_up_falls _ _ _ m0)).
by apply: le_trans (block_bound_down _ _ _ _ _ _) (least _ _ (told_down_falls _ _ _ m0)).
Qed.

(* A mixture of laws, with weights that need not sum to 1. *)
Lemma law_mix (T : finType) (v : T -> R) (L : T -> {poly R}) :
  (forall x, 0 <= v x) -> (forall x, law (L x)) ->
  exists2 M, law M & \sum_x v x *: L x = (\sum_x v x) *: M.
Proof.
move=> v0 lL; set c := \sum_x v x; have c0 : 0 <= c by apply: sumr_ge0.
have [z|nz] := eqVneq c 0.
  exists 1; first exact: law1.
  rewrite z scale0r big1 // => x _.
  suff -> : v x = 0 by rewrite scale0r.
  by apply/eqP; move/eqP: z; rewrite psumr_eq0 // => /allP /(_ x (mem_index_enum x)).
exists (c^-1 *: \sum_x v x *: L x); last by rewrite scalerA mulfV // scale1r.
split=> [i|].
  rewrite coefZ coef_sum mulr_ge0 ?invr_ge0 // sumr_ge0 // => x _.
  by rewrite coefZ mulr_ge0 //; have [] := lL x.
rewrite hornerZ horner_sum (eq_bigr v) ?mulVf // => x _.
by rewrite hornerZ; have [_ ->] := lL x; rewrite mulr1.
Qed.

(* A record of block mass b x, x with chance w x, and what adds itself: block mass of the mean. *)
Lemma group_record (T : finType) (w b : T -> R) m h (nu zeta others : T -> {poly R}) :
  (forall x, 0 <= w x) -> \sum_x w x = 1 -> (forall x, law (others x)) ->
  (forall x, law (nu x) /\ law (zeta x)) -> (forall x, 0 <= b x <= 1) ->
  exists laws : {poly R} * {poly R}, (law laws.1 /\ law laws.2) /\
    \sum_x w x *: (record (b x) m h (nu x) (zeta x) * others x)
    = record (\sum_x w x * b x) m h laws.1 laws.2.
Proof.
move=> w0 w1 lo laws b01.
have [|x|nu' lnu nuE] := @law_mix T (fun x => w x * b x) (fun x => nu x * others x).
- by move=> x; have /andP[? _] := b01 x; rewrite mulr_ge0.
- by apply: law_conv => //; have [] := laws x.
have [|x|zeta' lzeta zetaE] := @law_mix T (fun x => w x * (1 - b x)) (fun x => zeta x * others x).
- by move=> x; have /andP[_ ?] := b01 x; rewrite mulr_ge0 // subr_ge0.
- by apply: law_conv => //; have [] := laws x.
exists (nu', zeta'); split=> //; rewrite /record /=.
have -> : 1 - \sum_x w x * b x = \sum_x w x * (1 - b x).
  by rewrite -{1}w1 -sumrB; apply: eq_bigr => x _; rewrite mulrBr mulr1.
rewrite scalerAr -nuE -zetaE mulr_sumr -big_split /=; apply: eq_bigr => x _.
move: (block m h) => B; by rewrite mulrDl -!scalerAl scalerDr !scalerA -scalerAr !mulrA.
Qed.

(* B5 (a) *)
Theorem block_bound_groups E (T I : finType) (w b : I -> T -> R) (beta : I -> R) m h s
    (nu zeta others : I -> T -> {poly R}) :
  (0 < m)%N -> (forall i x, 0 <= w i x) -> (forall i, \sum_x w i x = 1) ->
  (forall i x, law (others i x)) -> (forall i x, law (nu i x) /\ law (zeta i x)) ->
  (forall i x, 0 <= b i x <= 1) -> (forall i, 0 <= beta i <= \sum_x w i x * b i x) ->
  let group i := \sum_x w i x *: (record (b i x) m h (nu i x) (zeta i x) * others i x) in
  let sum := \prod_i group i in
  close E (mean (told_up E m h s) (counts beta)) sum ('X^s * sum) /\
  close E (mean (told_down E m h s) (counts beta)) ('X^s * sum) sum.
Proof.
move=> m0 w0 w1 lo laws b01 least group sum; pose mass i := \sum_x w i x * b i x.
have mass01 i : 0 <= mass i <= 1.
  apply/andP; split.
    by apply: sumr_ge0 => x _; have /andP[? _] := b01 i x; rewrite mulr_ge0.
  rewrite -(w1 i); apply: ler_sum => x _; have /andP[_ ?] := b01 i x.
  by rewrite -[leRHS]mulr1 ler_wpmul2l.
have [made madeP] := fin_all_exists (fun i =>
  group_record m h (w0 i) (w1 i) (lo i) (laws i) (b01 i)).
have -> : sum = \prod_i record (mass i) m h (made i).1 (made i).2.
  by apply: eq_bigr => i _; have [_] := madeP i.
have lmade i : law (made i).1 /\ law (made i).2 by have [] := madeP i.
have fewer D : falling D -> mean D (counts mass) <= mean D (counts beta).
  by move=> fall; apply: mean_counted_le => // i; have /andP[] := mass01 i.
split; apply/close_hockey.
  apply: le_trans (block_bound_up _ _ _ mass01 lmade E) (fewer _ (told_up_falls _ _ _ m0)).
apply: le_trans (block_bound_down _ _ _ mass01 lmade E) (fewer _ (told_down_falls _ _ _ m0)).
Qed.
(* Laws on separate ranges are told apart one by one. *)
Lemma hockey_apart E (f g f' g' : {poly R}) d : (size f <= d)%N -> (size g <= d)%N ->
  hockey E (f + 'X^d * f') (g + 'X^d * g') = hockey E f g + hockey E f' g'.
Proof.
move=> sf sg; pose N := maxn (size f') (size g').
have sf' : (size f' <= N)%N by apply: leq_maxl.
have sg' : (size g' <= N)%N by apply: leq_maxr.
have wide (h h' : {poly R}) : (size h <= d)%N -> (size h' <= N)%N ->
    (size (h + 'X^d * h')%R <= d + N)%N.
  move=> sh sh'; apply: (leq_trans (size_add _ _)).
  rewrite geq_max (leq_trans sh (leq_addr _ _)) /=.
  by apply: (leq_trans (size_mul_leq _ _)); rewrite size_polyXn addSn leq_add2l.
rewrite (hockeyE E (wide f f' sf sf') (wide g g' sg sg')) big_split_ord /=.
rewrite (hockeyE E sf sg) (hockeyE E sf' sg'); congr (_ + _); apply: eq_bigr => i _.
  by rewrite !coefD !coefXnM ltn_ord !addr0.
rewrite !coefD !coefXnM ltnNge leq_addr /= addKn !(nth_default _ (leq_trans _ (leq_addr _ _))) //.
by rewrite !add0r.
Qed.

Lemma hockey_scale E w (f g : {poly R}) : 0 <= w -> hockey E (w *: f) (w *: g) = w * hockey E f g.
Proof.
move=> w0.
rewrite (hockeyE E (leq_trans (size_scale_leq w f) (leq_maxl _ (size g)))
  (leq_trans (size_scale_leq w g) (leq_maxr (size f) _))) /hockey mulr_sumr.
by apply: eq_bigr => i _; rewrite !coefZ mulrCA -mulrBr pos_scale.
Qed.

Lemma hockey0 E : hockey E 0 (0 : {poly R}) = 0.
Proof. by rewrite /hockey !size_poly0 big_ord0. Qed.

Lemma hockey_far E n c (w : nat -> R) (f g : nat -> {poly R}) :
  (forall i, 0 <= w i) -> (forall i, (i < n)%N -> (size (f i) <= c)%N && (size (g i) <= c)%N) ->
  hockey E (\sum_(i < n) w i *: ('X^(c * i) * f i)) (\sum_(i < n) w i *: ('X^(c * i) * g i))
  = \sum_(i < n) w i * hockey E (f i) (g i).
Proof.
elim: n w f g => [|n IH] w f g w0 small; first by rewrite !big_ord0 hockey0.
have later (h : nat -> {poly R}) : \sum_(i < n.+1) w i *: ('X^(c * i) * h i)
    = w 0%N *: h 0%N + 'X^c * \sum_(i < n) w i.+1 *: ('X^(c * i) * h i.+1).
  rewrite big_ord_recl muln0 expr0 mul1r; congr (_ + _).
  rewrite mulr_sumr; apply: eq_bigr => i _.
  by rewrite -scalerAr mulrA -exprD mulnS.
have /andP[sf sg] := small 0%N isT.
rewrite !later hockey_apart ?(leq_trans (size_scale_leq _ _)) // hockey_scale // big_ord_recl.
congr (_ + _); apply: (IH (fun i => w i.+1) (fun i => f i.+1) (fun i => g i.+1)) => // i ?.
exact: small.
Qed.

(* The law whose rest is a point far away, at c: the sum shows how many records have their block. *)
Definition far_record beta m h c := beta *: block m h + (1 - beta) *: 'X^c.

(* B3 *)
Theorem blocks_attained E (I : finType) (b : I -> R) m h s c :
  (0 < m)%N -> (forall i, 0 <= b i <= 1) -> (#|I| * (m.-1 * h) + s < c)%N ->
  let sum := \prod_i far_record (b i) m h c in
  hockey E sum ('X^s * sum) = mean (told_up E m h s) (counts b) /\
  hockey E ('X^s * sum) sum = mean (told_down E m h s) (counts b).
Proof.
move=> m0 b01 far sum; set n := #|I| in far.
pose w i := (counts b)`_(n - i).
have w0 i : 0 <= w i by have [pos_counts _] := law_counts b01; apply: pos_counts.
have rev (F : nat -> {poly R}) :
    \sum_(j < n.+1) (counts b)`_j *: F j = \sum_(i < n.+1) w i *: F (n - i)%N.
  by rewrite (reindex_inj rev_ord_inj).
have sumE (v : {poly R}) :
    v * sum = \sum_(i < n.+1) w i *: ('X^(c * i) * (v * block m h ^+ (n - i))).
  rewrite /sum prod_mix -/n (rev (fun j => block m h ^+ j * 'X^c ^+ (n - j))) mulr_sumr.
  apply: eq_bigr => i _; have iN : (i <= n)%N by rewrite -ltnS ltn_ord.
  rewrite -scalerAr (subKn iN) -exprM.
  by rewrite [in RHS]mulrC -[in RHS]mulrA.
have meanE' D : mean D (counts b) = \sum_(i < n.+1) w i * D (n - i)%N.
  by rewrite (meanE _ (size_counts b)) (reindex_inj rev_ord_inj).
have small (v : {poly R}) i : (size v <= s.+1)%N -> (size (v * block m h ^+ (n - i))%R <= c)%N.
  move=> sv; apply: (leq_trans (size_mul_leq _ _)); apply: leq_trans far.
  apply: (@leq_trans (s.+1 + ((n - i) * (m.-1 * h)).+1).-1).
    rewrite -[leqLHS]subn1 -[leqRHS]subn1; apply: leq_sub2r.
    by apply: leq_add => //; apply: size_block_exp.
  by rewrite addnS /= addSn ltnS addnC leq_add2r leq_mul2r leq_subr orbT.
have size1 : (size (1%R : {poly R}) <= s.+1)%N by rewrite size_poly1.
have sizeX : (size ('X^s : {poly R})%R <= s.+1)%N by rewrite size_polyXn.
have attained (v v' : {poly R}) : (size v <= s.+1)%N -> (size v' <= s.+1)%N ->
    hockey E (v * sum) (v' * sum)
    = mean (fun j => hockey E (v * block m h ^+ j) (v' * block m h ^+ j)) (counts b).
  move=> sv sv'; rewrite meanE' !sumE.
  rewrite (@hockey_far E n.+1 c w (fun i => v * block m h ^+ (n - i))
    (fun i => v' * block m h ^+ (n - i))) // => i _.
  by rewrite !small.
split.
  rewrite -{1}[sum]mul1r attained //; apply: eq_mean => j.
  by rewrite /told_up mul1r.
rewrite -{2}[sum]mul1r attained //; apply: eq_mean => j.
by rewrite /told_down mul1r.
Qed.

Corollary block_attained E n m h s c beta :
  (0 < m)%N -> 0 <= beta <= 1 -> (n * (m.-1 * h) + s < c)%N ->
  let sum := far_record beta m h c ^+ n in
  hockey E sum ('X^s * sum) = mean (told_up E m h s) (counted beta ^+ n) /\
  hockey E ('X^s * sum) sum = mean (told_down E m h s) (counted beta ^+ n).
Proof.
move=> m0 b01 far.
have := @blocks_attained E [finType of 'I_n] (fun=> beta) m h s c m0 (fun=> b01).
by rewrite /counts !prodr_const card_ord; apply.
Qed.

End Blocks.
