// Numbers that know how far they may be off: hi + lo, two doubles, within err of the truth.
//
// Every operation is exact to some 100 bits (error-free sums and products of doubles, after Dekker
// and Knuth) and adds its own error to those of its inputs. What a browser is trusted with is that
// + - * / and Math.sqrt round as IEEE 754 says; no value of Math.exp or Math.log is taken as it is.

const U = 2 ** -98; // more than any operation below is off, relatively
const LEAST = 2 ** -1000; // more than is lost where doubles run out of exponents
const WIDER = 1 + 2 ** -40; // errors are themselves rounded

class NoValue extends Error {} // The formula has no real value there.
class Doubt extends Error {} // Two doubles do not decide.

const num = (hi, lo, err) => ({ hi, lo, err });
const whole = (value) => num(value, 0, 0);
const ZERO = whole(0);
const ONE = whole(1);
const lower = (a) => (a.hi + a.lo - a.err) - Math.abs(a.hi) * 2 ** -51 * (a.err > 0 || a.lo !== 0);
const upper = (a) => (a.hi + a.lo + a.err) + Math.abs(a.hi) * 2 ** -51 * (a.err > 0 || a.lo !== 0);

function settled(hi, lo, err) {
  const sum = hi + lo;
  return num(sum, lo - (sum - hi), err * WIDER);
}

function add(a, b) {
  const s = a.hi + b.hi, v = s - a.hi, e = (a.hi - (s - v)) + (b.hi - v);
  const t = a.lo + b.lo, w = t - a.lo, f = (a.lo - (t - w)) + (b.lo - w);
  const c = e + t, high = s + c, low = f + (c - (high - s));
  return settled(high, low, a.err + b.err + U * Math.abs(high));
}

const minus = (a) => num(-a.hi, -a.lo, a.err);
const sub = (a, b) => add(a, minus(b));

const SPLIT = 2 ** 27 + 1;

// The rounding error of the product p of two doubles.
function missed(x, y, p) {
  const c = SPLIT * x, high = c - (c - x), low = x - high;
  const d = SPLIT * y, top = d - (d - y), rest = y - top;
  return ((high * top - p) + high * rest + low * top) + low * rest;
}

function mul(a, b) {
  const p = a.hi * b.hi, e = missed(a.hi, b.hi, p) + (a.hi * b.lo + a.lo * b.hi);
  const off = Math.abs(a.hi) * b.err + Math.abs(b.hi) * a.err + a.err * b.err;
  const least = p === 0 && off === 0 && (a.hi === 0 || b.hi === 0) ? 0 : LEAST;
  return settled(p, e, off * WIDER + U * Math.abs(p) + least);
}

function inverse(a) {
  if (a.hi === 0 && a.err === 0) throw new NoValue("division by zero");
  const size = Math.abs(a.hi) * (1 - 2 ** -50) - a.err;
  if (!(size > 0)) throw new Doubt("the sign of the divisor");
  const q = 1 / a.hi, p = q * a.hi;
  const rest = (1 - p) - missed(q, a.hi, p) - q * a.lo;
  const power = Math.abs(a.hi) === 2 ** Math.round(Math.log2(Math.abs(a.hi))) && a.lo === 0;
  return settled(q, rest / a.hi, a.err / size / size + (power ? 0 : U * Math.abs(q)) + LEAST * (a.err > 0 || !power));
}

function power(a, exponent) {
  if (exponent < 0) return inverse(power(a, -exponent));
  let result = null;
  for (let base = a, left = exponent; left > 0; base = mul(base, base), left = Math.floor(left / 2)) {
    if (left % 2) result = result === null ? base : mul(result, base);
    if (left === 1) break;
  }
  return result === null ? ONE : result;
}

