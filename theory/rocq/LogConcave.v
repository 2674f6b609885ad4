(* Log-concave laws: one threshold decides what a shift tells.

   log_concaveP        log-concave without internal zeros, in one line: ratios of neighbouring
                       masses fall
   half_line_up, half_line_down
                       the worst event against a shift is a half-line, in both directions
   half_lines_suffice  if a bound holds for all half-lines, it holds for all events
   log_concave_counted, log_concave_coins
                       sums of independent 0/1 records are log-concave, whatever their chances
   log_concave_from    so is a law that is cut off below
   log_concave_conv, log_concave_prod
                       so are sums of independent log-concave records, of any values *)

From mathcomp Require Import all_ssreflect all_algebra ring.
From kproof Require Import Laws Blocks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section LogConcave.

Variable R : realFieldType.
Implicit Types (f g : {poly R}) (E p : R) (i j k s t : nat).

Definition log_concave f :=
  [/\ nonneg f,
      forall i, f`_i * f`_i.+2 <= f`_i.+1 ^+ 2
    & forall i j k, (i < j < k)%N -> 0 < f`_i -> 0 < f`_k -> 0 < f`_j].

(* f_(i+1) / f_i falls, said without division. *)
Definition ratios_fall f :=
  nonneg f /\ forall i j, (i <= j)%N -> f`_i * f`_j.+1 <= f`_i.+1 * f`_j.

Lemma pos_or_zero f i : nonneg f -> f`_i = 0 \/ 0 < f`_i.
Proof. by move=> f0; have := f0 i; rewrite le_eqVlt => /orP[/eqP <-|?]; [left|right]. Qed.

