// What the page shows at a setting: each reading with its value or why it has none.

class Refused extends Error {
  constructor(field, text, need) {
    super(`${field} = ${text || "(nothing)"}: need ${need}`);
    this.field = field;
  }
}

// A number as typed: 0.3, 1e-3 and 1/3 are exact.
function typed(field, text, need) {
  const found = /^\s*(\d{0,30})(?:\.(\d{0,30}))?(?:e([+-]?\d{1,2}))?(?:\s*\/\s*(\d{1,30}))?\s*$/i.exec(text);
  if (!found || !(found[1] || found[2])) throw new Refused(field, text, need);
  const [, before, after = "", exponent = "0", below = "1"] = found;
  const tens = Number(exponent) - after.length;
  const top = BigInt(before + after) * 10n ** BigInt(Math.max(tens, 0));
  const bottom = BigInt(below) * 10n ** BigInt(Math.max(-tens, 0));
  if (bottom === 0n) throw new Refused(field, text, need);
  return { top, bottom, text: text.trim().replace(/\s/g, "") };
}

const atLeast = (value, least) => value.top >= BigInt(least) * value.bottom;
const atMost = (value, most) => value.top <= BigInt(most) * value.bottom;

function wholeIn(field, text, least, most) {
  const need = `a whole number from ${least} to ${most}`;
  const value = typed(field, text, need);
  if (value.top % value.bottom !== 0n || !atLeast(value, least) || !atMost(value, most)) {
    throw new Refused(field, text, need);
  }
  return Number(value.top / value.bottom);
}

const roundedUp = (share, n) => Number((share.top * BigInt(n) + share.bottom - 1n) / share.bottom);

// Everything about a setting that does not depend on epsilon.
//
// `fields` has the typed texts: about ("count", "sum" or "table"), n, p, k, s, epsilon, lambda1,
// lambda2, believed (a boolean), beta, block, rate.
function planned(fields) {
  const epsilon = typed("epsilon", fields.epsilon, `0 <= epsilon <= ${LIMITS.epsilon}`);
  if (!atMost(epsilon, LIMITS.epsilon)) throw new Refused("epsilon", fields.epsilon, `0 <= epsilon <= ${LIMITS.epsilon}`);
  if (fields.about === "table") return tablePlan(fields, epsilon);
  const n = wholeIn("n", fields.n, 1, LIMITS.n);
  const p = typed("p", fields.p, "0 < p < 1");
  const tiny = 10n ** 6n;
  if (p.top * tiny < p.bottom || (p.bottom - p.top) * tiny < p.bottom) {
    throw new Refused("p", fields.p, "a number from 0.000001 to 0.999999 here");
  }
  const k = wholeIn("k", fields.k, 1, n);
  const plan = { fields, n, p, k, epsilon, chance: ofRational(p) };
  return fields.about === "count" ? countPlan(plan) : sumPlan(plan);
}

function countPlan(plan) {
  const at = { n: whole(plan.n), p: plan.chance, k: whole(plan.k) };
  const of = FORMULAS["1"];
  const head = `kproof bound 1 --n ${plan.n} --p ${plan.p.text} --k ${plan.k}`;
  const command = `${head} --epsilon ${plan.epsilon.text}`;
  return {
    ...plan,
    about: "Theorem 1: no background information",
    readings: [
      reading("printed", "printed: the theorem as it stands in the paper", of.printed, at, command),
      reading("corrected", "corrected, in closed form (Hoeffding)", of.closed, at, `${command} --closed-form`),
      reading("exact", "exact, which is the corrected theorem C1", of.corrected, at, command),
    ],
    missing: { blocks: "Block bounds are about sums of records, not about a count that is at least k." },
  };
}

