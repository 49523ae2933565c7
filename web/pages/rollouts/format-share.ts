/** `1.1 %`; a little is never shown as nothing, nor almost all as all. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  if (percent < 100 && percent > 99.9) return "> 99.9 %";
  if (percent < 100 && percent > 99) return `${Math.floor(percent * 10) / 10} %`;
  return `${Number(percent.toFixed(percent < 10 ? 1 : 0))} %`;
}
