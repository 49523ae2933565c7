/** About how many characters a JSON value holds. */
export function weighValue(value: unknown): number {
  if (typeof value === "string") return value.length + 8;
  if (typeof value !== "object" || value === null) return 8;
  let weight = 8;
  if (Array.isArray(value)) for (const item of value) weight += weighValue(item);
  else for (const key of Object.keys(value)) weight += key.length + weighValue((value as Record<string, unknown>)[key]);
  return weight;
}
