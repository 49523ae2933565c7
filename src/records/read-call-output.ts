import { dirname, join } from "node:path";
import { isFinal, type Execution } from "../core/call.ts";
import { readFileEnd, type FileEnd } from "../process/run/read-file-end.ts";
import type { LiveOutput, LiveOutputs } from "./live-outputs.ts";
import type { Runtime } from "../runtime/runtime.ts";

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

/** More than a person reads of a file in a browser. */
const mostBytes = 256 * 1024;

type OutputParts = Pick<Runtime, "workdir" | "maskValue" | "maskStream" | "processes">;

/** While it runs: what it told so far; afterwards the output that was kept, or what its record has. */
export async function readCallOutput(
  parts: OutputParts,
  outputs: LiveOutputs,
  execution: Execution,
): Promise<CallOutput> {
  if (isFinal(execution.state)) return readFinished(parts.workdir, parts.maskValue(execution));
  const live = outputs.of(execution.id) ?? readElsewhere(parts, execution.id);
  if (live) return { ...live, running: true, note: null };
  const note = whyNothing(execution, parts.processes.identity.pid);
  return { text: "", bytes: 0, isCut: false, running: true, note };
}

/** A command of another process writes into its run's files, where we can look; what else runs there keeps it to itself. */
function readElsewhere({ processes, maskStream }: OutputParts, id: string): LiveOutput | undefined {
  const written = processes.readOutput(id, mostBytes);
  if (!written) return undefined;
  const { stdout, stderr } = written;
  return {
    text: joinStreams(masked(stdout, maskStream), masked(stderr, maskStream)),
    bytes: stdout.bytes + stderr.bytes,
    isCut: stdout.isCut || stderr.isCut,
  };
}

function masked({ text, isCut }: FileEnd, maskStream: OutputParts["maskStream"]): string {
  const stream = maskStream(isCut ? "midway" : undefined);
  return stream.push(text) + stream.end();
}

function whyNothing({ owner, startedAt }: Execution, ownPid: number): string {
  if (startedAt === null) return "It has not started yet.";
  if (owner && owner.pid !== ownPid) {
    return `It runs in another process (${owner.pid}), which keeps its output until it has ended.`;
  }
  return "It has printed nothing since it is watched.";
}

function readFinished(workdir: string, { id, result, outputBytes }: Execution): CallOutput {
  const shown = { text: result?.output ?? "", bytes: outputBytes, running: false, note: null };
  const folder = join(workdir, ".deckhand", "outputs");
  // A tool may name any file; only what was kept of this very call is its output.
  const kept = (result?.files ?? []).filter(
    (path) => dirname(path) === folder && path.startsWith(join(folder, `${id}.`)) && !path.endsWith(".data.json"),
  );
  if (kept.length === 0) return { ...shown, isCut: Buffer.byteLength(shown.text) < outputBytes };
  const ends = new Map<string, FileEnd>();
  for (const path of kept) {
    const end = readFileEnd(path, mostBytes);
    if (!end) return { ...shown, isCut: true, note: "The whole output is gone: it was kept for a while only." };
    ends.set(path.slice(folder.length + id.length + 2), end);
  }
  const text = ends.get("result.txt")?.text ?? joinKept(ends, result?.data);
  return { ...shown, text, isCut: [...ends.values()].some((end) => end.isCut) };
}

/** The one that was short enough is in the record. */
function joinKept(ends: ReadonlyMap<string, FileEnd>, data: unknown): string {
  const recorded = Object(data) as Readonly<Record<string, unknown>>;
  const [stdout, stderr] = ["stdout", "stderr"].map((stream) => {
    const short = recorded[stream];
    return ends.get(`${stream}.txt`)?.text ?? (typeof short === "string" ? short : "");
  });
  return joinStreams(stdout!, stderr!);
}

function joinStreams(stdout: string, stderr: string): string {
  return stderr === "" ? stdout : `${stdout}${stdout === "" || stdout.endsWith("\n") ? "" : "\n"}[stderr]\n${stderr}`;
}
