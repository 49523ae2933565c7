import type { Runtime } from "../../runtime/create-runtime.ts";
import type { OpenedAgent } from "../../runtime/open-agent.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Input } from "./input/open-input.ts";
import type { Screen } from "../output/screen.ts";

/** What the commands of a conversation work with. */
export interface ReplContext {
  readonly runtime: Runtime;
  readonly terminal: Terminal;
  readonly input: Input;
  readonly screen: Screen;
  /** The conversation of the moment: /reset and /resume change it. */
  readonly agent: OpenedAgent;
  /** `chat`: the model has no tools. */
  readonly mode: "agent" | "chat";
  /** Text for the person, above the prompt; made harmless. */
  readonly say: (text: string) => void;
  /** The same for text that is harmless and styled already. */
  readonly show: (text: string) => void;
  /** Ends this conversation and begins a new one. */
  readonly startNew: () => Promise<void>;
  /** Goes on with another conversation. */
  readonly switchTo: (session: string) => Promise<void>;
  /** Stops what the command does when the person presses Ctrl-C. */
  readonly signal: AbortSignal;
  /** The calls so far, the last one last; also those of a conversation that was resumed. */
  readonly calls: readonly ShownCall[];
}

export interface ShownCall {
  readonly title: string;
  readonly executionId: string;
}

/** `leave`: the conversation is over. */
export type SlashResult = "leave" | void;

export interface SlashCommand {
  /** With its slash. */
  readonly name: string;
  /** What may follow, as in `[MODE]`. */
  readonly takes?: string;
  readonly summary: string;
  readonly run: (context: ReplContext, rest: string) => Promise<SlashResult> | SlashResult;
  /** What may stand behind it. */
  readonly complete?: (
    context: ReplContext,
    words: readonly string[],
  ) => Promise<readonly string[]> | readonly string[];
}
