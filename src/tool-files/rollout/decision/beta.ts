/** What is known about a rate: as many failures and successes as were seen, real or assumed. Both above 0. */
export interface Beta {
  readonly failures: number;
  readonly successes: number;
}

/** Points and weights that stand for a rate's distribution; the weights add up to 1. */
export interface Grid {
  readonly rates: Float64Array;
  readonly weights: Float64Array;
  readonly logWeights: Float64Array;
}

const usualPoints = 64;

/**
 * In the logit the density p^a (1-p)^b is smooth and without edges, whatever the counts: equal steps then give nearly
 * exact sums for one failure as for a million.
 */
export function spreadBeta({ failures: a, successes: b }: Beta, points = usualPoints): Grid {
  const middle = Math.log(a / b);
  const width = Math.sqrt(1 / a + 1 / b);
  const from = middle - Math.max(9 * width, 16 / a);
  const step = (middle + Math.max(9 * width, 16 / b) - from) / (points - 1);
  const rates = new Float64Array(points);
  const weights = new Float64Array(points);
  const logWeights = new Float64Array(points);
  const peak = logDensity(middle, a, b);
  let sum = 0;
  for (let index = 0; index < points; index++) {
    const logit = from + index * step;
    const logWeight = logDensity(logit, a, b) - peak;
    rates[index] = 1 / (1 + Math.exp(-logit));
    logWeights[index] = logWeight;
    sum += Math.exp(logWeight);
  }
  const logSum = Math.log(sum);
  for (let index = 0; index < points; index++) {
    const logWeight = (logWeights[index] as number) - logSum;
    logWeights[index] = logWeight;
    weights[index] = Math.exp(logWeight);
  }
  return { rates, weights, logWeights };
}

function logDensity(logit: number, a: number, b: number): number {
  // log p = -log1p(e^-x) and log(1-p) = -log1p(e^x), each in the form that does not overflow.
  const logRate = logit < 0 ? logit - Math.log1p(Math.exp(logit)) : -Math.log1p(Math.exp(-logit));
  return a * logRate + b * (logRate - logit);
}

/** P(rate > limit). */
export function probabilityAbove({ failures: a, successes: b }: Beta, limit: number): number {
  if (limit <= 0) return 1;
  if (limit >= 1) return 0;
  const front = Math.exp(a * Math.log(limit) + b * Math.log1p(-limit) + logGamma(a + b) - logGamma(a) - logGamma(b));
  // The continued fraction converges fast on the side of the mean only.
  if (limit < (a + 1) / (a + b + 2)) return 1 - (front * continuedFraction(limit, a, b)) / a;
  return (front * continuedFraction(1 - limit, b, a)) / b;
}

/** Lentz's method for the incomplete beta function. */
function continuedFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / notZero(1 - ((a + b) * x) / (a + 1), tiny);
  let result = d;
  for (let m = 1; m <= 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / notZero(1 + even * d, tiny);
    c = notZero(1 + even / c, tiny);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / notZero(1 + odd * d, tiny);
    c = notZero(1 + odd / c, tiny);
    result *= d * c;
    if (Math.abs(d * c - 1) < 1e-12) break;
  }
  return result;
}

function notZero(value: number, tiny: number): number {
  return Math.abs(value) < tiny ? tiny : value;
}

const lanczos = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];

/** For x > 0. */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  let sum = 0.9999999999998099;
  for (const [index, part] of lanczos.entries()) sum += part / (x + index);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}
