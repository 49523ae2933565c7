import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../core/errors.ts";

/** A content of a tool file that does not become a tool before a person approves it. */
export interface QuarantinedFile {
  readonly file: string;
  readonly hash: string;
  readonly cause: QuarantineCause;
  readonly at: number;
  /** The content before the change; null for a new file. */
  readonly before: string | null;
  readonly after: string;
}

export type QuarantineCause =
  /** The file changed while this call or task was running, and no sandbox kept that from writing it. */
  | { readonly kind: "writer"; readonly id: string; readonly tool: string | null }
  /** The tool says something else of itself than the content before: `changes` for a reader, `promises` to compare. */
  | { readonly kind: "traits"; readonly changes: string; readonly promises: string };

/** A content that a person approved. */
export interface ApprovedContent {
  readonly file: string;
  readonly hash: string;
  /** `agent`: held because of a call, and approved afterwards; `person`: approved as the change of a person. */
  readonly author: "agent" | "person";
  /** The promises that were approved; null when the whole content was shown. */
  readonly promises: string | null;
}

/** Kept in the state folder, which no tool can write, so that an agent can't approve its own files. */
export interface QuarantineStore {
  list(): readonly QuarantinedFile[];
  put(entry: QuarantinedFile): void;
  /** The files no longer wait; one approved content is remembered for each file. */
  approve(contents: readonly ApprovedContent[]): void;
  approved(): readonly ApprovedContent[];
}

/** A call that is about to run, and that no sandbox keeps from writing tool files. */
export interface WritingCall {
  readonly id: string;
  readonly tool: string;
  /** The only files that it can change, relative to the folder; null: any of them. */
  readonly files: readonly string[] | null;
  /** A person saw and approved the change of those files. */
  readonly isApproved: boolean;
}

/** A process outside every call that no sandbox keeps from writing tool files: a background process, or an agent of a task. */
export interface WritingProcess {
  readonly id: string;
  readonly tool: string | null;
  readonly startedAt: number;
  /** Null while it is running. */
  readonly endedAt: number | null;
}

/** A file as it was read. */
export interface FileContent {
  readonly file: string;
  /** Of its bytes. */
  readonly hash: string;
  /** Of its text. */
  readonly textHash: string;
  /** When its content or its name changed last, by the clock of the file system. */
  readonly changedAt: number;
}

/**
 * Holds back tool files that changed while a call or process of ours could write them. Every other change comes from outside, and
 * is the person's own.
 */
export interface Quarantine {
  began(call: WritingCall): void;
  /** Holds every file that changed since the call began; an approved change is accepted instead. */
  ended(id: string): readonly QuarantinedFile[];
  /** Holds the content if something of ours could have written it; undefined when it comes from outside. */
  judge(content: FileContent): QuarantinedFile | undefined;
  /**
   * For the end of the runtime, after which nothing is known of its processes: looks at every file, and once more when the
   * function that it returns is called, after they have ended.
   */
  close(): () => void;
  /** Holds a content whose tool says something else of itself than before. */
  holdTraits(
    file: string,
    change: { readonly changes: string; readonly promises: string },
  ): QuarantinedFile | undefined;
  list(): readonly QuarantinedFile[];
  /** A person approved exactly this content; false when the file has another one by now. */
  approve(file: string, hash: string): boolean;
  approved(): readonly ApprovedContent[];
  /** A person approved these contents as their own. */
  accept(contents: readonly Pick<FileContent, "file" | "textHash">[]): void;
}

export interface QuarantineOptions {
  /** The folder of tool files. */
  readonly folder: string;
  readonly store: QuarantineStore;
  readonly now: () => number;
  /** Processes that live, or lived lately, outside of calls. Asked only when a content is unknown. */
  readonly processes?: () => readonly WritingProcess[];
  /** Whether a person trusts this very content already. */
  readonly isKnown?: (content: Pick<FileContent, "file" | "hash">) => boolean;
  /** The text of the content that worked last; null when there is none. */
  readonly textBefore?: (file: string) => string | null;
  /** A person approved this change of a file. `isNew`: there was no such file before. */
  readonly onAccepted?: (content: Pick<FileContent, "file" | "hash">, isNew: boolean) => void;
}

