import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { clipText, withoutAttached } from "../../core/text.ts";
import { messageOf, RuntimeError } from "../../core/errors.ts";
import { createId } from "../../core/ids.ts";
import { callsOf, textOfParts } from "../../core/message.ts";
import type { ProcessIdentity } from "../../core/process.ts";
import type {
  Session,
  SessionEntry,
  SessionEntryBody,
  SessionLease,
  SessionLeases,
  SessionSummary,
} from "../../core/session.ts";
import { entryToLine } from "./entry-line.ts";
import { findSession, findSessions, type FoundSession } from "./find-session.ts";
import type { MaskValue } from "./mask-entry.ts";
import type { SessionContent } from "./read-session.ts";
import { createSessionFile, openSessionFile, readSessionFile, type SessionFile } from "./session-file.ts";

export interface SessionsOptions {
  readonly folder: string;
  readonly leases: SessionLeases;
  readonly owner: ProcessIdentity;
  readonly isAlive: (owner: ProcessIdentity) => boolean;
  readonly mask: MaskValue;
  readonly clock: Clock;
  /** Of Deckhand. */
  readonly version: string;
}

/** The sessions of one workdir. */
export interface Sessions {
  create(about: { readonly model: string; readonly workdir: string }): Promise<OpenSession>;
  /**
   * `wanted`: an id, a part of its beginning or end that only one has, or "latest": the one used last, unless it was ended. Rejects with SESSION_UNKNOWN, with
   * SESSION_BUSY while another process has it, or with SESSION_DAMAGED when nothing in its file can be read.
   */
  open(wanted: string): Promise<OpenSession>;
  /** The last used first. */
  list(limit: number): Promise<SessionSummary[]>;
  /** For those who only look: takes no lease and changes nothing. */
  read(wanted: string): Promise<StoredSession>;
}

export interface OpenSession extends Session {
  /** What was wrong with its file, in sentences for a person. */
  readonly problems: readonly string[];
}

export interface StoredSession {
  readonly id: string;
  readonly path: string;
  /** All of them, also those that the conversation went back from. */
  readonly entries: readonly SessionEntry[];
  readonly branch: readonly SessionEntry[];
  readonly problems: readonly string[];
}

export function openSessions(options: SessionsOptions): Sessions {
  const { folder, leases, owner, isAlive, clock, version } = options;

  /** In place of a process that is gone, if one had it. */
  async function takeLease(sessionId: string): Promise<void> {
    const lease = { sessionId, owner, takenAt: clock.now() };
    let gone: SessionLease | undefined;
    for (;;) {
      const holder = await leases.take(lease, gone);
      if (!holder) return;
      if (isAlive(holder.owner)) throw busy(holder);
      gone = holder;
    }
  }

  function findWanted(wanted: string): FoundSession {
    if (wanted !== "latest" && wanted !== "last") return findSession(folder, wanted);
    const [latest] = findSessions(folder);
    if (latest && !summarizeSession(latest, false).isEnded) return latest;
    throw new RuntimeError("SESSION_UNKNOWN", "There is no session here to go on with: start one first.");
  }

  return {
    async create({ model, workdir }) {
      const id = createId("ses", clock.now());
      await takeLease(id);
      const session = holdSession(options, { id, path: join(folder, `${id}.jsonl`), ...nothing });
      session.append({ type: "session", sessionId: id, workdir, model, version });
      return session;
    },
    async open(wanted) {
      const { id, path } = findWanted(wanted);
      await takeLease(id);
      try {
        const { file, content, problems } = openSessionFile(path);
        if (content.entries.length > 0) return holdSession(options, { id, path, ...content, problems, file });
        file.close();
        throw new RuntimeError(
          "SESSION_DAMAGED",
          `The session ${id} can't be opened. ${whyNothing(content)} Look at ${path}, or start a new session.`,
        );
      } catch (thrown) {
        await leases.release(id, owner);
        throw thrown;
      }
    },
    async list(limit) {
      const held = new Set(
        (await leases.list()).filter((lease) => isAlive(lease.owner)).map(({ sessionId }) => sessionId),
      );
      return findSessions(folder)
        .slice(0, limit)
        .map((found) => summarizeSession(found, held.has(found.id)));
    },
    async read(wanted) {
      const { id, path } = findWanted(wanted);
      const { entries, branch, problems, tail } = readSessionFile(path);
      const torn = tail.kind === "torn" ? ["Its last line was cut short, or is just being written."] : [];
      return { id, path, entries, branch, problems: [...problems, ...torn] };
    },
  };
}

