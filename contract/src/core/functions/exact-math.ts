// Logarithms, powers and angles made of + - * / and square roots only. Those are rounded the same way on every machine;
// the engine's own Math.log, Math.exp, Math.pow, Math.sin and the like may differ in their last bits between x64 and arm64.
// One such bit can decide who attaches where, and no rounding of the output mends that.

const float = new Float64Array(1);
/** Little-endian, as x64 and arm64 are: the second word holds sign and exponent. */
const words = new Uint32Array(float.buffer);

const ln2 = Math.LN2;
const sqrt2 = Math.SQRT2;
const log10Of2 = 0.3010299956639812;
const log2Of10 = 3.321928094887362;
const halfPi = 1.5707963267948966;
const tanOfPiBy8 = 0.41421356237309503;

/** 2^1023: logarithms of larger numbers are not wanted. */
const largest = 8.98846567431158e307;
const oddReciprocals = Float64Array.from({ length: 20 }, (_, n) => 1 / (2 * n + 1));

/** 2^n for every n that a normal number can have, at n + 1022. */
const powersOfTwo = Float64Array.from({ length: 2046 }, (_, index) => {
  words[0] = 0;
  words[1] = (index + 1) << 20;
  return float[0]!;
});

/** Natural logarithm of a positive normal number; -Infinity for anything smaller. */
export function ln(x: number): number {
  return log2(x) * ln2;
}

export function log10(x: number): number {
  return log2(x) * log10Of2;
}

export function log2(x: number): number {
  if (!(x >= 2.3e-308)) return -Infinity;
  if (x >= largest) return 1023;
  float[0] = x;
  let exponent = (words[1]! >>> 20) - 1023;
  // Exact, and faster than to write the exponent and to read the number again.
  let mantissa = x * powersOfTwo[1022 - exponent]!;
  if (mantissa > sqrt2) {
    mantissa *= 0.5;
    exponent++;
  }
  const s = (mantissa - 1) / (mantissa + 1);
  const z = s * s;
  // atanh(s), whose terms shrink by 0.03 each.
  const high4 = 1 / 13 + z * (1 / 15 + z * (1 / 17 + z * (1 / 19 + z * (1 / 21))));
  const low = 1 / 3 + z * (1 / 5 + z * (1 / 7 + z * (1 / 9 + z * (1 / 11 + z * high4))));
  return exponent + ((2 * s) / ln2) * (1 + z * low);
}

/** 2^x; beyond what a normal number holds it stays at the nearest one. */
export function exp2(x: number): number {
  if (x <= -1022) return powersOfTwo[0]!;
  if (x >= 1023) return powersOfTwo[2045]!;
  const whole = Math.round(x);
  const f = (x - whole) * ln2;
  const high = 1 / 5040 + f * (1 / 40320 + f * (1 / 362880 + f * (1 / 3628800 + f * (1 / 39916800 + f / 479001600))));
  const low = 1 + f * (1 + f * (0.5 + f * (1 / 6 + f * (1 / 24 + f * (1 / 120 + f * (1 / 720 + f * high))))));
  return low * powersOfTwo[whole + 1022]!;
}

export function exp(x: number): number {
  return exp2(x / ln2);
}

/** The base must be positive. */
export function pow(base: number, exponent: number): number {
  return exp2(exponent * log2(base));
}

export function toDb(ratio: number): number {
  return 10 * log10(ratio);
}

export function fromDb(db: number): number {
  return exp2(db * (log2Of10 / 10));
}

/** For angles of everyday size: the error grows with the number of turns. */
export function sin(radians: number): number {
  const quarters = Math.round(radians / halfPi);
  const rest = radians - quarters * halfPi;
  switch (quarters & 3) {
    case 0:
      return sinNearZero(rest);
    case 1:
      return cosNearZero(rest);
    case 2:
      return -sinNearZero(rest);
    default:
      return -cosNearZero(rest);
  }
}

export function cos(radians: number): number {
  return sin(radians + halfPi);
}

export function atan(x: number): number {
  if (x < 0) return -atan(-x);
  if (x > 1) return halfPi - atan(1 / x);
  if (x > tanOfPiBy8) return halfPi / 2 - atan((1 - x) / (1 + x));
  const z = x * x;
  let sum = 0;
  for (let n = oddReciprocals.length - 1; n >= 0; n--) sum = oddReciprocals[n]! - z * sum;
  return x * sum;
}

/** The angle of the point (x, y) from the x axis, -π to π; 0 for the origin. */
export function atan2(y: number, x: number): number {
  if (x > 0) return atan(y / x);
  if (x < 0) return y < 0 ? atan(y / x) - 2 * halfPi : atan(y / x) + 2 * halfPi;
  if (y === 0) return 0;
  return y > 0 ? halfPi : -halfPi;
}

/** The length of (x, y); for lengths of everyday size. */
export function hypot(x: number, y: number): number {
  return Math.sqrt(x * x + y * y);
}

export function radians(degrees: number): number {
  return degrees * (halfPi / 90);
}

export function degrees(angle: number): number {
  return angle * (90 / halfPi);
}

/** As values leave the model: four decimals by default, and never a negative zero. */
export function rounded(value: number, digits = 4): number {
  const scale = scales[digits]!;
  return Math.round(value * scale) / scale + 0;
}

const scales = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

function sinNearZero(x: number): number {
  const z = x * x;
  const high = 1 / 362880 - z * (1 / 39916800 - z * (1 / 6227020800 - z / 1307674368000));
  return x * (1 - z * (1 / 6 - z * (1 / 120 - z * (1 / 5040 - z * high))));
}

function cosNearZero(x: number): number {
  const z = x * x;
  const high = 1 / 40320 - z * (1 / 3628800 - z * (1 / 479001600 - z * (1 / 87178291200 - z / 20922789888000)));
  return 1 - z * (0.5 - z * (1 / 24 - z * (1 / 720 - z * high)));
}
