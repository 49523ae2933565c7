import { compileName } from "./match-name.ts";
import type { MatchName } from "./match-name.ts";

/** A pattern for a path: one part for each name, `**` for any number of names. */
export type PathPattern = readonly (MatchName | "**")[];

/** Undefined when a part is not a valid pattern. Empty and "." parts are left out. */
export function compilePath(pattern: string): PathPattern | undefined {
  const parts: (MatchName | "**")[] = [];
  for (const part of pattern.split("/")) {
    if (part === "" || part === ".") continue;
    const compiled = /^\*{2,}$/.test(part) ? "**" : compileName(part);
    if (compiled === undefined) return undefined;
    if (compiled !== "**" || parts.at(-1) !== "**") parts.push(compiled);
  }
  return parts;
}

/** Whether `folder/name` fits. A `**` at the end stands for at least one name. */
export function matchPath(pattern: PathPattern, folder: readonly string[], name: string): boolean {
  const last = pattern.at(-1);
  // Most paths fail or pass by their last name, which spares looking at the rest.
  if (last === undefined || (last !== "**" && !last(name))) return false;
  if (pattern.length === 2 && pattern[0] === "**") return true;
  return matchNames(pattern, [...folder, name]);
}

/** Whether something below that folder could fit. */
export function couldContain(pattern: PathPattern, folder: readonly string[]): boolean {
  for (const [at, name] of folder.entries()) {
    const part = pattern[at];
    if (part === "**") return true;
    if (part === undefined || !part(name)) return false;
  }
  return pattern.length > folder.length;
}

function matchNames(pattern: PathPattern, names: readonly string[]): boolean {
  let part = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < names.length) {
    const current = pattern[part];
    if (current === "**") {
      if (part === pattern.length - 1) return true;
      star = part++;
      starAt = at;
    } else if (current?.(names[at]!)) {
      part++;
      at++;
    } else if (star !== -1) {
      // Only the last `**` has to take one more name.
      part = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  return part === pattern.length;
}