Lemma log_concaveP f : log_concave f <-> ratios_fall f.
Proof.
split=> [[f0 step inner]|[f0 fall]];
  [split=> // i j ij | split=> // [i|i j k /andP[ij jk] fi fk]].
- have [->|fi] := pos_or_zero i f0; first by rewrite mul0r mulr_ge0.
  have [->|fj1] := pos_or_zero j.+1 f0; first by rewrite mulr0 mulr_ge0.
  elim: j ij fj1 => [|j IH] ij fj1; first by move: ij; rewrite leqn0 => /eqP->; rewrite mulrC.
  move: ij; rewrite leq_eqVlt => /orP[/eqP->|]; first by rewrite mulrC.
  rewrite ltnS => ij.
  have fj : 0 < f`_j.+1 by apply: (inner i _ j.+2) => //; rewrite ltnS ij /=.
  have [fj0|fjp] := pos_or_zero j f0.
    move: ij; rewrite leq_eqVlt => /orP[/eqP eij|ij].
      by rewrite -eij in fj0; rewrite fj0 ltxx in fi.
    have := inner i j j.+1; rewrite ij ltnSn fj0 ltxx => absurd.
    by have := absurd isT fi fj.
  rewrite -(ler_pmul2l (mulr_gt0 fjp fj)).
  have -> : f`_j * f`_j.+1 * (f`_i * f`_j.+2) = (f`_i * f`_j.+1) * (f`_j * f`_j.+2) by ring.
  have -> : f`_j * f`_j.+1 * (f`_i.+1 * f`_j.+1) = (f`_i.+1 * f`_j) * f`_j.+1 ^+ 2 by ring.
  by apply: ler_pmul; rewrite ?mulr_ge0 ?IH.
- by rewrite expr2; apply: fall.
- have [d dk] : exists d, (d + j = k)%N by exists (k - j)%N; rewrite subnK // ltnW.
  elim: d i k ij jk fi fk dk => [|d IH] i k ij jk fi fk dk.
    by move: jk; rewrite -dk ltnn.
  case: k => [//|k] in jk fk dk *; have ik : (i <= k)%N by apply: leq_trans (ltnW ij) _.
  have both : 0 < f`_i.+1 * f`_k by apply: lt_le_trans (fall i k ik); apply: mulr_gt0.
  have fk' : 0 < f`_k.
    by have [fk0|//] := pos_or_zero k f0; move: both; rewrite fk0 mulr0 ltxx.
  move: jk; rewrite ltnS leq_eqVlt => /orP[/eqP->//|jk].
  by apply: (IH i k) => //; move: dk; rewrite addSn => -[].
Qed.

Lemma between_pos f i j k : ratios_fall f -> (i <= j <= k)%N -> 0 < f`_i -> 0 < f`_k -> 0 < f`_j.
Proof.
case/log_concaveP=> _ _ inner /andP[]; rewrite leq_eqVlt => /orP[/eqP->//|ij].
by rewrite leq_eqVlt => /orP[/eqP->//|jk] fi fk; apply: (inner i j k) => //; rewrite ij.
Qed.

(* The same for steps of any length. *)
Lemma ratios_fall_far f i j s : ratios_fall f -> (i <= j)%N ->
  f`_i * f`_(j + s) <= f`_(i + s) * f`_j.
Proof.
move=> fall ij; have [f0 step] := fall.
elim: s => [|s IH]; first by rewrite !addn0.
rewrite !addnS; have [->|fi] := pos_or_zero i f0; first by rewrite mul0r mulr_ge0.
have [->|fj] := pos_or_zero (j + s).+1 f0; first by rewrite mulr0 mulr_ge0.
have fis : 0 < f`_(i + s).
  by apply: (between_pos (i := i) (k := (j + s).+1)) => //; rewrite leq_addr ltnW // ltnS leq_add2r.
have fjs : 0 < f`_(j + s).
  apply: (between_pos (i := i) (k := (j + s).+1)) => //.
  by rewrite leqnSn andbT (leq_trans ij) ?leq_addr.
rewrite -(ler_pmul2l (mulr_gt0 fis fjs)).
have -> : f`_(i + s) * f`_(j + s) * (f`_i * f`_(j + s).+1)
        = (f`_i * f`_(j + s)) * (f`_(i + s) * f`_(j + s).+1) by ring.
have -> : f`_(i + s) * f`_(j + s) * (f`_(i + s).+1 * f`_j)
        = (f`_(i + s) * f`_j) * (f`_(i + s).+1 * f`_(j + s)) by ring.
by apply: ler_pmul; rewrite ?mulr_ge0 ?step ?leq_add2r.
Qed.

(* Where one side has the more up to a point, and the less from there on. *)
Lemma one_threshold E f g :
  (forall x y, (x < y)%N -> E * g`_y < f`_y -> E * g`_x <= f`_x) ->
  exists t, hockey E f g = gain E f g [pred i | (i < t)%N].
Proof.
move=> crosses; pose N := maxn (size f) (size g).
pose t := \max_(i < N | E * g`_i < f`_i) i.+1; exists t.
rewrite (gainE _ _ (leq_maxl _ (size g)) (leq_maxr (size f) _)) /hockey [RHS]big_mkcond /=.
apply: eq_bigr => x _; case: ltnP => xt.
  apply: pos_id; rewrite subr_ge0.
  have /existsP[y /andP[Ay xy]] : [exists y : 'I_N, (E * g`_y < f`_y) && (x <= y)%N].
    apply: contraLR xt; rewrite negb_exists -leqNgt => /forallP none.
    apply/bigmax_leqP => y Ay; have := none y.
    by rewrite Ay /= -ltnNge.
  by move: xy; rewrite leq_eqVlt => /orP[/eqP->|xy]; [apply: ltW | apply: crosses Ay].
apply: pos_eq0; rewrite subr_le0 leNgt; apply/negP => Ax.
have := leq_bigmax_cond (P := fun i : 'I_N => E * g`_i < f`_i) (F := fun i : 'I_N => i.+1) x Ax.
by rewrite leqNgt ltnS xt.
Qed.

Lemma one_threshold_above E f g :
  (forall x y, (x < y)%N -> E * g`_x < f`_x -> E * g`_y <= f`_y) ->
  exists t, hockey E f g = gain E f g [pred i | (t <= i)%N].
Proof.
move=> crosses; pose N := maxn (size f) (size g).
pose A i := E * g`_i < f`_i; pose t := find A (iota 0 N); exists t.
rewrite (gainE _ _ (leq_maxl _ (size g)) (leq_maxr (size f) _)) /hockey [RHS]big_mkcond /=.
apply: eq_bigr => x _; case: leqP => xt.
  apply: pos_id; rewrite subr_ge0.
  have tN : (t < N)%N by apply: leq_ltn_trans xt (ltn_ord x).
  have At : A t.
    have := nth_find 0%N (a := A) (s := iota 0 N); rewrite has_find size_iota tN => /(_ isT).
    by rewrite nth_iota ?add0n.
  by move: xt; rewrite leq_eqVlt => /orP[/eqP<-|xt]; [apply: ltW | apply: crosses At].
apply: pos_eq0; rewrite subr_le0 leNgt.
have := before_find 0%N xt; rewrite nth_iota ?add0n // => nA.
by move: nA; rewrite /A => ->.
Qed.

Theorem half_line_up E f s : 0 <= E -> log_concave f ->
  exists t, hockey E f ('X^s * f) = gain E f ('X^s * f) [pred i | (i < t)%N].
Proof.
move=> E0 /log_concaveP fall; have [f0 _] := fall; apply: one_threshold => x y xy.
rewrite !coefXnM; case: (ltnP x s) => xs; first by rewrite mulr0 => _; apply: f0.
have ys : (s <= y)%N := leq_trans xs (ltnW xy).
rewrite ltnNge ys /= => above; rewrite leNgt; apply/negP => below.
have := ratios_fall_far s fall (leq_sub2r s (ltnW xy)); rewrite !subnK //.
have fxs : 0 < f`_(x - s).
  by have [e|//] := pos_or_zero (x - s) f0; move: below; rewrite e mulr0 ltNge f0.
have [e|fys] := pos_or_zero (y - s) f0.
  by move: above; rewrite e !mulr0 => fy; rewrite leNgt mulr_gt0.
apply/negP; rewrite -ltNge; apply: (@lt_trans _ _ (E * f`_(x - s) * f`_(y - s))).
  by rewrite ltr_pmul2r.
have -> : E * f`_(x - s) * f`_(y - s) = f`_(x - s) * (E * f`_(y - s)) by ring.
by rewrite ltr_pmul2l.
Qed.

Theorem half_line_down E f s : 0 <= E -> log_concave f ->
  exists t, hockey E ('X^s * f) f = gain E ('X^s * f) f [pred i | (t <= i)%N].
Proof.
move=> E0 /log_concaveP fall; have [f0 _] := fall; apply: one_threshold_above => x y xy.
rewrite !coefXnM; case: (ltnP x s) => xs; first by rewrite ltNge mulr_ge0.
have ys : (s <= y)%N := leq_trans xs (ltnW xy).
rewrite [(y < s)%N]ltnNge ys /= => above; rewrite leNgt; apply/negP => below.
have := ratios_fall_far s fall (leq_sub2r s (ltnW xy)); rewrite !subnK //.
have fxs : 0 < f`_(x - s) by apply: le_lt_trans above; rewrite mulr_ge0.
have fy : 0 < f`_y.
  by have [e|//] := pos_or_zero y f0; move: below; rewrite e mulr0 ltNge f0.
have [e|fx] := pos_or_zero x f0; first by rewrite e mul0r leNgt mulr_gt0.
apply/negP; rewrite -ltNge; apply: (@lt_trans _ _ (f`_x * (E * f`_y))).
  by rewrite ltr_pmul2l.
by rewrite mulrA [f`_x * E]mulrC ltr_pmul2r.
Qed.

(* The corollary by which a bound for half-lines is one for all events. *)
Theorem half_lines_suffice E delta f s : 0 <= E -> log_concave f ->
  (forall t, pr f [pred i | (i < t)%N] <= E * pr ('X^s * f) [pred i | (i < t)%N] + delta) ->
  (forall t, pr ('X^s * f) [pred i | (t <= i)%N] <= E * pr f [pred i | (t <= i)%N] + delta) ->
  close E delta f ('X^s * f) /\ close E delta ('X^s * f) f.
Proof.
move=> E0 lc up down; split; apply/close_hockey.
  by have [t ->] := half_line_up s E0 lc; rewrite /gain ler_subl_addl.
by have [t ->] := half_line_down s E0 lc; rewrite /gain ler_subl_addl.
Qed.

(* One more 0/1 record. *)
Theorem log_concave_counted p f : 0 <= p <= 1 -> log_concave f -> log_concave (counted p * f).
Proof.
case/andP=> p0 p1 /log_concaveP fall; have [f0 step] := fall; apply/log_concaveP.
pose before i := if i is i.+1 then f`_i else 0.
have before0 i : 0 <= before i by case: i => [|i] /=.
have coefE i : (counted p * f)`_i = (1 - p) * f`_i + p * before i.
  by rewrite /counted [in LHS]mulrDl mul_polyC -scalerAl coefD !coefZ coefXM; case: i.
have q0 : 0 <= 1 - p by rewrite subr_ge0.
split=> [i|i j]; first by rewrite coefE addr_ge0 ?mulr_ge0.
rewrite leq_eqVlt => /orP[/eqP->|ij]; first by rewrite mulrC.
rewrite !coefE /=; case: j ij => [//|j]; rewrite ltnS => ij /=.
rewrite -subr_ge0.
have -> : ((1 - p) * f`_i.+1 + p * f`_i) * ((1 - p) * f`_j.+1 + p * f`_j)
        - ((1 - p) * f`_i + p * before i) * ((1 - p) * f`_j.+2 + p * f`_j.+1)
        = (1 - p) ^+ 2 * (f`_i.+1 * f`_j.+1 - f`_i * f`_j.+2)
        + (1 - p) * p * (f`_i.+1 * f`_j - before i * f`_j.+2)
        + p ^+ 2 * (f`_i * f`_j - before i * f`_j.+1) by ring.
have far : before i * f`_j.+2 <= f`_i.+1 * f`_j.
  case: i ij => [|i] ij /=; first by rewrite mul0r mulr_ge0.
  by have := ratios_fall_far 2 fall (ltnW ij); rewrite !addn2.
have near : before i * f`_j.+1 <= f`_i * f`_j.
  by case: i ij far => [|i] ij _ /=; [rewrite mul0r mulr_ge0 | apply: step; apply: ltnW].
by rewrite !addr_ge0 // mulr_ge0 ?mulr_ge0 ?sqr_ge0 ?subr_ge0 // step // ltnW.
Qed.

Lemma log_concave1 : log_concave (1 : {poly R}).
Proof.
by apply/log_concaveP; split=> [i|i j _]; rewrite !coef1 ?ler0n // mulr0 mulr_ge0 ?ler0n.
Qed.

(* Sums of independent 0/1 records, each with a chance of its own. *)
Corollary log_concave_coins (I : finType) (b : I -> R) :
  (forall x, 0 <= b x <= 1) -> log_concave (counts b).
Proof.
move=> b01; rewrite /counts; elim/big_rec: _ => [|x f _ lc]; first exact: log_concave1.
exact: log_concave_counted.
Qed.

(* Cut off below k, not yet divided by what is left. *)
Definition from k f := \poly_(i < size f) (if (k <= i)%N then f`_i else 0).

Lemma from_coef k f i : (from k f)`_i = if (k <= i)%N then f`_i else 0.
Proof. by rewrite coef_poly; case: ltnP => // ?; rewrite nth_default ?if_same. Qed.

Theorem log_concave_from k f : log_concave f -> log_concave (from k f).
Proof.
move=> /log_concaveP [f0 step]; apply/log_concaveP; split=> [i|i j ij].
  by rewrite from_coef; case: ifP.
rewrite !from_coef; case: (leqP k i) => [ki|_].
  by rewrite !(leq_trans ki) ?(leqW ij) ?(leqW (leqnn i)) ?step // (leq_trans ij).
by rewrite mul0r mulr_ge0 //; case: ifP.
Qed.

Theorem log_concave_scaled w f : 0 <= w -> log_concave f -> log_concave (w *: f).
Proof.
move=> w0 /log_concaveP [f0 step]; apply/log_concaveP; split=> [i|i j ij].
  by rewrite coefZ mulr_ge0.
rewrite !coefZ mulrACA [leRHS]mulrACA; apply: ler_wpmul2l; rewrite ?mulr_ge0 //; exact: step.
Qed.

(* The mass that a record at b adds to a sum at i. *)
Let rest f i b := if (b <= i)%N then f`_(i - b) else 0.

Lemma rest_minor f i j b c : ratios_fall f -> (i <= j)%N -> (b <= c)%N ->
  rest f i c * rest f j b <= rest f i b * rest f j c.
Proof.
move=> fall ij bc; have [f0 _] := fall.
have rest0 x y : 0 <= rest f x y by rewrite /rest; case: ifP.
rewrite {1}/rest; case: leqP => [ci|_]; last by rewrite mul0r mulr_ge0.
rewrite /rest !(leq_trans bc) ?(leq_trans ci) ?(leq_trans bc (leq_trans ci ij)) //.
have := ratios_fall_far (c - b) fall (leq_sub2r c ij).
by rewrite !addnBA // !subnK // (leq_trans ci).
Qed.

Lemma before_minor g b c : ratios_fall g -> (b <= c)%N ->
  ('X * g)`_b * g`_c <= g`_b * ('X * g)`_c.
Proof.
move=> [g0 step]; rewrite !coefXM; case: b => [|b] bc /=.
  by rewrite mul0r mulr_ge0 //; case: ifP.
by case: c bc => [//|c] bc; rewrite /= step.
Qed.

Lemma coef_rest f g N i : (i < N)%N -> (f * g)`_i = \sum_(b < N) rest f i b * g`_b.
Proof.
move=> iN; rewrite coefMr (big_ord_widen N (fun b => f`_(i - b) * g`_b)) // big_mkcond /=.
by apply: eq_bigr => b _; rewrite /rest ltnS; case: ifP; rewrite ?mul0r.
Qed.

(* Cauchy and Binet: the minor of a product is a sum of products of minors. *)
Lemma minors N (a a' u v : nat -> R) :
  (forall b c, (b <= c)%N -> a c * a' b <= a b * a' c) ->
  (forall b c, (b <= c)%N -> v b * u c <= u b * v c) ->
  (\sum_(b < N) a b * v b) * (\sum_(b < N) a' b * u b)
  <= (\sum_(b < N) a b * u b) * (\sum_(b < N) a' b * v b).
Proof.
move=> minor_a minor_u; pose t b c := a b * a' c * (u b * v c - v b * u c).
have products (x y : nat -> R) : (\sum_(b < N) x b) * (\sum_(b < N) y b)
    = \sum_(b < N) \sum_(c < N) x b * y c.
  by rewrite mulr_suml; apply: eq_bigr => b _; rewrite mulr_sumr.
rewrite -subr_ge0 (products (fun b => a b * u b) (fun b => a' b * v b)).
rewrite (products (fun b => a b * v b) (fun b => a' b * u b)) -sumrB (eq_bigr (fun b : 'I_N => \sum_(c < N) t b c)); last first.
  by move=> b _; rewrite -sumrB; apply: eq_bigr => c _; rewrite /t; ring.
rewrite -(pmulr_rge0 _ (ltr0Sn R 1)) mulr2n mulrDl !mul1r {2}exchange_big /= -big_split /=.
apply: sumr_ge0 => b _; rewrite -big_split /=; apply: sumr_ge0 => c _.
have -> : t b c + t c b = (a b * a' c - a c * a' b) * (u b * v c - v b * u c) by rewrite /t; ring.
case/orP: (leq_total b c) => bc; first by rewrite mulr_ge0 ?subr_ge0 ?minor_a ?minor_u.
rewrite mulr_le0 ?subr_le0 ?minor_a //.
by rewrite mulrC [X in _ <= X]mulrC minor_u.
Qed.

(* Hoggar *)
Theorem log_concave_conv f g : log_concave f -> log_concave g -> log_concave (f * g).
Proof.
move=> /log_concaveP fallf /log_concaveP fallg; apply/log_concaveP.
have [f0 _] := fallf; have [g0 _] := fallg; split=> [i|i j ij].
  by rewrite coefM sumr_ge0 // => x _; rewrite mulr_ge0.
pose g' := 'X * g; pose N := j.+2.
have shifted x : (f * g)`_x = (f * g')`_x.+1 by rewrite /g' mulrCA coefXM.
rewrite (shifted i) (shifted j) !(@coef_rest _ _ N) ?ltnS ?(leqW ij) ?(leqW (leqW ij)) //.
apply: (@minors N (rest f i.+1) (rest f j.+1) (fun b => g`_b) (fun b => g'`_b)) => b c bc.
  exact: rest_minor.
exact: before_minor.
Qed.

Corollary log_concave_prod (I : finType) (f : I -> {poly R}) :
  (forall x, log_concave (f x)) -> log_concave (\prod_x f x).
Proof.
by move=> lf; elim/big_ind: _ => // [|*]; [apply: log_concave1 | apply: log_concave_conv].
Qed.

End LogConcave.
