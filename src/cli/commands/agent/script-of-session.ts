import type { SessionEntry } from "../../../core/session.ts";

/** A conversation as a script that a scripted model plays, as the text of its file; null when it has no reply. */
export async function scriptOfSession(entries: readonly SessionEntry[]): Promise<string | null> {
  if (!entries.some(({ type }) => type === "assistant")) return null;
  const { serializeScript, toScript } = await import("../../../../packages/testing/src/record.ts");
  return serializeScript(toScript(entries));
}
