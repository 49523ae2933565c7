import { RuntimeError } from "../../../core/errors.ts";
import type { RolloutReader } from "../../../core/rollout-store.ts";
import type { ToolRelease } from "../release/tool-release.ts";
import { versionName } from "../release/version-name.ts";

/** Fewer characters of a hash could be meant as something else. */
const shortestPrefix = 4;
const mostNamed = 10;

/**
 * The full hash of a content that is or was stable, by what a person says: the beginning of its hash, `name@hash`, or the number
 * that `rollout history` has for it. Throws VERSION_UNKNOWN, with what there is.
 */
export function findEarlierVersion(reader: RolloutReader, release: ToolRelease, said: string): string {
  const { tool } = release;
  const known = [release.stable, ...release.earlier].map(({ hash }) => hash);
  const beginnings = beginningsOf(reader, tool, said);
  const found = [...new Set(known.filter((hash) => beginnings.some((each) => hash.startsWith(each))))];
  if (found.length === 1) return found[0]!;
  const list = known.slice(0, mostNamed).map((hash, index) => `${hash.slice(0, 12)}${index === 0 ? " (now)" : ""}`);
  const more = known.length > mostNamed ? ` and ${known.length - mostNamed} more` : "";
  if (found.length > 1) {
    const meant = found.map((hash) => versionName(tool, hash)).join(" or ");
    throw new RuntimeError("VERSION_UNKNOWN", `"${said}" may be ${meant}: say more of it.`);
  }
  throw new RuntimeError(
    "VERSION_UNKNOWN",
    `No version of ${tool} that was stable is "${said}": expected at least ${shortestPrefix} characters of its hash, or its number in \`deckhand rollout history ${tool}\`. There are ${list.join(", ")}${more}.`,
  );
}

function beginningsOf(reader: RolloutReader, tool: string, said: string): string[] {
  const text = said.trim().toLowerCase();
  const prefix = text.slice(text.lastIndexOf("@") + 1);
  const isPrefix = prefix.length >= shortestPrefix && /^[0-9a-f]+$/.test(prefix);
  const id = /^#?\d+$/.test(text) ? Number(text.replace("#", "")) : Number.NaN;
  const [event] = Number.isSafeInteger(id) ? reader.listEvents({ tool, limit: 1, beforeId: id + 1 }) : [];
  const numbered = event?.id === id && event.version !== null ? [event.version.slice(tool.length + 1)] : [];
  return [...numbered, ...(isPrefix ? [prefix] : [])];
}
