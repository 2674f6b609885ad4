(* R7: rows kept by coins, cells of fewer than k kept rows dropped. The worst of all tables.

   Each row of the victim's cell is kept with chance p; E is e^eps, and k = j + 1. With n other rows
   the count is binomial of n + 1 with the victim's row, and of n without it. What is published of it
   is the count, or 0 where it is at most j; so index 0 of a law is "hidden".

   sampled_up, sampled_attained
                    with the victim's row no table gains more over the one without it than "shown"
                    does with w others, w being the last number at which every shown count tells;
                    and it gains that much
   sampled_down, sampled_down_attained
                    without the victim's row no table gains more over the one with it than "hidden"
                    does with w others, the first at which every hidden count tells
   sampled_nothing  where that is nowhere, as a row is left out with a probability of 1/E or more,
                    nothing is gained
   sampled_floor    "shown" gains at least p to the power of k, whatever E is
   sampled_k        with a larger k less is told of every table
   sampled_beta     with a smaller chance beta less is told: at most beta/beta' of what is told of
                    some table at beta'
   suppressed_told  R4: hiding small counts tells no more than all counts do, whatever the laws are
   least_law        R6: records that follow a law at least in part hide each other as so many draws
                    from it do as follow it *)

From mathcomp Require Import all_ssreflect all_algebra ring zify.
From kproof Require Import Laws Blocks LogConcave Counts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Release.

Variables (R : realFieldType) (p E : R).
Hypothesis p01 : 0 < p < 1.
Hypothesis E1 : 1 <= E.

Let f n := binomial_law n p.

Definition below t n : R := \sum_(0 <= i < t) (f n)`_i.

(* What is published of a count: itself, or 0 where it is at most j. *)
Definition hide j (g : {poly R}) : {poly R} :=
  (\sum_(0 <= i < j.+1) g`_i)%:P + from j.+1 g.

(* What the counts from t on gain together, with n others. *)
Definition shown t n : R := 1 - below t n.+1 - E * (1 - below t n).

Definition excess n i : R := (f n.+1)`_i - E * (f n)`_i.

Lemma power n : f n = counted p ^+ n.
Proof. by rewrite /f binomial_coins /counts prodr_const card_ord. Qed.

Lemma coin n i : (f n.+1)`_i = (1 - p) * (f n)`_i + p * (if i is i'.+1 then (f n)`_i' else 0).
Proof.
have -> : f n.+1 = (1 - p)%:P * f n + p *: ('X * f n).
  by rewrite !power exprS [X in X * _]/counted mulrDl scalerAl.
by rewrite coefD coefCM coefZ coefXM; case: i.
Qed.

Lemma below0 n : below 0 n = 0.
Proof. by rewrite /below big_nil. Qed.

Lemma belowS t n : below t.+1 n = below t n + (f n)`_t.
Proof. by rewrite /below big_nat_recr. Qed.

Lemma below_coin t n : below t.+1 n.+1 = (1 - p) * below t.+1 n + p * below t n.
Proof.
elim: t => [|t IH]; first by rewrite !belowS !below0 coin; ring.
by rewrite belowS IH coin [in RHS]belowS [below t.+1 n]belowS; ring.
Qed.

Lemma fewer t n : below t.+1 n.+1 = below t.+1 n - p * (f n)`_t.
Proof. by rewrite below_coin belowS; ring. Qed.

Lemma mass_ge0 n i : 0 <= (f n)`_i.
Proof. exact: count_ge0. Qed.

Lemma below_all t n : (n < t)%N -> below t n = 1.
Proof.
move=> nt; have -> : 1 = (f n).[1] :> R.
  by rewrite power horner_exp /counted hornerD hornerZ hornerC hornerX mulr1 subrK expr1n.
rewrite (@horner_coef_wide _ t); last by apply: leq_trans nt; apply: size_poly.
by rewrite /below big_mkord; apply: eq_bigr => i _; rewrite expr1n mulr1.
Qed.

Lemma shownS t n : shown t n = shown t.+1 n + excess n t.
Proof. by rewrite /shown /excess !belowS; ring. Qed.

Lemma shown_coin t n : shown t.+1 n.+1 = (1 - p) * shown t.+1 n + p * shown t n.
Proof. by rewrite /shown !below_coin; ring. Qed.

Lemma shown_row t n : shown t.+1 n.+1 = shown t.+1 n + p * excess n t.
Proof. by rewrite shown_coin [shown t n]shownS; ring. Qed.

Lemma shown_beyond t n : (n.+1 < t)%N -> shown t n = 0.
Proof. by move=> nt; rewrite /shown !below_all ?(ltn_trans (ltnSn n)) // !subrr mulr0 subr0. Qed.

(* How a mass changes with a row more. *)
Lemma rows n i : (i <= n)%N -> (n.+1 - i)%:R * (f n.+1)`_i = n.+1%:R * (1 - p) * (f n)`_i.
Proof.
move=> ni; rewrite !binomial_coef subSn // exprS.
have e : (n.+1 - i)%:R * 'C(n.+1, i)%:R = n.+1%:R * 'C(n, i)%:R :> R.
  by rewrite -!natrM -mul_bin_down.
by rewrite subSn // in e; rewrite !mulrA e; ring.
Qed.

Lemma excess_ge0 n i : (i <= n.+1)%N -> E * (n.+1 - i)%:R <= n.+1%:R * (1 - p) -> 0 <= excess n i.
Proof.
move=> ni tells; rewrite /excess; move: ni; rewrite leq_eqVlt => /orP[/eqP ->|ni].
  by rewrite [(f n)`__]count_beyond // mulr0 subr0 mass_ge0.
