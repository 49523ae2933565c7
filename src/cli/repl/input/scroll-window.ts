/** At most `most` of the items, so that the one at `index` is among them, and where they begin. */
export function windowAround<Item>(
  items: readonly Item[],
  index: number,
  most: number,
): { readonly items: readonly Item[]; readonly from: number } {
  const room = Math.max(1, most);
  if (items.length <= room) return { items, from: 0 };
  const from = Math.min(Math.max(0, index - Math.floor(room / 2)), items.length - room);
  return { items: items.slice(from, from + room), from };
}
