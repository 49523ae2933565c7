/** `2.7 %`, with as many digits as say something; almost all is not all. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 99 && percent < 100) return `${Math.floor(percent * 10) / 10} %`;
  const digits = percent >= 10 ? 0 : percent >= 0.1 ? 1 : 2;
  return `${Number(percent.toFixed(digits))} %`;
}

/** A probability is never called certain. */
export function formatProbability(share: number): string {
  if (share > 0.999) return "more than 99.9 %";
  return share < 0.001 ? "less than 0.1 %" : formatShare(share);
}
