import { messageOf } from "../../../src/core/errors.ts";
import { parseJsonc } from "../../../src/core/json.ts";
import { checkScript, invalid } from "./check-script.ts";
import { isSessionEntry, scriptOfSession } from "./replies-of-session.ts";
import { turnKeys } from "./script-schema.ts";
import type { Script } from "./script.ts";

/**
 * A script from its text: JSON with comments, one turn per line (its first line may hold what is said of the whole
 * script), or the file of a session, whose replies are the turns. `source` is what messages call it.
 */
export function parseScript(text: string, source: string): Script {
  const plain = text.replace(/^\uFEFF/, "");
  if (plain.trim() === "") throw invalid(source, "it is empty; see docs/scripted-models.md for what to write");
  const lines = readLines(plain);
  const [first] = lines;
  // A line that is whole by itself, and more behind it: no JSON document looks like that.
  if (first && (isOneTurn(first.value) || (lines.length > 1 && isHeader(first.value)))) {
    return isSessionEntry(first.value) ? scriptOfSession(lines, source) : scriptOfLines(lines, source);
  }
  const value = parseDocument(plain, source);
  if (Array.isArray(value)) return checkScript({ turns: value }, source);
  return checkScript(isOneTurn(value) ? { turns: [value] } : value, source);
}

export interface Line {
  readonly number: number;
  /** Undefined when the line alone is not JSON. */
  readonly value: unknown;
  readonly problem: string | null;
}

function readLines(text: string): Line[] {
  return text.split("\n").flatMap((line, index): Line[] => {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("//")) return [];
    try {
      return [{ number: index + 1, value: parseJsonc(trimmed), problem: null }];
    } catch (thrown) {
      return [{ number: index + 1, value: undefined, problem: messageOf(thrown).replace(/^line \d+, /, "") }];
    }
  });
}

function scriptOfLines(lines: readonly Line[], source: string): Script {
  const broken = lines.find(({ problem }) => problem !== null);
  if (broken) throw invalid(source, `line ${broken.number} is not JSON (${broken.problem})`);
  const [first, ...rest] = lines.map(({ value }) => value);
  if (isOneTurn(first)) return checkScript({ turns: [first, ...rest] }, source);
  return checkScript({ ...(first as object), turns: rest }, source);
}

function parseDocument(text: string, source: string): unknown {
  try {
    return parseJsonc(text);
  } catch (thrown) {
    throw invalid(source, `it is not JSON (${messageOf(thrown)})`, { cause: thrown });
  }
}

function isHeader(value: unknown): boolean {
  return isObject(value) && !("turns" in value);
}

function isOneTurn(value: unknown): boolean {
  if (typeof value === "string") return true;
  if (!isObject(value) || "turns" in value) return false;
  return isSessionEntry(value) || Object.keys(value).some((key) => turnKeys.has(key) && !sharedKeys.has(key));
}

/** Said of a turn or of the whole script. */
const sharedKeys = new Set(["delay_ms", "piece_ms"]);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