have c0 : 0 < (n.+1 - i)%:R :> R by rewrite ltr0n subn_gt0.
rewrite -(pmulr_rge0 _ c0) mulrBr rows; last by rewrite -ltnS.
by rewrite mulrCA mulrA -mulrBl mulr_ge0 ?mass_ge0 // subr_ge0.
Qed.

Lemma excess_le0 n i : (i <= n)%N -> n.+1%:R * (1 - p) <= E * (n.+1 - i)%:R -> excess n i <= 0.
Proof.
move=> ni silent; rewrite /excess.
have c0 : 0 < (n.+1 - i)%:R :> R by rewrite ltr0n subn_gt0 ltnS.
rewrite -(pmulr_rle0 _ c0) mulrBr rows //.
by rewrite mulrCA mulrA -mulrBl mulr_le0_ge0 ?mass_ge0 // subr_le0.
Qed.

Lemma excess_beyond n i : (n.+1 < i)%N -> excess n i = 0.
Proof. by move=> ni; rewrite /excess !count_beyond ?(ltn_trans (ltnSn n)) // mulr0 subrr. Qed.

(* A count that tells is followed by counts that tell. *)
Lemma stays n t i : 0 < excess n t -> (t <= i)%N -> 0 <= excess n i.
Proof.
move=> pos_t ti; have E0 : 0 <= E := le_trans ler01 E1.
case: (ltnP n.+1 i) => [ni|ni]; first by rewrite excess_beyond.
case: (eqVneq t n.+1) pos_t ti => [->|nt] pos_t ti.
  have -> : i = n.+1 by apply/eqP; rewrite eqn_leq ni ti.
  exact: ltW.
have tn : (t <= n)%N by rewrite -ltnS ltn_neqAle nt (leq_trans ti).
apply: excess_ge0 => //; apply: (@le_trans _ _ (E * (n.+1 - t)%:R)).
  by rewrite ler_wpmul2l // ler_nat leq_sub2l.
rewrite leNgt; apply/negP => /ltW silent.
by move: pos_t; rewrite ltNge excess_le0.
Qed.

Lemma excess_sum n t : (t <= n.+2)%N -> \sum_(t <= i < n.+2) excess n i = shown t n.
Proof.
move=> tn; rewrite -(subKn tn); move: (n.+2 - t)%N (leq_subr t n.+2) => d.
elim: d => [|d IH] dn; first by rewrite subn0 big_geq // shown_beyond.
rewrite shownS big_ltn; last by rewrite ltn_subrL.
by rewrite -subSn // subSS IH 1?addrC // ltnW.
Qed.

Lemma hide_0 j (g : {poly R}) : (hide j g)`_0 = \sum_(0 <= i < j.+1) g`_i.
Proof. by rewrite coefD coefC eqxx from_coef addr0. Qed.

Lemma hide_S j (g : {poly R}) i : (hide j g)`_i.+1 = if (j <= i)%N then g`_i.+1 else 0.
Proof. by rewrite coefD coefC from_coef add0r. Qed.

Lemma hide_size j m n : (n <= m)%N -> (size (hide j (f n)) <= m.+1)%N.
Proof.
move=> nm; apply: (leq_trans (size_add _ _)); rewrite geq_max; apply/andP; split.
  by apply: (leq_trans (size_polyC_leq1 _)).
by apply: (leq_trans (size_poly _ _)); apply: (leq_trans (size_poly _ _)); rewrite ltnS.
Qed.

Section Worst.

Variables (j w : nat).
Hypothesis jw : (j <= w)%N.
Hypothesis tells : E * (w - j)%:R <= w%:R * (1 - p).
Hypothesis silent : w.+1%:R * (1 - p) <= E * (w.+1 - j)%:R.

Lemma scaled n i : (n <= w)%N -> (j <= i)%N -> (i <= n)%N -> E * (n - i)%:R <= n%:R * (1 - p).
Proof.
move=> nw ji i_n; have E0 : 0 <= E := le_trans ler01 E1.
have q1 : 1 - p <= E by apply: le_trans E1; rewrite ler_subl_addr ler_addl ltW //; case/andP: p01.
apply: (@le_trans _ _ (E * (n - j)%:R)); first by rewrite ler_wpmul2l // ler_nat leq_sub2l.
move: tells; rewrite !natrB // ?(leq_trans ji) // => le.
have : n%:R * (E - (1 - p)) <= w%:R * (E - (1 - p)).
  by rewrite ler_wpmul2r ?subr_ge0 // ler_nat.
