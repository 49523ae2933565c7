/** Anything that is found by method and path. */
export interface Routed {
  readonly method: "GET" | "POST";
  readonly path: string;
}

export type FoundRoute<Each extends Routed> =
  | { readonly kind: "found"; readonly route: Each; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: "other_method"; readonly allowed: readonly string[] }
  | { readonly kind: "unknown" };

/** Made once: a path that says a word wins over one that takes any. */
export function createRouter<Each extends Routed>(
  routes: readonly Each[],
): (method: string, path: string) => FoundRoute<Each> {
  const known = routes
    .map((route) => ({ route, parts: route.path.split("/") }))
    .sort((a, b) => firstWildcard(b.parts) - firstWildcard(a.parts));
  return (method, path) => {
    const given = path.split("/");
    const fitting = known.filter(({ parts }) => fits(parts, given));
    const chosen = fitting.find(({ route }) => route.method === method);
    if (chosen) return { kind: "found", route: chosen.route, params: takeParams(chosen.parts, given) };
    if (fitting.length === 0) return { kind: "unknown" };
    return { kind: "other_method", allowed: [...new Set(fitting.map(({ route }) => route.method))] };
  };
}

function firstWildcard(parts: readonly string[]): number {
  const at = parts.findIndex((part) => part.startsWith(":"));
  return at === -1 ? Number.MAX_SAFE_INTEGER : at;
}

function fits(parts: readonly string[], given: readonly string[]): boolean {
  if (parts.length !== given.length) return false;
  return parts.every((part, index) => (part.startsWith(":") ? given[index] !== "" : part === given[index]));
}

/** Throws a URIError where something is badly encoded. */
function takeParams(parts: readonly string[], given: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    if (part.startsWith(":")) params[part.slice(1)] = decodeURIComponent(given[index]!);
  }
  return params;
}
