/** How many calls took how long, in steps of 3 %: from half a millisecond to a quarter of an hour. */
export type LatencyBins = number[];

const binCount = 480;
const step = 0.03;
const lowest = Math.log(0.5);
const endless = binCount - 1;

export function createLatencyBins(): LatencyBins {
  return Array.from({ length: binCount }, () => 0);
}

/** A call that ran into its time limit has an endless latency: whoever had waited would still be waiting. */
export function countLatency(bins: LatencyBins, latencyMs: number): void {
  const bin = binOf(latencyMs);
  bins[bin] = (bins[bin] as number) + 1;
}

/** The latency that a share of the calls stays below; NaN if there are none. */
export function quantileOf(bins: LatencyBins, share: number): number {
  const calls = bins.reduce((sum, count) => sum + count, 0);
  if (calls === 0) return Number.NaN;
  const wanted = (1 - share) * calls;
  let above = 0;
  for (let bin = endless; bin >= 0; bin--) {
    const count = bins[bin] as number;
    if (count > 0 && above + count > wanted) {
      return bin === endless ? Infinity : edgeOf(bin + 1 - (wanted - above) / count);
    }
    above += count;
  }
  return edgeOf(0);
}

/** How many calls took longer; of the bin that the latency lies in, the part above it. */
export function countAbove(bins: LatencyBins, latencyMs: number): number {
  if (latencyMs === Infinity) return bins[endless] as number;
  const position = (Math.log(latencyMs) - lowest) / step;
  const own = Math.min(Math.floor(position), endless);
  if (own === endless) return bins[endless] as number;
  let above = 0;
  for (let bin = endless; bin > own && bin >= 0; bin--) above += bins[bin] as number;
  return own >= 0 ? above + (bins[own] as number) * (own + 1 - position) : above;
}

function binOf(latencyMs: number): number {
  if (latencyMs === Infinity) return endless;
  const bin = Math.floor((Math.log(Math.max(latencyMs, 0.5)) - lowest) / step);
  return Math.min(bin, endless - 1);
}

function edgeOf(bin: number): number {
  return Math.exp(lowest + bin * step);
}
