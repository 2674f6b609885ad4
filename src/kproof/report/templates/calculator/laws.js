// Laws that no formula is for: binomial masses and their sums, and the profiles of uniform blocks.

// The masses of Bin(n, p) from the mode outwards, by the ratios of neighbours, in pairs of doubles;
// then their sums from either end. Nothing cancels, and what is off is off by 2^-80 at most.
class BinomialTable {
  constructor(n, p) {
    const q = sub(ONE, p), mode = Math.min(n, Math.floor((n + 1) * p.hi));
    const odds = mul(p, inverse(q)), against = mul(q, inverse(p));
    const right = walked(n - mode, odds, (step) => [n - mode - step, mode + step + 1]);
    const left = walked(mode, against, (step) => [mode - step, n - mode + step + 1]);
    this.n = n;
    this.first = mode - left.hi.length;
    this.last = mode + right.hi.length;
    const count = this.last - this.first + 1;
    const hi = new Float64Array(count), lo = new Float64Array(count);
    hi.set(left.hi.reverse());
    lo.set(left.lo.reverse());
    hi[left.hi.length] = 1;
    hi.set(right.hi, left.hi.length + 1);
    lo.set(right.lo, left.hi.length + 1);
    scale(hi, lo, inverse(summed(hi, lo, 1).last));
    this.below = summed(hi, lo, 1);
    this.above = summed(hi, lo, -1);
    this.mode = mode;
  }

  at(sums, place) {
    const hi = sums.hi[place];
    return num(hi, sums.lo[place], hi * 2 ** -80 + 1e-290);
  }

  // Pr[M <= x] and Pr[M >= x]; what lies beyond the table is next to nothing.
  atMost(x) {
    if (x < this.first) return x < 0 ? ZERO : num(0, 0, 1e-290);
    return x >= this.n ? ONE : this.at(this.below, Math.min(x, this.last) - this.first);
  }

  atLeast(x) {
    if (x > this.last) return x > this.n ? ZERO : num(0, 0, 1e-290);
    return x <= 0 ? ONE : this.at(this.above, Math.max(x, this.first) - this.first);
  }
}

// The masses beyond the mode, relative to it: each step is times odds and a quotient of integers.
function walked(most, odds, quotient) {
  const hi = [], lo = [];
  let high = 1, low = 0;
  for (let step = 0; step < most; step++) {
    const [top, bottom] = quotient(step);
    const p = high * odds.hi;
    const e = missed(high, odds.hi, p) + (high * odds.lo + low * odds.hi);
    const t = p * top, f = missed(p, top, t) + e * top;
    const r = t / bottom, s = r * bottom;
    const g = ((t - s) - missed(r, bottom, s) + f) / bottom;
    high = r + g;
    low = g - (high - r);
    if (high < 1e-300) break;
    hi.push(high);
    lo.push(low);
  }
  return { hi, lo };
}

function summed(hi, lo, way) {
  const sums = { hi: new Float64Array(hi.length), lo: new Float64Array(hi.length), last: null };
  let high = 0, low = 0;
  for (let i = way > 0 ? 0 : hi.length - 1; i >= 0 && i < hi.length; i += way) {
    const s = high + hi[i], v = s - high, e = (high - (s - v)) + (hi[i] - v) + (low + lo[i]);
    high = s + e;
    low = e - (high - s);
    sums.hi[i] = high;
    sums.lo[i] = low;
  }
  sums.last = num(high, low, high * 2 ** -82);
  return sums;
}

function scale(hi, lo, by) {
  for (let i = 0; i < hi.length; i++) {
    const p = hi[i] * by.hi, e = missed(hi[i], by.hi, p) + (hi[i] * by.lo + lo[i] * by.hi);
    hi[i] = p + e;
    lo[i] = e - (hi[i] - p);
  }
}

const tables = new Map();
function binomial(n, p) {
  const key = `${n} ${p.hi} ${p.lo}`;
  if (!tables.has(key)) {
    if (tables.size > 7) tables.delete(tables.keys().next().value);
    tables.set(key, new BinomialTable(n, p));
  }
  return tables.get(key);
}

