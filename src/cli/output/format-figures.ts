/** `950`, `12.3k`, `1.2M`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(Math.round(tokens));
  if (tokens < 999_950) return `${Number((tokens / 1000).toFixed(1))}k`;
  return `${Number((tokens / 1_000_000).toFixed(1))}M`;
}

/** US dollars; small amounts with as many digits as say something. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return "$0";
  if (dollars < 0.0001) return "<$0.0001";
  return dollars < 0.1 ? `$${dollars.toFixed(4)}` : `$${dollars.toFixed(2)}`;
}

export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_950) return `${Number((bytes / 1000).toFixed(1))} kB`;
  return `${Number((bytes / 1_000_000).toFixed(1))} MB`;
}

export function percentOf(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round((part / whole) * 100);
}

/** `1 call`, `2 calls`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const frameMs = 100;

/** The picture of this moment: all spinners turn together. */
export function spinnerAt(now: number): string {
  return frames[Math.floor(now / frameMs) % frames.length] ?? "";
}
