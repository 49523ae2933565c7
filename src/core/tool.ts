import type { Answer, Question } from "./approval.ts";
import type { SandboxReport } from "./call.ts";
import type { ErrorType } from "./errors.ts";
import type { JsonSchema } from "./json.ts";
import type { StopReport } from "./process.ts";

export type Risk = "low" | "medium" | "high";
/** Where a tool is offered. */
export type OfferedIn = "agent" | "chat" | "mcp" | "schedule";
/** What to do with a call whose outcome a crash made unknown: repeat it, look first, or never repeat it. */
export type Replay = "safe" | "check" | "never";

export interface ToolTraits {
  /** Changes nothing that anyone could observe. */
  readonly readOnly: boolean;
  readonly risk: Risk;
  readonly idempotent: boolean;
  readonly category: string;
  readonly offeredIn: readonly OfferedIn[];
  readonly replay: Replay;
}

export interface ToolQuality {
  /** What is wrong with the form of an output; null when nothing is. */
  readonly checkOutput?: (output: string) => string | null;
  /** The name of a read-only tool that judges results. */
  readonly judge?: string;
}

/** The one executable shape: built-in, custom and MCP tools are all this. */
export interface Tool<Input = unknown> {
  /** Canonical id; the catalog holds aliases. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly traits: ToolTraits;
  /** `builtin`, or `name@hash` for a tool that comes from a file. */
  readonly version: string;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  /** How long `run` may take to stop after its signal fired. Tools that own processes need longer than others. */
  readonly stopMs?: number;
  /** All that `run` does, it does in processes that the sandbox of the operating system holds, where there is one. */
  readonly isHeld?: boolean;
  /** How to see, while a new version is tried, whether a result is right; left out: whatever succeeds is. */
  readonly quality?: ToolQuality;
  check(input: unknown): Checked<Input>;
  /** The limits this very input asks for; they rank as the call's own. */
  limits?(input: Input): { readonly timeoutMs?: number; readonly idleMs?: number };
  /** What it will read and write; missing = everything. Must be pure: it is asked before the call may run. */
  resources?(input: Input): readonly Resource[];
  /**
   * What this tool says of itself has changed since it was approved: why, in one sentence. A call then needs an approval, whose
   * preview shows the change; a call that runs was approved.
   */
  changed?(input: Input): string | undefined;
  /** What a person is shown before saying yes. */
  preview?(input: Input, context: PreviewContext): Promise<Preview | undefined>;
  /** Must stop when `context.signal` fires. Failure is a value; a throw counts as a failure of the tool itself. */
  run(input: Input, context: ToolContext): Promise<ToolResult>;
}

export interface ToolContext {
  readonly signal: AbortSignal;
  readonly workdir: string;
  readonly executionId: string;
  readonly conversationId?: string;
  /** The same at each try of the same work: what the tool asks of others by it is done once. Left out: nobody tries it again. */
  readonly idempotencyKey?: string;
  /** Variables for child processes; already reduced to the allow-list. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Where a path of the input leads was judged when the call was allowed, and may be another place by now. Asked with the
   * place that is held; says in one sentence why it may not be used. Left out: nobody judged it.
   */
  readonly recheck?: Recheck;
  /** Shows life: resets the idle limit, and listeners can watch it. */
  readonly progress: (update: Progress) => void;
  /** Asks the person. Wall and idle clocks stand still meanwhile. */
  readonly ask: (question: Question) => Promise<Answer>;
  /** Reports how work outside this process was stopped; the record keeps it. */
  readonly stopped: (report: StopReport) => void;
  /** Reports what holds the processes it starts; the record keeps the weakest. */
  readonly sandboxed: (report: SandboxReport) => void;
  /** Reports that all it needs is there: what took time until now was not the tool's own work. */
  readonly began?: () => void;
  /** Reports that another version of the tool did the work than the one that was chosen; the record keeps that one. */
  readonly ranAs?: (version: string) => void;
  /** Reports that the work was never begun, although `run` was called to pass it on; the record says so. */
  readonly notEntered?: () => void;
  /**
   * Told right before a file takes its new content, so that it can be put back; a rejection means that the change must not be
   * made. Left out: nobody keeps it.
   */
  readonly keepBefore?: (change: FileChange) => Promise<void> | void;
}

/** A change of one file that is about to be made. It may still fail: then the file is as it was before. */
export interface FileChange {
  /** Absolute, without symbolic links. */
  readonly path: string;
  /** The exact bytes; null when there is no file yet, and when it is too large to be kept. */
  readonly before: Uint8Array | null;
  /** The permission bits; null when there is no file yet. */
  readonly mode: number | null;
  readonly after: Uint8Array;
  /** So many of the folders right above it are made for it; left out: none. */
  readonly newFolders?: number;
}

/** `leadsTo`: absolute, without symbolic links. */
export type Recheck = (given: string, leadsTo: string) => string | undefined;

export interface PreviewContext {
  readonly workdir: string;
  readonly signal: AbortSignal;
}

export interface Preview {
  readonly text: string;
  readonly diff?: string;
}

export interface Progress {
  readonly message?: string;
  /** A piece of output as it appeared. Pieces may be left out when output is faster than its watchers. */
  readonly output?: string;
  readonly stream?: "stdout" | "stderr";
  readonly done?: number;
  readonly total?: number;
}

export type ToolResult =
  | {
      readonly ok: true;
      readonly output: string;
      readonly data?: unknown;
      /** Files the call created or changed, or that hold its whole output. */
      readonly files?: readonly string[];
      /** How much there was in all, when `output` holds only a part of it. */
      readonly outputBytes?: number;
      readonly outputLines?: number;
    }
  | {
      readonly ok: false;
      readonly error: string;
      readonly hint?: string;
      readonly output?: string;
      readonly errorType?: ErrorType;
      readonly data?: unknown;
      readonly files?: readonly string[];
      readonly outputBytes?: number;
      readonly outputLines?: number;
    };

export type Checked<Input> =
  /** `ignored`: keys that came and mean nothing to the tool. */
  | { readonly ok: true; readonly input: Input; readonly ignored?: readonly string[] }
  | { readonly ok: false; readonly problems: readonly InputProblem[] };

export interface InputProblem {
  /** Where in the input, as `edits[2].old_string`; empty for the input itself. */
  readonly path: string;
  readonly kind: "missing" | "wrong";
  /** What was expected and what came. */
  readonly message: string;
}

/** Saves a whole text where it can be read later and resolves to its path. Rejects when that fails. */
export type KeepText = (text: string, fileName: string) => Promise<string>;

export type Access = "read" | "write";

/**
 * What a call touches. Two calls may overlap unless one of them writes what the other touches.
 * - `path`: that file or folder and all below it, relative to the workdir or absolute
 * - `name`: anything else that callers agree to call by one name (`port:3000`)
 * - `everything`: all of it, as an unknown shell command does
 *
 * A write may make the folders above its path. A call that fails where a folder is missing therefore reads that folder,
 * and one that makes or moves links, or folders with links in them, writes everything: nobody can say which paths it
 * changes.
 */
export type Resource =
  | { readonly kind: "path"; readonly path: string; readonly access: Access }
  | { readonly kind: "name"; readonly name: string; readonly access: Access }
  | { readonly kind: "everything"; readonly access: Access };
