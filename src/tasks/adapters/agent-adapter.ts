import { RuntimeError } from "../../core/errors.ts";
import type { TaskOrder } from "../../core/task.ts";

/**
 * How one agent CLI is driven. It decides nothing else: limits, files, stopping and records are the task manager's. Success is
 * what the CLI's own events say, never its exit code alone.
 */
export interface AgentAdapter {
  /** `claude` */
  readonly name: string;
  /** What a person reads in a list. */
  readonly title: string;
  /** The program, as it is looked for on PATH. */
  readonly program: string;
  /** How to get it, as a command: `npm install -g …`. */
  readonly install: string;
  /** Whether its sessions can be gone on with. */
  readonly canResume: boolean;
  /** Throws a RuntimeError with code TASK_INVALID and one sentence when the order asks for something this agent can't do. */
  plan(order: PlacedOrder, place: LaunchPlace): LaunchPlan;
  /** A reader for one run; fed whole lines of stdout in order, also again from the beginning after a restart. */
  openReader(): OutputReader;
}

/** An order on the machine that runs it. */
export interface PlacedOrder extends TaskOrder {
  /** Absolute. */
  readonly cwd: string;
}

export interface LaunchPlace {
  /** The task's own private folder; what the adapter names in `files` is written there before the start. */
  readonly folder: string;
  /** A fresh UUID that the adapter may use as the CLI's session id. */
  readonly sessionId: string;
  /** Values that are known to be secret, for an agent that masks them itself. */
  readonly secrets?: readonly string[];
}

/** Holds the secrets that an agent is to mask; it removes the file when it has read it, and what is left goes with the end of the task. */
export const secretsFile = "secrets.json";

export interface LaunchPlan {
  /** What is started, where that is not the adapter's program itself but something that starts it; absolute. */
  readonly program?: string;
  /** Without the program itself. The message is never where a leading dash or a newline could become an option. */
  readonly args: readonly string[];
  /** What goes to stdin; left out: it is closed. */
  readonly stdin?: string;
  /** Beside the allow-list of the environment; null takes a variable away. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Names of variables of the person's environment that this CLI needs: keys and base URLs. */
  readonly passes: readonly string[];
  /** Files in the task's folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Known before it starts; null when only the CLI knows it. */
  readonly sessionId: string | null;
}

/** Makes sense of what a CLI prints. Never throws: a line it does not understand is a line of text. */
export interface OutputReader {
  /** Says what is new, if anything. */
  line(text: string): ReaderNews | undefined;
  /** Asked once the process has ended, or is gone. */
  end(exit: AgentExit): AgentVerdict;
  /** The answer as far as it has come. */
  partial(): string;
}

export interface ReaderNews {
  readonly sessionId?: string;
  /** One line: what it does now. */
  readonly progress?: string;
  /** The agent said that it is done: nothing more is to come, even if the process lingers. False: it goes on after all. */
  readonly isDone?: boolean;
}

export interface AgentExit {
  /** Null when it was ended by a signal, or nobody knows. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of stderr. */
  readonly errorText: string;
}

export type AgentVerdict =
  | { readonly ok: true; readonly text: string }
  /** One sentence. */
  | { readonly ok: false; readonly error: string };

/** One entry of `agents` in the settings: another agent, or how a known one is started here. */
export interface AgentSettings {
  /**
   * The program and its first arguments. `{model}`, `{session}` and `{system_prompt}` in them are filled in; an argument
   * whose value the task does not give is left out. Left out altogether: a known agent's own program.
   */
  readonly command?: readonly [string, ...string[]];
  /** How it is spoken to and read. Left out: as the known agent of this name is. */
  readonly output?: "text" | "json_lines" | "acp";
  /** Where the message goes: `stdin` when left out. */
  readonly message?: "stdin" | "argument";
  /** `json_lines`: where the answer and the session's id lie in a line, as in `result.text`. */
  readonly resultField?: string;
  readonly sessionField?: string;
  /** Whether whoever orders a task may add arguments: nobody knows what they mean. */
  readonly acceptsArgs?: boolean;
  /** How to get it. */
  readonly install?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Names of variables of the person's environment that it gets beside the usual ones. */
  readonly passes?: readonly string[];
}

/** The order asks for something this agent can't do, or nobody should: one sentence. */
export function refuse(sentence: string): never {
  throw new RuntimeError("TASK_INVALID", sentence);
}

/** The message for an agent that takes no system prompt: what it says comes first. */
export function prefixMessage({ systemPrompt, message }: TaskOrder): string {
  return systemPrompt === null || systemPrompt.trim() === "" ? message : `${systemPrompt.trimEnd()}\n\n${message}`;
}

const placeholders = /\{(model|session|system_prompt)\}/g;
export type Placeholder = "model" | "session" | "system_prompt";

/** The arguments with what the order says in place of `{model}` and the like; those it says nothing for are left out. */
export function fillCommand(command: readonly string[], order: TaskOrder): string[] {
  const values = { model: order.model, session: order.resume, system_prompt: order.systemPrompt };
  return command.flatMap((argument) => {
    const named = [...argument.matchAll(placeholders)].map(([, name]) => values[name as Placeholder]);
    if (named.includes(null)) return [];
    return [argument.replaceAll(placeholders, (_, name: Placeholder) => values[name]!)];
  });
}

export function hasPlace(command: readonly string[], placeholder: Placeholder): boolean {
  return command.some((argument) => argument.includes(`{${placeholder}}`));
}
