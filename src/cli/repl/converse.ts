import { systemClock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { Model } from "../../core/model.ts";
import type { Runtime } from "../../runtime/create-runtime.ts";
import type { OpenedAgent } from "../../runtime/open-agent.ts";
import { endSession } from "../commands/agent/end-session.ts";
import { codeOfSignal, exitCode } from "../parser/exit-code.ts";
import { untoldWarnings } from "../open-runtime.ts";
import { neutralizeText } from "../terminal/terminal-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { nameOfSignal, watchSignals } from "../terminal/watch-signals.ts";
import { wrapLines } from "../terminal/wrap-text.ts";
import { nextMode } from "./change-mode.ts";
import { createReplCompleter } from "./complete-here.ts";
import type { History } from "./editor/history-file.ts";
import type { Input } from "./input/open-input.ts";
import type { PromptResult } from "./input/prompt-dialog.ts";
import { createRunRenderer, type RunRenderer } from "../output/run-renderer.ts";
import type { Screen } from "../output/screen.ts";
import type { ReplContext, ShownCall } from "./repl-context.ts";
import { runHere } from "./run-here.ts";
import { runShellHere } from "./run-tool-here.ts";
import { bidFarewell, countPrompts, greet, promptStatus } from "./show-conversation.ts";
import { callsIn } from "./show-agent-run.ts";
import { isSlash, runSlash } from "./slash-commands.ts";
import { withTypedRow } from "./typed-row.ts";

export interface ConversationParts {
  readonly runtime: Runtime;
  readonly terminal: Terminal;
  readonly input: Input;
  readonly screen: Screen;
  readonly history: History;
  readonly agent: OpenedAgent;
  readonly mode: "agent" | "chat";
  /** Another conversation; without a name, a new one. */
  readonly open: (model: Model, session?: string) => Promise<OpenedAgent>;
  /** The first words, as if they had been typed. */
  readonly prompt?: string;
}

/** Prompt after prompt, until the person leaves or a signal ends the program. Closes the conversation. */
export async function converse(parts: ConversationParts): Promise<number> {
  const { runtime, terminal, input, history } = parts;
  const screen = withTypedRow(parts.screen, input, terminal.styleError);
  const leaving = new AbortController();
  const watch = watchSignals(terminal, (signal) => leaving.abort(new Error(`Stopped by ${nameOfSignal(signal)}`)));
  let { agent } = parts;
  let renderer = openRenderer();
  let calls: ShownCall[] = callsIn(agent.history);
  let place: "prompt" | "run" | "command" = "command";
  let command = new AbortController();

  const context: ReplContext = {
    runtime,
    terminal,
    input,
    screen,
    mode: parts.mode,
    get agent() {
      return agent;
    },
    get calls() {
      return calls;
    },
    get signal() {
      return command.signal;
    },
    say(text) {
      if (place === "run") renderer.note(text);
      else context.show(wrapLines(neutralizeText(text), screen.columns));
    },
    show(text) {
      if (place === "prompt") input.writeAbove(() => terminal.show(text));
      else screen.write(`${text}\n`);
    },
    async startNew() {
      const before = agent;
      const next = await parts.open(agent.model);
      bidFarewell(context);
      await take(next);
      if (countPrompts(before.history) > 0) await endSession(runtime, before.sessionId);
    },
    async switchTo(session) {
      await take(await parts.open(agent.model, session));
    },
  };

  function openRenderer(): RunRenderer {
    return createRunRenderer({ terminal, screen, clock: systemClock, mode: () => runtime.permissionMode });
  }

  async function take(next: OpenedAgent): Promise<void> {
    const before = agent;
    agent = next;
    calls = callsIn(agent.history);
    renderer = openRenderer();
    await before.close();
    greet(context);
  }

  /** The person pressed Ctrl-C once more while things were being stopped. */
  function leave(): void {
    parts.screen.close();
    input.close();
    terminal.tell("Left without waiting: the next deckhand command here ends what is left of the call.");
    process.exit(exitCode.cancelled);
  }

  async function prompt(text: string): Promise<"interrupted" | void> {
    place = "run";
    try {
      return await runHere(context, text, {
        renderer,
        leave,
        leaving: leaving.signal,
        onCall: (call) => calls.push(call),
      });
    } finally {
      place = "command";
      for (const warning of untoldWarnings(runtime)) context.say(`deckhand: warning: ${warning}`);
    }
  }

  /** Ctrl-C stops a command of the person's own as well. */
  async function obey(line: string): Promise<"leave" | void> {
    command = new AbortController();
    const stop = (): void => command.abort(new Error("Stopped by the user"));
    const stopListening = input.onKey((key) => {
      if (key.kind !== "key" || key.name !== "ctrl-c") return false;
      if (command.signal.aborted) leave();
      stop();
      return true;
    });
    leaving.signal.addEventListener("abort", stop, { once: true });
    try {
      if (isSlash(line)) return await runSlash(context, line);
      return await runShellHere(context, line.slice(1).trim());
    } finally {
      leaving.signal.removeEventListener("abort", stop);
      stopListening();
    }
  }

  const completer = createReplCompleter(context);
  async function readLine(): Promise<PromptResult> {
    place = "prompt";
    try {
      return await input.readPrompt({
        prompt: "› ",
        status: (columns) => promptStatus(context, columns),
        completer,
        history,
        keys: { "ctrl-o": () => void runSlash(context, "/log"), "shift-tab": () => nextMode(context) },
        signal: leaving.signal,
      });
    } finally {
      place = "command";
    }
  }

  /** What one input leads to: the exit code, `interrupted` when one more Ctrl-C leaves, or nothing. */
  async function act(line: string): Promise<number | "interrupted" | void> {
    if (line === "") return;
    try {
      if (!isSlash(line) && !line.startsWith("!")) return await prompt(line);
      if ((await obey(line)) === "leave") return exitCode.done;
    } catch (thrown) {
      context.say(`deckhand: ${messageOf(thrown)}`);
    }
  }

  async function talk(): Promise<number> {
    greet(context);
    let wasInterrupted = false;
    if (parts.prompt !== undefined) {
      context.say(`› ${parts.prompt}`);
      wasInterrupted = (await act(parts.prompt.trim())) === "interrupted";
    }
    for (;;) {
      const result = await readLine();
      if (result.kind === "leave" || result.kind === "cancelled") return exitCode.done;
      if (result.kind === "interrupt") {
        if (wasInterrupted) return exitCode.cancelled;
        wasInterrupted = true;
        context.say("Ctrl-C again leaves; so does Ctrl-D.");
        continue;
      }
      const next = await act(result.text.trim());
      if (typeof next === "number") return next;
      wasInterrupted = next === "interrupted";
    }
  }

  try {
    const code = await talk();
    bidFarewell(context);
    return watch.signal === undefined ? code : codeOfSignal[watch.signal];
  } finally {
    await agent.close();
    watch.end();
  }
}
