import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isFinal, type Execution } from "../core/execution.ts";
import type { LiveOutputs } from "./live-outputs.ts";
import type { Runtime } from "./runtime.ts";

/** What a call printed, as far as it can be read now. */
export interface CallOutput {
  /** The end of it, masked. */
  readonly text: string;
  readonly bytes: number;
  readonly isCut: boolean;
  readonly running: boolean;
  /** Why there is less than there could be, in one sentence; null when there is nothing to say. */
  readonly note: string | null;
}

/** Of a finished call: more than a person reads of a file in a browser. */
const mostBytes = 256 * 1024;

/** While it runs: what it told so far; afterwards the output that was kept, or what its record has. */
export async function readCallOutput(
  { workdir, maskValue, processes }: Pick<Runtime, "workdir" | "maskValue" | "processes">,
  outputs: LiveOutputs,
  execution: Execution,
): Promise<CallOutput> {
  if (isFinal(execution.state)) return readFinished(workdir, maskValue(execution));
  const live = outputs.of(execution.id);
  const none = { text: "", bytes: 0, isCut: false };
  return { ...(live ?? none), running: true, note: live ? null : whyNothing(execution, processes.identity.pid) };
}

function whyNothing({ owner, startedAt }: Execution, ownPid: number): string {
  if (startedAt === null) return "It has not started yet.";
  if (owner && owner.pid !== ownPid) {
    return `It runs in another process (${owner.pid}), which keeps its output until it has ended.`;
  }
  return "It has printed nothing since it is watched.";
}

async function readFinished(workdir: string, { id, result, outputBytes }: Execution): Promise<CallOutput> {
  const shown = { text: result?.output ?? "", bytes: outputBytes, running: false, note: null };
  const folder = join(workdir, ".deckhand", "outputs");
  // A tool may name any file; only what was kept of this very call is its output.
  const kept = (result?.files ?? []).filter(
    (path) => dirname(path) === folder && path.startsWith(join(folder, `${id}.`)) && !path.endsWith(".data.json"),
  );
  if (kept.length === 0) return { ...shown, isCut: Buffer.byteLength(shown.text) < outputBytes };
  const ends = new Map<string, End>();
  for (const path of kept) {
    const end = await readEnd(path);
    if (!end) return { ...shown, isCut: true, note: "The whole output is gone: it was kept for a while only." };
    ends.set(path.slice(folder.length + id.length + 2), end);
  }
  const text = ends.get("result.txt")?.text ?? joinStreams(ends, result?.data);
  return { ...shown, text, isCut: [...ends.values()].some((end) => end.isCut) };
}

/** The one that was short enough is in the record. */
function joinStreams(ends: ReadonlyMap<string, End>, data: unknown): string {
  const recorded = Object(data) as Readonly<Record<string, unknown>>;
  const [stdout, stderr] = ["stdout", "stderr"].map((stream) => {
    const short = recorded[stream];
    return ends.get(`${stream}.txt`)?.text ?? (typeof short === "string" ? short : "");
  });
  return stderr === "" ? stdout! : `${stdout}${stdout === "" || stdout!.endsWith("\n") ? "" : "\n"}[stderr]\n${stderr}`;
}

interface End {
  readonly text: string;
  readonly isCut: boolean;
}

async function readEnd(path: string): Promise<End | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) return undefined;
    const from = Math.max(0, stats.size - mostBytes);
    const buffer = Buffer.alloc(stats.size - from);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
    const bytes = buffer.subarray(0, bytesRead);
    const start = from === 0 ? 0 : bytes.indexOf(10) + 1;
    return { text: bytes.toString("utf8", start), isCut: from > 0 };
  } catch {
    return undefined;
  }
}
