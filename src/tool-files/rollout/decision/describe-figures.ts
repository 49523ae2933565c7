/** "1.2 %", with as many digits as say something. */
export function percent(share: number): string {
  const value = share * 100;
  const digits = value >= 10 || Number.isInteger(value) ? 0 : value >= 0.095 || value === 0 ? 1 : 2;
  return `${value.toFixed(digits)} %`;
}

/** A probability is never called certain. */
export function probability(share: number): string {
  if (share > 0.999) return "more than 99.9 %";
  if (share < 0.001) return "less than 0.1 %";
  return percent(share);
}

export function times(logOdds: number): string {
  const odds = Math.exp(Math.min(logOdds, 20));
  return odds >= 1e6 ? "over a million" : odds >= 10 ? integer(odds) : odds.toFixed(1);
}

export function integer(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

export function several(count: number, noun: string): string {
  return `${integer(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** "4.2 ms", "47 ms", "1,250 ms". */
export function milliseconds(value: number): string {
  return `${value < 10 && !Number.isInteger(value) ? value.toFixed(1) : integer(value)} ms`;
}

const units: readonly (readonly [string, number])[] = [
  ["day", 24 * 60 * 60_000],
  ["hour", 60 * 60_000],
  ["minute", 60_000],
];

export function duration(milliseconds: number): string {
  for (const [noun, length] of units) {
    if (milliseconds >= length * 0.95) return several(Math.round(milliseconds / length) || 1, noun);
  }
  return "a minute";
}
