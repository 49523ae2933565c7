import { resolve } from "node:path";
import type { RunEnd } from "../core/agent-events.ts";
import type { UserPart } from "../core/message.ts";
import { toWire } from "../core/wire.ts";
import type { Runtime, RuntimeConfig } from "../runtime/create-runtime.ts";
import type { OpenedAgent } from "../runtime/open-agent.ts";
import { readAgentSettings } from "./agent-settings.ts";
import { UsageError, type Invocation } from "./command.ts";
import { codeOfSignal, exitCode } from "./exit-code.ts";
import { openCliModel } from "./open-model.ts";
import { openRuntime, tellWarnings } from "./open-runtime.ts";
import { openCliAgent, tellReconciled } from "./open-cli-agent.ts";
import { personConfig } from "./person-config.ts";
import { readTask } from "./read-task.ts";
import { readImage } from "./repl/read-image.ts";
import { openPerson, type Person } from "./repl/open-person.ts";
import { createPlainRenderer } from "./repl/output/plain-renderer.ts";
import type { RunRenderer } from "./repl/output/run-renderer.ts";
import type { Terminal } from "./terminal.ts";
import { nameOfSignal, watchSignals } from "./watch-signals.ts";

/** `deckhand run "task"` */
export async function runRun(invocation: Invocation, terminal: Terminal): Promise<number> {
  const task = await readTask(invocation, terminal);
  const { settings, agent: agentSettings } = readAgentSettings(invocation);
  const asJson = invocation.has("json");
  const renderer = asJson ? null : createPlainRenderer({ terminal, quiet: invocation.has("quiet") });
  const { config, person } = reachPerson(invocation, terminal, renderer);
  const runtime = await openRuntime(invocation, terminal, mergeSettings(config, settings));
  try {
    if (!asJson) tellWarnings(runtime, terminal);
    const model = await openCliModel(runtime, terminal, { invocation });
    if (!model) return exitCode.wrongUse;
    const agent = await openCliAgent(runtime, { invocation, model, settings: agentSettings });
    try {
      if (!asJson) tellReconciled(agent, (text) => terminal.tell(text));
      const parts = await withImages(task, { invocation, runtime, agent });
      return await answer({ runtime, agent, terminal, renderer, parts });
    } finally {
      await agent.close();
    }
  } finally {
    person?.input.close();
    await runtime.close();
  }
}

interface Task {
  readonly runtime: Runtime;
  readonly agent: OpenedAgent;
  readonly terminal: Terminal;
  readonly renderer: RunRenderer | null;
  readonly parts: readonly UserPart[];
}

async function answer({ runtime, agent, terminal, renderer, parts }: Task): Promise<number> {
  const stop = new AbortController();
  const stopAgent = agent.on((event) => {
    if (renderer) renderer.agent(event);
    else terminal.printJsonLine(toWire(event));
  });
  const stopRuntime = runtime.on("*", (event) => renderer?.runtime(event));
  const watch = watchSignals(terminal, (signal) => stop.abort(new Error(`Stopped by ${nameOfSignal(signal)}`)));
  try {
    const end = await agent.send(parts, { signal: stop.signal });
    return codeOfEnd(end, watch.signal && codeOfSignal[watch.signal]);
  } finally {
    renderer?.end();
    stopAgent();
    stopRuntime();
    watch.end();
  }
}

function codeOfEnd({ state }: RunEnd, signalCode: number | undefined): number {
  if (state === "answered") return exitCode.done;
  return state === "cancelled" ? (signalCode ?? exitCode.cancelled) : exitCode.failed;
}

/** On a terminal the person is asked there; what they said in advance and the inbox come first. */
function reachPerson(
  invocation: Invocation,
  terminal: Terminal,
  renderer: RunRenderer | null,
): { readonly config: RuntimeConfig; readonly person: Person | null } {
  const config = personConfig(invocation, terminal);
  if (invocation.has("inbox") || !terminal.isInteractive || !renderer) return { config, person: null };
  const person = openPerson(terminal, renderer.screen);
  // In this mode the terminal hands Ctrl-C to us as a character.
  person.input.onKey((key) => {
    if (key.kind !== "key" || key.name !== "ctrl-c") return false;
    process.emit("SIGINT");
    return true;
  });
  return { config: { ...config, approve: person.approve, ask: person.ask }, person };
}

function mergeSettings(config: RuntimeConfig, settings: NonNullable<RuntimeConfig["settings"]>): RuntimeConfig {
  const permissions = { ...config.settings?.permissions, ...settings.permissions };
  // Nothing that is said need not be checked.
  const said = Object.keys(permissions).length > 0 ? { permissions } : {};
  return { ...config, settings: { ...config.settings, ...settings, ...said } };
}

async function withImages(
  task: string,
  { invocation, runtime, agent }: { invocation: Invocation; runtime: Runtime; agent: OpenedAgent },
): Promise<readonly UserPart[]> {
  const parts: UserPart[] = [{ type: "text", text: task }];
  for (const path of invocation.values("image")) {
    if (!agent.model.acceptsImages)
      throw new UsageError(`The model ${agent.model.id} takes no pictures; leave --image out.`);
    const image = await readImage(resolve(path), runtime.workdir);
    if (typeof image === "string") throw new UsageError(`--image ${image}.`);
    parts.push(image);
  }
  return parts;
}
