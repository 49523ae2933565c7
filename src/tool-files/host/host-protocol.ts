import type { Answer, Question } from "../../core/approval.ts";
import type { InputProblem, Progress, ToolResult } from "../../core/tool.ts";
import type { FileProblem } from "./tool-host.ts";

/**
 * What a tool host and the runtime tell each other, as one JSON object per line. The host reads from descriptor 3 and writes to
 * descriptor 4; its descriptors 0, 1 and 2 belong to the tool, so nothing that a tool prints can be taken for a message.
 */
export type ToHost =
  | { readonly kind: "check"; readonly id: number; readonly input: unknown }
  | { readonly kind: "call"; readonly id: number; readonly input: unknown; readonly context: CallFacts }
  /** Always answered by `ended`, unless that is under way. */
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "answer"; readonly id: number; readonly ask: number; readonly answer: Answer }
  /** Calls `close()` of what `create()` made, answers `closed` and ends. */
  | { readonly kind: "close" };

export interface CallFacts {
  readonly workdir: string;
  readonly executionId: string;
  readonly conversationId: string | null;
  readonly idempotencyKey: string | null;
  readonly env: Readonly<Record<string, string>>;
}

export type FromHost =
  /** The content without its types, told before anything of it has run. */
  | { readonly kind: "stripped"; readonly text: string }
  /** After that, one of these two. */
  | { readonly kind: "loaded"; readonly file: RawFile }
  | { readonly kind: "broken"; readonly problem: FileProblem }
  /** Null: it fits. */
  | { readonly kind: "checked"; readonly id: number; readonly problems: readonly InputProblem[] | null }
  /** Written before `run` is called, so that it is told even if nothing ever comes after it. */
  | { readonly kind: "entered"; readonly id: number }
  | { readonly kind: "progress"; readonly id: number; readonly update: Progress }
  | { readonly kind: "ask"; readonly id: number; readonly ask: number; readonly question: Question }
  /** `isUnusable`: `create()` failed, so that no call can ever succeed in this process. */
  | { readonly kind: "ended"; readonly id: number; readonly result: ToolResult; readonly isUnusable?: boolean }
  | { readonly kind: "invalid"; readonly id: number; readonly problems: readonly InputProblem[] }
  /** An error that nobody caught; `id` is the call whose work it was, null when nobody knows. */
  | { readonly kind: "uncaught"; readonly id: number | null; readonly message: string; readonly errorType?: string }
  /** The tool ended its own process. */
  | { readonly kind: "exiting"; readonly id: number | null; readonly code: number }
  | { readonly kind: "closed" };

/** What a file exports, as it is: nobody has looked at it yet. */
export interface RawFile {
  readonly spec: unknown;
  /** Where the spec begins. */
  readonly line: number | null;
  readonly exports: "run" | "create" | "neither";
}

export interface HostLimits {
  /** How many hosts live at once. */
  readonly hosts: number;
  /** How many files are read at once. */
  readonly describing: number;
  /** From the start of the process until the file is imported. */
  readonly loadMs: number;
  readonly checkMs: number;
  /** How long a call may take to return after it was asked to stop; then its process is ended. */
  readonly cancelMs: number;
  /** How long `close()` of a tool may take. */
  readonly closeMs: number;
  /** A host without calls ends after this. */
  readonly idleMs: number;
  /** Of one host. */
  readonly memoryMb: number;
  /** Printed while calls are under way; past it the process is ended. */
  readonly printedBytes: number;
}

export const defaultHostLimits: HostLimits = {
  hosts: 16,
  describing: 4,
  loadMs: 15_000,
  checkMs: 5000,
  cancelMs: 500,
  closeMs: 5000,
  idleMs: 10 * 60_000,
  memoryMb: 1024,
  printedBytes: 64 * 1024 * 1024,
};
