/** `1 call`, `2 calls`, `12,000 calls` */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** `812 B`, `3.4 kB`, `1.2 MB` */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 4);
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${["B", "kB", "MB", "GB", "TB"][power]}`;
}

const numbers = new Intl.NumberFormat("en");