// Pr[a <= M <= b] for M ~ Bin(n, p), by the tails on the side where they are small.
function between(a, b, n, p) {
  const from = Math.max(a.hi, 0), to = Math.min(b.hi, n.hi);
  if (to < from) return ZERO;
  const table = binomial(n.hi, p);
  if (to <= table.mode) return sub(table.atMost(to), table.atMost(from - 1));
  if (from > table.mode) return sub(table.atLeast(from), table.atLeast(to + 1));
  return sub(sub(ONE, table.atMost(from - 1)), table.atLeast(to + 1));
}

// The first of the whole numbers from..to for which a test holds that goes on holding; to + 1 if none.
function firstOf(from, to, test) {
  let low = from, high = to + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The exact delta of Bin(n, p) under a whole shift. The ratio of its masses falls, so that the worst
// event is x <= t in one direction and x >= t in the other. Any t gives no more than the truth.
function binomialProfile(n, p, shift, epsilon) {
  if (shift > n) return ONE;
  const factor = exp(epsilon), table = binomial(n, p);
  const odds = p.hi / sub(ONE, p).hi;
  const ratioAt = (x) => {
    let found = 1;
    for (let j = 0; j < shift; j++) found *= (odds * (n - x + 1 + j)) / (x - j);
    return found;
  };
  const last = firstOf(shift, n, (x) => ratioAt(x) < factor.hi) - 1;
  const first = firstOf(0, n - shift, (x) => ratioAt(x + shift) * factor.hi <= 1);
  let best = ZERO;
  for (let t = last - 1; t <= last + 1; t++) {
    best = larger(best, sub(table.atMost(t), mul(factor, table.atMost(t - shift))));
  }
  for (let t = first - 1; t <= first + 1; t++) {
    best = larger(best, sub(table.atLeast(t), mul(factor, table.atLeast(t + shift))));
  }
  return best;
}

// What a table is worth whose rows are kept with chance beta, cells of fewer than k kept rows being
// dropped (R7): the worst of all tables with a row more or less, in both directions.
function sampledProfile(k, beta, epsilon) {
  const factor = exp(epsilon), lost = sub(ONE, beta);
  const gamma = sub(ONE, mul(lost, inverse(factor)));
  const added = shownGain(k, beta, factor, worstRows(k, gamma));
  // The other direction falls with epsilon to 0. Where its worst table is larger than can be worked
  // out, it is at most what it is at a smaller epsilon.
  let falling = factor, share = sub(ONE, mul(lost, falling)), least = lower(added);
  if (upper(share) <= 0) return added;
  if (!(lower(share) > k / MOST_ROWS)) {
    share = whole(k / MOST_ROWS);
    falling = mul(sub(ONE, share), inverse(lost));
  } else least = null;
  const removed = hiddenGain(k, beta, falling, worstRows(k, share));
  if (least === null) return larger(added, removed);
  const top = Math.max(upper(added), upper(removed));
  return num((top + least) / 2, 0, ((top - least) / 2) * WIDER);
}

const MOST_ROWS = 1e6; // of one cell
const worstRows = (k, share) => floor(mul(whole(k - 1), inverse(share))).hi + 1;

// "Shown" with the victim's row among as many of a kind, less e^epsilon times "shown" without it.
function shownGain(k, beta, factor, rows) {
  if (rows === k) return power(beta, k);
  const mass = between(whole(k - 1), whole(k - 1), whole(rows - 1), beta);
  return sub(mul(beta, mass), mul(sub(factor, ONE), binomial(rows - 1, beta).atLeast(k)));
}

// "Hidden" without the victim's row, less e^epsilon times "hidden" with it.
function hiddenGain(k, beta, factor, rows) {
  const mass = between(whole(k - 1), whole(k - 1), whole(rows - 1), beta);
  return sub(mul(factor, mul(beta, mass)), mul(sub(factor, ONE), binomial(rows - 1, beta).atMost(k - 1)));
}

// Everything below is in single doubles: an operation is off by a relative 2^-53.
const EACH = 2 ** -53;
const FAR = 1e-60; // masses that are left out
const LOST = 1e-53; // more than all that are left out add up to, over all numbers of blocks

// D(epsilon) of a law whose masses rise to its middle and are mirrored there: `masses` go from the
// left to half a shift beyond the middle, each off by at most a relative `off`.
function mirroredProfile(masses, shift, asked, off, into, errors) {
  const sums = new Float64Array(masses.length);
  let sum = 0;
  for (let x = 0; x < masses.length; x++) sums[x] = sum += masses[x];
  let t = masses.length - 1;
  for (let i = 0; i < asked.factors.length; i++) {
    const factor = asked.factors[i];
    if (i > 0 && factor < asked.factors[i - 1]) t = masses.length - 1;
    while (t >= shift && masses[t] < factor * masses[t - shift]) t--;
    let head = 0;
    for (let x = Math.max(0, t - shift + 1); x <= t; x++) head += masses[x];
    const before = t >= shift ? asked.beyond[i] * sums[t - shift] : 0;
    into[i] = head - before;
    errors[i] = head * (off + (shift + 4) * EACH) + before * (off + (masses.length + 8) * EACH)
      + masses[t] * 4 * (off + 4 * EACH) + factor * LOST;
  }
}

// D_j for blocks of two points: Bin(j, 1/2), from its middle.
function pairProfile(j, shift, asked, into, errors) {
  if (j < shift) {
    into.fill(1);
    errors.fill(0);
    return;
  }
  const middle = Math.floor(j / 2), top = Math.floor((j + shift) / 2);
  let first = middle;
  for (let mass = 1; first > 0 && mass > FAR; first--) mass *= first / (j - first + 1);
  const masses = new Float64Array(top - first + 1);
  masses[middle - first] = 1;
  let total = 0;
  for (let x = middle; x > first; x--) total += masses[x - 1 - first] = (masses[x - first] * x) / (j - x + 1);
  for (let x = middle; x < top; x++) masses[x + 1 - first] = (masses[x - first] * (j - x)) / (x + 1);
  const all = 2 * total + (j % 2 ? 2 : 1);
  for (let i = 0; i < masses.length; i++) masses[i] /= all;
  mirroredProfile(masses, shift, asked, (4 * masses.length + 8) * EACH, into, errors);
}

// Sums of each of `count` values and the size - 1 before it, from positive terms alone: values are
// summed up from every multiple of size to the right, and to the left; a window is one of each.
function windowSums(values, count, size, left, sums) {
  for (let first = 0; first < count; first += size) {
    const last = Math.min(first + size, count) - 1;
    left[last] = values[last];
    for (let x = last - 1; x >= first; x--) left[x] = left[x + 1] + values[x];
  }
  for (let first = 0; first < count; first += size) {
    const end = Math.min(first + size, count);
    let right = 0;
    for (let x = first; x < end; x++) {
      right += values[x];
      const start = x - size + 1;
      sums[x] = start > 0 && start < first ? left[start] + right : right;
    }
  }
}

// How much is worked out while somebody drags: some twenty milliseconds each.
const MOST_MASSES = 2e5;
const PAIR_WORK = 3e5;

// The masses of 0, 1, ... blocks of m points, their left half, as far as the work allows: those of
// j + 1 blocks are sums over m neighbours of those of j blocks.
function blockMasses(m, most) {
  const rows = [{ masses: new Float64Array([1]), start: 0, off: 0 }];
  // Longer than any half law within that work: m is at most LIMITS.block.
  const scratch = Array.from({ length: 3 }, () => new Float64Array(2 ** 14));
  let work = 0;
  for (let j = 1; j <= most && work < MOST_MASSES; j++) {
    const before = rows[j - 1], middle = Math.floor((j * (m - 1)) / 2);
    const count = m - 1 + middle - before.start + 1;
    const [padded, left, sums] = scratch;
    padded.fill(0, 0, m - 1);
    mirrored(before, (j - 1) * (m - 1), middle, padded.subarray(m - 1));
    windowSums(padded, count, m, left, sums);
    let first = m - 1;
    while (first < count - 1 && sums[first] < FAR * m) first++;
    const masses = sums.slice(first, count);
    for (let x = 0; x < masses.length; x++) masses[x] /= m;
    rows.push({ masses, start: before.start + first - (m - 1), off: before.off + (m + 2) * EACH });
    work += count;
  }
  return rows;
}

function blockProfile({ masses, start, off }, j, m, shift, asked, into, errors) {
  const width = j * (m - 1);
  if (width < shift) {
    into.fill(1);
    errors.fill(0);
    return;
  }
  const whole = mirrored({ masses, start }, width, Math.floor((width + shift) / 2));
  mirroredProfile(whole, shift, asked, off, into, errors);
}

// Masses from the first to `last`, those beyond the middle of 0..width by mirroring.
function mirrored({ masses, start }, width, last, found = new Float64Array(last - start + 1)) {
  const count = Math.min(masses.length, last - start + 1), mirrors = Math.min(last, width - start);
  for (let x = 0; x < count; x++) found[x] = masses[x];
  for (let x = start + count; x <= mirrors; x++) found[x - start] = masses[width - x - start];
  for (let x = Math.max(mirrors + 1, start + count); x <= last; x++) found[x - start] = 0;
  return found;
}

// What does not change while n, p or beta do is kept.
const kept = new Map();
function remembered(key, work) {
  if (!kept.has(key)) {
    if (kept.size > 11) kept.delete(kept.keys().next().value);
    kept.set(key, work());
  }
  return kept.get(key);
}

// D_0, D_1, ... for blocks of m points, up to the next power of 2.
function profilesOf(m, shift, asked, high) {
  const most = 2 ** Math.ceil(Math.log2(high + 1));
  const rows = remembered(`masses ${m} ${most}`, () => blockMasses(m, most));
  return remembered(`profiles ${m} ${most} ${shift} ${asked.key}`, () => rows.map((row, j) => {
    const values = new Float64Array(asked.factors.length), errors = new Float64Array(values.length);
    blockProfile(row, j, m, shift, asked, values, errors);
    return { values, errors };
  }));
}

// E D_N(epsilon) for N ~ Bin(count, beta) uniform blocks of m points, at each epsilon that is asked.
// D_j falls as j rises: numbers of blocks are put together where there are many, between the D of
// both ends; beyond the last D that is worked out, it is at most that one.
function blocksBetween(count, beta, m, shift, asked) {
  const size = asked.factors.length;
  if (count < 1) return { found: asked.factors.map(() => ONE), parts: false };
  const sure = beta.hi === 1, table = sure ? null : binomial(count, beta);
  const weight = (a, b) => {
    if (sure) return Number(a <= count && count <= b);
    return between(whole(a), whole(b), whole(count), beta).hi;
  };
  let low = count, high = count;
  if (!sure) {
    low = firstOf(Math.max(table.first, 0), table.mode, (j) => table.atMost(j).hi > 1e-60);
    high = firstOf(table.mode, table.last, (j) => table.atLeast(j).hi < 1e-60);
    high = Math.min(high, count);
  }
  const least = new Float64Array(size), most = new Float64Array(size).fill(sure ? 0 : 2e-60);
  const rows = m === 2 ? null : profilesOf(m, shift, asked, high);
  const end = rows === null ? high : Math.min(high, rows.length - 1);
  const affordable = Math.max(32, Math.floor(PAIR_WORK / (9.3 * Math.sqrt(end) + 2 * size)));
  const stride = rows === null ? Math.ceil((end - low + 1) / affordable) : 1;
  const values = new Float64Array(size), errors = new Float64Array(size);
  const work = (j) => {
    if (rows !== null) return rows[j];
    pairProfile(j, shift, asked, values, errors);
    return { values, errors };
  };
  let before = 0;
  for (let j = Math.min(low, end); ; j = Math.min(j + stride, end)) {
    const { values: found, errors: off } = work(j);
    const last = j === end;
    const after = weight(j, last ? count : Math.min(j + stride, end) - 1);
    // From above, D_j counts for the numbers from j on; from below, for those before it, and its own
    // where no other is put with it.
    const own = (stride === 1 || last) && !(last && high > end) ? after : 0;
    for (let i = 0; i < size; i++) {
      most[i] += after * (found[i] + off[i]);
      least[i] += (before + own) * Math.max(0, found[i] - off[i]);
    }
    before = stride === 1 ? 0 : after;
    if (last) break;
  }
  const slack = (end - Math.min(low, end) + 9) * 2 * EACH;
  const found = asked.factors.map((_, i) => {
    const top = most[i] * (1 + slack), bottom = Math.max(0, least[i] * (1 - slack) - 2e-60);
    return num((top + bottom) / 2, 0, ((top - bottom) / 2) * (1 + 2 ** -30));
  });
  return { found, parts: stride > 1 || high > end, reached: end };
}

// What is asked of all laws at once: e^epsilon and e^epsilon - 1, rounded.
function askedAt(epsilons) {
  return {
    key: epsilons.map((one) => one.hi).join(" "),
    factors: epsilons.map((one) => exp(one).hi),
    beyond: epsilons.map((one) => sub(exp(one), ONE).hi),
  };
}
