import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Execution } from "../core/execution.ts";
import { codeOf } from "../core/errors.ts";

/** A tool file that an agent's own call wrote; it does not become a tool until a person approved the change. */
export interface QuarantinedFile {
  readonly file: string;
  readonly hash: string;
  /** The call during which it changed. */
  readonly executionId: string;
  readonly at: number;
  /** What it was before; null when it is new. */
  readonly before: string | null;
  readonly after: string;
}

/** Kept where the person's own things are, so that an agent can't approve itself. */
export interface QuarantineStore {
  list(): readonly QuarantinedFile[];
  put(entry: QuarantinedFile): void;
  /** It waits no longer; that it came from an agent is remembered. */
  approve(file: string): void;
  /** Contents that an agent wrote and a person approved, by the hash of their text. */
  approved(): ReadonlySet<string>;
}

/**
 * Notices tool files that change while an agent's call runs. Files that a person edits meanwhile are caught too: who wrote
 * can't be told, and asking once too often is the smaller harm.
 */
export interface Quarantine {
  /** Called right before a call runs that was not a person's own order. */
  began(): void;
  /** Called when it has ended: whatever changed since is put under quarantine. */
  ended(execution: Pick<Execution, "id">): readonly QuarantinedFile[];
  /** While calls run, who wrote what is not decided yet. */
  readonly isWatching: boolean;
  /** Whether this content of the file may be loaded. */
  find(file: string, content: string): QuarantinedFile | undefined;
  list(): readonly QuarantinedFile[];
  /** A person approved exactly this content; false when the file is another one by now. */
  approve(file: string, hash: string): boolean;
  /** Contents that an agent wrote and a person approved, by the hash of their text. */
  approved(): ReadonlySet<string>;
}

export function createQuarantine(options: {
  /** The folder of tool files. */
  readonly folder: string;
  readonly store: QuarantineStore;
  readonly now: () => number;
}): Quarantine {
  const { folder, store } = options;
  /** What was known to be the person's before the first of the running calls began. */
  let known = new Map<string, Known>();
  let running = 0;

  return {
    get isWatching() {
      return running > 0;
    },
    began() {
      running += 1;
      if (running === 1) known = look(folder, known);
    },
    ended({ id }) {
      running -= 1;
      const now = look(folder, known);
      const changed: QuarantinedFile[] = [];
      for (const [file, { hash, content }] of now) {
        const before = known.get(file);
        if (before?.hash === hash) continue;
        const earlier = store.list().find((entry) => entry.file === file);
        const entry: QuarantinedFile = {
          file,
          hash,
          executionId: id,
          at: options.now(),
          // Two changes in a row are one change to whoever approves them.
          before: earlier ? earlier.before : (before?.content ?? null),
          after: content,
        };
        store.put(entry);
        changed.push(entry);
      }
      known = now;
      return changed;
    },
    find: (file, content) => store.list().find((entry) => entry.file === file && entry.hash === hashOf(content)),
    list: () => store.list(),
    approved: () => store.approved(),
    approve(file, hash) {
      const entry = store.list().find((each) => each.file === file);
      if (entry?.hash !== hash) return false;
      store.approve(file);
      return true;
    },
  };
}

interface Known {
  readonly stamp: string;
  readonly hash: string;
  readonly content: string;
}

/** Also what tools import: it runs as part of them. */
const toolFile = /\.(?:[cm]?[jt]s|py|json)$/;
const packages = /(?:^|\/)node_modules\//;

/** Reads only what its stamp says is another file than before. */
function look(folder: string, before: ReadonlyMap<string, Known>): Map<string, Known> {
  const found = new Map<string, Known>();
  for (const file of toolFilesIn(folder)) {
    try {
      const { ino, size, mtimeNs, ctimeNs } = statSync(join(folder, file), { bigint: true });
      const stamp = `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
      const same = before.get(file);
      if (same?.stamp === stamp) found.set(file, same);
      else {
        const content = readFileSync(join(folder, file), "utf8");
        found.set(file, { stamp, hash: hashOf(content), content });
      }
    } catch {
      // Gone again, or not readable: then it can't be loaded either.
    }
  }
  return found;
}

function toolFilesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (name) => toolFile.test(name) && !packages.test(name),
    );
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return [];
    throw thrown;
  }
}

function hashOf(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}
