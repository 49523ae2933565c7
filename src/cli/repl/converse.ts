import { systemClock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { Model } from "../../core/model.ts";
import type { Runtime } from "../../runtime/create-runtime.ts";
import type { OpenedAgent } from "../../runtime/open-agent.ts";
import { exitCode } from "../exit-code.ts";
import { tellReconciled } from "../open-cli-agent.ts";
import { neutralizeText } from "../terminal-text.ts";
import type { Terminal } from "../terminal.ts";
import { createReplCompleter } from "./complete-here.ts";
import type { History } from "./input/history-file.ts";
import type { Input } from "./input/open-input.ts";
import { createRunRenderer } from "./output/run-renderer.ts";
import type { Screen } from "./output/screen.ts";
import { renderStatusLine } from "./output/status-line.ts";
import { readPrompt } from "./prompt-parts.ts";
import type { ReplContext } from "./repl-context.ts";
import { runShellHere } from "./run-tool-here.ts";
import { runSlash } from "./slash-commands.ts";
import { watchInterrupts } from "./watch-interrupts.ts";

export interface ConversationParts {
  readonly runtime: Runtime;
  readonly terminal: Terminal;
  readonly input: Input;
  readonly screen: Screen;
  readonly history: History;
  readonly agent: OpenedAgent;
  /** Another conversation; without a name, a new one. */
  readonly open: (model: Model, session?: string) => Promise<OpenedAgent>;
  /** The first words, as if they had been typed. */
  readonly prompt?: string;
}

/** Prompt after prompt, until the person leaves. Closes the conversation. */
export async function converse(parts: ConversationParts): Promise<number> {
  const { runtime, terminal, input, screen, history } = parts;
  const outputs: { title: string; executionId: string }[] = [];
  let { agent } = parts;
  let interrupted = false;
  let command = new AbortController();

  const context: ReplContext = {
    runtime,
    terminal,
    input,
    outputs,
    get agent() {
      return agent;
    },
    get signal() {
      return command.signal;
    },
    say: (text) => input.writeAbove(() => terminal.show(neutralizeText(text))),
    show: (text) => input.writeAbove(() => terminal.show(text)),
    async switchTo(session) {
      const next = await parts.open(agent.model, session);
      await agent.close();
      agent = next;
      outputs.length = 0;
      greet(context);
    },
  };

  const completer = createReplCompleter(context);
  const status = (columns: number): string =>
    renderStatusLine(
      {
        model: agent.model.id,
        contextTokens: agent.context?.tokens ?? null,
        maxContextTokens: agent.context?.maxTokens ?? null,
        cost: agent.spent.cost,
        cachedPercent: null,
        mode: runtime.permissionMode,
        elapsedMs: null,
      },
      columns,
      terminal.styleError,
    );

  async function run(text: string): Promise<void> {
    const read = await readPrompt(text, {
      runtime,
      conversationId: agent.sessionId,
      acceptsImages: agent.model.acceptsImages,
    });
    for (const problem of read.problems) context.say(problem);
    const renderer = createRunRenderer({ terminal, screen, clock: systemClock, mode: () => runtime.permissionMode });
    const stopAgent = agent.on((event) => {
      renderer.agent(event);
      if (event.type === "call:added")
        outputs.push({ title: `${event.tool} ${event.title}`, executionId: event.executionId });
    });
    const stopRuntime = runtime.on("*", (event) => renderer.runtime(event));
    const interrupts = watchInterrupts({ input, agent, tell: (line) => renderer.note(line), leave });
    const stopUnfolding = input.onKey((key) => {
      if (key.kind !== "key" || key.name !== "ctrl-o") return false;
      void runSlash(context, "/log");
      return true;
    });
    try {
      await agent.send(read.parts, { signal: interrupts.signal });
    } finally {
      stopUnfolding();
      interrupts.end();
      stopAgent();
      stopRuntime();
      renderer.end();
    }
  }

  /** The person pressed Ctrl-C once more while things were being stopped. */
  function leave(): void {
    screen.close();
    input.close();
    terminal.tell("Left without waiting: the next deckhand command here ends what is left of the call.");
    process.exit(exitCode.cancelled);
  }

  /** Ctrl-C stops a command of the person's own as well. */
  async function handle(line: string): Promise<"leave" | void> {
    if (!line.startsWith("/") && !line.startsWith("!")) return run(line);
    command = new AbortController();
    const stop = input.onKey((key) => {
      if (key.kind !== "key" || key.name !== "ctrl-c") return false;
      command.abort(new Error("Stopped by the person"));
      return true;
    });
    try {
      if (line.startsWith("/")) return await runSlash(context, line);
      return await runShellHere(context, line.slice(1).trim());
    } finally {
      stop();
    }
  }

  try {
    greet(context);
    let pending = parts.prompt;
    for (;;) {
      const result = pending
        ? { kind: "line" as const, text: pending }
        : await input.readPrompt({ prompt: "› ", status, completer, history, signal: new AbortController().signal });
      pending = undefined;
      if (result.kind === "leave" || result.kind === "cancelled") return exitCode.done;
      if (result.kind === "interrupt") {
        if (interrupted) return exitCode.cancelled;
        interrupted = true;
        context.say("Ctrl-C again leaves; so does Ctrl-D.");
        continue;
      }
      interrupted = false;
      const line = result.text.trim();
      if (line === "") continue;
      try {
        if ((await handle(line)) === "leave") return exitCode.done;
      } catch (thrown) {
        context.say(`deckhand: ${messageOf(thrown)}`);
      }
    }
  } finally {
    await agent.close();
  }
}

/** What the person should know before they type. */
function greet({ agent, runtime, terminal, say, show }: ReplContext): void {
  const style = terminal.styleError;
  const tools = runtime.tools.list("agent").length;
  show(
    `${style("bold", "deckhand")} ${style("dim", `· ${agent.model.id} · ${tools} tools · ${runtime.workdir} · /help`)}`,
  );
  tellReconciled(agent, say);
  const prompts = agent.history.filter(({ type }) => type === "user").length;
  if (prompts > 0) say(`Going on with ${agent.sessionId}: ${prompts} ${prompts === 1 ? "prompt" : "prompts"} so far.`);
}
