import type { SandboxReport } from "../../core/call.ts";
import type { StopReport } from "../../core/process.ts";

export type OutputStream = "stdout" | "stderr";

export interface CommandRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the child; see `child-environment.ts`. The marker is added to it. */
  readonly env: Readonly<Record<string, string>>;
  /** Text of a file put into the private folder of the command; its path becomes the last argument. */
  readonly script?: string;
  /** Names the private folder and marks every process of this command. */
  readonly executionId: string;
  /** When it fires, the whole tree is stopped, and `runCommand` resolves after the check. */
  readonly signal: AbortSignal;
  /** Each stream may grow to this; past it the command is stopped. */
  readonly maxOutputBytes: number;
  readonly wallMs?: number;
  readonly idleMs?: number;
  /** Pieces of output as they appear, whole characters; pieces are skipped when output outruns the reader. */
  readonly onOutput?: (stream: OutputStream, text: string) => void;
  /** A program of our own that starts no others (ripgrep): no sandbox, no search for what it left behind. */
  readonly childless?: boolean;
}

export interface OutputFile {
  /** In the private folder; `discard` removes it. */
  readonly path: string;
  readonly bytes: number;
  /** Where there are no named pipes: the command emptied it meanwhile, as `> /dev/stdout` does, and what came before is lost. */
  readonly emptied: boolean;
  /** How much of the end of it the disk did not take. */
  readonly lostBytes: number;
}

export interface CommandExit {
  readonly exitCode: number | null;
  /** The signal that ended it, ours or another's. */
  readonly killedBy: NodeJS.Signals | null;
}

/** Why something could not be started. `code` is the system's (`ENOENT`, …), or `SANDBOX_UNAVAILABLE`, `CLOSED`. */
export interface StartError {
  readonly code: string;
  readonly message: string;
}

export interface CommandEnd extends CommandExit {
  /** What made us stop it (`signal`: its own, or the runtime's end); null when it ended by itself. */
  readonly stoppedBy: "signal" | "wall" | "idle" | "output_limit" | null;
  readonly stdout: OutputFile;
  readonly stderr: OutputFile;
  /** When it ended there was no space left for its output. */
  readonly diskFull: boolean;
  /** Present when we stopped it, or when it returned and left processes behind. */
  readonly stop: StopReport | null;
  /** What held it; null when it was not started. */
  readonly sandbox: SandboxReport | null;
  /** What the sandbox refused, as one sentence, when this output of it looks so. */
  readonly explain: (output: string) => string | null;
  /** Why it could not be started; then nothing else happened. */
  readonly startError: StartError | null;
  /** Removes the private folder. Whoever ran the command calls it when the output was used. */
  readonly discard: () => Promise<void>;
}
