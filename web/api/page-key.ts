/**
 * What this page shows beside the cookie. Browsers send cookies to every port of a machine, so another server here could get
 * ours; what an origin keeps for itself stays with it.
 */
const place = "deckhand-page-key";

export function pageKey(): string {
  return localStorage.getItem(place) ?? "none";
}

export function keepPageKey(key: string): void {
  localStorage.setItem(place, key);
}
