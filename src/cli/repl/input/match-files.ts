import type { Completion } from "./completion.ts";

const mostItems = 50;

/** The files and folders that fit `@…` or `@"…`, best first. */
export function matchFiles(paths: readonly string[], mention: string): Completion[] {
  const isQuoted = mention.startsWith('@"');
  const wanted = mention
    .slice(isQuoted ? 2 : 1)
    .replace(/^\.\//, "")
    .toLowerCase();
  const found: { readonly path: string; readonly score: number }[] = [];
  for (const path of [...foldersOf(paths), ...paths]) {
    // Control characters in a name would be obeyed by a terminal, or break the line.
    if (hasControls.test(path)) continue;
    const score = scoreOf(path, wanted);
    if (score !== null) found.push({ path, score });
  }
  const best = found.toSorted(
    (a, b) => a.score - b.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1),
  );
  return best.slice(0, mostItems).map(({ path }) => mentionOf(path, isQuoted));
}

function mentionOf(path: string, isQuoted: boolean): Completion {
  const isFolder = path.endsWith("/");
  const needsQuotes = isQuoted || /[\s"]/.test(path);
  if (!needsQuotes) return { value: `@${path}`, end: isFolder ? "" : " " };
  return { value: `@"${path}`, end: isFolder ? "" : '" ' };
}

/** Every folder on the way to a file, once. */
function foldersOf(paths: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
      const folder = path.slice(0, slash + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

/** Smaller is better; null: does not fit. The beginning of the path, then of a name in it, then inside, then scattered. */
function scoreOf(path: string, wanted: string): number | null {
  const lower = path.toLowerCase();
  const depth = lower.split("/").length - (lower.endsWith("/") ? 1 : 0);
  if (wanted === "") return depth;
  if (lower.startsWith(wanted)) return depth;
  const name = lower.slice(lower.lastIndexOf("/", lower.length - 2) + 1);
  if (name.startsWith(wanted)) return 100 + depth;
  if (name.includes(wanted)) return 200 + depth;
  if (lower.includes(wanted)) return 300 + depth;
  const gaps = gapsOf(lower, wanted);
  return gaps === null ? null : 1000 + gaps;
}

/** How many other characters lie between those that are wanted; null when they are not there in this order. */
function gapsOf(path: string, wanted: string): number | null {
  let at = -1;
  let first = -1;
  for (const character of wanted) {
    at = path.indexOf(character, at + 1);
    if (at < 0) return null;
    if (first < 0) first = at;
  }
  return at - first;
}

// oxlint-disable-next-line no-control-regex -- finding them is what this is for
const hasControls = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;
