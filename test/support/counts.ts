/** How often to repeat: few for `npm test` and CI, many where DECKHAND_FULL=1 (`npm run prove`). */
export function count({ quick, full }: { quick: number; full: number }): number {
  return process.env["DECKHAND_FULL"] === "1" ? full : quick;
}
