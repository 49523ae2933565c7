import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { AgentSettings } from "../../src/agent/agent-deps.ts";
import { assembleConversation } from "../../src/agent/session/assemble-conversation.ts";
import type { AgentEvent, AgentEventType } from "../../src/core/events.ts";
import type { CallResult, Message } from "../../src/core/message.ts";
import type { Model, ModelRequest } from "../../src/core/model.ts";
import type { Script } from "../../packages/testing/src/script.ts";
import { createScriptedModel } from "../../packages/testing/src/create-scripted-model.ts";
import type { Sleep } from "../../packages/testing/src/play-script.ts";
import type { Runtime, RuntimeConfig } from "../../src/runtime/create-runtime.ts";
import type { OpenedAgent } from "../../src/runtime/open-agent.ts";
import { afterTest } from "./after-test.ts";
import { openRuntime } from "./runtime.ts";
import { temporaryFolder } from "./temporary.ts";

export interface AgentSetup {
  /** What the model says; or a model. */
  readonly turns?: Script["turns"];
  readonly script?: Omit<Script, "turns">;
  readonly model?: Model;
  /** How the pauses of the script pass. */
  readonly sleep?: Sleep;
  readonly settings?: Partial<AgentSettings>;
  readonly runtime?: RuntimeConfig;
  readonly mode?: "agent" | "chat";
  readonly session?: string;
  /** A folder that the test has already; its own otherwise. */
  readonly home?: string;
  readonly files?: Readonly<Record<string, string>>;
}

export interface AgentUnderTest {
  readonly agent: OpenedAgent;
  readonly runtime: Runtime;
  readonly home: string;
  readonly events: readonly AgentEvent[];
  /** What the model was asked, in order. */
  readonly requests: readonly ModelRequest[];
  readonly eventsOf: <Type extends AgentEventType>(type: Type) => AgentEvent<Type>[];
  /** Resolves with the first such event, also one that came before. */
  readonly event: <Type extends AgentEventType>(
    type: Type,
    fits?: (event: AgentEvent<Type>) => boolean,
  ) => Promise<AgentEvent<Type>>;
  /** The conversation as the model gets it. */
  readonly messages: () => readonly Message[];
}

/** An agent in a workdir of its own, with a model that says what the test wants; closed after the test. */
export async function openTestAgent(t: TestContext, setup: AgentSetup = {}): Promise<AgentUnderTest> {
  const home = setup.home ?? (await temporaryFolder(t));
  await writeFiles(home, setup.files ?? {});
  const runtime = await openRuntime(t, { home, ...setup.runtime });
  return openAgentOf(t, runtime, setup);
}

/** Another conversation of the same runtime. */
export async function openAgentOf(t: TestContext, runtime: Runtime, setup: AgentSetup): Promise<AgentUnderTest> {
  const { model, requests } = recordRequests(setup.model ?? scriptedModel(setup));
  const { mode, session, settings } = setup;
  const agent = await runtime.openAgent({
    model,
    ...(mode ? { mode } : {}),
    ...(session === undefined ? {} : { session }),
    ...(settings ? { settings } : {}),
  });
  afterTest(t, () => agent.close());
  const events: AgentEvent[] = [];
  const waiting = new Set<(event: AgentEvent) => void>();
  agent.on((event) => {
    events.push(event);
    for (const each of waiting) each(event);
  });
  return {
    agent,
    runtime,
    home: runtime.workdir,
    events,
    requests,
    eventsOf: <Type extends AgentEventType>(type: Type) =>
      events.filter((event) => event.type === type) as unknown[] as AgentEvent<Type>[],
    event: <Type extends AgentEventType>(type: Type, fits: (event: AgentEvent<Type>) => boolean = () => true) =>
      new Promise<AgentEvent<Type>>((resolve) => {
        const look = (event: AgentEvent): void => {
          const found = event as unknown as AgentEvent<Type>;
          if (event.type !== type || !fits(found)) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        events.forEach(look);
      }),
    messages: () => assembleConversation(agent.history).messages,
  };
}

export function scriptedModel({ turns = ["Done."], script = {}, sleep }: AgentSetup): Model {
  return createScriptedModel({ ...script, turns }, sleep ? { sleep } : {});
}

/** The same model, and every request it gets. */
function recordRequests(model: Model): { readonly model: Model; readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const stream: Model["stream"] = (request) => {
    requests.push(request);
    return model.stream(request);
  };
  return { model: { ...model, stream }, requests };
}

export function resultsIn(messages: readonly Message[]): CallResult[] {
  return messages.flatMap((message) => (message.role === "tool" ? [...message.results] : []));
}

async function writeFiles(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}
