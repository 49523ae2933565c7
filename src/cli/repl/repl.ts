import { join } from "node:path";
import { systemClock } from "../../core/clock.ts";
import type { Model } from "../../core/model.ts";
import type { Runtime } from "../../runtime/create-runtime.ts";
import type { OpenedAgent } from "../../runtime/open-agent.ts";
import { readAgentSettings } from "../commands/agent/agent-flags.ts";
import type { Invocation } from "../parser/command.ts";
import { exitCode } from "../parser/exit-code.ts";
import { openCliAgent } from "../commands/agent/open-cli-agent.ts";
import { openCliModel } from "../commands/agent/open-cli-model.ts";
import { offerTrust } from "../commands/agent/offer-trust.ts";
import { chooseWorkdir, openRuntime, tellWarnings } from "../open-runtime.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { converse } from "./converse.ts";
import { openHistory } from "./editor/history-file.ts";
import { openPerson } from "./open-person.ts";
import { openScreen } from "../output/screen.ts";

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
