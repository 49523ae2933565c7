import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { createRuntime, defineTool, type AgentEvent, type Runtime, type RuntimeConfig, type Tool } from "deckhand";
import { createScriptedModel, type Model, type ModelRequest, type Script } from "deckhand/testing";
import { z } from "zod";
import { built, openMachine, type Ended, type Machine, type RunOptions, type Started } from "../cli/run-deckhand.ts";
import { afterTest } from "../support/after-test.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Whatever was parsed. */
export type Json = ReturnType<typeof JSON.parse>;

/** The context of a test, or `wholeFile`. */
export interface Scope {
  after(hook: () => Promise<void>): void;
}

const atFileEnd: (() => Promise<void>)[] = [];
// Registered at import: inside of a `before` it would run right after that.
after(async () => {
  for (const hook of atFileEnd) await hook();
});

/** What is opened with it is closed after the last test of the file. */
export const wholeFile: Scope = { after: (hook) => void atFileEnd.push(hook) };

/** The installed command on a machine of its own. */
export interface Command {
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  start(args: readonly string[], options?: RunOptions): Started;
  json(args: readonly string[], options?: RunOptions): Promise<Json>;
  put(name: string, content: string): Promise<void>;
  read(name: string): Promise<string>;
  /** The lines of the audit log. */
  log(): Promise<Record<string, unknown>[]>;
  /** `deckhand run PROMPT --json` with these turns; all events, in order. */
  events(script: unknown, args?: readonly string[], options?: RunOptions): Promise<Record<string, Json>[]>;
}

export interface CommandOptions {
  readonly files?: Readonly<Record<string, string>>;
  /** The user's own settings. */
  readonly settings?: object;
  readonly env?: Readonly<Record<string, string>>;
}

export async function openCommand(scope: Scope, options: CommandOptions = {}): Promise<Command> {
  const machine = await openMachine(scope);
  await writeSettings(machine, options.settings);
  const put = async (name: string, content: string): Promise<void> => {
    const path = join(machine.workdir, name);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, content);
  };
  for (const [name, content] of Object.entries(options.files ?? {})) await put(name, content);
  const withEnv = (more: RunOptions = {}): RunOptions => ({ ...more, env: { ...options.env, ...more.env } });
  const start: Command["start"] = (args, more) => machine.start(args, { program: built, ...withEnv(more) });
  const run: Command["run"] = (args, more) => machine.run(args, withEnv(more));
  const read = (name: string): Promise<string> => readFile(join(machine.workdir, name), "utf8");
  return {
    workdir: machine.workdir,
    env: { ...machine.env, ...options.env },
    run,
    start,
    put,
    read,
    json: async (args, more) => JSON.parse((await run([...args, "--json"], more)).stdout),
    log: async () => parseLines(await read(".deckhand/logs/chat_log.jsonl")),
    async events(script, args = ["go"], more) {
      await put("script.json", JSON.stringify(script));
      return parseLines((await run(["run", ...args, "--model", "script:script.json", "--json"], more)).stdout);
    },
  };
}

async function writeSettings(machine: Machine, settings: object | undefined): Promise<void> {
  if (!settings) return;
  const folder = join(machine.env["XDG_CONFIG_HOME"]!, "deckhand");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "deckhand.json"), JSON.stringify(settings));
}

export function parseLines(text: string): Record<string, Json>[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, Json>);
}

export interface LibraryOptions extends RuntimeConfig {
  readonly files?: Readonly<Record<string, string>>;
  /** Environment variables besides those that keep the runtime inside its folder. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** The library in a folder of its own. */
export async function openLibrary(
  scope: Scope,
  { files = {}, variables, ...config }: LibraryOptions = {},
): Promise<Runtime> {
  const workdir = config.workdir ?? join(await temporaryFolder(scope), "work");
  await mkdir(workdir, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(workdir, name), content);
  const runtime = await createRuntime({ env: { ...environmentBeside(workdir), ...variables }, ...config, workdir });
  afterTest(scope, () => runtime.close());
  return runtime;
}

function environmentBeside(workdir: string): Record<string, string> {
  const folder = dirname(workdir);
  const sandbox = process.env["DECKHAND_SANDBOX"];
  return {
    ...(sandbox === undefined ? {} : { DECKHAND_SANDBOX: sandbox }),
    PATH: process.env["PATH"] ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    XDG_CONFIG_HOME: join(folder, "config"),
  };
}

export interface Conversation {
  readonly runtime: Runtime;
  readonly events: readonly AgentEvent[];
  readonly requests: readonly ModelRequest[];
  send(prompt: string): ReturnType<Awaited<ReturnType<Runtime["openAgent"]>>["send"]>;
  readonly agent: Awaited<ReturnType<Runtime["openAgent"]>>;
}

/** An agent of the library whose model says what the script has. */
export async function openConversation(
  scope: Scope,
  runtime: Runtime,
  { request, ...script }: Script & { readonly request?: Partial<Parameters<Runtime["openAgent"]>[0]> },
): Promise<Conversation> {
  const requests: ModelRequest[] = [];
  const scripted = createScriptedModel(script);
  const model: Model = {
    ...scripted,
    stream(asked) {
      requests.push(asked);
      return scripted.stream(asked);
    },
  };
  const agent = await runtime.openAgent({ model, ...request });
  afterTest(scope, () => agent.close());
  const events: AgentEvent[] = [];
  agent.on((event) => void events.push(event));
  return { runtime, agent, events, requests, send: (prompt) => agent.send(prompt) };
}

/** Looks again until it is so; the deadline only turns "never" into a failure. */
export async function until<Value>(
  what: string,
  look: () => Value | undefined | false | Promise<Value | undefined | false>,
): Promise<Value> {
  const deadline = performance.now() + 100_000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > deadline) throw new Error(`Never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits for its signal, then returns as if all was well. */
export const waitTool: Tool = defineTool({
  name: "wait",
  description: "Waits until it is stopped.",
  input: z.object({ name: z.string().optional() }),
  async run(_, { signal }) {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    return { ok: true, output: "partial" };
  },
});

/** Returns its text at once. */
export const echoTool: Tool = defineTool({
  name: "echo",
  description: "Returns its text.",
  input: z.object({ text: z.string() }),
  traits: { readOnly: true },
  resources: () => [],
  async run({ text }) {
    return { ok: true, output: text };
  },
});

/** Throws its text. */
export const throwTool: Tool = defineTool({
  name: "throw",
  description: "Throws.",
  input: z.object({ text: z.string() }),
  async run({ text }) {
    throw new Error(text);
  },
});
