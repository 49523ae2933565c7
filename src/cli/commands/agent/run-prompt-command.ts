import { resolve } from "node:path";
import type { AgentEvent, RunEnd } from "../../../core/agent-events.ts";
import type { RuntimeEvent } from "../../../core/events.ts";
import type { UserPart } from "../../../core/message.ts";
import { toWire } from "../../../core/wire.ts";
import type { Runtime, RuntimeConfig } from "../../../runtime/create-runtime.ts";
import type { OpenedAgent } from "../../../runtime/open-agent.ts";
import { readAgentSettings } from "./agent-flags.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { codeOfSignal, exitCode } from "../../parser/exit-code.ts";
import { openCliModel } from "./open-cli-model.ts";
import { openRuntime, tellWarnings } from "../../open-runtime.ts";
import { openCliAgent, tellReconciled } from "./open-cli-agent.ts";
import { maskEvents } from "./mask-events.ts";
import { personConfig } from "./person-config.ts";
import { readTask } from "./read-prompt.ts";
import { isImageName } from "../../repl/image-name.ts";
import { readPrompt } from "../../repl/prompt-parts.ts";
import { openPerson, type Person } from "../../repl/open-person.ts";
import { createPlainRenderer } from "../../output/plain-renderer.ts";
import type { RunRenderer } from "../../output/run-renderer.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { nameOfSignal, watchSignals } from "../../terminal/watch-signals.ts";

/** `deckhand run "task"` */
export async function runRun(invocation: Invocation, terminal: Terminal): Promise<number> {
  const missing = 'Say what to do: deckhand run "run the tests", or pipe the task into stdin.';
  const task = await readTask(invocation.positionals[0], terminal, missing);
  const { settings, agent: agentSettings } = readAgentSettings(invocation);
  const asJson = invocation.has("json");
  const renderer = asJson ? null : createPlainRenderer({ terminal, quiet: invocation.has("quiet") });
  const { config, person } = reachPerson(invocation, terminal, renderer);
  // From the beginning on: what a call waits for may happen before there is one.
  const onEvent = (event: RuntimeEvent): void => {
    if (event.type === "rollout:replaying") printEvent(event, terminal);
  };
  const merged = mergeSettings(config, settings);
  const runtime = await openRuntime(invocation, terminal, asJson ? { ...merged, onEvent } : merged);
  try {
    reportWarnings(runtime, terminal, asJson);
    const model = await openCliModel(runtime, terminal, { invocation });
    if (!model) return exitCode.wrongUse;
    const agent = await openCliAgent(runtime, { invocation, model, settings: agentSettings });
    try {
      if (!asJson) tellReconciled(agent, (text) => terminal.tell(text));
      const images = await readImages(invocation, runtime, agent);
      return await answer({ runtime, agent, terminal, renderer, task, words: wordsOf(invocation, task), images });
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
  readonly task: string;
  /** What of the task the person said; the rest is what it is about. */
  readonly words: string;
  readonly images: readonly UserPart[];
}

async function answer({ runtime, agent, terminal, renderer, task, words, images }: Task): Promise<number> {
  const stop = new AbortController();
  const tellJson = maskEvents(runtime, (event) => printEvent(event, terminal));
  const stopAgent = agent.on((event) => (renderer ? renderer.agent(event) : tellJson(event)));
  const stopRuntime = runtime.on("*", (event) => renderer?.runtime(event));
  const watch = watchSignals(terminal, (signal) => stop.abort(new Error(`Stopped by ${nameOfSignal(signal)}`)));
  try {
    const { parts, problems } = await readPrompt(task, {
      runtime,
      conversationId: agent.sessionId,
      acceptsImages: agent.model.acceptsImages,
      signal: stop.signal,
      words,
    });
    for (const problem of problems) {
      if (renderer) renderer.note(problem);
      else terminal.tell(problem);
    }
    const end = await agent.send([...parts, ...images], { signal: stop.signal });
    return codeOfEnd(end, watch.signal && codeOfSignal[watch.signal]);
  } finally {
    renderer?.end();
    reportWarnings(runtime, terminal, renderer === null);
    stopAgent();
    stopRuntime();
    watch.end();
  }
}

/** One line of `--json`. `v`: the version of their format, docs/agent.md. */
function printEvent(event: AgentEvent | RuntimeEvent, terminal: Terminal): void {
  terminal.printJsonLine({ v: 1, ...(toWire(event) as object) });
}

/** On stderr, and for a program that reads the events as events, too. */
function reportWarnings(runtime: Runtime, terminal: Terminal, asJson: boolean): void {
  for (const text of tellWarnings(runtime, terminal)) {
    if (asJson) printEvent({ type: "notice:told", at: Date.now(), level: "warning", text }, terminal);
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
  // What is typed meanwhile is for the shell: no prompt follows that would take it.
  const person = openPerson(terminal, renderer.screen, { holds: "while_asked", earlyKeys: "dropped" });
  return { config: { ...config, approve: person.approve, ask: person.ask }, person };
}

function mergeSettings(config: RuntimeConfig, settings: NonNullable<RuntimeConfig["settings"]>): RuntimeConfig {
  const permissions = { ...config.settings?.permissions, ...settings.permissions };
  // Nothing that is said need not be checked.
  const said = Object.keys(permissions).length > 0 ? { permissions } : {};
  return { ...config, settings: { ...config.settings, ...settings, ...said } };
}

/** Beside an argument, what came on stdin is a text of others: what looks like the name of a file there is none. */
function wordsOf({ positionals: [argument] }: Invocation, task: string): string {
  return argument === undefined || argument === "-" ? task : argument;
}

async function readImages(invocation: Invocation, runtime: Runtime, agent: OpenedAgent): Promise<readonly UserPart[]> {
  const parts: UserPart[] = [];
  for (const path of invocation.values("image")) {
    if (!agent.model.acceptsImages)
      throw new UsageError(`The model ${agent.model.id} takes no pictures; leave --image out.`);
    if (!isImageName(path))
      throw new UsageError(`--image ${path} is no picture that models take: use png, jpeg, gif or webp.`);
    const image = await runtime.readImage(resolve(path), { door: "cli", conversationId: agent.sessionId });
    if (typeof image === "string") throw new UsageError(`--image ${image}`);
    parts.push(image);
  }
  return parts;
}
