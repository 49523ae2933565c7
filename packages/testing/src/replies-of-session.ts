import { messageOf } from "../../../src/core/errors.ts";
import type { SessionEntry } from "../../../src/core/session.ts";
import { fromWire } from "../../../src/core/wire.ts";
import { invalid } from "./check-script.ts";
import type { Line } from "./parse-script.ts";
import { toScript } from "./record.ts";
import type { Script } from "./script.ts";

/** Does this line come from the file of a session? */
export function isSessionEntry(value: unknown): boolean {
  return typeof value === "object" && value !== null && "v" in value && "type" in value && "id" in value;
}

/** The replies of a session, as it stands. Its last line may be cut in half: the process that wrote it was killed. */
export function scriptOfSession(lines: readonly Line[], source: string): Script {
  const broken = lines.slice(0, -1).find(({ problem }) => problem !== null);
  if (broken) throw invalid(source, `line ${broken.number} of the session is not JSON (${broken.problem})`);
  const entries = lines.filter(({ problem }) => problem === null).map((line) => readEntry(line, source));
  try {
    return toScript(branchOf(entries));
  } catch (thrown) {
    throw invalid(source, messageOf(thrown), { cause: thrown });
  }
}

function readEntry({ value, number }: Line, source: string): SessionEntry {
  if (!isSessionEntry(value)) throw invalid(source, `line ${number} is not an entry of a session`);
  const { v } = value as { readonly v: unknown };
  if (v !== 1) throw invalid(source, `line ${number} is of version ${JSON.stringify(v)} of the format, expected 1`);
  return fromWire(value) as SessionEntry;
}

/** From the first entry to where the session stands: what somebody went back from is left out. */
function branchOf(entries: readonly SessionEntry[]): SessionEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const branch: SessionEntry[] = [];
  for (let entry = entries.at(-1); entry; entry = entry.parentId === null ? undefined : byId.get(entry.parentId)) {
    branch.push(entry);
    // Taken out, so that entries that follow each other in a circle end.
    byId.delete(entry.id);
  }
  return branch.toReversed();
}
