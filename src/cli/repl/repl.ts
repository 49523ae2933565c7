import { join } from "node:path";
import { systemClock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { Model } from "../../core/model.ts";
import type { Runtime } from "../../runtime/create-runtime.ts";
import type { OpenedAgent } from "../../runtime/open-agent.ts";
import { readAgentSettings } from "../agent-settings.ts";
import type { Invocation } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { openCliAgent, tellReconciled } from "../open-cli-agent.ts";
import { openCliModel } from "../open-model.ts";
import { openRuntime } from "../open-runtime.ts";
import { neutralizeText } from "../terminal-text.ts";
import type { Terminal } from "../terminal.ts";
import { createReplCompleter } from "./complete-here.ts";
import { openHistory } from "./input/history-file.ts";
import { openPerson } from "./open-person.ts";
import { createRunRenderer } from "./output/run-renderer.ts";
import { openScreen } from "./output/screen.ts";
import { readPrompt } from "./prompt-parts.ts";
import type { ReplContext } from "./repl-context.ts";
import { runShellHere } from "./run-tool-here.ts";
import { runSlash } from "./slash-commands.ts";
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
export async function runRepl(options: ReplOptions): Promise<number> {
  const { invocation, terminal, mode } = options;
  const { settings, agent: agentSettings } = readAgentSettings(invocation);
  const screen = openScreen(terminal);
  const person = openPerson(terminal, screen);
  let runtime: Runtime | undefined;
  let agent: OpenedAgent | undefined;
  try {
    runtime = await openRuntime(invocation, terminal, { approve: person.approve, ask: person.ask, settings });
    const model = await openCliModel(runtime, invocation, terminal);
    if (!model) return exitCode.wrongUse;
    const open = (wanted: Model, session?: string): Promise<OpenedAgent> =>
      openCliAgent(runtime!, { invocation, model: wanted, mode, settings: agentSettings, ...(session ? { session } : {}) });
    agent = await open(model, options.session);
    const conversation = await converse({ ...options, runtime, person, screen, agent, open });
    agent = conversation.agent;
    return conversation.code;
  } finally {
    screen.close();
    person.input.close();
    await agent?.close();
    await runtime?.close();
  }
}
