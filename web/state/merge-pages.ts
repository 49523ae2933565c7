import type { List } from "../api/types.ts";

/**
 * A first page that was fetched anew, before the older items that are already there. When so much happened meanwhile
 * that they do not meet, the older ones go: a list must not have a hole in it.
 */
export function mergePages<Item extends { readonly id: string }>(
  first: List<Item>,
  known: readonly Item[],
  knownNext: string | null,
): List<Item> {
  const last = first.items.at(-1);
  // A search that has looked through as much as it may at once, and found nothing there.
  if (last === undefined && first.next !== null && known.length > 0) return { items: known, next: knownNext };
  const meeting = last === undefined ? -1 : known.findIndex(({ id }) => id === last.id);
  // A last page is all there is.
  if (meeting < 0 || first.next === null) return first;
  const older = known.slice(meeting + 1);
  return { items: [...first.items, ...older], next: older.length === 0 ? first.next : knownNext };
}
