import { messageOf } from "../../core/errors.ts";
import type { SessionEntry, SessionEntryBody } from "../../core/session.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import { maskEntry, type MaskValue } from "./mask-entry.ts";

/** One line of a session file, its end included. */
export function entryToLine(entry: SessionEntry, mask: MaskValue): string {
  return `${JSON.stringify(toWire(maskEntry(entry, mask)))}\n`;
}

export type ReadLine = CheckedEntry & {
  /** What it is called and follows, if that much can be read; also of a line that is no entry. */
  readonly link: { readonly id: string; readonly parentId: string | null } | null;
};

export function lineToEntry(bytes: Uint8Array): ReadLine {
  let wire: unknown;
  try {
    wire = JSON.parse(utf8.decode(bytes));
  } catch {
    return { ok: false, problem: "is no JSON", link: null };
  }
  const link = linkOf(wire);
  try {
    return { ...checkEntry(fromWire(wire)), link };
  } catch (thrown) {
    return { ok: false, problem: `is no entry of a session (${messageOf(thrown)})`, link };
  }
}

/** A byte that was changed on disk must not pass as some other letter. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

function linkOf(wire: unknown): ReadLine["link"] {
  if (!isFields(wire) || typeof wire["id"] !== "string") return null;
  const parentId = wire["parent_id"];
  return { id: wire["id"], parentId: typeof parentId === "string" ? parentId : null };
}

type CheckedEntry =
  | { readonly ok: true; readonly entry: SessionEntry }
  /** `problem` completes "line 7 …". */
  | { readonly ok: false; readonly problem: string; readonly isNewer?: true };

/** Whether a value read from a session file is an entry that the rest of the code can rely on. */
function checkEntry(value: unknown): CheckedEntry {
  if (!isFields(value)) return wrong("is no JSON object");
  const { v, type, id, parentId, at } = value;
  if (typeof v === "number" && v > 1) return { ...wrong(`was written by a newer Deckhand (v ${v})`), isNewer: true };
  if (v !== 1 || typeof type !== "string" || !isName(id) || !isNumber(at)) return wrong("is no entry of a session");
  if (parentId !== null && !isName(parentId)) return wrong("does not say which entry it follows");
  if (!isKnownType(type)) return wrong(`has a type that this Deckhand does not know ("${type}")`);
  return checks[type](value)
    ? { ok: true, entry: value as unknown as SessionEntry }
    : wrong(`is an entry of type ${type} with something missing or wrong in it`);
}

export type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type EntryType = SessionEntryBody["type"];

const checks: Readonly<Record<EntryType, (entry: Fields) => boolean>> = {
  session: ({ sessionId, workdir, model, version }) => areTexts(sessionId, workdir, model, version),
  user: ({ parts }) => isListOf(parts, (part) => isTextPart(part) || isImage(part)),
  assistant: ({ parts, model, stop, usage, cost }) =>
    isListOf(parts, (part) => isTextPart(part) || isThinking(part) || isCall(part)) &&
    areTexts(model, stop) &&
    isUsage(usage) &&
    (cost === null || isNumber(cost)),
  call: ({ callId, executionId, tool }) => areTexts(callId, executionId, tool),
  results: ({ results }) => isListOf(results, isResult),
  remark: ({ text }) => areTexts(text),
  compaction: ({ summary, pins, firstKeptId, tokensBefore, tokensAfter }) =>
    areTexts(summary) &&
    isListOf(pins, ({ kind, text }) => areTexts(kind, text)) &&
    (firstKeptId === null || isName(firstKeptId)) &&
    [tokensBefore, tokensAfter].every(isNumber),
  compaction_undone: ({ compactionId }) => areTexts(compactionId),
  tools: ({ names }) => Array.isArray(names) && areTexts(...(names as unknown[])),
  model: ({ model }) => areTexts(model),
  evidence: (entry) => areTexts(entry["answerId"]) && "report" in entry,
  ended: () => true,
  undone: ({ turnId, files, left = [] }) =>
    areTexts(turnId) && [files, left].every((paths) => Array.isArray(paths) && areTexts(...(paths as unknown[]))),
};

function isKnownType(type: string): type is EntryType {
  return Object.hasOwn(checks, type);
}

function isTextPart({ type, text, opaque }: Fields): boolean {
  return type === "text" && areTexts(text) && isOpaque(opaque);
}

function isThinking({ type, text, opaque }: Fields): boolean {
  return type === "thinking" && areTexts(text) && isOpaque(opaque);
}

function isImage({ type, mediaType, data }: Fields): boolean {
  return type === "image" && areTexts(mediaType, data);
}

function isCall({ type, callId, tool, inputText, opaque }: Fields): boolean {
  return type === "call" && areTexts(callId, tool, inputText) && isOpaque(opaque);
}

function isResult({ callId, tool, text, isError }: Fields): boolean {
  return areTexts(callId, tool, text) && typeof isError === "boolean";
}

function isOpaque(opaque: unknown): boolean {
  return opaque === undefined || (isFields(opaque) && areTexts(opaque["provider"]));
}

function isUsage(usage: unknown): boolean {
  if (!isFields(usage)) return false;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].every(isNumber);
}

function isListOf(list: unknown, isItem: (item: Fields) => boolean): boolean {
  return Array.isArray(list) && list.every((item) => isFields(item) && isItem(item));
}

function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function wrong(problem: string): Extract<CheckedEntry, { ok: false }> {
  return { ok: false, problem };
}
