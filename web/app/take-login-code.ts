/** The one-time code in the address (`/#code=…`), which is then gone from it. */
export function takeLoginCode(
  place: { readonly hash: string; readonly pathname: string; readonly search: string },
  history: { replaceState(state: null, unused: string, url: string): void },
): string | undefined {
  const code = new URLSearchParams(place.hash.replace(/^#/, "")).get("code");
  if (code === null || code === "") return undefined;
  history.replaceState(null, "", place.pathname + place.search);
  return code;
}
