export interface Completion {
  /** What replaces the text between `from` and `to`. */
  readonly value: string;
  /** What is put behind it once it is certain: a space, a closing quote, nothing after a folder. */
  readonly end: string;
  /** Shown beside it. */
  readonly hint?: string;
}

export interface Completions {
  readonly from: number;
  readonly to: number;
  readonly items: readonly Completion[];
}

/** What the text before the cursor could become; null when there is nothing to say. */
export type Complete = (text: string, cursor: number) => Promise<Completions | null>;

export interface CompletionSources {
  /** With their slash. */
  readonly commands: readonly { readonly name: string; readonly summary?: string }[];
  /** Paths of files relative to the workdir, with `/`; what is ignored is not among them. */
  readonly listFiles: () => Promise<readonly string[]>;
  /** What may stand as the last argument of a command: `words` begins with the command and ends with what is typed so far. */
  readonly completeArgument?: (words: readonly string[]) => Promise<readonly Completion[]> | readonly Completion[];
}

/** Commands at the start, their arguments, and files after `@`. Lines that begin with `!` belong to the shell. */
export function createCompleter({ commands, listFiles, completeArgument }: CompletionSources): Complete {
  let files: { readonly from: number; readonly paths: Promise<readonly string[]> } | null = null;

  /** One listing serves as long as the same `@` is typed on. */
  function filesFor(from: number): Promise<readonly string[]> {
    if (files?.from !== from) files = { from, paths: listFiles() };
    return files.paths;
  }

  return async (text, cursor) => {
    const before = text.slice(0, cursor);
    if (before.startsWith("!")) return null;
    const mention = mentionAt(before);
    if (mention !== null) {
      const from = cursor - mention.length;
      return { from, to: cursor, items: matchFiles(await filesFor(from), mention) };
    }
    files = null;
    if (!before.startsWith("/")) return null;
    const words = before.split(/\s+/);
    const last = words.at(-1)!;
    const from = cursor - last.length;
    if (words.length > 1) return { from, to: cursor, items: (await completeArgument?.(words)) ?? [] };
    const items = commands
      .filter(({ name }) => name.startsWith(last))
      .map(({ name, summary }) => ({ value: name, end: " ", ...(summary === undefined ? {} : { hint: summary }) }));
    return { from, to: cursor, items };
  };
}

/** True where a list may appear without Tab: a command or a file is being typed. */
export function mayComplete(text: string, cursor: number): boolean {
  const before = text.slice(0, cursor);
  if (before.startsWith("!")) return false;
  return /^\/\S*$/.test(before) || mentionAt(before) !== null;
}

/** The `@` and what follows it up to the cursor; an address like `me@example.com` is none. */
function mentionAt(before: string): string | null {
  return /(?:^|[\s([{])(@"[^"\n]*|@[^\s"]*)$/.exec(before)?.[1] ?? null;
}

const mostItems = 50;

interface Entry {
  readonly path: string;
  readonly lower: string;
  /** Where the last name in it begins. */
  readonly name: number;
  readonly depth: number;
}

interface Found {
  readonly path: string;
  readonly score: number;
}

/** The files and folders that fit `@…` or `@"…`, best first. */
function matchFiles(paths: readonly string[], mention: string): Completion[] {
  const isQuoted = mention.startsWith('@"');
  const wanted = mention
    .slice(isQuoted ? 2 : 1)
    .replace(/^\.\//, "")
    .toLowerCase();
  const best: Found[] = [];
  for (const entry of entriesOf(paths)) {
    const score = scoreOf(entry, wanted);
    if (score !== null) keepBest(best, { path: entry.path, score });
  }
  return best.map(({ path }) => mentionOf(path, isQuoted));
}

/** Sorting all of a large workdir at every key would be felt; only those that are shown are kept in order. */
function keepBest(best: Found[], found: Found): void {
  if (best.length === mostItems && isBetter(best.at(-1)!, found)) return;
  const at = best.findIndex((other) => isBetter(found, other));
  best.splice(at < 0 ? best.length : at, 0, found);
  if (best.length > mostItems) best.pop();
}

function isBetter(a: Found, b: Found): boolean {
  if (a.score !== b.score) return a.score < b.score;
  return a.path.length === b.path.length ? a.path < b.path : a.path.length < b.path.length;
}

const known = new WeakMap<readonly string[], readonly Entry[]>();

/** Made once for a listing. */
function entriesOf(paths: readonly string[]): readonly Entry[] {
  const before = known.get(paths);
  if (before !== undefined) return before;
  const entries: Entry[] = [];
  for (const path of [...foldersOf(paths), ...paths]) {
    // Control characters in a name would be obeyed by a terminal, or break the line.
    if (hasControls.test(path)) continue;
    const lower = path.toLowerCase();
    const depth = lower.split("/").length - (lower.endsWith("/") ? 1 : 0);
    entries.push({ path, lower, name: lower.lastIndexOf("/", lower.length - 2) + 1, depth });
  }
  known.set(paths, entries);
  return entries;
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
function scoreOf({ lower, name, depth }: Entry, wanted: string): number | null {
  if (lower.startsWith(wanted)) return depth;
  const inside = lower.lastIndexOf(wanted);
  if (inside === name) return 100 + depth;
  if (inside > name) return 200 + depth;
  if (inside >= 0) return 300 + depth;
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