function sqrt(a) {
  if (a.hi === 0 && a.err === 0) return ZERO;
  if (upper(a) < 0) throw new NoValue("root of a negative number");
  if (!(lower(a) > 0)) throw new Doubt("the sign under a root");
  const r = Math.sqrt(a.hi), p = r * r;
  const rest = ((a.hi - p) - missed(r, r, p) + a.lo) / (2 * r);
  return settled(r, rest, a.err / Math.sqrt(lower(a)) + U * r);
}

const larger = (a, b) => joined(a, b, 1);
const smaller = (a, b) => joined(a, b, -1);

function joined(a, b, sign) {
  const gap = sub(a, b), first = sign * (gap.hi + gap.lo) >= 0;
  const [one, other] = first ? [a, b] : [b, a];
  // Where they overlap, the other one may be the larger by what both errors allow.
  const doubt = Math.abs(gap.hi) <= gap.err ? other.err + gap.err : 0;
  return num(one.hi, one.lo, Math.max(one.err, doubt));
}

// A number from digits: "3", "10" is 3/10.
const ratios = new Map();
function ratio(top, bottom) {
  const key = `${top}/${bottom}`;
  if (!ratios.has(key)) ratios.set(key, ofRational({ top: BigInt(top), bottom: BigInt(bottom) }));
  return ratios.get(key);
}

const bitsOf = (n) => n.toString(2).length;

function ofRational({ top, bottom }) {
  const negative = top < 0n, size = negative ? -top : top;
  if (size === 0n) return ZERO;
  const shift = 170 - bitsOf(size) + bitsOf(bottom);
  const scaled = shift >= 0 ? (size << BigInt(shift)) / bottom : size / (bottom << BigInt(-shift));
  const exact = scaled * bottom === (shift >= 0 ? size << BigInt(shift) : size);
  const head = Number(scaled), tail = Number(scaled - BigInt(head)), unit = 2 ** -shift;
  const rest = scaled - BigInt(head) - BigInt(tail);
  const sign = negative ? -1 : 1;
  const err = exact && rest === 0n ? 0 : head * unit * 2 ** -104;
  return num(sign * head * unit, sign * tail * unit, err);
}

// exp: whole multiples of ln 2 and of 1/512 apart, what is left has a short series.
const LN2 = [0.6931471805599453, 2.319046813846299e-17, 5.707708438416212e-34];
const FACTORIALS = Array.from({ length: 12 }, (_, i) => {
  let product = 1n;
  for (let j = 2n; j <= BigInt(i); j++) product *= j;
  return ratio("1", String(product));
});

function exp(a) {
  if (a.hi === 0 && a.err === 0) return ONE;
  if (a.hi > 650) throw new Doubt("an exponential beyond doubles");
  if (a.hi < -700) return num(0, 0, Math.exp(Math.min(upper(a), -690)) * 2 + LEAST);
  const k = Math.round(a.hi / LN2[0]);
  const ln2 = num(LN2[0], LN2[1], 0);
  const reduced = sub(sub(num(a.hi, a.lo, 0), mul(whole(k), ln2)), whole(k * LN2[2]));
  const r = num(reduced.hi / 512, reduced.lo / 512, 0);
  // exp(r) - 1, so that squaring nine times loses little.
  let sum = FACTORIALS[9];
  for (let i = 8; i >= 1; i--) sum = add(FACTORIALS[i], mul(sum, r));
  let less = mul(sum, r);
  for (let i = 0; i < 9; i++) less = add(add(less, less), mul(less, less));
  const value = add(ONE, less), scale = 2 ** k;
  const spread = a.err === 0 ? 0 : Math.expm1(a.err) * (1 + 2 ** -30);
  const size = value.hi * scale;
  // The argument is off by 2^-104 |a|, the series and its squares by less than 2^-92.
  const own = size * (2 ** -90 + Math.abs(a.hi) * 2 ** -100);
  return num(value.hi * scale, value.lo * scale, (size * spread + own + LEAST) * WIDER);
}

