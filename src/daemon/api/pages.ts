/** A list as the API gives it. */
export interface Page<Item = unknown> {
  readonly items: readonly Item[];
  /** The way to the next page; null when this is the last. */
  readonly next: string | null;
}

export function wholePage(items: readonly unknown[]): Page {
  return { items, next: null };
}

/** `limit` were asked for: fewer mean that there are no more. */
export function pageOf<Item extends { readonly id: string }, Shown>(
  found: readonly Item[],
  limit: number,
  show: (item: Item) => Shown,
): Page<Shown> {
  return { items: found.map(show), next: found.length < limit ? null : (found.at(-1)?.id ?? null) };
}
