/** `/api/calls?tool=bash`: what is empty is left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | null | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") parameters.set(key, String(value));
  }
  const text = parameters.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** `/api/tools/:name` with the name in it, whatever is in the name. */
export function pathTo(...segments: readonly string[]): string {
  // A path with a dot is a file to the daemon.
  return `/${segments.map((segment) => encodeURIComponent(segment).replaceAll(".", "%2E")).join("/")}`;
}