interface Held {
  readonly id: string;
  readonly path: string;
  readonly entries: readonly SessionEntry[];
  readonly branch: readonly SessionEntry[];
  readonly problems: readonly string[];
  readonly file?: SessionFile;
}

const nothing = { entries: [], branch: [], problems: [] };

/** Settings alone are no session worth a file. */
const quietTypes: readonly SessionEntryBody["type"][] = ["session", "tools", "model"];

function holdSession({ mask, clock, leases, owner }: SessionsOptions, held: Held): OpenSession {
  const { id, path, problems } = held;
  const branch = [...held.branch];
  const ids = new Set(held.entries.map((entry) => entry.id));
  const unwritten: SessionEntry[] = [];
  let { file } = held;
  let isClosed = false;

  function write(entry: SessionEntry): void {
    if (!file && quietTypes.includes(entry.type)) {
      unwritten.push(entry);
      return;
    }
    file ??= createSessionFile(path);
    // At once: a session that has only its settings is none that anybody would go on with.
    file.append([...unwritten, entry].map((each) => entryToLine(each, mask)).join(""));
    unwritten.length = 0;
  }

  return {
    id,
    path,
    branch,
    problems,
    append(body) {
      if (isClosed) throw new RuntimeError("RUNTIME_CLOSED", `The session ${id} is closed: open it again to go on.`);
      const { type, ...rest } = body;
      const parentId = branch.at(-1)?.id ?? null;
      const entry = { v: 1, type, id: createEntryId(ids), parentId, at: clock.now(), ...rest } as SessionEntry;
      write(entry);
      ids.add(entry.id);
      branch.push(entry);
      return entry;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      file?.close();
      await leases.release(id, owner);
    },
  };
}

/** Short, because it is written twice for each entry; it has to be new in its file only. */
function createEntryId(taken: ReadonlySet<string>): string {
  for (;;) {
    const id = randomBytes(4).toString("hex");
    if (!taken.has(id)) return id;
  }
}

function busy({ sessionId, owner: { pid }, takenAt }: SessionLease): RuntimeError {
  const since = new Date(takenAt).toISOString();
  return new RuntimeError(
    "SESSION_BUSY",
    `The session ${sessionId} is in use by process ${pid} (since ${since}): end that one first, or start a new session.`,
  );
}

/** A file that can't be read is a line in the list as well, so that nobody looks for it in vain. */
function summarizeSession({ id, path, modifiedAt }: FoundSession, isOpen: boolean): SessionSummary {
  const nothing = {
    id,
    path,
    createdAt: modifiedAt,
    updatedAt: modifiedAt,
    model: "",
    title: "",
    prompts: 0,
    calls: 0,
    isEnded: false,
  };
  try {
    const content = readSessionFile(path);
    return { ...nothing, ...describeBranch(content), isOpen, problem: problemOf(content, isOpen) };
  } catch (thrown) {
    return { ...nothing, isOpen, problem: messageOf(thrown) };
  }
}

const longestTitle = 80;

function describeBranch({ branch }: SessionContent): Partial<SessionSummary> {
  const [first] = branch;
  const last = branch.at(-1);
  if (!first || !last) return {};
  const prompts = branch.filter((entry) => entry.type === "user");
  const title = prompts[0]
    ? withoutAttached(textOfParts(prompts[0].parts)).replaceAll(/\s+/g, " ").trim() || "[image]"
    : "";
  const model = branch.findLast((entry) => "model" in entry)?.model;
  return {
    createdAt: first.at,
    updatedAt: last.at,
    ...(model !== undefined && { model }),
    title: clipText(title, longestTitle),
    isEnded: last.type === "ended",
    prompts: prompts.length,
    calls: branch.reduce((sum, entry) => sum + (entry.type === "assistant" ? callsOf(entry.parts).length : 0), 0),
  };
}

function problemOf(content: SessionContent, isOpen: boolean): string | null {
  const { entries, problems, tail } = content;
  if (entries.length === 0) return whyNothing(content);
  // While somebody writes it, a line may be seen half.
  const torn = tail.kind === "torn" && !isOpen ? ["Its last line was cut short."] : [];
  const [first, ...more] = [...problems, ...torn];
  if (first === undefined) return null;
  return more.length === 0 ? first : `${first} (and ${more.length} more like this)`;
}

/** Of a file that has no entry that can be used. */
function whyNothing({ isNewer }: Pick<SessionContent, "isNewer">): string {
  return isNewer ? "It was written by a newer Deckhand: update Deckhand to read it." : "No entry in it can be read.";
}
