/** The next or previous of a list; none beyond its ends, the first when nothing is chosen yet. */
export function neighbourOf<Item extends { readonly id: string }>(
  items: readonly Item[],
  id: string | undefined,
  step: 1 | -1,
): Item | undefined {
  const index = items.findIndex((item) => item.id === id);
  if (index === -1) return items[0];
  return items[index + step];
}