// A table whose rows are kept by coins.
function tablePlan(fields, epsilon) {
  const k = wholeIn("k", fields.k, 1, LIMITS.k);
  const rate = typed("rate", fields.rate, "0 < beta < 1");
  if (rate.top * 1000n < rate.bottom || (rate.bottom - rate.top) * 1000n < rate.bottom) {
    throw new Refused("rate", fields.rate, "a number from 0.001 to 0.999 here");
  }
  const beta = ofRational(rate), least = tried(() => power(beta, k));
  const command = `kproof bound release --k ${k} --beta ${rate.text} --epsilon ${epsilon.text}`;
  return {
    fields, k, epsilon,
    decades: 24,
    about: "R7: tables with one row more or less",
    readings: [
      {
        id: "floor", label: "floor: β^k, which no ε makes δ go below", command, conditions: [],
        says: (value) => `no ε makes it less than ${shown(lower(value), 4, false)}`,
        values: (epsilons) => epsilons.map(() => least),
      },
      {
        id: "exact", label: "exact: the worst of all tables", command, conditions: [], note: SCOPE,
        values: (epsilons) => epsilons.map((one) => tried(() => sampledProfile(k, beta, one))),
      },
    ],
    missing: {},
  };
}

function sumPlan(plan) {
  const { fields, n, p, k, chance } = plan;
  const s = wholeIn("s", fields.s, 1, LIMITS.s);
  const lambda1 = typed("lambda1", fields.lambda1, "0 <= lambda1 <= 1");
  if (!atMost(lambda1, 1)) throw new Refused("lambda1", fields.lambda1, "0 <= lambda1 <= 1");
  const lambda2 = typed("lambda2", fields.lambda2, "0 <= lambda2 < 1");
  if (lambda2.top >= lambda2.bottom) throw new Refused("lambda2", fields.lambda2, "0 <= lambda2 < 1");
  const dependent = lambda1.top > 0n, knows = lambda2.top > 0n;
  const unknown = n - roundedUp(lambda2, n);
  if (unknown < 1) throw new Refused("lambda2", fields.lambda2, `a fraction that leaves one of ${n} records unknown`);
  const tied = dependent ? roundedUp(lambda1, n) : 0;
  const neighbourhood = dependent ? Math.max(1, Math.min(unknown, tied)) : 1;
  const theorem = 2 + Number(dependent) + 2 * Number(knows);
  const of = FORMULAS[theorem];
  const coin = { n: whole(unknown), p: chance };
  const at = { n: whole(unknown), k: whole(k), s: whole(s), neighbourhood: whole(neighbourhood), lambda1: ofRational(lambda1) };
  for (const [name, moment] of Object.entries(COIN)) at[name] = moment(coin);
  at.kappa = whole(of.kappa);
  at.constant = CONSTANT(coin);
  at.epsilon1 = of.epsilon1(at);
  const asked = [
    `--shift ${s}`,
    ...(dependent ? [`--lambda1 ${lambda1.text}`] : []),
    ...(knows ? [`--lambda2 ${lambda2.text}`] : []),
    `--epsilon ${plan.epsilon.text}`,
  ].join(" ");
  const record = ["mean", "second", "third", "fourth"].map((name) => `--${name} ${p.text}`).join(" ");
  const command = `kproof bound ${theorem} --n ${n} ${record} --k ${k} ${asked}`;
  const readings = [], missing = {};
  const counting = unknown - tied;
  const blocks = blocksOf(plan, s, counting, command, asked, of.conditions.blocks);
  if (blocks.coin) {
    readings.push(
      reading("printed", "printed: the theorem as it stands in the paper", of.printed, at, command, true),
      reading("corrected", `corrected, for ${of.events}`, of.corrected, at, command),
    );
  } else {
    missing["printed, corrected, exact"] = "0/1 records have no such blocks, and of other records nothing else is said here.";
  }
  if (counting > 0) readings.push(blocks);
  else missing.blocks = "No record counts, since all that are unknown may depend on one another.";
  if (blocks.coin && neighbourhood > 1) {
    missing.exact = "The law of dependent records is not determined by their moments.";
  } else if (blocks.coin) {
    readings.push({
      id: "exact", label: "exact, for every event", command, conditions: of.conditions.exact,
      values: (epsilons) => epsilons.map((one) => tried(() => binomialProfile(unknown, chance, s, one))),
    });
  }
  const told = knows ? `${unknown} of ${n} records unknown` : `${n} records, none of them known`;
  const ties = neighbourhood > 1 ? `up to ${neighbourhood} may depend on one another` : "taken to be independent";
  const which = blocks.coin ? `, Theorem ${theorem}` : "";
  return { ...plan, about: `Level ${of.level}${which}: ${told}, ${ties}`, readings, missing };
}

