import type { Readable } from "node:stream";
import type { Clock } from "../../core/clock.ts";
import { clipText } from "../../core/text.ts";
import { messageOf } from "../../core/errors.ts";
import type { Processes } from "../../process/processes.ts";

export interface HookProgram {
  /** How people know it: the program, or the module's path. */
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly timeoutMs: number;
}

export interface HookParts {
  readonly processes: Pick<Processes, "openPeer">;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly clock: Clock;
}

/** What a hook may print, as one JSON object; printing nothing means "go on". */
export interface HookAnswer {
  readonly deny?: string;
  readonly input?: unknown;
  readonly context?: string;
}

export type HookEnd =
  | { readonly ok: true; readonly said: HookAnswer }
  | { readonly ok: false; readonly problem: string };

/** More than this is no answer. */
const longestAnswer = 1024 * 1024;

/**
 * Runs one hook as a process of its own, in the same sandbox as commands: the call as JSON on stdin, its answer as JSON on
 * stdout. Exit code 2 says no, with stderr as the reason. Never rejects.
 */
export async function runHook(
  parts: HookParts,
  hook: HookProgram,
  call: { readonly told: unknown; readonly signal: AbortSignal; readonly executionId: string },
): Promise<HookEnd> {
  const start = await parts.processes.openPeer({
    argv: hook.argv,
    cwd: parts.workdir,
    env: parts.env,
    executionId: call.executionId,
    signal: call.signal,
  });
  if (!start.ok) return { ok: false, problem: start.startError.message };
  const { peer } = start;
  let isLate = false;
  const cancelTimer = parts.clock.after(hook.timeoutMs, () => {
    isLate = true;
    void peer.stop();
  });
  peer.stdin.end(`${JSON.stringify(call.told)}\n`);
  const [text, exit] = await Promise.all([readText(peer.stdout, () => void peer.stop()), peer.exited]);
  cancelTimer();
  if (isLate) return { ok: false, problem: `it took longer than ${hook.timeoutMs / 1000} s and was stopped` };
  if (text === null) return { ok: false, problem: "it printed more than 1 MB" };
  const complaint = clipText(peer.stderrTail().trim(), 500);
  if (exit.exitCode === 2) return { ok: true, said: { deny: complaint || "no reason given" } };
  if (exit.exitCode !== 0) {
    const how = exit.killedBy ? `was killed by ${exit.killedBy}` : `exited with code ${exit.exitCode}`;
    return { ok: false, problem: `it ${how}${complaint === "" ? "" : `: ${complaint}`}` };
  }
  return readHookAnswer(text);
}

export function readHookAnswer(text: string): HookEnd {
  if (text.trim() === "") return { ok: true, said: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return {
      ok: false,
      problem: `expected one JSON object on stdout, got "${clipText(text.trim(), 80)}" (${messageOf(thrown)})`,
    };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return {
      ok: false,
      problem: 'expected a JSON object such as {"deny": "reason"}, {"input": {…}} or {"context": "…"}',
    };
  }
  const { deny, input, context, ...rest } = value as Record<string, unknown>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return { ok: false, problem: `"${unknown}" is not one of deny, input, context` };
  if (deny !== undefined && typeof deny !== "string") return { ok: false, problem: '"deny" must be a text' };
  if (context !== undefined && typeof context !== "string") return { ok: false, problem: '"context" must be a text' };
  return {
    ok: true,
    said: {
      ...(deny === undefined ? {} : { deny }),
      ...(input === undefined ? {} : { input }),
      ...(context === undefined ? {} : { context }),
    },
  };
}

/** Null when it is too long; then nobody reads on. */
async function readText(stream: Readable, onTooLong: () => void): Promise<string | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > longestAnswer) {
        onTooLong();
        return null;
      }
      pieces.push(piece);
    }
  } catch {
    // It was stopped while we read; its end says why.
  }
  return Buffer.concat(pieces).toString("utf8");
}