export function createQuarantine(options: QuarantineOptions): Quarantine {
  const { folder, store } = options;
  /** The calls that run, each with the files as they were when it began. */
  const running = new Map<string, WritingCall & { readonly before: ReadonlyMap<string, Seen> }>();
  let lastSeen: ReadonlyMap<string, Seen> = new Map();

  function look(): ReadonlyMap<string, Seen> {
    return (lastSeen = readFolder(folder, lastSeen));
  }

  function hold({ file, textHash }: FileContent, cause: QuarantineCause, before: string | null): QuarantinedFile {
    const earlier = store.list().find((entry) => entry.file === file);
    if (earlier?.hash === textHash) return earlier;
    const entry: QuarantinedFile = {
      file,
      hash: textHash,
      cause,
      at: options.now(),
      // Two changes in a row are one change for the person who approves them.
      before: earlier ? earlier.before : before,
      after: textOf(join(folder, file)),
    };
    store.put(entry);
    return entry;
  }

  function accept(contents: readonly Pick<FileContent, "file" | "textHash">[]): void {
    store.approve(
      contents.map(({ file, textHash }) => ({ file, hash: textHash, author: "person" as const, promises: null })),
    );
  }

  function judge(content: FileContent): QuarantinedFile | undefined {
    const { file, hash, textHash, changedAt } = content;
    const waiting = store.list().find((entry) => entry.file === file && entry.hash === textHash);
    if (waiting) return waiting;
    if (options.isKnown?.({ file, hash }) || store.approved().some((each) => isOf(each, content))) return undefined;
    const calls = [...running.values()].filter(
      ({ files, before }) => (files === null || files.includes(file)) && before.get(file)?.textHash !== textHash,
    );
    const call = calls.find(({ isApproved }) => !isApproved);
    if (call) return hold(content, causeOf(call), call.before.get(file)?.text ?? null);
    const process = options
      .processes?.()
      .find(({ startedAt, endedAt }) => startedAt <= changedAt && changedAt <= (endedAt ?? Infinity));
    if (process) return hold(content, causeOf(process), options.textBefore?.(file) ?? null);
    const [approved] = calls;
    if (approved) {
      accept([content]);
      options.onAccepted?.({ file, hash }, !approved.before.has(file));
    }
    return undefined;
  }

  function began(call: WritingCall): void {
    running.set(call.id, { ...call, before: look() });
  }

  function ended(id: string): readonly QuarantinedFile[] {
    const call = running.get(id);
    if (!call) return [];
    const changed = [...look().values()].filter(
      ({ file, textHash }) => call.before.get(file)?.textHash !== textHash && (call.files?.includes(file) ?? true),
    );
    const held = changed.flatMap((content) => judge(content) ?? []);
    running.delete(id);
    return held;
  }

  return {
    began,
    ended,
    judge,
    close() {
      const alive = (options.processes?.() ?? []).filter(({ endedAt }) => endedAt === null);
      if (alive.length === 0) return () => undefined;
      for (const content of look().values()) judge(content);
      for (const { id, tool } of alive) began({ id, tool: tool ?? "", files: null, isApproved: false });
      return () => alive.forEach(({ id }) => ended(id));
    },
    holdTraits(file, change) {
      const content = look().get(file);
      return content && hold(content, { kind: "traits", ...change }, options.textBefore?.(file) ?? null);
    },
    list: () => store.list(),
    approved: () => store.approved(),
    approve(file, hash) {
      const entry = store.list().find((each) => each.file === file);
      if (entry?.hash !== hash) return false;
      const { cause } = entry;
      const author = cause.kind === "writer" ? "agent" : "person";
      store.approve([{ file, hash, author, promises: cause.kind === "traits" ? cause.promises : null }]);
      return true;
    },
    accept,
  };
}

function causeOf({ id, tool }: Pick<WritingProcess, "id" | "tool">): QuarantineCause {
  return { kind: "writer", id, tool };
}

function isOf(approved: ApprovedContent, { file, textHash }: FileContent): boolean {
  return approved.file === file && approved.hash === textHash;
}

/** Why a file is held, for a sentence that begins with its name. Says only what is known. */
export function describeCause(cause: QuarantineCause): string {
  if (cause.kind === "traits") return `Its traits changed: ${cause.changes}`;
  const tool = cause.tool === null ? "" : ` (${cause.tool})`;
  return `It changed while ${cause.id.startsWith("task_") ? "task" : "call"} ${cause.id}${tool} was running without a sandbox`;
}

interface Seen extends FileContent {
  readonly stamp: string;
  readonly text: string;
}

/** Also what tools import: it runs as part of them. */
const toolFile = /\.(?:[cm]?[jt]s|py|json)$/;
const packages = /(?:^|\/)node_modules\//;

/** Reads only what its stamp says is another file than before. */
function readFolder(folder: string, before: ReadonlyMap<string, Seen>): ReadonlyMap<string, Seen> {
  const found = new Map<string, Seen>();
  for (const file of toolFilesIn(folder)) {
    try {
      const { ino, size, mtimeNs, ctimeNs, ctimeMs } = statSync(join(folder, file), { bigint: true });
      const stamp = `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
      const same = before.get(file);
      if (same?.stamp === stamp) found.set(file, same);
      else {
        const bytes = readFileSync(join(folder, file));
        const text = bytes.toString();
        const seen = { hash: hashOf(bytes), textHash: hashOf(text), text, changedAt: Number(ctimeMs) };
        found.set(file, { file, stamp, ...seen });
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

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // Gone again; the diff says so.
  }
}

function hashOf(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
