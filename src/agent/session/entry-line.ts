import { messageOf } from "../../core/errors.ts";
import type { SessionEntry } from "../../core/session.ts";
import { fromWire, toWire } from "../../core/wire.ts";
import { checkEntry, isFields, type CheckedEntry } from "./check-entry.ts";
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
