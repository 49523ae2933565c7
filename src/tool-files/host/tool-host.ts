import type { Answer, Question } from "../../core/approval.ts";
import type { SandboxReport } from "../../core/call.ts";
import type { JsonSchema } from "../../core/json.ts";
import type { StopReport } from "../../core/process.ts";
import type { InputProblem, Progress, Resource, ToolResult, ToolTraits } from "../../core/tool.ts";

/** What a tool file says of itself, checked and complete. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly traits: Partial<ToolTraits>;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  /** What it touches, where the file says so without running anything: paths may name fields of the input, as in `{file_path}`. */
  readonly resources?: readonly Resource[];
  /** What its output is as JSON: a result of another form counts against a version that is tried. */
  readonly outputSchema?: JsonSchema;
  /** The name of a read-only tool that judges its results while a version is tried. */
  readonly judge?: string;
  /** For rehearsals. */
  readonly cases: readonly ToolCase[];
  /** `create(context)` makes what is called; otherwise `run` is called directly. */
  readonly hasLifecycle: boolean;
}

export interface ToolCase {
  readonly name: string;
  readonly input: unknown;
  /** Text that the output must have; left out: it must only succeed. */
  readonly expect?: string;
  /** It must fail, and the error must have this text. */
  readonly expectError?: string;
}

export type Language = "javascript" | "typescript" | "python";

/** One content of a tool file, by its hash: the file itself may be another one by now. */
export interface ToolFile {
  /** Absolute: a copy of the content that nobody changes. */
  readonly path: string;
  /** As the person knows it, relative to the workdir. */
  readonly shown: string;
  readonly language: Language;
  readonly hash: string;
  /** Runs in a process of its own, so that ending it ends no other call; left out: all calls of a content share one. */
  readonly isApart?: true;
}

/** Why a file is no tool: for the person and the model. */
export interface FileProblem {
  readonly message: string;
  /** From 1; null when there is none. */
  readonly line: number | null;
  /** What to do; null when nobody knows. */
  readonly hint: string | null;
}

export type Described =
  | { readonly ok: true; readonly spec: ToolSpec }
  | { readonly ok: false; readonly problem: FileProblem };

export interface HostCall {
  readonly executionId: string;
  readonly conversationId: string | null;
  readonly idempotencyKey: string | null;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly progress: (update: Progress) => void;
  readonly ask: (question: Question) => Promise<Answer>;
  readonly stopped: (report: StopReport) => void;
  readonly sandboxed: (report: SandboxReport) => void;
  /** Its process is there: from now on it is the tool that takes time. */
  readonly began?: () => void;
}

/** `entered`: the tool's `run` was called. Only a call that was not may be repeated elsewhere. */
export interface HostOutcome {
  readonly result: ToolResult;
  readonly entered: boolean;
  /** What was wrong with the input, when it was not taken: every call checks it. */
  readonly problems?: readonly InputProblem[];
}

/**
 * The child processes that tool files run in: one per content, started when it is first needed, at most 16 (the one that
 * was used the longest ago stops first, never one with a call under way). Whatever a tool does, the runtime and the other
 * tools do not notice.
 */
export interface ToolHosts {
  /** Reads the spec in a process of its own that ends; never throws, never takes longer than its limit. */
  describe(file: ToolFile): Promise<Described>;
  /** Checks an input against the schema inside the host: patterns of a stranger never run here. Null: it fits. */
  check(file: ToolFile, input: unknown): Promise<readonly InputProblem[] | null>;
  /** Never rejects. The signal ends it: first by asking, then the process with all it started. */
  call(file: ToolFile, input: unknown, call: HostCall): Promise<HostOutcome>;
  /** No new calls for this content; when the last one has ended, `close()` of the tool runs and the process ends. */
  retire(file: ToolFile): Promise<void>;
  /** What holds processes is another from now on: no call begins in one that was started before. */
  renew(): void;
  /** For `doctor`, status and tests. */
  list(): readonly HostStatus[];
  close(): Promise<void>;
}

export interface HostStatus {
  readonly file: string;
  readonly hash: string;
  readonly pid: number;
  readonly calls: number;
  readonly startedAt: number;
  readonly isRetired: boolean;
}
