/**
 * How often to repeat: few for `npm test` and CI, many where DECKHAND_FULL=1 (`npm run prove`). DECKHAND_REPEAT is a factor in
 * between (`npm run prove -- strengths`).
 */
export function count({ quick, full }: { quick: number; full: number }): number {
  if (process.env["DECKHAND_FULL"] === "1") return full;
  return Math.max(quick, Math.min(full, quick * Number(process.env["DECKHAND_REPEAT"] ?? 1)));
}
