import {
  callsOf,
  type AssistantPart,
  type CallPart,
  type CallResult,
  type Message,
  type UserPart,
} from "../../core/message.ts";
import type { Conversation, Pin, Session, SessionEntry } from "../../core/session.ts";
import { fence } from "../../core/text.ts";

/** The conversation as the model gets it, from the entries of a branch. Valid for any provider, whatever is missing. */
export function assembleConversation(branch: readonly SessionEntry[]): Conversation {
  return build(branch).read();
}

export interface ConversationView {
  read(): Conversation;
}

/** The same for a session that grows: each entry is looked at once, and all of them again only after a compaction. */
export function createConversationView({ branch }: Pick<Session, "branch">): ConversationView {
  let builder = createConversationBuilder();
  let seen = 0;
  return {
    read() {
      const fresh = seen === 0 ? branch : branch.slice(seen);
      if (fresh.some(changesWhatIsCovered)) builder = build(branch);
      else for (const entry of fresh) builder.add(entry);
      seen = branch.length;
      return builder.read();
    },
  };
}

function build(branch: readonly SessionEntry[]): ConversationBuilder {
  const builder = createConversationBuilder();
  const covered = findCovered(branch);
  if (covered) builder.addSummary(covered.compaction);
  for (const entry of covered ? branch.slice(covered.firstKept) : branch) builder.add(entry);
  return builder;
}

function changesWhatIsCovered({ type }: SessionEntry): boolean {
  return type === "compaction" || type === "compaction_undone";
}

/** The last compaction that stands covers those before it. One whose first kept entry is lost covers nothing. */
function findCovered(branch: readonly SessionEntry[]): { compaction: Compaction; firstKept: number } | undefined {
  const undone = new Set(branch.flatMap((entry) => (entry.type === "compaction_undone" ? [entry.compactionId] : [])));
  for (let at = branch.length - 1; at >= 0; at--) {
    const entry = branch[at]!;
    if (entry.type !== "compaction" || undone.has(entry.id)) continue;
    const { firstKeptId } = entry;
    const firstKept = firstKeptId === null ? at : branch.findIndex(({ id }) => id === firstKeptId);
    if (firstKept !== -1 && firstKept <= at) return { compaction: entry, firstKept };
  }
  return undefined;
}

/**
 * Makes a conversation that any provider takes, entry by entry. After each entry it is valid: it begins with the user; user
 * messages never follow each other; an assistant message with calls is followed by one message with a result for each
 * call, in order; and no message is empty.
 */
interface ConversationBuilder {
  add(entry: SessionEntry): void;
  /** In place of all that was there before. */
  addSummary(compaction: Compaction): void;
  read(): Conversation;
}

function createConversationBuilder(): ConversationBuilder {
  const messages: Message[] = [];
  const entryIds: (string | null)[] = [];
  let open: OpenCalls | undefined;

  function push(message: Message, entryId: string | null): void {
    messages.push(message);
    entryIds.push(entryId);
  }

  function addUser(parts: readonly UserPart[], entryId: string | null): void {
    const said = parts.filter(hasContent);
    if (said.length === 0) return;
    const last = messages.at(-1);
    if (last?.role === "user") messages[messages.length - 1] = { role: "user", parts: [...last.parts, ...said] };
    else push({ role: "user", parts: said }, entryId);
  }

  function addAssistant(given: readonly AssistantPart[], entryId: string): void {
    const parts = given.filter(hasContent);
    // Thoughts alone are no message. Those of the user around one that is left out become one.
    if (!parts.some(isSaid)) return;
    const before = messages.at(-1)?.role;
    if (before === undefined || before === "assistant") addUser([{ type: "text", text: goOn }], entryId);
    push({ role: "assistant", parts }, entryId);
    const calls = callsOf(parts);
    open = undefined;
    if (calls.length === 0) return;
    open = { at: messages.length, calls, results: [] };
    push(answer(open), entryId);
  }

  function addResults(results: readonly CallResult[], entryId: string): void {
    if (!open) return;
    open.results.push(...results);
    messages[open.at] = answer(open);
    entryIds[open.at] = entryId;
  }

  return {
    add(entry) {
      if (entry.type === "user") addUser(entry.parts, entry.id);
      else if (entry.type === "remark") addUser([{ type: "text", text: `[Note] ${entry.text}` }], entry.id);
      else if (entry.type === "assistant") addAssistant(entry.parts, entry.id);
      else if (entry.type === "results") addResults(entry.results, entry.id);
    },
    addSummary: (compaction) => addUser([{ type: "text", text: renderSummary(compaction) }], null),
    // Copies of the lists: whoever has them may still send them when the next entry comes.
    read: () => ({ messages: [...messages], entryIds: [...entryIds] }),
  };
}

const goOn = "[Go on.]";

interface OpenCalls {
  /** Where the message with the results is. */
  readonly at: number;
  readonly calls: readonly CallPart[];
  readonly results: CallResult[];
}

function answer({ calls, results }: OpenCalls): Message {
  const left = [...results];
  return {
    role: "tool",
    results: calls.map(({ callId, tool }) => {
      const at = left.findIndex((result) => result.callId === callId);
      return at === -1 ? { callId, tool, text: noResult, isError: true } : left.splice(at, 1)[0]!;
    }),
  };
}

const noResult = "[no result: the session ended before this call was answered]";

/** Providers refuse texts without a letter; a part that carries something of theirs is theirs to judge. */
function hasContent(part: UserPart | AssistantPart): boolean {
  if (part.type !== "text" && part.type !== "thinking") return true;
  return part.opaque !== undefined || part.text.trim() !== "";
}

function isSaid(part: AssistantPart): boolean {
  return part.type === "call" || (part.type === "text" && part.text.trim() !== "");
}

type Compaction = Extract<SessionEntry, { type: "compaction" }>;

/** What stands for the part of a conversation that was compacted. */
function renderSummary({ summary, pins }: Pick<Compaction, "summary" | "pins">): string {
  const sections = [
    "[The conversation up to here was replaced by this summary. What was done is done: go on from here.]",
    fence("summary", summary),
  ];
  if (pins.length > 0) sections.push(fence("pinned", pins.map(renderPin).join("\n"), { note: "kept word for word" }));
  return sections.join("\n\n");
}

function renderPin({ kind, text }: Pin): string {
  return `- ${kindNames[kind] ?? kind}: ${text}`;
}

const kindNames: Readonly<Record<string, string>> = {
  words: "the user's words",
  open: "still open",
};
