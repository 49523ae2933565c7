import { matchFiles } from "./match-files.ts";

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
