import { join } from "node:path";
import { systemClock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { Model } from "../../core/model.ts";
import type { Runtime } from "../../runtime/create-runtime.ts";
import type { OpenedAgent } from "../../runtime/open-agent.ts";
import { listWorkdirFiles } from "../../tools/search/list-workdir-files.ts";
import { readAgentSettings } from "../commands/agent/agent-flags.ts";
import { offerTrust } from "../commands/agent/offer-trust.ts";
import { endSession, openCliAgent, openCliModel } from "../commands/agent/open-cli-agent.ts";
import { chooseWorkdir, openRuntime, tellWarnings, untoldWarnings } from "../open-runtime.ts";
import { createRunRenderer, type RunRenderer } from "../output/run-renderer.ts";
import { openScreen, type Screen } from "../output/screen.ts";
import type { Invocation } from "../parser/command.ts";
import { codeOfSignal, exitCode } from "../parser/exit-code.ts";
import { displayWidth, neutralizeLine, neutralizeText, wrapLines } from "../terminal/terminal-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { nameOfSignal, watchSignals } from "../terminal/watch-signals.ts";
import { nextMode } from "./change-session.ts";
import { createCompleter, type Complete, type Completion } from "./editor/completion.ts";
import { splitGraphemes } from "./editor/graphemes.ts";
import { type History, openHistory } from "./editor/history-file.ts";
import type { Input } from "./input/open-input.ts";
import type { PromptResult } from "./input/prompt-dialog.ts";
import { openPerson } from "./open-person.ts";
import { readPrompt } from "./prompt-parts.ts";
import type { ReplContext, ShownCall } from "./repl-context.ts";
import { runShellHere } from "./run-tool-here.ts";
import { callsIn, showOutput } from "./show-agent-run.ts";
import { bidFarewell, countPrompts, greet, promptStatus } from "./show-conversation.ts";
import { isSlash, runSlash, slashCommands } from "./slash-commands.ts";
import { watchInterrupts } from "./watch-interrupts.ts";

export interface ReplOptions {
  readonly invocation: Invocation;
  readonly terminal: Terminal;
  readonly mode: "agent" | "chat";
  /** To go on with; left out: as the options say. */
  readonly session?: string;
  /** The first words, as if they had been typed. */
  readonly prompt?: string;
}

/** A conversation at the terminal, until the person leaves. */
export async function runRepl({ invocation, terminal, mode, session, prompt }: ReplOptions): Promise<number> {
  const { settings, agent: agentSettings } = readAgentSettings(invocation);
  if (mode === "agent") await offerTrust(chooseWorkdir(invocation, terminal.env), terminal);
  const screen = openScreen({ stream: terminal.errorStream, clock: systemClock, termName: terminal.env["TERM"] });
  const person = openPerson(terminal, screen);
  const { input } = person;
  let runtime: Runtime | undefined;
  try {
    runtime = await openRuntime(invocation, terminal, { approve: person.approve, ask: person.ask, settings });
    tellWarnings(runtime, terminal);
    const model = await openCliModel(runtime, terminal, { invocation, ...(session ? { session } : {}) });
    if (!model) return exitCode.wrongUse;
    const opened = runtime;
    // Later ones are what the person says then; what the options name is the first.
    const open = (wanted: Model, named?: string): Promise<OpenedAgent> =>
      opened.openAgent({ model: wanted, mode, settings: agentSettings, ...(named ? { session: named } : {}) });
    const history = await openHistory({
      file: join(opened.stateFolder, "history"),
      clock: systemClock,
      mask: (text) => opened.maskText(text),
      onProblem: (sentence) => terminal.tell(sentence),
    });
    try {
      const agent = await openCliAgent(runtime, {
        invocation,
        model,
        mode,
        settings: agentSettings,
        ...(session ? { session } : {}),
      });
      const parts = { runtime, terminal, input, screen, history, agent, mode, open };
      return await converse({ ...parts, ...(prompt ? { prompt } : {}) });
    } finally {
      await history.close();
    }
  } finally {
    screen.close();
    input.close();
    await runtime?.close();
  }
}

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
async function converse(parts: ConversationParts): Promise<number> {
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

/** Commands, their arguments, and the files of the workdir. */
function createReplCompleter(context: ReplContext): Complete {
  return createCompleter({
    commands: slashCommands,
    listFiles: () => listWorkdirFiles(context.runtime.workdir, new AbortController().signal),
    async completeArgument(words) {
      const command = slashCommands.find(({ name }) => name === words[0]);
      const typed = words.at(-1) ?? "";
      const all = (await command?.complete?.(context, words)) ?? [];
      return all.filter((value) => value.startsWith(typed)).map((value): Completion => ({ value, end: " " }));
    },
  });
}

/** The screen with one more row at the bottom: what the person types while the agent works, for their next message. */
function withTypedRow(screen: Screen, input: Pick<Input, "typedAhead">, style: Terminal["styleError"]): Screen {
  return {
    ...screen,
    get columns() {
      return screen.columns;
    },
    setLive(render) {
      if (render === null) return screen.setLive(null);
      screen.setLive((view) => {
        const typed = input.typedAhead();
        if (typed === "") return render(view);
        const row = `${style("dim", "next ›")} ${endOf(neutralizeLine(typed), view.columns - displayWidth("next › "))}`;
        return [...render({ ...view, rows: view.rows - 1 }), row];
      });
    },
  };
}

/** Whoever types looks at the end. */
function endOf(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const characters = splitGraphemes(text.slice(-columns));
  while (displayWidth(characters.join("")) > columns - 1) characters.shift();
  return `…${characters.join("")}`;
}

export interface RunParts {
  readonly renderer: RunRenderer;
  /** Gives the terminal back and ends the program. */
  readonly leave: () => void;
  readonly leaving: AbortSignal;
  readonly onCall: (call: ShownCall) => void;
}

/** Sends a prompt and shows what the agent does, until it is over. `interrupted`: one more Ctrl-C leaves. */
async function runHere(
  context: ReplContext,
  text: string,
  { renderer, leave, leaving, onCall }: RunParts,
): Promise<"interrupted" | void> {
  const { runtime, agent, input } = context;
  const stopAgent = agent.on((event) => {
    renderer.agent(event);
    if (event.type === "call:added")
      onCall({ title: `${event.tool} ${event.title}`.trim(), executionId: event.executionId });
  });
  const stopRuntime = runtime.on("*", (event) => renderer.runtime(event));
  const interrupts = watchInterrupts({ input, agent, tell: (line) => renderer.note(line), leave, leaving });
  const stopKeys = input.onKey((key) => {
    if (key.kind !== "key") return false;
    if (key.name === "shift-tab") nextMode(context);
    else if (key.name !== "ctrl-o") return false;
    else showOutput(context, "").catch(() => undefined);
    return true;
  });
  try {
    const { parts, problems } = await readPrompt(text, {
      runtime,
      conversationId: agent.sessionId,
      acceptsImages: agent.model.acceptsImages,
      signal: interrupts.signal,
    });
    for (const problem of problems) renderer.note(problem);
    if (!interrupts.signal.aborted) await agent.send(parts, { signal: interrupts.signal });
    return interrupts.isLeavingNext ? "interrupted" : undefined;
  } finally {
    stopKeys();
    interrupts.end();
    stopAgent();
    stopRuntime();
    renderer.end();
  }
}
