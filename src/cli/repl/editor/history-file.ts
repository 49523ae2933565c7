import { constants } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../../../core/clock.ts";
import { codeOf, messageOf } from "../../../core/errors.ts";

/** What was typed here before, oldest first, each once. */
export interface History {
  entries(): readonly string[];
  add(entry: string): void;
  /** Resolves when all that was added is in the file. */
  close(): Promise<void>;
}

export interface HistoryOptions {
  /** In the person's state folder, one per workdir. */
  readonly file: string;
  readonly clock: Clock;
  /** Takes secrets out: what it changes is kept in its masked form, in memory too. */
  readonly mask: (text: string) => string;
  /** Told once, in a sentence, when the file can't be used; the history then lives as long as the program. */
  readonly onProblem: (sentence: string) => void;
}

const mostEntries = 1000;
/** A pasted book is not worth remembering. */
const longestEntry = 20_000;
const rotateBytes = 512 * 1024;
const staleLockMs = 10_000;

/**
 * One JSON string per line, only ever appended to: several programs may have it open. When it has grown large it
 * becomes `….old`, which is read too, so that nothing another program appends meanwhile is lost.
 */
export async function openHistory({ file, clock, mask, onProblem }: HistoryOptions): Promise<History> {
  let problem = false;
  const tell = (thrown: unknown): void => {
    if (!problem)
      onProblem(`The history in ${file} can't be used, so this input is not remembered: ${messageOf(thrown)}`);
    problem = true;
  };
  let entries: string[] = [];
  let endsInLine = true;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await rotate(file, clock);
    const text = await readOrEmpty(file);
    endsInLine = text === "" || text.endsWith("\n");
    entries = withoutRepeats([...parseEntries(await readOrEmpty(`${file}.old`)), ...parseEntries(text)]);
  } catch (thrown) {
    tell(thrown);
  }
  let writing: Promise<void> = Promise.resolve();

  async function append(entry: string): Promise<void> {
    if (problem) return;
    // A line that was cut off by a crash stays a line of its own.
    const line = `${endsInLine ? "" : "\n"}${JSON.stringify(entry)}\n`;
    endsInLine = true;
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
    const handle = await open(file, flags, 0o600);
    try {
      await handle.chmod(0o600);
      // In one write, which the system puts at the end as a whole.
      await handle.write(Buffer.from(line));
    } finally {
      await handle.close();
    }
  }

  return {
    entries: () => entries,
    add(typed) {
      const entry = mask(typed.trim());
      if (entry === "" || entry.length > longestEntry) return;
      const isRepeated = entries.at(-1) === entry;
      entries = withoutRepeats([...entries, entry]);
      if (!isRepeated) writing = writing.then(() => append(entry)).catch(tell);
    },
    close: () => writing,
  };
}

async function readOrEmpty(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return "";
    throw thrown;
  }
}

/** Lines that are damaged are left out. */
function parseEntries(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    try {
      const entry: unknown = JSON.parse(line);
      return typeof entry === "string" && entry !== "" ? [entry] : [];
    } catch {
      return [];
    }
  });
}

function withoutRepeats(entries: readonly string[]): string[] {
  const newestFirst = new Set(entries.toReversed());
  return [...newestFirst].slice(0, mostEntries).toReversed();
}

/** One program at a time, and only if it is still large: a second one would throw away what the first has kept. */
async function rotate(file: string, clock: Clock): Promise<void> {
  if (!(await isLarge(file))) return;
  const lock = `${file}.lock`;
  try {
    await (await open(lock, "wx", 0o600)).close();
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
    const since = await stat(lock).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    // Whoever made it is gone; the next start will find none.
    if (since !== undefined && clock.now() - since > staleLockMs) await rm(lock, { force: true });
    return;
  }
  try {
    if (await isLarge(file)) await rename(file, `${file}.old`);
  } finally {
    await rm(lock, { force: true });
  }
}

async function isLarge(file: string): Promise<boolean> {
  return stat(file).then(
    ({ size }) => size > rotateBytes,
    () => false,
  );
}