// The block bound, of 0/1 records or of records that are believed to have some block mass; `coin`
// says whether they may be 0/1 records all the same.
function blocksOf(plan, s, counting, command, asked, conditions) {
  const { fields, chance } = plan;
  const believed = fields.believed;
  let beta, block = 2, shift = s, coin = true, said = "0/1 records have this block mass for two points";
  if (believed) {
    const mass = typed("beta", fields.beta, "0 < beta <= 1");
    if (mass.top === 0n || !atMost(mass, 1)) throw new Refused("beta", fields.beta, "0 < beta <= 1");
    block = wholeIn("block", fields.block, 2, LIMITS.block);
    if (mass.top * 10n ** 6n < mass.bottom) throw new Refused("beta", fields.beta, "a number from 0.000001 to 1 here");
    const near = mass.bottom - mass.top;
    if (near > 0n && near * 10n ** 6n < mass.bottom) throw new Refused("beta", fields.beta, "1, or a number up to 0.999999 here");
    beta = ofRational(mass);
    const { top, bottom } = plan.p, least = top * 2n <= bottom ? top : bottom - top;
    coin = block === 2 && s === 1 && mass.top * bottom <= 2n * least * mass.bottom;
    shift = 1; // A block that is believed in has its points a shift apart.
    const how = `--n ${plan.n} --block-mass ${mass.text} --block ${block}`;
    command = `kproof bound blocks ${how} ${asked}`;
    said = `whatever the records are, if each has block mass ${mass.text} for ${block} points ${s} apart`;
  } else {
    beta = mul(whole(2), smaller(chance, sub(ONE, chance)));
  }
  return {
    id: "blocks", label: `blocks, for every event: ${said}`, command, coin,
    conditions,
    values(epsilons) {
      const { found, parts, reached } = blocksBetween(counting, beta, block, shift, askedAt(epsilons));
      this.note = parts ? (block === 2
        ? "Numbers of blocks are put into parts here, which makes it a little larger than need be."
        : `Worked out for up to ${reached} blocks; more can only make it smaller, and the command goes on.`) : "";
      return found.map((value) => ({ value }));
    },
  };
}

function reading(id, label, of, at, command, own = false) {
  const found = { id, label, command, conditions: of.conditions || [], remark: of.remark };
  if (own) found.own = tried(() => of.epsilon(at));
  const failing = (inputs) => of.requires.flatMap((one) => {
    const gap = tried(() => sub(one.left(inputs), one.right(inputs)));
    const met = gap.value && (one.strict ? lower(gap.value) > 0 : lower(gap.value) >= 0);
    return met ? [] : [`${one.name} is not met`];
  });
  found.values = (epsilons) => epsilons.map((epsilon) => {
    const inputs = { ...at, epsilon };
    const why = failing(inputs);
    if (own) {
      if (!found.own.value) why.push(...found.own.why);
      else if (!(upper(found.own.value) <= lower(epsilon))) {
        why.push(`the theorem gives epsilon = ${shown(upper(found.own.value), 4, true)} and none smaller`);
      }
    }
    return why.length ? { value: null, why } : tried(() => of.delta(inputs));
  });
  return found;
}

function tried(work) {
  try {
    doubtful = false;
    const value = work();
    // Where a count is next to the end of the worst event, both ends have the same value.
    return { value: doubtful ? num(value.hi, value.lo, value.err + Math.abs(value.hi) * 2 ** -60) : value };
  } catch (error) {
    if (error instanceof NoValue) return { value: null, why: [`no value: ${error.message}`] };
    if (error instanceof Doubt) return { value: null, why: [`not decided in doubles: ${error.message}`] };
    throw error;
  }
}

// What was certified when the page was written, computed again: how many values there are, and the
// readings whose value is not the certified one within its error.
function compared(starting) {
  const differing = [];
  let count = 0;
  for (const { fields, values } of CHECKS) {
    const plan = planned({ ...starting, ...fields });
    for (const one of plan.readings) {
      const ends = values[one.id], [{ value }] = one.values([ofRational(plan.epsilon)]);
      count += 1;
      const within = ends === null || value === null
        ? ends === value
        : lower(value) <= Number(ends[1]) && upper(value) >= Number(ends[0]);
      if (!within) differing.push(one);
    }
  }
  return { count, differing };
}
