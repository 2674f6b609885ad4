(* C1: the count of chosen tuples, published only if it is at least k, under a shift by one.

   M is binomial, of n tuples with chance p each; q = 1 - p; E is e^eps.

   binomial_coins      the masses are those of a sum of n independent coins
   count_log_concave   the published count is log-concave
   count_up, count_down
                       the worst events are {k, ..., w} and {d, ..., n + 1}; delta in each
                       direction, as it is computed, with what makes w and d thresholds
   count_up_events, count_down_events
                       hence, of all events: (E, delta) if and only if delta is at least that
   floor_uniq          no number has two floors
   threshold_up_formula, threshold_down_formula
                       w and d as Python evaluates them, by a floor, are such thresholds
   count_atom          after a shift upwards the count k does not occur, so that delta is at
                       least Pr[M = k | M >= k], whatever E is *)

From mathcomp Require Import all_ssreflect all_algebra ring zify.
From kproof Require Import Laws Blocks LogConcave.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Counts.

Variable R : realFieldType.
Implicit Types (E p delta : R) (n k i j w d : nat).

Definition binomial_law n p : {poly R} :=
  \poly_(i < n.+1) ('C(n, i)%:R * p ^+ i * (1 - p) ^+ (n - i)).

(* Pr[a <= M < b] *)
Definition between a b n p : R := \sum_(a <= i < b) (binomial_law n p)`_i.

(* The count given that it is at least k. *)
Definition published k n p := (between k n.+1 n p)^-1 *: from k (binomial_law n p).

Lemma binomial_coef n p i : (binomial_law n p)`_i = 'C(n, i)%:R * p ^+ i * (1 - p) ^+ (n - i).
Proof. by rewrite coef_poly; case: ltnP => // ni; rewrite bin_small // !mul0r. Qed.

Theorem binomial_coins n p : binomial_law n p = counts (fun _ : 'I_n => p).
Proof.
rewrite /counts prodr_const card_ord /counted addrC exprDn; apply/polyP => i.
rewrite binomial_coef coef_sum.
rewrite (eq_bigr (fun j : 'I_n.+1 =>
  ('C(n, j)%:R * (1 - p) ^+ j * p ^+ (n - j)) * (i == (n - j)%N)%:R)); last first.
  move=> j _; rewrite exprZn -rmorphX /= mulrC mul_polyC scalerA coefMn coefZ coefXn.
  by rewrite -mulr_natl !mulrA.
case: (leqP i n) => ni; last first.
  rewrite bin_small // !mul0r big1 // => j _.
  by rewrite gtn_eqF ?mulr0 //; apply: leq_ltn_trans ni; apply: leq_subr.
have lt : (n - i < n.+1)%N by rewrite ltnS leq_subr.
rewrite (bigD1 (Ordinal lt)) //= subKn // eqxx mulr1 big1 ?addr0 => [|j].
  by rewrite bin_sub // mulrAC.
rewrite -val_eqE /= => ne; have jn : (j <= n)%N by rewrite -ltnS.
case: eqP => [e|_]; last by rewrite mulr0.
by move: ne; rewrite e subKn ?eqxx.
Qed.

Theorem count_log_concave k n p : 0 <= p <= 1 -> log_concave (published k n p).
Proof.
move=> p01; apply: log_concave_scaled; last first.
  by apply: log_concave_from; rewrite binomial_coins; apply: log_concave_coins.
have [q0 p0] : 0 <= 1 - p /\ 0 <= p by rewrite subr_ge0; case/andP: p01.
rewrite invr_ge0; apply: sumr_ge0 => i _.
by rewrite binomial_coef !mulr_ge0 ?ler0n ?exprn_ge0.
Qed.

(* The greatest whole number that is at most x. *)
Definition is_floor (x : R) (z : int) := z%:~R <= x < (z + 1)%:~R.

Theorem floor_uniq (x : R) z z' : is_floor x z -> is_floor x z' -> z = z'.
Proof.
move=> /andP[zx xz] /andP[z'x xz']; apply/eqP; rewrite eq_le -!ltz_addr1 -!(ltr_int R).
by rewrite (le_lt_trans zx xz') (le_lt_trans z'x xz).
Qed.

Lemma floor_nat (x : R) n : 0 <= x < n%:R -> exists i : nat, i%:R <= x < i.+1%:R.
Proof.
move=> /andP[x0 xn].
have [|i ix least] := @ex_minnP (fun i => x < i%:R); first by exists n.
case: i ix least => [|i] ix least; first by move: ix; rewrite ltNge x0.
by exists i; rewrite ix andbT leNgt; apply/negP => /least; rewrite ltnn.
Qed.

Section Fixed.

Variables (n k : nat) (p : R).
Hypothesis p01 : 0 < p < 1.
Hypothesis kn : (k <= n)%N.

Let f := binomial_law n p.
Let z := between k n.+1 n p.

Lemma count_pos i : (i <= n)%N -> 0 < f`_i.
Proof.
have /andP[p0 p1] := p01; move=> ni.
by rewrite binomial_coef !mulr_gt0 ?exprn_gt0 ?subr_gt0 // ltr0n bin_gt0.
Qed.

Lemma count_beyond i : (n < i)%N -> f`_i = 0.
Proof. by move=> ni; rewrite binomial_coef bin_small // !mul0r. Qed.

Lemma count_ge0 i : 0 <= f`_i.
Proof. by case: (leqP i n) => [/count_pos /ltW|/count_beyond ->]. Qed.

Lemma kept_pos : 0 < z.
Proof.
rewrite /z /between big_nat_recr //=; apply: ltr_paddl; last exact: count_pos.
by apply: sumr_ge0 => i _; apply: count_ge0.
Qed.

(* The masses of neighbouring counts. *)
Lemma count_ratio i : f`_i.+1 * (i.+1%:R * (1 - p)) = f`_i * ((n - i)%:R * p).
Proof.
case: (ltnP i n) => ni; last first.
  by rewrite count_beyond // (eqP ni) mul0r mul0r mulr0.
rewrite !binomial_coef.
have e : i.+1%:R * 'C(n, i.+1)%:R = (n - i)%:R * 'C(n, i)%:R :> R.
  by rewrite -!natrM mul_bin_left.
have -> : (1 - p) ^+ (n - i) = (1 - p) ^+ (n - i.+1) * (1 - p) by rewrite -exprSr subnSK.
rewrite exprS.
have -> : 'C(n, i.+1)%:R * (p * p ^+ i) * (1 - p) ^+ (n - i.+1) * (i.+1%:R * (1 - p))
   = (i.+1%:R * 'C(n, i.+1)%:R) * (p * p ^+ i * (1 - p) ^+ (n - i.+1) * (1 - p)) by ring.
by rewrite e; ring.
Qed.

Lemma published_coef i : (published k n p)`_i = z^-1 * (if (k <= i)%N then f`_i else 0).
Proof. by rewrite coefZ from_coef. Qed.

Lemma published_size : (size (published k n p) <= n.+2)%N.
Proof.
apply: (leq_trans (size_scale_leq _ _)); apply: (leq_trans (size_poly _ _)).
by apply: (leq_trans (size_poly _ _)).
Qed.

Lemma shifted_size : (size ('X * published k n p)%R <= n.+2)%N.
Proof.
apply: (leq_trans (size_mul_leq _ _)); rewrite size_polyX /=.
apply: (leq_trans (size_scale_leq _ _)); apply: (leq_trans (size_poly _ _)).
exact: size_poly.
Qed.

(* A sum over a range as one over all counts. *)
Lemma between_all a b (F : nat -> R) : (b <= n.+2)%N ->
  \sum_(a <= i < b) F i = \sum_(i < n.+2) (if (a <= i < b)%N then F i else 0).
Proof.
move=> bn; rewrite -big_mkcond /= (big_nat_widen _ _ n.+2) //= (big_nat_widenl _ 0) //= big_mkord.
by apply: eq_bigl => i; rewrite andbC.
Qed.

Theorem published_law : law (published k n p).
Proof.
have z0 := kept_pos; split=> [i|].
  rewrite published_coef; apply: mulr_ge0; first by rewrite invr_ge0 ltW.
  by case: ifP => // _; apply: count_ge0.
rewrite (@horner_coef_wide _ n.+2) ?published_size //.
have -> : \sum_(i < n.+2) (published k n p)`_i * 1 ^+ i = z^-1 * z; last by rewrite mulVf ?gt_eqF.
rewrite {2}/z /between between_all // mulr_sumr; apply: eq_bigr => i _.
rewrite expr1n mulr1 published_coef; case: (leqP k i) => //= ki; case: ltnP => // ni.
by rewrite count_beyond.
Qed.

(* Upwards: the counts k to w have the more before the shift, those above w after it. *)
Definition threshold_up E w :=
  [/\ (k <= w <= n)%N,
      forall i, (k < i <= w)%N -> i%:R * (E * (1 - p) + p) <= p * n.+1%:R
    & forall i, (w < i <= n)%N -> p * n.+1%:R <= i%:R * (E * (1 - p) + p)].

(* Downwards: from d on the counts have the more after the shift. *)
Definition threshold_down E d :=
  [/\ (k < d <= n.+1)%N,
      forall i, (d <= i <= n)%N -> E * p * n.+1%:R <= i%:R * (1 - p + E * p)
    & forall i, (k < i < d)%N -> i%:R * (1 - p + E * p) <= E * p * n.+1%:R].

Definition delta_up E w := (between k w.+1 n p - E * between k w n p) / between k n.+1 n p.
Definition delta_down E d := (between d.-1 n.+1 n p - E * between d n.+1 n p) / between k n.+1 n p.

Lemma step_up E i : (i <= n)%N ->
  (f`_i.+1 - E * f`_i) * (i.+1%:R * (1 - p))
  = f`_i * (p * n.+1%:R - i.+1%:R * (E * (1 - p) + p)).
Proof.
move=> ni; rewrite mulrBl count_ratio natrB // !mulrSr.
by move: (i%:R) (n%:R) (f`_i) => a b c; ring.
Qed.

Lemma step_down E i : (i <= n)%N ->
  (f`_i - E * f`_i.+1) * (i.+1%:R * (1 - p))
  = f`_i * (i.+1%:R * (1 - p + E * p) - E * p * n.+1%:R).
Proof.
move=> ni; rewrite mulrBl -[E * _ * _]mulrA count_ratio natrB // !mulrSr.
by move: (i%:R) (n%:R) (f`_i) => a b c; ring.
Qed.

Lemma same_sign (x y a b : R) : 0 < a -> 0 < b -> x * a = b * y ->
  (0 <= x) = (0 <= y) /\ (x <= 0) = (y <= 0).
Proof.
move=> a0 b0 e; split; first by rewrite -(pmulr_lge0 x a0) e pmulr_rge0.
by rewrite -(pmulr_lle0 x a0) e pmulr_rle0.
Qed.

Lemma signs_up E i : (i <= n)%N ->
  (E * f`_i <= f`_i.+1) = (i.+1%:R * (E * (1 - p) + p) <= p * n.+1%:R) /\
  (f`_i.+1 <= E * f`_i) = (p * n.+1%:R <= i.+1%:R * (E * (1 - p) + p)).
Proof.
have /andP[p0 p1] := p01; move=> ni; have fi := count_pos ni.
have q0 : 0 < i.+1%:R * (1 - p) by rewrite mulr_gt0 ?ltr0n ?subr_gt0.
by have [] := same_sign q0 fi (step_up E ni); rewrite !subr_ge0 !subr_le0.
Qed.

Lemma signs_down E i : (i <= n)%N ->
  (E * f`_i.+1 <= f`_i) = (E * p * n.+1%:R <= i.+1%:R * (1 - p + E * p)) /\
  (f`_i <= E * f`_i.+1) = (i.+1%:R * (1 - p + E * p) <= E * p * n.+1%:R).
Proof.
have /andP[p0 p1] := p01; move=> ni; have fi := count_pos ni.
have q0 : 0 < i.+1%:R * (1 - p) by rewrite mulr_gt0 ?ltr0n ?subr_gt0.
by have [] := same_sign q0 fi (step_down E ni); rewrite !subr_ge0 !subr_le0.
Qed.

Lemma between_before a b : between a b n p = \sum_(a.+1 <= i < b.+1) f`_i.-1.
Proof. by rewrite big_add1. Qed.

Lemma shifted_coef i : ('X * published k n p)`_i = z^-1 * (if (k < i)%N then f`_i.-1 else 0).
Proof.
rewrite coefXM; case: i => [|i] /=; first by rewrite mulr0.
by rewrite published_coef ltnS.
Qed.

Theorem count_up E w : 0 <= E -> threshold_up E w ->
  hockey E (published k n p) ('X * published k n p) = delta_up E w.
Proof.
move=> E0 [/andP[kw wn] more less]; have z0 : 0 <= z^-1 by rewrite invr_ge0 ltW ?kept_pos.
rewrite (hockeyE E published_size shifted_size) /delta_up [RHS]mulrC -/z.
rewrite (between_before k w) {1}/between !between_all ?ltnS ?(leq_trans wn) //.
rewrite mulr_sumr -sumrB mulr_sumr; apply: eq_bigr => i _.
rewrite published_coef shifted_coef mulrCA -mulrBr pos_scale //; congr (_ * _).
case: (ltngtP k i) => [ki|_|<-] /=; last 2 first.
- by rewrite mulr0 subr0 pos0.
- by rewrite ltnS kw mulr0 subr0 pos_id ?count_ge0 // subr0.
case: (nat_of_ord i) (ltn_ord i) ki => [//|y] /= yn ky; rewrite ltnS in yn.
case: (leqP y.+1 w) => yw; rewrite ?ltnS.
  by rewrite yw; apply: pos_id; rewrite subr_ge0 (signs_up E _).1 ?more ?ky.
rewrite [(y < w)%N]ltnNge -ltnS yw /= mulr0 subr0; apply: pos_eq0; rewrite subr_le0.
move: yn; rewrite leq_eqVlt => /orP[/eqP[->]|yn].
  by rewrite count_beyond // mulr_ge0 ?count_ge0.
by rewrite (signs_up E _).2 ?less ?yw // ltnW.
Qed.

Theorem count_down E d : 0 <= E -> threshold_down E d ->
  hockey E ('X * published k n p) (published k n p) = delta_down E d.
Proof.
move=> E0 [/andP[kd dn] more less]; have z0 : 0 <= z^-1 by rewrite invr_ge0 ltW ?kept_pos.
have d1 : (d.-1.+1 = d)%N by rewrite prednK // (leq_ltn_trans _ kd).
rewrite (hockeyE E shifted_size published_size) /delta_down [RHS]mulrC -/z.
rewrite (between_before d.-1) d1 {1}/between !between_all //.
rewrite mulr_sumr -sumrB mulr_sumr; apply: eq_bigr => i _.
rewrite published_coef shifted_coef mulrCA -mulrBr pos_scale //; congr (_ * _).
case: (ltnP k i) => ki; last first.
  rewrite (leqNgt d) (leq_ltn_trans ki kd) /= mulr0 subrr sub0r; apply: pos_eq0.
  by rewrite oppr_le0 mulr_ge0 //; case: ifP => // _; apply: count_ge0.
rewrite (ltnW ki) ltn_ord andbT; case: (nat_of_ord i) (ltn_ord i) ki => [//|y] /= yn ky.
rewrite ltnS in yn; case: (leqP d y.+1) => dy /=.
  case: (ltnP y.+1 n.+1) => yn'.
    by apply: pos_id; rewrite subr_ge0 (signs_down E _).1 ?more ?dy // ltnW.
  by rewrite (count_beyond yn') !mulr0 !subr0 pos_id ?count_ge0.
by rewrite mulr0 subrr; apply: pos_eq0; rewrite subr_le0 (signs_down E _).2 ?less ?ky.
Qed.

Theorem count_up_events E delta w : 0 <= E -> threshold_up E w ->
  close E delta (published k n p) ('X * published k n p) <-> delta_up E w <= delta.
Proof. by move=> E0 tw; rewrite close_hockey (count_up E0 tw). Qed.

Theorem count_down_events E delta d : 0 <= E -> threshold_down E d ->
  close E delta ('X * published k n p) (published k n p) <-> delta_down E d <= delta.
Proof. by move=> E0 td; rewrite close_hockey (count_down E0 td). Qed.

(* What Python evaluates are such thresholds, whatever E. *)
Theorem threshold_up_formula E : 0 <= E ->
  exists2 x, is_floor (p * n.+1%:R / (E * (1 - p) + p)) x
    & exists2 w : nat, w%:Z = Num.min n%:Z (Num.max k%:Z x) & threshold_up E w.
Proof.
have /andP[p0 p1] := p01; move=> E0; have q0 : 0 <= 1 - p by rewrite subr_ge0 ltW.
set s := E * (1 - p) + p; have s0 : 0 < s by rewrite ltr_paddl // mulr_ge0.
have [|x /andP[xl xr]] := @floor_nat (p * n.+1%:R / s) n.+2.
  rewrite divr_ge0 ?mulr_ge0 ?ler0n ?(ltW p0) ?(ltW s0) //= ltr_pdivr_mulr //.
  rewrite mulrC; apply: (@le_lt_trans _ _ (n.+1%:R * s)).
    by rewrite ler_wpmul2l ?ler0n // ler_addr mulr_ge0.
  by rewrite ltr_pmul2r // ltr_nat.
exists x%:Z; first by rewrite /is_floor xl -[X in x%:Z + X]/(1%:Z) -PoszD addn1.
exists (minn n (maxn k x)); first by lia.
rewrite ler_pdivl_mulr // in xl; rewrite ltr_pdivr_mulr // in xr.
split=> [|i ki|i wi]; first by lia.
  by apply: le_trans xl; rewrite ler_wpmul2r ?ler_nat ?(ltW s0) //; lia.
by apply: le_trans (ltW xr) _; rewrite ler_wpmul2r ?ler_nat ?(ltW s0) //; lia.
Qed.

Theorem threshold_down_formula E : 0 <= E ->
  exists2 x, is_floor (- ((1 - p) * n.+1%:R / (1 - p + E * p))) x
    & exists2 d : nat, d%:Z = Num.min n.+1%:Z (Num.max k.+1%:Z (n.+2%:Z + x))
      & threshold_down E d.
Proof.
have /andP[p0 p1] := p01; move=> E0; have q0 : 0 < 1 - p by rewrite subr_gt0.
have Ep0 : 0 <= E * p by rewrite mulr_ge0 // ltW.
set s := 1 - p + E * p; have s0 : 0 < s by rewrite ltr_paddr.
have split_s : E * p * n.+1%:R / s = n.+1%:R - (1 - p) * n.+1%:R / s.
  by rewrite -[X in X - _](mulfK (negbT (gt_eqF s0))) -mulrBl; congr (_ / _); rewrite /s; ring.
have [|y /andP[yl yr]] := @floor_nat (E * p * n.+1%:R / s) n.+2.
  apply/andP; split; first by apply: divr_ge0 (ltW s0); apply: mulr_ge0 Ep0 (ler0n _ _).
  rewrite ltr_pdivr_mulr //.
  rewrite mulrC; apply: (@le_lt_trans _ _ (n.+1%:R * s)).
    by rewrite ler_wpmul2l ?ler0n // ler_addr ltW.
  by rewrite ltr_pmul2r // ltr_nat.
exists (y%:Z - n.+1%:Z).
  rewrite /is_floor addrAC !rmorphB /= rmorphD /= !mulr1z ler_subl_addr ltr_subr_addr.
  by rewrite ![- _ + _]addrC -split_s yl /= -[1]/(1%:R) -natrD addn1.
exists (minn n.+1 (maxn k.+1 y.+1)); first by lia.
rewrite ler_pdivl_mulr // in yl; rewrite ltr_pdivr_mulr // in yr.
split=> [|i di|i ki]; first by lia.
  by apply: le_trans (ltW yr) _; rewrite ler_wpmul2r ?ler_nat ?(ltW s0) //; lia.
by apply: le_trans yl; rewrite ler_wpmul2r ?ler_nat ?(ltW s0) //; lia.
Qed.
Theorem count_atom E delta : close E delta (published k n p) ('X * published k n p) ->
  f`_k / between k n.+1 n p <= delta.
Proof.
move=> /(_ (pred1 k)); rewrite (prE _ published_size) (prE _ shifted_size).
have kn2 : (k < n.+2)%N by rewrite ltnS (leq_trans kn).
rewrite (big_pred1 (Ordinal kn2)) // (big_pred1 (Ordinal kn2)) //=.
by rewrite published_coef shifted_coef leqnn ltnn !mulr0 add0r mulrC.
Qed.

End Fixed.
End Counts.