function log(a) {
  if (a.hi === 1 && a.lo === 0 && a.err === 0) return ZERO;
  if (upper(a) <= 0) throw new NoValue("logarithm of a number that is not positive");
  if (!(lower(a) > 0)) throw new Doubt("the sign under a logarithm");
  // A step of Newton's doubles the digits: y + a exp(-y) - 1 is off by half the square of its step.
  const y = whole(Math.log(a.hi));
  const step = sub(mul(num(a.hi, a.lo, 0), exp(minus(y))), ONE);
  const found = add(y, sub(step, mul(whole(0.5), mul(step, step))));
  return num(found.hi, found.lo, (found.err + Math.abs(step.hi) ** 3 + a.err / lower(a)) * WIDER);
}

const PI = num(3.141592653589793, 1.2246467991473532e-16, 2 ** -108);
const HALF_ROOT = sqrt(whole(0.5));

const density = (x) => 0.3989422804014328 * Math.exp((-x * x) / 2);

// The standard normal distribution function, by the erfc of stdlib (see special.js).
function phi(x) {
  const y = mul(minus(x), HALF_ROOT);
  const tail = erfc(y.hi) / 2;
  // What y.lo adds, by the slope of erfc at y: far smaller than the digits that are kept.
  const lo = Math.abs(x.hi) < 38 ? -density(x.hi) * Math.SQRT2 * y.lo : 0;
  const slope = density(Math.max(0, Math.abs(x.hi) - x.err)) * (1 + 2 ** -20);
  // stdlib's erfc is off by less than 2^-52 of its value; taken is four times that.
  const own = tail * 2 ** -50 + Math.abs(lo) * 2 ** -20 + slope * (Math.abs(y.hi) + 1) * y.lo * y.lo;
  return settled(tail, lo, own + slope * (x.err + 2 * y.err) + 1e-300);
}

// Lambert's W of a positive number: Newton's method, then the truth on both sides.
function lambertw(x) {
  if (!(lower(x) > 0)) throw new NoValue("Lambert's W of a number that is not positive");
  let w = Math.log1p(x.hi);
  for (let i = 0; i < 60; i++) {
    const step = (w - x.hi * Math.exp(-w)) / (1 + w);
    w -= step;
    if (Math.abs(step) <= 4e-16 * w) break;
  }
  // One step more with twice the digits; w exp(w) rises, and its slope is at least 1.
  const at = whole(w);
  const found = sub(at, mul(sub(at, mul(x, exp(minus(at)))), inverse(add(ONE, at))));
  const exact = num(found.hi, found.lo, 0);
  const off = sub(mul(exact, exp(exact)), x);
  return num(found.hi, found.lo, (Math.abs(off.hi) + off.err) * WIDER);
}

// The whole part. Where two doubles do not decide it, it is `doubtful` which of two it is.
let doubtful = false;
function floor(a) {
  const nearest = Math.round(a.hi);
  const off = sub(a, whole(nearest));
  if (Math.abs(off.hi) <= off.err) {
    if (off.err > 1e-9) throw new Doubt("a whole part");
    doubtful = doubtful || off.err > 0;
    return whole(nearest);
  }
  return whole(off.hi > 0 ? nearest : nearest - 1);
}

// What is shown: digits never below the number (or never above it), so many of them.
function shown(value, digits, upward) {
  if (!Number.isFinite(value)) return upward ? "more than a double holds" : "no value";
  if (value === 0) return "0";
  // A double has finitely many digits: these are cut off, and one is added where that went inward.
  const [mantissa, exponent] = Math.abs(value).toExponential(60).split("e");
  const all = mantissa.replace(".", ""), rest = /[1-9]/.test(all.slice(digits));
  const head = BigInt(all.slice(0, digits)) + (rest && upward === value > 0 ? 1n : 0n);
  const [top, tens] = Number(`${head}e${Number(exponent) - digits + 1}`).toExponential().split("e");
  const sign = value < 0 ? "-" : "";
  if (Number(tens) < -3 || Number(tens) > 5) return `${sign}${top}e${Number(tens)}`;
  return sign + String(Number(`${top}e${tens}`));
}