rewrite -subr_ge0 in le; rewrite -subr_ge0 => le'; rewrite -subr_ge0.
apply: le_trans (addr_ge0 le le') _.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

Lemma tell n i : (n <= w)%N -> (j < i)%N -> 0 <= excess n i.
Proof.
move=> nw ji; have E0 : 0 <= E := le_trans ler01 E1.
case: (ltnP n.+1 i) => [ni|ni]; first by rewrite excess_beyond.
case: i ji ni => // i ji ni; apply: excess_ge0 => //; rewrite subSS.
apply: le_trans (scaled nw _ _) _ => //; rewrite ler_wpmul2r ?ler_nat //.
by rewrite subr_ge0 ltW //; case/andP: p01.
Qed.

Lemma tell_j n : (n < w)%N -> 0 <= excess n j.
Proof.
move=> nw; case: (ltnP n.+1 j) => [nj|nj]; first by rewrite excess_beyond.
by apply: excess_ge0 => //; apply: scaled.
Qed.

Lemma silent_j n : (w <= n)%N -> excess n j <= 0.
Proof.
move=> wn; have jn := leq_trans jw wn; apply: excess_le0 => //.
have q1 : 1 - p <= E by apply: le_trans E1; rewrite ler_subl_addr ler_addl ltW //; case/andP: p01.
have jw1 : (j <= w.+1)%N := leqW jw; have jn1 : (j <= n.+1)%N := leqW jn.
move: silent; rewrite !natrB // => le.
have : w.+1%:R * (E - (1 - p)) <= n.+1%:R * (E - (1 - p)).
  by rewrite ler_wpmul2r ?subr_ge0 // ler_nat.
rewrite -subr_ge0 in le; rewrite -subr_ge0 => le'; rewrite -subr_ge0.
apply: le_trans (addr_ge0 le le') _.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

Lemma few t n : (n <= w)%N -> (j < t)%N -> shown t n <= shown j.+1 n.
Proof.
move=> nw; elim: t => // t IH; rewrite ltnS leq_eqVlt => /orP[/eqP ->//|jt].
by apply: le_trans (IH jt); rewrite [leRHS]shownS ler_addl tell.
Qed.

Lemma grow n : (n <= w)%N -> shown j.+1 n <= shown j.+1 w.
Proof.
move=> nw; rewrite -(subKn nw); move: (w - n)%N (leq_subr n w) => d.
elim: d => [|d IH] dw; first by rewrite subn0.
apply: le_trans (IH (ltnW dw)); have -> : (w - d = (w - d.+1).+1)%N by rewrite -subSn // subSS.
have [p0 _] := andP p01.
by rewrite shown_row ler_addl mulr_ge0 ?(ltW p0) // tell_j // ltn_subrL (leq_trans _ dw).
Qed.

Lemma many t n : (w <= n)%N -> (j < t)%N -> shown t n <= shown j.+1 w.
Proof.
have [/ltW p0 p1] := andP p01; have q0 : 0 <= 1 - p by rewrite subr_ge0 ltW.
move=> wn; rewrite -(subnKC wn); elim: (n - w)%N t => [|d IH] t jt.
  by rewrite addn0; apply: few.
rewrite addnS; case: t jt => // t; rewrite ltnS leq_eqVlt => /orP[/eqP <-|jt].
  rewrite shown_row; apply: le_trans (IH _ (ltnSn j)).
  by rewrite ger_addl mulr_ge0_le0 // silent_j // leq_addr.
rewrite shown_coin; apply: (@le_trans _ _ ((1 - p) * shown j.+1 w + p * shown j.+1 w)).
  by apply: ler_add; apply: ler_wpmul2l => //; apply: IH; rewrite // ltnW.
by rewrite -mulrDl subrK mul1r.
Qed.

Lemma worst t n : (j < t)%N -> shown t n <= shown j.+1 w.
Proof.
move=> jt; case: (leqP n w) => [nw|/ltnW wn]; last exact: many.
exact: le_trans (few nw jt) (grow nw).
Qed.

Lemma positive n t : (j < t)%N -> (t <= n.+2)%N ->
  \sum_(t <= i < n.+2) pos (excess n i) <= shown j.+1 w.
Proof.
move=> jt tn; move: jt; rewrite -(subKn tn); move: (n.+2 - t)%N (leq_subr t n.+2) => d.
elim: d => [|d IH] dn jt.
  move: jt; rewrite subn0 => jt; rewrite big_geq //.
  by have := worst n jt; rewrite shown_beyond.
case: (ltP 0 (excess n (n.+2 - d.+1))) => [gains|loses].
  apply: le_trans (worst n jt); rewrite -excess_sum ?leq_subr // !big_nat.
  by apply: ler_sum => i /andP[ti _]; rewrite pos_id //; apply: stays gains ti.
rewrite big_ltn; last by rewrite ltn_subrL.
rewrite pos_eq0 // add0r -subSn // subSS; apply: IH; first exact: ltnW.
by apply: leq_trans jt _; rewrite leq_sub2l.
Qed.


(* What is hidden loses with the victim's row; each count that is shown gains what it gains. *)
Lemma hockey_hide n :
  hockey E (hide j (f n.+1)) (hide j (f n)) = \sum_(j.+1 <= i < n.+2) pos (excess n i).
Proof.
have E0 : 0 <= E := le_trans ler01 E1; have [/ltW p0 _] := andP p01.
have nn : (n <= n.+1)%N by [].
rewrite (hockeyE E (hide_size j (leqnn n.+1)) (hide_size j nn)).
rewrite -(big_mkord xpredT (fun i => pos ((hide j (f n.+1))`_i - E * (hide j (f n))`_i))).
rewrite big_nat_recl //= !hide_0 pos_eq0 ?add0r; last first.
  rewrite subr_le0 -[leLHS]/(below j.+1 n.+1) fewer; set b := \sum_(_ <= i < _) _.
  have b0 : 0 <= b by apply: sumr_ge0 => i _; apply: mass_ge0.
  apply: (@le_trans _ _ b); first by rewrite ger_addl oppr_le0 mulr_ge0 ?mass_ge0.
  by rewrite ler_pemull.
rewrite [RHS]big_add1 /= [RHS](big_nat_widenl _ 0) //= [RHS]big_mkcond /=.
apply: eq_bigr => i _; rewrite !hide_S; case: ifP => // _.
by rewrite mulr0 subrr pos0.
Qed.

Theorem sampled_up n :
  hockey E (hide j (f n.+1)) (hide j (f n)) <= shown j.+1 w.
Proof.
rewrite hockey_hide; case: (leqP j.+1 n.+2) => [jn|nj]; first exact: positive.
rewrite big_geq; last exact: ltnW.
have jt : (j < maxn j.+1 n.+2)%N by rewrite leq_max leqnn.
by have := worst n jt; rewrite shown_beyond // leq_max ltnSn orbT.
Qed.

Theorem sampled_attained : hockey E (hide j (f w.+1)) (hide j (f w)) = shown j.+1 w.
Proof.
rewrite hockey_hide -excess_sum ?ltnS ?(leqW jw) // !big_nat; apply: eq_bigr => i /andP[ji _].
by apply: pos_id; apply: tell.
Qed.

Theorem sampled_floor : p ^+ j.+1 <= shown j.+1 w.
Proof.
apply: le_trans (grow jw); rewrite /shown fewer (below_all (ltnSn j)) subrr mulr0 subr0.
rewrite opprB addrC subrK binomial_coef binn subnn expr0 mulr1 mul1r.
by rewrite exprS.
Qed.

End Worst.

(* The other direction: what the counts below t gain together without the victim's row. *)
Definition unshown t n : R := below t n - E * below t n.+1.

Definition deficit n i : R := (f n)`_i - E * (f n.+1)`_i.

Lemma unshown0 n : unshown 0 n = 0.
Proof. by rewrite /unshown !below0 mulr0 subrr. Qed.

Lemma unshownS t n : unshown t.+1 n = unshown t n + deficit n t.
Proof. by rewrite /unshown /deficit !belowS; ring. Qed.

Lemma unshown_coin t n : unshown t.+1 n.+1 = (1 - p) * unshown t.+1 n + p * unshown t n.
Proof. by rewrite /unshown !below_coin; ring. Qed.

Lemma unshown_row t n : unshown t.+1 n.+1 = unshown t.+1 n - p * deficit n t.
Proof. by rewrite unshown_coin [in LHS]unshownS [unshown t.+1 n]unshownS; ring. Qed.

Lemma coins_ge0 n : 0 <= E * (n%:R * (1 - p)).
Proof.
have /andP[_ /ltW p1] := p01; have E0 : 0 <= E := le_trans ler01 E1.
by apply: mulr_ge0 => //; apply: mulr_ge0; rewrite ?ler0n ?subr_ge0.
Qed.

Lemma deficit_ge0 n i : (i <= n)%N -> E * (n.+1%:R * (1 - p)) <= (n.+1 - i)%:R -> 0 <= deficit n i.
Proof.
move=> ni tells; rewrite /deficit.
have c0 : 0 < (n.+1 - i)%:R :> R by rewrite ltr0n subn_gt0 ltnS.
rewrite -(pmulr_rge0 _ c0) mulrBr [X in _ - X]mulrCA rows //.
by rewrite mulrA -mulrBl mulr_ge0 ?mass_ge0 // subr_ge0.
Qed.

Lemma deficit_le0 n i : (n.+1 - i)%:R <= E * (n.+1%:R * (1 - p)) -> deficit n i <= 0.
Proof.
move=> silent; rewrite /deficit; have E0 : 0 <= E := le_trans ler01 E1.
case: (ltnP n i) => [ni|ni].
  by rewrite count_beyond // sub0r oppr_le0 mulr_ge0 ?mass_ge0.
have c0 : 0 < (n.+1 - i)%:R :> R by rewrite ltr0n subn_gt0 ltnS.
rewrite -(pmulr_rle0 _ c0) mulrBr [X in _ - X]mulrCA rows //.
by rewrite mulrA -mulrBl mulr_le0_ge0 ?mass_ge0 // subr_le0.
Qed.

(* A count that tells comes after counts that tell. *)
Lemma before n t i : 0 < deficit n t -> (i <= t)%N -> 0 <= deficit n i.
Proof.
move=> pos_t it; case: (leP (n.+1 - t)%:R (E * (n.+1%:R * (1 - p)))) => [silent|/ltW tells].
  by move: pos_t; rewrite ltNge deficit_le0.
case: (ltnP n i) => [ni|ni]; last first.
  by apply: deficit_ge0 => //; apply: le_trans tells _; rewrite ler_nat leq_sub2l.
have t0 : (n.+1 - t = 0)%N by apply/eqP; rewrite subn_eq0 (leq_trans ni).
by move: pos_t; rewrite ltNge deficit_le0 // t0 coins_ge0.
Qed.

Lemma unshown_ge0 n t : (forall i, (i < t)%N -> 0 <= deficit n i) -> 0 <= unshown t n.
Proof.
elim: t => [|t IH] ge0; first by rewrite unshown0.
by rewrite unshownS addr_ge0 ?ge0 // IH // => i it; apply: ge0; apply: ltnW.
Qed.

Lemma hockey_unshown j n : hockey E (hide j (f n)) (hide j (f n.+1))
  = pos (unshown j.+1 n) + \sum_(j.+1 <= i < n.+2) pos (deficit n i).
Proof.
have nn : (n <= n.+1)%N by [].
rewrite (hockeyE E (hide_size j nn) (hide_size j (leqnn n.+1))).
rewrite -(big_mkord xpredT (fun i => pos ((hide j (f n))`_i - E * (hide j (f n.+1))`_i))).
rewrite big_nat_recl //= !hide_0; congr (_ + _).
rewrite [RHS]big_add1 /= [RHS](big_nat_widenl _ 0) //= [RHS]big_mkcond /=.
apply: eq_bigr => i _; rewrite !hide_S; case: ifP => // _.
by rewrite mulr0 subrr pos0.
Qed.

(* From eps = -ln(1 - p) on no event gains anything. *)
Theorem sampled_nothing j n : 1 <= E * (1 - p) -> hockey E (hide j (f n)) (hide j (f n.+1)) = 0.
Proof.
move=> E_q; have le0 i : deficit n i <= 0.
  apply: deficit_le0; rewrite mulrCA; apply: (@le_trans _ _ (n.+1%:R * 1)).
    by rewrite mulr1 ler_nat leq_subr.
  by rewrite ler_wpmul2l.
rewrite hockey_unshown big1 ?addr0 => [|i _]; last exact: pos_eq0.
apply: pos_eq0; elim: j.+1 => [|t IH]; first by rewrite unshown0.
by rewrite unshownS -[X in _ <= X]addr0 ler_add.
Qed.

Section Mirror.

Variables (j w : nat).
Hypothesis jw : (j <= w)%N.
Hypothesis silent : (w - j)%:R <= E * (w%:R * (1 - p)).
Hypothesis tells : E * (w.+1%:R * (1 - p)) <= (w.+1 - j)%:R.

Let gamma := 1 - E * (1 - p).

Lemma gamma_w : w%:R * gamma <= j%:R.
Proof.
move: silent; rewrite natrB // -subr_ge0 => le; rewrite -subr_ge0; apply: le_trans le _.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; rewrite /gamma; ring.
Qed.

Lemma gamma_w1 : j%:R <= w.+1%:R * gamma.
Proof.
move: tells; rewrite natrB ?(leqW jw) // -subr_ge0 => le; rewrite -subr_ge0; apply: le_trans le _.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; rewrite /gamma; ring.
Qed.

Lemma gamma_ge0 : 0 <= gamma.
Proof. by rewrite -(pmulr_rge0 _ (ltr0Sn R w)); apply: le_trans gamma_w1. Qed.

Lemma gamma_le1 : gamma <= 1.
Proof.
have /andP[_ /ltW p1] := p01; have E0 : 0 <= E := le_trans ler01 E1.
by rewrite /gamma ger_addl oppr_le0 mulr_ge0 // subr_ge0.
Qed.

Lemma is_silent n i : n.+1%:R * gamma <= i%:R -> deficit n i <= 0.
Proof.
move=> le; apply: deficit_le0; case: (leqP i n.+1) => [ni|/ltnW ni].
  rewrite natrB // -subr_ge0; rewrite -subr_ge0 in le; apply: le_trans le _.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; rewrite /gamma; ring.
have i0 : (n.+1 - i = 0)%N by apply/eqP; rewrite subn_eq0.
by rewrite i0 coins_ge0.
Qed.

Lemma is_telling n i : (i <= n)%N -> i%:R <= n.+1%:R * gamma -> 0 <= deficit n i.
Proof.
move=> ni le; apply: deficit_ge0 => //; rewrite natrB ?(leqW ni) // -subr_ge0.
rewrite -subr_ge0 in le; apply: le_trans le _.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; rewrite /gamma; ring.
Qed.

Lemma few_silent n i : (n <= w)%N -> (j < i)%N -> deficit n i <= 0.
Proof.
move=> nw ji; apply: is_silent; apply: (@le_trans _ _ (j.+1%:R)); last by rewrite ler_nat.
apply: (@le_trans _ _ (w.+1%:R * gamma)); first by rewrite ler_wpmul2r ?gamma_ge0 // ler_nat.
by rewrite -[w.+1]addn1 natrD mulrDl mul1r -[j.+1]addn1 natrD ler_add ?gamma_w ?gamma_le1.
Qed.

Lemma before_w n : (n < w)%N -> deficit n j <= 0.
Proof.
move=> nw; apply: is_silent; apply: le_trans gamma_w.
by rewrite ler_wpmul2r ?gamma_ge0 // ler_nat.
Qed.

Lemma after_w n : (w <= n)%N -> 0 <= deficit n j.
Proof.
move=> wn; apply: is_telling; first exact: leq_trans wn.
by apply: le_trans gamma_w1 _; rewrite ler_wpmul2r ?gamma_ge0 // ler_nat.
Qed.

Lemma few_down t n : (n <= w)%N -> (j < t)%N -> unshown t n <= unshown j.+1 n.
Proof.
move=> nw; elim: t => // t IH; rewrite ltnS leq_eqVlt => /orP[/eqP ->//|jt].
by apply: le_trans (IH jt); rewrite unshownS ger_addl few_silent.
Qed.

Lemma grow_down n : (n <= w)%N -> unshown j.+1 n <= unshown j.+1 w.
Proof.
move=> nw; rewrite -(subKn nw); move: (w - n)%N (leq_subr n w) => d.
elim: d => [|d IH] dw; first by rewrite subn0.
apply: le_trans (IH (ltnW dw)); have -> : (w - d = (w - d.+1).+1)%N by rewrite -subSn // subSS.
have [/ltW p0 _] := andP p01; rewrite unshown_row ler_addl oppr_ge0 mulr_ge0_le0 //.
by rewrite before_w // ltn_subrL (leq_trans _ dw).
Qed.

Lemma worst_down t n : (j < t)%N -> unshown t n <= unshown j.+1 w.
Proof.
have [/ltW p0 /ltW p1] := andP p01; have q0 : 0 <= 1 - p by rewrite subr_ge0.
move=> jt; case: (leqP n w) => [nw|/ltnW wn]; first exact: le_trans (few_down nw jt) (grow_down nw).
rewrite -(subnKC wn); elim: (n - w)%N t jt => [|d IH] t jt.
  by rewrite addn0; apply: few_down.
rewrite addnS; case: t jt => // t; rewrite ltnS leq_eqVlt => /orP[/eqP <-|jt].
  rewrite unshown_row; apply: le_trans (IH _ (ltnSn j)).
  by rewrite ger_addl oppr_le0 mulr_ge0 // after_w // leq_addr.
rewrite unshown_coin; apply: (@le_trans _ _ ((1 - p) * unshown j.+1 w + p * unshown j.+1 w)).
  by apply: ler_add; apply: ler_wpmul2l => //; apply: IH; rewrite // ltnW.
by rewrite -mulrDl subrK mul1r.
Qed.

Lemma least_ge0 n : (w <= n)%N -> 0 <= unshown j.+1 n.
Proof.
move=> wn; apply: unshown_ge0 => i; rewrite ltnS => ij.
apply: is_telling; first exact: leq_trans ij (leq_trans jw wn).
apply: (@le_trans _ _ j%:R); first by rewrite ler_nat.
by apply: le_trans gamma_w1 _; rewrite ler_wpmul2r ?gamma_ge0 // ler_nat.
Qed.

Lemma all_tell n t : (j < t)%N -> (forall i, (i < t)%N -> 0 <= deficit n i) ->
  pos (unshown j.+1 n) + \sum_(j.+1 <= i < t) pos (deficit n i) = unshown t n.
Proof.
elim: t => // t IH; rewrite ltnS leq_eqVlt => /orP[/eqP <-|jt] ge0.
  by rewrite big_geq // addr0 pos_id // unshown_ge0.
rewrite big_nat_recr //= addrA IH // => [|i it]; last by apply: ge0; apply: ltnW.
by rewrite unshownS pos_id ?ge0.
Qed.

Theorem sampled_down n : hockey E (hide j (f n)) (hide j (f n.+1)) <= unshown j.+1 w.
Proof.
rewrite hockey_unshown; have base : pos (unshown j.+1 n) <= unshown j.+1 w.
  by rewrite /pos le_maxl least_ge0 // worst_down.
case: (leqP j.+1 n.+2) => [jn|/ltnW nj]; last by rewrite big_geq // addr0.
rewrite -(subnKC jn); elim: (n.+2 - j.+1)%N => [|d IH]; first by rewrite addn0 big_geq // addr0.
have jd : (j < j.+1 + d)%N by rewrite addSn ltnS leq_addr.
rewrite addnS; case: (ltP 0 (deficit n (j.+1 + d))) => [gains|loses].
  rewrite all_tell; first by apply: worst_down; apply: ltnW.
    exact: ltnW.
  by move=> i; rewrite ltnS; apply: before gains.
by rewrite big_nat_recr ?leq_addr //= [X in _ + (_ + X)]pos_eq0 // addr0.
Qed.

Theorem sampled_down_attained : hockey E (hide j (f w)) (hide j (f w.+1)) = unshown j.+1 w.
Proof.
rewrite hockey_unshown pos_id ?least_ge0 // big_nat big1 ?addr0 // => i /andP[ji _].
by apply: pos_eq0; apply: few_silent.
Qed.

End Mirror.

(* With a larger k less is told, in both directions, of every table. *)
Theorem sampled_k j n :
  hockey E (hide j.+1 (f n.+1)) (hide j.+1 (f n)) <= hockey E (hide j (f n.+1)) (hide j (f n)) /\
  hockey E (hide j.+1 (f n)) (hide j.+1 (f n.+1)) <= hockey E (hide j (f n)) (hide j (f n.+1)).
Proof.
rewrite !hockey_hide !hockey_unshown unshownS; case: (ltnP j.+1 n.+2) => [jn|nj].
  rewrite [in X in _ <= X /\ _](big_ltn jn) [in X in _ /\ _ <= X](big_ltn jn) /=; split.
    by rewrite ler_addr pos_ge0.
  by rewrite addrA ler_add2r pos_add.
have nj' : (n.+2 <= j.+2)%N := leqW nj.
by rewrite !big_geq // !addr0; split=> //; rewrite /deficit !count_beyond // ?mulr0 ?subr0 ?addr0 // ltnW.
Qed.

(* R4: hiding small counts tells no more than all counts do, whatever the laws are. *)
Theorem suppressed_told j (g h : {poly R}) : hockey E (hide j g) (hide j h) <= hockey E g h.
Proof.
set N := ((maxn (size g) (size h)).+1 + j.+1)%N.
have small (q : {poly R}) : (size q <= maxn (size g) (size h))%N -> (size q <= N)%N.
  by move=> le; apply: leq_trans le _; rewrite /N addSn; apply: leqW; apply: leq_addr.
have gN := small g (leq_maxl _ _); have hN := small h (leq_maxr _ _).
have hidden (q : {poly R}) : (size q <= N)%N -> (size (hide j q) <= N)%N.
  move=> le; apply: (leq_trans (size_add _ _)); rewrite geq_max; apply/andP; split.
    by apply: (leq_trans (size_polyC_leq1 _)); rewrite /N addSn.
  exact: leq_trans (size_poly _ _) le.
rewrite (hockeyE E (hidden _ gN) (hidden _ hN)) (hockeyE E gN hN).
rewrite -(big_mkord xpredT (fun i => pos ((hide j g)`_i - E * (hide j h)`_i))).
rewrite -(big_mkord xpredT (fun i => pos (g`_i - E * h`_i))).
rewrite [leRHS](@big_cat_nat _ _ _ j.+1) //=; last by rewrite /N leq_addl.
have [M NM] : exists M, N = M.+1 by exists ((maxn (size g) (size h)) + j.+1)%N; rewrite /N addSn.
rewrite NM big_nat_recl //= !hide_0; apply: ler_add.
  by rewrite mulr_sumr -sumrB; apply: pos_sum.
rewrite [leRHS]big_add1 /= [leRHS](big_nat_widenl _ 0) //= [leRHS]big_mkcond /=.
apply: ler_sum => i _; rewrite !hide_S; case: ifP => // _.
by rewrite mulr0 subrr pos0.
Qed.

End Release.

(* R8: with a larger chance to be kept more is told. A coin of chance beta is one of chance beta' that
   is tossed only if one of chance tau falls; who is left out by the latter may be told. *)
Section Beta.

Variables (R : realFieldType) (E beta beta' : R).
Hypothesis E1 : 1 <= E.
Hypothesis less : 0 <= beta <= beta'.
Hypothesis beta'01 : 0 < beta' <= 1.

Let tau := beta / beta'.
Let table n := binomial_law n beta.
Let table' n := binomial_law n beta'.

Lemma tau01 : 0 <= tau <= 1.
Proof.
have [/andP[b0 bb] /andP[b'0 _]] := (less, beta'01).
by rewrite divr_ge0 ?(ltW b'0) //= ler_pdivr_mulr // mul1r.
Qed.

Lemma tossed_twice : counted beta = tau *: counted beta' + (1 - tau) *: 1.
Proof.
have [b'0 _] := andP beta'01; have tauE : tau * beta' = beta by rewrite divfK ?gt_eqF.
rewrite /counted scalerDr scalerA tauE addrAC -!mul_polyC mulr1 -!rmorphM -rmorphD /=.
by congr (_%:P + _); rewrite mulrBr mulr1 tauE; ring.
Qed.

Lemma tables n b : binomial_law n b = counted b ^+ n :> {poly R}.
Proof. by rewrite binomial_coins /counts prodr_const card_ord. Qed.

Lemma table_mix n : table n = \sum_(i < n.+1) (binomial_law n tau)`_i *: table' i.
Proof.
rewrite /table tables tossed_twice -[n in LHS]card_ord -prodr_const prod_mix card_ord.
by apply: eq_bigr => i _; rewrite binomial_coins expr1n mulr1 /table' tables.
Qed.

Lemma hide_sum (I : finType) j (w : I -> R) (g : I -> {poly R}) :
  hide j (\sum_i w i *: g i) = \sum_i w i *: hide j (g i).
Proof.
apply/polyP => -[|x]; rewrite coef_sum.
  rewrite hide_0; under [RHS]eq_bigr do rewrite coefZ hide_0 mulr_sumr.
  rewrite exchange_big /=; apply: eq_bigr => x _; rewrite coef_sum.
  by apply: eq_bigr => i _; rewrite coefZ.
rewrite hide_S; under [RHS]eq_bigr do rewrite coefZ hide_S.
case: ifP => _; last by rewrite big1 // => i _; rewrite mulr0.
by rewrite coef_sum; apply: eq_bigr => i _; rewrite coefZ.
Qed.

Lemma hide_ge0 j (f : {poly R}) : nonneg f -> nonneg (hide j f).
Proof. by move=> f0 [|i]; rewrite ?hide_0 ?sumr_ge0 // hide_S; case: ifP. Qed.

(* What is told with chance tau only. *)
Lemma hockey_rarely (f g h : {poly R}) : nonneg f ->
  hockey E (tau *: g + (1 - tau) *: f) (tau *: h + (1 - tau) *: f) <= tau * hockey E g h.
Proof.
have /andP[t0 t1] := tau01; move=> f0.
pose pick x (k : {poly R}) := if x then k else f.
have mix := @hockey_mix R bool_finType E (fun x => if x then tau else 1 - tau) (pick^~ g) (pick^~ h).
rewrite !big_bool /= in mix; apply: le_trans (mix _) _; first by case; rewrite ?subr_ge0.
rewrite [X in _ + (1 - tau) * X](_ : _ = 0) ?mulr0 ?addr0 //.
by rewrite /hockey big1 // => i _; apply: pos_eq0; rewrite subr_le0 ler_pemull.
Qed.

Theorem sampled_beta D j n :
  ((forall m, hockey E (hide j (table' m.+1)) (hide j (table' m)) <= D) ->
    hockey E (hide j (table n.+1)) (hide j (table n)) <= beta / beta' * D) /\
  ((forall m, hockey E (hide j (table' m)) (hide j (table' m.+1)) <= D) ->
    hockey E (hide j (table n)) (hide j (table n.+1)) <= beta / beta' * D).
Proof.
have /andP[t0 t1] := tau01; have b'01 : 0 <= beta' <= 1 by case/andP: beta'01 => /ltW ->.
have law_table m : law (table' m) by rewrite /table' tables; apply/law_exp/law_counted.
pose w i := (binomial_law n tau)`_i; pose t m := hide j (table' m).
have w0 i : 0 <= w i by rewrite /w tables; have [] := law_exp n (law_counted tau01).
have without : hide j (table n) = \sum_(i < n.+1) w i *: (tau *: t i + (1 - tau) *: t i).
  by rewrite table_mix hide_sum; apply: eq_bigr => i _; rewrite -scalerDl addrC subrK scale1r.
have with_it : hide j (table n.+1) = \sum_(i < n.+1) w i *: (tau *: t i.+1 + (1 - tau) *: t i).
  have -> : table n.+1 = \sum_(i < n.+1) w i *: (tau *: table' i.+1 + (1 - tau) *: table' i).
    have -> : table n.+1 = counted beta * table n by rewrite /table !tables exprS.
    rewrite tossed_twice mulrDl -!scalerAl mul1r table_mix mulr_sumr !scaler_sumr.
    rewrite -big_split /=; apply: eq_bigr => i _.
    rewrite -/(w i) -scalerAr /table' !tables exprS scalerDr.
    by rewrite !scalerA -!mul_polyC !rmorphM /=; ring.
  rewrite hide_sum; apply: eq_bigr => i _; congr (_ *: _).
  have := @hide_sum bool_finType j (fun x : bool => if x then tau else 1 - tau)
    (fun x : bool => if x then table' i.+1 else table' i).
  by rewrite !big_bool.
have t_ge0 m : nonneg (t m) by apply: hide_ge0; have [] := law_table m.
have total : \sum_(i < n.+1) w i = 1.
  have [_ <-] := law_exp n (law_counted tau01).
  rewrite -tables (@horner_coef_wide _ n.+1) ?size_poly //.
  by apply: eq_bigr => i _; rewrite expr1n mulr1.
have average (F : 'I_n.+1 -> R) : (forall i, F i <= beta / beta' * D) ->
    \sum_(i < n.+1) w i * F i <= beta / beta' * D.
  move=> le; rewrite -[leRHS]mul1r -{1}total mulr_suml; apply: ler_sum => i _.
  exact: ler_wpmul2l.
split=> le; rewrite without with_it; apply: le_trans (hockey_mix _ _ _ (fun i : 'I_n.+1 => w0 i)) _;
  apply: average => i; apply: le_trans (hockey_rarely _ _ (t_ge0 i)) (ler_wpmul2l t0 (le i)).
Qed.

End Beta.

(* R6: each record follows a law kappa with chance b_i and any other law otherwise. Who follows it is
   told, and so are the others: the rest hides no worse than draws from kappa. *)
Section LeastLaw.

Variables (R : realFieldType) (I : finType) (b : I -> R) (kappa : {poly R}) (zeta : I -> {poly R}).
Hypothesis b01 : forall i, 0 <= b i <= 1.
Hypothesis laws : forall i, law (zeta i).

Let sum := \prod_i (b i *: kappa + (1 - b i) *: zeta i).

(* For any two moves, v and u. *)
Lemma least_told E (v u : {poly R}) :
  hockey E (v * sum) (u * sum)
  <= mean (fun j => hockey E (v * kappa ^+ j) (u * kappa ^+ j)) (counts b).
Proof.
have -> : sum = \prod_i (b i *: (kappa * 1) + (1 - b i) *: zeta i).
  by apply: eq_bigr => i _; rewrite mulr1.
have both i : law (1 : {poly R}) /\ law (zeta i) by split; [apply: law1 | apply: laws].
apply: le_trans (parts_told E (fun=> kappa) v u b01 both) _.
by rewrite mean_sets; apply: ler_sum => L _; rewrite prodr_const.
Qed.

Theorem least_law E s :
  hockey E sum ('X^s * sum)
    <= mean (fun j => hockey E (kappa ^+ j) ('X^s * kappa ^+ j)) (counts b) /\
  hockey E ('X^s * sum) sum
    <= mean (fun j => hockey E ('X^s * kappa ^+ j) (kappa ^+ j)) (counts b).
Proof.
split.
  have := least_told E 1 'X^s; rewrite mul1r => /le_trans -> //.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP/eq_mean => j; rewrite mul1r.
have := least_told E 'X^s 1; rewrite mul1r => /le_trans -> //.
by rewrite le_eqVlt; apply/orP; left; apply/eqP/eq_mean => j; rewrite mul1r.
Qed.

End LeastLaw.
